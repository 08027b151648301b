#include "isochor/deform/skinner.h"

#include <gtest/gtest.h>

#include <cstring>

#include "deform/allocation_count.h"
#include "deform/skinner_access.h"
#include "deform/skinning_cases.h"

namespace isochor {
namespace {

using test::kDeformers;
using test::Neighbours;
using test::rigid_joints;
using test::some_weights;
using test::stretched_joints;
using test::times;

constexpr Index kJoints = 30;
const auto kNeighbours = {Neighbours::alike, Neighbours::unlike};

std::vector<float> interleaved(const std::vector<Vec3>& vectors) {
  std::vector<float> floats;
  for (const Vec3& v : vectors) {
    for (int c = 0; c < 3; ++c) floats.push_back(static_cast<float>(v[c]));
  }
  return floats;
}
std::vector<Vec3> vectors(const std::vector<float>& floats) {
  std::vector<Vec3> all;
  for (std::size_t i = 0; i < floats.size(); i += 3) all.push_back({floats[i], floats[i + 1], floats[i + 2]});
  return all;
}

struct Mesh {
  std::vector<float> positions, normals;
  SkinWeights weights;
};
Mesh mesh(std::size_t vertices, Index influences, Neighbours neighbours) {
  return {interleaved(test::scattered(vertices, 1)), interleaved(test::directions(vertices)),
          some_weights(vertices, kJoints, influences, neighbours)};
}

struct Skinned {
  std::vector<float> positions, normals;
  bool operator==(const Skinned& other) const {
    return positions.size() == other.positions.size() && normals.size() == other.normals.size() &&
           std::memcmp(positions.data(), other.positions.data(), positions.size() * sizeof(float)) == 0 &&
           std::memcmp(normals.data(), other.normals.data(), normals.size() * sizeof(float)) == 0;
  }
};
Skinned apply(Skinner& skinner, const std::vector<Affine>& matrices, int threads = 1) {
  Skinned out;
  out.positions.resize(3 * skinner.vertex_count());
  out.normals.resize(skinner.has_normals() ? 3 * skinner.vertex_count() : 0);
  skinner.apply(matrices, out.positions, out.normals, Context(threads));
  return out;
}
Skinned skin(const Mesh& m, const SkinnerOptions& options, const std::vector<Affine>& matrices) {
  Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, options);
  return apply(skinner, matrices);
}

/// Compares with the double reference: within 1e-6 of the size of the result and its distance from the origin.
void expect_like_reference(const Mesh& m, Deformer deformer, const std::vector<Affine>& matrices,
                           const Skinned& skinned) {
  const auto positions = vectors(m.positions);
  const auto normals = vectors(m.normals);
  const auto maps = test::maps_of(deformer, positions, m.weights, matrices);
  std::vector<Vec3> p(positions.size());
  std::vector<Vec3> n(normals.size());
  transform_positions(maps, positions, p);
  if (!normals.empty()) transform_normals(maps, normals, n);
  const Box box = bounding_box(p);
  const double size = box.diagonal().norm() + box.center().norm();
  double position_error = 0;
  double normal_error = 0;
  for (std::size_t v = 0; v < p.size(); ++v) {
    position_error = std::max(position_error, (vectors(skinned.positions)[v] - p[v]).norm());
  }
  const auto skinned_normals = vectors(skinned.normals);
  for (std::size_t v = 0; v < n.size(); ++v) {
    // What rounding in the blended matrix does to a normal grows with the ratio of the map's largest and smallest
    // stretch.
    const Mat3 linear = maps[v].leftCols<3>();
    const double condition = linear.norm() * linear.norm() * linear.norm() / std::abs(linear.determinant());
    normal_error = std::max(normal_error, (skinned_normals[v] - n[v]).norm() / std::max(1.0, condition / 10));
  }
  EXPECT_LT(position_error, 1e-6 * size);
  EXPECT_LT(normal_error, 1e-6);
}

struct Case {
  const char* name;
  std::vector<Affine> matrices;
};
std::vector<Case> cases() {
  const Affine mirror(Eigen::Scaling(1.0, -1.0, 1.0));
  Affine far = Affine::Identity();
  far.translation() = Vec3(300, -200, 50);
  auto flat = stretched_joints(kJoints);
  flat[3].linear().setZero();
  flat[4].linear().col(1).setZero();
  return {{"rigid", rigid_joints(kJoints)},
          {"gentle", rigid_joints(kJoints, 0.7)},
          {"scale 100", times(Affine(Eigen::Scaling(100.0)), rigid_joints(kJoints))},
          {"scale 0.01", times(Affine(Eigen::Scaling(0.01)), rigid_joints(kJoints))},
          {"stretched", stretched_joints(kJoints)},
          {"mirrored", times(mirror, rigid_joints(kJoints))},
          {"mirrored and stretched", times(mirror, stretched_joints(kJoints))},
          {"far away", times(far, rigid_joints(kJoints))},
          {"flat", flat}};
}

// Floats follow the double reference within 1e-6, positions and normals, for 1 to 12 influences in every kind of pose.
TEST(Skinner, EqualsTheReference) {
  for (const Case& c : cases()) {
    for (const Neighbours neighbours : kNeighbours) {
      for (Index influences = 1; influences <= 12; ++influences) {
        for (const Deformer deformer : kDeformers) {
          SCOPED_TRACE(std::string(c.name) + ", " + enum_name(deformer) + ", influences " + std::to_string(influences));
          const Mesh m = mesh(203, influences, neighbours);
          expect_like_reference(m, deformer, c.matrices, skin(m, {.deformer = deformer}, c.matrices));
        }
      }
    }
  }
}

// Any number of vertices, blocks full or not; nothing is written beyond the last.
TEST(Skinner, AnyNumberOfVertices) {
  const auto matrices = rigid_joints(kJoints);
  for (const std::size_t count : {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1001, 4096, 4097, 4104, 8191}) {
    for (const Deformer deformer : kDeformers) {
      SCOPED_TRACE(std::to_string(count) + " vertices, " + enum_name(deformer));
      const Mesh m = mesh(count, 4, Neighbours::alike);
      Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, {.deformer = deformer});
      EXPECT_EQ(skinner.vertex_count(), count);
      Skinned out{std::vector<float>(3 * count + 64, 7), std::vector<float>(3 * count + 64, 7)};
      skinner.apply(matrices, std::span(out.positions).first(3 * count), std::span(out.normals).first(3 * count),
                    Context(1));
      for (std::size_t i = 3 * count; i < out.positions.size(); ++i) {
        EXPECT_EQ(out.positions[i], 7);
        EXPECT_EQ(out.normals[i], 7);
      }
      out.positions.resize(3 * count);
      out.normals.resize(3 * count);
      if (count < 2000) expect_like_reference(m, deformer, matrices, out);
    }
  }
}

