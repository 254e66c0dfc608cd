// Shares of wrenches in pieces of a step, and the times at which to cut steps.
#include "host/bodies/loads.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <vector>

namespace intervox::host {
namespace {

constexpr double kForEver = std::numeric_limits<double>::infinity();

AppliedWrench Pulse(double from, double to) {
  AppliedWrench wrench;
  wrench.from = from;
  wrench.to = to;
  wrench.force = {2, -3, 5};
  return wrench;
}

TEST(Loads, SharesOfPiecesAddUpToTheTime) {
  const AppliedWrench pulse = Pulse(0.25, 0.6);
  for (const double h : {1e-3, 7e-3, 0.1, 0.35, 0.4, 3.0}) {
    double time = 0.0;
    for (int k = 0; k * h < 1.0; ++k) time += h * ActiveShare(pulse, k * h, (k + 1) * h);
    EXPECT_NEAR(time, 0.35, 1e-14) << h;
  }
  // All or nothing where steps are cut at its ends, to the bit.
  EXPECT_EQ(ActiveShare(pulse, 0.0, 0.25), 0.0);
  EXPECT_EQ(ActiveShare(pulse, 0.25, 0.6), 1.0);
  EXPECT_EQ(ActiveShare(pulse, 0.3, 0.31), 1.0);
  EXPECT_EQ(ActiveShare(pulse, 0.6, 0.7), 0.0);
  EXPECT_EQ(ActiveShare(pulse, 0.0, 1.0), 0.6 - 0.25);
}

TEST(Loads, AnInstantSeesWhatBeginsThereAndNotWhatEndsThere) {
  const AppliedWrench pulse = Pulse(0.25, 0.6);
  EXPECT_EQ(ActiveShare(pulse, 0.25, 0.25), 1.0);
  EXPECT_EQ(ActiveShare(pulse, 0.6, 0.6), 0.0);
  EXPECT_EQ(ActiveShare(pulse, 0.1, 0.1), 0.0);
  EXPECT_EQ(ActiveShare(Pulse(0.25, kForEver), 1e9, 1e9), 1.0);
  EXPECT_EQ(ActiveShare(Pulse(0.25, 0.25), 0.25, 0.25), 0.0);
}

TEST(Loads, WrenchesAddUpAboutTheCentreOfMass) {
  BodySettings body;
  body.wrenches = {Pulse(0, 1), Pulse(0, kForEver)};
  body.wrenches[0].point = {0.1, 0.2, 0.3};
  body.wrenches[0].torque = {1, 1, 2};
  body.wrenches[1].in_body_frame = true;
  body.wrenches[1].torque = {0, 4, 0};
  // A quarter turn about z: x to y, y to −x.
  const Pose X_WB{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, {5, 6, 7}};
  const Vec3 p_WM{5.5, 6, 7};
  // The first for half the piece: at (4.8, 6.1, 7.3), (−0.7, 0.1, 0.3) from the centre; the second
  // as (3, 2, 5) at (−0.5, 0, 0) from it.
  const AppliedLoad load = AverageLoad(body, X_WB, p_WM, 0.75, 1.25);
  EXPECT_LT(Norm(load.force - (0.5 * Vec3{2, -3, 5} + Vec3{3, 2, 5})), 1e-15);
  const Vec3 first = Vec3{1, 1, 2} + Cross(Vec3{-0.7, 0.1, 0.3}, Vec3{2, -3, 5});
  const Vec3 second = Vec3{-4, 0, 0} + Cross(Vec3{-0.5, 0, 0}, Vec3{3, 2, 5});
  EXPECT_LT(Norm(load.torque - (0.5 * first + second)), 1e-14);
}

TEST(Loads, TimesAreThoseOfWrenchesMotionsAndTargets) {
  const auto at = [](std::initializer_list<double> times) {
    PrescribedMotion motion;
    for (const double t : times) motion.keys.emplace_back().t = t;
    return motion;
  };
  BodySettings body;
  body.wrenches = {Pulse(0, 0.5), Pulse(0.2, kForEver), Pulse(0.9, 0.9)};
  EXPECT_EQ(LoadTimes(body), (std::vector<double>{0.2, 0.5}));
  body.motion = at({0.5, 0.7, 1.5});
  body.holder = Holder{};
  body.holder->target = at({0.0, 0.3});
  EXPECT_EQ(LoadTimes(body), (std::vector<double>{0.2, 0.3, 0.5, 0.7, 1.5}));
  EXPECT_TRUE(LoadTimes(BodySettings{}).empty());
}

}  // namespace
}  // namespace intervox::host
