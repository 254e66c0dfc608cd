// The rotation without torque against small steps of an independent method, and its invariants.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "host/bodies/free_rotation.h"
#include "host/bodies/rigid_body.h"

namespace intervox::host {
namespace {

/** A body of random inertia, up to `aspect` long against its width, that spins by |ω| = speed. */
RigidBody RandomBody(double aspect, double speed, std::mt19937* random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const auto turn = [&] {
    return Normalized(
        Quaternion{normal(*random), normal(*random), normal(*random), normal(*random)});
  };
  RigidBody body;
  const double x = std::pow(aspect, -2.0 * uniform(*random));
  const double y = std::pow(aspect, -2.0 * uniform(*random));
  const Mat3 R = ToRotation(turn());
  const Vec3 principal{x + y, 1.0 + y, 1.0 + x};
  body.inertia_M = R * Mat3::Diagonal(principal) * Transpose(R);
  body.inverse_inertia_M =
      R * Mat3::Diagonal({1.0 / principal.x, 1.0 / principal.y, 1.0 / principal.z}) * Transpose(R);
  body.q_WB = turn();
  const Vec3 w{normal(*random), normal(*random), normal(*random)};
  const Mat3 R_WB = ToRotation(body.q_WB);
  body.spin = (speed / Norm(w)) * (R_WB * (body.inertia_M * TransposeTimes(R_WB, w)));
  return body;
}

double Energy(const RigidBody& body) {
  const Vec3 L = TransposeTimes(ToRotation(body.q_WB), body.spin);
  return 0.5 * Dot(L, body.inverse_inertia_M * L);
}

/** How far two orientations are apart [rad]. */
double Angle(const Quaternion& a, const Quaternion& b) {
  const Quaternion d = Quaternion{a.w, -a.x, -a.y, -a.z} * b;
  return 2.0 * std::sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

/** The classical method of order 4, in so many steps. */
Quaternion BySmallSteps(const RigidBody& body, double duration, int steps) {
  const auto rate = [&](const Quaternion& q) {
    const Mat3 R = ToRotation(Normalized(q));
    const Vec3 w = R * (body.inverse_inertia_M * TransposeTimes(R, body.spin));
    return Quaternion{0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z} * q;
  };
  const auto moved = [](const Quaternion& q, double h, const Quaternion& by) {
    return Quaternion{q.w + h * by.w, q.x + h * by.x, q.y + h * by.y, q.z + h * by.z};
  };
  const double h = duration / steps;
  Quaternion q = body.q_WB;
  for (int k = 0; k < steps; ++k) {
    const Quaternion k_1 = rate(q), k_2 = rate(moved(q, h / 2, k_1)),
                     k_3 = rate(moved(q, h / 2, k_2)), k_4 = rate(moved(q, h, k_3));
    q = moved(moved(moved(moved(q, h / 6, k_1), h / 3, k_2), h / 3, k_3), h / 6, k_4);
    q = Normalized(q);
  }
  return q;
}

TEST(FreeRotation, AgreesWithSmallSteps) {
  std::mt19937 random(1);
  for (const double angle : {1e-6, 0.01, 0.3, 1.0, 3.0, 10.0}) {
    for (int k = 0; k < 20; ++k) {
      const RigidBody body = RandomBody(10.0, 50.0, &random);
      const double duration = angle / 50.0;
      const Quaternion expected = BySmallSteps(body, duration, 3000);
      EXPECT_LT(Angle(TurnFreely(body, duration), expected), 1e-8) << angle;
    }
  }
}

// The energy is a function of the orientation, as the spin is given; of needles one that rounds.
TEST(FreeRotation, KeepsTheEnergyOverAnyAngle) {
  std::mt19937 random(2);
  for (const double aspect : {1.0, 3.0, 1e4}) {
    for (const double angle : {1e-9, 0.1, 1.0, 10.0, 1e3, 1e6}) {
      for (int k = 0; k < 5; ++k) {
        RigidBody body = RandomBody(aspect, 1e3, &random);
        const double before = Energy(body);
        body.q_WB = TurnFreely(body, angle / 1e3);
        EXPECT_NEAR(Energy(body), before, 1e-12 * (10.0 + aspect) * before)
            << aspect << " " << angle;
      }
    }
  }
}

TEST(FreeRotation, GoesOnFromWhereItWas) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int k = 0; k < 100; ++k) {
    RigidBody body = RandomBody(5.0, 1.0, &random);
    const double duration = 30.0 * share(random), first = share(random) * duration;
    const Quaternion at_once = TurnFreely(body, duration);
    body.q_WB = TurnFreely(body, first);
    EXPECT_LT(Angle(TurnFreely(body, duration - first), at_once), 1e-10);
  }
}

// A ball turns about its spin by ωt.
TEST(FreeRotation, ABallTurnsByItsSpeed) {
  RigidBody body;
  body.inertia_M = Mat3::Diagonal({2, 2, 2});
  body.inverse_inertia_M = Mat3::Diagonal({0.5, 0.5, 0.5});
  body.spin = {0, 0, 2.0};
  for (const double t : {0.1, 1.0, 100.25}) {
    const double half = 0.5 * t;
    EXPECT_LT(Angle(TurnFreely(body, t), {std::cos(half), 0, 0, std::sin(half)}), 1e-13 * (1 + t));
  }
  body.spin = {};
  EXPECT_EQ(TurnFreely(body, 1.0).w, 1.0);
}

}  // namespace
}  // namespace intervox::host
