#include "isochor/io/bake.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "driven_json.h"
#include "isochor/bake/morph_bake.h"
#include "isochor/bake/remaining_motion.h"
#include "isochor/base/error.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace {

/// Not "walk/run": a part of a file's name.
std::string file_name_part(std::string name) {
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
    if (!plain && static_cast<unsigned char>(c) < 128) c = '_';
  }
  return name;
}

/// Names in the order of their indices, made distinct by number where two are alike.
std::vector<std::string> distinct_names(std::vector<std::string> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = file_name_part(names[i]);
    const auto before = names.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(names.begin(), before, names[i]) != before || names[i].empty()) names[i] += std::to_string(i);
  }
  return names;
}

std::size_t document_bytes(const GltfDocument& document) {
  std::size_t bytes = document.json_text().size();
  for (std::size_t b = 0; b < document.buffer_count(); ++b) bytes += document.buffer(b).size();
  return bytes;
}

std::vector<double> times_of(const HeldClip& clip) {
  std::vector<double> times;
  times.reserve(clip.frames.size());
  for (const HeldFrame& frame : clip.frames) times.push_back(frame.time);
  return times;
}

std::size_t add_frames(const HeldMotion& motion, const WeldedCharacter& welded, GltfSource& into) {
  std::size_t targets = 0;
  for (std::size_t p = 0; p < welded.character().parts.size(); ++p) {
    if (!moves(motion, p)) continue;
    std::vector<MorphFrames> frames;
    for (const HeldClip& clip : motion.clips) {
      frames.push_back({clip.clip, times_of(clip), frame_targets(clip, welded, p), clip.interpolation});
      targets += clip.frames.size();
    }
    add_morph_frames(into, static_cast<Index>(p), frames);
  }
  return targets;
}

void add_basis(const HeldMotion& motion, const WeldedCharacter& welded, const MorphBasisOptions& options,
               GltfSource& into, BakeResult& result, Context& context) {
  const auto bases = morph_bases(motion, welded, options, context);
  for (std::size_t p = 0; p < bases.size(); ++p) {
    if (!bases[p]) continue;
    const MorphBasis& basis = *bases[p];
    std::vector<MorphCurve> curves;
    Eigen::Index row = 0;
    for (const HeldClip& clip : motion.clips) {
      MorphCurve& curve = curves.emplace_back(MorphCurve{clip.clip, times_of(clip), {}, clip.interpolation});
      for (std::size_t k = 0; k < clip.frames.size(); ++k, ++row) {
        for (Eigen::Index t = 0; t < basis.weights.cols(); ++t) curve.weights.push_back(basis.weights(row, t));
      }
    }
    add_morph_basis(into, static_cast<Index>(p), basis.targets, curves);
    result.targets += basis.targets.size();
    result.max_normal_error = std::max(result.max_normal_error, basis.max_normal_error);
  }
}

void add_joints(const HeldMotion& motion, const WeldedCharacter& welded, const BakeOptions& options, GltfSource& into,
                BakeResult& result, Context& context) {
  const TwinJoints twins = twin_joints(motion, welded, options.twins, context);
  const std::vector<std::string> names = add_twins(into, welded.character(), twins);
  if (options.drive_twins) {
    const auto driven = drive_twins(motion, welded, twins, context);
    result.driven_figures = play_driven(motion, welded, twins, driven, context);
    result.driven_twins = driven_twins_json(twins, driven, names, welded.skeleton());
  }
  result.twins = twins.twins.size();
  result.twin_figures = twins.figures;
  result.problems = twins.problems;
  result.keys = 0;
  for (const TwinClip& clip : twins.clips) {
    result.keys += clip.times.size();
    result.key_times.push_back(clip.times);
  }
}

/// What twins do not show, as targets on top of what they do.
void add_rest_as_morphs(const HeldMotion& motion, MorphBasisOptions options, GltfSource& into, BakeResult& result,
                        Context& context) {
  constexpr Index kFew = 8;  // what engines blend at once without a thought
  if (options.max_targets == 0) options.max_targets = kFew;
  // Few targets with a narrow tolerance would go to single vertices (Frog: 94.9 % of the correction at 1e-4, 98.6 %
  // here).
  options.tolerance = std::max(options.tolerance, 1e-3);
  const Character with_twins = read_gltf(into.document, {.polygons = false}).character;
  const WeldedCharacter welded(with_twins);
  add_basis(remaining_motion(motion, welded, context), welded, options, into, result, context);
  // Targets have a key for every frame.
  result.keys = motion.frame_count();
  result.key_times.clear();
}

