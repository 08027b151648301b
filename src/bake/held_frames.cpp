#include "bake/held_frames.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "isochor/bake/residual_volume.h"
#include "isochor/bake/rest_offsets.h"
#include "volume/rest_carrier.h"

namespace isochor {
namespace {

double diagonal_of(std::span<const std::vector<Vec3>> parts) {
  Box box;
  for (const auto& part : parts) {
    for (const Vec3& p : part) box.extend(p);
  }
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

/// A vertex that offsets leave farther from its place than this does not reach it; of the character's size.
constexpr double kFar = 1e-5;
/// Restoring the volume moves what was mended by a trifle: how often it is looked at again.
constexpr int kMendPasses = 4;

/// As a file holds it.
Vec3 as_float(const Vec3& v) { return v.cast<float>().cast<double>(); }

/// What brings a displacement, or nothing where skinning flattens the skin.
Vec3 offset_for(const Mat34& map, const Vec3& displacement) {
  return volume::RestCarrier(map.leftCols<3>()).carry(displacement).offset;
}

}  // namespace

HeldFrames::HeldFrames(const WeldedCharacter& welded, HeldForm form)
    : welded_(welded),
      form_(form),
      normals_(welded.character(), welded.whole()),
      volumes_(component_volumes(welded)),
      turned_faces_(welded, volumes_) {}

void HeldFrames::begin_clip(Index clip, Interpolation interpolation) {
  clips_.push_back({.clip = clip, .frames = {}, .interpolation = interpolation});
}

HeldFrames::Moment HeldFrames::hold(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                                    Context& context) const {
  Moment out;
  Viewer viewer = view(playback, frame, context);
  if (form_ == HeldForm::offsets) {
    find_offsets(playback, frame, viewer);
    std::vector<double> volumes;
    for (const ComponentVolume& volume : frame.corrected.components) {
      volumes.push_back(volume.has_volume ? volume.after : 0);
    }
    restore_volumes(volumes, {}, viewer, out);
  }
  out.frame = held(viewer, frame);
  return out;
}

void HeldFrames::add(Moment moment) {
  unreached_.insert(moment.unreached.begin(), moment.unreached.end());
  max_unreached_ = std::max(max_unreached_, moment.max_unreached);
  auto& frames = clips_.back().frames;
  const auto at = std::upper_bound(frames.begin(), frames.end(), moment.frame.time,
                                   [](double time, const HeldFrame& f) { return time < f.time; });
  frames.insert(at, std::move(moment.frame));
}

HeldFrame HeldFrames::held(const Viewer& viewer, const CorrectedPlayback::Frame& frame) const {
  HeldFrame out;
  out.time = frame.time;
  out.target_volumes = frame.posed.target_volumes;
  out.volume_factor = frame.volume_factor;
  for (const ComponentVolume& volume : frame.corrected.components) {
    out.volumes.push_back(volume.has_volume ? volume.after : 0);
  }
  if (form_ != HeldForm::volumes) out.parts = held_parts(viewer);
  return out;
}

std::vector<HeldPart> HeldFrames::held_parts(const Viewer& viewer) const {
  std::vector<HeldPart> out(viewer.wanted.size());
  for (std::size_t p = 0; p < out.size(); ++p) {
    out[p].positions.reserve(viewer.wanted[p].size());
    for (const Vec3& x : viewer.wanted[p]) out[p].positions.push_back(x.cast<float>());
  }
  if (form_ == HeldForm::positions) return out;

  std::vector<std::span<const Vec3>> rest, posed;
  for (const PosedPart& part : viewer.rest) rest.emplace_back(part.positions);
  for (const auto& part : viewer.wanted) posed.emplace_back(part);
  const auto turns = normals_.turns(rest, posed);
  for (std::size_t p = 0; p < out.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    out[p].offsets = compress(viewer.offsets[p]);
    out[p].normals =
        compress(normal_offsets({.maps = viewer.maps[p], .rest_normals = viewer.rest[p].normals, .turns = turns[p]}));
  }
  return out;
}

HeldFrames::Viewer HeldFrames::view(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                                    Context& context) const {
  const auto& parts = welded_.character().parts;
  Viewer viewer;
  if (form_ == HeldForm::volumes) return viewer;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    viewer.wanted.push_back(part_positions(welded_, frame.pose, frame.posed, frame.corrected.positions, p));
  }
  if (form_ == HeldForm::positions) return viewer;
  viewer.size = diagonal_of(viewer.wanted);
  viewer.offsets.resize(parts.size());
  // What another deformer does is baked relative to linear blend skinning too.
  PosedSkin other;
  const bool by_lbs = playback.deformer() == Deformer::lbs;
  if (!by_lbs) pose_skin(welded_, frame.pose, Deformer::lbs, other, context);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    viewer.rest.push_back(morphed_part(parts[p], frame.pose));
    viewer.maps.push_back(part_maps(welded_, by_lbs ? frame.posed : other, p));
  }
  return viewer;
}

