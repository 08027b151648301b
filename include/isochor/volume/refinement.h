#pragma once

/// Finer skin where the volume correction needs it (Rohmer 2009, 4.3): one topology for all clips.
///
///   const WeldedCharacter welded(character);
///   RefinedCharacter refined = refine(welded, {.clips = moments_of_the_clips}, {.threshold = 0.3}, context);

#include <array>
#include <vector>

#include "isochor/rig/refined_character.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor {

/// What asks for finer faces.
enum class RefineBy {
  weight,     ///< the largest correction weight γ of a joint that bends
  curvature,  ///< how much the slope of the displacement changes from one side of a vertex to the other
};
template <>
struct EnumNames<RefineBy> {
  static constexpr std::array names{"weight", "curvature"};
};

/// How the character will be played.
struct RefineFor {
  PlaybackOptions playback;
  std::vector<std::vector<CorrectedPlayback::Moment>> clips;  ///< moments of each, in the order of time
  RefineBy by = RefineBy::weight;
};

/// By vertex of the welded surface: the largest γ in any moment, over the joints that bend there, and 0 on components
/// without a volume to keep. The γ of `blend` is in [0, 1]; those of other effects are taken relative to their largest.
std::vector<double> largest_correction_weights(const WeldedCharacter& welded, const RefineFor& use, Context& context);

/// By vertex of the welded surface: the largest bend of the displacement in any moment. It is the change of slope, over
/// the skin at rest, from one side of a vertex to the other: 0.1 is a kink of about six degrees. Splitting faces halves
/// it.
std::vector<double> largest_displacement_bends(const WeldedCharacter& welded, const RefineFor& use, Context& context);

/// A character with faces split where `use.by` is more than the threshold.
RefinedCharacter refine(const WeldedCharacter& welded, const RefineFor& use, const RefineOptions& options,
                        Context& context);

}  // namespace isochor
