#include "baking.h"

#include <CLI/CLI.hpp>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "isochor/bake/residual_volume.h"
#include "isochor/bake/rest_offsets.h"
#include "isochor/base/error.h"
#include "isochor/io/gltf_write.h"
#include "isochor/io/point_cache.h"
#include "options.h"

namespace isochor::cli {
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

bool steps_throughout(const Clip& clip) {
  bool any = false;
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::morph_weights || channel.times.size() < 2) continue;
    if (channel.interpolation != Interpolation::step) return false;
    any = true;
  }
  return any;
}

std::vector<std::span<const Vec3>> positions_of(std::span<const PosedPart> parts) {
  std::vector<std::span<const Vec3>> out;
  for (const PosedPart& part : parts) out.emplace_back(part.positions);
  return out;
}

void add_rig(GltfSource& source, const Character& character) {
  add_joints(source, character.skeleton);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (part.skinned()) replace_weights(source, static_cast<Index>(p), part.skin, part.weights);
  }
}

}  // namespace

void add_bake_options(CLI::App& command, BakeOptions& options) {
  command
      .add_option_function<std::string>(
          "--bake",
          [&options](const std::string& text) {
            const auto& names = EnumNames<BakeMode>::names;
            const auto found = std::find(names.begin(), names.end(), text);
            if (found == names.end()) {
              throw CLI::ValidationError("--bake",
                                         "there is no " + text + "; choose one of " + enum_choices<BakeMode>());
            }
            options.mode = static_cast<BakeMode>(found - names.begin());
          },
          "how a motion that skinning alone does not show is written: a few morph targets, one a frame, or point "
          "caches (default morphs; by the extension for .pc2 and .mdd)")
      ->type_name(enum_choices<BakeMode>())
      ->group("Bake");
  add_options(command, options.basis, "Bake");
}

bool is_cache(BakeMode mode) { return mode == BakeMode::pc2 || mode == BakeMode::mdd; }

BakeMode bake_mode(const BakeOptions& options, const std::filesystem::path& output) {
  const std::string extension = output.extension().string();
  const bool pc2 = extension == ".pc2", mdd = extension == ".mdd";
  const BakeMode by_extension = pc2 ? BakeMode::pc2 : mdd ? BakeMode::mdd : BakeMode::morphs;
  const BakeMode mode = options.mode.value_or(by_extension);
  if ((is_cache(mode) || pc2 || mdd) && mode != by_extension) {
    throw_bad_input("--bake " + enum_name(mode) + " does not fit the output " + output.string() +
                    (is_cache(mode) ? "; it must end in ." + enum_name(mode) : "; it must end in .glb or .gltf"));
  }
  return mode;
}

std::vector<double> bake_times(const Clip& clip, double fps) {
  std::vector<double> times;
  const auto add = [&](double time) {
    const double rounded = static_cast<float>(time);
    if (times.empty() || rounded > times.back()) times.push_back(rounded);
  };
  const bool fill = fps == 0 && !steps_throughout(clip);
  const std::vector<double> frames = frame_times(clip, fps);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const double gap = fill && k > 0 ? frames[k] - frames[k - 1] : 0;
    const auto pieces = static_cast<int>(std::ceil(gap / kLongestGap));
    for (int i = 1; i < pieces; ++i) add(frames[k - 1] + gap * i / pieces);
    add(frames[k]);
  }
  return times;
}

WrittenCharacter as_written(const PosedInput& input, std::span<const Index> clips) {
  const Loaded& loaded = input.loaded;
  WrittenCharacter out;
  std::vector<Index> animation_of_clip;
  if (loaded.gltf) {
    out.source = *loaded.gltf;
    const bool other_rig = loaded.character.skeleton.size() != out.source.map.node_of_joint.size();
    if (other_rig) add_rig(out.source, loaded.character);
    if (input.motion_clip != kNone) add_clip(out.source, loaded.character.clips[input.motion_clip]);
    const bool same = !other_rig && input.motion_clip == kNone;
    if (same) {
      out.character = loaded.character;
      out.clips.assign(clips.begin(), clips.end());
      return out;
    }
  } else {
    out.source = write_gltf(loaded.character).source;
  }
  for (const Index clip : clips) {
    const Index animation = out.source.map.animation_of_clip[clip];
    if (animation != kNone) out.clips.push_back(animation);
  }
  GltfCharacter read = read_gltf(out.source.document);
  out.character = std::move(read.character);
  out.source.map = std::move(read.map);
  return out;
}

