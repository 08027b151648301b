/// Weights that follow the artist's hand: distances are measured once, and every new falloff, painted softness, pose or
/// sculpted vertex is weighted anew in milliseconds (Dionne and de Lasa 2014, sections 8 and 9).
///
///   live_weights FILE

#include <isochor/bind/gvb.h>
#include <isochor/bind/weight_metrics.h>
#include <isochor/io/load.h>
#include <isochor/rig/welded_character.h>

#include <cmath>
#include <iostream>

using namespace isochor;

int main(int, char** argv) {
  Context context;
  const Character character = load_character(argv[1], {}, context).character;
  const WeldedCharacter welded(character);
  RestSpace space = welded.rest_space();
  Surface surface = welded.surface();
  surface.positions = space.rest;
  GvbBinding binding(surface, joint_handles(welded.skeleton(), space.bind).handles, {.resolution = 64}, context);

  // A slider for all joints.
  const SkinWeights soft = binding.weights({.falloff = 0}, context);
  const SkinWeights hard = binding.weights({.falloff = 1}, context);
  std::cout << "falloff 0 to 1: mean change " << weight_difference(soft, hard).l1_mean << '\n';

  // A brush: hard above the middle, soft below.
  const double middle = bounding_box(surface.positions).center().y();
  GvbWeighting painted{.falloff = 0};
  for (const Vec3& p : surface.positions) painted.vertex_falloff.push_back(p.y() > middle ? 1 : std::nan(""));
  std::cout << "painted: mean change " << weight_difference(soft, binding.weights(painted, context)).l1_mean << '\n';

  // A pose: joints that bend get harder weights.
  Pose pose = rest_pose(welded.skeleton());
  for (Transform& local : pose.local) local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  GvbWeighting posed;
  posed.joint_falloff = pose_falloff(welded.skeleton(), pose, binding.handles());
  std::cout << "posed: mean change "
            << weight_difference(binding.weights({}, context), binding.weights(posed, context)).l1_mean << '\n';

  // A chisel: vertices moved a little inside the same voxels read their distances anew.
  const SkinWeights before = binding.weights({}, context);
  for (Vec3& p : surface.positions) p += 0.005 * space.size * Vec3(0, 1, 0);
  binding.resample(surface, context);
  std::cout << "sculpted: mean change " << weight_difference(before, binding.weights({}, context)).l1_mean << '\n';
}
