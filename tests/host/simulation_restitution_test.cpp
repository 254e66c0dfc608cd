// Impacts whose restitution follows the speed, in scenes as users write them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "host/input/error.h"
#include "host/scene/scene.h"
#include "host/world/world.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

struct Outcome {
  double speed = 0.0;  // after over before
  EnergyAudit energy;
};

/** One blow of a ball that touches in a point, or of a box on its face. */
Outcome Strike(const std::string& law, const std::string& restitution, bool points, double speed,
               double k = 1e6) {
  constexpr double mass = 0.5, steps = 1000;
  const double step = std::numbers::pi / std::sqrt(k / mass) / steps;
  const double gap = 3.37 * step * speed;
  const bool conserving = law == "conserving";
  const std::string stiffness =
      conserving ? fmt::format("coefficient: {:.17g}, exponent: 2", k / 0.04 / 0.08)
                 : fmt::format("stiffness: {:.17g}", points ? k : k / 0.04);
  const bool bilinear = law == "stronge" || law == "chatterjee";
  Simulation simulation = testing::FromText(
      fmt::format(
          "gravity: [0, 0, 0]\nduration: {:.17g}\nintegrator: {{step: {:.17g}}}\n"
          "contact_models:\n  default: {{geometry: {}, normal: {{model: {}, {}{}{}, "
          "restitution: {}}}}}\nbodies:\n"
          "  floor: {{shape: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}, fixed: true}}\n"
          "  body: {{shape: {}, mass: {:.17g}, pose: {{position: [0, 0, {:.17g}]}}, velocity: "
          "{{linear: [0, 0, {:.17g}]}}}}\n",
          4e4 * step, step, points ? "points" : "volumes", law, stiffness,
          points && !bilinear ? ", exponent: 1" : "", bilinear ? "" : ", v_small: 1e-9",
          restitution, points ? "{sphere: {radius: 0.1}}" : "{box: {size: [0.2, 0.2, 0.2]}}", mass,
          0.1 + gap, -speed),
      2);
  testing::RunThroughContact(&simulation);
  EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  return {simulation.State()[1].v_WB.z / speed, simulation.Energy()};
}

/** A law of e over the speed, as a scene has it and as a formula. */
struct Form {
  std::string text;
  std::function<double(double)> e;
};

const std::vector<Form>& Forms() {
  static const std::vector<Form> forms = {
      {"{speeds: [0.01, 0.1, 1, 10], values: [0.9, 0.8, 0.5, 0.3]}",
       // Where it goes through its points, and beyond them.
       [](double v) {
         return v < 0.03 ? 0.9 : v < 0.3 ? 0.8 : v < 3 ? 0.5 : 0.3;
       }},
      {"{speeds: [0.001, 100], values: [0.3, 0.9]}",
       [](double v) { return 0.3 + 0.6 * (v - 0.001) / 99.999; }},
      {"{speed: 0.02}", [](double v) { return std::fmin(1.0, std::pow(0.02 / v, 0.25)); }},
      {"{speed: 1, value: 0.6, power: 0.1, most: 0.85}",
       [](double v) { return std::fmin(0.85, 0.6 * std::pow(v, -0.1)); }},
      {"{loss: 0.3, exponent: 0.2}", [](double v) { return 1 - 0.3 * std::pow(v, 0.2); }},
      {"{loss: 0.05}", [](double v) { return 1 - 0.05 * v; }}};
  return forms;
}

// Four decades of speed; books that close, and what is lost is 1 − e² of it.
TEST(RestitutionInScenes, AnImpactReturnsTheEOfItsSpeed) {
  for (const std::string law : {"gonthier", "stronge", "chatterjee", "conserving"}) {
    for (const bool points : {true, false}) {
      if (points && law == "conserving") continue;
      for (const Form& form : Forms()) {
        for (const double speed : {0.001, 0.01, 0.1, 1.0, 10.0}) {
          const Outcome out = Strike(law, form.text, points, speed);
          const double e = form.e(speed), start = 0.25 * speed * speed;
          const std::string what = fmt::format("{} {} {} {}", law, points, form.text, speed);
          EXPECT_NEAR(out.speed, e, 1e-3 * e) << what;
          EXPECT_NEAR(out.energy.dissipated_normal / start, 1 - e * e, 2e-3) << what;
          EXPECT_NEAR(out.energy.kinetic / start, e * e, 2e-3) << what;
          EXPECT_LT(std::fabs(out.energy.balance) / start, 1e-3) << what;
        }
      }
    }
  }
}

