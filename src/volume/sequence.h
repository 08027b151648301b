#pragma once

/// Partial poses for the traversal of joints one after another (Rohmer 2009, 3.2).

#include <span>
#include <vector>

#include "isochor/deform/welded_skin.h"

namespace isochor::volume {

/// Poses in which only some joints have moved. The others follow the nearest joint above them that has, or else the
/// motion that the whole body has in common, so that a body that turns as a whole is never twisted on the way.
class PartialPoses {
 public:
  PartialPoses(const WeldedSkin& skin, const Pose& pose, const PosedSkin& posed);

  /// Whether moving the joint changes anything: it goes elsewhere than it is now.
  bool moves(Index joint) const;
  void move(Index joint);
  Pose pose() const;

 private:
  const WeldedSkin& skin_;
  const Pose& target_;
  std::vector<Index> bone_of_joint_;
  std::vector<Affine> motion_;  // by joint: bind to posed, in the target pose
  std::vector<char> moved_;
  Affine common_ = Affine::Identity();

  const Affine& current(Index joint) const;
};

}  // namespace isochor::volume
