#pragma once

/// Small steps that the edits of gltf_edit.h are made of.

#include <span>
#include <string>
#include <vector>

#include "gltf_build.h"
#include "isochor/io/gltf_read.h"

namespace isochor::gltf {

/// The part's entry in the map; throws Error(bad_input) where there is none.
GltfPartSource& part_of(GltfSource& source, Index part);
/// "part 2 'Body'"
std::string describe_part(const GltfSource& source, Index part);
/// The number of vertices that the part had when it was read.
std::size_t vertex_count(const GltfPartSource& part);
/// first, first + 1 … of a primitive's vertices.
std::vector<Index> vertices_of(const GltfPrimitiveSource& primitive);

/// Gives the part's node a mesh of its own where other nodes share it.
void isolate_mesh(GltfSource& source, GltfPartSource& part);
/// Puts the part's mesh on a node at the scene's root without a transform: its own node where that has no other use,
/// otherwise a new one.
void hoist_to_root(GltfSource& source, GltfPartSource& part);
/// The map's joint_of_node grows with the document.
void grow_map(GltfSource& source);

Json& mesh_of(GltfSource& source, const GltfPartSource& part);
/// Removes JOINTS_n and WEIGHTS_n.
void erase_weights(Json& attributes);
/// Throws Error(unsupported) where the part's mesh has points or lines as well, which we cannot treat alike.
void refuse_points_and_lines(GltfSource& source, Index part, const char* what);

/// Keeps the elements of a top-level array for which keep[i]; an empty array is removed. Returns new indices, kNone for
/// those that are gone.
std::vector<Index> filter(Json& root, const char* key, const std::vector<bool>& keep);

/// Removes samplers that no channel of the animation uses any more.
void drop_unused_samplers(Json& animation);

/// Calls edit on all vertex ranges of the part once, and gives its primitives the result: primitives that share
/// vertices share accessors.
template <class Make, class Apply>
void for_each_range(GltfSource& source, const GltfPartSource& part, Make&& make, Apply&& apply) {
  std::vector<std::pair<Index, Json>> made;  // by first vertex
  for (const GltfPrimitiveSource& primitive : part.primitives) {
    const Json* known = nullptr;
    for (const auto& [first, json] : made) {
      if (first == primitive.first_vertex) known = &json;
    }
    if (!known) known = &made.emplace_back(primitive.first_vertex, make(primitive)).second;
    apply(mesh_of(source, part)["primitives"][at(primitive.primitive)], *known);
  }
}

}  // namespace isochor::gltf
