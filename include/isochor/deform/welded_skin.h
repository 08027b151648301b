#pragma once

/// The skin of a whole character on its welded surface: one row of weights and one affine map a vertex, whatever parts
/// and skins the file has. This is where volume correction takes hold of a deformer.

#include <span>
#include <vector>

#include "isochor/deform/playback.h"

namespace isochor {

/// A skin in one pose, by any deformer: positions[v] = maps[v] [rest[v]; 1].
struct PosedSkin {
  std::vector<Vec3> rest;              ///< #V: the bind shape with the pose's morph targets
  std::vector<Mat34> maps;             ///< #V
  std::vector<Vec3> positions;         ///< #V
  std::vector<double> target_volumes;  ///< by component, as Playback::Frame has them
  std::vector<Affine> global;          ///< by joint of the skeleton: joint to world
  std::vector<Affine> matrices;        ///< by bone of the skin
};

class WeldedSkin {
 public:
  /// Keeps a reference to `playback`, which must outlive it.
  explicit WeldedSkin(const Playback& playback);

  const Playback& playback() const { return playback_; }
  const Surface& surface() const { return playback_.surface(); }
  const Topology& topology() const { return playback_.topology(); }
  const Skeleton& skeleton() const { return playback_.character().skeleton; }

  /// What a row of weights refers to: a joint of a part's skin, or the node that carries an unskinned part.
  struct Bone {
    Index part = kNone;
    Index slot = kNone;   ///< into the part's Skin::joints; kNone for an unskinned part
    Index joint = kNone;  ///< into the skeleton; kNone for a part that nothing moves
  };
  std::span<const Bone> bones() const { return bones_; }
  /// By bone: mesh space -> joint space at bind time; for a node, the inverse of its rest transform.
  std::span<const Affine> inverse_binds() const { return rest_inverse_; }
  /// #V rows, those of each vertex's first source; influences refer to bones().
  const SkinWeights& weights() const { return weights_; }

  /// global · inverse bind of each bone. Allocates nothing. `global` has one matrix a joint of the skeleton.
  void matrices(std::span<const Affine> global, std::span<Affine> out) const;

  /// What a component's volume would be if the scale of its bones were all that changed it: the rest volume times their
  /// mean determinant.
  double target_volume(Index component, std::span<const Affine> matrices) const;

  /// Everything of a pose; for several threads at once, each with an `out` of its own. After the first call with the
  /// same `out`, lbs allocates nothing where no part has morph targets.
  void pose(const Pose& pose, Deformer deformer, PosedSkin& out, const Context& context) const;

 private:
  const Playback& playback_;
  std::vector<Bone> bones_;
  SkinWeights weights_;
  std::vector<Affine> rest_inverse_;  // by bone: inverse bind, or the inverse of the node's rest transform

  struct Share {
    Index bone;
    double weight;
  };
  std::vector<std::vector<Share>> shares_;  // by component: summing to 1

  void morph(const Pose& pose, std::span<Vec3> rest) const;
};

}  // namespace isochor
