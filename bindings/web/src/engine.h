#pragma once

/// Everything that a page asks of the library, as text in and text out: a request and its answer are JSON, large arrays
/// are left in memory until the next call. Errors become {"error": {kind, sentence}}; nothing is thrown.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "document.h"
#include "options_json.h"
#include "stage.h"

namespace isochor::web {

class Engine {
 public:
  struct Hooks {
    std::function<void(std::string_view stage, double fraction)> progress;
    std::function<bool()> stop;
  };
  explicit Engine(Hooks hooks) : hooks_(std::move(hooks)) {}

  std::string library() const;

  /// Paths are those of a file system that the page fills. What was open stays if the new one cannot be read.
  /// Afterwards bytes() are the GLB that a viewer draws.
  std::string open(const std::string& file, const std::string& skeleton);
  std::string sample(const std::string& name);
  void close();
  /// The character as it is now.
  std::string inspect();

  /// {falloff, resolution, "joint-falloff": [[pattern, α]], …}: the described options of BindOptions.
  std::string bind(const std::string& options);
  /// {falloff, joints: [[pattern, α]], draft}; draft: more will follow at once, see Stage::draft_weights()
  std::string weigh(const std::string& falloffs);
  std::string unbind();

  /// The text of a settings file. Answers with the settings as they are now, normalised.
  std::string set_settings(const std::string& text);
  /// [[joint, x, y, z, w], …]
  std::string set_turns(const std::string& turns);
  /// {clip, time, views: ["lbs", …], paint, joint, normals, follows}
  std::string frame(const std::string& request);
  /// {clip, times}: volumes by view, for a plot.
  std::string volumes(const std::string& request);
  /// The voxels of the surface as triangles: positions() and indices(), in the bind pose.
  std::string voxels(int resolution);

  std::string add_motion(const std::string& file, const std::string& options);
  std::string remove_clip(int clip);

  /// The GLB in bytes(). bake: {form, clips, "bake-targets", between, …}
  std::string save();
  std::string bake(const std::string& options);

  std::span<const float> positions(View view) const { return stage_->view(view).positions; }
  std::span<const float> normals(View view) const { return stage_->view(view).normals; }
  std::span<const float> joints() const { return stage_->joints(); }
  std::span<const float> paint() const { return stage_->paint(); }
  std::span<const float> voxel_positions() const { return voxel_positions_; }
  std::span<const std::uint32_t> voxel_indices() const { return voxel_indices_; }
  std::span<const std::uint8_t> bytes() const { return bytes_; }
  bool is_open() const { return document_ != nullptr; }

 private:
  Json take(Document document);
  void need_document() const;
  std::string answer(const std::function<Json()>& work) const;

  Hooks hooks_;
  std::unique_ptr<Document> document_;
  std::unique_ptr<Stage> stage_;
  std::vector<std::uint8_t> bytes_;
  std::vector<float> voxel_positions_;
  std::vector<std::uint32_t> voxel_indices_;
};

}  // namespace isochor::web
