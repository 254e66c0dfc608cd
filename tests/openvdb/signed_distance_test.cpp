#include "geometry/grid/signed_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>

#include "geometry/make_surface.h"
#include "geometry/shape.h"
#include "geometry/surface_eval.h"
#include "tests/geometry/boxes.h"

namespace intervox::geometry {
namespace {

Cell Bounded(std::vector<Surface> surfaces, const Vec3& half) {
  Cell cell;
  cell.surfaces = std::move(surfaces);
  cell.bounds = {Pose::Identity(), half};
  return cell;
}

double BoxDistance(const Vec3& p, const Vec3& lower, const Vec3& upper) {
  const Vec3 q = Abs(p - 0.5 * (lower + upper)) - 0.5 * (upper - lower);
  return Norm(Max(q, Vec3{})) + std::min(0.0, std::max({q.x, q.y, q.z}));
}

/** Distance in the plane to a closed polygon (counter-clockwise), negative inside. */
double PolygonDistance(double x, double y, const std::vector<std::pair<double, double>>& corners) {
  double best = 1e300;
  bool is_inside = false;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const auto [ax, ay] = corners[k];
    const auto [bx, by] = corners[(k + 1) % corners.size()];
    const double ux = bx - ax, uy = by - ay;
    const double s = std::clamp(((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy), 0.0, 1.0);
    best = std::min(best, std::hypot(x - ax - s * ux, y - ay - s * uy));
    if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * ux) is_inside = !is_inside;
  }
  return is_inside ? -best : best;
}

/** Compares with a formula at random points of a box around the cells. */
void ExpectDistance(const std::vector<Cell>& cells, double margin,
                    const std::function<double(const Vec3&)>& expected) {
  const SignedDistance distance(cells);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  const Vec3 lower = distance.Lower() - Vec3{margin, margin, margin};
  const Vec3 size = distance.Upper() + Vec3{margin, margin, margin} - lower;
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p = lower + Scaled(size, {uniform(random), uniform(random), uniform(random)});
    ASSERT_NEAR(distance(p, 100.0), expected(p), 1e-9) << p.x << " " << p.y << " " << p.z;
  }
}

TEST(SignedDistance, Box) {
  const Vec3 lower{-0.3, -0.2, -0.1}, upper{0.4, 0.5, 0.6};
  ExpectDistance({Block(lower, upper)}, 0.5,
                 [&](const Vec3& p) { return BoxDistance(p, lower, upper); });
}

TEST(SignedDistance, FaceBetweenCellsDoesNotCount) {
  const Vec3 lower{-0.3, -0.2, -0.1}, upper{0.4, 0.5, 0.6};
  ExpectDistance({Block(lower, {0.1, 0.5, 0.6}), Block({0.1, -0.2, -0.1}, upper)}, 0.5,
                 [&](const Vec3& p) { return BoxDistance(p, lower, upper); });
}

TEST(SignedDistance, ReentrantEdgeOfAnAngle) {
  // An L of two blocks, tall enough that its ends do not matter near the middle.
  const std::vector<Cell> cells{Block({0, 0, -5}, {2, 1, 5}), Block({0, 1, -5}, {1, 2, 5})};
  const std::vector<std::pair<double, double>> outline{{0, 0}, {2, 0}, {2, 1},
                                                       {1, 1}, {1, 2}, {0, 2}};
  const SignedDistance distance(cells);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-0.5, 2.5);
  for (int k = 0; k < 3000; ++k) {
    const Vec3 p{uniform(random), uniform(random), uniform(random) - 1.0};
    ASSERT_NEAR(distance(p, 100.0), PolygonDistance(p.x, p.y, outline), 1e-9) << p.x << " " << p.y;
  }
}

TEST(SignedDistance, Ball) {
  ExpectDistance({Bounded({MakeEllipsoid({0.7, 0.7, 0.7})}, {0.7, 0.7, 0.7})}, 0.5,
                 [](const Vec3& p) { return Norm(p) - 0.7; });
}

TEST(SignedDistance, Torus) {
  ExpectDistance({Bounded({MakeTorus(0.5, 0.2)}, {0.7, 0.7, 0.2})}, 0.3,
                 [](const Vec3& p) { return std::hypot(std::hypot(p.x, p.y) - 0.5, p.z) - 0.2; });
}

TEST(SignedDistance, FrustumWithCircularEdges) {
  // Radii 0.6 at z = −0.5 and 0.2 at z = 0.5: its meridian is a polygon.
  const double slope = 0.4;
  const Pose apex_down{Mat3::Diagonal({1, -1, -1}), {0, 0, 1.0}};
  const std::vector<Cell> cells{Bounded(
      {MakeCone(slope, 1.0, apex_down), MakePlane({0, 0, 1}, 0.5), MakePlane({0, 0, -1}, 0.5)},
      {0.6, 0.6, 0.5})};
  ExpectDistance(cells, 0.5, [](const Vec3& p) {
    return PolygonDistance(std::hypot(p.x, p.y), p.z,
                           {{-0.6, -0.5}, {0.6, -0.5}, {0.2, 0.5}, {-0.2, 0.5}});
  });
}

