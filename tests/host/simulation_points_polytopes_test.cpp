// Convex polytopes that hit each other in points anywhere, spinning: without friction and with a
// restitution of 1 nothing of their energy is lost or made.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "geometry/convex_hull.h"
#include "host/simulation.h"
#include "tests/geometry/random_shapes.h"
#include "tests/host/scene_text.h"

namespace intervox {
namespace {

using geometry::Random;

std::string Text(const Vec3& p) { return fmt::format("[{}, {}, {}]", p.x, p.y, p.z); }

std::string RandomPart(Random* random) {
  const double kind = random->Uniform(0, 3);
  if (kind < 1) {
    return fmt::format(
        "{{box: {{size: {}}}}}",
        Text({random->Uniform(0.3, 1), random->Uniform(0.3, 1), random->Uniform(0.3, 1)}));
  }
  std::string vertices;
  for (int k = 0; k < (kind < 2 ? 6 : 14); ++k) {
    vertices += (k == 0 ? "" : ", ") + Text(0.5 * random->Uniform(0.7, 1) * random->Direction());
  }
  return "{convex: {vertices: [" + vertices + "]}}";
}

/** What random impacts made of their energy, in shares of it. */
struct Outcome {
  int impacts = 0;
  int gaining = 0;  ///< impacts of which a substep gained
  double gain = 0.0, loss = 0.0, by_law = 0.0;
};

// Pressed in by a depth of their size and a tenth of it, a third of which more than one point is
// deep in.
Outcome Collide(int count, double deepest = 0.03) {
  Random random(11);
  Outcome outcome;
  for (int k = 0; k < count; ++k) {
    const double depth = k % 2 == 0 ? deepest : 0.1 * deepest;
    const bool linear = k % 4 < 2;
    const std::string a = RandomPart(&random), b = RandomPart(&random);
    const Vec3 way = random.Direction(), beside = random.Direction();
    const Quaternion q = ToQuaternion(random.Rotation());
    Simulation simulation = testing::FromText(
        fmt::format("gravity: [0, 0, 0]\nduration: 1.6\nintegrator: {{step: {}}}\n"
                    "contact_models:\n  default:\n    geometry: points\n    friction: {{model: "
                    "none}}\n    normal: {{model: hunt_crossley, restitution: 1, exponent: {}, "
                    "stiffness: {}}}\n"
                    "bodies:\n  a: {{shape: {}, mass: 1, pose: {{position: {}, quaternion: [{}, "
                    "{}, {}, {}]}}, velocity: {{linear: {}, angular: {}}}}}\n"
                    "  b: {{shape: {}, mass: 1.5}}\n",
                    std::min(1e-3, depth / 20), linear ? 1.0 : 1.5,
                    std::pow(depth, linear ? -2.0 : -2.5), a, Text(1.3 * way + 0.1 * beside), q.w,
                    q.x, q.y, q.z, Text(-way), Text(random.Direction()), b),
        2);
    const double start = simulation.Energy().kinetic;
    double least = start, most = start;
    while (!simulation.Done()) {
      simulation.Step();
      const EnergyAudit now = simulation.Energy();
      least = std::min(least, now.kinetic);
      most = std::max(most, now.kinetic + now.elastic);
    }
    const EnergyAudit end = simulation.Energy();
    outcome.gain = std::max(outcome.gain, most / start - 1);
    outcome.loss = std::max(outcome.loss, 1 - (end.kinetic + end.elastic) / start);
    outcome.by_law = std::max(outcome.by_law, std::fabs(end.dissipated_normal) / start);
    outcome.gaining += simulation.Counters().gaining_substeps > 0 ? 1 : 0;
    outcome.impacts += least < 0.9 * start ? 1 : 0;
  }
  return outcome;
}

TEST(PolytopeImpacts, KeepTheirEnergy) {
  const Outcome outcome = Collide(60);
  EXPECT_LT(outcome.gain, 5e-5);
  EXPECT_LT(outcome.loss, 1e-2);
  EXPECT_LT(outcome.by_law, 1e-2);
  EXPECT_EQ(outcome.gaining, 0);
  EXPECT_GT(outcome.impacts, 25);
}

TEST(SlowPolytopeImpacts, GainNothing) {
  const Outcome outcome = Collide(200);
  EXPECT_LT(outcome.gain, 1e-4);
  EXPECT_LT(outcome.loss, 5e-2);
  EXPECT_EQ(outcome.gaining, 0);
  EXPECT_GT(outcome.impacts, 80);
}

TEST(SlowPolytopeImpacts, GainNothingATenthOfTheirSizeDeep) {
  const Outcome outcome = Collide(60, 0.1);
  EXPECT_LT(outcome.gain, 1e-4);
  EXPECT_LT(outcome.loss, 3e-2);
  EXPECT_EQ(outcome.gaining, 0);
  EXPECT_GT(outcome.impacts, 25);
}

}  // namespace
}  // namespace intervox
