#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "isochor/mesh/face_hierarchy.h"
#include "isochor/voxel/winding.h"
#include "mesh/brute_force_crossings.h"
#include "volume/subject.h"

namespace isochor {
namespace {

const VolumeOptions kOff{}, kCount{.contact = ContactTreatment::count}, kHold{.contact = ContactTreatment::hold};
const VolumeOptions kResolve{.contact = ContactTreatment::resolve};

const Clip& clip_named(const Character& character, const std::string& name) {
  return character.clips[find_clip(character.clips, name)];
}

/// Pairs that cross in one shape and not in the other.
std::vector<FacePair> added_pairs(const test::Subject& subject, const std::vector<Vec3>& positions) {
  const auto after = test::crossings_by_brute_force(subject.welded.surface(), positions);
  const auto before = test::crossings_by_brute_force(subject.welded.surface(), subject.posed.positions);
  std::vector<FacePair> added;
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(added));
  return added;
}

// A cylinder that is bent until the correction pushes its inside through itself, though skinning does not: without
// contact faces cross, with it none does, by brute force; the volume is exact and no face turns over.
TEST(Contact, HoldsWhatTheCorrectionPushesThroughSkin) {
  test::Subject off(make_sample("cylinder"), kOff), hold(make_sample("cylinder"), kHold);
  const Clip& clip = clip_named(off.character, "bend");
  std::size_t before = 0;
  for (const double time : {1.05, 1.1}) {
    const Pose pose = sample(clip, off.character.skeleton, time);
    off.together(pose);
    hold.together(pose);
    const auto crossing = added_pairs(off, off.frame.positions);
    before += crossing.size();
    EXPECT_TRUE(added_pairs(hold, hold.frame.positions).empty()) << time;
    EXPECT_EQ(hold.frame.contact.skinned, 0u) << time;
    EXPECT_EQ(hold.frame.contact.added_before, crossing.size()) << time;
    EXPECT_EQ(hold.frame.contact.added_after, 0u) << time;
    EXPECT_LE(hold.largest_error(), 1e-9) << time;
    EXPECT_EQ(hold.frame.turned_faces, 0u) << time;
    EXPECT_GT(hold.frame.held_vertices, 0u) << time;
    hold.expect_sound("bend");
  }
  EXPECT_GT(before, 15u);
}

// In sequence too.
TEST(Contact, HoldsInSequence) {
  test::Subject hold(make_sample("cylinder"), kHold);
  hold.sequence(sample(clip_named(hold.character, "bend"), hold.character.skeleton, 1.08));
  EXPECT_TRUE(added_pairs(hold, hold.frame.positions).empty());
  EXPECT_LE(hold.largest_error(), 1e-9);
}

// Where skinning itself brings the inside of a bend through itself, it is pushed apart: nothing crosses any more, the
// volume is exact and no face turns over.
TEST(Contact, ResolvesWhatSkinningCrosses) {
  test::Subject hold(make_sample("cylinder"), kHold), resolve(make_sample("cylinder"), kResolve);
  const Clip& clip = clip_named(hold.character, "bend");
  for (const double time : {1.2, 1.25, 1.3}) {
    const Pose pose = sample(clip, hold.character.skeleton, time);
    hold.together(pose);
    resolve.together(pose);
    EXPECT_GT(test::crossings_by_brute_force(hold.welded.surface(), hold.posed.positions).size(), 10u) << time;
    EXPECT_GT(test::crossings_by_brute_force(hold.welded.surface(), hold.frame.positions).size(), 10u) << time;
    EXPECT_TRUE(test::crossings_by_brute_force(hold.welded.surface(), resolve.frame.positions).empty()) << time;
    EXPECT_GT(resolve.frame.contact.skinned, 0u) << time;
    EXPECT_EQ(resolve.frame.contact.after, 0u) << time;
    EXPECT_LE(resolve.largest_error(), 1e-9) << time;
    EXPECT_EQ(resolve.frame.turned_faces, 0u) << time;
    resolve.expect_sound("bend");
  }
}

/// Of triangles that lie inside the body, as those of skin that has come through other skin do.
double buried_area(const test::Subject& subject, const std::vector<Vec3>& positions) {
  std::vector<TriangleCorners> triangles;
  for (const auto& [a, b, c] : triangulate(subject.welded.surface()).triangles) {
    triangles.push_back({positions[a], positions[b], positions[c]});
  }
  const WindingTree tree(triangles);
  double buried = 0;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 normal = 0.5 * (b - a).cross(c - a);
    const Vec3 outside = (a + b + c) / 3 + 1e-3 * normal / std::sqrt(normal.norm());
    if (tree.estimate(outside, 0.02).value > 0.5) buried += normal.norm();
  }
  return buried;
}

