// Passive contacts: overlaps that wrap around a part give back no more than was put into them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "host/simulation.h"
#include "tests/geometry/random_shapes.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

/** A part that falls into a soft groove, which wraps around its edge. All scale with the lengths,
 so that depths keep their share of them: times with √size. */
struct Fall {
  double size = 1.0, mass = 1.0, softness = 1.0, restitution = 1.0, step = 1e-3, duration = 1.0;
  std::string shape = "{box: {size: [0.1, 0.06, 0.08]}}";
  Vec3 turn{10, 25, 5};  // [°]
};

std::string Number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

Simulation Of(const Fall& f, bool passive) {
  const double k = 2e5 * f.mass / (f.softness * f.size * f.size * f.size);
  return testing::FromText(
      "duration: " + Number(f.duration * std::sqrt(f.size)) +
          "\nintegrator: {step: " + Number(f.step * std::sqrt(f.size)) +
          "}\ncontact_models:\n  default: {normal: {model: gonthier, stiffness: " + Number(k) +
          ", restitution: " + Number(f.restitution) + ", passive: " + (passive ? "1" : "0") +
          "}}\nbodies:\n  groove:\n    fixed: true\n    shape: {union: [{half_space: {normal: "
          "[0.74, 0, 0.6726], offset: 0}}, {half_space: {normal: [-0.74, 0, 0.6726], offset: "
          "0}}]}\n  part: {shape: {scale: " +
          Number(f.size) + ", " + f.shape.substr(1) + ", mass: " + Number(f.mass) +
          ", pose: {position: [0, 0, " + Number(0.12 * f.size) + "], rpy_deg: [" +
          Number(f.turn.x) + ", " + Number(f.turn.y) + ", " + Number(f.turn.z) + "]}}\n",
      2);
}

/** Largest rise of kinetic energy and gravity's above their start over m g L, L = 0.1 size.
 @param swallowed  whether one cell ever holds another whole, which leaves no area vector */
double LargestGain(const Fall& fall, bool passive, std::int64_t* bounded = nullptr,
                   bool* swallowed = nullptr) {
  Simulation simulation = Of(fall, passive);
  const double scale = fall.mass * 9.81 * 0.1 * fall.size;
  double most = 0.0;
  while (!simulation.Done()) {
    simulation.Step();
    const EnergyAudit e = simulation.Energy();
    most = std::max(most, (e.kinetic + e.gravity) / scale);
    if (swallowed == nullptr) continue;
    for (const ContactReport& c : simulation.Contacts()) {
      *swallowed = *swallowed || (c.geometry.V > 0.0 && !(Norm(c.geometry.S) > 0.0));
    }
  }
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  EXPECT_EQ(simulation.Counters().arrests, 0);
  if (bounded != nullptr) *bounded = simulation.Counters().bounded_contacts;
  return most;
}

// The law by itself gives a seventh of what goes through; bounded, nothing.
TEST(Passivity, AWrappedPartGainsNothing) {
  for (const double step : {1e-3, 250e-6, 50e-6}) {
    Fall fall;
    fall.step = step;
    std::int64_t bounded = 0;
    EXPECT_GT(LargestGain(fall, false, &bounded), 0.05) << step;
    EXPECT_EQ(bounded, 0);
    EXPECT_LT(LargestGain(fall, true, &bounded), 2e-3) << step;
    EXPECT_GT(bounded, 0);
  }
}

