#include "isochor/rig/refined_character.h"

#include <Eigen/LU>
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "isochor/base/error.h"
#include "rig/refined_weights.h"

namespace isochor {
namespace {

template <class Vector>
Vector mean_of(const std::vector<Vector>& values, std::span<const Index> at) {
  Vector sum = Vector::Zero();
  for (const Index i : at) sum += values[i];
  return sum / static_cast<typename Vector::Scalar>(at.size());
}

/// Normals that cancel each other leave the first.
template <class Vector>
Vector mean_direction(const std::vector<Vector>& values, std::span<const Index> at) {
  const Vector sum = mean_of(values, at);
  const auto length = sum.norm();
  return length > 0 ? Vector(sum / length) : values[at[0]];
}

/// Which welded face a face of the file became, and which refined faces came out of it.
struct Families {
  std::vector<Index> welded;  // by face of the file, part after part; kNone if welding dropped it
  std::vector<Index> begin;   // by welded face, into the refined faces
};

Families find_families(const WeldedCharacter& welded, const RefinedSurface& fine) {
  Families out;
  std::size_t faces = 0;
  for (const Part& part : welded.character().parts) faces += part.surface.face_count();
  out.welded.assign(faces, kNone);
  const auto& sources = welded.whole().weld.face_source;
  for (std::size_t f = 0; f < sources.size(); ++f) out.welded[sources[f]] = static_cast<Index>(f);
  out.begin.assign(sources.size() + 1, 0);
  for (const Index f : fine.face_source) ++out.begin[f + 1];
  for (std::size_t f = 0; f < sources.size(); ++f) out.begin[f + 1] += out.begin[f];
  return out;
}

/// What all parts are refined with.
struct Shared {
  const WeldedCharacter& welded;
  const RefinedSurface& fine;
  const Families& families;
  const rig::CommonBones& bones;
  const rig::RefinedWeights& weights;
  std::vector<Affine> rest;  // #J: joint to world
  std::size_t most = 4;      // influences
};

/// A vertex of one face of the file: which one it is in the part, and what the face's corner has there.
struct FaceVertex {
  Index fine = kNone;  // of the refined surface
  Index vertex = kNone;
  Vec3f normal = Vec3f::Zero();
  Vec2f uv = Vec2f::Zero();
};

/// Refines one part, face by face in the file's order.
class PartRefiner {
 public:
  PartRefiner(const Shared& shared, std::size_t part)
      : shared_(shared),
        index_(part),
        was_(shared.welded.character().parts[part]),
        old_(static_cast<Index>(shared.welded.surface().vertex_count())),
        entry_(shared.fine.surface.vertex_count(), 0) {
    part_ = was_;
    part_.surface.corners.clear();
    part_.surface.face_begin = {0};
    part_.corner_normals.clear();
    part_.corner_uvs.clear();
    part_.face_material.clear();
    const bool carried = !was_.skinned() && was_.node != kNone;
    if (carried && shared.rest[was_.node].linear().determinant() != 0) back_ = shared.rest[was_.node].inverse();
  }

  void add_face(std::size_t f, Index welded_face) {
    const Index begin = welded_face == kNone ? 0 : shared_.families.begin[welded_face];
    const Index end = welded_face == kNone ? 0 : shared_.families.begin[welded_face + 1];
    if (end - begin < 2) {
      keep_face(f);
      return;
    }
    face_.clear();
    enter_corners(f);
    for (Index i = begin; i < end; ++i) {
      std::vector<Index> corners;
      for (const Index v : shared_.fine.surface.face(i)) {
        const FaceVertex at = find(v);
        corners.push_back(at.vertex);
        if (!was_.corner_normals.empty()) part_.corner_normals.push_back(at.normal);
        if (!was_.corner_uvs.empty()) part_.corner_uvs.push_back(at.uv);
      }
      part_.surface.add_face(corners);
      finish_face(f);
    }
  }

  void finish(RefinedCharacter& out) {
    out.character.parts[index_] = std::move(part_);
    out.parts[index_] = std::move(refinement_);
  }

 private:
  void finish_face(std::size_t f) {
    if (!was_.face_material.empty()) part_.face_material.push_back(was_.face_material[f]);
    refinement_.face_source.push_back(static_cast<Index>(f));
  }

  void keep_face(std::size_t f) {
    part_.surface.add_face(was_.surface.face(f));
    for (Index c = was_.surface.face_begin[f]; c < was_.surface.face_begin[f + 1]; ++c) {
      if (!was_.corner_normals.empty()) part_.corner_normals.push_back(was_.corner_normals[c]);
      if (!was_.corner_uvs.empty()) part_.corner_uvs.push_back(was_.corner_uvs[c]);
    }
    finish_face(f);
  }

  void enter_corners(std::size_t f) {
    for (Index c = was_.surface.face_begin[f]; c < was_.surface.face_begin[f + 1]; ++c) {
      FaceVertex at;
      at.vertex = was_.surface.corners[c];
      at.fine = shared_.welded.whole().welded(index_, static_cast<std::size_t>(at.vertex));
      if (!was_.corner_normals.empty()) at.normal = was_.corner_normals[c];
      if (!was_.corner_uvs.empty()) at.uv = was_.corner_uvs[c];
      enter(at);
    }
  }

