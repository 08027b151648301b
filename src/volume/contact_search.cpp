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
/// Coordinates of normals are known to within this, and a share of the lengths of two edges over that of their product:
/// thin triangles are rounded more. A product that is shorter than kLeast says nothing.
constexpr float kNormalRounding = 1e-5F, kProductRounding = 2e-6F, kLeast = 1e-15F;
/// The middle of a box of vectors of length 1 is no longer than 1.061: spreads of normals are taken by so much larger.
constexpr float kMiddle = 1.07F;
/// Of a way, so that rounding does not make it shorter.
constexpr float kLonger = 1.00001F;
/// Nothing is said of the normals of shapes that are smaller than this.
constexpr double kSmallest = 1e-25;

/// Halves by the median along the longest side, ties by index. Whole blocks each, and whole blocks of blocks above
/// them, so that a block holds what lies together on every level.
void sort_into_blocks(std::size_t begin, std::size_t end, std::span<const Vec3> middles, std::vector<Index>& order) {
  if (end - begin <= kBlock) return;
  std::size_t unit = kBlock;
  while (unit * kBlock < end - begin) unit *= kBlock;
  Box box;
  for (std::size_t k = begin; k < end; ++k) box.extend(middles[order[k]]);
  int axis = 0;
  box.sizes().maxCoeff(&axis);
  const std::size_t middle = begin + (end - begin + unit - 1) / unit / 2 * unit;
  const auto at = [&](std::size_t k) { return order.begin() + static_cast<std::ptrdiff_t>(k); };
  std::nth_element(at(begin), at(middle), at(end),
                   [&](Index f, Index g) { return std::pair(middles[f][axis], f) < std::pair(middles[g][axis], g); });
  sort_into_blocks(begin, middle, middles, order);
  sort_into_blocks(middle, end, middles, order);
}

[[gnu::always_inline]] inline void extend(SearchBounds& by, const SearchBounds& with) {
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

double farthest_coordinate(std::span<const Vec3> positions) {
  const auto count = static_cast<Eigen::Index>(3 * positions.size());
  return count > 0 ? Eigen::Map<const Eigen::ArrayXd>(positions.front().data(), count).abs().maxCoeff() : 0;
}

void bound_vertices(const SearchInput& in, SearchBuffers& buffers) {
  const double far = std::max(farthest_coordinate(in.posed), farthest_coordinate(in.corrected));
  const auto around = static_cast<float>(kSearchRounding * far) + std::numeric_limits<float>::min();
  buffers.vertices.resize(in.posed.size());
  buffers.vertex_moves.resize(in.posed.size());
  for (std::size_t v = 0; v < in.posed.size(); ++v) {
    const Vec3 &p = in.posed[v], &q = in.corrected[v];
    SearchBounds& bounds = buffers.vertices[v];
    for (Index k = 0; k < 3; ++k) {
      const auto at = static_cast<float>(p[k]), to = static_cast<float>(q[k]);
      bounds.low[k] = std::min(at, to) - around;
      bounds.high[k] = std::max(at, to) + around;
    }
    const double way = (q - p).norm();
    const bool moves = p[0] != q[0] || p[1] != q[1] || p[2] != q[2];
    buffers.vertex_moves[v] = moves ? 1 : 0;
    bounds.low[3] = 0;
    bounds.high[3] = moves ? kLonger * static_cast<float>(way) + std::numeric_limits<float>::min() : 0.0F;
  }
  buffers.unit = far > kSmallest ? static_cast<float>(1 / far) : 0;
}

void find_stirring(const ContactSearch& search, FaceHierarchy::Which which, SearchBuffers& buffers) {
  const std::size_t leaves = search.leaf_begin.size() - 1;
  buffers.leaf_stirs.assign(leaves, which == FaceHierarchy::Which::all ? 1 : 0);
  if (which == FaceHierarchy::Which::all) return;
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    char any = 0;
    for (Index k = search.leaf_begin[leaf]; k < search.leaf_begin[leaf + 1]; ++k) {
      any |= buffers.vertex_moves[search.leaf_vertices[k]];
    }
    buffers.leaf_stirs[leaf] = any;
  }
}

