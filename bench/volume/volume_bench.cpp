// Milliseconds per frame of exact volume, beside LBS in the same run: the four rows of table 1 of Rohmer 2009, and a
// chain of 4 to 64 joints whose cost must follow the vertices touched, not joints times vertices.
//
// One thread. BM_correct's argument is the solver: 0 exact, 1 three-step, 2 linear.

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>

#include "isochor/sample/sample.h"
#include "isochor/volume/corrected_playback.h"

namespace {

using namespace isochor;

/// A character in the middle of its last clip, or with one joint turned.
struct Row {
  Character character;
  WeldedCharacter welded;
  Pose pose;
  Context context{1};

  /// The first `moving` joints that its last clip turns, in the order of the skeleton; the others rest.
  Row(Character c, int moving) : character(std::move(c)), welded(character) {
    const Clip& clip = character.clips.back();
    pose = sample(clip, character.skeleton, 0.6 * clip.end());
    const Pose rest = rest_pose(character.skeleton);
    for (std::size_t j = 0; j < pose.local.size(); ++j) {
      const bool turned = pose.local[j].rotation.angularDistance(rest.local[j].rotation) > 1e-3;
      if (turned && moving-- > 0) continue;
      pose.local[j] = rest.local[j];
    }
  }

  Row(Character c, const char* joint) : character(std::move(c)), welded(character) {
    pose = rest_pose(character.skeleton);
    Transform& local = pose.local[character.skeleton.find(joint)];
    local.rotation = local.rotation * Quat(Eigen::AngleAxisd(0.8, Vec3::UnitX()));
  }
};

constexpr int kEvery = 1000;

Character refined(const char* name) { return make_sample(name, {.refinement = 1, .cylinder = {}}, Context(1)); }

void skin_only(benchmark::State& state, Row& row) {
  PosedSkin posed;
  for (auto _ : state) {
    pose_skin(row.welded, row.pose, Deformer::lbs, posed, row.context);
    benchmark::DoNotOptimize(posed.positions.data());
  }
  state.counters["vertices"] = static_cast<double>(row.welded.surface().vertex_count());
}

void correct(benchmark::State& state, Row& row) {
  const VolumeOptions options{.solve = {.solver = static_cast<VolumeSolver>(state.range(0))}};
  VolumeCorrector corrector = VolumeCorrector::prepare(row.welded, options, row.context);
  PosedSkin posed;
  CorrectedFrame frame;
  pose_skin(row.welded, row.pose, Deformer::lbs, posed, row.context);
  for (auto _ : state) {
    corrector.apply(posed, {}, frame);
    benchmark::DoNotOptimize(frame.positions.data());
  }
  state.SetLabel(enum_name(options.solve.solver));
  state.counters["regions"] = static_cast<double>(corrector.regions().size());
  state.counters["error"] = frame.components[0].error_after();
}

void BM_skin_giraffe_1(benchmark::State& state) {
  static Row row(make_sample("giraffe"), "Neck2");
  skin_only(state, row);
}
void BM_correct_giraffe_1(benchmark::State& state) {
  static Row row(make_sample("giraffe"), "Neck2");
  correct(state, row);
}
void BM_skin_elephant_1(benchmark::State& state) {
  static Row row(make_sample("elephant"), "Spine2");
  skin_only(state, row);
}
void BM_correct_elephant_1(benchmark::State& state) {
  static Row row(make_sample("elephant"), "Spine2");
  correct(state, row);
}
void BM_correct_refined_elephant_1(benchmark::State& state) {
  static Row row(refined("elephant"), "Spine2");
  correct(state, row);
}
void BM_correct_elephant_17(benchmark::State& state) {
  static Row row(make_sample("elephant"), 17);
  correct(state, row);
}
void BM_skin_elephant_all(benchmark::State& state) {
  static Row row(make_sample("elephant"), kEvery);
  skin_only(state, row);
}
void BM_correct_elephant_all(benchmark::State& state) {
  static Row row(make_sample("elephant"), kEvery);
  correct(state, row);
}
BENCHMARK(BM_skin_giraffe_1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_correct_giraffe_1)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_skin_elephant_1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_correct_elephant_1)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_correct_refined_elephant_1)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_correct_elephant_17)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_skin_elephant_all)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_correct_elephant_all)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

/// A tube of 16 × 1024 vertices over a chain of joints, each bent a little.
Character chain(int joints) {
  constexpr int kAround = 16, kRings = 1024;
  Character c;
  Part part;
  for (int r = 0; r < kRings; ++r) {
    for (int a = 0; a < kAround; ++a) {
      const double angle = 2 * std::numbers::pi * a / kAround;
      part.surface.positions.emplace_back(std::cos(angle), std::sin(angle), 64.0 * r / (kRings - 1));
    }
  }
  for (int r = 0; r + 1 < kRings; ++r) {
    for (int a = 0; a < kAround; ++a) {
      const int b = (a + 1) % kAround;
      part.surface.add_face({r * kAround + a, r * kAround + b, (r + 1) * kAround + b, (r + 1) * kAround + a});
    }
  }
  const double bone = 64.0 / joints;
  for (int j = 0; j < joints; ++j) {
    Joint joint;
    joint.name = std::to_string(j);
    joint.parent = j - 1;
    joint.rest.translation = Vec3(0, 0, j == 0 ? 0 : bone);
    c.skeleton.joints.push_back(joint);
    part.skin.joints.push_back(j);
    part.skin.inverse_bind.push_back(Affine(Eigen::Translation3d(0, 0, -j * bone)));
  }
  for (const Vec3& p : part.surface.positions) {
    const double place = std::clamp(p.z() / bone - 0.5, 0.0, joints - 1.0);
    const auto low = static_cast<Index>(place);
    const double s = place - low;
    std::vector<Influence> row{{low, 1 - s}};
    if (s > 0) row.push_back({low + 1, s});
    part.weights.add_row(row);
  }
  c.parts.push_back(part);
  return c;
}

void BM_correct_chain(benchmark::State& state) {
  Row row(chain(static_cast<int>(state.range(0))), "0");
  for (Transform& local : row.pose.local) local.rotation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()));
  VolumeCorrector corrector = VolumeCorrector::prepare(row.welded, {}, row.context);
  PosedSkin posed;
  CorrectedFrame frame;
  pose_skin(row.welded, row.pose, Deformer::lbs, posed, row.context);
  for (auto _ : state) {
    corrector.apply(posed, {}, frame);
    benchmark::DoNotOptimize(frame.positions.data());
  }
}
BENCHMARK(BM_correct_chain)->RangeMultiplier(2)->Range(4, 64)->Unit(benchmark::kMillisecond);

}  // namespace
