// Bodies that touch in points: restitution of every law, energy, rest, friction, both kinds at
// once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "host/contact/contact_model.h"
#include "host/contact/damping_factor.h"
#include "host/contact/points/curvature.h"
#include "host/input/error.h"
#include "host/simulation.h"
#include "host/validation/one_body.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** A simulation of a scene of the schema 2. */
Simulation Of(const std::string& text) { return testing::FromText(text, 2); }

std::string Ball(const std::string& normal, double mass, double speed, double step) {
  return "gravity: [0, 0, 0]\nduration: 1\nintegrator: {step: " + std::to_string(step) +
         "}\n"
         "contact_models:\n  default: {geometry: points, normal: " +
         normal +
         "}\n"
         "bodies:\n"
         "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
         "  ball: {shape: {sphere: {radius: 0.1}}, mass: " +
         std::to_string(mass) + ", pose: {position: [0, 0, 0.1005]}, velocity: {linear: [0, 0, " +
         std::to_string(-speed) + "]}}\n";
}

/** Speed after one impact over the speed before it. */
double Rebound(const std::string& normal, double mass, double speed, double step) {
  Simulation simulation = Of(Ball(normal, mass, speed, step));
  testing::RunThroughContact(&simulation);
  return simulation.State()[1].v_WB.z / speed;
}

/** The same by the law alone, m z̈ = −max(0, f(z, ż)), with small steps of another method. */
double ReboundOfLaw(const std::function<double(double, double)>& f, double mass, double speed,
                    double dt) {
  return host::ReboundOf({mass, 0.0, f}, speed, dt, 1.0).speed / speed;
}

// The exact factor returns e at every speed and stiffness; Hertz's contact lasts about
// 2.9 (m²/(k² v))^(1/5).
TEST(PointImpacts, TheExactFactorReturnsItsRestitution) {
  for (const double e : {1.0, 0.9, 0.5, 0.1}) {
    for (const double speed : {0.05, 1.0, 20.0}) {
      for (const double k : {1e6, 1e9}) {
        const double lasts = 2.9 * std::pow(0.25 / (k * k * speed), 0.2);
        const double step = std::max(lasts / 400, 1e-6);
        const double got = Rebound("{model: gonthier, stiffness: " + std::to_string(k) +
                                       ", v_small: 1e-6, restitution: " + std::to_string(e) + "}",
                                   0.5, speed, step);
        EXPECT_NEAR(got, e, 1e-4) << "e " << e << ", speed " << speed << ", k " << k;
      }
    }
  }
}

// What the overlap stores in which a scene starts is no gift of the law: the audit begins with it.
TEST(PointScenes, WhatAnOverlapStoresAtTheStartIsNoGainOfTheLaw) {
  for (const double depth : {1e-5, 1e-3}) {
    constexpr double k = 1e6;
    Simulation simulation = Of(fmt::format(
        "gravity: [0, 0, 0]\nduration: 0.05\nintegrator: {{step: 1.0e-4}}\n"
        "contact_models:\n  default: {{geometry: points, normal: {{model: gonthier, stiffness: {}, "
        "exponent: 1, restitution: 1}}}}\n"
        "bodies:\n  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: "
        "true}}\n"
        "  ball: {{shape: {{sphere: {{radius: 0.1}}}}, mass: 0.5, pose: {{position: [0, 0, "
        "{:.17g}]}}}}\n",
        k, 0.1 - depth));
    const double stored = 0.5 * k * depth * depth;
    EXPECT_NEAR(simulation.Energy().elastic, stored, 1e-9 * stored);
    while (!simulation.Done()) {
      simulation.Step();
      EXPECT_LT(std::fabs(simulation.Energy().law_gain), 1e-9 * stored);
      EXPECT_LT(std::fabs(simulation.Energy().balance), 1e-2 * stored);
    }
    EXPECT_NEAR(simulation.Energy().kinetic, stored, 1e-2 * stored);
    EXPECT_NEAR(simulation.Energy().elastic, 0.0, 1e-9 * stored);
  }
}

// 200 steps of a contact resolve it: e comes back to 1e-6, mass, stiffness and speed a hundredth or
// a hundred times the thesis' (5.1.1), wherever within a step the ball touches.
TEST(PointImpacts, ResolvedByTwoHundredStepsTheyReturnEToAMillionth) {
  for (const double e : {1.0, 0.9, 0.5, 0.1, 0.01}) {
    for (int k = 0; k < 27; ++k) {
      const double factor[] = {0.01, 1.0, 100.0};
      const double mass = 0.454 * factor[k % 3], stiffness = 3.4e10 * factor[k / 3 % 3];
      const double speed = 0.2 * factor[k / 9];
      const double depth = std::pow(1.25 * mass * speed * speed / stiffness, 0.4);
      const double step = 2.943 * depth / speed / 200;
      const double gap = (3.0 + 0.37 * (k % 2)) * step * speed;
      Simulation simulation = Of(fmt::format(
          "gravity: [0, 0, 0]\nduration: {0:.17g}\nintegrator: {{step: {1:.17g}}}\n"
          "contact_models:\n  default: {{geometry: points, normal: {{model: gonthier, "
          "stiffness: {2:.17g}, v_small: 1e-9, restitution: {3}}}}}\n"
          "bodies:\n  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: "
          "true}}\n  ball: {{shape: {{sphere: {{radius: 0.1}}}}, mass: {4:.17g}, pose: {{position: "
          "[0, 0, {5:.17g}]}}, velocity: {{linear: [0, 0, {6:.17g}]}}}}\n",
          40000 * step, step, stiffness, e, mass, 0.1 + gap, -speed));
      testing::RunThroughContact(&simulation);
      EXPECT_NEAR(simulation.State()[1].v_WB.z / speed, e, 1e-6 * e)
          << "e " << e << ", mass " << mass << ", stiffness " << stiffness << ", speed " << speed;
    }
  }
}

