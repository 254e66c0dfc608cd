// Rows of impacts: restitution, duration, and a ball that bounces until it rests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/one_body.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBall = 1;  // the body after the floor, in each scene

/** One impact of the ball without gravity, by the simulation. The duration is the time for which it
 is below its touching height, between steps on a straight line.
 @param depths  its depth [m] over time [s], if wanted */
Rebound Strike(const RowScene& scene, const std::vector<std::string>& edits, double radius,
               Curve* depths = nullptr) {
  Simulation simulation = scene.Start(edits);
  double began = -1.0;
  while (!simulation.Done()) {
    const double z = simulation.State()[kBall].X_WB.p.z - radius, t = simulation.Time();
    scene.Step(simulation);
    const double next = simulation.State()[kBall].X_WB.p.z - radius;
    const double crossed = t + z / (z - next) * (simulation.Time() - t);
    if (z > 0.0 && next <= 0.0) began = crossed;
    if (depths != nullptr && began >= 0.0) depths->Add(simulation.Time() - began, -next);
    if (z <= 0.0 && next > 0.0) {
      return {simulation.State()[kBall].v_WB.z, crossed - began};
    }
  }
  return {std::nan(""), std::nan("")};
}

/** Hunt and Crossley's rebound in the phase plane: with w(v) = ∫ v/(1 + a v) dv, the approach and
 the return pass the same ∫ k x^1.5 dx, so w of the approach is w of the return. */
