// The kernels' one source, included by skin_kernels_portable.cpp and skin_kernels_avx2.cpp.
//
// Eight vertices at a time, one lane each. Where a block shares its joints, a palette entry's components are broadcast
// and blended for the eight at once. Otherwise entries are blended vertex by vertex, as contiguous vectors without
// gathers, and transposed. All that follows (transform, cofactors, normalisation) is the same.

#include "base/float8.h"
#include "deform/skin_kernels.h"

namespace isochor::skin_kernels {
namespace {

using float8::at_least, float8::flip_sign, float8::Float8, float8::interleave_high, float8::interleave_low,
    float8::join, float8::load, float8::Mask8, float8::pick, float8::sign_where_negative, float8::splat,
    float8::square_root, float8::store, float8::transpose_halves;

struct Vector8 {
  Float8 x, y, z;
};

[[gnu::always_inline]] inline Vector8 load3(const float* from) { return {load(from), load(from + 8), load(from + 16)}; }
[[gnu::always_inline]] inline Vector8 cross(const Vector8& a, const Vector8& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[gnu::always_inline]] inline Float8 dot(const Vector8& a, const Vector8& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[gnu::always_inline]] inline Vector8 operator+(const Vector8& a, const Vector8& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[gnu::always_inline]] inline Vector8 operator-(const Vector8& a, const Vector8& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[gnu::always_inline]] inline Vector8 operator*(const Vector8& a, Float8 s) { return {a.x * s, a.y * s, a.z * s}; }

/// A vector of length zero stays zero; so does one too long for the square of its length to be a float.
[[gnu::always_inline]] inline Vector8 unit(const Vector8& n) {
  return n * (splat(1) / square_root(at_least(dot(n, n), splat(1e-37f))));
}
[[gnu::always_inline]] inline Vector8 flip_sign(const Vector8& a, Mask8 sign) {
  return {flip_sign(a.x, sign), flip_sign(a.y, sign), flip_sign(a.z, sign)};
}

/// x[8] y[8] z[8] as eight times (x, y, z).
[[gnu::always_inline]] inline void store_interleaved(float* to, const Vector8& v) {
  const Float8 xy = pick<0, 2, 0, 2>(v.x, v.y);
  const Float8 yz = pick<1, 3, 1, 3>(v.y, v.z);
  const Float8 zx = pick<0, 2, 1, 3>(v.z, v.x);
  const Float8 a = pick<0, 2, 0, 2>(xy, zx);
  const Float8 b = pick<0, 2, 1, 3>(yz, xy);
  const Float8 c = pick<1, 3, 1, 3>(zx, yz);
  store(to, join<0, 0>(a, b));
  store(to + 8, join<0, 1>(c, a));
  store(to + 16, join<1, 1>(b, c));
}

/// As many sums as there are registers for; of sixteen, four are padding and never computed.
constexpr int sums_at_once(int components) { return components <= 16 ? components : 8; }

/// The blocks' influences as a stream. next() gives the blended palette entries of the next eight vertices, component
/// by component, one lane per vertex. Components that the caller does not use cost nothing: they are never computed.
template <int Entry, int Unit, class Joint>
class Blender {
 public:
  [[gnu::always_inline]] Blender(const Blocks& blocks, const Joint* joints, const float* palette)
      : palette_(palette), weights_(blocks.weights), joints_(joints) {}

  [[gnu::always_inline]] inline void next(BlockHeader header, Float8 (&out)[Entry]) {
    if (header.rows == Rows::shared) {
      blend_shared(header.count, out);
    } else if (header.count == 2) {
      blend_separate<2>(out);
    } else if (header.count == 4) {
      blend_separate<4>(out);
    } else {
      blend_separate<0>(out, header.count);
    }
  }

 private:
  [[gnu::always_inline]] inline void blend_shared(int count, Float8 (&out)[Entry]) {
    constexpr int kGroup = sums_at_once(Entry);
    for (int first = 0; first < Entry; first += kGroup) {
      Float8 weight = load(weights_);
      const float* from = entry(0) + first;
      for (int i = 0; i < kGroup; ++i) out[first + i] = splat(from[i]) * weight;
      for (int k = 1; k < count; ++k) {
        weight = load(weights_ + kBlock * k);
        from = entry(k) + first;
        for (int i = 0; i < kGroup; ++i) out[first + i] = out[first + i] + splat(from[i]) * weight;
      }
    }
    weights_ += kBlock * count;
    joints_ += count;
  }

