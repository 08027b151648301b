#include <algorithm>
#include <array>
#include <vector>

#include "isochor/bind/bind.h"

namespace isochor {
namespace {

/// An option that some methods do not read, and those that do.
struct Readers {
  std::string_view option;
  std::vector<BindMethod> methods;
};

const std::vector<Readers>& special_options() {
  using enum BindMethod;
  static const std::vector<BindMethod> voxels = {automatic, gvb, geodesic_heat, medial};
  static const std::vector<Readers> list = {{"resolution", voxels},
                                            {"penalty", voxels},
                                            {"sampling", {automatic, gvb, geodesic_heat}},
                                            {"nearest", {automatic, gvb, geodesic_heat}},
                                            {"uniform-grid", voxels},
                                            {"smoothing", {automatic, gvb}},
                                            {"facing", {automatic, gvb}},
                                            {"falloff", {automatic, gvb}},
                                            {"joint-falloff", {automatic, gvb}},
                                            {"heat-stiffness", {automatic, heat}},
                                            {"geodesic-heat-stiffness", {geodesic_heat}},
                                            {"distance-exponent", {distance}},
                                            {"medial-angle", {medial}},
                                            {"medial-spacing", {medial}},
                                            {"medial-width", {medial}}};
  return list;
}

bool is_among(const std::vector<BindMethod>& methods, BindMethod method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

}  // namespace

bool reads_option(BindMethod method, std::string_view option) {
  for (const Readers& readers : special_options()) {
    if (readers.option == option) return is_among(readers.methods, method);
  }
  return true;
}

BindMethod implied_method(std::span<const std::string> options) {
  for (const Readers& readers : special_options()) {
    const bool given = std::find(options.begin(), options.end(), readers.option) != options.end();
    if (given && is_among(readers.methods, BindMethod::gvb)) return BindMethod::gvb;
  }
  return BindMethod::automatic;
}

BindOptions BindOptions::paper() {
  BindOptions options{.method = BindMethod::gvb, .gvb = GvbOptions::paper(), .falloff = 0.1};
  options.limits.influences = 4;
  options.limits.prune = 0;
  options.handles.rules = BoneRules::off;
  return options;
}

}  // namespace isochor
