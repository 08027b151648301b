#pragma once

/// What the readers and writers of text formats share: lines, words, numbers, whole files.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/base/types.h"
#include "isochor/io/atomic_file.h"

namespace isochor::text {

/// Below this every count that a text can hold fits an Index.
inline constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << 31) - 1;

/// Calls read(bytes of the file); an Error from it is thrown on with the file's name before the sentence.
template <class Read>
auto read_named(const std::filesystem::path& path, Read&& read, std::uint64_t max_bytes = kMaxBytes) {
  const std::vector<std::uint8_t> bytes = read_file(path, max_bytes);
  try {
    return std::forward<Read>(read)(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  } catch (const Error& error) {
    throw Error(error.kind(), path.filename().string() + ": " + error.what(), error.element());
  }
}

/// Lines without their ends (LF, CRLF or CR), and their numbers from 1.
class Lines {
 public:
  enum class Continuation { none, backslash };

  explicit Lines(std::string_view text, Continuation continuation = Continuation::none)
      : rest_(text), continuation_(continuation) {}

  /// False at the end. `line` stays valid until the next call. Lines that end in a backslash are joined where asked.
  bool next(std::string_view& line);
  Index number() const { return number_; }

 private:
  std::string_view raw_line();

  std::string_view rest_;
  Continuation continuation_;
  std::string joined_;
  Index number_ = 0;
  Index pending_ = 1;
};

/// Words of a text in which line ends do not count, with the lines they stand in.
class Words {
 public:
  /// `comment`: from this character to the end of its line nothing is read; 0: there are no comments.
  explicit Words(std::string_view text, char comment = 0) : lines_(text), comment_(comment) {}

  /// Empty at the end of the text.
  std::string_view next();
  /// Takes what is left of the line, without blanks at both ends.
  std::string_view rest_of_line();
  Index line() const { return lines_.number(); }

  /// The next word as a finite number; throws Error(bad_input) "line N: …".
  double finite();
  /// The next word as a whole number.
  std::int64_t integer();

 private:
  Lines lines_;
  char comment_;
  std::string_view rest_;
};

/// Takes the next word (separated by blanks and tabs) off the front of `rest`; empty where there is none.
std::string_view take_word(std::string_view& rest);
/// Without blanks at both ends.
std::string_view trim(std::string_view text);
std::string_view without_comment(std::string_view line, char mark = '#');
/// ASCII letters in lower case.
std::string lower(std::string_view word);
/// Of a file: in lower case, without the dot.
std::string extension_of(const std::filesystem::path& path);

/// The whole word as a number; nothing where it is none. Numbers too large become infinite, too small zero.
std::optional<double> to_double(std::string_view word);
std::optional<std::int64_t> to_integer(std::string_view word);

/// The next word as a finite number; throws Error(bad_input) "line N: WHAT …".
double take_finite(std::string_view& rest, Index line, std::string_view what);
Vec3 take_vec3(std::string_view& rest, Index line, std::string_view what);

[[noreturn]] void throw_at(Index line, const std::string& sentence);

/// Words come from files: at most 40 printable characters of one, in quotes, for use in a sentence.
std::string quoted(std::string_view word);

/// Appends the shortest text that reads back to the same number.
void append_number(std::string& out, double value);
void append_number(std::string& out, float value);
void append_number(std::string& out, std::int64_t value);

}  // namespace isochor::text
