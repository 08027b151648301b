#include "gltf_json.h"

#include <cmath>

#include "isochor/base/error.h"

namespace isochor::gltf {
namespace {

constexpr std::size_t kMaxGltfDepth = 200;

/// Builds the document. nlohmann's own builder looks each key up in the ordered object before it adds it: quadratic in
/// the number of keys, and a file of a few megabytes would take hours.
class Builder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    throw_bad_input("its JSON is broken at byte " + std::to_string(position));
  }

  Json take() { return std::move(root_); }

 private:
  Json& place(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_array()) return parent.get_ref<Json::array_t&>().emplace_back(std::move(value));
    return parent.get_ref<Json::object_t&>().emplace_back(std::move(key_), std::move(value)).second;
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kMaxGltfDepth) {
      throw_bad_input("its JSON is nested more than " + std::to_string(kMaxGltfDepth) + " levels deep");
    }
    // An element can move only when its parent grows, and the parent does not grow while the element is open.
    open_.push_back(&place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

[[noreturn]] void throw_type(const char* key, const char* type, const Where& where) {
  throw_bad_input("'" + std::string(key) + "' of its " + where.str() + " is not " + type);
}

const Json& empty_array() {
  static const Json kEmpty = Json::array();
  return kEmpty;
}

const Json& empty_object() {
  static const Json kEmpty = Json::object();
  return kEmpty;
}

/// Numbers that we wrote ourselves may be stored as signed.
bool is_whole(const Json& value) {
  return value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
}

std::vector<double> to_numbers(const Json& array, const char* key, const Where& where) {
  if (!array.is_array()) throw_type(key, "an array of numbers", where);
  std::vector<double> values;
  values.reserve(array.size());
  for (const Json& element : array) {
    if (!element.is_number()) throw_type(key, "an array of numbers", where);
    values.push_back(element.get<double>());
  }
  return values;
}

}  // namespace

Json parse_json(std::span<const std::uint8_t> text) {
  Builder builder;
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::string dump_json(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

Json* find(Json& object, const char* key) { return const_cast<Json*>(find(static_cast<const Json&>(object), key)); }

const Json& items(const Json& root, const char* key) {
  const Json* array = find(root, key);
  return array ? *array : empty_array();
}

std::size_t count(const Json& root, const char* key) { return items(root, key).size(); }

const Json& item(const Json& root, const char* key, std::size_t index) { return items(root, key)[index]; }

Json& item(Json& root, const char* key, std::size_t index) { return root[key][index]; }

Index push(Json& root, const char* key, Json value) {
  Json* array = find(root, key);
  if (!array) array = &(root[key] = Json::array());
  array->push_back(std::move(value));
  return static_cast<Index>(array->size() - 1);
}

Index as_index(const Json& value, std::size_t limit, const char* key, const Where& where) {
  if (!is_whole(value)) throw_type(key, "an index", where);
  const auto index = value.get<std::uint64_t>();
  if (index >= limit) {
    throw_bad_input("'" + std::string(key) + "' of its " + where.str() + " refers to element " + std::to_string(index) +
                    " of " + std::to_string(limit));
  }
  return static_cast<Index>(index);
}

std::optional<Index> get_index(const Json& object, const char* key, std::size_t limit, const Where& where) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  return as_index(*value, limit, key, where);
}

std::optional<std::uint64_t> get_unsigned(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  if (!is_whole(*value)) throw_type(key, "a whole number", where);
  return value->get<std::uint64_t>();
}

std::optional<double> get_number(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  if (!value->is_number()) throw_type(key, "a number", where);
  return value->get<double>();
}

std::optional<std::vector<double>> get_numbers(const Json& object, const char* key, std::size_t size,
                                               const Where& where) {
  const Json* value = find(object, key);
  if (!value) return std::nullopt;
  std::vector<double> numbers = to_numbers(*value, key, where);
  if (numbers.size() != size) {
    throw_bad_input("'" + std::string(key) + "' of its " + where.str() + " has " + std::to_string(numbers.size()) +
                    " numbers instead of " + std::to_string(size));
  }
  return numbers;
}

std::vector<double> get_number_list(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  return value ? to_numbers(*value, key, where) : std::vector<double>{};
}

std::string get_string(const Json& object, const char* key, std::string_view otherwise) {
  const Json* value = find(object, key);
  return value && value->is_string() ? value->get<std::string>() : std::string(otherwise);
}

const Json& get_object(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (!value) return empty_object();
  if (!value->is_object()) throw_type(key, "an object", where);
  return *value;
}

const Json& get_array(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (!value) return empty_array();
  if (!value->is_array()) throw_type(key, "an array", where);
  return *value;
}

const Json* find_extension(const Json& object, const char* name) {
  const Json* extensions = find(object, "extensions");
  return extensions ? find(*extensions, name) : nullptr;
}

}  // namespace isochor::gltf
