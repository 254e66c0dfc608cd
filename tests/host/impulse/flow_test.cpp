// The flow of slip: against small steps, by its invariant directions, and where it has no start.
#include "host/impulse/flow.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "tests/host/impulse/collisions.h"

namespace intervox::host::impulse {
namespace {

using testing::CollisionSource;

/** A contact drawn at random: W from ten times to a tenth of its mean, slip and v alike. */
LocalContact Draw(CollisionSource* source) {
  Eigen::Matrix3d G;
  for (int k = 0; k < 9; ++k) G(k / 3, k % 3) = source->Uniform(-1, 1);
  const Eigen::Matrix3d W = G * G.transpose() + 0.05 * Eigen::Matrix3d::Identity();
  LocalContact at;
  at.A = W.topLeftCorner<2, 2>();
  at.b = W.topRightCorner<2, 1>();
  at.c = W(2, 2);
  at.slip = {source->Uniform(-1, 1), source->Uniform(-1, 1)};
  at.v = -source->Uniform(0.2, 1);
  return at;
}

/** The same by n small implicit steps of dp, to the first order: friction on the disc of each. */
LocalImpulse BySteps(LocalContact at, double e, double mu, double dp) {
  LocalImpulse P;
  double compression = 0.0, restitution = 0.0;
  while (at.v < 0.0 || restitution < e * compression) {
    (at.v < 0.0 ? compression : restitution) += dp;
    const Eigen::Vector2d t = FrictionOnDisc(at.A, at.slip + dp * at.b, mu * dp).q;
    at.slip += at.A * t + dp * at.b;
    at.v += at.b.dot(t) + at.c * dp;
    P.t += t;
    P.n += dp;
  }
  return P;
}

TEST(ImpulseFlow, SmallStepsConvergeToIt) {
  CollisionSource source(7);
  double curved = 0.0;
  for (int k = 0; k < 40; ++k) {
    const LocalContact at = Draw(&source);
    const double e = source.Uniform(0, 1), mu = source.Uniform(0.1, 1.5);
    const LocalImpulse P = FlowOf(at, e, mu, FlowEnd::kPoisson).impulse;
    const double dp = P.n / 4000;
    const auto error = [&](double step) {
      const LocalImpulse Q = BySteps(at, e, mu, step);
      return (P.t - Q.t).norm() + std::fabs(P.n - Q.n);
    };
    EXPECT_LT(error(dp), 8e-3 * P.n) << k;  // steps of one dp, and the end is one of them
    EXPECT_LT(error(dp / 16), 6e-4 * P.n) << k;
    const Eigen::Vector2d slip = at.slip + at.A * P.t + P.n * at.b;
    const double turned = at.slip.x() * slip.y() - at.slip.y() * slip.x();
    curved = std::fmax(curved, std::fabs(turned) / (at.slip.norm() * at.slip.norm()));
  }
  EXPECT_GT(curved, 0.1);  // slips that turn are among them
}

TEST(ImpulseFlow, TheThreeEndsAreWhatTheySay) {
  CollisionSource source(8);
  int again = 0;
  for (int k = 0; k < 500; ++k) {
    const LocalContact at = Draw(&source);
    const double e = source.Uniform(0, 1), mu = source.Around(0.5);
    const Flow poisson = FlowOf(at, e, mu, FlowEnd::kPoisson);
    EXPECT_NEAR(poisson.impulse.n, (1 + e) * poisson.compression, 1e-12 * poisson.impulse.n);
    const Flow stronge = FlowOf(at, e, mu, FlowEnd::kStronge);
    EXPECT_NEAR(stronge.work_restitution, -e * e * stronge.work_compression,
                -1e-12 * stronge.work_compression);
    const Flow newton = FlowOf(at, e, mu, FlowEnd::kNewton);
    const double v = at.v + at.b.dot(newton.impulse.t) + at.c * newton.impulse.n;
    EXPECT_NEAR(v, -e * at.v, 1e-12);
    // One flow: its first compression is the same. Friction that turns may bring a second one.
    const Flow first = FlowOf(at, 0.0, mu, FlowEnd::kPoisson);
    for (const Flow& flow : {poisson, stronge, newton}) {
      EXPECT_GE(flow.compression, first.compression - 1e-12);
      EXPECT_LE(flow.work_compression, first.work_compression + 1e-12);
      again += flow.compression > first.compression + 1e-9 ? 1 : 0;
    }
  }
  EXPECT_GT(again, 0);
  EXPECT_LT(again, 30);
}

// A slip along an invariant direction, b − μ A d = λ d, keeps it; friction that cannot hold a slip
// of none starts it along the one such direction with λ > 0.
TEST(ImpulseFlow, SlipStartsAlongTheDirectionOfOutflow) {
  CollisionSource source(9);
  int started = 0;
  for (int k = 0; k < 300; ++k) {
    LocalContact at = Draw(&source);
    at.slip.setZero();
    const double mu = source.Uniform(0.05, 1.0);
    const bool sticks = (at.A.inverse() * at.b).norm() <= mu;
    const LocalImpulse P = FlowOf(at, 0.5, mu, FlowEnd::kPoisson).impulse;
    const Eigen::Vector2d slip = at.A * P.t + P.n * at.b;
    if (sticks) {
      EXPECT_LT(slip.norm(), 1e-12);
      continue;
    }
    ++started;
    const Eigen::Vector2d d = slip.normalized();
    const Eigen::Vector2d grows = at.b - mu * at.A * d;
    EXPECT_NEAR(d.x() * grows.y() - d.y() * grows.x(), 0.0, 1e-9);
    EXPECT_GT(d.dot(grows), 0.0);
    EXPECT_NEAR((P.t + mu * P.n * d).norm(), 0.0, 1e-12);
    // A slip so small that it says nothing ends there too.
    at.slip = {1e-9 * source.Uniform(-1, 1), 1e-9};
    const LocalImpulse Q = FlowOf(at, 0.5, mu, FlowEnd::kPoisson).impulse;
    EXPECT_NEAR((P.t - Q.t).norm() + std::fabs(P.n - Q.n), 0.0, 1e-5) << k;
  }
  EXPECT_GT(started, 50);
}

// Friction that presses the bodies into each other, c < μ b·d: a collision without approach, ended
// when the slip has stopped and restitution has given what it must. By hand, a 4, b 3, c 3, μ 1.2.
TEST(ImpulseFlow, ASlipThatJamsCollidesWithoutApproach) {
  LocalContact at;
  at.A << 4, 0, 0, 4;
  at.b << 3, 0;
  at.c = 3;
  at.slip << 0.9, 0;
  at.v = 0.0;
  const Flow flow = FlowOf(at, 0.5, 1.2, FlowEnd::kPoisson);
  // slip falls by μ a − b = 1.8 to 0 at P = 0.5, v by μ b − c = 0.6 to −0.3; then it sticks, as b/a
  // = 0.75 < μ, and v rises by c − b²/a = 0.75.
  const double P_c = 0.5 + 0.3 / 0.75;
  EXPECT_NEAR(flow.compression, P_c, 1e-14);
  EXPECT_NEAR(flow.impulse.n, 1.5 * P_c, 1e-14);
  EXPECT_NEAR(flow.impulse.t.x(), -1.2 * 0.5 - 0.75 * (1.5 * P_c - 0.5), 1e-14);
  at.b.x() = -3;  // the other way friction lifts: nothing happens
  EXPECT_EQ(FlowOf(at, 0.5, 1.2, FlowEnd::kPoisson).impulse.n, 0.0);
}

}  // namespace
}  // namespace intervox::host::impulse
