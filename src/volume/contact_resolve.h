#pragma once

/// Skin that skinning itself has brought through other skin, as in the inside of an elbow, is pushed out of it again:
/// each side by half the depth, so that the two meet in the middle, and the skin around makes up for the volume. See
/// docs/design/volume.md, "Contact".

#include <vector>

#include "volume/contact_moves.h"

namespace isochor::volume {

/// Kept between frames.
struct ResolveBuffers {
  explicit ResolveBuffers(const TogetherPlan& plan);

  std::vector<TrianglePair> near;
  std::vector<Vec3> push, evened;  // #V: of this round
  std::vector<double> weight;      // #V: of the pairs that ask for a push
  std::vector<Index> inside;       // vertices that have one
};

/// Of a frame in which the correction crosses nothing, or little. True if anything was pushed.
bool resolve_contacts(const ContactInput& in, FaceHierarchy& faces, ContactMoves& moves, ResolveBuffers& buffers,
                      CorrectedFrame& out);

}  // namespace isochor::volume
