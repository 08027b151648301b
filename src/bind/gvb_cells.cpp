#include "bind/gvb_cells.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bind/grow_bones.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/base/words.h"
#include "isochor/bind/resolution.h"
#include "isochor/mesh/nearest_points.h"
#include "isochor/voxel/bone_voxels.h"

namespace isochor {
namespace {

using Codes = std::vector<std::uint32_t>;

/// The voxels of each handle that are not outside.
std::vector<Codes> handle_voxels(std::span<const Handle> handles, const VoxelSolid& solid) {
  std::vector<Codes> voxels(handles.size());
  for (std::size_t h = 0; h < handles.size(); ++h) {
    for (const HandleShape& shape : handles[h].shapes) {
      for (const std::uint32_t code : voxels_of(solid.grid, shape)) {
        if (solid.at(morton_decode(code)) != VoxelSolid::Kind::exterior) voxels[h].push_back(code);
      }
    }
    std::sort(voxels[h].begin(), voxels[h].end());
    voxels[h].erase(std::unique(voxels[h].begin(), voxels[h].end()), voxels[h].end());
  }
  return voxels;
}

struct Entry {
  std::uint32_t code = 0;
  double distance = std::numeric_limits<double>::infinity();  ///< in the surface's units
};

Vec3 voxel_centre(const VoxelGrid& grid, const Voxel& v) {
  return grid.to_world(Vec3(v[0], v[1], v[2]) + Vec3::Constant(0.5));
}

/// Nearest voxel of a brick that is not outside.
void enter_brick(const Handle& handle, const VoxelGrid& grid, const Brick& brick, Entry& best) {
  for (std::uint32_t i = 0; i < 512; ++i) {
    if ((((brick.boundary[i >> 6] | brick.interior[i >> 6]) >> (i & 63)) & 1) == 0) continue;
    const std::uint32_t code = brick.code << 9 | i;
    const double d = distance(handle, voxel_centre(grid, morton_decode(code)));
    if (d < best.distance) best = {code, d};
  }
}

/// Where a handle that lies outside enters the solid: the nearest voxel. The surface's bricks alone are asked, as
/// nothing inside is nearer; whole bricks first, then the voxels of those that may hold the nearest one.
Entry enter(const Handle& handle, const VoxelSolid& solid) {
  const double reach = 4 * std::sqrt(3.0) * solid.grid.voxel;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t b = 0; b < solid.bricks.size(); ++b) {
    const Voxel v = morton_decode(solid.bricks[b].code);
    const Vec3 centre = solid.grid.to_world(8.0 * Vec3(v[0], v[1], v[2]) + Vec3::Constant(4));
    order.emplace_back(distance(handle, centre) - reach, b);
  }
  std::sort(order.begin(), order.end());
  Entry best;
  for (const auto& [bound, b] : order) {
    if (bound > best.distance) break;
    enter_brick(handle, solid.grid, solid.bricks[b], best);
  }
  return best;
}

/// Seeds of all handles (Dionne 2014, algorithm 3, lines 6 to 9); those outside enter at their Euclidean distance.
struct Entries {
  std::vector<Codes> voxels;  ///< by handle, where inside
  std::vector<Entry> entry;   ///< by handle, where outside
  std::vector<Index> outside;
};

Entries find_entries(std::span<const Handle> handles, const VoxelSolid& solid, Context& context) {
  Entries entries{handle_voxels(handles, solid), std::vector<Entry>(handles.size()), {}};
  for (std::size_t h = 0; h < handles.size(); ++h) {
    if (entries.voxels[h].empty()) entries.outside.push_back(static_cast<Index>(h));
  }
  parallel_for(context, entries.outside.size(), 1, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      entries.entry[entries.outside[i]] = enter(handles[entries.outside[i]], solid);
    }
  });
  return entries;
}

