#include "isochor/volume/map_support.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isochor/sample/sample.h"
#include "limb.h"

namespace isochor {
namespace {

/// A limb along x from -1 to 1, its joint at 0, with vertices of given places and weights of the lower joint.
struct Strip {
  test::Limb limb = test::limb(Vec3(-1, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  std::vector<JointAxes> axes;

  Strip() {
    limb.skeleton.joints.resize(2);
    limb.space.bind.resize(2);
    limb.space.inverse_bind.resize(2);
    clear();
  }
  void clear() {
    limb.space.weights = {};
    limb.space.rest.clear();
  }
  void add(const Vec3& place, std::vector<Influence> row) {
    limb.space.weights.add_row(row);
    limb.space.rest.push_back(place);
  }
  MapSupport build(const EffectSettings& settings, std::span<const PaintedMap> painted = {}) {
    limb.space.size = 2;
    axes = joint_axes(limb.skeleton, limb.space);
    const EffectSubject subject{limb.space, limb.skeleton, painted};
    return MapSupports(subject, axes).build(0, settings);
  }
};

// blend, by hand: 4 s (1 - s); vertices that follow one side rigidly are no part of it.
TEST(MapSupport, Blend) {
  Strip strip;
  for (const double s : {0.0, 0.25, 0.5, 0.9, 1.0}) strip.add(Vec3(s, 0, 0), {{0, 1 - s}, {1, s}});
  const MapSupport support = strip.build(default_effect(Effect::blend));
  EXPECT_TRUE(support.fixed());
  EXPECT_EQ(support.vertices, (std::vector<Index>{1, 2, 3}));
  EXPECT_NEAR(support.layers[0].base[0], 0.75, 1e-15);
  EXPECT_NEAR(support.layers[0].base[1], 1, 1e-15);
  EXPECT_NEAR(support.layers[0].base[2], 0.36, 1e-15);
}

// Rows that do not sum to 1 are read as shares.
TEST(MapSupport, UnnormalisedWeights) {
  Strip strip;
  strip.add(Vec3::Zero(), {{0, 0.5}, {1, 1.5}});
  strip.add(Vec3::Zero(), {{0, 3}});
  strip.add(Vec3::Zero(), {});
  const MapSupport support = strip.build(default_effect(Effect::blend));
  ASSERT_EQ(support.vertices, std::vector<Index>{0});
  EXPECT_NEAR(support.layers[0].base[0], 0.75, 1e-15);
}

// skin, by hand: (1 - max w)^g where two bones blend; where a third one shares the vertex, the joint's part of it.
TEST(MapSupport, Skin) {
  Strip strip;
  strip.add(Vec3::Zero(), {{0, 0.7}, {1, 0.3}});
  strip.add(Vec3::Zero(), {{0, 0.2}, {1, 0.8}});
  strip.add(Vec3::Zero(), {{0, 1}});
  EffectSettings settings = default_effect(Effect::skin);
  settings.gain = 2;
  const MapSupport support = strip.build(settings);
  ASSERT_EQ(support.vertices, (std::vector<Index>{0, 1}));
  EXPECT_NEAR(support.layers[0].base[0], 0.09, 1e-15);
  EXPECT_NEAR(support.layers[0].base[1], 0.04, 1e-15);

  test::Limb three = test::limb(Vec3(-1, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  const Influence row[] = {{0, 0.6}, {1, 0.3}, {2, 0.1}};
  three.space.weights.add_row(row);
  three.space.rest.emplace_back(0, 0, 0);
  const auto axes = joint_axes(three.skeleton, three.space);
  const EffectSubject subject{three.space, three.skeleton};
  const MapSupports supports(subject, axes);
  EXPECT_NEAR(supports.build(0, settings).layers[0].base[0], 0.16, 1e-15);         // s = 0.4 = all of 1 - max w
  EXPECT_NEAR(supports.build(1, settings).layers[0].base[0], 0.16 * 0.25, 1e-15);  // s = 0.1, a quarter of it
}

// organic, by hand: that times the distance to the nearest bone, in units, to the power g2.
TEST(MapSupport, Organic) {
  Strip strip;
  strip.add(Vec3(-0.5, 0.3, 0.4), {{0, 0.7}, {1, 0.3}});
  strip.add(Vec3(-0.5, 0, 0), {{0, 0.7}, {1, 0.3}});
  EffectSettings settings = default_effect(Effect::organic);
  settings.distance_gain = 2;
  const MapSupport support = strip.build(settings);
  EXPECT_NEAR(support.layers[0].base[0], 0.3 * 0.25, 1e-12);  // half a bone's length away
  EXPECT_NEAR(support.layers[0].base[1], 0, 1e-12);           // on the bone

  test::Limb uneven = test::limb(Vec3(-2, 0, 0), Vec3(0, 0, 0), Vec3(1, 0, 0));
  const Influence row[] = {{0, 0.7}, {1, 0.3}};
  uneven.space.weights = {};
  uneven.space.weights.add_row(row);
  uneven.space.rest = {Vec3(-0.5, 0.3, 0.4)};
  const auto axes = joint_axes(uneven.skeleton, uneven.space);
  const EffectSubject subject{uneven.space, uneven.skeleton};
  EXPECT_NEAR(MapSupports(subject, axes).build(0, settings).layers[0].base[0], 0.3 * 0.25 / 2.25, 1e-12);
}

// painted: the file's values; what is negative or no number counts as nothing.
TEST(MapSupport, Painted) {
  Strip strip;
  for (int i = 0; i < 4; ++i) strip.add(Vec3(i, 0, 0), {{i % 2, 1.0}});
  EffectSettings settings = default_effect(Effect::painted);
  settings.map = "fat";
  const std::vector<PaintedMap> maps = {{"fat", {0.5, -1, std::nan(""), 2}}};
  const MapSupport support = strip.build(settings, maps);
  EXPECT_EQ(support.vertices, (std::vector<Index>{0, 3}));
  EXPECT_EQ(support.layers[0].base, (std::vector<double>{0.5, 2}));
  EXPECT_THROW(strip.build(settings), Error);
  const std::vector<PaintedMap> shorter = {{"fat", {1}}};
  EXPECT_THROW(strip.build(settings, shorter), Error);
}

// Maps in the joint's frame reach as far as the bell lasts at rest (base 1 inside), fade out, and end.
TEST(MapSupport, ReachIsLocal) {
  Strip strip;
  for (int i = 0; i <= 40; ++i) strip.add(Vec3(-1 + 0.05 * i, 0, 0.01), {{i < 20 ? 0 : 1, 1.0}});
  EffectSettings settings = default_effect(Effect::isotropic);
  settings.sigma = Vec3::Constant(0.1);
  const MapSupport support = strip.build(settings);
  EXPECT_FALSE(support.fixed());
  ASSERT_FALSE(support.vertices.empty());
  for (std::size_t k = 0; k < support.vertices.size(); ++k) {
    const double distance = strip.limb.space.rest[support.vertices[k]].norm();
    EXPECT_LT(distance, 0.1 * 3.72 * 1.5);
    EXPECT_GT(support.layers[0].base[k], 0);
    if (distance < 0.37) {
      EXPECT_EQ(support.layers[0].base[k], 1);
    }
  }
  EXPECT_EQ(support.vertices.size(), 23u);  // within 0.557 of the joint, every 0.05
}

// A bone that lies beside the joint but far along the skeleton is not reached: one knee does not know the other.
TEST(MapSupport, ReachFollowsBones) {
  Skeleton skeleton;
  RestSpace space;
  const auto add = [&](const char* name, Index parent, const Vec3& place) {
    skeleton.joints.push_back({name, parent, {}, true, {}});
    Affine bind = Affine::Identity();
    bind.translate(place);
    space.bind.push_back(bind);
    space.inverse_bind.push_back(bind.inverse());
  };
  add("hips", kNone, Vec3(0, 0, 0));
  for (const double side : {-0.1, 0.1}) {
    const auto first = static_cast<Index>(skeleton.size());
    add("thigh", 0, Vec3(side, 0, 0));
    add("shin", first, Vec3(side, -1, 0));
    add("foot", first + 1, Vec3(side, -2, 0));
  }
  for (const Index joint : {1, 2, 4, 5}) {
    const Influence row[] = {{joint, 1.0}};
    space.weights.add_row(row);
    space.rest.push_back(space.bind[joint].translation() + Vec3(0, -0.1, 0.05));
  }
  const Influence row[] = {{0, 1.0}};
  space.weights.add_row(row);
  space.rest.emplace_back(0, 0, 0);
  space.size = 2;
  const auto axes = joint_axes(skeleton, space);
  const EffectSubject subject{space, skeleton};
  const MapSupports supports(subject, axes);
  EffectSettings settings = default_effect(Effect::isotropic);
  settings.sigma = Vec3::Constant(0.15);
  std::size_t knee = 0;
  while (axes[knee].joint != 2) ++knee;
  EXPECT_EQ(supports.build(knee, settings).vertices, std::vector<Index>{1});
}

// A curve reaches as far as its three profiles do; without bounds, everywhere.
TEST(MapSupport, CurveReach) {
  Strip strip;
  for (int i = 0; i <= 40; ++i) strip.add(Vec3(-1 + 0.05 * i, 0, 0.01), {{i < 20 ? 0 : 1, 1.0}});
  EffectSettings settings = default_effect(Effect::curve);
  EXPECT_EQ(strip.build(settings).vertices.size(), 41u);
  const Profile hat({{-0.1, 0}, {0, 1}, {0.1, 0}});
  settings.x = settings.y = settings.z = hat;
  EXPECT_LT(strip.build(settings).vertices.size(), 13u);
  EXPECT_GE(strip.build(settings).vertices.size(), 5u);
}

// Several maps have one layer each over the vertices of all of them.
TEST(MapSupport, CombinedLayers) {
  Strip strip;
  for (int i = 0; i <= 10; ++i) {
    const double s = std::clamp((i - 3) / 4.0, 0.0, 1.0);
    strip.add(Vec3(-0.5 + 0.1 * i, 0, 0.01), {{0, 1 - s}, {1, s}});
  }
  EffectSettings settings = default_effect(Effect::combined);
  settings.maps = {default_effect(Effect::blend), default_effect(Effect::isotropic)};
  const MapSupport support = strip.build(settings);
  ASSERT_EQ(support.layers.size(), 2u);
  EXPECT_FALSE(support.fixed());
  EXPECT_EQ(support.vertices.size(), 11u);
  EXPECT_EQ(support.layers[0].base[0], 0);
  EXPECT_EQ(support.layers[1].base[0], 1);
  EXPECT_EQ(support.layers[0].base[5], 1);
}

// Subtree weights of the elephant: where a joint's s is between 0 and 1, its parent's is not smaller.
TEST(MapSupport, SubtreeWeightsGrowTowardsTheRoot) {
  const Character character = make_sample("elephant");
  const RestSpace space = WeldedCharacter(character).rest_space();
  const auto axes = joint_axes(character.skeleton, space);
  const EffectSubject subject{space, character.skeleton};
  const MapSupports supports(subject, axes);
  std::size_t touched = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (const auto& share : supports.shares(i)) {
      double s = 0, parent = 0;
      for (const Influence& influence : space.weights.row(share.vertex)) {
        for (Index j = influence.joint; j != kNone; j = character.skeleton.joints[j].parent) {
          if (j == axes[i].joint) s += influence.weight;
          if (j == axes[i].parent) parent += influence.weight;
        }
      }
      ASSERT_NEAR(s, share.s, 1e-9);
      ASSERT_GE(parent, s - 1e-12);
      ++touched;
    }
  }
  EXPECT_GT(touched, 1000u);
}

}  // namespace
}  // namespace isochor
