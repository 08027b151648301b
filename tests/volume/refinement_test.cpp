#include "isochor/volume/refinement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "isochor/base/math.h"
#include "isochor/sample/sample.h"

namespace isochor {
namespace {

using Moments = std::vector<CorrectedPlayback::Moment>;

Moments moments_of(const Character& character, const std::string& name, int count) {
  const Clip& clip = *character.find_clip(name);
  Moments moments;
  for (const double time : even_times(clip, count)) {
    moments.push_back({time, sample(clip, character.skeleton, time)});
  }
  return moments;
}

PlaybackOptions with_effect(const EffectSettings& effect) {
  PlaybackOptions options;
  options.volume->otherwise = effect;
  return options;
}

/// The skin in the last moment of a clip.
std::vector<Vec3> played(const Character& character, const std::string& clip, const PlaybackOptions& options) {
  Context context(1);
  const WeldedCharacter welded(character);
  CorrectedPlayback playback(welded, options, context);
  const Moments moments = moments_of(character, clip, 5);
  std::vector<Pose> poses;
  for (const auto& moment : moments) poses.push_back(moment.pose);
  playback.begin(poses);
  std::vector<Vec3> last;
  for (const auto& moment : moments) last = playback.play(moment.pose, moment.time, context).corrected.positions;
  EXPECT_LE(playback.report().max_error_after(), 1e-9);
  return last;
}

/// The skin at one moment of a clip.
std::vector<Vec3> at_moment(const Character& character, const std::string& clip, double time) {
  Context context(1);
  const WeldedCharacter welded(character);
  CorrectedPlayback playback(welded, {}, context);
  return playback.play(sample(*character.find_clip(clip), character.skeleton, time), time, context).corrected.positions;
}

// Weights are those of the joints that bend: 4 s (1 - s) around each, nothing where the skin is rigid.
TEST(Refinement, FollowsTheJointsThatBend) {
  Context context(1);
  const Character character = make_sample("cylinder3", {.cylinder = {.rings = 61}});
  const WeldedCharacter welded(character);
  Pose pose = rest_pose(character.skeleton);
  EXPECT_EQ(largest_correction_weights(welded, {.clips = {{{0, pose}}}}, context),
            std::vector<double>(welded.surface().vertex_count(), 0.0));
  // Three degrees take nothing worth mentioning.
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(3 * std::numbers::pi / 180, Vec3::UnitX()));
  EXPECT_EQ(largest_correction_weights(welded, {.clips = {{{0, pose}}}}, context),
            std::vector<double>(welded.surface().vertex_count(), 0.0));
  pose.local[1].rotation = Quat(Eigen::AngleAxisd(1, Vec3::UnitX()));
  const auto values = largest_correction_weights(welded, {.clips = {{{0, pose}}}}, context);
  const double joint = 2.0 / 3, half = 0.25 * 2 / 3;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const double s = smooth_step(joint - half, joint + half, welded.surface().positions[v].y());
    EXPECT_NEAR(values[v], 4 * s * (1 - s), 1e-6);
  }
}

// Other effects count by their own map, relative to its largest value.
TEST(Refinement, FollowsEffects) {
  Context context(1);
  const Character character = make_sample("cylinder");
  const WeldedCharacter welded(character);
  // Up to 60 degrees: beyond, the other half of the limb comes within reach of the bulge.
  Moments moments = moments_of(character, "bend", 5);
  moments.resize(3);
  const RefineFor use{.playback = with_effect(default_effect(Effect::muscle)), .clips = {moments}};
  const auto values = largest_correction_weights(welded, use, context);
  EXPECT_NEAR(*std::max_element(values.begin(), values.end()), 1, 1e-12);
  // A muscle lies on the inside of the bend of the parent bone.
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v] > 0.5) {
      EXPECT_LT(welded.surface().positions[v].y(), 1);
    }
  }
}

// Bends of the displacement are nil where nothing moves, and halve when the mesh is twice as fine.
TEST(Refinement, MeasuresBends) {
  Context context(1);
  double last = 0;
  for (const int rings : {33, 65, 129}) {
    const Character character = make_sample("cylinder", {.cylinder = {.segments = rings - 1, .rings = rings}});
    const WeldedCharacter welded(character);
    Moments moments = moments_of(character, "twist", 5);
    moments.resize(2);  // up to 45 degrees
    const RefineFor use{.clips = {moments}};
    const auto values = largest_displacement_bends(welded, use, context);
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (std::abs(welded.surface().positions[v].y() - 1) > 0.5) {
        EXPECT_EQ(values[v], 0);
      }
    }
    const double largest = *std::max_element(values.begin(), values.end());
    if (rings > 33) {
      EXPECT_LT(largest, 0.75 * last);
      EXPECT_GT(largest, 0.25 * last);
    }
    last = largest;
  }
}

