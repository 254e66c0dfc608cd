// What tiles of a grid pair are made of: levels that are lifted, planes that share a voxel, and
// bounds that leave out nothing which a level would sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/** The grid of a cell, voxels of 1 m, with u [voxels] at the lattice's origin. */
grid::GridSide SideOf(const geometry::Cell& cell, const Vec3& u) {
  return grid::MakeSide(cell.grid.field->View(), {Mat3::Identity(), -u}, 1, 0);
}

/** The level at node 0 of a lattice, with its gradient. */
grid::WideLevel<1> LiftedAt(const geometry::Cell& cell, const Vec3& u, double share) {
  grid::GridSide side = SideOf(cell, u);
  grid::SetNodes(1, false, &side);
  side.share = share;
  return grid::LevelsAt<1>(side, 0, 0, 0);
}

// A node's bend is made of it and its six neighbours, in blocks, between them and at the end of all
// blocks, within what a byte keeps of it; levels between nodes are the trilinear means of lifted
// ones, with their gradients.
TEST(GridTiles, LiftedLevelsAreThoseOfSevenNodes) {
  const double share = 1.0 / 12;
  Random random(1);
  int across = 0, bent = 0;
  for (const geometry::Cell& cell :
       {GridCell(geometry::Sphere{9.7}, 1), GridCell(geometry::Box{{17, 15.4, 14}}, 1)}) {
    const geometry::GridView f = cell.grid.field->View();
    const auto lifted = [&](const Vec3& node) {
      const double at = geometry::LevelOf(f, node);
      double L = -6 * at;
      bool within = std::fabs(at) < f.band;
      for (int n = 0; n < 6; ++n) {
        Vec3 e;
        e[n % 3] = n < 3 ? 1 : -1;
        const double beside = geometry::LevelOf(f, node + e);
        within = within && std::fabs(beside) < f.band;
        L += beside;
      }
      bent += within && std::fabs(L) > 0.05;
      return within ? at - share * L / (1 + std::pow(L / 0.3, 4)) : at;
    };
    for (int k = 0; k < 3000; ++k) {
      const Vec3 node{std::floor(random.Uniform(-11, 11)), std::floor(random.Uniform(-11, 11)),
                      std::floor(random.Uniform(-11, 11))};
      const Vec3 t{random.Uniform(0.01, 0.99), random.Uniform(0.01, 0.99),
                   random.Uniform(0.01, 0.99)};
      const geometry::VoxelAt voxel = geometry::FindVoxel(f, node + t);
      if (voxel.node == nullptr) continue;
      for (const int in : voxel.in) across += in == 0 || in == geometry::kBlockEdge - 1;
      double mean = 0;
      for (int c = 0; c < 8; ++c) {
        const Vec3 to{c & 4 ? 1.0 : 0.0, c & 2 ? 1.0 : 0.0, c & 1 ? 1.0 : 0.0};
        mean += (c & 4 ? t.x : 1 - t.x) * (c & 2 ? t.y : 1 - t.y) * (c & 1 ? t.z : 1 - t.z) *
                lifted(node + to);
      }
      const grid::WideLevel<1> level = LiftedAt(cell, node + t, share);
      // One step of 127, at the greatest bend.
      ASSERT_NEAR(level.value, mean, 1.2e-4) << k;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 d;
        d[axis] = 1e-3;
        const double slope = (LiftedAt(cell, node + t + d, share).value -
                              LiftedAt(cell, node + t - d, share).value) /
                             2e-3;
        ASSERT_NEAR(level.GradientOf(0)[axis], slope, 1e-9) << k;
      }
    }
  }
  EXPECT_GT(across, 1000);
  EXPECT_GT(bent, 1000);
}

// Bends are within one per cent of ψ(L) over most of their range, and small ones within a tenth.
TEST(GridTiles, BendsOfBallsAreTheirs) {
  for (const double R : {8.0, 20.0, 70.0}) {
    const geometry::Cell cell = GridCell(geometry::Sphere{R}, 1);
    const geometry::LevelSet& field = *cell.grid.field;
    ASSERT_EQ(field.bends.size(), field.nodes.size());
    int known = 0;
    for (std::size_t i = 0; i < field.bends.size(); ++i) {
      if (field.bends[i] == 0) continue;
      ++known;
      const double r = R + field.nodes[i], L = 2 / r, bend = L / (1 + std::pow(L / 0.3, 4));
      const double kept = geometry::kBendUnit * field.bends[i] * field.bends[i];
      ASSERT_NEAR(kept, bend, 0.03 * bend + 2e-4) << R;
    }
    EXPECT_GT(known, static_cast<int>(field.nodes.size() / 5)) << R;
  }
}

