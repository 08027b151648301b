#include "medial/solid_voxels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>

#include "isochor/base/parallel.h"
#include "isochor/mesh/topology.h"
#include "isochor/mesh/triangle_crossing.h"
#include "isochor/voxel/winding.h"
#include "mesh/outward.h"
#include "voxel/bucket_queue.h"

namespace isochor {
namespace {

constexpr double kFarAway = std::numeric_limits<double>::infinity();

/// Triangles are cut until they reach over at most this many voxels, so that few voxels are asked about each.
constexpr double kCutLength = 3;
/// A voxel that the surface touches from outside holds it, too.
constexpr double kTouches = 1.0 / 1024;
/// Where a hole is closed, the solid ends at most so many voxels from the surface that was there.
constexpr double kNearFan = 1.5;

std::size_t dense_cell(const SolidVoxels& voxels, const Voxel& v) {
  return (v[0] + 1) + voxels.side * ((v[1] + 1) + voxels.side * (v[2] + 1));
}

void mark_solid(const VoxelSolid& solid, SolidVoxels& voxels) {
  const auto mark = [&](std::uint32_t code) { voxels.at[dense_cell(voxels, morton_decode(code))] = 0; };
  for (const Brick& brick : solid.bricks) {
    for (std::uint32_t i = 0; i < 512; ++i) {
      if ((((brick.boundary[i >> 6] | brick.interior[i >> 6]) >> (i & 63)) & 1) != 0) mark(brick.code << 9 | i);
    }
  }
  for (const std::uint32_t code : solid.interior_bricks) {
    for (std::uint32_t i = 0; i < 512; ++i) mark(code << 9 | i);
  }
  for (std::size_t c = 0; c < voxels.at.size(); ++c) {
    if (voxels.at[c] == kNone) continue;
    voxels.at[c] = static_cast<Index>(voxels.cell.size());
    voxels.cell.push_back(c);
  }
}

void find_depths(SolidVoxels& voxels) {
  const auto steps = voxels.steps();
  voxels.depth.assign(voxels.size(), 2);
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    const bool outer = std::any_of(steps.begin(), steps.end(), [&](std::ptrdiff_t step) {
      return voxels.at[voxels.cell[i] + static_cast<std::size_t>(step)] == kNone;
    });
    if (outer) voxels.depth[i] = 0;
  }
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (voxels.depth[i] != 0) continue;
    for (const std::ptrdiff_t step : steps) {
      const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(step)];
      if (j != kNone && voxels.depth[j] == 2) voxels.depth[j] = 1;
    }
  }
}

/// The nearest point of each voxel so far. Of points equally near the lowest counts, so that the order of faces does
/// not matter.
class NearestSkin {
 public:
  explicit NearestSkin(SolidVoxels& voxels) : voxels_(voxels), distance2_(voxels.size(), kFarAway) {}

  bool offer(std::size_t i, const Vec3& point) {
    const double d2 = (voxels_.centre(i) - point).squaredNorm();
    Vec3& nearest = voxels_.nearest[i];
    if (!(d2 <= distance2_[i])) return false;
    if (d2 == distance2_[i] &&
        !std::lexicographical_compare(point.data(), point.data() + 3, nearest.data(), nearest.data() + 3)) {
      return false;
    }
    distance2_[i] = d2;
    nearest = point;
    return true;
  }
  bool offer_nearer(std::size_t i, const Vec3& point) {
    const double d2 = (voxels_.centre(i) - point).squaredNorm();
    if (!(d2 < distance2_[i])) return false;
    distance2_[i] = d2;
    voxels_.nearest[i] = point;
    return true;
  }
  void forget(std::size_t i) { distance2_[i] = kFarAway; }
  double distance2(std::size_t i) const { return distance2_[i]; }
  const SolidVoxels& voxels() const { return voxels_; }

 private:
  SolidVoxels& voxels_;
  std::vector<double> distance2_;
};

