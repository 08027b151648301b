#pragma once

/// Any bytes as a small character: every input is one, so that the fuzzers get past the readers into what binds and
/// deforms. It holds what readers let through, however odd: flat, crossing and open surfaces, faces that name a vertex
/// twice, joints on top of each other, numbers from 1e-300 to 1e300.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isochor/rig/character.h"

namespace isochor::fuzz {

/// Bytes one after another; zeros after the last.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t next() { return at_ < size_ ? data_[at_++] : std::uint8_t{0}; }
  bool empty() const { return at_ >= size_; }
  /// 0 … count - 1
  Index below(std::size_t count) { return static_cast<Index>(next() % count); }
  bool flag() { return next() % 2 != 0; }

  /// Mostly of a size that bodies have, at times of any other; always finite.
  double number() {
    constexpr std::array<double, 16> kOdd = {1e-300, -1e-300, 1e-40, 1e-20, 1e-12, -1e-8,  1e8,   -1e12,
                                             1e20,   -1e30,   1e38,  3e38,  1e150, -1e155, 1e300, -1e308};
    const std::uint8_t b = next();
    if (b >= 240) return kOdd[b - 240U];
    return (static_cast<double>(b) - 120) / 40;
  }
  Vec3 vector() {
    const double x = number(), y = number();
    return {x, y, number()};
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

inline Skeleton small_skeleton(Bytes& bytes) {
  constexpr std::array<const char*, 6> kNames = {"root", "arm.L", "arm.R", "hand", "root", ""};
  Skeleton skeleton;
  const std::size_t count = 1 + static_cast<std::size_t>(bytes.below(6));
  for (std::size_t j = 0; j < count; ++j) {
    Joint joint;
    joint.name = kNames[j];
    joint.parent = static_cast<Index>(j) - 1;
    joint.rest.translation = Vec3(0, j == 0 ? 0 : 1, 0);
    const std::uint8_t odd = bytes.next();
    if (odd & 1) joint.rest.translation = bytes.vector();
    if (odd & 2) joint.rest.scale = bytes.vector();
    if (odd & 4) joint.rest.rotation = Quat(Eigen::AngleAxisd(bytes.number(), Vec3::UnitX()));
    if (odd & 8) joint.parent = bytes.below(j + 1) - 1;
    if (odd & 16) joint.deforms = false;
    if (odd & 32) joint.tail = bytes.vector();
    skeleton.joints.push_back(joint);
  }
  return skeleton;
}

/// A tube of square rings along y, closed or open, then changed here and there.
inline Surface small_surface(Bytes& bytes) {
  Surface surface;
  const Index rings = 2 + bytes.below(4);
  for (Index r = 0; r < rings; ++r) {
    for (const auto& [x, z] : {std::pair{-0.5, -0.5}, {-0.5, 0.5}, {0.5, 0.5}, {0.5, -0.5}}) {
      surface.positions.emplace_back(x, r, z);
    }
  }
  for (Index r = 0; r + 1 < rings; ++r) {
    for (Index i = 0; i < 4; ++i) {
      const Index a = 4 * r + i, b = 4 * r + (i + 1) % 4;
      surface.add_face({a, b, b + 4, a + 4});
    }
  }
  if (!bytes.flag()) {
    const Index top = 4 * (rings - 1);
    surface.add_face({3, 2, 1, 0});
    surface.add_face({top, top + 1, top + 2, top + 3});
  }
  for (Index changes = bytes.below(8); changes > 0; --changes) {
    const std::uint8_t kind = bytes.next();
    const Index v = bytes.below(surface.vertex_count());
    if (kind < 120) surface.positions[v] = bytes.vector();
    if (kind >= 120 && kind < 180) surface.corners[bytes.next() % surface.corners.size()] = v;
    if (kind >= 180 && kind < 210) surface.add_face({v, bytes.below(surface.vertex_count()), (v + 1) % (4 * rings)});
    if (kind >= 210 && kind < 230) surface.positions.push_back(surface.positions[v]);  // a seam, or a loose point
    if (kind >= 230) {
      const double scale = bytes.number();
      for (Vec3& p : surface.positions) p *= scale;
    }
  }
  return surface;
}

inline void add_weights(Bytes& bytes, const Skeleton& skeleton, Part& part) {
  part.skin.name = "skin";
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    part.skin.joints.push_back(static_cast<Index>(j));
    Affine bind = Affine::Identity();
    bind.translation() = Vec3(0, -static_cast<double>(j), 0);
    if (bytes.next() >= 200) bind.translation() = bytes.vector();
    if (bytes.next() >= 220) bind.linear() = Vec3(bytes.vector()).asDiagonal();
    part.skin.inverse_bind.push_back(bind);
  }
  const auto joints = skeleton.size();
  for (std::size_t v = 0; v < part.surface.vertex_count(); ++v) {
    const Index first = static_cast<Index>(std::min<std::size_t>(v / 4, joints - 1));
    std::vector<Influence> row = {{first, 1.0}};
    const std::uint8_t odd = bytes.next();
    if (odd & 1) row.push_back({bytes.below(joints), bytes.next() / 255.0});
    if (odd & 2) row[0].weight = bytes.next() / 64.0;
    if (odd & 4) row.push_back({bytes.below(joints), 1e-12});
    part.weights.add_row(row);
  }
  repair(part.weights, static_cast<Index>(joints), 0);
}

inline void add_morph(Bytes& bytes, Part& part) {
  MorphTarget target{"morph", std::vector<Vec3>(part.surface.vertex_count(), Vec3::Zero()), {}};
  for (int i = 0; i < 3; ++i) target.positions[bytes.next() % target.positions.size()] = bytes.vector();
  part.morphs.push_back(std::move(target));
  part.morph_weights = {bytes.number()};
}

inline Clip small_clip(Bytes& bytes, const Skeleton& skeleton) {
  Clip clip;
  clip.name = "clip";
  const Index channels = 1 + bytes.below(3);
  for (Index c = 0; c < channels; ++c) {
    Channel channel;
    channel.joint = bytes.below(skeleton.size());
    channel.path = static_cast<ChannelPath>(2 - bytes.below(3));
    channel.width = channel.path == ChannelPath::rotation ? 4 : 3;
    channel.interpolation = static_cast<Interpolation>(bytes.below(3));
    const Index keys = 1 + bytes.below(3);
    double time = 0;
    for (Index k = 0; k < keys; ++k) {
      const std::uint8_t step = bytes.next();
      time += step < 240 ? 0.001 + step / 500.0 : std::abs(bytes.number());
      channel.times.push_back(time);
      const int parts = channel.interpolation == Interpolation::cubic_spline ? 3 : 1;
      for (int i = 0; i < parts * channel.width; ++i) channel.values.push_back(bytes.number());
    }
    clip.channels.push_back(std::move(channel));
  }
  return clip;
}

/// One or two parts, bound or not; one clip.
inline Character small_character(Bytes& bytes) {
  Character character;
  character.name = "small";
  const std::uint8_t kind = bytes.next();
  character.skeleton = small_skeleton(bytes);
  character.clips = {small_clip(bytes, character.skeleton)};
  const int parts = kind & 1 ? 2 : 1;
  for (int p = 0; p < parts; ++p) {
    Part part;
    part.name = p == 0 ? "body" : "coat";
    part.node = kind & 2 ? 0 : bytes.below(character.skeleton.size());
    part.surface = small_surface(bytes);
    if (kind & 4 && p == 0) add_morph(bytes, part);
    if (!(kind & 8) || p == 1) add_weights(bytes, character.skeleton, part);
    character.parts.push_back(std::move(part));
  }
  return character;
}

/// Whether a reader would have let it through.
inline bool is_usable(const Character& character) {
  for (const Problem& problem : validate(character)) {
    if (problem.severity == Severity::error) return false;
  }
  return true;
}

}  // namespace isochor::fuzz
