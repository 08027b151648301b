/// Twins that follow the pose, on clips that they never saw.
///
///   bake_driven FILE...     one line per file: a character with several clips
///
/// Every third clip is held back. Twins, their shares and how they follow the pose are found from the others; then the
/// held-back clips are played, and compared with the real correction.

#include <cstdio>
#include <exception>

#include "isochor/bake/driven_twins.h"
#include "isochor/io/load.h"

namespace {

using namespace isochor;

void print(const char* what, const DrivenFigures& figures) {
  const double share = figures.correction > 0 ? 1 - figures.left / figures.correction : 1;
  std::printf(
      "  %-12s %5zu frames: %5.1f %% of the correction; volume off by %.3f %% in the mean instead of %.3f %%, at "
      "most %.2f %% instead of %.2f %%\n",
      what, figures.frames, 100 * share, 100 * figures.volume_left, 100 * figures.volume_before,
      100 * figures.largest_left, 100 * figures.largest_before);
}

void try_file(const char* name, Context& context) {
  Loaded loaded = load_character(name, {}, context);
  Character& character = loaded.character;
  for (Part& part : character.parts) round_weights(part.weights);
  const WeldedCharacter welded(character);
  HeldMotion all = hold_volume(welded, {}, context);
  const std::size_t count = all.clips.size();
  std::printf("%s: %zu clips\n", name, count);
  if (count < 2) return;
  HeldMotion seen{.deformer = all.deformer}, unseen = seen;
  for (std::size_t c = 0; c < count; ++c) {
    const bool held_back = count < 3 ? c == 1 : c % 3 == 2;
    (held_back ? unseen : seen).clips.push_back(std::move(all.clips[c]));
  }
  const TwinJoints twins = twin_joints(seen, welded, {}, context);
  const auto driven = drive_twins(seen, welded, twins, context);
  print("seen", play_driven(seen, welded, twins, driven, context));
  print("held back", play_driven(unseen, welded, twins, driven, context));
}

}  // namespace

int main(int count, char** names) {
  try {
    Context context;
    for (int i = 1; i < count; ++i) try_file(names[i], context);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bake_driven: %s\n", error.what());
    return 2;
  }
  return 0;
}
