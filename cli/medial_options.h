#pragma once

/// The deformer medial on the command line.

#include <memory>

#include "isochor/bind/prepare_medial.h"
#include "session.h"

namespace isochor::cli {

struct MedialArguments {
  MedialWeightOptions options;
  const CLI::App* command = nullptr;
};

void add_medial_options(CLI::App& command, MedialArguments& arguments, const std::string& group);

/// Refuses options of the medial that nothing would read.
void check_medial_options(const MedialArguments& arguments, bool used, const std::string& needs);

/// Prepares the deformer medial and says in the report what it is made of.
PreparedMedial prepared_medial(const WeldedCharacter& welded, const MedialArguments& arguments, int resolution,
                               Session& session);

}  // namespace isochor::cli
