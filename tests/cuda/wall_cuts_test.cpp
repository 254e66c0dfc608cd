// A peg that hangs free in its hole is disjoint at once, and none that touches is.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/proved_apart.h"
#include "cuda/wall/wall_clearance.h"
#include "geometry/grow.h"
#include "geometry/hollows.h"
#include "geometry/make_surface.h"
#include "geometry/neighbours.h"
#include "geometry/shape.h"
#include "geometry/solid.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Cell;

Cell OneCell(geometry::Shape shape) { return geometry::ToCells(shape).front(); }

geometry::ShapePtr Leaf(geometry::Primitive primitive, Vec3 position = {}) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->primitive = std::move(primitive);
  shape->X.p = position;
  return shape;
}

Cell Block(geometry::Primitive hole) {
  geometry::Shape shape;
  shape.operation = geometry::Operation::kDifference;
  shape.children = {Leaf(geometry::Box{{0.1, 0.1, 0.04}}), Leaf(std::move(hole))};
  return OneCell(std::move(shape));
}

struct Peg {
  Cell cell;
  double bottom, top;  // radii at −30 and 30 mm
};

std::vector<Peg> Pegs() {
  return {{OneCell(*Leaf(geometry::Cylinder{0.0095, 0.06})), 0.0095, 0.0095},
          {OneCell(*Leaf(geometry::Cone{0.006, 0.0099, 0.06})), 0.006, 0.0099}};
}

// Whether some of the points on the peg's side lie in the cell: then they overlap.
bool SideReachesInto(const Peg& peg, const Pose& X_BA, const Cell& cell) {
  constexpr int kAround = 180, kAlong = 24;
  for (int i = 0; i <= kAlong; ++i) {
    const double share = static_cast<double>(i) / kAlong;
    const double z = 0.06 * share - 0.03, r = peg.bottom + share * (peg.top - peg.bottom);
    for (int k = 0; k < kAround; ++k) {
      const double turn = 2 * M_PI * k / kAround;
      const Vec3 p = X_BA * Vec3{r * std::cos(turn), r * std::sin(turn), z};
      if (geometry::Level(cell, p) < -1e-12) return true;
    }
  }
  return false;
}

// Compares what planes and bounds alone show with points on the peg's side.
void CheckWhoTouches(const std::vector<Cell>& holes, double away, double shown_share) {
  const std::vector<Peg> pegs = Pegs();
  testing::Random random(11);
  int free = 0, shown = 0, touching = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const Peg& peg = pegs[i % 2];
    PairQuery query{&peg.cell, &holes[i / 2 % holes.size()], {}, {}};
    query.X_WA.p = away * random.Uniform(0, 1) * random.Direction();
    query.X_WA.R = testing::Turned(0.03 * random.Uniform(0, 1) * random.Direction(), {});
    const bool disjoint = ProvedApart(query);
    if (SideReachesInto(peg, query.X_WA, *query.b)) {
      ++touching;
      EXPECT_FALSE(disjoint) << i;
    } else {
      ++free;
      shown += disjoint;
    }
  }
  EXPECT_GT(free, 200);
  EXPECT_GT(touching, 200);
  EXPECT_GT(shown, shown_share * free);
}

TEST(WallCuts, ShowWhichPegsAreFreeInTheirHoles) {
  CheckWhoTouches(
      {Block(geometry::Cylinder{0.01, 0.06}), Block(geometry::Cone{0.0095, 0.0115, 0.06})}, 0.001,
      0.9);
}

// A peg that leans on one wall of its hole is free of the sectors opposite, also where their planes
// do not contain the hole's axis: those of grown cells, or of any other cut.
TEST(WallCuts, ShowWhichSectorsPegsAreFreeOf) {
  std::vector<Cell> sectors;
  for (const geometry::Primitive& hole :
       {geometry::Primitive{geometry::Cylinder{0.01, 0.06}},
        geometry::Primitive{geometry::Cone{0.0095, 0.0115, 0.06}}}) {
    for (const Cell& sector : geometry::SplitHollows({Block(hole)})) {
      sectors.push_back(sector);
      sectors.push_back(*geometry::Grow(sector, 5e-5));
    }
    for (const Cell& part :
         geometry::Halves(Block(hole), geometry::MakePlane({0.6, 0.8, 0}, 0.004)))
      sectors.push_back(part);
  }
  ASSERT_EQ(sectors.size(), 20U);
  CheckWhoTouches(sectors, 0.0015, 0.9);
}

// A peg may move by its clearance in any direction, with a turn as well, and often not by much
// more.
TEST(WallCuts, TellHowFarAFreePegMayMove) {
  std::vector<Cell> holes;
  for (const geometry::Primitive& hole :
       {geometry::Primitive{geometry::Cylinder{0.01, 0.06}},
        geometry::Primitive{geometry::Cone{0.0095, 0.0115, 0.06}}}) {
    holes.push_back(Block(hole));
    for (const Cell& sector : geometry::SplitHollows({Block(hole)})) holes.push_back(sector);
  }
  const std::vector<Peg> pegs = Pegs();
  testing::Random random(5);
  int free = 0, sharp = 0;
  for (std::size_t i = 0; i < 600; ++i) {
    const Peg& peg = pegs[i % 2];
    PairQuery query{&peg.cell, &holes[i / 2 % holes.size()], {}, {}};
    query.X_WA.p = 0.001 * random.Uniform(0, 1) * random.Direction();
    query.X_WA.R = testing::Turned(0.02 * random.Uniform(0, 1) * random.Direction(), {});
    const double clearance = WallClearance(query);
    EXPECT_NEAR(clearance, WallClearance({query.b, query.a, query.X_WB, query.X_WA}), 1e-12);
    if (clearance == 0.0) continue;
    EXPECT_FALSE(SideReachesInto(peg, query.X_WA, *query.b)) << i;
    ++free;
    bool beyond = false;
    for (int k = 0; k < 12; ++k) {
      const Vec3 way = random.Direction();
      // Half of the way by a turn about the peg's centre, whose farthest points are 0.0317 m away.
      const double turn = k % 2 == 0 ? 0.0 : 0.5;
      Pose X = query.X_WA;
      X.p += (1 - turn) * clearance * way;
      X.R = testing::Turned(turn * clearance / 0.0317 * random.Direction(), {}) * X.R;
      EXPECT_FALSE(SideReachesInto(peg, X, *query.b)) << i << ' ' << k;
      X.p = query.X_WA.p + 1.3 * clearance * Normalized(Vec3{way.x, way.y, 0});
      beyond = beyond || SideReachesInto(peg, X, *query.b);
    }
    sharp += beyond;
  }
  EXPECT_GT(free, 200);
  EXPECT_GT(sharp, free / 3);
}

TEST(WallCuts, TellNothingOfCellsWithoutAHole) {
  const Cell peg = Pegs()[0].cell;
  PairQuery query{&peg, &peg, {}, {}};
  query.X_WA.p = {0.019, 0.003, 0};
  EXPECT_EQ(WallClearance(query), 0.0);
}

}  // namespace
}  // namespace intervox
