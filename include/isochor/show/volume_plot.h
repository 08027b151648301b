#pragma once

/// Volume over time, of several files, in one picture.

#include <filesystem>
#include <vector>

#include "isochor/base/context.h"

namespace isochor {

struct VolumePlot {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;  ///< .html or .png
  int moments = 24;              ///< of each clip
};

/// Throws where the output's extension is none of these.
void check_plot_output(const std::filesystem::path& output);

/// One chart for each clip that all the files have: how far the volume of each is from what it should be.
void plot_volume(const VolumePlot& plot, Context& context);

}  // namespace isochor
