#include "volume/fold_guard.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "isochor/base/math.h"
#include "isochor/mesh/face_turns.h"
#include "volume/saturate.h"
#include "volume/together.h"

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
/// A face that is nearer to a limit than this slows its corners down.
constexpr double kSoft = 0.03;
/// Corners slide apart until their faces are this far from their limits. Less leaves faces to be slowed down; more
/// moves a few vertices of a fold farther, and meshes of one shape begin to differ there.
constexpr double kApart = 0.135;
/// What is free grows from 0 to 1 over so many local radii.
constexpr double kSpread = 0.3;
/// The most rounds in which corners slide apart, the share of their faces' wishes that they go in one, and how much of
/// a round's motion goes on in the next: a band of faces that are pressed together spreads from its middle to its ends.
/// The band of a cylinder that is four times as dense, and refined, takes 150.
constexpr int kSlideRounds = 200;
constexpr double kSlideStep = 0.4, kMomentum = 0.3;
/// The sliding has ended where no face wishes anything and no vertex moves by more than this, of its local radius.
constexpr double kStill = 1e-9;
/// How far a vertex slides at most, in local radii and in lengths of its faces; and no farther than it is displaced.
constexpr double kSlideRadii = 0.03, kSlideFaces = 0.1;
/// An area vector that is shorter than this, against what the deformer made of it, has no direction to speak of.
constexpr double kNoLength = 1e-3;
/// Steps of the way to the corrected place.
constexpr int kFlowSteps = 12;
/// How often the speeds of a step are found.
constexpr int kSpeedPasses = 2;
/// How often faces that come near their limits later are added.
constexpr int kNearRounds = 6;
/// A volume that is this near to its target, relative to it, is brought there again.
constexpr double kExactBefore = 1e-9;
/// What a vertex gives that has lost nothing around it, of its own displacement.
constexpr double kElsewhere = 0.01;
/// Places along a joint's region that make up for their losses by themselves.
constexpr int kBins = 40;
/// A vertex counts as held back that keeps less than this of its displacement, or slides by more than the rest of it.
constexpr double kHeld = 0.99;

std::size_t face_count(const VolumeFunctional& functional) { return functional.ring_count() - functional.cap_count(); }

/// Of a face at rest, with the pose's scale.
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

/// How far a face is from the nearest of its limits. All of them are positive, and well above kSoft, without
/// displacement.
double margin(const GuardedFace& face, const Vec3& normal) {
  if (!(face.squared > 0)) return 1;
  const double along = face.normal.dot(normal) / face.squared;
  const double length = std::sqrt(normal.squaredNorm() / face.squared);
  return std::min({along - face.turn * length, along - face.area, (face.growth - length) / face.growth}) + face.slack;
}

/// What became of the faces; rings that come near a limit, mostly none, are put into `near`.
FaceTurns look(const FoldInput& in, std::span<const Vec3> positions, std::vector<Index>& near) {
  FaceTurns turns;
  near.clear();
  const double crushed = kCrushedFace * median_area(in.at);
  for_each_moved_face(in.faces, in.at.posed.positions, positions,
                      [&](std::size_t r, const Vec3& before, const Vec3& after) {
                        const GuardedFace face = read_face(in, in.faces.ring(r), before);
                        if (margin(face, after) < kApart) near.push_back(static_cast<Index>(r));
                        turns.add(before, after, crushed);
                      });
  return turns;
}

void report(const FaceTurns& turns, CorrectedFrame& out) {
  out.turned_faces += turns.turned;
  out.largest_turn = std::max(out.largest_turn, turns.largest());
}

/// What moves, by how much, and along what the volume can be closed.
void gather(const FoldInput& in, const CorrectedFrame& out, FoldBuffers& buffers) {
  const auto& posed = in.at.posed;
  const VolumeFunctional& whole = in.at.component.whole;
  whole.gradient(posed.positions, buffers.gradient);
  whole.areas(posed.positions, buffers.areas);
  buffers.vertices.clear();
  for (const Index v : whole.vertices()) {
    buffers.displacement[v] = buffers.wanted[v] = out.positions[v] - posed.positions[v];
    buffers.offset[v] = buffers.wanted_offset[v] = out.offsets[v];
    buffers.closing[v].setZero();
    buffers.closing_offset[v].setZero();
    buffers.free[v] = 1;
    buffers.height[v] = 0;
    if (buffers.displacement[v] == Vec3::Zero()) continue;  // joints that rest give nothing
    const Vec3 normal = guarded_normal(buffers.gradient[v], buffers.areas[v]);
    const Carried carried = RestCarrier(posed.maps[v].leftCols<3>()).carry(normal);
    buffers.closing[v] = carried.displacement;
    buffers.closing_offset[v] = carried.offset;
    buffers.vertices.push_back(v);
  }
}

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

