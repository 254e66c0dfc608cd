// The broad phase. TwoBodies: 20 against 60 cells, as a box in its worksite, at random poses, of
// which worst_us is the slowest. Crowd: n bodies of one cell, a tenth of them overlapping; time per
// body shows the growth. candidates: how many come out; overlaps: how many pairs the engine finds
// to overlap among all that were looked at, and missed: how many of these are no candidates; there
// must be none. In a crowd the first 100 bodies are looked at, against all others.

#include "cuda/broad_phase.h"
#include "bench/engine/accuracy.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Cell;

// Counts the pairs that overlap, and those of them that are no candidates.
class Witness {
 public:
  void Look(const Cell& a, const Pose& X_WA, const Cell& b, const Pose& X_WB, bool candidate) {
    const bool overlap = ComputeMetrics({&a, &b, X_WA, X_WB, 1e-3}).volume > 0;
    overlaps_ += overlap;
    missed_ += overlap && !candidate;
  }
  void Print(benchmark::State& state) const {
    state.counters["overlaps"] = overlaps_;
    state.counters["missed"] = missed_;
  }

 private:
  int overlaps_ = 0, missed_ = 0;
};

void TwoBodies(benchmark::State& state) {
  testing::Random random(1);
  const auto cells = [&](int count, double reach) {
    std::vector<Cell> out;
    for (int i = 0; i < count; ++i) {
      const Vec3 c = random.Vector(reach);
      std::vector<Vec3> points;
      for (int k = 0; k < 8; ++k) points.push_back(c + 0.1 * random.Direction());
      out.push_back(testing::HullCell(points));
    }
    return out;
  };
  const auto a = cells(20, 0.4), b = cells(60, 0.8);
  constexpr int kPoses = 20;
  std::vector<std::pair<Pose, Pose>> poses;
  for (int i = 0; i < kPoses; ++i) {
    poses.emplace_back(random.RandomPose(0.3), random.RandomPose(0.3));
  }
  std::vector<CellPair> pairs;
  std::size_t next = 0;
  const auto find = [&](const std::pair<Pose, Pose>& X) {
    FindCandidates({a, X.first}, {b, X.second}, &pairs);
  };
  bench::TimedLoop(state, [&] {
    find(poses[next]);
    next = next + 1 < poses.size() ? next + 1 : 0;
  });
  double slowest = 0, candidates = 0;
  Witness witness;
  for (const auto& X : poses) {
    slowest = std::max(slowest, bench::ShortestRun([&] { find(X); }));
    candidates += static_cast<double>(pairs.size()) / kPoses;
    for (std::int32_t i = 0; i < 20; ++i) {
      for (std::int32_t j = 0; j < 60; ++j) {
        const bool candidate = std::binary_search(pairs.begin(), pairs.end(), CellPair{i, j});
        witness.Look(a[i], X.first, b[j], X.second, candidate);
      }
    }
  }
  state.counters["worst_us"] = slowest;
  state.counters["candidates"] = candidates;
  witness.Print(state);
}
BENCHMARK(TwoBodies)->Unit(benchmark::kMicrosecond)->Iterations(2000);

void Crowd(benchmark::State& state) {
  testing::Random random(2);
  const std::vector<Cell> box = {testing::BoxCell({1, 0.8, 0.6})};
  const int count = static_cast<int>(state.range(0));
  const double reach = 1.2 * std::cbrt(static_cast<double>(count));
  std::vector<BodyCells> bodies;
  for (int i = 0; i < count; ++i) bodies.push_back({box, random.RandomPose(reach)});
  std::vector<BodyCellPair> pairs;
  bench::TimedLoop(state, [&] { FindAllCandidates(bodies, &pairs, 1); });
  Witness witness;
  for (std::int32_t i = 0; i < std::min(count, 100); ++i) {
    for (std::int32_t j = i + 1; j < count; ++j) {
      const Pose &X = bodies[i].X_WB, &Y = bodies[j].X_WB;
      if (SquaredNorm(X.p - Y.p) > 2.0) continue;  // a box lies within 0.71 of its middle
      witness.Look(box[0], X, box[0], Y,
                   std::binary_search(pairs.begin(), pairs.end(), BodyCellPair{i, 0, j, 0}));
    }
  }
  state.counters["candidates"] = static_cast<double>(pairs.size());
  witness.Print(state);
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
