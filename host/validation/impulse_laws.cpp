// Rows of impulse laws: by hand, and beside what a stiff spring makes of the same collision.
#include "host/impulse/laws.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host/validation/one_body.h"
#include "host/validation/row.h"
#include "host/validation/through_contact.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBody = 1;  // the body after the floor, in each scene

/** The body once it has touched and left, or at the scene's end. */
BodyState AfterContact(const RowScene& scene, const std::vector<std::string>& edits) {
  Simulation simulation = scene.Start(edits);
  StepThroughContact(scene, simulation);
  return simulation.State()[kBody];
}

/** A planar contact by its numbers; it approaches at 1 m/s. */
CollisionPoint ByHand(double a, double b, double c, double slip) {
  CollisionPoint contact;
  contact.inverse_inertia = {{a, 0, b}, {0, 1, 0}, {b, 0, c}};
  contact.velocity = {slip, 0, -1.0};
  return contact;
}

/** Normal impulses of each law, by hand: a 4, b 1, c 2 kg⁻¹, e 0.8, μ 0.5. The slip falls by
 μ a − b = 1 for each N·s and ends at P = 0.5, v rising by c − μ b = 1.5, then by c − b²/a = 1.75.
 */
void CheckByHand(std::vector<Check>* checks) {
  constexpr double e = 0.8, v_stop = -1.0 + 1.5 * 0.5, P_c = 0.5 - v_stop / 1.75;
  constexpr double W_c = 0.5 * (-1.0 + v_stop) * 0.5 - 0.5 * v_stop * v_stop / 1.75;
  constexpr double poisson = (1.0 + e) * P_c, newton = P_c + e / 1.75;
  // P = P_I (1 + e) + κ (P_II − P_I) and u⁺ = 0, κ = 1, for e_t = 0 within the cone.
  constexpr double plastic = (1.0 + 0.5 * 0.25) / 1.75;  // n·P_II
  constexpr double chatterjee = (1.0 + e) * 0.5 + (plastic - 0.5);
  constexpr double brach = (1.0 + e) / (2.0 - (0.5 * 2.0 + 1.8) / (0.5 + 4.0 * 1.8));
  const std::array<std::pair<const char*, double>, 8> laws = {
      {{"newton", newton},
       {"poisson", poisson},
       {"routh", poisson},
       {"bhatt_koechling", poisson},
       {"stronge", P_c + e * std::sqrt(-2.0 * W_c / 1.75)},
       {"kane", (1.0 + e + 0.25 * 0.5) / 1.75},
       {"brach", brach},
       {"chatterjee", chatterjee}}};
  for (const auto& [name, expected] : laws) {
    const Vec3 P =
        Collide(ImpulseLawNamed(name), ByHand(4.0, 1.0, 2.0, 0.5), {e, 0.5, 0.0}).impulse;
    checks->push_back({fmt::format("P_n where the slip stops, {}", name), "N s", expected, P.z,
                       1e-12, "a closed form, to rounding"});
  }
}

/** Energies where e = 1 and friction turns the slip round: a 3, b −2, c 2 kg⁻¹, μ 5, slip 0.75. */
void CheckEnergies(std::vector<Check>* checks) {
  const CollisionPoint at = ByHand(3.0, -2.0, 2.0, 0.75);
  const auto energy = [&](const char* name) {
    return Collide(ImpulseLawNamed(name), at, {1.0, 5.0, 0.0}).energy_change;
  };
  const char* why = "a closed form, to rounding";
  // Sticks: P = W⁻¹ (−0.75, 2) has P_t = 1.25, and the energy is P_t · 0.75/2.
  checks->push_back({"energy gained, kane", "J", 0.46875, energy("kane"), 1e-12, why});
  // Friction μ P_n until the slip has stopped at P_n = 0.75/(μ a − b) = 0.75/17; no other loss.
  checks->push_back({"energy gained, stronge, e = 1: the slip's", "J",
                     -0.5 * 5.0 * 0.75 * 0.75 / 17.0, energy("stronge"), 1e-12, why});
  // The normal impulse's: v rises by 12 to −1 + 12 · 0.75/17, then by c − b²/a = 2/3.
  const double P_s = 0.75 / 17.0, v = -1.0 + 12.0 * P_s, W_c = 0.5 * (v - 1.0) * P_s - 0.75 * v * v;
  checks->push_back({"energy gained, newton, e = 1", "J", -0.5 * 5.0 * 0.75 * P_s + W_c + 0.75,
                     energy("newton"), 1e-12, why});
  checks->push_back({"energy gained, brach, bounded", "J", 0.0, energy("brach"), 1e-12, why});
}

}  // namespace

