#include "isochor/io/medit.h"

#include <array>

#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

bool is_keyword(std::string_view word) { return !word.empty() && word[0] >= 'A' && word[0] <= 'Z'; }

class MeditParser {
 public:
  explicit MeditParser(std::string_view text) : words_(text, '#') {}

  Character parse() {
    std::string_view word = words_.next();
    if (word != "MeshVersionFormatted")
      throw_bad_input("the file does not begin with MeshVersionFormatted: it is no MEDIT mesh");
    words_.integer();
    word = words_.next();
    while (!word.empty() && word != "End") word = section(word);
    check();
    Character character;
    if (skipped_ > 0) {
      character.problems.push_back({Severity::note,
                                    "medit-sections-skipped",
                                    "the surface alone is read; sections left out: " + skipped_names_,
                                    {},
                                    skipped_});
    }
    Part part;
    part.surface = std::move(surface_);
    character.parts.push_back(std::move(part));
    return character;
  }

 private:
  /// Reads one section; returns the keyword of the next.
  std::string_view section(std::string_view keyword) {
    if (keyword == "Dimension") {
      if (words_.integer() != 3) throw_at(words_.line(), "only MEDIT meshes of dimension 3 can be read");
    } else if (keyword == "Vertices") {
      vertices();
    } else if (keyword == "Triangles") {
      faces(3);
    } else if (keyword == "Quadrilaterals") {
      faces(4);
    } else if (is_keyword(keyword)) {
      return skip(keyword);
    } else {
      throw_at(words_.line(), text::quoted(keyword) + " stands where a section should begin");
    }
    return words_.next();
  }

  void vertices() {
    const std::int64_t count = words_.integer();
    for (std::int64_t v = 0; v < count; ++v) {
      const double x = words_.finite();
      const double y = words_.finite();
      surface_.positions.emplace_back(x, y, words_.finite());
      words_.finite();  // the reference number; some writers put a real number there
    }
  }

  void faces(std::size_t corners) {
    const std::int64_t count = words_.integer();
    for (std::int64_t f = 0; f < count; ++f) {
      std::array<Index, 4> face{};
      for (std::size_t c = 0; c < corners; ++c) {
        const std::int64_t v = words_.integer();
        if (v < 1 || v > std::numeric_limits<Index>::max()) {
          throw_at(words_.line(), "a face refers to vertex " + std::to_string(v) + ", which is not in the file");
        }
        face[c] = static_cast<Index>(v - 1);
      }
      words_.finite();
      surface_.add_face(std::span(face.data(), corners));
    }
  }

  std::string_view skip(std::string_view keyword) {
    ++skipped_;
    if (skipped_ <= 8) skipped_names_ += (skipped_ == 1 ? "" : ", ") + std::string(keyword.substr(0, 40));
    std::string_view word = words_.next();
    while (!word.empty() && !is_keyword(word)) word = words_.next();
    return word;
  }

  void check() const {
    if (surface_.face_count() == 0)
      throw_bad_input("the MEDIT mesh has no surface: neither Triangles nor Quadrilaterals");
    for (const Index v : surface_.corners) {
      if (static_cast<std::size_t>(v) >= surface_.vertex_count()) {
        throw_bad_input("a face refers to vertex " + std::to_string(v + std::int64_t{1}) +
                        ", which is not in the file");
      }
    }
  }

  text::Words words_;
  Surface surface_;
  std::int64_t skipped_ = 0;
  std::string skipped_names_;
};

}  // namespace

Character parse_medit(std::string_view text) { return MeditParser(text).parse(); }

Character read_medit(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_medit(bytes);
    character.name = path.stem().string();
    character.parts[0].name = character.name;
    return character;
  });
}

}  // namespace isochor
