#include "isochor/bind/medial_weights.h"

#include <numbers>

#include "bind/bind_cases.h"
#include "isochor/base/error.h"
#include "isochor/deform/medial_skin.h"
#include "isochor/deform/skinning.h"

namespace isochor {
namespace {

using test::weight_of;

BindOptions by_medial(int resolution = 64) {
  BindOptions options;
  options.method = BindMethod::medial;
  options.gvb.resolution = resolution;
  return options;
}

BindResult bound(const Character& character, const BindOptions& options = by_medial(), int threads = 2) {
  Context context(threads);
  BindResult result = bind(character, options, context);
  test::expect_all_bound(result, character);
  return result;
}

/// A closed tube about z from 0 to 4, of radius 0.5, with a joint at 0 and one at 2.
Character arm() {
  Surface s = test::tube(24, 41, 0.5, 4);
  for (const int ring : {0, 40}) {
    const auto centre = static_cast<Index>(s.vertex_count());
    s.positions.push_back(Vec3(0, 0, ring == 0 ? 0 : 4));
    for (Index a = 0; a < 24; ++a) {
      const Index from = ring * 24 + a, to = ring * 24 + (a + 1) % 24;
      s.add_face({centre, ring == 0 ? to : from, ring == 0 ? from : to});
    }
  }
  Skeleton skeleton;
  skeleton.joints = {test::joint_at("upper", kNone, Vec3(0, 0, 0)), test::joint_at("lower", 0, Vec3(0, 0, 2)),
                     test::joint_at("end", 1, Vec3(0, 0, 2))};
  return test::character_of(std::move(s), skeleton);
}

// A tube with two bones: rigid away from the joint, half and half at it, the same all around, and falling from one end
// to the other within twice the filter's reach.
TEST(MedialWeights, Tube) {
  const Character character = arm();
  const BindResult result = bound(character);
  const auto& positions = character.parts[0].surface.positions;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double z = positions[v].z(), upper = weight_of(result.parts[0].weights.row(v), 0);
    if (std::abs(z - 2) < 1e-9) {
      EXPECT_NEAR(upper, 0.5, 0.1);
    }
    if (z < 0.2) {
      EXPECT_GT(upper, 0.95);
    }
    if (z > 3.8) {
      EXPECT_LT(upper, 0.05);
    }
    if (v >= 24 && v < 24 * 41) {
      EXPECT_LE(upper, weight_of(result.parts[0].weights.row(v - 24), 0) + 0.02);
      EXPECT_NEAR(upper, weight_of(result.parts[0].weights.row(v - v % 24), 0), 0.08);
    }
  }
}

// A wider filter bends more softly.
TEST(MedialWeights, Width) {
  const Character character = arm();
  const auto blended = [&](double width) {
    BindOptions options = by_medial();
    options.medial.width = width;
    const BindResult result = bound(character, options);
    std::size_t n = 0;
    for (std::size_t v = 0; v < result.parts[0].weights.vertex_count(); ++v) {
      const double upper = weight_of(result.parts[0].weights.row(v), 0);
      n += upper > 0.1 && upper < 0.9 ? 1 : 0;
    }
    return n;
  };
  EXPECT_GT(blended(3.5), blended(1.5));
}

// Legs that nearly touch do not move each other.
TEST(MedialWeights, NoBleedAcrossAGap) {
  const Character character = test::trousers(0.06, 1500);
  const BindResult result = bound(character, by_medial(128));
  const auto& positions = character.parts[0].surface.positions;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    if (positions[v].y() > 0.4) continue;
    const auto row = result.parts[0].weights.row(v);
    const double other =
        positions[v].x() > 0 ? weight_of(row, 3) + weight_of(row, 4) : weight_of(row, 1) + weight_of(row, 2);
    EXPECT_LT(other, 0.02) << positions[v].transpose();
  }
}