/// Calls body(i) for the outer voxels in reach of a triangle's box.
template <class Body>
void each_outer_voxel(const SolidVoxels& voxels, const std::array<Vec3, 3>& t, double reach, const Body& body) {
  std::array<std::size_t, 3> low, high;
  const auto last = static_cast<double>(voxels.side - 2);
  for (int a = 0; a < 3; ++a) {
    const auto [least, most] = std::minmax({t[0][a], t[1][a], t[2][a]});
    low[a] = static_cast<std::size_t>(std::clamp(std::floor(least - reach), 0.0, last)) + 1;
    high[a] = static_cast<std::size_t>(std::clamp(std::floor(most + reach), 0.0, last)) + 1;
  }
  for (std::size_t z = low[2]; z <= high[2]; ++z) {
    for (std::size_t y = low[1]; y <= high[1]; ++y) {
      for (std::size_t x = low[0]; x <= high[0]; ++x) {
        const Index i = voxels.at[x + voxels.side * (y + voxels.side * z)];
        if (i != kNone && voxels.depth[i] == 0) body(static_cast<std::size_t>(i));
      }
    }
  }
}

/// Calls body(t) for the parts of a triangle.
template <class Body>
void in_pieces(const std::array<Vec3, 3>& t, const Body& body) {
  int longest = 0;
  double length = 0;
  for (int e = 0; e < 3; ++e) {
    const double l = (t[(e + 1) % 3] - t[e]).lpNorm<Eigen::Infinity>();
    if (l > length) {
      length = l;
      longest = e;
    }
  }
  if (length <= kCutLength) return body(t);
  const Vec3 &a = t[longest], &b = t[(longest + 1) % 3], &c = t[(longest + 2) % 3];
  const Vec3 middle = 0.5 * (a + b);
  in_pieces({a, middle, c}, body);
  in_pieces({middle, b, c}, body);
}

/// Positions are rounded to this part of a voxel, so that what follows is the same, to the last bit, wherever the mesh
/// lies and however large it is.
constexpr double kUnitsPerVoxel = 4096;

/// Numbers that people choose lie halfway between units now and then; a little off, none of them does.
Vec3 rounded(const VoxelGrid& grid, const Vec3& p) {
  return (kUnitsPerVoxel * grid.to_grid(p) + Vec3::Constant(0.37)).array().floor() / kUnitsPerVoxel;
}

/// A triangle of the surface in voxels, and the connected piece that it belongs to.
struct SkinTriangle {
  std::array<Vec3, 3> corners;
  Index component;
};

/// Outward, since winding numbers count them.
std::vector<SkinTriangle> skin_triangles(const Surface& surface, const Topology& topology, const SolidVoxels& voxels) {
  std::vector<SkinTriangle> out;
  for (const auto& t : outward_triangles(surface, topology)) {
    SkinTriangle triangle{.corners = {}, .component = topology.component_of_vertex[t[0]]};
    for (int k = 0; k < 3; ++k) triangle.corners[k] = rounded(voxels.grid, surface.positions[t[k]]);
    const bool finite =
        std::all_of(triangle.corners.begin(), triangle.corners.end(), [](const Vec3& p) { return p.allFinite(); });
    if (finite) out.push_back(triangle);
  }
  return out;
}

/// Where pieces of the mesh pass through each other, what lies within another one is no surface of the solid. In a
/// voxel that holds several pieces it would count all the same, as the voxel touches the outside; and points so near
/// by are seen at any angle.
class HiddenSkin {
 public:
  HiddenSkin(std::span<const SkinTriangle> triangles, const SolidVoxels& voxels) : owner_(voxels.size(), kNone) {
    bool any = false;
    for (const SkinTriangle& triangle : triangles) {
      in_pieces(triangle.corners, [&](const std::array<Vec3, 3>& t) {
        each_outer_voxel(voxels, t, kTouches, [&](std::size_t i) {
          if (owner_[i] == kNone) owner_[i] = triangle.component;
          if (owner_[i] != triangle.component) owner_[i] = kSeveral;
          any = any || owner_[i] == kSeveral;
        });
      });
    }
    if (!any) return;
    winding_.emplace(voxels.skin);
  }

  bool several(std::size_t i) const { return owner_[i] == kSeveral; }

  /// Whether both sides of the surface are inside at a point of it.
  bool hides(const Vec3& point, const Vec3& normal) const {
    if (!(normal.norm() > 0)) return false;
    const Vec3 aside = kAside * normal.normalized();
    const auto inside = [&](const Vec3& p) { return std::abs(winding_->estimate(p, kTolerated).value) > kInside; };
    return inside(point + aside) && inside(point - aside);
  }

