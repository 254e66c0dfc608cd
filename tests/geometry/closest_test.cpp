// Closest points of quadrics, against points of the surface all around and the equations of a foot.
#include "geometry/closest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "geometry/make_surface.h"
#include "geometry/surface_eval.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::geometry::internal {
namespace {

/** That p lies on the surface, that c − p has its normal's direction, and that no point of a dense
 set on the ellipsoid is nearer to c. */
void ExpectFoot(const Surface& s, const Vec3& radii, const Vec3& c, const std::string& what) {
  SCOPED_TRACE(what);
  const ClosestPoints found = ClosestOnSurface(s, c);
  ASSERT_GE(found.count, 1);
  const Vec3& p = found.x[0];
  const double size = std::max({radii.x, radii.y, radii.z});
  const double least = std::min({radii.x, radii.y, radii.z});
  const Vec3 g = Normalized(Gradient(s, p));
  EXPECT_LT(std::fabs(Value(s, p)) / Norm(Gradient(s, p)), 1e-13 * (size + Norm(c - s.o)));
  const Vec3 way = c - p;
  EXPECT_LT(Norm(Cross(way, g)), 1e-12 * (Norm(way) + size) * size / least);
  const Vec3 y = TransposeTimes(s.R, c - s.o);
  const double distance = Norm(way);
  constexpr int kRows = 60;
  for (int i = 0; i <= kRows; ++i) {
    for (int j = 0; j < 2 * kRows; ++j) {
      const double theta = M_PI * i / kRows, phi = M_PI * j / kRows;
      const Vec3 u{radii.x * std::sin(theta) * std::cos(phi),
                   radii.y * std::sin(theta) * std::sin(phi), radii.z * std::cos(theta)};
      ASSERT_GE(Norm(u - y), distance - 1e-13 * (size + distance));
    }
  }
}

TEST(Closest, OnEllipsoidsOfAnySizeAndAspectFromInsideAndOutside) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const double size = std::pow(10.0, random.Uniform(-4.0, 2.0));
    Vec3 radii;
    for (int k = 0; k < 3; ++k) radii[k] = size * std::pow(10.0, random.Uniform(-2.0, 0.0));
    if (trial % 5 == 0) radii.y = radii.x;
    const Pose X{random.Rotation(), random.InBox(size)};
    const Surface s = MakeEllipsoid(radii, X);
    const double far = size * std::pow(10.0, random.Uniform(-3.0, 2.0));
    Vec3 y = random.InBox(far);
    if (trial % 3 == 0) y = Scaled(random.InBox(0.57), radii);  // inside
    // On planes and axes of symmetry, and beside them by less than rounding.
    if (trial % 4 == 0) y[trial % 3] = trial % 8 == 0 ? 0.0 : 1e-18 * size;
    if (trial % 12 == 0) y[(trial + 1) % 3] = 0.0;
    ExpectFoot(s, radii, X * y, "trial " + std::to_string(trial));
  }
  ExpectFoot(MakeEllipsoid({1, 2, 3}, {}), {1, 2, 3}, {0, 0, 0}, "the centre");
}

TEST(Closest, MovesWithThePointWithoutAJump) {
  // Along a line through an egg its distance never changes by more than the way.
  Random random(2);
  for (int trial = 0; trial < 40; ++trial) {
    const Vec3 radii{0.016, 0.011, 0.0089};
    const Surface s = MakeEllipsoid(radii, {random.Rotation(), random.InBox(0.02)});
    const Vec3 from = s.o + random.InBox(0.03), to = s.o + random.InBox(0.03);
    constexpr int kSteps = 3000;
    double before = -1.0;
    for (int k = 0; k <= kSteps; ++k) {
      const Vec3 c = from + (static_cast<double>(k) / kSteps) * (to - from);
      const ClosestPoints found = ClosestOnSurface(s, c);
      ASSERT_GE(found.count, 1) << "trial " << trial << " at " << k;
      const double level = std::copysign(Norm(c - found.x[0]), Value(s, c));
      if (k > 0) {
        ASSERT_LE(std::fabs(level - before), 1.0000001 * Norm(to - from) / kSteps + 1e-15);
      }
      before = level;
    }
  }
}

TEST(Closest, OnHyperboloidsAndParaboloidsTheNearestOfAllSheets) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    Surface s;
    s.kind = SurfaceKind::kQuadric;
    s.e = {random.Uniform(-1.0, 1.0), random.Uniform(-1.0, 1.0), random.Uniform(-1.0, 1.0)};
    s.l = trial % 2 == 0 ? Vec3{} : random.InBox(0.5);
    if (trial % 3 == 0) {
      s.e.z = 0.0;
      s.l = {0.0, 0.0, 0.5};
    }
    s.c = random.Uniform(-0.5, 0.5);
    const Vec3 c = random.InBox(1.5);
    const ClosestPoints found = ClosestOnSurface(s, c);
    // Witness: the first crossing of the surface on lines from c in all directions.
    double nearest = HUGE_VAL;
    constexpr int kLines = 20000;
    for (int k = 0; k < kLines; ++k) {
      const double z = 1.0 - (2.0 * k + 1.0) / kLines, phi = 2.399963229728653 * k;
      const double rho = std::sqrt(1.0 - z * z);
      const Vec3 u{rho * std::cos(phi), rho * std::sin(phi), z};
      const double A = Dot(Scaled(s.e, u), u), B = Dot(Scaled(s.e, c) + s.l, u), C = Value(s, c);
      const double under = B * B - A * C;
      if (under < 0.0) continue;
      for (const double q : {-B - std::sqrt(under), -B + std::sqrt(under)}) {
        const double x = q / A;
        if (x > 0.0) nearest = std::min(nearest, x);
      }
    }
    if (!std::isfinite(nearest)) continue;
    ASSERT_GE(found.count, 1) << "trial " << trial;
    EXPECT_LT(std::fabs(Value(s, found.x[0])), 1e-12 * (1.0 + SquaredNorm(found.x[0])));
    EXPECT_LE(Norm(c - found.x[0]), nearest * (1.0 + 1e-12)) << "trial " << trial;
    EXPECT_GE(Norm(c - found.x[0]), nearest * (1.0 - 1e-2) - 2e-3) << "trial " << trial;
  }
}

}  // namespace
}  // namespace intervox::geometry::internal
