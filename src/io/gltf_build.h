#pragma once

/// Pieces of a document that both the writer and the edits append.

#include <functional>
#include <span>
#include <vector>

#include "gltf_accessor.h"
#include "isochor/rig/character.h"

namespace isochor::gltf {

std::size_t at(Index index);

/// Appends JOINTS_n and WEIGHTS_n for some vertices (rows of `weights`), and names them in `attributes`.
/// Weights are rounded to floats that sum to 1, strongest first; unused slots are joint 0 with weight 0.
void append_weights(Impl& impl, const SkinWeights& weights, std::span<const Index> vertices, Json& attributes);

Index append_inverse_binds(Impl& impl, std::span<const Affine> inverse_bind);

/// #V × 3 floats.
std::vector<float> to_floats(std::span<const Vec3> vectors);
std::vector<float> to_floats(std::span<const Vec3> vectors, std::span<const Index> vertices);
/// The same with every vector of unit length, as NORMAL must be.
std::vector<float> to_unit_floats(std::span<const Vec3> vectors, std::span<const Index> vertices);

/// Adds the members of a transform that are not the identity. Shear is left out.
void set_transform(Json& node, const Transform& transform);

/// The nodes that a channel drives: one for a joint's transform, any number for morph weights.
using ChannelTargets = std::function<std::vector<Index>(const Channel&)>;

/// Appends an animation; kNone where no channel is left. Keys that coincide as floats and times before zero are mended
/// and reported.
Index append_animation(Impl& impl, const Clip& clip, const ChannelTargets& targets, Problems& problems);

/// #N parents.
std::vector<Index> node_parents(const Json& root);

/// Joints of a skin need a common root: where they stand in several trees, a plain node above these is added.
void ensure_common_root(Impl& impl, std::span<const Index> joint_nodes);

}  // namespace isochor::gltf
