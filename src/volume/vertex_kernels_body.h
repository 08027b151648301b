// The kernels' one source, included by vertex_kernels_portable.cpp and vertex_kernels_avx2.cpp.

#include "base/double4.h"
#include "volume/vertex_kernels.h"

namespace isochor::vertex_kernels {
namespace {

using double4::cross, double4::dot, double4::Double4, double4::for_fours, double4::Lanes, double4::Linear4,
    double4::load_linear, double4::Point4, double4::splat, double4::square_root, double4::where;

/// A map whose fibre (the rest normal carried along) is shorter than this has no direction to speak of. Relative to its
/// length at rest.
constexpr double kShortFibre = 0.02;
/// Of the direction of displacement: the rest normal as the vertex's map carries it, the rest the posed surface's
/// normal. In a pinch posed normals point along the limb, carried ones still outward.
constexpr double kFibreShare = 0.8;
/// Between these losses of the fibre's squared length the posed normal loses its share: in a pinch it swings towards
/// the limb's axis, and with it rings of skin pass through each other (192 faces of a cylinder twisted by 160°).
constexpr double kPinchBegins = 0.1, kPinch = 0.5;
/// As guarded_normal() has it.
constexpr double kFold = 0.05;

[[gnu::always_inline]] inline Double4 smooth_step(double low, double high, Double4 x) {
  Double4 t = (x - low) / (high - low);
  t = where(t < 0, splat(0), t);
  t = where(t > 1, splat(1), t);
  return t * t * (3 - 2 * t);
}

/// The surface's normal, which fades to nothing where it is folded: guarded_normal() (isochor/volume/solve.h).
[[gnu::always_inline]] inline Point4 surface_normal(const Point4& gradient, Double4 area) {
  const Double4 squared = dot(gradient, gradient) + kFold * kFold * area * area;
  const Point4 none{splat(0), splat(0), splat(0)};
  return where(squared > 0, gradient / square_root(squared), none);
}

void read_fibres(const Vertices& vertices, const FibreInput& in, const FibreOutput& out) {
  const double unit = in.scale > 0 ? 1 / in.scale : 1;
  for_fours(vertices.which, vertices.count, [&](const Lanes& lanes) {
    const Linear4 map = load_linear(lanes, in.maps);
    const Point4 rest = lanes.points(in.rest_normals);
    const Point4 carried = rest.x * map.column[0] + rest.y * map.column[1] + rest.z * map.column[2];
    const Point4 fibre = splat(unit) * carried;
    const Double4 squared = dot(fibre, fibre);
    const Double4 loss = 1 - squared;
    const Double4 area = in.scale * in.scale * lanes.numbers(in.areas);
    const Point4 surface = splat(in.sign) * surface_normal(lanes.points(in.gradient), area);
    const Double4 posed = (1 - kFibreShare) * (1 - smooth_step(kPinchBegins, kPinch, loss));
    const Point4 mixed = (1 - posed) / (square_root(squared) + kShortFibre) * fibre + posed * surface;
    const Double4 radius = in.scale * lanes.numbers(in.radius);
    lanes.store(out.loss, loss);
    lanes.store(out.normals, radius / square_root(dot(mixed, mixed) + kShortFibre * kShortFibre) * mixed);
  });
}

/// As RestCarrier (volume/rest_carrier.h) has it: what can be had of a displacement, and the offset at rest for it.
struct Carried {
  Point4 displacement, offset;
};
[[gnu::always_inline]] inline Carried carry(const Linear4& map, const Point4& wanted) {
  constexpr double kLargest = 20, kNil = 1e-60;
  const Point4 &c0 = map.column[0], &c1 = map.column[1], &c2 = map.column[2];
  const Point4 r0 = cross(c1, c2), r1 = cross(c2, c0), r2 = cross(c0, c1);
  const Double4 size = dot(c0, c0) + dot(c1, c1) + dot(c2, c2);
  const Double4 determinant = dot(r0, c0);
  const Double4 length = dot(wanted, wanted);
  const Point4 offset = Point4{dot(r0, wanted), dot(r1, wanted), dot(r2, wanted)} / determinant;
  const Double4 square = dot(offset, offset) * size / (kLargest * kLargest * length);
  // Nothing can be carried by a map without volume, and of nothing there is nothing to be carried.
  const auto carries = (determinant * determinant > kNil * size * size * size) & (length > 0);
  const Double4 kept = where(carries, 1 / (1 + square * square), splat(0));
  return {kept * wanted, where(carries, kept * offset, Point4{splat(0), splat(0), splat(0)})};
}

void carry_heights(const Vertices& vertices, const HeightInput& in, const HeightOutput& out) {
  for_fours(vertices.which, vertices.count, [&](const Lanes& lanes) {
    const Carried normal = carry(load_linear(lanes, in.maps), lanes.points(in.normals));
    const Double4 height = lanes.numbers(in.heights), closing = lanes.numbers(in.closing_heights);
    lanes.store(out.offsets, height * normal.offset);
    lanes.store(out.closing_offsets, closing * normal.offset);
    lanes.store(out.positions, lanes.points(in.positions) + height * normal.displacement);
    lanes.store(out.closing, closing * normal.displacement);
  });
}

void carry_normals(const Vertices& vertices, const NormalInput& in, const NormalOutput& out) {
  for_fours(vertices.which, vertices.count, [&](const Lanes& lanes) {
    const Double4 area = in.scale * in.scale * lanes.numbers(in.areas);
    const Carried normal = carry(load_linear(lanes, in.maps), surface_normal(lanes.points(in.gradient), area));
    lanes.store(out.displacements, normal.displacement);
    lanes.store(out.offsets, normal.offset);
  });
}

constexpr Kernels kKernels{read_fibres, carry_heights, carry_normals};

}  // namespace
}  // namespace isochor::vertex_kernels
