#pragma once

/// Quads slide over an implicit surface until they are even.

#include "isochor/base/context.h"
#include "isochor/sample/polygonize.h"

namespace isochor::model {

/// Brings every vertex to the shape's surface; then, each round, moves it towards the mean of its neighbours within the
/// tangent plane, and back to the surface. The mesh must be closed and oriented; its mirror symmetry is kept exactly.
void relax(const ImplicitShape& shape, int rounds, QuadMesh& mesh, const Context& context);

/// Makes the positions exactly symmetric: of a vertex and its reflection the one with the higher index is copied.
void symmetrise(QuadMesh& mesh);

}  // namespace isochor::model
