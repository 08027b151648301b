#include "bake/morph_span.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using OffsetRow = Eigen::RowVectorXd;

/// Frames that one task takes: fixed, so that sums do not depend on the number of threads.
constexpr std::size_t kFramesPerTask = 16;

double longest(const Eigen::Ref<const OffsetRow>& row) {
  double most = 0;
  for (Eigen::Index i = 0; i + 2 < row.size(); i += 3) {
    most = std::max(most, row.segment<3>(i).squaredNorm());
  }
  return std::sqrt(most);
}

/// Frames, less what has been taken out of them.
class FrameResidual {
 public:
  FrameResidual(Rows rows, Context& context)
      : context_(context), rows_(std::move(rows)), error_(static_cast<std::size_t>(rows_.rows())) {
    measure();
  }

  const Rows& rows() const { return rows_; }
  /// The farthest vertex of each frame.
  const std::vector<double>& errors() const { return error_; }
  double worst() const { return error_.empty() ? 0 : *std::max_element(error_.begin(), error_.end()); }

  /// The part along orthonormal `basis`, which is taken out.
  Rows project_out(const Rows& basis) {
    Rows coefficients(rows_.rows(), basis.rows());
    parallel_for(context_, error_.size(), kFramesPerTask, [&](Range range) {
      const auto begin = static_cast<Eigen::Index>(range.begin), n = static_cast<Eigen::Index>(range.end) - begin;
      coefficients.middleRows(begin, n).noalias() = rows_.middleRows(begin, n) * basis.transpose();
    });
    subtract(rows_, coefficients, basis, context_);
    measure();
    return coefficients;
  }

 private:
  void measure() {
    parallel_for(context_, error_.size(), kFramesPerTask, [&](Range range) {
      for (std::size_t f = range.begin; f < range.end; ++f) {
        error_[f] = longest(rows_.row(static_cast<Eigen::Index>(f)));
      }
    });
  }

  Context& context_;
  Rows rows_;
  std::vector<double> error_;
};

/// Frames that are worst off, made orthonormal to `taken` and to each other. Those that the first ones explain by half
/// are left for later.
Rows worst_directions(const FrameResidual& residual, const Rows& taken, double stop) {
  constexpr std::size_t kMost = 8, kTries = 64;
  std::vector<std::size_t> order(residual.errors().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return residual.errors()[a] > residual.errors()[b]; });
  order.resize(std::min(order.size(), kTries));
  Rows found(0, residual.rows().cols());
  for (const std::size_t f : order) {
    if (residual.errors()[f] <= stop || static_cast<std::size_t>(found.rows()) == kMost) break;
    OffsetRow direction = residual.rows().row(static_cast<Eigen::Index>(f));
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

/// Eigenvectors of a symmetric matrix, those of the largest values first, and the square roots of these.
struct PrincipalTurn {
  explicit PrincipalTurn(const Eigen::MatrixXd& gram) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
    turn = eigen.eigenvectors().rowwise().reverse();
    size = eigen.eigenvalues().reverse().cwiseMax(0.0).cwiseSqrt();
  }
  Eigen::MatrixXd turn;
  Eigen::VectorXd size;
};

}  // namespace

Rows relative_frames(const MorphBasisInput& input, std::span<const Index> vertices, const Context& context) {
  Rows rows(input.frames.size(), 3 * vertices.size());
  parallel_for(context, input.frames.size(), kFramesPerTask, [&](Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) {
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        rows.row(static_cast<Eigen::Index>(f)).segment<3>(3 * static_cast<Eigen::Index>(i)) =
            input.frames[f].positions[vertices[i]].transpose() / input.sizes[vertices[i]];
      }
    }
  });
  return rows;
}

MorphSpan greedy_span(Rows frames, double stop, Context& context) {
  FrameResidual residual(std::move(frames), context);
  MorphSpan span{Rows(0, residual.rows().cols()), Rows(residual.rows().rows(), 0)};
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

void turn_by_coefficients(MorphSpan& span) {
  const PrincipalTurn principal(span.coefficients.transpose() * span.coefficients);
  // Directions that no frame needs cannot be scaled to length 1.
  const double least = 1e-13 * (principal.size.size() > 0 ? principal.size[0] : 0);
  const Eigen::Index kept = (principal.size.array() > least).count();
  const auto turn = principal.turn.leftCols(kept);
  const auto size = principal.size.head(kept);
  span.basis = (size.asDiagonal() * (turn.transpose() * span.basis)).eval();
  span.coefficients = (span.coefficients * turn * size.cwiseInverse().asDiagonal()).eval();
}

void turn_by_basis(MorphSpan& span) {
  const PrincipalTurn principal(span.basis * span.basis.transpose());
  span.basis = (principal.turn.transpose() * span.basis).eval();
  span.coefficients = (span.coefficients * principal.turn).eval();
}

void subtract(Rows& rows, const Eigen::Ref<const Rows>& coefficients, const Eigen::Ref<const Rows>& basis,
              const Context& context) {
  parallel_for(context, static_cast<std::size_t>(rows.rows()), kFramesPerTask, [&](Range range) {
    const auto begin = static_cast<Eigen::Index>(range.begin), n = static_cast<Eigen::Index>(range.end) - begin;
    rows.middleRows(begin, n).noalias() -= coefficients.middleRows(begin, n) * basis;
  });
}

}  // namespace isochor
