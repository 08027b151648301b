// The medial complex, and all that the deformer medial prepares, against a bind by voxels of the same resolution in one
// run; and a frame of the deformer against one by linear blend skinning. `ratio` is how many times as long it takes,
// voxels included. The sample elephant everywhere, real characters where the shared data are.

#include <benchmark/benchmark.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>

#include "isochor/bind/gvb.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/deform/posed_skin.h"
#include "isochor/io/load.h"
#include "isochor/medial/complex.h"
#include "isochor/sample/sample.h"
#include "isochor/voxel/voxelize.h"
#include "support/places.h"

namespace {

using namespace isochor;

struct Task {
  Surface surface;
  std::vector<Handle> handles;
};

Task task_of(const Character& character) {
  Task task;
  task.surface = assemble(character).weld.surface;
  const auto bind = global_transforms(character.skeleton, rest_pose(character.skeleton));
  task.handles = joint_handles(character.skeleton, bind).handles;
  return task;
}

const Task& task(int which) {
  static std::map<int, Task> tasks;
  if (const auto found = tasks.find(which); found != tasks.end()) return found->second;
  const std::filesystem::path data = test::shared_data();
  Context context;
  Character character;
  if (which == 1 && std::filesystem::is_directory(data)) {
    character = load_character(data / "kaykit-knight/Knight.glb", {}, context).character;
  } else if (which == 2 && std::filesystem::is_directory(data)) {
    character = load_character(data / "armadillo/armadillo-43k.obj", {}, context).character;
    attach_skeleton(character, data / "armadillo/armadillo-43k-rig.txt", context);
  } else {
    character = make_sample("elephant");
  }
  return tasks.emplace(which, task_of(character)).first->second;
}

template <class Body>
double seconds(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Arguments: model (0 the sample elephant, 1 KayKit's knight, 2 the armadillo), resolution.
void BM_MedialComplex(benchmark::State& state) {
  const Task& model = task(static_cast<int>(state.range(0)));
  const auto resolution = static_cast<Index>(state.range(1));
  double medial = 0, bind = 0;
  MedialComplex complex;
  for (auto _ : state) {
    Context context(2);
    medial += seconds([&] {
      const VoxelSolid solid =
          voxelize(model.surface, fit_grid(bounding_box(model.surface.positions), resolution), {}, context).solid;
      complex = medial_complex(model.surface, solid, {}, context).complex;
    });
    state.PauseTiming();
    bind += seconds([&] {
      const GvbBinding binding(model.surface, model.handles, {.resolution = static_cast<int>(resolution)}, context);
      benchmark::DoNotOptimize(binding.weights({}, context));
    });
    state.ResumeTiming();
  }
  state.counters["bind_ms"] = 1e3 * bind / static_cast<double>(state.iterations());
  state.counters["ratio"] = medial / bind;
  state.counters["vertices"] = static_cast<double>(complex.vertex_count());
  state.counters["triangles"] = static_cast<double>(complex.triangles.size());
}
BENCHMARK(BM_MedialComplex)
    ->ArgNames({"model", "r"})
    ->ArgsProduct({{0, 1, 2}, {128}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A character that moves: the sample elephant, KayKit's knight, CesiumMan.
struct Moving {
  Character character;
  std::optional<WeldedCharacter> welded;
  std::vector<Pose> poses;
};

const Moving& moving(int which) {
  static std::map<int, Moving> all;
  if (const auto found = all.find(which); found != all.end()) return found->second;
  const std::filesystem::path data = test::shared_data();
  Context context;
  Moving& made = all[which];
  if (which > 0 && std::filesystem::is_directory(data)) {
    const char* file = which == 1 ? "kaykit-knight/Knight.glb" : "khronos-cesiumman/CesiumMan.glb";
    made.character = load_character(data / file, {}, context).character;
  } else {
    made.character = make_sample("elephant");
  }
  made.welded.emplace(made.character);
  const Clip& clip = made.character.clips[0];
  for (int i = 0; i < 20; ++i) {
    made.poses.push_back(sample(clip, made.character.skeleton, clip.start() + clip.duration() * i / 19));
  }
  return made;
}

BindOptions medial_at(int resolution) {
  BindOptions options{.method = BindMethod::medial};
  options.gvb.resolution = resolution;
  return options;
}

/// Arguments: character, resolution.
void BM_MedialSetup(benchmark::State& state) {
  const Moving& model = moving(static_cast<int>(state.range(0)));
  const auto resolution = static_cast<int>(state.range(1));
  double medial = 0, bound = 0;
  for (auto _ : state) {
    Context context(2);
    medial += seconds([&] { benchmark::DoNotOptimize(prepare_medial(*model.welded, medial_at(resolution), context)); });
    state.PauseTiming();
    BindOptions options{.method = BindMethod::gvb};
    options.gvb.resolution = resolution;
    bound += seconds([&] { benchmark::DoNotOptimize(bind(model.character, options, context)); });
    state.ResumeTiming();
  }
  state.counters["bind_ms"] = 1e3 * bound / static_cast<double>(state.iterations());
  state.counters["ratio"] = medial / bound;
}
BENCHMARK(BM_MedialSetup)
    ->ArgNames({"model", "r"})
    ->ArgsProduct({{0, 1, 2}, {128}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Of this process, on all its threads: a busy machine does not disturb it much.
template <class Body>
double processor_seconds(const Body& body) {
  const std::clock_t start = std::clock();
  body();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Arguments: character, threads. Twenty frames of its first clip; times are the processor's.
void BM_MedialDeformer(benchmark::State& state) {
  const Moving& model = moving(static_cast<int>(state.range(0)));
  Context context(static_cast<int>(state.range(1)));
  const MedialRig rig = prepare_medial(*model.welded, medial_at(128), context).rig;
  PosedSkin posed;
  double medial = 0, lbs = 0;
  const auto play = [&](const Deforming& how) {
    for (const Pose& pose : model.poses) pose_skin(*model.welded, pose, how, posed, context);
  };
  for (auto _ : state) {
    medial += processor_seconds([&] { play({Deformer::medial, &rig}); });
    state.PauseTiming();
    lbs += processor_seconds([&] { play(Deformer::lbs); });
    state.ResumeTiming();
  }
  state.counters["lbs_ms"] = 1e3 * lbs / static_cast<double>(state.iterations());
  state.counters["ratio"] = medial / lbs;
  state.counters["guides"] = static_cast<double>(rig.skin.centres.size());
  state.counters["per_vertex"] =
      static_cast<double>(rig.skin.skin.influences.size()) / static_cast<double>(rig.skin.skin.vertex_count());
  state.counters["per_guide"] =
      static_cast<double>(rig.skin.guides.influences.size()) / static_cast<double>(rig.skin.guides.vertex_count());
}
BENCHMARK(BM_MedialDeformer)
    ->ArgNames({"model", "threads"})
    ->ArgsProduct({{0, 1, 2}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