 private:
  static constexpr Index kSeveral = -2;
  static constexpr double kAside = 1.0 / 64;  // voxels
  static constexpr double kInside = 0.6;      // of the winding number, which is 0.5 on a surface
  static constexpr double kTolerated = 0.05;  // of what far triangles add to it

  std::vector<Index> owner_;  // by voxel: the piece that it holds
  std::optional<WindingTree> winding_;
};

/// By voxel, whether what is nearest to it is hidden: it waits for what its neighbours know.
std::vector<char> offer_surface(const Surface& surface, const Topology& topology,
                                std::span<const SkinTriangle> triangles, NearestSkin& skin, const Context& context) {
  const SolidVoxels& voxels = skin.voxels();
  const HiddenSkin hidden(triangles, voxels);
  std::vector<Vec3> normal(voxels.size(), Vec3::Zero());  // of what is nearest, in voxels that hold several pieces
  const auto offer = [&](const std::array<Vec3, 3>& t) {
    each_outer_voxel(voxels, t, kTouches, [&](std::size_t i) {
      const bool taken = skin.offer(i, nearest_point(t, voxels.centre(i)));
      if (taken && hidden.several(i)) normal[i] = (t[1] - t[0]).cross(t[2] - t[0]);
    });
  };
  for (const SkinTriangle& triangle : triangles) in_pieces(triangle.corners, offer);
  for (const Index v : topology.isolated_vertices) {  // the solid has a voxel for each
    if (!surface.positions[v].allFinite()) continue;
    const Vec3 g = rounded(voxels.grid, surface.positions[v]);
    offer({g, g, g});
  }
  std::vector<char> hides(voxels.size(), 0);
  parallel_for(context, voxels.size(), 4096, [&](Range range) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      hides[i] = hidden.several(i) && hidden.hides(voxels.nearest[i], normal[i]) ? 1 : 0;
    }
  });
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (hides[i] != 0) skin.forget(i);
  }
  return hides;
}

bool at_the_end(const SolidVoxels& voxels, const Vec3& p) {
  bool found = false;
  each_outer_voxel(voxels, {p, p, p}, kNearFan,
                   [&](std::size_t i) { found = found || (voxels.centre(i) - p).norm() <= kNearFan; });
  return found;
}

/// A loop that passes a vertex twice, cut into loops that do not: holes that touch.
std::vector<std::vector<Index>> simple_loops(const std::vector<Index>& loop) {
  std::vector<std::vector<Index>> simple;
  std::vector<Index> open;
  std::unordered_map<Index, std::size_t> place;  // in `open`
  for (const Index v : loop) {
    if (const auto seen = place.find(v); seen != place.end()) {
      const auto first = open.begin() + static_cast<std::ptrdiff_t>(seen->second);
      simple.emplace_back(first, open.end());
      for (const Index closed : simple.back()) place.erase(closed);
      open.erase(first, open.end());
    }
    place[v] = open.size();
    open.push_back(v);
  }
  simple.push_back(std::move(open));
  return simple;
}

/// Boundary loops are closed by fans about their middle, as those of a volume are, if that lies where the solid ends:
/// so the hole that some faces leave is closed where they were. Elsewhere the voxels know better.
void offer_fans(const Surface& surface, const Topology& topology, const SolidVoxels& voxels, NearestSkin& skin) {
  const auto offer = [&](const std::array<Vec3, 3>& t) {
    each_outer_voxel(voxels, t, kNearFan, [&](std::size_t i) {
      const Vec3 nearest = nearest_point(t, voxels.centre(i));
      if ((nearest - voxels.centre(i)).norm() <= kNearFan) skin.offer(i, nearest);
    });
  };
  const auto close = [&](const std::vector<Index>& loop) {
    std::vector<Vec3> rim;
    rim.reserve(loop.size());
    for (const Index v : loop) rim.push_back(rounded(voxels.grid, surface.positions[v]));
    Vec3 middle = Vec3::Zero();
    for (const Vec3& p : rim) middle += p;  // exact, as all are rounded: where the loop begins does not matter
    middle /= static_cast<double>(rim.size());
    if (!middle.allFinite() || !at_the_end(voxels, middle)) return;
    for (std::size_t k = 0; k < rim.size(); ++k) in_pieces({rim[k], rim[(k + 1) % rim.size()], middle}, offer);
  };
  for (const Component& component : topology.components) {
    for (const auto& loop : component.boundary_loops) {
      for (const auto& simple : simple_loops(loop)) close(simple);
    }
  }
}

