#include "volume/contact_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace isochor::volume {
namespace {

using Block = SearchBuffers::Block;
using Lanes = SearchBuffers::Lanes;

constexpr std::size_t kBlock = ContactSearch::kBlock;
constexpr float kNothing = std::numeric_limits<float>::infinity();
/// Boxes are larger than what they hold by this share of the farthest coordinate of all: more than those of
/// FaceHierarchy.
constexpr double kSearchRounding = 3e-7;
/// Coordinates of normals are known to within this; those of a triangle whose height is less than this share of its
/// length, not at all.
constexpr float kNormalRounding = 1e-5F;
constexpr double kNoHeight = 1e-8;

/// Halves by the median along the longest side, whole blocks each; ties by index.
Index build_blocks(Index begin, Index end, std::span<const Vec3> middles, std::vector<Index>& order,
                   std::vector<ContactSearch::Node>& nodes) {
  constexpr auto kFaces = static_cast<Index>(kBlock);
  const auto node = static_cast<Index>(nodes.size());
  const Index blocks = (end - begin + kFaces - 1) / kFaces;
  nodes.push_back({.begin = begin / kFaces, .end = begin / kFaces + blocks});
  if (blocks <= 1) return node;
  Box box;
  for (Index k = begin; k < end; ++k) box.extend(middles[order[k]]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const Index middle = begin + blocks / 2 * kFaces;
  std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                   [&](Index f, Index g) { return std::pair(middles[f][axis], f) < std::pair(middles[g][axis], g); });
  const Index left = build_blocks(begin, middle, middles, order, nodes);
  const Index right = build_blocks(middle, end, middles, order, nodes);
  nodes[node].left = left;
  nodes[node].right = right;
  return node;
}

void extend(SearchBounds& by, const SearchBounds& with) {
  by.low = by.low.min(with.low);
  by.high = by.high.max(with.high);
}

/// Bit j: a[j] <= b[j], of four.
unsigned four_at_most(const float* a, const float* b) {
#ifdef __SSE2__
  // Compilers make no such bits of a loop.
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(_mm_loadu_ps(a), _mm_loadu_ps(b))));
#else
  unsigned bits = 0;
  for (unsigned j = 0; j < 4; ++j) bits |= static_cast<unsigned>(a[j] <= b[j]) << j;
  return bits;
#endif
}
std::uint64_t at_most(const Lanes& a, const Lanes& b) {
  return four_at_most(a.data(), b.data()) | four_at_most(a.data() + 4, b.data() + 4) << 4;
}

bool overlap(const SearchBounds& a, const SearchBounds& b) {
  return (four_at_most(a.low.data(), b.high.data()) & four_at_most(b.low.data(), a.high.data())) == 0xf;
}

Eigen::Array4f middle_of(const SearchBounds& bounds) { return 0.5F * (bounds.low + bounds.high); }
Eigen::Array4f spread_of(const SearchBounds& bounds) { return 0.500001F * (bounds.high - bounds.low); }

/// Whether normals of two nodes may look against each other: the least that their product may be is below 0.
bool may_oppose(const SearchBuffers::NodeBounds& a, const SearchBuffers::NodeBounds& b) {
  const Eigen::Array4f least =
      a.normal * b.normal - (a.normal.abs() + a.normal_spread) * b.normal_spread - a.normal_spread * b.normal.abs();
  return least.sum() < 0;
}

double farthest_coordinate(std::span<const Vec3> positions) {
  const auto count = static_cast<Eigen::Index>(3 * positions.size());
  return count > 0 ? Eigen::Map<const Eigen::ArrayXd>(positions.front().data(), count).abs().maxCoeff() : 0;
}

