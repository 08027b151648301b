#include "isochor/bind/bind.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "bind/bind_rules.h"
#include "bind/grow_bones.h"
#include "bind/rigid_shells.h"
#include "isochor/base/error.h"
#include "isochor/bind/symmetry.h"
#include "isochor/mesh/topology.h"
#include "rig/place_parts.h"

namespace isochor {
namespace {

void append_problems(Problems& to, const Problems& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Weights below this, which rounding or a limit on influences leaves, make no joint one in use.
constexpr double kInUse = 0.05;

/// Joints of a volume that vertices of it follow at present, if those are enough to tell which joints are meant to.
struct JointUse {
  bool known = false;
  std::vector<Index> unused;
};

JointUse joint_use(const Character& character, const PlacedParts& placed) {
  std::vector<char> used(character.skeleton.size(), 0);
  for (const Index p : placed.parts) {
    const Part& part = character.parts[p];
    for (std::size_t v = 0; v < part.weights.vertex_count(); ++v) {
      if (!has_weight(part, v)) continue;
      for (const Influence& i : part.weights.row(v)) {
        if (i.weight >= kInUse) used[part.skin.joints[i.joint]] = 1;
      }
    }
  }
  JointUse use;
  std::size_t joints = 0;
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (placed.joint[j] == 0) continue;
    ++joints;
    if (used[j] == 0) use.unused.push_back(static_cast<Index>(j));
  }
  use.known = (joints - use.unused.size()) * 3 >= joints;
  if (!use.known) use.unused.clear();
  return use;
}

/// The joints that take weights in a volume, as handles.
Handles volume_handles(const Character& character, const PlacedParts& placed, const BindOptions& options,
                       Problems& problems) {
  Skeleton skeleton = character.skeleton;
  for (std::size_t j = 0; j < skeleton.size(); ++j) skeleton.joints[j].deforms = placed.joint[j] != 0;
  HandleOptions handle_options = options.handles;
  // A joint that the user names takes part, whatever the file or a rule says.
  std::vector<Index>& named = handle_options.certain;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const bool is_named = std::any_of(options.rigid.begin(), options.rigid.end(),
                                      [&](const RigidRule& rule) { return rule.joint == skeleton.joints[j].name; });
    if (is_named) named.push_back(static_cast<Index>(j));
  }
  if (options.unused == UnusedJoints::skip) {
    JointUse use = joint_use(character, placed);
    std::vector<Index>& unused = use.unused;
    std::erase_if(unused, [&](Index j) { return std::find(named.begin(), named.end(), j) != named.end(); });
    ProblemCollector skipped;
    for (const Index j : unused) skipped.add(j);
    skipped.report(problems, Severity::note, "joints-unused",
                   "{} joints move nothing in the file's present weights and were left out");
    handle_options.skip.insert(handle_options.skip.end(), unused.begin(), unused.end());
    handle_options.proven = use.known;
  }
  Handles found = joint_handles(skeleton, placed.bind, handle_options);
  append_problems(problems, found.problems);
  return found;
}

/// The parts in their common space, welded.
WholeSurface placed_surface(const Character& character, const PlacedParts& placed, const WeldOptions& options) {
  Surface whole;
  WholeSurface out;
  for (std::size_t i = 0; i < placed.parts.size(); ++i) {
    out.part_begin.push_back(static_cast<Index>(whole.vertex_count()));
    const Part& part = character.parts[placed.parts[i]];
    const Index first = append(whole, part.surface);
    if (placed.placement[i].matrix().isIdentity(0)) continue;
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      Vec3& p = whole.positions[static_cast<std::size_t>(first) + v];
      p = placed.placement[i] * p;
    }
  }
  out.part_begin.push_back(static_cast<Index>(whole.vertex_count()));
  for (std::size_t v = 0; v < whole.vertex_count(); ++v) {
    if (!whole.positions[v].allFinite()) {
      throw_bad_input("vertex " + std::to_string(v) + " has a position that is not a number", static_cast<Index>(v));
    }
  }
  out.weld = weld(whole, options);
  return out;
}

GvbWeighting weighting_of(const Character& character, std::span<const Handle> handles, const BindOptions& options) {
  GvbWeighting weighting{.falloff = options.falloff, .limits = options.limits};
  if (options.joint_falloff.empty()) return weighting;
  weighting.joint_falloff.assign(handles.size(), std::nan(""));
  for (const JointFalloff& rule : options.joint_falloff) {
    for (std::size_t h = 0; h < handles.size(); ++h) {
      if (matches_glob(character.skeleton.joints[handles[h].joint].name, rule.glob)) {
        weighting.joint_falloff[h] = rule.falloff;
      }
    }
  }
  return weighting;
}

