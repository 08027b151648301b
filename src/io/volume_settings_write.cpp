#include <map>
#include <string>

#include "gltf_impl.h"
#include "io/volume_settings_json.h"
#include "isochor/io/volume_settings.h"

namespace isochor {
namespace {

using gltf::Json;

Json to_json(double value) { return value; }
Json to_json(const Vec3& value) { return {value[0], value[1], value[2]}; }
Json to_json(const std::array<double, 2>& value) { return {value[0], value[1]}; }
Json to_json(const Profile& value) {
  Json points = Json::array();
  for (const ProfilePoint& p : value.points()) points.push_back({p.x, p.y});
  return points;
}
Json to_json(const std::string& value) { return value; }
Json to_json(const std::vector<double>& value) { return value; }
template <class E>
requires std::is_enum_v<E> Json to_json(E value) { return enum_name(value); }
Json to_json(const EffectSettings& settings);
Json to_json(const std::vector<EffectSettings>& value) {
  Json list = Json::array();
  for (const EffectSettings& settings : value) list.push_back(to_json(settings));
  return list;
}

/// A value of the settings that the reader would start from, by the field's name.
template <class Field>
bool is_default(const EffectSettings& defaults, const Field& field, const char* name) {
  bool same = false;
  describe(defaults, [&](const auto& other, const FieldInfo& info) {
    if constexpr (std::is_same_v<std::decay_t<decltype(other)>, Field>) {
      if (std::string_view(info.name) == name) same = other == field;
    }
  });
  return same;
}

Json to_json(const EffectSettings& settings) {
  const EffectSettings defaults = default_effect(settings.effect);
  Json json = Json::object();
  describe(settings, [&](const auto& field, const FieldInfo& info) {
    const std::string_view name = info.name;
    const bool shares = name == "mu" && settings.direction == CorrectionDirection::normal;
    if (shares || !effect_uses(settings.effect, name)) return;
    if (name == "effect" || !is_default(defaults, field, info.name)) json[info.name] = to_json(field);
  });
  if (const Json* sigma = gltf::find(json, "sigma")) {
    const Json first = sigma->front();
    if ((*sigma)[1] == first && (*sigma)[2] == first) json["sigma"] = first;
  }
  return json;
}

/// On one line, with blanks where a person would put them.
void append_inline(const Json& json, std::string& out) {
  if (!json.is_structured() || json.empty()) {
    out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const bool object = json.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) out += ", ";
    first = false;
    if (object) out += Json(key).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
    append_inline(value, out);
  }
  out += object ? '}' : ']';
}

/// Those that are not the defaults.
void add_options(Json& json, const VolumeOptions& options) {
  const auto to_value = [](const auto& field) -> Json {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>) {
      return enum_name(field);
    } else {
      return field;
    }
  };
  Json defaults = Json::object();
  const VolumeOptions standard;
  describe(standard, [&](const auto& field, const FieldInfo& info) { defaults[info.name] = to_value(field); });
  describe(options, [&](const auto& field, const FieldInfo& info) {
    if (Json value = to_value(field); value != defaults[info.name]) json[volume_settings_json::key_of(info)] = value;
  });
}

Json settings_json(const VolumeSettings& settings) {
  Json json = Json::object();
  json["default"] = to_json(settings.otherwise);
  if (!settings.effects.empty()) {
    // A key stands once: of patterns that repeat, the last counts.
    std::map<std::string_view, std::size_t> last;
    for (std::size_t e = 0; e < settings.effects.size(); ++e) last[settings.effects[e].pattern] = e;
    Json joints = Json::object();
    for (std::size_t e = 0; e < settings.effects.size(); ++e) {
      const auto& [pattern, effect] = settings.effects[e];
      if (last[pattern] == e) joints.get_ref<Json::object_t&>().emplace_back(pattern, to_json(effect));
    }
    json["joints"] = std::move(joints);
  }
  json["solver"] = enum_name(settings.options.solve.solver);
  add_options(json, settings.options);
  if (!settings.volume.empty()) json["volume"] = to_json(settings.volume);
  return json;
}

template <class E>
Json names() {
  Json list = Json::array();
  for (const char* name : EnumNames<E>::names) list.push_back(name);
  return list;
}

Json number_schema(const FieldInfo& info) { return {{"type", "number"}, {"minimum", info.min}, {"maximum", info.max}}; }

Json list_schema(Json items, std::size_t least, std::size_t most) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", least}, {"maxItems", most}};
}

Json points_schema(const FieldInfo& info) {
  const Json position = {{"type", "number"}, {"minimum", -1e6}, {"maximum", 1e6}};
  const Json point = {
      {"type", "array"}, {"prefixItems", {position, number_schema(info)}}, {"minItems", 2}, {"maxItems", 2}};
  return list_schema(point, 1, Profile::kMaxPoints);
}

Json one_or(const FieldInfo& info, std::size_t count) {
  return {{"anyOf", {number_schema(info), list_schema(number_schema(info), count, count)}}};
}

Json schema_of(double, const FieldInfo& info) { return number_schema(info); }
Json schema_of(const Vec3&, const FieldInfo& info) {
  return std::string_view(info.name) == "mu" ? list_schema(number_schema(info), 3, 3) : one_or(info, 3);
}
Json schema_of(const std::array<double, 2>&, const FieldInfo& info) { return one_or(info, 2); }
Json schema_of(const Profile&, const FieldInfo& info) { return points_schema(info); }
Json schema_of(const std::string&, const FieldInfo&) { return {{"type", "string"}, {"minLength", 1}}; }
Json schema_of(const std::vector<double>&, const FieldInfo& info) {
  return list_schema(number_schema(info), 1, EffectSettings::kMaxMaps);
}
Json schema_of(const std::vector<EffectSettings>&, const FieldInfo&) {
  return list_schema({{"$ref", "#/$defs/effect"}}, 1, EffectSettings::kMaxMaps);
}
template <class E>
requires std::is_enum_v<E> Json schema_of(E, const FieldInfo&) { return {{"enum", names<E>()}}; }

