#include <gtest/gtest.h>

#include <numbers>

#include "isochor/mesh/face_turns.h"
#include "isochor/sample/cylinder.h"
#include "volume/subject.h"

namespace isochor {
namespace {

using test::Subject;

const VolumeOptions kKeep{.faces = FaceTreatment::keep}, kFree{.faces = FaceTreatment::free};

/// The most faces that are turned over in a moment of a clip, by a measure of its own.
std::size_t most_turned(Subject& subject, const Clip& clip, JointTreatment treatment, Deformer deformer) {
  constexpr int kMoments = 12;
  std::size_t most = 0;
  const Topology& topology = subject.welded.topology();
  for (int i = 0; i <= kMoments; ++i) {
    const double time = clip.start() + clip.duration() * i / kMoments;
    subject.correct(sample(clip, subject.character.skeleton, time), deformer, treatment);
    subject.expect_sound(clip.name);
    EXPECT_LE(subject.largest_error(), 1e-9) << clip.name << " " << time;
    std::size_t turned = 0;
    for (std::size_t c = 0; c < topology.components.size(); ++c) {
      if (!subject.welded.has_volume(c)) continue;
      const VolumeFunctional whole(subject.welded.surface(), topology.components[c]);
      const double crushed = kCrushedFace * median_face_area(whole, subject.posed.positions);
      turned += face_turns(whole, subject.posed.positions, subject.frame.positions, crushed).turned;
    }
    EXPECT_EQ(subject.frame.turned_faces, turned) << clip.name << " " << time;
    most = std::max(most, turned);
  }
  return most;
}

// Where the correction alone turns faces over, none is turned if they are kept, and the volume is exact all the same.
TEST(FoldGuard, NoFaceTurnsOver) {
  for (const char* name : {"cylinder", "elephant"}) {
    Subject free(make_sample(name), kFree), kept(make_sample(name), kKeep);
    const Clip& clip = name == std::string("cylinder") ? free.character.clips.front() : free.character.clips.back();
    EXPECT_GT(most_turned(free, clip, JointTreatment::together, Deformer::lbs), 0u) << name << ": nothing to hold";
    EXPECT_EQ(most_turned(kept, clip, JointTreatment::together, Deformer::lbs), 0u) << name;
    EXPECT_EQ(most_turned(kept, clip, JointTreatment::together, Deformer::dqs), 0u) << name;
    EXPECT_EQ(most_turned(kept, clip, JointTreatment::together, Deformer::medial), 0u) << name;
  }
  Subject kept(make_sample("cylinder"), kKeep);
  EXPECT_EQ(most_turned(kept, kept.character.clips.front(), JointTreatment::sequence, Deformer::lbs), 0u);
}

/// The radius of the thinnest ring of a cylinder that stands on the origin, in units of its own: that of a disc of the
/// same area.
double thinnest_ring(const std::vector<Vec3>& positions, const CylinderOptions& options) {
  double least = 1e300;
  for (int r = 0; r < options.rings; ++r) {
    const Vec3* ring = positions.data() + static_cast<std::size_t>(r) * options.segments;
    Vec3 area = Vec3::Zero();
    for (int s = 0; s < options.segments; ++s) {
      area += 0.5 * (ring[s] - ring[0]).cross(ring[(s + 1) % options.segments] - ring[0]);
    }
    least = std::min(least, std::sqrt(area.norm() / std::numbers::pi) / options.radius);
  }
  return least;
}

// A limb that is bent or wrung keeps its radius, and no face turns over: not at the price of one another.
TEST(FoldGuard, BendsAndTwistsKeepTheirRadius) {
  const CylinderOptions options{.radius = 0.5, .length = 2, .segments = 48, .rings = 121, .blend = 0.5, .rounding = 0};
  Subject kept(make_cylinder(options, Context()), kKeep);
  struct Case {
    Vec3 axis;
    double degrees, least;
  };
  const Vec3 bend = Vec3::UnitX(), twist = Vec3::UnitY();
  for (const Case& c : {Case{bend, 45, 0.997}, Case{bend, 90, 0.982}, Case{bend, 120, 0.93}, Case{twist, 135, 0.995},
                        Case{twist, 150, 0.99}, Case{twist, 160, 0.98}, Case{twist, 170, 0.89}}) {
    Pose pose = rest_pose(kept.character.skeleton);
    pose.local[1].rotation = Quat(Eigen::AngleAxisd(c.degrees * std::numbers::pi / 180, c.axis));
    kept.together(pose);
    const std::string what = std::to_string(c.degrees) + " about " + (c.axis == bend ? "x" : "y");
    EXPECT_EQ(kept.frame.turned_faces, 0u) << what;
    EXPECT_LE(kept.frame.largest_turn, std::numbers::pi / 3) << what;
    EXPECT_LE(kept.largest_error(), 1e-9) << what;
    EXPECT_GE(thinnest_ring(kept.frame.positions, options), c.least) << what;
  }
}

// Faces may turn far where a twist is undone. A bend loses as much of the skin's thickness as a twist does, and is
// none.
TEST(FoldGuard, SharpBendsAreNoTwists) {
  const CylinderOptions options{.radius = 0.5, .length = 3, .segments = 48, .rings = 121, .blend = 0.5, .rounding = 0};
  Subject kept(make_cylinder(options, Context()), kKeep);
  for (const double degrees : {130.0, 145.0, 160.0}) {
    Pose pose = rest_pose(kept.character.skeleton);
    pose.local[1].rotation = Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitX()));
    kept.together(pose);
    EXPECT_GT(kept.frame.held_vertices, 0u) << degrees;
    EXPECT_LE(kept.frame.largest_turn, std::numbers::pi / 3) << degrees;
    EXPECT_LE(kept.largest_error(), 1e-9) << degrees;
  }
}

