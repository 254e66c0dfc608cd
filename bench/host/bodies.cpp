// The broad phase of bodies. Steady: a call while the list holds. Rebuild: a call that makes it
// anew. Flight: a run of steps in which all bodies fly at 1 m/s or so in steps of 250 µs, with the
// reach of such a step; time is of one step, lists of how many steps one was made anew. Case 0
// (cloud): balls of 20 mm, 60 mm apart; case 1 (floor): touching balls of 20 mm on a box of 10 m;
// case 2 (half_space): the same on a half-space; case 3 (pins): pins of 1 mm in a floor of 10 m,
// with ten balls of 1 m around. near: pairs that come out; kept: pairs in the list.

#include <benchmark/benchmark.h>

#include <cmath>

#include "geometry/shape.h"
#include "host/contact/finder/body_broad_phase.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

enum Case { kCloud, kFloor, kHalfSpace, kPins };

constexpr double kStep = 250e-6;

struct Scenery {
  explicit Scenery(benchmark::State& state) : kind(static_cast<Case>(state.range(1))) {
    const auto cells = [](const geometry::Primitive& primitive) {
      return geometry::ToCells(*scenes::Solid(primitive, "solid"));
    };
    solids = {cells(geometry::Sphere{0.01}), cells(geometry::Box{{10, 10, 0.2}}),
              cells(geometry::HalfSpace{{0, 0, 1}, 0}), cells(geometry::Cylinder{0.0005, 0.01}),
              cells(geometry::Sphere{0.5})};
    for (const auto& solid : solids) of.push_back(MakeBodyCells(solid));
    const int count = static_cast<int>(state.range(0));
    if (kind == kFloor || kind == kPins) bodies.push_back({&of[1], At({0, 0, -0.1}), 1e-4, false});
    if (kind == kHalfSpace) bodies.push_back({&of[2], {}, 1e-4, false});
    for (int k = 0; kind == kPins && k < 10; ++k) {
      bodies.push_back({&of[4], At({k - 4.5, 2.0, 0.5}), 1e-4, true});
    }
    const int side =
        static_cast<int>(std::ceil(kind == kCloud ? std::cbrt(count) : std::sqrt(count)));
    const double pitch = kind == kCloud ? 0.06 : kind == kPins ? 0.003 : 0.0199;
    for (int k = 0; k < count; ++k) {
      const Vec3 p =
          pitch * Vec3{static_cast<double>(k % side), static_cast<double>(k / side % side),
                       kind == kCloud ? static_cast<double>(k / side / side) : 0.0};
      bodies.push_back({&of[kind == kPins ? 3 : 0], At(p + Vec3{0, 0, 0.0099}), 1e-4, true});
    }
  }
  static Pose At(const Vec3& p) { return {Mat3::Identity(), p}; }
  Case kind;
  std::vector<std::vector<geometry::Cell>> solids;
  std::vector<BodyCells> of;
  std::vector<PlacedBody> bodies;
  std::vector<IndexPair> near;
};

void Report(benchmark::State& state, const Scenery& scenery, const BodyBroadPhase& phase) {
  state.counters["near"] = static_cast<double>(scenery.near.size());
  state.counters["kept"] = static_cast<double>(phase.kept());
}

bool May(int /*i*/, int /*j*/) { return true; }

void Steady(benchmark::State& state) {
  Scenery scenery(state);
  BodyBroadPhase phase(May, 1);
  for (auto _ : state) phase.Find(scenery.bodies, &scenery.near);
  Report(state, scenery, phase);
}

void Rebuild(benchmark::State& state) {
  Scenery scenery(state);
  BodyBroadPhase phase(May, 1);
  for (auto _ : state) {
    scenery.bodies.back().X_WB.p.z += 1.0;
    phase.Find(scenery.bodies, &scenery.near);
  }
  state.counters["lists"] = benchmark::Counter(static_cast<double>(phase.lists_made()),
                                               benchmark::Counter::kAvgIterations);
  Report(state, scenery, phase);
}

void Flight(benchmark::State& state) {
  Scenery scenery(state);
  BodyBroadPhase phase(May, 1);
  for (auto _ : state) {
    for (std::size_t b = 0; b < scenery.bodies.size(); ++b) {
      PlacedBody& body = scenery.bodies[b];
      if (!body.moves) continue;
      const auto k = static_cast<double>(b);
      const Vec3 v{std::sin(k), std::cos(k), std::sin(1.7 * k)};
      body.X_WB.p += kStep * v;
      body.reach = kStep * Norm(v) + 1e-5;
    }
    phase.Find(scenery.bodies, &scenery.near);
  }
  state.counters["lists"] = benchmark::Counter(static_cast<double>(phase.lists_made()),
                                               benchmark::Counter::kAvgIterations);
  Report(state, scenery, phase);
}

void Cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"bodies", "case"});
  for (const int kind : {kCloud, kFloor, kHalfSpace, kPins}) {
    for (const int bodies : {1000, 10000, 100000}) bench->Args({bodies, kind});
  }
  bench->Unit(benchmark::kMillisecond);
}
BENCHMARK(Steady)->Apply(Cases);
BENCHMARK(Rebuild)->Apply(Cases);
BENCHMARK(Flight)
    ->ArgNames({"bodies", "case"})
    ->Args({10000, kCloud})
    ->Iterations(400)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace intervox::host
