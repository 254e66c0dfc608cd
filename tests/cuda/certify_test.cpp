// Enclosures of volumes: against formulas, against the rules, and of parts against the whole.
#include "cuda/certify/certify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cuda/certify/half_space_share.h"
#include "cuda/certify/share.h"
#include "tests/cuda/families.h"
#include "tests/cuda/oracle.h"

namespace intervox {
namespace {

using cuda::internal::certify::BoxLevel;
using cuda::internal::certify::FrameLevel;
using cuda::internal::certify::MapLevel;
using geometry::Bounds;
using testing::CellsOf;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

VolumeEnclosure Certify(const PairQuery& q, double tolerance) {
  return CertifyVolume({q.a, 1}, {q.b, 1}, q.X_WA, q.X_WB, {.tolerance = tolerance});
}

// The share of a cube beyond a plane is a difference of eight cubes (inclusion and exclusion).
TEST(Certify, ShareBeyondAPlane) {
  Random random(3);
  for (int n = 0; n < 2000; ++n) {
    const Vec3 g{random.LogUniform(1e-3, 1), -random.LogUniform(1e-3, 1),
                 random.LogUniform(1e-3, 1)};
    const double sum = std::fabs(g.x) + std::fabs(g.y) + std::fabs(g.z);
    const double c = random.Uniform(-1.1, 1.1) * sum;
    long double share = 0;
    for (int corner = 0; corner < 8; ++corner) {
      long double at = c;
      int sign = 1;
      for (int k = 0; k < 3; ++k) {
        const bool up = ((corner >> k) & 1) != 0;
        at += up ? std::fabs(g[k]) : -std::fabs(g[k]);
        sign *= up ? 1 : -1;
      }
      if (at > 0) share += sign * at * at * at;
    }
    share /= 48.0L * std::fabs(g.x) * std::fabs(g.y) * std::fabs(g.z);
    EXPECT_NEAR(cuda::internal::certify::HalfSpaceShare(c, g), static_cast<double>(share), 1e-9);
  }
  using cuda::internal::certify::HalfSpaceShare;
  // Slopes of which all but one vanish, or that differ by 1e12: nothing is lost.
  EXPECT_EQ(HalfSpaceShare(0.5, {0, 0, 2}), 0.625);
  EXPECT_NEAR(HalfSpaceShare(-1 + 1e-9, {1, 1e-12, 0}) / 0.5e-9, 1, 1e-6);
  EXPECT_NEAR(HalfSpaceShare(-3 + 1e-3, {1, 1, 1}) / (1e-9 / 48), 1, 1e-12);
}

/** The level in extended precision; the torus' as the quartic that the enclosure takes. */
long double TrueLevel(const geometry::Surface& s, const Pose& X, const Vec3& p, const Mat3& F,
                      const Vec3& u) {
  long double x[3], z[3], y[3];
  for (int i = 0; i < 3; ++i) {
    x[i] = static_cast<long double>(p[i]) - X.p[i];
    for (int j = 0; j < 3; ++j) x[i] += static_cast<long double>(F(i, j)) * u[j];
  }
  for (int i = 0; i < 3; ++i) {
    z[i] = -static_cast<long double>(s.o[i]);
    for (int j = 0; j < 3; ++j) z[i] += static_cast<long double>(X.R(j, i)) * x[j];
  }
  for (int i = 0; i < 3; ++i) {
    y[i] = 0;
    for (int j = 0; j < 3; ++j) y[i] += static_cast<long double>(s.R(j, i)) * z[j];
  }
  long double f = s.c;
  if (s.kind == geometry::SurfaceKind::kPlane) return s.side * y[2];
  if (s.kind == geometry::SurfaceKind::kTorus) {
    const long double R = s.e.x, r = s.e.y, ss = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    const long double q = ss + R * R - r * r;
    return s.side * (q * q - 4 * R * R * (y[0] * y[0] + y[1] * y[1])) / (8 * R * R * r);
  }
  for (int i = 0; i < 3; ++i) f += s.e[i] * y[i] * y[i] + 2 * s.l[i] * y[i];
  if (s.kind == geometry::SurfaceKind::kCone && y[2] < 0) f -= 2 * s.e.z * y[2] * y[2];
  return s.side * f;
}

struct PosedSurface {
  geometry::Surface surface;
  Pose X;
};

/** Surfaces of all kinds and sides, from a hundredth to a hundred times their size. */
std::vector<PosedSurface> AllSurfaces(Random* random) {
  std::vector<PosedSurface> out;
  for (const testing::Solid& solid : testing::MoreSolids()) {
    for (const geometry::Surface& s : solid.cells[0].surfaces) out.push_back({s, {}});
  }
  for (const testing::Family& family : testing::AllFamilies()) {
    for (const geometry::Surface& s : family.cell.surfaces) out.push_back({s, {}});
  }
  for (PosedSurface& s : out) {
    const double scale = random->LogUniform(0.01, 100);
    s.surface = ScaledBy(s.surface, scale);
    s.X = random->RandomPose(scale);
    if (s.surface.kind != geometry::SurfaceKind::kPlane && random->Uniform(0, 1) < 0.5) {
      s.surface.side = static_cast<std::int8_t>(-s.surface.side);
    }
  }
  return out;
}

/** A frame about a point of the surface's size, and a box in it. */
struct Place {
  Vec3 p;
  Mat3 F;
  Vec3 c, h;
};

Place RandomPlace(const PosedSurface& s, Random* random) {
  const double size = Norm(s.X.p) + 0.1;
  const Vec3 half{random->LogUniform(0.01, 1), random->LogUniform(0.01, 1),
                  random->LogUniform(0.01, 1)};
  const double fine = random->LogUniform(1e-6, 0.5);
  Place out{s.X * s.surface.o + random->Vector(size),
            random->Rotation() * Mat3::Diagonal(size * half), random->Vector(0.4),
            Scaled(Vec3{fine, fine, fine}, {random->LogUniform(0.1, 1), random->LogUniform(0.1, 1),
                                            random->LogUniform(0.1, 1)})};
  return out;
}

TEST(Certify, LevelsStayWithinTheirForms) {
  Random random(7);
  for (int round = 0; round < 6; ++round) {
    for (const PosedSurface& s : AllSurfaces(&random)) {
      const Place at = RandomPlace(s, &random);
      const FrameLevel mapped = MapLevel(s.surface, s.X, at.p, at.F);
      const BoxLevel level = LevelOver(mapped, at.c, at.h);
      const Bounds range = RangeOf(level), bend = BendOf(level);
      for (int n = 0; n < 20; ++n) {
        const Vec3 v = random.Vector(1), u = at.c + Scaled(at.h, v);
        const long double f = TrueLevel(s.surface, s.X, at.p, at.F, u);
        long double form = level.f;
        for (int k = 0; k < 3; ++k) {
          form += static_cast<long double>(level.g[k]) * v[k];
        }
        EXPECT_LE(range.lo, f);
        EXPECT_LE(f, range.hi);
        EXPECT_LE(bend.lo, f - form);
        EXPECT_LE(f - form, bend.hi);
        for (int k = 0; k < 3; ++k) {
          form += static_cast<long double>(level.a[k]) * v[k] * v[k] +
                  2 * static_cast<long double>(level.b[k]) * v[(k + 1) % 3] * v[(k + 2) % 3];
        }
        EXPECT_LE(level.low, f - form);
        EXPECT_LE(f - form, level.high);
      }
    }
  }
}

/** The sum over 8^depth parts of a box. */
Bounds SharePerParts(const std::vector<FrameLevel>& surfaces, const Vec3& c, const Vec3& h,
                     int depth) {
  std::vector<BoxLevel> levels;
  for (const FrameLevel& s : surfaces) {
    const BoxLevel level = LevelOver(s, c, h);
    const Bounds range = RangeOf(level);
    if (range.lo >= 0) return {0, 0};
    if (range.hi > 0) levels.push_back(level);
  }
  if (depth == 0 || levels.empty()) return cuda::internal::certify::ShareWithin(levels);
  Bounds sum;
  for (int part = 0; part < 8; ++part) {
    const Vec3 turn{part & 1 ? 0.5 : -0.5, part & 2 ? 0.5 : -0.5, part & 4 ? 0.5 : -0.5};
    const Bounds share = SharePerParts(surfaces, c + Scaled(turn, h), 0.5 * h, depth - 1);
    sum.lo += 0.125 * share.lo;
    sum.hi += 0.125 * share.hi;
  }
  return sum;
}

// The parts know more than the whole, and must not contradict it. Two surfaces, equal or close ones
// among them, see every term of the inclusion and exclusion.
TEST(Certify, PartsAgreeWithTheWhole) {
  Random random(9);
  int narrow = 0;
  for (int round = 0; round < 6; ++round) {
    const std::vector<PosedSurface> all = AllSurfaces(&random);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PosedSurface& s = all[i];
      const Place at = RandomPlace(s, &random);
      std::vector<FrameLevel> surfaces{MapLevel(s.surface, s.X, at.p, at.F)};
      PosedSurface other = s;
      other.surface.o += random.LogUniform(1e-6, 0.1) * Norm(at.F * at.h) * random.Direction();
      if (round % 3 > 0) surfaces.push_back(MapLevel(other.surface, s.X, at.p, at.F));
      other.X.R = random.Rotation();
      if (round % 3 > 1) surfaces.push_back(MapLevel(other.surface, other.X, at.p, at.F));
      const Bounds whole = SharePerParts(surfaces, at.c, at.h, 0);
      const Bounds parts = SharePerParts(surfaces, at.c, at.h, 2);
      EXPECT_LE(whole.lo, parts.hi + 1e-13);
      EXPECT_LE(parts.lo, whole.hi + 1e-13);
      narrow += parts.hi - parts.lo < 0.02 ? 1 : 0;
    }
  }
  EXPECT_GT(narrow, 300);
}

// Where a surface is a height over the box' face, against Gauss sums over columns that end at roots
// found by bisection: the error of these is below 1e-7 where boxes are this small.
TEST(Certify, MeanHeightsByColumns) {
  constexpr double kNode[6] = {-0.9324695142031521, -0.6612093864662645, -0.2386191860831969,
                               0.2386191860831969,  0.6612093864662645,  0.9324695142031521};
  constexpr double kWeight[6] = {0.1713244923791704, 0.3607615730481386, 0.4679139345726910,
                                 0.4679139345726910, 0.3607615730481386, 0.1713244923791704};
  Random random(13);
  int quadrics = 0, tori = 0;
  for (int round = 0; round < 20; ++round) {
    for (const PosedSurface& s : AllSurfaces(&random)) {
      if (s.surface.kind == geometry::SurfaceKind::kPlane) continue;
      const bool torus = s.surface.kind == geometry::SurfaceKind::kTorus;
      // A box that stands on the surface near a point of it, nearly upright.
      const geometry::Surface posed = s.X * s.surface;
      const Vec3 e = Abs(s.surface.e);
      const double radius = torus ? s.surface.e.y : 0.5 / std::max({e.x, e.y, e.z});
      Vec3 x = posed.o + 2 * radius * random.Direction();
      if (torus) x = posed.o + posed.R * (1.2 * s.surface.e.x * random.Direction());
      for (int step = 0; step < 20; ++step) {
        const Vec3 slope = Gradient(posed, x);
        x -= Value(posed, x) / (SquaredNorm(slope) + 1e-30) * slope;
      }
      if (!(std::fabs(Value(posed, x)) < 1e-9 * radius)) continue;
      const Mat3 upright = geometry::FrameAlong(Normalized(Gradient(posed, x)));
      const double half = random.Uniform(0.05, 0.3);
      const Place at{x,
                     radius * testing::Turned(0.2 * random.Direction(), upright),
                     {},
                     {half, random.Uniform(0.5, 1) * half, 0.25 * half + half * half}};
      const FrameLevel mapped = MapLevel(s.surface, s.X, at.p, at.F);
      const BoxLevel level = LevelOver(mapped, at.c, at.h);
      const Bounds share = cuda::internal::certify::ShareBeyond(level), bend = BendOf(level);
      using cuda::internal::certify::HalfSpaceShare;
      const double by_planes =
          HalfSpaceShare(level.f + bend.hi, level.g) - HalfSpaceShare(level.f + bend.lo, level.g);
      if (!(share.hi - share.lo < 0.5 * by_planes)) continue;
      if ((torus ? tori : quadrics)++ > 100) continue;
      const Vec3 g = Abs(level.g);
      const int k = g.x > g.y && g.x > g.z ? 0 : g.y > g.z ? 1 : 2;
      const auto column = [&](double vi, double vj) {
        Vec3 v;
        v[(k + 1) % 3] = vi;
        v[(k + 2) % 3] = vj;
        double lo = -1, hi = 1;
        const auto beyond = [&](double vk) {
          v[k] = vk;
          return TrueLevel(s.surface, s.X, at.p, at.F, at.c + Scaled(at.h, v)) > 0;
        };
        const bool up = beyond(1);
        for (int step = 0; step < 40; ++step) {
          const double middle = 0.5 * (lo + hi);
          (beyond(middle) == up ? hi : lo) = middle;
        }
        return up ? 0.5 * (1 - lo) : 0.5 * (1 + lo);
      };
      double sum = 0;
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
          sum += 0.25 * kWeight[i] * kWeight[j] * column(kNode[i], kNode[j]);
        }
      }
      EXPECT_LE(share.lo, sum + 1e-7);
      EXPECT_GE(share.hi, sum - 1e-7);
    }
  }
  EXPECT_GT(quadrics, 100);
  EXPECT_GT(tori, 1);
}

