// An explicit scheme with a holder too stiff for its steps is warned of, where it throws bodies
// off.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/host/scene_text.h"

namespace intervox::host {
namespace {

/** A ball of 2 kg, 1 mm from where a spring that turns by `turn` radians a step of 1 ms holds it.
 */
Simulation Held(const std::string& method, double turn) {
  const std::string k = std::to_string(2.0 * std::pow(turn / 1e-3, 2));
  return testing::FromText(
      "duration: 0.4\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3, method: " + method +
      "}\nshapes:\n  ball: {sphere: {radius: 0.1}}\nbodies:\n  ball: {shape: ball, mass: 2, pose: "
      "{position: [1e-3, 0, 0]}, holder: {stiffness: [" +
      k +
      ", 0, 0], damping: [0, 0, 0], rotational_stiffness: [0, 0, 0], rotational_damping: [0, 0, "
      "0], target: {keys: [{t: 0, position: [0, 0, 0]}]}}}\n");
}

/** Whether the ball stays where the spring can have it. */
bool Stays(Simulation simulation) {
  while (!simulation.Done()) {
    try {
      simulation.Step();
    } catch (const std::runtime_error&) {
      return false;
    }
    if (std::fabs(simulation.State()[0].X_WB.p.x) > 1e-2) return false;
  }
  return true;
}

TEST(HolderWarnings, AreGivenWhereAnExplicitSchemeThrowsBodiesOff) {
  for (const char* method : {"rk3", "rk4"}) {
    EXPECT_TRUE(Held(method, 1.6).Warnings().empty()) << method;
    EXPECT_TRUE(Stays(Held(method, 1.6))) << method;
    const Simulation stiff = Held(method, 3.0);
    ASSERT_EQ(stiff.Warnings().size(), 1u) << method;
    EXPECT_NE(stiff.Warnings()[0].find("bodies.ball.holder"), std::string::npos);
    EXPECT_NE(stiff.Warnings()[0].find(method), std::string::npos) << stiff.Warnings()[0];
    EXPECT_FALSE(Stays(Held(method, 3.0))) << method;
  }
  for (const double turn : {3.0, 300.0}) {
    EXPECT_TRUE(Held("ark3", turn).Warnings().empty());
    EXPECT_TRUE(Stays(Held("ark3", turn)));
  }
}

}  // namespace
}  // namespace intervox::host
