#pragma once

/// No face turns over. Where skinning folds the skin, a correction that is exact in volume may push vertices through
/// their own faces and leave a scar. Here displacements are cut back where a face would turn against what the deformer
/// made of it, and the volume is closed again by what is free. Only what would turn is held back, wherever it lies.
///
/// All of it is continuous in the pose: a face that turns a little too far costs its corners a little, and limits are
/// spread over the skin, so that no vertex sticks out alone. See docs/design/volume.md.

#include <span>
#include <vector>

#include "volume/component_pose.h"

namespace isochor::volume {

struct FoldInput {
  const ComponentPose& at;
  const VolumeFunctional& faces;  ///< all that may have moved: the component's `touched`, or the whole of it
  std::span<const double> twist;  ///< #V: 1 where the correction undoes a twist, which turns faces far; 0 elsewhere
};

/// What the deformer made of a face, and how far the correction may turn it.
struct GuardedFace {
  Index ring = kNone;     ///< of the component's `whole`
  Vec3 normal;            ///< its area vector
  double squared = 0;     ///< of its length
  double turn = 0;        ///< the cosine to keep
  double area = 0;        ///< the share of its area to keep, along that normal
  double strictness = 1;  ///< of both limits; fades to 0 where the deformer crushes the face, or wrings it
};

/// Kept between frames.
struct FoldBuffers {
  explicit FoldBuffers(const TogetherPlan& plan);

  std::vector<GuardedFace> faces;  // those with a corner that moves
  std::vector<Index> vertices;     // those that move, increasing
  // #V, valid there.
  std::vector<double> free;                   // how much of its displacement a vertex keeps
  std::vector<double> cut;                    // what one round leaves of that
  std::vector<Vec3> displacement, offset;     // before they are cut back; in the pose and at rest
  std::vector<Vec3> closing, closing_offset;  // along which the volume is closed: of length 1, or less
  std::vector<double> height;                 // how far, against others
  std::vector<Vec3> direction;                // as much of it as is free; #V
  std::vector<Vec3> gradient;                 // #V
  std::vector<double> areas;                  // #V
  std::vector<double> lost, area;             // by region of the component and place in it: what was cut back
};

/// Cuts back `out`, which holds the corrected component, and closes its volume again; false if nothing had to be cut
/// back, or faces may turn as they like. Where both cannot be had the faces win, and the component's outcome says so.
/// Adds to what `out` says of its faces.
bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
