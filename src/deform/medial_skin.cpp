#include "isochor/deform/medial_skin.h"

#include <algorithm>
#include <cmath>

#include "deform/joint_motion.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"
#include "isochor/deform/skinning.h"

namespace isochor {
namespace {

/// A rigid motion: turned, and the guide's centre carried to `place`.
struct RigidMotion {
  Quat rotation = Quat::Identity();
  Vec3 place = Vec3::Zero();
};

/// A screw as a velocity that is kept for one unit of time.
struct Screw {
  Vec3 turn = Vec3::Zero();  ///< radians
  Vec3 slide = Vec3::Zero();
};

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
  const double second = angle > kSmallTurn ? (1 - 0.5 * angle * q.w() / sine) / a2 : 1.0 / 12;
  const Vec3 way = from.rotation.conjugate() * (to.place - from.place);
  const Vec3 across = screw.turn.cross(way);
  screw.slide = way - 0.5 * across + second * screw.turn.cross(across);
  return screw;
}

RigidMotion follow_screw(const RigidMotion& from, const Screw& screw) {
  const double angle = screw.turn.norm(), a2 = angle * angle;
  const double first = angle > kSmallTurn ? (1 - std::cos(angle)) / a2 : 0.5;
  const double second = angle > kSmallTurn ? (angle - std::sin(angle)) / (a2 * angle) : 1.0 / 6;
  const Vec3 across = screw.turn.cross(screw.slide);
  const Vec3 way = screw.slide + first * across + second * screw.turn.cross(across);
  Quat turn;
  turn.w() = std::cos(0.5 * angle);
  turn.vec() = (angle > kSmallTurn ? std::sin(0.5 * angle) / angle : 0.5) * screw.turn;
  return {(from.rotation * turn).normalized(), from.place + from.rotation * way};
}

struct GuideBlend {
  std::span<const Affine> matrices;
  std::span<const JointMotion> motions;

  RigidMotion of_joint(Index joint, const Vec3& centre) const {
    return {motions[joint].rotation, matrices[joint] * centre};
  }

  /// Where the search begins: rotations blended as quaternions, in the hemisphere of the strongest, and places.
  RigidMotion blend(std::span<const Influence> row, std::span<const RigidMotion> of) const {
    const Quat& pivot = motions[strongest(row).joint].rotation;
    Eigen::Vector4d rotation = Eigen::Vector4d::Zero();
    Vec3 place = Vec3::Zero();
    for (std::size_t k = 0; k < row.size(); ++k) {
      rotation += row[k].weight * hemisphere(pivot, of[k].rotation) * of[k].rotation.coeffs();
      place += row[k].weight * of[k].place;
    }
    return {Quat(Eigen::Vector4d(rotation.normalized())), place};
  }

  /// Of two joints: the part of the screw between them that the second one's weight is.
  RigidMotion between(std::span<const Influence> row, const Vec3& centre) const {
    const RigidMotion from = of_joint(row[0].joint, centre);
    Screw screw = screw_between(from, of_joint(row[1].joint, centre));
    const double part = row[1].weight / (row[0].weight + row[1].weight);
    screw.turn *= part;
    screw.slide *= part;
    return follow_screw(from, screw);
  }

  /// Three joints that are turned by less than 90 degrees are done after about four steps. The search ends if neither
  /// turn nor slide is left, as compared with how far the joints carry the centre apart.
  RigidMotion mean(std::span<const Influence> row, const Vec3& centre, std::vector<RigidMotion>& of) const {
    constexpr int kSteps = 20;
    constexpr double kEnough = 1e-9;  // radians; and of the distance between places
    of.clear();
    for (const Influence& i : row) of.push_back(of_joint(i.joint, centre));
    RigidMotion mean = blend(row, of);
    double apart = 0;
    for (const RigidMotion& one : of) apart = std::max(apart, (one.place - mean.place).norm());
    double before = 0;
    for (int step = 0; step < kSteps; ++step) {
      Screw sum;
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row[k].weight == 0) continue;
        const Screw screw = screw_between(mean, of[k]);
        sum.turn += row[k].weight * screw.turn;
        sum.slide += row[k].weight * screw.slide;
      }
      mean = follow_screw(mean, sum);
      const double left = std::max(sum.turn.norm(), apart > 0 ? sum.slide.norm() / apart : 0);
      // Each step leaves about as much of the last one as that one left of the one before.
      const double shrink = before > 0 ? left / before : 1;
      if (left < kEnough || (shrink < 0.5 && left * shrink < kEnough * (1 - shrink))) break;
      before = left;
    }
    return mean;
  }

  /// `of` is memory that is used again.
  Affine operator()(std::span<const Influence> row, const Vec3& centre, std::vector<RigidMotion>& of) const {
    if (strongest(row).weight == 1) return matrices[strongest(row).joint];
    const RigidMotion rigid = row.size() == 2 ? between(row, centre) : mean(row, centre, of);
    Mat3 stretch = Mat3::Zero();
    for (const Influence& i : row) stretch += i.weight * motions[i.joint].stretch;
    Affine guide = Affine::Identity();
    guide.linear() = rigid.rotation.toRotationMatrix() * stretch;
    guide.translation() = rigid.place - guide.linear() * centre;
    return guide;
  }
};

