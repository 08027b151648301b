#include "sample/knight_motion.h"

#include <cmath>
#include <string>

#include "isochor/base/math.h"
#include "sample/axes.h"
#include "sample/poser.h"

namespace isochor::model {
namespace {

/// Arms hang down from the T-pose; `swing` brings the left one forward and the right one back, in degrees.
void lower_arms(Poser& poser, double swing, double spread) {
  poser.turn("LeftShoulder", kZ, -6);
  poser.turn("RightShoulder", kZ, 6);
  poser.turn("LeftUpperArm", kX, -swing);
  poser.turn("LeftUpperArm", kZ, -(76 - spread));
  poser.turn("RightUpperArm", kX, swing);
  poser.turn("RightUpperArm", kZ, 76 - spread);
  poser.turn("LeftLowerArm", kY, -18 - std::max(swing, 0.0) * 0.6);
  poser.turn("RightLowerArm", kY, 26 + std::max(-swing, 0.0) * 0.6);
}

struct Step {
  double forward = 0;
  double lift = 0;
  double pitch = 0;  // degrees
};

Step step_at(double cycle) {
  constexpr double kStride = 0.56;
  constexpr double kSwing = 0.42;
  constexpr double kHeel = 0.095;  // m, of the ankle when the foot leaves the ground on its toes
  const double c = cycle - std::floor(cycle);
  if (c < kSwing) {
    const double s = c / kSwing;
    const double eased = smooth_step(0, 1, s);
    return {kStride * (eased - 0.5), kHeel * (1 - s) * (1 - s) + 0.07 * std::sin(kPi * s),
            30 * (1 - s) - 18 * s * wave(0.5 * s)};
  }
  const double s = (c - kSwing) / (1 - kSwing);
  const double heel = smooth_step(0.7, 1.0, s);
  return {kStride * (0.5 - s), kHeel * heel, 30 * heel};
}

void plant(Poser& poser, const std::string& side, const Step& step) {
  const std::string upper = side + "UpperLeg";
  const std::string lower = side + "LowerLeg";
  const std::string foot = side + "Foot";
  poser.reach({upper, lower, foot}, poser.rest_position(foot) + Vec3(0, step.lift, step.forward),
              Quat(Eigen::AngleAxisd(step.pitch * kPi / 180, kX)));
}

void sway_cape(Poser& poser, double turns, double back) {
  for (int c = 1; c <= 3; ++c) {
    const double lag = 0.14 * c;
    poser.turn("Cape" + std::to_string(c), Vec3(back + 3 * wave(2 * turns - lag), 0, 3 * wave(turns - lag)));
  }
}

}  // namespace

Clip knight_walk(const Skeleton& skeleton) {
  return record(skeleton, "walk", {.duration = 1.2}, [](Poser& poser, double u) {
    poser.move("Hips", {0.015 * wave(u + 0.2), -0.036 + 0.030 * wave(2 * u - 0.17), 0});
    poser.turn("Hips", Vec3(2, 6 * wave(u), 1.5 * wave(u + 0.2)));
    poser.turn("Spine", Vec3(1.5, -5 * wave(u), -1.5 * wave(u + 0.2)));
    poser.turn("Chest", Vec3(1, -7 * wave(u), 0));
    poser.turn("Head", Vec3(-2, 6 * wave(u), 0));
    lower_arms(poser, 24 * wave(u + 0.02), 4);
    sway_cape(poser, u, 3);
    plant(poser, "Left", step_at(u + 0.5));
    plant(poser, "Right", step_at(u));
  });
}

Clip knight_wave(const Skeleton& skeleton) {
  return record(skeleton, "wave", {.duration = 2.5}, [](Poser& poser, double u) {
    const double up = smooth_step(0.0, 0.25, u) * (1 - smooth_step(0.8, 1.0, u));
    const double sway = up * wave(4 * u);
    lower_arms(poser, 0, 4);
    poser.turn("LeftUpperArm", kZ, (76 + 22) * up);
    poser.turn("LeftUpperArm", kX, -10 * up);
    poser.turn("LeftLowerArm", kY, 18 * up);
    poser.turn("LeftLowerArm", kZ, 58 * up + 20 * sway);
    poser.turn("LeftHand", kZ, 12 * sway);
    poser.turn("Chest", Vec3(-2 * up, 4 * up, -3 * up));
    poser.turn("Head", Vec3(-4 * up, 10 * up, -5 * up));
    sway_cape(poser, u, 1);
    plant(poser, "Left", {});
    plant(poser, "Right", {});
  });
}

Clip knight_crouch(const Skeleton& skeleton) {
  return record(skeleton, "crouch", {.duration = 2}, [](Poser& poser, double u) {
    const double down = smooth_step(0.0, 0.45, u) * (1 - smooth_step(0.6, 1.0, u));
    poser.move("Hips", Vec3(0, -0.36, -0.10) * down);
    poser.turn("Hips", kX, 24 * down);
    poser.turn("Spine", kX, 14 * down);
    poser.turn("Chest", kX, 8 * down);
    poser.turn("Neck", kX, -14 * down);
    poser.turn("Head", kX, -22 * down);
    lower_arms(poser, 30 * down, 4 + 8 * down);
    poser.turn("RightUpperArm", kX, -55 * down);
    poser.turn("RightLowerArm", kY, 25 * down);
    sway_cape(poser, 0, 2 - 12 * down);
    Step left{0.12 * down, 0, 0};
    Step right{-0.14 * down, 0.05 * down, 16 * down};
    plant(poser, "Left", left);
    plant(poser, "Right", right);
  });
}

}  // namespace isochor::model
