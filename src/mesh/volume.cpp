#include "isochor/mesh/volume.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/numbers.h"
#include "mesh/ring_kernels.h"

namespace isochor {
namespace {

/// Six times the volume of the tetrahedron between a triangle and the origin.
double det(const Vec3& a, const Vec3& b, const Vec3& c) { return a.dot(b.cross(c)); }

double fan_about_mean(std::span<const Vec3> ring) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : ring) mean += p;
  mean /= static_cast<double>(ring.size());
  double sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) sum += det(mean, ring[i], ring[(i + 1) % ring.size()]);
  return sum;
}

double face_sum(std::span<const Vec3> p) {
  if (p.size() == 3) return det(p[0], p[1], p[2]);
  if (p.size() == 4) {
    // The bilinear patch of Rohmer 2009, eq. 2, encloses the mean of what its two triangulations enclose.
    return 0.5 * (det(p[0], p[1], p[2]) + det(p[0], p[2], p[3]) + det(p[0], p[1], p[3]) + det(p[1], p[2], p[3]));
  }
  return fan_about_mean(p);
}

/// The loops whose caps close a component. Where more than two faces meet in an edge, some of them may have no partner
/// there: such edges need a cap as well, or the volume would depend on where the origin is.
std::vector<std::vector<Index>> closing_loops(const Surface& surface, const Component& component) {
  return component.manifold ? component.boundary_loops : boundary_loops(surface, component, component.faces);
}

}  // namespace

double signed_volume(const Surface& surface, const Component& component) {
  return signed_volume(surface, component, surface.positions);
}

double signed_volume(const Surface& surface, const Component& component, std::span<const Vec3> positions) {
  // Coordinates about the component's own centre: far from the origin the terms would cancel badly.
  Vec3 centre = Vec3::Zero();
  for (const Index v : component.vertices) centre += positions[v];
  if (!component.vertices.empty()) centre /= static_cast<double>(component.vertices.size());

  std::vector<Vec3> ring;
  const auto load = [&](std::span<const Index> vertices) {
    ring.clear();
    for (const Index v : vertices) ring.push_back(positions[v] - centre);
  };
  double sum = 0;
  auto flip = component.flips.begin();
  for (const Index f : component.faces) {
    load(surface.face(f));
    const bool flipped = flip != component.flips.end() && *flip == f;
    if (flipped) ++flip;
    sum += flipped ? -face_sum(ring) : face_sum(ring);
  }
  for (const auto& loop : closing_loops(surface, component)) {
    load(loop);
    // The surface lies to the left of the loop, so the cap runs through it the other way.
    sum -= fan_about_mean(ring);
  }
  return sum / 6;
}

std::vector<std::vector<Index>> boundary_loops(const Surface& surface, const Component& component,
                                               std::span<const Index> faces) {
  // How many more faces run through an edge forward than backward, for each direction with a surplus.
  std::map<std::pair<Index, Index>, int> surplus;
  for (const Index f : faces) {
    const auto face = surface.face(f);
    const bool flipped = std::binary_search(component.flips.begin(), component.flips.end(), f);
    for (std::size_t i = 0; i < face.size(); ++i) {
      Index a = face[i], b = face[(i + 1) % face.size()];
      if (flipped) std::swap(a, b);
      const auto back = surplus.find({b, a});
      if (back == surplus.end()) {
        ++surplus[{a, b}];
      } else if (--back->second == 0) {
        surplus.erase(back);
      }
    }
  }
  // As many edges leave a vertex as arrive, so that every walk comes back to where it began.
  std::vector<std::vector<Index>> loops;
  while (!surplus.empty()) {
    std::vector<Index> loop;
    const Index start = surplus.begin()->first.first;
    Index at = start;
    do {
      loop.push_back(at);
      const auto edge = surplus.lower_bound({at, 0});
      if (edge == surplus.end() || edge->first.first != at) break;
      at = edge->first.second;
      if (--edge->second == 0) surplus.erase(edge);
    } while (at != start);
    loops.push_back(std::move(loop));
  }
  return loops;
}

VolumeFunctional::VolumeFunctional(const Surface& surface, const Component& component) {
  for (const Index f : component.faces) {
    add_ring(surface.face(f), std::binary_search(component.flips.begin(), component.flips.end(), f));
  }
  const auto loops = closing_loops(surface, component);
  for (const auto& loop : loops) add_ring(loop, true);
  caps_ = loops.size();
  collect_vertices();
}

VolumeFunctional::VolumeFunctional(const Surface& surface, const Component& component, std::span<const Index> faces) {
  for (const Index f : faces) {
    add_ring(surface.face(f), std::binary_search(component.flips.begin(), component.flips.end(), f));
  }
  const auto loops = boundary_loops(surface, component, faces);
  for (const auto& loop : loops) add_ring(loop, true);
  caps_ = loops.size();
  collect_vertices();
}

