#include "isochor/bake/surface_normals.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <random>

namespace isochor {
namespace {

/// A strip of quads along x in the plane z = 0, its middle column of vertices there twice: two parts that meet.
Character strips(double fold) {
  Character character;
  for (int side = 0; side < 2; ++side) {
    Part part;
    for (int x = 0; x <= 4; ++x) {
      for (int y = 0; y <= 1; ++y) {
        const double u = 0.25 * x - (side == 0 ? 1 : 0);
        part.surface.positions.emplace_back(u, y, fold * std::abs(u));
      }
    }
    for (Index x = 0; x < 4; ++x) part.surface.add_face({2 * x, 2 * x + 2, 2 * x + 3, 2 * x + 1});
    part.normals.assign(10, Vec3::UnitZ());
    character.parts.push_back(std::move(part));
  }
  return character;
}

std::vector<std::span<const Vec3>> positions_of(const Character& character) {
  std::vector<std::span<const Vec3>> out;
  for (const Part& part : character.parts) out.emplace_back(part.surface.positions);
  return out;
}

/// Where normals point that a viewer shows with these maps.
std::vector<Vec3> shown_normals(std::span<const Mat34> maps, const std::vector<Vec3>& rest,
                                const std::vector<Vec3>& offsets) {
  std::vector<Vec3> shown(rest.size());
  for (std::size_t v = 0; v < rest.size(); ++v) shown[v] = rest[v] + offsets[v];
  transform_normals(maps, shown, shown);
  return shown;
}

std::vector<std::vector<Vec3>> offsets_of(const Character& rest, const Character& posed, std::span<const Mat34> maps) {
  const SurfaceNormals normals(rest, assemble(rest));
  const auto turns = normals.turns(positions_of(rest), positions_of(posed));
  std::vector<std::vector<Vec3>> out;
  for (std::size_t p = 0; p < rest.parts.size(); ++p) {
    out.push_back(normal_offsets({.maps = maps, .rest_normals = rest.parts[p].normals, .turns = turns[p]}));
  }
  return out;
}

// Vertices that lie on each other with one normal turn with the faces of both sides, over parts; with two normals each
// turns with its own side.
TEST(SurfaceNormals, SeamsAreSmoothAndHardEdgesHard) {
  Character rest = strips(0.5), posed = strips(1);
  const std::vector<Mat34> maps(10, Mat34::Identity());
  const auto smooth = offsets_of(rest, posed, maps);
  EXPECT_EQ(smooth[0][8], smooth[1][0]);
  EXPECT_LT(smooth[0][8].norm(), 1e-12);
  rest.parts[0].normals.assign(10, Vec3(0.5, 0, 1).normalized());
  rest.parts[1].normals.assign(10, Vec3(-0.5, 0, 1).normalized());
  const auto hard = offsets_of(rest, posed, maps);
  for (int side = 0; side < 2; ++side) {
    const std::size_t v = side == 0 ? 8 : 0;
    const Vec3 wanted = Vec3(side == 0 ? 1 : -1, 0, 1).normalized();
    EXPECT_LT((rest.parts[side].normals[v] + hard[side][v] - wanted).norm(), 1e-3);
  }
}

// A viewer that turns rest normal plus offset by the inverse transpose shades the posed surface, whatever its maps.
TEST(SurfaceNormals, ViewerSeesThePosedSurface) {
  const Character rest = strips(0), posed = strips(0.7);
  Mat34 map;
  map << Mat3(Vec3(1, 2, 0.5).asDiagonal() * Eigen::AngleAxisd(0.5, Vec3(1, 2, 2) / 3).toRotationMatrix()),
      Vec3(7, 8, 9);
  for (const double side : {1.0, -1.0}) {
    std::vector<Mat34> maps(10, map);
    for (Mat34& m : maps) m.leftCols<3>() *= side;
    const auto shown = shown_normals(maps, rest.parts[0].normals, offsets_of(rest, posed, maps)[0]);
    // A mirrored map shows the surface's faces from behind.
    for (std::size_t v = 0; v < 8; ++v) EXPECT_LT((shown[v] - side * Vec3(0.7, 0, 1).normalized()).norm(), 1e-3);
    for (std::size_t v = 8; v < 10; ++v) EXPECT_LT((shown[v] - side * Vec3::UnitZ()).norm(), 1e-3);
  }
}

// Where the surface follows its maps rigidly, offsets are exactly zero; where there is no surface, too.
TEST(SurfaceNormals, RigidMotionLeavesNothing) {
  const Character rest = strips(0.3);
  const Mat3 turn = Eigen::AngleAxisd(2.0, Vec3(2, -1, 2) / 3).toRotationMatrix();
  Character posed = rest;
  for (Part& part : posed.parts) {
    for (Vec3& p : part.surface.positions) p = turn * p + Vec3(1, 2, 3);
  }
  Mat34 map;
  map << turn, Vec3(1, 2, 3);
  const std::vector<Mat34> maps(10, map);
  for (const auto& offsets : offsets_of(rest, posed, maps)) EXPECT_EQ(offsets, std::vector<Vec3>(10, Vec3::Zero()));
  const std::vector<Mat3> none(10, Mat3::Zero());
  EXPECT_EQ(normal_offsets({.maps = maps, .rest_normals = rest.parts[0].normals, .turns = none}),
            std::vector<Vec3>(10, Vec3::Zero()));
}

// What an artist made of the normals is kept: a tilted normal is tilted by as much against the turned surface.
TEST(SurfaceNormals, KeepsTheArtistsTilt) {
  const Vec3 tilted = Vec3(0.3, 0, 1).normalized(), to = Vec3(0, 1, 1).normalized();
  const std::vector<Mat34> maps(1, Mat34::Identity());
  const std::vector<Vec3> normal = {tilted};
  const std::vector<Mat3> turn = {3 * to * Vec3::UnitZ().transpose()};
  const Vec3 made = tilted + normal_offsets({.maps = maps, .rest_normals = normal, .turns = turn})[0];
  EXPECT_NEAR(made.dot(to), tilted.z(), 1e-3);
  EXPECT_NEAR(made.norm(), 1, 1e-12);
}

// On a thin rim, whose two sides nearly cancel, normals turn with the rim and not with what is left of the sum.
TEST(SurfaceNormals, ThinRims) {
  const Mat3 turn = Eigen::AngleAxisd(0.4, Vec3::UnitY()).toRotationMatrix();
  Mat3 sum = Mat3::Zero();
  const Vec3 up = Vec3(0.01, 0, 1).normalized(), down = Vec3(0.01, 0, -1).normalized();
  // One side has grown a little.
  sum += 1.05 * (turn * up) * up.transpose() + 1.0 * (turn * down) * down.transpose();
  const std::vector<Mat34> maps(1, Mat34::Identity());
  const std::vector<Vec3> normal = {Vec3::UnitX()};
  const std::vector<Mat3> turns = {sum};
  const Vec3 made = normal[0] + normal_offsets({.maps = maps, .rest_normals = normal, .turns = turns})[0];
  EXPECT_LT((made - turn * Vec3::UnitX()).norm(), 1e-3);
}

// The turn is that of the singular value decomposition, for flat, thin, folded and wrung surroundings alike.
TEST(SurfaceNormals, TurnsAsTheSingularValuesSay) {
  std::mt19937 random(7);
  std::normal_distribution<double> number;
  const auto draw = [&] { return Vec3(number(random), number(random), number(random)); };
  const std::vector<Mat34> maps(1, Mat34::Identity());
  for (int i = 0; i < 2000; ++i) {
    const Mat3 left = Quat::FromTwoVectors(draw(), draw()).toRotationMatrix();
    const Mat3 right = Quat::FromTwoVectors(draw(), draw()).toRotationMatrix();
    const Vec3 values = i % 4 == 0   ? Vec3(1, 1e-3, 0)
                        : i % 4 == 1 ? Vec3(1, 0.3, -0.1)
                        : i % 4 == 2 ? Vec3(1, 0.9, 0.8)
                                     : Vec3(1, 0.01, 0.005);
    const std::vector<Mat3> turn = {3 * left * values.asDiagonal() * right.transpose()};
    const std::vector<Vec3> normal = {draw().normalized()};
    // As normal_offsets() weighs standing still.
    const Eigen::JacobiSVD<Mat3> svd(turn[0] / turn[0].norm() + 1e-4 * Mat3::Identity(),
                                     Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double side = (svd.matrixU() * svd.matrixV().transpose()).determinant();
    const Vec3 wanted = svd.matrixU() * Vec3(1, 1, side).asDiagonal() * svd.matrixV().transpose() * normal[0];
    const Vec3 made = normal[0] + normal_offsets({.maps = maps, .rest_normals = normal, .turns = turn})[0];
    EXPECT_LT((made - wanted).norm(), 1e-7) << i;
  }
}

}  // namespace
}  // namespace isochor
