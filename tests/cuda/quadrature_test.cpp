#include "cuda/numerics/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>

namespace intervox::cuda {
namespace {

/** The largest error of either of the nested rules for powers up to their degrees. */
template <int N>
double WorstOfPowers(const internal::NestedRule<N>& rule, int lean, int fine) {
  double worst = 0;
  for (int degree = 0; degree <= fine; ++degree) {
    double sum = 0, lean_sum = 0;
    for (int k = 0; k < N; ++k) {
      const double power = std::pow(rule.x[k], degree);
      sum += rule.fine[k] * power;
      lean_sum += rule.lean[k] * power;
    }
    worst = std::fmax(worst, std::fabs(sum - 1.0 / (degree + 1)));
    if (degree <= lean) worst = std::fmax(worst, std::fabs(lean_sum - 1.0 / (degree + 1)));
  }
  return worst;
}

TEST(NestedRules, AreExactToTheirDegrees) {
  EXPECT_LT(WorstOfPowers(internal::Patterson7(), 5, 11), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Kronrod11(), 9, 17), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Patterson15(), 11, 23), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Patterson31(), 23, 47), 1e-15);
  for (int k = 0; k < 15; ++k) {
    EXPECT_EQ(internal::Patterson31().x[2 * k + 1], internal::Patterson15().x[k]);
    EXPECT_EQ(internal::Patterson31().lean[2 * k + 1], internal::Patterson15().fine[k]);
  }
}

}  // namespace
}  // namespace intervox::cuda
