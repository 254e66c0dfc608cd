// What claims to stick stays on a slope: every such friction law, at points and in volumes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "host/contact/registry.h"
#include "host/quasistatic/quasistatic.h"
#include "host/scene/reader.h"
#include "host/simulation.h"

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

/** What a block on a slope is made of. */
struct Block {
  double mass = 1.0, size = 0.1;  // [kg], [m]
  double softness = 1.0;          // over stiffness 1e5 (points), 1e8 (volumes) for 1 kg and 0.1 m
  double v_small = 1e-3;          // [m/s]; 0: by default
  double above = 0.0;             // the place where its weight is carried [m]
  double e = 0.3;
};

/** A block on a floor whose top is z = 0, pulled along x with 0.9 of what the law holds. */
Scene SlopeScene(const Sticking& law, const std::string& geometry, const std::string& floor,
                 const Block& block, double duration) {
  const double mass = block.mass, size = block.size;
  const double tangent = 0.9 * law.limit, cosine = 1.0 / std::hypot(1.0, tangent), g = 9.81;
  const bool points = geometry == "points";
  const double area = size * size / 0.01, softness = block.softness;
  const double stiffness = (points ? 1e5 * mass : 1e8 * mass / area) / softness;
  const double depth = (points ? 2.5e-5 : 1e-5) * softness;
  const std::string parameters =
      fmt::format(fmt::runtime(law.parameters), 0, mass * g / 4, 1e5 * mass, 200 * mass);
  return host::ParseScene(
      fmt::format("schema: intervox/scene/2\nname: slope\n"
                  "gravity: [{:.17g}, 0, {:.17g}]\nduration: {}\nintegrator: {{step: 2.0e-3}}\n"
                  "contact_models:\n  default:\n    geometry: {}\n"
                  "    normal: {{model: gonthier, stiffness: {}{}, restitution: {}{}}}\n"
                  "    friction: {{model: {}, {}}}\n"
                  "bodies:\n"
                  "  floor: {{shape: {}, fixed: true}}\n"
                  "  part: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: {}, "
                  "pose: {{position: [0, 0, {:.17g}]}}}}\n",
                  g * cosine * tangent, -g * cosine, duration, geometry, stiffness,
                  points ? ", exponent: 1" : "", block.e,
                  block.v_small > 0.0 ? fmt::format(", v_small: {}", block.v_small) : "", law.name,
                  parameters, floor, size, size, 0.4 * size, mass,
                  0.2 * size - depth + block.above),
      "slope.yaml", {});
}

/** It in motion. */
Simulation OnSlope(const Sticking& law, const std::string& geometry, const std::string& floor,
                   const Block& block, double duration) {
  return Simulation(SlopeScene(law, geometry, floor, block, duration));
}

