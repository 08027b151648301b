#include "volume/fold_flow.h"

#include <array>
#include <functional>
#include <limits>

namespace isochor::volume {
namespace {

/// Steps of the way to the corrected place.
constexpr int kFlowSteps = 12;
/// How often the speeds of a step are found at most: until no face has to slow its corners down any more. Of 12 it is
/// not always enough for the sharp edges of an ear, and then the skin popped (0.00013 of the size, however small the
/// time step).
constexpr int kSpeedPasses = 48;
/// What closes the volume comes later, and moves faces by less than this.
constexpr double kForClosing = 0.03;
/// Faces with more corners are always watched.
constexpr std::size_t kMostCorners = 4;

/// Whether a face may come within `apart` of a limit, wherever its corners are on their ways. The area vector (or the
/// volume of a wedge) is linear in the way of each corner and the margin concave in it: the least margin is found where
/// each corner is at its start or its end.
bool may_come_near(const FoldZone& zone, const GuardedFace& face, double apart) {
  const auto corners = zone.corners_of(face);
  if (corners.size() > kMostCorners) return true;
  constexpr std::array<Index, kMostCorners> kOwn{0, 1, 2, 3};
  std::array<Vec3, kMostCorners> start, end;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    start[k] = zone.from[corners[k]];
    end[k] = zone.from[corners[k]] + zone.way[corners[k]];
  }
  const unsigned combinations = 1u << corners.size();
  for (unsigned bits = combinations - 1; bits > 0; --bits) {
    const auto at = [&](Index k) -> const Vec3& { return ((bits >> k) & 1u) != 0 ? end[k] : start[k]; };
    if (margin_at(face, std::span(kOwn.data(), corners.size()), at) < apart) return true;
  }
  return false;
}

/// Those of the zone's faces that have not been looked at yet; true if there are any.
bool watch_more(FlowBuffers& buffers, const FoldZone& zone) {
  const std::size_t before = buffers.slowing.size();
  for (std::size_t f = buffers.known.size(); f < zone.faces.size(); ++f) {
    buffers.known.push_back(1);
    buffers.slows.push_back(may_come_near(zone, zone.faces[f], kSoft + kForClosing) ? 1 : 0);
    if (buffers.slows.back() != 0) buffers.slowing.push_back(static_cast<Index>(f));
  }
  return buffers.slowing.size() > before;
}

/// How far the slowing faces are felt, in the order of the way from them.
void reach_out(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, FlowBuffers& buffers,
               FoldZone& zone) {
  auto& queue = buffers.queue;  // a heap, the nearest on top
  queue.clear();
  buffers.far.assign(zone.vertices.size(), std::numeric_limits<double>::infinity());
  buffers.reached.clear();
  const auto reach = [&](Index i, double far) {
    if (far >= 1) return;
    if (static_cast<std::size_t>(i) >= buffers.far.size()) {
      buffers.far.resize(zone.vertices.size(), std::numeric_limits<double>::infinity());
    }
    if (far >= buffers.far[i]) return;
    buffers.far[i] = far;
    queue.emplace_back(far, i);
    std::push_heap(queue.begin(), queue.end(), std::greater<>());
  };
  for (const Index f : buffers.slowing) {
    for (const Index c : zone.corners_of(zone.faces[f])) reach(c, 0);
  }
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), std::greater<>());
    const auto [far, i] = queue.back();
    queue.pop_back();
    if (far > buffers.far[i]) continue;
    buffers.reached.push_back(i);
    const Index v = zone.vertices[i];
    for (Index k = plan.next_begin[v]; k < plan.next_begin[v + 1]; ++k) {
      const double there = far + plan.way[k];
      if (there < 1) reach(zone.add_vertex(in, out, plan.next[k]), there);
    }
  }
}

