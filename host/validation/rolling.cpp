// Rows of a ball that bounces, slides and ends in rolling: on an incline and in a cylinder.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBall = 1;  // the body after the ground, in each scene
constexpr double kMass = 2.0, kRadius = 0.1, kGravity = 9.81, kStiffness = 1e6;

/** How deep the ball lies under a normal load [m]. */
double Depth(double load) { return std::pow(load / kStiffness, 2.0 / 3.0); }

/** The radius on which it rolls: contact acts halfway between the two surfaces [m]. */
double RollingRadius(double load) { return kRadius - 0.5 * Depth(load); }

}  // namespace

std::vector<Check> BallOnIncline(const RowScene& scene) {
  constexpr double kBegin = 2.5, kEnd = 3.9;  // rolling [s]
  const double angle = std::numbers::pi / 9;
  const Vec3 down{std::cos(angle), 0.0, -std::sin(angle)};
  const double load = kMass * kGravity * std::cos(angle);
  Simulation simulation = scene.Start();
  while (simulation.Time() < kBegin) scene.Step(simulation);
  const double begin = simulation.Time();
  const BodyState first = simulation.State()[kBall];
  double least = 1e300, largest = 0.0;  // of |v|/(R |ω|)
  while (simulation.Time() < kEnd) {
    scene.Step(simulation);
    const BodyState& ball = simulation.State()[kBall];
    const double ratio = Norm(ball.v_WB) / (kRadius * Norm(ball.w_WB));
    least = std::min(least, ratio);
    largest = std::max(largest, ratio);
  }
  const BodyState last = simulation.State()[kBall];
  const double acceleration = Dot(last.v_WB - first.v_WB, down) / (simulation.Time() - begin);
  const double solid = 5.0 / 7.0 * kGravity * std::sin(angle);
  const double r = RollingRadius(load);
  const double deep = kGravity * std::sin(angle) / (1.0 + 0.4 * kRadius * kRadius / (r * r));
  const double half = 0.5 * Depth(load) / kRadius;
  const char* depth = "contact acts half the depth within the ball: δ/(2R) is 0.0035";
  const char* rolls = "the depth is in the expected value; a bristle under a steady load rests";
  return {
      {"|v|/(R|ω|), least", "1", 1.0, least, 1.1 * half, depth},
      {"|v|/(R|ω|), largest", "1", 1.0, largest, 1.1 * half, depth},
      {"|v|/(R|ω|), least, with the depth", "1", r / kRadius, least, 1e-6, rolls},
      {"|v|/(R|ω|), largest, with the depth", "1", r / kRadius, largest, 1e-6, rolls},
      {"cross-slope velocity, (5/7) 0.5 m/s", "m/s", 5.0 / 7.0 * 0.5, last.v_WB.y, 0.012,
       "the first impact is 21 mm deep: a lever 10 % shorter turns 5/7 into 0.69"},
      {"cross-slope velocity, change in 1.4 s", "m/s", 0.0, last.v_WB.y - first.v_WB.y, 1e-6,
       rolls},
      {"down-slope acceleration, (5/7) g sin 20°", "m/s^2", solid, acceleration,
       1.1 * solid * 4.0 / 7.0 * half,
       "the depth; of a solid ball: the text's g sin 20° = 3.355 is a point's without friction"},
      {"down-slope acceleration, with the depth", "m/s^2", deep, acceleration, 1e-6, rolls}};
}

std::vector<Check> BallInCylinder(const RowScene& scene) {
  constexpr double kRolls = 4.0, kSpan = 3.0, kEnd = 12.0;  // [s]; a swing takes 2.3 s
  constexpr double kFall = 0.4;  // from the start to the lowest place [m]
  constexpr auto kDepth = "contact acts half the depth within the ball: δ/(2R) is 0.0039";
  std::vector<Check> checks;
  for (const double along : {0.0, 0.3}) {
    Simulation simulation =
        scene.Start({fmt::format("bodies.ball.velocity.linear=[0, {}, 0]", along)});
    while (simulation.Time() < kRolls) scene.Step(simulation);
    const auto energy = [&] {
      const EnergyAudit& e = simulation.Energy();
      return e.kinetic + e.gravity + e.elastic + e.bristle;
    };
    const double begin = energy();
    const double swing = begin + kMass * kGravity * kFall;
    double lost = 0.0, first = 0.0, last = 0.0;  // [J], amplitudes [m]
    double fastest = 0.0, v_fastest = 0.0;       // [rad/s], [m/s]
    double least = 1e300, largest = 0.0;         // of v_y² + (2/7)(R ω_n)²
    while (!simulation.Done()) {
      scene.Step(simulation);
      const BodyState& ball = simulation.State()[kBall];
      const Vec3 p = ball.X_WB.p;
      lost = std::max(lost, std::fabs(energy() - begin));
      if (simulation.Time() < kRolls + kSpan) first = std::max(first, std::fabs(p.x));
      if (simulation.Time() > kEnd - kSpan) last = std::max(last, std::fabs(p.x));
      const double spin = kRadius * Dot(ball.w_WB, Vec3{p.x, 0.0, p.z}) / std::hypot(p.x, p.z);
      const double kept = ball.v_WB.y * ball.v_WB.y + 2.0 / 7.0 * spin * spin;
      least = std::min(least, kept);
      largest = std::max(largest, kept);
      const double w = std::hypot(ball.w_WB.x, ball.w_WB.y, ball.w_WB.z);
      if (w > fastest && along == 0.0) {
        fastest = w;
        v_fastest = Norm(ball.v_WB);
      }
    }
    const std::string run = along == 0.0 ? "" : ", v_y 0.3 m/s";
    if (along == 0.0) {
      const double load = kMass * (kGravity + v_fastest * v_fastest / 0.9);
      const double ten = 10.0 * v_fastest / fastest;
      checks.push_back({"|v| of 10 rad/s, where it is fastest", "m/s", 1.0, ten, 0.0043, kDepth});
      checks.push_back({"|v| of 10 rad/s, with the depth", "m/s", 10.0 * RollingRadius(load), ten,
                        1e-4,
                        "the depth is in the expected value; the load is a point's on 0.9 m"});
    }
    checks.push_back({"energy, change in 8 s over the swing's" + run, "1", 0.0, lost / swing, 1e-4,
                      "creep of the bristle, σ₁ f_n ż² = 2 µW, and damping of the breathing depth: "
                      "1e-5 to 1e-4"});
    checks.push_back({"amplitude, last 3 s over first" + run, "1", 1.0, last / first, 5e-5,
                      "half of the energy's"});
    if (along > 0.0) {
      checks.push_back({"v_y² + (2/7)(R ω_n)², largest over least", "1", 1.0, largest / least, 4e-3,
                        "the rolling radius, R in the expected value, is δ/(2R) = 0.0039 less"});
    }
  }
  return checks;
}

}  // namespace intervox::host
