#pragma once

/// Options structs as JSON, by their describe(): what a page may set, with the library's own names, ranges and texts.

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "isochor/base/error.h"
#include "isochor/base/options.h"

namespace isochor::web {

using Json = nlohmann::ordered_json;

/// Infinity is no JSON number: fields without a bound lack it.
inline void put_bound(Json& json, const char* name, double bound) {
  if (std::isfinite(bound)) json[name] = bound;
}

/// [{name, help, unit, min, max, expert, value, choices}]: `value` is what `options` holds.
template <class Options>
Json describe_fields(const Options& options) {
  Json fields = Json::array();
  describe(options, [&](const auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    Json json = {{"name", info.name}, {"help", info.help}, {"unit", info.unit}, {"expert", info.expert}};
    put_bound(json, "min", info.min);
    put_bound(json, "max", info.max);
    if constexpr (std::is_enum_v<Field>) {
      json["value"] = enum_name(field);
      json["choices"] = EnumNames<Field>::names;
    } else if constexpr (std::is_arithmetic_v<Field> || std::is_same_v<Field, std::vector<std::string>>) {
      json["value"] = field;
    }
    fields.push_back(std::move(json));
  });
  return fields;
}

template <class Field>
void read_field(const Json& value, Field& field, const FieldInfo& info) {
  const auto refuse = [&](const std::string& expected) {
    throw_bad_input(std::string("the option ") + info.name + " must be " + expected);
  };
  if constexpr (std::is_enum_v<Field>) {
    const auto found = value.is_string() ? parse_enum<Field>(value.template get<std::string>()) : std::nullopt;
    if (!found) refuse("one of " + enum_choices<Field>(", "));
    field = *found;
  } else if constexpr (std::is_same_v<Field, bool>) {
    if (!value.is_boolean()) refuse("true or false");
    field = value.template get<bool>();
  } else if constexpr (std::is_arithmetic_v<Field>) {
    if (!value.is_number()) refuse(range_text(info));
    const auto number = value.template get<double>();
    // Checked before the conversion: a number beyond an integer's range has none.
    if (!(number >= info.min && number <= info.max)) refuse(range_text(info));
    field = static_cast<Field>(number);
  } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
    if (!value.is_array()) refuse("a list of names");
    field.clear();
    for (const Json& name : value) {
      if (!name.is_string()) refuse("a list of names");
      field.push_back(name.template get<std::string>());
    }
  } else {
    refuse("left out");
  }
}

/// Takes over the fields of `options` that `json` has, and removes them from it.
template <class Options>
void take_fields(Json& json, Options& options) {
  describe(options, [&](auto& field, const FieldInfo& info) {
    const auto found = json.find(info.name);
    if (found == json.end()) return;
    read_field(*found, field, info);
    json.erase(found);
  });
}

/// To be called when all fields were taken: a misspelt name is an error, not a silence.
inline void refuse_others(const Json& json) {
  if (!json.empty()) throw_bad_input("there is no option " + json.begin().key());
}

}  // namespace isochor::web
