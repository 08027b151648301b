#include "isochor/medial/convolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "voxel/solids.h"

namespace isochor {
namespace {

using test::Numbers;

Vec3 random_point(Numbers& numbers) { return Vec3(numbers.unit(), numbers.unit(), numbers.unit()); }

FilterPoint random_vertex(Numbers& numbers) { return {random_point(numbers), 0.5 + 0.5 * numbers.unit()}; }

FilterPoint middle(const FilterPoint& a, const FilterPoint& b) {
  return {0.5 * (a.position + b.position), 0.5 * (a.reach + b.reach)};
}

double sum(const std::array<double, 2>& s) { return s[0] + s[1]; }
double sum(const std::array<double, 3>& s) { return s[0] + s[1] + s[2]; }

// A segment that is longer than the filter: 16/15 (1 - h²/R²)^(5/2) at the distance h, half of it on either side.
TEST(Convolution, LongSegment) {
  const FilterPoint a{Vec3(-5, 0, 0), 2}, b{Vec3(5, 0, 0), 2};
  for (const double h : {0.0, 0.5, 1.0, 1.9}) {
    const auto shares = convolve_segment(a, b, Vec3(0, h, 0));
    EXPECT_NEAR(sum(shares), 16.0 / 15 * std::pow(1 - h * h / 4, 2.5), 1e-12);
    EXPECT_NEAR(shares[0], shares[1], 1e-12);
  }
  EXPECT_EQ(sum(convolve_segment(a, b, Vec3(0, 2, 0))), 0);
  EXPECT_EQ(sum(convolve_segment(a, b, Vec3(8, 0, 0))), 0);
}

// A triangle that is larger than the filter: π/3 (1 - h²/R²)³.
TEST(Convolution, LargeTriangle) {
  const FilterPoint a{Vec3(-9, -5, 0), 1.5}, b{Vec3(9, -5, 0), 1.5}, c{Vec3(0, 11, 0), 1.5};
  for (const double h : {0.0, 0.4, 1.0, 1.4}) {
    const double expected = std::numbers::pi / 3 * std::pow(1 - h * h / 2.25, 3);
    EXPECT_NEAR(sum(convolve_triangle(a, b, c, Vec3(0.3, 0.2, h))), expected, 1e-7);
  }
  EXPECT_EQ(sum(convolve_triangle(a, b, c, Vec3(0, 0, 1.5))), 0);
}

// Cut in two at any edge, a primitive has the same field and the same shares, radii and all; so has it cut again and
// again.
TEST(Convolution, SplittingChangesNothing) {
  Numbers numbers(3);
  for (int i = 0; i < 300; ++i) {
    const FilterPoint a = random_vertex(numbers), b = random_vertex(numbers), c = random_vertex(numbers);
    const Vec3 q = 1.6 * random_point(numbers) - Vec3::Constant(0.3);
    const FilterPoint m = middle(a, b);
    const auto whole = convolve_segment(a, b, q), left = convolve_segment(a, m, q), right = convolve_segment(m, b, q);
    EXPECT_NEAR(sum(whole), sum(left) + sum(right), 1e-7);
    EXPECT_NEAR(whole[0], left[0] + 0.5 * (left[1] + right[0]), 1e-7);
    const auto triangle = convolve_triangle(a, b, c, q);
    const auto first = convolve_triangle(a, m, c, q), second = convolve_triangle(m, b, c, q);
    EXPECT_NEAR(sum(triangle), sum(first) + sum(second), 1e-7);
    EXPECT_NEAR(triangle[0], first[0] + 0.5 * (first[1] + second[0]), 1e-7);
    EXPECT_NEAR(triangle[1], second[1] + 0.5 * (first[1] + second[0]), 1e-7);
    EXPECT_NEAR(triangle[2], first[2] + second[2], 1e-7);
    const FilterPoint n = middle(b, c), o = middle(c, a);
    EXPECT_NEAR(sum(triangle),
                sum(convolve_triangle(a, m, o, q)) + sum(convolve_triangle(m, b, n, q)) +
                    sum(convolve_triangle(o, n, c, q)) + sum(convolve_triangle(n, o, m, q)),
                1e-7);
  }
}

// The order of a primitive's vertices makes no difference.
TEST(Convolution, AnyOrder) {
  Numbers numbers(5);
  for (int i = 0; i < 100; ++i) {
    const FilterPoint a = random_vertex(numbers), b = random_vertex(numbers), c = random_vertex(numbers);
    const Vec3 q = random_point(numbers);
    const auto abc = convolve_triangle(a, b, c, q), bca = convolve_triangle(b, c, a, q);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(abc[k], bca[(k + 2) % 3], 1e-7);
  }
}

// The field of a complex is the sum over its primitives, wherever one asks; beyond all filters it is empty. Cutting its
// primitives changes no sum.
TEST(Convolution, FieldOfAComplex) {
  MedialComplex complex;
  Numbers numbers(11);
  for (int i = 0; i < 7; ++i) complex.positions.push_back(random_point(numbers));
  complex.points = {6};
  complex.segments = {{0, 1}, {1, 2}};
  complex.triangles = {{2, 3, 4}, {3, 4, 5}};
  std::vector<double> reach = {0.5, 0.6, 0.4, 0.5, 0.7, 0.5, 0.4};
  const MedialField field(complex, reach);
  MedialComplex cut = complex;
  cut.positions.push_back(0.5 * (complex.positions[0] + complex.positions[1]));
  cut.positions.push_back(0.5 * (complex.positions[3] + complex.positions[4]));
  cut.segments = {{0, 7}, {1, 7}, {1, 2}};
  cut.triangles = {{2, 3, 8}, {2, 4, 8}, {3, 5, 8}, {4, 5, 8}};
  std::vector<double> cut_reach = reach;
  cut_reach.insert(cut_reach.end(), {0.55, 0.6});
  const MedialField cut_field(cut, cut_reach);
  const auto at = [&](Index v) { return FilterPoint{complex.positions[v], reach[v]}; };
  const auto total = [](const std::vector<Influence>& row) {
    double s = 0;
    for (const Influence& i : row) s += i.weight;
    return s;
  };
  std::vector<Influence> row;
  for (int i = 0; i < 100; ++i) {
    const Vec3 q = 1.4 * random_point(numbers) - Vec3::Constant(0.2);
    const double expected = convolve_point(at(6), q) + sum(convolve_segment(at(0), at(1), q)) +
                            sum(convolve_segment(at(1), at(2), q)) + sum(convolve_triangle(at(2), at(3), at(4), q)) +
                            sum(convolve_triangle(at(3), at(4), at(5), q));
    field.at(q, row);
    EXPECT_NEAR(total(row), expected, 1e-12);
    cut_field.at(q, row);
    EXPECT_NEAR(total(row), expected, 1e-6);
  }
  field.at(Vec3(9, 9, 9), row);
  EXPECT_TRUE(row.empty());
}

}  // namespace
}  // namespace isochor
