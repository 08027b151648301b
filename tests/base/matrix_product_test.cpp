#include "base/matrix_product.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/product_kernels.h"

namespace isochor {
namespace {

/// Numbers of very different sizes, the same in every run.
Rows numbers(Eigen::Index rows, Eigen::Index columns, int seed) {
  Rows out(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      const double x = std::sin(12.9898 * static_cast<double>(i) + 78.233 * static_cast<double>(j) + seed);
      out(i, j) = x * x * x * (j % 3 == 0 ? 100 : 0.01);
    }
  }
  return out;
}

double difference(const Rows& a, const Eigen::MatrixXd& b) {
  return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}

// Products of all kinds of sizes, whole tiles and parts of them, are those of Eigen.
TEST(MatrixProduct, AgreesWithEigen) {
  const Context context(1);
  for (const Eigen::Index rows : {1, 3, 4, 9, 70}) {
    for (const Eigen::Index inner : {1, 5, 256, 257, 600}) {
      for (const Eigen::Index columns : {1, 7, 8, 200, 1700}) {
        const Rows a = numbers(rows, inner, 1), b = numbers(inner, columns, 2), wide = numbers(rows, columns, 3);
        const Eigen::MatrixXd right = Eigen::MatrixXd(a) * Eigen::MatrixXd(b);
        EXPECT_LT(difference(product(a, b, context), right), 1e-13);
        Rows less = wide;
        add_product(a, b, -1, less);
        EXPECT_LT(difference(less, Eigen::MatrixXd(wide) - right), 1e-13);
        const Rows other = numbers(inner, columns, 4);
        EXPECT_LT(difference(inner_products(wide, other, context), Eigen::MatrixXd(wide) * other.transpose()), 1e-13);
        EXPECT_LT(difference(gram(wide, context), Eigen::MatrixXd(wide) * wide.transpose()), 1e-13);
      }
    }
  }
}

// Parts of matrices are factors and results as well, and nothing beside them changes.
TEST(MatrixProduct, TakesBlocks) {
  const Rows a = numbers(12, 20, 1), b = numbers(20, 30, 2);
  Rows out = Rows::Ones(12, 30);
  add_product(a.block(2, 3, 5, 7), b.block(1, 4, 7, 11), 1, out.block(3, 6, 5, 11));
  Eigen::MatrixXd right = Eigen::MatrixXd::Ones(12, 30);
  right.block(3, 6, 5, 11) += Eigen::MatrixXd(a.block(2, 3, 5, 7)) * Eigen::MatrixXd(b.block(1, 4, 7, 11));
  EXPECT_LT(difference(out, right), 1e-14);
}

// Nothing times nothing is nothing.
TEST(MatrixProduct, Empty) {
  const Context context(1);
  EXPECT_EQ(product(Rows(0, 5), Rows(5, 4), context).rows(), 0);
  EXPECT_EQ(product(Rows(3, 0), Rows(0, 4), context), Rows::Zero(3, 4));
  EXPECT_EQ(inner_products(Rows(2, 0), Rows(3, 0), context), Rows::Zero(2, 3));
  EXPECT_EQ(gram(Rows(0, 7), context).size(), 0);
}

// One and several threads give the same bytes.
TEST(MatrixProduct, SameForAnyNumberOfThreads) {
  const Rows a = numbers(90, 9000, 1), b = numbers(70, 9000, 2), c = numbers(90, 70, 3);
  const Context one(1);
  for (const int threads : {2, 4}) {
    const Context many(threads);
    EXPECT_EQ(inner_products(a, b, one), inner_products(a, b, many));
    EXPECT_EQ(gram(a, one), gram(a, many));
    EXPECT_EQ(product(c, b, one), product(c, b, many));
  }
}

// Single precision is that of Eigen too, as far as its digits go, and the same for any number of threads.
TEST(MatrixProduct, SinglePrecision) {
  const Context one(1), two(2);
  for (const Eigen::Index rows : {1, 9, 70}) {
    for (const Eigen::Index columns : {1, 7, 16, 200, 1700, 9000}) {
      const SingleRows a = numbers(rows, columns, 1).cast<float>(), b = numbers(5, columns, 2).cast<float>();
      const Rows exact_a = a.cast<double>(), exact_b = b.cast<double>();
      const SingleRows inner = inner_products(a, b, one);
      EXPECT_LT(difference(inner.cast<double>(), exact_a * exact_b.transpose()), 1e-5);
      EXPECT_EQ(inner, inner_products(a, b, two));
      EXPECT_LT(difference(gram(a, one).cast<double>(), exact_a * exact_a.transpose()), 1e-5);
      EXPECT_EQ(gram(a, one), gram(a, two));
      SingleRows less = a;
      add_product(inner, b, -1, less);
      EXPECT_LT(difference(less.cast<double>(), exact_a - inner.cast<double>() * exact_b), 1e-5);
    }
  }
}

template <class Scalar>
void expect_kernels_agree(product_kernels::Tile<Scalar> first, product_kernels::Tile<Scalar> second) {
  using product_kernels::kTileRows, product_kernels::kTileColumns;
  for (const std::size_t depth : {0, 1, 2, 255, 1000}) {
    const auto count = static_cast<Eigen::Index>(depth);
    const RowsOf<Scalar> a = numbers(count, kTileRows, 1).template cast<Scalar>();
    const RowsOf<Scalar> b = numbers(count, kTileColumns<Scalar>, 2).template cast<Scalar>();
    std::array<Scalar, kTileRows * kTileColumns<Scalar>> one, two;
    first(a.data(), b.data(), depth, one.data());
    second(a.data(), b.data(), depth, two.data());
    EXPECT_EQ(one, two);
  }
}

// Every processor gives the same bytes.
TEST(MatrixProduct, KernelsAgree) {
  if (product_kernels::avx2() == nullptr) GTEST_SKIP() << "no AVX2 here";
  expect_kernels_agree(product_kernels::portable().in_double, product_kernels::avx2()->in_double);
  expect_kernels_agree(product_kernels::portable().in_single, product_kernels::avx2()->in_single);
}

}  // namespace
}  // namespace isochor
