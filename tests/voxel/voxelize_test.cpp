#include "isochor/voxel/voxelize.h"

#include <gtest/gtest.h>

#include <limits>

#include "isochor/sample/knight.h"
#include "isochor/voxel/winding.h"
#include "support/shapes.h"
#include "voxel/solids.h"

namespace isochor {
namespace {

using test::corners_of;
using Kind = VoxelSolid::Kind;

VoxelGrid grid_for(const Surface& s, Index resolution) { return fit_grid(bounding_box(s.positions), resolution); }

Voxelization voxelized(const Surface& s, Index resolution, WindingUse winding = WindingUse::disputed) {
  Context context;
  return voxelize(s, grid_for(s, resolution), {.winding = winding}, context);
}

bool same_voxels(const VoxelSolid& a, const VoxelSolid& b) {
  const auto same = [](const Brick& l, const Brick& r) {
    return l.code == r.code && l.boundary == r.boundary && l.interior == r.interior;
  };
  return a.interior_bricks == b.interior_bricks &&
         std::equal(a.bricks.begin(), a.bricks.end(), b.bricks.begin(), b.bricks.end(), same);
}

void for_each_voxel(Index resolution, const std::function<void(const Voxel&)>& body) {
  const auto r = static_cast<std::uint32_t>(resolution);
  for (std::uint32_t z = 0; z < r; ++z) {
    for (std::uint32_t y = 0; y < r; ++y) {
      for (std::uint32_t x = 0; x < r; ++x) body({x, y, z});
    }
  }
}

Vec3 middle(const VoxelGrid& grid, const Voxel& v) { return grid.to_world(Vec3(v[0] + 0.5, v[1] + 0.5, v[2] + 0.5)); }

/// What every voxelization must hold: bricks in order, interior and boundary apart, no brick that says nothing, the
/// voxel of each vertex in the boundary.
void expect_valid(const Voxelization& v, const Surface& s) {
  const VoxelSolid& solid = v.solid;
  for (std::size_t i = 0; i < solid.bricks.size(); ++i) {
    const Brick& brick = solid.bricks[i];
    if (i > 0) {
      EXPECT_LT(solid.bricks[i - 1].code, brick.code);
    }
    EXPECT_FALSE(std::binary_search(solid.interior_bricks.begin(), solid.interior_bricks.end(), brick.code));
    std::uint64_t any = 0;
    std::uint64_t all = ~any;
    for (std::size_t w = 0; w < 8; ++w) {
      EXPECT_EQ(brick.boundary[w] & brick.interior[w], 0u);
      any |= brick.boundary[w] | brick.interior[w];
      all &= brick.interior[w];
    }
    EXPECT_NE(any, 0u);
    EXPECT_NE(all, ~std::uint64_t{0});
  }
  EXPECT_TRUE(std::is_sorted(solid.interior_bricks.begin(), solid.interior_bricks.end()));
  for (const Vec3& p : s.positions) {
    if (p.allFinite()) {
      EXPECT_EQ(solid.at(solid.grid.at(p)), Kind::boundary) << p.transpose();
    }
  }
}

using IsInside = std::function<bool(const Vec3&)>;

/// Voxels off the boundary on which the solid and another judge differ.
int count_wrong(const VoxelSolid& solid, const IsInside& inside) {
  int wrong = 0;
  for_each_voxel(solid.grid.resolution, [&](const Voxel& v) {
    const Kind kind = solid.at(v);
    if (kind != Kind::boundary && inside(middle(solid.grid, v)) != (kind == Kind::interior)) ++wrong;
  });
  return wrong;
}

/// By the sum over all triangles.
IsInside exactly(const Surface& s) {
  return [triangles = corners_of(s)](const Vec3& p) { return test::winding_number_exact(triangles, p) > 0.5; };
}

/// By the tree, which gives the same answers (winding_test.cpp) in less time.
IsInside by_tree(const Surface& s) {
  return [tree = WindingTree(corners_of(s))](const Vec3& p) { return tree.above(p); };
}

double volume(const VoxelSolid& solid) {
  const double half_boundary = 0.5 * static_cast<double>(solid.boundary_count());
  return (static_cast<double>(solid.interior_count()) + half_boundary) * std::pow(solid.grid.voxel, 3);
}

bool has_problem(const Voxelization& v, const std::string& code) {
  return std::any_of(v.problems.begin(), v.problems.end(), [&](const Problem& p) { return p.code == code; });
}

// ---------------------------------------------------------------------------------------------- analytic shapes

// The volume of ball, torus and box comes nearer to the true one as voxels get smaller; a boundary voxel counts half.
TEST(Voxelize, VolumesConverge) {
  struct Case {
    Surface surface;
    double volume;
  };
  const double pi = std::numbers::pi;
  for (const Case& c : {Case{test::ball(Vec3(1, 2, 3), 1, 256, 128), 4 * pi / 3},
                        Case{test::torus(1, 0.4, 256, 128), 2 * pi * pi * 0.16},
                        Case{test::box(Vec3(0, 0, 0), Vec3(1, 0.7, 0.3)), 0.21}}) {
    for (const Index r : {32, 64, 128}) EXPECT_NEAR(volume(voxelized(c.surface, r).solid) / c.volume, 1, 2.0 / r) << r;
  }
}

// A box on voxel planes: each side touches the voxels on both of its own sides, and all within are interior.
TEST(Voxelize, ABoxOnVoxelPlanesIsExact) {
  Context context;
  const VoxelGrid grid = {.origin = Vec3::Zero(), .voxel = 1, .resolution = 32};
  const Surface s = test::box(Vec3(4, 8, 6), Vec3(20, 24, 17));
  const Voxelization v = voxelize(s, grid, {}, context);
  expect_valid(v, s);
  for_each_voxel(32, [&](const Voxel& at) {
    const Voxel low = {4, 8, 6};
    const Voxel high = {20, 24, 17};
    bool inner = true;
    bool outer = true;
    for (int a = 0; a < 3; ++a) {
      inner = inner && at[a] > low[a] && at[a] + 1 < high[a];
      outer = outer && at[a] + 1 >= low[a] && at[a] <= high[a];
    }
    EXPECT_EQ(v.solid.at(at), inner ? Kind::interior : outer ? Kind::boundary : Kind::exterior);
  });
}

/// Triangle and closed box apart by more than `slack` along one of thirteen axes (Akenine-Möller 2001).
bool separated(const TriangleCorners& t, const Vec3& center, double slack) {
  const std::array<Vec3, 3> p = {t[0] - center, t[1] - center, t[2] - center};
  const std::array<Vec3, 3> edges = {p[1] - p[0], p[2] - p[1], p[0] - p[2]};
  std::vector<Vec3> axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), edges[0].cross(edges[1])};
  for (const Vec3& e : edges) {
    for (int a = 0; a < 3; ++a) axes.push_back(e.cross(Vec3::Unit(a)));
  }
  for (Vec3& axis : axes) {
    if (axis.norm() < 1e-12) continue;
    axis.normalize();
    const double reach = 0.5 * axis.cwiseAbs().sum() + slack;
    const double lo = std::min({p[0].dot(axis), p[1].dot(axis), p[2].dot(axis)});
    const double hi = std::max({p[0].dot(axis), p[1].dot(axis), p[2].dot(axis)});
    if (lo > reach || hi < -reach) return true;
  }
  return false;
}

