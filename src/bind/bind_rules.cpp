#include "bind/bind_rules.h"

#include <algorithm>
#include <iterator>

#include "isochor/base/error.h"

namespace isochor {
namespace {

bool matches_any(std::string_view name, std::span<const std::string> globs) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) { return matches_glob(name, glob); });
}

/// The file's row of a vertex, joints of the skeleton.
std::vector<Influence> painted_row(const VolumeWork& work, PartVertex at) {
  const Part& part = work.character.parts[work.placed.parts[at.part]];
  std::vector<Influence> row;
  if (!has_weight(part, at.vertex)) return row;
  for (const Influence& i : part.weights.row(at.vertex)) row.push_back({part.skin.joints[i.joint], i.weight});
  return row;
}

/// Painted weights of the joints that stay, then the new ones, scaled to what is left.
void fill_up(std::span<const Influence> painted, std::span<const char> stays, const WeightLimits& limits,
             std::vector<Influence>& row) {
  std::vector<Influence> kept;
  double sum = 0;
  for (const Influence& i : painted) {
    if (stays[i.joint] == 0 || !(i.weight > 0)) continue;
    kept.push_back(i);
    sum += i.weight;
  }
  const std::vector<Influence> found = row;
  std::erase_if(row, [&](const Influence& i) { return stays[i.joint] != 0; });
  // Where the new row knows none but joints that stay, the painted row fills what they leave.
  if (row.empty()) {
    std::copy_if(painted.begin(), painted.end(), std::back_inserter(row),
                 [&](const Influence& i) { return stays[i.joint] == 0; });
  }
  const auto room = static_cast<std::size_t>(std::max(0, limits.influences - static_cast<int>(kept.size())));
  if (row.size() > room) row.resize(room);
  double rest = 0;
  for (const Influence& i : row) rest += i.weight;
  const double left = std::max(0.0, 1 - sum);
  for (Influence& i : row) i.weight *= rest > 0 ? left / rest : 0.0;
  std::erase_if(row, [](const Influence& i) { return !(i.weight > 0); });
  row.insert(row.end(), kept.begin(), kept.end());
  if (row.empty()) row = found;  // nothing is painted
}

/// The vertices of the weld that a rigid rule's glob names: of parts, of faces with a material, or those that follow
/// some joints most.
std::vector<char> vertices_named(const VolumeWork& work, const std::string& glob, const SkinWeights& weights) {
  std::vector<char> named(work.whole.weld.surface.vertex_count(), 0);
  bool any = false;
  for (std::size_t i = 0; i < work.placed.parts.size(); ++i) {
    const Part& part = work.character.parts[work.placed.parts[i]];
    const bool whole = matches_glob(part.name, glob);
    const auto mark = [&](Index v) { named[work.whole.welded(i, static_cast<std::size_t>(v))] = 1; };
    for (Index v = 0; whole && v < static_cast<Index>(part.surface.vertex_count()); ++v) mark(v);
    any = any || whole;
    for (std::size_t f = 0; !whole && f < part.face_material.size(); ++f) {
      const Index m = part.face_material[f];
      if (m == kNone || !matches_glob(work.character.materials[m].name, glob)) continue;
      any = true;
      for (const Index v : part.surface.face(f)) mark(v);
    }
  }
  if (any) return named;
  const auto& joints = work.character.skeleton.joints;
  any = std::any_of(joints.begin(), joints.end(), [&](const Joint& j) { return matches_glob(j.name, glob); });
  if (!any) throw_bad_input("no mesh, material or joint is called " + glob + ", so it cannot be made rigid");
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    named[v] = !row.empty() && matches_glob(joints[row.front().joint].name, glob);
  }
  return named;
}

void replace_rows(SkinWeights& weights, std::span<const std::vector<Influence>> rows) {
  SkinWeights result;
  for (const auto& row : rows) result.add_row(row);
  weights = std::move(result);
}

}  // namespace

std::vector<char> kept_parts(const VolumeWork& work, std::span<const std::string> keep) {
  std::vector<char> kept;
  for (const Index p : work.placed.parts) {
    const Part& part = work.character.parts[p];
    kept.push_back(part.skinned() && matches_any(part.name, keep) ? 1 : 0);
  }
  return kept;
}

void keep_painted(const VolumeWork& work, const BindOptions& options, SkinWeights& weights) {
  if (options.keep.empty()) return;
  const auto whole = kept_parts(work, options.keep);
  std::vector<char> stays(work.character.skeleton.size(), 0);
  for (std::size_t j = 0; j < stays.size(); ++j) {
    stays[j] = matches_any(work.character.skeleton.joints[j].name, options.keep) ? 1 : 0;
  }
  std::vector<std::vector<Influence>> rows(weights.vertex_count());
  for (std::size_t v = 0; v < rows.size(); ++v) {
    rows[v].assign(weights.row(v).begin(), weights.row(v).end());
    const PartVertex at = work.whole.first_vertex(static_cast<Index>(v));
    if (work.character.parts[work.placed.parts[at.part]].skinned()) {
      fill_up(painted_row(work, at), stays, options.limits, rows[v]);
    }
  }
  // A vertex that any part which stays has keeps that part's row: the lowest file vertex decides.
  for (std::size_t source = work.whole.weld.vertex.size(); source-- > 0;) {
    const PartVertex at = work.whole.part_vertex(static_cast<Index>(source));
    if (whole[at.part] == 0) continue;
    auto row = painted_row(work, at);
    if (!row.empty()) rows[work.whole.weld.vertex[source]] = std::move(row);
  }
  replace_rows(weights, rows);
  normalise(weights);
  sort_by_weight(weights);
}

void make_rigid(const VolumeWork& work, std::span<const RigidRule> rules, std::span<const char> takes_weight,
                SkinWeights& weights) {
  if (rules.empty()) return;
  std::vector<std::vector<Influence>> rows(weights.vertex_count());
  for (std::size_t v = 0; v < rows.size(); ++v) rows[v].assign(weights.row(v).begin(), weights.row(v).end());
  for (const RigidRule& rule : rules) {
    const Index joint = work.character.skeleton.find(rule.joint);
    if (joint == kNone) throw_bad_input("there is no joint called " + rule.joint + " for " + rule.glob + " to follow");
    if (takes_weight[joint] == 0)
      throw_bad_input("the joint " + rule.joint + " takes no weight, so " + rule.glob + " cannot follow it");
    const auto named = vertices_named(work, rule.glob, weights);
    for (std::size_t v = 0; v < rows.size(); ++v) {
      if (named[v] != 0) rows[v] = {{joint, 1.0}};
    }
  }
  replace_rows(weights, rows);
}

}  // namespace isochor
