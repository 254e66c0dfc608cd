// The rows' own arithmetic, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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

}  // namespace
}  // namespace intervox::host
