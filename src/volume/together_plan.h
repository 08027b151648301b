#pragma once

/// What the correction of all joints at once needs and time does not change.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "isochor/volume/bend_axes.h"
#include "isochor/volume/corrector.h"
#include "volume/regions.h"

namespace isochor::volume {

/// One component with a volume.
struct ComponentPlan {
  Index index = kNone;                       ///< into the topology's components
  Index first_region = 0, region_count = 0;  ///< into the plan's regions
  VolumeFunctional whole;
  VolumeFunctional touched;                               ///< the rings around the support
  std::vector<Index> touched_of_whole, whole_of_touched;  ///< by ring of one: that of the other, or kNone
  std::vector<Index> support;                             ///< where any γ > 0, increasing
  VolumeFunctional untouched;                             ///< all others
  VolumeFunctional lids;                                  ///< the caps of all regions
  bool rigid = true;                                      ///< follows one bone alone
  double radius = 0;                                      ///< of the body: twice the volume over the area
  double face_area = 0;                                   ///< of a face: the median
  /// #regions²: yᵀ K y is the squared slope of the skin's displacement where the joints give y, in the mean over a
  /// region.
  Eigen::MatrixXd steepness;

  Index end_region() const { return first_region + region_count; }
};

struct TogetherPlan {
  const WeldedCharacter* welded = nullptr;
  VolumeOptions options;
  std::vector<JointRegion> regions;
  std::vector<ComponentPlan> components;  ///< those with a volume
  std::vector<Index> stands_for;          ///< by joint of the skeleton, see standing_for()

  std::vector<Vec3> rest_normals;  ///< #V, unit, towards growing (signed) volume
  std::vector<double> rest_areas;  ///< #V
  std::vector<double> radius;      ///< #V: of the body there

  /// The regions whose γ is not zero at a vertex, with γ; and the regions that hold every ring around it.
  std::vector<Index> blend_begin, inner_begin;  ///< #V+1
  std::vector<Index> blend_region;
  std::vector<double> blend_gamma;
  std::vector<Index> inner;

  /// By region: the bones of its joint, `joint` kNone if it bends nothing; by joint: world to joint as it was bound.
  std::vector<JointAxes> axes;
  std::vector<Affine> inverse_bind;

  std::vector<VolumeFunctional> rims;       ///< by region: its rings around its rim
  std::vector<std::vector<Index>> rings;    ///< by region: of the component's `touched`, then of its `lids`
  std::vector<std::vector<Index>> samples;  ///< by region: some of its vertices, evenly picked
  std::vector<double> gamma_squares;        ///< by region: Σ γ²

  std::span<const Index> inner_at(Index v) const {
    return {inner.data() + inner_begin[v], inner.data() + inner_begin[v + 1]};
  }
  /// The rings of `touched` and `lids`, of the component that has most.
  std::size_t most_rings() const;
};

/// `radii` as local_radii() gives them: they depend on the shape alone, so that other weights need no new ones.
TogetherPlan plan_together(const WeldedCharacter& welded, const VolumeOptions& options, std::vector<double> radii);

}  // namespace isochor::volume
