#include "render/smooth.h"

#include <array>
#include <cmath>

#include "isochor/base/parallel.h"

namespace isochor::detail {
namespace {

constexpr std::array<int, 3> kSteps{1, 2, 3};
constexpr int kKernelSize = 5;
constexpr std::array<float, kKernelSize> kKernel{1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f};
/// Distance from the tangent plane, in units of the scene's size, beyond which a neighbour is another surface.
constexpr float kPlaneWidth = 0.006f;

float similarity(const FilmPixel& a, const FilmPixel& b) {
  const float cosine = std::max(0.0f, a.normal.dot(b.normal));
  const float cosine4 = cosine * cosine * cosine * cosine;
  const float cosine16 = cosine4 * cosine4 * cosine4 * cosine4;
  const float height = a.normal.dot(b.position - a.position) / kPlaneWidth;
  return cosine16 * cosine16 * std::exp(-height * height);
}

struct Mean {
  float sum = 0;
  float weight = 0;

  void add(float value, float w) {
    sum += w * value;
    weight += w;
  }
  float or_else(float fallback) const { return weight > 0 ? sum / weight : fallback; }
};

struct Both {
  Visibility subject;
  Visibility floor;
};

Both filtered(const Film& film, int x, int y, int step) {
  const FilmPixel& center = film.at(x, y);
  Both result{center.subject, center.floor};
  Mean subject_key, subject_sky, floor_key, floor_sky;
  for (int j = 0; j < kKernelSize; ++j) {
    for (int i = 0; i < kKernelSize; ++i) {
      const int nx = x + (i - kKernelSize / 2) * step;
      const int ny = y + (j - kKernelSize / 2) * step;
      if (nx < 0 || ny < 0 || nx >= film.width || ny >= film.height) continue;
      const FilmPixel& other = film.at(nx, ny);
      const float kernel = kKernel[static_cast<std::size_t>(i)] * kKernel[static_cast<std::size_t>(j)];
      if (center.subject.weight > 0 && other.subject.weight > 0) {
        const float w = kernel * similarity(center, other);
        subject_key.add(other.subject.key, w * other.subject.key_weight);
        subject_sky.add(other.subject.sky, w * other.subject.weight);
      }
      floor_key.add(other.floor.key, kernel * other.floor.key_weight);
      floor_sky.add(other.floor.sky, kernel * other.floor.weight);
    }
  }
  result.subject.key = subject_key.or_else(center.subject.key);
  result.subject.sky = subject_sky.or_else(center.subject.sky);
  result.floor.key = floor_key.or_else(center.floor.key);
  result.floor.sky = floor_sky.or_else(center.floor.sky);
  return result;
}

}  // namespace

void smooth_visibility(Film& film, const Context& context) {
  std::vector<Both> next(film.pixels.size());
  const auto width = static_cast<std::size_t>(film.width);
  for (const int step : kSteps) {
    parallel_for(context, static_cast<std::size_t>(film.height), 8, [&](Range rows) {
      for (std::size_t y = rows.begin; y < rows.end; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
          const FilmPixel& pixel = film.pixels[y * width + x];
          if (pixel.subject.weight > 0 || pixel.floor.weight > 0) {
            next[y * width + x] = filtered(film, static_cast<int>(x), static_cast<int>(y), step);
          }
        }
      }
    });
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (film.pixels[i].subject.weight > 0) film.pixels[i].subject = next[i].subject;
      if (film.pixels[i].floor.weight > 0) film.pixels[i].floor = next[i].floor;
    }
  }
}

}  // namespace isochor::detail
