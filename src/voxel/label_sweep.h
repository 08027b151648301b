#pragma once

/// The sweep that carries (source, length) labels from cell to cell: Dijkstra with a bucket queue and k labels per
/// cell.
///
/// Buckets are one voxel wide and no step is shorter, so all labels in the lowest bucket are final and can be handled
/// in any order, also at the same time. The result is defined without any order (the k least (length, source) of a
/// cell), so it is the same for any number of threads.
///
/// Cells are dealt out to parts in runs. A part alone writes its cells' labels; offers to cells of another part are
/// posted to it, and taken up at the start of its next bucket, where they belong at the earliest.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/parallel.h"
#include "isochor/voxel/geodesic.h"
#include "voxel/bucket_queue.h"
#include "voxel/cell_neighbours.h"
#include "voxel/label_rows.h"
#include "voxel/skin_labels.h"
#include "voxel/step_lengths.h"

namespace isochor {

/// `K` labels per cell, or any number where K is 0.
template <int K>
class LabelSweep {
 public:
  LabelSweep(const CellNeighbours& neighbours, const StepLengths& lengths, std::span<GeodesicLabel> labels, Index k)
      : neighbours_(neighbours),
        lengths_(lengths),
        rows_(labels, k),
        cells_(labels.size() / static_cast<std::size_t>(k)) {}

  /// Labels that are there already have been carried on before; those of the seeds are carried on now.
  void run(std::span<const GeodesicSeed> seeds, Context& context) {
    begin(context);
    enter(seeds);
    carry_all_on(context);
  }

  /// The same where there are no labels yet: first the inside, then its skin (SkinLabels).
  void run_inside_first(std::span<const GeodesicSeed> seeds, Context& context) {
    begin(context);
    inside_ = true;
    enter(seeds);
    carry_all_on(context);
    inside_ = false;
    for (const GeodesicSeed& seed : seeds) rows_.mark(static_cast<std::uint32_t>(seed.cell));
    SkinLabels<K> skin(neighbours_, lengths_, rows_, cells_);
    skin.take_from_inside(context);
    for (const Offer& o : skin.find_ways_over(seeds, context)) offer(part_of(o.cell), o);
    carry_all_on(context);
  }

 private:
  enum class Sharing { alone, shared };

  using Offer = LabelOffer;
  struct alignas(128) Part {
    BucketQueue queue;
    CellOrder order;
    std::array<std::vector<std::vector<Offer>>, 2> out;  ///< posts to other parts, of even and odd rounds
    std::uint32_t lowest_post = BucketQueue::kEmpty;
  };

  static constexpr std::size_t kPartsPerThread = 2;
  static constexpr int kRunBits = 12;
  static constexpr std::size_t kAhead = 4;

  std::size_t part_of(std::uint32_t cell) const {
    return parts_.size() == 1 ? 0 : (cell >> kRunBits) & (parts_.size() - 1);
  }
  static std::uint32_t bucket_of(std::uint32_t length) { return length / StepLengths::kVoxel; }
  static std::uint32_t to_units(double voxels) {
    return static_cast<std::uint32_t>(std::lround(voxels * StepLengths::kVoxel));
  }

  void begin(const Context& context) {
    const int threads = effective_threads(context);
    parts_.clear();
    parts_.resize(threads > 1 ? std::bit_ceil(static_cast<std::size_t>(threads) * kPartsPerThread) : 1);
    for (auto& box : parts_) {
      box.order = CellOrder(cells_);
      for (auto& posts : box.out) posts.resize(parts_.size());
    }
  }

  void enter(std::span<const GeodesicSeed> seeds) {
    for (const GeodesicSeed& seed : seeds) {
      const auto cell = static_cast<std::uint32_t>(seed.cell);
      const Offer label = {
          cell, to_units(seed.distance),
          static_cast<std::uint32_t>(seed.source) << GeodesicLabel::kSweepBits | StepLengths::kNoDirection};
      if (inside_ && neighbours_.masks(cell).kind() == CellKind::boundary) {
        if (rows_.insert(label) != LabelRows<K>::Entered::no) carry_on<Sharing::alone>(0, label);
      } else {
        offer(part_of(cell), label);
      }
    }
  }

  void carry_all_on(Context& context) {
    bucket_ = next_bucket(0);
    if (parts_.size() == 1) {
      for (; bucket_ != BucketQueue::kEmpty; bucket_ = parts_[0].queue.next(bucket_)) {
        context.check_cancelled();
        handle_bucket<Sharing::alone>(0);
      }
    } else {
      run_together(effective_threads(context), context);
    }
  }

  void offer(std::size_t part, const Offer& offer) {
    if (rows_.insert(offer) == LabelRows<K>::Entered::yes) {
      parts_[part].queue.push(bucket_of(offer.length), offer.cell);
    }
  }

  template <Sharing S>
  void send(std::size_t from, const Offer& sent) {
    if constexpr (S == Sharing::alone) {
      offer(part_of(sent.cell), sent);
    } else {
      const std::size_t to = part_of(sent.cell);
      if (to == from) {
        offer(from, sent);
      } else {
        parts_[from].out[round_ & 1][to].push_back(sent);
        parts_[from].lowest_post = std::min(parts_[from].lowest_post, bucket_of(sent.length));
      }
    }
  }

