/** @file Cost and accuracy of the leaf rules, one pair at a time on one core.

 How to read it: the time is that of one pair, set-up included, averaged over `pairs` random poses.
 worst_rel is the largest relative error of V over them, against a run at 1e-10 (polar), against the
 polar rule (clip) or against the formula (center); work is the mean number of rays, leaves or
 voxels; accepted is the share of poses that the rule took. Axes: depth as a power of ten of the
 size, tolerance as a power of ten. */
#include <cmath>
#include <random>
#include <vector>

#include "bench/instructions.h"
#include "cuda/center_rule.h"
#include "cuda/clip/rule.h"
#include "cuda/polar/rule.h"
#include "cuda/team.h"
#include "geometry/make_surface.h"

namespace intervox::cuda {
namespace {

using geometry::Surface;

constexpr int kPairs = 64;

class Random {
 public:
  double Uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  Mat3 Rotation() {
    std::normal_distribution<double> normal;
    const double w = normal(engine_), x = normal(engine_), y = normal(engine_);
    return ToRotation(Normalized(Quaternion{w, x, y, normal(engine_)}));
  }
  Vec3 Radii() {
    const double x = Uniform(0.3, 1), y = Uniform(0.3, 1);
    return {x, y, Uniform(0.3, 1)};
  }

 private:
  std::mt19937_64 engine_{1};
};

Vec3 Support(const Surface& s, const Vec3& n) {
  const Vec3 l = TransposeTimes(s.R, n);
  const Vec3 q{-s.c / s.e.x * l.x, -s.c / s.e.y * l.y, -s.c / s.e.z * l.z};
  return s.o + s.R * (q / std::sqrt(Dot(l, q)));
}

void Add(const Surface& s, int body, LocalPair* pair) {
  LocalSurface& local = pair->surface[pair->count++];
  local.surface = s;
  local.body = static_cast<std::int8_t>(body);
  local.weight = body == 0 ? -0.5 : 0.5;
  pair->planes += s.kind == geometry::SurfaceKind::kPlane;
}

// The pair's origin at p, its box around the ball of radius 2 about it.
LocalPair MakePair(const Surface& a, const Surface& b, const Vec3& p, double tolerance) {
  LocalPair pair;
  const Pose X{Mat3::Identity(), -p};
  const bool plane_last = b.kind == geometry::SurfaceKind::kPlane;
  Add(X * (plane_last ? b : a), plane_last ? 1 : 0, &pair);
  Add(X * (plane_last ? a : b), plane_last ? 0 : 1, &pair);
  pair.lower = {-2, -2, -2};
  pair.upper = {2, 2, 2};
  pair.tolerance = tolerance;
  return pair;
}

enum Kind { kEllipsoids, kEllipsoidPlane, kTorusPlane };

std::vector<LocalPair> Contacts(Kind kind, double depth, double tolerance) {
  Random random;
  std::vector<LocalPair> pairs;
  for (int i = 0; i < kPairs; ++i) {
    const Vec3 n = random.Rotation().Col(2);
    if (kind == kTorusPlane) {
      const Surface a = geometry::MakeTorus(0.6, 0.2, {random.Rotation(), {}});
      const double along = Dot(n, a.R.Col(2));
      const double reach = 0.6 * Norm(n - along * a.R.Col(2)) + 0.2;
      pairs.push_back(
          MakePair(a, geometry::MakePlane(n, 2 * depth * reach - reach), {}, tolerance));
      continue;
    }
    const Surface a = geometry::MakeEllipsoid(random.Radii(), {random.Rotation(), {}});
    const Vec3 p = Support(a, n);
    if (kind == kEllipsoidPlane) {
      pairs.push_back(MakePair(a, geometry::MakePlane(-n, (depth - 1) * Dot(n, p)), p, tolerance));
      continue;
    }
    Surface b = geometry::MakeEllipsoid(random.Radii(), {random.Rotation(), {}});
    b.o = p - Support(b, -n) - depth * Dot(n, p) * n;
    pairs.push_back(MakePair(a, b, p, tolerance));
  }
  return pairs;
}

template <class Rule, class Truth>
void Measure(benchmark::State& state, const std::vector<LocalPair>& pairs, const Rule& rule,
             const Truth& truth) {
  double worst = 0, work = 0, accepted = 0;
  for (const LocalPair& pair : pairs) {
    Moments moments;
    const RuleResult result = rule(pair, &moments);
    const double v = truth(pair);
    if (!result.accepted || !(v > 0)) continue;
    accepted += 1;
    work += result.work;
    worst = std::max(worst, std::fabs(moments.v / v - 1));
  }
  std::size_t i = 0;
  bench::TimedLoop(state, [&] {
    Moments moments;
    benchmark::DoNotOptimize(rule(pairs[i], &moments));
    benchmark::DoNotOptimize(moments);
    i = i + 1 == pairs.size() ? 0 : i + 1;
  });
  state.counters["worst_rel"] = worst;
  state.counters["work"] = accepted > 0 ? work / accepted : 0;
  state.counters["accepted"] = accepted / static_cast<double>(pairs.size());
}

double Power(std::int64_t exponent) { return std::pow(10.0, static_cast<double>(exponent)); }

double FineVolume(LocalPair pair) {
  pair.tolerance = 1e-10;
  Moments moments;
  return PolarRule(SerialTeam{}, pair, &moments).accepted ? moments.v : 0.0;
}

void Polar(benchmark::State& state, Kind kind) {
  Measure(
      state, Contacts(kind, Power(state.range(0)), Power(state.range(1))),
      [](const LocalPair& pair, Moments* m) { return PolarRule(SerialTeam{}, pair, m); },
      FineVolume);
}
BENCHMARK_CAPTURE(Polar, ellipsoids, kEllipsoids)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-6, -4, -3, -2, -1}, {-3, -6}})
    ->Iterations(100 * kPairs);
