// Points over contact patches: shares, moments and depths against closed forms, and refinement.
#include "cuda/patch/patch_quadrature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "cuda/engine.h"
#include "geometry/shape.h"

namespace intervox {
namespace {

using geometry::Cell;

geometry::ShapePtr Leaf(geometry::Primitive primitive) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->primitive = std::move(primitive);
  return shape;
}

std::vector<Cell> CellsOf(geometry::Primitive primitive) {
  return geometry::ToCells(*Leaf(std::move(primitive)));
}

std::vector<Cell> Floor() { return CellsOf(geometry::HalfSpace{{0, 0, 1}, 0}); }

std::vector<Cell> Pipe(double outer, double inner, double height) {
  geometry::Shape pipe;
  pipe.operation = geometry::Operation::kDifference;
  pipe.children = {Leaf(geometry::Cylinder{outer, height}),
                   Leaf(geometry::Cylinder{inner, 2 * height})};
  return geometry::ToCells(pipe);
}

Mat3 Turn(const Vec3& axis, double angle) {
  const Vec3 v = std::sin(0.5 * angle) * Normalized(axis);
  return ToRotation(Quaternion{std::cos(0.5 * angle), v.x, v.y, v.z});
}

/** A patch of one solid on another. */
struct Patch {
  std::vector<Cell> a, b;
  std::vector<PairQuery> pairs;
  PatchMoments moments;

  Patch(std::vector<Cell> cells_a, const Pose& X_WA, std::vector<Cell> cells_b, const Pose& X_WB)
      : a(std::move(cells_a)), b(std::move(cells_b)) {
    Vec3 first, S;
    Mat3 second = Mat3::Zero();
    for (const Cell& cell_a : a) {
      for (const Cell& cell_b : b) {
        const PairQuery query{&cell_a, &cell_b, X_WA, X_WB, 1e-6};
        const InterferenceMetrics m = ComputeMetrics(query);
        if (!(m.volume > 0)) continue;
        pairs.push_back(query);
        moments.volume += m.volume;
        first += m.volume * m.p_WC;
        S += m.area_vector;
        const Mat3 E = 0.5 * Trace(m.J_W) * Mat3::Identity() - m.J_W;
        second = second + E + m.volume * Outer(m.p_WC, m.p_WC);
      }
    }
    moments.p_WC = first / moments.volume;
    moments.n = Normalized(S);
    moments.E_W = second - moments.volume * Outer(moments.p_WC, moments.p_WC);
  }

  PatchQuadrature Points(const PatchFineness& fineness = {}) const {
    PatchQuadrature points;
    ComputePatchQuadrature(pairs, moments, &points, fineness);
    return points;
  }
};

double Sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/** What must hold of any patch: the sums, and second moments within a share. */
void ExpectMoments(const Patch& patch, double tolerance) {
  SCOPED_TRACE(patch.a[0].name + ", " + std::to_string(patch.moments.volume));
  const PatchQuadrature q = patch.Points();
  ASSERT_EQ(q.size() % PatchQuadrature::kLanes, 0U);
  ASSERT_EQ(q.y.size(), q.size());
  ASSERT_EQ(q.share.size(), q.size());
  ASSERT_EQ(q.reach_squared.size(), q.size());
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    ASSERT_GE(q.share[k], 0);
    ASSERT_GT(q.reach_squared[k], 0);
    x += q.share[k] * q.x[k];
    y += q.share[k] * q.y[k];
    xx += q.share[k] * q.x[k] * q.x[k];
    xy += q.share[k] * q.x[k] * q.y[k];
    yy += q.share[k] * q.y[k] * q.y[k];
  }
  const PatchMoments& m = patch.moments;
  const double scale = Trace(m.E_W) / m.volume, size = std::sqrt(scale);
  EXPECT_NEAR(Sum(q.share), 1, 1e-12);
  EXPECT_NEAR(x, 0, 1e-12 * size);
  EXPECT_NEAR(y, 0, 1e-12 * size);
  EXPECT_NEAR(xx, Dot(q.t1, m.E_W * q.t1) / m.volume, tolerance * scale);
  EXPECT_NEAR(xy, Dot(q.t1, m.E_W * q.t2) / m.volume, tolerance * scale);
  EXPECT_NEAR(yy, Dot(q.t2, m.E_W * q.t2) / m.volume, tolerance * scale);
  EXPECT_NEAR(Dot(Cross(q.t1, q.t2), m.n), 1, 1e-14);
}

