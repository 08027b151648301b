#include "io/text.h"

#include <cmath>
#include <limits>

#include "base/numerals.h"

namespace isochor::text {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

template <class Number>
void append_shortest(std::string& out, Number value) {
  char buffer[64];
  out.append(buffer, write_shortest(buffer, buffer + sizeof buffer, value));
}

}  // namespace

std::string_view Lines::raw_line() {
  const std::size_t end = rest_.find_first_of("\r\n");
  const std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    rest_ = {};
  } else {
    const bool crlf = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
    rest_.remove_prefix(end + (crlf ? 2 : 1));
  }
  return line;
}

bool Lines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  number_ = pending_++;
  line = raw_line();
  if (continuation_ == Continuation::none || line.empty() || line.back() != '\\') return true;
  joined_.clear();
  while (!line.empty() && line.back() == '\\') {
    joined_.append(line.substr(0, line.size() - 1)).push_back(' ');
    if (rest_.empty()) {
      line = {};
      break;
    }
    ++pending_;
    line = raw_line();
  }
  joined_.append(line);
  line = joined_;
  return true;
}

std::string_view Words::next() {
  std::string_view word = take_word(rest_);
  while (word.empty()) {
    if (!lines_.next(rest_)) return {};
    if (comment_ != 0) rest_ = without_comment(rest_, comment_);
    word = take_word(rest_);
  }
  return word;
}

std::string_view Words::rest_of_line() {
  const std::string_view line = trim(rest_);
  rest_ = {};
  return line;
}

double Words::finite() {
  const std::string_view word = next();
  if (word.empty()) throw_bad_input("the file ends where a number should be");
  const auto value = to_double(word);
  if (!value) throw_at(line(), quoted(word) + " stands where a number should");
  if (!std::isfinite(*value)) throw_at(line(), "a number is not finite");
  return *value;
}

std::int64_t Words::integer() {
  const std::string_view word = next();
  if (word.empty()) throw_bad_input("the file ends where a number should be");
  const auto value = to_integer(word);
  if (!value) throw_at(line(), quoted(word) + " stands where a whole number should");
  return *value;
}

std::string_view take_word(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && is_blank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !is_blank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view without_comment(std::string_view line, char mark) { return line.substr(0, line.find(mark)); }

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string extension_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension.empty() ? extension : lower(std::string_view(extension).substr(1));
}

std::optional<double> to_double(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = parse_number(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not say in which direction the number left the range; its exponent does.
    const std::size_t e = word.find_first_of("eE");
    if (e != std::string_view::npos && e + 1 < word.size() && word[e + 1] == '-') return 0.0;
    return word.front() == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return value;
}

std::optional<std::int64_t> to_integer(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

double take_finite(std::string_view& rest, Index line, std::string_view what) {
  const std::string_view word = take_word(rest);
  if (word.empty()) throw_at(line, std::string(what) + " has too few numbers");
  const auto value = to_double(word);
  if (!value) throw_at(line, std::string(what) + " has " + quoted(word) + " where a number should be");
  if (!std::isfinite(*value)) throw_at(line, std::string(what) + " has a number that is not finite");
  return *value;
}

Vec3 take_vec3(std::string_view& rest, Index line, std::string_view what) {
  const double x = take_finite(rest, line, what);
  const double y = take_finite(rest, line, what);
  const double z = take_finite(rest, line, what);
  return {x, y, z};
}

void throw_at(Index line, const std::string& sentence) {
  throw_bad_input("line " + std::to_string(line) + ": " + sentence);
}

std::string quoted(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string out = "\"";
  for (const char c : word.substr(0, kLongest)) out.push_back(c >= ' ' && c < 127 ? c : '?');
  out += word.size() > kLongest ? "…\"" : "\"";
  return out;
}

void append_number(std::string& out, double value) { append_shortest(out, value); }
void append_number(std::string& out, float value) { append_shortest(out, value); }
void append_number(std::string& out, std::int64_t value) { append_shortest(out, value); }

}  // namespace isochor::text