BENCHMARK_CAPTURE(Polar, ellipsoid_plane, kEllipsoidPlane)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-6, -3, -1}, {-3, -6}})
    ->Iterations(100 * kPairs);
BENCHMARK_CAPTURE(Polar, torus_plane, kTorusPlane)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-6, -3, -1}, {-3, -6}})
    ->Iterations(100 * kPairs);

void Clip(benchmark::State& state, Kind kind) {
  Measure(
      state, Contacts(kind, Power(state.range(0)), Power(state.range(1))),
      [](const LocalPair& pair, Moments* m) { return ClipRule(SerialTeam{}, pair, m); },
      FineVolume);
}
BENCHMARK_CAPTURE(Clip, ellipsoids, kEllipsoids)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-4, -2, -1}, {-2, -3, -4}})
    ->Iterations(kPairs)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Clip, torus_plane, kTorusPlane)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-2, -1}, {-2, -3}})
    ->Iterations(kPairs)
    ->Unit(benchmark::kMicrosecond);

// One leaf: a box cut by two planes, ten moments and the faces' sums.
void ClipLeaf(benchmark::State& state) {
  const internal::HalfSpaceCut cut[2] = {{Normalized(Vec3{0.1, 0.2, 1}), 0.1, 0.5},
                                         {Normalized(Vec3{0.2, -0.1, -1}), 0.15, -0.5}};
  internal::ClipSums sums;
  bench::TimedLoop(state, [&] {
    internal::AddPolytope(cut, 2, {0.05, 0.02, 0.0}, {0.5, 0.4, 1.0}, &sums);
    benchmark::DoNotOptimize(sums);
  });
}
BENCHMARK(ClipLeaf)->Iterations(100000);

void Center(benchmark::State& state) {
  const double voxel = Power(-1) / static_cast<double>(state.range(0));
  Measure(
      state, Contacts(kEllipsoidPlane, 0.5, 1e-3),
      [&](const LocalPair& pair, Moments* m) { return CenterRule(SerialTeam{}, pair, voxel, m); },
      FineVolume);
}
BENCHMARK(Center)
    ->ArgName("voxels_per_tenth")
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Iterations(kPairs)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace intervox::cuda
