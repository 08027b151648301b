#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/assimp_guard.h"
#include "io/text.h"

namespace isochor {

namespace {

constexpr std::size_t kMaxXmlDepth = 256;
/// Above any stride that a mesh has, below what would overflow.
constexpr std::int64_t kMaxOffset = 1000;
constexpr std::int64_t kMaxCount = std::numeric_limits<Index>::max();

struct XmlNode {
  std::string_view name;
  std::map<std::string_view, std::string_view> attributes;
  std::string_view content;  ///< the text directly after the start tag
  std::vector<XmlNode> children;

  const XmlNode* child(std::string_view wanted) const {
    const auto found =
        std::find_if(children.begin(), children.end(), [&](const XmlNode& n) { return n.name == wanted; });
    return found == children.end() ? nullptr : &*found;
  }
};

/// As much of XML as it takes to look at a COLLADA document.
class Xml {
 public:
  explicit Xml(std::string_view bytes) : rest_(bytes) {}

  XmlNode parse() {
    XmlNode document;
    elements(document, 0);
    return document;
  }

 private:
  [[noreturn]] static void broken(const char* what) {
    throw_bad_input(std::string("the XML of the COLLADA file ") + what);
  }

  std::string_view take_until(std::string_view mark) {
    const std::size_t end = rest_.find(mark);
    if (end == std::string_view::npos) broken("ends in the middle");
    const std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(end + mark.size());
    return result;
  }

  /// Children of `parent` up to its end tag (or the end of the document).
  void elements(XmlNode& parent, std::size_t depth) {
    if (depth > kMaxXmlDepth) broken("is nested too deep");
    while (true) {
      const std::size_t open = rest_.find('<');
      if (open == std::string_view::npos) {
        if (depth > 0) broken("ends before its last element does");
        return;
      }
      if (parent.children.empty() && parent.content.empty()) parent.content = rest_.substr(0, open);
      rest_.remove_prefix(open + 1);
      if (rest_.starts_with("!--")) {
        take_until("-->");
      } else if (rest_.starts_with("!")) {
        broken("has a document type or raw text, which COLLADA does not need");
      } else if (rest_.starts_with("?")) {
        take_until("?>");
      } else if (rest_.starts_with("/")) {
        rest_.remove_prefix(1);
        if (depth == 0 || without_blanks(take_until(">")) != parent.name) broken("closes an element that is not open");
        return;
      } else {
        element(parent, depth);
      }
    }
  }

  void element(XmlNode& parent, std::size_t depth) {
    XmlNode node;
    std::string_view tag = take_until(">");
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::size_t name_end = tag.find_first_of(" \t\r\n");
    node.name = tag.substr(0, name_end);
    if (node.name.empty()) broken("has an element without a name");
    if (name_end != std::string_view::npos) attributes(tag.substr(name_end), node);
    if (!empty) elements(node, depth + 1);
    parent.children.push_back(std::move(node));
  }

  static void attributes(std::string_view tag, XmlNode& node) {
    for (tag = without_blanks(tag); !tag.empty(); tag = without_blanks(tag)) {
      const std::size_t equals = tag.find('=');
      if (equals == std::string_view::npos || equals + 1 >= tag.size()) broken("has a broken attribute");
      const char quote = tag[equals + 1];
      const std::size_t end = quote == '"' || quote == '\'' ? tag.find(quote, equals + 2) : std::string_view::npos;
      if (end == std::string_view::npos) broken("has an attribute without quotes");
      node.attributes[without_blanks(tag.substr(0, equals))] = tag.substr(equals + 2, end - equals - 2);
      tag.remove_prefix(end + 1);
    }
  }

  static std::string_view without_blanks(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
  }

