#include "sample/elephant_motion.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "isochor/base/math.h"
#include "sample/axes.h"
#include "sample/poser.h"

namespace isochor::model {
namespace {

struct Leg {
  const char* upper;
  const char* lower;
  const char* foot;
  double phase;  ///< of the cycle at which the foot leaves the ground
};

const Leg kLegs[] = {{"LeftHip", "LeftHindKnee", "LeftHindFoot", 0.0},
                     {"LeftShoulder", "LeftKnee", "LeftFoot", 0.25},
                     {"RightHip", "RightHindKnee", "RightHindFoot", 0.5},
                     {"RightShoulder", "RightKnee", "RightFoot", 0.75}};

/// Where a foot is relative to its place at rest, and how far its toes point down.
struct Step {
  double forward = 0;
  double lift = 0;
  double pitch = 0;  // degrees
};

Step step_at(double cycle) {
  constexpr double kStride = 0.62;  // m
  constexpr double kSwing = 0.3;    // of the cycle
  const double c = cycle - std::floor(cycle);
  if (c < kSwing) {
    const double s = c / kSwing;
    const double eased = smooth_step(0, 1, s);
    const double arc = std::sin(kPi * s);
    return {kStride * (eased - 0.5), 0.24 * arc * arc * (1.2 - 0.4 * s), 38 * arc * (1 - s)};
  }
  const double s = (c - kSwing) / (1 - kSwing);
  return {kStride * (0.5 - s), 0.0, 0.0};
}

void swing_trunk(Poser& poser, double u, double amount) {
  for (int t = 1; t <= 6; ++t) {
    const std::string joint = "Trunk" + std::to_string(t);
    const double lag = 0.09 * t;
    poser.turn(joint, Vec3(4.5 * wave(2 * u - lag), 0, 6 * wave(u - lag)) * amount);
  }
}

void flap_ears(Poser& poser, double turns, double degrees) {
  poser.turn("LeftEar", kY, degrees * wave(turns));
  poser.turn("RightEar", kY, -degrees * wave(turns));
  poser.turn("LeftEarTip", kY, degrees * wave(turns - 0.15));
  poser.turn("RightEarTip", kY, -degrees * wave(turns - 0.15));
}

void swing_tail(Poser& poser, double u, double degrees) {
  for (int t = 1; t <= 3; ++t) poser.turn("Tail" + std::to_string(t), kZ, degrees * wave(u - 0.12 * t));
}

}  // namespace

Clip elephant_walk(const Skeleton& skeleton) {
  return record(skeleton, "walk", {.duration = 2}, [](Poser& poser, double u) {
    poser.move("Hips", {0.03 * wave(u + 0.1), -0.07 + 0.025 * wave(2 * u + 0.1), 0});
    poser.turn("Hips", Vec3(0.8 * wave(2 * u), 2.5 * wave(u - 0.1), 2.2 * wave(u + 0.12)));
    poser.turn("Spine1", Vec3(0.8 * wave(2 * u + 0.2), -1.5 * wave(u - 0.1), -0.8 * wave(u + 0.1)));
    poser.turn("Spine2", Vec3(0.8 * wave(2 * u + 0.3), -1.5 * wave(u - 0.1), -0.8 * wave(u + 0.1)));
    poser.turn("Chest", Vec3(0.6 * wave(2 * u + 0.4), -1.5 * wave(u - 0.1), -1.2 * wave(u + 0.1)));
    poser.turn("Neck", Vec3(2.5 * wave(2 * u + 0.1), 1.0 * wave(u), 0));
    poser.turn("Head", Vec3(2.5 * wave(2 * u), 1.5 * wave(u - 0.1), 0));
    poser.turn("Jaw", kX, 2 + 2 * wave(2 * u));
    swing_trunk(poser, u, 1);
    flap_ears(poser, 2 * u, 9);
    swing_tail(poser, u, 9);
    for (const Leg& leg : kLegs) {
      const Step step = step_at(u - leg.phase);
      const Vec3 target = poser.rest_position(leg.foot) + Vec3(0, step.lift, step.forward);
      poser.reach({leg.upper, leg.lower, leg.foot}, target, Quat(Eigen::AngleAxisd(step.pitch * kPi / 180, kX)));
    }
  });
}

Clip elephant_sit(const Skeleton& skeleton) {
  return record(skeleton, "sit", {.duration = 3}, [](Poser& poser, double u) {
    const double down = smooth_step(0.0, 0.6, u);
    const double raise = smooth_step(0.45, 0.95, u);
    poser.move("Hips", Vec3(0, -1.14, -0.05) * down);
    poser.turn("Hips", kX, -62 * down);
    poser.turn("Spine1", kX, 13 * down);
    poser.turn("Spine2", kX, 13 * down);
    poser.turn("Chest", kX, 9 * down);
    poser.turn("Neck", kX, 10 * down - 6 * raise);
    poser.turn("Head", kX, 12 * down - 14 * raise);
    poser.turn("Jaw", kX, 14 * raise);
    const double lift[] = {-38, -34, -26, -22, 22, 34};
    for (int t = 0; t < 6; ++t) poser.turn("Trunk" + std::to_string(t + 1), kX, lift[t] * raise);
    flap_ears(poser, 0.25, -16 * raise);
    const double tail[] = {98, 50, 14};
    for (int t = 0; t < 3; ++t) poser.turn("Tail" + std::to_string(t + 1), kX, tail[t] * down);
    for (const Leg& leg : kLegs) {
      const bool hind = std::string_view(leg.upper).find("Hip") != std::string_view::npos;
      const double side = poser.rest_position(leg.foot).x() > 0 ? 1 : -1;
      const Vec3 slide = hind ? Vec3(0.30 * side, 0, 0.62) : Vec3(0.02 * side, 0, -0.10);
      Limb limb{leg.upper, leg.lower, leg.foot};
      // Folded knees turn outward, past the belly.
      if (hind) limb.pole = Vec3(0.8 * side * down, 0, 1);
      const Quat turn(Eigen::AngleAxisd(hind ? 0.5 * side * down : 0.0, kY));
      poser.reach(limb, poser.rest_position(leg.foot) + slide * down, turn);
    }
  });
}

}  // namespace isochor::model
