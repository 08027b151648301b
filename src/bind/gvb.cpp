#include "isochor/bind/gvb.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bind/affinity.h"
#include "bind/gvb_cells.h"
#include "bind/gvb_rows.h"
#include "isochor/base/error.h"
#include "isochor/base/words.h"
#include "mesh/outward.h"

namespace isochor {
namespace {

/// Slots beyond the influences: a handle that leaves the nearest ones should have little left to lose.
constexpr std::size_t kSpareSlots = 2;
constexpr int kMaxNearest = 64;

}  // namespace

struct GvbBinding::Impl {
  GvbOptions options;
  std::vector<Handle> handles;
  GvbEvidence evidence;
  GvbCells cells;
  VertexSlots slots;
  std::vector<Vec3> positions;
  int influences = 4;

  void read_vertices(const Surface& surface, Context& context);
  void report_vertices(const Surface& surface, std::size_t strays);
};

void GvbBinding::Impl::read_vertices(const Surface& surface, Context& context) {
  const StageTimer timer(context, "weights");
  context.progress("weights", 0);
  const auto wanted = static_cast<std::size_t>(std::max(influences, static_cast<int>(cells.nearest.k)));
  std::size_t strays = 0;
  const double facing = options.facing;
  const std::vector<Vec3> normals =
      facing > 0 ? mean_normals(surface.positions, outward_triangles(surface)) : std::vector<Vec3>();
  slots = sample_slots({.cells = cells,
                        .handles = handles,
                        .sampling = options.sampling,
                        .slots = options.sampling == GvbSampling::containing ? wanted : wanted + kSpareSlots,
                        .facing = facing,
                        .normals = normals},
                       surface.positions, strays, context);
  find_affinities(slots);
  if (options.smoothing > 0) {
    diffuse_affinities({.surface = surface, .grid = cells.octree.grid(), .length = options.smoothing}, slots, context);
  }
  sort_slots(slots, context);
  positions = surface.positions;
  report_vertices(surface, strays);
}

void GvbBinding::Impl::report_vertices(const Surface& surface, std::size_t strays) {
  evidence.vertices = surface.vertex_count();
  evidence.bound = 0;
  for (std::size_t v = 0; v < slots.vertex_count(); ++v) {
    if (slots.handle[v * slots.stride] != kNone) ++evidence.bound;
  }
  ProblemCollector gap, faceless;
  std::vector<char> in_face(surface.vertex_count(), 0);
  for (const Index v : surface.corners) in_face[v] = 1;
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (in_face[v] == 0) faceless.add(static_cast<Index>(v));
    const Index cell =
        cells.across_gap.empty() ? kNone : cells.octree.find(cells.octree.grid().at(surface.positions[v]));
    if (cell != kNone && std::binary_search(cells.across_gap.begin(), cells.across_gap.end(), cell)) {
      gap.add(static_cast<Index>(v));
    }
  }
  evidence.across_gap = static_cast<std::size_t>(gap.count());
  std::erase_if(evidence.problems, [](const Problem& p) {
    return p.code == "vertices-across-gap" || p.code == "vertices-without-faces" || p.code == "vertices-moved-out";
  });
  gap.report(evidence.problems, Severity::warning, "vertices-across-gap",
             "{} vert{ex|ices} took {its|their} distances across a gap");
  faceless.report(evidence.problems, Severity::note, "vertices-without-faces", "{} vert{ex|ices} {is|are} in no face");
  if (strays > 0) {
    evidence.problems.push_back({Severity::note,
                                 "vertices-moved-out",
                                 std::to_string(strays) + " vertices lie outside the voxels and read the nearest one",
                                 {},
                                 static_cast<std::int64_t>(strays)});
  }
}

