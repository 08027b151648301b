#include "sample/knight_armour.h"

#include <algorithm>
#include <cmath>

#include "isochor/sample/knight.h"
#include "sample/poser.h"
#include "sample/rig_builder.h"
#include "sample/shells.h"

namespace isochor::model {
namespace {

constexpr double kThickness = 0.012;
constexpr int kAround = 28;

const CrossAxes kUpright{Vec3::UnitZ(), Vec3::UnitX()};   // along +y
const CrossAxes kSideways{Vec3::UnitY(), Vec3::UnitZ()};  // along +x

/// Tubes are given from below, or from the shoulder outwards.
Surface plate_tube(const std::vector<Hoop>& hoops, const CrossAxes& axes) {
  return thicken(tube(hoops, axes, kAround), kThickness);
}

void add_pair(std::vector<Plate>& plates, const Plate& left) {
  plates.push_back(left);
  plates.push_back({mirrored(left.surface), left.material, mirrored_name(left.joint)});
}

/// The vertices around a square grid of n × n cells, counter-clockwise in (i, j).
std::vector<Index> grid_rim(int n) {
  std::vector<Index> rim;
  rim.reserve(4 * static_cast<std::size_t>(n));
  const Index row = n + 1;
  for (int k = 0; k < n; ++k) rim.push_back(k);
  for (int k = 0; k < n; ++k) rim.push_back(k * row + n);
  for (int k = 0; k < n; ++k) rim.push_back(n * row + n - k);
  for (int k = 0; k < n; ++k) rim.push_back((n - k) * row);
  return rim;
}

/// A bowl over the head, open at the face: a dome without a pole, and rows of quads that hang from its rim.
Surface helmet() {
  constexpr int kCells = 8;
  const Vec3 center(0, 1.74, 0.005);
  const Vec3 radii(0.123, 0.118, 0.142);
  Surface bowl = sheet({kCells, kCells}, [&](double i, double j) {
    const Eigen::Vector2d d = square_to_disc(2 * j - 1, 2 * i - 1);
    const double angle = d.norm() * kPi / 2;
    const double across = d.norm() > 0 ? std::sin(angle) / d.norm() : 0.0;
    return Vec3(center + radii.cwiseProduct(Vec3(d.y() * across, std::cos(angle), d.x() * across)));
  });
  std::vector<Index> above = grid_rim(kCells);
  const std::vector<Index> rim = above;
  for (const double y : {1.705, 1.67, 1.635, 1.60, 1.57}) {
    std::vector<Index> below;
    const double flare = 1 + 1.2 * std::max(1.64 - y, 0.0);
    for (const Index v : rim) {
      below.push_back(static_cast<Index>(bowl.positions.size()));
      const Vec3 p = bowl.positions[v] - center;
      bowl.positions.emplace_back(flare * p.x(), y, center.z() + flare * p.z());
    }
    for (std::size_t c = 0; c < rim.size(); ++c) {
      const std::size_t next = (c + 1) % rim.size();
      bowl.add_face({above[c], below[c], below[next], above[next]});
    }
    above = below;
  }
  return thicken(without_faces(bowl, [](const Vec3& p) { return p.y() < 1.74 && p.z() > 0.045; }), kThickness);
}

/// Below the slit for the eyes, drawn out to a blunt point.
Surface visor() {
  return thicken(sheet({16, 6},
                       [](double i, double j) {
                         const double angle = (2 * i - 1) * 80 * kPi / 180;
                         const double forward = std::cos(angle);
                         const double point = 0.055 * forward * forward * forward * std::sin(kPi * (0.12 + 0.76 * j));
                         const double reach = 0.136 + point;
                         return Vec3(reach * std::sin(angle), 1.552 + 0.136 * j, 0.005 + 1.06 * reach * forward);
                       }),
                 kThickness);
}

void add_head_and_trunk(std::vector<Plate>& plates) {
  plates.push_back({helmet(), steel, "Head"});
  plates.push_back({visor(), steel, "Head"});
  plates.push_back({plate_tube({{{0, 1.44, -0.005}, 0.105, 0.125},
                                {{0, 1.475, -0.005}, 0.10, 0.108},
                                {{0, 1.51, 0}, 0.09, 0.092},
                                {{0, 1.55, 0}, 0.092, 0.094}},
                               kUpright),
                    steel, "Neck"});
  plates.push_back({plate_tube({{{0, 1.055, 0}, 0.140, 0.165},
                                {{0, 1.10, 0}, 0.136, 0.158},
                                {{0, 1.16, 0.004}, 0.142, 0.163},
                                {{0, 1.22, 0.008}, 0.154, 0.178},
                                {{0, 1.28, 0.012}, 0.166, 0.197},
                                {{0, 1.34, 0.012}, 0.167, 0.208},
                                {{0, 1.40, 0.006}, 0.150, 0.196},
                                {{0, 1.445, 0}, 0.125, 0.160},
                                {{0, 1.475, -0.004}, 0.105, 0.122}},
                               kUpright),
                    steel});
  plates.push_back(
      {plate_tube({{{0, 1.025, 0}, 0.150, 0.174}, {{0, 1.045, 0}, 0.153, 0.177}, {{0, 1.07, 0}, 0.150, 0.174}},
                  kUpright),
       leather});
  // Three lames that overlap like shingles.
  for (int lame = 0; lame < 3; ++lame) {
    const double top = 1.04 - 0.062 * lame;
    const double wide = 0.012 * lame;
    plates.push_back({plate_tube({{{0, top - 0.085, 0}, 0.172 + wide, 0.200 + wide},
                                  {{0, top - 0.04, 0}, 0.160 + wide, 0.188 + wide},
                                  {{0, top, 0}, 0.148 + wide, 0.175 + wide}},
                                 kUpright),
                      steel});
  }
  plates.push_back({ball({0, 1.045, 0.158}, {0.030, 0.024, 0.012}, 4), gold, "Spine"});
}

void add_arms(std::vector<Plate>& plates) {
  add_pair(
      plates,
      {thicken(dome({.center = {0.195, 1.425, 0}, .axis = {0.45, 0.9, 0}, .radius = 0.132, .degrees = 84, .cells = 8}),
               kThickness),
       steel, "LeftUpperArm"});
  add_pair(
      plates,
      {thicken(dome({.center = {0.185, 1.44, 0}, .axis = {0.25, 0.97, 0}, .radius = 0.137, .degrees = 52, .cells = 8}),
               kThickness),
       gold, "LeftShoulder"});
  add_pair(
      plates,
      {plate_tube({{{0.27, 1.43, 0}, 0.082, 0.082}, {{0.33, 1.43, 0}, 0.080, 0.080}, {{0.40, 1.43, 0}, 0.072, 0.072}},
                  kSideways),
       steel, "LeftUpperArm"});
  add_pair(plates, {plate_tube({{{0.415, 1.43, -0.008}, 0.066, 0.066},
                                {{0.44, 1.43, -0.010}, 0.078, 0.080},
                                {{0.47, 1.43, -0.012}, 0.083, 0.086},
                                {{0.50, 1.43, -0.010}, 0.078, 0.080},
                                {{0.525, 1.43, -0.008}, 0.066, 0.066}},
                               kSideways),
                    gold, "LeftLowerArm"});
  add_pair(plates, {plate_tube({{{0.515, 1.43, -0.006}, 0.070, 0.070},
                                {{0.58, 1.43, -0.003}, 0.069, 0.069},
                                {{0.69, 1.43, 0}, 0.058, 0.058}},
                               kSideways),
                    steel, "LeftLowerArm"});
  add_pair(
      plates,
      {plate_tube({{{0.665, 1.43, 0}, 0.080, 0.080}, {{0.70, 1.43, 0}, 0.066, 0.066}, {{0.75, 1.43, 0}, 0.056, 0.060}},
                  kSideways),
       steel, "LeftHand"});
  add_pair(plates, {ball({0.805, 1.43, 0.002}, {0.085, 0.050, 0.062}, 6), steel, "LeftHand"});
  add_pair(plates, {capped_tube({{{0.77, 1.425, 0.030}, 0.024, 0.024},
                                 {{0.80, 1.42, 0.062}, 0.024, 0.024},
                                 {{0.835, 1.415, 0.080}, 0.014, 0.014}},
                                {Vec3::UnitY(), Vec3(-0.5, 0, 0.86)}, 8),
                    steel, "LeftHand"});
}

/// Soles are flat: what lies below the floor is lifted to it.
Surface flatten_soles(Surface shell) {
  for (Vec3& p : shell.positions) p.y() = std::max(p.y(), 0.004);
  return shell;
}

void add_legs(std::vector<Plate>& plates) {
  add_pair(plates, {plate_tube({{{0.105, 0.56, 0.010}, 0.096, 0.090},
                                {{0.104, 0.64, 0.006}, 0.107, 0.099},
                                {{0.103, 0.74, 0.002}, 0.117, 0.107},
                                {{0.103, 0.82, 0}, 0.120, 0.108}},
                               kUpright),
                    steel, "LeftUpperLeg"});
  add_pair(
      plates,
      {thicken(
           dome({.center = {0.105, 0.505, 0.012}, .axis = {0, 0.05, 1}, .radius = 0.098, .degrees = 84, .cells = 8}),
           kThickness),
       gold, "LeftLowerLeg"});
  add_pair(plates, {plate_tube({{{0.11, 0.105, -0.018}, 0.070, 0.068},
                                {{0.11, 0.16, -0.020}, 0.068, 0.066},
                                {{0.108, 0.25, -0.014}, 0.078, 0.074},
                                {{0.106, 0.35, -0.006}, 0.090, 0.082},
                                {{0.105, 0.45, 0.004}, 0.092, 0.084}},
                               kUpright),
                    steel, "LeftLowerLeg"});
  add_pair(plates, {flatten_soles(ball({0.114, 0.035, 0.045}, {0.068, 0.080, 0.150}, 7)), steel, "LeftFoot"});
}

/// A tuft that falls back over the helmet: a straight tube, bent around the head.
Surface plume_shell() {
  constexpr int kHoops = 14;
  std::vector<Hoop> hoops;
  for (int h = 0; h <= kHoops; ++h) {
    const double t = static_cast<double>(h) / kHoops;
    const double width = 0.008 + 0.040 * std::pow(std::sin(kPi * (0.06 + 0.90 * t)), 0.8);
    hoops.push_back({Vec3(0, t, 0), width, 0.7 * width});
  }
  Surface shell = capped_tube(hoops, kUpright, 12);
  for (Vec3& p : shell.positions) {
    const double angle = (165 * p.y() - 25) * kPi / 180;  // from before the crown to the nape
    const double reach = 0.165 + 0.045 * std::sin(kPi * p.y()) + 0.03 * p.y();
    const Vec3 out(0, std::cos(angle), -std::sin(angle));
    p = Vec3(p.x(), 1.70, 0) + (reach + p.z()) * out;
  }
  return shell;
}

}  // namespace

std::vector<Plate> knight_plates() {
  std::vector<Plate> plates;
  add_head_and_trunk(plates);
  plates.push_back({plume_shell(), plume, "Head"});
  add_arms(plates);
  add_legs(plates);
  return plates;
}

void add_flaws(std::vector<Plate>& plates) {
  // The fin stands on the edge of the helmet whose middle is nearest to the brow.
  Surface& helm = plates.front().surface;
  const Vec3 brow(0, 1.80, 0.13);
  Index a = 0;
  Index b = 0;
  double nearest = 1e9;
  for (std::size_t f = 0; f < helm.face_count(); ++f) {
    const auto face = helm.face(f);
    for (std::size_t c = 0; c < face.size(); ++c) {
      const double d = ((helm.positions[face[c]] + helm.positions[face[(c + 1) % face.size()]]) / 2 - brow).norm();
      if (d < nearest - 1e-9) {
        nearest = d;
        a = face[c];
        b = face[(c + 1) % face.size()];
      }
    }
  }
  const auto tip = static_cast<Index>(helm.positions.size());
  const Vec3 out(0, 0.006, 0.014);
  helm.positions.push_back(helm.positions[b] + out);
  helm.positions.push_back(helm.positions[a] + out);
  helm.add_face({a, b, tip, tip + 1});

  for (int stud = 0; stud < KnightFlaws::kDuplicateFaces; ++stud) {
    const double x = 0.03 * (stud - 1.5);
    Surface quad =
        sheet({1, 1}, [&](double i, double j) { return Vec3(x + 0.012 * (i - 0.5), 1.40 + 0.012 * (j - 0.5), 0.168); });
    quad.add_face({2, 3, 1, 0});
    plates.push_back({quad, gold, "Chest"});
  }
  for (int sliver = 0; sliver < KnightFlaws::kZeroAreaFaces; ++sliver) {
    Surface line;
    for (int p = 0; p < 3; ++p) line.positions.emplace_back(0.015625 * p, 1.0 - 0.03125 * sliver, 0.25);
    line.add_face({0, 1, 2});
    plates.push_back({line, leather, "Hips"});
  }
}

std::vector<Plate> knight_sword() {
  const Vec3 hand(-0.80, 1.425, 0);
  const CrossAxes forward{Vec3::UnitX(), Vec3::UnitY()};  // along +z
  const auto at = [&](double z) { return Vec3(hand + Vec3(0, 0, z)); };
  std::vector<Plate> sword;
  // Four corners make a diamond: sharp along the edges.
  sword.push_back({capped_tube({{at(0.10), 0.006, 0.026},
                                {at(0.35), 0.0055, 0.024},
                                {at(0.60), 0.005, 0.022},
                                {at(0.82), 0.004, 0.018},
                                {at(0.93), 0.001, 0.002}},
                               forward, 4),
                   blade});
  sword.push_back({capped_tube({{hand + Vec3(0, -0.10, 0.10), 0.011, 0.010},
                                {hand + Vec3(0, 0, 0.095), 0.014, 0.014},
                                {hand + Vec3(0, 0.10, 0.10), 0.011, 0.010}},
                               {Vec3::UnitZ(), Vec3::UnitX()}, 8),
                   gold});
  sword.push_back(
      {capped_tube({{at(-0.075), 0.013, 0.015}, {at(0), 0.015, 0.017}, {at(0.095), 0.013, 0.015}}, forward, 10),
       leather});
  sword.push_back({ball(at(-0.095), {0.022, 0.022, 0.022}, 4), gold});
  return sword;
}

}  // namespace isochor::model
