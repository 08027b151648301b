#include "volume/contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/math.h"
#include "volume/contact_room.h"

namespace isochor::volume {
namespace {

/// How often limits are found: closing the volume moves skin that is free, which may then meet other skin.
constexpr int kContactRounds = 4;
/// The skin goes less far than it may by this factor.
constexpr double kReserve = 1.3;
/// Closing the volume moves skin by no more than this, in local radii: where legs lie deep in a belly, what is free
/// could make up for all of them only as a balloon. Skin is held back by less then.
constexpr double kMostGiven = 0.1;
/// Faces that may meet between the pose and `out`; with `facing` those that may stand in each other's way as well.
void search(const ContactInput& in, bool facing, ContactBuffers& buffers, const CorrectedFrame& out) {
  const bool all = in.plan.options.contact == ContactTreatment::resolve;
  buffers.side.clear();
  std::fill(buffers.normal_known.begin(), buffers.normal_known.end(), 0);
  for (std::size_t c = 0; facing && c < in.contact.outward.size(); ++c) {
    buffers.side.push_back(outward_side(in, static_cast<Index>(c)));
  }
  search_contacts(*in.contact.search,
                  {.posed = in.posed.positions,
                   .corrected = out.positions,
                   .side = buffers.side,
                   .which = all ? FaceHierarchy::Which::all : FaceHierarchy::Which::moving,
                   .facing = FaceHierarchy::Which::moving},
                  buffers.search);
}

/// Calls visit(pair) for all pairs of triangles of two faces, of which one lies in a leaf where something moves.
template <class Visit>
void for_triangles(const ContactInput& in, const SearchBuffers& buffers, const SearchBuffers::Pair& faces,
                   const Visit& visit) {
  const ContactSearch& known = *in.contact.search;
  for (const Index s : known.triangles_of(faces.f)) {
    for (const Index t : known.triangles_of(faces.g)) {
      if (buffers.leaf_stirs[known.leaf_of[s]] == 0 && buffers.leaf_stirs[known.leaf_of[t]] == 0) continue;
      visit(TrianglePair{std::min(s, t), std::max(s, t)});
    }
  }
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
  return clearly_beyond(a, b) || boxes_apart(a, b) ? std::nullopt : triangle_crossing(a, b);
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
/// Looks at what the search has found and at those that crossed when this was called last: skin that went back to where
/// the pose has it does not move any more, but crosses as it did.
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
  for (const SearchBuffers::Pair& faces : buffers.search.crossing) {
    for_triangles(in, buffers.search, faces, [&](const TrianglePair& pair) {
      if (boxes_meet(*in.contact.search, buffers.search, pair.a, pair.b)) look(pair);
    });
  }
  for (const TrianglePair& pair : buffers.crossing) look(pair);
  buffers.crossing = std::move(crossing);
  return {.skinned = distinct(skinned), .now = distinct(now), .added = distinct(added)};
}

/// What moves, and along what the volume can be closed.
void gather_moves(const ContactInput& in, const CorrectedFrame& out, ContactMoves& moves) {
  moves.begin(ContactMoves::Missing::held_back, out);
  for (const ComponentPlan& component : in.plan.components) {
    component.whole.gradient(in.posed.positions, moves.gradient);
    component.whole.areas(in.posed.positions, moves.areas);
    for (const Index v : component.whole.vertices()) {
      moves.from[v] = in.posed.positions[v];
      moves.from_offset[v] = Vec3::Zero();
      moves.wanted[v] = out.positions[v] - in.posed.positions[v];
      moves.wanted_offset[v] = out.offsets[v];
      moves.set_closing(in.posed, v, moves.wanted[v] != Vec3::Zero());
    }
  }
}

/// The farthest that a corner goes along a direction, and no less than 0. `way(v)`: that of a vertex.
template <class Way>
double along(const FaceHierarchy& faces, Index t, const Vec3& direction, const Way& way) {
  double most = 0;
  for (const Index v : faces.triangle(t)) most = std::max(most, way(v).dot(direction));
  return most;
}

const Vec3& normal_of(const ContactInput& in, ContactBuffers& buffers, Index t) {
  if (buffers.normal_known[t] == 0) {
    buffers.normals[t] = outward_normal(in, buffers.faces, t, in.posed.positions);
    buffers.normal_known[t] = 1;
  }
  return buffers.normals[t];
}

/// How a pair looks against each other; nothing if it does not, or is no contact.
std::optional<FacingPair> look_against(const ContactInput& in, ContactBuffers& buffers, const TrianglePair& pair) {
  const Vec3 &own = normal_of(in, buffers, pair.a), &other = normal_of(in, buffers, pair.b);
  const double opposed = smooth_step(kAside, kOpposed, -own.dot(other));
  if (!(opposed > 0) || in.contact.back_to_back(pair) || in.contact.left_alone(pair)) return std::nullopt;
  return FacingPair{.triangles = pair, .opposed = opposed, .towards = (own - other).normalized()};
}

/// All pairs that look against each other, and whose grown boxes overlap.
void find_facing(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out) {
  buffers.faces.refit(in.posed.positions, out.positions, kGrownBoxes);
  buffers.facing.clear();
  const auto look = [&](const TrianglePair& pair) {
    if (!buffers.faces.near(pair.a, pair.b)) return;
    if (const auto facing = look_against(in, buffers, pair)) buffers.facing.push_back(*facing);
  };
  for (const SearchBuffers::BlockPairs& blocks : buffers.search.facing) {
    for_pairs(blocks, [&](Index f, Index g) { for_triangles(in, buffers.search, {f, g}, look); });
  }
}

bool pair_has_room(const ContactInput& in, const ContactBuffers& buffers, const TrianglePair& pair, const Vec3& towards,
                   double enough) {
  return has_room(buffers.faces.corners(pair.a, in.posed.positions), buffers.faces.corners(pair.b, in.posed.positions),
                  towards, enough);
}

/// How much of its way a pair may keep so that it does not meet. The gap under skinning, over how far the two come
/// towards each other: g / a, which is 0 for skin that crosses or lies behind other skin already. Continuous: a gap and
/// normals are, and what looks the same way fades out.
template <class Way>
double pair_limit(const ContactInput& in, const ContactBuffers& buffers, const Way& way, FacingPair& pair) {
  const double approach = kReserve * (along(buffers.faces, pair.triangles.a, pair.towards, way) +
                                      along(buffers.faces, pair.triangles.b, -pair.towards, way));
  if (!(approach > 0)) return 1;
  if (pair.room < 0) {
    if (pair_has_room(in, buffers, pair.triangles, pair.towards, approach)) return 1;
    pair.room = room_between(buffers.faces.corners(pair.triangles.a, in.posed.positions),
                             buffers.faces.corners(pair.triangles.b, in.posed.positions), pair.towards);
  }
  return 1 - pair.opposed * (1 - std::min(1.0, pair.room / approach));
}

/// Whether the limit of a pair is surely 1 as long as their corners go no farther than `ways` together: they do not
/// look against each other, or there is more room between them than that.
bool surely_free(const ContactInput& in, ContactBuffers& buffers, const TrianglePair& pair, double ways) {
  if (in.contact.back_to_back(pair)) return true;
  const Vec3 &own = normal_of(in, buffers, pair.a), &other = normal_of(in, buffers, pair.b);
  return !(own.dot(other) < 0) || pair_has_room(in, buffers, pair, own - other, kReserve * ways);
}

/// Whether a pair of triangles of two faces has to keep less than all of its way.
bool faces_in_the_way(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out, Index f, Index g) {
  const ContactSearch& known = *in.contact.search;
  const auto way = [&](Index v) -> Vec3 { return out.positions[v] - in.posed.positions[v]; };
  const double ways = farthest_way(buffers.search, f) + farthest_way(buffers.search, g);
  const auto triangles = known.triangles_of(f), others = known.triangles_of(g);
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (surely_not_opposed(known, buffers.search, {f, i}, {g, j})) continue;
      const TrianglePair pair{std::min(triangles[i], others[j]), std::max(triangles[i], others[j])};
      if (surely_free(in, buffers, pair, ways)) continue;
      auto facing = look_against(in, buffers, pair);
      if (facing && pair_limit(in, buffers, way, *facing) < 1) return true;
    }
  }
  return false;
}

