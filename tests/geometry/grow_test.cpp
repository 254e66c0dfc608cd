// A grown cell holds all that is near the cell: random sides of random surfaces, and by formula.
#include "geometry/grow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

TEST(Grow, HoldsAllPointsThatAreNear) {
  Random random(71);
  const std::vector<Example> examples = Examples();
  int inside = 0, grown_cells = 0, refused = 0;
  for (int round = 0; round < 600; ++round) {
    const std::vector<Surface> surfaces = RandomSurfaces(&random, examples, 1 + random.Below(4));
    const double distance = random.Uniform(0.01, 0.3);
    const std::optional<Cell> grown = Grow(MakeCell(surfaces, "cell"), distance);
    if (!grown.has_value()) {
      ++refused;
      continue;
    }
    ++grown_cells;
    for (int k = 0; k < 1000; ++k) {
      const Vec3 p = random.InBox(k % 2 ? 1 : 3);
      if (GreatestLevel(surfaces, p) > 0) continue;
      ++inside;
      const Vec3 near = p + 0.999 * distance * random.Direction();
      EXPECT_LE(GreatestLevel(grown->surfaces, near), 1e-12);
    }
  }
  EXPECT_GT(inside, 10000);
  EXPECT_GT(grown_cells, 300);
  EXPECT_GT(refused, 10);
}

/** Whether the grown cell of one surface ends at the point. */
void ExpectEndsAt(const Surface& surface, double distance, const Vec3& p) {
  const std::optional<Cell> grown = Grow(MakeCell({surface}, "cell"), distance);
  ASSERT_TRUE(grown.has_value());
  EXPECT_NEAR(Level(grown->surfaces.front(), p), 0.0, 1e-14);
  EXPECT_EQ(grown->surfaces.front().side, surface.side);
}

TEST(Grow, MovesSurfacesByTheDistance) {
  ExpectEndsAt(MakePlane({0, 0, 1}, 0.5), 0.1, {3, 1, 0.6});
  ExpectEndsAt(MakeEllipsoid({2, 2, 2}), 0.1, {0, 2.1, 0});
  ExpectEndsAt(MakeCylinder(2), 0.1, {2.1, 0, 7});
  ExpectEndsAt(Complement(MakeCylinder(2)), 0.1, {1.9, 0, 7});
  ExpectEndsAt(MakeTorus(3, 1), 0.1, {0, 4.1, 0});
  ExpectEndsAt(Complement(MakeTorus(3, 1)), 0.1, {0, 3, 0.9});
  // The side of a 45° cone moves along its normal.
  const double s = std::sqrt(0.5);
  ExpectEndsAt(MakeCone(1, 1), 0.1, {1 + 0.1 * s, 0, 1 - 0.1 * s});
  ExpectEndsAt(Complement(MakeCone(1, 1)), 0.1, {1 - 0.1 * s, 0, 1 + 0.1 * s});
}

TEST(Grow, HolesClose) {
  const Surface hole = Complement(MakeCylinder(0.05));
  EXPECT_FALSE(Grow(MakeCell({hole}, "all"), 0.1).has_value());
  const std::optional<Cell> plate = Grow(MakeCell({hole, MakePlane({0, 0, 1}, 0.0)}, "plate"), 0.1);
  ASSERT_TRUE(plate.has_value());
  EXPECT_EQ(plate->surfaces.size(), 1U);
}

}  // namespace
}  // namespace intervox::geometry
