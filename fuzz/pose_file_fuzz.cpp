// Pose files: what is read is a pose of the skeleton, with finite numbers.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "isochor/base/error.h"
#include "isochor/io/pose_file.h"

namespace {

isochor::Skeleton pose_skeleton() {
  isochor::Skeleton skeleton;
  for (const char* name : {"Hips", "Elbow", "Finger_1", "Finger_2"}) {
    isochor::Joint joint;
    joint.name = name;
    joint.parent = static_cast<isochor::Index>(skeleton.size()) - 1;
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const isochor::Skeleton skeleton = pose_skeleton();
  try {
    const auto pose = isochor::parse_pose({reinterpret_cast<const char*>(data), size}, skeleton);
    if (pose.local.size() != skeleton.size()) std::abort();
    for (const isochor::Transform& local : pose.local) {
      if (!local.translation.allFinite() || !local.rotation.coeffs().allFinite() || !local.scale.allFinite()) {
        std::abort();
      }
    }
  } catch (const isochor::Error&) {
    // refused with a sentence: what a broken file deserves
  }
  return 0;
}
