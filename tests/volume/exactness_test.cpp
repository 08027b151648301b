/// Exact, or reported with its residual; never NaN: every sample, effect, deformer, treatment and solver, and
/// everything that a rig can do to a skin.

#include <cmath>
#include <numbers>

#include "subject.h"
#include "support/sanitizers.h"
#include "support/shapes.h"

namespace isochor {
namespace {

using test::Subject;

constexpr std::array kDeformers{Deformer::lbs, Deformer::dqs, Deformer::medial};
constexpr std::array kTreatments{JointTreatment::together, JointTreatment::sequence};
constexpr std::array kSolvers{VolumeSolver::exact, VolumeSolver::three_step};

std::string name_of(Deformer deformer, JointTreatment treatment) {
  return enum_name(deformer) + " " + enum_name(treatment);
}

std::vector<Effect> all_effects() {
  std::vector<Effect> effects;
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) effects.push_back(static_cast<Effect>(e));
  return effects;
}

/// A painted map that is not even.
PaintedMap painted(const Character& character) {
  const WeldedCharacter welded(character);
  PaintedMap map{.name = "all", .values = {}};
  for (const Vec3& p : welded.surface().positions) map.values.push_back(1.1 + std::sin(7 * p.y()));
  return map;
}

void expect_exact(const std::string& name, VolumeSolver solver, FaceTreatment faces = FaceTreatment::free) {
  const Character sample_character = make_sample(name);
  Subject subject(sample_character, {.options = {.faces = faces, .solve = {.solver = solver}}},
                  {painted(sample_character)});
  const auto& clips = subject.character.clips;
  for (const Effect effect : all_effects()) {
    if (test::kFewerCases && effect != Effect::blend && effect != Effect::muscle) continue;
    subject.set_effect(test::some_effect(effect));
    // Every clip without settings; the effects take turns.
    for (std::size_t c = 0; c < clips.size(); ++c) {
      if (c != static_cast<std::size_t>(effect) % clips.size() && (test::kFewerCases || effect != Effect::blend))
        continue;
      const Clip& clip = clips[c];
      const Pose pose = sample(clip, subject.character.skeleton, clip.start() + 0.75 * clip.duration());
      for (const Deformer deformer : kDeformers) {
        for (const JointTreatment treatment : kTreatments) {
          subject.correct(pose, deformer, treatment);
          const std::string what = name + " " + clip.name + " " + enum_name(solver) + " " + enum_name(effect) + " " +
                                   name_of(deformer, treatment);
          subject.expect_sound(what);
          EXPECT_LE(subject.largest_error(), 1e-9) << what;
        }
      }
    }
  }
}

// Every sample, every effect, every deformer, joints together and in sequence: exact to 1e-9, by either solver that
// promises it.
TEST(Exactness, SamplesByExact) {
  for (const char* name : {"cylinder", "cylinder3", "giraffe", "elephant", "knight"}) {
    expect_exact(name, VolumeSolver::exact);
  }
}
TEST(Exactness, SamplesByThreeStep) {
  for (const char* name : {"cylinder", "cylinder3", "giraffe", "elephant", "knight"}) {
    expect_exact(name, VolumeSolver::three_step);
  }
}

// The same where no face may turn over: the skin that is held back is made up for by the rest of its joint, or, where
// that is not enough, by all joints.
TEST(Exactness, KeptFaces) {
  for (const char* name : {"cylinder", "cylinder3", "knight"}) {
    expect_exact(name, VolumeSolver::exact, FaceTreatment::keep);
    expect_exact(name, VolumeSolver::three_step, FaceTreatment::keep);
  }
}

Character short_cylinder() { return make_cylinder({.segments = 16, .rings = 25}, Context()); }

Pose turned_by(const Character& character, std::string_view joint, const Vec3& axis, double degrees) {
  Pose pose = rest_pose(character.skeleton);
  Transform& local = pose.local[character.skeleton.find(joint)];
  local.rotation = local.rotation * Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()));
  return pose;
}

