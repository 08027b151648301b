#include "isochor/sample/mouth.h"

#include "sample/axes.h"
#include "sample/blob_body.h"
#include "sample/poser.h"
#include "sample/rig_builder.h"

namespace isochor {
namespace {

using model::BlobBody;
using model::kX;
using model::Poser;
using model::RigBuilder;
using model::wave;

enum MouthMaterial : Index { hide_of_head, tongue };

RigBuilder mouth_rig() {
  RigBuilder rig;
  rig.joint("Throat", "", {0, -0.35, -0.90});
  rig.tail("Throat", {0, 1.20, -0.90});
  rig.joint("Head", "Throat", {0, 1.20, -0.90});
  rig.tail("Head", {0, 1.15, 1.05});
  rig.joint("Jaw", "Throat", {0, 0.10, -0.60});
  rig.tail("Jaw", {0, 0, 1.05});
  return rig;
}

}  // namespace

Character make_mouth(const MouthOptions& options, const Context& context) {
  check_ranges(options);
  const RigBuilder rig = mouth_rig();
  BlobBody body(rig);
  body.add(RoundCone{{0, -0.40, -0.90}, {0, 1.10, -0.90}, 0.70, 0.70}, {.joints = {"Throat"}, .spread = 0.12});
  body.add(RoundCone{{0, 1.15, -0.70}, {0, 1.15, 1.00}, 0.36, 0.22},
           {.joints = {"Head"}, .blend = 0.1, .spread = 0.12});
  body.add(RoundCone{{0, 0, -0.50}, {0, 0, 1.00}, 0.22, 0.15}, {.joints = {"Jaw"}, .blend = 0.06, .spread = 0.12});
  body.add(RoundCone{{0, 0.45, -0.40}, {0, 0.45, 0.85}, 0.10, 0.08},
           {.joints = {"Jaw"}, .blend = 0.04, .spread = 0.05, .material = tongue});

  Character mouth;
  mouth.name = "mouth";
  mouth.skeleton = rig.build(model::JointAxes::world);
  mouth.materials = {{.name = "hide", .base_color = {0.55f, 0.62f, 0.36f, 1}, .roughness = 0.6f},
                     {.name = "tongue", .base_color = {0.72f, 0.22f, 0.24f, 1}, .roughness = 0.4f}};
  mouth.parts.push_back(
      body.build(mouth.skeleton, "mouth", polygonize(body.shape(), {.vertices = options.vertices}, context)));
  mouth.clips = {model::record(mouth.skeleton, "open", {.duration = 2},
                               [](Poser& poser, double u) { poser.turn("Jaw", kX, 12 - 12 * wave(u + 0.25)); }),
                 model::record(mouth.skeleton, "nod", {.duration = 2},
                               [](Poser& poser, double u) { poser.turn("Throat", kX, 10 * wave(u)); })};
  return mouth;
}

}  // namespace isochor
