#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "gltf_baked.h"
#include "gltf_edit_tools.h"
#include "gltf_keys.h"
#include "gltf_weight_curve.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace {

using namespace gltf;

/// What a file can hold. Slopes of a curve over a short moment may be larger than any float.
std::vector<float> round_values(const std::vector<double>& values) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<float> rounded;
  rounded.reserve(values.size());
  for (const double value : values) rounded.push_back(static_cast<float>(std::clamp(value, -kMost, kMost)));
  return rounded;
}

/// What is to be added to a part.
struct Addition {
  std::vector<const MorphTarget*> targets;
  struct ClipCurve {
    Index clip = 0;
    WeightCurve curve;
    std::size_t begin = 0;  ///< among the targets: the one that the curve's first column drives
  };
  std::vector<ClipCurve> curves;
};

/// Adds targets and their animation to one part.
class TargetAdder {
 public:
  TargetAdder(GltfSource& source, Index part, const Addition& addition)
      : source_(source), impl_(source.document.impl()), part_(part_of(source, part)), addition_(addition) {
    const Json* targets = find(mesh_of(source, part_)["primitives"][0], "targets");
    old_count_ = targets ? targets->size() : 0;
    total_ = old_count_ + addition.targets.size();
  }

  void add() {
    isolate_mesh(source_, part_);
    add_targets();
    add_names();
    mark_baked(mesh_of(source_, part_), {.first = old_count_, .count = addition_.targets.size()});
    const std::vector<double> defaults = default_weights();
    extend_defaults(mesh_of(source_, part_));
    extend_defaults(item(impl_.json, "nodes", at(part_.node)));
    if (find(impl_.json, "animations")) animate(defaults);
  }

 private:
  bool any_normals() const {
    return std::any_of(addition_.targets.begin(), addition_.targets.end(),
                       [](const MorphTarget* target) { return !target->normals.empty(); });
  }

  /// Targets of a primitive all get NORMAL where one has it: some viewers take the base's normals for missing offsets.
  void add_targets() {
    Json& mesh = mesh_of(source_, part_);
    const std::size_t primitives = mesh["primitives"].size();
    std::vector<bool> done(primitives, false);
    for (const GltfPrimitiveSource& range : part_.primitives) done[at(range.primitive)] = true;
    for_each_range(
        source_, part_, [&](const GltfPrimitiveSource& range) { return make_targets(range); },
        [&](Json& primitive, const Json& targets) { append_to(primitive, targets); });
    // Points and lines of the mesh stay where they are.
    for (std::size_t p = 0; p < primitives; ++p) {
      if (!done[p]) append_zero_targets(p);
    }
  }

  bool wants_normals(const Json& primitive) const {
    if (!find(primitive["attributes"], "NORMAL")) return false;
    const Json* targets = find(primitive, "targets");
    const bool has = targets && std::any_of(targets->begin(), targets->end(),
                                            [](const Json& target) { return find(target, "NORMAL") != nullptr; });
    return has || any_normals();
  }

  Json make_targets(const GltfPrimitiveSource& range) {
    const bool normals = wants_normals(mesh_of(source_, part_)["primitives"][at(range.primitive)]);
    const std::vector<Index> vertices = vertices_of(range);
    const std::vector<float> none(3 * vertices.size(), 0.0f);
    Json targets = Json::array();
    for (const MorphTarget* from : addition_.targets) {
      Json target = Json::object();
      target["POSITION"] = append_offsets(impl_, to_floats(from->positions, vertices), Bounds::with);
      if (normals) {
        target["NORMAL"] =
            append_offsets(impl_, from->normals.empty() ? none : to_floats(from->normals, vertices), Bounds::without);
      }
      targets.push_back(std::move(target));
    }
    return targets;
  }

