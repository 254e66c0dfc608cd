/** @file Rounded solids of revolution on a plane: slices across the axis against closed forms,
 columns, and the gradient of V. */
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "cuda/rules/slice/disc.h"
#include "geometry/neighbours.h"
#include "tests/cuda/families.h"
#include "tests/cuda/on_a_floor.h"

namespace intervox {
namespace {

using testing::CellsOf;
using testing::LowestPoint;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;
constexpr double kQuarter = 0.41421356237309503;  // bulge of a quarter of a circle

/** A cup: its foot rounded outside and within, of about the size 1. */
geometry::Revolve RandomCup(Random* random) {
  const double height = random->LogUniform(0.2, 1.0), wall = random->Uniform(0.02, 0.1);
  const double outside = random->LogUniform(0.01, 0.15), within = random->LogUniform(0.01, 0.1);
  // The rounding's circle stays clear of the axis.
  const double flat = 2 * within + wall + random->LogUniform(0.01, 0.5);
  const double radius = outside + std::fmax(flat, 1.1 * outside);
  const double inner = radius - wall, floor = random->Uniform(0.02, 0.1);
  return {{{0.0, 0.0, 0.0},
           {radius - outside, 0.0, kQuarter},
           {radius, outside, 0.0},
           {radius, height, 0.0},
           {inner, height, 0.0},
           {inner, floor + within, -kQuarter},
           {inner - within, floor, 0.0},
           {0.0, floor, 0.0}}};
}

/** A pin with a round collar and a round groove. */
geometry::Revolve RandomPin(Random* random) {
  const double collar = random->LogUniform(0.01, 0.15), groove = random->LogUniform(0.01, 0.1);
  const double r = random->Uniform(0.3, 0.5);
  return {{{0.0, 0.0, 0.0},
           {r, 0.0, random->Uniform(0.4, 1.0)},
           {r, 2 * collar, 0.0},
           {r, 2 * collar + 0.1, -random->Uniform(0.4, 1.0)},
           {r, 2 * collar + 0.1 + 2 * groove, 0.0},
           {random->Uniform(0.3, 1.0) * r, 2 * collar + 0.3 + 2 * groove, 0.0},
           {0.0, 2 * collar + 0.3 + 2 * groove, 0.0}}};
}

std::vector<geometry::Cell> RandomPart(Random* random) {
  return random->Uniform(0, 1) < 0.5 ? CellsOf(RandomCup(random)) : CellsOf(RandomPin(random));
}

bool HasTorus(const geometry::Cell& cell) {
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.kind == geometry::SurfaceKind::kTorus) return true;
  }
  return false;
}

TEST(SliceRevolved, FootOnAFloorIsAClosedForm) {
  const double r = 0.34, a = 0.06;
  const geometry::Revolve foot{
      {{0.0, 0.0, 0.0}, {r, 0.0, kQuarter}, {r + a, a, 0.0}, {r + a, 0.9, 0.0}, {0.0, 0.9, 0.0}}};
  const std::vector<geometry::Cell> cells = CellsOf(foot);
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  for (double depth = a; depth > 1e-12; depth *= 0.1) {
    double v = 0.0, first = 0.0;
    Vec3 S;
    for (const geometry::Cell& cell : cells) {
      PairQuery query{&cell, &floor, {Mat3::Identity(), {0.1, 0.2, -depth}}, {}};
      query.tolerance = 1e-6;
      const InterferenceMetrics m = ComputeMetrics(query);
      // Of columns there are thousands. They are asked where positions round by 1e-6 of the depth.
      EXPECT_TRUE(m.work < 100 || depth < 1e-10) << depth;
      v += m.volume;
      first += m.volume * m.p_WC.z;
      S += m.area_vector;
    }
    // r(z) = r + w with w² = a² − (a − z)²: ∫ (r² + 2 r w + w²) dz.
    const double angle = 2 * std::asin(std::sqrt(0.5 * depth / a));
    const double w = a * (angle - std::sin(angle) * std::cos(angle)) / 2 * a;  // ∫ w dz
    const double exact =
        kPi * (r * r * depth + 2 * r * w + a * depth * depth - depth * depth * depth / 3);
    // Positions round to 1e-17 m.
    EXPECT_NEAR(v / exact, 1, 1e-6 + 5e-17 / depth) << depth;
    const double radius = r + std::sqrt(depth * (2 * a - depth));
    EXPECT_NEAR(S.z / (kPi * radius * radius), 1, 1e-6) << depth;
    EXPECT_LT(first / v, -0.45 * depth);
    EXPECT_GT(first / v, -0.55 * depth);
  }
}

