#pragma once

/// No face turns over. Where skinning folds the skin, a correction that is exact in volume may push vertices through
/// their own faces and leave a scar. Here the corners of a face that would come near its limits first slide apart, by
/// little and mostly along the skin. Then the skin goes the way to its corrected place in small steps, the slower the
/// nearer a face around it still comes to its limits; what it does not reach is given back by skin that is free. Only
/// what would turn is touched, wherever it lies.
///
/// The second part is the solution of dx/dτ = φ(x) d, with φ continuous and 0 where a face is at its limit: no face
/// passes it, and all of it is continuous in the pose. See docs/design/volume.md.

#include <span>
#include <utility>
#include <vector>

#include "volume/component_pose.h"
#include "volume/rest_carrier.h"

namespace isochor::volume {

struct FoldInput {
  const ComponentPose& at;
  const VolumeFunctional& faces;  ///< all that may have moved: the component's `touched`, or the whole of it
  std::span<const double> twist;  ///< #V: 1 where the correction undoes a twist, which turns faces far; 0 elsewhere
};

/// What the deformer made of a face, and how far the correction may turn it.
struct GuardedFace {
  Vec3 normal;                     ///< its area vector
  double squared = 0;              ///< of its length
  double turn = 0;                 ///< the cosine to keep
  double area = 0;                 ///< the share of its area to keep, along that normal
  double growth = 0;               ///< the most times that it may be as large
  double slack = 0;                ///< beyond all limits; grows where the deformer crushes the face
  std::size_t begin = 0, end = 0;  ///< into FoldBuffers::corners
};

/// Kept between frames.
struct FoldBuffers {
  explicit FoldBuffers(const TogetherPlan& plan);

  std::vector<Index> ring_begin, rings;  // #V+1: the faces around each vertex, in its component's `whole`

  std::vector<Index> vertices;                // those that move, increasing
  std::vector<Vec3> wanted, wanted_offset;    // #V, valid there: what the correction asks for; in the pose and at rest
  std::vector<Vec3> displacement, offset;     // the same after corners have slid, before they are held back
  std::vector<Vec3> closing, closing_offset;  // along which the volume is closed: of length 1, or less
  std::vector<double> height;                 // how far, against others
  std::vector<double> free;                   // #V: how much of its displacement a vertex keeps
  std::vector<Vec3> gradient;                 // #V
  std::vector<double> areas;                  // #V
  std::vector<double> lost, area;             // by region of the component and place in it: what is held back

  std::vector<Index> near_rings, later_rings;  // faces that come near their limits, of FoldInput::faces
  std::vector<std::pair<double, Index>> queue;

  // The skin around them. Vertices are numbered as in `near`.
  std::vector<Index> near, place;  // #near: vertices; #V: the reverse, or kNone
  std::vector<double> far;         // #V: the way to such a face, 1 where nothing of it is left
  std::vector<GuardedFace> faces;
  std::vector<Index> corners;             // of the faces
  std::vector<Index> next_begin, next;    // #near+1: neighbours
  std::vector<double> way;                // to them: how much more they may be free
  std::vector<RestCarrier> carriers;      // #near
  std::vector<Vec3> slid, slid_offset;    // #near: how far corners slide, in the pose and at rest
  std::vector<double> slide_limit;        // #near
  std::vector<double> gone;               // #near: of the way
  std::vector<double> speed, last_speed;  // #near
  std::vector<Vec3> at, to, ahead;        // #near: where it is, how far it goes, and where the next step leads
};

/// Holds back `out`, which is the corrected component, and closes its volume again; false if nothing had to be held
/// back, or faces may turn as they like. Where both cannot be had the faces win, and the component's outcome says so.
/// Adds to what `out` says of its faces.
bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
