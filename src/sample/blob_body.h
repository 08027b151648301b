#pragma once

/// A skinned part from blobs: the surface, its weights and its materials all come from the same solids.

#include <string>
#include <string_view>
#include <vector>

#include "isochor/rig/character.h"
#include "isochor/sample/implicit.h"
#include "isochor/sample/polygonize.h"
#include "sample/cage.h"
#include "sample/rig_builder.h"

namespace isochor::model {

/// How a blob takes part in a body.
struct BlobRole {
  /// The joints that move it; where there are several, the one whose bone is nearest. For mirrored blobs those of the
  /// left side.
  std::vector<std::string> joints = {};
  double blend = 0.1;   ///< m; see Blob::blend
  double spread = 0.1;  ///< m; over about this length its weights fade into its neighbours'
  bool mirrored = false;
  Index material = 0;
};

/// A cage, and how often to split it.
struct CageFit {
  const Cage& cage;
  int levels = 1;
  const Context& context;
};

class BlobBody {
 public:
  explicit BlobBody(const RigBuilder& rig) : rig_(rig) {}

  template <class Solid>
  void add(const Solid& solid, const BlobRole& role) {
    add_blob({solid, role.blend, role.mirrored}, role);
  }
  /// Cuts the body off below this height.
  void set_floor(double height) { shape_.floor = height; }
  const ImplicitShape& shape() const { return shape_; }

  /// A surface of the shape as a part: at most four influences per vertex, exactly symmetric where the mesh is.
  /// Materials come from the blobs.
  Part build(const Skeleton& skeleton, const std::string& name, QuadMesh mesh) const;
  /// The same from a cage, whose painted faces keep their paint.
  Part build(const Skeleton& skeleton, const std::string& name, const CageFit& fit) const;

 private:
  struct Owner {
    std::size_t blob = 0;
    bool reflected = false;
  };

  const RigBuilder& rig_;
  ImplicitShape shape_;
  std::vector<BlobRole> roles_;
  std::vector<std::vector<Index>> joints_;

  void add_blob(const Blob& blob, const BlobRole& role);
  Owner owner(const Vec3& point) const;
  Index nearest_joint(const Owner& owner, const Vec3& point) const;
  SkinWeights weights(const QuadMesh& mesh) const;
  std::vector<Index> face_materials(const Surface& surface) const;
};

}  // namespace isochor::model