Pose At(double x, double y, double z, const Mat3& R = Mat3::Identity()) { return {R, {x, y, z}}; }

// Pieces have the means of their points, so second moments lack what is within a piece: about
// 1/400 of the whole.
constexpr double kWithin = 6e-3;

TEST(PatchQuadrature, HasThePatchsMoments) {
  const Mat3 tilted = Turn({1, 2, 0}, 0.02);
  ExpectMoments({CellsOf(geometry::Sphere{0.1}), At(3, -2, 0.0995), Floor(), {}}, kWithin);
  ExpectMoments({CellsOf(geometry::Cylinder{0.05, 0.1}), At(0, 0, 0.0499), Floor(), {}}, kWithin);
  ExpectMoments({CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.0499), Floor(), {}}, kWithin);
  ExpectMoments({CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(1, 0, 0.0499, tilted), Floor(), {}},
                kWithin);
  ExpectMoments({CellsOf(geometry::Cylinder{0.05, 0.1}), At(0, 0, 0.049, tilted), Floor(), {}},
                kWithin);
  ExpectMoments({Pipe(0.05, 0.03, 0.1), At(0, 0, 0.0499), Floor(), {}}, kWithin);
  ExpectMoments({CellsOf(geometry::Ellipsoid{{0.1, 0.05, 0.03}}), At(0, 0, 0.0299), Floor(), {}},
                kWithin);
  ExpectMoments({CellsOf(geometry::Cylinder{0.05, 0.2}),
                 At(0, 0, 0.0499, Turn({1, 0, 0}, 0.5 * std::numbers::pi)),
                 Floor(),
                 {}},
                kWithin);
  ExpectMoments({CellsOf(geometry::Torus{0.05, 0.01}), At(0, 0, 0.0099), Floor(), {}}, kWithin);
  ExpectMoments({CellsOf(geometry::Sphere{0.1}), At(0, 0, 0.1495), CellsOf(geometry::Sphere{0.05}),
                 At(0, 0, 0)},
                kWithin);
}

/** The largest miss of the pieces' mean depths, over the largest depth. */
template <class DepthAt>
double DepthMiss(const Patch& patch, const DepthAt& depth) {
  const PatchQuadrature q = patch.Points();
  double miss = 0, most = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!(q.share[k] > 0)) continue;
    const double d = q.share[k] * patch.moments.volume / (std::numbers::pi * q.reach_squared[k]);
    const Vec3 p = patch.moments.p_WC + q.x[k] * q.t1 + q.y[k] * q.t2;
    most = std::max(most, d);
    miss = std::max(miss, std::fabs(d - depth(p)));
  }
  return miss / most;
}

TEST(PatchQuadrature, DepthsAreThoseAlongTheNormal) {
  const double R = 0.1, sunk = 0.0005;
  const Patch cap(CellsOf(geometry::Sphere{R}), At(3, -2, R - sunk), Floor(), {});
  EXPECT_LT(DepthMiss(cap,
                      [&](const Vec3& p) {
                        const double rr = (p.x - 3) * (p.x - 3) + (p.y + 2) * (p.y + 2);
                        return std::sqrt(R * R - rr) - (R - sunk);
                      }),
            4e-2);  // a piece's mean depth is not that at its mean
  const Patch face(CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.0499), Floor(), {});
  EXPECT_LT(DepthMiss(face, [](const Vec3&) { return 1e-4; }), 1e-9);
  const Patch pipe(Pipe(0.05, 0.03, 0.1), At(0, 0, 0.0499), Floor(), {});
  EXPECT_LT(DepthMiss(pipe, [](const Vec3&) { return 1e-4; }), 2e-3);
  // A tilted face: depth falls to an edge.
  const double angle = 1e-3;
  const Mat3 tilt = Turn({0, 1, 0}, angle);
  const Patch wedge(CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.05, tilt), Floor(), {});
  EXPECT_LT(DepthMiss(wedge, [&](const Vec3& p) { return std::tan(angle) * p.x; }), 2e-2);
}

