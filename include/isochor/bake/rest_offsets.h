#pragma once

/// A deformed surface expressed as offsets in the rest pose, so that a viewer that knows morph targets and linear blend
/// skinning alone shows it.

#include <span>
#include <vector>

#include "isochor/base/types.h"

namespace isochor {

struct RestOffsets {
  std::vector<Vec3> positions;  // #V
  std::vector<Vec3> normals;    // #V, or empty if no normals were given
  /// The largest distance between the target and what the maps make of rest + offset: not zero if a map is singular.
  double max_residual = 0;
};

/// What is to be reached, and from where.
struct OffsetInput {
  std::span<const Mat34> maps = {};           // #V: the viewer's map of each vertex (linear blend skinning)
  std::span<const Vec3> rest = {};            // #V
  std::span<const Vec3> target = {};          // #V
  std::span<const Vec3> rest_normals = {};    // #V or empty
  std::span<const Vec3> target_normals = {};  // #V or empty
};

/// positions: c with M (rest + c) = target, so c = linear(M)^-1 (target - M rest). Where M is nearly singular (a 180°
/// twist flattens the skin) the inverse is damped, so that offsets stay of the size of the character. normals: n with
/// rest_normal + n ∥ linear(M)^T target_normal, since viewers turn normals by the inverse transpose.
RestOffsets rest_offsets(const OffsetInput& input);

}  // namespace isochor
