#include "isochor/bake/morph_volume.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/matrix_product.h"

namespace isochor {
namespace {

/// Targets that are copies of each other do not make weights run away.
constexpr double kInertiaFloor = 1e-9;
/// Vertices of a block: enough for products to be quick, few enough for them to have about the same targets.
constexpr std::size_t kVerticesPerBlock = 64;

/// The targets of a vertex.
struct TargetRange {
  Index first = std::numeric_limits<Index>::max(), last = -1;
};

Eigen::Index begin_of(std::size_t vertex) { return 3 * static_cast<Eigen::Index>(vertex); }

}  // namespace

MorphVolume::MorphVolume(const Surface& surface, const Topology& topology, std::span<const WeldedTarget> targets,
                         std::span<const double> reach)
    : target_count_(static_cast<Eigen::Index>(targets.size())), component_of_vertex_(topology.component_of_vertex) {
  for (const Component& component : topology.components) components_.emplace_back(surface, component);
  moved_.assign(components_.size(), 0);
  make_blocks(targets);
  for (const Block& block : blocks_) {
    if (block.component != kNone) moved_[block.component] = 1;
  }
  find_inertia(reach);
}

/// Vertices of a component, those with the last targets first: targets come in layers, and neighbours in this order
/// have nearly the same ones.
void MorphVolume::make_blocks(std::span<const WeldedTarget> targets) {
  std::vector<TargetRange> ranges(component_of_vertex_.size());
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (const Index v : targets[t].vertices) {
      ranges[v].first = std::min(ranges[v].first, static_cast<Index>(t));
      ranges[v].last = static_cast<Index>(t);
    }
  }
  std::vector<Index> order;
  for (std::size_t v = 0; v < ranges.size(); ++v) {
    if (ranges[v].last >= 0) order.push_back(static_cast<Index>(v));
  }
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::tuple(component_of_vertex_[a], -ranges[a].last, a) <
           std::tuple(component_of_vertex_[b], -ranges[b].last, b);
  });
  places_.resize(ranges.size());
  std::vector<TargetRange> block_ranges;
  for (const Index v : order) {
    const Index component = component_of_vertex_[v];
    if (blocks_.empty() || blocks_.back().component != component ||
        blocks_.back().vertices.size() == kVerticesPerBlock) {
      blocks_.emplace_back().component = component;
      block_ranges.emplace_back();
    }
    places_[v] = {static_cast<Index>(blocks_.size()) - 1, static_cast<Index>(blocks_.back().vertices.size())};
    blocks_.back().vertices.push_back(v);
    block_ranges.back().first = std::min(block_ranges.back().first, ranges[v].first);
    block_ranges.back().last = std::max(block_ranges.back().last, ranges[v].last);
  }
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    blocks_[b].first_target = block_ranges[b].first;
    blocks_[b].offsets =
        Weights::Zero(block_ranges[b].last + 1 - block_ranges[b].first, begin_of(blocks_[b].vertices.size()));
  }
  for (std::size_t t = 0; t < targets.size(); ++t) {
    for (std::size_t i = 0; i < targets[t].vertices.size(); ++i) {
      const Place place = places_[targets[t].vertices[i]];
      Block& block = blocks_[place.block];
      block.offsets.row(static_cast<Eigen::Index>(t) - block.first_target).segment<3>(3 * Eigen::Index{place.slot}) =
          targets[t].offsets[i].transpose();
    }
  }
  for (Block& block : blocks_) block.rounded = block.offsets.cast<float>();
}

void MorphVolume::find_inertia(std::span<const double> reach) {
  Eigen::MatrixXd inertia = Eigen::MatrixXd::Zero(target_count_, target_count_);
  for (const Block& block : blocks_) {
    Rows relative = block.offsets;
    for (std::size_t i = 0; i < block.vertices.size(); ++i) {
      relative.middleCols<3>(begin_of(i)) /= reach[block.vertices[i]];
    }
    Rows sum = Rows::Zero(relative.rows(), relative.rows());
    add_inner_products(relative, relative, sum);
    inertia.block(block.first_target, block.first_target, sum.rows(), sum.cols()) += sum;
  }
  const double floor = kInertiaFloor * (target_count_ > 0 ? inertia.diagonal().maxCoeff() : 0);
  inertia.diagonal().array() += floor > 0 ? floor : 1;
  ease_ = inertia.ldlt().solve(Eigen::MatrixXd::Identity(target_count_, target_count_));
}

