#include "volume/contact.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "isochor/base/math.h"
#include "isochor/mesh/face_turns.h"
#include "volume/rest_carrier.h"
#include "volume/together.h"

namespace isochor::volume {
namespace {

/// How often limits are found: closing the volume moves skin that is free, which may then meet other skin.
constexpr int kContactRounds = 4;
/// How often faces that this brings near turning over are held back as well.
constexpr int kFaceRounds = 8;
/// The skin goes less far than it may by this factor.
constexpr double kReserve = 1.3;
/// Skin meets skin that looks against it: from this cosine of the two normals on, and fully from that.
constexpr double kAside = 0.0, kOpposed = 0.4;
/// Boxes are grown by this share of their diagonals: skin is known before it is slowed down, and when closing the
/// volume moves it.
constexpr double kGrownBoxes = 0.25;
/// Faces keep this far from 60° and 0.15 of their area, or what the correction had left of that.
constexpr double kFaceMargin = 0.05, kFaceCosine = 0.5, kFaceArea = 0.15;
/// A face that is beyond that by so much lets its corners keep nothing.
constexpr double kFaceTurn = 0.5;
/// Closing the volume moves skin by no more than this, in local radii: where legs lie deep in a belly, what is free
/// could make up for all of them only as a balloon. Skin is held back by less then.
constexpr double kMostGiven = 0.1;
/// How often that is looked at: by how much less is not quite in proportion.
constexpr int kGivingRounds = 4;
/// What skin gives that has lost nothing around it, of its own displacement.
constexpr double kGivenElsewhere = 0.05;
/// A volume that is this near to its target, relative to it, is brought there again.
constexpr double kContactExact = 1e-9;
/// A vertex counts as held back that keeps less than this of its displacement.
constexpr double kCountedHeld = 0.99;

/// What may meet between the pose and `out`, or a little beyond.
void find_near(const ContactInput& in, double beyond, ContactBuffers& buffers, const CorrectedFrame& out) {
  buffers.faces.refit(in.posed.positions, out.positions, beyond);
  buffers.faces.near_pairs(buffers.near, FaceHierarchy::Which::moving);
}

bool boxes_apart(const Triangle& a, const Triangle& b) {
  const Vec3 low_a = a[0].cwiseMin(a[1]).cwiseMin(a[2]), high_a = a[0].cwiseMax(a[1]).cwiseMax(a[2]);
  const Vec3 low_b = b[0].cwiseMin(b[1]).cwiseMin(b[2]), high_b = b[0].cwiseMax(b[1]).cwiseMax(b[2]);
  return (low_a.array() > high_b.array()).any() || (low_b.array() > high_a.array()).any();
}

/// In the order of the faces, so that rounding does not depend on how the pair was found.
std::optional<TriangleCrossing> cross(const FaceHierarchy& faces, const TrianglePair& pair,
                                      std::span<const Vec3> positions) {
  const bool swapped = faces.face_of(pair.a) > faces.face_of(pair.b);
  const Triangle a = faces.corners(swapped ? pair.b : pair.a, positions);
  const Triangle b = faces.corners(swapped ? pair.a : pair.b, positions);
  return boxes_apart(a, b) ? std::nullopt : triangle_crossing(a, b);
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
/// Looks at `near` and at those that crossed when this was called last: skin that went back to where the pose has it
/// does not move any more, but crosses as it did.
PairCounts count_pairs(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out) {
  std::vector<FacePair> skinned, now, added;
  std::vector<TrianglePair> crossing;
  const auto look = [&](const TrianglePair& pair) {
    const bool was = cross(buffers.faces, pair, in.posed.positions).has_value();
    const bool is = moved(in, buffers.faces, pair, out) ? cross(buffers.faces, pair, out.positions).has_value() : was;
    if ((!was && !is) || in.contact.left_alone(pair)) return;
    crossing.push_back(pair);
    const Index f = buffers.faces.face_of(pair.a), g = buffers.faces.face_of(pair.b);
    const FacePair both{std::min(f, g), std::max(f, g)};
    if (was) skinned.push_back(both);
    if (is) now.push_back(both);
    if (is && !was) added.push_back(both);
  };
  for (const TrianglePair& pair : buffers.near) look(pair);
  for (const TrianglePair& pair : buffers.crossing) look(pair);
  buffers.crossing = std::move(crossing);
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

/// Outward, of length 1; zero where the skin has no inside.
Vec3 outward_normal(const ContactInput& in, const FaceHierarchy& faces, Index t) {
  const Triangle corners = faces.corners(t, in.posed.positions);
  const Index component = in.plan.welded->topology().component_of_vertex[faces.triangle(t)[0]];
  const bool mirrored = in.posed.target_volumes[component] * in.posed.rest_volumes[component] < 0;
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double length = normal.norm();
  const double side = (mirrored ? -1 : 1) * in.contact.outward[component];
  return length > 0 ? Vec3(side / length * normal) : Vec3::Zero();
}

/// The farthest that a corner goes along a direction, and no less than 0.
double along(const ContactInput& in, const ContactBuffers& buffers, Index t, const Vec3& direction) {
  double most = 0;
  for (const Index v : buffers.faces.triangle(t)) {
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    most = std::max(most, whole_way(buffers, component, v).dot(direction));
  }
  return most;
}

/// Pairs that look against each other, and how.
void find_facing(const ContactInput& in, ContactBuffers& buffers) {
  buffers.normals.clear();
  for (Index t = 0; t < static_cast<Index>(buffers.faces.triangle_count()); ++t) {
    buffers.normals.push_back(outward_normal(in, buffers.faces, t));
  }
  buffers.facing.clear();
  for (const TrianglePair& pair : buffers.near) {
    const Vec3 &own = buffers.normals[pair.a], &other = buffers.normals[pair.b];
    const double opposed = smooth_step(kAside, kOpposed, -own.dot(other));
    if (!(opposed > 0) || in.contact.back_to_back(pair) || in.contact.left_alone(pair)) continue;
    buffers.facing.push_back({.triangles = pair, .opposed = opposed, .towards = (own - other).normalized()});
  }
}

/// The gap of a pair under skinning, as far as it lies ahead or aside: none for skin behind other skin.
double room_of(const ContactInput& in, const ContactBuffers& buffers, const FacingPair& pair) {
  const Vec3 gap = triangle_gap(buffers.faces.corners(pair.triangles.a, in.posed.positions),
                                buffers.faces.corners(pair.triangles.b, in.posed.positions));
  const double ahead = gap.dot(pair.towards);
  return std::max(0.0, ahead) + (gap - ahead * pair.towards).norm();
}

/// How much of its way a pair may keep so that it does not meet. The gap under skinning, over how far the two come
/// towards each other: g / a, which is 0 for skin that crosses or lies behind other skin already. Continuous: a gap and
/// normals are, and what looks the same way fades out.
double pair_limit(const ContactInput& in, const ContactBuffers& buffers, FacingPair& pair) {
  const double approach = kReserve * (along(in, buffers, pair.triangles.a, pair.towards) +
                                      along(in, buffers, pair.triangles.b, -pair.towards));
  if (!(approach > 0)) return 1;
  if (pair.room < 0) pair.room = room_of(in, buffers, pair);
  return 1 - pair.opposed * (1 - std::min(1.0, pair.room / approach));
}

/// Pairs that would meet ask their corners to keep less. False if there are none.
bool ask_by_pairs(const ContactInput& in, ContactBuffers& buffers) {
  bool any = false;
  for (FacingPair& pair : buffers.facing) {
    const double limit = pair_limit(in, buffers, pair);
    if (!(limit < 1)) continue;
    for (const Index t : {pair.triangles.a, pair.triangles.b}) {
      for (const Index v : buffers.faces.triangle(t)) {
        if (!(limit < buffers.kept[v])) continue;
        any = true;
        buffers.cut[v] = std::min(buffers.cut[v], limit / buffers.kept[v]);
      }
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
    const double scale = component_pose(in.plan, component, in.posed, {}).scale;
    const double crushed = kCrushedFace * component.face_area * scale * scale;
    for (std::size_t r = 0; r < component.whole.ring_count() - component.whole.cap_count(); ++r) {
      const auto ring = component.whole.ring(r);
      const Vec3 skinned = area_vector(in.posed.positions, ring);
      if (!(skinned.norm() > crushed)) continue;
      const double margin = face_margin(skinned, area_vector(out.positions, ring));
      if (margin >= kFaceMargin) continue;
      for (const Index v : ring) whole[v] = in.posed.positions[v] + buffers.wanted[v];
      const double missing = std::min(kFaceMargin, face_margin(skinned, area_vector(whole, ring))) - margin;
      if (!(missing > 1e-6)) continue;
      any = true;
      for (const Index v : ring) buffers.cut[v] = std::min(buffers.cut[v], 1 - std::min(1.0, missing / kFaceTurn));
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

void close_all(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  spread(in, buffers);
  for (const ComponentPlan& component : in.plan.components) {
    if (buffers.touched[component.index] != 0) place_and_close(in, component, buffers, out);
  }
}

/// By region: how far its losses move a vertex in the closing at most, in local radii.
void find_given(const ContactInput& in, const ComponentPlan& component, ContactBuffers& buffers) {
  const double scale = component_pose(in.plan, component, in.posed, {}).scale;
  const double closing = std::abs(buffers.by_component[component.index]);
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    const JointRegion& region = in.plan.regions[r];
    const double given = buffers.held[r] > 0 ? buffers.lost[r] / buffers.held[r] : 0;
    buffers.given[r] = 0;
    for (std::size_t k = 0; k < region.vertices.size(); ++k) {
      const Index v = region.vertices[k];
      const double radius = scale * in.plan.radius[v], kept = buffers.kept[v];
      if (!(radius > 0)) continue;
      const double height = region.gamma[k] * given * kept * kept * kept * kept;
      buffers.given[r] = std::max(buffers.given[r], closing * height * buffers.closing[v].norm() / radius);
    }
  }
}

/// Skin is held back by less where that would take more than the skin around can give.
void yield_contact(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  const TogetherPlan& plan = in.plan;
  for (const ComponentPlan& component : plan.components) {
    if (buffers.touched[component.index] == 0) continue;
    for (int round = 0; round < kGivingRounds; ++round) {
      find_given(in, component, buffers);
      bool yields = false;
      for (const Index v : component.whole.vertices()) {
        double all = 0, held = 0;
        for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
          all += plan.blend_gamma[b];
          held += plan.blend_gamma[b] * std::min(1.0, kMostGiven / (buffers.given[plan.blend_region[b]] + 1e-300));
        }
        if (!(held < all)) continue;
        buffers.kept[v] = 1 - (1 - buffers.kept[v]) * held / all;
        yields = true;
      }
      if (!yields) break;
      place_and_close(in, component, buffers, out);
    }
  }
}

/// Limits, the volume closed again, limits for what that has moved, and so on. False if nothing is in the way.
bool hold_back(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  bool any = false;
  for (int round = 0; round < kContactRounds; ++round) {
    std::fill(buffers.cut.begin(), buffers.cut.end(), 1.0);
    if (!ask_by_pairs(in, buffers)) break;
    any = true;
    close_all(in, buffers, out);
  }
  if (any) yield_contact(in, buffers, out);
  for (int round = 0; any && round < kFaceRounds; ++round) {
    std::fill(buffers.cut.begin(), buffers.cut.end(), 1.0);
    if (!ask_by_faces(in, out, buffers)) break;
    close_all(in, buffers, out);
  }
  return any;
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
  for (auto* values : {&height, &kept, &cut, &areas}) values->assign(count, 0.0);
  by_component.assign(plan.welded->topology().components.size(), 0.0);
  touched.assign(by_component.size(), 0);
  lost.assign(plan.regions.size(), 0.0);
  held.assign(plan.regions.size(), 0.0);
  given.assign(plan.regions.size(), 0.0);
}

bool hold_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  buffers.crossing.clear();
  find_near(in, 0, buffers, out);
  const PairCounts before = count_pairs(in, buffers, out);
  out.contact = {.skinned = before.skinned,
                 .before = before.now,
                 .added_before = before.added,
                 .after = before.now,
                 .added_after = before.added};
  if (in.plan.options.contact != ContactTreatment::hold) return false;
  find_near(in, kGrownBoxes, buffers, out);
  find_facing(in, buffers);
  if (buffers.facing.empty()) return false;
  gather_moves(in, out, buffers);
  if (!hold_back(in, buffers, out)) return false;
  find_near(in, 0, buffers, out);
  const PairCounts after = count_pairs(in, buffers, out);
  out.contact.after = after.now;
  out.contact.added_after = after.added;
  report_held(in, buffers, out);
  return true;
}

}  // namespace isochor::volume