/// Four floats for each lane, to be turned into lanes.
using Columns = std::array<Eigen::Array4f, kBlock>;
void to_lanes(const Columns& columns, Index k, Lanes& lanes) {
  for (std::size_t lane = 0; lane < kBlock; ++lane) lanes[static_cast<Index>(lane)] = columns[lane][k];
}

/// Boxes of a block's faces, and which of them stir.
void fill_boxes(const ContactSearch& search, const SearchInput& in, std::size_t number, SearchBuffers& buffers) {
  Block& block = buffers.levels[0][number];
  Columns low, high;
  block.moving = block.stirring = 0;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const auto f = static_cast<Index>(kBlock * number + lane);
    if (static_cast<std::size_t>(f) >= search.face_count()) {
      low[lane] = Eigen::Array4f::Constant(kNothing);
      high[lane] = Eigen::Array4f::Constant(-kNothing);
      continue;
    }
    const auto corners = search.corners_of(f);
    SearchBounds box = buffers.vertices[corners[0]];
    for (const Index v : corners.subspan(1)) extend(box, buffers.vertices[v]);
    low[lane] = box.low;
    high[lane] = box.high;
    bool stirs = false;
    for (const Index t : search.triangles_of(f)) stirs = stirs || buffers.leaf_stirs[search.leaf_of[t]] != 0;
    block.stirring |= std::uint64_t{stirs} << lane;
    const bool moves = in.facing == FaceHierarchy::Which::all ? stirs : box.high[3] > 0;
    block.moving |= std::uint64_t{moves} << lane;
  }
  for (Index k = 0; k < 3; ++k) {
    to_lanes(low, k, block.low[k]);
    to_lanes(high, k, block.high[k]);
  }
  to_lanes(high, 3, block.way);
  const Lanes x = block.high[0] - block.low[0], y = block.high[1] - block.low[1], z = block.high[2] - block.low[2];
  block.around = static_cast<float>(kGrownBoxes * 1.0001) * (x * x + y * y + z * z).sqrt();
  // Where there is no face, nothing is to be added to an endless nothing.
  for (std::size_t f = search.face_count(); f < kBlock * (number + 1); ++f) {
    block.around[static_cast<Index>(f % kBlock)] = block.way[static_cast<Index>(f % kBlock)] = 0;
  }
}

/// Two edges of each of eight triangles.
struct Edges {
  std::array<Lanes, 3> u, v;
};
/// In units in which nothing is too small to be squared twice.
Edges edges_of(std::span<const std::array<Index, 3>> triangles, std::span<const Vec3> positions, float unit) {
  Edges edges;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const auto& [a, b, c] = triangles[lane];
    const Vec3 &p = positions[a], &q = positions[b], &r = positions[c];
    for (Index k = 0; k < 3; ++k) {
      edges.u[k][static_cast<Index>(lane)] = static_cast<float>(q[k] - p[k]);
      edges.v[k][static_cast<Index>(lane)] = static_cast<float>(r[k] - p[k]);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    edges.u[k] *= unit;
    edges.v[k] *= unit;
  }
  return edges;
}

/// Edges are taken in double precision and multiplied in single: a product is off by less than kProductRounding of the
/// lengths of its factors.
SearchBuffers::Normals normals_of(const Edges& edges, const Lanes& side) {
  const auto& [u, v] = edges;
  const Lanes x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
  const Lanes squared = x * x + y * y + z * z;
  const Lanes factors = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  const Lanes inverse = 1 / squared.max(kLeast * kLeast).sqrt();
  const Lanes scale = side * inverse;
  return {.of = {scale * x, scale * y, scale * z},
          .around = side.abs() * (kNormalRounding + (kProductRounding * factors.sqrt() + 2 * kLeast) * inverse)};
}

