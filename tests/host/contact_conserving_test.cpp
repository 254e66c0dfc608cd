// The energy-conserving law: its wrench is the gradient of w(V), and its damping is passive.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "host/contact/contact_model.h"
#include "host/input/error.h"
#include "host/scene/reader.h"
#include "host/simulation.h"
#include "host/world/world.h"
#include "tests/host/simulation_scenes.h"
#include "tests/host/stage_problem.h"
#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

using std::numbers::pi;

ContactModelSettings Conserving(double c, double m, double e = 1.0) {
  ContactModelSettings s;
  s.normal = {"conserving", {{"coefficient", c}, {"exponent", m}, {"restitution", e}}, {}};
  return s;
}

TEST(ConservingNormal, PressesLikeItsNeighboursOnAFaceACapAndHertz) {
  for (const double scale : {0.01, 1.0, 100.0}) {
    const double k = 1e9 * scale, A = 0.01 / scale, d = 1e-5 * scale, R = 0.02 * scale;
    const auto face = MakeContactModel(Conserving(k / (2 * A), 2), {}, {});
    EXPECT_NEAR(face->Force(A * d, A, {}).f_e / (k * A * d), 1, 1e-14);
    const double V = pi * R * d * d, S = 2 * pi * R * d;
    const auto cap = MakeContactModel(Conserving(k / (3 * std::sqrt(pi * R)), 1.5), {}, {});
    EXPECT_NEAR(cap->Force(V, S, {}).f_e / (k * V), 1, 1e-14);
    const double c = 8.0 / 15 * k * std::sqrt(R) * std::pow(pi * R, -1.25);
    const auto hertz = MakeContactModel(Conserving(c, 1.25), {}, {});
    EXPECT_NEAR(hertz->Force(V, S, {}).f_e / (4.0 / 3 * k * std::sqrt(R) * std::pow(d, 1.5)), 1,
                1e-14);
    EXPECT_NEAR(hertz->normal->Potential(V) / (c * std::pow(V, 1.25)), 1, 1e-15);
  }
}

TEST(ConservingNormal, TakesRestitutionFromMaterialsAndElseReturnsAll) {
  ContactModelSettings s = Conserving(1, 2);
  s.normal.parameters.erase("restitution");
  EXPECT_EQ(MakeContactModel(s, {}, {})->normal->DampingFactor(1.0), 0.0);
  Material dull;
  dull.restitution = 0.5;
  const auto gonthier = MakeContactModel(scenes::Frictionless(1, 0.5), {}, {});
  EXPECT_EQ(MakeContactModel(s, dull, {})->normal->DampingFactor(1.0),
            gonthier->normal->DampingFactor(1.0));
}

/** Two walls of a groove as one body, a box in it at a pose. */
Scene Groove(const ContactModelSettings& model, const Pose& X) {
  Scene scene = scenes::MakeScene(model, 1e-5);
  scene.gravity = {};
  scene.engine.tolerance = 1e-9;
  auto groove = std::make_shared<geometry::Shape>();
  groove->operation = geometry::Operation::kUnion;
  groove->name = "groove";
  groove->children = {scenes::Solid(geometry::HalfSpace{{0, 0.6, 0.8}, 0}, "left"),
                      scenes::Solid(geometry::HalfSpace{{0, -0.8, 0.6}, 0}, "right")};
  scene.shapes["groove"] = groove;
  scene.shapes["box"] = scenes::Solid(geometry::Box{{0.1, 0.1, 0.1}}, "box");
  scene.bodies = {scenes::Fixed("groove", "groove"), scenes::Free("box", "box", 1, X.p)};
  scene.bodies[1].X_WB.R = X.R;
  return scene;
}

