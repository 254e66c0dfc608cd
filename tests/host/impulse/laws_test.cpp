// Impulse laws against closed forms, each other, and what must hold for any collision.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/input/error.h"
#include "tests/host/impulse/collisions.h"

namespace intervox::host {
namespace {

using testing::CollisionSource;
using testing::Planar;
using testing::RandomCollision;

constexpr ImpulseLaw kAll[] = {ImpulseLaw::kNewton,    ImpulseLaw::kPoisson, ImpulseLaw::kStronge,
                               ImpulseLaw::kRouth,     ImpulseLaw::kKane,    ImpulseLaw::kBrach,
                               ImpulseLaw::kChatterjee};
constexpr ImpulseLaw kInSpace[] = {ImpulseLaw::kNewton,  ImpulseLaw::kPoisson,
                                   ImpulseLaw::kStronge, ImpulseLaw::kKane,
                                   ImpulseLaw::kBrach,   ImpulseLaw::kChatterjee};
constexpr ImpulseLaw kPassive[] = {ImpulseLaw::kPoisson, ImpulseLaw::kStronge, ImpulseLaw::kBrach,
                                   ImpulseLaw::kChatterjee};

void ExpectNear(const Vec3& a, const Vec3& b, double tolerance, const std::string& what) {
  EXPECT_LE(Norm(a - b), tolerance) << what << ": (" << a.x << ", " << a.y << ", " << a.z
                                    << ") and (" << b.x << ", " << b.y << ", " << b.z << ")";
}

TEST(ImpulseLaws, WithoutFrictionAllReturnE) {
  for (const double e : {0.0, 0.3, 1.0}) {
    for (const ImpulseLaw law : kAll) {
      const ImpulseOutcome outcome = Collide(law, Planar(3.0, -1.2, 2.0, 0.7, -1.5), {e, 0.0, 0.2});
      const double n = (1.0 + e) * 1.5 / 2.0;
      ExpectNear(outcome.impulse, {0, 0, n}, 1e-14, "impulse");
      ExpectNear(outcome.velocity, {0.7 - 1.2 * n, 0, 1.5 * e}, 1e-14, "velocity");
      EXPECT_NEAR(outcome.energy_change, -0.5 * (1 - e * e) * 1.5 * 1.5 / 2.0, 1e-14);
    }
  }
}

// A solid ball of 2 kg and radius 0.1 m on a plane, W = diag(7/2, 7/2, 1)/m: it slides to the end
// where μ (1 + e) v 7/2 is less than its slip, and rolls where it is more.
TEST(ImpulseLaws, ABallSlidesOrEndsRolling) {
  CollidingBody ball, plane;
  ball.mass = 2.0;
  const double J = 0.4 * 2.0 * 0.01;
  ball.inertia = {{J, 0, 0}, {0, J, 0}, {0, 0, J}};
  ball.p = {0, 0, 0.1};
  ball.v = {0.6, 0.8, -2.0};
  ball.w = {1.0, -2.0, 5.0};
  const Vec3 slip{0.6 + 0.1 * 2.0, 0.8 + 0.1 * 1.0, 0};  // v + ω × (0, 0, −R)
  const CollisionPoint at = CollisionAt(ball, plane, {0, 0, 0}, {0, 0, 3});
  ExpectNear(at.velocity, slip + Vec3{0, 0, -2}, 1e-14, "slip");
  for (const double e : {0.0, 0.6, 1.0}) {
    for (const double mu : {0.01, 0.05, 0.5}) {
      const double n = 2.0 * (1 + e) * 2.0;
      const bool rolls = 3.5 / 2.0 * mu * n >= Norm(slip);
      const Vec3 t = rolls ? (-2.0 / 3.5) * slip : (-mu * n / Norm(slip)) * slip;
      for (const ImpulseLaw law : kAll) {
        const ImpulseOutcome outcome = Collide(law, at, {e, mu, 0.0});
        ExpectNear(outcome.impulse, t + Vec3{0, 0, n}, 1e-12, "law " + std::to_string(int(law)));
        CollidingBody after = ball;
        ApplyImpulse(outcome.impulse, {0, 0, 0}, &after, &plane);
        EXPECT_NEAR(after.v.z, 2.0 * e, 1e-12);
        EXPECT_NEAR(after.w.z, 5.0, 1e-14);
        EXPECT_NEAR(KineticEnergy(after) - KineticEnergy(ball), outcome.energy_change, 1e-12);
        if (rolls) {
          EXPECT_NEAR(after.v.x, after.w.y * 0.1, 1e-12);
        }
      }
    }
  }
}

// The three ends of one flow where slip stops during compression and sticks. By hand: a 4, b 1, c
// 2, slip 0.5, v −1, μ 0.5: slip falls by μ a − b = 1 for each N·s and stops at P = 0.5, v rising
// by c − μ b = 1.5, then by c − b²/a = 1.75.
TEST(ImpulseLaws, PlanarSlipThatStopsInCompressionByHand) {
  const CollisionPoint at = Planar(4.0, 1.0, 2.0, 0.5, -1.0);
  const double e = 0.8, v_stop = -1.0 + 1.5 * 0.5, P_c = 0.5 + -v_stop / 1.75;
  const double W_c = 0.5 * (-1.0 + v_stop) * 0.5 - 0.5 * v_stop * v_stop / 1.75;
  const auto impulse = [](double P) { return Vec3{-0.25 - 0.25 * (P - 0.5), 0, P}; };
  const auto normal = [&](ImpulseLaw law) { return Collide(law, at, {e, 0.5, 0.0}).impulse; };
  ExpectNear(normal(ImpulseLaw::kPoisson), impulse((1 + e) * P_c), 1e-14, "poisson");
  ExpectNear(normal(ImpulseLaw::kRouth), impulse((1 + e) * P_c), 1e-14, "routh");
  ExpectNear(normal(ImpulseLaw::kNewton), impulse(P_c + e / 1.75), 1e-14, "newton");
  ExpectNear(normal(ImpulseLaw::kStronge), impulse(P_c + e * std::sqrt(-2 * W_c / 1.75)), 1e-14,
             "stronge");
  // It sticks in the end, so that does Kane's, from the whole impulse: P_t from slip⁺ = 0.
  const double P_n = (2.0 - 0.2 + 0.125) / 1.75;  // c − b²/a, and v with the slip's share b/a 0.5
  ExpectNear(normal(ImpulseLaw::kKane), {-0.125 - 0.25 * P_n, 0, P_n}, 1e-12, "kane");
}

// Reverse slip: b beyond μ a, so friction cannot hold the slip that it has stopped.
TEST(ImpulseLaws, PlanarSlipThatTurnsRoundByHand) {
  // s = −0.3 falls to 0 at a rate b + μ a = 3.8, then grows at b − μ a = 2.2; v: c + μ b, c − μ b.
  const CollisionPoint at = Planar(4.0, 3.0, 3.0, -0.3, -1.0);
  const double mu = 0.2, P_s = 0.3 / 3.8, v = -1.0 + 3.6 * P_s, P_c = P_s - v / 2.4;
  for (const ImpulseLaw law : {ImpulseLaw::kPoisson, ImpulseLaw::kRouth}) {
    const ImpulseOutcome outcome = Collide(law, at, {0.5, mu, 0.0});
    const double P = 1.5 * P_c;
    ExpectNear(outcome.impulse, {mu * P_s - mu * (P - P_s), 0, P}, 1e-14, "impulse");
    EXPECT_NEAR(outcome.velocity.x, 2.2 * (P - P_s), 1e-13);
  }
}

TEST(ImpulseLaws, RouthsGraphIsTheFlowOfThePlane) {
  CollisionSource source(5);
  for (int k = 0; k < 2000; ++k) {
    const double a = source.Around(1.0), c = source.Around(1.0);
    const double b = source.Uniform(-0.99, 0.99) * std::sqrt(a * c);
    CollisionPoint at = Planar(a, b, c, source.Around(0.3), -source.Around(1.0));
    if (source.Uniform(0, 1) < 0.1) at.velocity.x = 0.0;
    const ImpulseParameters surfaces{source.Uniform(0, 1), source.Around(0.5), 0.0};
    const ImpulseOutcome flow = Collide(ImpulseLaw::kPoisson, at, surfaces);
    const ImpulseOutcome graph = Collide(ImpulseLaw::kRouth, at, surfaces);
    ExpectNear(flow.impulse, graph.impulse, 1e-11 * Norm(graph.impulse), std::to_string(k));
  }
}

TEST(ImpulseLaws, AnyCollisionKeepsWhatItMust) {
  CollisionSource source(1);
  int gains_newton = 0, gains_kane = 0;
  for (int k = 0; k < 10000; ++k) {
    const RandomCollision c = source.Next();
    const CollisionPoint at = c.At();
    const double v = Dot(at.velocity, c.normal), energy = KineticEnergy(c.i) + KineticEnergy(c.j);
    for (const ImpulseLaw law : kInSpace) {
      const ImpulseOutcome outcome = Collide(law, at, c.surfaces);
      const double n = Dot(outcome.impulse, c.normal);
      const double t = Norm(outcome.impulse - n * c.normal);
      ASSERT_GT(n, 0.0) << k;
      ASSERT_LE(t, c.surfaces.friction * n + 1e-11 * n) << k << " law " << int(law);
      ASSERT_GE(Dot(outcome.velocity, c.normal), 1e-11 * v) << k << " law " << int(law);
      const bool gains = outcome.energy_change > 1e-13 * energy;
      gains_newton += law == ImpulseLaw::kNewton && gains ? 1 : 0;
      gains_kane += law == ImpulseLaw::kKane && gains ? 1 : 0;
      const bool kinematic = law == ImpulseLaw::kNewton || law >= ImpulseLaw::kKane;
      if (kinematic) {
        ASSERT_NEAR(Dot(outcome.velocity, c.normal), -c.surfaces.restitution * v,
                    1e-11 * Norm(at.velocity))
            << k;
      }
    }
    for (const ImpulseLaw law : kPassive) {
      ASSERT_LE(Collide(law, at, c.surfaces).energy_change, 1e-13 * energy)
          << k << " law " << int(law);
    }
  }
  EXPECT_GT(gains_newton, 100);  // what the others are for
  EXPECT_GT(gains_kane, 100);
}

TEST(ImpulseLaws, NeitherFrameNorUnitsNorOrderOfBodiesMatter) {
  CollisionSource source(2);
  for (int k = 0; k < 300; ++k) {
    const RandomCollision c = source.Next();
    const Mat3 R = source.Rotation();
    const double mass = source.Around(1.0), length = source.Around(1.0), time = source.Around(1.0);
    const auto turned = [&](CollidingBody body) {
      body.inertia = R * body.inertia * Transpose(R);
      body.p = R * body.p;
      body.v = R * body.v;
      body.w = R * body.w;
      return body;
    };
    const auto scaled = [&](CollidingBody body) {
      body.mass *= mass;
      body.inertia = mass * length * length * body.inertia;
      body.p *= length;
      body.v *= length / time;
      body.w *= 1.0 / time;
      return body;
    };
    for (const ImpulseLaw law : kInSpace) {
      const Vec3 P = Collide(law, c.At(), c.surfaces).impulse;
      const double near = 1e-8 * Norm(P);
      const std::string what = std::to_string(k) + " law " + std::to_string(int(law));
      const CollisionPoint other = CollisionAt(turned(c.i), turned(c.j), R * c.point, R * c.normal);
      ExpectNear(Collide(law, other, c.surfaces).impulse, R * P, near, "turned " + what);
      const CollisionPoint swapped = CollisionAt(c.j, c.i, c.point, -c.normal);
      ExpectNear(Collide(law, swapped, c.surfaces).impulse, -P, near, "swapped " + what);
      const CollisionPoint units =
          CollisionAt(scaled(c.i), scaled(c.j), length * c.point, c.normal);
      ExpectNear(Collide(law, units, c.surfaces).impulse, (mass * length / time) * P,
                 near * mass * length / time, "units " + what);
    }
  }
}

// Needles and plates down to 1e-3 of their length: W's eigenvalues span six decades, slips turn
// much faster than they change. Thinner than rounding allows is refused.
TEST(ImpulseLaws, NeedlesCollideOrAreRefused) {
  CollisionSource source(77);
  const auto needle = [&](double thin) {
    CollidingBody body = source.Body(1.0, 1.0);
    const Vec3 q{1.0, std::pow(thin, source.Uniform(0, 2)), std::pow(thin, 2)};
    const Mat3 R = source.Rotation();
    const Mat3 J{{q.y + q.z, 0, 0}, {0, q.z + q.x, 0}, {0, 0, q.x + q.y}};
    body.inertia = (body.mass / 12.0) * (R * J * Transpose(R));
    CollisionPoint at = CollisionAt(body, {}, {}, Normalized(source.Vector(1.0)));
    if (Dot(at.velocity, at.normal) > 0.0) at.normal = -at.normal;
    const ImpulseParameters surfaces{source.Uniform(0, 1), source.Around(1.0), 0.0};
    double gain = 0.0;
    for (const ImpulseLaw law : kInSpace) {
      const double change = Collide(law, at, surfaces).energy_change / KineticEnergy(body);
      EXPECT_TRUE(std::isfinite(change));
      if (law != ImpulseLaw::kNewton && law != ImpulseLaw::kKane) gain = std::max(gain, change);
    }
    return gain;
  };
  for (int k = 0; k < 300; ++k) EXPECT_LE(needle(1e-3), 1e-9) << k;
  EXPECT_THROW(needle(1e-6), InputError);
}

TEST(ImpulseLaws, MomentumIsKept) {
  CollisionSource source(3);
  for (int k = 0; k < 200; ++k) {
    RandomCollision c = source.Next();
    if (std::isinf(c.j.mass)) continue;
    const auto spin = [](const CollidingBody& b) {
      return b.inertia * b.w + b.mass * Cross(b.p, b.v);
    };
    const Vec3 linear = c.i.mass * c.i.v + c.j.mass * c.j.v, angular = spin(c.i) + spin(c.j);
    const double energy = KineticEnergy(c.i) + KineticEnergy(c.j);
    const ImpulseOutcome outcome = Collide(ImpulseLaw::kStronge, c.At(), c.surfaces);
    ApplyImpulse(outcome.impulse, c.point, &c.i, &c.j);
    ExpectNear(c.i.mass * c.i.v + c.j.mass * c.j.v, linear, 1e-13 * Norm(linear), "p");
    ExpectNear(spin(c.i) + spin(c.j), angular, 1e-10 * Norm(angular), "L");
    EXPECT_NEAR(KineticEnergy(c.i) + KineticEnergy(c.j) - energy, outcome.energy_change,
                1e-12 * energy);
    ExpectNear(c.At().velocity, outcome.velocity, 1e-10 * Norm(outcome.velocity) + 1e-12, "v");
  }
}

// Two rods of 1 m and 1 kg hang as a double pendulum at 20° and 30° and swing down, the lower end
// onto a floor: the case of Kane and Levinson. Newton's e with friction for the whole impulse makes
// energy of nothing; along the flow it does so for larger e; the other laws never do.
TEST(ImpulseLaws, ADoublePendulumGainsEnergyByNewtonsRestitutionAlone) {
  const double q1 = 20 * 3.141592653589793 / 180, q2 = 30 * 3.141592653589793 / 180;
  const double w1 = -0.1, w2 = -0.2;
  const double M11 = 4.0 / 3, M12 = 0.5 * std::cos(q1 - q2), M22 = 1.0 / 3;
  const double D = M11 * M22 - M12 * M12;
  const Vec3 x{std::cos(q1), std::cos(q2), 0}, z{std::sin(q1), std::sin(q2), 0};  // the end's rates
  const auto through = [&](const Vec3& g, const Vec3& h) {                        // g M⁻¹ h
    return (g.x * h.x * M22 - (g.x * h.y + g.y * h.x) * M12 + g.y * h.y * M11) / D;
  };
  const double a = through(x, x), b = through(x, z), c = through(z, z);
  const double slip = x.x * w1 + x.y * w2, v = z.x * w1 + z.y * w2;
  const double energy = 0.5 * (M11 * w1 * w1 + 2 * M12 * w1 * w2 + M22 * w2 * w2);
  const auto gain = [&](ImpulseLaw law, double e, double mu) {
    return Collide(law, Planar(a, b, c, slip, v), {e, mu, 0.0}).energy_change / energy;
  };
  // By hand: the end slips forth at last, so P = −(1 + e) v/(c − μ b) (−μ, 1).
  const double e = 0.7, mu = 0.5, n = -(1 + e) * v / (c - mu * b);
  const double by_hand = -mu * n * (slip + 0.5 * n * (b - mu * a)) + n * 0.5 * (1 - e) * v;
  EXPECT_NEAR(gain(ImpulseLaw::kKane, e, mu), by_hand / energy, 1e-11);
  EXPECT_GT(gain(ImpulseLaw::kKane, e, mu), 1.7);
  EXPECT_LT(gain(ImpulseLaw::kNewton, e, mu), 0.0);
  EXPECT_GT(gain(ImpulseLaw::kNewton, 0.9, mu), 0.29);
  for (double any = 0.0; any <= 1.0; any += 0.05) {
    for (const ImpulseLaw law : kPassive) EXPECT_LE(gain(law, any, mu), 1e-12) << any;
  }
}

// Chatterjee and Ruina's ends: e_t turns the slip round where the cone allows it.
TEST(ImpulseLaws, TangentialRestitutionTurnsTheSlip) {
  const CollisionPoint ball = Planar(3.5, 0.0, 1.0, 0.4, -1.0);
  for (const double e_t : {-1.0, 0.0, 0.5, 1.0}) {
    const ImpulseOutcome outcome = Collide(ImpulseLaw::kChatterjee, ball, {0.5, 10.0, e_t});
    EXPECT_NEAR(outcome.velocity.x, -e_t * 0.4, 1e-14);
    EXPECT_NEAR(outcome.velocity.z, 0.5, 1e-14);
  }
}

// Without its bound, the impulse that ends the slip with e = 1 would gain energy here.
TEST(ImpulseLaws, BrachsRatioIsBoundedByTheEnergy) {
  const CollisionPoint at = Planar(3.0, -2.0, 2.0, 0.75, -1.0);
  const ImpulseOutcome bounded = Collide(ImpulseLaw::kBrach, at, {1.0, 5.0, 0.0});
  EXPECT_LE(bounded.energy_change, 1e-15);
  EXPECT_NEAR(bounded.velocity.z, 1.0, 1e-14);
  const ImpulseOutcome kane = Collide(ImpulseLaw::kKane, at, {1.0, 5.0, 0.0});
  EXPECT_NEAR(kane.velocity.x, 0.0, 1e-12);
  EXPECT_GT(kane.energy_change, 0.05);
}

TEST(ImpulseLaws, BodiesThatPartGetNone) {
  for (const ImpulseLaw law : kAll) {
    EXPECT_EQ(Norm(Collide(law, Planar(3.0, 1.0, 2.0, 0.5, 1.0), {0.5, 0.4, 0.0}).impulse), 0.0);
    EXPECT_EQ(Norm(Collide(law, Planar(3.0, 1.0, 2.0, 0.5, 0.0), {0.5, 0.4, 0.0}).impulse), 0.0);
  }
}

TEST(ImpulseLaws, EachHasItsNames) {
  for (const ImpulseLawName& name : ImpulseLawNames()) {
    EXPECT_EQ(ImpulseLawNamed(name.name), name.law);
  }
  EXPECT_EQ(ImpulseLawNamed("keller"), ImpulseLaw::kPoisson);
  try {
    ImpulseLawNamed("strong");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'stronge'"), std::string::npos) << error.what();
  }
}

/** The message of the error that a call ends with. */
template <class Call>
std::string Refused(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImpulseLaws, BadInputIsNamedWithItsRange) {
  const CollisionPoint good = Planar(3.0, 1.0, 2.0, 0.5, -1.0);
  const auto says = [](const std::string& text, const std::string& word) {
    EXPECT_NE(text.find(word), std::string::npos) << text << " lacks " << word;
  };
  const double nan = std::nan("");
  for (const double e : {-0.1, 1.1, nan}) {
    says(Refused([&] { Collide(ImpulseLaw::kNewton, good, {e, 0.1, 0.0}); }), "restitution");
  }
  says(Refused([&] { Collide(ImpulseLaw::kNewton, good, {1.5, 0.1, 0.0}); }), "[0, 1]");
  for (const double mu : {-0.1, nan, 1.0 / 0.0}) {
    says(Refused([&] { Collide(ImpulseLaw::kNewton, good, {0.5, mu, 0.0}); }), "friction");
  }
  says(Refused([&] {
         Collide(ImpulseLaw::kChatterjee, good, {0.5, 0.1, 2.0});
       }),
       "tangential_restitution: 2 is out of range [-1, 1]");
  CollisionPoint bad = good;
  bad.normal = {0, 0, 2};
  says(Refused([&] { Collide(ImpulseLaw::kNewton, bad, {}); }), "normal");
  bad = good;
  bad.velocity.x = nan;
  says(Refused([&] { Collide(ImpulseLaw::kNewton, bad, {}); }), "velocity");
  bad = Planar(3.0, 2.6, 2.0, 0.5, -1.0);  // b² > a c
  says(Refused([&] { Collide(ImpulseLaw::kNewton, bad, {}); }), "positive definite");
  bad = good;
  bad.inverse_inertia.row1 = {0.5, 1, 0.2};
  bad.inverse_inertia.row0.y = 0.5;
  bad.inverse_inertia.row2.y = 0.2;
  says(Refused([&] { Collide(ImpulseLaw::kRouth, bad, {}); }), "planar");
  CollidingBody body, floor;
  body.name = "bat";
  body.mass = -1.0;
  const auto at = [&] { CollisionAt(body, floor, {0, 0, 0}, {0, 0, 1}); };
  says(Refused(at), "bat: mass: -1 is not positive");
  body.mass = 1.0;
  body.inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 3}};
  says(Refused(at), "bat: inertia");
  body.inertia.row2.z = nan;
  says(Refused(at), "bat: inertia");
  body.inertia.row2.z = 1.5;
  EXPECT_EQ(Refused(at), "no error");
  body.v.y = nan;
  says(Refused(at), "bat: position or velocity");
  EXPECT_NE(Refused([&] {
              CollisionAt(floor, floor, {}, {0, 0, 1});
            }).find("both masses"),
            std::string::npos);
  body.v.y = 0.0;
  says(Refused([&] { CollisionAt(body, floor, {}, {}); }), "normal");
}

}  // namespace
}  // namespace intervox::host
