#pragma once

/// Pictures of the inside: voxels, cells of the octree, distances in section. All in the shape that the skin was bound
/// in.

#include <array>
#include <optional>
#include <string>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/render/render.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

enum class VoxelsShown {
  boundary,  ///< those that the surface passes through
  interior,
  bones,
  all,    ///< the three together: a section shows the inside
  cells,  ///< the cells of the octree
};
template <>
struct EnumNames<VoxelsShown> {
  static constexpr std::array names{"boundary", "interior", "bones", "all", "cells"};
};

struct VoxelPicture {
  std::optional<VoxelsShown> voxels;
  std::string distance;  ///< to this joint, in place of voxels; empty: none
  int resolution = 128;  ///< a power of two from 8 to 1024
  double penalty = 4;    ///< how much longer a step into a voxel of the surface counts

  bool wanted() const { return voxels || !distance.empty(); }
};

/// The scene that the options ask for. A section that is cut through voxels is cut along them: `picture.section` is
/// then taken care of, and reset.
Scene voxel_scene(const WeldedCharacter& welded, const VoxelPicture& options, RenderOptions& picture, Context& context);

}  // namespace isochor
