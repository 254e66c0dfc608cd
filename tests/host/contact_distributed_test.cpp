// Distributed friction against the Coulomb–Contensou integrals, and in simulations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "cuda/engine.h"
#include "cuda/patch/patch_quadrature.h"
#include "geometry/shape.h"
#include "host/contact/contact_model.h"
#include "host/input/error.h"
#include "host/scene/reader.h"
#include "host/simulation.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kMu = 0.3;

std::unique_ptr<const ContactModel> Model(double v_epsilon = 1e-9) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e8}, {"restitution", 0.5}}, {}};
  s.friction = {"distributed", {{"mu", kMu}, {"v_epsilon", v_epsilon}}, {}};
  return MakeContactModel(s, {}, {});
}

/** A solid that stands on the floor, and what it presses with over the plane, summed finely. */
struct Shape {
  std::string name;
  geometry::Shape solid;
  double height = 0.0;  // of its origin
  std::function<double(double, double)> depth;
  double half_x = 0.0, half_y = 0.0;  // of a box around the patch [m]
};

geometry::Shape Solid(geometry::Primitive primitive) {
  geometry::Shape shape;
  shape.name = "part";
  shape.primitive = std::move(primitive);
  return shape;
}

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  const double R = 0.05, sunk = 1e-4;
  const auto disc = [=](double x, double y) { return x * x + y * y < R * R ? sunk : 0.0; };
  shapes.push_back({"disc", Solid(geometry::Cylinder{R, 0.1}), 0.05 - sunk, disc, R, R});
  geometry::Shape pipe;
  pipe.name = "part";
  pipe.operation = geometry::Operation::kDifference;
  pipe.children = {std::make_shared<geometry::Shape>(Solid(geometry::Cylinder{R, 0.1})),
                   std::make_shared<geometry::Shape>(Solid(geometry::Cylinder{0.6 * R, 0.2}))};
  const auto ring = [=](double x, double y) {
    return x * x + y * y > 0.36 * R * R ? disc(x, y) : 0.0;
  };
  shapes.push_back({"annulus", pipe, 0.05 - sunk, ring, R, R});
  const auto even = [=](double, double) { return sunk; };
  shapes.push_back(
      {"rectangle", Solid(geometry::Box{{0.1, 0.06, 0.1}}), 0.05 - sunk, even, 0.05, 0.03});
  const double ball = 0.1, deep = 2e-5,
               rim = std::sqrt(ball * ball - (ball - deep) * (ball - deep));
  const auto cap = [=](double x, double y) {
    return std::fmax(0.0, std::sqrt(ball * ball - x * x - y * y) - (ball - deep));
  };
  shapes.push_back({"cap", Solid(geometry::Sphere{ball}), ball - deep, cap, rim, rim});
  return shapes;
}

/** The points of a shape's patch, and its radius of gyration about the normal. */
struct Points {
  PatchQuadrature quadrature;
  double r_gyr = 0.0;

  explicit Points(const Shape& shape, const PatchFineness& fineness = {}) {
    const auto cells = geometry::ToCells(shape.solid);
    const auto floor = geometry::ToCells(Solid(geometry::HalfSpace{{0, 0, 1}, 0}));
    const PairQuery query{
        &cells[0], &floor[0], Pose{Mat3::Identity(), {0, 0, shape.height}}, {}, 1e-7};
    const InterferenceMetrics m = ComputeMetrics(query);
    const Mat3 E = 0.5 * Trace(m.J_W) * Mat3::Identity() - m.J_W;
    ComputePatchQuadrature(std::span(&query, 1), {m.p_WC, {0, 0, 1}, E, m.volume}, &quadrature,
                           fineness);
    r_gyr = std::sqrt(m.J_W(2, 2) / m.volume);
  }
};

struct Wrench {
  double x = 0, y = 0, m = 0;
};

/** The law's force and moment over μ f_n. */
Wrench OfLaw(const ContactModel& model, const Points& points, double vx, double vy, double w) {
  const Vec3 v{vx, vy, 0};
  const Vec3 &t1 = points.quadrature.t1, &t2 = points.quadrature.t2;
  Slip slip;
  slip.v = {Dual::Variable(Dot(v, t1), 0), Dual::Variable(Dot(v, t2), 1)};
  slip.w = Dual::Variable(points.r_gyr * w, 2);
  slip.f_n = Dual::Variable(1.0 / kMu, 3);
  slip.r_gyr = points.r_gyr;
  slip.patch = &points.quadrature;
  const Traction t = model.friction->Evaluate(slip);
  const Vec3 f = t.f.x.v * t1 + t.f.y.v * t2;
  return {f.x, f.y, points.r_gyr * t.f_w.v};
}

