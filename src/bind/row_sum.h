#pragma once

/// A sum of weight rows: dense by joint, cleared in the time of what was touched.

#include <cmath>
#include <span>
#include <vector>

#include "isochor/rig/skin_weights.h"

namespace isochor {

class RowSum {
 public:
  explicit RowSum(Index joints) : value_(static_cast<std::size_t>(joints), 0.0), touched_(value_.size(), 0) {}

  Index size() const { return static_cast<Index>(value_.size()); }
  /// Touched since clear(), in the order of the first touch.
  const std::vector<Index>& joints() const { return joints_; }
  double operator[](Index joint) const { return value_[joint]; }

  void clear() {
    for (const Index joint : joints_) {
      value_[joint] = 0;
      touched_[joint] = 0;
    }
    joints_.clear();
  }

  void add(std::span<const Influence> row, double factor) {
    for (const Influence& i : row) {
      if (touched_[i.joint] == 0) {
        touched_[i.joint] = 1;
        joints_.push_back(i.joint);
      }
      value_[i.joint] += factor * i.weight;
    }
  }

  /// Σ |value|.
  double absolute() const {
    double sum = 0;
    for (const Index joint : joints_) sum += std::abs(value_[joint]);
    return sum;
  }

 private:
  std::vector<double> value_;
  std::vector<char> touched_;
  std::vector<Index> joints_;
};

}  // namespace isochor
