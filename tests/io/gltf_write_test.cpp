#include "isochor/io/gltf_write.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gltf_builder.h"
#include "gltf_reference.h"
#include "helpers.h"
#include "isochor/base/error.h"
#include "isochor/deform/skinning.h"
#include "isochor/version.h"
#include "support/data.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;
using test::faces_of;
using test::Json;
using Faces = std::vector<std::vector<Index>>;

/// Cyclic order does not matter for a polygon.
std::vector<std::vector<Index>> turned(Faces faces) {
  for (auto& face : faces) std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  return faces;
}

Json json_of(const GltfWritten& written) { return Json::parse(written.source.document.json_text()); }

GltfCharacter read_back(const GltfWritten& written) {
  return read_gltf(GltfDocument::parse(written.source.document.to_glb()));
}

/// A box of six quads on two joints, a plain node above them, with a clip and a morph target.
Character box_character() {
  Character c;
  Part part;
  part.name = "box";
  for (int i = 0; i < 8; ++i) part.surface.positions.emplace_back(i & 1, (i >> 1) & 1, (i >> 2) & 1);
  part.surface.add_face({0, 2, 3, 1});
  part.surface.add_face({4, 5, 7, 6});
  part.surface.add_face({0, 1, 5, 4});
  part.surface.add_face({2, 6, 7, 3});
  part.surface.add_face({0, 4, 6, 2});
  part.surface.add_face({1, 3, 7, 5});
  part.face_material = {0, 0, 1, 1, 0, 1};
  c.materials = {{"red", {1, 0, 0, 1}}, {"glass", {0, 0, 1, 0.5f}, 0.25f, 0.5f, true}};
  c.skeleton.joints = {{"root", kNone, {.translation = Vec3(0, 0, 2)}, false, {}},
                       {"low", 0, {}, true, {}},
                       {"high", 1, {.translation = Vec3(0, 0, 1)}, true, Vec3(0, 0, 0.5)}};
  part.skin.joints = {1, 2};
  part.skin.inverse_bind = {Affine::Identity(), Affine(Eigen::Translation3d(0, 0, -1))};
  for (int i = 0; i < 8; ++i) {
    const double up = (i >> 2) & 1 ? 0.9 : 0.1;
    part.weights.add_row(std::vector<Influence>{{1, up}, {0, 1 - up}});
  }
  part.morphs = {{"swell", std::vector<Vec3>(8, Vec3(0.5, 0, 0)), {}}};
  part.morph_weights = {0.5};
  c.parts = {part};
  Clip clip;
  clip.name = "nod";
  clip.channels = {{2, ChannelPath::rotation, Interpolation::linear, {0, 1}, {0, 0, 0, 1, 0, 0.6, 0, 0.8}, 4}};
  c.clips = {clip};
  return c;
}

void expect_same_shape(const Character& a, const Character& b, const Pose& pose_a, const Pose& pose_b) {
  const Context context(1);
  const PosedPart x = pose_part(a, a.parts[0], pose_a, Deformer::lbs, context);
  const PosedPart y = pose_part(b, b.parts[0], pose_b, Deformer::lbs, context);
  ASSERT_EQ(x.positions.size(), y.positions.size());
  for (std::size_t v = 0; v < x.positions.size(); ++v) EXPECT_LT((x.positions[v] - y.positions[v]).norm(), 1e-6);
}

