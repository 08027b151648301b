#include "driven_json.h"

#include "gltf_json.h"

namespace isochor {
namespace {

gltf::Json numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

}  // namespace

std::string driven_twins_json(const TwinJoints& twins, std::span<const DrivenTwin> driven,
                              std::span<const std::string> names, const Skeleton& skeleton) {
  using gltf::Json;
  Json list = Json::array();
  for (std::size_t q = 0; q < driven.size(); ++q) {
    const Twin& twin = twins.twins[q];
    const Quat& rest = driven[q].rest;
    Json rows = Json::array();
    for (Eigen::Index r = 0; r < 9; ++r) {
      Json row = Json::array();
      // A game's floats hold no more.
      for (Eigen::Index c = 0; c < 9; ++c) row.push_back(static_cast<float>(driven[q].coefficients(r, c)));
      rows.push_back(std::move(row));
    }
    list.push_back({{"node", names[q]},
                    {"joint", skeleton.joints[twin.joint].name},
                    {"rest", {rest.x(), rest.y(), rest.z(), rest.w()}},
                    {"axis", numbers(driven[q].axis)},
                    {"side", numbers(driven[q].side)},
                    {"pivot", numbers(twin.pivot)},
                    {"low", numbers(driven[q].low)},
                    {"high", numbers(driven[q].high)},
                    {"coefficients", std::move(rows)}});
  }
  const Json file = {{"isochor", "driven twins"}, {"version", 1}, {"twins", std::move(list)}};
  return file.dump(1) + "\n";
}

}  // namespace isochor