// Arcs of nearly half a circle: a chord's length tells half of the digits there.
TEST(SliceRevolved, HalfDiscsKeepTheirDigits) {
  using cuda::internal::slice::DiscLine;
  Random random(85);
  for (int i = 0; i < 200; ++i) {
    const double r = random.LogUniform(1e-3, 10), turn = random.Uniform(0, 2 * kPi);
    const double depth = r * random.LogUniform(1e-9, 1.0), chord = r - depth;
    // What a diameter and a parallel chord leave, turned at random.
    const cuda::internal::slice::Plane2 e{std::cos(turn), std::sin(turn)}, n{-e.z, e.x};
    DiscLine lines[2];
    lines[0].along = e;
    lines[0].depth = lines[0].rest = lines[0].half = r;
    lines[1].along = -1.0 * e;
    lines[1].foot = chord * n;
    lines[1].depth = 2 * r - depth;
    lines[1].rest = depth;
    lines[1].half = std::sqrt(depth * (2 * r - depth));
    const auto figure = cuda::internal::slice::FigureOf(r, lines, 2);
    const double angle = std::atan2(chord, lines[1].half);  // ∫ 2 √(r² − y²) dy from 0 to the chord
    const double area = r * r * angle + chord * lines[1].half;
    EXPECT_EQ(figure.lost, 0.0);
    EXPECT_NEAR(figure.moments.a, area, 4e-15 * r * r) << i;
  }
}

/** A plane that contains the z axis. */
geometry::Surface PlaneThroughAxis(double azimuth) {
  geometry::Surface plane;
  const Vec3 n{std::cos(azimuth), std::sin(azimuth), 0.0}, z{0.0, 0.0, 1.0};
  plane.R = Mat3::FromColumns(z, Cross(n, z), n);
  return plane;
}

/** The parts of a cell between one or two planes through its axis. */
std::vector<geometry::Cell> RandomSectors(const geometry::Cell& cell, Random* random) {
  const double first = random->Uniform(0, 2 * kPi), apart = random->Uniform(0.05, 3.0);
  std::vector<geometry::Cell> sectors;
  for (const geometry::Cell& half : geometry::Halves(cell, PlaneThroughAxis(first))) {
    if (random->Uniform(0, 1) < 0.3) {
      sectors.push_back(half);
      continue;
    }
    for (geometry::Cell& part : geometry::Halves(half, PlaneThroughAxis(first + apart)))
      sectors.push_back(std::move(part));
  }
  return sectors;
}

