#pragma once

/// The shape of one character against that of another, at rest and in the clips that both have.

#include <span>
#include <string>
#include <vector>

#include "isochor/deform/posed_skin.h"
#include "isochor/rig/correspondence.h"

namespace isochor {

struct ShapeDistance {
  double max = 0, mean = 0;
};
/// Over the vertices that belong together.
ShapeDistance shape_distance(const Correspondence& correspondence, std::span<const Vec3> a, std::span<const Vec3> b);

/// How far the volume of all components together is from what it should be, relative.
double total_volume_change(const WeldedCharacter& welded, const PlayedFrame& frame);

/// A clip that both characters have, by name, at some moments spread over A's.
struct ClipComparison {
  std::string clip;
  ShapeDistance distance;  ///< `mean` is the mean over the moments; units of the file
  std::vector<double> times;
  std::vector<double> volume_a, volume_b;  ///< total_volume_change() at these times
};
ClipComparison compare_clip(const WeldedCharacter& a, const WeldedCharacter& b, const Correspondence& correspondence,
                            const std::string& clip, int moments, Context& context);

}  // namespace isochor
