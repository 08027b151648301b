#include "isochor/deform/skinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "deform/skinning_cases.h"

namespace isochor {
namespace {

using test::kDeformers;
using test::maps_of;
using test::Neighbours;
using test::rigid_joints;
using test::scattered;
using test::some_weights;
using test::stretched_joints;
using test::times;

constexpr Index kFewJoints = 9;
constexpr std::size_t kVertices = 200;

SkinWeights one_row(std::vector<Influence> row) {
  SkinWeights weights;
  weights.add_row(row);
  return weights;
}

double largest_difference(const std::vector<Mat34>& a, const std::vector<Mat34>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).cwiseAbs().maxCoeff());
  return largest;
}

std::vector<Mat34> after(const Affine& motion, std::vector<Mat34> maps) {
  for (Mat34& map : maps) {
    Eigen::Matrix4d full = Eigen::Matrix4d::Identity();
    full.topRows<3>() = map;
    map = (motion.matrix() * full).topRows<3>();
  }
  return maps;
}

// Kavan 2008 with plain arrays: quaternions are w, x, y, z.
struct DualQuaternion {
  double real[4] = {0, 0, 0, 0};
  double dual[4] = {0, 0, 0, 0};
};
DualQuaternion dual_quaternion(const Affine& m) {
  const auto r = [&](int i, int j) { return m.matrix()(i, j); };
  DualQuaternion q;
  // The largest of the four components first (Shepperd 1978).
  const double trace = r(0, 0) + r(1, 1) + r(2, 2);
  int largest = 0;
  double best = trace;
  for (int i = 0; i < 3; ++i) {
    if (r(i, i) > best) {
      best = r(i, i);
      largest = i + 1;
    }
  }
  double* w = q.real;
  if (largest == 0) {
    w[0] = 0.5 * std::sqrt(1 + trace);
    w[1] = (r(2, 1) - r(1, 2)) / (4 * w[0]);
    w[2] = (r(0, 2) - r(2, 0)) / (4 * w[0]);
    w[3] = (r(1, 0) - r(0, 1)) / (4 * w[0]);
  } else {
    const int i = largest - 1;
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    const double d = 0.5 * std::sqrt(1 + r(i, i) - r(j, j) - r(k, k));
    w[1 + i] = d;
    w[1 + j] = (r(i, j) + r(j, i)) / (4 * d);
    w[1 + k] = (r(i, k) + r(k, i)) / (4 * d);
    w[0] = (r(k, j) - r(j, k)) / (4 * d);
  }
  const double t[3] = {r(0, 3), r(1, 3), r(2, 3)};
  q.dual[0] = -0.5 * (t[0] * w[1] + t[1] * w[2] + t[2] * w[3]);
  q.dual[1] = 0.5 * (t[0] * w[0] + t[1] * w[3] - t[2] * w[2]);
  q.dual[2] = 0.5 * (-t[0] * w[3] + t[1] * w[0] + t[2] * w[1]);
  q.dual[3] = 0.5 * (t[0] * w[2] - t[1] * w[1] + t[2] * w[0]);
  return q;
}
Vec3 textbook_dqs(const std::vector<DualQuaternion>& joints, std::span<const Influence> row, const Vec3& p) {
  const Influence* pivot = row.data();
  for (const Influence& influence : row) {
    if (influence.weight > pivot->weight) pivot = &influence;
  }
  double b[8] = {};
  for (const Influence& influence : row) {
    const DualQuaternion& q = joints[influence.joint];
    double along = 0;
    for (int i = 0; i < 4; ++i) along += q.real[i] * joints[pivot->joint].real[i];
    for (int i = 0; i < 4; ++i) {
      b[i] += (along < 0 ? -1 : 1) * influence.weight * q.real[i];
      b[4 + i] += (along < 0 ? -1 : 1) * influence.weight * q.dual[i];
    }
  }
  const double length = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
  for (double& x : b) x /= length;
  // Algorithm 1: v + 2 d0 × (d0 × v + a0 v) + 2 (a0 de − ae d0 + d0 × de).
  const Vec3 d0(b[1], b[2], b[3]);
  const Vec3 de(b[5], b[6], b[7]);
  return p + 2 * d0.cross(d0.cross(p) + b[0] * p) + 2 * (b[0] * de - b[4] * d0 + d0.cross(de));
}

