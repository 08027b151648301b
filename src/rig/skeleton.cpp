#include "isochor/rig/skeleton.h"

#include <algorithm>
#include <map>

#include "isochor/base/error.h"

namespace isochor {

Index Skeleton::find(std::string_view name) const {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].name == name) return static_cast<Index>(j);
  }
  return kNone;
}

std::vector<std::string> Skeleton::names(std::span<const Index> of) const {
  std::vector<std::string> names;
  names.reserve(of.size());
  for (const Index j : of) names.push_back(joints[j].name);
  return names;
}

std::size_t Skeleton::deforming_count() const {
  return static_cast<std::size_t>(
      std::count_if(joints.begin(), joints.end(), [](const Joint& j) { return j.deforms; }));
}

Pose rest_pose(const Skeleton& skeleton) {
  Pose pose;
  pose.local.reserve(skeleton.size());
  for (const Joint& joint : skeleton.joints) pose.local.push_back(joint.rest);
  return pose;
}

std::vector<Affine> global_transforms(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Affine> global(skeleton.size());
  global_transforms(skeleton, pose, global);
  return global;
}

void global_transforms(const Skeleton& skeleton, const Pose& pose, std::span<Affine> out) {
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Affine local = to_matrix(pose.local[j]);
    const Index parent = skeleton.joints[j].parent;
    out[j] = parent == kNone ? local : out[parent] * local;
  }
}

Problems validate(const Skeleton& skeleton) {
  Problems problems;
  ProblemCollector bad_parent, not_finite, same_name;
  std::map<std::string_view, Index> names;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    const auto index = static_cast<Index>(j);
    if (joint.parent < kNone || joint.parent >= index) bad_parent.add(index);
    if (!to_matrix(joint.rest).matrix().allFinite()) not_finite.add(index);
    if (joint.deforms && !names.try_emplace(joint.name, index).second) same_name.add(index);
  }
  bad_parent.report(problems, Severity::error, "joint-order",
                    "{} joint{|s} {does|do} not come after {its|their} parent");
  not_finite.report(problems, Severity::error, "joint-not-finite",
                    "{} joint{|s} {has|have} a transform that is not a number");
  same_name.report(problems, Severity::note, "joint-names",
                   "{} joint{|s} share{s|} {its|their} name with an earlier joint");
  return problems;
}

std::vector<Index> parents_first(std::span<const Index> parents) {
  const auto count = static_cast<Index>(parents.size());
  // 0: not seen, 1: on the path that is being followed, 2: placed
  std::vector<char> state(parents.size(), 0);
  std::vector<Index> order;
  std::vector<Index> path;
  for (Index start = 0; start < count; ++start) {
    for (Index j = start; j != kNone && state[j] != 2; j = parents[j]) {
      if (state[j] == 1) throw_bad_input("joint " + std::to_string(j) + " is its own ancestor", j);
      if (parents[j] < kNone || parents[j] >= count) {
        throw_bad_input("joint " + std::to_string(j) + " has a parent that does not exist", j);
      }
      state[j] = 1;
      path.push_back(j);
    }
    for (; !path.empty(); path.pop_back()) {
      state[path.back()] = 2;
      order.push_back(path.back());
    }
  }
  return order;
}

bool matches_glob(std::string_view name, std::string_view glob) {
  // The last star seen, and how much of the name it has swallowed: on a mismatch it swallows one more.
  std::size_t n = 0, g = 0;
  std::size_t star = std::string_view::npos, swallowed = 0;
  while (n < name.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      swallowed = n;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++n;
      ++g;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++swallowed;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

}  // namespace isochor
