#pragma once

/// Skin that meets skin: what of it time does not change.

#include <optional>
#include <span>
#include <vector>

#include "isochor/mesh/face_hierarchy.h"
#include "volume/contact_search.h"
#include "volume/together_plan.h"

namespace isochor::volume {

/// Faces that are nearer to each other at rest than this share of their mean edge, or cross there, are left alone:
/// lips, closed fingers, folded cloth.
inline constexpr double kRestGap = 0.1;

/// Skin meets skin that looks against it: from this cosine of the two normals on, against each other, and fully from
/// that.
inline constexpr double kAside = 0.0, kOpposed = 0.4;

struct ContactPlan {
  explicit ContactPlan(const TogetherPlan& plan);

  FaceHierarchy faces;                  ///< of the whole surface
  std::optional<ContactSearch> search;  ///< in them
  std::vector<TrianglePair> at_rest;    ///< pairs that are left alone, sorted
  std::vector<double> outward;          ///< by component: 1 or -1, the side its faces show; 0: it has no inside
  std::vector<Index> ring_begin, ring;  ///< #V+1: the triangles around each vertex
  std::vector<Index> next_begin, next;  ///< #V+1: the vertices beside each, by edges of triangles
  std::vector<double> way;              ///< to these: by how much more of its displacement each may keep
  std::vector<char> buried;             ///< #V: not 0 at corners of these pairs

  bool left_alone(const TrianglePair& pair) const;
  /// Of two pieces of which one sticks in the other at rest, as a ball in its socket or an arm in a sleeve, or one is
  /// hard: no joint bends it.
  bool may_cross(const TrianglePair& pair) const;
  /// Two sides of one thin piece, as of an ear: at rest they look away from each other, and each lies behind the other.
  bool back_to_back(const TrianglePair& pair) const {
    const Side &own = side_[pair.a], &other = side_[pair.b];
    return own.normal.dot(other.normal) < 0 && (other.middle - own.middle).dot(own.normal - other.normal) < 0;
  }
  double mean_edge(Index t) const { return edge_[t]; }

 private:
  struct Side {
    Vec3 normal, middle;  // outward, of length 1
  };
  std::vector<double> edge_;                     // by triangle, at rest
  std::vector<Side> side_;                       // the same
  std::vector<Index> component_;                 // the same
  std::vector<std::pair<Index, Index>> nested_;  // components, the lower one first; sorted
  std::vector<char> hard_;                       // by component
};

}  // namespace isochor::volume
