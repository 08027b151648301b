#pragma once

/// Edits of a glTF document that change what they are asked to change and nothing else. New data is appended in
/// buffer views and accessors of its own; no byte that was there moves. A mesh that several nodes share is duplicated
/// first, so that the other nodes keep theirs. Every function throws Error with a sentence, and leaves the document as
/// it was, if it cannot do what is asked. Vertices are those of the parts that read_gltf() gave.

#include <span>
#include <vector>

#include "isochor/bake/twin_joints.h"
#include "isochor/deform/skinning.h"
#include "isochor/io/gltf_read.h"
#include "isochor/rig/refined_character.h"

namespace isochor {

/// Adds nodes for the joints of `skeleton` that the map does not know yet; the first ones must be those it knows.
void add_joints(GltfSource& source, const Skeleton& skeleton);

/// Binds a part: new JOINTS_n and WEIGHTS_n on its primitives, and the skin if it differs from the document's.
/// A part that had no skin moves to the scene's root, as a skinned mesh ignores its node's place.
/// `skin.joints` refer to the skeleton, `weights` has one row per vertex.
void replace_weights(GltfSource& source, Index part, const Skin& skin, const SkinWeights& weights);

/// Unbinds a part: it has no skin and no weights any more, and goes where its node puts it.
void remove_skin(GltfSource& source, Index part);

/// Appends an animation and returns the index of the clip. Channels move nodes through the map.
Index add_clip(GltfSource& source, const Clip& clip);

/// Removes the animations of all clips but those listed; the map's clips are then those, in increasing order.
void remove_clips_except(GltfSource& source, std::span<const Index> keep);

/// Freezes all parts in a pose, #parts, in world space: positions and normals are replaced (tangents turn with the
/// normals); weights, skins, morph targets and the animation channels that moved the parts are removed.
void make_still(GltfSource& source, std::span<const PosedPart> posed);

/// Gives a part the vertices and faces of its refined form; `how` says where they came from. Vertices that a primitive
/// had stay first in it. Positions and weights are those of `refined`; all else is the mean of what the parents have:
/// texture coordinates, colours, morph targets and attributes of the file's own, normals and tangents at unit length.
/// Integers that are no fractions are those of the first parent. The map must be that of read_gltf(); it is of no use
/// for other edits of this part afterwards, until the document is read again.
void refine_part(GltfSource& source, Index part, const Part& refined, const PartRefinement& how);

/// Offsets in the rest pose at some times of a clip.
struct MorphFrames {
  Index clip = 0;
  std::vector<double> times;        // #K, seconds, strictly increasing as floats
  std::vector<MorphTarget> frames;  // #K: offsets of all vertices; normals if wanted
  /// Between two frames: linear, or step for a clip whose joints step.
  Interpolation interpolation = Interpolation::linear;
};

/// Appends one morph target per frame after those that are there, and animates them in their clips: at a frame's time
/// its target has weight 1, and between two frames the weights change linearly from one to the other, or step. Existing
/// targets and their animation, in all clips, play as before. The mesh's extras remember which targets were added so
/// (MorphTarget::baked).
void add_morph_frames(GltfSource& source, Index part, std::span<const MorphFrames> clips);

/// Weights of targets that are added, at some times of a clip.
struct MorphCurve {
  Index clip = 0;
  std::vector<double> times;                            // #K, seconds, strictly increasing as floats
  std::vector<double> weights;                          // #K × #targets
  Interpolation interpolation = Interpolation::linear;  ///< or step
};

/// Appends targets (bake/morph_basis.h) after those that are there, and animates them in the clips that have a curve;
/// elsewhere their weights are zero. Existing targets and their animation play as before: if a clip animates them
/// already, its curve and the new one become one with the keys of both.
void add_morph_basis(GltfSource& source, Index part, std::span<const MorphTarget> targets,
                     std::span<const MorphCurve> curves);

/// Takes out what the two above have added before, their animation too. Returns the number of targets.
std::size_t remove_baked_targets(GltfDocument& document);

/// Adds twins (bake/twin_joints.h) of the document's character: nodes below the bones that they ride on, places in the
/// skins behind the joints that are there, new weights, and channels in their clips. Nodes remember in their extras
/// that they were added so (Joint::twin). Returns their names.
std::vector<std::string> add_twins(GltfSource& source, const Character& character, const TwinJoints& twins);

/// Takes twins out again: their weight goes back to the joints that they ride on, which then have what they had, to the
/// last bit. Returns the number of twins. A map of the document is of no use afterwards, until it is read again.
std::size_t remove_twins(GltfDocument& document);

}  // namespace isochor
