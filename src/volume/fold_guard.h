#pragma once

/// No face turns over. Where skinning folds the skin, a correction that is exact in volume may push vertices through
/// their own faces and leave a scar. Here the corners of a face that would come near its limits first slide apart, by
/// little and mostly along the skin. Then the skin goes the way to its corrected place in small steps, the slower the
/// nearer a face around it still comes to its limits; what it does not reach is given back by skin that is free. Only
/// what would turn is touched, wherever it lies.
///
/// The second part is the solution of dx/dτ = φ(x) d, with φ continuous and 0 where a face is at its limit: no face
/// passes it, and all of it is continuous in the pose. See docs/design/volume.md.

#include "volume/fold_zone.h"

namespace isochor::volume {

/// Holds back `out`, which is the corrected component, and closes its volume again; false if nothing had to be held
/// back, or faces may turn as they like. Where both cannot be had the faces win, and the component's outcome says so.
/// Adds to what `out` says of its faces.
bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out);

}  // namespace isochor::volume
