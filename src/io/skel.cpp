#include "isochor/io/skel.h"

#include <map>

#include "io/positioned_skeleton.h"
#include "io/text.h"

namespace isochor {

Character parse_skel(std::string_view text) {
  text::Words words(text, '#');
  const std::int64_t count = words.integer();
  if (count < 1) throw_bad_input("the skeleton has no joint");

  std::vector<std::string> names;
  std::vector<std::string> parent_names;
  std::vector<Vec3> positions;
  std::map<std::string, Index> index_of;
  for (std::int64_t j = 0; j < count; ++j) {
    const double x = words.finite();
    const double y = words.finite();
    positions.emplace_back(x, y, words.finite());
    names.emplace_back(words.next());
    parent_names.emplace_back(words.next());
    if (parent_names.back().empty()) throw_bad_input("the file ends before its last joint");
    if (!index_of.emplace(names.back(), static_cast<Index>(j)).second) {
      text::throw_at(words.line(), "the joint " + text::quoted(names.back()) + " stands twice");
    }
  }

  std::vector<Index> parents(names.size(), kNone);
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto parent = index_of.find(parent_names[j]);
    if (parent != index_of.end()) {
      parents[j] = parent->second;
    } else if (parent_names[j] != "root") {
      throw_bad_input(
          "the parent " + text::quoted(parent_names[j]) + " of joint " + text::quoted(names[j]) + " is not in the file",
          static_cast<Index>(j));
    }
  }
  Character character;
  character.skeleton = reordered_skeleton(names, positions, parents);
  return character;
}

Character read_skel(const std::filesystem::path& path) {
  return text::read_named(path, [&](std::string_view bytes) {
    Character character = parse_skel(bytes);
    character.name = path.stem().string();
    return character;
  });
}

}  // namespace isochor
