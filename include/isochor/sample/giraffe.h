#pragma once

/// A rubber giraffe after figure 1 of Rohmer 2009, whose neck is the classic case of a bend that loses volume.

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct GiraffeOptions {
  int refinement = 0;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GiraffeOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.refinement,
        FieldInfo{.name = "refinement",
                  .help = "how often every quad is split in four beyond the size of the paper's model",
                  .min = 0,
                  .max = 4});
}

/// One closed surface of quads, symmetric in x, of about the 1,673 vertices of the paper's table 1.
/// Clips: "neck-bend" (112 degrees over four joints, to the side), "idle".
Character make_giraffe(const GiraffeOptions& options, const Context& context);

}  // namespace isochor
