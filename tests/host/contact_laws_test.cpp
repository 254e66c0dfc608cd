#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "host/contact/contact_model.h"
#include "host/contact/damping_factor.h"
#include "host/contact/friction_bristle.h"
#include "host/contact/registry.h"
#include "host/contact/rolling_laws.h"
#include "host/input/error.h"
#include "tests/host/contact_world.h"

namespace intervox::host {
namespace {

ContactModelSettings Gonthier(double stiffness, double restitution) {
  ContactModelSettings s;
  s.normal = {"gonthier", {{"stiffness", stiffness}, {"restitution", restitution}}, {}};
  return s;
}

TEST(DampingFactor, MatchesTheTable) {
  const double table[][2] = {{0.1, 0.99981593975}, {0.3, 0.92612459434}, {0.5, 0.71637526664},
                             {0.7, 0.44437979689}, {0.9, 0.14983375562}, {0.975, 0.03749759651}};
  for (const auto& [e, d] : table) EXPECT_NEAR(DampingRoot(e), d, 6e-12) << e;
}

/** The integral of f over [0, end] by Gauss and Legendre's rule of five points on 200 panels. */
long double Quadrature(const std::function<long double(long double)>& f, long double end) {
  const long double near = std::sqrt(5 - 2 * std::sqrt(10.0L / 7)) / 3;
  const long double far = std::sqrt(5 + 2 * std::sqrt(10.0L / 7)) / 3;
  const long double of_near = (322 + 13 * std::sqrt(70.0L)) / 900;
  const long double of_far = (322 - 13 * std::sqrt(70.0L)) / 900;
  constexpr int kPanels = 200;
  const long double half = end / (2 * kPanels);
  long double sum = 0.0L;
  for (int k = 0; k < kPanels; ++k) {
    const long double at = (2 * k + 1) * half;
    sum += 128.0L / 225 * f(at) + of_near * (f(at - half * near) + f(at + half * near)) +
           of_far * (f(at - half * far) + f(at + half * far));
  }
  return sum * half;
}

/** What approach takes more than return gives with a factor d, in the phase plane: m v dv =
 −k xᵖ (1 + a v_n) dx, so that ∫ v dv/(1 + a v_n) of both ways is one ∫ k xᵖ dx/m. With the speed y
 in units of the approach's, ∫₀¹ y dy/(1 + d y/e) − ∫₀ᵉ y dy/(1 − d y/e); y goes by the logarithm of
 the denominators, which are near 0 for small e. 0 for the right d, falling with d. */
long double Unbalanced(long double d, long double e) {
  const long double scale = e / d;
  const long double approach =
      Quadrature([&](long double s) { return scale * scale * std::expm1(s); }, std::log1p(d / e));
  const long double back =
      Quadrature([&](long double s) { return -scale * scale * std::expm1(-s); }, -std::log1p(-d));
  return approach - back;
}

TEST(DampingFactor, IsExactTo1e12AsQuadratureInThePhasePlaneSays) {
  const auto expect = [](double e) {
    const long double d = DampingRoot(e);
    EXPECT_GT(Unbalanced(d - 1e-12L, e), 0.0L) << e;
    if (d + 1e-12L < 1.0L) {
      EXPECT_LT(Unbalanced(d + 1e-12L, e), 0.0L) << e;
    }
  };
  for (int k = 1; k < 100; ++k) {
    expect(0.01 * k);
    expect(0.01 * k + 0.00371);
  }
  for (double rest = 0.01; rest > 1e-10; rest *= 0.37) expect(1.0 - rest);  // d ≈ (3/2)(1 − e)
}

TEST(DampingFactor, SolvesItsEquationInsideTheBracketForEveryE) {
  for (double e = 0.01; e < 1.0; e += 0.00371) {
    const double d = DampingRoot(e);
    EXPECT_GT(d, 1.0 - e) << e;
    EXPECT_LE(d, 1.0) << e;
    if (e > 0.05 && e < 0.99) {
      EXPECT_NEAR(std::log1p(d / e) - std::log1p(-d), d * (1.0 + 1.0 / e), 3e-9) << e;
    }
  }
  EXPECT_EQ(DampingRoot(0.02), 1.0);  // 1 − d is below rounding
  EXPECT_EQ(DampingRoot(1.0), 0.0);
  EXPECT_NEAR(DampingRoot(0.999999), 1.5e-6, 1e-9);  // d → (3/2)(1 − e)
  EXPECT_DOUBLE_EQ(DampingFactor(0.5, 1e-9, 1e-3), -DampingRoot(0.5) / (0.5 * 1e-3));
}

// A mass on a flat foundation, integrated finely with the law alone.
double Rebound(const NormalLaw& law, double mass, double stiffness, double speed) {
  const double a = law.DampingFactor(speed);
  const double h = 2e-4 / std::sqrt(stiffness / mass);
  double x = 0.0, v = -speed;
  const auto acceleration = [&](double depth, double rate) {
    const NormalForce f = law.Force(std::max(0.0, depth), a);
    return std::max(0.0, f.f_e + f.b * rate) / mass;
  };
  for (int i = 0; i < 2000000; ++i) {
    const double k1 = acceleration(-x, v);
    const double vm = v + 0.5 * h * k1, xm = x + 0.5 * h * v;
    const double k2 = acceleration(-xm, vm);
    x += h * vm;
    v += h * k2;
    if (x > 0.0) break;
  }
  return v / speed;
}

TEST(GonthierNormal, ReturnsExactlyEForEveryEAndSpeed) {
  for (const double e : {0.1, 0.3, 0.6, 0.9, 1.0}) {
    const auto model = MakeContactModel(Gonthier(1e6, e), {}, {});
    for (const double speed : {1e-3, 0.1, 1.0, 10.0}) {
      EXPECT_NEAR(Rebound(*model->normal, 2.0, 1e6, speed) / e, 1.0, 2e-4) << e << " " << speed;
    }
  }
}

TEST(GonthierNormal, RestitutionMayFallWithSpeed) {  // e = 1 − 0.2 v, Gonthier 5.1.1
  ContactModelSettings s = Gonthier(1e6, 1.0);
  s.normal.parameters["restitution_slope"] = 0.2;
  const auto model = MakeContactModel(s, {}, {});
  for (const double speed : {0.05, 0.5, 2.0, 4.0}) {
    EXPECT_NEAR(Rebound(*model->normal, 0.454, 1e6, speed), 1.0 - 0.2 * speed, 2e-4) << speed;
  }
}

TEST(LinearNormal, ReturnsWhatADampedSpringReturns) {
  ContactModelSettings s;
  const double k = 1e4, c = 40.0, m = 1.0;
  s.normal = {"linear", {{"stiffness", k}, {"damping", c}}, {}};
  const auto model = MakeContactModel(s, {}, {});
  // Contact ends where f_n = 0, before x = 0: v(t₁)/v₀ = exp(−ζωt₁), ω_d t₁ = π − 2 acos-type
  // angle.
  const double w = std::sqrt(k / m), z = c / (2.0 * std::sqrt(k * m)),
               wd = w * std::sqrt(1.0 - z * z);
  const double t1 = std::atan2(2.0 * z * std::sqrt(1.0 - z * z), 2.0 * z * z - 1.0) / wd;
  EXPECT_NEAR(Rebound(*model->normal, m, k, 0.5), std::exp(-z * w * t1), 1e-3);
}

TEST(ContactModel, LatchKeepsTheLargestApproachOrTheFirst) {
  ContactModelSettings s = Gonthier(1e6, 0.6);
  PatchLatch latch;
  PatchState state;
  const auto largest = MakeContactModel(s, {}, {});
  largest->Begin(1e-6, -1e-6, false, &latch, &state);
  const double a_graze = latch.a;
  EXPECT_DOUBLE_EQ(a_graze, -DampingRoot(0.6) / (0.6 * 1e-4));  // v_small
  largest->Accept(-0.1, &latch);
  EXPECT_DOUBLE_EQ(latch.a, -DampingRoot(0.6) / (0.6 * 0.1));
  largest->Accept(-0.05, &latch);
  largest->Accept(0.5, &latch);
  EXPECT_DOUBLE_EQ(latch.v_i, 0.1);
  EXPECT_EQ(state.V_o, 0.0);  // no relaxation

  s.normal.choices["latch"] = "first";
  s.normal.parameters["relaxation_time"] = 2.0;
  const auto first = MakeContactModel(s, {}, {});
  first->Begin(3e-6, -1e-6, false, &latch, &state);
  first->Accept(-0.1, &latch);
  EXPECT_EQ(latch.a, a_graze);
  EXPECT_EQ(state.V_o, 3e-6);
  first->Begin(3e-6, -1e-6, true, &latch, &state);
  EXPECT_EQ(state.V_o, 0.0);  // starts in overlap on purpose
}

/** The speed that a default law takes for a load, and its damping there. */
PatchLatch Loaded(const ContactModelSettings& settings, double speed) {
  PatchLatch latch;
  PatchState state;
  const auto model = MakeContactModel(settings, {}, {});
  model->Begin(0.0, -1e-3, true, &latch, &state);
  model->FollowLoad(speed, &latch);
  return latch;
}

// What a load presses with is latched: |a| speed = 2 were critical; with little restitution the
// speed of the impact that presses as deep.
TEST(ContactModel, ALandingIsDampedByFourTimesTheCriticalAtMost) {
  for (const double e : {0.9, 0.5, 0.1}) {
    EXPECT_NEAR(Loaded(Gonthier(1e6, e), 0.1).a * 0.1, -8.0, 1e-12) << e;
  }
  for (const double e : {0.02, 0.01}) {
    const double A = DampingRoot(e) / e, v = 0.1 * PressingSpeed(A);
    const PatchLatch latch = Loaded(Gonthier(1e6, e), 0.1);
    EXPECT_NEAR(latch.v_i, v, 1e-12) << e;
    EXPECT_NEAR(latch.a, -A / v, 1e-9) << e;
  }
  // Slower than it came it does not become.
  EXPECT_EQ(Loaded(Gonthier(1e6, 0.5), 1e-4).v_i, 1e-3);
}

// What has lasted for two periods without approaching half as fast has half of the speed, and no
// less than what lands has.
TEST(ContactModel, WhatGoesOnSwingingForgetsItsImpact) {
  const auto model = MakeContactModel(Gonthier(1e6, 0.9), {}, {});
  const double speed = 1e-3;
  const auto after = [&](int steps, double amplitude) {  // of a twentieth of a period
    PatchLatch latch;
    PatchState state;
    model->Begin(0.0, -1.0, true, &latch, &state);
    for (int k = 0; k < steps; ++k) {
      model->Forget(-amplitude * std::cos(0.1 * M_PI * k), speed, 0.05, &latch);
    }
    EXPECT_EQ(latch.a, model->normal->DampingFactor(latch.v_i));
    return latch.v_i;
  };
  EXPECT_EQ(after(39, 0.1), 1.0);
  EXPECT_EQ(after(42, 0.1), 0.5);
  EXPECT_EQ(after(84, 0.1), 0.25);
  EXPECT_EQ(after(84, 0.51), 1.0);  // it strikes as hard again
  EXPECT_EQ(after(10000, 1e-9), model->LandingSpeed(speed));
  // Metals that yield lose nothing in slow impacts, and keep what their blow had.
  ContactModelSettings metal = Gonthier(1e6, 0.9);
  metal.normal.parameters.erase("restitution");
  metal.normal.groups["restitution"] = {{{"speed", 0.1}}, {}};
  const auto yields = MakeContactModel(metal, {}, {});
  PatchLatch latch;
  PatchState state;
  yields->Begin(0.0, -1.0, true, &latch, &state);
  const double a = latch.a;
  EXPECT_LT(a, 0.0);
  for (int k = 0; k < 10000; ++k) {
    yields->Forget(1e-9, speed, 0.05, &latch);
    ASSERT_LE(latch.a, a);
  }
}

// E = ∫ v dv/(1 + A v), of a free impact at the speed 1 of what the mass 1 has.
TEST(DampingFactor, PressingSpeedIsThatOfAFreeImpact) {
  EXPECT_NEAR(PressingSpeed(0.0), 1.0, 1e-15);
  for (const double A : {1e-3, 0.09, 0.11, 1.0, 10.0, kMostDamping}) {
    constexpr int kPoints = 20000;
    double E = 0.0;
    for (int k = 0; k < kPoints; ++k) {
      const double v = (k + 0.5) / kPoints;
      E += v / (1.0 + A * v) / kPoints;
    }
    EXPECT_NEAR(PressingSpeed(A) * std::sqrt(2.0 * E), 1.0, 1e-6) << A;
  }
}

// Whoever names a speed, or another latch, has it; so have laws that latch none.
TEST(ContactModel, OnlyLawsThatLatchASpeedFollowTheLoadByDefault) {
  using Latch = ContactModel::Latch;
  const auto latch = [](const ContactModelSettings& s) {
    return MakeContactModel(s, {}, {})->latch;
  };
  ContactModelSettings s = Gonthier(1e6, 0.6);
  EXPECT_EQ(latch(s), Latch::kLoad);
  s.normal.parameters["v_small"] = 1e-3;
  EXPECT_EQ(latch(s), Latch::kLargest);
  s.normal.choices["latch"] = "load";
  EXPECT_EQ(latch(s), Latch::kLoad);
  s.normal.choices["latch"] = "first";
  EXPECT_EQ(latch(s), Latch::kFirst);
  s.normal = {"linear", {{"stiffness", 1e6}, {"damping", 1.0}}, {}};
  EXPECT_EQ(latch(s), Latch::kLargest);
}

// A contact starts at the limit mu_s with dwell_start 1, at mu_c with 0.
TEST(ContactModel, AContactStartsSlidingOrSticking) {
  for (const double start : {0.0, 1.0}) {
    ContactModelSettings s = Gonthier(1e6, 0.6);
    s.friction = {"bristle", {{"mu_s", 0.6}, {"mu_c", 0.4}, {"dwell_start", start}}, {}};
    const auto model = MakeContactModel(s, {}, {});
    PatchLatch latch;
    PatchState state;
    state.s_dw = 0.7;  // of the contact before
    model->Begin(1e-6, -0.1, false, &latch, &state);
    EXPECT_EQ(state.s_dw, start);
  }
}

// Pressed by a load, a body goes on accelerating after it has touched: largest² = v₀² + (g/ω)².
TEST(ContactModel, LargestLatchUnderALoadIsTheSpeedAtEquilibrium) {
  const double m = 1.0, k = 1e5, g = 9.81, v0 = 0.02, omega = std::sqrt(k / m);
  for (const char* latch : {"largest", "first"}) {
    ContactModelSettings s = Gonthier(k, 1.0);
    s.normal.choices["latch"] = latch;
    const auto model = MakeContactModel(s, {}, {});
    testing::World w("ark3");
    w.bodies.resize(2);
    w.bodies[1].mass = m;
    w.bodies[1].v = {0, 0, -v0};
    w.bodies[1].force = {0, 0, -m * g};
    testing::Pad pad;
    pad.model = model.get();
    w.pads.push_back(pad);
    w.Run(0.5 * M_PI / omega * 2, 1e-5);  // past the equilibrium
    const double largest = std::hypot(v0, g / omega);
    EXPECT_NEAR(w.pads[0].latch.v_i, latch[0] == 'l' ? largest : v0, 1e-3 * largest) << latch;
  }
}

TEST(ContactModel, MaterialsFillInWhatIsNotGiven) {
  Material i, j;
  i.foundation_stiffness = 3e8;
  j.foundation_stiffness = 6e8;
  i.restitution = 0.4;
  j.restitution = 0.7;
  i.friction = 0.2;
  j.friction = 0.6;
  ContactModelSettings s;
  s.friction.model = "coulomb";
  const auto model = MakeContactModel(s, i, j);
  EXPECT_DOUBLE_EQ(model->normal->Force(1e-6, 0.0).f_e, 2e8 * 1e-6);  // 1/k = 1/k_i + 1/k_j
  EXPECT_DOUBLE_EQ(model->plate_share, 2.0 / 3.0);                    // the softer one moves more
  EXPECT_DOUBLE_EQ(PairRestitution(i, j), 2.0 / 3.0 * 0.4 + 1.0 / 3.0 * 0.7);
  EXPECT_DOUBLE_EQ(PairFriction(0.2, 0.6), 0.3);
  Slip slip;
  slip.v = {Dual(1.0), Dual(0.0)};
  slip.f_n = 10.0;
  EXPECT_DOUBLE_EQ(model->friction->Evaluate(slip).f.x.v, 3.0);
  Material rigid;
  EXPECT_DOUBLE_EQ(SeriesStiffness(3e8, rigid.foundation_stiffness), 3e8);
  EXPECT_EQ(PairFriction(0.3, std::nan("")), 0.0);
}

// Hertz' law shares the depth of a point by (1 − ν²)/E: what gives way more decides e.
TEST(ContactModel, AtPointsMaterialsAreWeighedByTheirModuli) {
  Material rubber, steel;
  rubber.youngs_modulus = 2e6;
  rubber.poisson_ratio = 0.5;
  rubber.restitution = 0.8;
  steel.youngs_modulus = 2e11;
  steel.restitution = 0.4;  // its Poisson's ratio is 0.3
  const double share = (0.75 / 2e6) / (0.75 / 2e6 + 0.91 / 2e11);
  ContactModelSettings s;
  s.geometry = ContactGeometry::kPoints;
  s.normal = {"hunt_crossley", {{"stiffness", 1e7}}, {}};
  const auto damping = [&](const Material& i, const Material& j) {
    return MakeContactModel(s, i, j)->normal->DampingFactor(1.0);
  };
  const double e = share * 0.8 + (1 - share) * 0.4;
  EXPECT_NEAR(damping(rubber, steel), -1.5 * (1 - e), 1e-12);
  EXPECT_NEAR(damping(steel, rubber), -1.5 * (1 - e), 1e-12);
  EXPECT_NEAR(MakeContactModel(s, rubber, steel)->plate_share, share, 1e-15);
  EXPECT_NEAR(MakeContactModel(s, steel, rubber)->plate_share, 1 - share, 1e-15);
  // What has no modulus is rigid beside what has one, a foundation's stiffness or not.
  Material stone;
  stone.restitution = 0.2;
  stone.foundation_stiffness = 1e3;
  EXPECT_NEAR(damping(steel, stone), -1.5 * (1 - 0.4), 1e-12);
  EXPECT_NEAR(damping(stone, steel), -1.5 * (1 - 0.4), 1e-12);
  // Of volumes foundations decide: here neither material has one, so both count as much.
  s.geometry = ContactGeometry::kVolumes;
  EXPECT_NEAR(damping(rubber, steel), -1.5 * (1 - 0.6), 1e-12);
  s.normal = {"stronge", {{"stiffness", 1e7}}, {}};
  s.geometry = ContactGeometry::kPoints;
  const auto pressed = MakeContactModel(s, rubber, steel);
  PatchLatch latch;
  pressed->normal->Turn(1e-3, 1e-3, &latch);
  EXPECT_NEAR(pressed->normal->Curve(latch).V_1, (1 - e * e) * 1e-3, 1e-12);
}

TEST(ContactModel, BadInputNamesKeyValueAndRemedy) {
  const auto message = [](const std::function<void(ContactModelSettings&)>& spoil) {
    ContactModelSettings s = Gonthier(1e9, 0.5);
    s.friction = {"bristle", {{"mu_s", 0.3}}, {}};
    spoil(s);
    try {
      MakeContactModel(s, {}, {});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message([](auto&) {}), "accepted");
  EXPECT_EQ(message([](auto& s) { s.normal.parameters["restitution"] = 0.005; }),
            "normal.restitution: 0.005 is below 0.01 (allowed: 0.01 to 1). Use 0.01 for a dead "
            "impact, 1 for an elastic one.");
  EXPECT_NE(message([](auto& s) { s.normal.parameters["restitution"] = 1.01; }).find("above 1"),
            std::string::npos);
  EXPECT_NE(message([](auto& s) { s.normal.parameters["stiffness"] = -1.0; }).find("not positive"),
            std::string::npos);
  EXPECT_NE(
      message([](auto& s) { s.normal.parameters["stiffness"] = std::nan(""); }).find("finite"),
      std::string::npos);
  EXPECT_NE(message([](auto& s) { s.friction.parameters["mu_z"] = 1.0; }).find("'mu_"),
            std::string::npos);
  EXPECT_NE(message([](auto& s) {
              s.friction.model = "brstle";
            }).find("friction.model: \"brstle\" is not known"),
            std::string::npos);
  EXPECT_NE(
      message([](auto& s) { s.normal.choices["latch"] = "last"; }).find("load, largest, first"),
      std::string::npos);
  EXPECT_NE(message([](auto& s) { s.rolling.parameters["foo"] = 1.0; }).find("rolling.foo"),
            std::string::npos);
  EXPECT_EQ(message([](auto& s) { s.normal.parameters["passive"] = 0.5; }),
            "normal.passive: 0.5 is no switch. Use 0 or 1.");
  EXPECT_EQ(message([](auto& s) { s.friction.parameters["dwell_start"] = 2.0; }),
            "friction.dwell_start: 2 is no switch. Use 0 or 1.");
  EXPECT_EQ(message([](auto& s) { s.rolling.parameters["cap"] = -1.0; }),
            "rolling.cap: -1 is no switch. Use 0 or 1.");
  EXPECT_EQ(message([](auto& s) { s.rolling.parameters["cap"] = 1.0; }), "accepted");
}

// A stiffness that is missing or wrong is told with its unit, which the kind of contact decides.
TEST(ContactModel, MessagesSayTheUnitOfAStiffness) {
  for (const auto& [name, make] : NormalLaws()) {
    if (name == "conserving" || name == "stiffening" || name.starts_with("test_")) continue;
    for (const auto geometry : {ContactGeometry::kVolumes, ContactGeometry::kPoints}) {
      for (const bool given : {false, true}) {
        ContactModelSettings s;
        s.geometry = geometry;
        s.normal = {name, {}, {}};
        if (given) s.normal.parameters["stiffness"] = -1.0;
        Material elastic;
        elastic.restitution = 0.5;
        std::string message;
        try {
          MakeContactModel(s, elastic, elastic);
        } catch (const InputError& error) {
          message = error.what();
        }
        SCOPED_TRACE(name + ": " + message);
        if (message.starts_with("normal.model: ")) continue;  // a law of points alone
        EXPECT_TRUE(message.starts_with(given ? "normal.stiffness: -1 is " : "normal.stiffness: "));
        const bool points = geometry == ContactGeometry::kPoints;
        EXPECT_NE(message.find(points ? "At points give it in N/m" : "Of volumes give it in N/m³"),
                  std::string::npos);
      }
    }
  }
}

TEST(ContactModel, DoubtfulParametersWarnButPass) {
  ContactModelSettings s = Gonthier(1e9, 0.5);
  s.friction = {
      "bristle",
      {{"mu_s", 0.1}, {"mu_c", 0.2}, {"sigma_0", 1e5}, {"sigma_1", 300}, {"dwell_time", 1e-3}},
      {}};
  const auto model = MakeContactModel(s, {}, {});
  ASSERT_EQ(model->warnings.size(), 2u);
  EXPECT_NE(model->warnings[0].find("friction.mu_s: 0.1 is below mu_c"), std::string::npos);
  EXPECT_NE(model->warnings[1].find("dwell_time: 0.001 is below 10 sigma_1/sigma_0 = 0.03"),
            std::string::npos);
  s.friction.parameters["mu_s"] = 0.2;  // The dwell decides nothing then.
  EXPECT_TRUE(MakeContactModel(s, {}, {})->warnings.empty());
}

// The printed equations (3.28)–(3.42), (4.227)–(4.243), evaluated directly.
TEST(BristleFriction, ExplicitEvaluationIsThePrintedModel) {
  const double mu_s = 0.5, mu_c = 0.3, s0 = 1e4, s1 = 200, s2 = 0.1, v_S = 0.02, v_e = v_S / 100;
  ContactModelSettings m = Gonthier(1e9, 0.5);
  m.friction = {"bristle",
                {{"mu_s", mu_s},
                 {"mu_c", mu_c},
                 {"sigma_0", s0},
                 {"sigma_1", s1},
                 {"sigma_2", s2},
                 {"v_stribeck", v_S},
                 {"dwell_time", 0.5}},
                {}};
  m.spinning.model = "contensou";
  const auto model = MakeContactModel(m, {}, {});
  for (const double v : {1e-5, 1e-3, 0.02, 0.3}) {
    for (const double w : {0.0, 1e-3, 0.05}) {
      for (const double z0 : {-4e-5, 0.0, 2e-5}) {
        Slip x;
        x.v = {Dual::Variable(v, 0), Dual::Variable(-0.5 * v, 1)};
        x.w = Dual::Variable(w, 2);
        x.f_n = Dual::Variable(40.0, 3);
        x.v_avg_squared = 1.25 * v * v + w * w;
        x.z[0] = z0;
        x.z[1] = 1e-5;
        x.z_w = -z0;
        x.s_dw = 0.4;
        x.s = model->friction->Weight(x.v_avg_squared);
        model->spinning->Factors(model->friction->VelocityScale(), &x);
        const Traction t = model->friction->Evaluate(x);

        const double speed = std::sqrt(1.25) * v, v_avg = std::hypot(speed, w);
        const double s = std::exp(-v_avg * v_avg / (v_S * v_S));
        const double mu_max = mu_c + (mu_s - mu_c) * 0.4;
        const double C_v = s + (1 - s) * speed / std::max(v_avg, v_e);
        const double C_w = s + (1 - s) * w / std::max(v_avg, v_e);
        const auto dir = [&](double u, double size) {
          return size >= v_e ? u / size : u / v_e * (1.5 - size * size / (2 * v_e * v_e));
        };
        double zx = s * v + (1 - s) * (mu_c * C_v * dir(v, speed) / s1 - s0 / s1 * z0);
        double zy =
            s * -0.5 * v + (1 - s) * (mu_c * C_v * dir(-0.5 * v, speed) / s1 - s0 / s1 * 1e-5);
        const double ux = s0 * z0 + s1 * zx, uy = s0 * 1e-5 + s1 * zy, u = std::hypot(ux, uy);
        const double shrink = std::min(1.0, mu_max * C_v / u);
        if (shrink < 1.0) {
          zx = (shrink * ux - s0 * z0) / s1;
          zy = (shrink * uy - s0 * 1e-5) / s1;
        }
        EXPECT_NEAR(t.f.x.v, 40.0 * (shrink * ux + s2 * v), 1e-11);
        EXPECT_NEAR(t.f.y.v, 40.0 * (shrink * uy - s2 * 0.5 * v), 1e-11);
        EXPECT_NEAR(t.z_rate[0], zx, 1e-13);
        EXPECT_NEAR(t.z_rate[1], zy, 1e-13);
        const double zw = s * w + (1 - s) * (mu_c * C_w * dir(w, w) / s1 + s0 / s1 * z0);
        const double uw = -s0 * z0 + s1 * zw;
        EXPECT_NEAR(t.f_w.v,
                    40.0 * (std::copysign(std::min(std::fabs(uw), mu_max * C_w), uw) + s2 * w),
                    1e-11);
        const double tau = s >= 0.4 ? 0.5 : s1 / s0;
        EXPECT_NEAR(t.s_dw_rate, (s - 0.4) / tau, 1e-11);
      }
    }
  }
}

// With H > 0 the closed solution must satisfy the implicit equations z = z* + H ż(z).
TEST(BristleFriction, ImplicitEvaluationSolvesItsStageEquation) {
  ContactModelSettings m = Gonthier(1e9, 0.5);
  m.friction = {
      "bristle", {{"mu_s", 0.4}, {"mu_c", 0.3}, {"sigma_0", 1e5}, {"dwell_time", 0.1}}, {}};
  const auto model = MakeContactModel(m, {}, {});
  for (const double H : {1e-6, 1e-4, 1e-2}) {
    for (const double v : {1e-4, 0.03, 0.1, 0.5}) {
      Slip x;
      x.H = H;
      x.v = {Dual(v), Dual(0.3 * v)};
      x.f_n = 10.0;
      x.v_avg_squared = 1.09 * v * v;
      x.s = model->friction->Weight(x.v_avg_squared);
      x.z[0] = -2e-6;
      x.z[1] = 1e-6;
      x.s_dw = 0.7;
      const Traction t = model->friction->Evaluate(x);
      Slip end = x;  // evaluated explicitly at the implicit end must give the same rates
      end.H = 0.0;
      end.z[0] += H * t.z_rate[0];
      end.z[1] += H * t.z_rate[1];
      end.s_dw += H * t.s_dw_rate;
      const Traction e = model->friction->Evaluate(end);
      EXPECT_NEAR(t.z_rate[0], e.z_rate[0], 1e-9 * std::fabs(e.z_rate[0]) + 1e-15) << H << " " << v;
      EXPECT_NEAR(t.z_rate[1], e.z_rate[1], 1e-9 * std::fabs(e.z_rate[1]) + 1e-15) << H << " " << v;
      EXPECT_NEAR(t.s_dw_rate, e.s_dw_rate, 1e-9 * std::fabs(e.s_dw_rate));
      EXPECT_NEAR(t.f.x.v, e.f.x.v, 1e-9);
      // What sliding takes is at least what the bristles get.
      EXPECT_GE(t.f.x.v * v + t.f.y.v * 0.3 * v, t.stored - 1e-15);
    }
  }
}

TEST(BristleFriction, SlopesAreTheDerivatives) {
  ContactModelSettings m = Gonthier(1e9, 0.5);
  m.spinning.model = "contensou";
  for (const char* name : {"bristle", "bristle_absolute"}) {
    m.friction = {name, {{"mu_s", 0.4}, {"mu_c", 0.3}, {"sigma_0", 1e4}, {"sigma_1", 50}}, {}};
    const auto model = MakeContactModel(m, {}, {});
    for (const double scale : {1e-4, 1e-3, 3e-2}) {
      const auto at = [&](const double(&p)[4]) {
        Slip x;
        x.H = 1e-4;
        x.v = {Dual::Variable(p[0], 0), Dual::Variable(p[1], 1)};
        x.w = Dual::Variable(p[2], 2);
        x.f_n = Dual::Variable(p[3], 3);
        x.s = 0.6;  // held
        x.z[0] = 3e-6;
        x.z_w = -2e-6;
        x.s_dw = 0.5;
        model->spinning->Factors(model->friction->VelocityScale(), &x);
        return model->friction->Evaluate(x);
      };
      const double p[4] = {scale, -0.4 * scale, 0.7 * scale, 25.0};
      const Traction t = at(p);
      for (int k = 0; k < 4; ++k) {
        const double step = 1e-6 * (k == 3 ? 25.0 : scale);
        double up[4] = {p[0], p[1], p[2], p[3]}, down[4] = {p[0], p[1], p[2], p[3]};
        up[k] += step;
        down[k] -= step;
        const Traction u = at(up), d = at(down);
        const double size = 1.0 + std::fabs(t.f.x.d[k]);
        EXPECT_NEAR(t.f.x.d[k], (u.f.x.v - d.f.x.v) / (2 * step), 1e-5 * size) << name << k;
        EXPECT_NEAR(t.f.y.d[k], (u.f.y.v - d.f.y.v) / (2 * step), 1e-5 * size) << name << k;
        EXPECT_NEAR(t.f_w.d[k], (u.f_w.v - d.f_w.v) / (2 * step), 1e-5 * size) << name << k;
      }
    }
  }
}

// |v_ct| = 3, r_gyr ω_n = 4: C_v = 3/5 and C_ω = 4/5 share out μ f_n; without the law nothing is
// shared.
// Drake's curve: 0 at rest, μ_S at the slip tolerance, μ_C from three times it on; slopes by
// differences; alone and shared with spinning.
TEST(StribeckFriction, FollowsDrakesCurve) {
  ContactModelSettings m = Gonthier(1e9, 0.5);
  m.friction = {"stribeck", {{"mu_s", 0.8}, {"mu_c", 0.5}, {"slip_tolerance", 2e-3}}, {}};
  m.spinning.model = "contensou";
  const auto model = MakeContactModel(m, {}, {});
  const FrictionLaw& law = *model->friction;
  const auto step5 = [](double x) {
    return 10 * std::pow(x, 3) - 15 * std::pow(x, 4) + 6 * std::pow(x, 5);
  };
  const auto curve = [&](double s) {
    return s < 1 ? 0.8 * step5(s) : s < 3 ? 0.8 - 0.3 * step5(0.5 * (s - 1)) : 0.5;
  };
  const auto evaluate = [&](double v_x, double v_y, double w, bool shared) {
    Slip slip;
    slip.v = {Dual::Variable(v_x, 0), Dual::Variable(v_y, 1)};
    slip.w = Dual::Variable(w, 2);
    slip.f_n = Dual::Variable(7.0, 3);
    slip.v_avg_squared = v_x * v_x + v_y * v_y + (shared ? w * w : 0.0);
    slip.s = law.Weight(slip.v_avg_squared);
    if (shared) model->spinning->Factors(law.VelocityScale(), &slip);
    return law.Evaluate(slip);
  };
  for (const double s : {0.0, 0.1, 0.5, 0.99, 1.0, 1.3, 2.0, 2.9, 3.0, 10.0}) {
    const double speed = 2e-3 * s;
    const Traction t = evaluate(0.6 * speed, -0.8 * speed, 0.0, false);
    EXPECT_NEAR(t.f.x.v, 7.0 * curve(s) * 0.6, 1e-12) << s;
    EXPECT_NEAR(t.f.y.v, -7.0 * curve(s) * 0.8, 1e-12) << s;
    const Traction both = evaluate(0.48 * speed, 0.36 * speed, 0.8 * speed, true);
    EXPECT_NEAR(both.f.x.v, 7.0 * curve(s) * 0.48, 1e-12) << s;
    EXPECT_NEAR(both.f_w.v, 7.0 * curve(s) * 0.8, 1e-12) << s;
    if (s == 0.0 || s >= 1.0) continue;  // the falling branch's weight is held by the solver
    constexpr double kStep = 1e-9;
    const double slope = (evaluate(0.6 * speed + kStep, -0.8 * speed, 0, false).f.x.v -
                          evaluate(0.6 * speed - kStep, -0.8 * speed, 0, false).f.x.v) /
                         (2 * kStep);
    EXPECT_NEAR(t.f.x.d[0], slope, 1e-4 * std::fabs(slope) + 1e-3) << s;
  }
}

TEST(SpinningLaws, ContensouFactorsShareFriction) {
  ContactModelSettings s = Gonthier(1e9, 0.5);
  for (const char* friction : {"coulomb", "bristle"}) {
    s.friction = {friction, {{friction[0] == 'c' ? "mu" : "mu_s", 0.3}}, {}};
    for (const char* spinning : {"contensou", "none"}) {
      s.spinning = {spinning, {}, {}};
      const auto model = MakeContactModel(s, {}, {});
      Slip x;
      x.H = 10.0;  // long enough for a bristle to bend as far as it goes
      x.v = {Dual(0.0), Dual(3.0)};
      x.w = Dual(4.0);
      x.f_n = Dual(50.0);
      x.v_avg_squared = 25.0;
      x.s = model->friction->Weight(25.0);
      model->spinning->Factors(model->friction->VelocityScale(), &x);
      const Traction t = model->friction->Evaluate(x);
      const bool shared = spinning[0] == 'c';
      EXPECT_NEAR(t.f.y.v, 0.3 * 50 * (shared ? 0.6 : 1.0), 1e-9) << friction;
      EXPECT_NEAR(t.f.x.v, 0.0, 1e-12) << friction;
      EXPECT_NEAR(t.f_w.v, 0.3 * 50 * (shared ? 0.8 : 1.0), 1e-9) << friction;
      EXPECT_EQ(model->spinning->TorqueFactor(), shared ? 1.0 : 0.0);
    }
  }
}

// A spherical cap of depth δ on a plane, R ≫ δ: T J T and the exact plate moment agree to 0.1 %.
TEST(RollingLaws, AgreeForACapAndDifferForABlock) {
  ModelSettings none{"none", {}, {}};
  Material material;
  Parameters p("rolling", none, material, material);
  const GonthierRolling thesis(p);
  const ExactRolling exact(p);
  PatchGeometry g;
  g.n = {0, 0, 1};
  const double R = 0.1, depth = 2e-5, V = M_PI * depth * depth * (R - depth / 3);
  // Second moments of the cap: radial ∫x² = V·R·depth/3 to first order, axial V·depth²/18.
  const double Exx = V * R * depth / 3.0, Ezz = V * depth * depth / 18.0;
  g.V = V;
  g.J_W = Mat3::Diagonal({Exx + Ezz, Exx + Ezz, 2 * Exx});
  EXPECT_NEAR(thesis.Moment(g)(0, 0) / exact.Moment(g)(0, 0), 1.0, 1e-3);
  // A prism half as high as wide: 25 % apart.
  g.J_W = Mat3::Diagonal({1.0 + 0.25, 1.0 + 0.25, 2.0});
  EXPECT_NEAR(thesis.Moment(g)(1, 1) / exact.Moment(g)(1, 1), 1.25, 1e-12);
  EXPECT_EQ(exact.Moment(g)(2, 2), 0.0);  // none about the normal
  EXPECT_EQ(thesis.Moment(g)(2, 2), 0.0);
}

// Flat faces are damped as by the thesis, whatever the depth over them; balls not at all; a
// cylinder on its side where it tips along its axis alone; what is slightly crowned in part.
TEST(RollingLaws, RockingIsDampedAndRollingIsNot) {
  ModelSettings none{"none", {}, {}};
  Material material;
  Parameters p("rolling", none, material, material);
  const GonthierRolling thesis(p);
  const RockingResistance rocking(p);
  const auto patch = [](double V, double A, double xx, double yy, double zz) {
    PatchGeometry g;
    g.n = {0, 0, 1};
    g.d_1 = {1, 0, 0};
    g.V = V;
    g.S = {0, 0, A};
    g.J_W = Mat3::Diagonal({yy + zz, xx + zz, xx + yy});
    return g;
  };
  const double depth = 1e-4, a = 0.3, b = 0.2;  // a face of 2a × 2b
  PatchGeometry face = patch(4 * a * b * depth, 4 * a * b, 4 * a * b * depth * a * a / 3,
                             4 * a * b * depth * b * b / 3, 4 * a * b * depth * depth * depth / 12);
  for (int k = 0; k < 2; ++k) {
    EXPECT_NEAR(rocking.Moment(face)(k, k) / thesis.Moment(face)(k, k), 1.0, 1e-12);
  }
  // A gap that grows by a quarter of the depth at one standard deviation leaves half.
  face.k_1 = 0.25 * depth / (a * a / 3);
  EXPECT_NEAR(rocking.Moment(face)(1, 1) / thesis.Moment(face)(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(rocking.Moment(face)(0, 0) / thesis.Moment(face)(0, 0), 1.0, 1e-12);
  const double R = 0.1, length = 0.3, half = std::sqrt(2 * R * depth);
  PatchGeometry side = patch(4.0 / 3 * half * length * depth, 2 * half * length,
                             4.0 / 15 * half * half * half * length * depth,
                             half * length * length * length * depth / 9, 1e-20);
  side.k_1 = 1 / R;
  EXPECT_EQ(rocking.Moment(side)(1, 1), 0.0);  // rolls
  EXPECT_NEAR(rocking.Moment(side)(0, 0) / thesis.Moment(side)(0, 0), 1.0, 1e-12);
  PatchGeometry cap = patch(M_PI * depth * depth * R, 2 * M_PI * R * depth,
                            M_PI * depth * depth * R * R * depth / 3,
                            M_PI * depth * depth * R * R * depth / 3, 1e-20);
  cap.k_1 = cap.k_2 = 1 / R;
  EXPECT_EQ(Norm(rocking.Moment(cap) * Vec3{1, 1, 1}), 0.0);
  cap.k_1 = cap.k_2 = HUGE_VAL;  // an edge, or a grid
  EXPECT_EQ(Norm(rocking.Moment(cap) * Vec3{1, 1, 1}), 0.0);
}

}  // namespace
}  // namespace intervox::host
