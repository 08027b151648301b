#include "isochor/io/pose_file.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"

namespace isochor {
namespace {

using Json = nlohmann::ordered_json;

template <int N>
Eigen::Matrix<double, N, 1> numbers(const Json& json, const std::string& where) {
  Eigen::Matrix<double, N, 1> values;
  bool good = json.is_array() && json.size() == N;
  for (int i = 0; good && i < N; ++i) {
    good = json[i].is_number();
    if (good) values[i] = json[i].get<double>();
  }
  if (!good || !values.allFinite())
    throw_bad_input("the pose's " + where + " must be " + std::to_string(N) + " numbers");
  return values;
}

Quat turn(const Vec3& degrees) {
  const Vec3 angle = degrees * (std::numbers::pi / 180);
  return Eigen::AngleAxisd(angle.x(), Vec3::UnitX()) * Eigen::AngleAxisd(angle.y(), Vec3::UnitY()) *
         Eigen::AngleAxisd(angle.z(), Vec3::UnitZ());
}

void apply_entry(const std::string& name, const Json& entry, Transform& local) {
  if (!entry.is_object()) throw_bad_input("the pose's entry for " + name + " must be an object");
  for (const auto& [key, value] : entry.items()) {
    const std::string where = key + " of " + name;
    if (key == "translation") {
      local.translation = numbers<3>(value, where);
    } else if (key == "scale") {
      local.scale = numbers<3>(value, where);
    } else if (key == "rotation") {
      const Eigen::Vector4d q = numbers<4>(value, where);
      if (q.norm() < 1e-9) throw_bad_input("the pose's " + where + " must not be zero");
      local.rotation = Quat(q[3], q[0], q[1], q[2]).normalized();
    } else if (key != "turn") {
      throw_bad_input("the pose's entry for " + name + " has an unknown field, " + key +
                      "; it may have turn, translation, rotation and scale");
    }
  }
  // After `rotation`, whatever the order in the file: a turn is on top.
  if (entry.contains("turn")) local.rotation = local.rotation * turn(numbers<3>(entry["turn"], "turn of " + name));
}

}  // namespace

Pose parse_pose(std::string_view text, const Skeleton& skeleton) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw_bad_input("the pose is not JSON");
  if (!json.is_object() || !json.contains("joints") || !json["joints"].is_object()) {
    throw_bad_input("the pose must be an object with the field joints");
  }
  Pose pose = rest_pose(skeleton);
  for (const auto& [name, entry] : json["joints"].items()) {
    bool found = false;
    for (std::size_t j = 0; j < skeleton.size(); ++j) {
      if (!matches_glob(skeleton.joints[j].name, name)) continue;
      pose.local[j] = skeleton.joints[j].rest;
      apply_entry(name, entry, pose.local[j]);
      found = true;
    }
    if (!found) throw_bad_input("the pose names the joint " + name + ", which the character does not have");
  }
  return pose;
}

Pose read_pose(const std::filesystem::path& path, const Skeleton& skeleton) {
  const auto bytes = read_file(path, 64u << 20);
  return parse_pose({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, skeleton);
}

}  // namespace isochor
