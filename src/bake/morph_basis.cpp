#include "isochor/bake/morph_basis.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Row = Eigen::RowVectorXd;

/// How the tolerance is shared out: most of it to the truncation, a little to what is rounded to zero.
constexpr double kGreedyShare = 0.5, kTruncationShare = 0.9, kStillShare = 0.02, kDropShare = 0.05;
/// A tolerance of zero means the last digits that sums of this kind leave.
constexpr double kSmallestTolerance = 1e-10;
/// Normal offsets below this length, all targets together, turn the light by less than a twentieth of a degree.
constexpr double kNormalDrop = 1e-3;

double longest(const Eigen::Ref<const Row>& row) {
  double most = 0;
  for (Eigen::Index i = 0; i + 2 < row.size(); i += 3) {
    most = std::max(most, row.segment<3>(i).squaredNorm());
  }
  return std::sqrt(most);
}

void check(const MorphBasisInput& input) {
  const auto finite = [](const Vec3& x) { return x.allFinite(); };
  for (const MorphTarget& frame : input.frames) {
    const MorphTarget& first = input.frames[0];
    if (frame.positions.size() != first.positions.size() || frame.normals.size() != first.normals.size() ||
        (!frame.normals.empty() && frame.normals.size() != frame.positions.size())) {
      throw_bad_input("the frames of a part have different numbers of vertices");
    }
    if (!std::all_of(frame.positions.begin(), frame.positions.end(), finite) ||
        !std::all_of(frame.normals.begin(), frame.normals.end(), finite)) {
      throw_bad_input("a frame holds offsets that are not finite");
    }
  }
  const std::size_t vertices = input.frames.empty() ? 0 : input.frames[0].positions.size();
  const auto positive = [](double size) { return size > 0 && std::isfinite(size); };
  if (input.sizes.size() != vertices || !std::all_of(input.sizes.begin(), input.sizes.end(), positive)) {
    throw_bad_input("every vertex of a part needs a size to which its error is relative");
  }
}

/// Vertices that some frame moves by more than `floor`, relative to their size.
std::vector<Index> moved_vertices(const MorphBasisInput& input, double floor) {
  std::vector<char> moved(input.sizes.size(), 0);
  for (const MorphTarget& frame : input.frames) {
    for (std::size_t v = 0; v < moved.size(); ++v) {
      moved[v] |= frame.positions[v].norm() > floor * input.sizes[v] ? 1 : 0;
    }
  }
  std::vector<Index> out;
  for (std::size_t v = 0; v < moved.size(); ++v) {
    if (moved[v]) out.push_back(static_cast<Index>(v));
  }
  return out;
}

/// What the decomposition works on: the moved vertices' offsets in units of their size.
struct RelativeFrames {
  const MorphBasisInput& input;
  std::vector<Index> moved;

  Row row(std::size_t frame) const {
    Row out(3 * static_cast<Eigen::Index>(moved.size()));
    for (std::size_t i = 0; i < moved.size(); ++i) {
      out.segment<3>(3 * static_cast<Eigen::Index>(i)) =
          input.frames[frame].positions[moved[i]].transpose() / input.sizes[moved[i]];
    }
    return out;
  }
};

/// frames ≈ coefficients · basis, over the moved vertices.
struct Span {
  Rows basis;         // #T × 3 #moved, orthonormal rows
  Rows coefficients;  // #frames × #T
};

/// Frames over the moved vertices, less what has been taken out of them.
class Residual {
 public:
  Residual(const RelativeFrames& frames, Context& context)
      : context_(context),
        rows_(frames.input.frames.size(), 3 * frames.moved.size()),
        error_(frames.input.frames.size()) {
    parallel_for(context_, error_.size(), kChunk, [&](Range range) {
      for (std::size_t f = range.begin; f < range.end; ++f) {
        rows_.row(static_cast<Eigen::Index>(f)) = frames.row(f);
      }
      measure(range);
    });
  }

  const Rows& rows() const { return rows_; }
  /// The farthest vertex of each frame.
  const std::vector<double>& errors() const { return error_; }
  double worst() const { return *std::max_element(error_.begin(), error_.end()); }

