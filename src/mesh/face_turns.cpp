#include "isochor/mesh/face_turns.h"

#include <algorithm>
#include <vector>

namespace isochor {

double median_face_area(const VolumeFunctional& faces, std::span<const Vec3> positions) {
  std::vector<double> areas;
  for (std::size_t r = 0; r < faces.ring_count() - faces.cap_count(); ++r) {
    areas.push_back(area_vector(positions, faces.ring(r)).norm());
  }
  if (areas.empty()) return 0;
  const auto middle = areas.begin() + static_cast<std::ptrdiff_t>(areas.size() / 2);
  std::nth_element(areas.begin(), middle, areas.end());
  return *middle;
}

void FaceTurns::add(const Vec3& before, const Vec3& after, double crushed) {
  const double size = before.norm(), now = after.norm();
  if (!(size > crushed && now > crushed)) return;
  const double cosine = std::clamp(before.dot(after) / (size * now), -1.0, 1.0);
  least_cosine = std::min(least_cosine, cosine);
  if (cosine < 0) ++turned;
}

FaceTurns face_turns(const VolumeFunctional& faces, std::span<const Vec3> before, std::span<const Vec3> after,
                     double crushed) {
  FaceTurns turns;
  for_each_moved_face(faces, before, after,
                      [&](std::size_t, const Vec3& a, const Vec3& b) { turns.add(a, b, crushed); });
  return turns;
}

}  // namespace isochor
