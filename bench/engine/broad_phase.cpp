// Pairs of overlapping boxes. Crowd: n boxes of one size, a tenth of them or so overlapping; Mixed:
// n boxes of 1 mm to 10 cm and ten of 10 m. pairs: how many come out; per_box: time for each box,
// which shows the growth.

#include "cuda/broad_phase/broad_phase.h"

#include "bench/engine/accuracy.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

void Find(benchmark::State& state, const std::vector<geometry::Aabb>& boxes) {
  BoxPairs finder;
  std::vector<IndexPair> pairs;
  bench::TimedLoop(state, [&] { finder.Find(boxes, &pairs, 1); });
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.counters["per_box"] = benchmark::Counter(
      static_cast<double>(boxes.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Crowd(benchmark::State& state) {
  testing::Random random(2);
  const double reach = 2.0 * std::cbrt(static_cast<double>(state.range(0)));
  std::vector<geometry::Aabb> boxes;
  for (int i = 0; i < state.range(0); ++i) {
    const Vec3 middle = random.Vector(reach), half{0.5, 0.4, 0.3};
    boxes.push_back({middle - half, middle + half});
  }
  Find(state, boxes);
}
BENCHMARK(Crowd)->RangeMultiplier(8)->Range(64, 262144)->Unit(benchmark::kMicrosecond);

void Mixed(benchmark::State& state) {
  testing::Random random(3);
  std::vector<geometry::Aabb> boxes;
  const double reach = 0.05 * std::cbrt(static_cast<double>(state.range(0)));
  for (int i = 0; i < state.range(0) + 10; ++i) {
    const double size = i < 10 ? 5.0 : std::pow(10, random.Uniform(-3, -1));
    const Vec3 middle = i < 10 ? Vec3{0, 0, -20.0 - i} : random.Vector(reach);
    const Vec3 half{size, size, size};
    boxes.push_back({middle - half, middle + half});
  }
  Find(state, boxes);
}
BENCHMARK(Mixed)->RangeMultiplier(8)->Range(64, 262144)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace intervox
