#pragma once

/// A character as it comes out of a file: parts (meshes) that follow one skeleton, and clips.

#include <string>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/mesh/weld.h"
#include "isochor/rig/clip.h"
#include "isochor/rig/skeleton.h"
#include "isochor/rig/skin_weights.h"

namespace isochor {

/// Which joints move a part, and where they were when it was bound.
struct Skin {
  std::string name;
  std::vector<Index> joints;         // #J of this skin: indices into the skeleton
  std::vector<Affine> inverse_bind;  // #J: mesh space -> joint space at bind time
};

struct MorphTarget {
  std::string name;
  std::vector<Vec3> positions;  // #V offsets
  std::vector<Vec3> normals;    // #V offsets, or empty
  /// Made by bake(): it brings what skinning lacks, and says nothing about the volume that the character should have.
  bool baked = false;
};

struct Material {
  std::string name;
  Eigen::Vector4f base_color = {0.8f, 0.8f, 0.8f, 1.0f};  ///< linear RGBA
  float metallic = 0.0f;
  float roughness = 0.8f;
  bool double_sided = false;
};

/// One mesh of the file, all its primitives together, in the file's vertex order.
///
/// Skinned (skin.joints not empty): a vertex goes to  Σ_j w_j · global(skin.joints[j]) · inverse_bind[j] · v,
/// whatever `node` does. Unskinned: it moves rigidly with `node`:  global(node) · v.
struct Part {
  std::string name;
  Surface surface;
  std::vector<Vec3> normals;          // #V, or empty if the file has none
  std::vector<Vec2f> uvs;             // #V, or empty
  std::vector<Vec3f> corner_normals;  // #C, or empty: where the source has them by corner (OBJ, FBX …)
  std::vector<Vec2f> corner_uvs;      // #C, or empty
  std::vector<Index> face_material;   // #F into Character::materials, or empty
  Index node = kNone;                 ///< the joint (node) that carries the mesh
  Skin skin;
  SkinWeights weights;  // #V rows if skinned, no row otherwise
  /// Vertices that the file gives no usable weight, increasing: the reader lets them follow a fallback joint, which is
  /// nobody's choice, so that comparing and binding leave these rows out.
  std::vector<Index> unweighted;
  std::vector<MorphTarget> morphs;
  std::vector<double> morph_weights;  // default weights, #morphs

  bool skinned() const { return !skin.joints.empty(); }
};

/// Whether the file itself gives a vertex of a part weights: the part has a skin, and the vertex is not `unweighted`.
bool has_weight(const Part& part, std::size_t vertex);

struct Character {
  std::string name;
  std::vector<Part> parts;
  Skeleton skeleton;
  std::vector<Clip> clips;
  std::vector<Material> materials;
  Problems problems;  ///< what the reader found and what it did about it

  std::size_t vertex_count() const;
  struct FaceCounts {
    std::size_t triangles = 0, quads = 0, polygons = 0;
  };
  FaceCounts count_faces() const;
  const Clip* find_clip(std::string_view name) const;
};

/// Whether any morph target was made by bake().
bool has_baked(const Character& character);
/// The number of twins among the joints.
std::size_t twin_count(const Character& character);

/// Skin matrices of a part: global(joint) · inverse_bind, for each joint of its skin.
std::vector<Affine> skin_matrices(const Skin& skin, std::span<const Affine> global);
/// Writes into `out`; allocates nothing.
void skin_matrices(const Skin& skin, std::span<const Affine> global, std::span<Affine> out);

/// A vertex of a part.
struct PartVertex {
  std::size_t part = 0;
  std::size_t vertex = 0;
};

/// All parts as one surface, welded, so that topology and volume see the whole character. Parts are welded to each
/// other only if they share joints, or if neither has a skin: two instances of one mesh that lie on each other in
/// the bind pose go different ways and stay apart.
struct WholeSurface {
  Weld weld;                      ///< source vertices: those of part 0, then of part 1 …
  std::vector<Index> part_begin;  // #parts+1: first source vertex of each part

  /// Which vertex of which part a source vertex is.
  PartVertex part_vertex(Index source) const;
  /// The same of the lowest source of a welded vertex, which speaks for it.
  PartVertex first_vertex(Index welded) const { return part_vertex(weld.first_source[welded]); }
  Index source(std::size_t part, std::size_t vertex) const { return part_begin[part] + static_cast<Index>(vertex); }
  Index welded(std::size_t part, std::size_t vertex) const { return weld.vertex[source(part, vertex)]; }
  /// Whether a part's vertex speaks for the welded vertex that it became.
  bool leads(std::size_t part, std::size_t vertex) const {
    return weld.first_source[welded(part, vertex)] == source(part, vertex);
  }
};
/// Skinned parts in their bind pose (mesh space); unskinned parts where the rest pose puts them.
WholeSurface assemble(const Character& character, const WeldOptions& options = {});

/// Warnings if a pose takes joints so far away (kFarAway) from a character of this size, or makes them so large.
Problems check_reach(const Pose& pose, const Character& character);

/// Everything validate() of the pieces finds, and what concerns their fit: rows per vertex, sizes, joints of skins.
Problems validate(const Character& character);

}  // namespace isochor
