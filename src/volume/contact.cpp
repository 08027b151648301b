#include "volume/contact.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "isochor/mesh/face_turns.h"
#include "volume/contact_depth.h"
#include "volume/rest_carrier.h"
#include "volume/together.h"

namespace isochor::volume {
namespace {

/// How often the skin goes back at most, and how often pairs are looked for anew, which closing the volume has brought
/// together.
constexpr int kContactRounds = 24, kPairRounds = 3;
/// By how much more than it is too deep the skin goes back; in later rounds by more, so that the last of it ends.
constexpr double kOvershoot = 1.5, kOvershootGrowth = 1.15;
/// A crossing asks for at least this, in mean edges: the depth of one that passes exactly through an edge is nothing.
constexpr double kLeastDepth = 1e-5;
/// Faces keep this far from 60° and 0.15 of their area, or what the correction had left of that.
constexpr double kFaceMargin = 0.05, kFaceCosine = 0.5, kFaceArea = 0.15;
/// What skin gives that has lost nothing around it, of its own displacement.
constexpr double kGivenElsewhere = 0.05;
/// A volume that is this near to its target, relative to it, is brought there again.
constexpr double kContactExact = 1e-9;
/// A vertex counts as held back that keeps less than this of its displacement.
constexpr double kCountedHeld = 0.99;

/// Fills buffers.pairs with what may meet between the pose and `out`.
void find_pairs(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out) {
  buffers.faces.refit(in.posed.positions, out.positions);
  buffers.faces.near_pairs(buffers.near);
  buffers.pairs.clear();
  for (const TrianglePair& pair : buffers.near) buffers.pairs.push_back({.triangles = pair});
}

/// In the order of the faces, so that rounding does not depend on how the pair was found.
std::optional<TriangleCrossing> cross(const FaceHierarchy& faces, const TrianglePair& pair,
                                      std::span<const Vec3> positions) {
  const bool swapped = faces.face_of(pair.a) > faces.face_of(pair.b);
  return triangle_crossing(faces.corners(swapped ? pair.b : pair.a, positions),
                           faces.corners(swapped ? pair.a : pair.b, positions));
}

double skinned_depth(const ContactInput& in, const FaceHierarchy& faces, ContactPair& pair) {
  if (pair.skinned < 0) {
    const auto crossing = cross(faces, pair.triangles, in.posed.positions);
    pair.skinned = crossing ? std::max(crossing->depth, 1e-300) : 0;
  }
  return pair.skinned;
}

bool moved(const ContactInput& in, const FaceHierarchy& faces, const TrianglePair& pair, const CorrectedFrame& out) {
  for (const Index t : {pair.a, pair.b}) {
    for (const Index v : faces.triangle(t)) {
      if (in.posed.positions[v] != out.positions[v]) return true;
    }
  }
  return false;
}

std::size_t distinct(std::vector<FacePair>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  return static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

/// Pairs of faces that cross in the pose, in `out`, and in `out` alone.
struct PairCounts {
  std::size_t skinned = 0, now = 0, added = 0;
};
PairCounts count_pairs(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out) {
  std::vector<FacePair> skinned, now, added;
  for (ContactPair& pair : buffers.pairs) {
    const bool was = skinned_depth(in, buffers.faces, pair) > 0;
    const bool is = moved(in, buffers.faces, pair.triangles, out)
                        ? cross(buffers.faces, pair.triangles, out.positions).has_value()
                        : was;
    if (!was && !is) continue;
    pair.idle = in.contact.left_alone(pair.triangles);
    if (pair.idle) continue;
    const Index f = buffers.faces.face_of(pair.triangles.a), g = buffers.faces.face_of(pair.triangles.b);
    const FacePair both{std::min(f, g), std::max(f, g)};
    if (was) skinned.push_back(both);
    if (is) now.push_back(both);
    if (is && !was) added.push_back(both);
  }
  return {.skinned = distinct(skinned), .now = distinct(now), .added = distinct(added)};
}

/// What moves, and along what the volume can be closed.
void gather_moves(const ContactInput& in, const CorrectedFrame& out, ContactBuffers& buffers) {
  std::fill(buffers.kept.begin(), buffers.kept.end(), 1.0);
  std::fill(buffers.height.begin(), buffers.height.end(), 0.0);
  std::fill(buffers.by_component.begin(), buffers.by_component.end(), 0.0);
  std::fill(buffers.touched.begin(), buffers.touched.end(), 0);
  for (const ComponentPlan& component : in.plan.components) {
    component.whole.gradient(in.posed.positions, buffers.gradient);
    component.whole.areas(in.posed.positions, buffers.areas);
    for (const Index v : component.whole.vertices()) {
      buffers.wanted[v] = out.positions[v] - in.posed.positions[v];
      buffers.wanted_offset[v] = out.offsets[v];
      const Vec3 normal = guarded_normal(buffers.gradient[v], buffers.areas[v]);
      const bool moves = buffers.wanted[v] != Vec3::Zero();
      const Carried carried = moves ? RestCarrier(in.posed.maps[v].leftCols<3>()).carry(normal) : Carried{};
      buffers.closing[v] = carried.displacement;
      buffers.closing_offset[v] = carried.offset;
    }
  }
}

Vec3 whole_way(const ContactBuffers& buffers, Index component, Index v) {
  return buffers.wanted[v] + buffers.by_component[component] * buffers.height[v] * buffers.closing[v];
}

/// How far a triangle has gone.
double gone(const ContactInput& in, const ContactBuffers& buffers, Index t, const CorrectedFrame& out) {
  double most = 0;
  for (const Index v : buffers.faces.triangle(t)) {
    most = std::max(most, (out.positions[v] - in.posed.positions[v]).norm());
  }
  return most;
}

/// What is left of a way that is too long by `excess`.
double left_of(double excess, double way) { return 1 - std::min(1.0, excess / (way + 1e-300)); }

/// Pairs that cross deeper than under skinning ask their corners to go back. They are listed in buffers.near. False if
/// there are none.
bool ask_by_pairs(const ContactInput& in, double overshoot, const CorrectedFrame& out, ContactBuffers& buffers) {
  bool any = false;
  buffers.near.clear();
  for (ContactPair& pair : buffers.pairs) {
    if (pair.idle) continue;
    const auto crossing = cross(buffers.faces, pair.triangles, out.positions);
    if (!crossing) continue;
    pair.idle = in.contact.left_alone(pair.triangles);
    if (pair.idle) continue;
    buffers.near.push_back(pair.triangles);
    const auto& [s, t] = pair.triangles;
    const double edge = 0.5 * (in.contact.mean_edge(s) + in.contact.mean_edge(t));
    const double before = skinned_depth(in, buffers.faces, pair);
    const double excess = crossing->depth - before + (before > 0 ? 0 : kLeastDepth * edge);
    if (!(excess > 0)) continue;
    const double way = std::max(gone(in, buffers, s, out), gone(in, buffers, t, out));
    if (!(way > 0)) continue;
    any = true;
    const double left = left_of(overshoot * excess, way);
    for (const Index of : {s, t}) {
      for (const Index v : buffers.faces.triangle(of)) buffers.cut[v] = std::min(buffers.cut[v], left);
    }
  }
  return any;
}

/// Vertices that are deeper inside other skin than under skinning ask the same.
bool ask_by_depth(const ContactInput& in, double overshoot, const CorrectedFrame& out, ContactBuffers& buffers) {
  bool any = false;
  find_buried(in, out.positions, buffers.near, buffers);
  for (const Buried& buried : buffers.buried) {
    const double excess = buried.depth - buffers.skinned_depth[buried.vertex];
    const double edge = in.contact.mean_edge(buried.triangle);
    if (!(excess > kLeastDepth * edge)) continue;
    const double own = (out.positions[buried.vertex] - in.posed.positions[buried.vertex]).norm();
    const double way = std::max(own, gone(in, buffers, buried.triangle, out));
    if (!(way > 0)) continue;
    any = true;
    const double less = 1 - left_of(overshoot * excess, way);
    buffers.cut[buried.vertex] = std::min(buffers.cut[buried.vertex], 1 - less);
    for (Index k = 0; k < 3; ++k) {
      const Index v = buffers.faces.triangle(buried.triangle)[k];
      buffers.cut[v] = std::min(buffers.cut[v], 1 - buried.shares[k] * less);
    }
  }
  return any;
}

/// How far a face is from turning over, against what the deformer made of it.
double face_margin(const Vec3& skinned, const Vec3& now) {
  const double squared = skinned.squaredNorm(), along = skinned.dot(now);
  const double length = std::sqrt(squared * now.squaredNorm());
  return std::min(length > 0 ? along / length - kFaceCosine : -1, along / squared - kFaceArea);
}

/// Faces that holding back has brought nearer to turning over than the correction had, and near it, ask the same.
bool ask_by_faces(const ContactInput& in, const CorrectedFrame& out, ContactBuffers& buffers) {
  bool any = false;
  std::vector<Vec3>& whole = buffers.direction;
  for (const ComponentPlan& component : in.plan.components) {
    if (buffers.touched[component.index] == 0) continue;
    for (const Index v : component.whole.vertices()) whole[v] = in.posed.positions[v] + buffers.wanted[v];
    const double scale = component_pose(in.plan, component, in.posed, {}).scale;
    const double crushed = kCrushedFace * component.face_area * scale * scale;
    for (std::size_t r = 0; r < component.whole.ring_count() - component.whole.cap_count(); ++r) {
      const auto ring = component.whole.ring(r);
      if (std::all_of(ring.begin(), ring.end(), [&](Index v) { return buffers.kept[v] == 1; })) continue;
      const Vec3 skinned = area_vector(in.posed.positions, ring);
      if (!(skinned.norm() > crushed)) continue;
      const double wish = std::min(kFaceMargin, face_margin(skinned, area_vector(whole, ring)));
      const double missing = wish - face_margin(skinned, area_vector(out.positions, ring));
      if (!(missing > 1e-6)) continue;
      any = true;
      for (const Index v : ring) buffers.cut[v] = std::min(buffers.cut[v], left_of(missing, 2 * kFaceCosine));
    }
  }
  return any;
}

/// Takes what this round leaves, and no more than a little more than the neighbours keep, so that no vertex sticks out.
void spread(const ContactInput& in, ContactBuffers& buffers) {
  auto& queue = buffers.queue;  // a heap, the least on top
  queue.clear();
  for (std::size_t v = 0; v < buffers.kept.size(); ++v) {
    if (buffers.cut[v] == 1) continue;
    buffers.kept[v] *= buffers.cut[v];
    queue.emplace_back(buffers.kept[v], static_cast<Index>(v));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const auto [kept, v] = queue.back();
    queue.pop_back();
    if (kept > buffers.kept[v]) continue;
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    if (component != kNone) buffers.touched[component] = 1;
    for (Index k = in.contact.next_begin[v]; k < in.contact.next_begin[v + 1]; ++k) {
      const Index n = in.contact.next[k];
      const double limit = kept + in.contact.way[k];
      if (!(limit < buffers.kept[n])) continue;
      buffers.kept[n] = limit;
      queue.emplace_back(limit, n);
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  }
}

/// How far each vertex goes in the closing: what the regions of its joints have lost is made up for there.
void find_heights_of(const ContactInput& in, const ComponentPlan& component, ContactBuffers& buffers) {
  const TogetherPlan& plan = in.plan;
  const auto for_blends = [&](Index v, const auto& visit) {
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      visit(static_cast<std::size_t>(plan.blend_region[b]), plan.blend_gamma[b]);
    }
  };
  const auto free = [&](Index v) { return buffers.kept[v] * buffers.kept[v] * buffers.kept[v]; };
  for (Index r = component.first_region; r < component.end_region(); ++r) buffers.lost[r] = buffers.held[r] = 0;
  for (const Index v : component.whole.vertices()) {
    const double lost = (1 - buffers.kept[v]) * buffers.wanted[v].norm();
    for_blends(v, [&](std::size_t r, double gamma) {
      buffers.lost[r] += gamma * buffers.areas[v] * lost;
      buffers.held[r] += gamma * buffers.areas[v] * std::max(free(v), kGivenElsewhere);
    });
  }
  for (const Index v : component.whole.vertices()) {
    double height = kGivenElsewhere * buffers.wanted[v].norm();
    for_blends(v, [&](std::size_t r, double gamma) {
      if (buffers.held[r] > 0) height += gamma * buffers.lost[r] / buffers.held[r];
    });
    buffers.height[v] = free(v) * height;
  }
}

void place(const ContactInput& in, const ComponentPlan& component, const ContactBuffers& buffers, CorrectedFrame& out) {
  const double closing = buffers.by_component[component.index];
  for (const Index v : component.whole.vertices()) {
    if (buffers.wanted[v] == Vec3::Zero()) continue;
    out.positions[v] = in.posed.positions[v] + buffers.kept[v] * whole_way(buffers, component.index, v);
    out.offsets[v] =
        buffers.kept[v] * (buffers.wanted_offset[v] + closing * buffers.height[v] * buffers.closing_offset[v]);
  }
}

/// Where the skin is with what it keeps, and its volume closed again by what is free: a cubic, since all goes along
/// lines.
void place_and_close(const ContactInput& in, const ComponentPlan& component, ContactBuffers& buffers,
                     CorrectedFrame& out) {
  ComponentVolume& volume = out.components[component.index];
  double& closing = buffers.by_component[component.index];
  closing = 0;
  find_heights_of(in, component, buffers);
  place(in, component, buffers, out);
  const bool exact = volume.outcome != VolumeOutcome::linear && volume.target != 0;
  for (int pass = 0; exact && pass < 3; ++pass) {
    const double left = volume.target - component.whole.volume(out.positions);
    if (std::abs(left) <= 0.1 * kReached * std::abs(volume.target)) break;
    for (const Index v : component.whole.vertices()) {
      buffers.direction[v] = buffers.kept[v] * buffers.height[v] * buffers.closing[v];
    }
    const CubicRoot root = continuing_root(component.whole.along(out.positions, buffers.direction), left);
    if (!std::isfinite(root.t)) break;
    closing += root.t;
    place(in, component, buffers, out);
    if (!root.found) break;
  }
}

/// One round: true if something was too deep.
bool go_back(const ContactInput& in, double overshoot, ContactBuffers& buffers, CorrectedFrame& out) {
  std::fill(buffers.cut.begin(), buffers.cut.end(), 1.0);
  bool any = ask_by_pairs(in, overshoot, out, buffers);
  if (!buffers.near.empty()) any = ask_by_depth(in, overshoot, out, buffers) || any;
  any = ask_by_faces(in, out, buffers) || any;
  if (!any) return false;
  spread(in, buffers);
  for (const ComponentPlan& component : in.plan.components) {
    if (buffers.touched[component.index] != 0) place_and_close(in, component, buffers, out);
  }
  return true;
}

/// How deep vertices are inside other skin under skinning alone.
void measure_skinned(const ContactInput& in, ContactBuffers& buffers) {
  std::fill(buffers.skinned_depth.begin(), buffers.skinned_depth.end(), 0.0);
  buffers.near.clear();
  for (ContactPair& pair : buffers.pairs) {
    if (!pair.idle && skinned_depth(in, buffers.faces, pair) > 0) buffers.near.push_back(pair.triangles);
  }
  if (buffers.near.empty()) return;
  find_buried(in, in.posed.positions, buffers.near, buffers);
  for (const Buried& buried : buffers.buried) buffers.skinned_depth[buried.vertex] = buried.depth;
}

void report_held(const ContactInput& in, const ContactBuffers& buffers, CorrectedFrame& out) {
  out.turned_faces = 0;
  out.largest_turn = 0;
  for (const ComponentPlan& component : in.plan.components) {
    const double scale = component_pose(in.plan, component, in.posed, {}).scale;
    const FaceTurns turns = face_turns(component.whole, in.posed.positions, out.positions,
                                       kCrushedFace * component.face_area * scale * scale);
    out.turned_faces += turns.turned;
    out.largest_turn = std::max(out.largest_turn, turns.largest());
    if (buffers.touched[component.index] == 0) continue;
    ComponentVolume& volume = out.components[component.index];
    const bool exact = volume.error_after() <= kContactExact;
    volume.after = component.whole.volume(out.positions);
    volume.residual = volume.target - volume.after;
    if (exact && volume.error_after() > kContactExact) volume.outcome = VolumeOutcome::touching;
    for (const Index v : component.whole.vertices()) {
      out.held_vertices += buffers.kept[v] < kCountedHeld && buffers.wanted[v] != Vec3::Zero() ? 1 : 0;
    }
  }
}

}  // namespace

ContactBuffers::ContactBuffers(const TogetherPlan& plan, const ContactPlan* contact) {
  if (contact == nullptr) return;
  faces = contact->faces;
  const std::size_t count = plan.welded->surface().vertex_count();
  for (auto* field : {&wanted, &wanted_offset, &closing, &closing_offset, &gradient, &direction}) {
    field->assign(count, Vec3::Zero());
  }
  for (auto* values : {&height, &kept, &cut, &areas, &skinned_depth}) values->assign(count, 0.0);
  by_component.assign(plan.welded->topology().components.size(), 0.0);
  touched.assign(by_component.size(), 0);
  lost.assign(plan.regions.size(), 0.0);
  held.assign(plan.regions.size(), 0.0);
  seen.assign(count, 0);
}

bool hold_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  find_pairs(in, buffers, out);
  PairCounts counts = count_pairs(in, buffers, out);
  out.contact = {.skinned = counts.skinned,
                 .before = counts.now,
                 .added_before = counts.added,
                 .after = counts.now,
                 .added_after = counts.added};
  if (in.plan.options.contact == ContactTreatment::count || counts.now == 0) return false;
  measure_skinned(in, buffers);
  gather_moves(in, out, buffers);
  bool any = false;
  double overshoot = kOvershoot;
  for (int search = 0; search < kPairRounds; ++search) {
    bool going = true;
    for (int round = 0; round < kContactRounds && going; ++round) {
      going = go_back(in, overshoot, buffers, out);
      any = any || going;
      overshoot *= kOvershootGrowth;
    }
    if (!any) return false;
    // What closes the volume may have gone beyond the boxes.
    find_pairs(in, buffers, out);
    counts = count_pairs(in, buffers, out);
    if (counts.added == 0) break;
  }
  out.contact.after = counts.now;
  out.contact.added_after = counts.added;
  report_held(in, buffers, out);
  return true;
}

}  // namespace isochor::volume
