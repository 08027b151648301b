#pragma once

/// From frames of a deformed character to a file that plays them: morph targets on top of the skin, or point caches.

#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "baking.h"
#include "isochor/bake/morph_volume.h"
#include "isochor/bake/surface_normals.h"
#include "isochor/deform/playback.h"
#include "isochor/io/bake_check.h"
#include "session.h"

namespace isochor::cli {

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
  /// A frame of the clip, at any time that it has none for.
  void add(const BakeFrame& frame, const Context& context);
  /// How far a frame between two that were added is from what a player makes of these two.
  BetweenError between(const BakeFrame& frame, const Context& context) const;
  /// What came of adding keys to the clip, for the report.
  void note(const BetweenKeys& keys);

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
    std::vector<BakeReference> references;      ///< by frame
  };
  /// What a frame's offsets are found from, and what a viewer makes of them.
  struct Viewer {
    std::vector<PosedPart> rest;             ///< by part: morph targets that were there already, no skin
    std::vector<std::vector<Mat34>> maps;    ///< by part; empty where unskinned
    std::vector<std::vector<Vec3>> offsets;  ///< by part; empty where unskinned
  };
  /// All parts' targets, on the welded surface.
  struct WeldedTargets {
    std::vector<WeldedTarget> targets;
    std::vector<Eigen::Index> begin;  ///< by part: its first target
    std::vector<double> reach;        ///< #V of the surface: how far a vertex may go
  };
  /// A basis for each part that moves.
  using Bases = std::vector<std::optional<MorphBasis>>;

  static SparseOffsets compress(std::span<const Vec3> values);
  static std::vector<Vec3> expand(const SparseOffsets& offsets, std::size_t vertices);
  BakeReference reference_of(const BakeFrame& frame) const;
  std::vector<PartFrame> offsets_of(const BakeFrame& frame, const Context& context);
  Viewer viewer_at(const Pose& pose, const Context& context) const;
  void find_offsets(const BakeFrame& frame, Viewer& viewer) const;
  void blend_offsets(double time, Viewer& viewer) const;
  Vec3 place(const Viewer& viewer, std::size_t part, std::size_t vertex) const;
  void restore_volumes(const BakeFrame& frame, Viewer& viewer);
  std::vector<double> wanted_volumes(std::span<const double> volumes) const;

  bool moves(std::size_t part) const;
  std::vector<double> sizes_of(std::size_t part) const;
  std::vector<MorphTarget> targets_of(std::size_t part, const ClipFrames& clip) const;
  Bases find_bases(Context& context) const;
  WeldedTargets weld_targets(const Bases& bases) const;
  void keep_volumes(Bases& bases, Context& context) const;
  MorphedFrame unmorphed_frame(const ClipFrames& clip, std::size_t k) const;
  std::size_t write_frames(GltfSource& source) const;
  std::size_t write_basis(GltfSource& source, Json& report, Context& context) const;
  Json write_caches(const std::filesystem::path& output) const;
  Interpolation interpolation_of(Index clip) const;
  void report_unreached(Json& report, Session& session) const;
  void report_between(Json& report, Session& session) const;

  const Playback& playback_;
  BakeMode mode_;
  MorphBasisOptions basis_;
  SurfaceNormals normals_;
  std::vector<ClipFrames> clips_;
  std::set<std::pair<std::size_t, Index>> unreached_;  ///< part and vertex: at some time no offset reached their place
  double max_unreached_ = 0;                           ///< by how much, relative to the bounding box
  std::optional<BetweenKeys> between_;                 ///< of all clips together
};

}  // namespace isochor::cli
