#include "stage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/io/painted_map.h"
#include "isochor/mesh/volume.h"

namespace isochor::web {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

float hue_channel(float hue, float offset) {
  const float x = std::abs(std::fmod(hue + offset, 1.0f) * 6 - 3) - 1;
  return std::clamp(x, 0.0f, 1.0f);
}

}  // namespace

Eigen::Vector3f joint_color(Index joint) {
  // Steps of the golden ratio keep any few neighbours apart; two brightnesses help the eye where hues come near.
  const float hue = std::fmod(static_cast<float>(joint) * 0.618034f + 0.05f, 1.0f);
  const float saturation = 0.62f, value = joint % 2 == 0 ? 0.92f : 0.7f;
  Eigen::Vector3f color;
  for (int k = 0; k < 3; ++k) {
    const float offset = k == 0 ? 0.0f : k == 1 ? 2.0f / 3 : 1.0f / 3;
    color[k] = value * (1 - saturation * (1 - hue_channel(hue, offset)));
  }
  return color;
}

Stage::Stage(const Document& document) : document_(document), settings_(document.settings()) {
  Context context;
  reweigh(context);
}

void Stage::reweigh(Context& context) {
  const auto same_joints = [](const Part& part, const std::vector<Index>& joints) {
    return part.skin.joints == joints;
  };
  const auto& parts = document_.character().parts;
  const bool same = welded_ && std::equal(parts.begin(), parts.end(), skins_.begin(), skins_.end(), same_joints);
  if (same) {
    welded_->take_weights();
    playback_->take_weights(painted(settings_), context);
  } else {
    rebuild(context);
  }
  effects_.reset();
  prepared_clip_ = kNoClip;
}

/// Which parts are welded to which depends on the joints of their skins. All is made before any of it takes its place:
/// where memory ends, what is shown stays whole.
void Stage::rebuild(Context& context) {
  auto welded = std::make_unique<WeldedCharacter>(document_.character());
  std::vector<std::vector<Index>> skins;
  for (const Part& part : document_.character().parts) skins.push_back(part.skin.joints);
  auto shading = std::make_unique<Shading>(*welded);
  const PlaybackOptions options{.volume = settings_, .painted = painted(settings_, *welded)};
  auto playback = std::make_unique<CorrectedPlayback>(*welded, options, context);
  playback_ = std::move(playback);  // first: it refers to the welded character
  shading_ = std::move(shading);
  skins_ = std::move(skins);
  welded_ = std::move(welded);
}

void Stage::draft_weights() { welded_->take_weights(); }

std::vector<PaintedMap> Stage::painted(const VolumeSettings& settings) const { return painted(settings, *welded_); }

std::vector<PaintedMap> Stage::painted(const VolumeSettings& settings, const WeldedCharacter& welded) const {
  return read_painted_maps(*document_.file().as_read, welded.whole(), settings);
}

void Stage::set_settings(const VolumeSettings& settings, Context& context) {
  playback_->change_settings(settings, painted(settings), context);
  settings_ = settings;
  effects_.reset();
  prepared_clip_ = kNoClip;
}

void Stage::set_turns(std::vector<JointTurn> turns) {
  for (const JointTurn& turn : turns) {
    const bool known = turn.joint >= 0 && static_cast<std::size_t>(turn.joint) < welded_->skeleton().size();
    if (!known || !turn.turn.coeffs().allFinite()) throw_bad_input("there is no such joint to turn", turn.joint);
  }
  turns_ = std::move(turns);
  prepared_clip_ = kNoClip;
}

Pose Stage::pose(Index clip, double time) const {
  const Character& character = document_.character();
  const bool moves = clip >= 0 && static_cast<std::size_t>(clip) < character.clips.size();
  Pose pose = moves ? sample(character.clips[clip], character.skeleton, time) : rest_pose(character.skeleton);
  for (const JointTurn& turn : turns_) {
    Quat& rotation = pose.local[turn.joint].rotation;
    rotation = (rotation * turn.turn).normalized();
  }
  return pose;
}

