// Sides of a grid pair that are bounded together: the bounds hold, nothing that a level sums is
// lost, and pairs that nearly touch take few cells.
#include "cuda/rules/grid/together.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cuda/rules/grid/pair.h"
#include "tests/cuda/grid_queries.h"

namespace intervox {
namespace {

using cuda::internal::clip::ClipCell;
using cuda::internal::clip::ClipSums;
using cuda::internal::grid::BoundLinearly;
using cuda::internal::grid::GridLevel;
using testing::CellsOf;
using testing::GridCell;
using testing::Random;

// Pairs that are within a tenth of a voxel of touching.
class NearlyTouching {
 public:
  explicit NearlyTouching(unsigned seed) : random_(seed) {}

  PairQuery Next() {
    PairQuery query;
    do {
      const auto any = [&](const std::vector<Cell>& of) {
        return &of[static_cast<std::size_t>(random_.Uniform(0, 0.999 * double(of.size())))];
      };
      query.a = any(cells_.grids);
      query.b = any(++count_ % 2 == 0 ? cells_.formulas : cells_.grids);
      query.X_WA = random_.RandomPose(1);
      query.X_WB = random_.RandomPose(1);
      if (count_ % 3 == 0) query.X_WB.R = query.X_WA.R;
      query.rule = LeafRule::kClip;
    } while (!query.b->bounded || !(ComputeMetrics(query).volume > 0));
    const Vec3 from = query.X_WB.p, along = random_.Direction();
    double in = 0, out = 30;
    for (int k = 0; k < 30; ++k) {
      const double middle = 0.5 * (in + out);
      query.X_WB.p = from + middle * along;
      (ComputeMetrics(query).volume > 0 ? in : out) = middle;
    }
    const double depth = random_.LogUniform(1e-5, 0.1);
    query.X_WB.p = from + (in + (count_ % 4 < 2 ? depth : -depth)) * along;
    query.rule = LeafRule::kVoxel;
    query.tolerance = 1e-2;
    return query;
  }

  Random* random() { return &random_; }

 private:
  using Cell = geometry::Cell;
  Random random_;
  testing::GridCells cells_;
  int count_ = 0;
};

class TileRoom {
 public:
  cuda::internal::grid::Tile* Make() {
    return cuda::internal::grid::TileIn(room_.data(), cuda::internal::grid::kTileSides);
  }

