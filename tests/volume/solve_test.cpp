#include "isochor/volume/solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/shapes.h"

namespace isochor {
namespace {

/// A bent tube with capped ends, as a functional; its middle gives volume.
struct BentTube {
  Surface surface = test::tube(24, 31, 1.0, 6.0);
  Topology topology = analyse(surface);
  VolumeFunctional functional{surface, topology.components.at(0)};
  double rest = functional.volume(surface.positions);
  std::vector<Vec3> posed;
  CorrectionField field;

  explicit BentTube(double degrees) : posed(surface.positions) {
    const double angle = degrees * std::numbers::pi / 180;
    for (std::size_t v = 0; v < posed.size(); ++v) {
      const double z = posed[v].z() - 3;
      const double s = std::clamp(0.5 + 0.25 * z, 0.0, 1.0);
      const Vec3 p(posed[v].x(), posed[v].y(), z);
      posed[v] = (1 - s) * p + s * (Eigen::AngleAxisd(angle, Vec3::UnitX()) * p);
      const double gamma = std::exp(-z * z);
      if (gamma < 1e-3) continue;
      field.vertices.push_back(static_cast<Index>(v));
      field.gamma.push_back(gamma);
    }
  }
  double missing() const { return rest - functional.volume(posed); }
};

double farthest_apart(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

// The root is the first one on the way from zero, in whichever direction that lies.
TEST(ContinuingRoot, FirstOnTheWay) {
  // (t-1)(t-2)(t-3) = t³ - 6t² + 11t - 6: from 0 the value 6 is reached at t = 1 first.
  const VolumeCubic cubic{.c1 = 11, .c2 = -6, .c3 = 1};
  const CubicRoot root = continuing_root(cubic, 6);
  EXPECT_TRUE(root.found);
  EXPECT_NEAR(root.t, 1, 1e-14);
  EXPECT_NEAR(continuing_root(cubic, -18).t, -1, 1e-14);
  EXPECT_NEAR(continuing_root({.c1 = 2}, 3).t, 1.5, 1e-15);
}

// A branch that turns back before the target gives its turning point and says so; nothing is ever NaN.
TEST(ContinuingRoot, OutOfReach) {
  const CubicRoot root = continuing_root({.c1 = 1, .c2 = -1}, 1);  // at most 1/4, at t = 1/2
  EXPECT_FALSE(root.found);
  EXPECT_NEAR(root.t, 0.5, 1e-15);
  const double big = std::numeric_limits<double>::max();
  for (const double c1 : {0.0, 1e-300, 1.0, big}) {
    for (const double c2 : {-big, -1.0, 0.0, 1e-300, big}) {
      for (const double c3 : {-1.0, 0.0, 1e-300, big}) {
        for (const double delta : {-1.0, 0.0, 1e-300, big, std::numeric_limits<double>::quiet_NaN()}) {
          EXPECT_FALSE(std::isnan(continuing_root({c1, c2, c3}, delta).t));
        }
      }
    }
  }
}

// exact and three-step hit the volume to the last digits at every angle, along normals and along axes; linear nearly.
TEST(FieldSolver, Exactness) {
  for (const double degrees : {5.0, 45.0, 90.0, 135.0, 170.0}) {
    for (const auto direction : {CorrectionDirection::normal, CorrectionDirection::axes}) {
      for (const auto solver : {VolumeSolver::exact, VolumeSolver::three_step, VolumeSolver::linear}) {
        BentTube tube(degrees);
        tube.field.direction = direction;
        tube.field.shares = Vec3(0.2, 0.5, 0.3);
        const double missing = tube.missing();
        FieldSolver field_solver(tube.posed.size(), {.solver = solver});
        const SolveResult result = field_solver.solve(tube.functional, tube.field, missing, tube.posed);
        const double left = tube.missing();
        if (solver == VolumeSolver::linear) {
          EXPECT_EQ(result.outcome, VolumeOutcome::linear);
          if (degrees <= 90) {
            EXPECT_LT(std::abs(left), 0.5 * std::abs(missing));
          }
          EXPECT_NEAR(result.residual, left, 1e-12);
        } else {
          EXPECT_EQ(result.outcome, VolumeOutcome::exact) << degrees;
          EXPECT_LT(std::abs(left), 1e-12 * tube.rest) << degrees;
        }
      }
    }
  }
}

// exact does not know the order of the axes: permuting axes and shares together changes nothing. three-step does.
TEST(FieldSolver, AxisOrder) {
  const auto solve = [](VolumeSolver solver, std::array<int, 3> order, bool permute_field) {
    BentTube tube(90);
    tube.field.direction = CorrectionDirection::axes;
    const Vec3 shares(0, 0.5, 0.5);
    if (permute_field) {
      for (int a = 0; a < 3; ++a) {
        tube.field.axes.col(a) = Vec3::Unit(order[a]);
        tube.field.shares[a] = shares[order[a]];
      }
    } else {
      tube.field.shares = shares;
    }
    FieldSolver field_solver(tube.posed.size(), {.solver = solver});
    if (!permute_field) field_solver.set_axis_order(order);
    field_solver.solve(tube.functional, tube.field, tube.missing(), tube.posed);
    return tube.posed;
  };
  const auto exact = VolumeSolver::exact, three = VolumeSolver::three_step;
  EXPECT_LT(farthest_apart(solve(exact, {0, 1, 2}, true), solve(exact, {2, 0, 1}, true)), 1e-9);
  EXPECT_GT(farthest_apart(solve(three, {0, 1, 2}, false), solve(three, {0, 2, 1}, false)), 1e-3);
}

// The displacement does not know how the surface was cut into faces, unless the papers' norm is asked for.
TEST(FieldSolver, AreaNorm) {
  Surface surface = test::tube(24, 31, 1.0, 6.0);
  // Rings crowd towards one end: vertices there have small areas.
  for (Vec3& p : surface.positions) p.z() = 6 * std::pow(p.z() / 6, 2);
  const Topology topology = analyse(surface);
  const VolumeFunctional functional(surface, topology.components[0]);
  const auto spread = [&](FieldNorm norm) {
    CorrectionField field;
    for (Index v = 24 * 5; v < 24 * 25; ++v) {
      field.vertices.push_back(v);
      field.gamma.push_back(1);
    }
    std::vector<Vec3> posed = surface.positions;
    FieldSolver(posed.size(), {.norm = norm}).solve(functional, field, 0.5, posed);
    double least = 1e300, largest = 0;
    for (Index v = 24 * 7; v < 24 * 23; ++v) {
      const double moved = (posed[v] - surface.positions[v]).norm();
      least = std::min(least, moved);
      largest = std::max(largest, moved);
    }
    return largest / least;
  };
  EXPECT_LT(spread(FieldNorm::area), 1.01);
  EXPECT_GT(spread(FieldNorm::vertex), 2);
}

// An axis that moves no volume hands its share over; a field without any hold is widened, and says so.
TEST(FieldSolver, Guards) {
  BentTube straight(0);
  straight.field.direction = CorrectionDirection::axes;
  straight.field.shares = Vec3(0, 0, 1);  // along the tube: its wall has no normal there
  FieldSolver solver(straight.posed.size(), {});
  SolveResult result = solver.solve(straight.functional, straight.field, 0.3, straight.posed);
  EXPECT_EQ(result.outcome, VolumeOutcome::widened);
  EXPECT_NEAR(straight.functional.volume(straight.posed), straight.rest + 0.3, 1e-12);

  BentTube shared(0);
  shared.field.direction = CorrectionDirection::axes;
  shared.field.shares = Vec3(0.25, 0.25, 0.5);
  result = solver.solve(shared.functional, shared.field, 0.3, shared.posed);
  EXPECT_EQ(result.outcome, VolumeOutcome::exact);
  EXPECT_NEAR(result.shares[2], 0, 1e-12);
  EXPECT_NEAR(result.shares[0], 0.5, 1e-12);

  BentTube nowhere(0);
  nowhere.field.vertices.clear();
  nowhere.field.gamma.clear();
  result = solver.solve(nowhere.functional, nowhere.field, 0.3, nowhere.posed);
  EXPECT_EQ(result.outcome, VolumeOutcome::widened);

  BentTube flat(0);
  for (Vec3& p : flat.posed) p = Vec3(0, 0, 0);
  result = solver.solve(flat.functional, flat.field, 0.3, flat.posed);
  EXPECT_EQ(result.outcome, VolumeOutcome::no_hold);
  for (const Vec3& p : flat.posed) EXPECT_TRUE(p.allFinite());

  BentTube emptied(0);
  result = solver.solve(emptied.functional, emptied.field, -10 * emptied.rest, emptied.posed);
  EXPECT_TRUE(std::isfinite(result.residual));
  for (const Vec3& p : emptied.posed) EXPECT_TRUE(p.allFinite());
}

}  // namespace
}  // namespace isochor
