#include "volume/contact_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace isochor::volume {
namespace {

using Block = SearchBuffers::Block;
using contact_kernels::Eight;

constexpr std::size_t kBlock = ContactSearch::kBlock;
static_assert(contact_kernels::kGrown > kGrownBoxes);
constexpr float kNothing = std::numeric_limits<float>::infinity();
/// Boxes are larger than what they hold by this share of the farthest coordinate of all: more than those of
/// FaceHierarchy.
constexpr double kSearchRounding = 3e-7;
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

double farthest_coordinate(std::span<const Vec3> positions) {
  const auto count = static_cast<Eigen::Index>(3 * positions.size());
  return count > 0 ? Eigen::Map<const Eigen::ArrayXd>(positions.front().data(), count).abs().maxCoeff() : 0;
}

/// Coordinates, without end.
const double* coordinates(std::span<const Vec3> positions) {
  return positions.empty() ? nullptr : positions.front().data();
}

void bound_vertices(const SearchInput& in, SearchBuffers& buffers) {
  const double far = std::max(farthest_coordinate(in.posed), farthest_coordinate(in.corrected));
  buffers.rounding = static_cast<float>(kSearchRounding * far) + std::numeric_limits<float>::min();
  buffers.unit = far > kSmallest ? static_cast<float>(1 / far) : 0;
  buffers.vertices.resize(in.posed.size());
  buffers.vertex_moves.resize(in.posed.size());
  buffers.kernels->bound_vertices(coordinates(in.posed), coordinates(in.corrected), in.posed.size(), buffers.rounding,
                                  buffers.vertices.data(), buffers.vertex_moves.data());
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

/// Boxes of a block's faces, and which of them stir.
void fill_boxes(const ContactSearch& search, const SearchInput& in, std::size_t number, SearchBuffers& buffers) {
  Block& block = buffers.levels[0][number];
  const auto corners = search.lane_corners_of(number);
  buffers.kernels->fill_boxes(buffers.vertices.data(), corners.data(), corners.size() / kBlock, block);
  block.moving = block.stirring = 0;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const auto f = static_cast<Index>(kBlock * number + lane);
    if (static_cast<std::size_t>(f) >= search.face_count()) {
      for (std::size_t k = 0; k < 3; ++k) {
        block.low[k][lane] = kNothing;
        block.high[k][lane] = -kNothing;
      }
      block.around[lane] = block.way[lane] = 0;
      continue;
    }
    char stirs = 0;
    for (const Index t : search.triangles_of(f)) stirs |= buffers.leaf_stirs[search.leaf_of[t]];
    block.stirring |= std::uint64_t{stirs != 0} << lane;
    const bool moves = in.facing == FaceHierarchy::Which::all ? stirs != 0 : block.way[lane] > 0;
    block.moving |= std::uint64_t{moves} << lane;
  }
}

/// Normals of a block's triangles and faces.
void need_normals(const ContactSearch& search, const SearchInput& in, Index number, SearchBuffers& buffers) {
  if (buffers.normals_known[number] != 0) return;
  buffers.normals_known[number] = 1;
  Eight side;
  for (std::size_t lane = 0; lane < kBlock; ++lane) {
    const std::size_t f = std::min(kBlock * static_cast<std::size_t>(number) + lane, search.face_count() - 1);
    side[lane] = static_cast<float>(in.side[search.component[f]]);
  }
  const auto triangles = search.lane_triangles_of(number);
  buffers.kernels->fill_normals(coordinates(in.posed), triangles.front().data(), triangles.size() / kBlock,
                                buffers.unit, side, &buffers.normals[search.lane_begin[number] / kBlock],
                                buffers.levels[0][number]);
}

contact_kernels::Cornered need_corners(const ContactSearch& search, const SearchInput& in, Index number,
                                       SearchBuffers& buffers) {
  const auto corners = search.lane_corners_of(number);
  const std::size_t count = corners.size() / kBlock;
  contact_kernels::Corners* out = &buffers.corners[search.lane_corner_begin[number] / kBlock];
  if (buffers.corners_known[number] == 0) {
    buffers.corners_known[number] = 1;
    buffers.kernels->fill_corners(coordinates(in.posed), corners.data(), count, out);
  }
  return {buffers.levels[0][number], out, count};
}

Block nothing() {
  Block block{};
  for (std::size_t k = 0; k < 3; ++k) {
    std::fill(std::begin(block.low[k]), std::end(block.low[k]), kNothing);
    std::fill(std::begin(block.high[k]), std::end(block.high[k]), -kNothing);
  }
  return block;
}

void make_levels(const ContactSearch& search, SearchBuffers& buffers) {
  std::size_t count = search.block_count();
  if (buffers.block_count == count && !buffers.levels.empty()) return;
  buffers.block_count = count;
  buffers.levels.clear();
  buffers.levels.emplace_back((count + kBlock - 1) / kBlock * kBlock, nothing());
  do {
    count = (count + kBlock - 1) / kBlock;
    buffers.levels.emplace_back((count + kBlock - 1) / kBlock * kBlock, nothing());
  } while (count > 1);
}

void refit(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  bound_vertices(in, buffers);
  find_stirring(search, in.which, buffers);
  make_levels(search, buffers);
  buffers.normals.resize(search.lane_triangles.size() / kBlock);
  buffers.corners.resize(search.lane_corners.size() / kBlock);
  buffers.normals_known.assign(search.block_count(), 0);
  buffers.corners_known.assign(search.block_count(), 0);
  for (std::size_t b = 0; b < search.block_count(); ++b) fill_boxes(search, in, b, buffers);
  for (std::size_t level = 1; level < buffers.levels.size(); ++level) {
    for (std::size_t b = 0; kBlock * b < buffers.levels[level - 1].size(); ++b) {
      buffers.kernels->bound_blocks(&buffers.levels[level - 1][kBlock * b], buffers.levels[level][b]);
    }
  }
}

/// Two blocks of one level, the first not the higher one.
struct BlockPair {
  std::size_t first = 0, second = 0;
};

/// Bits of pairs of a block with itself, the first not the higher one.
constexpr std::uint64_t kOrdered = 0x80c0e0f0f8fcfeff;

/// Calls visit(pair, near) for pairs of blocks of level 1, and in which of their pairs of blocks of faces boxes overlap
/// where something stirs, and if `facing` grown boxes overlap where something moves.
template <class Visit>
void for_block_pairs(const SearchBuffers& buffers, std::size_t level, const BlockPair& pair, bool facing,
                     const Visit& visit) {
  contact_kernels::Near near =
      buffers.kernels->find_near(buffers.levels[level][pair.first], buffers.levels[level][pair.second]);
  if (!facing) near.around = 0;
  if (pair.first == pair.second) {
    near.touching &= kOrdered;
    near.around &= kOrdered;
  }
  std::uint64_t open = near.touching | near.around;
  if (level == 1) {
    if (open != 0) visit(pair, near);
    return;
  }
  for (; open != 0; open &= open - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(open));
    for_block_pairs(buffers, level - 1, {kBlock * pair.first + bit / kBlock, kBlock * pair.second + bit % kBlock},
                    facing, visit);
  }
}
template <class Visit>
void for_block_pairs(const SearchBuffers& buffers, bool facing, const Visit& visit) {
  if (buffers.block_count > 0) for_block_pairs(buffers, buffers.levels.size() - 1, {}, facing, visit);
}