/// Neighbours and corners by number.
void number_reached(const FoldPlan& plan, FlowBuffers& buffers, const FoldZone& zone) {
  buffers.number.assign(zone.vertices.size(), kNone);
  for (std::size_t n = 0; n < buffers.reached.size(); ++n) buffers.number[buffers.reached[n]] = static_cast<Index>(n);
  buffers.next.clear();
  buffers.way.clear();
  buffers.next_begin.assign(1, 0);
  for (const Index i : buffers.reached) {
    const Index v = zone.vertices[i];
    for (Index k = plan.next_begin[v]; k < plan.next_begin[v + 1]; ++k) {
      const Index place = zone.place[plan.next[k]];
      if (place == kNone || buffers.number[place] == kNone) continue;
      buffers.next.push_back(buffers.number[place]);
      buffers.way.push_back(plan.way[k]);
    }
    buffers.next_begin.push_back(static_cast<Index>(buffers.next.size()));
  }
  buffers.corners.clear();
  buffers.corner_begin.assign(1, 0);
  buffers.corner_count = 0;
  while (buffers.corner_count < buffers.reached.size() && buffers.far[buffers.reached[buffers.corner_count]] == 0) {
    ++buffers.corner_count;
  }
  for (const Index f : buffers.slowing) {
    for (const Index c : zone.corners_of(zone.faces[f])) buffers.corners.push_back(buffers.number[c]);
    buffers.corner_begin.push_back(static_cast<Index>(buffers.corners.size()));
  }
}

/// How much of its margin a face may lose in a step that would take `loss` of it: what the solution of
/// dm/dτ = -loss min(1, m / kSoft) loses, which never comes to 0. Grows with the loss.
double permitted_loss(double margin_now, double loss) {
  if (loss <= 0 || margin_now - loss >= kSoft) return loss;
  if (margin_now <= 0) return 0;
  const double unhindered = std::max(0.0, (margin_now - kSoft) / loss);
  const double slowed = std::min(margin_now, kSoft);
  return unhindered * loss - slowed * std::expm1(-loss * (1 - unhindered) / kSoft);
}

/// No vertex is much faster than its neighbours. They were level before those of buffers.slower lost some of their
/// speed: what these permit spreads from them, and stays the same in whatever order it does.
void level_speeds(FlowBuffers& buffers) {
  std::vector<Index>& slower = buffers.slower;
  for (std::size_t at = 0; at < slower.size(); ++at) {
    const Index i = slower[at];
    for (Index k = buffers.next_begin[i]; k < buffers.next_begin[i + 1]; ++k) {
      const double most = buffers.speed[i] + buffers.way[k];
      if (!(most < buffers.speed[buffers.next[k]])) continue;
      buffers.speed[buffers.next[k]] = most;
      slower.push_back(buffers.next[k]);
    }
  }
  slower.clear();
}

std::span<const Index> slowing_corners(const FlowBuffers& buffers, std::size_t s) {
  return {buffers.corners.data() + buffers.corner_begin[s], buffers.corners.data() + buffers.corner_begin[s + 1]};
}

double margin_now(const FlowBuffers& buffers, const FoldZone& zone, std::size_t s, const std::vector<Vec3>& positions) {
  return margin_at(zone.faces[buffers.slowing[s]], slowing_corners(buffers, s),
                   [&](Index c) -> const Vec3& { return positions[c]; });
}

/// Where a step at these speeds ends, and how far the faces are from their limits there; in later passes only what has
/// changed.
void look_ahead(FlowBuffers& buffers, const FoldZone& zone, bool first) {
  for (std::size_t i = 0; i < buffers.corner_count; ++i) {
    buffers.changed[i] = first || buffers.speed[i] != buffers.last_speed[i] ? 1 : 0;
    if (buffers.changed[i] == 0) continue;
    buffers.ahead[i] = buffers.at[i] + buffers.speed[i] / kFlowSteps * buffers.to[i];
  }
  for (std::size_t s = 0; s < buffers.slowing.size(); ++s) {
    const auto corners = slowing_corners(buffers, s);
    if (std::none_of(corners.begin(), corners.end(), [&](Index c) { return buffers.changed[c] != 0; })) continue;
    buffers.margin_ahead[s] = margin_now(buffers, zone, s, buffers.ahead);
  }
}

