#pragma once

/// How fine voxels must be, so that limbs which are apart in the mesh stay apart (the paper's future work).

#include <string>

#include "isochor/base/context.h"
#include "isochor/bind/handles.h"
#include "isochor/mesh/surface.h"

namespace isochor {

struct ResolutionChoice {
  Index resolution = 128;  ///< a power of two, kCoarsest … kFinest
  std::string reason;      ///< a sentence
  double gap = 0;          ///< the narrowest gap between limbs that counts; 0 if there is none
  double thickness = 0;    ///< the distance from skin to bone that all but the thinnest limbs have
  bool too_fine = false;   ///< even kFinest does not keep them apart

  static constexpr Index kCoarsest = 64;
  static constexpr Index kFinest = 512;
};

/// From points of the surface, a short look outward: what is seen there, facing back, is a gap. It counts if the two
/// sides follow bones that do not touch each other, and if the way along the surface from one side to the other is
/// long for the limb's thickness: beside a crotch or an armpit a voxel that bridges the gap changes nothing.
/// Voxels are then small enough to leave one free in the gap, and thin limbs about two voxels of radius.
ResolutionChoice choose_resolution(const Surface& surface, std::span<const Handle> handles, const Context& context);

}  // namespace isochor
