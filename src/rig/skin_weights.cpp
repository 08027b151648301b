#include "isochor/rig/skin_weights.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace isochor {
namespace {

bool stronger(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

double row_sum(std::span<const Influence> row) {
  double sum = 0;
  for (const Influence& i : row) sum += i.weight;
  return sum;
}

/// Rewrites every row in place: `edit` gets a copy of the row and leaves the new one.
void edit_rows(SkinWeights& weights, const std::function<void(std::size_t, std::vector<Influence>&)>& edit) {
  SkinWeights result;
  result.begin.reserve(weights.begin.size());
  result.influences.reserve(weights.influences.size());
  std::vector<Influence> row;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto old = weights.row(v);
    row.assign(old.begin(), old.end());
    edit(v, row);
    result.add_row(row);
  }
  weights = std::move(result);
}

void sum_repeated(std::vector<Influence>& row) {
  std::stable_sort(row.begin(), row.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (kept > 0 && row[kept - 1].joint == row[i].joint) {
      row[kept - 1].weight += row[i].weight;
    } else {
      row[kept++] = row[i];
    }
  }
  row.resize(kept);
}

}  // namespace

Index SkinWeights::max_influences() const {
  Index most = 0;
  for (std::size_t v = 0; v + 1 < begin.size(); ++v) most = std::max(most, begin[v + 1] - begin[v]);
  return most;
}

void limit(SkinWeights& weights, Index k) {
  edit_rows(weights, [k](std::size_t, std::vector<Influence>& row) {
    if (static_cast<Index>(row.size()) <= k) return;
    std::sort(row.begin(), row.end(), stronger);
    if (k > 0) {
      // On a plane of symmetry left and right are equal: rounding, which differs by machine, must not choose.
      constexpr double kEqual = 1e-9;
      const double last = row[static_cast<std::size_t>(k) - 1].weight;
      const auto above = [&](const Influence& i) { return i.weight > (1 + kEqual) * last; };
      const auto not_below = [&](const Influence& i) { return i.weight >= (1 - kEqual) * last; };
      std::sort(std::partition_point(row.begin(), row.end(), above),
                std::partition_point(row.begin(), row.end(), not_below),
                [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
    }
    row.resize(static_cast<std::size_t>(std::max<Index>(k, 0)));
  });
}

void prune(SkinWeights& weights, double threshold) {
  edit_rows(weights, [threshold](std::size_t, std::vector<Influence>& row) {
    if (row.empty()) return;
    const Influence strongest = *std::min_element(row.begin(), row.end(), stronger);
    std::erase_if(row, [&](const Influence& i) { return i.weight < threshold && !(i == strongest); });
  });
}

void normalise(SkinWeights& weights) {
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const double sum = row_sum(weights.row(v));
    if (!(sum > 0)) continue;
    for (Influence& i : weights.row(v)) i.weight /= sum;
  }
}

void sort_by_weight(SkinWeights& weights) {
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    std::sort(row.begin(), row.end(), stronger);
  }
}

void round_weights(SkinWeights& weights) {
  normalise(weights);
  sort_by_weight(weights);
  edit_rows(weights, [](std::size_t, std::vector<Influence>& row) {
    if (!(row_sum(row) > 0)) return;
    double others = 0;
    for (std::size_t k = 1; k < row.size(); ++k) {
      row[k].weight = std::round(row[k].weight / kWeightUnit) * kWeightUnit;
      others += row[k].weight;
    }
    row.front().weight = 1 - others;
    std::erase_if(row, [](const Influence& i) { return !(i.weight > 0); });
  });
  sort_by_weight(weights);
}

