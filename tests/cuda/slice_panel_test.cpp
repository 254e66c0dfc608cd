// What nested rules of a panel of slices show of how far they are off.
#include "cuda/rules/slice/panel.h"

#include <gtest/gtest.h>

#include <cmath>

namespace intervox::cuda::internal::slice {
namespace {

/** The integral over [0, 1] by fifteen points, and what rules nested in them differ by. */
template <class F>
double Integrate(const F& f, NestedSum* of) {
  const NestedRule<16>& rule = Patterson15();
  double sum = 0.0;
  for (int i = 0; i < 15; ++i) {
    const double value = rule.fine[i] * f(rule.x[i]);
    of->Add(NestedNodeOf(i), value);
    sum += value;
  }
  return sum;
}

TEST(SlicePanel, DifferencesAreThoseOfRulesOfFifteenSevenAndThree) {
  const auto f = [](double s) { return 1 / (s + 0.1); };
  NestedSum of;
  const double fifteen = Integrate(f, &of);
  double seven = 0.0, three = 0.0;
  for (int i = 0; i < 7; ++i) {
    seven += Patterson7().fine[i] * f(Patterson7().x[i]);
    three += Patterson7().lean[i] * f(Patterson7().x[i]);
  }
  EXPECT_NEAR(of.off.sum, fifteen - seven, 1e-15);
  EXPECT_NEAR(of.before.sum, seven - three, 1e-15);
  EXPECT_GT(std::fabs(of.before.sum), 1e-3);
}

// By their sums alone two rules agree by chance on one kink in thirty.
TEST(SlicePanel, KinksShowInSumsOrInMoments) {
  constexpr int kPlaces = 2000;
  int few = 0, by_sums = 0;
  for (int k = 1; k < kPlaces; ++k) {
    const double place = static_cast<double>(k) / kPlaces;
    NestedSum of;
    const double sum = Integrate([&](double s) { return std::fmax(s - place, 0.0); }, &of);
    const double error = std::fabs(sum - 0.5 * (1 - place) * (1 - place));
    if (error > 2 * of.off.Size()) ++few;
    if (error > 2 * std::fabs(of.off.sum)) ++by_sums;
  }
  EXPECT_LE(few, kPlaces / 50);
  EXPECT_GT(by_sums, kPlaces / 30);
}

// Where rules converge, parts are as long as their sums allow.
TEST(SlicePanel, MomentsCountWhereRulesConvergeSlowly) {
  NestedSum smooth, kinked;
  Integrate([](double s) { return 1 / (s + 0.5); }, &smooth);
  EXPECT_GT(smooth.off.Size(), std::fabs(smooth.off.sum));
  EXPECT_EQ(smooth.Difference(), std::fabs(smooth.off.sum));
  Integrate([](double s) { return std::fabs(s - 0.7); }, &kinked);
  EXPECT_EQ(kinked.Difference(), kinked.off.Size());
}

}  // namespace
}  // namespace intervox::cuda::internal::slice
