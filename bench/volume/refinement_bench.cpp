// Refining the sample elephant for its clip "sit", beside welding it, which every use of it begins with; and a
// corrected frame of the refined one beside one of the plain one (table 1 of Rohmer 2009: 0.110 s beside 0.053 s for
// twice as many vertices). One thread. The argument is the number of levels.

#include <benchmark/benchmark.h>

#include "isochor/sample/sample.h"
#include "isochor/volume/refinement.h"

namespace {

using namespace isochor;

struct Task {
  Character character = make_sample("elephant");
  WeldedCharacter welded{character};
  RefineFor use;
  Context context{1};

  Task() {
    const Clip& clip = *character.find_clip("sit");
    for (const double time : even_times(clip, 31)) {
      if (use.clips.empty()) use.clips.emplace_back();
      use.clips[0].push_back({time, sample(clip, character.skeleton, time)});
    }
  }
};

Task& task() {
  static Task made;
  return made;
}

constexpr double kThreshold = 0.6;

void refine_weld(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(WeldedCharacter(task().character));
}
BENCHMARK(refine_weld)->Unit(benchmark::kMillisecond);

void refine_weights(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(largest_correction_weights(task().welded, task().use, task().context));
  }
}
BENCHMARK(refine_weights)->Unit(benchmark::kMillisecond);

void refine_elephant(benchmark::State& state) {
  const RefineOptions options{.threshold = kThreshold, .levels = static_cast<int>(state.range(0))};
  const auto values = largest_correction_weights(task().welded, task().use, task().context);
  std::size_t vertices = 0;
  for (auto _ : state) vertices = refine(task().welded, {values}, options).character.vertex_count();
  state.counters["vertices"] = static_cast<double>(vertices);
}
BENCHMARK(refine_elephant)->DenseRange(1, 3)->Unit(benchmark::kMillisecond);

void refined_frame(benchmark::State& state) {
  const auto levels = static_cast<int>(state.range(0));
  Character character = task().character;
  if (levels > 0) {
    character =
        refine(task().welded, task().use, {.threshold = kThreshold, .levels = levels}, task().context).character;
  }
  const WeldedCharacter welded(character);
  CorrectedPlayback playback(welded, {}, task().context);
  const auto& moment = task().use.clips[0][20];
  for (auto _ : state) benchmark::DoNotOptimize(playback.look(moment.pose, moment.time, task().context));
  state.counters["vertices"] = static_cast<double>(character.vertex_count());
}
BENCHMARK(refined_frame)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
