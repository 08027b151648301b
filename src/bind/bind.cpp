#include "isochor/bind/bind.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bind/bind_methods.h"
#include "bind/bind_rules.h"
#include "bind/bound_volumes.h"
#include "bind/gvb_cells.h"
#include "isochor/base/error.h"
#include "isochor/bind/symmetry.h"
#include "rig/place_parts.h"

namespace isochor {
namespace {

void append_problems(Problems& to, const Problems& from) { to.insert(to.end(), from.begin(), from.end()); }

}  // namespace

/// A volume with all that does not depend on falloffs.
struct PreparedVolume {
  PlacedParts placed;
  WholeSurface whole;
  MeasuredVolume measured;
  BoundVolume report;
  Problems problems;  ///< of the handles
};

namespace {

PreparedVolume prepare_volume(const Character& character, PlacedParts placed, const BindOptions& options,
                              Context& context) {
  PreparedVolume volume;
  volume.placed = std::move(placed);
  volume.whole = placed_surface(character, volume.placed, options.weld);
  volume.report.parts = volume.placed.parts;
  Handles handles = volume_handles(character, volume.placed, options, volume.problems);
  volume.report.rules = std::move(handles.rules);
  // Methods that need no voxels can go on all the same; those that do refuse.
  const std::string far = far_joints(volume.whole.weld.surface, handles.handles);
  if (!far.empty()) volume.problems.push_back({Severity::warning, "joints-far", far, {}, 0});
  volume.measured = measure(volume.whole.weld, std::move(handles.handles), options, volume.report, context);
  name_vertices(character, volume.placed, volume.whole, volume.report.problems);
  name_vertices(character, volume.placed, volume.whole, volume.report.gvb.problems);
  return volume;
}

struct MethodResult {
  SkinWeights weights;  ///< Influence::joint is the handle
  std::span<const Handle> handles;
};

/// Vertices that a method found no weight for, as numbers ran out between a mesh and bones of another order of
/// magnitude, follow the nearest bone.
void follow_nearest(const Weld& weld, MethodResult& result, Problems& problems) {
  const auto& positions = weld.surface.positions;
  SkinWeights filled;
  ProblemCollector lost;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto row = std::as_const(result.weights).row(v);
    if (!row.empty() &&
        std::all_of(row.begin(), row.end(), [](const Influence& i) { return std::isfinite(i.weight); })) {
      filled.add_row(row);
      continue;
    }
    lost.add(static_cast<Index>(v));
    const auto nearest = std::min_element(
        result.handles.begin(), result.handles.end(),
        [&](const Handle& a, const Handle& b) { return distance(a, positions[v]) < distance(b, positions[v]); });
    filled.add_row(std::array{Influence{static_cast<Index>(nearest - result.handles.begin()), 1.0}});
  }
  if (lost.count() == 0) return;
  result.weights = std::move(filled);
  lost.report(problems, Severity::warning, "vertices-nearest",
              "{} vert{ex|ices} {is|are} too small or too far away for the method and follow{s|} the nearest bone");
  rename_elements(problems, result.handles, weld);
}

void make_symmetric(std::span<const Vec3> positions, MethodResult& result, const BindOptions& options,
                    BoundVolume& report) {
  MirrorSearch search = find_mirror(positions, result.handles);
  report.symmetry = std::move(search.reason);
  report.symmetric = search.mirror.has_value();
  if (!search.mirror) return;
  symmetrise(result.weights, *search.mirror);
  limit_pairs(result.weights, *search.mirror, static_cast<Index>(options.limits.influences));
  apply(options.limits, result.weights);
}

/// The part's own skin, with the joints that it lacks; for a part without one, all joints that take weights.
Skin part_skin(const Part& part, const Affine& placement, const PlacedParts& placed, std::span<const char> needed) {
  Skin skin = part.skin;
  std::vector<char> has(needed.size(), 0);
  for (const Index j : skin.joints) has[j] = 1;
  for (std::size_t j = 0; j < needed.size(); ++j) {
    if (needed[j] == 0 || has[j] != 0) continue;
    skin.joints.push_back(static_cast<Index>(j));
    skin.inverse_bind.push_back(placed.bind[j].inverse() * placement);
  }
  return skin;
}

BoundPart part_result(const VolumeWork& work, std::size_t i, const SkinWeights& weights, std::span<const char> needed) {
  BoundPart bound;
  bound.part = work.placed.parts[i];
  bound.skin = part_skin(work.character.parts[bound.part], work.placed.placement[i], work.placed, needed);
  std::vector<Index> place(needed.size(), kNone);
  for (std::size_t k = bound.skin.joints.size(); k-- > 0;) place[bound.skin.joints[k]] = static_cast<Index>(k);
  std::vector<Influence> row;
  for (std::size_t v = 0; v < work.character.parts[bound.part].surface.vertex_count(); ++v) {
    const auto source = weights.row(static_cast<std::size_t>(work.whole.welded(i, v)));
    row.assign(source.begin(), source.end());
    for (Influence& influence : row) influence.joint = place[influence.joint];
    bound.weights.add_row(row);
  }
  return bound;
}

void weigh_volume(const Character& character, const PreparedVolume& volume, const BindOptions& options,
                  const Falloffs& falloffs, BindResult& result, Context& context) {
  const StageTimer timer(context, "weights");
  BoundVolume report = volume.report;
  const PlacedParts& placed = volume.placed;
  const WholeSurface& whole = volume.whole;
  const VolumeWork work{character, placed, whole};
  append_problems(result.problems, volume.problems);
  MethodResult method{weigh(volume.measured, character.skeleton, falloffs, options.limits, report.rules, context),
                      volume.measured.handles};
  Problems lost;
  follow_nearest(whole.weld, method, lost);
  name_vertices(character, placed, whole, lost);
  append_problems(report.problems, lost);
  if (options.symmetric) make_symmetric(whole.weld.surface.positions, method, options, report);
  std::vector<char> takes(character.skeleton.size(), 0);
  for (const Handle& handle : method.handles) takes[handle.joint] = 1;
  for (Influence& i : method.weights.influences) i.joint = method.handles[i.joint].joint;
  keep_painted(work, options, method.weights);
  make_rigid(work, options.rigid, takes, method.weights);

  std::vector<char> needed = takes;
  for (const Influence& i : method.weights.influences) needed[i.joint] = 1;
  const auto whole_parts = kept_parts(work, options.keep);
  for (std::size_t i = 0; i < placed.parts.size(); ++i) {
    BoundPart bound = part_result(work, i, method.weights, needed);
    if (whole_parts[i] != 0) bound.weights = character.parts[bound.part].weights;
    Problems wrong = validate(bound.weights, static_cast<Index>(bound.skin.joints.size()));
    for (Problem& problem : wrong) {
      for (Index& element : problem.elements) element += first_vertex(character, bound.part);
    }
    result.vertices += bound.weights.vertex_count();
    result.bound += wrong.empty() ? bound.weights.vertex_count() : 0;
    append_problems(result.problems, wrong);
    result.parts.push_back(std::move(bound));
  }
  result.joints += method.handles.size();
  append_problems(result.problems, report.problems);
  append_problems(result.problems, report.gvb.problems);
  if (options.symmetric && !report.symmetric) {
    result.problems.push_back({Severity::warning, "not-symmetric", report.symmetry, {}, 0});
  }
  result.volumes.push_back(std::move(report));
}

void check_falloffs(const Skeleton& skeleton, const Falloffs& falloffs) {
  if (!(falloffs.falloff >= 0 && falloffs.falloff <= 1)) {
    throw_bad_input("the option falloff must be between 0 and 1");
  }
  for (const JointFalloff& rule : falloffs.joints) {
    const bool fits = std::any_of(skeleton.joints.begin(), skeleton.joints.end(),
                                  [&](const Joint& joint) { return matches_glob(joint.name, rule.glob); });
    if (!fits) throw_bad_input("no joint is called " + rule.glob + ", so it can have no falloff");
    if (!(rule.falloff >= 0 && rule.falloff <= 1)) {
      throw_bad_input("the falloff of " + rule.glob + " must be between 0 and 1");
    }
  }
}

/// Globs of rules must match something: a misspelt name is an error, not a silence. A pattern of joints to exclude may
/// fit nothing, since the same line serves many files; it is said all the same.
void check_names(const Character& character, const BindOptions& options, Problems& problems) {
  const auto& joints = character.skeleton.joints;
  const auto is_joint = [&](const std::string& glob) {
    return std::any_of(joints.begin(), joints.end(), [&](const Joint& j) { return matches_glob(j.name, glob); });
  };
  const auto is_part = [&](const std::string& glob) {
    return std::any_of(character.parts.begin(), character.parts.end(),
                       [&](const Part& p) { return matches_glob(p.name, glob); });
  };
  for (const std::string& glob : options.handles.exclude) {
    if (is_joint(glob)) continue;
    if (glob.find_first_of("*?") == std::string::npos) throw_bad_input("there is no joint " + glob + " to exclude");
    problems.push_back(
        {Severity::warning, "exclude-unknown", "no joint is called " + glob + ", so none was excluded", {}, 0});
  }
  for (const std::string& glob : options.keep) {
    if (!is_joint(glob) && !is_part(glob))
      throw_bad_input("no mesh or joint is called " + glob + ", so nothing can be kept");
  }
  for (const RigidRule& rule : options.rigid) {
    if (character.skeleton.find(rule.joint) == kNone) {
      throw_bad_input("there is no joint called " + rule.joint + " for " + rule.glob + " to follow");
    }
  }
}

void summarise(BindResult& result) {
  std::sort(result.parts.begin(), result.parts.end(), [](const auto& a, const auto& b) { return a.part < b.part; });
  for (const BoundVolume& volume : result.volumes) {
    if (volume.gvb.resolution > result.resolution) {
      result.resolution = volume.gvb.resolution;
      result.resolution_reason = volume.gvb.resolution_reason;
    }
    result.uniform_voxels += volume.gvb.uniform_voxels;
    result.sparse_voxels += volume.gvb.sparse_voxels;
  }
}

}  // namespace

