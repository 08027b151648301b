#include "isochor/bake/morph_basis.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>

namespace isochor {
namespace {

constexpr std::size_t kVertices = 200;
/// All errors are relative to this.
constexpr double kSize = 2;
const std::vector<double> kSizes(kVertices, kSize);

/// A number in [-1, 1) that depends on two indices alone.
double noise(std::size_t a, std::size_t b) {
  std::uint32_t x = static_cast<std::uint32_t>(a * 2654435761u + b * 40503u + 12345u);
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return static_cast<double>(x) / 2147483648.0 - 1;
}

/// Three fields that move the first half of the vertices, each in its own rhythm; normals in proportion.
std::vector<MorphTarget> waves(std::size_t frames) {
  std::vector<MorphTarget> out(frames);
  for (std::size_t f = 0; f < frames; ++f) {
    out[f].positions.assign(kVertices, Vec3::Zero());
    out[f].normals.assign(kVertices, Vec3::Zero());
    const double t = 0.2 * static_cast<double>(f);
    const double weight[3] = {std::sin(t), 0.3 * std::cos(2.1 * t), 0.05 * std::sin(5 * t + 1)};
    for (std::size_t v = 0; v < kVertices / 2; ++v) {
      for (std::size_t k = 0; k < 3; ++k) {
        out[f].positions[v] += weight[k] * Vec3(noise(v, 3 * k), noise(v, 3 * k + 1), noise(v, 3 * k + 2));
      }
      out[f].normals[v] = 0.5 * out[f].positions[v];
    }
  }
  return out;
}

MorphTarget play(const MorphBasis& basis, std::size_t frame) {
  MorphTarget sum{"", std::vector<Vec3>(kVertices, Vec3::Zero()), std::vector<Vec3>(kVertices, Vec3::Zero())};
  for (std::size_t t = 0; t < basis.targets.size(); ++t) {
    const double w = basis.weights(static_cast<Eigen::Index>(frame), static_cast<Eigen::Index>(t));
    for (std::size_t v = 0; v < kVertices; ++v) {
      sum.positions[v] += w * basis.targets[t].positions[v];
      if (!basis.targets[t].normals.empty()) sum.normals[v] += w * basis.targets[t].normals[v];
    }
  }
  return sum;
}

double distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

// Frames made of three fields come back from three targets and the one that lets weights be positive, to the last
// digits.
TEST(MorphBasis, FindsTheRank) {
  const auto frames = waves(40);
  Context context;
  MorphBasis basis = morph_basis({frames, kSizes}, {.tolerance = 0}, context);
  ASSERT_EQ(basis.targets.size(), 3u);
  unit_weights(basis);
  ASSERT_EQ(basis.targets.size(), 4u);
  EXPECT_LT(basis.max_error, 1e-9);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    EXPECT_LT(distance(play(basis, f).positions, frames[f].positions), 1e-9);
  }
}

// The stated error is the largest distance that playing finds, it respects the tolerance, and a looser one takes fewer
// targets.
TEST(MorphBasis, KeepsTheTolerance) {
  auto frames = waves(60);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (std::size_t v = 0; v < kVertices / 2; ++v) frames[f].positions[v] += 1e-4 * Vec3::Constant(noise(f, v));
  }
  Context context;
  std::size_t last = 1000;
  for (const double tolerance : {1e-5, 3e-4, 0.06}) {
    const MorphBasis basis = morph_basis({frames, kSizes}, {.tolerance = tolerance}, context);
    EXPECT_LE(basis.max_error, tolerance);
    EXPECT_LT(basis.targets.size(), last);
    last = basis.targets.size();
    double found = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      found = std::max(found, distance(play(basis, f).positions, frames[f].positions));
    }
    EXPECT_NEAR(found, kSize * basis.max_error, 1e-12);
  }
  EXPECT_LT(last, 4u);
}

