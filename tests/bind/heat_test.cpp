#include "isochor/bind/heat.h"

#include <numbers>

#include "bind/bind_cases.h"
#include "isochor/base/error.h"

namespace isochor {
namespace {

/// An open tube along z with `around` vertices a ring and `along` rings between -length and length.
Surface tube(double radius, double length, int around, int along) {
  Surface surface;
  for (int k = 0; k <= along; ++k) {
    for (int i = 0; i < around; ++i) {
      const double turn = 2 * std::numbers::pi * i / around;
      surface.positions.emplace_back(radius * std::cos(turn), radius * std::sin(turn), length * (2.0 * k / along - 1));
    }
  }
  for (int k = 0; k < along; ++k) {
    for (int i = 0; i < around; ++i) {
      const Index a = k * around + i, b = k * around + (i + 1) % around;
      surface.add_face({a, b, b + around, a + around});
    }
  }
  return surface;
}

std::vector<Handle> two_bones(double length) {
  std::vector<Handle> handles(2);
  handles[0].shapes = {HandleShape::segment(Vec3(0, 0, -length), Vec3(0, 0, 0))};
  handles[1].shapes = {HandleShape::segment(Vec3(0, 0, 0), Vec3(0, 0, length))};
  return handles;
}

/// The largest difference to the exact weights, where these are not about to fade.
double error_on_tube(int around, int along, double stiffness) {
  constexpr double kRadius = 0.5, kLength = 4;
  Context context(1);
  const Surface surface = tube(kRadius, kLength, around, along);
  const HeatWeights heat = heat_weights(surface, two_bones(kLength), {.stiffness = stiffness}, context);
  double error = 0;
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    // -w'' + c/r² w = c/r² p with p = 1 below 0 and 0 above it.
    const double z = surface.positions[v].z();
    const double tail = 0.5 * std::exp(-std::sqrt(stiffness) * std::abs(z) / kRadius);
    const double exact = z < 0 ? 1 - tail : tail;
    if (exact > 0.06 && exact < 0.94)
      error = std::max(error, std::abs(test::weight_of(heat.weights.row(v), 0) - exact));
  }
  return error;
}

// A tube with two bones has weights that can be written down; heat comes near to them, and nearer with each refinement.
TEST(Heat, AnalyticOnATube) {
  for (const double stiffness : {1.0, 4.0}) {
    const double coarse = error_on_tube(8, 16, stiffness), fine = error_on_tube(16, 32, stiffness),
                 finest = error_on_tube(32, 128, stiffness);
    EXPECT_LT(fine, 0.6 * coarse) << stiffness;
    EXPECT_LT(finest, 0.6 * fine) << stiffness;
    EXPECT_LT(finest, 0.005) << stiffness;
  }
}

// Thin triangles, a fan of three faces at an edge, and triangles without area change little.
TEST(Heat, AnyTriangles) {
  Context context(1);
  const Surface plain = tube(0.5, 4, 32, 128);
  const SkinWeights expected = heat_weights(plain, two_bones(4), {}, context).weights;
  Surface odd = tube(0.5, 4, 32, 128);
  const auto n = static_cast<Index>(odd.vertex_count());
  odd.positions.push_back(odd.positions[40] + Vec3(0, 0, 1e-9));  // a sliver
  odd.add_face({40, n, 41});
  odd.add_face({72, 73, 72 + 32});                     // twice there
  odd.positions.push_back(1.2 * odd.positions[1000]);  // a fin
  odd.add_face({1000, 1001, n + 1});
  odd.positions.push_back(Vec3(9, 9, 9));  // in no face
  const SkinWeights weights = heat_weights(odd, two_bones(4), {}, context).weights;
  ASSERT_EQ(weights.vertex_count(), odd.vertex_count());
  for (std::size_t v = 0; v < odd.vertex_count(); ++v) EXPECT_FALSE(weights.row(v).empty()) << v;
  for (std::size_t v = 0; v < plain.vertex_count(); ++v) {
    EXPECT_LT(test::row_difference(weights.row(v), expected.row(v)), 0.02) << v;
  }
}

// A bone behind a wall warms nothing: beside the gap the vertices that see no bone take their heat along the surface.
TEST(Heat, WallsStopHeat) {
  Context context(1);
  Surface surface = tube(0.5, 4, 32, 64);
  const Surface other = tube(0.5, 4, 32, 64);
  const Index first = append(surface, other);
  for (std::size_t v = static_cast<std::size_t>(first); v < surface.vertex_count(); ++v) {
    surface.positions[v] += Vec3(1.2, 0, 0);
  }
  const HeatWeights heat = heat_weights(surface, two_bones(4), {}, context);
  EXPECT_EQ(std::count(heat.sees_bone.begin(), heat.sees_bone.begin() + first, 0), 0);
  EXPECT_GT(std::count(heat.sees_bone.begin() + first, heat.sees_bone.end(), 0), 0);
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) ASSERT_FALSE(heat.weights.row(v).empty());
}

