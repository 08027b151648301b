#include <algorithm>
#include <cmath>
#include <limits>

#include "gltf_edit_tools.h"
#include "isochor/io/gltf_edit.h"

namespace isochor {
namespace {

using namespace gltf;

/// Morph weights over time as a sampler of the file has them.
struct Curve {
  Interpolation interpolation = Interpolation::linear;
  std::vector<double> times;   // #K
  std::vector<double> values;  // #K × width, or #K × 3 × width for cubic splines
  std::size_t width = 0;
};

/// A weight at a moment, with its slopes to both sides.
struct Moment {
  double value = 0, left = 0, right = 0;
};

std::size_t key_before(const std::vector<double>& times, double time) {
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

/// The Hermite spline of the glTF specification, appendix C, and its slope.
Moment evaluate_spline(const Curve& curve, std::size_t column, double time) {
  const std::size_t last = curve.times.size() - 1;
  const auto key = [&](std::size_t k, std::size_t part) { return curve.values[(3 * k + part) * curve.width + column]; };
  // Outside its keys a curve is constant.
  if (time < curve.times.front()) return {key(0, 1), 0, 0};
  if (time > curve.times.back()) return {key(last, 1), 0, 0};
  const std::size_t k = key_before(curve.times, time);
  if (time == curve.times[k]) return {key(k, 1), k == 0 ? 0 : key(k, 0), k == last ? 0 : key(k, 2)};
  const double length = curve.times[k + 1] - curve.times[k];
  const double t = (time - curve.times[k]) / length, t2 = t * t, t3 = t2 * t;
  const double a = key(k, 1), m = key(k, 2), b = key(k + 1, 1), n = key(k + 1, 0);
  const double value =
      (2 * t3 - 3 * t2 + 1) * a + length * (t3 - 2 * t2 + t) * m + (-2 * t3 + 3 * t2) * b + length * (t3 - t2) * n;
  const double slope = ((6 * t2 - 6 * t) * (a - b)) / length + (3 * t2 - 4 * t + 1) * m + (3 * t2 - 2 * t) * n;
  return {value, slope, slope};
}

Moment evaluate(const Curve& curve, std::size_t column, double time) {
  if (curve.interpolation == Interpolation::cubic_spline) return evaluate_spline(curve, column, time);
  const std::size_t k = key_before(curve.times, time);
  const double a = curve.values[k * curve.width + column];
  const bool between = k + 1 < curve.times.size() && time > curve.times[k];
  if (!between || curve.interpolation == Interpolation::step) return {a, 0, 0};
  const double b = curve.values[(k + 1) * curve.width + column];
  return {a + (b - a) * (time - curve.times[k]) / (curve.times[k + 1] - curve.times[k]), 0, 0};
}

/// The weight of frame `frame`: 1 at its time, 0 at the neighbours' times, linear between; the first and the last frame
/// hold.
Moment evaluate_hat(const std::vector<double>& times, std::size_t frame, double time) {
  const double here = times[frame];
  const bool first = frame == 0, last = frame + 1 == times.size();
  const double up = first ? 0 : 1 / (here - times[frame - 1]);
  const double down = last ? 0 : -1 / (times[frame + 1] - here);
  if (time == here) return {1, up, down};
  if (time < here) {
    if (first) return {1, 0, 0};
    const double before = times[frame - 1];
    if (time < before) return {0, 0, 0};
    return {time == before ? 0 : (time - before) * up, time == before ? 0 : up, up};
  }
  if (last) return {1, 0, 0};
  const double after = times[frame + 1];
  if (time > after) return {0, 0, 0};
  return {time == after ? 0 : 1 + (time - here) * down, down, time == after ? 0 : down};
}

/// The moments at which the merged curve needs keys: those of both, and the last float before each step.
std::vector<double> merged_times(const Curve& old, const std::vector<double>& frames) {
  std::vector<double> times = frames;
  times.insert(times.end(), old.times.begin(), old.times.end());
  if (old.interpolation == Interpolation::step) {
    for (std::size_t k = 1; k < old.times.size(); ++k) {
      times.push_back(std::nextafter(static_cast<float>(old.times[k]), -std::numeric_limits<float>::infinity()));
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Where the frames of one clip stand among all targets.
struct Place {
  std::size_t old_count = 0;
  std::size_t begin = 0;  ///< first target of this clip's frames
  std::size_t total = 0;
};

/// `old` with the frames' hats in their columns. A spline stays a spline, where straight lines have their own slopes.
Curve merge(const Curve& old, const std::vector<double>& frames, const Place& place) {
  Curve out;
  const bool spline = old.interpolation == Interpolation::cubic_spline;
  out.interpolation = spline ? Interpolation::cubic_spline : Interpolation::linear;
  out.width = place.total;
  out.times = merged_times(old, frames);
  std::vector<Moment> row(place.total);
  for (const double time : out.times) {
    std::fill(row.begin(), row.end(), Moment{});
    for (std::size_t c = 0; c < place.old_count; ++c) row[c] = evaluate(old, c, time);
    for (std::size_t f = 0; f < frames.size(); ++f) row[place.begin + f] = evaluate_hat(frames, f, time);
    if (spline) {
      for (const Moment& m : row) out.values.push_back(m.left);
    }
    for (const Moment& m : row) out.values.push_back(m.value);
    if (spline) {
      for (const Moment& m : row) out.values.push_back(m.right);
    }
  }
  return out;
}

/// The same curve with columns of zeros behind.
Curve widen(const Curve& old, std::size_t total) {
  Curve out{old.interpolation, old.times, {}, total};
  for (std::size_t row = 0; row * old.width < old.values.size(); ++row) {
    const auto begin = old.values.begin() + static_cast<std::ptrdiff_t>(row * old.width);
    out.values.insert(out.values.end(), begin, begin + static_cast<std::ptrdiff_t>(old.width));
    out.values.resize((row + 1) * total, 0.0);
  }
  return out;
}

std::vector<float> round_values(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// Adds the targets and their animation to one part.
class FrameAdder {
 public:
  FrameAdder(GltfSource& source, Index part, std::span<const MorphFrames> clips)
      : source_(source), impl_(source.document.impl()), part_(part_of(source, part)), clips_(clips) {
    const Json* targets = find(mesh_of(source, part_)["primitives"][0], "targets");
    old_count_ = targets ? targets->size() : 0;
    total_ = old_count_;
    for (const MorphFrames& clip : clips) total_ += clip.frames.size();
  }

  void add() {
    isolate_mesh(source_, part_);
    add_targets();
    add_names();
    const std::vector<double> defaults = default_weights();
    extend_defaults(mesh_of(source_, part_));
    extend_defaults(item(impl_.json, "nodes", at(part_.node)));
    if (find(impl_.json, "animations")) animate(defaults);
  }

 private:
  bool any_normals() const {
    return std::any_of(clips_.begin(), clips_.end(), [](const MorphFrames& clip) {
      return std::any_of(clip.frames.begin(), clip.frames.end(),
                         [](const MorphTarget& f) { return !f.normals.empty(); });
    });
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
    for (const MorphFrames& clip : clips_) {
      for (const MorphTarget& frame : clip.frames) {
        Json target = Json::object();
        target["POSITION"] = append_offsets(impl_, to_floats(frame.positions, vertices), Bounds::with);
        if (normals) {
          target["NORMAL"] =
              append_offsets(impl_, frame.normals.empty() ? none : to_floats(frame.normals, vertices), Bounds::without);
        }
        targets.push_back(std::move(target));
      }
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
    for (const MorphFrames& clip : clips_) {
      for (const MorphTarget& frame : clip.frames) names->push_back(frame.name);
    }
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
    std::size_t begin = old_count_;
    std::vector<std::size_t> begin_of_clip;
    for (const MorphFrames& clip : clips_) {
      begin_of_clip.push_back(begin);
      begin += clip.frames.size();
    }
    for (std::size_t a = 0; a < count(impl_.json, "animations"); ++a) {
      const auto mine = std::find_if(clips_.begin(), clips_.end(), [&](const MorphFrames& clip) {
        return source_.map.animation_of_clip[at(clip.clip)] == static_cast<Index>(a);
      });
      Json* channel = find_channel(item(impl_.json, "animations", a));
      if (mine == clips_.end()) {
        if (channel) rewrite(a, widen(read_curve(a, *channel), total_));
        continue;
      }
      const Place place{old_count_, begin_of_clip[static_cast<std::size_t>(mine - clips_.begin())], total_};
      std::vector<double> times;
      for (const double time : mine->times) times.push_back(static_cast<float>(time));
      // Without a channel of their own, the old targets keep their default weights.
      const Curve old =
          channel ? read_curve(a, *channel) : Curve{Interpolation::linear, {times.front()}, defaults, old_count_};
      rewrite(a, merge(old, times, place));
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

  Curve read_curve(std::size_t animation, const Json& channel) const {
    const Json& sampler = item(impl_.json, "animations", animation)["samplers"][channel["sampler"].get<std::size_t>()];
    Curve curve;
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
    return curve;
  }

  /// The part's weights channel in an animation gets a curve; a sampler that other channels share is left to them.
  void rewrite(std::size_t a, const Curve& curve) {
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
  std::span<const MorphFrames> clips_;
  std::size_t old_count_ = 0, total_ = 0;
};

void check_targets(GltfSource& source, Index part) {
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

void check_frames(GltfSource& source, Index part, std::span<const MorphFrames> clips) {
  const std::size_t n = vertex_count(part_of(source, part));
  const std::string name = describe_part(source, part);
  std::vector<Index> seen;
  for (const MorphFrames& clip : clips) {
    const bool known = clip.clip >= 0 && at(clip.clip) < source.map.animation_of_clip.size() &&
                       source.map.animation_of_clip[at(clip.clip)] != kNone;
    if (!known) throw_bad_input("the document has no clip " + std::to_string(clip.clip));
    if (std::find(seen.begin(), seen.end(), clip.clip) != seen.end()) {
      throw_bad_input("the frames of clip " + std::to_string(clip.clip) + " are given twice");
    }
    seen.push_back(clip.clip);
    if (clip.frames.empty() || clip.frames.size() != clip.times.size()) {
      throw_bad_input("the frames of clip " + std::to_string(clip.clip) + " do not fit their times");
    }
    for (std::size_t k = 0; k < clip.frames.size(); ++k) {
      const bool ordered = std::isfinite(clip.times[k]) && clip.times[k] >= 0 &&
                           (k == 0 || static_cast<float>(clip.times[k]) > static_cast<float>(clip.times[k - 1]));
      if (!ordered)
        throw_bad_input("the times of the frames of clip " + std::to_string(clip.clip) + " do not increase");
      const MorphTarget& frame = clip.frames[k];
      const auto finite = [](const Vec3& x) { return x.cwiseAbs().maxCoeff() <= 3e38; };
      if (frame.positions.size() != n || (!frame.normals.empty() && frame.normals.size() != n) ||
          !std::all_of(frame.positions.begin(), frame.positions.end(), finite) ||
          !std::all_of(frame.normals.begin(), frame.normals.end(), finite)) {
        throw_bad_input("a frame for " + name + " has another number of vertices, or offsets that are not finite");
      }
    }
  }
}

}  // namespace

void add_morph_frames(GltfSource& source, Index part, std::span<const MorphFrames> clips) {
  check_frames(source, part, clips);
  check_targets(source, part);
  if (clips.empty()) return;
  GltfSource edited = source;
  FrameAdder(edited, part, clips).add();
  source = std::move(edited);
}

}  // namespace isochor
