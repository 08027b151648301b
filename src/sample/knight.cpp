#include "isochor/sample/knight.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "isochor/base/math.h"
#include "sample/blob_body.h"
#include "sample/knight_armour.h"
#include "sample/knight_motion.h"
#include "sample/poser.h"
#include "sample/rig_builder.h"
#include "sample/shells.h"

namespace isochor {
namespace {

using model::BlobBody;
using model::BlobRole;
using model::Plate;
using model::RigBuilder;

RigBuilder knight_rig() {
  RigBuilder rig;
  rig.joint("Hips", "", {0, 0.98, 0});
  rig.joint("Spine", "Hips", {0, 1.10, 0});
  rig.joint("Chest", "Spine", {0, 1.27, 0});
  rig.joint("Neck", "Chest", {0, 1.48, -0.01});
  rig.joint("Head", "Neck", {0, 1.58, 0});
  rig.tail("Head", {0, 1.82, 0});
  rig.pair("Shoulder", "Chest", {0.05, 1.43, 0});
  rig.pair("UpperArm", "Shoulder", {0.19, 1.43, 0});
  rig.pair("LowerArm", "UpperArm", {0.47, 1.43, -0.01});
  rig.pair("Hand", "LowerArm", {0.72, 1.43, 0});
  rig.pair_tail("Hand", {0.89, 1.43, 0});
  rig.pair("UpperLeg", "Hips", {0.10, 0.93, 0});
  rig.pair("LowerLeg", "UpperLeg", {0.105, 0.50, 0.012});
  rig.pair("Foot", "LowerLeg", {0.11, 0.09, -0.02});
  rig.pair("Toes", "Foot", {0.114, 0.03, 0.11});
  rig.pair_tail("Toes", {0.118, 0.03, 0.19});
  rig.joint("Cape1", "Chest", {0, 1.42, -0.16});
  rig.joint("Cape2", "Cape1", {0, 1.08, -0.22});
  rig.joint("Cape3", "Cape2", {0, 0.72, -0.28});
  rig.tail("Cape3", {0, 0.32, -0.34});
  // Carries the sword and deforms nothing: it comes last, so that the skin's joints are the first ones.
  rig.joint("Sword", "RightHand", {-0.80, 1.425, 0});
  return rig;
}

void add_trunk_and_head(BlobBody& body) {
  const BlobRole trunk{.joints = {"Hips", "Spine", "Chest"}, .blend = 0.08, .spread = 0.06, .material = model::mail};
  body.add(Ellipsoid{{0, 0.97, 0}, {0.165, 0.13, 0.125}}, trunk);
  body.add(RoundCone{{0, 1.02, 0}, {0, 1.20, 0}, 0.125, 0.125}, trunk);
  body.add(Ellipsoid{{0, 1.32, 0}, {0.185, 0.165, 0.125}}, trunk);
  body.add(RoundCone{{0.06, 1.40, 0}, {0.17, 1.42, 0}, 0.08, 0.08},
           {.joints = {"LeftShoulder"}, .blend = 0.08, .spread = 0.045, .mirrored = true, .material = model::mail});
  body.add(RoundCone{{0, 1.44, -0.01}, {0, 1.58, 0}, 0.068, 0.062},
           {.joints = {"Neck"}, .blend = 0.06, .spread = 0.035});
  const BlobRole head{.joints = {"Head"}, .blend = 0.04, .spread = 0.03};
  body.add(Ellipsoid{{0, 1.70, 0.01}, {0.095, 0.12, 0.112}}, head);
  body.add(Ellipsoid{{0, 1.63, 0.045}, {0.072, 0.062, 0.072}}, head);
  body.add(RoundCone{{0, 1.695, 0.118}, {0, 1.655, 0.134}, 0.014, 0.021}, head);
}

void add_limbs(BlobBody& body) {
  const auto bone = [&](const std::string& joint, const RoundCone& solid, Index material) {
    body.add(solid, {.joints = {joint}, .blend = 0.05, .spread = 0.04, .mirrored = true, .material = material});
  };
  bone("LeftUpperArm", {{0.19, 1.43, 0}, {0.47, 1.43, -0.01}, 0.074, 0.055}, model::mail);
  bone("LeftLowerArm", {{0.47, 1.43, -0.01}, {0.72, 1.43, 0}, 0.055, 0.042}, model::mail);
  bone("LeftUpperLeg", {{0.10, 0.92, 0}, {0.105, 0.50, 0.012}, 0.105, 0.072}, model::mail);
  bone("LeftLowerLeg", {{0.105, 0.50, 0.012}, {0.11, 0.10, -0.02}, 0.070, 0.048}, model::mail);
  bone("LeftLowerLeg", {{0.107, 0.38, -0.025}, {0.109, 0.26, -0.025}, 0.058, 0.048}, model::mail);
  const BlobRole hand{
      .joints = {"LeftHand"}, .blend = 0.03, .spread = 0.025, .mirrored = true, .material = model::leather};
  body.add(Ellipsoid{{0.80, 1.43, 0}, {0.095, 0.034, 0.048}}, hand);
  body.add(RoundCone{{0.765, 1.43, 0.03}, {0.825, 1.42, 0.072}, 0.020, 0.017}, hand);
  body.add(RoundCone{{0.112, 0.06, -0.03}, {0.118, 0.04, 0.14}, 0.055, 0.045}, {.joints = {"LeftFoot", "LeftToes"},
                                                                                .blend = 0.04,
                                                                                .spread = 0.03,
                                                                                .mirrored = true,
                                                                                .material = model::leather});
}

/// A part of many shells that takes its bind pose and joints from the body.
Part loose_part(const std::string& name, const Part& body) {
  Part part;
  part.name = name;
  part.skin = body.skin;
  part.skin.name = name;
  return part;
}

std::size_t nearest_vertex(const std::vector<Vec3>& positions, const Vec3& p) {
  std::size_t best = 0;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double d = (positions[v] - p).squaredNorm();
    if (d < best_distance) {
      best_distance = d;
      best = v;
    }
  }
  return best;
}

void add_plate(const Plate& plate, const Part& body, const Skeleton& skeleton, Part& part) {
  append(part.surface, plate.surface);
  part.face_material.insert(part.face_material.end(), plate.surface.face_count(), plate.material);
  for (const Vec3& p : plate.surface.positions) {
    if (plate.joint.empty()) {
      part.weights.add_row(body.weights.row(nearest_vertex(body.surface.positions, p)));
    } else {
      part.weights.add_row(std::array{Influence{skeleton.find(plate.joint), 1.0}});
    }
  }
}

Part make_armour(const Part& body, const Skeleton& skeleton) {
  std::vector<Plate> plates = model::knight_plates();
  model::add_flaws(plates);
  Part armour = loose_part("armour", body);
  for (const Plate& plate : plates) add_plate(plate, body, skeleton, armour);
  armour.normals = vertex_normals(armour.surface);
  return armour;
}

Part make_eyes(const Part& body, const Skeleton& skeleton) {
  Part eyes = loose_part("eyes", body);
  const Plate left{model::ball({0.037, 1.705, 0.098}, {0.019, 0.019, 0.019}, 4), model::eye_white, "Head"};
  add_plate(left, body, skeleton, eyes);
  add_plate({model::mirrored(left.surface), model::eye_white, "Head"}, body, skeleton, eyes);
  for (std::size_t f = 0; f < eyes.surface.face_count(); ++f) {
    const auto face = eyes.surface.face(f);
    const double front = (eyes.surface.positions[face[0]].z() + eyes.surface.positions[face[2]].z()) / 2;
    if (front > 0.098 + 0.0155) eyes.face_material[f] = model::iris;
  }
  eyes.normals = vertex_normals(eyes.surface);
  return eyes;
}

/// From the shoulders to the calves, wider and wavier downwards. Rows near the shoulders hold to the chest.
Part make_cape(const Part& body, const Skeleton& skeleton) {
  Part cape = loose_part("cape", body);
  const auto place = [](double i, double j) {
    const double s = 2 * i - 1;
    const double width = 0.17 + 0.19 * j;
    const double fold = 0.022 * j * model::wave(2.5 * s + 0.25);
    const double wrap = 0.045 * (1 - j) * s * s;
    return Vec3(width * s, 1.475 - 1.15 * j - 0.03 * (1 - j) * s * s,
                -0.15 - 0.13 * j - 0.06 * std::sqrt(j) + wrap + fold);
  };
  cape.surface = model::sheet({24, 26}, place);
  cape.face_material.assign(cape.surface.face_count(), model::cloth);
  const double joint_height[] = {1.40, 1.08, 0.72};
  const double blend[] = {0.08, 0.14, 0.14};
  const char* names[] = {"Chest", "Cape1", "Cape2", "Cape3"};
  for (const Vec3& p : cape.surface.positions) {
    std::vector<Influence> row;
    double rest = 1;
    for (int j = 0; j < 4; ++j) {
      const double next = j < 3 ? smooth_step(-blend[j], blend[j], joint_height[j] - p.y()) : 0.0;
      if (rest * (1 - next) > 0) row.push_back({skeleton.find(names[j]), rest * (1 - next)});
      rest *= next;
    }
    cape.weights.add_row(row);
  }
  normalise(cape.weights);
  sort_by_weight(cape.weights);
  cape.normals = vertex_normals(cape.surface);
  return cape;
}

Part make_sword(const Skeleton& skeleton) {
  Part sword;
  sword.name = "sword";
  sword.node = skeleton.find("Sword");
  const Affine to_node = global_transforms(skeleton, rest_pose(skeleton))[sword.node].inverse();
  for (const Plate& plate : model::knight_sword()) {
    append(sword.surface, plate.surface);
    sword.face_material.insert(sword.face_material.end(), plate.surface.face_count(), plate.material);
  }
  for (Vec3& p : sword.surface.positions) p = to_node * p;
  sword.normals = vertex_normals(sword.surface);
  return sword;
}

std::vector<Material> knight_materials() {
  const auto metal = [](const char* name, const Eigen::Vector4f& color, float roughness) {
    return Material{.name = name, .base_color = color, .metallic = 1, .roughness = roughness};
  };
  return {{.name = "skin", .base_color = {0.80f, 0.52f, 0.38f, 1}, .roughness = 0.6f},
          {.name = "mail", .base_color = {0.16f, 0.17f, 0.19f, 1}, .roughness = 0.7f},
          {.name = "leather", .base_color = {0.20f, 0.09f, 0.04f, 1}, .roughness = 0.7f},
          metal("steel", {0.56f, 0.58f, 0.62f, 1}, 0.35f),
          metal("gold", {0.80f, 0.56f, 0.20f, 1}, 0.35f),
          {.name = "cloth", .base_color = {0.42f, 0.03f, 0.05f, 1}, .roughness = 0.85f, .double_sided = true},
          {.name = "plume", .base_color = {0.55f, 0.04f, 0.06f, 1}, .roughness = 0.85f},
          {.name = "eye", .base_color = {0.90f, 0.90f, 0.88f, 1}, .roughness = 0.2f},
          {.name = "iris", .base_color = {0.03f, 0.05f, 0.10f, 1}, .roughness = 0.2f},
          metal("blade", {0.72f, 0.74f, 0.78f, 1}, 0.2f)};
}

}  // namespace

Character make_knight(const KnightOptions& options, const Context& context) {
  check_ranges(options);
  const RigBuilder rig = knight_rig();
  BlobBody blobs(rig);
  add_trunk_and_head(blobs);
  add_limbs(blobs);
  blobs.set_floor(0);

  Character knight;
  knight.name = "knight";
  knight.skeleton = rig.build(model::JointAxes::along_bone);
  knight.skeleton.joints.back().deforms = false;
  knight.materials = knight_materials();
  const PolygonizeOptions detail{.vertices = options.body_vertices, .relaxation = 20};
  const Part body = blobs.build(knight.skeleton, "body", polygonize(blobs.shape(), detail, context));
  knight.parts = {body, make_eyes(body, knight.skeleton), make_armour(body, knight.skeleton),
                  make_cape(body, knight.skeleton), make_sword(knight.skeleton)};
  knight.clips = {model::knight_walk(knight.skeleton), model::knight_wave(knight.skeleton),
                  model::knight_crouch(knight.skeleton)};
  return knight;
}

}  // namespace isochor
