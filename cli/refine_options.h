#pragma once

/// --refine and what belongs to it.

#include <filesystem>

#include "isochor/volume/refinement.h"
#include "session.h"

namespace CLI {
class App;
}

namespace isochor::cli {

struct RefineArguments {
  const CLI::App* command = nullptr;
  RefineOptions options;
  RefineBy by = RefineBy::weight;

  /// Whether --refine was given.
  bool asked() const;
};
void add_refine_options(CLI::App& command, RefineArguments& arguments);

/// Throws if --refine was given and the output has no faces, or if options that belong to it were given without it.
void check_refined_output(const RefineArguments& arguments, const std::filesystem::path& output);

/// What came of it, in the report and in words.
void report_refinement(const RefinedCharacter& refined, const WeldedCharacter& was, const RefineArguments& arguments,
                       Session& session);

}  // namespace isochor::cli
