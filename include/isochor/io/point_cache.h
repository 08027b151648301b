#pragma once

/// Point caches: the positions of a mesh's vertices frame by frame, for tools that play them instead of a skin.
///
///   PC2  3ds Max's Point Cache 2, also of Blender (Mesh Cache modifier) and Maya plug-ins. Little endian:
///        char[12] "POINTCACHE2\0", int32 version 1, int32 points, float32 start frame, float32 frames per
///        sample, int32 samples; then samples × points × 3 float32.
///   MDD  LightWave's, also of Blender. Big endian: int32 frames, int32 points, float32 seconds of each frame; then
///        frames × points × 3 float32.
///
/// Neither says anything of units and axes: positions are written as they are, in world space and in the units of the
/// character's file. A cache of a glTF has y up and metres. Points are the vertices of one part in the file's order.
///
/// Blender's Mesh Cache modifier replaces the mesh's own coordinates, so that the mesh needs the same vertices, no
/// armature modifier, no parent and no transform of its own. Blender turns a glTF to z up when it imports it: set
/// Forward Z and Up -Y (an imported OBJ keeps its coordinates: leave Forward Y and Up Z). It also gives every material
/// of a glTF its own copies of shared vertices; if that changes their number, take an OBJ of the character (isochor
/// deform FILE --time T -o FILE.obj). Sample k is frame `start` + k.

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

#include "isochor/base/options.h"

namespace isochor {

enum class PointCacheFormat { pc2, mdd };
template <>
struct EnumNames<PointCacheFormat> {
  static constexpr std::array names{"pc2", "mdd"};
};

/// By the extension of a file: `.pc2` or `.mdd`.
std::optional<PointCacheFormat> point_cache_format(const std::filesystem::path& path);

struct PointCache {
  std::size_t points = 0;
  std::vector<double> times;     // #samples, seconds, strictly increasing
  std::vector<float> positions;  // #samples × points × 3
  double start = 0;              ///< the first sample's frame (PC2 only)
  double sample_rate = 1;        ///< frames from sample to sample (PC2 only)
};

/// Throws Error(bad_input) for sizes that do not fit or positions that are not finite, Error(io) as
/// write_file_atomically does.
void write_point_cache(const std::filesystem::path& path, const PointCache& cache, PointCacheFormat format);

/// PC2 has no seconds: its times are its samples' frames. Throws Error(bad_input) for a broken file, and for one with
/// numbers that are not finite.
PointCache read_point_cache(const std::filesystem::path& path, PointCacheFormat format);

}  // namespace isochor
