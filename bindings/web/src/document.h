#pragma once

/// What is open in a page: a character in the form that its glTF has, the weights that it was given, its clips.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isochor/bind/bind.h"
#include "isochor/io/load.h"
#include "isochor/io/motion.h"
#include "isochor/volume/settings.h"

namespace isochor::web {

/// Rotations on top of a clip or of the rest pose, each in its joint's own space.
struct JointTurn {
  Index joint = kNone;
  Quat turn = Quat::Identity();
};

class Document {
 public:
  /// Any file that load_character() takes; `skeleton` may be empty. What bake() had added is taken out.
  static Document open(const std::filesystem::path& file, const std::filesystem::path& skeleton, Context& context);
  static Document sample(const std::string& name, Context& context);

  /// As a viewer draws it, with the weights that it has now: polygons cut into triangles.
  const Character& character() const { return *shown_; }
  /// The same vertices, joints and clips, with the polygons of the file.
  const Loaded& file() const { return *file_; }
  /// The settings that came with the file.
  const VolumeSettings& settings() const { return settings_; }
  /// The file that a viewer loads: as opened, in one piece.
  std::vector<std::uint8_t> glb() const { return file_->as_read->document.to_glb(); }

  /// Weights by new distances; those that are kept from the last time are used if the options are the same.
  BindResult bind(const BindOptions& options, const std::string& key, Context& context);
  /// Throws Error(bad_input) if it was never bound.
  BindResult weigh(const Falloffs& falloffs, Context& context);
  /// Back to the weights of the file. The distances are kept.
  void unbind();
  bool bound() const { return bound_; }

  BroughtMotion add_motion(const std::filesystem::path& file, const MotionOptions& options, Context& context);
  void remove_clip(Index clip);

  /// The character with its weights and clips, `turns` put into all clips; without clips they become one that goes from
  /// the rest pose to the pose.
  Loaded to_save(const std::vector<JointTurn>& turns) const;

 private:
  Document() = default;
  static Document from(const Loaded& loaded);
  void take(const BindResult& result);

  std::unique_ptr<Loaded> file_;  // behind a pointer, as the binding refers to it
  std::unique_ptr<Character> shown_;
  VolumeSettings settings_;
  std::optional<CharacterBinding> binding_;
  std::string binding_key_;
  std::optional<BindResult> weights_;  // if bound_
  bool bound_ = false;
};

/// A clip with `turns` on top of it.
Clip turned(const Clip& clip, const Skeleton& skeleton, const std::vector<JointTurn>& turns);

}  // namespace isochor::web
