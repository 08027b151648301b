#include "isochor/io/ply.h"

#include <cmath>
#include <limits>

#include "io/byte_order.h"
#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
  std::string name;
  Scalar type = Scalar::float32;
  bool list = false;
  Scalar count_type = Scalar::uint8;
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;

  Index find(std::string_view property) const {
    for (std::size_t p = 0; p < properties.size(); ++p) {
      if (properties[p].name == property) return static_cast<Index>(p);
    }
    return kNone;
  }
};

enum class Format { text, little_endian, big_endian };

struct Header {
  Format format = Format::text;
  std::vector<Element> elements;
  std::string_view body;
};

Scalar scalar(std::string_view name, Index line) {
  static constexpr std::pair<std::string_view, Scalar> kNames[] = {
      {"char", Scalar::int8},      {"int8", Scalar::int8},       {"uchar", Scalar::uint8},
      {"uint8", Scalar::uint8},    {"short", Scalar::int16},     {"int16", Scalar::int16},
      {"ushort", Scalar::uint16},  {"uint16", Scalar::uint16},   {"int", Scalar::int32},
      {"int32", Scalar::int32},    {"uint", Scalar::uint32},     {"uint32", Scalar::uint32},
      {"float", Scalar::float32},  {"float32", Scalar::float32}, {"double", Scalar::float64},
      {"float64", Scalar::float64}};
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  throw_at(line, "unknown type " + text::quoted(name));
}

class HeaderParser {
 public:
  explicit HeaderParser(std::string_view bytes) : bytes_(bytes) {}

  Header parse() {
    if (text::trim(line()) != "ply") throw_bad_input("the file does not begin with \"ply\"");
    while (true) {
      std::string_view rest = line();
      const std::string_view word = text::take_word(rest);
      if (word == "end_header") break;
      if (word == "format") {
        format(text::take_word(rest));
      } else if (word == "element") {
        element(rest);
      } else if (word == "property") {
        property(rest);
      } else if (word != "comment" && word != "obj_info" && !word.empty()) {
        throw_at(number_, text::quoted(word) + " has no place in a PLY header");
      }
    }
    header_.body = bytes_;
    return std::move(header_);
  }

 private:
  /// Line by line by hand: what follows the header may be binary and must begin at the right byte.
  std::string_view line() {
    const std::size_t end = bytes_.find_first_of("\r\n");
    if (end == std::string_view::npos) throw_bad_input("the PLY header has no end");
    const std::string_view result = bytes_.substr(0, end);
    const bool crlf = bytes_[end] == '\r' && end + 1 < bytes_.size() && bytes_[end + 1] == '\n';
    bytes_.remove_prefix(end + (crlf ? 2 : 1));
    ++number_;
    return result;
  }

  void format(std::string_view name) {
    if (name == "ascii") {
      header_.format = Format::text;
    } else if (name == "binary_little_endian") {
      header_.format = Format::little_endian;
    } else if (name == "binary_big_endian") {
      header_.format = Format::big_endian;
    } else {
      throw_at(number_, "unknown format " + text::quoted(name));
    }
  }

  void element(std::string_view rest) {
    Element element;
    element.name = text::take_word(rest);
    const auto count = text::to_integer(text::take_word(rest));
    if (!count || *count < 0) throw_at(number_, "an element has no count");
    element.count = *count;
    header_.elements.push_back(std::move(element));
  }

  void property(std::string_view rest) {
    if (header_.elements.empty()) throw_at(number_, "a property stands before the first element");
    Property property;
    std::string_view type = text::take_word(rest);
    if (type == "list") {
      property.list = true;
      property.count_type = scalar(text::take_word(rest), number_);
      type = text::take_word(rest);
    }
    property.type = scalar(type, number_);
    property.name = text::take_word(rest);
    header_.elements.back().properties.push_back(std::move(property));
  }

  std::string_view bytes_;
  Header header_;
  Index number_ = 0;
};

/// One number after another from the body.
class Body {
 public:
  explicit Body(const Header& header) : format_(header.format), bytes_(header.body), words_(header.body) {}

  double next(Scalar type) {
    if (format_ == Format::text) return number(words_.next());
    switch (type) {
      case Scalar::int8:
        return take<std::int8_t>();
      case Scalar::uint8:
        return take<std::uint8_t>();
      case Scalar::int16:
        return take<std::int16_t>();
      case Scalar::uint16:
        return take<std::uint16_t>();
      case Scalar::int32:
        return take<std::int32_t>();
      case Scalar::uint32:
        return take<std::uint32_t>();
      case Scalar::float32:
        return static_cast<double>(take<float>());
      case Scalar::float64:
        break;
    }
    return take<double>();
  }

 private:
  static double number(std::string_view word) {
    if (word.empty()) throw_bad_input("the PLY ends before its last element");
    const auto value = text::to_double(word);
    if (!value) throw_bad_input("the PLY has " + text::quoted(word) + " where a number should be");
    return *value;
  }

