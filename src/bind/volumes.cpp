#include "bind/volumes.h"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// Equal as placements: in what they do to points of a box about as large as their translations.
bool same_place(const Affine& a, const Affine& b, double size) {
  const double scale = a.linear().norm() + b.linear().norm();
  const double reach = a.translation().norm() + b.translation().norm() + scale * size;
  return (a.linear() - b.linear()).norm() <= 1e-3 * scale && (a.translation() - b.translation()).norm() <= 1e-3 * reach;
}

double size_of(const Part& part) {
  const Box box = bounding_box(part.surface.positions);
  return box.isEmpty() ? 1.0 : box.diagonal().norm();
}

/// Joins parts that share joints; each part gets the lowest of its group.
std::vector<std::size_t> groups_by_joints(const Character& character, std::span<const Index> parts) {
  std::vector<std::size_t> group(parts.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  const auto find = [&](std::size_t p) {
    while (group[p] != p) p = group[p];
    return p;
  };
  std::vector<std::size_t> first(character.skeleton.size(), parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Index j : character.parts[parts[p]].skin.joints) {
      if (first[j] == parts.size()) first[j] = p;
      const std::size_t a = find(first[j]), b = find(p);
      group[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::size_t& g : group) g = find(g);
  return group;
}

/// Lays one skinned part beside those that are placed already, by a joint that both know.
/// Returns false where there is none yet.
bool place(const Part& part, Affine& placement, PlacedParts& placed, bool& differs) {
  const Skin& skin = part.skin;
  bool found = placed.parts.empty();
  if (found) placement = Affine::Identity();
  for (std::size_t i = 0; i < skin.joints.size(); ++i) {
    const Index j = skin.joints[i];
    if (placed.joint[j] == 0 || placed.parts.empty()) continue;
    const Affine there = placed.bind[j] * skin.inverse_bind[i];
    if (!found) placement = there;
    if (found && !same_place(placement, there, size_of(part))) differs = true;
    found = true;
  }
  if (!found) return false;
  for (std::size_t i = 0; i < skin.joints.size(); ++i) {
    const Index j = skin.joints[i];
    if (placed.joint[j] != 0) continue;
    placed.joint[j] = 1;
    placed.bind[j] = placement * skin.inverse_bind[i].inverse();
  }
  return true;
}

PlacedParts place_group(const Character& character, std::vector<Index> waiting, bool& differs) {
  PlacedParts placed;
  placed.joint.assign(character.skeleton.size(), 0);
  placed.bind.assign(character.skeleton.size(), Affine::Identity());
  std::vector<std::pair<Index, Affine>> done;
  for (bool more = true; more && !waiting.empty();) {
    more = false;
    for (auto it = waiting.begin(); it != waiting.end();) {
      Affine placement;
      if (place(character.parts[*it], placement, placed, differs)) {
        done.emplace_back(*it, placement);
        placed.parts.push_back(*it);
        it = waiting.erase(it);
        more = true;
      } else {
        ++it;
      }
    }
  }
  std::sort(done.begin(), done.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  placed.parts.clear();
  for (auto& [part, placement] : done) {
    placed.parts.push_back(part);
    placed.placement.push_back(placement);
  }
  return placed;
}

/// Where the rest pose puts a group's common space in the world; `rigid` tells whether all its joints agree.
struct AtRest {
  Affine to_world = Affine::Identity();
  bool rigid = true;
};

AtRest at_rest(const Character& character, std::span<const Affine> global, const PlacedParts& placed) {
  AtRest rest;
  bool found = false;
  const double size = size_of(character.parts[placed.parts.front()]);
  for (std::size_t j = 0; j < global.size(); ++j) {
    if (placed.joint[j] == 0) continue;
    const Affine there = global[j] * placed.bind[j].inverse();
    if (!there.matrix().allFinite()) continue;
    if (!found) rest.to_world = there;
    if (found && !same_place(rest.to_world, there, size)) rest.rigid = false;
    found = true;
  }
  return rest;
}

void merge(PlacedParts& into, const PlacedParts& from, const Affine& move) {
  for (std::size_t i = 0; i < from.parts.size(); ++i) {
    into.parts.push_back(from.parts[i]);
    into.placement.push_back(move * from.placement[i]);
  }
  for (std::size_t j = 0; j < from.joint.size(); ++j) {
    if (from.joint[j] == 0) continue;
    into.joint[j] = 1;
    into.bind[j] = move * from.bind[j];
  }
}

/// No part has a skin: the world at rest, and all joints.
PlacedParts place_at_rest(const Character& character, std::span<const Affine> global) {
  PlacedParts placed;
  placed.bind.assign(global.begin(), global.end());
  for (const Joint& joint : character.skeleton.joints) placed.joint.push_back(joint.deforms ? 1 : 0);
  return placed;
}

void add_unskinned(const Character& character, std::span<const Index> parts, const Affine& from_world,
                   PlacedParts& placed) {
  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  for (const Index p : parts) {
    const Part& part = character.parts[p];
    if (part.skinned()) continue;
    placed.parts.push_back(p);
    placed.placement.push_back(from_world * (part.node == kNone ? Affine::Identity() : global[part.node]));
  }
}

void sort_by_part(PlacedParts& placed) {
  std::vector<std::size_t> order(placed.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return placed.parts[a] < placed.parts[b]; });
  PlacedParts sorted = placed;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.parts[i] = placed.parts[order[i]];
    sorted.placement[i] = placed.placement[order[i]];
  }
  placed = std::move(sorted);
}

}  // namespace

std::vector<PlacedParts> place_parts(const Character& character, std::span<const Index> parts, Problems& problems) {
  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  std::vector<Index> skinned;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(skinned),
               [&](Index p) { return character.parts[p].skinned(); });
  if (skinned.empty()) {
    PlacedParts placed = place_at_rest(character, global);
    add_unskinned(character, parts, Affine::Identity(), placed);
    return {placed};
  }

  bool differs = false;
  const auto group = groups_by_joints(character, skinned);
  std::vector<PlacedParts> volumes;
  for (std::size_t g = 0; g < skinned.size(); ++g) {
    std::vector<Index> members;
    for (std::size_t p = g; p < skinned.size(); ++p) {
      if (group[p] == g) members.push_back(skinned[p]);
    }
    if (!members.empty() && group[g] == g) volumes.push_back(place_group(character, members, differs));
  }
  if (differs) {
    problems.push_back({Severity::warning,
                        "bind-poses-differ",
                        "the parts were not bound in one pose, so they were laid beside each other by single joints",
                        {},
                        0});
  }
  std::vector<AtRest> rest;
  rest.reserve(volumes.size());
  for (const PlacedParts& placed : volumes) rest.push_back(at_rest(character, global, placed));
  if (std::all_of(rest.begin(), rest.end(), [](const AtRest& r) { return r.rigid; })) {
    for (std::size_t v = 1; v < volumes.size(); ++v) {
      merge(volumes[0], volumes[v], rest[0].to_world.inverse() * rest[v].to_world);
    }
    volumes.resize(1);
  }
  add_unskinned(character, parts, rest[0].to_world.inverse(), volumes[0]);
  sort_by_part(volumes[0]);
  return volumes;
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

}  // namespace isochor