Baker::Baker(const Playback& playback, BakeMode mode, const MorphBasisOptions& basis)
    : playback_(playback), mode_(mode), basis_(basis), normals_(playback.character(), playback.whole()) {}

void Baker::begin_clip(Index clip) { clips_.push_back({clip, {}, {}}); }

void Baker::add(const BakeFrame& frame, const Context& context) {
  clips_.back().times.push_back(frame.time);
  keep_reference(frame);
  if (!is_cache(mode_)) add_offsets(frame, context);
}

void Baker::keep_reference(const BakeFrame& frame) {
  BakeReference reference{clips_.back().clip, frame.time, {}, {frame.volumes.begin(), frame.volumes.end()}};
  for (const PosedPart& part : frame.parts) {
    auto& positions = reference.positions.emplace_back();
    positions.reserve(part.positions.size());
    for (const Vec3& p : part.positions) positions.push_back(p.cast<float>());
  }
  references_.push_back(std::move(reference));
}

void Baker::add_offsets(const BakeFrame& frame, const Context& context) {
  Viewer viewer = find_offsets(frame, context);
  restore_volumes(frame, viewer);
  const auto turns = normals_.turns(positions_of(viewer.rest), positions_of(frame.parts));
  auto& parts = clips_.back().parts.emplace_back(viewer.rest.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    parts[p].positions = compress(viewer.offsets[p]);
    parts[p].normals =
        compress(normal_offsets({.maps = viewer.maps[p], .rest_normals = viewer.rest[p].normals, .turns = turns[p]}));
  }
}

Baker::Viewer Baker::find_offsets(const BakeFrame& frame, const Context& context) const {
  const Character& character = playback_.character();
  const auto global = global_transforms(character.skeleton, *frame.pose);
  Viewer viewer;
  viewer.maps.resize(character.parts.size());
  viewer.offsets.resize(character.parts.size());
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    const PosedPart& rest = viewer.rest.emplace_back(morphed_part(part, *frame.pose));
    if (!part.skinned()) continue;
    viewer.maps[p].resize(rest.positions.size());
    vertex_maps(Deformer::lbs, {rest.positions, part.weights}, skin_matrices(part.skin, global), viewer.maps[p],
                context);
    viewer.offsets[p] =
        !frame.offsets.empty()
            ? frame.offsets[p]
            : rest_offsets({.maps = viewer.maps[p], .rest = rest.positions, .target = frame.parts[p].positions})
                  .positions;
  }
  return viewer;
}

/// Notes the vertices that offsets do not bring to their place, and lets the others make up for the volume that they
/// cost.
void Baker::restore_volumes(const BakeFrame& frame, Viewer& viewer) {
  constexpr double kFar = 1e-5;
  const WholeSurface& whole = playback_.whole();
  std::vector<Vec3> shown(playback_.surface().vertex_count());
  std::vector<double> mobility(shown.size(), 0.0);
  Box box;
  for (const PosedPart& part : frame.parts) {
    for (const Vec3& p : part.positions) box.extend(p);
  }
  const double far = kFar * box.diagonal().norm();
  for (std::size_t p = 0; p < viewer.rest.size(); ++p) {
    for (std::size_t v = 0; v < viewer.rest[p].positions.size(); ++v) {
      const Index source = whole.part_begin[p] + static_cast<Index>(v), welded = whole.weld.vertex[source];
      Vec3 place = frame.parts[p].positions[v];
      if (!viewer.maps[p].empty()) {
        const Mat34& map = viewer.maps[p][v];
        const Vec3 offset = viewer.offsets[p][v].cast<float>().cast<double>();
        place = map.leftCols<3>() * (viewer.rest[p].positions[v] + offset) + map.col(3);
        const double missing = (place - frame.parts[p].positions[v]).norm();
        if (missing > far) unreached_.emplace(p, static_cast<Index>(v));
        max_unreached_ = std::max(max_unreached_, missing / box.diagonal().norm());
        if (whole.weld.first_source[welded] == source && missing <= far) mobility[welded] = offset.norm();
      }
      if (whole.weld.first_source[welded] == source) shown[welded] = place;
    }
  }
  std::vector<double> wanted(frame.volumes.begin(), frame.volumes.end());
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (!playback_.has_volume(c)) wanted[c] = 0;
  }
  if (wanted.empty()) return;
  const ResidualVolume found = residual_volume({playback_.surface(), playback_.topology(), shown, wanted, mobility});
  if (found.displacements.empty()) return;
  for (std::size_t p = 0; p < viewer.rest.size(); ++p) {
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      const Vec3& u = found.displacements[whole.weld.vertex[whole.part_begin[p] + static_cast<Index>(v)]];
      if (u != Vec3::Zero()) viewer.offsets[p][v] += viewer.maps[p][v].leftCols<3>().inverse() * u;
    }
  }
}