Eigen::VectorXd MorphVolume::errors(const MorphedFrame& frame, std::span<const Vec3> positions) const {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(components_.size()));
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const double wanted = frame.volumes[c];
    if (wanted == 0 || moved_[c] == 0) continue;
    out[static_cast<Eigen::Index>(c)] = (wanted - components_[c].volume(positions)) / wanted;
  }
  return out;
}

/// By open frame, #components × #T: how the relative volumes follow the weights.
std::vector<MorphVolume::Weights> MorphVolume::slopes(std::span<const MorphedFrame> frames,
                                                      std::span<const Open> open) const {
  const auto components = static_cast<Eigen::Index>(components_.size());
  std::vector<Weights> out(open.size(), Weights::Zero(components, target_count_));
  std::vector<std::vector<Vec3>> pulls(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    const MorphedFrame& frame = frames[open[i].frame];
    pulls[i].assign(frame.positions.size(), Vec3::Zero());
    for (std::size_t c = 0; c < components_.size(); ++c) {
      if (frame.volumes[c] == 0 || moved_[c] == 0) continue;
      components_[c].gradient(frame.positions, pulls[i]);
      for (const Index v : components_[c].vertices()) {
        pulls[i][v] = frame.linear[v].transpose() * pulls[i][v] / frame.volumes[c];
      }
    }
  }
  for (const Block& block : blocks_) {
    if (block.component == kNone) continue;
    SingleRows pull(open.size(), block.offsets.cols());
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::size_t k = 0; k < block.vertices.size(); ++k) {
        pull.row(static_cast<Eigen::Index>(i)).segment<3>(begin_of(k)) =
            pulls[i][block.vertices[k]].transpose().cast<float>();
      }
    }
    SingleRows sum = SingleRows::Zero(pull.rows(), block.offsets.rows());
    add_inner_products(pull, block.rounded, sum);
    for (std::size_t i = 0; i < open.size(); ++i) {
      out[i].row(block.component).segment(block.first_target, sum.cols()) +=
          sum.row(static_cast<Eigen::Index>(i)).cast<double>();
    }
  }
  return out;
}

/// With J the slopes of the relative volumes and G the targets' inertia: the least δᵀGδ with Jδ = errors,
/// δ = G⁻¹Jᵀ (J G⁻¹Jᵀ)⁻¹ errors, damped.
MorphVolume::Weights MorphVolume::steps(std::span<const MorphedFrame> frames, std::span<const Open> open) const {
  const std::vector<Weights> all = slopes(frames, open);
  // J of all frames, one after another, so that G⁻¹ is gone through once. Components that nothing is asked of take no
  // part.
  struct Row {
    std::size_t of;  // open
    Eigen::Index component;
  };
  std::vector<Row> rows;
  std::vector<Eigen::Index> begin{0};
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (std::size_t c = 0; c < components_.size(); ++c) {
      if (frames[open[i].frame].volumes[c] != 0 && moved_[c] != 0) rows.push_back({i, static_cast<Eigen::Index>(c)});
    }
    begin.push_back(static_cast<Eigen::Index>(rows.size()));
  }
  Rows slope(rows.size(), target_count_);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    slope.row(static_cast<Eigen::Index>(r)) = all[rows[r].of].row(rows[r].component);
  }
  Rows light = Rows::Zero(slope.rows(), target_count_);
  add_product(slope, ease_, 1, light);

  Weights out(open.size(), target_count_);
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Eigen::Index first = begin[i], count = begin[i + 1] - first;
    Eigen::VectorXd errors(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      errors[k] = open[i].errors[rows[static_cast<std::size_t>(first + k)].component];
    }
    Rows ease = Rows::Zero(count, count);
    add_inner_products(slope.middleRows(first, count), light.middleRows(first, count), ease);
    // Components pull each other's targets: what would move a component by more than its reach to mend the largest
    // error is damped.
    const double largest = errors.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto component = static_cast<std::size_t>(rows[static_cast<std::size_t>(first + k)].component);
      const auto vertices = static_cast<double>(components_[component].vertices().size());
      ease(k, k) += largest * largest / std::max(1.0, vertices);
    }
    out.row(static_cast<Eigen::Index>(i)) = ease.ldlt().solve(errors).transpose() * light.middleRows(first, count);
  }
  return out;
}

