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
constexpr double kCylinder = 1.0;  // its radius [m]

/** How deep the ball lies under a normal load [m]. */
double Depth(double load) { return std::pow(load / kStiffness, 2.0 / 3.0); }

/** The radius on which it rolls: contact acts halfway between the two surfaces [m]. */
double RollingRadius(double load) { return kRadius - 0.5 * Depth(load); }

/** The period of a ball that rolls in a cylinder, a pendulum of any amplitude: 4 K(sin θ/2) over
 the frequency of small swings, K = π/(2 agm(1, cos θ/2)).
 @param path  radius of the centre's path [m]. @param amplitude  of its x [m]. @param rolling radius
 on which it rolls [m] */
double SwingPeriod(double path, double amplitude, double rolling) {
  const double ratio = kRadius / rolling;
  const double slow = std::sqrt(path * (1.0 + 0.4 * ratio * ratio) / kGravity);
  double a = 1.0, b = std::cos(0.5 * std::asin(amplitude / path));
  while (a - b > 1e-15) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2.0 * std::numbers::pi * slow / a;
}

}  // namespace

std::vector<Check> BallOnIncline(const RowScene& scene) {
  constexpr double kBegin = 2.5, kEnd = 3.9;  // rolling [s]
  const double angle = std::numbers::pi / 9;
  const Vec3 down{std::cos(angle), 0.0, -std::sin(angle)};
  const double load = kMass * kGravity * std::cos(angle);
  Simulation simulation = scene.Start();
  Curve slides{"|v|", {}, {}}, turns{"R |ω|", {}, {}, true};
  const auto step = [&] {
    scene.Step(simulation);
    const BodyState& ball = simulation.State()[kBall];
    slides.Add(simulation.Time(), Norm(ball.v_WB));
    turns.Add(simulation.Time(), kRadius * Norm(ball.w_WB));
  };
  while (simulation.Time() < kBegin) step();
  const double begin = simulation.Time();
  const BodyState first = simulation.State()[kBall];
  double least = 1e300, largest = 0.0;  // of |v|/(R |ω|)
  while (simulation.Time() < kEnd) {
    step();
    const BodyState& ball = simulation.State()[kBall];
    const double ratio = Norm(ball.v_WB) / (kRadius * Norm(ball.w_WB));
    least = std::min(least, ratio);
    largest = std::max(largest, ratio);
  }
  scene.Draw({"A ball bounces, slides and rolls down",
              "time [s]",
              "speed [m/s]",
              {std::move(slides), std::move(turns)}});
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

namespace {

/** What the swing of a ball in a cylinder comes to, once it rolls. */
struct Swing {
  double fastest = 0.0;                 ///< |ω| [rad/s]
  double v_fastest = 0.0;               ///< |v| at that moment [m/s]
  double period = 0.0;                  ///< [s]
  double first = 0.0, last = 0.0;       ///< amplitudes of x at the beginning and the end [m]
  double lost = 0.0;                    ///< largest change of the energy over the swing's own
  double least = 1e300, largest = 0.0;  ///< of v_y² + (2/7)(R ω_n)² [m²/s²]
  Curve path, drift;                    ///< x [m] and v_y [m/s] over time [s]
};

/** The swing from 4 s to 12 s. @param along  velocity along the axis at the start [m/s] */
Swing Watch(const RowScene& scene, double along) {
  constexpr double kRolls = 4.0, kSpan = 3.0, kEnd = 12.0;  // [s]; a swing takes 2.3 s
  constexpr double kFall = 0.4;  // from the start to the lowest place [m]
  Simulation simulation =
      scene.Start({fmt::format("bodies.ball.velocity.linear=[0, {}, 0]", along)});
  while (simulation.Time() < kRolls) scene.Step(simulation);
  const auto energy = [&] {
    const EnergyAudit& e = simulation.Energy();
    return e.kinetic + e.gravity + e.elastic + e.bristle;
  };
  const double begin = energy();
  Swing swing;
  std::vector<double> crossings;  // of the lowest place, to +x [s]
  double x = simulation.State()[kBall].X_WB.p.x;
  while (!simulation.Done()) {
    const double t = simulation.Time();
    scene.Step(simulation);
    const BodyState& ball = simulation.State()[kBall];
    const Vec3 p = ball.X_WB.p;
    if (x < 0.0 && p.x >= 0.0) crossings.push_back(t + x / (x - p.x) * (simulation.Time() - t));
    x = p.x;
    swing.path.Add(simulation.Time(), x);
    swing.drift.Add(simulation.Time(), ball.v_WB.y);
    if (t < kRolls + kSpan) swing.first = std::max(swing.first, std::fabs(x));
    if (t > kEnd - kSpan) swing.last = std::max(swing.last, std::fabs(x));
    swing.lost = std::max(swing.lost, std::fabs(energy() - begin));
    const double spin = kRadius * Dot(ball.w_WB, Vec3{p.x, 0.0, p.z}) / std::hypot(p.x, p.z);
    const double kept = ball.v_WB.y * ball.v_WB.y + 2.0 / 7.0 * spin * spin;
    swing.least = std::min(swing.least, kept);
    swing.largest = std::max(swing.largest, kept);
    if (Norm(ball.w_WB) > swing.fastest) {
      swing.fastest = Norm(ball.w_WB);
      swing.v_fastest = Norm(ball.v_WB);
    }
  }
  swing.lost /= begin + kMass * kGravity * kFall;
  swing.period = crossings.size() < 2 ? std::nan("")
                                      : (crossings.back() - crossings.front()) /
                                            static_cast<double>(crossings.size() - 1);
  return swing;
}

}  // namespace

std::vector<Check> BallInCylinder(const RowScene& scene) {
  constexpr double kPath = kCylinder - kRadius;  // of the centre of a rigid ball [m]
  constexpr auto kDepth = "contact acts half the depth within the ball: δ/(2R) is 0.0039";
  constexpr auto kLoss =
      "damping of the breathing depth, |a| f_e ż² = 4 µW, and creep of the bristle, σ₁ f_n ż² = "
      "2 µW: 4e-5 of 1.3 J in 8 s";
  constexpr auto kHalf = "half of the energy's";
  Swing across = Watch(scene, 0.0);
  Swing along = Watch(scene, 0.3);
  scene.Draw({"A ball rolls in a cylinder", "time [s]", "x [m]", {std::move(across.path)}});
  scene.Draw({"Along the axis its velocity comes and goes with its spin",
              "time [s]",
              "v_y [m/s]",
              {std::move(along.drift)}});
  const double load = kMass * (kGravity + across.v_fastest * across.v_fastest / kPath);
  const double ten = 10.0 * across.v_fastest / across.fastest;
  const double weight = kMass * kGravity;
  const double period = SwingPeriod(kPath + Depth(weight), across.first, RollingRadius(weight));
  return {{"|v| of 10 rad/s, where it is fastest", "m/s", 1.0, ten, 0.0043, kDepth},
          {"|v| of 10 rad/s, with the depth", "m/s", 10.0 * RollingRadius(load), ten, 1e-4,
           "the depth is in the expected value; the load is a point's on 0.9 m"},
          {"period of the swing, with the depth", "s", period, across.period, 1e-4 * period,
           "the depth, expected under m g, breathes by a tenth: 5e-5"},
          {"energy, change in 8 s over the swing's", "1", 0.0, across.lost, 1e-4, kLoss},
          {"amplitude, last 3 s over first", "1", 1.0, across.last / across.first, 5e-5, kHalf},
          {"energy, change in 8 s, v_y 0.3 m/s", "1", 0.0, along.lost, 1e-4, kLoss},
          {"amplitude, last 3 s over first, v_y 0.3 m/s", "1", 1.0, along.last / along.first, 5e-5,
           kHalf},
          {"v_y² + (2/7)(R ω_n)², largest over least", "1", 1.0, along.largest / along.least, 4e-3,
           "the rolling radius, R in the expected value, is δ/(2R) = 0.0039 less"}};
}

}  // namespace intervox::host
