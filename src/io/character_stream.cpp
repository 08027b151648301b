#include "io/character_stream.h"

#include <algorithm>

namespace isochor {
namespace {

/// Offsets of rows that lie one after another in `size` elements.
bool are_offsets(const std::vector<Index>& begin, std::size_t size) {
  return !begin.empty() && begin.front() == 0 && std::is_sorted(begin.begin(), begin.end()) &&
         static_cast<std::size_t>(begin.back()) == size;
}

bool are_below(const std::vector<Index>& indices, std::size_t end, Index lowest) {
  return std::all_of(indices.begin(), indices.end(),
                     [&](Index i) { return i >= lowest && (i < 0 || static_cast<std::size_t>(i) < end); });
}

/// validate() walks along these.
bool is_walkable(const Character& character, const Part& part) {
  return are_offsets(part.surface.face_begin, part.surface.corners.size()) &&
         are_offsets(part.weights.begin, part.weights.influences.size()) &&
         are_below(part.surface.corners, part.surface.vertex_count(), 0) &&
         are_below(part.unweighted, part.surface.vertex_count(), 0) &&
         (part.face_material.empty() || part.face_material.size() == part.surface.face_count()) &&
         are_below(part.face_material, character.materials.size(), kNone) &&
         (part.morph_weights.empty() || part.morph_weights.size() == part.morphs.size());
}

}  // namespace

bool is_sound(const Character& character) {
  const auto walkable = [&](const Part& part) { return is_walkable(character, part); };
  if (!std::all_of(character.parts.begin(), character.parts.end(), walkable)) return false;
  const Problems problems = validate(character);
  return std::none_of(problems.begin(), problems.end(),
                      [](const Problem& problem) { return problem.severity == Severity::error; });
}

}  // namespace isochor
