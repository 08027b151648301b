#pragma once

/// Volume over time, of several files, in one picture.

#include <filesystem>
#include <vector>

#include "isochor/deform/playback.h"
#include "session.h"

namespace isochor::cli {

/// How far the volume of all components together is from what it should be, relative.
double total_volume_change(const Playback& playback, const Playback::Frame& frame);

struct VolumePlot {
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;  ///< .html or .png
  int moments = 24;              ///< of each clip
};

/// Throws where the output's extension is none of these.
void check_plot_output(const std::filesystem::path& output);

/// One chart for each clip that all the files have: how far the volume of each is from what it should be.
void plot_volume(const VolumePlot& plot, Session& session);

}  // namespace isochor::cli
