#include "isochor/bake/between_keys.h"

#include <algorithm>

namespace isochor {
namespace {

constexpr double kMargin = 0.9;

struct Gap {
  double before = 0, after = 0, middle = 0;
};

void open_gap(double before, double after, std::vector<Gap>& gaps) {
  if (const auto middle = moment_between(before, after)) gaps.push_back({before, after, *middle});
}

/// One round: looks at the middles of all gaps, and returns the halves of those that were beyond.
std::vector<Gap> halve(std::span<const Gap> gaps, double allowed, bool last, const KeyedClip& clip,
                       BetweenKeys& found) {
  std::vector<double> times;
  times.reserve(gaps.size());
  for (const Gap& gap : gaps) times.push_back(gap.middle);
  const std::vector<BetweenError> errors = clip.errors(times, allowed);
  std::vector<Gap> halves;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const bool beyond = !errors[i].within(allowed);
    if (!beyond || last) {
      found.max_error.volume = std::max(found.max_error.volume, errors[i].volume);
      found.max_error.position = std::max(found.max_error.position, errors[i].position);
      found.max_error.turned = std::max(found.max_error.turned, errors[i].turned);
      if (errors[i].turned > 0) found.turned.push_back(gaps[i].middle);
      found.gaps_beyond += beyond ? 1 : 0;
      continue;
    }
    clip.add(i);
    found.added.push_back(gaps[i].middle);
    open_gap(gaps[i].before, gaps[i].middle, halves);
    open_gap(gaps[i].middle, gaps[i].after, halves);
  }
  return halves;
}

}  // namespace

std::optional<double> moment_between(double before, double after) {
  const double middle = static_cast<float>(0.5 * (before + after));
  if (middle > before && middle < after) return middle;
  return std::nullopt;
}

BetweenKeys add_keys_between(std::span<const double> keys, const BetweenKeysOptions& options, const KeyedClip& clip) {
  check_ranges(options);
  BetweenKeys found;
  if (options.volume_error == 0) return found;
  std::vector<Gap> gaps;
  for (std::size_t k = 1; k < keys.size(); ++k) open_gap(keys[k - 1], keys[k], gaps);
  for (int halvings = 0; halvings <= kMostHalvings && !gaps.empty(); ++halvings) {
    gaps = halve(gaps, kMargin * options.volume_error, halvings == kMostHalvings, clip, found);
  }
  std::sort(found.added.begin(), found.added.end());
  std::sort(found.turned.begin(), found.turned.end());
  return found;
}

}  // namespace isochor
