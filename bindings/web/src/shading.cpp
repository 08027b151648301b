#include "shading.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace isochor::web {
namespace {

/// Files store normals in few digits: they are compared after rounding.
std::array<int, 3> rounded(const Vec3& normal) {
  constexpr double kSteps = 500;
  const auto round = [](double x) { return static_cast<int>(std::lround(std::clamp(x, -2.0, 2.0) * kSteps)); };
  return {round(normal.x()), round(normal.y()), round(normal.z())};
}

}  // namespace

Shading::Shading(const WeldedCharacter& welded) {
  using Key = std::tuple<Index, std::array<int, 3>, Index>;  // welded vertex, normal, vertex
  std::vector<Key> keys;
  Index first = 0;
  const auto& parts = welded.character().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const Part& part = parts[p];
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      const Vec3 normal = part.normals.empty() ? Vec3(Vec3::Zero()) : part.normals[v];
      keys.emplace_back(welded.whole().welded(p, v), rounded(normal), first + static_cast<Index>(v));
    }
    for (const auto& triangle : triangulate(part.surface).triangles) {
      for (const Index v : triangle) triangles_.push_back(first + v);
    }
    first += static_cast<Index>(part.surface.vertex_count());
  }
  std::sort(keys.begin(), keys.end());
  group_.assign(keys.size(), 0);
  Index groups = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& [at, normal, vertex] = keys[i];
    if (i > 0 && (std::get<0>(keys[i - 1]) != at || std::get<1>(keys[i - 1]) != normal)) ++groups;
    group_[vertex] = groups;
  }
  sums_.resize(keys.empty() ? 0 : static_cast<std::size_t>(groups) + 1);
}

void Shading::normals(std::span<const float> positions, std::span<float> normals) {
  using Vector = Eigen::Map<const Eigen::Vector3f>;
  std::fill(sums_.begin(), sums_.end(), Eigen::Vector3f::Zero());
  for (std::size_t t = 0; t < triangles_.size(); t += 3) {
    const Index* corner = triangles_.data() + t;
    const Vector a(positions.data() + 3 * corner[0]);
    const Vector b(positions.data() + 3 * corner[1]);
    const Vector c(positions.data() + 3 * corner[2]);
    const Eigen::Vector3f area = (b - a).cross(c - a);
    for (int k = 0; k < 3; ++k) sums_[group_[corner[k]]] += area;
  }
  for (Eigen::Vector3f& sum : sums_) {
    const float length = sum.norm();
    sum = length > 0 ? Eigen::Vector3f(sum / length) : Eigen::Vector3f(Eigen::Vector3f::UnitY());
  }
  for (std::size_t v = 0; v < group_.size(); ++v) {
    std::copy_n(sums_[group_[v]].data(), 3, normals.data() + 3 * v);
  }
}

}  // namespace isochor::web
