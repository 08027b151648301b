#pragma once

/// A character whose skin is finer where something asks for it. It is refined as one welded surface, so that no crack
/// opens where texture coordinates, materials or parts meet.

#include <span>
#include <vector>

#include "isochor/mesh/refine.h"
#include "isochor/rig/welded_character.h"

namespace isochor {

/// Where the vertices and faces of a refined part came from.
struct PartRefinement {
  std::vector<Index> parent_begin = {0};  // #new+1 offsets into parents
  std::vector<Index> parents;             // of new vertices: vertices of the refined part, all before it
  std::vector<Index> face_source;         // #F of the refined part: the face of the part as it was, not decreasing

  std::size_t new_count() const { return parent_begin.size() - 1; }
  std::span<const Index> parents_of(std::size_t n) const {
    return {parents.data() + parent_begin[n], parents.data() + parent_begin[n + 1]};
  }
};

struct RefinedCharacter {
  Character character;
  std::vector<PartRefinement> parts;
  std::size_t split_faces = 0;  ///< faces of the welded surface that are not there as they were
  double max_distance = 0;      ///< of a new vertex from the faces it came from, at rest
};

/// In every part the vertices that it had come first, in their order, unchanged. New ones have
///
///   position    on the smooth surface (mesh/refine.h)
///   weights     on smooth curves as well, never negative, summing to 1; no more of them than fit into the sets of four
///               that the character has already
///   all else    the mean of their parents: texture coordinates, normals (of unit length), morph targets
///
/// Vertices of a seam get the same places and weights on both sides, if those had the same before.
RefinedCharacter refine(const WeldedCharacter& welded, const RefineWish& wish, const RefineOptions& options = {});

}  // namespace isochor