void Stage::prepare_clip(Index clip) {
  if (clip == prepared_clip_) return;
  prepared_clip_ = clip;
  if (settings_.effects.empty() && settings_.otherwise == EffectSettings{}) return;  // nobody looks at the poses
  std::vector<Pose> poses;
  if (clip >= 0 && static_cast<std::size_t>(clip) < document_.character().clips.size()) {
    constexpr int kMoments = 32;  // enough to see how far a joint bends
    for (const double time : even_times(document_.character().clips[clip], kMoments)) poses.push_back(pose(clip, time));
  }
  playback_->begin(poses);
}

double Stage::relative_volume(std::span<const Vec3> positions, const PosedSkin& posed) const {
  double sum = 0, target = 0;
  for (std::size_t c = 0; c < welded_->topology().components.size(); ++c) {
    if (!welded_->has_volume(c)) continue;
    const double goal = posed.rest_volumes[c] * welded_->volume_scale(c, posed.matrices);
    const double side = goal < 0 ? -1 : 1;
    sum += side * signed_volume(welded_->surface(), welded_->topology().components[c], positions);
    target += std::abs(goal);
  }
  return target > 0 ? sum / target : 1;
}

void Stage::fill(const PosedSkin& posed, const Pose& pose, std::span<const Vec3> positions, bool normals,
                 ShownView& out) {
  const auto& parts = document_.character().parts;
  out.positions.resize(3 * document_.character().vertex_count());
  std::size_t at = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Vec3& place : part_positions(*welded_, pose, posed, positions, p)) {
      for (int k = 0; k < 3; ++k) out.positions[at++] = static_cast<float>(place[k]);
    }
  }
  out.normals.resize(normals ? out.positions.size() : 0);
  if (normals) shading_->normals(out.positions, out.normals);
}

void Stage::show(const FrameRequest& request, Context& context) {
  if (!request.follows) prepared_clip_ = kNoClip;
  prepare_clip(request.clip);
  const Pose moment = pose(request.clip, request.time);
  const auto wants = [&](View which) { return request.views[static_cast<std::size_t>(which)]; };
  ShownView &lbs = views_[0], &dqs = views_[1], &held = views_[2];
  for (ShownView& view : views_) view.failure.clear();

  const double skin_before = context.seconds("skin"), correct_before = context.seconds("correct");
  CorrectedPlayback::Frame frame;
  const bool correct = wants(View::held) || request.paint == Paint::displacement;
  if (correct) {
    frame = playback_->look(moment, request.time, context);
    if (request.follows) playback_->keep(frame);
  } else {
    const auto start = Clock::now();
    pose_skin(*welded_, moment, Deformer::lbs, frame.posed, context);
    context.add_seconds("skin", milliseconds_since(start) / 1000);
  }
  const double skin = 1000 * (context.seconds("skin") - skin_before);
  if (wants(View::lbs)) {
    fill(frame.posed, moment, frame.posed.positions, request.normals, lbs);
    lbs.volume = relative_volume(frame.posed.positions, frame.posed);
    lbs.milliseconds = skin;
  }
  max_displacement_ = correct ? frame.corrected.max_displacement : 0;
  if (wants(View::held)) {
    fill(frame.posed, moment, frame.corrected.positions, request.normals, held);
    held.volume = relative_volume(frame.corrected.positions, frame.posed);
    held.milliseconds = skin + 1000 * (context.seconds("correct") - correct_before);
  }
  if (wants(View::dqs)) {
    try {
      const auto start = Clock::now();
      PosedSkin posed;
      pose_skin(*welded_, moment, Deformer::dqs, posed, context);
      dqs.milliseconds = milliseconds_since(start);
      fill(posed, moment, posed.positions, request.normals, dqs);
      dqs.volume = relative_volume(posed.positions, posed);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::unsupported) throw;
      dqs.failure = error.what();
      fill(frame.posed, moment, frame.posed.positions, request.normals, dqs);
    }
  }
  joints_.resize(16 * frame.posed.global.size());
  for (std::size_t j = 0; j < frame.posed.global.size(); ++j) {
    Eigen::Map<Eigen::Matrix4f>(joints_.data() + 16 * j) = frame.posed.global[j].matrix().cast<float>();
  }
  paint_.clear();
  switch (request.paint) {
    case Paint::none:
      break;
    case Paint::weight:
      paint_weight(request.joint);
      break;
    case Paint::joints:
      paint_joints();
      break;
    case Paint::gamma:
      paint_gamma(request.joint, frame.posed);
      break;
    case Paint::displacement:
      paint_displacement(frame);
      break;
  }
}