TEST(PointImpacts, EveryLawReboundsAsItsEquationSays) {
  constexpr double k = 1e7, m = 0.5, v = 1.3, e = 0.6;
  struct Case {
    std::string normal;
    std::function<double(double, double)> force;
  };
  // Of the depth's rate ż = −v_n: f = f_e (1 + a v_n) = f_e (1 − a ż), a ≤ 0.
  const auto affine = [&](double a, double p) {
    return [=](double z, double rate) {
      return z > 0.0 ? k * std::pow(z, p) * (1.0 - a * rate) : 0.0;
    };
  };
  const std::string head = "stiffness: 1e7, ";
  const std::vector<Case> cases = {
      {"{model: hunt_crossley, " + head + "restitution: 0.6}", affine(-1.5 * (1 - e) / v, 1.5)},
      {"{model: hunt_crossley, " + head + "dissipation: 0.2}", affine(-1.5 * 0.2, 1.5)},
      {"{model: lankarani_nikravesh, " + head + "restitution: 0.6}",
       affine(-0.75 * (1 - e * e) / v, 1.5)},
      {"{model: marhefka_orin, " + head + "dissipation: 0.3}", affine(-1.5 * 0.3, 1.0)},
      {"{model: gonthier, " + head + "exponent: 2, restitution: 0.6}",
       affine(host::DampingFactor(e, v, 1e-6), 2.0)},
      {"{model: lee_wang, " + head + "damping: 2e4}",
       [](double z, double rate) { return z > 0.0 ? k * std::pow(z, 1.5) + 2e4 * z * rate : 0.0; }},
      {"{model: azad_featherstone, " + head + "damping: 1e3}",
       [](double z, double rate) { return z > 0.0 ? std::sqrt(z) * (k * z + 1e3 * rate) : 0.0; }},
      {"{model: generic, " + head + "exponent: 1.2, damping: 1e3, damping_exponent: 0.7}",
       [](double z, double rate) {
         return z > 0.0 ? k * std::pow(z, 1.2) + 1e3 * std::pow(z, 0.7) * rate : 0.0;
       }},
      {"{model: linear, " + head + "damping: 300}",
       [](double z, double rate) { return z > 0.0 ? k * z + 300.0 * rate : 0.0; }}};
  for (const Case& c : cases) {
    EXPECT_NEAR(Rebound(c.normal, m, v, 2e-6), ReboundOfLaw(c.force, m, v, 1e-8), 2e-4) << c.normal;
  }
}

// Azad (11): with (α^−2.5 k, α^−1.5 λ) the new law's e stays and its duration grows by α; Hunt and
// Crossley's does so with (α^−2.5 k, α^−2.5 λ), which is a dissipation that stays.
TEST(PointImpacts, StiffnessAndDampingScaleAsAzadSays) {
  const auto text = [](const std::string& model, double k, const std::string& rest) {
    return "{model: " + model + ", stiffness: " + std::to_string(k) + ", " + rest + "}";
  };
  for (const double alpha : {0.5, 3.0}) {
    const double k = 1e7 * std::pow(alpha, -2.5), l = 1e3 * std::pow(alpha, -1.5);
    EXPECT_NEAR(Rebound(text("azad_featherstone", k, "damping: " + std::to_string(l)), 0.5, 1.0,
                        alpha * 2e-6),
                Rebound(text("azad_featherstone", 1e7, "damping: 1e3"), 0.5, 1.0, 2e-6), 1e-5);
    EXPECT_NEAR(Rebound(text("hunt_crossley", k, "dissipation: 0.2"), 0.5, 1.0, alpha * 2e-6),
                Rebound(text("hunt_crossley", 1e7, "dissipation: 0.2"), 0.5, 1.0, 2e-6), 1e-5);
  }
}

// A chair whose centre of mass is off the middle slides as it settles. Where friction rises once it
// slides, from mu_s to eighty times that, it takes energy from the chair, and gives none.
TEST(PointScenes, FrictionThatRisesOnceItSlidesGivesNoEnergy) {
  for (const std::string mu_s : {"0.001", "0.005", "0.05", "0.4"}) {
    for (const std::string v_stribeck : {"0.1", "10"}) {
      std::string feet;
      for (const char* xy : {"0.2, 0.15", "-0.2, 0.15", "-0.2, -0.15", "0.2, -0.15"}) {
        feet += std::string(feet.empty() ? "" : ", ") +
                "{sphere: {radius: 0.02}, pose: {position: [" + xy + ", 0]}}";
      }
      Simulation chair = Of(
          "gravity: [0, 0, -10]\nduration: 0.05\nintegrator: {step: 5e-4}\n"
          "contact_models: {default: {geometry: points, normal: {model: gonthier, stiffness: 1e6, "
          "exponent: 1, restitution: 0.1}, friction: {model: bristle, mu_s: " +
          mu_s + ", mu_c: 0.4, v_stribeck: " + v_stribeck +
          "}}}\nbodies:\n"
          "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
          "  chair: {shape: {union: [" +
          feet +
          "]}, mass: 6, center_of_mass: [0.05, -0.02, 0.4], inertia: [0.3, 0.35, 0.25], "
          "pose: {position: [0, 0, 0.02]}}\n");
      testing::RunToEnd(&chair);
      EXPECT_EQ(chair.Counters().gaining_substeps, 0) << mu_s << " " << v_stribeck;
    }
  }
}

