#include "io/json_lines.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/text.h"
#include "isochor/base/error.h"

namespace isochor::json_lines {
namespace {

constexpr std::size_t kMaxDepth = 32;

/// How far the parser has read. It looks at most one character beyond a value, and that only after a number.
class Position {
 public:
  explicit Position(std::string_view text) : text_(text) {}
  void read_to(const char* end) { read_ = static_cast<std::size_t>(end - text_.data()); }
  /// The line of the last character that was read.
  Index line() {
    const std::size_t last = read_ > 0 ? read_ - 1 : 0;
    line_ +=
        static_cast<Index>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                      text_.begin() + static_cast<std::ptrdiff_t>(std::max(last, counted_)), '\n'));
    counted_ = std::max(last, counted_);
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t read_ = 0, counted_ = 0;
  Index line_ = 1;
};

/// An iterator over the text that tells the position how far it got.
class Reader {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, Position& position) : at_(at), position_(&position) {}
  reference operator*() const { return *at_; }
  Reader& operator++() {
    position_->read_to(++at_);
    return *this;
  }
  Reader operator++(int) {
    Reader before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Reader& other) const { return at_ == other.at_; }
  bool operator!=(const Reader& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Position* position_;
};

using Json = nlohmann::ordered_json;

class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Position& position) : position_(position) {}

  bool null() override { return add(Node::Kind::null), true; }
  bool boolean(bool) override { return add(Node::Kind::boolean), true; }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    add(Node::Kind::string).text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Node::Kind::object); }
  bool start_array(std::size_t) override { return open(Node::Kind::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_line_ = position_.line();
    if (!seen_.back().insert(value).second) {
      text::throw_at(key_line_, "the key " + text::quoted(value) + " stands twice in one object");
    }
    open_.back()->keys.push_back(std::move(value));
    return true;
  }
  bool parse_error(std::size_t, const std::string& token, const nlohmann::json::exception& error) override {
    if (std::string_view(error.what()).find("unexpected end of input") != std::string_view::npos) {
      text::throw_at(position_.line(), "the JSON ends too early");
    }
    // The parser's last token begins where it began to make no sense, and writes line ends as <U+000A>.
    constexpr std::string_view kLineEnd = "<U+000A>";
    std::string_view near = token;
    const std::size_t end = near.rfind(kLineEnd);
    if (end != std::string_view::npos) near.remove_prefix(end + kLineEnd.size());
    text::throw_at(position_.line(), "the JSON is broken at " + text::quoted(text::trim(near)));
  }

  Node take() { return std::move(root_); }

 private:
  Node& add(Node::Kind kind) {
    Node node;
    node.kind = kind;
    const bool member = !open_.empty() && open_.back()->kind == Node::Kind::object;
    node.line = member ? key_line_ : position_.line();
    if (open_.empty()) return root_ = std::move(node);
    return open_.back()->items.emplace_back(std::move(node));
  }
  bool number(double value) {
    add(Node::Kind::number).number = value;
    return true;
  }
  bool open(Node::Kind kind) {
    if (open_.size() >= kMaxDepth) {
      text::throw_at(position_.line(), "the JSON is nested more than " + std::to_string(kMaxDepth) + " levels deep");
    }
    // A node can move only when its parent grows, and the parent does not grow while the node is open.
    open_.push_back(&add(kind));
    seen_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    seen_.pop_back();
    return true;
  }

  Position& position_;
  Node root_;
  std::vector<Node*> open_;
  std::vector<std::set<std::string>> seen_;  // keys of the open objects
  Index key_line_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

Node parse(std::string_view text) {
  Position position(text);
  Builder builder(position);
  Json::sax_parse(Reader(text.data(), position), Reader(text.data() + text.size(), position), &builder);
  return builder.take();
}

void forget_lines(Node& node) {
  node.line = 0;
  for (Node& item : node.items) forget_lines(item);
}

void throw_at(const Node& node, const std::string& sentence) {
  if (node.line == 0) throw_bad_input(sentence);
  text::throw_at(node.line, sentence);
}

}  // namespace isochor::json_lines
