#pragma once

/// Moments of a corrected playback as frames of offsets in the rest pose, one clip after another.

#include <map>
#include <set>
#include <utility>

#include "bake/face_mender.h"
#include "isochor/bake/held_motion.h"
#include "isochor/bake/surface_normals.h"
#include "isochor/mesh/volume.h"

namespace isochor {

class HeldFrames {
 public:
  HeldFrames(const WeldedCharacter& welded, HeldForm form);

  void begin_clip(Index clip, Interpolation interpolation);
  /// A moment as a frame, and what was noted of it.
  struct Moment {
    HeldFrame frame;
    std::vector<std::pair<std::size_t, std::size_t>> unreached;  ///< part and vertex
    double max_unreached = 0;
  };
  /// For several threads at once, as between() is.
  Moment hold(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame, Context& context) const;
  /// To the clip, at any time that it has none for.
  void add(Moment moment);
  /// How far a moment between two that were added is from what a player makes of these two.
  BetweenError between(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame,
                       Context& context) const;

  /// Turns faces back that are turned over at these moments, half-way between keys of the clip: their corners move a
  /// little at the keys around. Returns the most faces of one moment that are still turned over.
  std::size_t mend(const CorrectedPlayback& playback, const Clip& clip, std::span<const double> moments,
                   Context& context);

  /// Moves the clips, and what was noted on the way, into the motion.
  void take(HeldMotion& motion);

 private:
  /// What a viewer, which knows linear blend skinning alone, makes of offsets in the rest pose.
  struct Viewer {
    std::vector<std::vector<Vec3>> wanted;   ///< by part: where vertices should be
    std::vector<PosedPart> rest;             ///< by part: morph targets of the file, no skin
    std::vector<std::vector<Mat34>> maps;    ///< by part; empty where unskinned
    std::vector<std::vector<Vec3>> offsets;  ///< by part; empty where unskinned
    double size = 0;                         ///< the diagonal of the box around `wanted`

    Vec3 place(std::size_t part, std::size_t vertex) const;
  };

  using OffsetChanges = std::map<Index, Vec3>;  // by vertex of the welded surface

  Viewer view(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame, Context& context) const;
  void find_offsets(const CorrectedPlayback& playback, const CorrectedPlayback::Frame& frame, Viewer& viewer) const;
  void blend_offsets(double time, Viewer& viewer) const;
  HeldFrame held(const Viewer& viewer, const CorrectedPlayback::Frame& frame) const;
  std::vector<HeldPart> held_parts(const Viewer& viewer) const;
  Vec3 offset_of(const HeldFrame& frame, Index welded) const;
  std::vector<std::pair<std::size_t, std::vector<FaceMender::Face>>> turned_between(
      const FaceMender& mender, const FaceMender::Keys& keys, const std::vector<std::size_t>& gaps,
      Context& context) const;
  void change(const Clip& clip, const OffsetChanges& changes, HeldFrame& frame) const;
  static void sharpen(Viewer& viewer);
  void keep_normals(std::span<const Vec3> moved, const HeldFrame& frame, std::vector<HeldPart>& held) const;
  void restore_volumes(std::span<const double> volumes, std::span<const Index> fixed, Viewer& viewer,
                       Moment& out) const;

  const WeldedCharacter& welded_;
  HeldForm form_;
  SurfaceNormals normals_;
  std::vector<VolumeFunctional> volumes_;  // by component
  TurnedFaces turned_faces_;
  std::vector<HeldClip> clips_;
  std::set<std::pair<std::size_t, std::size_t>> unreached_;  // part and vertex
  double max_unreached_ = 0;
};

}  // namespace isochor
