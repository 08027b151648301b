#include "sample/shells.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sample/cage.h"
#include "sample/poser.h"

namespace isochor::model {
namespace {

Vec3 face_center(const Surface& surface, std::size_t f) {
  Vec3 sum = Vec3::Zero();
  for (const Index v : surface.face(f)) sum += surface.positions[v];
  return sum / static_cast<double>(surface.face(f).size());
}

void close_end(Index first, Index segments, bool far, Surface& surface) {
  for (Index s = 0; s + 1 < segments / 2; ++s) {
    std::array quad{first + s, first + s + 1, first + segments - 2 - s, first + segments - 1 - s};
    if (!far) std::swap(quad[1], quad[3]);
    surface.add_face(quad);
  }
}

}  // namespace

Surface tube(const std::vector<Hoop>& hoops, const CrossAxes& axes, int segments) {
  Surface surface;
  for (const Hoop& hoop : hoops) {
    for (int s = 0; s < segments; ++s) {
      const double turn = static_cast<double>(s) / segments;
      surface.positions.push_back(hoop.center + hoop.radius_a * wave(turn + 0.25) * axes.a +
                                  hoop.radius_b * wave(turn) * axes.b);
    }
  }
  for (std::size_t h = 0; h + 1 < hoops.size(); ++h) {
    const auto base = static_cast<Index>(h) * segments;
    for (Index s = 0; s < segments; ++s) {
      const Index next = (s + 1) % segments;
      surface.add_face({base + s, base + next, base + segments + next, base + segments + s});
    }
  }
  return surface;
}

Surface capped_tube(const std::vector<Hoop>& hoops, const CrossAxes& axes, int segments) {
  Surface surface = tube(hoops, axes, segments);
  close_end(0, segments, false, surface);
  close_end(static_cast<Index>(hoops.size() - 1) * segments, segments, true, surface);
  return surface;
}

Eigen::Vector2d square_to_disc(double u, double v) {
  return {u * std::sqrt(1 - v * v / 2), v * std::sqrt(1 - u * u / 2)};
}

Surface sheet(const std::array<int, 2>& cells, const std::function<Vec3(double, double)>& position) {
  Surface surface;
  for (int j = 0; j <= cells[1]; ++j) {
    for (int i = 0; i <= cells[0]; ++i) {
      surface.positions.push_back(position(static_cast<double>(i) / cells[0], static_cast<double>(j) / cells[1]));
    }
  }
  const Index row = cells[0] + 1;
  for (Index j = 0; j < cells[1]; ++j) {
    for (Index i = 0; i < cells[0]; ++i) {
      const Index a = j * row + i;
      surface.add_face({a, a + 1, a + 1 + row, a + row});
    }
  }
  return surface;
}

Surface dome(const Dome& shape) {
  const Vec3 axis = shape.axis.normalized();
  const Vec3 side = (std::abs(axis.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitY()).cross(axis).normalized();
  const Vec3 up = axis.cross(side);
  return sheet({shape.cells, shape.cells}, [&](double i, double j) {
    const Eigen::Vector2d d = square_to_disc(2 * i - 1, 2 * j - 1);
    const double r = d.norm();
    const double angle = r * shape.degrees * kPi / 180;
    const Vec3 across = r > 0 ? Vec3((d.x() * side + d.y() * up) / r) : Vec3::Zero();
    return Vec3(shape.center + shape.radius * (std::cos(angle) * axis + std::sin(angle) * across));
  });
}

Surface ball(const Vec3& center, const Vec3& radii, int cells) {
  // Equal angles rather than equal lengths, so that the quads are even on the sphere.
  const auto bend = [&](int n) { return std::tan(kPi / 4 * (2.0 * n / cells - 1)); };
  const auto place = [&](int i, int j, int k) {
    return Vec3(center + Vec3(bend(i), bend(j), bend(k)).normalized().cwiseProduct(radii));
  };
  return Cage::block({cells, cells, cells}, place).surface();
}

Surface without_faces(const Surface& surface, const std::function<bool(const Vec3&)>& drop) {
  Surface kept;
  std::vector<Index> moved(surface.vertex_count(), kNone);
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    if (drop(face_center(surface, f))) continue;
    std::vector<Index> face;
    for (const Index v : surface.face(f)) {
      if (moved[v] == kNone) {
        moved[v] = static_cast<Index>(kept.positions.size());
        kept.positions.push_back(surface.positions[v]);
      }
      face.push_back(moved[v]);
    }
    kept.add_face(face);
  }
  return kept;
}

Surface thicken(const Surface& outer, double thickness) {
  const std::vector<Vec3> normals = vertex_normals(outer);
  const auto n = static_cast<Index>(outer.vertex_count());
  Surface shell = outer;
  for (Index v = 0; v < n; ++v) shell.positions.push_back(outer.positions[v] - thickness * normals[v]);
  std::map<std::pair<Index, Index>, int> uses;
  for (std::size_t f = 0; f < outer.face_count(); ++f) {
    const auto face = outer.face(f);
    std::vector<Index> below;
    for (std::size_t c = 0; c < face.size(); ++c) {
      below.push_back(face[face.size() - 1 - c] + n);
      ++uses[{face[c], face[(c + 1) % face.size()]}];
    }
    shell.add_face(below);
  }
  for (const auto& [edge, count] : uses) {
    if (uses.count({edge.second, edge.first}) == 0) {
      shell.add_face({edge.second, edge.first, edge.first + n, edge.second + n});
    }
  }
  return shell;
}

Surface mirrored(const Surface& surface) {
  Surface other;
  for (const Vec3& p : surface.positions) other.positions.emplace_back(-p.x(), p.y(), p.z());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    other.add_face(std::vector<Index>(face.rbegin(), face.rend()));
  }
  return other;
}

}  // namespace isochor::model