TEST(Slope, WhatSticksStaysFromTheFifthToTheTenthSecond) {
  const double masses[] = {1.0, 0.01, 100.0};
  int k = 0;
  for (const Sticking& law : Laws()) {
    for (const std::string geometry : {"points", "volumes"}) {
      const double mass = masses[k++ % 3];
      Simulation simulation = OnSlope(law, geometry, kHalfSpace, {mass}, 10);
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

/** The pose at 5 s and at the end, and the mean place of the contacts at 5 s. */
struct Stay {
  Pose before, after;
  Vec3 p_contact;

  explicit Stay(Simulation simulation) {
    while (!simulation.Done()) {
      simulation.Step();
      if (std::fabs(simulation.Time() - 5.0) > 1e-6) continue;
      before = simulation.State()[1].X_WB;
      const auto contacts = simulation.Contacts();
      for (const auto& contact : contacts) {
        p_contact += (1.0 / static_cast<double>(contacts.size())) * contact.geometry.p_WC;
      }
    }
    after = simulation.State()[1].X_WB;
  }
};

// At rest nothing moves, whatever the size, mass and stiffness: v_small such that it is at rest by
// 5 s.
TEST(Slope, WhatHasSettledStaysAtAnySizeMassAndStiffness) {
  std::mt19937 random(14);
  const auto within = [&](double a, double b) {
    return a * std::pow(b / a, std::uniform_real_distribution<double>()(random));
  };
  for (const Sticking& law : Laws()) {
    for (const std::string geometry : {"points", "volumes"}) {
      for (const double softness : {0.01, 1.0, 100.0}) {
        const double size = within(0.03, 1.0), mass = within(0.01, 100.0);
        const Block block{mass, size, softness * size, 5e-3 * softness * size + 1e-3};
        const Stay stay(OnSlope(law, geometry, kHalfSpace, block, 10));
        const std::string name = fmt::format("{} in {}, {:.3g} m, {:.3g} kg, softness {}", law.name,
                                             geometry, size, mass, softness);
        EXPECT_LT(Norm(stay.after.p - stay.before.p), 1e-9) << name;
        EXPECT_LT(Norm((stay.after.R - stay.before.R) * Vec3{size, size, size}), 1e-9) << name;
      }
    }
  }
}

// By default a body is at rest soon, too, however gently it was put down: where it touches, where
// its weight is carried, where it drops a little, where `settle` has found it.
TEST(Slope, WhatIsPutDownGentlyStaysByDefault) {
  int k = 0;
  for (const Sticking& law : Laws()) {
    for (const std::string geometry : {"points", "volumes"}) {
      const double softness = geometry == "points" ? 4.0 : 10.0, e[] = {0.05, 0.3, 0.5};
      const double depth = softness * (geometry == "points" ? 2.5e-5 : 1e-5);
      for (const double above : {0.0, depth, depth + 1e-6}) {
        const Block block{10.0, 0.1, softness, 0.0, above, e[k++ % 3]};
        Scene scene = SlopeScene(law, geometry, kHalfSpace, block, 10);
        const std::string name =
            fmt::format("{} in {}, e {}, {} m up", law.name, geometry, block.e, block.above);
        const auto stays = [&](const std::string& start) {
          const Stay stay{Simulation(scene)};
          EXPECT_LT(Norm(stay.after.p - stay.before.p), 1e-9) << name << start;
          EXPECT_LT(Norm((stay.after.R - stay.before.R) * Vec3{0.1, 0.1, 0.1}), 1e-9)
              << name << start;
        };
        stays("");
        if (above != depth) continue;
        scene.bodies[1].X_WB = host::Settle(scene).bodies[0].state.X_WB;
        stays(", settled");
      }
    }
  }
}

// Whatever rocks, swings or was dropped is at rest, however soft the ground: boxes and cylinders,
// on their ends and lying downhill, that touch, drop, or lie where their weight is carried.
TEST(Slope, WhatRocksAndSwingsOnSoftGroundComesToRest) {
  std::mt19937 random(3);
  const auto within = [&](double a, double b) {
    return a * std::pow(b / a, std::uniform_real_distribution<double>()(random));
  };
  const std::string shapes[] = {"box: {{size: [{0}, {1}, {1}]}}",
                                "cylinder: {{radius: {2}, height: {1}}}",
                                "cylinder: {{radius: {2}, height: {0}}}"};
  for (int k = 0; k < 12; ++k) {
    const double size = within(0.03, 1.0), mass = within(0.01, 100.0), share = within(1e-4, 4e-3);
    const double width = 0.6 * size, depth = share * size, g = 9.81, tangent = 0.2;
    const bool lies = k % 3 == 2;
    const double area = k % 3 == 0   ? size * width
                        : k % 3 == 1 ? 0.25 * M_PI * width * width
                                     : 4.0 / 3 * std::sqrt(width * depth) * size;
    const double start[] = {-depth, 0.0, depth}, e[] = {0.05, 0.5, 0.9};
    const Sticking& law = Laws()[static_cast<std::size_t>(k) % Laws().size()];
    const std::string shape = fmt::format(fmt::runtime(shapes[k % 3]), size, width, 0.5 * width);
    const std::string text = fmt::format(
        "schema: intervox/scene/2\ngravity: [{:.17g}, 0, -{}]\nduration: 10\n"
        "integrator: {{step: 1.0e-3}}\ncontact_models: {{default: {{normal: {{model: gonthier, "
        "stiffness: {}, restitution: {}}}, friction: {{model: {}, {}}}}}}}\nbodies:\n"
        "  floor: {{shape: {}, fixed: true}}\n  part: {{shape: {{{}}}, mass: {}, pose: {{position: "
        "[0, 0, {:.17g}], rpy_deg: [0, {}, {}]}}}}\n",
        g * tangent, g, mass * g / (area * depth), e[k / 2 % 3], law.name,
        fmt::format(fmt::runtime(law.parameters), 0, mass * g, 1e4 * mass, 60 * mass), kHalfSpace,
        shape, mass, 0.5 * width + start[k / 4], lies ? 90 : 0, lies ? 0 : 17 * k);
    const Stay stay{Simulation(host::ParseScene(text, "slope.yaml", {}))};
    EXPECT_LT(stay.before.p.x, 0.05 * size) << text;
    EXPECT_LT(Norm(stay.after.p - stay.before.p), 1e-9) << text;
    EXPECT_LT(Norm((stay.after.R - stay.before.R) * Vec3{size, size, size}), 1e-9) << text;
  }
}

// With the thesis' damping a soft contact settles slowly, and the block leans as it does. Where it
// touches it sticks all the same.
TEST(Slope, WhatStillSettlesSticksWhereItTouches) {
  for (const Sticking& law : Laws()) {
    for (const std::string geometry : {"points", "volumes"}) {
      const Block block{10.0, 0.1, geometry == "points" ? 4.0 : 10.0, 1e-4};
      const Stay stay(OnSlope(law, geometry, kHalfSpace, block, 10));
      const Vec3 p_B = TransposeTimes(stay.before.R, stay.p_contact - stay.before.p);
      const Vec3 moved = stay.after.R * p_B + stay.after.p - stay.p_contact;
      const std::string name = law.name + " in " + geometry;
      EXPECT_GT(std::fabs(moved.z), 1e-9) << name;  // it settles
      EXPECT_LT(std::hypot(moved.x, moved.y), 1e-9) << name;
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
    Simulation whole = OnSlope(law, "volumes", kHalfSpace, {}, 1);
    Simulation cut = OnSlope(law, "volumes", "{union: [" + tiles + "]}", {}, 1);
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
