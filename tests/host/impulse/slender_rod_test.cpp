// Painlevé's rod: which ways a rigid end can go on.
#include "host/impulse/slender_rod.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "host/input/error.h"
#include "tests/host/impulse/collisions.h"

namespace intervox::host {
namespace {

using testing::CollisionSource;

std::set<RodMode> Modes(const SlenderRod& rod) {
  std::set<RodMode> modes;
  for (const RodSolution& solution : RodSolutions(rod)) modes.insert(solution.mode);
  return modes;
}

TEST(SlenderRod, JamsAtFourThirdsAtLeast) {
  EXPECT_NEAR(JammingFriction(std::atan(2.0)), 4.0 / 3.0, 1e-15);
  for (double angle = 0.02; angle < 1.57; angle += 0.01) {
    EXPECT_GE(JammingFriction(angle), 4.0 / 3.0);
  }
  EXPECT_NEAR(JammingFriction(std::numbers::pi / 4), (1 + 1.5) / 1.5, 1e-14);
}

TEST(SlenderRod, FourCasesOfAnEndThatSlides) {
  const double angle = std::atan(2.0), fast = 4.0;  // l θ̇² sin θ > g
  const auto modes = [&](double slip, double mu, double turning) {
    return Modes({1.0, 1.0, angle, turning, slip, mu, 9.81});
  };
  using Set = std::set<RodMode>;
  EXPECT_EQ(modes(-1, 1.3, 0), Set{RodMode::kSlidesBack});
  EXPECT_EQ(modes(-1, 1.3, fast), Set{RodMode::kLeaves});
  EXPECT_EQ(modes(-1, 1.4, 0), Set{});                                             // inconsistent
  EXPECT_EQ(modes(-1, 1.4, fast), (Set{RodMode::kLeaves, RodMode::kSlidesBack}));  // indeterminate
  EXPECT_EQ(modes(1, 1.4, 0), Set{RodMode::kSlidesForth});  // dragged, it does not jam
  EXPECT_EQ(modes(1, 1.4, fast), Set{RodMode::kLeaves});
}

TEST(SlenderRod, AtRestItSticksOrSlips) {
  const SlenderRod steep{1.0, 1.0, 1.4, 0.0, 0.0, 0.5, 9.81};
  EXPECT_EQ(Modes(steep), std::set<RodMode>{RodMode::kSticks});
  SlenderRod flat = steep;
  flat.angle = 0.9;
  flat.friction = 0.1;
  EXPECT_EQ(Modes(flat), std::set<RodMode>{RodMode::kSlidesBack});
}

// Each solution obeys Newton's and Coulomb's laws, written about the centre of mass here.
TEST(SlenderRod, EachSolutionObeysTheLaws) {
  CollisionSource source(4);
  for (int k = 0; k < 3000; ++k) {
    SlenderRod rod;
    rod.mass = source.Around(1.0);
    rod.half_length = source.Around(0.5);
    rod.angle = source.Uniform(0.02, 1.55);
    rod.turning = source.Around(3.0);
    rod.slip = k % 3 - 1.0;
    rod.friction = source.Around(1.0);
    const double m = rod.mass, l = rod.half_length, s = std::sin(rod.angle),
                 c = std::cos(rod.angle);
    for (const RodSolution& way : RodSolutions(rod)) {
      // θ̈ from the moment of both forces about the centre, which is at (l c, l s) from the end.
      const double turn =
          (l * s * way.tangential_force - l * c * way.normal_force) / (m * l * l / 3);
      const double x = way.tangential_force / m + l * (s * turn + c * rod.turning * rod.turning);
      const double z = way.normal_force / m - 9.81 - l * (c * turn - s * rod.turning * rod.turning);
      const double size =
          9.81 + l * rod.turning * rod.turning + way.normal_force / m * (4 + rod.friction * 4);
      EXPECT_NEAR(x, way.tangential_acceleration, 1e-12 * size) << k;
      EXPECT_NEAR(z, way.normal_acceleration, 1e-12 * size) << k;
      EXPECT_GE(way.normal_force, 0.0);
      EXPECT_GE(way.normal_acceleration, 0.0);
      EXPECT_EQ(way.normal_force * way.normal_acceleration, 0.0);
      EXPECT_LE(std::fabs(way.tangential_force), rod.friction * way.normal_force * (1 + 1e-15));
      if (rod.slip != 0.0 && way.normal_force > 0.0) {
        EXPECT_NEAR(way.tangential_force, -rod.slip * rod.friction * way.normal_force,
                    1e-14 * std::fabs(way.tangential_force));
      }
    }
    const bool jams = rod.slip < 0 && rod.friction > JammingFriction(rod.angle);
    const bool lifts = l * rod.turning * rod.turning * s > 9.81;
    if (rod.slip != 0.0) {
      EXPECT_EQ(RodSolutions(rod).size(), !jams ? 1U : lifts ? 2U : 0U) << k;
    }
    const CollisionPoint end = RodContact(rod, -1.0);
    if (rod.slip < 0) {
      const double rise =
          end.inverse_inertia(2, 2) + rod.friction * end.inverse_inertia(0, 2);  // of 1 N s
      EXPECT_EQ(rise < 0.0, jams) << k;
    }
  }
}

TEST(SlenderRod, BadInputIsNamed) {
  const SlenderRod good{1.0, 1.0, 1.0, 0.0, -1.0, 0.5, 9.81};
  const auto refused = [](const SlenderRod& rod, const std::string& word) {
    try {
      RodSolutions(rod);
      ADD_FAILURE() << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  SlenderRod bad = good;
  bad.mass = 0.0;
  refused(bad, "mass");
  bad = good;
  bad.half_length = -1.0;
  refused(bad, "half_length");
  bad = good;
  bad.angle = 0.0;
  refused(bad, "angle");
  bad = good;
  bad.friction = -0.1;
  refused(bad, "friction");
  bad = good;
  bad.slip = std::nan("");
  refused(bad, "slip");
}

}  // namespace
}  // namespace intervox::host