// The whole cell is sliced without sectors.
TEST(SliceRevolved, SectorsAddUpToTheWhole) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(83);
  int compared = 0;
  for (int i = 0; i < 14; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Mat3 R = i % 5 == 0 ? Mat3::Identity() : random.Rotation();
    const double top = LowestPoint(cells, R, floor), depth = random.LogUniform(1e-7, 1.0);
    const Pose X = random.RandomPose(1.0);
    for (const geometry::Cell& cell : cells) {
      const auto ask = [&](const geometry::Cell& part) {
        PairQuery query{&part, &floor, X * Pose{R, {0, 0, top - depth}}, X};
        query.tolerance = 1e-9;
        query.rule = LeafRule::kSlice;
        return ComputeMetrics(query);
      };
      const InterferenceMetrics whole = ask(cell);
      if (whole.status != Status::kOk || !(whole.volume > 0)) continue;
      InterferenceMetrics sum;
      double error = whole.volume_error;
      Vec3 first;
      bool all = true;
      const std::vector<geometry::Cell> sectors = RandomSectors(cell, &random);
      for (const geometry::Cell& sector : sectors) {
        const InterferenceMetrics m = ask(sector);
        all = all && (m.status == Status::kOk || m.status == Status::kDisjoint);
        sum.volume += m.volume;
        first += m.volume * m.p_WC;
        sum.area_vector += m.area_vector;
        sum.area_moment += m.area_moment + Cross(m.p_WC - whole.p_WC, m.area_vector);
        error += m.volume_error;
      }
      if (!all) continue;
      ++compared;
      EXPECT_LT(std::fabs(sum.volume - whole.volume), error + 1e-9 * whole.volume)
          << i << ' ' << sectors.size();
      const double size = std::cbrt(whole.volume);
      EXPECT_LT(Norm(first / sum.volume - whole.p_WC), 1e-6 * size) << i;
      const double area = std::fmax(Norm(whole.area_vector), size * size);
      EXPECT_LT(Norm(sum.area_vector - whole.area_vector), 1e-6 * area) << i;
      EXPECT_LT(Norm(sum.area_moment - whole.area_moment), 1e-6 * area) << i;
    }
  }
  EXPECT_GT(compared, 25);
}

// Some faces, those of the sectors among them, are cuts, which count nothing in S and G. Of parts
// that stand on the floor walls run along the columns, or lean by hardly more than rounding.
TEST(SliceRevolved, SectorsAgreeWithColumns) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(84);
  int compared = 0, refused = 0;
  for (int i = 0; i < 24; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Vec3 turn = (i % 4 == 0 ? 0.0 : random.LogUniform(1e-12, 0.1)) * random.Direction();
    const Mat3 R = i % 4 < 2 ? ToRotation(Normalized(Quaternion{1.0, turn.x, turn.y, turn.z}))
                             : random.Rotation();
    const double top = LowestPoint(cells, R, floor), depth = random.LogUniform(1e-8, 1.0);
    const Pose X = random.RandomPose(1.0);
    for (const geometry::Cell& whole : cells) {
      for (geometry::Cell& cell : RandomSectors(whole, &random)) {
        for (geometry::Surface& s : cell.surfaces) s.cut = random.Uniform(0, 1) < 0.3;
        PairQuery query{&cell, &floor, X * Pose{R, {0, 0, top - depth}}, X};
        query.tolerance = 1e-6;
        const auto [both, column, m] = testing::AskBoth(query, &refused);
        if (!both) continue;
        ++compared;
        SCOPED_TRACE(::testing::Message() << i);
        EXPECT_LT(std::fabs(m.volume - column.volume),
                  2e-6 * column.volume + column.volume_error + m.volume_error);
        testing::ExpectSameMoments(column, m, {1e-4, 1e-4, 1e-4, 1e-4});
      }
    }
  }
  EXPECT_GT(compared, 30);
  EXPECT_LT(refused, compared / 5);
}

/** What a tube has outside of a cylinder through it. */
geometry::Cell RandomBead(Random* random) {
  const double tube = random->LogUniform(0.005, 0.1);
  const double radius = 0.5 + tube * random->Uniform(-0.9, 0.9);
  return geometry::MakeCell({geometry::MakeTorus(0.5, tube, {Mat3::Identity(), {0, 0, tube}}),
                             geometry::Complement(geometry::MakeCylinder(radius))},
                            "bead");
}

