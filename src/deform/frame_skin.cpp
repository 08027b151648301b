#include "isochor/deform/frame_skin.h"

#include <cmath>

#include "deform/joint_motion.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/deform/skinning.h"

namespace isochor {
namespace {

/// A rigid motion: turned, and the frame's centre carried to `place`.
struct RigidMotion {
  Quat rotation = Quat::Identity();
  Vec3 place = Vec3::Zero();
};

/// A screw as a velocity that is kept for one unit of time.
struct Screw {
  Vec3 turn = Vec3::Zero();  ///< radians
  Vec3 slide = Vec3::Zero();
};

Mat3 cross_matrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Below this angle the series is exact to the last bit.
constexpr double kSmallTurn = 1e-4;

/// The shorter of the two screws that lead from one motion to the other, as seen from the first.
Screw screw_between(const RigidMotion& from, const RigidMotion& to) {
  Quat q = from.rotation.conjugate() * to.rotation;
  if (q.w() < 0) q.coeffs() *= -1;
  const double sine = q.vec().norm(), angle = 2 * std::atan2(sine, q.w());
  Screw screw;
  screw.turn = sine > 0.5 * kSmallTurn ? Vec3(angle / sine * q.vec()) : Vec3(2 * q.vec());
  const double a2 = angle * angle;
  const double second = angle > kSmallTurn ? (1 - 0.5 * angle / std::tan(0.5 * angle)) / a2 : 1.0 / 12;
  const Mat3 k = cross_matrix(screw.turn);
  const Vec3 way = from.rotation.conjugate() * (to.place - from.place);
  screw.slide = way - 0.5 * (k * way) + second * (k * (k * way));
  return screw;
}

RigidMotion follow_screw(const RigidMotion& from, const Screw& screw) {
  const double angle = screw.turn.norm(), a2 = angle * angle;
  const double first = angle > kSmallTurn ? (1 - std::cos(angle)) / a2 : 0.5;
  const double second = angle > kSmallTurn ? (angle - std::sin(angle)) / (a2 * angle) : 1.0 / 6;
  const Mat3 k = cross_matrix(screw.turn);
  const Vec3 way = screw.slide + first * (k * screw.slide) + second * (k * (k * screw.slide));
  Quat turn;
  turn.w() = std::cos(0.5 * angle);
  turn.vec() = (angle > kSmallTurn ? std::sin(0.5 * angle) / angle : 0.5) * screw.turn;
  return {(from.rotation * turn).normalized(), from.place + from.rotation * way};
}

struct FrameBlend {
  std::span<const Affine> matrices;
  std::span<const JointMotion> motions;

  RigidMotion of_joint(Index joint, const Vec3& centre) const {
    return {motions[joint].rotation, matrices[joint] * centre};
  }

  /// Two joints are done after one step; three that are turned by less than 90 degrees after about five.
  RigidMotion mean(std::span<const Influence> row, const Vec3& centre) const {
    constexpr int kSteps = 20;
    constexpr double kEnough = 1e-12;  // radians
    RigidMotion mean = of_joint(strongest(row).joint, centre);
    for (int step = 0; step < kSteps; ++step) {
      Screw sum;
      for (const Influence& i : row) {
        if (i.weight == 0) continue;
        const Screw screw = screw_between(mean, of_joint(i.joint, centre));
        sum.turn += i.weight * screw.turn;
        sum.slide += i.weight * screw.slide;
      }
      mean = follow_screw(mean, sum);
      if (sum.turn.norm() < kEnough) break;
    }
    return mean;
  }

  Affine operator()(std::span<const Influence> row, const Vec3& centre) const {
    if (strongest(row).weight == 1) return matrices[strongest(row).joint];
    const RigidMotion rigid = mean(row, centre);
    Mat3 stretch = Mat3::Zero();
    for (const Influence& i : row) stretch += i.weight * motions[i.joint].stretch;
    Affine frame = Affine::Identity();
    frame.linear() = rigid.rotation.toRotationMatrix() * stretch;
    frame.translation() = rigid.place - frame.linear() * centre;
    return frame;
  }
};

void check_frames(const FrameSkin& skin, std::span<const Affine> matrices, std::span<const JointMotion> motions) {
  if (skin.centres.size() != skin.frames.vertex_count()) {
    throw_bad_input("there are " + std::to_string(skin.centres.size()) + " centres of frames, but weights for " +
                    std::to_string(skin.frames.vertex_count()));
  }
  for (std::size_t m = 0; m < skin.frames.vertex_count(); ++m) {
    const auto row = skin.frames.row(m);
    if (row.empty()) {
      throw_bad_input("frame " + std::to_string(m) + " follows no joint", static_cast<Index>(m));
    }
    for (const Influence& i : row) {
      if (i.joint < 0 || static_cast<std::size_t>(i.joint) >= matrices.size()) {
        throw_bad_input("frame " + std::to_string(m) + " follows joint " + std::to_string(i.joint) + ", of " +
                            std::to_string(matrices.size()),
                        static_cast<Index>(m));
      }
      if (!matrices[i.joint].matrix().allFinite()) {
        throw_bad_input("joint " + std::to_string(i.joint) + " has a matrix that is not finite", i.joint);
      }
    }
    const Index pivot = strongest(row).joint;
    for (const Influence& i : row) {
      if (i.weight != 0 && motions[pivot].handedness * motions[i.joint].handedness < 0) {
        throw_mixed_handedness(static_cast<Index>(m), pivot, i.joint);
      }
    }
  }
}

}  // namespace

void frame_motions(const FrameSkin& skin, std::span<const Affine> skin_matrices, std::span<Affine> out,
                   const Context& context) {
  if (out.size() != skin.frames.vertex_count()) throw_bad_input("there must be as many motions as frames");
  std::vector<JointMotion> motions(skin_matrices.size());
  split_motions(skin_matrices, motions);
  check_frames(skin, skin_matrices, motions);
  const FrameBlend blend{skin_matrices, motions};
  parallel_for(context, out.size(), 64, [&](Range range) {
    for (std::size_t m = range.begin; m < range.end; ++m) out[m] = blend(skin.frames.row(m), skin.centres[m]);
  });
}

void frame_maps(const FrameSkin& skin, std::span<const Affine> skin_matrices, std::span<Mat34> out,
                const Context& context) {
  std::vector<Affine> frames(skin.frames.vertex_count());
  frame_motions(skin, skin_matrices, frames, context);
  vertex_maps(Deformer::lbs, {.positions = {}, .weights = skin.skin}, frames, out, context);
}

}  // namespace isochor