TEST(Certify, BallsByTheFormula) {
  Random random(5);
  for (int n = 0; n < 40; ++n) {
    const double R = random.LogUniform(1e-3, 10), depth = R * random.LogUniform(1e-6, 1);
    const auto ball = CellsOf(geometry::Sphere{R});
    const auto floor = CellsOf(geometry::HalfSpace{{0, 0, 1}, 0});
    const Pose X_WA{random.Rotation(), {3 * R, -R, R - depth}};
    const double V = kPi * depth * depth * (R - depth / 3);
    const VolumeEnclosure found = CertifyVolume(ball, floor, X_WA, {}, {.tolerance = 1e-4});
    EXPECT_EQ(found.status, Status::kOk);
    // The pose's own rounding, 2.2e-16 of R, moves V by twice its share of the depth.
    const double rounding = 1e-15 * R / depth;
    EXPECT_LE(found.lower, V * (1 + rounding));
    EXPECT_GE(found.upper, V * (1 - rounding));
    EXPECT_LE(found.upper - found.lower, 2e-4 * found.lower);
  }
}

TEST(Certify, PlanesToRounding) {
  Random random(6);
  for (int n = 0; n < 20; ++n) {
    const geometry::Cell a = random.Hull(12, 0.5), b = random.Hull(9, 0.4);
    const PairQuery q{&a, &b, random.RandomPose(2), random.RandomPose(0.3)};
    PairQuery near = q;
    near.X_WB.p += q.X_WA.p;
    const VolumeEnclosure found = Certify(near, 1e-9);
    const double V = testing::EnumeratedVolume(near);
    if (V == 0) continue;
    EXPECT_EQ(found.status, Status::kOk);
    EXPECT_LE(found.lower, V);
    EXPECT_GE(found.upper, V);
    EXPECT_LE(found.upper - found.lower, 1e-10 * V + 1e-14);
  }
}