struct CharacterBinding::Prepared {
  const Character& character;
  BindOptions options;
  Problems problems;
  std::vector<PreparedVolume> volumes;
};

CharacterBinding::CharacterBinding(const Character& character, const BindOptions& options, Context& context)
    : prepared_(std::make_unique<Prepared>(Prepared{character, options, {}, {}})) {
  check_ranges(options);
  check_falloffs(character.skeleton, {options.falloff, options.joint_falloff});
  check_names(character, options, prepared_->problems);
  if (character.skeleton.deforming_count() == 0) throw_bad_input("there is no joint to bind to");
  const std::vector<Index> parts = choose_parts(character, options.parts);
  for (PlacedParts& placed : place_parts(character, parts, prepared_->problems)) {
    prepared_->volumes.push_back(prepare_volume(character, std::move(placed), options, context));
  }
}

CharacterBinding::CharacterBinding(CharacterBinding&&) noexcept = default;
CharacterBinding& CharacterBinding::operator=(CharacterBinding&&) noexcept = default;
CharacterBinding::~CharacterBinding() = default;

BindResult CharacterBinding::weigh(const Falloffs& falloffs, Context& context) const {
  check_falloffs(prepared_->character.skeleton, falloffs);
  BindResult result;
  result.problems = prepared_->problems;
  for (const PreparedVolume& volume : prepared_->volumes) {
    weigh_volume(prepared_->character, volume, prepared_->options, falloffs, result, context);
  }
  summarise(result);
  return result;
}

BindResult bind(const Character& character, const BindOptions& options, Context& context) {
  return CharacterBinding(character, options, context).weigh({options.falloff, options.joint_falloff}, context);
}

void apply(const BindResult& result, Character& character) {
  for (const BoundPart& bound : result.parts) {
    Part& part = character.parts[bound.part];
    part.skin = bound.skin;
    part.weights = bound.weights;
    part.unweighted.clear();
    for (const Index j : bound.skin.joints) character.skeleton.joints[j].deforms = true;
  }
}

}  // namespace isochor
