#include "isochor/sample/implicit.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/math.h"

namespace isochor {
namespace {

const Vec3 kMirror(-1, 1, 1);
constexpr double kFar = 1e30;

FieldSample evaluate_sphere(const Vec3& offset, double radius) {
  return {offset.norm() - radius, unit_or(offset, Vec3::UnitY())};
}

/// In the half plane through the axis, with t along it and y away from it: two discs and their common tangent, whose
/// normal is (s, c). The foot of a point on the tangent tells which of the three pieces is nearest.
FieldSample evaluate_solid(const RoundCone& cone, const Vec3& point) {
  const Vec3 axis = cone.b - cone.a;
  const double length = axis.norm();
  const double slope = cone.radius_a - cone.radius_b;
  if (length <= std::abs(slope)) {
    return slope > 0 ? evaluate_sphere(point - cone.a, cone.radius_a) : evaluate_sphere(point - cone.b, cone.radius_b);
  }
  const Vec3 u = axis / length;
  const Vec3 from_a = point - cone.a;
  const double t = from_a.dot(u);
  const Vec3 away = from_a - t * u;
  const double y = away.norm();
  const double s = slope / length;
  const double c = std::sqrt(1 - s * s);
  const double foot = c * t - s * y;
  if (foot <= 0) return evaluate_sphere(from_a, cone.radius_a);
  if (foot >= c * length) return evaluate_sphere(point - cone.b, cone.radius_b);
  return {c * y + s * t - cone.radius_a, s * u + c * unit_or(away, u.unitOrthogonal())};
}

/// f / |∇f| for f = |p/r|² - 1 up to higher orders; at the surface the value is the distance to first order.
FieldSample evaluate_solid(const Ellipsoid& ellipsoid, const Vec3& point) {
  const Vec3 p = ellipsoid.orientation.conjugate() * (point - ellipsoid.center);
  const Vec3 scaled = p.cwiseQuotient(ellipsoid.radii);
  const Vec3 normal = scaled.cwiseQuotient(ellipsoid.radii);
  const double k0 = scaled.norm();
  const double k1 = normal.norm();
  if (k1 == 0) return {-ellipsoid.radii.minCoeff(), Vec3::UnitY()};
  return {k0 * (k0 - 1) / k1, ellipsoid.orientation * Vec3(normal / k1)};
}

/// Within the ellipse the distance is that to its plane; beyond, that to its rim, to first order.
FieldSample evaluate_solid(const RoundPlate& plate, const Vec3& point) {
  const Vec3 p = plate.orientation.conjugate() * (point - plate.center);
  const Vec3 scaled(p.x() / plate.radius_x, p.y() / plate.radius_y, 0);
  const Vec3 normal(scaled.x() / plate.radius_x, scaled.y() / plate.radius_y, 0);
  const double k0 = scaled.norm();
  const Vec3 outward = unit_or(normal, Vec3::UnitX());
  const double beyond = k0 > 1 ? k0 * (k0 - 1) / normal.norm() : 0.0;
  const Vec3 offset = beyond * outward + p.z() * Vec3::UnitZ();
  return {offset.norm() - plate.thickness, plate.orientation * unit_or(offset, Vec3::UnitZ())};
}

/// Cheap lower bounds of the values above, from a ball around each solid.
double least_value(const RoundCone& cone, const Vec3& point) {
  const double reach = (cone.b - cone.a).norm() / 2 + std::max(cone.radius_a, cone.radius_b);
  return (point - (cone.a + cone.b) / 2).norm() - reach;
}
/// k0 (k0 - 1) / k1 is no less than r_min (k0 - 1), and k0 no less than |p| / r_max.
double least_value(const Ellipsoid& ellipsoid, const Vec3& point) {
  const double away = (point - ellipsoid.center).norm() / ellipsoid.radii.maxCoeff();
  return away > 1 ? ellipsoid.radii.minCoeff() * (away - 1) : -kFar;
}
/// Likewise for the part in the plane; with the height over it, no less than their sum by the square root of two.
double least_value(const RoundPlate& plate, const Vec3& point) {
  const double small = std::min(plate.radius_x, plate.radius_y);
  const double away = (point - plate.center).norm() / std::max(plate.radius_x, plate.radius_y);
  return away > 1 ? 0.7 * small * (away - 1) - plate.thickness : -kFar;
}

double center_x(const RoundCone& cone) { return cone.a.x() + cone.b.x(); }
double center_x(const Ellipsoid& ellipsoid) { return ellipsoid.center.x(); }
double center_x(const RoundPlate& plate) { return plate.center.x(); }

FieldSample evaluate_one(const Blob& blob, const Vec3& point) {
  return std::visit([&](const auto& solid) { return evaluate_solid(solid, point); }, blob.shape);
}

/// The weight that the larger of two values has in the gradient of their smooth minimum, 1/2 where they are equal.
double share_of_larger(double difference, double width) {
  const double h = width > 0 ? std::max(width - difference, 0.0) / width : 0.0;
  return h * h / 2;
}

FieldSample smooth_union(const FieldSample& a, const FieldSample& b, double width) {
  const FieldSample& small = a.value <= b.value ? a : b;
  const FieldSample& large = a.value <= b.value ? b : a;
  const double share = share_of_larger(large.value - small.value, width);
  return {smooth_min(a.value, b.value, width), (1 - share) * small.gradient + share * large.gradient};
}

/// The part of a solid above a plane: max(a, depth) is -min(-a, -depth).
FieldSample cut_below(const FieldSample& solid, double depth, double width) {
  const FieldSample result = smooth_union({-solid.value, -solid.gradient}, {-depth, Vec3::UnitY()}, width);
  return {-result.value, -result.gradient};
}

/// The two halves of a mirrored pair meet softly, or a crease would run along the plane of symmetry.
double pair_blend(const Blob& blob) { return blob.blend / 2; }

/// True where a blob is too far away to change a value: the smooth minimum is then exactly that value.
bool is_out_of_reach(const Blob& blob, const Vec3& point, double value) {
  const double needed = value + blob.blend + (blob.mirrored ? pair_blend(blob) / 6 : 0);
  return std::visit(
      [&](const auto& solid) {
        const bool nearer_reflected = blob.mirrored && point.x() * center_x(solid) < 0;
        return least_value(solid, nearer_reflected ? Vec3(point.cwiseProduct(kMirror)) : point) > needed;
      },
      blob.shape);
}

Box solid_box(const RoundCone& cone) {
  Box box(cone.a - Vec3::Constant(cone.radius_a), cone.a + Vec3::Constant(cone.radius_a));
  box.extend(Box(cone.b - Vec3::Constant(cone.radius_b), cone.b + Vec3::Constant(cone.radius_b)));
  return box;
}

Box solid_box(const Ellipsoid& ellipsoid) {
  const Mat3 axes = ellipsoid.orientation.toRotationMatrix() * ellipsoid.radii.asDiagonal();
  const Vec3 half = axes.rowwise().norm();
  return {ellipsoid.center - half, ellipsoid.center + half};
}

Box solid_box(const RoundPlate& plate) {
  const Mat3 axes = plate.orientation.toRotationMatrix() * Vec3(plate.radius_x, plate.radius_y, 0).asDiagonal();
  const Vec3 half = axes.rowwise().norm() + Vec3::Constant(plate.thickness);
  return {plate.center - half, plate.center + half};
}

Box grown(const Box& box, double by) { return {box.min() - Vec3::Constant(by), box.max() + Vec3::Constant(by)}; }

/// Without blends; both sides of a mirrored blob.
Box blob_box(const Blob& blob) {
  Box box = std::visit([](const auto& solid) { return solid_box(solid); }, blob.shape);
  if (blob.mirrored) {
    const Box one = box;
    box.extend(Vec3(one.min().cwiseProduct(kMirror)));
    box.extend(Vec3(one.max().cwiseProduct(kMirror)));
  }
  return box;
}

bool is_centred(const RoundCone& cone) { return cone.a.x() == 0 && cone.b.x() == 0; }

bool is_centred(const Ellipsoid& ellipsoid) {
  return ellipsoid.center.x() == 0 && ellipsoid.orientation.y() == 0 && ellipsoid.orientation.z() == 0;
}

bool is_centred(const RoundPlate& plate) {
  return plate.center.x() == 0 && plate.orientation.y() == 0 && plate.orientation.z() == 0;
}

}  // namespace

double smooth_min(double a, double b, double width) {
  const double h = width > 0 ? std::max(width - std::abs(a - b), 0.0) / width : 0.0;
  return std::min(a, b) - h * h * h * width / 6;
}

FieldSample evaluate(const Blob& blob, const Vec3& point) {
  FieldSample here = evaluate_one(blob, point);
  if (!blob.mirrored) return here;
  FieldSample there = evaluate_one(blob, point.cwiseProduct(kMirror));
  there.gradient = there.gradient.cwiseProduct(kMirror);
  return smooth_union(here, there, pair_blend(blob));
}

FieldSample evaluate(const ImplicitShape& shape, const Vec3& point) {
  FieldSample result{kFar, Vec3::UnitY()};
  for (const Blob& blob : shape.blobs) {
    if (is_out_of_reach(blob, point, result.value)) continue;
    result = smooth_union(result, evaluate(blob, point), blob.blend);
  }
  return shape.floor ? cut_below(result, *shape.floor - point.y(), shape.floor_blend) : result;
}

double distance(const ImplicitShape& shape, const Vec3& point) {
  double result = kFar;
  for (const Blob& blob : shape.blobs) {
    if (is_out_of_reach(blob, point, result)) continue;
    double value = evaluate_one(blob, point).value;
    if (blob.mirrored) {
      value = smooth_min(value, evaluate_one(blob, point.cwiseProduct(kMirror)).value, pair_blend(blob));
    }
    result = smooth_min(result, value, blob.blend);
  }
  return shape.floor ? -smooth_min(-result, point.y() - *shape.floor, shape.floor_blend) : result;
}

bool is_symmetric(const ImplicitShape& shape) {
  return std::all_of(shape.blobs.begin(), shape.blobs.end(), [](const Blob& blob) {
    return blob.mirrored || std::visit([](const auto& solid) { return is_centred(solid); }, blob.shape);
  });
}

Box bounding_box(const ImplicitShape& shape) {
  std::vector<Box> boxes;
  for (const Blob& blob : shape.blobs) boxes.push_back(blob_box(blob));
  Box whole;
  for (const Box& box : boxes) {
    // A smooth minimum lies at most width/6 below the smaller value, and only where the other solid is within its
    // width.
    double bulge = 0;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const double width = shape.blobs[b].blend;
      if (grown(boxes[b], width).intersects(box))
        bulge += (width + (shape.blobs[b].mirrored ? pair_blend(shape.blobs[b]) : 0)) / 6;
    }
    whole.extend(grown(box, bulge));
  }
  return whole;
}

}  // namespace isochor
