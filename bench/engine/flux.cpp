/** @file Time of the flux rule for one prepared pair, by family and tolerance.

 How to read it: time is per pair on one core, the lookup of surfaces and bounds (Prepare) left out;
 `error` is the reported estimate relative to V, `nodes` the quadrature points. The families are the
 product's core: a cylinder on a plane, a box in a hole, a peg in its hole, a cone in its socket, a
 ball in a groove, crossed cylinders. Filter with --benchmark_filter=peg, for example. */
#include <cmath>

#include "bench/instructions.h"
#include "cuda/flux/rule.h"
#include "geometry/make_surface.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakePlane;
using geometry::Surface;

constexpr Vec3 kX{1, 0, 0}, kZ{0, 0, 1};

Pose Along(const Vec3& n, const Vec3& p) { return {geometry::FrameAlong(n), p}; }

struct Builder {
  LocalPair pair;
  explicit Builder(double half) {
    pair.lower = {-half, -half, -half};
    pair.upper = {half, half, half};
  }
  Builder& Add(const Surface& s, int body) {
    pair.surface[pair.count].surface = s;
    pair.surface[pair.count].weight = body == 1 ? 0.5 : -0.5;
    ++pair.count;
    if (s.kind == geometry::SurfaceKind::kPlane) pair.planes = pair.count;
    return *this;
  }
};

LocalPair TiltedCylinder() {
  const Vec3 e{std::cos(0.02), 0, std::sin(0.02)};
  Builder b(0.6);
  b.Add(MakePlane(e, 0.25), 0).Add(MakePlane(-e, 0.25), 0).Add(MakePlane(kZ, 0.0), 1);
  return b.Add(MakeCylinder(0.1, Along(e, {0, 0, 0.096})), 0).pair;
}

LocalPair BoxInHole() {
  const double h = 0.36;
  Builder b(0.8);
  b.Add(MakePlane(kX, h), 0).Add(MakePlane({0, 1, 0}, h), 0).Add(MakePlane(-kX, 0.1), 0);
  b.Add(MakePlane({0, -1, 0}, 0.1), 0).Add(MakePlane(kZ, 0.4), 1).Add(MakePlane(-kZ, 0.4), 1);
  return b.Add(geometry::Complement(MakeCylinder(0.5)), 1).pair;
}

LocalPair PegInHole() {
  const Vec3 e{std::sin(0.01), 0, std::cos(0.01)};
  Builder b(1.2);
  b.Add(MakePlane(kZ, 0.8), 1).Add(MakePlane(-kZ, 0.8), 1);
  b.Add(MakeCylinder(0.4995, Along(e, {})), 0);
  return b.Add(geometry::Complement(MakeCylinder(0.5)), 1).pair;
}

LocalPair ConeInSocket() {
  Builder b(1.2);
  b.Add(MakePlane(kZ, 1.0), 1).Add(MakePlane(-kZ, -0.3), 1);
  b.Add(MakeCone(0.2, 1.0, Along(kZ, {1e-4, 0, -1e-3})), 0);
  return b.Add(geometry::Complement(MakeCone(0.2, 1.0, {})), 1).pair;
}

LocalPair BallInGroove() {
  Builder b(1.0);
  b.Add(MakePlane(kZ, 0.1), 1);
  b.Add(geometry::MakeEllipsoid({0.48, 0.48, 0.48}, {{}, {0, 0, -0.021}}), 0);
  return b.Add(geometry::Complement(MakeCylinder(0.5, Along(kX, {}))), 1).pair;
}

LocalPair CrossedCylinders() {
  Builder b(1.0);
  b.Add(MakeCylinder(0.3, Along(kX, {0, 0, 0.25})), 0);
  return b.Add(MakeCylinder(0.4, Along(Normalized(Vec3{0.3, 1, 0}), {})), 1).pair;
}

constexpr int kIterations = 2000;

void Run(benchmark::State& state, LocalPair pair) {
  pair.tolerance = state.range(0) == 3 ? 1e-3 : 1e-6;
  Moments m;
  RuleResult result;
  bench::TimedLoop(state, [&] {
    result = FluxRule(SerialTeam{}, pair, &m);
    benchmark::DoNotOptimize(m);
  });
  if (!result.accepted) state.SkipWithError("not accepted");
  state.counters["error"] = result.error / m.v;
  state.counters["nodes"] = result.work;
}

BENCHMARK_CAPTURE(Run, tilted_cylinder, TiltedCylinder())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);
BENCHMARK_CAPTURE(Run, box_in_hole, BoxInHole())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);
BENCHMARK_CAPTURE(Run, peg_in_hole, PegInHole())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);
BENCHMARK_CAPTURE(Run, cone_in_socket, ConeInSocket())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);
BENCHMARK_CAPTURE(Run, ball_in_groove, BallInGroove())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);
BENCHMARK_CAPTURE(Run, crossed_cylinders, CrossedCylinders())
    ->ArgName("digits")
    ->Arg(3)
    ->Arg(6)
    ->Iterations(kIterations);

}  // namespace
}  // namespace intervox::cuda
