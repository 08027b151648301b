#include "isochor/bake/morph_basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bake/morph_layers.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// How the tolerance is shared out: most of it to the truncation, a little to what is rounded to zero, the rest to
/// weights that hold the volume (morph_volume.h).
constexpr double kGreedyShare = 0.5, kTruncationShare = 0.75, kStillShare = 0.02, kDropShare = 0.05;
/// A tolerance of zero means the last digits that sums of this kind leave.
constexpr double kSmallestTolerance = 1e-10;
/// From this tolerance on, single precision finds the same targets: what it rounds away is a hundredth of it.
constexpr double kSingleTolerance = 1e-5;
/// Normal offsets below this length, all targets together, turn the light by less than a twentieth of a degree.
constexpr double kNormalDrop = 1e-3;

/// Targets that one task takes.
constexpr std::size_t kTargetsPerTask = 8;

void check(const MorphBasisInput& input, const Context& context) {
  const auto finite = [](const Vec3& x) { return x.allFinite(); };
  parallel_for(context, input.frames.size(), kFramesPerTask, [&](Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) {
      const MorphTarget &first = input.frames[0], &frame = input.frames[f];
      if (frame.positions.size() != first.positions.size() || frame.normals.size() != first.normals.size() ||
          (!frame.normals.empty() && frame.normals.size() != frame.positions.size())) {
        throw_bad_input("the frames of a part have different numbers of vertices");
      }
      if (!std::all_of(frame.positions.begin(), frame.positions.end(), finite) ||
          !std::all_of(frame.normals.begin(), frame.normals.end(), finite)) {
        throw_bad_input("a frame holds offsets that are not finite");
      }
    }
  });
  const std::size_t vertices = input.frames.empty() ? 0 : input.frames[0].positions.size();
  const auto positive = [](double size) { return size > 0 && std::isfinite(size); };
  if (input.sizes.size() != vertices || !std::all_of(input.sizes.begin(), input.sizes.end(), positive)) {
    throw_bad_input("every vertex of a part needs a size to which its error is relative");
  }
}

/// Vertices that some frame moves by more than `floor`, relative to their size.
std::vector<Index> moved_vertices(const MorphBasisInput& input, double floor, const Context& context) {
  std::vector<char> moved(input.sizes.size(), 0);
  parallel_for(context, moved.size(), 1024, [&](Range range) {
    for (const MorphTarget& frame : input.frames) {
      for (std::size_t v = range.begin; v < range.end; ++v) {
        const double far = floor * input.sizes[v];
        moved[v] |= frame.positions[v].squaredNorm() > far * far ? 1 : 0;
      }
    }
  });
  std::vector<Index> out;
  for (std::size_t v = 0; v < moved.size(); ++v) {
    if (moved[v]) out.push_back(static_cast<Index>(v));
  }
  return out;
}

/// Target t's largest weight over all frames becomes 1, so that its offsets have the size of what it contributes.
std::vector<double> scale_weights(Eigen::MatrixXd& weights) {
  std::vector<double> scale;
  for (Eigen::Index t = 0; t < weights.cols(); ++t) {
    Eigen::Index peak = 0;
    weights.col(t).cwiseAbs().maxCoeff(&peak);
    scale.push_back(weights(peak, t));
    if (scale.back() != 0) weights.col(t) /= scale.back();
  }
  return scale;
}

Eigen::MatrixXd weights_of(const MorphLayers& layers, std::size_t frames) {
  Eigen::MatrixXd weights(frames, target_count(layers));
  Eigen::Index first = 0;
  for (const MorphLayer& layer : layers) {
    weights.middleCols(first, layer.span.coefficients.cols()) = layer.span.coefficients;
    first += layer.span.coefficients.cols();
  }
  return weights;
}

/// Vertices in the order of how many targets they have, most first, so that neighbours in it have about as many.
struct ReachOrder {
  std::vector<std::size_t> vertices;
  std::vector<std::size_t> reach;  ///< by vertex: the first so many targets may be other than zero there

