#include "isochor/sample/giraffe.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "sample/axes.h"
#include "sample/blob_body.h"
#include "sample/cage.h"
#include "sample/poser.h"
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
using model::Poser;
using model::RigBuilder;
using model::wave;

enum GiraffeMaterial : Index { hide, spot, dark, hoof, muzzle, eye };

RigBuilder giraffe_rig() {
  RigBuilder rig;
  rig.joint("Hips", "", {0, 1.74, -0.52});
  rig.joint("Spine", "Hips", {0, 1.78, -0.08});
  rig.joint("Chest", "Spine", {0, 1.86, 0.38});
  rig.joint("Neck1", "Chest", {0, 2.24, 0.66});
  rig.joint("Neck2", "Neck1", {0, 2.66, 0.83});
  rig.joint("Neck3", "Neck2", {0, 3.06, 0.96});
  rig.joint("Neck4", "Neck3", {0, 3.44, 1.07});
  rig.joint("Head", "Neck4", {0, 3.80, 1.17});
  rig.tail("Head", {0, 3.72, 1.92});
  rig.pair("Ear", "Head", {0.20, 3.98, 1.14});
  rig.pair_tail("Ear", {0.56, 4.08, 1.09});
  rig.pair("Shoulder", "Chest", {0.25, 1.60, 0.54});
  rig.pair("Knee", "Shoulder", {0.26, 0.84, 0.56});
  rig.pair("Hoof", "Knee", {0.26, 0.22, 0.56});
  rig.pair_tail("Hoof", {0.26, 0.02, 0.62});
  rig.pair("Hip", "Hips", {0.23, 1.58, -0.52});
  rig.pair("Hock", "Hip", {0.25, 0.82, -0.60});
  rig.pair("HindHoof", "Hock", {0.25, 0.22, -0.56});
  rig.pair_tail("HindHoof", {0.25, 0.02, -0.50});
  rig.joint("Tail1", "Hips", {0, 1.90, -0.92});
  rig.joint("Tail2", "Tail1", {0, 1.54, -1.08});
  rig.joint("Tail3", "Tail2", {0, 1.20, -1.14});
  rig.tail("Tail3", {0, 0.82, -1.15});
  return rig;
}

void add_trunk(BlobBody& body) {
  const std::vector<std::string> spine{"Hips", "Spine", "Chest"};
  body.add(RoundCone{{0, 1.72, -0.46}, {0, 1.80, 0.40}, 0.42, 0.47}, {.joints = spine, .spread = 0.22});
  body.add(Ellipsoid{{0, 1.87, 0.46}, {0.42, 0.54, 0.46}}, {.joints = {"Chest"}, .blend = 0.2, .spread = 0.22});
  body.add(Ellipsoid{{0, 1.74, -0.52}, {0.41, 0.46, 0.44}}, {.joints = {"Hips"}, .blend = 0.2, .spread = 0.22});
}

void add_neck_and_head(BlobBody& body) {
  const std::vector<std::string> neck{"Neck1", "Neck2", "Neck3", "Neck4"};
  body.add(RoundCone{{0, 2.14, 0.60}, {0, 2.74, 0.85}, 0.34, 0.235}, {.joints = neck, .blend = 0.35, .spread = 0.18});
  body.add(RoundCone{{0, 2.60, 0.80}, {0, 3.72, 1.15}, 0.245, 0.175}, {.joints = neck, .blend = 0.1, .spread = 0.18});
  const BlobRole mane{.joints = neck, .blend = 0.06, .spread = 0.18};
  body.add(RoundCone{{0, 2.46, 0.49}, {0, 2.75, 0.625}, 0.055, 0.055}, mane);
  body.add(RoundCone{{0, 2.75, 0.625}, {0, 3.84, 1.02}, 0.055, 0.055}, mane);
  body.add(Ellipsoid{{0, 3.90, 1.27}, {0.23, 0.235, 0.28}}, {.joints = {"Head"}, .blend = 0.14, .spread = 0.12});
  body.add(RoundCone{{0, 3.84, 1.45}, {0, 3.725, 1.86}, 0.185, 0.125},
           {.joints = {"Head"}, .blend = 0.12, .spread = 0.1});
  body.add(Ellipsoid{{0, 3.715, 1.91}, {0.165, 0.13, 0.145}},
           {.joints = {"Head"}, .blend = 0.08, .spread = 0.1, .material = muzzle});
  const BlobRole both{.joints = {"Head"}, .blend = 0.05, .spread = 0.05, .mirrored = true};
  body.add(RoundCone{{0.11, 4.04, 1.21}, {0.145, 4.36, 1.13}, 0.06, 0.05}, both);
  BlobRole tip = both;
  tip.material = dark;
  body.add(Ellipsoid{{0.148, 4.39, 1.125}, {0.075, 0.075, 0.075}}, tip);
  BlobRole bulb = both;
  bulb.blend = 0.015;
  body.add(Ellipsoid{{0.172, 3.945, 1.43}, {0.065, 0.065, 0.065}}, bulb);
  BlobRole ear = both;
  ear.joints = {"LeftEar"};
  body.add(Ellipsoid{{0.38, 4.03, 1.12}, {0.22, 0.10, 0.05}, Quat(Eigen::AngleAxisd(0.28, kZ))}, ear);
}

