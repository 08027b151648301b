/// medial_papers [FOLDER]: figures 1, 6 and 7 of Bloomenthal 2002 as numbers, and, with a folder, as pictures in it.
/// Beside them the candy wrapper: the sample cylinder twisted by LBS, DQS and the deformer medial.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>

#include "isochor/base/words.h"
#include "isochor/bind/prepare_medial.h"
#include "isochor/deform/medial_skin.h"
#include "isochor/deform/posed_skin.h"
#include "isochor/medial/convolution.h"
#include "isochor/render/png.h"
#include "isochor/render/render.h"
#include "isochor/render/sheet.h"
#include "isochor/sample/cylinder.h"

namespace {

using namespace isochor;

constexpr double kDegree = std::numbers::pi / 180;

// Figure 1: pinch due to twist between guides.

constexpr int kRings = 81, kAround = 48;

/// Guides along y from 0 to 1, the first and the last of two joints alone, and rings of skin between them.
MedialSkin guided_cylinder(int intermediate) {
  MedialSkin skin;
  const int last = intermediate + 1;
  for (int m = 0; m <= last; ++m) {
    const double t = static_cast<double>(m) / last;
    skin.centres.push_back(Vec3(0, t, 0));
    skin.guides.add_row(m == 0      ? std::vector<Influence>{{0, 1.0}}
                        : m == last ? std::vector<Influence>{{1, 1.0}}
                                    : std::vector<Influence>{{0, 1 - t}, {1, t}});
  }
  for (int r = 0; r < kRings; ++r) {
    const double at = static_cast<double>(last) * r / (kRings - 1);
    const int m = std::min(static_cast<int>(at), last - 1);
    for (int a = 0; a < kAround; ++a) skin.skin.add_row(std::vector<Influence>{{m, 1 - (at - m)}, {m + 1, at - m}});
  }
  return skin;
}

/// The cylinder between the guides, its upper end twisted by 180 degrees.
Surface twisted_between(int intermediate) {
  const MedialSkin skin = guided_cylinder(intermediate);
  std::vector<Mat34> maps(skin.skin.vertex_count());
  const Affine twist(Eigen::AngleAxisd(180 * kDegree, Vec3::UnitY()));
  guide_maps(skin, std::vector<Affine>{Affine::Identity(), twist}, maps, Context(1));
  Surface surface;
  for (int r = 0; r < kRings; ++r) {
    for (int a = 0; a < kAround; ++a) {
      const double turn = 2 * std::numbers::pi * a / kAround;
      const Vec3 p(0.25 * std::cos(turn), static_cast<double>(r) / (kRings - 1), 0.25 * std::sin(turn));
      const Mat34& map = maps[static_cast<std::size_t>(r) * kAround + static_cast<std::size_t>(a)];
      surface.positions.push_back(map.leftCols<3>() * p + map.col(3));
    }
  }
  for (Index r = 0; r + 1 < kRings; ++r) {
    for (Index a = 0; a < kAround; ++a) {
      const Index b = (a + 1) % kAround;
      surface.add_face({r * kAround + b, r * kAround + a, (r + 1) * kAround + a, (r + 1) * kAround + b});
    }
  }
  return surface;
}

double smallest_radius(const std::vector<Vec3>& positions) {
  double least = 1;
  for (const Vec3& p : positions) least = std::min(least, Vec3(p.x(), 0, p.z()).norm() / 0.25);
  return least;
}

void figure_1(const std::filesystem::path& folder) {
  std::printf("Figure 1: the smallest radius of a cylinder twisted by 180 degrees\n");
  std::vector<Tile> tiles;
  Context context(1);
  for (const int intermediate : {0, 1, 3}) {
    const Surface surface = twisted_between(intermediate);
    const double radius = smallest_radius(surface.positions);
    std::printf("  %d intermediate guides: %.3f\n", intermediate, radius);
    if (folder.empty()) continue;
    Scene scene;
    scene.meshes.push_back({.surface = surface, .color = srgb(0xcc6a4a)});
    RenderOptions picture{.width = 220, .height = 320, .samples = 16};
    picture.camera.view = View::front;
    picture.wireframe = true;
    picture.back_faces = BackFaces::same;
    tiles.push_back({render(scene, picture, context).image,
                     count_of(static_cast<std::size_t>(intermediate), "guide") + " between"});
  }
  if (!folder.empty()) write_png(compose(tiles), folder / "medial-figure-1.png");
}

// Figures 6 and 7: a contour about two limbs in a plane, one of which turns.

constexpr int kContour = 52;
constexpr double kLimb = 2, kThick = 0.5;

enum class ContourWeights { nearest, inverse_square, convolution };
constexpr std::array kWeightings{ContourWeights::nearest, ContourWeights::inverse_square, ContourWeights::convolution};
constexpr std::array kWeightingNames{"unweighted", "inverse square", "convolution"};

/// Evenly around the straight pair of limbs, from (-kLimb, 0) to (kLimb, 0).
std::vector<Vec3> contour() {
  const double straight = 2 * kLimb, round = std::numbers::pi * kThick, whole = 2 * (straight + round);
  std::vector<Vec3> points;
  for (int i = 0; i < kContour; ++i) {
    double s = whole * (i + 0.5) / kContour;
    if (s < straight) {
      points.push_back(Vec3(-kLimb + s, kThick, 0));
    } else if ((s -= straight) < round) {
      points.push_back(Vec3(kLimb + kThick * std::sin(s / kThick), kThick * std::cos(s / kThick), 0));
    } else if ((s -= round) < straight) {
      points.push_back(Vec3(kLimb - s, -kThick, 0));
    } else {
      s -= straight;
      points.push_back(Vec3(-kLimb - kThick * std::sin(s / kThick), -kThick * std::cos(s / kThick), 0));
    }
  }
  return points;
}

double distance_to_limb(const Vec3& q, const Vec3& end) {
  const double t = std::clamp(q.dot(end) / end.squaredNorm(), 0.0, 1.0);
  return (q - t * end).norm();
}

/// The weight of the limb that turns, from the origin to (kLimb, 0).
double weight_of_moving(const Vec3& q, ContourWeights how) {
  const Vec3 fixed(-kLimb, 0, 0), moving(kLimb, 0, 0);
  const double df = distance_to_limb(q, fixed), dm = distance_to_limb(q, moving);
  if (how == ContourWeights::nearest) return dm < df ? 1 : 0;
  if (how == ContourWeights::inverse_square) return df * df / (df * df + dm * dm);
  const auto field = [&](const Vec3& end) {
    const auto shares = convolve_segment({Vec3::Zero(), 2 * kThick}, {end, 2 * kThick}, q);
    return shares[0] + shares[1];
  };
  const double f = field(fixed), m = field(moving);
  return m / (f + m);
}

std::vector<Vec3> articulated(double degrees, ContourWeights how) {
  const Eigen::AngleAxisd turn(degrees * kDegree, Vec3::UnitZ());
  std::vector<Vec3> points;
  for (const Vec3& q : contour()) {
    const double w = weight_of_moving(q, how);
    points.push_back((1 - w) * q + w * (turn * q));
  }
  return points;
}

double contour_area(const std::vector<Vec3>& points) {
  double area = 0;
  for (std::size_t i = 0; i < points.size(); ++i) area += 0.5 * points[i].cross(points[(i + 1) % points.size()]).z();
  return std::abs(area);
}

int self_crossings(const std::vector<Vec3>& points) {
  const auto side = [](const Vec3& a, const Vec3& b, const Vec3& p) { return (b - a).cross(p - a).z(); };
  int count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 2; j < points.size(); ++j) {
      const Vec3 &a = points[i], &b = points[(i + 1) % points.size()], &c = points[j],
                 &d = points[(j + 1) % points.size()];
      if ((j + 1) % points.size() == i) continue;
      count += side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0 ? 1 : 0;
    }
  }
  return count;
}

