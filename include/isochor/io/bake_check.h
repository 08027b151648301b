#pragma once

/// How well a written file plays what was baked into it, found by reading it and playing it.

#include <filesystem>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/types.h"

namespace isochor {

/// What a character should look like at one moment.
struct BakeReference {
  Index clip = 0;                             ///< of the written file
  double time = 0;                            ///< seconds
  std::vector<std::vector<Vec3f>> positions;  ///< by part of the written file, in its vertices, in world space
  std::vector<double> volumes;                ///< by component (Playback::topology), signed; empty: not checked
};

struct BakeErrors {
  /// The largest distance from a reference, relative to the diagonal of that frame's bounding box.
  double max_position_error = 0;
  /// The largest |volume - reference| / |reference|, over components that have a volume, at the references' times.
  double max_volume_error = 0;
  std::vector<double> volume_errors;  ///< the same by component
  /// The same half-way between neighbouring references of a clip, against the mean of their volumes.
  double max_volume_error_between = 0;
};

/// References of a clip stand one after another, in the order of time. Throws as GltfDocument::open and read_gltf do,
/// and Error(bad_input) where the file has other clips, parts or vertices than the references.
BakeErrors check_bake(const std::filesystem::path& file, std::span<const BakeReference> references, Context& context);

}  // namespace isochor
