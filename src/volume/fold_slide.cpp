#include "volume/fold_slide.h"

#include "volume/saturate.h"

namespace isochor::volume {
namespace {

/// The most rounds in which corners slide apart, the share of their faces' wishes that they go in one, and how much of
/// a round's motion goes on in the next: a band of faces that are pressed together spreads from its middle to its ends.
constexpr int kSlideRounds = 200;
constexpr double kSlideStep = 0.4, kMomentum = 0.3;
/// The sliding has ended where no vertex moves by more than this, of its local radius.
constexpr double kStill = 1e-11;
/// How far a vertex slides at most, in local radii and in lengths of its faces; and no farther than it is displaced.
constexpr double kSlideRadii = 0.03, kSlideFaces = 0.1;
/// An area vector that is shorter than this, against what the deformer made of it, has no direction to speak of.
constexpr double kNoLength = 1e-3;

/// Adds to the corners' wishes what brings one margin of a face to kApart, to first order, with the least motion.
/// `slope` is that margin's by the area vector N = ½ Σ p_i × p_{i+1}.
void push_apart(std::span<const Index> corners, double missing, const Vec3& slope, SlideBuffers& buffers) {
  if (!(missing > 0)) return;
  const auto at = [&](std::size_t k) -> const Vec3& { return buffers.at[corners[k]]; };
  if (corners.size() == 4) {  // opposite corners go opposite ways
    const Vec3 even = 0.5 * Vec3(at(1) - at(3)).cross(slope), odd = 0.5 * Vec3(at(2) - at(0)).cross(slope);
    const double squares = 2 * (even.squaredNorm() + odd.squaredNorm());
    if (!(squares > 0)) return;  // a point
    const double share = missing / squares;
    buffers.wish[corners[0]] += share * even;
    buffers.wish[corners[1]] += share * odd;
    buffers.wish[corners[2]] -= share * even;
    buffers.wish[corners[3]] -= share * odd;
    return;
  }
  const std::size_t n = corners.size();
  buffers.slope.resize(n);
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    buffers.slope[k] = 0.5 * Vec3(at(k + 1 == n ? 0 : k + 1) - at(k == 0 ? n - 1 : k - 1)).cross(slope);
    squares += buffers.slope[k].squaredNorm();
  }
  if (!(squares > 0)) return;
  for (std::size_t k = 0; k < n; ++k) buffers.wish[corners[k]] += missing / squares * buffers.slope[k];
}

/// What a face wishes of its corners, each limit by itself: the nearest of them alone would jump from one to the other.
void add_wishes(const GuardedFace& face, const Vec3& normal, std::span<const Index> corners, SlideBuffers& buffers) {
  const double along = face.normal.dot(normal) * face.per_squared;
  const double length = std::sqrt(normal.squaredNorm() * face.per_squared + kNoLength * kNoLength);
  const Vec3 forward = face.per_squared * face.normal;
  const Vec3 longer = face.per_squared / length * normal;
  const double apart = kApart - face.slack;
  push_apart(corners, apart - (along - face.turn * length), forward - face.turn * longer, buffers);
  push_apart(corners, apart - (along - face.area), forward, buffers);
  push_apart(corners, apart - (1 - length * face.per_growth), -face.per_growth * longer, buffers);
}

/// How far the corners of a face may go, all together, before its margin can be kApart. An area vector N changes by
/// half of what a corner goes times the chord between its neighbours, and these stay below twice the longest as long as
/// all corners together go no farther than that; the margin changes by (1 + turn) |dN| over the deformer's area at
/// most.
double free_travel(const GuardedFace& face, std::span<const Index> corners, double now, const SlideBuffers& buffers) {
  constexpr double kRounding = 1e-9;
  if (!(face.per_squared > 0) || now <= kApart + kRounding) return 0;
  const std::size_t n = corners.size();
  double squared = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 chord = buffers.at[corners[k]] - buffers.at[corners[k + 2 < n ? k + 2 : k + 2 - n]];
    squared = std::max(squared, chord.squaredNorm());
  }
  const double longest = std::sqrt(squared);
  return std::min(longest, (now - kApart - kRounding) / ((1 + face.turn) * longest * std::sqrt(face.per_squared)));
}

/// How far a vertex may slide.
double slide_limit(const FoldInput& in, Index v, const Vec3& wanted) {
  const TogetherPlan& plan = in.at.plan;
  const double limit =
      in.at.scale * std::hypot(kSlideRadii * plan.radius[v], kSlideFaces * std::sqrt(plan.rest_areas[v]));
  return saturate(limit, wanted.norm()).value;
}

/// What of its slide a vertex really goes: saturate() of its length, over its length.
double kept_slide(const Vec3& slid, double per_limit) {
  const double square = slid.squaredNorm() * per_limit;
  return saturated_share(square * square);
}

struct Sliding {
  const FoldInput& in;
  const FoldPlan& plan;
  const CorrectedFrame& out;
  SlideBuffers& buffers;
  FoldZone& zone;