/// How far points of the outer halves of both limbs are from where their own limb would carry them.
double shift(double degrees, const std::vector<Vec3>& points) {
  const Eigen::AngleAxisd turn(degrees * kDegree, Vec3::UnitZ());
  const auto rest = contour();
  double most = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (std::abs(rest[i].x()) < 0.5 * kLimb) continue;
    const Vec3 rigid = rest[i].x() > 0 ? Vec3(turn * rest[i]) : rest[i];
    most = std::max(most, (points[i] - rigid).norm() / kThick);
  }
  return most;
}

double thinnest(double degrees, const std::vector<Vec3>& points) {
  const Vec3 end = Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitZ()) * Vec3(kLimb, 0, 0);
  double least = 1e9;
  for (const Vec3& p : points) {
    least = std::min(least, std::min(distance_to_limb(p, end), distance_to_limb(p, Vec3(-kLimb, 0, 0))) / kThick);
  }
  return least;
}

Scene contour_scene(double degrees, const std::vector<Vec3>& points) {
  Scene scene;
  const Vec3 end = Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitZ()) * Vec3(kLimb, 0, 0);
  for (const Vec3& tip : {Vec3(-kLimb, 0, 0), Vec3(end)}) {
    scene.lines.push_back({.from = Vec3::Zero(), .to = tip, .color = srgb(0xe8a33d), .width = 4});
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    scene.lines.push_back({.from = points[i], .to = points[(i + 1) % points.size()], .width = 2});
    scene.points.push_back({.at = points[i], .radius = 3});
  }
  return scene;
}