// A character comes back as it was: polygons, materials, skeleton, skin, weights, morph target and clip.
TEST(GltfWrite, RoundTripsACharacter) {
  const Character c = box_character();
  const GltfWritten written = write_gltf(c);
  EXPECT_TRUE(written.problems.empty());
  const Character back = read_back(written).character;
  ASSERT_EQ(back.parts.size(), 1u);
  const Part& part = back.parts[0];
  EXPECT_EQ(part.surface.positions, c.parts[0].surface.positions);
  Faces expected = turned(faces_of(c.parts[0].surface));
  // Faces come back material by material.
  std::stable_partition(expected.begin(), expected.end(), [&](const auto& f) {
    return c.parts[0].face_material[static_cast<std::size_t>(&f - expected.data())] == 0;
  });
  Faces got = turned(faces_of(part.surface));
  std::sort(expected.begin(), expected.end());
  std::sort(got.begin(), got.end());
  EXPECT_EQ(got, expected);
  EXPECT_EQ(std::count(part.face_material.begin(), part.face_material.end(), 1), 3);
  EXPECT_EQ(back.materials[1].name, "glass");
  EXPECT_EQ(back.materials[1].base_color, c.materials[1].base_color);
  EXPECT_TRUE(back.materials[1].double_sided);
  const Index high = back.skeleton.find("high");
  ASSERT_NE(high, kNone);
  EXPECT_EQ(back.skeleton.joints[static_cast<std::size_t>(high)].tail, Vec3(0, 0, 0.5));
  EXPECT_EQ(back.skeleton.deforming_count(), 2u);
  EXPECT_EQ(part.morphs[0].name, "swell");
  EXPECT_EQ(part.morph_weights, std::vector<double>{0.5});
  ASSERT_EQ(back.clips.size(), 1u);
  EXPECT_EQ(back.clips[0].name, "nod");
  for (const double time : {0.0, 0.3, 1.0}) {
    expect_same_shape(c, back, sample(c.clips[0], c.skeleton, time), sample(back.clips[0], back.skeleton, time));
  }
}

// The document names its generator, declares FB_ngon_encoding, and shares vertex accessors between primitives.
TEST(GltfWrite, WritesATidyDocument) {
  const Json json = json_of(write_gltf(box_character()));
  EXPECT_EQ(json["asset"]["generator"], std::string("Isochor ") + ISOCHOR_VERSION);
  EXPECT_EQ(json["extensionsUsed"], Json({"FB_ngon_encoding"}));
  const Json& primitives = json["meshes"][0]["primitives"];
  ASSERT_EQ(primitives.size(), 2u);
  EXPECT_EQ(primitives[0]["attributes"], primitives[1]["attributes"]);
  EXPECT_EQ(json["materials"][1]["alphaMode"], "BLEND");
  // The skinned mesh stands at the scene's root without a transform.
  const Json& roots = json["scenes"][0]["nodes"];
  const std::size_t carrier = roots.back();
  EXPECT_EQ(json["nodes"][carrier].value("skin", -1), 0);
  EXPECT_FALSE(json["nodes"][carrier].contains("translation"));
}

// Triangles alone need no extension.
TEST(GltfWrite, MarksPolygonsOnlyWhereThereAreAny) {
  Character c;
  c.parts.resize(1);
  c.parts[0].surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  c.parts[0].surface.add_face({0, 1, 2});
  c.parts[0].surface.add_face({2, 1, 3});
  const GltfWritten written = write_gltf(c);
  EXPECT_FALSE(json_of(written).contains("extensionsUsed"));
  EXPECT_EQ(faces_of(read_back(written).character.parts[0].surface), faces_of(c.parts[0].surface));
}

// Weights are floats that sum to 1 as the validator asks, strongest four first, no joint twice, zero in unused slots.
TEST(GltfWrite, WritesWeightsThatSumToOne) {
  Character c = box_character();
  for (Index j = 3; j < 12; ++j) c.skeleton.joints.push_back({"extra" + std::to_string(j), 2, {}, true, {}});
  Part& part = c.parts[0];
  part.skin.joints.clear();
  for (Index j = 1; j < 12; ++j) part.skin.joints.push_back(j);
  part.skin.inverse_bind.assign(part.skin.joints.size(), Affine::Identity());
  part.weights = {};
  for (int v = 0; v < 8; ++v) {
    std::vector<Influence> row;
    double sum = 0;
    for (Index k = 0; k <= v; ++k) sum += 1.0 / (3 + k * v);
    for (Index k = 0; k <= v; ++k) row.push_back({10 - k, 1.0 / (3 + k * v) / sum});
    part.weights.add_row(row);
  }
  const test::GltfReference reference(write_gltf(c).source.document.to_glb());
  const Json& attributes = reference.json["meshes"][0]["primitives"][0]["attributes"];
  ASSERT_TRUE(attributes.contains("JOINTS_1"));
  ASSERT_FALSE(attributes.contains("JOINTS_2"));
  for (std::size_t v = 0; v < 8; ++v) {
    double sum = 0, last = 2;
    int used = 0;
    std::vector<double> seen;
    for (int set = 0; set < 2; ++set) {
      const auto joints = reference.read(attributes["JOINTS_" + std::to_string(set)])[v];
      const auto weights = reference.read(attributes["WEIGHTS_" + std::to_string(set)])[v];
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_LE(weights[k], last);
        last = weights[k];
        sum += weights[k];
        if (weights[k] == 0) {
          EXPECT_EQ(joints[k], 0);
        } else {
          ++used;
          EXPECT_EQ(std::count(seen.begin(), seen.end(), joints[k]), 0);
          seen.push_back(joints[k]);
        }
      }
    }
    EXPECT_EQ(used, static_cast<int>(v) + 1);
    EXPECT_LE(std::abs(sum - 1), 2e-7 * used);
  }
}

