#include "medial/ridge.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "isochor/base/parallel.h"
#include "isochor/voxel/winding.h"
#include "medial/ball_rule.h"
#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

/// Points of the surface nearer to each other than this many voxels say nothing: they may be those of one voxel. If
/// they face each other, half of it will do.
constexpr double kLeastChord = 2;
constexpr double kFacing = -0.85;
/// No ball is smaller than a voxel.
constexpr double kLeastRadius = 0.5;

/// What is known of the medial in each voxel: the sum of the points that were found there.
struct Findings {
  std::vector<Vec3> sum;      // #N of the solid's voxels
  std::vector<double> radii;  // #N: sums
  std::vector<Index> count;   // #N
  std::vector<char> medial;   // #N

  explicit Findings(std::size_t n) : sum(n, Vec3::Zero()), radii(n, 0.0), count(n, 0), medial(n, 0) {}
  void add(std::size_t i, const Vec3& point, double radius) {
    sum[i] += point;
    radii[i] += radius;
    ++count[i];
    medial[i] = 1;
  }
  void set(Index i, const Vec3& point, double radius) {
    sum[i] = point;
    radii[i] = radius;
    count[i] = 1;
    medial[i] = 1;
  }
  void drop(std::size_t i) {
    sum[i].setZero();
    radii[i] = 0;
    count[i] = 0;
    medial[i] = 0;
  }
  double radius(std::size_t i) const { return std::max(kLeastRadius, radii[i] / count[i]); }
};

/// Two neighbours p and q have their nearest points a and b: somewhere between them the nearest point jumps from a to
/// b, where both are equally far (Hesselink and Roerdink 2008, the integer medial axis). That place is on the medial if
/// a and b lie in directions that differ by a large angle. Distances are measured to the planes through a and b that
/// face p and q, the surface as far as it is known there: so the place is exact between flat walls.
void look_between(const SolidVoxels& voxels, std::size_t p, std::size_t q, double least_cosine, Findings& found) {
  const Vec3 &a = voxels.nearest[p], &b = voxels.nearest[q];
  const double chord2 = (b - a).squaredNorm();
  if (chord2 < 0.25 * kLeastChord * kLeastChord) return;
  const Vec3 from = voxels.centre(p), way = voxels.centre(q) - from;
  const Vec3 to_a = a - from, to_b = b - from - way;
  const double ra = to_a.norm(), rb = to_b.norm();
  const double cosine = to_a.dot(to_b) / (ra * rb);
  if (!(cosine <= least_cosine) || (cosine > kFacing && chord2 < kLeastChord * kLeastChord)) return;
  const Vec3 na = to_a / ra, nb = to_b / rb;
  // (a - x)·na = (b - x)·nb for x = from + t way.
  const double fall = way.dot(na - nb);
  const double t = (ra - (b - from).dot(nb)) / fall;
  if (!(t >= 0 && t <= 1)) return;  // one of the two is not the nearest
  const Vec3 x = from + t * way;
  const double radius = (a - x).dot(na);
  if (!(radius >= kLeastRadius)) return;  // p and q may lie on both sides of the surface
  const Index at = voxels.holding(x);
  if (at != kNone) found.add(static_cast<std::size_t>(at), x, radius);
}

/// Not only along the axes: about the centre of a ball, which lies between eight voxels, neighbours by a face see their
/// points at 71° only.
void look_at_neighbours(const SolidVoxels& voxels, double angle, Findings& found) {
  const double least_cosine = std::cos(angle * std::numbers::pi / 180);
  const auto steps = voxels.steps();
  for (std::size_t p = 0; p < voxels.size(); ++p) {
    for (std::size_t s = 13; s < 26; ++s) {
      const Index q = voxels.at[voxels.cell[p] + static_cast<std::size_t>(steps[s])];
      if (q != kNone) look_between(voxels, p, static_cast<std::size_t>(q), least_cosine, found);
    }
  }
}