  std::string_view rest_;
};

[[noreturn]] void contradiction(const XmlNode& node) {
  throw_bad_input("the element <" + std::string(node.name.substr(0, 40)) + "> of the COLLADA file contradicts itself");
}

std::int64_t attribute(const XmlNode& node, std::string_view name, std::int64_t otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const auto value = text::to_integer(text::trim(found->second));
  if (!value || *value < 0) contradiction(node);
  return *value;
}

/// The words of an element, each a whole number not below `lowest`.
struct Integers {
  std::int64_t count = 0;
  std::int64_t sum = 0;
};
Integers integers(const XmlNode& node, std::int64_t lowest) {
  Integers result;
  text::Words words(node.content);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const auto value = text::to_integer(word);
    if (!value || *value < lowest || *value > std::numeric_limits<Index>::max()) contradiction(node);
    ++result.count;
    result.sum += *value;
  }
  return result;
}

std::int64_t count_words(const XmlNode& node) {
  std::int64_t count = 0;
  text::Words words(node.content);
  while (!words.next().empty()) ++count;
  return count;
}

void check_numbers(const XmlNode& node) {
  text::Words words(node.content);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (!text::to_double(word)) contradiction(node);
  }
}

/// Numbers that each corner (or influence) has in <p> or <v>: one more than the highest offset.
std::int64_t stride_of(const XmlNode& node) {
  std::int64_t stride = 1;
  for (const XmlNode& child : node.children) {
    if (child.name != "input") continue;
    if (child.attributes.count("semantic") == 0 || child.attributes.count("source") == 0) contradiction(child);
    const std::int64_t offset = attribute(child, "offset", 0);
    if (offset > kMaxOffset) contradiction(child);
    stride = std::max(stride, offset + 1);
  }
  return stride;
}

void check_lists(const XmlNode& node, std::string_view indices, std::int64_t fixed_corners) {
  const std::int64_t stride = stride_of(node);
  const std::int64_t count = attribute(node, "count", 0);
  const XmlNode* vcount = node.child("vcount");
  const XmlNode* list = node.child(indices);
  std::int64_t corners = fixed_corners > 0 ? (count <= kMaxCount ? count * fixed_corners : -1) : 0;
  if (fixed_corners == 0) {
    const Integers sizes = vcount == nullptr ? Integers{} : integers(*vcount, 0);
    if (sizes.count != count) contradiction(node);
    corners = sizes.sum;
  }
  const std::int64_t words = list == nullptr ? 0 : integers(*list, -1).count;
  if (words != corners * stride) contradiction(node);
}

