#include "isochor/deform/morph_player.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/matrix_product.h"

namespace isochor {
namespace {

/// Vertices of a block: enough for products to be quick, few enough for them to have about the same targets.
constexpr std::size_t kVerticesPerBlock = 64;

Eigen::Index column_of(std::size_t vertex) { return 3 * static_cast<Eigen::Index>(vertex); }

}  // namespace

MorphPlayer::MorphPlayer(const Part& part)
    : node_(part.node),
      rest_(part.surface.positions),
      own_weights_(part.morph_weights),
      targets_(static_cast<Eigen::Index>(part.morphs.size())) {
  constexpr Index kMany = std::numeric_limits<Index>::max();
  std::vector<Index> first(rest_.size(), kMany), last(rest_.size(), kNone);
  for (std::size_t t = 0; t < part.morphs.size(); ++t) {
    const auto& offsets = part.morphs[t].positions;
    for (std::size_t v = 0; v < offsets.size(); ++v) {
      if (offsets[v] == Vec3::Zero()) continue;
      first[v] = std::min(first[v], static_cast<Index>(t));
      last[v] = static_cast<Index>(t);
    }
  }
  std::vector<Index> order;
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    if (last[v] != kNone) order.push_back(static_cast<Index>(v));
  }
  // Vertices that the same targets move come together.
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return std::tuple(last[a], first[a], a) < std::tuple(last[b], first[b], b); });
  for (std::size_t begin = 0; begin < order.size(); begin += kVerticesPerBlock) {
    const std::size_t end = std::min(order.size(), begin + kVerticesPerBlock);
    Block& block = blocks_.emplace_back();
    block.vertices.assign(order.begin() + static_cast<std::ptrdiff_t>(begin),
                          order.begin() + static_cast<std::ptrdiff_t>(end));
    Index lowest = kMany, highest = kNone;
    for (const Index v : block.vertices) {
      lowest = std::min(lowest, first[v]);
      highest = std::max(highest, last[v]);
    }
    block.first_target = lowest;
    block.offsets = Rows::Zero(highest + 1 - lowest, column_of(block.vertices.size()));
    for (Index t = lowest; t <= highest; ++t) {
      const auto& offsets = part.morphs[t].positions;
      if (offsets.empty()) continue;
      for (std::size_t i = 0; i < block.vertices.size(); ++i) {
        block.offsets.row(t - lowest).segment<3>(column_of(i)) = offsets[block.vertices[i]].transpose();
      }
    }
  }
}

std::span<const double> MorphPlayer::weights(const Pose& pose) const {
  const auto node = static_cast<std::size_t>(node_);
  if (node_ != kNone && node < pose.morph_weights.size() && !pose.morph_weights[node].empty()) {
    return pose.morph_weights[node];
  }
  return own_weights_;
}

std::vector<std::vector<Vec3>> MorphPlayer::positions(std::span<const Pose> poses) const {
  std::vector<std::vector<Vec3>> out(poses.size(), rest_);
  Rows all = Rows::Zero(static_cast<Eigen::Index>(poses.size()), targets_);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const std::span<const double> of = weights(poses[i]);
    const std::size_t count = std::min(of.size(), static_cast<std::size_t>(targets_));
    std::copy_n(of.begin(), count, all.row(static_cast<Eigen::Index>(i)).data());
  }
  for (const Block& block : blocks_) {
    Rows moved = Rows::Zero(all.rows(), block.offsets.cols());
    add_product(all.middleCols(block.first_target, block.offsets.rows()), block.offsets, 1, moved);
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const double* offset = moved.row(static_cast<Eigen::Index>(i)).data();
      for (const Index v : block.vertices) {
        out[i][v] += Eigen::Map<const Vec3>(offset);
        offset += 3;
      }
    }
  }
  return out;
}

}  // namespace isochor
