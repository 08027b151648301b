#include "isochor/volume/corrected_playback.h"

#include <atomic>
#include <chrono>

#include "isochor/base/parallel.h"
#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

/// Time that passed while several threads worked, given to stages in proportion to what the threads spent in each.
void share_out(double seconds, std::span<const Context> threads, Context& context) {
  double spent = 0;
  for (const Context& thread : threads) {
    for (const StageTime& time : thread.times()) spent += time.seconds;
  }
  if (!(spent > 0)) return;
  for (const Context& thread : threads) {
    for (const StageTime& time : thread.times()) context.add_seconds(time.name, seconds * time.seconds / spent);
  }
}

}  // namespace

CorrectedPlayback::CorrectedPlayback(const WeldedCharacter& welded, const PlaybackOptions& options, Context& context)
    : welded_(welded),
      deformer_(options.deformer),
      medial_(options.medial),
      settings_(options.volume.value_or(VolumeSettings{})),
      report_(welded) {
  isochor::check({deformer_, medial_.get()}, welded);
  if (!options.volume) return;
  const StageTimer timer(context, "prepare");
  context.progress("prepare", 0);
  check(settings_);
  own_.corrector.emplace(VolumeCorrector::prepare(welded, settings_.options, context));
  start(make_effects(settings_, options.painted));
}

/// Nothing if every joint does what a corrector does of itself.
std::optional<JointEffects> CorrectedPlayback::make_effects(const VolumeSettings& settings,
                                                            std::span<const PaintedMap> painted) const {
  if (settings.effects.empty() && settings.otherwise == EffectSettings{}) return std::nullopt;
  const RestSpace space = welded_.rest_space();
  return JointEffects::prepare({space, welded_.skeleton(), painted}, settings);
}

void CorrectedPlayback::start(std::optional<JointEffects> effects) {
  effects_ = std::move(effects);
  others_.clear();
  report_ = VolumeReport(*own_.corrector);
  if (!effects_) return;
  own_.joint_maps.resize(welded_.skeleton().size());
  track_.reset(effects_->axes());
}

void CorrectedPlayback::change_settings(const VolumeSettings& settings, std::span<const PaintedMap> painted,
                                        Context& context) {
  const StageTimer timer(context, "prepare");
  check(settings);
  auto effects = make_effects(settings, painted);
  if (!own_.corrector || settings.options != settings_.options) {
    own_.corrector.emplace(VolumeCorrector::prepare(welded_, settings.options, context));
  }
  settings_ = settings;
  start(std::move(effects));
}

void CorrectedPlayback::take_weights(std::span<const PaintedMap> painted, Context& context) {
  if (!own_.corrector) return;
  const StageTimer timer(context, "prepare");
  auto effects = make_effects(settings_, painted);
  own_.corrector.emplace(own_.corrector->reweighed());
  start(std::move(effects));
}

CorrectedPlayback::Worker CorrectedPlayback::make_worker() const {
  Worker worker;
  if (own_.corrector) worker.corrector.emplace(own_.corrector->twin());
  worker.joint_maps.resize(own_.joint_maps.size());
  return worker;
}

std::span<const VolumeCorrector::Region> CorrectedPlayback::regions() const {
  return own_.corrector ? own_.corrector->regions() : std::span<const VolumeCorrector::Region>{};
}

void CorrectedPlayback::begin(std::span<const Pose> poses) {
  if (!effects_) return;
  track_.reset(effects_->axes());
  effects_->forget();
  for (const Pose& pose : poses) {
    effects_->joint_maps(global_transforms(welded_.skeleton(), pose), own_.joint_maps);
    effects_->observe(own_.joint_maps);
  }
}

CorrectedPlayback::Frame CorrectedPlayback::play(const Pose& pose, double time, Context& context) {
  Frame frame = look(pose, time, context);
  keep(frame);
  return frame;
}

CorrectedPlayback::Frame CorrectedPlayback::look(const Pose& pose, double time, Context& context) {
  Frame frame;
  look({time, pose}, track_, own_, frame, context);
  return frame;
}

void CorrectedPlayback::look(const Moment& moment, const AxesTrack& past, Worker& worker, Frame& frame,
                             Context& context) const {
  frame.time = moment.time;
  frame.pose = moment.pose;
  frame.track = past;
  frame.volume_factor = settings_.volume(moment.time);
  {
    const StageTimer timer(context, "skin");
    skin(frame.pose, frame.time, frame.posed, context);
  }
  const StageTimer timer(context, "correct");
  if (!worker.corrector) {
    leave(frame);
  } else if (settings_.options.treatment == JointTreatment::together) {
    correct_together(frame, worker);
  } else {
    correct_in_sequence(frame, worker, context);
  }
}

