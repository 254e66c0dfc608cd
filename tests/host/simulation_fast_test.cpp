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

// A small or large ball, fast or slow, on a plate a hundredth or a thousandth as thick as it: at
// the last it passes the plate's thickness in a thousandth of the step. Its box, which stands on a
// corner, is in the plate hundreds of thicknesses before it.
TEST(FastBodies, BallsBounceOffThinPlatesOfAnySize) {
  for (const double size : {2e-4, 0.02, 2.0}) {
    for (const double v : {0.5, 50.0, 5000.0}) {
      for (const double thin : {0.01, 0.001}) {
        const double e = thin == 0.01 ? 1.0 : 0.5;
        SCOPED_TRACE("size " + Number(size) + " v " + Number(v) + " thin " + Number(thin));
        const double R = 0.5 * size, thickness = thin * size;
        // k_v V d has its energy a tenth of the thickness deep: ½ m v² = k_v π R d³/3, m = 1 kg.
        const double stiffness = 1.5 * v * v / (M_PI * R * std::pow(0.1 * thickness, 3));
        const double step = 1e-3, height = R + 0.5 * thickness + 2.3 * v * step;
        Simulation simulation = FromText(
            "duration: 0.02\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3}\n"
            "contact_models: {default: {normal: {model: gonthier, stiffness: " +
            Number(stiffness) + ", restitution: " + Number(e) +
            "}}}\nbodies:\n  plate: {shape: {box: {size: [" + Number(3 * size) + ", " +
            Number(3 * size) + ", " + Number(thickness) +
            "]}}, fixed: true}\n  ball: {shape: {sphere: {radius: " + Number(R) +
            "}}, mass: 1, pose: {position: [0, 0, " + Number(height) +
            "]}, velocity: {linear: [0, 0, " + Number(-v) + "], angular: [3e3, 0, 0]}}\n");
        RunToEnd(&simulation);
        ASSERT_EQ(simulation.Impacts().size(), 1u);
        EXPECT_NEAR(simulation.Impacts()[0].t, 2.3 * step, 1e-6);
        EXPECT_NEAR(simulation.State()[1].v_WM.z / v, e, 0.01);
      }
    }
  }
}

// The ball bounces off all the same where its group has a contact: a cube rests on the plate.
TEST(FastBodies, ABallBouncesOffAThinPlateOnWhichAnotherBodyRests) {
  for (const double v : {50.0, 200.0}) {
    for (const double z : {0.22, 0.225, 0.23}) {
      SCOPED_TRACE("v " + Number(v) + " z " + Number(z));
      Simulation simulation = FromText(
          "duration: 0.02\nintegrator: {step: 1e-3}\ncontact_models: {default: {normal: {model: "
          "gonthier, stiffness: 1e12, restitution: 0.5}}}\nbodies:\n"
          "  plate: {shape: {box: {size: [0.3, 0.3, 0.005]}}, fixed: true}\n"
          "  ball: {shape: {sphere: {radius: 0.01}}, mass: 0.033, pose: {position: [0, 0, " +
          Number(z) + "]}, velocity: {linear: [0, 0, " + Number(-v) +
          "]}}\n  cube: {shape: {box: {size: [0.02, 0.02, 0.02]}}, mass: 0.06, pose: {position: "
          "[0.04, 0, 0.0125]}}\n");
      RunToEnd(&simulation);
      EXPECT_NEAR(simulation.State()[1].v_WM.z / v, 0.5, 0.01);
      EXPECT_NEAR(simulation.State()[2].X_WB.p.z, 0.0125, 1e-6);
    }
  }
}

