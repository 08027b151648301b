#include "isochor/bind/gvb.h"

#include <numbers>

#include "bind/bind_cases.h"
#include "isochor/bind/distance.h"

namespace isochor {
namespace {

using test::expect_valid;
using test::weights_difference;

const Surface& giraffe() { return test::bare_giraffe().parts[0].surface; }
std::vector<Handle> giraffe_bones() { return test::rest_handles(test::bare_giraffe()); }

SkinWeights bind_surface(const Surface& surface, const std::vector<Handle>& handles, const GvbOptions& options,
                         int threads = 2) {
  Context context(threads);
  const GvbBinding binding(surface, handles, options, context);
  const SkinWeights weights = binding.weights({}, context);
  expect_valid(weights, surface.vertex_count(), handles.size());
  return weights;
}

std::vector<Handle> moved(std::vector<Handle> handles, const Affine& move) {
  const double scale = std::cbrt(move.linear().determinant());
  for (Handle& handle : handles) {
    handle.growth.direction = (move.linear() * handle.growth.direction).normalized();
    handle.growth.other = (move.linear() * handle.growth.other).normalized();
    handle.growth.limit *= scale;
    handle.growth.other_limit *= scale;
    handle.growth.parent_bone *= scale;
    for (HandleShape& shape : handle.shapes) {
      shape.a = move * shape.a;
      shape.b = move * shape.b;
    }
  }
  return handles;
}

Surface moved(Surface surface, const Affine& move) {
  for (Vec3& p : surface.positions) p = move * p;
  return surface;
}

// The paper's weights are the power of the distances, eq. 8 and 9: with α = 0.3, λ = 12.5.
TEST(Gvb, PaperWeights) {
  Context context;
  GvbOptions options = GvbOptions::paper();
  options.resolution = 64;
  const GvbBinding binding(giraffe(), giraffe_bones(), options, context);
  const SkinWeights weights = binding.weights({.falloff = 0.3, .limits = {.influences = 4, .prune = 0}}, context);
  for (std::size_t v = 0; v < giraffe().vertex_count(); v += 37) {
    double sum = 0;
    const auto distances = binding.distances(v);
    ASSERT_EQ(distances.size(), weights.row(v).size());
    for (const auto& d : distances) sum += std::pow(d.distance, -12.5);
    for (const auto& d : distances) {
      EXPECT_NEAR(test::weight_of(weights.row(v), d.handle), std::pow(d.distance, -12.5) / sum, 1e-5);
    }
  }
}

// In a straight tube the distance to a bone that lies in front is the straight line, within the lattice's error.
TEST(Gvb, DistancesInATube) {
  const Character cylinder = make_sample("cylinder");
  const Surface& surface = cylinder.parts[0].surface;
  const auto handles = test::rest_handles(cylinder);
  Context context;
  for (const GvbSampling sampling : {GvbSampling::smooth, GvbSampling::minimum}) {
    const GvbBinding binding(surface, handles, {.resolution = 128, .penalty = 1, .sampling = sampling}, context);
    const double voxel = 2.0 / 124;
    for (std::size_t v = 0; v < surface.vertex_count(); v += 11) {
      for (const auto& d : binding.distances(v)) {
        const double line = distance(binding.handles()[d.handle], surface.positions[v]);
        EXPECT_GE(d.distance, line - 1.5 * voxel);
        EXPECT_LE(d.distance, 1.13 * line + 3 * voxel);
      }
    }
  }
}

// A new α, a new limit, or an α for some joints and vertices needs no new distance: the same as binding anew.
TEST(Gvb, Reweighting) {
  Context context;
  const auto handles = giraffe_bones();
  const GvbBinding binding(giraffe(), handles, {.resolution = 64}, context);
  const GvbBinding again(giraffe(), handles, {.resolution = 64}, context);
  EXPECT_EQ(binding.weights({.falloff = 0.6}, context), again.weights({.falloff = 0.6}, context));

  const SkinWeights soft = binding.weights({.falloff = 0}, context);
  const SkinWeights hard = binding.weights({.falloff = 1}, context);
  double soft_strongest = 0, hard_strongest = 0;
  for (std::size_t v = 0; v < soft.vertex_count(); ++v) {
    soft_strongest += soft.row(v)[0].weight;
    hard_strongest += hard.row(v)[0].weight;
  }
  EXPECT_GT(hard_strongest, 1.05 * soft_strongest);

  const std::vector<double> by_joint(handles.size(), 1.0);
  EXPECT_EQ(binding.weights({.falloff = 0, .joint_falloff = by_joint}, context), hard);
  std::vector<double> by_vertex(giraffe().vertex_count(), std::nan(""));
  by_vertex[7] = 1;
  const SkinWeights mixed = binding.weights({.falloff = 0, .vertex_falloff = by_vertex}, context);
  for (std::size_t v = 0; v < soft.vertex_count(); ++v) {
    EXPECT_TRUE(test::same_row(mixed.row(v), v == 7 ? hard.row(v) : soft.row(v)));
  }
  const SkinWeights two = binding.weights({.limits = {.influences = 2}}, context);
  EXPECT_LE(two.max_influences(), 2);
  expect_valid(two, giraffe().vertex_count(), handles.size());
}

// A joint with a larger α gives way sooner than its neighbours, and where it is the nearest it stays the strongest.
TEST(Gvb, FalloffOfOneJoint) {
  const Character cylinder = make_sample("cylinder");
  const auto handles = test::rest_handles(cylinder);
  Context context;
  const GvbBinding binding(cylinder.parts[0].surface, handles, {.resolution = 64}, context);
  std::vector<double> falloff(handles.size(), std::nan(""));
  falloff[0] = 1;
  const SkinWeights plain = binding.weights({}, context), local = binding.weights({.joint_falloff = falloff}, context);
  double plain_sum = 0, local_sum = 0;
  for (std::size_t v = 0; v < plain.vertex_count(); ++v) {
    if (plain.row(v)[0].joint == 0) {
      EXPECT_EQ(local.row(v)[0].joint, 0);
    } else {
      plain_sum += test::weight_of(plain.row(v), 0);
      local_sum += test::weight_of(local.row(v), 0);
    }
  }
  EXPECT_LT(local_sum, 0.7 * plain_sum);
}

// Rigid regions follow their drivers alone, whether these are near or not; a later region wins.
TEST(Gvb, RigidRegions) {
  Context context;
  const auto handles = giraffe_bones();
  const GvbBinding binding(giraffe(), handles, {.resolution = 64}, context);
  const auto last = static_cast<Index>(handles.size()) - 1;
  const SkinWeights weights = binding.weights({.rigid = {{{3, 4, 5}, {0}}, {{5}, {last}}, {{9}, {0, last}}}}, context);
  expect_valid(weights, giraffe().vertex_count(), handles.size());
  EXPECT_EQ(weights.row(3)[0], (Influence{0, 1}));
  EXPECT_EQ(weights.row(5)[0], (Influence{last, 1}));
  for (const Influence& i : weights.row(9)) EXPECT_TRUE(i.joint == 0 || i.joint == last);
  EXPECT_THROW(binding.weights({.rigid = {{{3}, {99}}}}, context), Error);
  EXPECT_THROW(binding.weights({.rigid = {{{3}, {}}}}, context), Error);
}

// Two legs that nearly touch do not share weights; by Euclidean distance they do.
TEST(Gvb, LegsThatNearlyTouchDoNotBleed) {
  const Character trousers = test::trousers(0.03, 3000);
  const Surface& surface = trousers.parts[0].surface;
  const auto handles = test::rest_handles(trousers);
  const SkinWeights geodesic = bind_surface(surface, handles, {.resolution = 128});
  const SkinWeights euclidean = distance_weights(surface.positions, handles, {.exponent = 7.5}, Context());
  double worst_geodesic = 0, worst_euclidean = 0;
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
    if (surface.positions[v].y() > 0.5) continue;
    const Index other = surface.positions[v].x() > 0 ? 3 : 1;
    const auto bleed = [&](const SkinWeights& w) {
      return test::weight_of(w.row(v), other) + test::weight_of(w.row(v), other + 1);
    };
    worst_geodesic = std::max(worst_geodesic, bleed(geodesic));
    worst_euclidean = std::max(worst_euclidean, bleed(euclidean));
  }
  EXPECT_LT(worst_geodesic, 0.02);
  EXPECT_GT(worst_euclidean, 0.2);
}

// On a shape where every cell is one voxel, the octree and the uniform grid give the same weights, exactly; elsewhere
// they are close.
TEST(Gvb, OctreeAndUniformGrid) {
  Surface sheet;
  for (int j = 0; j <= 8; ++j) {
    for (int i = 0; i <= 8; ++i) sheet.positions.push_back(Vec3(i, j + 0.1 * i, 0.03 * i * j));
  }
  for (int j = 0; j < 8; ++j) {
    for (int i = 0; i < 8; ++i) sheet.add_face({9 * j + i, 9 * j + i + 1, 9 * j + i + 10, 9 * j + i + 9});
  }
  std::vector<Handle> bones(3);
  bones[0].shapes = {HandleShape::segment(Vec3(0, 0, 0), Vec3(4, 4, 0.4))};
  bones[1].shapes = {HandleShape::segment(Vec3(4, 4, 0.4), Vec3(8, 8, 2))};
  bones[2].shapes = {HandleShape::point(Vec3(0, 8, 0))};
  EXPECT_EQ(bind_surface(sheet, bones, {.resolution = 64}),
            bind_surface(sheet, bones, {.resolution = 64, .uniform = true}));

  const auto octree = bind_surface(giraffe(), giraffe_bones(), {.resolution = 64});
  const auto uniform = bind_surface(giraffe(), giraffe_bones(), {.resolution = 64, .uniform = true});
  EXPECT_LT(weights_difference(octree, uniform).mean, 0.05);
}

// The number of threads changes no bit, nor does the order of vertices and faces.
TEST(Gvb, OrderAndThreadsMakeNoDifference) {
  const Surface& surface = giraffe();
  const auto n = surface.vertex_count();
  std::vector<Index> to(n);
  for (std::size_t v = 0; v < n; ++v) to[v] = static_cast<Index>(v);
  test::Sequence sequence;
  for (std::size_t v = n; v-- > 1;) std::swap(to[v], to[static_cast<std::size_t>(sequence.next() * (v + 1))]);
  Surface shuffled;
  shuffled.positions.resize(n);
  for (std::size_t v = 0; v < n; ++v) shuffled.positions[to[v]] = surface.positions[v];
  for (std::size_t f = surface.face_count(); f-- > 0;) {
    std::vector<Index> face;
    for (const Index v : surface.face(f)) face.push_back(to[v]);
    std::rotate(face.begin(), face.begin() + f % face.size(), face.end());
    shuffled.add_face(face);
  }
  const auto handles = giraffe_bones();
  const SkinWeights one = bind_surface(surface, handles, {.resolution = 64}, 1);
  EXPECT_EQ(one, bind_surface(surface, handles, {.resolution = 64}, 2));
  const SkinWeights other = bind_surface(shuffled, handles, {.resolution = 64}, 2);
  for (std::size_t v = 0; v < n; ++v) ASSERT_TRUE(test::same_row(one.row(v), other.row(to[v]))) << v;
}

// Place and size do not matter beyond rounding: a millionth, a million times as large, and far away.
TEST(Gvb, TranslationAndScale) {
  const auto handles = giraffe_bones();
  const SkinWeights plain = bind_surface(giraffe(), handles, {.resolution = 64});
  const auto compare = [&](const Affine& move) {
    return weights_difference(plain, bind_surface(moved(giraffe(), move), moved(handles, move), {.resolution = 64}));
  };
  EXPECT_EQ(compare(Affine(Eigen::Scaling(4.0))).max, 0);
  for (const double scale : {1e-6, 1e6}) EXPECT_LT(compare(Affine(Eigen::Scaling(scale))).mean, 1e-6);
  EXPECT_LT(compare(Affine(Eigen::Translation3d(3, -5, 7.3))).mean, 1e-4);
  EXPECT_LT(compare(Affine(Eigen::Translation3d(1e6, -2e6, 3e5))).mean, 1e-3);
}

// A rotation changes the weights by the lattice's own error only: at 128 voxels a mean L1 of less than 0.045, less than
// half of what it does to the paper's own sampling.
TEST(Gvb, Rotation) {
  const auto handles = giraffe_bones();
  const Affine turn(Eigen::AngleAxisd(0.6, Vec3(1, 2, 3).normalized()));
  const auto change = [&](const GvbOptions& options) {
    return weights_difference(bind_surface(giraffe(), handles, options),
                              bind_surface(moved(giraffe(), turn), moved(handles, turn), options))
        .mean;
  };
  GvbOptions paper = GvbOptions::paper();
  paper.resolution = 128;
  const double ours = change({.resolution = 128});
  EXPECT_LT(ours, 0.045);
  EXPECT_LT(2 * ours, change(paper));
}

// Smoothing goes by length, not by edges: a cylinder of four times as many rings gets the same weights.
TEST(Gvb, SmoothingDoesNotDependOnTheMesh) {
  Context context;
  const Character coarse = make_cylinder({.segments = 16, .rings = 33}, context);
  const Character fine = make_cylinder({.segments = 32, .rings = 129}, context);
  const auto handles = test::rest_handles(coarse);
  const SkinWeights a = bind_surface(coarse.parts[0].surface, handles, {.resolution = 64});
  const SkinWeights b = bind_surface(fine.parts[0].surface, handles, {.resolution = 64});
  const auto weight_at = [](const Surface& surface, const SkinWeights& weights, double height) {
    double sum = 0;
    int count = 0;
    for (std::size_t v = 0; v < surface.vertex_count(); ++v) {
      if (std::abs(surface.positions[v].y() - height) > 0.035) continue;
      sum += test::weight_of(weights.row(v), 0);
      ++count;
    }
    return count > 0 ? sum / count : -1;
  };
  for (const double height : {0.5, 0.75, 0.9, 1.0, 1.1, 1.25, 1.5}) {
    const double wa = weight_at(coarse.parts[0].surface, a, height), wb = weight_at(fine.parts[0].surface, b, height);
    EXPECT_NEAR(wa, wb, 0.04) << height;
  }
}

// The same voxels serve a changed mesh: the same one gives the same weights, a refined one is bound, and one that has
// left the voxels reads the nearest.
TEST(Gvb, Resample) {
  Context context;
  const auto handles = giraffe_bones();
  GvbBinding binding(giraffe(), handles, {.resolution = 64}, context);
  const SkinWeights before = binding.weights({}, context);
  Surface nudged = giraffe();
  for (Vec3& p : nudged.positions) p += Vec3(1e-4, -1e-4, 1e-4);
  binding.resample(nudged, context);
  EXPECT_LT(weights_difference(before, binding.weights({}, context)).mean, 0.01);
  nudged.positions[0] += Vec3(0, 50, 0);
  nudged.positions.push_back(nudged.positions[1]);
  binding.resample(nudged, context);
  expect_valid(binding.weights({}, context), nudged.vertex_count(), handles.size());
  EXPECT_TRUE(test::has_problem(binding.evidence().problems, "vertices-moved-out"));
  binding.resample(giraffe(), context);
  EXPECT_EQ(binding.weights({}, context), before);
  EXPECT_FALSE(test::has_problem(binding.evidence().problems, "vertices-moved-out"));
}

// Points, segments, ellipsoids and boxes are all influences; those outside enter by their distance, and are named.
TEST(Gvb, HandlesOfAllKinds) {
  std::vector<Handle> handles(5);
  handles[0].shapes = {HandleShape::ellipsoid(Vec3(0.2, 0.5, 0.5), Vec3(0.1, 0.3, 0.3).asDiagonal())};
  handles[1].shapes = {HandleShape::box(Vec3(0.8, 0.5, 0.5), Vec3(0.1, 0.2, 0.2).asDiagonal())};
  handles[2].shapes = {HandleShape::point(Vec3(0.5, 0.9, 0.5)), HandleShape::point(Vec3(0.5, 0.1, 0.5))};
  handles[3].shapes = {HandleShape::segment(Vec3(0.5, 0.5, 0.1), Vec3(0.5, 0.5, 0.3))};
  handles[4].shapes = {HandleShape::point(Vec3(0.5, 0.5, 9))};
  Context context;
  const GvbBinding binding(test::cube(), handles, {.resolution = 32}, context);
  const SkinWeights weights = binding.weights({}, context);
  expect_valid(weights, 8, 5);
  EXPECT_EQ(weights.row(0)[0].joint, 0);
  EXPECT_EQ(weights.row(1)[0].joint, 1);
  EXPECT_EQ(binding.evidence().outside_handles, 1u);
  const auto& problems = binding.evidence().problems;
  const auto outside =
      std::find_if(problems.begin(), problems.end(), [](const Problem& p) { return p.code == "bone-outside"; });
  ASSERT_NE(outside, problems.end());
  EXPECT_EQ(outside->elements, std::vector<Index>{4});
  EXPECT_NEAR(binding.distance_at(Vec3(0.5, 0.5, 0.2), 3), 0, 1e-9);
  EXPECT_TRUE(std::isinf(binding.distance_at(Vec3(7, 7, 7), 3)));
}

// A shell that no bone reaches takes its weights from the surface beside it, and the report says so.
TEST(Gvb, ShellsAcrossAGap) {
  const Character cylinder = make_sample("cylinder");
  Surface surface = cylinder.parts[0].surface;
  Surface plate = test::cube();
  for (Vec3& p : plate.positions) p = Vec3(0.45 + 0.05 * p.x(), 1.7 + 0.1 * p.y(), -0.05 + 0.1 * p.z());
  const Index first = append(surface, plate);
  Context context;
  const auto handles = test::rest_handles(cylinder);
  const GvbBinding binding(surface, handles, {.resolution = 64}, context);
  const SkinWeights weights = binding.weights({}, context);
  expect_valid(weights, surface.vertex_count(), handles.size());
  EXPECT_EQ(binding.evidence().across_gap, 8u);
  EXPECT_TRUE(test::has_problem(binding.evidence().problems, "shell-not-reached"));
  for (Index v = first; v < first + 8; ++v) EXPECT_GT(test::weight_of(weights.row(v), 1), 0.9);
}

// A leaf grows on inside the mesh, through a shell in its way, and ends below the skin.
TEST(Gvb, LeavesGrow) {
  Surface surface = test::cube();
  Surface inner = test::cube();
  for (Vec3& p : inner.positions) p = Vec3(0.4, 0.4, 0.4) + 0.2 * p;
  append(surface, inner);
  std::vector<Handle> handles(1);
  handles[0].shapes = {HandleShape::point(Vec3(0.2, 0.5, 0.5))};
  handles[0].growth.direction = Vec3(1, 0, 0);
  Context context;
  const GvbBinding binding(surface, handles, {.resolution = 64}, context);
  const HandleShape& grown = binding.handles()[0].shapes[0];
  ASSERT_EQ(grown.kind, HandleShape::Kind::segment);
  EXPECT_GT(grown.b.x(), 0.94);
  EXPECT_LT(grown.b.x(), 1.0);
}

// α follows the bend of each joint.
TEST(Gvb, PoseFalloff) {
  const Character cylinder = make_sample("cylinder");
  const auto handles = test::rest_handles(cylinder);
  Pose pose = rest_pose(cylinder.skeleton);
  const PoseFalloff options{.straight = 0.1, .bent = 0.5, .angle = 1.0};
  EXPECT_EQ(pose_falloff(cylinder.skeleton, pose, handles, options), std::vector<double>(handles.size(), 0.1));
  pose.local[handles[1].joint].rotation =
      pose.local[handles[1].joint].rotation * Quat(Eigen::AngleAxisd(0.5, Vec3::UnitX()));
  EXPECT_NEAR(pose_falloff(cylinder.skeleton, pose, handles, options)[1], 0.3, 1e-9);
}

// What cannot be bound is refused with one sentence.
TEST(Gvb, BadInput) {
  Context context;
  std::vector<Handle> handles(1);
  handles[0].shapes = {HandleShape::point(Vec3(0.5, 0.5, 0.5))};
  EXPECT_THROW(GvbBinding(Surface{}, handles, {.resolution = 32}, context), Error);
  EXPECT_THROW(GvbBinding(test::cube(), {}, {.resolution = 32}, context), Error);
  EXPECT_THROW(GvbBinding(test::cube(), handles, {.resolution = 100}, context), Error);
  Surface broken = test::cube();
  broken.positions[3].x() = std::nan("");
  try {
    GvbBinding(broken, handles, {.resolution = 32}, context);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.element(), 3);
  }
  handles[0].shapes[0].a.y() = std::numeric_limits<double>::infinity();
  EXPECT_THROW(GvbBinding(test::cube(), handles, {.resolution = 32}, context), Error);
}

}  // namespace
}  // namespace isochor
