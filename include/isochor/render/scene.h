#pragma once

/// What a picture shows: meshes as they stand, posed already, and what is drawn over them.

#include <optional>
#include <span>
#include <vector>

#include "isochor/mesh/surface.h"
#include "isochor/render/color_map.h"
#include "isochor/render/image.h"

namespace isochor {

/// One mesh and how it is coloured: by `scalar` if it has one, else by `vertex_colors`, else by `face_colors`,
/// else by `color`. A list that is not empty must have exactly as many entries as stated.
struct RenderMesh {
  Surface surface = {};
  std::vector<Vec3> normals = {};  // #V, need not be unit; empty: computed from the faces
  Color color = srgb(0xc9c5bd);
  std::vector<Color> face_colors = {};    // #F
  std::vector<Color> vertex_colors = {};  // #V
  std::vector<double> scalar = {};        // #V, NaN if unknown; see Scene::scale
  /// Where normals are computed: faces that meet at a larger angle than this (degrees) meet in a sharp edge.
  /// 180: smooth everywhere; 0: flat facets. Given normals are taken as they are, except that 0 still means facets.
  double crease_angle = 180;
};

/// Drawn as an octahedron, widest near its head, over everything else.
struct Bone {
  Vec3 head = Vec3::Zero();
  Vec3 tail = Vec3::Zero();  ///< equal to head: a joint without a bone, drawn as a small diamond
  Color color = srgb(0xe8a33d);
};

/// A line of constant width in pixels, over everything else.
struct Line {
  Vec3 from = Vec3::Zero();
  Vec3 to = Vec3::Zero();
  Color color = srgb(0x2b2f36);
  double width = 1.5;  ///< px
};

/// A dot of constant size in pixels, over everything else.
struct Point {
  Vec3 at = Vec3::Zero();
  Color color = srgb(0xc8402f);
  double radius = 3;  ///< px
};

struct Scene {
  std::vector<RenderMesh> meshes = {};
  std::vector<Bone> bones = {};
  std::vector<Line> lines = {};
  std::vector<Point> points = {};
  ColorScale scale = {};  ///< for all scalars of the scene
};

/// The box of the vertices that faces refer to, bones, lines and points, as far as they are finite; empty if there
/// is none.
Box scene_box(const Scene& scene);

/// One bone from each joint to each of its children, a diamond at each leaf. `parents` holds kNone for roots; positions
/// and parents have the same length. Children at their parent's place, or not finite, get no bone.
std::vector<Bone> bones_of(std::span<const Vec3> joint_positions, std::span<const Index> parents);

}  // namespace isochor
