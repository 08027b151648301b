#include "isochor/volume/bend_axes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "isochor/sample/sample.h"
#include "limb.h"

namespace isochor {
namespace {

using test::about;
using test::limb;
using test::somewhere;

constexpr double kDegree = std::numbers::pi / 180;
const Vec3 kX = Vec3::UnitX(), kY = Vec3::UnitY(), kZ = Vec3::UnitZ();

/// The lower joint of a straight limb along x.
JointAxes straight() {
  const auto l = limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  return joint_axes(l.skeleton, l.space)[0];
}

// By hand: an arm along x whose fore-arm bends towards z has e_0 = x, the bend axis e_1 = x × z = -y, the inside e_2 =
// z.
TEST(BendAxes, AxesOfABend) {
  const JointAxes axes = straight();
  EXPECT_EQ(axes.joint, 1);
  EXPECT_EQ(axes.parent, 0);
  EXPECT_DOUBLE_EQ(axes.parent_length, 2);
  EXPECT_DOUBLE_EQ(axes.unit, 1.5);
  const BendAxes found = bend_axes(axes, Affine::Identity(), about(Vec3::Zero(), -kY, 60 * kDegree));
  EXPECT_TRUE(found.axes.col(0).isApprox(kX, 1e-12));
  EXPECT_TRUE(found.axes.col(1).isApprox(-kY, 1e-12));
  EXPECT_TRUE(found.axes.col(2).isApprox(kZ, 1e-12));
  EXPECT_NEAR(found.bend, 60 * kDegree, 1e-12);
  EXPECT_NEAR(found.swing, 60 * kDegree, 1e-12);
  EXPECT_NEAR(found.twist, 0, 1e-12);
  EXPECT_NEAR(found.radial, 0, 1e-12);
}

// e_1 = e_0 × d and e_2 = e_1 × e_0 for any bend of at least ten degrees, in any direction.
TEST(BendAxes, FollowsTheDefinition) {
  const JointAxes axes = straight();
  for (int k = 0; k < 36; ++k) {
    const double turn = k * 10 * kDegree;
    const Vec3 axis(0, std::cos(turn), std::sin(turn));
    for (const double angle : {10.1, 45.0, 90.0, 169.0}) {
      const Affine map = about(Vec3::Zero(), axis, angle * kDegree);
      const BendAxes found = bend_axes(axes, Affine::Identity(), map);
      const Vec3 e1 = kX.cross(map.linear() * kX).normalized();
      EXPECT_LT((found.axes.col(1) - e1).norm(), 1e-12);
      EXPECT_LT((found.axes.col(2) - e1.cross(kX)).norm(), 1e-12);
      EXPECT_TRUE((found.axes.transpose() * found.axes).isIdentity(1e-12));
    }
  }
}

// Swing and twist come apart: a bend after a twist about the bone gives back both angles; beyond half a turn it wraps.
TEST(BendAxes, SwingAndTwist) {
  const JointAxes axes = straight();
  for (const double twist : {-170.0, -30.0, 0.0, 45.0, 179.0}) {
    for (const double swing : {0.0, 20.0, 90.0, 150.0}) {
      const Affine map = about(Vec3::Zero(), -kY, swing * kDegree) * about(Vec3::Zero(), kX, twist * kDegree);
      const BendAxes found = bend_axes(axes, Affine::Identity(), map);
      EXPECT_NEAR(found.twist, twist * kDegree, 1e-7) << swing;
      EXPECT_NEAR(found.swing, swing * kDegree, 1e-7) << twist;
    }
  }
  EXPECT_NEAR(bend_axes(axes, Affine::Identity(), about(Vec3::Zero(), kX, 190 * kDegree)).twist, -170 * kDegree, 1e-9);
}

// A pure twist leaves the bones collinear, and is told by itself: radial goes to 1. A pure bend has none.
TEST(BendAxes, PureTwistIsRadial) {
  const JointAxes axes = straight();
  for (const double twist : {20.0, 90.0, 180.0}) {
    const BendAxes found = bend_axes(axes, Affine::Identity(), about(Vec3::Zero(), kX, twist * kDegree));
    EXPECT_GT(found.radial, 0.99);
    EXPECT_NEAR(found.bend, 0, 1e-12);
  }
  for (const double bend : {0.0, 20.0, 90.0, 170.0}) {
    EXPECT_LT(bend_axes(axes, Affine::Identity(), about(Vec3::Zero(), axes.inside.cross(kX), -bend * kDegree)).radial,
              1e-9);
  }
}

// A limb that is bent at rest knows its inside when it is straightened, whatever the joint's own axes are.
TEST(BendAxes, StraightLimbTakesTheRestBend) {
  const auto l = limb(Vec3(-1, 0, 0), Vec3(0, 0, 0), Vec3(0.9, 0.3, 0));
  const JointAxes axes = joint_axes(l.skeleton, l.space)[0];
  EXPECT_TRUE(axes.inside.isApprox(kY, 1e-12));
  const Affine straighten = about(Vec3::Zero(), -kZ, std::atan2(0.3, 0.9));
  const BendAxes found = bend_axes(axes, Affine::Identity(), straighten);
  EXPECT_NEAR(found.bend, 0, 1e-12);
  EXPECT_LT((found.axes.col(2) - kY).norm(), 1e-9);
}

// The last axes that the bones told are carried through straight poses, with the parent bone, while the character
// turns.
TEST(BendAxes, CarriesTheLastBend) {
  const JointAxes axes = straight();
  Vec3 carried = axes.inside;
  const Vec3 bend_axis(0, 0.6, 0.8);
  bend_axes(axes, Affine::Identity(), about(Vec3::Zero(), bend_axis, 40 * kDegree), carried);
  const Vec3 e2 = bend_axis.cross(kX);
  EXPECT_LT((carried - e2).norm(), 1e-12);
  const Affine world = somewhere();
  const BendAxes found = bend_axes(axes, world, world, carried);
  EXPECT_LT((found.axes.col(2) - world.linear() * e2).norm(), 1e-9);
  EXPECT_LT((found.axes.col(0) - world.linear() * kX).norm(), 1e-12);
}

/// What a correction sees of the axes: the tensor that spreads shares over directions, and the side.
struct Seen {
  Mat3 tensor;
  Vec3 side;
};
Seen seen(const BendAxes& found) {
  const double mean = 0.45;
  const Vec3 mu(0.1, 0.1 + found.radial * (mean - 0.1), 0.8 + found.radial * (mean - 0.8));
  return {found.axes * mu.asDiagonal() * found.axes.transpose(), (1 - found.radial) * found.axes.col(2)};
}

/// The largest step between neighbouring samples of a motion from t = 0 to 1, with a past.
template <class Motion>
double largest_step(const JointAxes& axes, const Motion& motion, int samples) {
  Vec3 carried = axes.inside;
  double largest = 0;
  Seen last{};
  for (int i = 0; i <= samples; ++i) {
    const Seen now = seen(bend_axes(axes, Affine::Identity(), motion(static_cast<double>(i) / samples), carried));
    if (i > 0) largest = std::max({largest, (now.tensor - last.tensor).norm(), (now.side - last.side).norm()});
    last = now;
  }
  return largest;
}

// Nothing pops: swept finely through straight, in the plane and past it, with and without twist, through folded, what a
// correction sees of the axes changes less the finer the sweep.
TEST(BendAxes, NoPoppingNearCollinear) {
  const JointAxes axes = straight();
  const auto through = [](const Vec3& from, const Vec3& to, double twist) {
    return [=](double t) {
      // The bend vector moves on a straight line from `from` to `to`, in degrees.
      const Vec3 bend = (from + t * (to - from)) * kDegree;
      const double angle = bend.norm();
      return about(Vec3::Zero(), angle > 0 ? bend : kY, angle) * about(Vec3::Zero(), kX, t * twist * kDegree);
    };
  };
  const Vec3 inside = axes.inside.cross(kX);  // bends about -inside go to the inside
  const Vec3 other = kX.cross(inside);
  const std::vector<std::function<Affine(double)>> motions = {
      through(-30 * inside, 30 * inside, 0),  // flexed to extended, exactly through straight
      through(30 * inside, -30 * inside, 0),  // and back
      through(-30 * inside + 0.01 * other, 30 * inside + 0.01 * other, 0),  // a hair beside straight
      through(-30 * inside + 2 * other, 30 * inside + 2 * other, 0),
      through(-30 * other, 40 * other + 3 * inside, 0),
      through(-30 * inside, 30 * inside, 120),  // while it twists
      through(Vec3::Zero(), 5 * inside, 0),     // small motions about straight
      through(-5 * inside, 5 * other, 30),
      through(-150 * inside, -210 * inside, 0),  // through folded
  };
  for (std::size_t m = 0; m < motions.size(); ++m) {
    const double coarse = largest_step(axes, motions[m], 2000), fine = largest_step(axes, motions[m], 32000);
    EXPECT_LT(coarse, 0.12) << m;
    EXPECT_LT(fine, coarse / 8 + 1e-9) << m;
  }
}

// A rigid motion of the whole character moves the axes with it and changes nothing else; so does a uniform scale.
TEST(BendAxes, Equivariant) {
  const auto l = limb(Vec3(-1, 0.2, 0), Vec3(0, 0, 0), Vec3(0.9, 0.1, 0.3));
  const JointAxes axes = joint_axes(l.skeleton, l.space)[0];
  for (const double angle : {0.0, 1.0, 6.0, 80.0}) {
    const Affine joint = about(Vec3::Zero(), Vec3(0.2, 1, -0.4), angle * kDegree);
    const BendAxes here = bend_axes(axes, Affine::Identity(), joint);
    Affine world = somewhere();
    world.scale(3);
    const BendAxes there = bend_axes(axes, world, world * joint);
    EXPECT_LT((there.axes - world.linear() / 3 * here.axes).norm(), 1e-12);
    EXPECT_LT((there.origin - world * here.origin).norm(), 1e-12);
    EXPECT_NEAR(there.unit, 3 * here.unit, 1e-12);
    EXPECT_NEAR(there.radial, here.radial, 1e-9);
    EXPECT_NEAR(there.twist, here.twist, 1e-9);
    EXPECT_NEAR(there.bend, here.bend, 1e-9);
  }
}

// A mirrored pose has mirrored axes: local coordinates of mirrored vertices are the same.
TEST(BendAxes, MirroredPose) {
  const JointAxes axes = straight();
  Affine mirror = Affine::Identity();
  mirror.linear().diagonal() = Vec3(-1, 1, 1);
  for (const double angle : {0.0, 4.0, 50.0}) {
    const Affine joint = about(Vec3::Zero(), Vec3(0.1, 1, -0.4), angle * kDegree);
    const BendAxes here = bend_axes(axes, Affine::Identity(), joint);
    const BendAxes there = bend_axes(axes, mirror, mirror * joint);
    EXPECT_LT((there.axes - mirror.linear() * here.axes).norm(), 1e-12);
    EXPECT_NEAR(there.radial, here.radial, 1e-12);
  }
}

// A mirrored character, bound as a file of its own, has mirrored e_0 and e_2; e_1, an axis of rotation, is turned.
TEST(BendAxes, MirroredCharacter) {
  const Vec3 flip(-1, 1, 1);
  const Vec3 a(-1, 0.2, 0), o(0, 0, 0), b(0.8, 0.3, 0.4);
  const auto left = limb(a, o, b);
  const auto right = limb(flip.cwiseProduct(a), o, flip.cwiseProduct(b));
  const JointAxes l = joint_axes(left.skeleton, left.space)[0], r = joint_axes(right.skeleton, right.space)[0];
  const Mat3 mirror = flip.asDiagonal();
  const Affine joint = about(Vec3::Zero(), Vec3(0.3, 1, -0.4), 0.7);
  Affine mirrored = Affine::Identity();
  mirrored.linear() = mirror * joint.linear() * mirror;
  const BendAxes fl = bend_axes(l, Affine::Identity(), joint), fr = bend_axes(r, Affine::Identity(), mirrored);
  EXPECT_LT((fr.axes.col(0) - mirror * fl.axes.col(0)).norm(), 1e-12);
  EXPECT_LT((fr.axes.col(2) - mirror * fl.axes.col(2)).norm(), 1e-12);
  EXPECT_LT((fr.axes.col(1) + mirror * fl.axes.col(1)).norm(), 1e-12);
}

// Joints scaled to nothing, flattened or sheared give orthonormal axes, and no NaN.
TEST(BendAxes, DegenerateMaps) {
  const JointAxes axes = straight();
  Affine nothing = Affine::Identity(), flat = Affine::Identity(), sheared = Affine::Identity();
  nothing.linear().setZero();
  flat.linear().col(0).setZero();
  sheared.linear() << 1, 2, 0, 0, 1, 0.5, 0, 0, 3;
  for (const Affine& parent : {nothing, flat, sheared}) {
    for (const Affine& joint : {nothing, flat, sheared, Affine::Identity()}) {
      const BendAxes found = bend_axes(axes, parent, joint);
      EXPECT_TRUE((found.axes.transpose() * found.axes).isIdentity(1e-9));
      EXPECT_TRUE(std::isfinite(found.unit) && std::isfinite(found.twist) && std::isfinite(found.radial));
    }
  }
}

// Bones of no length take their direction from further up; plain nodes that move nothing are passed over; the root and
// joints without skin below them have no axes.
TEST(BendAxes, HelperNodesAndBonesOfNoLength) {
  auto l = limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  // world > upper > helper (same place as lower) > lower > end > nub (no skin)
  Skeleton s;
  const auto joint = [&](const char* name, Index parent) { s.joints.push_back({name, parent, {}, true, {}}); };
  joint("world", kNone);
  joint("upper", 0);
  joint("helper", 1);
  joint("lower", 2);
  joint("end", 3);
  joint("nub", 4);
  RestSpace space;
  const double x[] = {5, -2, 0, 0, 1, 1.5};
  for (const double place : x) {
    Affine bind = Affine::Identity();
    bind.translate(Vec3(place, 0, 0));
    space.bind.push_back(bind);
    space.inverse_bind.push_back(bind.inverse());
  }
  for (const Index j : {1, 3, 4}) {
    const Influence row[] = {{j, 1.0}};
    space.weights.add_row(row);
    space.rest.emplace_back(x[j], 0, 0.1);
  }
  space.size = 3;
  const auto axes = joint_axes(s, space);
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].joint, 3);
  EXPECT_EQ(axes[0].parent, 1);
  EXPECT_TRUE(axes[0].along.isApprox(kX));
  EXPECT_DOUBLE_EQ(axes[0].parent_length, 2);
  EXPECT_EQ(axes[1].joint, 4);
  EXPECT_EQ(axes[1].parent, 3);
  EXPECT_TRUE(axes[1].bone.isApprox(kX));  // to the nub
}

