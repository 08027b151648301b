#pragma once

/// A torso with arms, after figures 5 and 8 of Bloomenthal 2002: shoulders, of which skinning is least sure.

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/rig/character.h"

namespace isochor {

struct ShoulderOptions {
  int vertices = 5000;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, ShoulderOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.vertices,
        FieldInfo{.name = "vertices", .help = "about how many vertices the surface has", .min = 1000, .max = 500000});
}

/// Joints Spine, Chest, Neck, and Arm and Forearm on either side; one closed surface of quads, symmetric in x. The
/// clips turn the left arm at the shoulder: "twist" about itself (to 120 degrees), "pitch" forward and back (60 degrees
/// either way), "yaw" up and down (60 and 40 degrees).
Character make_shoulder(const ShoulderOptions& options, const Context& context);

}  // namespace isochor
