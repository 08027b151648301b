#include "isochor/io/gltf_document.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>

#include "gltf_builder.h"
#include "gltf_reference.h"
#include "helpers.h"
#include "isochor/base/error.h"
#include "support/data.h"
#include "support/files.h"
#include "support/sanitizers.h"

namespace isochor {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::GltfBuilder;
using test::Json;
using test::sentence_of;
using test::write_text;

std::string parse_sentence(const std::vector<std::uint8_t>& bytes) {
  return sentence_of([&] { GltfDocument::parse(bytes); });
}

std::string parse_sentence(const Json& json) {
  const std::string text = json.dump();
  return sentence_of([&] { GltfDocument::parse({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}); });
}

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// ------------------------------------------------------------------------------------------------ accessors

// Every component type is decoded, and normalised integers are fractions, -128 being -1 like -127.
TEST(GltfAccessor, DecodesEveryComponentType) {
  GltfBuilder b;
  b.accessor("SCALAR", std::vector<std::int8_t>{-128, -127, 127}, 5120, 1);
  b.accessor("SCALAR", std::vector<std::uint8_t>{0, 255}, 5121, 1);
  b.accessor("SCALAR", std::vector<std::int16_t>{-32768, 32767}, 5122, 1);
  b.accessor("SCALAR", std::vector<std::uint16_t>{0, 65535}, 5123, 1);
  b.accessor("SCALAR", std::vector<std::uint32_t>{7, 4294967295u}, 5125, 1);
  b.accessor("SCALAR", std::vector<float>{-1.5f, 0.25f}, 5126, 1);
  const auto plain = GltfDocument::parse(b.glb());
  EXPECT_EQ(plain.read_accessor(0), (std::vector<double>{-128, -127, 127}));
  EXPECT_EQ(plain.read_accessor(2), (std::vector<double>{-32768, 32767}));
  EXPECT_EQ(plain.read_accessor(4), (std::vector<double>{7, 4294967295.0}));
  EXPECT_EQ(plain.read_accessor(5), (std::vector<double>{-1.5, 0.25}));
  for (Json& accessor : b.json["accessors"]) accessor["normalized"] = true;
  const auto fractions = GltfDocument::parse(b.glb());
  EXPECT_EQ(fractions.read_accessor(0), (std::vector<double>{-1, -1, 1}));
  EXPECT_EQ(fractions.read_accessor(1), (std::vector<double>{0, 1}));
  EXPECT_EQ(fractions.read_accessor(2), (std::vector<double>{-1, 1}));
  EXPECT_EQ(fractions.read_accessor(3), (std::vector<double>{0, 1}));
}

// A stride and an offset lead to the right elements.
TEST(GltfAccessor, FollowsStrideAndOffset) {
  GltfBuilder b;
  b.view(std::vector<float>{9, 1, 2, 9, 3, 4, 9, 5, 6}, 12);
  b.push("accessors", {{"bufferView", 0}, {"byteOffset", 4}, {"componentType", 5126}, {"count", 3}, {"type", "VEC2"}});
  EXPECT_EQ(GltfDocument::parse(b.glb()).read_accessor(0), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

// Sparse elements replace those of the buffer view, or zeros where there is none.
TEST(GltfAccessor, PutsSparseElementsIn) {
  GltfBuilder b;
  const int base = b.scalars({1, 2, 3, 4});
  const int at = b.view(std::vector<std::uint8_t>{1, 3});
  const int values = b.view(std::vector<float>{20, 40});
  const Json sparse = {
      {"count", 2}, {"indices", {{"bufferView", at}, {"componentType", 5121}}}, {"values", {{"bufferView", values}}}};
  b.json["accessors"][base]["sparse"] = sparse;
  b.push("accessors", {{"componentType", 5126}, {"count", 4}, {"type", "SCALAR"}, {"sparse", sparse}});
  const auto document = GltfDocument::parse(b.glb());
  EXPECT_EQ(document.read_accessor(0), (std::vector<double>{1, 20, 3, 40}));
  EXPECT_EQ(document.read_accessor(1), (std::vector<double>{0, 20, 0, 40}));
  EXPECT_TRUE(document.accessor(1).sparse);
}

// Columns of small matrices begin on multiples of four bytes (glTF 2.0, section 3.6.2.4).
TEST(GltfAccessor, SkipsThePaddingOfMatrixColumns) {
  GltfBuilder b;
  b.view(std::vector<std::uint8_t>{1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9});
  b.push("accessors", {{"bufferView", 0}, {"componentType", 5121}, {"count", 1}, {"type", "MAT3"}});
  EXPECT_EQ(GltfDocument::parse(b.glb()).read_accessor(0), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// An accessor that does not fit into its view, whatever way its numbers are twisted, is refused.
TEST(GltfAccessor, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::function<void(Json&)>& twist) {
    GltfBuilder b;
    b.accessor("VEC3", std::vector<float>(12, 1.0f), 5126, 3);
    twist(b.json);
    const auto document = GltfDocument::parse(b.glb());
    return sentence_of([&] { document.read_accessor(0); });
  };
  EXPECT_EQ(refused([](Json&) {}), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["count"] = 5; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["count"] = 4000000000u; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["count"] = 18446744073709551615u; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["count"] = -1; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["count"] = 1.5; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["byteOffset"] = 4; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["byteOffset"] = 18446744073709551612u; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["type"] = "VEC4"; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["type"] = "VEC9"; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["componentType"] = 5127; }), "");
  EXPECT_NE(refused([](Json& j) { j["accessors"][0]["bufferView"] = 1; }), "");
  EXPECT_NE(refused([](Json& j) { j["bufferViews"][0]["byteStride"] = 8; }), "");
  EXPECT_NE(refused([](Json& j) { j["bufferViews"][0]["byteStride"] = 16; }), "");
  EXPECT_NE(refused([](Json& j) {
              j["accessors"][0]["sparse"] = {{"count", 5},
                                             {"indices", {{"bufferView", 0}, {"componentType", 5121}}},
                                             {"values", {{"bufferView", 0}}}};
            }),
            "");
  // The floats of the view, read as sparse indices, are far out of range.
  EXPECT_TRUE(contains(refused([](Json& j) {
                         j["accessors"][0]["sparse"] = {{"count", 1},
                                                        {"indices", {{"bufferView", 0}, {"componentType", 5125}}},
                                                        {"values", {{"bufferView", 0}}}};
                       }),
                       "sparse index out of range"));
}

// An accessor without data may not be longer than anything the file could hold: a kilobyte cannot ask for gigabytes.
TEST(GltfAccessor, RefusesEnormousZeros) {
  GltfBuilder b;
  b.push("accessors", {{"componentType", 5126}, {"count", 1000000000}, {"type", "MAT4"}});
  b.push("accessors", {{"componentType", 5126}, {"count", 1000}, {"type", "VEC3"}});
  const auto document = GltfDocument::parse(b.glb());
  EXPECT_TRUE(contains(sentence_of([&] { document.read_accessor(0); }), "more than the file could hold"));
  EXPECT_EQ(document.read_accessor(1), std::vector<double>(3000, 0.0));
}

// ------------------------------------------------------------------------------------------------ containers

// A GLB that ends anywhere before its end is refused with a sentence.
TEST(GltfContainer, RefusesATruncatedFile) {
  std::vector<std::vector<std::uint8_t>> samples = {test::character_document().glb()};
  if (test::has_shared_data()) {
    samples.push_back(test::read_bytes(test::shared_data() / "khronos-riggedsimple/RiggedSimple.glb"));
  }
  for (const auto& whole : samples) {
    ASSERT_EQ(parse_sentence(whole), "");
    for (std::size_t length = 0; length < whole.size(); length += 64) {
      std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_NE(parse_sentence(cut), "") << length;
      // The same with a header that says so: now chunks, JSON or buffers end too early.
      if (length < 12) continue;
      const auto announced = static_cast<std::uint32_t>(length);
      std::memcpy(cut.data() + 8, &announced, 4);
      EXPECT_NE(parse_sentence(cut), "") << length;
    }
  }
}

// An empty file, one that is not glTF, another container version and another glTF version are refused by name.
TEST(GltfContainer, RefusesWhatIsNotGltf2) {
  EXPECT_TRUE(contains(parse_sentence(std::vector<std::uint8_t>{}), "it is empty"));
  EXPECT_TRUE(contains(parse_sentence(std::vector<std::uint8_t>{'P', 'K', 3, 4, 0, 0}), "JSON is broken"));
  EXPECT_TRUE(contains(parse_sentence(Json::array()), "not an object"));
  EXPECT_TRUE(contains(parse_sentence(Json::object()), "no 'asset'"));
  EXPECT_TRUE(contains(parse_sentence(Json{{"asset", {{"version", "1.0"}}}}), "version '1.0'"));
  EXPECT_TRUE(contains(parse_sentence(Json{{"asset", {{"version", "2.1"}, {"minVersion", "2.1"}}}}), "version '2.1'"));
  EXPECT_EQ(parse_sentence(Json{{"asset", {{"version", "2.1"}}}}), "");
  auto glb = test::triangle_document().glb();
  glb[4] = 1;
  EXPECT_TRUE(contains(parse_sentence(glb), "version 1 of the GLB container"));
}

// A chunk longer than the file, and a first chunk that is not JSON, are refused.
TEST(GltfContainer, RefusesBrokenChunks) {
  auto glb = test::triangle_document().glb();
  auto longer = glb;
  longer[15] = 0x7f;
  EXPECT_TRUE(contains(parse_sentence(longer), "longer than the file"));
  auto other = glb;
  other[16] = 'X';
  EXPECT_TRUE(contains(parse_sentence(other), "first chunk is not JSON"));
}

// JSON that is nested a hundred thousand levels deep is refused and does not exhaust the stack.
TEST(GltfContainer, RefusesDeepNesting) {
  const std::string deep =
      R"({"asset":{"version":"2.0"},"extras":)" + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_TRUE(contains(sentence_of([&] { GltfDocument::parse(bytes_of(deep)); }), "levels deep"));
}

// An object with very many keys parses in linear time.
TEST(GltfContainer, ParsesManyKeysQuickly) {
  std::string text = R"({"asset":{"version":"2.0"},"extras":{"a":0)";
  for (int i = 0; i < 300000; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  text += "}}";
  const auto start = std::chrono::steady_clock::now();
  GltfDocument::parse(bytes_of(text));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 20.0);
}

// Compressed geometry and unknown required extensions are refused; those that leave geometry alone are not.
TEST(GltfContainer, KnowsWhichExtensionsMatter) {
  const auto with = [](const char* name) {
    return parse_sentence(Json{{"asset", {{"version", "2.0"}}}, {"extensionsRequired", {name}}});
  };
  EXPECT_TRUE(contains(with("KHR_draco_mesh_compression"), "without compression"));
  EXPECT_TRUE(contains(with("EXT_meshopt_compression"), "without compression"));
  EXPECT_TRUE(contains(with("EXT_mesh_gpu_instancing"), "EXT_mesh_gpu_instancing"));
  EXPECT_EQ(with("KHR_mesh_quantization"), "");
  EXPECT_EQ(with("KHR_materials_unlit"), "");
  EXPECT_EQ(with("KHR_texture_transform"), "");
}

// Nodes that are their own ancestors, that have two parents, or that refer to nothing are refused.
TEST(GltfContainer, ChecksTheNodeHierarchy) {
  const auto with = [](const Json& nodes) {
    return parse_sentence(Json{{"asset", {{"version", "2.0"}}}, {"nodes", nodes}});
  };
  EXPECT_EQ(with({{{"children", {1}}}, Json::object()}), "");
  EXPECT_TRUE(contains(with({{{"children", {1}}}, {{"children", {0}}}}), "its own ancestor"));
  EXPECT_TRUE(contains(with({{{"children", {0}}}}), "its own ancestor"));
  EXPECT_TRUE(
      contains(with({{{"children", {2}}}, {{"children", {2}}}, Json::object()}), "node 2 is a child of node 0"));
  EXPECT_TRUE(contains(with({{{"children", {7}}}}), "refers to element 7"));
  EXPECT_TRUE(contains(with({{{"children", {-1}}}}), "not an index"));
  EXPECT_TRUE(contains(with({{{"mesh", 0}}}), "'mesh' of its node 0"));
}

// Buffer views that reach beyond their buffer and buffers shorter than announced are refused.
TEST(GltfContainer, ChecksBuffersAndViews) {
  const auto twisted = [](const std::function<void(Json&)>& twist) {
    GltfBuilder b = test::triangle_document();
    b.json["buffers"] = {{{"byteLength", b.bin.size()}}};
    twist(b.json);
    return parse_sentence(b.glb());
  };
  EXPECT_EQ(twisted([](Json&) {}), "");
  EXPECT_TRUE(contains(twisted([](Json& j) { j["buffers"][0]["byteLength"] = 1000; }), "announces 1000 bytes"));
  EXPECT_TRUE(contains(twisted([](Json& j) { j["bufferViews"][0]["byteLength"] = 1000; }), "beyond the end"));
  EXPECT_TRUE(
      contains(twisted([](Json& j) { j["bufferViews"][0]["byteOffset"] = 18446744073709551600u; }), "beyond the end"));
  EXPECT_TRUE(contains(twisted([](Json& j) { j["bufferViews"][0]["buffer"] = 3; }), "refers to element 3"));
  EXPECT_TRUE(contains(twisted([](Json& j) { j["buffers"].push_back({{"byteLength", 4}}); }), "has no data"));
}

// A missing file, a directory and a 0-byte file are one sentence each.
TEST(GltfContainer, OpensOnlyFiles) {
  const test::TempFolder folder;
  EXPECT_TRUE(contains(sentence_of([&] { GltfDocument::open(folder / "none.glb"); }), "No such file"));
  EXPECT_TRUE(contains(sentence_of([&] { GltfDocument::open(folder.path()); }), "directory"));
  write_text(folder / "empty.glb", "");
  EXPECT_TRUE(contains(sentence_of([&] { GltfDocument::open(folder / "empty.glb"); }), "empty"));
}

// ------------------------------------------------------------------------------------------------ URIs

/// The triangle as .gltf with its buffer at `uri`.
std::string with_uri(const std::string& uri) {
  GltfBuilder b = test::triangle_document();
  b.json["buffers"] = {{{"byteLength", b.bin.size()}, {"uri", uri}}};
  return b.json.dump();
}
std::string triangle_bytes() {
  const GltfBuilder b = test::triangle_document();
  return {b.bin.begin(), b.bin.end()};
}

// Data URIs and files beside the document, with percent signs in their names, are read.
TEST(GltfUri, ReadsDataAndNeighbours) {
  const test::TempFolder folder;
  fs::create_directory(folder / "sub folder");
  write_text(folder.path() / "sub folder/a b.bin", triangle_bytes());
  write_text(folder / "t.gltf", with_uri("sub%20folder/a%20b.bin"));
  EXPECT_EQ(GltfDocument::open(folder / "t.gltf").read_accessor(0)[3], 1.0);
  const std::string data = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
  EXPECT_EQ(GltfDocument::parse(bytes_of(with_uri(data))).read_accessor(0)[7], 1.0);
  EXPECT_NE(sentence_of([&] { GltfDocument::parse(bytes_of(with_uri(data + "*"))); }), "");
  EXPECT_NE(sentence_of([&] { GltfDocument::parse(bytes_of(with_uri("data:application/octet-stream;base64"))); }), "");
}

// No URI leads out of the document's folder: not upwards, not absolute, not with a scheme, not encoded, not by a link.
TEST(GltfUri, StaysInItsFolder) {
  const test::TempFolder folder;
  fs::create_directory(folder / "in");
  write_text(folder / "out.bin", triangle_bytes());
  fs::create_symlink(folder / "out.bin", folder.path() / "in/link.bin");
  const auto sentence = [&](const std::string& uri) {
    write_text(folder.path() / "in/t.gltf", with_uri(uri));
    return sentence_of([&] { GltfDocument::open(folder.path() / "in/t.gltf"); });
  };
  EXPECT_TRUE(contains(sentence("../out.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("a/../../out.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("%2e%2e/out.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("..%2Fout.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence((folder / "out.bin").string()), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("file:///etc/passwd"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("http://example.org/a.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("..\\out.bin"), "outside its own folder"));
  EXPECT_TRUE(contains(sentence("link.bin"), "leads out"));
  EXPECT_TRUE(contains(sentence("missing.bin"), "No such file"));
  EXPECT_TRUE(contains(sentence_of([&] { GltfDocument::parse(bytes_of(with_uri("out.bin"))); }), "no folder"));
}

// ------------------------------------------------------------------------------------------------ saving

Json document_json(const GltfDocument& document) { return Json::parse(document.json_text()); }

// A GLB that is opened and saved has the same JSON, key by key in order, the same buffers, and chunks we do not know.
TEST(GltfSave, KeepsAGlbAsItIs) {
  GltfBuilder b = test::character_document();
  b.json["extensionsUsed"] = {"ACME_unknown"};
  b.json["extras"] = {{"z", 1}, {"a", {{"deep", {1.5, "two", nullptr, true}}}}};
  auto bytes = b.glb();
  const std::vector<std::uint8_t> extra = {4, 0, 0, 0, 'A', 'C', 'M', 'E', 1, 2, 3, 4};
  bytes.insert(bytes.end(), extra.begin(), extra.end());
  const auto size = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(bytes.data() + 8, &size, 4);
  EXPECT_EQ(GltfDocument::parse(bytes).to_glb(), bytes);
}

// Every real character comes back with the same JSON document and the same buffer.
TEST(GltfSave, KeepsRealCharacters) {
  SKIP_WITHOUT_SHARED_DATA();
  const test::TempFolder folder;
  std::size_t seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::shared_data())) {
    if (entry.path().extension() != ".glb" || test::leave_out(entry.path())) continue;
    GltfDocument::open(entry.path()).save(folder / "out.glb");
    const test::GltfReference before(test::read_bytes(entry.path())), after(test::read_bytes(folder / "out.glb"));
    EXPECT_EQ(before.json.dump(), after.json.dump()) << entry.path();
    EXPECT_EQ(before.bin, after.bin) << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 10u);
}

// A .gltf keeps its files; saved in another folder it takes them along, and never over a different file.
TEST(GltfSave, CopiesNeighboursOfAGltf) {
  const test::TempFolder folder;
  fs::create_directories(folder.path() / "in/textures");
  fs::create_directory(folder / "out");
  write_text(folder.path() / "in/t.bin", triangle_bytes());
  write_text(folder.path() / "in/textures/skin.png", "\x89PNG....");
  Json json = Json::parse(with_uri("t.bin"));
  json["images"] = {{{"uri", "textures/skin.png"}}};
  write_text(folder.path() / "in/t.gltf", json.dump());
  const auto document = GltfDocument::open(folder.path() / "in/t.gltf");
  document.save(folder.path() / "out/t.gltf");
  EXPECT_EQ(document_json(GltfDocument::open(folder.path() / "out/t.gltf")), json);
  EXPECT_TRUE(fs::exists(folder.path() / "out/textures/skin.png"));
  document.save(folder.path() / "out/t.gltf");
  write_text(folder.path() / "out/textures/skin.png", "mine");
  EXPECT_TRUE(contains(sentence_of([&] { document.save(folder.path() / "out/t.gltf"); }), "another file of that name"));
}

// A .gltf saved as .glb becomes one file: buffers merged, images inside.
TEST(GltfSave, PutsAGltfIntoOneGlb) {
  const test::TempFolder folder;
  GltfBuilder b = test::triangle_document();
  b.json["buffers"] = {{{"byteLength", 36}, {"uri", "a.bin"}}, {{"byteLength", 4}, {"uri", "b.bin"}}};
  b.json["bufferViews"].push_back({{"buffer", 1}, {"byteLength", 4}});
  b.json["accessors"].push_back({{"bufferView", 1}, {"componentType", 5126}, {"count", 1}, {"type", "SCALAR"}});
  b.json["images"] = {{{"uri", "skin.png"}}, {{"uri", "gone.png"}}};
  write_text(folder / "a.bin", triangle_bytes());
  const float value = 42;
  write_text(folder / "b.bin", std::string(reinterpret_cast<const char*>(&value), 4));
  write_text(folder / "skin.png", "\x89PNG....");
  write_text(folder / "t.gltf", b.json.dump());
  GltfDocument::open(folder / "t.gltf").save(folder / "t.glb");
  const auto glb = GltfDocument::open(folder / "t.glb");
  EXPECT_EQ(glb.buffer_count(), 1u);
  EXPECT_EQ(glb.read_accessor(0)[3], 1.0);
  EXPECT_EQ(glb.read_accessor(1), std::vector<double>{42});
  const Json images = document_json(glb)["images"];
  EXPECT_EQ(images[0]["mimeType"], "image/png");
  EXPECT_EQ(images[1]["uri"], "gone.png");
}

// A .glb that is saved keeps its image beside it; made whole, it needs no other file.
TEST(GltfSave, MakesAGlbWhole) {
  const test::TempFolder folder;
  GltfBuilder b = test::character_document();
  b.json["images"] = {{{"uri", "skin.png"}}};
  write_text(folder / "skin.png", "\x89PNG....");
  const auto glb = b.glb();
  write_text(folder / "c.glb", std::string(glb.begin(), glb.end()));
  const auto document = GltfDocument::open(folder / "c.glb");
  EXPECT_EQ(document_json(GltfDocument::parse(document.to_glb()))["images"][0]["uri"], "skin.png");
  const auto whole = GltfDocument::parse(document.to_whole_glb());
  EXPECT_FALSE(document_json(whole)["images"][0].contains("uri"));
  EXPECT_EQ(document_json(whole)["images"][0]["mimeType"], "image/png");
  EXPECT_TRUE(whole.external_files().empty());
  EXPECT_EQ(whole.read_accessor(0), document.read_accessor(0));
}

// A .glb saved as .gltf puts its buffer beside it, under a name that is safe in a URI.
TEST(GltfSave, TakesAGlbApart) {
  const test::TempFolder folder;
  const auto document = GltfDocument::parse(test::character_document().glb());
  document.save(folder / "my character.gltf");
  EXPECT_TRUE(fs::exists(folder / "my character.bin"));
  const auto again = GltfDocument::open(folder / "my character.gltf");
  EXPECT_EQ(document_json(again)["buffers"][0]["uri"], "my%20character.bin");
  EXPECT_EQ(again.read_accessor(0), document.read_accessor(0));
}

// A name that is neither .glb nor .gltf is refused, and nothing is written.
TEST(GltfSave, RefusesOtherNames) {
  const test::TempFolder folder;
  EXPECT_NE(sentence_of([&] { GltfDocument().save(folder / "a.obj"); }), "");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace isochor
