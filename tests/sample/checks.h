#pragma once

/// What all sample characters must satisfy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "isochor/mesh/topology.h"
#include "isochor/mesh/volume.h"
#include "isochor/rig/character.h"

namespace isochor::test {

inline void expect_one_closed_surface(const Surface& surface) {
  const Topology topology = analyse(surface);
  ASSERT_EQ(topology.components.size(), 1u);
  const Component& component = topology.components.front();
  EXPECT_TRUE(component.closed);
  EXPECT_TRUE(component.manifold);
  EXPECT_TRUE(component.oriented);
  EXPECT_TRUE(topology.isolated_vertices.empty());
  EXPECT_TRUE(topology.duplicate_faces.empty());
  EXPECT_TRUE(topology.degenerate_faces.empty());
  EXPECT_GT(signed_volume(surface, component), 0);
}

inline void expect_quads(const Surface& surface) {
  for (std::size_t f = 0; f < surface.face_count(); ++f) ASSERT_EQ(surface.face(f).size(), 4u) << "face " << f;
}

inline void expect_no_errors(const Character& character) {
  for (const Problem& problem : validate(character)) {
    EXPECT_NE(problem.severity, Severity::error) << problem.code << ": " << problem.sentence;
  }
  for (const Clip& clip : character.clips) EXPECT_TRUE(validate(clip, character.skeleton).empty()) << clip.name;
  EXPECT_TRUE(validate(character.skeleton).empty());
}

inline void expect_good_weights(const Part& part, Index most) {
  EXPECT_TRUE(validate(part.weights, static_cast<Index>(part.skin.joints.size())).empty());
  EXPECT_EQ(part.weights.vertex_count(), part.surface.vertex_count());
  EXPECT_LE(part.weights.max_influences(), most);
}

inline std::vector<Vec3> posed(const Character& character, const Part& part, const Pose& pose) {
  const std::vector<Affine> global = global_transforms(character.skeleton, pose);
  std::vector<Vec3> positions;
  if (!part.skinned()) {
    for (const Vec3& p : part.surface.positions) positions.push_back(global[part.node] * p);
    return positions;
  }
  const std::vector<Affine> matrices = skin_matrices(part.skin, global);
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    Vec3 sum = Vec3::Zero();
    for (const Influence& i : part.weights.row(v)) sum += i.weight * (matrices[i.joint] * part.surface.positions[v]);
    positions.push_back(sum);
  }
  return positions;
}

/// The lowest point of a part over all keys of a clip; NaN where a position is not finite.
inline double lowest_point(const Character& character, const Part& part, const Clip& clip) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const double time : frame_times(clip)) {
    for (const Vec3& p : posed(character, part, sample(clip, character.skeleton, time))) {
      if (!p.allFinite()) return std::numeric_limits<double>::quiet_NaN();
      lowest = std::min(lowest, p.y());
    }
  }
  return lowest;
}

/// How many joints a clip turns by more than two degrees from rest.
inline int turning_joints(const Character& character, const Clip& clip) {
  int count = 0;
  for (const Channel& channel : clip.channels) {
    if (channel.path != ChannelPath::rotation) continue;
    const Quat rest = character.skeleton.joints[channel.joint].rest.rotation;
    double largest = 0;
    for (std::size_t k = 0; k < channel.times.size(); ++k) {
      const double* q = channel.values.data() + 4 * k;
      largest = std::max(largest, Quat(q[3], q[0], q[1], q[2]).angularDistance(rest));
    }
    count += largest > 2 * 3.14159265358979 / 180 ? 1 : 0;
  }
  return count;
}

inline Index other_side(const Skeleton& skeleton, Index joint) {
  std::string name = skeleton.joints[joint].name;
  if (name.rfind("Left", 0) == 0) {
    name = "Right" + name.substr(4);
  } else if (name.rfind("Right", 0) == 0) {
    name = "Left" + name.substr(5);
  }
  return skeleton.find(name);
}

/// Finds vertices by position.
class VertexFinder {
 public:
  explicit VertexFinder(const std::vector<Vec3>& positions) : positions_(positions), order_(positions.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](auto a, auto b) { return positions_[a].y() < positions_[b].y(); });
  }
  /// The first vertex within `tolerance`, or the number of vertices.
  std::size_t find(const Vec3& p, double tolerance) const {
    auto it = std::lower_bound(order_.begin(), order_.end(), p.y() - tolerance,
                               [&](std::size_t v, double y) { return positions_[v].y() < y; });
    for (; it != order_.end() && positions_[*it].y() <= p.y() + tolerance; ++it) {
      if ((positions_[*it] - p).norm() < tolerance) return *it;
    }
    return positions_.size();
  }

 private:
  const std::vector<Vec3>& positions_;
  std::vector<std::size_t> order_;
};

/// Every vertex has a reflection in x = 0 within 1e-6, with the weights of the other side.
inline void expect_symmetric(const Character& character, const Part& part) {
  const std::vector<Vec3>& p = part.surface.positions;
  const VertexFinder finder(p);
  for (std::size_t v = 0; v < p.size(); ++v) {
    const std::size_t m = finder.find({-p[v].x(), p[v].y(), p[v].z()}, 1e-6);
    ASSERT_LT(m, p.size()) << "vertex " << v;
    ASSERT_EQ(part.weights.row(v).size(), part.weights.row(m).size()) << "vertex " << v;
    for (const Influence& i : part.weights.row(v)) {
      const Index wanted = other_side(character.skeleton, part.skin.joints[i.joint]);
      double found = 0;
      for (const Influence& other : part.weights.row(m)) {
        if (part.skin.joints[other.joint] == wanted) found = other.weight;
      }
      ASSERT_NEAR(found, i.weight, 1e-6) << "vertex " << v;
    }
  }
}

inline void expect_same_bits(const Character& a, const Character& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    EXPECT_EQ(a.parts[p].surface.positions, b.parts[p].surface.positions);
    EXPECT_EQ(a.parts[p].surface.corners, b.parts[p].surface.corners);
    EXPECT_EQ(a.parts[p].face_material, b.parts[p].face_material);
    EXPECT_EQ(a.parts[p].weights, b.parts[p].weights);
  }
  ASSERT_EQ(a.clips.size(), b.clips.size());
  for (std::size_t c = 0; c < a.clips.size(); ++c) {
    ASSERT_EQ(a.clips[c].channels.size(), b.clips[c].channels.size());
    for (std::size_t k = 0; k < a.clips[c].channels.size(); ++k) {
      EXPECT_EQ(a.clips[c].channels[k].values, b.clips[c].channels[k].values);
    }
  }
}

}  // namespace isochor::test
