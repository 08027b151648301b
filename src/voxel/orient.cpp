#include "voxel/orient.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "isochor/voxel/winding.h"
#include "voxel/vertex_groups.h"

namespace isochor::voxel {
namespace {

/// Openings that a disc of this share of the area would close still leave a patch nearly closed.
constexpr double kNearlyClosed = 0.25;

/// Across each edge of a triangle (corners 0-1, 1-2, 0-2): the only other triangle there, and whether the two, both as
/// their corners are ordered, run through the edge the same way.
struct Neighbour {
  Index triangle = kNone;
  bool same_way = false;
};
using Neighbours = std::vector<std::array<Neighbour, 3>>;

/// An edge's use by a triangle, kept at the edge's lesser corner.
struct EdgeUse {
  Index to;
  Index triangle;
  int edge;
};

constexpr std::array<std::array<int, 2>, 3> kEdgeCorners = {{{0, 1}, {1, 2}, {0, 2}}};
/// Ordered corners 0, 1, 2 run from the lesser to the greater corner along the first two edges, against the third.
constexpr std::array<int, 3> kEdgeWay = {1, 1, -1};

Neighbours find_neighbours(const LatticeSurface& s) {
  std::vector<std::uint32_t> begin(s.points.size() + 1, 0);
  for (const LatticeTriangle& t : s.triangles) {
    if (t.sign == 0) continue;
    begin[t.corner[0] + 1] += 2;
    begin[t.corner[1] + 1] += 1;
  }
  for (std::size_t v = 1; v < begin.size(); ++v) begin[v] += begin[v - 1];
  std::vector<EdgeUse> uses(begin.back());
  std::vector<std::uint32_t> place(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < s.triangles.size(); ++i) {
    const LatticeTriangle& t = s.triangles[i];
    if (t.sign == 0) continue;
    for (int e = 0; e < 3; ++e) {
      uses[place[t.corner[kEdgeCorners[e][0]]]++] = {t.corner[kEdgeCorners[e][1]], static_cast<Index>(i), e};
    }
  }
  Neighbours result(s.triangles.size());
  for (std::size_t v = 0; v + 1 < begin.size(); ++v) {
    const auto first = uses.begin() + begin[v];
    const auto last = uses.begin() + begin[v + 1];
    std::sort(first, last, [](const EdgeUse& a, const EdgeUse& b) { return a.to < b.to; });
    for (auto group = first; group != last;) {
      auto end = group + 1;
      while (end != last && end->to == group->to) ++end;
      if (end - group == 2) {
        const bool same_way = kEdgeWay[group[0].edge] == kEdgeWay[group[1].edge];
        result[group[0].triangle][group[0].edge] = {group[1].triangle, same_way};
        result[group[1].triangle][group[1].edge] = {group[0].triangle, same_way};
      }
      group = end;
    }
  }
  return result;
}

struct Patch {
  std::vector<Index> triangles;
  bool orientable = true;
  bool judged = false;  ///< closed or nearly so: its volume tells which way it looks
  double area = 0;      ///< lattice units
  double volume = 0;    ///< with the signs as they are after the minority was turned over
  Box box;
  std::array<Index, 6> extreme = {};  ///< its least and greatest points along each axis
  int turn = 1;                       ///< -1: to be turned over as a whole

  bool looks_inward() const { return volume < 0; }
};

Vec3 position(const LatticePoint& p) { return Vec3(p[0], p[1], p[2]); }

class Orienter {
 public:
  explicit Orienter(LatticeSurface& surface) : s_(surface), neighbours_(find_neighbours(surface)) {
    for (const LatticeTriangle& t : s_.triangles) given_.push_back(t.sign);
  }

  Orientation run(Problems& problems);

 private:
  void collect_patches();
  void agree_within(Patch& patch);
  void measure(Patch& patch);
  double close_openings(const Patch& patch, const Vec3& center, double& cap_volume) const;
  void judge_nesting();
  void follow_the_closed();
  Index container_of(const Patch& patch, const std::vector<Index>& candidates);
  bool holds(Index outer, const Patch& inner);
  const WindingTree& tree_of(Index patch);
  Orientation apply(Problems& problems);

