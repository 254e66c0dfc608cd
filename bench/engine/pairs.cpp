// Single pairs on one core. Each line is the mean over 500 random poses that have no closed form,
// each as often as the others; instr: user instructions of a pair; worst_us: the slowest pair
// alone; err_*: the relative error of V against a run at a tighter tolerance (err_worst of
// two boxes, which are exact: against the same pair after a random rigid motion); missed_%: the
// share that did not meet its tolerance.

#include "bench/engine/accuracy.h"
#include "bench/engine/query_sets.h"

namespace intervox {
namespace {

using testing::Random;

constexpr int kQueries = 500;
// Rounds over all poses: a fixed number, so that each pose weighs the same.
constexpr int kRounds = 40;

// The worst relative difference of V after a random rigid motion of the pair.
double WorstAfterMotion(const std::vector<PairQuery>& queries) {
  Random random(7);
  double worst = 0;
  for (PairQuery q : queries) {
    const double V = ComputeMetrics(q).volume;
    const Pose X = random.RandomPose(1);
    q.X_WA = X * q.X_WA;
    q.X_WB = X * q.X_WB;
    if (V > 0) worst = std::max(worst, std::fabs(ComputeMetrics(q).volume / V - 1));
  }
  return worst;
}

void BoxBox(benchmark::State& state) {
  const auto set = bench::BoxPairs(kQueries);
  bench::RunQueries(state, set.queries, 1e-9);
  state.counters["err_worst"] = WorstAfterMotion(set.queries);
}
BENCHMARK(BoxBox)->Iterations(kRounds* kQueries);

void BoxBoxNearlyAligned(benchmark::State& state) {
  const auto set = bench::NearlyAlignedBoxes(kQueries);
  bench::RunQueries(state, set.queries, 1e-9);
  state.counters["err_worst"] = WorstAfterMotion(set.queries);
}
BENCHMARK(BoxBoxNearlyAligned)->Iterations(kRounds* kQueries);

void BoxMiss(benchmark::State& state) {
  bench::RunQueries(state, bench::MissingBoxes(kQueries).queries, 1e-9);
}
BENCHMARK(BoxMiss)->Iterations(10 * kRounds * kQueries);

// Arguments: −log10 of depth over size, and of the tolerance.
void Ellipsoids(benchmark::State& state) {
  const double depth = std::pow(10.0, -static_cast<double>(state.range(0)));
  const double tolerance = std::pow(10.0, -static_cast<double>(state.range(1)));
  bench::RunQueries(state, bench::EllipsoidPairs(kQueries, depth, tolerance).queries, 1e-9);
}
BENCHMARK(Ellipsoids)
    ->Args({1, 3})
    ->Args({2, 3})
    ->Args({3, 3})
    ->Args({4, 3})
    ->Args({5, 3})
    ->Args({3, 6})
    ->Iterations(kRounds* kQueries);

void PegInHole(benchmark::State& state) {
  bench::RunQueries(state, bench::PegsInHoles(kQueries).queries, 1e-7);
}
BENCHMARK(PegInHole)->Iterations(kRounds* kQueries);

// To 1e-4.
constexpr int kFamilyPairs = 98;
void AnyFamilies(benchmark::State& state) {
  bench::RunQueries(state, bench::FamilyPairs(kFamilyPairs, 1e-4).queries, 1e-5);
}
BENCHMARK(AnyFamilies)->Unit(benchmark::kMicrosecond)->Iterations(kFamilyPairs);

}  // namespace
}  // namespace intervox
