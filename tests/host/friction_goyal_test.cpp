// Goyal's penalty friction: closed forms, dissipation term by term, drift, vibration, momentum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "host/contact/contact_model.h"
#include "host/simulation.h"
#include "tests/geometry/random_shapes.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using host::Dual;
using host::MakeContactModel;
using host::Slip;
using host::Traction;

ContactModelSettings Settings(double mu, double k, double c, double k_j, double c_j) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e6}, {"restitution", 0.5}}, {}};
  s.friction = {
      "goyal",
      {{"mu", mu}, {"stiffness", k}, {"damping", c}, {"stiffness_j", k_j}, {"damping_j", c_j}},
      {}};
  return s;
}

/** A slip of random speed, spin, load, deflections and step. */
Slip RandomSlip(geometry::Random* random) {
  const auto size = [&](double from, double to) {
    return std::exp(random->Uniform(std::log(from), std::log(to))) *
           (random->Below(2) == 0 ? 1.0 : -1.0);
  };
  Slip x;
  x.H = random->Below(4) == 0 ? 0.0 : std::fabs(size(1e-7, 1e-1));
  x.v = {Dual::Variable(size(1e-9, 10), 0), Dual::Variable(size(1e-9, 10), 1)};
  x.w = Dual::Variable(size(1e-9, 10), 2);
  x.f_n = Dual::Variable(std::fabs(size(1e-3, 1e4)), 3);
  for (double* z : {&x.z[0], &x.z[1], &x.z_w, &x.z_j[0], &x.z_j[1], &x.z_j_w})
    *z = size(1e-9, 1e-2);
  return x;
}

// The end of each backward Euler step satisfies what the model says, checked without its closed
// form: both bodies' springs and dampers carry the same force, it lies in the cone, what is within
// it does not slip, and what slips, slips along the force.
TEST(GoyalFriction, EachStepSatisfiesItsEquations) {
  geometry::Random random(3);
  int stuck = 0, slid = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const double k = std::pow(10, random.Uniform(2, 8)), c = std::pow(10, random.Uniform(-1, 4));
    const double k_j = std::pow(10, random.Uniform(2, 8)),
                 c_j = std::pow(10, random.Uniform(-1, 4));
    const double mu = random.Uniform(0.05, 1.5);
    const auto model = MakeContactModel(Settings(mu, k, c, k_j, c_j), {}, {});
    const Slip x = RandomSlip(&random);
    const Traction t = model->friction->Evaluate(x);
    const double f[3] = {t.f.x.v, t.f.y.v, t.f_w.v}, v[3] = {x.v.x.v, x.v.y.v, x.w.v};
    const double z[3] = {x.z[0], x.z[1], x.z_w}, z_j[3] = {x.z_j[0], x.z_j[1], x.z_j_w};
    const double rate[3] = {t.z_rate[0], t.z_rate[1], t.z_w_rate};
    const double rate_j[3] = {t.z_j_rate[0], t.z_j_rate[1], t.z_j_w_rate};
    const double size = std::hypot(std::hypot(f[0], f[1]), f[2]), limit = mu * x.f_n.v;
    ASSERT_LE(size, limit * (1 + 1e-12));
    double slip[3], along = 0.0, slip_size = 0.0, speeds = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double here = k * (z[i] + x.H * rate[i]) + c * rate[i];
      const double there = k_j * (z_j[i] + x.H * rate_j[i]) + c_j * rate_j[i];
      const double terms = std::fabs(k * z[i]) + std::fabs(k_j * z_j[i]) + size;
      ASSERT_NEAR(here, f[i], 1e-11 * terms + 1e-11 * c * std::fabs(rate[i]));
      ASSERT_NEAR(there, f[i], 1e-11 * terms + 1e-11 * c_j * std::fabs(rate_j[i]));
      slip[i] = v[i] - rate[i] - rate_j[i];
      along += slip[i] * f[i];
      slip_size += slip[i] * slip[i];
      speeds += std::fabs(v[i]) + std::fabs(rate[i]) + std::fabs(rate_j[i]);
    }
    slip_size = std::sqrt(slip_size);
    if (size < limit * (1 - 1e-9)) {
      ++stuck;
      ASSERT_LE(slip_size, 1e-11 * speeds);
    } else {
      ++slid;
      ASSERT_NEAR(along, slip_size * size, 1e-9 * speeds * size);
    }
    // Each of the terms dissipates.
    const double sliding = f[0] * v[0] + f[1] * v[1] - t.stored,
                 spinning = f[2] * v[2] - t.stored_w;
    ASSERT_GE(sliding, -1e-10 * (std::fabs(t.stored) + size * speeds));
    ASSERT_GE(spinning, -1e-10 * (std::fabs(t.stored_w) + size * speeds));
  }
  EXPECT_GT(stuck, 1000);
  EXPECT_GT(slid, 1000);
}