/// Runs a pose through everything and calls back after each.
template <class Check>
void in_every_way(const Character& character, const Pose& pose, Check&& check) {
  for (const VolumeSolver solver : kSolvers) {
    Subject subject(character, {.options = {.solve = {.solver = solver}}}, {painted(character)});
    for (const Effect effect : {Effect::blend, Effect::isotropic, Effect::muscle, Effect::skin, Effect::painted}) {
      subject.set_effect(test::some_effect(effect));
      for (const Deformer deformer : kDeformers) {
        for (const JointTreatment treatment : kTreatments) {
          subject.correct(pose, deformer, treatment);
          const std::string what = enum_name(solver) + " " + enum_name(effect) + " " + name_of(deformer, treatment);
          subject.expect_sound(what);
          check(subject, what);
        }
      }
    }
  }
}

void expect_exact_in_every_way(const Character& character, const Pose& pose) {
  in_every_way(character, pose, [](const Subject& subject, const std::string& what) {
    EXPECT_LE(subject.largest_error(), 1e-9) << what;
  });
}

// A twist of 180 degrees, a bend of 170, both at once, and bones that stay collinear.
TEST(Exactness, ExtremeTurns) {
  const Character character = short_cylinder();
  expect_exact_in_every_way(character, turned_by(character, "Bone2", Vec3::UnitY(), 180));
  expect_exact_in_every_way(character, turned_by(character, "Bone2", Vec3::UnitX(), 170));
  expect_exact_in_every_way(character, turned_by(character, "Bone2", Vec3(1, 1, 0), 175));
  expect_exact_in_every_way(character, turned_by(character, "Bone2", Vec3::UnitY(), 40));
}

// A map that is zero everywhere keeps its joint from giving; the volume is held all the same, or the rest reported.
TEST(Exactness, ZeroMap) {
  const Character character = short_cylinder();
  PaintedMap nothing = painted(character);
  nothing.values.assign(nothing.values.size(), 0.0);
  for (const JointTreatment treatment : kTreatments) {
    Subject subject(character, {.otherwise = test::some_effect(Effect::painted)}, {nothing});
    subject.correct(turned_by(character, "Bone2", Vec3::UnitX(), 80), Deformer::lbs, treatment);
    subject.expect_sound(enum_name(treatment));
    EXPECT_LE(subject.largest_error(), 1e-9) << enum_name(treatment);
  }
}

// Joints without vertices, above, between and below those that have some, moving as they like.
TEST(Exactness, JointsWithoutVertices) {
  Character character = short_cylinder();
  Part& part = character.parts[0];
  const auto add = [&](const char* name, Index parent) {
    character.skeleton.joints.push_back({.name = name, .parent = parent, .rest = {}});
    part.skin.joints.push_back(static_cast<Index>(character.skeleton.size()) - 1);
    part.skin.inverse_bind.push_back(Affine::Identity());
  };
  add("Idle", 0);
  add("IdleTip", static_cast<Index>(character.skeleton.size()) - 1);
  Pose pose = turned_by(character, "Bone2", Vec3(1, 1, 1), 100);
  for (const char* name : {"Idle", "IdleTip"}) {
    Transform& local = pose.local[character.skeleton.find(name)];
    local.rotation = Quat(Eigen::AngleAxisd(2, Vec3::UnitZ()));
    local.translation = Vec3(1, 2, 3);
  }
  expect_exact_in_every_way(character, pose);
}

