#include "isochor/bind/heat.h"

#include <cmath>

#include "bind/heat_finder.h"
#include "bind/heat_solve.h"
#include "isochor/base/error.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

HeatSources to_sources(std::span<const Warmth> warmth, double stiffness) {
  HeatSources sources;
  std::vector<Influence> row;
  for (const Warmth& w : warmth) {
    sources.strength.push_back(stiffness * w.strength);
    row.clear();
    for (const Index h : w.handles) row.push_back({h, 1.0 / static_cast<double>(w.handles.size())});
    sources.share.add_row(row);
  }
  return sources;
}

}  // namespace

HeatWeights heat_weights(const Surface& surface, std::span<const Handle> handles, const HeatOptions& options,
                         Context& context) {
  check_ranges(options);
  if (handles.empty()) throw_bad_input("there is no joint to bind to");
  const StageTimer timer(context, "weights");
  const std::size_t n = surface.vertex_count();
  const HeatFinder finder(surface, handles);
  std::vector<Warmth> warmth(n);
  parallel_for(context, n, 256, [&](Range range) {
    for (std::size_t v = range.begin; v < range.end; ++v) warmth[v] = finder.find(v, HeatFinder::Walls::stop);
  });
  HeatWeights result;
  for (const Warmth& w : warmth) {
    result.sees_bone.push_back(w.handles.empty() ? 0 : 1);
    result.reach.push_back(w.strength > 0 ? 1 / std::sqrt(options.stiffness * w.strength) : 0);
  }

  const SurfaceLaplacian laplacian = tufted_laplacian(surface.positions, finder.triangles());
  HeatSources sources = to_sources(warmth, options.stiffness);
  const std::vector<char> reached = reached_by_heat(laplacian, sources.strength);
  ProblemCollector cold;
  for (std::size_t v = 0; v < n; ++v) {
    if (reached[v] != 0) continue;
    if (!(laplacian.mass[v] > 0)) continue;  // in no face: of no piece
    cold.add(static_cast<Index>(v));
    warmth[v] = finder.find(v, HeatFinder::Walls::let_through);
  }
  cold.report(result.problems, Severity::warning, "vertices-see-no-bone",
              "{} vert{ex|ices} belong{s|} to pieces that see no bone and {was|were} warmed through walls");
  if (cold.count() > 0) sources = to_sources(warmth, options.stiffness);
  const SkinWeights warm = solve_heat(laplacian, sources, handles.size(), context);
  for (std::size_t v = 0; v < n; ++v) {
    // A vertex in no face has no area to be warmed on: it follows what is nearest.
    std::vector<Influence> row(warm.row(v).begin(), warm.row(v).end());
    if (row.empty()) {
      for (const Index h : finder.find(v, HeatFinder::Walls::let_through).handles) row.push_back({h, 1.0});
    }
    result.weights.add_row(row);
  }
  return result;
}

}  // namespace isochor
