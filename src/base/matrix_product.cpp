#include "base/matrix_product.h"

#include <algorithm>
#include <array>
#include <functional>
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
struct Factor {
  const double* data;
  std::size_t rows, columns, row_step, column_step;
};

Factor factor(const RowsView& m) {
  return {m.data(), size_of(m.rows()), size_of(m.cols()), size_of(m.outerStride()), 1};
}
Factor transposed(const Factor& m) { return {m.data, m.columns, m.rows, m.column_step, m.row_step}; }

/// kTileRows rows of a from `row` on, k by k; missing ones are zero.
void pack_strip(const Factor& a, std::size_t row, Range depth, double* to) {
  const std::size_t n = std::min(kTileRows, a.rows - row), step = a.column_step;
  const double* from = a.data + row * a.row_step + depth.begin * step;
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
void pack_panels(const Factor& b, Range depth, double* to) {
  const std::size_t count = depth.end - depth.begin;
  for (std::size_t first = 0; first < b.columns; first += kTileColumns, to += count * kTileColumns) {
    const std::size_t n = std::min(kTileColumns, b.columns - first);
    const double* from = b.data + depth.begin * b.row_step + first * b.column_step;
    if (n < kTileColumns) std::fill(to, to + count * kTileColumns, 0.0);
    if (b.column_step == 1 && n == kTileColumns) {
      for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t c = 0; c < kTileColumns; ++c) to[k * kTileColumns + c] = from[k * b.row_step + c];
      }
    } else {
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t k = 0; k < count; ++k) to[k * kTileColumns + c] = from[c * b.column_step + k * b.row_step];
      }
    }
  }
}

using Sums = std::array<double, kTileRows * kTileColumns>;

/// A tile into its place, as far as that reaches.
void add_tile(const Sums& sums, double sign, double* to, std::size_t row_step, std::size_t rows, std::size_t columns) {
  if (columns == kTileColumns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < kTileColumns; ++c) to[r * row_step + c] += sign * sums[r * kTileColumns + c];
    }
    return;
  }
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) to[r * row_step + c] += sign * sums[r * kTileColumns + c];
  }
}

/// out += sign · a · b.
void multiply(const Factor& a, const Factor& b, double sign, RowsTarget& out) {
  const auto tile = product_kernels::best().tile;
  const std::size_t deepest = std::min(kDepth, a.columns), row_step = size_of(out.outerStride());
  std::vector<double> strip(kTileRows * deepest), panels(deepest * rounded_up(b.columns, kTileColumns));
  Sums sums;
  for (std::size_t k = 0; k < a.columns; k += kDepth) {
    const Range depth{k, std::min(a.columns, k + kDepth)};
    const std::size_t count = depth.end - depth.begin;
    pack_panels(b, depth, panels.data());
    for (std::size_t row = 0; row < a.rows; row += kTileRows) {
      pack_strip(a, row, depth, strip.data());
      const std::size_t rows = std::min(kTileRows, a.rows - row);
      for (std::size_t column = 0; column < b.columns; column += kTileColumns) {
        tile(strip.data(), panels.data() + column * count, count, sums.data());
        add_tile(sums, sign, out.data() + row * row_step + column, row_step, rows,
                 std::min(kTileColumns, b.columns - column));
      }
    }
  }
}

/// Σ over parts of the n terms of body(first, count, sum), added up in order.
Rows sum_over_parts(Eigen::Index rows, Eigen::Index columns, std::size_t n, const Context& context,
                    const std::function<void(Eigen::Index, Eigen::Index, Rows&)>& body) {
  const std::size_t length = std::max(kLeastSumPart, (n + kSumParts - 1) / kSumParts);
  std::vector<Rows> parts((n + length - 1) / length);
  parallel_for(context, n, length, [&](Range range) {
    Rows& sum = parts[range.begin / length];
    sum = Rows::Zero(rows, columns);
    body(static_cast<Eigen::Index>(range.begin), static_cast<Eigen::Index>(range.end - range.begin), sum);
  });
  Rows out = Rows::Zero(rows, columns);
  for (const Rows& part : parts) out += part;
  return out;
}

}  // namespace

void add_product(const RowsView& a, const RowsView& b, double sign, RowsTarget out) {
  multiply(factor(a), factor(b), sign, out);
}

void add_inner_products(const RowsView& a, const RowsView& b, RowsTarget out) {
  multiply(factor(a), transposed(factor(b)), 1, out);
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
  return sum_over_parts(a.rows(), b.rows(), size_of(a.cols()), context,
                        [&](Eigen::Index first, Eigen::Index n, Rows& sum) {
                          add_inner_products(a.middleCols(first, n), b.middleCols(first, n), sum);
                        });
}

Rows gram(const RowsView& a, const Context& context) {
  constexpr Eigen::Index kRowsAtOnce = 64;
  Rows out = sum_over_parts(a.rows(), a.rows(), size_of(a.cols()), context,
                            [&](Eigen::Index first, Eigen::Index n, Rows& sum) {
                              for (Eigen::Index row = 0; row < a.rows(); row += kRowsAtOnce) {
                                const Eigen::Index rows = std::min(kRowsAtOnce, a.rows() - row);
                                const auto here = a.middleCols(first, n);
                                add_inner_products(here.middleRows(row, rows), here.bottomRows(a.rows() - row),
                                                   sum.block(row, row, rows, a.rows() - row));
                              }
                            });
  out.triangularView<Eigen::StrictlyLower>() = out.transpose();
  return out;
}

}  // namespace isochor