// Cloth: a sheet without thickness over a chain of bones is blended from bone to bone, not cut.
TEST(MedialWeights, SheetsAreBlended) {
  Surface sheet;
  constexpr int kAcross = 21, kAlong = 41;
  for (int i = 0; i < kAlong; ++i) {
    for (int j = 0; j < kAcross; ++j) sheet.positions.push_back(Vec3(0.05 * j - 0.5, 0.05 * i, 0.02 * j));
  }
  for (int i = 0; i + 1 < kAlong; ++i) {
    for (int j = 0; j + 1 < kAcross; ++j) {
      const Index a = i * kAcross + j;
      sheet.add_face({a, a + 1, a + kAcross + 1, a + kAcross});
    }
  }
  Skeleton skeleton;
  skeleton.joints = {test::joint_at("0", kNone, Vec3(0, 0, 0.2)), test::joint_at("1", 0, Vec3(0, 0.5, 0)),
                     test::joint_at("2", 1, Vec3(0, 0.5, 0)), test::joint_at("3", 2, Vec3(0, 0.5, 0))};
  const Character character = test::character_of(std::move(sheet), skeleton);
  const BindResult result = bound(character);
  std::size_t blended = 0;
  for (std::size_t v = 0; v < result.parts[0].weights.vertex_count(); ++v) {
    blended += result.parts[0].weights.row(v).front().weight < 0.9 ? 1 : 0;
  }
  EXPECT_GT(blended, result.parts[0].weights.vertex_count() / 4);
  // Along a line no step is large.
  for (int i = 0; i + 1 < kAlong; ++i) {
    const auto at = [&](int ring) {
      return result.parts[0].weights.row(static_cast<std::size_t>(ring * kAcross + kAcross / 2));
    };
    EXPECT_LT(test::row_difference(at(i), at(i + 1)), 0.7) << i;
  }
}

// Filters that reach nothing fall back, and the report says so: a far vertex in no face, and bones outside the mesh.
TEST(MedialWeights, FallbacksAreReported) {
  Character character = arm();
  character.parts[0].surface.positions.push_back(Vec3(0.5, 0, 2));
  const BindResult fine = bound(character);
  EXPECT_EQ(fine.volumes[0].medial.beyond, 0u);
  EXPECT_GT(fine.volumes[0].medial.vertices, 3u);
  BindOptions narrow = by_medial();
  narrow.medial.complex.angle = 150;
  narrow.medial.width = 1.2;
  Surface& s = character.parts[0].surface;
  const auto tip = static_cast<Index>(s.vertex_count());
  s.positions.push_back(Vec3(2.2, 0, 2));
  s.add_face({tip, 20 * 24, 21 * 24});
  s.add_face({tip, 21 * 24, 20 * 24 + 1});
  const BindResult spiky = bound(character, narrow);
  EXPECT_EQ(spiky.volumes[0].medial.beyond > 0, test::has_problem(spiky.problems, "vertices-beyond-medial"));
  for (Joint& joint : character.skeleton.joints) {
    if (joint.parent == kNone) joint.rest.translation.x() += 6;
  }
  const BindResult outside = bound(character);
  EXPECT_GT(outside.volumes[0].medial.widened, 0u);
  EXPECT_TRUE(test::has_problem(outside.problems, "medial-beyond-bones"));
}

// The same for any number of threads, to the last bit; and for a character that is moved and scaled, within rounding.
TEST(MedialWeights, SameAnywhereAndForAnyThreads) {
  const Character character = test::trousers(0.1, 800);
  const BindResult one = bound(character, by_medial(), 1), two = bound(character, by_medial(), 2);
  EXPECT_EQ(one.parts[0].weights, two.parts[0].weights);
  Character moved = character;
  for (Vec3& p : moved.parts[0].surface.positions) p = 4 * p + Vec3(8, -16, 32);
  for (Joint& joint : moved.skeleton.joints) {
    joint.rest.translation *= 4;
    if (joint.parent == kNone) joint.rest.translation += Vec3(8, -16, 32);
  }
  EXPECT_LT(test::weights_difference(one.parts[0].weights, bound(moved).parts[0].weights).max, 1e-6);
}

