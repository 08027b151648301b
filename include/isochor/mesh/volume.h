#pragma once

/// The enclosed volume as a trilinear function of the vertices (Rohmer 2009, eq. 1 and 2).

#include <span>
#include <vector>

#include "isochor/mesh/topology.h"

namespace isochor {

/// The signed volume of a component: triangles, bilinear quads (the mean of both triangulations), n-gons as a fan about
/// the mean of their corners, and boundary loops closed by a fan about theirs. Positive if faces point outward.
/// `component.flips` are applied, so that an orientable component is measured consistently.
double signed_volume(const Surface& surface, const Component& component, std::span<const Vec3> positions);
double signed_volume(const Surface& surface, const Component& component);

/// V(p + t d) - V(p) = c1 t + c2 t² + c3 t³.
struct VolumeCubic {
  double c1 = 0, c2 = 0, c3 = 0;

  double operator()(double t) const { return t * (c1 + t * (c2 + t * c3)); }
  double slope(double t) const { return c1 + t * (2 * c2 + t * 3 * c3); }
};

/// Some rings of a functional, and where they are seen from: sums over closed sets of rings are volumes, over others
/// they depend on the origin.
struct RingView {
  Vec3 origin = Vec3::Zero();
  std::span<const Index> rings = {};
};

/// The volume of a closed patch as a sum over rings of vertices, ready to be evaluated, differentiated and expanded
/// along a direction. A ring of n corners is a face, or the cap over a boundary loop; it adds
///
///   s · N / 6n,   s = Σ p_i,   N = Σ p_i × p_{i+1},
///
/// which is the fan about the mean of its corners; for n = 3 that is det(a, b, c) / 6, and for n = 4 it is the bilinear
/// patch of Rohmer 2009, eq. 2, so that one formula serves all.
///
/// Positions are taken relative to the first vertex, sums run in double and in the order of the faces: the same bits in
/// every call. Nothing is allocated after construction.
class VolumeFunctional {
 public:
  VolumeFunctional() = default;
  /// A whole component, its boundary loops capped and its flips applied.
  VolumeFunctional(const Surface& surface, const Component& component);
  /// Some faces of a component (increasing), closed by a cap over each of their boundary loops.
  VolumeFunctional(const Surface& surface, const Component& component, std::span<const Index> faces);

  /// The rings that around() leaves out.
  VolumeFunctional apart_from(std::span<const Index> support) const;
  /// Given rings, the last `caps` of them caps.
  VolumeFunctional(std::span<const std::vector<Index>> rings, std::size_t caps);

  /// Only the rings that have a corner in `support`: every *difference* of this functional between two shapes that
  /// agree outside the support, its gradient on the support and its cubics along directions that vanish elsewhere are
  /// those of the whole, at the cost of the support.
  VolumeFunctional around(std::span<const Index> support) const;

  /// The vertices of all rings, increasing.
  std::span<const Index> vertices() const { return vertices_; }
  std::size_t ring_count() const { return begin_.empty() ? 0 : begin_.size() - 1; }
  /// Faces come first, then the caps.
  std::size_t cap_count() const { return caps_; }
  std::span<const Index> ring(std::size_t r) const {
    return {corners_.data() + begin_[r], corners_.data() + begin_[r + 1]};
  }

  double volume(std::span<const Vec3> positions) const;
  /// Every ring, for views of the whole.
  std::span<const Index> all_rings() const { return all_rings_; }
  /// Writes out[r], what each ring of the view adds to the volume, and areas[r], its area vector N / 2, if these are
  /// given.
  void ring_volumes(std::span<const Vec3> positions, const RingView& view, std::span<double> out,
                    std::span<Vec3> areas = {}) const;
  /// Σ of ring_volumes() of all rings.
  double volume(std::span<const Vec3> positions, const Vec3& origin) const;
  /// Writes out[v] = ∂V/∂p_v for v in vertices() and leaves the rest of `out` (#V) as it is.
  void gradient(std::span<const Vec3> positions, std::span<Vec3> out) const;
  /// The coefficients along `direction` (#V; read at vertices() only).
  VolumeCubic along(std::span<const Vec3> positions, std::span<const Vec3> direction) const;
  /// gradient() and ring_volumes() in one pass. What other rings would add to the gradient is left out.
  void gradient(std::span<const Vec3> positions, const RingView& view, std::span<Vec3> out,
                std::span<double> ring_volumes, std::span<Vec3> areas = {}) const;
  /// along() and ring_volumes() in one pass.
  VolumeCubic along(std::span<const Vec3> positions, std::span<const Vec3> direction, const RingView& view,
                    std::span<double> ring_volumes) const;
  /// Writes out[v], for v in vertices(), as the share of v in the areas of its faces: |N| / 2n of each, caps left out.
  void areas(std::span<const Vec3> positions, std::span<double> out) const;

 private:
  std::vector<Index> begin_;    // #rings+1 into corners_
  std::vector<Index> corners_;  // vertices
  std::vector<Index> vertices_;
  std::vector<Index> all_rings_;
  std::size_t caps_ = 0;

  VolumeFunctional select(std::span<const Index> support, bool touching) const;
  void add_ring(std::span<const Index> ring, bool reversed);
  void collect_vertices();
};

/// The boundary loops of some faces of a component (increasing; flips applied): vertices in order, the surface on the
/// left. A vertex where loops touch is passed by each of them.
std::vector<std::vector<Index>> boundary_loops(const Surface& surface, const Component& component,
                                               std::span<const Index> faces);

}  // namespace isochor