  /// Takes `coefficients` · `basis` out.
  void remove(const Rows& coefficients, const Rows& basis) {
    parallel_for(context_, error_.size(), kChunk, [&](Range range) {
      const auto begin = static_cast<Eigen::Index>(range.begin), n = static_cast<Eigen::Index>(range.end) - begin;
      rows_.middleRows(begin, n).noalias() -= coefficients.middleRows(begin, n) * basis;
      measure(range);
    });
  }
  /// The part along orthonormal `basis`, which is taken out.
  Rows project_out(const Rows& basis) {
    Rows coefficients(rows_.rows(), basis.rows());
    parallel_for(context_, error_.size(), kChunk, [&](Range range) {
      const auto begin = static_cast<Eigen::Index>(range.begin), n = static_cast<Eigen::Index>(range.end) - begin;
      coefficients.middleRows(begin, n).noalias() = rows_.middleRows(begin, n) * basis.transpose();
    });
    remove(coefficients, basis);
    return coefficients;
  }

 private:
  static constexpr std::size_t kChunk = 16;

  void measure(Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) error_[f] = longest(rows_.row(static_cast<Eigen::Index>(f)));
  }

  Context& context_;
  Rows rows_;
  std::vector<double> error_;
};

/// Frames that are worst off, made orthonormal to `taken` and to each other. Those that the first ones explain by half
/// are left for later.
Rows worst_directions(const Residual& residual, const Rows& taken, double stop) {
  constexpr std::size_t kMost = 8, kTries = 64;
  std::vector<std::size_t> order(residual.errors().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return residual.errors()[a] > residual.errors()[b]; });
  order.resize(std::min(order.size(), kTries));
  Rows found(0, residual.rows().cols());
  for (const std::size_t f : order) {
    if (residual.errors()[f] <= stop || static_cast<std::size_t>(found.rows()) == kMost) break;
    Row direction = residual.rows().row(static_cast<Eigen::Index>(f));
    // Twice: the second pass takes out what rounding left in the first.
    for (int pass = 0; pass < 2; ++pass) {
      direction -= (direction * taken.transpose()).eval() * taken;
      direction -= (direction * found.transpose()).eval() * found;
    }
    const double length = direction.norm();
    const bool worth_it = found.rows() == 0 || longest(direction) > std::max(stop, 0.5 * residual.errors()[order[0]]);
    if (!(length > 0) || !worth_it) continue;
    found.conservativeResize(found.rows() + 1, Eigen::NoChange);
    found.row(found.rows() - 1) = direction / length;
  }
  return found;
}

/// Frames, each time those that are worst off, until none is farther than `stop` from the span of those taken
/// (Gram-Schmidt with pivots in the norm that counts: the farthest vertex).
Span greedy_span(Residual residual, double stop, Context& context) {
  Span span{Rows(0, residual.rows().cols()), Rows(residual.rows().rows(), 0)};
  while (span.basis.rows() < residual.rows().rows() && residual.worst() > stop) {
    context.progress("bake", static_cast<double>(span.basis.rows()) / static_cast<double>(residual.rows().rows()));
    const Rows directions = worst_directions(residual, span.basis, stop);
    if (directions.rows() == 0) break;
    const Rows coefficients = residual.project_out(directions);
    const Eigen::Index old = span.basis.rows(), total = old + directions.rows();
    span.basis.conservativeResize(total, Eigen::NoChange);
    span.basis.bottomRows(directions.rows()) = directions;
    span.coefficients.conservativeResize(Eigen::NoChange, total);
    span.coefficients.rightCols(directions.rows()) = coefficients;
  }
  context.progress("bake", 1);
  return span;
}

/// Turns the basis so that its first directions carry as much of the frames as any so many can: the right singular
/// vectors of coefficients · basis, strongest first.
void rotate_to_principal(Span& span) {
  const Eigen::MatrixXd gram = span.coefficients.transpose() * span.coefficients;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  const Eigen::MatrixXd turn = eigen.eigenvectors().rowwise().reverse();
  span.basis = (turn.transpose() * span.basis).eval();
  span.coefficients = (span.coefficients * turn).eval();
}

