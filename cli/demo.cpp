/// isochor demo: the embedded characters through everything; GLBs, pictures and a page that shows them.

#include "isochor/show/demo.h"

#include <CLI/CLI.hpp>

#include "commands.h"
#include "isochor/base/error.h"
#include "options.h"
#include "session.h"

namespace isochor::cli {
namespace {

namespace fs = std::filesystem;

Json character_json(const DemoCharacter& character) {
  const DemoBinding& binding = character.binding;
  Json clips = Json::array();
  for (const DemoClip& clip : character.clips) {
    clips.push_back({{"name", clip.name},
                     {"volume_lbs", clip.volume_lbs},
                     {"volume_dqs", clip.volume_dqs},
                     {"volume_exact", clip.volume_exact}});
  }
  return {{"name", character.name},
          {"vertices", character.vertices},
          {"joints", character.joints},
          {"binding",
           {{"vertices", binding.vertices},
            {"bound", binding.bound},
            {"resolution", binding.resolution},
            {"l1_mean", binding.l1_mean},
            {"smoothness", binding.smoothness}}},
          {"clips", clips}};
}

int demo(DemoOptions options, Session& session) {
  const std::vector<fs::path> files = demo_files(options);
  session.claim({.outputs = files, .folder = options.folder});
  options.begin = [&](const std::string& name) { session.print(name + ": shape, binding, clips, pictures"); };
  for (const DemoCharacter& character : write_demo(options, session.context())) {
    session.report()["characters"].push_back(character_json(character));
  }
  session.print("Done: open " + (options.folder / "report.html").string());
  return exit_done;
}

}  // namespace

void add_demo(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("demo", "the embedded characters through everything: GLBs, pictures and report.html");
  auto options = std::make_shared<DemoOptions>();
  command.add_option("-o,--output", options->folder, "the folder to write to (default isochor-demo)")->type_name("DIR");
  command.add_option("--only", options->only, "these characters alone, separated by commas")
      ->type_name("A,B")
      ->delimiter(',');
  command.add_option("--samples", options->samples, "rays per pixel in the pictures (1 to 256; default 12)")
      ->type_name("N")
      ->check(whole_in_range(1, 256));
  session.add_common_options(command);
  command.callback(
      [options, &session] { session.set_action("demo", [options, &session] { return demo(*options, session); }); });
}

}  // namespace isochor::cli
