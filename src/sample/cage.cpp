#include "sample/cage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "isochor/base/error.h"
#include "sample/axes.h"
#include "sample/poser.h"
#include "sample/relax.h"

namespace isochor::model {
namespace {

constexpr int kRounds = 8;
constexpr double kSamePlace = 1e-6;
constexpr double kFacing = 0.7;

/// n points, counter-clockwise about the axis.
std::vector<Vec3> ring_points(const Ring& ring, std::size_t n) {
  const Vec3 axis = ring.axis.normalized();
  const Vec3 up = (ring.up - axis * axis.dot(ring.up)).normalized();
  const Vec3 side = axis.cross(up);
  const double phase = n == 4 ? 0.125 : 0;
  std::vector<Vec3> points;
  for (std::size_t c = 0; c < n; ++c) {
    const double turn = phase + static_cast<double>(c) / static_cast<double>(n);
    points.push_back(ring.center + ring.up_radius * wave(turn + 0.25) * up + ring.side_radius * wave(turn) * side);
  }
  return points;
}

Vec3 mean(const std::vector<Vec3>& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

/// How far to rotate `to` so that its corners point the way those of `from` do.
std::size_t best_rotation(const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
  const Vec3 c0 = mean(from);
  const Vec3 c1 = mean(to);
  std::size_t best = 0;
  double best_fit = -std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < from.size(); ++r) {
    double fit = 0;
    for (std::size_t c = 0; c < from.size(); ++c) {
      fit += (from[c] - c0).normalized().dot((to[(c + r) % to.size()] - c1).normalized());
    }
    // A margin: of rotations that fit equally well both sides of a character must take the same.
    if (fit > best_fit + 1e-9) {
      best_fit = fit;
      best = r;
    }
  }
  return best;
}

double mean_edge(const Surface& surface) {
  double sum = 0;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    for (std::size_t c = 0; c < 4; ++c)
      sum += (surface.positions[face[c]] - surface.positions[face[(c + 1) % 4]]).norm();
  }
  return sum / static_cast<double>(surface.corners.size());
}

std::vector<Index> match_reflections(const std::vector<Vec3>& positions) {
  std::vector<Index> mirror(positions.size(), kNone);
  for (std::size_t v = 0; v < positions.size(); ++v) {
    for (std::size_t m = 0; m < positions.size() && mirror[v] == kNone; ++m) {
      if ((reflect(positions[v]) - positions[m]).norm() < kSamePlace) mirror[v] = static_cast<Index>(m);
    }
    if (mirror[v] == kNone) throw_bad_input("the cage is not symmetric at one of its vertices", static_cast<Index>(v));
  }
  return mirror;
}

using EdgeKey = std::pair<Index, Index>;
EdgeKey edge_key(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

/// The sums that the rules of Catmull and Clark need, by edge and by vertex.
struct SplitSums {
  std::map<EdgeKey, Vec3> edge;  // of the centres of the two faces at an edge
  std::vector<Vec3> faces;       // of the centres of the faces at a vertex
  std::vector<Vec3> neighbours;  // of the vertices at the other ends of its edges
  std::vector<int> valence;
};

SplitSums sum_around(const Surface& in, const std::vector<Vec3>& centers) {
  SplitSums sums;
  sums.faces.assign(in.vertex_count(), Vec3::Zero());
  sums.neighbours = sums.faces;
  sums.valence.assign(in.vertex_count(), 0);
  for (std::size_t f = 0; f < in.face_count(); ++f) {
    const auto q = in.face(f);
    for (std::size_t c = 0; c < 4; ++c) {
      const Index next = q[(c + 1) % 4];
      sums.edge.try_emplace(edge_key(q[c], next), Vec3::Zero()).first->second += centers[f];
      sums.faces[q[c]] += centers[f];
      sums.neighbours[q[c]] += in.positions[next];
      ++sums.valence[q[c]];
    }
  }
  return sums;
}

/// Vertices of the finer mesh: corners, then middles of edges, then centres of faces.
void place_split(const Surface& in, std::vector<Vec3>& points, std::map<EdgeKey, Index>& middle) {
  std::vector<Vec3> centers;
  for (std::size_t f = 0; f < in.face_count(); ++f) {
    const auto q = in.face(f);
    centers.push_back((in.positions[q[0]] + in.positions[q[1]] + in.positions[q[2]] + in.positions[q[3]]) / 4);
  }
  const SplitSums sums = sum_around(in, centers);
  for (std::size_t v = 0; v < in.vertex_count(); ++v) {
    const double n = sums.valence[v];
    const Vec3 faces = sums.faces[v] / n;
    const Vec3 edges = (in.positions[v] + sums.neighbours[v] / n) / 2;
    points.push_back((faces + 2 * edges + (n - 3) * in.positions[v]) / n);
  }
  for (const auto& [key, sum] : sums.edge) {
    middle[key] = static_cast<Index>(points.size());
    points.push_back((in.positions[key.first] + in.positions[key.second] + sum) / 4);
  }
  points.insert(points.end(), centers.begin(), centers.end());
}

using FaceKey = std::array<Index, 4>;
FaceKey face_key(FaceKey key) {
  std::sort(key.begin(), key.end());
  return key;
}

/// One step of Catmull-Clark subdivision: every quad becomes four, which stay together in the order of the faces.
QuadMesh split(const QuadMesh& coarse) {
  const Surface& in = coarse.surface;
  QuadMesh fine;
  std::map<EdgeKey, Index> middle;
  place_split(in, fine.surface.positions, middle);
  const auto first_center = static_cast<Index>(fine.surface.positions.size() - in.face_count());
  std::map<FaceKey, Index> center;
  for (std::size_t f = 0; f < in.face_count(); ++f) {
    const auto q = in.face(f);
    const Index hub = first_center + static_cast<Index>(f);
    center[face_key({q[0], q[1], q[2], q[3]})] = hub;
    for (std::size_t c = 0; c < 4; ++c) {
      fine.surface.add_face(
          {q[c], middle[edge_key(q[c], q[(c + 1) % 4])], hub, middle[edge_key(q[(c + 3) % 4], q[c])]});
    }
  }
  const std::vector<Index>& m = coarse.mirror;
  fine.mirror = m;
  fine.mirror.resize(fine.surface.vertex_count());
  for (const auto& [key, v] : middle) fine.mirror[v] = middle.at(edge_key(m[key.first], m[key.second]));
  for (const auto& [key, v] : center)
    fine.mirror[v] = center.at(face_key({m[key[0]], m[key[1]], m[key[2]], m[key[3]]}));
  return fine;
}

}  // namespace

Cage Cage::block(const std::array<int, 3>& cells, const std::function<Vec3(int, int, int)>& position) {
  Cage cage;
  std::map<std::array<int, 3>, Index> vertex;
  const auto corner = [&](const std::array<int, 3>& at) {
    const auto [it, fresh] = vertex.emplace(at, static_cast<Index>(cage.positions_.size()));
    if (fresh) cage.positions_.push_back(position(at[0], at[1], at[2]));
    return it->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (const bool far : {false, true}) {
      for (int a = 0; a < cells[u]; ++a) {
        for (int b = 0; b < cells[v]; ++b) {
          std::array<int, 3> at{};
          at[axis] = far ? cells[axis] : 0;
          Quad quad;
          for (int c = 0; c < 4; ++c) {
            at[u] = a + (c == 1 || c == 2 ? 1 : 0);
            at[v] = b + (c >= 2 ? 1 : 0);
            quad[c] = corner(at);
          }
          if (!far) std::swap(quad[1], quad[3]);
          cage.faces_.push_back(quad);
          cage.materials_.push_back(kNone);
        }
      }
    }
  }
  return cage;
}

Vec3 Cage::center(const Quad& face) const {
  return (positions_[face[0]] + positions_[face[1]] + positions_[face[2]] + positions_[face[3]]) / 4;
}

Vec3 Cage::normal(const Quad& face) const {
  return (positions_[face[2]] - positions_[face[0]]).cross(positions_[face[3]] - positions_[face[1]]).normalized();
}

Index Cage::face_at(const Vec3& point, const Vec3& facing) const {
  Index best = kNone;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (normal(faces_[f]).dot(facing.normalized()) < kFacing) continue;
    const double d = (center(faces_[f]) - point).norm();
    if (d < best_distance) {
      best_distance = d;
      best = static_cast<Index>(f);
    }
  }
  if (best == kNone) throw_bad_input("the cage has no face that looks in the direction asked for");
  return best;
}

