#pragma once

/// Pictures of the inside: voxels, cells of the octree, distances in section. All in the shape that the skin was bound
/// in.

#include <array>
#include <string>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/render/render.h"
#include "isochor/rig/character.h"

namespace isochor::cli {

enum class VoxelsShown {
  boundary,  ///< those that the surface passes through
  interior,
  bones,
  all,    ///< the three together: a section shows the inside
  cells,  ///< the cells of the octree
};

struct VoxelPicture {
  std::string voxels;    ///< a name of VoxelsShown, or empty
  std::string distance;  ///< a joint, or empty
  int resolution = 128;
  double penalty = 4;

  bool wanted() const { return !voxels.empty() || !distance.empty(); }
};

/// The scene that the options ask for. A section that is cut through voxels is cut along them: `picture.section` is
/// then taken care of, and reset.
Scene voxel_scene(const Character& character, const VoxelPicture& options, RenderOptions& picture, Context& context);

}  // namespace isochor::cli

namespace isochor {
template <>
struct EnumNames<cli::VoxelsShown> {
  static constexpr std::array names{"boundary", "interior", "bones", "all", "cells"};
};
}  // namespace isochor