TEST(GoyalFriction, HasTheSlopesOfItsForces) {
  geometry::Random random(5);
  const auto model = MakeContactModel(Settings(0.4, 1e5, 50, 3e5, 20), {}, {});
  int checked = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Slip x = RandomSlip(&random);
    const Traction t = model->friction->Evaluate(x);
    for (int k = 0; k < 4; ++k) {
      const auto at = [&](double step) {
        Slip y = x;
        (k == 0 ? y.v.x : k == 1 ? y.v.y : k == 2 ? y.w : y.f_n).v += step;
        return model->friction->Evaluate(y);
      };
      const double value = k == 0 ? x.v.x.v : k == 1 ? x.v.y.v : k == 2 ? x.w.v : x.f_n.v;
      const double step = 1e-6 * std::fabs(value);
      const Traction up = at(step), down = at(-step);
      const double rounding =
          1e-14 * (std::fabs(t.f.x.v) + std::fabs(t.f.y.v) + std::fabs(t.f_w.v)) / step;
      const auto expect = [&](const Dual& f, double f_up, double f_down) {
        const double slope = (f_up - f_down) / (2 * step);
        const double change = std::fabs(f_up - 2 * f.v + f_down) / step;  // a kink between them
        if (change > 1e-3 * std::fabs(slope) + rounding) return;
        ++checked;
        EXPECT_NEAR(f.d[k], slope, 2e-3 * std::fabs(slope) + 10 * rounding) << trial << " " << k;
      };
      expect(t.f.x, up.f.x.v, down.f.x.v);
      expect(t.f.y, up.f.y.v, down.f.y.v);
      expect(t.f_w, up.f_w.v, down.f_w.v);
    }
  }
  EXPECT_GT(checked, 10000);
}

// A stage gives both bodies' deflections as y* + hγ times their rates, in the contact's plane.
TEST(GoyalFriction, AStageEndsWithItsRates) {
  const auto model = MakeContactModel(Settings(0.4, 1e5, 50, 3e5, 20), {}, {});
  host::StageBody bodies[2];
  bodies[1].inverse_mass = 0.5;
  bodies[1].v = {0.02, -0.01, -0.1};
  host::StageContact contacts[1];
  host::StageContact& c = contacts[0];
  c.body_i = 1;
  c.body_j = 0;
  c.model = model.get();
  c.geometry.V = 1e-4;
  c.geometry.n = {0, 0, 1};
  c.geometry.S = {0, 0, 0.01};
  c.geometry.J_W = Mat3::Diagonal({1e-9, 1e-9, 2e-9});
  c.state.z = {1e-5, 2e-5, 0};
  c.state.z_j = {-1e-5, 3e-5, 0};
  c.latch.a = -0.5;
  const host::PatchState start = c.state;
  constexpr double H = 1e-3;
  host::SolveStage(H, bodies, contacts);
  EXPECT_GT(Norm(c.rate.z), 1e-3);
  EXPECT_GT(Norm(c.rate.z_j), 1e-3);
  EXPECT_LT(Norm(c.state.z - start.z - H * c.rate.z), 1e-18);
  EXPECT_LT(Norm(c.state.z_j - start.z_j - H * c.rate.z_j), 1e-18);
  // The springs and dampers of each body carry the friction force.
  const Vec3 f{-c.force.x, -c.force.y, 0};
  EXPECT_LT(Norm(1e5 * c.state.z + 50 * c.rate.z - f), 1e-9 * Norm(f));
  EXPECT_LT(Norm(3e5 * c.state.z_j + 20 * c.rate.z_j - f), 1e-9 * Norm(f));
}

