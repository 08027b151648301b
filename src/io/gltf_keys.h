#pragma once

/// Keys of animations as files hold them: times may stand still, run backwards or be no numbers.

#include <cstddef>
#include <vector>

namespace isochor::gltf {

/// Leaves out every key whose time is not finite or not later than all times before it, with its values. Whoever reads
/// keys, to play them or to edit them, goes through here: a search among times relies on their order. Returns how many
/// keys were left out.
std::size_t keep_increasing(std::vector<double>& times, std::vector<double>& values);

bool all_finite(const std::vector<double>& values);

}  // namespace isochor::gltf