// Four places at once have the bits that each has alone, in blocks, beside them and beyond all.
TEST(GridTiles, FourLevelsAreThoseOfOne) {
#if !defined(__CUDA_ARCH__)
  using cuda::internal::Wide;
  const geometry::Cell cell = GridCell(geometry::Sphere{9.7}, 1);
  // What is beyond all places is outside, whatever the first place holds.
  geometry::LevelSet inside = *cell.grid.field;
  ASSERT_EQ(inside.places[0], geometry::kAbsentOutside);
  inside.places[0] = geometry::kAbsentInside;
  Random random(2);
  int beyond = 0, within = 0;
  for (int k = 0; k < 5000; ++k) {
    const geometry::GridView f = (k / 2 % 2 == 0 ? *cell.grid.field : inside).View();
    double u[3][4], from[3][4];
    for (auto& of_axis : u) {
      for (double& x : of_axis) x = random.Uniform(-20, 20) * (k % 3 == 0 ? 1 : 0.6);
    }
    if (k % 5 == 0) u[0][k % 4] = std::floor(u[0][k % 4]);
    if (k % 7 == 0) u[k % 3][k % 4] = 1e12;
    const double share = k % 2 == 0 ? 1.0 / 12 : 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (int lane = 0; lane < 4; ++lane) from[axis][lane] = u[axis][lane] - f.origin[axis];
    }
    const Vec3 end{8.0 * f.size[0], 8.0 * f.size[1], 8.0 * f.size[2]};
    const grid::WideVoxel<4> four = grid::FindVoxels<4>(
        f, end,
        {cuda::internal::LoadWide<4>(from[0]), cuda::internal::LoadWide<4>(from[1]),
         cuda::internal::LoadWide<4>(from[2])});
    const grid::WideLevel<4> levels = grid::LevelsIn<4>(f, four, share);
    for (int lane = 0; lane < 4; ++lane) {
      const grid::WideVoxel<1> one =
          grid::FindVoxels<1>(f, end, {from[0][lane], from[1][lane], from[2][lane]});
      const grid::WideLevel<1> level = grid::LevelsIn<1>(f, one, share);
      ASSERT_EQ(cuda::internal::Lane(levels.value, lane), level.value);
      ASSERT_EQ(levels.GradientOf(lane), level.GradientOf(0));
      if (share == 0) {
        // Which takes differences of levels in single precision.
        ASSERT_NEAR(level.value, geometry::LevelOf(f, {u[0][lane], u[1][lane], u[2][lane]}), 3e-7);
      }
      ++(one.beyond != 0 ? beyond : within);
    }
  }
  EXPECT_GT(beyond, 1000);
  EXPECT_GT(within, 1000);
#endif
}

// Where u lies between two voxels the gradient is the mean of theirs.
TEST(GridTiles, GradientsBetweenVoxelsAreTheMean) {
  const geometry::Cell cell = GridCell(geometry::Sphere{9.7}, 1);
  const geometry::GridView f = cell.grid.field->View();
  const double d = 1e-9;
  for (const Vec3& u : {Vec3{7, 5.3, 4.2}, Vec3{8, 4.2, 3.1}, Vec3{-7, 5, 4}, Vec3{5.5, 8, 0}}) {
    const Vec3 apart = d * Vec3{1, 1, 1};
    const Vec3 mean = 0.5 * (geometry::Evaluate(f, u + apart).gradient +
                             geometry::Evaluate(f, u - apart).gradient);
    EXPECT_LT(Norm(LiftedAt(cell, u, 0).GradientOf(0) - mean), 3e-7);
    EXPECT_GT(Norm(geometry::Evaluate(f, u).gradient - mean), 1e-3);
  }
}

