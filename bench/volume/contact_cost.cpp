/// What looking for contact costs in frames in which it moves nothing, as in most: the time of the frame with it over
/// that of the frame without. One thread; of each frame the shortest of several times, with and without in turn. Lines
/// depend on the machine, and their ratios hardly.
///
///   volume_contact_cost [--fps N] [--repeat N] [--clip NAME] FILE|SAMPLE...

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "isochor/io/load.h"
#include "isochor/sample/sample.h"
#include "isochor/volume/corrector.h"

namespace {

using namespace isochor;

constexpr std::array kTreatments{ContactTreatment::off, ContactTreatment::count, ContactTreatment::hold,
                                 ContactTreatment::resolve};

struct Arguments {
  double fps = 10;
  int repeat = 5;
  std::string clip;
  std::vector<std::string> characters;
};

using Seconds = std::array<double, kTreatments.size()>;

/// The sums over frames in which no treatment moves anything.
struct Cost {
  std::size_t frames = 0, still = 0;
  Seconds seconds{};

  double of(ContactTreatment treatment) const {
    return seconds[static_cast<std::size_t>(treatment)] / std::max(seconds[0], 1e-300);
  }
  void print(const std::string& character, const std::string& clip) const {
    std::printf("%-18.18s %-28.28s %5zu of %5zu frames  off %8.1f us  count %.2f  hold %.2f  resolve %.2f\n",
                character.c_str(), clip.c_str(), still, frames,
                1e6 * seconds[0] / static_cast<double>(std::max<std::size_t>(still, 1)), of(ContactTreatment::count),
                of(ContactTreatment::hold), of(ContactTreatment::resolve));
    std::fflush(stdout);
  }
};

class Stopwatch {
 public:
  Stopwatch(const WeldedCharacter& welded, const Context& context) {
    for (const ContactTreatment treatment : kTreatments) {
      correctors_.push_back(VolumeCorrector::prepare(welded, {.contact = treatment}, context));
    }
    frames_.resize(kTreatments.size());
  }

  Cost run(std::vector<PosedSkin> motion, int repeat) {
    Cost cost{.frames = motion.size()};
    motion.erase(
        std::remove_if(motion.begin(), motion.end(), [this](const PosedSkin& posed) { return touches(posed); }),
        motion.end());
    cost.still = motion.size();
    Seconds endless;
    endless.fill(std::numeric_limits<double>::infinity());
    std::vector<Seconds> least(motion.size(), endless);
    for (int k = 0; k < repeat; ++k) {
      for (std::size_t t = 0; t < kTreatments.size(); ++t) {
        for (std::size_t i = 0; i < motion.size(); ++i) {
          const auto begin = std::chrono::steady_clock::now();
          correctors_[t].apply(motion[i], {}, frames_[t]);
          const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
          least[i][t] = std::min(least[i][t], taken.count());
        }
      }
    }
    for (const Seconds& of_frame : least) {
      for (std::size_t t = 0; t < kTreatments.size(); ++t) cost.seconds[t] += of_frame[t];
    }
    return cost;
  }

 private:
  /// Whether contact moves anything.
  bool touches(const PosedSkin& posed) {
    bool moves = false;
    for (std::size_t t = 0; t < kTreatments.size(); ++t) {
      correctors_[t].apply(posed, {}, frames_[t]);
      moves = moves || frames_[t].positions != frames_[0].positions;
    }
    return moves;
  }

  std::vector<VolumeCorrector> correctors_;
  std::vector<CorrectedFrame> frames_;
};

Character load(const std::string& name) {
  for (const SampleInfo& info : samples()) {
    if (info.name == name) return make_sample(name);
  }
  Context context;
  return load_character(name, {}, context).character;
}

void run(const std::string& name, const Arguments& arguments) {
  const Character character = load(name);
  const WeldedCharacter welded(character);
  const Context context(1);
  Stopwatch stopwatch(welded, context);
  const std::string shown = std::filesystem::path(name).stem().string();
  Cost all;
  for (const Clip& clip : character.clips) {
    if (!(clip.duration() > 0) || (!arguments.clip.empty() && clip.name != arguments.clip)) continue;
    std::vector<PosedSkin> motion;
    for (const double time : even_times(clip, std::max(2, static_cast<int>(arguments.fps * clip.duration())))) {
      pose_skin(welded, sample(clip, character.skeleton, time), Deformer::lbs, motion.emplace_back(), context);
    }
    const Cost cost = stopwatch.run(std::move(motion), arguments.repeat);
    cost.print(shown, clip.name);
    all.frames += cost.frames;
    all.still += cost.still;
    for (std::size_t t = 0; t < kTreatments.size(); ++t) all.seconds[t] += cost.seconds[t];
  }
  all.print(shown, "(all)");
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (a == "--fps") {
      arguments.fps = std::atof(next().c_str());
    } else if (a == "--clip") {
      arguments.clip = next();
    } else if (a == "--repeat") {
      arguments.repeat = std::max(1, std::atoi(next().c_str()));
    } else {
      arguments.characters.push_back(a);
    }
  }
  if (arguments.characters.empty()) arguments.characters = {"giraffe"};
  for (const std::string& name : arguments.characters) {
    try {
      run(name, arguments);
    } catch (const std::exception& e) {
      std::printf("%-18s %s\n", name.c_str(), e.what());
    }
  }
  return 0;
}
