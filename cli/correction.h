#pragma once

/// A character played with its volume held: skin, effects, correction, one frame after another.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isochor/deform/playback.h"
#include "isochor/deform/welded_skin.h"
#include "isochor/io/gltf_read.h"
#include "isochor/volume/corrector.h"
#include "isochor/volume/joint_effects.h"
#include "session.h"

namespace CLI {
class App;
}

namespace isochor {

enum class VolumeMode { off, exact, three_step, linear };
template <>
struct EnumNames<VolumeMode> {
  static constexpr std::array names{"off", "exact", "three-step", "linear"};
};

namespace cli {

struct CorrectionOptions {
  /// Said on the command line; otherwise the settings', otherwise the default.
  std::optional<VolumeMode> mode;
  std::optional<JointTreatment> joints;
  std::filesystem::path effects;
  CorrectorOptions corrector;
};
/// --volume, --joints, --effects and what belongs to them.
void add_correction_options(CLI::App& command, CorrectionOptions& options);

/// What is to be done, after the command line, the file of --effects and the character's own extras were read.
struct CorrectionPlan {
  bool on = true;
  VolumeSettings settings;
  CorrectorOptions corrector;
  const GltfSource* source = nullptr;  ///< where painted maps are read from; null: there are none
};
/// `source` is the input's own glTF, or null.
CorrectionPlan plan_correction(const CorrectionOptions& options, const GltfSource* source);
/// The plan as the report's options have it.
void report_plan(Json& options, const CorrectionPlan& plan);

/// Frames with their volume held; or as the deformer gives them, where correction is off or nothing has a volume.
class CorrectedPlayback {
 public:
  /// Keeps a reference to `playback`. Effects that the settings name and the skeleton lacks are warnings of the
  /// session.
  CorrectedPlayback(const Playback& playback, Deformer deformer, const CorrectionPlan& plan, Session& session);

  bool on() const { return corrector_.has_value(); }

  /// Before a clip: frames forget the past, and `belly` learns how far its joints will bend.
  void begin(std::span<const Pose> poses);

  struct Frame {
    std::vector<PosedPart> parts;            ///< by part, in the file's vertices; normals are the deformer's
    std::vector<double> volumes;             ///< by component, signed
    std::vector<double> target_volumes;      ///< by component
    std::vector<std::vector<Vec3>> offsets;  ///< by part, in the rest pose; lbs alone, empty otherwise
  };
  /// `time` in seconds, for volumes that change in time.
  Frame play(const Pose& pose, double time);
  /// The same frame, of which nothing is kept: no evidence, no time, no past for the frames after it.
  Frame look(const Pose& pose, double time);

  /// The report's field `volume`, and the lines for a person.
  Json report() const;
  /// Components passed through, targets not reached, fields widened.
  Problems problems() const { return evidence_ ? evidence_->problems() : Problems{}; }
  void print() const;
  /// The largest relative error of a component's volume that was left.
  double worst_error() const { return worst_error_; }
  std::size_t frames() const { return frames_; }

 private:
  Frame skin(const Pose& pose, double time) const;
  void correct(const Pose& pose, double time);
  void copy_back(const Pose& pose, Frame& frame) const;
  void solve_own_rows(const Pose& pose, std::size_t part, Frame& frame) const;

  const Playback& playback_;
  Deformer deformer_;
  Session& session_;
  VolumeSettings settings_;
  std::optional<WeldedSkin> skin_;
  std::optional<VolumeCorrector> corrector_;
  std::optional<JointEffects> effects_;
  FrameTrack track_;
  std::optional<VolumeReport> evidence_;
  PosedSkin posed_;
  CorrectedFrame corrected_;
  std::vector<Affine> joint_maps_;
  std::vector<JointField> fields_;
  std::vector<char> own_row_;  // by file vertex: other weights than the welded vertex has
  double worst_error_ = 0;
  std::size_t frames_ = 0;
  std::vector<double> max_before_, max_after_;  // by component
};

}  // namespace cli
}  // namespace isochor
