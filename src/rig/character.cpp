#include "isochor/rig/character.h"

#include <algorithm>

#include "isochor/mesh/topology.h"
#include "mesh/disjoint_sets.h"

namespace isochor {

std::size_t Character::vertex_count() const {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.surface.vertex_count();
  return count;
}

Character::FaceCounts Character::count_faces() const {
  FaceCounts counts;
  for (const Part& part : parts) {
    for (std::size_t f = 0; f < part.surface.face_count(); ++f) {
      const std::size_t corners = part.surface.face(f).size();
      ++(corners == 3 ? counts.triangles : corners == 4 ? counts.quads : counts.polygons);
    }
  }
  return counts;
}

const Clip* Character::find_clip(std::string_view clip_name) const {
  for (const Clip& clip : clips) {
    if (clip.name == clip_name) return &clip;
  }
  return nullptr;
}

bool has_weight(const Part& part, std::size_t vertex) {
  return vertex < part.weights.vertex_count() && !part.weights.row(vertex).empty() &&
         !std::binary_search(part.unweighted.begin(), part.unweighted.end(), static_cast<Index>(vertex));
}

std::size_t twin_count(const Character& character) {
  const auto& joints = character.skeleton.joints;
  return static_cast<std::size_t>(
      std::count_if(joints.begin(), joints.end(), [](const Joint& joint) { return joint.twin; }));
}

bool has_baked(const Character& character) {
  return std::any_of(character.parts.begin(), character.parts.end(), [](const Part& part) {
    return std::any_of(part.morphs.begin(), part.morphs.end(), [](const MorphTarget& morph) { return morph.baked; });
  });
}

std::vector<Affine> skin_matrices(const Skin& skin, std::span<const Affine> global) {
  std::vector<Affine> matrices(skin.joints.size());
  skin_matrices(skin, global, matrices);
  return matrices;
}

void skin_matrices(const Skin& skin, std::span<const Affine> global, std::span<Affine> out) {
  for (std::size_t j = 0; j < skin.joints.size(); ++j) out[j] = global[skin.joints[j]] * skin.inverse_bind[j];
}

namespace {

/// For each part the lowest part that it may be welded to: parts that share joints, and all parts without a skin.
std::vector<std::size_t> weld_groups(const Character& character) {
  mesh::DisjointSets groups(character.parts.size());
  std::vector<Index> first_of_joint(character.skeleton.size(), kNone);
  Index first_unskinned = kNone;
  const auto join = [&](Index& first, Index p) {
    if (first == kNone) first = p;
    groups.join(first, p);
  };
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (!part.skinned()) join(first_unskinned, static_cast<Index>(p));
    for (const Index j : part.skin.joints) join(first_of_joint[j], static_cast<Index>(p));
  }
  std::vector<std::size_t> out;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    out.push_back(static_cast<std::size_t>(groups.find(static_cast<Index>(p))));
  }
  return out;
}

Surface in_rest_place(const Part& part, std::span<const Affine> global) {
  Surface surface = part.surface;
  if (part.skinned() || part.node == kNone) return surface;
  for (Vec3& p : surface.positions) p = global[part.node] * p;
  return surface;
}

/// Appends the weld of some parts to the whole. `sources` and `faces` are their vertex and face numbers in the whole.
void append_weld(const Weld& part, std::span<const Index> sources, std::span<const Index> faces, Weld& whole) {
  const Index first = append(whole.surface, part.surface);
  for (std::size_t v = 0; v < sources.size(); ++v) whole.vertex[sources[v]] = first + part.vertex[v];
  for (const Index v : part.first_source) whole.first_source.push_back(sources[v]);
  for (const Index f : part.face_source) whole.face_source.push_back(faces[f]);
  for (const Index f : part.dropped_faces) whole.dropped_faces.push_back(faces[f]);
}

}  // namespace

PartVertex WholeSurface::part_vertex(Index source) const {
  const auto after = std::upper_bound(part_begin.begin(), part_begin.end(), source);
  const auto part = static_cast<std::size_t>(after - part_begin.begin()) - 1;
  return {part, static_cast<std::size_t>(source - part_begin[part])};
}