/// Voxels that touch the outside and hold no surface take the face between them and the outside. Those whose surface is
/// hidden wait for what their neighbours know.
void close_holes(const SolidVoxels& voxels, std::span<const char> hides, NearestSkin& skin) {
  const auto s = static_cast<std::ptrdiff_t>(voxels.side);
  const std::array<std::ptrdiff_t, 3> axes = {1, s, s * s};
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (voxels.depth[i] != 0 || hides[i] != 0 || skin.distance2(i) < kFarAway) continue;
    for (int a = 0; a < 3; ++a) {
      for (const int sign : {-1, 1}) {
        if (voxels.at[voxels.cell[i] + static_cast<std::size_t>(sign * axes[a])] != kNone) continue;
        skin.offer(i, voxels.centre(i) + 0.5 * sign * Vec3::Unit(a));
      }
    }
  }
}

/// Nearest points go from voxel to voxel, the nearer first: each is asked by its neighbours whether theirs is nearer
/// than its own. (Where three or more lie about equally far, a point that is farther by a small part of a voxel may
/// win.)
void spread_inward(const SolidVoxels& voxels, NearestSkin& skin, const Context& context) {
  constexpr double kBucketsPerVoxel = 4;
  const auto steps = voxels.steps();
  const auto bucket_of = [&](std::size_t i) {
    return static_cast<std::uint32_t>(kBucketsPerVoxel * std::sqrt(skin.distance2(i)));
  };
  std::vector<double> told(voxels.size(), kFarAway);  // with what distance each has asked its neighbours
  BucketQueue queue;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (skin.distance2(i) < kFarAway) queue.push(bucket_of(i), static_cast<std::uint32_t>(i));
  }
  for (std::uint32_t b = queue.next(0); b != BucketQueue::kEmpty; b = queue.next(b)) {
    context.check_cancelled();
    auto list = queue.take(b);
    for (const std::uint32_t i : list) {
      if (told[i] == skin.distance2(i)) continue;
      told[i] = skin.distance2(i);
      for (const std::ptrdiff_t step : steps) {
        const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(step)];
        if (j == kNone || !skin.offer_nearer(j, voxels.nearest[i])) continue;
        queue.push(std::max(b, bucket_of(j)), static_cast<std::uint32_t>(j));
      }
    }
    queue.give_back(std::move(list));
  }
}

}  // namespace

std::array<std::ptrdiff_t, 26> SolidVoxels::steps() const {
  std::array<std::ptrdiff_t, 26> all;
  const auto s = static_cast<std::ptrdiff_t>(side);
  std::size_t n = 0;
  for (int d = 0; d < 27; ++d) {
    if (d != 13) all[n++] = (d % 3 - 1) + s * ((d / 3 % 3 - 1) + s * (d / 9 - 1));
  }
  return all;
}

SolidVoxels list_voxels(const Surface& surface, const VoxelSolid& solid, Context& context) {
  SolidVoxels voxels;
  voxels.grid = solid.grid;
  voxels.side = static_cast<std::size_t>(solid.grid.resolution) + 2;
  voxels.at.assign(voxels.side * voxels.side * voxels.side, kNone);
  mark_solid(solid, voxels);
  find_depths(voxels);
  voxels.nearest.assign(voxels.size(), Vec3::Zero());
  NearestSkin skin(voxels);
  const Topology topology = analyse(surface);
  const std::vector<SkinTriangle> triangles = skin_triangles(surface, topology, voxels);
  voxels.skin.reserve(triangles.size());
  for (const SkinTriangle& triangle : triangles) voxels.skin.push_back(triangle.corners);
  const std::vector<char> hides = offer_surface(surface, topology, triangles, skin, context);
  offer_fans(surface, topology, voxels, skin);
  close_holes(voxels, hides, skin);
  spread_inward(voxels, skin, context);
  return voxels;
}

}  // namespace isochor
