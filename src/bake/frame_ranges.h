#pragma once

/// The frames of all clips, cut into ranges for parallel loops: clips may be many and short.

#include <algorithm>
#include <vector>

#include "isochor/bake/held_motion.h"
#include "isochor/base/parallel.h"

namespace isochor {

/// Some frames of one clip.
struct FrameRange {
  const HeldClip* clip = nullptr;
  Range frames;
  std::size_t first = 0;  ///< of these frames, counted over all clips
};

/// Ranges of at most `most` frames.
inline std::vector<FrameRange> frame_ranges(const HeldMotion& motion, std::size_t most) {
  std::vector<FrameRange> out;
  std::size_t first = 0;
  for (const HeldClip& clip : motion.clips) {
    for (std::size_t begin = 0; begin < clip.frames.size(); begin += most) {
      out.push_back({&clip, {begin, std::min(clip.frames.size(), begin + most)}, first + begin});
    }
    first += clip.frames.size();
  }
  return out;
}

}  // namespace isochor
