// The row of force over indentation in one impact, Gonthier 5.1.1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/validation/one_body.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBall = 1;  // the body after the plane
constexpr double kMass = 0.454, kStiffness = 3.4e10, kSpeed = 0.5, kRadius = 0.1;

/** The root of d in (1 + d/e)/(1 − d) = exp(d (1 + 1/e)), Gonthier (3.23), for e from 0.05 on. */
double DimensionlessDamping(double e) {
  double low = 1.0 - e, high = 1.0;
  for (int k = 0; k < 200; ++k) {
    const double d = 0.5 * (low + high);
    (d * (1.0 + 1.0 / e) - std::log1p(d / e) + std::log1p(-d) > 0.0 ? low : high) = d;
  }
  return 0.5 * (low + high);
}

/** Depth at which the ball turns [m]: (2/5) k z^2.5 = m ∫ v dv/(1 + d/e v/v_i), from 0 to v_i. */
double LargestDepth(double e) {
  const double b = DimensionlessDamping(e) / (e * kSpeed);
  const double work = kMass * Integral([&](double v) { return v / (1.0 + b * v); }, kSpeed, 2000);
  return std::pow(2.5 * work / kStiffness, 0.4);
}

}  // namespace

std::vector<Check> ForceLoops(const RowScene& scene) {
  std::vector<Check> checks;
  Figure figure{"Force over indentation in one impact, by restitution",
                "indentation [mm]",
                "normal force [kN]",
                {}};
  for (const double e : {0.1, 0.3, 0.5, 0.7, 0.9, 1.0}) {
    Simulation simulation =
        scene.Start({fmt::format("contact_models.default.normal.restitution={}", e)});
    Curve loop{fmt::format("e {}", e), {}, {}};
    double depth = 0.0, force = 0.0, area = 0.0, deepest = 0.0;
    bool touched = false;
    while (!simulation.Done()) {
      scene.Step(simulation);
      const bool touches = !simulation.Contacts().empty();
      const double z = touches ? kRadius - simulation.State()[kBall].X_WB.p.z : 0.0;
      const double f = touches ? simulation.Contacts().front().f_n : 0.0;
      area += 0.5 * (f + force) * (z - depth);
      if (touches || touched) loop.Add(1e3 * z, 1e-3 * f);
      deepest = std::max(deepest, z);
      depth = z;
      force = f;
      if (touched && !touches) break;
      touched = touches;
    }
    const double taken = (1.0 - e * e) * 0.5 * kMass * kSpeed * kSpeed;
    checks.push_back({fmt::format("area of the loop, e {}", e), "mJ", 1e3 * taken, 1e3 * area,
                      1e3 * 1e-4 * 0.5 * kMass * kSpeed * kSpeed,
                      "a sum of trapezoids over 400 steps: 1e-5 of what goes in and out"});
    const double z = LargestDepth(e > 0.999 ? 0.9999999 : e);
    checks.push_back({fmt::format("largest indentation, e {}", e), "µm", 1e6 * z, 1e6 * deepest,
                      1e6 * 1e-4 * z, "samples beside the turn: (1/400)² of it"});
    figure.curves.push_back(std::move(loop));
  }
  scene.Draw(std::move(figure));
  return checks;
}

}  // namespace intervox::host
