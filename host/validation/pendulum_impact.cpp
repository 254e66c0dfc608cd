// The row of a double pendulum that strikes a floor once: what the impact takes, by friction.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/contact/damping_factor.h"
#include "host/validation/bristle.h"
#include "host/validation/ode.h"
#include "host/validation/row.h"
#include "host/validation/through_contact.h"

namespace intervox::host {
namespace {

constexpr std::size_t kFirst = 1, kSecond = 2;  // the bodies after the floor
constexpr double kMass = 2.0, kInertia = 1.0 / 6.0, kGravity = 9.81, kStiffness = 1e9;
constexpr double kTip = 1e-3, kGap = 1e-6;  // radius of the ball at the tip, and its height [m]

/** A configuration: both rods, 1 m long, from the vertical, and their rates. */
struct Pose2 {
  double a1, a2;              ///< [rad]
  double w1 = -1.0, w2 = -2;  ///< [rad/s]; the second joint's rate is −1 rad/s too
};

/** Kinetic energy [J]. */
double Kinetic(const Pose2& p) {
  const double m11 = kInertia + 1.25 * kMass, m22 = kInertia + 0.25 * kMass;
  return 0.5 * m11 * p.w1 * p.w1 + 0.5 * m22 * p.w2 * p.w2 +
         0.5 * kMass * std::cos(p.a1 - p.a2) * p.w1 * p.w2;
}

/** The rods' angular accelerations under a force at the tip. */
std::array<double, 2> Accelerations(const Pose2& p, double f_x, double f_z, double gravity) {
  const double m11 = kInertia + 1.25 * kMass, m22 = kInertia + 0.25 * kMass;
  const double m12 = 0.5 * kMass * std::cos(p.a1 - p.a2);
  const double turn = 0.5 * kMass * std::sin(p.a1 - p.a2);
  const double q1 = std::cos(p.a1) * f_x + std::sin(p.a1) * f_z - turn * p.w2 * p.w2 -
                    1.5 * kMass * gravity * std::sin(p.a1);
  const double q2 = std::cos(p.a2) * f_x + std::sin(p.a2) * f_z + turn * p.w1 * p.w1 -
                    0.5 * kMass * gravity * std::sin(p.a2);
  const double det = m11 * m22 - m12 * m12;
  return {(m22 * q1 - m12 * q2) / det, (m11 * q2 - m12 * q1) / det};
}

/** Share of the kinetic energy that an impact takes, in minimal coordinates [%]. */
double LossAlone(const Pose2& start, double mu, double e) {
  const BristleConstants bristle = {mu, mu, 1e5, std::sqrt(1e5), 0.0, 0.1, 0.75};
  const double height = std::cos(start.a1) + std::cos(start.a2);
  const double approach = -std::sin(start.a1) * start.w1 - std::sin(start.a2) * start.w2;
  const double a = DampingFactor(e, approach, 1e-3);
  const auto depth = [&](const std::vector<double>& y) {
    return std::cos(y[0]) + std::cos(y[1]) - height;
  };
  std::vector<double> y = {start.a1, start.a2, start.w1, start.w2, 0.0, 0.0};  // …, z, s_dw
  bool deep = false;
  Integrate(
      [&](double, const std::vector<double>& at, std::vector<double>* rates) {
        const Pose2 p{at[0], at[1], at[2], at[3]};
        const double v_x = std::cos(p.a1) * p.w1 + std::cos(p.a2) * p.w2;
        const double v_z = std::sin(p.a1) * p.w1 + std::sin(p.a2) * p.w2;
        const double d = std::max(0.0, depth(at));
        const double f = std::max(0.0, kStiffness * d * std::sqrt(d) * (1.0 + a * v_z));
        const BristleAnswer answer = Bristle(bristle, v_x, at[4], at[5]);
        const auto w = Accelerations(p, -f * answer.friction, f, kGravity);
        *rates = {p.w1, p.w2, w[0], w[1], answer.z_rate, answer.s_dw_rate};
      },
      0.0, 0.1, {1e-9, {1e-4, 1e-4, 1e-2, 1e-2, 1e-7, 1e-4}, 1e-5}, &y,
      [&](double, const std::vector<double>& at) {
        deep = deep || depth(at) > 1e-6;
        return !deep || depth(at) > 0.0;
      });
  return 100.0 * (1.0 - Kinetic({y[0], y[1], y[2], y[3]}) / Kinetic(start));
}

/** The same in the simulation. */
double LossSimulated(const RowScene& scene, const Pose2& start, double mu, double e,
                     const std::string& gravity = "gravity=[0,0,-9.81]") {
  const auto list = [](double x, double z) { return fmt::format("[{:.17g},0,{:.17g}]", x, z); };
  const double s1 = std::sin(start.a1), c1 = std::cos(start.a1);
  const double s2 = std::sin(start.a2), c2 = std::cos(start.a2);
  const double x = s1 + s2, z = -c1 - c2 + kTip;  // of the ball
  // Velocities of bodies' frames: the first rod's is its middle, the second one's is the ball.
  Simulation simulation = scene.Start(
      {gravity, fmt::format("bodies.floor.shape.half_space.offset={:.17g}", -c1 - c2 - kGap),
       fmt::format("contact_models.default.normal.restitution={}", e),
       fmt::format("contact_models.default.friction.mu_s={}", mu),
       fmt::format("contact_models.default.friction.mu_c={}", mu),
       "bodies.first.pose.position=" + list(0.5 * s1, -0.5 * c1),
       "bodies.first.velocity.linear=" + list(0.5 * c1 * start.w1, 0.5 * s1 * start.w1),
       fmt::format("bodies.first.velocity.angular=[0,{},0]", -start.w1),
       "bodies.second.pose.position=" + list(x, z),
       "bodies.second.center_of_mass=" + list(-0.5 * s2, 0.5 * c2 - kTip),
       "bodies.second.velocity.linear=" +
           list(c1 * start.w1 + (c2 - kTip) * start.w2, s1 * start.w1 + s2 * start.w2),
       fmt::format("bodies.second.velocity.angular=[0,{},0]", -start.w2),
       "joints.elbow.point=" + list(s1, -c1)});
  const double before = simulation.Energy().kinetic;
  StepThroughContact(scene, simulation);
  return 100.0 * (1.0 - simulation.Energy().kinetic / before);
}

/** Without friction an impulse P at the tip that turns v into −e v takes (1 − e²) v²/(2 W). */
double FrictionlessLoss(const Pose2& start, double e) {
  const Pose2 still{start.a1, start.a2, 0.0, 0.0};
  const auto w = Accelerations(still, 0.0, 1.0, 0.0);
  const double W = std::sin(start.a1) * w[0] + std::sin(start.a2) * w[1];
  const double v = std::sin(start.a1) * start.w1 + std::sin(start.a2) * start.w2;
  return 100.0 * (1.0 - e * e) * v * v / (2.0 * W) / Kinetic(start);
}

}  // namespace

std::vector<Check> PendulumImpact(const RowScene& scene) {
  constexpr double kDegree = std::numbers::pi / 180;
  constexpr double kRestitutions[] = {0.01, 0.5, 0.9};
  struct Found {
    double mu, loss[3];  // at each e; below 0: not stated
  };
  struct Case {
    const char* name;
    Pose2 start;
    Found found[3];
  };
  const Case cases[] = {
      {"a",
       {18 * kDegree, 30 * kDegree},
       {{0.0, {34.0, 26.4, -1}}, {0.5, {46.0, 43.3, -1}}, {1.0, {50.7, 49.6, -1}}}},
      {"b",
       {0.0, 20.7 * kDegree},
       {{0.0, {15.0, 11.2, 2.8}}, {0.5, {34.0, 38.2, 36.2}}, {1.0, {40.5, 47.0, 46.6}}}}};
  std::vector<Check> checks;
  for (const Case& c : cases) {
    Figure figure{fmt::format("Energy that the impact takes, case ({})", c.name),
                  "friction coefficient μ",
                  "loss [%]",
                  {}};
    double last[3] = {};
    for (int k = 0; k < 3; ++k) {
      const double e = kRestitutions[k];
      const std::string at = fmt::format("({}), e {}", c.name, e);
      Curve curve{fmt::format("e {}", e), {}, {}}, alone{fmt::format("e {}, law alone", e), {}, {}};
      alone.reference = true;
      checks.push_back({fmt::format("loss {}, μ 0, by hand", at), "%", FrictionlessLoss(c.start, e),
                        LossSimulated(scene, c.start, 0.0, e, "gravity=[0,0,0]"), 0.03,
                        "the rods turn meanwhile, by the depth of 0.3 mm"});
      for (int n = 0; n <= 10; ++n) {
        const double mu = 0.1 * n;
        const double loss = LossSimulated(scene, c.start, mu, e);
        curve.Add(mu, loss);
        last[k] = loss;
        const double reference = LossAlone(c.start, mu, e);
        alone.Add(mu, reference);
        if (n % 5 != 0) continue;
        checks.push_back({fmt::format("loss {}, μ {}, law alone", at, mu), "%", reference, loss,
                          0.06, "contact acts half the depth, 0.15 mm, within the tip"});
        const double found = c.found[n / 5].loss[k];
        if (found < 0.0) continue;
        checks.push_back({fmt::format("loss {}, μ {}, found", at, mu), "%", found, loss, 0.1,
                          "the digits of the number that a careful integration found"});
      }
      figure.curves.push_back(std::move(curve));
      figure.curves.push_back(std::move(alone));
    }
    if (c.name == std::string("b")) {
      checks.push_back({"loss (b), μ 1: more at e 0.5 than at 0.01", "%", 6.5, last[1] - last[0],
                        0.2, "the digits of two numbers that were found"});
    }
    scene.Draw(std::move(figure));
  }
  return checks;
}

}  // namespace intervox::host