std::vector<Index> Cage::faces_at(const std::vector<Vec3>& points, const Vec3& facing) const {
  std::vector<Index> patch;
  for (const Vec3& p : points) {
    const Index f = face_at(p, facing);
    if (std::find(patch.begin(), patch.end(), f) == patch.end()) patch.push_back(f);
  }
  return patch;
}

std::vector<Index> Cage::mirrored(const std::vector<Index>& patch) const {
  std::vector<Index> other;
  other.reserve(patch.size());
  for (const Index f : patch) other.push_back(face_at(reflect(center(faces_[f])), reflect(normal(faces_[f]))));
  return other;
}

/// The vertices around a patch, counter-clockwise.
std::vector<Index> Cage::boundary(const std::vector<Index>& patch) const {
  std::map<Index, Index> next;
  for (const Index f : patch) {
    for (int c = 0; c < 4; ++c) {
      const Index a = faces_[f][c];
      const Index b = faces_[f][(c + 1) % 4];
      const bool inner = std::any_of(patch.begin(), patch.end(), [&](Index other) {
        for (int d = 0; d < 4; ++d) {
          if (faces_[other][d] == b && faces_[other][(d + 1) % 4] == a) return true;
        }
        return false;
      });
      if (!inner) next[a] = b;
    }
  }
  std::vector<Index> loop{next.begin()->first};
  while (next.at(loop.back()) != loop.front()) loop.push_back(next.at(loop.back()));
  if (loop.size() != next.size()) throw_bad_input("the patch to extrude is not in one piece", patch.front());
  return loop;
}