Problems repair(SkinWeights& weights, Index joint_count, Index fallback_joint, std::vector<Index>* unweighted) {
  ProblemCollector not_finite, negative, out_of_range, repeated, not_normalised, empty;
  edit_rows(weights, [&](std::size_t v, std::vector<Influence>& row) {
    const auto vertex = static_cast<Index>(v);
    const auto drop = [&](ProblemCollector& why, auto&& bad) {
      if (std::erase_if(row, bad) > 0) why.add(vertex);
    };
    drop(not_finite, [](const Influence& i) { return !std::isfinite(i.weight); });
    drop(negative, [](const Influence& i) { return i.weight < 0; });
    std::erase_if(row, [](const Influence& i) { return i.weight == 0; });
    drop(out_of_range, [&](const Influence& i) { return i.joint < 0 || i.joint >= joint_count; });
    const std::size_t before = row.size();
    sum_repeated(row);
    if (row.size() != before) repeated.add(vertex);
    // A sum may overflow although each weight is finite; scaled by the largest it cannot.
    double largest = 0;
    for (const Influence& i : row) largest = std::max(largest, i.weight);
    double sum = 0;
    for (const Influence& i : row) sum += i.weight / largest;
    if (row.empty()) {
      empty.add(vertex);
      if (unweighted != nullptr) unweighted->push_back(vertex);
      if (fallback_joint != kNone) row.push_back({fallback_joint, 1.0});
    } else {
      if (std::abs(sum * largest - 1) > 1e-3) not_normalised.add(vertex);
      for (Influence& i : row) i.weight = i.weight / largest / sum;
    }
    std::sort(row.begin(), row.end(), stronger);
  });
  Problems problems;
  not_finite.report(problems, Severity::warning, "weights-not-finite",
                    "{} vert{ex|ices} had weights that are not numbers; those were dropped");
  negative.report(problems, Severity::warning, "weights-negative",
                  "{} vert{ex|ices} had negative weights; those were dropped");
  out_of_range.report(problems, Severity::warning, "weights-joint",
                      "{} vert{ex|ices} referred to joints that do not exist; those weights were dropped");
  repeated.report(problems, Severity::note, "weights-repeated",
                  "{} vert{ex|ices} named a joint twice; the weights were added");
  not_normalised.report(problems, Severity::warning, "weights-not-normalised",
                        "{} vert{ex|ices} had weights that do not sum to 1; they were normalised");
  empty.report(problems, Severity::warning, "weights-missing",
               fallback_joint == kNone ? "{} vert{ex|ices} {has|have} no weight"
                                       : "{} vert{ex|ices} had no weight; {it follows|they follow} a fallback joint");
  return problems;
}

Problems validate(const SkinWeights& weights, Index joint_count, double tolerance) {
  ProblemCollector not_finite, negative, out_of_range, repeated, not_normalised, empty;
  std::vector<Index> joints;
  for (std::size_t v = 0; v < weights.vertex_count(); ++v) {
    const auto row = weights.row(v);
    const auto vertex = static_cast<Index>(v);
    const auto any = [&](auto&& bad) { return std::any_of(row.begin(), row.end(), bad); };
    if (row.empty()) empty.add(vertex);
    if (any([](const Influence& i) { return !std::isfinite(i.weight); })) not_finite.add(vertex);
    if (any([](const Influence& i) { return i.weight < 0; })) negative.add(vertex);
    if (any([&](const Influence& i) { return i.joint < 0 || i.joint >= joint_count; })) out_of_range.add(vertex);
    joints.clear();
    for (const Influence& i : row) joints.push_back(i.joint);
    std::sort(joints.begin(), joints.end());
    if (std::adjacent_find(joints.begin(), joints.end()) != joints.end()) repeated.add(vertex);
    if (!row.empty() && !(std::abs(row_sum(row) - 1) <= tolerance)) not_normalised.add(vertex);
  }
  Problems problems;
  not_finite.report(problems, Severity::error, "weights-not-finite",
                    "{} vert{ex|ices} {has|have} weights that are not numbers");
  negative.report(problems, Severity::error, "weights-negative", "{} vert{ex|ices} {has|have} negative weights");
  out_of_range.report(problems, Severity::error, "weights-joint",
                      "{} vert{ex|ices} refer{s|} to joints that do not exist");
  repeated.report(problems, Severity::error, "weights-repeated", "{} vert{ex|ices} name{s|} a joint twice");
  not_normalised.report(problems, Severity::error, "weights-not-normalised",
                        "{} vert{ex|ices} {has|have} weights that do not sum to 1");
  empty.report(problems, Severity::error, "weights-missing", "{} vert{ex|ices} {has|have} no weight");
  return problems;
}

}  // namespace isochor
