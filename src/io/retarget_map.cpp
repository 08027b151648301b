#include "isochor/io/retarget_map.h"

#include "io/text.h"

namespace isochor {

namespace {

/// A plain word, or one in double quotes. '#' begins a comment only where a word could begin: names may contain it.
std::string_view take_name(std::string_view& rest, Index line) {
  rest = text::trim(rest);
  if (rest.empty() || rest.front() == '#') return rest = {};
  if (rest.front() != '"') return text::take_word(rest);
  const std::size_t end = rest.find('"', 1);
  if (end == std::string_view::npos) text::throw_at(line, "a quote is not closed");
  const std::string_view name = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return name;
}

}  // namespace

JointNameMap parse_retarget_map(std::string_view text) {
  JointNameMap map;
  text::Lines lines(text);
  std::string_view rest;
  while (lines.next(rest)) {
    const std::string_view source = take_name(rest, lines.number());
    if (source.empty()) continue;
    const std::string_view target = take_name(rest, lines.number());
    if (target.empty()) text::throw_at(lines.number(), "a line needs two names: source and target");
    if (!take_name(rest, lines.number()).empty()) {
      text::throw_at(lines.number(), "a line has more than two names; names with blanks stand in double quotes");
    }
    map.emplace_back(source, target == "-" ? "" : target);
  }
  return map;
}

JointNameMap read_retarget_map(const std::filesystem::path& path) {
  return text::read_named(path, [](std::string_view bytes) { return parse_retarget_map(bytes); });
}

}  // namespace isochor
