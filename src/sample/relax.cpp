#include "sample/relax.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "isochor/base/parallel.h"

namespace isochor::model {
namespace {

constexpr double kPull = 0.6;
// Cosines of the angle between neighbouring normals from which vertices are held, and up to which they are free.
constexpr double kSharp = 0.1;
constexpr double kSmooth = 0.6;

/// Offsets into a flat list of each vertex's neighbours along edges.
struct Neighbours {
  std::vector<Index> begin;
  std::vector<Index> list;
};

Neighbours edge_neighbours(const Surface& surface) {
  Neighbours n;
  n.begin.assign(surface.vertex_count() + 1, 0);
  for (const Index v : surface.corners) ++n.begin[v + 1];
  for (std::size_t v = 0; v < surface.vertex_count(); ++v) n.begin[v + 1] += n.begin[v];
  n.list.resize(surface.corners.size());
  std::vector<Index> next(n.begin.begin(), n.begin.end() - 1);
  // On a closed, oriented surface each directed edge comes once, so "the corner after" names every neighbour once.
  for (std::size_t f = 0; f < surface.face_count(); ++f) {
    const auto face = surface.face(f);
    for (std::size_t c = 0; c < face.size(); ++c) n.list[next[face[c]]++] = face[(c + 1) % face.size()];
  }
  return n;
}

/// A few steps down the gradient, none longer than `longest`. Where blends make the gradient short it is not trusted.
Vec3 project(const ImplicitShape& shape, Vec3 p, double longest) {
  for (int round = 0; round < 3; ++round) {
    const FieldSample field = evaluate(shape, p);
    if (std::abs(field.value) < 1e-8 * longest) break;
    Vec3 step = -field.value / std::max(field.gradient.squaredNorm(), 0.1) * field.gradient;
    const double length = step.norm();
    if (length > longest) step *= longest / length;
    p += step;
  }
  return p;
}

/// What a round of sliding reads: the surface as it was before the round.
struct State {
  const Neighbours& neighbours;
  const std::vector<Vec3>& positions;
  std::vector<Vec3> normals;
  std::vector<double> freedom;

  std::span<const Index> around(std::size_t v) const {
    return {neighbours.list.data() + neighbours.begin[v], neighbours.list.data() + neighbours.begin[v + 1]};
  }
};

/// 0 where the surface turns sharply to a neighbour, 1 where it is smooth.
double freedom_of(const State& state, std::size_t v) {
  double least = 1;
  for (const Index n : state.around(v)) least = std::min(least, state.normals[v].dot(state.normals[n]));
  return std::clamp((least - kSharp) / (kSmooth - kSharp), 0.0, 1.0);
}

/// Towards the mean of the neighbours, within the tangent plane. Vertices on the rims of thin sheets do not follow
/// their freer neighbours, or the sheets would shrink, as nothing holds their rims; they slide along the rim only.
Vec3 slide(const State& state, std::size_t v) {
  Vec3 pull = Vec3::Zero();
  for (const Index n : state.around(v)) {
    const double freer = std::max(state.freedom[n] - state.freedom[v], 0.0);
    pull += (1 - freer) * (state.positions[n] - state.positions[v]);
  }
  pull *= kPull / static_cast<double>(state.around(v).size());
  return pull - state.normals[v].dot(pull) * state.normals[v];
}

}  // namespace

void symmetrise(QuadMesh& mesh) {
  std::vector<Vec3>& p = mesh.surface.positions;
  for (std::size_t v = 0; v < mesh.mirror.size(); ++v) {
    const auto m = static_cast<std::size_t>(mesh.mirror[v]);
    if (m == v) p[v].x() = 0;
    if (m < v) p[m] = Vec3(-p[v].x(), p[v].y(), p[v].z());
  }
}

void relax(const ImplicitShape& shape, int rounds, QuadMesh& mesh, const Context& context) {
  const Neighbours neighbours = edge_neighbours(mesh.surface);
  std::vector<Vec3>& positions = mesh.surface.positions;
  const std::size_t n = positions.size();
  State state{neighbours, positions, std::vector<Vec3>(n), std::vector<double>(n)};
  std::vector<Vec3> moved(n);
  const auto every_vertex = [&](const std::function<void(std::size_t)>& body) {
    parallel_for(context, n, 256, [&](Range range) {
      for (std::size_t v = range.begin; v < range.end; ++v) body(v);
    });
  };
  every_vertex([&](std::size_t v) { positions[v] = project(shape, positions[v], mesh.cell / 2); });
  symmetrise(mesh);
  for (int round = 0; round < rounds; ++round) {
    context.progress("shape", static_cast<double>(round) / rounds);
    every_vertex([&](std::size_t v) { state.normals[v] = evaluate(shape, positions[v]).gradient.normalized(); });
    every_vertex([&](std::size_t v) { state.freedom[v] = freedom_of(state, v); });
    every_vertex([&](std::size_t v) { moved[v] = project(shape, positions[v] + slide(state, v), mesh.cell / 2); });
    positions.swap(moved);
    symmetrise(mesh);
  }
  context.progress("shape", 1);
}

}  // namespace isochor::model
