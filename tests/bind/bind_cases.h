#pragma once

/// Small characters and checks that the binding tests share.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "isochor/bind/bind.h"
#include "isochor/sample/polygonize.h"
#include "isochor/sample/sample.h"
#include "support/shapes.h"

namespace isochor::test {

/// A fixed sequence of numbers in [0, 1).
class Sequence {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 42;
};

inline Joint joint_at(const std::string& name, Index parent, const Vec3& offset) {
  Joint joint;
  joint.name = name;
  joint.parent = parent;
  joint.rest.translation = offset;
  return joint;
}

inline Character character_of(Surface surface, Skeleton skeleton) {
  Character character;
  Part part;
  part.name = "skin";
  part.surface = std::move(surface);
  character.parts.push_back(std::move(part));
  character.skeleton = std::move(skeleton);
  return character;
}

/// A pair of trousers: hips and two legs that come as near as `gap` below the knees, one closed surface. Modelled with
/// the legs wide apart, then bent inward, so that no gap is too narrow to be modelled. Joints: hips, left, left foot,
/// right, right foot.
inline Character trousers(double gap, int vertices = 1500) {
  constexpr double kApart = 0.3, kRadius = 0.15;
  const double x = kRadius + kApart / 2;
  ImplicitShape shape;
  shape.blobs.push_back({RoundCone{Vec3(-x, 1, 0), Vec3(x, 1, 0), 0.2, 0.2}});
  shape.blobs.push_back({RoundCone{Vec3(x, 1, 0), Vec3(x, 0, 0), kRadius, kRadius}, 0.0, true});
  Context context;
  Surface surface = polygonize(shape, {.vertices = vertices}, context).surface;
  const double bend = (kApart - gap) / 2;
  for (Vec3& p : surface.positions) {
    const double t = std::clamp((0.75 - p.y()) / 0.25, 0.0, 1.0);
    p.x() -= std::copysign(bend * t * t * (3 - 2 * t), p.x());
  }
  Skeleton skeleton;
  skeleton.joints = {joint_at("hips", kNone, Vec3(0, 1, 0)), joint_at("left", 0, Vec3(x, 0, 0)),
                     joint_at("left foot", 1, Vec3(-bend, -1, 0)), joint_at("right", 0, Vec3(-x, 0, 0)),
                     joint_at("right foot", 3, Vec3(bend, -1, 0))};
  return character_of(std::move(surface), skeleton);
}

/// The sample giraffe without its weights, welded.
inline const Character& bare_giraffe() {
  static const Character giraffe = [] {
    Character made = make_sample("giraffe");
    for (Part& part : made.parts) {
      part.skin = {};
      part.weights = {};
    }
    return made;
  }();
  return giraffe;
}

inline std::vector<Handle> rest_handles(const Character& character, const HandleOptions& options = {}) {
  return joint_handles(character.skeleton, global_transforms(character.skeleton, rest_pose(character.skeleton)),
                       options)
      .handles;
}

inline void expect_valid(const SkinWeights& weights, std::size_t vertices, std::size_t joints) {
  ASSERT_EQ(weights.vertex_count(), vertices);
  for (const Problem& problem : validate(weights, static_cast<Index>(joints), 1e-9)) ADD_FAILURE() << problem.sentence;
}

inline void expect_all_bound(const BindResult& result, const Character& character) {
  std::size_t vertices = 0;
  for (const BoundPart& bound : result.parts) {
    expect_valid(bound.weights, character.parts[bound.part].surface.vertex_count(), bound.skin.joints.size());
    EXPECT_EQ(bound.skin.joints.size(), bound.skin.inverse_bind.size());
    vertices += bound.weights.vertex_count();
  }
  EXPECT_EQ(result.vertices, vertices);
  EXPECT_EQ(result.bound, vertices);
  EXPECT_LE(result.parts.size(), character.parts.size());
}

/// Σ |a - b| over joints.
inline double row_difference(std::span<const Influence> a, std::span<const Influence> b) {
  std::map<Index, double> difference;
  for (const Influence& i : a) difference[i.joint] += i.weight;
  for (const Influence& i : b) difference[i.joint] -= i.weight;
  double sum = 0;
  for (const auto& [joint, d] : difference) sum += std::abs(d);
  return sum;
}

struct RowDifference {
  double mean = 0, max = 0;
};
inline RowDifference weights_difference(const SkinWeights& a, const SkinWeights& b) {
  RowDifference result;
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    const double d = row_difference(a.row(v), b.row(v));
    result.mean += d / static_cast<double>(a.vertex_count());
    result.max = std::max(result.max, d);
  }
  return result;
}

inline bool same_row(std::span<const Influence> a, std::span<const Influence> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

inline double weight_of(std::span<const Influence> row, Index joint) {
  for (const Influence& i : row) {
    if (i.joint == joint) return i.weight;
  }
  return 0;
}

inline bool has_problem(const Problems& problems, std::string_view code) {
  return std::any_of(problems.begin(), problems.end(), [&](const Problem& p) { return p.code == code; });
}

}  // namespace isochor::test