/** A plane's levels at the corners of the first voxel of a tile. */
void SetPlane(const Vec3& n, double d, int side, grid::Tile* tile) {
  for (int c = 0; c < 8; ++c) {
    const Vec3 x{c & 4 ? 0.5 : -0.5, c & 2 ? 0.5 : -0.5, c & 1 ? 0.5 : -0.5};
    tile->level[side][grid::Tile::Node(c >> 2, c >> 1 & 1, c & 1)] = Dot(n, x) - d;
  }
}

// Two planes in voxels, of all angles, against the polytope that they leave of them. The first side
// is the lattice's own, and stands still.
TEST(GridTiles, PlanesShareVoxelsAsPolytopesDo) {
  constexpr int N = grid::SideShares::N;
  TileRoom room;
  grid::Tile* const tile = room.Make();
  Random random(3);
  int parts = 0, corners = 0, flat = 0, none = 0;
  for (int k = 0; k < 20000; ++k) {
    // All voxels begin at the first node but one, which has others.
    Vec3 n[2][N];
    double d[2][N];
    for (int v = 0; v < N; ++v) {
      n[0][v] = random.Direction();
      n[1][v] = random.Direction();
      if (k % 4 == 1)
        n[1][v] = Normalized(n[0][v] + random.LogUniform(1e-9, 1) * random.Direction());
      if (k % 4 == 2) {
        n[1][v] = -Normalized(n[0][v] + random.LogUniform(1e-9, 1) * random.Direction());
      }
      // Along an axis, but for rounding or not, or across one.
      if (k % 5 == 0) {
        n[k % 2][v] = {};
        n[k % 2][v][k % 3] = k % 7 < 4 ? 1 : -1;
      }
      if (k % 5 == 1) {
        n[k % 2][v][k % 3] = k % 7 < 4 ? 0 : 1e-12;
        n[k % 2][v] = Normalized(n[k % 2][v]);
      }
      for (int i = 0; i < 2; ++i) d[i][v] = random.Uniform(-0.6, 0.6);
      if (k % 9 == 0) d[1][v] = k % 4 == 1 ? d[0][v] : -d[0][v];
    }
    // One voxel after the other has the tile's levels; the last one's are there at the end.
    const int v = k % N;
    for (int i = 0; i < 2; ++i) SetPlane(n[i][v], d[i][v], i, tile);
    const int node[N] = {};
    grid::SideShares a, b;
    grid::FindShares<N>(tile->level[0], node, false, 0, &a);
    grid::FindShares<N>(tile->level[1], node, true, 0, &b);
    ClipSums alone;
    clip::HalfSpaceCut cut[2];
    for (int i = 0; i < 2; ++i) cut[i] = {n[i][v], d[i][v], static_cast<double>(i), 0};
    clip::AddPolytope(cut + 1, 1, {}, {0.5, 0.5, 0.5}, &tile->polygon, &alone);
    ASSERT_NEAR(b.share[v], alone.v, 1e-10) << k;
    const auto area_of = [&](const grid::SideShares& side) {
      return side.area[v] * Vec3{side.n[0][v], side.n[1][v], side.n[2][v]};
    };
    ASSERT_LT(Norm(area_of(b) - alone.s), 1e-10) << k;
    double common[N];
    cuda::internal::StoreWide(grid::FindCommonShares<N>(&a, &b), common);
    ClipSums both;
    clip::AddPolytope(cut, 2, {}, {0.5, 0.5, 0.5}, &tile->polygon, &both);
    // Between planes that nearly coincide the polytope errs by up to 1e-8.
    ASSERT_NEAR(common[v], both.v, k % 9 == 0 && k % 4 != 0 ? 1e-7 : 1e-10) << k;
    ASSERT_LE(b.bend[v], 1e-14) << k;
    parts += both.v > 0 && both.v < a.share[v] && both.v < b.share[v];
    corners += both.v > 1e-3 && both.v < 0.02;
    flat += b.flat != 0;
    none += both.v == 0;
    if (!(a.share[v] > 0) || k % 9 == 0) continue;
    ASSERT_LT(Norm(area_of(b) - both.s), 1e-10) << k;
    const Vec3 moment{b.moment[0][v], b.moment[1][v], b.moment[2][v]};
    const Vec3 by_t{Dot(both.t.row0, n[1][v]), Dot(both.t.row1, n[1][v]),
                    Dot(both.t.row2, n[1][v])};
    ASSERT_LT(Norm(moment - by_t), 1e-10) << k;
  }
  for (const int way : {parts, corners, flat, none}) EXPECT_GT(way, 200);
}

