#pragma once

/// Frames of offsets as combinations of a few directions. Private to the module.

#include <span>
#include <vector>

#include "base/matrix_product.h"
#include "isochor/bake/morph_basis.h"

namespace isochor {

/// Frames that one task takes.
inline constexpr std::size_t kFramesPerTask = 16;

/// What the decomposition works on, #frames × 3 #moved: offsets of some vertices, in units of their size.
Rows relative_frames(const MorphBasisInput& input, std::span<const Index> vertices, const Context& context);

/// frames ≈ coefficients · basis.
struct MorphSpan {
  Rows basis;         // #S × 3 #moved
  Rows coefficients;  // #frames × #S
};

/// Frames, each time some of those that are worst off, until no vertex of any is farther than `stop` from the span of
/// those taken. The basis has orthonormal rows.
MorphSpan greedy_span(Rows frames, double stop, Context& context);

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
OffsetErrors add_and_measure(Rows& rows, double sign, const RowsView& coefficients, const RowsView& basis,
                             const Context& context);
OffsetErrors offset_errors(const Rows& rows, const Context& context);

}  // namespace isochor
