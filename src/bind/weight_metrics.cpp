#include "isochor/bind/weight_metrics.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/error.h"
#include "row_sum.h"

namespace isochor {
namespace {

Index joint_limit(const SkinWeights& weights) {
  Index limit = 0;
  for (const Influence& i : weights.influences) limit = std::max(limit, i.joint + 1);
  return limit;
}

void check_same_rows(const SkinWeights& a, const SkinWeights& b) {
  if (a.vertex_count() != b.vertex_count()) {
    throw_bad_input("weights of " + std::to_string(a.vertex_count()) + " vertices cannot be compared with those of " +
                    std::to_string(b.vertex_count()));
  }
}

bool has_weight(std::span<const Influence> row) {
  return std::any_of(row.begin(), row.end(), [](const Influence& i) { return i.weight > 0; });
}

/// The strongest joint, the lowest of equals; kNone for a row without weight.
Index strongest(std::span<const Influence> row) {
  Index best = kNone;
  double weight = 0;
  for (const Influence& i : row) {
    if (i.weight > weight || (i.weight == weight && weight > 0 && i.joint < best)) {
      best = i.joint;
      weight = i.weight;
    }
  }
  return best;
}

/// Keeps the largest value, and the first vertex that has it.
template <class Result>
void take_max(Result& result, double value, std::size_t vertex) {
  if (value <= result.max) return;
  result.max = value;
  result.max_vertex = static_cast<Index>(vertex);
}

/// How many bones lie between two joints; `far` where no path is shorter.
Index hops_between(Index a, Index b, std::span<const Index> parents, Index far) {
  // Both ways up to a common ancestor; chains longer than `far` cannot be part of a short path.
  Index up_a = 0;
  for (Index i = a; i != kNone && up_a < far; i = parents[i], ++up_a) {
    Index up_b = 0;
    for (Index j = b; j != kNone && up_a + up_b < far; j = parents[j], ++up_b) {
      if (i == j) return up_a + up_b;
    }
  }
  return far;
}

}  // namespace

WeightDifference weight_difference(const SkinWeights& a, const SkinWeights& b) {
  check_same_rows(a, b);
  WeightDifference result;
  RowSum in_a(std::max(joint_limit(a), joint_limit(b))), in_b(in_a.size()), difference(in_a.size());
  std::size_t count_a = 0, count_b = 0, count_both = 0;
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    if (!has_weight(a.row(v)) || !has_weight(b.row(v))) continue;
    in_a.clear();
    in_b.clear();
    difference.clear();
    in_a.add(a.row(v), 1);
    in_b.add(b.row(v), 1);
    difference.add(a.row(v), 1);
    difference.add(b.row(v), -1);
    for (const Index joint : difference.joints()) {
      const bool has_a = in_a[joint] > kCountedWeight;
      const bool has_b = in_b[joint] > kCountedWeight;
      count_a += has_a ? 1 : 0;
      count_b += has_b ? 1 : 0;
      count_both += has_a && has_b ? 1 : 0;
    }
    const double l1 = difference.absolute();
    result.l1_mean += l1;
    ++result.vertices;
    if (l1 > result.l1_max) {
      result.l1_max = l1;
      result.l1_max_vertex = static_cast<Index>(v);
    }
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  if (result.vertices > 0) result.l1_mean /= static_cast<double>(result.vertices);
  result.precision = share(count_both, count_a);
  result.recall = share(count_both, count_b);
  return result;
}

SkinWeights pruned(const SkinWeights& weights, const PruneOptions& options) {
  SkinWeights result = weights;
  normalise(result);
  prune(result, options.threshold);
  limit(result, options.influences);
  normalise(result);
  sort_by_weight(result);
  return result;
}

double smoothness(const SkinWeights& weights, std::span<const Edge> edges) {
  const std::size_t vertices = weights.vertex_count();
  std::vector<std::vector<Index>> neighbours(vertices);
  for (const Edge& edge : edges) {
    if (!has_weight(weights.row(edge.a)) || !has_weight(weights.row(edge.b))) continue;
    neighbours[edge.a].push_back(edge.b);
    neighbours[edge.b].push_back(edge.a);
  }
  RowSum difference(joint_limit(weights));
  double sum = 0;
  std::size_t weighted = 0;
  for (std::size_t v = 0; v < vertices; ++v) {
    weighted += has_weight(weights.row(v)) ? 1 : 0;
    if (neighbours[v].empty()) continue;
    difference.clear();
    difference.add(weights.row(v), 1);
    const double share = 1.0 / static_cast<double>(neighbours[v].size());
    for (const Index n : neighbours[v]) difference.add(weights.row(n), -share);
    sum += difference.absolute();
  }
  return weighted > 0 ? sum / static_cast<double>(weighted) : 0;
}

std::vector<std::size_t> influence_histogram(const SkinWeights& weights) {
  std::vector<std::size_t> histogram;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    const auto n = static_cast<std::size_t>(
        std::count_if(row.begin(), row.end(), [](const Influence& i) { return i.weight > kCountedWeight; }));
    if (histogram.size() <= n) histogram.resize(n + 1, 0);
    ++histogram[n];
  }
  return histogram;
}

Bleed bleed(const SkinWeights& weights, std::span<const Index> parents, Index hops) {
  Bleed result;
  std::size_t vertices = 0;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    const Index centre = strongest(row);
    if (centre == kNone) continue;
    ++vertices;
    double leaks = 0;
    for (const Influence& i : row) {
      if (hops_between(centre, i.joint, parents, hops + 1) > hops) leaks += i.weight;
    }
    result.mean += leaks;
    result.vertices += leaks > kCountedWeight ? 1 : 0;
    take_max(result, leaks, v);
  }
  if (vertices > 0) result.mean /= static_cast<double>(vertices);
  return result;
}

SymmetryError symmetry_error(const SkinWeights& weights, const MirrorPairs& pairs) {
  // Joints without an image go beyond the list, each to a place of its own on either side.
  const auto joints = static_cast<Index>(pairs.joints.size());
  RowSum difference(2 * std::max(joints, joint_limit(weights)));
  SymmetryError result;
  std::size_t vertices = 0;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const Index image = pairs.vertices[v];
    if (image == kNone) continue;
    difference.clear();
    difference.add(weights.row(v), 1);
    for (const Influence& i : weights.row(image)) {
      const Index joint = pairs.joints[i.joint];
      const Influence mirrored{joint == kNone ? joints + i.joint : joint, i.weight};
      difference.add({&mirrored, 1}, -1);
    }
    const double error = difference.absolute();
    result.mean += error;
    ++vertices;
    take_max(result, error, v);
  }
  if (vertices > 0) result.mean /= static_cast<double>(vertices);
  return result;
}

PositionError position_error(std::span<const Vec3> positions, const SkinWeights& a, const SkinWeights& b,
                             std::span<const Affine> skin_matrices) {
  check_same_rows(a, b);
  PositionError result;
  RowSum difference(std::max(joint_limit(a), joint_limit(b)));
  for (std::size_t v = 0; v < a.vertex_count(); ++v) {
    // LBS is linear in the weights: the positions differ by Σ (a_j − b_j) M_j p.
    difference.clear();
    difference.add(a.row(v), 1);
    difference.add(b.row(v), -1);
    Vec3 apart = Vec3::Zero();
    for (const Index joint : difference.joints()) {
      apart += difference[joint] * (skin_matrices[joint] * positions[v]);
    }
    result.mean += apart.norm();
    take_max(result, apart.norm(), v);
  }
  if (a.vertex_count() > 0) result.mean /= static_cast<double>(a.vertex_count());
  return result;
}

}  // namespace isochor