void Baker::report_unreached(Json& report, Session& session) const {
  report["unreached_vertices"] = unreached_.size();
  if (unreached_.empty()) return;
  report["max_unreached"] = max_unreached_;
  ProblemCollector collector;
  for (const auto& [part, vertex] : unreached_) collector.add(playback_.whole().part_begin[part] + vertex);
  Problems problems;
  collector.report(problems, Severity::warning, "bake-unreached",
                   "{} vertices lie, at some time, where linear blend skinning flattens the skin (as a twist by 180 "
                   "degrees does); no morph target brings them to their place, and the skin around keeps the volume");
  session.add_warnings(problems);
}

Baker::SparseOffsets Baker::compress(std::span<const Vec3> values) {
  SparseOffsets out;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const Vec3f value = values[v].cast<float>();
    if (value == Vec3f::Zero()) continue;
    out.vertices.push_back(static_cast<Index>(v));
    out.values.push_back(value);
  }
  return out;
}

std::vector<Vec3> Baker::expand(const SparseOffsets& offsets, std::size_t vertices) {
  std::vector<Vec3> out(vertices, Vec3::Zero());
  for (std::size_t i = 0; i < offsets.vertices.size(); ++i) out[offsets.vertices[i]] = offsets.values[i].cast<double>();
  return out;
}

bool Baker::moves(std::size_t part) const {
  return std::any_of(clips_.begin(), clips_.end(), [&](const ClipFrames& clip) {
    return std::any_of(clip.parts.begin(), clip.parts.end(),
                       [&](const auto& frame) { return !frame[part].positions.vertices.empty(); });
  });
}

std::vector<MorphTarget> Baker::targets_of(std::size_t part, const ClipFrames& clip) const {
  const Part& of = playback_.character().parts[part];
  // Importers look targets up by name, so each needs one of its own.
  const std::string name = playback_.character().clips[clip.clip].name + ".";
  std::vector<MorphTarget> targets;
  for (std::size_t k = 0; k < clip.parts.size(); ++k) {
    const PartFrame& frame = clip.parts[k][part];
    targets.push_back({name + std::to_string(k), expand(frame.positions, of.surface.vertex_count()),
                       expand(frame.normals, of.normals.size())});
  }
  return targets;
}

Interpolation Baker::interpolation_of(Index clip) const {
  return steps_throughout(playback_.character().clips[clip]) ? Interpolation::step : Interpolation::linear;
}

std::size_t Baker::write_frames(GltfSource& source) const {
  std::size_t count = 0;
  for (std::size_t p = 0; p < playback_.character().parts.size(); ++p) {
    if (!moves(p)) continue;
    std::vector<MorphFrames> frames;
    for (const ClipFrames& clip : clips_) {
      frames.push_back({clip.clip, clip.times, targets_of(p, clip), interpolation_of(clip.clip)});
      count += clip.times.size();
    }
    add_morph_frames(source, static_cast<Index>(p), frames);
  }
  return count;
}

/// The diagonal of each vertex's component in the bind pose; crumbs count as a hundredth of the whole.
std::vector<double> Baker::sizes_of(std::size_t part) const {
  constexpr double kCrumb = 0.01;
  const WholeSurface& whole = playback_.whole();
  const Topology& topology = playback_.topology();
  const auto diagonal = [](const Box& box) { return box.isEmpty() ? 0 : box.diagonal().norm(); };
  const double smallest = std::max(kCrumb * diagonal(bounding_box(playback_.surface().positions)), 1e-30);
  std::vector<double> by_component;
  for (const Component& component : topology.components) {
    Box box;
    for (const Index v : component.vertices) box.extend(playback_.surface().positions[v]);
    by_component.push_back(std::max(diagonal(box), smallest));
  }
  std::vector<double> sizes;
  for (Index v = whole.part_begin[part]; v < whole.part_begin[part + 1]; ++v) {
    const Index component = topology.component_of_vertex[whole.weld.vertex[v]];
    sizes.push_back(component == kNone ? smallest : by_component[component]);
  }
  return sizes;
}

