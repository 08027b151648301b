#include "bind/slot_system.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

constexpr std::size_t kChunk = 1024;
constexpr double kTolerance = 0.03;
constexpr int kIterations = 300;
/// Below this many vertices a coarser graph saves nothing.
constexpr std::size_t kCoarsest = 300;

/// The system over all (vertex, slot) pairs: block diagonal by handle, solved by one conjugate gradient. Vectors have
/// stride + 1 numbers per vertex; the last stays 0 and stands for handles that a neighbour has no slot for.
class SlotSystem {
 public:
  SlotSystem(const SurfaceGraph& graph, const SlotValues& slots, const Context& context)
      : graph_(graph),
        stride_(slots.stride),
        match_(graph.neighbour.size() * slots.stride),
        used_(graph.size()),
        diagonal_(graph.size()),
        inverse_diagonal_(graph.size()),
        context_(context) {
    parallel_for(context, graph.size(), kChunk, [&](Range range) {
      for (std::size_t v = range.begin; v < range.end; ++v) prepare(v, slots.handle);
    });
  }

  /// Solves (M + L) x = M y₀ from a first guess.
  std::vector<float> solve(std::span<const float> start, std::span<const float> guess) const {
    const std::size_t width = stride_ + 1;
    std::vector<float> x(graph_.size() * width, 0.0f), r(x), p(x), q(x);
    each([&](std::size_t v, std::size_t i) { x[v * width + i] = guess[v * stride_ + i]; });
    apply(x, q);
    const double right = reduce([&](std::size_t v, std::size_t i) {
      const double b = static_cast<double>(graph_.mass[v]) * start[v * stride_ + i];
      return b * b * inverse_diagonal_[v];
    });
    double rz = reduce([&](std::size_t v, std::size_t i) {
      const std::size_t at = v * width + i;
      r[at] = graph_.mass[v] * start[v * stride_ + i] - q[at];
      p[at] = r[at] * inverse_diagonal_[v];
      return static_cast<double>(r[at]) * p[at];
    });
    for (int k = 0; k < kIterations && rz > kTolerance * kTolerance * right; ++k) {
      context_.check_cancelled();
      apply(p, q);
      const double pq = reduce(
          [&](std::size_t v, std::size_t i) { return static_cast<double>(p[v * width + i]) * q[v * width + i]; });
      if (!(pq > 0)) break;
      const auto step = static_cast<float>(rz / pq);
      const double rz_next = reduce([&](std::size_t v, std::size_t i) {
        const std::size_t at = v * width + i;
        x[at] += step * p[at];
        r[at] -= step * q[at];
        return static_cast<double>(r[at]) * r[at] * inverse_diagonal_[v];
      });
      const auto turn = static_cast<float>(rz_next / rz);
      rz = rz_next;
      each([&](std::size_t v, std::size_t i) {
        const std::size_t at = v * width + i;
        p[at] = r[at] * inverse_diagonal_[v] + turn * p[at];
      });
    }
    std::vector<float> result(graph_.size() * stride_, 0.0f);
    each([&](std::size_t v, std::size_t i) { result[v * stride_ + i] = x[v * width + i]; });
    return result;
  }

 private:
  void prepare(std::size_t v, std::span<const Index> handle) {
    const auto own = handle.subspan(v * stride_, stride_);
    used_[v] = static_cast<std::uint8_t>(std::find(own.begin(), own.end(), kNone) - own.begin());
    double sum = graph_.mass[v];
    for (Index e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
      sum += graph_.conductance[e];
      const auto other = handle.subspan(static_cast<std::size_t>(graph_.neighbour[e]) * stride_, stride_);
      for (std::size_t i = 0; i < used_[v]; ++i) {
        // Slots of neighbours are mostly alike.
        const auto found = other[i] == own[i] ? other.begin() + i : std::find(other.begin(), other.end(), own[i]);
        match_[static_cast<std::size_t>(e) * stride_ + i] = static_cast<std::uint8_t>(found - other.begin());
      }
    }
    diagonal_[v] = static_cast<float>(sum);
    inverse_diagonal_[v] = sum > 0 ? static_cast<float>(1 / sum) : 0.0f;
  }

  /// q = (M + L) x.
  void apply(const std::vector<float>& x, std::vector<float>& q) const {
    const std::size_t width = stride_ + 1;
    parallel_for(context_, graph_.size(), kChunk, [&](Range range) {
      for (std::size_t v = range.begin; v < range.end; ++v) {
        const float* own = &x[v * width];
        float* out = &q[v * width];
        for (std::size_t i = 0; i < used_[v]; ++i) out[i] = diagonal_[v] * own[i];
        for (Index e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
          const float k = graph_.conductance[e];
          const float* other = &x[static_cast<std::size_t>(graph_.neighbour[e]) * width];
          const std::uint8_t* match = &match_[static_cast<std::size_t>(e) * stride_];
          for (std::size_t i = 0; i < used_[v]; ++i) out[i] -= k * other[match[i]];
        }
      }
    });
  }