void check_bakes_into(const WrittenCharacter& file, const WeldedCharacter& welded, BakeForm form) {
  if (&welded.character() != &file.character()) {
    throw_bad_input("the motion was held on another character than the one that is written; weld file.character()");
  }
  if (adds_joints(form) != adds_joints(file.form())) {
    throw_bad_input("the file was made to be baked as " + enum_name(file.form()) + ", and is baked as " +
                    enum_name(form) + "; give the form to as_written()");
  }
  // It would be added a second time, on top of the first.
  if (has_baked(file.character()) || twin_count(file.character()) > 0) {
    throw_bad_input(
        "the character still has what an earlier bake added; load it without that (LoadOptions::keep_baked)");
  }
}

}  // namespace

BakeResult bake(const HeldMotion& motion, const WeldedCharacter& welded, const BakeOptions& options,
                WrittenCharacter& file, Context& context) {
  const StageTimer timer(context, "bake");
  check_ranges(options.basis);
  BakeResult result;
  result.keys = motion.frame_count();
  if (motion.shown_by_skinning) return result;
  check_bakes_into(file, welded, options.form);
  GltfSource& into = file.source();
  const std::size_t before = document_bytes(into.document);
  if (options.form == BakeForm::frames) {
    result.targets = add_frames(motion, welded, into);
  } else if (options.form == BakeForm::joints) {
    add_joints(motion, welded, options, into, result, context);
  } else if (options.form == BakeForm::joints_and_morphs) {
    add_joints(motion, welded, options, into, result, context);
    add_rest_as_morphs(motion, options.basis, into, result, context);
  } else {
    add_basis(motion, welded, options.basis, into, result, context);
  }
  const std::size_t after = document_bytes(into.document);
  result.bytes = after - std::min(before, after);
  return result;
}

std::vector<std::filesystem::path> point_cache_paths(const HeldMotion& motion, const WeldedCharacter& welded,
                                                     const std::filesystem::path& path) {
  const Character& character = welded.character();
  std::vector<std::string> part_names, clip_names;
  for (const Part& part : character.parts) part_names.push_back(part.name);
  for (const HeldClip& clip : motion.clips) clip_names.push_back(character.clips[clip.clip].name);
  part_names = distinct_names(std::move(part_names));
  clip_names = distinct_names(std::move(clip_names));
  std::vector<std::filesystem::path> files;
  for (const std::string& clip : clip_names) {
    for (const std::string& part : part_names) {
      std::string name = path.stem().string();
      if (part_names.size() > 1) name += "-" + part;
      if (clip_names.size() > 1) name += "-" + clip;
      files.push_back(path.parent_path() / (name + path.extension().string()));
    }
  }
  return files;
}

HoldOptions point_cache_frames(double fps) {
  constexpr double kBlenderFps = 24;
  HoldOptions options{.fps = fps > 0 ? fps : kBlenderFps};
  options.between.volume_error = 0;
  options.form = HeldForm::positions;
  return options;
}

void save_point_caches(const HeldMotion& motion, const WeldedCharacter& welded, const std::filesystem::path& path,
                       PointCacheFormat format) {
  const auto& parts = welded.character().parts;
  const auto files = point_cache_paths(motion, welded, path);
  auto file = files.begin();
  for (const HeldClip& clip : motion.clips) {
    for (std::size_t p = 0; p < parts.size(); ++p) {
      PointCache cache{parts[p].surface.vertex_count(), times_of(clip), {}};
      for (const HeldFrame& frame : clip.frames) {
        for (const Vec3f& x : frame.parts[p].positions) {
          cache.positions.insert(cache.positions.end(), {x.x(), x.y(), x.z()});
        }
      }
      write_point_cache(*file++, cache, format);
    }
  }
}

}  // namespace isochor
