#include "isochor/deform/skinning.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "deform/joint_motion.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

constexpr std::size_t kChunk = 1024;

[[noreturn]] void refuse_influence(std::size_t vertex, Index joint, const std::string& reason) {
  throw_bad_input("vertex " + std::to_string(vertex) + " follows joint " + std::to_string(joint) + reason,
                  static_cast<Index>(vertex));
}

/// Checked before the parallel loop, so that the first bad vertex is named whatever the number of threads.
void check_vertices(const SkinWeights& weights, std::span<const Affine> matrices) {
  const auto joint_count = static_cast<Index>(matrices.size());
  const auto finite = [](const Affine& matrix) { return matrix.matrix().allFinite(); };
  const bool all_finite = std::all_of(matrices.begin(), matrices.end(), finite);
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    bool follows = false;
    for (const auto& [joint, weight] : weights.row(v)) {
      if (weight == 0) continue;
      if (joint < 0 || joint >= joint_count) {
        refuse_influence(v, joint, ", but the skin has " + std::to_string(joint_count) + " joints");
      }
      if (!all_finite && !finite(matrices[joint])) refuse_influence(v, joint, ", whose matrix is not finite");
      follows = true;
    }
    if (!follows) {
      throw_bad_input("vertex " + std::to_string(v) + " follows no joint; bind it before skinning",
                      static_cast<Index>(v));
    }
  }
}

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size != expected) {
    throw_bad_input("skinning needs " + std::to_string(expected) + " " + what + ", one per vertex, but got " +
                    std::to_string(size));
  }
}

Mat34 blend_linear(std::span<const Influence> row, std::span<const Affine> matrices) {
  Mat34 map = Mat34::Zero();
  for (const Influence& influence : row) {
    if (influence.weight != 0) map += influence.weight * matrices[influence.joint].matrix().topRows<3>();
  }
  return map;
}

struct DualBlend {
  std::span<const Affine> matrices;
  std::span<const JointMotion> motions;

  /// See vertex_maps.
  Mat34 operator()(std::span<const Influence> row, const Vec3& p) const {
    const Influence& pivot = strongest(row);
    Eigen::Vector4d real = Eigen::Vector4d::Zero();
    Eigen::Vector4d dual = Eigen::Vector4d::Zero();
    Mat3 stretch = Mat3::Zero();
    for (const Influence& influence : row) {
      if (influence.weight == 0) continue;
      const JointMotion& motion = motions[influence.joint];
      const Vec3 place = matrices[influence.joint] * p;
      const double w = influence.weight * hemisphere(motions[pivot.joint].rotation, motion.rotation);
      // The motion that carries the origin to `place`: Kavan 2008, eq. 4, with the vertex as the origin of space.
      real += w * motion.rotation.coeffs();
      dual += w * (Quat(0, 0.5 * place.x(), 0.5 * place.y(), 0.5 * place.z()) * motion.rotation).coeffs();
      stretch += influence.weight * motion.stretch;
    }
    const double squared = real.squaredNorm();
    const Quat rotation(Eigen::Vector4d(real / std::sqrt(squared)));
    const Vec3 place = 2 / squared * (Quat(dual) * Quat(real).conjugate()).vec();
    Mat34 map;
    map.leftCols<3>() = rotation.toRotationMatrix() * stretch;
    map.col(3) = place - map.leftCols<3>() * p;
    return map;
  }
};

bool has_one_influence(std::span<const Influence> row) {
  int count = 0;
  for (const Influence& influence : row) count += influence.weight != 0 ? 1 : 0;
  return count == 1;
}

void check_handedness(const SkinWeights& weights, std::span<const JointMotion> motions) {
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const Index pivot = strongest(weights.row(v)).joint;
    for (const Influence& influence : weights.row(v)) {
      if (influence.weight != 0 && motions[pivot].handedness * motions[influence.joint].handedness < 0) {
        throw_mixed_handedness(static_cast<Index>(v), pivot, influence.joint);
      }
    }
  }
}

std::span<const double> current_morph_weights(const Part& part, const Pose& pose) {
  const auto node = static_cast<std::size_t>(part.node);
  if (part.node != kNone && node < pose.morph_weights.size() && !pose.morph_weights[node].empty()) {
    return pose.morph_weights[node];
  }
  return part.morph_weights;
}