// Faces are split around the joint, by weight as well as by bends; the volume of the refined skin is exact in motion,
// for both deformers, and nothing cracks: the welded skin is closed and has no stray vertex.
TEST(Refinement, HoldsTheVolume) {
  Context context(1);
  const Character character = make_sample("cylinder", {.cylinder = {.segments = 16, .rings = 17}});
  const WeldedCharacter welded(character);
  for (const RefineBy by : {RefineBy::weight, RefineBy::curvature}) {
    const RefineFor use{.clips = {moments_of(character, "bend", 4), moments_of(character, "twist", 4)}, .by = by};
    const double threshold = by == RefineBy::weight ? 0.3 : 0.05;
    const RefinedCharacter refined = refine(welded, use, {.threshold = threshold, .levels = 2}, context);
    ASSERT_GT(refined.split_faces, 30u);
    ASSERT_LT(refined.split_faces, character.parts[0].surface.face_count());
    const WeldedCharacter again(refined.character);
    ASSERT_EQ(again.topology().components.size(), 1u);
    EXPECT_TRUE(again.topology().components[0].closed && again.topology().components[0].manifold);
    EXPECT_TRUE(again.strays().empty());
    for (const Deformer deformer : {Deformer::lbs, Deformer::dqs}) {
      for (const char* clip : {"bend", "twist"}) played(refined.character, clip, {.deformer = deformer});
    }
  }
}

/// A polyline of the skin in the plane of the bend, on the outside, by height at rest.
std::vector<Vec3> profile(const Character& character, std::span<const Vec3> positions, double side) {
  const WeldedCharacter welded(character);
  std::vector<std::pair<double, Vec3>> points;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3& p = welded.surface().positions[v];
    if (std::abs(p.x()) < 1e-9 && side * p.z() > 0.24) points.emplace_back(p.y(), positions[v]);
  }
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Vec3> out;
  for (const auto& [height, position] : points) out.push_back(position);
  return out;
}

double distance_to_polyline(const Vec3& p, const std::vector<Vec3>& line) {
  double least = 1e9;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    least = std::min(least, distance_to_segment(p, line[i], line[i + 1]));
  }
  return least;
}

// At levels 1, 2, 3 the profile of the folds approaches a limit: each level changes it by less than half of what the
// one before did.
TEST(Refinement, ProfileOfFoldsConverges) {
  Context context(1);
  const Character character = make_sample("cylinder", {.cylinder = {.segments = 16, .rings = 25, .rounding = 0}});
  const WeldedCharacter welded(character);
  EffectSettings folds = default_effect(Effect::folds);
  folds.frequency = 3;
  const PlaybackOptions options = with_effect(folds);
  const RefineFor use{.playback = options, .clips = {moments_of(character, "bend", 5)}};
  std::vector<std::vector<Vec3>> lines;
  for (int level = 0; level <= 4; ++level) {
    RefinedCharacter refined;
    refined.character = character;
    if (level > 0) refined = refine(welded, use, {.threshold = 0.02, .levels = level}, context);
    lines.push_back(profile(refined.character, played(refined.character, "bend", options), 1));
    EXPECT_GT(lines.back().size(), level > 0 ? 1.3 * static_cast<double>(lines[level - 1].size()) : 20);
  }
  std::vector<double> changes;
  for (std::size_t level = 1; level < lines.size(); ++level) {
    double change = 0;
    for (const Vec3& p : lines[level]) change = std::max(change, distance_to_polyline(p, lines[level - 1]));
    changes.push_back(change);
    RecordProperty("change" + std::to_string(level), std::to_string(change));
  }
  for (std::size_t i = 1; i < changes.size(); ++i) EXPECT_LT(changes[i], 0.5 * changes[i - 1]) << i;
}

/// A cylinder whose rings lie closer between two heights, with the weights of the even one.
Character banded(const Character& even, double low, double high, double density) {
  Character out = even;
  Surface& surface = out.parts[0].surface;
  const double length = 2;
  const double band = (high - low) * density, total = length + band - (high - low);
  SkinWeights rows;
  for (Vec3& p : surface.positions) {
    const double u = p.y() / length * total;
    p.y() = u < low ? u : u < low + band ? low + (u - low) / density : u - low - band + high;
    const double s = smooth_step(0.75, 1.25, p.y());
    std::vector<Influence> row;
    if (s < 1) row.push_back({0, 1 - s});
    if (s > 0) row.push_back({1, s});
    rows.add_row(row);
  }
  sort_by_weight(rows);
  out.parts[0].weights = rows;
  return out;
}

