#pragma once

/// Distances through a solid, from sources (bones) to all its cells: Dionne 2014, algorithm 3. Steps go from centre to
/// centre over shared faces, edges and corners, between cells of all sizes; a step into a boundary cell is longer by a
/// penalty.
///
/// Lengths are whole numbers of 1/1024 voxel, so that sums are exact and results do not depend on any order: the k
/// nearest sources of one sweep are exactly those of the full distances cut to k, ties going to the lower source.
///
/// Lattice error: if nothing is in the way and all cells are single voxels, a distance is at least the straight line
/// (but for rounding, 2e-4 of it) and at most sqrt(1 + (√2-1)² + (√3-√2)²) = 1.1281 times that, the worst direction
/// being (1, √2-1, √3-√2). Ways through large cells bend from centre to centre, which adds up to about a sixth.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "isochor/base/context.h"
#include "isochor/base/options.h"
#include "isochor/voxel/octree.h"

namespace isochor {

struct GeodesicOptions {
  double penalty = 4;
};

template <class Options, class Visitor>
requires std::is_same_v<std::remove_const_t<Options>, GeodesicOptions>
void describe(Options& options, Visitor&& visit) {
  visit(options.penalty, FieldInfo{.name = "penalty",
                                   .help = "steps into voxels on the surface count this many times (1: off)",
                                   .unit = "times",
                                   .min = 1,
                                   .max = 100,
                                   .expert = true});
}

/// Seeds may start this far away, in voxels; the rest of the 32 bits is left for the way.
inline constexpr double kFarthestSeed = 1 << 16;

/// Where a source starts. A source may have any number of seeds.
struct GeodesicSeed {
  Index source = 0;     ///< 0 … #sources-1
  Index cell = 0;       ///< of the octree
  double distance = 0;  ///< what it starts with, in voxels: above 0 for bones that lie outside
};

/// A source's distance to a cell, in eight bytes that order as (distance, source).
struct GeodesicLabel {
  static constexpr std::uint32_t kFar = 0x7fffffffu;
  static constexpr double kUnitsPerVoxel = 1024;
  static constexpr int kSweepBits = 6;

  /// Length in the high half; below it the source times 64 (the last six bits belong to the sweep, and are 0 after
  /// it).
  std::uint64_t key = 0x7fffffffffffffffu;

  /// In 1/1024 voxel; kFar if there is none.
  std::uint32_t length() const { return static_cast<std::uint32_t>(key >> 32); }
  bool reached() const { return length() != kFar; }
  /// kNone if there is none.
  Index source() const { return static_cast<Index>(static_cast<std::uint32_t>(key)) >> kSweepBits; }
  /// In voxels.
  double distance() const { return length() / kUnitsPerVoxel; }
  bool operator==(const GeodesicLabel&) const = default;
};

/// The k nearest sources of every cell.
struct NearestSources {
  Index k = 0;
  /// #cells × k; a cell's labels by increasing (distance, source), each source once; behind the last, labels that are
  /// not reached().
  std::vector<GeodesicLabel> labels;

  std::size_t cell_count() const { return k > 0 ? labels.size() / static_cast<std::size_t>(k) : 0; }
  std::span<const GeodesicLabel> of(Index cell) const {
    return std::span(labels).subspan(static_cast<std::size_t>(cell) * static_cast<std::size_t>(k),
                                     static_cast<std::size_t>(k));
  }
  bool reached(Index cell) const { return of(cell).front().reached(); }
  std::size_t memory() const { return labels.capacity() * sizeof(GeodesicLabel); }
};

/// The distances of every source to every cell.
struct AllDistances {
  /// #sources arrays of #cells lengths in 1/1024 voxel; GeodesicLabel::kFar where not reached.
  std::vector<std::vector<std::uint32_t>> lengths;

  /// The k nearest sources of every cell.
  NearestSources cut(Index k) const;
  std::size_t memory() const;
};

class CellNeighbours;
class StepLengths;

/// Prepared for an octree: the cells' neighbours. The octree must outlive it.
class GeodesicSweep {
 public:
  GeodesicSweep(const Octree& octree, const GeodesicOptions& options, Context& context);
  ~GeodesicSweep();
  GeodesicSweep(GeodesicSweep&&) noexcept;
  GeodesicSweep& operator=(GeodesicSweep&&) noexcept;

  /// The k nearest sources of every cell in one sweep: the cost does not grow with the number of sources.
  NearestSources nearest(std::span<const GeodesicSeed> seeds, Index k, Context& context) const;
  /// Goes on with more seeds; the result is as if all had been given at once.
  void extend(NearestSources& nearest, std::span<const GeodesicSeed> seeds, Context& context) const;
  /// One sweep per source.
  AllDistances all(std::span<const GeodesicSeed> seeds, Index source_count, Context& context) const;

  /// Cells that no seed reached, by connected component (each increasing, components by their first cell).
  std::vector<std::vector<Index>> unreached(const NearestSources& nearest) const;

  const Octree& octree() const { return *octree_; }
  /// Bytes held, apart from the octree.
  std::size_t memory() const;

 private:
  const Octree* octree_;
  std::unique_ptr<const CellNeighbours> neighbours_;
  std::unique_ptr<const StepLengths> lengths_;
};

}  // namespace isochor