 private:
  std::vector<double> room_ = std::vector<double>(
      cuda::internal::grid::TileBytes(cuda::internal::grid::kTileSides) / sizeof(double));
};

// The sums of a level by bounds of each side alone.
ClipSums SumAlone(const GridLevel& level, cuda::internal::grid::Tile* tile) {
  const auto parts = cuda::internal::grid::PartsOf(level);
  return cuda::SumInLanes<ClipSums>(parts.Count(), [&](int i) {
    return cuda::internal::center::SumParts(
        level.model, cuda::internal::grid::PartOf(level, parts, i), level.edge, 0.0,
        cuda::internal::grid::kTileEdge, &tile->blocks,
        [&](const auto& block, const Vec3&, ClipSums* sums) {
          Begin(level.model, block.active, level.edge, tile);
          tile->voxels = block;
          AddTile(level.model, FindOwnNodes(level.model, block, level.edge), 0, tile, sums,
                  [](auto* of, const auto& voxels, std::uint64_t mixed, ClipSums* to) {
                    cuda::internal::grid::AddTetrahedra(of, voxels, mixed, to);
                  });
        });
  });
}

TEST(GridTogether, BoundsHold) {
  NearlyTouching pairs(1);
  int known = 0;
  for (int n = 0; n < 60; ++n) {
    const PairQuery query = pairs.Next();
    cuda::GridPair pair;
    InterferenceMetrics m;
    if (!pair.Place(query, &m)) continue;
    const GridLevel level = pair.Level();
    Random& random = *pairs.random();
    const double edge = level.edge;
    for (int k = 0; k < 40; ++k) {
      Vec3 c, half;
      for (int axis = 0; axis < 3; ++axis) {
        c[axis] = edge * (level.cells.first[axis] + random.Uniform(0, 1) * level.cells.count[axis]);
        half[axis] = random.LogUniform(1e-3, 0.5) * edge;
      }
      for (int side = 0; side < level.model.grids + level.model.surfaces; ++side) {
        const auto bound =
            side < level.model.grids
                ? BoundLinearly(level.model.grid[side], c, half)
                : BoundLinearly(level.model.surface[side - level.model.grids], c, half);
        if (!bound.known) continue;
        ++known;
        for (int i = 0; i < 30; ++i) {
          const Vec3 u{random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1)};
          const double g = LevelAndSlopeOf(level.model, side, c + Scaled(half, u)).value;
          ASSERT_LE(bound.value + Dot(bound.slope, u), g + 1e-12) << n << ' ' << side;
        }
      }
    }
  }
  EXPECT_GT(known, 2000);
}

TEST(GridTogether, LosesNothing) {
  NearlyTouching pairs(2);
  TileRoom room;
  int overlap = 0;
  std::int64_t alone = 0, together = 0;
  for (int n = 0; n < 60; ++n) {
    const PairQuery query = pairs.Next();
    cuda::GridPair pair;
    InterferenceMetrics m;
    if (!pair.Place(query, &m)) continue;
    for (int k = 0; k < 5 && pair.open(); ++k) {
      const GridLevel level = pair.Level();
      const ClipSums sums = SumLevel(level, room.Make()), all = SumAlone(level, room.Make());
      EXPECT_EQ(sums.v, all.v) << n;
      EXPECT_EQ(sums.s, all.s) << n;
      EXPECT_EQ(sums.t.row0, all.t.row0) << n;
      overlap += sums.v > 0;
      together += sums.leaves;
      alone += all.leaves;
      pair.Take(sums);
    }
  }
  EXPECT_GT(overlap, 40);
  EXPECT_LT(together, alone);
}

// Cells in which all sides are linear, cut by their planes at once, sum what their voxels do: flat
// faces along nodes, between them, turned against each other and cut off by planes.
TEST(GridTogether, LinearCellsSumWhatTheirVoxelsDo) {
  const std::vector<geometry::Cell> grids = {GridCell(geometry::Box{{8, 7, 6}}, 1),
                                             GridCell(geometry::Box{{8.6, 7.6, 6.6}}, 1),
                                             GridCell(geometry::Cylinder{4, 6}, 1)};
  const std::vector<geometry::Cell> formulas = {CellsOf(geometry::Box{{6, 5, 5}})[0],
                                                testing::HalfSpaceCell({0, 0, 1}, 0)};
  TileRoom room;
  Random random(5);
  int linear = 0;
  for (int n = 0; n < 48; ++n) {
    const auto any = [&](const std::vector<geometry::Cell>& of) {
      return &of[static_cast<std::size_t>(random.Uniform(0, 0.999 * double(of.size())))];
    };
    PairQuery query;
    query.a = any(grids);
    query.b = any(n % 2 == 0 ? grids : formulas);
    query.X_WA = random.RandomPose(3);
    query.rule = LeafRule::kVoxel;
    query.tolerance = 1e-9;
    // Flush every other time, by whole voxels every sixth.
    if (n % 4 < 2) query.X_WB.R = query.X_WA.R;
    if (n % 12 == 0)
      query.X_WB = {query.X_WA.R,
                    query.X_WA.p + query.X_WA.R * Vec3{1, n % 24 == 0 ? 0.0 : 1.0, -2}};
    cuda::GridPair pair;
    InterferenceMetrics m;
    if (!pair.Place(query, &m)) continue;
    for (int k = 0; k < 4 && pair.open(); ++k) {
      const GridLevel level = pair.Level();
      const ClipSums sums = SumLevel(level, room.Make()), all = SumAlone(level, room.Make());
      EXPECT_NEAR(sums.v, all.v, 1e-6 * all.v + 1e-9) << n << ' ' << k;
      EXPECT_LT(Norm(sums.m - all.m), 1e-5 * all.v + 1e-9) << n << ' ' << k;
      EXPECT_LT(Norm(sums.s - all.s), 1e-5 * std::cbrt(all.v * all.v) + 1e-9) << n << ' ' << k;
      EXPECT_LE(sums.rough, 1e-10 * all.v * all.v);
      linear += 3 * sums.leaves < 2 * all.leaves;
      pair.Take(sums);
    }
  }
  EXPECT_GT(linear, 5);
}

// A ball over a flat face: of a hundredth of a voxel that is between them, less and nothing.
TEST(GridTogether, PairsThatNearlyTouchTakeFewCells) {
  const geometry::Cell box = GridCell(geometry::Box{{12, 10, 8}}, 1),
                       grid = GridCell(geometry::Sphere{8}, 1),
                       ball = CellsOf(geometry::Sphere{8})[0];
  TileRoom room;
  for (const geometry::Cell* other : {&grid, &ball}) {
    for (const double gap : {1e-2, 1e-3, 1e-4}) {
      PairQuery query;
      query.a = &box;
      query.b = other;
      query.X_WB.p = {0.25, 0.25, 4 + 8 + gap};
      query.rule = LeafRule::kVoxel;
      cuda::GridPair pair;
      InterferenceMetrics m;
      ASSERT_TRUE(pair.Place(query, &m));
      std::int64_t cells = 0;
      while (pair.open()) {
        const ClipSums sums = SumLevel(pair.Level(), room.Make());
        cells += sums.cells;
        pair.Take(sums);
      }
      EXPECT_EQ(pair.Conclude().status, Status::kDisjoint);
      EXPECT_LT(cells, 20000) << gap;
    }
  }
}

}  // namespace
}  // namespace intervox
