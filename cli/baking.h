#pragma once

/// From frames of a deformed character to a file that plays them: morph targets on top of the skin, or point caches.

#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isochor/bake/morph_basis.h"
#include "isochor/bake/surface_normals.h"
#include "isochor/deform/playback.h"
#include "isochor/io/bake_check.h"
#include "isochor/io/gltf_edit.h"
#include "posing.h"
#include "session.h"

namespace isochor {

enum class BakeMode {
  morphs,  ///< a small basis of morph targets
  frames,  ///< one morph target a frame
  pc2,     ///< point caches
  mdd,
};
template <>
struct EnumNames<BakeMode> {
  static constexpr std::array names{"morphs", "frames", "pc2", "mdd"};
};

namespace cli {

struct BakeOptions {
  std::optional<BakeMode> mode;  ///< by the output's extension, and morphs for a glTF, where none is given
  MorphBasisOptions basis;
};
/// --bake and what belongs to it.
void add_bake_options(CLI::App& command, BakeOptions& options);

bool is_cache(BakeMode mode);
/// The mode that is asked for. Throws where the output's extension (.glb, .gltf, .pc2, .mdd) does not fit it.
BakeMode bake_mode(const BakeOptions& options, const std::filesystem::path& output);

/// Frames a second for point caches where none is given: their samples are one frame apart, which a clip's own keys
/// need not be. It is Blender's.
inline constexpr double kCacheFps = 24;
/// The times at which a clip is evaluated for baking: frame_times(), as the floats that a file holds. Where `fps` is 0
/// the keys, with more between those that are farther apart than kLongestGap: morph weights are lines from frame to
/// frame, and what is baked is not.
inline constexpr double kLongestGap = 0.05;
std::vector<double> bake_times(const Clip& clip, double fps);

/// A character as the file to be written holds it: single precision, corners split into vertices, clips that came from
/// a motion, joints of another skeleton. What is baked is baked on this one, so that the file plays it and no rounding
/// comes in between.
struct WrittenCharacter {
  GltfSource source;
  Character character;
  std::vector<Index> clips;  ///< of the character: those that were asked for
};
/// A glTF keeps its own document, so that all else in it survives. `clips` are those of the input's character.
WrittenCharacter as_written(const PosedInput& input, std::span<const Index> clips);

/// One frame as it should look.
struct BakeFrame {
  double time = 0;
  const Pose* pose = nullptr;
  std::span<const PosedPart> parts = {};  ///< by part, world space; normals are not looked at
  std::span<const double> volumes = {};   ///< by component of the playback, signed: what the file is checked against
  /// By part: offsets in the rest pose that linear blend skinning turns into `parts`, where they are known; empty:
  /// found here.
  std::span<const std::vector<Vec3>> offsets = {};
};

/// Takes the frames of one clip after another, and writes them at the end.
class Baker {
 public:
  /// Keeps a reference to `playback`, over WrittenCharacter::character.
  Baker(const Playback& playback, BakeMode mode, const MorphBasisOptions& basis);

  void begin_clip(Index clip);
  void add(const BakeFrame& frame, const Context& context);

  /// Writes the file, or the caches, and returns the report's field `bake`.
  Json write(GltfSource source, const std::filesystem::path& output, Session& session);

 private:
  /// Offsets of the moved vertices alone, in the file's own precision: clips are many and corrections local.
  struct SparseOffsets {
    std::vector<Index> vertices;
    std::vector<Vec3f> values;
  };
  struct PartFrame {
    SparseOffsets positions, normals;
  };
  struct ClipFrames {
    Index clip = 0;
    std::vector<double> times;
    std::vector<std::vector<PartFrame>> parts;  ///< by frame, then by part
  };

  static SparseOffsets compress(std::span<const Vec3> values);
  static std::vector<Vec3> expand(const SparseOffsets& offsets, std::size_t vertices);
  void add_offsets(const BakeFrame& frame, const Context& context);
  /// What a frame's offsets are found from, and what a viewer makes of them.
  struct Viewer {
    std::vector<PosedPart> rest;             ///< by part: morph targets that were there already, no skin
    std::vector<std::vector<Mat34>> maps;    ///< by part; empty where unskinned
    std::vector<std::vector<Vec3>> offsets;  ///< by part; empty where unskinned
  };
  Viewer find_offsets(const BakeFrame& frame, const Context& context) const;
  void restore_volumes(const BakeFrame& frame, Viewer& viewer);
  void report_unreached(Json& report, Session& session) const;
  void keep_reference(const BakeFrame& frame);
  bool moves(std::size_t part) const;
  std::vector<double> sizes_of(std::size_t part) const;
  std::vector<MorphTarget> targets_of(std::size_t part, const ClipFrames& clip) const;
  std::size_t write_frames(GltfSource& source) const;
  std::size_t write_basis(GltfSource& source, Json& report, Context& context) const;
  Json write_caches(const std::filesystem::path& output) const;
  Interpolation interpolation_of(Index clip) const;

  const Playback& playback_;
  BakeMode mode_;
  MorphBasisOptions basis_;
  SurfaceNormals normals_;
  std::vector<ClipFrames> clips_;
  std::vector<BakeReference> references_;
  std::set<std::pair<std::size_t, Index>> unreached_;  ///< part and vertex: at some time no offset reached their place
  double max_unreached_ = 0;                           ///< by how much, relative to the bounding box
};

}  // namespace cli
}  // namespace isochor
