#pragma once

/// A character played with its volume held: skin, effects, correction, one moment after another.
///
///   const WeldedCharacter welded(character);
///   CorrectedPlayback playback(welded, {}, context);
///   for (each clip) {
///     playback.begin(poses_of_the_clip);
///     for (each time) show(playback.play(pose, time, context).corrected.positions);
///   }

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isochor/volume/corrector.h"
#include "isochor/volume/joint_effects.h"
#include "isochor/volume/settings.h"

namespace isochor {

struct PlaybackOptions {
  Deformer deformer = Deformer::lbs;
  std::shared_ptr<const MedialRig> medial =
      nullptr;  ///< of the deformer medial: prepare_medial() of the same character
  /// How the volume is held; nothing: not at all, every vertex stays where the deformer puts it.
  std::optional<VolumeSettings> volume = VolumeSettings{};
  std::vector<PaintedMap> painted = {};  ///< the maps that the settings name
};

class CorrectedPlayback {
 public:
  /// `welded` must outlive it. Throws Error(bad_input) if settings are out of range or name a painted map that is
  /// not there, or if the deformer is medial and its rig is missing or of another character.
  CorrectedPlayback(const WeldedCharacter& welded, const PlaybackOptions& options, Context& context);

  /// Other settings for the same character, as while somebody draws a curve: what does not depend on them is kept. What
  /// was played is forgotten. Throws as the constructor does, and is then as it was.
  void change_settings(const VolumeSettings& settings, std::span<const PaintedMap> painted, Context& context);
  /// After WeldedCharacter::take_weights(): what depends on weights is found anew. What was played is forgotten.
  void take_weights(std::span<const PaintedMap> painted, Context& context);

  const WeldedCharacter& welded() const { return welded_; }
  Deformer deformer() const { return deformer_; }
  const std::shared_ptr<const MedialRig>& medial() const { return medial_; }
  bool corrects() const { return own_.corrector.has_value(); }
  bool keeps_faces() const { return corrects() && settings_.options.faces == FaceTreatment::keep; }
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

  struct Moment {
    double time = 0;
    Pose pose;
  };
  /// Gets each moment once, on any thread and in any order; the context is that thread's own, for times of stages.
  using Show = std::function<void(std::size_t moment, const Frame& frame, Context& context)>;
  /// Moments in the order of time, on several threads; the same frames and the same evidence as from play(), one after
  /// another. One frame for each thread is in memory at a time.
  void play(std::span<const Moment> moments, const Show& show, Context& context);
  /// Moments that do not know of each other, but each of its own past: as look(), on several threads.
  void look(std::span<const Moment> moments, std::span<const AxesTrack> pasts, const Show& show, Context& context);
  /// Adds the evidence of a moment that was looked at.
  void record(const CorrectionEvidence& evidence) { report_.add(evidence); }

  const VolumeReport& report() const { return report_; }
  /// Settings that name no joint, components passed through, targets not reached, fields widened.
  Problems problems() const;

 private:
  /// The memory that one moment at a time is found in.
  struct Worker {
    std::optional<VolumeCorrector> corrector;
    std::vector<Affine> joint_maps;
    std::vector<JointField> fields;
  };

  std::optional<JointEffects> make_effects(const VolumeSettings& settings, std::span<const PaintedMap> painted) const;
  void start(std::optional<JointEffects> effects);
  Worker make_worker() const;
  /// Allocates little if the same `out` comes again.
  void look(const Moment& moment, const AxesTrack& past, Worker& worker, Frame& out, Context& context) const;
  std::vector<AxesTrack> follow(std::span<const Moment> moments);
  void skin(const Pose& pose, double time, PosedSkin& out, const Context& context) const;
  void correct_together(Frame& frame, Worker& worker) const;
  void correct_in_sequence(Frame& frame, Worker& worker, const Context& context) const;
  void leave(Frame& frame) const;

  const WeldedCharacter& welded_;
  Deformer deformer_;
  std::shared_ptr<const MedialRig> medial_;
  VolumeSettings settings_;
  std::optional<JointEffects> effects_;
  AxesTrack track_;
  VolumeReport report_;
  Worker own_;                                   // of moments that are played one by one
  std::vector<std::unique_ptr<Worker>> others_;  // of those that are played together: by thread
};

}  // namespace isochor