// Laws whose damping is not exact return what they return of a constant e that is as large.
TEST(RestitutionInScenes, InexactLawsReturnWhatTheyDoOfAConstant) {
  for (const std::string law : {"hunt_crossley", "marhefka_orin", "lankarani_nikravesh"}) {
    for (const Form& form : Forms()) {
      double e_before = -1.0;
      for (const double speed : {0.01, 1.0}) {
        const std::string constant = fmt::format("{:.17g}", form.e(speed));
        EXPECT_NEAR(Strike(law, form.text, true, speed).speed,
                    Strike(law, constant, true, speed).speed, 1e-5)
            << law << form.text << speed;
        EXPECT_NE(form.e(speed), e_before);
        e_before = form.e(speed);
      }
    }
  }
}

// A stiffness a hundredth and a hundred times leaves e alone.
TEST(RestitutionInScenes, TheStiffnessDoesNotCount) {
  for (const std::string law : {"gonthier", "stronge"}) {
    for (const double k : {1e4, 1e8}) {
      EXPECT_NEAR(Strike(law, "{speed: 0.02}", true, 0.32, k).speed, 0.5, 5e-4) << law << k;
      EXPECT_NEAR(Strike(law, "{speed: 0.02}", false, 0.32, k).speed, 0.5, 5e-4) << law << k;
    }
  }
}

// Each bounce has the e of its own speed, not that of the one before.
TEST(RestitutionInScenes, ABallThatBouncesTakesEachSpeedsE) {
  Simulation simulation = testing::FromText(
      "gravity: [0, 0, -10]\nduration: 1.1\nintegrator: {step: 5e-6}\n"
      "contact_models: {default: {geometry: points, normal: {model: gonthier, stiffness: 1e10, "
      "restitution: {speed: 0.5, power: 0.5}}}}\nbodies:\n"
      "  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}\n"
      "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.5, pose: {position: [0, 0, 0.5]}}\n",
      2);
  std::vector<double> tops;
  double before = 0.0;
  while (!simulation.Done()) {
    simulation.Step();
    const double v = simulation.State()[1].v_WB.z;
    if (before > 0.0 && v <= 0.0 && simulation.Contacts().empty()) {
      tops.push_back(simulation.State()[1].X_WB.p.z - 0.1);
    }
    before = v;
  }
  ASSERT_GE(tops.size(), 2U);
  double height = 0.4;
  for (const double top : tops) {
    const double v = std::sqrt(20 * height), e = std::fmin(1.0, std::sqrt(0.5 / v));
    EXPECT_NEAR(std::sqrt(top / height), e, 1.5e-3 * e) << v;  // gravity while in contact
    height = top;
  }
}

