#include "correction.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "isochor/bake/rest_offsets.h"
#include "isochor/base/error.h"
#include "isochor/io/painted_map.h"
#include "isochor/io/volume_settings.h"
#include "options.h"

namespace isochor::cli {
namespace {

template <class Enum>
void add_optional_enum(CLI::App& command, std::optional<Enum>& field, const FieldInfo& info) {
  command
      .add_option_function<std::string>(
          std::string("--") + info.name,
          [&field, name = std::string(info.name)](const std::string& text) {
            const auto& names = EnumNames<Enum>::names;
            const auto found = std::find(names.begin(), names.end(), text);
            if (found == names.end()) {
              throw CLI::ValidationError("--" + name,
                                         "there is no " + text + "; choose one of " + enum_choices<Enum>());
            }
            field = static_cast<Enum>(found - names.begin());
          },
          info.help)
      ->type_name(enum_choices<Enum>())
      ->group("Volume");
}

bool same_row(const SkinWeights& a, std::size_t va, const SkinWeights& b, std::size_t vb) {
  const auto ra = a.row(va);
  const auto rb = b.row(vb);
  return std::equal(ra.begin(), ra.end(), rb.begin(), rb.end());
}

/// File vertices that follow other joints than the vertex they were welded into, as at a seam that its author left
/// open.
std::vector<char> rows_of_their_own(const Playback& playback) {
  const WholeSurface& whole = playback.whole();
  const auto& parts = playback.character().parts;
  std::vector<char> own(whole.weld.vertex.size(), 0);
  const auto part_of = [&](Index source) {
    return static_cast<std::size_t>(std::upper_bound(whole.part_begin.begin(), whole.part_begin.end(), source) -
                                    whole.part_begin.begin()) -
           1;
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].skinned()) continue;
    for (Index v = whole.part_begin[p]; v < whole.part_begin[p + 1]; ++v) {
      const Index first = whole.weld.first_source[whole.weld.vertex[v]];
      if (first == v) continue;
      const std::size_t q = part_of(first);
      const bool same = parts[q].skinned() && parts[q].skin.joints == parts[p].skin.joints &&
                        same_row(parts[p].weights, static_cast<std::size_t>(v - whole.part_begin[p]), parts[q].weights,
                                 static_cast<std::size_t>(first - whole.part_begin[q]));
      own[v] = same ? 0 : 1;
    }
  }
  return own;
}

std::string percent(double value) { return number(100 * value, 3) + " %"; }

}  // namespace

void add_correction_options(CLI::App& command, CorrectionOptions& options) {
  add_optional_enum(command, options.mode,
                    {.name = "volume", .help = "how the volume is held (default exact, or as the effects say)"});
  add_optional_enum(command, options.joints,
                    {.name = "joints",
                     .help = "all joints at once, or one after another as in the paper (default together, or as the "
                             "effects say)"});
  command
      .add_option("--effects", options.effects,
                  "JSON settings: which effect each joint has, and the volume to keep over time; they travel on in the "
                  "output")
      ->type_name("FILE")
      ->group("Volume");
  add_options(command, options.corrector, "Volume", {"volume", "joints"});
}

CorrectionPlan plan_correction(const CorrectionOptions& options, const GltfSource* source) {
  CorrectionPlan plan;
  plan.source = source;
  if (!options.effects.empty()) {
    plan.settings = read_volume_settings(options.effects);
  } else if (source != nullptr) {
    plan.settings = volume_settings_of(source->document).value_or(VolumeSettings{});
  }
  if (options.mode == VolumeMode::off) {
    plan.on = false;
  } else if (options.mode) {
    plan.settings.solver = static_cast<VolumeSolver>(static_cast<int>(*options.mode) - 1);
  }
  if (options.joints) plan.settings.treatment = *options.joints;
  plan.corrector = options.corrector;
  plan.corrector.joints = plan.settings.treatment;
  plan.corrector.solve.solver = plan.settings.solver;
  return plan;
}

void report_plan(Json& options, const CorrectionPlan& plan) {
  options["volume"] = plan.on ? enum_name(plan.settings.solver) : "off";
  if (!plan.on) return;
  options["joints"] = enum_name(plan.settings.treatment);
  options["effects"] = Json::parse(write_volume_settings(plan.settings));
  report_options(options, plan.corrector, {"volume", "joints"});
}

