#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/bits.h"
#include "io/assimp_scene.h"
#include "io/text.h"

namespace isochor {

namespace {

/// A bone as the meshes of one part see it.
struct PartBone {
  Index joint = kNone;
  Affine inverse_bind = Affine::Identity();
};

/// Meshes of one node that move together, put one after another.
struct MeshGroup {
  std::vector<const aiMesh*> meshes;
  std::map<std::string, PartBone> bones;
  bool skinned = false;
};

bool finite(const aiVector3D& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

Vec3 to_vec3(const aiVector3D& v) { return Vec3f(v.x, v.y, v.z).cast<double>(); }

class MeshReader {
 public:
  MeshReader(const aiScene& scene, AssimpNodes& nodes, Character& character)
      : scene_(scene), nodes_(nodes), character_(character) {}

  void read() {
    const std::size_t count = nodes_.nodes.size();
    for (std::size_t j = 0; j < count; ++j) {
      for (const MeshGroup& group : groups_of(*nodes_.nodes[j])) add_part(group, static_cast<Index>(j));
    }
    not_faces_.report(character_.problems, Severity::note, "small-faces",
                      "{} points and lines among the faces were left out");
    lost_bones_.report(
        character_.problems, Severity::warning, "bones-without-node",
        "{} bone{|s} {has|have} no node in the file: {it stands|they stand} where {it was|they were} bound");
  }

 private:
  /// assimp cuts a mesh by material; what belongs to one node and fits together is one mesh again.
  std::vector<MeshGroup> groups_of(const aiNode& node) {
    std::vector<MeshGroup> groups;
    for (unsigned m = 0; m < node.mNumMeshes; ++m) {
      const unsigned index = node.mMeshes[m];
      if (index >= scene_.mNumMeshes || scene_.mMeshes[index] == nullptr) {
        throw_bad_input("a node refers to a mesh that is not in the file");
      }
      const aiMesh& mesh = *scene_.mMeshes[index];
      if (mesh.mVertices == nullptr || mesh.mNumVertices == 0 || mesh.mFaces == nullptr) continue;
      auto fits = std::find_if(groups.begin(), groups.end(), [&](const MeshGroup& g) { return fit(g, mesh); });
      if (fits == groups.end()) fits = groups.emplace(groups.end());
      add_to_group(*fits, mesh);
    }
    return groups;
  }

  static bool fit(const MeshGroup& group, const aiMesh& mesh) {
    if (group.skinned != (mesh.mNumBones > 0)) return false;
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
      const auto known = group.bones.find(assimp_name(mesh.mBones[b]->mName));
      if (known == group.bones.end()) continue;
      if (known->second.inverse_bind.matrix() != assimp_matrix(mesh.mBones[b]->mOffsetMatrix).matrix()) return false;
    }
    return true;
  }

  void add_to_group(MeshGroup& group, const aiMesh& mesh) {
    group.meshes.push_back(&mesh);
    for (unsigned b = 0; b < mesh.mNumBones; ++b) {
      const aiBone& bone = *mesh.mBones[b];
      const Affine offset = assimp_matrix(bone.mOffsetMatrix);
      if (!offset.matrix().allFinite()) throw_bad_input("a bone's bind matrix is not finite");
      group.skinned = true;
      const std::string name = assimp_name(bone.mName);
      if (group.bones.count(name) == 0) group.bones[name] = {joint_of(name, offset), offset};
    }
  }

  Index joint_of(const std::string& name, const Affine& inverse_bind) {
    const auto found = nodes_.joint.find(name);
    if (found != nodes_.joint.end()) return found->second;
    const auto index = static_cast<Index>(character_.skeleton.size());
    Joint joint;
    joint.name = name;
    joint.rest = to_transform(inverse_bind.inverse());
    if (!to_matrix(joint.rest).matrix().allFinite()) joint.rest = Transform{};
    character_.skeleton.joints.push_back(joint);
    nodes_.joint[name] = index;
    lost_bones_.add(index);
    return index;
  }

  void add_part(const MeshGroup& group, Index node) {
    Part part;
    part.name = assimp_name(group.meshes[0]->mName);
    if (part.name.empty()) part.name = assimp_name(nodes_.nodes[node]->mName);
    part.node = node;
    fill_geometry(group, part);
    if (part.surface.face_count() == 0) return;
    if (group.skinned) fill_weights(group, part);
    share_vertices(part);
    if (group.skinned) finish_weights(part);
    for (const aiMesh* mesh : group.meshes) {
      if (mesh->mNumAnimMeshes > 0) note_morphs(part.name);
    }
    character_.parts.push_back(std::move(part));
  }

  void note_morphs(const std::string& name) {
    character_.problems.push_back(
        {Severity::note, "morphs-skipped", "the blend shapes of " + text::quoted(name) + " are not read", {}, 1});
  }

  void fill_geometry(const MeshGroup& group, Part& part) {
    const bool normals = all_have(group, [](const aiMesh& m) { return m.HasNormals(); });
    const bool uvs = all_have(group, [](const aiMesh& m) { return m.HasTextureCoords(0); });
    for (const aiMesh* mesh : group.meshes) {
      const auto first = static_cast<Index>(part.surface.positions.size());
      for (unsigned v = 0; v < mesh->mNumVertices; ++v) {
        if (!finite(mesh->mVertices[v]))
          throw_bad_input("the position of vertex " + std::to_string(v) + " is not finite");
        part.surface.positions.push_back(to_vec3(mesh->mVertices[v]));
        if (normals) part.normals.push_back(to_vec3(finite(mesh->mNormals[v]) ? mesh->mNormals[v] : aiVector3D()));
        if (uvs) {
          // assimp counts v from the bottom of the picture; Part, like glTF, from its top.
          const aiVector3D& uv = mesh->mTextureCoords[0][v];
          part.uvs.emplace_back(uv.x, 1 - uv.y);
        }
      }
      fill_faces(*mesh, first, part);
    }
  }

  template <class Has>
  static bool all_have(const MeshGroup& group, Has&& has) {
    return std::all_of(group.meshes.begin(), group.meshes.end(), [&](const aiMesh* m) { return has(*m); });
  }

  void fill_faces(const aiMesh& mesh, Index first, Part& part) {
    std::vector<Index> corners;
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices < 3 || face.mIndices == nullptr) {
        not_faces_.add(static_cast<Index>(f));
        continue;
      }
      corners.clear();
      for (unsigned c = 0; c < face.mNumIndices; ++c) {
        if (face.mIndices[c] >= mesh.mNumVertices) {
          throw_bad_input("face " + std::to_string(f) + " refers to a vertex that is not in the file",
                          static_cast<Index>(f));
        }
        corners.push_back(first + static_cast<Index>(face.mIndices[c]));
      }
      part.surface.add_face(corners);
      part.face_material.push_back(static_cast<Index>(mesh.mMaterialIndex));
    }
  }