/** The integrals by a product of midpoints in polar rings, or in x and y. */
Wrench Integral(const Shape& shape, double vx, double vy, double w, int rings = 500,
                int around = 800) {
  Wrench sum;
  double load = 0;
  const auto add = [&](double x, double y, double area) {
    const double p = shape.depth(x, y) * area;
    if (!(p > 0)) return;
    const double ux = vx - w * y, uy = vy + w * x, u = std::hypot(ux, uy);
    load += p;
    if (!(u > 0)) return;
    sum.x += p * ux / u;
    sum.y += p * uy / u;
    sum.m += p * (x * uy - y * ux) / u;
  };
  if (shape.name == "rectangle") {
    const double hx = 2 * shape.half_x / around, hy = 2 * shape.half_y / rings;
    for (int i = 0; i < around; ++i) {
      for (int j = 0; j < rings; ++j) {
        add((i + 0.5) * hx - shape.half_x, (j + 0.5) * hy - shape.half_y, hx * hy);
      }
    }
  } else {
    for (int i = 0; i < rings; ++i) {
      const double r = (i + 0.5) * shape.half_x / rings;
      for (int j = 0; j < around; ++j) {
        const double a = 2 * kPi * (j + 0.5) / around;
        add(r * std::cos(a), r * std::sin(a), r);
      }
    }
  }
  return {sum.x / load, sum.y / load, sum.m / load};
}

TEST(DistributedFriction, HasTheLimitSurfacesOfCoulombAndContensou) {
  const auto model = Model();
  for (const Shape& shape : Shapes()) {
    const Points points(shape);
    const double largest = Integral(shape, 0, 0, 1).m;
    double force_miss = 0, moment_miss = 0;
    for (const double ratio : {0.0, 0.03, 0.1, 0.2, 0.32, 0.45, 0.56, 0.8, 0.95, 1.0, 1.3, 3.0}) {
      for (const double angle : {0.0, 0.5, 1.2}) {
        const double v = ratio * shape.half_x;
        const double vx = v * std::cos(angle), vy = v * std::sin(angle);
        const Wrench law = OfLaw(*model, points, vx, vy, 1.0);
        const Wrench exact = Integral(shape, vx, vy, 1.0);
        force_miss = std::max(force_miss, std::hypot(law.x - exact.x, law.y - exact.y));
        moment_miss = std::max(moment_miss, std::fabs(law.m - exact.m) / largest);
      }
    }
    EXPECT_LT(force_miss, 1e-3) << shape.name;
    EXPECT_LT(moment_miss, 1e-3) << shape.name;
    RecordProperty(shape.name + "_force", std::to_string(force_miss));
    RecordProperty(shape.name + "_moment", std::to_string(moment_miss));
  }
}

// What the lumped law says over what is exact: f/(μ f_n) = C_v and m/(μ f_n) = r_gyr C_ω.
TEST(DistributedFriction, ReproducesTheTableOfLumpedOverExact) {
  const auto model = Model();
  const std::vector<Shape> shapes = Shapes();
  const auto over = [&](const Shape& shape, double ratio, bool moment) {
    const Points points(shape);
    const double v = ratio * shape.half_x, average = std::hypot(v, points.r_gyr);
    const Wrench exact = OfLaw(*model, points, v, 0, 1.0);
    return moment ? points.r_gyr * points.r_gyr / average / exact.m : v / average / exact.x;
  };
  const Shape &disc = shapes[0], &cap = shapes[3];
  EXPECT_NEAR(over(cap, 0, true), 1.083, 2e-3);
  EXPECT_NEAR(over(cap, 0.32, true), 1.077, 2e-3);
  EXPECT_NEAR(over(cap, 0.56, true), 1.154, 2e-3);
  EXPECT_NEAR(over(cap, 1.0, true), 1.594, 5e-3);
  EXPECT_NEAR(over(cap, 1e3, true), 2, 5e-3);
  EXPECT_NEAR(over(cap, 0.1, false), 1.29, 1.2e-2);  // the force is 0.13: 1e-3 is 0.01 here
  EXPECT_NEAR(over(cap, 0.32, false), 1.18, 6e-3);
  EXPECT_NEAR(over(cap, 1.0, false), 0.956, 2e-3);
  EXPECT_NEAR(over(cap, 1e3, false), 1, 1e-5);
  EXPECT_NEAR(over(disc, 0, true), 1.061, 2e-3);
  EXPECT_NEAR(over(disc, 1.0, true), 1.443, 5e-3);
  EXPECT_NEAR(over(disc, 1e3, true), 2, 5e-3);
}