/** A round peg that tilts in a round hole. */
Scene Bore(const ContactModelSettings& model, const Pose& X) {
  Scene scene = Groove(model, X);
  auto block = std::make_shared<geometry::Shape>();
  block->operation = geometry::Operation::kDifference;
  block->name = "block";
  block->children = {scenes::Solid(geometry::Box{{0.3, 0.3, 0.3}}, "outside"),
                     scenes::Solid(geometry::Cylinder{0.051, 0.4}, "bore")};
  scene.shapes["groove"] = block;
  scene.shapes["box"] = scenes::Solid(geometry::Cylinder{0.05, 0.2}, "peg");
  return scene;
}

using MakeScene = Scene (*)(const ContactModelSettings&, const Pose&);

/** Overlap of the whole pair. */
double Overlap(MakeScene make, const Pose& X) {
  Simulation simulation(make(scenes::Frictionless(1, 1), X));
  double V = 0;
  for (const ContactReport& contact : simulation.Contacts()) V += contact.geometry.V;
  return V;
}

/** Force and torque of the law against differences of its potential. */
void ExpectGradient(MakeScene make, double m, const Pose& X, double tolerance) {
  const double c = 1e3 * std::pow(1e-5, 2 - m);
  const Simulation simulation(make(Conserving(c, m), X));
  ASSERT_EQ(simulation.Contacts().size(), 1u);
  const auto w = [&](const Pose& at) { return c * std::pow(Overlap(make, at), m); };
  ASSERT_GT(Overlap(make, X), 1e-7);
  const Vec3 force = simulation.State()[1].contact_force;
  const Vec3 torque = simulation.State()[1].contact_torque;  // about the part's centre
  const double size = Norm(force) + 10 * Norm(torque);
  constexpr double kMove = 1e-6, kTurn = 1e-5;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 e;
    e[axis] = 1;
    const double f = -(w({X.R, X.p + kMove * e}) - w({X.R, X.p - kMove * e})) / (2 * kMove);
    EXPECT_NEAR(force[axis], f, tolerance * size) << m << ' ' << axis;
    const auto turned = [&](double angle) {
      const Vec3 v = std::sin(angle / 2) * e;
      return ToRotation(Quaternion{std::cos(angle / 2), v.x, v.y, v.z}) * X.R;
    };
    const double t = -(w({turned(kTurn), X.p}) - w({turned(-kTurn), X.p})) / (2 * kTurn);
    EXPECT_NEAR(torque[axis], t, 0.1 * tolerance * size) << m << ' ' << axis;
  }
}

TEST(ConservingLaw, WrenchIsTheGradientOfThePotentialOfTheWholePair) {
  testing::Random random(3);
  for (const double m : {1.25, 2.0, 3.0}) {
    ExpectGradient(Groove, m, {random.Rotation(), {0.01, 0.003, 0.055}}, 1e-5);
  }
}

TEST(ConservingLaw, RoundWallsDoNotTurnItFromTheGradient) {
  const Mat3 R = ToRotation(Normalized(Quaternion{1, 0.012, 0.004, 0.3}));
  ExpectGradient(Bore, 2.0, {R, {0.0006, 0.0003, 0.01}}, 1e-4);
  ExpectGradient(Bore, 2.0, {Mat3::Identity(), {0.0015, 0.0008, 0.01}}, 1e-4);
}

TEST(ConservingLaw, AllWallsOfAPairAreOneContactFromTheFirstStageOn) {
  for (const bool conserving : {true, false}) {
    Scene scene = Groove(conserving ? Conserving(2e8, 2) : scenes::Frictionless(4e6, 1),
                         {Mat3::Identity(), {0, 0.01, 0.13}});
    scene.gravity = {0, 0, -9.81};
    scene.integrator.step = 250e-6;
    Simulation simulation(scene);
    std::size_t most = 0;
    while (simulation.Time() < 0.5) {
      simulation.Step();
      most = std::max(most, simulation.Contacts().size());
    }
    EXPECT_EQ(most, conserving ? 1u : 2u);
    EXPECT_GT(simulation.Impacts().size(), 2u);
  }
}

