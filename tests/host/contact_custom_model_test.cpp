#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "host/contact/contact_model.h"
#include "host/input/error.h"
#include "tests/host/contact_world.h"
#include "tests/host/stiffening_normal.h"

namespace intervox::host {
namespace {

ContactModelSettings Stiffening(double damping) {
  ContactModelSettings s;
  s.normal = {
      "stiffening",
      {{"stiffness", 1e6}, {"exponent", 2.0}, {"reference_volume", 1e-3}, {"damping", damping}},
      {}};
  s.friction = {"bristle", {{"mu_s", 0.3}}, {}};
  return s;
}

// V = A x, A = 1 m²: f = K x², K = 1e9 N/m²; without damping it returns with its speed, and the
// depth reached is (3 m v²/(2K))^(1/3).
TEST(CustomModel, RunsByNameInASimulatedImpact) {
  ASSERT_TRUE(example::kRegistered);
  for (const double damping : {0.0, 0.5}) {
    const auto model = MakeContactModel(Stiffening(damping), {}, {});
    testing::World w("ark3");
    w.bodies.resize(2);
    w.bodies[1].mass = 2.0;
    w.bodies[1].v = {0, 0, -1.0};
    testing::Pad pad;
    pad.model = model.get();
    w.pads.push_back(pad);
    double deepest = 0.0;
    for (int i = 0; i < 4000; ++i) {
      w.Step(1e-5);
      deepest = std::max(deepest, -w.bodies[1].p.z);
    }
    if (damping == 0.0) {
      EXPECT_NEAR(w.bodies[1].v.z, 1.0, 1e-5);
      EXPECT_NEAR(deepest, std::cbrt(3.0 * 2.0 / (2.0 * 1e9)), 1e-6);
    } else {
      EXPECT_LT(w.bodies[1].v.z, 0.8);
      EXPECT_GT(w.bodies[1].v.z, 0.5);
    }
  }
}

std::string Text(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// What CONTRIBUTING shows is this file, to the letter, and short enough.
TEST(CustomModel, IsTheOneThatContributingShows) {
  const std::string root = INTERVOX_DATA_DIR "/../";
  const std::string file = Text(root + "tests/host/stiffening_normal.h");
  EXPECT_LE(std::count(file.begin(), file.end(), '\n'), 40);
  EXPECT_NE(file.find("class StiffeningNormal"), std::string::npos);
  EXPECT_NE(Text(root + "CONTRIBUTING.md").find("```cpp\n" + file + "```\n"), std::string::npos);
}

TEST(CustomModel, GetsTheSameErrorsAsBuiltInOnes) {
  ContactModelSettings s = Stiffening(0.0);
  s.normal.parameters["exponent"] = 0.5;
  try {
    MakeContactModel(s, {}, {});
    FAIL() << "accepted an exponent of 0.5";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "normal.exponent: 0.5 is below 1 (allowed: 1 to 5). A foundation does not soften.");
  }
}

}  // namespace
}  // namespace intervox::host
