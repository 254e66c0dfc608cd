// One stage of 1,000 contacts in points with bristle friction, on one core: SolveStage, which
// evaluates the laws and finds forces and velocities. Finding the points, and what a step does
// besides, is in points.cpp. Parts slide on a floor, 0.1 mm deep, each with a velocity of its own;
// the stage is the tenth of backward Euler. Plate: one body on 1,000 feet; Boxes: 250, each on four
// corners; Balls: 1,000, each on one point. per_point: of one contact [s]; sweeps of Newton's
// method, of each island.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "host/contact/contact_model.h"

namespace intervox::host {
namespace {

constexpr double kH = 1.1e-4, kGravity = 9.81, kDepth = 1e-4, kMass = 0.01;
constexpr int kPoints = 1000, kStages = 10;

/** Bodies that stand on the ground, which is body 0. */
struct Stage {
  /** @param feet  of each body, from its centre [m] */
  Stage(int count, const std::vector<Vec3>& feet) {
    const double load = kMass * kGravity;
    ContactModelSettings settings;
    settings.geometry = ContactGeometry::kPoints;
    settings.normal = {
        "gonthier", {{"stiffness", load / kDepth}, {"exponent", 1.0}, {"restitution", 0.5}}, {}};
    settings.friction = {"bristle", {{"mu_s", 0.3}, {"mu_c", 0.3}}, {}};
    model = MakeContactModel(settings, {}, {});
    bodies.resize(static_cast<std::size_t>(count) + 1);
    for (int k = 0; k < count; ++k) {
      StageBody& body = bodies[static_cast<std::size_t>(k) + 1];
      const double mass = kMass * static_cast<double>(feet.size());
      double square = 0.0;
      for (const Vec3& foot : feet) square += SquaredNorm(foot);
      body.inverse_mass = 1.0 / mass;
      body.inverse_inertia_W = (1.5 / (kMass * square)) * Mat3::Identity();
      body.p_WM = {0.05 * k, 0.0, 0.01 - kDepth};
      body.v = {5e-3 * std::sin(3.0 * k), 5e-3 * std::cos(5.0 * k), 0.0};
      body.has_offset = true;
      for (const Vec3& foot : feet) Touch(k + 1, body.p_WM + foot);
    }
    for (int k = 0; k < kStages; ++k) {
      for (std::size_t b = 1; b < bodies.size(); ++b) bodies[b].v -= Vec3{0, 0, kH * kGravity};
      start = contacts;
      at_rest = bodies;
      SolveStage(kH, bodies, contacts);
    }
  }
  void Touch(int body, const Vec3& p_WC) {
    StageContact& c = contacts.emplace_back();
    c.body_i = body;
    c.body_j = 0;
    c.model = model.get();
    c.geometry.is_point = true;
    c.geometry.V = kDepth;
    c.geometry.p_WC = p_WC;
    c.geometry.n = c.geometry.S = {0, 0, 1};
    c.geometry.R_n = Mat3::Identity();
    model->Begin(kDepth, 0.0, true, &c.latch, &c.state);
    model->BeginForm(c.geometry, &c.latch);
  }
  std::unique_ptr<const ContactModel> model;
  std::vector<StageBody> bodies, at_rest;
  std::vector<StageContact> contacts, start;  ///< `start` and `at_rest`: before the last stage
};

Stage Plate() {
  std::vector<Vec3> feet;
  for (int k = 0; k < kPoints; ++k) feet.push_back({0.05 * (k % 32), 0.05 * (k / 32), -0.01});
  Vec3 middle;
  for (const Vec3& foot : feet) middle += (1.0 / kPoints) * Vec3{foot.x, foot.y, 0.0};
  for (Vec3& foot : feet) foot -= middle;
  return {1, feet};
}

Stage Boxes() {
  constexpr double a = 0.01;
  return {kPoints / 4, {{a, a, -a}, {-a, a, -a}, {a, -a, -a}, {-a, -a, -a}}};
}

Stage Balls() { return {kPoints, {{0, 0, -0.01}}}; }

void Solve(benchmark::State& state, Stage (*make)()) {
  const Stage stage = make();
  std::vector<StageBody> bodies;
  std::vector<StageContact> contacts;
  StageResult result;
  for (auto _ : state) {
    state.PauseTiming();
    bodies = stage.at_rest;
    contacts = stage.start;
    state.ResumeTiming();
    result = SolveStage(kH, bodies, contacts);
  }
  state.counters["sweeps"] =
      static_cast<double>(result.iterations) / static_cast<double>(bodies.size() - 1);
  state.counters["per_point"] = benchmark::Counter(
      kPoints, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK_CAPTURE(Solve, Plate, Plate)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Solve, Boxes, Boxes)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Solve, Balls, Balls)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace intervox::host
