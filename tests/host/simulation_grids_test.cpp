// Bodies on grids come to rest, stay there, and press with their weight.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "geometry/grid/level_set.h"
#include "host/input/error.h"
#include "host/scene/reader.h"
#include "host/simulation.h"

namespace intervox {
namespace {

std::string SceneText(const std::string& body, const std::string& floor, const std::string& rule) {
  return "schema: intervox/scene/2\nduration: 1\nintegrator: {method: ark3, step: 1e-3}\n"
         "engine: {tolerance: 1e-3" +
         rule +
         "}\n"
         "shapes:\n"
         "  ball: {sphere: {radius: 0.008}}\n"
         "  box: {box: {size: [0.012, 0.016, 0.01]}}\n"
         "  slab: {box: {size: [0.03, 0.03, 0.02]}, pose: {position: [0, 0, -0.01]}}\n"
         "  plane: {half_space: {normal: [0, 0, 1], offset: 0}}\n"
         "materials: {m: {density: 8000}}\n"
         "contact_models:\n"
         "  c:\n"
         "    normal: {model: gonthier, stiffness: 3e8, restitution: 0.3, v_small: 1e-3, "
         "relaxation_time: 1, latch: largest}\n"
         "    friction: {model: bristle, mu_s: 0.3, mu_c: 0.3, sigma_0: 5000, sigma_1: 45, "
         "sigma_2: 0,"
         " v_stribeck: 0.01, dwell_time: 0.1}\n"
         "    rolling: {model: gonthier, cap: 0}\n"
         "    spinning: {model: contensou}\n"
         "bodies:\n"
         "  floor: {shape: " +
         floor + ", fixed: true" + (floor == "slab" ? ", representation: {grid: 2.6e-3}" : "") +
         "}\n"
         "  body: {shape: " +
         body +
         ", material: m, representation: {grid: 2e-3}, "
         "pose: {position: [0.0013, 0.0021, " +
         (body == "ball" ? "0.0082" : "0.0052") +
         "], rpy_deg: [0, 0, 20]}}\n"
         "contacts:\n  - {bodies: [body, floor], model: c}\n";
}

void ExpectRest(const std::string& body, const std::string& floor, const std::string& rule,
                double mass) {
  Simulation simulation(host::ParseScene(SceneText(body, floor, rule), "grids.yaml"));
  while (simulation.Time() < 0.15) simulation.Step();
  const BodyState then = simulation.State()[1];
  double most = 0, force = 0;
  int count = 0;
  while (simulation.Time() < 0.2) {
    simulation.Step();
    most = std::fmax(most, Norm(simulation.State()[1].v_WM));
    for (const ContactReport& contact : simulation.Contacts()) force += contact.force.z;
    ++count;
  }
  const BodyState now = simulation.State()[1];
  EXPECT_LT(most, 2e-4) << body << " on " << floor << rule;
  // Voxels of a quarter of the radius take some per cent of the mass.
  EXPECT_LT(Norm(now.p_WM - then.p_WM), 1e-5) << body << " on " << floor << rule;
  EXPECT_NEAR(std::fabs(force) / count, 9.81 * mass, 0.05 * 9.81 * mass)
      << body << " on " << floor << rule;
}

TEST(SlowSimulationGrids, RepresentationsWithoutBiasAreTheGridsThatShapesMake) {
  const std::string text = SceneText("ball", "slab", "");
  const auto checksum = [](const std::string& scene) {
    const Scene read = host::ParseScene(scene, "grids.yaml");
    return read.shapes.at(read.bodies[1].shape)->grid.field->checksum;
  };
  const std::string key = "representation: {grid: 2e-3}, pose";
  std::string unbiased = text, as_shape = text, wrong = text;
  const auto put = [&](std::string* scene, const std::string& from, const std::string& to) {
    scene->replace(scene->find(from), from.size(), to);
  };
  put(&unbiased, key, "representation: {grid: 2e-3, unbiased: true}, pose");
  put(&as_shape, key, "pose");
  put(&as_shape, "ball: {sphere: {radius: 0.008}}",
      "ball: {grid: {of: {sphere: {radius: 0.008}}, voxel_size: 2e-3, unbiased: true}}");
  put(&wrong, key, "representation: {grid: 2e-3, bias: true}, pose");
  EXPECT_EQ(checksum(unbiased), checksum(as_shape));
  EXPECT_NE(checksum(unbiased), checksum(text));
  EXPECT_THROW(host::ParseScene(wrong, "grids.yaml"), host::InputError);
}

TEST(SlowSimulationGrids, ABallAndABoxComeToRestAndStay) {
  const double ball = 8000 * 4 / 3.0 * std::acos(-1.0) * 5.12e-7, box = 8000 * 1.92e-6;
  for (const char* rule : {"", ", leaf_rule: fraction"}) {
    ExpectRest("ball", "plane", rule, ball);
    ExpectRest("ball", "slab", rule, ball);
    ExpectRest("box", "slab", rule, box);
  }
}

// A ball of 16 mm is told of from voxels of 4 mm on, in its own grid and in the body's.
TEST(SimulationGrids, WarnsOfVoxelsNearTheBodysSize) {
  for (const double h : {3.9e-3, 4.1e-3, 80e-3}) {
    for (const bool own : {false, true}) {
      const std::string ball = "{sphere: {radius: 0.008}}", voxels = std::to_string(h);
      const Simulation simulation(
          host::ParseScene("schema: intervox/scene/2\nduration: 1\nintegrator: {step: "
                           "1e-3}\nbodies:\n  ball: {shape: " +
                               (own ? "{grid: {of: " + ball + ", voxel_size: " + voxels + "}}"
                                    : ball + ", representation: {grid: " + voxels + "}") +
                               ", mass: 1}\n",
                           "coarse.yaml"));
      ASSERT_EQ(simulation.Warnings().size(), h > 4e-3 ? 1u : 0u) << h << own;
      if (h > 4e-3) {
        EXPECT_NE(simulation.Warnings()[0].find("bodies.ball.shape: on a grid of voxels of "),
                  std::string::npos);
        EXPECT_NE(simulation.Warnings()[0].find("only 0.016 m thick"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace intervox
