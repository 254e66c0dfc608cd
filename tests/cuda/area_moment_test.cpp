// S and G of whole queries, as the engine answers them, against closed forms; and sums over parts.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/moments/metrics_sum.h"
#include "tests/cuda/families.h"

namespace intervox {
namespace {

using testing::Cell;
using testing::Random;

const double kPi = std::acos(-1.0);

// Swaps the pair and moves it anywhere: what is checked must turn with it.
struct Placed {
  PairQuery query;
  Pose X;
  double sign = 1.0;
};

template <class Check>
void EverywhereAndSwapped(const PairQuery& query, const Check& check) {
  Random random(17);
  for (int k = 0; k < 6; ++k) {
    Placed placed{query, k < 2 ? Pose{} : random.RandomPose(k < 4 ? 0.3 : 3.0)};
    placed.query.X_WA = placed.X * query.X_WA;
    placed.query.X_WB = placed.X * query.X_WB;
    if (k % 2 == 1) {
      std::swap(placed.query.a, placed.query.b);
      std::swap(placed.query.X_WA, placed.query.X_WB);
      placed.sign = -1.0;
    }
    const InterferenceMetrics m = ComputeMetrics(placed.query);
    ASSERT_EQ(m.status, Status::kOk);
    check(m, placed.sign * TransposeTimes(placed.X.R, m.area_vector),
          placed.sign * TransposeTimes(placed.X.R, m.area_moment), Inverse(placed.X) * m.p_WC);
  }
}

// An edge of a box dips into a plane: a prism over a triangle with legs a, b along the box's faces.
// Both integrals are over the water line, whose middle is off the centroid by a third of the way to
// the edge and its area normal to it: G = (c − p_C) × A n.
TEST(AreaMoment, OfABoxsEdgeInAPlane) {
  const double length = 0.7;
  const Cell box = testing::BoxCell({2, length, 3}), floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  for (const double turn : {0.01, 0.2, 0.7, 1.1, 1.55}) {
    for (const double depth : {1e-3, 0.03, 0.4}) {
      const double c = std::cos(turn), s = std::sin(turn);
      const double a = depth / s, b = depth / c;  // along the box's x and z
      if (a > 1.9 || b > 2.9) continue;
      const Mat3 R{{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
      // The lowest edge: x to the right falls by s.
      const Vec3 edge = R * Vec3{1, 0, -1.5};
      PairQuery q{&box, &floor, {R, Vec3{0, 0, -depth - edge.z}}, {}, 1e-6};
      const Vec3 lowest = q.X_WA * Vec3{1, 0, -1.5};
      const Vec3 left = lowest - a * (R * Vec3{1, 0, 0}), right = lowest + b * (R * Vec3{0, 0, 1});
      ASSERT_NEAR(left.z, 0, 1e-14);
      ASSERT_NEAR(right.z, 0, 1e-14);
      const Vec3 S{0, 0, length * Norm(right - left)};
      const Vec3 centroid = (lowest + left + right) / 3.0;
      const Vec3 G = Cross(0.5 * (left + right) - centroid, S);
      EverywhereAndSwapped(
          q, [&](const InterferenceMetrics& m, const Vec3& S_m, const Vec3& G_m, const Vec3& p_C) {
            EXPECT_NEAR(m.volume, 0.5 * a * b * length, 1e-10 * m.volume);
            EXPECT_LT(Norm(p_C - centroid), 1e-9 * Norm(right - left));
            EXPECT_LT(Norm(S_m - S), 1e-9 * Norm(S));
            // G's arm is from the centroid and errs as that does.
            EXPECT_LT(Norm(G_m - G), 1e-9 * Norm(S) * Norm(right - left)) << turn << " " << depth;
          });
    }
  }
}

// A hoof: the plane through a diameter of an upright cylinder's bottom, at the angle θ to it.
TEST(AreaMoment, OfACylinderThatDipsByHalfItsBottom) {
  const double R = 0.4;
  const Cell can = testing::CellsOf(geometry::Cylinder{R, 2.0})[0];
  const Cell floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  for (const double theta : {0.05, 0.4, 1.0}) {
    const double c = std::cos(theta), s = std::sin(theta), t = s / c;
    const Mat3 R_WA{{c, 0, s}, {0, 1, 0}, {-s, 0, c}};
    const PairQuery q{&can, &floor, {R_WA, -(R_WA * Vec3{0, 0, -1})}, {}, 1e-9};
    const double V = 2.0 / 3.0 * R * R * R * t;
    // In the can's axes, from the middle of its bottom.
    const Vec3 centroid = R_WA * Vec3{3 * kPi / 16 * R, 0, 3 * kPi / 32 * R * t};
    const Vec3 S{0, 0, 0.5 * kPi * R * R / c};
    const Vec3 middle = R_WA * ((4 * R / (3 * kPi)) * Vec3{1, 0, t});
    const Vec3 G = Cross(middle - centroid, S);
    EverywhereAndSwapped(
        q, [&](const InterferenceMetrics& m, const Vec3& S_m, const Vec3& G_m, const Vec3& p_C) {
          EXPECT_NEAR(m.volume, V, 1e-9 * V);
          EXPECT_LT(Norm(p_C - centroid), 1e-8 * R);
          EXPECT_LT(Norm(S_m - S), 1e-8 * Norm(S)) << theta;
          EXPECT_LT(Norm(G_m - G), 1e-8 * Norm(G)) << theta;
        });
  }
}

// Faces that coincide count half on each side. A can of the radius R stands with its bottom in the
// plane of a block's own bottom, wholly in the block: nothing but coincident faces on one side, so
// V cannot change by moving it up, and moving it down takes R² π a length: S is the mean of the
// two. The same of a block in a block, where the rule for planes answers.
TEST(AreaMoment, CoincidentFacesCountHalf) {
  const double R = 0.1;
  const Cell can = testing::CellsOf(geometry::Cylinder{R, 0.2})[0];
  const Cell bar = testing::BoxCell({0.2, 0.1, 0.2});
  const Cell block = testing::BoxCell({1, 1, 0.5});
  const struct {
    const Cell* part;
    double area;
  } cases[] = {{&can, kPi * R * R}, {&bar, 0.02}};
  for (const auto& one : cases) {
    const Cell* const part = one.part;
    const double area = one.area;
    for (const double side : {-1.0, 1.0}) {
      // At an x and y off the middle: G is about the part's centroid, below which its face lies.
      const PairQuery q{part, &block, {{}, {0.13, -0.07, side * 0.15}}, {}, 1e-6};
      const Vec3 S = 0.5 * area * Vec3{0, 0, side};
      EverywhereAndSwapped(
          q, [&](const InterferenceMetrics& m, const Vec3& S_m, const Vec3& G_m, const Vec3& p_C) {
            EXPECT_NEAR(m.volume, 0.2 * area, 1e-9 * m.volume);
            EXPECT_LT(Norm(p_C - q.X_WA.p), 1e-9);
            EXPECT_LT(Norm(S_m - S), 1e-9 * area) << part->name << " " << side;
            EXPECT_LT(Norm(G_m), 1e-10 * area);
          });
    }
  }
}

// A box that is cut into parts, whose new faces do not count, dips into a plane: the sum of the
// parts is the whole.
TEST(AreaMoment, TheSumOfCutPartsIsTheWhole) {
  const auto box = [](double from, double to) {
    std::vector<geometry::Surface> faces =
        geometry::BoxSurfaces({from, -0.2, -0.1}, {to, 0.2, 0.1});
    for (geometry::Surface& face : faces) {
      const Vec3 n = face.side * face.PlaneNormal();
      const double at = n.x * face.o.x;
      face.cut = std::fabs(n.x) > 0.5 && at < 0.499;
    }
    return geometry::MakeCell(faces, "part");
  };
  const Cell whole = box(-0.5, 0.5), floor = testing::HalfSpaceCell({0, 0, 1}, 0);
  std::vector<Cell> parts;
  const double cuts[] = {-0.5, -0.31, 0.02, 0.4, 0.5};
  for (int k = 0; k < 4; ++k) parts.push_back(box(cuts[k], cuts[k + 1]));
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    const Vec3 turn = 0.15 * random.Direction();
    const Pose X_WF = k < 10 ? Pose{} : random.RandomPose(2);
    const Pose X_WA = X_WF * Pose{testing::Turned(turn, {}), {0.3, -0.2, 0.1 - 0.08}};
    const InterferenceMetrics one = ComputeMetrics({&whole, &floor, X_WA, X_WF, 1e-6});
    ASSERT_EQ(one.status, Status::kOk);
    std::vector<InterferenceMetrics> some;
    for (const Cell& part : parts)
      some.push_back(ComputeMetrics({&part, &floor, X_WA, X_WF, 1e-6}));
    const InterferenceMetrics sum = SumOfParts(some, 1e-6);
    EXPECT_EQ(sum.status, Status::kOk);
    EXPECT_NEAR(sum.volume, one.volume, 1e-12 * one.volume);
    EXPECT_LT(Norm(sum.p_WC - one.p_WC), 1e-12);
    EXPECT_LT(Norm(sum.area_vector - one.area_vector), 1e-12);
    EXPECT_LT(testing::Frobenius(sum.J_W - one.J_W), 1e-12 * Trace(one.J_W));
    EXPECT_LT(Norm(sum.area_moment - one.area_moment), 1e-12);
    // It is not nothing: the arms of the parts are most of it.
    EXPECT_GT(Norm(one.area_moment), 1e-4) << k;
  }
}

}  // namespace
}  // namespace intervox