CorrectedPlayback::CorrectedPlayback(const Playback& playback, Deformer deformer, const CorrectionPlan& plan,
                                     Session& session)
    : playback_(playback), deformer_(deformer), session_(session), settings_(plan.settings) {
  const std::size_t components = playback.rest_volumes().size();
  max_before_.assign(components, 0.0);
  max_after_.assign(components, 0.0);
  if (!plan.on) return;
  const StageTimer timer(session.context(), "prepare");
  skin_.emplace(playback);
  corrector_.emplace(VolumeCorrector::prepare(*skin_, plan.corrector));
  evidence_.emplace(*corrector_);
  own_row_ = rows_of_their_own(playback);
  if (settings_.joints.empty() && settings_.otherwise == EffectSettings{}) return;
  const Skeleton& skeleton = playback.character().skeleton;
  std::vector<PaintedMap> painted;
  if (plan.source != nullptr) painted = read_painted_maps(*plan.source, playback.whole(), settings_);
  const JointBinding binding = joint_binding(playback.character(), playback.whole());
  effects_.emplace(JointEffects::prepare({binding, skeleton, painted}, settings_));
  session.add_warnings(effects_->problems());
  joint_maps_.resize(skeleton.size());
}

void CorrectedPlayback::begin(std::span<const Pose> poses) {
  if (!effects_) return;
  track_.reset(effects_->axes());
  effects_->forget();
  const Skeleton& skeleton = playback_.character().skeleton;
  for (const Pose& pose : poses) {
    effects_->joint_maps(global_transforms(skeleton, pose), joint_maps_);
    effects_->observe(joint_maps_);
  }
}

CorrectedPlayback::Frame CorrectedPlayback::skin(const Pose& pose, double time) const {
  Playback::Frame plain = playback_.pose(pose, deformer_, session_.context());
  const double scale = settings_.volume(time);
  for (double& target : plain.target_volumes) target *= scale;
  return {std::move(plain.parts), std::move(plain.volumes), std::move(plain.target_volumes), {}};
}

CorrectedPlayback::Frame CorrectedPlayback::look(const Pose& pose, double time) {
  Frame frame = skin(pose, time);
  if (!corrector_) return frame;
  const FrameTrack past = track_;
  correct(pose, time);
  copy_back(pose, frame);
  track_ = past;
  return frame;
}

CorrectedPlayback::Frame CorrectedPlayback::play(const Pose& pose, double time) {
  Frame frame;
  {
    const StageTimer timer(session_.context(), "skin");
    frame = skin(pose, time);
  }
  const auto note_errors = [&](std::vector<double>& largest) {
    for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
      if (!playback_.has_volume(c)) continue;
      largest[c] = std::max(largest[c], relative_volume_error(frame.volumes[c], frame.target_volumes[c]));
    }
  };
  note_errors(max_before_);
  if (corrector_) {
    const StageTimer timer(session_.context(), "correct");
    correct(pose, time);
    evidence_->add(corrected_);
    copy_back(pose, frame);
  }
  note_errors(max_after_);
  for (std::size_t c = 0; c < max_after_.size(); ++c) worst_error_ = std::max(worst_error_, max_after_[c]);
  ++frames_;
  return frame;
}

void CorrectedPlayback::correct(const Pose& pose, double time) {
  Context& context = session_.context();
  const double scale = settings_.volume(time);
  const auto skin = [&](const Pose& at, PosedSkin& out) {
    skin_->pose(at, deformer_, out, context);
    for (double& target : out.target_volumes) target *= scale;
  };
  if (settings_.treatment == JointTreatment::together) {
    skin(pose, posed_);
    fields_.clear();
    if (effects_) {
      effects_->joint_maps(posed_.global, joint_maps_);
      effects_->evaluate({.maps = joint_maps_, .positions = posed_.positions}, track_, fields_);
    }
    corrector_->apply(posed_, fields_, corrected_);
  } else {
    const auto fields = [&](Index joint, const Pose&, const PosedSkin& posed, std::vector<JointField>& out) {
      out.clear();
      const Index i = effects_ ? effects_->find(joint) : kNone;
      if (i == kNone || effects_->plain(static_cast<std::size_t>(i))) return;
      effects_->joint_maps(posed.global, joint_maps_);
      out.resize(1);
      out[0].joint = joint;
      effects_->evaluate(static_cast<std::size_t>(i), {.maps = joint_maps_, .positions = posed.positions}, track_,
                         out[0].field);
    };
    corrector_->apply_in_sequence(pose, {.skin = skin, .fields = fields}, corrected_);
    skin(pose, posed_);
  }
}