// Bodies of every kind fall on a plane and a table and come to rest with their weight.
TEST(PointScenes, BodiesComeToRestWithTheirWeight) {
  const std::vector<std::string> shapes = {
      "{box: {size: [0.1, 0.07, 0.05]}}", "{cylinder: {radius: 0.05, height: 0.06}}",
      "{cone: {radius_bottom: 0.06, radius_top: 0.02, height: 0.06}}",
      "{capsule: {radius: 0.04, length: 0.08}}",
      "{torus: {major_radius: 0.05, minor_radius: 0.015}}"};
  for (const std::string& shape : shapes) {
    for (const bool table : {false, true}) {
      if (table && shape.find("box") == std::string::npos) continue;
      const std::string base =
          table ? "{shape: {box: {size: [1, 1, 0.2]}}, fixed: true, pose: {position: [0, 0, -0.1]}}"
                : "{shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}";
      Simulation simulation =
          Of("duration: 2.5\nintegrator: {step: 500.0e-6}\n"
             "contact_models:\n  default:\n    geometry: points\n"
             "    normal: {model: gonthier, stiffness: 1e6, exponent: 1, restitution: 0.3}\n"
             "    friction: {model: bristle, mu_s: 0.4, mu_c: 0.4}\n"
             "bodies:\n  base: " +
             base + "\n  part: {shape: " + shape +
             ", mass: 0.3, pose: {position: [0, 0, 0.1], rpy_deg: [20, 7, 0]}}\n");
      const EnergyAudit start = simulation.Energy();
      double highest = 0.0;
      Vec3 before;
      while (!simulation.Done()) {
        simulation.Step();
        if (std::fabs(simulation.Time() - 2.4) < 1e-9) before = simulation.State()[1].X_WB.p;
        const EnergyAudit now = simulation.Energy();
        highest = std::max(highest, now.kinetic + now.gravity - start.kinetic - start.gravity);
      }
      const Vec3 drift = simulation.State()[1].X_WB.p - before;
      const bool rolls = shape.find("capsule") != std::string::npos;
      Vec3 force;
      for (const ContactReport& contact : simulation.Contacts()) force += contact.force;
      const double sign =
          simulation.Contacts().empty() || simulation.Contacts()[0].body_i == 1 ? 1.0 : -1.0;
      EXPECT_NEAR(sign * force.z, 0.3 * 9.81, 1e-6 * 0.3 * 9.81) << shape << table;
      EXPECT_LT(highest, 1e-3 * 0.3 * 9.81 * 0.1) << shape << table;
      if (!rolls) {
        EXPECT_LT(Norm(drift), 1e-7) << shape << table;
      }
    }
  }
}

// A ball in a box of walls keeps its energy for 60 bounces; what bounces in points and what in
// volumes live in one scene, and momentum is kept between them.
TEST(PointScenes, ElasticBallsKeepTheirEnergyAndBothKindsLiveInOneScene) {
  const std::string scene =
      "gravity: [0, 0, 0]\nduration: 2\nintegrator: {step: 2.0e-5}\n"
      "contact_models:\n"
      "  points: {geometry: points, normal: {model: gonthier, stiffness: 1e7, restitution: 1}}\n"
      "  default: {normal: {model: gonthier, stiffness: 1e8, restitution: 1}}\n"
      "bodies:\n"
      "  one: {shape: {sphere: {radius: 0.1}}, mass: 1, pose: {position: [0, 0, 0]}, velocity: "
      "{linear: [1, 0.2, 0]}}\n"
      "  two: {shape: {sphere: {radius: 0.1}}, mass: 2, pose: {position: [0.4, 0.05, 0]}}\n"
      "  three: {shape: {ellipsoid: {radii: [0.1, 0.2, 0.3]}}, mass: 3, pose: {position: [0.8, 0, "
      "0]}}\n"
      "contacts:\n  - {bodies: [one, two], model: points}\n  - {bodies: [\"*\", \"*\"], model: "
      "default}\n";
  Simulation simulation = Of(scene);
  const auto momentum = [&] {
    Vec3 sum;
    const double masses[] = {1, 2, 3};
    for (int b = 0; b < 3; ++b)
      sum += masses[b] * simulation.State()[static_cast<std::size_t>(b)].v_WB;
    return sum;
  };
  const Vec3 before = momentum();
  const double energy = simulation.Energy().kinetic;
  bool in_points = false, in_volumes = false;
  while (!simulation.Done()) {
    simulation.Step();
    for (const ContactReport& contact : simulation.Contacts()) {
      (contact.geometry.is_point ? in_points : in_volumes) = true;
    }
  }
  EXPECT_TRUE(in_points);
  EXPECT_TRUE(in_volumes);
  EXPECT_NEAR(Norm(momentum() - before), 0.0, 1e-12);
  EXPECT_NEAR(simulation.Energy().kinetic, energy, 1e-3 * energy);
  EXPECT_LE(simulation.Energy().kinetic, energy * (1 + 1e-5));
}

