// The rows' own arithmetic, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "host/validation/bristle.h"
#include "host/validation/ode.h"
#include "host/validation/one_body.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

TEST(Validation, ACheckPassesWithinItsToleranceAndNeverWithoutANumber) {
  EXPECT_TRUE((Check{"", "1", 1.0, 1.25, 0.25, ""}.Passes()));
  EXPECT_FALSE((Check{"", "1", 1.0, 1.26, 0.25, ""}.Passes()));
  EXPECT_FALSE((Check{"", "1", 1.0, 0.74, 0.25, ""}.Passes()));
  EXPECT_FALSE((Check{"", "1", 1.0, std::nan(""), 0.25, ""}.Passes()));
  EXPECT_FALSE((Check{"", "1", std::nan(""), 1.0, 0.25, ""}.Passes()));
}

// A spring and damper without gravity, let go where the depth ends; the force stays positive.
TEST(Validation, ReboundsAreThoseOfASpring) {
  const double m = 2.0, k = 800.0;  // ω = 20
  const Rebound free = ReboundOf({m, 0.0, [&](double z, double) { return k * z; }}, 0.3, 1e-5, 1.0);
  EXPECT_NEAR(free.speed, 0.3, 1e-9);
  EXPECT_NEAR(free.duration, std::numbers::pi / 20, 1e-8);
  // Pressed down by gravity it comes back as fast: the spring conserves.
  const Rebound heavy =
      ReboundOf({m, 10.0, [&](double z, double) { return k * z; }}, 0.3, 1e-5, 1.0);
  EXPECT_NEAR(heavy.speed, 0.3, 1e-8);  // the last step is a straight line
  EXPECT_GT(heavy.duration, free.duration);
  // What is stopped for longer than the limit stays.
  const Rebound stays = ReboundOf(
      {m, 10.0, [&](double z, double rate) { return k * z + 400.0 * rate; }}, 0.3, 1e-5, 1.0);
  EXPECT_EQ(stays.speed, 0.0);
}

TEST(Validation, SimpsonsRuleIsExactForCubes) {
  EXPECT_NEAR(Integral([](double x) { return 4 * x * x * x - 2 * x; }, 3.0, 2), 72.0, 1e-12);
  EXPECT_NEAR(Integral([](double x) { return std::exp(x); }, 1.0, 200), std::numbers::e - 1, 1e-10);
}

// ÿ = −y from (1, 0): the error stays of the size of the tolerance, and a watch may end it.
TEST(Validation, IntegratesAnOscillationToItsTolerance) {
  const OdeRates rates = [](double, const std::vector<double>& y, std::vector<double>* dy) {
    *dy = {y[1], -y[0]};
  };
  for (const double tolerance : {1e-6, 1e-9, 1e-12}) {
    std::vector<double> y = {1.0, 0.0};
    double t = 0.0;
    Integrate(rates, 0.0, 10.0, {tolerance, {1.0, 1.0}, 1.0}, &y,
              [&](double now, const std::vector<double>&) {
                t = now;
                return true;
              });
    EXPECT_EQ(t, 10.0);
    EXPECT_NEAR(y[0], std::cos(10.0), 30 * tolerance);
    EXPECT_NEAR(y[1], -std::sin(10.0), 30 * tolerance);
  }
  std::vector<double> y = {1.0, 0.0};
  Integrate(rates, 0.0, 10.0, {1e-9, {1.0, 1.0}, 1e-2}, &y,
            [](double, const std::vector<double>& at) { return at[0] > 0.0; });
  EXPECT_NEAR(y[1], -1.0, 1e-4);  // it ends within 0.01 of a quarter
  // What begins all at once, after long steps of nothing, is not stepped over.
  std::vector<double> late = {0.0};
  Integrate(
      [](double t, const std::vector<double>&, std::vector<double>* dy) {
        *dy = {t < 5.0 ? 0.0 : 100.0 * std::cos(100.0 * (t - 5.0))};
      },
      0.0, 10.0, {1e-9, {1.0}, 1.0}, &late,
      [](double, const std::vector<double>&) { return true; });
  EXPECT_NEAR(late[0], std::sin(500.0), 1e-5);
}

// At rest a bristle is a spring and a damper; sliding it settles at μ_C.
TEST(Validation, TheBristlesEquationsHaveTheirLimits) {
  const BristleConstants c = {0.4, 0.3, 1e4, 50.0, 0.0, 0.1, 0.5};
  EXPECT_NEAR(Bristle(c, 0.0, 1e-5, 1.0).friction, 0.1, 1e-12);
  EXPECT_NEAR(Bristle(c, 1e-5, 0.0, 1.0).friction, 50.0 * 1e-5, 1e-7);
  EXPECT_NEAR(Bristle(c, 2.0, 0.3 / 1e4, 0.0).friction, 0.3, 1e-12);
  EXPECT_NEAR(Bristle(c, 2.0, 0.3 / 1e4, 0.0).z_rate, 0.0, 1e-12);
  EXPECT_NEAR(Bristle(c, 0.0, -1.0, 1.0).friction, -0.4, 1e-12);  // never above μ_S
  EXPECT_NEAR(Bristle(c, 0.0, 0.0, 0.0).s_dw_rate, 2.0, 1e-12);
}

}  // namespace
}  // namespace intervox::host
