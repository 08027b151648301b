#include "isochor/bake/driven_twins.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bake/twin_frames.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using Features = Eigen::Matrix<double, 9, 1>;

Features features_of(const DrivenTwin& driven, const Quat& joint_rotation) {
  Quat q = driven.rest.conjugate() * joint_rotation;
  if (q.w() < 0) q.coeffs() *= -1;
  // Swing after twist: q = swing · twist, the twist having the part of q along the axis.
  const double along = q.vec().dot(driven.axis);
  const double length = std::hypot(along, q.w());
  const Quat twist = length > 0 ? Quat(q.w() / length, along / length * driven.axis.x(),
                                       along / length * driven.axis.y(), along / length * driven.axis.z())
                                : Quat::Identity();
  const Vec3 swing = (q * twist.conjugate()).vec();
  const double a = 2 * swing.dot(driven.side), b = 2 * swing.dot(driven.axis.cross(driven.side));
  const double t = 2 * std::atan2(along, q.w());
  Features out;
  out << a, b, t, a * a, a * b, b * b, a * t, b * t, t * t;
  return out;
}

Vec3 turn_vector(Quat q) {
  if (q.w() < 0) q.coeffs() *= -1;
  const double sine = q.vec().norm();
  return sine > 0 ? Vec3(2 * std::atan2(sine, q.w()) / sine * q.vec()) : Vec3::Zero();
}

Transform motion_of(const DrivenTwin& driven, const Features& features) {
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

}  // namespace

std::vector<DrivenTwin> drive_twins(const TwinJoints& twins, const WeldedCharacter& welded) {
  constexpr double kSmooth = 1e-3;  // of the features' own squares: poses that the clips hardly show say little
  const Character& character = welded.character();
  const RestSpace space = welded.rest_space();
  std::vector<DrivenTwin> out;
  for (const Twin& twin : twins.twins) out.push_back(frame_of(twin.joint, character.skeleton, space.bind));
  std::vector<Eigen::Matrix<double, 9, 9>> squares(out.size(), Eigen::Matrix<double, 9, 9>::Zero()), sides = squares;
  for (const TwinClip& clip : twins.clips) {
    for (std::size_t k = 0; k < clip.times.size(); ++k) {
      const Pose pose = sample(character.clips[clip.clip], character.skeleton, clip.times[k]);
      for (std::size_t q = 0; q < out.size(); ++q) {
        const Features f = features_of(out[q], pose.local[twins.twins[q].joint].rotation);
        Eigen::Matrix<double, 9, 1> m = Eigen::Matrix<double, 9, 1>::Zero();
        if (!clip.local[q].empty()) {
          const Transform& local = clip.local[q][k];
          m << local.translation - twins.twins[q].pivot, turn_vector(local.rotation), local.scale - Vec3::Ones();
        }
        squares[q] += f * f.transpose();
        sides[q] += m * f.transpose();
      }
    }
  }
  for (std::size_t q = 0; q < out.size(); ++q) {
    squares[q].diagonal() *= 1 + kSmooth;
    squares[q].diagonal().array() += 1e-6 * squares[q].trace() + 1e-12;
    out[q].coefficients = squares[q].ldlt().solve(sides[q].transpose()).transpose();
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
  const TwinFrames frames(welded, twins.twins, twins.weights, {}, motion.deformer);
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
