#include "isochor/render/character_scene.h"

#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/mesh/face_hierarchy.h"

namespace isochor {
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

void add_bones_at(Scene& scene, const Skeleton& skeleton, std::span<const Affine> global) {
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

/// The joint of that name, or all that fit the pattern, among those that skins use; increasing.
std::vector<Index> shown_joints(const Character& character, const std::string& name) {
  std::vector<Index> used;
  for (const Part& part : character.parts) used.insert(used.end(), part.skin.joints.begin(), part.skin.joints.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto name_of = [&](Index j) -> const std::string& { return character.skeleton.joints[j].name; };
  for (const Index j : used) {
    if (name_of(j) == name) return {j};
  }
  std::erase_if(used, [&](Index j) { return !matches_glob(name_of(j), name); });
  return used;
}

/// #J of the skeleton: a colour of its own for each joint shown, clay for the others. Numbered in the order of the
/// skeleton, so that a character looks the same whatever its weights.
std::vector<Color> joint_colors(const Skeleton& skeleton, const std::vector<Index>& shown) {
  std::vector<Color> colors(skeleton.size(), RenderMesh().color);
  std::size_t number = 0;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!skeleton.joints[j].deforms) continue;
    const bool is_shown = std::binary_search(shown.begin(), shown.end(), static_cast<Index>(j));
    if (is_shown) colors[j] = category_color(number);
    ++number;
  }
  return colors;
}

void blend_colors(RenderMesh& mesh, const Part& part, const std::vector<Color>& colors) {
  mesh.vertex_colors.assign(part.surface.vertex_count(), mesh.color);
  for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
    Color sum = Color::Zero();
    for (const Influence& i : part.weights.row(v)) {
      sum += static_cast<float>(i.weight) * colors[part.skin.joints[i.joint]];
    }
    mesh.vertex_colors[v] = sum;
  }
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
  add_bones_at(scene, skeleton, global_transforms(skeleton, pose));
}

std::size_t add_crossings(Scene& scene, const Character& character, std::span<const PosedPart> parts) {
  const WholeSurface whole = assemble(character);
  const Surface& rest = whole.weld.surface;
  std::vector<Vec3> positions;
  positions.reserve(rest.vertex_count());
  for (std::size_t v = 0; v < rest.vertex_count(); ++v) {
    const PartVertex from = whole.first_vertex(static_cast<Index>(v));
    positions.push_back(parts[static_cast<std::size_t>(from.part)].positions[static_cast<std::size_t>(from.vertex)]);
  }
  FaceHierarchy faces(rest);
  const std::vector<FacePair> at_rest = faces.crossings(rest.positions);
  faces.refit(positions);
  std::vector<TrianglePair> near;
  faces.near_pairs(near);
  std::vector<FacePair> drawn;
  for (const TrianglePair& pair : near) {
    const Index f = faces.face_of(pair.a), g = faces.face_of(pair.b);
    const FacePair both{std::min(f, g), std::max(f, g)};
    if (std::binary_search(at_rest.begin(), at_rest.end(), both)) continue;
    const auto crossing = triangle_crossing(faces.corners(pair.a, positions), faces.corners(pair.b, positions));
    if (!crossing) continue;
    scene.lines.push_back({.from = crossing->from, .to = crossing->to, .color = srgb(0xe0218a), .width = 2.5});
    drawn.push_back(both);
  }
  std::sort(drawn.begin(), drawn.end());
  return static_cast<std::size_t>(std::unique(drawn.begin(), drawn.end()) - drawn.begin());
}

void add_bind_bones(Scene& scene, const WeldedCharacter& welded) {
  add_bones_at(scene, welded.skeleton(), welded.rest_space().bind);
}

void show_weights(Scene& scene, const Character& character, const std::string& joint) {
  const std::vector<Index> shown = shown_joints(character, joint);
  if (shown.empty()) throw_bad_input("no skin has a joint " + joint);
  const auto colors = shown.size() > 1 ? joint_colors(character.skeleton, shown) : std::vector<Color>{};
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    RenderMesh& mesh = scene.meshes[p];
    if (!colors.empty()) {
      blend_colors(mesh, part, colors);
      continue;
    }
    mesh.scalar.assign(part.surface.vertex_count(), 0.0);
    for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
      for (const Influence& i : part.weights.row(v)) {
        if (part.skin.joints[i.joint] == shown[0]) mesh.scalar[v] += i.weight;
      }
    }
  }
  if (colors.empty()) {
    scene.scale = {.map = ColorMap::sequential,
                   .min = 0,
                   .max = 1,
                   .title = "weight of " + character.skeleton.joints[shown[0]].name};
  }
}

Box box_over_clip(const WeldedCharacter& welded, const Clip& clip, const Context& context) {
  constexpr int kMoments = 9;
  Box box;
  for (const double time : even_times(clip, kMoments)) {
    const PlayedFrame frame = play(welded, sample(clip, welded.skeleton(), time), Deformer::lbs, context);
    box.extend(bounding_box(frame.positions));
  }
  return box;
}

}  // namespace isochor
