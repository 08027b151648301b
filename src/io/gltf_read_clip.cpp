#include "gltf_keys.h"
#include "gltf_reader.h"

namespace isochor::gltf {
namespace {

std::optional<ChannelPath> path_of(std::string_view name) {
  if (name == "translation") return ChannelPath::translation;
  if (name == "rotation") return ChannelPath::rotation;
  if (name == "scale") return ChannelPath::scale;
  if (name == "weights") return ChannelPath::morph_weights;
  return std::nullopt;
}

Interpolation interpolation_of(const std::string& name, const Where& where) {
  if (name == "LINEAR") return Interpolation::linear;
  if (name == "STEP") return Interpolation::step;
  if (name == "CUBICSPLINE") return Interpolation::cubic_spline;
  throw_bad_input("its " + where.str() + " has an unknown interpolation '" + name.substr(0, 40) + "'");
}

/// The number of morph targets that a joint (node) drives; 0 without any.
std::vector<Index> morph_counts(const Reader& reader) {
  std::vector<Index> counts(reader.character.skeleton.size(), 0);
  for (const Part& part : reader.character.parts) {
    counts[static_cast<std::size_t>(part.node)] = static_cast<Index>(part.morphs.size());
  }
  return counts;
}

/// Reads the channels of one animation.
class ClipReader {
 public:
  ClipReader(Reader& reader, const Json& animation, std::size_t index, const std::vector<Index>& morphs)
      : reader_(reader), animation_(animation), where_{"animation", index}, morphs_(morphs) {
    clip_.name = get_string(animation, "name", "clip_" + std::to_string(index));
  }

  Clip read() {
    for (const Json& json : get_array(animation_, "channels", where_)) read_channel(json);
    const std::string of = " of the clip '" + clip_.name + "' ";
    Problems& out = reader_.character.problems;
    foreign_.report(
        out, Severity::note, "gltf-channel-ignored",
        "{} channel{|s}" + of + "animate{s|} something other than the character's nodes and {was|were} left out");
    broken_.report(out, Severity::warning, "gltf-channel-not-finite",
                   "{} channel{|s}" + of + "hold{s|} values that are not finite and {was|were} left out");
    unordered_.report(out, Severity::warning, "gltf-key-order",
                      "{} channel{|s}" + of + "{has|have} times that do not increase; the late keys were left out");
    return std::move(clip_);
  }

 private:
  void read_channel(const Json& json) {
    const Json& root = reader_.impl.json;
    const Index number = count_++;
    const Json& target = get_object(json, "target", where_);
    const auto path = path_of(get_string(target, "path"));
    const auto node = get_index(target, "node", count(root, "nodes"), where_);
    const Index joint = node ? reader_.map.joint_of_node[static_cast<std::size_t>(*node)] : kNone;
    if (!path || joint == kNone) return foreign_.add(number);
    Channel channel;
    channel.joint = joint;
    channel.path = *path;
    channel.width = *path == ChannelPath::rotation        ? 4
                    : *path == ChannelPath::morph_weights ? morphs_[static_cast<std::size_t>(joint)]
                                                          : 3;
    if (channel.width == 0) return foreign_.add(number);
    read_keys(json, channel);
    if (!all_finite(channel.values)) return broken_.add(number);
    if (keep_increasing(channel.times, channel.values) > 0) unordered_.add(number);
    if (channel.times.empty()) return foreign_.add(number);
    clip_.channels.push_back(std::move(channel));
  }

  void read_keys(const Json& json, Channel& channel) {
    const Impl& impl = reader_.impl;
    const Json& samplers = get_array(animation_, "samplers", where_);
    const std::size_t accessors = count(impl.json, "accessors");
    const auto index = get_index(json, "sampler", samplers.size(), where_);
    if (!index) throw_bad_input("its " + where_.str() + " has a channel without a sampler");
    const Json& sampler = samplers[static_cast<std::size_t>(*index)];
    const auto input = get_index(sampler, "input", accessors, where_);
    const auto output = get_index(sampler, "output", accessors, where_);
    if (!input || !output) throw_bad_input("its " + where_.str() + " has a sampler without input or output");
    channel.interpolation = interpolation_of(get_string(sampler, "interpolation", "LINEAR"), where_);
    const bool scalar = channel.path == ChannelPath::morph_weights;
    reader_.budget.charge(resolve_accessor(impl, *input).info.count, 16);
    reader_.budget.charge(resolve_accessor(impl, *output).info.count, scalar ? 16 : 48);
    channel.times = read_doubles(impl, *input, 1, "animation times");
    channel.values = read_doubles(impl, *output, scalar ? 1 : channel.width, "animation values");
    const std::size_t parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
    if (channel.values.size() != channel.times.size() * parts * static_cast<std::size_t>(channel.width)) {
      throw_bad_input("its " + where_.str() + " has a sampler with " + std::to_string(channel.times.size()) +
                      " times and " + std::to_string(channel.values.size()) + " numbers, which do not fit");
    }
  }

  Reader& reader_;
  const Json& animation_;
  Where where_;
  const std::vector<Index>& morphs_;
  Clip clip_;
  Index count_ = 0;
  ProblemCollector foreign_, broken_, unordered_;
};

}  // namespace

void read_clips(Reader& reader) {
  const Json& root = reader.impl.json;
  const std::vector<Index> morphs = morph_counts(reader);
  for (std::size_t a = 0; a < count(root, "animations"); ++a) {
    reader.character.clips.push_back(ClipReader(reader, item(root, "animations", a), a, morphs).read());
    reader.map.animation_of_clip.push_back(static_cast<Index>(a));
  }
}

}  // namespace isochor::gltf