/// Vertices that follow other joints than the one they were welded into go to the same place by offsets of their own.
void CorrectedPlayback::solve_own_rows(const Pose& pose, std::size_t p, Frame& frame) const {
  const Part& part = playback_.character().parts[p];
  const auto first = static_cast<std::size_t>(playback_.whole().part_begin[p]);
  std::vector<std::size_t> vertices;
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    if (own_row_[first + v] != 0 && frame.offsets[p][v] != Vec3::Zero()) vertices.push_back(v);
  }
  if (vertices.empty()) return;
  const PosedPart morphed = morphed_part(part, pose);
  SkinWeights weights;
  std::vector<Vec3> rest, target;
  for (const std::size_t v : vertices) {
    weights.add_row(part.weights.row(v));
    rest.push_back(morphed.positions[v]);
    target.push_back(frame.parts[p].positions[v]);
  }
  std::vector<Mat34> maps(vertices.size());
  vertex_maps(Deformer::lbs, {rest, weights}, skin_matrices(part.skin, posed_.global), maps, session_.context());
  const RestOffsets found = rest_offsets({.maps = maps, .rest = rest, .target = target});
  for (std::size_t i = 0; i < vertices.size(); ++i) frame.offsets[p][vertices[i]] = found.positions[i];
}

void CorrectedPlayback::copy_back(const Pose& pose, Frame& frame) const {
  const WholeSurface& whole = playback_.whole();
  const auto& parts = playback_.character().parts;
  const bool lbs = deformer_ == Deformer::lbs;
  if (lbs) frame.offsets.resize(parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto first = static_cast<std::size_t>(whole.part_begin[p]);
    const std::size_t count = parts[p].surface.vertex_count();
    if (lbs) frame.offsets[p].assign(count, Vec3::Zero());
    for (std::size_t v = 0; v < count; ++v) {
      const Index welded = whole.weld.vertex[first + v];
      // A vertex that the correction leaves alone stays where the deformer put it, bit for bit.
      if (corrected_.offsets[welded] == Vec3::Zero()) continue;
      frame.parts[p].positions[v] = corrected_.positions[welded];
      if (lbs) frame.offsets[p][v] = corrected_.offsets[welded];
    }
    if (lbs) solve_own_rows(pose, p, frame);
  }
  for (std::size_t c = 0; c < frame.volumes.size(); ++c) {
    if (corrected_.components[c].has_volume) frame.volumes[c] = corrected_.components[c].after;
  }
}

Json CorrectedPlayback::report() const {
  Json components = Json::array();
  for (std::size_t c = 0; c < max_after_.size(); ++c) {
    components.push_back({{"vertices", playback_.topology().components[c].vertices.size()},
                          {"rest", playback_.rest_volumes()[c]},
                          {"measured", playback_.has_volume(c)},
                          {"max_error_before", max_before_[c]},
                          {"max_error_after", max_after_[c]}});
  }
  Json volume = {{"components", components}, {"max_error_after", worst_error_}};
  if (!evidence_) return volume;
  Json joints = Json::array();
  for (const VolumeReport::Joint& joint : evidence_->joints()) {
    joints.push_back({{"name", playback_.character().skeleton.joints[joint.joint].name},
                      {"component", joint.component},
                      {"max_local_error_before", joint.max_error_before},
                      {"max_local_error_after", joint.max_error_after},
                      {"mean_local_error_before", joint.mean_error_before},
                      {"mean_local_error_after", joint.mean_error_after}});
  }
  volume["joints"] = joints;
  volume["max_displacement"] = evidence_->max_displacement();
  return volume;
}

void CorrectedPlayback::print() const {
  std::size_t measured = 0;
  double before = 0;
  for (std::size_t c = 0; c < max_after_.size(); ++c) {
    measured += playback_.has_volume(c) ? 1 : 0;
    before = std::max(before, max_before_[c]);
  }
  std::string line = count(frames_, "frame") + ", " + count(measured, "component") + " with a volume; ";
  if (!evidence_) {
    session_.print(line + "the largest change of a volume is " + percent(worst_error_));
    return;
  }
  session_.print(line + "largest volume error " + percent(before) + " before, " + percent(worst_error_) + " after");
  for (std::size_t c = 0; c < max_after_.size() && measured > 1; ++c) {
    if (!playback_.has_volume(c)) continue;
    session_.print("  component " + std::to_string(c) + ", " +
                   count(playback_.topology().components[c].vertices.size(), "vertex") + ": " +
                   percent(max_before_[c]) + " before, " + percent(max_after_[c]) + " after");
  }
  for (const VolumeReport::Joint& joint : evidence_->joints()) {
    session_.print("  joint " + playback_.character().skeleton.joints[joint.joint].name + ": local " +
                   percent(joint.max_error_before) + " before, " + percent(joint.max_error_after) + " after");
  }
}

}  // namespace isochor::cli
