#include "isochor/voxel/geodesic.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "isochor/base/parallel.h"
#include "voxel/label_sweep.h"

namespace isochor {
namespace {

constexpr Index kMaxSources = 1 << 25;
void check_seeds(std::span<const GeodesicSeed> seeds, Index sources, std::size_t cells) {
  for (const GeodesicSeed& seed : seeds) {
    if (seed.source < 0 || seed.source >= sources)
      throw_bad_input("a seed names a source that does not exist", seed.source);
    if (seed.cell < 0 || static_cast<std::size_t>(seed.cell) >= cells) {
      throw_bad_input("a seed names a cell that does not exist", seed.cell);
    }
    if (!(seed.distance >= 0 && seed.distance <= kFarthestSeed)) {
      throw_bad_input("a seed's starting distance must be between 0 and " + std::to_string(1 << 16) + " voxels",
                      seed.source);
    }
  }
}

enum class Order { any, inside_first };

/// Kernels for the usual numbers of labels, one for all others.
void run_sweep(const CellNeighbours& neighbours, const StepLengths& lengths, NearestSources& nearest,
               std::span<const GeodesicSeed> seeds, Order order, Context& context) {
  const auto run = [&](auto k) {
    LabelSweep<decltype(k)::value> sweep(neighbours, lengths, nearest.labels, nearest.k);
    if (order == Order::inside_first) {
      sweep.run_inside_first(seeds, context);
    } else {
      sweep.run(seeds, context);
    }
  };
  switch (nearest.k) {
    case 1:
      return run(std::integral_constant<int, 1>());
    case 2:
      return run(std::integral_constant<int, 2>());
    case 3:
      return run(std::integral_constant<int, 3>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 5:
      return run(std::integral_constant<int, 5>());
    case 6:
      return run(std::integral_constant<int, 6>());
    case 7:
      return run(std::integral_constant<int, 7>());
    case 8:
      return run(std::integral_constant<int, 8>());
    default:
      return run(std::integral_constant<int, 0>());
  }
}

}  // namespace

NearestSources AllDistances::cut(Index k) const {
  NearestSources nearest;
  nearest.k = k;
  const std::size_t cells = lengths.empty() ? 0 : lengths.front().size();
  nearest.labels.resize(cells * static_cast<std::size_t>(k));
  std::vector<GeodesicLabel> labels;
  for (std::size_t c = 0; c < cells; ++c) {
    labels.clear();
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      if (lengths[s][c] != GeodesicLabel::kFar)
        labels.push_back({std::uint64_t{lengths[s][c]} << 32 | s << GeodesicLabel::kSweepBits});
    }
    const auto n = static_cast<std::ptrdiff_t>(std::min(labels.size(), static_cast<std::size_t>(k)));
    std::partial_sort(labels.begin(), labels.begin() + n, labels.end(),
                      [](const GeodesicLabel& a, const GeodesicLabel& b) { return a.key < b.key; });
    std::copy_n(labels.begin(), n, nearest.labels.begin() + static_cast<std::ptrdiff_t>(c) * k);
  }
  return nearest;
}

std::size_t AllDistances::memory() const {
  std::size_t n = 0;
  for (const auto& array : lengths) n += array.capacity() * sizeof(std::uint32_t);
  return n;
}

GeodesicSweep::GeodesicSweep(const Octree& octree, const GeodesicOptions& options, Context& context)
    : octree_(&octree) {
  check_ranges(options);
  neighbours_ = std::make_unique<const CellNeighbours>(octree, context);
  lengths_ = std::make_unique<const StepLengths>(options.penalty, neighbours_->longest());
}

GeodesicSweep::~GeodesicSweep() = default;
GeodesicSweep::GeodesicSweep(GeodesicSweep&&) noexcept = default;
GeodesicSweep& GeodesicSweep::operator=(GeodesicSweep&&) noexcept = default;

NearestSources GeodesicSweep::nearest(std::span<const GeodesicSeed> seeds, Index k, Context& context) const {
  if (k < 1) throw_bad_input("the number of nearest sources must be at least 1");
  NearestSources nearest;
  nearest.k = k;
  nearest.labels.resize(octree_->size() * static_cast<std::size_t>(k));
  check_seeds(seeds, kMaxSources, octree_->size());
  run_sweep(*neighbours_, *lengths_, nearest, seeds, Order::inside_first, context);
  return nearest;
}

void GeodesicSweep::extend(NearestSources& nearest, std::span<const GeodesicSeed> seeds, Context& context) const {
  check_seeds(seeds, kMaxSources, octree_->size());
  run_sweep(*neighbours_, *lengths_, nearest, seeds, Order::any, context);
}

AllDistances GeodesicSweep::all(std::span<const GeodesicSeed> seeds, Index source_count, Context& context) const {
  check_seeds(seeds, source_count, octree_->size());
  const auto n = static_cast<std::size_t>(source_count);
  std::vector<std::vector<GeodesicSeed>> by_source(n);
  for (const GeodesicSeed& seed : seeds) by_source[static_cast<std::size_t>(seed.source)].push_back(seed);
  AllDistances result;
  result.lengths.resize(n);
  parallel_for(context, n, 1, [&](Range range) {
    const std::size_t s = range.begin;
    Context alone(1);
    NearestSources one;
    one.k = 1;
    one.labels.resize(octree_->size());
    run_sweep(*neighbours_, *lengths_, one, by_source[s], Order::any, alone);
    result.lengths[s].resize(octree_->size());
    for (std::size_t c = 0; c < one.labels.size(); ++c) result.lengths[s][c] = one.labels[c].length();
  });
  return result;
}

std::vector<std::vector<Index>> GeodesicSweep::unreached(const NearestSources& nearest) const {
  std::vector<std::vector<Index>> components;
  std::vector<std::uint8_t> seen(octree_->size(), 0);
  std::vector<Index> around;
  for (Index first = 0; first < static_cast<Index>(octree_->size()); ++first) {
    if (seen[static_cast<std::size_t>(first)] != 0 || nearest.reached(first)) continue;
    std::vector<Index> component = {first};
    seen[static_cast<std::size_t>(first)] = 1;
    for (std::size_t i = 0; i < component.size(); ++i) {
      octree_->neighbours(component[i], around);
      for (const Index n : around) {
        std::uint8_t& mark = seen[static_cast<std::size_t>(n)];
        if (mark == 0) component.push_back(n);
        mark = 1;
      }
    }
    std::sort(component.begin(), component.end());
    components.push_back(std::move(component));
  }
  return components;
}

std::size_t GeodesicSweep::memory() const { return neighbours_->memory(); }

}  // namespace isochor