/// One pass over the faces, with speeds as they are; true if one had to slow its corners down.
bool slow_down(FlowBuffers& buffers, bool first) {
  constexpr double kEnough = 1 + 1e-8;
  bool slowed = false;
  buffers.last_speed = buffers.speed;
  for (std::size_t s = 0; s < buffers.slowing.size(); ++s) {
    const double now = buffers.margin[s];
    const double loss = now - buffers.margin_ahead[s];
    // A face that others have slowed down already is permitted what it would lose without them.
    if (first || loss > buffers.largest_loss[s]) {
      buffers.largest_loss[s] = loss;
      buffers.permitted[s] = permitted_loss(now, loss);
    }
    if (!(loss > 0) || loss <= kEnough * buffers.permitted[s]) continue;
    slowed = true;
    const double share = buffers.permitted[s] / loss;
    for (const Index c : slowing_corners(buffers, s)) {
      const double most = share * buffers.last_speed[c];
      if (!(most < buffers.speed[c])) continue;
      buffers.speed[c] = most;
      buffers.slower.push_back(c);
    }
  }
  level_speeds(buffers);
  return slowed;
}

/// How much of its next step each vertex may go: no more than its faces allow, and little more than its neighbours.
/// Later passes are for faces whose corners others have slowed down.
void find_speeds(FlowBuffers& buffers, const FoldZone& zone) {
  std::fill(buffers.speed.begin(), buffers.speed.end(), 1.0);
  for (std::size_t s = 0; s < buffers.slowing.size(); ++s) {
    buffers.margin[s] = margin_now(buffers, zone, s, buffers.at);
  }
  for (int pass = 0; pass < kSpeedPasses; ++pass) {
    look_ahead(buffers, zone, pass == 0);
    if (!slow_down(buffers, pass == 0)) return;
  }
  // Faces that take turns at slowing each other down: then all of the skin here goes as far as the worst of them may.
  look_ahead(buffers, zone, false);
  if (!slow_down(buffers, false)) return;
  const std::vector<double>& known = buffers.last_speed;
  double share = 1;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] > 0) share = std::min(share, buffers.speed[i] / known[i]);
  }
  for (std::size_t i = 0; i < known.size(); ++i) buffers.speed[i] = share * known[i];
}

}  // namespace

bool find_slowing(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, std::span<const Index> also,
                  FlowBuffers& buffers, FoldZone& zone) {
  buffers.slowing.clear();
  buffers.known.clear();
  buffers.slows.clear();
  watch_more(buffers, zone);
  for (const Index f : also) {
    if (buffers.slows[f] != 0) continue;
    buffers.slows[f] = 1;
    buffers.slowing.push_back(f);
  }
  if (buffers.slowing.empty()) return false;
  do {
    reach_out(in, plan, out, buffers, zone);
    for (const Index i : buffers.reached) zone.add_faces(in, plan, out, i);
  } while (watch_more(buffers, zone));
  number_reached(plan, buffers, zone);
  return true;
}

void flow(std::span<const Vec3> whole_way, FlowBuffers& buffers, FoldZone& zone) {
  const std::size_t count = buffers.reached.size();
  for (auto* field : {&buffers.from, &buffers.to, &buffers.at, &buffers.ahead}) field->resize(buffers.corner_count);
  for (auto* values : {&buffers.margin, &buffers.margin_ahead, &buffers.largest_loss, &buffers.permitted}) {
    values->resize(buffers.slowing.size());
  }
  buffers.changed.resize(buffers.corner_count);
  buffers.speed.resize(count);
  buffers.gone.assign(count, 0.0);
  for (std::size_t n = 0; n < buffers.corner_count; ++n) {
    buffers.from[n] = buffers.at[n] = zone.from[buffers.reached[n]];
    buffers.to[n] = whole_way[buffers.reached[n]];
  }
  for (int step = 0; step < kFlowSteps; ++step) {
    find_speeds(buffers, zone);
    for (std::size_t n = 0; n < count; ++n) buffers.gone[n] += buffers.speed[n] / kFlowSteps;
    for (std::size_t n = 0; n < buffers.corner_count; ++n) {
      buffers.at[n] = buffers.from[n] + buffers.gone[n] * buffers.to[n];
    }
  }
  for (std::size_t n = 0; n < count; ++n) zone.free[buffers.reached[n]] = std::min(buffers.gone[n], 1.0);
}

}  // namespace isochor::volume
