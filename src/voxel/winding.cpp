#include "isochor/voxel/winding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace isochor {
namespace {

constexpr double kFourPi = 4 * std::numbers::pi;
constexpr std::int32_t kLeafSize = 8;

Vec3 area_vector(const TriangleCorners& t) { return 0.5 * (t[1] - t[0]).cross(t[2] - t[0]); }

/// Corners turned so that the least comes first: the same triangle gives the same bits whatever corner it starts with.
TriangleCorners from_least_corner(const TriangleCorners& t) {
  const auto less = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  const std::size_t k = less(t[0], t[1]) ? (less(t[2], t[0]) ? 2 : 0) : (less(t[2], t[1]) ? 2 : 1);
  return {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
}

/// Spreads the low 21 bits to every third bit.
std::uint64_t spread(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | (x << 32)) & 0x1f00000000ffff;
  x = (x | (x << 16)) & 0x1f0000ff0000ff;
  x = (x | (x << 8)) & 0x100f00f00f00f00f;
  x = (x | (x << 4)) & 0x10c30c30c30c30c3;
  return (x | (x << 2)) & 0x1249249249249249;
}

std::vector<std::uint64_t> centroid_codes(std::span<const TriangleCorners> triangles) {
  Box box;
  for (const TriangleCorners& t : triangles) {
    for (const Vec3& p : t) box.extend(p);
  }
  const double extent = triangles.empty() ? 1 : std::max(box.sizes().maxCoeff(), 1e-300);
  std::vector<std::uint64_t> codes(triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const TriangleCorners& t = triangles[i];
    const Vec3 g = ((t[0] - box.min()) + (t[1] - box.min()) + (t[2] - box.min())) / (3 * extent) * 2097151.0;
    for (int a = 0; a < 3; ++a) codes[i] |= spread(static_cast<std::uint64_t>(std::max(g[a], 0.0))) << a;
  }
  return codes;
}

/// Where the codes' highest differing bit goes from 0 to 1; the middle where all are equal.
std::int32_t split_place(std::span<const std::uint64_t> codes, std::int32_t begin, std::int32_t end) {
  const std::uint64_t differ = codes[begin] ^ codes[end - 1];
  if (differ == 0) return begin + (end - begin) / 2;
  const std::uint64_t bit = std::uint64_t{1} << (63 - std::countl_zero(differ));
  const auto found = std::partition_point(codes.begin() + begin, codes.begin() + end,
                                          [bit](std::uint64_t code) { return (code & bit) == 0; });
  return static_cast<std::int32_t>(found - codes.begin());
}

}  // namespace

double solid_angle(const TriangleCorners& triangle, const Vec3& point) {
  const Vec3 a = triangle[0] - point;
  const Vec3 b = triangle[1] - point;
  const Vec3 c = triangle[2] - point;
  const double la = a.norm();
  const double lb = b.norm();
  const double lc = c.norm();
  const double volume = a.dot(b.cross(c));
  if (volume == 0) return 0;
  const double denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2 * std::atan2(volume, denominator) / kFourPi;
}

WindingTree::WindingTree(std::span<const TriangleCorners> triangles) {
  triangles_.reserve(triangles.size());
  for (const TriangleCorners& t : triangles) triangles_.push_back(from_least_corner(t));
  const std::vector<std::uint64_t> codes = centroid_codes(triangles_);
  std::vector<std::int32_t> order(triangles_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t l, std::int32_t r) {
    if (codes[l] != codes[r]) return codes[l] < codes[r];
    return std::lexicographical_compare(triangles_[l][0].data(), triangles_[l][0].data() + 9, triangles_[r][0].data(),
                                        triangles_[r][0].data() + 9);
  });
  std::vector<TriangleCorners> sorted(triangles_.size());
  std::vector<std::uint64_t> sorted_codes(triangles_.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[i] = triangles_[order[i]];
    sorted_codes[i] = codes[order[i]];
  }
  triangles_ = std::move(sorted);
  nodes_.reserve(triangles_.size() / 2 + 1);
  if (!triangles_.empty()) build(sorted_codes, 0, static_cast<std::int32_t>(triangles_.size()));
}