std::vector<GeodesicSeed> seeds_of(const Entries& entries, const Octree& octree) {
  std::vector<GeodesicSeed> seeds;
  for (std::size_t h = 0; h < entries.voxels.size(); ++h) {
    const auto source = static_cast<Index>(h);
    for (const std::uint32_t code : entries.voxels[h]) seeds.push_back({source, octree.find(code), 0});
    if (entries.voxels[h].empty()) {
      const double start = std::min(entries.entry[h].distance / octree.grid().voxel, kFarthestSeed);
      seeds.push_back({source, octree.find(entries.entry[h].code), start});
    }
  }
  return seeds;
}

/// Cells that no bone reached take the distances of the nearest reached surface, across the gap.
std::vector<GeodesicSeed> seeds_across_gaps(const std::vector<std::vector<Index>>& shells, const Octree& octree,
                                            const NearestSources& nearest, Context& context) {
  std::vector<Vec3> centres;
  std::vector<Index> cell_of;
  for (std::size_t c = 0; c < octree.size(); ++c) {
    const auto cell = static_cast<Index>(c);
    if (octree.cell(cell).kind != CellKind::boundary || !nearest.reached(cell)) continue;
    centres.push_back(octree.centre(cell));
    cell_of.push_back(cell);
  }
  const NearestPoints reached(std::move(centres));
  std::vector<GeodesicSeed> seeds;
  if (reached.empty()) return seeds;
  std::vector<Index> lost;
  for (const auto& shell : shells) {
    for (const Index cell : shell) {
      if (octree.cell(cell).kind == CellKind::boundary) lost.push_back(cell);
    }
  }
  std::vector<Index> from(lost.size());
  parallel_for(context, lost.size(), 256, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) from[i] = cell_of[reached.find(octree.centre(lost[i]))];
  });
  for (std::size_t i = 0; i < lost.size(); ++i) {
    const double gap = (octree.centre(lost[i]) - octree.centre(from[i])).norm();
    for (const GeodesicLabel& label : nearest.of(from[i])) {
      if (label.reached()) seeds.push_back({label.source(), lost[i], std::min(label.distance() + gap, kFarthestSeed)});
    }
  }
  return seeds;
}

void report_outside(std::span<const Index> outside, GvbEvidence& evidence) {
  ProblemCollector collector;
  for (const Index h : outside) collector.add(h);
  collector.report(evidence.problems, Severity::warning, "bone-outside",
                   "{} bone{|s} {does|do} not lie inside the mesh and {was|were} taken in through its nearest voxel");
  evidence.outside_handles = outside.size();
}

}  // namespace

std::string far_joints(const Surface& surface, std::span<const Handle> handles) {
  constexpr double kTooFar = 50;  // times the size of the mesh
  const Box box = bounding_box(surface.positions);
  const double size = box.diagonal().norm();
  double nearest = std::numeric_limits<double>::infinity();
  for (const Handle& handle : handles) nearest = std::min(nearest, distance(handle, box.center()));
  if (!(size > 0) || nearest <= kTooFar * size) return {};
  return "the joints lie " + short_number(nearest / size, 2) +
         " times the mesh's size away from it: they are not this mesh's, or in other units";
}

void check_gvb_input(const Surface& surface, std::span<const Handle> handles, const GvbOptions& options) {
  check_ranges(options);
  if (options.resolution != 0 &&
      (options.resolution < 8 || !std::has_single_bit(static_cast<unsigned>(options.resolution)))) {
    throw_bad_input("the resolution must be a power of two between 8 and 1024, or 0 for auto");
  }
  if (surface.positions.empty()) throw_bad_input("there is no vertex to bind");
  if (handles.empty()) throw_bad_input("there is no joint to bind to");
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    if (!surface.positions[v].allFinite()) {
      throw_bad_input("vertex " + std::to_string(v) + " has a position that is not a number", static_cast<Index>(v));
    }
  }
  for (const Handle& handle : handles) {
    if (handle.shapes.empty()) {
      throw_bad_input("joint " + std::to_string(handle.joint) + " has no shape to measure from", handle.joint);
    }
    for (const HandleShape& shape : handle.shapes) {
      if (!shape.a.allFinite() || !shape.b.allFinite() || !shape.half_axes.allFinite()) {
        throw_bad_input("joint " + std::to_string(handle.joint) + " has a position that is not a number", handle.joint);
      }
    }
  }
  if (const std::string far = far_joints(surface, handles); !far.empty()) throw_bad_input(far);
}