// Bodies that touch in points, with a law that takes nothing: a cone that strikes with its rim and
// rolls onto it again, and a cylinder whose frequency is nothing where it begins.
TEST(FastBodies, BodiesInPointsKeepTheirEnergyInImpacts) {
  struct Row {
    const char* shape;
    double size, mass, v, stiffness;
    Quaternion q;
  };
  for (const Row& row :
       {Row{"cone: {radius_bottom: 0.5, radius_top: 0, height: 1}",
            0.033,
            0.016,
            10,
            7e8,
            {0.43, -0.80, -0.32, -0.28}},
        Row{"cylinder: {radius: 0.5, height: 1}",
            1.3,
            3.5,
            60,
            1.8e9,
            {-0.72, -0.42, -0.10, -0.54}},
        Row{"box: {size: [1, 0.7, 0.5]}", 0.08, 1.0, 12, 1e12, {0.3, 0.2, -0.4, 0.5}}}) {
    for (const double step : {1e-4, 1e-3, 1e-2}) {
      SCOPED_TRACE(row.shape + Number(step));
      const double I = 0.08 * row.mass * row.size * row.size;
      Simulation simulation = FromText(
          "duration: " + Number(4 * step + 3 * row.size / row.v) +
          "\ngravity: [0, 0, 0]\nintegrator: {step: " + Number(step) +
          "}\ncontact_models: {default: {geometry: points, normal: {model: hunt_crossley, "
          "exponent: "
          "1.5, restitution: 1, stiffness: " +
          Number(row.stiffness) +
          "}, friction: {model: none}}}\nbodies:\n  plate: {shape: {box: {size: [9, 9, 0.03]}}, "
          "fixed: true}\n  body: {shape: {" +
          row.shape + ", scale: " + Number(row.size) + "}, mass: " + Number(row.mass) +
          ", inertia: [" + Number(I) + ", " + Number(1.1 * I) + ", " + Number(1.2 * I) +
          "], pose: {position: [0, 0, " + Number(2 * row.size) + "], quaternion: [" +
          Number(row.q.w) + ", " + Number(row.q.x) + ", " + Number(row.q.y) + ", " +
          Number(row.q.z) + "]}, velocity: {linear: [0, 0, " + Number(-row.v) + "]}}\n");
      RunToEnd(&simulation);
      const double start = 0.5 * row.mass * row.v * row.v;
      EXPECT_GE(simulation.Impacts().size(), 1u);
      EXPECT_NEAR(simulation.Energy().kinetic + simulation.Energy().elastic, start, 0.01 * start);
    }
  }
}

