#pragma once

/// The field about a medial complex (Bloomenthal 2002, section 5): a filter of finite extent drawn over every point of
/// it. The filter is (1 - d²/R²)² up to the distance R, which is proportional to the radius of the complex and varies
/// with it; over a segment it is summed by length/R, over a triangle by area/R², so that scale makes no difference.
///
/// Each primitive's field is shared out to its vertices by their barycentric coordinates. Since these add up to 1, and
/// the field of a whole is the sum of those of its parts, cutting a primitive into parts changes nothing.
///
/// Integrals are cut where the filter ends and taken by Gauss's rule in between: relative to the field at its strongest
/// the error is below 1e-7 if R does not vary by more than a factor of 2 over the primitive.

#include <array>
#include <span>
#include <vector>

#include "isochor/medial/complex.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// A vertex of a primitive: its place and how far the filter reaches there.
struct FilterPoint {
  Vec3 position = Vec3::Zero();
  double reach = 1;
};

/// The field of a primitive at q, by vertex.
double convolve_point(const FilterPoint& a, const Vec3& q);
std::array<double, 2> convolve_segment(const FilterPoint& a, const FilterPoint& b, const Vec3& q);
std::array<double, 3> convolve_triangle(const FilterPoint& a, const FilterPoint& b, const FilterPoint& c,
                                        const Vec3& q);

/// Prepared for a complex: which of its primitives reach where.
class MedialField {
 public:
  /// `reach` (#M): how far the filter reaches at each vertex. Keeps a reference to the complex, which must outlive it.
  MedialField(const MedialComplex& complex, std::vector<double> reach);

  /// The field at q by vertex of the complex, by increasing vertex; Influence::joint is the vertex. Empty where no
  /// filter reaches. `out` is overwritten.
  void at(const Vec3& q, std::vector<Influence>& out) const;

  const std::vector<double>& reach() const { return reach_; }

 private:
  FilterPoint vertex(Index v) const { return {complex_.positions[v], reach_[v]}; }
  std::array<int, 3> bin_of(const Vec3& q) const;
  void fill_bins(std::span<const Box> primitives);

  const MedialComplex& complex_;
  std::vector<double> reach_;
  Box box_;
  Vec3 bins_per_length_ = Vec3::Zero();
  std::vector<std::size_t> bin_begin_;  ///< into binned_
  std::vector<Index> binned_;           ///< by bin, the primitives near it: points, then segments, then triangles
};

}  // namespace isochor