std::size_t Baker::write_basis(GltfSource& source, Json& report, Context& context) const {
  std::size_t count = 0;
  double normal_error = 0;
  for (std::size_t p = 0; p < playback_.character().parts.size(); ++p) {
    if (!moves(p)) continue;
    std::vector<MorphTarget> frames;
    for (const ClipFrames& clip : clips_) {
      for (MorphTarget& frame : targets_of(p, clip)) frames.push_back(std::move(frame));
    }
    const std::vector<double> sizes = sizes_of(p);
    MorphBasis basis = morph_basis({frames, sizes}, basis_, context);
    frames.clear();
    for (std::size_t t = 0; t < basis.targets.size(); ++t) basis.targets[t].name = "isochor." + std::to_string(t);
    std::vector<MorphCurve> curves;
    Eigen::Index row = 0;
    for (const ClipFrames& clip : clips_) {
      MorphCurve& curve = curves.emplace_back(MorphCurve{clip.clip, clip.times, {}, interpolation_of(clip.clip)});
      for (std::size_t k = 0; k < clip.times.size(); ++k, ++row) {
        for (Eigen::Index t = 0; t < basis.weights.cols(); ++t) curve.weights.push_back(basis.weights(row, t));
      }
    }
    add_morph_basis(source, static_cast<Index>(p), basis.targets, curves);
    count += basis.targets.size();
    normal_error = std::max(normal_error, basis.max_normal_error);
  }
  report["max_normal_error"] = normal_error;
  return count;
}

Json Baker::write_caches(const std::filesystem::path& output) const {
  const Character& character = playback_.character();
  std::vector<std::string> part_names, clip_names;
  for (const Part& part : character.parts) part_names.push_back(part.name);
  for (const ClipFrames& clip : clips_) clip_names.push_back(character.clips[clip.clip].name);
  part_names = distinct_names(std::move(part_names));
  clip_names = distinct_names(std::move(clip_names));
  Json files = Json::array();
  std::size_t first = 0;
  for (std::size_t c = 0; c < clips_.size(); ++c) {
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      PointCache cache{character.parts[p].surface.vertex_count(), clips_[c].times, {}};
      for (std::size_t k = 0; k < cache.times.size(); ++k) {
        for (const Vec3f& x : references_[first + k].positions[p]) {
          cache.positions.insert(cache.positions.end(), {x.x(), x.y(), x.z()});
        }
      }
      std::string name = output.stem().string();
      if (character.parts.size() > 1) name += "-" + part_names[p];
      if (clips_.size() > 1) name += "-" + clip_names[c];
      const auto path = output.parent_path() / (name + output.extension().string());
      write_point_cache(path, cache, mode_ == BakeMode::pc2 ? PointCacheFormat::pc2 : PointCacheFormat::mdd);
      files.push_back(path.string());
    }
    first += clips_[c].times.size();
  }
  return files;
}

Json Baker::write(GltfSource source, const std::filesystem::path& output, Session& session) {
  Context& context = session.context();
  Json report;
  report["mode"] = enum_name(mode_);
  if (is_cache(mode_)) {
    const StageTimer timer(context, "write");
    report["files"] = write_caches(output);
    return report;
  }
  {
    const StageTimer timer(context, "bake");
    report["targets"] = 0;
    report["targets"] = mode_ == BakeMode::frames ? write_frames(source) : write_basis(source, report, context);
  }
  {
    const StageTimer timer(context, "write");
    source.document.save(output);
  }
  report_unreached(report, session);
  const StageTimer timer(context, "check");
  const BakeErrors errors = check_bake(output, references_, context);
  report["max_position_error"] = errors.max_position_error;
  report["max_volume_error"] = errors.max_volume_error;
  report["max_volume_error_between"] = errors.max_volume_error_between;
  return report;
}

}  // namespace isochor::cli