GvbBinding::GvbBinding(const Surface& surface, std::vector<Handle> handles, const GvbOptions& options, Context& context,
                       int influences)
    : impl_(std::make_unique<Impl>()) {
  check_gvb_input(surface, handles, options);
  impl_->options = options;
  impl_->handles = std::move(handles);
  impl_->influences = influences;
  GvbEvidence& evidence = impl_->evidence;
  find_resolution(surface, impl_->handles, options, evidence, context);
  // The grid fits the mesh alone: bones outside it enter by their distance, and a stray control bone costs no detail.
  const VoxelGrid grid = fit_grid(bounding_box(surface.positions), evidence.resolution);
  const int k = std::clamp(options.nearest > 0 ? options.nearest : influences, 1, kMaxNearest);
  impl_->cells = measure_cells({.surface = surface,
                                .grid = grid,
                                .options = options,
                                .k = static_cast<Index>(std::min<std::size_t>(k, impl_->handles.size()))},
                               impl_->handles, evidence, context);
  impl_->read_vertices(surface, context);
}

GvbBinding::~GvbBinding() = default;
GvbBinding::GvbBinding(GvbBinding&&) noexcept = default;
GvbBinding& GvbBinding::operator=(GvbBinding&&) noexcept = default;

SkinWeights GvbBinding::weights(const GvbWeighting& weighting, const Context& context) const {
  return weight_rows({.slots = impl_->slots,
                      .handles = impl_->handles,
                      .positions = impl_->positions,
                      .voxel = impl_->cells.octree.grid().voxel,
                      .fade = impl_->options.sampling == GvbSampling::smooth &&
                              impl_->handles.size() > static_cast<std::size_t>(weighting.limits.influences),
                      .known = static_cast<std::size_t>(impl_->cells.nearest.k)},
                     weighting, context);
}

void GvbBinding::resample(const Surface& surface, Context& context) {
  check_gvb_input(surface, impl_->handles, impl_->options);
  impl_->read_vertices(surface, context);
}

const std::vector<Handle>& GvbBinding::handles() const { return impl_->handles; }
const GvbEvidence& GvbBinding::evidence() const { return impl_->evidence; }

std::vector<GvbBinding::Distance> GvbBinding::distances(std::size_t vertex) const {
  const VertexSlots& slots = impl_->slots;
  std::vector<Distance> result;
  for (std::size_t i = vertex * slots.stride; i < (vertex + 1) * slots.stride && slots.handle[i] != kNone; ++i) {
    result.push_back({slots.handle[i], slots.distance[i] * impl_->cells.octree.grid().voxel});
  }
  std::sort(result.begin(), result.end(), [](const Distance& a, const Distance& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.handle < b.handle;
  });
  return result;
}

double GvbBinding::distance_at(const Vec3& p, Index handle) const {
  const Octree& octree = impl_->cells.octree;
  const Vec3 g = octree.grid().to_grid(p);
  if (g.minCoeff() < 0 || g.maxCoeff() >= octree.grid().resolution) return std::numeric_limits<double>::infinity();
  const Index cell = octree.find(octree.grid().at(p));
  if (cell != kNone) {
    for (const GeodesicLabel& label : impl_->cells.nearest.of(cell)) {
      if (label.reached() && label.source() == handle) return label.distance() * octree.grid().voxel;
    }
  }
  return std::numeric_limits<double>::infinity();
}

std::vector<double> pose_falloff(const Skeleton& skeleton, const Pose& pose, std::span<const Handle> handles,
                                 const PoseFalloff& options) {
  if (pose.local.size() != skeleton.size()) throw_bad_input("the pose is not one of this skeleton");
  if (!(options.angle > 0)) throw_bad_input("the angle of a falloff that follows the pose must be above 0");
  std::vector<double> falloff(handles.size(), options.straight);
  for (std::size_t h = 0; h < handles.size(); ++h) {
    const Index j = handles[h].joint;
    if (j < 0 || static_cast<std::size_t>(j) >= skeleton.size()) continue;
    const double bend = skeleton.joints[j].rest.rotation.angularDistance(pose.local[j].rotation);
    const double t = std::clamp(bend / options.angle, 0.0, 1.0);
    falloff[h] = (1 - t) * options.straight + t * options.bent;
  }
  return falloff;
}

}  // namespace isochor
