#pragma once

/// The labels of all cells while a sweep is at work. Most offers of a label are refused, for one of several reasons,
/// and those that are taken go to any place: written with branches, this would be guessed wrongly all the time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "isochor/voxel/geodesic.h"
#include "voxel/step_lengths.h"

namespace isochor {

/// Low bits of a label's key: how the label came to its cell (StepLengths); 0 once it has been carried on.
inline constexpr std::uint32_t kWayMask = (1u << GeodesicLabel::kSweepBits) - 1;

struct LabelOffer {
  std::uint32_t cell;
  std::uint32_t length;
  std::uint32_t source_and_way;
};

/// `K` labels per cell, or any number where K is 0.
template <int K>
class LabelRows {
 public:
  LabelRows(std::span<GeodesicLabel> labels, Index k) : labels_(labels.data()), k_(static_cast<std::size_t>(k)) {}

  void prefetch(std::uint32_t cell) const { __builtin_prefetch(row_of(cell), 1); }

  enum class Entered {
    no,       ///< refused: not among the k least, or the same source is as near
    waiting,  ///< and the cell waits in this label's bucket already
    yes,
  };
  /// Enters a label at its place where it is among the k least, one label per source.
  Entered insert(const LabelOffer& offer) {
    GeodesicLabel* row = row_of(offer.cell);
    const std::uint64_t key = std::uint64_t{offer.length} << 32 | offer.source_and_way;
    const Compared found = compare(row, offer);
    // Keys are below 2^63, so the difference's highest bit tells the lesser.
    const std::uint64_t not_less = ~(key - row[k() - 1].key) >> 63;
    if ((not_less | found.as_near) != 0) return Entered::no;
    // From the label's place on, each moves one down, until the place of the same source's old label, or the end.
    std::uint64_t moving = key;
    for (std::size_t i = 0; i < k(); ++i) {
      const std::uint64_t here = row[i].key;
      const bool same = (static_cast<std::uint32_t>(here) ^ offer.source_and_way) <= kWayMask;
      row[i].key = same ? moving : std::min(moving, here);
      moving = same ? GeodesicLabel{}.key : std::max(moving, here);
    }
    return found.same_bucket != 0 ? Entered::waiting : Entered::yes;
  }

  /// Calls carry_on(label) for the cell's labels in a bucket that have not been carried on, and marks them.
  template <class CarryOn>
  void settle(std::uint32_t cell, std::uint32_t bucket, CarryOn&& carry_on) {
    GeodesicLabel* row = row_of(cell);
    for (std::size_t i = 0; i < k(); ++i) {
      const std::uint32_t in = row[i].length() / StepLengths::kVoxel;
      if (in > bucket) return;
      const auto source_and_way = static_cast<std::uint32_t>(row[i].key);
      if (in < bucket || (source_and_way & kWayMask) == 0) continue;
      row[i].key &= ~std::uint64_t{kWayMask};
      carry_on(LabelOffer{cell, row[i].length(), source_and_way});
    }
  }

  bool reached(std::uint32_t cell) const { return row_of(cell)->reached(); }
  /// Marks all labels of a cell as carried on.
  void mark(std::uint32_t cell) {
    for (std::size_t i = 0; i < k(); ++i) {
      if (row_of(cell)[i].reached()) row_of(cell)[i].key &= ~std::uint64_t{kWayMask};
    }
  }

  /// Enters the labels of another cell, all carried on, with a step added. Those above `limit` stay behind.
  void take(std::uint32_t cell, std::uint32_t from, std::uint32_t step, std::uint32_t limit) {
    GeodesicLabel* row = row_of(cell);
    const GeodesicLabel* other = row_of(from);
    const bool empty = !row->reached();
    if (!empty && refuses(row, other, step)) return;
    for (std::size_t i = 0; i < k() && other[i].length() <= limit; ++i) {
      const std::uint64_t key = other[i].key + (std::uint64_t{step} << 32);
      if (empty) {
        row[i].key = key;
      } else if (!as_near_in_place(row[i], key)) {
        insert({cell, static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key)});
      }
    }
  }

