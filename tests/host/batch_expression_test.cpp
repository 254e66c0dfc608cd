// Expressions over a simulation: values against what the simulation itself reports.
#include "host/batch/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "batch_files.h"
#include "host/scene/reader.h"

namespace intervox::host {
namespace {

class BatchExpression : public testing::Test {
 protected:
  Simulation simulation_{ParseScene(BallScene(), "ball.yaml")};

  double Now(const std::string& text) {
    Expression expression(text, simulation_.GetScene());
    expression.Watch(simulation_);
    return expression.Value(simulation_);
  }
  bool Truth(const std::string& text) { return Expression(text, simulation_.GetScene()).boolean(); }
};

TEST_F(BatchExpression, ReadsWhatTheSimulationReports) {
  for (int k = 0; k < 120; ++k) simulation_.Step();
  const BodyState& ball = simulation_.State()[1];
  EXPECT_EQ(Now("position(ball)[2]"), ball.X_WB.p.z);
  EXPECT_EQ(Now(" position ( ball ) [ 2 ] "), ball.X_WB.p.z);
  EXPECT_EQ(Now("velocity(ball)[2]"), ball.v_WB.z);
  EXPECT_EQ(Now("speed(ball)"), Norm(ball.v_WB));
  EXPECT_EQ(Now("orientation(ball)[0]"), ball.q_WB.w);
  EXPECT_EQ(Now("force(ball)[2]"), ball.contact_force.z);
  EXPECT_EQ(Now("force(ball)"), Norm(ball.contact_force));
  EXPECT_EQ(Now("position(tip)[2]"), simulation_.Sensors()[0].position.z);
  EXPECT_EQ(Now("time"), simulation_.Time());
  EXPECT_EQ(Now("kinetic_energy"), simulation_.Energy().kinetic);
  EXPECT_EQ(Now("energy_gap"), simulation_.Energy().balance);
  EXPECT_EQ(Now("contacts"), static_cast<double>(simulation_.Contacts().size()));
  EXPECT_EQ(Now("impacts"), static_cast<double>(simulation_.Impacts().size()));
  EXPECT_EQ(Now("min(1e-3, 2) + max(1, abs(-3)) * sqrt(4) ^ 2"), 1e-3 + 3 * 4);
  EXPECT_EQ(Now("!(1 < 2) || 3 != 3"), 0.0);
  EXPECT_EQ(Now("!(2 < 1) && time > 0"), 1.0);
}

TEST_F(BatchExpression, KeepsExtremesOverTime) {
  Expression peak("peak_force(ball)", simulation_.GetScene());
  Expression fast("max_over_time(2 * speed(ball))", simulation_.GetScene());
  Expression low("min_over_time(position(ball)[2])", simulation_.GetScene());
  double force = 0, speed = 0, height = 1;
  for (int k = 0; k <= 150; ++k) {
    if (k > 0) simulation_.Step();
    for (Expression* e : {&peak, &fast, &low}) e->Watch(simulation_);
    force = std::fmax(force, Norm(simulation_.State()[1].contact_force));
    speed = std::fmax(speed, 2 * Norm(simulation_.State()[1].v_WB));
    height = std::fmin(height, simulation_.State()[1].X_WB.p.z);
  }
  EXPECT_GT(force, 100);
  EXPECT_EQ(peak.Value(simulation_), force);
  EXPECT_EQ(fast.Value(simulation_), speed);
  EXPECT_EQ(low.Value(simulation_), height);
}

TEST_F(BatchExpression, KnowsTruthsFromNumbers) {
  for (const char* text :
       {"time < 1", "time < 1 && time > 0", "(time < 1)", "((time) >= 1)", "!(time < 1)",
        "time + 1 == 2", "1 != time || 0", "max_over_time(time < 1)"}) {
    EXPECT_TRUE(Truth(text)) << text;
  }
  for (const char* text : {"time", "(time < 1) * 2", "time < 1 ? 3 : 4", "(time)", "-(time < 1)",
                           "max_over_time(time)", "(time < 1) + (time > 2)"}) {
    EXPECT_FALSE(Truth(text)) << text;
  }
}

TEST_F(BatchExpression, RefusesNonsense) {
  for (const char* text : {"", " ", "time,time", "1 +", "(time", "time)", "position(ball)[x]",
                           "position(ball)[22]", "speed(ball)[0]", "orientation(ball)", "q0_",
                           "position()", "time = 2", "foo(1)", "max_over_time()"}) {
    EXPECT_THROW(Expression(text, simulation_.GetScene()), std::invalid_argument) << text;
  }
  EXPECT_THROW(Expression(std::string(10000, '('), simulation_.GetScene()), std::invalid_argument);
}

}  // namespace
}  // namespace intervox::host