// No vertex at all is fine.
TEST(Skinner, NoVertices) {
  for (const Deformer deformer : kDeformers) {
    Skinner skinner = Skinner::prepare({}, {}, SkinWeights(), {.deformer = deformer});
    EXPECT_EQ(skinner.vertex_count(), 0u);
    EXPECT_EQ(skinner.joint_count(), 0u);
    EXPECT_NO_THROW(skinner.apply({}, {}, {}, Context(1)));
  }
  Skinner empty;
  EXPECT_NO_THROW(empty.apply({}, {}, {}, Context(1)));
}

// The kernels for AVX2 and those for any machine give the same bytes.
TEST(Skinner, KernelsAgreeToTheLastBit) {
  if (skin_kernels::avx2() == nullptr) GTEST_SKIP() << "no AVX2 here";
  for (const Case& c : cases()) {
    for (const Neighbours neighbours : kNeighbours) {
      for (const Index influences : {1, 2, 3, 4, 7}) {
        for (const Deformer deformer : kDeformers) {
          SCOPED_TRACE(std::string(c.name) + ", " + enum_name(deformer) + ", influences " + std::to_string(influences));
          const Mesh m = mesh(1003, influences, neighbours);
          Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, {.deformer = deformer});
          SkinnerAccess::use_kernels(skinner, skin_kernels::portable());
          const Skinned portable = apply(skinner, c.matrices);
          SkinnerAccess::use_kernels(skinner, *skin_kernels::avx2());
          EXPECT_TRUE(apply(skinner, c.matrices) == portable);
        }
      }
    }
  }
}

// One, two and three threads give the same bytes.
TEST(Skinner, ThreadsDoNotMatter) {
  const Mesh m = mesh(20011, 4, Neighbours::alike);
  for (const Deformer deformer : kDeformers) {
    Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, {.deformer = deformer});
    const Skinned one = apply(skinner, stretched_joints(kJoints), 1);
    EXPECT_TRUE(apply(skinner, stretched_joints(kJoints), 2) == one);
    EXPECT_TRUE(apply(skinner, stretched_joints(kJoints), 3) == one);
  }
}

