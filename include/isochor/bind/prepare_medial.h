#pragma once

/// The deformer medial, prepared for a character (Bloomenthal 2002, section 3): the joints move the vertices of the
/// medial complex as guides, and these move the skin, both by convolution. Made once, played by any number of frames
/// and threads:
///
///   const WeldedCharacter welded(character);
///   const auto medial = std::make_shared<MedialRig>(prepare_medial(welded, {}, context).rig);
///   CorrectedPlayback playback(welded, {.deformer = Deformer::medial, .medial = medial}, context);

#include "isochor/bind/bind.h"
#include "isochor/rig/medial_rig.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

struct PreparedMedial {
  MedialRig rig;
  MedialComplex complex;    ///< of all volumes: its vertices are the first guides of the rig
  MedialReport report;      ///< all volumes together
  Index resolution = 0;     ///< the largest of the volumes
  std::size_t carried = 0;  ///< vertices of the welded surface that follow one joint alone
  Problems problems;
};

/// Of the options those of joints, voxels, welding and the medial are read (BindOptions::gvb, medial, handles, weld,
/// unused). What the weights of the character's skins mean for it:
///
///   - joints that move nothing in them take no part, as in bind();
///   - a piece of the mesh of whose weights one joint has 0.9, and the most at every vertex, follows it alone: helmets,
///     swords, eyes, the limbs of a doll;
///   - a vertex of the medial follows a joint alone where all the skin about it does: a head stays rigid as its author
///     made it, and what has no bones of its own (ears, a trunk) is not left to those near by;
///   - everything else is moved by convolution, whatever its weights are.
///
/// Parts without a skin follow their node. Throws as bind() does.
PreparedMedial prepare_medial(const WeldedCharacter& welded, const BindOptions& options, Context& context);

}  // namespace isochor
