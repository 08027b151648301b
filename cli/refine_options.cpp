#include "refine_options.h"

#include <CLI/CLI.hpp>

#include "isochor/base/words.h"
#include "isochor/io/point_cache.h"
#include "options.h"

namespace isochor::cli {

bool RefineArguments::asked() const { return command->get_option("--refine")->count() > 0; }

void add_refine_options(CLI::App& command, RefineArguments& arguments) {
  arguments.command = &command;
  // Without --refine nothing is refined: it has no default that a help text could tell.
  describe(arguments.options, [&](auto& field, const FieldInfo& info) {
    if (std::string_view(info.name) != "refine") return;
    command.add_option("--refine", field, std::string(info.help) + " (" + range_text(info) + ")")
        ->type_name("T")
        ->check(in_range(info))
        ->group("Refinement");
  });
  add_options(command, arguments.options, "Refinement", {"refine"});
  add_enum_option(command, arguments.by,
                  {.name = "refine-by",
                   .help = "what --refine is compared with: the weight of the correction, from 0 to 1, or how much the "
                           "slope of the displacement changes across a vertex",
                   .expert = true},
                  "Refinement");
}

void check_refined_output(const RefineArguments& arguments, const std::filesystem::path& output) {
  if (!arguments.asked()) {
    for (const char* option : {"--levels", "--refine-by", "--refine-sharp-angle", "--refine-max-vertices"}) {
      if (arguments.command->get_option(option)->count() > 0) {
        throw_bad_input(std::string(option) + " needs --refine, which says where the skin becomes finer");
      }
    }
    return;
  }
  if (point_cache_format(output)) {
    throw_bad_input("a point cache has no faces of its own, so that nothing could show it with --refine; write .glb");
  }
}

void report_refinement(const RefinedCharacter& refined, const WeldedCharacter& was, const RefineArguments& arguments,
                       Session& session) {
  const Box box = bounding_box(was.surface().positions);
  const double size = box.isEmpty() ? 0 : box.diagonal().norm();
  const double distance = size > 0 ? refined.max_distance / size : 0;
  report_options(session.report()["options"], arguments.options);
  session.report()["options"]["refine-by"] = enum_name(arguments.by);
  session.report()["refine"] = {{"split_faces", refined.split_faces},
                                {"vertices_before", was.character().vertex_count()},
                                {"vertices", refined.character.vertex_count()},
                                {"max_distance", distance}};
  session.print(count_of(refined.split_faces, "face") +
                " split: " + count_of(was.character().vertex_count(), "vertex") + " became " +
                std::to_string(refined.character.vertex_count()) + "; at rest the skin is within " + percent(distance) +
                " of the diagonal from where it was");
}

}  // namespace isochor::cli