/// Adds what the pose's weights make of the targets. Targets without such offsets add nothing.
void apply_morphs(const Part& part, const Pose& pose, MorphChoice choice, std::vector<Vec3> MorphTarget::*offsets,
                  std::vector<Vec3>& values) {
  const auto morph_weights = current_morph_weights(part, pose);
  for (std::size_t m = 0; m < part.morphs.size() && m < morph_weights.size(); ++m) {
    const double weight = morph_weights[m];
    const std::vector<Vec3>& target = part.morphs[m].*offsets;
    const bool chosen = choice == MorphChoice::all || !part.morphs[m].baked;
    if (weight == 0 || target.empty() || !chosen) continue;
    check_size(target.size(), values.size(), "morph target offsets");
    for (std::size_t v = 0; v < values.size(); ++v) values[v] += weight * target[v];
  }
}

}  // namespace

void vertex_maps(Deformer deformer, const SkinnedVertices& vertices, std::span<const Affine> skin_matrices,
                 std::span<Mat34> out, const Context& context) {
  if (deformer == Deformer::medial)
    throw_bad_input("the deformer medial needs a MedialRig; weights alone do not tell it");
  const SkinWeights& weights = vertices.weights;
  check_size(out.size(), weights.vertex_count(), "maps");
  check_vertices(weights, skin_matrices);
  if (deformer == Deformer::lbs) {
    const auto body = [&](Range range) {
      for (std::size_t v = range.begin; v < range.end; ++v) out[v] = blend_linear(weights.row(v), skin_matrices);
    };
    parallel_for(context, out.size(), kChunk, std::cref(body));  // by reference: a copy would be allocated
    return;
  }
  check_size(vertices.positions.size(), weights.vertex_count(), "positions");
  std::vector<JointMotion> motions(skin_matrices.size());
  split_motions(skin_matrices, motions);
  check_handedness(weights, motions);
  const DualBlend blend{skin_matrices, motions};
  parallel_for(context, out.size(), kChunk, [&](Range range) {
    for (std::size_t v = range.begin; v < range.end; ++v) {
      const auto row = weights.row(v);
      // A single joint is followed to the last bit.
      out[v] = has_one_influence(row) ? Mat34(skin_matrices[strongest(row).joint].matrix().topRows<3>())
                                      : blend(row, vertices.positions[v]);
    }
  });
}

void transform_positions(std::span<const Mat34> maps, std::span<const Vec3> positions, std::span<Vec3> out) {
  check_size(positions.size(), maps.size(), "positions");
  check_size(out.size(), maps.size(), "places for positions");
  for (std::size_t v = 0; v < maps.size(); ++v) out[v] = maps[v].leftCols<3>() * positions[v] + maps[v].col(3);
}

void transform_normals(std::span<const Mat34> maps, std::span<const Vec3> normals, std::span<Vec3> out) {
  check_size(normals.size(), maps.size(), "normals");
  check_size(out.size(), maps.size(), "places for normals");
  for (std::size_t v = 0; v < maps.size(); ++v) {
    const Mat34& map = maps[v];
    Mat3 cofactors;
    cofactors << map.col(1).cross(map.col(2)), map.col(2).cross(map.col(0)), map.col(0).cross(map.col(1));
    const Vec3 normal = cofactors * normals[v] * (map.col(0).dot(cofactors.col(0)) < 0 ? -1.0 : 1.0);
    const double length = normal.norm();
    out[v] = length > 0 ? Vec3(normal / length) : Vec3(Vec3::Zero());
  }
}

PosedPart morphed_part(const Part& part, const Pose& pose) {
  PosedPart morphed{morphed_positions(part, pose), part.normals};
  if (!part.normals.empty()) apply_morphs(part, pose, MorphChoice::all, &MorphTarget::normals, morphed.normals);
  return morphed;
}

std::vector<Vec3> morphed_positions(const Part& part, const Pose& pose, MorphChoice choice) {
  std::vector<Vec3> positions = part.surface.positions;
  apply_morphs(part, pose, choice, &MorphTarget::positions, positions);
  return positions;
}

PosedPart pose_part(const Character& character, const Part& part, const Pose& pose, Deformer deformer,
                    const Context& context) {
  PosedPart posed = morphed_part(part, pose);
  const std::vector<Affine> global = global_transforms(character.skeleton, pose);
  std::vector<Mat34> maps(posed.positions.size());
  if (part.skinned()) {
    vertex_maps(deformer, {posed.positions, part.weights}, skin_matrices(part.skin, global), maps, context);
  } else {
    const Affine motion = part.node == kNone ? Affine::Identity() : global[part.node];
    std::fill(maps.begin(), maps.end(), Mat34(motion.matrix().topRows<3>()));
  }
  transform_positions(maps, posed.positions, posed.positions);
  if (!posed.normals.empty()) transform_normals(maps, posed.normals, posed.normals);
  return posed;
}

}  // namespace isochor
