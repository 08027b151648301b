#include "isochor/volume/corrector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "deform/allocation_count.h"
#include "subject.h"
#include "support/shapes.h"

namespace isochor {
namespace {

using test::Subject;

constexpr double kDegree = std::numbers::pi / 180;

Character cylinder(const CylinderOptions& options = {}) { return make_cylinder(options, Context()); }

Pose turned(const Character& character, std::string_view joint, const Vec3& axis, double degrees) {
  Pose pose = rest_pose(character.skeleton);
  Transform& local = pose.local[character.skeleton.find(joint)];
  local.rotation = local.rotation * Quat(Eigen::AngleAxisd(degrees * kDegree, axis));
  return pose;
}

bool all_finite(const std::vector<Vec3>& values) {
  return std::all_of(values.begin(), values.end(), [](const Vec3& v) { return v.allFinite(); });
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

/// The least and the largest mean radius of the rings of a twisted cylinder around y.
std::pair<double, double> radii(const std::vector<Vec3>& positions, const CylinderOptions& options, int edge_rings) {
  double least = 1e300, largest = 0;
  for (int r = edge_rings; r < options.rings + edge_rings; ++r) {
    double sum = 0;
    for (int s = 0; s < options.segments; ++s) {
      const Vec3& p = positions[static_cast<std::size_t>(r) * options.segments + s];
      sum += std::hypot(p.x(), p.z());
    }
    least = std::min(least, sum / options.segments / options.radius);
    largest = std::max(largest, sum / options.segments / options.radius);
  }
  return {least, largest};
}

// The candy wrapper is cured: a twisted cylinder keeps its radius within 1 % at 90°, 10 % at 135°, and at 170° more
// than the 0.623 of plain blend weights. LBS pinches to 0.707, 0.383 and 0.087.
TEST(VolumeCorrector, CandyWrapper) {
  const CylinderOptions options{.radius = 0.5, .length = 2, .segments = 48, .rings = 121, .blend = 0.5, .rounding = 0};
  Subject subject(cylinder(options));
  const auto twist = [&](double degrees) {
    subject.together(turned(subject.character, "Bone2", Vec3::UnitY(), degrees));
    EXPECT_LT(subject.largest_error(), 1e-12);
    return radii(subject.frame.positions, options, 0);
  };
  const auto at90 = twist(90), at135 = twist(135), at170 = twist(170);
  EXPECT_NEAR(radii(subject.posed.positions, options, 0).first, 0.087, 0.01);
  EXPECT_GT(at90.first, 0.99);
  EXPECT_LT(at90.second, 1.01);
  EXPECT_GT(at135.first, 0.9);
  EXPECT_LT(at135.second, 1.1);
  EXPECT_GT(at170.first, 0.75);
  EXPECT_LT(at170.second, 1.1);
}

// Every pose is exact for every solver that promises it, together and in sequence, LBS and DQS, up to the twist of 180°
// that flattens the skin and the bend that folds it; and nothing is ever NaN.
TEST(VolumeCorrector, ExactAtEveryAngle) {
  for (const VolumeSolver solver : {VolumeSolver::exact, VolumeSolver::three_step, VolumeSolver::linear}) {
    Subject subject(cylinder(), VolumeOptions{.solve = {.solver = solver}});
    for (const Deformer deformer : {Deformer::lbs, Deformer::dqs}) {
      for (const Vec3& axis : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitX())}) {
        for (const double degrees : {0.0, 1.0, 90.0, 170.0, 180.0}) {
          if (deformer == Deformer::dqs && degrees == 180) continue;
          const Pose pose = turned(subject.character, "Bone2", axis, degrees);
          for (const bool in_sequence : {false, true}) {
            in_sequence ? subject.sequence(pose, deformer) : subject.together(pose, deformer);
            EXPECT_TRUE(all_finite(subject.frame.positions) && all_finite(subject.frame.offsets));
            if (solver == VolumeSolver::linear) continue;
            EXPECT_LT(subject.largest_error(), 1e-9) << enum_name(solver) << degrees << axis.transpose() << in_sequence;
          }
        }
      }
    }
  }
}

// Offsets at rest and corrected positions belong together: positions = M (rest + offset).
TEST(VolumeCorrector, OffsetsReproducePositions) {
  Subject subject(make_sample("elephant"));
  const Clip& clip = subject.character.clips.front();
  for (const bool in_sequence : {false, true}) {
    const Pose pose = sample(clip, subject.character.skeleton, 0.4 * clip.end());
    in_sequence ? subject.sequence(pose) : subject.together(pose);
    EXPECT_LT(subject.largest_error(), 1e-9);
    for (std::size_t v = 0; v < subject.posed.rest.size(); ++v) {
      const Mat34& m = subject.posed.maps[v];
      const Vec3 played = m.leftCols<3>() * (subject.posed.rest[v] + subject.frame.offsets[v]) + m.col(3);
      EXPECT_LT((played - subject.frame.positions[v]).norm(), 1e-12);
    }
  }
}

// Vertices outside all supports stay, bit for bit; so does everything at rest.
TEST(VolumeCorrector, LocalBitForBit) {
  Subject subject(make_sample("giraffe"));
  const Clip& clip = subject.character.clips.front();
  subject.together(sample(clip, subject.character.skeleton, 0.6 * clip.end()));
  std::vector<char> inside(subject.posed.positions.size(), 0);
  for (const auto& region : subject.regions()) {
    for (const Index v : region.vertices) inside[v] = 1;
  }
  std::size_t outside = 0;
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (inside[v]) continue;
    ++outside;
    EXPECT_EQ(subject.frame.positions[v], subject.posed.positions[v]);
    EXPECT_EQ(subject.frame.offsets[v], Vec3::Zero());
  }
  EXPECT_GT(outside, 0u);
}