std::array<double, kViews> Stage::volumes(Index clip, double time, Context& context) {
  prepare_clip(clip);
  const Pose moment = pose(clip, time);
  const CorrectedPlayback::Frame frame = playback_->look(moment, time, context);
  std::array<double, kViews> out = {relative_volume(frame.posed.positions, frame.posed),
                                    std::numeric_limits<double>::quiet_NaN(),
                                    relative_volume(frame.corrected.positions, frame.posed)};
  try {
    PosedSkin posed;
    pose_skin(*welded_, moment, Deformer::dqs, posed, context);
    out[1] = relative_volume(posed.positions, posed);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
  }
  return out;
}

void Stage::spread(std::span<const double> by_welded) {
  const auto& parts = document_.character().parts;
  paint_.reserve(document_.character().vertex_count());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (std::size_t v = 0; v < parts[p].surface.vertex_count(); ++v) {
      paint_.push_back(static_cast<float>(by_welded[welded_->whole().welded(p, v)]));
    }
  }
}

void Stage::paint_weight(Index joint) {
  for (const Part& part : document_.character().parts) {
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      float sum = !part.skinned() && part.node == joint && joint != kNone ? 1.0f : 0.0f;
      if (part.skinned()) {
        for (const Influence& i : part.weights.row(v)) {
          if (part.skin.joints[i.joint] == joint) sum += static_cast<float>(i.weight);
        }
      }
      paint_.push_back(sum);
    }
  }
}

void Stage::paint_joints() {
  for (const Part& part : document_.character().parts) {
    for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
      Eigen::Vector3f sum =
          part.skinned() || part.node == kNone ? Eigen::Vector3f(Eigen::Vector3f::Zero()) : joint_color(part.node);
      if (part.skinned()) {
        for (const Influence& i : part.weights.row(v)) {
          sum += static_cast<float>(i.weight) * joint_color(part.skin.joints[i.joint]);
        }
      }
      paint_.insert(paint_.end(), sum.data(), sum.data() + 3);
    }
  }
}

/// γ of a joint is only known up to a factor: each is shown with its largest value as 1.
void Stage::paint_gamma(Index joint, const PosedSkin& posed) {
  std::vector<double> gamma(welded_->surface().vertex_count(), 0.0);
  const auto add = [&](std::span<const Index> vertices, std::span<const double> values) {
    const double largest = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
    for (std::size_t i = 0; i < vertices.size() && largest > 0; ++i) {
      gamma[vertices[i]] = std::max(gamma[vertices[i]], values[i] / largest);
    }
  };
  const auto chosen = [&](Index of) { return joint == kNone || joint == of; };
  if (!effects_) {
    const auto maps = painted(settings_);
    effects_.emplace(JointEffects::prepare({welded_->rest_space(), welded_->skeleton(), maps}, settings_));
  }
  std::vector<char> shaped(welded_->skeleton().size(), 0);
  std::vector<Affine> maps(welded_->skeleton().size());
  effects_->joint_maps(posed.global, maps);
  AxesTrack track(effects_->axes());
  CorrectionField field;
  for (std::size_t i = 0; i < effects_->axes().size(); ++i) {
    const Index of = effects_->axes()[i].joint;
    if (effects_->plain(i)) continue;
    shaped[of] = 1;
    if (!chosen(of)) continue;
    effects_->evaluate(i, {.maps = maps, .positions = posed.positions}, track, field);
    add(field.vertices, field.gamma);
  }
  for (const VolumeCorrector::Region& region : playback_->regions()) {
    if (chosen(region.joint) && shaped[region.joint] == 0) add(region.vertices, region.gamma);
  }
  spread(gamma);
}

void Stage::paint_displacement(const CorrectedPlayback::Frame& frame) {
  const double size = std::max(bounding_box(welded_->surface().positions).diagonal().norm(), 1e-30);
  std::vector<double> moved(frame.posed.positions.size());
  for (std::size_t v = 0; v < moved.size(); ++v) {
    moved[v] = (frame.corrected.positions[v] - frame.posed.positions[v]).norm() / size;
  }
  spread(moved);
}

}  // namespace isochor::web
