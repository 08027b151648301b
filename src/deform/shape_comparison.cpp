#include "isochor/deform/shape_comparison.h"

#include <algorithm>
#include <cmath>

namespace isochor {

ShapeDistance shape_distance(const Correspondence& correspondence, std::span<const Vec3> a, std::span<const Vec3> b) {
  ShapeDistance d;
  for (const auto& [i, j] : correspondence.pairs) {
    const double distance = (a[i] - b[j]).norm();
    d.max = std::max(d.max, distance);
    d.mean += distance;
  }
  if (!correspondence.pairs.empty()) d.mean /= static_cast<double>(correspondence.pairs.size());
  return d;
}

double total_volume_change(const WeldedCharacter& welded, const PlayedFrame& frame) {
  double volume = 0, target = 0;
  for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    volume += std::abs(frame.volumes[c]);
    target += std::abs(frame.target_volumes[c]);
  }
  return target > 0 ? volume / target - 1 : 0;
}

ClipComparison compare_clip(const WeldedCharacter& a, const WeldedCharacter& b, const Correspondence& correspondence,
                            const std::string& clip, int moments, Context& context) {
  const Clip& clip_a = *a.character().find_clip(clip);
  const Clip& clip_b = *b.character().find_clip(clip);
  ClipComparison result;
  result.clip = clip;
  result.times = even_times(clip_a, moments);
  for (std::size_t i = 0; i < result.times.size(); ++i) {
    const double time = result.times[i];
    context.progress("compare", static_cast<double>(i) / static_cast<double>(result.times.size()));
    const PlayedFrame frame_a = play(a, sample(clip_a, a.skeleton(), time), Deformer::lbs, context);
    const PlayedFrame frame_b = play(b, sample(clip_b, b.skeleton(), time), Deformer::lbs, context);
    const ShapeDistance d = shape_distance(correspondence, frame_a.positions, frame_b.positions);
    result.distance.max = std::max(result.distance.max, d.max);
    result.distance.mean += d.mean / moments;
    result.volume_a.push_back(total_volume_change(a, frame_a));
    result.volume_b.push_back(total_volume_change(b, frame_b));
  }
  context.progress("compare", 1);
  return result;
}

}  // namespace isochor
