// Bodies that are fast against the step: nothing passes through another, or is struck unseen.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using testing::FromText;
using testing::RunToEnd;

std::string Number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

// A ball of 20 mm that moves by ten times the thickness of a plate in a step and more, from where
// no end of a step lies in the plate.
TEST(FastBodies, ABallBouncesOffAThinPlate) {
  for (const double v : {50.0, 200.0}) {
    for (const double z : {0.22, 0.225, 0.23}) {
      for (const double e : {0.9, 0.5}) {
        SCOPED_TRACE("v " + Number(v) + " z " + Number(z) + " e " + Number(e));
        Simulation simulation = FromText(
            "duration: 0.02\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3}\nshapes:\n"
            "  ball: {sphere: {radius: 0.01}}\n  plate: {box: {size: [0.3, 0.3, 0.005]}}\n"
            "contact_models: {default: {normal: {model: gonthier, stiffness: 1e12, restitution: " +
            Number(e) +
            "}}}\nbodies:\n  plate: {shape: plate, fixed: true}\n"
            "  ball: {shape: ball, mass: 0.033, pose: {position: [0, 0, " +
            Number(z) + "]}, velocity: {linear: [0, 0, " + Number(-v) + "]}}\n");
        RunToEnd(&simulation);
        EXPECT_NEAR(simulation.State()[1].v_WM.z / v, e, 0.01);
      }
    }
  }
}

// The first of three balls strikes the second within a step, which then reaches the third, to which
// it was not near before: all three keep apart, in order, with the momentum that was there.
TEST(FastBodies, ABodyThatIsStruckStrikesTheNextInTheSameStep) {
  for (const double step : {5e-3, 1e-3, 250e-6}) {
    SCOPED_TRACE(step);
    Simulation simulation = FromText(
        "duration: 0.05\ngravity: [0, 0, 0]\nintegrator: {step: " + Number(step) +
        "}\nshapes: {ball: {sphere: {radius: 0.05}}}\n"
        "contact_models: {default: {normal: {model: gonthier, stiffness: 1e11, restitution: 1}}}\n"
        "bodies:\n  a: {shape: ball, mass: 1, pose: {position: [-0.15, 0, 0]}, velocity: {linear: "
        "[20, 0, 0]}}\n  b: {shape: ball, mass: 1}\n"
        "  c: {shape: ball, mass: 1, pose: {position: [0.13, 0, 0]}}\n");
    RunToEnd(&simulation);
    const auto body = [&](std::size_t b) { return simulation.State()[b]; };
    EXPECT_NEAR(body(0).v_WM.x + body(1).v_WM.x + body(2).v_WM.x, 20.0, 1e-12);
    EXPECT_GT(body(1).p_WM.x, body(0).p_WM.x + 0.0999);
    EXPECT_GT(body(2).p_WM.x, body(1).p_WM.x + 0.0999);
    EXPECT_GT(body(2).v_WM.x, body(1).v_WM.x);
    EXPECT_LT(simulation.Energy().kinetic, 200.0 * 1.001);
    EXPECT_LT(std::fabs(simulation.Energy().balance), 2e-3 * 200.0);
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  }
}

}  // namespace
}  // namespace intervox
