// Skinner's throughput in vertices per second, beside a naive scalar loop and a memory copy in the same run.
//
// 64 joints, 4 influences per vertex. Joints are "alike" as on a character, where neighbours follow the same joints (a
// tube along a chain of joints), or "unlike": each vertex follows joints of its own, which no mesh does, as the worst
// case. Arguments: vertices / threads.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <vector>

#include "isochor/deform/skinner.h"

namespace {

using namespace isochor;

constexpr Index kJoints = 64;
constexpr Index kInfluences = 4;

enum class Neighbours { alike, unlike };

struct Mesh {
  std::vector<float> positions, normals;
  SkinWeights weights;
  std::vector<float> flat_weights;  // #V × 4
  std::vector<std::uint16_t> flat_joints;

  std::size_t size() const { return weights.vertex_count(); }
};

/// A tube around z, ring after ring, along a chain of joints.
Mesh tube(std::size_t vertices, Neighbours neighbours) {
  constexpr std::size_t kAround = 100;
  const std::size_t rings = vertices / kAround;
  Mesh mesh;
  for (std::size_t v = 0; v < vertices; ++v) {
    const std::size_t ring = v / kAround;
    const double angle = 2 * std::numbers::pi * static_cast<double>(v % kAround) / kAround;
    const double along = static_cast<double>(ring) / static_cast<double>(rings);
    for (const double x : {std::cos(angle), std::sin(angle), 20 * along})
      mesh.positions.push_back(static_cast<float>(x));
    for (const double x : {std::cos(angle), std::sin(angle), 0.0}) mesh.normals.push_back(static_cast<float>(x));
    const double place = along * (kJoints - kInfluences);
    std::vector<Influence> row;
    for (Index k = 0; k < kInfluences; ++k) {
      const auto joint = neighbours == Neighbours::alike
                             ? static_cast<Index>(place) + k
                             : static_cast<Index>((v * 7 + static_cast<std::size_t>(k) * 19) % kJoints);
      const double distance = std::floor(place) + k - place - 1.2 + 0.1 * std::sin(angle);
      row.push_back({joint, std::exp(-distance * distance)});
    }
    mesh.weights.add_row(row);
  }
  normalise(mesh.weights);
  for (const Influence& influence : mesh.weights.influences) {
    mesh.flat_weights.push_back(static_cast<float>(influence.weight));
    mesh.flat_joints.push_back(static_cast<std::uint16_t>(influence.joint));
  }
  return mesh;
}

enum class Joints { rigid, stretched };

/// A coil.
std::vector<Affine> pose(Joints joints) {
  std::vector<Affine> matrices;
  for (Index j = 0; j < kJoints; ++j) {
    Affine m = Affine::Identity();
    m.linear() = Eigen::AngleAxisd(0.11 * j, Vec3(1, 0.2, 0.1).normalized()).toRotationMatrix();
    if (joints == Joints::stretched) m.linear() = Mat3(m.linear() * Vec3(1 + 0.004 * j, 1, 1).asDiagonal());
    m.translation() = Vec3(0.03 * j, -0.02 * j, 0.1);
    matrices.push_back(m);
  }
  return matrices;
}

void count(benchmark::State& state, const Mesh& mesh) {
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(mesh.size()));
}

struct Setup {
  Deformer deformer = Deformer::lbs;
  bool normals = true;
  bool unit_normals = true;
  Neighbours neighbours = Neighbours::alike;
  Joints joints = Joints::rigid;
};

void BM_skinner(benchmark::State& state, const Setup& setup) {
  Mesh mesh = tube(static_cast<std::size_t>(state.range(0)), setup.neighbours);
  if (!setup.normals) mesh.normals.clear();
  Skinner skinner = Skinner::prepare(mesh.positions, mesh.normals, mesh.weights,
                                     {.deformer = setup.deformer, .unit_normals = setup.unit_normals});
  const std::vector<Affine> matrices = pose(setup.joints);
  std::vector<float> positions(mesh.positions.size());
  std::vector<float> normals(mesh.normals.size());
  const Context context(static_cast<int>(state.range(1)));
  for (auto _ : state) {
    skinner.apply(matrices, positions, normals, context);
    benchmark::DoNotOptimize(positions.data());
    benchmark::ClobberMemory();
  }
  count(state, mesh);
}

/// What one writes first: for each vertex a blended matrix, then the position and the normal by it.
void naive_lbs(const Mesh& mesh, const std::vector<float>& palette, float* positions, float* normals) {
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    float m[12] = {};
    for (Index k = 0; k < kInfluences; ++k) {
      const float w = mesh.flat_weights[v * kInfluences + k];
      const float* from = &palette[12 * static_cast<std::size_t>(mesh.flat_joints[v * kInfluences + k])];
      for (int i = 0; i < 12; ++i) m[i] += w * from[i];
    }
    const float* p = &mesh.positions[3 * v];
    const float* n = &mesh.normals[3 * v];
    for (int i = 0; i < 3; ++i) {
      positions[3 * v + i] = m[i] * p[0] + m[3 + i] * p[1] + m[6 + i] * p[2] + m[9 + i];
      normals[3 * v + i] = m[i] * n[0] + m[3 + i] * n[1] + m[6 + i] * n[2];
    }
  }
}

