#pragma once

/// Eight floats as a value: one register with AVX2, two of four floats elsewhere. Only what the kernels need that are
/// compiled twice (processor.h). GCC's vector extensions, which clang shares, on every processor: SSE2, NEON and
/// WebAssembly alike. No standard library; everything has internal linkage.

#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace isochor::float8 {
namespace {

typedef float Float4 __attribute__((vector_size(16)));

#if defined(__AVX2__)

typedef float Float8 __attribute__((vector_size(32)));
typedef std::int32_t Mask8 __attribute__((vector_size(32)));
typedef float Unaligned8 __attribute__((vector_size(32), aligned(4), may_alias));

[[gnu::always_inline]] inline Float8 load(const float* from) { return *reinterpret_cast<const Unaligned8*>(from); }
[[gnu::always_inline]] inline void store(float* to, Float8 a) { *reinterpret_cast<Unaligned8*>(to) = a; }
[[gnu::always_inline]] inline Float8 splat(float a) { return Float8{a, a, a, a, a, a, a, a}; }
[[gnu::always_inline]] inline Float8 halves(Float4 a, Float4 b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
[[gnu::always_inline]] inline Float8 square_root(Float8 a) { return _mm256_sqrt_ps(a); }
[[gnu::always_inline]] inline Float8 at_least(Float8 a, Float8 b) { return _mm256_max_ps(a, b); }
/// b where either is not a number.
[[gnu::always_inline]] inline Float8 at_most(Float8 a, Float8 b) { return _mm256_min_ps(a, b); }
[[gnu::always_inline]] inline Mask8 is_less(Float8 a, Float8 b) { return a < b; }
[[gnu::always_inline]] inline Mask8 is_at_most(Float8 a, Float8 b) { return a <= b; }
[[gnu::always_inline]] inline Mask8 both(Mask8 a, Mask8 b) { return a & b; }
[[gnu::always_inline]] inline Mask8 either(Mask8 a, Mask8 b) { return a | b; }
/// Where a mask is set, else something else.
[[gnu::always_inline]] inline Float8 where(Mask8 mask, Float8 a, Float8 b) {
  return _mm256_blendv_ps(b, a, (Float8)mask);
}
/// Bit i for lane i.
[[gnu::always_inline]] inline unsigned bits(Mask8 mask) {
  return static_cast<unsigned>(_mm256_movemask_ps((Float8)mask));
}
/// The sign bit where a < 0, no bit elsewhere (so that −0 counts as positive).
[[gnu::always_inline]] inline Mask8 sign_where_negative(Float8 a) { return (a < Float8{}) & (Mask8{} + INT32_MIN); }
[[gnu::always_inline]] inline Float8 flip_sign(Float8 a, Mask8 sign) { return (Float8)((Mask8)a ^ sign); }

/// Elements A, B of each half of `a`, then elements C, D of the same half of `b`.
template <int A, int B, int C, int D>
[[gnu::always_inline]] inline Float8 pick(Float8 a, Float8 b) {
  return __builtin_shufflevector(a, b, A, B, 8 + C, 8 + D, 4 + A, 4 + B, 12 + C, 12 + D);
}
[[gnu::always_inline]] inline Float8 interleave_low(Float8 a, Float8 b) { return _mm256_unpacklo_ps(a, b); }
[[gnu::always_inline]] inline Float8 interleave_high(Float8 a, Float8 b) { return _mm256_unpackhi_ps(a, b); }
/// Half A of `a`, then half B of `b`.
template <int A, int B>
[[gnu::always_inline]] inline Float8 join(Float8 a, Float8 b) {
  constexpr int p = 4 * A;
  constexpr int q = 8 + 4 * B;
  return __builtin_shufflevector(a, b, p, p + 1, p + 2, p + 3, q, q + 1, q + 2, q + 3);
}

#else

typedef std::int32_t Mask4 __attribute__((vector_size(16)));
typedef float Unaligned4 __attribute__((vector_size(16), aligned(4), may_alias));

struct Float8 {
  Float4 low, high;
};
struct Mask8 {
  Mask4 low, high;
};

[[gnu::always_inline]] inline Float8 operator+(Float8 a, Float8 b) { return {a.low + b.low, a.high + b.high}; }
[[gnu::always_inline]] inline Float8 operator-(Float8 a, Float8 b) { return {a.low - b.low, a.high - b.high}; }
[[gnu::always_inline]] inline Float8 operator*(Float8 a, Float8 b) { return {a.low * b.low, a.high * b.high}; }
[[gnu::always_inline]] inline Float8 operator/(Float8 a, Float8 b) { return {a.low / b.low, a.high / b.high}; }

[[gnu::always_inline]] inline Float8 load(const float* from) {
  return {*reinterpret_cast<const Unaligned4*>(from), *reinterpret_cast<const Unaligned4*>(from + 4)};
}
[[gnu::always_inline]] inline void store(float* to, Float8 a) {
  *reinterpret_cast<Unaligned4*>(to) = a.low;
  *reinterpret_cast<Unaligned4*>(to + 4) = a.high;
}
[[gnu::always_inline]] inline Float8 splat(float a) { return {Float4{a, a, a, a}, Float4{a, a, a, a}}; }
[[gnu::always_inline]] inline Float8 halves(Float4 a, Float4 b) { return {a, b}; }

[[gnu::always_inline]] inline Float4 square_root(Float4 a) {
#if defined(__SSE2__)
  return _mm_sqrt_ps(a);
#else
  return Float4{__builtin_sqrtf(a[0]), __builtin_sqrtf(a[1]), __builtin_sqrtf(a[2]), __builtin_sqrtf(a[3])};
#endif
}
[[gnu::always_inline]] inline Float8 square_root(Float8 a) { return {square_root(a.low), square_root(a.high)}; }
/// b where either is not a number, as the AVX2 instruction has it.
[[gnu::always_inline]] inline Float4 at_least(Float4 a, Float4 b) {
#if defined(__SSE2__)
  return _mm_max_ps(a, b);
#else
  const Mask4 keep = a > b;
  return (Float4)(((Mask4)a & keep) | ((Mask4)b & ~keep));
#endif
}
[[gnu::always_inline]] inline Float8 at_least(Float8 a, Float8 b) {
  return {at_least(a.low, b.low), at_least(a.high, b.high)};
}
[[gnu::always_inline]] inline Float4 at_most(Float4 a, Float4 b) {
#if defined(__SSE2__)
  return _mm_min_ps(a, b);
#else
  const Mask4 keep = a < b;
  return (Float4)(((Mask4)a & keep) | ((Mask4)b & ~keep));
#endif
}
[[gnu::always_inline]] inline Float8 at_most(Float8 a, Float8 b) {
  return {at_most(a.low, b.low), at_most(a.high, b.high)};
}
[[gnu::always_inline]] inline Mask8 is_less(Float8 a, Float8 b) { return {a.low < b.low, a.high < b.high}; }
[[gnu::always_inline]] inline Mask8 is_at_most(Float8 a, Float8 b) { return {a.low <= b.low, a.high <= b.high}; }
[[gnu::always_inline]] inline Mask8 both(Mask8 a, Mask8 b) { return {a.low & b.low, a.high & b.high}; }
[[gnu::always_inline]] inline Mask8 either(Mask8 a, Mask8 b) { return {a.low | b.low, a.high | b.high}; }
[[gnu::always_inline]] inline Float4 where(Mask4 mask, Float4 a, Float4 b) {
  return (Float4)(((Mask4)a & mask) | ((Mask4)b & ~mask));
}
[[gnu::always_inline]] inline Float8 where(Mask8 mask, Float8 a, Float8 b) {
  return {where(mask.low, a.low, b.low), where(mask.high, a.high, b.high)};
}
[[gnu::always_inline]] inline unsigned bits(Mask4 mask) {
#if defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps((Float4)mask));
#else
  return static_cast<unsigned>((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}
[[gnu::always_inline]] inline unsigned bits(Mask8 mask) { return bits(mask.low) | bits(mask.high) << 4; }
[[gnu::always_inline]] inline Mask8 sign_where_negative(Float8 a) {
  const Mask4 sign = Mask4{} + INT32_MIN;
  return {(a.low < Float4{}) & sign, (a.high < Float4{}) & sign};
}
[[gnu::always_inline]] inline Float8 flip_sign(Float8 a, Mask8 sign) {
  return {(Float4)((Mask4)a.low ^ sign.low), (Float4)((Mask4)a.high ^ sign.high)};
}

template <int A, int B, int C, int D>
[[gnu::always_inline]] inline Float8 pick(Float8 a, Float8 b) {
  return {__builtin_shufflevector(a.low, b.low, A, B, 4 + C, 4 + D),
          __builtin_shufflevector(a.high, b.high, A, B, 4 + C, 4 + D)};
}
[[gnu::always_inline]] inline Float8 interleave_low(Float8 a, Float8 b) {
  return {__builtin_shufflevector(a.low, b.low, 0, 4, 1, 5), __builtin_shufflevector(a.high, b.high, 0, 4, 1, 5)};
}
[[gnu::always_inline]] inline Float8 interleave_high(Float8 a, Float8 b) {
  return {__builtin_shufflevector(a.low, b.low, 2, 6, 3, 7), __builtin_shufflevector(a.high, b.high, 2, 6, 3, 7)};
}
template <int A, int B>
[[gnu::always_inline]] inline Float8 join(Float8 a, Float8 b) {
  return {A == 0 ? a.low : a.high, B == 0 ? b.low : b.high};
}

#endif

/// Four vectors: element i of each half goes to out[i], one from each vector.
[[gnu::always_inline]] inline void transpose_halves(Float8 v0, Float8 v1, Float8 v2, Float8 v3, Float8* out) {
  const Float8 a = interleave_low(v0, v1);
  const Float8 b = interleave_low(v2, v3);
  const Float8 c = interleave_high(v0, v1);
  const Float8 d = interleave_high(v2, v3);
  out[0] = pick<0, 1, 0, 1>(a, b);
  out[1] = pick<2, 3, 2, 3>(a, b);
  out[2] = pick<0, 1, 0, 1>(c, d);
  out[3] = pick<2, 3, 2, 3>(c, d);
}

/// Eight vectors: element i of each goes to the ith.
[[gnu::always_inline]] inline void transpose(Float8 (&v)[8]) {
  Float8 first[4], second[4];
  transpose_halves(v[0], v[1], v[2], v[3], first);
  transpose_halves(v[4], v[5], v[6], v[7], second);
  for (int i = 0; i < 4; ++i) {
    v[i] = join<0, 0>(first[i], second[i]);
    v[4 + i] = join<1, 1>(first[i], second[i]);
  }
}

}  // namespace
}  // namespace isochor::float8
