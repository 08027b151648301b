#include "isochor/sample/polygonize.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "isochor/base/parallel.h"
#include "sample/relax.h"

namespace isochor {
namespace {

constexpr int kTrials = 8;
constexpr double kCountTolerance = 0.005;
constexpr double kMaxSamples = 4e8;

using Cell = std::array<int, 3>;

/// Samples of the field at the corners of a regular grid. Corner (i, j, k) lies at origin + spacing (i, j, k); cell
/// (i, j, k) has it as its lowest corner.
struct Grid {
  Vec3 origin;
  double spacing = 0;
  Cell size = {0, 0, 0};  // corners along each axis
  std::vector<double> value;

  std::size_t index(int i, int j, int k) const { return (static_cast<std::size_t>(k) * size[1] + j) * size[0] + i; }
  Vec3 corner(int i, int j, int k) const { return origin + spacing * Vec3(i, j, k); }
  bool inside(std::size_t corner_index) const { return value[corner_index] < 0; }
  std::size_t step(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? size[0] : static_cast<std::size_t>(size[0]) * size[1];
  }
};

/// Two cells of air on every side, and cells centred on x = 0, so that symmetric shapes get a line of vertices there.
Grid layout_grid(const Box& box, double spacing) {
  Grid grid;
  grid.spacing = spacing;
  const double reach = std::max(std::abs(box.min().x()), std::abs(box.max().x()));
  const int half = static_cast<int>(std::ceil(reach / spacing)) + 2;
  grid.size[0] = 2 * half;
  grid.origin.x() = -(half - 0.5) * spacing;
  for (int axis = 1; axis < 3; ++axis) {
    grid.origin[axis] = box.min()[axis] - 2.5 * spacing;
    grid.size[axis] = static_cast<int>(std::ceil((box.max()[axis] - box.min()[axis]) / spacing)) + 6;
  }
  if (static_cast<double>(grid.size[0]) * grid.size[1] * grid.size[2] > kMaxSamples) {
    throw_bad_input("the option vertices is too large for this shape: its grid would not fit in memory");
  }
  return grid;
}

void sample_field(const ImplicitShape& shape, bool symmetric, Grid& grid, const Context& context) {
  grid.value.resize(static_cast<std::size_t>(grid.size[0]) * grid.size[1] * grid.size[2]);
  const int columns = grid.size[0];
  const int first = symmetric ? columns / 2 : 0;
  parallel_for(context, static_cast<std::size_t>(grid.size[1]) * grid.size[2], 64, [&](Range rows) {
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
      const int j = static_cast<int>(row % grid.size[1]);
      const int k = static_cast<int>(row / grid.size[1]);
      for (int i = first; i < columns; ++i) grid.value[grid.index(i, j, k)] = distance(shape, grid.corner(i, j, k));
      for (int i = 0; i < first; ++i) grid.value[grid.index(i, j, k)] = grid.value[grid.index(columns - 1 - i, j, k)];
    }
  });
}

/// Moves outside corners of a square or cube inside where only opposite corners are: returns whether it did.
bool fill(Grid& grid, std::span<const std::size_t> corners) {
  bool changed = false;
  for (const std::size_t c : corners) {
    if (!grid.inside(c)) {
      grid.value[c] = -0.05 * grid.spacing;
      changed = true;
    }
  }
  return changed;
}

bool repair_face(Grid& grid, std::size_t corner, std::size_t du, std::size_t dv) {
  const std::array c{corner, corner + du, corner + du + dv, corner + dv};
  const bool even = grid.inside(c[0]);
  const bool odd = grid.inside(c[1]);
  if (even == odd || grid.inside(c[2]) != even || grid.inside(c[3]) != odd) return false;
  return fill(grid, c);
}

/// Two opposite corners of a cube on one side, the six others on the other.
bool repair_cube(Grid& grid, std::size_t corner) {
  std::array<std::size_t, 8> c;
  int inside = 0;
  for (std::size_t n = 0; n < 8; ++n) {
    c[n] = corner + (n & 1 ? grid.step(0) : 0) + (n & 2 ? grid.step(1) : 0) + (n & 4 ? grid.step(2) : 0);
    inside += grid.inside(c[n]) ? 1 : 0;
  }
  if (inside != 2 && inside != 6) return false;
  for (std::size_t n = 0; n < 4; ++n) {
    const bool lone = inside == 2;
    if (grid.inside(c[n]) == lone && grid.inside(c[7 - n]) == lone) return fill(grid, c);
  }
  return false;
}

bool repair_all(Grid& grid) {
  bool changed = false;
  for (int k = 0; k + 1 < grid.size[2]; ++k) {
    for (int j = 0; j + 1 < grid.size[1]; ++j) {
      for (int i = 0; i + 1 < grid.size[0]; ++i) {
        const std::size_t corner = grid.index(i, j, k);
        for (int axis = 0; axis < 3; ++axis) {
          changed |= repair_face(grid, corner, grid.step(axis), grid.step((axis + 1) % 3));
        }
        changed |= repair_cube(grid, corner);
      }
    }
  }
  return changed;
}

/// What was moved inside on one side is moved inside on the other: the order of the repairs knows left from right.
void mirror_samples(Grid& grid) {
  for (std::size_t c = 0; c < grid.value.size(); ++c) {
    const std::size_t i = c % grid.size[0];
    const std::size_t m = c - i + (grid.size[0] - 1 - i);
    grid.value[c] = grid.value[m] = std::min(grid.value[c], grid.value[m]);
  }
}

/// Without such faces and cubes the samples are well composed: the surface crosses a face of the grid at most once and
/// a cell in one sheet, so that one vertex a cell makes a manifold. Corners only ever move inside: this ends.
void make_well_composed(Grid& grid, bool symmetric) {
  while (repair_all(grid)) {
    if (symmetric) mirror_samples(grid);
  }
}

/// The mean of the points where the surface crosses the cell's edges; false where it does not.
bool cell_vertex(const Grid& grid, const Cell& cell, Vec3& vertex) {
  const std::size_t corner = grid.index(cell[0], cell[1], cell[2]);
  Vec3 sum = Vec3::Zero();
  int crossings = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (int n = 0; n < 4; ++n) {
      const std::size_t a = corner + (n & 1 ? grid.step(u) : 0) + (n & 2 ? grid.step(v) : 0);
      const std::size_t b = a + grid.step(axis);
      if (grid.inside(a) == grid.inside(b)) continue;
      Vec3 p = Vec3::Zero();
      p[u] = n & 1 ? 1 : 0;
      p[v] = n & 2 ? 1 : 0;
      p[axis] = grid.value[a] / (grid.value[a] - grid.value[b]);
      sum += p;
      ++crossings;
    }
  }
  if (crossings == 0) return false;
  vertex = grid.corner(cell[0], cell[1], cell[2]) + grid.spacing / crossings * sum;
  return true;
}

