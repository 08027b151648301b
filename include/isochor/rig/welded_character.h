#pragma once

/// A character as one welded surface with one skin, whatever parts and skins its file has: what binding is measured on,
/// and where deformers, volume correction and baking take hold.

#include <span>
#include <vector>

#include "isochor/mesh/topology.h"
#include "isochor/rig/character.h"

namespace isochor {

/// A character's binding seen from its skeleton, in one space: that in which its first skinned part was bound. Other
/// skins are brought there by the joints that they share with it, or else by the rest pose.
struct RestSpace {
  SkinWeights weights;       ///< #V rows of the welded surface; Influence::joint is an index into the *skeleton*
  std::vector<Vec3> rest;    ///< #V: the bind shape
  std::vector<Affine> bind;  ///< #J: joint -> rest space, where the joint was when the skin was bound. Joints that no
                             ///< skin knows keep their rest pose relative to their parent
  std::vector<Affine> inverse_bind;  ///< #J
  double size = 1;                   ///< the diagonal of the box around `rest`
};

class WeldedCharacter {
 public:
  /// Keeps a reference to `character`, which must outlive it.
  explicit WeldedCharacter(const Character& character, const WeldOptions& options = {});

  /// To be called if the weights of the character have changed, and nothing else: surface and topology stay, and so
  /// does everything that refers to this object. Throws Error(bad_input) if a skin has other joints than before.
  void take_weights();

  const Character& character() const { return character_; }
  const Skeleton& skeleton() const { return character_.skeleton; }

  /// The welded bind shape (mesh space; unskinned parts where the rest pose puts them), and its topology.
  const Surface& surface() const { return whole_.weld.surface; }
  const Topology& topology() const { return topology_; }
  /// Which vertices of the file went where.
  const WholeSurface& whole() const { return whole_; }

  /// The signed volume of each component of the bind shape.
  const std::vector<double>& rest_volumes() const { return rest_volumes_; }
  /// Whether a component has a volume to speak of: it can be oriented, encloses more than a millionth of the cube over
  /// its own diagonal, and no single hole is larger than 0.6 of its surface. Sheets do not, flat or draped.
  bool has_volume(std::size_t component) const { return has_volume_[component] != 0; }

  /// What a row of weights refers to: a joint of a part's skin, or the node that carries an unskinned part.
  struct Bone {
    Index part = kNone;
    Index slot = kNone;   ///< into the part's Skin::joints; kNone for an unskinned part
    Index joint = kNone;  ///< into the skeleton; kNone for a part that nothing moves
  };
  std::span<const Bone> bones() const { return bones_; }
  /// By bone: mesh space -> joint space at bind time; for a node, the inverse of its rest transform.
  std::span<const Affine> inverse_binds() const { return inverse_binds_; }
  /// #V rows, those of each vertex's first source; influences refer to bones().
  const SkinWeights& weights() const { return weights_; }

  /// A vertex of the file that does not go with the vertex it was welded into: it follows other bones, as at a seam
  /// that its author left open, or lies a little beside it.
  struct Stray {
    PartVertex file;
    Index welded = kNone;
    bool follows_others = false;  ///< it follows other bones, or the same ones in other shares
  };
  std::span<const Stray> strays() const { return strays_; }
  const SkinWeights& stray_weights() const { return stray_weights_; }  ///< #strays rows
  /// The stray that a vertex of a part is, or kNone.
  Index stray(std::size_t part, std::size_t vertex) const {
    return strays_.empty() ? kNone : stray_of_[static_cast<std::size_t>(whole_.part_begin[part]) + vertex];
  }

  /// global · inverse bind of each bone. `global` has one matrix for each joint of the skeleton. Allocates nothing.
  void bone_matrices(std::span<const Affine> global, std::span<Affine> out) const;

  /// How much larger a component's volume would be if the scale of its bones were all that changed it: the mean
  /// determinant of their matrices. 1 if joints move rigidly.
  double volume_scale(std::size_t component, std::span<const Affine> bone_matrices) const;

  /// The binding seen from the skeleton. Made anew by every call.
  RestSpace rest_space() const;

 private:
  struct Share {
    Index bone;
    double weight;
  };

  void measure_components();
  void number_bones();
  void gather_rows();
  Index carrier(Index bone) const;
  void gather_shares();
  void find_strays();
  void add_row(const PartVertex& at, SkinWeights& rows) const;

  const Character& character_;
  WholeSurface whole_;
  Topology topology_;
  std::vector<double> rest_volumes_;
  std::vector<char> has_volume_;
  std::vector<Bone> bones_;
  std::vector<Index> first_bone_;  // by part
  std::vector<Affine> inverse_binds_;
  SkinWeights weights_;
  std::vector<std::vector<Share>> shares_;  // by component: summing to 1
  std::vector<Stray> strays_;
  std::vector<Index> stray_of_;  // by vertex of the file; empty if there is no stray
  SkinWeights stray_weights_;
};

/// Everything that is known to be wrong: what the reader found, the errors of the pieces, clips that go too far away,
/// and what concerns the welded whole. Seams make every file open and full of edges: only the welded surface tells.
Problems find_problems(const WeldedCharacter& welded);

/// |volume - target| / |target|; 0 if the target is nil.
double relative_volume_error(double volume, double target);

}  // namespace isochor
