#include "volume/vertex_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/numbers.h"
#include "isochor/volume/solve.h"
#include "volume/rest_carrier.h"

namespace isochor {
namespace {

using vertex_kernels::Kernels;

/// Seven vertices, so that the last four are not complete; one map is flat, one normal nil.
struct Some {
  static constexpr std::size_t kCount = 7;
  std::vector<Index> which{6, 0, 2, 5, 1, 3, 4};
  std::vector<Mat34> maps{kCount};
  std::vector<Vec3> normals{kCount}, positions{kCount}, gradient{kCount};
  std::vector<double> heights, closing, radius, areas;

  Some() {
    for (std::size_t v = 0; v < kCount; ++v) {
      const auto at = static_cast<double>(v);
      maps[v] = Mat34::NullaryExpr([&](Eigen::Index i, Eigen::Index k) {
        return std::sin(7.1 * static_cast<double>(4 * i + k) + at) + (i == k ? 1.0 : 0.0);
      });
      normals[v] = Vec3(std::cos(at), std::sin(2 * at), 0.3).normalized();
      positions[v] = Vec3(at, 1 - at, 0.1 * at * at);
      gradient[v] = Vec3(0.2, std::sin(at), -0.4);
      heights.push_back(0.1 * at - 0.2);
      closing.push_back(std::cos(3 * at));
      radius.push_back(0.5 + at);
      areas.push_back(0.1 + 0.3 * at);
    }
    maps[2].col(2).setZero();
    normals[3].setZero();
    gradient[5].setZero();
  }
};

struct Carried {
  std::vector<Vec3> offsets{Some::kCount}, closing_offsets{Some::kCount}, positions{Some::kCount},
      closing{Some::kCount};
};

Carried carry(const Kernels& kernels, const Some& some) {
  Carried out;
  kernels.carry_heights({some.which.data(), some.which.size()},
                        {.maps = numbers(some.maps),
                         .positions = numbers(some.positions),
                         .normals = numbers(some.normals),
                         .heights = some.heights.data(),
                         .closing_heights = some.closing.data()},
                        {.offsets = numbers(out.offsets),
                         .closing_offsets = numbers(out.closing_offsets),
                         .positions = numbers(out.positions),
                         .closing = numbers(out.closing)});
  return out;
}

struct Fibres {
  std::vector<double> loss = std::vector<double>(Some::kCount);
  std::vector<Vec3> normals{Some::kCount};
};

Fibres fibres(const Kernels& kernels, const Some& some) {
  Fibres out;
  kernels.read_fibres({some.which.data(), some.which.size()},
                      {.maps = numbers(some.maps),
                       .rest_normals = numbers(some.normals),
                       .gradient = numbers(some.gradient),
                       .radius = some.radius.data(),
                       .areas = some.areas.data(),
                       .scale = 1.5,
                       .sign = -1},
                      {.loss = out.loss.data(), .normals = numbers(out.normals)});
  return out;
}

// Heights along normals are carried as RestCarrier carries any displacement; nothing where a map is flat.
TEST(VertexKernels, CarryHeights) {
  const Some some;
  const Carried out = carry(vertex_kernels::best(), some);
  for (std::size_t v = 0; v < Some::kCount; ++v) {
    const auto carried = volume::RestCarrier(some.maps[v].leftCols<3>()).carry(some.normals[v]);
    EXPECT_LT((out.offsets[v] - some.heights[v] * carried.offset).norm(), 1e-12) << v;
    EXPECT_LT((out.closing_offsets[v] - some.closing[v] * carried.offset).norm(), 1e-12) << v;
    const Vec3 there = some.positions[v] + some.heights[v] * carried.displacement;
    EXPECT_LT((out.positions[v] - there).norm(), 1e-14) << v;
    EXPECT_LT((out.closing[v] - some.closing[v] * carried.displacement).norm(), 1e-14) << v;
  }
  EXPECT_EQ(out.offsets[2], Vec3::Zero());
  EXPECT_EQ(out.offsets[3], Vec3::Zero());
}

struct Normals {
  std::vector<Vec3> displacements{Some::kCount}, offsets{Some::kCount};
};

Normals normals(const Kernels& kernels, const Some& some) {
  Normals out;
  kernels.carry_normals(
      {some.which.data(), some.which.size()},
      {.maps = numbers(some.maps), .gradient = numbers(some.gradient), .areas = some.areas.data(), .scale = 1.5},
      {.displacements = numbers(out.displacements), .offsets = numbers(out.offsets)});
  return out;
}

// So are normals; where the skin is folded to nothing there is none.
TEST(VertexKernels, CarryNormals) {
  const Some some;
  const Normals out = normals(vertex_kernels::best(), some);
  for (std::size_t v = 0; v < Some::kCount; ++v) {
    const Vec3 normal = guarded_normal(some.gradient[v], 2.25 * some.areas[v]);
    const auto carried = volume::RestCarrier(some.maps[v].leftCols<3>()).carry(normal);
    EXPECT_LT((out.displacements[v] - carried.displacement).norm(), 1e-14) << v;
    EXPECT_LT((out.offsets[v] - carried.offset).norm(), 1e-12) << v;
  }
  EXPECT_EQ(out.displacements[2], Vec3::Zero());
  EXPECT_EQ(out.displacements[5], Vec3::Zero());
}

// The loss is that of the carried normal's squared length; where a fibre is whole, the direction is between it and the
// surface's normal, as long as the body is thick.
TEST(VertexKernels, ReadFibres) {
  Some some;
  some.maps[0] << 0, -1.5, 0, 1, 1.5, 0, 0, 2, 0, 0, 1.5, 3;  // a turn, of the component's scale
  const Fibres out = fibres(vertex_kernels::best(), some);
  for (std::size_t v = 0; v < Some::kCount; ++v) {
    const Vec3 fibre = some.maps[v].leftCols<3>() * some.normals[v] / 1.5;
    EXPECT_NEAR(out.loss[v], 1 - fibre.squaredNorm(), 1e-14) << v;
    EXPECT_LE(out.normals[v].norm(), 1.5 * some.radius[v]) << v;
  }
  const Vec3 fibre = some.maps[0].leftCols<3>() * some.normals[0] / 1.5;
  const Vec3 surface = -some.gradient[0] / std::hypot(some.gradient[0].norm(), 0.05 * 2.25 * some.areas[0]);
  const Vec3 mixed = 0.8 / 1.02 * fibre + 0.2 * surface;
  EXPECT_LT((out.normals[0] - 1.5 * some.radius[0] * mixed / std::hypot(mixed.norm(), 0.02)).norm(), 1e-13);
}

// Every processor gives the same bytes.
TEST(VertexKernels, Agree) {
  if (vertex_kernels::avx2() == nullptr) GTEST_SKIP() << "no AVX2 here";
  const Some some;
  const Carried one = carry(vertex_kernels::portable(), some), two = carry(*vertex_kernels::avx2(), some);
  EXPECT_EQ(one.offsets, two.offsets);
  EXPECT_EQ(one.closing_offsets, two.closing_offsets);
  EXPECT_EQ(one.positions, two.positions);
  EXPECT_EQ(one.closing, two.closing);
  const Normals some_normals = normals(vertex_kernels::portable(), some), same = normals(*vertex_kernels::avx2(), some);
  EXPECT_EQ(some_normals.displacements, same.displacements);
  EXPECT_EQ(some_normals.offsets, same.offsets);
  const Fibres first = fibres(vertex_kernels::portable(), some), second = fibres(*vertex_kernels::avx2(), some);
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.normals, second.normals);
}

}  // namespace
}  // namespace isochor
