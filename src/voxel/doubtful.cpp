#include "voxel/doubtful.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "voxel/brick_map.h"

namespace isochor::voxel {
namespace {

/// The voxels of a brick as eight layers in z, each of eight rows in y: bit x + 8 y of layer z.
using Layers = std::array<std::uint64_t, 8>;

/// A place in the brick, and its bit.
struct Place {
  std::uint32_t x, y, z;

  std::uint64_t bit() const { return std::uint64_t{1} << (x + 8 * y); }
  std::uint32_t code() const { return local_code(std::array{x, y, z}); }
};

Layers to_layers(const BrickBits& bits) {
  Layers layers = {};
  for (std::uint32_t w = 0; w < 8; ++w) {
    for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) {
      const Voxel v = morton_decode((w << 6) | static_cast<std::uint32_t>(std::countr_zero(left)));
      layers[v[2]] |= std::uint64_t{1} << (v[0] + 8 * v[1]);
    }
  }
  return layers;
}

bool any(const Layers& layers) {
  return std::any_of(layers.begin(), layers.end(), [](std::uint64_t layer) { return layer != 0; });
}

/// One step to the face neighbours, within `open`. Returns whether anything was added.
bool grow(Layers& region, const Layers& open) {
  constexpr std::uint64_t kNotFirst = 0xfefefefefefefefe;
  constexpr std::uint64_t kNotLast = 0x7f7f7f7f7f7f7f7f;
  Layers next = {};
  bool grown = false;
  for (std::size_t z = 0; z < 8; ++z) {
    const std::uint64_t r = region[z];
    std::uint64_t n = r | ((r << 1) & kNotFirst) | ((r >> 1) & kNotLast) | (r << 8) | (r >> 8);
    if (z > 0) n |= region[z - 1];
    if (z < 7) n |= region[z + 1];
    next[z] = n & open[z];
    grown = grown || next[z] != r;
  }
  region = next;
  return grown;
}

/// A cube of voxels in the brick.
struct Cell {
  Place corner;
  std::uint32_t size;

  Layers mask() const {
    const std::uint64_t row = ((std::uint64_t{1} << size) - 1) << corner.x;
    std::uint64_t layer = 0;
    for (std::uint32_t y = 0; y < size; ++y) layer |= row << (8 * (corner.y + y));
    Layers result = {};
    for (std::uint32_t z = 0; z < size; ++z) result[corner.z + z] = layer;
    return result;
  }
  Cell child(std::uint32_t i) const {
    const std::uint32_t half = size / 2;
    return {{corner.x + half * (i & 1), corner.y + half * ((i >> 1) & 1), corner.z + half * (i >> 2)}, half};
  }
};

class Decider {
 public:
  Decider(Brick& brick, const BrickBits& doubtful, const VoxelWinding& winding)
      : brick_(brick), winding_(winding), left_(to_layers(doubtful)), open_(to_layers(brick.boundary)) {
    for (std::uint64_t& layer : open_) layer = ~layer;
    corner_ = morton_decode(brick.code);
    for (std::uint32_t& c : corner_) c *= 8;
  }

  std::int64_t run() {
    settle({{0, 0, 0}, 8});
    return questions_;
  }

 private:
  Voxel voxel(const Place& p) const { return {corner_[0] + p.x, corner_[1] + p.y, corner_[2] + p.z}; }

  void settle(const Cell& cell) {
    Layers open = cell.mask();
    Layers left = open;
    for (std::size_t z = 0; z < 8; ++z) {
      left[z] &= left_[z];
      open[z] &= open_[z];
    }
    if (!any(left)) return;
    if (cell.size == 1) {
      ++questions_;
      mark(left, winding_.inside(voxel(cell.corner)));
      return;
    }
    settle_regions(cell, open, left);
    for (std::uint32_t i = 0; i < 8; ++i) settle(cell.child(i));
  }

  /// Connected voxels off the surface together, where the winding number cannot change much along the way.
  void settle_regions(const Cell& cell, const Layers& open, Layers& left) {
    constexpr double kMostChange = 0.45;
    const double half = 0.5 * cell.size;
    const Voxel low = voxel(cell.corner);
    const Vec3 center = Vec3(low[0], low[1], low[2]) + Vec3::Constant(half);
    const double slope = winding_.slope_within(center, std::sqrt(3.0) * (half - 0.5), kMostChange);
    if (std::isinf(slope)) return;
    const std::uint32_t to_heart = cell.size / 2;  // few steps lead from there to everywhere
    const Place heart = {cell.corner.x + to_heart, cell.corner.y + to_heart, cell.corner.z + to_heart};
    while (any(left)) {
      const Place seed = (left[heart.z] & heart.bit()) != 0 ? heart : first(left);
      Layers region = {};
      region[seed.z] = seed.bit();
      int steps = 0;
      while (grow(region, open)) ++steps;
      for (std::size_t z = 0; z < 8; ++z) left[z] &= ~region[z];
      if (slope * steps > kMostChange) continue;
      ++questions_;
      const WindingTree::Estimate w = winding_.estimate(voxel(seed));
      if (std::abs(w.value - 0.5) > w.error + slope * steps) {
        for (std::size_t z = 0; z < 8; ++z) region[z] &= left_[z];
        mark(region, w.value > 0.5);
      }
    }
  }

  static Place first(const Layers& layers) {
    for (std::uint32_t z = 0; z < 8; ++z) {
      if (layers[z] == 0) continue;
      const auto bit = static_cast<std::uint32_t>(std::countr_zero(layers[z]));
      return {bit & 7, bit >> 3, z};
    }
    return {0, 0, 0};
  }

  void mark(const Layers& region, bool inside) {
    for (std::uint32_t z = 0; z < 8; ++z) {
      left_[z] &= ~region[z];
      if (!inside) continue;
      for (std::uint64_t bits = region[z]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
        const std::uint32_t code = Place{bit & 7, bit >> 3, z}.code();
        brick_.interior[code >> 6] |= std::uint64_t{1} << (code & 63);
      }
    }
  }

  Brick& brick_;
  const VoxelWinding& winding_;
  Layers left_;  // doubtful voxels not yet settled
  Layers open_;  // voxels off the surface
  Voxel corner_;
  std::int64_t questions_ = 0;
};

}  // namespace

std::int64_t decide_doubtful(Brick& brick, const BrickBits& doubtful, const VoxelWinding& winding) {
  return Decider(brick, doubtful, winding).run();
}

}  // namespace isochor::voxel