std::vector<Check> ImpulseLaws(const RowScene& scene) {
  constexpr double kDepths = 5e-4;
  std::vector<Check> checks;
  CheckByHand(&checks);
  CheckEnergies(&checks);
  Figure figure{"Energy that each law leaves, where friction turns the slip round, over e",
                "coefficient of restitution e",
                "change of the energy [J]",
                {}};
  for (const char* law : {"newton", "poisson", "stronge", "kane", "brach", "chatterjee"}) {
    Curve& curve = figure.curves.emplace_back();
    curve.label = law;
    for (int k = 0; k <= 20; ++k) {
      const CollisionPoint at = ByHand(3.0, -2.0, 2.0, 0.75);
      const double e = 0.05 * k;
      curve.Add(e, Collide(ImpulseLawNamed(law), at, {e, 5.0, 0.0}).energy_change);
    }
  }
  scene.Draw(std::move(figure));
  struct Case {
    const char* what;
    Vec3 centre, velocity;
    double mu;
  };
  const std::array<Case, 3> cases = {{{"sticks", {0.1, 0, 0.199}, {-0.25, 0, -1}, 0.5},
                                      {"slip turns round", {0.1, 0, 0.199}, {0.4, 0, -1}, 0.1},
                                      {"in space", {0.08, 0.05, 0.199}, {-0.3, 0.2, -1}, 0.3}}};
  for (const Case& c : cases) {
    const auto list = [](const Vec3& a) { return fmt::format("[{},{},{}]", a.x, a.y, a.z); };
    const BodyState after =
        AfterContact(scene, {"bodies.body.center_of_mass=" + list(c.centre),
                             "bodies.body.velocity.linear=" + list(c.velocity),
                             fmt::format("contact_models.default.friction.mu={}", c.mu)});
    CollidingBody body, floor;
    body.mass = 1.0;
    body.inertia = {{0.01, 0, 0}, {0, 0.02, 0}, {0, 0, 0.015}};
    body.p = c.centre + Vec3{0, 0, 1e-3};
    body.v = c.velocity;
    const CollisionPoint at = CollisionAt(body, floor, {}, {0, 0, 1});
    const Vec3 P = Collide(ImpulseLaw::kStronge, at, {1.0, c.mu, 0.0}).impulse;
    const char* names[] = {"P_x", "P_y", "P_n"};
    const Vec3 obtained = after.v_WM - c.velocity;
    for (int axis = 0; axis < 3; ++axis) {
      checks.push_back({fmt::format("{} of a stiff spring, {}: stronge's", names[axis], c.what),
                        "N s", P[axis], obtained[axis], kDepths,
                        "the spring's depth, 26 µm, shifts and turns the body: 3e-4 of 0.1 m"});
    }
  }
  return checks;
}

namespace {

constexpr double kLength = 0.2, kRodMass = 0.199558, kMu = 0.075, kEnd = 1e-3;  // [m], [kg], 1, [m]
constexpr double kK = 5.5e7, kB = 2.2e7;  // Ullrich, table 6.1

/** Ullrich (6.2)–(6.10): x, z, θ of the centre and their rates; friction as of a slip forward. */
struct Rod {
  std::array<double, 6> y;
  double damping = kB;  ///< [N·s/m²]

