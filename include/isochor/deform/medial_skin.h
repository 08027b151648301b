#pragma once

/// Skin that follows guides, which follow the joints (Bloomenthal 2002, sections 1 to 3). The joints move each guide
/// as a rigid body, the guides move the skin linearly. Guides that lie between two joints share out their twist: skin
/// between two guides that are turned by an angle a against each other keeps cos(a/2) of its radius, however far the
/// joints turn. For 180 degrees that is 0 without intermediate guides, 0.707 with one, 0.924 with three (figure 1).

#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/types.h"
#include "isochor/rig/medial_rig.h"

namespace isochor {

/// The motion of each guide: the mean of its joints' rigid motions, which is the one from which the weighted screws to
/// them all add up to nothing (Kavan 2008: dual quaternion iterative blending). Of two joints, a guide of weights 1 - t
/// and t has done the part t of the screw that leads from one to the other: weights that grow evenly along a limb share
/// its twist evenly. Joints that stretch are split as for dqs, and stretches are blended linearly about the guide's
/// centre. One joint alone is followed to the last bit. `out` has #M entries. Throws as vertex_maps() does for dqs; the
/// vertex that it names is the guide.
void guide_motions(const MedialSkin& skin, std::span<const Affine> skin_matrices, std::span<Affine> out,
                   const Context& context);

/// The map of each vertex of the skin: Σ w F over the guides that it follows. `out` has #V entries.
void guide_maps(const MedialSkin& skin, std::span<const Affine> skin_matrices, std::span<Mat34> out,
                const Context& context);

}  // namespace isochor
