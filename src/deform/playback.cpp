#include "isochor/deform/playback.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

/// Twice the area vector of a polygon.
Vec3 twice_area(const Surface& surface, std::span<const Index> ring) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i + 1 < ring.size(); ++i) {
    const Vec3& first = surface.positions[ring[0]];
    sum += (surface.positions[ring[i]] - first).cross(surface.positions[ring[i + 1]] - first);
  }
  return sum;
}

/// Cloth: the cap over one boundary loop is nearly as large as the surface itself. A hemisphere's is half of it.
bool is_sheet(const Surface& surface, const Component& component) {
  constexpr double kCapShare = 0.6;
  double area = 0, cap = 0;
  for (const Index f : component.faces) area += twice_area(surface, surface.face(f)).norm();
  for (const auto& loop : component.boundary_loops) cap = std::max(cap, twice_area(surface, loop).norm());
  return cap > kCapShare * area;
}

bool encloses_volume(const Surface& surface, const Component& component, double volume) {
  if (!component.orientable || is_sheet(surface, component)) return false;
  Box box;
  for (const Index v : component.vertices) box.extend(surface.positions[v]);
  return std::abs(volume) > 1e-6 * std::pow(box.diagonal().norm(), 3);
}

}  // namespace

Playback::Playback(const Character& character, const WeldOptions& options)
    : character_(character), whole_(assemble(character, options)), topology_(analyse(whole_.weld.surface)) {
  for (const Component& component : topology_.components) {
    rest_volumes_.push_back(signed_volume(surface(), component));
    has_volume_.push_back(encloses_volume(surface(), component, rest_volumes_.back()) ? 1 : 0);
  }
  for (const Affine& m : global_transforms(character.skeleton, rest_pose(character.skeleton))) {
    rest_determinant_.push_back(m.linear().determinant());
  }
  std::map<std::pair<Index, std::pair<Index, Index>>, double> sums;
  for (std::size_t v = 0; v < whole_.weld.first_source.size(); ++v) {
    const Index component = topology_.component_of_vertex[v];
    if (component == kNone) continue;
    const Index source = whole_.weld.first_source[v];
    std::size_t p = 0;
    while (whole_.part_begin[p + 1] <= source) ++p;
    const Part& part = character.parts[p];
    const auto part_index = static_cast<Index>(p);
    if (!part.skinned()) {
      sums[{component, {part_index, kNone}}] += 1;
      continue;
    }
    for (const Influence& i : part.weights.row(source - whole_.part_begin[p])) {
      sums[{component, {part_index, i.joint}}] += i.weight;
    }
  }
  for (const auto& [key, weight] : sums) shares_.push_back({key.first, key.second.first, key.second.second, weight});
}

Playback::Frame Playback::pose(const Pose& pose, Deformer deformer, const Context& context) const {
  Frame frame;
  for (const Part& part : character_.parts) {
    frame.parts.push_back(pose_part(character_, part, pose, deformer, context));
  }
  frame.positions.resize(surface().vertex_count());
  for (std::size_t p = 0; p < character_.parts.size(); ++p) {
    for (Index v = whole_.part_begin[p]; v < whole_.part_begin[p + 1]; ++v) {
      const Index welded = whole_.weld.vertex[v];
      if (whole_.weld.first_source[welded] == v) {
        frame.positions[welded] = frame.parts[p].positions[v - whole_.part_begin[p]];
      }
    }
  }

  const std::size_t components = topology_.components.size();
  std::vector<double> determinant(components, 0.0), total(components, 0.0);
  const auto global = global_transforms(character_.skeleton, pose);
  for (const Share& share : shares_) {
    const Part& part = character_.parts[share.part];
    double d = 1;
    if (share.joint != kNone) {
      d = global[part.skin.joints[share.joint]].linear().determinant() *
          part.skin.inverse_bind[share.joint].linear().determinant();
    } else if (part.node != kNone && rest_determinant_[part.node] != 0) {
      d = global[part.node].linear().determinant() / rest_determinant_[part.node];
    }
    determinant[share.component] += share.weight * d;
    total[share.component] += share.weight;
  }
  for (std::size_t c = 0; c < components; ++c) {
    frame.volumes.push_back(signed_volume(surface(), topology_.components[c], frame.positions));
    const double scale = total[c] > 0 ? determinant[c] / total[c] : 1;
    frame.target_volumes.push_back(rest_volumes_[c] * scale);
  }
  return frame;
}

double relative_volume_error(double volume, double target) {
  return target == 0 ? 0 : std::abs(volume - target) / std::abs(target);
}

}  // namespace isochor