TEST(Certify, OracleAtOnePercent) {
  for (const testing::OraclePair& pair : testing::OraclePairs()) {
    const VolumeEnclosure found = Certify(pair.Query(1e-2), 1e-2);
    EXPECT_EQ(found.status, Status::kOk) << pair.name;
    EXPECT_LE(found.lower, pair.volume * (1 + 1e-9)) << pair.name;
    EXPECT_GE(found.upper, pair.volume * (1 - 1e-9)) << pair.name;
  }
}

TEST(SlowCertify, OracleWithinItsBoxes) {
  for (const testing::OraclePair& pair : testing::OraclePairs()) {
    const VolumeEnclosure found = Certify(pair.Query(1e-4), 1e-4);
    EXPECT_EQ(found.status, Status::kOk) << pair.name << " " << found.boxes;
    EXPECT_LE(found.lower, pair.volume * (1 + 1e-9)) << pair.name;
    EXPECT_GE(found.upper, pair.volume * (1 - 1e-9)) << pair.name;
  }
}

// A slice of scripts/study_certify.py.
TEST(Certify, RandomPairsHoldTheirVolumes) {
  Random random(17);
  std::vector<testing::Solid> solids = testing::MoreSolids();
  for (const testing::Family& family : testing::AllFamilies()) {
    solids.push_back(testing::SolidOf(family));
  }
  const auto pick = [&]() -> const testing::Solid& {
    return solids[static_cast<std::size_t>(random.Uniform(0, 0.999) *
                                           static_cast<double>(solids.size()))];
  };
  int narrow = 0, pairs = 0;
  while (pairs < 40) {
    const testing::Solid &a = pick(), &b = pick();
    const Pose X_WA = random.RandomPose(3);
    const Pose X_WB{random.Rotation(), X_WA.p + random.Vector(0.7)};
    double V = 0, error = 0;
    for (const geometry::Cell& cell_a : a.cells) {
      for (const geometry::Cell& cell_b : b.cells) {
        const InterferenceMetrics m = ComputeMetrics({&cell_a, &cell_b, X_WA, X_WB, 1e-5});
        V += m.status == Status::kUnbounded ? std::nan("") : m.volume;
        error += m.volume_error;
      }
    }
    if (!(V > 0)) continue;
    ++pairs;
    const VolumeEnclosure found =
        CertifyVolume(a.cells, b.cells, X_WA, X_WB, {.tolerance = 1e-3, .most_boxes = 20000});
    EXPECT_LE(found.lower, V + error + 1e-13 * V) << a.name << " and " << b.name;
    EXPECT_GE(found.upper, V - error - 1e-13 * V) << a.name << " and " << b.name;
    narrow += found.status == Status::kOk ? 1 : 0;
  }
  EXPECT_GE(narrow, 36);
}

