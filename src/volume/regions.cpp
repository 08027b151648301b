#include "volume/regions.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace isochor::volume {
namespace {

/// γ below this is zero (docs/design/volume.md); its maximum is 1.
constexpr double kSmallestGamma = 1e-6;
/// The region whose volume is measured is the part of the support where the joint really blends.
constexpr double kRegionGamma = 0.05;
/// A region that holds less than this share of the flesh under its faces is measured against that.
constexpr double kLeastFlesh = 0.5;

/// Whether a joint has weights of its own, and whether more than one of its children's subtrees has.
std::vector<Index> sole_heirs(const WeldedCharacter& welded) {
  const auto& joints = welded.skeleton().joints;
  std::vector<char> weighted(joints.size(), 0);
  for (const Influence& i : welded.weights().influences) {
    const Index joint = welded.bones()[i.joint].joint;
    if (i.weight > 0 && joint != kNone) weighted[joint] = 1;
  }
  std::vector<char> own = weighted;
  for (std::size_t j = joints.size(); j-- > 0;) {
    if (weighted[j] && joints[j].parent != kNone) weighted[joints[j].parent] = 1;
  }
  constexpr Index kSeveral = -2;
  std::vector<Index> heir(joints.size(), kNone);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Index parent = joints[j].parent;
    if (!weighted[j] || parent == kNone) continue;
    heir[parent] = heir[parent] == kNone ? static_cast<Index>(j) : kSeveral;
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (own[j] || heir[j] == kSeveral) heir[j] = kNone;
  }
  return heir;
}

struct Entry {
  Index component, joint, vertex;
  double gamma;
};

std::vector<Entry> blend_entries(const WeldedCharacter& welded) {
  const auto heirs = sole_heirs(welded);
  std::vector<Entry> entries;
  std::map<Index, double> subtree;  // joint -> summed weight
  for (std::size_t v = 0; v < welded.weights().vertex_count(); ++v) {
    const Index component = welded.topology().component_of_vertex[v];
    if (component == kNone || !welded.has_volume(component)) continue;
    const auto row = welded.weights().row(v);
    if (row.size() < 2) continue;
    subtree.clear();
    double total = 0;
    for (const Influence& i : row) {
      total += i.weight;
      for (Index j = welded.bones()[i.joint].joint; j != kNone; j = welded.skeleton().joints[j].parent) {
        subtree[j] += i.weight;
      }
    }
    if (!(total > 0)) continue;
    for (const auto& [joint, weight] : subtree) {
      const double s = weight / total;
      const double gamma = 4 * s * (1 - s);
      if (gamma < kSmallestGamma || heirs[joint] != kNone) continue;
      entries.push_back({component, joint, static_cast<Index>(v), std::min(gamma, 1.0)});
    }
  }
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.component != b.component ? a.component < b.component : a.joint < b.joint;
  });
  return entries;
}

/// Two roots of a forest share out the same vertices; one region is enough.
bool same_field(const JointRegion& a, const JointRegion& b) {
  if (a.component != b.component || a.vertices != b.vertices) return false;
  for (std::size_t i = 0; i < a.gamma.size(); ++i) {
    if (std::abs(a.gamma[i] - b.gamma[i]) > kSmallestGamma) return false;
  }
  return true;
}

std::vector<Index> faces_around(const WeldedCharacter& welded, const JointRegion& region, double threshold) {
  const Component& component = welded.topology().components[region.component];
  std::vector<char> inside(welded.surface().vertex_count(), 0);
  for (std::size_t i = 0; i < region.vertices.size(); ++i) {
    if (region.gamma[i] >= threshold) inside[region.vertices[i]] = 1;
  }
  std::vector<Index> faces;
  for (const Index f : component.faces) {
    const auto face = welded.surface().face(f);
    if (std::any_of(face.begin(), face.end(), [&](Index v) { return inside[v] != 0; })) faces.push_back(f);
  }
  return faces;
}

void measure(const WeldedCharacter& welded, std::span<const double> radii, JointRegion& region) {
  const Surface& surface = welded.surface();
  const Component& component = welded.topology().components[region.component];
  region.faces = faces_around(welded, region, kRegionGamma);
  if (region.faces.empty()) region.faces = faces_around(welded, region, 0);
  region.functional = VolumeFunctional(surface, component, region.faces);
  for (std::size_t r = region.functional.ring_count() - region.functional.cap_count();
       r < region.functional.ring_count(); ++r) {
    const auto ring = region.functional.ring(r);
    region.rim.insert(region.rim.end(), ring.begin(), ring.end());
  }
  std::sort(region.rim.begin(), region.rim.end());
  region.rim.erase(std::unique(region.rim.begin(), region.rim.end()), region.rim.end());

  region.rest_volume = region.functional.volume(surface.positions);
  std::vector<double> areas(surface.vertex_count(), 0.0);
  region.functional.areas(surface.positions, areas);
  double flesh = 0;  // as of a cylinder: half the radius times the area
  for (const Index v : region.functional.vertices()) flesh += 0.5 * radii[v] * areas[v];
  region.size = std::max(std::abs(region.rest_volume), kLeastFlesh * flesh);
}

void collect_bones(const WeldedCharacter& welded, JointRegion& region) {
  std::map<Index, double> sums;
  double total = 0;
  for (std::size_t i = 0; i < region.vertices.size(); ++i) {
    for (const Influence& influence : welded.weights().row(region.vertices[i])) {
      sums[influence.joint] += region.gamma[i] * influence.weight;
      total += region.gamma[i] * influence.weight;
    }
  }
  for (const auto& [bone, weight] : sums) region.bones.push_back({bone, weight / total});
}

}  // namespace

double region_target(const WeldedCharacter& welded, const JointRegion& region, const PosedSkin& posed) {
  const double target = posed.target_volumes[region.component];
  const double whole = posed.rest_volumes[region.component];
  const bool morphed = whole != welded.rest_volumes()[region.component];
  const double rest = morphed ? region.functional.volume(posed.rest) : region.rest_volume;
  double scale = 0;
  for (const auto& [bone, weight] : region.bones) scale += weight * posed.matrices[bone].linear().determinant();
  const double natural = whole * welded.volume_scale(region.component, posed.matrices);
  return natural != 0 ? rest * scale * target / natural : 0;
}

std::vector<Index> standing_for(const WeldedCharacter& welded) {
  std::vector<Index> result = sole_heirs(welded);
  for (std::size_t j = result.size(); j-- > 0;) {
    result[j] = result[j] == kNone ? static_cast<Index>(j) : result[result[j]];
  }
  return result;
}

std::vector<JointRegion> joint_regions(const WeldedCharacter& welded, std::span<const double> radii) {
  std::vector<JointRegion> regions;
  for (const Entry& entry : blend_entries(welded)) {
    if (regions.empty() || regions.back().component != entry.component || regions.back().joint != entry.joint) {
      regions.push_back({.joint = entry.joint, .component = entry.component});
    }
    regions.back().vertices.push_back(entry.vertex);
    regions.back().gamma.push_back(entry.gamma);
  }
  std::vector<JointRegion> kept;
  for (JointRegion& region : regions) {
    const auto twin = [&](const JointRegion& other) { return same_field(other, region); };
    if (std::any_of(kept.begin(), kept.end(), twin)) continue;
    measure(welded, radii, region);
    collect_bones(welded, region);
    if (region.size > 0) kept.push_back(std::move(region));
  }
  return kept;
}

}  // namespace isochor::volume
