#pragma once

/// Skin does not pass through skin (Rohmer 2009, section 5). Where the corrected skin crosses itself deeper than
/// skinning alone does, it goes back along its displacement, by factors from 0 to 1 that follow the depth: a pair that
/// only begins to cross asks for nothing, so that all is continuous in the pose. What is free closes the volume. See
/// docs/design/volume.md, "Contact".

#include <span>
#include <vector>

#include "volume/component_pose.h"
#include "volume/contact_plan.h"

namespace isochor::volume {

/// A pair of triangles that may meet in this frame.
struct ContactPair {
  TrianglePair triangles;
  double skinned = -1;  ///< how deep they cross under skinning alone; below 0: not known yet
  bool idle = false;    ///< left alone since rest
};

/// How far a vertex lies inside other skin, and where that ends.
struct Buried {
  Index vertex = kNone;
  Index triangle = kNone;
  Vec3 shares = Vec3::Zero();  ///< of its corners, at the nearest point
  double depth = 0;
};

/// Kept between frames.
struct ContactBuffers {
  ContactBuffers(const TogetherPlan& plan, const ContactPlan* contact);

  FaceHierarchy faces{Surface{}};
  std::vector<TrianglePair> near;
  std::vector<ContactPair> pairs;

  std::vector<Vec3> wanted, wanted_offset;    // #V: what the correction asks for, in the pose and at rest
  std::vector<Vec3> closing, closing_offset;  // along which the volume is closed
  std::vector<double> height;                 // how far, against others
  std::vector<double> kept, cut;              // #V: of its way; and what this round leaves of that
  std::vector<double> by_component;           // how far the closing goes
  std::vector<char> touched;                  // by component: some of its skin is held back
  std::vector<Vec3> gradient, direction;      // #V
  std::vector<double> areas, lost, held;      // #V; by region

  std::vector<std::pair<double, Index>> queue;
  std::vector<Buried> buried;
  std::vector<double> skinned_depth;  // #V: under skinning alone
  std::vector<char> seen;             // #V
  std::vector<Index> open;
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
