#include "baker.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "isochor/bake/residual_volume.h"
#include "isochor/bake/rest_offsets.h"
#include "isochor/mesh/volume.h"

namespace isochor::cli {
namespace {

std::vector<std::span<const Vec3>> positions_of(std::span<const PosedPart> parts) {
  std::vector<std::span<const Vec3>> out;
  for (const PosedPart& part : parts) out.emplace_back(part.positions);
  return out;
}

double diagonal_of(std::span<const PosedPart> parts) {
  Box box;
  for (const PosedPart& part : parts) {
    for (const Vec3& p : part.positions) box.extend(p);
  }
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

}  // namespace

Baker::Baker(const Playback& playback, BakeMode mode, const MorphBasisOptions& basis)
    : playback_(playback), mode_(mode), basis_(basis), normals_(playback.character(), playback.whole()) {}

void Baker::begin_clip(Index clip) { clips_.push_back({clip, {}, {}, {}}); }

void Baker::add(const BakeFrame& frame, const Context& context) {
  ClipFrames& clip = clips_.back();
  const auto at = std::upper_bound(clip.times.begin(), clip.times.end(), frame.time) - clip.times.begin();
  clip.times.insert(clip.times.begin() + at, frame.time);
  clip.references.insert(clip.references.begin() + at, reference_of(frame));
  if (!is_cache(mode_)) clip.parts.insert(clip.parts.begin() + at, offsets_of(frame, context));
}

BakeReference Baker::reference_of(const BakeFrame& frame) const {
  BakeReference reference{clips_.back().clip, frame.time, {}, {frame.volumes.begin(), frame.volumes.end()}};
  for (const PosedPart& part : frame.parts) {
    auto& positions = reference.positions.emplace_back();
    positions.reserve(part.positions.size());
    for (const Vec3& p : part.positions) positions.push_back(p.cast<float>());
  }
  return reference;
}

std::vector<Baker::PartFrame> Baker::offsets_of(const BakeFrame& frame, const Context& context) {
  Viewer viewer = viewer_at(*frame.pose, context);
  find_offsets(frame, viewer);
  restore_volumes(frame, viewer);
  const auto turns = normals_.turns(positions_of(viewer.rest), positions_of(frame.parts));
  std::vector<PartFrame> parts(viewer.rest.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    parts[p].positions = compress(viewer.offsets[p]);
    parts[p].normals =
        compress(normal_offsets({.maps = viewer.maps[p], .rest_normals = viewer.rest[p].normals, .turns = turns[p]}));
  }
  return parts;
}

Baker::Viewer Baker::viewer_at(const Pose& pose, const Context& context) const {
  const Character& character = playback_.character();
  const auto global = global_transforms(character.skeleton, pose);
  Viewer viewer;
  viewer.maps.resize(character.parts.size());
  viewer.offsets.resize(character.parts.size());
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    const PosedPart& rest = viewer.rest.emplace_back(morphed_part(part, pose));
    if (!part.skinned()) continue;
    viewer.maps[p].resize(rest.positions.size());
    vertex_maps(Deformer::lbs, {rest.positions, part.weights}, skin_matrices(part.skin, global), viewer.maps[p],
                context);
  }
  return viewer;
}

void Baker::find_offsets(const BakeFrame& frame, Viewer& viewer) const {
  for (std::size_t p = 0; p < viewer.maps.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    viewer.offsets[p] =
        !frame.offsets.empty()
            ? frame.offsets[p]
            : rest_offsets(
                  {.maps = viewer.maps[p], .rest = viewer.rest[p].positions, .target = frame.parts[p].positions})
                  .positions;
  }
}

/// What linear weights make of the two frames around.
void Baker::blend_offsets(double time, Viewer& viewer) const {
  const ClipFrames& clip = clips_.back();
  const auto after =
      static_cast<std::size_t>(std::upper_bound(clip.times.begin(), clip.times.end(), time) - clip.times.begin());
  const double share = (time - clip.times[after - 1]) / (clip.times[after] - clip.times[after - 1]);
  for (std::size_t p = 0; p < viewer.maps.size(); ++p) {
    if (viewer.maps[p].empty()) continue;
    viewer.offsets[p] = expand(clip.parts[after - 1][p].positions, viewer.maps[p].size());
    for (Vec3& offset : viewer.offsets[p]) offset *= 1 - share;
    const SparseOffsets& next = clip.parts[after][p].positions;
    for (std::size_t i = 0; i < next.vertices.size(); ++i) {
      viewer.offsets[p][next.vertices[i]] += share * next.values[i].cast<double>();
    }
  }
}

/// Where a viewer puts a vertex of a skinned part.
Vec3 Baker::place(const Viewer& viewer, std::size_t part, std::size_t vertex) const {
  const Mat34& map = viewer.maps[part][vertex];
  const Vec3 offset = viewer.offsets[part][vertex].cast<float>().cast<double>();
  return map.leftCols<3>() * (viewer.rest[part].positions[vertex] + offset) + map.col(3);
}

BetweenError Baker::between(const BakeFrame& frame, const Context& context) const {
  Viewer viewer = viewer_at(*frame.pose, context);
  blend_offsets(frame.time, viewer);
  const WholeSurface& whole = playback_.whole();
  std::vector<Vec3> shown(playback_.surface().vertex_count());
  BetweenError error;
  for (std::size_t p = 0; p < viewer.rest.size(); ++p) {
    for (std::size_t v = 0; v < viewer.rest[p].positions.size(); ++v) {
      const Index source = whole.part_begin[p] + static_cast<Index>(v), welded = whole.weld.vertex[source];
      const Vec3& right = frame.parts[p].positions[v];
      const Vec3 seen = viewer.maps[p].empty() ? right : place(viewer, p, v);
      error.position = std::max(error.position, (seen - right).norm());
      if (whole.weld.first_source[welded] == source) shown[welded] = seen;
    }
  }
  const double diagonal = diagonal_of(frame.parts);
  if (diagonal > 0) error.position /= diagonal;
  for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
    if (!playback_.has_volume(c)) continue;
    const double volume = signed_volume(playback_.surface(), playback_.topology().components[c], shown);
    error.volume = std::max(error.volume, relative_volume_error(volume, frame.volumes[c]));
  }
  return error;
}

