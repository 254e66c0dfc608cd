// What distributed friction costs against the lumped law (coulomb with contensou): a disc, a ball
// and a torus that slide and spin on a floor, 250 µs a step, on one core. Both are stepped by
// turns, so a busy machine slows both. Time: of a step with distributed friction; lumped: of one
// without [s]; times: their quotient, by CPU time.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kMass = 1.0, kGravity = 9.81;
constexpr int kSteps = 400;

enum class Part { kDisc, kBall, kTorus };

geometry::Primitive ShapeOf(Part part) {
  if (part == Part::kDisc) return geometry::Cylinder{0.05, 0.02};
  if (part == Part::kBall) return geometry::Sphere{0.05};
  return geometry::Torus{0.05, 0.012};
}

Simulation Make(Part part, bool distributed) {
  constexpr double kStiffness[] = {1e8, 1e11, 1e10},
                   kHeight[] = {0.01 - 1.2e-5, 0.05 - 2.5e-5, 0.012 - 1.1e-5};
  const auto kind = static_cast<std::size_t>(part);
  ContactModelSettings model = scenes::Frictionless(kStiffness[kind], 0.5);
  model.friction = {distributed ? "distributed" : "coulomb", {{"mu", 0.3}}, {}};
  if (!distributed) model.spinning = {"contensou", {}, {}};
  Scene scene = scenes::MakeScene(model);
  scene.gravity = {0, 0, -kGravity};
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["part"] = scenes::Solid(ShapeOf(part), "part");
  scene.bodies = {
      scenes::Fixed("floor", "floor"),
      scenes::Free("part", "part", kMass, {0, 0, kHeight[kind]}, {0.3, 0, 0}, {0, 0, 40})};
  EngineOptions options;
  options.device = Device::kSerial;
  return Simulation(scene, options);
}

/** CPU time of the calling thread [s]. */
double ThreadTime() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void Step(benchmark::State& state, Part part) {
  Simulation distributed = Make(part, true), lumped = Make(part, false);
  double of_distributed = 0.0, of_lumped = 0.0;
  for (auto _ : state) {
    const double begin = ThreadTime();
    distributed.Step();
    const double middle = ThreadTime();
    lumped.Step();
    of_distributed += middle - begin;
    of_lumped += ThreadTime() - middle;
    state.SetIterationTime(middle - begin);
  }
  state.counters["lumped"] = of_lumped / static_cast<double>(state.iterations());
  state.counters["times"] = of_distributed / of_lumped;
}

BENCHMARK_CAPTURE(Step, Disc, Part::kDisc)
    ->Iterations(kSteps)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Step, Ball, Part::kBall)
    ->Iterations(kSteps)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(Step, Torus, Part::kTorus)
    ->Iterations(kSteps)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace intervox