/// A thin blade: a cylinder of four sides, flat, whose ridge lies near one of its sharp edges on one side and near the
/// other on the other. It has lost volume that it is to give back: `target` of that at rest.
Subject blade(FaceTreatment faces, double target, bool inside_out = false) {
  Character character =
      make_cylinder({.radius = 0.5, .length = 2, .segments = 4, .rings = 21, .blend = 0.5, .rounding = 0}, Context());
  for (Vec3& p : character.parts.at(0).surface.positions) {
    const bool ridge = std::abs(p.z()) > 1e-6;
    if (ridge) p.x() = p.z() > 0 ? 0.3 : -0.42;
    p.z() *= 0.04;
  }
  Surface& surface = character.parts.at(0).surface;
  for (std::size_t f = 0; inside_out && f < surface.face_count(); ++f) {
    std::reverse(surface.face(f).begin(), surface.face(f).end());
  }
  VolumeSettings settings{.options = {.faces = faces}};
  settings.volume = Profile({{0, target}});
  return Subject(std::move(character), settings);
}

/// Edges that are sharp at rest and open in the pose, and turned inside out by the correction.
std::size_t edges_inside_out(const Subject& subject) {
  const Surface& surface = subject.welded.surface();
  const auto wedge = [&](const std::vector<Vec3>& p, Index a, Index b, Index c, Index d) {
    return (p[a] - p[b]).cross(p[c] - p[b]).dot(p[d] - p[b]);
  };
  std::size_t count = 0;
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (std::size_t g = 0; g < surface.face_count(); ++g) {
      const auto one = surface.face(f), other = surface.face(g);
      for (std::size_t i = 0; i < one.size(); ++i) {
        const Index a = one[i], b = one[(i + 1) % one.size()];
        for (std::size_t k = 0; k < other.size(); ++k) {
          if (other[k] != b || other[(k + 1) % other.size()] != a) continue;
          const Index c = one[(i + 2) % one.size()], d = other[(k + 2) % other.size()];
          const auto& rest = surface.positions;
          const Vec3 n = area_vector(rest, one), m = area_vector(rest, other);
          if (!(n.dot(m) < -0.5 * n.norm() * m.norm())) continue;
          const double before = wedge(subject.posed.positions, a, b, c, d);
          if (before * wedge(subject.frame.positions, a, b, c, d) < 0) ++count;
        }
      }
    }
  }
  return count;
}