// A ball that is let go is below a floor of any thickness by the end of the step, but for the
// speed that it gains on the way. It bounces and comes to rest.
TEST(FastBodies, ABallFallsOntoAFloorWithinAStep) {
  for (const double step : {0.1, 0.3, 1.0, 10.0}) {
    for (const char* floor : {"half_space: {normal: [0, 0, 1], offset: 0}",
                              "box: {size: [1, 1, 0.01]}, pose: {position: [0, 0, -0.005]}"}) {
      SCOPED_TRACE(floor + Number(step));
      Simulation simulation = FromText(
          "duration: " + Number(20 * step) + "\nintegrator: {step: " + Number(step) +
          "}\ncontact_models: {default: {normal: {model: gonthier, stiffness: 1e9, restitution: "
          "0.5}}}\nbodies:\n  floor: {shape: {" +
          floor +
          "}, fixed: true}\n  ball: {shape: {sphere: {radius: 0.05}}, mass: 1, pose: {position: "
          "[0, 0, 0.55]}}\n");
      RunToEnd(&simulation);
      EXPECT_GE(simulation.Impacts().size(), 1u);
      EXPECT_NEAR(simulation.Impacts()[0].t, std::sqrt(2 * 0.5 / 9.81), 1e-4 * step);
      EXPECT_NEAR(simulation.State()[1].X_WB.p.z, 0.05, 3e-4);
      EXPECT_LT(Norm(simulation.State()[1].v_WM), 1e-6);
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
    // Nothing is lost, whatever the step: a ball's frequency grows from nothing with its depth.
    EXPECT_NEAR(simulation.Energy().kinetic, 200.0, 1e-3 * 200.0);
    EXPECT_LT(std::fabs(simulation.Energy().balance), 2e-3 * 200.0);
    EXPECT_EQ(simulation.Counters().gaining_substeps, 0);
  }
}

// A rod that turns about its middle strikes a ball beside its tip when its face gets there: at
// 0.9 m sin φ = 0.05 + 0.1 m, from φ = 1 rad on.
TEST(FastBodies, ATurningRodIsSeenInTime) {
  for (const double w : {0.2, 1.0, 30.0}) {
    Simulation simulation = FromText(
        "duration: " + Number(0.9 / w) +
        "\ngravity: [0, 0, 0]\nintegrator: {step: " + Number(1e-3 / w) +
        "}\nshapes:\n  rod: {box: {size: [2, 0.1, 0.1]}}\n  ball: {sphere: {radius: 0.1}}\n"
        "contact_models: {default: {normal: {model: gonthier, stiffness: 1e8, restitution: 0.5}}}\n"
        "bodies:\n  rod: {shape: rod, motion: {velocity: {angular: [0, 0, " +
        Number(w) + "]}}}\n  ball: {shape: ball, mass: 1, pose: {position: [" +
        Number(0.9 * std::cos(1.0)) + ", " + Number(0.9 * std::sin(1.0)) + ", 0]}}\n");
    RunToEnd(&simulation);
    ASSERT_GE(simulation.Impacts().size(), 1u) << w;
    EXPECT_NEAR(simulation.Impacts()[0].t * w, 1.0 - std::asin(0.15 / 0.9), 1e-3) << w;
    EXPECT_NEAR(simulation.Impacts()[0].approach_speed, 0.9 * w * std::cos(std::asin(0.15 / 0.9)),
                0.01 * w);
  }
}

// Nor does it come out behind the plate where a step is thousands of plates long.
TEST(FastBodies, ABallOfAnySpeedStaysInFrontOfAPlate) {
  for (const double v : {1e2, 1e4, 1e6}) {
    for (const double step : {1e-3, 1e-2, 1.0}) {
      for (const double z : {0.5, 1.234, 600.0}) {
        SCOPED_TRACE("v " + Number(v) + " step " + Number(step) + " z " + Number(z));
        Simulation simulation = FromText(
            "duration: " + Number(3 * step) +
            "\ngravity: [0, 0, 0]\nintegrator: {step: " + Number(step) +
            "}\ncontact_models: {default: {normal: {model: gonthier, stiffness: 1e14, "
            "restitution: 0.5}}}\nbodies:\n"
            "  plate: {shape: {box: {size: [1, 1, 0.1]}}, fixed: true}\n"
            "  ball: {shape: {sphere: {radius: 0.05}}, mass: 1e-3, pose: {position: [0, 0, " +
            Number(z) + "]}, velocity: {linear: [0, 0, " + Number(-v) + "]}}\n");
        RunToEnd(&simulation);
        EXPECT_EQ(simulation.Impacts().size(), v * 3 * step > z ? 1u : 0u);
        EXPECT_GT(simulation.State()[1].X_WB.p.z, 0.05);
      }
    }
  }
}

// A body that tumbles by radians in a step gains no energy, and loses a few per cent in 20 turns.
TEST(FastBodies, ATumblingBodyKeepsItsEnergy) {
  for (const char* method : {"ark3", "ark2"}) {
    for (const double turn : {0.1, 1.0, 3.0, 10.0}) {  // in a step [rad]
      SCOPED_TRACE(std::string(method) + " " + Number(turn));
      const double w = turn / 1e-3;
      Simulation simulation =
          FromText("duration: " + Number(std::ceil(125 / turn) * 1e-3) +
                   "\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3, method: " + method +
                   "}\nbodies:\n  box: {shape: {box: {size: [0.1, 0.05, 0.02]}}, mass: 1, "
                   "velocity: {angular: [" +
                   Number(0.3 * w) + ", " + Number(w) + ", " + Number(-0.1 * w) + "]}}\n");
      const double start = simulation.Energy().kinetic;
      while (!simulation.Done()) {
        simulation.Step();
        EXPECT_NEAR(simulation.Energy().kinetic / start, 0.98, 0.02 + 1e-9);
      }
    }
  }
}

// A turn about a principal axis, and of a ball, is exact at any step: it takes no substeps.
TEST(FastBodies, ASpinTakesNoSubsteps) {
  for (const char* shape : {"sphere: {radius: 0.1}", "cylinder: {radius: 0.1, height: 0.05}"}) {
    Simulation simulation = FromText(
        "duration: 0.1\ngravity: [0, 0, 0]\nintegrator: {step: 1e-3}\nbodies:\n  top: "
        "{shape: {" +
        std::string(shape) + "}, mass: 1, velocity: {angular: [0, 0, 5000]}}\n");
    RunToEnd(&simulation);
    EXPECT_EQ(simulation.Counters().substeps, 100);
  }
}

// A ball that slides is torn off the floor: what its bristle held is friction's loss, and the audit
// closes.
TEST(FastBodies, ABodyThatIsTornOffLeavesItsBristlesLoss) {
  Simulation simulation = FromText(
      "duration: 0.2\nintegrator: {step: 250e-6}\nshapes:\n"
      "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\n  box: {box: {size: [0.1, 0.1, "
      "0.05]}}\ncontact_models:\n  default:\n    normal: {model: gonthier, stiffness: 1e7, "
      "restitution: 0.5}\n    friction: {model: bristle, mu_s: 0.5, mu_c: 0.5, sigma_0: 100, "
      "sigma_1: 10, v_stribeck: 0.1, dwell_time: 0.01}\nbodies:\n"
      "  floor: {shape: floor, fixed: true}\n  box:\n    shape: box\n    mass: 2\n"
      "    pose: {position: [0, 0, 0.0249]}\n    wrenches:\n"
      "      - {from: 0, to: 0.1, force: [8, 0, 0]}\n"
      "      - {from: 0.1, force: [0, 0, 200]}\n");
  double held = 0;
  while (!simulation.Done()) {
    simulation.Step();
    held = std::fmax(held, simulation.Energy().bristle);
  }
  EXPECT_TRUE(simulation.Contacts().empty());
  EXPECT_GT(held, 1e-3);
  EXPECT_NEAR(simulation.Energy().bristle, 0.0, 1e-6 * held);
  EXPECT_LT(std::fabs(simulation.Energy().balance), 0.05 * held);
}

}  // namespace
}  // namespace intervox
