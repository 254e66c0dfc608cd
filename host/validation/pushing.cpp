// Rows of bodies that are pushed and held by friction.
#include <cmath>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

/** The share s of the slip tolerance at which Stribeck friction, μ_S s³(10 − 15 s + 6 s²), bears a
 share of μ_S. */
double SlipShare(double share) {
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; ++k) {
    const double s = 0.5 * (low + high);
    (s * s * s * (10.0 - 15.0 * s + 6.0 * s * s) < share ? low : high) = s;
  }
  return low;
}

}  // namespace

std::vector<Check> BoxPush(const RowScene& scene) {
  constexpr std::size_t kBox = 1;  // the body after the floor
  constexpr double kPush = 5.0, kLoad = 10.0, kMu = 0.7, kSlipTolerance = 1e-4;
  constexpr auto kRest = "at rest to rounding: e 0.3 has ended the fall of a depth long ago";
  constexpr double kLeastDrawn = 1e-15;  // [m/s]
  std::vector<Check> checks;
  Figure figure{"Speed of a box that is pushed with half of what friction bears",
                "time [s]",
                "log₁₀ of the speed in m/s",
                {}};
  const std::string sticks = "{model: bristle, mu_s: 0.7, mu_c: 0.6}";
  const std::string creeps = "{model: stribeck, mu_s: 0.7, mu_c: 0.6, slip_tolerance: 1e-4}";
  for (const std::string& friction : {sticks, creeps}) {
    Simulation simulation = scene.Start({"contact_models.default.friction=" + friction});
    Curve& course = figure.curves.emplace_back();
    course.label = friction == sticks ? "bristle" : "stribeck";
    while (!simulation.Done()) {
      scene.Step(simulation);
      const double speed = Norm(simulation.State()[kBox].v_WB);
      if (speed > kLeastDrawn) course.Add(simulation.Time(), std::log10(speed));
    }
    Vec3 force;  // on the box
    for (const ContactReport& contact : simulation.Contacts()) {
      force += contact.body_i == static_cast<int>(kBox) ? contact.force : -contact.force;
    }
    const double speed = Norm(simulation.State()[kBox].v_WB);
    const std::string law = friction == sticks ? ", bristle" : ", stribeck";
    checks.push_back({"force along the push" + law, "N", -kPush, force.x, 1e-6, kRest});
    checks.push_back({"force across" + law, "N", 0.0, force.y, 1e-6, kRest});
    checks.push_back({"force up" + law, "N", kLoad, force.z, 1e-6, kRest});
    if (friction == sticks) {
      checks.push_back({"speed" + law, "m/s", 0.0, speed, 1e-9, kRest});
      continue;
    }
    checks.push_back({"speed, less than the slip tolerance" + law, "m/s", 0.0, speed,
                      kSlipTolerance, "the slip tolerance"});
    checks.push_back({"speed, where the law bears the push" + law, "m/s",
                      kSlipTolerance * SlipShare(kPush / (kMu * kLoad)), speed,
                      1e-4 * kSlipTolerance, kRest});
  }
  scene.Draw(std::move(figure));
  return checks;
}

}  // namespace intervox::host
