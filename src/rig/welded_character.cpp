#include "isochor/rig/welded_character.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "isochor/base/error.h"
#include "isochor/mesh/volume.h"
#include "rig/place_parts.h"

namespace isochor {
namespace {

/// Cloth: the cap over one boundary loop is nearly as large as the surface itself. A hemisphere's is half of it.
bool is_sheet(const Surface& surface, const Component& component) {
  constexpr double kCapShare = 0.6;
  double area = 0, cap = 0;
  for (const Index f : component.faces) area += area_vector(surface.positions, surface.face(f)).norm();
  for (const auto& loop : component.boundary_loops) {
    cap = std::max(cap, area_vector(surface.positions, loop).norm());
  }
  return cap > kCapShare * area;
}

bool encloses_volume(const Surface& surface, const Component& component, double volume) {
  if (!component.orientable || is_sheet(surface, component)) return false;
  Box box;
  for (const Index v : component.vertices) box.extend(surface.positions[v]);
  return std::abs(volume) > 1e-6 * std::pow(box.diagonal().norm(), 3);
}

bool same_skin(const Part& a, const Part& b) {
  return &a == &b || (a.skin.joints == b.skin.joints &&
                      std::equal(a.skin.inverse_bind.begin(), a.skin.inverse_bind.end(), b.skin.inverse_bind.begin(),
                                 [](const Affine& x, const Affine& y) { return x.matrix() == y.matrix(); }));
}

bool same_row(const Part& a, std::size_t va, const Part& b, std::size_t vb) {
  const auto first = a.weights.row(va), second = b.weights.row(vb);
  return std::equal(first.begin(), first.end(), second.begin(), second.end());
}

/// Whether two vertices lie on each other, by their positions and whatever morph targets make of them.
bool same_place(const Part& a, std::size_t va, const Part& b, std::size_t vb) {
  if (a.surface.positions[va] != b.surface.positions[vb]) return false;
  if (a.morphs.empty() && b.morphs.empty()) return true;
  if (&a != &b) return false;
  return std::all_of(a.morphs.begin(), a.morphs.end(),
                     [&](const MorphTarget& m) { return m.positions[va] == m.positions[vb]; });
}

}  // namespace

WeldedCharacter::WeldedCharacter(const Character& character, const WeldOptions& options)
    : character_(character), whole_(assemble(character, options)), topology_(analyse(whole_.weld.surface)) {
  measure_components();
  number_bones();
  gather_rows();
  gather_shares();
  find_strays();
}

void WeldedCharacter::take_weights() {
  std::size_t bones = 0;
  for (const Part& part : character_.parts) bones += part.skinned() ? part.skin.joints.size() : 1;
  const bool same = bones == bones_.size() && std::all_of(bones_.begin(), bones_.end(), [&](const Bone& bone) {
                      const Part& part = character_.parts[bone.part];
                      if (bone.slot == kNone) return !part.skinned();
                      return static_cast<std::size_t>(bone.slot) < part.skin.joints.size() &&
                             part.skin.joints[bone.slot] == bone.joint;
                    });
  if (!same) throw_bad_input("the skins of the character have other joints than before");
  weights_ = {};
  shares_.clear();
  strays_.clear();
  stray_of_.clear();
  stray_weights_ = {};
  gather_rows();
  gather_shares();
  find_strays();
}

void WeldedCharacter::measure_components() {
  for (const Component& component : topology_.components) {
    rest_volumes_.push_back(signed_volume(surface(), component));
    has_volume_.push_back(encloses_volume(surface(), component, rest_volumes_.back()) ? 1 : 0);
  }
}

void WeldedCharacter::number_bones() {
  const std::vector<Affine> rest = global_transforms(skeleton(), rest_pose(skeleton()));
  for (std::size_t p = 0; p < character_.parts.size(); ++p) {
    const Part& part = character_.parts[p];
    first_bone_.push_back(static_cast<Index>(bones_.size()));
    for (std::size_t j = 0; j < part.skin.joints.size(); ++j) {
      bones_.push_back({static_cast<Index>(p), static_cast<Index>(j), part.skin.joints[j]});
      inverse_binds_.push_back(part.skin.inverse_bind[j]);
    }
    if (part.skinned()) continue;
    const bool moves = part.node != kNone && rest[part.node].linear().determinant() != 0;
    bones_.push_back({static_cast<Index>(p), kNone, moves ? part.node : kNone});
    inverse_binds_.push_back(moves ? Affine(rest[part.node].inverse()) : Affine(Affine::Identity()));
  }
}

void WeldedCharacter::add_row(const PartVertex& at, SkinWeights& rows) const {
  const Part& part = character_.parts[at.part];
  if (!part.skinned()) {
    const Influence carried[] = {{first_bone_[at.part], 1}};
    rows.add_row(carried);
    return;
  }
  rows.add_row(part.weights.row(at.vertex));
  for (Influence& i : rows.row(rows.vertex_count() - 1)) i.joint += first_bone_[at.part];
}

void WeldedCharacter::gather_rows() {
  for (std::size_t v = 0; v < surface().vertex_count(); ++v) {
    add_row(whole_.first_vertex(static_cast<Index>(v)), weights_);
  }
}

/// The bone that a twin rides on, in its own skin: what a twin adds to a volume is no change of scale. Other bones are
/// their own.
Index WeldedCharacter::carrier(Index bone) const {
  const auto& joints = skeleton().joints;
  Index joint = bones_[bone].joint;
  if (joint == kNone || !joints[joint].twin) return bone;
  while (joint != kNone && joints[joint].twin) joint = joints[joint].parent;
  const Index part = bones_[bone].part;
  const auto& slots = character_.parts[part].skin.joints;
  const auto slot = std::find(slots.begin(), slots.end(), joint);
  return slot == slots.end() ? bone : first_bone_[part] + static_cast<Index>(slot - slots.begin());
}

void WeldedCharacter::gather_shares() {
  std::map<std::pair<Index, Index>, double> sums;
  for (std::size_t v = 0; v < weights_.vertex_count(); ++v) {
    const Index component = topology_.component_of_vertex[v];
    if (component == kNone) continue;
    for (const Influence& i : weights_.row(v)) sums[{component, carrier(i.joint)}] += i.weight;
  }
  std::vector<double> totals(topology_.components.size(), 0.0);
  for (const auto& [key, weight] : sums) totals[key.first] += weight;
  shares_.resize(totals.size());
  for (const auto& [key, weight] : sums) {
    if (totals[key.first] > 0) shares_[key.first].push_back({key.second, weight / totals[key.first]});
  }
}

void WeldedCharacter::find_strays() {
  const auto& parts = character_.parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].skinned()) continue;
    for (std::size_t v = 0; v < parts[p].surface.vertex_count(); ++v) {
      if (whole_.leads(p, v)) continue;
      const Index welded = whole_.welded(p, v);
      const PartVertex first = whole_.first_vertex(welded);
      const Part& other = parts[first.part];
      const bool follows = same_skin(parts[p], other) && same_row(parts[p], v, other, first.vertex);
      if (follows && same_place(parts[p], v, other, first.vertex)) continue;
      if (strays_.empty()) stray_of_.assign(whole_.weld.vertex.size(), kNone);
      stray_of_[whole_.source(p, v)] = static_cast<Index>(strays_.size());
      strays_.push_back({.file = {p, v}, .welded = welded, .follows_others = !follows});
      add_row({p, v}, stray_weights_);
    }
  }
}

