#include "isochor/sample/knight.h"

#include <gtest/gtest.h>

#include "sample/checks.h"

namespace isochor {
namespace {

const Character& shared_knight() {
  static const Character character = make_knight({}, Context(0));
  return character;
}

class Knight : public testing::Test {
 protected:
  const Character& knight_ = shared_knight();

  const Part& part(const std::string& name) const {
    for (const Part& p : knight_.parts) {
      if (p.name == name) return p;
    }
    throw std::runtime_error("no part " + name);
  }
};

// Weights, skeleton, skins, parts and clips are valid: what is wrong with it is in its surfaces alone.
TEST_F(Knight, IsWellFormed) {
  test::expect_no_errors(knight_);
  for (const Part& p : knight_.parts) {
    if (p.skinned()) test::expect_good_weights(p, 4);
    EXPECT_EQ(p.face_material.size(), p.surface.face_count());
  }
  EXPECT_GE(knight_.materials.size(), 6u);
}

// The body is one closed surface of quads, symmetric in shape and weights.
TEST_F(Knight, BodyIsClosedAndSymmetric) {
  test::expect_one_closed_surface(part("body").surface);
  test::expect_quads(part("body").surface);
  test::expect_symmetric(knight_, part("body"));
}

// The armour has exactly the flaws that are documented, and is otherwise made of closed, oriented shells.
TEST_F(Knight, ArmourHasItsFlaws) {
  const Topology topology = analyse(part("armour").surface);
  EXPECT_EQ(topology.duplicate_faces.size(), static_cast<std::size_t>(KnightFlaws::kDuplicateFaces));
  EXPECT_EQ(topology.degenerate_faces.size(), static_cast<std::size_t>(KnightFlaws::kZeroAreaFaces));
  EXPECT_EQ(topology.non_manifold_edges.size(), static_cast<std::size_t>(KnightFlaws::kNonManifoldEdges));
  int shells = 0;
  for (const Component& component : topology.components) {
    shells += component.closed && component.manifold && component.oriented &&
                      signed_volume(part("armour").surface, component) > 0
                  ? 1
                  : 0;
  }
  // All but the helmet with its fin, the slivers and the studs, which have no volume.
  EXPECT_EQ(shells, static_cast<int>(topology.components.size()) - 1 - KnightFlaws::kZeroAreaFaces -
                        KnightFlaws::kDuplicateFaces);
  EXPECT_GT(shells, 30);
}

// Plates intersect the body: some of their vertices lie inside its bounding region, and boxes of plates overlap.
TEST_F(Knight, PlatesOverlap) {
  const Surface& surface = part("armour").surface;
  const Topology topology = analyse(surface);
  int overlaps = 0;
  std::vector<Box> boxes;
  for (const Component& component : topology.components) {
    Box box;
    for (const Index v : component.vertices) box.extend(surface.positions[v]);
    for (const Box& other : boxes) overlaps += box.intersects(other) ? 1 : 0;
    boxes.push_back(box);
  }
  EXPECT_GT(overlaps, 20);
}

// The cape is an open sheet with one boundary, the eyes are two balls in the head, the sword is four closed shells.
TEST_F(Knight, LoosePiecesAreWhatTheySay) {
  const Topology cape = analyse(part("cape").surface);
  ASSERT_EQ(cape.components.size(), 1u);
  EXPECT_EQ(cape.components[0].boundary_loops.size(), 1u);
  EXPECT_TRUE(cape.components[0].manifold);
  const Topology eyes = analyse(part("eyes").surface);
  ASSERT_EQ(eyes.components.size(), 2u);
  const Topology sword = analyse(part("sword").surface);
  ASSERT_EQ(sword.components.size(), 4u);
  for (const Topology* topology : {&eyes, &sword}) {
    const Surface& surface = topology == &eyes ? part("eyes").surface : part("sword").surface;
    for (const Component& component : topology->components) {
      EXPECT_TRUE(component.closed && component.manifold && component.oriented);
      EXPECT_GT(signed_volume(surface, component), 0);
    }
  }
}

// The sword has no skin and follows its node, which deforms nothing; it stays in the hand.
TEST_F(Knight, SwordFollowsTheHand) {
  const Part& sword = part("sword");
  EXPECT_FALSE(sword.skinned());
  ASSERT_NE(sword.node, kNone);
  EXPECT_FALSE(knight_.skeleton.joints[sword.node].deforms);
  const Index hand = knight_.skeleton.find("RightHand");
  for (const Clip& clip : knight_.clips) {
    const Pose pose = sample(clip, knight_.skeleton, clip.duration() / 2);
    const std::vector<Affine> global = global_transforms(knight_.skeleton, pose);
    EXPECT_NEAR((global[sword.node].translation() - global[hand].translation()).norm(), 0.08, 0.01);
  }
}

// The joints have the names that other tools expect.
TEST_F(Knight, HasStandardNames) {
  for (const char* name : {"Hips", "Spine", "Chest", "Neck", "Head", "LeftShoulder", "LeftUpperArm", "LeftLowerArm",
                           "LeftHand", "RightUpperLeg", "RightLowerLeg", "RightFoot", "RightToes"}) {
    EXPECT_NE(knight_.skeleton.find(name), kNone) << name;
  }
}

// Clips are finite and keep the boots on the ground.
TEST_F(Knight, StaysOnTheGround) {
  for (const char* name : {"walk", "wave", "crouch"}) {
    ASSERT_NE(knight_.find_clip(name), nullptr);
    EXPECT_GT(test::lowest_point(knight_, part("armour"), *knight_.find_clip(name)), -0.06) << name;
  }
}

}  // namespace
}  // namespace isochor
