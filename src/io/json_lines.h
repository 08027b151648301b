#pragma once

/// JSON with the line of every value, for files that people write by hand and want to be told about.

#include <string>
#include <string_view>
#include <vector>

#include "isochor/base/types.h"

namespace isochor::json_lines {

struct Node {
  enum class Kind { null, boolean, number, string, array, object };

  Kind kind = Kind::null;
  Index line = 0;  ///< where it begins; for a member of an object, where its key stands. 0: not known
  double number = 0;
  std::string text;               ///< of a string
  std::vector<Node> items;        ///< of an array, or an object's values
  std::vector<std::string> keys;  ///< of an object: #items, each once

  /// The member, or null.
  const Node* find(std::string_view key) const;
};

/// Throws Error(bad_input) "line N: …" for what is no JSON, for a key that an object has twice, for nesting beyond 32
/// levels and for numbers that no double can hold.
Node parse(std::string_view text);

/// Forgets all lines: for JSON that stood in another document.
void forget_lines(Node& node);

/// "line N: sentence"; the sentence alone where the line is not known.
[[noreturn]] void throw_at(const Node& node, const std::string& sentence);

}  // namespace isochor::json_lines