// Corners that disagree in normal or texture coordinate split their vertex; the map says from which one each comes.
TEST(GltfWrite, SplitsVerticesByCorner) {
  Character c = box_character();
  Part& part = c.parts[0];
  for (std::size_t f = 0; f < 6; ++f) {
    for (int k = 0; k < 4; ++k) {
      part.corner_normals.push_back(Vec3f(f == 0 ? 1.f : 0.f, f == 1 ? 1.f : 0.f, f > 1 ? 1.f : 0.f));
      part.corner_uvs.push_back(Vec2f(0.5f, 0.5f));
    }
  }
  const GltfWritten written = write_gltf(c);
  const auto& vertex = written.vertex[0];
  // Faces 0 and 1 have normals of their own, the others share theirs: two variants at each vertex.
  EXPECT_EQ(vertex.size(), 16u);
  EXPECT_TRUE(std::is_sorted(vertex.begin(), vertex.end()));
  const Character back = read_back(written).character;
  for (std::size_t v = 0; v < vertex.size(); ++v) {
    EXPECT_EQ(back.parts[0].surface.positions[v], part.surface.positions[static_cast<std::size_t>(vertex[v])]);
    EXPECT_EQ(back.parts[0].weights.row(v).size(), 2u);
  }
  EXPECT_EQ(back.parts[0].surface.face_count(), 6u);
  EXPECT_EQ(back.parts[0].uvs.size(), 16u);
  const WholeSurface whole = assemble(back);
  EXPECT_EQ(whole.weld.surface.vertex_count(), 8u);
}