void bound_vertices(const SearchInput& in, SearchBuffers& buffers) {
  const double far = std::max(farthest_coordinate(in.posed), farthest_coordinate(in.corrected));
  const auto around = static_cast<float>(kSearchRounding * far) + std::numeric_limits<float>::min();
  double farthest = 0;
  buffers.vertices.resize(in.posed.size());
  for (std::size_t v = 0; v < in.posed.size(); ++v) {
    const Vec3 &p = in.posed[v], &q = in.corrected[v];
    SearchBounds& bounds = buffers.vertices[v];
    for (Index k = 0; k < 3; ++k) {
      const auto at = static_cast<float>(p[k]), to = static_cast<float>(q[k]);
      bounds.low[k] = std::min(at, to) - around;
      bounds.high[k] = std::max(at, to) + around;
    }
    bounds.low[3] = 0;
    bounds.high[3] = p != q ? 1 : 0;
    farthest = std::max(farthest, (q - p).squaredNorm());
  }
  buffers.farthest = std::sqrt(farthest);
}

void find_stirring(const ContactSearch& search, FaceHierarchy::Which which, SearchBuffers& buffers) {
  const std::size_t leaves = search.leaf_begin.size() - 1;
  buffers.leaf_stirs.assign(leaves, which == FaceHierarchy::Which::all ? 1 : 0);
  if (which == FaceHierarchy::Which::all) return;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    float most = 0;
    for (Index k = search.leaf_begin[leaf]; k < search.leaf_begin[leaf + 1]; ++k) {
      most = std::max(most, buffers.vertices[search.leaf_vertices[k]].high[3]);
    }
    buffers.leaf_stirs[leaf] = most > 0 ? 1 : 0;
  }
}

/// Bounds of the normals of a face's triangles, outward.
void bound_normals(const ContactSearch& search, const SearchInput& in, Index f, Block& block, std::size_t lane) {
  std::array<float, 3> low{kNothing, kNothing, kNothing}, high{-kNothing, -kNothing, -kNothing};
  const double side = in.side[search.component[f]];
  for (const Index t : search.triangles_of(f)) {
    const auto& [a, b, c] = search.triangle_corners[t];
    const Vec3 u = in.posed[b] - in.posed[a], v = in.posed[c] - in.posed[a];
    const Vec3 normal = u.cross(v);
    const double squared = normal.squaredNorm();
    const bool known = squared > kNoHeight * kNoHeight * u.squaredNorm() * v.squaredNorm();
    const double scale = known ? side / std::sqrt(squared) : 0;
    const float around = side == 0 ? 0 : known ? kNormalRounding : 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = static_cast<float>(scale * normal[static_cast<Index>(k)]);
      low[k] = std::min(low[k], x - around);
      high[k] = std::max(high[k], x + around);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    block.normal[k][lane] = 0.5F * (low[k] + high[k]);
    block.normal_spread[k][lane] = 0.500001F * (high[k] - low[k]);
  }
}

void clear_lane(Block& block, std::size_t lane) {
  for (std::size_t k = 0; k < 3; ++k) {
    block.low[k][lane] = kNothing;
    block.high[k][lane] = -kNothing;
    block.normal[k][lane] = block.normal_spread[k][lane] = 0;
  }
  block.around[lane] = 0;
}

void fill_lane(const ContactSearch& search, const SearchInput& in, const SearchBuffers& buffers, Index f, Block& block,
               std::size_t lane) {
  const auto corners = search.corners_of(f);
  SearchBounds box = buffers.vertices[corners[0]];
  for (const Index v : corners.subspan(1)) extend(box, buffers.vertices[v]);
  float squares = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    block.low[k][lane] = box.low[k];
    block.high[k][lane] = box.high[k];
    squares += (box.high[k] - box.low[k]) * (box.high[k] - box.low[k]);
  }
  block.around[lane] = static_cast<float>(kGrownBoxes * 1.0001) * std::sqrt(squares);
  bool stirs = false;
  for (const Index t : search.triangles_of(f)) stirs = stirs || buffers.leaf_stirs[search.leaf_of[t]] != 0;
  block.stirring |= std::uint64_t{stirs} << lane;
  if (!in.side.empty()) bound_normals(search, in, f, block, lane);
}

