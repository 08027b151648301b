#pragma once

/// Skin whose faces come near turning over: what the deformer made of its faces, and the memory that they are kept from
/// it in.

#include <span>
#include <utility>
#include <vector>

#include "volume/component_pose.h"
#include "volume/rest_carrier.h"

namespace isochor::volume {

/// Corners slide apart until their faces are this far from their limits. Less leaves faces to be slowed down; more
/// moves a few vertices of a fold farther, and meshes of one shape begin to differ there.
inline constexpr double kApart = 0.135;

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

/// `normal` is the area vector of the ring as the deformer put it.
GuardedFace read_face(const FoldInput& in, std::span<const Index> ring, const Vec3& normal);

/// How far a face is from the nearest of its limits, where its area vector is `normal`. All of them are positive, and
/// well above kApart, without displacement.
double margin(const GuardedFace& face, const Vec3& normal);

/// Of a face at rest, with the pose's scale.
double median_area(const ComponentPose& at);

/// The skin around buffers.near_rings, as far as a face that is held there slows it down; its faces and neighbours.
void find_zone(const FoldInput& in, FoldBuffers& buffers);

}  // namespace isochor::volume
