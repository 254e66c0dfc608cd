// Neighbours, cut faces, overlaps and splitting of the cells of one body.
#include "geometry/neighbours.h"

#include <gtest/gtest.h>

#include "geometry/make_surface.h"
#include "geometry/solid.h"
#include "random_shapes.h"
#include "split.h"

namespace intervox::geometry {
namespace {

int Cuts(const Cell& cell) {
  int n = 0;
  for (const Surface& S : cell.surfaces) n += S.cut;
  return n;
}

std::vector<Cell> Tiles(const Shape& shape, int per_side, double size) {
  std::vector<Cell> cells = ToCells(shape);
  for (int k = 1; k < per_side; ++k) {
    const double at = size * (static_cast<double>(k) / per_side - 0.5);
    cells = SplitByPlane(cells, MakePlane({1, 0, 0}, at));
    cells = SplitByPlane(cells, MakePlane({0, 1, 0}, at));
  }
  return cells;
}

TEST(Neighbours, FloorCutIntoTiles) {
  for (const int n : {1, 2, 4, 8}) {
    const std::vector<Cell> cells = Tiles(*Leaf(Box{{1, 1, 0.1}}), n, 1.0);
    ASSERT_EQ(cells.size(), static_cast<std::size_t>(n * n));
    int cuts = 0, links = 0;
    for (const Cell& cell : cells) {
      cuts += Cuts(cell);
      links += static_cast<int>(cell.neighbours.size());
      for (const int other : cell.neighbours) {
        const auto& back = cells[static_cast<std::size_t>(other)].neighbours;
        EXPECT_EQ(std::count(back.begin(), back.end(), &cell - cells.data()), 1);
      }
    }
    EXPECT_EQ(links, 4 * n * (n - 1));  // each inner edge of the grid, from both sides
    EXPECT_EQ(cuts, links);
  }
}

// A face that lies on a larger one belongs to the surface of the whole still, and so does the
// larger one, whichever of the two cells comes first.
TEST(Neighbours, FacesOfUnlikeSizeAreNoCuts) {
  for (const double size : {0.3, 0.999, 1.0, 1.001, 3.0}) {
    std::vector<Cell> cells{ToCells(*Leaf(Box{{size, 1, 1}}, {{}, {0, 0, 0.5}}))[0],
                            ToCells(*Leaf(Box{{1, 1, 1}}, {{}, {0, 0, -0.5}}))[0]};
    LinkNeighbours(cells);
    for (const Cell& cell : cells) {
      EXPECT_EQ(cell.neighbours.size(), 1u) << size;
      EXPECT_EQ(Cuts(cell), size == 1.0 ? 1 : 0) << size;
    }
  }
}

TEST(Neighbours, TurnedSolidsAreCutToo) {
  Random random(41);
  for (int round = 0; round < 10; ++round) {
    const Pose X = random.RandomPose(1);
    std::vector<Cell> cells = ToCells(*Leaf(Cylinder{0.5, 1}, X));
    cells = SplitByPlane(cells, X * MakePlane({0, 0, 1}, 0.1));
    cells = SplitByPlane(cells, X * MakePlane({1, 0, 0}, 0.0));
    ASSERT_EQ(cells.size(), 4u);
    for (const Cell& cell : cells) {
      EXPECT_EQ(cell.neighbours.size(), 2u);
      EXPECT_EQ(Cuts(cell), 2);
    }
  }
}

TEST(Neighbours, FaceCoveredInPartIsNoCut) {
  const auto cells =
      ToCells(*Tree(Operation::kUnion, {Leaf(Box{{2, 2, 1}}), Leaf(Box{{1, 1, 1}}, At(0, 0, 1))}));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].neighbours, std::vector<int>{1});
  EXPECT_EQ(cells[1].neighbours, std::vector<int>{0});
  EXPECT_EQ(Cuts(cells[0]), 0);
  EXPECT_EQ(Cuts(cells[1]), 0);
}

TEST(Neighbours, CellsThatMeetInAnEdgeOrCornerAreNone) {
  const auto cells =
      ToCells(*Tree(Operation::kUnion,
                    {Leaf(Box{{1, 1, 1}}), Leaf(Box{{1, 1, 1}}, At(1, 1, 0)),
                     Leaf(Box{{1, 1, 1}}, At(-1, -1, -1)), Leaf(Box{{1, 1, 1}}, At(1.5, 0, 0))}));
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_TRUE(cells[0].neighbours.empty());
  EXPECT_TRUE(cells[2].neighbours.empty());
}