/// Normals of a block's triangles, faces, and all of it.
void fill_normals(const ContactSearch& search, const SearchInput& in, std::size_t number, SearchBuffers& buffers) {
  std::array<Lanes, 3> low, high;
  low.fill(Lanes::Constant(kNothing));
  high.fill(Lanes::Constant(-kNothing));
  Lanes side;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const std::size_t f = std::min(kBlock * number + lane, search.face_count() - 1);
    side[static_cast<Index>(lane)] = static_cast<float>(in.side[search.component[f]]);
  }
  const auto triangles = search.lane_triangles_of(number);
  for (std::size_t first = 0; first < triangles.size(); first += kBlock) {
    const Edges edges = edges_of(triangles.subspan(first, kBlock), in.posed, buffers.unit);
    SearchBuffers::Normals& normals = buffers.normals[(search.lane_begin[number] + first) / kBlock];
    normals = normals_of(edges, side);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = low[k].min(normals.of[k] - normals.around);
      high[k] = high[k].max(normals.of[k] + normals.around);
    }
  }
  Block& block = buffers.levels[0][number];
  SearchBuffers::BlockNormals& all = buffers.block_normals[number];
  Lanes of_face = Lanes::Zero(), of_all = Lanes::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    block.normal[k] = 0.5F * (low[k] + high[k]);
    of_face += (high[k] - block.normal[k]).square();
    all.of[k] = 0.5F * (block.normal[k].minCoeff() + block.normal[k].maxCoeff());
    of_all += (block.normal[k] - all.of[k]).square();
  }
  block.normal_spread = kMiddle * of_face.sqrt();
  all.spread = (kMiddle * of_all.sqrt() + block.normal_spread).maxCoeff();
  all.known = true;
}

/// What a lane of the level above knows of a block.
void bound_block(const Block& of, Block& above, std::size_t number) {
  const auto lane = static_cast<Index>(number % kBlock);
  for (std::size_t k = 0; k < 3; ++k) {
    above.low[k][lane] = of.low[k].minCoeff();
    above.high[k][lane] = of.high[k].maxCoeff();
  }
  above.around[lane] = of.around.maxCoeff();
  above.way[lane] = of.way.maxCoeff();
  above.moving |= std::uint64_t{of.moving != 0} << lane;
  above.stirring |= std::uint64_t{of.stirring != 0} << lane;
}

Block nothing() {
  Block block{};
  block.low.fill(Lanes::Constant(kNothing));
  block.high.fill(Lanes::Constant(-kNothing));
  block.normal.fill(Lanes::Zero());
  for (Lanes* lanes : {&block.around, &block.way, &block.normal_spread}) lanes->setZero();
  return block;
}

void make_levels(const ContactSearch& search, SearchBuffers& buffers) {
  std::size_t count = search.block_count();
  if (!buffers.levels.empty() && buffers.levels[0].size() == count) return;
  buffers.levels.assign(1, std::vector<Block>(count, nothing()));
  while (count > 1) {
    count = (count + kBlock - 1) / kBlock;
    buffers.levels.emplace_back(count, nothing());
  }
}

void refit(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  bound_vertices(in, buffers);
  find_stirring(search, in.which, buffers);
  make_levels(search, buffers);
  buffers.normals.resize(search.lane_triangles.size() / kBlock);
  buffers.block_normals.assign(search.block_count(), {});
  for (std::size_t b = 0; b < buffers.levels[0].size(); ++b) fill_boxes(search, in, b, buffers);
  for (std::size_t level = 1; level < buffers.levels.size(); ++level) {
    for (Block& block : buffers.levels[level]) block.moving = block.stirring = 0;
    for (std::size_t b = 0; b < buffers.levels[level - 1].size(); ++b) {
      bound_block(buffers.levels[level - 1][b], buffers.levels[level][b / kBlock], b);
    }
  }
}

/// One lane, to be compared with those of a block.
struct Lone {
  std::array<float, 3> low, high, normal;
  float normal_spread, around;
};
[[gnu::always_inline]] inline Lone lone(const Block& block, std::size_t i) {
  const auto lane = static_cast<Index>(i);
  return {.low = {block.low[0][lane], block.low[1][lane], block.low[2][lane]},
          .high = {block.high[0][lane], block.high[1][lane], block.high[2][lane]},
          .normal = {block.normal[0][lane], block.normal[1][lane], block.normal[2][lane]},
          .normal_spread = block.normal_spread[lane],
          .around = block.around[lane]};
}