void figures_6_and_7(const std::filesystem::path& folder) {
  constexpr double kTurn = 90;
  std::printf("Figures 6 and 7: a contour of %d points about two limbs, one turned by %g degrees\n", kContour, kTurn);
  std::printf("  %-15s %10s %10s %10s %10s\n", "weights", "thinnest", "shift", "area", "crossings");
  const double rest_area = contour_area(contour());
  std::vector<Tile> tiles;
  Context context(1);
  const auto draw = [&](double degrees, const std::vector<Vec3>& points, const char* label) {
    if (folder.empty()) return;
    RenderOptions picture{.width = 300, .height = 260, .samples = 4};
    picture.camera.view = View::front;
    picture.camera.projection = Projection::orthographic;
    picture.view_box = Box(Vec3(-2.7, -0.8, -0.1), Vec3(1.4, 2.7, 0.1));
    tiles.push_back({render(contour_scene(degrees, points), picture, context).image, label});
  };
  for (std::size_t k = 0; k < kWeightings.size(); ++k) {
    const auto points = articulated(kTurn, kWeightings[k]);
    std::printf("  %-15s %10.3f %10.3f %10.3f %10d\n", kWeightingNames[k], thinnest(kTurn, points),
                shift(kTurn, points), contour_area(points) / rest_area, self_crossings(points));
    draw(kTurn, points, kWeightingNames[k]);
  }
  if (!folder.empty()) write_png(compose(tiles), folder / "medial-figures-6-7.png");
}

// The candy wrapper.

void candy_wrapper() {
  const CylinderOptions options;
  const Character cylinder = make_cylinder(options, Context(1));
  const WeldedCharacter welded(cylinder);
  Context context(2);
  BindOptions at_128;
  at_128.gvb.resolution = 128;
  const MedialRig medial = prepare_medial(welded, at_128, context).rig;
  std::printf("The smallest radius of the sample cylinder, twisted, no volume held\n");
  std::printf("  %-8s %8s %8s %8s\n", "degrees", "LBS", "DQS", "medial");
  const auto first = 3 * static_cast<std::size_t>(options.segments);  // after the rounded edge
  const auto count = static_cast<std::size_t>(options.segments) * options.rings;
  for (const double degrees : {90.0, 135.0, 170.0}) {
    Pose pose = rest_pose(cylinder.skeleton);
    pose.local[1].rotation = pose.local[1].rotation * Eigen::AngleAxisd(degrees * kDegree, Vec3::UnitY());
    std::printf("  %-8g", degrees);
    for (const Deforming& how : {Deforming(Deformer::lbs), Deforming(Deformer::dqs), {Deformer::medial, &medial}}) {
      PosedSkin posed;
      pose_skin(welded, pose, how, posed, context);
      const auto begin = posed.positions.begin() + static_cast<std::ptrdiff_t>(first);
      std::printf(" %8.3f", smallest_radius({begin, begin + static_cast<std::ptrdiff_t>(count)}));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "";
  figure_1(folder);
  figures_6_and_7(folder);
  candy_wrapper();
}
