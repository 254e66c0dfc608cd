// Stronge's and Chatterjee's bilinear laws: curves, restitution, contact times, memory, energy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "host/contact/contact_model.h"
#include "host/contact/loading_curve.h"
#include "host/simulation.h"
#include "host/validation/one_body.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using host::LoadingCurve;

TEST(LoadingCurve, StoresTheIntegralOfItsForce) {
  const LoadingCurve curves[] = {
      {0, 0, 0, 0, 3e6}, {0.75e-3, 0, 1e-3, 3e3, 3e6}, {1e-3, 700, 1.05e-3, 3.15e3, 3e6}};
  for (const LoadingCurve& c : curves) {
    for (const double V : {0.5e-3, 0.9e-3, 1e-3, 1.02e-3, 3e-3}) {
      for (const double p : {1.0, 1.7, 2.0, 3.0}) {
        // With V' = V u^p: ∫ f (V'/V)^(1/p − 1) dV' = p V ∫₀¹ f(V u^p) du.
        const double expected = host::Integral(
            [&](double u) { return p * V * host::ForceOf(c, V * std::pow(u, p)); }, 1.0, 200000);
        EXPECT_NEAR(host::WorkOf(c, V, p), expected, 1e-6 * c.k * V * V) << V << " " << p;
      }
      const double step = 1e-9;
      EXPECT_NEAR(host::ForceOf(c, V + step), host::ForceOf(c, V), 2 * step * 1e9) << V;
      EXPECT_GE(host::SlopeNear(c, V) * step * (1 + 1e-6),
                host::ForceOf(c, V + step) - host::ForceOf(c, V));
    }
  }
  // A parabola's, a cubic's (3 x − x³ on [0, 2]) and a sine's greatest values.
  EXPECT_NEAR(host::PeakOf(0.0, 3.0, -2.0, -9.0, 2.0), 2.0, 1e-15);
  EXPECT_NEAR(host::PeakOf(0.0, 2.0, 0.0, -2.0, 1.0), 0.5, 1e-15);
  EXPECT_NEAR(host::PeakOf(std::cos(0.1), std::sin(0.1), std::cos(0.15), -std::sin(0.15), 0.25),
              1.0, 2e-5);
}

/** A body with a flat face, or a ball that touches in a point, before a floor. */
struct Blow {
  std::string law = "stronge";
  bool points = true;
  double e = 0.5, mass = 1.0, k = 1e6, speed = 1.0;  // k [N/m] of the face, too
  double steps = 200;                                // of half a period of k
};

/** From the first step with a contact to the last, and what came back. */
struct Outcome {
  double speed = 0.0, duration = 0.0;
  EnergyAudit energy;
};

Outcome Strike(const Blow& b) {
  const double omega = std::sqrt(b.k / b.mass), step = std::numbers::pi / omega / b.steps;
  const double gap = 3.37 * step * b.speed;
  Simulation simulation = testing::FromText(
      fmt::format(
          "gravity: [0, 0, 0]\nduration: {:.17g}\nintegrator: {{step: {:.17g}}}\n"
          "contact_models:\n  default: {{geometry: {}, normal: {{model: {}, stiffness: {:.17g}, "
          "restitution: {:.17g}}}}}\nbodies:\n"
          "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
          "  body: {{shape: {}, mass: {:.17g}, pose: {{position: [0, 0, {:.17g}]}}, velocity: "
          "{{linear: [0, 0, {:.17g}]}}}}\n",
          4e4 * step, step, b.points ? "points" : "volumes", b.law, b.points ? b.k : b.k / 0.04,
          b.e, b.points ? "{sphere: {radius: 0.1}}" : "{box: {size: [0.2, 0.2, 0.2]}}", b.mass,
          0.1 + gap, -b.speed),
      2);
  Outcome out;
  double first = -1.0;
  while (!simulation.Done()) {
    simulation.Step();
    const bool touches = !simulation.Contacts().empty();
    if (touches && first < 0.0) first = simulation.Time();
    if (!touches && first >= 0.0) break;
  }
  out.duration = simulation.Time() - first;
  out.speed = simulation.State()[1].v_WB.z / b.speed;
  out.energy = simulation.Energy();
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  return out;
}