// LBS takes a vertex to the weighted mean of the places to which its joints carry it.
TEST(Skinning, LbsIsTheWeightedMean) {
  const auto positions = scattered(kVertices, 2);
  const auto matrices = stretched_joints(kFewJoints);
  for (Index influences = 1; influences <= 9; ++influences) {
    const auto weights = some_weights(kVertices, kFewJoints, influences, Neighbours::unlike);
    std::vector<Vec3> skinned(kVertices);
    transform_positions(maps_of(Deformer::lbs, positions, weights, matrices), positions, skinned);
    for (std::size_t v = 0; v < kVertices; ++v) {
      Vec3 expected = Vec3::Zero();
      for (const auto& [joint, weight] : weights.row(v)) expected += weight * (matrices[joint] * positions[v]);
      EXPECT_LT((skinned[v] - expected).norm(), 1e-14 * 10);
    }
  }
}

// DQS of rigid joints is the textbook's, and does not care about the signs of the quaternions.
TEST(Skinning, DqsIsTheTextbooks) {
  const auto positions = scattered(kVertices, 2);
  const auto matrices = rigid_joints(kFewJoints, 3.1);
  std::vector<DualQuaternion> joints(kFewJoints);
  std::transform(matrices.begin(), matrices.end(), joints.begin(), dual_quaternion);
  for (const bool flip : {false, true}) {
    for (std::size_t j = 0; flip && j < joints.size(); j += 2) {
      for (int i = 0; i < 4; ++i) {
        joints[j].real[i] *= -1;
        joints[j].dual[i] *= -1;
      }
    }
    for (Index influences = 1; influences <= 9; ++influences) {
      const auto weights = some_weights(kVertices, kFewJoints, influences, Neighbours::unlike);
      std::vector<Vec3> skinned(kVertices);
      transform_positions(maps_of(Deformer::dqs, positions, weights, matrices), positions, skinned);
      for (std::size_t v = 0; v < kVertices; ++v) {
        EXPECT_LT((skinned[v] - textbook_dqs(joints, weights.row(v), positions[v])).norm(), 1e-13);
      }
    }
  }
}

// DQS of rigid joints gives rigid maps, so that no volume is lost in a twist.
TEST(Skinning, DqsMapsAreRigid) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  for (const Mat34& map : maps_of(Deformer::dqs, positions, weights, rigid_joints(kFewJoints))) {
    EXPECT_LT((map.leftCols<3>().transpose() * map.leftCols<3>() - Mat3::Identity()).norm(), 1e-13);
  }
}

// A joint that turns by more than half a turn is met on the shorter way: 350° is −10°.
TEST(Skinning, DqsTakesTheShorterWay) {
  const auto turn = [](double degrees) {
    Affine m = Affine::Identity();
    m.linear() = Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitZ()).toRotationMatrix();
    return m;
  };
  for (const double degrees : {100.0, 170.0, 190.0, 260.0, 350.0, 380.0, 540.5}) {
    const double half = std::remainder(degrees, 360) / 2;
    for (const auto& row : {std::vector<Influence>{{0, 0.5}, {1, 0.5}}, std::vector<Influence>{{1, 0.5}, {0, 0.5}}}) {
      const auto maps = maps_of(Deformer::dqs, {Vec3(1, 0, 0)}, one_row(row), {turn(0), turn(degrees)});
      EXPECT_LT((maps[0] - turn(half).matrix().topRows<3>()).norm(), 1e-12) << degrees;
    }
  }
}

