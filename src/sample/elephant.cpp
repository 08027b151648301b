#include "isochor/sample/elephant.h"

#include <cmath>
#include <string>

#include "sample/axes.h"
#include "sample/blob_body.h"
#include "sample/cage.h"
#include "sample/elephant_motion.h"
#include "sample/rig_builder.h"

namespace isochor {
namespace {

using model::BlobBody;
using model::BlobRole;
using model::Cage;
using model::Course;
using model::kX;
using model::kY;
using model::kZ;
using model::RigBuilder;

enum ElephantMaterial : Index { hide, ivory, dark, eye };

RigBuilder elephant_rig() {
  RigBuilder rig;
  rig.joint("Hips", "", {0, 1.95, -0.95});
  rig.joint("Spine1", "Hips", {0, 2.00, -0.45});
  rig.joint("Spine2", "Spine1", {0, 2.02, 0.05});
  rig.joint("Chest", "Spine2", {0, 2.05, 0.55});
  rig.joint("Neck", "Chest", {0, 2.25, 1.00});
  rig.joint("Head", "Neck", {0, 2.45, 1.42});
  rig.tail("Head", {0, 2.55, 1.95});
  rig.joint("Jaw", "Head", {0, 2.10, 1.75});
  rig.tail("Jaw", {0, 1.84, 2.04});
  const Vec3 trunk[] = {{0, 2.34, 2.02}, {0, 1.98, 2.24}, {0, 1.60, 2.33},
                        {0, 1.22, 2.36}, {0, 0.86, 2.39}, {0, 0.55, 2.49}};
  std::string parent = "Head";
  for (int t = 0; t < 6; ++t) {
    const std::string name = "Trunk" + std::to_string(t + 1);
    rig.joint(name, parent, trunk[t]);
    parent = name;
  }
  rig.tail("Trunk6", {0, 0.36, 2.68});
  rig.pair("Ear", "Head", {0.42, 2.55, 1.46});
  rig.pair("EarTip", "Ear", {0.80, 2.48, 1.26});
  rig.pair_tail("EarTip", {1.20, 2.40, 1.03});
  rig.pair("Shoulder", "Chest", {0.42, 1.70, 0.76});
  rig.pair("Knee", "Shoulder", {0.43, 0.92, 0.80});
  rig.pair("Foot", "Knee", {0.43, 0.26, 0.76});
  rig.pair_tail("Foot", {0.43, 0.02, 0.82});
  rig.pair("Hip", "Hips", {0.42, 1.70, -0.92});
  rig.pair("HindKnee", "Hip", {0.43, 0.95, -0.80});
  rig.pair("HindFoot", "HindKnee", {0.43, 0.26, -0.94});
  rig.pair_tail("HindFoot", {0.43, 0.02, -0.88});
  rig.joint("Tail1", "Hips", {0, 2.18, -1.58});
  rig.joint("Tail2", "Tail1", {0, 1.75, -1.76});
  rig.joint("Tail3", "Tail2", {0, 1.35, -1.80});
  rig.tail("Tail3", {0, 0.88, -1.82});
  return rig;
}

void add_trunk(BlobBody& body) {
  const std::vector<std::string> spine{"Hips", "Spine1", "Spine2", "Chest"};
  body.add(RoundCone{{0, 1.88, -0.90}, {0, 1.96, 0.62}, 0.72, 0.74}, {.joints = spine, .spread = 0.34});
  body.add(Ellipsoid{{0, 1.74, -0.12}, {0.82, 0.78, 1.10}}, {.joints = spine, .blend = 0.3, .spread = 0.34});
  body.add(RoundCone{{0, 2.22, -0.25}, {0, 2.28, 0.55}, 0.45, 0.48}, {.joints = spine, .blend = 0.3, .spread = 0.34});
  body.add(RoundCone{{0, 2.12, 0.85}, {0, 2.42, 1.40}, 0.58, 0.47}, {.joints = {"Neck"}, .blend = 0.3, .spread = 0.22});
}

void add_head(BlobBody& body) {
  const BlobRole head{.joints = {"Head"}, .blend = 0.2, .spread = 0.16};
  body.add(Ellipsoid{{0, 2.62, 1.60}, {0.46, 0.50, 0.46}}, head);
  body.add(RoundCone{{0, 2.52, 1.70}, {0, 2.36, 1.94}, 0.40, 0.31}, head);
  const Vec3 center[] = {{0, 2.36, 1.98}, {0, 1.98, 2.24}, {0, 1.60, 2.33}, {0, 1.22, 2.36},
                         {0, 0.86, 2.39}, {0, 0.55, 2.49}, {0, 0.40, 2.64}};
  const double radius[] = {0.29, 0.225, 0.19, 0.165, 0.14, 0.12, 0.115};
  for (int t = 0; t < 6; ++t) {
    body.add(RoundCone{center[t], center[t + 1], radius[t], radius[t + 1]},
             {.joints = {"Trunk" + std::to_string(t + 1)}, .blend = 0.06, .spread = 0.14});
  }
  body.add(RoundCone{{0, 2.10, 1.74}, {0, 1.86, 1.98}, 0.22, 0.09}, {.joints = {"Jaw"}, .blend = 0.1, .spread = 0.1});
  BlobRole tusk{.joints = {"Head"}, .blend = 0.05, .spread = 0.04, .mirrored = true, .material = ivory};
  body.add(RoundCone{{0.26, 2.10, 1.96}, {0.33, 1.82, 2.26}, 0.085, 0.078}, tusk);
  tusk.blend = 0.02;
  body.add(RoundCone{{0.33, 1.82, 2.26}, {0.37, 1.72, 2.58}, 0.078, 0.060}, tusk);
  body.add(RoundCone{{0.37, 1.72, 2.58}, {0.36, 1.78, 2.88}, 0.060, 0.025}, tusk);
  body.add(Ellipsoid{{0.325, 2.62, 1.93}, {0.065, 0.065, 0.065}},
           {.joints = {"Head"}, .blend = 0.02, .spread = 0.05, .mirrored = true});
}

/// A broad fan that leans back, with a lobe below.
void add_ears(BlobBody& body) {
  const Quat back(Eigen::AngleAxisd(0.55, kY));
  const BlobRole ear{.joints = {"LeftEar", "LeftEarTip"}, .blend = 0.1, .spread = 0.12, .mirrored = true};
  body.add(RoundPlate{{0.82, 2.50, 1.26}, 0.45, 0.49, 0.055, back}, ear);
  body.add(RoundPlate{{0.72, 2.08, 1.32}, 0.25, 0.40, 0.055, back}, ear);
}

void add_legs_and_tail(BlobBody& body) {
  const auto bone = [&](const std::string& joint, const RoundCone& solid) {
    body.add(solid, {.joints = {joint}, .blend = 0.22, .spread = 0.19, .mirrored = true});
  };
  bone("LeftShoulder", {{0.40, 1.72, 0.74}, {0.43, 0.92, 0.80}, 0.38, 0.27});
  bone("LeftKnee", {{0.43, 0.92, 0.80}, {0.43, 0.24, 0.77}, 0.265, 0.225});
  bone("LeftHip", {{0.38, 1.68, -0.90}, {0.43, 0.95, -0.82}, 0.46, 0.285});
  bone("LeftHindKnee", {{0.43, 0.95, -0.82}, {0.43, 0.24, -0.93}, 0.275, 0.22});
  const auto foot = [&](const std::string& joint, const RoundCone& solid) {
    body.add(solid, {.joints = {joint}, .blend = 0.1, .spread = 0.09, .mirrored = true});
  };
  foot("LeftFoot", {{0.43, 0.20, 0.78}, {0.43, 0.03, 0.80}, 0.23, 0.285});
  foot("LeftHindFoot", {{0.43, 0.20, -0.92}, {0.43, 0.03, -0.90}, 0.225, 0.275});

  const std::vector<std::string> tail{"Tail1", "Tail2", "Tail3"};
  body.add(RoundCone{{0, 2.18, -1.50}, {0, 1.75, -1.76}, 0.10, 0.065}, {.joints = tail, .blend = 0.15, .spread = 0.09});
  body.add(RoundCone{{0, 1.75, -1.76}, {0, 1.14, -1.81}, 0.065, 0.045},
           {.joints = tail, .blend = 0.05, .spread = 0.09});
  body.add(Ellipsoid{{0, 1.02, -1.815}, {0.075, 0.20, 0.075}},
           {.joints = {"Tail3"}, .blend = 0.05, .spread = 0.09, .material = dark});
}

Cage trunk_cage() {
  const double z[] = {-1.55, -1.34, -0.92, -0.50, -0.06, 0.36, 0.77, 1.14, 1.24};
  const double lean[] = {0, 0, 0, 0, 0, 0, 0.06, 0.16, 0.10};
  const double radius[] = {0.40, 0.62, 0.74, 0.80, 0.82, 0.80, 0.76, 0.66, 0.56};
  return Cage::block({2, 3, 8}, [&](int i, int j, int k) {
    const double s = i - 1.0;
    const double t = 2.0 * j / 3 - 1;
    const double y = 1.86 + 0.06 * z[k] + 1.05 * t * radius[k] * std::sqrt(1 - s * s / 2);
    return Vec3(s * radius[k] * std::sqrt(1 - t * t / 2), y, z[k] - lean[k] * (t + 1) / 2);
  });
}

void grow_head(Cage& cage) {
  const auto both = [](double x, double y, double z) { return std::vector<Vec3>{{x, y, z}, {-x, y, z}}; };
  std::vector<Index> front;
  for (const double y : {1.5, 1.9, 2.3}) {
    for (const Index f : cage.faces_at(both(0.2, y, 1.24), kZ)) front.push_back(f);
  }
  cage.extrude(
      front,
      Course{.knots = {{{0, 2.30, 1.24}, 0.54, 0.50}, {{0, 2.48, 1.52}, 0.56, 0.46}, {{0, 2.42, 1.92}, 0.40, 0.36}},
             .up = kY,
             .start = {0, 0.4, 1}});
  cage.extrude(cage.faces_at(both(0.15, 2.42, 1.92), kZ), Course{.knots = {{{0, 2.26, 2.08}, 0.26},
                                                                           {{0, 1.98, 2.24}, 0.225},
                                                                           {{0, 1.60, 2.33}, 0.19},
                                                                           {{0, 1.22, 2.36}, 0.165, 0, 2},
                                                                           {{0, 0.86, 2.39}, 0.14, 0, 2},
                                                                           {{0, 0.55, 2.49}, 0.12},
                                                                           {{0, 0.35, 2.70}, 0.105}},
                                                                 .up = {0, 1, 1},
                                                                 .start = {0, -0.7, 1}});
  cage.extrude(cage.faces_at(both(0.15, 2.12, 1.92), {0, -0.3, 1}),
               Course{.knots = {{{0, 2.00, 1.86}, 0.15, 0.18}, {{0, 1.85, 2.00}, 0.07, 0.08}},
                      .up = {0, 1, 1},
                      .start = {0, -1, 1}});
}

void grow_head_pairs(Cage& cage) {
  const std::vector<Index> lid{cage.face_at({0.33, 2.62, 1.85}, {1, 0.4, 0.3})};
  cage.extrude_pair(lid, Course{.knots = {{{0.34, 2.62, 1.94}, 0.075}}, .up = kY, .start = {1, 0, 0.4}});
  cage.paint_pair(lid, eye);
  cage.extrude_pair(lid, Course{.knots = {{{0.38, 2.62, 1.955}, 0.05}}, .up = kY, .start = {1, 0, 0.4}});
  cage.extrude_pair({cage.face_at({0.3, 2.15, 1.8}, {1, -0.6, 0.2})}, Course{.knots = {{{0.29, 2.00, 2.07}, 0.085},
                                                                                       {{0.33, 1.82, 2.26}, 0.078},
                                                                                       {{0.37, 1.72, 2.58}, 0.06},
                                                                                       {{0.36, 1.78, 2.885}, 0.022}},
                                                                             .up = kX,
                                                                             .start = {0.2, -0.7, 0.7}});
  cage.extrude_pair(cage.faces_at({{0.45, 2.6, 1.4}, {0.45, 2.35, 1.4}}, {1, 0.1, 0}),
                    Course{.knots = {{{0.50, 2.46, 1.45}, 0.15, 0.50},
                                     {{0.66, 2.34, 1.36}, 0.20, 0.85},
                                     {{0.94, 2.40, 1.19}, 0.20, 0.85},
                                     {{1.24, 2.50, 1.01}, 0.16, 0.50}},
                           .up = kZ,
                           .start = {1, 0, -0.4}});
}

void grow_legs_and_tail(Cage& cage) {
  cage.extrude_pair(cage.faces_at({{0.3, 1.2, 0.56}, {0.3, 1.2, 0.96}}, -kY),
                    Course{.knots = {{{0.42, 1.14, 0.79}, 0.30},
                                     {{0.43, 0.92, 0.80}, 0.27},
                                     {{0.43, 0.24, 0.77}, 0.225, 0, 2},
                                     {{0.43, 0.02, 0.80}, 0.28}},
                           .up = kX,
                           .start = -kY});
  cage.extrude_pair(cage.faces_at({{0.3, 1.2, -1.13}, {0.3, 1.2, -0.71}}, -kY),
                    Course{.knots = {{{0.42, 1.14, -0.84}, 0.32},
                                     {{0.43, 0.92, -0.83}, 0.275},
                                     {{0.43, 0.24, -0.93}, 0.22, 0, 2},
                                     {{0.43, 0.02, -0.90}, 0.27}},
                           .up = kX,
                           .start = -kY});
  cage.extrude(cage.faces_at({{0.2, 2.1, -1.55}, {-0.2, 2.1, -1.55}}, -kZ), Course{.knots = {{{0, 2.06, -1.60}, 0.12},
                                                                                             {{0, 1.75, -1.76}, 0.065},
                                                                                             {{0, 1.18, -1.81}, 0.05},
                                                                                             {{0, 1.02, -1.815}, 0.07},
                                                                                             {{0, 0.86, -1.815}, 0.04}},
                                                                                   .up = {0, 1, -1},
                                                                                   .start = {0, -0.4, -1}});
}

std::vector<Material> elephant_materials() {
  return {{.name = "hide", .base_color = {0.33f, 0.32f, 0.34f, 1}, .roughness = 0.75f},
          {.name = "ivory", .base_color = {0.86f, 0.80f, 0.66f, 1}, .roughness = 0.35f},
          {.name = "dark", .base_color = {0.05f, 0.045f, 0.045f, 1}, .roughness = 0.8f},
          {.name = "eye", .base_color = {0.015f, 0.012f, 0.01f, 1}, .roughness = 0.15f}};
}

}  // namespace

Character make_elephant(const ElephantOptions& options, const Context& context) {
  check_ranges(options);
  const RigBuilder rig = elephant_rig();
  BlobBody body(rig);
  add_trunk(body);
  add_head(body);
  add_ears(body);
  add_legs_and_tail(body);
  body.set_floor(0);
  Cage cage = trunk_cage();
  grow_head(cage);
  grow_head_pairs(cage);
  grow_legs_and_tail(cage);

  Character elephant;
  elephant.name = "elephant";
  elephant.skeleton = rig.build(model::JointAxes::world);
  elephant.materials = elephant_materials();
  elephant.parts.push_back(body.build(elephant.skeleton, "elephant", {cage, 2 + options.refinement, context}));
  elephant.clips = {model::elephant_walk(elephant.skeleton), model::elephant_sit(elephant.skeleton)};
  return elephant;
}

}  // namespace isochor