/// In a narrow crook, as under an arm, the surface touches all voxels between its two sides: what was found between
/// them is the medial of the outside. Inside and outside are told by winding numbers; sheets, which have neither, are
/// about halfway.
void drop_outside(const SolidVoxels& voxels, const Context& context, Findings& found) {
  constexpr double kOutside = 0.25, kTolerated = 0.05;
  std::vector<std::size_t> outer;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (found.medial[i] != 0 && voxels.depth[i] == 0) outer.push_back(i);
  }
  if (outer.empty()) return;
  const WindingTree winding(voxels.skin);
  parallel_for(context, outer.size(), 256, [&](Range range) {
    for (std::size_t k = range.begin; k < range.end; ++k) {
      const std::size_t i = outer[k];
      const Vec3 point = found.sum[i] / found.count[i];
      if (std::abs(winding.estimate(point, kTolerated).value) < kOutside) found.drop(i);
    }
  });
}

/// Whether each voxel lies within two steps of one that is deeper than `depth`.
std::vector<char> near_deeper(const SolidVoxels& voxels, int depth) {
  const auto steps = voxels.steps();
  std::vector<char> near(voxels.size(), 0), wider;
  for (std::size_t i = 0; i < voxels.size(); ++i) near[i] = voxels.depth[i] > depth ? 1 : 0;
  for (int round = 0; round < 2; ++round) {
    wider = near;
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      if (near[i] != 0 || voxels.depth[i] > depth) continue;
      wider[i] = std::any_of(steps.begin(), steps.end(), [&](std::ptrdiff_t step) {
        const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(step)];
        return j != kNone && near[j] != 0;
      });
    }
    near.swap(wider);
  }
  return near;
}

/// Where a part is so thin that no voxel in reach lies deeper, all its deepest voxels are medial: cloth, wings, wires.
/// Two steps, as a voxel that the surface just touches sticks out of those around it.
void add_thin(const SolidVoxels& voxels, Findings& found) {
  for (const int depth : {0, 1}) {
    const std::vector<char> near = near_deeper(voxels, depth);
    for (std::size_t i = 0; i < voxels.size(); ++i) {
      if (voxels.depth[i] != depth || near[i] != 0 || found.medial[i] != 0) continue;
      if (depth == 0) {
        found.set(static_cast<Index>(i), voxels.nearest[i], kLeastRadius);
      } else {
        found.set(static_cast<Index>(i), voxels.centre(i), voxels.distance(i));
      }
    }
  }
}

/// By voxel of the solid, the lowest voxel of its connected piece of the medial.
std::vector<Index> islands_of(const SolidVoxels& voxels, const std::vector<char>& medial) {
  mesh::DisjointSets sets(voxels.size());
  const auto steps = voxels.steps();
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (medial[i] == 0) continue;
    for (std::size_t s = 13; s < 26; ++s) {
      const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(steps[s])];
      if (j != kNone && medial[j] != 0) sets.join(static_cast<Index>(i), j);
    }
  }
  std::vector<Index> island(voxels.size(), kNone);
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (medial[i] != 0) island[i] = sets.find(static_cast<Index>(i));
  }
  return island;
}

/// The neighbour to which the distance from the surface rises most steeply; kNone at the top.
Index steepest(const SolidVoxels& voxels, std::size_t from) {
  Index best = kNone;
  double most = 0;
  for (const std::ptrdiff_t step : voxels.steps()) {
    const Index j = voxels.at[voxels.cell[from] + static_cast<std::size_t>(step)];
    if (j == kNone) continue;
    const double slope = (voxels.distance(j) - voxels.distance(from)) / (voxels.centre(j) - voxels.centre(from)).norm();
    if (slope <= most) continue;
    most = slope;
    best = j;
  }
  return best;
}

/// Whether a ball of another island makes up for that of a voxel, by the measure that prunes branches. It is looked for
/// where the way leads that rises most steeply.
bool is_noise(const SolidVoxels& voxels, const Findings& found, const std::vector<Index>& island, std::size_t start) {
  double way = 0;
  for (Index at = static_cast<Index>(start), next = steepest(voxels, start); next != kNone;) {
    way += (voxels.centre(next) - voxels.centre(at)).norm();
    at = next;
    next = steepest(voxels, at);
    if (island[at] == kNone || island[at] == island[start]) continue;
    const double line = (found.sum[at] / found.count[at] - found.sum[start] / found.count[start]).norm();
    if (ball_rule::is_direct(way, line) && ball_rule::holds(found.radius(at), line, found.radius(start))) return true;
  }
  return false;
}