// Moving the whole skeleton rigidly moves every vertex with it.
TEST(Skinning, RigidMotionsCommute) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  const Affine motion = test::some_rigid_motion();
  for (const Deformer deformer : kDeformers) {
    for (const auto& matrices : {rigid_joints(kFewJoints), stretched_joints(kFewJoints)}) {
      const auto moved = maps_of(deformer, positions, weights, times(motion, matrices));
      EXPECT_LT(largest_difference(moved, after(motion, maps_of(deformer, positions, weights, matrices))), 1e-12);
    }
  }
}

// Where the rest pose is, and how it lies, does not matter either.
TEST(Skinning, RigidMotionsOfTheRestPoseChangeNothing) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  const Affine motion = test::some_rigid_motion();
  auto other_positions = positions;
  for (Vec3& p : other_positions) p = motion.inverse() * p;
  for (const Deformer deformer : kDeformers) {
    auto matrices = stretched_joints(kFewJoints);
    std::vector<Vec3> expected(kVertices);
    transform_positions(maps_of(deformer, positions, weights, matrices), positions, expected);
    for (Affine& m : matrices) m = m * motion;
    std::vector<Vec3> skinned(kVertices);
    transform_positions(maps_of(deformer, other_positions, weights, matrices), other_positions, skinned);
    for (std::size_t v = 0; v < kVertices; ++v) EXPECT_LT((skinned[v] - expected[v]).norm(), 1e-12);
  }
}

// Joints that all move alike move every vertex so, whatever the weights.
TEST(Skinning, WeightsArePartitionsOfUnity) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 7, Neighbours::unlike);
  for (const Deformer deformer : kDeformers) {
    const std::vector<Affine> matrices(kFewJoints, stretched_joints(3)[2]);
    for (const Mat34& map : maps_of(deformer, positions, weights, matrices)) {
      EXPECT_LT((map - matrices[0].matrix().topRows<3>()).norm(), 1e-13);
    }
  }
}

// A vertex with one influence follows that joint to the last bit, with any scale and shear, mirrored or flat.
TEST(Skinning, OneInfluenceIsItsJoint) {
  auto matrices = stretched_joints(kFewJoints);
  matrices[1].linear() *= 100;
  matrices[2].linear() *= -0.01;
  matrices[3].linear().col(0).setZero();
  matrices[4].linear().setZero();
  for (const Deformer deformer : kDeformers) {
    for (Index j = 0; j < kFewJoints; ++j) {
      const auto weights = one_row({{(j + 1) % kFewJoints, 0.0}, {j, 1.0}});
      EXPECT_EQ(maps_of(deformer, {Vec3(1, 2, 3)}, weights, matrices)[0], matrices[j].matrix().topRows<3>());
    }
  }
}

// A scale of 0.01 or 100 between bind space and world scales the result, and nothing else.
TEST(Skinning, UniformScaleOfTheWorld) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  for (const Deformer deformer : kDeformers) {
    for (const double scale : {0.01, 100.0}) {
      const Affine by(Eigen::Scaling(scale));
      for (const auto& matrices : {rigid_joints(kFewJoints), stretched_joints(kFewJoints)}) {
        const auto scaled = maps_of(deformer, positions, weights, times(by, matrices));
        const auto expected = after(by, maps_of(deformer, positions, weights, matrices));
        EXPECT_LT(largest_difference(scaled, expected), 1e-12 * scale);
      }
    }
  }
}

// Where all joints carry a vertex to one place it goes there, whatever their rotations and scales: a joint's centre
// stays.
TEST(Skinning, ScaledJointsKeepTheirCentre) {
  const Vec3 centre(40, 150, -3);
  auto matrices = stretched_joints(kFewJoints);
  for (Affine& m : matrices) m.translation() = centre - m.linear() * centre;
  const auto weights = one_row({{0, 0.3}, {3, 0.45}, {5, 0.25}});
  for (const Deformer deformer : kDeformers) {
    std::vector<Vec3> skinned(1);
    transform_positions(maps_of(deformer, {centre}, weights, matrices), std::vector{centre}, skinned);
    EXPECT_LT((skinned[0] - centre).norm(), 1e-11);
  }
}

