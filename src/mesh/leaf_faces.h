#pragma once

/// The faces of a surface while it is refined, some finer than others, and the cuts that make them fit each other.

#include <span>
#include <unordered_map>
#include <vector>

#include "mesh/edge_uses.h"

namespace isochor::mesh {

/// Faces that are not split further yet. Where a neighbour is finer, its vertices lie inside their edges.
struct LeafFaces {
  std::vector<Index> corners;
  std::vector<Index> begin = {0};  // #F+1
  std::vector<Index> source;       // #F: the face of the surface that they came from, not decreasing
  std::vector<int> level;          // #F: how often it was split

  std::size_t size() const { return source.size(); }
  std::span<const Index> face(std::size_t f) const {
    return {corners.data() + begin[f], corners.data() + begin[f + 1]};
  }
  void add(std::span<const Index> face, Index of, int at_level);
  void add(std::initializer_list<Index> face, Index of, int at_level) {
    add(std::span(face.begin(), face.size()), of, at_level);
  }
};

LeafFaces leaves_of(const Surface& surface);

/// The vertices in the middle of edges that were split. Asked for single edges only.
class EdgeMiddles {
 public:
  /// kNone if the edge is whole.
  Index find(Index a, Index b) const {
    const auto found = middle_.find(edge_key(a, b));
    return found == middle_.end() ? kNone : found->second;
  }
  void add(Index a, Index b, Index middle) { middle_.emplace(edge_key(a, b), middle); }

 private:
  std::unordered_map<EdgeKey, Index> middle_;
};

/// By face of the surface: how often it may be split. A face that must stay whole keeps its neighbours from splitting
/// the edges between them, and each face farther away may be one level finer.
std::vector<int> level_limits(const Surface& surface, int levels);

/// Which leaves are split: those marked, where their limit allows it, and those that must follow, so that an edge has
/// no more than one vertex inside.
std::vector<char> balance(const LeafFaces& leaves, const EdgeMiddles& middles, std::span<const int> limits,
                          std::vector<char> marked);

/// A face with the middles of its edges put in where they are split.
void with_middles(std::span<const Index> face, const EdgeMiddles& middles, std::vector<Index>& out);

/// Cuts a face, whose edges have middles where `middle` (one for each edge) is not kNone, into triangles and quads that
/// have no vertex inside an edge. `center` is kNone if needs_center() says no.
bool needs_center(std::span<const Index> middle);
void cut(std::span<const Index> face, std::span<const Index> middle, Index center, std::span<const Vec3> positions,
         std::vector<std::vector<Index>>& out);

}  // namespace isochor::mesh