void check_guides(const MedialSkin& skin, std::span<const Affine> matrices, std::span<const JointMotion> motions) {
  if (skin.centres.size() != skin.guides.vertex_count()) {
    throw_bad_input("there are " + std::to_string(skin.centres.size()) + " centres of guides, but weights for " +
                    std::to_string(skin.guides.vertex_count()));
  }
  for (std::size_t m = 0; m < skin.guides.vertex_count(); ++m) {
    const auto row = skin.guides.row(m);
    if (row.empty()) {
      throw_bad_input("guide " + std::to_string(m) + " follows no joint", static_cast<Index>(m));
    }
    for (const Influence& i : row) {
      if (i.joint < 0 || static_cast<std::size_t>(i.joint) >= matrices.size()) {
        throw_bad_input("guide " + std::to_string(m) + " follows joint " + std::to_string(i.joint) + ", of " +
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

/// Which guides the skin follows. Throws if a row leads nowhere.
std::vector<char> followed(const SkinWeights& rows, std::size_t guides) {
  std::vector<char> out(guides, 0);
  for (std::size_t v = 0; v < rows.vertex_count(); ++v) {
    const auto row = rows.row(v);
    bool fine = !row.empty();
    for (const Influence& i : row) fine = fine && i.joint >= 0 && static_cast<std::size_t>(i.joint) < guides;
    if (!fine) {
      throw_bad_input("vertex " + std::to_string(v) + " follows no guide, or one that is not there",
                      static_cast<Index>(v));
    }
    for (const Influence& i : row) out[i.joint] = 1;
  }
  return out;
}

/// Motions of the guides that are wanted; the others are left as they are.
void find_motions(const MedialSkin& skin, std::span<const Affine> skin_matrices, std::span<const char> wanted,
                  std::span<Affine> out, const Context& context) {
  std::vector<JointMotion> motions(skin_matrices.size());
  split_motions(skin_matrices, motions);
  check_guides(skin, skin_matrices, motions);
  const GuideBlend blend{skin_matrices, motions};
  parallel_for(context, out.size(), 64, [&](Range range) {
    std::vector<RigidMotion> of;
    for (std::size_t m = range.begin; m < range.end; ++m) {
      if (wanted[m] != 0) out[m] = blend(skin.guides.row(m), skin.centres[m], of);
    }
  });
}

}  // namespace

void guide_motions(const MedialSkin& skin, std::span<const Affine> skin_matrices, std::span<Affine> out,
                   const Context& context) {
  if (out.size() != skin.guides.vertex_count()) throw_bad_input("there must be as many motions as guides");
  find_motions(skin, skin_matrices, std::vector<char>(out.size(), 1), out, context);
}

void guide_maps(const MedialSkin& skin, std::span<const Affine> skin_matrices, std::span<Mat34> out,
                const Context& context) {
  if (out.size() != skin.skin.vertex_count()) throw_bad_input("there must be as many maps as vertices");
  std::vector<Affine> motions(skin.guides.vertex_count(), Affine::Identity());
  find_motions(skin, skin_matrices, followed(skin.skin, motions.size()), motions, context);
  std::vector<Mat34> palette;  // without the last row, which is the same for all
  palette.reserve(motions.size());
  for (const Affine& motion : motions) palette.emplace_back(motion.matrix().topRows<3>());
  parallel_for(context, out.size(), 1024, [&](Range range) {
    for (std::size_t v = range.begin; v < range.end; ++v) {
      Mat34 map = Mat34::Zero();
      for (const Influence& i : skin.skin.row(v)) map += i.weight * palette[i.joint];
      out[v] = map;
    }
  });
}

}  // namespace isochor