void Baker::note(const BetweenKeys& keys) {
  if (!between_) between_.emplace();
  between_->added.insert(between_->added.end(), keys.added.begin(), keys.added.end());
  between_->gaps_beyond += keys.gaps_beyond;
  between_->max_error.volume = std::max(between_->max_error.volume, keys.max_error.volume);
  between_->max_error.position = std::max(between_->max_error.position, keys.max_error.position);
}

std::vector<double> Baker::wanted_volumes(std::span<const double> volumes) const {
  std::vector<double> wanted(volumes.begin(), volumes.end());
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    if (!playback_.has_volume(c)) wanted[c] = 0;
  }
  return wanted;
}

/// Notes the vertices that offsets do not bring to their place, and lets the others make up for the volume that they
/// cost.
void Baker::restore_volumes(const BakeFrame& frame, Viewer& viewer) {
  constexpr double kFar = 1e-5;
  const WholeSurface& whole = playback_.whole();
  std::vector<Vec3> shown(playback_.surface().vertex_count());
  std::vector<double> mobility(shown.size(), 0.0);
  const double diagonal = diagonal_of(frame.parts), far = kFar * diagonal;
  for (std::size_t p = 0; p < viewer.rest.size(); ++p) {
    for (std::size_t v = 0; v < viewer.rest[p].positions.size(); ++v) {
      const Index source = whole.part_begin[p] + static_cast<Index>(v), welded = whole.weld.vertex[source];
      Vec3 seen = frame.parts[p].positions[v];
      if (!viewer.maps[p].empty()) {
        seen = place(viewer, p, v);
        const double missing = (seen - frame.parts[p].positions[v]).norm();
        if (missing > far) unreached_.emplace(p, static_cast<Index>(v));
        max_unreached_ = std::max(max_unreached_, missing / diagonal);
        if (whole.weld.first_source[welded] == source && missing <= far) {
          mobility[welded] = viewer.offsets[p][v].cast<float>().cast<double>().norm();
        }
      }
      if (whole.weld.first_source[welded] == source) shown[welded] = seen;
    }
  }
  const std::vector<double> wanted = wanted_volumes(frame.volumes);
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

}  // namespace isochor::cli