/// The same character with its joints listed in another order that still has parents first.
Character reordered(const Character& character) {
  const auto& joints = character.skeleton.joints;
  std::vector<Index> depth(joints.size(), 0), order(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent != kNone) depth[j] = depth[joints[j].parent] + 1;
    order[j] = static_cast<Index>(j);
  }
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return depth[a] != depth[b] ? depth[a] < depth[b] : a > b; });
  std::vector<Index> place(joints.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Index>(i);
  Character result = character;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Joint joint = joints[order[i]];
    if (joint.parent != kNone) joint.parent = place[joint.parent];
    result.skeleton.joints[i] = joint;
  }
  for (Part& part : result.parts) {
    for (Index& j : part.skin.joints) j = place[j];
    if (part.node != kNone) part.node = place[part.node];
  }
  for (Clip& clip : result.clips) {
    for (Channel& channel : clip.channels) channel.joint = place[channel.joint];
  }
  return result;
}

// Together, the order in which joints are listed means nothing.
TEST(VolumeCorrector, JointOrderMeansNothing) {
  Subject one(make_sample("elephant")), other(reordered(one.character));
  const double time = 0.5 * one.character.clips.back().end();
  one.together(sample(one.character.clips.back(), one.character.skeleton, time));
  other.together(sample(other.character.clips.back(), other.character.skeleton, time));
  ASSERT_EQ(one.posed.positions.size(), other.posed.positions.size());
  EXPECT_LT(largest_difference(one.frame.positions, other.frame.positions), 1e-9);
}

// Joints that rest give nothing: where only they blend, the skin stays bit for bit, and the volume is exact all the
// same.
TEST(VolumeCorrector, RestingJointsAreLeftOut) {
  Subject subject(make_sample("elephant"));
  subject.together(turned(subject.character, "Spine2", Vec3::UnitX(), 40));
  EXPECT_LT(subject.largest_error(), 1e-9);
  std::size_t resting = 0, moved = 0;
  for (std::size_t r = 0; r < subject.regions().size(); ++r) {
    for (const Index v : subject.regions()[r].vertices) {
      (subject.frame.positions[v] == subject.posed.positions[v] ? resting : moved) += 1;
    }
  }
  EXPECT_GT(resting, moved / 4);
  EXPECT_GT(moved, 100u);
}

