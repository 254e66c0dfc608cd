/** @file The flux rule's columns between a hole's wall and a peg, against a closed form, against
 the boundary integrals that they stand in for, and at the border of what they take. */
#include <gtest/gtest.h>

#include "tests/cuda/flux_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::Surface;

constexpr Vec3 kX{1, 0, 0}, kZ{0, 0, 1};

RuleResult Columns(const FluxPair& pair, Moments* m) {
  internal::flux::CrescentMemory memory;
  return internal::flux::TryCrescent(pair.pair, &memory, m);
}

RuleResult Boundary(const FluxPair& pair, Moments* m) {
  internal::flux::FluxMemory memory;
  internal::flux::FluxStart start{pair.pair.tolerance, {}};
  return internal::flux::TryFlux(pair.pair, 0.0, &start, m, &memory);
}

TEST(FluxCrescent, ParallelAxesInClosedForm) {
  // A disc of radius r at the distance d from a hole of radius R: what of it lies outside.
  const double R = 0.5, height = 0.8;
  for (double clearance : {1e-2, 1e-3, 1e-4}) {
    const double r = R - clearance, d = 2.5 * clearance;
    FluxPair pair(1.2);
    pair.Add(MakePlane(kZ, 0.5), 1).Add(MakePlane(-kZ, 0.3), 1);
    pair.Add(MakeCylinder(r, Along(kZ, {d, 0, 0})), 0);
    pair.Add(Outside(MakeCylinder(R, Along(kZ, {}))), 1);
    Moments m;
    const RuleResult result = Columns(pair, &m);
    ASSERT_TRUE(result.accepted);
    const long double x = (d * static_cast<long double>(d) + R * R - r * r) / (2.0L * d);
    const long double y = std::sqrt(R * R - x * x);
    const long double outer = r * r * std::atan2(y, x - d) - (x - d) * y;
    const long double inner = R * R * std::atan2(y, x) - x * y;
    const double volume = static_cast<double>(height * (outer - inner));
    EXPECT_NEAR(m.v / volume, 1.0, 1e-9) << clearance;
    EXPECT_LE(std::abs(m.v - volume), result.error + 1e-13 * height);
    EXPECT_NEAR(m.m.z / m.v, 0.1, 1e-9);
    EXPECT_NEAR(m.m.y / m.v, 0.0, 1e-9);
    // The chord is the projected area of either wall; the ends' weights cancel in S.
    const double chord = static_cast<double>(2 * y * height);
    EXPECT_NEAR(m.s.x / chord, -1.0, 1e-8);
    EXPECT_NEAR(m.s.z / chord, 0.0, 1e-9);
    const InterferenceMetrics metrics = ToMetrics(m, {});
    EXPECT_NEAR((metrics.J_W(0, 0) + metrics.J_W(1, 1) - metrics.J_W(2, 2)) / m.v,
                height * height / 6, 1e-9);
  }
}

// A pin much thinner than the hole, whose axis it does not hold, against the wall: a cylinder, a
// cone or a ball, in a cylinder or a funnel.
FluxPair Leaning(FluxRandom* random) {
  FluxPair pair(1.4);
  const double slope = random->Uniform(0, 1) < 0.3 ? 0.0 : random->Uniform(0.1, 1.9);
  const double r = 0.5 * random->Uniform(0.15, 0.95), depth = std::pow(10, random->Uniform(-4, -2));
  const Vec3 axis = Normalized(Vec3{random->Uniform(-0.13, 0.13), random->Uniform(-0.13, 0.13), 1});
  const double turn = random->Uniform(0, 6.28), away = 0.5 - r + depth;
  const Vec3 o{away * std::cos(turn), away * std::sin(turn), 0};
  const int peg = static_cast<int>(random->Uniform(0, 3));
  const double half = std::fmin(0.1, depth / (0.05 + slope));
  pair.Add(MakePlane(kZ, half), 1);
  pair.Add(random->Uniform(0, 1) < 0.5 ? MakePlane(-kZ, half) : MakePlane(-axis, half), 0);
  if (peg == 0) {
    pair.Add(MakeCylinder(r, Along(axis, o)), 0);
  } else if (peg == 1) {
    const double taper = random->Uniform(0.1, 1.0);
    pair.Add(MakeCone(taper, 1.0, Along(axis, o - (r / taper) * axis)), 0);
  } else {
    pair.Add(MakeEllipsoid({r, r, 1.2 * r}, Along(axis, o)), 0);
  }
  if (slope == 0.0) {
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  } else {
    pair.Add(Outside(MakeCone(slope, 1.0, Along(kZ, {0, 0, -0.5 / slope}))), 1);
  }
  return pair;
}

FluxPair Conforming(int kind, FluxRandom* random);