  std::array<double, 6> Rates() const {
    const double half = 0.5 * kLength, sine = std::sin(y[2]), cosine = std::cos(y[2]);
    const double depth = -(y[1] - half * sine), rate = -(y[4] - half * cosine * y[5]);
    const double slip = y[3] + half * sine * y[5];
    const double f = depth > 0.0 ? std::max(0.0, (kK + damping * rate) * depth) : 0.0;
    const double t = slip > 0.0 ? -kMu * f : kMu * f;
    const double J = kRodMass * kLength * kLength / 12.0;
    return {y[3], y[4], y[5], t / kRodMass, f / kRodMass, half * (sine * t - cosine * f) / J};
  }
};

/** The rod after the drop, by the classical Runge–Kutta method. */
Rod RodAlone(double angle, double speed, double damping, double dt) {
  Rod rod{{0.0, 0.5 * kLength * std::sin(angle), angle, 0.0, -speed, 0.0}, damping};
  for (int k = 0; k < 1000000; ++k) {
    std::array<std::array<double, 6>, 4> rates;
    for (std::size_t stage = 0; stage < 4; ++stage) {
      Rod at = rod;
      const double h = stage == 0 ? 0.0 : stage == 3 ? dt : 0.5 * dt;
      for (std::size_t n = 0; n < 6 && stage > 0; ++n) at.y[n] += h * rates[stage - 1][n];
      rates[stage] = at.Rates();
    }
    for (std::size_t n = 0; n < 6; ++n) {
      rod.y[n] += dt / 6.0 * (rates[0][n] + 2 * rates[1][n] + 2 * rates[2][n] + rates[3][n]);
    }
    if (rod.y[1] - 0.5 * kLength * std::sin(rod.y[2]) > 0.0) break;
  }
  return rod;
}

/** The share of the drop's energy that is gone [%]. @param v_x, v_z  of the centre, and the rate of
 turning. */
double LostShare(double v_x, double v_z, double turning, double speed) {
  const double left = v_x * v_x + v_z * v_z + kLength * kLength / 12.0 * turning * turning;
  return 100.0 * (1.0 - left / (speed * speed));
}

/** Where a curve of evenly spaced x has its greatest value, and that value, by the parabola through
 the three highest points. */
std::pair<double, double> PeakOf(const Curve& curve) {
  std::size_t k = 1;
  for (std::size_t n = 1; n + 1 < curve.y.size(); ++n) k = curve.y[n] > curve.y[k] ? n : k;
  const double before = curve.y[k - 1], at = curve.y[k], after = curve.y[k + 1];
  const double shift = 0.5 * (before - after) / (before - 2.0 * at + after);
  return {curve.x[k] + shift * (curve.x[k + 1] - curve.x[k]), at - 0.25 * (before - after) * shift};
}

/** The angle at which a function that rises with it is 0, by the secant method [rad]. */
double ZeroOf(const std::function<double(double)>& f, double a, double b) {
  double f_a = f(a), f_b = f(b);
  for (int k = 0; k < 20 && std::fabs(b - a) > 1e-6 && f_a != f_b; ++k) {
    const double next = b - f_b * (b - a) / (f_b - f_a);
    a = b;
    f_a = f_b;
    b = next;
    f_b = f(b);
  }
  return b;
}

}  // namespace