VolumeFunctional::VolumeFunctional(std::span<const std::vector<Index>> rings, std::size_t caps) : caps_(caps) {
  for (const auto& ring : rings) add_ring(ring, false);
  collect_vertices();
}

void VolumeFunctional::add_ring(std::span<const Index> ring, bool reversed) {
  if (begin_.empty()) begin_.push_back(0);
  if (reversed) {
    corners_.insert(corners_.end(), ring.rbegin(), ring.rend());
  } else {
    corners_.insert(corners_.end(), ring.begin(), ring.end());
  }
  all_rings_.push_back(static_cast<Index>(begin_.size()) - 1);
  begin_.push_back(static_cast<Index>(corners_.size()));
}

void VolumeFunctional::collect_vertices() {
  vertices_ = corners_;
  std::sort(vertices_.begin(), vertices_.end());
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
}

VolumeFunctional VolumeFunctional::around(std::span<const Index> support) const { return select(support, true); }
VolumeFunctional VolumeFunctional::apart_from(std::span<const Index> support) const { return select(support, false); }

VolumeFunctional VolumeFunctional::select(std::span<const Index> support, bool touching) const {
  VolumeFunctional part;
  if (vertices_.empty()) return part;
  std::vector<char> moves(static_cast<std::size_t>(vertices_.back()) + 1, 0);
  for (const Index v : support) {
    if (v <= vertices_.back()) moves[v] = 1;
  }
  for (std::size_t r = 0; r < ring_count(); ++r) {
    const auto corners = ring(r);
    const bool touched = std::any_of(corners.begin(), corners.end(), [&](Index v) { return moves[v] != 0; });
    if (touched != touching) continue;
    part.add_ring(corners, false);
    if (r >= ring_count() - caps_) ++part.caps_;
  }
  part.collect_vertices();
  return part;
}

double VolumeFunctional::volume(std::span<const Vec3> positions) const {
  return vertices_.empty() ? 0 : volume(positions, positions[vertices_.front()]);
}

double VolumeFunctional::volume(std::span<const Vec3> positions, const Vec3& origin) const {
  return ring_kernels::best().volume({begin_.data(), corners_.data(), all_rings_.data(), all_rings_.size()},
                                     {numbers(positions), origin.data()});
}

void VolumeFunctional::ring_volumes(std::span<const Vec3> positions, const RingView& of, std::span<double> out,
                                    std::span<Vec3> areas) const {
  ring_kernels::best().measure({begin_.data(), corners_.data(), of.rings.data(), of.rings.size()},
                               {numbers(positions), of.origin.data()}, {out.data(), numbers(areas)});
}

void VolumeFunctional::gradient(std::span<const Vec3> positions, std::span<Vec3> out) const {
  if (!vertices_.empty()) gradient(positions, {positions[vertices_.front()], all_rings_}, out, {});
}

void VolumeFunctional::gradient(std::span<const Vec3> positions, const RingView& of, std::span<Vec3> out,
                                std::span<double> ring_volumes, std::span<Vec3> areas) const {
  for (const Index v : vertices_) out[v].setZero();
  ring_kernels::best().gradient({begin_.data(), corners_.data(), of.rings.data(), of.rings.size()},
                                {numbers(positions), of.origin.data()}, numbers(out),
                                {ring_volumes.data(), numbers(areas)});
}

VolumeCubic VolumeFunctional::along(std::span<const Vec3> positions, std::span<const Vec3> direction) const {
  return vertices_.empty() ? VolumeCubic()
                           : along(positions, direction, {positions[vertices_.front()], all_rings_}, {});
}

VolumeCubic VolumeFunctional::along(std::span<const Vec3> positions, std::span<const Vec3> direction,
                                    const RingView& of, std::span<double> ring_volumes) const {
  std::array<double, 3> cubic;
  ring_kernels::best().along({begin_.data(), corners_.data(), of.rings.data(), of.rings.size()},
                             {numbers(positions), of.origin.data()}, numbers(direction), ring_volumes.data(),
                             cubic.data());
  return {cubic[0], cubic[1], cubic[2]};
}

void VolumeFunctional::areas(std::span<const Vec3> positions, std::span<double> out) const {
  if (vertices_.empty()) return;
  for (const Index v : vertices_) out[v] = 0;
  for (std::size_t r = 0; r < ring_count() - caps_; ++r) {
    const auto corners = ring(r);
    const double share = area_vector(positions, corners).norm() / static_cast<double>(corners.size());
    for (const Index v : corners) out[v] += share;
  }
}

}  // namespace isochor