/// Vertices inside a patch settle at the mean of their neighbours.
void Cage::spread_inside(const std::vector<Index>& patch) {
  const std::vector<Index> loop = boundary(patch);
  const std::set<Index> rim(loop.begin(), loop.end());
  for (int round = 0; round < 30; ++round) {
    std::map<Index, std::pair<Vec3, int>> sums;
    for (const Index f : patch) {
      for (std::size_t c = 0; c < 4; ++c) {
        auto& [sum, count] = sums.try_emplace(faces_[f][c], Vec3::Zero(), 0).first->second;
        sum += positions_[faces_[f][(c + 1) % 4]];
        ++count;
      }
    }
    for (const auto& [v, mean_of] : sums) {
      if (rim.count(v) == 0) positions_[v] = mean_of.first / mean_of.second;
    }
  }
}

void Cage::extrude(const std::vector<Index>& patch, const Ring& ring) {
  if (std::set<Index>(patch.begin(), patch.end()).size() != patch.size()) {
    throw_bad_input("a face comes twice in the patch to extrude", patch.front());
  }
  const std::vector<Index> loop = boundary(patch);
  std::vector<Vec3> from;
  from.reserve(loop.size());
  for (const Index v : loop) from.push_back(positions_[v]);
  const std::vector<Vec3> to = ring_points(ring, loop.size());
  const std::size_t rotation = best_rotation(from, to);

  std::map<Index, Index> moved;
  for (std::size_t c = 0; c < loop.size(); ++c) {
    moved[loop[c]] = static_cast<Index>(positions_.size());
    positions_.push_back(to[(c + rotation) % to.size()]);
  }
  for (const Index f : patch) {
    for (Index& v : faces_[f]) {
      const auto it = moved.find(v);
      if (it != moved.end()) v = it->second;
    }
  }
  spread_inside(patch);
  for (std::size_t c = 0; c < loop.size(); ++c) {
    const Index a = loop[c];
    const Index b = loop[(c + 1) % loop.size()];
    faces_.push_back({a, b, moved[b], moved[a]});
    materials_.push_back(materials_[patch.front()]);
  }
}

void Cage::extrude(const std::vector<Index>& patch, const Course& course) {
  const std::vector<Knot>& knots = course.knots;
  const auto side = [](const Knot& knot) { return knot.side_radius > 0 ? knot.side_radius : knot.up_radius; };
  for (std::size_t k = 0; k < knots.size(); ++k) {
    const Vec3 into = k > 0 ? Vec3(knots[k].center - knots[k - 1].center).normalized() : course.start;
    const Vec3 out = k + 1 < knots.size() ? Vec3(knots[k + 1].center - knots[k].center).normalized() : into;
    const int rings = k == 0 ? 1 : knots[k].rings;
    for (int r = 1; r <= rings; ++r) {
      Ring ring;
      const double t = static_cast<double>(r) / rings;
      const Knot& last = knots[k == 0 ? 0 : k - 1];
      ring.center = (1 - t) * last.center + t * knots[k].center;
      ring.up_radius = (1 - t) * last.up_radius + t * knots[k].up_radius;
      ring.side_radius = (1 - t) * side(last) + t * side(knots[k]);
      ring.axis = r < rings ? into : Vec3(into + out);
      ring.up = course.up;
      extrude(patch, ring);
    }
  }
}

void Cage::extrude_pair(const std::vector<Index>& patch, const Course& course) {
  const std::vector<Index> other = mirrored(patch);
  Course reflected = course;
  for (Knot& knot : reflected.knots) knot.center = reflect(knot.center);
  reflected.up = reflect(course.up);
  reflected.start = reflect(course.start);
  extrude(patch, course);
  extrude(other, reflected);
}

void Cage::paint(const std::vector<Index>& patch, Index material) {
  for (const Index f : patch) materials_[f] = material;
}

void Cage::paint_pair(const std::vector<Index>& patch, Index material) {
  paint(patch, material);
  paint(mirrored(patch), material);
}

std::vector<Index> Cage::materials(int levels) const {
  const auto quads = std::size_t{1} << (2 * levels);
  std::vector<Index> fine;
  for (const Index material : materials_) fine.insert(fine.end(), quads, material);
  return fine;
}

Surface Cage::surface() const {
  Surface surface;
  surface.positions = positions_;
  for (const Quad& face : faces_) surface.add_face(face);
  return surface;
}

QuadMesh Cage::fit(const ImplicitShape& shape, int levels, const Context& context) const {
  QuadMesh mesh;
  mesh.surface = surface();
  mesh.mirror = match_reflections(positions_);
  symmetrise(mesh);
  for (int level = 0; level < levels; ++level) mesh = split(mesh);
  mesh.cell = mean_edge(mesh.surface);
  symmetrise(mesh);
  relax(shape, kRounds, mesh, context);
  return mesh;
}

}  // namespace isochor::model
