#include "volume/fold_zone.h"

#include "isochor/base/math.h"
#include "volume/fold_closing.h"

namespace isochor::volume {
namespace {

/// Where a twist is undone, less than 90° is all that is asked: faces of a wrung limb lie across it.
constexpr double kTwistTurn = 0.03, kTwistArea = 0.01;
constexpr double kTwistFrom = 0.25, kTwistAt = 0.5;
/// Faces that the deformer has crushed below a thousandth of the median are nothing to hold on to: strictness fades out
/// below that.
constexpr double kGone = 1e-5;
/// What is free grows from 0 to 1 over so many local radii.
constexpr double kSpread = 0.3;

void find_rings(const TogetherPlan& plan, FoldPlan& folds) {
  const std::size_t count = plan.welded->surface().vertex_count();
  folds.ring_begin.assign(count + 1, 0);
  const auto for_corners = [&](const auto& visit) {
    for (const ComponentPlan& component : plan.components) {
      for (std::size_t r = 0; r < component.whole.ring_count(); ++r) {
        for (const Index v : component.whole.ring(r)) visit(v, static_cast<Index>(r));
      }
    }
  };
  for_corners([&](Index v, Index) { ++folds.ring_begin[v + 1]; });
  for (std::size_t v = 0; v < count; ++v) folds.ring_begin[v + 1] += folds.ring_begin[v];
  folds.rings.resize(static_cast<std::size_t>(folds.ring_begin.back()));
  std::vector<Index> end(folds.ring_begin.begin(), folds.ring_begin.end() - 1);
  for_corners([&](Index v, Index r) { folds.rings[end[v]++] = r; });
}

/// Along edges of faces; caps join what is far apart.
void find_neighbours(const TogetherPlan& plan, FoldPlan& folds) {
  const auto& rest = plan.welded->surface().positions;
  const std::size_t count = rest.size();
  std::vector<std::vector<Index>> beside(count);
  for (const ComponentPlan& component : plan.components) {
    for (std::size_t r = 0; r < component.whole.ring_count() - component.whole.cap_count(); ++r) {
      const auto ring = component.whole.ring(r);
      for (std::size_t k = 0; k < ring.size(); ++k) {
        const Index a = ring[k], b = ring[k + 1 == ring.size() ? 0 : k + 1];
        beside[a].push_back(b);
        beside[b].push_back(a);
      }
    }
  }
  folds.next_begin.assign(1, 0);
  for (std::size_t v = 0; v < count; ++v) {
    auto& others = beside[v];
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (const Index n : others) {
      folds.next.push_back(n);
      folds.way.push_back((rest[v] - rest[n]).norm() / (kSpread * 0.5 * (plan.radius[v] + plan.radius[n]) + 1e-300));
    }
    folds.next_begin.push_back(static_cast<Index>(folds.next.size()));
  }
}

}  // namespace

FoldPlan::FoldPlan(const TogetherPlan& plan) : bin_area(find_bin_areas(plan)) {
  find_rings(plan, *this);
  find_neighbours(plan, *this);
  for (const ComponentPlan& component : plan.components)
    most_rings = std::max(most_rings, component.whole.ring_count());
}

FoldZone::FoldZone(const TogetherPlan& plan) {
  place.assign(plan.welded->surface().vertex_count(), kNone);
  std::size_t most_rings = 0;
  for (const ComponentPlan& component : plan.components)
    most_rings = std::max(most_rings, component.whole.ring_count());
  face_place.assign(most_rings, kNone);
}

void FoldZone::clear() {
  for (const Index v : vertices) place[v] = kNone;
  for (const Index r : face_ring) face_place[r] = kNone;
  for (auto* field : {&from, &wanted, &offset, &way, &rest_way}) field->clear();
  vertices.clear();
  free.clear();
  faces.clear();
  corners.clear();
  face_ring.clear();
}

Index FoldZone::add_vertex(const FoldInput& in, const CorrectedFrame& out, Index v) {
  if (place[v] != kNone) return place[v];
  place[v] = static_cast<Index>(vertices.size());
  vertices.push_back(v);
  from.push_back(in.at.posed.positions[v]);
  wanted.push_back(out.positions[v] - in.at.posed.positions[v]);
  offset.push_back(out.offsets[v]);
  way.push_back(wanted.back());
  rest_way.push_back(offset.back());
  free.push_back(1);
  return place[v];
}

Index FoldZone::add_face(const FoldInput& in, const CorrectedFrame& out, Index ring) {
  if (face_place[ring] != kNone) return face_place[ring];
  const auto around = in.at.component.whole.ring(static_cast<std::size_t>(ring));
  const auto& posed = in.at.posed.positions;
  GuardedFace face = read_face(in, around, area_of(around, [&](Index v) -> const Vec3& { return posed[v]; }));
  face.begin = corners.size();
  for (const Index v : around) corners.push_back(add_vertex(in, out, v));
  face.end = corners.size();
  face_place[ring] = static_cast<Index>(faces.size());
  faces.push_back(face);
  face_ring.push_back(ring);
  return face_place[ring];
}

void FoldZone::add_faces(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, Index at) {
  const VolumeFunctional& whole = in.at.component.whole;
  const auto face_count = static_cast<Index>(whole.ring_count() - whole.cap_count());
  for (const Index ring : plan.rings_at(vertices[at])) {
    if (ring < face_count) add_face(in, out, ring);
  }
}

double median_area(const ComponentPose& at) { return at.component.face_area * at.scale * at.scale; }

GuardedFace read_face(const FoldInput& in, std::span<const Index> ring, const Vec3& normal) {
  GuardedFace face;
  face.normal = normal;
  const double squared = face.normal.squaredNorm();
  face.per_squared = squared > 0 ? 1 / squared : 0;
  double twist = 0;
  for (const Index v : ring) twist = std::max(twist, in.twist[v]);
  const double twisted = smooth_step(kTwistFrom, kTwistAt, twist);
  face.turn = kTurn + twisted * (kTwistTurn - kTurn);
  face.area = kArea + twisted * (kTwistArea - kArea);
  face.per_growth = std::max(1e-3, 1 - twisted) / kGrowth;
  const double strictness = smooth_step(kGone, kCrushedFace, std::sqrt(squared) / median_area(in.at));
  face.slack = 1 / std::max(strictness, 1e-9) - 1;
  return face;
}

}  // namespace isochor::volume
