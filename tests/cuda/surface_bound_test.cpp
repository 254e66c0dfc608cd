// Signs of surfaces over polytopes: what is claimed holds at every sample, and enough is claimed.
#include "cuda/surface/surface_bound.h"

#include <gtest/gtest.h>

#include "cuda/rules/polytope/rule.h"
#include "geometry/surface_eval.h"
#include "tests/cuda/families.h"

namespace intervox::cuda {
namespace {

// Rods, plates and blocks of any size, near and across the surface, with samples at their corners,
// edges and inside.
TEST(SurfaceBound, SignsHoldAllOverABox) {
  testing::Random random(31);
  for (const testing::Family& family : testing::AllFamilies()) {
    for (const geometry::Surface& s : family.cell.surfaces) {
      if (s.kind == geometry::SurfaceKind::kPlane) continue;
      int claimed[3] = {}, crossing = 0;
      for (int k = 0; k < 2000; ++k) {
        const Vec3 half{random.LogUniform(3e-3, 0.4), random.LogUniform(3e-3, 0.4),
                        random.LogUniform(3e-3, 0.4)};
        const Pose X = random.RandomPose(0.7);
        SmallPolyhedron box;
        box.SetBox(X, half);
        const int sign = SignOver(s, box);
        ++claimed[sign + 1];
        double low = 1e300, high = -1e300;
        for (int i = 0; i < 125; ++i) {
          const Vec3 u{0.5 * (i % 5) - 1, 0.5 * (i / 5 % 5) - 1, 0.5 * (i / 25) - 1};
          const double f = geometry::Value(s, X * Scaled(half, u));
          low = std::fmin(low, f);
          high = std::fmax(high, f);
        }
        crossing += low < 0 && high > 0;
        ASSERT_TRUE(sign >= 0 || high < 0) << family.name << " " << k;
        ASSERT_TRUE(sign <= 0 || low > 0) << family.name << " " << k;
      }
      EXPECT_GT(crossing, 100) << family.name;
      EXPECT_GT(claimed[0], 10) << family.name;
      EXPECT_GT(claimed[2], 200) << family.name;
    }
  }
}

}  // namespace
}  // namespace intervox::cuda