void CorrectedPlayback::keep(const Frame& frame) {
  track_ = frame.track;
  report_.add(frame.corrected);
}

/// What each moment knows of those before it; the playback then knows of all of them. Axes follow the joints alone, so
/// that no skin is needed.
std::vector<AxesTrack> CorrectedPlayback::follow(std::span<const Moment> moments) {
  std::vector<AxesTrack> pasts;
  pasts.reserve(moments.size());
  for (const Moment& moment : moments) {
    pasts.push_back(track_);
    if (!effects_) continue;
    effects_->joint_maps(global_transforms(welded_.skeleton(), moment.pose), own_.joint_maps);
    effects_->follow(own_.joint_maps, track_);
  }
  return pasts;
}

void CorrectedPlayback::play(std::span<const Moment> moments, const Show& show, Context& context) {
  // In sequence, axes are met in poses on the way, which only the correction itself knows.
  if (effects_ && settings_.options.treatment == JointTreatment::sequence) {
    for (std::size_t i = 0; i < moments.size(); ++i) {
      context.check_cancelled();
      show(i, play(moments[i].pose, moments[i].time, context), context);
    }
    return;
  }
  std::vector<CorrectionEvidence> evidence(moments.size());
  const auto note = [&](std::size_t i, const Frame& frame, Context& own) {
    evidence[i] = frame.corrected;
    show(i, frame, own);
  };
  look(moments, follow(moments), note, context);
  for (const CorrectionEvidence& of : evidence) report_.add(of);
}

void CorrectedPlayback::look(std::span<const Moment> moments, std::span<const AxesTrack> pasts, const Show& show,
                             Context& context) {
  const auto threads = static_cast<std::size_t>(effective_threads(context));
  while (others_.size() < threads) others_.push_back(std::make_unique<Worker>(make_worker()));
  std::vector<Context> own(threads);
  for (Context& of : own) of.set_threads(1);
  const auto start = std::chrono::steady_clock::now();
  // Each thread has its memory, and takes the next moment that none has taken: none of them depends on another.
  std::atomic<std::size_t> next = 0;
  parallel_for(context, threads, 1, [&](Range range) {
    for (std::size_t t = range.begin; t < range.end; ++t) {
      Frame frame;
      for (std::size_t i = next++; i < moments.size(); i = next++) {
        context.check_cancelled();
        look(moments[i], pasts[i], *others_[t], frame, own[t]);
        show(i, frame, own[t]);
      }
    }
  });
  share_out(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), own, context);
}

Problems CorrectedPlayback::problems() const {
  if (!corrects()) return {};
  Problems problems = effects_ ? effects_->problems() : Problems{};
  for (Problem& problem : report_.problems()) problems.push_back(std::move(problem));
  return problems;
}

void CorrectedPlayback::skin(const Pose& pose, double time, PosedSkin& out, const Context& context) const {
  pose_skin(welded_, pose, {deformer_, medial_.get()}, out, context);
  const double scale = settings_.volume(time);
  for (double& target : out.target_volumes) target *= scale;
}

void CorrectedPlayback::correct_together(Frame& frame, Worker& worker) const {
  worker.fields.clear();
  if (effects_) {
    effects_->joint_maps(frame.posed.global, worker.joint_maps);
    effects_->evaluate({.maps = worker.joint_maps, .positions = frame.posed.positions}, frame.track, worker.fields);
  }
  worker.corrector->apply(frame.posed, worker.fields, frame.corrected);
}

void CorrectedPlayback::correct_in_sequence(Frame& frame, Worker& worker, const Context& context) const {
  const auto at = [&](const Pose& partial, PosedSkin& out) { skin(partial, frame.time, out, context); };
  const auto fields = [&](Index joint, const Pose&, const PosedSkin& posed, std::vector<JointField>& out) {
    out.clear();
    const Index i = effects_ ? effects_->find(joint) : kNone;
    if (i == kNone || effects_->plain(static_cast<std::size_t>(i))) return;
    effects_->joint_maps(posed.global, worker.joint_maps);
    out.resize(1);
    out[0].joint = joint;
    effects_->evaluate(static_cast<std::size_t>(i), {.maps = worker.joint_maps, .positions = posed.positions},
                       frame.track, out[0].field);
  };
  worker.corrector->apply_in_sequence(frame.pose, frame.posed, {.skin = at, .fields = fields}, frame.corrected);
}

void CorrectedPlayback::leave(Frame& frame) const {
  CorrectedFrame& out = frame.corrected;
  out.positions = frame.posed.positions;
  out.offsets.assign(out.positions.size(), Vec3::Zero());
  out.components.clear();
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
