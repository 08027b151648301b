#include "volume_options.h"

#include <CLI/CLI.hpp>
#include <numbers>

#include "isochor/base/words.h"
#include "isochor/io/volume_settings.h"
#include "options.h"

namespace isochor::cli {
namespace {

const Hidden kSetByMode = {"volume-solver"};

}  // namespace

void add_volume_options(CLI::App& command, VolumeArguments& arguments) {
  arguments.command = &command;
  add_enum_option(command, arguments.mode,
                  {.name = "volume", .help = "how the volume is held (default exact, or as the effects say)"},
                  "Volume");
  command
      .add_option("--effects", arguments.effects,
                  "JSON settings: which effect each joint has, and the volume to keep over time; they travel on in the "
                  "output")
      ->type_name("FILE")
      ->group("Volume");
  add_options(command, arguments.options, "Volume", kSetByMode);
}

VolumeOverrides overrides_of(const VolumeArguments& arguments) {
  VolumeOverrides overrides{.mode = arguments.mode};
  if (!arguments.effects.empty()) overrides.settings = read_volume_settings(arguments.effects);
  overrides.change = [&](VolumeOptions& options) { overlay(*arguments.command, arguments.options, options); };
  return overrides;
}

Problems unused_volume_options(const VolumeArguments& arguments) {
  Problems problems;
  if (arguments.mode != VolumeMode::off) return problems;
  const auto warn = [&](const std::string& option) {
    problems.push_back(
        {Severity::warning, "option-without-effect", "--" + option + " has no effect with --volume off", {}, 1});
  };
  if (!arguments.effects.empty()) warn("effects");
  describe(arguments.options, [&](const auto&, const FieldInfo& info) {
    if (was_given(*arguments.command, info)) warn(info.name);
  });
  return problems;
}

void report_volume_settings(Json& options, const std::optional<VolumeSettings>& settings) {
  options["volume"] = settings ? enum_name(settings->options.solve.solver) : "off";
  if (!settings) return;
  options["effects"] = Json::parse(write_volume_settings(*settings));
  report_options(options, settings->options, kSetByMode);
}

Json volume_json(const VolumeReport& report, const Skeleton& skeleton) {
  Json volume = {{"components", Json::array()}, {"max_error_after", report.max_error_after()}};
  for (const VolumeReport::Component& component : report.components()) {
    volume["components"].push_back({{"vertices", component.vertices},
                                    {"rest", component.rest},
                                    {"measured", component.has_volume},
                                    {"max_error_before", component.max_error_before},
                                    {"max_error_after", component.max_error_after}});
  }
  if (!report.corrects()) return volume;
  Json& joints = volume["joints"] = Json::array();
  for (const VolumeReport::Joint& joint : report.joints()) {
    joints.push_back({{"name", skeleton.joints[joint.joint].name},
                      {"component", joint.component},
                      {"max_local_error_before", joint.max_error_before},
                      {"max_local_error_after", joint.max_error_after},
                      {"mean_local_error_before", joint.mean_error_before},
                      {"mean_local_error_after", joint.mean_error_after}});
  }
  volume["max_displacement"] = report.max_displacement();
  volume["max_turned_faces"] = report.max_turned_faces();
  volume["largest_turn"] = report.largest_turn() * 180 / std::numbers::pi;
  volume["max_held_vertices"] = report.max_held_vertices();
  const ContactCounts& contact = report.max_contact();
  volume["contact"] = {{"max_pairs_skinned", contact.skinned},
                       {"max_pairs_before", contact.before},
                       {"max_added_pairs_before", contact.added_before},
                       {"max_pairs_after", contact.after},
                       {"max_added_pairs_after", contact.added_after}};
  return volume;
}

void print_volume(const VolumeReport& report, const Skeleton& skeleton, const Session& session) {
  const auto& components = report.components();
  const auto measured = static_cast<std::size_t>(
      std::count_if(components.begin(), components.end(), [](const auto& c) { return c.has_volume; }));
  const std::string line =
      count_of(report.frames(), "frame") + ", " + count_of(measured, "component") + " with a volume; ";
  if (!report.corrects()) {
    session.print(line + "the largest change of a volume is " + percent(report.max_error_after()));
    return;
  }
  session.print(line + "largest volume error " + percent(report.max_error_before()) + " before, " +
                percent(report.max_error_after()) + " after");
  for (std::size_t c = 0; c < components.size() && measured > 1; ++c) {
    if (!components[c].has_volume) continue;
    session.print_detail("  component " + std::to_string(c) + ", " + count_of(components[c].vertices, "vertex") + ": " +
                         percent(components[c].max_error_before) + " before, " +
                         percent(components[c].max_error_after) + " after");
  }
  for (const VolumeReport::Joint& joint : report.joints()) {
    session.print_detail("  joint " + skeleton.joints[joint.joint].name + ": local " + percent(joint.max_error_before) +
                         " before, " + percent(joint.max_error_after) + " after");
  }
}

}  // namespace isochor::cli
