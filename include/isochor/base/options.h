#pragma once

/// Options are plain structs. Beside each stands one `describe(options, visitor)` that names every field once, with
/// unit, range and help; the command line's help, the range check and the report all read it from there.

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isochor/base/error.h"

namespace isochor {

/// What is to be known about one field of an options struct.
struct FieldInfo {
  const char* name;                                       ///< as on the command line, without dashes: "weld-tolerance"
  const char* help;                                       ///< one sentence, no full stop
  const char* unit = "";                                  ///< "of the bounding box's diagonal", "s", "px" …
  double min = -std::numeric_limits<double>::infinity();  ///< inclusive
  double max = std::numeric_limits<double>::infinity();   ///< inclusive
  bool expert = false;                                    ///< few people need it: shown by --help-all alone
  const char* alone = "";                                 ///< of an enum: what the option means without a value
  const char* former = "";                                ///< an old name that is still understood
};

/// "between 0 and 1", "at least 0", "at most 5", "a number".
std::string range_text(const FieldInfo& info);

/// The names of an enum's values, in order: specialise for each enum that appears in an options struct:
///   template <> struct EnumNames<Deformer> { static constexpr std::array names{"lbs", "dqs"}; };
/// The enum's values must be 0, 1, 2 … in the same order.
template <class E>
struct EnumNames;

template <class E>
std::string enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

/// The value of that name, or nothing.
template <class E>
std::optional<E> parse_enum(std::string_view name) {
  const auto& names = EnumNames<E>::names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (name == names[i]) return static_cast<E>(i);
  }
  return std::nullopt;
}

/// All names of an enum's values, with `between` between them.
template <class E>
std::string enum_choices(std::string_view between = "|") {
  std::string text;
  for (const char* name : EnumNames<E>::names) {
    if (!text.empty()) text += between;
    text += name;
  }
  return text;
}

/// Throws Error(bad_input) naming the field if a numeric field of `options` is outside its range or not finite.
/// A struct takes part by providing, in its own namespace,
///   template <class Options, class Visitor> requires … void describe(Options& options, Visitor&& visit)
/// which calls visit(options.field, FieldInfo{…}) for each field.
template <class Options>
void check_ranges(const Options& options) {
  describe(options, [](const auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
      const auto value = static_cast<double>(field);
      if (!std::isfinite(value) || value < info.min || value > info.max) {
        throw_bad_input(std::string("the option ") + info.name + " must be " + range_text(info));
      }
    }
  });
}

}  // namespace isochor
