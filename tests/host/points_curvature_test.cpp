// Curvatures of surfaces, edges and gaps: closed forms, differences, and Hertz' ellipse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "geometry/cell.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/contact/points/curvature.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

const double kInfinite = std::numeric_limits<double>::infinity();

/** A point of the surface near x, along its gradient. */
Vec3 OnSurface(const Surface& s, Vec3 x) {
  for (int k = 0; k < 60; ++k) {
    const Vec3 g = geometry::Gradient(s, x);
    x = x - (geometry::Value(s, x) / SquaredNorm(g)) * g;
  }
  return x;
}

/** How the surface curves along the unit tangent t, by walking along it: the way out of the tangent
 plane over half the square of the way along it. */
double BendByWalking(const Surface& s, const Vec3& p, const Vec3& n, const Vec3& t, double h) {
  const auto sag = [&](double way) { return -Dot(n, OnSurface(s, p + way * t) - p); };
  return (sag(h) + sag(-h)) / (h * h);
}

std::vector<Surface> Surfaces(geometry::Random* random) {
  const auto ellipsoid = [](const Vec3& radii) {
    Surface s;
    s.kind = SurfaceKind::kEllipsoid;
    const double least = std::fmin(radii.x, std::fmin(radii.y, radii.z));
    s.e = {0.5 * least / (radii.x * radii.x), 0.5 * least / (radii.y * radii.y),
           0.5 * least / (radii.z * radii.z)};
    s.c = -0.5 * least;
    return s;
  };
  std::vector<Surface> out;
  out.push_back(ellipsoid({0.3, 0.3, 0.3}));
  out.push_back(ellipsoid({0.2, 0.5, 0.35}));
  Surface s;
  s.kind = SurfaceKind::kCylinder;
  s.e = {2.5, 2.5, 0};
  s.c = -0.1;  // radius 0.2
  out.push_back(s);
  s.kind = SurfaceKind::kCone;
  s.e = {1.3, 1.3, -0.6};
  s.c = 0;
  out.push_back(s);
  s.kind = SurfaceKind::kQuadric;
  s.e = {1.1, 0.4, -0.8};
  s.l = {0.05, 0.1, 0.02};
  s.c = -0.2;
  out.push_back(s);
  s = {};
  s.kind = SurfaceKind::kTorus;
  s.e = {0.4, 0.15, 0};
  out.push_back(s);
  out.push_back({});
  for (Surface& surface : out) {
    surface = random->RandomPose(0.5) * surface;
    surface.side = random->Below(2) == 0 ? 1 : -1;
  }
  return out;
}

