#include "isochor/mesh/face_turns.h"

#include <gtest/gtest.h>

#include <numbers>

#include "support/shapes.h"

namespace isochor {
namespace {

struct Turns : testing::Test {
  const Surface cube = test::cube();
  const VolumeFunctional faces{cube, analyse(cube).components.at(0)};
  std::vector<Vec3> moved = cube.positions;
};

// Nothing that moves, nothing that turns; what is moved as a whole does not turn either.
TEST_F(Turns, NoneWithoutTurning) {
  for (Vec3& p : moved) p += Vec3(3, -2, 1);
  const FaceTurns turns = face_turns(faces, cube.positions, moved, 0);
  EXPECT_EQ(turns.turned, 0u);
  EXPECT_NEAR(turns.largest(), 0, 1e-7);
  EXPECT_EQ(face_turns(faces, cube.positions, cube.positions, 0).least_cosine, 1);
}

// A quarter of a turn is told in radians; half a turn shows the back of all faces that it turns.
TEST_F(Turns, AngleAndSide) {
  const auto turn = [&](double angle) {
    for (std::size_t v = 0; v < moved.size(); ++v) {
      moved[v] = Eigen::AngleAxisd(angle, Vec3::UnitZ()) * cube.positions[v];
    }
    return face_turns(faces, cube.positions, moved, 0);
  };
  EXPECT_NEAR(turn(1.2).largest(), 1.2, 1e-12);
  EXPECT_EQ(turn(1.2).turned, 0u);
  EXPECT_NEAR(turn(2.5).largest(), 2.5, 1e-12);
  EXPECT_EQ(turn(2.5).turned, 4u) << "all but top and bottom";
}

// Faces too small to have a side are left out, whichever shape they are small in.
TEST_F(Turns, CrushedFacesAreLeftOut) {
  for (std::size_t v = 0; v < moved.size(); ++v) moved[v] = Vec3(-0.01 * cube.positions[v]);
  EXPECT_EQ(face_turns(faces, cube.positions, moved, 0).turned, 0u)
      << "a point reflection turns no face of a closed one";
  moved = cube.positions;
  for (Vec3& p : moved) p.z() *= -1;
  EXPECT_EQ(face_turns(faces, cube.positions, moved, 0).turned, 4u);
  EXPECT_EQ(face_turns(faces, cube.positions, moved, 2).turned, 0u) << "the faces of the cube have area 1";
}

TEST_F(Turns, MedianArea) {
  EXPECT_NEAR(median_face_area(faces, cube.positions), 1, 1e-12);
  for (Vec3& p : moved) p *= 3;
  EXPECT_NEAR(median_face_area(faces, moved), 9, 1e-12);
}

}  // namespace
}  // namespace isochor
