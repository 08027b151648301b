#pragma once

/// A tongue in a mouth, after figure 7 of Rohmer 2009: a shape where straight lines choose the wrong bone.

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct MouthOptions {
  int vertices = 4000;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, MouthOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.vertices,
        FieldInfo{.name = "vertices", .help = "about how many vertices the surface has", .min = 1000, .max = 500000});
}

/// A head of three joints, Throat, Head and Jaw, one closed surface of quads, symmetric in x. The tongue grows from the
/// back of the mouth, right above where the jaw begins, and lies freely in it. Its weights follow the jaw. Clips:
/// "open", "nod".
Character make_mouth(const MouthOptions& options, const Context& context);

}  // namespace isochor
