#include "bake/morph_layers.h"

#include <algorithm>
#include <cmath>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// A layer ends when this share of its vertices, at most, is beyond the tolerance. Smaller shares take as many targets
/// with more vertices each, larger ones more decompositions.
constexpr double kOpenShare = 0.75;
/// Errors are measured after so many vertices' worth of directions: one at a time where vertices are few.
constexpr Eigen::Index kVerticesPerDirection = 512;

/// The largest error of each vertex over all frames.
std::vector<double> vertex_errors(const Rows& rows, const Context& context) {
  std::vector<double> squared(static_cast<std::size_t>(rows.cols() / 3), 0.0);
  parallel_for(context, squared.size(), 64, [&](Range range) {
    for (Eigen::Index f = 0; f < rows.rows(); ++f) {
      for (std::size_t v = range.begin; v < range.end; ++v) {
        const auto offset = rows.row(f).segment<3>(3 * static_cast<Eigen::Index>(v));
        squared[v] = std::max(squared[v], offset.squaredNorm());
      }
    }
  });
  for (double& error : squared) error = std::sqrt(error);
  return squared;
}

/// Columns of some vertices.
Rows pick_vertices(const Rows& rows, std::span<const Eigen::Index> vertices) {
  Rows out(rows.rows(), 3 * static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    out.middleCols<3>(3 * static_cast<Eigen::Index>(i)) = rows.middleCols<3>(3 * vertices[i]);
  }
  return out;
}

/// Vertices that are not yet within the tolerance.
class OpenVertices {
 public:
  OpenVertices(const LayerInput& input, double tolerance, const Context& context)
      : context_(context), tolerance_(tolerance), left_(input.frames), span_(input.span), vertices_(input.vertices) {
    // All or none: what moves by less than the tolerance counts for the volume, and moves with the first layer.
    if (count_open() == 0) vertices_.clear();
  }

  bool any() const { return !vertices_.empty() && span_.basis.rows() > 0; }

  MorphLayer take_layer() {
    turn_by_basis(span_);
    const Eigen::Index most = span_.basis.rows();
    const Eigen::Index step = 1 + static_cast<Eigen::Index>(vertices_.size()) / kVerticesPerDirection;
    const auto enough = static_cast<std::size_t>(kOpenShare * static_cast<double>(vertices_.size()));
    Eigen::Index taken = 0;
    while (taken < most) {
      const Eigen::Index n = std::min(step, most - taken);
      subtract(left_, span_.coefficients.middleCols(taken, n), span_.basis.middleRows(taken, n), context_);
      taken += n;
      if (count_open() <= enough) break;
    }
    MorphLayer layer{vertices_, {span_.basis.topRows(taken), span_.coefficients.leftCols(taken)}};
    span_.basis = span_.basis.bottomRows(most - taken).eval();
    span_.coefficients = span_.coefficients.rightCols(most - taken).eval();
    close();
    return layer;
  }

 private:
  std::size_t count_open() const {
    const auto errors = vertex_errors(left_, context_);
    return static_cast<std::size_t>(
        std::count_if(errors.begin(), errors.end(), [&](double error) { return error > tolerance_; }));
  }
  /// Leaves out what is within the tolerance.
  void close() {
    const auto errors = vertex_errors(left_, context_);
    std::vector<Index> vertices;
    std::vector<Eigen::Index> columns;
    for (std::size_t v = 0; v < errors.size(); ++v) {
      if (errors[v] <= tolerance_) continue;
      vertices.push_back(vertices_[v]);
      columns.push_back(static_cast<Eigen::Index>(v));
    }
    left_ = pick_vertices(left_, columns);
    span_.basis = pick_vertices(span_.basis, columns);
    vertices_ = std::move(vertices);
  }

  const Context& context_;
  double tolerance_;
  Rows left_;       // #frames × 3 #open: what targets do not make yet
  MorphSpan span_;  // of that
  std::vector<Index> vertices_;
};

/// The plain truncated decomposition, and the largest error that it leaves.
struct TruncatedSpan {
  MorphLayer layer;
  double error = 0;
};

TruncatedSpan truncated_span(const LayerInput& input, std::size_t count, const Context& context) {
  const Eigen::Index kept = std::min(static_cast<Eigen::Index>(count), input.span.basis.rows());
  TruncatedSpan out{{input.vertices, {input.span.basis.topRows(kept), input.span.coefficients.leftCols(kept)}}, 0};
  Rows left = input.frames;
  subtract(left, out.layer.span.coefficients, out.layer.span.basis, context);
  const auto errors = vertex_errors(left, context);
  if (!errors.empty()) out.error = *std::max_element(errors.begin(), errors.end());
  return out;
}

}  // namespace

std::size_t target_count(const MorphLayers& layers) {
  std::size_t count = 0;
  for (const MorphLayer& layer : layers) count += static_cast<std::size_t>(layer.span.basis.rows());
  return count;
}

std::optional<MorphLayers> layers_within(const LayerInput& input, double tolerance, std::size_t limit,
                                         const Context& context) {
  MorphLayers layers;
  OpenVertices open(input, tolerance, context);
  while (open.any()) {
    layers.push_back(open.take_layer());
    if (target_count(layers) > limit) return std::nullopt;
  }
  return layers;
}

MorphLayers best_layers(const LayerInput& input, double tolerance, std::size_t limit, const Context& context) {
  constexpr int kSteps = 6;
  if (auto layers = layers_within(input, tolerance, limit, context)) return std::move(*layers);
  TruncatedSpan plain = truncated_span(input, limit, context);
  MorphLayers best = {std::move(plain.layer)};
  double low = tolerance, high = plain.error;
  for (int step = 0; step < kSteps && high > low; ++step) {
    const double middle = std::sqrt(low * high);
    if (auto layers = layers_within(input, middle, limit, context)) {
      best = std::move(*layers);
      high = middle;
    } else {
      low = middle;
    }
  }
  return best;
}

}  // namespace isochor