// A box is pushed by 5 N: it sticks, the floor gives (−5, 0, 10) (the test of a peer); with
// Stribeck friction it creeps, slower than the slip tolerance.
TEST(PointScenes, APushedBoxSticks) {
  for (const std::string friction :
       {"{model: bristle, mu_s: 0.7, mu_c: 0.6}",
        "{model: stribeck, mu_s: 0.7, mu_c: 0.6, slip_tolerance: 1e-4}"}) {
    for (const std::string geometry : {"points", "volumes"}) {
      const bool points = geometry == "points";
      Simulation simulation = Of(
          "gravity: [0, 0, -10]\nduration: 1.5\nintegrator: {step: 500.0e-6}\n"
          "contact_models:\n  default:\n    geometry: " +
          geometry + "\n    normal: {model: gonthier, stiffness: " +
          (points ? "1e6, exponent: 1" : "1e8") + ", restitution: 0.3}\n    friction: " + friction +
          "\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
          "  box: {shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 1, pose: {position: [0, 0, "
          "0.05]},\n"
          "        wrenches: [{force: [5, 0, 0], point: [0, 0, -0.05]}]}\n");
      while (!simulation.Done()) simulation.Step();
      Vec3 force;
      for (const ContactReport& contact : simulation.Contacts()) force += contact.force;
      if (force.z < 0.0) force = -force;
      EXPECT_NEAR(Norm(force - Vec3{-5, 0, 10}), 0.0, 2e-3) << friction << geometry;
      const double limit = friction.find("stribeck") == std::string::npos ? 1e-8 : 1e-4;
      EXPECT_LT(Norm(simulation.State()[1].v_WB), limit) << friction << geometry;
    }
  }
}

// Boxes fall on each other's rims: corners, edges that cross and faces come and go, and what they
// store with them. Without damping and friction what is left over is the step's error; the depth of
// a corner of the upper box along its own face's normal would make or take a tenth.
TEST(PointScenes, FacesOnFacesKeepTheirEnergy) {
  for (int k = 0; k < 12; ++k) {
    const double e = k % 3 == 0 ? 1.0 : 0.5;
    Simulation simulation = Of(fmt::format(
        "duration: 0.4\nintegrator: {{step: 1.0e-4}}\n"
        "contact_models:\n  default:\n    geometry: points\n"
        "    normal: {{model: gonthier, stiffness: 1e6, exponent: 1, restitution: {}}}\n"
        "    friction: {{model: bristle, mu_s: {}, mu_c: {}}}\n"
        "bodies:\n  table: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, fixed: true, pose: "
        "{{position: [0, 0, -0.1]}}}}\n"
        "  part: {{shape: {{box: {{size: [0.1, 0.07, 0.05]}}}}, mass: 0.3, pose: {{position: [{}, "
        "0.01, 0.12], rpy_deg: [{}, {}, {}]}}}}\n",
        e, k % 2 == 0 ? 0.3 : 0.0, k % 2 == 0 ? 0.3 : 0.0, 0.05 + 0.005 * k, 14 - 5 * (k % 6),
        3 * (k % 5) - 8, 11 * k));
    const EnergyAudit start = simulation.Energy();
    double through = 0.0;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit now = simulation.Energy();
      through = std::max(through, start.gravity - now.gravity);
      EXPECT_LT(std::fabs(now.balance), 5e-3 * std::max(through, 0.1)) << k << simulation.Time();
    }
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << k;
  }
}

// A ball that is wider than a hole comes to rest on its rim, in a funnel and on a ring, of any size
// and mass, on points whose forces bear its weight; one foot alone would jump about the axis.
TEST(PointScenes, ABallComesToRestOnAHoleAFunnelAndARing) {
  const char* const seats[] = {
      "{difference: [{box: {size: [8, 8, 1]}}, {cylinder: {radius: 0.6, height: 9}}]}",
      "{difference: [{box: {size: [8, 8, 2]}}, {cone: {radius_bottom: 0, radius_top: 2, height: "
      "2}, pose: {position: [0, 0, 0.5]}}]}",
      "{torus: {major_radius: 0.8, minor_radius: 0.2}}"};
  const double tops[] = {1.3, 1.4142135623730951 - 0.5, 0.8944271909999159};
  for (int seat = 0; seat < 3; ++seat) {
    for (const double size : {1e-3, 1e-2, 1.0}) {
      for (const double mass : {1e-3, 0.1, 10.0}) {
        const double g = 9.81, depth = 1e-3 * size, h = 0.25 * std::sqrt(depth / g);
        Simulation simulation = Of(fmt::format(
            "duration: {}\nintegrator: {{step: {}}}\n"
            "contact_models:\n  default:\n    geometry: points\n"
            "    normal: {{model: gonthier, stiffness: {}, exponent: 1, restitution: 0.5}}\n"
            "    friction: {{model: coulomb, mu: 0.3}}\n"
            "bodies:\n  seat: {{fixed: true, shape: {{scale: {}, union: [{}]}}}}\n"
            "  ball: {{mass: {}, shape: {{sphere: {{radius: {}}}}}, pose: {{position: [{}, {}, "
            "{}]}}}}\n",
            400 * h, h, mass * g / depth, size, seats[seat], mass, size, 0.03 * size, 0.01 * size,
            (tops[seat] + 0.02) * size));
        while (!simulation.Done()) simulation.Step();
        const auto& ball = simulation.State()[1];
        const std::string what = fmt::format("seat {} size {} mass {}", seat, size, mass);
        EXPECT_LT(Norm(ball.v_WB), 1e-3 * std::sqrt(g * size)) << what;
        EXPECT_LT(std::hypot(ball.X_WB.p.x, ball.X_WB.p.y), 2e-3 * size) << what;
        EXPECT_NEAR(ball.X_WB.p.z, tops[seat] * size, 2e-3 * size) << what;
        const auto& counters = simulation.Counters();
        EXPECT_EQ(counters.gaining_substeps, 0) << what;
        EXPECT_EQ(counters.arrests, 0) << what;
        EXPECT_LT(counters.substeps, 2000) << what;
      }
    }
  }
}

