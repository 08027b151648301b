#pragma once

/// An elephant after figures 1, 8 and 9 of Rohmer 2009: large soft regions, many joints at once.

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct ElephantOptions {
  int refinement = 0;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, ElephantOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.refinement,
        FieldInfo{.name = "refinement",
                  .help = "how often every quad is split in four beyond the size of the paper's model",
                  .min = 0,
                  .max = 3});
}

/// One closed surface of quads, symmetric in x, of about the 6,646 vertices of the paper's table 1.
/// Clips: "walk" (a cycle, in place), "sit" (down on its haunches); more than 17 joints turn in each.
Character make_elephant(const ElephantOptions& options, const Context& context);

}  // namespace isochor
