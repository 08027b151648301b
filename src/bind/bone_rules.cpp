#include "isochor/bind/bone_rules.h"

#include <algorithm>

namespace isochor {

void AppliedBoneRules::add(BoneRule rule, Index joint) { joints_[static_cast<std::size_t>(rule)].push_back(joint); }

void AppliedBoneRules::add(const AppliedBoneRules& others) {
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    joints_[r].insert(joints_[r].end(), others.joints_[r].begin(), others.joints_[r].end());
  }
}

std::vector<AppliedBoneRule> AppliedBoneRules::list() const {
  std::vector<AppliedBoneRule> result;
  for (std::size_t r = 0; r < joints_.size(); ++r) {
    if (joints_[r].empty()) continue;
    AppliedBoneRule applied{static_cast<BoneRule>(r), joints_[r]};
    std::sort(applied.joints.begin(), applied.joints.end());
    applied.joints.erase(std::unique(applied.joints.begin(), applied.joints.end()), applied.joints.end());
    result.push_back(std::move(applied));
  }
  return result;
}

}  // namespace isochor
