// The voxelizer by stages (milliseconds), with the voxels and bytes that came out. Arguments: resolution / threads.
// Real characters join in where the folder of shared data lies beside the checkout.

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>

#include "isochor/io/load.h"
#include "isochor/sample/elephant.h"
#include "isochor/sample/knight.h"
#include "isochor/voxel/voxelize.h"
#include "support/places.h"

namespace {

using namespace isochor;

/// Bytes on the heap now, and at most since the last reset.
std::atomic<std::int64_t> held{0};
std::atomic<std::int64_t> peak{0};

void* counted_malloc(std::size_t size) {
  void* const p = std::malloc(size);
  if (p == nullptr) throw std::bad_alloc();
  const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(p));
  std::int64_t most = peak;
  while (now > most && !peak.compare_exchange_weak(most, now)) {
  }
  return p;
}

void counted_free(void* p) {
  if (p == nullptr) return;
  held -= static_cast<std::int64_t>(malloc_usable_size(p));
  std::free(p);
}

Surface load(const std::filesystem::path& path) {
  Context context;
  return assemble(load_character(path, {}, context).character).weld.surface;
}

void run(benchmark::State& state, const Surface& surface) {
  const VoxelGrid grid = fit_grid(bounding_box(surface.positions), static_cast<Index>(state.range(0)));
  Context context(static_cast<int>(state.range(1)));
  Voxelization last;
  const std::int64_t before = held;
  peak = before;
  for (auto _ : state) {
    last = {};
    last = voxelize(surface, grid, {}, context);
  }
  for (const StageTime& stage : context.times()) {
    state.counters[stage.name.substr(stage.name.find('.') + 1) + "_ms"] =
        1e3 * stage.seconds / static_cast<double>(state.iterations());
  }
  state.counters["boundary"] = static_cast<double>(last.solid.boundary_count());
  state.counters["interior"] = static_cast<double>(last.solid.interior_count());
  state.counters["doubtful"] = static_cast<double>(last.evidence.doubtful);
  state.counters["queries"] = static_cast<double>(last.evidence.winding_queries);
  state.counters["solid_kB"] = static_cast<double>(last.solid.memory()) / 1024;
  state.counters["peak_kB"] = static_cast<double>(peak - before) / 1024;
}

void add(const std::string& name, const Surface& surface) {
  auto* bench = benchmark::RegisterBenchmark(name.c_str(), [surface](benchmark::State& state) { run(state, surface); });
  bench->Unit(benchmark::kMillisecond)->ArgNames({"r", "threads"});
  for (const int resolution : {128, 256, 512, 1024}) {
    for (const int threads : {1, 2}) bench->Args({resolution, threads});
  }
}

/// The first missing face in fifty: what the votes cannot settle goes to the winding number.
Surface with_holes(const Surface& s) {
  Surface result;
  result.positions = s.positions;
  for (std::size_t f = 0; f < s.face_count(); ++f) {
    if (f % 50 != 0) result.add_face(s.face(f));
  }
  return result;
}

}  // namespace

// Replaced for the whole program, to measure the most that is held at one time.
void* operator new(std::size_t size) { return counted_malloc(size); }
void operator delete(void* p) noexcept { counted_free(p); }
void operator delete(void* p, std::size_t) noexcept { counted_free(p); }

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const std::filesystem::path data = test::shared_data();
  const Context context;
  add("sample_elephant", assemble(make_elephant({}, context)).weld.surface);
  add("sample_knight", assemble(make_knight({}, context)).weld.surface);
  if (std::filesystem::is_directory(data)) {
    const Surface elephant = load(data / "libigl-elephant/elephant.obj");
    add("elephant", elephant);
    add("elephant_holes", with_holes(elephant));
    add("armadillo", load(data / "armadillo/armadillo-43k.obj"));
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
