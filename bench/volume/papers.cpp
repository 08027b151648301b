/// The numbers of the two papers that one can compute again: table 1 of Rohmer 2008 (volume lost by a bent cylinder of
/// 256 vertices, and what each solver leaves) and figure 11 of Rohmer 2009 (what the order of axes and the order of
/// joints change), printed beside the papers' own; and the radius of a twisted and a bent cylinder beside LBS and DQS.

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "isochor/sample/cylinder.h"
#include "isochor/volume/corrector.h"

namespace {

using namespace isochor;

constexpr double kRadius = 1, kLength = 6;

double distance_to(const Vec3& p, double from, double to) {
  return (p - Vec3(0, std::clamp(p.y(), from, to), 0)).norm();
}

enum class Weights {
  inverse_square,  ///< of the distance to each bone, as in 2008: every bone pulls everywhere
  local,           ///< over half a bone on either side of a joint: near what the heat of 2009 leaves, not that itself
};

/// The cylinder of the papers.
Character paper_cylinder(int bones, CylinderOptions options, Weights kind = Weights::inverse_square) {
  options.bones = bones;
  options.radius = kRadius;
  options.length = kLength;
  options.rounding = 0;
  options.blend = 0.5;
  Character c = make_cylinder(options, Context());
  if (kind == Weights::local) return c;
  SkinWeights weights;
  for (const Vec3& p : c.parts[0].surface.positions) {
    std::vector<Influence> row;
    for (Index b = 0; b < bones; ++b) {
      const double d = distance_to(p, kLength * b / bones, kLength * (b + 1) / bones);
      row.push_back({b, 1 / std::max(d * d, 1e-12)});
    }
    weights.add_row(row);
  }
  normalise(weights);
  c.parts[0].weights = weights;
  return c;
}

struct Bench {
  Character character;
  WeldedCharacter welded;
  VolumeFunctional functional;
  PosedSkin posed;

  explicit Bench(Character c)
      : character(std::move(c)), welded(character), functional(welded.surface(), welded.topology().components[0]) {}

  double rest() const { return welded.rest_volumes()[0]; }
  void pose(const Pose& pose) { pose_skin(welded, pose, Deformer::lbs, posed, Context()); }
};

Quat bend(double degrees) { return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3::UnitX())); }

/// 1 - max w (2008, eq. 8, with exponent 1).
CorrectionField skin_map(const WeldedCharacter& welded) {
  CorrectionField field;
  for (std::size_t v = 0; v < welded.weights().vertex_count(); ++v) {
    double largest = 0;
    for (const Influence& i : welded.weights().row(v)) largest = std::max(largest, i.weight);
    if (largest > 1 - 1e-6) continue;
    field.vertices.push_back(static_cast<Index>(v));
    field.gamma.push_back(1 - largest);
  }
  return field;
}

/// exp(-|p - joint|²/σ²) along the axes of a joint whose parent bone lies along `along`, bent about x.
CorrectionField gaussian(const std::vector<Vec3>& positions, const Vec3& joint, const Vec3& along, const Vec3& shares) {
  CorrectionField field;
  const double sigma = 1.5 * kRadius;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const double gamma = std::exp(-(positions[v] - joint).squaredNorm() / (sigma * sigma));
    if (gamma < 1e-6) continue;
    field.vertices.push_back(static_cast<Index>(v));
    field.gamma.push_back(gamma);
  }
  field.direction = CorrectionDirection::axes;
  field.axes << along, Vec3::UnitX(), Vec3::UnitX().cross(along);
  field.shares = shares;
  return field;
}

double percent(double part, double whole) { return 100 * part / whole; }

