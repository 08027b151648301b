#include "isochor/io/gltf_write.h"

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "base/numerals.h"
#include "gltf_build.h"
#include "gltf_twins.h"
#include "gltf_write_mesh.h"
#include "isochor/version.h"

namespace isochor {
namespace gltf {
namespace {

/// The double that prints as the float does: 0.8 rather than 0.800000011920929.
double shortest(float value) {
  char text[64];
  double out = 0;
  parse_number(text, write_shortest(text, text + sizeof text, value), out);
  return out;
}

bool has_faces(const Surface& surface) {
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    if (surface.face(f).size() >= 3) return true;
  }
  return false;
}

/// A joint's nodes: its transform acts at `top`; children and skins refer to `end`. They differ where there is shear.
struct JointNodes {
  Index top = kNone;
  Index end = kNone;
};

class Writer {
 public:
  Writer(const Character& character, const GltfWriteOptions& options)
      : character_(character), options_(options), impl_(result_.source.document.impl()) {}

  GltfWritten write() {
    impl_.json["asset"] = {{"version", "2.0"}, {"generator", "Isochor " ISOCHOR_VERSION}};
    impl_.json["scene"] = 0;
    impl_.json["scenes"] = Json::array({Json::object()});
    check();
    write_nodes();
    write_materials();
    for (std::size_t p = 0; p < character_.parts.size(); ++p) write_part(p);
    write_roots();
    if (skins_.empty() && character_.skeleton.deforming_count() > 0) write_unused_skin();
    for (const Skin* skin : skins_) ensure_common_root(impl_, nodes_of(*skin));
    write_clips();
    finish_map();
    return std::move(result_);
  }

 private:
  void check() const {
    const auto joints = static_cast<Index>(character_.skeleton.size());
    for (const Joint& joint : character_.skeleton.joints) {
      const Transform& rest = joint.rest;
      if (!rest.translation.allFinite() || !rest.rotation.coeffs().allFinite() || !rest.scale.allFinite() ||
          !rest.shear.allFinite()) {
        throw_bad_input("the joint '" + joint.name + "' has a rest transform that is not finite");
      }
    }
    for (const Part& part : character_.parts) {
      const std::string name = "the part '" + part.name + "'";
      if (part.node < kNone || part.node >= joints) throw_bad_input(name + " hangs from a joint that does not exist");
      check_arrays(part);
      for (const Index material : part.face_material) {
        if (material < kNone || material >= static_cast<Index>(character_.materials.size())) {
          throw_bad_input(name + " uses a material that does not exist");
        }
      }
      for (const Index joint : part.skin.joints) {
        if (joint < 0 || joint >= joints) throw_bad_input(name + " is bound to a joint that does not exist");
      }
      for (const Influence& i : part.weights.influences) {
        if (i.joint < 0 || at(i.joint) >= part.skin.joints.size() || !(i.weight >= 0) || !std::isfinite(i.weight)) {
          throw_bad_input(name + " has a weight that cannot be used");
        }
      }
    }
    for (const Clip& clip : character_.clips) {
      for (const Channel& channel : clip.channels) {
        const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
        if (channel.joint < 0 || channel.joint >= joints ||
            channel.values.size() != channel.times.size() * parts * at(channel.width)) {
          throw_bad_input("the clip '" + clip.name + "' has a channel that does not fit the skeleton");
        }
      }
    }
  }

  /// A plain leaf that carries nothing but skinned parts has no place in the file: those parts stand at the root.
  std::vector<bool> needed_joints() const {
    const auto& joints = character_.skeleton.joints;
    std::vector<bool> carried_skinned(joints.size(), false), needed(joints.size(), false);
    for (const Part& part : character_.parts) {
      for (const Index joint : part.skin.joints) needed[at(joint)] = true;
      if (part.node == kNone) continue;
      if (part.skinned()) {
        carried_skinned[at(part.node)] = true;
      } else {
        needed[at(part.node)] = true;
      }
    }
    for (std::size_t j = joints.size(); j-- > 0;) {
      if (joints[j].deforms || !carried_skinned[j]) needed[j] = true;
      if (needed[j] && joints[j].parent != kNone) needed[at(joints[j].parent)] = true;
    }
    return needed;
  }

