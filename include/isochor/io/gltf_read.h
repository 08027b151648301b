#pragma once

/// A character from a glTF document, and the way back from its parts, joints and clips to the document's elements.

#include <cstdint>
#include <string>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/io/gltf_document.h"
#include "isochor/rig/character.h"

namespace isochor {

/// One triangle primitive of a part. Primitives with the same vertex accessors share their vertices.
struct GltfPrimitiveSource {
  Index primitive = kNone;  ///< in the mesh
  Index first_vertex = 0;   ///< in the part
  Index vertex_count = 0;
  bool has_normals = false;  ///< in the file; the part's may have been computed
  Index first_face = 0;      ///< in the part as read_gltf() gave it; a map from elsewhere does not know
  Index face_count = 0;
};

struct GltfPartSource {
  Index node = kNone;   ///< carries the mesh
  Index joint = kNone;  ///< the joint that animates its morph weights (Part::node as read)
  Index mesh = kNone;
  Index skin = kNone;
  std::vector<GltfPrimitiveSource> primitives;  ///< in file order; points and lines are not among them
};

struct GltfMap {
  std::vector<Index> node_of_joint;      // #J of the skeleton
  std::vector<Index> joint_of_node;      // #N of the document; kNone for nodes outside the skeleton
  std::vector<GltfPartSource> parts;     // #parts
  std::vector<Index> animation_of_clip;  // #clips
};

/// A document with the map that belongs to it: what the functions of gltf_edit.h work on.
struct GltfSource {
  GltfDocument document;
  GltfMap map;
};

struct GltfReadOptions {
  /// Refuse a file without any triangle. Off if only the skeleton is wanted.
  bool require_triangles = true;
  /// FB_ngon_encoding gives polygons back. Off: the triangles that viewers draw, whose volume is what a viewer shows.
  bool polygons = true;
  /// Memory, beyond 256 times the file's own size, that the unfolded character may take: a small file can refer to the
  /// same data over and over.
  double memory = 512;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GltfReadOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.memory, FieldInfo{.name = "gltf-memory",
                                  .help = "memory that a small file may unfold to",
                                  .unit = "MiB",
                                  .min = 1,
                                  .max = 1048576,
                                  .expert = true});
}

struct GltfCharacter {
  Character character;
  GltfMap map;
};

/// Reads the default scene (the first one if none is named, all nodes if there is no scene).
///
///   parts      one for each node with a mesh: its triangles, strips and fans in file order; FB_ngon_encoding
///              gives polygons back. Points and lines are left out, with a note.
///   skeleton   all nodes of the scene, parents first; `deforms` if a skin uses the node; `tail` from extras.tail.
///   weights    all JOINTS_n and WEIGHTS_n; repaired (rig/skin_weights.h), and that is reported. A vertex without
///              weight follows the skin's skeleton root if that is one of its joints, otherwise the first joint.
///   morphs     all targets, named by extras.targetNames; default weights of the node, else of the mesh.
///   clips      all channels on nodes of the scene; others (KHR_animation_pointer …) are left out, with a note.
///
/// Non-finite positions, indices or joints out of range, and wrong counts are refused.
GltfCharacter read_gltf(const GltfDocument& document, const GltfReadOptions& options = {});

}  // namespace isochor