/// Looks at the faces of two blocks, at those pairs that are open.
void meet(const ContactSearch& search, const SearchInput& in, const BlockPair& pair,
          const ContactSearch::NearBlock& open, SearchBuffers& buffers) {
  const Block &a = buffers.levels[0][pair.first], &b = buffers.levels[0][pair.second];
  const contact_kernels::Near near = buffers.kernels->find_near(a, b);
  SearchBuffers::BlockPairs pairs{static_cast<Index>(pair.first), static_cast<Index>(pair.second)};
  pairs.bits = near.touching & open.crossing;
  if (pairs.bits != 0) {
    pairs.bits =
        buffers.kernels->find_crossing(need_corners(search, in, pairs.first, buffers),
                                       need_corners(search, in, pairs.second, buffers), pairs.bits, buffers.rounding);
    for_pairs(pairs, [&](Index f, Index g) { buffers.crossing.push_back({f, g}); });
  }
  pairs.bits = near.around & open.facing;
  if (pairs.bits == 0) return;
  need_normals(search, in, pairs.first, buffers);
  need_normals(search, in, pairs.second, buffers);
  pairs.bits = buffers.kernels->find_opposed(a, b, pairs.bits);
  if (pairs.bits != 0) buffers.facing.push_back(pairs);
}

/// Looks at pairs of blocks of faces, of two blocks of level 1.
void meet(const ContactSearch& search, const SearchInput& in, const BlockPair& pair, const contact_kernels::Near& near,
          SearchBuffers& buffers) {
  const ContactSearch::NearGroup known = search.known(static_cast<Index>(pair.first), static_cast<Index>(pair.second));
  const ContactSearch::NearBlock* next = search.near.data() + known.begin;
  for (std::uint64_t bits = near.touching | near.around | known.bits; bits != 0; bits &= bits - 1) {
    const std::uint64_t own = bits & (0 - bits);
    ContactSearch::NearBlock open;
    if ((known.bits & own) != 0) open = *next++;
    if ((near.touching & own) == 0) open.crossing = 0;
    if ((near.around & own) == 0) open.facing = 0;
    if ((open.crossing | open.facing) == 0) continue;
    const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
    meet(search, in, {kBlock * pair.first + bit / kBlock, kBlock * pair.second + bit % kBlock}, open, buffers);
  }
}