// A voxel is boundary exactly where the thirteen axes do not separate it from a triangle, up to the lattice's grain:
// for triangles of all sizes and directions, needles, segments and points.
TEST(Voxelize, BoundaryAgreesWithSeparatingAxes) {
  Context context;
  const VoxelGrid grid = {.origin = Vec3::Zero(), .voxel = 1, .resolution = 16};
  test::Numbers numbers(11);
  const auto random_point = [&] {
    return Vec3(1 + 14 * numbers.unit(), 1 + 14 * numbers.unit(), 1 + 14 * numbers.unit());
  };
  for (int n = 0; n < 300; ++n) {
    const double size = n % 3 == 0 ? 1 : n % 3 == 1 ? 0.1 : 0.02;
    const Vec3 a = random_point();
    TriangleCorners t = {a, a + size * (random_point() - a), a + size * (random_point() - a)};
    if (n % 7 == 1) t[2] = 0.5 * (t[0] + t[1]);
    if (n % 7 == 2) t[2] = t[0];
    if (n % 7 == 3) t[1].z() = t[2].z() = t[0].z() = std::round(t[0].z());
    if (n % 7 == 4) t[1] = t[2] = t[0];
    Surface s;
    s.positions = {t[0], t[1], t[2]};
    s.add_face({0, 1, 2});
    const VoxelSolid solid = voxelize(s, grid, {.winding = WindingUse::off}, context).solid;
    for_each_voxel(16, [&](const Voxel& v) {
      const bool boundary = solid.at(v) == Kind::boundary;
      const bool apart = separated(t, middle(grid, v), boundary ? 1e-5 : -1e-5);
      EXPECT_EQ(apart, !boundary) << n << ": " << v[0] << " " << v[1] << " " << v[2];
    });
  }
}

