// The energy of the conserving law over many contacts, beside that of the thesis' law.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox {
namespace {

constexpr double kStiffness = 4e6;  // ω = 200 rad/s of 1 kg on a face of 0.01 m²
constexpr double kArea = 0.01;
constexpr double kStep = 1e-4;  // ω h = 0.02

ContactModelSettings Law(bool conserving, double e = 1.0) {
  ContactModelSettings model;
  if (!conserving) {
    model = scenes::Frictionless(kStiffness, e);
    model.normal.parameters["passive"] = 0;  // the law as it is
    return model;
  }
  model.normal = {"conserving",
                  {{"coefficient", kStiffness / (2 * kArea)}, {"exponent", 2}, {"restitution", e}},
                  {}};
  return model;
}

Mat3 Turned() { return ToRotation(Normalized(Quaternion{1, 0.15, 0.1, 0.05})); }

geometry::ShapePtr Compound(geometry::Operation operation, const std::string& name,
                            std::vector<geometry::ShapePtr> children) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->operation = operation;
  shape->name = name;
  shape->children = std::move(children);
  return shape;
}

/** 1 kg of a shape in or on a fixed one. */
Scene In(const ContactModelSettings& model, geometry::ShapePtr fixed, geometry::Primitive part,
         const BodySettings& body, double step) {
  Scene scene = scenes::MakeScene(model, step);
  scene.engine.tolerance = 1e-9;
  scene.duration = 1e9;
  scene.shapes["fixed"] = std::move(fixed);
  scene.shapes["part"] = scenes::Solid(std::move(part), "part");
  scene.bodies = {scenes::Fixed("fixed", "fixed"), body};
  return scene;
}

/** A cube that tumbles over a floor. */
Scene Cube(const ContactModelSettings& model, double step) {
  BodySettings body = scenes::Free("cube", "part", 1, {0, 0, 0.12}, {0.1, 0.05, 0}, {1, 2, 0.5});
  body.X_WB.R = Turned();
  return In(model, scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor"),
            geometry::Box{{0.1, 0.1, 0.1}}, body, step);
}

/** A ball that falls into a groove of two walls. */
Scene Ball(const ContactModelSettings& model, double step) {
  return In(model,
            Compound(geometry::Operation::kUnion, "groove",
                     {scenes::Solid(geometry::HalfSpace{{0, 0.6, 0.8}, 0}, "left"),
                      scenes::Solid(geometry::HalfSpace{{0, -0.8, 0.6}, 0}, "right")}),
            geometry::Sphere{0.05},
            scenes::Free("ball", "part", 1, {0, 0.01, 0.12}, {0.1, 0.05, 0}, {1, 2, 0.5}), step);
}

/** A square peg that rattles in its hole. */
Scene Peg(const ContactModelSettings& model, double step) {
  const Pose bore{Mat3::Identity(), {0, 0, 0.1}};
  return In(model,
            Compound(geometry::Operation::kDifference, "hole",
                     {scenes::Solid(geometry::Box{{0.4, 0.4, 0.4}}, "block"),
                      scenes::Solid(geometry::Box{{0.104, 0.104, 0.4}}, "bore", bore)}),
            geometry::Box{{0.1, 0.1, 0.2}},
            scenes::Free("peg", "part", 1, {0, 0, 0.025}, {0.1, 0.05, 0}, {0.1, 0.2, 0.15}), step);
}

struct Drift {
  double largest = 0.0;        ///< of kinetic energy and gravity in flight from the start [J]
  double went_through = 0.0;   ///< largest kinetic energy [J]
  double by_law = 0.0;         ///< largest elastic energy in flight [J]
  double by_integrator = 0.0;  ///< largest balance in flight [J]
  int flights = 0;
  std::int64_t redone = 0;  ///< substeps, for a kink of the force
};

Drift Play(const Scene& scene, double until) {
  Simulation simulation(scene);
  const auto energy = [&] { return simulation.Energy().kinetic + simulation.Energy().gravity; };
  const double start = energy();
  Drift drift;
  bool touched = false;
  while (simulation.Time() < until) {
    simulation.Step();
    drift.went_through = std::fmax(drift.went_through, simulation.Energy().kinetic);
    const bool touches = !simulation.Contacts().empty();
    if (touched && !touches) {
      ++drift.flights;
      drift.largest = std::fmax(drift.largest, std::fabs(energy() - start));
      drift.by_law = std::fmax(drift.by_law, std::fabs(simulation.Energy().elastic));
      drift.by_integrator = std::fmax(drift.by_integrator, std::fabs(simulation.Energy().balance));
    }
    touched = touches;
  }
  EXPECT_EQ(simulation.Counters().unconverged_stages, 0);
  EXPECT_EQ(simulation.Counters().engine_failures, 0);
  EXPECT_EQ(simulation.Counters().creating_contacts, 0);
  EXPECT_EQ(simulation.Counters().dissipative_substeps, 0);
  drift.redone = simulation.Counters().redone_substeps;
  return drift;
}

