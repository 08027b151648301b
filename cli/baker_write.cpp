#include <algorithm>
#include <cmath>

#include "baker.h"
#include "isochor/bake/morph_volume.h"
#include "isochor/base/parallel.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/point_cache.h"

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

/// JSON and buffers.
std::size_t document_bytes(const GltfDocument& document) {
  std::size_t bytes = document.json_text().size();
  for (std::size_t b = 0; b < document.buffer_count(); ++b) bytes += document.buffer(b).size();
  return bytes;
}

std::string baked_line(const Json& report) {
  const auto percent_of = [](const Json& error) { return number(100 * error.get<double>(), 3) + " %"; };
  std::string line = count(report["targets"], "morph target") + ", " + count(report["keys"], "key");
  const auto between = report.find("between");
  const bool added = between != report.end() && (*between)["keys_added"] != 0;
  if (added) line += " (" + count((*between)["keys_added"], "key") + " between those of the clips)";
  line += ", " + number(report["bytes"].get<double>() / 1e6, 3) + " MB; played, a volume is off by at most " +
          percent_of(report["max_volume_error"]);
  if (between != report.end()) line += ", half-way between keys " + percent_of((*between)["max_volume_error"]);
  return line;
}

}  // namespace

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

Baker::Bases Baker::find_bases(Context& context) const {
  Bases bases(playback_.character().parts.size());
  for (std::size_t p = 0; p < bases.size(); ++p) {
    if (!moves(p)) continue;
    std::vector<MorphTarget> frames;
    for (const ClipFrames& clip : clips_) {
      for (MorphTarget& frame : targets_of(p, clip)) frames.push_back(std::move(frame));
    }
    const std::vector<double> sizes = sizes_of(p);
    bases[p] = morph_basis({frames, sizes}, basis_, context);
  }
  return bases;
}

Baker::WeldedTargets Baker::weld_targets(const Bases& bases) const {
  const WholeSurface& whole = playback_.whole();
  WeldedTargets out;
  out.reach.assign(playback_.surface().vertex_count(), 1.0);
  for (std::size_t p = 0; p < bases.size(); ++p) {
    const std::size_t first = out.targets.size();
    out.begin.push_back(static_cast<Eigen::Index>(first));
    if (!bases[p]) continue;
    const std::vector<double> sizes = sizes_of(p);
    // A part of the tolerance, or of what few targets leave.
    constexpr double kReachShare = 0.2;
    const double reach = kReachShare * std::max({basis_.tolerance, bases[p]->max_error, 1e-6});
    out.targets.resize(first + bases[p]->targets.size());
    for (std::size_t v = 0; v < sizes.size(); ++v) {
      const Index source = whole.part_begin[p] + static_cast<Index>(v), welded = whole.weld.vertex[source];
      if (whole.weld.first_source[welded] != source) continue;
      out.reach[welded] = reach * sizes[v];
      for (std::size_t t = 0; t < bases[p]->targets.size(); ++t) {
        const Vec3& offset = bases[p]->targets[t].positions[v];
        if (offset == Vec3::Zero()) continue;
        out.targets[first + t].vertices.push_back(welded);
        out.targets[first + t].offsets.push_back(offset);
      }
    }
  }
  return out;
}

/// Weights such that every frame encloses what it should, however few targets there are.
void Baker::keep_volumes(Bases& bases, Context& context) const {
  const WeldedTargets welded = weld_targets(bases);
  const MorphVolume keeper(playback_.surface(), playback_.topology(), welded.targets, welded.reach);
  const auto weights_at = [&](std::size_t part, Eigen::Index row) { return bases[part]->weights.row(row); };
  Eigen::Index first_row = 0;
  for (const ClipFrames& clip : clips_) {
    parallel_for(context, clip.times.size(), 1, [&](Range range) {
      for (std::size_t k = range.begin; k < range.end; ++k) {
        if (clip.references[k].volumes.empty()) continue;
        const Eigen::Index row = first_row + static_cast<Eigen::Index>(k);
        Eigen::VectorXd weights(welded.targets.size());
        for (std::size_t p = 0; p < bases.size(); ++p) {
          if (bases[p]) weights.segment(welded.begin[p], bases[p]->weights.cols()) = weights_at(p, row).transpose();
        }
        MorphedFrame frame = unmorphed_frame(clip, k);
        keeper.move(weights, frame);
        weights += keeper.correct(frame);
        for (std::size_t p = 0; p < bases.size(); ++p) {
          if (bases[p]) weights_at(p, row) = weights.segment(welded.begin[p], bases[p]->weights.cols()).transpose();
        }
      }
    });
    first_row += static_cast<Eigen::Index>(clip.times.size());
  }
}