TEST(Neighbours, CurvedFacesBetweenCells) {
  // A pin of two materials' worth of cells: a core in a sleeve of the same length.
  const auto flush =
      ToCells(*Tree(Operation::kUnion, {Leaf(Cylinder{0.5, 1}), Leaf(Cylinder{1, 1})}));
  ASSERT_EQ(flush.size(), 2u);
  EXPECT_EQ(flush[0].neighbours, std::vector<int>{1});
  EXPECT_EQ(Cuts(flush[0]), 1);
  EXPECT_EQ(Cuts(flush[1]), 1);
  // A blind hole: the floor under it touches the ring around it, in part.
  const auto blind = ToCells(
      *Tree(Operation::kDifference, {Leaf(Box{{1, 1, 1}}), Leaf(Cylinder{0.2, 1}, At(0, 0, 0.5))}));
  ASSERT_EQ(blind.size(), 2u);
  EXPECT_EQ(blind[0].neighbours, std::vector<int>{1});
  EXPECT_EQ(Cuts(blind[0]) + Cuts(blind[1]), 0);
}

TEST(Neighbours, PinAndItsTipShareADisc) {
  const auto pin =
      ToCells(*Tree(Operation::kUnion,
                    {Leaf(Cylinder{4e-3, 0.04}), Leaf(Cone{4e-3, 2e-3, 3e-3}, At(0, 0, 0.0215))}));
  ASSERT_EQ(pin.size(), 2u);
  EXPECT_EQ(Cuts(pin[0]), 1);
  EXPECT_EQ(Cuts(pin[1]), 1);
}

TEST(Neighbours, LinkingAgainChangesNothing) {
  std::vector<Cell> cells = Tiles(*Leaf(Box{{1, 1, 0.1}}), 3, 1.0);
  const std::vector<Cell> before = cells;
  LinkNeighbours(cells);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    EXPECT_EQ(cells[k].neighbours, before[k].neighbours);
    EXPECT_EQ(Cuts(cells[k]), Cuts(before[k]));
  }
}

TEST(Overlaps, FoundOnlyWhereVolumeIsShared) {
  const auto pair = [](const ShapePtr& a, const ShapePtr& b) {
    std::vector<Cell> cells = ToCells(*a);
    for (Cell& cell : ToCells(*b)) cells.push_back(std::move(cell));
    return FindOverlap(cells);
  };
  const ShapePtr box = Leaf(Box{{1, 1, 1}});
  EXPECT_FALSE(pair(box, Leaf(Box{{1, 1, 1}}, At(1, 0, 0))));
  EXPECT_FALSE(pair(box, Leaf(Sphere{0.5}, At(0, 0, 1))));
  EXPECT_TRUE(pair(box, Leaf(Sphere{0.5}, At(0, 0, 0.9999))));
  EXPECT_TRUE(pair(box, Leaf(Box{{1, 1, 1}}, At(0.999999, 0, 0))));
  EXPECT_TRUE(pair(box, box));
  EXPECT_FALSE(
      pair(Tree(Operation::kDifference, {box, Leaf(Cylinder{0.2, 2})}), Leaf(Cylinder{0.2, 2})));
  EXPECT_EQ(*pair(Leaf(Capsule{0.2, 1}), Leaf(Box{{1, 1, 1}}, At(0, 0, 1.1))), std::pair(2, 3));
}

TEST(Split, KeepsTheSetAndTheVolume) {
  Random random(42);
  const ShapePtr part =
      Tree(Operation::kDifference,
           {Leaf(Box{{1, 1, 1}}), Leaf(Cylinder{0.3, 2}, random.RandomPose(0.1))});
  const std::vector<Cell> whole = ToCells(*part);
  std::vector<Cell> cells = whole;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = random.Direction();
    cells = SplitByPlane(cells, MakePlane(n, random.Uniform(-0.2, 0.2)));
  }
  EXPECT_GT(cells.size(), 5u);
  EXPECT_FALSE(FindOverlap(cells));
  for (int k = 0; k < 5000; ++k) {
    const Vec3 p = random.InBox(0.6);
    int in_whole = 0, in_parts = 0;
    bool close = false;
    for (const Cell& c : whole) in_whole += Contains(c, p), close |= std::abs(Level(c, p)) < 1e-9;
    for (const Cell& c : cells) in_parts += Contains(c, p), close |= std::abs(Level(c, p)) < 1e-9;
    EXPECT_TRUE(close || in_whole == in_parts);
  }
}

TEST(Split, CutFacesOfUntouchedCellsKeepTheirNames) {
  const std::vector<Cell> cells =
      SplitByPlane(ToCells(*Leaf(Box{{1, 1, 1}}, {}, "floor")), MakePlane({1, 0, 0}, 0.25));
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(cells[0].name, "floor/0-");
  EXPECT_EQ(cells[1].name, "floor/0+");
  const std::vector<Cell> same = SplitByPlane(cells, MakePlane({0, 0, 1}, 0.7));
  EXPECT_EQ(same.size(), 2u);
}

}  // namespace
}  // namespace intervox::geometry
