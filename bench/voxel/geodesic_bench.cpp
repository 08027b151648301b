// Octree, neighbours and distance sweep over the embedded elephant (or the real one, where the folder of shared data
// lies beside the checkout), 4 nearest sources: milliseconds by stage, cells and bytes. Bones are cut into equal pieces
// to have more sources. Best of many runs is what counts on a machine that does other work: --benchmark_repetitions.
//
//   BM_Nearest/resolution/pieces of each bone/threads    one sweep, octree
//   BM_NearestUniform/resolution/1/threads               the same over single voxels
//   BM_All/resolution/pieces of each bone/threads        full distances, one sweep per source

#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "isochor/io/load.h"
#include "isochor/mesh/surface.h"
#include "isochor/sample/elephant.h"
#include "isochor/voxel/bone_voxels.h"
#include "isochor/voxel/geodesic.h"
#include "isochor/voxel/voxelize.h"
#include "support/places.h"

namespace {

using namespace isochor;

constexpr Index kNearest = 4;

struct Model {
  Surface surface;
  std::vector<Segment> bones;  // from each joint to its parent
};

Model load_model() {
  Context context;
  const std::filesystem::path real = test::shared_data() / "libigl-elephant" / "elephant.glb";
  const Character character =
      std::filesystem::exists(real) ? load_character(real, {}, context).character : make_elephant({}, context);
  Model model{.surface = assemble(character).weld.surface, .bones = {}};
  const auto globals = global_transforms(character.skeleton, rest_pose(character.skeleton));
  for (std::size_t j = 0; j < globals.size(); ++j) {
    const Index parent = character.skeleton.joints[j].parent;
    if (parent == kNone || !character.skeleton.joints[j].deforms) continue;
    model.bones.push_back({globals[static_cast<std::size_t>(parent)].translation(), globals[j].translation()});
  }
  return model;
}

const Model& model() {
  static const Model kModel = load_model();
  return kModel;
}

struct Stage {
  VoxelSolid solid;
  std::vector<std::vector<std::uint32_t>> voxels;  // of each source
  std::vector<std::uint32_t> all_voxels;

  Stage(Index resolution, int pieces) {
    Context context;
    Box box = bounding_box(model().surface.positions);
    for (const Segment& bone : model().bones) box.extend(bone.a).extend(bone.b);
    solid = voxelize(model().surface, fit_grid(box, resolution), {}, context).solid;
    for (const Segment& bone : model().bones) {
      for (int i = 0; i < pieces; ++i) {
        const Vec3 step = (bone.b - bone.a) / pieces;
        voxels.push_back(voxels_of(solid.grid, Segment{bone.a + i * step, bone.a + (i + 1) * step}));
        all_voxels.insert(all_voxels.end(), voxels.back().begin(), voxels.back().end());
      }
    }
  }

  std::vector<GeodesicSeed> seeds(const Octree& octree) const {
    std::vector<GeodesicSeed> result;
    for (std::size_t s = 0; s < voxels.size(); ++s) {
      for (const std::uint32_t code : voxels[s]) {
        const Index cell = octree.find(code);
        if (cell != kNone) result.push_back({.source = static_cast<Index>(s), .cell = cell});
      }
    }
    return result;
  }
};

enum class Mode { nearest, all };

void run(benchmark::State& state, CellSizes sizes, Mode mode) {
  const Stage stage(static_cast<Index>(state.range(0)), static_cast<int>(state.range(1)));
  Context context(static_cast<int>(state.range(2)));
  const auto sources = static_cast<Index>(stage.voxels.size());
  std::size_t label_bytes = 0;
  std::size_t octree_bytes = 0;
  std::size_t neighbour_bytes = 0;
  std::size_t cells = 0;
  for (auto _ : state) {
    Octree octree;
    {
      const StageTimer timer(context, "octree");
      octree = build_octree(stage.solid, stage.all_voxels, sizes, context);
    }
    const auto seeds = stage.seeds(octree);
    std::unique_ptr<GeodesicSweep> sweep;
    {
      const StageTimer timer(context, "neighbours");
      sweep = std::make_unique<GeodesicSweep>(octree, GeodesicOptions{}, context);
    }
    {
      const StageTimer timer(context, "sweep");
      label_bytes = mode == Mode::nearest ? sweep->nearest(seeds, kNearest, context).memory()
                                          : sweep->all(seeds, sources, context).memory();
    }
    cells = octree.size();
    octree_bytes = octree.memory();
    neighbour_bytes = sweep->memory();
  }
  for (const StageTime& time : context.times()) {
    state.counters[time.name + "_ms"] = 1e3 * time.seconds / static_cast<double>(state.iterations());
  }
  state.counters["sources"] = sources;
  state.counters["cells"] = static_cast<double>(cells);
  state.counters["octree_bytes"] = static_cast<double>(octree_bytes);
  state.counters["neighbour_bytes"] = static_cast<double>(neighbour_bytes);
  state.counters["label_bytes"] = static_cast<double>(label_bytes);
}

void BM_Nearest(benchmark::State& state) { run(state, CellSizes::sparse, Mode::nearest); }
void BM_NearestUniform(benchmark::State& state) { run(state, CellSizes::uniform, Mode::nearest); }
void BM_All(benchmark::State& state) { run(state, CellSizes::sparse, Mode::all); }

BENCHMARK(BM_Nearest)
    ->ArgsProduct({{128, 256, 512}, {1}, {1, 0}})
    ->ArgsProduct({{256}, {2, 4, 8}, {0}})
    ->Args({1024, 1, 0})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(BM_NearestUniform)->ArgsProduct({{128, 256}, {1}, {0}})->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(BM_All)->ArgsProduct({{128, 256}, {1}, {0}})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