// The outermost pieces of a round face of even depth are sectors of a ring from s R to R. Their
// points are its centroids, (2/3) R (1 − s³)/(1 − s²) times sin(Δ/2)/(Δ/2) from the middle.
TEST(PatchQuadrature, PiecesOfADiscHaveTheirCentroids) {
  for (const double R : {5e-4, 0.05, 5.0}) {
    const Patch disc(CellsOf(geometry::Cylinder{R, 2 * R}), At(0, 0, 0.998 * R), Floor(), {});
    const PatchQuadrature q = disc.Points();
    const PatchFineness fineness;
    const int rings = fineness.rings - 1;  // a round rim's
    const double s = 1.0 - 1.0 / rings, half = std::numbers::pi / fineness.sectors;
    double farthest = 0.0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      if (q.share[k] > 0) farthest = std::max(farthest, std::hypot(q.x[k], q.y[k]));
    }
    const double mean = 2.0 / 3.0 * (1 - s * s * s) / (1 - s * s) * std::sin(half) / half;
    EXPECT_NEAR(farthest / R, mean, 1e-5) << R;
  }
}

// Points of a pipe lie on the pipe, not in its bore.
TEST(PatchQuadrature, LeavesHolesOut) {
  const Patch pipe(Pipe(0.05, 0.03, 0.1), At(0, 0, 0.0499), Floor(), {});
  const PatchQuadrature q = pipe.Points();
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (!(q.share[k] > 0)) continue;
    const double r = std::hypot(q.x[k], q.y[k]);
    EXPECT_GT(r, 0.03 - 1e-4);
    EXPECT_LT(r, 0.05 + 1e-4);
  }
}

/** |Σ share f(x, y)| differs by less between two finenesses. */
// A slot parts a disc into two halves with one wall between them; they are no whole disc.
TEST(PatchQuadrature, LeavesSlotsOut) {
  geometry::Shape slotted;
  slotted.operation = geometry::Operation::kDifference;
  slotted.children = {Leaf(geometry::Cylinder{0.05, 0.02}), Leaf(geometry::Box{{0.01, 0.2, 0.2}})};
  const Patch patch(geometry::ToCells(slotted), {Mat3::Identity(), {0, 0, 0.0099}}, Floor(), {});
  ASSERT_EQ(patch.pairs.size(), 2U);
  const PatchQuadrature points = patch.Points();
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!(points.share[k] > 0)) continue;
    const Vec3 x = patch.moments.p_WC + points.x[k] * points.t1 + points.y[k] * points.t2;
    EXPECT_GT(std::fabs(x.x), 0.0045) << x.y;
  }
}