void find_resolution(const Surface& surface, std::span<const Handle> handles, const GvbOptions& options,
                     GvbEvidence& evidence, Context& context) {
  if (options.resolution != 0) {
    evidence.resolution = static_cast<Index>(options.resolution);
    evidence.resolution_reason = "as asked";
    return;
  }
  const StageTimer timer(context, "voxelize");
  ResolutionChoice choice = choose_resolution(surface, handles, context);
  evidence.resolution = choice.resolution;
  evidence.resolution_reason = std::move(choice.reason);
  if (choice.too_fine) {
    evidence.problems.push_back({Severity::warning, "limbs-not-kept-apart", evidence.resolution_reason, {}, 0});
  }
}

GvbCells measure_cells(const GvbTask& task, std::vector<Handle>& handles, GvbEvidence& evidence, Context& context) {
  GvbCells cells;
  Entries entries;
  std::size_t solid_bytes = 0;
  {
    Voxelization voxels;
    {
      const StageTimer timer(context, "voxelize");
      context.progress("voxelize", 0);
      voxels = voxelize(task.surface, task.grid, {}, context);
      grow_bones(voxel_space(voxels.solid), handles, evidence.rules);
      entries = find_entries(handles, voxels.solid, context);
    }
    const StageTimer timer(context, "sparsify");
    context.progress("sparsify", 0);
    evidence.uniform_voxels = voxels.solid.boundary_count() + voxels.solid.interior_count();
    if (voxels.solid.interior_count() == 0) {
      evidence.problems.push_back(
          {Severity::note, "nothing-inside", "the mesh encloses no voxel, so distances run along its surface", {}, 0});
    }
    evidence.problems.insert(evidence.problems.end(), voxels.problems.begin(), voxels.problems.end());
    Codes bone_voxels;
    for (const Codes& codes : entries.voxels) bone_voxels.insert(bone_voxels.end(), codes.begin(), codes.end());
    cells.octree =
        build_octree(voxels.solid, bone_voxels, task.options.uniform ? CellSizes::uniform : CellSizes::sparse, context);
    solid_bytes = std::max(voxels.evidence.peak_bytes, voxels.solid.memory());
    if (task.solid != nullptr) *task.solid = std::move(voxels.solid);
  }
  report_outside(entries.outside, evidence);
  evidence.sparse_voxels = cells.octree.size();

  const StageTimer timer(context, "distance");
  context.progress("distance", 0);
  const GeodesicSweep sweep(cells.octree, {.penalty = task.options.penalty}, context);
  cells.nearest =
      sweep.nearest(seeds_of(entries, cells.octree), std::min(task.k, static_cast<Index>(handles.size())), context);
  const auto shells = sweep.unreached(cells.nearest);
  if (!shells.empty()) {
    sweep.extend(cells.nearest, seeds_across_gaps(shells, cells.octree, cells.nearest, context), context);
    for (const auto& shell : shells) cells.across_gap.insert(cells.across_gap.end(), shell.begin(), shell.end());
    std::sort(cells.across_gap.begin(), cells.across_gap.end());
    evidence.problems.push_back({Severity::warning,
                                 "shell-not-reached",
                                 std::to_string(shells.size()) +
                                     " pieces of the mesh hold no bone and touch none that does; they take their "
                                     "distances across the gap from the nearest piece",
                                 {},
                                 static_cast<std::int64_t>(shells.size())});
  }
  evidence.memory = std::max(solid_bytes, cells.octree.memory() + sweep.memory() + cells.nearest.memory());
  return cells;
}

}  // namespace isochor
