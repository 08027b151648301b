#pragma once

/// Skin does not pass through skin (Rohmer 2009, section 5). Skin that the correction would bring together goes back
/// along its displacement, by factors from 0 to 1: the gap that skinning leaves over how far the two sides come towards
/// each other. They are continuous in the pose, and 0 where skinning alone already crosses. What is free closes the
/// volume. See docs/design/volume.md, "Contact".

#include <span>
#include <vector>

#include "volume/component_pose.h"
#include "volume/contact_plan.h"

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
  std::vector<TrianglePair> near, crossing;
  std::vector<FacingPair> facing;
  std::vector<Vec3> normals;  // by triangle, in the pose

  std::vector<Vec3> wanted, wanted_offset;    // #V: what the correction asks for, in the pose and at rest
  std::vector<Vec3> closing, closing_offset;  // along which the volume is closed
  std::vector<double> height;                 // how far, against others
  std::vector<double> kept, cut;              // #V: of its way; and what this round leaves of that
  std::vector<double> by_component;           // how far the closing goes
  std::vector<char> touched;                  // by component: some of its skin is held back
  std::vector<Vec3> gradient, direction;      // #V
  std::vector<double> areas;                  // #V
  std::vector<double> lost, held, given;      // by region

  std::vector<std::pair<double, Index>> queue;
};

struct ContactInput {
  const TogetherPlan& plan;
  const ContactPlan& contact;
  const PosedSkin& posed;
};

/// Counts pairs of faces that cross in `out`, all components of which are corrected, and with ContactTreatment::hold
/// holds back what makes them cross. True if anything was changed.
bool hold_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
