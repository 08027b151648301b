#include "isochor/volume/refinement.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

namespace isochor {
namespace {

using Moments = std::vector<CorrectedPlayback::Moment>;

/// Whether a joint bends, twists or stretches the skin between it and its parent. A twist by five degrees takes less
/// than a thousandth of the radius (1 - cos 2.5°), and so does a shift by a thousandth of the character.
bool bends(const JointAxes& axes, std::span<const Affine> maps, double size) {
  const double least = 2 * std::numbers::sqrt2 * std::sin(2.5 * std::numbers::pi / 180);  // |R - 1| of five degrees
  const Affine change = maps[axes.parent].inverse() * maps[axes.joint];
  if (!change.matrix().allFinite()) return true;
  return (change.linear() - Mat3::Identity()).norm() > least ||
         (change * axes.origin - axes.origin).norm() > 1e-3 * size;
}

void raise_to(std::span<const Index> vertices, std::span<const double> gamma, double scale, std::vector<double>& out) {
  for (std::size_t k = 0; k < vertices.size(); ++k) {
    double& value = out[vertices[k]];
    value = std::max(value, scale * gamma[k]);
  }
}

/// Fixed maps count once if their joint bends at all; those that follow the pose in every pose that bends the joint.
class WeightCollector {
 public:
  WeightCollector(const WeldedCharacter& welded, const RefineFor& use)
      : welded_(welded),
        how_(use.playback.deformer, use.playback.medial.get()),
        space_(welded.rest_space()),
        effects_(JointEffects::prepare({space_, welded.skeleton(), use.playback.painted},
                                       use.playback.volume.value_or(VolumeSettings{}))),
        moved_(effects_.axes().size(), 0),
        maps_(welded.skeleton().size()),
        result_(welded.surface().vertex_count(), 0.0) {}

  void add(const Moments& moments, Context& context) {
    effects_.forget();
    for (const auto& moment : moments) {
      effects_.joint_maps(global_transforms(welded_.skeleton(), moment.pose), maps_);
      effects_.observe(maps_);
    }
    AxesTrack track(effects_.axes());
    for (const auto& moment : moments) {
      context.check_cancelled();
      add(moment.pose, track, context);
    }
  }

  std::vector<double> take() {
    AxesTrack track(effects_.axes());
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      if (!moved_[i] || !effects_.fixed(i)) continue;
      effects_.evaluate(i, {.maps = maps_, .positions = {}}, track, field_);
      raise(i);
    }
    for (std::size_t v = 0; v < result_.size(); ++v) {
      const Index component = welded_.topology().component_of_vertex[v];
      if (component == kNone || !welded_.has_volume(static_cast<std::size_t>(component))) result_[v] = 0;
    }
    return std::move(result_);
  }

 private:
  void add(const Pose& pose, AxesTrack& track, Context& context) {
    effects_.joint_maps(global_transforms(welded_.skeleton(), pose), maps_);
    bool skinned = false;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      if (!bends(effects_.axes()[i], maps_, space_.size)) continue;
      moved_[i] = 1;
      if (effects_.fixed(i)) continue;
      if (!skinned) pose_skin(welded_, pose, how_, posed_, context);
      skinned = true;
      effects_.evaluate(i, {.maps = maps_, .positions = posed_.positions}, track, field_);
      raise(i);
    }
  }

  void raise(std::size_t i) {
    double largest = 0;
    for (const double g : field_.gamma) largest = std::max(largest, g);
    if (!(largest > 0)) return;
    raise_to(field_.vertices, field_.gamma, effects_.plain(i) ? 1 : 1 / largest, result_);
  }

  const WeldedCharacter& welded_;
  Deforming how_;
  RestSpace space_;
  JointEffects effects_;
  std::vector<char> moved_;  // by entry of effects_.axes()
  std::vector<Affine> maps_;
  PosedSkin posed_;
  CorrectionField field_;
  std::vector<double> result_;
};

std::vector<std::vector<Index>> neighbours_of(const WeldedCharacter& welded) {
  std::vector<std::vector<Index>> out(welded.surface().vertex_count());
  for (const Edge& edge : welded.topology().edges) {
    out[edge.a].push_back(edge.b);
    out[edge.b].push_back(edge.a);
  }
  return out;
}

