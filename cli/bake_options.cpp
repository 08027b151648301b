#include "bake_options.h"

#include <CLI/CLI.hpp>
#include <string>

#include "isochor/base/error.h"
#include "options.h"

namespace isochor::cli {

void add_bake_options(CLI::App& command, BakeArguments& arguments) {
  arguments.command = &command;
  add_enum_option(
      command, arguments.mode,
      {.name = "bake",
       .help = "how a motion that skinning alone does not show is written: a few morph targets, one for each "
               "frame, joints beside those of the skin (for games), these and a few morph targets, or point caches "
               "(default morphs; by the extension "
               "for .pc2 and .mdd)"},
      "Bake");
  command
      .add_option("--fps", arguments.fps,
                  "frames per second to evaluate (0 to 1000; default 0: the clip's own keys; 24 for point caches)")
      ->type_name("N")
      ->check(in_range(0.0, 1000.0))
      ->group("Bake");
  add_options(command, arguments.basis, "Bake");
  add_options(command, arguments.twins, "Bake");
  command
      .add_option(
          "--bake-driven", arguments.driven,
          "with --bake joints: also write how each added joint follows the pose, for motions that were never baked")
      ->type_name("FILE.json")
      ->group("Bake");
  add_options(command, arguments.between, "Bake");
}

bool has_joints(BakeMode mode) { return mode == BakeMode::joints || mode == BakeMode::joints_and_morphs; }
bool is_cache(BakeMode mode) { return mode == BakeMode::pc2 || mode == BakeMode::mdd; }

BakeForm bake_form(BakeMode mode) {
  // Both have the same names.
  return parse_enum<BakeForm>(enum_name(mode)).value_or(BakeForm::morphs);
}

BakeMode bake_mode(const BakeArguments& arguments, const std::filesystem::path& output) {
  const std::string extension = output.extension().string();
  const bool pc2 = extension == ".pc2", mdd = extension == ".mdd";
  const BakeMode by_extension = pc2 ? BakeMode::pc2 : mdd ? BakeMode::mdd : BakeMode::morphs;
  const BakeMode mode = arguments.mode.value_or(by_extension);
  if ((is_cache(mode) || pc2 || mdd) && mode != by_extension) {
    throw_bad_input("--bake " + enum_name(mode) + " does not fit the output " + output.string() +
                    (is_cache(mode) ? "; it must end in ." + enum_name(mode) : "; it must end in .glb or .gltf"));
  }
  for (const char* option : {"--influences", "--bake-joints", "--bake-driven"}) {
    if (!has_joints(mode) && arguments.command->count(option) > 0) {
      throw_bad_input(std::string(option) + " requires --bake joints");
    }
  }
  const bool has_basis = mode == BakeMode::morphs || mode == BakeMode::joints_and_morphs;
  for (const char* option : {"--bake-targets", "--bake-tolerance"}) {
    if (!has_basis && arguments.command->count(option) > 0) {
      throw_bad_input(std::string(option) + " requires --bake morphs, or joints+morphs");
    }
  }
  if (!arguments.driven.empty() && arguments.driven.extension() != ".json") {
    throw_bad_input("the output " + arguments.driven.string() + " of --bake-driven must end in .json");
  }
  return mode;
}

HoldOptions frames_to_hold(const BakeArguments& arguments, BakeMode mode) {
  if (is_cache(mode)) return point_cache_frames(arguments.fps);
  HoldOptions options{.fps = arguments.fps, .between = arguments.between};
  if (options.fps > 0 && arguments.command->count("--between") == 0) options.between.volume_error = 0;
  return options;
}

}  // namespace isochor::cli
