// The thesis' study of solvers, on its ball that drops onto a table, slides, spins and rolls.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/validation/row.h"
#include "integrators/adaptive.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBall = 1;
constexpr double kEnd = 1.0;     // [s]
constexpr double kRolls = 0.35;  // [s]; the thesis has v_y there

/** What a solver makes of the ball. */
struct Course {
  double rise = 0.0;   ///< of the energy, largest above any earlier value [J]
  double v_rolls = 0;  ///< v_y at 0.35 s [m/s]
  Curve energy;
};

/** Kinetic, gravity's, elastic and bristles' energy, less what the relaxing offset adds [J]. */
double Stored(const EnergyAudit& e) {
  return e.kinetic + e.gravity + e.elastic + e.bristle - e.work_relaxation;
}

Course Watch(const RowScene& scene, const std::string& label,
             const std::vector<std::string>& edits) {
  std::vector<std::string> all = edits;
  all.push_back(fmt::format("duration={}", kEnd));
  Simulation simulation = scene.Start(all);
  Course course;
  course.energy.label = label;
  double least = Stored(simulation.Energy());
  course.energy.Add(0.0, least);
  while (!simulation.Done()) {
    scene.Step(simulation);
    const double energy = Stored(simulation.Energy());
    course.energy.Add(simulation.Time(), energy);
    course.rise = std::max(course.rise, energy - least);
    least = std::min(least, energy);
    if (simulation.Time() < kRolls + 1e-9) course.v_rolls = simulation.State()[kBall].v_WB.y;
  }
  return course;
}

}  // namespace

std::vector<Check> SolverStudy(const RowScene& scene) {
  constexpr double kNothing = 1e-7;  // [J]
  constexpr auto kWhy = "rounding and what an interval may gain, 1e-9 of what moves in each";
  constexpr auto kFixed = "rounding: what a coarse step errs by it loses";
  std::vector<Check> checks;
  Figure figure{"Energy of the ball on the table by each solver", "time [s]", "energy [J]", {}};
  for (const int micro : {50, 250, 1000}) {
    const std::string label = fmt::format("order 3, {} µs", micro);
    Course course =
        Watch(scene, label, {"integrator.method=rk3", fmt::format("integrator.step={}e-6", micro)});
    checks.push_back({"energy, largest rise, " + label, "J", 0.0, course.rise, kNothing, kFixed});
    checks.push_back({"v_y at 0.35 s, " + label, "m/s", 0.1969, course.v_rolls, 1e-4,
                      "the digits of an integration with exact caps; the thesis reads 0.197"});
    figure.curves.push_back(std::move(course.energy));
  }
  if (integrators::HasAdaptiveMethods()) {
    for (const char* tolerance : {"1e-5", "1e-6", "1e-7"}) {
      const std::string label = fmt::format("TR-BDF2, {}", tolerance);
      Course course = Watch(scene, label,
                            {"integrator.method=trbdf2", "integrator.step=5e-3",
                             fmt::format("integrator.tolerance={}", tolerance)});
      checks.push_back({"energy, largest rise, " + label, "J", 0.0, course.rise, kNothing, kWhy});
      checks.push_back({"v_y at 0.35 s, " + label, "m/s", 0.1969, course.v_rolls, 1e-4,
                        "the digits of an integration with exact caps; the thesis reads 0.197"});
      figure.curves.push_back(std::move(course.energy));
    }
  }
  scene.Draw(std::move(figure));
  return checks;
}

}  // namespace intervox::host
