#pragma once

/// Clips of a character with their volume held, in the form that files keep: offsets in the rest pose on top of linear
/// blend skinning, key by key.
///
///   const WeldedCharacter welded(character);
///   const HeldMotion motion = hold_volume(welded, {}, context);   // every clip

#include <optional>
#include <span>
#include <vector>

#include "isochor/bake/between_keys.h"
#include "isochor/volume/corrected_playback.h"

namespace isochor {

/// Offsets of the moved vertices alone, in a file's own precision: clips are many and corrections local.
struct SparseOffsets {
  std::vector<Index> vertices;  ///< increasing
  std::vector<Vec3f> values;
};
SparseOffsets compress(std::span<const Vec3> values);
/// Zero if there is no offset.
std::vector<Vec3> expand(const SparseOffsets& offsets, std::size_t vertices);

struct HeldPart {
  std::vector<Vec3f> positions;    ///< #V of the part, world space: what a player should show
  SparseOffsets offsets, normals;  ///< in the rest pose: what morph targets have to bring
};

struct HeldFrame {
  double time = 0;
  std::vector<HeldPart> parts;         ///< by part of the character
  std::vector<double> volumes;         ///< by component, signed; 0 if it has none to keep
  std::vector<double> target_volumes;  ///< by component
  double volume_factor = 1;            ///< of the settings, in the targets: VolumeSettings::volume
};

struct HeldClip {
  Index clip = 0;                 ///< of the character
  std::vector<HeldFrame> frames;  ///< in the order of time
  /// Of the weights between frames: step if every joint of the clip steps.
  Interpolation interpolation = Interpolation::linear;
};

/// What is kept of the frames.
enum class HeldForm {
  offsets,    ///< everything
  positions,  ///< for point caches: positions and volumes
  volumes,    ///< volumes alone
};

struct HoldOptions {
  PlaybackOptions playback;
  std::vector<Index> clips;  ///< of the character; empty: all of them
  double fps = 0;            ///< frames per second; 0: the clip's own keys (bake_times())
  /// Keys added where lines between keys lose volume or turn faces over; with HeldForm::offsets alone.
  BetweenKeysOptions between;
  HeldForm form = HeldForm::offsets;
};

struct HeldMotion {
  std::vector<HeldClip> clips;
  /// Linear blend skinning shows all of it, as nothing is corrected: there is nothing to bake, and the frames hold
  /// volumes, but no part.
  bool shown_by_skinning = false;
  Deformer deformer = Deformer::lbs;                  ///< that was played
  std::shared_ptr<const MedialRig> medial = nullptr;  ///< of the deformer medial
  bool keeps_faces = false;                           ///< no face is turned over, at keys and half-way between two
  VolumeReport volume;                                ///< errors of the volume before and after
  std::optional<BetweenKeys> between;                 ///< of all clips together; nothing if none were asked for
  /// Vertices of the file that no offset in the rest pose brings to their place at some moment: linear blend skinning
  /// flattens the skin there.
  std::size_t unreached_vertices = 0;
  double max_unreached = 0;  ///< how far such a vertex is off at most, relative to the character's size
  Problems problems;

  std::size_t frame_count() const;
};

/// Plays clips with their volume held. Throws Error(bad_input) if a clip does not exist or settings are out of
/// range.
HeldMotion hold_volume(const WeldedCharacter& welded, const HoldOptions& options, Context& context);

}  // namespace isochor
