#include "isochor/io/motion_file.h"

#include "isochor/base/error.h"
#include "isochor/io/atomic_file.h"
#include "isochor/io/point_cache.h"
#include "isochor/io/volume_settings.h"

namespace isochor {
namespace {

/// `clips` are those of the welded character; kNone for one that moves nothing.
HeldMotion hold_clips(const WeldedCharacter& welded, std::vector<Index> clips, const MotionFileOptions& options,
                      PlaybackOptions& playback, Context& context) {
  std::erase(clips, kNone);
  if (clips.empty()) throw_bad_input("there is no clip that moves anything");
  if (options.playback) playback = options.playback(welded);
  HoldOptions hold = options.hold;
  hold.clips = std::move(clips);
  hold.playback = playback;
  return hold_volume(welded, hold, context);
}

void write_motion(const WrittenCharacter& file, const MotionFileOptions& options, const BakeResult& baked,
                  const std::filesystem::path& path, Context& context) {
  const StageTimer timer(context, "write");
  context.progress("write", 0);
  file.save(path);
  if (!options.driven.empty()) write_file_atomically(options.driven, baked.driven_twins);
  context.progress("write", 1);
}

}  // namespace

MotionFile save_motion(const Loaded& loaded, const MotionFileOptions& options, const std::filesystem::path& path,
                       Context& context) {
  context.progress("weld", 0);
  WrittenCharacter file = as_written(loaded, options.bake.form);
  context.progress("weld", 0.5);
  const WeldedCharacter welded(file.character());
  std::vector<Index> clips;
  for (const Index clip : options.clips) clips.push_back(file.clips()[static_cast<std::size_t>(clip)]);

  MotionFile out;
  PlaybackOptions playback;
  out.motion = hold_clips(welded, std::move(clips), options, playback, context);
  if (options.carry_settings && playback.volume) set_volume_settings(file.source().document, *playback.volume);
  BakeOptions how = options.bake;
  how.drive_twins = !options.driven.empty();
  how.twins.between = options.hold.between.volume_error;
  out.baked = bake(out.motion, welded, how, file, context);
  write_motion(file, options, out.baked, path, context);
  if (!out.motion.shown_by_skinning || options.always_check) {
    out.errors = check_bake(path, out.motion, context, out.baked.key_times);
  }
  return out;
}

MotionCaches save_motion_caches(const Loaded& loaded, const MotionFileOptions& options,
                                const std::filesystem::path& path,
                                const std::function<void(const std::vector<std::filesystem::path>&)>& claim,
                                Context& context) {
  const WeldedCharacter welded(loaded.character);
  PlaybackOptions playback;
  MotionCaches out;
  out.motion = hold_clips(welded, options.clips, options, playback, context);
  out.files = point_cache_paths(out.motion, welded, path);
  if (claim) claim(out.files);
  {
    const StageTimer timer(context, "write");
    save_point_caches(out.motion, welded, path, point_cache_format(path).value_or(PointCacheFormat::pc2));
  }
  out.errors = check_caches(out.motion, welded, context);
  return out;
}

}  // namespace isochor