/// An accessor may not reach beyond the array beside it.
void check_source(const XmlNode& source) {
  std::int64_t available = -1;
  for (const XmlNode& child : source.children) {
    if (child.name != "float_array" && child.name != "Name_array" && child.name != "IDREF_array" &&
        child.name != "int_array")
      continue;
    available = count_words(child);
    if (attribute(child, "count", 0) != available) contradiction(child);
    if (child.name == "float_array" || child.name == "int_array") check_numbers(child);
  }
  const XmlNode* common = source.child("technique_common");
  const XmlNode* accessor = common == nullptr ? nullptr : common->child("accessor");
  if (accessor == nullptr || available < 0) return;
  const std::int64_t count = attribute(*accessor, "count", 0);
  const std::int64_t stride = attribute(*accessor, "stride", 1);
  const std::int64_t offset = attribute(*accessor, "offset", 0);
  if (stride < 1 || stride > kMaxOffset || count > kMaxCount || offset > kMaxCount ||
      offset + count * stride > available) {
    contradiction(*accessor);
  }
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void check_node(const XmlNode& node) {
  const std::map<std::string_view, std::int64_t> fixed = {
      {"matrix", 16}, {"bind_shape_matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}, {"lookat", 9}};
  if (const auto size = fixed.find(node.name); size != fixed.end()) {
    check_numbers(node);
    if (count_words(node) != size->second) contradiction(node);
  }
  if (is_one_of(node.name, {"color", "float", "skew", "IOR"})) check_numbers(node);
  if (is_one_of(node.name, {"vertices", "joints", "sampler"})) stride_of(node);
  if (node.name == "source" && !node.children.empty()) check_source(node);
  if (node.name == "polylist") check_lists(node, "p", 0);
  if (node.name == "triangles") check_lists(node, "p", 3);
  if (node.name == "vertex_weights") check_lists(node, "v", 0);
  if (is_one_of(node.name, {"p", "v", "vcount", "h"})) integers(node, -1);
}

void check_all(const XmlNode& root) {
  std::vector<const XmlNode*> open = {&root};
  while (!open.empty()) {
    const XmlNode* node = open.back();
    open.pop_back();
    check_node(*node);
    for (const XmlNode& child : node->children) open.push_back(&child);
  }
}

/// What elements that refer to each other by id have to agree on.
class References {
 public:
  explicit References(const XmlNode& document) {
    std::vector<const XmlNode*> open = {&document};
    while (!open.empty()) {
      const XmlNode* node = open.back();
      open.pop_back();
      if (const auto id = node->attributes.find("id"); id != node->attributes.end()) by_id_.emplace(id->second, node);
      if (node->name == "skin") skins_.push_back(node);
      for (const XmlNode& child : node->children) open.push_back(&child);
    }
  }

  void check() const {
    for (const XmlNode* skin : skins_) check_skin(*skin);
  }

 private:
  const XmlNode* target(const XmlNode& node, std::string_view attribute_name) const {
    const auto reference = node.attributes.find(attribute_name);
    if (reference == node.attributes.end() || !reference->second.starts_with('#')) return nullptr;
    const auto found = by_id_.find(reference->second.substr(1));
    return found == by_id_.end() ? nullptr : found->second;
  }

  /// How many entries the source has that an <input> refers to; 0 where there is none.
  std::int64_t entries(const XmlNode& input) const {
    const XmlNode* source = target(input, "source");
    const XmlNode* common = source == nullptr ? nullptr : source->child("technique_common");
    const XmlNode* accessor = common == nullptr ? nullptr : common->child("accessor");
    return accessor == nullptr ? 0 : attribute(*accessor, "count", 0);
  }

  /// Every vertex of the skinned mesh has its weights, and these refer to joints and weights that are there.
  void check_skin(const XmlNode& skin) const {
    const XmlNode* weights = skin.child("vertex_weights");
    if (weights == nullptr) contradiction(skin);
    if (attribute(*weights, "count", 0) != vertex_count(target(skin, "source"))) contradiction(*weights);
    std::vector<std::int64_t> limits(static_cast<std::size_t>(stride_of(*weights)), kMaxCount);
    for (const XmlNode& input : weights->children) {
      if (input.name != "input") continue;
      std::int64_t& limit = limits[static_cast<std::size_t>(attribute(input, "offset", 0))];
      limit = std::min(limit, entries(input));
    }
    const XmlNode* list = weights->child("v");
    if (list == nullptr) return;
    text::Words words(list->content);
    std::size_t column = 0;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const std::int64_t value = text::to_integer(word).value_or(-1);
      if (value < 0 || value >= limits[column]) contradiction(*list);
      column = (column + 1) % limits.size();
    }
  }

  /// The positions of a geometry; -1 where it is not what a skin may be for.
  std::int64_t vertex_count(const XmlNode* geometry) const {
    const XmlNode* mesh = geometry == nullptr ? nullptr : geometry->child("mesh");
    const XmlNode* vertices = mesh == nullptr ? nullptr : mesh->child("vertices");
    if (vertices == nullptr) return -1;
    for (const XmlNode& input : vertices->children) {
      const auto semantic = input.attributes.find("semantic");
      if (input.name == "input" && semantic != input.attributes.end() && semantic->second == "POSITION")
        return entries(input);
    }
    return -1;
  }

  std::map<std::string_view, const XmlNode*> by_id_;
  std::vector<const XmlNode*> skins_;
};

}  // namespace

void check_collada(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) throw_bad_input("the COLLADA file holds bytes that are no text");
  const XmlNode document = Xml(bytes).parse();
  if (document.child("COLLADA") == nullptr) throw_bad_input("the file has no COLLADA element");
  check_all(document);
  References(document).check();
}

}  // namespace isochor
