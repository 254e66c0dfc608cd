// One step of planning: a peg in contact is cloned 1,000 times, each clone is moved another way,
// and the way that brings it deepest is taken.
#include <intervox.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numbers>
#include <vector>

namespace {

using intervox::Mat3;
using intervox::Pose;
using intervox::Simulation;
using intervox::Vec3;

constexpr int kPeg = 1;  // its number in the scene
constexpr int kClones = 1000;
constexpr int kSteps = 20;  // of each clone

double Seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/** Memory of this process [bytes]. */
double Memory() {
  double pages = 0.0, resident = 0.0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/** The target of clone k: 25 directions, 40 distances up to 1 mm, and 2 mm down. */
Vec3 Move(int k) {
  const double angle = 2 * std::numbers::pi * (k % 25) / 25, r = 1e-3 * (k / 25 + 1) / 40.0;
  return {r * std::cos(angle), r * std::sin(angle), -2e-3};
}

int Plan(const char* path) {
  // On the block's face, 0.7 mm off the hole: pressing alone does not put it in.
  Simulation simulation(intervox::LoadScene(
      path, {"bodies.peg.pose={position: [0.0007, 0, 0.034]}", "bodies.peg.velocity={}",
             "bodies.peg.holder.target={keys: [{t: 0, position: [0.0007, 0, 0.033]}]}"}));
  for (int k = 0; k < 100; ++k) simulation.Step();
  const Vec3 start = simulation.State()[kPeg].X_WB.p;
  std::printf("%zu contacts, %zu bytes saved\n", simulation.Contacts().size(),
              simulation.Save().size());

  const double before = Memory();
  double begin = Seconds();
  std::vector<Simulation> clones;
  for (int k = 0; k < kClones; ++k) clones.push_back(simulation.Clone());
  const double cloning = Seconds() - begin;
  begin = Seconds();
  for (int k = 0; k < kClones; ++k) {
    const auto i = static_cast<std::size_t>(k);
    clones[i].SetHolderTarget(kPeg, Pose{Mat3::Identity(), start + Move(k)});
    for (int s = 0; s < kSteps; ++s) clones[i].Step();
  }
  const double stepping = Seconds() - begin;
  std::printf("%d clones: %.0f us and %.1f KiB each, %.0f us a step\n", kClones,
              1e6 * cloning / kClones, (Memory() - before) / kClones / 1024,
              1e6 * stepping / (kClones * kSteps));

  std::size_t best = 0;
  for (std::size_t k = 1; k < clones.size(); ++k) {
    if (clones[k].State()[kPeg].X_WB.p.z < clones[best].State()[kPeg].X_WB.p.z) best = k;
  }
  const Vec3 move = Move(static_cast<int>(best));
  simulation = std::move(clones[best]);
  std::printf("best: target moved by (%.2f, %.2f) mm, peg %.3f mm deeper after %d steps\n",
              1e3 * move.x, 1e3 * move.y, 1e3 * (start.z - simulation.State()[kPeg].X_WB.p.z),
              kSteps);
  // The hole lies at -x.
  return move.x < -0.3e-3 && start.z - simulation.State()[kPeg].X_WB.p.z > 0.1e-3 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: rollout_tree peg_insertion.yaml\n");
    return 2;
  }
  try {
    return Plan(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rollout_tree: %s\n", error.what());
    return 1;
  }
}
