/** @file Cost and accuracy of the flux rule, one pair at a time on one core, by family and
 tolerance.

 How to read it: the time is that of one prepared pair, the lookup of surfaces and bounds (Prepare)
 left out, averaged over random poses; worst_us is the slowest pair alone; err_worst the largest
 relative error of V against a run at 1e-9; work the mean number of quadrature points; accepted_%
 the share of poses that the rule took. The families are the product's core: a cylinder on a plane,
 a box in a hole, a peg in its hole, a cone in its socket, a ball in a groove, crossed cylinders.
 Filter with --benchmark_filter=peg, for example. */
#include <cmath>
#include <vector>

#include "bench/engine/accuracy.h"
#include "cuda/rules/flux/rule.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakePlane;
using geometry::Surface;
using testing::Random;

constexpr int kPairs = 64;
constexpr Vec3 kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};

Pose Along(const Vec3& n, const Vec3& p) { return {geometry::FrameAlong(n), p}; }

/** The surfaces of A and of B, which meet within `reach` of the origin. */
struct Bodies {
  std::vector<Surface> a, b;
  double reach;
};

Bodies TiltedCylinder(Random* random) {
  const double tilt = random->Uniform(0.001, 0.05), depth = random->LogUniform(1e-4, 1e-2);
  const Vec3 e{std::cos(tilt), 0, std::sin(tilt)};
  const Vec3 middle{0, 0, 0.1 * e.x + 0.25 * e.z - depth};
  return {{MakePlane(e, middle + 0.25 * e), MakePlane(-e, middle - 0.25 * e),
           MakeCylinder(0.1, Along(e, middle))},
          {MakePlane(kZ, 0.0)},
          0.5};
}

Bodies BoxInHole(Random* random) {
  const double h = (0.5 + random->LogUniform(1e-4, 2e-2)) / std::sqrt(2.0);
  return {{MakePlane(kX, h), MakePlane(kY, h), MakePlane(-kX, 0.1), MakePlane(-kY, 0.1)},
          {MakePlane(kZ, 0.4), MakePlane(-kZ, 0.4), Complement(MakeCylinder(0.5))},
          0.8};
}

Bodies PegInHole(Random* random) {
  const double tilt = random->Uniform(0.002, 0.02);
  const Vec3 e{std::sin(tilt), 0, std::cos(tilt)}, off = random->Vector(2e-4);
  return {{MakeCylinder(0.4995, Along(e, off))},
          {MakePlane(kZ, 0.8), MakePlane(-kZ, 0.8), Complement(MakeCylinder(0.5))},
          1.2};
}

Bodies ConeInSocket(Random* random) {
  const double depth = random->LogUniform(1e-4, 1e-2);
  const Vec3 apex{0.1 * depth * random->Uniform(-1, 1), 0.1 * depth * random->Uniform(-1, 1),
                  -depth};
  return {{MakeCone(0.2, 1.0, {{}, apex})},
          {MakePlane(kZ, 1.0), MakePlane(-kZ, -0.3), Complement(MakeCone(0.2, 1.0, {}))},
          1.2};
}

Bodies BallInGroove(Random* random) {
  const Vec3 centre{0, 0, -0.02 - random->LogUniform(1e-5, 1e-2)};
  return {{geometry::MakeEllipsoid({0.48, 0.48, 0.48}, {{}, centre})},
          {MakePlane(kZ, 0.1), Complement(MakeCylinder(0.5, Along(kX, {})))},
          1.0};
}

Bodies PinInFunnel(Random* random) {
  // Against the wall of a funnel of 51 degrees that it is led down by, off the axis.
  const double tilt = random->Uniform(0.002, 0.02), depth = random->LogUniform(1e-4, 1e-2);
  const Vec3 e{std::sin(tilt), 0, std::cos(tilt)}, off{0.5 - 0.15 + depth, 0, 0};
  return {{MakePlane(-e, -Dot(e, off)), MakeCone(0.2, 1.0, Along(e, off - 0.75 * e))},
          {MakePlane(kZ, 0.2), MakePlane(-kZ, 0.15),
           Complement(MakeCone(1.24, 1.0, {{}, {0, 0, -0.5 / 1.24}}))},
          1.0};
}

Bodies CrossedCylinders(Random* random) {
  const Vec3 middle{0, 0, 0.7 - random->LogUniform(1e-3, 0.5)};
  const Vec3 e = Normalized(Vec3{random->Uniform(-0.5, 0.5), 1, 0});
  return {{MakeCylinder(0.3, Along(kX, middle))}, {MakeCylinder(0.4, Along(e, {}))}, 1.0};
}

RuleResult Rule(const LocalPair& pair, Moments* m) {
  internal::Place<LocalPair> term;
  return FluxRule(pair, &term.value, m);
}

double FineVolume(LocalPair pair) {
  pair.tolerance = 1e-9;
  Moments m;
  return Rule(pair, &m).accepted ? m.v : 0.0;
}

void Flux(benchmark::State& state, Bodies (*draw)(Random*)) {
  Random random(1);
  std::vector<LocalPair> pairs;
  for (int i = 0; i < kPairs; ++i) {
    const Bodies bodies = draw(&random);
    const Pose X{random.Rotation(), {}};
    const Vec3 box = std::sqrt(3.0) * bodies.reach * Vec3{1, 1, 1};
    pairs.push_back(testing::MakePair(testing::Moved(X, bodies.a), testing::Moved(X, bodies.b), {},
                                      -box, box,
                                      std::pow(10.0, -static_cast<double>(state.range(0)))));
  }
  bench::RunRule(state, pairs, Rule, FineVolume);
}

void BothTolerances(benchmark::internal::Benchmark* family) {
  family->ArgName("digits")->Arg(3)->Arg(6)->Iterations(30 * kPairs);
}
BENCHMARK_CAPTURE(Flux, tilted_cylinder, TiltedCylinder)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, box_in_hole, BoxInHole)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, peg_in_hole, PegInHole)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, cone_in_socket, ConeInSocket)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, pin_in_funnel, PinInFunnel)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, ball_in_groove, BallInGroove)->Apply(BothTolerances);
BENCHMARK_CAPTURE(Flux, crossed_cylinders, CrossedCylinders)->Apply(BothTolerances);

}  // namespace
}  // namespace intervox::cuda
