// The row of a half-sphere on a force plate: prescribed motion, and a robot that gives way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/contact/damping_factor.h"
#include "host/validation/ode.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kHand = 2;  // the body after plate and command
constexpr double kRadius = 0.025, kStiffness = 2.5413e8;
constexpr double kMuS = 0.16, kMuC = 0.1;

/** What the plate measures [N], and how deep the half-sphere is [m], over time. */
struct Reading {
  std::vector<double> t, depth, rate;
  std::vector<Vec3> force;  ///< on the plate [N]

  Curve Component(const char* label, int axis) const {
    Curve curve{label, {}, {}};
    for (std::size_t k = 0; k < t.size(); ++k) curve.Add(t[k], force[k][axis]);
    return curve;
  }
};

Reading Press(const RowScene& scene, const std::vector<std::string>& edits) {
  Simulation simulation = scene.Start(edits);
  Reading reading;
  while (!simulation.Done()) {
    scene.Step(simulation);
    const BodyState& hand = simulation.State()[kHand];
    reading.t.push_back(simulation.Time());
    reading.depth.push_back(kRadius - hand.X_WB.p.z);
    reading.rate.push_back(hand.v_WB.z);
    reading.force.push_back(-simulation.Joints()[0].force);  // the base holds the plate against it
  }
  return reading;
}

/** When the hand loses contact in the first cycle: the law alone, from steady pressing on [s]. */
double LossAlone() {
  constexpr double kMass = 10.0, kBand = 1e-6, kLag = 2e-3, kStart = 1.02, kTurn = 75e-3;
  const double a = DampingFactor(0.85, 2e-3, 1e-3);
  double lost = std::nan("");
  std::vector<double> y = {std::pow(30.0 / kStiffness, 2.0 / 3.0), 0.0};  // depth, rate upwards
  Integrate(
      [&](double t, const std::vector<double>& at, std::vector<double>* rates) {
        const double command = std::min(-2e-3 + kTurn * (t - kStart), 1e-3);
        const double lag = command - at[1], d = std::max(0.0, at[0]);
        const double drive =
            10.0 * std::clamp(lag / kBand, -1.0, 1.0) + 20.0 * std::clamp(lag / kLag, -1.0, 1.0);
        const double f = std::max(0.0, kStiffness * d * std::sqrt(d) * (1.0 + a * at[1]));
        *rates = {-at[1], (f + drive) / kMass};
      },
      kStart, 1.1, {1e-8, {1e-6, 1e-4}, 1e-4}, &y,
      [&](double t, const std::vector<double>& at) {
        lost = t;
        return at[0] > 0.0;
      });
  return lost;
}

/** B1: the hand is the command, so the depth is given, and the force is the law's. */
void CheckPrescribed(const RowScene& scene, std::vector<Check>* checks) {
  constexpr double kDeepest = 20e-6, kTurn = 75e-3;        // [m], [m/s²]: 3 mm/s in 40 ms
  const double touch = std::sqrt(2.0 * kTurn * kDeepest);  // the speed with which it touches
  // The command's lowest place, 2.04 mm down, is 20 µm deep; that is between two keys, at 2/3.
  const double lowest = 2.02e-3 + 2e-3 * 0.04 / 3.0;  // v falls from 2 mm/s to 0 in 26.7 ms
  const double height = kRadius + lowest - kDeepest;
  Reading reading = Press(
      scene, {fmt::format("bodies.hand.pose.position[2]={:.17g}", height),
              "joints={base: {type: fixed, bodies: [plate, world], point: [0, 0, -0.01]}, grip: "
              "{type: fixed, bodies: [hand, command], point: [0, 0, 0.026]}}",
              "integrator.method=ark3", "duration=2"});
  const double a = DampingFactor(0.85, touch, 1e-3);
  Curve measured{"plate", {}, {}}, law{"law at the commanded depth", {}, {}, true};
  double off = 0.0, peak = 0.0, highest = 0.0;
  for (double v = -touch; v < 0.0; v += 1e-3 * touch) {  // on the way to the lowest place
    const double d = kDeepest - 0.5 * v * v / kTurn;
    highest = std::max(highest, kStiffness * d * std::sqrt(d) * (1.0 + a * v));
  }
  for (std::size_t k = 0; k < reading.t.size(); ++k) {
    const double d = std::max(0.0, reading.depth[k]), f = -reading.force[k].z;
    const double hertz = kStiffness * d * std::sqrt(d);
    const double expected = std::max(0.0, hertz * (1.0 + a * reading.rate[k]));
    off = std::max(off, std::fabs(f - expected));
    peak = std::max(peak, f);
    if (reading.t[k] < 1.01 || reading.t[k] > 1.09) continue;
    measured.Add(reading.t[k], f);
    law.Add(reading.t[k], expected);
  }
  checks->push_back({"B1: force, off the law at the depth of each step", "N", 0.0, off, 1e-4,
                     "the motion is given to rounding, 1e-16 m of 20 µm"});
  checks->push_back(
      {"B1: largest force", "N", highest, peak, 0.02, "samples of 1 ms beside the largest"});
  scene.Draw({"B1: the force follows the commanded depth",
              "time [s]",
              "normal force [N]",
              {std::move(measured), std::move(law)}});
}

}  // namespace

