// A peg is put into a hole that is 3 mm off: pressed on the block with a constant force by its
// compliant holder, moved along a spiral until it drops, then pushed in.
#include <intervox.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>

namespace {

using intervox::Pose;
using intervox::Simulation;
using intervox::Vec3;

constexpr double kStiffness = 1e4;  // of the holder [N/m], as the scene says
constexpr double kPress = 10.0;     // force on the block [N]
constexpr double kPitch = 0.4e-3;   // between two turns: less than the chamfer's width [m]
constexpr double kSpeed = 20e-3;    // along the spiral [m/s]
constexpr double kDrop = 1e-3;      // so far below the block's face the peg is in [m]

int Search(const char* path) {
  // The shipped scene, but 3 mm off the hole, upright, and steered from here.
  Simulation simulation(intervox::LoadScene(
      path, {"bodies.peg.pose={position: [0.0024, -0.0018, 0.0341]}",
             "bodies.peg.holder.target={keys: [{t: 0, position: [0.0024, -0.0018, 0.0341]}]}",
             "bodies.peg.holder.rotational_stiffness=100",
             "bodies.peg.holder.rotational_damping=0.1", "bodies.peg.velocity={}", "duration=8"}));
  const int peg = 1;
  const double h = simulation.GetScene().integrator.step;
  const Vec3 start = simulation.State()[peg].X_WB.p;
  double angle = 0.0, found = -1.0, face = start.z;
  while (!simulation.Done()) {
    const Vec3 p = simulation.State()[peg].X_WB.p;
    // The holder is a spring: a target that is so far below the contact presses with this force.
    Vec3 target = p - Vec3{0, 0, kPress / kStiffness}, velocity;
    if (simulation.Time() < 0.1) {
      face = p.z;  // it settles on the block
      target = {start.x, start.y, target.z};
    } else if (found < 0 && face - p.z < kDrop) {
      // Archimedean spiral r = pitch angle / 2π, at constant speed.
      const double a = kPitch / (2 * std::numbers::pi);
      angle += kSpeed * h / std::hypot(a * angle, a);
      const double c = std::cos(angle), d = std::sin(angle);
      target = {start.x + a * angle * c, start.y + a * angle * d, face - kPress / kStiffness};
      velocity = {-kSpeed * d, kSpeed * c, 0};
    } else if (found < 0) {
      found = simulation.Time();  // from now on it follows sideways, so that the hole leads
    }
    if (p.z < 0.02505) break;  // seated
    simulation.SetHolderTarget(peg, Pose{intervox::Mat3::Identity(), target}, velocity);
    simulation.Step();
  }
  const Vec3 p = simulation.State()[peg].X_WB.p;
  std::printf(
      "the hole was found after %.2f s and %.1f turns; the peg is at (%.3f, %.3f, %.3f) mm "
      "after %.2f s\n",
      found, angle / (2 * std::numbers::pi), 1e3 * p.x, 1e3 * p.y, 1e3 * p.z, simulation.Time());
  return found > 0 && p.z < 0.02505 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: spiral_search peg_insertion.yaml\n");
    return 2;
  }
  try {
    return Search(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spiral_search: %s\n", error.what());
    return 1;
  }
}
