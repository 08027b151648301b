#include "isochor/io/volume_settings.h"

#include <cmath>
#include <string>
#include <utility>

#include "gltf_impl.h"
#include "io/json_lines.h"
#include "io/text.h"
#include "io/volume_settings_json.h"

namespace isochor {
namespace {

using json_lines::Node;
using json_lines::throw_at;
using Kind = Node::Kind;

constexpr std::uint64_t kMaxSettingsBytes = 16u << 20;
constexpr std::size_t kMaxPatterns = 10000;
constexpr double kLargestPosition = 1e6;

/// Shares that were rounded by hand still count: 0.33, 0.33, 0.33.
constexpr double kShareTolerance = 0.02;

template <class E>
E read_enum(const Node& node, const std::string& name) {
  if (node.kind == Kind::string) {
    if (const auto value = parse_enum<E>(node.text)) return *value;
  }
  throw_at(node, name + " must be one of " + enum_choices<E>(", ") +
                     (node.kind == Kind::string ? ", not " + text::quoted(node.text) : std::string()));
}

bool in_range(const Node& node, double min, double max) {
  return node.kind == Kind::number && node.number >= min && node.number <= max;
}

std::string with_unit(const FieldInfo& info) {
  return range_text(info) + (info.unit[0] != 0 ? std::string(" (") + info.unit + ")" : std::string());
}

void read(const Node& node, double& value, const FieldInfo& info) {
  if (!in_range(node, info.min, info.max)) {
    throw_at(node, std::string(info.name) + " must be a number " + with_unit(info));
  }
  value = node.number;
}

/// N numbers, or one that stands for all of them.
template <class Values>
void read_numbers(const Node& node, Values&& values, const FieldInfo& info) {
  const std::size_t count = static_cast<std::size_t>(values.size());
  const bool one = node.kind == Kind::number;
  bool good = one || (node.kind == Kind::array && node.items.size() == count);
  for (std::size_t i = 0; good && i < count; ++i) {
    const Node& item = one ? node : node.items[i];
    good = in_range(item, info.min, info.max);
    if (good) values[static_cast<Index>(i)] = item.number;
  }
  if (!good) {
    throw_at(node, std::string(info.name) + " must be a number or " + std::to_string(count) + " numbers, each " +
                       with_unit(info));
  }
}

void read(const Node& node, std::array<double, 2>& value, const FieldInfo& info) { read_numbers(node, value, info); }

void read(const Node& node, Vec3& value, const FieldInfo& info) {
  const bool shares = std::string_view(info.name) == "mu";
  if (shares && node.kind == Kind::number) throw_at(node, "mu must be three shares that sum to 1");
  read_numbers(node, value, info);
  if (!shares) return;
  if (std::abs(value.sum() - 1) > kShareTolerance) throw_at(node, "mu must be three shares that sum to 1");
  if (std::abs(value.sum() - 1) > 1e-9) value /= value.sum();
}

/// Points [position, value] with values in the range of `info`.
Profile read_points(const Node& node, const FieldInfo& info) {
  const std::string name = info.name;
  if (node.kind != Kind::array || node.items.empty() || node.items.size() > Profile::kMaxPoints) {
    throw_at(node, name + " must be a list of points such as [[-1, 0], [0, 1], [1, 0]]");
  }
  std::vector<ProfilePoint> points;
  for (const Node& item : node.items) {
    const bool pair = item.kind == Kind::array && item.items.size() == 2;
    if (!pair || !in_range(item.items[0], -kLargestPosition, kLargestPosition) ||
        !in_range(item.items[1], info.min, info.max)) {
      throw_at(item, "a point of " + name + " must be two numbers [position, value], the value " + range_text(info));
    }
    points.push_back({item.items[0].number, item.items[1].number});
    if (points.size() > 1 && !(points.back().x > points[points.size() - 2].x)) {
      throw_at(item, "points of " + name + " must lie one after another: each position larger than the one before");
    }
  }
  return Profile(std::move(points));
}

void read(const Node& node, Profile& value, const FieldInfo& info) { value = read_points(node, info); }

void read(const Node& node, std::string& value, const FieldInfo& info) {
  if (node.kind != Kind::string || node.text.empty()) throw_at(node, std::string(info.name) + " must be a name");
  value = node.text;
}

void read(const Node& node, std::vector<double>& values, const FieldInfo& info) {
  double sum = 0;
  bool good = node.kind == Kind::array && !node.items.empty() && node.items.size() <= EffectSettings::kMaxMaps;
  for (std::size_t i = 0; good && i < node.items.size(); ++i) {
    good = in_range(node.items[i], info.min, info.max);
    values.push_back(node.items[i].number);
    sum += values.back();
  }
  if (!good || !(sum > 0)) throw_at(node, std::string(info.name) + " must be a list of shares, not all zero");
}

template <class E>
requires std::is_enum_v<E>
void read(const Node& node, E& value, const FieldInfo& info) { value = read_enum<E>(node, info.name); }

enum class Nesting { top, in_combination };
EffectSettings read_effect(const Node& node, Nesting nesting);

void read(const Node& node, std::vector<EffectSettings>& maps, const FieldInfo& info) {
  if (node.kind != Kind::array || node.items.empty() || node.items.size() > EffectSettings::kMaxMaps) {
    throw_at(node, std::string(info.name) + " must be a list of 1 to " + std::to_string(EffectSettings::kMaxMaps) +
                       " effects");
  }
  for (const Node& item : node.items) maps.push_back(read_effect(item, Nesting::in_combination));
}

std::string fields_of(Effect effect) {
  const EffectSettings any;
  std::string list;
  describe(any, [&](const auto&, const FieldInfo& info) {
    if (effect_uses(effect, info.name)) list += (list.empty() ? "" : ", ") + std::string(info.name);
  });
  return list;
}

void refuse_unknown_fields(const Node& node, Effect effect) {
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    if (effect_uses(effect, node.keys[i])) continue;
    const EffectSettings any;
    bool known = false;
    describe(any, [&](const auto&, const FieldInfo& info) { known = known || node.keys[i] == info.name; });
    throw_at(node.items[i], text::quoted(node.keys[i]) +
                                (known ? " means nothing to the effect " : " is not a field of the effect ") +
                                enum_name(effect) + ", which takes " + fields_of(effect));
  }
}

EffectSettings read_effect(const Node& node, Nesting nesting) {
  if (node.kind != Kind::object) throw_at(node, "an effect must be an object such as {\"effect\": \"rubber\"}");
  const Node* kind = node.find("effect");
  const Effect effect = kind ? read_enum<Effect>(*kind, "effect") : Effect::blend;
  if (effect == Effect::combined && nesting == Nesting::in_combination) {
    throw_at(*kind, "a combined effect cannot be one of the maps of another");
  }
  EffectSettings settings = default_effect(effect);
  refuse_unknown_fields(node, effect);
  describe(settings, [&](auto& field, const FieldInfo& info) {
    if (const Node* value = node.find(info.name)) read(*value, field, info);
  });
  const Node* mu = node.find("mu");
  if (mu && !node.find("direction")) settings.direction = CorrectionDirection::axes;
  if (mu && settings.direction == CorrectionDirection::normal) {
    throw_at(*mu, "mu gives shares along the axes, but direction is normal");
  }
  if (effect == Effect::painted && settings.map.empty()) throw_at(node, "a painted effect needs the name of its map");
  if (effect == Effect::combined && settings.maps.empty()) throw_at(node, "a combined effect needs its maps");
  if (!settings.mix.empty() && settings.mix.size() != settings.maps.size()) {
    throw_at(*node.find("mix"), "mix must have one share for each of the maps");
  }
  return settings;
}

void read_joints(const Node& node, std::vector<JointEffect>& joints) {
  if (node.kind != Kind::object || node.items.size() > kMaxPatterns) {
    throw_at(node,
             "joints must be an object of at most " + std::to_string(kMaxPatterns) + " name patterns with effects");
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.keys[i].empty()) throw_at(node.items[i], "a name pattern is empty");
    joints.push_back({node.keys[i], read_effect(node.items[i], Nesting::top)});
  }
}

