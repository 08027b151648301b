#include "isochor/bake/twin_joints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "isochor/base/error.h"
#include "isochor/mesh/face_turns.h"
#include "isochor/mesh/volume.h"
#include "isochor/sample/sample.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

Character round_sample(const std::string& name) {
  Character character = make_sample(name);
  for (Part& part : character.parts) round_weights(part.weights);
  return character;
}

/// A character with its motion and twins, and a player of them that knows nothing of how they were found.
struct Twinned {
  Character character;
  WeldedCharacter welded;
  Context context{1};
  HeldMotion motion;
  TwinJoints twins;

  explicit Twinned(Character of, const TwinOptions& options = {}, std::vector<Index> clips = {})
      : character(std::move(of)), welded(character) {
    motion = hold_volume(welded, {.clips = std::move(clips)}, context);
    twins = twin_joints(motion, welded, options, context);
  }

  /// By welded vertex: what skin, bones and twins show at a key. `rest`: twins rest on their bones.
  std::vector<Vec3> shown(const TwinClip& clip, std::size_t key, bool rest = false) const {
    const Pose pose = sample(character.clips[clip.clip], character.skeleton, clip.times[key]);
    const auto global = global_transforms(character.skeleton, pose);
    PosedSkin posed;
    pose_skin(welded, pose, Deformer::lbs, posed, context);
    std::vector<Vec3> out = posed.positions;
    for (std::size_t p = 0; p < character.parts.size(); ++p) {
      const Part& part = character.parts[p];
      const auto slots = static_cast<Index>(part.skin.joints.size());
      for (std::size_t v = 0; v < twins.weights[p].vertex_count(); ++v) {
        if (!welded.whole().leads(p, v)) continue;
        Vec3 at = Vec3::Zero();
        for (const Influence& i : twins.weights[p].row(v)) {
          const bool twin = i.joint >= slots;
          const Twin* of = twin ? &twins.twins[i.joint - slots] : nullptr;
          const Index joint = twin ? of->bone : part.skin.joints[i.joint];
          const auto slot =
              std::find(part.skin.joints.begin(), part.skin.joints.end(), joint) - part.skin.joints.begin();
          Vec3 x = part.skin.inverse_bind[static_cast<std::size_t>(slot)] * part.surface.positions[v];
          if (twin) {
            const auto& keys = clip.local[i.joint - slots];
            Transform local{.translation = of->pivot};
            if (!rest && !keys.empty()) local = keys[key];
            x = to_matrix(local) * Vec3(x - of->pivot);
          }
          at += i.weight * (global[joint] * x);
        }
        out[welded.whole().welded(p, v)] = at;
      }
    }
    return out;
  }

  const HeldFrame& frame_of(std::size_t clip, std::size_t key) const {
    for (const HeldFrame& frame : motion.clips[clip].frames) {
      if (frame.time == twins.clips[clip].times[key]) return frame;
    }
    throw_bad_input("a key that is no frame");
  }

  double volume_error(std::span<const Vec3> positions, const HeldFrame& frame) const {
    double worst = 0;
    for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
      if (!welded.has_volume(c)) continue;
      const double volume = signed_volume(welded.surface(), welded.topology().components[c], positions);
      worst = std::max(worst, relative_volume_error(volume, frame.volumes[c]));
    }
    return worst;
  }

  /// Σ |wanted - positions|².
  double distance(std::span<const Vec3> positions, const HeldFrame& frame) const {
    double sum = 0;
    for (std::size_t v = 0; v < positions.size(); ++v) {
      const PartVertex at = welded.whole().first_vertex(static_cast<Index>(v));
      sum += (frame.parts[at.part].positions[at.vertex].cast<double>() - positions[v]).squaredNorm();
    }
    return sum;
  }

  /// Every key encloses its volume, and no key is farther off than by skinning. Returns the share that twins bring.
  double expect_held(double volume) const {
    double before = 0, left = 0;
    for (std::size_t c = 0; c < twins.clips.size(); ++c) {
      for (std::size_t k = 0; k < twins.clips[c].times.size(); ++k) {
        const HeldFrame& frame = frame_of(c, k);
        const auto with = shown(twins.clips[c], k), without = shown(twins.clips[c], k, true);
        EXPECT_LT(volume_error(with, frame), volume) << "clip " << c << " at " << frame.time;
        EXPECT_LE(distance(with, frame), distance(without, frame) * (1 + 1e-6) + 1e-12);
        before += distance(without, frame);
        left += distance(with, frame);
      }
    }
    return before > 0 ? 1 - left / before : 1;
  }
};

