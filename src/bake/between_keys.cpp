#include "isochor/bake/between_keys.h"

#include <algorithm>

namespace isochor {
namespace {

constexpr double kMargin = 0.9;

class GapHalver {
 public:
  GapHalver(double allowed, const KeyedClip& clip) : allowed_(allowed), clip_(clip) {}

  void halve(double before, double after, int halvings) {
    const double middle = static_cast<float>(0.5 * (before + after));
    // Neighbouring floats: nothing is ever shown between them.
    if (!(middle > before && middle < after)) return;
    const BetweenError error = clip_.error(middle);
    const bool beyond = !(error.volume <= allowed_);
    if (!beyond || halvings == kMostHalvings) {
      found.max_error.volume = std::max(found.max_error.volume, error.volume);
      found.max_error.position = std::max(found.max_error.position, error.position);
      found.gaps_beyond += beyond ? 1 : 0;
      return;
    }
    clip_.add(middle);
    halve(before, middle, halvings + 1);
    found.added.push_back(middle);
    halve(middle, after, halvings + 1);
  }

  BetweenKeys found;

 private:
  double allowed_;
  const KeyedClip& clip_;
};

}  // namespace

BetweenKeys add_keys_between(std::span<const double> keys, const BetweenKeysOptions& options, const KeyedClip& clip) {
  check_ranges(options);
  GapHalver halver(kMargin * options.volume_error, clip);
  if (options.volume_error == 0) return halver.found;
  for (std::size_t k = 1; k < keys.size(); ++k) halver.halve(keys[k - 1], keys[k], 0);
  return halver.found;
}

}  // namespace isochor
