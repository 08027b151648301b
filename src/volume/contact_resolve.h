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
  std::vector<Vec3> normals;          // #V: outward; zero where the skin has no inside
  std::vector<double> depth, beside;  // #V: of this round; and of the neighbours
  std::vector<char> seen;             // #V
  std::vector<Index> inside;          // vertices that lie in other skin, and those beside them
};

/// Vertices that lie in other skin at rest, or against it: an arm that begins inside a body, closed fingers. They stay.
std::vector<char> buried_at_rest(const TogetherPlan& plan, const ContactPlan& contact);

/// Of a frame in which the correction crosses nothing, or little. True if anything was pushed.
bool resolve_contacts(const ContactInput& in, FaceHierarchy& faces, ContactMoves& moves, ResolveBuffers& buffers,
                      CorrectedFrame& out);

}  // namespace isochor::volume