/// A vertex in every cell that the surface crosses. `vertex_of_cell` is indexed like the corners.
void place_vertices(const Grid& grid, QuadMesh& mesh, std::vector<Index>& vertex_of_cell) {
  vertex_of_cell.assign(grid.value.size(), kNone);
  for (int k = 0; k + 1 < grid.size[2]; ++k) {
    for (int j = 0; j + 1 < grid.size[1]; ++j) {
      for (int i = 0; i + 1 < grid.size[0]; ++i) {
        Vec3 p;
        if (!cell_vertex(grid, {i, j, k}, p)) continue;
        vertex_of_cell[grid.index(i, j, k)] = static_cast<Index>(mesh.surface.positions.size());
        mesh.surface.positions.push_back(p);
      }
    }
  }
}

/// One quad around every edge of the grid that the surface crosses, through the four cells that share the edge.
void place_quads(const Grid& grid, const std::vector<Index>& vertex_of_cell, Surface& surface) {
  for (int k = 1; k + 1 < grid.size[2]; ++k) {
    for (int j = 1; j + 1 < grid.size[1]; ++j) {
      for (int i = 1; i + 1 < grid.size[0]; ++i) {
        const std::size_t corner = grid.index(i, j, k);
        for (int axis = 0; axis < 3; ++axis) {
          const bool low_inside = grid.inside(corner);
          if (low_inside == grid.inside(corner + grid.step(axis))) continue;
          const std::size_t du = grid.step((axis + 1) % 3);
          const std::size_t dv = grid.step((axis + 2) % 3);
          std::array quad{vertex_of_cell[corner - du - dv], vertex_of_cell[corner - dv], vertex_of_cell[corner],
                          vertex_of_cell[corner - du]};
          if (!low_inside) std::swap(quad[1], quad[3]);
          surface.add_face(quad);
        }
      }
    }
  }
}