/** Of four points or of a face of 0.2 m, by the body's mass. */
std::string Stiffness(bool points, double mass) {
  return fmt::format("stiffness: {:.17g}", (points ? 1e5 : 1e8) * mass) +
         (points ? ", exponent: 1" : "");
}

/** A box on a floor under a pull. */
Simulation OnFloor(bool points, double pull, double mass, double k, double step, double duration,
                   const std::string& more = "") {
  return testing::FromText(
      fmt::format(
          "gravity: [0, 0, -10]\nduration: {:.17g}\nintegrator: {{step: {:.17g}}}\n"
          "contact_models:\n  default:\n    geometry: {}\n    normal: {{model: gonthier, {}, "
          "restitution: 0.3}}\n    friction: {{model: goyal, mu: 0.5, stiffness: {:.17g}, "
          "damping: {:.17g}{}}}\nbodies:\n"
          "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
          "  box: {{shape: {{box: {{size: [0.2, 0.2, 0.1]}}}}, mass: {:.17g}, pose: {{position: "
          "[0, 0, 0.05]}}, wrenches: [{{force: [{:.17g}, 0, 0], point: [0, 0, -0.05]}}]}}\n",
          duration, step, points ? "points" : "volumes", Stiffness(points, mass), k,
          2 * std::sqrt(k * mass) * 0.3, more, mass, pull * mass),
      2);
}

// Under 0.9 of the limit it sticks: between 5 and 10 s it moves less than a nanometre, and its
// springs hold the pull: four points or one patch, two springs each. Above the limit it slides as
// Coulomb says.
TEST(GoyalFriction, HoldsBelowTheLimitAndSlidesAboveIt) {
  for (const bool points : {true, false}) {
    for (const double mass : {0.02, 2.0, 200.0}) {
      const double k = 1e4 * mass;
      Simulation held = OnFloor(points, 4.5, mass, k, 1e-3, 10.0);
      Vec3 at_5;
      while (!held.Done()) {
        held.Step();
        if (std::fabs(held.Time() - 5.0) < 1e-9) at_5 = held.State()[1].X_WB.p;
      }
      const Vec3 p = held.State()[1].X_WB.p;
      EXPECT_LT(std::hypot(p.x - at_5.x, p.y - at_5.y), 1e-9) << points << mass;
      double on_i = 0.0, on_j = 0.0;
      for (const ContactReport& contact : held.Contacts()) {
        on_i += k * Norm(contact.state.z);
        on_j += k * Norm(contact.state.z_j);
      }
      EXPECT_NEAR(on_i / (4.5 * mass), 1.0, 1e-6) << points << mass;
      EXPECT_NEAR(on_j / (4.5 * mass), 1.0, 1e-6) << points << mass;
      Simulation slides = OnFloor(points, 6.0, mass, k, 1e-3, 1.0);
      while (slides.Time() < 0.5 - 1e-9) slides.Step();
      const double before = slides.State()[1].v_WB.x;
      testing::RunToEnd(&slides);
      EXPECT_NEAR(slides.State()[1].v_WB.x - before, 0.5, 1e-6) << points << mass;
    }
  }
}

// Stuck, a body swings on the two springs in series: k k_j/(k + k_j) for each contact.
TEST(GoyalFriction, ASwingHasTheFrequencyOfBothSpringsInSeries) {
  const double k = 4e4, k_j = 1e4, m = 2.0;
  Simulation simulation =
      OnFloor(false, 1.0, m, k, 1e-4, 1.0, fmt::format(", stiffness_j: {}, damping_j: 1e-3", k_j));
  const double omega = std::sqrt(k * k_j / (k + k_j) / m), rest = m / (k * k_j / (k + k_j));
  double before = 0.0, first = -1.0, last = -1.0;
  int crossings = 0;
  while (!simulation.Done()) {
    simulation.Step();
    const double x = simulation.State()[1].X_WB.p.x - rest;
    if (before < 0.0 && x >= 0.0) {
      last = simulation.Time();
      if (first < 0.0) first = last;
      ++crossings;
    }
    before = x;
  }
  ASSERT_GT(crossings, 2);
  EXPECT_NEAR((last - first) / (crossings - 1) * omega / (2 * std::numbers::pi), 1.0, 2e-2);
}

