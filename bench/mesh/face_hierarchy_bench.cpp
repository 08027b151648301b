// Refitting the hierarchy of faces and asking for all crossings, on a torus of 10,000 and of 100,000 triangles that is
// bent until it nearly touches itself. One thread.

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>

#include "isochor/mesh/face_hierarchy.h"

namespace {

using namespace isochor;

Surface torus(Index triangles) {
  const auto across = static_cast<Index>(std::lround(std::sqrt(triangles / 2.0 / 4.0)));
  const Index along = triangles / 2 / across;
  Surface surface;
  for (Index i = 0; i < along; ++i) {
    const double u = 2 * std::numbers::pi * i / along;
    for (Index j = 0; j < across; ++j) {
      const double v = 2 * std::numbers::pi * j / across;
      const double r = 1 + 0.25 * std::cos(v);
      surface.positions.emplace_back(r * std::cos(u), r * std::sin(u) * 0.5, 0.25 * std::sin(v));
    }
  }
  const auto at = [&](Index i, Index j) { return i % along * across + j % across; };
  for (Index i = 0; i < along; ++i) {
    for (Index j = 0; j < across; ++j) {
      surface.add_face({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      surface.add_face({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return surface;
}

void BM_build(benchmark::State& state) {
  const Surface surface = torus(static_cast<Index>(state.range(0)));
  for (auto _ : state) {
    const FaceHierarchy faces(surface);
    benchmark::DoNotOptimize(faces.triangle_count());
  }
}

void BM_refit(benchmark::State& state) {
  const Surface surface = torus(static_cast<Index>(state.range(0)));
  FaceHierarchy faces(surface);
  for (auto _ : state) faces.refit(surface.positions);
  state.counters["faces"] = static_cast<double>(surface.face_count());
}

void BM_near_pairs(benchmark::State& state) {
  const Surface surface = torus(static_cast<Index>(state.range(0)));
  const FaceHierarchy faces(surface);
  std::vector<TrianglePair> pairs;
  for (auto _ : state) faces.near_pairs(pairs);
  state.counters["pairs"] = static_cast<double>(pairs.size());
}

void BM_crossings(benchmark::State& state) {
  const Surface surface = torus(static_cast<Index>(state.range(0)));
  const FaceHierarchy faces(surface);
  std::size_t found = 0;
  for (auto _ : state) found = faces.crossings(surface.positions).size();
  state.counters["crossings"] = static_cast<double>(found);
}

BENCHMARK(BM_build)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_refit)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_near_pairs)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_crossings)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
