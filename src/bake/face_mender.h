#pragma once

/// Faces that a viewer would turn over at a key, or half-way between two. A face that the deformer itself presses to a
/// sliver turns over by any small error, be it of the line between two keys or of a morph target, and more keys only
/// move the place where it does. So its corners move a little, at the keys around, until it keeps its side at every
/// moment that these keys have a part in.

#include <functional>
#include <span>
#include <tuple>
#include <vector>

#include "bake/turned_faces.h"
#include "isochor/base/parallel.h"

namespace isochor {

/// How a viewer, which knows linear blend skinning alone, shows offsets in the rest pose: skinned + linear · offset.
struct OffsetView {
  std::vector<Vec3> skinned;  ///< #V of the welded surface
  std::vector<Mat3> linear;   ///< #V; zero where a vertex has no skin
};
/// `posed` is by linear blend skinning.
OffsetView offset_view(const WeldedCharacter& welded, const PosedSkin& posed);

class FaceMender {
 public:
  /// `how`: the deformer whose faces are kept. All of them must outlive it.
  FaceMender(const WeldedCharacter& welded, const Deforming& how);

  /// A face of a component, as a ring of its VolumeFunctional.
  struct Face {
    Index component, ring;
    bool operator<(const Face& other) const {
      return std::tie(component, ring) < std::tie(other.component, other.ring);
    }
  };
  /// Those that are turned over in `shown` (#V), or so nearly that rounding may turn them.
  std::vector<Face> turned(const PosedSkin& deformed, std::span<const Vec3> shown) const;

  /// The keys of a clip, and the offsets in the rest pose that vertices of the welded surface have there.
  struct Keys {
    const Clip& clip;
    std::vector<double> times;
    std::function<Vec3(std::size_t key, Index vertex)> offset;
  };
  /// Those half-way between a key and the next.
  std::vector<Face> turned_between(const Keys& keys, std::size_t first) const;
  /// What to add to an offset.
  struct Change {
    std::size_t key;
    Index vertex;
    Vec3 offset;
  };
  /// Changes of the keys in `free`, at vertices that have an offset there, with which none of these faces is turned
  /// over at these keys and half-way to their neighbours, nor one around them; as little as that takes. Where not all
  /// can be had, with which fewer are; nothing at all where that cannot be had either.
  std::vector<Change> mend(const Keys& keys, Range free, std::span<const Face> faces) const;

 private:
  /// A key, or the middle between two.
  struct Moment {
    PosedSkin deformed;
    OffsetView view;
    std::vector<double> crushed;  // by component: what is smaller is left out
    std::size_t first, last;      // the keys whose offsets it has the mean of; equal at a key
  };
  class Window;

  Moment moment(const Keys& keys, std::size_t first, std::size_t last) const;

  const WeldedCharacter& welded_;
  Deforming how_;
  std::vector<VolumeFunctional> volumes_;  // by component
  TurnedFaces turned_;
  std::vector<Index> ring_begin_, rings_;  // #V+1: the faces around each vertex, as rings of its component
};

}  // namespace isochor