// Smoothness flattens the displacement, at the price of the joints' own volumes.
TEST(VolumeCorrector, SmoothnessFlattens) {
  const auto slope = [](double smoothness) {
    Subject subject(make_sample("elephant"), VolumeOptions{.smoothness = smoothness});
    const Clip& clip = subject.character.clips.front();
    subject.together(sample(clip, subject.character.skeleton, 0.6 * clip.end()));
    EXPECT_LT(subject.largest_error(), 1e-9);
    double sum = 0;
    for (const Edge& e : subject.welded.topology().edges) {
      const Vec3 a = subject.frame.positions[e.a] - subject.posed.positions[e.a];
      const Vec3 b = subject.frame.positions[e.b] - subject.posed.positions[e.b];
      sum += (a - b).squaredNorm();
    }
    return sum;
  };
  EXPECT_LT(slope(2), 0.7 * slope(0));
}

// Turning and moving the whole character changes nothing but that.
TEST(VolumeCorrector, RigidMotionOfTheWhole) {
  Subject subject(make_sample("elephant"));
  const Clip& clip = subject.character.clips.front();
  Pose pose = sample(clip, subject.character.skeleton, 0.3 * clip.end());
  subject.together(pose);
  const std::vector<Vec3> still = subject.frame.positions;
  Affine motion = Affine::Identity();
  motion.rotate(Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized())).pretranslate(Vec3(5, -3, 2));
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    if (subject.character.skeleton.joints[j].parent == kNone) {
      pose.local[j] = to_transform(motion * to_matrix(pose.local[j]));
    }
  }
  subject.together(pose);
  for (std::size_t v = 0; v < still.size(); ++v) {
    EXPECT_LT((subject.frame.positions[v] - motion * still[v]).norm(), 1e-9);
  }
}

// A mirrored pose of a symmetric body gives the mirrored skin.
TEST(VolumeCorrector, Mirror) {
  const CylinderOptions options{.segments = 24, .rings = 41};
  Subject subject(cylinder(options));
  subject.together(turned(subject.character, "Bone2", Vec3::UnitX(), 80));
  const std::vector<Vec3> forward = subject.frame.positions;
  subject.together(turned(subject.character, "Bone2", Vec3::UnitX(), -80));
  const auto& rest = subject.welded.surface().positions;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    for (std::size_t w = 0; w < rest.size(); ++w) {
      if ((rest[w] - Vec3(rest[v].x(), rest[v].y(), -rest[v].z())).norm() > 1e-9) continue;
      const Vec3& p = subject.frame.positions[w];
      EXPECT_LT((forward[v] - Vec3(p.x(), p.y(), -p.z())).norm(), 1e-9);
    }
  }
}

// Two tessellations of one cylinder agree within 2 % of its radius.
TEST(VolumeCorrector, Tessellation) {
  const CylinderOptions coarse{.segments = 24, .rings = 41}, fine{.segments = 48, .rings = 81};
  Subject one(cylinder(coarse)), two(cylinder(fine));
  const auto bend = [](Subject& s) { s.together(turned(s.character, "Bone2", Vec3::UnitX(), 90)); };
  bend(one);
  bend(two);
  const auto& rest = two.welded.surface().positions;
  std::size_t shared = 0;
  for (std::size_t v = 0; v < one.posed.rest.size(); ++v) {
    if (std::abs(one.posed.rest[v].y() - 1) > 0.6) continue;
    for (std::size_t w = 0; w < rest.size(); ++w) {
      if ((rest[w] - one.posed.rest[v]).norm() > 1e-9) continue;
      ++shared;
      EXPECT_LT((one.frame.positions[v] - two.frame.positions[w]).norm(), 0.02 * coarse.radius);
    }
  }
  EXPECT_GT(shared, 100u);
}

