#pragma once

/// A point or vector of three doubles as a value: one register with AVX2, three numbers elsewhere. Only what the
/// kernels need that are compiled twice (processor.h). No standard library; everything has internal linkage.

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace isochor::point3 {
namespace {

#if defined(__AVX2__)

/// x, y, z, and a fourth that means nothing.
typedef double Point __attribute__((vector_size(32)));

/// Reads three numbers and no more: a fourth may be beyond the end.
[[gnu::always_inline]] inline Point load(const double* from) {
  return _mm256_maskload_pd(from, _mm256_setr_epi64x(-1, -1, -1, 0));
}
/// In two pieces: masked stores are slow on many processors.
[[gnu::always_inline]] inline void store(double* to, Point a) {
  _mm_storeu_pd(to, _mm256_castpd256_pd128(a));
  _mm_storel_pd(to + 2, _mm256_extractf128_pd(a, 1));
}
/// y, z, x.
[[gnu::always_inline]] inline Point turn(Point a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
[[gnu::always_inline]] inline Point cross(Point a, Point b) { return turn(a * turn(b) - turn(a) * b); }
/// x + (y + z).
[[gnu::always_inline]] inline double sum(Point a) {
  const __m128d low = _mm256_castpd256_pd128(a);
  const __m128d rest = _mm_add_sd(_mm_unpackhi_pd(low, low), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(low, rest));
}
[[gnu::always_inline]] inline Point zero() { return Point{}; }

#else

struct Point {
  double x, y, z;
};
[[gnu::always_inline]] inline Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
[[gnu::always_inline]] inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
[[gnu::always_inline]] inline Point operator*(Point a, Point b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
[[gnu::always_inline]] inline Point operator*(double s, Point a) { return {s * a.x, s * a.y, s * a.z}; }

[[gnu::always_inline]] inline Point load(const double* from) { return {from[0], from[1], from[2]}; }
[[gnu::always_inline]] inline void store(double* to, Point a) {
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
[[gnu::always_inline]] inline Point cross(Point a, Point b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline double sum(Point a) { return a.x + (a.y + a.z); }
[[gnu::always_inline]] inline Point zero() { return {0, 0, 0}; }

#endif

[[gnu::always_inline]] inline double dot(Point a, Point b) { return sum(a * b); }

}  // namespace
}  // namespace isochor::point3
