#pragma once

/// Clips written as functions of time: turn joints, move them, let limbs reach.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/clip.h"
#include "isochor/rig/skeleton.h"

namespace isochor::model {

inline constexpr double kPi = 3.14159265358979323846;

/// Three joints that reach for a point: hip, knee and ankle; shoulder, elbow and wrist.
struct Limb {
  std::string_view upper;
  std::string_view lower;
  std::string_view end;
  Vec3 pole = Vec3::UnitZ();  ///< where the middle joint points to, in the rest pose
};

/// Sets joints of a pose. Turns are given about the world's axes as they lie in the rest pose and are carried along by
/// the parents, whatever the joints' own axes are.
class Poser {
 public:
  explicit Poser(const Skeleton& skeleton);

  void reset() { pose_ = rest_; }
  const Pose& pose() const { return pose_; }

  void turn(std::string_view joint, const Vec3& axis, double degrees);
  /// Degrees about x (positive nods towards +z for what points up), then y, then z.
  void turn(std::string_view joint, const Vec3& degrees);
  /// Offsets a joint without a parent, in the world.
  void move(std::string_view joint, const Vec3& offset);
  /// Turns upper and lower so that `end` comes to `target`, or as near as the limb is long; `end` itself keeps
  /// `end_turn` relative to its rest orientation in the world.
  void reach(const Limb& limb, const Vec3& target, const Quat& end_turn);

  Vec3 rest_position(std::string_view joint) const;
  Vec3 position(std::string_view joint) const;

 private:
  const Skeleton& skeleton_;
  Pose rest_;
  Pose pose_;
  std::vector<Affine> rest_global_;

  Index index(std::string_view joint) const;
  Quat rest_rotation(Index joint) const;
  Quat global_rotation(Index joint) const;
  void set_global_rotation(Index joint, const Quat& rotation);
};

struct Timing {
  double duration = 1;  ///< s
  double rate = 24;     ///< keys per second
};

/// Samples `animate(poser, u)`, u from 0 to 1, and keeps channels for the joints that move. The poser is reset before
/// each call.
Clip record(const Skeleton& skeleton, const std::string& name, const Timing& timing,
            const std::function<void(Poser&, double)>& animate);

/// sin and cos of turns: wave(0.25) = 1.
double wave(double turns);

}  // namespace isochor::model
