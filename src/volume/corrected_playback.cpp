#include "isochor/volume/corrected_playback.h"

#include "isochor/mesh/volume.h"

namespace isochor {

CorrectedPlayback::CorrectedPlayback(const WeldedCharacter& welded, const PlaybackOptions& options, Context& context)
    : welded_(welded),
      deformer_(options.deformer),
      settings_(options.volume.value_or(VolumeSettings{})),
      report_(welded) {
  if (!options.volume) return;
  const StageTimer timer(context, "prepare");
  context.progress("prepare", 0);
  check(settings_);
  corrector_.emplace(VolumeCorrector::prepare(welded, settings_.options, context));
  report_ = VolumeReport(*corrector_);
  if (settings_.effects.empty() && settings_.otherwise == EffectSettings{}) return;
  const RestSpace space = welded.rest_space();
  effects_.emplace(JointEffects::prepare({space, welded.skeleton(), options.painted}, settings_));
  joint_maps_.resize(welded.skeleton().size());
  track_.reset(effects_->axes());
}

std::span<const VolumeCorrector::Region> CorrectedPlayback::regions() const {
  return corrector_ ? corrector_->regions() : std::span<const VolumeCorrector::Region>{};
}

void CorrectedPlayback::begin(std::span<const Pose> poses) {
  if (!effects_) return;
  track_.reset(effects_->axes());
  effects_->forget();
  for (const Pose& pose : poses) {
    effects_->joint_maps(global_transforms(welded_.skeleton(), pose), joint_maps_);
    effects_->observe(joint_maps_);
  }
}

CorrectedPlayback::Frame CorrectedPlayback::play(const Pose& pose, double time, Context& context) {
  Frame frame = look(pose, time, context);
  keep(frame);
  return frame;
}

CorrectedPlayback::Frame CorrectedPlayback::look(const Pose& pose, double time, Context& context) {
  Frame frame;
  frame.time = time;
  frame.pose = pose;
  frame.track = track_;
  frame.volume_factor = settings_.volume(time);
  {
    const StageTimer timer(context, "skin");
    skin(pose, time, frame.posed, context);
  }
  const StageTimer timer(context, "correct");
  if (!corrector_) {
    leave(frame);
  } else if (settings_.options.treatment == JointTreatment::together) {
    correct_together(frame);
  } else {
    correct_in_sequence(frame, context);
  }
  return frame;
}

void CorrectedPlayback::keep(const Frame& frame) {
  track_ = frame.track;
  report_.add(frame.corrected);
}

Problems CorrectedPlayback::problems() const {
  if (!corrector_) return {};
  Problems problems = effects_ ? effects_->problems() : Problems{};
  for (Problem& problem : report_.problems()) problems.push_back(std::move(problem));
  return problems;
}

void CorrectedPlayback::skin(const Pose& pose, double time, PosedSkin& out, const Context& context) const {
  pose_skin(welded_, pose, deformer_, out, context);
  const double scale = settings_.volume(time);
  for (double& target : out.target_volumes) target *= scale;
}

void CorrectedPlayback::correct_together(Frame& frame) {
  fields_.clear();
  if (effects_) {
    effects_->joint_maps(frame.posed.global, joint_maps_);
    effects_->evaluate({.maps = joint_maps_, .positions = frame.posed.positions}, frame.track, fields_);
  }
  corrector_->apply(frame.posed, fields_, frame.corrected);
}

void CorrectedPlayback::correct_in_sequence(Frame& frame, const Context& context) {
  const auto at = [&](const Pose& partial, PosedSkin& out) { skin(partial, frame.time, out, context); };
  const auto fields = [&](Index joint, const Pose&, const PosedSkin& posed, std::vector<JointField>& out) {
    out.clear();
    const Index i = effects_ ? effects_->find(joint) : kNone;
    if (i == kNone || effects_->plain(static_cast<std::size_t>(i))) return;
    effects_->joint_maps(posed.global, joint_maps_);
    out.resize(1);
    out[0].joint = joint;
    effects_->evaluate(static_cast<std::size_t>(i), {.maps = joint_maps_, .positions = posed.positions}, frame.track,
                       out[0].field);
  };
  corrector_->apply_in_sequence(frame.pose, frame.posed, {.skin = at, .fields = fields}, frame.corrected);
}

void CorrectedPlayback::leave(Frame& frame) const {
  CorrectedFrame& out = frame.corrected;
  out.positions = frame.posed.positions;
  out.offsets.assign(out.positions.size(), Vec3::Zero());
  for (std::size_t c = 0; c < welded_.topology().components.size(); ++c) {
    ComponentVolume& volume = out.components.emplace_back();
    volume.has_volume = welded_.has_volume(c);
    if (!volume.has_volume) continue;
    volume.target = frame.posed.target_volumes[c];
    volume.before = signed_volume(welded_.surface(), welded_.topology().components[c], out.positions);
    volume.after = volume.before;
    volume.residual = volume.target - volume.after;
  }
}

}  // namespace isochor