void fill_block(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers, Index number,
                SearchBuffers::NodeBounds& bounds) {
  Block& block = buffers.blocks[number];
  block.stirring = 0;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const std::size_t f = kBlock * static_cast<std::size_t>(number) + lane;
    if (f < search.face_count()) {
      fill_lane(search, in, buffers, static_cast<Index>(f), block, lane);
    } else {
      clear_lane(block, lane);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    bounds.box.low[k] = block.low[k].minCoeff();
    bounds.box.high[k] = block.high[k].maxCoeff();
    bounds.grown.low[k] = (block.low[k] - block.around).minCoeff();
    bounds.grown.high[k] = (block.high[k] + block.around).maxCoeff();
    if (in.side.empty()) continue;
    bounds.normals.low[k] = (block.normal[k] - block.normal_spread[k]).minCoeff();
    bounds.normals.high[k] = (block.normal[k] + block.normal_spread[k]).maxCoeff();
  }
  const float stirs = block.stirring != 0 ? 1 : 0;
  bounds.box.low[3] = bounds.grown.low[3] = bounds.normals.low[3] = bounds.normals.high[3] = 0;
  bounds.box.high[3] = bounds.grown.high[3] = stirs;
}

void refit(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  bound_vertices(in, buffers);
  find_stirring(search, in.which, buffers);
  buffers.blocks.resize(search.block_count());
  buffers.nodes.resize(search.nodes.size());
  for (std::size_t n = search.nodes.size(); n-- > 0;) {
    const ContactSearch::Node& node = search.nodes[n];
    SearchBuffers::NodeBounds& bounds = buffers.nodes[n];
    if (node.left == kNone) {
      fill_block(search, in, buffers, node.begin, bounds);
    } else {
      bounds = buffers.nodes[node.left];
      const SearchBuffers::NodeBounds& right = buffers.nodes[node.right];
      extend(bounds.box, right.box);
      extend(bounds.grown, right.grown);
      if (!in.side.empty()) extend(bounds.normals, right.normals);
    }
    if (in.side.empty()) continue;
    bounds.normal = middle_of(bounds.normals);
    bounds.normal_spread = spread_of(bounds.normals);
  }
}

/// One box, to be compared with those of a block.
struct Lone {
  std::array<float, 3> low, high, normal, normal_spread;
  float around = 0;
};
Lone lone_face(const Block& block, std::size_t i) {
  Lone face{.around = block.around[i]};
  for (std::size_t k = 0; k < 3; ++k) {
    face.low[k] = block.low[k][i];
    face.high[k] = block.high[k][i];
    face.normal[k] = block.normal[k][i];
    face.normal_spread[k] = block.normal_spread[k][i];
  }
  return face;
}
Lone lone_node(const SearchBounds& box, const SearchBuffers::NodeBounds& bounds) {
  Lone node{};
  for (std::size_t k = 0; k < 3; ++k) {
    node.low[k] = box.low[k];
    node.high[k] = box.high[k];
    node.normal[k] = bounds.normal[k];
    node.normal_spread[k] = bounds.normal_spread[k];
  }
  return node;
}

/// How far a block's faces lie from a box, along the axis where they are farthest apart; 0 or less: they overlap.
Lanes gaps(const Lone& to, const Block& from) {
  Lanes gap = (from.low[0] - to.high[0]).max(to.low[0] - from.high[0]);
  for (std::size_t k = 1; k < 3; ++k) gap = gap.max(from.low[k] - to.high[k]).max(to.low[k] - from.high[k]);
  return gap;
}

/// Bits of a block's faces that may look against something.
std::uint64_t opposing(const Lone& to, const Block& from) {
  Lanes least = Lanes::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    const float most = std::abs(to.normal[k]) + to.normal_spread[k];
    least += to.normal[k] * from.normal[k] - most * from.normal_spread[k] - to.normal_spread[k] * from.normal[k].abs();
  }
  return ~at_most(Lanes::Zero(), least);
}

