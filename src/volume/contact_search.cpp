#include "volume/contact_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace isochor::volume {
namespace {

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
  for (std::size_t k = 0; k < 4; ++k) {
    by.low[k] = std::min(by.low[k], with.low[k]);
    by.high[k] = std::max(by.high[k], with.high[k]);
  }
}

bool overlap(const SearchBounds& a, const SearchBounds& b) {
  int beside = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    beside |= static_cast<int>(!(a.low[k] <= b.high[k])) | static_cast<int>(!(b.low[k] <= a.high[k]));
  }
  return beside == 0;
}

/// The least that the product of two numbers may be.
float least_product(float low, float high, float other_low, float other_high) {
  return std::min(std::min(low * other_low, low * other_high), std::min(high * other_low, high * other_high));
}

/// Whether two normals within these bounds may look against each other.
bool may_oppose(const SearchBounds& a, const SearchBounds& b) {
  float least = 0;
  for (std::size_t k = 0; k < 3; ++k) least += least_product(a.low[k], a.high[k], b.low[k], b.high[k]);
  return least < 0;
}

float middle_of(const SearchBounds& bounds, std::size_t k) { return 0.5F * (bounds.low[k] + bounds.high[k]); }
float spread_of(const SearchBounds& bounds, std::size_t k) { return 0.500001F * (bounds.high[k] - bounds.low[k]); }

double farthest_coordinate(std::span<const Vec3> positions) {
  const auto count = static_cast<Eigen::Index>(3 * positions.size());
  return count > 0 ? Eigen::Map<const Eigen::ArrayXd>(positions.front().data(), count).abs().maxCoeff() : 0;
}

void bound_vertices(const SearchInput& in, SearchBuffers& buffers) {
  const double far = std::max(farthest_coordinate(in.posed), farthest_coordinate(in.corrected));
  const auto around = static_cast<float>(kSearchRounding * far) + std::numeric_limits<float>::min();
  buffers.vertices.resize(in.posed.size());
  for (std::size_t v = 0; v < in.posed.size(); ++v) {
    const Vec3 &p = in.posed[v], &q = in.corrected[v];
    SearchBounds& bounds = buffers.vertices[v];
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = static_cast<float>(p[static_cast<Index>(k)]), to = static_cast<float>(q[static_cast<Index>(k)]);
      bounds.low[k] = std::min(at, to) - around;
      bounds.high[k] = std::max(at, to) + around;
    }
    bounds.low[3] = 0;
    bounds.high[3] = p != q ? 1 : 0;
  }
}

void find_stirring(const ContactSearch& search, FaceHierarchy::Which which, SearchBuffers& buffers) {
  const std::size_t leaves = search.leaf_begin.size() - 1;
  buffers.leaf_stirs.assign(leaves, which == FaceHierarchy::Which::all ? 1 : 0);
  if (which == FaceHierarchy::Which::all) return;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    float most = 0;
    for (Index t = search.leaf_begin[leaf]; t < search.leaf_begin[leaf + 1]; ++t) {
      for (const Index v : search.triangle_corners[t]) most = std::max(most, buffers.vertices[v].high[3]);
    }
    buffers.leaf_stirs[leaf] = most > 0 ? 1 : 0;
  }
}

/// Bounds of the normals of a face's triangles, outward.
SearchBounds bound_normals(const ContactSearch& search, const SearchInput& in, Index f) {
  SearchBounds bounds{{kNothing, kNothing, kNothing, 0}, {-kNothing, -kNothing, -kNothing, 0}};
  const double side = in.side[search.component[f]];
  for (const Index t : search.triangles_of(f)) {
    const auto& [a, b, c] = search.triangle_corners[t];
    const Vec3 u = in.posed[b] - in.posed[a], v = in.posed[c] - in.posed[a];
    const Vec3 normal = side * u.cross(v);
    const double largest = normal.cwiseAbs().maxCoeff();
    const double lengths = u.cwiseAbs().maxCoeff() * v.cwiseAbs().maxCoeff();
    const bool known = largest > kNoHeight * lengths;
    const double scale = known ? 1 / largest : 0;
    const float around = side == 0 ? 0 : known ? kNormalRounding : 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto x = static_cast<float>(scale * normal[static_cast<Index>(k)]);
      bounds.low[k] = std::min(bounds.low[k], x - around);
      bounds.high[k] = std::max(bounds.high[k], x + around);
    }
  }
  return bounds;
}

void clear_lane(SearchBuffers::Block& block, std::size_t lane) {
  for (std::size_t k = 0; k < 3; ++k) {
    block.low[k][lane] = kNothing;
    block.high[k][lane] = -kNothing;
    block.normal[k][lane] = block.normal_spread[k][lane] = 0;
  }
  block.around[lane] = 0;
}