void add_legs_and_tail(BlobBody& body) {
  const auto bone = [&](const std::string& joint, const RoundCone& solid) {
    body.add(solid, {.joints = {joint}, .blend = 0.16, .spread = 0.12, .mirrored = true});
  };
  bone("LeftShoulder", {{0.24, 1.65, 0.54}, {0.26, 0.84, 0.56}, 0.25, 0.145});
  bone("LeftKnee", {{0.26, 0.84, 0.56}, {0.26, 0.20, 0.56}, 0.145, 0.115});
  bone("LeftHip", {{0.21, 1.62, -0.50}, {0.25, 0.82, -0.60}, 0.30, 0.145});
  bone("LeftHock", {{0.25, 0.82, -0.60}, {0.25, 0.20, -0.56}, 0.145, 0.115});
  const auto foot = [&](const std::string& joint, const RoundCone& solid) {
    body.add(solid, {.joints = {joint}, .blend = 0.05, .spread = 0.06, .mirrored = true, .material = hoof});
  };
  foot("LeftHoof", {{0.26, 0.12, 0.58}, {0.26, 0.03, 0.58}, 0.14, 0.165});
  foot("LeftHindHoof", {{0.25, 0.12, -0.54}, {0.25, 0.03, -0.54}, 0.14, 0.165});

  const std::vector<std::string> tail{"Tail1", "Tail2", "Tail3"};
  body.add(RoundCone{{0, 1.90, -0.90}, {0, 1.54, -1.08}, 0.075, 0.055}, {.joints = tail, .spread = 0.08});
  body.add(RoundCone{{0, 1.54, -1.08}, {0, 1.08, -1.14}, 0.055, 0.045}, {.joints = tail, .spread = 0.08});
  body.add(Ellipsoid{{0, 0.97, -1.145}, {0.085, 0.20, 0.085}},
           {.joints = {"Tail3"}, .blend = 0.06, .spread = 0.08, .material = dark});
}

/// Two cells wide, so that a line of edges runs along the middle; three high, so that legs, neck and tail find a patch.
/// The rings of the shoulders lean back to make room for the neck.
Cage trunk_cage() {
  const double z[] = {-0.90, -0.74, -0.50, -0.26, 0.05, 0.32, 0.57, 0.82, 0.90};
  const double lean[] = {0, 0, 0, 0, 0.02, 0.08, 0.20, 0.42, 0.10};
  const double radius[] = {0.26, 0.40, 0.44, 0.43, 0.43, 0.44, 0.47, 0.45, 0.34};
  return Cage::block({2, 3, 8}, [&](int i, int j, int k) {
    const double s = i - 1.0;
    const double t = 2.0 * j / 3 - 1;
    const double y = 1.75 + 0.07 * z[k] + 1.1 * t * radius[k] * std::sqrt(1 - s * s / 2);
    return Vec3(s * radius[k] * std::sqrt(1 - t * t / 2), y, z[k] - lean[k] * (t + 1) / 2);
  });
}

