#pragma once

/// Turns an options struct into command line options, help and report fields, by its describe().

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "isochor/base/options.h"
#include "session.h"

namespace isochor::cli {

/// Options of this name are left out, because the subcommand sets them itself.
using Hidden = std::vector<std::string>;

template <class Enum>
std::string enum_choices() {
  std::string text;
  for (const char* name : EnumNames<Enum>::names) text += (text.empty() ? "" : "|") + std::string(name);
  return text;
}

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
    add("default " + number(static_cast<double>(value), 10));
  }
  return details.empty() ? text : text + " (" + details + ")";
}

template <class Enum>
void add_enum_option(CLI::App& command, Enum& field, const FieldInfo& info, const std::string& group) {
  command
      .add_option_function<std::string>(
          std::string("--") + info.name,
          [&field, name = std::string(info.name)](const std::string& text) {
            const auto& names = EnumNames<Enum>::names;
            for (std::size_t i = 0; i < names.size(); ++i) {
              if (text == names[i]) {
                field = static_cast<Enum>(i);
                return;
              }
            }
            throw CLI::ValidationError("--" + name, "there is no " + text + "; choose one of " + enum_choices<Enum>());
          },
          field_help(info, field))
      ->type_name(enum_choices<Enum>())
      ->group(group);
}

/// Adds one command line option for each described field of `options`. Ranges are checked when the line is parsed.
template <class Options>
void add_options(CLI::App& command, Options& options, const std::string& group, const Hidden& hidden = {}) {
  describe(options, [&](auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    for (const std::string& name : hidden) {
      if (name == info.name) return;
    }
    const std::string flag = std::string("--") + info.name;
    if constexpr (std::is_same_v<Field, bool>) {
      if (field) {
        command
            .add_flag_callback(
                std::string("--no-") + info.name, [&field] { field = false; }, std::string("without ") + info.help)
            ->group(group);
      } else {
        command.add_flag(flag, field, info.help)->group(group);
      }
    } else if constexpr (std::is_enum_v<Field>) {
      add_enum_option(command, field, info, group);
    } else if constexpr (std::is_arithmetic_v<Field>) {
      command.add_option(flag, field, field_help(info, field))
          ->type_name("N")
          ->check([info](const std::string& text) -> std::string {
            double value = 0;
            if (!CLI::detail::lexical_cast(text, value)) return text + " is not a number";
            if (value >= info.min && value <= info.max) return {};
            return std::string("must be ") + range_text(info);
          })
          ->group(group);
    } else if constexpr (std::is_same_v<Field, std::vector<std::string>>) {
      // One value a flag, so that what follows is not taken for another.
      command.add_option(flag, field, info.help)->type_name("GLOB")->allow_extra_args(false)->group(group);
    } else {
      command.add_option(flag, field, info.help)->type_name("TEXT")->group(group);
    }
  });
}

/// The options as they are used, for the report.
template <class Options>
void report_options(Json& json, const Options& options, const Hidden& hidden = {}) {
  describe(options, [&](const auto& field, const FieldInfo& info) {
    using Field = std::decay_t<decltype(field)>;
    for (const std::string& name : hidden) {
      if (name == info.name) return;
    }
    if constexpr (std::is_enum_v<Field>) {
      json[info.name] = enum_name(field);
    } else {
      json[info.name] = field;
    }
  });
}

}  // namespace isochor::cli
