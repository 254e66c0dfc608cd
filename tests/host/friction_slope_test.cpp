// What claims to stick stays on a slope: every such friction law, at points and in volumes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "host/contact/registry.h"
#include "host/simulation.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** A law that sticks; its parameters for a body of 1 kg on four points. */
struct Sticking {
  std::string name;
  std::string parameters;  ///< {0}: the mass [kg]
  double limit = 0.4;      ///< of the load, as it starts
};

const std::vector<Sticking>& Laws() {
  static const std::vector<Sticking> laws = {
      {"bristle", "mu_s: 0.4, mu_c: 0.4"},
      {"bristle", "mu_s: 0.5, mu_c: 0.4, dwell_time: 0.5, dwell_start: 1", 0.5},
      {"bristle_absolute", "mu_s: 0.4, mu_c: 0.4, load: {1}"},
      {"goyal", "mu: 0.4, stiffness: {2}, damping: {3}"}};
  return laws;
}

/** The laws that creep under any load and say so. */
const std::set<std::string> kCreeping = {"none", "coulomb", "stribeck", "distributed"};

const std::string kHalfSpace = "{half_space: {normal: [0, 0, 1], offset: 0}}";

/** A block on a floor whose top is z = 0, pulled along x with 0.9 of what the law holds. */
Simulation OnSlope(const Sticking& law, const std::string& geometry, const std::string& floor,
                   double mass, double duration) {
  const double tangent = 0.9 * law.limit, cosine = 1.0 / std::hypot(1.0, tangent), g = 9.81;
  const bool points = geometry == "points";
  const double stiffness = (points ? 1e5 : 1e8) * mass, depth = points ? 2.5e-5 : 1e-5;
  const std::string parameters =
      fmt::format(fmt::runtime(law.parameters), 0, mass * g / 4, 1e5 * mass, 200 * mass);
  return testing::FromText(
      fmt::format("gravity: [{:.17g}, 0, {:.17g}]\nduration: {}\nintegrator: {{step: 2.0e-3}}\n"
                  "contact_models:\n  default:\n    geometry: {}\n"
                  "    normal: {{model: gonthier, stiffness: {}{}, restitution: 0.3, "
                  "v_small: 1e-3}}\n"
                  "    friction: {{model: {}, {}}}\n"
                  "bodies:\n"
                  "  floor: {{shape: {}, fixed: true}}\n"
                  "  part: {{shape: {{box: {{size: [0.1, 0.1, 0.04]}}}}, mass: {}, "
                  "pose: {{position: [0, 0, {:.17g}]}}}}\n",
                  g * cosine * tangent, -g * cosine, duration, geometry, stiffness,
                  points ? ", exponent: 1" : "", law.name, parameters, floor, mass, 0.02 - depth),
      2);
}

TEST(Slope, WhatSticksStaysFromTheFifthToTheTenthSecond) {
  const double masses[] = {1.0, 0.01, 100.0};
  int k = 0;
  for (const Sticking& law : Laws()) {
    for (const std::string geometry : {"points", "volumes"}) {
      const double mass = masses[k++ % 3];
      Simulation simulation = OnSlope(law, geometry, kHalfSpace, mass, 10);
      Vec3 before;
      while (!simulation.Done()) {
        simulation.Step();
        if (std::fabs(simulation.Time() - 5.0) < 1e-6) before = simulation.State()[1].X_WB.p;
      }
      const std::string name = law.name + " in " + geometry;
      EXPECT_GT(before.x, 0.0) << name;  // it has been loaded
      EXPECT_LT(before.x, 2e-3) << name;
      EXPECT_LT(Norm(simulation.State()[1].X_WB.p - before), 1e-9) << name << ", mass " << mass;
      EXPECT_EQ(simulation.Counters().gaining_substeps, 0) << name;
    }
  }
}

// On a floor that is cut under the block it moves by what it moves on one piece.
TEST(Slope, FacesThatAreCutHoldAsFacesInOnePiece) {
  std::string tiles;
  for (const char* at : {"-0.2, -0.2", "-0.2, 0.2", "0.2, -0.2", "0.2, 0.2"}) {
    tiles += fmt::format("{}{{box: {{size: [0.4, 0.4, 0.2]}}, pose: {{position: [{}, -0.1]}}}}",
                         tiles.empty() ? "" : ", ", at);
  }
  for (const Sticking& law : Laws()) {
    Simulation whole = OnSlope(law, "volumes", kHalfSpace, 1.0, 1);
    Simulation cut = OnSlope(law, "volumes", "{union: [" + tiles + "]}", 1.0, 1);
    while (!whole.Done()) {
      whole.Step();
      cut.Step();
    }
    const Vec3 apart = whole.State()[1].X_WB.p - cut.State()[1].X_WB.p;
    EXPECT_LT(Norm(apart), 1e-9) << law.name;
    ASSERT_EQ(cut.Contacts().size(), 1U);
    EXPECT_GT(cut.Contacts()[0].pairs, 3) << law.name;
  }
}

TEST(Slope, EveryFrictionLawSticksOrSaysThatItCreeps) {
  std::set<std::string> known = kCreeping;
  for (const Sticking& law : Laws()) known.insert(law.name);
  for (const auto& [name, make] : host::FrictionLaws()) {
    if (name.rfind("test_", 0) == 0) continue;
    EXPECT_TRUE(known.contains(name)) << name << ": add it to the table, or to those that creep.";
  }
}

}  // namespace
}  // namespace intervox