/// How far a block's lanes lie from a box, along the axis where they are farthest apart; 0 or less: they overlap.
[[gnu::always_inline]] inline Lanes gaps(const Lone& to, const Block& from) {
  return (from.low[0] - to.high[0])
      .max(to.low[0] - from.high[0])
      .max((from.low[1] - to.high[1]).max(to.low[1] - from.high[1]))
      .max((from.low[2] - to.high[2]).max(to.low[2] - from.high[2]));
}

/// Bits of a block's lanes that may look against something: the product of two normals n = c + d and m = e + f, c and e
/// the middles, is c·e + d·m + c·f, and no less than c·e - |d| - |c| |f|.
[[gnu::always_inline]] inline std::uint64_t opposing(const Lone& to, const Block& from) {
  return at_most(to.normal[0] * from.normal[0] + to.normal[1] * from.normal[1] + to.normal[2] * from.normal[2],
                 from.normal_spread + (to.normal_spread + kNormalRounding));
}

/// Two blocks of one level, the first not the higher one.
struct BlockPair {
  std::size_t first = 0, second = 0;
};

/// Bits of the lanes of a block that are marked, or all where lane i of another is.
std::uint64_t either(std::uint64_t marked, std::size_t i, std::uint64_t others) {
  return others | (0xff & (0 - ((marked >> i) & 1)));
}

/// Calls visit(pair) for pairs of blocks of faces whose boxes overlap where something stirs, or if `facing` whose grown
/// boxes overlap where something moves.
template <class Visit>
void for_block_pairs(const SearchBuffers& buffers, std::size_t level, const BlockPair& pair, bool facing,
                     const Visit& visit) {
  if (level == 0) {
    visit(pair);
    return;
  }
  const Block &a = buffers.levels[level][pair.first], &b = buffers.levels[level][pair.second];
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t later = pair.first == pair.second ? std::uint64_t{0xff} << i & 0xff : 0xff;
    const std::uint64_t stirring = either(a.stirring, i, b.stirring), moving = either(a.moving, i, b.moving);
    if ((stirring & later) == 0) continue;
    const Lone one = lone(a, i);
    const Lanes gap = gaps(one, b);
    std::uint64_t open = at_most(gap, Lanes::Zero()) & stirring;
    if (facing) open |= at_most(gap, b.around + one.around) & moving;
    for (open &= later; open != 0; open &= open - 1) {
      const auto j = static_cast<std::size_t>(std::countr_zero(open));
      for_block_pairs(buffers, level - 1, {kBlock * pair.first + i, kBlock * pair.second + j}, facing, visit);
    }
  }
}
template <class Visit>
void for_block_pairs(const SearchBuffers& buffers, bool facing, const Visit& visit) {
  if (buffers.levels[0].empty() || buffers.levels.back()[0].stirring == 0) return;
  for_block_pairs(buffers, buffers.levels.size() - 1, {}, facing, visit);
}

/// Adds the pairs of faces of two blocks whose bits are set: bit 8 i + j is for face i of the first and j of the
/// second.
void add_pairs(std::uint64_t bits, const BlockPair& pair, std::vector<SearchBuffers::Pair>& out) {
  for (; bits != 0; bits &= bits - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
    out.push_back({static_cast<Index>(kBlock * pair.first + bit / kBlock),
                   static_cast<Index>(kBlock * pair.second + bit % kBlock)});
  }
}

/// Whether faces of two blocks may look against each other. Normals are found of the blocks that this asks for.
bool may_oppose(const ContactSearch& search, const SearchInput& in, const BlockPair& pair, SearchBuffers& buffers) {
  for (const std::size_t number : {pair.first, pair.second}) {
    if (!buffers.block_normals[number].known) fill_normals(search, in, number, buffers);
  }
  const SearchBuffers::BlockNormals &own = buffers.block_normals[pair.first],
                                    &others = buffers.block_normals[pair.second];
  const float product = own.of[0] * others.of[0] + own.of[1] * others.of[1] + own.of[2] * others.of[2];
  return product <= own.spread + others.spread + kNormalRounding;
}

