#pragma once

/// Where each joint bends the skin: blend weights, the faces around them, and what is known about them at rest.

#include <span>
#include <vector>

#include "isochor/deform/posed_skin.h"
#include "isochor/mesh/volume.h"

namespace isochor::volume {

/// One joint on one component.
struct JointRegion {
  Index joint = kNone;
  Index component = kNone;
  std::vector<Index> vertices;  ///< the support, increasing
  std::vector<double> gamma;    ///< 4 s (1 - s), s the weight of the joint's subtree
  std::vector<Index> faces;     ///< around the vertices where γ is not small, increasing
  VolumeFunctional functional;  ///< of the faces, capped
  std::vector<Index> rim;       ///< vertices on the boundary loops, increasing
  double rest_volume = 0;       ///< signed
  double size = 0;              ///< |rest_volume|, or half the flesh under its faces where that is more
  struct Share {
    Index bone;
    double weight;
  };
  std::vector<Share> bones;  ///< what moves the region, summing to 1
};

/// Every joint that some skin of a component with a volume blends, by component and then by joint. A joint whose
/// subtree has the very weights of a child's is left out: the child stands for both.
std::vector<JointRegion> joint_regions(const WeldedCharacter& welded, std::span<const double> radii);

/// What the region's volume should be in a pose: that at rest, times the scale of the bones there, times whatever the
/// component's target has beyond that (breathing).
double region_target(const WeldedCharacter& welded, const JointRegion& region, const PosedSkin& posed);

/// By joint of the skeleton: itself, or the descendant that stands for it.
std::vector<Index> standing_for(const WeldedCharacter& welded);

}  // namespace isochor::volume
