/// Joints one after another: what partial poses do, and that nothing pops or tears.

#include "volume/sequence.h"

#include <cmath>
#include <numbers>

#include "subject.h"
#include "volume/local_radius.h"

namespace isochor {
namespace {

using test::Subject;

constexpr double kPerDegree = std::numbers::pi / 180;

void in_sequence(Subject& subject, const Pose& pose) { subject.correct(pose, Deformer::lbs, JointTreatment::sequence); }

/// Both bones of a cylinder hang from a root that moves no skin.
Character with_idle_root() {
  Character character = make_cylinder({.segments = 16, .rings = 33}, Context());
  character.clips.clear();
  auto& joints = character.skeleton.joints;
  const Index root = 0, lower = 1, upper = 2;
  joints.insert(joints.begin(), {.name = "Root", .parent = kNone, .rest = {}});
  joints[lower].parent = root;
  joints[upper].parent = root;
  joints[upper].rest.translation = Vec3(0, 1, 0);
  Skin& skin = character.parts[0].skin;
  skin.joints = {lower, upper, root};
  skin.inverse_bind = {Affine::Identity(), Affine(Eigen::Translation3d(0, -1, 0)), Affine::Identity()};
  return character;
}

// A body turned by the children of an idle root is not twisted on the way: it comes out as if the root had turned.
TEST(Sequence, IdleRootTwistsNothing) {
  Subject subject(with_idle_root());
  Pose bent = rest_pose(subject.character.skeleton);
  bent.local[2].rotation = Quat(Eigen::AngleAxisd(50 * kPerDegree, Vec3::UnitX()));
  const Affine turn(Eigen::AngleAxisd(150 * kPerDegree, Vec3::UnitY()));
  Pose by_root = bent, by_children = bent;
  by_root.local[0] = to_transform(turn * to_matrix(bent.local[0]));
  for (const Index child : {1, 2}) by_children.local[child] = to_transform(turn * to_matrix(bent.local[child]));

  in_sequence(subject, by_root);
  const std::vector<Vec3> expected = subject.frame.positions;
  in_sequence(subject, by_children);
  EXPECT_TRUE(subject.frame.wild_joints.empty());
  EXPECT_LT(subject.frame.max_displacement, 0.05);
  for (std::size_t v = 0; v < expected.size(); ++v) {
    EXPECT_LT((subject.frame.positions[v] - expected[v]).norm(), 1e-9);
  }
}

/// Every joint turned against its parent, by more than limbs can: the poses on the way have nothing to do with the
/// last.
Pose contorted(const Character& character, double amount) {
  Pose pose = rest_pose(character.skeleton);
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    const double angle = (j % 2 == 0 ? 1 : -1) * (60.0 + 7.0 * static_cast<double>(j % 5)) * kPerDegree;
    const Quat turn(Eigen::AngleAxisd(amount * angle, Vec3(1, static_cast<double>(j % 3), 0.5).normalized()));
    pose.local[j].rotation = pose.local[j].rotation * turn;
  }
  return pose;
}

double furthest_in_radii(const Subject& subject, const std::vector<double>& radii) {
  double furthest = 0;
  for (std::size_t v = 0; v < radii.size(); ++v) {
    if (!(radii[v] > 0)) continue;
    furthest = std::max(furthest, (subject.frame.positions[v] - subject.posed.positions[v]).norm() / radii[v]);
  }
  return furthest;
}

// However wild the poses on the way, no vertex goes much further than the body is thick there.
TEST(Sequence, NothingTears) {
  for (const char* name : {"knight", "elephant"}) {
    Subject subject(make_sample(name));
    const auto plan = volume::plan_together(subject.welded, {}, volume::local_radii(subject.welded, subject.context));
    in_sequence(subject, contorted(subject.character, 1));
    subject.expect_sound(name);
    EXPECT_LE(subject.largest_error(), 1e-9) << name;
    EXPECT_FALSE(subject.frame.wild_joints.empty()) << name;
    EXPECT_LT(furthest_in_radii(subject, plan.radius), 1.1) << name;
  }
}

/// What the correction adds.
std::vector<Vec3> moves_in(Subject& subject, const Pose& pose) {
  in_sequence(subject, pose);
  std::vector<Vec3> moves = subject.frame.positions;
  for (std::size_t v = 0; v < moves.size(); ++v) moves[v] -= subject.posed.positions[v];
  return moves;
}

double largest_change(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

// Nothing pops where a step becomes wild: going into the steepest part of a motion again and again, the change shrinks
// with the time step.
TEST(Sequence, ChangesShrinkWithTheTimeStep) {
  Subject subject(make_sample("knight"));
  double from = 0, to = 1, change = 0;
  for (const int parts : {16, 4, 4, 4, 4}) {
    const double step = (to - from) / parts;
    double steepest = from;
    change = 0;
    std::vector<Vec3> before = moves_in(subject, contorted(subject.character, from));
    for (int i = 0; i < parts; ++i) {
      std::vector<Vec3> after = moves_in(subject, contorted(subject.character, from + step * (i + 1)));
      if (const double here = largest_change(before, after); here > change) {
        change = here;
        steepest = from + step * i;
      }
      before = std::move(after);
    }
    from = steepest;
    to = steepest + step;
  }
  EXPECT_LT(change, 1e-3);
}

// A breathing body at rest has no moving joint: its joints give all the same, thin parts no more of their radius than
// thick ones.
TEST(Sequence, Breathing) {
  Subject subject(make_sample("elephant"), VolumeSettings{.volume = Profile({{0, 1.04}})});
  const auto plan = volume::plan_together(subject.welded, {}, volume::local_radii(subject.welded, subject.context));
  in_sequence(subject, rest_pose(subject.character.skeleton));
  EXPECT_LE(subject.largest_error(), 1e-9);
  EXPECT_GT(subject.frame.max_displacement, 0);
  EXPECT_LT(furthest_in_radii(subject, plan.radius), 0.1);
}

}  // namespace
}  // namespace isochor