// An open body, one that faces inward, one in another unit, and one that breathes: all exact.
TEST(VolumeCorrector, OpenInwardScaledBreathing) {
  Character open = cylinder();
  Surface& surface = open.parts[0].surface;
  Surface cut;
  cut.positions = surface.positions;
  for (std::size_t f = 0; f + 30 < surface.face_count(); ++f) cut.add_face(surface.face(f));
  surface = cut;
  Character inward = cylinder();
  for (std::size_t f = 0; f < inward.parts[0].surface.face_count(); ++f) {
    const auto face = inward.parts[0].surface.face(f);
    std::reverse(face.begin(), face.end());
  }
  Character scaled = cylinder();
  for (Affine& m : scaled.parts[0].skin.inverse_bind) m = m * Eigen::Scaling(0.01);
  for (Vec3& p : scaled.parts[0].surface.positions) p *= 100;
  for (const Character& character : {open, inward, scaled}) {
    Subject subject(character);
    subject.together(turned(character, "Bone2", Vec3(1, 1, 0).normalized(), 100));
    EXPECT_GT(subject.frame.components[0].error_before(), 1e-3);
    EXPECT_LT(subject.largest_error(), 1e-9);
    EXPECT_EQ(subject.frame.components[0].outcome, VolumeOutcome::exact);
    EXPECT_LT(subject.frame.joints[0].error_after, 0.1 * subject.frame.joints[0].error_before);
  }
  Subject breathing(cylinder(), VolumeSettings{.volume = Profile({{0, 1.06}})});
  breathing.together(rest_pose(breathing.character.skeleton));
  EXPECT_LT(breathing.largest_error(), 1e-9);
  EXPECT_NEAR(breathing.frame.components[0].after, 1.06 * breathing.welded.rest_volumes()[0], 1e-9);
}

// A component that no joint bends is passed through and reported with its residual where its target moves; cloth is
// passed through and named.
TEST(VolumeCorrector, PassedThroughAndReported) {
  Character character = cylinder();
  Part sheet;
  sheet.surface.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0.1), Vec3(0, 1, 0)};
  sheet.surface.add_face({0, 1, 2, 3});
  Part cube;
  cube.surface = test::cube();
  for (Vec3& p : cube.surface.positions) p += Vec3(3, 0, 0);
  character.parts.push_back(sheet);
  character.parts.push_back(cube);
  Subject subject(character, VolumeSettings{.volume = Profile({{0, 1.01}})});
  subject.together(turned(character, "Bone2", Vec3::UnitX(), 60));
  const VolumeReport& report = subject.player().report();
  EXPECT_EQ(subject.frame.components[0].outcome, VolumeOutcome::exact);
  std::vector<std::string> codes;
  for (const Problem& p : report.problems()) codes.push_back(p.code);
  EXPECT_EQ(codes, (std::vector<std::string>{"volume-none", "volume-untouched"}));
  EXPECT_EQ(report.frames(), 1u);
  EXPECT_GT(report.components()[0].max_error_before, 0.01);
  EXPECT_LT(report.components()[0].max_error_after, 1e-9);
  EXPECT_GT(report.max_displacement(), 0);
}

// Hard weights blend nowhere, yet the skin between the bones stretches: the whole component gives, and the report says
// so.
TEST(VolumeCorrector, HardWeightsAreWidened) {
  Character character = cylinder();
  SkinWeights& weights = character.parts[0].weights;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const Index joint = character.parts[0].surface.positions[v].y() < 1 ? 0 : 1;
    for (Influence& i : weights.row(v))
      i = {.joint = joint, .weight = 1.0 / static_cast<double>(weights.row(v).size())};
  }
  repair(weights, 2);
  Subject subject(character);
  EXPECT_TRUE(subject.regions().empty());
  subject.together(turned(character, "Bone2", Vec3::UnitX(), 60));
  EXPECT_GT(subject.frame.components[0].error_before(), 1e-3);
  EXPECT_LT(subject.largest_error(), 1e-9);
  EXPECT_EQ(subject.frame.components[0].outcome, VolumeOutcome::widened);
}