  /// Rows as the file has them. Joints are ordered as in the skeleton, so that joint 0 of the skin is the topmost.
  void fill_weights(const MeshGroup& group, Part& part) {
    std::vector<const PartBone*> bones;
    for (const auto& [name, bone] : group.bones) bones.push_back(&bone);
    std::sort(bones.begin(), bones.end(), [](auto* a, auto* b) { return a->joint < b->joint; });
    std::map<Index, Index> place;
    for (const PartBone* bone : bones) {
      if (!place.emplace(bone->joint, static_cast<Index>(part.skin.joints.size())).second) continue;
      part.skin.joints.push_back(bone->joint);
      part.skin.inverse_bind.push_back(bone->inverse_bind);
      character_.skeleton.joints[bone->joint].deforms = true;
    }
    part.skin.name = part.name;

    std::vector<std::vector<Influence>> rows(part.surface.vertex_count());
    std::size_t first = 0;
    for (const aiMesh* mesh : group.meshes) {
      for (unsigned b = 0; b < mesh->mNumBones; ++b) {
        const aiBone& bone = *mesh->mBones[b];
        const Index joint = place.at(group.bones.at(assimp_name(bone.mName)).joint);
        if (bone.mWeights == nullptr) continue;
        for (unsigned w = 0; w < bone.mNumWeights; ++w) {
          if (bone.mWeights[w].mVertexId >= mesh->mNumVertices) {
            throw_bad_input("the bone " + text::quoted(assimp_name(bone.mName)) +
                            " has a weight for a vertex that is not in the file");
          }
          rows[first + bone.mWeights[w].mVertexId].push_back({joint, static_cast<double>(bone.mWeights[w].mWeight)});
        }
      }
      first += mesh->mNumVertices;
    }
    for (const auto& row : rows) part.weights.add_row(row);
  }

