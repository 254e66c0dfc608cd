#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using testing::BoxCell;
using testing::Cell;
using testing::Random;

InterferenceMetrics Metrics(const Cell& a, const Pose& X_WA, const Cell& b, const Pose& X_WB) {
  PairQuery q;
  q.a = &a;
  q.b = &b;
  q.X_WA = X_WA;
  q.X_WB = X_WB;
  return ComputeMetrics(q);
}

Pose At(double x, double y, double z) { return {Mat3::Identity(), {x, y, z}}; }

void ExpectNear(const Vec3& a, const Vec3& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Polytope, AlignedBoxesHaveClosedForm) {
  const Cell a = BoxCell({1, 2, 3}), b = BoxCell({4, 5, 6});
  // Ω = [0.1, 0.5] × [−1, 1] × [−0.9, 1.5].
  const InterferenceMetrics m = Metrics(a, {}, b, At(2.1, 0.5, 2.1));
  ASSERT_EQ(m.status, Status::kOk);
  EXPECT_EQ(m.rule, LeafRule::kPolytope);
  const double x = 0.4, y = 2, z = 2.4, V = x * y * z;
  EXPECT_NEAR(m.volume, V, 1e-14);
  ExpectNear(m.p_WC, {0.3, 0, 0.3}, 1e-14);
  EXPECT_NEAR(m.J_W(0, 0), V * (y * y + z * z) / 12, 1e-14);
  EXPECT_NEAR(m.J_W(1, 1), V * (x * x + z * z) / 12, 1e-14);
  EXPECT_NEAR(m.J_W(2, 2), V * (x * x + y * y) / 12, 1e-14);
  EXPECT_NEAR(m.J_W(0, 1), 0, 1e-14);
  // B's faces in A: x = 0.1 with normal −x, z = −0.9 with normal −z.
  ExpectNear(m.area_vector, {-y * z, 0, -x * y}, 1e-14);
  // G = Σ (p_face − p_C) × n A: (−0.2,0,0)×(−x) = 0 and (0,0,−1.2)×(−z) = 0.
  ExpectNear(m.area_moment, {0, 0, 0}, 1e-14);
  EXPECT_LE(m.volume_lo, V);
  EXPECT_GE(m.volume_hi, V);
  EXPECT_FALSE(m.contained);
}

TEST(Polytope, OctagonalPrism) {
  const Cell a = BoxCell({0.3, 0.3, 0.2}), b = BoxCell({0.3, 0.3, 0.4});
  const InterferenceMetrics m =
      Metrics(a, {}, b, {testing::Turned({0, 0, std::acos(-1.0) / 4}, Mat3::Identity()), {}});
  EXPECT_NEAR(m.volume, 0.2 * 0.09 * 2 * (std::sqrt(2.0) - 1), 1e-15);
  EXPECT_EQ(m.work, 10);
}

TEST(Polytope, ThinShellKeepsItsDigits) {
  // Depth 1e-5 of the size at 2 m from the world's origin.
  const double depth = 1e-5;
  const Cell a = BoxCell({1, 1, 0.2}), b = BoxCell({2, 2, 0.5});
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Pose X = {random.Rotation(), random.Vector(2)};
    PairQuery q{&a, &b, X * At(0.1, 0.2, 0.35 - depth), X};
    q.X_WA.R = testing::Turned(random.Vector(1e-6), q.X_WA.R);
    const double V = testing::EnumeratedVolume(q);
    const InterferenceMetrics m = ComputeMetrics(q);
    ASSERT_NEAR(V, 1e-5, 3e-6);
    EXPECT_NEAR(m.volume, V, 2e-11 * V);  // 1e-12 · 1e-4 size/depth, B is 2 m wide
    EXPECT_NEAR(m.volume, V, m.volume_error);
    EXPECT_LT(m.volume_error, 1e-9 * V);
    EXPECT_LE(m.volume_lo, V);
    EXPECT_GE(m.volume_hi, V);
  }
}

TEST(Polytope, AgreesWithEnumeratedCorners) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Cell a = i % 2 ? BoxCell({1, 0.7, 0.4}) : random.Hull(10, 0.6);
    const Cell b = i % 3 ? BoxCell({0.8, 1.1, 0.5}) : random.Hull(9, 0.7);
    const PairQuery q{&a, &b, random.RandomPose(0.3), random.RandomPose(0.3)};
    const double V = testing::EnumeratedVolume(q);
    const InterferenceMetrics m = ComputeMetrics(q);
    EXPECT_NEAR(m.volume, V, 1e-12 * V + 1e-17) << i;
    EXPECT_EQ(m.status, V > 1e-15 ? Status::kOk : Status::kDisjoint) << i;
  }
}

