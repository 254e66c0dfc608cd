// Steps of about 1,000 contacts in points with bristle friction, 250 µs each, on one core: mean
// over 100 steps from the start, which is not timed. Parts lie on a plane as deep as they rest, 0.1
// mm, and each is given a velocity of its own, which takes friction from sliding to sticking.
// Balls, Boxes (four corners), Capsules (two ends) and Cylinders (three points of a rim) are apart
// from each other, Layer's balls touch: one island. Cubes stand on a slab that is a box: faces on a
// face. contacts; stages of each part and step; per_stage: of one contact [s]; sweeps of Newton's
// method for each stage.

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kGravity = 9.81, kDepth = 1e-4, kMass = 0.01;
constexpr int kSteps = 100;

/** A part on the plane z = 0. */
struct Part {
  geometry::Primitive shape;
  Mat3 R;            ///< its attitude
  double height;     ///< of its frame while it touches [m]
  int points;        ///< it lies on
  double pitch;      ///< to its neighbours [m]
  int islands;       ///< for each part: 0: all are one
  bool box = false;  ///< it lies on a box, not on a half-space
};

const Mat3 kLying = Mat3::FromColumns({0, 0, 1}, {0, 1, 0}, {-1, 0, 0});

Part Balls() { return {geometry::Sphere{0.01}, Mat3::Identity(), 0.01, 1, 0.05, 1}; }
Part Layer() { return {geometry::Sphere{0.01}, Mat3::Identity(), 0.01, 1, 0.0199, 0}; }
Part Boxes() { return {geometry::Box{{0.02, 0.02, 0.02}}, Mat3::Identity(), 0.01, 4, 0.05, 1}; }
Part Capsules() { return {geometry::Capsule{0.01, 0.02}, kLying, 0.01, 2, 0.06, 1}; }
Part Cylinders() { return {geometry::Cylinder{0.01, 0.02}, Mat3::Identity(), 0.01, 3, 0.05, 1}; }
Part Cubes() {
  return {geometry::Box{{0.02, 0.02, 0.02}}, Mat3::Identity(), 0.01, 4, 0.05, 1, true};
}

Scene SceneOf(const Part& part, int contacts) {
  ContactModelSettings model;
  model.geometry = ContactGeometry::kPoints;
  const double load = kMass * kGravity / part.points;
  model.normal = {
      "gonthier", {{"stiffness", load / kDepth}, {"exponent", 1.0}, {"restitution", 0.5}}, {}};
  model.friction = {"bristle", {{"mu_s", 0.3}, {"mu_c", 0.3}}, {}};
  Scene scene = scenes::MakeScene(model);
  scene.shapes["part"] = scenes::Solid(part.shape, "part");
  const int count = contacts / part.points;
  const int side = static_cast<int>(std::ceil(std::sqrt(count)));
  const double width = (side + 1) * part.pitch;
  scene.shapes["ground"] = part.box ? scenes::Solid(geometry::Box{{2 * width, 2 * width, 1.0}},
                                                    "ground", {Mat3::Identity(), {0, 0, -0.5}})
                                    : scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0.0}, "ground");
  scene.bodies.push_back(scenes::Fixed("floor", "ground"));
  for (int k = 0; k < count; ++k) {
    BodySettings body =
        scenes::Free("b" + std::to_string(k), "part", kMass,
                     {part.pitch * (k % side), part.pitch * (k / side), part.height - kDepth},
                     {5e-3 * std::sin(3.0 * k), 5e-3 * std::cos(5.0 * k), 0});
    body.X_WB.R = part.R;
    scene.bodies.push_back(body);
  }
  return scene;
}

/** One plate on balls, each a foot. */
Scene Brush(int contacts) {
  const Part part = Balls();
  Scene scene = SceneOf(part, contacts);
  scene.bodies.resize(2);
  auto feet = std::make_shared<geometry::Shape>();
  feet->name = "feet";
  feet->operation = geometry::Operation::kUnion;
  const int side = static_cast<int>(std::ceil(std::sqrt(contacts)));
  for (int k = 0; k < contacts; ++k) {
    feet->children.push_back(
        scenes::Solid(part.shape, "foot",
                      {Mat3::Identity(), {part.pitch * (k % side), part.pitch * (k / side), 0}}));
  }
  scene.shapes["part"] = feet;
  scene.bodies[1].mass = contacts * kMass;
  return scene;
}

void Step(benchmark::State& state, Part (*make)()) {
  const Part part = make();
  EngineOptions options;
  options.device = Device::kSerial;
  const int contacts = static_cast<int>(state.range(0));
  Simulation simulation(part.islands < 0 ? Brush(contacts) : SceneOf(part, contacts), options);
  for (auto _ : state) simulation.Step();
  const SimulationCounters& counters = simulation.Counters();
  const auto steps = static_cast<double>(state.iterations());
  const double groups = part.islands > 0 ? contacts / part.points : 1;
  const double stages = static_cast<double>(counters.stages) / (groups * steps);
  const auto found = static_cast<double>(simulation.Contacts().size());
  state.counters["contacts"] = found;
  state.counters["stages"] = stages;
  state.counters["sweeps"] =
      static_cast<double>(counters.solver_iterations) / static_cast<double>(counters.stages);
  state.counters["per_stage"] = benchmark::Counter(
      found * stages, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Cases(benchmark::internal::Benchmark* bench) {
  bench->ArgName("contacts")->Arg(1000)->Iterations(kSteps)->Unit(benchmark::kMillisecond);
}

Part Feet() {
  Part p = Balls();
  p.islands = -1;
  return p;
}
BENCHMARK_CAPTURE(Step, Brush, Feet)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Balls, Balls)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Boxes, Boxes)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Capsules, Capsules)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Cylinders, Cylinders)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Layer, Layer)->Apply(Cases);
BENCHMARK_CAPTURE(Step, Cubes, Cubes)->Apply(Cases);

}  // namespace
}  // namespace intervox