  /// Count = 0: known at run time only.
  template <int Count>
  [[gnu::always_inline]] inline void blend_separate(Float8 (&out)[Entry], int run_time_count = Count) {
    const int count = Count > 0 ? Count : run_time_count;
    constexpr int kVectors = Entry / 8;
    Float8 halves[2][kVectors][4];
    for (auto& half : halves) {
      Float8 v[4][kVectors];
      blend_row<Count>(v[0], count);
      blend_row<Count>(v[1], count);
      blend_row<Count>(v[2], count);
      blend_row<Count>(v[3], count);
      for (int i = 0; i < kVectors; ++i) transpose_halves(v[0][i], v[1][i], v[2][i], v[3][i], half[i]);
    }
    for (int i = 0; i < kVectors; ++i) {
      for (int j = 0; j < 4; ++j) {
        out[8 * i + j] = join<0, 0>(halves[0][i][j], halves[1][i][j]);
        out[8 * i + 4 + j] = join<1, 1>(halves[0][i][j], halves[1][i][j]);
      }
    }
  }

  template <int Count>
  [[gnu::always_inline]] inline void blend_row(Float8 (&sum)[Entry / 8], int run_time_count) {
    const int count = Count > 0 ? Count : run_time_count;
    for (int i = 0; i < Entry / 8; ++i) sum[i] = load(entry(0) + 8 * i) * splat(weights_[0]);
    for (int k = 1; k < count; ++k) {
      for (int i = 0; i < Entry / 8; ++i) sum[i] = sum[i] + load(entry(k) + 8 * i) * splat(weights_[k]);
    }
    weights_ += count;
    joints_ += count;
  }

  [[gnu::always_inline]] inline const float* entry(int k) const {
    return palette_ + static_cast<std::size_t>(joints_[k]) * (Entry / Unit);
  }

  const float* palette_;
  const float* weights_;
  const Joint* joints_;
};

/// Linear blending: the blended matrix for the position, its inverse transpose (cofactors) for the normal.
struct LbsBlock {
  static constexpr int kEntry = kLbsEntry;
  static constexpr bool kKeepsLength = false;
  static constexpr int kUnit = kLbsIndexUnit;

  Vector8 c0, c1, c2, c3;

  [[gnu::always_inline]] LbsBlock(const Float8 (&m)[kEntry], const Frame&)
      : c0{m[0], m[1], m[2]}, c1{m[4], m[5], m[6]}, c2{m[8], m[9], m[10]}, c3{m[12], m[13], m[14]} {}

  [[gnu::always_inline]] inline Vector8 position(const Vector8& p) const {
    return (c0 * p.x + c1 * p.y) + (c2 * p.z + c3);
  }
  [[gnu::always_inline]] inline Vector8 normal(const Vector8& n) const {
    const Vector8 k0 = cross(c1, c2);
    const Vector8 result = k0 * n.x + cross(c2, c0) * n.y + cross(c0, c1) * n.z;
    return flip_sign(result, sign_where_negative(dot(c0, k0)));
  }
};

/// Kavan 2008, algorithm 1, with the rotation and the translation of a blended dual quaternion r + εd of length |r|
/// taken together: p + 2/|r|² (v × (v × p + w p + d_v) + w d_v − d_w v), r = (w, v), d = (d_w, d_v).
struct DqsBlock {
  static constexpr int kEntry = kDqsEntry;
  static constexpr bool kKeepsLength = true;
  static constexpr int kUnit = kDqsIndexUnit;

  Float8 w, dw, twice, scale, sign;
  Vector8 v, dv;

  [[gnu::always_inline]] DqsBlock(const Float8 (&q)[kEntry], const Frame& frame)
      : w(q[0]),
        dw(q[4]),
        scale(splat(frame.scale)),
        sign(splat(frame.scale < 0 ? -1.0f : 1.0f)),
        v{q[1], q[2], q[3]},
        dv{q[5], q[6], q[7]} {
    twice = splat(2) / (w * w + dot(v, v));
  }

  [[gnu::always_inline]] inline Vector8 position(const Vector8& rest) const {
    const Vector8 p = rest * scale;
    return p + (cross(v, cross(v, p) + p * w + dv) + (dv * w - v * dw)) * twice;
  }
  /// Rest normals have unit length, and rotations keep it.
  [[gnu::always_inline]] inline Vector8 normal(const Vector8& rest) const {
    const Vector8 n = rest * sign;
    return n + cross(v, cross(v, n) + n * w) * twice;
  }
};

/// The same with stretch (see skinning.h): the dual part is an affine function of the vertex, and the translation of
/// the dual quaternion is the vertex's place.
struct StretchBlock {
  static constexpr int kEntry = kStretchEntry;
  static constexpr bool kKeepsLength = false;
  static constexpr int kUnit = kDqsIndexUnit;