// Mass, stiffness and speed a hundredth or a hundred times; of faces and of points.
TEST(BilinearImpacts, ReturnTheirRestitution) {
  for (const std::string law : {"stronge", "chatterjee"}) {
    for (const bool points : {true, false}) {
      for (const double e : {1.0, 0.9, 0.5, 0.1, 0.03}) {
        for (int k = 0; k < 9; ++k) {
          const double factor[] = {0.01, 1.0, 100.0};
          // Stronge's second slope is 1/e² times as stiff.
          const Blow blow{law,
                          points,
                          e,
                          factor[k % 3],
                          1e6 * factor[k / 3],
                          0.01 * factor[(k + 1) % 3],
                          200 * (law == "stronge" ? std::max(1.0, 0.3 / e) : 1.0)};
          if (blow.speed * std::sqrt(blow.mass / blow.k) > 0.02) continue;  // deeper than the body
          const Outcome out = Strike(blow);
          EXPECT_NEAR(out.speed, e, 2e-3 * e)
              << law << points << " e " << e << " m " << blow.mass << " k " << blow.k;
          const double start = 0.5 * blow.mass * blow.speed * blow.speed;
          EXPECT_NEAR(out.energy.dissipated_normal / start, 1 - e * e, 1e-3);
          EXPECT_NEAR(out.energy.balance / start, 0.0, 1e-4);
          EXPECT_NEAR(out.energy.elastic / start, 0.0, 5e-4);
        }
      }
    }
  }
}

// Loading is a quarter of a period of k₁, parting one of k₂: k₁/e² by Stronge, e² k₁ by Chatterjee.
TEST(BilinearImpacts, LastAsTheirTwoSlopesSay) {
  for (const double e : {0.8, 0.5, 0.25}) {
    for (const bool points : {true, false}) {
      const double quarter = std::numbers::pi / 2 * 1e-3;
      const Outcome stronge = Strike({"stronge", points, e}),
                    chatterjee = Strike({"chatterjee", points, e});
      // Stronge's patch leaves its dent, (1 − e²) V_max deep, with the speed e; at its greatest it
      // is v/ω deep.
      const double dent = (1 - e * e) * 1e-3 / e;
      EXPECT_NEAR(stronge.duration, quarter * (1 + e) + dent, 4e-5) << e;
      // The jump is made at most a step after the turn, which is worth h/e² of parting.
      EXPECT_NEAR(chatterjee.duration, quarter * (1 + 1 / e), 4e-5 + 1.6e-5 / (e * e)) << e;
    }
  }
}

// The curve after a turn is nowhere above that before. A step may go past the peak, up to where all
// has been given back, V = √(1 − e²) V_p.
TEST(BilinearMemory, ATurnNeverLiftsTheCurve) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (const char* law : {"stronge", "chatterjee"}) {
    for (const double e : {0.1, 0.5, 0.9}) {
      ContactModelSettings settings;
      settings.normal = {law, {{"stiffness", 1e6}, {"restitution", e}}, {}};
      const auto model = host::MakeContactModel(settings, {}, {});
      for (int k = 0; k < 100; ++k) {
        host::PatchLatch latch;
        for (int turn = 0; turn < 4; ++turn) {
          const LoadingCurve before = model->normal->Curve(latch);
          const double V_p = (1.0 + share(random)) * std::max(before.V_2, 1e-6);
          const double V = V_p * (1.0 - share(random) * (1.0 - std::sqrt(1.0 - e * e)));
          model->normal->Turn(V_p, V, &latch);
          const LoadingCurve after = model->normal->Curve(latch);
          for (int at = 0; at <= 40; ++at) {
            const double x = 0.05 * at * V_p;
            ASSERT_LE(host::ForceOf(after, x), host::ForceOf(before, x) + 1e-12 * 1e6 * V_p)
                << law << " e " << e << " V/V_p " << 0.05 * at;
          }
        }
      }
    }
  }
}

