// The broad phase. TwoBodies: 20 against 60 cells, as a box in its worksite; candidates are
// counted. Crowd: n bodies of one cell, a tenth of them overlapping; time per body shows the
// growth.

#include "cuda/broad_phase.h"
#include "bench/instructions.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

void TwoBodies(benchmark::State& state) {
  testing::Random random(1);
  const auto cells = [&](int count, double reach) {
    std::vector<geometry::Cell> out;
    for (int i = 0; i < count; ++i) {
      const Vec3 c = random.Vector(reach);
      std::vector<Vec3> points;
      for (int k = 0; k < 8; ++k) points.push_back(c + 0.1 * random.Direction());
      out.push_back(testing::HullCell(points));
    }
    return out;
  };
  const auto a = cells(20, 0.4), b = cells(60, 0.8);
  std::vector<CellPair> pairs;
  const Pose X_WA = random.RandomPose(0.3), X_WB = random.RandomPose(0.3);
  bench::TimedLoop(state, [&] { FindCandidates({a, X_WA}, {b, X_WB}, &pairs); });
  state.counters["candidates"] = static_cast<double>(pairs.size());
}
BENCHMARK(TwoBodies)->Unit(benchmark::kMicrosecond)->Iterations(2000);

void Crowd(benchmark::State& state) {
  testing::Random random(2);
  const std::vector<geometry::Cell> box = {testing::BoxCell({1, 0.8, 0.6})};
  const int count = static_cast<int>(state.range(0));
  const double reach = 1.2 * std::cbrt(static_cast<double>(count));
  std::vector<BodyCells> bodies;
  for (int i = 0; i < count; ++i) bodies.push_back({box, random.RandomPose(reach)});
  std::vector<BodyCellPair> pairs;
  bench::TimedLoop(state, [&] { FindAllCandidates(bodies, &pairs, 1); });
  state.counters["candidates"] = static_cast<double>(pairs.size());
  state.counters["per_body"] = benchmark::Counter(
      count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(Crowd)
    ->RangeMultiplier(8)
    ->Range(64, 32768)
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(20);

}  // namespace
}  // namespace intervox
