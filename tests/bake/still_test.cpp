#include "isochor/bake/still.h"

#include <gtest/gtest.h>

#include "isochor/sample/sample.h"

namespace isochor {
namespace {

// Normals of a corrected moment are those of its surface; of one that is not corrected, the deformer's.
TEST(Still, NormalsFollowTheSurface) {
  Character character = make_sample("cylinder");
  Part& part = character.parts[0];
  part.normals = vertex_normals(part.surface);
  const WeldedCharacter welded(character);
  Context context(1);
  Pose pose = rest_pose(character.skeleton);
  pose.local[1].rotation = pose.local[1].rotation * Quat(Eigen::AngleAxisd(1.2, Vec3::UnitX()));
  CorrectedPlayback held(welded, {}, context);
  const auto frame = held.play(pose, 0, context);
  const auto parts = still_parts(held, frame, context);
  const auto plain = posed_parts(welded, pose, frame.posed, frame.corrected.positions);
  EXPECT_EQ(parts[0].positions, plain[0].positions);
  const auto surface = vertex_normals(part.surface, parts[0].positions);
  double error = 0, error_of_deformer = 0;
  for (std::size_t v = 0; v < surface.size(); ++v) {
    EXPECT_NEAR(parts[0].normals[v].norm(), 1, 1e-9);
    error += 1 - surface[v].dot(parts[0].normals[v]);
    error_of_deformer += 1 - surface[v].dot(plain[0].normals[v]);
  }
  EXPECT_LT(error, 0.3 * error_of_deformer);

  CorrectedPlayback left(welded, {.volume = std::nullopt}, context);
  const auto as_posed = left.play(pose, 0, context);
  EXPECT_EQ(still_parts(left, as_posed, context)[0].normals, plain[0].normals);
}

}  // namespace
}  // namespace isochor