// What elastic forces did sums up what the law gave and its bounds took, and is no energy in store:
// it falls below zero, and what the bounds took counts as dissipated by damping.
TEST(Passivity, WhatIsStoredIsAFunctionOfTheState) {
  for (const double scale : {0.01, 1.0, 100.0}) {
    Fall fall;
    fall.size = fall.mass = scale;
    Simulation simulation = Of(fall, true);
    const double weight = fall.mass * 9.81 * 0.1 * fall.size;
    double least = 0, most_bound = 0;
    int free = 0;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit e = simulation.Energy();
      least = std::min(least, e.elastic / weight);
      most_bound = std::max(most_bound, e.bound_loss / weight);
      ASSERT_GT(e.Stored(), -1e-12 * weight);
      EXPECT_LE(e.bound_loss, e.dissipated_normal + 1e-12 * weight);
      if (!simulation.Contacts().empty()) continue;
      ++free;
      EXPECT_NEAR(e.Stored(), 0, 1e-12 * weight);
    }
    EXPECT_LT(least, -0.01) << scale;
    EXPECT_GT(most_bound, 0.02) << scale;
    EXPECT_GT(free, 10);
  }
}

// At any size, mass and softness, for parts of every kind, whatever the law gives by itself.
TEST(Passivity, RandomPartsGainNothing) {
  const std::string shapes[] = {"{box: {size: [0.1, 0.06, 0.08]}}",
                                "{cylinder: {radius: 0.04, height: 0.09}}",
                                "{cone: {radius_bottom: 0.05, radius_top: 0.01, height: 0.08}}"};
  geometry::Random random(11);
  std::int64_t all = 0;
  for (int trial = 0; trial < 15; ++trial) {
    Fall fall;
    fall.size = std::pow(100.0, random.Uniform(-1, 1));
    fall.mass = std::pow(100.0, random.Uniform(-1, 1));
    fall.softness = std::pow(10.0, random.Uniform(-1, 0));
    fall.step = random.Uniform(0, 1) < 0.5 ? 1e-3 : 250e-6;
    fall.shape = shapes[trial % 3];
    fall.turn = {random.Uniform(-180, 180), random.Uniform(-180, 180), random.Uniform(-180, 180)};
    std::int64_t bounded = 0;
    EXPECT_LT(LargestGain(fall, true, &bounded), 0.01)
        << trial << ": size " << fall.size << ", mass " << fall.mass << ", softness "
        << fall.softness << ", step " << fall.step << ", " << fall.shape;
    all += bounded;
  }
  EXPECT_GT(all, 0);  // so that there was something to bound
}

// A part that a cell swallows whole has no area vector left, and holds its energy all the same.
TEST(Passivity, ASwallowedPartHoldsItsEnergy) {
  Fall cone{8.858187, 4.898250, 2.851717, 1.0, 250e-6, 1.0};
  cone.shape = "{cone: {radius_bottom: 0.05, radius_top: 0.01, height: 0.08}}";
  cone.turn = {100.117152, -170.946266, 151.660344};
  bool swallowed = false;
  EXPECT_LT(LargestGain(cone, true, nullptr, &swallowed), 0.01);
  EXPECT_TRUE(swallowed);
}

// So soft that the walls swallow them, one wall from the side of the other too.
TEST(Passivity, RandomPartsThatAreSwallowedGainNothing) {
  const std::string shapes[] = {
      "{cylinder: {radius: 0.04, height: 0.09}}",
      "{union: [{sphere: {radius: 0.02}, pose: {position: [0, 0, 0.04]}}, {sphere: {radius: 0.02}, "
      "pose: {position: [0, 0, -0.04]}}, {cylinder: {radius: 0.01, height: 0.08}}]}",
      "{capsule: {radius: 0.02, length: 0.06}}"};
  geometry::Random random(3);
  int swallowed = 0;
  for (int trial = 0; trial < 30; ++trial) {
    Fall fall;
    fall.size = std::pow(100.0, random.Uniform(-1, 1));
    fall.mass = std::pow(100.0, random.Uniform(-1, 1));
    fall.softness = std::pow(10.0, random.Uniform(0, 2));
    fall.restitution = random.Uniform(0.5, 1);
    fall.step = random.Uniform(0, 1) < 0.5 ? 1e-3 : 250e-6;
    fall.duration = 0.6;
    fall.shape = shapes[trial % 3];
    fall.turn = {random.Uniform(-180, 180), random.Uniform(-180, 180), random.Uniform(-180, 180)};
    bool is_swallowed = false;
    EXPECT_LT(LargestGain(fall, true, nullptr, &is_swallowed), 0.01)
        << trial << ": size " << fall.size << ", mass " << fall.mass << ", softness "
        << fall.softness << ", step " << fall.step << ", " << fall.shape;
    swallowed += is_swallowed ? 1 : 0;
  }
  EXPECT_GT(swallowed, 10);
}

