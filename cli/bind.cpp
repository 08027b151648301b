/// isochor bind IN -o OUT: weights for every vertex.

#include "isochor/bind/bind.h"

#include <CLI/CLI.hpp>
#include <charconv>

#include "commands.h"
#include "isochor/base/error.h"
#include "isochor/io/load.h"
#include "options.h"
#include "session.h"

namespace isochor::cli {
namespace {

struct Bind {
  std::filesystem::path file;
  std::filesystem::path output;
  std::filesystem::path skeleton;
  bool overwrite = false;
  std::string resolution = "auto";
  std::vector<std::string> rigid;
  std::vector<std::string> joint_falloff;
  bool paper = false;
  bool require_bound = false;
  std::optional<double> max_fallback;
  BindOptions options;
};

/// What the option takes, as its help says.
std::string rule_form(const std::string& option) { return option == "--rigid" ? "GLOB=JOINT" : "GLOB=FALLOFF"; }

/// A pattern and its value at the last equals sign, since patterns may hold one and values do not.
std::pair<std::string, std::string> split_rule(const std::string& rule, const std::string& option) {
  const auto equals = rule.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == rule.size()) {
    throw_bad_input(option + " needs a pattern and a value, as in " + option + " '" + rule_form(option) + "'; " + rule +
                    " is not of that form");
  }
  return {rule.substr(0, equals), rule.substr(equals + 1)};
}

double parse_falloff(const std::string& text) {
  double value = 0;
  if (!CLI::detail::lexical_cast(text, value) || !(value >= 0 && value <= 1)) {
    throw_bad_input("--joint-falloff takes a number between 0 and 1, not " + text);
  }
  return value;
}

int parse_resolution(const std::string& text) {
  if (text == "auto") return 0;
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || value < 8 || value > 1024 || (value & (value - 1)) != 0) {
    throw_bad_input("--resolution takes auto or a power of two from 8 to 1024, not " + text);
  }
  return value;
}

/// Names of the options on the command line.
std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options([](const CLI::Option* o) { return o->count() > 0; })) {
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  return names;
}

/// The options in full: rules taken apart, and under what was given the published settings, if asked for.
BindOptions complete(const Bind& bind, const CLI::App& command) {
  BindOptions options = bind.options;
  options.gvb.resolution = parse_resolution(bind.resolution);
  if (bind.paper) {
    const BindOptions given = options;
    options = BindOptions::paper();
    overlay(command, given, options);
  } else if (command.count("--method") == 0) {
    options.method = implied_method(given_options(command));
  }
  for (const std::string& rule : bind.rigid) {
    const auto [glob, joint] = split_rule(rule, "--rigid");
    options.rigid.push_back({glob, joint});
  }
  for (const std::string& rule : bind.joint_falloff) {
    const auto [glob, falloff] = split_rule(rule, "--joint-falloff");
    options.joint_falloff.push_back({glob, parse_falloff(falloff)});
  }
  return options;
}

void check_bound_output(const std::filesystem::path& output) {
  const auto extension = output.extension();
  if (extension == ".glb" || extension == ".gltf" || extension == ".txt") return;
  if (extension == ".obj") {
    throw_bad_input("an OBJ file cannot hold weights; write .glb or .gltf, or .txt for the rig and its weights alone");
  }
  throw_bad_input("the output " + output.string() + " must end in .glb, .gltf or .txt");
}

/// Options that the method does not read are said to be without effect.
Problems check_used(BindMethod method, const CLI::App& command) {
  Problems problems;
  for (const std::string& option : given_options(command)) {
    if (reads_option(method, option)) continue;
    const std::string text = "--" + option + " has no effect with --method " + std::string(enum_name(method));
    problems.push_back({Severity::warning, "option-without-effect", text, {}, 1});
  }
  return problems;
}

std::size_t across_gap(const BindResult& result) {
  std::size_t sum = 0;
  for (const BoundVolume& volume : result.volumes) sum += volume.gvb.across_gap;
  return sum;
}

Json bone_rules_json(const BoundVolume& volume, const Skeleton& skeleton) {
  Json json = Json::object();
  for (const AppliedBoneRule& applied : volume.rules.list()) {
    json[enum_name(applied.rule)] = skeleton.names(applied.joints);
  }
  return json;
}

Json bound_volume_json(const BoundVolume& volume, const Skeleton& skeleton) {
  Json json;
  json["parts"] = volume.parts;
  json["bone_rules"] = bone_rules_json(volume, skeleton);
  json["unseen"] = volume.unseen;
  if (volume.gvb.resolution > 0) {
    json["resolution"] = volume.gvb.resolution;
    json["resolution_reason"] = volume.gvb.resolution_reason;
    json["voxels"] = {{"uniform", volume.gvb.uniform_voxels}, {"sparse", volume.gvb.sparse_voxels}};
    json["memory"] = volume.gvb.memory;
    json["fallbacks"] = {{"across_gap", volume.gvb.across_gap}, {"joints_outside", volume.gvb.outside_handles}};
  }
  if (volume.medial.vertices > 0) {
    json["medial"] = {{"vertices", volume.medial.vertices}, {"primitives", volume.medial.primitives}};
    json["fallbacks"]["beyond_medial"] = volume.medial.beyond;
    json["fallbacks"]["medial_beyond_bones"] = volume.medial.widened;
  }
  if (!volume.symmetry.empty()) json["symmetry"] = {{"found", volume.symmetric}, {"sentence", volume.symmetry}};
  return json;
}

