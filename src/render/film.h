#pragma once

/// What the tracer leaves for each pixel: light kept apart from shadow, so that the shadows, which are noisy, can be
/// smoothed without touching edges, lines and colours, which are not.

#include <vector>

#include "isochor/render/image.h"

namespace isochor::detail {

/// How much of the key light and of the sky reaches what a pixel shows; means over its samples.
struct Visibility {
  float weight = 0;      ///< samples that the sky's mean is taken over
  float key_weight = 0;  ///< samples that face the key light at all
  float key = 1;
  float sky = 1;
};

struct FilmPixel {
  Color key = Color::Zero();      ///< light of the key lamp, before its shadow
  Color sky = Color::Zero();      ///< light of sky and fill lamp, before their occlusion
  Color emitted = Color::Zero();  ///< light that no shadow changes
  float ground = 0;               ///< shares of the pixel, in [0, 1]
  float background = 0;
  Visibility subject;
  Visibility floor;
  Vec3f normal = Vec3f::Zero();    ///< of the subject, mean
  Vec3f position = Vec3f::Zero();  ///< of the subject, mean
};

struct Film {
  int width = 0;
  int height = 0;
  std::vector<FilmPixel> pixels;

  FilmPixel& at(int x, int y) { return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x]; }
  const FilmPixel& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + x];
  }
};

}  // namespace isochor::detail
