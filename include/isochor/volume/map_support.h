#pragma once

/// Which vertices the map of a joint's effect can reach, and all of it that does not depend on the pose.

#include <span>
#include <string>
#include <vector>

#include "isochor/rig/skeleton.h"
#include "isochor/volume/bend_axes.h"
#include "isochor/volume/effect.h"

namespace isochor {

/// A map by vertex that came with the character.
struct PaintedMap {
  std::string name;
  std::vector<double> values;  // #V of the welded surface; negative and non-finite values count as 0
};

/// What effects are prepared for.
struct EffectSubject {
  const RestSpace& space;
  const Skeleton& skeleton;
  std::span<const PaintedMap> painted = {};
};

/// The candidates of one joint's effect. A layer is one map: its `base` alone, or times pose_map() if the effect
/// follows the pose. A combined effect has one layer per map, others have one.
struct MapSupport {
  struct Layer {
    bool follows_pose = false;
    std::vector<double> base;  // #vertices
  };
  std::vector<Index> vertices;  // increasing
  std::vector<Layer> layers;

  bool fixed() const;
};

/// Base values below this part of the largest are zero, so that supports are compact.
inline constexpr double kGammaThreshold = 1e-6;

/// Prepares supports of many joints of one character.
///
/// Maps along joint axes (isotropic … curve) reach the vertices that lie, at rest, within the distance at which the
/// map falls below the threshold, and fade out up to 1.5 times that: a hand that touches the belly in some pose is no
/// part of it. The same holds for the way along the bones, since a knee has nothing to do with the other one beside it:
/// a vertex counts as far as the bones that move it lie within that way. Inside both the base is 1.
class MapSupports {
 public:
  /// `axes` and what `subject` refers to must outlive it.
  MapSupports(const EffectSubject& subject, std::span<const JointAxes> axes);

  /// Throws Error(bad_input) if the effect names a painted map that is not there or has another number of vertices.
  MapSupport build(std::size_t i, const EffectSettings& settings) const;

  /// A vertex and s, the weight of the joint's subtree there, 0 < s < 1.
  struct Share {
    Index vertex = 0;
    double s = 0;
  };
  std::span<const Share> shares(std::size_t i) const { return shares_[i]; }

 private:
  using Values = std::vector<std::pair<Index, double>>;  // vertices increasing

  Values values(std::size_t i, const EffectSettings& settings) const;
  Values blend(std::size_t i) const;
  Values skin(std::size_t i, const EffectSettings& settings) const;
  Values painted(const std::string& name) const;
  Values reach(std::size_t i, const EffectSettings& settings) const;
  std::vector<double> ways(std::size_t i) const;
  double bone_distance(const Vec3& point) const;

  const EffectSubject& subject_;
  std::span<const JointAxes> axes_;
  std::vector<std::vector<Share>> shares_;    // by entry of axes
  std::vector<std::pair<Vec3, Vec3>> bones_;  // segments between joints
};

}  // namespace isochor
