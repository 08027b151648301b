#pragma once

/// Which faces of a surface may meet: a hierarchy of boxes that is built once, of the shape at rest, and refitted to
/// each pose. The faces are seen as the triangles of triangulate().
///
///   FaceHierarchy faces(surface);
///   faces.refit(posed);
///   for (const FacePair& pair : faces.crossings(posed)) …

#include <cstdint>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/mesh/triangle_crossing.h"

namespace isochor {

struct FacePair {
  Index a = kNone, b = kNone;  ///< a < b

  bool operator==(const FacePair&) const = default;
  bool operator<(const FacePair& other) const { return a != other.a ? a < other.a : b < other.b; }
};

/// Of triangles.
using TrianglePair = FacePair;

class FaceHierarchy {
 public:
  explicit FaceHierarchy(const Surface& surface);

  std::size_t triangle_count() const { return triangles_.size(); }
  const std::array<Index, 3>& triangle(Index t) const { return triangles_[t]; }
  Triangle corners(Index t, std::span<const Vec3> positions) const {
    const auto& [a, b, c] = triangles_[t];
    return {positions[a], positions[b], positions[c]};
  }
  Index face_of(Index t) const { return face_[t]; }

  /// Boxes around the triangles; allocates nothing.
  void refit(std::span<const Vec3> positions) { refit(positions, positions); }
  /// Boxes around two shapes and all between them: p + s (q - p) for any s from 0 to 1 of each coordinate by itself.
  /// Each is grown on all sides by `growth` times its own diagonal.
  void refit(std::span<const Vec3> positions, std::span<const Vec3> others, double growth = 0);

  /// Which pairs are asked for: all, or those of which at least one triangle has moved between the two shapes.
  enum class Which { all, moving };
  /// Pairs of triangles whose boxes overlap and whose faces have no common vertex; in an order that depends on the rest
  /// shape alone. Allocates only if there are more than ever before.
  void near_pairs(std::vector<TrianglePair>& out, Which which = Which::all) const;
  /// Whether the boxes of two triangles overlap.
  bool near(Index s, Index t) const { return overlap(bounds_[s], bounds_[t]); }
  /// Where the leaves of the tree begin, which Which::moving asks for as a whole, and the number of triangles.
  std::vector<Index> leaves() const;

  /// Calls visit(t, within) for triangles whose box is within that distance of a point, and perhaps for some others;
  /// what it does to `within` counts for those after it.
  template <class Visit>
  void around(const Vec3& point, double within, const Visit& visit) const {
    std::array<Index, 64> stack;
    std::size_t top = 0;
    if (!nodes_.empty()) stack[top++] = 0;
    while (top > 0) {
      const Index n = stack[--top];
      if (squared_distance(node_bounds_[n], point) > within * within) continue;
      const Node& node = nodes_[n];
      if (node.left != kNone) {
        stack[top++] = node.left;
        stack[top++] = node.right;
        continue;
      }
      for (Index t = node.begin; t < node.end; ++t) {
        if (squared_distance(bounds_[t], point) <= within * within) visit(t, within);
      }
    }
  }

  /// Pairs of faces that cross, sorted, without those that have a common vertex. refit() first.
  std::vector<FacePair> crossings(std::span<const Vec3> positions) const;

 private:
  /// Rounded outwards. The fourth is 0 to 0, or 0 to 1 where something moves.
  struct alignas(16) Bounds {
    std::array<float, 4> low, high;
    bool moves() const { return high[3] > 0; }
  };
  struct Node {
    Index left = kNone, right = kNone;  // kNone: a leaf
    Index begin = 0, end = 0;           // into order_
  };

  Index build(Index begin, Index end, const std::vector<Vec3>& middles);
  bool apart(Index s, Index t) const;
  void meet(const Node& a, const Node& b, std::vector<TrianglePair>& out) const;
  static bool overlap(const Bounds& a, const Bounds& b) {
    int beside = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      beside |= static_cast<int>(!(a.low[k] <= b.high[k])) | static_cast<int>(!(b.low[k] <= a.high[k]));
    }
    return beside == 0;
  }
  static double squared_distance(const Bounds& bounds, const Vec3& point);

  std::vector<std::array<Index, 3>> triangles_;  // in the order of the leaves
  std::vector<Index> face_;                      // of each of these
  std::vector<Node> nodes_;                      // children after their parents
  std::vector<Bounds> bounds_, node_bounds_;
  std::vector<Index> corners_, face_begin_;  // of the faces; empty if all are triangles
};

}  // namespace isochor