  void append_to(Json& primitive, const Json& targets) {
    if (!find(primitive, "targets")) primitive["targets"] = Json::array();
    if (find(targets[0], "NORMAL")) {
      for (std::size_t t = 0; t < old_count_; ++t) {
        if (find(primitive["targets"][t], "NORMAL")) continue;
        const std::size_t n = resolve_accessor(impl_, primitive["attributes"]["POSITION"].get<Index>()).info.count;
        primitive["targets"][t]["NORMAL"] = append_offsets(impl_, std::vector<float>(3 * n, 0.0f), Bounds::without);
      }
    }
    for (const Json& target : targets) primitive["targets"].push_back(target);
  }

  void append_zero_targets(std::size_t p) {
    const Json* position = find(mesh_of(source_, part_)["primitives"][p]["attributes"], "POSITION");
    if (!position) return;
    const std::size_t n = resolve_accessor(impl_, position->get<Index>()).info.count;
    const Index zeros = append_offsets(impl_, std::vector<float>(3 * n, 0.0f), Bounds::with);
    Json& primitive = mesh_of(source_, part_)["primitives"][p];
    if (!find(primitive, "targets")) primitive["targets"] = Json::array();
    for (std::size_t t = old_count_; t < total_; ++t) primitive["targets"].push_back({{"POSITION", zeros}});
  }

  /// Names are for all targets or for none.
  void add_names() {
    Json& mesh = mesh_of(source_, part_);
    Json* extras = find(mesh, "extras");
    if (extras && !extras->is_object()) return;
    Json* names = extras ? find(*extras, "targetNames") : nullptr;
    if (old_count_ > 0 && (!names || !names->is_array() || names->size() != old_count_)) return;
    if (!names) names = &(mesh["extras"]["targetNames"] = Json::array());
    for (const MorphTarget* target : addition_.targets) names->push_back(target->name);
  }

  std::vector<double> default_weights() {
    const Json& node = item(impl_.json, "nodes", at(part_.node));
    std::vector<double> weights = get_number_list(node, "weights", {"node", at(part_.node)});
    if (weights.empty()) weights = get_number_list(mesh_of(source_, part_), "weights", {"mesh", at(part_.mesh)});
    weights.resize(old_count_, 0.0);
    return weights;
  }

  void extend_defaults(Json& owner) const {
    if (!find(owner, "weights")) return;
    auto& weights = owner["weights"].get_ref<Json::array_t&>();
    weights.resize(old_count_, 0.0);
    weights.resize(total_, 0.0);
  }

  void animate(const std::vector<double>& defaults) {
    for (std::size_t a = 0; a < count(impl_.json, "animations"); ++a) {
      const auto mine =
          std::find_if(addition_.curves.begin(), addition_.curves.end(), [&](const Addition::ClipCurve& curve) {
            return source_.map.animation_of_clip[at(curve.clip)] == static_cast<Index>(a);
          });
      Json* channel = find_channel(item(impl_.json, "animations", a));
      const auto old = channel ? read_curve(a, *channel) : std::nullopt;
      // Without a curve that can be played, the old targets keep their default weights.
      if (mine != addition_.curves.end()) {
        const WeightCurve& added = mine->curve;
        const WeightCurve constant{added.interpolation, {added.times.front()}, defaults, old_count_};
        rewrite(a, merge(old.value_or(constant), added, {.begin = old_count_ + mine->begin, .total = total_}));
      } else if (channel) {
        rewrite(a, widen(old.value_or(WeightCurve{Interpolation::step, {0.0}, defaults, old_count_}), total_));
      }
    }
  }

  Json* find_channel(Json& animation) const {
    Json* channels = find(animation, "channels");
    if (!channels) return nullptr;
    for (Json& channel : *channels) {
      const Json* target = find(channel, "target");
      const Json* node = target ? find(*target, "node") : nullptr;
      if (node && *node == part_.node && get_string(*target, "path") == "weights") return &channel;
    }
    return nullptr;
  }

