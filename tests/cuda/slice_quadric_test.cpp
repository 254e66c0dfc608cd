#include <gtest/gtest.h>

#include "cuda/engine.h"
#include "cuda/rules/column/rule.h"
#include "cuda/rules/slice/rule.h"
#include "geometry/hollows.h"
#include "tests/cuda/families.h"
#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCone;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using testing::Answer;
using testing::Ask;
using testing::AskWithTerm;
using testing::MakePair;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

LocalPair PairOf(const std::vector<Surface>& solid, const std::vector<Surface>& other,
                 double tolerance) {
  const Vec3 o = solid[0].o, far{2, 2, 2};
  return MakePair(solid, other, o, o - far, o + far, tolerance);
}

Answer Slice(const std::vector<Surface>& solid, const std::vector<Surface>& other,
             double tolerance) {
  return AskWithTerm(
      PairOf(solid, other, tolerance),
      [](const LocalPair& p, LocalPair* term, Moments* m) { return SliceRule(p, term, m); });
}

Answer Column(const std::vector<Surface>& solid, const std::vector<Surface>& other,
              double tolerance) {
  return Ask(PairOf(solid, other, tolerance),
             [](const LocalPair& p, Moments* m) { return ColumnRule(p, m); });
}

Vec3 DirectionAt(const Surface& torus, double azimuth) {
  return std::cos(azimuth) * torus.R.Col(0) + std::sin(azimuth) * torus.R.Col(1);
}

/** A torus or a sector of it, and a quadric and planes about a point of its tube. */
struct Scene {
  std::vector<Surface> solid, other;
  Vec3 point;
  double depth = 0.0;
};

/** A frame whose first axis is n, turned about it. */
Mat3 FrameOn(const Vec3& n, Random* random) {
  const Vec3 axis = Normalized(Cross(n, random->Direction()));
  return Mat3::FromColumns(n, Cross(axis, n), axis);
}

/** A surface whose outward normal at a point is n. */
Surface QuadricAt(int kind, double size, const Vec3& point, const Vec3& n, Random* random) {
  const Mat3 R = FrameOn(n, random);
  switch (kind) {
    case 0:
      return MakeCylinder(size, {R, point - size * n});
    case 1: {
      const double slope = random->Uniform(0.05, 0.5);
      return MakeCone(slope, 1.0, {R, point - 1.2 * (slope * n + R.Col(2))});
    }
    case 2:
      return MakeEllipsoid({size, size, size}, {R, point - size * n});
    default: {
      const Mat3 turned = random->Rotation();
      const Vec3 radii = size * Vec3{random->Uniform(0.3, 1), random->Uniform(0.3, 1), 1.0};
      const Vec3 y = TransposeTimes(turned, n), arm = Scaled(Scaled(radii, radii), y);
      return MakeEllipsoid(radii, {turned, point - turned * (arm / std::sqrt(Dot(arm, y)))});
    }
  }
}

Scene RandomScene(int i, Random* random) {
  Scene scene;
  const double major = 0.3, minor = major * random->LogUniform(0.05, 0.95);
  const Surface torus = MakeTorus(major, minor, random->RandomPose(0.2));
  const double azimuth = random->Uniform(0, 6), tube = random->Uniform(0, 6);
  const Vec3 across = DirectionAt(torus, azimuth), axis = torus.R.Col(2);
  const Vec3 out = std::cos(tube) * across + std::sin(tube) * axis;
  scene.depth = minor * random->LogUniform(1e-3, 1.5);
  scene.point = torus.o + major * across + (minor - scene.depth) * out;
  scene.solid = {torus};
  if (i % 4 == 1) {
    const double first = azimuth - random->Uniform(0.05, 1.4);
    const double last = azimuth + random->Uniform(0.05, 1.4);
    scene.solid.push_back(MakePlane(-Cross(axis, DirectionAt(torus, first)), torus.o));
    scene.solid.push_back(MakePlane(Cross(axis, DirectionAt(torus, last)), torus.o));
  }
  const bool hollow = i / 4 % 3 == 2;
  const Vec3 n = Normalized(1.5 * random->Direction() - out);
  const Surface quadric =
      QuadricAt(i % 5 % 4, random->LogUniform(0.02, 1), scene.point, hollow ? -n : n, random);
  scene.other = {hollow ? Complement(quadric) : quadric};
  for (int k = 0; k < i / 7 % 4; ++k) {
    const Vec3 m = Normalized(1.2 * random->Direction() - out);
    scene.other.push_back(
        MakePlane(m, Dot(m, scene.point) + random->Uniform(-0.2, 0.4) * scene.depth));
  }
  return scene;
}

