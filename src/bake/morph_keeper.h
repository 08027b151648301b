#pragma once

/// Morph targets leave every vertex a little off. Weights make up for the volume that this costs, and a few more
/// targets for the faces that it would turn over.

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "bake/face_mender.h"
#include "base/matrix_product.h"
#include "isochor/bake/held_motion.h"
#include "isochor/bake/morph_basis.h"
#include "isochor/bake/morph_volume.h"

namespace isochor {

/// By part; nothing if no vertex of it moves.
using Bases = std::vector<std::optional<MorphBasis>>;

/// For each vertex of a part the diagonal of its component in the bind pose; crumbs count as a hundredth of the whole.
std::vector<double> component_sizes(const WeldedCharacter& welded, std::size_t part);

class MorphKeeper {
 public:
  /// All of them must outlive it.
  MorphKeeper(const HeldMotion& motion, const WeldedCharacter& welded, double tolerance, Bases& bases);

  /// Weights such that every frame encloses what it should, however few targets there are.
  ///
  /// `faces`: also, no face is turned over at a key, nor half-way between two. Corners of those that are get targets of
  /// their own, which move them alone, and in a few frames.
  void keep(bool faces, Context& context);

 private:
  /// All parts' targets, on the welded surface.
  struct Targets {
    std::vector<WeldedTarget> all;
    std::vector<Eigen::Index> begin;  // by part: its first one
    std::vector<double> reach;        // #V of the surface: how far a vertex may go
  };
  /// A key of a clip, or the middle between it and the next.
  struct Moment {
    std::size_t clip, key;
    bool is_key;
    std::size_t last() const { return is_key ? key : key + 1; }
    bool operator<(const Moment& other) const {
      return std::tie(clip, key, is_key) < std::tie(other.clip, other.key, other.is_key);
    }
  };
  struct Turned {
    Moment at;
    std::vector<FaceMender::Face> faces;
  };
  using Weights = MorphVolume::Weights;
  using Patch = std::map<Index, Vec3>;  // by welded vertex: what is added to its offset

  static Targets weld_targets(const Bases& bases, const WeldedCharacter& welded, double tolerance);
  Weights weights_of(std::size_t row, std::size_t count) const;
  void add_weights(std::size_t row, const Weights& change);
  std::size_t row_of(const Moment& at) const { return first_row_[at.clip] + at.key; }

  /// A moment without the targets that are baked, and by the deformer alone.
  struct Shown {
    PosedSkin deformed;
    MorphedFrame frame;
  };
  Shown unmorphed(const Moment& at) const;
  std::vector<Turned> keep_volumes(const FaceMender* mender, Context& context);
  std::vector<Moment> middles() const;
  std::vector<Turned> find_turned(std::span<const Moment> moments, const FaceMender& mender, Context& context) const;
  void keep_faces(std::vector<Turned> turned, const FaceMender& mender, Context& context);
  std::vector<Moment> mend(std::span<const Turned> turned, const FaceMender& mender, Context& context);
  void restore_volume(const Moment& at);
  std::vector<Index> patched_vertices(std::size_t part) const;
  Rows patch_offsets(std::size_t part, std::span<const Index> vertices) const;
  PosedSkin skin_of(std::size_t row) const;
  void add_patches(std::size_t part);

  const HeldMotion& motion_;
  const WeldedCharacter& welded_;
  Bases& bases_;
  Targets targets_;
  MorphVolume volume_;
  std::vector<std::size_t> first_row_;    // by clip of the motion: of its frames, counted over all clips
  std::map<std::size_t, Patch> patches_;  // by frame, counted so
};

}  // namespace isochor