/// Kavan 2008, algorithm 1.
void naive_dqs(const Mesh& mesh, const std::vector<float>& palette, float* positions, float* normals) {
  for (std::size_t v = 0; v < mesh.size(); ++v) {
    const float* pivot = &palette[8 * static_cast<std::size_t>(mesh.flat_joints[v * kInfluences])];
    float b[8] = {};
    for (Index k = 0; k < kInfluences; ++k) {
      const float* from = &palette[8 * static_cast<std::size_t>(mesh.flat_joints[v * kInfluences + k])];
      const float along = from[0] * pivot[0] + from[1] * pivot[1] + from[2] * pivot[2] + from[3] * pivot[3];
      const float w = along < 0 ? -mesh.flat_weights[v * kInfluences + k] : mesh.flat_weights[v * kInfluences + k];
      for (int i = 0; i < 8; ++i) b[i] += w * from[i];
    }
    const float inverse = 1 / std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
    for (float& x : b) x *= inverse;
    const Vec3f d0(b[1], b[2], b[3]);
    const Vec3f de(b[5], b[6], b[7]);
    const Eigen::Map<const Vec3f> p(&mesh.positions[3 * v]);
    const Eigen::Map<const Vec3f> n(&mesh.normals[3 * v]);
    Eigen::Map<Vec3f>(positions + 3 * v) =
        p + 2 * d0.cross(d0.cross(p) + b[0] * p) + 2 * (b[0] * de - b[4] * d0 + d0.cross(de));
    Eigen::Map<Vec3f>(normals + 3 * v) = n + 2 * d0.cross(d0.cross(n) + b[0] * n);
  }
}

std::vector<float> naive_palette(Deformer deformer) {
  std::vector<float> palette;
  for (const Affine& m : pose(Joints::rigid)) {
    if (deformer == Deformer::lbs) {
      for (int c = 0; c < 4; ++c) {
        for (int r = 0; r < 3; ++r) palette.push_back(static_cast<float>(m.matrix()(r, c)));
      }
    } else {
      const Quat q(m.linear());
      const Vec3 t = 0.5 * m.translation();
      const Quat d = Quat(0, t.x(), t.y(), t.z()) * q;
      for (const double x : {q.w(), q.x(), q.y(), q.z(), d.w(), d.x(), d.y(), d.z()}) {
        palette.push_back(static_cast<float>(x));
      }
    }
  }
  return palette;
}

void BM_naive(benchmark::State& state, Deformer deformer) {
  const Mesh mesh = tube(static_cast<std::size_t>(state.range(0)), Neighbours::alike);
  const std::vector<float> palette = naive_palette(deformer);
  std::vector<float> positions(mesh.positions.size());
  std::vector<float> normals(mesh.normals.size());
  for (auto _ : state) {
    (deformer == Deformer::lbs ? naive_lbs : naive_dqs)(mesh, palette, positions.data(), normals.data());
    benchmark::DoNotOptimize(positions.data());
    benchmark::ClobberMemory();
  }
  count(state, mesh);
}

/// 68 bytes per vertex, read and written together: what a skinning with four influences moves at least.
void BM_copy_68_bytes(benchmark::State& state) {
  const auto vertices = static_cast<std::size_t>(state.range(0));
  std::vector<char> from(34 * vertices, 1);
  std::vector<char> to(34 * vertices);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), to.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// One thread is timed by the processor's time, which other programs on the machine disturb less; two by the clock.
void one_thread(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{100000, 1000000}, {1}})->Unit(benchmark::kMicrosecond);
}
void two_threads(benchmark::internal::Benchmark* b) {
  b->ArgsProduct({{100000, 1000000}, {2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
}

const Setup kLbs{};
const Setup kLbsAnyLength{.unit_normals = false};
const Setup kLbsPositions{.normals = false};
const Setup kLbsUnlike{.neighbours = Neighbours::unlike};
const Setup kDqs{.deformer = Deformer::dqs};
const Setup kDqsPositions{.deformer = Deformer::dqs, .normals = false};
const Setup kDqsUnlike{.deformer = Deformer::dqs, .neighbours = Neighbours::unlike};
const Setup kDqsStretched{.deformer = Deformer::dqs, .joints = Joints::stretched};

BENCHMARK_CAPTURE(BM_skinner, lbs, kLbs)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, lbs_any_length, kLbsAnyLength)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, lbs_positions, kLbsPositions)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, lbs_unlike, kLbsUnlike)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, dqs, kDqs)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, dqs_positions, kDqsPositions)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, dqs_unlike, kDqsUnlike)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_skinner, dqs_stretched, kDqsStretched)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_naive, lbs, Deformer::lbs)->Apply(one_thread);
BENCHMARK_CAPTURE(BM_naive, dqs, Deformer::dqs)->Apply(one_thread);
BENCHMARK(BM_copy_68_bytes)->Apply(one_thread);

BENCHMARK_CAPTURE(BM_skinner, lbs, kLbs)->Apply(two_threads);
BENCHMARK_CAPTURE(BM_skinner, lbs_positions, kLbsPositions)->Apply(two_threads);
BENCHMARK_CAPTURE(BM_skinner, dqs, kDqs)->Apply(two_threads);
BENCHMARK_CAPTURE(BM_skinner, dqs_positions, kDqsPositions)->Apply(two_threads);

}  // namespace
