#include "bind/gvb_rows.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/base/error.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

// Section 7 of the paper: these "gave good results".
constexpr double kLambdaMin = 5;
constexpr double kLambdaMax = 30;
constexpr double kNever = 1e30;
constexpr std::size_t kMaxRow = 80;  // slots of 64 nearest handles, and spare ones

double lambda_of(double falloff) { return (1 - falloff) * kLambdaMin + falloff * kLambdaMax; }  // eq. 8

using Row = std::array<Influence, kMaxRow>;

bool stronger(const Influence& a, const Influence& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

/// Limit, prune, normalise, sort of one row; returns how many remain.
std::size_t finish_row(Row& row, std::size_t count, const WeightLimits& limits) {
  const auto first = row.begin();
  if (!std::is_sorted(first, first + static_cast<std::ptrdiff_t>(count), stronger)) {
    std::sort(first, first + static_cast<std::ptrdiff_t>(count), stronger);
  }
  count = std::min(count, static_cast<std::size_t>(limits.influences));
  const auto total = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += row[i].weight;
    return sum;
  };
  const double least = limits.prune * total();
  while (count > 1 && !(row[count - 1].weight >= least && row[count - 1].weight > 0)) --count;
  const double scale = 1 / total();
  for (std::size_t i = 0; i < count; ++i) row[i].weight *= scale;
  return count;
}

class RowMaker {
 public:
  RowMaker(const RowTask& task, const GvbWeighting& weighting) : task_(task), weighting_(weighting) {
    const double common = lambda_of(weighting.falloff);
    lambda_.assign(task.handles.size(), common);
    for (std::size_t h = 0; h < weighting.joint_falloff.size(); ++h) {
      if (!std::isnan(weighting.joint_falloff[h])) lambda_[h] = lambda_of(weighting.joint_falloff[h]);
    }
    if (!weighting.rigid.empty()) region_.assign(task.slots.vertex_count(), kNone);
    for (std::size_t r = 0; r < weighting.rigid.size(); ++r) {
      for (const Index v : weighting.rigid[r].vertices) region_[v] = static_cast<Index>(r);
    }
  }

  std::size_t row(std::size_t v, Row& out) const {
    if (!region_.empty() && region_[v] != kNone) return rigid_row(v, weighting_.rigid[region_[v]], out);
    const auto& slots = task_.slots;
    const std::size_t first = v * slots.stride;
    const double own = weighting_.vertex_falloff.empty() ? std::nan("") : weighting_.vertex_falloff[v];
    const double vertex_lambda = std::isnan(own) ? own : lambda_of(own);
    std::size_t used = 0;
    while (used < slots.stride && slots.handle[first + used] != kNone) ++used;
    const auto limit = static_cast<std::size_t>(weighting_.limits.influences);
    const bool cut = task_.fade && used >= std::min(limit, task_.known);
    const double last = cut ? (used > limit ? slots.affinity[first + limit] : 0.0f) : -kNever;
    for (std::size_t i = 0; i < used; ++i) {
      const Index h = slots.handle[first + i];
      const double lambda = std::isnan(vertex_lambda) ? lambda_[h] : vertex_lambda;
      // eq. 9 relative to the nearest handle: scale-free, and so that a joint's own λ cannot beat the nearest one.
      const double nearest = slots.affinity[first];
      const double weight = i == 0 ? 1.0 : std::exp(-lambda * (nearest - slots.affinity[first + i]));
      out[i] = {h, cut && nearest > last ? std::max(0.0, weight - std::exp(-lambda * (nearest - last))) : weight};
    }
    return finish_row(out, used, weighting_.limits);
  }

