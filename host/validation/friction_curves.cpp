// Rows of friction laws by themselves: over the slip, and over sliding and spinning at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBody = 1;  // the body after the floor, in both scenes

/** The contact after the scene's one step. */
ContactReport AfterOneStep(const RowScene& scene, const std::vector<std::string>& edits,
                           BodyState* body) {
  Simulation simulation = scene.Start(edits);
  scene.Step(simulation);
  *body = simulation.State()[kBody];
  return simulation.Contacts().empty() ? ContactReport{} : simulation.Contacts().front();
}

/** Drake's curve: up to μ_S at the slip tolerance, down to μ_C at three times that. */
double StribeckCurve(double s, double mu_s, double mu_c) {
  const auto step5 = [](double x) { return x * x * x * (10.0 + x * (6.0 * x - 15.0)); };
  if (s < 1.0) return mu_s * step5(s);
  return s < 3.0 ? mu_s + (mu_c - mu_s) * step5(0.5 * (s - 1.0)) : mu_c;
}

}  // namespace

std::vector<Check> StribeckRow(const RowScene& scene) {
  constexpr double kMuS = 0.8, kMuC = 0.5, kTolerance = 1e-3;  // [–], [–], [m/s]
  const auto friction = [&](double speed, const std::vector<std::string>& law) {
    std::vector<std::string> edits = {fmt::format("bodies.block.velocity.linear=[{},0,0]", speed)};
    edits.insert(edits.end(), law.begin(), law.end());
    BodyState block;
    const ContactReport contact = AfterOneStep(scene, edits, &block);
    return -block.contact_force.x / contact.f_n;
  };
  std::vector<Check> checks;
  Curve stribeck{"stribeck", {}, {}}, coulomb{"coulomb, v_ε = v_s", {}, {}};
  Curve expected{"Drake's μ(s)", {}, {}, true};
  double off = 0.0;
  for (int k = 0; k <= 50; ++k) {
    const double s = 0.1 * k, mu = friction(s * kTolerance, {}),
                 curve = StribeckCurve(s, kMuS, kMuC);
    off = std::max(off, std::fabs(mu - curve));
    stribeck.Add(s, mu);
    coulomb.Add(s, friction(s * kTolerance,
                            {"contact_models.default.friction={model: coulomb, mu: 0.5, v_epsilon: "
                             "1e-3}"}));
    expected.Add(s, curve);
    if (k % 10 != 0 && k != 5) continue;
    checks.push_back({fmt::format("μ at {} of the slip tolerance", s), "1", curve, mu, 1e-6,
                      "friction changes the slip by 1e-9 of the tolerance within the step"});
  }
  checks.push_back({"largest difference at 51 slips", "1", 0.0, off, 1e-6, "as one of them"});
  double past = 0.0;
  for (const double s : {10.0, 1e3, 1e5}) past = std::max(past, friction(s * kTolerance, {}));
  checks.push_back({"μ up to 1e5 times the slip tolerance", "1", kMuC, past, 1e-9, "it stays"});
  scene.Draw({"Friction over load, over the slip",
              "slip over slip tolerance, s",
              "friction/load",
              {std::move(stribeck), std::move(coulomb), std::move(expected)}});
  return checks;
}

namespace {

/** A part, and its depth over the plane, of a box of half edges around it [m]. */
struct Part {
  const char* name;
  std::string shape;
  double height;                                ///< of its origin [m]
  std::function<double(double, double)> depth;  ///< [m]
  double half_x, half_y;
};

constexpr double kRadius = 0.05, kSunk = 1e-4;

std::vector<Part> Parts() {
  constexpr double kBall = 0.1, kDeep = 2e-5;
  const double rim = std::sqrt(kDeep * (2.0 * kBall - kDeep));
  const auto disc = [](double x, double y) {
    return x * x + y * y < kRadius * kRadius ? kSunk : 0.0;
  };
  const auto ring = [=](double x, double y) {
    return x * x + y * y > 0.36 * kRadius * kRadius ? disc(x, y) : 0.0;
  };
  const auto cap = [=](double x, double y) {
    return std::fmax(0.0, std::sqrt(kBall * kBall - x * x - y * y) - (kBall - kDeep));
  };
  return {{"disc", "{cylinder: {radius: 0.05, height: 0.1}}", 0.05 - kSunk, disc, kRadius, kRadius},
          {"annulus",
           "{difference: [{cylinder: {radius: 0.05, height: 0.1}}, {cylinder: {radius: 0.03, "
           "height: 0.2}}]}",
           0.05 - kSunk, ring, kRadius, kRadius},
          {"rectangle", "{box: {size: [0.1, 0.06, 0.1]}}", 0.05 - kSunk,
           [](double, double) { return kSunk; }, 0.05, 0.03},
          {"cap", "{sphere: {radius: 0.1}}", kBall - kDeep, cap, rim, rim}};
}

/** Force along x and moment of Coulomb's friction over μ f_n. */
struct Limit {
  double force = 0.0, moment = 0.0;  ///< [–], [m]
};

/** Coulomb and Contensou's integrals for a slip v along x and a spin of 1 rad/s. The midpoints of
 rings and sectors, or of x and y, sum them. */
Limit Integrated(const Part& part, double v) {
  constexpr int kRings = 300, kAround = 480;
  Limit sum;
  double load = 0.0;
  const auto add = [&](double x, double y, double area) {
    const double p = part.depth(x, y) * area;
    const double u_x = v - y, u_y = x, u = std::hypot(u_x, u_y);
    load += p;
    sum.force += p * u_x / u;
    sum.moment += p * (x * u_y - y * u_x) / u;
  };
  const bool round = part.half_x == part.half_y;
  for (int i = 0; i < kRings; ++i) {
    for (int j = 0; j < kAround; ++j) {
      const double a = (i + 0.5) / kRings, b = (j + 0.5) / kAround;
      if (round) {
        const double r = a * part.half_x, turn = 2.0 * std::numbers::pi * b;
        add(r * std::cos(turn), r * std::sin(turn), r);
      } else {
        add((2.0 * b - 1.0) * part.half_x, (2.0 * a - 1.0) * part.half_y, 1.0);
      }
    }
  }
  return {sum.force / load, sum.moment / load};
}

}  // namespace