/// Where the skin of `fine` is that was at angle and height of a place at rest: between the rings of a dense cylinder.
Vec3 skin_at(const Character& fine, std::span<const Vec3> positions, const Vec3& rest) {
  const auto& at = fine.parts[0].surface.positions;
  double below = -1e9, above = 1e9;
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  for (std::size_t v = 0; v < at.size(); ++v) {
    if (std::hypot(at[v].x() - rest.x(), at[v].z() - rest.z()) > 1e-6) continue;
    const double d = at[v].y() - rest.y();
    if (d <= 1e-12 && d > below) {
      below = d;
      low = positions[v];
    }
    if (d >= -1e-12 && d < above) {
      above = d;
      high = positions[v];
    }
  }
  return above - below < 1e-9 ? low : Vec3(low + -below / (above - below) * (high - low));
}

/// How far a skin with a dense band is from the even one at most, at some moment, in radii.
double off_even(const Character& even, const Character& dense, const Character& played_one, const std::string& clip,
                double share) {
  constexpr double kRadius = 0.25;
  const double time = share * even.find_clip(clip)->end();
  const auto expected = at_moment(even, clip, time), positions = at_moment(played_one, clip, time);
  double worst = 0;
  // The vertices of the dense one come first in the refined one.
  for (std::size_t v = 0; v < dense.parts[0].surface.vertex_count(); ++v) {
    const Vec3& rest = dense.parts[0].surface.positions[v];
    if (std::abs(std::hypot(rest.x(), rest.z()) - kRadius) > 1e-6) continue;
    worst = std::max(worst, (positions[v] - skin_at(even, expected, rest)).norm());
  }
  return worst / kRadius;
}

// A cylinder with a dense band of rings, refined or not, bulges as the evenly meshed one does, within 2 % of its
// radius, up to a bend of 120 degrees and a twist of 135. The worst place for a band to end is the very middle of the
// bulge: there it is so up to half of these (docs/design/volume.md has the figures beyond).
TEST(Refinement, DenseBandBulgesAsTheEvenOne) {
  Context context(1);
  const auto cylinder = [](int rings) {
    return make_sample("cylinder", {.cylinder = {.segments = 24, .rings = rings, .rounding = 0}});
  };
  struct Band {
    double low, high;
    double most;  // of the clips
  };
  const Character even = cylinder(161);
  for (const Band& band : {Band{0.9, 1.1, 1}, Band{1.05, 1.3, 1}, Band{0.7, 1.0, 0.5}}) {
    const Character dense = banded(cylinder(65), band.low, band.high, 4);
    const WeldedCharacter welded(dense);
    for (const auto& [clip, end] : {std::pair<std::string, double>("bend", 1), {"twist", 0.75}}) {
      const RefineFor use{.clips = {moments_of(dense, clip, 5)}};
      const Character refined = refine(welded, use, {.threshold = 0.2}, context).character;
      const double share = band.most * end;
      EXPECT_LT(off_even(even, dense, dense, clip, share), 0.02) << clip << ", band from " << band.low;
      EXPECT_LT(off_even(even, dense, refined, clip, share), 0.02) << clip << ", refined band from " << band.low;
    }
  }
}

// The elephant, sitting: refined around its belly, closed, exact.
TEST(Refinement, Elephant) {
  Context context(1);
  const Character character = make_sample("elephant");
  const WeldedCharacter welded(character);
  const RefineFor use{.clips = {moments_of(character, "sit", 4)}};
  const RefinedCharacter refined = refine(welded, use, {.threshold = 0.6}, context);
  EXPECT_GT(refined.character.vertex_count(), character.vertex_count() * 12 / 10);
  const WeldedCharacter again(refined.character);
  EXPECT_TRUE(again.topology().components[0].closed && again.topology().components[0].manifold);
  played(refined.character, "sit", {});
  EXPECT_LT(refined.max_distance, 0.005 * bounding_box(welded.surface().positions).diagonal().norm());
}

// The same for any number of threads.
TEST(Refinement, DoesNotDependOnThreads) {
  const Character character = make_sample("cylinder", {.cylinder = {.segments = 16, .rings = 17}});
  const WeldedCharacter welded(character);
  RefineFor use{.clips = {moments_of(character, "bend", 6)}, .by = RefineBy::curvature};
  Context one(1), two(2);
  const RefinedCharacter a = refine(welded, use, {.threshold = 0.05, .levels = 2}, one);
  const RefinedCharacter b = refine(welded, use, {.threshold = 0.05, .levels = 2}, two);
  EXPECT_EQ(a.character.parts[0].surface.positions, b.character.parts[0].surface.positions);
  EXPECT_EQ(a.character.parts[0].surface.corners, b.character.parts[0].surface.corners);
}

}  // namespace
}  // namespace isochor
