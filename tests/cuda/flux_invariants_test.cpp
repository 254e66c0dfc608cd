/** @file The flux rule's invariants on random pairs: cutting, moving, differentiating, refusing. */
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

enum class Kind { kCylinder, kCone, kEllipsoid };

Surface RandomSurface(Kind kind, FluxRandom* random) {
  const Vec3 p{random->Uniform(-0.4, 0.4), random->Uniform(-0.4, 0.4), random->Uniform(-0.4, 0.4)};
  const Vec3 e = random->Direction();
  Surface s;
  if (kind == Kind::kCylinder) {
    s = MakeCylinder(random->Uniform(0.2, 0.7), Along(e, p));
  } else if (kind == Kind::kCone) {
    s = MakeCone(random->Uniform(0.2, 1.5), 1.0, Along(e, p - random->Uniform(0.3, 1.2) * e));
  } else {
    s = MakeEllipsoid(
        {random->Uniform(0.3, 0.8), random->Uniform(0.3, 0.8), random->Uniform(0.3, 0.8)},
        {random->Rotation(), p});
  }
  return random->Uniform(-1, 1) > 0 ? s : Outside(s);
}

// A turned box of body B with up to two chamfers, and one or two curved surfaces of A.
FluxPair RandomPair(const std::vector<Kind>& kinds, FluxRandom* random) {
  FluxPair pair(1.6);
  const double h = random->Uniform(0.4, 0.9);
  pair.AddBox({random->Rotation(), {}}, {h, h, h}, 1);
  for (int k = static_cast<int>(random->Uniform(0, 3)); k > 0; --k) {
    const Vec3 n = random->Direction();
    pair.Add(MakePlane(n, random->Uniform(-0.2, 0.6)), 0);
  }
  for (Kind kind : kinds) pair.Add(RandomSurface(kind, random), 0);
  return pair;
}

double Distance(const Moments& a, const Moments& b) {
  return std::abs(a.v - b.v) + Norm(a.m - b.m) + Norm(a.second.diag - b.second.diag) +
         Norm(a.second.off - b.second.off) + Norm(a.s - b.s) + Norm(a.g - b.g);
}

const std::vector<std::vector<Kind>> kFamilies = {
    {Kind::kCylinder},
    {Kind::kCone},
    {Kind::kEllipsoid},
    {Kind::kCylinder, Kind::kCylinder},
    {Kind::kCylinder, Kind::kCone},
    {Kind::kCone, Kind::kCone},
    {Kind::kCylinder, Kind::kEllipsoid},
    {Kind::kCone, Kind::kEllipsoid},
};

class FluxFamily : public ::testing::TestWithParam<std::size_t> {};

TEST_P(FluxFamily, PartsAddUp) {
  FluxRandom random(11);
  int solid = 0;
  for (int i = 0; i < 150; ++i) {
    const FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    const Vec3 n = random.Direction();
    const double offset = random.Uniform(-0.5, 0.5);
    Moments whole, below, above;
    ASSERT_TRUE(pair.Run(&whole).accepted) << i;
    ASSERT_TRUE(pair.Cut(n, offset).Run(&below).accepted) << i;
    ASSERT_TRUE(pair.Cut(-n, -offset).Run(&above).accepted) << i;
    below += above;
    EXPECT_LT(Distance(whole, below), 1e-8) << i;
    solid += whole.v > 0.01 ? 1 : 0;
  }
  EXPECT_GT(solid, 75);
}

TEST_P(FluxFamily, InsideAndOutsideAddUp) {
  // The last surface's two sides share what the others bound.
  if (kFamilies[GetParam()].size() < 2) return;  // needs a second curved surface
  FluxRandom random(12);
  for (int i = 0; i < 100; ++i) {
    FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    Moments in, out, all;
    ASSERT_TRUE(pair.Run(&in).accepted) << i;
    LocalSurface& last = pair.pair.surface[pair.pair.count - 1];
    last.surface = Outside(last.surface);
    ASSERT_TRUE(pair.Run(&out).accepted) << i;
    --pair.pair.count;
    ASSERT_TRUE(pair.Run(&all).accepted) << i;
    EXPECT_NEAR(in.v + out.v, all.v, 1e-9) << i;
    EXPECT_LT(Norm(in.m + out.m - all.m), 1e-8) << i;
    EXPECT_LT(Norm(in.second.diag + out.second.diag - all.second.diag), 5e-8) << i;
  }
}

TEST_P(FluxFamily, MovesWithTheFrame) {
  FluxRandom random(13);
  for (int i = 0; i < 60; ++i) {
    const FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    const Pose X{random.Rotation(), 0.5 * random.Direction()};
    Moments a, b;
    ASSERT_TRUE(pair.Run(&a).accepted) << i;
    ASSERT_TRUE(pair.Moved(X).Run(&b).accepted) << i;
    EXPECT_NEAR(a.v, b.v, 5e-9) << i;
    if (a.v < 1e-3) continue;
    const InterferenceMetrics p = ToMetrics(a, {}), q = ToMetrics(b, {});
    EXPECT_LT(Norm(X * p.p_WC - q.p_WC), 1e-7) << i;
    EXPECT_LT(Norm(X.R * p.area_vector - q.area_vector), 1e-8) << i;
    EXPECT_LT(Norm(X.R * p.area_moment - q.area_moment), 1e-8) << i;
    EXPECT_NEAR(Trace(p.J_W), Trace(q.J_W), 1e-8) << i;
  }
}

