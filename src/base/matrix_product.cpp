#include "base/matrix_product.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/product_kernels.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

using product_kernels::kTileColumns;
using product_kernels::kTileRows;

/// Terms that are summed before they are added to the result: a strip of so many rows and a panel of so many columns
/// stay in the nearest cache.
constexpr std::size_t kDepth = 256;
/// Columns that one task takes: with kDepth of them a block that the second cache holds.
constexpr std::size_t kColumnsPerTask = 192;
/// Parts that long sums are cut into, and the least length of one.
constexpr std::size_t kSumParts = 16, kLeastSumPart = 1536;

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
std::size_t size_of(Eigen::Index n) { return static_cast<std::size_t>(n); }

/// Entry (i, j) of a factor is data[i * row_step + j * column_step].
template <class Scalar>
struct Factor {
  const Scalar* data;
  std::size_t rows, columns, row_step, column_step;
};

template <class Scalar>
Factor<Scalar> factor(const RowsViewOf<Scalar>& m) {
  return {m.data(), size_of(m.rows()), size_of(m.cols()), size_of(m.outerStride()), 1};
}
template <class Scalar>
Factor<Scalar> transposed(const Factor<Scalar>& m) {
  return {m.data, m.columns, m.rows, m.column_step, m.row_step};
}

product_kernels::Tile<double> best_tile(double) { return product_kernels::best().in_double; }
product_kernels::Tile<float> best_tile(float) { return product_kernels::best().in_single; }

/// kTileRows rows of a from `row` on, k by k; missing ones are zero.
template <class Scalar>
void pack_strip(const Factor<Scalar>& a, std::size_t row, Range depth, Scalar* to) {
  const std::size_t n = std::min(kTileRows, a.rows - row), step = a.column_step;
  const Scalar* from = a.data + row * a.row_step + depth.begin * step;
  if (n == kTileRows) {
    for (std::size_t k = 0; k < depth.end - depth.begin; ++k, from += step) {
      for (std::size_t r = 0; r < kTileRows; ++r) *to++ = from[r * a.row_step];
    }
    return;
  }
  for (std::size_t k = 0; k < depth.end - depth.begin; ++k, from += step) {
    for (std::size_t r = 0; r < kTileRows; ++r) *to++ = r < n ? from[r * a.row_step] : 0;
  }
}

/// All columns of b, kTileColumns at a time, k by k; missing ones are zero.
template <class Scalar>
void pack_panels(const Factor<Scalar>& b, Range depth, Scalar* to) {
  constexpr std::size_t kColumns = kTileColumns<Scalar>;
  const std::size_t count = depth.end - depth.begin;
  for (std::size_t first = 0; first < b.columns; first += kColumns, to += count * kColumns) {
    const std::size_t n = std::min(kColumns, b.columns - first);
    const Scalar* from = b.data + depth.begin * b.row_step + first * b.column_step;
    if (n < kColumns) std::fill(to, to + count * kColumns, Scalar(0));
    if (b.column_step == 1 && n == kColumns) {
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t c = 0; c < kColumns; ++c) to[k * kColumns + c] = from[k * b.row_step + c];
      }
    } else if (b.row_step == 1 && n == kColumns) {
      // In small squares, so that neither side is read or written far apart.
      constexpr std::size_t kSquare = 8;
      for (std::size_t k = 0; k < count; k += kSquare) {
        const std::size_t end = std::min(k + kSquare, count);
        for (std::size_t c = 0; c < kColumns; ++c) {
          for (std::size_t i = k; i < end; ++i) to[i * kColumns + c] = from[c * b.column_step + i];
        }
      }
    } else {
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t k = 0; k < count; ++k) to[k * kColumns + c] = from[c * b.column_step + k * b.row_step];
      }
    }
  }
}

/// A tile into its place, as far as that reaches.
template <class Scalar>
void add_tile(const Scalar* sums, Scalar sign, Scalar* to, std::size_t row_step, std::size_t rows,
              std::size_t columns) {
  constexpr std::size_t kColumns = kTileColumns<Scalar>;
  if (columns == kColumns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) to[r * row_step + c] += sign * sums[r * kColumns + c];
    }
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) to[r * row_step + c] += sign * sums[r * kColumns + c];
  }
}