/// Names in problems: handles become joints of the skeleton, welded vertices become those of the file.
void rename_elements(Problems& problems, std::span<const Handle> handles, const Weld& weld) {
  for (Problem& problem : problems) {
    for (Index& element : problem.elements) {
      if (problem.code == "bone-outside") element = handles[element].joint;
      if (problem.code.starts_with("vertices-")) element = weld.first_source[element];
    }
    std::sort(problem.elements.begin(), problem.elements.end());
  }
}

struct MethodResult {
  SkinWeights weights;          ///< Influence::joint is the handle
  std::vector<Handle> handles;  ///< leaves grown
};

/// Leaves grow without voxels, so that nothing depends on how the mesh is turned.
void grow_freely(const VolumeWork& work, std::vector<Handle>& handles, BoundVolume& report) {
  grow_bones(winding_space(work.whole.weld.surface), handles, report.rules);
}

MethodResult run_distance(const VolumeWork& work, std::vector<Handle> handles, const BindOptions& options,
                          BoundVolume& report, Context& context) {
  const StageTimer timer(context, "weights");
  grow_freely(work, handles, report);
  MethodResult result;
  result.weights = distance_weights(work.whole.weld.surface.positions, handles, options.distance, context);
  apply(options.limits, result.weights);
  result.handles = std::move(handles);
  return result;
}

MethodResult run_heat(const VolumeWork& work, std::vector<Handle> handles, const BindOptions& options,
                      BoundVolume& report, Context& context) {
  grow_freely(work, handles, report);
  HeatWeights heat = heat_weights(work.whole.weld.surface, handles, options.heat, context);
  apply(options.limits, heat.weights);
  report.unseen = static_cast<std::size_t>(std::count(heat.sees_bone.begin(), heat.sees_bone.end(), 0));
  report.problems = std::move(heat.problems);
  rename_elements(report.problems, handles, work.whole.weld);
  return {std::move(heat.weights), std::move(handles)};
}

/// What geodesic heat is started from: the distances of heat, and nothing smoothed.
GvbOptions plain_distances(GvbOptions options) {
  options.facing = 1;
  options.smoothing = 0;
  return options;
}

MethodResult run_voxels(const VolumeWork& work, std::vector<Handle> handles, const BindOptions& options,
                        BoundVolume& report, Context& context) {
  const bool heat = options.method == BindMethod::geodesic_heat;
  const Surface& surface = work.whole.weld.surface;
  const GvbBinding binding(surface, std::move(handles), heat ? plain_distances(options.gvb) : options.gvb, context,
                           options.limits.influences);
  const StageTimer timer(context, "weights");
  MethodResult result;
  if (heat) {
    result.weights = geodesic_heat_weights(surface, binding, options.geodesic_heat, context);
    apply(options.limits, result.weights);
  } else {
    result.weights = binding.weights(weighting_of(work.character, binding.handles(), options), context);
  }
  result.handles = binding.handles();
  report.gvb = binding.evidence();
  report.rules.add(report.gvb.rules);
  rename_elements(report.gvb.problems, result.handles, work.whole.weld);
  return result;
}

/// Edges longer than this many times the length over which heat fades cannot show how it does.
constexpr double kCoarse = 2.5;

/// Pieces that heat does not suit: they do not see their bones, or their edges are too long.
std::vector<char> pieces_without_heat(const Surface& surface, const HeatWeights& heat) {
  const Topology topology = analyse(surface);
  std::vector<double> edges(topology.components.size(), 0.0), reach(edges);
  for (const Edge& edge : topology.edges) {
    if (heat.sees_bone[edge.a] == 0 || heat.sees_bone[edge.b] == 0) continue;
    const Index component = topology.component_of_vertex[edge.a];
    edges[component] += (surface.positions[edge.a] - surface.positions[edge.b]).norm();
    reach[component] += 0.5 * (heat.reach[edge.a] + heat.reach[edge.b]);
  }
  std::vector<char> without(surface.vertex_count(), 0);
  for (std::size_t c = 0; c < topology.components.size(); ++c) {
    const Component& component = topology.components[c];
    const bool coarse = edges[c] > kCoarse * reach[c];
    if (!coarse && sees_bones(component, [&](Index v) { return heat.sees_bone[v] != 0; })) continue;
    for (const Index v : component.vertices) without[v] = 1;
  }
  for (const Index v : topology.isolated_vertices) without[v] = 1;
  return without;
}

