#pragma once

/// Cells waiting in buckets, each bucket a list. A bucket's storage is used again for later ones.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace isochor {

class BucketQueue {
 public:
  static constexpr std::uint32_t kEmpty = std::numeric_limits<std::uint32_t>::max();

  void push(std::uint32_t bucket, std::uint32_t cell) {
    if (bucket >= buckets_.size() || buckets_[bucket].size() == buckets_[bucket].capacity()) make_room(bucket);
    buckets_[bucket].push_back(cell);
  }
  /// Takes a bucket out.
  std::vector<std::uint32_t> take(std::uint32_t bucket) {
    return bucket < buckets_.size() ? std::move(buckets_[bucket]) : std::vector<std::uint32_t>();
  }
  void give_back(std::vector<std::uint32_t> list) {
    if (list.capacity() == 0) return;
    list.clear();
    spare_.push_back(std::move(list));
  }
  /// The lowest bucket from `bucket` on that holds anything.
  std::uint32_t next(std::uint32_t bucket) const {
    while (bucket < buckets_.size() && buckets_[bucket].empty()) ++bucket;
    return bucket < buckets_.size() ? bucket : kEmpty;
  }

 private:
  void make_room(std::uint32_t bucket) {
    if (bucket >= buckets_.size()) buckets_.resize(bucket + bucket / 4 + 64);
    std::vector<std::uint32_t>& list = buckets_[bucket];
    if (list.capacity() == 0 && !spare_.empty()) {
      list = std::move(spare_.back());
      spare_.pop_back();
    }
  }

  std::vector<std::vector<std::uint32_t>> buckets_;
  std::vector<std::vector<std::uint32_t>> spare_;
};

/// Puts a bucket's cells into about the order of space: exactly by runs of cells, and as they come within a run.
class CellOrder {
 public:
  explicit CellOrder(std::size_t cells = 0) {
    shift_ = std::max(0, static_cast<int>(std::bit_width(cells)) - kRunBits);
  }
  void sort(std::vector<std::uint32_t>& cells) {
    if (cells.size() < kFew) {
      std::sort(cells.begin(), cells.end());
      return;
    }
    std::array<std::uint32_t, 1 << kRunBits> begin = {};
    for (const std::uint32_t cell : cells) ++begin[cell >> shift_];
    std::uint32_t before = 0;
    for (std::uint32_t& b : begin) before += std::exchange(b, before);
    other_.resize(cells.size());
    for (const std::uint32_t cell : cells) other_[begin[cell >> shift_]++] = cell;
    cells.swap(other_);
  }

 private:
  static constexpr int kRunBits = 10;
  static constexpr std::size_t kFew = 256;

  int shift_ = 0;
  std::vector<std::uint32_t> other_;
};

}  // namespace isochor