Pose bent_blade(const Subject& subject, double angle) {
  Pose pose = rest_pose(subject.character.skeleton);
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(angle, Vec3::UnitX()));
  return pose;
}

// No face of a thin blade turns far before it is inside out along its sharp edge: that does not happen either. Where
// the volume cannot be had as well, the edges win.
TEST(FoldGuard, SharpEdgesStaySharp) {
  for (const double target : {0.9, 0.75, 0.6}) {
    Subject free = blade(FaceTreatment::free, target), kept = blade(FaceTreatment::keep, target);
    free.together(bent_blade(free, 0.5));
    kept.together(bent_blade(kept, 0.5));
    EXPECT_EQ(edges_inside_out(free) > 0, target < 0.9) << target << ": nothing to hold";
    EXPECT_EQ(free.frame.turned_faces, 0u) << target;
    EXPECT_EQ(edges_inside_out(kept), 0u) << target;
    EXPECT_LE(kept.largest_error(), target < 0.75 ? 0.1 : 1e-9) << target;
    // However the faces are turned.
    Subject reversed = blade(FaceTreatment::keep, target, true);
    reversed.together(bent_blade(reversed, 0.5));
    EXPECT_EQ(edges_inside_out(reversed), 0u) << target;
  }
}

/// The largest change of a displacement between neighbouring moments, of `count` over part of a clip.
double largest_change(Subject& subject, const Clip& clip, double from, double to, int count) {
  std::vector<Vec3> last;
  double largest = 0;
  for (int i = 0; i <= count; ++i) {
    subject.together(sample(clip, subject.character.skeleton, from + (to - from) * i / count));
    std::vector<Vec3> now;
    for (std::size_t v = 0; v < subject.posed.positions.size(); ++v) {
      now.push_back(subject.frame.positions[v] - subject.posed.positions[v]);
      if (!last.empty()) largest = std::max(largest, (now[v] - last[v]).norm());
    }
    last = std::move(now);
  }
  return largest;
}

// Nothing pops: where faces are held back, changes shrink with the time step.
TEST(FoldGuard, ChangesShrinkWithTheTimeStep) {
  Subject cylinder(make_sample("cylinder"), kKeep);
  const Clip& bend = cylinder.character.clips.front();
  EXPECT_LT(largest_change(cylinder, bend, 1.6, 1.8, 40), 0.6 * largest_change(cylinder, bend, 1.6, 1.8, 20));
  Subject blunt = blade(FaceTreatment::keep, 0.75);
  const auto bends = [&](int count) {
    std::vector<Vec3> last;
    double largest = 0;
    for (int i = 0; i <= count; ++i) {
      blunt.together(bent_blade(blunt, 0.7 * i / count));
      for (std::size_t v = 0; v < last.size(); ++v) {
        largest = std::max(largest, (blunt.frame.offsets[v] - last[v]).norm());
      }
      last = blunt.frame.offsets;
    }
    return largest;
  };
  EXPECT_LT(bends(80), 0.6 * bends(40));
  Subject elephant(make_sample("elephant"), kKeep);
  const Clip& sit = elephant.character.clips.back();
  EXPECT_LT(largest_change(elephant, sit, 1.0, 1.1, 40), 0.7 * largest_change(elephant, sit, 1.0, 1.1, 20));
}

// What would turn no face is left alone, bit for bit.
TEST(FoldGuard, NothingElseChanges) {
  Subject free(make_sample("giraffe"), kFree), kept(make_sample("giraffe"), kKeep);
  const Clip& clip = free.character.clips.front();
  for (const double share : {0.25, 0.5, 0.75}) {
    const Pose pose = sample(clip, free.character.skeleton, clip.start() + share * clip.duration());
    free.together(pose);
    kept.together(pose);
    EXPECT_EQ(kept.frame.held_vertices, 0u);
    EXPECT_EQ(free.frame.positions, kept.frame.positions);
    EXPECT_EQ(free.frame.offsets, kept.frame.offsets);
  }
}

}  // namespace
}  // namespace isochor
