#pragma once

/// A held motion as plain joints. Each joint gets twins: joints that ride on it and on its parent, and take a share of
/// that one's weight. As long as a twin rests on its bone nothing changes; moved on top of it, it brings the correction
/// (docs/design/twins.md).

#include <span>
#include <type_traits>
#include <vector>

#include "isochor/bake/held_motion.h"
#include "isochor/base/options.h"

namespace isochor {

struct TwinOptions {
  Index influences = 8;
  Index max_twins = 0;
  /// How far a volume may be off at a frame of the motion that gets no key of its own, as twins are where interpolation
  /// puts them; 0: every frame gets a key. On the command line, --between.
  double between = 1e-3;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, TwinOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.influences,
        FieldInfo{.name = "influences",
                  .help = "with --bake joints: most joints that a vertex follows, twins included; higher: more of the "
                          "correction, for engines that allow as many (weights of the file are never cut)",
                  .min = 2,
                  .max = 32});
  visit(options.max_twins, FieldInfo{.name = "bake-joints",
                                     .help = "with --bake joints: most joints that are added; those that bring least "
                                             "are left out (0: all that bring something)",
                                     .min = 0,
                                     .max = 100000});
}

/// A joint that is added. At rest it has no turn and no scale of its own.
struct Twin {
  Index joint = kNone;      ///< of the skeleton: whose blend region it corrects, and is named after
  Index bone = kNone;       ///< the joint that it rides on: `joint` or one above
  Index component = kNone;  ///< of the welded surface: whose vertices follow it. A sleeve has other twins than the arm
  Vec3 pivot = Vec3::Zero();  ///< its place at rest, relative to `bone`, as a float holds it
};

/// How the twins move in one clip.
struct TwinClip {
  Index clip = 0;  ///< of the character
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;                  // #K
  std::vector<std::vector<Transform>> local;  // by twin: #K relative to its bone; empty if it rests
};

/// How much twins bring, over all frames.
struct TwinFigures {
  double correction = 0;  ///< Σ |wanted - skinned|², over vertices and frames
  double left = 0;        ///< Σ |wanted - shown|² of that
  /// The same if twins could move by any affine map, shear included, each frame by itself and no volume closed.
  double left_with_shear = 0;
  std::size_t frames = 0;
  std::size_t unclosed = 0;  ///< frames in which to close the volume would have cost more than it brings
  std::size_t resting = 0;   ///< frames in which twins could do no better than skinning, and rest
};

struct TwinJoints {
  std::vector<Twin> twins;
  /// By part: rows of the part's weights with the twins in them; no row if no twin has a share. Influence::joint is a
  /// place in the part's skin, or behind those, skin.joints.size() + the twin.
  std::vector<SkinWeights> weights;
  std::vector<TwinClip> clips;
  TwinFigures figures;
  Problems problems;
};

/// Twins for a motion that was held on `welded`, whose weights are round (round_weights()). In every frame the vertices
/// come as near as twins can bring them (least squares), among the ways that close every component's volume. No frame
/// is farther off than by skinning alone.
TwinJoints twin_joints(const HeldMotion& motion, const WeldedCharacter& welded, const TwinOptions& options,
                       Context& context);

}  // namespace isochor