void grow_neck_and_head(Cage& cage) {
  std::vector<Index> top = cage.faces_at({{0.2, 2.0, 0.9}, {-0.2, 2.0, 0.9}}, kZ);
  for (const Index f : cage.faces_at({{0.2, 2.2, 0.6}, {-0.2, 2.2, 0.6}}, {0, 1, 0.3})) top.push_back(f);
  cage.extrude(top, Course{.knots = {{{0, 2.36, 0.71}, 0.31},
                                     {{0, 2.74, 0.86}, 0.24, 0, 2},
                                     {{0, 3.70, 1.15}, 0.18, 0, 5},
                                     {{0, 3.90, 1.22}, 0.23},
                                     {{0, 4.07, 1.22}, 0.17}},
                           .up = kZ,
                           .start = {0, 0.9, 0.4}});
  const std::vector<Index> front =
      cage.faces_at({{0.1, 3.8, 1.4}, {-0.1, 3.8, 1.4}, {0.1, 3.98, 1.4}, {-0.1, 3.98, 1.4}}, kZ);
  cage.extrude(front,
               Course{.knots = {{{0, 3.84, 1.52}, 0.175}, {{0, 3.78, 1.72}, 0.14}, {{0, 3.715, 1.95}, 0.12, 0.15}},
                      .up = kY,
                      .start = {0, -0.2, 1}});
  const std::vector<Index> lid{cage.face_at({0.19, 3.96, 1.43}, {1, 0.4, 0.1})};
  cage.extrude_pair(lid, Course{.knots = {{{0.2, 3.945, 1.43}, 0.065}}, .up = kY, .start = kX});
  cage.paint_pair(lid, eye);
  cage.extrude_pair(lid, Course{.knots = {{{0.235, 3.945, 1.43}, 0.045}}, .up = kY, .start = kX});
  cage.extrude_pair({cage.face_at({0.2, 3.98, 1.14}, {1, 0, -0.4})}, Course{.knots = {{{0.23, 3.99, 1.14}, 0.06, 0.05},
                                                                                      {{0.38, 4.03, 1.12}, 0.1, 0.05},
                                                                                      {{0.52, 4.07, 1.10}, 0.06, 0.03}},
                                                                            .up = kY,
                                                                            .start = kX});
  cage.extrude_pair(
      {cage.face_at({0.1, 4.08, 1.16}, kY)},
      Course{.knots = {{{0.115, 4.15, 1.19}, 0.055}, {{0.14, 4.33, 1.14}, 0.055}, {{0.148, 4.42, 1.125}, 0.06}},
             .up = kX,
             .start = kY});
}

void grow_legs_and_tail(Cage& cage) {
  cage.extrude_pair(cage.faces_at({{0.2, 1.3, 0.44}, {0.2, 1.3, 0.68}}, -kY),
                    Course{.knots = {{{0.25, 1.26, 0.55}, 0.19},
                                     {{0.26, 0.84, 0.56}, 0.145, 0, 2},
                                     {{0.26, 0.22, 0.56}, 0.115, 0, 2},
                                     {{0.26, 0.02, 0.60}, 0.15}},
                           .up = kX,
                           .start = -kY});
  cage.extrude_pair(cage.faces_at({{0.2, 1.3, -0.62}, {0.2, 1.3, -0.38}}, -kY),
                    Course{.knots = {{{0.24, 1.24, -0.54}, 0.21},
                                     {{0.25, 0.82, -0.60}, 0.145, 0, 2},
                                     {{0.25, 0.22, -0.56}, 0.115, 0, 2},
                                     {{0.25, 0.02, -0.52}, 0.15}},
                           .up = kX,
                           .start = -kY});
  cage.extrude(cage.faces_at({{0.1, 1.9, -0.9}, {-0.1, 1.9, -0.9}}, -kZ), Course{.knots = {{{0, 1.84, -0.97}, 0.085},
                                                                                           {{0, 1.54, -1.08}, 0.06},
                                                                                           {{0, 1.14, -1.135}, 0.05},
                                                                                           {{0, 0.97, -1.145}, 0.075},
                                                                                           {{0, 0.82, -1.145}, 0.05}},
                                                                                 .up = {0, 1, -1},
                                                                                 .start = {0, -0.5, -1}});
}

/// The quads that came from one face of the cage lie one after another: their vertices and their common centre.
struct Block {
  std::set<Index> vertices;
  Vec3 center = Vec3::Zero();
  bool bare = true;  ///< all of hide, away from head, feet and the plane of symmetry
};

std::vector<Block> cage_blocks(const Part& part, std::size_t quads) {
  std::vector<Block> blocks(part.surface.face_count() / quads);
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    Block& block = blocks[f / quads];
    block.bare = block.bare && part.face_material[f] == hide;
    for (const Index v : part.surface.face(f)) {
      const Vec3& p = part.surface.positions[v];
      block.vertices.insert(v);
      block.center += p / (4.0 * static_cast<double>(quads));
      block.bare = block.bare && p.x() != 0 && p.y() > 0.7 && p.y() < 3.72 && p.z() > -0.95;
    }
  }
  return blocks;
}

/// The quads along the back of the neck.
void paint_mane(Part& part) {
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    Vec3 center = Vec3::Zero();
    for (const Index v : part.surface.face(f)) center += part.surface.positions[v] / 4;
    const double axis = 0.60 + 0.35 * (center.y() - 2.14);  // z of the neck's middle at this height
    const bool behind = center.z() < axis - 0.1 && std::abs(center.x()) < 0.055;
    if (behind && center.y() > 2.45 && center.y() < 3.95) part.face_material[f] = dark;
  }
}

