#include "isochor/voxel/bone_voxels.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

namespace isochor {
namespace {

/// By this much, in voxels, a voxel is larger than its cube: see the header.
constexpr double kSlack = 1e-6;

/// Voxels whose enlarged cubes meet [lo, hi] in one axis, clipped to the grid; empty where last < first.
struct Span1 {
  std::int64_t first = 0;
  std::int64_t last = -1;
};

Span1 voxels_between(double lo, double hi, Index resolution) {
  const double top = resolution - 1;
  if (!(hi >= -kSlack && lo <= resolution + kSlack)) return {};
  const double first = std::clamp(std::ceil(lo - kSlack) - 1, 0.0, top);
  const double last = std::clamp(std::floor(hi + kSlack), 0.0, top);
  return {static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> codes) {
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return codes;
}

/// Codes of the voxels in the box [lo, hi] (in voxels) for whose centre `touches` holds.
template <class Touches>
std::vector<std::uint32_t> collect(const VoxelGrid& grid, const Box& bounds, Touches&& touches) {
  std::array<Span1, 3> spans;
  for (int a = 0; a < 3; ++a) spans[a] = voxels_between(bounds.min()[a], bounds.max()[a], grid.resolution);
  std::vector<std::uint32_t> codes;
  for (std::int64_t z = spans[2].first; z <= spans[2].last; ++z) {
    for (std::int64_t y = spans[1].first; y <= spans[1].last; ++y) {
      for (std::int64_t x = spans[0].first; x <= spans[0].last; ++x) {
        const Voxel voxel = {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                             static_cast<std::uint32_t>(z)};
        const Vec3 centre(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, static_cast<double>(z) + 0.5);
        if (touches(centre)) codes.push_back(morton_encode(voxel));
      }
    }
  }
  return sorted(std::move(codes));
}

/// Half the edge of an enlarged voxel.
constexpr double kHalf = 0.5 + kSlack;

/// Whether the segment a + t d, 0 ≤ t ≤ 1, meets the enlarged voxel about `centre`: the slabs of the three axes share
/// a t.
bool segment_meets(const Vec3& a, const Vec3& d, const Vec3& centre) {
  double t0 = 0;
  double t1 = 1;
  for (int i = 0; i < 3; ++i) {
    const double lo = centre[i] - kHalf - a[i];
    const double hi = centre[i] + kHalf - a[i];
    if (d[i] == 0) {
      if (lo > 0 || hi < 0) return false;
      continue;
    }
    const double u = lo / d[i];
    const double v = hi / d[i];
    t0 = std::max(t0, std::min(u, v));
    t1 = std::min(t1, std::max(u, v));
  }
  return t0 <= t1;
}

/// Whether the least of xᵀ Q x over the box [lo, hi] is at most 1. At the minimum each coordinate is at its low end, at
/// its high end or free: all 27 cases are tried, and the free coordinates solved for.
bool form_meets_box(const Mat3& Q, const Vec3& lo, const Vec3& hi) {
  for (int state = 0; state < 27; ++state) {
    const std::array<int, 3> at = {state % 3, state / 3 % 3, state / 9};
    Vec3 x = Vec3::Zero();
    Mat3 A = Mat3::Identity();
    for (int i = 0; i < 3; ++i) {
      if (at[i] < 2) x[i] = at[i] == 0 ? lo[i] : hi[i];
    }
    Vec3 right = x;
    for (int i = 0; i < 3; ++i) {
      if (at[i] < 2) continue;
      right[i] = -Q.row(i).dot(x);
      for (int j = 0; j < 3; ++j) A(i, j) = at[j] == 2 ? Q(i, j) : 0;
    }
    x = A.partialPivLu().solve(right).cwiseMax(lo).cwiseMin(hi);
    if (x.dot(Q * x) <= 1) return true;
  }
  return false;
}

bool ellipsoid_meets(const Mat3& Q, const Vec3& c, const Vec3& centre) {
  const Vec3 lo = centre - Vec3::Constant(kHalf) - c;
  const Vec3 hi = centre + Vec3::Constant(kHalf) - c;
  const Vec3 nearest = Vec3::Zero().cwiseMax(lo).cwiseMin(hi);
  return nearest.dot(Q * nearest) <= 1 || form_meets_box(Q, lo, hi);
}

/// The axes of an ellipsoid as perpendicular unit vectors and half lengths, the latter at least a little above zero.
struct Axes {
  Mat3 directions = Mat3::Identity();
  Vec3 lengths = Vec3::Zero();
};

Axes axes_of(const Mat3& half_axes) {
  // Columns are perpendicular: the longest is sure; what a zero column leaves open is any direction across the others.
  std::array<int, 3> order = {0, 1, 2};
  const Vec3 norms = half_axes.colwise().norm();
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return norms[i] > norms[j]; });
  Axes axes;
  Vec3 u = norms[order[0]] > 0 ? Vec3(half_axes.col(order[0]) / norms[order[0]]) : Vec3::UnitX();
  Vec3 v = half_axes.col(order[1]);
  v -= u * u.dot(v);
  v = v.norm() > 1e-12 * norms[order[0]] && norms[order[0]] > 0 ? Vec3(v.normalized()) : u.unitOrthogonal();
  axes.directions.col(0) = u;
  axes.directions.col(1) = v;
  axes.directions.col(2) = u.cross(v);
  constexpr double kLeast = 1e-4;  // in voxels; keeps the quadratic form of a flat ellipsoid solvable
  for (int i = 0; i < 3; ++i) axes.lengths[i] = std::max(norms[order[i]], kLeast);
  return axes;
}

/// Separating axes of an oriented box and an enlarged voxel: 3 + 3 faces, 9 pairs of edges.
bool box_meets(const Axes& axes, const Vec3& offset) {
  const auto separates = [&](const Vec3& n) {
    const double voxel = kHalf * n.cwiseAbs().sum();
    const double box = (axes.directions.transpose() * n).cwiseAbs().dot(axes.lengths);
    return std::abs(n.dot(offset)) > voxel + box;
  };
  for (int i = 0; i < 3; ++i) {
    if (separates(Vec3::Unit(i)) || separates(axes.directions.col(i))) return false;
    for (int j = 0; j < 3; ++j) {
      const Vec3 n = Vec3::Unit(i).cross(axes.directions.col(j));
      if (n.squaredNorm() > 1e-12 && separates(n)) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const Vec3& point) {
  const Vec3 p = grid.to_grid(point);
  return collect(grid, Box(p, p), [](const Vec3&) { return true; });
}

std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const Segment& segment) {
  const Vec3 a = grid.to_grid(segment.a);
  const Vec3 d = grid.to_grid(segment.b) - a;
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  if (d[axis] == 0) return voxels_of(grid, segment.a);
  // Slab by slab along the longest axis: the piece in a slab spans at most a few voxels across.
  const Span1 slabs =
      voxels_between(std::min(a[axis], a[axis] + d[axis]), std::max(a[axis], a[axis] + d[axis]), grid.resolution);
  std::vector<std::uint32_t> codes;
  for (std::int64_t i = slabs.first; i <= slabs.last; ++i) {
    const auto at = [&](double x) { return std::clamp((x - a[axis]) / d[axis], 0.0, 1.0); };
    const Vec3 p = a + at(static_cast<double>(i) - kSlack) * d;
    const Vec3 q = a + at(static_cast<double>(i) + 1 + kSlack) * d;
    Box piece(p.cwiseMin(q), p.cwiseMax(q));
    piece.min()[axis] = piece.max()[axis] = static_cast<double>(i) + 0.5;
    for (const std::uint32_t code :
         collect(grid, piece, [&](const Vec3& centre) { return segment_meets(a, d, centre); })) {
      codes.push_back(code);
    }
  }
  return sorted(std::move(codes));
}

std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const OrientedEllipsoid& ellipsoid) {
  const Vec3 c = grid.to_grid(ellipsoid.centre);
  const Axes axes = axes_of(ellipsoid.half_axes / grid.voxel);
  const Vec3 inverse = axes.lengths.cwiseInverse();
  const Mat3 root = inverse.asDiagonal() * axes.directions.transpose();
  const Mat3 Q = root.transpose() * root;
  const Vec3 reach = (axes.directions * axes.lengths.asDiagonal()).rowwise().norm();
  return collect(grid, Box(c - reach, c + reach), [&](const Vec3& centre) { return ellipsoid_meets(Q, c, centre); });
}

std::vector<std::uint32_t> voxels_of(const VoxelGrid& grid, const OrientedBox& box) {
  const Vec3 c = grid.to_grid(box.centre);
  const Axes axes = axes_of(box.half_axes / grid.voxel);
  const Vec3 reach = axes.directions.cwiseAbs() * axes.lengths;
  return collect(grid, Box(c - reach, c + reach), [&](const Vec3& centre) { return box_meets(axes, centre - c); });
}

}  // namespace isochor