TEST(Certify, SolidsAndNothing) {
  const auto holed = testing::HoledBoxCells({1, 1, 0.5}, 0.25);
  const auto peg = CellsOf(geometry::Cylinder{0.2, 2});
  const auto pin = CellsOf(geometry::Cylinder{0.3, 0.2});
  // Through the hole: nothing is proved to be nothing.
  EXPECT_EQ(CertifyVolume(holed, peg, {}, {}).status, Status::kDisjoint);
  // Each of the cells has its share of the ring.
  const VolumeEnclosure ring = CertifyVolume(holed, pin, {}, {});
  EXPECT_EQ(ring.status, Status::kOk);
  const double V = kPi * (0.09 - 0.0625) * 0.2;
  EXPECT_LE(ring.lower, V);
  EXPECT_GE(ring.upper, V);
  EXPECT_LE(ring.upper - ring.lower, 2e-4 * V);
}

TEST(Certify, EqualSolids) {
  for (const double scale : {1.0, 1 + 1e-9, 1.001}) {
    const auto a = CellsOf(geometry::Ellipsoid{{0.5, 0.4, 0.3}});
    const auto b = CellsOf(geometry::Ellipsoid{{0.5 * scale, 0.4 * scale, 0.3 * scale}});
    const VolumeEnclosure found = CertifyVolume(a, b, {}, {}, {.tolerance = 1e-3});
    const double V = 4 * kPi / 3 * 0.06;
    EXPECT_EQ(found.status, Status::kOk) << scale;
    EXPECT_LE(found.lower, V * (1 + 1e-15)) << scale;
    EXPECT_GE(found.upper, V * (1 - 1e-15)) << scale;
  }
}

TEST(Certify, SaysWhatItCannot) {
  const auto ball = CellsOf(geometry::Sphere{0.5});
  const auto floor = CellsOf(geometry::HalfSpace{{0, 0, 1}, 0});
  EXPECT_EQ(CertifyVolume(floor, floor, {}, {}).status, Status::kUnbounded);
  Pose broken;
  broken.p.x = std::nan("");
  EXPECT_EQ(CertifyVolume(ball, floor, broken, {}).status, Status::kInvalid);
  const VolumeEnclosure rough = CertifyVolume(ball, floor, {}, {}, {1e-9, 2000});
  EXPECT_EQ(rough.status, Status::kToleranceNotMet);
  EXPECT_LE(rough.boxes, 2100);
  EXPECT_LT(rough.lower, kPi / 12);
  EXPECT_GT(rough.upper, kPi / 12);
}

}  // namespace
}  // namespace intervox
