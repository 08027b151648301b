#include "volume/fold_zone.h"

#include <optional>

#include "isochor/base/math.h"
#include "mesh/edge_uses.h"
#include "volume/fold_closing.h"

namespace isochor::volume {
namespace {

/// Where a twist is undone, less than 90° is all that is asked: faces of a wrung limb lie across it.
constexpr double kTwistTurn = 0.03, kTwistArea = 0.01;
constexpr double kTwistFrom = 0.25, kTwistAt = 0.5;
/// Faces that the deformer has crushed below a thousandth of the median are nothing to hold on to: strictness fades out
/// below that.
constexpr double kGone = 1e-5;
/// The cosine between the normals of two faces at rest below which their edge is sharp: less than 80° of flesh.
constexpr double kSharp = -0.174;
/// A wedge of which the deformer has left less than these shares of what it is at rest is nothing to hold on to:
/// strictness fades out between them.
constexpr double kWedgeGone = 0.02, kWedgeThere = 0.1;
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

/// The corner of a ring that is farthest from the line through two others.
Index across(std::span<const Index> ring, const Vec3& a, const Vec3& b, std::span<const Vec3> rest) {
  const auto height = [&](Index v) { return (rest[v] - a).cross(b - a).squaredNorm(); };
  return *std::max_element(ring.begin(), ring.end(), [&](Index v, Index w) { return height(v) < height(w); });
}

/// The wedge of an edge that two faces share, if it is sharp at rest and lies in a component with a volume.
std::optional<Wedge> wedge_at(const TogetherPlan& plan, std::span<const mesh::FaceEdge> edge) {
  if (edge.size() != 2) return std::nullopt;
  const WeldedCharacter& welded = *plan.welded;
  const auto& rest = welded.surface().positions;
  const auto component = static_cast<std::size_t>(welded.topology().component_of_face[edge[0].face]);
  if (!welded.has_volume(component)) return std::nullopt;
  const auto& flips = welded.topology().components[component].flips;
  const auto flipped = [&](const mesh::FaceEdge& use) {
    return std::binary_search(flips.begin(), flips.end(), use.face);
  };
  const auto runs_on = [&](const mesh::FaceEdge& use) { return use.forward != flipped(use); };
  if (runs_on(edge[0]) == runs_on(edge[1])) return std::nullopt;
  const mesh::FaceEdge &first = runs_on(edge[0]) ? edge[0] : edge[1], &second = runs_on(edge[0]) ? edge[1] : edge[0];
  const auto face = [&](const mesh::FaceEdge& use) {
    return welded.surface().face(static_cast<std::size_t>(use.face));
  };
  const auto normal = [&](const mesh::FaceEdge& use) {
    return Vec3((flipped(use) ? -1 : 1) * area_vector(rest, face(use)));
  };
  const Vec3 n = normal(first), m = normal(second);
  if (!(n.dot(m) < kSharp * n.norm() * m.norm())) return std::nullopt;
  const auto& corners = welded.surface().corners;
  Index low = std::min(corners[first.corner], corners[first.next]);
  Index high = std::max(corners[first.corner], corners[first.next]);
  if (welded.rest_volumes()[component] < 0) std::swap(low, high);
  Wedge wedge{
      {high, low, across(face(first), rest[low], rest[high], rest), across(face(second), rest[low], rest[high], rest)}};
  wedge.volume = wedge_of(wedge.corners, [&](Index v) -> const Vec3& { return rest[v]; });
  if (!(wedge.volume > 0)) return std::nullopt;  // a sharp valley
  return wedge;
}

void find_wedges(const TogetherPlan& plan, FoldPlan& folds) {
  const Topology& topology = plan.welded->topology();
  const mesh::EdgeUses edges(plan.welded->surface());
  std::vector<std::vector<Wedge>> of_component(topology.components.size());
  for (std::size_t e = 0; e < edges.edge_count(); ++e) {
    const auto wedge = wedge_at(plan, edges.edge(e));
    if (wedge) of_component[topology.component_of_vertex[wedge->corners[0]]].push_back(*wedge);
  }
  folds.first_wedge.assign(1, 0);
  for (const auto& own : of_component) {
    folds.wedges.insert(folds.wedges.end(), own.begin(), own.end());
    folds.first_wedge.push_back(static_cast<Index>(folds.wedges.size()));
  }
  std::vector<std::vector<Index>> at(plan.welded->surface().vertex_count());
  for (std::size_t w = 0; w < folds.wedges.size(); ++w) {
    for (const Index v : folds.wedges[w].corners) at[v].push_back(static_cast<Index>(w));
  }
  folds.wedge_begin.assign(1, 0);
  for (const auto& own : at) {
    folds.wedge_at.insert(folds.wedge_at.end(), own.begin(), own.end());
    folds.wedge_begin.push_back(static_cast<Index>(folds.wedge_at.size()));
  }
}

}  // namespace

FoldPlan::FoldPlan(const TogetherPlan& plan) : bin_area(find_bin_areas(plan)) {
  find_rings(plan, *this);
  find_neighbours(plan, *this);
  find_wedges(plan, *this);
  for (const ComponentPlan& component : plan.components)
    most_rings = std::max(most_rings, component.whole.ring_count());
}

FoldZone::FoldZone(const TogetherPlan& plan, const FoldPlan& folds) : wedge_place(folds.wedges.size(), kNone) {
  place.assign(plan.welded->surface().vertex_count(), kNone);
  std::size_t most_rings = 0;
  for (const ComponentPlan& component : plan.components)
    most_rings = std::max(most_rings, component.whole.ring_count());
  face_place.assign(most_rings, kNone);
}

void FoldZone::clear() {
  for (const Index v : vertices) place[v] = kNone;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    (faces[f].is_wedge() ? wedge_place : face_place)[face_ring[f]] = kNone;
  }
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

Index FoldZone::add_wedge(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, Index wedge) {
  if (wedge_place[wedge] != kNone) return wedge_place[wedge];
  const Wedge& own = plan.wedges[wedge];
  const auto& posed = in.at.posed.positions;
  GuardedFace face = read_wedge(in, own, wedge_of(own.corners, [&](Index v) -> const Vec3& { return posed[v]; }));
  face.begin = corners.size();
  for (const Index v : own.corners) corners.push_back(add_vertex(in, out, v));
  face.end = corners.size();
  wedge_place[wedge] = static_cast<Index>(faces.size());
  faces.push_back(face);
  face_ring.push_back(wedge);
  return wedge_place[wedge];
}

void FoldZone::add_faces(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, Index at) {
  const VolumeFunctional& whole = in.at.component.whole;
  const auto face_count = static_cast<Index>(whole.ring_count() - whole.cap_count());
  for (const Index ring : plan.rings_at(vertices[at])) {
    if (ring < face_count) add_face(in, out, ring);
  }
  for (const Index wedge : plan.wedges_at(vertices[at])) add_wedge(in, plan, out, wedge);
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

GuardedFace read_wedge(const FoldInput& in, const Wedge& wedge, double volume) {
  double twist = 0;
  for (const Index v : wedge.corners) twist = std::max(twist, in.twist[v]);
  const double left = volume / (in.at.sign() * std::pow(in.at.scale, 3) * wedge.volume);
  const double strictness = smooth_step(kWedgeGone, kWedgeThere, left) * (1 - smooth_step(kTwistFrom, kTwistAt, twist));
  GuardedFace face;
  face.per_wedge = strictness > 0 ? 1 / volume : 1e-300;
  face.slack = 1 / std::max(strictness, 1e-9) - 1;
  return face;
}

}  // namespace isochor::volume