/** A torus or a sector of it that a quadric, also a hyperboloid, touches at a point of the tube, to
 a depth in its radii, and planes about that point; of its own numbers. */
Scene TouchingScene(unsigned seed, int i, double shallowest, double deepest) {
  Random random(seed * 1000003u + i);
  Scene scene;
  const double major = 0.3, minor = major * random.LogUniform(0.02, 0.98);
  const Surface torus = MakeTorus(major, minor, random.RandomPose(0.2));
  const double azimuth = random.Uniform(0, 6), tube = random.Uniform(0, 6.28);
  const Vec3 across = DirectionAt(torus, azimuth), axis = torus.R.Col(2);
  const Vec3 out = std::cos(tube) * across + std::sin(tube) * axis;
  scene.depth = minor * random.LogUniform(shallowest, deepest);
  scene.point = torus.o + major * across + (minor - scene.depth) * out;
  scene.solid = {torus};
  if (i % 4 == 1) {
    const double width = random.LogUniform(1e-3, 1.4);
    const double first = azimuth - random.Uniform(0.05, 1) * width;
    const double last = azimuth + random.Uniform(0.05, 1) * width;
    scene.solid.push_back(MakePlane(-Cross(axis, DirectionAt(torus, first)), torus.o));
    scene.solid.push_back(MakePlane(Cross(axis, DirectionAt(torus, last)), torus.o));
  }
  const bool hollow = i / 4 % 3 == 2;
  const double tilt = i % 3 == 0 ? 1.5 : random.LogUniform(1e-6, 1);
  const Vec3 n = Normalized(tilt * random.Direction() - out);
  const double size = random.LogUniform(0.02, 1);
  Surface quadric;
  if (i % 5 == 4) {
    quadric.kind = geometry::SurfaceKind::kQuadric;
    quadric.R = random.Rotation();
    const double first = random.Uniform(0.2, 1) / size, second = random.Uniform(-1, 1) / size;
    quadric.e = {first, second, random.Uniform(-1, -0.2) / size};
    quadric.o = scene.point;
    quadric.l = 0.5 * TransposeTimes(quadric.R, hollow ? -n : n);
  } else {
    quadric = QuadricAt(i % 5, size, scene.point, hollow ? -n : n, &random);
  }
  scene.other = {hollow ? Complement(quadric) : quadric};
  for (int k = 0; k < i / 7 % 4; ++k) {
    const Vec3 m = Normalized(1.2 * random.Direction() - out);
    scene.other.push_back(
        MakePlane(m, Dot(m, scene.point) + random.Uniform(-0.2, 0.4) * scene.depth));
  }
  return scene;
}

// Parts of Ω that begin and end between two looks, beside an event, or where extrema of the level
// are born and die together. The rule lost 4e-7 to all of V of these.
TEST(SliceQuadric, FindsPocketsBetweenLooks) {
  struct Pocket {
    unsigned seed;
    int scene;
    double shallowest, deepest;
  };
  const Pocket kPockets[] = {{1, 770, 1e-9, 1e-4}, {1, 1354, 1e-9, 1e-4}, {1, 764, 1e-9, 1e-4},
                             {2, 262, 1e-6, 1e-1}, {2, 837, 1e-6, 1e-1},  {2, 2144, 1e-6, 1e-1}};
  for (const Pocket& p : kPockets) {
    const Scene scene = TouchingScene(p.seed, p.scene, p.shallowest, p.deepest);
    const Answer column = Column(scene.solid, scene.other, 1e-8);
    const Answer got = Slice(scene.solid, scene.other, 1e-5);
    ASSERT_TRUE(got.result.accepted && column.result.accepted) << p.scene;
    EXPECT_NEAR(got.moments.v / column.moments.v, 1, 3e-7 + got.result.error / column.moments.v)
        << p.scene;
    EXPECT_LT(got.result.error, 1e-4 * got.moments.v) << p.scene;
  }
}