WholeSurface assemble(const Character& character, const WeldOptions& options) {
  WholeSurface whole;
  whole.part_begin = {0};
  std::vector<Index> face_begin = {0};
  for (const Part& part : character.parts) {
    whole.part_begin.push_back(whole.part_begin.back() + static_cast<Index>(part.surface.vertex_count()));
    face_begin.push_back(face_begin.back() + static_cast<Index>(part.surface.face_count()));
  }
  whole.weld.vertex.resize(static_cast<std::size_t>(whole.part_begin.back()));

  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  const auto group = weld_groups(character);
  for (std::size_t g = 0; g < character.parts.size(); ++g) {
    if (group[g] != g) continue;
    Surface surface;
    std::vector<Index> sources, faces;
    for (std::size_t p = g; p < character.parts.size(); ++p) {
      if (group[p] != g) continue;
      append(surface, in_rest_place(character.parts[p], global));
      for (Index v = whole.part_begin[p]; v < whole.part_begin[p + 1]; ++v) sources.push_back(v);
      for (Index f = face_begin[p]; f < face_begin[p + 1]; ++f) faces.push_back(f);
    }
    append_weld(weld(surface, options), sources, faces, whole.weld);
  }
  std::sort(whole.weld.dropped_faces.begin(), whole.weld.dropped_faces.end());
  return whole;
}

namespace {

void validate_part(const Character& character, const Part& part, Problems& problems) {
  const std::string of = "the part " + part.name;
  const auto add = [&](Problems found) {
    for (Problem& problem : found) {
      problem.sentence = of + ": " + problem.sentence;
      problems.push_back(std::move(problem));
    }
  };
  const auto wrong = [&](const char* code, const std::string& sentence) {
    problems.push_back({Severity::error, code, of + ": " + sentence, {}, 1});
  };
  add(validate(part.surface));
  const std::size_t vertices = part.surface.vertex_count();
  const auto fits = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
  if (!fits(part.normals.size(), vertices) || !fits(part.uvs.size(), vertices)) {
    wrong("attribute-size", "the number of normals or texture coordinates differs from the number of vertices");
  }
  if (!fits(part.corner_normals.size(), part.surface.corners.size()) ||
      !fits(part.corner_uvs.size(), part.surface.corners.size())) {
    wrong("attribute-size", "the number of corner normals or texture coordinates differs from the number of corners");
  }
  for (const MorphTarget& morph : part.morphs) {
    if (morph.positions.size() != vertices || !fits(morph.normals.size(), vertices)) {
      wrong("morph-size", "the morph target " + morph.name + " has the wrong number of vertices");
    }
  }
  if (part.node < kNone || part.node >= static_cast<Index>(character.skeleton.size())) {
    wrong("part-node", "it hangs from a node that does not exist");
  }
  if (!part.skinned()) return;
  if (part.skin.inverse_bind.size() != part.skin.joints.size()) {
    wrong("skin-size", "the number of bind matrices differs from the number of joints");
  }
  for (const Index j : part.skin.joints) {
    if (j < 0 || static_cast<std::size_t>(j) >= character.skeleton.size()) {
      wrong("skin-joint", "the skin refers to a joint that does not exist");
      break;
    }
  }
  if (part.weights.vertex_count() != vertices) {
    wrong("weights-size", "the number of weight rows differs from the number of vertices");
  }
  add(validate(part.weights, static_cast<Index>(part.skin.joints.size())));
}

}  // namespace

Problems validate(const Character& character) {
  Problems problems = validate(character.skeleton);
  for (const Part& part : character.parts) validate_part(character, part, problems);
  for (const Clip& clip : character.clips) {
    const Problems found = validate(clip, character.skeleton);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  return problems;
}

Problems check_reach(const Pose& pose, const Character& character) {
  Box box;
  for (const Part& part : character.parts) box.extend(bounding_box(part.surface.positions));
  const double size = box.isEmpty() ? 0 : box.diagonal().norm();
  ProblemCollector far, large;
  const std::vector<Affine> global = global_transforms(character.skeleton, pose);
  for (std::size_t j = 0; j < global.size(); ++j) {
    // Written so that what is not a number counts too.
    if (size > 0 && !(global[j].translation().cwiseAbs().maxCoeff() <= kFarAway * size)) far.add(static_cast<Index>(j));
    if (!(global[j].linear().cwiseAbs().maxCoeff() <= kFarAway)) large.add(static_cast<Index>(j));
  }
  Problems problems;
  far.report(problems, Severity::warning, "pose-far",
             "{} joint{|s} of the pose {is|are} more than 100,000 times the character's size away, where single "
             "precision shows no shape");
  large.report(problems, Severity::warning, "pose-large",
               "{} joint{|s} of the pose make{s|} what follows {it|them} more than 100,000 times as large");
  return problems;
}

}  // namespace isochor
