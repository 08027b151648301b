#pragma once

/// The knight's plates, as loose shells.

#include <string>
#include <vector>

#include "isochor/mesh/surface.h"

namespace isochor::model {

enum KnightMaterial : Index { skin, mail, leather, steel, gold, cloth, plume, eye_white, iris, blade };

/// One shell. Rigid plates follow one joint; plates without one bend with the body beneath them.
struct Plate {
  Surface surface;
  Index material = steel;
  std::string joint = {};
};

/// All plates, those of the right side mirrored from the left; the helmet is the first.
std::vector<Plate> knight_plates();

/// The part's deliberate flaws (see KnightFlaws), added to plates as they are: the fin joins the helmet, studs and
/// slivers are shells of their own.
void add_flaws(std::vector<Plate>& plates);

/// Blade, guard, grip and pommel, in the space of the T-pose.
std::vector<Plate> knight_sword();

}  // namespace isochor::model
