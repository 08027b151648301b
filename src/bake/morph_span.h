#pragma once

/// Frames of offsets as combinations of a few directions. Private to the module.

#include <span>
#include <vector>

#include "base/matrix_product.h"
#include "isochor/bake/morph_basis.h"

namespace isochor {

/// Frames that one task takes.
inline constexpr std::size_t kFramesPerTask = 16;

/// What the decomposition works on, #frames × 3 #moved: offsets of some vertices, in units of their size. In single
/// precision (Scalar is float) where the tolerance allows it: there is no quicker way through so many numbers.
template <class Scalar>
RowsOf<Scalar> relative_frames(const MorphBasisInput& input, std::span<const Index> vertices, const Context& context);

/// frames ≈ coefficients · basis.
struct MorphSpan {
  Rows basis;         // #S × 3 #moved
  Rows coefficients;  // #frames × #S
};

/// Frames, each time some of those that are worst off, until no vertex of any is farther than `stop` from the span of
/// those taken. The basis has orthonormal rows.
template <class Scalar>
MorphSpan greedy_span(RowsOf<Scalar> frames, double stop, Context& context);

/// Both turn a span so that its first rows carry as much of the frames as any so many can, and leave the coefficients'
/// columns orthonormal. The first needs a basis of orthonormal rows, the second coefficients of orthonormal columns.
void turn_by_coefficients(MorphSpan& span, const Context& context);
void turn_by_basis(MorphSpan& span, const Context& context);

/// The longest offsets among rows of them.
struct OffsetErrors {
  std::vector<double> by_row;     // #rows: the longest of a frame
  std::vector<double> by_vertex;  // #columns / 3: the longest of a vertex
};
/// rows += sign · coefficients · basis, and what that makes of them.
template <class Scalar>
OffsetErrors add_and_measure(RowsOf<Scalar>& rows, double sign, const RowsViewOf<Scalar>& coefficients,
                             const RowsViewOf<Scalar>& basis, const Context& context);
template <class Scalar>
OffsetErrors offset_errors(const RowsOf<Scalar>& rows, const Context& context);

}  // namespace isochor