// A tube twisted at its middle: the guides of the complex share out the twist, where linear blending of the composed
// weights pinches the tube to cos(a/2).
TEST(MedialWeights, CandyWrapper) {
  const Character character = arm();
  const auto& positions = character.parts[0].surface.positions;
  Context context(2);
  const MedialBinding binding =
      bind_by_medial(character.parts[0].surface, test::rest_handles(character), {.resolution = 64}, {}, context);
  const SkinWeights weights = composed_weights(binding, context);
  const MedialSkin skin{binding.complex.positions, binding.medial, binding.skin};
  std::vector<Mat34> maps(positions.size());
  const auto smallest_radius = [&] {
    double smallest = 1;
    for (std::size_t v = 0; v < 24 * 41; ++v) {
      const Vec3 moved = maps[v].leftCols<3>() * positions[v] + maps[v].col(3);
      smallest = std::min(smallest, moved.head<2>().norm() / 0.5);
    }
    return smallest;
  };
  for (const auto& [degrees, least] : {std::pair{90.0, 0.91}, {135.0, 0.81}, {170.0, 0.71}}) {
    const double angle = degrees * std::numbers::pi / 180;
    std::vector<Affine> matrices(binding.handles.size(), Affine::Identity());
    for (std::size_t h = 0; h < matrices.size(); ++h) {
      if (binding.handles[h].joint != 0) matrices[h] = Eigen::AngleAxisd(angle, Vec3::UnitZ());
    }
    vertex_maps(Deformer::lbs, {positions, weights}, matrices, maps, context);
    EXPECT_LT(smallest_radius(), std::cos(angle / 2) + 0.02) << degrees;
    guide_maps(skin, matrices, maps, context);
    EXPECT_GT(smallest_radius(), least) << degrees;
  }
}

// Weights change little with the length of a bone, down to a point; and a joint of two equal points counts as twice one
// of them, wherever the other one lies.
TEST(MedialWeights, ShortBonesAndPoints) {
  const Character character = arm();
  Context context(2);
  const auto rows = [&](const std::vector<HandleShape>& shapes) {
    std::vector<Handle> handles = test::rest_handles(character);
    for (Handle& handle : handles) handle.growth = {};
    handles.push_back({.joint = 7, .shapes = shapes});
    return bind_by_medial(character.parts[0].surface, handles, {.resolution = 64}, {}, context).medial;
  };
  const auto bone = [](double length) {
    return std::vector<HandleShape>{HandleShape::segment(Vec3(0.1, 0, 2), Vec3(0.1, 0, 2 + length))};
  };
  SkinWeights before = rows({HandleShape::point(Vec3(0.1, 0, 2))});
  for (const double length : {1e-12, 0.0009, 0.0011, 0.01}) {
    const SkinWeights after = rows(bone(length));
    EXPECT_LT(test::weights_difference(before, after).max, 0.03) << length;
    before = after;
  }
  const SkinWeights near = rows({HandleShape::point(Vec3(0, 0, 2)), HandleShape::point(Vec3(0, 0, 2))});
  const SkinWeights far = rows({HandleShape::point(Vec3(0, 0, 2)), HandleShape::point(Vec3(0, 0, 9))});
  const SkinWeights one = rows({HandleShape::point(Vec3(0, 0, 2))});
  EXPECT_LT(test::weights_difference(one, far).max, 1e-9);
  EXPECT_GT(test::weights_difference(one, near).max, 0.05);
}

// The two steps, from bones to the complex and from there to the skin, are rows that sum to 1; composed they are the
// weights of the method.
TEST(MedialWeights, TwoSteps) {
  const Character character = test::trousers(0.1, 800);
  Context context(2);
  GvbOptions voxels;
  voxels.resolution = 64;
  const MedialBinding binding =
      bind_by_medial(character.parts[0].surface, test::rest_handles(character), voxels, {}, context);
  test::expect_valid(binding.skin, character.parts[0].surface.vertex_count(), binding.complex.vertex_count());
  test::expect_valid(binding.medial, binding.complex.vertex_count(), binding.handles.size());
  test::expect_valid(composed_weights(binding, context), character.parts[0].surface.vertex_count(),
                     binding.handles.size());
  MedialWeightOptions wrong;
  wrong.width = 0.5;
  EXPECT_THROW(bind_by_medial(character.parts[0].surface, test::rest_handles(character), voxels, wrong, context),
               Error);
}

}  // namespace
}  // namespace isochor
