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

/// Columns of some vertices.
template <class Scalar>
RowsOf<Scalar> pick_vertices(const RowsOf<Scalar>& rows, std::span<const Eigen::Index> vertices,
                             const Context& context) {
  RowsOf<Scalar> out(rows.rows(), 3 * static_cast<Eigen::Index>(vertices.size()));
  parallel_for(context, static_cast<std::size_t>(rows.rows()), 16, [&](Range range) {
    for (std::size_t row = range.begin; row < range.end; ++row) {
      const Scalar* from = rows.data() + row * static_cast<std::size_t>(rows.cols());
      Scalar* to = out.data() + row * 3 * vertices.size();
      for (const Eigen::Index v : vertices) to = std::copy_n(from + 3 * v, 3, to);
    }
  });
  return out;
}

std::size_t count_beyond(std::span<const double> errors, double tolerance) {
  return static_cast<std::size_t>(
      std::count_if(errors.begin(), errors.end(), [&](double error) { return error > tolerance; }));
}

/// Vertices that are not yet within the tolerance.
template <class Scalar>
class OpenVertices {
 public:
  OpenVertices(LayerInput<Scalar> input, double tolerance, const Context& context)
      : context_(context),
        tolerance_(tolerance),
        left_(std::move(input.frames)),
        span_(std::move(input.span)),
        vertices_(std::move(input.vertices)) {
    // All or none: what moves by less than the tolerance counts for the volume, and moves with the first layer.
    if (count_beyond(offset_errors(left_, context).by_vertex, tolerance) == 0) vertices_.clear();
  }

  bool any() const { return !vertices_.empty() && span_.basis.rows() > 0; }

  MorphLayer take_layer() {
    if (!turned_) turn_by_basis(span_, context_);
    const Eigen::Index most = span_.basis.rows();
    const Eigen::Index step = 1 + static_cast<Eigen::Index>(vertices_.size()) / kVerticesPerDirection;
    const auto enough = static_cast<std::size_t>(kOpenShare * static_cast<double>(vertices_.size()));
    std::vector<double> errors;
    Eigen::Index taken = 0;
    do {
      const Eigen::Index n = std::min(step, most - taken);
      const RowsOf<Scalar> coefficients = span_.coefficients.middleCols(taken, n).template cast<Scalar>();
      const RowsOf<Scalar> basis = span_.basis.middleRows(taken, n).template cast<Scalar>();
      errors = add_and_measure<Scalar>(left_, -1, coefficients, basis, context_).by_vertex;
      taken += n;
    } while (taken < most && count_beyond(errors, tolerance_) > enough);
    MorphLayer layer{vertices_, {span_.basis.topRows(taken), span_.coefficients.leftCols(taken)}};
    span_.basis = span_.basis.bottomRows(most - taken).eval();
    span_.coefficients = span_.coefficients.rightCols(most - taken).eval();
    close(errors);
    return layer;
  }

 private:
  /// Leaves out what is within the tolerance.
  void close(std::span<const double> errors) {
    std::vector<Index> vertices;
    std::vector<Eigen::Index> columns;
    for (std::size_t v = 0; v < errors.size(); ++v) {
      if (errors[v] <= tolerance_) continue;
      vertices.push_back(vertices_[v]);
      columns.push_back(static_cast<Eigen::Index>(v));
    }
    left_ = pick_vertices(left_, columns, context_);
    span_.basis = pick_vertices(span_.basis, columns, context_);
    vertices_ = std::move(vertices);
    turned_ = false;
  }

  const Context& context_;
  double tolerance_;
  RowsOf<Scalar> left_;  // #frames × 3 #open: what targets do not make yet
  MorphSpan span_;       // of that
  bool turned_ = true;   // the span's first rows carry most: turn_by_coefficients() leaves it so
  std::vector<Index> vertices_;
};

/// The plain truncated decomposition, and the largest error that it leaves.
struct TruncatedSpan {
  MorphLayer layer;
  double error = 0;
};

template <class Scalar>
TruncatedSpan truncated_span(const LayerInput<Scalar>& input, std::size_t count, const Context& context) {
  const Eigen::Index kept = std::min(static_cast<Eigen::Index>(count), input.span.basis.rows());
  TruncatedSpan out{{input.vertices, {input.span.basis.topRows(kept), input.span.coefficients.leftCols(kept)}}, 0};
  RowsOf<Scalar> left = input.frames;
  const RowsOf<Scalar> coefficients = out.layer.span.coefficients.template cast<Scalar>();
  const RowsOf<Scalar> basis = out.layer.span.basis.template cast<Scalar>();
  const auto errors = add_and_measure<Scalar>(left, -1, coefficients, basis, context).by_row;
  if (!errors.empty()) out.error = *std::max_element(errors.begin(), errors.end());
  return out;
}

}  // namespace

std::size_t target_count(const MorphLayers& layers) {
  std::size_t count = 0;
  for (const MorphLayer& layer : layers) count += static_cast<std::size_t>(layer.span.basis.rows());
  return count;
}

template <class Scalar>
std::optional<MorphLayers> layers_within(LayerInput<Scalar> input, double tolerance, std::size_t limit,
                                         const Context& context) {
  MorphLayers layers;
  OpenVertices<Scalar> open(std::move(input), tolerance, context);
  while (open.any()) {
    layers.push_back(open.take_layer());
    if (target_count(layers) > limit) return std::nullopt;
  }
  return layers;
}

template <class Scalar>
MorphLayers best_layers(LayerInput<Scalar> input, double tolerance, std::size_t limit, const Context& context) {
  constexpr int kSteps = 6;
  if (limit == kNoLimit) return *layers_within(std::move(input), tolerance, limit, context);
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

template std::optional<MorphLayers> layers_within(LayerInput<float>, double, std::size_t, const Context&);
template std::optional<MorphLayers> layers_within(LayerInput<double>, double, std::size_t, const Context&);
template MorphLayers best_layers(LayerInput<float>, double, std::size_t, const Context&);
template MorphLayers best_layers(LayerInput<double>, double, std::size_t, const Context&);

}  // namespace isochor