// A joint's own field takes the place of its blend: the skin moves along its axes only, and the volume is exact. An
// empty one keeps the joint from giving.
TEST(VolumeCorrector, OwnFields) {
  Subject subject(make_sample("cylinder3"));
  Pose pose = turned(subject.character, "Bone2", Vec3::UnitX(), 50);
  pose_skin(subject.welded, pose, Deformer::lbs, subject.posed, subject.context);
  VolumeCorrector corrector = VolumeCorrector::prepare(subject.welded, {}, subject.context);
  JointField own{.joint = subject.character.skeleton.find("Bone2"), .field = {}};
  for (const auto& region : corrector.regions()) {
    if (region.joint != own.joint) continue;
    own.field.vertices.assign(region.vertices.begin(), region.vertices.end());
    own.field.gamma.assign(region.gamma.begin(), region.gamma.end());
  }
  own.field.direction = CorrectionDirection::axes;
  own.field.shares = Vec3(1, 0, 0);
  const JointField still{.joint = subject.character.skeleton.find("Bone3"), .field = {}};
  corrector.apply(subject.posed, std::vector<JointField>{own, still}, subject.frame);
  EXPECT_LT(subject.largest_error(), 1e-9);
  EXPECT_GT(subject.frame.max_displacement, 1e-3);
  for (std::size_t v = 0; v < subject.posed.positions.size(); ++v) {
    const Vec3 u = subject.frame.positions[v] - subject.posed.positions[v];
    EXPECT_LT(std::abs(u.y()) + std::abs(u.z()), 1e-12);
  }
}

// On every sample the joints' own volumes end nearer to rest than they began in the mean, and none much worse.
TEST(VolumeCorrector, JointsComeNearerToRest) {
  for (const char* name : {"cylinder3", "giraffe", "elephant", "knight"}) {
    Subject subject(make_sample(name));
    for (const Clip& clip : subject.character.clips) {
      double before = 0, after = 0, worse = 0;
      for (int i = 0; i <= 6; ++i) {
        subject.together(sample(clip, subject.character.skeleton, clip.start() + clip.duration() * i / 6));
        EXPECT_LT(subject.largest_error(), 1e-9) << name << " " << clip.name;
        for (const JointVolume& joint : subject.frame.joints) {
          before += joint.error_before;
          after += joint.error_after;
          worse = std::max(worse, joint.error_after - joint.error_before);
        }
      }
      EXPECT_LT(after, 0.75 * before) << name << " " << clip.name;
      EXPECT_LT(worse, 0.2) << name << " " << clip.name;
    }
  }
}

// apply() allocates nothing once its memory has grown.
TEST(VolumeCorrector, NoAllocation) {
  Subject subject(make_sample("elephant"));
  const Clip& clip = subject.character.clips.front();
  subject.together(sample(clip, subject.character.skeleton, 0.2));
  VolumeCorrector corrector = VolumeCorrector::prepare(subject.welded, {}, subject.context);
  pose_skin(subject.welded, sample(clip, subject.character.skeleton, 0.5), Deformer::lbs, subject.posed,
            subject.context);
  corrector.apply(subject.posed, {}, subject.frame);
  const std::size_t before = test::allocation_count();
  corrector.apply(subject.posed, {}, subject.frame);
  EXPECT_EQ(test::allocation_count(), before);
}

// In sequence, a turn that siblings share is no twist: the whole body turned by its children gives what the body turned
// by its root gives.
TEST(VolumeCorrector, SequenceTakesOutTheCommonMotion) {
  Subject subject(make_sample("elephant"));
  const Clip& clip = subject.character.clips.front();
  const Pose pose = sample(clip, subject.character.skeleton, 0.3 * clip.end());
  subject.sequence(pose);
  EXPECT_LT(subject.largest_error(), 1e-9);
  const std::vector<Vec3> still = subject.frame.positions;
  const Affine motion = Affine(Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitY()));
  Pose turned_pose = pose;
  for (std::size_t j = 0; j < pose.local.size(); ++j) {
    if (subject.character.skeleton.joints[j].parent == kNone) {
      turned_pose.local[j] = to_transform(motion * to_matrix(pose.local[j]));
    }
  }
  subject.sequence(turned_pose);
  for (std::size_t v = 0; v < still.size(); ++v) {
    EXPECT_LT((subject.frame.positions[v] - motion * still[v]).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace isochor
