#pragma once

/// JSON that comes from outside: a parser with limits, and access that checks types and ranges.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/types.h"

namespace isochor::gltf {

using Json = nlohmann::ordered_json;

/// What a sentence is about: "accessor 12".
struct Where {
  const char* kind;
  std::size_t index;
  std::string str() const { return std::string(kind) + " " + std::to_string(index); }
};

/// Nesting is limited, so that no recursion over the document can exhaust the stack; objects are built in linear time,
/// whatever their number of keys. A key that repeats is kept; the first one counts.
Json parse_json(std::span<const std::uint8_t> text);
std::string dump_json(const Json& json);

/// The member, or null where `object` has none (or is not an object).
const Json* find(const Json& object, const char* key);
Json* find(Json& object, const char* key);

/// The top-level array `key`; an empty array where the document has none.
const Json& items(const Json& root, const char* key);
std::size_t count(const Json& root, const char* key);
/// Element `index` of the top-level array `key`, an object. The index must be in range.
const Json& item(const Json& root, const char* key, std::size_t index);
Json& item(Json& root, const char* key, std::size_t index);
/// Appends to the top-level array `key`, which is created where missing; returns the new element's index.
Index push(Json& root, const char* key, Json value);

/// A member that refers to an element of an array of `limit` elements; nothing where the member is missing.
/// All get_… functions throw Error(bad_input) for a value of another type or out of range.
std::optional<Index> get_index(const Json& object, const char* key, std::size_t limit, const Where& where);
/// The value itself as such a reference.
Index as_index(const Json& value, std::size_t limit, const char* key, const Where& where);
std::optional<std::uint64_t> get_unsigned(const Json& object, const char* key, const Where& where);
std::optional<double> get_number(const Json& object, const char* key, const Where& where);
/// `size` finite numbers; nothing where the member is missing.
std::optional<std::vector<double>> get_numbers(const Json& object, const char* key, std::size_t size,
                                               const Where& where);
/// An array of any length, of finite numbers; empty where the member is missing.
std::vector<double> get_number_list(const Json& object, const char* key, const Where& where);
/// A string, or `otherwise` where the member is missing or no string: names are never worth refusing a file for.
std::string get_string(const Json& object, const char* key, std::string_view otherwise = {});
/// An object or an array; an empty one where the member is missing.
const Json& get_object(const Json& object, const char* key, const Where& where);
const Json& get_array(const Json& object, const char* key, const Where& where);

/// object[extensions][name], or null.
const Json* find_extension(const Json& object, const char* name);

}  // namespace isochor::gltf