  explicit ReachOrder(std::vector<std::size_t> by_vertex) : vertices(by_vertex.size()), reach(std::move(by_vertex)) {
    std::iota(vertices.begin(), vertices.end(), std::size_t{0});
    std::stable_sort(vertices.begin(), vertices.end(),
                     [&](std::size_t a, std::size_t b) { return reach[a] > reach[b]; });
  }
};

/// Some vertices, and how many targets concern them.
struct VertexBlock {
  std::span<const std::size_t> vertices;
  std::size_t targets = 0;
};

template <class Body>
void for_vertex_blocks(const ReachOrder& order, const Context& context, const Body& body) {
  constexpr std::size_t kVerticesPerBlock = 64;
  parallel_for(context, order.vertices.size(), kVerticesPerBlock, [&](Range range) {
    const std::span<const std::size_t> vertices(order.vertices.data() + range.begin, range.end - range.begin);
    body(VertexBlock{vertices, order.reach[vertices.front()]});
  });
}

/// #targets × 3n: the offsets of some vertices, positions or normals.
template <class Scalar>
RowsOf<Scalar> offsets_at(std::span<const MorphTarget> targets, std::vector<Vec3> MorphTarget::*field,
                          std::span<const std::size_t> vertices) {
  RowsOf<Scalar> out(targets.size(), 3 * vertices.size());
  Scalar* to = out.data();
  for (const MorphTarget& target : targets) {
    for (const std::size_t v : vertices) {
      for (const double x : (target.*field)[v]) *to++ = static_cast<Scalar>(x);
    }
  }
  return out;
}

/// The longest offset of one vertex in rows of them.
template <class Scalar>
double longest_offset(const RowsOf<Scalar>& rows, std::size_t vertex) {
  return rows.template middleCols<3>(3 * static_cast<Eigen::Index>(vertex)).rowwise().norm().maxCoeff();
}

/// Least squares for normals under given weights, and the largest error that they leave. The columns of the weights are
/// orthogonal, so each target stands alone. Layers are nested: a vertex that a layer leaves out, later ones leave out
/// too, and `reach` counts the first targets that may turn its normal.
template <class Scalar>
double fit_normals(const MorphBasisInput& input, std::vector<std::size_t> reach, MorphBasis& basis,
                   const Context& context) {
  const std::size_t vertices = input.frames[0].normals.size();
  auto& targets = basis.targets;
  const double floor = kNormalDrop / static_cast<double>(std::max<std::size_t>(1, targets.size()));
  const RowsOf<Scalar> weights = basis.weights.cast<Scalar>();
  const RowsOf<Scalar> shares =
      (basis.weights.colwise().squaredNorm().cwiseInverse().asDiagonal() * basis.weights.transpose())
          .template cast<Scalar>();
  parallel_for(context, targets.size(), kTargetsPerTask, [&](Range range) {
    for (std::size_t t = range.begin; t < range.end; ++t) targets[t].normals.assign(vertices, Vec3::Zero());
  });
  if (vertices == 0) return 0;
  const ReachOrder order(std::move(reach));
  std::vector<double> error(vertices, 0.0);
  for_vertex_blocks(order, context, [&](const VertexBlock& block) {
    const auto count = static_cast<Eigen::Index>(block.targets);
    RowsOf<Scalar> left = offsets_at<Scalar>(input.frames, &MorphTarget::normals, block.vertices);
    RowsOf<Scalar> fitted = RowsOf<Scalar>::Zero(count, left.cols());
    add_product(shares.topRows(count), left, 1, fitted);
    for (std::size_t i = 0; i < block.vertices.size(); ++i) {
      const std::size_t v = block.vertices[i];
      auto of_vertex = fitted.template middleCols<3>(3 * static_cast<Eigen::Index>(i));
      for (std::size_t t = 0; t < block.targets; ++t) {
        auto normal = of_vertex.row(static_cast<Eigen::Index>(t));
        if (t >= order.reach[v] || normal.norm() < floor) normal.setZero();
        targets[t].normals[v] = normal.transpose().template cast<double>();
      }
    }
    add_product(weights.leftCols(count), fitted, -1, left);
    for (std::size_t i = 0; i < block.vertices.size(); ++i) error[block.vertices[i]] = longest_offset(left, i);
  });
  return *std::max_element(error.begin(), error.end());
}

