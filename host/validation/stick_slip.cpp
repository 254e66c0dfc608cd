// The row of a block on a belt that sticks and slips.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/bristle.h"
#include "host/validation/ode.h"
#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBlock = 1;                           // the body after the belt
constexpr double kMass = 1.0, kSpring = 2.0, kLoad = 10.0;  // [kg], [N/m], [N]
constexpr double kEnd = 70.0, kCycle = 35.0;                // [s]; from kCycle on a limit cycle
constexpr double kShown = 30.0;                             // [s], of the figures
const BristleConstants kBristle = {0.15, 0.1, 1e4, std::sqrt(1e5) / 10.0, 0.01, 1e-3, 2.0};

/** What is seen of the block: its way along the belt and the friction on it. */
class Course {
 public:
  explicit Course(double belt) : belt_(belt) {}

  /** Takes a moment. @param r  [m] @param v  [m/s] @param f  friction, along the belt [N] */
  void See(double t, double r, double v, double f) {
    constexpr double kSlips = 0.01;  // slip that counts as slipping [m/s]
    const double slip = std::fabs(v - belt_);
    if (t > 0.0 && (slip > kSlips) != (slip_ > kSlips)) {
      const double at = t_ + (kSlips - slip_) / (slip - slip_) * (t - t_);
      (slip > kSlips ? slips : sticks).push_back(at);
    }
    if (slips.empty()) first_peak = std::max(first_peak, f);
    if (t > kCycle) {
      peak = std::max(peak, f);
      low = std::min(low, r);
      high = std::max(high, r);
    }
    if (t < kShown) {
      way.Add(t, r);
      force.Add(t, std::fabs(f));
    }
    t_ = t;
    slip_ = slip;
  }

  std::vector<double> slips, sticks;    ///< when it begins to slip, and to stick again [s]
  double first_peak = 0.0, peak = 0.0;  ///< of the friction: the first, and of the cycle [N]
  double low = 1e300, high = 0.0;       ///< of the way in the cycle [m]
  Curve way, force;                     ///< [m] and [N] over time [s]

 private:
  double belt_, t_ = 0.0, slip_ = 0.0;
};

Course Simulated(const RowScene& scene, double belt) {
  const double c = std::numbers::sqrt2 / 2;
  const std::string v = fmt::format("[{0:.17g},{0:.17g},0]", belt * c);
  Simulation simulation =
      scene.Start({"bodies.belt.motion.velocity.linear=" + v, "bodies.block.velocity.linear=" + v});
  Course course(belt);
  while (!simulation.Done()) {
    scene.Step(simulation);
    const BodyState& block = simulation.State()[kBlock];
    course.See(simulation.Time(), c * (block.X_WB.p.x + block.X_WB.p.y),
               c * (block.v_WB.x + block.v_WB.y),
               c * (block.contact_force.x + block.contact_force.y));
  }
  return course;
}

/** The same along the belt's direction, m r̈ = −k r − f_t. */
Course Alone(double belt) {
  Course course(belt);
  std::vector<double> y = {0.0, belt, 0.0, 1.0};  // r, v, z, s_dw
  const auto friction = [&](const std::vector<double>& at) {
    return Bristle(kBristle, at[1] - belt, at[2], at[3]);
  };
  Integrate(
      [&](double, const std::vector<double>& at, std::vector<double>* rates) {
        const BristleAnswer answer = friction(at);
        *rates = {at[1], (-kSpring * at[0] - kLoad * answer.friction) / kMass, answer.z_rate,
                  answer.s_dw_rate};
      },
      0.0, kEnd, {1e-9, {1e-3, 1e-3, 1e-6, 1e-3}, 2e-3}, &y,
      [&](double t, const std::vector<double>& at) {
        course.See(t, at[0], at[1], -kLoad * friction(at).friction);
        return true;
      });
  return course;
}

/** The largest difference of the first moments of two lists [s]. */
double Largest(const std::vector<double>& a, const std::vector<double>& b, std::size_t most) {
  if (std::min(a.size(), most) != std::min(b.size(), most)) return std::nan("");
  double off = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), most); ++k) {
    off = std::max(off, std::fabs(a[k] - b[k]));
  }
  return off;
}

}  // namespace

std::vector<Check> StickSlip(const RowScene& scene) {
  struct Found {
    double belt, peak, low, high;
  };
  constexpr Found kFound[] = {
      {0.05, 1.495, 0.278, 0.754}, {0.10, 1.436, 0.298, 0.736}, {0.15, 1.3015, 0.341, 0.694}};
  std::vector<Check> checks;
  const char* digits = "the digits of the number that a careful integration found";
  const char* step = "an event is seen between two steps of 2 ms, on a straight line";
  for (const Found& found : kFound) {
    const std::string at = fmt::format(", belt {} m/s", found.belt);
    Course course = Simulated(scene, found.belt), alone = Alone(found.belt);
    checks.push_back({"first peak of the friction" + at, "N", 1.5, course.first_peak, 2e-3,
                      "the peak lies between two steps: 2 N/m of 0.15 m/s for 2 ms, and creep"});
    checks.push_back(
        {"peak of the cycle, law alone" + at, "N", alone.peak, course.peak, 2e-3, "as the first"});
    checks.push_back({"peak of the cycle, found" + at, "N", found.peak, course.peak, 5e-3, digits});
    checks.push_back({"least way of the cycle, law alone" + at, "m", alone.low, course.low, 1e-3,
                      "the peaks' 2 mN over 2 N/m"});
    checks.push_back({"largest way of the cycle, law alone" + at, "m", alone.high, course.high,
                      1e-3, "the peaks' 2 mN over 2 N/m"});
    checks.push_back({"least way, found" + at, "m", found.low, course.low, 2e-3, digits});
    checks.push_back({"largest way, found" + at, "m", found.high, course.high, 2e-3, digits});
    checks.push_back({"first 8 slips, off the law alone" + at, "s", 0.0,
                      Largest(course.slips, alone.slips, 8), 5e-3, step});
    checks.push_back({"first 8 returns to sticking, off the law alone" + at, "s", 0.0,
                      Largest(course.sticks, alone.sticks, 8), 5e-3, step});
    course.way.label = "way";
    alone.way.label = "way, law alone";
    course.force.label = "friction";
    alone.force.label = "friction, law alone";
    alone.way.reference = alone.force.reference = true;
    scene.Draw({fmt::format("Way of the block, belt at {} m/s", found.belt),
                "time [s]",
                "|r| [m]",
                {std::move(course.way), std::move(alone.way)}});
    scene.Draw({fmt::format("Friction on it, belt at {} m/s", found.belt),
                "time [s]",
                "|f_t| [N]",
                {std::move(course.force), std::move(alone.force)}});
  }
  return checks;
}

}  // namespace intervox::host