/// Looks at the faces of two blocks. What is in vain for one face costs less than to find out whether it is.
void meet(const ContactSearch& search, const SearchInput& in, const BlockPair& pair, SearchBuffers& buffers) {
  const Block &a = buffers.levels[0][pair.first], &b = buffers.levels[0][pair.second];
  const ContactSearch::NearBlock known = search.known(static_cast<Index>(pair.first), static_cast<Index>(pair.second));
  const bool facing =
      !in.side.empty() && known.facing != 0 && (a.moving | b.moving) != 0 && may_oppose(search, in, pair, buffers);
  // Which faces of the first block have anything to do with the second as a whole.
  std::uint64_t rows = b.stirring != 0 ? 0xff : a.stirring;
  if (pair.first != pair.second) {
    Lone all = lone(buffers.levels[1][pair.second / kBlock], pair.second % kBlock);
    all.normal = buffers.block_normals[pair.second].of;
    all.normal_spread = buffers.block_normals[pair.second].spread;
    const Lanes gap = gaps(all, a);
    const std::uint64_t opposed = facing ? at_most(gap, a.around + all.around) & opposing(all, a) : 0;
    rows &= at_most(gap, Lanes::Zero()) | opposed;
  }
  std::uint64_t crossing = 0, open = 0;
  for (; rows != 0; rows &= rows - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(rows));
    const Lone one = lone(a, i);
    const Lanes gap = gaps(one, b);
    crossing |= (at_most(gap, Lanes::Zero()) & either(a.stirring, i, b.stirring)) << (kBlock * i);
    if (!facing) continue;
    const std::uint64_t opposed = at_most(gap, b.around + one.around) & opposing(one, b);
    open |= (opposed & either(a.moving, i, b.moving)) << (kBlock * i);
  }
  add_pairs(crossing & known.apart, pair, buffers.crossing);
  add_pairs(open & known.facing, pair, buffers.facing);
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
  ContactSearch::NearBlock near{.apart = 0, .facing = 0};
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
  sort_into_blocks(0, count, middles, order);
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
  find_lanes();
  SearchBuffers at_rest;
  const SearchInput still{surface.positions, surface.positions, {}, FaceHierarchy::Which::all};
  refit(*this, still, at_rest);
  for (auto& level : at_rest.levels) {
    for (Block& block : level) {
      for (std::size_t k = 0; k < 3; ++k) {
        block.low[k] -= block.around;
        block.high[k] += block.around;
      }
    }
  }
  std::vector<std::pair<Index, Index>> pairs;
  for_block_pairs(at_rest, false, [&](const BlockPair& pair) {
    pairs.emplace_back(static_cast<Index>(pair.first), static_cast<Index>(pair.second));
  });
  std::sort(pairs.begin(), pairs.end());
  near_begin.assign(1, 0);
  std::size_t next = 0;
  for (std::size_t block = 0; block < block_count(); ++block) {
    for (; next < pairs.size() && static_cast<std::size_t>(pairs[next].first) == block; ++next) {
      near_second.push_back(pairs[next].second);
      near.push_back(look_at_rest(*this, pairs[next].first, pairs[next].second, settled));
    }
    near_begin.push_back(static_cast<Index>(near.size()));
  }
}

void ContactSearch::find_lanes() {
  lane_begin.assign(1, 0);
  for (std::size_t block = 0; block < block_count(); ++block) {
    const std::size_t begin = kBlock * block, end = std::min(begin + kBlock, face_count());
    std::size_t most = 0;
    for (std::size_t f = begin; f < end; ++f) most = std::max(most, triangles_of(static_cast<Index>(f)).size());
    for (std::size_t k = 0; k < most; ++k) {
      for (std::size_t lane = 0; lane < kBlock; ++lane) {
        const auto own = triangles_of(static_cast<Index>(std::min(begin + lane, end - 1)));
        lane_triangles.push_back(own.empty() ? std::array<Index, 3>{}
                                             : triangle_corners[own[std::min(k, own.size() - 1)]]);
      }
    }
    lane_begin.push_back(lane_triangles.size());
  }
}