// Both walls of a groove, two half-spaces, bear a block whose edge is in the valley, beyond which
// each wall is covered by the other.
TEST(PointScenes, BlocksComeToRestInAGroove) {
  const char* const blocks[] = {
      "{box: {size: [0.1, 0.1, 0.1]}}",
      "{difference: [{box: {size: [0.1, 0.1, 0.1]}}, {cylinder: {radius: 0.02, height: 0.2}}]}"};
  for (const char* block : blocks) {
    Simulation simulation = Of(fmt::format(
        "duration: 0.6\n"
        "contact_models:\n  default:\n    geometry: points\n"
        "    normal: {{model: gonthier, stiffness: 1e5, exponent: 1, restitution: 0.3}}\n"
        "    friction: {{model: coulomb, mu: 0.3}}\n"
        "bodies:\n  groove: {{fixed: true, shape: {{union: [{{half_space: {{normal: [0.6, 0, 0.8], "
        "offset: 0}}}}, {{half_space: {{normal: [-0.6, 0, 0.8], offset: 0}}}}]}}}}\n"
        "  block: {{mass: 0.3, shape: {}, pose: {{position: [0.002, 0, 0.09], rpy_deg: [2, 36, "
        "0]}}}}\n",
        block));
    while (!simulation.Done()) simulation.Step();
    const auto& at = simulation.State()[1];
    EXPECT_LT(Norm(at.v_WB), 1e-6) << block;
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << block;
    EXPECT_LT(simulation.Counters().substeps, 4000) << block;
  }
}

/** A part that falls on what lies under it, of any size and mass; lengths in sizes. */
struct Fall {
  const char* under;
  double under_at;  ///< its z
  const char* part;
  const char* pose;  ///< its rotation
  double at;         ///< its z
  double points;     ///< that bear it, a thousandth of a size deep
  double size, mass;
  int steps;
};

constexpr double kGravity = 9.81;

Simulation Fallen(const Fall& fall) {
  const double depth = 1e-3 * fall.size, h = 0.25 * std::sqrt(depth / kGravity);
  Simulation simulation = Of(fmt::format(
      "duration: {}\nintegrator: {{step: {}}}\n"
      "contact_models:\n  default:\n    geometry: points\n"
      "    normal: {{model: gonthier, stiffness: {}, exponent: 1, restitution: 0.3}}\n"
      "    friction: {{model: coulomb, mu: 0.3}}\n"
      "bodies:\n  table: {{fixed: true, shape: {{scale: {}, union: [{}]}}, pose: {{position: [0, "
      "0, {}]}}}}\n"
      "  part: {{mass: {}, shape: {{scale: {}, union: [{}]}}, pose: {{position: [0, 0, {}], "
      "{}}}}}\n",
      fall.steps * h, h, fall.mass * kGravity / depth / fall.points, fall.size, fall.under,
      fall.under_at * fall.size, fall.mass, fall.size, fall.part, fall.at * fall.size, fall.pose));
  while (!simulation.Done()) simulation.Step();
  return simulation;
}

// What has a hole or a dimple comes to rest on a table and on a half-space as its box would: on the
// corners of its faces. One deepest point alone would jump from corner to corner.
TEST(PointScenes, BlocksWithHollowsComeToRestOnTheirFaces) {
  const char* const blocks[] = {
      "{difference: [{box: {size: [1, 0.8, 0.4]}}, {cylinder: {radius: 0.15, height: 1}}]}",
      "{difference: [{box: {size: [1, 0.8, 0.4]}}, {sphere: {radius: 0.3}, pose: {position: [0, "
      "0, -0.35]}}]}"};
  const char* const floors[] = {"{half_space: {normal: [0, 0, 1], offset: 0}}",
                                "{box: {size: [9, 9, 2]}, pose: {position: [0.1, 0.2, -1]}}"};
  for (int k = 0; k < 12; ++k) {
    const double size = k < 4 ? 1e-3 : k < 8 ? 0.1 : 5.0, mass = k % 3 == 0 ? 0.01 : 3.0;
    const Simulation simulation = Fallen(
        {floors[k % 2], 0.0, blocks[k / 2 % 2], "rpy_deg: [2, 3, 10]", 0.25, 4, size, mass, 600});
    const auto& block = simulation.State()[1];
    EXPECT_LT(Norm(block.v_WB), 1e-4 * std::sqrt(kGravity * size)) << k;
    EXPECT_NEAR(block.X_WB.p.z, 0.2 * size - 1e-3 * size, 1e-5 * size) << k;
    const auto& counters = simulation.Counters();
    EXPECT_EQ(counters.gaining_substeps, 0) << k;
    EXPECT_LT(counters.substeps, 4000) << k;
  }
}

// Round parts come to rest on a table that is a box, standing, lying and on each other, at any size
// and mass, and gain nothing.
TEST(PointScenes, RoundPartsComeToRestOnBoxesAndOnEachOther) {
  struct Case {
    const char* part;
    const char* pose;   ///< in sizes
    const char* under;  ///< a second table
  };
  const Case cases[] = {
      {"{cylinder: {radius: 0.3, height: 1}}", "rpy_deg: [2, 3, 0]", ""},
      {"{cylinder: {radius: 0.3, height: 1}}", "rpy_deg: [88, 3, 0]", ""},
      {"{cone: {radius_bottom: 0.5, radius_top: 0, height: 0.8}}", "rpy_deg: [3, 2, 0]", ""},
      {"{cylinder: {radius: 0.2, height: 0.4}}", "rpy_deg: [1, 2, 0]",
       "{cylinder: {radius: 0.4, height: 0.4}}"},
      {"{capsule: {radius: 0.2, length: 0.6}}", "rpy_deg: [88, 3, 0]", ""}};
  const double heights[] = {0.5, 0.3, 0.4, 0.2, 0.2};
  for (int k = 0; k < 15; ++k) {
    const Case& c = cases[k % 5];
    const double size = k < 5 ? 1e-3 : k < 10 ? 0.1 : 5.0, mass = k % 2 == 0 ? 0.01 : 3.0;
    const bool stacked = c.under[0] != '\0';
    const Simulation simulation =
        Fallen({stacked ? c.under : "{box: {size: [9, 9, 2]}}", stacked ? -0.2 : -1.0, c.part,
                c.pose, heights[k % 5] + 0.05, 3, size, mass, 900});
    const auto& part = simulation.State()[1];
    const auto& counters = simulation.Counters();
    EXPECT_LT(Norm(part.v_WB), 1e-3 * std::sqrt(kGravity * size)) << k;
    EXPECT_NEAR(part.X_WB.p.z, heights[k % 5] * size, 5e-3 * size) << k;
    EXPECT_EQ(counters.gaining_substeps, 0) << k;
    EXPECT_LT(counters.substeps, 6000) << k;
  }
}