/// How far the correction moves each vertex, in lengths of the rest pose.
std::vector<Vec3> displacements(const WeldedCharacter& welded, const CorrectedPlayback::Frame& frame) {
  const std::size_t n = welded.surface().vertex_count();
  std::vector<Vec3> out(n, Vec3::Zero());
  for (std::size_t v = 0; v < n; ++v) {
    const Index component = welded.topology().component_of_vertex[v];
    if (component == kNone || !welded.has_volume(static_cast<std::size_t>(component))) continue;
    const double scale =
        std::cbrt(std::abs(frame.posed.target_volumes[component] / frame.posed.rest_volumes[component]));
    const Vec3 moved = (frame.corrected.positions[v] - frame.posed.positions[v]) / scale;
    if (moved.allFinite()) out[v] = moved;
  }
  return out;
}

/// What is left of the displacements around a vertex when the linear function that fits them best is taken away, as a
/// change of slope: on a line with spacing h it is h times the second derivative.
double bend_at(std::size_t v, std::span<const Index> neighbours, std::span<const Vec3> rest,
               std::span<const Vec3> moved) {
  constexpr double kAcross = 1e-3;  // neighbours in a plane tell nothing of the slope across it
  Mat3 fit = kAcross * static_cast<double>(neighbours.size()) * Mat3::Identity();
  Mat3 change = Mat3::Zero();
  Vec3 slopes = Vec3::Zero(), along = Vec3::Zero();
  for (const Index n : neighbours) {
    const Vec3 d = rest[n] - rest[v], u = moved[n] - moved[v];
    const double square = d.squaredNorm();
    if (!(square > 0)) continue;
    fit += d * d.transpose() / square;
    change += u * d.transpose() / square;
    slopes += u / std::sqrt(square);
    along += d / std::sqrt(square);
  }
  if (neighbours.empty()) return 0;
  const Vec3 left = slopes - change * fit.inverse() * along;
  return 2 * left.norm() / static_cast<double>(neighbours.size());
}

}  // namespace

std::vector<double> largest_correction_weights(const WeldedCharacter& welded, const RefineFor& use, Context& context) {
  const StageTimer timer(context, "refine");
  WeightCollector collector(welded, use);
  for (const Moments& moments : use.clips) collector.add(moments, context);
  return collector.take();
}

std::vector<double> largest_displacement_bends(const WeldedCharacter& welded, const RefineFor& use, Context& context) {
  const auto neighbours = neighbours_of(welded);
  const auto& rest = welded.surface().positions;
  std::vector<double> largest(rest.size(), 0.0);
  std::mutex mutex;
  CorrectedPlayback playback(welded, use.playback, context);
  for (const Moments& moments : use.clips) {
    std::vector<Pose> poses;
    poses.reserve(moments.size());
    for (const auto& moment : moments) poses.push_back(moment.pose);
    playback.begin(poses);
    const auto note = [&](std::size_t, const CorrectedPlayback::Frame& frame, Context&) {
      const std::vector<Vec3> moved = displacements(welded, frame);
      std::vector<double> bends_now(rest.size());
      for (std::size_t v = 0; v < rest.size(); ++v) bends_now[v] = bend_at(v, neighbours[v], rest, moved);
      // The largest of several is the same in any order.
      const std::lock_guard lock(mutex);
      for (std::size_t v = 0; v < rest.size(); ++v) largest[v] = std::max(largest[v], bends_now[v]);
    };
    playback.play(moments, note, context);
  }
  return largest;
}

RefinedCharacter refine(const WeldedCharacter& welded, const RefineFor& use, const RefineOptions& options,
                        Context& context) {
  check_ranges(options);
  const bool by_weight = use.by == RefineBy::weight;
  const std::vector<double> values =
      by_weight ? largest_correction_weights(welded, use, context) : largest_displacement_bends(welded, use, context);
  const StageTimer timer(context, "refine");
  return refine(welded, {values, by_weight ? 1.0 : 0.5}, options);
}

}  // namespace isochor
