#pragma once

/// Plays a character as one welded surface, and measures the volume of each of its components in every pose.

#include <span>
#include <vector>

#include "isochor/deform/skinning.h"
#include "isochor/mesh/topology.h"
#include "isochor/rig/character.h"

namespace isochor {

class Playback {
 public:
  /// Keeps a reference to `character`, which must outlive it.
  explicit Playback(const Character& character, const WeldOptions& options = {});

  const Character& character() const { return character_; }
  /// The welded bind shape, its topology, and which file vertices went where.
  const Surface& surface() const { return whole_.weld.surface; }
  const Topology& topology() const { return topology_; }
  const WholeSurface& whole() const { return whole_; }

  /// The signed volume of each component in the bind shape.
  const std::vector<double>& rest_volumes() const { return rest_volumes_; }
  /// Whether a component has a volume to speak of: it can be oriented, encloses more than a millionth of the cube over
  /// its own diagonal, and no single hole is larger than 0.6 of its surface. Sheets do not, flat or draped.
  bool has_volume(std::size_t component) const { return has_volume_[component] != 0; }

  struct Frame {
    std::vector<PosedPart> parts;  ///< by part, in the file's vertices
    std::vector<Vec3> positions;   ///< #V of surface()
    std::vector<double> volumes;   ///< by component, signed
    /// What the volume would be if the joints' scale were all that changed it: the rest volume times the mean
    /// determinant of the joints that move the component. Equal to rest_volumes() where joints move rigidly.
    std::vector<double> target_volumes;
  };
  Frame pose(const Pose& pose, Deformer deformer, const Context& context) const;

 private:
  const Character& character_;
  WholeSurface whole_;
  Topology topology_;
  std::vector<double> rest_volumes_;
  std::vector<char> has_volume_;

  /// How much of a component a joint of a part's skin moves (its summed weights); joint is kNone for an unskinned part.
  struct Share {
    Index component, part, joint;
    double weight;
  };
  std::vector<Share> shares_;
  std::vector<double> rest_determinant_;  // by joint of the skeleton: of its global rest transform
};

/// |volume - target| / |target|; 0 where the target is nil.
double relative_volume_error(double volume, double target);

}  // namespace isochor
