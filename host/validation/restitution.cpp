// The row of restitution over the logarithm of the speed, Azad and Featherstone's figures 3 to 5.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/fit/fit.h"
#include "host/validation/one_body.h"
#include "host/validation/row.h"
#include "host/validation/through_contact.h"

namespace intervox::host {
namespace {

/** A pair of the source's figure 5. Materials are the scene's. */
struct Pair {
  const char* name;
  const char *ball, *target;
  double radius;  ///< of the ball [m]
  bool balls;     ///< two balls, not a ball and a plate
  double E_ball, nu_ball, E_target, nu_target, density;
};

constexpr std::array<Pair, 6> kPairs = {
    {{"A, brass, brass", "brass", "brass", 0.015, true, 1.0e11, 0.34, 1.0e11, 0.34, 8500},
     {"B, steel, cast iron", "steel", "cast_iron", 0.0127, false, 2.1e11, 0.29, 1.1e11, 0.26, 7850},
     {"C, cork, cork", "cork", "cork", 0.0166, true, 3e7, 0, 3e7, 0, 240},
     {"D, steel, cork", "steel", "cork", 0.0165, false, 2.1e11, 0.29, 3e7, 0, 7850},
     {"E, steel, brass", "steel", "brass", 0.0127, false, 2.1e11, 0.29, 1.0e11, 0.34, 7850},
     {"F, steel, lead", "steel", "lead", 0.0127, false, 2.1e11, 0.29, 1.6e10, 0.44, 7850}}};
constexpr double kReference = 0.6;  // e at 1 m/s, by which the damping is chosen
constexpr std::array<double, 7> kSpeeds = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};  // [m/s]

double EffectiveRadius(const Pair& pair) { return pair.balls ? 0.5 * pair.radius : pair.radius; }

/** k = (4/3) E* √R, Azad (5), (6), (10) [N/m^1.5]. */
double Stiffness(const Pair& pair) {
  const double compliance = (1.0 - pair.nu_ball * pair.nu_ball) / pair.E_ball +
                            (1.0 - pair.nu_target * pair.nu_target) / pair.E_target;
  return 4.0 / 3.0 / compliance * std::sqrt(EffectiveRadius(pair));
}

/** The mass that takes part: of two balls half of one [kg]. */
double Mass(const Pair& pair) {
  const double ball =
      pair.density * 4.0 / 3.0 * std::numbers::pi * pair.radius * pair.radius * pair.radius;
  return pair.balls ? 0.5 * ball : ball;
}

/** The new model in its own units, with k = m = 1 and v = 1: g is its one parameter. */
double AzadRestitution(double g) {
  return ReboundOf({1.0, 0.0, [&](double z, double rate) { return std::sqrt(z) * (z + g * rate); }},
                   1.0, 1e-3, 100.0)
      .speed;
}

/** The same of Hunt and Crossley's, f = z^1.5 (1 + g ż). */
double HuntCrossleyRestitution(double g) {
  return ReboundOf(
             {1.0, 0.0, [&](double z, double rate) { return z * std::sqrt(z) * (1.0 + g * rate); }},
             1.0, 1e-3, 100.0)
      .speed;
}

/** The parameter of that restitution, which falls with it. */
double ParameterFor(double (*restitution)(double), double e) {
  double low = 0.0, high = 20.0;
  for (int k = 0; k < 40; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution(middle) > e ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/** λ of which the new model's parameter is g at the speed v: λ v^0.2/(k^0.6 m^0.4). */
double Damping(const Pair& pair, double g, double v) {
  return g * std::pow(Stiffness(pair), 0.6) * std::pow(Mass(pair), 0.4) * std::pow(v, -0.2);
}

double Simulated(const RowScene& scene, const Pair& pair, double lambda, double speed) {
  const double k = Stiffness(pair), m = Mass(pair);
  const double deep = std::pow(1.25 * m * speed * speed / k, 0.4);  // undamped
  const double step = deep / speed / 400, gap = 0.02 * deep, R = pair.radius;
  const std::string ball = fmt::format("{{shape: {{sphere: {{radius: {}}}}}, material: ", R);
  Simulation simulation = scene.Start(
      {fmt::format("contact_models.default.normal.radius={:.17g}", EffectiveRadius(pair)),
       fmt::format("contact_models.default.normal.damping={:.17g}", lambda),
       fmt::format("integrator.step={:.17g}", step),
       pair.balls ? fmt::format("bodies.target={}{}, pose: {{position: [0,0,{:.17g}]}}}}", ball,
                                pair.target, -R)
                  : fmt::format("bodies.target.material={}", pair.target),
       fmt::format("bodies.ball={}{}, pose: {{position: [0,0,{:.17g}]}}, velocity: {{linear: "
                   "[0,0,{:.17g}]}}}}",
                   ball, pair.ball, R + gap, -speed)});
  StepThroughContact(scene, simulation);
  return (simulation.State()[1].v_WB.z - simulation.State()[0].v_WB.z) / speed;
}

/** The largest distance of points from the straight line through them that is nearest in squares.
 */
double OffStraight(const Curve& curve) {
  const auto n = static_cast<double>(curve.x.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0, off = 0.0;
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    const double x = std::log10(curve.x[k]);
    sx += x;
    sy += curve.y[k];
    sxx += x * x;
    sxy += x * curve.y[k];
  }
  const double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    const double line = sy / n + slope * (std::log10(curve.x[k]) - sx / n);
    off = std::max(off, std::fabs(curve.y[k] - line));
  }
  return off;
}

}  // namespace

std::vector<Check> RestitutionLog(const RowScene& scene) {
  const double g = ParameterFor(AzadRestitution, kReference);
  const double h = ParameterFor(HuntCrossleyRestitution, kReference);
  std::vector<Check> checks;
  Curve azad{"Azad and Featherstone, law alone", {}, {}, true};
  Curve hunt{"Hunt and Crossley, law alone", {}, {}, true};
  Curve linear{"linear spring and damper", {}, {}, true};
  for (int k = 0; k <= 40; ++k) {
    const double v = std::pow(10.0, -1.0 + 0.05 * k);
    azad.Add(v, AzadRestitution(g * std::pow(v, 0.2)));
    hunt.Add(v, HuntCrossleyRestitution(h * v));
    linear.Add(v, kReference);
  }
  Figure figure{"Restitution over the logarithm of the approach speed",
                "approach speed [m/s]",
                "coefficient of restitution",
                {},
                true};
  const char* steps = "1000 steps an impact; √z is not smooth at the onset: 1e-6";
  for (const Pair& pair : kPairs) {
    const double lambda = Damping(pair, g, 1.0);
    Curve curve{pair.name, {}, {}};
    double off = 0.0;
    for (const double v : kSpeeds) {
      const double e = Simulated(scene, pair, lambda, v);
      curve.Add(v, e);
      off = std::max(off, std::fabs(e - AzadRestitution(g * std::pow(v, 0.2))));
      if (v != 1.0) continue;
      checks.push_back({fmt::format("e at 1 m/s, {}", pair.name), "1", kReference, e, 2e-5, steps});
    }
    checks.push_back({fmt::format("e at 0.1 to 10 m/s, off the law alone, {}", pair.name), "1", 0.0,
                      off, 2e-5, steps});
    // λ from the seven rebounds, as from an experiment.
    const Fit fit = FitLeastSquares(
        {[&](std::size_t row, std::span<const double> theta) {
           return AzadRestitution(theta[0] / Damping(pair, 1.0, curve.x[row]));
         },
         curve.y,
         {0.5 * lambda},
         {0.5 * lambda}},
        std::array<FitQuantity, 1>{
            {{"damping", "N s/m^1.5", [](std::span<const double> theta) { return theta[0]; }}}},
        pair.name);
    checks.push_back({fmt::format("λ fitted over λ, {}", pair.name), "1", 1.0,
                      fit.parameters[0].value / lambda, 1e-4, "as e: 2e-5 of some 0.4"});
    figure.curves.push_back(std::move(curve));
  }
  checks.push_back({"largest distance from a line in log v, Azad and Featherstone", "1", 0.0,
                    OffStraight(azad), 0.02, "nearly straight: 2 % over two decades"});
  checks.push_back({"the same over Hunt and Crossley's, 0.1 to 10 m/s", "1", 0.0,
                    OffStraight(azad) / OffStraight(hunt), 0.2, "less than a fifth of it"});
  figure.curves.push_back(std::move(azad));
  figure.curves.push_back(std::move(hunt));
  figure.curves.push_back(std::move(linear));
  scene.Draw(std::move(figure));
  return checks;
}

}  // namespace intervox::host
