// The row of a double pendulum whose tip strikes a floor, slides and sticks.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/validation/row.h"

namespace intervox::host {
namespace {

constexpr std::size_t kFirst = 1, kSecond = 2;  // the bodies after the floor
constexpr double kFirstLength = 0.5, kSecondLength = 0.25, kHeight = 0.61;  // [m]
constexpr double kWeight = 7.0 * 9.81;                                      // of both masses [N]
constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kStart = 45.0;  // of the first joint's angle, whose coordinate begins at 0 [°]

double TotalEnergy(const EnergyAudit& e) { return e.kinetic + e.gravity + e.elastic + e.bristle; }

/** What the run to rest comes to. */
struct Course {
  double rise = 0.0;  ///< the largest of the energy in a step [J]
  Curve first{"first joint", {}, {}}, second{"second joint", {}, {}};
  Curve energy{"kinetic and potential", {}, {}};
};

void Follow(const Simulation& simulation, Course* course) {
  const double t = simulation.Time();
  course->first.Add(t, kStart + kDegrees * simulation.Joints()[0].coordinate);
  course->second.Add(t, kDegrees * simulation.Joints()[1].coordinate);
  course->energy.Add(t, TotalEnergy(simulation.Energy()));
}

}  // namespace

std::vector<Check> DoublePendulumOnFloor(const RowScene& scene) {
  Simulation simulation = scene.Start();
  Course course;
  double before = TotalEnergy(simulation.Energy());
  while (!simulation.Done()) {
    scene.Step(simulation);
    const double now = TotalEnergy(simulation.Energy());
    course.rise = std::max(course.rise, now - before);
    before = now;
    Follow(simulation, &course);
  }
  const double first = course.first.y.back(), second = course.second.y.back();
  const double closed = kFirstLength * std::cos(first / kDegrees) +
                        kSecondLength * std::cos((first + second) / kDegrees);
  const double moves =
      Norm(simulation.State()[kFirst].v_WM) + Norm(simulation.State()[kSecond].v_WM);
  double floor_force = 0.0;
  for (const ContactReport& contact : simulation.Contacts())
    floor_force += std::fabs(contact.force.z);
  scene.Draw({"Angles of the joints of a double pendulum on a floor",
              "time [s]",
              "angle [degree]",
              {std::move(course.first), std::move(course.second)}});
  scene.Draw({"Its energy falls at impacts, then by friction",
              "time [s]",
              "energy [J]",
              {std::move(course.energy)}});
  const char* band = "the source reads it off a figure; 38 impacts part runs that differ by little";
  return {
      {"0.5 cos φ₁ + 0.25 cos(φ₁ + φ₂)", "m", kHeight, closed, 1.5e-5, "the tip's depth, 7.5 µm"},
      {"φ₁ at rest", "degree", 2.2, first, 0.6, band},
      {"φ₂ at rest", "degree", -65.0, second, 1.5, band},
      {"time from which on it sticks", "s", 6.5, simulation.Time() - simulation.RestingFor(), 1.0,
       band},
      {"speed at the end", "m/s", 0.0, moves, 1e-9, "at rest to rounding"},
      {"force of floor and shoulder, upwards", "N", kWeight,
       floor_force + simulation.Joints()[0].force.z, 1e-6, "at rest to rounding"},
      {"largest rise of the energy in a step", "J", 0.0, course.rise, 1e-5,
       "the scheme's error; impacts and friction only take"},
      {"largest error of the joints", "m", 0.0, simulation.LargestJointError(), 1e-10,
       "positions are put right after each substep"}};
}

}  // namespace intervox::host
