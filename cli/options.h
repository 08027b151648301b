#pragma once

/// Turns an options struct into command line options, help and report fields, by its describe().

#include <CLI/CLI.hpp>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/base/words.h"
#include "session.h"

namespace isochor::cli {

/// Options of this name are left out, because the subcommand sets them itself.
using Hidden = std::vector<std::string>;

inline bool is_hidden(const Hidden& hidden, const FieldInfo& info) {
  return std::find(hidden.begin(), hidden.end(), info.name) != hidden.end();
}

/// Options that few people need are in a group that --help leaves out and --help-all shows.
inline constexpr const char* kExpertGroup = "Expert";
inline std::string group_of(const FieldInfo& info, const std::string& group) {
  return info.expert ? kExpertGroup : group;
}

/// Refuses what is not a finite number of the range.
inline std::function<std::string(const std::string&)> in_range(const FieldInfo& info) {
  return [info](const std::string& text) -> std::string {
    double value = 0;
    if (!CLI::detail::lexical_cast(text, value) || !std::isfinite(value)) return text + " is not a finite number";
    if (value >= info.min && value <= info.max) return {};
    return text + " is out of range: it must be " + range_text(info);
  };
}
inline std::function<std::string(const std::string&)> in_range(double min, double max) {
  return in_range({.name = "", .help = "", .min = min, .max = max});
}
inline std::function<std::string(const std::string&)> whole_in_range(const FieldInfo& info) {
  return [info](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value != std::floor(value)) {
      return text + " is not a whole number; it must be " + range_text(info);
    }
    return in_range(info)(text);
  };
}
inline std::function<std::string(const std::string&)> whole_in_range(int min, int max) {
  return whole_in_range({.name = "", .help = "", .min = static_cast<double>(min), .max = static_cast<double>(max)});
}
/// Any finite number.
inline std::function<std::string(const std::string&)> any_number() { return in_range({.name = "", .help = ""}); }

/// The help of a field: what it is, its unit, range and default.
template <class Field>
std::string field_help(const FieldInfo& info, const Field& value) {
  std::string text = info.help;
  std::string details;
  const auto add = [&](const std::string& detail) { details += (details.empty() ? "" : "; ") + detail; };
  if constexpr (std::is_enum_v<Field>) {
    add("default " + enum_name(value));
  } else if constexpr (std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>) {
    std::string range = range_text(info);
    if (*info.unit != '\0') range += std::string(range == "a number" ? ", " : " ") + info.unit;
    add(range);
    add("default " + short_number(static_cast<double>(value), 10));
  }
  return details.empty() ? text : text + " (" + details + ")";
}

/// `field` is an enum, or an optional one that stays empty where the option is not given.
template <class Enum, class Field>
void add_named_enum(CLI::App& command, Field& field, const std::string& name, const FieldInfo& info) {
  command
      .add_option_function<std::string>(
          "--" + name,
          [&field, name, alone = std::string(info.alone)](const std::string& text) {
            const auto value = parse_enum<Enum>(text.empty() ? alone : text);
            if (!value) {
              throw CLI::ValidationError("--" + name,
                                         "there is no " + text + "; choose one of " + enum_choices<Enum>());
            }
            field = *value;
          },
          field_help(info, field))
      ->type_name(enum_choices<Enum>())
      ->expected(*info.alone == '\0' ? 1 : 0, 1);
}

template <class Enum>
void add_enum_option(CLI::App& command, Enum& field, const FieldInfo& info, const std::string& group) {
  add_named_enum<Enum>(command, field, info.name, info);
  command.get_option(std::string("--") + info.name)->group(group_of(info, group));
}
template <class Enum>
void add_enum_option(CLI::App& command, std::optional<Enum>& field, const FieldInfo& info, const std::string& group) {
  add_named_enum<Enum>(command, field, info.name, info);
  command.get_option(std::string("--") + info.name)->group(group_of(info, group));
}

/// Adds one command line option for each described field of `options`. Ranges are checked when the line is parsed.
template <class Options>
void add_options(CLI::App& command, Options& options, const std::string& group, const Hidden& hidden = {}) {
  describe(options, [&](auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    if (is_hidden(hidden, info)) return;
    const std::string flag = std::string("--") + info.name;
    const std::string in = group_of(info, group);
    if constexpr (std::is_same_v<Field, bool>) {
      if (field) {
        command
            .add_flag_callback(
                std::string("--no-") + info.name, [&field] { field = false; }, std::string("without ") + info.help)
            ->group(in);
      } else {
        command.add_flag(flag, field, info.help)->group(in);
      }
    } else if constexpr (std::is_enum_v<Field>) {
      add_enum_option(command, field, info, group);
      if (*info.former != '\0') {
        add_named_enum<Field>(command, field, info.former, info);
        command.get_option(std::string("--") + info.former)->group("");
      }
    } else if constexpr (std::is_arithmetic_v<Field>) {
      command.add_option(flag, field, field_help(info, field))
          ->type_name("N")
          ->check(std::is_integral_v<Field> ? whole_in_range(info) : in_range(info))
          ->group(in);
    } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
      // One value for each flag, so that what follows is not taken for another.
      command.add_option(flag, field, info.help)->type_name("GLOB")->allow_extra_args(false)->group(in);
    } else {
      command.add_option(flag, field, info.help)->type_name("TEXT")->group(in);
    }
  });
}

/// Whether an option was on the command line, under its present or its former name.
inline bool was_given(const CLI::App& command, const FieldInfo& info) {
  for (const char* name : {info.name, info.former}) {
    const CLI::Option* option = *name == '\0' ? nullptr : command.get_option_no_throw(std::string("--") + name);
    if (option != nullptr && option->count() > 0) return true;
  }
  return false;
}

/// Copies the fields that were given on the command line.
template <class Options>
void overlay(const CLI::App& command, const Options& given, Options& onto) {
  describe(onto, [&](auto& field, const FieldInfo& info) {
    if (!was_given(command, info)) return;
    describe(given, [&](const auto& value, const FieldInfo& other) {
      if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::decay_t<decltype(value)>>) {
        if (std::string_view(info.name) == other.name) field = value;
      }
    });
  });
}

/// The options as they are used, for the report.
template <class Options>
void report_options(Json& json, const Options& options, const Hidden& hidden = {}) {
  describe(options, [&](const auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    if (is_hidden(hidden, info)) return;
    if constexpr (std::is_enum_v<Field>) {
      json[info.name] = enum_name(field);
    } else {
      json[info.name] = field;
    }
  });
}

}  // namespace isochor::cli
