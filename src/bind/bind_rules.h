#pragma once

/// What the user wants otherwise: weights that stay as painted, and rigid regions.

#include "isochor/bind/bind.h"
#include "rig/place_parts.h"

namespace isochor {

/// One volume while it is being bound. Weights are by welded vertex; Influence::joint is a joint of the skeleton.
struct VolumeWork {
  const Character& character;
  const PlacedParts& placed;
  const WholeSurface& whole;  ///< its parts are those of `placed`, numbered as there
};

/// For each part of the volume, whether all its weights stay.
std::vector<char> kept_parts(const VolumeWork& work, std::span<const std::string> keep);

/// Rows of parts that stay and weights of joints that stay come from the file; the rest is scaled to fill up.
void keep_painted(const VolumeWork& work, const BindOptions& options, SkinWeights& weights);

/// Regions follow their joint alone. `takes_weight` (#J) says which joints may be named.
void make_rigid(const VolumeWork& work, std::span<const RigidRule> rules, std::span<const char> takes_weight,
                SkinWeights& weights);

}  // namespace isochor