TEST(Polytope, FlushFacesAtAnyTiltAndGap) {
  // Nearly coincident faces meet in an ill-conditioned line, which must not show in V. A unit
  // square and itself turned by θ share 2/(1 + sin θ + cos θ).
  const Cell a = BoxCell({1, 1, 1});
  Random random(5);
  for (double tilt = 1e-16; tilt < 1e-2; tilt *= 1.7) {
    const Pose X = random.RandomPose(1);
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 v;
      v[axis] = tilt;
      const InterferenceMetrics m = Metrics(a, X, a, X * Pose{testing::Turned(v, {}), {}});
      EXPECT_NEAR(m.volume, 2 / (1 + std::sin(tilt) + std::cos(tilt)), 1e-12) << tilt;
    }
    EXPECT_NEAR(Metrics(a, X, a, X * At(tilt, 0, 0)).volume, 1 - tilt, 1e-12) << tilt;
  }
}

TEST(Polytope, IdenticalCells) {
  Random random(6);
  for (int i = 0; i < 50; ++i) {
    const Cell a = i == 0 ? BoxCell({1, 2, 3}) : random.Hull(12, 1);
    const Pose X = random.RandomPose(10);
    const InterferenceMetrics m = Metrics(a, X, a, X);
    EXPECT_EQ(m.status, Status::kOk);
    EXPECT_TRUE(m.contained);
    EXPECT_EQ(m.area_vector, Vec3{});
    EXPECT_EQ(m.area_moment, Vec3{});
    if (i == 0) {
      EXPECT_NEAR(m.volume, 6, 1e-12);
    }
  }
}

TEST(Polytope, CoincidentFacesCountHalf) {
  const Cell big = BoxCell({2, 2, 2}), small = BoxCell({1, 1, 1});
  // The small box inside the big one with the faces x = 1 flush, in any pose.
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    const Pose X = random.RandomPose(3);
    const InterferenceMetrics m = Metrics(big, X, small, X * At(0.5, 0, 0));
    EXPECT_NEAR(m.volume, 1, 1e-12);
    EXPECT_TRUE(m.contained);
    // One-sided derivatives along x: 0 and ∓1, so S is half a face.
    ExpectNear(TransposeTimes(X.R, m.area_vector), {-0.5, 0, 0}, 1e-12);
    const InterferenceMetrics w = Metrics(small, X * At(0.5, 0, 0), big, X);
    EXPECT_EQ(w.area_vector, -m.area_vector);
  }
}

TEST(Polytope, CutFacesAreLeftOut) {
  Cell a = BoxCell({1, 1, 1});
  a.surfaces[1].cut = true;  // x = 0.5
  const Cell b = BoxCell({3, 3, 3});
  const InterferenceMetrics m = Metrics(a, {}, b, {});
  // −½ of A's closed surface without the face x = 0.5.
  ExpectNear(m.area_vector, {0.5, 0, 0}, 1e-15);
  // Two halves of a box give the whole box's S.
  Cell left = BoxCell({1, 1, 1}), right = BoxCell({1, 1, 1});
  left.surfaces[1].cut = true;
  right.surfaces[0].cut = true;
  const Cell whole = BoxCell({2, 1, 1});
  Random random(8);
  for (int i = 0; i < 30; ++i) {
    const Pose X = random.RandomPose(0.5), X_WB = random.RandomPose(0.5);
    const Cell c = random.Hull(8, 1);
    const InterferenceMetrics l = Metrics(left, X * At(-0.5, 0, 0), c, X_WB);
    const InterferenceMetrics r = Metrics(right, X * At(0.5, 0, 0), c, X_WB);
    const InterferenceMetrics w = Metrics(whole, X, c, X_WB);
    EXPECT_NEAR(l.volume + r.volume, w.volume, 1e-13);
    ExpectNear(l.area_vector + r.area_vector, w.area_vector, 1e-13);
  }
}