std::vector<Check> RodDrop(const RowScene& scene) {
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  std::vector<Check> checks;
  const auto simulated = [&](double angle, double speed, const std::string& edit = "") {
    std::vector<std::string> edits = {
        fmt::format("bodies.rod.center_of_mass=[{},0,{}]", 0.5 * kLength * std::cos(angle),
                    0.5 * kLength * std::sin(angle) - kEnd),
        fmt::format("bodies.rod.velocity.linear=[0,0,{}]", -speed)};
    if (!edit.empty()) edits.push_back(edit);
    return AfterContact(scene, edits);
  };
  Figure figure{"Normal velocity of the rod's centre after the impact",
                "angle from the floor [degree]",
                "velocity over that of the drop",
                {}};
  for (const double speed : {0.5, 1.0}) {
    const double careful = speed == 0.5 ? 54.9 : 56.9;
    const double obtained =
        kDegrees * ZeroOf([&](double q) { return simulated(q, speed).v_WM.z; }, 0.9, 1.05);
    const double alone =
        kDegrees * ZeroOf([&](double q) { return RodAlone(q, speed, kB, 1e-7).y[4]; }, 0.9, 1.05);
    Curve after{fmt::format("{} m/s", speed), {}, {}};
    Curve reference{fmt::format("{} m/s, law alone", speed), {}, {}, true};
    for (int degrees = 10; degrees <= 85; degrees += 5) {
      const double q = degrees / kDegrees;
      after.Add(degrees, simulated(q, speed).v_WM.z / speed);
      reference.Add(degrees, RodAlone(q, speed, kB, 5e-7).y[4] / speed);
    }
    figure.curves.push_back(std::move(after));
    figure.curves.push_back(std::move(reference));
    checks.push_back({fmt::format("critical angle, law alone, {} m/s", speed), "degree", alone,
                      obtained, 0.05, "the bristle's start and the depth, 1e-4 of the length"});
    checks.push_back({fmt::format("critical angle, to 0.1 degrees, {} m/s", speed), "degree",
                      careful, obtained, 0.1, "the digits of the expected number"});
    checks.push_back({fmt::format("critical angle, the source's figure, {} m/s", speed), "degree",
                      60.0, obtained, 6.0, "the text has about 60"});
  }
  scene.Draw(std::move(figure));
  // Without damping friction alone takes energy.
  Curve lost{"1 m/s", {}, {}}, reference{"law alone", {}, {}, true};
  for (int k = 0; k <= 28; ++k) {
    const double degrees = 20.0 + 2.5 * k, q = degrees / kDegrees;
    const BodyState rod = simulated(q, 1.0, "contact_models.default.normal.dissipation=0");
    lost.Add(degrees, LostShare(rod.v_WM.x, rod.v_WM.z, rod.w_WB.y, 1.0));
    const Rod alone = RodAlone(q, 1.0, 0.0, 5e-7);
    reference.Add(degrees, LostShare(alone.y[3], alone.y[4], alone.y[5], 1.0));
  }
  const auto [peak_at, peak] = PeakOf(lost);
  const auto [peak_at_alone, peak_alone] = PeakOf(reference);
  scene.Draw({"Energy that friction takes from an undamped impact",
              "angle from the floor [degree]",
              "share of the drop's [%]",
              {std::move(lost), std::move(reference)}});
  checks.push_back({"angle of the largest loss, undamped, law alone", "degree", peak_at_alone,
                    peak_at, 0.1, "the bristle's start and the depth, 1e-4 of the length"});
  checks.push_back({"angle of the largest loss, undamped, found", "degree", 67.5, peak_at, 0.5,
                    "found on a grid of some degrees; the loss is flat there"});
  checks.push_back({"angle of the largest loss, undamped, the source's", "degree", 65.0, peak_at,
                    3.0, "the text has near 65"});
  checks.push_back({"largest loss, undamped, law alone", "%", peak_alone, peak, 0.03,
                    "the bristle's start and the depth"});
  checks.push_back({"largest loss, undamped, found", "%", 12.9, peak, 0.1, "its digits"});
  // No slip stops, so every law gives the impulse of the spring's own e.
  constexpr double angle = 1.0, speed = 1.0;
  const double cosine = std::cos(angle), sine = std::sin(angle);
  CollidingBody rod, floor;
  rod.mass = kRodMass;
  const double J = kRodMass * kLength * kLength / 12.0;
  rod.inertia = {{J, 0, 0}, {0, J, 0}, {0, 0, J}};
  rod.p = {0.5 * kLength * cosine, 0, 0.5 * kLength * sine};
  rod.v = {0, 0, -speed};
  const CollisionPoint at = CollisionAt(rod, floor, {}, {0, 0, 1});
  const double rise = at.inverse_inertia(2, 2) - kMu * std::fabs(at.inverse_inertia(0, 2));
  const OneBody spring{1.0 / rise, 0.0, [](double z, double rate) { return (kK + kB * rate) * z; }};
  const double e = ReboundOf(spring, speed, 1e-8, 1e-2).speed / speed;
  const BodyState after = simulated(angle, speed);
  for (const char* law : {"newton", "poisson", "stronge", "routh"}) {
    const Vec3 P = Collide(ImpulseLawNamed(law), at, {e, kMu, 0.0}).impulse;
    checks.push_back({fmt::format("P_n over m v, 1 rad, {}", law), "1", P.z / (kRodMass * speed),
                      (after.v_WM.z + speed) / speed, 1e-3,
                      "the depth, 40 µm, and the turn meanwhile: 5e-4 of the length"});
  }
  return checks;
}

}  // namespace intervox::host