/// Heat; and geodesic voxel binding for pieces that heat does not suit.
MethodResult run_auto(const VolumeWork& work, std::vector<Handle> handles, const BindOptions& options,
                      BoundVolume& report, Context& context) {
  const Surface& surface = work.whole.weld.surface;
  grow_freely(work, handles, report);
  HeatWeights heat = heat_weights(surface, handles, options.heat, context);
  apply(options.limits, heat.weights);
  const std::vector<char> dark = pieces_without_heat(surface, heat);
  report.unseen = static_cast<std::size_t>(std::count(dark.begin(), dark.end(), 1));
  if (report.unseen == 0) return {std::move(heat.weights), std::move(handles)};
  // Warnings of heat are about pieces that it does not bind here.
  for (Handle& handle : handles) handle.proven = true;
  MethodResult result = run_voxels(work, std::move(handles), options, report, context);
  SkinWeights mixed;
  for (std::size_t v = 0; v < dark.size(); ++v)
    mixed.add_row(dark[v] != 0 ? result.weights.row(v) : heat.weights.row(v));
  result.weights = std::move(mixed);
  return result;
}

MethodResult run_method(const VolumeWork& work, std::vector<Handle> handles, const BindOptions& options,
                        BoundVolume& report, Context& context) {
  switch (options.method) {
    case BindMethod::automatic:
      // Heat knows no falloff.
      if (!options.joint_falloff.empty()) break;
      return run_auto(work, std::move(handles), options, report, context);
    case BindMethod::distance:
      return run_distance(work, std::move(handles), options, report, context);
    case BindMethod::heat:
      return run_heat(work, std::move(handles), options, report, context);
    case BindMethod::gvb:
    case BindMethod::geodesic_heat:
      break;
  }
  return run_voxels(work, std::move(handles), options, report, context);
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

void bind_volume(const Character& character, const PlacedParts& placed, const BindOptions& options, BindResult& result,
                 Context& context) {
  BoundVolume report;
  report.parts = placed.parts;
  const WholeSurface whole = placed_surface(character, placed, options.weld);
  const VolumeWork work{character, placed, whole};
  Handles handles = volume_handles(character, placed, options, result.problems);
  report.rules = handles.rules;
  MethodResult method = run_method(work, std::move(handles.handles), options, report, context);

  const StageTimer timer(context, "weights");
  if (options.handles.rules == BoneRules::on) {
    bind_small_shells(whole.weld.surface, method.handles, method.weights, report.rules);
  }
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
    const Problems wrong = validate(bound.weights, static_cast<Index>(bound.skin.joints.size()));
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

/// Globs of rules must match something: a misspelt name is an error, not a silence.
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
    if (!is_joint(glob)) {
      problems.push_back(
          {Severity::note, "exclude-unknown", "no joint is called " + glob + ", so none was excluded", {}, 0});
    }
  }
  for (const JointFalloff& rule : options.joint_falloff) {
    if (!is_joint(rule.glob)) throw_bad_input("no joint is called " + rule.glob + ", so it can have no falloff");
    if (!(rule.falloff >= 0 && rule.falloff <= 1)) {
      throw_bad_input("the falloff of " + rule.glob + " must be between 0 and 1");
    }
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

/// Parts that match a glob; without globs those with a skin, or all where none has one. Parts without a vertex are left
/// out.
std::vector<Index> choose_parts(const Character& character, std::span<const std::string> globs) {
  std::vector<char> chosen(character.parts.size(), 0);
  for (const std::string& glob : globs) {
    bool any = false;
    for (std::size_t p = 0; p < chosen.size(); ++p) {
      if (!matches_glob(character.parts[p].name, glob)) continue;
      chosen[p] = 1;
      any = true;
    }
    if (!any) throw_bad_input("no mesh is called " + glob);
  }
  if (globs.empty()) {
    const bool any_skin =
        std::any_of(character.parts.begin(), character.parts.end(), [](const Part& p) { return p.skinned(); });
    for (std::size_t p = 0; p < chosen.size(); ++p) chosen[p] = !any_skin || character.parts[p].skinned();
  }
  std::vector<Index> parts;
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (chosen[p] != 0 && !character.parts[p].surface.positions.empty()) parts.push_back(static_cast<Index>(p));
  }
  if (parts.empty()) throw_bad_input("there is no mesh to bind");
  return parts;
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

BindResult bind(const Character& character, const BindOptions& options, Context& context) {
  check_ranges(options);
  BindResult result;
  check_names(character, options, result.problems);
  if (character.skeleton.deforming_count() == 0) throw_bad_input("there is no joint to bind to");
  const std::vector<Index> parts = choose_parts(character, options.parts);
  for (const PlacedParts& placed : place_parts(character, parts, result.problems)) {
    bind_volume(character, placed, options, result, context);
  }
  summarise(result);
  return result;
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