// Stronge's patch on a floor: what parting gives back is a small share of what pressing took, so a
// spring as deep as its overlap tells nothing of the speed that it could give.
TEST(Passivity, AWedgeAndABallThatCrushGainNothing) {
  for (const std::string e : {"0.05", "{speeds: [0.3, 0.31, 2], values: [1, 0.05, 0.9]}"}) {
    Simulation simulation = testing::FromText(R"(
duration: 1.0
integrator: {step: 2.5e-4}
contact_models:
  default:
    normal: {model: stronge, stiffness: 1293018687.3475883, restitution: )" +
                                                  e +
                                                  R"(}
    friction: {model: coulomb, mu: 0.3}
bodies:
  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}
  body:
    shape:
      union:
        - sphere: {radius: 0.044290297366027964}
          pose: {position: [-0.03644567832802297, 0.020512318195322607, -0.01877406936339461]}
        - box: {size: [0.044673206659970204, 0.08977531399475494, 0.09006885795865024]}
          pose: {position: [-0.01927357126362088, 0.05067428153919113, 0.02323594390320686]}
    mass: 2.0638900775079985
    inertia: [0.005566092312232719, 0.005566092312232719, 0.005566092312232719]
    center_of_mass: [0, 0, 0]
    pose:
      position: [0, 0, 0.17418396890301646]
      rpy_deg: [18.480248748817345, 47.67320619714896, 313.82115284039617]
    velocity:
      linear: [0, 0, -0.18499806023784024]
      angular: [2.945901524592718, -2.620034570654804, 1.1306444578020942]
)",
                                              2);
    std::vector<double> motion;
    double risen = 0.0;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit now = simulation.Energy();
      motion.push_back(now.kinetic + now.gravity);
      // After the two hard impacts nothing is stored that could come back.
      const std::size_t n = motion.size();
      if (simulation.Time() > 0.4) risen = std::fmax(risen, motion[n - 1] - motion[n - 13]);
    }
    const double fallen = -simulation.Energy().gravity;
    EXPECT_LT(risen, 0.005 * fallen) << e;
    EXPECT_LT(simulation.Energy().law_gain, 1e-3 * fallen) << e;
    EXPECT_GT(simulation.Energy().law_gain, -0.01 * fallen) << e;  // what the law takes
    EXPECT_GT(simulation.Energy().dissipated_numerical, 0.0) << e;
  }
}

/** A part of two or three cells that falls on a floor, is crushed there and comes to lie. */
struct Crushed {
  std::string law;
  double step, stiffness, mass, inertia, height, speed;
  std::string cells, turn, spin;
};

