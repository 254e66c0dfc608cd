// The stage equation of a layer of balls that touch each other and the floor: one island. Balls of
// 20 mm, 19.9 mm apart and as deep in the floor as they rest; each is given its own velocity, which
// takes friction from sticking to sliding. sweeps: of Newton's method; per_ball: time for each.
// Dense: the same with the dense matrix, however many bodies there are.

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>

#include "host/contact/stage/stage_island.h"
#include "tests/host/stage_problem.h"

namespace intervox::host {
namespace {

constexpr double kH = 1e-4, kRadius = 0.01, kDepth = 1e-4, kMass = 4.19e-3;

struct Layer {
  explicit Layer(int count)
      : model(testing::Model(1.3e8, 0.5, 0.3, 0.3)),
        side(static_cast<int>(std::ceil(std::sqrt(count)))) {
    bodies.resize(static_cast<std::size_t>(count) + 1);
    for (int k = 0; k < count; ++k) {
      StageBody& body = bodies[static_cast<std::size_t>(k) + 1];
      body.inverse_mass = 1.0 / kMass;
      body.inverse_inertia_W = (2.5 / (kMass * kRadius * kRadius)) * Mat3::Identity();
      body.p_WM = {0.0199 * (k % side), 0.0199 * (k / side), kRadius - kDepth};
      body.v = {2e-3 * std::sin(3.0 * k), 2e-3 * std::cos(5.0 * k), -1e-3 + 1e-4 * std::sin(k)};
      const double cap = std::numbers::pi * kRadius * kDepth * kDepth;
      Touch(k + 1, 0, body.p_WM - Vec3{0, 0, kRadius}, {0, 0, 1}, cap);
      const Vec3 half = {0.00995, 0, 0}, up = {0, 0.00995, 0};
      if (k % side > 0) Touch(k + 1, k, body.p_WM - half, {1, 0, 0}, 0.25 * cap);
      if (k >= side) Touch(k + 1, k + 1 - side, body.p_WM - up, {0, 1, 0}, 0.25 * cap);
    }
  }
  void Touch(int i, int j, const Vec3& p_WC, const Vec3& n, double V) {
    StageContact& c = contacts.emplace_back();
    c.body_i = i;
    c.body_j = j;
    c.model = model.get();
    c.geometry.n = n;
    c.geometry.p_WC = p_WC;
    c.geometry.V = V;
    c.geometry.J_W = (V * 0.2 * kRadius * kDepth) * (Mat3::Identity() + Outer(n, n));
    c.latch = {0.1, model->normal->DampingFactor(0.1)};
  }
  std::unique_ptr<const ContactModel> model;
  int side;
  std::vector<StageBody> bodies;
  std::vector<StageContact> contacts;
};

void Report(benchmark::State& state, int sweeps) {
  state.counters["sweeps"] = sweeps;
  state.counters["per_ball"] = benchmark::Counter(
      static_cast<double>(state.range(0)),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void Stage(benchmark::State& state) {
  const Layer layer(static_cast<int>(state.range(0)));
  std::vector<StageBody> bodies;
  std::vector<StageContact> contacts;
  StageResult result;
  for (auto _ : state) {
    bodies = layer.bodies;
    contacts = layer.contacts;
    result = SolveStage(kH, bodies, contacts, static_cast<int>(state.range(1)));
  }
  Report(state, result.iterations);
}

void Island(benchmark::State& state, std::size_t most_dense) {
  const Layer layer(static_cast<int>(state.range(0)));
  std::vector<StageBody> bodies;
  std::vector<StageContact> contacts = layer.contacts;
  std::vector<internal::StagePoint> points(contacts.size());
  std::vector<internal::FirstGuess> guesses(contacts.size());
  internal::StageIsland island;
  island.most_dense = most_dense;
  StageResult result;
  for (auto _ : state) {
    bodies = layer.bodies;
    result = {};
    island.Clear(kH);
    for (std::size_t b = 1; b < bodies.size(); ++b) island.AddBody(&bodies[b]);
    for (std::size_t k = 0; k < points.size(); ++k) {
      points[k].Prepare(kH, bodies, &contacts[k]);
      guesses[k] = points[k].Guess();
      island.AddPoint(&points[k], &guesses[k],
                      {contacts[k].body_i - 1, contacts[k].body_j - 1, points[k].active});
    }
    island.Solve(1, &result);
  }
  Report(state, result.iterations);
}
void Dense(benchmark::State& state) { Island(state, 1000000); }
void Sparse(benchmark::State& state) { Island(state, 0); }

BENCHMARK(Stage)
    ->ArgNames({"balls", "threads"})
    ->ArgsProduct({{100, 1000, 10000}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(Dense)->ArgName("balls")->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Arg(100)->Unit(
    benchmark::kMillisecond);
BENCHMARK(Sparse)->ArgName("balls")->Arg(4)->Arg(8)->Arg(16)->Arg(32)->Arg(100)->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace intervox::host
