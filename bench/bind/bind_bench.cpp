// Binding as a whole, by stage: the elephant, the armadillo and the giraffe of the shared data where they are there,
// the sample elephant everywhere. `pieces` cuts each bone into that many, `uniform` is the grid without an octree.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <map>
#include <utility>

#include "isochor/bind/bind.h"
#include "isochor/io/load.h"
#include "isochor/io/rig_txt.h"
#include "isochor/sample/sample.h"
#include "support/places.h"

namespace {

using namespace isochor;

struct Task {
  Character character;
  Surface surface;
  std::vector<Handle> handles;
};

Task task_of(Character character) {
  Task task;
  task.surface = assemble(character).weld.surface;
  const auto bind = global_transforms(character.skeleton, rest_pose(character.skeleton));
  task.handles = joint_handles(character.skeleton, bind).handles;
  task.character = std::move(character);
  return task;
}

Task load(const std::string& mesh, const std::string& rig) {
  const std::filesystem::path data = test::shared_data();
  Context context;
  Character character = load_character(data / mesh, {}, context).character;
  attach_skeleton(character, data / rig, context);
  return task_of(std::move(character));
}

const Task& task(int which) {
  static std::map<int, Task> tasks;
  const auto found = tasks.find(which);
  if (found != tasks.end()) return found->second;
  const bool shared = std::filesystem::is_directory(test::shared_data());
  Task made;
  if (which == 0 && shared) {
    made = load("libigl-elephant/elephant.obj", "libigl-elephant/rig.txt");
  } else if (which == 1 && shared) {
    made = load("armadillo/armadillo-43k.obj", "armadillo/armadillo-43k-rig.txt");
  } else if (which == 2 && shared) {
    made = load("rohmer-girafe/mesh.obj", "rohmer-girafe/rig.txt");
  } else {
    made = task_of(make_sample("elephant", {.refinement = which}));
  }
  return tasks.emplace(which, std::move(made)).first->second;
}

/// Each segment as `n` handles of their own.
std::vector<Handle> cut_bones(std::span<const Handle> handles, int n) {
  std::vector<Handle> cut;
  for (const Handle& handle : handles) {
    for (const HandleShape& shape : handle.shapes) {
      for (int i = 0; i < n; ++i) {
        Handle piece;
        piece.joint = static_cast<Index>(cut.size());
        const Vec3 d = (shape.b - shape.a) / n;
        piece.shapes = {HandleShape::segment(shape.a + i * d, shape.a + (i + 1) * d)};
        cut.push_back(piece);
      }
    }
  }
  return cut;
}

/// Arguments: model (0 elephant, 1 armadillo), resolution, pieces a bone, uniform grid.
void BM_Bind(benchmark::State& state) {
  const Task& model = task(static_cast<int>(state.range(0)));
  const auto pieces = static_cast<int>(state.range(2));
  const auto handles = pieces > 1 ? cut_bones(model.handles, pieces) : model.handles;
  GvbOptions options;
  options.resolution = static_cast<int>(state.range(1));
  options.uniform = state.range(3) != 0;
  std::map<std::string, double> stages;
  std::size_t memory = 0, cells = 0;
  for (auto _ : state) {
    Context context(2);
    const GvbBinding binding(model.surface, handles, options, context);
    benchmark::DoNotOptimize(binding.weights({}, context));
    for (const char* stage : {"voxelize", "sparsify", "distance", "weights"}) stages[stage] += context.seconds(stage);
    memory = binding.evidence().memory;
    cells = binding.evidence().sparse_voxels;
  }
  for (const auto& [name, seconds] : stages) {
    state.counters[name + "_ms"] = 1e3 * seconds / static_cast<double>(state.iterations());
  }
  state.counters["bones"] = static_cast<double>(handles.size());
  state.counters["cells"] = static_cast<double>(cells);
  state.counters["MB"] = static_cast<double>(memory) / 1e6;
}
BENCHMARK(BM_Bind)
    ->ArgNames({"model", "r", "pieces", "uniform"})
    ->ArgsProduct({{0, 1}, {128, 256, 512}, {1}, {0}})
    ->Args({0, 256, 8, 0})
    ->Args({1, 256, 8, 0})
    ->Args({0, 128, 1, 1})
    ->Args({0, 256, 1, 1})
    ->Args({0, 1024, 1, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// Arguments: model (2 is the giraffe), method as in BindMethod. With 128 voxels, on two threads, to every joint.
void BM_Method(benchmark::State& state) {
  const Task& model = task(static_cast<int>(state.range(0)));
  BindOptions options;
  options.method = static_cast<BindMethod>(state.range(1));
  options.gvb.resolution = 128;
  options.unused = UnusedJoints::bind;
  for (auto _ : state) {
    Context context(2);
    benchmark::DoNotOptimize(bind(model.character, options, context));
  }
  state.SetLabel(EnumNames<BindMethod>::names[static_cast<std::size_t>(state.range(1))]);
}
BENCHMARK(BM_Method)
    ->ArgNames({"model", "method"})
    ->ArgsProduct({{0, 1, 2}, {0, 1, 2, 3, 4, 5}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A new α for 43,243 vertices (the armadillo), from distances that are kept.
void BM_Reweight(benchmark::State& state) {
  const Task& model = task(1);
  Context context(2);
  const GvbBinding binding(model.surface, model.handles, {.resolution = 128}, context);
  double falloff = 0;
  for (auto _ : state) {
    falloff = falloff < 0.9 ? falloff + 0.1 : 0.0;
    benchmark::DoNotOptimize(binding.weights({.falloff = falloff}, context));
  }
  state.counters["vertices"] = static_cast<double>(model.surface.vertex_count());
}
BENCHMARK(BM_Reweight)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
