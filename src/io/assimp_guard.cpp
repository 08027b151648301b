#include "io/assimp_guard.h"

#include <cstdint>

#include "io/text.h"

namespace isochor {

namespace {

std::uint64_t little_endian(std::string_view bytes, std::size_t offset, int width) {
  std::uint64_t value = 0;
  for (int i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[offset + static_cast<std::size_t>(i)])) << (8 * i);
  }
  return value;
}

/// Element counts of the header: every element takes at least one byte of what follows.
void check_ply(std::string_view bytes) {
  text::Lines lines(bytes);
  std::string_view line;
  lines.next(line);
  if (text::trim(line) != "ply") throw_bad_input("the file does not begin with \"ply\"");
  bool ended = false;
  std::uint64_t announced = 0;
  while (!ended && lines.next(line)) {
    std::string_view rest = line;
    const std::string_view word = text::take_word(rest);
    ended = word == "end_header";
    if (word != "element") continue;
    const std::string_view name = text::take_word(rest);
    const auto count = text::to_integer(text::take_word(rest));
    if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > bytes.size()) {
      text::throw_at(lines.number(), "the element " + text::quoted(name) + " announces more than the file holds");
    }
    announced += static_cast<std::uint64_t>(*count);
  }
  if (!ended) throw_bad_input("the PLY header has no end");
  if (announced > bytes.size()) throw_bad_input("the PLY announces more elements than it holds");
}

/// Binary: 80 bytes, a count, 50 bytes a triangle. Text: "solid".
void check_stl(std::string_view bytes) {
  constexpr std::size_t kHead = 84;
  if (bytes.size() >= kHead && bytes.size() >= kHead + 50 * little_endian(bytes, 80, 4)) return;
  if (text::trim(bytes.substr(0, 80)).starts_with("solid")) {
    if (bytes.find("endfacet") == std::string_view::npos) throw_bad_input("the STL has no complete facet");
    return;
  }
  throw_bad_input("the file is neither a text STL nor a complete binary one");
}

/// The next line that holds something, without its comment.
bool next_filled(text::Lines& lines, std::string_view& line) {
  while (lines.next(line)) {
    line = text::trim(text::without_comment(line));
    if (!line.empty()) return true;
  }
  return false;
}

/// assimp takes another vertex where a face's index is out of range, and zero where the file ends early.
void check_off_elements(text::Lines& lines, std::int64_t vertices, std::int64_t faces) {
  std::string_view line;
  for (std::int64_t v = 0; v < vertices; ++v) {
    if (!next_filled(lines, line)) throw_bad_input("the OFF ends before its last vertex");
    text::take_vec3(line, lines.number(), "a vertex");
  }
  for (std::int64_t f = 0; f < faces; ++f) {
    if (!next_filled(lines, line)) throw_bad_input("the OFF ends before its last face");
    const auto corners = text::to_integer(text::take_word(line));
    if (!corners || *corners < 0) text::throw_at(lines.number(), "a face does not begin with its number of corners");
    for (std::int64_t c = 0; c < *corners; ++c) {
      const std::string_view word = text::take_word(line);
      const auto index = text::to_integer(word);
      if (!index || *index < 0 || *index >= vertices) {
        text::throw_at(lines.number(), "a face has " + text::quoted(word) + " where the index of a vertex should be");
      }
    }
  }
}

void check_off(std::string_view bytes) {
  text::Lines lines(bytes);
  std::string_view line;
  next_filled(lines, line);
  const std::string_view magic = text::take_word(line);
  if (!magic.ends_with("OFF")) throw_bad_input("the file does not begin with OFF");
  if (magic != "OFF") throw_unsupported("only plain OFF can be read, not " + text::quoted(magic));
  line = text::trim(line);
  if (line.empty()) next_filled(lines, line);
  const auto vertices = text::to_integer(text::take_word(line));
  const auto faces = text::to_integer(text::take_word(line));
  if (!vertices || !faces || *vertices < 1 || *faces < 1) throw_bad_input("the OFF does not say how many vertices and faces it has");
  check_off_elements(lines, *vertices, *faces);
}

void check_dae(std::string_view bytes) {
  if (bytes.find("<COLLADA") == std::string_view::npos) throw_bad_input("the file has no COLLADA element");
  if (bytes.find("</COLLADA") == std::string_view::npos) throw_bad_input("the file ends inside its COLLADA element");
}

/// The top-level node records of a binary FBX must follow one another up to the null record, inside the file.
void check_binary_fbx(std::string_view bytes) {
  constexpr std::size_t kHead = 27;
  if (bytes.size() < kHead) throw_bad_input("the FBX is shorter than its header");
  const bool wide = little_endian(bytes, 23, 4) >= 7500;
  const std::size_t record = wide ? 25 : 13;
  std::uint64_t offset = kHead;
  while (true) {
    if (offset + record > bytes.size()) throw_bad_input("the FBX ends before its last record");
    const std::uint64_t end = little_endian(bytes, offset, wide ? 8 : 4);
    if (end == 0) return;
    if (end <= offset || end > bytes.size()) throw_bad_input("a record of the FBX reaches beyond the file's end");
    offset = end;
  }
}

void check_fbx(std::string_view bytes) {
  if (bytes.starts_with("Kaydara FBX Binary")) {
    check_binary_fbx(bytes);
  } else if (bytes.find("FBXHeaderExtension") == std::string_view::npos) {
    throw_bad_input("the file is neither a binary nor a text FBX");
  }
}

}  // namespace

void check_before_assimp(std::string_view bytes, std::string_view extension) {
  if (bytes.empty()) throw_bad_input("the file is empty");
  if (extension == "ply") check_ply(bytes);
  if (extension == "stl") check_stl(bytes);
  if (extension == "off") check_off(bytes);
  if (extension == "dae") check_dae(bytes);
  if (extension == "fbx") check_fbx(bytes);
}

}  // namespace isochor
