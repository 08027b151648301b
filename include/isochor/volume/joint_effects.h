#pragma once

/// Effects of all joints of a character, prepared once, evaluated in every pose without allocation.
///
///   const RestSpace space = welded.rest_space();
///   JointEffects effects = JointEffects::prepare({space, welded.skeleton()}, settings);
///   AxesTrack track(effects.axes());
///   std::vector<JointField> fields;                     // reused
///   for (each pose of a clip) {
///     effects.joint_maps(global, maps);
///     effects.evaluate({.maps = maps, .positions = posed.positions}, track, fields);
///     corrector.apply(posed, fields, corrected);
///   }

#include <span>
#include <string>
#include <vector>

#include "isochor/volume/bend_axes.h"
#include "isochor/volume/map_support.h"
#include "isochor/volume/settings.h"

namespace isochor {

/// What effects see of a pose.
struct EffectPose {
  std::span<const Affine> maps;     ///< #J, from joint_maps()
  std::span<const Vec3> positions;  ///< #V
};

class JointEffects {
 public:
  /// Throws Error(bad_input) if settings are out of range, or name a painted map that is not there or has another
  /// number of vertices.
  static JointEffects prepare(const EffectSubject& subject, const VolumeSettings& settings);

  /// The joints between which skin can bend, in the skeleton's order; all indices i below are into these.
  std::span<const JointAxes> axes() const { return axes_; }
  const EffectSettings& settings(std::size_t i) const { return settings_[effect_[i]]; }
  /// kNone if the skeleton's joint has no entry.
  Index find(Index joint) const { return entry_of_joint_[static_cast<std::size_t>(joint)]; }
  /// `blend` along normals: what a corrector does of itself.
  bool plain(std::size_t i) const;
  /// The map does not depend on the pose (its axes and shares may).
  bool fixed(std::size_t i) const { return supports_[i].fixed(); }
  /// Patterns that match no joint, or only joints where no skin bends.
  const Problems& problems() const { return problems_; }

  /// global · inverse bind of each joint. Allocates nothing.
  void joint_maps(std::span<const Affine> global, std::span<Affine> out) const;

  /// Lets `belly` know the poses to come: ΔV_max is that of the largest swing seen. Without it 90 degrees are assumed.
  void observe(std::span<const Affine> maps);
  void forget();

  BendAxes bend_axes(std::size_t i, std::span<const Affine> maps, AxesTrack& track) const;

  /// Leaves the track as evaluate() does, and finds no field.
  void follow(std::span<const Affine> maps, AxesTrack& track) const;

  /// One joint. Where the same `out` comes again, nothing is allocated. The cost follows the vertices within reach.
  void evaluate(std::size_t i, const EffectPose& pose, AxesTrack& track, CorrectionField& out) const;
  /// Every joint that is not plain, in order. Nothing is allocated if the same `out` comes again.
  void evaluate(const EffectPose& pose, AxesTrack& track, std::vector<JointField>& out) const;

 private:
  bool needs_axes(std::size_t i) const;
  void report_idle(const VolumeSettings& settings, const ResolvedEffects& resolved);

  std::vector<JointAxes> axes_;
  std::vector<Affine> inverse_bind_;
  std::vector<Index> entry_of_joint_;     // #J
  std::vector<EffectSettings> settings_;  // each once
  std::vector<Index> effect_;             // by entry: into settings_
  std::vector<MapSupport> supports_;      // by entry
  std::vector<double> largest_;           // by entry: sin² of half the largest swing seen
  std::vector<Index> active_;             // entries that are not plain
  Problems problems_;
};

}  // namespace isochor