  void write_nodes() {
    const auto& joints = character_.skeleton.joints;
    const std::vector<bool> needed = needed_joints();
    nodes_.resize(joints.size());
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (!needed[j]) continue;
      write_joint(joints[j], nodes_[j]);
      if (joints[j].parent == kNone) {
        roots_.push_back(nodes_[j].top);
      } else {
        add_child(nodes_[at(joints[j].parent)].end, nodes_[j].top);
      }
    }
  }

  void write_joint(const Joint& joint, JointNodes& nodes) {
    Json end = {{"name", joint.name}};
    if (joint.tail) end["extras"] = {{"tail", {joint.tail->x(), joint.tail->y(), joint.tail->z()}}};
    if (joint.twin) mark_twin(end);
    if (joint.rest.shear.isIdentity(1e-9)) {
      set_transform(end, joint.rest);
      nodes.top = nodes.end = push(impl_.json, "nodes", std::move(end));
      return;
    }
    // shear = U Σ Vᵀ: a rotation and a scale, then a rotation. Mirrors of U and V go into Σ.
    const Eigen::JacobiSVD<Mat3> svd(joint.rest.shear, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Mat3 u = svd.matrixU(), v = svd.matrixV();
    Transform stretch, turn;
    stretch.scale = (u.transpose() * joint.rest.shear * v).diagonal();
    if (u.determinant() < 0) u.col(2) *= -1, stretch.scale.z() *= -1;
    if (v.determinant() < 0) v.col(2) *= -1, stretch.scale.z() *= -1;
    stretch.rotation = Quat(u).normalized();
    turn.rotation = Quat(Mat3(v.transpose())).normalized();
    Json top = {{"name", joint.name + "_place"}}, middle = {{"name", joint.name + "_stretch"}};
    set_transform(top, joint.rest);
    set_transform(middle, stretch);
    set_transform(end, turn);
    nodes.top = push(impl_.json, "nodes", std::move(top));
    const Index between = push(impl_.json, "nodes", std::move(middle));
    nodes.end = push(impl_.json, "nodes", std::move(end));
    add_child(nodes.top, between);
    add_child(between, nodes.end);
  }

  void add_child(Index parent, Index child) {
    Json& node = item(impl_.json, "nodes", at(parent));
    if (!find(node, "children")) node["children"] = Json::array();
    node["children"].push_back(child);
  }

  void write_materials() {
    for (const Material& material : character_.materials) {
      Json color = Json::array();
      for (int k = 0; k < 4; ++k) color.push_back(shortest(std::clamp(material.base_color[k], 0.0f, 1.0f)));
      Json json = {{"name", material.name},
                   {"pbrMetallicRoughness",
                    {{"baseColorFactor", color},
                     {"metallicFactor", shortest(std::clamp(material.metallic, 0.0f, 1.0f))},
                     {"roughnessFactor", shortest(std::clamp(material.roughness, 0.0f, 1.0f))}}}};
      if (material.base_color[3] < 1) json["alphaMode"] = "BLEND";
      if (material.double_sided) json["doubleSided"] = true;
      push(impl_.json, "materials", std::move(json));
    }
  }

  void write_part(std::size_t index) {
    const Part& part = character_.parts[index];
    GltfPartSource source;
    source.joint = part.node;
    if (!has_faces(part.surface)) {
      result_.problems.push_back({Severity::warning,
                                  "gltf-empty-part",
                                  "the part '" + part.name + "' has no face and was left out",
                                  {static_cast<Index>(index)},
                                  1});
      result_.vertex.emplace_back();
      result_.source.map.parts.push_back(source);
      return;
    }
    WrittenMesh mesh = append_mesh(impl_, part, options_, result_.problems);
    source.mesh = mesh.index;
    if (part.skinned()) source.skin = skin_of(part.skin);
    source.node = carrier_of(part, source);
    const auto normals = find(item(impl_.json, "meshes", at(mesh.index))["primitives"][0]["attributes"], "NORMAL");
    for (Index p = 0; p < mesh.primitives; ++p) {
      source.primitives.push_back({p, 0, static_cast<Index>(mesh.vertex.size()), normals != nullptr});
    }
    result_.vertex.push_back(std::move(mesh.vertex));
    result_.source.map.parts.push_back(std::move(source));
  }

  /// The joint's own node where the part may hang there, otherwise a node of its own.
  Index carrier_of(const Part& part, const GltfPartSource& source) {
    if (!part.skinned() && part.node != kNone) {
      Json& node = item(impl_.json, "nodes", at(nodes_[at(part.node)].end));
      if (!find(node, "mesh")) {
        node["mesh"] = source.mesh;
        return nodes_[at(part.node)].end;
      }
    }
    Json node = {{"name", part.name}, {"mesh", source.mesh}};
    if (part.skinned()) node["skin"] = source.skin;
    const Index carrier = push(impl_.json, "nodes", std::move(node));
    if (part.skinned() || part.node == kNone) {
      roots_.push_back(carrier);
    } else {
      add_child(nodes_[at(part.node)].end, carrier);
    }
    return carrier;
  }

  std::vector<Index> nodes_of(const Skin& skin) const {
    std::vector<Index> out;
    for (const Index joint : skin.joints) out.push_back(nodes_[at(joint)].end);
    return out;
  }

  Index skin_of(const Skin& skin) {
    for (std::size_t s = 0; s < skins_.size(); ++s) {
      const bool same = skins_[s]->joints == skin.joints &&
                        std::equal(skin.inverse_bind.begin(), skin.inverse_bind.end(), skins_[s]->inverse_bind.begin(),
                                   [](const Affine& a, const Affine& b) { return a.matrix() == b.matrix(); });
      if (same) return static_cast<Index>(s);
    }
    skins_.push_back(&skin);
    Json json = Json::object();
    if (!skin.name.empty()) json["name"] = skin.name;
    json["inverseBindMatrices"] = append_inverse_binds(impl_, skin.inverse_bind);
    json["joints"] = nodes_of(skin);
    return push(impl_.json, "skins", std::move(json));
  }

  /// A skeleton that nothing is bound to yet: an unused skin says which nodes are its joints.
  void write_unused_skin() {
    const std::vector<Affine> global = global_transforms(character_.skeleton, rest_pose(character_.skeleton));
    rest_skin_.name = "skeleton";
    for (std::size_t j = 0; j < global.size(); ++j) {
      if (!character_.skeleton.joints[j].deforms) continue;
      rest_skin_.joints.push_back(static_cast<Index>(j));
      const bool invertible = std::abs(global[j].linear().determinant()) > 1e-300;
      rest_skin_.inverse_bind.push_back(invertible ? Affine(global[j].inverse()) : Affine::Identity());
    }
    skin_of(rest_skin_);
  }

  void write_roots() {
    if (roots_.empty()) {
      impl_.json.erase("scene");
      impl_.json.erase("scenes");
    } else {
      impl_.json["scenes"][0]["nodes"] = roots_;
    }
  }

  void write_clips() {
    const auto targets = [&](const Channel& channel) -> std::vector<Index> {
      if (channel.path != ChannelPath::morph_weights) {
        const Index node = nodes_[at(channel.joint)].top;
        return node == kNone ? std::vector<Index>{} : std::vector<Index>{node};
      }
      std::vector<Index> out;
      for (std::size_t p = 0; p < character_.parts.size(); ++p) {
        const Part& part = character_.parts[p];
        const Index node = result_.source.map.parts[p].node;
        const bool fits = part.node == channel.joint && static_cast<Index>(part.morphs.size()) == channel.width;
        if (fits && node != kNone) out.push_back(node);
      }
      return out;
    };
    for (const Clip& clip : character_.clips) {
      const Index animation = append_animation(impl_, clip, targets, result_.problems);
      if (animation == kNone) {
        result_.problems.push_back({Severity::warning,
                                    "gltf-empty-clip",
                                    "the clip '" + clip.name + "' moves nothing and was left out",
                                    {},
                                    1});
      }
      result_.source.map.animation_of_clip.push_back(animation);
    }
  }

  void finish_map() {
    GltfMap& map = result_.source.map;
    map.joint_of_node.assign(count(impl_.json, "nodes"), kNone);
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      map.node_of_joint.push_back(nodes_[j].end);
      if (nodes_[j].end != kNone) map.joint_of_node[at(nodes_[j].end)] = static_cast<Index>(j);
    }
  }

  const Character& character_;
  const GltfWriteOptions& options_;
  GltfWritten result_;
  Impl& impl_;
  std::vector<JointNodes> nodes_;  // #J
  std::vector<Index> roots_;
  std::vector<const Skin*> skins_;  // as in the document
  Skin rest_skin_;
};

}  // namespace
}  // namespace gltf

GltfWritten write_gltf(const Character& character, const GltfWriteOptions& options) {
  return gltf::Writer(character, options).write();
}

}  // namespace isochor
