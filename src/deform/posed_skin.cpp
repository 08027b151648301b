#include "isochor/deform/posed_skin.h"

#include <Eigen/LU>
#include <algorithm>

#include "isochor/base/error.h"
#include "isochor/deform/medial_skin.h"
#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

/// Gives the welded vertices that a part's vertices lead their place at rest.
void place_at_rest(const WeldedCharacter& welded, std::size_t part, std::span<const Vec3> morphed,
                   std::vector<Vec3>& rest) {
  const Part& of = welded.character().parts[part];
  for (std::size_t v = 0; v < morphed.size(); ++v) {
    if (!welded.whole().leads(part, v)) continue;
    const Index w = welded.whole().welded(part, v);
    if (of.skinned() || of.node == kNone) {
      rest[w] = morphed[v];
      continue;
    }
    // Unskinned parts lie where the rest pose puts them.
    const Affine& inverse = welded.inverse_binds()[welded.weights().row(w)[0].joint];
    rest[w] = welded.surface().positions[w] + inverse.linear().inverse() * (morphed[v] - of.surface.positions[v]);
  }
}

/// Morph targets act before the skin.
void set_shape(const WeldedCharacter& welded, std::size_t part, std::span<const Vec3> shape, PosedSkin& out) {
  place_at_rest(welded, part, shape, out.rest);
  for (std::size_t v = 0; v < shape.size(); ++v) {
    if (const Index stray = welded.stray(part, v); stray != kNone) out.strays.rest[stray] = shape[v];
  }
}

/// By part, what its morph targets make of it; nothing at all if no part has any.
std::vector<std::vector<Vec3>> shapes_of(const WeldedCharacter& welded, const Pose& pose) {
  const auto& parts = welded.character().parts;
  std::vector<std::vector<Vec3>> shapes;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].morphs.empty()) continue;
    shapes.resize(parts.size());
    shapes[p] = morphed_positions(parts[p], pose);
  }
  return shapes;
}

void read_rest(const WeldedCharacter& welded, std::span<const std::vector<Vec3>> shapes, PosedSkin& out) {
  out.rest.assign(welded.surface().positions.begin(), welded.surface().positions.end());
  out.strays.rest.clear();
  for (const WeldedCharacter::Stray& stray : welded.strays()) {
    out.strays.rest.push_back(welded.character().parts[stray.file.part].surface.positions[stray.file.vertex]);
  }
  const auto& parts = welded.character().parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].morphs.empty()) set_shape(welded, p, shapes[p], out);
  }
}

/// The shape at rest that its author meant: without what bake() added.
std::vector<Vec3> rest_as_meant(const WeldedCharacter& welded, const Pose& pose, const std::vector<Vec3>& rest) {
  const auto& parts = welded.character().parts;
  std::vector<Vec3> meant = rest;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto& morphs = parts[p].morphs;
    if (std::none_of(morphs.begin(), morphs.end(), [](const MorphTarget& m) { return m.baked; })) continue;
    place_at_rest(welded, p, morphed_positions(parts[p], pose, MorphChoice::authored), meant);
  }
  return meant;
}

/// Measured again only where a morph target changed something.
void read_volumes(const WeldedCharacter& welded, const Pose& pose, PosedSkin& out) {
  const auto& components = welded.topology().components;
  out.rest_volumes = welded.rest_volumes();
  const auto& parts = welded.character().parts;
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return !part.morphs.empty(); })) {
    const std::vector<Vec3> meant = rest_as_meant(welded, pose, out.rest);
    const auto& bind = welded.surface().positions;
    for (std::size_t c = 0; c < components.size(); ++c) {
      const auto& vertices = components[c].vertices;
      const bool morphed = std::any_of(vertices.begin(), vertices.end(), [&](Index v) { return meant[v] != bind[v]; });
      if (morphed) out.rest_volumes[c] = signed_volume(welded.surface(), components[c], meant);
    }
  }
  out.target_volumes.resize(components.size());
  for (std::size_t c = 0; c < components.size(); ++c) {
    out.target_volumes[c] = out.rest_volumes[c] * welded.volume_scale(c, out.matrices);
  }
}

void skin_vertices(Deformer deformer, const SkinWeights& weights, std::span<const Affine> matrices, PosedVertices& out,
                   const Context& context) {
  out.maps.resize(out.rest.size());
  out.positions.resize(out.rest.size());
  vertex_maps(deformer, {.positions = out.rest, .weights = weights}, matrices, out.maps, context);
  transform_positions(out.maps, out.rest, out.positions);
}

MedialRigSize medial_rig_size(const WeldedCharacter& welded) {
  return {.vertices = welded.surface().vertex_count(),
          .joints = welded.skeleton().size(),
          .parts = welded.character().parts.size()};
}

const MedialRig& rig_of(const Deforming& how) {
  if (how.medial == nullptr) throw_bad_input("the deformer medial needs a MedialRig; prepare_medial() makes it");
  return *how.medial;
}

Mat34 placed(const Mat34& map, const Affine& placement) {
  Mat34 out = map * placement.matrix();
  return out;
}