TEST(Polytope, TouchingIsDisjoint) {
  const Cell a = BoxCell({1, 1, 1});
  Random random(9);
  for (int i = 0; i < 50; ++i) {
    const Pose X = random.RandomPose(2);
    EXPECT_EQ(Metrics(a, X, a, X * At(1, 0.3, 0.2)).status, Status::kDisjoint);
    EXPECT_EQ(Metrics(a, X, a, X * At(1, 1, 0)).status, Status::kDisjoint);
    EXPECT_EQ(Metrics(a, X, a, X * At(1, 1, 1)).status, Status::kDisjoint);
    EXPECT_EQ(Metrics(a, X, a, X * At(1.0 + 1e-9, 0, 0)).status, Status::kDisjoint);
    EXPECT_EQ(Metrics(a, X, a, X * At(1.0 - 1e-9, 0, 0)).status, Status::kOk);
  }
}

TEST(Polytope, CornerInAFace) {
  const Cell a = BoxCell({1, 1, 1}), floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  // Diagonal upright: a corner sticks depth below; V = depth³ √3/2 for the cube's corner.
  const Vec3 n = Normalized(Vec3{1, 1, 1});
  const Vec3 u = AnyOrthogonal(n);
  const Mat3 R = Transpose(Mat3::FromColumns(u, Cross(n, u), n));
  for (double depth : {0.3, 1e-2, 1e-4, 1e-6}) {
    const InterferenceMetrics m = Metrics(a, {R, {0, 0, std::sqrt(0.75) - depth}}, floor, {});
    const double V = depth * depth * depth * std::sqrt(3.0) / 2;
    EXPECT_NEAR(m.volume, V, V * (1e-12 + 1e-15 / depth));
    ExpectNear(m.area_vector, {0, 0, 3 * V / depth}, 1e-12 + 1e-14 * depth);
  }
}

TEST(Polytope, FarFromTheWorldsOrigin) {
  // A 1 µm³ overlap 100 m away: positions that doubles hold exactly, so V has a closed form.
  const Cell a = BoxCell({0.5, 0.5, 0.5});
  const double depth = std::ldexp(1.0, -20);
  const Vec3 p{100, -64, 37};
  const InterferenceMetrics m =
      Metrics(a, {{}, p}, a, {{}, p + Vec3{0.5 - depth, 0.5 - depth, 0.5 - depth}});
  const double V = depth * depth * depth;
  EXPECT_NEAR(m.volume, V, 1e-9 * V);
  EXPECT_NEAR(m.J_W(0, 0), V * depth * depth / 6, 1e-9 * V * depth * depth);
  ExpectNear(m.p_WC, p + Vec3{0.25, 0.25, 0.25} - 0.5 * Vec3{depth, depth, depth}, 1e-13);
}

TEST(Polytope, FarFromTheWorldsOriginAndFromItsOwn) {
  // The cell's centre has bits that its place 100 m away would swallow.
  const double bits = std::ldexp(1.0, -48), shift = 0.25 + bits, depth = std::ldexp(1.0, -20);
  std::vector<geometry::Surface> planes;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = -1; sign <= 1; sign += 2) {
      Vec3 n;
      n[axis] = sign;
      planes.push_back(geometry::MakePlane(n, 0.25 + sign * shift));
    }
  }
  const Cell a = geometry::MakeCell(planes, "shifted"), b = BoxCell({1, 1, 1});
  // a is [bits, 0.5 + bits]³; b reaches depth into it along x.
  const Vec3 p{100, -64, 37};
  const InterferenceMetrics m = Metrics(a, {{}, p}, b, {{}, p + Vec3{-0.5 + depth, 0, 0}});
  const double V = (depth - bits) * (0.5 - bits) * (0.5 - bits);
  EXPECT_NEAR(m.volume, V, 1e-9 * V);
}

TEST(Polytope, ScalesFromMicrometresToKilometres) {
  Random random(10);
  const Pose X_WA = random.RandomPose(0.2), X_WB = random.RandomPose(0.2);
  const Cell a = BoxCell({1, 0.8, 0.6}), b = BoxCell({0.7, 0.9, 0.5});
  const double V = Metrics(a, X_WA, b, X_WB).volume;
  for (double s : {1e-6, 1e-3, 1e3}) {
    const Cell sa = BoxCell(s * Vec3{1, 0.8, 0.6}), sb = BoxCell(s * Vec3{0.7, 0.9, 0.5});
    const InterferenceMetrics m = Metrics(sa, {X_WA.R, s * X_WA.p}, sb, {X_WB.R, s * X_WB.p});
    EXPECT_NEAR(m.volume / (s * s * s), V, 1e-13);
  }
  // Huge against tiny: a 1 µm cube, half sunk in a kilometre of ground.
  const Cell ground = BoxCell({1024, 1024, 1024}), grain = BoxCell({1e-6, 1e-6, 1e-6});
  const InterferenceMetrics m = Metrics(grain, {}, ground, At(0, 0, -512));
  EXPECT_NEAR(m.volume, 0.5e-18, 1e-24);
}

