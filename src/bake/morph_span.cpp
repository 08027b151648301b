#include "bake/morph_span.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// Columns that one task takes: whole vertices.
constexpr std::size_t kOffsetColumns = 192;

/// Calls body(first, n) for some columns of `rows` at a time, whose errors are then measured.
template <class Scalar, class Body>
OffsetErrors errors_after(const RowsOf<Scalar>& rows, const Context& context, const Body& body) {
  const auto columns = static_cast<std::size_t>(rows.cols());
  OffsetErrors out;
  out.by_row.assign(static_cast<std::size_t>(rows.rows()), 0.0);
  out.by_vertex.assign(columns / 3, 0.0);
  std::vector<std::vector<double>> parts((columns + kOffsetColumns - 1) / kOffsetColumns);
  parallel_for(context, columns, kOffsetColumns, [&](Range range) {
    body(static_cast<Eigen::Index>(range.begin), static_cast<Eigen::Index>(range.end - range.begin));
    std::vector<double>& by_row = parts[range.begin / kOffsetColumns];
    by_row.assign(out.by_row.size(), 0.0);
    std::array<Scalar, kOffsetColumns / 3> by_vertex{};
    for (std::size_t f = 0; f < by_row.size(); ++f) {
      const Scalar* row = rows.data() + f * columns + range.begin;
      Scalar longest = 0;
      for (std::size_t v = 0; v < (range.end - range.begin) / 3; ++v) {
        const Scalar x = row[3 * v], y = row[3 * v + 1], z = row[3 * v + 2];
        const Scalar squared = x * x + y * y + z * z;
        longest = std::max(longest, squared);
        by_vertex[v] = std::max(by_vertex[v], squared);
      }
      by_row[f] = longest;
    }
    std::copy_n(by_vertex.begin(), (range.end - range.begin) / 3, out.by_vertex.begin() + range.begin / 3);
  });
  for (const auto& part : parts) {
    for (std::size_t f = 0; f < part.size(); ++f) out.by_row[f] = std::max(out.by_row[f], part[f]);
  }
  for (double& error : out.by_row) error = std::sqrt(error);
  for (double& error : out.by_vertex) error = std::sqrt(error);
  return out;
}

template <class Scalar>
RowsOf<Scalar> pick_rows(const RowsOf<Scalar>& from, std::span<const std::size_t> rows) {
  RowsOf<Scalar> out(static_cast<Eigen::Index>(rows.size()), from.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) = from.row(static_cast<Eigen::Index>(rows[i]));
  }
  return out;
}

/// Rows of a Gram matrix, each time that with the largest part across those before it, while that is more than half of
/// the first one's: those that others explain by half are left for later.
std::vector<std::size_t> pivots(const Rows& gram, std::size_t most) {
  std::vector<std::size_t> picked;
  Eigen::VectorXd left = gram.diagonal();
  Rows factors(gram.rows(), static_cast<Eigen::Index>(most));
  Eigen::Index at = 0;
  const double enough = 0.25 * (left.size() > 0 ? left.maxCoeff() : 0);
  while (picked.size() < most && left.maxCoeff(&at) > enough) {
    const auto done = static_cast<Eigen::Index>(picked.size());
    Eigen::VectorXd column = gram.col(at);
    column -= factors.leftCols(done) * factors.row(at).head(done).transpose();
    factors.col(done) = column / std::sqrt(left[at]);
    left -= factors.col(done).cwiseAbs2();
    left[at] = 0;
    picked.push_back(static_cast<std::size_t>(at));
  }
  return picked;
}

/// By the Cholesky factor of its Gram matrix, twice: the second time mends what rounding left.
void orthonormalise(Rows& directions, const Context& context) {
  for (int pass = 0; pass < 2; ++pass) {
    const Eigen::MatrixXd lower = Eigen::MatrixXd(gram(directions, context)).llt().matrixL();
    const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(lower.rows(), lower.cols());
    const Rows inverse = lower.triangularView<Eigen::Lower>().solve(identity);
    directions = product(inverse, directions, context);
  }
}

/// Frames that are so far within the stop that their share in further directions is not worth finding: they would only
/// be nearer to zero, and every round goes over all rows that are left.
constexpr double kClosedShare = 0.5;

/// Takes out the rows whose error is at most `enough`.
template <class Scalar>
void close_rows(std::vector<double>& errors, double enough, RowsOf<Scalar>& rows, std::vector<std::size_t>& names) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] > enough) kept.push_back(i);
  }
  if (kept.size() == errors.size()) return;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    errors[i] = errors[kept[i]];
    names[i] = names[kept[i]];
  }
  rows = pick_rows<Scalar>(rows, kept);
  errors.resize(kept.size());
  names.resize(kept.size());
}

double largest(std::span<const double> errors) {
  return errors.empty() ? 0 : *std::max_element(errors.begin(), errors.end());
}

/// Frames that are worst off, made orthonormal to `taken` and to each other.
template <class Scalar>
Rows worst_directions(const RowsOf<Scalar>& residual, const OffsetErrors& errors, const Rows& taken, double stop,
                      const Context& context) {
  constexpr std::size_t kMost = 32, kTries = 96;
  std::vector<std::size_t> order(errors.by_row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return errors.by_row[a] > errors.by_row[b]; });
  order.resize(std::min(order.size(), kTries));
  while (!order.empty() && errors.by_row[order.back()] <= stop) order.pop_back();
  const RowsOf<Scalar> tried = pick_rows<Scalar>(residual, order);
  const Rows products = gram(tried, context).template cast<double>();
  Rows found = pick_rows<Scalar>(tried, pivots(products, std::min(kMost, order.size()))).template cast<double>();
  // What rounding left of those taken.
  if (taken.rows() > 0) add_product(inner_products(found, taken, context), taken, -1, found, context);
  orthonormalise(found, context);
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

