#pragma once

/// A knight of many shells: the kind of mesh that games ship, and that binding must survive.

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct KnightOptions {
  int body_vertices = 2600;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, KnightOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.body_vertices, FieldInfo{.name = "body-vertices",
                                         .help = "about how many vertices the body under the armour has",
                                         .min = 1000,
                                         .max = 200000});
}

/// What is wrong with the knight, on purpose; all of it in the part "armour".
struct KnightFlaws {
  static constexpr int kDuplicateFaces = 4;    ///< studs: single quads, each there twice, back to back
  static constexpr int kZeroAreaFaces = 3;     ///< slivers: triangles whose corners lie on a line
  static constexpr int kNonManifoldEdges = 1;  ///< the brow fin: a quad that stands on an edge of the helmet
};

/// Parts, all skinned but the last:
///   body    one closed surface, symmetric in x
///   eyes    two closed balls that sit in the head
///   armour  closed shells that intersect the body and each other, rigid or bent with the body, and the flaws
///   cape    an open sheet with one boundary
///   sword   four closed shells, carried by the node "Sword" in the right hand, without a skin
/// In a T-pose, y along the bones. Clips: "walk" (a cycle, in place), "wave", "crouch".
Character make_knight(const KnightOptions& options, const Context& context);

}  // namespace isochor
