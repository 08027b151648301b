#pragma once

/// Skinning of float vertices, fast: prepared once, then applied frame by frame without allocating.

#include <memory>
#include <span>

#include "isochor/base/context.h"
#include "isochor/deform/skinning.h"

namespace isochor {

struct SkinnerOptions {
  Deformer deformer = Deformer::lbs;
  /// Normals are always turned by the inverse transpose of the vertex's map. If false, lbs leaves the length that
  /// its cofactors give them (the area that the map gives to a unit of area), which is a little faster; for shaders
  /// that normalise anyway.
  bool unit_normals = true;
};

/// Positions and normals as interleaved float xyz: x0 y0 z0 x1 y1 z1 …
///
///   Skinner skinner = Skinner::prepare(positions, normals, weights, {.deformer = Deformer::dqs});
///   for (each frame) skinner.apply(matrices, positions_out, normals_out, context);
///
/// The result is that of vertex_maps, transform_positions and transform_normals (see skinning.h) within rounding: 1e-6
/// of the size of the character plus that of its distance from the origin. The same bytes for any number of threads and
/// on any processor.
///
/// An object may be moved, not copied; it serves one apply() at a time.
class Skinner {
 public:
  /// Copies what it needs.
  ///   positions  #V × 3, finite
  ///   normals    #V × 3, or empty for positions only; unit length is not required
  ///   weights    #V rows, any number of influences. Rows are normalised; a row without any weight, or with one that is
  ///              negative or not finite, is refused with Error(bad_input).
  static Skinner prepare(std::span<const float> positions, std::span<const float> normals, const SkinWeights& weights,
                         const SkinnerOptions& options = {});

  Skinner();
  Skinner(Skinner&&) noexcept;
  Skinner& operator=(Skinner&&) noexcept;
  ~Skinner();

  std::size_t vertex_count() const;
  bool has_normals() const;
  /// The highest joint that any vertex follows, plus one: at least so many matrices does apply() need.
  std::size_t joint_count() const;

  /// Other rest positions and normals for the same vertices, as after a change of morph weights. Allocates nothing.
  void update_rest(std::span<const float> positions, std::span<const float> normals);

  /// Writes #V × 3 floats each; `normals` is empty if the object was prepared without. Allocates nothing.
  /// Throws Error(bad_input) if a joint that is in use has no finite matrix, and Error(unsupported) as vertex_maps
  /// does.
  void apply(std::span<const Affine> skin_matrices, std::span<float> positions, std::span<float> normals,
             const Context& context);

 private:
  friend struct SkinnerAccess;
  struct Prepared;
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace isochor
