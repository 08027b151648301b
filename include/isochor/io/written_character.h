#pragma once

/// A character as the glTF file to be written shows it: in single precision, vertices split where corners disagree,
/// polygons as the triangles that viewers draw, joints and clips that came from elsewhere added. What is baked is baked
/// on this one, so that the volume held is the one shown, and no rounding comes in between.
///
///   Loaded loaded = load_character("hero.glb", {}, context);
///   apply(bind(loaded.character, {}, context), loaded.character);
///   WrittenCharacter file = as_written(loaded);
///   const WeldedCharacter welded(file.character());
///   bake(hold_volume(welded, {}, context), welded, {}, file, context);
///   file.save("out.glb");

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "isochor/base/options.h"
#include "isochor/deform/skinning.h"
#include "isochor/io/load.h"

namespace isochor {

/// How a motion goes into a file.
enum class BakeForm {
  morphs,             ///< a small basis of morph targets
  frames,             ///< one morph target for each frame: larger, and exact at every key
  joints,             ///< no morph target: joints that ride on those of the skin, for games
  joints_and_morphs,  ///< joints, and a few morph targets for what these do not show
};
template <>
struct EnumNames<BakeForm> {
  static constexpr std::array names{"morphs", "frames", "joints", "joints+morphs"};
};
/// Whether it adds joints to the skin.
inline bool adds_joints(BakeForm form) { return form == BakeForm::joints || form == BakeForm::joints_and_morphs; }

/// Copies are cheap to weld for: they share one character, so that what was held on it can be baked into each.
class WrittenCharacter {
 public:
  /// What the file shows before anything is baked into it. It cannot be changed: other weights or clips go into the
  /// Loaded that the file is made of, and as_written() brings the document up to date with them.
  const Character& character() const { return *character_; }
  /// By clip of the loaded character: its clip in character(), or kNone if it moves nothing.
  std::span<const Index> clips() const { return clips_; }
  /// A pose of the loaded character as one of character(), which may have more joints, and in another order.
  Pose pose(const Pose& loaded) const;
  const Problems& problems() const { return problems_; }  ///< what glTF could not hold
  BakeForm form() const { return form_; }                 ///< that it was made for

  /// The document, and for edits of it (gltf_edit.h): baking is one. character() does not follow them.
  const GltfSource& source() const { return source_; }
  GltfSource& source() { return source_; }
  /// As GltfDocument::save().
  void save(const std::filesystem::path& path) const { source_.document.save(path); }

 private:
  friend WrittenCharacter as_written(const Loaded& loaded, BakeForm form);

  GltfSource source_;
  std::shared_ptr<const Character> character_ = std::make_shared<const Character>();
  std::vector<Index> clips_;
  Skeleton loaded_;              // the joints of the loaded character
  std::vector<Index> joints_;    // by joint of it: the joint of character(), or kNone
  std::vector<Index> carriers_;  // the same for the morph weights of the mesh that it carries
  Problems problems_;
  BakeForm form_ = BakeForm::morphs;
};

/// A glTF keeps its own document, so that all else in it survives. Joints that are added take pieces of weights: for
/// them the weights of character() are round (round_weights()), so that the file has them back to the last bit when the
/// joints are removed.
WrittenCharacter as_written(const Loaded& loaded, BakeForm form = BakeForm::morphs);

/// Brings a document up to date with a character that was read from it and changed since: joints that were added, skins
/// and weights, clips. `clip` gets the clip of source.map for each clip of the character. Returns whether anything had
/// changed. Throws Error(unsupported) if something else has: vertices, faces, the joints of the file.
bool bring_up_to_date(GltfSource& source, const Character& character, std::vector<Index>& clip);

}  // namespace isochor