// Depths from a billionth of the tube's radius to all of it, against the column rule.
TEST(SliceQuadric, TouchingPairsAgreeWithColumns) {
  int compared = 0;
  for (int i = 0; i < 600; ++i) {
    const bool deep = i % 2 == 0;
    const Scene scene = TouchingScene(deep ? 11 : 12, i, deep ? 1e-4 : 1e-9, deep ? 1.5 : 1e-4);
    const Answer got = Slice(scene.solid, scene.other, 1e-5);
    if (!got.result.accepted || got.result.error > 1e-4 * got.moments.v) continue;
    const Answer column = Column(scene.solid, scene.other, 1e-5);
    if (!column.result.accepted || column.result.error > 1e-4 * column.moments.v) continue;
    ++compared;
    const double stated = got.result.error + column.result.error;
    EXPECT_NEAR(got.moments.v, column.moments.v, 3 * stated + 2e-6 * got.moments.v) << i;
  }
  EXPECT_GT(compared, 450);
}

// A coaxial cylinder leaves of the tube a segment of the height h on the side of the axis: by
// Pappus V = 2π ∫ ρ dA, and the torus' face pulls nowhere.
TEST(SliceQuadric, CoaxialCylindersByPappus) {
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    const double R = 0.3, a = R * random.Uniform(0.1, 0.9),
                 h = 2 * a * random.LogUniform(0.02, 0.98);
    const Surface torus = MakeTorus(R, a, random.RandomPose(0.3));
    const Surface cylinder = MakeCylinder(R - a + h, {torus.R, torus.o});
    // Of the segment beyond the chord at the distance c from the middle of the tube.
    const double c = a - h, chord = std::sqrt(a * a - c * c);
    const double area = a * a * std::acos(c / a) - c * chord;
    const double v = 2 * kPi * (R * area - 2.0 / 3 * chord * chord * chord);
    const double whole = 2 * kPi * kPi * R * a * a;
    const Answer in = Slice({torus}, {cylinder}, 1e-9);
    const Answer out = Slice({torus}, {Complement(cylinder)}, 1e-9);
    ASSERT_TRUE(in.result.accepted && out.result.accepted) << i;
    EXPECT_NEAR(in.moments.v / v, 1, 1e-11) << i;
    EXPECT_NEAR(out.moments.v / (whole - v), 1, 1e-11) << i;
    EXPECT_LT(Norm(in.metrics.p_WC - torus.o), 1e-11) << i;
    EXPECT_LT(Norm(in.moments.s), 1e-11) << i;
  }
}

// Both sides of a quadric make what is there without it, in every moment.
TEST(SliceQuadric, BothSidesMakeTheWhole) {
  Random random(2);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    Scene scene = RandomScene(i, &random);
    const std::vector<Surface> planes(scene.other.begin() + 1, scene.other.end());
    const Answer whole = Slice(scene.solid, planes, 1e-9);
    scene.other[0].cut = true;
    const Answer in = Slice(scene.solid, scene.other, 1e-9);
    scene.other[0] = Complement(scene.other[0]);
    const Answer out = Slice(scene.solid, scene.other, 1e-9);
    ASSERT_TRUE(whole.result.accepted || planes.empty());
    if (!whole.result.accepted || !in.result.accepted || !out.result.accepted) continue;
    const double v = whole.moments.v, size = std::cbrt(v);
    const double noise = 1e-9 + (whole.result.error + in.result.error + out.result.error) / v;
    if (noise > 1e-7) continue;
    ++compared;
    Moments sum = in.moments;
    sum += out.moments;
    EXPECT_NEAR(sum.v / v, 1, noise) << i;
    EXPECT_LT(Norm(sum.m - whole.moments.m), noise * v) << i;
    EXPECT_LT(Norm(sum.second.diag - whole.moments.second.diag), noise * v) << i;
    EXPECT_LT(Norm(sum.second.off - whole.moments.second.off), noise * v) << i;
    const double area = std::fmax(Norm(whole.moments.s), size * size);
    EXPECT_LT(Norm(sum.s - whole.moments.s), 1e3 * noise * area) << i;
    EXPECT_LT(Norm(sum.g - whole.moments.g), 1e3 * noise * area) << i;
  }
  EXPECT_GT(compared, 200);
}

/** A torus and a cone whose apex is near its tube or exactly at a place of note, with up to two
 planes about there; half of the cones end before their apex. */
