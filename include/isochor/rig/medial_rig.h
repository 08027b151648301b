#pragma once

/// Skin that follows guides, which follow the joints (Bloomenthal 2002, section 3), as plain data. Binding makes it
/// (bind/prepare_medial.h), deform plays it (deform/medial_skin.h).

#include <span>
#include <vector>

#include "isochor/base/types.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

struct MedialSkin {
  std::vector<Vec3> centres;  // #M guides, at bind time
  SkinWeights guides;         // #M rows, normalised: the joints that move each guide
  SkinWeights skin;           // #V rows, normalised; Influence::joint is a guide
};

/// The guides of a whole character: those of all its skins, and one for each node that carries a part without one.
struct MedialRig {
  /// What a guide follows.
  struct Driver {
    Index joint = kNone;                       ///< of the skeleton; kNone: it stays where it is
    Affine inverse_bind = Affine::Identity();  ///< the space of the guides -> joint space, at bind time
  };
  std::vector<Driver> drivers;
  MedialSkin skin;  ///< guides follow drivers; the rows of the skin are those of the welded surface
  /// By part of the character: its mesh space -> the space of the guides that it follows. Empty: they are the same.
  std::vector<Affine> placements;
};

/// What moves each driver: global · inverse bind. `global` has one matrix for each joint of the skeleton, `out` one for
/// each driver.
void driver_matrices(const MedialRig& rig, std::span<const Affine> global, std::span<Affine> out);

/// What a rig must fit: the welded surface, the skeleton and the parts of a character.
struct MedialRigSize {
  std::size_t vertices = 0;
  std::size_t joints = 0;
  std::size_t parts = 0;
};
/// Throws Error(bad_input) if the rig was made for another character: numbers of vertices, joints or parts do not fit.
void check_size(const MedialRig& rig, const MedialRigSize& size);
/// The same if a row is empty or refers to what is not there.
void check(const MedialRig& rig, const MedialRigSize& size);

}  // namespace isochor
