#include "isochor/sample/shoulder.h"

#include <array>

#include "sample/axes.h"
#include "sample/blob_body.h"
#include "sample/poser.h"
#include "sample/rig_builder.h"

namespace isochor {
namespace {

const Vec3 kShoulder(0.21, 0.50, 0), kElbow(0.45, 0.34, 0), kWrist(0.68, 0.19, 0.03);

model::RigBuilder shoulder_rig() {
  model::RigBuilder rig;
  rig.joint("Spine", "", {0, 0, 0});
  rig.joint("Chest", "Spine", {0, 0.26, 0});
  rig.joint("Neck", "Chest", {0, 0.56, 0});
  rig.tail("Neck", {0, 0.72, 0.02});
  rig.pair("Arm", "Chest", kShoulder);
  rig.pair("Forearm", "Arm", kElbow);
  rig.pair_tail("Forearm", kWrist);
  return rig;
}

/// The left arm about an axis, to the first angle, to the second one and back to rest.
Clip shoulder_turn(const Skeleton& skeleton, const std::string& name, const Vec3& axis, std::array<double, 2> degrees) {
  return model::record(skeleton, name, {.duration = 2}, [&](model::Poser& poser, double u) {
    const double wave = model::wave(u);
    poser.turn("LeftArm", axis, wave > 0 ? degrees[0] * wave : degrees[1] * -wave);
  });
}

}  // namespace

Character make_shoulder(const ShoulderOptions& options, const Context& context) {
  check_ranges(options);
  const model::RigBuilder rig = shoulder_rig();
  model::BlobBody body(rig);
  body.add(RoundCone{{0.06, 0.0, 0}, {0.07, 0.20, 0}, 0.11, 0.105},
           {.joints = {"Spine"}, .blend = 0.05, .spread = 0.08, .mirrored = true});
  body.add(RoundCone{{0.07, 0.20, 0}, {0.10, 0.44, 0}, 0.105, 0.115},
           {.joints = {"Chest"}, .blend = 0.05, .spread = 0.08, .mirrored = true});
  // Between the two sides, so that they meet in no furrow.
  body.add(RoundCone{{0, 0.0, 0}, {0, 0.20, 0}, 0.11, 0.105}, {.joints = {"Spine"}, .blend = 0.05, .spread = 0.08});
  body.add(RoundCone{{0, 0.20, 0}, {0, 0.42, 0}, 0.105, 0.11}, {.joints = {"Chest"}, .blend = 0.05, .spread = 0.08});
  body.add(RoundCone{{0, 0.48, 0}, {0, 0.72, 0.02}, 0.075, 0.055}, {.joints = {"Neck"}, .blend = 0.06, .spread = 0.05});
  body.add(RoundCone{kShoulder, kElbow, 0.072, 0.05},
           {.joints = {"LeftArm"}, .blend = 0.04, .spread = 0.06, .mirrored = true});
  body.add(RoundCone{kElbow, kWrist, 0.05, 0.036},
           {.joints = {"LeftForearm"}, .blend = 0.03, .spread = 0.04, .mirrored = true});

  Character torso;
  torso.name = "shoulder";
  torso.skeleton = rig.build(model::JointAxes::world);
  torso.materials = {{.name = "skin", .base_color = {0.72f, 0.52f, 0.40f, 1}, .roughness = 0.6f}};
  torso.parts.push_back(
      body.build(torso.skeleton, "shoulder", polygonize(body.shape(), {.vertices = options.vertices}, context)));
  torso.clips = {shoulder_turn(torso.skeleton, "twist", (kElbow - kShoulder).normalized(), {120, -120}),
                 shoulder_turn(torso.skeleton, "pitch", model::kY, {-60, 60}),
                 shoulder_turn(torso.skeleton, "yaw", model::kZ, {60, -40})};
  return torso;
}

}  // namespace isochor