// Faces that would melt into one polygon begin with different vertices; concave polygons are cut without overlap.
TEST(GltfWrite, KeepsPolygonsApart) {
  Character c;
  c.parts.resize(1);
  Surface& s = c.parts[0].surface;
  s.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {-1, 1, 0}, {-1, 0, 0}};
  s.add_face({0, 1, 2, 3});
  s.add_face({0, 3, 4, 5});
  s.add_face({0, 3, 4});
  s.add_face({0, 3, 4});
  EXPECT_EQ(turned(faces_of(read_back(write_gltf(c)).character.parts[0].surface)), turned(faces_of(s)));

  // An arrow: only its tip and its notch see all of it.
  c.parts[0].surface = {};
  s.positions = {{0, 0, 0}, {2, -1, 0}, {1, 0, 0}, {2, 1, 0}};
  s.add_face({0, 1, 2, 3});
  const Character arrow = read_back(write_gltf(c)).character;
  EXPECT_EQ(turned(faces_of(arrow.parts[0].surface)), (Faces{{0, 1, 2, 3}}));
  const test::GltfReference reference(write_gltf(c).source.document.to_glb());
  const auto indices = reference.read(reference.json["meshes"][0]["primitives"][0]["indices"]);
  double area = 0;
  for (std::size_t t = 0; t < indices.size(); t += 3) {
    const auto p = [&](std::size_t k) { return s.positions[static_cast<std::size_t>(indices[t + k][0])]; };
    const double z = (p(1) - p(0)).cross(p(2) - p(0)).z() / 2;
    EXPECT_GT(z, 0);
    area += z;
  }
  EXPECT_NEAR(area, 1, 1e-9);

  // A spiral: no corner sees all of it, so it is written as triangles and that is said.
  s = {};
  s.positions = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {1, 4, 0}, {1, 2, 0},
                 {2, 2, 0}, {2, 3, 0}, {3, 3, 0}, {3, 1, 0}, {0, 1, 0}};
  s.add_face({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const GltfWritten spiral = write_gltf(c);
  ASSERT_EQ(spiral.problems.size(), 1u);
  EXPECT_EQ(spiral.problems[0].code, "gltf-polygon-torn");
  EXPECT_GE(read_back(spiral).character.parts[0].surface.face_count(), 2u);
}

// Unskinned parts hang from their joint, several from one too, and move with it.
TEST(GltfWrite, CarriesUnskinnedParts) {
  Character c = box_character();
  c.parts[0].skin = {};
  c.parts[0].weights = {};
  c.parts[0].node = 2;
  c.parts.push_back(c.parts[0]);
  c.parts[1].name = "second";
  c.clips[0].channels.push_back({2, ChannelPath::morph_weights, Interpolation::step, {0, 0.5}, {0, 1}, 1});
  const GltfWritten written = write_gltf(c);
  const Character back = read_back(written).character;
  ASSERT_EQ(back.parts.size(), 2u);
  for (const double time : {0.0, 0.3, 0.8}) {
    expect_same_shape(c, back, sample(c.clips[0], c.skeleton, time), sample(back.clips[0], back.skeleton, time));
  }
  EXPECT_EQ(back.skeleton.deforming_count(), 2u) << "an unused skin says which nodes are joints";
}

// A node that a skin names is written, even if it is marked as a plain one and carries the skinned part alone.
TEST(GltfWrite, WritesEveryJointOfASkin) {
  Character c = box_character();
  c.skeleton.joints[2].deforms = false;
  c.parts[0].node = 2;
  const Character back = read_back(write_gltf(c)).character;
  EXPECT_EQ(back.parts[0].skin.joints.size(), 2u);
  expect_same_shape(c, back, rest_pose(c.skeleton), rest_pose(back.skeleton));
}

// Shear becomes a chain of nodes with the same product.
TEST(GltfWrite, WritesShearAsAChain) {
  Character c = box_character();
  c.skeleton.joints[1].rest.shear << 1, 0.3, 0, 0, 1, -0.2, 0.1, 0, 1;
  c.skeleton.joints[1].rest.rotation = Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()));
  c.skeleton.joints[1].rest.scale = Vec3(1, 2, 3);
  const Character back = read_back(write_gltf(c)).character;
  EXPECT_EQ(back.skeleton.deforming_count(), 2u);
  expect_same_shape(c, back, rest_pose(c.skeleton), rest_pose(back.skeleton));
}

// Joints in several trees get a common root, as skins need one.
TEST(GltfWrite, JoinsDisjointSkeletons) {
  Character c = box_character();
  c.skeleton.joints[2].parent = kNone;
  c.skeleton.joints[2].rest.translation = Vec3(0, 0, 3);
  const GltfWritten written = write_gltf(c);
  const Json json = json_of(written);
  EXPECT_EQ(json["nodes"].back()["name"], "skeleton_root");
  const Character back = read_back(written).character;
  expect_same_shape(c, back, rest_pose(c.skeleton), rest_pose(back.skeleton));
}

// A skeleton without a mesh is written with its joints marked.
TEST(GltfWrite, WritesASkeletonAlone) {
  Character c = box_character();
  c.parts.clear();
  const auto document = GltfDocument::parse(write_gltf(c).source.document.to_glb());
  const Character back = read_gltf(document, {.require_triangles = false}).character;
  EXPECT_EQ(back.skeleton.deforming_count(), 2u);
  EXPECT_EQ(back.clips.size(), 1u);
}