  /// Room for vertices and faces that the zone has got.
  void catch_up() const {
    for (std::size_t i = buffers.at.size(); i < zone.vertices.size(); ++i) {
      const Index v = zone.vertices[i];
      buffers.start.push_back(zone.from[i] + zone.wanted[i]);
      buffers.at.push_back(buffers.start.back());
      for (auto* field : {&buffers.wish, &buffers.step, &buffers.slid}) field->push_back(Vec3::Zero());
      const double limit = slide_limit(in, v, zone.wanted[i]);
      const double per_limit = 1 / (limit * limit);
      buffers.per_limit.push_back(std::isfinite(per_limit) ? per_limit : 0);
      const double still = kStill * in.at.scale * in.at.plan.radius[v];
      buffers.still.push_back(still * still);
      buffers.active.push_back(0);
      buffers.moved.push_back(0);
      buffers.travelled.push_back(0);
    }
    buffers.content.resize(zone.faces.size(), 0);
    buffers.wakes.resize(zone.faces.size(), -1);
  }

  void activate(Index i) const {
    if (buffers.active[i] != 0) return;
    buffers.active[i] = 1;
    buffers.actives.push_back(i);
    zone.add_faces(in, plan, out, i);
    catch_up();
  }

  double travelled(std::span<const Index> corners) const {
    double sum = 0;
    for (const Index c : corners) sum += buffers.travelled[c];
    return sum;
  }

  /// Faces whose corners rest, or have not gone far, wish what they did: nothing.
  bool rests(std::size_t f, std::span<const Index> corners) const {
    if (buffers.wakes[f] < 0) return false;
    const double left = buffers.content[f] - travelled(corners);
    if (left >= 0) {
      buffers.wakes[f] = buffers.reach + left / static_cast<double>(corners.size());
      return true;
    }
    return std::none_of(corners.begin(), corners.end(), [&](Index c) { return buffers.moved[c] != 0; });
  }

  void find_wishes() const {
    for (std::size_t f = 0; f < zone.faces.size(); ++f) {
      if (buffers.reach <= buffers.wakes[f] || zone.faces[f].is_wedge()) continue;
      const auto corners = zone.corners_of(zone.faces[f]);
      if (rests(f, corners)) continue;
      const Vec3 normal = area_of(corners, [&](Index c) -> const Vec3& { return buffers.at[c]; });
      const double now = margin(zone.faces[f], normal);
      if (!(now < kApart)) {
        const double left = free_travel(zone.faces[f], corners, now, buffers);
        buffers.content[f] = travelled(corners) + left;
        buffers.wakes[f] = buffers.reach + left / static_cast<double>(corners.size());
        continue;
      }
      buffers.wakes[f] = -1;
      const GuardedFace face = zone.faces[f];  // the zone may grow
      for (std::size_t k = face.begin; k < face.end; ++k) activate(zone.corners[k]);
      add_wishes(face, normal, zone.corners_of(face), buffers);
    }
  }

  /// True as long as anything moves.
  bool move() const {
    double longest = 0;
    bool moves = false;
    for (const Index i : buffers.actives) {
      buffers.moved[i] = 0;
      const bool wishes = buffers.wish[i] != Vec3::Zero();
      if (!wishes && buffers.step[i] == Vec3::Zero()) continue;
      buffers.step[i] = kSlideStep * buffers.wish[i] + kMomentum * buffers.step[i];
      buffers.wish[i].setZero();
      // Of a motion that fades all that is left is shorter still.
      if (!wishes && buffers.step[i].squaredNorm() <= buffers.still[i]) buffers.step[i].setZero();
      if (!(buffers.per_limit[i] > 0)) continue;
      buffers.slid[i] += buffers.step[i];
      const Vec3 there = buffers.start[i] + kept_slide(buffers.slid[i], buffers.per_limit[i]) * buffers.slid[i];
      const double squared = (there - buffers.at[i]).squaredNorm();
      const double far = std::sqrt(squared);
      buffers.travelled[i] += far;
      longest = std::max(longest, far);
      buffers.moved[i] = squared > buffers.still[i] ? 1 : 0;
      buffers.at[i] = there;
      moves = moves || buffers.moved[i] != 0;
    }
    buffers.reach += longest;
    return moves;
  }
};

}  // namespace

// Rounds of all faces at once, so that no order of theirs shows. What of the slide can be had by an offset at rest is
// found at the end.
void slide(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, SlideBuffers& buffers,
           FoldZone& zone) {
  for (auto* field : {&buffers.at, &buffers.wish, &buffers.step, &buffers.start, &buffers.slid}) field->clear();
  for (auto* flags : {&buffers.active, &buffers.moved}) flags->clear();
  for (auto* values : {&buffers.per_limit, &buffers.still, &buffers.travelled, &buffers.content, &buffers.wakes}) {
    values->clear();
  }
  buffers.actives.clear();
  buffers.reach = 0;
  const Sliding sliding{in, plan, out, buffers, zone};
  sliding.catch_up();
  for (int round = 0; round < kSlideRounds; ++round) {
    sliding.find_wishes();
    if (!sliding.move()) break;
  }
  for (const Index i : buffers.actives) {
    const RestCarrier rest(in.at.posed.maps[zone.vertices[i]].leftCols<3>());
    const Carried slid = rest.carry(kept_slide(buffers.slid[i], buffers.per_limit[i]) * buffers.slid[i]);
    zone.way[i] = zone.wanted[i] + slid.displacement;
    zone.rest_way[i] = zone.offset[i] + slid.offset;
  }
}

}  // namespace isochor::volume
