// A clip with its volume held, and its morph targets: the sample elephant, 30 frames per second, on one thread and on
// two. `correct` is the time of that stage alone.

#include <benchmark/benchmark.h>

#include "isochor/bake/morph_bake.h"
#include "isochor/sample/sample.h"

namespace {

using namespace isochor;

struct Task {
  Character character = make_sample("elephant");
  WeldedCharacter welded{character};
  HoldOptions options{.fps = 30};
};

const Task& task() {
  static const Task made;
  return made;
}

void hold(benchmark::State& state) {
  double correct = 0;
  std::size_t frames = 0;
  for (auto _ : state) {
    Context context(static_cast<int>(state.range(0)));
    frames = hold_volume(task().welded, task().options, context).frame_count();
    correct += context.seconds("correct");
  }
  state.counters["frames"] = static_cast<double>(frames);
  state.counters["correct"] = benchmark::Counter(correct, benchmark::Counter::kAvgIterations);
}
BENCHMARK(hold)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void morphs(benchmark::State& state) {
  Context context(static_cast<int>(state.range(0)));
  const HeldMotion motion = hold_volume(task().welded, task().options, context);
  std::size_t targets = 0;
  for (auto _ : state) {
    const auto bases = morph_bases(motion, task().welded, {}, context);
    targets = bases[0] ? bases[0]->targets.size() : 0;
  }
  state.counters["targets"] = static_cast<double>(targets);
}
BENCHMARK(morphs)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
