#include "volume/contact_moves.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "isochor/base/math.h"
#include "isochor/mesh/face_turns.h"
#include "volume/rest_carrier.h"
#include "volume/together.h"

namespace isochor::volume {
namespace {

/// How often faces that come near turning over are held back as well; and how often, after that, those that are about
/// to turn all the same. (Holding all of them until none asks any more pops: each round multiplies what the last did.)
constexpr int kFaceRounds = 8, kLastFaceRounds = 16;
/// Faces keep this far from 60° and 0.15 of their area, or what they had left of that before.
constexpr double kFaceMargin = 0.05, kFaceCosine = 0.5, kFaceArea = 0.15;
/// The cosine below which a face is about to turn over.
constexpr double kTurning = 0.05;
/// A face that is beyond that by so much lets its corners keep nothing.
constexpr double kFaceTurn = 0.5;
/// How often the skin around is asked whether it gives too much: by how much less is not quite in proportion.
constexpr int kGivingRounds = 4;
/// What skin gives that has lost nothing around it, of its own way.
constexpr double kGivenElsewhere = 0.05;
/// A volume that is this near to its target, relative to it, is brought there again.
constexpr double kContactExact = 1e-9;
/// A vertex counts as held back that keeps less than this of its displacement.
constexpr double kCountedHeld = 0.99;

void spread(const ContactInput& in, ContactMoves& moves) {
  auto& queue = moves.queue;  // a heap, the least on top
  queue.clear();
  for (std::size_t v = 0; v < moves.kept.size(); ++v) {
    if (moves.cut[v] == 1) continue;
    moves.kept[v] *= moves.cut[v];
    queue.emplace_back(moves.kept[v], static_cast<Index>(v));
  }
  std::make_heap(queue.begin(), queue.end(), std::greater<>());
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const auto [kept, v] = queue.back();
    queue.pop_back();
    if (kept > moves.kept[v]) continue;
    const Index component = in.plan.welded->topology().component_of_vertex[v];
    if (component != kNone) moves.touched[component] = 1;
    for (Index k = in.contact.next_begin[v]; k < in.contact.next_begin[v + 1]; ++k) {
      const Index n = in.contact.next[k];
      const double limit = kept + in.contact.way[k];
      if (!(limit < moves.kept[n])) continue;
      moves.kept[n] = limit;
      queue.emplace_back(limit, n);
      std::push_heap(queue.begin(), queue.end(), std::greater<>());
    }
  }
}

/// How far each vertex goes in the closing: what the regions of its joints have lost is made up for there.
void find_heights(const ContactInput& in, const ComponentPlan& component, ContactMoves& moves) {
  const TogetherPlan& plan = in.plan;
  const bool pushed = moves.missing == ContactMoves::Missing::pushed;
  const auto for_blends = [&](Index v, const auto& visit) {
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      visit(static_cast<std::size_t>(plan.blend_region[b]), plan.blend_gamma[b]);
    }
  };
  const auto free = [&](Index v) { return moves.open[v] * moves.kept[v] * moves.kept[v] * moves.kept[v]; };
  for (Index r = component.first_region; r < component.end_region(); ++r) moves.lost[r] = moves.held[r] = 0;
  double all_lost = 0, all_areas = 0;
  for (const Index v : component.whole.vertices()) {
    const double lost = (pushed ? moves.kept[v] : 1 - moves.kept[v]) * moves.wanted[v].norm();
    all_lost += moves.areas[v] * lost;
    all_areas += moves.areas[v];
    for_blends(v, [&](std::size_t r, double gamma) {
      moves.lost[r] += gamma * moves.areas[v] * lost;
      moves.held[r] += gamma * moves.areas[v] * std::max(free(v), kGivenElsewhere);
    });
  }
  // Skin that is pushed may belong to no joint's region: a hand on a belly.
  const double everywhere = pushed && all_areas > 0 ? all_lost / all_areas : 0;
  for (const Index v : component.whole.vertices()) {
    double height = kGivenElsewhere * (pushed ? everywhere : moves.wanted[v].norm());
    for_blends(v, [&](std::size_t r, double gamma) {
      if (moves.held[r] > 0) height += gamma * moves.lost[r] / moves.held[r];
    });
    moves.height[v] = free(v) * height;
  }
}

void place(const ComponentPlan& component, const ContactMoves& moves, CorrectedFrame& out) {
  const double closing = moves.by_component[component.index];
  for (const Index v : component.whole.vertices()) {
    if (moves.wanted[v] == Vec3::Zero() && moves.closing[v] == Vec3::Zero()) continue;
    out.positions[v] = moves.from[v] + moves.kept[v] * moves.way(component.index, v);
    out.offsets[v] = moves.from_offset[v] +
                     moves.kept[v] * (moves.wanted_offset[v] + closing * moves.height[v] * moves.closing_offset[v]);
  }
}

