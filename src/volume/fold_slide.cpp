#include "volume/fold_slide.h"

#include <algorithm>
#include <cmath>

#include "volume/saturate.h"

namespace isochor::volume {
namespace {

/// The most rounds in which corners slide apart, the share of their faces' wishes that they go in one, and how much of
/// a round's motion goes on in the next: a band of faces that are pressed together spreads from its middle to its ends.
/// With half as many, a band of a bent cylinder that is four times as dense, and refined, is held back by some per cent
/// of its radius.
constexpr int kSlideRounds = 200;
constexpr double kSlideStep = 0.4, kMomentum = 0.3;
/// The sliding has ended where no face wishes anything and no vertex moves by more than this, of its local radius.
constexpr double kStill = 1e-9;
/// How far a vertex slides at most, in local radii and in lengths of its faces; and no farther than it is displaced.
constexpr double kSlideRadii = 0.03, kSlideFaces = 0.1;
/// An area vector that is shorter than this, against what the deformer made of it, has no direction to speak of.
constexpr double kNoLength = 1e-3;

/// Adds to `ahead` what brings one margin of a face to kApart, to first order, with the least motion of the corners.
/// `slope` is that margin's by the area vector N = ½ Σ p_i × p_{i+1}.
void push_apart(const GuardedFace& face, double from_limit, const Vec3& slope, FoldBuffers& buffers) {
  const double missing = kApart - face.slack - from_limit;
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

}  // namespace

// Rounds of all faces at once, so that no order of theirs shows.
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

}  // namespace isochor::volume
