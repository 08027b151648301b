#pragma once

/// Moments of a character as a page shows them: by linear blending, by dual quaternions, with the volume held; and what
/// is painted on the skin.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "document.h"
#include "isochor/volume/corrected_playback.h"
#include "shading.h"

namespace isochor::web {

enum class View { lbs, dqs, held };
inline constexpr std::size_t kViews = 3;

/// What is painted on the skin.
enum class Paint {
  none,
  weight,        ///< of the chosen joint
  joints,        ///< every joint in its colour
  gamma,         ///< where the chosen joint gives volume; where any does if none is chosen
  displacement,  ///< how far the skin was moved, in bounding boxes
};

struct FrameRequest {
  Index clip = kNone;  ///< kNone: the rest pose
  double time = 0;
  std::array<bool, kViews> views = {};
  Paint paint = Paint::none;
  Index joint = kNone;  ///< the chosen one
  bool normals = true;
  bool follows = false;  ///< the moment comes soon after the last one, so that axes are carried along
};

struct ShownView {
  std::vector<float> positions, normals;  ///< 3 #V each, all parts one after another
  double volume = 1;                      ///< relative to what skin and joints would have kept; of all components
  double milliseconds = 0;
  std::string failure;  ///< a sentence if this deformer cannot show the pose
};

class Stage {
 public:
  /// `document` must outlive it.
  explicit Stage(const Document& document);

  /// The document's character has other weights, and perhaps other joints in its skins.
  void reweigh(Context& context);
  /// The same while falloffs are dragged: only weights have changed. The volume is held along the regions of the last
  /// reweigh(), exactly all the same; finding new ones would take longer than a frame lasts.
  void draft_weights();
  /// Throws Error(bad_input) with a sentence, and stays as it was.
  void set_settings(const VolumeSettings& settings, Context& context);
  const VolumeSettings& settings() const { return settings_; }
  /// Throws Error(bad_input) for a joint that does not exist.
  void set_turns(std::vector<JointTurn> turns);
  const std::vector<JointTurn>& turns() const { return turns_; }

  void show(const FrameRequest& request, Context& context);
  const ShownView& view(View which) const { return views_[static_cast<std::size_t>(which)]; }
  /// 16 floats for each joint, by columns.
  const std::vector<float>& joints() const { return joints_; }
  /// One float for each vertex, three (a colour) for Paint::joints; empty for none.
  const std::vector<float>& paint() const { return paint_; }
  double max_displacement() const { return max_displacement_; }

  /// The volumes at one moment, in the order of View; NaN if a deformer cannot show it.
  std::array<double, kViews> volumes(Index clip, double time, Context& context);

  const WeldedCharacter& welded() const { return *welded_; }
  Problems problems() const { return playback_->problems(); }

 private:
  void rebuild(Context& context);
  /// The painted maps that the settings name.
  std::vector<PaintedMap> painted(const VolumeSettings& settings) const;
  std::vector<PaintedMap> painted(const VolumeSettings& settings, const WeldedCharacter& welded) const;
  Pose pose(Index clip, double time) const;
  void prepare_clip(Index clip);
  void fill(const PosedSkin& posed, const Pose& pose, std::span<const Vec3> positions, bool normals, ShownView& out);
  void paint_weight(Index joint);
  void paint_joints();
  void paint_gamma(Index joint, const PosedSkin& posed);
  void paint_displacement(const CorrectedPlayback::Frame& frame);
  void spread(std::span<const double> by_welded);
  double relative_volume(std::span<const Vec3> positions, const PosedSkin& posed) const;

  const Document& document_;
  std::unique_ptr<WeldedCharacter> welded_;
  std::vector<std::vector<Index>> skins_;  // by part: the joints that it was welded with
  std::unique_ptr<CorrectedPlayback> playback_;
  std::optional<JointEffects> effects_;  // for paint_gamma(), made when it is asked for
  std::unique_ptr<Shading> shading_;
  VolumeSettings settings_;
  std::vector<JointTurn> turns_;
  static constexpr Index kNoClip = -2;  // kNone stands for the rest pose
  Index prepared_clip_ = kNoClip;       // which clip the playback knows
  std::array<ShownView, kViews> views_;
  std::vector<float> joints_, paint_;
  double max_displacement_ = 0;
};

/// A colour of its own for every joint, neighbours far apart; linear RGB.
Eigen::Vector3f joint_color(Index joint);

}  // namespace isochor::web