/// Where linear blend skinning is what was corrected, its offsets are known; strays, which follow other bones, have
/// their own.
void HeldFrames::find_offsets(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                              Viewer& viewer) const {
  const auto reach = [](std::span<const Mat34> maps, std::span<const Vec3> rest, std::span<const Vec3> target) {
    return rest_offsets({.maps = maps, .rest = rest, .target = target}).positions;
  };
  const bool known = playback.corrects() && playback.deformer() == Deformer::lbs;
  for (std::size_t p = 0; p < viewer.maps.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    if (!known) {
      viewer.offsets[p] = reach(viewer.maps[p], viewer.rest[p].positions, viewer.wanted[p]);
      continue;
    }
    auto& offsets = viewer.offsets[p];
    offsets.reserve(viewer.maps[p].size());
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      offsets.push_back(frame.corrected.offsets[welded_.whole().welded(p, v)]);
      const Index stray = welded_.stray(p, v);
      if (stray == kNone || !welded_.strays()[stray].follows_others || offsets[v] == Vec3::Zero()) continue;
      offsets[v] = reach({&viewer.maps[p][v], 1}, {&viewer.rest[p].positions[v], 1}, {&viewer.wanted[p][v], 1})[0];
    }
  }
}

/// What linear weights make of the two frames around.
void HeldFrames::blend_offsets(double time, Viewer& viewer) const {
  const auto& frames = clips_.back().frames;
  const auto after = std::upper_bound(frames.begin(), frames.end(), time,
                                      [](double t, const HeldFrame& frame) { return t < frame.time; });
  const HeldFrame& before = *(after - 1);
  const double share = (time - before.time) / (after->time - before.time);
  for (std::size_t p = 0; p < viewer.maps.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    viewer.offsets[p] = expand(before.parts[p].offsets, viewer.maps[p].size());
    for (Vec3& offset : viewer.offsets[p]) offset *= 1 - share;
    const SparseOffsets& next = after->parts[p].offsets;
    for (std::size_t i = 0; i < next.vertices.size(); ++i) {
      viewer.offsets[p][next.vertices[i]] += share * next.values[i].cast<double>();
    }
  }
}

Vec3 HeldFrames::Viewer::place(std::size_t part, std::size_t vertex) const {
  if (maps[part].empty()) return wanted[part][vertex];
  const Mat34& map = maps[part][vertex];
  return map.leftCols<3>() * (rest[part].positions[vertex] + as_float(offsets[part][vertex])) + map.col(3);
}

BetweenError HeldFrames::between(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                                 Context& context) const {
  Viewer viewer = view(playback, frame, context);
  blend_offsets(frame.time, viewer);
  std::vector<Vec3> shown(welded_.surface().vertex_count());
  BetweenError error;
  for (std::size_t p = 0; p < viewer.wanted.size(); ++p) {
    for (std::size_t v = 0; v < viewer.wanted[p].size(); ++v) {
      const Vec3 seen = viewer.place(p, v);
      error.position = std::max(error.position, (seen - viewer.wanted[p][v]).norm());
      if (welded_.whole().leads(p, v)) shown[welded_.whole().welded(p, v)] = seen;
    }
  }
  if (viewer.size > 0) error.position /= viewer.size;
  for (std::size_t c = 0; c < frame.corrected.components.size(); ++c) {
    if (!welded_.has_volume(c)) continue;
    const double volume = volumes_[c].volume(shown);
    error.volume = std::max(error.volume, relative_volume_error(volume, frame.corrected.components[c].after));
  }
  if (playback.keeps_faces()) error.turned = turned_faces_.count_far_over(frame.posed, shown);
  return error;
}

