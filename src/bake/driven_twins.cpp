#include "isochor/bake/driven_twins.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "bake/twin_frames.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using DrivenFeatures = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

/// Swing along the two sides and twist.
Vec3 swing_and_twist(const DrivenTwin& driven, const Quat& joint_rotation) {
  Quat q = driven.rest.conjugate() * joint_rotation;
  if (q.w() < 0) q.coeffs() *= -1;
  // Swing after twist: q = swing · twist, the twist having the part of q along the axis.
  const double along = q.vec().dot(driven.axis);
  const double length = std::hypot(along, q.w());
  const Quat twist = length > 0 ? Quat(q.w() / length, along / length * driven.axis.x(),
                                       along / length * driven.axis.y(), along / length * driven.axis.z())
                                : Quat::Identity();
  const Vec3 swing = (q * twist.conjugate()).vec();
  return {2 * swing.dot(driven.side), 2 * swing.dot(driven.axis.cross(driven.side)), 2 * std::atan2(along, q.w())};
}

DrivenFeatures features_of(const DrivenTwin& driven, const Quat& joint_rotation) {
  const Vec3 turn = swing_and_twist(driven, joint_rotation).cwiseMax(driven.low).cwiseMin(driven.high);
  const double a = turn.x(), b = turn.y(), t = turn.z();
  DrivenFeatures out;
  out << a, b, t, a * a, a * b, b * b, a * t, b * t, t * t;
  return out;
}

Transform motion_of(const DrivenTwin& driven, const DrivenFeatures& features) {
  const Eigen::Matrix<double, 9, 1> out = driven.coefficients * features;
  Transform motion;
  motion.translation = out.head<3>();
  const Vec3 turn = out.segment<3>(3);
  const double angle = turn.norm();
  if (angle > 0) motion.rotation = Quat(Eigen::AngleAxisd(angle, turn / angle));
  motion.scale = within_reach(Vec3::Ones() + out.tail<3>());
  return motion;
}

/// The frame that the joint's turn is seen in: where it was bound, with the axis along its bone.
DrivenTwin frame_of(Index joint, const Skeleton& skeleton, std::span<const Affine> bind) {
  const auto at = static_cast<std::size_t>(joint);
  const Index parent = skeleton.joints[at].parent;
  const Affine above = parent == kNone ? Affine::Identity() : bind[static_cast<std::size_t>(parent)];
  DrivenTwin out;
  out.rest = to_transform(above.inverse() * bind[at]).rotation;
  Vec3 along = Vec3::Zero();
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (skeleton.joints[j].parent == joint && !skeleton.joints[j].twin) {
      along += bind[at].inverse() * bind[j].translation();
    }
  }
  if (!(along.norm() > 0)) along = -(bind[at].inverse() * above.translation());
  if (along.allFinite() && along.norm() > 0) out.axis = along.normalized();
  Eigen::Index least = 0;
  out.axis.cwiseAbs().minCoeff(&least);
  out.side = out.axis.cross(Vec3::Unit(static_cast<int>(least))).normalized();
  return out;
}

/// How little a feature may vary before it is not trusted: radians, or their squares. What clips hardly show would be
/// extrapolated without end.
constexpr double kFirmFeature = 0.15;
/// Twins one after another, so often: each takes what the others leave.
constexpr int kSweeps = 12;

/// A frame that is learnt from.
struct DrivenLesson {
  TwinForces forces;
  std::vector<Quat> rotations;           // by twin: the local rotation of its joint
  std::vector<DrivenFeatures> features;  // by twin
  std::vector<Mat34> maps;               // by twin: [ω× + diag σ | t], in the space of its bone
};

std::vector<DrivenLesson> lessons_of(const HeldMotion& motion, const WeldedCharacter& welded, const TwinJoints& twins,
                                     const TwinFrames& frames, Context& context) {
  const Character& character = welded.character();
  std::vector<DrivenLesson> out;
  for (const HeldClip& clip : motion.clips) {
    const std::size_t first = out.size();
    out.resize(first + clip.frames.size());
    parallel_for(context, clip.frames.size(), 8, [&](Range chunk) {
      TwinFrames::Worker worker;
      for (std::size_t k = chunk.begin; k < chunk.end; ++k) {
        context.check_cancelled();
        DrivenLesson& lesson = out[first + k];
        lesson.forces = frames.forces(clip, clip.frames[k], worker);
        const Pose pose = sample(character.clips[clip.clip], character.skeleton, clip.frames[k].time);
        for (const Twin& twin : twins.twins) lesson.rotations.push_back(pose.local[twin.joint].rotation);
      }
    });
  }
  return out;
}

/// [ω× + diag σ | t] for each of the nine numbers.
std::array<Mat34, 9> local_directions() {
  std::array<Mat34, 9> out;
  for (int k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(k);
    out[at].setZero();
    out[at].col(3) = Vec3::Unit(k);
    out[at + 3].setZero();
    for (int i = 0; i < 3; ++i) out[at + 3].col(i) = Vec3::Unit(k).cross(Vec3::Unit(i));
    out[at + 6].setZero();
    out[at + 6](k, k) = 1;
  }
  return out;
}

