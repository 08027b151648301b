#include "isochor/sample/cylinder.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "isochor/base/math.h"
#include "sample/poser.h"
#include "sample/rig_builder.h"

namespace isochor {
namespace {

using model::kPi;
using model::Poser;
using model::RigBuilder;
using model::wave;

constexpr int kEdgeRings = 3;

void check(const CylinderOptions& options) {
  check_ranges(options);
  const int multiple = options.cap == CylinderCap::grid ? 4 : 2;
  if (options.segments % multiple != 0) {
    throw_bad_input("the option segments must be a multiple of " + std::to_string(multiple) + " for the cap " +
                    enum_name(options.cap));
  }
  if (options.rounding > std::min(options.radius, options.length / 2) * 0.9) {
    throw_bad_input("the option rounding must stay below 0.9 of the radius and of half the length");
  }
}

/// Height and radius of each ring of vertices, from below; the rounded edges are quarter circles.
struct Profile {
  double height;
  double radius;
};

std::vector<Profile> profile(const CylinderOptions& o) {
  std::vector<Profile> rings;
  const int edge = o.rounding > 0 ? kEdgeRings : 0;
  for (int e = 0; e < edge; ++e) {
    const double angle = kPi / 2 * e / edge;  // 0 at the end face
    rings.push_back({o.rounding * (1 - std::cos(angle)), o.radius - o.rounding * (1 - std::sin(angle))});
  }
  const double straight = o.length - 2 * o.rounding;
  for (int r = 0; r < o.rings; ++r) rings.push_back({o.rounding + straight * r / (o.rings - 1), o.radius});
  for (int e = edge - 1; e >= 0; --e) rings.push_back({o.length - rings[e].height, rings[e].radius});
  return rings;
}

void add_side(const std::vector<Profile>& rings, int segments, Surface& surface) {
  for (const Profile& ring : rings) {
    for (int s = 0; s < segments; ++s) {
      const double turn = static_cast<double>(s) / segments;
      surface.positions.emplace_back(ring.radius * wave(turn), ring.height, ring.radius * wave(turn + 0.25));
    }
  }
  for (std::size_t r = 0; r + 1 < rings.size(); ++r) {
    const auto base = static_cast<Index>(r) * segments;
    for (Index s = 0; s < segments; ++s) {
      const Index next = (s + 1) % segments;
      surface.add_face({base + s, base + next, base + segments + next, base + segments + s});
    }
  }
}

void add_strip_cap(Index first, int segments, bool top, Surface& surface) {
  for (Index s = 0; s + 1 < segments / 2; ++s) {
    std::array quad{first + s, first + s + 1, first + segments - 2 - s, first + segments - 1 - s};
    if (!top) std::swap(quad[1], quad[3]);
    surface.add_face(quad);
  }
}

/// A grid of segments/4 quads a side whose rim is the ring; the inside by transfinite interpolation (a Coons patch).
void add_grid_cap(Index first, int segments, bool top, Surface& surface) {
  const int n = segments / 4;
  const double height = surface.positions[first].y();
  const auto rim = [&](int s) { return first + (s % segments); };
  std::vector<Index> vertex(static_cast<std::size_t>(n + 1) * (n + 1));
  const auto at = [&](int i, int j) -> Index& { return vertex[static_cast<std::size_t>(j) * (n + 1) + i]; };
  for (int k = 0; k < n; ++k) {
    at(k, 0) = rim(k);
    at(n, k) = rim(n + k);
    at(n - k, n) = rim(2 * n + k);
    at(0, n - k) = rim(3 * n + k);
  }
  for (int j = 1; j < n; ++j) {
    for (int i = 1; i < n; ++i) {
      const double u = static_cast<double>(i) / n;
      const double v = static_cast<double>(j) / n;
      const std::vector<Vec3>& p = surface.positions;
      const Vec3 across = (1 - u) * p[at(0, j)] + u * p[at(n, j)];
      const Vec3 along = (1 - v) * p[at(i, 0)] + v * p[at(i, n)];
      const Vec3 corners =
          (1 - u) * ((1 - v) * p[at(0, 0)] + v * p[at(0, n)]) + u * ((1 - v) * p[at(n, 0)] + v * p[at(n, n)]);
      Vec3 inner = across + along - corners;
      inner.y() = height;
      at(i, j) = static_cast<Index>(surface.positions.size());
      surface.positions.push_back(inner);
    }
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      std::array quad{at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
      if (!top) std::swap(quad[1], quad[3]);
      surface.add_face(quad);
    }
  }
}

Surface cylinder_surface(const CylinderOptions& options) {
  const std::vector<Profile> rings = profile(options);
  Surface surface;
  add_side(rings, options.segments, surface);
  const auto last = static_cast<Index>(rings.size() - 1) * options.segments;
  for (const bool top : {false, true}) {
    if (options.cap == CylinderCap::grid) {
      add_grid_cap(top ? last : 0, options.segments, top, surface);
    } else {
      add_strip_cap(top ? last : 0, options.segments, top, surface);
    }
  }
  return surface;
}

/// Across joint j, at the height of bone j's start, the weight passes from bone j-1 to bone j.
SkinWeights cylinder_weights(const CylinderOptions& options, const Surface& surface) {
  const double bone = options.length / options.bones;
  const double half = options.blend * bone;
  SkinWeights weights;
  std::vector<Influence> row;
  for (const Vec3& p : surface.positions) {
    row.clear();
    double below = 1;  // what is left for the bones above
    for (Index j = 0; j < options.bones; ++j) {
      const double joint = (j + 1) * bone;
      const double above = j + 1 < options.bones ? smooth_step(joint - half, joint + half, p.y()) : 0.0;
      if (below * (1 - above) > 0) row.push_back({j, below * (1 - above)});
      below *= above;
    }
    weights.add_row(row);
  }
  normalise(weights);
  sort_by_weight(weights);
  return weights;
}

std::string bone_name(int b) { return "Bone" + std::to_string(b + 1); }

Skeleton cylinder_skeleton(const CylinderOptions& options) {
  RigBuilder rig;
  const double bone = options.length / options.bones;
  for (int b = 0; b < options.bones; ++b) rig.joint(bone_name(b), b == 0 ? "" : bone_name(b - 1), {0, b * bone, 0});
  rig.tail(bone_name(options.bones - 1), {0, options.length, 0});
  return rig.build(model::JointAxes::world);
}

/// Turns every joint but the first from rest to its own angle.
Clip turning(const Skeleton& skeleton, const std::string& name, const Vec3& axis, const std::vector<double>& degrees) {
  return model::record(skeleton, name, {.duration = 2}, [&](Poser& poser, double u) {
    for (std::size_t b = 1; b < skeleton.size(); ++b) poser.turn(skeleton.joints[b].name, axis, degrees[b - 1] * u);
  });
}

std::vector<Clip> cylinder_clips(const Skeleton& skeleton) {
  const std::size_t joints = skeleton.size() - 1;
  const auto parts = static_cast<double>(joints);
  std::vector<Clip> clips{turning(skeleton, "bend", Vec3::UnitX(), std::vector<double>(joints, 120 / parts)),
                          turning(skeleton, "twist", Vec3::UnitY(), std::vector<double>(joints, 180 / parts))};
  if (joints >= 2) {
    std::vector<double> alternating(joints, 75);
    for (std::size_t j = 1; j < joints; j += 2) alternating[j] = -75;
    clips.push_back(turning(skeleton, "s-bend", Vec3::UnitX(), alternating));
  }
  return clips;
}

}  // namespace

Character make_cylinder(const CylinderOptions& options, const Context& context) {
  check(options);
  context.check_cancelled();
  Character cylinder;
  cylinder.name = "cylinder";
  cylinder.skeleton = cylinder_skeleton(options);
  cylinder.materials = {{.name = "rubber", .base_color = {0.80f, 0.30f, 0.18f, 1}, .roughness = 0.5f}};
  Part part;
  part.name = "cylinder";
  part.surface = cylinder_surface(options);
  part.normals = vertex_normals(part.surface);
  part.face_material.assign(part.surface.face_count(), 0);
  part.weights = cylinder_weights(options, part.surface);
  part.skin = model::bind_skin(cylinder.skeleton, "cylinder");
  cylinder.parts.push_back(std::move(part));
  cylinder.clips = cylinder_clips(cylinder.skeleton);
  return cylinder;
}

}  // namespace isochor
