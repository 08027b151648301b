#include "isochor/io/motion.h"

#include "isochor/io/load.h"

namespace isochor {

namespace {

bool has_clip(const Character& character, const std::string& name) {
  for (const Clip& clip : character.clips) {
    if (clip.name == name) return true;
  }
  return false;
}

/// A name by which the new clip can be told from those that are there.
std::string name_for(const Character& character, const std::string& picked, const std::string& stem) {
  std::string name = picked.empty() ? stem : picked;
  if (!has_clip(character, name)) return name;
  const std::string longer = picked.empty() ? stem : picked + " (" + stem + ")";
  name = longer;
  for (int n = 2; has_clip(character, name); ++n) name = longer + " " + std::to_string(n);
  return name;
}

}  // namespace

BroughtMotion bring_motion(Character& character, const std::filesystem::path& file, const MotionOptions& options,
                           Context& context) {
  Character motion = load_character(file, {.purpose = LoadPurpose::motion}, context).character;
  if (motion.clips.empty()) {
    throw_bad_input(file.string() + " has no clip: a motion is a BVH, or a file with an animation of its joints");
  }
  BroughtMotion result;
  result.taken = options.clip.empty() ? 0 : find_clip(motion.clips, options.clip, file.string());
  for (const Clip& clip : motion.clips) result.file_clips.push_back(clip.name);
  result.source = std::move(motion.skeleton);
  const Clip& taken = motion.clips[result.taken];
  result.retargeted = retarget(result.source, taken, character.skeleton, options.retarget);
  result.retargeted.clip.name = name_for(character, options.clip.empty() ? "" : taken.name, file.stem().string());
  result.clip = static_cast<Index>(character.clips.size());
  character.clips.push_back(std::move(result.retargeted.clip));
  return result;
}

}  // namespace isochor
