#pragma once

/// Normals that follow a deformed surface, as offsets in the rest pose. Skinning turns normals by the maps of single
/// vertices, which know nothing of how weights and corrections change from one vertex to the next; the surface does.

#include <span>
#include <vector>

#include "isochor/deform/skinning.h"
#include "isochor/rig/character.h"

namespace isochor {

/// Which faces shade a vertex. Files split vertices at seams: those that lie on each other and have the same normal
/// share the faces around them, over parts too, while a hard edge stays hard.
class SurfaceNormals {
 public:
  /// Keeps what it needs of both.
  SurfaceNormals(const Character& character, const WholeSurface& whole);

  /// How the faces that shade each vertex turned: out[part][vertex] = Σ a' nᵀ over these faces, a' a face's area vector
  /// in the pose and n its unit normal at rest. Positions are those of the parts' vertices.
  using Positions = std::span<const std::span<const Vec3>>;
  std::vector<std::vector<Mat3>> turns(Positions rest, Positions posed) const;

 private:
  struct Face {
    Index part, begin, end;  ///< into corners_
  };
  /// By face: its unit normal in these positions. Those of the rest pose are at hand.
  std::vector<Vec3> normals_at(Positions rest) const;

  std::vector<Face> faces_;
  std::vector<Index> corners_;             ///< vertices of the face's part
  std::vector<std::vector<Vec3>> rest_;    ///< by part: where its vertices are without morph targets
  std::vector<Vec3> rest_normals_;         ///< by face, there
  std::vector<std::vector<Index>> group_;  ///< by part and vertex
  std::size_t group_count_ = 0;
};

struct NormalOffsetInput {
  std::span<const Mat34> maps = {};         // #V: the viewer's map of each vertex (linear blend skinning)
  std::span<const Vec3> rest_normals = {};  // #V, unit
  std::span<const Mat3> turns = {};         // #V of SurfaceNormals::turns()
};

/// The rest normal turned as the faces around it turn, less the rest normal. The turn is the rotation that best takes
/// the faces' normals at rest to where linear(M)^T carries their posed normals back, the one nearest to none where
/// faces leave it open. So a viewer that turns normals by the inverse transpose shades the posed surface, what the
/// artist made of the normals is kept, and thin rims, whose faces cancel, are as safe as flat skin. Zero where the
/// surface moves rigidly with its map (exactly, below 1e-6), and where there is no surface to speak of.
std::vector<Vec3> normal_offsets(const NormalOffsetInput& input);

}  // namespace isochor