TEST_P(FluxFamily, AreaVectorIsTheGradient) {
  FluxRandom random(14);
  const double step = 1e-4;
  for (int i = 0; i < 40; ++i) {
    const FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    Moments m, plus, minus;
    ASSERT_TRUE(pair.Run(&m).accepted) << i;
    if (m.v < 1e-2) continue;
    const InterferenceMetrics metrics = ToMetrics(m, {});
    const Vec3 n = random.Direction(), c = metrics.p_WC;
    ASSERT_TRUE(pair.Moved({Mat3::Identity(), step * n}, 0).Run(&plus).accepted) << i;
    ASSERT_TRUE(pair.Moved({Mat3::Identity(), -step * n}, 0).Run(&minus).accepted) << i;
    EXPECT_NEAR((plus.v - minus.v) / (2 * step), -Dot(metrics.area_vector, n), 2e-5) << i;
    const auto turn = [&](double angle) {
      const double h = 0.5 * angle;
      const Mat3 R = ToRotation(Normalized(Quaternion{1, h * n.x, h * n.y, h * n.z}));
      return Pose{R, c - R * c};
    };
    ASSERT_TRUE(pair.Moved(turn(step), 0).Run(&plus).accepted) << i;
    ASSERT_TRUE(pair.Moved(turn(-step), 0).Run(&minus).accepted) << i;
    EXPECT_NEAR((plus.v - minus.v) / (2 * step), -Dot(metrics.area_moment, n), 2e-5) << i;
  }
}

TEST_P(FluxFamily, AgreesWithColumns) {
  FluxRandom random(15);
  for (int i = 0; i < 4; ++i) {
    const FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    Moments m;
    ASSERT_TRUE(pair.Run(&m).accepted) << i;
    EXPECT_NEAR(m.v, VolumeByColumns(pair.pair, 200), 3e-3) << i;
  }
}

