#include "isochor/rig/medial_rig.h"

#include <string>

#include "isochor/base/error.h"

namespace isochor {
namespace {

/// Every row refers to something, and to what is there.
void check_guide_rows(const SkinWeights& rows, std::size_t count, const std::string& what, const std::string& of) {
  for (std::size_t r = 0; r < rows.vertex_count(); ++r) {
    const auto row = rows.row(r);
    if (row.empty()) throw_bad_input(what + " " + std::to_string(r) + " follows no " + of, static_cast<Index>(r));
    for (const Influence& i : row) {
      if (i.joint >= 0 && static_cast<std::size_t>(i.joint) < count) continue;
      throw_bad_input(what + " " + std::to_string(r) + " follows " + of + " " + std::to_string(i.joint) + ", of " +
                          std::to_string(count),
                      static_cast<Index>(r));
    }
  }
}

}  // namespace

void driver_matrices(const MedialRig& rig, std::span<const Affine> global, std::span<Affine> out) {
  for (std::size_t d = 0; d < rig.drivers.size(); ++d) {
    const MedialRig::Driver& driver = rig.drivers[d];
    out[d] = driver.joint == kNone ? driver.inverse_bind : Affine(global[driver.joint] * driver.inverse_bind);
  }
}

void check_size(const MedialRig& rig, const MedialRigSize& size) {
  if (rig.skin.skin.vertex_count() != size.vertices) {
    throw_bad_input("the guides were made for a skin of " + std::to_string(rig.skin.skin.vertex_count()) +
                    " vertices, but this one has " + std::to_string(size.vertices));
  }
  if (!rig.placements.empty() && rig.placements.size() != size.parts) {
    throw_bad_input("the guides were made for a character of " + std::to_string(rig.placements.size()) +
                    " parts, but this one has " + std::to_string(size.parts));
  }
  for (const MedialRig::Driver& driver : rig.drivers) {
    if (driver.joint == kNone || (driver.joint >= 0 && static_cast<std::size_t>(driver.joint) < size.joints)) continue;
    throw_bad_input("a guide follows joint " + std::to_string(driver.joint) + ", of " + std::to_string(size.joints));
  }
}

void check(const MedialRig& rig, const MedialRigSize& size) {
  check_size(rig, size);
  if (rig.skin.centres.size() != rig.skin.guides.vertex_count()) {
    throw_bad_input("there are " + std::to_string(rig.skin.centres.size()) + " centres of guides, but weights for " +
                    std::to_string(rig.skin.guides.vertex_count()));
  }
  check_guide_rows(rig.skin.guides, rig.drivers.size(), "guide", "joint");
  check_guide_rows(rig.skin.skin, rig.skin.centres.size(), "vertex", "guide");
}

}  // namespace isochor