TEST(Polytope, UnboundedCells) {
  const Cell down = testing::HalfSpaceCell({0, 0, 1}, 0);
  EXPECT_EQ(Metrics(down, {}, down, At(0, 0, 1)).status, Status::kUnbounded);
  Random random(11);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(Metrics(down, random.RandomPose(1), down, random.RandomPose(1)).status,
              Status::kUnbounded);
  }
  const Cell up = testing::HalfSpaceCell({0, 0, -1}, 1);  // z ≥ −1
  EXPECT_EQ(Metrics(down, {}, up, {}).status, Status::kUnbounded);
  EXPECT_EQ(Metrics(down, {}, up, At(0, 0, 2)).status, Status::kDisjoint);
  // Two unbounded cells whose overlap is a tetrahedron: the octant and a slanted half-space.
  const Cell octant = geometry::MakeCell(
      {geometry::MakePlane({-1, 0, 0}, 0.0), geometry::MakePlane({0, -1, 0}, 0.0),
       geometry::MakePlane({0, 0, -1}, 0.0)},
      "octant");
  const Cell slanted = testing::HalfSpaceCell({1, 1, 1}, std::sqrt(3.0));
  const InterferenceMetrics m = Metrics(octant, {}, slanted, {});
  EXPECT_EQ(m.status, Status::kOk);
  EXPECT_NEAR(m.volume, 4.5, 1e-11);
}

TEST(Polytope, HullsOfHundredsOfFaces) {
  Random random(12);
  const Cell a = random.Hull(300, 1);
  ASSERT_GT(a.surfaces.size(), 300u);
  const Cell b = BoxCell({1, 1, 1});
  for (int i = 0; i < 5; ++i) {
    const Pose X_WA = random.RandomPose(0.5), X_WB = random.RandomPose(0.5);
    const InterferenceMetrics m = Metrics(a, X_WA, b, X_WB);
    double rest = 0;
    for (const Cell& piece : testing::ComplementPieces(b)) {
      rest += Metrics(a, X_WA, piece, X_WB).volume;
    }
    EXPECT_EQ(m.status, Status::kOk);
    EXPECT_NEAR(m.volume + rest, Metrics(a, X_WA, a, X_WA).volume, 1e-11);
  }
  const Pose X = random.RandomPose(0.5);
  const Cell c = random.Hull(300, 1);
  const InterferenceMetrics m = Metrics(a, {}, c, X);
  EXPECT_EQ(m.status, Status::kOk);
  EXPECT_GT(m.volume, 0.5);
}

TEST(Polytope, WithoutCornersTheBoundsAreClipped) {
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    const Cell a = random.Hull(9, 1), b = random.Hull(11, 1);
    Cell bare_a = a, bare_b = b;
    bare_a.corners = {};
    bare_b.corners = {};
    const Pose X = random.RandomPose(0.5);
    const InterferenceMetrics m = Metrics(a, {}, b, X), bare = Metrics(bare_a, {}, bare_b, X);
    EXPECT_NEAR(m.volume, bare.volume, 1e-13);
    ExpectNear(m.area_vector, bare.area_vector, 1e-12);
  }
}

TEST(Polytope, BadInputIsAStatus) {
  const Cell a = BoxCell({1, 1, 1});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Metrics(a, At(nan, 0, 0), a, {}).status, Status::kInvalid);
  EXPECT_EQ(Metrics(a, {}, a, At(0, 1.0 / 0.0, 0)).status, Status::kInvalid);
  Pose sheared;
  sheared.R.row0.y = 0.5;
  EXPECT_EQ(Metrics(a, sheared, a, {}).status, Status::kInvalid);
  EXPECT_EQ(ComputeMetrics({}).status, Status::kInvalid);
}

}  // namespace
}  // namespace intervox