std::int32_t WindingTree::build(std::span<const std::uint64_t> codes, std::int32_t begin, std::int32_t end) {
  const auto index = static_cast<std::int32_t>(nodes_.size());
  nodes_.emplace_back();
  Node node;
  node.begin = begin;
  node.end = end;
  if (end - begin <= kLeafSize) {
    summarise_triangles(node);
  } else {
    const std::int32_t middle = split_place(codes, begin, end);
    const std::int32_t left = build(codes, begin, middle);
    const std::int32_t right = build(codes, middle, end);
    summarise_children(node, nodes_[left], nodes_[right]);
  }
  node.skip = static_cast<std::int32_t>(nodes_.size());
  nodes_[index] = node;
  return index;
}

void WindingTree::summarise_triangles(Node& node) const {
  const std::span<const TriangleCorners> own(triangles_.data() + node.begin, triangles_.data() + node.end);
  Vec3 weighted = Vec3::Zero();
  const Vec3 base = own[0][0];
  for (const TriangleCorners& t : own) {
    const double area = area_vector(t).norm();
    node.area += area;
    weighted += area * ((t[0] - base) + (t[1] - base) + (t[2] - base)) / 3;
  }
  node.center = node.area > 0 ? Vec3(base + weighted / node.area) : base;
  for (const TriangleCorners& t : own) {
    const std::array<Vec3, 3> y = {t[0] - node.center, t[1] - node.center, t[2] - node.center};
    const Vec3 n = area_vector(t);
    const Vec3 sum = y[0] + y[1] + y[2];
    node.dipole += n;
    node.quadrupole += n * (sum / 3).transpose();
    node.moment += n.norm() * (y[0].squaredNorm() + y[1].squaredNorm() + y[2].squaredNorm() + sum.squaredNorm()) / 12;
    for (const Vec3& p : y) node.radius = std::max(node.radius, p.norm());
  }
}

void WindingTree::summarise_children(Node& node, const Node& left, const Node& right) const {
  node.area = left.area + right.area;
  const double share = node.area > 0 ? right.area / node.area : 0.5;
  node.center = left.center + share * (right.center - left.center);
  for (const Node* child : {&left, &right}) {
    const Vec3 shift = child->center - node.center;
    node.dipole += child->dipole;
    node.quadrupole += child->quadrupole + child->dipole * shift.transpose();
    node.moment += child->moment + child->area * shift.squaredNorm();
    node.radius = std::max(node.radius, child->radius + shift.norm());
  }
}

WindingTree::Estimate WindingTree::estimate(const Vec3& point, double tolerance) const {
  Estimate result;
  const auto count = static_cast<std::int32_t>(nodes_.size());
  for (std::int32_t i = 0; i < count;) {
    const Node& node = nodes_[i];
    const Vec3 r = node.center - point;
    const double d2 = r.squaredNorm();
    const double d = std::sqrt(d2);
    const double gap = d - node.radius;
    // Taylor's remainder after the linear term of x / |x|³, whose second derivative is at most 6 / |x|⁴.
    const double gap2 = gap * gap;
    const double bound = 3 * node.moment / (kFourPi * gap2 * gap2);
    if (gap > 0 && bound <= tolerance) {
      const double inverse3 = 1 / (d2 * d);
      result.value += (node.dipole.dot(r) + node.quadrupole.trace() - 3 * r.dot(node.quadrupole * r) / d2) * inverse3;
      result.error += bound;
      i = node.skip;
    } else {
      if (node.skip == i + 1) {
        for (std::int32_t t = node.begin; t < node.end; ++t)
          result.value += kFourPi * solid_angle(triangles_[t], point);
      }
      ++i;
    }
  }
  result.value /= kFourPi;
  return result;
}

bool WindingTree::above(const Vec3& point, double threshold) const {
  for (const double tolerance : {3e-3, 3e-4, 3e-5}) {
    const Estimate e = estimate(point, tolerance);
    if (std::abs(e.value - threshold) > e.error) return e.value > threshold;
  }
  return estimate(point, 0).value > threshold;
}

std::size_t WindingTree::memory() const {
  return triangles_.capacity() * sizeof(TriangleCorners) + nodes_.capacity() * sizeof(Node);
}

}  // namespace isochor
