#include "cuda/rules/center/rule.h"

#include <gtest/gtest.h>

#include "tests/cuda/leaf_pairs.h"

namespace intervox::cuda {
namespace {

using geometry::Complement;
using geometry::MakeCylinder;
using geometry::MakeEllipsoid;
using geometry::MakePlane;
using geometry::MakeTorus;
using geometry::Surface;
using testing::Answer;
using testing::Ask;
using testing::MakePair;
using testing::Random;

constexpr double kPi = 3.14159265358979323846;

Answer Center(const LocalPair& pair, double h) {
  return Ask(pair, [h](const LocalPair& p, Moments* m) { return CenterRule(p, h, m); });
}

TEST(CenterRule, CountsWhatThreeLoopsCount) {
  Random random(1);
  for (int i = 0; i < 6; ++i) {
    const Pose X{random.Rotation(), random.Vector(0.1)};
    const Surface a = MakeTorus(0.3, 0.15, X);
    const Surface b = i % 2 == 0 ? Complement(MakeCylinder(0.25)) : MakePlane({1, 0, 0}, 0.1);
    const double h = 0.021;
    const LocalPair pair =
        MakePair({a}, {b}, {0.01, 0.02, 0.03}, {-0.5, -0.5, -0.5}, {0.6, 0.6, 0.6}, 1e-3);
    const Answer count = Center(pair, h);
    ASSERT_TRUE(count.result.accepted);
    const auto side = [&](const Vec3& x, int body) {
      const Vec3 p = x + pair.p_WL;
      return geometry::Level(body == 0 ? a : b, p) <= 0;
    };
    double voxels = 0;
    Vec3 m, s, q;
    for (int k = 0; k < 64 * 64 * 64; ++k) {
      const Vec3 c = h * Vec3{k % 64 - 31.5, k / 64 % 64 - 31.5, k / 4096 - 31.5};
      if (!side(c, 0) || !side(c, 1)) continue;
      voxels += 1;
      m += h * h * h * c;
      q += h * h * h * (Scaled(c, c) + h * h / 12 * Vec3{1, 1, 1});
      for (int axis = 0; axis < 3; ++axis) {
        for (int sign = -1; sign <= 1; sign += 2) {
          Vec3 n;
          n[axis] = sign;
          const bool in_a = side(c + h * n, 0), in_b = side(c + h * n, 1);
          if (in_a != in_b) s += (in_a ? 0.5 : -0.5) * h * h * n;
        }
      }
    }
    EXPECT_NEAR(count.moments.v, voxels * h * h * h, 1e-12 * count.moments.v);
    EXPECT_LT(Norm(count.moments.m - m), 1e-13);
    EXPECT_LT(Norm(count.moments.second.diag - q), 1e-13);
    EXPECT_LT(Norm(count.moments.s - s), 1e-13);
  }
}

TEST(CenterRule, BoxOnTheLatticeIsExact) {
  const LocalPair pair =
      MakePair(testing::BoxSurfaces({0.4, 0.6, 0.8}), {MakePlane({0, 0, 1}, 0.1)}, {},
               {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, 1e-3);
  const Answer count = Center(pair, 0.1);
  const InterferenceMetrics& m = count.metrics;
  EXPECT_NEAR(m.volume, 0.12, 1e-14);
  EXPECT_NEAR(m.p_WC.z, -0.15, 1e-14);
  EXPECT_NEAR(m.J_W(2, 2), 0.12 / 12 * (0.16 + 0.36), 1e-14);
  // Faces of the plane ½, of the box −½: the cut has 0.24 m², so has what faces it.
  EXPECT_LT(Norm(m.area_vector - Vec3{0, 0, 0.24}), 1e-14);
}

TEST(CenterRule, FirstOrderAndWithinItsBound) {
  const double v = 2 * kPi / 3 * 0.027;
  Random random(2);
  double errors[3] = {};
  const double sizes[3] = {0.04, 0.02, 0.01};
  for (int i = 0; i < 12; ++i) {
    const Vec3 n = random.Direction();
    const LocalPair pair = MakePair({MakeEllipsoid({0.3, 0.3, 0.3})}, {MakePlane(n, 0.0)},
                                    random.Vector(0.1), {-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 1e-3);
    for (int k = 0; k < 3; ++k) {
      const Answer count = Center(pair, sizes[k]);
      const double error = std::fabs(count.moments.v - v);
      EXPECT_LT(error, 2 * count.result.error);
      errors[k] += error / v;
      EXPECT_LT(Norm(count.moments.s - kPi * 0.09 * n), 3 * sizes[k]);
    }
  }
  EXPECT_LT(errors[1], 0.7 * errors[0]);
  EXPECT_LT(errors[2], 0.7 * errors[1]);
  EXPECT_LT(errors[2] / 12, 0.01);
}

TEST(CenterRule, WorkFollowsTheBoundary) {
  const LocalPair pair = MakePair({MakeEllipsoid({0.3, 0.3, 0.3})}, {MakePlane({0, 0, 1}, 0.0)}, {},
                                  {-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 1e-3);
  const int coarse = Center(pair, 0.02).result.work, fine = Center(pair, 0.005).result.work;
  EXPECT_LT(fine, 20 * coarse);
  EXPECT_GT(fine, 10 * coarse);
}

TEST(CenterRule, RefusesLatticesBeyondItsRange) {
  const LocalPair pair = MakePair({MakeEllipsoid({0.3, 0.3, 0.3})}, {MakePlane({0, 0, 1}, 0.0)}, {},
                                  {-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4}, 1e-3);
  EXPECT_FALSE(Center(pair, 1e-7).result.accepted);
  EXPECT_TRUE(Center(pair, 0).result.accepted);
}

}  // namespace
}  // namespace intervox::cuda