/// "sentence (unit)" as the help texts have it.
std::string description(const FieldInfo& info) {
  const std::string_view unit = info.unit;
  if (unit.empty()) return info.help;
  return std::string(info.help) + (unit.starts_with("of ") ? ", as a share " : ", in ") + info.unit;
}

/// What one effect takes, so that an editor offers those fields and no others.
Json effect_schema(Effect effect) {
  const EffectSettings defaults = default_effect(effect);
  Json properties = Json::object();
  describe(defaults, [&](const auto& field, const FieldInfo& info) {
    if (!effect_uses(effect, info.name)) return;
    Json schema = schema_of(field, info);
    schema["description"] = description(info);
    if constexpr (!std::is_same_v<std::decay_t<decltype(field)>, std::vector<EffectSettings>>) {
      Json value = to_json(field);
      if (!(value.is_string() || value.is_array()) || !value.empty()) schema["default"] = std::move(value);
    }
    properties[info.name] = std::move(schema);
  });
  properties["effect"] = {{"const", enum_name(effect)}, {"description", "the map that says where volume is given"}};
  Json required = Json::array();
  if (effect != Effect::blend) required.push_back("effect");
  if (effect == Effect::painted) required.push_back("map");
  if (effect == Effect::combined) required.push_back("maps");
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

/// The place of the settings' holder, made where it is missing.
Json& extras_of(Json& root) {
  const auto scenes = root.find("scenes");
  Json* holder = &root["asset"];
  if (scenes != root.end() && scenes->is_array() && !scenes->empty()) {
    const Json* scene = gltf::find(root, "scene");
    const std::size_t index = scene && scene->is_number_unsigned() ? scene->get<std::size_t>() : 0;
    if (index < scenes->size()) holder = &(*scenes)[index];
  }
  return (*holder)["extras"];
}

}  // namespace

namespace volume_settings_json {

const gltf::Json* find(const gltf::Json& root) {
  const Json* holder = gltf::find(root, "asset");
  const Json& scenes = gltf::items(root, "scenes");
  if (scenes.is_array() && !scenes.empty()) {
    const Json* scene = gltf::find(root, "scene");
    const std::size_t index = scene && scene->is_number_unsigned() ? scene->get<std::size_t>() : 0;
    if (index < scenes.size()) holder = &scenes[index];
  }
  for (const char* key : {"extras", "isochor", "volume"}) {
    if (holder) holder = gltf::find(*holder, key);
  }
  return holder;
}

}  // namespace volume_settings_json

std::string write_volume_settings(const VolumeSettings& settings) {
  check(settings);
  const Json json = settings_json(settings);
  std::string out = "{";
  for (const auto& [key, value] : json.items()) {
    out += out.size() > 1 ? ",\n  " : "\n  ";
    out += Json(key).dump() + ": ";
    if (key != "joints") {
      append_inline(value, out);
      continue;
    }
    out += '{';
    bool first = true;
    for (const auto& [pattern, effect] : value.items()) {
      out += first ? "\n    " : ",\n    ";
      first = false;
      out += Json(pattern).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      append_inline(effect, out);
    }
    out += "\n  }";
  }
  return out + "\n}\n";
}

void set_volume_settings(GltfDocument& document, const VolumeSettings& settings) {
  check(settings);
  Json& extras = extras_of(document.impl().json);
  const Json* ours = gltf::find(extras, "isochor");
  if (!(extras.is_null() || extras.is_object()) || (ours && !ours->is_object())) {
    throw_unsupported("the extras of this glTF's scene are not an object, so that no settings can be put beside them");
  }
  extras["isochor"]["volume"] = settings_json(settings);
}

std::string volume_settings_schema() {
  Json effects = Json::array();
  for (std::size_t e = 0; e < EnumNames<Effect>::names.size(); ++e) {
    effects.push_back(effect_schema(static_cast<Effect>(e)));
  }
  Json volume = points_schema(volume_settings_json::kVolume);
  volume["description"] = description(volume_settings_json::kVolume);
  const Json effect_ref = {{"$ref", "#/$defs/effect"}};
  Json properties = {
      {"$schema", {{"type", "string"}}},
      {"default", effect_ref},
      {"joints",
       {{"type", "object"},
        {"description",
         "effects by name or pattern with * and ?; a joint's own name goes first, then the last pattern that matches"},
        {"additionalProperties", effect_ref}}}};
  const VolumeOptions standard;
  describe(standard, [&](const auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    Json& property = properties[volume_settings_json::key_of(info)];
    if constexpr (std::is_enum_v<Field>) {
      property = {{"enum", names<Field>()}, {"default", enum_name(field)}};
    } else {
      property = number_schema(info);
      property["default"] = field;
    }
    property["description"] = description(info);
  });
  properties["volume"] = std::move(volume);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Isochor volume settings"},
                 {"type", "object"},
                 {"properties", std::move(properties)},
                 {"additionalProperties", false},
                 {"$defs", {{"effect", {{"oneOf", std::move(effects)}}}}}};
  return schema.dump(2) + "\n";
}

}  // namespace isochor
