/** @file Cost and accuracy of the leaf rules, one pair at a time on one core.

 How to read it: the time is that of one pair, set-up included, averaged over `pairs` random poses.
 worst_us is the slowest pair alone; err_worst the largest relative error of V, against the polar
 rule at 1e-10 or, of tori, the column rule; work the mean number of rays, leaves or voxels;
 accepted_% the share of poses that the rule took. ClipLeaf's error is against the formula. Axes:
 depth as a power of ten of the size, tolerance as a power of ten. */
#include <cmath>
#include <vector>

#include "bench/engine/accuracy.h"
#include "cuda/rules/center/rule.h"
#include "cuda/rules/clip/rule.h"
#include "cuda/rules/column/rule.h"
#include "cuda/rules/polar/rule.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::Surface;

constexpr int kPairs = 64;

Vec3 Support(const Surface& s, const Vec3& n) {
  const Vec3 l = TransposeTimes(s.R, n);
  const Vec3 q{-s.c / s.e.x * l.x, -s.c / s.e.y * l.y, -s.c / s.e.z * l.z};
  return s.o + s.R * (q / std::sqrt(Dot(l, q)));
}

LocalPair MakePair(const Surface& a, const Surface& b, const Vec3& p, double tolerance) {
  constexpr Vec3 kReach{2, 2, 2};
  return testing::MakePair({a}, {b}, p, p - kReach, p + kReach, tolerance);
}

enum Kind { kEllipsoids, kEllipsoidPlane, kTorusPlane };

std::vector<LocalPair> Contacts(Kind kind, double depth, double tolerance) {
  testing::Random random(1);
  const auto radii = [&] {
    const double x = random.Uniform(0.3, 1), y = random.Uniform(0.3, 1);
    return Vec3{x, y, random.Uniform(0.3, 1)};
  };
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
    const Surface a = geometry::MakeEllipsoid(radii(), {random.Rotation(), {}});
    const Vec3 p = Support(a, n);
    if (kind == kEllipsoidPlane) {
      pairs.push_back(MakePair(a, geometry::MakePlane(-n, (depth - 1) * Dot(n, p)), p, tolerance));
      continue;
    }
    Surface b = geometry::MakeEllipsoid(radii(), {random.Rotation(), {}});
    b.o = p - Support(b, -n) - depth * Dot(n, p) * n;
    pairs.push_back(MakePair(a, b, p, tolerance));
  }
  return pairs;
}

double Power(std::int64_t exponent) { return std::pow(10.0, static_cast<double>(exponent)); }

// By the polar rule; of tori, which it sums alike at any tolerance, by the column rule.
double FineVolume(LocalPair pair) {
  pair.tolerance = 1e-10;
  Moments moments;
  const bool torus = pair.surface[pair.planes].surface.kind == geometry::SurfaceKind::kTorus;
  const RuleResult result = torus ? ColumnRule(pair, &moments) : PolarRule(pair, &moments);
  return result.accepted ? moments.v : 0.0;
}

void Polar(benchmark::State& state, Kind kind) {
  bench::RunRule(
      state, Contacts(kind, Power(state.range(0)), Power(state.range(1))),
      [](const LocalPair& pair, Moments* m) { return PolarRule(pair, m); }, FineVolume);
}
BENCHMARK_CAPTURE(Polar, ellipsoids, kEllipsoids)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-6, -4, -3, -2, -1, 0}, {-3, -6}})
    ->Iterations(100 * kPairs);
BENCHMARK_CAPTURE(Polar, ellipsoid_plane, kEllipsoidPlane)
    ->ArgNames({"depth", "tolerance"})
    ->ArgsProduct({{-6, -3, -1}, {-3, -6}})
    ->Iterations(100 * kPairs);

void Clip(benchmark::State& state, Kind kind) {
  bench::RunRule(
      state, Contacts(kind, Power(state.range(0)), Power(state.range(1))),
      [](const LocalPair& pair, Moments* m) { return ClipRule(pair, m); }, FineVolume);
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
  const internal::clip::HalfSpaceCut cut[2] = {{Normalized(Vec3{0.1, 0.2, 1}), 0.1, 0.5},
                                               {Normalized(Vec3{0.2, -0.1, -1}), 0.15, -0.5}};
  const Vec3 center{0.05, 0.02, 0.0}, half{0.5, 0.4, 1.0};
  internal::clip::PolygonRoom room;
  bench::TimedLoop(state, [&] {
    internal::clip::ClipSums sums;
    internal::clip::AddPolytope(cut, 2, center, half, &room, &sums);
    benchmark::DoNotOptimize(sums);
  });
  internal::clip::ClipSums sums;
  internal::clip::AddPolytope(cut, 2, center, half, &room, &sums);
  // The planes leave the box by its walls alone: the height between them over its middle counts.
  double height = 0;
  for (const internal::clip::HalfSpaceCut& plane : cut) {
    height += (plane.d - plane.n.x * center.x - plane.n.y * center.y) / std::fabs(plane.n.z);
  }
  state.counters["err_worst"] = std::fabs(sums.v / (4 * half.x * half.y * height) - 1);
}
BENCHMARK(ClipLeaf)->Iterations(100000);

void Center(benchmark::State& state) {
  const double voxel = Power(-1) / static_cast<double>(state.range(0));
  bench::RunRule(
      state, Contacts(kEllipsoidPlane, 0.5, 1e-3),
      [&](const LocalPair& pair, Moments* m) { return CenterRule(pair, voxel, m); }, FineVolume);
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