  /// The curve of a channel; nothing where the reader left the channel out, as it holds no key that can be played.
  std::optional<WeightCurve> read_curve(std::size_t animation, const Json& channel) const {
    const Json& sampler = item(impl_.json, "animations", animation)["samplers"][channel["sampler"].get<std::size_t>()];
    WeightCurve curve;
    const std::string name = get_string(sampler, "interpolation", "LINEAR");
    curve.interpolation = name == "STEP"          ? Interpolation::step
                          : name == "CUBICSPLINE" ? Interpolation::cubic_spline
                                                  : Interpolation::linear;
    curve.times = read_doubles(impl_, sampler["input"].get<Index>(), 1, "animation times");
    curve.values = read_doubles(impl_, sampler["output"].get<Index>(), 1, "animation values");
    curve.width = old_count_;
    const std::size_t parts = curve.interpolation == Interpolation::cubic_spline ? 3 : 1;
    if (old_count_ == 0 || curve.times.empty() || curve.values.size() != curve.times.size() * parts * old_count_) {
      throw_bad_input("the animation " + std::to_string(animation) +
                      " has morph weights that do not fit the number of morph targets");
    }
    if (!all_finite(curve.values)) return std::nullopt;
    for (double& time : curve.times) time = static_cast<float>(time);
    keep_increasing(curve.times, curve.values);
    if (curve.times.empty()) return std::nullopt;
    return curve;
  }

  /// The part's weights channel in an animation gets a curve; a sampler that other channels share is left to them.
  void rewrite(std::size_t a, const WeightCurve& curve) {
    const Index input = append_floats(impl_, "SCALAR", round_values(curve.times), Usage::plain, Bounds::with);
    const Index output = append_floats(impl_, "SCALAR", round_values(curve.values), Usage::plain);
    const Json sampler = {{"input", input},
                          {"interpolation", curve.interpolation == Interpolation::cubic_spline ? "CUBICSPLINE"
                                            : curve.interpolation == Interpolation::step       ? "STEP"
                                                                                               : "LINEAR"},
                          {"output", output}};
    Json& animation = item(impl_.json, "animations", a);
    Json* channel = find_channel(animation);
    const auto sharers = !channel ? 0
                                  : std::count_if(animation["channels"].begin(), animation["channels"].end(),
                                                  [&](const Json& c) { return c["sampler"] == (*channel)["sampler"]; });
    if (channel && sharers == 1) {
      Json& own = animation["samplers"][(*channel)["sampler"].get<std::size_t>()];
      for (const auto& [key, value] : sampler.items()) own[key] = value;
      return;
    }
    animation["samplers"].push_back(sampler);
    const std::size_t index = animation["samplers"].size() - 1;
    if (channel) {
      (*channel)["sampler"] = index;
    } else {
      animation["channels"].push_back({{"sampler", index}, {"target", {{"node", part_.node}, {"path", "weights"}}}});
    }
  }

  GltfSource& source_;
  Impl& impl_;
  GltfPartSource& part_;
  const Addition& addition_;
  std::size_t old_count_ = 0, total_ = 0;
};

void check_target_counts(GltfSource& source, Index part) {
  const Json& primitives = mesh_of(source, part_of(source, part))["primitives"];
  const auto targets = [](const Json& primitive) {
    const Json* array = find(primitive, "targets");
    return array ? array->size() : 0;
  };
  const bool equal = std::all_of(primitives.begin(), primitives.end(),
                                 [&](const Json& p) { return targets(p) == targets(primitives[0]); });
  if (!equal) {
    throw_bad_input("cannot add morph targets to " + describe_part(source, part) +
                    ": its primitives have different numbers of them");
  }
}

void check_target(const GltfSource& source, Index part, const MorphTarget& target) {
  const std::size_t n = vertex_count(source.map.parts[at(part)]);
  const auto finite = [](const Vec3& x) { return x.cwiseAbs().maxCoeff() <= 3e38; };
  if (target.positions.size() != n || (!target.normals.empty() && target.normals.size() != n) ||
      !std::all_of(target.positions.begin(), target.positions.end(), finite) ||
      !std::all_of(target.normals.begin(), target.normals.end(), finite)) {
    throw_bad_input("a morph target for " + describe_part(source, part) +
                    " has another number of vertices, or offsets that are not finite");
  }
}