TEST(Curvatures, OfEveryKindOfSurfaceAreThoseOfAWalkOnIt) {
  geometry::Random random(17);
  int checked = 0;
  for (int trial = 0; trial < 40; ++trial) {
    for (const Surface& s : Surfaces(&random)) {
      Vec3 start = s.o + 0.5 * random.Direction();
      if (s.kind == SurfaceKind::kCone) start = s.o + 0.4 * s.R.Col(2) + 0.2 * random.Direction();
      const Vec3 p = OnSurface(s, start);
      if (std::fabs(geometry::Value(s, p)) > 1e-12) continue;
      const Vec3 n = geometry::OutwardNormal(s, p);
      const Curvatures c = CurvaturesOf(s, p);
      ASSERT_GE(c.k_1, c.k_2);
      ASSERT_NEAR(Dot(Cross(c.d_1, c.d_2), n), 1.0, 1e-12);
      const double size = std::fabs(c.k_1) + std::fabs(c.k_2);
      const double h = 1e-4 / (1.0 + size);
      for (const double angle : {0.0, 0.7, std::numbers::pi / 2, 2.0}) {
        const Vec3 t = std::cos(angle) * c.d_1 + std::sin(angle) * c.d_2;
        const double euler =
            c.k_1 * std::cos(angle) * std::cos(angle) + c.k_2 * std::sin(angle) * std::sin(angle);
        EXPECT_NEAR(BendByWalking(s, p, n, t, h), euler, 1e-4 * (1.0 + size))
            << static_cast<int>(s.kind);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(Curvatures, HaveTheirClosedForms) {
  geometry::Random random(2);
  const std::vector<Surface> all = Surfaces(&random);
  for (const Surface& s : all) {
    const double side = s.side;
    const auto expect = [&](const Vec3& y, double a, double b) {
      const Curvatures c = CurvaturesOf(s, s.o + s.R * y);
      EXPECT_NEAR(c.k_1, std::fmax(side * a, side * b), 1e-12 * (1 + std::fabs(a) + std::fabs(b)));
      EXPECT_NEAR(c.k_2, std::fmin(side * a, side * b), 1e-12 * (1 + std::fabs(a) + std::fabs(b)));
    };
    if (s.kind == SurfaceKind::kPlane) expect({0.3, 0.1, 0}, 0, 0);
    if (s.kind == SurfaceKind::kCylinder) expect({0.12, 0.16, 0.7}, 1 / 0.2, 0);
    if (s.kind == SurfaceKind::kTorus) {
      expect({0.55, 0, 0}, 1 / 0.15, 1 / 0.55);
      expect({0.25, 0, 0}, 1 / 0.15, -1 / 0.25);
      expect({0, 0.4, 0.15}, 1 / 0.15, 0);
    }
    if (s.kind == SurfaceKind::kCone) {
      const double slope = std::sqrt(0.6 / 1.3), z = 0.5, r = slope * z;
      expect({r, 0, z}, 1 / (r * std::sqrt(1 + slope * slope)), 0);
      EXPECT_EQ(CurvaturesOf(s, s.o).k_2, kInfinite);
    }
    if (s.kind == SurfaceKind::kEllipsoid && s.e.x != s.e.y) {
      // At the end of an axis c: c/a² and c/b².
      expect({0.2, 0, 0}, 0.2 / 0.25, 0.2 / (0.35 * 0.35));
      expect({0, 0.5, 0}, 0.5 / 0.04, 0.5 / (0.35 * 0.35));
    }
  }
}

TEST(Curvatures, OfEdgesAndCornersAreInfiniteAcross) {
  // A can of radius 0.2: faces, wall, and rims that bend by their radius where they stand upright.
  const std::vector<geometry::Cell> cells =
      geometry::ToCells(*geometry::Leaf(geometry::Cylinder{0.2, 0.6}));
  ASSERT_EQ(cells.size(), 1U);
  const geometry::Cell& can = cells[0];
  const Curvatures wall = CurvaturesOf(can, {0.2, 0, 0.1}, {1, 0, 0});
  EXPECT_NEAR(wall.k_1, 5.0, 1e-12);
  EXPECT_NEAR(wall.k_2, 0.0, 1e-12);
  const Curvatures face = CurvaturesOf(can, {0.05, 0, 0.3}, {0, 0, 1});
  EXPECT_EQ(face.k_1, 0.0);
  for (const double lean : {0.0, 0.3, 1.0, std::numbers::pi / 2}) {  // of n from the axis
    const Curvatures rim = CurvaturesOf(can, {0.2, 0, 0.3}, {std::sin(lean), 0, std::cos(lean)});
    EXPECT_EQ(rim.k_1, kInfinite);
    EXPECT_NEAR(rim.k_2, 5.0 * std::sin(lean), 1e-12);
    EXPECT_NEAR(std::fabs(rim.d_2.y), 1.0, 1e-12);
  }
  const std::vector<geometry::Cell> box =
      geometry::ToCells(*geometry::Leaf(geometry::Box{{0.2, 0.4, 0.6}}));
  const geometry::Cell& brick = box[0];
  EXPECT_EQ(CurvaturesOf(brick, {0.1, 0.2, 0.3}, Vec3{1, 1, 1} / std::sqrt(3.0)).k_2, kInfinite);
  const Curvatures edge = CurvaturesOf(brick, {0.1, 0.2, 0.05}, Vec3{1, 1, 0} / std::sqrt(2.0));
  EXPECT_EQ(edge.k_1, kInfinite);
  EXPECT_NEAR(edge.k_2, 0.0, 1e-12);
}

// Rims of a cut cone, and of a ball within a tube, are circles. They bend by 1/R toward the axis,
// whatever way n leans, though their faces do not stand upright on each other; in any pose.
TEST(Curvatures, OfRimsAreThoseOfCirclesInAnyPose) {
  geometry::Random random(5);
  for (const double size : {0.01, 1.0, 100.0}) {
    const auto cone = geometry::Leaf(geometry::Cone{0.2 * size, 0.1 * size, 0.3 * size});
    const auto ball = geometry::Tree(geometry::Operation::kIntersection,
                                     {geometry::Leaf(geometry::Sphere{0.25 * size}),
                                      geometry::Leaf(geometry::Cylinder{0.2 * size, size})});
    for (const auto& [shape, R, z] :
         {std::tuple{cone, 0.2, -0.15}, {cone, 0.1, 0.15}, {ball, 0.2, 0.15}}) {
      const std::vector<geometry::Cell> cells = geometry::ToCells(*shape);
      ASSERT_EQ(cells.size(), 1U);
      for (const double lean : {0.2, 0.7, 1.2}) {
        const Pose X_WB = random.RandomPose(size);
        const Vec3 p{R * size, 0, z * size};
        const Vec3 n{std::sin(lean), 0, std::copysign(std::cos(lean), z)};
        const Curvatures rim = CurvaturesOf(cells, X_WB, X_WB * p, X_WB.R * n);
        EXPECT_EQ(rim.k_1, kInfinite);
        EXPECT_NEAR(rim.k_2 * R * size, std::sin(lean), 1e-9);
        EXPECT_NEAR(std::fabs(Dot(rim.d_2, X_WB.R.Col(1))), 1.0, 1e-9);
        EXPECT_NEAR(std::fabs(Dot(rim.d_1, Cross(X_WB.R.Col(1), X_WB.R * n))), 1.0, 1e-9);
      }
    }
  }
}

// Faces that overlap: flat ones, a ball's, a can's on its side and on its end; none at an edge or
// on facets. In any pose and size.
TEST(Curvatures, OfFacesThatOverlap) {
  geometry::Random random(6);
  const auto cell_of = [](const geometry::ShapePtr& shape) { return geometry::ToCells(*shape)[0]; };
  for (const double size : {0.01, 1.0, 100.0}) {
    const geometry::Cell floor = cell_of(geometry::Leaf(geometry::HalfSpace{{0, 0, 1}, 0}));
    const geometry::Cell ball = cell_of(geometry::Leaf(geometry::Sphere{0.5 * size}));
    const geometry::Cell can = cell_of(geometry::Leaf(geometry::Cylinder{0.2 * size, size}));
    const geometry::Cell brick = cell_of(geometry::Leaf(geometry::Box{Vec3{0.2, 0.4, 0.6} * size}));
    std::vector<Vec3> around;  // a round part of many facets
    for (int k = 0; k < 500; ++k) around.push_back(0.5 * size * random.Direction());
    const geometry::Cell facets = cell_of(geometry::Leaf(geometry::Convex{around}));
    for (int k = 0; k < 5; ++k) {
      const Pose X = random.RandomPose(size);
      const auto gap = [&](const geometry::Cell& a, const Mat3& R, double height,
                           const geometry::Cell& b) {
        PairQuery query;
        query.a = &a;
        query.b = &b;
        query.X_WA = X * Pose{R, {0, 0, height * size}};
        query.X_WB = X;
        return CurvaturesOfFaces(query, X * Vec3{0.01 * size, 0, -1e-5 * size}, X.R.Col(2));
      };
      const Mat3 upright = Mat3::Identity();
      const Mat3 lying{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}},
          on_edge{{1, 0, 0}, {0, 0.6, -0.8}, {0, 0.8, 0.6}};
      const Curvatures flat = gap(brick, upright, 0.2999, floor);
      EXPECT_EQ(flat.k_1, 0.0);
      EXPECT_EQ(flat.k_2, 0.0);
      EXPECT_EQ(gap(can, upright, 0.4999, floor).k_1, 0.0);
      const Curvatures round = gap(ball, upright, 0.4999, floor);
      EXPECT_NEAR(round.k_1 * size, 2.0, 1e-2);
      EXPECT_NEAR(round.k_2 * size, 2.0, 1e-2);
      const Curvatures side = gap(can, lying, 0.1999, floor);
      EXPECT_NEAR(side.k_1 * size, 5.0, 1e-1);
      EXPECT_NEAR(side.k_2 * size, 0.0, 1e-9);
      EXPECT_NEAR(std::fabs(Dot(side.d_1, X.R.Col(0))), 1.0, 1e-9);
      const geometry::Cell below =
          cell_of(geometry::Leaf(geometry::Sphere{0.5 * size}, {{}, {0, 0, -0.5 * size}}));
      const Curvatures two = gap(ball, upright, 0.4999, below);
      EXPECT_NEAR(two.k_1 * size, 4.0, 2e-2);
      EXPECT_EQ(gap(brick, on_edge, 0.3, floor).k_2, kInfinite);
      EXPECT_EQ(gap(facets, upright, 0.49, floor).k_2, kInfinite);
    }
  }
}

// Two cylinders that cross at an angle, 1/R_1 and 1/R_2: sum and difference by Hertz' formula.
TEST(Curvatures, OfAGapAddUpInTheirDirections) {
  for (const double angle : {0.0, 0.4, 1.0, std::numbers::pi / 2}) {
    const Curvatures a{5.0, 0.0, {1, 0, 0}, {0, 1, 0}};
    const Curvatures b{
        2.0, 0.0, {std::cos(angle), std::sin(angle), 0}, {std::sin(angle), -std::cos(angle), 0}};
    const Curvatures gap = RelativeCurvatures(a, b, {0, 0, 1});
    EXPECT_NEAR(gap.k_1 + gap.k_2, 7.0, 1e-12);
    EXPECT_NEAR(gap.k_1 - gap.k_2, std::sqrt(25 + 4 + 20 * std::cos(2 * angle)), 1e-12);
  }
  const Curvatures edge{kInfinite, 0.5, {1, 0, 0}, {0, 1, 0}};
  const Curvatures ball{4.0, 4.0, {1, 0, 0}, {0, 1, 0}};
  EXPECT_EQ(RelativeCurvatures(edge, ball, {0, 0, 1}).k_1, kInfinite);
  EXPECT_NEAR(RelativeCurvatures(ball, edge, {0, 0, 1}).k_2, 4.5, 1e-12);
}

/** Penetration and load of the pressure p₀ √(1 − x²/a² − y²/b²) on a half-space of E*, by summing
 Boussinesq's 1/(π E* r) over rings around a point: p/(π E*) ∫∫ dr dφ. */
double Sink(double a, double b, double x, double y) {
  constexpr int kAngles = 2000;
  double sum = 0.0;
  for (int k = 0; k < kAngles; ++k) {
    const double phi = 2 * std::numbers::pi * (k + 0.5) / kAngles;
    // Along a ray the pressure is √(A + 2 B r + C r²), C < 0: from r = 0 to its root.
    const double c = std::cos(phi), s = std::sin(phi);
    const double A = 1 - x * x / (a * a) - y * y / (b * b),
                 B = -(x * c / (a * a) + y * s / (b * b));
    const double C = -(c * c / (a * a) + s * s / (b * b));
    // ∫ √(A + 2Br + Cr²) dr with r = −B/C + q sin u.
    const double q = std::sqrt(B * B / (C * C) - A / C), u = std::asin(B / C / q);
    const double span = std::numbers::pi / 2 - u;
    sum +=
        std::sqrt(-C) * q * q * 0.5 * (span + 0.5 * (std::sin(std::numbers::pi) - std::sin(2 * u)));
  }
  return sum * 2 * std::numbers::pi / kAngles / std::numbers::pi;
}

// The ellipse of pressure makes a gap of these curvatures, and its load and depth the stiffness: an
// ellipse's sink is integrated, its curvatures and its depth fitted, and the form compared.
TEST(HertzForm, IsThatOfTheEllipseOfPressure) {
  for (const double b : {1.0, 0.7, 0.3, 0.05}) {
    const double a = 1.0;  // p₀ = E* = 1
    const double depth = Sink(a, b, 0, 0), load = 2 * std::numbers::pi / 3 * a * b;
    const double along = 2 * (depth - Sink(a, b, 0.5, 0)) / 0.25;
    const double across = 2 * (depth - Sink(a, b, 0, 0.5 * b)) / (0.25 * b * b);
    const double form = HertzForm(std::fmax(along, across), std::fmin(along, across));
    EXPECT_NEAR(form / (load / std::pow(depth, 1.5)), 1.0, 1e-4) << b;
  }
  for (const double R : {1e-4, 0.02, 3.0}) {
    EXPECT_NEAR(HertzForm(1 / R, 1 / R) / (4.0 / 3 * std::sqrt(R)), 1.0, 1e-7) << R;
    EXPECT_NEAR(HertzForm(1 / R, 0.999999 / R) / (4.0 / 3 * std::sqrt(R)), 1.0, 1e-5) << R;
  }
  EXPECT_EQ(HertzForm(kInfinite, 3.0), 0.0);
  EXPECT_EQ(HertzForm(3.0, 0.0), 0.0);
  EXPECT_EQ(HertzForm(3.0, -1.0), 0.0);
}

}  // namespace
}  // namespace intervox::host::points