/// Targets and weights from layers. Offsets below `floor`, relative to the vertex's size and all targets together,
/// become exactly zero.
MorphBasis make_targets(const MorphBasisInput& input, const MorphLayers& layers, double floor, const Context& context) {
  MorphBasis basis;
  basis.weights = weights_of(layers, input.frames.size());
  const std::vector<double> scale = scale_weights(basis.weights);
  basis.targets.resize(scale.size());
  std::size_t first = 0;
  for (const MorphLayer& layer : layers) {
    const auto rows = static_cast<std::size_t>(layer.span.basis.rows());
    parallel_for(context, rows, kTargetsPerTask, [&](Range range) {
      for (std::size_t row = range.begin; row < range.end; ++row) {
        const auto offsets = layer.span.basis.row(static_cast<Eigen::Index>(row));
        auto& positions = basis.targets[first + row].positions;
        positions.assign(input.sizes.size(), Vec3::Zero());
        for (std::size_t i = 0; i < layer.vertices.size(); ++i) {
          const Vec3 offset = scale[first + row] * offsets.segment<3>(3 * static_cast<Eigen::Index>(i)).transpose();
          const Index v = layer.vertices[i];
          if (offset.norm() * static_cast<double>(scale.size()) >= floor) positions[v] = input.sizes[v] * offset;
        }
      }
    });
    first += rows;
  }
  return basis;
}

/// For each vertex, how many of the first targets may turn its normal: those whose layer holds it. Normals turn beside
/// what moves too; there the first layer's do.
std::vector<std::size_t> normal_reach(const MorphLayers& layers, std::size_t vertices) {
  std::size_t count = 0;
  std::vector<std::size_t> reach(vertices, static_cast<std::size_t>(layers[0].span.basis.rows()));
  for (const MorphLayer& layer : layers) {
    count += static_cast<std::size_t>(layer.span.basis.rows());
    for (const Index v : layer.vertices) reach[v] = count;
  }
  return reach;
}

/// out += weight · target.
void accumulate(MorphTarget& out, const MorphTarget& target, double weight) {
  out.positions.resize(target.positions.size(), Vec3::Zero());
  out.normals.resize(target.normals.size(), Vec3::Zero());
  for (std::size_t v = 0; v < out.positions.size(); ++v) out.positions[v] += weight * target.positions[v];
  for (std::size_t v = 0; v < out.normals.size(); ++v) out.normals[v] += weight * target.normals[v];
}

/// By vertex: the last target that moves it, plus one.
std::vector<std::size_t> target_reach(std::span<const MorphTarget> targets, std::size_t vertices) {
  std::vector<std::size_t> reach(vertices, 0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t v = 0; v < vertices; ++v) {
      if (targets[t].positions[v] != Vec3::Zero()) reach[v] = t + 1;
    }
  }
  return reach;
}

/// How far the frames are from what targets and weights make of them: the longest difference, relative to its size.
double play_error(const MorphBasis& basis, const MorphBasisInput& input, const Context& context) {
  const ReachOrder order(target_reach(basis.targets, input.sizes.size()));
  const Rows weights = basis.weights;
  std::vector<double> error(input.sizes.size(), 0.0);
  for_vertex_blocks(order, context, [&](const VertexBlock& block) {
    Rows left = offsets_at<double>(input.frames, &MorphTarget::positions, block.vertices);
    const auto targets = std::span<const MorphTarget>(basis.targets).first(block.targets);
    add_product(weights.leftCols(static_cast<Eigen::Index>(block.targets)),
                offsets_at<double>(targets, &MorphTarget::positions, block.vertices), -1, left);
    for (std::size_t i = 0; i < block.vertices.size(); ++i) {
      const std::size_t v = block.vertices[i];
      error[v] = longest_offset(left, i) / input.sizes[v];
    }
  });
  return error.empty() ? 0 : *std::max_element(error.begin(), error.end());
}