// Pieces that see no bone at all are warmed through walls, and the result says so.
TEST(Heat, PiecesInTheDark) {
  Context context(1);
  Surface surface = tube(0.5, 4, 32, 64);
  Surface ball = test::cube();
  for (Vec3& p : ball.positions) p = 0.1 * p + Vec3(0.6, 0, 2);
  for (std::size_t f = 0; f < ball.face_count(); ++f) std::reverse(ball.face(f).begin(), ball.face(f).end());
  const Index first = append(surface, ball);
  const HeatWeights heat = heat_weights(surface, two_bones(4), {}, context);
  for (std::size_t v = static_cast<std::size_t>(first); v < surface.vertex_count(); ++v) {
    EXPECT_GT(test::weight_of(heat.weights.row(v), 1), 0.9);
  }
  EXPECT_THROW(heat_weights(surface, {}, {}, context), Error);
}

struct Moved {
  const char* name;
  Affine move;
};

// Moving, turning and scaling the giraffe changes nothing for methods that know no lattice.
TEST(Heat, RigidMotionsAndScale) {
  const Moved moves[] = {{"moved", Affine(Eigen::Translation3d(10, -20, 5))},
                         {"scaled", Affine(Eigen::Scaling(100.0))},
                         {"turned", Affine(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()))}};
  for (const BindMethod method : {BindMethod::heat, BindMethod::distance}) {
    BindOptions options;
    options.method = method;
    // On the plane of symmetry left and right are equal: a limit would choose between them by rounding.
    options.limits = {.influences = 32, .prune = 0};
    Context context(2);
    const BindResult plain = bind(test::bare_giraffe(), options, context);
    for (const auto& [name, move] : moves) {
      SCOPED_TRACE(enum_name(method) + std::string(" ") + name);
      Character character = test::bare_giraffe();
      for (Vec3& p : character.parts[0].surface.positions) p = move * p;
      // The root alone moves; scale goes into every offset.
      const double scale = std::cbrt(move.linear().determinant());
      for (Joint& joint : character.skeleton.joints) {
        if (joint.tail) joint.tail = scale * *joint.tail;
        if (joint.parent != kNone) {
          joint.rest.translation *= scale;
          continue;
        }
        joint.rest.translation = move * joint.rest.translation;
        joint.rest.rotation = Quat(Mat3(move.linear() / scale)) * joint.rest.rotation;
      }
      const BindResult result = bind(character, options, context);
      EXPECT_LT(test::weights_difference(plain.parts[0].weights, result.parts[0].weights).max, 1e-6);
    }
  }
}

// Same bits for one and two threads, by every method.
TEST(Heat, SameForAnyNumberOfThreads) {
  const Character knight = make_sample("knight");
  for (const BindMethod method : {BindMethod::automatic, BindMethod::geodesic_heat, BindMethod::heat}) {
    BindOptions options;
    options.method = method;
    options.gvb.resolution = 64;
    Context one(1), two(2);
    const BindResult a = bind(knight, options, one), b = bind(knight, options, two);
    ASSERT_EQ(a.parts.size(), b.parts.size());
    for (std::size_t p = 0; p < a.parts.size(); ++p) EXPECT_EQ(a.parts[p].weights, b.parts[p].weights);
    test::expect_all_bound(a, knight);
  }
}

}  // namespace
}  // namespace isochor