  template <Sharing S>
  void carry_on(std::size_t part, const Offer& label) {
    if (label.length > lengths_.limit()) return;
    const std::uint32_t way = label.source_and_way & kWayMask;
    const std::uint32_t source = label.source_and_way & ~kWayMask;
    CellNeighbours::Masks masks = neighbours_.masks(label.cell);
    if (inside_) masks.boundary &= CellNeighbours::kNoStep;
    // Looking all neighbours up before any is offered the label lets the processor do the one while it waits for the
    // other.
    std::array<Offer, kDirections> offers;
    std::size_t n = 0;
    neighbours_.each_voxel(label.cell, lengths_.worth_going(masks, way), [&](std::uint32_t d, std::uint32_t to) {
      rows_.prefetch(to);
      const std::uint32_t step = lengths_.near(d, masks.boundary >> d & 1);
      offers[n++] = {to, label.length + step, source | (d + 1)};
    });
    for (std::size_t i = 0; i < n; ++i) send<S>(part, offers[i]);
    const CellNeighbours::Steps steps = neighbours_.steps(label.cell);
    const std::uint32_t sides = lengths_.kept_large(way);
    using To = CellNeighbours::Step::To;
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      const CellNeighbours::Step step = steps.steps[i];
      const To to = step.to();
      if (to >= To::equal ? (sides >> step.side() & 1) == 0 : inside_ && to == To::boundary) continue;
      const std::uint32_t length = label.length + lengths_.far(steps.squared[i], step.kind());
      const std::uint32_t next_way =
          to == To::larger ? StepLengths::kNoDirection : StepLengths::kFromLarge + step.side();
      send<S>(part, {step.cell(), length, source | next_way});
    }
  }

  /// Carries on the labels of the current bucket.
  template <Sharing S>
  void handle_bucket(std::size_t part) {
    if constexpr (S == Sharing::shared) {
      for (Part& from : parts_) {
        auto& posts = from.out[(round_ + 1) & 1][part];
        for (const Offer& o : posts) offer(part, o);
        posts.clear();
      }
      parts_[part].lowest_post = BucketQueue::kEmpty;
    }
    std::vector<std::uint32_t> cells = parts_[part].queue.take(bucket_);
    // In the order of the cells, which is one of space, what is touched together lies together; and what comes next
    // is known, and fetched ahead.
    parts_[part].order.sort(cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i + 2 * kAhead < cells.size()) {
        rows_.prefetch(cells[i + 2 * kAhead]);
        neighbours_.prefetch(cells[i + 2 * kAhead]);
        neighbours_.prefetch_steps(cells[i + kAhead]);
      }
      rows_.settle(cells[i], bucket_, [&](const Offer& label) { carry_on<S>(part, label); });
    }
    parts_[part].queue.give_back(std::move(cells));
  }

  std::uint32_t next_bucket(std::uint32_t from) const {
    std::uint32_t lowest = BucketQueue::kEmpty;
    for (const Part& part : parts_) lowest = std::min({lowest, part.queue.next(from), part.lowest_post});
    return lowest;
  }

  /// One task per part and round, taken in order by whichever worker is free. A worker waits only for tasks that
  /// another is at work on, so that any number of workers, also one, comes to the end.
  void run_together(int threads, Context& context) {
    std::atomic<std::size_t> tickets{0};
    std::atomic<std::size_t> finished{0};
    std::atomic<std::size_t> open_round{0};
    std::exception_ptr failure;
    const std::size_t parts = parts_.size();
    round_ = 0;
    const auto close_round = [&] {
      bucket_ = failure || context.cancelled() ? BucketQueue::kEmpty : next_bucket(bucket_);
      ++round_;
      finished.store(0, std::memory_order_relaxed);
      open_round.store(round_, std::memory_order_release);
    };
    const auto work = [&](Range) {
      while (true) {
        const std::size_t ticket = tickets.fetch_add(1, std::memory_order_relaxed);
        const std::size_t round = ticket / parts;
        for (int spin = 0; open_round.load(std::memory_order_acquire) < round; ++spin) {
          if (spin > 2000) std::this_thread::yield();
        }
        if (bucket_ == BucketQueue::kEmpty) return;
        try {
          handle_bucket<Sharing::shared>(ticket % parts);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex_);
          failure = std::current_exception();
        }
        if (finished.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) close_round();
      }
    };
    if (bucket_ != BucketQueue::kEmpty) parallel_for(context, static_cast<std::size_t>(threads), 1, work);
    if (failure) std::rethrow_exception(failure);
    context.check_cancelled();
  }

  const CellNeighbours& neighbours_;
  const StepLengths& lengths_;
  LabelRows<K> rows_;
  std::size_t cells_;
  bool inside_ = false;  ///< boundary voxels are left out
  std::vector<Part> parts_;
  std::uint32_t bucket_ = 0;
  std::size_t round_ = 0;
  std::mutex mutex_;
};

}  // namespace isochor