/// out += sign · a · b.
template <class Scalar>
void multiply(const Factor<Scalar>& a, const Factor<Scalar>& b, double sign, RowsTargetOf<Scalar>& out) {
  constexpr std::size_t kColumns = kTileColumns<Scalar>;
  const auto tile = best_tile(Scalar());
  const std::size_t deepest = std::min(kDepth, a.columns), row_step = size_of(out.outerStride());
  std::vector<Scalar> strip(kTileRows * deepest), panels(deepest * rounded_up(b.columns, kColumns));
  std::array<Scalar, kTileRows * kColumns> sums;
  for (std::size_t k = 0; k < a.columns; k += kDepth) {
    const Range depth{k, std::min(a.columns, k + kDepth)};
    const std::size_t count = depth.end - depth.begin;
    pack_panels(b, depth, panels.data());
    for (std::size_t row = 0; row < a.rows; row += kTileRows) {
      pack_strip(a, row, depth, strip.data());
      const std::size_t rows = std::min(kTileRows, a.rows - row);
      for (std::size_t column = 0; column < b.columns; column += kColumns) {
        tile(strip.data(), panels.data() + column * count, count, sums.data());
        add_tile(sums.data(), static_cast<Scalar>(sign), out.data() + row * row_step + column, row_step, rows,
                 std::min(kColumns, b.columns - column));
      }
    }
  }
}

/// Σ over parts of the n terms of body(first, count, sum), added up in order.
template <class Scalar, class Body>
RowsOf<Scalar> sum_over_parts(Eigen::Index rows, Eigen::Index columns, std::size_t n, const Context& context,
                              const Body& body) {
  const std::size_t length = std::max(kLeastSumPart, (n + kSumParts - 1) / kSumParts);
  std::vector<RowsOf<Scalar>> parts((n + length - 1) / length);
  parallel_for(context, n, length, [&](Range range) {
    RowsOf<Scalar>& sum = parts[range.begin / length];
    sum = RowsOf<Scalar>::Zero(rows, columns);
    body(static_cast<Eigen::Index>(range.begin), static_cast<Eigen::Index>(range.end - range.begin), sum);
  });
  RowsOf<Scalar> out = RowsOf<Scalar>::Zero(rows, columns);
  for (const RowsOf<Scalar>& part : parts) out += part;
  return out;
}

template <class Scalar>
RowsOf<Scalar> inner_products_of(const RowsViewOf<Scalar>& a, const RowsViewOf<Scalar>& b, const Context& context) {
  return sum_over_parts<Scalar>(a.rows(), b.rows(), size_of(a.cols()), context,
                                [&](Eigen::Index first, Eigen::Index n, RowsOf<Scalar>& sum) {
                                  add_inner_products(a.middleCols(first, n), b.middleCols(first, n), sum);
                                });
}

template <class Scalar>
RowsOf<Scalar> gram_of(const RowsViewOf<Scalar>& a, const Context& context) {
  constexpr Eigen::Index kRowsAtOnce = 64;
  RowsOf<Scalar> out = sum_over_parts<Scalar>(
      a.rows(), a.rows(), size_of(a.cols()), context, [&](Eigen::Index first, Eigen::Index n, RowsOf<Scalar>& sum) {
        for (Eigen::Index row = 0; row < a.rows(); row += kRowsAtOnce) {
          const Eigen::Index rows = std::min(kRowsAtOnce, a.rows() - row);
          const auto here = a.middleCols(first, n);
          add_inner_products(here.middleRows(row, rows), here.bottomRows(a.rows() - row),
                             sum.block(row, row, rows, a.rows() - row));
        }
      });
  out.template triangularView<Eigen::StrictlyLower>() = out.transpose();
  return out;
}

}  // namespace

void add_product(const RowsView& a, const RowsView& b, double sign, RowsTarget out) {
  multiply(factor<double>(a), factor<double>(b), sign, out);
}
void add_product(const SingleView& a, const SingleView& b, double sign, SingleTarget out) {
  multiply(factor<float>(a), factor<float>(b), sign, out);
}

void add_inner_products(const RowsView& a, const RowsView& b, RowsTarget out) {
  multiply(factor<double>(a), transposed(factor<double>(b)), 1, out);
}
void add_inner_products(const SingleView& a, const SingleView& b, SingleTarget out) {
  multiply(factor<float>(a), transposed(factor<float>(b)), 1, out);
}

void add_product(const RowsView& a, const RowsView& b, double sign, RowsTarget out, const Context& context) {
  parallel_for(context, size_of(out.cols()), kColumnsPerTask, [&](Range range) {
    const auto first = static_cast<Eigen::Index>(range.begin), n = static_cast<Eigen::Index>(range.end) - first;
    add_product(a, b.middleCols(first, n), sign, out.middleCols(first, n));
  });
}

Rows product(const RowsView& a, const RowsView& b, const Context& context) {
  Rows out = Rows::Zero(a.rows(), b.cols());
  add_product(a, b, 1, out, context);
  return out;
}

Rows inner_products(const RowsView& a, const RowsView& b, const Context& context) {
  return inner_products_of<double>(a, b, context);
}
SingleRows inner_products(const SingleView& a, const SingleView& b, const Context& context) {
  return inner_products_of<float>(a, b, context);
}

Rows gram(const RowsView& a, const Context& context) { return gram_of<double>(a, context); }
SingleRows gram(const SingleView& a, const Context& context) { return gram_of<float>(a, context); }

}  // namespace isochor
