#include "isochor/io/off.h"

#include "io/text.h"

namespace isochor {

namespace {

using text::throw_at;

class OffParser {
 public:
  explicit OffParser(std::string_view text) : lines_(text) {}

  Character parse() {
    const auto [vertices, faces] = header();
    for (std::int64_t v = 0; v < vertices; ++v) {
      std::string_view line = next("the OFF ends before its last vertex");
      part_.surface.positions.push_back(text::take_vec3(line, lines_.number(), "a vertex"));
    }
    for (std::int64_t f = 0; f < faces; ++f) face(next("the OFF ends before its last face"));
    if (part_.surface.face_count() == 0) throw_bad_input("the OFF has no face");
    Character character;
    small_.report(character.problems, Severity::note, "small-faces",
                  "{} face{|s} with fewer than three corners {was|were} left out (the numbers are lines of the file)");
    character.parts.push_back(std::move(part_));
    return character;
  }

 private:
  /// The next line that holds something, without its comment.
  std::string_view next(const char* otherwise) {
    std::string_view line;
    while (lines_.next(line)) {
      line = text::trim(text::without_comment(line));
      if (!line.empty()) return line;
    }
    throw_bad_input(otherwise);
  }

  std::pair<std::int64_t, std::int64_t> header() {
    std::string_view line = next("the OFF is empty");
    const std::string_view magic = text::take_word(line);
    if (magic != "OFF" && magic != "COFF" && magic != "NOFF" && magic != "CNOFF" && magic != "STOFF") {
      throw_bad_input("the file does not begin with OFF: it is none, or of a kind that cannot be read");
    }
    if (text::trim(line).empty()) line = next("the OFF ends before its counts");
    if (text::trim(line) == "BINARY") throw_unsupported("binary OFF cannot be read");
    const auto vertices = text::to_integer(text::take_word(line));
    const auto faces = text::to_integer(text::take_word(line));
    if (!vertices || !faces || *vertices < 1 || *faces < 1) {
      throw_at(lines_.number(), "the OFF does not say how many vertices and faces it has");
    }
    return {*vertices, *faces};
  }

  void face(std::string_view line) {
    const auto corners = text::to_integer(text::take_word(line));
    if (!corners || *corners < 0) throw_at(lines_.number(), "a face does not begin with its number of corners");
    corners_.clear();
    for (std::int64_t c = 0; c < *corners; ++c) {
      const std::string_view word = text::take_word(line);
      const auto index = text::to_integer(word);
      if (!index || *index < 0 || *index >= static_cast<std::int64_t>(part_.surface.vertex_count())) {
        throw_at(lines_.number(), "a face has " + text::quoted(word) + " where the index of a vertex should be");
      }
      corners_.push_back(static_cast<Index>(*index));
    }
    if (corners_.size() < 3) {
      small_.add(lines_.number());
    } else {
      part_.surface.add_face(corners_);
    }
  }

  text::Lines lines_;
  Part part_;
  std::vector<Index> corners_;
  ProblemCollector small_;
};

}  // namespace

Character parse_off(std::string_view text) { return OffParser(text).parse(); }

Character read_off(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_off(bytes);
    character.name = character.parts[0].name = path.stem().string();
    return character;
  });
}

}  // namespace isochor
