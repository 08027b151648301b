/// Blends every two clips of a character half and half, as engines do (local transforms: translations and scales along
/// lines, rotations along the shorter arc; morph weights along lines), and prints how far volumes are off.
///
///   bake_blends FILE...     one line per file: a character as it is, as morph targets and as joints, say
///
/// Clips are taken at the same share of their length, seven moments of each pair. For each moment the volumes of all
/// components together are compared with what they should be, by skeleton and morph targets of the author.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

#include "isochor/deform/posed_skin.h"
#include "isochor/io/load.h"
#include "isochor/mesh/volume.h"

namespace {

using namespace isochor;

Pose half_way(const Pose& a, const Pose& b) {
  Pose out = a;
  for (std::size_t j = 0; j < out.local.size(); ++j) {
    out.local[j].translation = 0.5 * (a.local[j].translation + b.local[j].translation);
    out.local[j].rotation = a.local[j].rotation.slerp(0.5, b.local[j].rotation);
    out.local[j].scale = 0.5 * (a.local[j].scale + b.local[j].scale);
  }
  const auto weights = [](const Pose& pose, std::size_t j) {
    return j < pose.morph_weights.size() ? pose.morph_weights[j] : std::vector<double>{};
  };
  out.morph_weights.assign(out.local.size(), {});
  for (std::size_t j = 0; j < out.local.size(); ++j) {
    const std::vector<double> x = weights(a, j), y = weights(b, j);
    out.morph_weights[j].resize(std::max(x.size(), y.size()));
    for (std::size_t i = 0; i < out.morph_weights[j].size(); ++i) {
      out.morph_weights[j][i] = 0.5 * ((i < x.size() ? x[i] : 0) + (i < y.size() ? y[i] : 0));
    }
  }
  return out;
}

struct Errors {
  double sum = 0, largest = 0;
  std::size_t count = 0;
};

Errors blend_errors(const Character& character, Context& context) {
  constexpr int kMoments = 7;
  const WeldedCharacter welded(character);
  std::vector<VolumeFunctional> volumes;
  for (const Component& component : welded.topology().components) volumes.emplace_back(welded.surface(), component);
  Errors errors;
  PosedSkin posed;
  for (std::size_t i = 0; i < character.clips.size(); ++i) {
    for (std::size_t k = i + 1; k < character.clips.size(); ++k) {
      const auto a = even_times(character.clips[i], kMoments), b = even_times(character.clips[k], kMoments);
      for (int m = 0; m < kMoments; ++m) {
        const auto at = static_cast<std::size_t>(m);
        const Pose pose = half_way(sample(character.clips[i], character.skeleton, a[at]),
                                   sample(character.clips[k], character.skeleton, b[at]));
        pose_skin(welded, pose, Deformer::lbs, posed, context);
        double off = 0, all = 0;
        for (std::size_t c = 0; c < volumes.size(); ++c) {
          if (!welded.has_volume(c)) continue;
          off += std::abs(volumes[c].volume(posed.positions) - posed.target_volumes[c]);
          all += std::abs(posed.target_volumes[c]);
        }
        const double error = all > 0 ? off / all : 0;
        errors.sum += error;
        errors.largest = std::max(errors.largest, error);
        ++errors.count;
      }
    }
  }
  return errors;
}

}  // namespace

int main(int count, char** names) {
  try {
    for (int i = 1; i < count; ++i) {
      Context context;
      const Loaded loaded = load_character(names[i], {}, context);
      const Errors errors = blend_errors(loaded.character, context);
      const double mean = errors.count > 0 ? errors.sum / static_cast<double>(errors.count) : 0;
      std::printf("%-40s %zu blends, volume off by %.3f %% in the mean, %.3f %% at most\n", names[i], errors.count,
                  100 * mean, 100 * errors.largest);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bake_blends: %s\n", error.what());
    return 2;
  }
  return 0;
}
