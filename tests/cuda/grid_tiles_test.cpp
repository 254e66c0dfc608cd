// What tiles of a grid pair are made of: levels that are lifted, planes that share a voxel, and
// bounds that leave out nothing which a level would sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cuda/rules/grid/pair.h"
#include "tests/cuda/grid_queries.h"

namespace intervox {
namespace {

namespace clip = cuda::internal::clip;
namespace grid = cuda::internal::grid;
using clip::ClipSums;
using testing::GridCell;
using testing::Random;

class TileRoom {
 public:
  grid::Tile* Make() { return grid::TileIn(room_.data(), grid::kTileSides); }

 private:
  std::vector<double> room_ =
      std::vector<double>(grid::TileBytes(grid::kTileSides) / sizeof(double));
};

grid::GridSide SideOf(const geometry::Cell& cell) {
  grid::GridSide side;
  side.view = cell.grid.field->View();
  side.R = side.M = Mat3::Identity();
  side.h = 1;
  return side;
}

// Levels and gradients against seven points of the field, in blocks, between them and at the end of
// all blocks.
TEST(GridTiles, LiftedLevelsAreThoseOfSevenPoints) {
  const double share = 1.0 / 12;
  Random random(1);
  int across = 0;
  for (const geometry::Cell& cell :
       {GridCell(geometry::Sphere{9.7}, 1), GridCell(geometry::Box{{17, 15.4, 14}}, 1)}) {
    const grid::GridSide side = SideOf(cell);
    const geometry::GridView& f = side.view;
    const auto seven = [&](const Vec3& u) {
      const double at = geometry::LevelOf(f, u);
      double L = -6 * at;
      for (int n = 0; n < 6; ++n) {
        Vec3 e;
        e[n % 3] = n < 3 ? 1 : -1;
        L += geometry::LevelOf(f, u + e);
      }
      return grid::HasNeighbours(side, at) ? grid::Lifted(at, L, share).value : at;
    };
    for (int k = 0; k < 3000; ++k) {
      const Vec3 node{std::floor(random.Uniform(-11, 11)), std::floor(random.Uniform(-11, 11)),
                      std::floor(random.Uniform(-11, 11))};
      const Vec3 u = node + Vec3{random.Uniform(0.01, 0.99), random.Uniform(0.01, 0.99),
                                 random.Uniform(0.01, 0.99)};
      const geometry::VoxelAt voxel = geometry::FindVoxel(f, u);
      if (voxel.node == nullptr || !grid::HasNeighbours(side, geometry::LevelOf(f, u))) continue;
      for (const int in : voxel.in) across += in == 0 || in == geometry::kBlockEdge - 1;
      // Nodes are of single precision.
      ASSERT_NEAR(grid::LiftedLevelOf(side, u, share), seven(u), 3e-7) << k;
      const Vec3 gradient = grid::LiftedOf(side, u, 1e-9 * Vec3{1, 1, 1}, share).gradient;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 d;
        d[axis] = 1e-3;
        const double slope = (seven(u + d) - seven(u - d)) / 2e-3;
        // Second differences of boxes bend the lift over their edges.
        ASSERT_NEAR(gradient[axis], slope, 1e-3) << k;
      }
    }
  }
  EXPECT_GT(across, 1000);
}

// Where u lies between two voxels the gradient is the mean of theirs.
TEST(GridTiles, GradientsBetweenVoxelsAreTheMean) {
  const geometry::Cell cell = GridCell(geometry::Sphere{9.7}, 1);
  const grid::GridSide side = SideOf(cell);
  const double d = 1e-9;
  for (const Vec3& u : {Vec3{7, 5.3, 4.2}, Vec3{8, 4.2, 3.1}, Vec3{-7, 5, 4}, Vec3{5.5, 8, 0}}) {
    const Vec3 apart = d * Vec3{1, 1, 1};
    const Vec3 mean = 0.5 * (geometry::Evaluate(side.view, u + apart).gradient +
                             geometry::Evaluate(side.view, u - apart).gradient);
    EXPECT_LT(Norm(grid::LiftedOf(side, u, apart, 0).gradient - mean), 1e-15);
    EXPECT_GT(Norm(geometry::Evaluate(side.view, u).gradient - mean), 1e-3);
  }
}

/** A plane's levels at the corners of the first voxel of a tile. */
void SetPlane(const Vec3& n, double d, int side, grid::Tile* tile) {
  for (int c = 0; c < 8; ++c) {
    const Vec3 x{c & 4 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 1 ? 0.5 : -0.5};
    tile->level[side][grid::Tile::Node(c >> 2, c >> 1 & 1, c & 1)] = Dot(n, x) - d;
  }
}

// Two planes in a voxel, of all angles, against the polytope that they leave of it.
TEST(GridTiles, PlanesShareAVoxelAsPolytopesDo) {
  TileRoom room;
  grid::Tile* const tile = room.Make();
  tile->turn[0] = 0;
  tile->turn[1] = 1;
  int node[8];
  for (int c = 0; c < 8; ++c) node[c] = grid::Tile::Node(c >> 2, c >> 1 & 1, c & 1);
  Random random(3);
  int ways[4] = {};
  for (int k = 0; k < 20000; ++k) {
    Vec3 n[2] = {random.Direction(), random.Direction()};
    if (k % 4 == 1) n[1] = Normalized(n[0] + random.LogUniform(1e-9, 1) * random.Direction());
    if (k % 4 == 2) n[1] = -Normalized(n[0] + random.LogUniform(1e-9, 1) * random.Direction());
    // Along an axis, but for rounding or not.
    if (k % 5 == 0) {
      n[k % 2] = {};
      n[k % 2][k % 3] = k % 7 < 4 ? 1 : -1;
    }
    const double d[2] = {random.Uniform(-0.6, 0.6), random.Uniform(-0.6, 0.6)};
    clip::HalfSpaceCut cut[2];
    for (int i = 0; i < 2; ++i) {
      SetPlane(n[i], d[i], i, tile);
      cut[i] = {n[i], d[i], static_cast<double>(i), 0};
    }
    const grid::SideShare a = grid::ShareOf(*tile, 0, node, nullptr, &tile->polygon);
    const grid::SideShare b = grid::ShareOf(*tile, 1, node, &a, &tile->polygon);
    ++ways[b.kept + 1];
    ClipSums both;
    clip::AddPolytope(cut, 2, {}, {0.5, 0.5, 0.5}, &tile->polygon, &both);
    const double share = grid::ShareOfPlanes(a, b, &tile->polygon).share;
    ASSERT_NEAR(share, both.v, 1e-10) << k;
    if (!(a.share > 0)) continue;
    ASSERT_LT(Norm(b.area * b.n - both.s), 1e-10) << k;
  }
  for (const int way : ways) EXPECT_GT(way, 200);
}

/** Fills a tile with the levels of two grids at all of its nodes, point by point. */
void ReadAll(const grid::GridLevel& level, const cuda::internal::center::VoxelBlock& block,
             grid::Tile* tile) {
  tile->voxels = block;
  tile->edge = level.edge;
  tile->lifts = true;
  tile->grids = tile->count = 2;
  tile->cutting = 0;
  grid::NodeBits nodes;
  std::uint32_t layer = 0;
  for (int j = 0; j < block.count[1]; ++j) layer |= ((1U << block.count[2]) - 1) << 8 * j;
  for (int i = 0; i < grid::kTileEdge; ++i) tile->left[i] = i < block.count[0] ? layer : 0;
  grid::NodesOf(tile->left, &nodes);
  for (int s = 0; s < 2; ++s) {
    const grid::GridSide& side = level.model.grid[s];
    tile->side[s] = s;
    tile->turn[s] = s == 0 || !level.faces ? 0 : 2 * side.weight;
    grid::ForEachBit(nodes, [&](int i, int j, int k) {
      const Vec3 u = TransposeTimes(side.R, tile->At(i, j, k) - side.p) / side.h;
      tile->level[s][grid::Tile::Node(i, j, k)] =
          side.h * grid::LiftedLevelOf(side, u, s == 0 ? 0 : grid::LiftOf(side, *tile));
    });
    if (grid::NoteOutside(s, nodes, tile)) tile->cutting |= std::uint64_t{1} << s;
  }
  grid::NoteSides(tile);
}

/** A level's sums over all tiles of all voxels, without a bound. */
ClipSums SumAll(const grid::GridLevel& level, grid::Tile* tile) {
  const cuda::internal::center::VoxelBlock& cells = level.cells;
  ClipSums sums;
  int at[3];
  const auto last = [&](int axis) { return cells.first[axis] + cells.count[axis]; };
  for (at[0] = cells.first[0]; at[0] < last(0); at[0] += grid::kTileEdge) {
    for (at[1] = cells.first[1]; at[1] < last(1); at[1] += grid::kTileEdge) {
      for (at[2] = cells.first[2]; at[2] < last(2); at[2] += grid::kTileEdge) {
        cuda::internal::center::VoxelBlock block;
        for (int axis = 0; axis < 3; ++axis) {
          block.first[axis] = at[axis];
          block.count[axis] = std::min(grid::kTileEdge, last(axis) - at[axis]);
        }
        ReadAll(level, block, tile);
        const double half = 0.5 * level.edge;
        grid::ForEachBit(tile->left, [&](int i, int j, int k) {
          std::uint64_t any = 0;
          for (int c = 0; c < 8; ++c) {
            any |= tile->outside[grid::Tile::Node(i + (c >> 2), j + (c >> 1 & 1), k + (c & 1))];
          }
          if (any == 0) {
            clip::AddBox(tile->At(i, j, k) + half * Vec3{1, 1, 1}, half * Vec3{1, 1, 1}, &sums);
          } else if (level.rule == LeafRule::kFraction) {
            grid::AddShare(tile, i, j, k, any, &sums);
          } else {
            grid::AddTetrahedra(tile, i, j, k, any, &sums);
          }
        });
        AddGains(level.model, *tile, &sums);
      }
    }
  }
  return sums;
}

// Of two grids in random poses, from apart to one deep within the other: blocks that bounds decide,
// and voxels by the field in their middle and at a corner; coarse tiles that begin where blocks do
// sum what others do.
TEST(GridTiles, BoundsLeaveOutNothing) {
  const std::vector<geometry::Cell> grids = {GridCell(geometry::Sphere{14}, 1),
                                             GridCell(geometry::Box{{20, 16, 12}}, 1),
                                             GridCell(geometry::Torus{12, 4}, 1.25)};
  // So long that some of its coarse tiles do not begin where blocks do.
  const geometry::Cell rod = GridCell(geometry::Cylinder{5, 90}, 1);
  Random random(8);
  TileRoom room;
  int overlap = 0, faces = 0;
  for (int k = 0; k < 30; ++k) {
    PairQuery query;
    query.a = &grids[static_cast<std::size_t>(k % 3)];
    query.b = &grids[static_cast<std::size_t>(k / 3 % 3)];
    query.X_WA = random.RandomPose(3);
    query.X_WB = {k % 5 == 0 ? query.X_WA.R : random.Rotation(),
                  query.X_WA.p + random.Uniform(5, 27) * random.Direction()};
    if (k % 10 == 9) {
      query.a = query.b = &rod;
      const double along = (k % 20 == 9 ? 1 : -1) * random.Uniform(1.5, 4);
      query.X_WB = {query.X_WA.R, query.X_WA * Vec3{0.3, random.Uniform(3, 9), along}};
    }
    query.rule = k % 2 == 0 ? LeafRule::kFraction : LeafRule::kClip;
    cuda::GridPair pair;
    InterferenceMetrics m;
    if (!pair.Place(query, &m)) continue;
    while (pair.open()) {
      const grid::GridLevel level = pair.Level();
      const ClipSums sums = SumLevel(level, room.Make());
      const ClipSums whole = SumAll(level, room.Make());
      const double v = whole.v;
      ASSERT_NEAR(sums.v, v, 1e-12 * v + 1e-14) << k;
      ASSERT_LT(Norm(sums.m - whole.m), 1e-11 * v + 1e-13) << k;
      ASSERT_LT(Norm(sums.s - whole.s), 1e-11 * Norm(whole.s) + 1e-13) << k;
      ASSERT_LT(Norm(sums.t.row0 - whole.t.row0), 1e-10 * Norm(whole.s) + 1e-12) << k;
      overlap += v > 0;
      faces += Norm(sums.s) > 0;
      // Of coarse voxels V alone is asked for, and is what it is with faces.
      grid::GridLevel other = level;
      other.faces = !level.faces;
      const ClipSums turned = SumLevel(other, room.Make());
      ASSERT_EQ(turned.v, sums.v) << k;
      ASSERT_EQ(Norm(level.edge > 1.5 ? sums.s : turned.s), 0) << k;
      pair.Take(sums);
    }
  }
  EXPECT_GT(overlap, 20);
  EXPECT_GT(faces, 10);
}

}  // namespace
}  // namespace intervox