// Two feet that land in one stage, of cells that are no neighbours.
TEST(ConservingLaw, FeetThatLandAtOnceAreOneContact) {
  const std::vector<geometry::Cell> plate(1), feet(2);
  std::vector<ActivePair> pairs(2);
  for (int k = 0; k < 2; ++k) {
    ActivePair& pair = pairs[static_cast<std::size_t>(k)];
    pair.i = 0;
    pair.j = 1;
    pair.a = 0;
    pair.b = k;
    pair.metrics.volume = 1e-6 * (k + 1);
    pair.metrics.p_WC = {0.1 * k, 0, 0};
    pair.metrics.area_vector = {0, 0, 1e-3};
  }
  for (const bool whole : {true, false}) {
    PatchSettings settings;
    settings.whole_pair = whole;
    testing::TwoBodyPatches patches(settings, plate, feet);
    patches.Evaluate(pairs, 10);
    ASSERT_EQ(patches.contacts().size(), whole ? 1u : 2u);
    if (whole) {
      EXPECT_NEAR(patches.contacts()[0].geometry.V, 3e-6, 1e-20);
      EXPECT_NEAR(patches.contacts()[0].geometry.S.z, 2e-3, 1e-17);
    }
  }
}

// At a stage: what the wrench does is what the audit counts, and damping takes.
TEST(ConservingLaw, PowersAreThoseOfTheWrenchAndDampingTakes) {
  testing::Random random(11);
  const auto model = MakeContactModel(Conserving(5e3, 2, 0.3), {}, {});
  int damped = 0, clamped = 0;
  for (int n = 0; n < 300; ++n) {
    testing::Problem p = testing::Draw(random, *model, 2, 2, 1e-3);
    for (StageContact& c : p.contacts) {
      c.geometry.S = random.Log(1e-4, 1e-2) * c.geometry.n;
      c.geometry.G = random.Vector(0.05 * Norm(c.geometry.S));
    }
    const std::vector<StageBody> before = p.bodies;
    const double H = n % 3 == 0 ? 0.0 : random.Log(1e-6, 1e-3);
    for (StageBody& body : p.bodies) body.has_offset = n % 2 == 0;
    ASSERT_TRUE(SolveStage(H, p.bodies, p.contacts).converged);
    for (const StageContact& c : p.contacts) {
      const StageBody& i = p.bodies[static_cast<std::size_t>(c.body_i)];
      const StageBody& j = p.bodies[static_cast<std::size_t>(c.body_j)];
      const Vec3 v_c =
          i.v + Cross(i.w, c.geometry.p_WC - i.p_WM) - j.v - Cross(j.w, c.geometry.p_WC - j.p_WM);
      const double power = Dot(c.force, v_c) + Dot(c.torque, i.w - j.w);
      const double size = std::fabs(c.power.elastic) + c.power.normal;
      EXPECT_NEAR(power, c.power.elastic - c.power.normal, 1e-8 * size);
      EXPECT_GE(c.power.normal, -1e-14 * size);
      damped += c.power.normal > 0.01 * size;
      clamped += c.f_n == 0.0;
      // One pressure for force and moment.
      const double pressure = Dot(c.force, c.geometry.S) / SquaredNorm(c.geometry.S);
      EXPECT_NEAR(Norm(c.force - pressure * c.geometry.S), 0, 1e-13 * Norm(c.force));
      EXPECT_NEAR(Norm(c.torque - pressure * c.geometry.G), 0, 1e-13 * Norm(c.torque));
    }
  }
  EXPECT_GT(damped, 100);
  EXPECT_GT(clamped, 3);
}

