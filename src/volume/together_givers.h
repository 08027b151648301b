#pragma once

/// Second stage of `together`: who gives volume in a pose, in what shape, and how far.

#include <span>
#include <vector>

#include "volume/together_pose.h"

namespace isochor::volume {

/// One unknown of the balance: a joint that gives along normals in the shape of its blend, or by a field of its own.
struct Giver {
  Index region = kNone;    ///< into the plan's regions; kNone for a joint that blends nothing here
  double activity = 0;     ///< see PoseReading
  double collapse = 0;     ///< q: the share of the squared radius that the deformer loses in the middle of the joint
  double collapsed = 0;    ///< 1 where that is so much that the joint must be twisted, 0 where it may be bent
  double twist = 0;        ///< the same, less where the joint bends
  bool own_field = false;  ///< its vectors are Givers::moves[first .. last)
  std::size_t first = 0, last = 0;

  bool along_normals() const { return region != kNone && !own_field; }
};

/// A vector of a field of the artist's.
struct Move {
  Index vertex;
  Vec3 d;
};

/// Views of the buffers that they were gathered into.
struct Givers {
  std::span<const Giver> all;
  std::span<const Index> of_region;  ///< by region of the plan: into `all`; kNone where nobody gives along normals
  std::span<const Move> moves;
  std::span<const double> gamma;  ///< of the plan's blends, as this pose shapes them
  std::span<const double> limit;  ///< #V, on the support: where displacements along normals saturate, in local radii

  std::span<const Move> moves_of(const Giver& giver) const {
    return moves.subspan(giver.first, giver.last - giver.first);
  }
};

/// Kept between frames.
struct GiverBuffers {
  explicit GiverBuffers(const TogetherPlan& plan);

  std::vector<Giver> givers;
  std::vector<Index> of_region;
  std::vector<double> gamma, limit;
  std::vector<double> twist;     // #V: 1 where a twist is undone, 0 where the skin bends
  std::vector<double> collapse;  // by region
  std::vector<Move> moves;
  // For one field of the artist's at a time.
  CorrectionField field;
  std::vector<Vec3> directions;
  std::vector<double> areas;  // #V
};

/// Allocates nothing where no fields are given. The result is good until the next call with the same buffers.
Givers gather_givers(const ComponentPose& at, const PoseReading& pose, GiverBuffers& buffers);

}  // namespace isochor::volume
