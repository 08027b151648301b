#pragma once

/// The procedural characters through everything: GLBs, pictures, and a page that shows them.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isochor/base/context.h"

namespace isochor {

struct DemoOptions {
  std::filesystem::path folder = "isochor-demo";  ///< has to exist
  std::vector<std::string> only = {};             ///< samples by name; empty: all
  int samples = 12;                               ///< rays per pixel
  /// Called with the name of each character before work on it begins.
  std::function<void(const std::string&)> begin = {};
};

/// The sample bound anew, against its own weights.
struct DemoBinding {
  std::size_t vertices = 0, bound = 0;
  int resolution = 0;  ///< of the voxels; 0 if no piece needed them
  double l1_mean = 0, smoothness = 0;
};

/// The largest loss of the body's volume over a clip, relative and so negative.
struct DemoClip {
  std::string name;
  double volume_lbs = 0, volume_dqs = 0, volume_exact = 0;
};

struct DemoCharacter {
  std::string name;
  std::size_t vertices = 0, joints = 0;
  DemoBinding binding = {};
  std::vector<DemoClip> clips = {};
};

/// The page and the files by which a character is known beforehand; pictures of clips come on top. Throws where `only`
/// names something that does not exist.
std::vector<std::filesystem::path> demo_files(const DemoOptions& options);

/// Writes all of it.
std::vector<DemoCharacter> write_demo(const DemoOptions& options, Context& context);

}  // namespace isochor
