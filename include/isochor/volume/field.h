#pragma once

/// Where, and along what, one joint gives or takes volume in one pose: what effects produce and solvers consume.

#include <array>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/types.h"

namespace isochor {

/// Along what a joint displaces the skin.
enum class CorrectionDirection {
  normal,  ///< along the vertex normals
  axes,    ///< along the axes of the joint, in shares μ
};
template <>
struct EnumNames<CorrectionDirection> {
  static constexpr std::array names{"normal", "axes"};
};

/// One joint's correction field in one pose: map γ, directions, shares μ (docs/design/volume.md, "One field").
struct CorrectionField {
  std::vector<Index> vertices;  ///< the support, increasing: vertices outside do not move, bit for bit
  std::vector<double> gamma;    ///< #vertices, > 0; only ratios matter
  CorrectionDirection direction = CorrectionDirection::normal;
  Mat3 axes = Mat3::Identity();             ///< columns e_0, e_1, e_2 in posed space, orthonormal (axes only)
  Vec3 shares = Vec3::Constant(1.0 / 3.0);  ///< μ_0 + μ_1 + μ_2 = 1 (axes only)
};

}  // namespace isochor