/** A ring that falls on what lies under it and comes to rest there, and what a sensor of the other
 reads then. */
void ExpectARingToRest(const char* under, double under_at, double size, double mass, int k) {
  const double depth = 1e-3 * size, h = 0.25 * std::sqrt(depth / kGravity);
  Simulation simulation = Of(fmt::format(
      "duration: {}\nintegrator: {{step: {}}}\n"
      "contact_models:\n  default:\n    geometry: points\n"
      "    normal: {{model: gonthier, stiffness: {}, exponent: 1, restitution: 0.6}}\n"
      "    friction: {{model: bristle, mu_s: 0.5, mu_c: 0.4}}\n"
      "bodies:\n  table: {{fixed: true, shape: {{scale: {}, union: [{}]}}, pose: {{position: [0, "
      "0, {}]}}}}\n"
      "  ring: {{mass: {}, shape: {{torus: {{major_radius: {}, minor_radius: {}}}}}, pose: "
      "{{position: [{}, 0, {}], rpy_deg: [{}, 3, 10]}}}}\nsensors:\n  load: {{body: table}}\n",
      2000 * h, h, mass * kGravity / depth / 3 * ((k + k / 4) % 2 == 0 ? 100.0 : 0.5), size, under,
      under_at * size, mass, 0.4 * size, 0.1 * size, 0.05 * size, 0.25 * size, 1.5 + k));
  const EnergyAudit start = simulation.Energy();
  double highest = 0.0;
  while (!simulation.Done()) {
    simulation.Step();
    const EnergyAudit now = simulation.Energy();
    highest = std::max(highest, now.kinetic + now.gravity - start.kinetic - start.gravity);
  }
  const auto& ring = simulation.State()[1];
  const auto& counters = simulation.Counters();
  // Stiff and across a bar it rocks on: at small speeds its law damps a rocking of depth z by z².
  const bool rocks = k == 7;
  EXPECT_LT(Norm(ring.v_WB), (rocks ? 2e-4 : 1e-5) * std::sqrt(kGravity * size)) << k;
  EXPECT_NEAR(ring.X_WB.R.Col(2).z, 1.0, 1e-4) << k;
  EXPECT_NEAR(simulation.Sensors()[0].force.z, -mass * kGravity,
              (rocks ? 0.03 : 1e-6) * mass * kGravity)
      << k;
  EXPECT_LT(highest, 1e-6 * mass * kGravity * size) << k;
  EXPECT_EQ(counters.gaining_substeps, 0) << k;
  EXPECT_EQ(counters.arrests, 0) << k;
  EXPECT_LT(counters.substeps, 4000) << k;
}

// A ring comes to rest flat on a table, a hull and a can's end, over their edges as well, of any
// size and mass. One deepest point alone runs around it.
TEST(PointScenes, RingsComeToRestOnConvexParts) {
  const char* const seats[] = {
      "{box: {size: [2, 2.5, 1]}}", "{cylinder: {radius: 0.7, height: 1}}",
      "{convex: {vertices: [[0.7, 0.6, 0.5], [-0.6, 0.7, 0.5], [-0.7, -0.6, 0.5], [0.6, -0.7, "
      "0.5], [1, 1, -0.5], [-1, 1, -0.5], [-1, -1, -0.5], [1, -1, -0.5]]}}",
      "{box: {size: [0.8, 2, 1]}}"};
  for (int k = 0; k < 8; ++k) {
    const double size = k < 4 ? 1e-3 : 1.0, mass = k % 3 == 0 ? 0.01 : 3.0;
    ExpectARingToRest(seats[k % 4], -0.5, size, mass, k);
  }
}

// So it does on a bore and a dimple that its tube does not go into, whose wall is cut for others.
TEST(PointScenes, RingsComeToRestOnPiercedParts) {
  const char* const hollows[] = {
      "{cylinder: {radius: 0.08, height: 9}, pose: {position: [-0.1, 0.35, 0]}}",
      "{sphere: {radius: 0.09}, pose: {position: [-0.25, -0.3, 0.52]}}"};
  for (int k = 0; k < 4; ++k) {
    const std::string seat =
        fmt::format("{{difference: [{{box: {{size: [2, 2.5, 1]}}}}, {}]}}", hollows[k % 2]);
    ExpectARingToRest(seat.c_str(), -0.5, k < 2 ? 1e-3 : 1.0, k % 3 == 0 ? 0.01 : 3.0, k);
  }
}