template <class Offsets>
void MorphVolume::displace(const Offsets& weights, Offsets Block::*block_offsets,
                           std::span<const std::vector<Mat3>* const> linear,
                           std::span<std::vector<Vec3>* const> positions) const {
  for (const Block& block : blocks_) {
    const Offsets& targets = block.*block_offsets;
    Offsets offsets = Offsets::Zero(weights.rows(), targets.cols());
    add_product(weights.middleCols(block.first_target, targets.rows()), targets, 1, offsets);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      for (std::size_t k = 0; k < block.vertices.size(); ++k) {
        const Index v = block.vertices[k];
        const Vec3 offset = offsets.row(static_cast<Eigen::Index>(i))
                                .template segment<3>(begin_of(k))
                                .transpose()
                                .template cast<double>();
        (*positions[i])[v] += (*linear[i])[v] * offset;
      }
    }
  }
}

void MorphVolume::move(const Weights& weights, std::span<MorphedFrame> frames) const {
  std::vector<const std::vector<Mat3>*> linear;
  std::vector<std::vector<Vec3>*> positions;
  for (MorphedFrame& frame : frames) {
    linear.push_back(&frame.linear);
    positions.push_back(&frame.positions);
  }
  displace(weights, &Block::offsets, linear, positions);
}

Vec3 MorphVolume::offset(const Weights& weights, Eigen::Index row, Index vertex) const {
  const Place place = places_[vertex];
  if (place.block == kNone) return Vec3::Zero();
  const Block& block = blocks_[place.block];
  Vec3 sum = Vec3::Zero();
  for (Eigen::Index t = 0; t < block.offsets.rows(); ++t) {
    sum += weights(row, block.first_target + t) *
           block.offsets.row(t).segment<3>(3 * Eigen::Index{place.slot}).transpose();
  }
  return sum;
}

MorphVolume::Weights MorphVolume::correct(std::span<MorphedFrame> frames) const {
  constexpr int kSteps = 4;
  constexpr double kEnough = 1e-8, kWorthIt = 0.9;
  Weights change = Weights::Zero(static_cast<Eigen::Index>(frames.size()), target_count_);
  if (target_count_ == 0 || components_.empty()) return change;
  std::vector<Open> open;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    Open state{f, errors(frames[f], frames[f].positions)};
    if (state.errors.cwiseAbs().maxCoeff() > kEnough) open.push_back(std::move(state));
  }
  for (int step = 0; step < kSteps && !open.empty(); ++step) {
    const Weights next = steps(frames, open);
    std::vector<std::vector<Vec3>> moved(open.size());
    std::vector<const std::vector<Mat3>*> linear;
    std::vector<std::vector<Vec3>*> positions;
    for (std::size_t i = 0; i < open.size(); ++i) {
      moved[i] = frames[open[i].frame].positions;
      linear.push_back(&frames[open[i].frame].linear);
      positions.push_back(&moved[i]);
    }
    displace(SingleWeights(next.cast<float>()), &Block::rounded, linear, positions);
    std::vector<Open> still;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto row = next.row(static_cast<Eigen::Index>(i));
      MorphedFrame& frame = frames[open[i].frame];
      Eigen::VectorXd left = errors(frame, moved[i]);
      if (!row.allFinite() || !(left.norm() < open[i].errors.norm())) continue;
      change.row(static_cast<Eigen::Index>(open[i].frame)) += row;
      frame.positions = std::move(moved[i]);
      const bool slow = left.norm() > kWorthIt * open[i].errors.norm();
      if (!slow && left.cwiseAbs().maxCoeff() > kEnough) still.push_back({open[i].frame, std::move(left)});
    }
    open = std::move(still);
  }
  return change;
}

}  // namespace isochor