// All weights are in [0, 1], as sliders are, though the motion goes both ways; and the motion is the same.
TEST(MorphBasis, WeightsAreUnit) {
  Context context;
  const auto frames = waves(40);
  MorphBasis basis = morph_basis({frames, kSizes}, {}, context);
  const MorphTarget before = play(basis, 17);
  unit_weights(basis);
  EXPECT_LT(distance(play(basis, 17).positions, before.positions), 1e-12);
  EXPECT_LT(distance(play(basis, 17).normals, before.normals), 1e-12);
  EXPECT_GE(basis.weights.minCoeff(), 0);
  EXPECT_LE(basis.weights.maxCoeff(), 1);
}

// A motion that goes one way needs no constant target, and a frame at rest has weights of zero.
TEST(MorphBasis, OneWayIsOneTarget) {
  std::vector<MorphTarget> frames(5);
  for (std::size_t f = 0; f < 5; ++f) {
    for (std::size_t v = 0; v < kVertices; ++v) {
      frames[f].positions.push_back(0.1 * static_cast<double>(f) * Vec3(noise(v, 0), noise(v, 1), noise(v, 2)));
    }
  }
  Context context;
  MorphBasis basis = morph_basis({frames, kSizes}, {}, context);
  unit_weights(basis);
  ASSERT_EQ(basis.targets.size(), 1u);
  EXPECT_NEAR(basis.weights(4, 0), 1, 1e-12);
  EXPECT_NEAR(basis.weights(0, 0), 0, 1e-12);
}

// Vertices that no frame moves are exactly zero in every target, so that sparse accessors pay.
TEST(MorphBasis, StillVerticesAreExactlyZero) {
  auto frames = waves(30);
  frames[3].positions[kVertices - 1] = Vec3(1e-9, 0, 0);
  Context context;
  for (const MorphTarget& target : morph_basis({frames, kSizes}, {}, context).targets) {
    for (std::size_t v = kVertices / 2; v < kVertices; ++v) {
      EXPECT_EQ(target.positions[v], Vec3(0, 0, 0));
      EXPECT_EQ(target.normals[v], Vec3(0, 0, 0));
    }
  }
}

// A small thing is kept as well, for its size, as a large one.
TEST(MorphBasis, SmallThingsCount) {
  std::vector<double> sizes = kSizes;
  auto frames = waves(40);
  for (std::size_t v = 0; v < 10; ++v) {
    sizes[v] = 1e-3 * kSize;
    for (std::size_t f = 0; f < frames.size(); ++f) frames[f].positions[v] = 1e-3 * Vec3::Constant(noise(f, 7));
  }
  Context context;
  const MorphBasis basis = morph_basis({frames, sizes}, {.tolerance = 1e-2}, context);
  EXPECT_LE(basis.max_error, 1e-2);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    EXPECT_LT((play(basis, f).positions[3] - frames[f].positions[3]).norm(), 1e-2 * sizes[3]);
  }
}

// Normals follow the same weights, and the stated error of theirs is what playing finds.
TEST(MorphBasis, FitsNormals) {
  const auto frames = waves(40);
  Context context;
  const MorphBasis basis = morph_basis({frames, kSizes}, {.tolerance = 1e-6}, context);
  double found = 0;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    found = std::max(found, distance(play(basis, f).normals, frames[f].normals));
  }
  EXPECT_LT(found, 3e-3);
  EXPECT_NEAR(found, basis.max_normal_error, 1e-12);
}

// A limit on the number of targets is kept, and the error that it leaves is told.
TEST(MorphBasis, KeepsTheLimit) {
  const auto frames = waves(40);
  Context context;
  double last = std::numeric_limits<double>::infinity();
  for (const Index limit : {1, 2, 3, 4}) {
    MorphBasis basis = morph_basis({frames, kSizes}, {.tolerance = 0, .max_targets = limit}, context);
    if (limit > 1) unit_weights(basis);
    EXPECT_LE(basis.targets.size(), static_cast<std::size_t>(limit));
    EXPECT_LE(basis.max_error, last + 1e-12);
    last = basis.max_error;
    EXPECT_EQ(basis.weights.cols(), static_cast<Eigen::Index>(basis.targets.size()));
  }
  EXPECT_LT(last, 1e-9);
}