// A body pressed slowly to and fro follows the curve, whatever it has been through.
TEST(BilinearMemory, FollowsItsCurveThroughPartingAndPressingAgain) {
  const double k = 1e4;
  for (const std::string law : {"stronge", "chatterjee"}) {
    Simulation simulation = testing::FromText(
        "gravity: [0, 0, 0]\nduration: 0.5\nintegrator: {step: 1.0e-3}\n"
        "contact_models:\n  default: {geometry: points, normal: {model: " +
            law +
            ", stiffness: 1e4, restitution: 0.5}}\nbodies:\n"
            "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
            "  ball:\n    shape: {sphere: {radius: 0.1}}\n    mass: 1\n"
            "    pose: {position: [0, 0, 0.1001]}\n"
            "    holder: {stiffness: 1e7, damping: 6e3, rotational_stiffness: 10, "
            "rotational_damping: 0.1, target: {keys: [{t: 0, position: [0, 0, 0.1001]}, {t: 0.1, "
            "position: [0, 0, "
            "0.099]}, {t: 0.2, position: [0, 0, 0.0992]}, {t: 0.3, position: [0, 0, 0.098]}, {t: "
            "0.4, position: [0, 0, 0.0983]}, {t: 0.5, position: [0, 0, 0.1001]}]}}\n",
        2);
    double highest = 0.0, worst = 0.0;
    double before = -1.0;
    int parted = 0, pressed_again = 0;
    while (!simulation.Done()) {
      simulation.Step();
      if (simulation.Contacts().empty()) continue;
      const ContactReport& contact = simulation.Contacts()[0];
      const double z = contact.geometry.V;
      const bool presses = z >= before;
      // A turn is known a step after it.
      const bool near_turn = std::fabs(z - highest) < 0.06 * highest;
      highest = std::max(highest, z);
      before = z;
      if (near_turn && (z < highest || contact.latch.V_max > 0.99 * z)) continue;
      double expected = k * z;
      if (z < highest) {
        (presses ? pressed_again : parted) += 1;
        expected = law == "stronge" ? std::max(0.0, 4 * k * (z - 0.75 * highest)) : 0.25 * k * z;
      }
      if (law == "chatterjee" && presses && z < 1.51 * 0.001 && z > 0.00099) continue;  // its climb
      worst = std::max(worst, std::fabs(contact.f_n - expected) / (k * highest));
    }
    EXPECT_LT(worst, 2e-2) << law;
    EXPECT_GT(parted, 50) << law;
    EXPECT_GT(pressed_again, 20) << law;
  }
}

/** A box or ball that drops and bounces. */
Simulation Bouncing(const std::string& law, bool points, double e, double mass, double k,
                    double step, const std::string& floor) {
  return testing::FromText(
      fmt::format(
          "duration: 1.2\nintegrator: {{step: {:.17g}}}\n"
          "contact_models:\n  default:\n    geometry: {}\n    normal: {{model: {}, stiffness: "
          "{:.17g}, restitution: {:.17g}}}\n    friction: {{model: bristle, mu_s: 0.3}}\nbodies:\n"
          "  floor: {}\n  body: {{shape: {{box: {{size: [0.1, 0.07, 0.05]}}}}, mass: {:.17g}, "
          "pose: {{position: [0, 0, 0.1], rpy_deg: [20, 7, 0]}}, velocity: {{linear: [0.3, 0, "
          "0]}}}}\n",
          step, points ? "points" : "volumes", law, k, e, floor, mass),
      2);
}

const char* const kPlane = "{shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}";

TEST(BilinearEnergy, NeverRisesAtAnyStepMassAndStiffness) {
  for (const std::string law : {"stronge", "chatterjee"}) {
    for (int k = 0; k < 24; ++k) {
      const double steps[] = {1e-5, 1e-4, 1e-3, 1e-2}, factor[] = {0.01, 1.0, 100.0};
      const double step = k % 12 == 0 ? 1e-6 : steps[k % 4], mass = 0.3 * factor[k / 4 % 3],
                   e = k % 5 == 0 ? 0.1 : 0.6;
      const bool points = k / 12 == 0;
      const double stiffness = (points ? 1e5 : 1e8) * factor[(k + k / 4) % 3] * mass;
      Simulation simulation = Bouncing(law, points, e, mass, stiffness, step, kPlane);
      const EnergyAudit start = simulation.Energy();
      const double scale = mass * 9.81 * 0.1;
      double highest = -1e300, lost = 0.0;
      const double longest = step < 1e-5 ? 0.16 : step < 1e-4 ? 0.25 : 0.7;
      while (!simulation.Done() && simulation.Time() < longest) {
        simulation.Step();
        const EnergyAudit now = simulation.Energy();
        highest = std::max(highest, now.kinetic + now.gravity - start.kinetic - start.gravity);
        lost = now.dissipated_normal;
      }
      EXPECT_LT(highest, 1e-3 * scale) << law << " case " << k;
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << law << " case " << k;
      EXPECT_EQ(simulation.Counters().arrests, 0) << law << " case " << k;
      EXPECT_LT(std::fabs(simulation.Energy().balance), 5e-3 * scale) << law << " case " << k;
      EXPECT_GT(lost, 0.05 * scale) << law << " case " << k;
    }
  }
}