TEST(ConservingLaw, KeepsEnergyToTheThirdOrderOfTheStep) {
  struct Row {
    const char* name;
    Scene (*make)(const ContactModelSettings&, double);
    double step;  // ω h ≤ 0.03: the ball is softer
    double until;
    int flights;
    double share;  // bound of the drift
  };
  for (const Row& row :
       {Row{"cube", Cube, kStep, 0.9, 3, 1e-6}, Row{"ball", Ball, 3 * kStep, 0.9, 5, 2e-5},
        Row{"peg", Peg, kStep, 0.25, 2, 1e-5}}) {
    const Drift whole = Play(row.make(Law(true), row.step), row.until);
    const Drift half = Play(row.make(Law(true), row.step / 2), row.until);
    std::printf("%s: %d flights, drift %.2e J of %.2f J, halved %.2e J\n", row.name, whole.flights,
                whole.largest, whole.went_through, half.largest);
    EXPECT_GE(whole.flights, row.flights) << row.name;
    EXPECT_LT(whole.largest, row.share * whole.went_through) << row.name;
    EXPECT_LT(half.largest, whole.largest / 6) << row.name;
    EXPECT_LT(whole.by_law, 1e-13 * whole.went_through) << row.name;
    EXPECT_NEAR(whole.by_integrator / whole.largest, 1, 1e-3) << row.name;
  }
}

// A peg that meets wall after wall has kinks in its force within substeps.
TEST(ConservingLaw, SubstepsWithAKinkAreDoneAgain) {
  const Drift peg = Play(Peg(Law(true), kStep), 1.2);
  std::printf("peg: %d flights, %d done again, drift %.2e J\n", peg.flights,
              static_cast<int>(peg.redone), peg.largest);
  EXPECT_GT(peg.redone, 20);
  EXPECT_LT(peg.largest, 2e-5 * peg.went_through);
  EXPECT_EQ(Play(Peg(Law(false), kStep), 0.3).redone, 0);
}

// What the thesis' law adds of its own does not depend on the step. Over a plane it is the gradient
// of a Winkler foundation's energy and adds nothing; in a hole, where normals turn, it does.
TEST(ConservingLaw, TheThesisLawDriftsByItsOwnAmount) {
  const Drift whole = Play(Peg(Law(false), kStep), 0.6);
  const Drift half = Play(Peg(Law(false), kStep / 2), 0.6);
  std::printf("thesis: drift %.2e J of %.2f J, halved %.2e J\n", whole.largest, whole.went_through,
              half.largest);
  EXPECT_GT(whole.largest, 1e-3 * whole.went_through);
  EXPECT_NEAR(half.largest / whole.largest, 1, 0.1);
  EXPECT_NEAR(whole.by_law / whole.largest, 1, 0.01);
  EXPECT_LT(whole.by_integrator, 0.01 * whole.largest);
}

// Central impacts of a flat face and of a ball, softer and harder by a hundred, come back with e.
TEST(ConservingLaw, ComesBackWithItsRestitution) {
  for (const double e : {1.0, 0.9, 0.6, 0.3}) {
    for (const double scale : {0.01, 1.0, 100.0}) {
      for (const bool ball : {false, true}) {
        ContactModelSettings model = Law(true, e);
        model.normal.parameters["coefficient"] *= scale;
        const double step = kStep / std::sqrt(scale);
        BodySettings body = scenes::Free("part", "part", 1, {0, 0, 0.0501}, {0, 0, -0.2});
        Scene scene = In(model, scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor"),
                         geometry::Box{{0.1, 0.1, 0.1}}, body, step);
        if (ball) scene.shapes["part"] = scenes::Solid(geometry::Sphere{0.05}, "part");
        scene.gravity = {};
        Simulation simulation(scene);
        bool touched = false;
        for (int n = 0; n < 20000 && !(touched && simulation.Contacts().empty()); ++n) {
          simulation.Step();
          touched = touched || !simulation.Contacts().empty();
        }
        EXPECT_NEAR(simulation.State()[1].v_WM.z / 0.2, e, 1e-3)
            << e << ' ' << scale << ' ' << ball;
        EXPECT_NEAR(simulation.Energy().balance, 0, 1e-5 * 0.02)
            << e << ' ' << scale << ' ' << ball;
      }
    }
  }
}

}  // namespace
}  // namespace intervox
