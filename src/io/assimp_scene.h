#pragma once

/// From assimp's scene to a Character, in steps.

#include <assimp/scene.h>

#include <map>
#include <string>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor {

/// What the steps share: where the nodes of the file went.
struct AssimpNodes {
  std::vector<const aiNode*> nodes;    // #J, in the skeleton's order
  std::map<std::string, Index> joint;  ///< by name; the first of equal names
};

std::string assimp_name(const aiString& name);
Affine assimp_matrix(const aiMatrix4x4& matrix);

/// Nodes become joints, parents first. None deforms yet.
AssimpNodes read_nodes(const aiScene& scene, Skeleton& skeleton);

/// Parts, skins and weights; marks the joints that deform. assimp gives every face corner a vertex of its own; the
/// vertices that corners share in the file are rebuilt.
void read_meshes(const aiScene& scene, AssimpNodes& nodes, Character& character);

/// Materials that faces use; face_material is renamed accordingly.
void read_assimp_materials(const aiScene& scene, Character& character);

void read_animations(const aiScene& scene, const AssimpNodes& nodes, Character& character);

}  // namespace isochor