TEST(SignedDistance, CubeWithManyBubbles) {
  // 64 balls, so that the cube is several cells; the faces between them do not count.
  std::mt19937_64 random(8);
  std::uniform_real_distribution<double> uniform(-0.02, 0.02);
  const auto leaf = [](const Primitive& primitive, const Vec3& p) {
    auto shape = std::make_shared<Shape>();
    shape->primitive = primitive;
    shape->X.p = p;
    return shape;
  };
  Shape cube;
  cube.operation = Operation::kDifference;
  cube.children = {leaf(Box{{1, 1, 1}}, {})};
  std::vector<Vec3> centers;
  for (int i = 0; i < 64; ++i) {
    const Vec3 jitter{uniform(random), uniform(random), uniform(random)};
    centers.push_back(0.25 * Vec3{i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16 - 1.5} + jitter);
    cube.children.push_back(leaf(Sphere{0.08}, centers.back()));
  }
  const std::vector<Cell> cells = ToCells(cube);
  ASSERT_GT(cells.size(), 5u);
  ExpectDistance(cells, 0.2, [&](const Vec3& p) {
    double inside = BoxDistance(p, {-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5});
    for (const Vec3& c : centers) inside = std::max(inside, 0.08 - Norm(p - c));
    return inside;
  });
}

TEST(SignedDistance, BlockWithAHole) {
  Cell plate = Block({-1, -1, -0.2}, {1, 1, 0.2});
  Surface hole = MakeCylinder(0.4);
  hole.side = -1;
  plate.surfaces.push_back(hole);
  ExpectDistance({plate}, 0.3, [](const Vec3& p) {
    const double rho = std::hypot(p.x, p.y);
    const double outer = BoxDistance(p, {-1, -1, -0.2}, {1, 1, 0.2});
    // Inside the hole the rim is nearest, outside all the nearer of rim and block.
    const double to_wall = 0.4 - rho, above = std::fabs(p.z) - 0.2;
    if (rho < 0.4) return above > 0 ? std::hypot(to_wall, above) : to_wall;
    return outer > 0 ? outer : std::max(outer, to_wall);
  });
}

TEST(SignedDistance, EllipsoidHasNoNearerPoint) {
  const Vec3 radii{0.3, 0.5, 0.9};
  const SignedDistance distance(std::vector<Cell>{Bounded({MakeEllipsoid(radii)}, radii)});
  // Independent: the nearest of many points on the surface, refined by shrinking the patch.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  for (int k = 0; k < 60; ++k) {
    const Vec3 p{uniform(random), uniform(random), uniform(random)};
    const auto at = [&](double u, double v) {
      return Vec3{radii.x * std::cos(u) * std::cos(v), radii.y * std::sin(u) * std::cos(v),
                  radii.z * std::sin(v)};
    };
    double u0 = 0, v0 = 0, half_u = 3.2, half_v = 1.6, best = 1e300;
    for (int level = 0; level < 40; ++level) {
      double u1 = u0, v1 = v0;
      for (int a = -10; a <= 10; ++a) {
        for (int b = -10; b <= 10; ++b) {
          const double u = u0 + half_u * a / 10, v = v0 + half_v * b / 10;
          const double d = Norm(at(u, v) - p);
          if (d < best) {
            best = d;
            u1 = u;
            v1 = v;
          }
        }
      }
      u0 = u1;
      v0 = v1;
      half_u *= 0.5;
      half_v *= 0.5;
    }
    const bool is_inside = Dot(p, {p.x / (radii.x * radii.x), p.y / (radii.y * radii.y),
                                   p.z / (radii.z * radii.z)}) < 1;
    EXPECT_NEAR(distance(p, 100.0), is_inside ? -best : best, 2e-6);
  }
}

TEST(SignedDistance, HalfAnEllipsoidKeepsItsFarSide) {
  // Of a thin lens only y ≥ 0 is kept; from a point just below the cut plane the nearest point of
  // the whole lens is cut away.
  const Vec3 radii{1.0, 0.1, 1.0};
  Cell cell = Bounded({MakeEllipsoid(radii), MakePlane({0, -1, 0}, -0.02)}, radii);
  const SignedDistance distance(std::vector<Cell>{cell});
  EXPECT_NEAR(distance({0, 0.06, 0}, 1.0), -0.04, 1e-9);
  EXPECT_NEAR(distance({0, 0.03, 0}, 1.0), -0.01, 1e-9);
  EXPECT_NEAR(distance({0, -0.06, 0}, 1.0), 0.08, 1e-9);
}

TEST(SignedDistance, ReachClampsAndUnboundedCellsAreRefused) {
  const SignedDistance distance(std::vector<Cell>{Block({-1, -1, -1}, {1, 1, 1})});
  EXPECT_EQ(distance({5, 0, 0}, 0.25), 0.25);
  EXPECT_EQ(distance({0, 0, 0}, 0.25), -0.25);
  Cell half_space;
  half_space.surfaces = {MakePlane({0, 0, 1}, 0.0)};
  half_space.bounded = false;
  half_space.name = "floor/0";
  try {
    const SignedDistance refused(std::vector<Cell>{half_space});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("floor/0"), std::string::npos);
  }
}

}  // namespace
}  // namespace intervox::geometry