  template <class T>
  T take() {
    if (bytes_.size() - offset_ < sizeof(T)) throw_bad_input("the PLY ends before its last element");
    const auto order = format_ == Format::little_endian ? std::endian::little : std::endian::big;
    const T value = number_at<T>(bytes_, offset_, order);
    offset_ += sizeof(T);
    return value;
  }

  Format format_;
  std::string_view bytes_;
  std::size_t offset_ = 0;
  text::Words words_;
};

class PlyReader {
 public:
  explicit PlyReader(std::string_view bytes)
      : header_(HeaderParser(bytes).parse()), body_(header_), byte_count_(bytes.size()) {}

  Character read() {
    for (const Element& element : header_.elements) {
      // An element without properties takes no bytes: nothing bounds its count, and nothing is to be read.
      if (element.properties.empty()) continue;
      if (element.name == "vertex") {
        vertices(element);
      } else if (element.name == "face") {
        faces(element);
      } else if (element.name == "tristrips") {
        throw_unsupported("the PLY holds triangle strips, which are not read");
      } else {
        for (std::int64_t i = 0; i < element.count; ++i) row(element);
      }
    }
    check();
    Character character;
    small_.report(character.problems, Severity::note, "small-faces",
                  "{} face{|s} with fewer than three corners {was|were} left out");
    character.parts.push_back(std::move(part_));
    return character;
  }

 private:
  /// Reads one entry of an element: scalars into values_, and the list property `wanted` into list_.
  void row(const Element& element, Index wanted = kNone) {
    values_.resize(element.properties.size());
    for (std::size_t p = 0; p < element.properties.size(); ++p) {
      const Property& property = element.properties[p];
      if (!property.list) {
        values_[p] = body_.next(property.type);
        continue;
      }
      const double count = body_.next(property.count_type);
      if (!(count >= 0) || count > static_cast<double>(byte_count_) || count != std::floor(count)) {
        throw_bad_input("a list of the PLY has an impossible length");
      }
      if (static_cast<Index>(p) == wanted) list_.clear();
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double value = body_.next(property.type);
        if (static_cast<Index>(p) == wanted) list_.push_back(value);
      }
    }
  }

  void vertices(const Element& element) {
    const Index position[3] = {element.find("x"), element.find("y"), element.find("z")};
    const Index normal[3] = {element.find("nx"), element.find("ny"), element.find("nz")};
    for (const Index p : position) {
      if (p == kNone || element.properties[p].list) throw_bad_input("the vertices of the PLY have no x, y and z");
    }
    bool normals = true;
    for (const Index p : normal) normals = normals && p != kNone && !element.properties[p].list;
    for (std::int64_t v = 0; v < element.count; ++v) {
      row(element);
      const Vec3 x(values_[position[0]], values_[position[1]], values_[position[2]]);
      if (!x.allFinite())
        throw_bad_input("vertex " + std::to_string(v) + " of the PLY is not finite", static_cast<Index>(v));
      part_.surface.positions.push_back(x);
      if (!normals) continue;
      const Vec3 n(values_[normal[0]], values_[normal[1]], values_[normal[2]]);
      part_.normals.push_back(n.allFinite() ? n : Vec3::Zero());
    }
  }

  void faces(const Element& element) {
    Index list = element.find("vertex_indices");
    if (list == kNone) list = element.find("vertex_index");
    if (list == kNone || !element.properties[list].list)
      throw_bad_input("the faces of the PLY have no list of vertices");
    std::vector<Index> corners;
    for (std::int64_t f = 0; f < element.count; ++f) {
      row(element, list);
      corners.clear();
      for (const double index : list_) {
        if (!(index >= 0) || index >= static_cast<double>(std::numeric_limits<Index>::max()) ||
            index != std::floor(index)) {
          throw_bad_input("face " + std::to_string(f) + " of the PLY refers to a vertex that is not in the file",
                          static_cast<Index>(f));
        }
        corners.push_back(static_cast<Index>(index));
      }
      if (corners.size() < 3) {
        small_.add(static_cast<Index>(f));
      } else {
        part_.surface.add_face(corners);
      }
    }
  }

  void check() const {
    if (part_.surface.face_count() == 0) throw_bad_input("the PLY has no face");
    for (std::size_t f = 0; f < part_.surface.face_count(); ++f) {
      for (const Index v : part_.surface.face(f)) {
        if (static_cast<std::size_t>(v) < part_.surface.vertex_count()) continue;
        throw_bad_input("face " + std::to_string(f) + " of the PLY refers to a vertex that is not in the file",
                        static_cast<Index>(f));
      }
    }
  }

  Header header_;
  Body body_;
  std::size_t byte_count_;
  Part part_;
  std::vector<double> values_;
  std::vector<double> list_;
  ProblemCollector small_;
};

}  // namespace

Character parse_ply(std::string_view bytes) { return PlyReader(bytes).read(); }

Character read_ply(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_ply(bytes);
    character.name = character.parts[0].name = path.stem().string();
    return character;
  });
}

}  // namespace isochor