std::uint64_t within_reach(const Lone& to, const Block& from, const Lanes& gap) {
  return at_most(gap, from.around + to.around);
}

/// Calls visit(m, n, facing) for nodes of two blocks, the first not the higher one, whose faces may cross or, if
/// `faces`, look against each other; `facing` says whether they may do that.
template <class Visit>
void for_block_pairs(const ContactSearch& search, const SearchBuffers& buffers, bool faces, const Visit& visit) {
  if (search.nodes.empty()) return;
  // As in FaceHierarchy: each level leaves three pairs.
  std::array<std::pair<Index, Index>, 256> stack;
  std::size_t top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const auto [i, j] = stack[--top];
    const ContactSearch::Node &a = search.nodes[i], &b = search.nodes[j];
    const SearchBuffers::NodeBounds &own = buffers.nodes[i], &other = buffers.nodes[j];
    if (!(own.box.high[3] + other.box.high[3] > 0)) continue;
    if (i == j) {
      if (a.left == kNone) {
        visit(i, i, faces && may_oppose(own, own));
        continue;
      }
      stack[top++] = {a.left, a.left};
      stack[top++] = {a.right, a.right};
      stack[top++] = {a.left, a.right};
      continue;
    }
    const bool meet = overlap(own.box, other.box);
    if (!meet && !(faces && overlap(own.grown, other.grown) && may_oppose(own, other))) continue;
    if (a.left == kNone && b.left == kNone) {
      const bool facing = faces && (!meet || may_oppose(own, other));
      visit(a.begin < b.begin ? i : j, a.begin < b.begin ? j : i, facing);
    } else if (b.left == kNone || (a.left != kNone && a.end - a.begin >= b.end - b.begin)) {
      stack[top++] = {a.left, j};
      stack[top++] = {a.right, j};
    } else {
      stack[top++] = {i, b.left};
      stack[top++] = {i, b.right};
    }
  }
}

void add_pairs(std::uint64_t bits, std::size_t f, std::size_t first_other, std::vector<SearchBuffers::Pair>& out) {
  for (; bits != 0; bits &= bits - 1) {
    out.push_back({static_cast<Index>(f), static_cast<Index>(first_other + std::countr_zero(bits))});
  }
}

/// Looks at the faces of two blocks, of nodes m and n.
void meet(const ContactSearch& search, Index m, Index n, bool facing, SearchBuffers& buffers) {
  const Index first = search.nodes[m].begin, second = search.nodes[n].begin;
  const Block &a = buffers.blocks[first], &b = buffers.blocks[second];
  const SearchBuffers::NodeBounds& all = buffers.nodes[n];
  const ContactSearch::NearBlock known = search.known(first, second);
  facing = facing && known.facing != 0;
  const std::size_t begin = kBlock * static_cast<std::size_t>(first), other = kBlock * static_cast<std::size_t>(second);
  const std::uint64_t stirring = b.stirring != 0 ? 0xff : a.stirring;
  // Which faces of the first block have anything to do with the second as a whole.
  const std::uint64_t crossing = at_most(gaps(lone_node(all.box, all), a), Lanes::Zero()) & stirring;
  std::uint64_t opposed = 0;
  if (facing) {
    const Lone grown = lone_node(all.grown, all);
    opposed = within_reach(grown, a, gaps(grown, a)) & stirring;
    if (opposed != 0) opposed &= opposing(grown, a);
  }
  for (std::uint64_t rows = crossing | opposed; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    const std::uint64_t moving = ((a.stirring >> i) & 1) != 0 ? 0xff : b.stirring;
    const std::uint64_t apart = (known.apart >> (kBlock * i)) & moving;
    if (apart == 0) continue;
    const Lone face = lone_face(a, i);
    const Lanes gap = gaps(face, b);
    add_pairs(at_most(gap, Lanes::Zero()) & apart, begin + i, other, buffers.crossing);
    if (((opposed >> i) & 1) == 0) continue;
    const std::uint64_t open = (known.facing >> (kBlock * i)) & moving & within_reach(face, b, gap);
    if (open != 0) add_pairs(opposing(face, b) & open, begin + i, other, buffers.facing);
  }
}

