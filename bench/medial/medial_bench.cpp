// The medial complex against a bind by voxels of the same resolution, in one run: `ratio` is how many times as long it
// takes, voxels included. The sample elephant everywhere, real characters where the shared data are.

#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "isochor/bind/gvb.h"
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

}  // namespace
