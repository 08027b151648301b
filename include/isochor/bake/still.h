#pragma once

/// One corrected moment as a shape that stands still.

#include <vector>

#include "isochor/volume/corrected_playback.h"

namespace isochor {

/// By part, in the file's vertices: where the correction puts them, with normals that follow the displaced surface;
/// those of the deformer if nothing is corrected.
std::vector<PosedPart> still_parts(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                                   const Context& context);

}  // namespace isochor
