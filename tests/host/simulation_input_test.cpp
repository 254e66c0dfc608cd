// What only building a simulation can find is refused with the place and the remedy; what goes
// wrong later names time and body.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "cuda/moments/mass_properties.h"
#include "host/input/error.h"
#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

using scenes::Fixed;
using scenes::Free;
using scenes::Frictionless;
using scenes::MakeScene;
using scenes::Solid;

Scene Good() {
  Scene scene = MakeScene(Frictionless(1e7, 0.5));
  scene.path = "good.yaml";
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.materials["steel"].density = 7800;
  scene.bodies = {Fixed("floor", "floor"), Free("box", "box", 1, {0, 0, 0.06})};
  return scene;
}

void ExpectRefused(const std::function<void(Scene*)>& edit, const std::string& place,
                   const std::string& word) {
  Scene scene = Good();
  edit(&scene);
  try {
    Simulation simulation(scene);
    ADD_FAILURE() << "accepted: " << place;
  } catch (const host::InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("good.yaml: "), 0U) << what;
    EXPECT_NE(what.find(place), std::string::npos) << what;
    EXPECT_NE(what.find(word), std::string::npos) << what;
    EXPECT_TRUE(what.back() == '.' || what.back() == '?') << what;
  }
}

TEST(SimulationInputTest, RefusesWhatItCannotBuild) {
  EXPECT_NO_THROW(Simulation{Good()});
  ExpectRefused([](Scene* s) { s->integrator.method = "rk9"; }, "integrator.method", "ark3");
  ExpectRefused([](Scene* s) { s->integrator.step = 0; }, "integrator.step", "positive");
  ExpectRefused([](Scene* s) { s->bodies[1].shape = "bix"; }, "bodies.box.shape", "bix");
  ExpectRefused([](Scene* s) { s->bodies[1].mass.reset(); }, "bodies.box.mass", "density");
  ExpectRefused([](Scene* s) { s->bodies[1].mass = -2; }, "bodies.box.mass", "positive");
  ExpectRefused([](Scene* s) { s->bodies[1].shape.clear(); }, "bodies.box", "inertia");
  ExpectRefused(
      [](Scene* s) {
        s->bodies[1].inertia = Mat3::Diagonal({1, 1, 3});
      },
      "bodies.box.inertia", "symmetric");
  ExpectRefused([](Scene* s) { s->bodies[1].motion.emplace(); }, "bodies.box.motion", "keys");
  ExpectRefused([](Scene* s) { s->bodies[1].holder.emplace(); }, "bodies.box.holder", "keys");
  ExpectRefused([](Scene* s) { s->contacts = {{{"box", "floor"}, "soft"}}; }, "contacts", "soft");
  ExpectRefused(
      [](Scene* s) { s->contact_models["default"].normal.parameters["restitution"] = 0.001; },
      "contact_models.default.normal.restitution", "box");
  ExpectRefused(
      [](Scene* s) {
        s->sensors = {{"eye", "bax", {}, "world"}};
      },
      "sensors.eye.body", "bax");
  ExpectRefused(
      [](Scene* s) {
        s->sensors = {{"eye", "box", {}, "wurld"}};
      },
      "sensors.eye.resolve_in", "wurld");
  ExpectRefused(
      [](Scene* s) {
        s->bodies[1].cells = {s->shapes["box"], s->shapes["box"]};
      },
      "bodies.box.cells[1]", "overlap");
  ExpectRefused([](Scene* s) { s->bodies[1].v_WB.x = std::numeric_limits<double>::quiet_NaN(); },
                "bodies.box", "finite");
}

TEST(SimulationInputTest, DensityGivesTheMass) {
  Scene scene = Good();
  scene.bodies[1].mass.reset();
  scene.bodies[1].material = "steel";
  scene.bodies[1].v_WB = {0, 0, 2};
  Simulation simulation(scene);
  EXPECT_NEAR(simulation.Energy().kinetic, 0.5 * 7.8 * 4, 1e-9);
}

TEST(SimulationInputTest, CellsAreCutAroundTheirRoundHoles) {
  Scene scene = Good();
  auto plate = std::make_shared<geometry::Shape>();
  plate->operation = geometry::Operation::kDifference;
  plate->children = {Solid(geometry::Box{{0.3, 0.1, 0.1}}, "block"),
                     Solid(geometry::Cylinder{0.02, 1}, "left", {{}, {-0.1, 0, 0}}),
                     Solid(geometry::Cylinder{0.02, 1}, "right", {{}, {0.1, 0, 0}})};
  scene.shapes["box"] = plate;
  const Simulation simulation(scene);
  double volume = 0;
  for (const geometry::Cell& cell : simulation.Cells(1)) {
    volume += ComputeMassProperties(std::span(&cell, 1), 1).volume;
    int walls = 0;
    for (const geometry::Surface& S : cell.surfaces) {
      walls += S.side < 0 && S.kind == geometry::SurfaceKind::kCylinder;
    }
    EXPECT_LE(walls, 2);  // of a piece that lies between the holes
    EXPECT_FALSE(cell.neighbours.empty());
  }
  EXPECT_GE(simulation.Cells(1).size(), 7U);
  EXPECT_NEAR(volume, 0.003 - 2 * M_PI * 4e-4 * 0.1, 1e-9);
}

TEST(SimulationInputTest, ContactsCanBeFilteredOut) {
  Scene scene = Good();
  scene.contacts = {{{"floor", "*"}, "none"}};
  Simulation simulation(scene);
  while (simulation.Time() < 0.2) simulation.Step();
  EXPECT_LT(simulation.State()[1].p_WM.z, 0.0);
  EXPECT_EQ(simulation.Counters().pairs, 0);
}

TEST(SimulationInputTest, AStateThatIsNotFiniteNamesTimeAndBody) {
  Scene scene = Good();
  scene.bodies[1].wrenches.push_back(
      {0.01, 1, {std::numeric_limits<double>::infinity(), 0, 0}, {}, {}, false});
  Simulation simulation(scene);
  try {
    for (int k = 0; k < 100; ++k) simulation.Step();
    FAIL();
  } catch (const std::runtime_error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("box"), std::string::npos) << what;
    EXPECT_NE(what.find("t = 0.01"), std::string::npos) << what;
  }
}

}  // namespace
}  // namespace intervox
