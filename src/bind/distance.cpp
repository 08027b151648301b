#include "isochor/bind/distance.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// Farther handles weigh next to nothing, and no more influences can be asked for.
constexpr std::size_t kKept = 32;

}  // namespace

SkinWeights distance_weights(std::span<const Vec3> positions, std::span<const Handle> handles,
                             const DistanceOptions& options, const Context& context) {
  check_ranges(options);
  if (handles.empty()) throw_bad_input("there is no joint to bind to");
  const std::size_t width = std::min<std::size_t>(handles.size(), kKept);
  SkinWeights weights;
  weights.influences.resize(positions.size() * width);
  weights.begin.resize(positions.size() + 1);
  for (std::size_t v = 0; v <= positions.size(); ++v) weights.begin[v] = static_cast<Index>(v * width);
  const auto nearer = [](const Influence& a, const Influence& b) {
    return a.weight != b.weight ? a.weight < b.weight : a.joint < b.joint;
  };
  parallel_for(context, positions.size(), 256, [&](Range range) {
    std::vector<Influence> all(handles.size());
    for (std::size_t v = range.begin; v < range.end; ++v) {
      for (std::size_t h = 0; h < handles.size(); ++h) {
        all[h] = {static_cast<Index>(h), distance(handles[h], positions[v])};
      }
      std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(width), all.end(), nearer);
      const auto row = weights.row(v);
      std::copy_n(all.begin(), width, row.begin());
      const double nearest = row[0].weight;
      // Relative to the nearest, so that no power overflows; on a bone itself the bones at no distance share alike.
      for (Influence& influence : row) {
        if (nearest > 0) {
          influence.weight = std::pow(nearest / influence.weight, options.exponent);
        } else {
          influence.weight = influence.weight > 0 ? 0.0 : 1.0;
        }
      }
    }
  });
  normalise(weights);
  return weights;
}

}  // namespace isochor
