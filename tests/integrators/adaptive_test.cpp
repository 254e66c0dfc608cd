#include "integrators/adaptive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace intervox::integrators {
namespace {

/** x″ = −ω² x − c x′ of mass 1, with the work of both forces as an integral. */
class Oscillator final : public RateSystem {
 public:
  Oscillator(double omega, double damping) : k_(omega * omega), c_(damping), omega_(omega) {}
  void Rate(double /*t*/, std::span<const double> y, std::span<double> rate) override {
    ++calls;
    rate[0] = y[1];
    rate[1] = -k_ * y[0] - c_ * y[1];
    rate[2] = y[1] * rate[1];
  }
  void Scales(std::span<const double> /*y*/, std::span<double> scales) override {
    scales[0] = 1.0 / omega_;
    scales[1] = 1.0;
  }
  int calls = 0;

 private:
  double k_, c_, omega_;
};

/** What a run to the end comes to. */
struct Outcome {
  double x = 0.0, v = 0.0, work = 0.0;
  double dense = 0.0;  ///< largest error of the dense output, of x = cos t
  int steps = 0;
};

Outcome Integrate(const char* method, RateSystem& system, double end, double tolerance) {
  std::vector<double> y{1.0, 0.0, 0.0}, between(3);
  const AdaptiveTask task{0.0, end, end, 0.0, tolerance, 1};
  AdaptiveStepper stepper(*FindAdaptiveMethod(method), task, system, y);
  Outcome out;
  while (stepper.Time() < end) {
    stepper.Step();
    ++out.steps;
    const double t = stepper.Time() - 0.4 * stepper.LastStep();
    stepper.At(t, between);
    out.dense = std::fmax(out.dense, std::fabs(between[0] - std::cos(t)));
  }
  stepper.At(stepper.Time(), y);
  EXPECT_EQ(stepper.Time(), end);
  out.x = y[0];
  out.v = y[1];
  out.work = y[2];
  return out;
}

class AdaptiveMethods : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!HasAdaptiveMethods()) GTEST_SKIP() << "built without SUNDIALS";
  }
};

TEST_P(AdaptiveMethods, FollowTheCosineToTheirTolerance) {
  constexpr double kEnd = 10.0;
  double before = HUGE_VAL;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    Oscillator system(1.0, 0.0);
    const Outcome out = Integrate(GetParam(), system, kEnd, tolerance);
    const double error = std::fabs(out.x - std::cos(kEnd));
    EXPECT_LT(error, 300.0 * tolerance);
    EXPECT_LT(error, 0.3 * before);
    EXPECT_LT(out.dense, 1000.0 * tolerance);
    EXPECT_NEAR(out.work, 0.5 * out.v * out.v, 100.0 * tolerance);
    before = error;
  }
}

TEST_P(AdaptiveMethods, TakeTheTimeOfAStiffDamperOnlyWhereTheyAreExplicit) {
  // After its start the motion is slow, x = exp(−ω² t/c), against the damper's own 1e-4 s.
  Oscillator system(1e2, 1e4);
  const Outcome out = Integrate(GetParam(), system, 1.0, 1e-4);
  EXPECT_NEAR(out.x, std::exp(-1.0), 1e-3);
  EXPECT_EQ(FindAdaptiveMethod(GetParam())->is_implicit, out.steps < 1000) << out.steps;
}

TEST_P(AdaptiveMethods, SayWhereTheyFail) {
  class Wall final : public RateSystem {
   public:
    void Rate(double t, std::span<const double> /*y*/, std::span<double> rate) override {
      rate[0] = 0.0;
      rate[1] = t < 0.5 ? 1.0 : std::nan("");
      rate[2] = 0.0;
    }
    void Scales(std::span<const double> /*y*/, std::span<double> scales) override {
      scales[0] = scales[1] = 1.0;
    }
  };
  Wall system;
  try {
    Integrate(GetParam(), system, 1.0, 1e-6);
    ADD_FAILURE() << "it went on";
  } catch (const AdaptiveFailure& failure) {
    EXPECT_NEAR(failure.time(), 0.5, 0.2);
    EXPECT_NE(std::string(failure.what()), "");
  }
}

TEST_P(AdaptiveMethods, PassOnWhatTheSystemThrows) {
  class Cancelled final : public RateSystem {
   public:
    void Rate(double t, std::span<const double> /*y*/, std::span<double> rate) override {
      if (t > 0.5) throw 7;
      rate[0] = rate[1] = rate[2] = 0.0;
    }
    void Scales(std::span<const double> /*y*/, std::span<double> scales) override {
      scales[0] = scales[1] = 1.0;
    }
  };
  Cancelled system;
  EXPECT_THROW(Integrate(GetParam(), system, 1.0, 1e-6), int);
}

INSTANTIATE_TEST_SUITE_P(All, AdaptiveMethods, ::testing::Values("bdf", "trbdf2", "dopri5"),
                         [](const auto& info) { return std::string(info.param); });

TEST(AdaptiveMethod, IsFoundByName) {
  for (const AdaptiveMethod& method : AllAdaptiveMethods()) {
    EXPECT_EQ(FindAdaptiveMethod(method.name), &method);
  }
  EXPECT_EQ(FindAdaptiveMethod("ark3"), nullptr);
}

}  // namespace
}  // namespace intervox::integrators