/** A ring of triangular section: a cylinder within, two cones outside. */
geometry::Cell RandomRidge(Random* random) {
  const double radius = 0.4, slope = random->LogUniform(0.3, 3.0);
  const double low = radius / slope, high = random->Uniform(0.05, 0.4) / slope;
  const Mat3 turned = Mat3::FromColumns({1, 0, 0}, {0, -1, 0}, {0, 0, -1});
  return geometry::MakeCell({geometry::Complement(geometry::MakeCylinder(radius)),
                             geometry::MakeCone(slope, low, {Mat3::Identity(), {0, 0, -low}}),
                             geometry::MakeCone(slope, low, {turned, {0, 0, low + high}})},
                            "ridge");
}

// Slivers of the floor beside a tube, and walls that run along the columns, or nearly so. Beside
// one that leans by 1e-8 columns run out: S is good to 2e-3 there, and lacks no face. A wall of 2
// um leans so little over its height that no column ends on it.
TEST(SliceRevolved, FacesOfColumnsAreWhole) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(85);
  int compared = 0, refused = 0;
  for (int i = 0; i < 70; ++i) {
    const bool bead = i % 2 == 0;
    const geometry::Cell whole = bead ? RandomBead(&random) : RandomRidge(&random);
    const Vec3 turn = (i % 6 == 1 ? 0.0 : random.LogUniform(1e-12, 1e-6)) * random.Direction();
    const Mat3 R =
        bead ? random.Rotation() : ToRotation(Normalized(Quaternion{1.0, turn.x, turn.y, turn.z}));
    const double depth = random.LogUniform(bead ? 1e-3 : 1e-8, bead ? 0.5 : 0.1);
    const double top = LowestPoint(std::vector{whole}, R, floor);
    for (geometry::Cell& cell : RandomSectors(whole, &random)) {
      for (geometry::Surface& s : cell.surfaces) s.cut = random.Uniform(0, 1) < 0.5;
      PairQuery query{&cell, &floor, {R, {0, 0, top - depth}}, {}};
      query.tolerance = 1e-6;
      const auto [both, column, m] = testing::AskBoth(query, &refused);
      if (!both) continue;
      ++compared;
      SCOPED_TRACE(::testing::Message() << i << ' ' << depth);
      testing::ExpectSameMoments(column, m, {1e-2, 5e-3, 5e-3, 1e-3});
    }
  }
  EXPECT_GT(compared, 150);
  EXPECT_LT(refused, compared / 5);
}

// Columns look at a wall from a little within, where an overlap as thin as this is hardly there.
TEST(SliceRevolved, WallsOfThinOverlapsAreWhole) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(86);
  int compared = 0, refused = 0;
  for (int i = 0; i < 10; ++i) {
    const geometry::Cell whole = RandomRidge(&random);
    const double top = LowestPoint(std::vector{whole}, Mat3::Identity(), floor);
    const double depth = random.LogUniform(1e-8, 1e-6);
    for (geometry::Cell& cell : RandomSectors(whole, &random)) {
      for (geometry::Surface& s : cell.surfaces) s.cut = s.kind != geometry::SurfaceKind::kPlane;
      PairQuery query{&cell, &floor, {Mat3::Identity(), {0, 0, top - depth}}, {}};
      query.tolerance = 1e-6;
      const auto [both, column, m] = testing::AskBoth(query, &refused);
      if (!both) continue;
      ++compared;
      SCOPED_TRACE(::testing::Message() << i << ' ' << depth);
      testing::ExpectSameMoments(column, m, {INFINITY, 2e-5, 2e-5, INFINITY});
    }
  }
  EXPECT_GT(compared, 15);
}