/// How far a face is from turning over, against what the deformer made of it.
double face_margin(const Vec3& skinned, const Vec3& now) {
  const double squared = skinned.squaredNorm(), along = skinned.dot(now);
  const double length = std::sqrt(squared * now.squaredNorm());
  return std::min(length > 0 ? along / length - kFaceCosine : -1, along / squared - kFaceArea);
}

bool about_to_turn(const Vec3& skinned, const Vec3& now) {
  return skinned.dot(now) < kTurning * skinned.norm() * now.norm();
}

/// Which faces ask: those near turning over, or only those that are about to.
enum class Asking { near, turning };
bool ask_by_faces(const ContactInput& in, const CorrectedFrame& out, Asking asking, ContactMoves& moves) {
  bool any = false;
  for (const ComponentPlan& component : in.plan.components) {
    if (moves.touched[component.index] == 0) continue;
    const double scale = length_scale(in.posed, component.index);
    const double crushed = kCrushedFace * component.face_area * scale * scale;
    for (std::size_t r = 0; r < component.whole.ring_count() - component.whole.cap_count(); ++r) {
      const auto ring = component.whole.ring(r);
      const Vec3 skinned = area_vector(in.posed.positions, ring);
      if (!(skinned.norm() > crushed)) continue;
      const Vec3 now = area_vector(out.positions, ring);
      if (asking == Asking::turning && !about_to_turn(skinned, now)) continue;
      const double margin = face_margin(skinned, now);
      if (margin >= kFaceMargin) continue;
      const double missing = std::min(kFaceMargin, face_margin(skinned, area_vector(moves.before, ring))) - margin;
      if (!(missing > 1e-6)) continue;
      any = true;
      for (const Index v : ring) moves.cut[v] = std::min(moves.cut[v], 1 - std::min(1.0, missing / kFaceTurn));
    }
  }
  return any;
}

/// Fills `given`: by region how far its losses move a vertex in the closing at most, in local radii.
void find_given(const ContactInput& in, const ComponentPlan& component, ContactMoves& moves) {
  const double scale = length_scale(in.posed, component.index);
  const double closing = std::abs(moves.by_component[component.index]);
  for (Index r = component.first_region; r < component.end_region(); ++r) {
    const JointRegion& region = in.plan.regions[r];
    const double given = moves.held[r] > 0 ? moves.lost[r] / moves.held[r] : 0;
    moves.given[r] = 0;
    for (std::size_t k = 0; k < region.vertices.size(); ++k) {
      const Index v = region.vertices[k];
      const double radius = scale * in.plan.radius[v], kept = moves.kept[v];
      if (!(radius > 0)) continue;
      const double height = region.gamma[k] * given * moves.open[v] * kept * kept * kept * kept;
      moves.given[r] = std::max(moves.given[r], closing * height * moves.closing[v].norm() / radius);
    }
  }
}

}  // namespace

ContactMoves::ContactMoves(const TogetherPlan& plan) {
  if (plan.options.contact == ContactTreatment::off) return;
  const std::size_t count = plan.welded->surface().vertex_count();
  for (auto* field :
       {&before, &from, &from_offset, &wanted, &wanted_offset, &closing, &closing_offset, &gradient, &direction}) {
    field->assign(count, Vec3::Zero());
  }
  for (auto* values : {&kept, &cut, &open, &height, &areas}) values->assign(count, 0.0);
  by_component.assign(plan.welded->topology().components.size(), 0.0);
  touched.assign(by_component.size(), 0);
  for (auto* values : {&lost, &held, &given}) values->assign(plan.regions.size(), 0.0);
}

double outward_side(const ContactInput& in, Index component) {
  const bool mirrored = in.posed.target_volumes[component] * in.posed.rest_volumes[component] < 0;
  return (mirrored ? -1 : 1) * in.contact.outward[component];
}

Vec3 outward_normal(const ContactInput& in, const FaceHierarchy& faces, Index t, std::span<const Vec3> positions) {
  const Triangle corners = faces.corners(t, positions);
  const Index component = in.plan.welded->topology().component_of_vertex[faces.triangle(t)[0]];
  const Vec3 normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
  const double length = normal.norm();
  const double side = outward_side(in, component);
  return length > 0 ? Vec3(side / length * normal) : Vec3::Zero();
}

