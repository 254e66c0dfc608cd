// Lattice blocks against the areas and Euler characteristics of their minimal surfaces.
#include "host/scene/lattice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "cuda/moments/mass_properties.h"
#include "geometry/grid/level_set.h"
#include "host/scene/grids.h"
#include "host/scene/pairs.h"

namespace intervox::host {
namespace {

double FractionOf(LatticeKind kind, double share, double voxels) {
  Lattice lattice{kind, 1, share, {2, 2, 2}, 1 / voxels};
  geometry::Shape shape;
  shape.operation = geometry::Operation::kGrid;
  shape.grid = GridOfLattice(lattice);
  return ComputeMassProperties(geometry::ToCells(shape), 1, 1e-3).volume / 8;
}

TEST(SlowLattice, VolumeFractionsAreThoseOfWallsAroundMinimalSurfaces) {
  struct Known {
    LatticeKind kind;
    double area;  // of the minimal surface in a cubic cell of edge 1 (Schoen 1970)
    int euler;    // characteristic of that
  };
  for (const Known& known :
       {Known{LatticeKind::kGyroid, 3.0915, -8}, Known{LatticeKind::kSchwarzP, 2.3451, -4},
        Known{LatticeKind::kDiamond, 3.8378, -16}}) {
    for (const double share : {0.12, 0.2}) {
      // Steiner: a wall of thickness t holds A t + 2πχ t³/12.
      const double fraction =
          known.area * share + std::numbers::pi * known.euler / 6 * share * share * share;
      EXPECT_NEAR(FractionOf(known.kind, share, 25), fraction, 0.015 * fraction)
          << static_cast<int>(known.kind) << " " << share;
    }
  }
}

TEST(Lattice, DistancesOfSchwarzPKnowItsPlaces) {
  // Straight lines lie in the surface, and its points on the axes are a quarter of a period away.
  const double P = 2;
  EXPECT_NEAR(DistanceToSheet(LatticeKind::kSchwarzP, P, {P / 2, P / 4, 0}), 0, 1e-9);
  // Along the normal at a point of the surface, distances are those travelled.
  const Vec3 on{0.25 * P, 0.25 * P, 0.25 * P}, n = Vec3{1, 1, 1} / std::sqrt(3.0);
  for (const double d : {-0.15, -0.05, 0.1}) {
    EXPECT_NEAR(DistanceToSheet(LatticeKind::kSchwarzP, P, on - d * n), d, 2e-3 * P);
  }
}

// A period of whole voxels is computed once; its nodes are those of the formula, before and behind
// 0.
TEST(Lattice, NodesAreThoseOfTheFormulaInAnyPeriod) {
  for (const LatticeKind kind :
       {LatticeKind::kGyroid, LatticeKind::kSchwarzP, LatticeKind::kDiamond}) {
    for (const double voxel : {0.05, 0.0537}) {
      const Lattice lattice{kind, 1, 0.2, {3.2, 2.4, 1.7}, voxel};
      const geometry::GridSource grid = GridOfLattice(lattice);
      const geometry::GridView view = grid.field->View();
      int nodes = 0;
      for (int i = -25; i <= 25; i += 3) {
        for (int j = -20; j <= 20; j += 3) {
          for (int k = -12; k <= 12; k += 2) {
            const Vec3 u{static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)};
            const double wall = std::fabs(DistanceToSheet(kind, 1, voxel * u)) - 0.1;
            // Within the band; the box is farther than that.
            if (std::fabs(wall / voxel) > grid.half_width - 0.1) continue;
            EXPECT_NEAR(LevelOf(view, u), wall / voxel, 1e-6);
            ++nodes;
          }
        }
      }
      EXPECT_GT(nodes, 500);
    }
  }
}

TEST(Lattice, RefusesWallsThatAGridCannotHold) {
  const auto refusal = [](double thickness, double voxel) -> std::string {
    try {
      GridOfLattice({LatticeKind::kGyroid, 1, thickness, {1, 1, 1}, voxel});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refusal(0.4, 0.05).find("third of the period"), std::string::npos);
  EXPECT_NE(refusal(0.1, 0.06).find("two voxels"), std::string::npos);
  EXPECT_EQ(refusal(0.1, 0.05), "");
}

// The time that a grid takes was spent in silence.
TEST(Lattice, WorkOnGridsIsTold) {
  std::vector<std::pair<int, int>> told;
  SetGridWatch([&](int done, int count) { told.emplace_back(done, count); });
  GridOfLattice({LatticeKind::kGyroid, 0.01, 0.003, {0.04, 0.04, 0.04}, 5e-4});
  SetGridWatch({});
  const std::size_t all = told.size();
  GridOfLattice({LatticeKind::kGyroid, 0.01, 0.003, {0.01, 0.01, 0.01}, 5e-4});
  EXPECT_EQ(told.size(), all);
  ASSERT_GT(all, 10u);
  EXPECT_EQ(told.front().first, 0);
  EXPECT_EQ(told.back().first, told.back().second);
  int stages = 0, within = 0;
  for (const auto& [done, count] : told) {
    stages += done == 0 ? 1 : 0;
    within += done > 0 && done < count ? 1 : 0;
    EXPECT_LE(done, count);
  }
  EXPECT_GE(stages, 1);
  EXPECT_GT(within, 5);
}

}  // namespace
}  // namespace intervox::host