// A strip without a slope holds all of the square within it and at its ends, and else nothing.
TEST(GridTiles, FlatStripsHoldAllOrNothing) {
  using cuda::internal::Wide;
  constexpr int N = grid::SideShares::N;
  const auto all = [](double x) { return Wide<N>{} + x; };
  for (const double slope : {0.0, -0.0, 1e-300}) {
    for (const auto& [low, high, area] :
         {std::array{-1.0, 1.0, 1.0}, std::array{0.0, 1.0, 1.0}, std::array{-1.0, 0.0, 1.0},
          std::array{0.1, 1.0, 0.0}, std::array{-1.0, -0.1, 0.0}}) {
      const auto part = grid::PartOfSquare<Wide<N>>(all(slope), all(slope), all(low), all(high),
                                                    all(0), all(0), all(1));
      EXPECT_EQ(cuda::internal::Lane(part.area, 0), area) << slope << " " << low << " " << high;
      EXPECT_EQ(cuda::internal::Lane(part.u, 0), 0);
    }
  }
}

// Sums that hardly change are not believed where cells are few, or the changes before were large.
TEST(GridTiles, SmallChangesMayBeLuck) {
  using grid::ErrorAfter;
  for (const bool extrapolated : {false, true}) {
    EXPECT_EQ(ErrorAfter(0, {}, 1000, extrapolated), 1);
    EXPECT_EQ(ErrorAfter(1, {1e-6}, 150, extrapolated), 1);
    EXPECT_EQ(ErrorAfter(1, {1e-6}, 1000, extrapolated), 2e-6);
    EXPECT_EQ(ErrorAfter(2, {1e-6, 0.08, 1}, 1000, extrapolated), 0.01);
    EXPECT_GT(ErrorAfter(3, {1e-6, 1e-6, 0.64}, 1000, extrapolated), 0.009);
  }
}

// A wedge between planes that coincide but for its angle, whose volume is a sum of its small gaps.
TEST(GridTiles, ThinWedgesHaveTheirVolume) {
  using cuda::internal::Wide;
  constexpr int N = grid::SideShares::N;
  const auto all = [](double x) { return Wide<N>{} + x; };
  for (const double angle : {1e-3, 1e-9, 1e-13, 1e-17, 0.0}) {
    for (const double d : {0.0, 0.2, -0.31}) {
      // Below z = d + angle x and above z = d: half the square's width times the mean gap.
      const double slope = std::sqrt(1 + angle * angle);
      const grid::HalfSpaces<Wide<N>> low{{all(0), all(0), all(-1)}, all(-d)},
          high{{all(-angle / slope), all(0), all(1 / slope)}, all(d / slope)};
      for (const bool swap : {false, true}) {
        const auto part = swap ? CommonPartOf(high, low) : CommonPartOf(low, high);
        EXPECT_NEAR(cuda::internal::Lane(part.volume, 0), angle / 8, 1e-15 * angle + 3e-17)
            << angle << " " << d;
      }
    }
  }
}

/** Fills a tile with the levels of two grids at all of its nodes, point by point. */
void ReadAll(const grid::GridModel& model, const cuda::internal::center::VoxelBlock& block,
             double edge, grid::Tile* tile) {
  tile->voxels = block;
  tile->edge = edge;
  tile->lifts = true;
  tile->grids = tile->count = 2;
  tile->cutting = 0;
  grid::NodeBits nodes;
  std::uint32_t layer = 0;
  for (int j = 0; j < block.count[1]; ++j) layer |= ((1U << block.count[2]) - 1) << 8 * j;
  for (int i = 0; i < grid::kTileEdge; ++i) tile->left[i] = i < block.count[0] ? layer : 0;
  grid::NodesOf(tile->left, &nodes);
  for (int s = 0; s < 2; ++s) {
    grid::GridSide side = model.grid[s];
    // The lattice's own levels are never lifted.
    if (s == 0) side.share = 0;
    tile->side[s] = s;
    tile->turn[s] = s == 0 ? 0 : 2 * side.weight;
    std::fill_n(tile->gain[s], grid::kTileNodes, 0.0);
    const int(&first)[3] = block.first;
    grid::ForEachBit(nodes, [&](int i, int j, int k) {
      const grid::WideLevel<1> at =
          grid::LevelsAt<1>(side, first[0] + i, first[1] + j, first[2] + k);
      tile->level[s][grid::Tile::Node(i, j, k)] = at.value;
      if (s == 0) return;
      for (int c = 0; c < 3; ++c) {
        tile->gradient[c][grid::Tile::Node(i, j, k)] = at.GradientOf(0)[c];
      }
    });
    if (grid::NoteOutside(s, nodes, tile)) tile->cutting |= std::uint64_t{1} << s;
  }
}