  Float8 w, twice, dw0, dw1, dw2, dw3;
  Vector8 v, dv0, dv1, dv2, dv3;
  Vector8 diagonal, mixed;

  [[gnu::always_inline]] StretchBlock(const Float8 (&q)[kEntry], const Frame&)
      : w(q[0]),
        dw0(q[8]),
        dw1(q[12]),
        dw2(q[16]),
        dw3(q[4]),
        v{q[1], q[2], q[3]},
        dv0{q[9], q[10], q[11]},
        dv1{q[13], q[14], q[15]},
        dv2{q[17], q[18], q[19]},
        dv3{q[5], q[6], q[7]},
        diagonal{q[20], q[21], q[22]},
        mixed{q[24], q[25], q[26]} {
    twice = splat(2) / (w * w + dot(v, v));
  }

  [[gnu::always_inline]] inline Vector8 position(const Vector8& p) const {
    const Float8 dw = (dw0 * p.x + dw1 * p.y) + (dw2 * p.z + dw3);
    const Vector8 dv = (dv0 * p.x + dv1 * p.y) + (dv2 * p.z + dv3);
    return (cross(v, dv) + (dv * w - v * dw)) * twice;
  }
  [[gnu::always_inline]] inline Vector8 normal(const Vector8& n) const {
    const Vector8 c0{diagonal.x, mixed.x, mixed.y};
    const Vector8 c1{mixed.x, diagonal.y, mixed.z};
    const Vector8 c2{mixed.y, mixed.z, diagonal.z};
    const Vector8 k0 = cross(c1, c2);
    const Vector8 m = k0 * n.x + cross(c2, c0) * n.y + cross(c0, c1) * n.z;
    const Vector8 turned = m + cross(v, cross(v, m) + m * w) * twice;
    return flip_sign(turned, sign_where_negative(dot(c0, k0)));
  }
};

/// Blocks whose normals are finished together: the long chains of an inverse root then overlap each other, and not the
/// blending.
constexpr int kBatch = 8;

template <class Block, bool WithNormals, class Joint>
void skin_blocks(const Blocks& blocks, const Joint* joints, const Frame& frame, const Output& out) {
  Blender<Block::kEntry, Block::kUnit, Joint> blender(blocks, joints, frame.palette);
  const Vector8 offset{splat(frame.offset[0]), splat(frame.offset[1]), splat(frame.offset[2])};
  const float* points = blocks.points;
  Vector8 normals[kBatch];
  for (std::size_t first = 0; first < blocks.count; first += kBatch) {
    const std::size_t end = first + kBatch < blocks.count ? first + kBatch : blocks.count;
    for (std::size_t i = first; i < end; ++i) {
      Float8 blended[Block::kEntry];
      blender.next(blocks.headers[i], blended);
      const Block block(blended, frame);
      store_interleaved(out.positions + 3 * kBlock * i, block.position(load3(points)) + offset);
      points += 3 * kBlock;
      if constexpr (WithNormals) {
        normals[i - first] = block.normal(load3(points));
        points += 3 * kBlock;
      }
    }
    if constexpr (WithNormals) {
      for (std::size_t i = first; i < end; ++i) {
        const Vector8 n = normals[i - first];
        store_interleaved(out.normals + 3 * kBlock * i,
                          !Block::kKeepsLength && frame.normals == Normals::unit ? unit(n) : n);
      }
    }
  }
}

template <class Block>
void skin(const Blocks& blocks, const Frame& frame, const Output& out) {
  const bool with_normals = frame.normals != Normals::none;
  if (blocks.joints16 != nullptr) {
    with_normals ? skin_blocks<Block, true>(blocks, blocks.joints16, frame, out)
                 : skin_blocks<Block, false>(blocks, blocks.joints16, frame, out);
  } else {
    with_normals ? skin_blocks<Block, true>(blocks, blocks.joints32, frame, out)
                 : skin_blocks<Block, false>(blocks, blocks.joints32, frame, out);
  }
}

constexpr Kernels kKernels{skin<LbsBlock>, skin<DqsBlock>, skin<StretchBlock>};

}  // namespace
}  // namespace isochor::skin_kernels