/// The skin around faces that come near a limit, as far as one that is held there slows it down.
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

/// Adds to `ahead` what brings one margin of a face to kApart, to first order, with the least motion of the corners.
/// `slope` is that margin's by the area vector N = ½ Σ p_i × p_{i+1}.
void push_apart(const GuardedFace& face, double margin, const Vec3& slope, FoldBuffers& buffers) {
  const double missing = kApart - face.slack - margin;
  if (!(missing > 0)) return;
  const std::span<const Index> corners(buffers.corners.data() + face.begin, face.end - face.begin);
  const std::size_t n = corners.size();
  const auto corner_slope = [&](std::size_t k) -> Vec3 {
    const Vec3& next = buffers.at[corners[k + 1 == n ? 0 : k + 1]];
    const Vec3& last = buffers.at[corners[k == 0 ? n - 1 : k - 1]];
    return 0.5 * (next - last).cross(slope);
  };
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) squares += corner_slope(k).squaredNorm();
  if (!(squares > 0)) return;
  for (std::size_t k = 0; k < n; ++k) buffers.ahead[corners[k]] += missing / squares * corner_slope(k);
}

/// What every face wishes of its corners, each limit by itself: the nearest of them alone would jump from one to the
/// other. False if none wishes anything.
bool find_wishes(FoldBuffers& buffers) {
  std::fill(buffers.ahead.begin(), buffers.ahead.end(), Vec3::Zero());
  bool any = false;
  for (const GuardedFace& face : buffers.faces) {
    const Vec3 normal = area_vector(buffers.at, {buffers.corners.data() + face.begin, face.end - face.begin});
    if (margin(face, normal) >= kApart) continue;
    any = true;
    const double along = face.normal.dot(normal) / face.squared;
    const double length = std::sqrt(normal.squaredNorm() / face.squared + kNoLength * kNoLength);
    const Vec3 forward = face.normal / face.squared;
    const Vec3 longer = normal / (length * face.squared);
    push_apart(face, along - face.turn * length, forward - face.turn * longer, buffers);
    push_apart(face, along - face.area, forward, buffers);
    push_apart(face, (face.growth - length) / face.growth, -longer / face.growth, buffers);
  }
  return any;
}

/// How far a vertex may slide.
double slide_limit(const FoldInput& in, const FoldBuffers& buffers, Index v) {
  const TogetherPlan& plan = in.at.plan;
  const double limit =
      in.at.scale * std::hypot(kSlideRadii * plan.radius[v], kSlideFaces * std::sqrt(plan.rest_areas[v]));
  return saturate(limit, buffers.wanted[v].norm()).value;
}

/// What of its slide a vertex really goes.
double kept_slide(const FoldBuffers& buffers, std::size_t i) {
  const double far = buffers.slid[i].norm();
  return far > 0 ? saturate(far, buffers.slide_limit[i]).value / far : 0;
}

void start_slide(const FoldInput& in, FoldBuffers& buffers) {
  const std::size_t near = buffers.near.size();
  buffers.at.resize(near);
  buffers.ahead.resize(near);
  for (auto* field : {&buffers.to, &buffers.slid, &buffers.slid_offset}) field->assign(near, Vec3::Zero());
  buffers.slide_limit.clear();
  buffers.carriers.clear();
  for (std::size_t i = 0; i < near; ++i) {
    const Index v = buffers.near[i];
    buffers.at[i] = in.at.posed.positions[v] + buffers.wanted[v];
    buffers.slide_limit.push_back(slide_limit(in, buffers, v));
    buffers.carriers.emplace_back(in.at.posed.maps[v].leftCols<3>());
  }
}

/// Where displacements would bring faces near their limits, their corners slide apart, before anything is held back:
/// rounds of all faces at once, so that no order of theirs shows.
void slide(const FoldInput& in, FoldBuffers& buffers) {
  start_slide(in, buffers);
  for (int round = 0; round < kSlideRounds; ++round) {
    bool moves = find_wishes(buffers);
    for (std::size_t i = 0; i < buffers.near.size(); ++i) {
      const Index v = buffers.near[i];
      buffers.to[i] = kSlideStep * buffers.ahead[i] + kMomentum * buffers.to[i];
      const Carried carried = buffers.carriers[i].carry(buffers.to[i]);
      buffers.slid[i] += carried.displacement;
      buffers.slid_offset[i] += carried.offset;
      buffers.at[i] = in.at.posed.positions[v] + buffers.wanted[v] + kept_slide(buffers, i) * buffers.slid[i];
      moves = moves || buffers.to[i].norm() > kStill * in.at.scale * in.at.plan.radius[v];
    }
    if (!moves) break;
  }
  for (std::size_t i = 0; i < buffers.near.size(); ++i) {
    const Index v = buffers.near[i];
    const double kept = kept_slide(buffers, i);
    buffers.displacement[v] = buffers.wanted[v] + kept * buffers.slid[i];
    buffers.offset[v] = buffers.wanted_offset[v] + kept * buffers.slid_offset[i];
  }
}