// A half ball stands on its plane face and a can lies across a bar, of any size and mass. Their one
// deepest point jumps as they rock.
TEST(PointScenes, HalfBallsAndCansAcrossABarComeToRest) {
  struct Case {
    const char* part;
    const char* pose;  ///< in sizes
    const char* under;
    double height, points;
  };
  const Case cases[] = {
      {"{intersection: [{sphere: {radius: 0.5}}, {half_space: {normal: [0, 0, -1], offset: 0}}]}",
       "rpy_deg: [2, 3, 0]", "{box: {size: [9, 9, 2]}}", 0.0, 3},
      {"{intersection: [{sphere: {radius: 0.5}}, {half_space: {normal: [0, 0, -1], offset: 0}}]}",
       "rpy_deg: [2, 3, 0]", "{half_space: {normal: [0, 0, 1], offset: 1}}", 0.0, 3},
      {"{cylinder: {radius: 0.3, height: 1}}", "rpy_deg: [88, 0, 0]", "{box: {size: [9, 0.3, 2]}}",
       0.3, 2}};
  for (int k = 0; k < 9; ++k) {
    const Case& c = cases[k % 3];
    const double size = k < 3 ? 1e-3 : k < 6 ? 0.1 : 5.0, mass = k % 2 == 0 ? 0.01 : 3.0;
    const Simulation simulation =
        Fallen({c.under, -1.0, c.part, c.pose, c.height + 0.05, c.points, size, mass, 900});
    const auto& part = simulation.State()[1];
    const auto& counters = simulation.Counters();
    EXPECT_LT(Norm(part.v_WB), 1e-3 * std::sqrt(kGravity * size)) << k;
    EXPECT_NEAR(part.X_WB.p.z, c.height * size - 1e-3 * size, 1e-5 * size) << k;
    EXPECT_EQ(counters.gaining_substeps, 0) << k;
    EXPECT_LT(counters.substeps, 2000) << k;
  }
}

// A clone in mid-contact goes on with the same bits.
TEST(PointScenes, AClonesBitsAreTheSame) {
  Simulation first =
      Of("duration: 0.6\nintegrator: {step: 250.0e-6}\n"
         "contact_models:\n  default:\n    geometry: points\n"
         "    normal: {model: gonthier, stiffness: 1e6, exponent: 1, restitution: 0.3}\n"
         "    friction: {model: bristle, mu_s: 0.4, mu_c: 0.4}\n"
         "bodies:\n  table: {shape: {box: {size: [1, 1, 0.2]}}, fixed: true, pose: {position: [0, "
         "0, -0.1]}}\n"
         "  part: {shape: {box: {size: [0.1, 0.2, 0.05]}}, mass: 0.3, pose: {position: [0.48, 0, "
         "0.1], rpy_deg: [20, 7, 0]}}\n");
  while (first.Time() < 0.3) first.Step();
  Simulation second = first.Clone();
  while (!first.Done()) {
    first.Step();
    second.Step();
  }
  EXPECT_EQ(first.State()[1].X_WB.p.x, second.State()[1].X_WB.p.x);
  EXPECT_EQ(first.State()[1].v_WB.z, second.State()[1].v_WB.z);
}

TEST(PointScenes, WhatCannotBeIsRefusedWithItsRemedy) {
  const auto message = [](const std::string& model) -> std::string {
    try {
      Simulation simulation = Of(
          "materials: {steel: {youngs_modulus: 2.1e11, poisson_ratio: 0.3, restitution: 0.5}}\n"
          "contact_models:\n  default: " +
          model +
          "\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
          "  ball: {shape: {sphere: {radius: 0.1}}, mass: 1, material: steel}\n");
    } catch (const host::InputError& error) {
      return error.what();
    }
    return "";
  };
  const auto expect = [&](const std::string& model, const std::string& part) {
    EXPECT_NE(message(model).find(part), std::string::npos) << model << ": " << message(model);
  };
  expect("{geometry: points, normal: {model: lee_wang}}", "At points give it in N/m^1.5");
  expect("{geometry: points, normal: {model: gonthier, exponent: 1.4}}", "give it in N/m^1.4");
  expect("{geometry: points, normal: {model: conserving, coefficient: 1, exponent: 2}}",
         "law of volumes");
  expect(
      "{geometry: points, normal: {model: gonthier, stiffness: 1e6}, rolling: {model: gonthier}}",
      "no rolling resistance");
  expect("{geometry: points, normal: {model: stronge}}",
         "stiffness: is missing. At points give it");
  expect("{geometry: points, normal: {model: stronge, stiffness: 0}}",
         "Write a number above 0: k_v [N/m³]; at points k of k zᵖ [N/m^p]");
  expect("{geometry: points, normal: {model: stronge, stiffness: 1, radius: 1}}", "radius");
  expect("{geometry: points, normal: {model: chatterjee, stiffness: 1, restitution: 2}}",
         "from 0.01 to 1");
  expect("{normal: {model: gonthier, stiffness: 1e6}, friction: {model: goyal}}",
         "friction.stiffness: is missing");
  expect("{normal: {model: gonthier, stiffness: 1e6}, friction: {model: goyal, stiffness: 1}}",
         "friction.damping: is missing");
  expect("{normal: {model: lee_wang, stiffness: 1e6, damping: 1}}", "geometry: points");
  expect("{normal: {model: gonthier, stiffness: 1e6, radius: 1}}", "radius");
  expect("{geometry: corners, normal: {model: gonthier, stiffness: 1e6}}", "geometry");
  EXPECT_EQ(message("{geometry: points, normal: {model: gonthier, radius: 0.1}}"), "");
}

