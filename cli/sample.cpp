/// isochor sample NAME -o FILE: one of the procedural characters as a file.

#include "isochor/sample/sample.h"

#include <CLI/CLI.hpp>

#include "commands.h"
#include "isochor/io/load.h"
#include "isochor/io/rig_txt.h"
#include "options.h"
#include "session.h"

namespace isochor::cli {
namespace {

struct Sample {
  std::string name;
  std::filesystem::path output;
  SampleOptions options;
};

/// Options of a shape that the character does not have.
void check_used(const Sample& sample, const CLI::App& command) {
  const bool cylinder = sample.name.starts_with("cylinder");
  const auto refuse = [&](const char* option) {
    throw_bad_input(std::string("--") + option + " changes nothing in the sample " + sample.name);
  };
  if (cylinder && command.count("--refinement") > 0) refuse("refinement");
  describe(sample.options.cylinder, [&](const auto&, const FieldInfo& info) {
    if (!cylinder && was_given(command, info)) refuse(info.name);
  });
}

int write_sample(const Sample& sample, Session& session) {
  // An OBJ knows no rig; it stands beside, under the same name.
  const auto rig = sample.output.parent_path() / (sample.output.stem().string() + "_rig.txt");
  const bool with_rig = sample.output.extension() == ".obj";
  session.claim({.outputs = {sample.output, with_rig ? rig : std::filesystem::path()}});
  report_options(session.report()["options"], sample.options, {"bones"});
  const Character character = make_sample(sample.name, sample.options, session.context());
  session.add_warnings(save_character(character, sample.output, session.context()));
  if (with_rig) write_rig_txt(rig, to_rig_text(character));
  session.print(sample.output.string() + ": " + sample.name + ", " + count_of(character.vertex_count(), "vertex") +
                ", " + count_of(character.skeleton.deforming_count(), "joint") + ", " +
                count_of(character.clips.size(), "clip"));
  session.report()["vertices"] = character.vertex_count();
  session.report()["joints"] = character.skeleton.deforming_count();
  return exit_done;
}

}  // namespace

void add_sample(CLI::App& program, Session& session) {
  CLI::App& command =
      *program.add_subcommand("sample", "write one of the procedural characters as GLB, or as OBJ with rig.txt");
  auto sample = std::make_shared<Sample>();
  std::string names;
  for (const SampleInfo& info : samples()) names += "\n  " + info.name + ": " + info.description;
  command.add_option("NAME", sample->name, "the character")->required();
  command.add_option("-o,--output", sample->output, "the file to write; .glb, .gltf or .obj")
      ->type_name("FILE")
      ->required();
  add_options(command, sample->options, "Shape", {"bones"});
  session.add_common_options(command);
  command.footer("Characters:" + names);
  command.callback([sample, &command, &session] {
    session.set_action("sample", [sample, &command, &session] {
      check_used(*sample, command);
      return write_sample(*sample, session);
    });
  });
}

}  // namespace isochor::cli