// A bend: nearly all of the correction, and the volume to a float's precision.
TEST(TwinJoints, BendOfACylinder) {
  const Twinned bent(round_sample("cylinder"), {}, {0});
  EXPECT_EQ(bent.twins.twins.size(), 2u);
  EXPECT_GT(bent.expect_held(1e-6), 0.95);
  EXPECT_LE(bent.twins.figures.left_with_shear, bent.twins.figures.left);
  EXPECT_EQ(bent.twins.figures.unclosed, 0u);
}

// All clips of the samples, among them a twist by half a turn and a character of many pieces.
TEST(TwinJoints, Samples) {
  for (const std::string name : {"cylinder", "cylinder3", "giraffe"}) {
    if (test::kFewerCases && name == "giraffe") continue;  // other cases have it
    const Twinned it(round_sample(name));
    EXPECT_GT(it.expect_held(1e-6), 0.9) << name;
  }
}

// At rest and in any motion nothing changes as long as twins rest; rows are round, sum to 1, and keep to the limit;
// pieces add up to what the bones had.
TEST(TwinJoints, RestingTwinsChangeNothing) {
  for (const Index influences : {2, 4, 8}) {
    const Twinned it(round_sample("giraffe"), {.influences = influences}, {0});
    const auto& clip = it.twins.clips[0];
    PosedSkin posed;
    pose_skin(it.welded, sample(it.character.clips[0], it.character.skeleton, clip.times[1]), Deformer::lbs, posed,
              it.context);
    const auto shown = it.shown(clip, 1, true);
    for (std::size_t v = 0; v < shown.size(); ++v) EXPECT_LT((shown[v] - posed.positions[v]).norm(), 1e-9);
    for (std::size_t p = 0; p < it.character.parts.size(); ++p) {
      const Part& part = it.character.parts[p];
      const auto slots = static_cast<Index>(part.skin.joints.size());
      for (std::size_t v = 0; v < it.twins.weights[p].vertex_count(); ++v) {
        const auto row = it.twins.weights[p].row(v);
        EXPECT_LE(row.size(), std::max<std::size_t>(static_cast<std::size_t>(influences), part.weights.row(v).size()));
        std::map<Index, double> bones;
        for (const Influence& i : row) {
          bones[i.joint < slots ? part.skin.joints[i.joint] : it.twins.twins[i.joint - slots].bone] += i.weight;
        }
        EXPECT_EQ(bones.size(), part.weights.row(v).size());
        for (const Influence& i : part.weights.row(v)) EXPECT_EQ(bones[part.skin.joints[i.joint]], i.weight);
      }
    }
  }
}

// Fewer twins: those that are left out leave no trace in the weights, and no frame gets worse than skinning.
TEST(TwinJoints, FewTwins) {
  const Twinned all(round_sample("giraffe"), {}, {0}), few(round_sample("giraffe"), {.max_twins = 3}, {0});
  EXPECT_GT(all.twins.twins.size(), 3u);
  ASSERT_EQ(few.twins.twins.size(), 3u);
  few.expect_held(1);
  EXPECT_LT(all.twins.figures.left, few.twins.figures.left);
  std::size_t as_before = 0;
  for (std::size_t v = 0; v < few.twins.weights[0].vertex_count(); ++v) {
    const auto row = few.twins.weights[0].row(v), old = few.character.parts[0].weights.row(v);
    const auto slots = static_cast<Index>(few.character.parts[0].skin.joints.size());
    const bool shares = std::any_of(row.begin(), row.end(), [&](const Influence& i) { return i.joint >= slots; });
    if (shares) continue;
    ++as_before;
    EXPECT_TRUE(std::equal(row.begin(), row.end(), old.begin(), old.end()));
  }
  EXPECT_GT(as_before, few.twins.weights[0].vertex_count() / 2);
}