const Crushed kCrushed[] = {
    {"{model: stronge, restitution: 0.3, ", 1e-3, 3243905666.2996645, 2719.9807156130482,
     102.89009414610415, 0.6523491953850822, 0.7563461646867675,
     "{box: {size: [0.28396439943166424, 0.3476462541138929, 0.30581775285152324]}, pose: "
     "{position: [-0.12252501485393136, -0.1446781673173859, -0.14378918926234055]}}, {sphere: "
     "{radius: 0.18105240191944588}, pose: {position: [-0.09421159636761936, 0.18360576921454072, "
     "-0.21192143989255696]}}",
     "[266.09384495226635, 159.91462830801999, 109.65635284716784]",
     "[2.718187361737902, -2.489289625559895, 1.5633356833715117]"},
    {"{model: stronge, restitution: 0.3, ", 2.5e-4, 1293018687.3475883, 2.0638900775079985,
     0.005566092312232719, 0.17418396890301646, 0.19334260189743216,
     "{sphere: {radius: 0.044290297366027964}, pose: {position: [-0.03644567832802297, "
     "0.020512318195322607, -0.01877406936339461]}}, {box: {size: [0.044673206659970204, "
     "0.08977531399475494, 0.09006885795865024]}, pose: {position: [-0.01927357126362088, "
     "0.05067428153919113, 0.02323594390320686]}}",
     "[39.94111007208528, 182.25685860083362, 332.5787231084264]",
     "[0.5425707428154753, 1.6452568034130666, -0.6980109308841111]"},
    {"{model: stronge, restitution: 0.3, ", 2.5e-4, 429061331.1130662, 0.0014964447156411275,
     6.795648048751574e-08, 0.022602754185350737, 0.36993394644744043,
     "{sphere: {radius: 0.004481615539292032}, pose: {position: [0.0029888973175078745, "
     "-0.0039510373504475, -0.007167761429355067]}}, {box: {size: [0.008052389049701795, "
     "0.009050235225324147, 0.008607200931618396]}, pose: {position: [-0.002556505615217372, "
     "-0.006674405356707355, 0.0028715637691352804]}}, {box: {size: [0.00604974043380002, "
     "0.006689134713819149, 0.011490395529539583]}, pose: {position: [0.0042423086959665545, "
     "0.0003715964457215868, -0.00021895316861829595]}}",
     "[351.9884442475975, 40.293143555249145, 57.43527470520563]",
     "[-2.8794024542843486, -2.704006481685862, -2.7704004695019373]"},
    {"{model: chatterjee, restitution: 0.95, ", 2.5e-4, 3419559920.269096, 0.294723316200633,
     2.4463580099594706e-05, 0.030558288061794205, 4.0453880053836135,
     "{box: {size: [0.014145669400713066, 0.007067720375694854, 0.006400407730153647]}, pose: "
     "{position: [-0.00498978084447377, -9.299728241431407e-05, -0.0010289777279201605]}}, "
     "{sphere: {radius: 0.006796492443231399}, pose: {position: [0.006840271177787763, "
     "-0.001369682204130952, 0.005343220208413953]}}",
     "[11.012393892079274, 9.160509957645889, 194.90849020565878]",
     "[2.634894976671063, -0.7127745738707256, -1.7004036172163197]"}};

Simulation Of(const Crushed& part) {
  return testing::FromText(
      "duration: 1\nintegrator: {step: " + Number(part.step) +
          "}\ncontact_models:\n  default: {normal: " + part.law +
          "stiffness: " + Number(part.stiffness) +
          "}, friction: {model: coulomb, mu: 0.3}}\nbodies:\n  floor: {shape: {half_space: "
          "{normal: [0, 0, 1], offset: 0}}, fixed: true}\n  part: {shape: {union: [" +
          part.cells + "]}, mass: " + Number(part.mass) + ", inertia: [" + Number(part.inertia) +
          ", " + Number(part.inertia) + ", " + Number(part.inertia) +
          "], center_of_mass: [0, 0, 0], pose: {position: [0, 0, " + Number(part.height) +
          "], rpy_deg: " + part.turn + "}, velocity: {linear: [0, 0, -" + Number(part.speed) +
          "], angular: " + part.spin + "}}\n",
      2);
}