// Without rotations, dual quaternions and linear blending take vertices to the same places, with the same linear parts.
TEST(Skinning, DeformersAgreeOnPureScale) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  auto matrices = rigid_joints(kFewJoints, 0);
  test::Sequence s;
  for (Affine& m : matrices) m.linear() = Vec3(s.next(0.1, 3), s.next(0.1, 3), s.next(0.1, 3)).asDiagonal();
  EXPECT_LT(largest_difference(maps_of(Deformer::lbs, positions, weights, matrices),
                               maps_of(Deformer::dqs, positions, weights, matrices)),
            1e-13);
}

// A character mirrored as a whole is the mirror image of the character.
TEST(Skinning, MirroredCharacter) {
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  const Affine mirror(Eigen::Scaling(-1.0, 1.0, 1.0));
  for (const Deformer deformer : kDeformers) {
    for (const auto& matrices : {rigid_joints(kFewJoints), stretched_joints(kFewJoints)}) {
      const auto mirrored = maps_of(deformer, positions, weights, times(mirror, matrices));
      EXPECT_LT(largest_difference(mirrored, after(mirror, maps_of(deformer, positions, weights, matrices))), 1e-12);
    }
  }
}

// A vertex between a mirrored joint and one that is not is refused by dual quaternions, with its number and the
// joints'.
TEST(Skinning, MixedHandednessIsRefused) {
  auto matrices = rigid_joints(4);
  matrices[2].linear() *= -1;
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.5}});
  weights.add_row(std::vector<Influence>{{2, 1.0}, {0, 0.0}});
  weights.add_row(std::vector<Influence>{{3, 0.2}, {2, 0.8}});
  const auto positions = scattered(3, 1);
  try {
    maps_of(Deformer::dqs, positions, weights, matrices);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.element(), 2);
    EXPECT_NE(std::string(error.what()).find("vertex 2 follows joints 2 and 3"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(maps_of(Deformer::lbs, positions, weights, matrices));
  limit(weights, 1);
  EXPECT_NO_THROW(maps_of(Deformer::dqs, positions, weights, matrices));
}

// Joints scaled to a plane, to a line or to nothing give finite maps, which move with the whole skeleton; so in a
// mirror.
TEST(Skinning, SingularJoints) {
  auto matrices = rigid_joints(kFewJoints);
  matrices[0].linear().setZero();
  matrices[2].linear() = Mat3(matrices[2].linear() * Vec3(1, 0, 2).asDiagonal());
  matrices[4].linear() = Mat3(matrices[4].linear() * Vec3(0, 0.5, 0).asDiagonal());
  matrices[6].linear() *= 1e-30;
  const auto positions = scattered(kVertices, 2);
  const auto weights = some_weights(kVertices, kFewJoints, 4, Neighbours::unlike);
  Affine motion = test::some_rigid_motion();
  for (const double side : {1.0, -1.0}) {
    motion.linear().col(0) *= side;
    for (const Deformer deformer : kDeformers) {
      const auto maps = maps_of(deformer, positions, weights, matrices);
      for (const Mat34& map : maps) EXPECT_TRUE(map.allFinite());
      const auto moved = maps_of(deformer, positions, weights, times(motion, matrices));
      EXPECT_LT(largest_difference(moved, after(motion, maps)), 1e-8);
    }
  }
  const std::vector<Affine> nothing(kFewJoints, Affine(Eigen::Scaling(0.0)));
  for (const Mat34& map : maps_of(Deformer::dqs, positions, weights, nothing)) EXPECT_EQ(map, Mat34::Zero());
}

// A joint that shrinks to nothing gets there without a jump.
TEST(Skinning, ShrinkingToNothingIsContinuous) {
  auto matrices = rigid_joints(2);
  const auto weights = one_row({{0, 0.6}, {1, 0.4}});
  matrices[1].linear() = matrices[0].linear();
  auto almost = matrices;
  matrices[1].linear() *= 0;
  almost[1].linear() *= 1e-7;
  const auto positions = scattered(1, 1);
  EXPECT_LT(largest_difference(maps_of(Deformer::dqs, positions, weights, matrices),
                               maps_of(Deformer::dqs, positions, weights, almost)),
            1e-6);
}

// One and two threads give the same bytes.
TEST(Skinning, ThreadsDoNotMatter) {
  const auto positions = scattered(5000, 2);
  const auto weights = some_weights(5000, kFewJoints, 4, Neighbours::unlike);
  for (const Deformer deformer : kDeformers) {
    const auto one = maps_of(deformer, positions, weights, stretched_joints(kFewJoints), 1);
    const auto two = maps_of(deformer, positions, weights, stretched_joints(kFewJoints), 2);
    EXPECT_EQ(std::memcmp(one.data(), two.data(), one.size() * sizeof(Mat34)), 0);
  }
}

// Vertices that cannot be skinned are named.
TEST(Skinning, BadVerticesAreNamed) {
  const auto expect_refused = [](const SkinWeights& weights, const std::vector<Affine>& matrices,
                                 const char* sentence) {
    for (const Deformer deformer : kDeformers) {
      try {
        maps_of(deformer, scattered(weights.vertex_count(), 1), weights, matrices);
        ADD_FAILURE() << "not refused: " << sentence;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        EXPECT_STREQ(error.what(), sentence);
      }
    }
  };
  const auto matrices = rigid_joints(2);
  expect_refused(one_row({}), matrices, "vertex 0 follows no joint; bind it before skinning");
  expect_refused(one_row({{0, 0.0}}), matrices, "vertex 0 follows no joint; bind it before skinning");
  expect_refused(one_row({{2, 1.0}}), matrices, "vertex 0 follows joint 2, but the skin has 2 joints");
  expect_refused(one_row({{-1, 1.0}}), matrices, "vertex 0 follows joint -1, but the skin has 2 joints");
  auto broken = matrices;
  broken[1].matrix()(0, 3) = std::nan("");
  expect_refused(one_row({{1, 1.0}}), broken, "vertex 0 follows joint 1, whose matrix is not finite");
  EXPECT_THROW(maps_of(Deformer::dqs, scattered(3, 1), one_row({{0, 1.0}}), matrices), Error);
}

// A matrix that no vertex uses may be anything.
TEST(Skinning, UnusedJointsDoNotMatter) {
  auto matrices = stretched_joints(3);
  const auto weights = one_row({{0, 0.5}, {2, 0.5}});
  const auto positions = scattered(1, 1);
  for (const Deformer deformer : kDeformers) {
    const auto expected = maps_of(deformer, positions, weights, matrices);
    auto broken = matrices;
    broken[1].matrix().setConstant(std::nan(""));
    EXPECT_EQ(maps_of(deformer, positions, weights, broken)[0], expected[0]);
  }
}

// Normals stay perpendicular to the surface under any map, point outward from mirrored ones, and have unit length.
TEST(Skinning, NormalsStayPerpendicular) {
  const Vec3 tangent = Vec3(1, 2, -1).normalized();
  const Vec3 normal = tangent.unitOrthogonal();
  const Vec3 other = normal.cross(tangent);
  for (const double side : {1.0, -1.0}) {
    for (const Affine& matrix : stretched_joints(kFewJoints)) {
      Mat34 map = matrix.matrix().topRows<3>();
      map.col(1) *= side;
      const Mat3 linear = map.leftCols<3>();
      std::vector<Vec3> out(1);
      transform_normals(std::vector{map}, std::vector<Vec3>{3 * normal}, out);
      EXPECT_NEAR(out[0].norm(), 1, 1e-14);
      EXPECT_NEAR(out[0].dot(linear * tangent), 0, 1e-13);
      EXPECT_NEAR(out[0].dot(linear * other), 0, 1e-13);
      EXPECT_GT(out[0].dot(linear * normal), 0);
    }
  }
}

// A flat map leaves the normal of its plane, a map to a line or a point none.
TEST(Skinning, NormalsOfSingularMaps) {
  Mat34 flat = Mat34::Zero();
  flat(0, 0) = flat(1, 1) = 1;
  std::vector<Vec3> out(2);
  transform_normals(std::vector{flat, Mat34(Mat34::Zero())}, std::vector{Vec3(0.6, 0, 0.8), Vec3(0, 0, 1)}, out);
  EXPECT_EQ(out[0], Vec3(0, 0, 1));
  EXPECT_EQ(out[1], Vec3(0, 0, 0));
}

Character morphing_character() {
  Character c;
  c.skeleton.joints.resize(2);
  c.skeleton.joints[0].name = "root";
  c.skeleton.joints[1].name = "tip";
  c.skeleton.joints[1].parent = 0;
  c.skeleton.joints[1].rest.translation = Vec3(0, 1, 0);
  Part part;
  part.surface.positions = {Vec3(1, 0, 0), Vec3(0, 2, 0)};
  part.normals = {Vec3(1, 0, 0), Vec3(0, 1, 0)};
  part.morphs = {{"up", {Vec3(0, 1, 0), Vec3(0, 0, 0)}, {Vec3(-1, 1, 0), Vec3(0, 0, 0)}},
                 {"out", {Vec3(0, 0, 0), Vec3(0, 0, 4)}, {}}};
  part.morph_weights = {0, 0.5};
  part.node = 1;
  c.parts = {part};
  return c;
}

// A part without a skin moves with its node, after its morph targets.
TEST(Skinning, PoseOfAnUnskinnedPart) {
  const Character c = morphing_character();
  Pose pose = rest_pose(c.skeleton);
  pose.local[0].rotation = Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()));
  const PosedPart posed = pose_part(c, c.parts[0], pose, Deformer::lbs, Context(1));
  // The node is at (0, 1, 0), then turned about the root: (x, y, z) goes to (−y − 1, x, z).
  EXPECT_LT((posed.positions[0] - Vec3(-1, 1, 0)).norm(), 1e-14);
  EXPECT_LT((posed.positions[1] - Vec3(-3, 0, 2)).norm(), 1e-14);
  EXPECT_LT((posed.normals[0] - Vec3(0, 1, 0)).norm(), 1e-14);
}