  /// Calls body(vertex, slot) for all used slots.
  template <class Body>
  void each(const Body& body) const {
    parallel_for(context_, graph_.size(), kChunk, [&](Range range) {
      for (std::size_t v = range.begin; v < range.end; ++v) {
        for (std::size_t i = 0; i < used_[v]; ++i) body(v, i);
      }
    });
  }

  template <class Body>
  double reduce(const Body& body) const {
    return parallel_sum(context_, graph_.size(), kChunk, [&](Range range) {
      double sum = 0;
      for (std::size_t v = range.begin; v < range.end; ++v) {
        for (std::size_t i = 0; i < used_[v]; ++i) sum += body(v, i);
      }
      return sum;
    });
  }

  const SurfaceGraph& graph_;
  std::size_t stride_;
  std::vector<std::uint8_t> match_;  ///< #neighbours × stride: where the neighbour keeps the same handle
  std::vector<std::uint8_t> used_;   ///< slots of each vertex
  std::vector<float> diagonal_;
  std::vector<float> inverse_diagonal_;  ///< 0 for a vertex without area
  const Context& context_;
};

/// The handles of a group are its vertices', the strongest where there are too many; values are means by area.
SlotValues gather_slots(const SurfaceGraph& fine, const SlotValues& slots, const CoarseGraph& coarse) {
  const std::size_t stride = slots.stride, groups = coarse.graph.size();
  std::vector<Index> begin(groups + 1, 0), member(fine.size());
  for (const Index g : coarse.group) ++begin[g + 1];
  for (std::size_t g = 0; g < groups; ++g) begin[g + 1] += begin[g];
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (std::size_t v = 0; v < fine.size(); ++v) member[next[coarse.group[v]]++] = static_cast<Index>(v);

  struct Sum {
    Index handle;
    float value;
  };
  SlotValues result{stride, std::vector<Index>(groups * stride, kNone), std::vector<float>(groups * stride, 0.0f)};
  std::vector<Sum> sums;
  for (std::size_t g = 0; g < groups; ++g) {
    sums.clear();
    for (Index m = begin[g]; m < begin[g + 1]; ++m) {
      const auto v = static_cast<std::size_t>(member[m]);
      for (std::size_t i = v * stride; i < (v + 1) * stride && slots.handle[i] != kNone; ++i) {
        const auto found =
            std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.handle == slots.handle[i]; });
        const float part = fine.mass[v] * slots.value[i];
        if (found != sums.end()) {
          found->value += part;
        } else {
          sums.push_back({slots.handle[i], part});
        }
      }
    }
    std::sort(sums.begin(), sums.end(),
              [](const Sum& a, const Sum& b) { return a.value != b.value ? a.value > b.value : a.handle < b.handle; });
    const float mass = coarse.graph.mass[g];
    for (std::size_t i = 0; i < std::min(sums.size(), stride); ++i) {
      result.handle[g * stride + i] = sums[i].handle;
      result.value[g * stride + i] = mass > 0 ? sums[i].value / mass : 0.0f;
    }
  }
  return result;
}

/// A first guess for the fine values: those of the groups, except where hardly any heat flows.
std::vector<float> spread(const SurfaceGraph& fine, const SlotValues& slots, const CoarseGraph& coarse,
                          const SlotValues& solved) {
  const std::size_t stride = slots.stride;
  std::vector<float> guess = slots.value;
  for (std::size_t v = 0; v < fine.size(); ++v) {
    float flow = 0;
    for (Index e = fine.begin[v]; e < fine.begin[v + 1]; ++e) flow += fine.conductance[e];
    if (flow <= fine.mass[v]) continue;
    const auto from = static_cast<std::size_t>(coarse.group[v]) * stride;
    for (std::size_t i = v * stride; i < (v + 1) * stride && slots.handle[i] != kNone; ++i) {
      for (std::size_t k = from; k < from + stride; ++k) {
        if (solved.handle[k] == slots.handle[i]) guess[i] = solved.value[k];
      }
    }
  }
  return guess;
}

}  // namespace

void diffuse(const SurfaceGraph& graph, SlotValues& slots, const Context& context) {
  const SlotSystem system(graph, slots, context);
  std::vector<float> guess = slots.value;
  if (graph.size() > kCoarsest) {
    const CoarseGraph coarse = coarsen(graph);
    if (coarse.graph.size() * 2 <= graph.size()) {
      SlotValues gathered = gather_slots(graph, slots, coarse);
      diffuse(coarse.graph, gathered, context);
      guess = spread(graph, slots, coarse, gathered);
    }
  }
  slots.value = system.solve(slots.value, guess);
}

}  // namespace isochor