/// What a viewer shows of a frame without the targets that are baked.
MorphedFrame Baker::unmorphed_frame(const ClipFrames& clip, std::size_t k) const {
  const Character& character = playback_.character();
  const WholeSurface& whole = playback_.whole();
  const std::size_t vertices = playback_.surface().vertex_count();
  const Viewer viewer = viewer_at(sample(character.clips[clip.clip], character.skeleton, clip.times[k]), Context(1));
  MorphedFrame frame{std::vector<Vec3>(vertices), std::vector<Mat3>(vertices, Mat3::Zero()),
                     wanted_volumes(clip.references[k].volumes)};
  for (std::size_t p = 0; p < viewer.rest.size(); ++p) {
    for (std::size_t v = 0; v < viewer.rest[p].positions.size(); ++v) {
      const Index source = whole.part_begin[p] + static_cast<Index>(v), welded = whole.weld.vertex[source];
      if (whole.weld.first_source[welded] != source) continue;
      if (viewer.maps[p].empty()) {
        frame.positions[welded] = clip.references[k].positions[p][v].cast<double>();
        continue;
      }
      frame.linear[welded] = viewer.maps[p][v].leftCols<3>();
      frame.positions[welded] = frame.linear[welded] * viewer.rest[p].positions[v] + viewer.maps[p][v].col(3);
    }
  }
  return frame;
}

std::size_t Baker::write_basis(GltfSource& source, Json& report, Context& context) const {
  std::size_t count = 0;
  double normal_error = 0;
  Bases bases = find_bases(context);
  keep_volumes(bases, context);
  for (std::size_t p = 0; p < bases.size(); ++p) {
    if (!bases[p]) continue;
    MorphBasis& basis = *bases[p];
    if (basis_.max_targets != 1) unit_weights(basis);
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
  for (std::size_t c = 0; c < clips_.size(); ++c) {
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      PointCache cache{character.parts[p].surface.vertex_count(), clips_[c].times, {}};
      for (std::size_t k = 0; k < cache.times.size(); ++k) {
        for (const Vec3f& x : clips_[c].references[k].positions[p]) {
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
  }
  return files;
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

/// Keys that were added, what they leave, and where they could not help.
void Baker::report_between(Json& report, Session& session) const {
  std::size_t keys = 0;
  for (const ClipFrames& clip : clips_) keys += clip.times.size();
  report["keys"] = keys;
  if (!between_) return;
  report["between"] = {{"keys_added", between_->added.size()},
                       {"max_volume_error", between_->max_error.volume},
                       {"max_position_error", between_->max_error.position},
                       {"gaps_beyond", between_->gaps_beyond}};
  if (between_->gaps_beyond == 0) return;
  Problems problems;
  problems.push_back({Severity::warning,
                      "bake-between",
                      "in " + count(between_->gaps_beyond, "gap") +
                          " between keys the motion jumps, or is too fast for " + std::to_string(1 << kMostHalvings) +
                          " keys more: a volume is off by " + number(100 * between_->max_error.volume, 3) +
                          " % half-way",
                      {},
                      static_cast<std::int64_t>(between_->gaps_beyond)});
  session.add_warnings(problems);
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
  const std::size_t bytes_before = document_bytes(source.document);
  {
    const StageTimer timer(context, "bake");
    report["targets"] = 0;
    report["targets"] = mode_ == BakeMode::frames ? write_frames(source) : write_basis(source, report, context);
  }
  report["bytes"] = document_bytes(source.document) - bytes_before;
  {
    const StageTimer timer(context, "write");
    source.document.save(output);
  }
  report_unreached(report, session);
  report_between(report, session);
  const StageTimer timer(context, "check");
  std::vector<BakeReference> references;
  for (ClipFrames& clip : clips_) {
    std::move(clip.references.begin(), clip.references.end(), std::back_inserter(references));
  }
  const BakeErrors errors = check_bake(output, references, context);
  report["max_position_error"] = errors.max_position_error;
  report["max_volume_error"] = errors.max_volume_error;
  report["max_volume_error_between"] = errors.max_volume_error_between;
  session.print(baked_line(report));
  return report;
}

}  // namespace isochor::cli