// An open tube is filled between its ends by the votes of the axes across it, and by the winding number.
TEST(Voxelize, AnOpenTubeIsFilled) {
  const Surface s = test::tube(48, 30, 1, 10);
  for (const WindingUse use : {WindingUse::off, WindingUse::single, WindingUse::disputed}) {
    const Voxelization v = voxelized(s, 64, use);
    expect_valid(v, s);
    EXPECT_EQ(v.solid.at(v.solid.grid.at(Vec3(0, 0, 5))), Kind::interior);
    EXPECT_EQ(v.solid.at(v.solid.grid.at(Vec3(0, 0, 0.5))), Kind::interior);
    EXPECT_EQ(v.solid.at(v.solid.grid.at(Vec3(2, 0, 5))), Kind::exterior);
  }
}

// -------------------------------------------------------------------------------------------- votes and winding

// On closed surfaces the votes alone agree with the exact winding number in every voxel off the surface, nobody is in
// doubt and the winding number is never asked.
TEST(Voxelize, VotesAgreeWithWindingOnClosedSurfaces) {
  Surface shells = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  append(shells, test::ball(Vec3(0.9, 0.8, 0.7), 0.8, 12, 7));
  append(shells, test::ball(Vec3(-0.2, 0, 0), 0.4, 8, 5));
  for (const Surface& s : {test::ball(Vec3(1, 2, 3), 1, 12, 9), test::torus(1, 0.35, 16, 8), shells}) {
    for (const WindingUse use : {WindingUse::off, WindingUse::disputed}) {
      const Voxelization v = voxelized(s, 16, use);
      expect_valid(v, s);
      EXPECT_EQ(count_wrong(v.solid, exactly(s)), 0);
      EXPECT_EQ(v.evidence.winding_queries, 0);
      EXPECT_EQ(v.evidence.flipped_triangles, 0);
      EXPECT_TRUE(v.problems.empty());
    }
  }
}

// Columns that run exactly through vertices and along edges see each surface once.
TEST(Voxelize, ColumnsThroughVerticesAndEdges) {
  Context context;
  const VoxelGrid grid = {.origin = Vec3::Zero(), .voxel = 1, .resolution = 16};
  Surface s;  // an octahedron with its vertices, and so many of its edges, on the columns' lines
  s.positions = {Vec3(2.5, 8.5, 8.5),  Vec3(14.5, 8.5, 8.5), Vec3(8.5, 2.5, 8.5),
                 Vec3(8.5, 14.5, 8.5), Vec3(8.5, 8.5, 2.5),  Vec3(8.5, 8.5, 14.5)};
  for (int i = 0; i < 8; ++i) {
    const int a = i & 1;
    const int b = 2 + ((i >> 1) & 1);
    const int c = 4 + ((i >> 2) & 1);
    const bool even = ((a + b + c) & 1) == 0;
    s.add_face({even ? b : a, even ? a : b, c});
  }
  const Voxelization v = voxelize(s, grid, {}, context);
  EXPECT_EQ(count_wrong(v.solid, exactly(s)), 0);
  EXPECT_EQ(v.evidence.doubtful, 0);
  EXPECT_GT(v.solid.interior_count(), 50u);
}

