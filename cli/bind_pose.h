#pragma once

/// Where the joints were when a character was bound.

#include <vector>

#include "isochor/rig/character.h"

namespace isochor::cli {

/// Joint-to-mesh matrices at bind time, #J of the skeleton. Joints that no skin uses stand as they do at rest relative
/// to those that the first skin uses; without any skin, all stand at rest.
std::vector<Affine> bind_matrices(const Character& character);

}  // namespace isochor::cli