/// Errors of frames of which nothing is baked.
void measure_unbaked(const MorphBasisInput& input, MorphBasis& basis, const Context& context) {
  std::vector<double> errors(input.frames.size(), 0.0), normal_errors(input.frames.size(), 0.0);
  parallel_for(context, input.frames.size(), kFramesPerTask, [&](Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) {
      const MorphTarget& frame = input.frames[f];
      for (std::size_t v = 0; v < input.sizes.size(); ++v) {
        errors[f] = std::max(errors[f], frame.positions[v].norm() / input.sizes[v]);
      }
      for (const Vec3& normal : frame.normals) normal_errors[f] = std::max(normal_errors[f], normal.norm());
    }
  });
  basis.max_error = *std::max_element(errors.begin(), errors.end());
  basis.max_normal_error = *std::max_element(normal_errors.begin(), normal_errors.end());
}

/// Weights of both signs cost one target more.
std::size_t most_directions(const MorphBasisOptions& options) {
  if (options.max_targets == 0) return kNoLimit;
  return static_cast<std::size_t>(std::max<Index>(1, options.max_targets - 1));
}

template <class Scalar>
MorphLayers find_layers(const MorphBasisInput& input, const MorphBasisOptions& options, Context& context) {
  const double tolerance = std::max(options.tolerance, kSmallestTolerance);
  std::vector<Index> moved = moved_vertices(input, kStillShare * tolerance, context);
  RowsOf<Scalar> frames = relative_frames<Scalar>(input, moved, context);
  MorphSpan span = greedy_span<Scalar>(frames, kGreedyShare * tolerance, context);
  if (span.basis.rows() == 0) return {};
  turn_by_coefficients(span, context);
  return best_layers<Scalar>({std::move(frames), std::move(span), std::move(moved)}, kTruncationShare * tolerance,
                             most_directions(options), context);
}

}  // namespace

MorphBasis morph_basis(const MorphBasisInput& input, const MorphBasisOptions& options, Context& context) {
  check_ranges(options);
  check(input, context);
  MorphBasis basis;
  basis.weights.resize(static_cast<Eigen::Index>(input.frames.size()), 0);
  if (input.frames.empty()) return basis;
  measure_unbaked(input, basis, context);
  if (basis.max_error <= options.tolerance) return basis;
  const bool single = options.tolerance >= kSingleTolerance;
  const MorphLayers layers =
      single ? find_layers<float>(input, options, context) : find_layers<double>(input, options, context);
  if (layers.empty()) return basis;
  basis = make_targets(input, layers, kDropShare * std::max(options.tolerance, kSmallestTolerance), context);
  std::vector<std::size_t> reach = normal_reach(layers, input.sizes.size());
  basis.max_normal_error = single ? fit_normals<float>(input, std::move(reach), basis, context)
                                  : fit_normals<double>(input, std::move(reach), basis, context);
  basis.max_error = play_error(basis, input, context);
  return basis;
}

void unit_weights(MorphBasis& basis) {
  const auto count = static_cast<Eigen::Index>(basis.targets.size());
  MorphTarget constant;
  bool any_below = false;
  for (Eigen::Index t = 0; t < count; ++t) {
    // A weight w in [low, high] becomes (w - low) / (high - low); all the lows together are a constant.
    const double low = std::min(0.0, basis.weights.col(t).minCoeff());
    const double range = basis.weights.col(t).maxCoeff() - low;
    any_below |= low < 0;
    if (!(range > 0)) continue;
    MorphTarget& target = basis.targets[static_cast<std::size_t>(t)];
    accumulate(constant, target, low);
    for (Vec3& offset : target.positions) offset *= range;
    for (Vec3& offset : target.normals) offset *= range;
    basis.weights.col(t) = ((basis.weights.col(t).array() - low) / range).min(1.0).max(0.0);
  }
  if (!any_below) return;
  basis.targets.insert(basis.targets.begin(), std::move(constant));
  Eigen::MatrixXd weights(basis.weights.rows(), count + 1);
  weights << Eigen::VectorXd::Ones(basis.weights.rows()), basis.weights;
  basis.weights = std::move(weights);
}

}  // namespace isochor