// One of these in a sector of the hole between two planes through its axis; the faces there count,
// or do not.
FluxPair InASector(FluxRandom* random) {
  const FluxPair whole = Conforming(static_cast<int>(random->Uniform(0, 6)), random);
  const Surface& hole = whole.pair.surface[whole.pair.count - 1].surface;
  const Surface& other = whole.pair.surface[whole.pair.planes].surface;
  const Vec3 axis = (hole.side < 0 ? hole : other).R.Col(2);
  const double from = random->Uniform(0, 6.28), to = from + random->Uniform(1.0, 2.0);
  const auto across = [&](double angle) {
    return Normalized(Cross(axis, Vec3{std::cos(angle), std::sin(angle), 0}));
  };
  FluxPair pair = whole.Cut(-across(from), 0).Cut(across(to), 0);
  const double weight = random->Uniform(0, 1) < 0.5 ? 0.0 : 0.5;
  for (int i = 0; i < 2; ++i) pair.pair.surface[i].weight = weight;
  return pair;
}

// A peg (cylinder, cone, ball, cylinder's end) in a hole, with planes that lean against its axis,
// or a ball at the bottom of a groove, which is a hole cut open along its axis, or a pin, or a part
// of one of these.
FluxPair Conforming(int kind, FluxRandom* random) {
  if (kind == 5) return Leaning(random);
  if (kind == 6) return InASector(random);
  FluxPair pair(1.4);
  const double clearance = std::pow(10.0, random->Uniform(-3.5, -2));
  const auto lean = [&](double most) {
    return Normalized(Vec3{random->Uniform(-most, most), random->Uniform(-most, most), 1});
  };
  const Vec3 axis = lean(2 * clearance);
  const Vec3 o{random->Uniform(-2, 2) * clearance, random->Uniform(-2, 2) * clearance, 0};
  if (kind == 4) {
    // Either at the bottom, or wedged between both walls, of which the cut leaves one.
    const bool wedged = random->Uniform(0, 1) < 0.5;
    const double r = wedged ? 0.5 + clearance : 0.5 - clearance;
    const Vec3 centre = 0.5 * o + Vec3{wedged ? 0 : -2 * clearance, 0, 0};
    const Vec3 n{1, random->Uniform(-0.5, 0.5), random->Uniform(-0.1, 0.1)};
    pair.Add(MakePlane(Normalized(n), random->Uniform(0.05, 0.3)), 1);
    pair.Add(MakeEllipsoid({0.9 * r, 0.8 * r, r}, Along(kX, centre)), 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
    return pair;
  }
  const double end = kind == 2 ? 0.3 : 0.45;
  pair.Add(MakePlane(lean(0.05), end), 1);
  if (kind == 3) {
    pair.Add(MakePlane(-axis, 0.2), 0);
  } else {
    pair.Add(MakePlane(-lean(0.05), end - 0.05), 1);
  }
  if (kind == 0 || kind == 3) {
    pair.Add(MakeCylinder(0.5 - clearance, Along(axis, o)), 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  } else if (kind == 1) {
    const double slope = random->Uniform(0.15, 0.35);
    pair.Add(Outside(MakeCone(slope, 1.0, Along(kZ, {0, 0, -1.5}))), 1);
    pair.Add(MakeCone(slope * random->Uniform(0.98, 1.02), 1.0,
                      Along(axis, Vec3{0, 0, -1.5 - 5 * clearance} + o)),
             0);
  } else {
    const double r = 0.5 - clearance;
    pair.Add(MakeEllipsoid({r, r, 1.3 * r}, Along(axis, 1.2 * o)), 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  }
  return pair;
}

// Pins enough for the rare one whose leaning end hides where the wall touches it.
constexpr int kPairs[] = {300, 300, 300, 300, 300, 20000, 3000};

class FluxCrescentKind : public ::testing::TestWithParam<int> {};

TEST_P(FluxCrescentKind, AgreesWithTheBoundary) {
  FluxRandom random(21);
  int taken = 0;
  for (int i = 0; i < kPairs[GetParam()]; ++i) {
    FluxPair pair = Conforming(GetParam(), &random);
    const Pose X{random.Rotation(), 0.3 * random.Direction()};
    pair = pair.Moved(X);
    Moments columns, boundary;
    const RuleResult mine = Columns(pair, &columns);
    pair.pair.tolerance = 1e-10;
    const RuleResult other = Boundary(pair, &boundary);
    if (!mine.accepted || !other.accepted || boundary.v < 1e-9) continue;
    ++taken;
    // The boundary's fluxes are as large as the whole solid's; lengths are of order one.
    const double v = boundary.v, noise = 1e-12 + other.error;
    EXPECT_NEAR(columns.v, v, mine.error + noise) << i;
    EXPECT_LT(Norm(columns.m - boundary.m), 1e-6 * v + noise) << i;
    EXPECT_LT(Norm(columns.second.diag - boundary.second.diag), 1e-6 * v + noise) << i;
    EXPECT_LT(Norm(columns.second.off - boundary.second.off), 1e-6 * v + noise) << i;
    EXPECT_LT(Norm(columns.s - boundary.s), 1e-7) << i;
    EXPECT_LT(Norm(columns.g - boundary.g), 1e-7) << i;
  }
  EXPECT_GT(taken, kPairs[GetParam()] / 3);
}

TEST_P(FluxCrescentKind, CoarseVolumesLieWithinTheirBounds) {
  FluxRandom random(22);
  int taken = 0;
  for (int i = 0; i < kPairs[GetParam()]; ++i) {
    FluxPair pair = Conforming(GetParam(), &random);
    Moments fine, coarse;
    if (!Columns(pair, &fine).accepted) continue;
    for (double tolerance : {1e-3, 1e-4, 1e-6}) {
      pair.pair.tolerance = tolerance;
      const RuleResult result = Columns(pair, &coarse);
      if (!result.accepted) continue;
      ++taken;
      EXPECT_LE(std::abs(coarse.v - fine.v), result.error + 1e-9 * fine.v) << i << ' ' << tolerance;
      EXPECT_LE(std::abs(coarse.v - fine.v), 0.1 * tolerance * fine.v + 1e-18) << i;
      EXPECT_LE(Norm(coarse.s - fine.s), 2 * tolerance) << i;
      // More than this share would send the pair on to a rule a hundred times slower.
      EXPECT_LE(result.error, kFluxShare * tolerance * coarse.v + 1e-16) << i << ' ' << tolerance;
    }
  }
  EXPECT_GT(taken, kPairs[GetParam()]);
}

INSTANTIATE_TEST_SUITE_P(All, FluxCrescentKind, ::testing::Range(0, 7));

TEST(FluxCrescent, PathsHaveNoJumps) {
  // Straight paths of a peg through its hole's wall, out of the columns' reach and back.
  FluxRandom random(23);
  int columns = 0, general = 0;
  for (int path = 0; path < 20; ++path) {
    const double clearance = std::pow(10.0, random.Uniform(-3, -1.5));
    Vec3 from = 2.5 * clearance * random.Direction(), to = 2.5 * clearance * random.Direction();
    if (path % 4 == 0) to.x = 0.2;
    const Vec3 lean0 = clearance * random.Direction(), lean1 = clearance * random.Direction();
    double last = 0.0;
    for (int i = 0; i < 400; ++i) {
      const double t = i / 400.0;
      const Vec3 axis = Normalized(kZ + (1 - t) * lean0 + t * lean1);
      FluxPair pair(1.4, 1e-3);
      pair.Add(MakePlane(kZ, 0.4), 1).Add(MakePlane(-kZ, 0.4), 1);
      pair.Add(MakeCylinder(0.5 - clearance, Along(axis, (1 - t) * from + t * to)), 0);
      pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
      Moments coarse, fine;
      ASSERT_TRUE(pair.Run(&coarse).accepted) << path << ' ' << i;
      (Columns(pair, &fine).accepted ? columns : general) += 1;
      pair.pair.tolerance = 1e-7;
      ASSERT_TRUE(pair.Run(&fine).accepted) << path << ' ' << i;
      // A tenth of the tolerance; on the thinnest slivers the general way is at its rounding.
      const double off = coarse.v - fine.v;
      EXPECT_LE(std::abs(off - last), 1e-4 * fine.v + 1e-12) << path << ' ' << i;
      last = off;
    }
  }
  EXPECT_GT(columns, 5000);
  EXPECT_GT(general, 200);
}

TEST(FluxCrescent, LeavesWhatItIsNotMadeFor) {
  const auto peg = [](double d) {
    FluxPair pair(1.2);
    pair.Add(MakePlane(kZ, 0.5), 1).Add(MakePlane(-kZ, 0.3), 1);
    pair.Add(MakeCylinder(0.49, Along(kZ, {d, 0, 0})), 0);
    return pair;
  };
  const auto hole = Outside(MakeCylinder(0.5, Along(kZ, {})));
  Moments m;
  EXPECT_TRUE(Columns(FluxPair(peg(0.02)).Add(hole, 1), &m).accepted);
  // The peg's axis is far from the hole's; the peg is no hole's filling at all.
  EXPECT_FALSE(Columns(FluxPair(peg(0.6)).Add(hole, 1), &m).accepted);
  EXPECT_FALSE(Columns(FluxPair(peg(0.02)).Add(MakeCylinder(0.5, Along(kZ, {})), 1), &m).accepted);
  // A plane along the axis that cuts the crescent, and two that leave it alone: beyond, and behind.
  EXPECT_FALSE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(kX, 0.505), &m).accepted);
  EXPECT_TRUE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(kX, 0.9), &m).accepted);
  EXPECT_TRUE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(-kX, 0.1), &m).accepted);
  // Planes through the axis divide it, one that misses the axis by a little does not.
  const Vec3 y{0, 1, 0};
  EXPECT_TRUE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(y, 0), &m).accepted);
  EXPECT_FALSE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(y, 1e-9), &m).accepted);
  // A steep plane, and two that meet over the wall.
  const Vec3 steep = Normalized(Vec3{0.5, 0, 1}), slight = Normalized(Vec3{0.01, 0, 1});
  EXPECT_FALSE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(steep, 0.1), &m).accepted);
  EXPECT_FALSE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(slight, 0.5), &m).accepted);
  EXPECT_TRUE(Columns(FluxPair(peg(0.02)).Add(hole, 1).Cut(slight, 0.4), &m).accepted);
}

}  // namespace
}  // namespace intervox::cuda
