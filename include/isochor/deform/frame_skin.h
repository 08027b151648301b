#pragma once

/// Skin that follows frames, which follow the joints (Bloomenthal 2002, sections 1 to 3). The joints move each frame
/// as a rigid body, the frames move the skin linearly. Frames that lie between two joints share out their twist: skin
/// between two frames that are turned by an angle a against each other keeps cos(a/2) of its radius, however far the
/// joints turn. For 180 degrees that is 0 without intermediate frames, 0.707 with one, 0.924 with three (figure 1).

#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/types.h"
#include "isochor/rig/frame_rig.h"

namespace isochor {

/// The motion of each frame: the mean of its joints' rigid motions, which is the one from which the weighted screws to
/// them all add up to nothing (Kavan 2008: dual quaternion iterative blending). Of two joints, a frame of weights 1 - t
/// and t has done the part t of the screw that leads from one to the other: weights that grow evenly along a limb share
/// its twist evenly. Joints that stretch are split as for dqs, and stretches are blended linearly about the frame's
/// centre. One joint alone is followed to the last bit. `out` has #M entries. Throws as vertex_maps() does for dqs; the
/// vertex that it names is the frame.
void frame_motions(const FrameSkin& skin, std::span<const Affine> skin_matrices, std::span<Affine> out,
                   const Context& context);

/// The map of each vertex of the skin: Σ w F over the frames that it follows. `out` has #V entries.
void frame_maps(const FrameSkin& skin, std::span<const Affine> skin_matrices, std::span<Mat34> out,
                const Context& context);

}  // namespace isochor