/// Whether any has to; mostly none has.
bool any_in_the_way(const ContactInput& in, ContactBuffers& buffers, const CorrectedFrame& out) {
  return std::any_of(buffers.search.facing.begin(), buffers.search.facing.end(), [&](const auto& blocks) {
    bool any = false;
    for_pairs(may_be_in_the_way(buffers.search, blocks, kSurely * kReserve),
              [&](Index f, Index g) { any = any || faces_in_the_way(in, buffers, out, f, g); });
    return any;
  });
}

/// Pairs that would meet ask their corners to keep less. False if there are none.
bool ask_by_pairs(const ContactInput& in, ContactBuffers& buffers) {
  bool any = false;
  ContactMoves& moves = buffers.moves;
  // There are many pairs at each vertex. What has no volume does not move.
  buffers.ways.resize(moves.wanted.size(), Vec3::Zero());
  for (const ComponentPlan& component : in.plan.components) {
    for (const Index v : component.whole.vertices()) buffers.ways[v] = moves.way(component.index, v);
  }
  const auto way = [&](Index v) -> const Vec3& { return buffers.ways[v]; };
  for (FacingPair& pair : buffers.facing) {
    const double limit = pair_limit(in, buffers, way, pair);
    if (!(limit < 1)) continue;
    for (const Index t : {pair.triangles.a, pair.triangles.b}) {
      for (const Index v : buffers.faces.triangle(t)) {
        if (!(limit < moves.kept[v])) continue;
        any = true;
        moves.cut[v] = std::min(moves.cut[v], limit / moves.kept[v]);
      }
    }
  }
  return any;
}

