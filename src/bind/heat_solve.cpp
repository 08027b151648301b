#include "bind/heat_solve.h"

#include <Eigen/SparseCholesky>
#include <algorithm>

#include "isochor/base/parallel.h"
#include "mesh/disjoint_sets.h"

namespace isochor {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// The least that holds a heated vertex, as a part of what it conducts. A piece that is tiny beside its distance to
/// every bone would be held by rounding alone, and one pivot of zero spoils the factorisation for the whole mesh.
constexpr double kLeastHold = 1e-12;

/// M H.
std::vector<double> holds(const SurfaceLaplacian& laplacian, std::span<const double> strength) {
  std::vector<double> conducted(strength.size(), 0.0), hold(strength.size(), 0.0);
  for (const auto& c : laplacian.conductance) {
    conducted[c.a] += c.value;
    conducted[c.b] += c.value;
  }
  for (std::size_t v = 0; v < hold.size(); ++v) {
    const double heat = laplacian.mass[v] * strength[v];
    if (heat > 0) hold[v] = std::max(heat, kLeastHold * conducted[v]);
  }
  return hold;
}

/// L + M H; identity rows where no heat comes.
SparseMatrix heat_matrix(const SurfaceLaplacian& laplacian, std::span<const double> hold,
                         std::span<const char> reached) {
  const std::size_t n = reached.size();
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<double> diagonal(n, 0.0);
  for (std::size_t v = 0; v < n; ++v) diagonal[v] = reached[v] != 0 ? hold[v] : 1.0;
  for (const auto& c : laplacian.conductance) {
    if (reached[c.a] == 0 || !(c.value > 0)) continue;
    entries.emplace_back(c.b, c.a, -c.value);
    diagonal[c.a] += c.value;
    diagonal[c.b] += c.value;
  }
  for (std::size_t v = 0; v < n; ++v) entries.emplace_back(static_cast<Index>(v), static_cast<Index>(v), diagonal[v]);
  SparseMatrix matrix(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Weights below the first number are none, from the second on they are whole; between the two they fade. As in
/// Blender: heat is a little warm everywhere, and nobody wants a toe in the hip's weights.
constexpr double kNoneBelow = 0.025, kWholeAbove = 0.05;

double faded(double weight) {
  if (weight < kNoneBelow) return 0;
  if (weight >= kWholeAbove) return std::min(weight, 1.0);
  return (weight - kNoneBelow) / (kWholeAbove - kNoneBelow) * kWholeAbove;
}

}  // namespace

std::vector<char> reached_by_heat(const SurfaceLaplacian& laplacian, std::span<const double> strength) {
  const std::size_t n = strength.size();
  mesh::DisjointSets joined(n);
  for (const auto& c : laplacian.conductance) {
    if (c.value > 0) joined.join(c.a, c.b);
  }
  std::vector<char> heated(n, 0), reached(n, 0);
  for (std::size_t v = 0; v < n; ++v) {
    if (laplacian.mass[v] * strength[v] > 0) heated[joined.find(static_cast<Index>(v))] = 1;
  }
  for (std::size_t v = 0; v < n; ++v) reached[v] = heated[joined.find(static_cast<Index>(v))];
  return reached;
}

SkinWeights solve_heat(const SurfaceLaplacian& laplacian, const HeatSources& sources, std::size_t handles,
                       const Context& context) {
  const std::size_t n = sources.strength.size();
  const std::vector<char> reached = reached_by_heat(laplacian, sources.strength);
  const std::vector<double> hold = holds(laplacian, sources.strength);
  const Eigen::SimplicialLDLT<SparseMatrix> solver(heat_matrix(laplacian, hold, reached));
  SkinWeights weights;
  if (solver.info() != Eigen::Success) {
    // solve() would leave its result as it found it.
    for (std::size_t v = 0; v < n; ++v) weights.add_row(std::span<const Influence>());
    return weights;
  }

  std::vector<std::vector<Influence>> heated(handles);  // by handle: vertex, share
  for (std::size_t v = 0; v < n; ++v) {
    if (reached[v] == 0) continue;
    for (const Influence& i : sources.share.row(v)) heated[i.joint].push_back({static_cast<Index>(v), i.weight});
  }
  std::vector<std::vector<Influence>> column(handles);
  parallel_for(context, handles, 1, [&](Range range) {
    const std::size_t h = range.begin;
    if (heated[h].empty()) return;
    Eigen::VectorXd right = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n));
    for (const Influence& i : heated[h]) right[i.joint] = hold[static_cast<std::size_t>(i.joint)] * i.weight;
    const Eigen::VectorXd warm = solver.solve(right);
    for (std::size_t v = 0; v < n; ++v) {
      const double weight = reached[v] != 0 ? faded(warm[static_cast<Eigen::Index>(v)]) : 0;
      if (weight > 0) column[h].push_back({static_cast<Index>(v), weight});
    }
  });

  std::vector<std::size_t> next(handles, 0);
  std::vector<Influence> row;
  for (std::size_t v = 0; v < n; ++v) {
    row.clear();
    for (std::size_t h = 0; h < handles; ++h) {
      if (next[h] == column[h].size() || column[h][next[h]].joint != static_cast<Index>(v)) continue;
      row.push_back({static_cast<Index>(h), column[h][next[h]++].weight});
    }
    weights.add_row(row);
  }
  return weights;
}

}  // namespace isochor
