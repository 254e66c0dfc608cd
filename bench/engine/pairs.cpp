// Single pairs on one core. Each line is the mean over 500 random poses that have no closed form,
// each as often as the others; instr: user instructions of a pair; worst_us: the slowest pair
// alone; err_*: the relative error of V against a run at a tighter tolerance (err_worst of
// two boxes, which are exact: against the same pair after a random rigid motion); missed_%: the
// share that did not meet its tolerance.

#include "bench/engine/accuracy.h"
#include "geometry/shape.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::Cell;
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
  const Cell a = testing::BoxCell({1, 0.8, 0.6}), b = testing::BoxCell({0.7, 0.9, 0.5});
  Random random(1);
  std::vector<PairQuery> queries;
  for (int i = 0; i < kQueries; ++i) {
    queries.push_back({&a, &b, random.RandomPose(0.3), random.RandomPose(0.3)});
  }
  bench::RunQueries(state, queries, 1e-9);
  state.counters["err_worst"] = WorstAfterMotion(queries);
}
BENCHMARK(BoxBox)->Iterations(kRounds* kQueries);

// A box laid on another, tilted by up to 1e-3 and sunk by 1e-5 to 1e-3 of its size.
void BoxBoxNearlyAligned(benchmark::State& state) {
  const Cell a = testing::BoxCell({1, 0.8, 0.6}), b = testing::BoxCell({0.7, 0.9, 0.5});
  Random random(2);
  std::vector<PairQuery> queries;
  for (int i = 0; i < kQueries; ++i) {
    const Pose X = random.RandomPose(1);
    const double depth = random.LogUniform(1e-5, 1e-3);
    queries.push_back({&a, &b, X,
                       X * Pose{testing::Turned(random.Vector(1e-3), {}),
                                {random.Uniform(-0.2, 0.2), 0.1, 0.55 - depth}}});
  }
  bench::RunQueries(state, queries, 1e-9);
  state.counters["err_worst"] = WorstAfterMotion(queries);
}
BENCHMARK(BoxBoxNearlyAligned)->Iterations(kRounds* kQueries);

// Two oriented boxes that miss each other, from 1 % of their size to one size apart.
void BoxMiss(benchmark::State& state) {
  const Cell a = testing::BoxCell({1, 0.8, 0.6}), b = testing::BoxCell({0.7, 0.9, 0.5});
  Random random(3);
  std::vector<PairQuery> queries;
  while (queries.size() < kQueries) {
    const PairQuery q{&a, &b, random.RandomPose(1), random.RandomPose(1)};
    if (ComputeMetrics(q).status == Status::kDisjoint) queries.push_back(q);
  }
  bench::RunQueries(state, queries, 1e-9);
}
BENCHMARK(BoxMiss)->Iterations(10 * kRounds * kQueries);

// Two general ellipsoids in random directions; argument: −log10 of depth over size, and of the
// tolerance.
void Ellipsoids(benchmark::State& state) {
  const Cell a = testing::CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}})[0];
  const Cell b = testing::CellsOf(geometry::Ellipsoid{{0.35, 0.5, 0.25}})[0];
  const double depth = std::pow(10.0, -static_cast<double>(state.range(0)));
  Random random(4);
  std::vector<PairQuery> queries;
  while (queries.size() < kQueries) {
    PairQuery q{&a, &b, {random.Rotation(), {}}, {random.Rotation(), {}}};
    q.tolerance = std::pow(10.0, -static_cast<double>(state.range(1)));
    // Support points along a direction touch; then the depth along it.
    const Vec3 n = random.Direction();
    const auto support = [&](const Vec3& radii, const Mat3& R) {
      const Vec3 m = Scaled(radii, TransposeTimes(R, n));
      return R * Scaled(radii, Normalized(m));
    };
    q.X_WB.p =
        support({0.5, 0.4, 0.3}, q.X_WA.R) + support({0.35, 0.5, 0.25}, q.X_WB.R) - depth * n;
    queries.push_back(q);
  }
  bench::RunQueries(state, queries, 1e-9);
}
BENCHMARK(Ellipsoids)
    ->Args({1, 3})
    ->Args({2, 3})
    ->Args({3, 3})
    ->Args({4, 3})
    ->Args({5, 3})
    ->Args({3, 6})
    ->Iterations(kRounds* kQueries);

// A peg in a hole 10 µm wider, tilted so that it bears at two places: two crescents.
void PegInHole(benchmark::State& state) {
  const Cell peg = testing::CellsOf(geometry::Cylinder{0.00999, 0.06})[0];
  const Cell block = testing::HoledBoxCells({0.06, 0.06, 0.04}, 0.01)[0];
  Random random(5);
  std::vector<PairQuery> queries;
  while (queries.size() < kQueries) {
    const Pose X = random.RandomPose(0.1);
    const Vec3 tilt{random.Uniform(-2e-3, 2e-3), random.Uniform(-2e-3, 2e-3), 0};
    PairQuery q{&peg, &block,
                X * Pose{testing::Turned(tilt, {}),
                         {random.Uniform(-1e-5, 1e-5), random.Uniform(-1e-5, 1e-5), 0.005}},
                X};
    if (ComputeMetrics(q).status != Status::kDisjoint) queries.push_back(q);
  }
  bench::RunQueries(state, queries, 1e-7);
}
BENCHMARK(PegInHole)->Iterations(kRounds* kQueries);

// Every pair of families at random poses, to 1e-4.
constexpr int kFamilyPairs = 98;
void AnyFamilies(benchmark::State& state) {
  static const std::vector<testing::Family> families = testing::AllFamilies();
  Random random(6);
  std::vector<PairQuery> queries;
  for (int i = 0; i < kFamilyPairs; ++i) {
    PairQuery q{&families[i % 7].cell, &families[i / 7 % 7].cell, random.RandomPose(0.4),
                random.RandomPose(0.4)};
    q.tolerance = 1e-4;
    queries.push_back(q);
  }
  bench::RunQueries(state, queries, 1e-5);
}
BENCHMARK(AnyFamilies)->Unit(benchmark::kMicrosecond)->Iterations(kFamilyPairs);

}  // namespace
}  // namespace intervox