// The damping's force against the change of V alone, not against n·v.
TEST(ConservingLaw, TurningThatDeepensIsDampedAsFalling) {
  const auto model = MakeContactModel(Conserving(5e3, 2, 0.5), {}, {});
  const auto force = [&](const Vec3& v, const Vec3& w) {
    testing::Problem p;
    p.bodies.resize(2);
    p.bodies[1].inverse_mass = 1;
    p.bodies[1].inverse_inertia_W = Mat3::Identity();
    p.bodies[1].v = v;
    p.bodies[1].w = w;
    StageContact c = testing::OnGround(*model, 1e-4, 1e-8);
    c.geometry.S = {0, 0, 1e-2};
    c.geometry.G = {2e-4, 0, 0};
    c.latch = {0.5, model->normal->DampingFactor(0.5)};
    p.contacts = {c};
    SolveStage(0.0, p.bodies, p.contacts);
    return p.contacts[0].f_n;
  };
  EXPECT_NEAR(force({0, 0, -0.2}, {}), force({}, {-0.2 * 1e-2 / 2e-4, 0, 0}), 1e-12);
  EXPECT_GT(force({0, 0, -0.2}, {}), force({}, {}));
}

// A part between opposite walls: S is next to nothing, and even against the last normal.
TEST(ConservingLaw, WhereSVanishesTheMomentRemains) {
  const auto model = MakeContactModel(Conserving(5e3, 2), {}, {});
  for (const double h_gamma : {0.0, 1e-4}) {
    for (const double S : {1e-9, -1e-9, 1e-3}) {
      testing::Problem p;
      p.bodies.resize(2);
      p.bodies[1].inverse_mass = 1e-9;
      p.bodies[1].inverse_inertia_W = 1e-9 * Mat3::Identity();
      p.bodies[1].has_offset = h_gamma > 0;
      StageContact c = testing::OnGround(*model, 1e-4, 1e-8);
      c.geometry.S = {0, 0, S};
      c.geometry.G = {2e-4, 1e-4, 0};
      p.contacts = {c};
      ASSERT_TRUE(SolveStage(h_gamma, p.bodies, p.contacts).converged);
      const double pressure = 2 * 5e3 * 1e-4;
      EXPECT_NEAR(Norm(p.contacts[0].torque - pressure * c.geometry.G), 0, 1e-10) << S;
      EXPECT_NEAR(p.contacts[0].force.z / (pressure * S), 1, 1e-9) << S;
    }
  }
}

std::string SceneText(const std::string& normal, const std::string& more) {
  return "schema: intervox/scene/2\n"
         "shapes: {floor: {half_space: {normal: [0, 0, 1], offset: 0}}, ball: {sphere: {radius: "
         "1}}}\n"
         "contact_models:\n"
         "  default:\n"
         "    normal: {" +
         normal + "}\n" + more +
         "bodies:\n"
         "  floor: {shape: floor, fixed: true}\n"
         "  ball: {shape: ball, mass: 1, pose: {position: [0, 0, 2]}}\n";
}

TEST(ConservingLaw, WhatItCannotDoIsRefused) {
  const auto refused = [](const std::string& text, const std::string& begin) {
    try {
      MakeWorld(ParseScene(text, "s.yaml"));
      FAIL() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, begin.size()), begin);
    }
  };
  const std::string good = "model: conserving, coefficient: 1e9, exponent: 2";
  EXPECT_NO_THROW(MakeWorld(ParseScene(SceneText(good, ""), "s.yaml")));
  const std::string model = "contact_models.default.";
  refused(SceneText(good, "    direction: eigenvector\n"),
          "s.yaml:6: " + model + "direction: eigenvector is not the gradient");
  refused(SceneText(good, "    cells: pairs\n"), "s.yaml:6: " + model + "cells: pairs cannot");
  refused(SceneText("model: conserving, exponent: 2", ""),
          "s.yaml:5: " + model + "normal.coefficient: is missing. Give the c");
  refused(SceneText("model: conserving, coefficient: 1e9", ""),
          "s.yaml:5: " + model + "normal.exponent: is missing. Give the m");
  refused(
      SceneText("model: conserving, coefficient: 1e9, exponent: 1", ""),
      "s.yaml:5: " + model + "normal.exponent: 1 is below 1.05 (allowed: 1.05 to 4). Give the m");
  refused(SceneText(good + ", stiffness: 1", ""),
          "s.yaml:5: " + model + "normal.stiffness: is not");
}

}  // namespace
}  // namespace intervox::host