void WeldedCharacter::bone_matrices(std::span<const Affine> global, std::span<Affine> out) const {
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    out[b] =
        bones_[b].joint == kNone ? Affine(Affine::Identity()) : Affine(global[bones_[b].joint] * inverse_binds_[b]);
  }
}

double WeldedCharacter::volume_scale(std::size_t component, std::span<const Affine> bone_matrices) const {
  double scale = shares_[component].empty() ? 1 : 0;
  for (const Share& share : shares_[component]) {
    scale += share.weight * bone_matrices[share.bone].linear().determinant();
  }
  return scale;
}

RestSpace WeldedCharacter::rest_space() const {
  PlacedParts placed = place_all_parts(character_);
  RestSpace space;
  std::vector<Influence> row;
  for (std::size_t v = 0; v < surface().vertex_count(); ++v) {
    row.clear();
    for (const Influence& i : weights_.row(v)) {
      const Index joint = bones_[i.joint].joint;
      if (i.weight > 0 && joint != kNone) row.push_back({joint, i.weight});
    }
    space.weights.add_row(row);
    const PartVertex first = whole_.first_vertex(static_cast<Index>(v));
    space.rest.push_back(placed.placement[first.part] * character_.parts[first.part].surface.positions[first.vertex]);
  }
  space.bind = std::move(placed.bind);
  for (const Affine& m : space.bind) space.inverse_bind.push_back(m.inverse());
  for (Affine& m : space.inverse_bind) {
    if (!m.matrix().allFinite()) m = Affine::Identity();
  }
  const Box box = bounding_box(space.rest);
  if (!box.isEmpty() && box.diagonal().norm() > 0) space.size = box.diagonal().norm();
  return space;
}

Problems find_problems(const WeldedCharacter& welded) {
  const Character& character = welded.character();
  Problems problems = character.problems;
  for (Problem& problem : validate(character)) {
    if (problem.severity == Severity::error || problem.code == "joint-names") problems.push_back(std::move(problem));
  }
  const double size = bounding_box(welded.surface().positions).diagonal().norm();
  for (const Clip& clip : character.clips) {
    for (Problem& problem : check_reach(clip, size)) problems.push_back(std::move(problem));
  }
  ProblemCollector inverted;
  for (std::size_t c = 0; c < welded.topology().components.size(); ++c) {
    if (welded.has_volume(c) && welded.rest_volumes()[c] < 0) inverted.add(static_cast<Index>(c));
  }
  inverted.report(problems, Severity::warning, "inside-out", "{} component{|s} {is|are} turned inside out");
  for (Problem& problem : validate(welded.surface())) problems.push_back(std::move(problem));
  return problems;
}

double relative_volume_error(double volume, double target) {
  return target == 0 ? 0 : std::abs(volume - target) / std::abs(target);
}

}  // namespace isochor
