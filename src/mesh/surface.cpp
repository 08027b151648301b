#include "isochor/mesh/surface.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace isochor {
namespace {

using Corners = std::array<Index, 3>;

/// Cuts a polygon by clipping ears: local corner numbers of the triangles.
void clip_ears(std::span<const Index> face, std::span<const Vec3> positions, std::vector<Corners>& out) {
  const Vec3 normal = area_vector(positions, face);
  std::vector<Index> left(face.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = static_cast<Index>(i);
  const auto at = [&](Index i) -> const Vec3& { return positions[face[i]]; };
  const auto side = [&](Index a, Index b, Index c) { return (at(b) - at(a)).cross(at(c) - at(a)).dot(normal); };
  const auto inside = [&](Index p, Index a, Index b, Index c) {
    return side(a, b, p) >= 0 && side(b, c, p) >= 0 && side(c, a, p) >= 0;
  };
  for (std::size_t n = left.size(); n > 3; --n) {
    std::size_t ear = n;
    for (std::size_t i = 0; i < n && ear == n; ++i) {
      const Index a = left[(i + n - 1) % n];
      const Index b = left[i];
      const Index c = left[(i + 1) % n];
      if (side(a, b, c) <= 0) continue;
      bool free = true;
      for (const Index p : left) {
        if (p == a || p == b || p == c || face[p] == face[a] || face[p] == face[b] || face[p] == face[c]) continue;
        if (inside(p, a, b, c)) {
          free = false;
          break;
        }
      }
      if (free) ear = i;
    }
    if (ear == n) ear = 1;  // degenerate or self-crossing: any cut is as good as another
    out.push_back({left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(ear));
  }
  out.push_back({left[0], left[1], left[2]});
}

void cut_quad(std::span<const Index> face, std::span<const Vec3> positions, std::vector<Corners>& out) {
  const auto& p = positions;
  const double d02 = (p[face[2]] - p[face[0]]).squaredNorm();
  const double d13 = (p[face[3]] - p[face[1]]).squaredNorm();
  // A concave quad must be cut at its reflex corner, whatever the lengths.
  const Vec3 normal = area_vector(positions, face);
  const auto side = [&](int a, int b, int c) {
    return (p[face[b]] - p[face[a]]).cross(p[face[c]] - p[face[a]]).dot(normal);
  };
  const bool cut02_ok = side(0, 1, 2) > 0 && side(0, 2, 3) > 0;
  const bool cut13_ok = side(0, 1, 3) > 0 && side(1, 2, 3) > 0;
  const bool cut02 = cut02_ok != cut13_ok ? cut02_ok : d02 <= d13;
  if (cut02) {
    out.push_back({0, 1, 2});
    out.push_back({0, 2, 3});
  } else {
    out.push_back({0, 1, 3});
    out.push_back({1, 2, 3});
  }
}

}  // namespace

Box bounding_box(std::span<const Vec3> positions) {
  Box box;
  for (const Vec3& p : positions) box.extend(p);
  return box;
}

Ball ball_around(std::span<const Vec3> positions) {
  Ball ball;
  if (positions.empty()) return ball;
  for (const Vec3& p : positions) ball.middle += p / static_cast<double>(positions.size());
  for (const Vec3& p : positions) ball.radius = std::max(ball.radius, (p - ball.middle).norm());
  return ball;
}

Vec3 area_vector(std::span<const Vec3> positions, std::span<const Index> polygon) {
  Vec3 sum = Vec3::Zero();
  const Vec3& origin = positions[polygon[0]];
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    sum += (positions[polygon[i]] - origin).cross(positions[polygon[i + 1]] - origin);
  }
  return 0.5 * sum;
}

Triangulation triangulate(const Surface& surface) {
  Triangulation result;
  std::vector<Corners> cut;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    cut.clear();
    if (face.size() == 3) {
      cut.push_back({0, 1, 2});
    } else if (face.size() == 4) {
      cut_quad(face, surface.positions, cut);
    } else if (face.size() > 4) {
      clip_ears(face, surface.positions, cut);
    }
    for (const Corners& c : cut) {
      const Index begin = surface.face_begin[f];
      result.triangles.push_back({face[c[0]], face[c[1]], face[c[2]]});
      result.corner.push_back({begin + c[0], begin + c[1], begin + c[2]});
      result.face.push_back(static_cast<Index>(f));
    }
  }
  return result;
}

std::vector<Vec3> vertex_normals(const Surface& surface) { return vertex_normals(surface, surface.positions); }

std::vector<Vec3> vertex_normals(const Surface& surface, std::span<const Vec3> positions) {
  std::vector<Vec3> normals(positions.size(), Vec3::Zero());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    const Vec3 area = area_vector(positions, face);
    for (const Index v : face) normals[v] += area;
  }
  for (Vec3& n : normals) {
    const double length = n.norm();
    n = length > 0 ? Vec3(n / length) : Vec3::Zero();
  }
  return normals;
}

Index append(Surface& surface, const Surface& other) {
  const auto first_vertex = static_cast<Index>(surface.positions.size());
  const auto first_corner = static_cast<Index>(surface.corners.size());
  surface.positions.insert(surface.positions.end(), other.positions.begin(), other.positions.end());
  for (const Index c : other.corners) surface.corners.push_back(c + first_vertex);
  for (std::size_t f = 1; f < other.face_begin.size(); ++f) {
    surface.face_begin.push_back(other.face_begin[f] + first_corner);
  }
  return first_vertex;
}

}  // namespace isochor