void report_result(const BindResult& result, const Skeleton& skeleton, Session& session) {
  Json& report = session.report();
  report["vertices"] = result.vertices;
  report["bound"] = result.bound;
  report["joints"] = result.joints;
  report["resolution"] = result.resolution;
  report["resolution_reason"] = result.resolution_reason;
  report["voxels"] = {{"uniform", result.uniform_voxels}, {"sparse", result.sparse_voxels}};
  std::size_t outside = 0;
  report["volumes"] = Json::array();
  for (const BoundVolume& volume : result.volumes) {
    report["volumes"].push_back(bound_volume_json(volume, skeleton));
    outside += volume.gvb.outside_handles;
  }
  report["fallbacks"] = {{"across_gap", across_gap(result)}, {"joints_outside", outside}};
  // Other tools rely on these, also where a method has no such stage.
  for (const char* stage : {"voxelize", "sparsify", "distance", "weights"}) session.context().add_seconds(stage, 0);

  session.print(std::to_string(result.bound) + " of " + count_of(result.vertices, "vertex") + " bound to " +
                count_of(result.joints, "joint"));
  if (result.resolution > 0) {
    session.print("resolution " + std::to_string(result.resolution) +
                  (result.resolution_reason.empty() ? "" : ": " + result.resolution_reason));
  }
  for (const BoundVolume& volume : result.volumes) {
    for (const AppliedBoneRule& applied : volume.rules.list()) {
      session.print("bone rule " + std::string(enum_name(applied.rule)) + ": " +
                    first_names(skeleton.names(applied.joints), 6));
    }
    if (!volume.symmetry.empty()) session.print(volume.symmetry);
  }
  session.add_warnings(result.problems);
}

int pass_gates(const Bind& options, const BindResult& result, const Session& session) {
  int code = exit_done;
  if (options.require_bound && result.bound < result.vertices) {
    code = session.fail_gate(count_of(result.vertices - result.bound, "vertex") +
                             " without weights: --require-bound fails");
  }
  const double share =
      result.vertices == 0 ? 0 : static_cast<double>(across_gap(result)) / static_cast<double>(result.vertices);
  if (options.max_fallback && share > *options.max_fallback) {
    code = session.fail_gate(short_number(100 * share) +
                             " % of the vertices took their distances across a gap: --max-fallback fails");
  }
  return code;
}

int bind_file(const Bind& bind, const CLI::App& command, Session& session) {
  check_bound_output(bind.output);
  session.claim({.inputs = {bind.file, bind.skeleton},
                 .outputs = {bind.output},
                 .replaceable = CallFiles::Replaceable{bind.file, bind.output, bind.overwrite}});
  const BindOptions options = complete(bind, command);
  Json& report = session.report();
  report_options(report["options"], options);
  report["options"]["rigid"] = bind.rigid;
  report["options"]["joint-falloff"] = bind.joint_falloff;
  report["inputs"].push_back(bind.file.string());
  Loaded loaded = load_character(bind.file, {}, session.context());
  session.claim({.inputs = loaded.files});
  if (!bind.skeleton.empty()) {
    report["inputs"].push_back(bind.skeleton.string());
    attach_skeleton(loaded.character, bind.skeleton, session.context());
  }
  if (loaded.character.vertex_count() == 0) throw_bad_input(bind.file.string() + " has no mesh");
  if (loaded.character.skeleton.deforming_count() == 0) {
    throw_bad_input(bind.file.string() + " has no joints; give a skeleton with --skeleton FILE");
  }
  session.add_warnings(loaded.character.problems);
  session.add_warnings(check_used(options.method, command));
  const BindResult result = isochor::bind(loaded.character, options, session.context());
  session.context().progress("weights", 1);
  report_result(result, loaded.character.skeleton, session);
  apply(result, loaded.character);
  session.add_warnings(save_character(loaded, bind.output, session.context()));
  session.print(bind.output.string() + " written");
  return pass_gates(bind, result, session);
}

void add_rule(CLI::App& command, const char* name, std::vector<std::string>& rules, const char* help) {
  command.add_option(name, rules, help)->type_name(rule_form(name))->allow_extra_args(false)->group("Binding");
}

}  // namespace

void add_bind(CLI::App& program, Session& session) {
  CLI::App& command = *program.add_subcommand("bind", "give every vertex weights, on any mesh");
  auto options = std::make_shared<Bind>();
  command.add_option("IN", options->file, "a mesh or a character")->required();
  command
      .add_option("-o,--output", options->output,
                  "the file to write: .glb or .gltf; .txt for the rig and its weights alone")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--skeleton", options->skeleton,
                  "bind to this skeleton (rig.txt, TGF, BVH, glTF …) instead of the file's own")
      ->type_name("FILE");
  command.add_flag("--overwrite", options->overwrite, "allow the output to be the input");
  command
      .add_option("--resolution", options->resolution,
                  "voxels along each side: a power of two from 8 to 1024, or auto: enough to keep limbs apart (default "
                  "auto)")
      ->type_name("N|auto")
      ->group("Binding");
  add_options(command, options->options, "Binding", {"resolution"});
  add_rule(command, "--joint-falloff", options->joint_falloff, "a falloff of their own for joints, by name pattern");
  add_rule(command, "--rigid", options->rigid,
           "meshes, materials or joints' own skin, by name pattern, that follow one joint alone");
  command
      .add_flag("--paper", options->paper, "the settings of the paper of 2014, unless others are given (docs/gvb.md)")
      ->group("Binding");
  command.add_flag("--require-bound", options->require_bound, "exit with 1 if a vertex is left without weights")
      ->group("Gates");
  command
      .add_option("--max-fallback", options->max_fallback,
                  "exit with 1 if more than this share of the vertices took distances across a gap (0 to 1)")
      ->type_name("S")
      ->check(in_range(0.0, 1.0))
      ->group("Gates");
  session.add_common_options(command);
  command.callback([options, &command, &session] {
    session.set_action("bind", [options, &command, &session] { return bind_file(*options, command, session); });
  });
}

}  // namespace isochor::cli
