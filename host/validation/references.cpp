// Rows that theory has the numbers for: the onset of rolling, and Steiner's theorem.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr double kGravity = 9.81;

}  // namespace

std::vector<Check> RollingOnset(const RowScene& scene) {
  constexpr std::size_t kBall = 1;  // the body after the floor
  constexpr double kMass = 2.0, kRadius = 0.1, kMu = 0.2, kSpeed = 1.0;
  const char* depth = "the depth, 7.3 µm: the ball rolls on R − δ/2, 3.6e-5 less";
  std::vector<Check> checks;
  Figure figure{"A sliding ball begins to roll", "time [s]", "speed [m/s]", {}};
  struct Body {
    const char* name;
    double share;  // of m R²
  };
  for (const Body& body : {Body{"solid ball", 0.4}, Body{"hollow ball", 2.0 / 3.0}}) {
    const double inertia = body.share * kMass * kRadius * kRadius;
    Simulation simulation =
        scene.Start({fmt::format("bodies.ball.inertia=[{0},{0},{0}]", inertia)});
    Curve speed{fmt::format("|v|, {}", body.name), {}, {}};
    Curve turn{fmt::format("R |ω|, {}", body.name), {}, {}};
    double onset = std::nan(""), before = kSpeed, time = 0.0;
    while (!simulation.Done()) {
      scene.Step(simulation);
      const BodyState& ball = simulation.State()[kBall];
      const double slip = ball.v_WB.x - kRadius * ball.w_WB.y;
      speed.Add(simulation.Time(), ball.v_WB.x);
      turn.Add(simulation.Time(), kRadius * ball.w_WB.y);
      // It falls at a constant rate: the line through two steps of sliding ends where it rolls.
      if (slip > 0.01 * kSpeed) {
        onset = simulation.Time() + slip * (simulation.Time() - time) / (before - slip);
      }
      before = slip;
      time = simulation.Time();
    }
    const double t = kSpeed / (kMu * kGravity * (1.0 + 1.0 / body.share));
    checks.push_back({fmt::format("slip ends, v/(μ g (1 + m R²/J)), {}", body.name), "s", t, onset,
                      2e-4 * t, depth});
    checks.push_back({fmt::format("speed then, v/(1 + J/(m R²)), {}", body.name), "m/s",
                      kSpeed / (1.0 + body.share), simulation.State()[kBall].v_WB.x, 1e-4, depth});
    Curve expected{fmt::format("by hand, {}", body.name),
                   {0.0, t, 0.4},
                   {kSpeed, kSpeed - kMu * kGravity * t, kSpeed - kMu * kGravity * t},
                   true};
    figure.curves.push_back(std::move(speed));
    figure.curves.push_back(std::move(turn));
    figure.curves.push_back(std::move(expected));
  }
  scene.Draw(std::move(figure));
  return checks;
}

std::vector<Check> Steiner(const RowScene& scene) {
  constexpr double kDensity = 7850.0, kDegree = std::numbers::pi / 180;
  constexpr double kRod = kDensity * 0.02 * 0.02;                           // [kg], 1 m long
  constexpr double kDisc = kDensity * std::numbers::pi * 0.1 * 0.1 * 0.05;  // [kg]
  constexpr double kDiscAt = -0.3, kMass = kRod + kDisc, kCentre = kDisc * kDiscAt / kMass;  // [m]
  // About y through the centre of mass: each part's own, and Steiner's share of it.
  constexpr double kInertia = kRod * (1.0 + 0.02 * 0.02) / 12 + kRod * kCentre * kCentre +
                              0.5 * kDisc * 0.1 * 0.1 +
                              kDisc * (kDiscAt - kCentre) * (kDiscAt - kCentre);
  const auto by_hand = [&](double d) {  // d from the hinge to the centre of mass [m], swings of 3°
    const double slow = std::sqrt((kInertia + kMass * d * d) / (kMass * kGravity * d));
    double a = 1.0, b = std::cos(0.5 * 3 * kDegree);
    while (a - b > 1e-15) {
      const double mean = 0.5 * (a + b);
      b = std::sqrt(a * b);
      a = mean;
    }
    return 2.0 * std::numbers::pi * slow / a;
  };
  const auto period = [&](double hinge) {  // its height in the body's frame [m]
    // Below its centre of mass it hangs upside down, and starts 3° from that.
    Simulation simulation = scene.Start(
        {fmt::format("joints.hinge.point=[0,0,{:.17g}]", hinge),
         fmt::format("bodies.pendulum.pose.rpy_deg=[0,{},0]", hinge < kCentre ? 183 : 3)});
    std::vector<double> crossings;
    double angle = -3 * kDegree;
    while (!simulation.Done()) {
      const double t = simulation.Time();
      scene.Step(simulation);
      const double now = -3 * kDegree - simulation.Joints()[0].coordinate;
      if (angle < 0.0 && now >= 0.0) {
        crossings.push_back(t + angle / (angle - now) * (simulation.Time() - t));
      }
      angle = now;
    }
    return (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
  };
  std::vector<Check> checks;
  const char* why = "third order at 700 steps a swing, and crossings on straight lines: 1e-6";
  Curve obtained{"simulated", {}, {}}, expected{"Steiner's theorem", {}, {}, true};
  for (const double hinge : {0.45, 0.3, 0.1, -0.05}) {
    const double d = hinge - kCentre, T = period(hinge);
    obtained.Add(d, T);
    checks.push_back({fmt::format("period, hinge {} m above the middle", hinge), "s", by_hand(d), T,
                      1e-5 * by_hand(d), why});
  }
  for (int k = 0; k <= 60; ++k) expected.Add(0.1 + 0.01 * k, by_hand(0.1 + 0.01 * k));
  // Huygens: hung up at the other end of the reduced length, it swings as fast.
  const double d = 0.4 - kCentre, reduced = d + kInertia / (kMass * d);
  const double upright = period(0.4), reversed = period(0.4 - reduced);
  checks.push_back(
      {"period, reversed about the reduced length", "s", upright, reversed, 2e-5 * upright, why});
  obtained.Add(d, upright);
  obtained.Add(reduced - d, reversed);
  scene.Draw({"Period over the distance of the hinge",
              "hinge to centre of mass [m]",
              "period [s]",
              {std::move(obtained), std::move(expected)}});
  return checks;
}

}  // namespace intervox::host