void table_1() {
  std::printf("Rohmer 2008, table 1: a cylinder of 256 vertices, one joint; error of the volume in percent\n");
  std::printf("angle  2008: before  linear | ours: before  linear  three-step  exact  linear by area  together\n");
  Bench bench(paper_cylinder(2, {.segments = 16, .rings = 16, .cap = CylinderCap::strip}));
  const CorrectionField map = skin_map(bench.welded);
  VolumeCorrector corrector = VolumeCorrector::prepare(bench.welded, {}, Context());
  CorrectedFrame corrected;
  constexpr std::array<double, 6> kAngles{0, 10, 30, 50, 70, 90}, kBefore{0, 0.2, 1.5, 4, 7, 11},
      kLinear{0, 0.05, 0.5, 1.5, 3.1, 4.9};
  for (std::size_t i = 0; i < kAngles.size(); ++i) {
    Pose pose = rest_pose(bench.character.skeleton);
    pose.local[1].rotation = bend(kAngles[i]);
    bench.pose(pose);
    const double missing = bench.rest() - bench.functional.volume(bench.posed.positions);
    const auto left = [&](const SolveOptions& options) {
      std::vector<Vec3> p = bench.posed.positions;
      FieldSolver(p.size(), options).solve(bench.functional, map, missing, p);
      return percent(std::abs(bench.rest() - bench.functional.volume(p)), bench.rest());
    };
    corrector.apply(bench.posed, {}, corrected);
    std::printf("%4.0f°        %5.2f   %5.2f |        %5.2f   %5.2f     %.1e  %.1e           %5.2f   %.1e\n",
                kAngles[i], kBefore[i], kLinear[i], percent(std::abs(missing), bench.rest()),
                left({.solver = VolumeSolver::linear, .norm = FieldNorm::vertex}),
                left({.solver = VolumeSolver::three_step}), left({}), left({.solver = VolumeSolver::linear}),
                100 * corrected.components[0].error_after());
  }
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

void figure_11a() {
  Bench bench(paper_cylinder(2, {.segments = 48, .rings = 97}));
  Pose pose = rest_pose(bench.character.skeleton);
  pose.local[1].rotation = bend(90);
  bench.pose(pose);
  const double missing = bench.rest() - bench.functional.volume(bench.posed.positions);
  const auto solve = [&](VolumeSolver solver, FieldNorm norm, std::array<int, 3> order) {
    std::vector<Vec3> p = bench.posed.positions;
    const CorrectionField field = gaussian(p, Vec3(0, kLength / 2, 0), Vec3::UnitY(), Vec3(0, 0.5, 0.5));
    FieldSolver field_solver(p.size(), {.solver = solver, .norm = norm});
    field_solver.set_axis_order(order);
    field_solver.solve(bench.functional, field, missing, p);
    return p;
  };
  const auto difference = [&](VolumeSolver solver, FieldNorm norm) {
    return percent(largest_difference(solve(solver, norm, {0, 1, 2}), solve(solver, norm, {0, 2, 1})), kRadius);
  };
  std::printf("\nRohmer 2009, figure 11a: 90° bend, shares (0, 1/2, 1/2), order of axes; percent of the radius\n");
  std::printf("2009: at most 20 | ours: three-step %.1f (by area %.1f), exact %.1e\n",
              difference(VolumeSolver::three_step, FieldNorm::vertex),
              difference(VolumeSolver::three_step, FieldNorm::area), difference(VolumeSolver::exact, FieldNorm::area));
}

/// Three segments, the middle one the root.
Character three_segments(Weights weights) {
  Character character = paper_cylinder(3, {.segments = 48, .rings = 97}, weights);
  auto& joints = character.skeleton.joints;
  // Bone1 and Bone3 hang from Bone2, which comes first; Bone1 turns about its upper end.
  std::swap(joints[0], joints[1]);
  joints[0].parent = kNone;
  joints[0].rest.translation = Vec3(0, kLength / 3, 0);
  joints[1].parent = 0;
  joints[1].rest.translation = Vec3::Zero();
  joints[2].parent = 0;
  joints[2].rest.translation = Vec3(0, kLength / 3, 0);
  character.clips.clear();
  Skin& skin = character.parts[0].skin;
  skin.joints = {1, 0, 2};
  skin.inverse_bind = {Affine(Eigen::Translation3d(0, -kLength / 3, 0)),
                       Affine(Eigen::Translation3d(0, -kLength / 3, 0)),
                       Affine(Eigen::Translation3d(0, -2 * kLength / 3, 0))};
  return character;
}

/// Both ends bent, one after the other, each step corrected across the cylinder.
std::vector<Vec3> bent_in_order(Bench& bench, std::array<Index, 2> order, double degrees, FieldNorm norm) {
  std::vector<Vec3> offsets(bench.welded.surface().vertex_count(), Vec3::Zero());
  Pose pose = rest_pose(bench.character.skeleton);
  std::vector<Vec3> p;
  for (const Index joint : order) {
    pose.local[joint].rotation = bend(joint == 1 ? -degrees : degrees);
    bench.pose(pose);
    p = bench.posed.positions;
    for (std::size_t v = 0; v < p.size(); ++v) p[v] += bench.posed.maps[v].leftCols<3>() * offsets[v];
    const double missing = bench.rest() - bench.functional.volume(p);
    const Vec3 at(0, joint == 1 ? kLength / 3 : 2 * kLength / 3, 0);
    const std::vector<Vec3> before = p;
    FieldSolver(p.size(), {.solver = VolumeSolver::three_step, .norm = norm})
        .solve(bench.functional, gaussian(p, at, Vec3::UnitY(), Vec3(0, 0, 1)), missing, p);
    for (std::size_t v = 0; v < p.size(); ++v) {
      offsets[v] += bench.posed.maps[v].leftCols<3>().inverse() * (p[v] - before[v]);
    }
  }
  return p;
}

/// Neither the angle nor the weights of the figure are given, and both matter more than the order.
void figure_11b() {
  const auto difference = [](Weights weights, double degrees, FieldNorm norm) {
    Bench bench(three_segments(weights));
    return percent(
        largest_difference(bent_in_order(bench, {1, 2}, degrees, norm), bent_in_order(bench, {2, 1}, degrees, norm)),
        kRadius);
  };
  std::printf("\nRohmer 2009, figure 11b: three segments, both ends bent, order of joints; percent of the radius\n");
  std::printf("2009: less than 3 | ours, in sequence (together has no order):\n");
  for (const double degrees : {60.0, 90.0}) {
    std::printf("%3.0f°  local weights %.2f (by area %.2f)  weights of 2008 %.2f (by area %.2f)\n", degrees,
                difference(Weights::local, degrees, FieldNorm::vertex),
                difference(Weights::local, degrees, FieldNorm::area),
                difference(Weights::inverse_square, degrees, FieldNorm::vertex),
                difference(Weights::inverse_square, degrees, FieldNorm::area));
  }
}

/// The least and the largest radius of the cylinder's rings in units of its own: the mean distance from the axis for a
/// twist, that of a disc of the same area for a bend.
struct Radii {
  double least = 1e300, largest = 0;
};
enum class Turn { twist, bend };

Radii ring_radii(const std::vector<Vec3>& positions, const CylinderOptions& options, Turn turn) {
  Radii radii;
  for (int r = 0; r < options.rings; ++r) {
    const Vec3* ring = positions.data() + static_cast<std::size_t>(r) * options.segments;
    double distance = 0;
    Vec3 area = Vec3::Zero();
    for (int s = 0; s < options.segments; ++s) {
      distance += std::hypot(ring[s].x(), ring[s].z()) / options.segments;
      area += 0.5 * (ring[s] - ring[0]).cross(ring[(s + 1) % options.segments] - ring[0]);
    }
    const double radius = turn == Turn::twist ? distance : std::sqrt(area.norm() / std::numbers::pi);
    radii.least = std::min(radii.least, radius / options.radius);
    radii.largest = std::max(radii.largest, radius / options.radius);
  }
  return radii;
}

void radius_profile() {
  const CylinderOptions options{.radius = 0.5, .length = 2, .segments = 48, .rings = 121, .blend = 0.5, .rounding = 0};
  Bench bench(make_cylinder(options, Context()));
  VolumeCorrector corrector = VolumeCorrector::prepare(bench.welded, {}, Context());
  CorrectedFrame corrected;
  std::printf("\nRadius along a cylinder (1 at rest), default settings, joints together\n");
  std::printf("              LBS              DQS              LBS, exact volume\n");
  const auto print = [](const Radii& r) { std::printf("   %.3f to %.3f", r.least, r.largest); };
  for (const auto& [turn, angles] : {std::pair{Turn::twist, std::array<double, 3>{90, 135, 170}},
                                     std::pair{Turn::bend, std::array<double, 3>{45, 90, 120}}}) {
    for (const double degrees : angles) {
      Pose pose = rest_pose(bench.character.skeleton);
      const Vec3 axis = turn == Turn::twist ? Vec3::UnitY() : Vec3::UnitX();
      pose.local[1].rotation = Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
      std::printf("%s %3.0f°", turn == Turn::twist ? "twist" : "bend ", degrees);
      pose_skin(bench.welded, pose, Deformer::dqs, bench.posed, Context());
      const Radii dqs = ring_radii(bench.posed.positions, options, turn);
      bench.pose(pose);
      corrector.apply(bench.posed, {}, corrected);
      print(ring_radii(bench.posed.positions, options, turn));
      print(dqs);
      print(ring_radii(corrected.positions, options, turn));
      std::printf("\n");
    }
  }
}

}  // namespace

int main() {
  table_1();
  figure_11a();
  figure_11b();
  radius_profile();
  return 0;
}