Scene TipScene(int i, Random* random) {
  Scene scene;
  const double major = 0.3, minor = major * random->LogUniform(0.02, 0.98);
  const Surface torus = MakeTorus(major, minor, random->RandomPose(0.2));
  const double tube = random->Uniform(0, 6.28);
  const Vec3 across = DirectionAt(torus, random->Uniform(0, 6.28)), axis = torus.R.Col(2);
  const Vec3 out = std::cos(tube) * across + std::sin(tube) * axis;
  const double off = i % 5 == 1 ? 1.0 : i % 5 == 2 ? 0.0 : random->Uniform(0, 1.5);
  Vec3 apex = torus.o + major * across + off * minor * out;
  if (i % 17 == 4) apex = torus.o + random->Uniform(-1, 1) * minor * axis;
  const Vec3 aims[] = {random->Direction(), -out, Cross(axis, across), axis};
  const Vec3 aim = aims[i % 7 < 4 ? 0 : i % 7 - 3];
  const Vec3 side = Normalized(Cross(aim, random->Direction()));
  const Mat3 R = Mat3::FromColumns(side, Cross(aim, side), aim);
  scene.solid = {torus};
  scene.other = {MakeCone(random->LogUniform(0.02, 50), 1.0, {R, apex})};
  const double begins = minor * random->LogUniform(1e-6, 0.5);
  if (i % 2 == 1) scene.other.push_back(MakePlane(-aim, -Dot(aim, apex) - begins));
  for (int k = 0; k < i / 3 % 3; ++k) {
    const Vec3 m = random->Direction();
    scene.other.push_back(MakePlane(m, Dot(m, apex) + random->Uniform(-0.5, 1) * minor));
  }
  scene.point = apex;
  return scene;
}

// Of a cone only the nappe counts, wherever its apex lies: V against columns, all moments against
// those of two parts.
TEST(SliceQuadric, ConesEndAtTheirApex) {
  Random random(21);
  int compared = 0, parted = 0, refused = 0;
  for (int i = 0; i < 300; ++i) {
    Scene scene = TipScene(i, &random);
    const Vec3 n = random.Direction();
    const Surface cut = MakePlane(n, Dot(n, scene.point) + random.Uniform(-0.1, 0.1));
    const Answer got = Slice(scene.solid, scene.other, 1e-7);
    if (!got.result.accepted) ++refused;
    if (!got.result.accepted || got.result.error > 1e-6 * got.moments.v) continue;
    const double v = got.moments.v, size = std::cbrt(v);
    const Answer column = Column(scene.solid, scene.other, 1e-5);
    if (column.result.accepted && column.result.error < 1e-4 * v) {
      ++compared;
      EXPECT_NEAR(v, column.moments.v, 3 * column.result.error + got.result.error + 1e-6 * v) << i;
    }
    scene.other.push_back(cut);
    const Answer below = Slice(scene.solid, scene.other, 1e-7);
    scene.other.back() = MakePlane(-n, -Dot(n, cut.o));
    const Answer above = Slice(scene.solid, scene.other, 1e-7);
    if (!below.result.accepted || !above.result.accepted) continue;
    const double stated = got.result.error + below.result.error + above.result.error;
    if (stated > 1e-5 * v) continue;
    ++parted;
    const double area = std::fmax(Norm(got.moments.s), size * size);
    EXPECT_NEAR(v, below.moments.v + above.moments.v, stated) << i;
    // The cut's own face has the same weight to either side.
    EXPECT_LE(Norm(got.moments.s - below.moments.s - above.moments.s), 1e-4 * area) << i;
    EXPECT_LE(Norm(got.moments.g - below.moments.g - above.moments.g), 1e-4 * area) << i;
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(parted, 120);
  EXPECT_LT(refused, 80);
}

// The column rule knows the same pairs by other sections.
TEST(SliceQuadric, AgreesWithColumns) {
  Random random(3);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Scene scene = RandomScene(i, &random);
    const Answer got = Slice(scene.solid, scene.other, 1e-5);
    if (!got.result.accepted || got.result.error > 1e-5 * got.moments.v) continue;
    const Answer column = Column(scene.solid, scene.other, 1e-5);
    if (!column.result.accepted || column.result.error > 1e-5 * column.moments.v) continue;
    ++compared;
    const double v = column.moments.v, size = std::cbrt(v);
    const double area = std::fmax(Norm(column.moments.s), size * size);
    EXPECT_NEAR(got.moments.v / v, 1, 5e-5) << i;
    EXPECT_LT(Norm(got.metrics.p_WC - column.metrics.p_WC), 1e-3 * size) << i;
    EXPECT_LT(Norm(got.moments.s - column.moments.s), 1e-2 * area) << i;
    EXPECT_LT(Norm(got.moments.g - column.moments.g), 1e-2 * area) << i;
  }
  EXPECT_GT(compared, 200);
}