double HuntCrossleyRebound(double speed, double a) {
  constexpr int kIntervals = 2000;
  const double in = Integral([&](double v) { return v / (1.0 + a * v); }, speed, kIntervals);
  double low = 0.0, high = speed;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    const double out = Integral([&](double v) { return v / (1.0 - a * v); }, middle, kIntervals);
    (out < in ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

std::vector<Check> SingleImpact(const RowScene& scene) {
  constexpr double kSlope = 0.2, kRadius = 0.1;  // [s/m], [m]
  std::vector<Check> checks;
  Figure figure{"Restitution over the one asked for", "approach speed [m/s]", "e_eff/e", {}};
  for (const char* law : {"gonthier", "hunt_crossley"}) {
    Curve& obtained = figure.curves.emplace_back();
    obtained.label = law;
    Curve expected{fmt::format("{}, its equation", law), {}, {}, true};
    for (const double speed : {0.2, 0.5, 1.0, 2.0}) {
      const double e = 1.0 - kSlope * speed;
      const Rebound rebound = Strike(scene,
                                     {fmt::format("bodies.ball.velocity.linear[2]={}", -speed),
                                      fmt::format("contact_models.default.normal.model={}", law)},
                                     kRadius);
      const bool exact = law == std::string("gonthier");
      const double returned = exact ? e * speed : HuntCrossleyRebound(speed, 1.5 * kSlope);
      obtained.Add(speed, rebound.speed / (e * speed));
      expected.Add(speed, returned / (e * speed));
      checks.push_back({fmt::format("e_eff/e, {}, v = {} m/s", law, speed), "1",
                        returned / (e * speed), rebound.speed / (e * speed), 1e-6,
                        "600 steps a contact, third order: 1/600³ is 5e-9"});
    }
    figure.curves.push_back(std::move(expected));
  }
  scene.Draw(std::move(figure));
  return checks;
}

namespace {

/** The drop's numbers as the source has them. */
constexpr double kDropMass = 0.066, kDropGravity = 10.0, kDropHeight = 1.0, kDropK = 1e10,
                 kDropLambda = 1e5, kDropRadius = 0.1;

double AzadForce(double z, double rate, double k, double lambda) {
  return std::sqrt(z) * (k * z + lambda * rate);
}

/** Two moments of a drop that bounces [s]. */
struct Settling {
  double low = 0.0;    ///< when it leaves for the first bounce below 1 mm
  double rests = 0.0;  ///< when it touches the floor for good
  int bounces = 0;     ///< between the two
  Curve tops;          ///< heights [m] of its bounces over time [s]
};

/** The drop by the law alone: exact flights between integrated impacts. */
Settling DropReference() {
  const OneBody body{kDropMass, kDropGravity,
                     [](double z, double rate) { return AzadForce(z, rate, kDropK, kDropLambda); }};
  Settling settling;
  double speed = std::sqrt(2 * kDropGravity * kDropHeight);
  double t = speed / kDropGravity;
  for (;;) {
    const Rebound rebound = ReboundOf(body, speed, 2e-8, 0.01);
    if (rebound.speed <= 0.0) break;
    speed = rebound.speed;
    t += rebound.duration;
    const double top = speed * speed / (2 * kDropGravity);
    if (top < 1e-3 && settling.low == 0.0) settling.low = t;
    if (top < 1e-3) ++settling.bounces;
    settling.tops.Add(t + speed / kDropGravity, top);
    t += 2 * speed / kDropGravity;
  }
  settling.rests = t;
  return settling;
}

}  // namespace

std::vector<Check> BouncingDrop(const RowScene& scene) {
  constexpr int kPeriods = 10;
  Settling reference = DropReference();
  const double z0 = std::pow(kDropMass * kDropGravity / kDropK, 2.0 / 3.0);
  const double stiffness = 1.5 * kDropK * std::sqrt(z0);
  const double damping = kDropLambda * std::sqrt(z0);
  const double decay = damping / (2 * kDropMass);
  const double frequency =
      std::sqrt(stiffness / kDropMass - decay * decay) / (2 * std::numbers::pi);

  Simulation simulation = scene.Start();
  Settling settling;
  Curve heights{"simulated", {}, {}};
  double touched = 0.0, left = 0.0;
  std::vector<double> crossings;  // upwards through the depth of rest, since it rests
  double z = kDropHeight, v = 0.0;
  while (!simulation.Done()) {
    const double t = simulation.Time();
    scene.Step(simulation);
    const BodyState& ball = simulation.State()[kBall];
    const double z_next = ball.X_WB.p.z - kDropRadius, v_next = ball.v_WB.z;
    if (z_next > 0.0 || z > 0.0) heights.Add(simulation.Time(), z_next);
    if (z > 0.0 && z_next <= 0.0) {
      touched = simulation.Time();
      crossings.clear();
    }
    if (z <= 0.0 && z_next > 0.0) left = simulation.Time();
    const bool at_top = v > 0.0 && v_next <= 0.0 && z_next > 0.0;
    if (at_top && z_next < 1e-3 && settling.low == 0.0) settling.low = left;
    if (at_top && z_next < 1e-3) ++settling.bounces;
    if (z <= -z0 && z_next > -z0 && v_next > 1e-9) {
      crossings.push_back(t + (z + z0) / (z - z_next) * (simulation.Time() - t));
    }
    z = z_next;
    v = v_next;
  }
  settling.rests = touched;
  reference.tops.label = "tops, the law alone";
  reference.tops.reference = true;
  scene.Draw({"A drop that bounces until it rests",
              "time [s]",
              "height [m]",
              {std::move(heights), std::move(reference.tops)}});
  const auto small = std::upper_bound(crossings.begin(), crossings.end(), touched + 5.0 / decay);
  const double obtained =
      crossings.end() - small > kPeriods ? kPeriods / (small[kPeriods] - small[0]) : std::nan("");
  const double settles = settling.rests - settling.low;
  const char* steps =
      "16 steps an impact err by 6e-4 of its speed, half as long ones by 5e-5: 2 ms in 2.4 s";
  return {
      {"leaves for a bounce below 1 mm, law alone", "s", reference.low, settling.low, 5e-3, steps},
      {"leaves for a bounce below 1 mm, the source's", "s", 2.4, settling.low, 0.05,
       "the source says about 2.4"},
      {"touches for good later, law alone", "s", reference.rests - reference.low, settles, 1e-3,
       "the speed of that moment is 1.6e-3 too low by then: 0.2 ms"},
      {"touches for good later, the source's", "s", 0.2, settles, 0.1,
       "the source says about 0.2, of a figure: one digit"},
      {"bounces below 1 mm, law alone", "1", double(reference.bounces), double(settling.bounces),
       0.5, "a whole number"},
      {"bounces below 1 mm, the source's", "1", 26.0, double(settling.bounces), 1.5,
       "its count; steps of its integrator may miss the last, which are 0.1 ms long"},
      {"bounces below 1 mm, found", "1", 29.0, double(settling.bounces), 4.0, "about 29"},
      {"frequency at rest, √(f_e′(z₀)/m)", "Hz", frequency, obtained, 1e-3 * frequency,
       "swings below 1 % of z₀: their square is 1e-4"},
      {"depth at rest", "nm", 1e9 * z0, -1e9 * z, 1e-6 * 1e9 * z0,
       "the swing has died out; the solver's tolerance"}};
}

std::vector<Check> AzadScaling(const RowScene& scene) {
  constexpr double kMass = 0.5, kSpeed = 1.0, kRadius = 0.1, kK = 1e7;
  constexpr auto kSteps = "780 steps a contact; √z is not smooth at the onset: 1/780² is 2e-6";
  std::vector<Check> checks;
  for (const bool azad : {true, false}) {
    const double damping = azad ? 1e3 : 0.2;  // lambda; Hunt and Crossley's dissipation [s/m]
    Rebound first;
    Figure figure{fmt::format("One impact, scaled: {}",
                              azad ? "Azad and Featherstone's law" : "Hunt and Crossley's law"),
                  "time/α [ms]",
                  "depth/α [mm]",
                  {}};
    for (const double alpha : {1.0, 0.5, 3.0}) {
      const double k = kK * std::pow(alpha, -2.5);
      const double lambda = azad ? damping * std::pow(alpha, -1.5) : 1.5 * damping * k;
      const std::string normal =
          azad ? fmt::format("{{model: azad_featherstone, stiffness: {}, damping: {}}}", k, lambda)
               : fmt::format("{{model: hunt_crossley, stiffness: {}, dissipation: {}}}", k,
                             lambda / (1.5 * k));
      Curve depths{fmt::format("α = {}", alpha), {}, {}, alpha == 1.0};
      const Rebound rebound = Strike(scene,
                                     {"contact_models.default.normal=" + normal,
                                      fmt::format("integrator.step={}", 5e-6 * alpha)},
                                     kRadius, &depths);
      for (double& t : depths.x) t *= 1e3 / alpha;
      for (double& z : depths.y) z *= 1e3 / alpha;
      figure.curves.push_back(std::move(depths));
      const OneBody body{kMass, 0.0, [&](double z, double rate) {
                           return azad ? AzadForce(z, rate, k, lambda)
                                       : std::pow(z, 1.5) * (k + lambda * rate);
                         }};
      const char* law = azad ? "azad_featherstone" : "hunt_crossley";
      if (alpha == 1.0) {
        first = rebound;
        const Rebound alone = ReboundOf(body, kSpeed, 1e-7, 1.0);
        checks.push_back(
            {fmt::format("e, {}", law), "1", alone.speed, rebound.speed, 1e-5, kSteps});
        checks.push_back({fmt::format("duration, {}", law), "ms", 1e3 * alone.duration,
                          1e3 * rebound.duration, 1e-5 * 1e3 * alone.duration, kSteps});
        continue;
      }
      checks.push_back({fmt::format("e, {}, α = {}", law, alpha), "1", first.speed, rebound.speed,
                        1e-5, kSteps});
      checks.push_back({fmt::format("duration over the first's, {}, α = {}", law, alpha), "1",
                        alpha, rebound.duration / first.duration, 1e-5 * alpha, kSteps});
    }
    scene.Draw(std::move(figure));
  }
  return checks;
}

}  // namespace intervox::host
