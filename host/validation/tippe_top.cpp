// The row of the tippe-top, Gonthier 5.2.2.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kTop = 1;  // the body after the table
constexpr double kRadius = 0.015, kOffset = 3e-3, kDegrees = 180.0 / std::numbers::pi;
constexpr double kAcross = 8e-7, kAlong = 7e-7;  // moments of inertia [kg·m²]

/** The top's axis, from its centre of mass to its stem. */
Vec3 Axis(const BodyState& top) { return top.X_WB.R * Vec3{0, 0, 1}; }

double Tilt(const BodyState& top) {
  return kDegrees * std::acos(std::clamp(Axis(top).z, -1.0, 1.0));
}

/** Jellett's integral, L·(lever of the contact) for a contact `arm` below the ball's centre: no
 force at that point changes it, whatever its friction [J·s·m]. */
double Jellett(const BodyState& top, double arm) {
  const Vec3 axis = Axis(top);
  const double spin = Dot(top.w_WB, axis);
  const Vec3 L = kAcross * (top.w_WB - spin * axis) + kAlong * spin * axis;
  return Dot(L, arm * Vec3{0, 0, 1} - kOffset * axis);
}

}  // namespace

std::vector<Check> TippeTop(const RowScene& scene) {
  constexpr double kEarly = 0.5;                            // [s]
  constexpr double kWeight = 6e-3 * 9.81, kPointK = 2.5e6;  // [N], [N/m^1.5]
  Simulation simulation = scene.Start();
  const double start = Jellett(simulation.State()[kTop], kRadius);
  Curve tilt{"contact in volumes", {}, {}}, spin{"Ω_z", {}, {}};
  double dip = 180.0, dip_time = 0.0, upright = std::nan(""), over = std::nan("");
  double rise = 0.0, before = 0.0, kept_early = 0.0;
  const auto energy = [&] {
    const EnergyAudit& e = simulation.Energy();
    return e.kinetic + e.gravity + e.elastic + e.bristle;
  };
  before = energy();
  while (!simulation.Done()) {
    scene.Step(simulation);
    const BodyState& top = simulation.State()[kTop];
    const double t = simulation.Time(), angle = Tilt(top), now = energy();
    if (t < kEarly && angle < dip) {
      dip = angle;
      dip_time = t;
    }
    if (t < 0.15) kept_early = Jellett(top, kRadius) / start;
    if (std::isnan(upright) && angle > 90.0) upright = t;
    if (std::isnan(over) && angle > 170.0) over = t;
    rise = std::max(rise, now - before);
    before = now;
    tilt.Add(t, angle);
    spin.Add(t, top.w_WB.z);
  }
  // In points, with Coulomb's friction: the contact acts half the depth within the ball.
  const double depth = std::pow(kWeight / kPointK, 2.0 / 3.0), arm = kRadius - 0.5 * depth;
  Simulation points = scene.Start(
      {"contact_models.default={geometry: points, normal: {model: gonthier, stiffness: 2.5e6, "
       "restitution: 0.975}, friction: {model: coulomb, mu: 0.3, v_epsilon: 1e-5}}",
       "duration=0.5"});
  const double first = Jellett(points.State()[kTop], arm);
  Curve tilt_of_points{"contact in points, without spinning friction", {}, {}};
  double off = 0.0;
  while (!points.Done()) {
    scene.Step(points);
    const BodyState& top = points.State()[kTop];
    off = std::max(off, std::fabs(Jellett(top, arm) / first - 1.0));
    tilt_of_points.Add(points.Time(), Tilt(top));
  }
  scene.Draw({"Inclination of the tippe-top",
              "time [s]",
              "θ [degree]",
              {std::move(tilt), std::move(tilt_of_points)}});
  scene.Draw(
      {"Its angular velocity about the vertical", "time [s]", "Ω_z [rad/s]", {std::move(spin)}});
  return {{"least tilt, at the dip", "degree", 0.0, dip, 0.6, "the source's figure: about 0"},
          {"time of the dip", "s", 0.15, dip_time, 0.03, "the source's figure, read to 0.02 s"},
          {"past 170°", "s", 1.6, over, 0.1, "the source's figure: flips over at 1.6 s"},
          {"past 90°, found with three friction laws", "s", 1.03, upright, 0.03,
           "1.03 to 1.04 s by lumped, scaled and distributed friction"},
          {"Jellett's integral after 0.15 s, in volumes", "1", 1.0, kept_early, 0.02,
           "the spinning torque, 0.3 N of 0.06 and 0.4 mm, takes 1 % of L"},
          {"Jellett's integral, change in 0.5 s, in points", "1", 0.0, off, 1e-4,
           "forces at the point do not change it; the depth breathes by a share of 1e-4"},
          {"largest rise of the energy in a step", "J", 0.0, rise, 1e-8,
           "the scheme's error; 1e-7 of the 0.014 J of its spin"}};
}

}  // namespace intervox::host
