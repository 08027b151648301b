#include "bind/rigid_shells.h"

#include <algorithm>

#include "bind/heat_finder.h"
#include "isochor/mesh/topology.h"
#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

/// A piece is small below this part of the mesh's size.
constexpr double kSmallShell = 0.25;
/// A piece sees no bone if this share of its vertices do not.
constexpr double kUnseenShell = 0.35;
/// A joint nearer to its middle than this part of its radius is a piece's own: in a cube, within the ball that fits.
constexpr double kOwnJoint = 0.58;

bool is_small(const Surface& surface, const Component& component, std::span<const Handle> handles, double whole) {
  std::vector<Vec3> positions;
  positions.reserve(component.vertices.size());
  for (const Index v : component.vertices) positions.push_back(surface.positions[v]);
  const Ball ball = ball_around(positions);
  if (ball.radius >= kSmallShell * whole) return false;
  return std::none_of(handles.begin(), handles.end(), [&](const Handle& handle) {
    return !handle.shapes.empty() && (handle.shapes[0].a - ball.middle).norm() < kOwnJoint * ball.radius;
  });
}

/// Known long before all of the topology is.
bool is_in_one_piece(const Surface& surface) {
  mesh::DisjointSets sets(surface.vertex_count());
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    for (const Index v : surface.face(f)) sets.join(surface.face(f)[0], v);
  }
  return std::all_of(surface.corners.begin(), surface.corners.end(),
                     [&](Index v) { return sets.find(v) == sets.find(surface.corners[0]); });
}

Index strongest_handle(std::span<const Index> vertices, const SkinWeights& weights, std::size_t handles) {
  std::vector<double> sum(handles, 0.0);
  for (const Index v : vertices) {
    for (const Influence& i : weights.row(v)) sum[i.joint] += i.weight;
  }
  return static_cast<Index>(std::max_element(sum.begin(), sum.end()) - sum.begin());
}

}  // namespace

bool sees_bones(const Component& component, const std::function<bool(Index)>& sees) {
  const auto unseen =
      std::count_if(component.vertices.begin(), component.vertices.end(), [&](Index v) { return !sees(v); });
  return static_cast<double>(unseen) <= kUnseenShell * static_cast<double>(component.vertices.size());
}

std::vector<std::vector<Index>> find_small_shells(const Surface& surface, std::span<const Handle> handles) {
  std::vector<std::vector<Index>> shells;
  if (is_in_one_piece(surface)) return shells;
  const Topology topology = analyse(surface);
  const double whole = ball_around(surface.positions).radius;
  const HeatFinder finder(surface, handles);
  const auto sees = [&](Index v) {
    return !finder.find(static_cast<std::size_t>(v), HeatFinder::Walls::stop).handles.empty();
  };
  for (const Component& component : topology.components) {
    if (is_small(surface, component, handles, whole) && !sees_bones(component, sees)) {
      shells.push_back(component.vertices);
    }
  }
  return shells;
}

void bind_shells(std::span<const std::vector<Index>> shells, std::span<const Handle> handles, SkinWeights& weights,
                 AppliedBoneRules& applied) {
  if (shells.empty()) return;
  std::vector<Index> follows(weights.vertex_count(), kNone);
  for (const std::vector<Index>& vertices : shells) {
    const Index handle = strongest_handle(vertices, weights, handles.size());
    for (const Index v : vertices) follows[v] = handle;
    applied.add(BoneRule::shell, handles[handle].joint);
  }
  SkinWeights result;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const Influence alone{follows[v], 1.0};
    result.add_row(follows[v] == kNone ? std::span<const Influence>(weights.row(v))
                                       : std::span<const Influence>(&alone, 1));
  }
  weights = std::move(result);
}

}  // namespace isochor
