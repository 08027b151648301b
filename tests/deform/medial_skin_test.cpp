#include "isochor/deform/medial_skin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deform/skinning_cases.h"
#include "isochor/base/error.h"
#include "isochor/deform/skinning.h"

namespace isochor {
namespace {

Affine twisted(double degrees) { return Affine(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ())); }

/// Guides along z from 0 to 1, the first and the last of two joints alone, and rings of skin of radius 1 between them.
MedialSkin cylinder(int intermediate, int rings) {
  MedialSkin skin;
  const int last = intermediate + 1;
  for (int m = 0; m <= last; ++m) {
    const double t = static_cast<double>(m) / last;
    skin.centres.push_back(Vec3(0, 0, t));
    if (m == 0) {
      skin.guides.add_row(std::vector<Influence>{{0, 1.0}});
    } else if (m == last) {
      skin.guides.add_row(std::vector<Influence>{{1, 1.0}});
    } else {
      skin.guides.add_row(std::vector<Influence>{{0, 1 - t}, {1, t}});
    }
  }
  for (int r = 0; r < rings; ++r) {
    const double at = static_cast<double>(last) * r / (rings - 1);
    const int m = std::min(static_cast<int>(at), last - 1);
    skin.skin.add_row(std::vector<Influence>{{m, 1 - (at - m)}, {m + 1, at - m}});
  }
  return skin;
}

/// The smallest radius of the cylinder when its upper end is twisted.
double smallest_radius(int intermediate, double degrees) {
  constexpr int kRings = 241;
  const MedialSkin skin = cylinder(intermediate, kRings);
  std::vector<Mat34> maps(kRings);
  guide_maps(skin, std::vector<Affine>{Affine::Identity(), twisted(degrees)}, maps, Context(2));
  double smallest = 1;
  for (int r = 0; r < kRings; ++r) {
    const Vec3 p(1, 0, static_cast<double>(r) / (kRings - 1));
    const Vec3 moved = maps[r].leftCols<3>() * p + maps[r].col(3);
    EXPECT_NEAR(moved.z(), p.z(), 1e-12);
    smallest = std::min(smallest, moved.head<2>().norm());
  }
  return smallest;
}

// Bloomenthal 2002, figure 1: a twist of 180 degrees leaves nothing, 0.707 of the radius with one intermediate guide,
// 0.924 with three; and that is the cosine of half the angle between two guides for any twist.
TEST(MedialSkin, TwistTable) {
  EXPECT_NEAR(smallest_radius(0, 180), 0, 1e-12);
  EXPECT_GT(smallest_radius(1, 180), 0.70);
  EXPECT_LT(smallest_radius(1, 180), 0.71);
  EXPECT_GT(smallest_radius(3, 180), 0.92);
  EXPECT_LT(smallest_radius(3, 180), 0.93);
  for (const double degrees : {45.0, 90.0, 135.0, 170.0}) {
    for (const int intermediate : {0, 1, 2, 3, 7}) {
      const double between = degrees * std::numbers::pi / 180 / (intermediate + 1);
      EXPECT_NEAR(smallest_radius(intermediate, degrees), std::cos(0.5 * between), 1e-9) << degrees;
    }
  }
}

// A bend is shared out as a twist is: a guide of weights 0.7 and 0.3 has done 0.3 of the way on an arc about the axis.
TEST(MedialSkin, BendsGoOnAnArc) {
  MedialSkin skin;
  skin.centres = {Vec3(0, 0, 2)};
  skin.guides.add_row(std::vector<Influence>{{0, 0.7}, {1, 0.3}});
  const Vec3 hinge(0, 1, 0);
  const Affine bend = Eigen::Translation3d(hinge) * Eigen::AngleAxisd(2, Vec3::UnitX()) * Eigen::Translation3d(-hinge);
  const Affine part =
      Eigen::Translation3d(hinge) * Eigen::AngleAxisd(0.6, Vec3::UnitX()) * Eigen::Translation3d(-hinge);
  std::vector<Affine> motion(1);
  guide_motions(skin, std::vector<Affine>{Affine::Identity(), bend}, motion, Context(1));
  EXPECT_LT((motion[0].matrix() - part.matrix()).cwiseAbs().maxCoeff(), 1e-12);
}

/// Guides that each follow some of nine joints, and skin that follows some of the guides.
MedialSkin scattered_skin() {
  MedialSkin skin;
  skin.centres = test::scattered(40, 1);
  skin.guides = test::some_weights(40, 9, 4, test::Neighbours::unlike);
  skin.skin = test::some_weights(200, 40, 4, test::Neighbours::unlike);
  return skin;
}

std::vector<Mat34> maps_of_guides(const MedialSkin& skin, std::span<const Affine> joints, int threads = 1) {
  std::vector<Mat34> maps(skin.skin.vertex_count());
  guide_maps(skin, joints, maps, Context(threads));
  return maps;
}

// Joints that all move alike move the skin so; and a motion of the whole skeleton is one of the skin.
TEST(MedialSkin, FollowsTheWholeSkeleton) {
  const MedialSkin skin = scattered_skin();
  const Affine motion = Eigen::Translation3d(1, -2, 3) * Eigen::AngleAxisd(2.5, Vec3(1, 2, 3).normalized());
  for (const Mat34& map : maps_of_guides(skin, std::vector<Affine>(9, motion))) {
    EXPECT_LT((map - motion.matrix().topRows<3>()).cwiseAbs().maxCoeff(), 1e-12);
  }
  std::vector<Affine> joints = test::rigid_joints(9, 1);
  const auto before = maps_of_guides(skin, joints);
  for (Affine& joint : joints) joint = motion * joint;
  const auto after = maps_of_guides(skin, joints);
  for (std::size_t v = 0; v < before.size(); ++v) {
    Eigen::Matrix4d full = Eigen::Matrix4d::Identity();
    full.topRows<3>() = before[v];
    EXPECT_LT((after[v] - (motion.matrix() * full).topRows<3>()).cwiseAbs().maxCoeff(), 1e-8);
  }
}

// The same bytes for any number of threads.
TEST(MedialSkin, SameForAnyThreads) {
  const MedialSkin skin = scattered_skin();
  const auto joints = test::rigid_joints(9, 1);
  const auto one = maps_of_guides(skin, joints, 1), two = maps_of_guides(skin, joints, 2);
  for (std::size_t v = 0; v < one.size(); ++v) EXPECT_EQ(one[v], two[v]);
}

// What cannot be followed is refused with a sentence.
TEST(MedialSkin, Refused) {
  MedialSkin skin = cylinder(1, 3);
  std::vector<Mat34> maps(3);
  EXPECT_THROW(guide_maps(skin, std::vector<Affine>{Affine::Identity()}, maps, Context(1)), Error);
  Affine mirrored = Affine::Identity();
  mirrored.linear()(0, 0) = -1;
  EXPECT_THROW(guide_maps(skin, std::vector<Affine>{Affine::Identity(), mirrored}, maps, Context(1)), Error);
  skin.centres.pop_back();
  EXPECT_THROW(guide_maps(skin, std::vector<Affine>(2, Affine::Identity()), maps, Context(1)), Error);
}

}  // namespace
}  // namespace isochor