// With two per cent of the faces gone, the voxels are those of the exact winding number but for a few.
TEST(Voxelize, HolesAreClosedByTheWindingNumber) {
  const Surface s = test::select_faces(test::torus(1, 0.4, 48, 24), [](std::size_t f) { return f % 50 != 7; });
  const Voxelization all = voxelized(s, 32, WindingUse::all);
  EXPECT_EQ(count_wrong(all.solid, by_tree(s)), 0);
  const Voxelization v = voxelized(s, 32);
  expect_valid(v, s);
  EXPECT_GT(v.evidence.doubtful, 0);
  EXPECT_LE(count_wrong(v.solid, by_tree(s)), 2);
  EXPECT_LE(count_wrong(voxelized(s, 32, WindingUse::single).solid, by_tree(s)), 20);
}

// A triangle soup of a ball, each triangle moved a little on its own, is still a ball.
TEST(Voxelize, SoupIsStillSolid) {
  const Surface s = test::soup(test::ball(Vec3::Zero(), 1, 24, 12), 0.02);
  const Voxelization v = voxelized(s, 32);
  expect_valid(v, s);
  EXPECT_NEAR(volume(v.solid), 4 * std::numbers::pi / 3, 0.25);
  EXPECT_LE(count_wrong(v.solid, by_tree(s)), 20);
}

// A cape behind a ball is a boundary and nothing more: the gap does not become interior.
TEST(Voxelize, ASheetEnclosesNothing) {
  Surface s = test::ball(Vec3::Zero(), 1, 32, 16);
  Surface cape = test::select_faces(test::tube(32, 8, 1.6, 3), [](std::size_t f) { return f % 32 < 5; });
  for (Vec3& p : cape.positions) p.z() -= 1.5;
  append(s, cape);
  const VoxelSolid solid = voxelized(s, 32).solid;
  const Vec3 gap = 1.3 * Vec3(std::cos(0.5), std::sin(0.5), 0);  // before the cape's middle
  EXPECT_EQ(solid.at(solid.grid.at(gap)), Kind::exterior);
  EXPECT_LE(count_wrong(solid, by_tree(s)), 5);
}

// -------------------------------------------------------------------------------------------------- orientation

// Every second face turned over, one face in ten, all of them: the voxels are those of the clean surface.
TEST(Voxelize, TurnedFacesAreTurnedBack) {
  const Surface clean = test::torus(1, 0.4, 32, 16);
  const VoxelSolid expected = voxelized(clean, 64).solid;
  for (const std::size_t every : {1, 2, 10}) {
    Surface s = clean;
    for (std::size_t f = 0; f < s.face_count(); f += every) test::turn(s, f);
    const Voxelization v = voxelized(s, 64);
    EXPECT_TRUE(same_voxels(v.solid, expected)) << every;
    EXPECT_GT(v.evidence.flipped_triangles, 0);
    EXPECT_EQ(has_problem(v, "faces-turned-over"), every != 1) << every;
    EXPECT_EQ(has_problem(v, "component-inside-out"), every == 1) << every;
  }
}

// An inverted ball, closed or with a hole, is filled all the same.
TEST(Voxelize, InsideOutIsDetected) {
  const Surface ball = test::ball(Vec3::Zero(), 1, 32, 16);
  const Surface holed = test::select_faces(ball, [](std::size_t f) { return f >= 96; });
  for (const Surface& s : {ball, holed}) {
    const Voxelization v = voxelized(test::inside_out(s), 64);
    EXPECT_EQ(v.evidence.flipped_components, 1);
    EXPECT_TRUE(same_voxels(v.solid, voxelized(s, 64).solid));
  }
}

// Nested shells: one that looks outward fills, one that looks inward is a hollow, and a file that is inside out
// altogether gives the same as its clean twin.
TEST(Voxelize, NestedShells) {
  const Surface outer = test::ball(Vec3::Zero(), 1, 48, 24);
  const Surface inner = test::ball(Vec3(0.1, 0, 0), 0.5, 32, 16);
  Surface solid = outer;
  append(solid, inner);
  Surface hollow = outer;
  append(hollow, test::inside_out(inner));
  const Voxelization a = voxelized(solid, 64);
  const Voxelization b = voxelized(hollow, 64);
  EXPECT_EQ(a.solid.at(a.solid.grid.at(Vec3(0.1, 0, 0))), Kind::interior);
  EXPECT_EQ(b.solid.at(b.solid.grid.at(Vec3(0.1, 0, 0))), Kind::exterior);
  EXPECT_EQ(b.solid.at(b.solid.grid.at(Vec3(-0.7, 0, 0))), Kind::interior);
  EXPECT_EQ(b.evidence.cavities, 1);
  EXPECT_TRUE(has_problem(b, "component-cavity"));
  EXPECT_EQ(b.evidence.flipped_components, 0);
  EXPECT_TRUE(same_voxels(voxelized(test::inside_out(solid), 64).solid, a.solid));
  EXPECT_TRUE(same_voxels(voxelized(test::inside_out(hollow), 64).solid, b.solid));
}