/// Guides are in a space of their own, which the placements of parts lead to. A stray goes with the vertex that it was
/// welded into: what closes a seam closes it in every pose.
void skin_by_guides(const WeldedCharacter& welded, const MedialRig& rig, PosedSkin& out, const Context& context) {
  std::vector<Affine> drivers(rig.drivers.size());
  driver_matrices(rig, out.global, drivers);
  out.maps.resize(out.rest.size());
  guide_maps(rig.skin, drivers, out.maps, context);
  const WholeSurface& whole = welded.whole();
  out.strays.maps.clear();
  for (const WeldedCharacter::Stray& stray : welded.strays()) {
    const Mat34& map = out.maps[stray.welded];
    out.strays.maps.push_back(rig.placements.empty() ? map : placed(map, rig.placements[stray.file.part]));
  }
  for (std::size_t v = 0; v < out.maps.size() && !rig.placements.empty(); ++v) {
    out.maps[v] = placed(out.maps[v], rig.placements[whole.first_vertex(static_cast<Index>(v)).part]);
  }
  for (PosedVertices* vertices : {static_cast<PosedVertices*>(&out), &out.strays}) {
    vertices->positions.resize(vertices->rest.size());
    transform_positions(vertices->maps, vertices->rest, vertices->positions);
  }
}

Mat34 node_map(const WeldedCharacter& welded, const PosedSkin& posed, std::size_t part) {
  const Index node = welded.character().parts[part].node;
  const Affine motion = node == kNone ? Affine(Affine::Identity()) : posed.global[node];
  return motion.matrix().topRows<3>();
}

}  // namespace

void check(const Deforming& how, const WeldedCharacter& welded) {
  if (how.deformer == Deformer::medial) check(rig_of(how), medial_rig_size(welded));
}

void pose_skin(const WeldedCharacter& welded, const Pose& pose, const Deforming& how, PosedSkin& out,
               const Context& context) {
  pose_skin(welded, pose, shapes_of(welded, pose), how, out, context);
}

void pose_skin(const WeldedCharacter& welded, const Pose& pose, std::span<const std::vector<Vec3>> shapes,
               const Deforming& how, PosedSkin& out, const Context& context) {
  out.global.resize(welded.skeleton().size());
  out.matrices.resize(welded.bones().size());
  global_transforms(welded.skeleton(), pose, out.global);
  welded.bone_matrices(out.global, out.matrices);
  read_rest(welded, shapes, out);
  if (how.deformer == Deformer::medial) {
    check_size(rig_of(how), medial_rig_size(welded));
    skin_by_guides(welded, *how.medial, out, context);
  } else {
    skin_vertices(how.deformer, welded.weights(), out.matrices, out, context);
    skin_vertices(how.deformer, welded.stray_weights(), out.matrices, out.strays, context);
  }
  read_volumes(welded, pose, out);
}

std::vector<Vec3> positions_as_meant(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed) {
  std::vector<Vec3> positions = rest_as_meant(welded, pose, posed.rest);
  transform_positions(posed.maps, positions, positions);
  return positions;
}

std::vector<Vec3> part_positions(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed,
                                 std::span<const Vec3> positions, std::size_t part) {
  const Part& of = welded.character().parts[part];
  const auto moved = [&](Index w) { return positions[w] != posed.positions[w]; };
  std::vector<Vec3> out;
  if (of.skinned()) {
    out.reserve(of.surface.vertex_count());
    for (std::size_t v = 0; v < of.surface.vertex_count(); ++v) {
      const Index w = welded.whole().welded(part, v), stray = welded.stray(part, v);
      out.push_back(stray != kNone && !moved(w) ? posed.strays.positions[stray] : positions[w]);
    }
    return out;
  }
  out = morphed_positions(of, pose);
  const Mat34 map = node_map(welded, posed, part);
  for (std::size_t v = 0; v < out.size(); ++v) {
    const Index w = welded.whole().welded(part, v);
    out[v] = moved(w) ? positions[w] : Vec3(map.leftCols<3>() * out[v] + map.col(3));
  }
  return out;
}

std::vector<Mat34> part_maps(const WeldedCharacter& welded, const PosedSkin& posed, std::size_t part) {
  const Part& of = welded.character().parts[part];
  std::vector<Mat34> maps;
  if (!of.skinned()) return maps;
  maps.reserve(of.surface.vertex_count());
  for (std::size_t v = 0; v < of.surface.vertex_count(); ++v) {
    const Index stray = welded.stray(part, v);
    maps.push_back(stray != kNone ? posed.strays.maps[stray] : posed.maps[welded.whole().welded(part, v)]);
  }
  return maps;
}

std::vector<PosedPart> posed_parts(const WeldedCharacter& welded, const Pose& pose, const PosedSkin& posed,
                                   std::span<const Vec3> positions) {
  const auto& parts = welded.character().parts;
  std::vector<PosedPart> out(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    out[p].positions = part_positions(welded, pose, posed, positions, p);
    if (parts[p].normals.empty()) continue;
    out[p].normals = morphed_part(parts[p], pose).normals;
    std::vector<Mat34> maps = part_maps(welded, posed, p);
    if (maps.empty()) maps.assign(out[p].normals.size(), node_map(welded, posed, p));
    transform_normals(maps, out[p].normals, out[p].normals);
  }
  return out;
}

PlayedFrame play(const WeldedCharacter& welded, const Pose& pose, const Deforming& how, const Context& context) {
  PosedSkin posed;
  pose_skin(welded, pose, how, posed, context);
  PlayedFrame frame;
  frame.parts = posed_parts(welded, pose, posed, posed.positions);
  for (const Component& component : welded.topology().components) {
    frame.volumes.push_back(signed_volume(welded.surface(), component, posed.positions));
  }
  frame.positions = std::move(posed.positions);
  frame.target_volumes = std::move(posed.target_volumes);
  return frame;
}

}  // namespace isochor
