#include "isochor/bind/prepare_medial.h"

#include <numbers>

#include "bind/bind_cases.h"
#include "isochor/base/error.h"
#include "isochor/deform/posed_skin.h"

namespace isochor {
namespace {

BindOptions at_64() {
  BindOptions options{.method = BindMethod::medial};
  options.gvb.resolution = 64;
  return options;
}

PreparedMedial prepared(const WeldedCharacter& welded, int threads = 2) {
  Context context(threads);
  return prepare_medial(welded, at_64(), context);
}

PosedSkin posed(const WeldedCharacter& welded, const PreparedMedial& medial, const Pose& pose, int threads = 2) {
  PosedSkin out;
  pose_skin(welded, pose, {Deformer::medial, &medial.rig}, out, Context(threads));
  return out;
}

Pose twisted(const Character& cylinder, double degrees) {
  Pose pose = rest_pose(cylinder.skeleton);
  pose.local[1].rotation =
      cylinder.skeleton.joints[1].rest.rotation * Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitY());
  return pose;
}

/// The thinnest place of a twisted cylinder, relative to its radius.
double thinnest(const std::vector<Vec3>& positions, const CylinderOptions& options) {
  double least = 1;
  for (std::size_t v = 0; v < static_cast<std::size_t>(options.segments) * options.rings; ++v) {
    const std::size_t at = v + 3 * static_cast<std::size_t>(options.segments);  // after the rounded edge
    least = std::min(least, Vec3(positions[at].x(), 0, positions[at].z()).norm() / options.radius);
  }
  return least;
}

/// A cube of this side.
Surface block(const Vec3& low, double side) {
  Surface surface = test::cube();
  const Box box = bounding_box(surface.positions);
  for (Vec3& p : surface.positions) p = low + side * (p - box.min()) / box.sizes().x();
  return surface;
}

// The candy wrapper: where linear blending leaves cos(a/2) of the radius, guides keep most of it.
TEST(PreparedMedial, CandyWrapper) {
  const CylinderOptions options;
  const Character cylinder = make_cylinder(options, Context(1));
  const WeldedCharacter welded(cylinder);
  const PreparedMedial medial = prepared(welded);
  EXPECT_EQ(medial.carried, 0u);
  for (const auto& [degrees, least] : {std::pair{90.0, 0.90}, {135.0, 0.78}, {170.0, 0.68}}) {
    const Pose pose = twisted(cylinder, degrees);
    EXPECT_GT(thinnest(posed(welded, medial, pose).positions, options), least) << degrees;
    PosedSkin lbs;
    pose_skin(welded, pose, Deformer::lbs, lbs, Context(1));
    EXPECT_LT(thinnest(lbs.positions, options), std::cos(degrees * std::numbers::pi / 360) + 0.01);
  }
}

// In the rest pose nothing moves, and a motion of the root is one of the whole.
TEST(PreparedMedial, FollowsTheRoot) {
  const Character elephant = make_sample("elephant");
  const WeldedCharacter welded(elephant);
  const PreparedMedial medial = prepared(welded);
  Pose pose = rest_pose(elephant.skeleton);
  const PosedSkin rest = posed(welded, medial, pose);
  for (std::size_t v = 0; v < rest.rest.size(); ++v) {
    EXPECT_LT((rest.positions[v] - rest.rest[v]).norm(), 1e-9);
    EXPECT_LE(medial.rig.skin.skin.row(v).size(), 12u);
  }
  const Affine motion = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(2, Vec3(1, 2, 3).normalized());
  for (std::size_t j = 0; j < elephant.skeleton.size(); ++j) {
    if (elephant.skeleton.joints[j].parent != kNone) continue;
    pose.local[j].translation = motion * pose.local[j].translation;
    pose.local[j].rotation = Quat(motion.linear()) * Quat(pose.local[j].rotation);
  }
  const PosedSkin moved = posed(welded, medial, pose);
  for (std::size_t v = 0; v < rest.rest.size(); ++v) {
    EXPECT_LT((moved.positions[v] - motion * rest.rest[v]).norm(), 1e-8);
  }
}

// The same bytes for any number of threads; the same shape, moved and scaled, for a character that is.
TEST(PreparedMedial, SameAnywhereAndForAnyThreads) {
  Character cylinder = make_sample("cylinder");
  const WeldedCharacter welded(cylinder);
  const PreparedMedial one = prepared(welded, 1), two = prepared(welded, 2);
  EXPECT_EQ(one.rig.skin.skin, two.rig.skin.skin);
  EXPECT_EQ(one.rig.skin.guides, two.rig.skin.guides);
  const Pose pose = sample(cylinder.clips[0], cylinder.skeleton, cylinder.clips[0].end());
  const PosedSkin a = posed(welded, one, pose, 1), b = posed(welded, two, pose, 2);
  EXPECT_EQ(a.positions, b.positions);

  Character large = cylinder;
  const Vec3 offset(8, -16, 32);
  for (Vec3& p : large.parts[0].surface.positions) p = 4 * p + offset;
  for (Affine& m : large.parts[0].skin.inverse_bind) {
    Affine bind = m.inverse();
    bind.translation() = 4 * bind.translation() + offset;
    m = bind.inverse();
  }
  Pose moved = pose;
  for (std::size_t j = 0; j < large.skeleton.size(); ++j) {
    const bool root = large.skeleton.joints[j].parent == kNone;
    if (large.skeleton.joints[j].tail) *large.skeleton.joints[j].tail *= 4;
    for (Vec3* at : {&large.skeleton.joints[j].rest.translation, &moved.local[j].translation}) {
      *at = 4 * *at + (root ? offset : Vec3(0, 0, 0));
    }
  }
  const WeldedCharacter welded_large(large);
  const PosedSkin c = posed(welded_large, prepared(welded_large), moved);
  for (std::size_t v = 0; v < a.positions.size(); ++v) {
    EXPECT_LT((c.positions[v] - (4 * a.positions[v] + offset)).norm(), 1e-6);
  }
}

// Pieces of the mesh that follow one joint alone in the file follow it here, parts without a skin their node.
TEST(PreparedMedial, RigidPiecesAndNodes) {
  Character character = make_sample("cylinder");
  Part helmet = character.parts[0];
  helmet.name = "helmet";
  helmet.surface = block(Vec3(-0.3, 1.5, -0.3), 0.6);
  helmet.normals.clear();
  helmet.face_material.clear();
  helmet.weights = {};
  for (std::size_t v = 0; v < helmet.surface.vertex_count(); ++v) {
    helmet.weights.add_row(std::vector<Influence>{{1, 1.0}});
  }
  Part carried = helmet;
  carried.name = "carried";
  carried.surface = block(Vec3(1, 0, 0), 1);
  carried.skin = {};
  carried.weights = {};
  carried.node = 1;
  character.parts.push_back(helmet);
  character.parts.push_back(carried);
  const WeldedCharacter welded(character);
  const PreparedMedial medial = prepared(welded);
  EXPECT_EQ(medial.carried, helmet.surface.vertex_count() + carried.surface.vertex_count());
  const Pose pose = sample(character.clips[0], character.skeleton, character.clips[0].end());
  const PosedSkin skin = posed(welded, medial, pose);
  PosedSkin lbs;
  pose_skin(welded, pose, Deformer::lbs, lbs, Context(1));
  for (std::size_t p = 1; p < 3; ++p) {
    for (std::size_t v = 0; v < character.parts[p].surface.vertex_count(); ++v) {
      const Index w = welded.whole().welded(p, v);
      EXPECT_LT((skin.positions[w] - lbs.positions[w]).norm(), 1e-12) << p;
    }
  }
}

// Weights that are rigid far from a joint keep the skin there as it is: the end of a limb without bones of its own goes
// with the bone that its author gave it.
TEST(PreparedMedial, WhatIsRigidStaysRigid) {
  Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  const PreparedMedial medial = prepared(welded);
  const Pose pose = sample(character.clips[0], character.skeleton, character.clips[0].end());
  const PosedSkin skin = posed(welded, medial, pose);
  PosedSkin lbs;
  pose_skin(welded, pose, Deformer::lbs, lbs, Context(1));
  for (std::size_t v = 0; v < skin.rest.size(); ++v) {
    if (skin.rest[v].y() < 1.85 && skin.rest[v].y() > 0.15) continue;
    EXPECT_LT((skin.positions[v] - lbs.positions[v]).norm(), 1e-6) << skin.rest[v].transpose();
  }
}

// Guides of another character are refused, and so is the deformer without any.
TEST(PreparedMedial, Refused) {
  const Character cylinder = make_sample("cylinder"), other = make_sample("cylinder3");
  const WeldedCharacter welded(cylinder), welded_other(other);
  const PreparedMedial medial = prepared(welded_other);
  PosedSkin out;
  const Pose pose = rest_pose(cylinder.skeleton);
  EXPECT_THROW(pose_skin(welded, pose, Deformer::medial, out, Context(1)), Error);
  EXPECT_THROW(pose_skin(welded, pose, {Deformer::medial, &medial.rig}, out, Context(1)), Error);
  BindOptions wrong = at_64();
  wrong.medial.width = 0;
  Context context(1);
  EXPECT_THROW(prepare_medial(welded, wrong, context), Error);
}

}  // namespace
}  // namespace isochor
