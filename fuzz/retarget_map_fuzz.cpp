// Motion maps: what is read pairs joints of two skeletons, each of the target in one pair at most.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "isochor/base/error.h"
#include "isochor/io/retarget_map.h"

namespace {

isochor::Skeleton named_skeleton(std::initializer_list<const char*> names) {
  isochor::Skeleton skeleton;
  for (const char* name : names) {
    isochor::Joint joint;
    joint.name = name;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const isochor::Skeleton source = named_skeleton({"Hips", "left arm", "mixamorig:Head", "a", "a"});
  static const isochor::Skeleton target = named_skeleton({"hips", "LeftArm", "head", "b", "a"});
  try {
    const auto names = isochor::parse_retarget_map({reinterpret_cast<const char*>(data), size});
    std::set<isochor::Index> targets;
    for (const isochor::JointPair& pair : isochor::match_joints(source, target, names)) {
      if (!targets.insert(pair.target).second) std::abort();
    }
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