// A torus that lies on a floor, a hundredth of its radius wide or less: depths of w³ across, w² = 2
// r δ with the local δ (1 + λ cos ψ) where it leans.
TEST(PatchQuadrature, ThinRingsAreFound) {
  const double R = 0.05, r = 0.012;
  for (const double share : {3e-2, 1e-2, 1e-3, 1e-4}) {
    for (const double lean : {0.0, 0.3, 0.8}) {
      const double delta = share * r, half = std::sqrt(2 * r * delta * (1 + lean));
      const Patch patch(CellsOf(geometry::Torus{R, r}),
                        {Turn({0.6, 0.8, 0}, lean * delta / R), {0, 0, r - delta}}, Floor(), {});
      const PatchQuadrature points = patch.Points();
      ASSERT_GT(points.size(), 90U) << share << ' ' << lean;
      double across = 0, spin = 0, along = 0, most = 0;
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (!(points.share[k] > 0)) continue;
        const Vec3 x = patch.moments.p_WC + points.x[k] * points.t1 + points.y[k] * points.t2;
        const double rho = std::hypot(x.x, x.y), off = rho - R;
        most = std::max(most, std::fabs(off));
        across += points.share[k] * off * off;
        spin += points.share[k] * rho;
        along += points.share[k] * (0.8 * x.x - 0.6 * x.y) / rho;
      }
      // Two pieces on each side hold 9/64 of w², a hundred w²/5; the patch leans by its moments'
      // error.
      const double error = 1e-3 + 1e-6 / share;
      EXPECT_LT(most, half * (1 + error)) << share << ' ' << lean;
      EXPECT_GT(across, 0.05 * half * half / (1 + lean)) << share << ' ' << lean;
      EXPECT_NEAR(spin, R, 1e-3 * R) << share << ' ' << lean;
      double moment = 0, mass = 0;
      for (int k = 0; k < 1000; ++k) {
        const double c = std::cos(2 * std::numbers::pi * (k + 0.5) / 1000);
        moment += std::pow(1 + lean * c, 1.5) * c;
        mass += std::pow(1 + lean * c, 1.5);
      }
      EXPECT_NEAR(std::fabs(along), moment / mass, 1e-3 + 0.2 * share + 3e-6 / share)
          << share << ' ' << lean;
    }
  }
}

TEST(PatchQuadrature, DoubledPiecesSayTheSame) {
  const Mat3 tilted = Turn({1, 2, 0}, 0.02);
  const Patch patches[] = {
      {CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.0499, tilted), Floor(), {}},
      {CellsOf(geometry::Cylinder{0.05, 0.1}), At(0, 0, 0.049, tilted), Floor(), {}},
      {CellsOf(geometry::Sphere{0.1}), At(0, 0, 0.0995), Floor(), {}},
  };
  for (const Patch& patch : patches) {
    const auto mean_arm = [&](const PatchFineness& fineness) {
      const PatchQuadrature q = patch.Points(fineness);
      double sum = 0;
      for (std::size_t k = 0; k < q.size(); ++k) sum += q.share[k] * std::hypot(q.x[k], q.y[k]);
      return sum;
    };
    EXPECT_NEAR(mean_arm({48, 11}) / mean_arm({192, 40}), 1, 2e-3);
  }
}

// Two crossed rods, one far in the other, share a patch with four round corners: what lies between
// lines that were looked at is no ellipse's, and is looked at as well.
TEST(PatchQuadrature, SeesThatAPatchIsNoEllipse) {
  const double R = 0.1;
  const Mat3 along_x = Mat3::FromColumns({0, 0, -1}, {0, 1, 0}, {1, 0, 0});
  const Mat3 along_y = Mat3::FromColumns({1, 0, 0}, {0, 0, -1}, {0, 1, 0});
  for (const double height : {1.1 * R, 1.4 * R}) {
    const Patch crossed(CellsOf(geometry::Cylinder{R, 1}), At(0, 0, height, along_x),
                        CellsOf(geometry::Cylinder{R, 1}), At(0, 0, 0, along_y));
    const auto corners = [&](const PatchFineness& fineness) {
      const PatchQuadrature q = crossed.Points(fineness);
      double sum = 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        const double xx = q.x[k] * q.x[k], yy = q.y[k] * q.y[k];
        sum += q.share[k] * (xx * xx - 6 * xx * yy + yy * yy);
      }
      return sum / (R * R * R * R);
    };
    const double fine = corners({192, 40});
    EXPECT_GT(std::fabs(fine), 1e-3) << height;
    EXPECT_NEAR(corners({}), fine, 0.05 * std::fabs(fine)) << height;
  }
}

