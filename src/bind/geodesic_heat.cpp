#include "isochor/bind/geodesic_heat.h"

#include <algorithm>
#include <cmath>

#include "bind/heat_solve.h"
#include "isochor/base/parallel.h"

namespace isochor {
namespace {

/// Bones up to this much farther than the nearest warm a vertex too, the less the farther: so nothing jumps where the
/// nearest bone changes.
constexpr double kSharedHeat = 0.05;

}  // namespace

SkinWeights geodesic_heat_weights(const Surface& surface, const GvbBinding& binding, const GeodesicHeatOptions& options,
                                  const Context& context) {
  check_ranges(options);
  const std::size_t n = surface.vertex_count();
  HeatSources sources;
  sources.strength.resize(n);
  std::vector<Influence> row;
  for (std::size_t v = 0; v < n; ++v) {
    const auto near = binding.distances(v);
    row.clear();
    double sum = 0;
    for (const GvbBinding::Distance& d : near) {
      const double share = 1 - (d.distance / near[0].distance - 1) / kSharedHeat;
      if (!(share > 0)) continue;
      row.push_back({d.handle, share});
      sum += share;
    }
    for (Influence& i : row) i.weight /= sum;
    sources.share.add_row(row);
    const double d = near[0].distance;
    sources.strength[v] = options.stiffness / (d * d);
  }
  SkinWeights warm = solve_heat(tufted_laplacian(surface.positions, triangulate(surface).triangles), sources,
                                binding.handles().size(), context);
  // A vertex in no face has no area to be warmed on: it follows what is nearest.
  SkinWeights weights;
  for (std::size_t v = 0; v < n; ++v) weights.add_row(warm.row(v).empty() ? sources.share.row(v) : warm.row(v));
  return weights;
}

}  // namespace isochor
