#pragma once

/// Frames of offsets as combinations of a few directions. Private to the module.

#include <Eigen/Core>
#include <vector>

#include "isochor/bake/morph_basis.h"

namespace isochor {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What the decomposition works on, #frames × 3 #moved: offsets of some vertices, in units of their size.
Rows relative_frames(const MorphBasisInput& input, std::span<const Index> vertices, const Context& context);

/// frames ≈ coefficients · basis.
struct MorphSpan {
  Rows basis;         // #S × 3 #moved
  Rows coefficients;  // #frames × #S
};

/// Frames, each time those that are worst off, until no vertex of any is farther than `stop` from the span of those
/// taken (Gram-Schmidt with pivots in the norm that counts). The basis has orthonormal rows.
MorphSpan greedy_span(Rows frames, double stop, Context& context);

/// Both turn a span so that its first rows carry as much of the frames as any so many can, and leave the coefficients'
/// columns orthonormal. The first needs a basis of orthonormal rows, the second coefficients of orthonormal columns.
void turn_by_coefficients(MorphSpan& span);
void turn_by_basis(MorphSpan& span);

/// rows -= coefficients · basis, frame by frame.
void subtract(Rows& rows, const Eigen::Ref<const Rows>& coefficients, const Eigen::Ref<const Rows>& basis,
              const Context& context);

}  // namespace isochor