/// How many of the first directions bring every vertex of every frame within `tolerance`; all where none does.
std::size_t directions_needed(const Span& span, Residual residual, double tolerance) {
  constexpr Eigen::Index kBlock = 16;
  const auto take = [&](Residual& from, Eigen::Index first, Eigen::Index n) {
    from.remove(span.coefficients.middleCols(first, n), span.basis.middleRows(first, n));
    return from.worst() <= tolerance;
  };
  if (residual.worst() <= tolerance) return 0;
  // Blocks first, then one by one inside the block that does it.
  for (Eigen::Index t = 0; t < span.basis.rows(); t += kBlock) {
    const Eigen::Index n = std::min(kBlock, span.basis.rows() - t);
    const Residual before = residual;
    if (!take(residual, t, n)) continue;
    Residual single = before;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (take(single, t + k, 1)) return static_cast<std::size_t>(t + k + 1);
    }
    return static_cast<std::size_t>(t + n);
  }
  return static_cast<std::size_t>(span.basis.rows());
}

void truncate(Span& span, std::size_t count) {
  const auto rows = std::min(static_cast<Eigen::Index>(count), span.basis.rows());
  span.basis.conservativeResize(rows, Eigen::NoChange);
  span.coefficients.conservativeResize(Eigen::NoChange, rows);
}

/// Target t's largest weight over all frames becomes 1, so that its offsets have the size of what it contributes.
std::vector<double> scale_weights(Rows& coefficients) {
  std::vector<double> scale;
  for (Eigen::Index t = 0; t < coefficients.cols(); ++t) {
    Eigen::Index peak = 0;
    coefficients.col(t).cwiseAbs().maxCoeff(&peak);
    scale.push_back(coefficients(peak, t));
    if (scale.back() != 0) coefficients.col(t) /= scale.back();
  }
  return scale;
}

/// Calls body(first vertex, number of vertices) for blocks of vertices.
template <class Body>
void for_vertex_blocks(std::size_t vertices, const Context& context, const Body& body) {
  parallel_for(context, vertices, 256, [&](Range range) { body(range.begin, range.end - range.begin); });
}

/// #targets × 3n: the offsets of some vertices, positions or normals.
Rows vertex_block(std::span<const MorphTarget> targets, std::vector<Vec3> MorphTarget::*field, std::size_t first,
                  std::size_t n) {
  Rows out(targets.size(), 3 * n);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t v = 0; v < n; ++v) {
      out.row(static_cast<Eigen::Index>(t)).segment<3>(3 * static_cast<Eigen::Index>(v)) =
          (targets[t].*field)[first + v].transpose();
    }
  }
  return out;
}

/// Least squares for normals under given weights. The columns of the weights are orthogonal, so each target stands
/// alone.
void fit_normals(const MorphBasisInput& input, const Rows& weights, std::vector<MorphTarget>& targets,
                 const Context& context) {
  const std::size_t vertices = input.frames[0].normals.size();
  const double floor = kNormalDrop / static_cast<double>(std::max<std::size_t>(1, targets.size()));
  const Rows shares = weights.colwise().squaredNorm().cwiseInverse().asDiagonal() * weights.transpose();
  for (MorphTarget& target : targets) target.normals.assign(vertices, Vec3::Zero());
  for_vertex_blocks(vertices, context, [&](std::size_t first, std::size_t n) {
    const Rows fitted = shares * vertex_block(input.frames, &MorphTarget::normals, first, n);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      for (std::size_t v = 0; v < n; ++v) {
        const Vec3 normal = fitted.row(static_cast<Eigen::Index>(t)).segment<3>(3 * static_cast<Eigen::Index>(v));
        if (normal.norm() >= floor) targets[t].normals[first + v] = normal;
      }
    }
  });
}

/// Offsets below `floor`, relative to the vertex's size, become exactly zero.
std::vector<MorphTarget> make_targets(const Span& span, std::span<const double> scale, const RelativeFrames& frames,
                                      double floor) {
  std::vector<MorphTarget> targets(scale.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    targets[t].positions.assign(frames.input.sizes.size(), Vec3::Zero());
    const auto row = span.basis.row(static_cast<Eigen::Index>(t));
    for (std::size_t i = 0; i < frames.moved.size(); ++i) {
      const Vec3 offset = scale[t] * row.segment<3>(3 * static_cast<Eigen::Index>(i)).transpose();
      const Index v = frames.moved[i];
      if (offset.norm() >= floor) targets[t].positions[v] = frames.input.sizes[v] * offset;
    }
  }
  return targets;
}

/// out += weight · target.
void accumulate(MorphTarget& out, const MorphTarget& target, double weight) {
  out.positions.resize(target.positions.size(), Vec3::Zero());
  out.normals.resize(target.normals.size(), Vec3::Zero());
  for (std::size_t v = 0; v < out.positions.size(); ++v) out.positions[v] += weight * target.positions[v];
  for (std::size_t v = 0; v < out.normals.size(); ++v) out.normals[v] += weight * target.normals[v];
}

