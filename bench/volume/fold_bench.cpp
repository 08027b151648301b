// What it costs that no face turns over, and that no skin passes through skin: the frames of a sample's clip, corrected
// with faces that are kept and that are free, and with contact looked for or not. One thread. `frame` is the time of
// one frame; the ratio of the rows of a character is the price.

#include <benchmark/benchmark.h>

#include "isochor/sample/sample.h"
#include "isochor/volume/corrector.h"

namespace {

using namespace isochor;

constexpr int kMoments = 40;

/// The skin in moments of a clip.
struct Motion {
  Character character;
  WeldedCharacter welded;
  Context context{1};
  std::vector<PosedSkin> posed;

  Motion(const char* sample_name, const char* clip_name) : character(make_sample(sample_name)), welded(character) {
    const Clip& clip = *character.find_clip(clip_name);
    for (const double time : even_times(clip, kMoments)) {
      pose_skin(welded, sample(clip, character.skeleton, time), Deformer::lbs, posed.emplace_back(), context);
    }
  }
};

void correct(benchmark::State& state, Motion& motion, const VolumeOptions& options) {
  VolumeCorrector corrector = VolumeCorrector::prepare(motion.welded, options, motion.context);
  CorrectedFrame frame;
  std::size_t held = 0, turned = 0;
  for (auto _ : state) {
    held = turned = 0;
    for (const PosedSkin& posed : motion.posed) {
      corrector.apply(posed, {}, frame);
      held += frame.held_vertices > 0 ? 1 : 0;
      turned += frame.turned_faces > 0 ? 1 : 0;
    }
  }
  const auto frames = static_cast<double>(motion.posed.size());
  state.counters["frames_turned"] = static_cast<double>(turned);
  state.counters["frames_held"] = static_cast<double>(held);
  state.counters["frame"] =
      benchmark::Counter(frames, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void fold_elephant_walk(benchmark::State& state) {
  static Motion motion("elephant", "walk");
  correct(state, motion, {.faces = static_cast<FaceTreatment>(state.range(0))});
}
void fold_elephant_sit(benchmark::State& state) {
  static Motion motion("elephant", "sit");
  correct(state, motion, {.faces = static_cast<FaceTreatment>(state.range(0))});
}
void fold_giraffe(benchmark::State& state) {
  static Motion motion("giraffe", "idle");
  correct(state, motion, {.faces = static_cast<FaceTreatment>(state.range(0))});
}

void contact_giraffe(benchmark::State& state) {
  static Motion motion("giraffe", "idle");
  correct(state, motion, {.contact = static_cast<ContactTreatment>(state.range(0))});
}
void contact_cylinder(benchmark::State& state) {
  static Motion motion("cylinder", "bend");
  correct(state, motion, {.contact = static_cast<ContactTreatment>(state.range(0))});
}

constexpr auto kFree = static_cast<int>(FaceTreatment::free), kKeep = static_cast<int>(FaceTreatment::keep);
BENCHMARK(fold_elephant_walk)->Arg(kFree)->Arg(kKeep)->Unit(benchmark::kMillisecond);
BENCHMARK(fold_elephant_sit)->Arg(kFree)->Arg(kKeep)->Unit(benchmark::kMillisecond);
BENCHMARK(fold_giraffe)->Arg(kFree)->Arg(kKeep)->Unit(benchmark::kMillisecond);
BENCHMARK(contact_giraffe)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);
BENCHMARK(contact_cylinder)->DenseRange(0, 3)->Unit(benchmark::kMillisecond);

}  // namespace