/// False where VolumeOptions have no field of that name.
bool read_option(const Node& node, const std::string& key, VolumeOptions& options) {
  bool known = false;
  describe(options, [&](auto& field, FieldInfo info) {
    info.name = volume_settings_json::key_of(info);
    if (key != info.name) return;
    read(node, field, info);
    known = true;
  });
  return known;
}

std::string option_keys() {
  std::string list;
  const VolumeOptions any;
  describe(any,
           [&](const auto&, const FieldInfo& info) { list += std::string(volume_settings_json::key_of(info)) + ", "; });
  return list;
}

VolumeSettings read_settings(const Node& node) {
  if (node.kind != Kind::object) throw_at(node, "volume settings must be a JSON object");
  VolumeSettings settings;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string& key = node.keys[i];
    const Node& value = node.items[i];
    if (key == "default") {
      settings.otherwise = read_effect(value, Nesting::top);
    } else if (key == "joints") {
      read_joints(value, settings.effects);
    } else if (key == "volume") {
      settings.volume = read_points(value, volume_settings_json::kVolume);
    } else if (key != "$schema" && !read_option(value, key, settings.options)) {
      throw_at(value, text::quoted(key) + " is not a field of volume settings, which are default, joints, " +
                          option_keys() + "and volume");
    }
  }
  return settings;
}

}  // namespace

VolumeSettings parse_volume_settings(std::string_view text) {
  if (text.size() > kMaxSettingsBytes) throw_bad_input("the volume settings are larger than 16 MiB");
  return read_settings(json_lines::parse(text));
}

VolumeSettings read_volume_settings(const std::filesystem::path& path) {
  return text::read_named(
      path, [](std::string_view bytes) { return parse_volume_settings(bytes); }, kMaxSettingsBytes);
}

std::optional<VolumeSettings> volume_settings_of(const GltfDocument& document) {
  const gltf::Json* found = volume_settings_json::find(document.impl().json);
  if (!found) return std::nullopt;
  try {
    Node node = json_lines::parse(gltf::dump_json(*found));
    json_lines::forget_lines(node);
    return read_settings(node);
  } catch (const Error& error) {
    throw Error(error.kind(), "the volume settings in the extras of " + document.impl().name + ": " + error.what());
  }
}

}  // namespace isochor
