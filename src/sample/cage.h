#pragma once

/// Box modelling: a coarse cage of quads is grown limb by limb, split and fitted to an implicit shape, so that loops of
/// edges run around the limbs as an artist lays them.

#include <array>
#include <functional>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/sample/polygonize.h"

namespace isochor::model {

/// An ellipse across a limb.
struct Ring {
  Vec3 center;
  Vec3 axis;  ///< along the limb, outward
  Vec3 up;    ///< a direction across it; where a corner of the cage comes to lie, but for four corners: between two
  double up_radius = 0;
  double side_radius = 0;
};

/// A point of a limb's course.
struct Knot {
  Vec3 center = Vec3::Zero();
  double up_radius = 0;
  double side_radius = 0;  ///< 0: as up_radius
  int rings = 1;           ///< rings from the knot before to this one
};

/// A limb: rings along a polyline of knots.
struct Course {
  std::vector<Knot> knots = {};
  Vec3 up = Vec3::UnitX();
  Vec3 start = Vec3::Zero();  ///< direction in which it leaves the body; zero: towards the second knot
};

class Cage {
 public:
  /// The boundary of a block of cells; position(i, j, k) places lattice points.
  static Cage block(const std::array<int, 3>& cells, const std::function<Vec3(int, int, int)>& position);

  /// The face that looks in a direction and whose centre is nearest to a point.
  Index face_at(const Vec3& point, const Vec3& facing) const;
  std::vector<Index> faces_at(const std::vector<Vec3>& points, const Vec3& facing) const;

  /// Pulls a patch of faces out to a ring; the patch keeps its indices and becomes the limb's end.
  void extrude(const std::vector<Index>& patch, const Ring& ring);
  void extrude(const std::vector<Index>& patch, const Course& course);
  /// The same on both sides; the patch and the course given are those at +x.
  void extrude_pair(const std::vector<Index>& patch, const Course& course);

  /// Gives faces a material; what is extruded from them afterwards takes it over. kNone at first.
  void paint(const std::vector<Index>& patch, Index material);
  void paint_pair(const std::vector<Index>& patch, Index material);
  /// The materials of the faces of fit(shape, levels).
  std::vector<Index> materials(int levels) const;

  /// The cage itself.
  Surface surface() const;

  /// Splits every quad in four, `levels` times, and fits the result to the shape each time. The cage must be symmetric.
  QuadMesh fit(const ImplicitShape& shape, int levels, const Context& context) const;

 private:
  using Quad = std::array<Index, 4>;
  std::vector<Vec3> positions_;
  std::vector<Quad> faces_;
  std::vector<Index> materials_;  // #F

  Vec3 center(const Quad& face) const;
  Vec3 normal(const Quad& face) const;
  std::vector<Index> boundary(const std::vector<Index>& patch) const;
  void spread_inside(const std::vector<Index>& patch);
  std::vector<Index> mirrored(const std::vector<Index>& patch) const;
};

}  // namespace isochor::model