std::vector<Check> ForcePlate(const RowScene& scene) {
  constexpr double kLimit = 30.0;  // of the accommodation at 2 mm/s [N]
  constexpr double kPressed[] = {0.8, 1.0}, kSlides[] = {3.0, 3.15};  // [s]
  std::vector<Check> checks;
  CheckPrescribed(scene, &checks);
  const Reading reading = Press(scene, {});
  double largest = 0.0, least = kLimit, least_share = 1.0, largest_share = 0.0, across = 0.0;
  double rebound = 0.0, left = 0.0;
  for (std::size_t k = 0; k < reading.t.size(); ++k) {
    const double t = reading.t[k], f = -reading.force[k].z;
    largest = std::max(largest, f);
    if (t > kPressed[0] && t < kPressed[1]) least = std::min(least, f);
    if (t > 1.1 && t < 2.4) rebound = std::max(rebound, f);
    if (reading.depth[k] > 0.0 && t < 2.0) left = t;
    if (t > kSlides[0] && t < kSlides[1]) {
      const Vec3 f_t = reading.force[k];
      least_share = std::min(least_share, std::hypot(f_t.x, f_t.y) / f);
      largest_share = std::max(largest_share, std::hypot(f_t.x, f_t.y) / f);
      across = std::max(across, std::fabs(f_t.x - 2.0 * f_t.y) / f);  // it slides along (2, 1)
    }
  }
  checks.push_back({"B2: largest force, backward Euler of 1 ms", "N", kLimit, largest, 0.01,
                    "the limit; the drive at 10 kg is damped over critical"});
  checks.push_back({"B2: least force while it presses", "N", kLimit, least, 0.01,
                    "as the largest: nothing rings at 1 ms"});
  checks.push_back({"B2: loses contact as the command turns, law alone", "s", LossAlone(), left,
                    2e-3, "backward Euler's first order, and samples of 1 ms"});
  checks.push_back({"B2: force after that", "N", 0.0, rebound, 1e-9, "it is in the air"});
  checks.push_back({"C: least friction over load while it slides", "1", 0.5 * (kMuS + kMuC),
                    least_share, 0.5 * (kMuS - kMuC) + 1e-6, "between both coefficients"});
  checks.push_back({"C: largest friction over load", "1", 0.5 * (kMuS + kMuC), largest_share,
                    0.5 * (kMuS - kMuC) + 1e-6, "between both coefficients"});
  checks.push_back({"C: friction at 2.2 mm/s, far below v_S: μ_S", "1", kMuS, largest_share, 1e-3,
                    "s = exp(−(0.0022/0.1)²) = 0.9995"});
  checks.push_back({"C: friction across the slip, over load", "1", 0.0, across, 1e-3,
                    "the slip is along (2, 1) when the load has settled"});
  scene.Draw(
      {"B2 and C: what the force plate measures",
       "time [s]",
       "force on the plate [N]",
       {reading.Component("f_x", 0), reading.Component("f_y", 1), reading.Component("f_z", 2)}});
  return checks;
}

}  // namespace intervox::host
