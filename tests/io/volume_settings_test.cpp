#include "isochor/io/volume_settings.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "isochor/base/error.h"
#include "isochor/io/gltf_write.h"
#include "isochor/sample/sample.h"
#include "support/data.h"

namespace isochor {
namespace {

using Json = nlohmann::ordered_json;

// The file of the design.
constexpr const char* kExample = R"({ "default": {"effect": "blend"},
  "joints": { "*Spine*": {"effect": "belly", "mu": [0.1, 0.1, 0.8], "sigma": [0.6, 0.4, 0.4], "frequency": 2, "side": "flexor"},
              "Neck": {"effect": "curve", "mu": [0, 1, 0], "x": [[-1, 0], [0, 1], [1, 0]]} },
  "solver": "exact", "volume": [[0.0, 1.0], [1.5, 1.06], [3.0, 1.0]] }
)";

std::string sentence(std::string_view text) {
  try {
    parse_volume_settings(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The design's example reads as it says.
TEST(VolumeSettingsFile, DesignExample) {
  const VolumeSettings settings = parse_volume_settings(kExample);
  EXPECT_EQ(settings.otherwise, EffectSettings());
  ASSERT_EQ(settings.effects.size(), 2u);
  EXPECT_EQ(settings.effects[0].pattern, "*Spine*");
  const EffectSettings& belly = settings.effects[0].effect;
  EXPECT_EQ(belly.effect, Effect::belly);
  EXPECT_EQ(belly.mu, Vec3(0.1, 0.1, 0.8));
  EXPECT_EQ(belly.sigma, Vec3(0.6, 0.4, 0.4));
  EXPECT_EQ(belly.frequency, 2);
  EXPECT_EQ(belly.side, BendSide::flexor);
  EXPECT_EQ(belly.direction, CorrectionDirection::axes);
  const EffectSettings& neck = settings.effects[1].effect;
  EXPECT_EQ(neck.effect, Effect::curve);
  EXPECT_EQ(neck.mu, Vec3(0, 1, 0));
  EXPECT_EQ(neck.x(0), 1);
  EXPECT_TRUE(neck.y.empty());
  EXPECT_EQ(settings.options.solve.solver, VolumeSolver::exact);
  EXPECT_EQ(settings.options.treatment, JointTreatment::together);
  EXPECT_DOUBLE_EQ(settings.volume(1.5), 1.06);
}

// Nothing said: everything as without a file. One number stands for several. Shares rounded by hand are made to sum
// to 1.
TEST(VolumeSettingsFile, ShortForms) {
  EXPECT_EQ(parse_volume_settings("{}"), VolumeSettings());
  EXPECT_EQ(parse_volume_settings("\xEF\xBB\xBF{ }"), VolumeSettings());
  const VolumeSettings settings = parse_volume_settings(
      R"({"$schema": "x", "treatment": "sequence", "solver": "three-step",
          "default": {"effect": "isotropic", "sigma": 0.5, "mu": [0.33, 0.33, 0.33]},
          "joints": {"a": {"mu": [0, 0.5, 0.5]}, "b": {"effect": "belly", "min_share": 0.25},
                     "c": {"effect": "isotropic", "direction": "normal"}}})");
  EXPECT_EQ(settings.otherwise.sigma, Vec3::Constant(0.5));
  EXPECT_NEAR(settings.otherwise.mu.sum(), 1, 1e-15);
  EXPECT_EQ(settings.effects[0].effect.effect, Effect::blend);
  EXPECT_EQ(settings.effects[0].effect.direction, CorrectionDirection::axes);
  EXPECT_EQ(settings.effects[1].effect.min_share, (std::array{0.25, 0.25}));
  EXPECT_EQ(settings.effects[2].effect.direction, CorrectionDirection::normal);
  EXPECT_EQ(settings.options.solve.solver, VolumeSolver::three_step);
  EXPECT_EQ(settings.options.treatment, JointTreatment::sequence);
}

/// Settings that touch every field of every effect.
VolumeSettings everything() {
  VolumeSettings settings;
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
    settings.effects.push_back({"plain " + std::to_string(e), default_effect(static_cast<Effect>(e))});
    EffectSettings s = default_effect(static_cast<Effect>(e));
    s.direction = CorrectionDirection::axes;
    s.mu = Vec3(0.2, 0.3, 0.5);
    if (effect_uses(s.effect, "sigma")) s.sigma = Vec3(0.1 + 0.2, 1e-3, 1.0 / 3);
    if (effect_uses(s.effect, "frequency")) s.frequency = 1.0 / 7;
    if (effect_uses(s.effect, "center")) s.center = -0.75;
    if (effect_uses(s.effect, "side")) s.side = BendSide::extensor;
    if (effect_uses(s.effect, "gain")) s.gain = 2.5;
    if (effect_uses(s.effect, "distance_gain")) s.distance_gain = 0.1;
    if (effect_uses(s.effect, "min_share")) s.min_share = {1, 0.125};
    if (effect_uses(s.effect, "x")) s.x = s.z = Profile({{-0.1, 0}, {0, 1.0 / 3}, {1e-9, 0}});
    if (effect_uses(s.effect, "map")) s.map = "fat \"\\ \xC3\xA9";
    if (s.effect == Effect::combined) {
      s.combine = MapCombination::blend;
      s.maps = {default_effect(Effect::blend), settings.effects[5].effect};
      s.mix = {1, 3};
    }
    settings.effects.push_back({"*\"" + std::to_string(e) + "\\\n?", s});
  }
  for (JointEffect& entry : settings.effects) {
    if (entry.effect.effect == Effect::painted) entry.effect.map = "fat \"\\ \xC3\xA9";
    if (entry.effect.maps.empty() && entry.effect.effect == Effect::combined) entry.effect.maps = {EffectSettings()};
  }
  settings.otherwise = default_effect(Effect::muscle);
  settings.options.solve.solver = VolumeSolver::linear;
  settings.options.treatment = JointTreatment::sequence;
  settings.options.solve.norm = FieldNorm::vertex;
  settings.options.stiffness = 0.25;
  settings.options.smoothness = 3;
  settings.options.reach = 0.5;
  settings.volume = Profile({{-1, 1}, {0.1, 1.06}});
  return settings;
}

// What is written reads back to equal settings, and to equal bytes.
TEST(VolumeSettingsFile, RoundTrip) {
  for (const VolumeSettings& settings : {VolumeSettings(), everything(), parse_volume_settings(kExample)}) {
    const std::string text = write_volume_settings(settings);
    const VolumeSettings back = parse_volume_settings(text);
    EXPECT_EQ(back, settings) << text;
    EXPECT_EQ(write_volume_settings(back), text);
  }
  EXPECT_EQ(write_volume_settings({}), "{\n  \"default\": {\"effect\": \"blend\"},\n  \"solver\": \"exact\"\n}\n");
}

// Of a pattern that repeats in memory, the last is written: it is the one that counts.
TEST(VolumeSettingsFile, RepeatedPatterns) {
  VolumeSettings settings;
  settings.effects = {{"a", default_effect(Effect::rubber)}, {"b", {}}, {"a", default_effect(Effect::folds)}};
  const VolumeSettings back = parse_volume_settings(write_volume_settings(settings));
  ASSERT_EQ(back.effects.size(), 2u);
  EXPECT_EQ(back.effects[1].pattern, "a");
  EXPECT_EQ(back.effects[1].effect.effect, Effect::folds);
}

// A mistake is named with its line, its field and what may stand there.
TEST(VolumeSettingsFile, MistakesNameTheLine) {
  struct Mistake {
    const char* text;
    const char* line;
    std::vector<const char*> words;
  };
  const std::vector<Mistake> mistakes = {
      {"{\n \"solver\":\n\"fast\"}", "line 2:", {"solver", "exact, three-step, linear", "\"fast\""}},
      {"{\n\n \"speed\": 1}",
       "line 3:",
       {"speed", "default, joints, treatment, faces, contact, solver, norm, stiffness, smoothness, reach, and volume"}},
      {"{\"joints\": {\n\"a\": {},\n\"b\": {\"effect\": \"belly\",\n \"side\": \"left\"}}}",
       "line 4:",
       {"side", "flexor, extensor, both"}},
      {"{\"joints\": {\"a\":\n {\"effect\": \"rubbr\"}}}", "line 2:", {"effect", "blend, isotropic, rubber"}},
      {"{\"default\": {\"effect\": \"rubber\",\n\"sigm\": 1}}", "line 2:", {"sigm", "rubber", "sigma, center"}},
      {"{\"default\": {\n\"sigma\": 1}}", "line 2:", {"sigma", "means nothing", "blend"}},
      {"{\"default\": {\"effect\": \"folds\",\n\"frequency\": 0}}", "line 2:", {"frequency", "between 0.001 and 1000"}},
      {"{\"default\": {\"effect\": \"folds\",\n\"sigma\": [1,\n2]}}", "line 2:", {"sigma", "3 numbers"}},
      {"{\"default\": {\n\"mu\": [0.5, 0.5, 0.5]}}", "line 2:", {"mu", "sum to 1"}},
      {"{\"default\": {\n\"mu\": 1}}", "line 2:", {"mu"}},
      {"{\"default\": {\"direction\": \"normal\",\n\"mu\": [0, 0, 1]}}", "line 2:", {"direction is normal"}},
      {"{\"default\": {\"effect\": \"curve\", \"x\": [[0, 0],\n[1, 1],\n[1, 2]]}}",
       "line 3:",
       {"x", "one after another"}},
      {"{\"default\": {\"effect\": \"curve\", \"x\": [[0, 0],\n[1, -1]]}}", "line 2:", {"x", "between 0 and"}},
      {"{\"default\": {\"effect\": \"curve\",\n \"x\": []}}", "line 2:", {"list of points"}},
      {"{\"volume\": [[0, 1],\n[1, 0]]}", "line 2:", {"volume", "between 0.01 and 100"}},
      {"{\"default\": {\"effect\":\n\"painted\"}}", "line 1:", {"name of its map"}},
      {"{\"default\": {\"effect\": \"combined\"}}", "line 1:", {"maps"}},
      {"{\"default\": {\"effect\": \"combined\", \"maps\": [{},\n{\"effect\": \"combined\", \"maps\": [{}]}]}}",
       "line 2:",
       {"combined"}},
      {"{\"default\": {\"effect\": \"combined\", \"maps\": [{}],\n\"mix\": [1, 2]}}", "line 2:", {"mix"}},
      {"{\"joints\": {\"a\": {},\n\"a\": {}}}", "line 2:", {"\"a\"", "twice"}},
      {"{\"joints\": {\n\"\": {}}}", "line 2:", {"empty"}},
      {"{\n\"joints\": []}", "line 2:", {"joints"}},
      {"{\"joints\": {\n\"a\": 1}}", "line 2:", {"object"}},
      {"\n[]", "line 2:", {"object"}},
      {"{\n\"solver\": \"exact\",\n}", "line 3:", {"broken"}},
      {"{\"default\": {\"effect\": \"rubber\"\n\"sigma\": 1}}", "line 2:", {"broken"}},
      {"{\"default\": {\"effect\": \"rubber\", \"sigma\":\n1e999}}", "line 2:", {"1e999"}},
      {"{\"default\": {\"effect\": \"rubber\", \"sigma\":\nNaN}}", "line 2:", {"broken"}},
      {"{\n\"a\": \"\xFF\"}", "line 2:", {"broken"}},
      {"{\n\n", "line 2:", {"too early"}},
      {"", "line 1:", {"too early"}},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string said = sentence(mistake.text);
    EXPECT_TRUE(contains(said, mistake.line)) << mistake.text << " => " << said;
    for (const char* word : mistake.words) EXPECT_TRUE(contains(said, word)) << mistake.text << " => " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

// A file that is missing, a folder, and a broken one are named.
TEST(VolumeSettingsFile, ReadsFiles) {
  const test::TempFolder folder;
  std::ofstream(folder / "good.json") << kExample;
  EXPECT_EQ(read_volume_settings(folder / "good.json"), parse_volume_settings(kExample));
  std::ofstream(folder / "bad.json") << "{\n\"solver\": 1}";
  try {
    read_volume_settings(folder / "bad.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "bad.json: line 2:")) << error.what();
  }
  EXPECT_THROW(read_volume_settings(folder / "none.json"), Error);
  EXPECT_THROW(read_volume_settings(folder.path()), Error);
}

// Whatever is cut out of, or put into, a good file is read or refused with a sentence; nothing else happens.
TEST(VolumeSettingsFile, SurvivesBrokenText) {
  const std::string good = write_volume_settings(everything());
  std::uint32_t state = 12345;
  const auto next = [&](std::size_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % below;
  };
  const char* pieces[] = {"{",     "}",      "[",    "]",    ",",       ":",    "\"",  "-",
                          "1e308", "1e-320", "null", "true", "\\u0000", "\xC3", "NaN", "[[[[[[[["};
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (std::size_t k = 0; k <= next(3); ++k) {
      const std::size_t at = next(text.size());
      if (next(2) == 0) {
        text.erase(at, next(8));
      } else {
        text.insert(at, pieces[next(std::size(pieces))]);
      }
    }
    try {
      check(parse_volume_settings(text));
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    }
  }
  EXPECT_GT(refused, 1000);
  for (const char* open : {"[", "{\"a\":", "{\"joints\":{\"a\":"}) {
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += open;
    EXPECT_TRUE(contains(sentence(deep), "nested"));
  }
}

// Settings that the reader takes are settings that check() takes.
TEST(VolumeSettingsFile, ReaderAndCheckAgree) {
  EXPECT_NO_THROW(check(parse_volume_settings(write_volume_settings(everything()))));
  VolumeSettings bad;
  bad.volume = Profile({{0, 1000}});
  EXPECT_THROW(write_volume_settings(bad), Error);
}

// Settings travel with a glTF, in its scene's extras, beside what others keep there.
TEST(VolumeSettingsFile, TravelsWithGltf) {
  const Character character = make_sample("cylinder");
  GltfDocument document = write_gltf(character).source.document;
  EXPECT_FALSE(volume_settings_of(document).has_value());
  const VolumeSettings settings = everything();
  set_volume_settings(document, settings);
  set_volume_settings(document, settings);
  GltfDocument back = GltfDocument::parse(document.to_glb());
  ASSERT_TRUE(volume_settings_of(back).has_value());
  EXPECT_EQ(*volume_settings_of(back), settings);
  const Json json = Json::parse(back.json_text());
  EXPECT_TRUE(json["scenes"][0]["extras"]["isochor"].contains("volume"));
  EXPECT_EQ(read_gltf(back).character.clips.size(), character.clips.size());
}

GltfDocument document_of(const std::string& text) {
  return GltfDocument::parse({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Other extras stay; the default scene counts; without a scene it is the asset; extras that are no object are refused.
TEST(VolumeSettingsFile, OtherExtrasStay) {
  GltfDocument document = document_of(
      R"({"asset": {"version": "2.0"}, "scene": 1, "scenes": [{}, {"extras": {"mine": [1], "isochor": {"other": 2}}}]})");
  VolumeSettings settings;
  settings.otherwise = default_effect(Effect::rubber);
  set_volume_settings(document, settings);
  const Json scene = Json::parse(document.json_text())["scenes"][1]["extras"];
  EXPECT_EQ(scene["mine"], Json({1}));
  EXPECT_EQ(scene["isochor"]["other"], 2);
  EXPECT_EQ(scene["isochor"]["volume"]["default"]["effect"], "rubber");
  EXPECT_EQ(*volume_settings_of(document), settings);

  document = document_of(R"({"asset": {"version": "2.0"}})");
  set_volume_settings(document, settings);
  EXPECT_EQ(*volume_settings_of(document), settings);
  EXPECT_TRUE(Json::parse(document.json_text())["asset"]["extras"].contains("isochor"));

  for (const char* extras : {"[1]", "5", "{\"isochor\": 3}"}) {
    document = document_of(std::string(R"({"asset": {"version": "2.0"}, "scenes": [{"extras": )") + extras + "}]}");
    EXPECT_FALSE(volume_settings_of(document).has_value());
    EXPECT_THROW(set_volume_settings(document, settings), Error) << extras;
  }
}

// Broken settings in a glTF are refused with the place and the field; there is no line to name.
TEST(VolumeSettingsFile, BrokenExtras) {
  const GltfDocument document = document_of(
      R"({"asset": {"version": "2.0"}, "scenes": [{"extras": {"isochor": {"volume": {"solver": "fast"}}}}]})");
  try {
    volume_settings_of(document);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "extras")) << error.what();
    EXPECT_TRUE(contains(error.what(), "solver must be one of")) << error.what();
    EXPECT_FALSE(contains(error.what(), "line ")) << error.what();
  }
}

// The schema in docs/ is the one that the code describes.
TEST(VolumeSettingsFile, SchemaIsUpToDate) {
  std::ifstream file(test::source_folder() / "docs/volume-settings.schema.json");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), volume_settings_schema());
}

// The settings that docs/volume.md shows are settings.
TEST(VolumeSettingsFile, DocumentationExamples) {
  std::ifstream file(test::source_folder() / "docs/volume.md");
  std::string line, block;
  int blocks = 0;
  bool inside = false;
  while (std::getline(file, line)) {
    if (inside && line == "```") {
      EXPECT_NO_THROW(check(parse_volume_settings(block))) << block;
      ++blocks;
    }
    if (inside && line != "```") block += line + "\n";
    if (line.rfind("```", 0) == 0) {
      inside = line == "```json";
      block.clear();
    }
  }
  EXPECT_GE(blocks, 1);
}

/// A fragment of JSON that a schema of a field allows.
Json some_value(const Json& schema) {
  if (schema.contains("const")) return schema["const"];
  if (schema.contains("enum")) return schema["enum"].back();
  if (schema.contains("anyOf")) return some_value(schema["anyOf"].back());
  if (schema.contains("$ref")) return {{"effect", "blend"}};
  if (schema["type"] == "number") return schema["maximum"];
  if (schema["type"] == "string") return "name";
  if (schema.contains("prefixItems")) return {0, some_value(schema["prefixItems"][1])};
  Json list = Json::array();
  for (int i = 0; i < schema["minItems"].get<int>(); ++i) list.push_back(some_value(schema["items"]));
  return list;
}

// Every field of the schema is one that the reader takes, with the values that the schema allows at its limits; every
// field that the code describes is in the schema; every value of the enums too.
TEST(VolumeSettingsFile, SchemaAndReaderAgree) {
  const Json schema = Json::parse(volume_settings_schema());
  std::set<std::string> fields, effects;
  for (const Json& effect : schema["$defs"]["effect"]["oneOf"]) {
    const std::string name = effect["properties"]["effect"]["const"];
    effects.insert(name);
    for (const auto& [key, field] : effect["properties"].items()) {
      fields.insert(key);
      Json entry = {{"effect", name}};
      if (effect.contains("required")) {
        for (const std::string required : effect["required"]) {
          entry[required] = some_value(effect["properties"][required]);
        }
      }
      entry[key] = some_value(field);
      if (key == "mu") entry[key] = {0, 0, 1};
      EXPECT_NO_THROW(parse_volume_settings(Json{{"default", entry}}.dump())) << entry;
      if (field.contains("maximum")) {
        entry[key] = field["maximum"].get<double>() * 1.01;
        EXPECT_THROW(parse_volume_settings(Json{{"default", entry}}.dump()), Error) << entry;
        entry[key] = field["minimum"].get<double>() - 0.01;
        EXPECT_THROW(parse_volume_settings(Json{{"default", entry}}.dump()), Error) << entry;
      }
    }
  }
  const EffectSettings any;
  std::set<std::string> described;
  describe(any, [&](const auto&, const FieldInfo& info) { described.insert(info.name); });
  EXPECT_EQ(fields, described);
  EXPECT_EQ(effects, std::set<std::string>(EnumNames<Effect>::names.begin(), EnumNames<Effect>::names.end()));
  for (const auto& [key, field] : schema["properties"].items()) {
    Json value = key == "joints" ? Json{{"a", {{"effect", "rubber"}}}} : some_value(field);
    EXPECT_NO_THROW(parse_volume_settings(Json{{key, value}}.dump())) << key;
  }
}

// The texts of the schema's defaults are the reader's: an entry that writes them out is the entry without them.
TEST(VolumeSettingsFile, SchemaDefaults) {
  const Json schema = Json::parse(volume_settings_schema());
  int compared = 0;
  for (const Json& effect : schema["$defs"]["effect"]["oneOf"]) {
    if (effect.contains("required") && effect["required"].size() > 1) continue;
    const Json bare = {{"effect", effect["properties"]["effect"]["const"]}};
    Json full = bare;
    for (const auto& [key, field] : effect["properties"].items()) {
      if (key == "mu" && effect["properties"]["direction"]["default"] == "normal") continue;
      if (field.contains("default")) full[key] = field["default"], ++compared;
    }
    EXPECT_EQ(parse_volume_settings(Json{{"default", full}}.dump()),
              parse_volume_settings(Json{{"default", bare}}.dump()))
        << full;
  }
  EXPECT_GT(compared, 30);
}

}  // namespace
}  // namespace isochor
