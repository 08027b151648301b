#include "isochor/deform/skinner.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "deform/skin_blocks.h"
#include "deform/skin_kernels.h"
#include "deform/skin_palette.h"
#include "deform/skinner_access.h"
#include "isochor/base/error.h"
#include "isochor/base/math.h"
#include "isochor/base/parallel.h"

namespace isochor {

using skin_kernels::kBlock;
using skin_kernels::Kernels;
using skin_kernels::Normals;

namespace {

constexpr std::size_t kBlockFloats = 3 * static_cast<std::size_t>(kBlock);

void check_float_count(std::size_t floats, std::size_t vertices, const char* what) {
  if (floats != 3 * vertices) {
    throw_bad_input("skinning " + std::to_string(vertices) + " vertices needs " + std::to_string(3 * vertices) +
                    " floats of " + what + ", but got " + std::to_string(floats));
  }
}

Vec3 vertex_of(std::span<const float> xyz, std::size_t v) { return {xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]}; }

void check_finite(std::span<const float> positions) {
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (!std::isfinite(positions[i])) {
      throw_bad_input("the position of vertex " + std::to_string(i / 3) + " is not finite", static_cast<Index>(i / 3));
    }
  }
}

Vec3 middle_of(std::span<const float> positions) {
  Box box;
  for (std::size_t v = 0; v < positions.size() / 3; ++v) box.extend(vertex_of(positions, v));
  return box.isEmpty() ? Vec3(Vec3::Zero()) : box.center();
}

}  // namespace

struct Skinner::Prepared {
  bool with_normals = false;
  Normals normals = Normals::none;
  const Kernels* kernels = &skin_kernels::best();
  SkinBlocks blocks;
  SkinPalette palette;
  Vec3 centre = Vec3::Zero();
  AlignedVector<float> points;  ///< see skin_kernels::Blocks

  std::size_t point_floats() const { return with_normals ? 2 * kBlockFloats : kBlockFloats; }

  void set_points(std::span<const float> positions, std::span<const float> unit_or_any_normals) {
    const std::size_t last = blocks.vertex_count - 1;
    float* to = points.data();
    for (std::size_t b = 0; b < blocks.headers.size(); ++b, to += point_floats()) {
      for (std::size_t i = 0; i < kBlock; ++i) {
        const std::size_t v = std::min(b * kBlock + i, last);
        const Eigen::Vector3f p = (vertex_of(positions, v) - centre).cast<float>();
        for (int c = 0; c < 3; ++c) to[c * kBlock + i] = p[c];
        if (!with_normals) continue;
        const Eigen::Vector3f n = unit_or(vertex_of(unit_or_any_normals, v)).cast<float>();
        for (int c = 0; c < 3; ++c) to[(3 + c) * kBlock + i] = n[c];
      }
    }
  }

  void skin(const SkinChunk& chunk, const skin_kernels::Output& out) const {
    const skin_kernels::Blocks part{
        .count = chunk.blocks,
        .headers = blocks.headers.data() + chunk.first_block,
        .points = points.data() + chunk.first_block * point_floats(),
        .weights = blocks.weights.data() + chunk.weights_begin,
        .joints16 = blocks.joints16.empty() ? nullptr : blocks.joints16.data() + chunk.joints_begin,
        .joints32 = blocks.joints32.empty() ? nullptr : blocks.joints32.data() + chunk.joints_begin};
    const Eigen::Vector3f& offset = palette.offset();
    const skin_kernels::Frame frame{.palette = palette.data(),
                                    .offset = {offset.x(), offset.y(), offset.z()},
                                    .scale = palette.scale(),
                                    .normals = normals};
    switch (palette.kind()) {
      case SkinPalette::Kind::lbs:
        return kernels->lbs(part, frame, out);
      case SkinPalette::Kind::dqs:
        return kernels->dqs(part, frame, out);
      case SkinPalette::Kind::stretch:
        return kernels->stretch(part, frame, out);
    }
  }

  /// A block that is not full is skinned aside, since kernels write whole blocks.
  void skin_partial(const SkinChunk& chunk, const skin_kernels::Output& out) const {
    float positions_aside[kBlockFloats];
    float normals_aside[kBlockFloats];
    skin(chunk, {positions_aside, normals_aside});
    const std::size_t floats = 3 * (blocks.vertex_count - chunk.first_block * kBlock);
    std::copy_n(positions_aside, floats, out.positions);
    if (with_normals) std::copy_n(normals_aside, floats, out.normals);
  }
};

Skinner::Skinner() : prepared_(std::make_unique<Prepared>()) {}
Skinner::Skinner(Skinner&&) noexcept = default;
Skinner& Skinner::operator=(Skinner&&) noexcept = default;
Skinner::~Skinner() = default;

Skinner Skinner::prepare(std::span<const float> positions, std::span<const float> normals, const SkinWeights& weights,
                         const SkinnerOptions& options) {
  if (options.deformer == Deformer::medial) throw_bad_input("the fast path knows lbs and dqs, not the deformer medial");
  Skinner skinner;
  Prepared& p = *skinner.prepared_;
  p.with_normals = !normals.empty();
  if (p.with_normals) p.normals = options.unit_normals ? Normals::unit : Normals::as_they_come;
  p.blocks = make_skin_blocks(weights, options.deformer);
  check_float_count(positions.size(), p.blocks.vertex_count, "positions");
  check_finite(positions);
  p.centre = middle_of(positions);
  p.palette = SkinPalette(options.deformer, p.blocks.palette, p.centre);
  p.points.resize(p.blocks.headers.size() * p.point_floats());
  skinner.update_rest(positions, normals);
  return skinner;
}

std::size_t Skinner::vertex_count() const { return prepared_->blocks.vertex_count; }
bool Skinner::has_normals() const { return prepared_->with_normals; }
std::size_t Skinner::joint_count() const { return prepared_->palette.joint_count(); }

void Skinner::update_rest(std::span<const float> positions, std::span<const float> normals) {
  check_float_count(positions.size(), vertex_count(), "positions");
  check_float_count(normals.size(), has_normals() ? vertex_count() : 0, "normals");
  check_finite(positions);
  if (vertex_count() > 0) prepared_->set_points(positions, normals);
}

void Skinner::apply(std::span<const Affine> skin_matrices, std::span<float> positions, std::span<float> normals,
                    const Context& context) {
  check_float_count(positions.size(), vertex_count(), "positions");
  check_float_count(normals.size(), has_normals() ? vertex_count() : 0, "normals");
  if (vertex_count() == 0) return;
  Prepared& p = *prepared_;
  p.palette.update(p.blocks.palette, skin_matrices);
  const auto body = [&](Range range) {
    for (std::size_t c = range.begin; c < range.end; ++c) {
      const SkinChunk& chunk = p.blocks.chunks[c];
      const std::size_t first = chunk.first_block * kBlockFloats;
      const skin_kernels::Output out{positions.data() + first, p.with_normals ? normals.data() + first : nullptr};
      const bool full = (chunk.first_block + chunk.blocks) * kBlock <= p.blocks.vertex_count;
      full ? p.skin(chunk, out) : p.skin_partial(chunk, out);
    }
  };
  parallel_for(context, p.blocks.chunks.size(), 1, std::cref(body));  // by reference: a copy would be allocated
}

void SkinnerAccess::use_kernels(Skinner& skinner, const Kernels& kernels) { skinner.prepared_->kernels = &kernels; }

}  // namespace isochor
