#include "volume/fold_slide.h"

#include "volume/saturate.h"

namespace isochor::volume {
namespace {

/// The most rounds in which corners slide apart, the share of their faces' wishes that they go in one, and how much of
/// a round's motion goes on in the next: a band of faces that are pressed together spreads from its middle to its ends.
constexpr int kSlideRounds = 200;
constexpr double kSlideStep = 0.4, kMomentum = 0.3;
/// The sliding has ended where no vertex moves by more than this, of its local radius.
constexpr double kStill = 1e-9;
/// How far a vertex slides at most, in local radii and in lengths of its faces; and no farther than it is displaced.
constexpr double kSlideRadii = 0.03, kSlideFaces = 0.1;
/// An area vector that is shorter than this, against what the deformer made of it, has no direction to speak of.
constexpr double kNoLength = 1e-3;

/// Adds to the corners' wishes what brings one margin of a face to kApart, to first order, with the least motion.
/// `slope` is that margin's by the area vector N = ½ Σ p_i × p_{i+1}.
void push_apart(std::span<const Index> corners, double missing, const Vec3& slope, SlideBuffers& buffers) {
  if (!(missing > 0)) return;
  const std::size_t n = corners.size();
  buffers.slope.resize(n);
  double squares = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3& next = buffers.at[corners[k + 1 == n ? 0 : k + 1]];
    const Vec3& last = buffers.at[corners[k == 0 ? n - 1 : k - 1]];
    buffers.slope[k] = 0.5 * Vec3(next - last).cross(slope);
    squares += buffers.slope[k].squaredNorm();
  }
  if (!(squares > 0)) return;  // a point
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

/// What of its slide a vertex really goes.
double kept_slide(const SlideBuffers& buffers, std::size_t i) {
  const double far = buffers.slid[i].norm();
  return far > 0 ? saturate(far, buffers.limit[i]).value / far : 0;
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
      buffers.at.push_back(zone.from[i] + zone.wanted[i]);
      for (auto* field : {&buffers.wish, &buffers.step, &buffers.slid, &buffers.slid_offset}) {
        field->push_back(Vec3::Zero());
      }
      buffers.limit.push_back(slide_limit(in, v, zone.wanted[i]));
      const double still = kStill * in.at.scale * in.at.plan.radius[v];
      buffers.still.push_back(still * still);
      buffers.carriers.emplace_back(in.at.posed.maps[v].leftCols<3>());
      buffers.active.push_back(0);
      buffers.moved.push_back(0);
      buffers.spent.push_back(0);
      buffers.travelled.push_back(0);
    }
    buffers.wishes.resize(zone.faces.size(), 1);
    buffers.content.resize(zone.faces.size(), 0);
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
    if (buffers.wishes[f] != 0) return false;
    if (travelled(corners) <= buffers.content[f]) return true;
    return std::none_of(corners.begin(), corners.end(), [&](Index c) { return buffers.moved[c] != 0; });
  }

  void find_wishes() const {
    for (const Index i : buffers.actives) buffers.wish[i].setZero();
    for (std::size_t f = 0; f < zone.faces.size(); ++f) {
      const auto corners = zone.corners_of(zone.faces[f]);
      if (rests(f, corners)) continue;
      const Vec3 normal = area_of(corners, [&](Index c) -> const Vec3& { return buffers.at[c]; });
      const double now = margin(zone.faces[f], normal);
      buffers.wishes[f] = now < kApart ? 1 : 0;
      if (buffers.wishes[f] == 0) {
        buffers.content[f] = travelled(corners) + free_travel(zone.faces[f], corners, now, buffers);
        continue;
      }
      const GuardedFace face = zone.faces[f];  // the zone may grow
      for (std::size_t k = face.begin; k < face.end; ++k) activate(zone.corners[k]);
      add_wishes(face, normal, zone.corners_of(face), buffers);
    }
  }

  /// True as long as anything moves.
  bool move() const {
    bool moves = false;
    for (const Index i : buffers.actives) {
      buffers.moved[i] = 0;
      buffers.step[i] = kSlideStep * buffers.wish[i] + kMomentum * buffers.step[i];
      if (!(buffers.limit[i] > 0) || buffers.step[i] == Vec3::Zero()) continue;
      const bool fades = buffers.wish[i] == Vec3::Zero();
      if (fades && buffers.spent[i] != 0) continue;
      const Carried carried = buffers.carriers[i].carry(buffers.step[i]);
      const Vec3 slid = buffers.slid[i] + carried.displacement, offset = buffers.slid_offset[i] + carried.offset;
      // Later steps of a motion that fades are shorter still, and change nothing either.
      buffers.spent[i] = fades && slid == buffers.slid[i] && offset == buffers.slid_offset[i] ? 1 : 0;
      buffers.slid[i] = slid;
      buffers.slid_offset[i] = offset;
      const Vec3 there = zone.from[i] + zone.wanted[i] + kept_slide(buffers, i) * buffers.slid[i];
      const double squared = (there - buffers.at[i]).squaredNorm();
      buffers.travelled[i] += std::sqrt(squared);
      buffers.moved[i] = squared > buffers.still[i] ? 1 : 0;
      buffers.at[i] = there;
      moves = moves || buffers.moved[i] != 0;
    }
    return moves;
  }
};

}  // namespace

// Rounds of all faces at once, so that no order of theirs shows.
void slide(const FoldInput& in, const FoldPlan& plan, const CorrectedFrame& out, SlideBuffers& buffers,
           FoldZone& zone) {
  for (auto* field : {&buffers.at, &buffers.wish, &buffers.step, &buffers.slid, &buffers.slid_offset}) field->clear();
  for (auto* flags : {&buffers.active, &buffers.moved, &buffers.spent, &buffers.wishes}) flags->clear();
  for (auto* values : {&buffers.limit, &buffers.still, &buffers.travelled, &buffers.content}) values->clear();
  buffers.carriers.clear();
  buffers.actives.clear();
  const Sliding sliding{in, plan, out, buffers, zone};
  sliding.catch_up();
  for (int round = 0; round < kSlideRounds; ++round) {
    sliding.find_wishes();
    if (!sliding.move()) break;
  }
  for (const Index i : buffers.actives) {
    const double kept = kept_slide(buffers, i);
    zone.way[i] = zone.wanted[i] + kept * buffers.slid[i];
    zone.rest_way[i] = zone.offset[i] + kept * buffers.slid_offset[i];
  }
}

}  // namespace isochor::volume
