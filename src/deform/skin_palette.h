#pragma once

/// What a frame's skin matrices become for the kernels (skin_kernels.h): computed in double, stored in float.

#include <span>
#include <vector>

#include "deform/aligned_vector.h"
#include "deform/joint_motion.h"
#include "deform/skin_blocks.h"

namespace isochor {

/// Buffers that live from frame to frame, so that a frame allocates nothing.
class SkinPalette {
 public:
  enum class Kind { lbs, dqs, stretch };

  SkinPalette() = default;
  /// `centre`: rest positions are relative to it.
  SkinPalette(Deformer deformer, std::span<const PaletteSource> sources, const Vec3& centre);

  std::size_t joint_count() const { return motions_.size(); }

  /// Throws as Skinner::apply does. `sources` as in the constructor.
  void update(std::span<const PaletteSource> sources, std::span<const Affine> matrices);

  /// Of the last update(). Translations in the palette are relative to offset(), where the joints carry the centre on
  /// average: floats then resolve the character, however far it is from the origin.
  Kind kind() const { return kind_; }
  const float* data() const { return entries_.data(); }
  const Eigen::Vector3f& offset() const { return offset_; }
  float scale() const { return scale_; }

 private:
  void check_matrices(std::span<const Affine> matrices) const;
  void check_handedness(std::span<const PaletteSource> sources) const;
  bool have_common_scale();
  Vec3 place_of_centre(const Affine& matrix) const;

  void write_lbs(std::span<const PaletteSource> sources, std::span<const Affine> matrices);
  void write_dqs(std::span<const PaletteSource> sources, std::span<const Affine> matrices);
  void write_stretch(std::span<const PaletteSource> sources, std::span<const Affine> matrices);

  Deformer deformer_ = Deformer::lbs;
  Vec3 centre_ = Vec3::Zero();
  std::vector<Index> used_joints_;  ///< increasing
  std::vector<JointMotion> motions_;
  AlignedVector<float> entries_;
  Kind kind_ = Kind::lbs;
  Eigen::Vector3f offset_ = Eigen::Vector3f::Zero();
  float scale_ = 1;
};

}  // namespace isochor