// What the patch remembers is in clones, and goes over cuts of the floor.
TEST(BilinearMemory, IsKeptByClonesAndCuts) {
  const std::string cut =
      "{shape: {union: [{box: {size: [1, 1, 0.2]}, pose: {position: [-0.5, 0, -0.1]}}, {box: "
      "{size: "
      "[1, 1, 0.2]}, pose: {position: [0.5, 0, -0.1]}}]}, fixed: true}";
  for (const std::string law : {"stronge", "chatterjee"}) {
    Simulation first = Bouncing(law, false, 0.5, 0.3, 1e8, 2.5e-4, kPlane);
    while (first.Time() < 0.2) first.Step();
    Simulation second = first.Clone();
    while (first.Time() < 0.6) {
      first.Step();
      second.Step();
    }
    EXPECT_EQ(first.State()[1].X_WB.p.x, second.State()[1].X_WB.p.x);
    EXPECT_EQ(first.Energy().dissipated_normal, second.Energy().dissipated_normal);
    EXPECT_GT(first.Energy().dissipated_normal, 0.0);
    const auto flat = [&](const std::string& floor) {
      Simulation simulation = testing::FromText(
          fmt::format("gravity: [0, 0, 0]\nduration: 0.1\nintegrator: {{step: 1.0e-5}}\n"
                      "contact_models:\n  default: {{normal: {{model: {}, stiffness: 1e8, "
                      "restitution: 0.4}}}}\nbodies:\n  floor: {}\n  body: {{shape: {{box: {{size: "
                      "[0.1, 0.1, 0.1]}}}}, mass: 1, pose: {{position: [0.02, 0, 0.0501]}}, "
                      "velocity: {{linear: [-0.4, 0, -1]}}}}\n",
                      law, floor),
          2);
      testing::RunThroughContact(&simulation);
      return simulation.State()[1].v_WB.z;
    };
    EXPECT_NEAR(flat(kPlane), 0.4, 1e-3) << law;
    EXPECT_NEAR(flat(cut), flat(kPlane), 1e-3) << law;
  }
}

// Two free bodies: momentum is kept to rounding.
TEST(BilinearImpacts, KeepMomentum) {
  for (const std::string law : {"stronge", "chatterjee"}) {
    Simulation simulation = testing::FromText(
        "gravity: [0, 0, 0]\nduration: 0.5\nintegrator: {step: 1.0e-4}\n"
        "contact_models:\n  default: {geometry: points, normal: {model: " +
            law +
            ", stiffness: 1e6, restitution: 0.5}}\nbodies:\n"
            "  one: {shape: {sphere: {radius: 0.1}}, mass: 1, velocity: {linear: [1, 0, 0]}}\n"
            "  two: {shape: {sphere: {radius: 0.1}}, mass: 3, pose: {position: [0.25, 0.02, 0]}}\n",
        2);
    testing::RunThroughContact(&simulation);
    const Vec3 v = simulation.State()[0].v_WB, w = simulation.State()[1].v_WB;
    EXPECT_NEAR(Norm(v + 3.0 * w - Vec3{1, 0, 0}), 0.0, 1e-14) << law;
    const Vec3 n = simulation.State()[1].X_WB.p - simulation.State()[0].X_WB.p;
    const double c = std::sqrt(0.04 - 4e-4) / 0.2;  // of the line of centres with the motion
    EXPECT_NEAR(Dot(w - v, n / Norm(n)), 0.5 * c, 2e-2) << law;
  }
}

// A ring on a plane touches in its deepest place and in two beside it, which run along the ring as
// it turns: of one depth, while one approaches and the other parts. They turn together.
TEST(BilinearEnergy, PlacesThatRunAlongARingTurnTogether) {
  Simulation simulation = testing::FromText(R"(
duration: 0.088
integrator: {step: 2.5e-4}
contact_models:
  default: {geometry: points, normal: {model: chatterjee, stiffness: 279640722.6214047, restitution: 0.06457861604829675}, friction: {model: none}}
bodies:
  groove:
    fixed: true
    shape:
      union:
        - half_space: {normal: [0.5511577446699254, 0, 0.8344010669278661], offset: 0}
        - half_space: {normal: [-0.5511577446699254, 0, 0.8344010669278661], offset: 0}
  ring:
    shape: {torus: {major_radius: 0.3873266225900726, minor_radius: 0.11267337740992739}, scale: 0.002829863101411824}
    mass: 30.259498107761406
    center_of_mass: [0, 0, 0]
    inertia: [2.0129074434133387e-05, 2.0129074434133387e-05, 3.8726411606250346e-05]
    pose: {position: [-0.00010999158686959835, 2.0148838403209445e-05, 0.003819711758490817], quaternion: [0.8626124344003151, 0.2573202645168064, 0.4194257535441283, 0.11733757603983021]}
)",
                                            2);
  while (!simulation.Done()) simulation.Step();
  const EnergyAudit energy = simulation.Energy();
  EXPECT_LT(std::fabs(energy.balance), 3e-3 * energy.dissipated_normal);
  EXPECT_EQ(simulation.Counters().slowed_substeps, 0);
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
}

}  // namespace
}  // namespace intervox
