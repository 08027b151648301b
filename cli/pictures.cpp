#include "pictures.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor::cli {
namespace {

std::vector<Color> material_colors(const Character& character, const Part& part) {
  if (part.face_material.empty() || character.materials.empty()) return {};
  std::vector<Color> colors;
  for (const Index m : part.face_material) {
    const Material& material = m == kNone ? Material() : character.materials[m];
    const Color color = material.base_color.head<3>();
    // Pure white is what a textured material has below its texture; clay shows the shape better.
    colors.push_back(color.minCoeff() > 0.99f ? RenderMesh().color : color);
  }
  return colors;
}

}  // namespace

Scene scene_of(const Character& character, std::span<const PosedPart> parts) {
  Scene scene;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    RenderMesh mesh;
    mesh.surface = part.surface;
    mesh.surface.positions = parts[p].positions;
    mesh.normals = parts[p].normals;
    mesh.face_colors = material_colors(character, part);
    scene.meshes.push_back(std::move(mesh));
  }
  return scene;
}

void add_bones(Scene& scene, const Skeleton& skeleton, const Pose& pose) {
  const auto global = global_transforms(skeleton, pose);
  std::vector<Vec3> positions;
  std::vector<Index> parents;
  std::vector<Index> shown(skeleton.size(), kNone);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!skeleton.joints[j].deforms) continue;
    Index parent = skeleton.joints[j].parent;
    while (parent != kNone && shown[parent] == kNone) parent = skeleton.joints[parent].parent;
    shown[j] = static_cast<Index>(positions.size());
    positions.push_back(global[j].translation());
    parents.push_back(parent == kNone ? kNone : shown[parent]);
  }
  scene.bones = bones_of(positions, parents);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.deforms && joint.tail) scene.bones.push_back({global[j].translation(), global[j] * *joint.tail});
  }
}

void show_weights(Scene& scene, const Character& character, const std::string& joint) {
  bool found = false;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    std::vector<double>& scalar = scene.meshes[p].scalar;
    scalar.assign(part.surface.vertex_count(), 0.0);
    for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
      for (const Influence& i : part.weights.row(v)) {
        if (character.skeleton.joints[part.skin.joints[i.joint]].name == joint) scalar[v] += i.weight;
      }
    }
    found |= std::any_of(part.skin.joints.begin(), part.skin.joints.end(),
                         [&](Index j) { return character.skeleton.joints[j].name == joint; });
  }
  if (!found) throw_bad_input("no skin has a joint " + joint);
  scene.scale = {.map = ColorMap::sequential, .min = 0, .max = 1, .title = "weight of " + joint};
}

Box box_over_clip(const Playback& playback, const Clip& clip, const Context& context) {
  constexpr int kMoments = 9;
  Box box;
  for (int i = 0; i < kMoments; ++i) {
    const double time = clip.start() + clip.duration() * i / (kMoments - 1);
    const auto frame = playback.pose(sample(clip, playback.character().skeleton, time), Deformer::lbs, context);
    box.extend(bounding_box(frame.positions));
  }
  return box;
}

}  // namespace isochor::cli
