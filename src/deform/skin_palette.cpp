#include "deform/skin_palette.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "isochor/base/error.h"

namespace isochor {
namespace {

using skin_kernels::kDqsEntry;
using skin_kernels::kLbsEntry;
using skin_kernels::kStretchEntry;

/// Stretches that agree to this with one uniform scale are taken for it: what rotations in float matrices differ by.
constexpr double kSameScale = 4e-7;

std::vector<Index> joints_of(std::span<const PaletteSource> sources) {
  std::vector<Index> joints;
  joints.reserve(sources.size());
  for (const PaletteSource& source : sources) joints.push_back(source.joint);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

/// Four floats; the fourth of a vector is padding.
void store(float* to, const Vec3& value) {
  for (int i = 0; i < 3; ++i) to[i] = static_cast<float>(value[i]);
  to[3] = 0;
}
/// w, x, y, z.
void store(float* to, const Quat& q) {
  to[0] = static_cast<float>(q.w());
  for (int i = 0; i < 3; ++i) to[1 + i] = static_cast<float>(q.vec()[i]);
}

/// The dual part of the motion that turns by `rotation` and carries the origin to `place`: Kavan 2008, eq. 4.
Quat dual_part(const Vec3& place, const Quat& rotation) {
  return Quat(0, 0.5 * place.x(), 0.5 * place.y(), 0.5 * place.z()) * rotation;
}

}  // namespace

SkinPalette::SkinPalette(Deformer deformer, std::span<const PaletteSource> sources, const Vec3& centre)
    : deformer_(deformer), centre_(centre), used_joints_(joints_of(sources)) {
  motions_.resize(used_joints_.empty() ? 0 : used_joints_.back() + 1);
  entries_.resize(sources.size() * (deformer == Deformer::lbs ? kLbsEntry : kStretchEntry));
}

void SkinPalette::update(std::span<const PaletteSource> sources, std::span<const Affine> matrices) {
  check_matrices(matrices);
  Vec3 sum = Vec3::Zero();
  for (const Index j : used_joints_) sum += matrices[j] * centre_;
  offset_ = (sum / static_cast<double>(used_joints_.size())).cast<float>();
  if (deformer_ == Deformer::lbs) {
    kind_ = Kind::lbs;
    write_lbs(sources, matrices);
    return;
  }
  split_motions(matrices.first(joint_count()), motions_);
  check_handedness(sources);
  if (have_common_scale()) {
    kind_ = Kind::dqs;
    write_dqs(sources, matrices);
  } else {
    kind_ = Kind::stretch;
    write_stretch(sources, matrices);
  }
}

void SkinPalette::check_matrices(std::span<const Affine> matrices) const {
  if (matrices.size() < joint_count()) {
    throw_bad_input("the weights refer to " + std::to_string(joint_count()) + " joints, but there are only " +
                    std::to_string(matrices.size()) + " skin matrices");
  }
  for (const Index j : used_joints_) {
    if (!matrices[j].matrix().allFinite()) {
      throw_bad_input("the skin matrix of joint " + std::to_string(j) + " is not finite", j);
    }
  }
}

void SkinPalette::check_handedness(std::span<const PaletteSource> sources) const {
  const PaletteSource* refused = nullptr;
  for (const PaletteSource& source : sources) {
    const bool mixed = motions_[source.strongest].handedness * motions_[source.joint].handedness < 0;
    if (mixed && (refused == nullptr || source.first_vertex < refused->first_vertex)) refused = &source;
  }
  if (refused != nullptr) throw_mixed_handedness(refused->first_vertex, refused->strongest, refused->joint);
}

bool SkinPalette::have_common_scale() {
  const double scale = motions_[used_joints_.front()].stretch.trace() / 3;
  const double tolerance = kSameScale * std::abs(scale);
  for (const Index j : used_joints_) {
    const Mat3 difference = motions_[j].stretch - scale * Mat3::Identity();
    if (motions_[j].handedness == 0 || difference.cwiseAbs().maxCoeff() > tolerance) return false;
  }
  scale_ = static_cast<float>(scale);
  return true;
}

Vec3 SkinPalette::place_of_centre(const Affine& matrix) const { return matrix * centre_ - offset_.cast<double>(); }

void SkinPalette::write_lbs(std::span<const PaletteSource> sources, std::span<const Affine> matrices) {
  float* to = entries_.data();
  for (const PaletteSource& source : sources) {
    const Affine& matrix = matrices[source.joint];
    for (int c = 0; c < 3; ++c) store(to + 4 * c, matrix.linear().col(c));
    store(to + 12, place_of_centre(matrix));
    to += kLbsEntry;
  }
}

void SkinPalette::write_dqs(std::span<const PaletteSource> sources, std::span<const Affine> matrices) {
  float* to = entries_.data();
  for (const PaletteSource& source : sources) {
    Quat rotation = motions_[source.joint].rotation;
    rotation.coeffs() *= hemisphere(motions_[source.strongest].rotation, rotation);
    store(to, rotation);
    store(to + 4, dual_part(place_of_centre(matrices[source.joint]), rotation));
    to += kDqsEntry;
  }
}

void SkinPalette::write_stretch(std::span<const PaletteSource> sources, std::span<const Affine> matrices) {
  float* to = entries_.data();
  for (const PaletteSource& source : sources) {
    const Affine& matrix = matrices[source.joint];
    const Mat3& s = motions_[source.joint].stretch;
    Quat rotation = motions_[source.joint].rotation;
    rotation.coeffs() *= hemisphere(motions_[source.strongest].rotation, rotation);
    store(to, rotation);
    store(to + 4, dual_part(place_of_centre(matrix), rotation));
    for (int c = 0; c < 3; ++c) store(to + 8 + 4 * c, dual_part(matrix.linear().col(c), rotation));
    store(to + 20, Vec3(s.diagonal()));
    store(to + 24, Vec3(s(0, 1), s(0, 2), s(1, 2)));
    store(to + 28, Vec3::Zero());
    to += kStretchEntry;
  }
}

}  // namespace isochor