// A character that is mirrored, and one that grows while it moves.
TEST(TwinJoints, NegativeAndAnimatedScale) {
  for (const bool mirrored : {true, false}) {
    Character character = round_sample("cylinder");
    if (mirrored) {
      character.skeleton.joints[0].rest.scale = Vec3(-1, 1, 2);
    } else {
      character.clips[0].channels.push_back({.joint = 0,
                                             .path = ChannelPath::scale,
                                             .interpolation = Interpolation::linear,
                                             .times = {character.clips[0].start(), character.clips[0].end()},
                                             .values = {1, 1, 1, 2, 2, 2},
                                             .width = 3});
    }
    const Twinned it(std::move(character), {}, {0});
    EXPECT_GT(it.expect_held(1e-6), 0.9) << mirrored;
  }
}

// A character that no joint bends gets no twin; one whose motion skinning shows neither.
TEST(TwinJoints, NothingToDo) {
  Character rigid = make_sample("cylinder");
  for (Part& part : rigid.parts) {
    for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
      for (Influence& i : part.weights.row(v)) i.weight = i.joint == part.weights.row(v)[0].joint ? 1 : 0;
    }
    prune(part.weights, 0.5);
  }
  const Twinned it(std::move(rigid), {}, {0});
  EXPECT_TRUE(it.twins.twins.empty());
  EXPECT_EQ(it.twins.weights[0].vertex_count(), 0u);

  const Character character = round_sample("cylinder");
  const WeldedCharacter welded(character);
  Context context(1);
  const HeldMotion plain = hold_volume(welded, {.playback = {.volume = std::nullopt}}, context);
  EXPECT_TRUE(twin_joints(plain, welded, {}, context).twins.empty());
  EXPECT_THROW(twin_joints(plain, welded, {.influences = 1}, context), Error);
}

// One and several threads give the same twins, to the last bit.
TEST(TwinJoints, SameForAnyNumberOfThreads) {
  const Twinned one(round_sample("giraffe"), {}, {0});
  Context many(4);
  const TwinJoints other = twin_joints(one.motion, one.welded, {}, many);
  ASSERT_EQ(one.twins.twins.size(), other.twins.size());
  EXPECT_EQ(one.twins.weights, other.weights);
  for (std::size_t c = 0; c < other.clips.size(); ++c) {
    EXPECT_EQ(one.twins.clips[c].times, other.clips[c].times);
    for (std::size_t q = 0; q < other.twins.size(); ++q) {
      const auto &a = one.twins.clips[c].local[q], &b = other.clips[c].local[q];
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_EQ(a[k].translation, b[k].translation);
        EXPECT_EQ(a[k].rotation.coeffs(), b[k].rotation.coeffs());
        EXPECT_EQ(a[k].scale, b[k].scale);
      }
    }
  }
}

// No face turns over at a key, against skinning alone.
TEST(TwinJoints, NoFaceTurnsOver) {
  for (const char* name : {"cylinder", "giraffe"}) {
    const Twinned it(round_sample(name));
    ASSERT_EQ(it.welded.topology().components.size(), 1u) << name;
    const VolumeFunctional faces(it.welded.surface(), it.welded.topology().components[0]);
    const double crushed = 2 * kCrushedFace * median_face_area(faces, it.welded.surface().positions);
    for (const TwinClip& clip : it.twins.clips) {
      for (std::size_t k = 0; k < clip.times.size(); ++k) {
        const auto with = it.shown(clip, k), without = it.shown(clip, k, true);
        EXPECT_EQ(face_turns(faces, without, with, crushed).turned, 0u) << name << " at " << clip.times[k];
      }
    }
  }
}

// Keys are thinned where interpolation is good enough, and not at all if that is asked for.
TEST(TwinJoints, KeysAreThinned) {
  const Twinned few(round_sample("cylinder"), {}, {0});
  Context context(1);
  const TwinJoints all = twin_joints(few.motion, few.welded, {.between = 0}, context);
  EXPECT_EQ(all.clips[0].times.size(), few.motion.clips[0].frames.size());
  EXPECT_LT(few.twins.clips[0].times.size(), all.clips[0].times.size());
  EXPECT_EQ(few.twins.clips[0].times.front(), all.clips[0].times.front());
  EXPECT_EQ(few.twins.clips[0].times.back(), all.clips[0].times.back());
}

}  // namespace
}  // namespace isochor
