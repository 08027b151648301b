#pragma once

/// The articulated cylinder of the papers: the smallest body that shows what skinning does to volume.

#include <array>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

/// How the two ends are closed; quads only, no pole, either way.
enum class CylinderCap {
  grid,   ///< a square grid bent into a disc; segments must be a multiple of 4
  strip,  ///< quads from side to side, no vertex inside; segments must be even
};
template <>
struct EnumNames<CylinderCap> {
  static constexpr std::array names{"grid", "strip"};
};

struct CylinderOptions {
  int bones = 2;
  double radius = 0.25;
  double length = 2;
  int segments = 24;
  int rings = 49;
  double blend = 0.25;
  double rounding = 0.06;
  CylinderCap cap = CylinderCap::grid;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, CylinderOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.bones, FieldInfo{.name = "bones", .help = "how many segments the skeleton has", .min = 2, .max = 8});
  visit(options.radius, FieldInfo{.name = "radius", .help = "radius", .unit = "m", .min = 1e-3, .max = 1e3});
  visit(options.length, FieldInfo{.name = "length", .help = "length along y", .unit = "m", .min = 1e-3, .max = 1e3});
  visit(options.segments, FieldInfo{.name = "segments", .help = "quads around the axis", .min = 4, .max = 4096});
  visit(options.rings, FieldInfo{.name = "rings", .help = "rings of vertices along the axis", .min = 2, .max = 65536});
  visit(options.blend, FieldInfo{.name = "blend",
                                 .help = "half the length over which the weights of two bones pass into each other",
                                 .unit = "of a bone's length",
                                 .min = 0.01,
                                 .max = 1});
  visit(options.rounding, FieldInfo{.name = "rounding",
                                    .help = "radius of the edge between side and ends (0: a sharp edge)",
                                    .unit = "m",
                                    .min = 0,
                                    .max = 1e3});
  visit(options.cap, FieldInfo{.name = "cap", .help = "how the ends are closed: a grid of quads, or a strip of quads"});
}

/// A closed cylinder of quads along y from 0 to `length`, its bones end to end on the axis. A bone's weight is a cubic
/// step of the height across each joint. Clips: "bend" (0 to 120 degrees), "twist" (0 to 180 degrees) and, with three
/// bones or more, "s-bend". The plain 256 vertices of Rohmer 2008, table 1, are segments = 16, rings = 16, cap = strip,
/// rounding = 0.
Character make_cylinder(const CylinderOptions& options, const Context& context);

}  // namespace isochor
