#pragma once

/// The voxels through which the medial passes, each with the point of it that is known best.

#include <vector>

#include "isochor/medial/complex.h"
#include "medial/solid_voxels.h"

namespace isochor {

struct Ridge {
  std::vector<Index> voxel;    // #R: in the list of voxels, increasing
  std::vector<Vec3> point;     // #R: in voxels, as all lengths here
  std::vector<double> radius;  // #R
  std::size_t bridged = 0;

  std::size_t size() const { return voxel.size(); }
};

/// Connected (by faces, edges and corners) where the voxels are.
Ridge find_ridge(const SolidVoxels& voxels, double angle, const Context& context);

}  // namespace isochor
