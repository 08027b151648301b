#pragma once

/// A character played with its volume held: skin, effects, correction, one moment after another.
///
///   const WeldedCharacter welded(character);
///   CorrectedPlayback playback(welded, {}, context);
///   for (each clip) {
///     playback.begin(poses_of_the_clip);
///     for (each time) show(playback.play(pose, time, context).corrected.positions);
///   }

#include <optional>
#include <span>
#include <vector>

#include "isochor/volume/corrector.h"
#include "isochor/volume/joint_effects.h"
#include "isochor/volume/settings.h"

namespace isochor {

struct PlaybackOptions {
  Deformer deformer = Deformer::lbs;
  /// How the volume is held; nothing: not at all, every vertex stays where the deformer puts it.
  std::optional<VolumeSettings> volume = VolumeSettings{};
  std::vector<PaintedMap> painted = {};  ///< the maps that the settings name
};

class CorrectedPlayback {
 public:
  /// `welded` must outlive it. Throws Error(bad_input) if settings are out of range or name a painted map that is
  /// not there.
  CorrectedPlayback(const WeldedCharacter& welded, const PlaybackOptions& options, Context& context);

  const WeldedCharacter& welded() const { return welded_; }
  Deformer deformer() const { return deformer_; }
  bool corrects() const { return corrector_.has_value(); }
  /// Where each joint bends the skin; none if nothing is corrected.
  std::span<const VolumeCorrector::Region> regions() const;

  /// Before a clip: what is played forgets the past, and `belly` learns how far its joints will bend.
  void begin(std::span<const Pose> poses);

  struct Frame {
    double time = 0;
    Pose pose;
    PosedSkin posed;           ///< as the deformer puts it; targets scaled as the settings say
    CorrectedFrame corrected;  ///< with the volume held; as posed, without offsets, if nothing is corrected
    double volume_factor = 1;  ///< of the settings, in the targets
    AxesTrack track;           ///< what the moments after it would know of it
  };
  /// The moment `time` (in seconds) of a clip, and its evidence added to report(). Moments after it know of it.
  Frame play(const Pose& pose, double time, Context& context);
  /// The same moment, of which nothing is kept: no evidence, no past for the moments after it.
  Frame look(const Pose& pose, double time, Context& context);
  /// What play() does beyond look().
  void keep(const Frame& frame);

  const VolumeReport& report() const { return report_; }
  /// Settings that name no joint, components passed through, targets not reached, fields widened.
  Problems problems() const;

 private:
  void skin(const Pose& pose, double time, PosedSkin& out, const Context& context) const;
  void correct_together(Frame& frame);
  void correct_in_sequence(Frame& frame, const Context& context);
  void leave(Frame& frame) const;

  const WeldedCharacter& welded_;
  Deformer deformer_;
  VolumeSettings settings_;
  std::optional<VolumeCorrector> corrector_;
  std::optional<JointEffects> effects_;
  AxesTrack track_;
  VolumeReport report_;
  std::vector<Affine> joint_maps_;
  std::vector<JointField> fields_;
};

}  // namespace isochor