/// Notes the vertices that offsets do not bring to their place, and lets the others make up for the volume that they
/// cost; but not those that are fixed (increasing).
void HeldFrames::restore_volumes(std::span<const double> volumes, std::span<const Index> fixed, Viewer& viewer,
                                 Moment& out) const {
  const WholeSurface& whole = welded_.whole();
  std::vector<Vec3> shown(welded_.surface().vertex_count());
  std::vector<double> mobility(shown.size(), 0.0);
  const double far = kFar * viewer.size;
  for (std::size_t p = 0; p < viewer.wanted.size(); ++p) {
    for (std::size_t v = 0; v < viewer.wanted[p].size(); ++v) {
      const Vec3 seen = viewer.place(p, v);
      const bool leads = whole.leads(p, v);
      if (leads) shown[whole.welded(p, v)] = seen;
      if (viewer.maps[p].empty()) continue;
      const double missing = (seen - viewer.wanted[p][v]).norm();
      if (missing > far) out.unreached.emplace_back(p, v);
      out.max_unreached = std::max(out.max_unreached, missing / viewer.size);
      if (leads && missing <= far) mobility[whole.welded(p, v)] = as_float(viewer.offsets[p][v]).norm();
    }
  }
  for (const Index v : fixed) mobility[v] = 0;
  const ResidualVolume found = residual_volume({welded_.surface(), volumes_, shown, volumes, mobility});
  if (found.displacements.empty()) return;
  for (std::size_t p = 0; p < viewer.wanted.size(); ++p) {
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      const Vec3& u = found.displacements[whole.welded(p, v)];
      if (u == Vec3::Zero()) continue;
      // These do reach their places: nothing is to be left of what brings the volume.
      const Vec3 offset = viewer.maps[p][v].leftCols<3>().inverse() * u;
      if (offset.allFinite()) viewer.offsets[p][v] += offset;
    }
  }
}

/// Of a vertex of the welded surface.
Vec3 HeldFrames::offset_of(const HeldFrame& frame, Index welded) const {
  const PartVertex first = welded_.whole().first_vertex(welded);
  const SparseOffsets& offsets = frame.parts[first.part].offsets;
  const auto at = std::lower_bound(offsets.vertices.begin(), offsets.vertices.end(), static_cast<Index>(first.vertex));
  if (at == offsets.vertices.end() || *at != static_cast<Index>(first.vertex)) return Vec3::Zero();
  return offsets.values[static_cast<std::size_t>(at - offsets.vertices.begin())].cast<double>();
}

std::size_t HeldFrames::mend(const CorrectedPlayback& playback, const Clip& clip, std::span<const double> moments,
                             Context& context) {
  if (moments.empty()) return 0;
  const FaceMender mender(welded_, {playback.deformer(), playback.medial().get()});
  auto& frames = clips_.back().frames;
  std::vector<OffsetChanges> changes;
  const auto offset = [&](std::size_t k, Index v) {
    const auto found = changes[k].find(v);
    return found == changes[k].end() ? offset_of(frames[k], v) : Vec3(offset_of(frames[k], v) + found->second);
  };
  FaceMender::Keys keys{clip, {}, offset};
  for (const HeldFrame& frame : frames) keys.times.push_back(frame.time);
  std::set<std::size_t> gaps;  // by the key before
  for (const double time : moments) {
    const auto next = std::upper_bound(keys.times.begin(), keys.times.end(), time);
    gaps.insert(static_cast<std::size_t>(next - keys.times.begin()) - 1);
  }
  std::size_t most = 0;
  for (int pass = 0; pass <= kMendPasses && !gaps.empty(); ++pass) {
    changes.assign(frames.size(), {});
    const auto turned = turned_between(mender, keys, {gaps.begin(), gaps.end()}, context);
    most = 0;
    for (const auto& [key, faces] : turned) most = std::max(most, faces.size());
    if (pass == kMendPasses) break;
    gaps.clear();
    for (const auto& [key, faces] : turned) {
      context.check_cancelled();
      for (const FaceMender::Change& change : mender.mend(keys, {key, key + 2}, faces)) {
        changes[change.key].try_emplace(change.vertex, Vec3::Zero()).first->second += change.offset;
      }
    }
    parallel_for(context, frames.size(), 1, [&](Range range) {
      for (std::size_t k = range.begin; k < range.end; ++k) {
        if (!changes[k].empty()) change(clip, changes[k], frames[k]);
      }
    });
    for (std::size_t k = 0; k < frames.size(); ++k) {
      if (changes[k].empty()) continue;
      if (k > 0) gaps.insert(k - 1);
      if (k + 1 < frames.size()) gaps.insert(k);
    }
  }
  return most;
}

