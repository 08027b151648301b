#include "isochor/io/still_file.h"

#include <algorithm>
#include <optional>

#include "isochor/bake/still.h"
#include "isochor/io/gltf_edit.h"
#include "isochor/io/obj.h"
#include "isochor/mesh/volume.h"

namespace isochor {
namespace {

void save_as_gltf(const WrittenCharacter& file, std::span<const PosedPart> parts, const std::filesystem::path& path) {
  GltfSource source = file.source();
  make_still(source, parts);
  source.document.save(path);
}

void save_as_obj(const Character& character, std::span<const PosedPart> parts, const std::filesystem::path& path) {
  std::vector<ObjPart> obj;
  for (std::size_t p = 0; p < character.parts.size(); ++p) {
    obj.push_back({&character.parts[p], parts[p].positions, parts[p].normals});
  }
  write_obj(path, obj, character.materials);
}

/// Of the largest of a frame's components.
double written_error(const WeldedCharacter& welded, const CorrectedPlayback::Frame& frame, bool rounded) {
  std::vector<Vec3> written = frame.corrected.positions;
  if (rounded) {
    for (Vec3& p : written) p = p.cast<float>().cast<double>();
  }
  double worst = 0;
  const auto& components = welded.topology().components;
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (!welded.has_volume(c)) continue;
    const double volume = VolumeFunctional(welded.surface(), components[c]).volume(written);
    worst = std::max(worst, relative_volume_error(volume, frame.posed.target_volumes[c]));
  }
  return worst;
}

}  // namespace

StillFile save_still(const Loaded& loaded, const Pose& pose, const StillFileOptions& options,
                     const std::filesystem::path& path, Context& context) {
  const bool as_obj = path.extension() == ".obj";
  // What a glTF draws is triangles, and it is their volume that is held.
  std::optional<WrittenCharacter> file;
  if (!as_obj) file = as_written(loaded);
  const WeldedCharacter welded(file ? file->character() : loaded.character);
  CorrectedPlayback playback(welded, options.playback ? options.playback(welded) : PlaybackOptions{}, context);
  const Pose own = file ? file->pose(pose) : pose;
  playback.begin({&own, 1});
  const auto frame = playback.play(own, options.time, context);
  const StageTimer timer(context, "write");
  const auto parts = still_parts(playback, frame, context);
  as_obj ? save_as_obj(welded.character(), parts, path) : save_as_gltf(*file, parts, path);
  Problems problems = check_reach(own, welded.character());
  for (Problem& problem : playback.problems()) problems.push_back(std::move(problem));
  return {playback.report(), written_error(welded, frame, !as_obj), std::move(problems)};
}

}  // namespace isochor
