#pragma once

/// Which joints take weights, and where the bone of each goes, as far as the skeleton alone tells.

#include <span>
#include <vector>

#include "isochor/bind/handles.h"

namespace isochor {

class BoneFinder {
 public:
  /// Keeps references to the skeleton and `bind`, which must outlive it.
  BoneFinder(const Skeleton& skeleton, std::span<const Affine> bind, const HandleOptions& options);

  bool takes_weight(std::size_t j) const { return takes_[j] != 0; }
  /// Whether a rule, and not the user, says that it takes no weight.
  bool ruled_out(Index j) const { return ruled_out_[j] != 0; }
  /// Whether bones were read off the joints' axes.
  bool inferred() const { return inferred_; }
  const AppliedBoneRules& applied() const { return applied_; }

  Handle handle(Index j, LeafShape leaves) const;

 private:
  Vec3 place(Index j) const { return bind_[j].translation(); }
  Vec3 along_axis(Index j, int axis) const;
  bool points_at(Index j, int axis, Index end, double cosine) const;
  bool is_above(Index other, Index j) const;
  double parent_bone(Index j) const;
  Vec3 incoming(Index j) const;

  void rule_out();
  void find_ends();
  void walk_down(Index j, std::vector<Index>& taking, std::vector<Index>& silent) const;
  int bone_axis();
  bool is_star() const;
  void infer_bones();
  std::vector<Index> successors(std::span<const Index> joints, int axis) const;
  double spread_of_starts(std::span<const Index> joints, std::span<const Index> next) const;
  void find_segments();
  void find_growth(Index j);
  bool runs_backwards(Index j, const Vec3& direction) const;
  double way_to_joint(Index j, const Vec3& direction) const;

  const Skeleton& skeleton_;
  std::span<const Affine> bind_;
  bool rules_;
  std::vector<std::vector<Index>> children_;
  std::vector<char> takes_, ruled_out_;
  std::vector<char> certain_;  ///< neither a control nor an end
  std::vector<std::vector<Index>> ends_;
  std::vector<std::vector<Vec3>> segments_;  ///< where the bones of each joint end
  std::vector<Handle::Growth> growth_;
  int axis_ = kNone;
  bool inferred_ = false;
  bool drawn_by_blender_ = false;
  AppliedBoneRules applied_;
};

}  // namespace isochor