 private:
  /// Infinite distance to all but the drivers. Where one of them is not among the nearest, straight lines decide.
  std::size_t rigid_row(std::size_t v, const RigidRegion& region, Row& out) const {
    const std::size_t count = std::min(region.handles.size(), kMaxRow);
    if (count == 1) {
      out[0] = {region.handles[0], 1.0};
      return 1;
    }
    std::array<double, kMaxRow> log_distance = {};
    bool all = true;
    for (std::size_t i = 0; i < count && all; ++i) all = find_slot(v, region.handles[i], log_distance[i]);
    for (std::size_t i = 0; i < count && !all; ++i) {
      const double d = distance(task_.handles[region.handles[i]], task_.positions[v]) / task_.voxel;
      log_distance[i] = std::log(std::max(d, 0.1));
    }
    const double nearest = *std::min_element(log_distance.begin(), log_distance.begin() + count);
    for (std::size_t i = 0; i < count; ++i) {
      const Index h = region.handles[i];
      out[i] = {h, std::exp(-lambda_[h] * (log_distance[i] - nearest))};
    }
    return finish_row(out, count, weighting_.limits);
  }

  bool find_slot(std::size_t v, Index handle, double& log_distance) const {
    const auto& slots = task_.slots;
    for (std::size_t i = v * slots.stride; i < (v + 1) * slots.stride; ++i) {
      if (slots.handle[i] != handle) continue;
      log_distance = -static_cast<double>(slots.affinity[i]);
      return true;
    }
    return false;
  }

  const RowTask& task_;
  const GvbWeighting& weighting_;
  std::vector<double> lambda_;  // #handles
  std::vector<Index> region_;   // #V or empty
};

void check(const RowTask& task, const GvbWeighting& weighting) {
  check_ranges(weighting);
  const auto size_is = [](std::size_t size, std::size_t wanted, const char* what) {
    if (size != 0 && size != wanted) throw_bad_input(std::string("the number of falloffs by ") + what + " is wrong");
  };
  size_is(weighting.joint_falloff.size(), task.handles.size(), "joint");
  size_is(weighting.vertex_falloff.size(), task.slots.vertex_count(), "vertex");
  const auto in_range = [](double falloff) { return std::isnan(falloff) || (falloff >= 0 && falloff <= 1); };
  if (!std::all_of(weighting.joint_falloff.begin(), weighting.joint_falloff.end(), in_range) ||
      !std::all_of(weighting.vertex_falloff.begin(), weighting.vertex_falloff.end(), in_range)) {
    throw_bad_input("a falloff must be between 0 and 1");
  }
  for (const RigidRegion& region : weighting.rigid) {
    if (region.handles.empty()) throw_bad_input("a rigid region needs at least one joint to follow");
    for (const Index h : region.handles) {
      if (h < 0 || static_cast<std::size_t>(h) >= task.handles.size()) {
        throw_bad_input("a rigid region follows a joint that does not exist", h);
      }
    }
    for (const Index v : region.vertices) {
      if (v < 0 || static_cast<std::size_t>(v) >= task.slots.vertex_count()) {
        throw_bad_input("a rigid region holds a vertex that does not exist", v);
      }
    }
  }
}

}  // namespace

SkinWeights weight_rows(const RowTask& task, const GvbWeighting& weighting, const Context& context) {
  check(task, weighting);
  constexpr std::size_t kChunk = 2048;
  const std::size_t n = task.slots.vertex_count();
  const RowMaker maker(task, weighting);
  // Rows are made chunk by chunk into buffers of their own, then laid one after another.
  std::vector<std::vector<Influence>> made((n + kChunk - 1) / kChunk);
  SkinWeights weights;
  weights.begin.resize(n + 1);
  parallel_for(context, n, kChunk, [&](Range range) {
    std::vector<Influence>& out = made[range.begin / kChunk];
    out.reserve((range.end - range.begin) *
                std::min(task.slots.stride, static_cast<std::size_t>(weighting.limits.influences)));
    Row row;
    for (std::size_t v = range.begin; v < range.end; ++v) {
      const std::size_t count = maker.row(v, row);
      out.insert(out.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(count));
      weights.begin[v + 1] = static_cast<Index>(count);
    }
  });
  for (std::size_t v = 0; v < n; ++v) weights.begin[v + 1] += weights.begin[v];
  weights.influences.resize(static_cast<std::size_t>(weights.begin[n]));
  parallel_for(context, made.size(), 1, [&](Range range) {
    for (std::size_t c = range.begin; c < range.end; ++c) {
      std::copy(made[c].begin(), made[c].end(), weights.influences.begin() + weights.begin[c * kChunk]);
    }
  });
  return weights;
}

}  // namespace isochor