// The pose's morph weights replace the part's own; a skin is applied after them, whatever the node does.
TEST(Skinning, PoseOfASkinnedPart) {
  Character c = morphing_character();
  Part& part = c.parts[0];
  part.skin.joints = {1, 0};
  part.skin.inverse_bind = {Affine(Eigen::Translation3d(0, -1, 0)), Affine::Identity()};
  part.weights.add_row(std::vector<Influence>{{0, 1.0}});
  part.weights.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.5}});
  Pose pose = rest_pose(c.skeleton);
  pose.local[1].translation += Vec3(10, 0, 0);
  pose.morph_weights = {{}, {1, 0}};
  for (const Deformer deformer : kDeformers) {
    const PosedPart posed = pose_part(c, part, pose, deformer, Context(1));
    EXPECT_LT((posed.positions[0] - Vec3(11, 1, 0)).norm(), 1e-13);
    EXPECT_LT((posed.positions[1] - Vec3(5, 2, 0)).norm(), 1e-13);
    EXPECT_LT((posed.normals[0] - Vec3(0, 1, 0)).norm(), 1e-14);
  }
  part.normals.clear();
  EXPECT_TRUE(pose_part(c, part, pose, Deformer::lbs, Context(1)).normals.empty());
}

}  // namespace
}  // namespace isochor