// What one corner alone needs, that corner alone carries: late targets have few vertices.
TEST(MorphBasis, LateTargetsAreSmall) {
  auto frames = waves(60);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (std::size_t v = 0; v < 5; ++v) frames[f].positions[v] += 0.002 * Vec3(noise(f, v), noise(f, v + 20), 0);
  }
  Context context;
  const MorphBasis basis = morph_basis({frames, kSizes}, {.tolerance = 1e-4}, context);
  EXPECT_LE(basis.max_error, 1e-4);
  std::size_t large = 0;
  for (const MorphTarget& target : basis.targets) {
    large += std::count_if(target.positions.begin(), target.positions.end(),
                           [](const Vec3& x) { return x != Vec3::Zero(); }) > 5;
  }
  EXPECT_GE(basis.targets.size(), 10u);
  EXPECT_LE(large, 4u);
}

// Nothing that moves, or nothing that moves by more than the tolerance, takes no target; nor does no frame.
TEST(MorphBasis, NothingToDo) {
  Context context;
  EXPECT_TRUE(morph_basis({}, {}, context).targets.empty());
  std::vector<MorphTarget> frames(3);
  for (MorphTarget& frame : frames) frame.positions.assign(kVertices, Vec3::Zero());
  MorphBasis basis = morph_basis({frames, kSizes}, {}, context);
  EXPECT_TRUE(basis.targets.empty());
  EXPECT_EQ(basis.weights.rows(), 3);
  EXPECT_EQ(basis.max_error, 0);
  for (const double size : {0.5, 0.8}) {
    frames[1].positions[7] = Vec3(0, kSize * size * 1e-3, 0);
    basis = morph_basis({frames, kSizes}, {.tolerance = 1e-3}, context);
    EXPECT_TRUE(basis.targets.empty()) << size;
    EXPECT_NEAR(basis.max_error, size * 1e-3, 1e-15);
  }
}

// Frames that differ in size, or are not finite, are refused with a sentence.
TEST(MorphBasis, RefusesWhatDoesNotFit) {
  Context context;
  auto frames = waves(3);
  frames[1].positions.pop_back();
  EXPECT_THROW(morph_basis({frames, kSizes}, {}, context), Error);
  frames = waves(3);
  frames[1].normals.clear();
  EXPECT_THROW(morph_basis({frames, kSizes}, {}, context), Error);
  frames = waves(3);
  frames[2].positions[0].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(morph_basis({frames, kSizes}, {}, context), Error);
  EXPECT_THROW(morph_basis({waves(3), kSizes}, {.tolerance = -1}, context), Error);
  EXPECT_THROW(morph_basis({waves(3), std::vector<double>(kVertices, 0.0)}, {}, context), Error);
  EXPECT_THROW(morph_basis({waves(3), std::vector<double>(3, 1.0)}, {}, context), Error);
}

/// Frames as rows, and the longest offset of a vertex that a decomposition by brute force leaves with so many terms.
double truncation_error(const std::vector<MorphTarget>& frames, Eigen::Index terms) {
  const auto vertices = static_cast<Eigen::Index>(frames[0].positions.size());
  Eigen::MatrixXd rows(frames.size(), 3 * vertices);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    for (Eigen::Index v = 0; v < vertices; ++v) {
      rows.row(static_cast<Eigen::Index>(f)).segment<3>(3 * v) =
          frames[f].positions[static_cast<std::size_t>(v)].transpose();
    }
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::MatrixXd left = rows - svd.matrixU().leftCols(terms) * svd.singularValues().head(terms).asDiagonal() *
                                          svd.matrixV().leftCols(terms).transpose();
  double most = 0;
  for (Eigen::Index v = 0; v < vertices; ++v)
    most = std::max(most, left.middleCols<3>(3 * v).rowwise().norm().maxCoeff());
  return most;
}

