#include "isochor/bind/medial_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bind/gvb_cells.h"
#include "bind/row_sum.h"
#include "isochor/base/math.h"
#include "isochor/base/parallel.h"
#include "isochor/medial/convolution.h"

namespace isochor {
namespace {

constexpr int kFinestMedial = 256;
/// Bones whose distances each cell keeps, so many may move one vertex of the medial.
constexpr Index kBonesInReach = 8;
/// A bone is near through the inside if the way to it is not this many times longer, as compared with the straight
/// line, than that to the nearest bone, give or take some voxels. Beyond, it fades until the way is half as long again.
constexpr double kDetour = 1.6;
constexpr double kDetourVoxels = 3;
constexpr double kDetourFade = 0.5;
/// Filters about the medial reach at least this far beyond the ends of its edges, so that thin sheets have no gaps.
constexpr double kReachPerEdge = 1.5;
/// Filters of bones reach twice as far as the nearest bone lies, and this share of their own length: the radius of
/// cloth or of a wing says nothing about how far it bends.
constexpr double kReachPerDistance = 2;
constexpr double kReachPerLength = 0.3;
/// A bone counts as at least so long, relative to the reach: about what the end of a long bone gives. Below the second
/// number its own length is lost in rounding.
constexpr double kLeastLength = 0.5;
constexpr double kPointLength = 1e-9;
/// A vertex that no filter reaches reads the field on its way to the nearest ball, this far out in its filter.
constexpr double kReadBeyond = 0.75;

std::vector<std::vector<Index>> complex_neighbours(const MedialComplex& complex) {
  std::vector<std::vector<Index>> neighbours(complex.vertex_count());
  const auto join = [&](Index a, Index b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  };
  for (const auto& s : complex.segments) join(s[0], s[1]);
  for (const auto& t : complex.triangles) {
    join(t[0], t[1]);
    join(t[0], t[2]);
    join(t[1], t[2]);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

std::vector<double> filter_reach(const MedialComplex& complex, const std::vector<std::vector<Index>>& neighbours,
                                 double width) {
  std::vector<double> reach(complex.vertex_count());
  for (std::size_t m = 0; m < reach.size(); ++m) {
    reach[m] = width * complex.radii[m];
    for (const Index n : neighbours[m]) {
      reach[m] = std::max(reach[m], kReachPerEdge * (complex.positions[n] - complex.positions[m]).norm());
    }
  }
  return reach;
}

// From the bones to the medial.

struct LimbInReach {
  Index handle;
  double distance;  ///< by a straight line
  double near;      ///< from 0 to 1: through the inside, too
};

LimbInReach nearest_limb(std::span<const Handle> handles, const Vec3& m) {
  LimbInReach nearest{0, distance(handles[0], m), 1};
  for (std::size_t h = 1; h < handles.size(); ++h) {
    const double d = distance(handles[h], m);
    if (d < nearest.distance) nearest = {static_cast<Index>(h), d, 1};
  }
  return nearest;
}

/// The bones that are near through the inside, by increasing way; the nearest by a straight line if none is.
std::vector<LimbInReach> limbs_in_reach(const GvbCells& cells, std::span<const Handle> handles, const Vec3& m) {
  const VoxelGrid& grid = cells.octree.grid();
  const Index cell = cells.octree.find(grid.at(m));
  std::vector<LimbInReach> limbs;
  double detour = 1;
  for (const GeodesicLabel& label : cell == kNone ? std::span<const GeodesicLabel>() : cells.nearest.of(cell)) {
    if (!label.reached()) break;
    const double line = distance(handles[label.source()], m) / grid.voxel;
    if (limbs.empty()) detour = std::max(1.0, (label.distance() + 1) / (line + 1));
    const double easy = kDetour * detour * line + kDetourVoxels;
    const double over = std::clamp((label.distance() - easy) / (kDetourFade * easy), 0.0, 1.0);
    const double near = limbs.empty() ? 1 : 1 - smooth_step(0, 1, over);
    if (near > 0) limbs.push_back({label.source(), line * grid.voxel, near});
  }
  if (limbs.empty()) limbs.push_back(nearest_limb(handles, m));
  return limbs;
}

/// Points and short segments are given what they lack of kLeastLength at the point that is nearest, so that nothing
/// jumps where a bone becomes a point.
double convolve_shape(const HandleShape& shape, double reach, const Vec3& m) {
  const bool volume = shape.kind == HandleShape::Kind::ellipsoid || shape.kind == HandleShape::Kind::box;
  const double length = (shape.b - shape.a).norm() / reach;
  const double missing = volume ? 1 : std::max(0.0, kLeastLength - length);
  double field = missing > 0 ? missing * convolve_point({nearest_point(shape, m), reach}, m) : 0;
  if (!volume && length > kPointLength) {
    const auto shares = convolve_segment({shape.a, reach}, {shape.b, reach}, m);
    field += shares[0] + shares[1];
  }
  return field;
}

double longest_shape(const Handle& handle) {
  double longest = 0;
  for (const HandleShape& shape : handle.shapes) longest = std::max(longest, (shape.b - shape.a).norm());
  return longest;
}

/// The bones' weights of a vertex of the medial. Returns whether its filter had to be widened.
bool weigh_limbs(const GvbCells& cells, std::span<const Handle> handles, const Vec3& m, double reach,
                 std::vector<Influence>& row) {
  row.clear();
  const auto limbs = limbs_in_reach(cells, handles, m);
  const auto nearest = std::min_element(
      limbs.begin(), limbs.end(), [](const LimbInReach& a, const LimbInReach& b) { return a.distance < b.distance; });
  double sum = 0;
  for (const LimbInReach& limb : limbs) {
    const double wide =
        std::max({reach, kReachPerDistance * nearest->distance, kReachPerLength * longest_shape(handles[limb.handle])});
    double field = 0;
    for (const HandleShape& shape : handles[limb.handle].shapes) {
      field += convolve_shape(shape, wide, m);
    }
    field *= limb.near;
    if (!(field > 0)) continue;
    row.push_back({limb.handle, field});
    sum += field;
  }
  if (!(sum > 0)) {
    row = {{nearest->handle, 1.0}};
    return true;
  }
  for (Influence& i : row) i.weight /= sum;
  return reach < nearest->distance;
}

void bind_complex(const GvbCells& cells, double width, MedialBinding& binding, const Context& context) {
  const std::size_t count = binding.complex.vertex_count();
  std::vector<std::vector<Influence>> rows(count);
  std::vector<char> widened(count, 0);
  parallel_for(context, count, 64, [&](Range range) {
    for (std::size_t m = range.begin; m < range.end; ++m) {
      widened[m] =
          weigh_limbs(cells, binding.handles, binding.complex.positions[m], width * binding.complex.radii[m], rows[m])
              ? 1
              : 0;
    }
  });
  for (const auto& row : rows) binding.medial.add_row(row);
  binding.widened = static_cast<std::size_t>(std::count(widened.begin(), widened.end(), 1));
}

// From the medial to the skin.

/// Keeps those of the row that hang together, by edges of the complex, with the one whose ball is nearest.
class ConnectedPart {
 public:
  ConnectedPart(const MedialComplex& complex, const std::vector<std::vector<Index>>& neighbours)
      : complex_(complex), neighbours_(neighbours), state_(complex.vertex_count(), 0) {}

  void keep(const Vec3& q, std::vector<Influence>& row) {
    double nearest = std::numeric_limits<double>::infinity();
    Index home = kNone;
    for (const Influence& i : row) {
      state_[i.joint] = 1;
      const double d = (q - complex_.positions[i.joint]).norm() - complex_.radii[i.joint];
      if (d < nearest) {
        nearest = d;
        home = i.joint;
      }
    }
    queue_.assign(1, home);
    state_[home] = 2;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      for (const Index n : neighbours_[queue_[k]]) {
        if (state_[n] != 1) continue;
        state_[n] = 2;
        queue_.push_back(n);
      }
    }
    const auto leaves = [&](const Influence& i) { return state_[i.joint] != 2; };
    touched_.clear();
    for (const Influence& i : row) touched_.push_back(i.joint);
    std::erase_if(row, leaves);
    for (const Index m : touched_) state_[m] = 0;
  }

 private:
  const MedialComplex& complex_;
  const std::vector<std::vector<Index>>& neighbours_;
  std::vector<char> state_;  // #M: 1 in the row, 2 connected
  std::vector<Index> queue_, touched_;
};

Index nearest_ball(const MedialComplex& complex, const Vec3& q) {
  double nearest = std::numeric_limits<double>::infinity();
  Index found = 0;
  for (std::size_t m = 0; m < complex.vertex_count(); ++m) {
    const double d = (q - complex.positions[m]).norm() - complex.radii[m];
    if (d >= nearest) continue;
    nearest = d;
    found = static_cast<Index>(m);
  }
  return found;
}

/// Returns whether a filter reaches the vertex.
bool weigh_medial(const MedialField& field, const MedialComplex& complex, const Vec3& q, ConnectedPart& part,
                  std::vector<Influence>& row) {
  field.at(q, row);
  const bool reached = !row.empty();
  if (!reached) {
    const Index m = nearest_ball(complex, q);
    const Vec3 way = q - complex.positions[m];
    field.at(complex.positions[m] + kReadBeyond * field.reach()[m] / way.norm() * way, row);
    if (row.empty()) row = {{m, 1.0}};
  }
  part.keep(q, row);
  double sum = 0;
  for (const Influence& i : row) sum += i.weight;
  for (Influence& i : row) i.weight /= sum;
  return reached;
}

void bind_skin(const Surface& surface, double width, MedialBinding& binding, const Context& context) {
  const auto neighbours = complex_neighbours(binding.complex);
  const MedialField field(binding.complex, filter_reach(binding.complex, neighbours, width));
  const std::size_t count = surface.vertex_count();
  std::vector<std::vector<Influence>> rows(count);
  std::vector<char> beyond(count, 0);
  parallel_for(context, count, 64, [&](Range range) {
    ConnectedPart part(binding.complex, neighbours);
    std::vector<Influence> row;
    for (std::size_t v = range.begin; v < range.end; ++v) {
      beyond[v] = weigh_medial(field, binding.complex, surface.positions[v], part, row) ? 0 : 1;
      rows[v] = row;
    }
  });
  ProblemCollector lost;
  for (std::size_t v = 0; v < count; ++v) {
    binding.skin.add_row(rows[v]);
    if (beyond[v] != 0) lost.add(static_cast<Index>(v));
  }
  binding.beyond = static_cast<std::size_t>(lost.count());
  lost.report(binding.problems, Severity::note, "vertices-beyond-medial",
              "{} vert{ex|ices} {is|are} in reach of no filter about the medial and follow{s|} what is nearest");
}

}  // namespace

MedialBinding bind_by_medial(const Surface& surface, std::vector<Handle> handles, const GvbOptions& voxels,
                             const MedialWeightOptions& options, Context& context) {
  check_gvb_input(surface, handles, voxels);
  check_ranges(options);
  MedialBinding binding;
  binding.handles = std::move(handles);
  GvbEvidence& evidence = binding.evidence;
  find_resolution(surface, binding.handles, voxels, evidence, context);
  const bool asked = voxels.resolution > kFinestMedial;
  if (evidence.resolution > kFinestMedial) {
    evidence.resolution = kFinestMedial;
    evidence.resolution_reason = "the medial is found with at most 256 voxels";
    if (asked)
      binding.problems.push_back({Severity::warning,
                                  "medial-resolution",
                                  "the medial is found with at most 256 voxels along each side, so 256 were taken",
                                  {},
                                  0});
  }
  VoxelSolid solid;
  const GvbCells cells = measure_cells({.surface = surface,
                                        .grid = fit_grid(bounding_box(surface.positions), evidence.resolution),
                                        .options = voxels,
                                        .k = kBonesInReach,
                                        .solid = &solid},
                                       binding.handles, evidence, context);
  binding.complex = medial_complex(surface, solid, options.complex, context).complex;
  const StageTimer timer(context, "weights");
  context.progress("weights", 0);
  bind_complex(cells, options.width, binding, context);
  bind_skin(surface, options.width, binding, context);
  if (binding.widened > 0) {
    binding.problems.push_back({Severity::note,
                                "medial-beyond-bones",
                                std::to_string(binding.widened) + " of " +
                                    std::to_string(binding.complex.vertex_count()) +
                                    " vertices of the medial have no bone in reach of their filter, which was widened",
                                {},
                                static_cast<std::int64_t>(binding.widened)});
  }
  evidence.vertices = surface.vertex_count();
  evidence.bound = binding.skin.vertex_count();
  return binding;
}

SkinWeights composed_weights(const MedialBinding& binding, const Context& context) {
  const std::size_t count = binding.skin.vertex_count();
  std::vector<std::vector<Influence>> rows(count);
  parallel_for(context, count, 256, [&](Range range) {
    RowSum sum(static_cast<Index>(binding.handles.size()));
    for (std::size_t v = range.begin; v < range.end; ++v) {
      sum.clear();
      for (const Influence& i : binding.skin.row(v)) {
        sum.add(binding.medial.row(static_cast<std::size_t>(i.joint)), i.weight);
      }
      for (const Index h : sum.joints()) rows[v].push_back({h, sum[h]});
    }
  });
  SkinWeights weights;
  for (const auto& row : rows) weights.add_row(row);
  normalise(weights);
  return weights;
}

}  // namespace isochor