// What glTF cannot hold is mended and said: negative times, keys that coincide as floats, empty clips and parts.
TEST(GltfWrite, ReportsWhatItMends) {
  Character c = box_character();
  Channel& channel = c.clips[0].channels[0];
  channel.times = {-1, 1, 1 + 1e-12};
  channel.values = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  c.clips.push_back({"nothing", {}});
  c.parts.push_back({});
  const GltfWritten written = write_gltf(c);
  std::vector<std::string> codes;
  for (const Problem& problem : written.problems) codes.push_back(problem.code);
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(codes,
            (std::vector<std::string>{"gltf-empty-clip", "gltf-empty-part", "gltf-key-order", "gltf-negative-time"}));
  EXPECT_EQ(read_back(written).character.clips[0].channels[0].times, (std::vector<double>{0, 2}));
  EXPECT_EQ(written.source.map.animation_of_clip, (std::vector<Index>{0, kNone}));
}

// Arrays that do not fit, vertices that do not exist and positions that are not finite are refused.
TEST(GltfWrite, RefusesBrokenCharacters) {
  const auto refused = [](const std::function<void(Character&)>& twist) {
    Character c = box_character();
    twist(c);
    try {
      write_gltf(c);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](Character&) {}));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].uvs.resize(3); }));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].surface.corners[0] = 99; }));
  EXPECT_TRUE(
      refused([](Character& c) { c.parts[0].surface.positions[0].x() = std::numeric_limits<double>::quiet_NaN(); }));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].surface.positions[0].x() = 1e39; }));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].skin.joints[0] = 7; }));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].weights.influences[0].joint = 7; }));
  EXPECT_TRUE(refused([](Character& c) { c.parts[0].face_material[0] = 7; }));
  EXPECT_TRUE(refused([](Character& c) { c.clips[0].channels[0].values.pop_back(); }));
}

// The same character gives the same bytes.
TEST(GltfWrite, IsDeterministic) {
  EXPECT_EQ(write_gltf(box_character()).source.document.to_glb(), write_gltf(box_character()).source.document.to_glb());
}

// Every real character, written afresh, plays as its original does.
TEST(GltfWrite, RewritesRealCharacters) {
  SKIP_WITHOUT_SHARED_DATA();
  const Context context(1);
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.path().extension() != ".glb" || entry.path().filename().string().rfind("rig-", 0) == 0) continue;
    if (test::leave_out(entry.path())) continue;
    const Character a = read_gltf(GltfDocument::open(entry.path())).character;
    const GltfWritten written = write_gltf(a);
    const Character b = read_back(written).character;
    ASSERT_EQ(a.parts.size(), b.parts.size()) << entry.path();
    ASSERT_EQ(a.clips.size(), b.clips.size()) << entry.path();
    const std::size_t last = a.clips.empty() ? 0 : a.clips.size() - 1;
    const Pose pose_a = a.clips.empty() ? rest_pose(a.skeleton) : sample(a.clips[last], a.skeleton, 0.3);
    const Pose pose_b = b.clips.empty() ? rest_pose(b.skeleton) : sample(b.clips[last], b.skeleton, 0.3);
    for (std::size_t p = 0; p < a.parts.size(); ++p) {
      // Parts of the file come in the order of its nodes.
      const auto same = [&](const Part& part) { return part.name == a.parts[p].name; };
      const auto other = a.parts[p].name == b.parts[p].name ? b.parts.begin() + static_cast<std::ptrdiff_t>(p)
                                                            : std::find_if(b.parts.begin(), b.parts.end(), same);
      ASSERT_NE(other, b.parts.end()) << entry.path() << a.parts[p].name;
      const PosedPart x = pose_part(a, a.parts[p], pose_a, Deformer::lbs, context);
      const PosedPart y = pose_part(b, *other, pose_b, Deformer::lbs, context);
      ASSERT_EQ(x.positions.size(), y.positions.size());
      const double size = bounding_box(x.positions).diagonal().norm();
      double largest = 0;
      for (std::size_t v = 0; v < x.positions.size(); ++v) {
        largest = std::max(largest, (x.positions[v] - y.positions[v]).norm() / size);
      }
      EXPECT_LT(largest, 2e-6) << entry.path() << " " << a.parts[p].name;
    }
  }
}

}  // namespace
}  // namespace isochor
