// Settling and insertion forces against what statics says by hand.
#include "host/quasistatic/quasistatic.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "host/input/error.h"
#include "simulation_scenes.h"

namespace intervox::host {
namespace {

using namespace scenes;  // NOLINT(google-build-using-namespace): the tests' own

constexpr double kGravity = 9.81;

Scene OnFloor(const ContactModelSettings& model) {
  Scene scene = MakeScene(model);
  scene.shapes["floor"] = Solid(geometry::HalfSpace{{0, 0, 1}, 0.0}, "floor");
  scene.bodies.push_back(Fixed("floor", "floor"));
  return scene;
}

Scene Ball(double radius, double mass, double stiffness) {
  Scene scene = OnFloor(Frictional(stiffness, 0.5, 0.3));
  scene.shapes["ball"] = Solid(geometry::Sphere{radius}, "ball");
  scene.bodies.push_back(Free("ball", "ball", mass, {0, 0, 1.2 * radius}));
  return scene;
}

/** The depth h of a ball whose cap carries its weight: k_v π h² (R − h/3) = m g. */
double DepthOf(double radius, double mass, double stiffness) {
  double low = 0.0, high = radius;
  for (int k = 0; k < 200; ++k) {
    const double h = 0.5 * (low + high);
    const double load = stiffness * std::numbers::pi * h * h * (radius - h / 3);
    (load < mass * kGravity ? low : high) = h;
  }
  return low;
}

TEST(Settle, ABallLiesAsDeepAsItsCapCarriesIt) {
  for (const double radius : {1e-3, 0.1, 10.0}) {
    const double mass = 2e3 * radius * radius * radius, stiffness = 1e7 / radius;
    const Equilibrium found = Settle(Ball(radius, mass, stiffness));
    ASSERT_EQ(found.bodies.size(), 1u);
    const BodyState& ball = found.bodies[0].state;
    const double depth = DepthOf(radius, mass, stiffness);
    EXPECT_NEAR(radius - ball.X_WB.p.z, depth, 2e-6 * depth);
    EXPECT_NEAR(ball.contact_force.z, mass * kGravity, 2e-6 * mass * kGravity);
    EXPECT_LE(found.bodies[0].residual, 1e-6 * mass * kGravity);
    EXPECT_EQ(found.contacts.size(), 1u);
  }
}

Scene BoxOnSlope(double degrees) {
  Scene scene = OnFloor(Frictional(1e9, 0.5, 0.3));
  const double angle = degrees * std::numbers::pi / 180;
  scene.gravity = {kGravity * std::sin(angle), 0, -kGravity * std::cos(angle)};
  scene.shapes["box"] = Solid(geometry::Box{{0.1, 0.1, 0.05}}, "box");
  scene.bodies.push_back(Free("box", "box", 1.0, {0, 0, 0.026}));
  return scene;
}

TEST(Settle, ABoxStaysOnASlopeBelowItsFriction) {
  const Equilibrium found = Settle(BoxOnSlope(15.0));  // tan 15° = 0.268
  const double angle = 15.0 * std::numbers::pi / 180;
  EXPECT_NEAR(found.bodies[0].state.contact_force.x, -kGravity * std::sin(angle), 1e-5);
  EXPECT_NEAR(found.bodies[0].state.contact_force.z, kGravity * std::cos(angle), 1e-5);
}

TEST(Settle, SaysWhatMovesWhereThereIsNoEquilibrium) {
  const auto message = [](const Scene& scene) {
    try {
      Settle(scene, {1e-6, 300});
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string slides = message(BoxOnSlope(20.0));  // tan 20° = 0.364
  EXPECT_NE(slides.find("body box still moves"), std::string::npos) << slides;
  EXPECT_NE(slides.find("It slides"), std::string::npos) << slides;
  Scene falling = Ball(0.1, 2.0, 1e7);
  falling.bodies.erase(falling.bodies.begin());
  const std::string falls = message(falling);
  EXPECT_NE(falls.find("Nothing touches it"), std::string::npos) << falls;
  Scene fixed = OnFloor(Frictional(1e7, 0.5, 0.3));
  EXPECT_THROW(Settle(fixed), InputError);
}

// A block that is held 0.1 mm deep in a floor and pushed along it: N = k_v A δ, and μ N resists.
TEST(InsertionForce, OfABlockAlongAFloorIsFrictionTimesItsLoad) {
  for (const double stiffness : {1e8, 1e10}) {
    Scene scene = OnFloor(Frictional(stiffness, 0.5, 0.3));
    scene.shapes["block"] = Solid(geometry::Box{{0.1, 0.08, 0.05}}, "block");
    scene.bodies.push_back(Free("block", "block", 1.0, {0, 0, 0.025 - 1e-4}));
    const auto points = InsertionForce(scene, {"block", {2, 0, 0}, 0.01, 3, 0.1});
    ASSERT_EQ(points.size(), 3u);
    const double load = stiffness * 0.1 * 0.08 * 1e-4;
    for (const InsertionPoint& point : points) {
      EXPECT_NEAR(point.push, 0.3 * load, 2e-3 * 0.3 * load);
      EXPECT_NEAR(point.across, load, 1e-6 * load);
      EXPECT_NEAR(point.position, point.depth, 1e-12);
      EXPECT_EQ(point.contacts, 1);
    }
    EXPECT_NEAR(points.back().depth, 0.01, 1e-15);
  }
}

// Pressed onto the floor from a gap, the force is 0, then k_v A (s − gap).
TEST(InsertionForce, OntoAFaceIsItsStiffnessTimesTheDepth) {
  Scene scene = OnFloor(Frictional(1e8, 0.5, 0.3));
  scene.shapes["block"] = Solid(geometry::Box{{0.1, 0.08, 0.05}}, "block");
  scene.bodies.push_back(Free("block", "block", 1.0, {0, 0, 0.025 + 1e-3}));
  const auto points = InsertionForce(scene, {"block", {0, 0, -1}, 2e-3, 4, 0.1});
  for (const InsertionPoint& point : points) {
    const double depth = std::fmax(0.0, point.depth - 1e-3);
    EXPECT_NEAR(point.push, 1e8 * 0.1 * 0.08 * depth, 1e-3);
    EXPECT_NEAR(point.across, 0.0, 1e-6);
  }
}

/** The Morse taper of data/scenes/validation, `scale` times as large. */
struct Taper {
  double scale = 1.0, slope = 0.5 / 20.02, mu = 0.1, stiffness = 1e11;
  double start = 0.0;  ///< the way that it is in its socket at the start, times its length

  double Length() const { return 0.0512 * scale; }
  double Radius() const { return 0.00889 * scale; }  ///< in the middle

  Scene Load() const {
    const auto cone = [&](double height) {
      const double half = 0.5 * slope * height;
      return fmt::format("{{radius_bottom: {}, radius_top: {}, height: {}}}", Radius() - half,
                         Radius() + half, height);
    };
    return LoadScene(INTERVOX_DATA_DIR "/scenes/validation/morse_taper.yaml",
                     {fmt::format("shapes.socket.difference[0].box.size=[{}, {}, {}]", 0.06 * scale,
                                  0.06 * scale, 1.25 * Length()),
                      "shapes.socket.difference[1].cone=" + cone(1.5 * Length()),
                      "shapes.taper.cone=" + cone(Length()),
                      fmt::format("bodies.taper.pose.position=[0, 0, {}]", -start * Length()),
                      fmt::format("bodies.taper.mass={}", scale * scale * scale),
                      fmt::format("contact_models.default.normal.stiffness={}", stiffness),
                      fmt::format("contact_models.default.friction.mu_s={}", mu),
                      fmt::format("contact_models.default.friction.mu_c={}", mu),
                      fmt::format("contact_models.default.friction.sigma_0={}", 2e6 / scale)});
  }

  /** The normal forces k_v V at a way s into the socket, V being what lies between two cones. */
  double Normal(double s) const {
    return stiffness * std::numbers::pi * slope * s * Length() * (2 * Radius() - slope * s);
  }
  double Sine() const { return slope / std::hypot(1.0, slope); }
  /** The share along the axis of a tangent of a quarter of the cone, at its mean normal. */
  double Cosine() const { return 1.0 / std::hypot(1.0, slope * std::numbers::pi / std::sqrt(8.0)); }
};

// A wedge all around: going in, N (sin α + μ cos α) resists, coming out, N (μ cos α − sin α).
TEST(InsertionForce, OfATaperIsThatOfAWedge) {
  const std::vector<Taper> tapers = {
      {},
      {.mu = 0.0},
      {.mu = 0.01},
      {.mu = 1.0},
      {.scale = 0.1},
      {.scale = 10.0},
      {.slope = 0.1, .mu = 0.3},
      {.slope = 0.0025},
      {.stiffness = 1e9},
      {.stiffness = 1e13},
  };
  for (const Taper& taper : tapers) {
    SCOPED_TRACE(fmt::format("scale {} slope {} mu {} stiffness {}", taper.scale, taper.slope,
                             taper.mu, taper.stiffness));
    const double way = 2e-3 * taper.Length();
    for (const InsertionPoint& in :
         InsertionForce(taper.Load(), {"taper", {0, 0, -1}, way, 3, 0.1})) {
      const double N = taper.Normal(in.position);
      EXPECT_NEAR(in.push, N * (taper.Sine() + taper.mu * taper.Cosine()), 1e-4 * in.push);
      EXPECT_NEAR(in.across, 0.0, 1e-8 * N);
      EXPECT_NEAR(in.position, in.depth, 1e-8 * way);
      EXPECT_EQ(in.contacts, 4);
    }
    Taper home = taper;
    home.start = 2e-3;
    const auto points = InsertionForce(home.Load(), {"taper", {0, 0, 1}, 0.5 * way, 3, 0.1});
    for (const InsertionPoint& out : points) {
      const double N = taper.Normal(way - out.position);
      EXPECT_NEAR(out.push, N * (taper.mu * taper.Cosine() - taper.Sine()),
                  1e-4 * (N * taper.Sine() + std::fabs(out.push)));
    }
  }
}

TEST(InsertionForce, RefusesWhatCannotBePushed) {
  const Scene scene = Ball(0.1, 2.0, 1e7);
  EXPECT_THROW(InsertionForce(scene, {"peg", {0, 0, -1}, 0.01}), InputError);
  EXPECT_THROW(InsertionForce(scene, {"floor", {0, 0, -1}, 0.01}), InputError);
  EXPECT_THROW(InsertionForce(scene, {"ball", {0, 0, 0}, 0.01}), InputError);
  EXPECT_THROW(InsertionForce(scene, {"ball", {0, 0, -1}, 0.0}), InputError);
}

}  // namespace
}  // namespace intervox::host