/// Spots on faces of the cage that do not touch each other, the same on both sides.
void paint_spots(Part& part, std::size_t quads) {
  const std::vector<Block> blocks = cage_blocks(part, quads);
  std::set<Index> taken;
  for (const Block& block : blocks) {
    const auto free = [&](Index v) { return taken.count(v) == 0; };
    if (!block.bare || block.center.x() < 0 || !std::all_of(block.vertices.begin(), block.vertices.end(), free))
      continue;
    taken.insert(block.vertices.begin(), block.vertices.end());
    const Vec3 reflection(-block.center.x(), block.center.y(), block.center.z());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const bool twin = (blocks[b].center - reflection).norm() < 1e-9;
      if (!twin && &blocks[b] != &block) continue;
      std::fill_n(part.face_material.begin() + static_cast<std::ptrdiff_t>(b * quads), quads, Index{spot});
    }
  }
}

/// Out to the side and down, by 112° over the four joints of the neck, and back.
Clip neck_bend(const Skeleton& skeleton) {
  return model::record(skeleton, "neck-bend", {.duration = 2.5}, [](Poser& poser, double u) {
    const double bend = 0.5 - 0.5 * wave(u + 0.25);
    for (const char* joint : {"Neck1", "Neck2", "Neck3", "Neck4"}) poser.turn(joint, Vec3(6 * bend, 0, -28 * bend));
    poser.turn("Head", Vec3(0, -10 * bend, -14 * bend));
  });
}

Clip idle(const Skeleton& skeleton) {
  return model::record(skeleton, "idle", {.duration = 4}, [](Poser& poser, double u) {
    const char* neck[] = {"Neck1", "Neck2", "Neck3", "Neck4"};
    for (int n = 0; n < 4; ++n) {
      const double lag = 0.06 * n;
      poser.turn(neck[n], Vec3(2.5 * wave(u - lag), 5 * wave(u - lag), 2 * wave(2 * u - lag)));
    }
    poser.turn("Head", Vec3(5 * wave(2 * u), 8 * wave(u - 0.3), 0));
    poser.turn("LeftEar", Vec3::UnitY(), 14 * wave(3 * u));
    poser.turn("RightEar", Vec3::UnitY(), -14 * wave(3 * u + 0.3));
    const char* tail[] = {"Tail1", "Tail2", "Tail3"};
    for (int n = 0; n < 3; ++n) poser.turn(tail[n], kZ, 14 * wave(2 * u - 0.12 * n));
    poser.turn("Spine", kX, 0.8 * wave(2 * u));
  });
}

}  // namespace

Character make_giraffe(const GiraffeOptions& options, const Context& context) {
  check_ranges(options);
  const RigBuilder rig = giraffe_rig();
  BlobBody body(rig);
  add_trunk(body);
  add_neck_and_head(body);
  add_legs_and_tail(body);
  body.set_floor(0);
  Cage cage = trunk_cage();
  grow_neck_and_head(cage);
  grow_legs_and_tail(cage);

  const int levels = 1 + options.refinement;

  Character giraffe;
  giraffe.name = "giraffe";
  giraffe.skeleton = rig.build(model::JointAxes::world);
  giraffe.materials = {{.name = "hide", .base_color = {0.86f, 0.55f, 0.18f, 1}, .roughness = 0.55f},
                       {.name = "spot", .base_color = {0.45f, 0.17f, 0.05f, 1}, .roughness = 0.55f},
                       {.name = "dark", .base_color = {0.23f, 0.09f, 0.03f, 1}, .roughness = 0.6f},
                       {.name = "hoof", .base_color = {0.12f, 0.06f, 0.03f, 1}, .roughness = 0.5f},
                       {.name = "muzzle", .base_color = {0.87f, 0.68f, 0.45f, 1}, .roughness = 0.55f},
                       {.name = "eye", .base_color = {0.015f, 0.012f, 0.01f, 1}, .roughness = 0.15f}};
  giraffe.parts.push_back(body.build(giraffe.skeleton, "giraffe", {cage, levels, context}));
  paint_mane(giraffe.parts.front());
  paint_spots(giraffe.parts.front(), std::size_t{1} << (2 * levels));
  giraffe.clips = {neck_bend(giraffe.skeleton), idle(giraffe.skeleton)};
  return giraffe;
}

}  // namespace isochor