  LatticeSurface& s_;
  Neighbours neighbours_;
  std::vector<int> given_;
  std::vector<Patch> patches_;
  std::vector<char> seen_;
  std::vector<std::unique_ptr<WindingTree>> trees_;  // of patches, where they were asked
};

/// Triangles joined through edges of exactly two, their signs made to agree with the first one's.
void Orienter::collect_patches() {
  seen_.assign(s_.triangles.size(), 0);
  for (std::size_t seed = 0; seed < s_.triangles.size(); ++seed) {
    if (seen_[seed] != 0 || s_.triangles[seed].sign == 0) continue;
    Patch patch;
    patch.triangles.push_back(static_cast<Index>(seed));
    seen_[seed] = 1;
    for (std::size_t i = 0; i < patch.triangles.size(); ++i) {
      const Index t = patch.triangles[i];
      for (const Neighbour& n : neighbours_[t]) {
        if (n.triangle == kNone) continue;
        const int wanted = n.same_way ? -s_.triangles[t].sign : s_.triangles[t].sign;
        LatticeTriangle& other = s_.triangles[n.triangle];
        if (seen_[n.triangle] != 0) {
          patch.orientable = patch.orientable && other.sign == wanted;
        } else {
          seen_[n.triangle] = 1;
          other.sign = wanted;
          patch.triangles.push_back(n.triangle);
        }
      }
    }
    agree_within(patch);
    measure(patch);
    patches_.push_back(std::move(patch));
  }
}

/// The majority of the patch keeps its side as given; in a tie, the triangle with the least corners does.
void Orienter::agree_within(Patch& patch) {
  if (!patch.orientable) {
    for (const Index t : patch.triangles) s_.triangles[t].sign = given_[t];
    return;
  }
  std::int64_t balance = 0;
  Index least = patch.triangles[0];
  const auto corners = [&](Index t) {
    const LatticeTriangle& triangle = s_.triangles[t];
    return std::array{s_.point(triangle, 0), s_.point(triangle, 1), s_.point(triangle, 2)};
  };
  for (const Index t : patch.triangles) {
    if (s_.triangles[t].two_sided) continue;
    balance += s_.triangles[t].sign == given_[t] ? 1 : -1;
  }
  if (balance == 0) {
    for (const Index t : patch.triangles) {
      if (corners(t) < corners(least)) least = t;
    }
    balance = s_.triangles[least].sign == given_[least] ? 1 : -1;
  }
  if (balance > 0) return;
  for (const Index t : patch.triangles) s_.triangles[t].sign = -s_.triangles[t].sign;
}

void Orienter::measure(Patch& patch) {
  std::array<Index, 6>& extreme = patch.extreme;
  extreme.fill(s_.triangles[patch.triangles[0]].corner[0]);
  for (const Index t : patch.triangles) {
    for (const Index c : s_.triangles[t].corner) {
      const LatticePoint& p = s_.points[c];
      patch.box.extend(position(p));
      for (int a = 0; a < 3; ++a) {
        // Ties go to the least point, so that the order of vertices makes no difference.
        const LatticePoint& low = s_.points[extreme[2 * a]];
        const LatticePoint& high = s_.points[extreme[2 * a + 1]];
        if (p[a] < low[a] || (p[a] == low[a] && p < low)) extreme[2 * a] = c;
        if (p[a] > high[a] || (p[a] == high[a] && p < high)) extreme[2 * a + 1] = c;
      }
    }
  }
  const Vec3 center = patch.box.center();
  double sum = 0;
  double size = 0;
  double open = 0;
  for (const Index t : patch.triangles) {
    const LatticeTriangle& triangle = s_.triangles[t];
    const Vec3 a = position(s_.point(triangle, 0)) - center;
    const Vec3 b = position(s_.point(triangle, 1)) - center;
    const Vec3 c = position(s_.point(triangle, 2)) - center;
    const double det = a.dot(b.cross(c));
    sum += triangle.sign * det;
    size += std::abs(det);
    patch.area += 0.5 * (b - a).cross(c - a).norm();
    const std::array<double, 3> squares = {(b - a).squaredNorm(), (c - b).squaredNorm(), (c - a).squaredNorm()};
    for (int e = 0; e < 3; ++e) {
      if (neighbours_[t][e].triangle == kNone) open += squares[e];
    }
  }
  // An opening's length squared is at least the sum of its edges' squares: most open patches end here.
  const double limit = kNearlyClosed * patch.area * 4 * std::numbers::pi;
  if (!patch.orientable || open > limit) return;
  double caps = 0;
  if (open > 0 && close_openings(patch, center, caps) > limit) return;
  patch.volume = (sum - caps) / 6;
  patch.judged = std::abs(sum - caps) > 1e-9 * size;
}

/// The sum of the openings' squared lengths. `cap_volume` becomes six times the volume of fans over them about their
/// mean, counted along the surface.
double Orienter::close_openings(const Patch& patch, const Vec3& center, double& cap_volume) const {
  struct Side {
    Index from, to;
  };
  std::vector<Side> sides;
  std::vector<Index> ends;
  for (const Index t : patch.triangles) {
    const LatticeTriangle& triangle = s_.triangles[t];
    for (int e = 0; e < 3; ++e) {
      if (neighbours_[t][e].triangle != kNone) continue;
      Side side = {triangle.corner[kEdgeCorners[e][0]], triangle.corner[kEdgeCorners[e][1]]};
      if (kEdgeWay[e] * triangle.sign < 0) std::swap(side.from, side.to);
      sides.push_back(side);
      ends.push_back(side.from);
      ends.push_back(side.to);
    }
  }
  VertexGroups openings(std::move(ends));
  for (const Side& side : sides) openings.join(side.from, side.to);

  std::vector<double> length(openings.size(), 0);
  std::vector<double> count(openings.size(), 0);
  std::vector<Vec3> mean(openings.size(), Vec3::Zero());
  for (const Side& side : sides) {
    const std::size_t opening = openings.group(side.from);
    const Vec3 a = position(s_.points[side.from]) - center;
    const Vec3 b = position(s_.points[side.to]) - center;
    length[opening] += (b - a).norm();
    mean[opening] += 0.5 * (a + b);
    count[opening] += 1;
  }
  for (const Side& side : sides) {
    const std::size_t opening = openings.group(side.from);
    const Vec3 a = position(s_.points[side.from]) - center;
    const Vec3 b = position(s_.points[side.to]) - center;
    cap_volume += (mean[opening] / count[opening]).dot(a.cross(b));
  }
  double sum = 0;
  for (const double l : length) sum += l * l;
  return sum;
}

const WindingTree& Orienter::tree_of(Index patch) {
  if (!trees_[patch]) {
    std::vector<TriangleCorners> triangles;
    for (const Index t : patches_[patch].triangles) {
      const LatticeTriangle& triangle = s_.triangles[t];
      TriangleCorners corners;
      for (int c = 0; c < 3; ++c) corners[c] = position(s_.point(triangle, triangle.sign > 0 ? c : 2 - c));
      triangles.push_back(corners);
    }
    trees_[patch] = std::make_unique<WindingTree>(triangles);
  }
  return *trees_[patch];
}

bool Orienter::holds(Index outer, const Patch& inner) {
  const Patch& patch = patches_[outer];
  if (!patch.box.contains(inner.box) || std::abs(patch.volume) <= std::abs(inner.volume)) return false;
  // Most of the extreme points: a pouch may hang from the outer surface by its rim.
  int inside = 0;
  for (const Index v : inner.extreme) {
    if (std::abs(tree_of(outer).estimate(position(s_.points[v])).value) > 0.5) ++inside;
  }
  return inside >= 4;
}

/// The smallest judged patch that holds this one.
Index Orienter::container_of(const Patch& patch, const std::vector<Index>& candidates) {
  for (const Index c : candidates) {
    if (&patches_[c] != &patch && holds(c, patch)) return c;
  }
  return kNone;
}

void Orienter::judge_nesting() {
  std::vector<Index> judged;
  bool any_inward = false;
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    if (!patches_[i].judged) continue;
    judged.push_back(static_cast<Index>(i));
    any_inward = any_inward || patches_[i].looks_inward();
  }
  if (!any_inward) return;
  trees_.resize(patches_.size());
  std::sort(judged.begin(), judged.end(), [&](Index a, Index b) {
    const double va = std::abs(patches_[a].volume);
    const double vb = std::abs(patches_[b].volume);
    return va != vb ? va < vb : patches_[a].extreme < patches_[b].extreme;
  });
  // From the largest down: a container is settled before what it holds.
  for (auto i = judged.rbegin(); i != judged.rend(); ++i) {
    Patch& patch = patches_[*i];
    const Index container = container_of(patch, judged);
    if (container == kNone) {
      patch.turn = patch.looks_inward() ? -1 : 1;
    } else {
      patch.turn = patches_[container].turn;
    }
  }
}

void Orienter::follow_the_closed() {
  double turned = 0;
  double kept = 0;
  for (const Patch& patch : patches_) {
    if (patch.judged) (patch.turn < 0 ? turned : kept) += patch.area;
  }
  if (turned <= kept) return;
  for (Patch& patch : patches_) {
    if (!patch.judged) patch.turn = -1;
  }
}

Orientation Orienter::apply(Problems& problems) {
  Orientation result;
  ProblemCollector inward;
  ProblemCollector hollow;
  std::vector<Index> turned_over;
  for (const Patch& patch : patches_) {
    Index lowest = std::numeric_limits<Index>::max();
    for (const Index t : patch.triangles) {
      LatticeTriangle& triangle = s_.triangles[t];
      // A face of one side more or less than its neighbours, whichever way the patch as a whole goes.
      if (triangle.sign != given_[t] && !triangle.two_sided) turned_over.push_back(triangle.face);
      triangle.sign = patch.turn * triangle.sign;
      if (triangle.sign != given_[t]) ++result.flipped_triangles;
      if (triangle.two_sided && !patch.judged) triangle.sign = 0;
      lowest = std::min(lowest, triangle.face);
    }
    if (patch.turn < 0) {
      ++result.flipped_components;
      inward.add(lowest);
    }
    if (patch.judged && patch.turn * patch.volume < 0) {
      ++result.cavities;
      hollow.add(lowest);
    }
  }
  std::sort(turned_over.begin(), turned_over.end());
  turned_over.erase(std::unique(turned_over.begin(), turned_over.end()), turned_over.end());
  ProblemCollector faces;
  for (const Index face : turned_over) faces.add(face);
  faces.report(problems, Severity::warning, "faces-turned-over",
               "{} face{|s} look{s|} the other way than {its|their} neighbours; {it was|they were} turned over to find "
               "the inside");
  inward.report(problems, Severity::warning, "component-inside-out",
                "{} component{|s} {is|are} inside out; {it was|they were} turned over to find the inside (each by its "
                "first face)");
  hollow.report(problems, Severity::note, "component-cavity",
                "{} closed component{|s} lie{s|} inside another and look{s|} the other way than it; {it is|they are} "
                "taken for {a hollow|hollows} "
                "(each by its first face)");
  return result;
}

Orientation Orienter::run(Problems& problems) {
  collect_patches();
  judge_nesting();
  follow_the_closed();
  return apply(problems);
}

}  // namespace

Orientation orient(LatticeSurface& surface, Problems& problems) { return Orienter(surface).run(problems); }

}  // namespace isochor::voxel
