#include "volume/scars.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "isochor/mesh/volume.h"
#include "isochor/render/render.h"

namespace isochor::bench {
namespace {

constexpr double kCrushed = 1e-3;
constexpr double kDegrees = 180 / std::numbers::pi;

/// The faces of everything that has a volume, all oriented outwards.
std::vector<std::vector<Index>> solid_faces(const WeldedCharacter& welded) {
  std::vector<std::vector<Index>> faces;
  const auto& components = welded.topology().components;
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    const VolumeFunctional whole(welded.surface(), components[c]);
    for (std::size_t r = 0; r < whole.ring_count() - whole.cap_count(); ++r) {
      const auto ring = whole.ring(r);
      faces.emplace_back(ring.begin(), ring.end());
      if (welded.rest_volumes()[c] < 0) std::reverse(faces.back().begin(), faces.back().end());
    }
  }
  return faces;
}

std::vector<Vec3> normals_of(const std::vector<std::vector<Index>>& faces, std::span<const Vec3> positions) {
  std::vector<Vec3> normals;
  normals.reserve(faces.size());
  for (const auto& face : faces) normals.push_back(area_vector(positions, face));
  return normals;
}

double median_length(const std::vector<Vec3>& vectors) {
  std::vector<double> lengths;
  lengths.reserve(vectors.size());
  for (const Vec3& v : vectors) lengths.push_back(v.norm());
  if (lengths.empty()) return 0;
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

double angle(const Vec3& a, const Vec3& b) { return kDegrees * std::atan2(a.cross(b).norm(), a.dot(b)); }

}  // namespace

Scars find_scars(const WeldedCharacter& welded, std::span<const Vec3> skinned, std::span<const Vec3> corrected) {
  const auto faces = solid_faces(welded);
  const std::vector<Vec3> before = normals_of(faces, skinned), after = normals_of(faces, corrected);
  const double least = kCrushed * median_length(before);
  const auto alive = [&](std::size_t f) { return before[f].norm() > least && after[f].norm() > least; };
  Scars scars;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (!alive(f)) continue;
    const double turn = angle(before[f], after[f]);
    scars.turn = std::max(scars.turn, turn);
    if (turn > 90) ++scars.turned;
  }
  std::map<std::pair<Index, Index>, std::size_t> first;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (std::size_t i = 0; i < faces[f].size(); ++i) {
      const Index a = faces[f][i], b = faces[f][(i + 1) % faces[f].size()];
      const auto [at, added] = first.try_emplace({std::min(a, b), std::max(a, b)}, f);
      const std::size_t g = at->second;
      if (added || !alive(f) || !alive(g)) continue;
      scars.crease = std::max(scars.crease, angle(after[f], after[g]) - angle(before[f], before[g]));
    }
  }
  return scars;
}

double back_pixels(const WeldedCharacter& welded, std::span<const Vec3> positions) {
  constexpr int kViews = 8, kSize = 400;
  RenderMesh mesh{.color = srgb(0xffffff)};
  mesh.surface.positions.assign(positions.begin(), positions.end());
  for (const auto& face : solid_faces(welded)) mesh.surface.add_face(face);
  Context context;
  const PreparedScene scene({.meshes = {mesh}}, context);
  RenderOptions options{.width = kSize, .height = kSize, .samples = 1, .shading = Shading::unlit, .ground = false};
  options.colors.background = srgb(0x000000);
  options.colors.back_face = srgb(0xff0000);
  options.camera.view = View::custom;
  std::size_t shown = 0, back = 0;
  for (int view = 0; view < kViews; ++view) {
    options.camera.azimuth = 360.0 * view / kViews;
    options.camera.elevation = view % 2 == 0 ? 10 : 40;
    const Picture picture = render(scene, options, context);
    for (int y = 0; y < kSize; ++y) {
      for (int x = 0; x < kSize; ++x) {
        const auto color = picture.image.at(x, y);
        if (color[0] == 0) continue;
        ++shown;
        if (color[1] == 0) ++back;
      }
    }
  }
  return shown > 0 ? static_cast<double>(back) / static_cast<double>(shown) : 0;
}

}  // namespace isochor::bench
