#pragma once

/// Closed shapes with a known volume, and ways to spoil them.

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/voxel/winding.h"

namespace isochor::test {

inline std::vector<TriangleCorners> corners_of(const Surface& s) {
  std::vector<TriangleCorners> result;
  for (const auto& t : triangulate(s).triangles) {
    result.push_back({s.positions[t[0]], s.positions[t[1]], s.positions[t[2]]});
  }
  return result;
}

/// Triangles over `around` × `rings` quads of a parameter square that is periodic in both directions.
inline Surface torus(double large, double small, int around, int rings) {
  Surface s;
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < rings; ++j) {
      const double u = 2 * std::numbers::pi * i / around;
      const double v = 2 * std::numbers::pi * j / rings;
      const double r = large + small * std::cos(v);
      s.positions.push_back(Vec3(r * std::cos(u), r * std::sin(u), small * std::sin(v)));
    }
  }
  const auto at = [&](int i, int j) { return (i % around) * rings + j % rings; };
  for (int i = 0; i < around; ++i) {
    for (int j = 0; j < rings; ++j) {
      s.add_face({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      s.add_face({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return s;
}

/// A ball of triangles about z, its poles single vertices.
inline Surface ball(const Vec3& center, double radius, int around, int rings) {
  Surface s;
  s.positions.push_back(center - Vec3(0, 0, radius));
  for (int j = 1; j < rings; ++j) {
    const double v = std::numbers::pi * j / rings;
    for (int i = 0; i < around; ++i) {
      const double u = 2 * std::numbers::pi * i / around;
      s.positions.push_back(center + radius * Vec3(std::sin(v) * std::cos(u), std::sin(v) * std::sin(u), -std::cos(v)));
    }
  }
  s.positions.push_back(center + Vec3(0, 0, radius));
  const auto top = static_cast<Index>(s.positions.size()) - 1;
  const auto at = [&](int i, int j) { return 1 + (j - 1) * around + i % around; };
  for (int i = 0; i < around; ++i) s.add_face({0, at(i + 1, 1), at(i, 1)});
  for (int j = 1; j + 1 < rings; ++j) {
    for (int i = 0; i < around; ++i) {
      s.add_face({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      s.add_face({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  for (int i = 0; i < around; ++i) s.add_face({at(i, rings - 1), at(i + 1, rings - 1), top});
  return s;
}

/// A closed box of twelve triangles between two corners.
inline Surface box(const Vec3& low, const Vec3& high) {
  Surface s;
  for (int i = 0; i < 8; ++i) {
    s.positions.push_back(
        Vec3((i & 1) != 0 ? high.x() : low.x(), (i & 2) != 0 ? high.y() : low.y(), (i & 4) != 0 ? high.z() : low.z()));
  }
  for (const auto& q : {std::array{0, 2, 3, 1}, std::array{4, 5, 7, 6}, std::array{0, 1, 5, 4}, std::array{2, 6, 7, 3},
                        std::array{0, 4, 6, 2}, std::array{1, 3, 7, 5}}) {
    s.add_face({q[0], q[1], q[2]});
    s.add_face({q[0], q[2], q[3]});
  }
  return s;
}

inline void turn(Surface& s, std::size_t face) {
  const auto corners = s.face(face);
  std::swap(corners[0], corners[corners.size() - 1]);
}

inline Surface inside_out(Surface s) {
  for (std::size_t f = 0; f < s.face_count(); ++f) turn(s, f);
  return s;
}

/// The faces for which keep(face) holds.
inline Surface select_faces(const Surface& s, const std::function<bool(std::size_t)>& keep) {
  Surface result;
  result.positions = s.positions;
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    if (keep(f)) result.add_face(s.face(f));
  }
  return result;
}

/// A small generator of numbers that are the same everywhere.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  double unit() { return next() / 2147483648.0; }

 private:
  std::uint64_t state_;
};

/// The same surface with vertices, faces and the corner that a face starts with in another order.
inline Surface shuffled(const Surface& s, std::uint64_t seed) {
  Numbers numbers(seed);
  const auto permutation = [&](std::size_t n) {
    std::vector<Index> p(n);
    for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<Index>(i);
    for (std::size_t i = n; i > 1; --i) std::swap(p[i - 1], p[numbers.next() % i]);
    return p;
  };
  const auto vertex = permutation(s.vertex_count());
  Surface result;
  result.positions.resize(s.vertex_count());
  for (std::size_t v = 0; v < s.vertex_count(); ++v) result.positions[vertex[v]] = s.positions[v];
  for (const Index f : permutation(s.face_count())) {
    std::vector<Index> corners;
    const auto face = s.face(f);
    const std::size_t start = face.size() == 3 ? numbers.next() % 3 : 0;
    for (std::size_t i = 0; i < face.size(); ++i) corners.push_back(vertex[face[(start + i) % face.size()]]);
    result.add_face(corners);
  }
  return result;
}

/// Every face with vertices of its own, moved by a little: nothing is joined any more.
inline Surface soup(const Surface& s, double jitter) {
  Surface result;
  Numbers numbers(7);
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    std::vector<Index> corners;
    for (const Index v : s.face(f)) {
      corners.push_back(static_cast<Index>(result.positions.size()));
      const Vec3 shift(numbers.unit() - 0.5, numbers.unit() - 0.5, numbers.unit() - 0.5);
      result.positions.push_back(s.positions[v] + jitter * shift);
    }
    result.add_face(corners);
  }
  return result;
}

/// The sum of solid angles over all triangles, one by one.
inline double winding_number_exact(std::span<const TriangleCorners> triangles, const Vec3& point) {
  double sum = 0;
  for (const TriangleCorners& t : triangles) sum += solid_angle(t, point);
  return sum;
}

}  // namespace isochor::test
