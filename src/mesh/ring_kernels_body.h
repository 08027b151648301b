// The kernels' one source, included by ring_kernels_portable.cpp and ring_kernels_avx2.cpp.

#include "base/point3.h"
#include "mesh/ring_kernels.h"

namespace isochor::ring_kernels {
namespace {

using point3::cross, point3::dot, point3::load, point3::Point, point3::store, point3::sum, point3::zero;

/// The corners of a ring, among points of all vertices.
struct Corners {
  const std::int32_t* of;
  std::size_t count;

  [[gnu::always_inline]] Point at(const double* points, std::size_t k) const {
    return load(points + 3 * static_cast<std::size_t>(of[k]));
  }
  [[gnu::always_inline]] std::size_t after(std::size_t k) const { return k + 1 == count ? 0 : k + 1; }
  [[gnu::always_inline]] std::size_t before(std::size_t k) const { return k == 0 ? count - 1 : k - 1; }
  [[gnu::always_inline]] double shares() const { return static_cast<double>(count); }
};

[[gnu::always_inline]] inline Corners corners(const Rings& rings, std::size_t r) {
  const std::int32_t first = rings.begin[r], end = rings.begin[r + 1];
  return {rings.corners + first, static_cast<std::size_t>(end - first)};
}

/// The two factors of a ring's volume, s · N / 6n.
struct Moments {
  Point sum, normal;
};

[[gnu::always_inline]] inline Moments moments(const Corners& ring, const double* positions, Point origin) {
  const Point a = ring.at(positions, 0);
  if (ring.count == 3) {
    const Point b = ring.at(positions, 1), c = ring.at(positions, 2);
    return {a + b + c - 3.0 * origin, cross(b - a, c - a)};
  }
  if (ring.count == 4) {
    const Point b = ring.at(positions, 1), c = ring.at(positions, 2), d = ring.at(positions, 3);
    return {a + b + c + d - 4.0 * origin, cross(c - a, d - b)};
  }
  Point sum = zero(), normal = zero(), last = zero();
  for (std::size_t k = 0; k < ring.count; ++k) {
    const Point next = ring.at(positions, k) - a;
    sum = sum + next;
    normal = normal + cross(last, next);
    last = next;
  }
  return {sum + ring.shares() * (a - origin), normal};
}

/// The part of N that is of first order in the direction, the one of second order, and how far the sum goes.
struct Expansion {
  Point first, second, move;
};

[[gnu::always_inline]] inline Expansion expand(const Corners& ring, const double* positions, const double* direction) {
  const Point p = ring.at(positions, 0), d = ring.at(direction, 0);
  if (ring.count == 3) {
    const Point d1 = ring.at(direction, 1), d2 = ring.at(direction, 2);
    const Point ab = ring.at(positions, 1) - p, ac = ring.at(positions, 2) - p;
    const Point db = d1 - d, dc = d2 - d;
    return {cross(ab, dc) + cross(db, ac), cross(db, dc), d + d1 + d2};
  }
  if (ring.count == 4) {
    const Point d1 = ring.at(direction, 1), d2 = ring.at(direction, 2), d3 = ring.at(direction, 3);
    const Point ac = ring.at(positions, 2) - p, bd = ring.at(positions, 3) - ring.at(positions, 1);
    const Point dac = d2 - d, dbd = d3 - d1;
    return {cross(ac, dbd) + cross(dac, bd), cross(dac, dbd), d + d1 + d2 + d3};
  }
  Expansion e{zero(), zero(), zero()};
  Point last_p = zero(), last_d = zero();
  for (std::size_t k = 0; k < ring.count; ++k) {
    const Point own = ring.at(direction, k), next_p = ring.at(positions, k) - p, next_d = own - d;
    e.first = e.first + cross(last_p, next_d) + cross(last_d, next_p);
    e.second = e.second + cross(last_d, next_d);
    e.move = e.move + own;
    last_p = next_p;
    last_d = next_d;
  }
  return e;
}

double volume(const Rings& rings, const Shape& shape) {
  const Point origin = load(shape.origin);
  double sum = 0;
  for (std::size_t i = 0; i < rings.count; ++i) {
    const Corners ring = corners(rings, static_cast<std::size_t>(rings.which[i]));
    const Moments m = moments(ring, shape.positions, origin);
    sum += dot(m.sum, m.normal) / ring.shares();
  }
  return sum / 6;
}

void measure(const Rings& rings, const Shape& shape, const OfRings& out) {
  const Point origin = load(shape.origin);
  for (std::size_t i = 0; i < rings.count; ++i) {
    const auto r = static_cast<std::size_t>(rings.which[i]);
    const Corners ring = corners(rings, r);
    const Moments m = moments(ring, shape.positions, origin);
    if (out.volumes != nullptr) out.volumes[r] = dot(m.sum, m.normal) / (6.0 * ring.shares());
    if (out.areas != nullptr) store(out.areas + 3 * r, 0.5 * m.normal);
  }
}

[[gnu::always_inline]] inline void add(double* gradient, std::int32_t v, Point change) {
  double* to = gradient + 3 * static_cast<std::size_t>(v);
  store(to, load(to) + change);
}

void gradient(const Rings& rings, const Shape& shape, double* __restrict gradient, const OfRings& out) {
  const Point origin = load(shape.origin);
  const double* __restrict positions = shape.positions;
  double* __restrict volumes = out.volumes, * __restrict areas = out.areas;
  for (std::size_t i = 0; i < rings.count; ++i) {
    const auto r = static_cast<std::size_t>(rings.which[i]);
    const Corners ring = corners(rings, r);
    const Moments m = moments(ring, positions, origin);
    const double scale = 1 / (6.0 * ring.shares());
    const Point normal = scale * m.normal, s = scale * m.sum;
    if (volumes != nullptr) volumes[r] = dot(s, m.normal);
    if (areas != nullptr) store(areas + 3 * r, 0.5 * m.normal);
    if (ring.count == 3) {
      const Point a = ring.at(positions, 0), b = ring.at(positions, 1), c = ring.at(positions, 2);
      add(gradient, ring.of[0], normal + cross(b - c, s));
      add(gradient, ring.of[1], normal + cross(c - a, s));
      add(gradient, ring.of[2], normal + cross(a - b, s));
      continue;
    }
    if (ring.count == 4) {
      const Point turn = cross(ring.at(positions, 3) - ring.at(positions, 1), s);
      const Point other = cross(s, ring.at(positions, 2) - ring.at(positions, 0));
      add(gradient, ring.of[0], normal - turn);
      add(gradient, ring.of[1], normal - other);
      add(gradient, ring.of[2], normal + turn);
      add(gradient, ring.of[3], normal + other);
      continue;
    }
    for (std::size_t k = 0; k < ring.count; ++k) {
      const Point chord = ring.at(positions, ring.after(k)) - ring.at(positions, ring.before(k));
      add(gradient, ring.of[k], normal + cross(chord, s));
    }
  }
}

/// Coordinate by coordinate, summed at the end.
void along(const Rings& rings, const Shape& shape, const double* direction, double* __restrict volumes, double* cubic) {
  const Point origin = load(shape.origin);
  const double* __restrict positions = shape.positions;
  Point c1 = zero(), c2 = zero(), c3 = zero();
  for (std::size_t i = 0; i < rings.count; ++i) {
    const auto r = static_cast<std::size_t>(rings.which[i]);
    const Corners ring = corners(rings, r);
    const Moments m = moments(ring, positions, origin);
    const Expansion e = expand(ring, positions, direction);
    const double scale = 1 / (6.0 * ring.shares());
    if (volumes != nullptr) volumes[r] = scale * dot(m.sum, m.normal);
    c1 = c1 + scale * (e.move * m.normal + m.sum * e.first);
    c2 = c2 + scale * (e.move * e.first + m.sum * e.second);
    c3 = c3 + scale * (e.move * e.second);
  }
  cubic[0] = sum(c1);
  cubic[1] = sum(c2);
  cubic[2] = sum(c3);
}

constexpr Kernels kKernels{volume, measure, gradient, along};

}  // namespace
}  // namespace isochor::ring_kernels
