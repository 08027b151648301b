#include "medial_options.h"

#include <CLI/CLI.hpp>

#include "isochor/base/error.h"
#include "options.h"

namespace isochor::cli {

void add_medial_options(CLI::App& command, MedialArguments& arguments, const std::string& group) {
  arguments.command = &command;
  add_options(command, arguments.options, group);
}

void check_medial_options(const MedialArguments& arguments, bool used, const std::string& needs) {
  if (used) return;
  describe(arguments.options, [&](const auto&, const FieldInfo& info) {
    if (was_given(*arguments.command, info)) throw_bad_input(std::string("--") + info.name + " needs " + needs);
  });
}

PreparedMedial prepared_medial(const WeldedCharacter& welded, const MedialArguments& arguments, int resolution,
                               Session& session) {
  BindOptions options{.method = BindMethod::medial, .medial = arguments.options};
  options.gvb.resolution = resolution;
  PreparedMedial medial = prepare_medial(welded, options, session.context());
  report_options(session.report()["options"], arguments.options);
  session.report()["medial"] = {
      {"vertices", medial.report.vertices},    {"primitives", medial.report.primitives},
      {"resolution", medial.resolution},       {"carried", medial.carried},
      {"beyond_medial", medial.report.beyond}, {"medial_beyond_bones", medial.report.widened}};
  session.print("medial: " + count_of(medial.report.vertices, "guide") + "; " + count_of(medial.carried, "vertex") +
                " of the skin follow one joint alone");
  session.add_warnings(medial.problems);
  return medial;
}

}  // namespace isochor::cli