void check_times(Index clip, const std::vector<double>& times) {
  if (times.empty()) throw_bad_input("the morph weights of clip " + std::to_string(clip) + " have no times");
  for (std::size_t k = 0; k < times.size(); ++k) {
    const bool ordered = std::isfinite(times[k]) && times[k] >= 0 &&
                         (k == 0 || static_cast<float>(times[k]) > static_cast<float>(times[k - 1]));
    if (!ordered) throw_bad_input("the times of the frames of clip " + std::to_string(clip) + " do not increase");
  }
}

void check_curve(const GltfSource& source, const MorphCurve& curve, std::size_t targets) {
  const std::string name = "clip " + std::to_string(curve.clip);
  const bool known = curve.clip >= 0 && at(curve.clip) < source.map.animation_of_clip.size() &&
                     source.map.animation_of_clip[at(curve.clip)] != kNone;
  if (!known) throw_bad_input("the document has no " + name);
  if (curve.interpolation == Interpolation::cubic_spline) {
    throw_unsupported("the morph weights of " + name + " must step or change linearly");
  }
  check_times(curve.clip, curve.times);
  const auto finite = [](double x) { return std::abs(x) <= 3e38; };
  if (curve.weights.size() != curve.times.size() * targets ||
      !std::all_of(curve.weights.begin(), curve.weights.end(), finite)) {
    throw_bad_input("the morph weights of " + name + " do not fit its times and the targets, or are not finite");
  }
}

void check_clips_differ(std::vector<Index> clips) {
  std::sort(clips.begin(), clips.end());
  const auto twice = std::adjacent_find(clips.begin(), clips.end());
  if (twice != clips.end()) throw_bad_input("the frames of clip " + std::to_string(*twice) + " are given twice");
}

Addition::ClipCurve to_clip_curve(const MorphCurve& curve, std::size_t width) {
  Addition::ClipCurve out{curve.clip, {curve.interpolation, {}, curve.weights, width}, 0};
  for (const double time : curve.times) out.curve.times.push_back(static_cast<float>(time));
  return out;
}

/// At frame k target k alone: the unit matrix.
MorphCurve frame_curve(const MorphFrames& frames) {
  const std::size_t n = frames.frames.size();
  MorphCurve curve{frames.clip, frames.times, std::vector<double>(n * n, 0.0), frames.interpolation};
  for (std::size_t k = 0; k < n; ++k) curve.weights[k * n + k] = 1;
  return curve;
}

void add_targets(GltfSource& source, Index part, const Addition& addition) {
  std::vector<Index> clips;
  for (const Addition::ClipCurve& curve : addition.curves) clips.push_back(curve.clip);
  check_clips_differ(std::move(clips));
  for (const MorphTarget* target : addition.targets) check_target(source, part, *target);
  check_target_counts(source, part);
  if (addition.targets.empty()) return;
  GltfSource edited = source;
  TargetAdder(edited, part, addition).add();
  source = std::move(edited);
}

}  // namespace

void add_morph_frames(GltfSource& source, Index part, std::span<const MorphFrames> clips) {
  part_of(source, part);
  Addition addition;
  for (const MorphFrames& frames : clips) {
    const MorphCurve curve = frame_curve(frames);
    check_curve(source, curve, frames.frames.size());
    addition.curves.push_back(to_clip_curve(curve, frames.frames.size()));
    addition.curves.back().begin = addition.targets.size();
    for (const MorphTarget& frame : frames.frames) addition.targets.push_back(&frame);
  }
  add_targets(source, part, addition);
}

void add_morph_basis(GltfSource& source, Index part, std::span<const MorphTarget> targets,
                     std::span<const MorphCurve> curves) {
  part_of(source, part);
  Addition addition;
  for (const MorphTarget& target : targets) addition.targets.push_back(&target);
  for (const MorphCurve& curve : curves) {
    check_curve(source, curve, targets.size());
    addition.curves.push_back(to_clip_curve(curve, targets.size()));
  }
  add_targets(source, part, addition);
}

}  // namespace isochor