  void finish_weights(Part& part) {
    for (Problem& problem :
         repair(part.weights, static_cast<Index>(part.skin.joints.size()), /*fallback_joint=*/0, &part.unweighted)) {
      character_.problems.push_back(std::move(problem));
    }
  }

  /// Vertices with the same position and the same weights become one; normals and texture coordinates go to the
  /// corners.
  void share_vertices(Part& part) {
    const std::vector<Index> shared = shared_vertices(part);
    if (!part.normals.empty()) {
      for (const Index v : part.surface.corners) part.corner_normals.push_back(part.normals[v].cast<float>());
    }
    if (!part.uvs.empty()) {
      for (const Index v : part.surface.corners) part.corner_uvs.push_back(part.uvs[v]);
    }
    part.normals.clear();
    part.uvs.clear();

    SkinWeights weights;
    Index next = 0;
    for (std::size_t v = 0; v < shared.size(); ++v) {
      if (shared[v] != next) continue;  // numbers are given in the order of first appearance
      part.surface.positions[next++] = part.surface.positions[v];
      if (part.skinned()) weights.add_row(part.weights.row(v));
    }
    part.surface.positions.resize(next);
    part.weights = std::move(weights);
    for (Index& v : part.surface.corners) v = shared[v];
  }

  /// For each vertex its number among the distinct ones, in the order of first appearance.
  static std::vector<Index> shared_vertices(const Part& part) {
    const auto& positions = part.surface.positions;
    const auto compare = [&](Index a, Index b) {
      for (int i = 0; i < 3; ++i) {
        if (positions[a][i] != positions[b][i]) return positions[a][i] < positions[b][i] ? -1 : 1;
      }
      if (!part.skinned()) return 0;
      const auto row_a = part.weights.row(a);
      const auto row_b = part.weights.row(b);
      // Weights by their bits: files have NaN among them, which has no order.
      const auto less = [](const Influence& x, const Influence& y) {
        const auto bits = [](double w) { return bits_as<std::uint64_t>(w); };
        return x.joint != y.joint ? x.joint < y.joint : bits(x.weight) < bits(y.weight);
      };
      if (std::lexicographical_compare(row_a.begin(), row_a.end(), row_b.begin(), row_b.end(), less)) return -1;
      return std::lexicographical_compare(row_b.begin(), row_b.end(), row_a.begin(), row_a.end(), less) ? 1 : 0;
    };
    std::vector<Index> order(positions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return compare(a, b) < 0; });

    std::vector<Index> lowest(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      lowest[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0 ? lowest[order[i - 1]] : order[i];
    }
    std::vector<Index> number(order.size());
    Index next = 0;
    for (std::size_t v = 0; v < number.size(); ++v) {
      number[v] = lowest[v] == static_cast<Index>(v) ? next++ : number[lowest[v]];
    }
    return number;
  }

  const aiScene& scene_;
  AssimpNodes& nodes_;
  Character& character_;
  ProblemCollector not_faces_;
  ProblemCollector lost_bones_;
};

}  // namespace

void read_meshes(const aiScene& scene, AssimpNodes& nodes, Character& character) {
  MeshReader(scene, nodes, character).read();
}

}  // namespace isochor
