// Steps of scenes of many parts, 250 µs each, friction on: mean over the first 100 from the start,
// which is not timed. Layer: touching balls of 20 mm on a floor, 19.9 mm apart and as deep in it as
// they rest. Slab: one slab on tiles of one body. Flight: balls that never meet. CPU is that of the
// process, so of all threads; main: of the first thread, whose share tells on a busy machine what
// the wall time does not. MiB is the process' peak and counts what earlier cases took:
// scripts/bench_steps.py runs each case by itself. contacts, and per step: substeps and stages of
// all groups, sweeps of Newton's method, queries of the engine.

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <numbers>
#include <random>
#include <string>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kGravity = 9.81, kRadius = 0.01, kDensity = 1000.0;
constexpr int kSteps = 100;

ContactModelSettings Model(double stiffness) {
  ContactModelSettings model = scenes::Frictionless(stiffness, 0.5);
  model.friction = {"bristle", {{"mu_s", 0.3}, {"mu_c", 0.3}}, {}};
  return model;
}

Scene Balls(double stiffness, double floor) {
  Scene scene = scenes::MakeScene(Model(stiffness));
  scene.shapes["ball"] = scenes::Solid(geometry::Sphere{kRadius}, "ball");
  scene.shapes["ground"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, floor}, "ground");
  scene.bodies.push_back(scenes::Fixed("floor", "ground"));
  return scene;
}

double BallMass() { return 4.0 / 3.0 * std::numbers::pi * std::pow(kRadius, 3) * kDensity; }

Scene Layer(int count) {
  constexpr double kPitch = 0.0199, kDepth = 1e-4;
  const double cap = std::numbers::pi * kRadius * kDepth * kDepth;
  Scene scene = Balls(BallMass() * kGravity / cap, 0.0);
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int k = 0; k < count; ++k) {
    scene.bodies.push_back(
        scenes::Free("b" + std::to_string(k), "ball", BallMass(),
                     {kPitch * (k % side), kPitch * (k / side), kRadius - kDepth}));
  }
  return scene;
}

Scene Slab(int count) {
  constexpr double kTile = 0.02, kPitch = 0.025, kDepth = 1e-5, kThick = 0.05;
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  const double width = side * kPitch, mass = 2700.0 * kThick * width * width;
  Scene scene = scenes::MakeScene(Model(mass * kGravity / (count * kTile * kTile * kDepth)));
  auto tiles = std::make_shared<geometry::Shape>();
  tiles->name = "tiles";
  tiles->operation = geometry::Operation::kUnion;
  for (int k = 0; k < count; ++k) {
    const Vec3 p{kPitch * (k % side + 0.5), kPitch * (k / side + 0.5), -0.005};
    tiles->children.push_back(
        scenes::Solid(geometry::Box{{kTile, kTile, 0.01}}, "tile", {Mat3::Identity(), p}));
  }
  scene.shapes["tiles"] = tiles;
  scene.shapes["slab"] = scenes::Solid(geometry::Box{{width, width, kThick}}, "slab");
  scene.bodies.push_back(scenes::Fixed("worksite", "tiles"));
  scene.bodies.push_back(
      scenes::Free("slab", "slab", mass, {width / 2, width / 2, kThick / 2 - kDepth}));
  return scene;
}

Scene Flight(int count) {
  constexpr double kPitch = 0.05;
  Scene scene = Balls(1e8, -1.0);
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  std::mt19937 random(1);
  std::uniform_real_distribution<double> speed(-0.2, 0.2);
  for (int k = 0; k < count; ++k) {
    const Vec3 p =
        kPitch * Vec3{static_cast<double>(k % side), static_cast<double>(k / side % side),
                      static_cast<double>(k / side / side)};
    const Vec3 v{speed(random), speed(random), speed(random)};
    scene.bodies.push_back(scenes::Free("b" + std::to_string(k), "ball", BallMass(), p, v));
  }
  return scene;
}

/** CPU time of the calling thread [s]. */
double ThreadTime() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/** Largest resident set of the process so far [MiB]; a getrusage would count its parent's. */
double PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kibibytes = 0.0;
    status >> kibibytes;
    return kibibytes / 1024.0;
  }
  return std::nan("");
}

void Step(benchmark::State& state, Scene (*make)(int)) {
  EngineOptions options;
  options.threads = static_cast<int>(state.range(1));
  Simulation simulation(make(static_cast<int>(state.range(0))), options);
  const double begin = ThreadTime();
  for (auto _ : state) simulation.Step();
  state.counters["main"] = 1e3 * (ThreadTime() - begin) / static_cast<double>(state.iterations());
  const SimulationCounters& counters = simulation.Counters();
  const auto per_step = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(state.iterations());
  };
  state.counters["contacts"] = static_cast<double>(simulation.Contacts().size());
  state.counters["substeps"] = per_step(counters.substeps);
  state.counters["stages"] = per_step(counters.stages);
  state.counters["sweeps"] = per_step(counters.solver_iterations);
  state.counters["queries"] = per_step(counters.pairs);
  state.counters["MiB"] = PeakMemory();
}

void Cases(benchmark::internal::Benchmark* bench, std::vector<std::int64_t> counts) {
  bench->ArgNames({"parts", "threads"})
      ->ArgsProduct({counts, {1, 2}})
      ->Iterations(kSteps)
      ->Unit(benchmark::kMillisecond)
      ->MeasureProcessCPUTime()
      ->UseRealTime();
}

BENCHMARK_CAPTURE(Step, Layer, Layer)->Apply([](auto* b) { Cases(b, {100, 1000, 10000}); });
BENCHMARK_CAPTURE(Step, Slab, Slab)->Apply([](auto* b) { Cases(b, {400, 10000}); });
BENCHMARK_CAPTURE(Step, Flight, Flight)->Apply([](auto* b) { Cases(b, {1000, 10000}); });

}  // namespace
}  // namespace intervox