/// How far a face lets its corners go in a step that would take it from one margin to another: as far as the solution
/// of dm/dτ = -(from - to) min(1, m / kSoft) comes, which never reaches 0.
double allowed_step(double from, double to) {
  const double loss = from - to;
  if (to >= kSoft || loss <= 0) return 1;
  if (from <= 0) return 0;
  const double unhindered = std::max(0.0, (from - kSoft) / loss);
  const double slowed = std::min(from, kSoft);
  return unhindered - slowed / loss * std::expm1(-loss * (1 - unhindered) / kSoft);
}

/// How much of its next step each vertex may go: no more than its faces allow, and little more than its neighbours. The
/// second time faces see corners that others have slowed down.
void find_speeds(FoldBuffers& buffers) {
  const std::size_t near = buffers.near.size();
  std::vector<double>& speed = buffers.speed;
  speed.assign(near, 1.0);
  const auto relax = [&](std::size_t i) {
    for (Index k = buffers.next_begin[i]; k < buffers.next_begin[i + 1]; ++k) {
      speed[i] = std::min(speed[i], speed[buffers.next[k]] + buffers.way[k]);
    }
  };
  for (int pass = 0; pass < kSpeedPasses; ++pass) {
    buffers.last_speed = speed;
    for (std::size_t i = 0; i < near; ++i) buffers.ahead[i] = buffers.at[i] + speed[i] / kFlowSteps * buffers.to[i];
    for (const GuardedFace& face : buffers.faces) {
      const std::span<const Index> corners(buffers.corners.data() + face.begin, face.end - face.begin);
      const double allowed = allowed_step(margin(face, area_vector(buffers.at, corners)),
                                          margin(face, area_vector(buffers.ahead, corners)));
      if (allowed == 1) continue;
      for (const Index c : corners) speed[c] = std::min(speed[c], allowed * buffers.last_speed[c]);
    }
    // `near` is sorted by how far it is from the faces: outward, and back once for what they cross.
    for (std::size_t i = 0; i < near; ++i) relax(i);
    for (std::size_t i = near; i-- > 0;) relax(i);
  }
}

/// The skin goes its way, with the volume closed by `height` times `closing`. Leaves in `free` how far it came, and in
/// `out` where.
void flow(const FoldInput& in, double height, FoldBuffers& buffers, CorrectedFrame& out) {
  const auto& posed = in.at.posed.positions;
  const auto whole_way = [&](Index v) -> Vec3 {
    return buffers.displacement[v] + height * buffers.height[v] * buffers.closing[v];
  };
  const std::size_t near = buffers.near.size();
  buffers.at.resize(near);
  buffers.to.resize(near);
  buffers.ahead.resize(near);
  std::vector<double>& gone = buffers.gone;
  gone.assign(near, 0.0);
  for (std::size_t i = 0; i < near; ++i) {
    buffers.at[i] = posed[buffers.near[i]];
    buffers.to[i] = whole_way(buffers.near[i]);
  }
  for (int step = 0; step < kFlowSteps; ++step) {
    find_speeds(buffers);
    for (std::size_t i = 0; i < near; ++i) {
      gone[i] += buffers.speed[i] / kFlowSteps;
      buffers.at[i] = posed[buffers.near[i]] + gone[i] * buffers.to[i];
    }
  }
  for (std::size_t i = 0; i < near; ++i) buffers.free[buffers.near[i]] = std::min(gone[i], 1.0);
  for (const Index v : buffers.vertices) {
    out.positions[v] = posed[v] + buffers.free[v] * whole_way(v);
    out.offsets[v] = buffers.free[v] * (buffers.offset[v] + height * buffers.height[v] * buffers.closing_offset[v]);
  }
}

/// Calls visit(bin, share) for where a blend lies between the joint and the ends of its region: γ is equal all around a
/// limb. Two bins share each γ, so that nothing jumps.
template <class Visit>
void for_bins(Index region, double gamma, const Visit& visit) {
  const double at = gamma * (kBins - 1);
  const int low = std::min(static_cast<int>(at), kBins - 2);
  const auto first = static_cast<std::size_t>(region) * kBins + static_cast<std::size_t>(low);
  visit(first, 1 - (at - low));
  visit(first + 1, at - low);
}