// Parts that tumble, slide and spin gain nothing at any step, stiffness a hundredth and a hundred
// times, and what is lost is accounted for.
TEST(GoyalFriction, EnergyNeverRises) {
  for (int trial = 0; trial < 12; ++trial) {
    const double factor[] = {0.01, 1.0, 100.0}, steps[] = {1e-4, 1e-3, 1e-2};
    const bool points = trial % 2 == 0;
    const double mass = 0.3 * factor[trial / 2 % 3], k = 1e4 * mass * factor[(trial + 1) % 3];
    const double step = steps[trial % 3 == 0 ? (trial / 3) % 3 : trial % 3];
    Simulation simulation = testing::FromText(
        fmt::format(
            "duration: 1\nintegrator: {{step: {:.17g}}}\ncontact_models:\n  default:\n    "
            "geometry: "
            "{}\n    normal: {{model: gonthier, {}, restitution: 0.5}}\n    friction: {{model: "
            "goyal, mu: 0.4, stiffness: {:.17g}, damping: {:.17g}}}\nbodies:\n"
            "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
            "  part: {{shape: {{box: {{size: [0.1, 0.07, 0.05]}}}}, mass: {:.17g}, pose: "
            "{{position: [0, 0, 0.08], rpy_deg: [20, 7, 0]}}, velocity: {{linear: [1, 0.2, 0], "
            "angular: [2, -3, 9]}}}}\n",
            step, points ? "points" : "volumes", Stiffness(points, mass), k,
            0.01 * std::sqrt(k * mass), mass),
        2);
    const EnergyAudit start = simulation.Energy();
    const double scale = start.kinetic + mass * 9.81 * 0.08;
    double before = start.kinetic + start.gravity + start.elastic + start.bristle, risen = 0.0;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit e = simulation.Energy();
      const double now = e.kinetic + e.gravity + e.elastic + e.bristle;
      risen = std::max(risen, now - before);
      before = std::min(before, now);
    }
    EXPECT_LT(risen, 5e-3 * scale) << trial;
    EXPECT_LT(std::fabs(simulation.Energy().balance), 5e-3 * scale) << trial;
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << trial;
    EXPECT_EQ(simulation.Counters().creating_contacts, 0) << trial;
    EXPECT_GT(simulation.Energy().dissipated_sliding, 0.01 * scale) << trial;
  }
}

// Two free bodies that rub: momentum and angular momentum are kept.
TEST(GoyalFriction, ActionIsReaction) {
  for (const std::string geometry : {"points", "volumes"}) {
    Simulation simulation = testing::FromText(
        "gravity: [0, 0, 0]\nduration: 0.4\nintegrator: {step: 2.0e-4}\ncontact_models:\n  "
        "default:\n"
        "    geometry: " +
            geometry +
            "\n    normal: {model: gonthier, stiffness: " + (geometry == "points" ? "1e6" : "1e9") +
            ", restitution: 0.5}\n    friction: {model: goyal, mu: 0.4, stiffness: 1e5, damping: "
            "30}\nbodies:\n"
            "  one: {shape: {sphere: {radius: 0.1}}, mass: 1, inertia: "
            "[0.004, 0.004, 0.004], velocity: {linear: [1, 0, 0], angular: [0, 5, 30]}}\n"
            "  two: {shape: {sphere: {radius: 0.1}}, mass: 3, inertia: "
            "[0.012, 0.012, 0.012], pose: {position: [0.25, 0.02, 0]}}\n",
        2);
    const auto momenta = [&](Vec3* p, Vec3* l) {
      const double masses[] = {1, 3}, inertias[] = {0.004, 0.012};
      *p = *l = Vec3{};
      for (std::size_t b = 0; b < 2; ++b) {
        const BodyState& body = simulation.State()[b];
        *p += masses[b] * body.v_WB;
        *l += inertias[b] * body.w_WB + masses[b] * Cross(body.X_WB.p, body.v_WB);
      }
    };
    Vec3 p_0, l_0, p_1, l_1;
    momenta(&p_0, &l_0);
    testing::RunToEnd(&simulation);
    momenta(&p_1, &l_1);
    EXPECT_LT(Norm(p_1 - p_0), 1e-13) << geometry;
    EXPECT_LT(Norm(l_1 - l_0), 1e-4 * Norm(l_0)) << geometry;
    EXPECT_LT(simulation.State()[0].w_WB.z, 29.0) << geometry;
  }
}

}  // namespace
}  // namespace intervox