bool have_common_vertex(std::span<const Index> a, std::span<const Index> b) {
  return std::any_of(a.begin(), a.end(), [&](Index v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

/// What is known of two blocks that are near each other at rest.
ContactSearch::NearBlock look_at_rest(const ContactSearch& search, Index first, Index second,
                                      const ContactSearch::KnownAtRest& known) {
  const auto count = static_cast<Index>(search.face_count());
  const auto all = [&](Index f, Index g, const auto& holds) {
    for (const Index s : search.triangles_of(f)) {
      for (const Index t : search.triangles_of(g)) {
        if (!holds(TrianglePair{std::min(s, t), std::max(s, t)})) return false;
      }
    }
    return true;
  };
  const auto settled = [&](const TrianglePair& pair) { return known.left_alone(pair) || known.back_to_back(pair); };
  ContactSearch::NearBlock near{.crossing = 0, .facing = 0};
  for (std::size_t bit = 0; bit < kBlock * kBlock; ++bit) {
    const Index f = first * static_cast<Index>(kBlock) + static_cast<Index>(bit / kBlock);
    const Index g = second * static_cast<Index>(kBlock) + static_cast<Index>(bit % kBlock);
    if (f >= count || g >= count || f >= g) continue;
    if (have_common_vertex(search.corners_of(f), search.corners_of(g)) || all(f, g, known.left_alone)) continue;
    near.crossing |= std::uint64_t{1} << bit;
    if (!all(f, g, settled)) near.facing |= std::uint64_t{1} << bit;
  }
  return near;
}

}  // namespace

ContactSearch::ContactSearch(const Surface& surface, std::span<const Index> component_of_vertex,
                             const FaceHierarchy& hierarchy, const KnownAtRest& known_at_rest) {
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
        for (std::size_t lane = 0; lane < kBlock; ++lane) {
          block.low[k][lane] -= block.around[lane];
          block.high[k][lane] += block.around[lane];
        }
      }
    }
  }
  for_block_pairs(at_rest, false, [&](const BlockPair& pair, const contact_kernels::Near& at) {
    near_groups.push_back(
        {.blocks = {static_cast<Index>(pair.first), static_cast<Index>(pair.second)}, .bits = at.touching});
  });
  std::sort(near_groups.begin(), near_groups.end(),
            [](const NearGroup& a, const NearGroup& b) { return a.blocks < b.blocks; });
  for (NearGroup& group : near_groups) {
    group.begin = near.size();
    for_pairs({group.blocks.first, group.blocks.second, group.bits},
              [&](Index first, Index second) { near.push_back(look_at_rest(*this, first, second, known_at_rest)); });
  }
}