void ContactMoves::begin(Missing what, const CorrectedFrame& out) {
  missing = what;
  before = out.positions;
  std::fill(kept.begin(), kept.end(), 1.0);
  std::fill(open.begin(), open.end(), 1.0);
  std::fill(height.begin(), height.end(), 0.0);
  std::fill(by_component.begin(), by_component.end(), 0.0);
  std::fill(touched.begin(), touched.end(), 0);
}

void ContactMoves::set_closing(const PosedSkin& posed, Index v, bool moves) {
  const Vec3 normal = guarded_normal(gradient[v], areas[v]);
  const Carried carried = moves ? RestCarrier(posed.maps[v].leftCols<3>()).carry(normal) : Carried{};
  closing[v] = carried.displacement;
  closing_offset[v] = carried.offset;
}

void spread_and_close(const ContactInput& in, ContactMoves& moves, CorrectedFrame& out) {
  spread(in, moves);
  for (const ComponentPlan& component : in.plan.components) {
    if (moves.touched[component.index] != 0) place_and_close(in, component, moves, out);
  }
}

void place_and_close(const ContactInput& in, const ComponentPlan& component, ContactMoves& moves, CorrectedFrame& out) {
  ComponentVolume& volume = out.components[component.index];
  double& closing = moves.by_component[component.index];
  closing = 0;
  find_heights(in, component, moves);
  place(component, moves, out);
  const bool exact = volume.outcome != VolumeOutcome::linear && volume.target != 0;
  for (int pass = 0; exact && pass < 3; ++pass) {
    const double left = volume.target - component.whole.volume(out.positions);
    if (std::abs(left) <= 0.1 * kReached * std::abs(volume.target)) break;
    for (const Index v : component.whole.vertices()) {
      moves.direction[v] = moves.kept[v] * moves.height[v] * moves.closing[v];
    }
    const CubicRoot root = continuing_root(component.whole.along(out.positions, moves.direction), left);
    if (!std::isfinite(root.t)) break;
    closing += root.t;
    place(component, moves, out);
    if (!root.found) break;
  }
}

void yield_to_volume(const ContactInput& in, ContactMoves& moves, double most, CorrectedFrame& out) {
  const TogetherPlan& plan = in.plan;
  const bool pushed = moves.missing == ContactMoves::Missing::pushed;
  for (const ComponentPlan& component : plan.components) {
    if (moves.touched[component.index] == 0) continue;
    for (int round = 0; round < kGivingRounds; ++round) {
      find_given(in, component, moves);
      bool yields = false;
      for (const Index v : component.whole.vertices()) {
        double all = 0, held = 0;
        for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
          all += plan.blend_gamma[b];
          held += plan.blend_gamma[b] * std::min(1.0, most / (moves.given[plan.blend_region[b]] + 1e-300));
        }
        if (!(held < all)) continue;
        moves.kept[v] = pushed ? moves.kept[v] * held / all : 1 - (1 - moves.kept[v]) * held / all;
        yields = true;
      }
      if (!yields) break;
      place_and_close(in, component, moves, out);
    }
  }
}

void keep_faces_turned(const ContactInput& in, ContactMoves& moves, CorrectedFrame& out) {
  for (int round = 0; round < kFaceRounds + kLastFaceRounds; ++round) {
    std::fill(moves.cut.begin(), moves.cut.end(), 1.0);
    if (!ask_by_faces(in, out, round < kFaceRounds ? Asking::near : Asking::turning, moves)) return;
    spread_and_close(in, moves, out);
  }
}

void report_moves(const ContactInput& in, const ContactMoves& moves, CorrectedFrame& out) {
  out.turned_faces = 0;
  out.largest_turn = 0;
  for (const ComponentPlan& component : in.plan.components) {
    const double scale = length_scale(in.posed, component.index);
    const FaceTurns turns = face_turns(component.whole, in.posed.positions, out.positions,
                                       kCrushedFace * component.face_area * scale * scale);
    out.turned_faces += turns.turned;
    out.largest_turn = std::max(out.largest_turn, turns.largest());
    if (moves.touched[component.index] == 0) continue;
    ComponentVolume& volume = out.components[component.index];
    const bool exact = volume.error_after() <= kContactExact;
    volume.after = component.whole.volume(out.positions);
    volume.residual = volume.target - volume.after;
    if (exact && volume.error_after() > kContactExact) volume.outcome = VolumeOutcome::touching;
    if (moves.missing == ContactMoves::Missing::pushed) continue;
    for (const Index v : component.whole.vertices()) {
      out.held_vertices += moves.kept[v] < kCountedHeld && moves.wanted[v] != Vec3::Zero() ? 1 : 0;
    }
  }
}

}  // namespace isochor::volume
