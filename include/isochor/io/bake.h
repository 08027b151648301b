#pragma once

/// A held motion into files: as morph targets of a glTF document, animated on top of its skin, as twins of its joints,
/// or as point caches.

#include <filesystem>
#include <string>
#include <vector>

#include "isochor/bake/driven_twins.h"
#include "isochor/bake/held_motion.h"
#include "isochor/bake/morph_basis.h"
#include "isochor/bake/twin_joints.h"
#include "isochor/io/point_cache.h"
#include "isochor/io/written_character.h"

namespace isochor {

struct BakeOptions {
  BakeForm form = BakeForm::morphs;
  MorphBasisOptions basis;  ///< with joints_and_morphs, no limit on the number of targets means 8 for each part, and
                            ///< the tolerance is 1e-3 at least
  TwinOptions twins;
  bool drive_twins = false;  ///< with joints: twins as functions of the pose too
};

struct BakeResult {
  std::size_t targets = 0;       ///< morph targets added, over all parts
  std::size_t twins = 0;         ///< joints added
  TwinFigures twin_figures;      ///< how much of the correction they bring, before the file is written
  std::string driven_twins;      ///< if asked for: the text of the file (JSON) that says how twins follow the pose
  DrivenFigures driven_figures;  ///< how well twins that follow the pose show these clips
  std::size_t keys = 0;          ///< of all clips
  /// Of twins, by clip of the motion: the frames that got a key. Nothing for morph targets: all.
  std::vector<std::vector<double>> key_times;
  std::size_t bytes = 0;        ///< that the document grew by: JSON and buffers
  double max_normal_error = 0;  ///< morphs: the largest length of the difference of two normal offsets
  Problems problems;
};

/// Adds what linear blend skinning does not show of the motion to the file, which is ready to be saved then. The motion
/// was held on `welded`, which was made of file.character(). Targets of the file's own and their animation play as
/// before. A motion that is shown by skinning adds nothing. Throws Error(bad_input), and leaves the file as it was, if
/// the motion was held on another character, if joints are wanted and the file was not made for them, or the other way
/// round (as_written()), and if the character has kept what an earlier bake() added (LoadOptions::keep_baked).
BakeResult bake(const HeldMotion& motion, const WeldedCharacter& welded, const BakeOptions& options,
                WrittenCharacter& file, Context& context);

/// One cache for each clip and part, in this order. `path` gives folder and extension; if there are several parts or
/// clips their names are added to the file's.
std::vector<std::filesystem::path> point_cache_paths(const HeldMotion& motion, const WeldedCharacter& welded,
                                                     const std::filesystem::path& path);
/// What point caches hold: positions, at frames that are evenly apart; 24 per second, as in Blender, if `fps` is 0.
HoldOptions point_cache_frames(double fps);
/// Writes these files.
void save_point_caches(const HeldMotion& motion, const WeldedCharacter& welded, const std::filesystem::path& path,
                       PointCacheFormat format);

}  // namespace isochor
