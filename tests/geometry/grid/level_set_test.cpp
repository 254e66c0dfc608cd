// Level sets as trilinear fields: values, bounds, blocks, bad sizes.
#include "geometry/grid/level_set.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "geometry/free_memory.h"
#include "tests/geometry/grids.h"
#include "tests/geometry/random_shapes.h"

namespace intervox {
namespace {

using geometry::Cell;
using geometry::GridView;
using geometry::Random;
using testing::CellsOf;
using testing::GridCell;

TEST(LevelSetField, IsTheDistanceAtNodesAndNearItBetween) {
  const Cell cell = GridCell(geometry::Sphere{11.3}, 1);
  const GridView view = cell.grid.field->View();
  Random random(3);
  for (int n = 0; n < 2000; ++n) {
    const Vec3 x = random.Uniform(9, 13.5) * random.Direction();
    const double distance = Norm(x) - 11.3;
    const geometry::LevelAt f = geometry::Evaluate(view, x);
    const Vec3 node{std::floor(x.x), std::floor(x.y), std::floor(x.z)};
    const double at = std::min(3.0, Norm(node) - 11.3);
    EXPECT_NEAR(geometry::Evaluate(view, node).value, std::max(-3.0, at), 2e-6);
    if (std::fabs(distance) > 1.2) continue;  // within the band with all nodes
    // 0 ≤ f − distance ≤ (h²/8) ∇²f for a convex distance.
    EXPECT_GE(f.value, distance - 1e-6);
    EXPECT_LE(f.value, distance + 2.0 / 8 / 9);
    EXPECT_LT(Norm(f.gradient - x / Norm(x)), 0.12);
  }
  EXPECT_EQ(geometry::Evaluate(view, {0, 0, 0}).value, -3);
  EXPECT_EQ(geometry::Evaluate(view, {1e9, 0, 0}).value, 3);
  EXPECT_EQ(geometry::Evaluate(view, {-1e9, 0, std::nan("")}).value, 3);
}

TEST(LevelSetField, GradientIsTheDifferenceQuotient) {
  const Cell cell = GridCell(geometry::Box{{12, 15, 9}}, 1);
  const GridView view = cell.grid.field->View();
  Random random(4);
  for (int n = 0; n < 500; ++n) {
    const Vec3 at = random.InBox(8);
    Vec3 x;  // off the faces between voxels
    for (int axis = 0; axis < 3; ++axis) x[axis] = std::floor(at[axis]) + random.Uniform(0.1, 0.9);
    const Vec3 g = geometry::Evaluate(view, x).gradient;
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 e;
      e[axis] = 1e-4;
      const double quotient =
          (geometry::Evaluate(view, x + e).value - geometry::Evaluate(view, x - e).value) / 2e-4;
      EXPECT_NEAR(g[axis], quotient, 1e-9);
    }
  }
}

TEST(LevelSetField, BoundsAndSlopeHold) {
  const Cell cell = GridCell(geometry::Torus{20, 7}, 1);
  const GridView view = cell.grid.field->View();
  Random random(5);
  int decided = 0;
  for (int n = 0; n < 3000; ++n) {
    const Vec3 c = random.InBox(32), half = Abs(random.InBox(random.Uniform(0.5, 12)));
    const geometry::Bounds f = geometry::BlockBounds(view, c - half, c + half);
    decided += f.lo > 0 || f.hi < 0 ? 1 : 0;
    const double middle = geometry::Evaluate(view, c).value;
    for (int k = 0; k < 30; ++k) {
      const Vec3 x = c + Scaled(half, random.InBox(1));
      const double value = geometry::Evaluate(view, x).value;
      ASSERT_GE(value, f.lo);
      ASSERT_LE(value, f.hi);
      ASSERT_LE(std::fabs(value - middle), view.slope * Norm(x - c) + 1e-9);
    }
  }
  EXPECT_GT(decided, 500);
  EXPECT_LT(view.slope, 1.2);
}

TEST(LevelSetField, TheSameForAnyLoop) {
  const auto cells = CellsOf(geometry::Torus{20, 7});
  const auto backwards = [](int count, const std::function<void(int, int)>& body) {
    for (int i = count; i-- > 0;) body(i, i + 1);
  };
  const auto a = geometry::MakeLevelSet(cells, 1, 3, testing::Serially);
  const auto b = geometry::MakeLevelSet(cells, 1, 3, backwards);
  EXPECT_EQ(a->nodes, b->nodes);
  EXPECT_EQ(a->places, b->places);
  EXPECT_EQ(a->checksum, b->checksum);
  EXPECT_NE(a->checksum, geometry::MakeLevelSet(cells, 1.01, 3, testing::Serially)->checksum);
}

TEST(GridCells, BlocksKnowTheirNeighboursAndHoldTheInside) {
  const Cell whole = GridCell(geometry::Sphere{20}, 1);
  const std::vector<Cell> blocks = geometry::SplitGrids({whole});
  ASSERT_GT(blocks.size(), 50u);
  Random random(6);
  for (int n = 0; n < 500; ++n) {
    const Vec3 x = random.Uniform(0, 19.9) * random.Direction();
    int holders = 0;
    for (const Cell& block : blocks) {
      const Vec3 d = Abs(x - block.bounds.X.p);
      holders +=
          d.x < block.bounds.half.x && d.y < block.bounds.half.y && d.z < block.bounds.half.z;
    }
    EXPECT_EQ(holders, 1);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_FALSE(blocks[i].neighbours.empty());
    for (const int j : blocks[i].neighbours) {
      const std::vector<int>& back = blocks[static_cast<std::size_t>(j)].neighbours;
      EXPECT_TRUE(std::binary_search(back.begin(), back.end(), static_cast<int>(i)));
    }
  }
}

void ExpectRefusal(const std::function<void()>& make, const std::string& part) {
  try {
    make();
    ADD_FAILURE() << "no refusal: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(LevelSetErrors, NameTheValueAndTheRemedy) {
  const auto ball = CellsOf(geometry::Sphere{1});
  const auto make = [&](double h, double w) {
    return [&ball, h, w] { geometry::MakeLevelSet(ball, h, w, testing::Serially); };
  };
  ExpectRefusal(make(0, 3), "must be positive");
  ExpectRefusal(make(std::nan(""), 3), "must be positive");
  ExpectRefusal(make(0.1, 1.5), "2 to 100 voxels, got 1.5");
  ExpectRefusal(make(1e-5, 3), "use voxels of");
  ExpectRefusal(make(1e-12, 3), "use larger voxels");
  const auto ring = CellsOf(geometry::Torus{1, 0.2});
  ExpectRefusal([&] { geometry::MakeLevelSet(ring, 300, 3, testing::Serially); },
                "use smaller voxels");
  const auto plane = CellsOf(geometry::HalfSpace{{0, 0, 1}, 0});
  ExpectRefusal([&] { geometry::MakeLevelSet(plane, 1, 3, testing::Serially); }, "unbounded");
  const std::vector<Cell> grid{GridCell(geometry::Sphere{5}, 1)};
  ExpectRefusal([&] { geometry::MakeLevelSet(grid, 1, 3, testing::Serially); }, "grid already");
}

// Voxels of 10 um of a part of centimetres were worked on in silence, however long that took.
TEST(LevelSetErrors, WhatWouldTakeHoursIsRefusedAtOnce) {
  const int blocks = 200'000;
  const std::vector<geometry::PlaceKind> kinds(blocks, geometry::PlaceKind::kBand);
  // Twice an hour on all cores.
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  const std::chrono::duration<double> slow(2 * 3600 * cores / blocks);
  std::atomic<int> read = 0;
  try {
    geometry::JoinBlocks(
        {0, 0, 0}, {100, 100, 20}, kinds,
        [&](const std::array<int, 3>&, float*) {
          if (++read > 100) throw std::runtime_error("all blocks are read");
          std::this_thread::sleep_for(slow);
        },
        1e-3, 3, testing::Serially);
    ADD_FAILURE();
  } catch (const std::exception& error) {
    const std::string text = error.what();
    for (const char* part : {"2e+05 blocks", " hours here; use voxels of 0.001"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  EXPECT_LT(read, 100);
}

// The extents of a block's eighths are those of their nodes, which they share with each other.
TEST(LevelSet, EighthsHaveTheExtentsOfTheirNodes) {
  for (const Cell& cell :
       {GridCell(geometry::Sphere{11.3}, 1), GridCell(geometry::Box{{9, 20, 14}}, 1)}) {
    const geometry::LevelSet& field = *cell.grid.field;
    const std::size_t blocks = field.nodes.size() / geometry::kBlockNodes;
    ASSERT_EQ(field.eighths.size(), blocks * geometry::kEighths);
    for (std::size_t block = 0; block < blocks; ++block) {
      geometry::Extent extents[geometry::kEighths];
      for (geometry::Extent& e : extents) e = {1e9F, -1e9F};
      for (int n = 0; n < geometry::kBlockNodes; ++n) {
        const int at[3] = {n / 81, n / 9 % 9, n % 9};
        const float f = field.nodes[block * geometry::kBlockNodes + static_cast<std::size_t>(n)];
        for (int part = 0; part < geometry::kEighths; ++part) {
          const int first[3] = {part / 4 * 4, part / 2 % 2 * 4, part % 2 * 4};
          bool in = true;
          for (int axis = 0; axis < 3; ++axis) {
            in = in && at[axis] >= first[axis] && at[axis] <= first[axis] + 4;
          }
          if (!in) continue;
          extents[part].lo = std::min(extents[part].lo, f);
          extents[part].hi = std::max(extents[part].hi, f);
        }
      }
      for (std::size_t part = 0; part < geometry::kEighths; ++part) {
        ASSERT_EQ(field.eighths[block * geometry::kEighths + part].lo, extents[part].lo) << block;
        ASSERT_EQ(field.eighths[block * geometry::kEighths + part].hi, extents[part].hi) << block;
      }
    }
  }
}

// A simulation's cells take twice what the nodes do, for which alone there was room.
TEST(LevelSetErrors, CellsThatNeedMoreMemoryThanThereIsAreRefused) {
  const auto many = [](double share) {
    auto field = std::make_shared<geometry::LevelSet>();
    const auto count = static_cast<std::size_t>(share * geometry::FreeMemory() / 7500);
    field->places.assign(count, 0);
    field->extents.assign(count, {-1, 1});
    Cell cell = GridCell(geometry::Sphere{11.3}, 1);
    cell.grid.field = field;
    return std::vector<Cell>{cell};
  };
  geometry::RequireRoomToSplit(many(0.5));
  geometry::RequireRoomToSplit(CellsOf(geometry::Sphere{1}));
  try {
    geometry::RequireRoomToSplit(many(1));
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    for (const char* part : {" blocks of 8 x 8 x 8 voxels of 1 m", "GB are free; use voxels of "}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST(FreeMemory, IsSomeOfWhatThereIs) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  EXPECT_GT(geometry::FreeMemory(), 1e7);
  EXPECT_LT(geometry::FreeMemory(), all);
  // Copies of files count as free.
  std::ifstream file("/proc/meminfo");
  double available = 0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:") file >> available;
  }
  EXPECT_LE(geometry::FreeMemory(), 1024 * available + 0.2 * all);
}

TEST(LevelSetErrors, GridsAreNoOperands) {
  auto grid = std::make_shared<geometry::Shape>();
  grid->operation = geometry::Operation::kGrid;
  grid->grid.field = GridCell(geometry::Sphere{5}, 1).grid.field;
  geometry::Shape shape;
  shape.operation = geometry::Operation::kUnion;
  shape.children = {grid, grid};
  ExpectRefusal([&] { geometry::ToCells(shape); }, "no operand");
}

}  // namespace
}  // namespace intervox