TEST_P(FluxFamily, MeetsItsToleranceAndSaysSo) {
  FluxRandom random(16);
  for (int i = 0; i < 100; ++i) {
    FluxPair pair = RandomPair(kFamilies[GetParam()], &random);
    Moments fine, coarse;
    ASSERT_TRUE(pair.Run(&fine).accepted) << i;
    if (fine.v < 1e-4) continue;
    for (double tolerance : {1e-3, 1e-6}) {
      pair.pair.tolerance = tolerance;
      const RuleResult result = pair.Run(&coarse);
      ASSERT_TRUE(result.accepted) << i;
      EXPECT_LE(result.error, tolerance * fine.v) << i;
      EXPECT_LE(std::abs(coarse.v - fine.v), 0.1 * tolerance * fine.v) << i;
      EXPECT_LE(std::abs(coarse.v - fine.v), result.error + 1e-9 * fine.v) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, FluxFamily, ::testing::Range<std::size_t>(0, 8));

// Peg and hole, box and hole, cone and socket, ball and groove, thin and almost parallel.
FluxPair Conforming(int kind, double clearance, double tilt, double offset) {
  FluxPair pair(1.5);
  const Vec3 e{std::sin(tilt), 0, std::cos(tilt)};
  const Vec3 o{offset * clearance, 0.3 * offset * clearance, 0};
  pair.Add(MakePlane(kZ, 0.4), 1).Add(MakePlane(-kZ, 0.4), 1);
  if (kind == 0) {
    pair.Add(MakePlane(-e, 0.3), 0).Add(MakePlane(e, 0.9), 0);
    pair.Add(MakeCylinder(0.5 - clearance, Along(e, o)), 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  } else if (kind == 1) {
    const Mat3 R = Mat3::FromColumns(Cross({0, 1, 0}, e), {0, 1, 0}, e);
    const double h = std::sqrt(0.125) + clearance;
    pair.AddBox({R, o}, {h, h, 0.7}, 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  } else if (kind == 2) {
    pair.Add(MakePlane(-e, 0.3), 0).Add(MakePlane(e, 0.9), 0);
    pair.Add(MakeCone(0.2, 1.0, Along(e, Vec3{0, 0, -1 - 5 * clearance} + o)), 0);
    pair.Add(Outside(MakeCone(0.2, 1.0, Along(kZ, {0, 0, -1}))), 1);
  } else {
    const double r = 0.5 - 10 * clearance;
    pair.Add(MakeEllipsoid({r, r, r}, {{}, {12 * clearance, 0, 0.05 * offset}}), 0);
    pair.Add(Outside(MakeCylinder(0.5, Along(kZ, {}))), 1);
  }
  return pair;
}

TEST(FluxConforming, PartsAddUpHoweverThinAndParallel) {
  FluxRandom random(17);
  int solid = 0;
  for (int kind = 0; kind < 4; ++kind) {
    for (double clearance : {1e-2, 1e-3, 1e-4}) {
      for (double tilt : {0.0, 1e-13, 1e-9, 1e-6, 1e-4, 3e-3}) {
        if (tilt > 3 * clearance) continue;
        for (double offset : {1.1, 1.7}) {
          FluxPair pair = Conforming(kind, clearance, tilt, offset);
          pair.pair.tolerance = 1e-6;
          Moments whole, below, above;
          const RuleResult result = pair.Run(&whole);
          ASSERT_TRUE(result.accepted) << kind << ' ' << clearance << ' ' << tilt;
          if (whole.v < 2 * result.error) continue;
          const Vec3 n = random.Direction(), c = whole.m / whole.v;
          ASSERT_TRUE(pair.Cut(n, Dot(n, c)).Run(&below).accepted);
          ASSERT_TRUE(pair.Cut(-n, -Dot(n, c)).Run(&above).accepted);
          const double goal = (clearance < 1e-3 ? 1e-5 : 1e-6) * whole.v;
          EXPECT_NEAR(below.v + above.v, whole.v, goal) << kind << ' ' << clearance << ' ' << tilt;
          EXPECT_LT(Norm(below.m + above.m - whole.m), goal) << kind << ' ' << clearance;
          EXPECT_LT(Norm(below.s + above.s - whole.s), 1e-5 * Norm(whole.s) + 1e-12);
          ++solid;
        }
      }
    }
  }
  EXPECT_GT(solid, 60);
}

TEST(FluxConforming, ChangesSmoothly) {
  // Second differences of V along a path through parallel, touching and crossing poses.
  for (int kind = 0; kind < 4; ++kind) {
    const double clearance = 1e-2;
    double v[3] = {0, 0, 0};
    for (int i = 0; i < 400; ++i) {
      FluxPair pair = Conforming(kind, clearance, 5e-5 * (i - 200) + 1e-7, 1.4);
      pair.pair.tolerance = 1e-3;
      Moments m;
      ASSERT_TRUE(pair.Run(&m).accepted) << kind << ' ' << i;
      v[0] = v[1];
      v[1] = v[2];
      v[2] = m.v;
      if (i >= 2) {
        EXPECT_LT(std::abs(v[0] - 2 * v[1] + v[2]), 2e-3 * v[1]) << kind << ' ' << i;
      }
    }
  }
}

TEST(FluxDegenerate, EqualCylindersCrossingAlmostExactly) {
  for (double offset : {0.0, 1e-12, 1e-9, 1e-6, 1e-4}) {
    for (double angle : {1.5707963267948966, 1.0, 0.2}) {
      FluxPair pair(2.0, 1e-6);
      const Vec3 e{std::cos(angle), std::sin(angle), 0};
      pair.Add(MakeCylinder(0.3, Along(kX, {})), 0);
      pair.Add(MakeCylinder(0.3, Along(e, {0, 0, offset})), 1);
      Moments m;
      ASSERT_TRUE(pair.Run(&m).accepted) << offset;
      EXPECT_NEAR(m.v * std::sin(angle) / (16 * 0.027 / 3), 1.0, 1e-6 + 10 * offset) << offset;
    }
  }
}

TEST(FluxDegenerate, NothingInCommon) {
  FluxPair pair(1.0);
  pair.AddBox({{}, {0, 0, 0.9}}, {0.2, 0.2, 0.2}, 1).Add(MakeCylinder(0.4, Along(kX, {})), 0);
  Moments m;
  const RuleResult result = pair.Run(&m);
  EXPECT_TRUE(result.accepted);
  EXPECT_LE(std::abs(m.v), result.error + 1e-15);
}

TEST(FluxRefuses, WhatItIsNotMadeFor) {
  Moments m;
  FluxPair torus(1.0);
  torus.Add(MakePlane(kZ, 0.0), 1).Add(geometry::MakeTorus(0.5, 0.2), 0);
  EXPECT_FALSE(torus.Run(&m).accepted);
  FluxPair three(1.0);
  three.Add(MakeCylinder(0.4, Along(kX, {})), 0).Add(MakeCylinder(0.4, Along(kZ, {})), 1);
  three.Add(MakeEllipsoid({0.3, 0.3, 0.3}), 1);
  EXPECT_FALSE(three.Run(&m).accepted);
  FluxPair two(1.0);
  two.Add(MakeEllipsoid({0.3, 0.3, 0.3}), 0)
      .Add(MakeEllipsoid({0.3, 0.3, 0.3}, {{}, {0.2, 0, 0}}), 1);
  EXPECT_FALSE(two.Run(&m).accepted);
  FluxPair unbounded(1.0);
  unbounded.Add(MakePlane(kZ, 0.0), 1).Add(MakeCylinder(0.4, Along(kX, {})), 0);
  EXPECT_FALSE(unbounded.Run(&m).accepted);
}

}  // namespace
}  // namespace intervox::cuda
