#include "bind/sight.h"

#include <algorithm>
#include <cmath>

#include "isochor/mesh/surface.h"
#include "isochor/voxel/grid.h"

namespace isochor {
namespace {

constexpr std::int32_t kTrianglesInLeaf = 4;
/// Parts of the segment at both ends that see nothing: a vertex lies on its own triangles.
constexpr double kBlindEnds = 1e-5;
/// A triangle seen more edge-on than this has no front.
constexpr double kLeastCosine = 1e-4;

bool meets_box(const Eigen::AlignedBox3d& box, const Vec3& from, const Vec3& inverse) {
  double enter = 0, leave = 1;
  for (int a = 0; a < 3; ++a) {
    const double t0 = (box.min()[a] - from[a]) * inverse[a], t1 = (box.max()[a] - from[a]) * inverse[a];
    // A segment within a face of the box gives 0 · ∞: such an axis decides nothing.
    if (std::isnan(t0) || std::isnan(t1)) continue;
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  }
  return enter <= leave * (1 + 1e-12);
}

}  // namespace

SightTree::SightTree(std::span<const Vec3> positions, std::vector<std::array<Index, 3>> triangles)
    : positions_(positions), triangles_(std::move(triangles)) {
  if (triangles_.empty()) return;
  const VoxelGrid grid = fit_grid(bounding_box(positions), 1024);
  struct Keyed {
    std::uint32_t code;
    std::array<Index, 3> triangle;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(triangles_.size());
  for (const auto& t : triangles_) {
    keyed.push_back({morton_encode(grid.at((positions[t[0]] + positions[t[1]] + positions[t[2]]) / 3)), t});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) {
    return a.code != b.code ? a.code < b.code : a.triangle < b.triangle;
  });
  for (std::size_t i = 0; i < keyed.size(); ++i) triangles_[i] = keyed[i].triangle;
  build(0, static_cast<std::int32_t>(triangles_.size()));
}

std::int32_t SightTree::build(std::int32_t begin, std::int32_t end) {
  const auto at = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back({{}, begin, end, at + 1});
  if (end - begin > kTrianglesInLeaf) {
    const std::int32_t middle = begin + (end - begin) / 2;
    const std::int32_t left = build(begin, middle), right = build(middle, end);
    nodes_[at].box = nodes_[left].box.merged(nodes_[right].box);
    nodes_[at].skip = static_cast<std::int32_t>(nodes_.size());
  } else {
    for (std::int32_t t = begin; t < end; ++t) {
      for (const Index v : triangles_[t]) nodes_[at].box.extend(positions_[v]);
    }
  }
  return at;
}

bool SightTree::comes_in_from_outside(const Vec3& from, const Vec3& to) const {
  const Vec3 way = to - from;
  const double length = way.norm();
  const Vec3 inverse = way.cwiseInverse();
  const auto count = static_cast<std::int32_t>(nodes_.size());
  for (std::int32_t n = 0; n < count;) {
    const Node& node = nodes_[n];
    if (!meets_box(node.box, from, inverse)) {
      n = node.skip;
      continue;
    }
    for (std::int32_t t = node.begin; node.skip == n + 1 && t < node.end; ++t) {
      const Vec3 &a = positions_[triangles_[t][0]], &b = positions_[triangles_[t][1]],
                 &c = positions_[triangles_[t][2]];
      const Vec3 normal = (b - a).cross(c - a);
      const double towards = normal.dot(way);
      if (!(towards < -kLeastCosine * length * normal.norm())) continue;
      const double at = normal.dot(a - from) / towards;
      if (!(at > kBlindEnds && at < 1 - kBlindEnds)) continue;
      const Vec3 p = from + at * way;
      // On an edge both triangles are met: with rounding, better both than neither.
      const double rounding = -1e-9 * normal.squaredNorm();
      if ((b - a).cross(p - a).dot(normal) >= rounding && (c - b).cross(p - b).dot(normal) >= rounding &&
          (a - c).cross(p - c).dot(normal) >= rounding) {
        return true;
      }
    }
    ++n;
  }
  return false;
}

}  // namespace isochor