template <class Scalar>
RowsOf<Scalar> relative_frames(const MorphBasisInput& input, std::span<const Index> vertices, const Context& context) {
  RowsOf<Scalar> rows(input.frames.size(), 3 * vertices.size());
  parallel_for(context, input.frames.size(), kFramesPerTask, [&](Range range) {
    for (std::size_t f = range.begin; f < range.end; ++f) {
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const Vec3 relative = input.frames[f].positions[vertices[i]] / input.sizes[vertices[i]];
        rows.row(static_cast<Eigen::Index>(f)).template segment<3>(3 * static_cast<Eigen::Index>(i)) =
            relative.transpose().template cast<Scalar>();
      }
    }
  });
  return rows;
}

template <class Scalar>
OffsetErrors offset_errors(const RowsOf<Scalar>& rows, const Context& context) {
  return errors_after(rows, context, [](Eigen::Index, Eigen::Index) {});
}

template <class Scalar>
OffsetErrors add_and_measure(RowsOf<Scalar>& rows, double sign, const RowsViewOf<Scalar>& coefficients,
                             const RowsViewOf<Scalar>& basis, const Context& context) {
  return errors_after(rows, context, [&](Eigen::Index first, Eigen::Index n) {
    add_product(coefficients, basis.middleCols(first, n), sign, rows.middleCols(first, n));
  });
}

template <class Scalar>
MorphSpan greedy_span(RowsOf<Scalar> frames, double stop, Context& context) {
  const auto count = static_cast<std::size_t>(frames.rows());
  MorphSpan span{Rows(0, frames.cols()), Rows(frames.rows(), 0)};
  std::vector<std::size_t> open(count);  // the frames whose rows are left
  std::iota(open.begin(), open.end(), std::size_t{0});
  OffsetErrors errors = offset_errors(frames, context);
  while (largest(errors.by_row) > stop && span.basis.rows() < static_cast<Eigen::Index>(count)) {
    close_rows(errors.by_row, kClosedShare * stop, frames, open);
    context.progress("bake", static_cast<double>(span.basis.rows()) / static_cast<double>(count));
    const Rows directions = worst_directions(frames, errors, span.basis, stop, context);
    if (directions.rows() == 0 || !directions.allFinite()) break;
    RowsOf<Scalar> rounded;
    rounded = directions.template cast<Scalar>();
    const RowsOf<Scalar> coefficients = inner_products(frames, rounded, context);
    errors = add_and_measure<Scalar>(frames, -1, coefficients, rounded, context);
    const Eigen::Index total = span.basis.rows() + directions.rows();
    span.basis.conservativeResize(total, Eigen::NoChange);
    span.basis.bottomRows(directions.rows()) = directions;
    span.coefficients.conservativeResize(Eigen::NoChange, total);
    span.coefficients.rightCols(directions.rows()).setZero();
    for (std::size_t i = 0; i < open.size(); ++i) {
      span.coefficients.row(static_cast<Eigen::Index>(open[i])).tail(directions.rows()) =
          coefficients.row(static_cast<Eigen::Index>(i)).template cast<double>();
    }
  }
  context.progress("bake", 1);
  return span;
}

template RowsOf<float> relative_frames(const MorphBasisInput&, std::span<const Index>, const Context&);
template RowsOf<double> relative_frames(const MorphBasisInput&, std::span<const Index>, const Context&);
template OffsetErrors offset_errors(const RowsOf<float>&, const Context&);
template OffsetErrors offset_errors(const RowsOf<double>&, const Context&);
template OffsetErrors add_and_measure(RowsOf<float>&, double, const SingleView&, const SingleView&, const Context&);
template OffsetErrors add_and_measure(RowsOf<double>&, double, const RowsView&, const RowsView&, const Context&);
template MorphSpan greedy_span(RowsOf<float>, double, Context&);
template MorphSpan greedy_span(RowsOf<double>, double, Context&);

void turn_by_coefficients(MorphSpan& span, const Context& context) {
  const PrincipalTurn principal(gram(Rows(span.coefficients.transpose()), context));
  // Directions that no frame needs cannot be scaled to length 1.
  const double least = 1e-13 * (principal.size.size() > 0 ? principal.size[0] : 0);
  const Eigen::Index kept = (principal.size.array() > least).count();
  const auto turn = principal.turn.leftCols(kept);
  const auto size = principal.size.head(kept);
  span.basis = product(Rows(size.asDiagonal() * turn.transpose()), span.basis, context);
  span.coefficients = product(span.coefficients, Rows(turn * size.cwiseInverse().asDiagonal()), context);
}

void turn_by_basis(MorphSpan& span, const Context& context) {
  const PrincipalTurn principal(gram(span.basis, context));
  span.basis = product(Rows(principal.turn.transpose()), span.basis, context);
  span.coefficients = product(span.coefficients, Rows(principal.turn), context);
}

}  // namespace isochor
