// Pegs in holes as the engine takes them, without a polytope around the overlap, against the same
// pairs prepared like any other, which a query that names its rule is.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "geometry/hollows.h"
#include "tests/cuda/families.h"
#include "tests/samples.h"

namespace intervox {
namespace {

using geometry::Leaf;
using geometry::Operation;
using testing::Cell;
using testing::Frobenius;
using testing::Random;

enum class Kind { kPin, kTaper, kBall, kPinInSectors, kTaperInSectors };

/** The cells of a hole and of its peg. */
struct Seat {
  std::vector<Cell> hole, peg;
  double radius = 0, length = 0, reach = 0;  // of the hole; how far the peg reaches along it
};

// Radii, lengths and clearances vary by a hundred either way.
Seat RandomSeat(Kind kind, Random* random) {
  Seat seat;
  const double R = 0.01 * random->LogUniform(0.01, 100),
               r = R * (1 - 1e-3 * random->LogUniform(0.01, 100));
  const double length = 4 * R * random->LogUniform(0.02, 25), slope = random->Uniform(0.05, 0.2);
  const bool taper = kind == Kind::kTaper || kind == Kind::kTaperInSectors;
  const double widest = taper ? R + slope * length : R;
  const auto block = Leaf(geometry::Box{{5 * widest, 5 * widest, length}});
  const auto drill =
      taper ? Leaf(geometry::Cone{R, widest, length}) : Leaf(geometry::Cylinder{R, 2 * length});
  seat.hole = geometry::ToCells(*geometry::Tree(Operation::kDifference, {block, drill}));
  if (kind == Kind::kPinInSectors || kind == Kind::kTaperInSectors) {
    seat.hole = geometry::SplitHollows(seat.hole);
  }
  seat.radius = R;
  seat.length = length;
  seat.reach = 0.5 * length * random->Uniform(0.3, 3);
  if (taper) {
    seat.reach = 0.4 * length;
    const double bottom = r + 0.1 * slope * length;
    seat.peg =
        testing::CellsOf(geometry::Cone{bottom, bottom + 0.8 * slope * length, 0.8 * length});
  } else if (kind == Kind::kBall) {
    seat.reach = 0;
    seat.peg = testing::CellsOf(geometry::Ellipsoid{{r, r, r * random->Uniform(0.5, 2)}});
  } else {
    seat.peg = testing::CellsOf(geometry::Cylinder{r, 2 * seat.reach});
  }
  return seat;
}

// The peg tilted by 1e-8 to 0.1 and moved sideways until it overlaps by about 1e-8 to 0.1 radii.
Pose RandomPlace(const Seat& seat, Kind kind, Random* random) {
  const double tilt = random->LogUniform(1e-8, 0.1),
               depth = seat.radius * random->LogUniform(1e-8, 0.1);
  const double turn = random->Uniform(0, 6.28), toward = random->Uniform(0, 6.28);
  const bool slides = kind == Kind::kPin || kind == Kind::kPinInSectors;
  const double up = slides ? random->Uniform(-0.5, 0.5) * seat.length : 0;
  Pose X{testing::Turned(tilt * Vec3{std::cos(turn), std::sin(turn), 0}, {}), {0, 0, up}};
  const Vec3 way{std::cos(toward), std::sin(toward), 0};
  const auto touches = [&](double s) {
    const Pose moved{X.R, X.p + s * way};
    for (const Cell& cell : seat.hole) {
      PairQuery query{seat.peg.data(), &cell, moved, {}};
      if (ComputeMetrics(query).status != Status::kDisjoint) return true;
    }
    return false;
  };
  double free = 0, deep = seat.radius;
  for (int i = 0; i < 25 && !touches(free); ++i) {
    const double middle = 0.5 * (free + deep);
    (touches(middle) ? deep : free) = middle;
  }
  X.p += (free + depth) * way;
  return X;
}

class PegPair : public ::testing::TestWithParam<Kind> {};

TEST_P(PegPair, AgreesWithThePreparedPair) {
  Random random(31);
  int taken = 0;
  for (int i = 0; i < 40; ++i) {
    const Seat seat = RandomSeat(GetParam(), &random);
    const Pose X_HP = RandomPlace(seat, GetParam(), &random), X = random.RandomPose(1);
    for (const Cell& cell : seat.hole) {
      PairQuery query{seat.peg.data(), &cell, X * X_HP, X};
      if (i % 2 != 0) {
        std::swap(query.a, query.b);
        std::swap(query.X_WA, query.X_WB);
      }
      const InterferenceMetrics coarse = ComputeMetrics(query);
      query.tolerance = 1e-8;
      const InterferenceMetrics own = ComputeMetrics(query);
      query.rule = LeafRule::kFlux;
      const InterferenceMetrics prepared = ComputeMetrics(query);
      if (own.rule != LeafRule::kFlux || own.status != Status::kOk ||
          prepared.status != Status::kOk || coarse.rule != LeafRule::kFlux) {
        continue;
      }
      ++taken;
      const double v = prepared.volume, noise = own.volume_error + prepared.volume_error;
      EXPECT_NEAR(own.volume, v, noise) << i;
      EXPECT_NEAR(coarse.volume, v, coarse.volume_error + noise) << i;
      // A tenth of the tolerance.
      EXPECT_NEAR(coarse.volume, v, 1e-4 * v) << i;
      EXPECT_EQ(own.contained, prepared.contained) << i;
      const double radius = std::sqrt(Frobenius(prepared.J_W) / v);
      EXPECT_LT(Norm(own.p_WC - prepared.p_WC), 1e-6 * radius) << i;
      EXPECT_LT(Norm(coarse.p_WC - prepared.p_WC), 3e-4 * radius) << i;
      EXPECT_LT(Frobenius(own.J_W - prepared.J_W), 1e-5 * Frobenius(prepared.J_W)) << i;
      EXPECT_LT(Frobenius(coarse.J_W - prepared.J_W), 1e-3 * Frobenius(prepared.J_W)) << i;
      const double wall = seat.radius * radius;
      EXPECT_LT(Norm(own.area_vector - prepared.area_vector), 1e-6 * wall) << i;
      EXPECT_LT(Norm(own.area_moment - prepared.area_moment), 1e-6 * wall * seat.length) << i;
    }
  }
  EXPECT_GT(taken, 10);
}

INSTANTIATE_TEST_SUITE_P(All, PegPair,
                         ::testing::Values(Kind::kPin, Kind::kTaper, Kind::kBall,
                                           Kind::kPinInSectors, Kind::kTaperInSectors));

// The same pair by columns over its sections, which knows no hole.
void ExpectAsByColumns(PairQuery query, double tolerance) {
  const InterferenceMetrics own = ComputeMetrics(query);
  query.rule = LeafRule::kColumn;
  query.tolerance = 1e-6;
  const InterferenceMetrics other = ComputeMetrics(query);
  ASSERT_GT(other.volume, 0);
  EXPECT_NEAR(own.volume / other.volume, 1, tolerance);
  const double area = Norm(other.area_vector);
  EXPECT_LT(Norm(own.area_vector - other.area_vector), tolerance * area);
  EXPECT_LT(Norm(own.area_moment - other.area_moment), tolerance * area);
}

TEST(PegPairPlanes, FlushEndsBelongToBoth) {
  const auto hole = testing::HoledBoxCells({1, 1, 0.5}, 0.25);
  for (const double shift : {0.125, -0.125}) {  // an end of the peg lies in the block's face
    const auto peg = testing::CellsOf(geometry::Cylinder{0.249, 0.25});
    PairQuery query{peg.data(), hole.data(), {Mat3::Identity(), {3e-3, 1e-3, shift}}, {}};
    ExpectAsByColumns(query, 1e-4);
    // Of the two ends, of the area V/h each, the peg's own counts half and the flush one nothing.
    const InterferenceMetrics m = ComputeMetrics(query);
    EXPECT_NEAR(std::fabs(m.area_vector.z), 0.5 * m.volume / 0.25, 1e-6 * m.volume);
    query.X_WA.R = testing::Turned({1e-3, -2e-3, 0}, {});
    ExpectAsByColumns(query, 1e-4);
  }
}

TEST(PegPairPlanes, WhatCutsTheHoleOpenCounts) {
  // A hole so wide that faces of its block cut it: what is left of the wall is four corners, or the
  // peg is pressed against a mouth that leans.
  const Mat3 tilt = testing::Turned({2e-3, -1e-3, 0}, {});
  const auto peg = testing::CellsOf(geometry::Cylinder{0.2495, 0.7});
  const auto open = geometry::SplitHollows(testing::HoledBoxCells({0.48, 0.48, 0.5}, 0.25));
  int touched = 0;
  for (const Cell& cell : open) {
    const PairQuery query{peg.data(), &cell, {tilt, {1e-3, 5e-4, 0.02}}, {}};
    if (ComputeMetrics(query).status == Status::kDisjoint) continue;
    ++touched;
    ExpectAsByColumns(query, 1e-4);
  }
  EXPECT_GT(touched, 0);
}

}  // namespace
}  // namespace intervox
