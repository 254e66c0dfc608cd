// Solids of many primitives: the same cells as one by one, at a cost that grows as n log n.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "geometry/box_index.h"
#include "geometry/crowd.h"
#include "geometry/decompose.h"
#include "geometry/neighbours.h"
#include "partition.h"

namespace intervox::geometry {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(BoxIndex, FindsWhatALookThroughFinds) {
  Random random(61);
  for (const double reach : {0.02, 1.0, 50.0}) {
    BoxIndex index;
    std::vector<Aabb> boxes;
    std::vector<int> near;
    for (int k = 0; k < 700; ++k) {
      const Vec3 p = random.InBox(reach);
      Vec3 h = random.InBox(0.05 * (k % 7));
      h = Abs(h);
      Aabb box{p - h, p + h};
      if (k % 50 == 3) box.upper[k % 3] = kInfinity;
      if (k % 50 == 4) box.lower = {-kInfinity, -kInfinity, -kInfinity};
      if (k % 50 == 5)
        box = {{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
      std::vector<int> expected;
      for (std::size_t b = 0; b < boxes.size(); ++b) {
        if (Overlap(boxes[b], box)) expected.push_back(static_cast<int>(b));
      }
      index.Find(box, &near);
      ASSERT_EQ(near, expected) << k;
      boxes.push_back(box);
      index.Add(box);
    }
  }
}

/** Boxes side by side, or apart, in a square of n rows. */
Shape Tiles(int n, double size) {
  Shape tiles;
  tiles.operation = Operation::kUnion;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      tiles.children.push_back(Leaf(Box{{size, size, 0.5}}, At(i, j, 0)));
    }
  }
  return tiles;
}

/** A plate with n rows of n holes, square or round. */
Shape Plate(int n, bool round) {
  Shape plate;
  plate.operation = Operation::kDifference;
  plate.children.push_back(Leaf(Box{{1.0 * n, 1.0 * n, 0.5}}, At(0.5 * (n - 1), 0.5 * (n - 1), 0)));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      plate.children.push_back(round ? Leaf(Cylinder{0.3, 2}, At(i, j, 0))
                                     : Leaf(Box{{0.4, 0.4, 2}}, At(i, j, 0)));
    }
  }
  return plate;
}

// Four times the primitives take about four times the work.
TEST(ManyPrimitives, CostNLogN) {
  for (const auto& [name, make] :
       {std::pair<std::string, Shape (*)(int)>{"apart", [](int n) { return Tiles(n, 0.8); }},
        {"side by side", [](int n) { return Tiles(n, 1.0); }},
        {"overlapping", [](int n) { return Tiles(n, 1.01); }},
        {"round holes", [](int n) { return Plate(n, true); }},
        {"square holes", [](int n) { return Plate(n, false); }}}) {
    Effort few, many;
    const std::size_t cells = ToCells(make(8), &few).size();
    const std::vector<Cell> more = ToCells(make(16), &many);
    EXPECT_LE(more.size(), 5 * cells) << name;
    EXPECT_LE(many.cuts, 5 * few.cuts) << name;
    EXPECT_LE(many.searches, 5 * few.searches) << name;
    EXPECT_LE(many.surfaces, 5 * few.surfaces) << name;
  }
}

// More holes than are cut before the plate is shared out: none is lost, and the parts are linked.
TEST(ManyPrimitives, APlateWithMoreHolesThanOneCellTakesIsSharedOut) {
  const int n = 33;
  const Shape plate = Plate(n, false);
  ASSERT_GT(plate.children.size(), kMostTools + 1);
  const std::vector<Cell> cells = ToCells(plate);
  double volume = 0;
  for (const Cell& cell : cells) {
    volume += 8 * cell.bounds.half.x * cell.bounds.half.y * cell.bounds.half.z;
    EXPECT_FALSE(cell.neighbours.empty());
  }
  EXPECT_NEAR(volume, 0.5 * n * n * (1 - 0.16), 1e-9 * n * n);
  EXPECT_FALSE(FindOverlap(cells));
  // All of it hangs together.
  std::vector<int> reached{0};
  std::vector<bool> seen(cells.size());
  seen[0] = true;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const int b : cells[static_cast<std::size_t>(reached[k])].neighbours) {
      if (!seen[static_cast<std::size_t>(b)]) reached.push_back(b);
      seen[static_cast<std::size_t>(b)] = true;
    }
  }
  EXPECT_EQ(reached.size(), cells.size());
}

}  // namespace
}  // namespace intervox::geometry