  void enter(const FaceVertex& at) {
    entry_[at.fine] = static_cast<Index>(face_.size());
    face_.push_back(at);
  }

  FaceVertex find(Index fine) {
    // What an earlier face has entered is not cleared, and told by its not being there.
    const Index entry = entry_[fine];
    if (entry < static_cast<Index>(face_.size()) && face_[entry].fine == fine) return face_[entry];
    const auto parents = shared_.fine.parents_of(static_cast<std::size_t>(fine - old_));
    FaceVertex at;
    at.fine = fine;
    std::vector<Index> vertices;
    for (const Index p : parents) {
      const FaceVertex parent = find(p);
      vertices.push_back(parent.vertex);
      at.normal += parent.normal;
      at.uv += parent.uv;
    }
    at.uv /= static_cast<float>(parents.size());
    if (at.normal.norm() > 0) at.normal.normalize();
    at.vertex = part_vertex(fine, vertices);
    enter(at);
    return at;
  }

  /// Faces on both sides of an edge share its middle if they share its ends; the middle of a face is its own.
  Index part_vertex(Index fine, std::vector<Index> parents) {
    std::sort(parents.begin(), parents.end());
    if (parents.size() != 2) return add_vertex(fine, parents);
    const auto key = (static_cast<std::uint64_t>(parents[0]) << 32u) | static_cast<std::uint32_t>(parents[1]);
    const auto known = middle_.find(key);
    if (known != middle_.end()) return known->second;
    return middle_[key] = add_vertex(fine, parents);
  }

  Index add_vertex(Index fine, std::span<const Index> parents) {
    part_.surface.positions.push_back(back_ * shared_.fine.surface.positions[fine]);
    if (!was_.normals.empty()) part_.normals.push_back(mean_direction(part_.normals, parents));
    if (!was_.uvs.empty()) part_.uvs.push_back(mean_of(part_.uvs, parents));
    for (MorphTarget& morph : part_.morphs) {
      morph.positions.push_back(mean_of(morph.positions, parents));
      if (!morph.normals.empty()) morph.normals.push_back(mean_of(morph.normals, parents));
    }
    if (was_.skinned()) part_.weights.add_row(row_of(fine, parents));
    refinement_.parents.insert(refinement_.parents.end(), parents.begin(), parents.end());
    refinement_.parent_begin.push_back(static_cast<Index>(refinement_.parents.size()));
    return static_cast<Index>(part_.surface.vertex_count() - 1);
  }

  std::vector<Influence> row_of(Index fine, std::span<const Index> parents) const {
    std::vector<Influence> row;
    bool known = shared_.weights.open[fine] == 0;
    for (const Influence& i : shared_.weights.rows.row(fine)) {
      const Index slot = shared_.bones.slot[index_][i.joint];
      known = known && slot != kNone;
      row.push_back({slot, i.weight});
    }
    if (known) return row;
    row = rig::mean_row(part_.weights, parents);
    rig::tidy_row(row, shared_.most);
    return row;
  }

  const Shared& shared_;
  std::size_t index_;
  const Part& was_;
  Index old_;
  Affine back_ = Affine::Identity();  // from where the welded surface lies to the part's own space
  Part part_;
  PartRefinement refinement_;
  std::vector<FaceVertex> face_;                     // of the face at hand
  std::vector<Index> entry_;                         // by vertex of the refined surface, into face_
  std::unordered_map<std::uint64_t, Index> middle_;  // by the ends of an edge; asked for single edges only
};

void check_total(const Character& character, const RefineOptions& options) {
  if (character.vertex_count() <= static_cast<std::size_t>(options.max_vertices)) return;
  throw_bad_input("the refined character would have " + std::to_string(character.vertex_count()) +
                  " vertices, more than " + std::to_string(options.max_vertices) +
                  "; raise --refine, lower --levels, or allow more with --refine-max-vertices");
}

}  // namespace

RefinedCharacter refine(const WeldedCharacter& welded, const RefineWish& wish, const RefineOptions& options) {
  const RefinedSurface fine = refine(welded.surface(), wish, options);
  const Families families = find_families(welded, fine);
  const rig::CommonBones bones = rig::common_bones(welded);
  const rig::RefinedWeights weights = rig::refine_weights(welded, bones, fine);
  const Skeleton& skeleton = welded.skeleton();
  const Shared shared{welded,
                      fine,
                      families,
                      bones,
                      weights,
                      global_transforms(skeleton, rest_pose(skeleton)),
                      rig::most_influences(welded.weights())};
  RefinedCharacter out;
  out.character = welded.character();
  out.parts.resize(out.character.parts.size());
  out.split_faces = fine.split_faces;
  out.max_distance = fine.max_distance;
  std::size_t first_face = 0;
  for (std::size_t p = 0; p < out.parts.size(); ++p) {
    PartRefiner refiner(shared, p);
    const std::size_t faces = welded.character().parts[p].surface.face_count();
    for (std::size_t f = 0; f < faces; ++f) refiner.add_face(f, families.welded[first_face + f]);
    first_face += faces;
    refiner.finish(out);
  }
  check_total(out.character, options);
  return out;
}

}  // namespace isochor
