#include "volume/fold_guard.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "isochor/mesh/face_turns.h"
#include "volume/fold_slide.h"
#include "volume/together.h"

namespace isochor::volume {
namespace {

/// A face that is nearer to a limit than this slows its corners down.
constexpr double kSoft = 0.03;
/// Steps of the way to the corrected place.
constexpr int kFlowSteps = 12;
/// How often the speeds of a step are found at most: until no face has to slow its corners down any more.
constexpr int kSpeedPasses = 12;
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
/// second time and later faces see corners that others have slowed down.
void find_speeds(FoldBuffers& buffers) {
  const std::size_t near = buffers.near.size();
  std::vector<double>& speed = buffers.speed;
  speed.assign(near, 1.0);
  const auto relax = [&](std::size_t i) {
    for (Index k = buffers.next_begin[i]; k < buffers.next_begin[i + 1]; ++k) {
      speed[i] = std::min(speed[i], speed[buffers.next[k]] + buffers.way[k]);
    }
  };
  bool slowed = true;
  for (int pass = 0; pass < kSpeedPasses && slowed; ++pass) {
    slowed = false;
    buffers.last_speed = speed;
    for (std::size_t i = 0; i < near; ++i) buffers.ahead[i] = buffers.at[i] + speed[i] / kFlowSteps * buffers.to[i];
    for (const GuardedFace& face : buffers.faces) {
      const std::span<const Index> corners(buffers.corners.data() + face.begin, face.end - face.begin);
      const double allowed = allowed_step(margin(face, area_vector(buffers.at, corners)),
                                          margin(face, area_vector(buffers.ahead, corners)));
      if (allowed == 1) continue;
      slowed = true;
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
    find_zone(in, buffers);
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