std::vector<Check> LimitSurface(const RowScene& scene) {
  constexpr double kMu = 0.3;
  const auto simulated = [&](const Part& part, double v, const std::string& friction) {
    std::vector<std::string> edits = {
        "bodies.part.shape=" + part.shape,
        fmt::format("bodies.part.pose.position=[0,0,{:.17g}]", part.height),
        fmt::format("bodies.part.velocity.linear=[{:.17g},0,0]", v)};
    if (!friction.empty()) edits.push_back("contact_models.default.friction=" + friction);
    BodyState body;
    const ContactReport contact = AfterOneStep(scene, edits, &body);
    return Limit{-body.contact_force.x / (kMu * contact.f_n),
                 -body.contact_torque.z / (kMu * contact.f_n)};
  };
  const std::string lumped =
      "{model: bristle, mu_s: 0.3, mu_c: 0.3, sigma_0: 1e9, sigma_1: 1e9, v_stribeck: 1e-9, "
      "v_epsilon: 1e-11}";
  const char* points = "300 points of the patch";
  std::vector<Check> checks;
  Figure figure{"Limit surfaces: force and moment of friction at once",
                "force/(μ f_n)",
                "moment over its largest",
                {}};
  for (const Part& part : Parts()) {
    const double largest = Integrated(part, 0.0).moment;
    double force_off = 0.0, moment_off = 0.0;
    Curve obtained{part.name, {}, {}},
        exact{fmt::format("{}, integrated", part.name), {}, {}, true};
    for (const double ratio : {0.0, 0.1, 0.2, 0.32, 0.45, 0.56, 0.8, 1.0, 1.3, 2.0, 5.0, 50.0}) {
      const double v = ratio * part.half_x;
      const Limit law = simulated(part, v, ""), by_hand = Integrated(part, v);
      force_off = std::max(force_off, std::fabs(law.force - by_hand.force));
      moment_off = std::max(moment_off, std::fabs(law.moment - by_hand.moment) / largest);
      obtained.Add(law.force, law.moment / largest);
      exact.Add(by_hand.force, by_hand.moment / largest);
    }
    checks.push_back({fmt::format("force, off the integrals, {}", part.name), "1", 0.0, force_off,
                      1e-3, points});
    checks.push_back({fmt::format("moment over its largest, off the integrals, {}", part.name), "1",
                      0.0, moment_off, 1e-3, points});
    figure.curves.push_back(std::move(obtained));
    figure.curves.push_back(std::move(exact));
    if (part.half_x != part.half_y || part.name == std::string("annulus")) continue;
    Curve shared{fmt::format("{}, lumped", part.name), {}, {}};
    for (const double ratio :
         {0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0, 1.5, 2.0, 5.0, 50.0, 500.0}) {
      const Limit law = simulated(part, ratio * part.half_x, lumped);
      shared.Add(law.force, law.moment / largest);
    }
    figure.curves.push_back(std::move(shared));
  }
  // What the lumped law makes of both, over what is exact: the table of Coulomb and Contensou.
  struct Entry {
    std::size_t part;
    double ratio, expected;
    bool moment;
    double tolerance;
  };
  constexpr Entry kTable[] = {
      {3, 0.0, 1.083, true, 3e-3},  {3, 0.32, 1.077, true, 3e-3}, {3, 0.56, 1.154, true, 3e-3},
      {3, 1.0, 1.594, true, 6e-3},  {3, 50.0, 2.0, true, 0.01},   {3, 0.1, 1.29, false, 0.013},
      {3, 0.32, 1.18, false, 6e-3}, {3, 1.0, 0.956, false, 3e-3}, {0, 0.0, 1.061, true, 3e-3},
      {0, 1.0, 1.443, true, 6e-3},  {0, 50.0, 2.0, true, 0.01}};
  const std::vector<Part> parts = Parts();
  for (const Entry& entry : kTable) {
    const Part& part = parts[entry.part];
    const double v = entry.ratio * part.half_x;
    const Limit a = simulated(part, v, lumped), b = simulated(part, v, "");
    checks.push_back({fmt::format("{} lumped over distributed, {}, v/(ωR) {}",
                                  entry.moment ? "moment" : "force", part.name, entry.ratio),
                      "1", entry.expected, entry.moment ? a.moment / b.moment : a.force / b.force,
                      entry.tolerance, "the digits of the number, and 300 points of the patch"});
  }
  scene.Draw(std::move(figure));
  return checks;
}

}  // namespace intervox::host
