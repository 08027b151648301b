#include "isochor/io/stl.h"

#include <cmath>

#include "io/byte_order.h"
#include "io/text.h"
#include "isochor/mesh/weld.h"

namespace isochor {

namespace {

constexpr std::size_t kHead = 84;      // 80 bytes of anything, and the count
constexpr std::size_t kTriangle = 50;  // normal, three corners, two bytes of anything

/// Every face with vertices of its own, as the file has them.
struct Soup {
  Surface surface;
  std::vector<Vec3> normals;  // #F
};

Soup parse_binary(std::string_view bytes) {
  const auto count = number_at<std::uint32_t>(bytes, 80);
  Soup soup;
  for (std::size_t t = 0; t < count; ++t) {
    std::array<double, 12> x;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<double>(number_at<float>(bytes, kHead + t * kTriangle + 4 * i));
    }
    const auto first = static_cast<Index>(soup.surface.vertex_count());
    soup.normals.emplace_back(x[0], x[1], x[2]);
    for (std::size_t c = 3; c < 12; c += 3) {
      if (!std::isfinite(x[c]) || !std::isfinite(x[c + 1]) || !std::isfinite(x[c + 2])) {
        throw_bad_input("triangle " + std::to_string(t) + " has a corner that is not finite", static_cast<Index>(t));
      }
      soup.surface.positions.emplace_back(x[c], x[c + 1], x[c + 2]);
    }
    soup.surface.add_face({first, first + 1, first + 2});
  }
  return soup;
}

class TextStl {
 public:
  explicit TextStl(std::string_view text) : words_(text) {}

  Soup parse() {
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next()) {
      if (word == "solid" || word == "endsolid") {
        words_.rest_of_line();
      } else if (word == "normal") {
        normal_ = vec3();
      } else if (word == "vertex") {
        soup_.surface.positions.push_back(vec3());
      } else if (word == "endloop") {
        end_face();
      } else if (word != "facet" && word != "outer" && word != "loop" && word != "endfacet") {
        text::throw_at(words_.line(), text::quoted(word) + " has no place in an STL");
      }
    }
    if (soup_.surface.vertex_count() != soup_.surface.corners.size()) throw_bad_input("the STL ends inside a facet");
    return std::move(soup_);
  }

 private:
  Vec3 vec3() {
    const double x = words_.finite();
    const double y = words_.finite();
    return {x, y, words_.finite()};
  }

  void end_face() {
    std::vector<Index> corners;
    for (std::size_t v = soup_.surface.corners.size(); v < soup_.surface.vertex_count(); ++v) {
      corners.push_back(static_cast<Index>(v));
    }
    if (corners.size() < 3) text::throw_at(words_.line(), "a facet has fewer than three vertices");
    soup_.surface.add_face(corners);
    soup_.normals.push_back(normal_);
  }

  text::Words words_;
  Soup soup_;
  Vec3 normal_ = Vec3::Zero();
};

/// Binary files may begin with "solid" too: an exact size says more than that word.
Soup parse_soup(std::string_view bytes) {
  const std::uint64_t needed =
      bytes.size() < kHead ? kHead : kHead + kTriangle * std::uint64_t{number_at<std::uint32_t>(bytes, 80)};
  if (bytes.size() == needed && bytes.size() > kHead) return parse_binary(bytes);
  std::string_view start = bytes.substr(0, kHead);
  if (text::Words(start).next() == "solid") return TextStl(bytes).parse();
  if (bytes.size() < needed) throw_bad_input("the file is neither a text STL nor a complete binary one");
  return parse_binary(bytes);
}

}  // namespace

Character parse_stl(std::string_view bytes) {
  const Soup soup = parse_soup(bytes);
  if (soup.surface.face_count() == 0) throw_bad_input("the STL has no triangle");
  Weld welded = weld(soup.surface, {.tolerance = 0});
  Character character;
  ProblemCollector dropped;
  for (const Index f : welded.dropped_faces) dropped.add(f);
  dropped.report(character.problems, Severity::note, "degenerate-faces",
                 "{} triangle{|s} whose corners fall together {was|were} left out");
  if (welded.surface.face_count() == 0) throw_bad_input("the corners of every triangle of the STL fall together");

  Part part;
  part.surface = std::move(welded.surface);
  for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
    const Vec3& normal = soup.normals[welded.face_source[f]];
    if (!normal.allFinite() || normal.squaredNorm() == 0) {
      part.corner_normals.clear();
      break;
    }
    part.corner_normals.insert(part.corner_normals.end(), part.surface.face(f).size(), normal.cast<float>());
  }
  character.parts.push_back(std::move(part));
  return character;
}

Character read_stl(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_stl(bytes);
    character.name = character.parts[0].name = path.stem().string();
    return character;
  });
}

}  // namespace isochor
