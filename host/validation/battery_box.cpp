// The row of the battery box that falls into its worksite, Gonthier 5.2.2.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kBox = 1;  // the body after the worksite

/** The components of a vector over time. */
struct Components {
  std::array<Curve, 3> of;

  explicit Components(const std::string& symbol) {
    for (std::size_t k = 0; k < 3; ++k) of[k].label = symbol + "_" + "xyz"[k];
  }
  void Add(double t, const Vec3& value) {
    for (std::size_t k = 0; k < 3; ++k) of[k].Add(t, value[static_cast<int>(k)]);
  }
  std::vector<Curve> Curves() { return {of.begin(), of.end()}; }
};

}  // namespace

std::vector<Check> BatteryBox(const RowScene& scene) {
  constexpr double kWeight = 100.0, kStiffness = 1e9, kFeet = 4 * 0.08 * 0.08, kClearance = 1.5e-3;
  constexpr double kRestSpeed = 1e-3, kDegrees = 180.0 / std::numbers::pi;
  Simulation simulation = scene.Start();
  Components velocity("v"), turning("ω"), force("f"), moment("τ"), place("r");
  Curve settled{"f_x", {}, {}};
  double moves_until = 0.0, highest = 0.0;
  while (!simulation.Done()) {
    scene.Step(simulation);
    const double t = simulation.Time();
    const BodyState& box = simulation.State()[kBox];
    const SensorReading& fixture = simulation.Sensors().front();
    if (Norm(box.v_WB) + 0.5 * Norm(box.w_WB) > kRestSpeed) moves_until = t;
    const EnergyAudit& energy = simulation.Energy();
    highest = std::max(highest, energy.kinetic + energy.gravity);
    velocity.Add(t, box.v_WB);
    turning.Add(t, kDegrees * box.w_WB);
    force.Add(t, fixture.force);
    moment.Add(t, fixture.torque);
    place.Add(t, 1e3 * box.X_WB.p);
    if (t > 1.5) settled.Add(t, fixture.force.x);
  }
  const BodyState box = simulation.State()[kBox];
  const Vec3 sensed = simulation.Sensors().front().force, peak = simulation.PeakForces()[kBox];
  const char* walls = "1.5 mm of clearance at the lands, and what they give, 50 µm";
  std::vector<Check> checks = {
      {"f_x at the end", "N", -kWeight, sensed.x, 0.1,
       "the weight; the lands' friction carries less"},
      {"seat, f_x/(k_v A) of the feet", "µm", 1e6 * kWeight / kStiffness / kFeet,
       1e6 * box.X_WB.p.x, 0.05, "the lands' friction carries up to 0.1 N"},
      {"y at the end", "mm", 0.0, 1e3 * box.X_WB.p.y, 1e3 * kClearance + 0.05, walls},
      {"z at the end", "mm", 0.0, 1e3 * box.X_WB.p.z, 1e3 * kClearance + 0.05, walls},
      {"tilt at the end", "degree", 0.0,
       kDegrees * std::acos(std::min(1.0, 0.5 * (Trace(box.X_WB.R) - 1.0))), 0.5,
       "the lands leave 3 mm on 0.7 m: 0.25 degrees about x"},
      {"at rest after", "s", 2.0, moves_until, 0.5,
       "the source's figure; its drawings are not stated"},
      {"largest force along y over along x", "1", 0.5, peak.y / peak.x, 0.5,
       "the largest impact is along x"},
      {"largest force along z over along x", "1", 0.5, peak.z / peak.x, 0.5,
       "the largest impact is along x"},
      {"impacts above 10 mm/s", "1", 30.0,
       static_cast<double>(
           std::count_if(simulation.Impacts().begin(), simulation.Impacts().end(),
                         [](const ImpactRecord& i) { return i.approach_speed > 0.01; })),
       25.0, "many; the source does not count them"},
      {"kinetic energy and gravity's, most of what it fell from", "J", 0.0, highest, 1e-2,
       "it starts at rest; impacts and friction only take"}};
  scene.Draw({"Place of the battery box", "time [s]", "r [mm]", place.Curves()});
  scene.Draw({"Velocities of the battery box", "time [s]", "v [m/s]", velocity.Curves()});
  scene.Draw({"Its angular velocities", "time [s]", "ω [degree/s]", turning.Curves()});
  scene.Draw({"Forces at the micro-fixture", "time [s]", "f [N]", force.Curves()});
  scene.Draw({"Moments at the micro-fixture", "time [s]", "τ [N m]", moment.Curves()});
  scene.Draw({"The force settles at the weight", "time [s]", "f_x [N]", {std::move(settled)}});
  return checks;
}

}  // namespace intervox::host
