#pragma once

/// A pose as a small JSON file:
///
///   { "joints": { "Elbow":   {"turn": [0, 0, 90]},
///                 "*Finger*": {"turn": [30, 0, 0]},
///                 "Hips":    {"translation": [0, 0.9, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]} } }
///
/// `turn` is in degrees about the joint's own x, y and z axes (z first, as x·y·z multiply), on top of its rest
/// rotation. `translation`, `rotation` (x, y, z, w) and `scale` replace those of the rest pose, relative to the parent,
/// as in glTF. Names may hold * and ?; a joint that several entries name takes the last.

#include <filesystem>
#include <string_view>

#include "isochor/rig/skeleton.h"

namespace isochor {

/// The rest pose with the file's changes. Throws Error(bad_input) with the entry's name for anything it does not
/// understand, and for a name that no joint has.
Pose read_pose(const std::filesystem::path& path, const Skeleton& skeleton);
Pose parse_pose(std::string_view text, const Skeleton& skeleton);

}  // namespace isochor