// A cut through a face changes what is summed, not what it says.
TEST(PatchQuadrature, CutsDoNotShow) {
  geometry::Shape halves;
  halves.operation = geometry::Operation::kUnion;
  auto left = std::make_shared<geometry::Shape>(*Leaf(geometry::Box{{0.1, 0.1, 0.1}}));
  auto right = std::make_shared<geometry::Shape>(*left);
  left->X.p = {-0.05, 0, 0};
  right->X.p = {0.05, 0, 0};
  halves.children = {left, right};
  const Patch cut(geometry::ToCells(halves), At(0, 0, 0.0499), Floor(), {});
  const Patch whole(CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.0499), Floor(), {});
  ASSERT_EQ(cut.pairs.size(), 2U);
  const PatchQuadrature a = cut.Points(), b = whole.Points();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a.x[k], b.x[k], 1e-9);
    EXPECT_NEAR(a.y[k], b.y[k], 1e-9);
    EXPECT_NEAR(a.share[k], b.share[k], 1e-9);
  }
}

TEST(PatchQuadrature, IsAPureFunction) {
  const Patch box(CellsOf(geometry::Box{{0.2, 0.1, 0.1}}), At(0, 0, 0.0499, Turn({1, 2, 0}, 0.02)),
                  Floor(), {});
  const Patch cap(CellsOf(geometry::Sphere{0.1}), At(0, 0, 0.0995), Floor(), {});
  const PatchQuadrature first = box.Points();
  cap.Points();
  const PatchQuadrature again = box.Points();
  EXPECT_EQ(first.x, again.x);
  EXPECT_EQ(first.y, again.y);
  EXPECT_EQ(first.share, again.share);
  EXPECT_EQ(first.reach_squared, again.reach_squared);
}

// Turning and moving everything turns and moves the points: coordinates in the patch's axes stay.
TEST(PatchQuadrature, TurnsWithTheBodies) {
  const Pose X{Turn({1, -2, 3}, 1.1), {5, -7, 2}};
  const auto box = CellsOf(geometry::Box{{0.2, 0.1, 0.1}});
  const auto floor = Floor();
  const Pose X_WA = At(0, 0, 0.0499, Turn({1, 2, 0}, 0.02));
  const PatchQuadrature a = Patch(box, X_WA, floor, {}).Points();
  const PatchQuadrature b = Patch(box, X * X_WA, floor, X).Points();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(a.x[k], b.x[k], 1e-8);
    EXPECT_NEAR(a.y[k], b.y[k], 1e-8);
    EXPECT_NEAR(a.share[k], b.share[k], 1e-7);
  }
}

// From a micrometre to a kilometre, and at depths down to 1e-9 of the size.
TEST(PatchQuadrature, ServesAnySizeAndDepth) {
  for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
    for (const double depth : {1e-9, 1e-6, 1e-3, 0.3}) {
      SCOPED_TRACE(testing::Message() << size << " m, depth " << depth);
      ExpectMoments({CellsOf(geometry::Sphere{size}), At(0, 0, size * (1 - depth)), Floor(), {}},
                    kWithin);
      ExpectMoments({CellsOf(geometry::Box{{2 * size, size, size}}),
                     At(0, 0, size * (0.5 - depth)),
                     Floor(),
                     {}},
                    kWithin);
      ExpectMoments({CellsOf(geometry::Box{{100 * size, size, size}}),
                     At(0, 0, size * (0.5 - depth)),
                     Floor(),
                     {}},
                    kWithin);
    }
  }
}

// Where rays find nothing, eight points have the patch's second moments.
TEST(PatchQuadrature, StandsInWhereRaysFindNothing) {
  const auto ball = CellsOf(geometry::Sphere{0.1});
  const auto floor = Floor();
  const PairQuery apart{&ball[0], &floor[0], At(0, 0, 0.2), {}};
  PatchQuadrature q;
  ComputePatchQuadrature(std::span(&apart, 1),
                         {{0, 0, 0}, {0, 0, 1}, Mat3::Diagonal({4e-9, 1e-9, 1e-12}), 1e-3}, &q);
  ASSERT_EQ(q.size(), 8U);
  double xx = 0, yy = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    xx += q.share[k] * q.x[k] * q.x[k];
    yy += q.share[k] * q.y[k] * q.y[k];
  }
  EXPECT_NEAR(xx, 4e-6, 1e-15);
  EXPECT_NEAR(yy, 1e-6, 1e-15);
}

}  // namespace
}  // namespace intervox
