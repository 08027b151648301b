// The kernels' one source, included by contact_kernels_portable.cpp and contact_kernels_avx2.cpp.

#include "base/float8.h"
#include "volume/contact_kernels.h"

namespace isochor::contact_kernels {
namespace {

using float8::at_least, float8::at_most, float8::bits, float8::both, float8::either, float8::Float4, float8::Float8,
    float8::halves, float8::is_at_most, float8::is_less, float8::load, float8::Mask8, float8::splat,
    float8::square_root, float8::store, float8::transpose, float8::where;

typedef float Unaligned4 __attribute__((vector_size(16), aligned(4), may_alias));

constexpr float kEndless = __builtin_inff(), kSmallest = 1.17549435e-38F;
/// Boxes are grown by no more than this: lanes without a face are endlessly far away, and not near those of a shape
/// whose diagonal is too long to be squared.
constexpr float kFarthest = 1e37F;
/// Of a way, so that rounding does not make it shorter.
constexpr float kLonger = 1.00001F;
/// Coordinates of normals are known to within this, and a share of the lengths of two edges over that of their product:
/// thin triangles are rounded more. A product that is shorter than kLeast says nothing.
constexpr float kNormalRounding = 1e-5F, kProductRounding = 2e-6F, kLeast = 1e-15F;
/// The middle of a box of vectors of length 1 is no longer than 1.061: spreads of normals are taken by so much larger.
constexpr float kMiddle = 1.07F;

template <class Number>
[[gnu::always_inline]] inline const double* position(const double* positions, Number v) {
  return positions + 3 * static_cast<std::size_t>(v);
}
[[gnu::always_inline]] inline Float4 narrow(double x, double y, double z) {
  return Float4{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), 0};
}
[[gnu::always_inline]] inline Float4 narrow(const double* p) { return narrow(p[0], p[1], p[2]); }
[[gnu::always_inline]] inline Float4 between(const double* p, const double* q) {
  return narrow(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
}
[[gnu::always_inline]] inline void store4(float* to, Float4 a) { *reinterpret_cast<Unaligned4*>(to) = a; }
[[gnu::always_inline]] inline Float4 larger(Float4 a, Float4 b) { return a > b ? a : b; }

void bound_vertices(const double* posed, const double* corrected, std::size_t count, float around, Bounds* bounds,
                    char* moves) {
  const Float4 outward{around, around, around, 0};
  for (std::size_t v = 0; v < count; ++v) {
    const double *p = position(posed, v), *q = position(corrected, v);
    const Float4 at = narrow(p), to = narrow(q);
    store4(bounds[v].outward, larger(-at, -to) + outward);
    store4(bounds[v].outward + 4, larger(at, to) + outward);
    const double x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
    const double length = __builtin_sqrt(x * x + y * y + z * z);
    const bool moved = p[0] != q[0] || p[1] != q[1] || p[2] != q[2];
    bounds[v].outward[3] = 0;
    bounds[v].outward[7] = moved ? kLonger * static_cast<float>(length) + kSmallest : 0.0F;
    moves[v] = moved ? 1 : 0;
  }
}

void fill_boxes(const Bounds* bounds, const std::int32_t* corners, std::size_t count, Block& block) {
  Float8 box[kBlock];
  for (int lane = 0; lane < kBlock; ++lane) box[lane] = load(bounds[corners[lane]].outward);
  for (std::size_t k = 1; k < count; ++k) {
    for (int lane = 0; lane < kBlock; ++lane) {
      box[lane] = at_least(box[lane], load(bounds[corners[kBlock * k + lane]].outward));
    }
  }
  transpose(box);
  Float8 squared = splat(0);
  for (int k = 0; k < 3; ++k) {
    store(block.low[k], splat(0) - box[k]);
    store(block.high[k], box[4 + k]);
    const Float8 size = box[4 + k] + box[k];
    squared = squared + size * size;
  }
  store(block.around, at_most(splat(kGrown) * square_root(squared), splat(kFarthest)));
  store(block.way, box[7]);
}

/// The least, or most, of each of eight blocks' lanes.
template <class Take>
[[gnu::always_inline]] inline Float8 of_each(const Block* blocks, const Eight& (*which)(const Block&),
                                             const Take& take) {
  Float8 lanes[kBlock];
  for (int i = 0; i < kBlock; ++i) lanes[i] = load(which(blocks[i]));
  transpose(lanes);
  for (int i = 1; i < kBlock; ++i) lanes[0] = take(lanes[0], lanes[i]);
  return lanes[0];
}

void bound_blocks(const Block* blocks, Block& above) {
  const auto least = [](Float8 a, Float8 b) { return at_most(a, b); };
  const auto most = [](Float8 a, Float8 b) { return at_least(a, b); };
  store(above.low[0], of_each(
                          blocks, [](const Block& b) -> const Eight& { return b.low[0]; }, least));
  store(above.low[1], of_each(
                          blocks, [](const Block& b) -> const Eight& { return b.low[1]; }, least));
  store(above.low[2], of_each(
                          blocks, [](const Block& b) -> const Eight& { return b.low[2]; }, least));
  store(above.high[0], of_each(
                           blocks, [](const Block& b) -> const Eight& { return b.high[0]; }, most));
  store(above.high[1], of_each(
                           blocks, [](const Block& b) -> const Eight& { return b.high[1]; }, most));
  store(above.high[2], of_each(
                           blocks, [](const Block& b) -> const Eight& { return b.high[2]; }, most));
  store(above.around, of_each(
                          blocks, [](const Block& b) -> const Eight& { return b.around; }, most));
  store(above.way, of_each(
                       blocks, [](const Block& b) -> const Eight& { return b.way; }, most));
  above.stirring = above.moving = 0;
  for (int i = 0; i < kBlock; ++i) {
    above.stirring |= std::uint64_t{blocks[i].stirring != 0} << i;
    above.moving |= std::uint64_t{blocks[i].moving != 0} << i;
  }
}

/// Eight triangles' corners, relative to the first of each, in units in which nothing is too small to be squared twice.
struct Edges {
  Float8 u[3], v[3];
};
[[gnu::always_inline]] inline Edges edges_of(const double* posed, const std::int32_t* triangles, float unit) {
  Float8 both_edges[kBlock];
  for (int lane = 0; lane < kBlock; ++lane) {
    const std::int32_t* of_lane = triangles + 3 * lane;
    const double* p = position(posed, of_lane[0]);
    both_edges[lane] = halves(between(p, position(posed, of_lane[1])), between(p, position(posed, of_lane[2])));
  }
  transpose(both_edges);
  Edges edges;
  for (int k = 0; k < 3; ++k) {
    edges.u[k] = both_edges[k] * splat(unit);
    edges.v[k] = both_edges[4 + k] * splat(unit);
  }
  return edges;
}

[[gnu::always_inline]] inline Float8 dot(const Float8 (&a)[3], const Float8 (&b)[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Edges are taken in double precision and multiplied in single: a product is off by less than kProductRounding of the
/// lengths of its factors.
void fill_normals(const double* posed, const std::int32_t* triangles, std::size_t count, float unit, const Eight& side,
                  Normals* normals, Block& block) {
  const Float8 sides = load(side), sided = at_least(sides, splat(0) - sides);
  Float8 low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    low[k] = splat(kEndless);
    high[k] = splat(-kEndless);
  }
  for (std::size_t group = 0; group < count; ++group) {
    const auto [u, v] = edges_of(posed, triangles + 3 * kBlock * group, unit);
    const Float8 normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const Float8 squared = dot(normal, normal), factors = dot(u, u) * dot(v, v);
    const Float8 inverse = splat(1) / square_root(at_least(squared, splat(kLeast * kLeast)));
    const Float8 scale = sides * inverse;
    const Float8 around = sided * (splat(kNormalRounding) +
                                   (splat(kProductRounding) * square_root(factors) + splat(2 * kLeast)) * inverse);
    store(normals[group].around, around);
    for (int k = 0; k < 3; ++k) {
      const Float8 of = scale * normal[k];
      store(normals[group].of[k], of);
      low[k] = at_most(low[k], of - around);
      high[k] = at_least(high[k], of + around);
    }
  }
  Float8 squared = splat(0);
  for (int k = 0; k < 3; ++k) {
    const Float8 middle = splat(0.5F) * (low[k] + high[k]), half = high[k] - middle;
    store(block.normal[k], middle);
    squared = squared + half * half;
  }
  store(block.normal_spread, splat(kMiddle) * square_root(squared));
}

void fill_corners(const double* posed, const std::int32_t* corners, std::size_t count, Corners* out) {
  for (std::size_t k = 0; k < count; ++k) {
    for (int lane = 0; lane < kBlock; ++lane) {
      const double* p = position(posed, corners[kBlock * k + lane]);
      for (int axis = 0; axis < 3; ++axis) out[k].at[axis][lane] = static_cast<float>(p[axis]);
    }
  }
}

/// A block's boxes.
struct Boxes {
  Float8 low[3], high[3], around;
};
[[gnu::always_inline]] inline Boxes boxes_of(const Block& block) {
  return {{load(block.low[0]), load(block.low[1]), load(block.low[2])},
          {load(block.high[0]), load(block.high[1]), load(block.high[2])},
          load(block.around)};
}

/// How far a block's lanes lie from one of another, along the axis where they are farthest apart; 0 or less: they
/// overlap.
[[gnu::always_inline]] inline Float8 gaps(const Block& to, int lane, const Boxes& from) {
  Float8 gap[3];
  for (int k = 0; k < 3; ++k) {
    gap[k] = at_least(from.low[k] - splat(to.high[k][lane]), splat(to.low[k][lane]) - from.high[k]);
  }
  return at_least(at_least(gap[0], gap[1]), gap[2]);
}

/// Bits of the pairs of which the first lane or the second is marked.
[[gnu::always_inline]] inline std::uint64_t either_marked(std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t kEach = 0x0101010101010101, kTop = kEach << 7;
  const std::uint64_t own_bits = (first * kEach) & 0x8040201008040201;         // byte i: bit i of it
  const std::uint64_t rows = ((own_bits + (kTop - kEach)) | own_bits) & kTop;  // its top bit: there is one
  return (rows >> 7) * 0xff | second * kEach;
}

/// All rows: a branch that is guessed wrongly costs more than those that are in vain.
Near find_near(const Block& a, const Block& b) {
  const Boxes boxes = boxes_of(b);
  Near near{0, 0};
  for (int i = 0; i < kBlock; ++i) {
    const Float8 gap = gaps(a, i, boxes);
    near.touching |= std::uint64_t{bits(is_at_most(gap, splat(0)))} << (kBlock * i);
    near.around |= std::uint64_t{bits(is_at_most(gap, boxes.around + splat(a.around[i])))} << (kBlock * i);
  }
  near.touching &= either_marked(a.stirring, b.stirring);
  near.around &= either_marked(a.moving, b.moving);
  return near;
}

/// For each row that has pairs: which of them pass.
template <class Test>
[[gnu::always_inline]] inline std::uint64_t filter_rows(std::uint64_t pairs, const Test& test) {
  std::uint64_t passed = 0;
  while (pairs != 0) {
    const int i = __builtin_ctzll(pairs) / kBlock;
    const std::uint64_t row = std::uint64_t{0xff} << (kBlock * i);
    passed |= (std::uint64_t{test(i)} << (kBlock * i)) & pairs;
    pairs &= ~row;
  }
  return passed;
}

/// The product of two normals n = c + d and m = e + f, c and e the middles, is c·e + d·m + c·f, and no less than
/// c·e - |d| - |c| |f|.
std::uint64_t find_opposed(const Block& a, const Block& b, std::uint64_t pairs) {
  const Float8 normal[3] = {load(b.normal[0]), load(b.normal[1]), load(b.normal[2])};
  const Float8 spread = load(b.normal_spread);
  return filter_rows(pairs, [&](int i) {
    const Float8 own[3] = {splat(a.normal[0][i]), splat(a.normal[1][i]), splat(a.normal[2][i])};
    return bits(is_at_most(dot(own, normal), spread + splat(a.normal_spread[i] + kNormalRounding)));
  });
}

/// The normals of eight faces: by the diagonals, which are two edges of a triangle.
[[gnu::always_inline]] inline void cross_diagonals(const Cornered& of, Float8 (&normal)[3]) {
  const std::size_t last = of.count > 3 ? 3 : of.count - 1, third = of.count > 2 ? 2 : of.count - 1;
  const std::size_t second = of.count > 1 ? 1 : 0;
  Float8 u[3], v[3];
  for (int k = 0; k < 3; ++k) {
    u[k] = load(of.corners[third].at[k]) - load(of.corners[0].at[k]);
    v[k] = load(of.corners[last].at[k]) - load(of.corners[second].at[k]);
  }
  normal[0] = u[1] * v[2] - u[2] * v[1];
  normal[1] = u[2] * v[0] - u[0] * v[2];
  normal[2] = u[0] * v[1] - u[1] * v[0];
}

/// Faces are apart if one lies beyond the other along a direction, by more than they move: that from the middle of the
/// one box to that of the other, or the normal of one of them. Nothing of a direction need be exact; corners are, to
/// within `rounding`, and products to within a share of the lengths of their factors: boxes are no longer than four
/// times what they are grown by. Directions are taken for no shorter than what can be squared.
std::uint64_t find_crossing(const Cornered& a, const Cornered& b, std::uint64_t pairs, float rounding) {
  constexpr float kShare = 4e-6F;
  const Boxes boxes = boxes_of(b.block);
  const Float8 way = load(b.block.way);
  Float8 normals[3], others_normal[3];
  cross_diagonals(a, normals);
  cross_diagonals(b, others_normal);
  Eight own_normals[3];
  for (int k = 0; k < 3; ++k) store(own_normals[k], normals[k]);
  return filter_rows(pairs, [&](int i) {
    Float8 between[3], origin[3];
    for (int k = 0; k < 3; ++k) {
      between[k] = splat(0.5F) * ((boxes.low[k] + boxes.high[k]) - splat(a.block.low[k][i] + a.block.high[k][i]));
      origin[k] = splat(a.corners->at[k][i]);
    }
    const Float8 sizes = square_root(dot(between, between)) + splat(4) * (boxes.around + splat(a.block.around[i]));
    const Float8 moved = splat(kLonger) * (way + splat(a.block.way[i])) + splat(rounding) + splat(kShare) * sizes;
    const auto open_along = [&](const Float8(&direction)[3]) {
      Float8 own_low = splat(0), own_high = splat(0), low = splat(kEndless), high = splat(-kEndless);
      for (std::size_t k = 1; k < a.count; ++k) {
        const Corners& c = a.corners[k];
        const Float8 from[3] = {splat(c.at[0][i]) - origin[0], splat(c.at[1][i]) - origin[1],
                                splat(c.at[2][i]) - origin[2]};
        const Float8 along = dot(from, direction);
        own_low = at_most(own_low, along);
        own_high = at_least(own_high, along);
      }
      for (std::size_t k = 0; k < b.count; ++k) {
        const Corners& c = b.corners[k];
        const Float8 from[3] = {load(c.at[0]) - origin[0], load(c.at[1]) - origin[1], load(c.at[2]) - origin[2]};
        const Float8 along = dot(from, direction);
        low = at_most(low, along);
        high = at_least(high, along);
      }
      const Float8 length = square_root(at_least(dot(direction, direction), splat(kLeast * kLeast)));
      const Float8 room = at_least(low - own_high, own_low - high) - splat(kSmallest / kShare);
      return 0xff & ~bits(is_less(moved * length, room));
    };
    const auto row = static_cast<unsigned>(pairs >> (kBlock * i)) & 0xff;
    unsigned open = row & open_along(between);
    if (open != 0) open &= open_along(others_normal);
    if (open == 0) return open;
    const Float8 own_normal[3] = {splat(own_normals[0][i]), splat(own_normals[1][i]), splat(own_normals[2][i])};
    return open & open_along(own_normal);
  });
}

// Nearest points of two triangles that are in the way of each other differ by a vector v that is short, or points
// backwards: it lies within `reach` of the ray -λ (n - m), λ >= 0, where n and m are their normals. Where no such ray
// comes that near to the box that holds all differences of the two faces, none is.
std::uint64_t find_in_the_way(const Block& a, const Block& b, std::uint64_t pairs, float reach) {
  constexpr float kMargin = 1e-6F;
  const Boxes boxes = boxes_of(b);
  const Float8 normal[3] = {load(b.normal[0]), load(b.normal[1]), load(b.normal[2])};
  const Float8 way = load(b.way), spread = load(b.normal_spread), none = splat(0), endless = splat(kEndless);
  return filter_rows(pairs, [&](int i) {
    const Float8 around = splat(reach) * (way + splat(a.way[i]));
    const Float8 wide = spread + splat(a.normal_spread[i] + kMargin);
    Float8 least[3], most[3], fast[3], slow[3];  // λ fast >= least and λ slow <= most
    Mask8 away = is_less(none, none);            // no λ will do along one axis, as for most pairs
    for (int k = 0; k < 3; ++k) {
      const Float8 turn = normal[k] - splat(a.normal[k][i]);
      least[k] = boxes.low[k] - splat(a.high[k][i]) - around;
      most[k] = boxes.high[k] - splat(a.low[k][i]) + around;
      fast[k] = turn + wide;
      slow[k] = turn - wide;
      away = either(away, either(both(is_less(none, least[k]), is_at_most(fast[k], none)),
                                 both(is_less(most[k], none), is_at_most(none, slow[k]))));
    }
    const unsigned open = 0xff & ~bits(away);
    if ((open & (pairs >> (kBlock * i))) == 0) return open;
    Float8 low = none, high = endless;  // of λ
    for (int k = 0; k < 3; ++k) {
      const Float8 first = least[k] / fast[k], last = most[k] / slow[k];
      low = at_least(low, where(is_less(none, fast[k]), first, none));
      high = at_most(high, where(is_less(fast[k], none), first, endless));
      high = at_most(high, where(is_less(none, slow[k]), last, endless));
      low = at_least(low, where(is_less(slow[k], none), last, none));
    }
    return open & ~bits(is_less(high + splat(kMargin) * high, low));
  });
}

constexpr Kernels kKernels{bound_vertices, fill_boxes,   bound_blocks,  fill_normals,   fill_corners,
                           find_near,      find_opposed, find_crossing, find_in_the_way};

}  // namespace
}  // namespace isochor::contact_kernels
