#include "volume/fold_zone.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "isochor/base/math.h"
#include "isochor/mesh/face_turns.h"

namespace isochor::volume {
namespace {

/// What is promised is 60° and 0.15 of the area; a little more is kept, for what files round.
constexpr double kTurn = 0.515, kArea = 0.16;
/// Where a twist is undone, less than 90° is all that is asked: faces of a wrung limb lie across it.
constexpr double kTwistTurn = 0.03, kTwistArea = 0.01;
constexpr double kTwistFrom = 0.25, kTwistAt = 0.5;
/// Nor may a face grow to more than so many times of what the deformer leaves of it, but for twists. Where the deformer
/// itself turns a face over, it vanishes in between: so does the corrected one then, and its sides change together.
constexpr double kGrowth = 6;
/// Faces that the deformer has crushed below a thousandth of the median are nothing to hold on to: strictness fades out
/// below that.
constexpr double kGone = 1e-5;
/// What is free grows from 0 to 1 over so many local radii.
constexpr double kSpread = 0.3;

std::size_t face_count(const VolumeFunctional& functional) { return functional.ring_count() - functional.cap_count(); }

/// Calls visit(neighbour) for the vertices beside v.
template <class Visit>
void for_neighbours(const FoldBuffers& buffers, const VolumeFunctional& whole, Index v, const Visit& visit) {
  for (Index i = buffers.ring_begin[v]; i < buffers.ring_begin[v + 1]; ++i) {
    const auto ring = whole.ring(static_cast<std::size_t>(buffers.rings[i]));
    for (std::size_t k = 0; k < ring.size(); ++k) {
      if (ring[k] != v) continue;
      visit(ring[k + 1 == ring.size() ? 0 : k + 1]);
      visit(ring[k == 0 ? ring.size() - 1 : k - 1]);
    }
  }
}

double way_between(const FoldInput& in, Index a, Index b) {
  const auto& rest = in.at.plan.welded->surface().positions;
  const auto& radius = in.at.plan.radius;
  return (rest[a] - rest[b]).norm() / (kSpread * 0.5 * (radius[a] + radius[b]) + 1e-300);
}

/// In the order of how far it is from these faces.
void find_near(const FoldInput& in, FoldBuffers& buffers) {
  const VolumeFunctional& whole = in.at.component.whole;
  auto& queue = buffers.queue;  // a heap, the nearest on top
  queue.clear();
  for (const Index v : whole.vertices()) {
    buffers.far[v] = std::numeric_limits<double>::infinity();
    buffers.place[v] = kNone;
  }
  const auto reach = [&](Index v, double far) {
    if (far > 1.5 || far >= buffers.far[v]) return;
    buffers.far[v] = far;
    queue.emplace_back(far, v);
    std::push_heap(queue.begin(), queue.end(), std::greater<>());
  };
  for (const Index r : buffers.near_rings) {
    for (const Index v : in.faces.ring(static_cast<std::size_t>(r))) reach(v, 0);
  }
  buffers.near.clear();
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const double far = queue.back().first;
    const Index v = queue.back().second;
    queue.pop_back();
    if (far > buffers.far[v] || buffers.place[v] != kNone) continue;
    buffers.place[v] = static_cast<Index>(buffers.near.size());
    buffers.near.push_back(v);
    for_neighbours(buffers, whole, v, [&](Index n) { reach(n, far + way_between(in, v, n)); });
  }
}

/// Faces and neighbours of that skin.
void read_near(const FoldInput& in, FoldBuffers& buffers) {
  const VolumeFunctional& whole = in.at.component.whole;
  buffers.faces.clear();
  buffers.corners.clear();
  buffers.next.clear();
  buffers.way.clear();
  buffers.next_begin.assign(1, 0);
  for (std::size_t i = 0; i < buffers.near.size(); ++i) {
    const Index v = buffers.near[i];
    for_neighbours(buffers, whole, v, [&](Index n) {
      if (buffers.place[n] == kNone) return;
      buffers.next.push_back(buffers.place[n]);
      buffers.way.push_back(way_between(in, v, n));
    });
    buffers.next_begin.push_back(static_cast<Index>(buffers.next.size()));
    for (Index k = buffers.ring_begin[v]; k < buffers.ring_begin[v + 1]; ++k) {
      const auto ring = whole.ring(static_cast<std::size_t>(buffers.rings[k]));
      // Each face once, by the first of its corners; faces at the rim stay as the free skin makes them.
      Index first = static_cast<Index>(i);
      bool inside = true;
      for (const Index c : ring) {
        inside = inside && buffers.place[c] != kNone;
        first = std::min(first, buffers.place[c]);
      }
      if (!inside || first != static_cast<Index>(i)) continue;
      GuardedFace face = read_face(in, ring, area_vector(in.at.posed.positions, ring));
      face.begin = buffers.corners.size();
      for (const Index c : ring) buffers.corners.push_back(buffers.place[c]);
      face.end = buffers.corners.size();
      buffers.faces.push_back(face);
    }
  }
}

}  // namespace

FoldBuffers::FoldBuffers(const TogetherPlan& plan) {
  const std::size_t count = plan.welded->surface().vertex_count();
  for (auto* values : {&free, &areas, &height, &far}) values->assign(count, 1.0);
  for (auto* field : {&wanted, &wanted_offset, &displacement, &offset, &closing, &closing_offset, &gradient}) {
    field->assign(count, Vec3::Zero());
  }
  place.assign(count, kNone);
  ring_begin.assign(count + 1, 0);
  const auto for_corners = [&](const auto& visit) {
    for (const ComponentPlan& component : plan.components) {
      for (std::size_t r = 0; r < face_count(component.whole); ++r) {
        for (const Index v : component.whole.ring(r)) visit(v, static_cast<Index>(r));
      }
    }
  };
  for_corners([&](Index v, Index) { ++ring_begin[v + 1]; });
  for (std::size_t v = 0; v < count; ++v) ring_begin[v + 1] += ring_begin[v];
  rings.resize(static_cast<std::size_t>(ring_begin.back()));
  std::vector<Index> end(ring_begin.begin(), ring_begin.end() - 1);
  for_corners([&](Index v, Index r) { rings[end[v]++] = r; });
}

double median_area(const ComponentPose& at) { return at.component.face_area * at.scale * at.scale; }

GuardedFace read_face(const FoldInput& in, std::span<const Index> ring, const Vec3& normal) {
  GuardedFace face;
  face.normal = normal;
  face.squared = face.normal.squaredNorm();
  double twist = 0;
  for (const Index v : ring) twist = std::max(twist, in.twist[v]);
  const double twisted = smooth_step(kTwistFrom, kTwistAt, twist);
  face.turn = kTurn + twisted * (kTwistTurn - kTurn);
  face.area = kArea + twisted * (kTwistArea - kArea);
  face.growth = kGrowth / std::max(1e-3, 1 - twisted);
  const double strictness = smooth_step(kGone, kCrushedFace, std::sqrt(face.squared) / median_area(in.at));
  face.slack = 1 / std::max(strictness, 1e-9) - 1;
  return face;
}

double margin(const GuardedFace& face, const Vec3& normal) {
  if (!(face.squared > 0)) return 1;
  const double along = face.normal.dot(normal) / face.squared;
  const double length = std::sqrt(normal.squaredNorm() / face.squared);
  return std::min({along - face.turn * length, along - face.area, (face.growth - length) / face.growth}) + face.slack;
}

void find_zone(const FoldInput& in, FoldBuffers& buffers) {
  find_near(in, buffers);
  read_near(in, buffers);
}

}  // namespace isochor::volume