// The floor cuts off a corner between the tube and a cone through it, between two looks of columns.
TEST(SliceRevolved, ASliverOfTheFloorBesideATubeCounts) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  const double tube = 0.036826022565140129, low = 1.2419423668887888;
  const double slope = std::sqrt(0.15116883616604274 / 0.88107654512648992);
  geometry::Surface cone =
      geometry::Complement(geometry::MakeCone(slope, low, {Mat3::Identity(), {0.0, 0.0, -low}}));
  cone.cut = true;
  const geometry::Cell cell = geometry::MakeCell(
      {geometry::MakeTorus(0.49285718748067325, tube, {Mat3::Identity(), {0.0, 0.0, tube}}), cone,
       geometry::MakePlane({0.6551708451553393, -0.75548075002506743, 0.0}, 0.0)},
      "bead");
  const Mat3 R = {{-0.0057321310970765982, -0.1443353685516035, 0.98951222532021232},
                  {0.19176789160266994, -0.97132119208645218, -0.14057104095090067},
                  {0.98142356728547775, 0.18895090152954008, 0.033246629721243703}};
  PairQuery query{&cell, &floor, {R, {0.0, 0.0, 0.39718453310499591}}, {}};
  query.tolerance = 1e-6;
  int refused = 0;
  const auto [both, column, m] = testing::AskBoth(query, &refused);
  ASSERT_TRUE(both);
  testing::ExpectSameMoments(column, m, {1e-5, 1e-5, 1e-5, 1e-5});
}

// Some faces are cuts, which count nothing in S and G.
TEST(SliceRevolved, CellsAgreeWithColumns) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(81);
  int compared = 0, refused = 0;
  for (int i = 0; i < 40; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Mat3 R = i % 5 == 0 ? Mat3::Identity() : random.Rotation();
    const double top = LowestPoint(cells, R, floor);
    const double depth = random.LogUniform(1e-6, 1.0);
    const Pose X = random.RandomPose(1.0);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (!HasTorus(cells[c])) continue;
      geometry::Cell cell = cells[c];
      for (geometry::Surface& s : cell.surfaces) s.cut = random.Uniform(0, 1) < 0.3;
      PairQuery query{&cell, &floor, X * Pose{R, {0, 0, top - depth}}, X};
      query.tolerance = 1e-6;
      const auto [both, column, m] = testing::AskBoth(query, &refused);
      if (!both) continue;
      ++compared;
      EXPECT_LT(std::fabs(m.volume - column.volume),
                2e-6 * column.volume + column.volume_error + m.volume_error)
          << i << ' ' << c;
      SCOPED_TRACE(::testing::Message() << i << ' ' << c);
      testing::ExpectSameMoments(m, column, {1e-4, 1e-4, 1e-4, 1e-4});
    }
  }
  EXPECT_GT(compared, 50);
  EXPECT_LT(refused, compared / 5);
}

// Faces between the cells of one part count nothing, whatever their walls weigh.
TEST(SliceRevolved, AreaVectorOfAPartIsTheGradientOfV) {
  const geometry::Cell floor = CellsOf(geometry::HalfSpace{})[0];
  Random random(82);
  for (int i = 0; i < 20; ++i) {
    const std::vector<geometry::Cell> cells = RandomPart(&random);
    const Mat3 R = i % 5 == 0 ? Mat3::Identity() : random.Rotation();
    const double top = LowestPoint(cells, R, floor), depth = random.LogUniform(1e-3, 0.3);
    const auto sum = [&](double z, Vec3* S) {
      double v = 0.0;
      for (const geometry::Cell& cell : cells) {
        PairQuery query{&cell, &floor, {R, {0, 0, z}}, {}};
        query.tolerance = 1e-9;
        const InterferenceMetrics m = ComputeMetrics(query);
        v += m.volume;
        *S += m.area_vector;
      }
      return v;
    };
    Vec3 S, unused;
    sum(top - depth, &S);
    const double step = 1e-4 * depth;
    const double slope =
        (sum(top - depth + step, &unused) - sum(top - depth - step, &unused)) / (2 * step);
    EXPECT_NEAR(-slope / Norm(S), 1, 1e-4) << i;
    EXPECT_LT(std::hypot(S.x, S.y), 1e-5 * S.z) << i;
  }
}

}  // namespace
}  // namespace intervox
