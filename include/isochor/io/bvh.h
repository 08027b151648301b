#pragma once

/// Biovision BVH: a skeleton and one motion.

#include <filesystem>
#include <string>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// A character without parts: the skeleton, and one clip if the file has at least one frame.
///
/// Rest transforms are the OFFSETs; an End Site is its joint's tail. Any joint may have any subset of the six channels
/// in any order; rotations are multiplied in the order in which the channels stand. Position channels replace the
/// OFFSET's coordinate of the same axis, as motion editors do; a joint's rotations are continuous in sign. Joint names
/// that repeat get a number. A file without MOTION gives the skeleton alone; one with fewer frames than announced gives
/// those that are complete, with a warning.
Character read_bvh(const std::filesystem::path& path);
Character parse_bvh(std::string_view text);

/// The clip, sampled at `frame_time` seconds from its start, as BVH text with ZYX rotations; joints that the clip
/// translates have six channels. Scale cannot be expressed and is refused.
std::string format_bvh(const Skeleton& skeleton, const Clip& clip, double frame_time);

}  // namespace isochor