/// Every vertex for itself, with directions of falling size.
std::vector<MorphTarget> random_frames(std::size_t count, std::size_t vertices, double fall) {
  std::vector<MorphTarget> frames(count);
  for (std::size_t f = 0; f < count; ++f) {
    frames[f].positions.assign(vertices, Vec3::Zero());
    double size = 1;
    for (std::size_t k = 0; k < count; ++k, size *= fall) {
      for (std::size_t v = 0; v < vertices; ++v) {
        frames[f].positions[v] +=
            size * noise(f, 100 + k) * Vec3(noise(v, 3 * k + 500), noise(v, 3 * k + 501), noise(v, 3 * k + 502));
      }
    }
  }
  return frames;
}

// With a limit, no frame is farther off than a singular value decomposition by brute force leaves it with as many
// terms: layers only make that better.
TEST(MorphBasis, NoWorseThanBruteForce) {
  const auto frames = random_frames(25, 40, 0.7);
  const std::vector<double> sizes(40, 1.0);
  Context context;
  for (const Index terms : {1, 2, 5, 12}) {
    const MorphBasis basis = morph_basis({frames, sizes}, {.tolerance = 0, .max_targets = terms + 1}, context);
    EXPECT_LE(basis.targets.size(), static_cast<std::size_t>(terms));
    EXPECT_LE(basis.max_error, truncation_error(frames, terms) * (1 + 1e-9) + 1e-10);
  }
}

// Directions a hundred million times smaller than others are found as well, where the tolerance asks for them.
TEST(MorphBasis, WideRangeOfSizes) {
  const auto frames = random_frames(9, 60, 0.1);
  const std::vector<double> sizes(60, 1.0);
  Context context;
  for (const double tolerance : {0.0, 1e-7, 1e-5, 1e-2}) {
    const MorphBasis basis = morph_basis({frames, sizes}, {.tolerance = tolerance}, context);
    EXPECT_LE(basis.max_error, std::max(tolerance, 1e-9));
    EXPECT_LE(basis.targets.size(), 9u);
  }
}

// One frame, frames that are all the same, more frames than coordinates, and frames of nothing.
TEST(MorphBasis, DegenerateFrames) {
  Context context;
  std::vector<MorphTarget> frames = random_frames(1, 5, 1);
  const std::vector<double> sizes(5, 1.0);
  EXPECT_EQ(morph_basis({frames, sizes}, {}, context).targets.size(), 1u);
  frames.resize(30, frames[0]);
  MorphBasis basis = morph_basis({frames, sizes}, {}, context);
  EXPECT_EQ(basis.targets.size(), 1u);
  EXPECT_LE(basis.max_error, 1e-4);
  const auto many = random_frames(40, 2, 1);
  const std::vector<double> two(2, 1.0);
  basis = morph_basis({many, two}, {.tolerance = 0}, context);
  EXPECT_LE(basis.targets.size(), 6u);
  EXPECT_LT(basis.max_error, 1e-9);
  const std::vector<MorphTarget> nothing(4);
  EXPECT_TRUE(morph_basis({nothing, {}}, {}, context).targets.empty());
}

// One and several threads give the same bits.
TEST(MorphBasis, SameForAnyNumberOfThreads) {
  const auto frames = waves(50);
  Context one(1), many(4);
  const MorphBasis a = morph_basis({frames, kSizes}, {}, one), b = morph_basis({frames, kSizes}, {}, many);
  ASSERT_EQ(a.targets.size(), b.targets.size());
  EXPECT_TRUE(a.weights == b.weights);
  for (std::size_t t = 0; t < a.targets.size(); ++t) {
    EXPECT_EQ(a.targets[t].positions, b.targets[t].positions);
    EXPECT_EQ(a.targets[t].normals, b.targets[t].normals);
  }
}

}  // namespace
}  // namespace isochor