Slip SlipOf(const Points& points, double v1, double v2, double w, double f_n) {
  Slip slip;
  slip.v = {Dual::Variable(v1, 0), Dual::Variable(v2, 1)};
  slip.w = Dual::Variable(w, 2);
  slip.f_n = Dual::Variable(f_n, 3);
  slip.r_gyr = points.r_gyr;
  slip.patch = &points.quadrature;
  return slip;
}

TEST(DistributedFriction, DissipatesInAnyStateAndNeverMoreThanItsLimit) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(-1, 1), decade(-12, 6);
  const auto model = Model(1e-4);
  for (const Shape& shape : Shapes()) {
    const Points points(shape);
    for (int k = 0; k < 3000; ++k) {
      const double speed = std::pow(10, decade(random)), spin = std::pow(10, decade(random));
      const double v1 = speed * unit(random), v2 = speed * unit(random), w = spin * unit(random);
      const Traction t = model->friction->Evaluate(SlipOf(points, v1, v2, w, 2.0));
      const double power = t.f.x.v * v1 + t.f.y.v * v2 + t.f_w.v * w;
      ASSERT_GE(power, 0) << v1 << " " << v2 << " " << w;
      ASSERT_LE(std::hypot(t.f.x.v, t.f.y.v), 2.0 * kMu * (1 + 1e-12));
    }
  }
}

TEST(DistributedFriction, ItsSlopesAreThoseOfAConvexFunction) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1), decade(-7, 1);
  const auto model = Model(1e-4);
  for (const Shape& shape : Shapes()) {
    const Points points(shape);
    for (int k = 0; k < 300; ++k) {
      const double speed = std::pow(10, decade(random)), spin = std::pow(10, decade(random));
      const double x[4] = {speed * unit(random), speed * unit(random), spin * unit(random),
                           1 + 0.5 * unit(random)};
      const Traction t = model->friction->Evaluate(SlipOf(points, x[0], x[1], x[2], x[3]));
      const Dual* rows[3] = {&t.f.x, &t.f.y, &t.f_w};
      const double h = 1e-6 * std::max(1e-4, std::hypot(x[0], x[1], x[2]));
      double largest = 0;
      for (const Dual* row : rows) {
        for (int d = 0; d < 3; ++d) largest = std::max(largest, std::fabs(row->d[d]));
      }
      for (int d = 0; d < 4; ++d) {
        double up[4] = {x[0], x[1], x[2], x[3]}, down[4] = {x[0], x[1], x[2], x[3]};
        up[d] += h;
        down[d] -= h;
        const Traction a = model->friction->Evaluate(SlipOf(points, up[0], up[1], up[2], up[3]));
        const Traction b =
            model->friction->Evaluate(SlipOf(points, down[0], down[1], down[2], down[3]));
        const double slopes[3] = {(a.f.x.v - b.f.x.v) / (2 * h), (a.f.y.v - b.f.y.v) / (2 * h),
                                  (a.f_w.v - b.f_w.v) / (2 * h)};
        const double scale = d < 3 ? largest : kMu;
        for (int r = 0; r < 3; ++r) {
          ASSERT_NEAR(rows[r]->d[d], slopes[r], 1e-4 * scale + 1e-9 / h) << shape.name << r << d;
        }
      }
      // Symmetric, and no direction in which the force falls.
      ASSERT_NEAR(t.f.x.d[1], t.f.y.d[0], 1e-12 * largest);
      ASSERT_NEAR(t.f.x.d[2], t.f_w.d[0], 1e-12 * largest);
      ASSERT_NEAR(t.f.y.d[2], t.f_w.d[1], 1e-12 * largest);
      for (int d = 0; d < 20; ++d) {
        const double e[3] = {unit(random), unit(random), unit(random)};
        double along = 0;
        for (int r = 0; r < 3; ++r) {
          for (int c = 0; c < 3; ++c) along += e[r] * rows[r]->d[c] * e[c];
        }
        ASSERT_GE(along, -1e-12 * largest);
      }
    }
  }
}

