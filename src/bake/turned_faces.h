#pragma once

/// Faces that are turned over in what a viewer shows, against what the deformer alone makes of them.

#include <span>
#include <vector>

#include "isochor/deform/posed_skin.h"
#include "isochor/mesh/face_turns.h"

namespace isochor {

/// By component of the character.
std::vector<VolumeFunctional> component_volumes(const WeldedCharacter& welded);

class TurnedFaces {
 public:
  /// `volumes` by component of the character; both must outlive it.
  TurnedFaces(const WeldedCharacter& welded, std::span<const VolumeFunctional> volumes);

  /// Of the components that have a volume, in a pose. `shown`: #V of the welded surface. Faces below a thousandth of
  /// the median are left out.
  std::size_t count(const PosedSkin& posed, std::span<const Vec3> shown) const {
    return count(posed, posed.positions, shown);
  }
  /// The same against other places than those of `posed`, in the same pose.
  std::size_t count(const PosedSkin& posed, std::span<const Vec3> before, std::span<const Vec3> shown) const;
  /// The area below which a face of this component is left out; infinite if the component has no volume.
  double crushed(const PosedSkin& posed, std::size_t component) const;

  /// Those that are turned over in `shown`, or so near to it that what morph targets round may turn them.
  std::size_t count_far_over(const PosedSkin& posed, std::span<const Vec3> shown) const;

 private:
  const WeldedCharacter& welded_;
  std::span<const VolumeFunctional> volumes_;
  std::vector<double> median_areas_;  // by component, at rest
};

}  // namespace isochor
