#pragma once

/// Twins that follow the pose instead of a clip: each twin's motion as a function of how far its joint swings and
/// twists, so that motions which were never baked are corrected too (docs/games.md, "Driven twins").

#include <Eigen/Core>
#include <span>
#include <vector>

#include "isochor/bake/twin_joints.h"

namespace isochor {

/// With q = rest⁻¹ · (the joint's local rotation) split into a twist by τ about `axis` and a swing before it whose
/// quaternion has the vector part (α `side` + β `axis` × `side`), (a, b, t) = (2α, 2β, τ), each kept between `low` and
/// `high`, the features are
///   f = (a, b, t, a², ab, b², at, bt, t²),
/// and `coefficients` · f is translation (3), rotation vector (3) and scale - 1 (3) of the twin on top of where it
/// rests. All are zero at rest.
struct DrivenTwin {
  Quat rest = Quat::Identity();
  Vec3 axis = Vec3::UnitY(), side = Vec3::UnitX();
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();  ///< what the clips have shown: beyond, nobody knows
  Eigen::Matrix<double, 9, 9> coefficients = Eigen::Matrix<double, 9, 9>::Zero();
};

/// How well driven twins show a held motion.
struct DrivenFigures {
  double correction = 0, left = 0;              ///< Σ |wanted - skinned|², Σ |wanted - shown|²
  double volume_before = 0, volume_left = 0;    ///< mean over frames of the worst component's relative error
  double largest_before = 0, largest_left = 0;  ///< and the largest
  std::size_t frames = 0;
};

/// Fitted to a motion by least squares over its vertices and frames, all twins together.
std::vector<DrivenTwin> drive_twins(const HeldMotion& motion, const WeldedCharacter& welded, const TwinJoints& twins,
                                    Context& context);

/// The local transform of a twin when its joint has this local rotation.
Transform driven_transform(const Twin& twin, const DrivenTwin& driven, const Quat& joint_rotation);

/// Plays a motion, one that the twins never saw for instance, with driven twins.
DrivenFigures play_driven(const HeldMotion& motion, const WeldedCharacter& welded, const TwinJoints& twins,
                          std::span<const DrivenTwin> driven, Context& context);

}  // namespace isochor