/// Bumps have islands of their own. They go before they are joined to each other, which would make nets of them; but
/// only as a whole: an island with one voxel that tells something is a limb.
void drop_noise(const SolidVoxels& voxels, Findings& found) {
  const std::vector<Index> island = islands_of(voxels, found.medial);
  std::vector<char> tells(voxels.size(), 0);  // by the island's lowest voxel
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (island[i] != kNone && tells[island[i]] == 0) tells[island[i]] = is_noise(voxels, found, island, i) ? 0 : 1;
  }
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (island[i] != kNone && tells[island[i]] == 0) found.drop(i);
  }
}

/// Where two islands' neighbourhoods meet.
struct Meeting {
  Index length;
  Index a, b;  ///< neighbours, each reached from another island

  bool operator<(const Meeting& other) const {
    return std::tie(length, a, b) < std::tie(other.length, other.a, other.b);
  }
};

/// Each voxel's way, over neighbours, to the nearest voxel of the medial.
struct Ways {
  std::vector<Index> length, next, island;  // #N
};

void extend_ways(const SolidVoxels& voxels, std::vector<Index> queue, Ways& ways) {
  const auto steps = voxels.steps();
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const Index i = queue[k];
    for (const std::ptrdiff_t step : steps) {
      const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(step)];
      if (j == kNone || ways.length[j] != kNone) continue;
      ways.length[j] = ways.length[i] + 1;
      ways.next[j] = i;
      ways.island[j] = ways.island[i];
      queue.push_back(j);
    }
  }
}

/// A piece of the solid in which no medial was found gets its deepest voxel.
Ways ways_to_medial(const SolidVoxels& voxels, Findings& found) {
  Ways ways{std::vector<Index>(voxels.size(), kNone), std::vector<Index>(voxels.size(), kNone),
            islands_of(voxels, found.medial)};
  std::vector<Index> queue;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (ways.island[i] == kNone) continue;
    ways.length[i] = 0;
    queue.push_back(static_cast<Index>(i));
  }
  extend_ways(voxels, std::move(queue), ways);
  std::vector<std::pair<double, Index>> left;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (ways.length[i] == kNone) left.emplace_back(-voxels.distance(i), static_cast<Index>(i));
  }
  std::sort(left.begin(), left.end());
  for (const auto& [distance, i] : left) {
    if (ways.length[i] != kNone) continue;
    found.set(i, voxels.centre(i), -distance);
    ways.length[i] = 0;
    ways.island[i] = i;
    extend_ways(voxels, {i}, ways);
  }
  return ways;
}

/// Islands of one piece of the solid are joined along the shortest ways between them, as many as it takes.
std::size_t bridge_islands(const SolidVoxels& voxels, Findings& found) {
  const Ways ways = ways_to_medial(voxels, found);
  const auto steps = voxels.steps();
  std::vector<Meeting> meetings;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    for (std::size_t s = 13; s < 26; ++s) {
      const Index j = voxels.at[voxels.cell[i] + static_cast<std::size_t>(steps[s])];
      if (j == kNone || ways.island[i] == ways.island[j]) continue;
      meetings.push_back({ways.length[i] + ways.length[j], static_cast<Index>(i), j});
    }
  }
  std::sort(meetings.begin(), meetings.end());
  mesh::DisjointSets joined(voxels.size());
  std::size_t bridged = 0;
  for (const Meeting& meeting : meetings) {
    if (joined.find(ways.island[meeting.a]) == joined.find(ways.island[meeting.b])) continue;
    joined.join(ways.island[meeting.a], ways.island[meeting.b]);
    for (const Index end : {meeting.a, meeting.b}) {
      for (Index i = end; found.medial[i] == 0; i = ways.next[i]) {
        found.set(i, voxels.centre(i), voxels.distance(i));
        ++bridged;
      }
    }
  }
  return bridged;
}

}  // namespace

Ridge find_ridge(const SolidVoxels& voxels, double angle, const Context& context) {
  Findings found(voxels.size());
  look_at_neighbours(voxels, angle, found);
  drop_outside(voxels, context, found);
  add_thin(voxels, found);
  drop_noise(voxels, found);
  context.check_cancelled();
  Ridge ridge;
  ridge.bridged = bridge_islands(voxels, found);
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (found.medial[i] == 0) continue;
    ridge.voxel.push_back(static_cast<Index>(i));
    ridge.point.push_back(found.sum[i] / found.count[i]);
    ridge.radius.push_back(found.radius(i));
  }
  return ridge;
}

}  // namespace isochor