ContactSearch::NearBlock ContactSearch::known(Index first, Index second) const {
  const auto begin = near_second.begin() + near_begin[first], end = near_second.begin() + near_begin[first + 1];
  const auto found = std::find(begin, end, second);
  return found != end ? near[static_cast<std::size_t>(found - near_second.begin())] : NearBlock{};
}

void search_contacts(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  buffers.crossing.clear();
  buffers.facing.clear();
  refit(search, in, buffers);
  for_block_pairs(buffers, !in.side.empty(), [&](const BlockPair& pair) { meet(search, in, pair, buffers); });
}

// Nearest points of two triangles that are in the way of each other differ by a vector v that is short, or points
// backwards: it lies within `reach` of the ray -λ (n - m), λ >= 0, where n and m are their normals. Where no such ray
// comes that near to the box that holds all differences of the two faces, none is.
bool surely_out_of_the_way(const SearchBuffers& buffers, const SearchBuffers::Pair& pair, double reach) {
  constexpr float kMargin = 1e-6F;
  const auto face = [&](Index f) {
    return lone(buffers.levels[0][static_cast<std::size_t>(f) / kBlock], static_cast<std::size_t>(f) % kBlock);
  };
  const Lone from = face(pair.f), to = face(pair.g);
  const auto around = static_cast<float>(reach);
  const float spread = to.normal_spread + from.normal_spread + kMargin;
  std::array<float, 3> leasts, mosts, fasts, slows;  // λ fast >= least and λ slow <= most
  int away = 0;                                      // not 0: no λ will do along one axis, as for most pairs
  for (std::size_t k = 0; k < 3; ++k) {
    leasts[k] = to.low[k] - from.high[k] - around;
    mosts[k] = to.high[k] - from.low[k] + around;
    fasts[k] = to.normal[k] - from.normal[k] + spread;
    slows[k] = to.normal[k] - from.normal[k] - spread;
    away |= (static_cast<int>(leasts[k] > 0) & static_cast<int>(fasts[k] <= 0)) |
            (static_cast<int>(mosts[k] < 0) & static_cast<int>(slows[k] >= 0));
  }
  if (away != 0) return true;
  float low = 0, high = kNothing;  // of λ
  for (std::size_t k = 0; k < 3; ++k) {
    const float least = leasts[k], most = mosts[k], fast = fasts[k], slow = slows[k];
    if (fast > 0) low = std::max(low, least / fast);
    if (fast <= 0) high = std::min(high, fast < 0 ? least / fast : (least > 0 ? 0 : kNothing));
    if (slow > 0) high = std::min(high, most / slow);
    if (slow <= 0) low = std::max(low, slow < 0 ? most / slow : (most < 0 ? kNothing : 0));
  }
  return low > high + kMargin * std::abs(high);
}

bool surely_not_opposed(const ContactSearch& search, const SearchBuffers& buffers, const FaceTriangle& one,
                        const FaceTriangle& other) {
  // Normals of length 1 at most, each coordinate of which is known to within `around`.
  constexpr float kOfAround = 2;
  const auto normals = [&](const FaceTriangle& of) -> const SearchBuffers::Normals& {
    return buffers.normals[search.lane_begin[static_cast<std::size_t>(of.face) / kBlock] / kBlock + of.number];
  };
  const auto lane = [](const FaceTriangle& of) {
    return static_cast<Index>(static_cast<std::size_t>(of.face) % kBlock);
  };
  const SearchBuffers::Normals &own = normals(one), &others = normals(other);
  const Index i = lane(one), j = lane(other);
  const float product =
      own.of[0][i] * others.of[0][j] + own.of[1][i] * others.of[1][j] + own.of[2][i] * others.of[2][j];
  return product > kOfAround * (own.around[i] + others.around[j]);
}

double farthest_way(const SearchBuffers& buffers, Index f) {
  const auto at = static_cast<std::size_t>(f);
  return buffers.levels[0][at / kBlock].way[static_cast<Index>(at % kBlock)];
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