void ContactSearch::find_lanes() {
  const auto fill = [&](const auto& of_face, std::vector<std::size_t>& begins, auto& lanes) {
    begins.assign(1, 0);
    for (std::size_t block = 0; block < block_count(); ++block) {
      const std::size_t begin = kBlock * block, end = std::min(begin + kBlock, face_count());
      std::size_t most = 1;
      for (std::size_t f = begin; f < end; ++f) most = std::max(most, of_face(static_cast<Index>(f)).size());
      for (std::size_t k = 0; k < most; ++k) {
        for (std::size_t lane = 0; lane < kBlock; ++lane) {
          const auto own = of_face(static_cast<Index>(std::min(begin + lane, end - 1)));
          lanes.push_back(own.empty() ? typename std::decay_t<decltype(lanes)>::value_type{}
                                      : own[std::min(k, own.size() - 1)]);
        }
      }
      begins.push_back(lanes.size());
    }
  };
  const auto triangles_in_face = [&](Index f) {
    std::vector<std::array<Index, 3>> own;
    for (const Index t : triangles_of(f)) own.push_back(triangle_corners[t]);
    return own;
  };
  fill(triangles_in_face, lane_begin, lane_triangles);
  fill([&](Index f) { return corners_of(f); }, lane_corner_begin, lane_corners);
}

ContactSearch::NearGroup ContactSearch::known(Index first, Index second) const {
  const std::pair blocks(first, second);
  const auto found = std::lower_bound(near_groups.begin(), near_groups.end(), blocks,
                                      [](const NearGroup& group, const auto& of) { return group.blocks < of; });
  return found != near_groups.end() && found->blocks == blocks ? *found : NearGroup{};
}

void search_contacts(const ContactSearch& search, const SearchInput& in, SearchBuffers& buffers) {
  buffers.crossing.clear();
  buffers.facing.clear();
  refit(search, in, buffers);
  for_block_pairs(buffers, !in.side.empty(), [&](const BlockPair& pair, const contact_kernels::Near& near) {
    meet(search, in, pair, near, buffers);
  });
}

SearchBuffers::BlockPairs may_be_in_the_way(const SearchBuffers& buffers, const SearchBuffers::BlockPairs& pairs,
                                            double reach) {
  const Block &a = buffers.levels[0][pairs.first], &b = buffers.levels[0][pairs.second];
  return {pairs.first, pairs.second, buffers.kernels->find_in_the_way(a, b, pairs.bits, static_cast<float>(reach))};
}

bool surely_not_opposed(const ContactSearch& search, const SearchBuffers& buffers, const FaceTriangle& one,
                        const FaceTriangle& other) {
  // Normals of length 1 at most, each coordinate of which is known to within `around`.
  constexpr float kOfAround = 2;
  const auto normals = [&](const FaceTriangle& of) -> const contact_kernels::Normals& {
    return buffers.normals[search.lane_begin[static_cast<std::size_t>(of.face) / kBlock] / kBlock + of.number];
  };
  const auto lane = [](const FaceTriangle& of) { return static_cast<std::size_t>(of.face) % kBlock; };
  const contact_kernels::Normals &own = normals(one), &others = normals(other);
  const std::size_t i = lane(one), j = lane(other);
  const float product =
      own.of[0][i] * others.of[0][j] + own.of[1][i] * others.of[1][j] + own.of[2][i] * others.of[2][j];
  return product > kOfAround * (own.around[i] + others.around[j]);
}

double farthest_way(const SearchBuffers& buffers, Index f) {
  const auto at = static_cast<std::size_t>(f);
  return buffers.levels[0][at / kBlock].way[at % kBlock];
}

bool boxes_meet(const ContactSearch& search, const SearchBuffers& buffers, Index s, Index t) {
  const auto box = [&](Index of) {
    const auto& [a, b, c] = search.triangle_corners[of];
    contact_kernels::Bounds bounds = buffers.vertices[a];
    for (const Index v : {b, c}) {
      for (std::size_t k = 0; k < kBlock; ++k) {
        bounds.outward[k] = std::max(bounds.outward[k], buffers.vertices[v].outward[k]);
      }
    }
    return bounds;
  };
  const contact_kernels::Bounds own = box(s), other = box(t);
  bool meet = true;
  for (std::size_t k = 0; k < 3; ++k) {
    meet = meet && own.outward[4 + k] >= -other.outward[k] && other.outward[4 + k] >= -own.outward[k];
  }
  return meet;
}

}  // namespace isochor::volume