  /// Lists the labels that a cell would bring to another by a step. All labels of both have been carried on.
  void find_welcome(std::uint32_t from, std::uint32_t to, std::uint32_t step, std::uint32_t limit, std::uint32_t way,
                    std::vector<LabelOffer>& welcome) const {
    const GeodesicLabel* row = row_of(to);
    const GeodesicLabel* other = row_of(from);
    if (refuses(row, other, step)) return;
    for (std::size_t i = 0; i < k() && other[i].length() <= limit; ++i) {
      const std::uint64_t key = other[i].key + (std::uint64_t{step} << 32);
      if (as_near_in_place(row[i], key)) continue;
      const LabelOffer offer = {to, static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key) | way};
      if (key < row[k() - 1].key && compare(row, offer).as_near == 0) welcome.push_back(offer);
    }
  }

 private:
  std::size_t k() const { return K > 0 ? static_cast<std::size_t>(K) : k_; }
  GeodesicLabel* row_of(std::uint32_t cell) const { return labels_ + cell * k(); }

  /// Not zero where some label of the row has the same source and is as near or nearer; where some label waits in
  /// the same bucket.
  struct Compared {
    std::uint64_t as_near;
    std::uint64_t same_bucket;
  };
  static Compared compare_each(const GeodesicLabel* row, std::size_t n, const LabelOffer& offer) {
    Compared result = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t length = row[i].length();
      const bool same = (static_cast<std::uint32_t>(row[i].key) ^ offer.source_and_way) <= kWayMask;
      result.as_near |= static_cast<std::uint64_t>(same & (length <= offer.length));
      const bool here = length / StepLengths::kVoxel == offer.length / StepLengths::kVoxel;
      result.same_bucket |= static_cast<std::uint64_t>(here & ((row[i].key & kWayMask) != 0));
    }
    return result;
  }

  /// Spares most of the comparing: neighbours mostly have the same sources in the same order.
  static bool as_near_in_place(const GeodesicLabel& label, std::uint64_t key) {
    return static_cast<std::uint32_t>(label.key) == static_cast<std::uint32_t>(key) && label.key <= key;
  }

  /// True where the row has the other's sources in the same order, as neighbours mostly have, and all as near as with
  /// the step added: then it would take none of the other's labels.
  static bool refuses_each(const GeodesicLabel* row, const GeodesicLabel* other, std::size_t n, std::uint32_t step) {
    bool all = true;
    for (std::size_t i = 0; i < n; ++i) {
      const bool same = static_cast<std::uint32_t>(row[i].key) == static_cast<std::uint32_t>(other[i].key);
      all = all && (!other[i].reached() || (same && row[i].length() <= other[i].length() + step));
    }
    return all;
  }
  // GCC's vector extensions, which clang shares, on every processor.
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  typedef std::int32_t SignedFour __attribute__((vector_size(16)));

  /// Four labels as their sources and their lengths.
  struct Halves {
    Four sources, lengths;
  };
  static Halves halves(const GeodesicLabel* four) {
    Four low;
    Four high;
    std::memcpy(&low, four, sizeof(low));
    std::memcpy(&high, four + 2, sizeof(high));
    return {__builtin_shufflevector(low, high, 0, 2, 4, 6), __builtin_shufflevector(low, high, 1, 3, 5, 7)};
  }

  static std::uint64_t any(SignedFour mask) {
    std::array<std::uint64_t, 2> halves = {};
    std::memcpy(halves.data(), &mask, sizeof(mask));
    return halves[0] | halves[1];
  }

  Compared compare(const GeodesicLabel* row, const LabelOffer& offer) const {
    if constexpr (K == 0 || K % 4 != 0) {
      return compare_each(row, k(), offer);
    } else {
      const Four source = Four{} + offer.source_and_way;
      const Four length = Four{} + offer.length;
      SignedFour as_near = {};
      SignedFour same_bucket = {};
      for (std::size_t i = 0; i < K; i += 4) {
        const auto [sources, lengths] = halves(row + i);
        const SignedFour same = ((sources ^ source) >> GeodesicLabel::kSweepBits) == Four{};
        // Lengths are below 2^31, so that signed comparison does.
        as_near |= same & ~(SignedFour(lengths) > SignedFour(length));
        same_bucket |= (((lengths ^ length) & ~(StepLengths::kVoxel - 1)) == Four{}) & ((sources & kWayMask) != Four{});
      }
      return {any(as_near), any(same_bucket)};
    }
  }

  bool refuses(const GeodesicLabel* row, const GeodesicLabel* other, std::uint32_t step) const {
    if constexpr (K == 0 || K % 4 != 0) {
      return refuses_each(row, other, k(), step);
    } else {
      SignedFour welcome = {};
      for (std::size_t i = 0; i < K; i += 4) {
        const Halves here = halves(row + i), there = halves(other + i);
        const Four length = there.lengths + step;
        const SignedFour differs = (here.sources != there.sources) | (SignedFour(here.lengths) > SignedFour(length));
        welcome |= differs & (there.lengths != Four{} + GeodesicLabel::kFar);
      }
      return any(welcome) == 0;
    }
  }

  GeodesicLabel* labels_;
  std::size_t k_;
};

}  // namespace isochor
