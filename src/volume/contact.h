#pragma once

/// Skin does not pass through skin (Rohmer 2009, section 5). Skin that the correction would bring together goes back
/// along its displacement, by factors from 0 to 1: the gap that skinning leaves over how far the two sides come towards
/// each other. They are continuous in the pose, and 0 where skinning alone already crosses. What is free closes the
/// volume. See docs/design/volume.md, "Contact".

#include <span>
#include <vector>

#include "volume/contact_moves.h"
#include "volume/contact_resolve.h"

namespace isochor::volume {

/// A pair whose sides look against each other.
struct FacingPair {
  TrianglePair triangles;
  double opposed = 0;           ///< from 0, where they only begin to, to 1
  Vec3 towards = Vec3::Zero();  ///< from the first to the second
  double room = -1;             ///< between them under skinning; below 0: not known yet
};

/// Kept between frames.
struct ContactBuffers {
  ContactBuffers(const TogetherPlan& plan, const ContactPlan* contact);

  FaceHierarchy faces{Surface{}};
  SearchBuffers search;
  std::vector<Vec3> normals;  // by triangle, in the pose; where they were asked for
  std::vector<char> normal_known;
  std::vector<double> side;            // by component: see SearchInput
  std::vector<TrianglePair> crossing;  // in the pose or in the frame
  std::vector<FacingPair> facing;
  std::vector<Vec3> ways;  // #V: of this round
  ContactMoves moves;
  ResolveBuffers resolve;
};

/// Counts pairs of faces that cross in `out`, all components of which are corrected. With ContactTreatment::hold what
/// makes them cross is held back, with `resolve` what skinning itself crosses is pushed apart as well. True if anything
/// was changed.
bool treat_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