/// Those of these gaps, each named by the key before it, in which a face is turned over half-way.
std::vector<std::pair<std::size_t, std::vector<FaceMender::Face>>> HeldFrames::turned_between(
    const FaceMender& mender, const FaceMender::Keys& keys, const std::vector<std::size_t>& gaps,
    Context& context) const {
  std::vector<std::vector<FaceMender::Face>> faces(gaps.size());
  parallel_for(context, gaps.size(), 1, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) faces[i] = mender.turned_between(keys, gaps[i]);
  });
  std::vector<std::pair<std::size_t, std::vector<FaceMender::Face>>> out;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (!faces[i].empty()) out.emplace_back(gaps[i], std::move(faces[i]));
  }
  return out;
}

/// Moves the corners of mended faces, with the vertices that were welded into them, and restores the volume.
void HeldFrames::change(const Clip& clip, const OffsetChanges& changes, HeldFrame& frame) const {
  const auto& parts = welded_.character().parts;
  const Pose pose = sample(clip, welded_.skeleton(), frame.time);
  PosedSkin posed;
  pose_skin(welded_, pose, Deformer::lbs, posed, Context(1));
  std::vector<Vec3> moved(welded_.surface().vertex_count(), Vec3::Zero());
  std::vector<Index> fixed;
  for (const auto& [v, offset] : changes) {
    moved[v] = posed.maps[v].leftCols<3>() * offset;
    fixed.push_back(v);
  }
  Viewer viewer;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    viewer.rest.push_back(morphed_part(parts[p], pose));
    viewer.maps.push_back(part_maps(welded_, posed, p));
    viewer.offsets.push_back(expand(frame.parts[p].offsets, viewer.maps[p].size()));
    auto& wanted = viewer.wanted.emplace_back();
    for (const Vec3f& x : frame.parts[p].positions) wanted.push_back(x.cast<double>());
  }
  viewer.size = diagonal_of(viewer.wanted);
  sharpen(viewer);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      const Vec3& u = moved[welded_.whole().welded(p, v)];
      if (u != Vec3::Zero()) viewer.offsets[p][v] += offset_for(viewer.maps[p][v], u);
    }
  }
  Moment unused;
  restore_volumes(frame.volumes, fixed, viewer, unused);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      const Index w = welded_.whole().welded(p, v);
      if (moved[w] != Vec3::Zero()) viewer.wanted[p][v] = viewer.place(p, v);
    }
  }
  std::vector<HeldPart> held = held_parts(viewer);
  keep_normals(moved, frame, held);
  frame.parts = std::move(held);
}

/// Places that a frame has in single precision, again as its offsets have them; but for those that offsets do not
/// reach.
void HeldFrames::sharpen(Viewer& viewer) {
  constexpr double kRounding = 2e-7;
  for (std::size_t p = 0; p < viewer.wanted.size(); ++p) {
    for (std::size_t v = 0; v < viewer.maps[p].size(); ++v) {
      Vec3& wanted = viewer.wanted[p][v];
      const Vec3 seen = viewer.place(p, v);
      if ((seen - wanted).norm() <= kFar * viewer.size + kRounding * wanted.norm()) wanted = seen;
    }
  }
}

/// Away from what has moved (#V), the normals that the frame had.
void HeldFrames::keep_normals(std::span<const Vec3> moved, const HeldFrame& frame, std::vector<HeldPart>& held) const {
  const Surface& surface = welded_.surface();
  std::vector<char> near(surface.vertex_count(), 0);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    if (std::all_of(face.begin(), face.end(), [&](Index v) { return moved[v] == Vec3::Zero(); })) continue;
    for (const Index v : face) near[v] = 1;
  }
  for (std::size_t p = 0; p < held.size(); ++p) {
    const std::size_t count = welded_.character().parts[p].surface.vertex_count();
    std::vector<Vec3> normals = expand(frame.parts[p].normals, count);
    const std::vector<Vec3> now = expand(held[p].normals, count);
    for (std::size_t v = 0; v < count; ++v) {
      if (near[welded_.whole().welded(p, v)] != 0) normals[v] = now[v];
    }
    held[p].normals = compress(normals);
  }
}

void HeldFrames::take(HeldMotion& motion) {
  motion.clips = std::move(clips_);
  motion.unreached_vertices = unreached_.size();
  motion.max_unreached = max_unreached_;
  ProblemCollector collector;
  for (const auto& [part, vertex] : unreached_) collector.add(welded_.whole().source(part, vertex));
  collector.report(
      motion.problems, Severity::warning, "bake-unreached",
      "{} vert{ex|ices} lie{s|}, at some time, where linear blend skinning flattens the skin (as a twist by 180 "
      "degrees does); no morph target brings {it to its|them to their} place, and the skin around keeps the volume");
}

}  // namespace isochor