/// The coefficients of one twin that are best with what the others do. With bones that do not shear, G_bᵀ G_b = γ² 1,
/// the squares over vertices and frames are those of a product: C = N⁻¹ (Σ g fᵀ) (Σ γ² f fᵀ)⁻¹, where N is the matrix
/// of the nine directions in the twin's moments, and g what pulls along them in a frame.
void improve(const TwinSystem& system, std::size_t q, std::span<DrivenLesson> lessons, DrivenTwin& driven) {
  static const std::array<Mat34, 9> directions = local_directions();
  const auto neighbours = system.neighbours(q);
  Mat9 metric = Mat9::Zero(), squares = Mat9::Zero(), sides = Mat9::Zero();
  for (const TwinSystem::Neighbour& other : neighbours) {
    if (other.twin != static_cast<Index>(q)) continue;
    for (Eigen::Index k = 0; k < 9; ++k) {
      const Mat34 carried = directions[static_cast<std::size_t>(k)] * other.moment;
      for (Eigen::Index l = 0; l < 9; ++l) {
        metric(k, l) = carried.cwiseProduct(directions[static_cast<std::size_t>(l)]).sum();
      }
    }
  }
  double weight = 0;
  for (const DrivenLesson& lesson : lessons) {
    const Mat3& carrier = lesson.forces.carriers[q];
    Mat34 pull = lesson.forces.pull[q];
    for (const TwinSystem::Neighbour& other : neighbours) {
      if (other.twin == static_cast<Index>(q)) continue;
      pull -= lesson.forces.carriers[static_cast<std::size_t>(other.twin)] *
              lesson.maps[static_cast<std::size_t>(other.twin)] * other.moment.transpose();
    }
    const Mat34 local = carrier.transpose() * pull;
    DrivenFeatures along;
    for (Eigen::Index k = 0; k < 9; ++k) along[k] = directions[static_cast<std::size_t>(k)].cwiseProduct(local).sum();
    const double scale = carrier.squaredNorm() / 3;
    const DrivenFeatures& f = lesson.features[q];
    squares += scale * f * f.transpose();
    sides += along * f.transpose();
    weight += scale;
  }
  squares.diagonal().array() += kFirmFeature * kFirmFeature * weight + 1e-300;
  metric.diagonal().array() += 1e-9 * metric.trace() + 1e-300;
  driven.coefficients = squares.ldlt().solve(metric.ldlt().solve(sides).transpose()).transpose();
  for (DrivenLesson& lesson : lessons) {
    const DrivenFeatures numbers = driven.coefficients * lesson.features[q];
    lesson.maps[q].setZero();
    for (Eigen::Index k = 0; k < 9; ++k) lesson.maps[q] += numbers[k] * directions[static_cast<std::size_t>(k)];
  }
}

}  // namespace

std::vector<DrivenTwin> drive_twins(const HeldMotion& motion, const WeldedCharacter& welded, const TwinJoints& twins,
                                    Context& context) {
  const Character& character = welded.character();
  const RestSpace space = welded.rest_space();
  std::vector<DrivenTwin> out;
  for (const Twin& twin : twins.twins) out.push_back(frame_of(twin.joint, character.skeleton, space.bind));
  if (out.empty()) return out;
  const TwinFrames frames(welded, twins.twins, twins.weights, {}, {motion.deformer, motion.medial.get()});
  std::vector<DrivenLesson> lessons = lessons_of(motion, welded, twins, frames, context);
  for (DrivenLesson& lesson : lessons) {
    for (std::size_t q = 0; q < out.size(); ++q) {
      const Vec3 turn = swing_and_twist(out[q], lesson.rotations[q]);
      out[q].low = out[q].low.cwiseMin(turn);
      out[q].high = out[q].high.cwiseMax(turn);
    }
  }
  for (DrivenLesson& lesson : lessons) {
    for (std::size_t q = 0; q < out.size(); ++q) lesson.features.push_back(features_of(out[q], lesson.rotations[q]));
    lesson.maps.assign(out.size(), Mat34::Zero());
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    context.check_cancelled();
    for (std::size_t q = 0; q < out.size(); ++q) improve(frames.system(), q, lessons, out[q]);
  }
  return out;
}

Transform driven_transform(const Twin& twin, const DrivenTwin& driven, const Quat& joint_rotation) {
  Transform out = motion_of(driven, features_of(driven, joint_rotation));
  out.translation += twin.pivot;
  return out;
}

DrivenFigures play_driven(const HeldMotion& motion, const WeldedCharacter& welded, const TwinJoints& twins,
                          std::span<const DrivenTwin> driven, Context& context) {
  const Character& character = welded.character();
  const TwinFrames frames(welded, twins.twins, twins.weights, {}, {motion.deformer, motion.medial.get()});
  DrivenFigures out;
  for (const HeldClip& clip : motion.clips) {
    std::vector<TwinPlayed> played(clip.frames.size());
    parallel_for(context, clip.frames.size(), 8, [&](Range chunk) {
      TwinFrames::Worker worker;
      for (std::size_t k = chunk.begin; k < chunk.end; ++k) {
        const Pose pose = sample(character.clips[clip.clip], character.skeleton, clip.frames[k].time);
        std::vector<Transform> motions;
        for (std::size_t q = 0; q < driven.size(); ++q) {
          const Quat& rotation = pose.local[twins.twins[q].joint].rotation;
          motions.push_back(motion_of(driven[q], features_of(driven[q], rotation)));
        }
        played[k] = frames.play(clip, clip.frames[k], motions, worker);
      }
    });
    for (const TwinPlayed& frame : played) {
      out.correction += frame.correction;
      out.left += frame.left;
      out.volume_before += frame.volume_before;
      out.volume_left += frame.volume_left;
      out.largest_before = std::max(out.largest_before, frame.volume_before);
      out.largest_left = std::max(out.largest_left, frame.volume_left);
      ++out.frames;
    }
  }
  const double count = std::max<double>(1, static_cast<double>(out.frames));
  out.volume_before /= count;
  out.volume_left /= count;
  return out;
}

}  // namespace isochor