/// Limits, the volume closed again, limits for what that has moved, and so on. False if nothing is in the way.
bool hold_back(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  ContactMoves& moves = buffers.moves;
  bool any = false;
  for (int round = 0; round < kContactRounds; ++round) {
    std::fill(moves.cut.begin(), moves.cut.end(), 1.0);
    if (!ask_by_pairs(in, buffers)) break;
    any = true;
    spread_and_close(in, moves, out);
  }
  if (!any) return false;
  yield_to_volume(in, moves, kMostGiven, out);
  keep_faces_turned(in, moves, out);
  return true;
}

/// Skin that the correction brings together goes back.
bool hold_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  if (!any_in_the_way(in, buffers, out)) return false;
  find_facing(in, buffers, out);
  if (buffers.facing.empty()) return false;
  gather_moves(in, out, buffers.moves);
  if (!hold_back(in, buffers, out)) return false;
  report_moves(in, buffers.moves, out);
  return true;
}

/// Whether there is anything to resolve, of what was counted.
bool any_crossing(const ContactInput& in, const ContactBuffers& buffers, const CorrectedFrame& out) {
  return std::any_of(buffers.crossing.begin(), buffers.crossing.end(), [&](const TrianglePair& pair) {
    return !in.contact.may_cross(pair) && cross(buffers.faces, pair, out.positions).has_value();
  });
}

}  // namespace

ContactBuffers::ContactBuffers(const TogetherPlan& plan, const ContactPlan* contact) : moves(plan), resolve(plan) {
  if (contact == nullptr) return;
  faces = contact->faces;
  normals.resize(faces.triangle_count());
  normal_known.resize(faces.triangle_count());
}

bool treat_contacts(const ContactInput& in, ContactBuffers& buffers, CorrectedFrame& out) {
  const ContactTreatment treatment = in.plan.options.contact;
  const bool resolves = treatment == ContactTreatment::resolve;
  buffers.crossing.clear();
  search(in, treatment != ContactTreatment::count, buffers, out);
  const PairCounts before = count_pairs(in, buffers, out);
  out.contact = {.skinned = before.skinned,
                 .before = before.now,
                 .added_before = before.added,
                 .after = before.now,
                 .added_after = before.added};
  if (treatment == ContactTreatment::count) return false;
  bool changed = hold_contacts(in, buffers, out);
  if (resolves && (changed || any_crossing(in, buffers, out))) {
    changed = resolve_contacts(in, buffers.faces, buffers.moves, buffers.resolve, out) || changed;
  }
  if (!changed) return false;
  search(in, false, buffers, out);
  const PairCounts after = count_pairs(in, buffers, out);
  out.contact.after = after.now;
  out.contact.added_after = after.added;
  return true;
}

}  // namespace isochor::volume
