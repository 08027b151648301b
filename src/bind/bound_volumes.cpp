#include "bind/bound_volumes.h"

#include <algorithm>

#include "isochor/base/error.h"

namespace isochor {
namespace {

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

}  // namespace

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
                   "{} joint{|s} move{s|} nothing in the file's present weights and {was|were} left out");
    handle_options.skip.insert(handle_options.skip.end(), unused.begin(), unused.end());
    handle_options.proven = use.known;
  }
  Handles found = joint_handles(skeleton, placed.bind, handle_options);
  problems.insert(problems.end(), found.problems.begin(), found.problems.end());
  return found;
}

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

void rename_elements(Problems& problems, std::span<const Handle> handles, const Weld& weld) {
  for (Problem& problem : problems) {
    for (Index& element : problem.elements) {
      if (problem.code == "bone-outside") element = handles[element].joint;
      if (problem.code.starts_with("vertices-")) element = weld.first_source[element];
    }
    std::sort(problem.elements.begin(), problem.elements.end());
  }
}

Index first_vertex(const Character& character, Index part) {
  std::size_t first = 0;
  for (Index p = 0; p < part; ++p) first += character.parts[p].surface.vertex_count();
  return static_cast<Index>(first);
}

void name_vertices(const Character& character, const PlacedParts& placed, const WholeSurface& whole,
                   Problems& problems) {
  const auto& begin = whole.part_begin;
  for (Problem& problem : problems) {
    if (!problem.code.starts_with("vertices-")) continue;
    for (Index& element : problem.elements) {
      const auto i =
          static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), element) - begin.begin()) - 1;
      element += first_vertex(character, placed.parts[i]) - begin[i];
    }
  }
}

}  // namespace isochor