// Of a bend so far that skinning turns the inside into a loop, whose faces look the wrong way themselves, the outside
// of the fold is freed: no face turns over for the rest.
TEST(Contact, ResolvesAsFarAsItCan) {
  test::Subject resolve(make_sample("cylinder"), kResolve);
  for (const double time : {1.5, 1.7, 2.0}) {
    resolve.together(sample(clip_named(resolve.character, "bend"), resolve.character.skeleton, time));
    EXPECT_LE(resolve.largest_error(), 1e-9) << time;
    EXPECT_EQ(resolve.frame.turned_faces, 0u) << time;
    EXPECT_LT(resolve.frame.max_displacement, 0.5) << time;  // of a cylinder that is 1 wide
    const double skinned = buried_area(resolve, resolve.posed.positions);
    EXPECT_GT(skinned, 0) << time;
    EXPECT_LT(buried_area(resolve, resolve.frame.positions), (time < 1.6 ? 0.5 : 1) * skinned) << time;
  }
}

/// The largest change of a displacement between neighbouring samples.
double largest_change_of(test::Subject& subject, double from, double to, int samples) {
  const Clip& clip = clip_named(subject.character, "bend");
  std::vector<Vec3> last;
  double largest = 0;
  for (int i = 0; i <= samples; ++i) {
    subject.together(sample(clip, subject.character.skeleton, from + (to - from) * i / samples));
    std::vector<Vec3> moves = subject.frame.positions;
    for (std::size_t v = 0; v < moves.size(); ++v) moves[v] -= subject.posed.positions[v];
    for (std::size_t v = 0; v < last.size(); ++v) largest = std::max(largest, (moves[v] - last[v]).norm());
    last = std::move(moves);
  }
  return largest;
}

// Changes between neighbouring samples shrink with the time step: where contact begins, and where skinning itself
// begins to cross.
TEST(Contact, IsSmoothInTime) {
  for (const VolumeOptions& options : {kHold, kResolve}) {
    test::Subject subject(make_sample("cylinder"), options);
    for (const double from : {1.0, 1.12, 1.4}) {
      const double coarse = largest_change_of(subject, from, from + 0.05, 10),
                   fine = largest_change_of(subject, from, from + 0.05, 80);
      // What is resolved comes apart in steep steps, like roots: 0.0034, 0.0012, 0.0005, 0.0002 with 10 to 2560
      // samples.
      const double shrinks = options.contact == ContactTreatment::resolve ? 2.5 : 4;
      EXPECT_LT(fine, coarse / shrinks) << enum_name(options.contact) << " " << from;
    }
  }
}

// Where nothing meets, the result is that without contact, bit for bit.
TEST(Contact, ChangesNothingWhereNothingMeets) {
  for (const char* name : {"cylinder", "mouth", "giraffe"}) {
    test::Subject off(make_sample(name), kOff), hold(make_sample(name), kHold), count(make_sample(name), kCount),
        resolve(make_sample(name), kResolve);
    const Clip& clip = off.character.clips.front();
    const Pose pose = sample(clip, off.character.skeleton, clip.start() + 0.2 * clip.duration());
    off.together(pose);
    hold.together(pose);
    count.together(pose);
    resolve.together(pose);
    EXPECT_EQ(count.frame.positions, off.frame.positions) << name;
    if (resolve.frame.contact.skinned == 0) {
      EXPECT_EQ(resolve.frame.positions, hold.frame.positions) << name;
    }
    if (hold.frame.contact.before + hold.frame.contact.skinned > 0) continue;
    EXPECT_EQ(hold.frame.positions, off.frame.positions) << name;
    EXPECT_EQ(hold.frame.offsets, off.frame.offsets) << name;
  }
}