bool have_common_vertex(std::span<const Index> a, std::span<const Index> b) {
  return std::any_of(a.begin(), a.end(), [&](Index v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

/// What is known of two blocks that are near each other at rest.
ContactSearch::NearBlock look_at_rest(const ContactSearch& search, Index first, Index second,
                                      const std::function<bool(const TrianglePair&)>& settled) {
  const auto count = static_cast<Index>(search.face_count());
  const auto all_settled = [&](Index f, Index g) {
    for (const Index s : search.triangles_of(f)) {
      for (const Index t : search.triangles_of(g)) {
        if (!settled({std::min(s, t), std::max(s, t)})) return false;
      }
    }
    return true;
  };
  ContactSearch::NearBlock near{.second = second, .apart = 0, .facing = 0};
  for (std::size_t bit = 0; bit < kBlock * kBlock; ++bit) {
    const Index f = first * static_cast<Index>(kBlock) + static_cast<Index>(bit / kBlock);
    const Index g = second * static_cast<Index>(kBlock) + static_cast<Index>(bit % kBlock);
    if (f >= count || g >= count || f >= g) continue;
    if (have_common_vertex(search.corners_of(f), search.corners_of(g))) continue;
    near.apart |= std::uint64_t{1} << bit;
    if (!all_settled(f, g)) near.facing |= std::uint64_t{1} << bit;
  }
  return near;
}

}  // namespace

ContactSearch::ContactSearch(const Surface& surface, std::span<const Index> component_of_vertex,
                             const FaceHierarchy& hierarchy, const std::function<bool(const TrianglePair&)>& settled) {
  const std::size_t count = surface.face_count();
  std::vector<Vec3> middles(count, Vec3::Zero());
  for (std::size_t f = 0; f < count; ++f) {
    for (const Index v : surface.face(f)) middles[f] += surface.positions[v];
    middles[f] /= static_cast<double>(surface.face(f).size());
  }
  std::vector<Index> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (count > 0) build_blocks(0, static_cast<Index>(count), middles, order, nodes);
  std::vector<std::vector<Index>> of_face(count);
  for (Index t = 0; t < static_cast<Index>(hierarchy.triangle_count()); ++t) {
    of_face[hierarchy.face_of(t)].push_back(t);
    triangle_corners.push_back(hierarchy.triangle(t));
  }
  corner_begin.assign(1, 0);
  triangle_begin.assign(1, 0);
  for (const Index f : order) {
    const auto ring = surface.face(static_cast<std::size_t>(f));
    corners.insert(corners.end(), ring.begin(), ring.end());
    corner_begin.push_back(static_cast<Index>(corners.size()));
    triangles.insert(triangles.end(), of_face[f].begin(), of_face[f].end());
    triangle_begin.push_back(static_cast<Index>(triangles.size()));
    component.push_back(component_of_vertex[ring[0]]);
  }
  const std::vector<Index> leaves = hierarchy.leaves();
  leaf_begin.assign(1, 0);
  for (std::size_t leaf = 0; leaf + 1 < leaves.size(); ++leaf) {
    std::set<Index> vertices;
    for (Index t = leaves[leaf]; t < leaves[leaf + 1]; ++t) {
      leaf_of.push_back(static_cast<Index>(leaf));
      vertices.insert(hierarchy.triangle(t).begin(), hierarchy.triangle(t).end());
    }
    leaf_vertices.insert(leaf_vertices.end(), vertices.begin(), vertices.end());
    leaf_begin.push_back(static_cast<Index>(leaf_vertices.size()));
  }
  SearchBuffers at_rest;
  const SearchInput still{surface.positions, surface.positions, {}, FaceHierarchy::Which::all};
  refit(*this, still, at_rest);
  for (SearchBuffers::NodeBounds& bounds : at_rest.nodes) bounds.box = bounds.grown;
  std::vector<std::pair<Index, Index>> pairs;
  for_block_pairs(*this, at_rest, false,
                  [&](Index m, Index n, bool) { pairs.emplace_back(nodes[m].begin, nodes[n].begin); });
  std::sort(pairs.begin(), pairs.end());
  near_begin.assign(1, 0);
  std::size_t next = 0;
  for (std::size_t block = 0; block < block_count(); ++block) {
    for (; next < pairs.size() && static_cast<std::size_t>(pairs[next].first) == block; ++next) {
      near.push_back(look_at_rest(*this, pairs[next].first, pairs[next].second, settled));
    }
    near_begin.push_back(static_cast<Index>(near.size()));
  }
}

ContactSearch::NearBlock ContactSearch::known(Index first, Index second) const {
  for (Index k = near_begin[first]; k < near_begin[first + 1]; ++k) {
    if (near[k].second == second) return near[k];
  }
  return {.second = second};
}

void search_contacts(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  buffers.crossing.clear();
  buffers.facing.clear();
  refit(search, in, buffers);
  for_block_pairs(search, buffers, !in.side.empty(),
                  [&](Index first, Index second, bool facing) { meet(search, first, second, facing, buffers); });
}

// Nearest points of two triangles that are in the way of each other differ by a vector v that is short, or points
// backwards: it lies within `reach` of the ray -λ (n - m), λ >= 0, where n and m are their normals. Where no such ray
// comes that near to the box that holds all differences of the two faces, none is.
bool surely_out_of_the_way(const SearchBuffers& buffers, const SearchBuffers::Pair& pair, double reach) {
  constexpr float kMargin = 1e-6F;
  const auto lone = [&](Index f) {
    return lone_face(buffers.blocks[static_cast<std::size_t>(f) / kBlock], static_cast<std::size_t>(f) % kBlock);
  };
  const Lone from = lone(pair.f), to = lone(pair.g);
  const auto around = static_cast<float>(reach);
  float low = 0, high = kNothing;  // of λ
  for (std::size_t k = 0; k < 3; ++k) {
    const float least = to.low[k] - from.high[k] - around, most = to.high[k] - from.low[k] + around;
    const float ray = to.normal[k] - from.normal[k];
    const float spread = to.normal_spread[k] + from.normal_spread[k] + kMargin;
    const float fast = ray + spread, slow = ray - spread;  // λ fast >= least and λ slow <= most
    if (fast > 0) low = std::max(low, least / fast);
    if (fast <= 0) high = std::min(high, fast < 0 ? least / fast : (least > 0 ? 0 : kNothing));
    if (slow > 0) high = std::min(high, most / slow);
    if (slow <= 0) low = std::max(low, slow < 0 ? most / slow : (most < 0 ? kNothing : 0));
  }
  return low > high + kMargin * std::abs(high);
}

double farthest_way(const ContactSearch& search, const SearchBuffers& buffers, Index f) {
  float most = 0;
  for (const Index v : search.corners_of(f)) {
    const SearchBounds& bounds = buffers.vertices[v];
    most = std::max(most, (bounds.high - bounds.low).head<3>().matrix().squaredNorm());
  }
  return std::sqrt(most);
}

bool boxes_meet(const ContactSearch& search, const SearchBuffers& buffers, Index s, Index t) {
  const auto box = [&](Index of) {
    const auto& [a, b, c] = search.triangle_corners[of];
    SearchBounds bounds = buffers.vertices[a];
    extend(bounds, buffers.vertices[b]);
    extend(bounds, buffers.vertices[c]);
    return bounds;
  };
  return overlap(box(s), box(t));
}

}  // namespace isochor::volume
