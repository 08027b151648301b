#pragma once

/// Joints one after another, parents first, each step correcting what it changed (Rohmer 2009, 3.2).

#include <span>
#include <vector>

#include "isochor/deform/posed_skin.h"
#include "isochor/volume/corrector.h"
#include "volume/together_plan.h"

namespace isochor::volume {

/// Which joints make a step of their own, and where they go in a pose. A joint that moves skin goes where its bone
/// goes. One that has skin only on several branches below it goes where that skin goes on the whole, whatever its own
/// bone does: a body that is turned by the children of an idle root is never twisted on the way. All others make no
/// step.
class StepMotions {
 public:
  explicit StepMotions(const TogetherPlan& plan);

  bool makes_step(Index joint) const { return kinds_[joint] != Kind::none; }
  /// By joint, bind to posed; identity where the joint makes no step.
  void read(const PosedSkin& posed, std::vector<Affine>& out) const;
  /// What the whole body does.
  Affine common(const PosedSkin& posed) const { return fit(everything_, posed); }
  /// The first bone of a joint, or kNone.
  Index bone(Index joint) const { return bones_[joint]; }

 private:
  enum class Kind { none, bone, branches };
  struct Share {
    Index vertex;
    double weight;
  };
  std::vector<Kind> kinds_;
  std::vector<Index> bones_;
  std::vector<std::vector<Share>> below_;  // by joint that branches: the skin below it
  std::vector<Share> everything_;

  static Affine fit(std::span<const Share> skin, const PosedSkin& posed);
};

/// Poses in which only some joints have moved. The others follow the nearest joint above them that has, or else the
/// motion that the whole body has in common.
class PartialPoses {
 public:
  PartialPoses(const WeldedCharacter& welded, const StepMotions& motions, const Pose& pose, const PosedSkin& posed);

  /// Whether moving the joint changes anything: it goes elsewhere than it is now.
  bool moves(Index joint) const;
  void move(Index joint);
  Pose pose() const;

 private:
  const WeldedCharacter& welded_;
  const StepMotions& motions_;
  const Pose& target_;
  std::vector<Affine> motion_;  // by joint: bind to posed, in the target pose
  std::vector<char> moved_;
  Affine common_;

  const Affine& current(Index joint) const;
};

/// The traversal. It leaves offsets at rest that nearly keep the volume in the last pose; whoever calls makes the total
/// exact.
class SequenceSolver {
 public:
  /// Keeps a reference to `plan`.
  explicit SequenceSolver(const TogetherPlan& plan);

  /// `posed` is the skin in `pose`. Adds to out.offsets and out.wild_joints.
  void solve(const Pose& pose, const PosedSkin& posed, const VolumeCorrector::Poses& poses, CorrectedFrame& out);

 private:
  const TogetherPlan& plan_;
  StepMotions motions_;
  FieldSolver solver_;
  const PosedSkin* posed_ = nullptr;  // where it all goes
  PosedSkin partial_;
  CorrectionField field_;
  std::vector<JointField> own_;
  std::vector<Vec3> positions_;
  std::vector<double> left_;  // by planned component: what earlier steps could not give

  void show(const CorrectedFrame& out);
  double missing(const ComponentPlan& component) const;
  const CorrectionField& step_field(Index joint, const ComponentPlan& component);
  bool step(Index joint, CorrectedFrame& out);
  double keep(Index vertex, const Vec3& displacement, CorrectedFrame& out) const;
};

}  // namespace isochor::volume