/// A face's lane of its block; what it takes of a node is added to `bounds`.
void fill_lane(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers, Index f,
               SearchBuffers::NodeBounds& bounds) {
  const std::size_t lane = static_cast<std::size_t>(f) % kBlock;
  SearchBuffers::Block& block = buffers.blocks[static_cast<std::size_t>(f) / kBlock];
  const auto corners = search.corners_of(f);
  SearchBounds box = buffers.vertices[corners[0]];
  for (const Index v : corners.subspan(1)) extend(box, buffers.vertices[v]);
  float squares = 0;
  for (std::size_t k = 0; k < 3; ++k) squares += (box.high[k] - box.low[k]) * (box.high[k] - box.low[k]);
  const float around = static_cast<float>(kGrownBoxes * 1.0001) * std::sqrt(squares);
  bool stirs = false;
  for (const Index t : search.triangles_of(f)) stirs = stirs || buffers.leaf_stirs[search.leaf_of[t]] != 0;
  box.high[3] = stirs ? 1 : 0;
  block.stirring |= std::uint64_t{stirs} << lane;
  block.around[lane] = around;
  SearchBounds grown = box;
  for (std::size_t k = 0; k < 3; ++k) {
    block.low[k][lane] = box.low[k];
    block.high[k][lane] = box.high[k];
    grown.low[k] -= around;
    grown.high[k] += around;
  }
  extend(bounds.box, box);
  extend(bounds.grown, grown);
  if (in.side.empty()) return;
  const SearchBounds normals = bound_normals(search, in, f);
  for (std::size_t k = 0; k < 3; ++k) {
    block.normal[k][lane] = middle_of(normals, k);
    block.normal_spread[k][lane] = spread_of(normals, k);
  }
  extend(bounds.normals, normals);
}

void refit(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  constexpr SearchBounds kEmpty{{kNothing, kNothing, kNothing, 0}, {-kNothing, -kNothing, -kNothing, 0}};
  bound_vertices(in, buffers);
  find_stirring(search, in.which, buffers);
  buffers.blocks.resize(search.block_count());
  buffers.nodes.resize(search.nodes.size());
  for (std::size_t n = search.nodes.size(); n-- > 0;) {
    const ContactSearch::Node& node = search.nodes[n];
    SearchBuffers::NodeBounds& bounds = buffers.nodes[n];
    if (node.left != kNone) {
      bounds = buffers.nodes[node.left];
      const SearchBuffers::NodeBounds& right = buffers.nodes[node.right];
      extend(bounds.box, right.box);
      extend(bounds.grown, right.grown);
      extend(bounds.normals, right.normals);
      continue;
    }
    bounds = {kEmpty, kEmpty, kEmpty};
    const std::size_t first = kBlock * static_cast<std::size_t>(node.begin);
    buffers.blocks[node.begin].stirring = 0;
    for (std::size_t lane = 0; lane < kBlock; ++lane) {
      if (first + lane < search.face_count()) {
        fill_lane(search, in, buffers, static_cast<Index>(first + lane), bounds);
      } else {
        clear_lane(buffers.blocks[node.begin], lane);
      }
    }
  }
}

using Block = SearchBuffers::Block;
using Lanes = SearchBuffers::Lanes;

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
Lone lone_node(const SearchBounds& box, const SearchBounds& normals) {
  Lone node{};
  for (std::size_t k = 0; k < 3; ++k) {
    node.low[k] = box.low[k];
    node.high[k] = box.high[k];
    node.normal[k] = middle_of(normals, k);
    node.normal_spread[k] = spread_of(normals, k);
  }
  return node;
}

/// Bit j: a[j] <= b[j].
std::uint64_t at_most(const Lanes& a, const Lanes& b) {
#ifdef __SSE2__
  // Compilers make no such bits of a loop.
  const auto four = [&](const float* x, const float* y) {
    return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(_mm_loadu_ps(x), _mm_loadu_ps(y))));
  };
  return four(a.data(), b.data()) | four(a.data() + 4, b.data() + 4) << 4;
#else
  unsigned bits = 0;
  for (Index j = 0; j < a.size(); ++j) bits |= static_cast<unsigned>(a[j] <= b[j]) << j;
  return bits;
#endif
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
        visit(i, i, faces && may_oppose(own.normals, own.normals));
        continue;
      }
      stack[top++] = {a.left, a.left};
      stack[top++] = {a.right, a.right};
      stack[top++] = {a.left, a.right};
      continue;
    }
    const bool meet = overlap(own.box, other.box);
    if (!meet && !(faces && overlap(own.grown, other.grown) && may_oppose(own.normals, other.normals))) continue;
    if (a.left == kNone && b.left == kNone) {
      const bool facing = faces && (!meet || may_oppose(own.normals, other.normals));
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
  std::uint64_t rows = at_most(gaps(lone_node(all.box, all.normals), a), Lanes::Zero());
  if (facing) {
    const Lone grown = lone_node(all.grown, all.normals);
    rows |= within_reach(grown, a, gaps(grown, a)) & opposing(grown, a);
  }
  for (rows &= stirring; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    const std::uint64_t moving = ((a.stirring >> i) & 1) != 0 ? 0xff : b.stirring;
    const std::uint64_t apart = (known.apart >> (kBlock * i)) & moving;
    if (apart == 0) continue;
    const Lone face = lone_face(a, i);
    const Lanes gap = gaps(face, b);
    add_pairs(at_most(gap, Lanes::Zero()) & apart, begin + i, other, buffers.crossing);
    const std::uint64_t open = facing ? (known.facing >> (kBlock * i)) & moving & within_reach(face, b, gap) : 0;
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
  leaf_begin = hierarchy.leaves();
  for (std::size_t leaf = 0; leaf + 1 < leaf_begin.size(); ++leaf) {
    leaf_of.insert(leaf_of.end(), static_cast<std::size_t>(leaf_begin[leaf + 1] - leaf_begin[leaf]),
                   static_cast<Index>(leaf));
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

double farthest_way(const ContactSearch& search, const SearchBuffers& buffers, Index f) {
  float most = 0;
  for (const Index v : search.corners_of(f)) {
    const SearchBounds& bounds = buffers.vertices[v];
    float squares = 0;
    for (std::size_t k = 0; k < 3; ++k) squares += (bounds.high[k] - bounds.low[k]) * (bounds.high[k] - bounds.low[k]);
    most = std::max(most, squares);
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