// As such a part rocks its overlap grows, which nobody pays for: full steps, whose stages are not
// believed, took the growth for stored and gave it back.
TEST(Passivity, AnOverlapThatGrowsUnpaidStoresNothing) {
  for (const Crushed& part : kCrushed) {
    Simulation simulation = Of(part);
    const double start =
        part.mass * (9.81 * part.height / 1.5 + 0.5 * part.speed * part.speed);  // m g L + ½ m v²
    double most = 0.0, least = HUGE_VAL, risen = 0.0;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit now = simulation.Energy();
      most = std::fmax(most, now.law_gain);
      const double all = now.kinetic + now.gravity + now.Stored();
      least = std::fmin(least, all);
      if (simulation.Time() > 0.5) risen = std::fmax(risen, all - least);
    }
    EXPECT_LT(most, 3e-4 * start) << part.mass;
    EXPECT_LT(risen, 1.5e-3 * start) << part.mass;
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
    // Nor is what was not paid an error that shorter substeps could mend.
    EXPECT_LT(simulation.Counters().redone_substeps, 20000) << part.mass;
  }
}

// What rests is borne by the law's own force, whatever its account: depth and load are the same.
TEST(Passivity, RestsAsDeepAsTheLawSays) {
  Fall fall;
  fall.restitution = 0.1;
  fall.duration = 3;
  fall.shape = "{sphere: {radius: 0.05}}";
  Simulation bounded = Of(fall, true), free = Of(fall, false);
  while (!bounded.Done()) bounded.Step();
  while (!free.Done()) free.Step();
  const auto load = [](const Simulation& s) { return s.State()[1].contact_force.z; };
  EXPECT_NEAR(load(bounded), 9.81, 1e-5);
  EXPECT_NEAR(load(free), 9.81, 1e-5);
  EXPECT_NEAR(bounded.State()[1].X_WB.p.z, free.State()[1].X_WB.p.z, 1e-8);
}

// A single impact of a part whose overlap is the gradient of a potential is not touched: same bits.
TEST(Passivity, AFlatFaceKeepsItsBits) {
  const auto text = [](const std::string& passive) {
    return "duration: 0.4\ncontact_models:\n  default: {normal: {model: gonthier, stiffness: 1e8, "
           "restitution: 0.8, passive: " +
           passive +
           "}}\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: "
           "true}\n  ball: {shape: {sphere: {radius: 0.05}}, mass: 1, pose: {position: [0, 0, "
           "0.1]}}\n";
  };
  Simulation with = testing::FromText(text("1"), 2), without = testing::FromText(text("0"), 2);
  while (!with.Done()) {
    with.Step();
    without.Step();
    ASSERT_EQ(with.State()[1].X_WB.p.z, without.State()[1].X_WB.p.z) << with.Time();
  }
  EXPECT_EQ(with.Counters().bounded_contacts, 0);
}

// What a user places into an overlap gives back what its overlap tells of, and no more.
TEST(Passivity, APlacedPartHoldsWhatItsOverlapSays) {
  Fall fall;
  Simulation placed = Of(fall, true);
  for (int k = 0; k < 100; ++k) placed.Step();
  const BodyState before = placed.State()[1];
  Pose X_WB = before.X_WB;
  X_WB.p = {0, 0, 0.05};
  placed.SetState(1, X_WB, {}, {});
  const EnergyAudit start = placed.Energy();
  const double stored = start.elastic;
  ASSERT_GT(stored, 0.05);
  double most = 0.0;
  for (int k = 0; k < 400; ++k) {
    placed.Step();
    const EnergyAudit e = placed.Energy();
    most = std::max(most, e.kinetic + e.gravity - start.kinetic - start.gravity);
  }
  EXPECT_GT(most, 0.3 * stored);
  EXPECT_LT(most, 1.25 * stored);  // U is right to a fifth
}

// Versions of the schema: files of version 1 keep the law as it is.
TEST(Passivity, FilesOfVersionOneKeepTheLaw) {
  const std::string scene =
      "contact_models:\n  default: {normal: {model: gonthier, stiffness: 1e8, restitution: 0.8}}\n"
      "bodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n";
  const auto given = [&](int version) {
    return testing::FromText(scene, version)
        .GetScene()
        .contact_models.at("default")
        .normal.parameters.count("passive");
  };
  EXPECT_EQ(given(1), 1u);
  EXPECT_EQ(given(2), 0u);
}

}  // namespace
}  // namespace intervox