/// Sliders run from 0 to 1 in most tools, and some clamp to that. A weight w in [low, high] becomes
/// (w - low) / (high - low), and one more target, always on, holds what all the lows make together.
void shift_to_unit(MorphBasis& basis) {
  const auto count = static_cast<Eigen::Index>(basis.targets.size());
  MorphTarget constant;
  for (Eigen::Index t = 0; t < count; ++t) {
    const double low = std::min(0.0, basis.weights.col(t).minCoeff());
    const double range = basis.weights.col(t).maxCoeff() - low;
    MorphTarget& target = basis.targets[static_cast<std::size_t>(t)];
    accumulate(constant, target, low);
    for (Vec3& offset : target.positions) offset *= range;
    for (Vec3& offset : target.normals) offset *= range;
    basis.weights.col(t) = ((basis.weights.col(t).array() - low) / range).min(1.0).max(0.0);
  }
  basis.targets.insert(basis.targets.begin(), std::move(constant));
  Eigen::MatrixXd weights(basis.weights.rows(), count + 1);
  weights << Eigen::VectorXd::Ones(basis.weights.rows()), basis.weights;
  basis.weights = std::move(weights);
}

/// Positions or normals, and what their errors are relative to; none: absolute.
struct Measured {
  std::vector<Vec3> MorphTarget::*field;
  std::span<const double> sizes = {};
};

/// How far the frames are from what targets and weights make of them: the longest difference.
double play_error(const MorphBasis& basis, std::span<const MorphTarget> frames, const Measured& what,
                  const Context& context) {
  const auto field = what.field;
  const auto sizes = what.sizes;
  const std::size_t vertices = (frames[0].*field).size();
  std::vector<double> error(vertices, 0.0);
  for_vertex_blocks(vertices, context, [&](std::size_t first, std::size_t n) {
    Rows difference = vertex_block(frames, field, first, n);
    if (!basis.targets.empty()) difference -= basis.weights * vertex_block(basis.targets, field, first, n);
    for (std::size_t v = 0; v < n; ++v) {
      const auto column = difference.middleCols<3>(3 * static_cast<Eigen::Index>(v));
      error[first + v] = column.rowwise().norm().maxCoeff() / (sizes.empty() ? 1 : sizes[first + v]);
    }
  });
  return vertices == 0 ? 0 : *std::max_element(error.begin(), error.end());
}

/// Weights of both signs cost one target more.
std::size_t within_limit(std::size_t directions, std::size_t limit) {
  if (limit == 0 || directions + 1 <= limit) return directions;
  return std::max<std::size_t>(1, limit - 1);
}

}  // namespace

MorphBasis morph_basis(const MorphBasisInput& input, const MorphBasisOptions& options, Context& context) {
  check_ranges(options);
  check(input);
  MorphBasis basis;
  basis.weights.resize(static_cast<Eigen::Index>(input.frames.size()), 0);
  if (input.frames.empty()) return basis;
  const double tolerance = std::max(options.tolerance, kSmallestTolerance);
  const RelativeFrames frames{input, moved_vertices(input, kStillShare * tolerance)};
  const Residual start(frames, context);
  Span span = greedy_span(start, kGreedyShare * tolerance, context);
  if (span.basis.rows() > 0) {
    rotate_to_principal(span);
    const std::size_t needed = directions_needed(span, start, kTruncationShare * tolerance);
    truncate(span, within_limit(needed, static_cast<std::size_t>(options.max_targets)));
    const std::vector<double> scale = scale_weights(span.coefficients);
    basis.targets = make_targets(span, scale, frames, kDropShare * tolerance / static_cast<double>(scale.size()));
    fit_normals(input, span.coefficients, basis.targets, context);
    basis.weights = span.coefficients;
    const bool both_signs = !basis.targets.empty() && basis.weights.minCoeff() < 0;
    if (both_signs && options.max_targets != 1) shift_to_unit(basis);
  }
  basis.max_error = play_error(basis, input.frames, {&MorphTarget::positions, input.sizes}, context);
  basis.max_normal_error = play_error(basis, input.frames, {&MorphTarget::normals}, context);
  return basis;
}

}  // namespace isochor
