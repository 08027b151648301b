#pragma once

/// No face turns over. Where skinning folds the skin, a correction that is exact in volume may push vertices through
/// their own faces and leave a scar. Here the corners of a face that would come near its limits first slide apart, by
/// little and mostly along the skin (fold_slide.h). Then the skin goes the way to its corrected place in small steps,
/// the slower the nearer a face around it still comes to its limits (fold_flow.h); what it does not reach is given back
/// by skin that is free (fold_closing.h). Only what would turn is touched, wherever it lies, and what all of it costs
/// goes with that. See docs/design/volume.md.

#include "volume/fold_closing.h"
#include "volume/fold_slide.h"

namespace isochor::volume {

/// Kept between frames.
struct FoldBuffers {
  explicit FoldBuffers(const TogetherPlan& plan);

  FoldPlan plan;
  FoldZone zone;
  SlideBuffers sliding;
  FlowBuffers flowing;
  FoldClosingBuffers closing;
  std::vector<double> cosine;      // by ring of the component: of its turn, squared, with its sign
  std::vector<Index> near, later;  // rings that come near a limit, and those that do in the end
  std::vector<Index> near_wedges, later_wedges;
  std::vector<Index> later_faces;  // their places in the zone
  std::vector<char> has_changed;   // by region
  std::vector<Index> changed;      // regions of the plan whose volume may have changed
};

/// Holds back `out`, which is the corrected component, and closes its volume again; false if nothing had to be held
/// back, or faces may turn as they like. Where both cannot be had the faces win, and the component's outcome says so.
/// Adds to what `out` says of its faces.
bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