std::string MessageOf(const std::string& normal, const std::string& materials = "") {
  try {
    host::MakeWorld(host::ParseScene(
        "schema: intervox/scene/2\nmaterials:\n  steel: {density: 7800" + materials +
            "}\ncontact_models:\n  default:\n    normal: " + normal +
            "\nbodies:\n  floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: "
            "true}\n  ball: {shape: {sphere: {radius: 0.1}}, material: steel}\n",
        "s.yaml", {}));
  } catch (const host::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(RestitutionInScenes, BadOnesAreRefusedWithLineKeyAndRemedy) {
  const auto of = [](const std::string& restitution, const std::string& law = "gonthier") {
    return MessageOf("{model: " + law + ", stiffness: 1e8, restitution: " + restitution + "}");
  };
  struct Case {
    std::string restitution;
    std::vector<std::string> words;
  };
  const std::string at = "s.yaml:6: contact_models.default.normal.restitution";
  const std::vector<Case> cases = {
      {"1.5", {at + ": ", "'1.5' is out of range", "from 0.01 to 1"}},
      {"{speeds: [0, 1], values: [0.9, 1.5]}", {at + ".values[1]: ", "'1.5'", "from 0.01 to 1"}},
      {"{speeds: [0, 1], values: [0.9, 0]}", {at + ".values[1]: ", "'0'", "from 0.01 to 1"}},
      {"{speeds: [0, 1], values: [0.9, .nan]}", {at + ".values[1]: ", "'.nan' is not finite"}},
      {"{speeds: [0, fast], values: [0.9, 0.5]}", {at + ".speeds[1]: ", "expected a number"}},
      {"{speeds: [0, 1e7], values: [0.9, 0.5]}", {at + ".speeds[1]: ", "at most 1e+06", "[m/s]"}},
      {"{speeds: [1], values: [0.9]}", {at + ".speeds: ", "at least 2 numbers"}},
      {"{speeds: 1, values: [0.9]}", {at + ".speeds: ", "a list of numbers"}},
      {"{speeds: [0, 1, 2], values: [0.9, 0.5]}",
       {at + ".values: 2 numbers for 3 speeds. Give one e for each speed. It is the model of "
             "bodies floor and ball."}},
      {"{speeds: [0, 1, 0.5], values: [0.9, 0.5, 0.4]}",
       {at + ".speeds[2]: 0.5 is not above the speed before it, 1, by 1e-12 m/s or more. Sort"}},
      {"{values: [0.9, 0.5]}", {at + ": none of speeds, speed, loss is given"}},
      {"{speeds: [0, 1], speed: 3}", {at + ".speed: ", "only one of speeds, speed, loss may"}},
      {"{speeds: [0, 1]}", {at + ".values: is missing"}},
      {"{speed: 0}", {at + ".speed: ", "'0' is out of range", "from 1e-12 to 1e+06", "[m/s]"}},
      {"{speed: 1, exponent: 2}", {at + ".exponent: stands beside speed"}},
      {"{speed: 1, pover: 2}", {at + ".pover: unknown key", "'power'"}},
      {"[0.9, 0.5]", {at + ": expected a number, found a list"}},
  };
  for (const Case& c : cases) {
    const std::string message = of(c.restitution);
    for (const std::string& word : c.words) {
      EXPECT_NE(message.find(word), std::string::npos) << c.restitution << "\n" << message;
    }
  }
  EXPECT_EQ(of("{speeds: [0, 1], values: [0.9, 0.5]}"), "accepted");
  EXPECT_EQ(MessageOf("{model: linear, stiffness: 1e8, restitution: {speed: 1}}"),
            at + ": the model \"linear\" has a constant damping, from which e follows. Give "
                 "damping instead, or use gonthier, which returns the e that it is given. It is "
                 "the model of bodies floor and ball.");
  // In several lines each number has its own.
  const std::string lines = MessageOf(
      "\n      model: gonthier\n      stiffness: 1e8\n      restitution:\n        speeds:\n"
      "          - 0\n          - 2\n          - 1\n        values: [1, 0.5, 0.3]");
  EXPECT_EQ(lines.find("s.yaml:13: contact_models.default.normal.restitution.speeds[2]"), 0U)
      << lines;
}

TEST(RestitutionInScenes, AMaterialsDissipationIsReadAndRefusedWithItsUnit) {
  const std::string law = "{model: hunt_crossley, stiffness: 1e8}";
  EXPECT_EQ(MessageOf(law, ", dissipation: 0.2"), "accepted");
  EXPECT_NE(MessageOf(law).find("normal.restitution: is missing"), std::string::npos);
  for (const std::string bad : {"-0.1", "1e31", ".nan", "much"}) {
    const std::string message = MessageOf(law, ", dissipation: " + bad);
    EXPECT_EQ(message.find("s.yaml:3: materials.steel.dissipation: "), 0U) << message;
    EXPECT_NE(message.find(bad), std::string::npos) << message;
  }
  const std::string below = MessageOf(law, ", dissipation: -0.1");
  EXPECT_NE(below.find("Write a number of 0 or more: α of e = 1 - α v [s/m]"), std::string::npos)
      << below;
}

TEST(RestitutionInScenes, AreWrittenAsTheyAreRead) {
  const std::string text =
      "schema: intervox/scene/2\nmaterials: {a: {dissipation: 0.3}, b: {dissipation: 0}}\n"
      "contact_models:\n"
      "  table: {normal: {model: gonthier, restitution: {speeds: [0.1, 2], values: [0.9, 0.1]}}}\n"
      "  power: {normal: {model: gonthier, restitution: {speed: 0.1, most: 0.7}}}\n"
      "  loss: {normal: {model: gonthier, restitution: {loss: 0.30000000000000004}}}\n"
      "bodies: {floor: {shape: {half_space: {normal: [0, 0, 1], offset: 0}}, fixed: true}}\n";
  const Scene first = host::ParseScene(text, "s.yaml", {});
  const Scene second = host::ParseScene(ToYaml(first), "t.yaml", {});
  EXPECT_EQ(ToYaml(first), ToYaml(second));
  for (const Scene& scene : {first, second}) {
    const auto group = [&](const std::string& name) {
      return scene.contact_models.at(name).normal.groups.at("restitution");
    };
    EXPECT_EQ(scene.materials.at("a").dissipation, 0.3);
    EXPECT_EQ(scene.materials.at("b").dissipation, 0.0);
    EXPECT_EQ(group("table").lists.at("speeds"), (std::vector<double>{0.1, 2}));
    EXPECT_EQ(group("table").lists.at("values"), (std::vector<double>{0.9, 0.1}));
    EXPECT_EQ(group("power").numbers,
              (std::map<std::string, double>{{"speed", 0.1}, {"most", 0.7}}));
    EXPECT_EQ(group("loss").numbers.at("loss"), 0.30000000000000004);
  }
}

}  // namespace
}  // namespace intervox
