#include "rig/place_parts.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

/// Equal as placements: in what they do to points of a box about as large as their translations.
bool same_place(const Affine& a, const Affine& b, double size) {
  const double scale = a.linear().norm() + b.linear().norm();
  const double reach = a.translation().norm() + b.translation().norm() + scale * size;
  return (a.linear() - b.linear()).norm() <= 1e-3 * scale && (a.translation() - b.translation()).norm() <= 1e-3 * reach;
}

bool invertible(const Affine& m) {
  const double scale = m.linear().cwiseAbs().maxCoeff();
  return m.matrix().allFinite() && std::abs(m.linear().determinant()) > 1e-12 * scale * scale * scale;
}

double size_of(const Part& part) {
  const Box box = bounding_box(part.surface.positions);
  return box.isEmpty() ? 1.0 : box.diagonal().norm();
}

/// Joins parts that share joints; each part gets the lowest of its group.
std::vector<std::size_t> groups_by_joints(const Character& character, std::span<const Index> parts) {
  mesh::DisjointSets sets(parts.size());
  std::vector<std::size_t> first(character.skeleton.size(), parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Index j : character.parts[parts[p]].skin.joints) {
      if (first[j] == parts.size()) first[j] = p;
      sets.join(static_cast<Index>(first[j]), static_cast<Index>(p));
    }
  }
  std::vector<std::size_t> group;
  for (std::size_t p = 0; p < parts.size(); ++p) group.push_back(sets.find(static_cast<Index>(p)));
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
    if (placed.joint[j] == 0 || placed.parts.empty() || !invertible(skin.inverse_bind[i])) continue;
    const Affine there = placed.bind[j] * skin.inverse_bind[i];
    if (!found) placement = there;
    if (found && !same_place(placement, there, size_of(part))) differs = true;
    found = true;
  }
  if (!found) return false;
  for (std::size_t i = 0; i < skin.joints.size(); ++i) {
    const Index j = skin.joints[i];
    if (placed.joint[j] != 0 || !invertible(skin.inverse_bind[i])) continue;
    placed.joint[j] = 1;
    placed.bind[j] = placement * skin.inverse_bind[i].inverse();
  }
  return true;
}

/// Parts that hang together by the joints they share. One whose shared joints tell nothing, as their inverse bind
/// matrices have no inverse, lies as it is.
PlacedParts place_group(const Character& character, std::vector<Index> waiting, bool& differs) {
  PlacedParts placed;
  placed.joint.assign(character.skeleton.size(), 0);
  placed.bind.assign(character.skeleton.size(), Affine::Identity());
  std::vector<std::pair<Index, Affine>> done;
  while (!waiting.empty()) {
    const std::size_t before = waiting.size();
    for (auto it = waiting.begin(); it != waiting.end();) {
      Affine placement;
      if (!place(character.parts[*it], placement, placed, differs)) {
        ++it;
        continue;
      }
      done.emplace_back(*it, placement);
      placed.parts.push_back(*it);
      it = waiting.erase(it);
    }
    if (waiting.size() < before) continue;
    done.emplace_back(waiting.front(), Affine::Identity());
    waiting.erase(waiting.begin());
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

/// The skinned ones of `parts`, by the joints that they share.
std::vector<PlacedParts> place_groups(const Character& character, std::span<const Index> parts, bool& differs) {
  std::vector<Index> skinned;
  std::copy_if(parts.begin(), parts.end(), std::back_inserter(skinned),
               [&](Index p) { return character.parts[p].skinned(); });
  const auto group = groups_by_joints(character, skinned);
  std::vector<PlacedParts> groups;
  for (std::size_t g = 0; g < skinned.size(); ++g) {
    std::vector<Index> members;
    for (std::size_t p = g; p < skinned.size(); ++p) {
      if (group[p] == g) members.push_back(skinned[p]);
    }
    if (group[g] == g) groups.push_back(place_group(character, members, differs));
  }
  return groups;
}

/// Brings all groups into the space of the first, by the rest pose.
void merge_groups(std::vector<PlacedParts>& groups, std::span<const AtRest> rest) {
  for (std::size_t g = 1; g < groups.size(); ++g) {
    merge(groups[0], groups[g], rest[0].to_world.inverse() * rest[g].to_world);
  }
  groups.resize(1);
}

/// Joints that no skin tells anything of.
void place_unknown_joints(const Skeleton& skeleton, std::span<const Affine> global, const Affine& from_world,
                          PlacedParts& placed) {
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (placed.joint[j] != 0) continue;
    const Index parent = skeleton.joints[j].parent;
    placed.bind[j] =
        parent == kNone ? from_world * global[j] : placed.bind[parent] * to_matrix(skeleton.joints[j].rest);
  }
}

}  // namespace

std::vector<PlacedParts> place_parts(const Character& character, std::span<const Index> parts, Problems& problems) {
  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  bool differs = false;
  std::vector<PlacedParts> groups = place_groups(character, parts, differs);
  if (groups.empty()) {
    PlacedParts placed = place_at_rest(character, global);
    add_unskinned(character, parts, Affine::Identity(), placed);
    return {placed};
  }
  if (differs) {
    problems.push_back({Severity::warning,
                        "bind-poses-differ",
                        "the parts were not bound in one pose, so they were laid beside each other by single joints",
                        {},
                        0});
  }
  std::vector<AtRest> rest;
  rest.reserve(groups.size());
  for (const PlacedParts& placed : groups) rest.push_back(at_rest(character, global, placed));
  if (std::all_of(rest.begin(), rest.end(), [](const AtRest& r) { return r.rigid; })) merge_groups(groups, rest);
  add_unskinned(character, parts, rest[0].to_world.inverse(), groups[0]);
  sort_by_part(groups[0]);
  return groups;
}

PlacedParts place_all_parts(const Character& character) {
  const auto global = global_transforms(character.skeleton, rest_pose(character.skeleton));
  std::vector<Index> all(character.parts.size());
  std::iota(all.begin(), all.end(), Index{0});
  bool differs = false;
  std::vector<PlacedParts> groups = place_groups(character, all, differs);
  if (groups.empty()) {
    PlacedParts placed = place_at_rest(character, global);
    add_unskinned(character, all, Affine::Identity(), placed);
    return placed;
  }
  std::vector<AtRest> rest;
  rest.reserve(groups.size());
  for (const PlacedParts& placed : groups) rest.push_back(at_rest(character, global, placed));
  merge_groups(groups, rest);
  const Affine from_world =
      invertible(rest[0].to_world) ? Affine(rest[0].to_world.inverse()) : Affine(Affine::Identity());
  add_unskinned(character, all, from_world, groups[0]);
  sort_by_part(groups[0]);
  place_unknown_joints(character.skeleton, global, from_world, groups[0]);
  return std::move(groups[0]);
}

}  // namespace isochor
