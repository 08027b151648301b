#pragma once

/// Four doubles as a value: one register with AVX2, several elsewhere; and points of four vertices, one lane each. Only
/// what the kernels need that are compiled twice (processor.h). GCC's vector extensions, which clang shares, on every
/// processor. No standard library; everything has internal linkage.

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace isochor::double4 {
namespace {

typedef double Double4 __attribute__((vector_size(32)));
typedef std::int64_t Mask4 __attribute__((vector_size(32)));
typedef double Unaligned4 __attribute__((vector_size(32), aligned(8), may_alias));

[[gnu::always_inline]] inline Double4 splat(double a) { return Double4{a, a, a, a}; }
[[gnu::always_inline]] inline Double4 load(const double* from) { return *reinterpret_cast<const Unaligned4*>(from); }
/// Three numbers, and no more: a fourth may be beyond the end.
[[gnu::always_inline]] inline Double4 load3(const double* from) {
#if defined(__AVX2__)
  return _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0));
#else
  return Double4{from[0], from[1], from[2], 0};
#endif
}
[[gnu::always_inline]] inline void store3(double* to, Double4 a) {
#if defined(__AVX2__)
  _mm_storeu_pd(to, _mm256_castpd256_pd128(a));
  _mm_storel_pd(to + 2, _mm256_extractf128_pd(a, 1));
#else
  to[0] = a[0];
  to[1] = a[1];
  to[2] = a[2];
#endif
}
[[gnu::always_inline]] inline Double4 square_root(Double4 a) {
#if defined(__AVX2__)
  return _mm256_sqrt_pd(a);
#elif defined(__SSE2__)
  const __m128d low = _mm_sqrt_pd(__m128d{a[0], a[1]}), high = _mm_sqrt_pd(__m128d{a[2], a[3]});
  return Double4{low[0], low[1], high[0], high[1]};
#else
  return Double4{__builtin_sqrt(a[0]), __builtin_sqrt(a[1]), __builtin_sqrt(a[2]), __builtin_sqrt(a[3])};
#endif
}
/// Where a mask is set, else something else.
[[gnu::always_inline]] inline Double4 where(Mask4 mask, Double4 a, Double4 b) { return mask ? a : b; }

[[gnu::always_inline]] inline void transpose(Double4 (&v)[4]) {
  const Double4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6),
                b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
  const Double4 c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6),
                d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

struct Point4 {
  Double4 x, y, z;
};
[[gnu::always_inline]] inline Point4 operator+(const Point4& a, const Point4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline Point4 operator*(Double4 s, const Point4& a) { return {s * a.x, s * a.y, s * a.z}; }
[[gnu::always_inline]] inline Point4 operator/(const Point4& a, Double4 s) { return {a.x / s, a.y / s, a.z / s}; }
[[gnu::always_inline]] inline Double4 dot(const Point4& a, const Point4& b) {
  return a.x * b.x + (a.y * b.y + a.z * b.z);
}
[[gnu::always_inline]] inline Point4 cross(const Point4& a, const Point4& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline Point4 where(Mask4 mask, const Point4& a, const Point4& b) {
  return {where(mask, a.x, b.x), where(mask, a.y, b.y), where(mask, a.z, b.z)};
}

/// Four vertices, among the numbers of all.
struct Lanes {
  std::size_t of[4];

  [[gnu::always_inline]] Double4 numbers(const double* from) const {
    return Double4{from[of[0]], from[of[1]], from[of[2]], from[of[3]]};
  }
  [[gnu::always_inline]] Point4 points(const double* from) const {
    Double4 v[4] = {load3(from + 3 * of[0]), load3(from + 3 * of[1]), load3(from + 3 * of[2]), load3(from + 3 * of[3])};
    transpose(v);
    return {v[0], v[1], v[2]};
  }
  [[gnu::always_inline]] void store(double* to, Double4 a) const {
    for (int lane = 0; lane < 4; ++lane) to[of[lane]] = a[lane];
  }
  [[gnu::always_inline]] void store(double* to, const Point4& a) const {
    Double4 v[4] = {a.x, a.y, a.z, Double4{}};
    transpose(v);
    for (int lane = 0; lane < 4; ++lane) store3(to + 3 * of[lane], v[lane]);
  }
};

/// Four at a time; where fewer are left, the last stands for those that are missing.
template <class Body>
[[gnu::always_inline]] inline void for_fours(const std::int32_t* vertices, std::size_t count, const Body& body) {
  for (std::size_t i = 0; i < count; i += 4) {
    Lanes lanes;
    for (std::size_t lane = 0; lane < 4; ++lane) {
      lanes.of[lane] = static_cast<std::size_t>(vertices[i + lane < count ? i + lane : count - 1]);
    }
    body(lanes);
  }
}

/// The columns of the linear parts of four maps of 3 × 4 numbers by columns.
struct Linear4 {
  Point4 column[3];
};
[[gnu::always_inline]] inline Linear4 load_linear(const Lanes& lanes, const double* maps) {
  Double4 v[3][4];
  for (int lane = 0; lane < 4; ++lane) {
    const double* from = maps + 12 * lanes.of[lane];
    for (int part = 0; part < 3; ++part) v[part][lane] = load(from + 4 * part);
  }
  transpose(v[0]);
  transpose(v[1]);
  transpose(v[2]);
  return {{{v[0][0], v[0][1], v[0][2]}, {v[0][3], v[1][0], v[1][1]}, {v[1][2], v[1][3], v[2][0]}}};
}

}  // namespace
}  // namespace isochor::double4