// Counting moves nothing, and counts what brute force does.
TEST(Contact, CountsAsBruteForceDoes) {
  test::Subject off(make_sample("cylinder"), kOff), count(make_sample("cylinder"), kCount);
  const Pose pose = sample(clip_named(off.character, "bend"), off.character.skeleton, 1.08);
  off.together(pose);
  count.together(pose);
  EXPECT_EQ(count.frame.positions, off.frame.positions);
  EXPECT_EQ(count.frame.contact.before,
            test::crossings_by_brute_force(off.welded.surface(), off.frame.positions).size());
  EXPECT_EQ(count.frame.contact.after, count.frame.contact.before);
}

/// Two cylinders side by side, `gap` apart at rest, as one character with two components.
Character two_cylinders(double gap) {
  Character character = make_sample("cylinder");
  Part second = character.parts.front();
  const Box box = bounding_box(second.surface.positions);
  for (Vec3& p : second.surface.positions) p.x() += box.sizes().x() + gap;
  character.parts.push_back(std::move(second));
  return character;
}

// Components meet as well: where both bend, neither is pushed through the other.
TEST(Contact, HoldsBetweenComponents) {
  test::Subject off(two_cylinders(0.012), kOff), hold(two_cylinders(0.012), kHold);
  ASSERT_EQ(off.welded.topology().components.size(), 2u);
  const Clip& clip = clip_named(off.character, "bend");
  std::size_t before = 0;
  for (const double time : {0.8}) {
    const Pose pose = sample(clip, off.character.skeleton, time);
    off.together(pose);
    hold.together(pose);
    before += hold.frame.contact.added_before;
    EXPECT_EQ(hold.frame.contact.added_after, 0u) << time;
    EXPECT_TRUE(added_pairs(hold, hold.frame.positions).empty()) << time;
    EXPECT_LE(hold.largest_error(), 1e-9);
  }
  EXPECT_GT(before, 0u);
}

// What skinning brings together between components is pushed apart; not where one sticks in the other at rest, or is
// hard: moved by one joint alone.
TEST(Contact, ResolvesBetweenComponents) {
  struct Case {
    double gap;
    bool hard, resolved;
  };
  for (const auto& [gap, hard, resolved] :
       {Case{0.012, false, true}, Case{0.012, true, false}, Case{-0.01, false, false}}) {
    Character character = two_cylinders(gap);
    // The second follows joints of its own, which come nearer.
    Skeleton& skeleton = character.skeleton;
    Part& second = character.parts[1];
    const auto first = static_cast<Index>(skeleton.size());
    for (Index j = 0; j < first; ++j) {
      Joint joint = skeleton.joints[j];
      joint.name += "_2";
      if (joint.parent != kNone) joint.parent += first;
      skeleton.joints.push_back(joint);
    }
    for (Index& j : second.skin.joints) j += first;
    for (Influence& influence : second.weights.influences) {
      if (hard) influence.joint = 0;
    }
    test::Subject hold(character, kHold), resolve(character, kResolve);
    Pose pose = sample(clip_named(character, "bend"), skeleton, 0.3);
    pose.local[first].translation.x() -= 0.03;
    hold.together(pose);
    resolve.together(pose);
    EXPECT_GT(hold.frame.contact.after, 0u) << gap;
    EXPECT_LE(resolve.largest_error(), 1e-9) << gap;
    if (resolved) {
      EXPECT_LT(resolve.frame.contact.after, hold.frame.contact.after) << gap;
    } else {
      EXPECT_EQ(resolve.frame.positions, hold.frame.positions) << gap;
    }
  }
}

// Skin that lies against other skin at rest is left alone.
TEST(Contact, LeavesAloneWhatTouchesAtRest) {
  test::Subject hold(two_cylinders(-0.01), kHold), resolve(two_cylinders(-0.01), kResolve);
  const Pose rest = rest_pose(hold.character.skeleton);
  hold.together(rest);
  EXPECT_EQ(hold.frame.contact.skinned, 0u);
  EXPECT_EQ(hold.frame.contact.after, 0u);
  resolve.together(rest);
  EXPECT_EQ(resolve.frame.positions, hold.frame.positions);
  EXPECT_FALSE(test::crossings_by_brute_force(hold.welded.surface(), hold.posed.positions).empty());
}

}  // namespace
}  // namespace isochor