// Shells side by side, one of them inside out: only that one is turned.
TEST(Voxelize, OnlyTheInvertedShellIsTurned) {
  Surface s = test::ball(Vec3::Zero(), 1, 32, 16);
  Surface clean = s;
  append(s, test::inside_out(test::ball(Vec3(1.2, 0, 0), 0.6, 24, 12)));
  append(clean, test::ball(Vec3(1.2, 0, 0), 0.6, 24, 12));
  const Voxelization v = voxelized(s, 64);
  EXPECT_EQ(v.evidence.flipped_components, 1);
  EXPECT_TRUE(same_voxels(v.solid, voxelized(clean, 64).solid));
}

// Faces that are there twice or three times, either way round, do not change the voxels.
TEST(Voxelize, DuplicatedFacesMakeNoDifference) {
  const Surface s = test::ball(Vec3::Zero(), 1, 32, 16);
  const VoxelSolid expected = voxelized(s, 64).solid;
  Surface twice = s;
  append(twice, s);
  append(twice, s);
  EXPECT_TRUE(same_voxels(voxelized(twice, 64).solid, expected));
  Surface both = s;
  append(both, test::inside_out(s));
  EXPECT_TRUE(same_voxels(voxelized(both, 64).solid, expected));
}

// ---------------------------------------------------------------------------------------------------- invariance

// The order of vertices and faces, and the corner a triangle starts with, make no difference: on a broken surface too.
TEST(Voxelize, OrderMakesNoDifference) {
  Surface s = test::select_faces(test::torus(1, 0.4, 48, 24), [](std::size_t f) { return f % 9 != 7; });
  append(s, test::inside_out(test::ball(Vec3(0.7, 0.2, 0.1), 0.5, 16, 9)));
  append(s, test::soup(test::ball(Vec3(-0.7, 0.2, 0.1), 0.6, 16, 9), 0.1));
  const Voxelization a = voxelized(s, 64);
  const Voxelization b = voxelized(test::shuffled(s, 1), 64);
  EXPECT_GT(a.evidence.doubtful, 0);
  EXPECT_EQ(a.evidence.doubtful, b.evidence.doubtful);
  EXPECT_TRUE(same_voxels(a.solid, b.solid));
}

// One thread, two, or as many as there are: the same bytes.
TEST(Voxelize, ThreadsMakeNoDifference) {
  const Surface s = test::select_faces(test::torus(1, 0.4, 64, 32), [](std::size_t f) { return f % 9 != 7; });
  Context one(1);
  const Voxelization expected = voxelize(s, grid_for(s, 64), {}, one);
  for (const int threads : {2, 0}) {
    Context context(threads);
    EXPECT_TRUE(same_voxels(voxelize(s, grid_for(s, 64), {}, context).solid, expected.solid));
  }
}

// Moved far away, scaled by 1e-6 and by 1e6: the same voxels.
TEST(Voxelize, MovedAndScaled) {
  const Surface s = test::torus(1, 0.4, 48, 24);
  const VoxelSolid expected = voxelized(s, 64).solid;
  for (const double scale : {1e-6, 1e6, 0.3}) {
    for (const Vec3& shift : {Vec3(0, 0, 0), Vec3(1e6, -1e6, 1e6)}) {
      Surface moved = s;
      for (Vec3& p : moved.positions) p = scale * (p + shift);
      EXPECT_TRUE(same_voxels(voxelized(moved, 64).solid, expected)) << scale << " " << shift.transpose();
    }
  }
}

