#pragma once

/// Small glTF documents for tests, put together by hand: nothing here uses the library that is tested.

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace isochor::test {

using Json = nlohmann::ordered_json;

class GltfBuilder {
 public:
  Json json = {{"asset", {{"version", "2.0"}}}};
  std::vector<std::uint8_t> bin;

  int push(const char* key, Json value) {
    json[key].push_back(std::move(value));
    return static_cast<int>(json[key].size()) - 1;
  }

  template <class T>
  int view(const std::vector<T>& values, int stride = 0) {
    bin.resize((bin.size() + 3) / 4 * 4);
    const std::size_t offset = bin.size();
    bin.resize(offset + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bin.data() + offset, values.data(), values.size() * sizeof(T));
    Json view = {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", values.size() * sizeof(T)}};
    if (stride) view["byteStride"] = stride;
    return push("bufferViews", view);
  }

  template <class T>
  int accessor(const char* type, const std::vector<T>& values, int component_type, int components) {
    const int v = view(values);
    return push("accessors", {{"bufferView", v},
                              {"componentType", component_type},
                              {"count", values.size() / static_cast<std::size_t>(components)},
                              {"type", type}});
  }
  int scalars(const std::vector<float>& values) {
    const int a = accessor("SCALAR", values, 5126, 1);
    if (!values.empty()) {
      json["accessors"][a]["min"] = {*std::min_element(values.begin(), values.end())};
      json["accessors"][a]["max"] = {*std::max_element(values.begin(), values.end())};
    }
    return a;
  }
  int vec3(const std::vector<float>& values) {
    const int a = accessor("VEC3", values, 5126, 3);
    for (std::size_t k = 0; k < 3 && k < values.size(); ++k) {
      float low = values[k], high = values[k];
      for (std::size_t i = k; i < values.size(); i += 3) {
        low = std::min(low, values[i]);
        high = std::max(high, values[i]);
      }
      json["accessors"][a]["min"].push_back(low);
      json["accessors"][a]["max"].push_back(high);
    }
    return a;
  }
  int vec4(const std::vector<float>& values) { return accessor("VEC4", values, 5126, 4); }
  int mat4(const std::vector<float>& values) { return accessor("MAT4", values, 5126, 16); }
  int indices(const std::vector<std::uint16_t>& values) { return accessor("SCALAR", values, 5123, 1); }
  int joints(const std::vector<std::uint8_t>& values) { return accessor("VEC4", values, 5121, 4); }

  std::vector<std::uint8_t> glb() const {
    Json out = json;
    if (!bin.empty() && !out.contains("buffers")) out["buffers"] = {{{"byteLength", bin.size()}}};
    return pack(out.dump(), bin);
  }

  static std::vector<std::uint8_t> pack(std::string text, std::vector<std::uint8_t> data) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    data.resize((data.size() + 3) / 4 * 4);
    std::vector<std::uint8_t> out;
    const auto word = [&](std::uint32_t w) {
      const auto* b = reinterpret_cast<const std::uint8_t*>(&w);
      out.insert(out.end(), b, b + 4);
    };
    word(0x46546C67);
    word(2);
    word(static_cast<std::uint32_t>(12 + 8 + text.size() + (data.empty() ? 0 : 8 + data.size())));
    word(static_cast<std::uint32_t>(text.size()));
    word(0x4E4F534A);
    out.insert(out.end(), text.begin(), text.end());
    if (!data.empty()) {
      word(static_cast<std::uint32_t>(data.size()));
      word(0x004E4942);
      out.insert(out.end(), data.begin(), data.end());
    }
    return out;
  }
};

/// A single triangle on one node: the smallest document that reads.
inline GltfBuilder triangle_document() {
  GltfBuilder b;
  const int position = b.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
  b.push("meshes", {{"name", "tri"}, {"primitives", {{{"attributes", {{"POSITION", position}}}}}}});
  b.push("nodes", {{"name", "carrier"}, {"mesh", 0}});
  b.push("scenes", {{"nodes", {0}}});
  b.json["scene"] = 0;
  return b;
}

/// A strip of two quads (four triangles, six vertices) on two joints, with normals, texture coordinates, a material, a
/// morph target, and a clip that bends the second joint and drives the morph.
///
///   nodes   0 root (plain, moved by 10 in x)   1 hip (joint)   2 knee (joint)   3 body (mesh and skin, at the root)
inline GltfBuilder character_document() {
  GltfBuilder b;
  const std::vector<float> positions = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0};
  const int position = b.vec3(positions);
  const int normal =
      b.accessor("VEC3", std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1}, 5126, 3);
  const int uv = b.accessor("VEC2", std::vector<float>{0, 0, 1, 0, 0, 1, 1, 1, 0, 0.5f, 1, 0.5f}, 5126, 2);
  const int joints = b.joints({0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int weights = b.vec4({1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int faces = b.indices({0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5});
  const int offsets = b.vec3({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1});
  const int binds = b.mat4({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,  //
                            1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1});
  const int times = b.scalars({0, 1});
  const int turns = b.vec4({0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f});
  const int fades = b.accessor("SCALAR", std::vector<float>{0, 0.5f}, 5126, 1);
  b.push("materials", {{"name", "skin"}, {"pbrMetallicRoughness", {{"baseColorFactor", {1, 0.5, 0.25, 1}}}}});
  b.push("meshes", {{"name", "strip"},
                    {"extras", {{"targetNames", {"bulge"}}}},
                    {"weights", {0.25}},
                    {"primitives",
                     {{{"attributes",
                        {{"POSITION", position},
                         {"NORMAL", normal},
                         {"TEXCOORD_0", uv},
                         {"JOINTS_0", joints},
                         {"WEIGHTS_0", weights}}},
                       {"indices", faces},
                       {"material", 0},
                       {"targets", {{{"POSITION", offsets}}}}}}}});
  b.push("nodes", {{"name", "root"}, {"children", {1}}, {"translation", {10, 0, 0}}});
  b.push("nodes", {{"name", "hip"}, {"children", {2}}});
  b.push("nodes", {{"name", "knee"}, {"translation", {0, 1, 0}}, {"extras", {{"tail", {0, 1, 0}}}}});
  b.push("nodes", {{"name", "body"}, {"mesh", 0}, {"skin", 0}});
  b.push("skins", {{"name", "rig"}, {"joints", {1, 2}}, {"inverseBindMatrices", binds}});
  b.push("animations", {{"name", "bend"},
                        {"channels",
                         {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}},
                          {{"sampler", 1}, {"target", {{"node", 3}, {"path", "weights"}}}}}},
                        {"samplers", {{{"input", times}, {"output", turns}}, {{"input", times}, {"output", fades}}}}});
  b.push("scenes", {{"nodes", {0, 3}}});
  b.json["scene"] = 0;
  return b;
}

}  // namespace isochor::test