// Positions alone are the same as positions beside normals.
TEST(Skinner, PositionsOnly) {
  for (const Case& c : cases()) {
    for (const Deformer deformer : kDeformers) {
      Mesh m = mesh(203, 4, Neighbours::alike);
      const Skinned both = skin(m, {.deformer = deformer}, c.matrices);
      m.normals.clear();
      EXPECT_EQ(skin(m, {.deformer = deformer}, c.matrices).positions, both.positions) << c.name;
    }
  }
}

// Normals that need not have unit length have the right direction all the same.
TEST(Skinner, NormalsAsTheyCome) {
  for (const Case& c : cases()) {
    for (const Deformer deformer : kDeformers) {
      const Mesh m = mesh(203, 4, Neighbours::alike);
      const auto unit = vectors(skin(m, {.deformer = deformer}, c.matrices).normals);
      const auto any = vectors(skin(m, {.deformer = deformer, .unit_normals = false}, c.matrices).normals);
      for (std::size_t v = 0; v < unit.size(); ++v) EXPECT_LT((any[v].normalized() - unit[v]).norm(), 1e-6) << c.name;
    }
  }
}

// Rest normals of any length give unit normals; a normal of length zero stays zero.
TEST(Skinner, RestNormalsOfAnyLength) {
  Mesh m = mesh(20, 3, Neighbours::alike);
  for (float& x : m.normals) x *= 40;
  for (int i = 0; i < 3; ++i) m.normals[i] = 0;
  for (const auto& matrices : {rigid_joints(kJoints), stretched_joints(kJoints)}) {
    for (const Deformer deformer : kDeformers) {
      const auto normals = vectors(skin(m, {.deformer = deformer}, matrices).normals);
      EXPECT_EQ(normals[0], Vec3(0, 0, 0));
      for (std::size_t v = 1; v < normals.size(); ++v) EXPECT_NEAR(normals[v].norm(), 1, 1e-6);
    }
  }
}

// More joints than a 16-bit index can address are skinned as well.
TEST(Skinner, ManyJoints) {
  constexpr Index kMany = 20000;
  const auto matrices = rigid_joints(kMany);
  Mesh m = mesh(kMany, 1, Neighbours::alike);
  m.weights = {};
  for (Index v = 0; v < kMany; ++v) m.weights.add_row(std::vector<Influence>{{v, 0.75}, {(v + 5) % kMany, 0.25}});
  for (const Deformer deformer : kDeformers) {
    const auto skinned = vectors(skin(m, {.deformer = deformer}, matrices).positions);
    const auto positions = vectors(m.positions);
    const auto maps = test::maps_of(deformer, positions, m.weights, matrices);
    for (Index v = 0; v < kMany; ++v) {
      ASSERT_LT((skinned[v] - (maps[v].leftCols<3>() * positions[v] + maps[v].col(3))).norm(), 1e-5);
    }
  }
}

// Rows that do not sum to one are normalised; influences of weight zero do not count.
TEST(Skinner, RowsAreNormalised) {
  Mesh m = mesh(50, 3, Neighbours::alike);
  const auto matrices = rigid_joints(kJoints);
  for (const Deformer deformer : kDeformers) {
    const Skinned expected = skin(m, {.deformer = deformer}, matrices);
    Mesh other{m.positions, m.normals, {}};
    for (std::size_t v = 0; v < 50; ++v) {
      std::vector<Influence> row{{29, 0.0}};
      for (const Influence& influence : m.weights.row(v)) row.push_back({influence.joint, 4 * influence.weight});
      other.weights.add_row(row);
    }
    EXPECT_TRUE(skin(other, {.deformer = deformer}, matrices) == expected);
  }
}

// A frame allocates nothing, whatever the route through the kernels.
TEST(Skinner, ApplyAllocatesNothing) {
  const Mesh m = mesh(9001, 4, Neighbours::alike);
  const Context context(1);
  for (const Deformer deformer : kDeformers) {
    Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, {.deformer = deformer});
    Skinned out{std::vector<float>(m.positions.size()), std::vector<float>(m.normals.size())};
    for (const Case& c : cases()) {
      const std::size_t before = test::allocation_count();
      skinner.apply(c.matrices, out.positions, out.normals, context);
      skinner.update_rest(m.positions, m.normals);
      EXPECT_EQ(test::allocation_count(), before) << c.name << ", " << enum_name(deformer);
    }
  }
  std::vector<Mat34> maps(m.weights.vertex_count());
  const auto matrices = rigid_joints(kJoints);
  const std::size_t before = test::allocation_count();
  vertex_maps(Deformer::lbs, {{}, m.weights}, matrices, maps, context);
  EXPECT_EQ(test::allocation_count(), before) << "vertex_maps, lbs";
}