/** A level's sums over all tiles of all voxels, without a bound. */
ClipSums SumAll(const grid::GridLevel& level, grid::Tile* tile) {
  const cuda::internal::center::VoxelBlock& cells = level.cells;
  ClipSums sums;
  int at[3];
  const auto last = [&](int axis) { return cells.first[axis] + cells.count[axis]; };
  const auto add = [&](grid::Tile* of, const grid::VoxelBits& voxels, std::uint64_t mixed,
                       ClipSums* to) {
    if (level.rule == LeafRule::kFraction) {
      grid::AddShares(of, voxels, mixed, to);
    } else {
      grid::AddTetrahedra(of, voxels, mixed, to);
    }
  };
  for (at[0] = cells.first[0]; at[0] < last(0); at[0] += grid::kTileEdge) {
    for (at[1] = cells.first[1]; at[1] < last(1); at[1] += grid::kTileEdge) {
      for (at[2] = cells.first[2]; at[2] < last(2); at[2] += grid::kTileEdge) {
        cuda::internal::center::VoxelBlock block;
        for (int axis = 0; axis < 3; ++axis) {
          block.first[axis] = at[axis];
          block.count[axis] = std::min(grid::kTileEdge, last(axis) - at[axis]);
        }
        ReadAll(level.model, block, level.edge, tile);
        grid::AddVoxels(tile, &sums, add);
        AddGains(level.model, tile, &sums);
      }
    }
  }
  return sums;
}

// Of two grids in random poses, from apart to one deep within the other: blocks that bounds decide,
// and voxels by the field in the middle of eight.
TEST(GridTiles, BoundsLeaveOutNothing) {
  const std::vector<geometry::Cell> grids = {GridCell(geometry::Sphere{14}, 1),
                                             GridCell(geometry::Box{{20, 16, 12}}, 1),
                                             GridCell(geometry::Torus{12, 4}, 1.25)};
  // So long that it is summed in parts of more than a block.
  const geometry::Cell rod = GridCell(geometry::Cylinder{5, 90}, 1);
  Random random(8);
  TileRoom room;
  int overlap = 0, faces = 0, between = 0;
  for (int k = 0; k < 40; ++k) {
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
    const grid::GridLevel level = pair.Level();
    const ClipSums sums = SumLevel(level, room.Make());
    const ClipSums whole = SumAll(level, room.Make());
    const double v = whole.v;
    ASSERT_NEAR(sums.v, v, 1e-12 * v + 1e-14) << k;
    ASSERT_NEAR(sums.between, whole.between, 1e-12 * v + 1e-14) << k;
    ASSERT_LT(Norm(sums.m - whole.m), 1e-11 * v + 1e-13) << k;
    ASSERT_LT(Norm(sums.s - whole.s), 1e-11 * Norm(whole.s) + 1e-13) << k;
    ASSERT_LT(Norm(sums.t.row0 - whole.t.row0), 1e-10 * Norm(whole.s) + 1e-12) << k;
    overlap += v > 0;
    faces += Norm(sums.s) > 0;
    between += sums.between > 1e-6 * v;
    pair.Take(sums);
    EXPECT_FALSE(pair.open());
  }
  EXPECT_GT(overlap, 20);
  EXPECT_GT(faces, 20);
  EXPECT_GT(between, 20);
}

}  // namespace
}  // namespace intervox