std::vector<Index> mirror_vertices(const Grid& grid, const std::vector<Index>& vertex_of_cell, std::size_t count) {
  std::vector<Index> mirror(count);
  for (std::size_t c = 0; c < vertex_of_cell.size(); ++c) {
    if (vertex_of_cell[c] == kNone) continue;
    const std::size_t i = c % grid.size[0];
    mirror[vertex_of_cell[c]] = vertex_of_cell[c - i + (grid.size[0] - 2 - i)];
  }
  return mirror;
}

std::size_t count_crossed_cells(const Grid& grid) {
  std::size_t count = 0;
  for (int k = 0; k + 1 < grid.size[2]; ++k) {
    for (int j = 0; j + 1 < grid.size[1]; ++j) {
      for (int i = 0; i + 1 < grid.size[0]; ++i) {
        int inside = 0;
        for (int n = 0; n < 8; ++n)
          inside += grid.inside(grid.index(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))) ? 1 : 0;
        count += inside != 0 && inside != 8 ? 1 : 0;
      }
    }
  }
  return count;
}

/// The count of vertices falls with the square of the spacing: a few corrections find the spacing for a count.
Grid grid_for_count(const ImplicitShape& shape, int vertices, const Context& context) {
  const Box box = bounding_box(shape);
  const bool symmetric = is_symmetric(shape);
  const Vec3 d = box.sizes();
  double spacing = std::sqrt((d.x() * d.y() + d.y() * d.z() + d.z() * d.x()) / vertices);
  Grid best;
  double best_error = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < kTrials && best_error > kCountTolerance; ++trial) {
    context.progress("grid", static_cast<double>(trial) / kTrials);
    Grid grid = layout_grid(box, spacing);
    sample_field(shape, symmetric, grid, context);
    make_well_composed(grid, symmetric);
    const auto count = static_cast<double>(count_crossed_cells(grid));
    const double error = std::abs(count - vertices) / vertices;
    spacing *= std::sqrt(std::max(count, 8.0) / vertices);
    if (error < best_error) {
      best_error = error;
      best = std::move(grid);
    }
  }
  context.progress("grid", 1);
  return best;
}

}  // namespace

QuadMesh polygonize(const ImplicitShape& shape, const PolygonizeOptions& options, const Context& context) {
  check_ranges(options);
  if (shape.blobs.empty()) throw_bad_input("the implicit shape has no blob");
  const Grid grid = grid_for_count(shape, options.vertices, context);
  QuadMesh mesh;
  mesh.cell = grid.spacing;
  std::vector<Index> vertex_of_cell;
  place_vertices(grid, mesh, vertex_of_cell);
  place_quads(grid, vertex_of_cell, mesh.surface);
  if (is_symmetric(shape)) mesh.mirror = mirror_vertices(grid, vertex_of_cell, mesh.surface.vertex_count());
  model::relax(shape, options.relaxation, mesh, context);
  return mesh;
}

}  // namespace isochor