// A skeleton of separate joints bends against the one that moves most, which has no axes itself.
TEST(BendAxes, Forest) {
  auto l = limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  for (Joint& joint : l.skeleton.joints) joint.parent = kNone;
  const Influence row[] = {{1, 1.0}};
  l.space.weights.add_row(row);
  l.space.rest.emplace_back(0, 0.1, 0);
  const auto axes = joint_axes(l.skeleton, l.space);
  ASSERT_EQ(axes.size(), 2u);
  EXPECT_EQ(axes[0].joint, 0);
  EXPECT_EQ(axes[0].parent, 1);
  EXPECT_EQ(axes[1].joint, 2);
}

// No skin, no axes.
TEST(BendAxes, NoWeights) {
  auto l = limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  l.space.weights = {};
  EXPECT_TRUE(joint_axes(l.skeleton, l.space).empty());
}

// Every sample's joints have orthonormal axes in all their clips.
TEST(BendAxes, Samples) {
  for (const SampleInfo& info : samples()) {
    const Character character = make_sample(info.name);
    const RestSpace space = WeldedCharacter(character).rest_space();
    const auto axes = joint_axes(character.skeleton, space);
    EXPECT_FALSE(axes.empty());
    AxesTrack track(axes);
    for (const Clip& clip : character.clips) {
      for (const double time : frame_times(clip, 5)) {
        const auto global = global_transforms(character.skeleton, sample(clip, character.skeleton, time));
        for (std::size_t i = 0; i < axes.size(); ++i) {
          const BendAxes found = bend_axes(axes[i], global[axes[i].parent] * space.inverse_bind[axes[i].parent],
                                           global[axes[i].joint] * space.inverse_bind[axes[i].joint], track.inside(i));
          ASSERT_TRUE((found.axes.transpose() * found.axes).isIdentity(1e-9)) << info.name;
          ASSERT_LT((found.origin - global[axes[i].joint].translation()).norm(), 1e-6 * space.size);
        }
      }
    }
  }
}

}  // namespace
}  // namespace isochor