/// How far each vertex goes in the closing: by what the skin around the same place of the limb has lost to the cut, in
/// the mean, so that the rest of a ring makes up for its fold and no other joint. One sign: what is free gives the same
/// way.
void find_closing_heights(const FoldInput& in, FoldBuffers& buffers) {
  const TogetherPlan& plan = in.at.plan;
  const Index first = in.at.component.first_region;
  buffers.lost.assign(static_cast<std::size_t>(in.at.component.region_count) * kBins, 0.0);
  buffers.area.assign(buffers.lost.size(), 0.0);
  for (const Index v : buffers.vertices) {
    const double area = buffers.areas[v];
    const double lost = area * (1 - buffers.free[v]) * buffers.displacement[v].norm();
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const double gamma = plan.blend_gamma[b];
      for_bins(plan.blend_region[b] - first, gamma, [&](std::size_t bin, double share) {
        buffers.lost[bin] += share * gamma * lost;
        buffers.area[bin] += share * gamma * area;
      });
    }
  }
  for (const Index v : buffers.vertices) {
    double height = kElsewhere * buffers.displacement[v].norm();
    for (Index b = plan.blend_begin[v]; b < plan.blend_begin[v + 1]; ++b) {
      const double gamma = plan.blend_gamma[b];
      for_bins(plan.blend_region[b] - first, gamma, [&](std::size_t bin, double share) {
        if (buffers.area[bin] > 0) height += share * gamma * buffers.lost[bin] / buffers.area[bin];
      });
    }
    // What has been cut back has no more to give: the limits would be met again in the next round.
    const double free = buffers.free[v];
    buffers.height[v] = free * free * free * height;
  }
}

/// Closes the volume by what is free: the root of what is missing, by secants within a bracket. False if there is none.
bool close_by_free(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  const VolumeFunctional& whole = in.at.component.whole;
  constexpr double kNear = 0.1 * kReached, kMostClosing = 64;
  constexpr int kClosingTries = 60;
  const auto missing = [&](double height) {
    flow(in, height, buffers, out);
    return (in.at.target - whole.volume(out.positions)) / std::abs(in.at.target);
  };
  double low = 0, at_low = missing(0);
  find_closing_heights(in, buffers);
  if (std::abs(at_low) <= kNear) return true;
  const double side = at_low > 0 ? 1 : -1;
  double high = low, at_high = at_low;
  for (double step = 1; step <= kMostClosing && at_high * at_low > 0; step *= 2) {
    low = high;
    at_low = at_high;
    high = side * step;
    at_high = missing(high);
  }
  if (at_high * at_low > 0) return false;
  for (int i = 0; i < kClosingTries; ++i) {
    const double middle = high - at_high * (high - low) / (at_high - at_low);
    const double at_middle = missing(middle);
    if (std::abs(at_middle) <= kNear) return true;
    if (at_middle * at_high < 0) {
      low = high;
      at_low = at_high;
    } else {
      at_low *= 0.5;  // Illinois
    }
    high = middle;
    at_high = at_middle;
  }
  return std::abs(at_high) <= kReached;
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

bool hold_faces(const FoldInput& in, FoldBuffers& buffers, CorrectedFrame& out) {
  FaceTurns turns = look(in, out.positions, buffers.near_rings);
  if (buffers.near_rings.empty() || in.at.plan.options.faces == FaceTreatment::free) {
    report(turns, out);
    return false;
  }
  ComponentVolume& volume = out.components[in.at.component.index];
  const bool exact = volume.error_after() <= kExactBefore;
  gather(in, out, buffers);
  bool closed = false;
  // What closes the volume may bring other faces near their limits.
  for (int round = 0; round < kNearRounds; ++round) {
    find_near(in, buffers);
    read_near(in, buffers);
    slide(in, buffers);
    closed = exact && close_by_free(in, buffers, out);
    if (!exact) flow(in, 0, buffers, out);
    turns = look(in, out.positions, buffers.later_rings);
    const std::size_t known = buffers.near_rings.size();
    std::copy_if(buffers.later_rings.begin(), buffers.later_rings.end(), std::back_inserter(buffers.near_rings),
                 [&](Index r) {
                   const auto ring = in.faces.ring(static_cast<std::size_t>(r));
                   return std::any_of(ring.begin(), ring.end(), [&](Index v) { return buffers.far[v] > 0; });
                 });
    if (buffers.near_rings.size() == known) break;
  }
  volume.after = in.at.component.whole.volume(out.positions);
  volume.residual = in.at.target - volume.after;
  if (exact && !closed) volume.outcome = VolumeOutcome::folded;
  for (const Index v : buffers.vertices) {
    const double slid = (buffers.displacement[v] - buffers.wanted[v]).norm();
    const bool held = buffers.free[v] < kHeld || slid > (1 - kHeld) * buffers.wanted[v].norm();
    out.held_vertices += held ? 1 : 0;
  }
  report(turns, out);
  return true;
}

}  // namespace isochor::volume
