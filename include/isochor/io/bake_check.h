#pragma once

/// How well a written file plays what was baked into it, found by reading it and playing it.

#include <filesystem>
#include <span>
#include <vector>

#include "isochor/bake/held_motion.h"

namespace isochor {

struct BakeErrors {
  /// The largest distance from a frame's positions, relative to the diagonal of that frame's bounding box.
  double max_position_error = 0;
  /// The largest |volume - target| / |target|, over components that have a volume, at the frames' times.
  double max_volume_error = 0;
  std::vector<double> volume_errors;  ///< the same by component
  /// The same half-way between neighbouring frames of a clip.
  double max_volume_error_between = 0;
  /// The most faces of one moment whose normal is more than 90° away from what the deformer alone makes of it, at the
  /// frames' times and half-way between them.
  std::size_t max_turned_faces = 0, max_turned_faces_between = 0;
  /// Of a file with twins: Σ |wanted - skinned|² over vertices and keys, and what is left of it.
  double correction = 0, left = 0;
  /// Of a file with twins, over all keys: faces that look the other way than by skinning alone; and how many of them
  /// were to do so.
  std::size_t turned_faces = 0, turned_faces_wanted = 0;
  Problems problems;  ///< targets that are too few to hold the volume
};

/// The motion was held on the character of the file; where skinning shows all of it, volumes alone are checked. Throws
/// as GltfDocument::open and read_gltf do, and Error(bad_input) if the file has other clips, parts or vertices than the
/// motion.
/// `keys`, if given: by clip of the motion, the times at which the file has keys. Other frames count as moments between
/// keys.
BakeErrors check_bake(const std::filesystem::path& file, const HeldMotion& motion, Context& context,
                      std::span<const std::vector<double>> keys = {});

/// The volumes alone, of a motion that was held for point caches: as these have it, in single precision, at their
/// samples, and half-way between two of them, where players show the mean of both.
BakeErrors check_caches(const HeldMotion& motion, const WeldedCharacter& welded, Context& context);

}  // namespace isochor