// A component that no joint touches stays where it is, bit for bit, and keeps its volume.
TEST(Exactness, UntouchedComponent) {
  Character character = short_cylinder();
  Part cube;
  cube.surface = test::cube();
  for (Vec3& p : cube.surface.positions) p += Vec3(3, 0, 0);
  character.parts.push_back(cube);
  in_every_way(character, turned_by(character, "Bone2", Vec3(1, 1, 0), 90),
               [](const Subject& subject, const std::string& what) {
                 EXPECT_LE(subject.largest_error(), 1e-9) << what;
                 const Component& last = subject.welded.topology().components.back();
                 ASSERT_EQ(last.vertices.size(), 8u);
                 for (const Index v : last.vertices) {
                   EXPECT_EQ(subject.frame.positions[v], subject.posed.positions[v]) << what;
                 }
               });
}

// An open body, closed by a virtual cap.
TEST(Exactness, OpenBody) {
  Character character = short_cylinder();
  Surface& surface = character.parts[0].surface;
  Surface open;
  open.positions = surface.positions;
  for (std::size_t f = 0; f + 20 < surface.face_count(); ++f) open.add_face(surface.face(f));
  surface = open;
  expect_exact_in_every_way(character, turned_by(character, "Bone2", Vec3(1, 1, 0), 110));
}

// Scale between bind space and world, and joints that are animated with scale: what is held is the scaled volume.
TEST(Exactness, ScaledSkeletons) {
  Character centimetres = short_cylinder();
  for (Affine& m : centimetres.parts[0].skin.inverse_bind) m = m * Eigen::Scaling(0.01);
  for (Vec3& p : centimetres.parts[0].surface.positions) p *= 100;
  expect_exact_in_every_way(centimetres, turned_by(centimetres, "Bone2", Vec3(1, 1, 0), 100));

  const Character character = short_cylinder();
  Pose grown = turned_by(character, "Bone2", Vec3(1, 1, 0), 70);
  grown.local[character.skeleton.find("Bone2")].scale = Vec3::Constant(1.7);
  Pose tiny = turned_by(character, "Bone2", Vec3(1, 1, 0), 70);
  tiny.local[character.skeleton.find("Bone1")].scale = Vec3::Constant(1e-3);
  expect_exact_in_every_way(character, grown);
  expect_exact_in_every_way(character, tiny);
}

// A limb scaled to nothing, and a body scaled to nothing: whatever comes out, it is not NaN.
TEST(Exactness, ScaledToNothing) {
  const Character character = short_cylinder();
  for (const char* joint : {"Bone1", "Bone2"}) {
    Pose pose = turned_by(character, "Bone2", Vec3(1, 1, 0), 70);
    pose.local[character.skeleton.find(joint)].scale = Vec3::Zero();
    for (const Effect effect : {Effect::blend, Effect::muscle}) {
      Subject subject(character, VolumeSettings{.otherwise = test::some_effect(effect)});
      for (const JointTreatment treatment : kTreatments) {
        subject.correct(pose, Deformer::lbs, treatment);
        for (std::size_t v = 0; v < subject.frame.positions.size(); ++v) {
          ASSERT_TRUE(subject.frame.positions[v].allFinite() && subject.frame.offsets[v].allFinite())
              << joint << " " << enum_name(effect) << " " << enum_name(treatment);
        }
      }
    }
  }
}

// Weights that blend nowhere: the skin between the bones stretches, and the whole component gives.
TEST(Exactness, HardWeights) {
  Character character = short_cylinder();
  SkinWeights hard;
  for (const Vec3& p : character.parts[0].surface.positions) {
    const Influence row[] = {{p.y() < 1 ? 0 : 1, 1.0}};
    hard.add_row(row);
  }
  character.parts[0].weights = hard;
  for (const JointTreatment treatment : kTreatments) {
    Subject subject(character);
    subject.correct(turned_by(character, "Bone2", Vec3::UnitX(), 60), Deformer::lbs, treatment);
    EXPECT_LE(subject.largest_error(), 1e-9) << enum_name(treatment);
    EXPECT_EQ(subject.frame.components[0].outcome, VolumeOutcome::widened) << enum_name(treatment);
  }
}

}  // namespace
}  // namespace isochor