// Hertz: k = (4/3) E* √R, with the floor rigid.
TEST(PointScenes, HertzStiffnessComesFromTheMaterials) {
  ContactModelSettings settings;
  settings.geometry = ContactGeometry::kPoints;
  settings.normal = {"gonthier", {{"radius", 0.02}, {"restitution", 0.5}}, {}};
  Material steel;
  steel.youngs_modulus = 2.1e11;
  steel.poisson_ratio = 0.3;
  const auto model = host::MakeContactModel(settings, steel, steel);
  const double E = 1.0 / (2 * (1 - 0.09) / 2.1e11);
  EXPECT_NEAR(model->normal->Force(1e-4, 0.0).f_e, 4.0 / 3.0 * E * std::sqrt(0.02) * 1e-6, 1e-6);
}

/** How long the first impact of a body on a floor lasts, at points by Hertz' law. */
double HertzTime(const std::string& normal, const std::string& shape, double height,
                 const std::string& floor) {
  Simulation simulation =
      Of("gravity: [0, 0, 0]\nduration: 0.02\nintegrator: {step: 2.0e-7}\n"
         "materials: {steel: {youngs_modulus: 2.1e11, poisson_ratio: 0.3, restitution: 1}}\n"
         "contact_models:\n  default: {geometry: points, normal: " +
         normal + "}\nbodies:\n  floor: {shape: " + floor +
         ", fixed: true, material: steel}\n  body: {shape: " + shape +
         ", mass: 1, material: steel, pose: {position: [0, 0, " + std::to_string(height + 1e-6) +
         "]}, velocity: {linear: [0, 0, -1]}}\n");
  double first = -1.0, stored = 0.0;
  while (!simulation.Done()) {
    simulation.Step();
    const bool touches = !simulation.Contacts().empty();
    if (touches && first < 0.0) first = simulation.Time();
    if (!touches && first >= 0.0) break;
    stored = std::max(stored, simulation.Energy().elastic);
  }
  EXPECT_NEAR(stored, 0.5, 1e-3) << shape;  // all of it, for a moment
  EXPECT_NEAR(simulation.State()[1].v_WB.z, 1.0, 1e-4) << shape;
  EXPECT_NEAR(simulation.Energy().balance, 0.0, 1e-5) << shape;
  EXPECT_NEAR(simulation.Energy().elastic, 0.0, 1e-15) << shape;
  return simulation.Time() - first;
}

// Without a radius Hertz' stiffness is that of the curvatures where bodies touch: of a ball on a
// plane and in a bowl, and of an ellipsoid with the ellipse of its two radii. By Hertz an impact
// lasts 2.943 (m²/(k² v))^(1/5) (5/4)^(2/5).
TEST(PointScenes, HertzStiffnessFollowsTheCurvatures) {
  const double E = 2.1e11 / (2 * 0.91);
  const std::string plane = "{half_space: {normal: [0, 0, 1], offset: 0}}";
  const auto expect = [&](const std::string& shape, double height, const std::string& floor,
                          double k_1, double k_2) {
    const double k = E * host::points::HertzForm(k_1, k_2);
    const double lasts = 2.943 * std::pow(1.25 / (k * 1.0), 0.4);
    EXPECT_NEAR(HertzTime("{model: gonthier}", shape, height, floor) / lasts, 1.0, 5e-3) << shape;
  };
  expect("{sphere: {radius: 0.05}}", 0.05, plane, 20, 20);
  expect("{ellipsoid: {radii: [0.1, 0.05, 0.04]}}", 0.04, plane, 0.04 / 0.0025, 0.04 / 0.01);
  expect("{sphere: {radius: 0.05}}", -0.15,
         "{difference: [{box: {size: [1, 1, 1]}}, {sphere: {radius: 0.2}}], pose: {rpy_deg: [20, "
         "35, 0]}}",
         15, 15);
  // A radius still counts before them.
  const double given =
      HertzTime("{model: gonthier, radius: 0.05}", "{sphere: {radius: 0.05}}", 0.05, plane);
  EXPECT_NEAR(given, HertzTime("{model: gonthier}", "{sphere: {radius: 0.05}}", 0.05, plane),
              2e-7 + 1e-3 * given);
}

// By Hertz' law, which knows no weights, a ring that is nearly flat has one point on a table.
TEST(PointScenes, HertzLawGivesARingItsDeepestPointAlone) {
  Simulation simulation = Of(
      "gravity: [0, 0, 0]\nduration: 0.003\nintegrator: {step: 1.0e-5}\n"
      "materials:\n  steel: {youngs_modulus: 2.1e9, poisson_ratio: 0.3}\n"
      "contact_models:\n  default: {geometry: points, normal: {model: gonthier, restitution: 1}, "
      "friction: {model: none}}\n"
      "bodies:\n  table: {fixed: true, material: steel, shape: {box: {size: [1, 1, 0.2]}}, pose: "
      "{position: [0, 0, -0.1]}}\n"
      "  ring: {mass: 10, material: steel, shape: {torus: {major_radius: 0.05, minor_radius: "
      "0.02}}, pose: {position: [0, 0, 0.0209], rpy_deg: [1, 0, 0]}, velocity: {linear: [0, 0, "
      "-1]}}\n");
  std::size_t most = 0;
  while (!simulation.Done()) {
    simulation.Step();
    most = std::max(most, simulation.Contacts().size());
  }
  EXPECT_EQ(most, 1u);
}

// Where a corner touches, Hertz' law has no stiffness, and the run says so.
TEST(PointScenes, HertzLawRefusesCorners) {
  std::string message;
  try {
    HertzTime("{model: gonthier}", "{box: {size: [0.1, 0.1, 0.1]}}", 0.05,
              "{half_space: {normal: [0, 0, 1], offset: 0}}");
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("bodies floor and body touch at an edge"), std::string::npos) << message;
  EXPECT_NE(message.find("normal.stiffness, or normal.radius"), std::string::npos) << message;
}

}  // namespace
}  // namespace intervox