std::string Refusal(const ContactModelSettings& settings) {
  try {
    MakeContactModel(settings, {}, {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DistributedFriction, RefusesWhatItCannotServe) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", 1e8}, {"restitution", 0.5}}, {}};
  s.friction = {"distributed", {{"mu", 0.3}}, {}};
  ContactModelSettings twice = s;
  twice.spinning.model = "contensou";
  EXPECT_EQ(Refusal(twice),
            "spinning.model: \"contensou\" would count spinning twice: the friction model "
            "\"distributed\" has it. Use none, or remove spinning.");
  ContactModelSettings even = s;
  even.normal = {"conserving", {{"coefficient", 1.0}, {"exponent", 2.0}}, {}};
  EXPECT_NE(
      Refusal(even).find("friction.model: the friction model \"distributed\" needs a pressure"),
      std::string::npos);
  ContactModelSettings points = s;
  points.geometry = ContactGeometry::kPoints;
  points.normal.parameters["stiffness"] = 1e8;
  EXPECT_NE(Refusal(points).find("friction.model: \"distributed\" sums over the area"),
            std::string::npos);
  s.friction.parameters["mu_s"] = 0.3;
  EXPECT_NE(Refusal(s).find("friction.mu_s: is not a parameter"), std::string::npos);
}

TEST(DistributedFriction, RefusesGridsByName) {
  const auto refusal = [](const std::string& representation) {
    const std::string text =
        "schema: intervox/scene/2\nshapes:\n  ball: {sphere: {radius: 0.1}}\n"
        "  floor: {half_space: {normal: [0, 0, 1], offset: 0}}\ncontact_models:\n  default:\n"
        "    normal: {model: gonthier, stiffness: 1e7, restitution: 0.5}\n"
        "    friction: {model: distributed, mu: 0.3}\nbodies:\n  floor: {shape: floor, fixed: "
        "true}\n"
        "  ball: {shape: ball, mass: 1" +
        representation + "}\n";
    try {
      const Simulation simulation(ParseScene(text, "scene.yaml"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(""), "");
  const std::string message = refusal(", representation: {grid: 0.02}");
  EXPECT_NE(
      message.find("contact_models.default.friction.model: \"distributed\" has no points over "
                   "grids, and body ball is one. Use representation: exact for the body, or "
                   "another friction model."),
      std::string::npos)
      << message;
}

/** A part of the given shape on the floor, 1 kg, started at its resting depth. */
Scene OnFloor(geometry::ShapePtr shape, double height, const Vec3& v, const Vec3& w,
              const std::string& friction) {
  ContactModelSettings model;
  model.normal = {"gonthier", {{"stiffness", 1e8}, {"restitution", 0.5}}, {}};
  model.friction = {friction, {{"mu", kMu}, {"v_epsilon", 1e-5}}, {}};
  if (friction != "distributed") model.spinning.model = "contensou";
  Scene scene = scenes::MakeScene(model, 1e-3);
  scene.shapes["part"] = std::move(shape);
  scene.shapes["floor"] = scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0}, "floor");
  scene.bodies = {scenes::Fixed("floor", "floor"),
                  scenes::Free("part", "part", 1.0, {0, 0, height}, v, w)};
  return scene;
}

// A thin disc, whose weight hardly leans on its front, against its two equations with the
// integrals: m v' = −f, (m R²/2) ω' = −m(ω). Sliding and spinning end together.
TEST(DistributedFriction, ADiscStopsSlidingAndSpinningTogether) {
  const double R = 0.05, g = 9.81, height = 1e-3, k_v = 1e9;
  for (const double spin : {2.0, 10.0, 40.0}) {
    Scene scene =
        OnFloor(scenes::Solid(geometry::Cylinder{R, height}, "part"),
                0.5 * height - g / (k_v * kPi * R * R), {0.3, 0, 0}, {0, 0, spin}, "distributed");
    scene.contact_models["default"].normal.parameters["stiffness"] = k_v;
    Simulation simulation(scene);
    const auto part = [&] { return simulation.State()[1]; };
    Shape disc = Shapes()[0];
    double v = 0.3, w = spin;
    for (int k = 0; k < 1000; ++k) {
      const double h = 1e-3;
      const auto rate = [&](double at_v, double at_w) {
        const Wrench f = Integral(disc, at_v, 0, at_w, 60, 96);
        return std::pair(-kMu * g * f.x, -kMu * g * f.m / (0.5 * R * R));
      };
      const auto [a, b] = rate(v, w);
      const auto [c, d] = rate(v + 0.5 * h * a, w + 0.5 * h * b);
      v += h * c;
      w += h * d;
      if (v < 5e-3 || w < 0.1) break;
      simulation.Step();
      ASSERT_NEAR(std::hypot(part().v_WB.x, part().v_WB.y), v, 2e-3 * 0.3) << spin << " " << k;
      ASSERT_NEAR(part().w_WB.z, w, 5e-3 * spin) << spin << " " << k;
    }
    for (int k = 0; k < 30; ++k) simulation.Step();
    EXPECT_LT(std::hypot(part().v_WB.x, part().v_WB.y), 1e-5) << spin;
    EXPECT_LT(std::fabs(part().w_WB.z), 1e-3) << spin;
  }
}

// Cut into four cells, the box moves as the whole one does.
TEST(DistributedFriction, CutsDoNotShow) {
  const auto run = [](bool cut) {
    geometry::ShapePtr shape = scenes::Solid(geometry::Box{{0.1, 0.06, 0.002}}, "part");
    if (cut) {
      auto four = std::make_shared<geometry::Shape>();
      four->name = "part";
      four->operation = geometry::Operation::kUnion;
      for (int k = 0; k < 4; ++k) {
        four->children.push_back(
            scenes::Solid(geometry::Box{{0.05, 0.03, 0.002}}, "quarter",
                          {Mat3::Identity(), {k & 1 ? 0.025 : -0.025, k & 2 ? 0.015 : -0.015, 0}}));
      }
      shape = four;
    }
    Simulation simulation(OnFloor(shape, 0.001 - 1.6e-5, {0.2, 0.1, 0}, {0, 0, 6}, "distributed"));
    for (int k = 0; k < 60; ++k) simulation.Step();
    return simulation.State()[1];
  };
  const BodyState whole = run(false), cut = run(true);
  EXPECT_LT(Norm(whole.X_WB.p - cut.X_WB.p), 1e-9);
  EXPECT_LT(Norm(whole.v_WB - cut.v_WB), 1e-8);
  EXPECT_LT(Norm(whole.w_WB - cut.w_WB), 1e-6);
  EXPECT_GT(Norm(whole.v_WB), 0.01);
}

// On a slope below the friction angle it creeps, slower than v_epsilon where the load is below
// 0.93 of the limit, and so does the lumped law.
TEST(DistributedFriction, CreepsOnASlopeAsCoulombDoes) {
  for (const char* friction : {"distributed", "coulomb"}) {
    Scene scene = OnFloor(scenes::Solid(geometry::Box{{0.1, 0.06, 0.002}}, "part"), 0.001 - 1.6e-5,
                          {}, {}, friction);
    const double angle = 0.8 * std::atan(kMu);
    scene.gravity = {9.81 * std::sin(angle), 0, -9.81 * std::cos(angle)};
    Simulation simulation(scene);
    for (int k = 0; k < 500; ++k) simulation.Step();
    const double v = simulation.State()[1].v_WB.x;
    EXPECT_GT(v, 0) << friction;
    EXPECT_LT(v, 1e-5) << friction;
  }
}

// Two free bodies give each other what they take; dissipated energies never fall.
TEST(DistributedFriction, ActionIsReactionAndTheBitsAreTheSame) {
  const auto run = [](int threads) {
    Scene scene = OnFloor(scenes::Solid(geometry::Sphere{0.05}, "part"), 0, {}, {}, "distributed");
    scene.gravity = {};
    scene.shapes["block"] = scenes::Solid(geometry::Box{{0.2, 0.2, 0.1}}, "block");
    scene.bodies = {
        scenes::Free("block", "block", 2.0, {0, 0, -0.05}, {}, {0, 0, 3}),
        scenes::Free("part", "part", 1.0, {0.02, 0.01, 0.0501}, {0.2, -0.1, -0.3}, {5, 2, -20})};
    EngineOptions options;
    options.threads = threads;
    return Simulation(scene, options);
  };
  Simulation one = run(1), four = run(4);
  const auto momentum = [](const Simulation& s) {
    return 2.0 * s.State()[0].v_WB + 1.0 * s.State()[1].v_WB;
  };
  const Vec3 before = momentum(one);
  bool touched = false;
  for (int k = 0; k < 100; ++k) {
    one.Step();
    four.Step();
    touched = touched || !one.Contacts().empty();
    ASSERT_LT(Norm(momentum(one) - before), 1e-13);
    for (int b = 0; b < 2; ++b) {
      const BodyState &x = one.State()[static_cast<std::size_t>(b)],
                      &y = four.State()[static_cast<std::size_t>(b)];
      ASSERT_EQ(Norm(x.v_WB - y.v_WB), 0);
      ASSERT_EQ(Norm(x.w_WB - y.w_WB), 0);
    }
  }
  EXPECT_TRUE(touched);
  EXPECT_LT(one.State()[1].w_WB.z, 0);
  EXPECT_GT(one.State()[1].w_WB.z, -20);
}

}  // namespace
}  // namespace intervox::host
