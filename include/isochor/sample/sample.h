#pragma once

/// The procedural characters by name.

#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"
#include "isochor/sample/cylinder.h"
#include "isochor/sample/elephant.h"
#include "isochor/sample/giraffe.h"
#include "isochor/sample/knight.h"
#include "isochor/sample/mouth.h"
#include "isochor/sample/shoulder.h"

namespace isochor {

struct SampleInfo {
  std::string name;
  std::string description;  ///< one sentence
};

/// What can be chosen for a sample; each uses what concerns it.
struct SampleOptions {
  int refinement = 0;
  CylinderOptions cylinder;  ///< its `bones` are set by the name
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, SampleOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.refinement,
        FieldInfo{.name = "refinement",
                  .help = "how often every quad of the animals and the knight's body is split in four",
                  .min = 0,
                  .max = 3});
  describe(options.cylinder, visit);
}

std::vector<SampleInfo> samples();

/// Throws Error(bad_input) with the list of names for an unknown one.
Character make_sample(std::string_view name, const SampleOptions& options, const Context& context);
Character make_sample(std::string_view name, const SampleOptions& options = {});

}  // namespace isochor