// New rest positions and normals give what a new object would.
TEST(Skinner, UpdatedRest) {
  const Mesh m = mesh(100, 4, Neighbours::alike);
  auto other_positions = m.positions;
  auto other_normals = m.normals;
  for (std::size_t i = 0; i < other_positions.size(); ++i) {
    other_positions[i] = m.positions[i] * 0.5f + 0.25f;
    other_normals[i] = -m.normals[i];
  }
  const auto matrices = stretched_joints(kJoints);
  for (const Deformer deformer : kDeformers) {
    Skinner skinner = Skinner::prepare(m.positions, m.normals, m.weights, {.deformer = deformer});
    const Skinned first = apply(skinner, matrices);
    skinner.update_rest(other_positions, other_normals);
    const Mesh other{other_positions, other_normals, m.weights};
    expect_like_reference(other, deformer, matrices, apply(skinner, matrices));
    skinner.update_rest(m.positions, m.normals);
    EXPECT_TRUE(apply(skinner, matrices) == first);
  }
}

// What cannot be skinned is refused with a sentence.
TEST(Skinner, Refusals) {
  const auto expect_refused = [](const auto& action, ErrorKind kind, const char* part_of_sentence) {
    try {
      action();
      ADD_FAILURE() << "not refused: " << part_of_sentence;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_NE(std::string(error.what()).find(part_of_sentence), std::string::npos) << error.what();
    }
  };
  const auto with_row = [](std::vector<Influence> row) {
    Mesh m = mesh(3, 2, Neighbours::alike);
    m.weights.begin.pop_back();
    m.weights.influences.resize(m.weights.begin.back());
    m.weights.add_row(row);
    return m;
  };
  const auto matrices = rigid_joints(kJoints);
  const auto expect_bad_row = [&](std::vector<Influence> row, const char* sentence) {
    expect_refused([&] { skin(with_row(row), {}, matrices); }, ErrorKind::bad_input, sentence);
  };
  expect_bad_row({}, "vertex 2 follows no joint");
  expect_bad_row({{0, std::nan("")}}, "vertex 2 has the weight nan");
  expect_bad_row({{0, 1.5}, {1, -0.5}}, "vertex 2 has the weight -0.5");
  expect_bad_row({{kJoints, 1.0}}, "refer to 31 joints, but there are only 30");

  Mesh m = mesh(3, 2, Neighbours::alike);
  m.positions[4] = INFINITY;
  expect_refused([&] { skin(m, {}, matrices); }, ErrorKind::bad_input, "the position of vertex 1 is not finite");
  m = mesh(3, 2, Neighbours::alike);
  m.positions.pop_back();
  expect_refused([&] { skin(m, {}, matrices); }, ErrorKind::bad_input, "needs 9 floats of positions, but got 8");
  m = mesh(3, 2, Neighbours::alike);
  m.normals.pop_back();
  expect_refused([&] { skin(m, {}, matrices); }, ErrorKind::bad_input, "needs 9 floats of normals, but got 8");
  auto broken = matrices;
  broken[1].matrix()(2, 2) = INFINITY;
  expect_refused([&] { skin(mesh(3, 2, Neighbours::alike), {}, broken); }, ErrorKind::bad_input,
                 "the skin matrix of joint 1 is not finite");
}

// A vertex between a mirrored joint and one that is not: the same sentence as from vertex_maps, for the same vertex.
TEST(Skinner, MixedHandednessIsRefused) {
  const Mesh m = mesh(203, 4, Neighbours::alike);
  auto matrices = rigid_joints(kJoints);
  matrices[6].linear() *= -1;
  const auto refusal = [](const auto& action) -> std::pair<std::string, Index> {
    try {
      action();
    } catch (const Error& error) {
      return {error.what(), error.element()};
    }
    return {"not refused", kNone};
  };
  const auto expected = refusal([&] { test::maps_of(Deformer::dqs, vectors(m.positions), m.weights, matrices); });
  EXPECT_EQ(expected.second, 60);
  EXPECT_EQ(refusal([&] { skin(m, {.deformer = Deformer::dqs}, matrices); }).second, expected.second);
  EXPECT_NO_THROW(skin(m, {.deformer = Deformer::lbs}, matrices));
}

}  // namespace
}  // namespace isochor
