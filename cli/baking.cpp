#include "baking.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "isochor/base/error.h"
#include "isochor/io/gltf_write.h"
#include "options.h"

namespace isochor::cli {
namespace {

void add_rig(GltfSource& source, const Character& character) {
  add_joints(source, character.skeleton);
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    const Part& part = character.parts[p];
    if (part.skinned()) replace_weights(source, static_cast<Index>(p), part.skin, part.weights);
  }
}

/// Where some joints step and others do not, weights change linearly; a step between neighbouring floats is one.
void add_moments_before_steps(const Clip& clip, std::vector<double>& times) {
  const std::size_t keys = times.size();
  for (const Channel& channel : clip.channels) {
    if (channel.interpolation != Interpolation::step || channel.times.empty()) continue;
    const std::size_t width = channel.values.size() / channel.times.size();
    for (std::size_t k = 1; k < channel.times.size(); ++k) {
      const auto value = channel.values.begin() + static_cast<std::ptrdiff_t>(k * width);
      const bool moves =
          !std::equal(value, value + static_cast<std::ptrdiff_t>(width), value - static_cast<std::ptrdiff_t>(width));
      const float time = static_cast<float>(channel.times[k]);
      if (moves) times.push_back(std::nextafter(time, -std::numeric_limits<float>::infinity()));
    }
  }
  if (times.size() == keys) return;
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

void add_bake_options(CLI::App& command, BakeOptions& options) {
  command
      .add_option_function<std::string>(
          "--bake",
          [&options](const std::string& text) {
            const auto& names = EnumNames<BakeMode>::names;
            const auto found = std::find(names.begin(), names.end(), text);
            if (found == names.end()) {
              throw CLI::ValidationError("--bake",
                                         "there is no " + text + "; choose one of " + enum_choices<BakeMode>());
            }
            options.mode = static_cast<BakeMode>(found - names.begin());
          },
          "how a motion that skinning alone does not show is written: a few morph targets, one a frame, or point "
          "caches (default morphs; by the extension for .pc2 and .mdd)")
      ->type_name(enum_choices<BakeMode>())
      ->group("Bake");
  add_options(command, options.basis, "Bake");
  add_options(command, options.between, "Bake");
  command.get_option("--between")->each([&options](const std::string&) { options.between_given = true; });
}

bool is_cache(BakeMode mode) { return mode == BakeMode::pc2 || mode == BakeMode::mdd; }

BakeMode bake_mode(const BakeOptions& options, const std::filesystem::path& output) {
  const std::string extension = output.extension().string();
  const bool pc2 = extension == ".pc2", mdd = extension == ".mdd";
  const BakeMode by_extension = pc2 ? BakeMode::pc2 : mdd ? BakeMode::mdd : BakeMode::morphs;
  const BakeMode mode = options.mode.value_or(by_extension);
  if ((is_cache(mode) || pc2 || mdd) && mode != by_extension) {
    throw_bad_input("--bake " + enum_name(mode) + " does not fit the output " + output.string() +
                    (is_cache(mode) ? "; it must end in ." + enum_name(mode) : "; it must end in .glb or .gltf"));
  }
  return mode;
}

bool steps_throughout(const Clip& clip) {
  bool any = false;
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::morph_weights || channel.times.size() < 2) continue;
    if (channel.interpolation != Interpolation::step) return false;
    any = true;
  }
  return any;
}

std::vector<double> bake_times(const Clip& clip, double fps) {
  std::vector<double> times;
  const auto add = [&](double time) {
    const double rounded = static_cast<float>(time);
    if (times.empty() || rounded > times.back()) times.push_back(rounded);
  };
  const bool fill = fps == 0 && !steps_throughout(clip);
  std::vector<double> frames = frame_times(clip, fps);
  if (fill) add_moments_before_steps(clip, frames);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const double gap = fill && k > 0 ? frames[k] - frames[k - 1] : 0;
    const auto pieces = static_cast<int>(std::ceil(gap / kLongestGap));
    for (int i = 1; i < pieces; ++i) add(frames[k - 1] + gap * i / pieces);
    add(frames[k]);
  }
  return times;
}

WrittenCharacter as_written(const PosedInput& input, std::span<const Index> clips) {
  const Loaded& loaded = input.loaded;
  WrittenCharacter out;
  std::vector<Index> animation_of_clip;
  if (loaded.gltf) {
    out.source = *loaded.gltf;
    const bool other_rig = loaded.character.skeleton.size() != out.source.map.node_of_joint.size();
    if (other_rig) add_rig(out.source, loaded.character);
    if (input.motion_clip != kNone) add_clip(out.source, loaded.character.clips[input.motion_clip]);
    const bool same = !other_rig && input.motion_clip == kNone;
    if (same) {
      out.character = loaded.character;
      out.clips.assign(clips.begin(), clips.end());
      return out;
    }
  } else {
    out.source = write_gltf(loaded.character).source;
  }
  for (const Index clip : clips) {
    const Index animation = out.source.map.animation_of_clip[clip];
    if (animation != kNone) out.clips.push_back(animation);
  }
  GltfCharacter read = read_gltf(out.source.document);
  out.character = std::move(read.character);
  out.source.map = std::move(read.map);
  return out;
}

}  // namespace isochor::cli