// −∂V/∂x = S and −∂V/∂θ = G.
TEST(SliceQuadric, AreaVectorAndMomentAreTheGradientOfV) {
  Random random(4);
  int compared = 0;
  for (int i = 0; i < 120; ++i) {
    const Scene scene = RandomScene(i, &random);
    const Answer got = Slice(scene.solid, scene.other, 1e-10);
    if (!got.result.accepted || !(got.moments.v > 1e-6)) continue;
    ++compared;
    const auto volume = [&](const Pose& X) {
      std::vector<Surface> moved;
      for (const Surface& surface : scene.solid) moved.push_back(X * surface);
      return Slice(moved, scene.other, 1e-10).moments.v;
    };
    testing::ExpectGradient(got, volume, i);
  }
  EXPECT_GT(compared, 50);
}

// A torus in a tube, V by columns at 1e-11: what is stated counts when panels are summed in parts.
TEST(SliceQuadric, MeetsANanoToleranceBesideATube) {
  const geometry::Cell torus = geometry::ToCells(*geometry::Leaf(geometry::Torus{0.4, 0.15}))[0];
  const geometry::Cell tube = geometry::ToCells(*geometry::Tree(
      geometry::Operation::kDifference, {geometry::Leaf(geometry::Cylinder{0.4, 0.6}),
                                         geometry::Leaf(geometry::Cylinder{0.3, 2})}))[0];
  const Quaternion turn{-0.6837922163529254, -0.15126069142699625, -0.447644244471747,
                        0.5560243146441529};
  const Pose X{ToRotation(Normalized(turn)),
               {-0.3588686153687478, 0.15810184696715468, 0.38363061935220977}};
  const InterferenceMetrics m = ComputeMetrics({&torus, &tube, X, {}, 1e-9});
  EXPECT_EQ(m.rule, LeafRule::kSlice);
  EXPECT_LE(m.volume_error, 1e-9 * m.volume);
  EXPECT_NEAR(m.volume, 0.012649927459307, m.volume_error);
}

// A ring on the rim of a drum, and over the edge of a hole: this rule is the one that answers, and
// the sectors into which a body's torus is cut add up to it.
TEST(SliceQuadric, SectorsOnRims) {
  Random random(5);
  const geometry::Cell drum = intervox::testing::CellsOf(geometry::Cylinder{0.3, 0.8})[0];
  const geometry::Cell hole = intervox::testing::HoledBoxCells({1, 1, 0.5}, 0.25)[0];
  const std::vector<geometry::Cell> whole = intervox::testing::CellsOf(geometry::Torus{0.3, 0.1});
  const std::vector<geometry::Cell> sectors = geometry::SplitHollows(whole);
  int sliced = 0, met = 0;
  for (int i = 0; i < 60; ++i) {
    const geometry::Cell& other = i % 2 == 0 ? drum : hole;
    Pose X = random.RandomPose(0.05);
    const double azimuth = random.Uniform(0, 6);
    const Vec3 rim{(i % 2 == 0 ? 0.3 : 0.25) * std::cos(azimuth),
                   (i % 2 == 0 ? 0.3 : 0.25) * std::sin(azimuth), i % 2 == 0 ? 0.4 : 0.25};
    X.p = rim - X.R * Vec3{0.3, 0.0, 0.1 - random.LogUniform(1e-3, 0.05)};
    const InterferenceMetrics all = ComputeMetrics({&whole[0], &other, X, {}, 1e-6});
    double sum = 0;
    for (const geometry::Cell& sector : sectors) {
      const InterferenceMetrics part = ComputeMetrics({&sector, &other, X, {}, 1e-6});
      sum += part.volume;
      met += part.volume > 0 ? 1 : 0;
      sliced += part.volume > 0 && part.rule == LeafRule::kSlice ? 1 : 0;
      const InterferenceMetrics swapped = ComputeMetrics({&other, &sector, {}, X, 1e-6});
      EXPECT_EQ(swapped.volume, part.volume) << i;
      EXPECT_EQ(Norm(swapped.area_vector + part.area_vector), 0) << i;
    }
    if (all.status == Status::kOk) {
      EXPECT_NEAR(sum / all.volume, 1, 2e-5) << i;
    }
  }
  EXPECT_GT(met, 40);
  EXPECT_GT(sliced, met / 2);
}

}  // namespace
}  // namespace intervox::cuda