// A surface symmetric in x gives voxels symmetric in x.
TEST(Voxelize, SymmetricInSymmetricOut) {
  Surface s = test::ball(Vec3(0.3, 0, 0), 0.8, 24, 13);
  Surface mirrored = s;
  for (Vec3& p : mirrored.positions) p.x() = -p.x();
  append(s, test::inside_out(mirrored));
  const VoxelSolid solid = voxelized(s, 32).solid;
  for_each_voxel(32, [&](const Voxel& v) { EXPECT_EQ(solid.at(v), solid.at({31 - v[0], v[1], v[2]})); });
}

// ------------------------------------------------------------------------------------------------ degenerate input

// Nothing, a lone vertex, a single triangle, a flat sheet, a needle: boundary at most, never an error.
TEST(Voxelize, AlmostNothing) {
  EXPECT_EQ(voxelized(Surface{}, 64).solid.boundary_count(), 0u);
  Surface point;
  point.positions = {Vec3(1, 2, 3)};
  Surface triangle;
  triangle.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 1)};
  triangle.add_face({0, 1, 2});
  Surface needle;
  needle.positions = {Vec3(0, 0, 0), Vec3(0.5, 0.5, 0.5), Vec3(1, 1, 1)};
  needle.add_face({0, 1, 2});
  Surface sheet;
  for (int i = 0; i < 81; ++i) sheet.positions.push_back(Vec3(i % 9, i / 9, 0));
  for (int i = 0; i < 64; ++i) {
    const int a = (i / 8) * 9 + i % 8;
    sheet.add_face({a, a + 1, a + 10, a + 9});
  }
  for (const Surface& s : {point, triangle, needle, sheet}) {
    const Voxelization v = voxelized(s, 64);
    expect_valid(v, s);
    EXPECT_GT(v.solid.boundary_count(), 0u);
    EXPECT_EQ(v.solid.interior_count(), 0u);
  }
}

// Faces with a vertex that is not finite are left out and named; the rest is voxelized.
TEST(Voxelize, NotFiniteIsLeftOut) {
  Surface s = test::ball(Vec3::Zero(), 1, 32, 16);
  const VoxelGrid grid = grid_for(s, 64);
  s.positions.push_back(Vec3(std::numeric_limits<double>::quiet_NaN(), 0, 0));
  s.positions.push_back(Vec3(0, std::numeric_limits<double>::infinity(), 0));
  s.add_face({0, 1, static_cast<Index>(s.vertex_count()) - 2});
  s.add_face({0, 1, static_cast<Index>(s.vertex_count()) - 1});
  Context context;
  const Voxelization v = voxelize(s, grid, {}, context);
  expect_valid(v, s);
  ASSERT_TRUE(has_problem(v, "faces-not-finite"));
  EXPECT_EQ(v.problems[0].count, 2);
  EXPECT_GT(v.solid.interior_count(), 1000u);
}

// A grid that does not hold the surface and a resolution that is no power of two are refused with a sentence.
TEST(Voxelize, BadGridsAreRefused) {
  const Surface s = test::cube();
  Context context;
  EXPECT_THROW(voxelize(s, {.origin = Vec3(0.5, 0, 0), .voxel = 0.1, .resolution = 16}, {}, context), Error);
  EXPECT_THROW(voxelize(s, fit_grid(bounding_box(s.positions), 48), {}, context), Error);
  EXPECT_THROW(voxelize(s, fit_grid(bounding_box(s.positions), 2048), {}, context), Error);
  EXPECT_THROW(voxelize(s, {.voxel = 0, .resolution = 16}, {}, context), Error);
}

// A cancelled context stops the work with the error of that kind.
TEST(Voxelize, CanBeCancelled) {
  const Surface s = test::cube();
  Context context;
  context.set_stop([] { return true; });
  EXPECT_THROW(voxelize(s, grid_for(s, 16), {}, context), Error);
}

// -------------------------------------------------------------------------------------------------------- the knight

// The knight, all shells, flaws and his cape: valid, and nearly everywhere what the exact winding number says.
TEST(Voxelize, Knight) {
  const Surface s = assemble(make_knight({.body_vertices = 1000}, Context())).weld.surface;
  const Voxelization v = voxelized(s, 32);
  expect_valid(v, s);
  EXPECT_GT(v.solid.interior_count(), 30u);
  EXPECT_LE(count_wrong(v.solid, by_tree(s)), 10);
}

}  // namespace
}  // namespace isochor
