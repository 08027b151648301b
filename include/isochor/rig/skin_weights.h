#pragma once

/// Sparse skin weights: for each vertex a few (joint, weight) pairs. Rows are stored one after another.

#include <span>
#include <vector>

#include "isochor/base/problem.h"

namespace isochor {

struct Influence {
  Index joint = 0;  ///< an index into the skin's list of joints (Skin::joints), not into the skeleton
  double weight = 0;

  bool operator==(const Influence&) const = default;
};

struct SkinWeights {
  std::vector<Index> begin = {0};  // #V+1 offsets into influences
  std::vector<Influence> influences;

  std::size_t vertex_count() const { return begin.size() - 1; }
  std::span<const Influence> row(std::size_t v) const {
    return {influences.data() + begin[v], influences.data() + begin[v + 1]};
  }
  std::span<Influence> row(std::size_t v) { return {influences.data() + begin[v], influences.data() + begin[v + 1]}; }
  void add_row(std::span<const Influence> row) {
    influences.insert(influences.end(), row.begin(), row.end());
    begin.push_back(static_cast<Index>(influences.size()));
  }
  Index max_influences() const;

  bool operator==(const SkinWeights&) const = default;
};

/// Keeps the `k` largest weights of each vertex (ties, to nine digits: the lower joint). Does not renormalise.
void limit(SkinWeights& weights, Index k);
/// Drops weights below `threshold`, but never a vertex's largest. Does not renormalise.
void prune(SkinWeights& weights, double threshold);
/// Makes each row sum to 1. Rows whose sum is zero are left as they are.
void normalise(SkinWeights& weights);
/// Sorts each row by decreasing weight (ties: the lower joint first).
void sort_by_weight(SkinWeights& weights);

/// What round weights are multiples of: floats hold every multiple up to 1.
inline constexpr double kWeightUnit = 0x1p-24;
/// Makes weights round: rows sum to 1 without rounding, and so do the pieces that a weight is cut into if these are
/// multiples as well. Rows are sorted by decreasing weight; rows whose sum is zero are left as they are.
void round_weights(SkinWeights& weights);

/// Makes weights usable: NaN, infinite and negative weights and joints out of range are dropped, repeated joints are
/// summed, rows are normalised and sorted. Vertices left without any weight follow `fallback_joint` (kNone: stay
/// empty); they are added to `unweighted`, if given. Every kind of repair is returned as a problem. Sums within 1e-3 of
/// 1 are normalised silently: that is rounding.
Problems repair(SkinWeights& weights, Index joint_count, Index fallback_joint = kNone,
                std::vector<Index>* unweighted = nullptr);

/// Sums to 1 within `tolerance`, finite, non-negative, joints in range and not repeated in a row, no empty row.
Problems validate(const SkinWeights& weights, Index joint_count, double tolerance = 1e-6);

}  // namespace isochor
