/// textured make FROM.gltf TO.glb      gives every primitive a material with a texture and texture coordinates, and
/// puts
///                                     extras all over the document
/// textured compare BEFORE.glb AFTER.glb
///                                     fails with a sentence if any of that is not what it was

#include <isochor/io/gltf_document.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

using Json = nlohmann::ordered_json;
using isochor::GltfDocument;

namespace {

// One orange pixel.
const std::string kPng =
    "data:image/"
    "png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQ"
    "d1PeAAAADElEQVR4nGP438AAAAQBAYDFKhhdAAAAAElFTkSuQmCC";

void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

/// Texture coordinates as base64: the same pair of floats for each vertex. Twelve bytes are sixteen letters.
std::string coordinates(std::size_t vertices) {
  std::string text = "data:application/octet-stream;base64,";
  for (std::size_t i = 0; i < vertices * 8; i += 12) text += "AACAPgAAgD4AAIA+";  // 0.25
  return text;
}

Json& push(Json& json, const char* list, const Json& item) {
  json[list].push_back(item);
  return json[list].back();
}

void texture(Json& json, Json& primitive) {
  const auto vertices =
      json["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()]["count"].get<std::size_t>();
  push(json, "buffers", {{"byteLength", (vertices * 8 + 11) / 12 * 12}, {"uri", coordinates(vertices)}});
  push(json, "bufferViews", {{"buffer", json["buffers"].size() - 1}, {"byteLength", vertices * 8}});
  push(
      json, "accessors",
      {{"bufferView", json["bufferViews"].size() - 1}, {"componentType", 5126}, {"count", vertices}, {"type", "VEC2"}});
  primitive["attributes"]["TEXCOORD_0"] = json["accessors"].size() - 1;
  primitive["material"] = json["materials"].size() - 1;
  primitive["extras"] = {{"of", "primitive"}};
}

void make(const std::string& from, const std::string& to) {
  Json json = Json::parse(std::ifstream(from));
  push(json, "images", {{"name", "paint"}, {"uri", kPng}, {"extras", {{"of", "image"}}}});
  push(json, "samplers", {{"magFilter", 9728}, {"wrapS", 33071}, {"extras", {{"of", "sampler"}}}});
  push(json, "textures", {{"sampler", 0}, {"source", 0}, {"name", "painted"}, {"extras", {{"of", "texture"}}}});
  push(json, "materials",
       {{"name", "lacquer"},
        {"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}, {"roughnessFactor", 0.375}}},
        {"doubleSided", true},
        {"extras", {{"of", "material"}, {"layers", {1, 2.5, "three"}}}}});
  json["asset"]["extras"] = {{"of", "asset"}};
  for (const char* list : {"scenes", "nodes", "meshes", "animations", "skins"}) {
    for (Json& item : json[list]) item["extras"]["made"] = {{"by", list}};
  }
  for (Json& mesh : json["meshes"]) {
    for (Json& primitive : mesh["primitives"]) texture(json, primitive);
  }
  const std::string beside = from.substr(0, from.rfind('.')) + "-textured.gltf";
  std::ofstream(beside) << json.dump();
  GltfDocument::open(beside).save(to);  // buffers and image go into the GLB
}

/// All that `before` holds below this place is in `after`.
void expect_inside(const Json& before, const Json& after, const std::string& place) {
  if (!before.is_object()) return expect(before == after, place + " changed");
  for (const auto& [key, value] : before.items()) {
    expect(after.is_object() && after.contains(key), place + "/" + key + " is gone");
    expect_inside(value, after[key], place + "/" + key);
  }
}

std::size_t compare_extras(const Json& before, const Json& after, const std::string& place) {
  std::size_t found = 0;
  if (before.is_array()) {
    for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) {
      found += compare_extras(before[i], after[i], place + "/" + std::to_string(i));
    }
  } else if (before.is_object()) {
    for (const auto& [key, value] : before.items()) {
      if (key == "extras") {
        expect(after.contains(key), place + "/extras is gone");
        expect_inside(value, after[key], place + "/extras");
        ++found;
      } else if (after.contains(key)) {
        found += compare_extras(value, after[key], place + "/" + key);
      }
    }
  }
  return found;
}

std::string image_bytes(const GltfDocument& document, const Json& json, const Json& image) {
  const Json& view = json["bufferViews"][image["bufferView"].get<std::size_t>()];
  const auto bytes = document.buffer(view["buffer"].get<std::size_t>())
                         .subspan(view.value("byteOffset", std::size_t{0}), view["byteLength"].get<std::size_t>());
  return {bytes.begin(), bytes.end()};
}

void compare_meshes(const GltfDocument& a, const Json& before, const GltfDocument& b, const Json& after) {
  for (std::size_t m = 0; m < before["meshes"].size(); ++m) {
    for (std::size_t p = 0; p < before["meshes"][m]["primitives"].size(); ++p) {
      const Json &was = before["meshes"][m]["primitives"][p], &is = after["meshes"][m]["primitives"][p];
      expect(was["material"] == is["material"], "a primitive has another material");
      const auto read = [](const GltfDocument& document, const Json& primitive) {
        return document.read_accessor(primitive["attributes"]["TEXCOORD_0"].get<isochor::Index>());
      };
      expect(read(a, was) == read(b, is), "texture coordinates changed");
    }
  }
}

void compare(const std::string& first, const std::string& second) {
  const GltfDocument a = GltfDocument::open(first), b = GltfDocument::open(second);
  const Json before = Json::parse(a.json_text()), after = Json::parse(b.json_text());
  for (const char* list : {"materials", "textures", "samplers"}) {
    expect(!before[list].empty() && before[list] == after[list], std::string(list) + " changed");
  }
  Json was = before["images"][0], is = after["images"][0];
  expect(image_bytes(a, before, was) == image_bytes(b, after, is), "the image has other bytes");
  expect(image_bytes(a, before, was).substr(1, 3) == "PNG", "there is no image to compare");
  was.erase("bufferView"), is.erase("bufferView");
  expect(was == is && after["images"].size() == 1, "the image changed");
  compare_meshes(a, before, b, after);
  const std::size_t extras = compare_extras(before, after, "");
  expect(extras > 10, "there are no extras to compare");
  std::cout << "materials, images and " << extras << " extras are the same\n";
}

}  // namespace

int main(int count, char** words) {
  try {
    expect(count == 4, "usage: textured make|compare A B");
    std::string(words[1]) == "make" ? make(words[2], words[3]) : compare(words[2], words[3]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "textured: " << error.what() << '\n';
    return 1;
  }
}
