#pragma once

/// What the user wants otherwise: weights that stay as painted, and rigid regions.

#include "bind/volumes.h"
#include "isochor/bind/bind.h"

namespace isochor {

/// One volume while it is being bound. Weights are by welded vertex; Influence::joint is a joint of the skeleton.
struct VolumeWork {
  const Character& character;
  const PlacedParts& placed;
  const Weld& weld;
  std::vector<Index> part_begin;  ///< by part of placed.parts, and the end: its first vertex in the weld's source
};

/// Where a file vertex lies: place in placed.parts, and its number in that part.
struct FileVertex {
  std::size_t part;
  std::size_t vertex;
};
FileVertex file_vertex(const VolumeWork& work, Index source);

/// For each part of the volume, whether all its weights stay.
std::vector<char> kept_parts(const VolumeWork& work, std::span<const std::string> keep);

/// Rows of parts that stay and weights of joints that stay come from the file; the rest is scaled to fill up.
void keep_painted(const VolumeWork& work, const BindOptions& options, SkinWeights& weights);

/// Regions follow their joint alone. `takes_weight` (#J) says which joints may be named.
void make_rigid(const VolumeWork& work, std::span<const RigidRule> rules, std::span<const char> takes_weight,
                SkinWeights& weights);

}  // namespace isochor
