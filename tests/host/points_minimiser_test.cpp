// Points and distances of pairs of kinds, on random poses, against a minimiser that knows nothing
// of cells: support functions by hand, and the least way out over all directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "host/contact/points/points.h"
#include "host/distance/distance.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host::points {
namespace {

using geometry::Cell;
using geometry::Leaf;
using geometry::Random;
using geometry::ToCells;

/** A convex solid: its cell, and how far it reaches along a direction of its own frame. */
struct Kind {
  std::string name;
  std::vector<Cell> cells;
  std::function<double(const Vec3&)> reach;
};

std::vector<Kind> Kinds(double size) {
  const double L = size;
  const Vec3 box{0.5 * L, 0.3 * L, 0.4 * L}, radii{0.2 * L, 0.5 * L, 0.35 * L};
  const double R = 0.3 * L, h = 0.8 * L, bottom = 0.45 * L, top = 0.15 * L;
  const auto across = [](const Vec3& n) { return std::hypot(n.x, n.y); };
  geometry::Convex hull;
  Random random(4);
  for (int k = 0; k < 18; ++k) {
    hull.vertices.push_back(random.Uniform(0.7, 1.0) * 0.4 * L * random.Direction());
  }
  const auto of_hull = [points = hull.vertices](const Vec3& n) {
    double out = -HUGE_VAL;
    for (const Vec3& p : points) out = std::max(out, Dot(p, n));
    return out;
  };
  return {
      {"ball", ToCells(*Leaf(geometry::Sphere{R})), [=](const Vec3& n) { return R * Norm(n); }},
      {"box", ToCells(*Leaf(geometry::Box{2.0 * box})),
       [=](const Vec3& n) {
         return box.x * std::fabs(n.x) + box.y * std::fabs(n.y) + box.z * std::fabs(n.z);
       }},
      {"ellipsoid", ToCells(*Leaf(geometry::Ellipsoid{radii})),
       [=](const Vec3& n) { return Norm(Scaled(radii, n)); }},
      {"cylinder", ToCells(*Leaf(geometry::Cylinder{R, h})),
       [=](const Vec3& n) { return R * across(n) + 0.5 * h * std::fabs(n.z); }},
      {"cone", ToCells(*Leaf(geometry::Cone{bottom, top, h})),
       [=](const Vec3& n) {
         return std::max(bottom * across(n) - 0.5 * h * n.z, top * across(n) + 0.5 * h * n.z);
       }},
      {"pointed cone", ToCells(*Leaf(geometry::Cone{bottom, 0.0, h})),
       [=](const Vec3& n) { return std::max(bottom * across(n) - 0.5 * h * n.z, 0.5 * h * n.z); }},
      {"hull", ToCells(*Leaf(hull)), of_hull}};
}

/** How far A has to go along n until a plane across n parts it from B; below 0 one does. */
struct WayOut {
  const Kind &a, &b;
  Pose X_WA, X_WB;

  double operator()(const Vec3& n) const {
    return b.reach(TransposeTimes(X_WB.R, n)) + a.reach(TransposeTimes(X_WA.R, -n)) +
           Dot(n, X_WB.p - X_WA.p);
  }
};

/** The least value over all directions: the best of many, improved by steps to all sides. */
double Least(const WayOut& way, Random* random) {
  std::vector<std::pair<double, Vec3>> starts;
  for (int k = 0; k < 600; ++k) {
    const Vec3 n = random->Direction();
    starts.emplace_back(way(n), n);
  }
  std::sort(starts.begin(), starts.end(),
            [](const auto& one, const auto& other) { return one.first < other.first; });
  starts.resize(4);
  double least = HUGE_VAL;
  for (auto [value, n] : starts) {
    for (double step = 0.1; step > 1e-9; step *= 0.6) {
      for (int tries = 0; tries < 12; ++tries) {
        const Vec3 next = Normalized(n + step * random->Direction());
        const double there = way(next);
        if (there < value) {
          value = there;
          n = next;
          tries = -1;
        }
      }
    }
    least = std::min(least, value);
  }
  return least;
}

/** A pair at random poses: A's lowest point along a random direction is that far in B's highest. */
WayOut Posed(const Kind& a, const Kind& b, double depth, Random* random) {
  WayOut way{a, b, {random->Rotation(), random->InBox(3.0)}, {random->Rotation(), {}}};
  const Vec3 n = random->Direction();
  const auto support = [](const Kind& kind, const Vec3& u) {  // the gradient of its reach
    Vec3 p;
    for (int k = 0; k < 3; ++k) {
      Vec3 up = u, down = u;
      up[k] += 1e-6;
      down[k] -= 1e-6;
      p[k] = (kind.reach(up) - kind.reach(down)) / 2e-6;
    }
    return p;
  };
  const Vec3 p_A = way.X_WA * support(a, TransposeTimes(way.X_WA.R, -n));
  way.X_WB.p = p_A + depth * n - way.X_WB.R * support(b, TransposeTimes(way.X_WB.R, n));
  return way;
}

// All pairs of kinds but those that touch in several points of faces: their depth is the least way
// out, no direction leads out sooner, and both witness points are as far as the solids reach.
TEST(PointsByMinimiser, DeepestPointsAreTheLeastWayOut) {
  Random random(77);
  int looked_at = 0;
  for (const double size : {1e-2, 1.0, 100.0}) {
    const std::vector<Kind> kinds = Kinds(size);
    for (const Kind& a : kinds) {
      for (const Kind& b : kinds) {
        const PairKind kind = KindOf(a.cells[0], b.cells[0]);
        if (kind == PairKind::kPolytopes || kind == PairKind::kVertices) continue;
        for (int trial = 0; trial < 4; ++trial) {
          const WayOut way =
              Posed(a, b, size * std::pow(10.0, random.Uniform(-4.0, -1.5)), &random);
          const double least = Least(way, &random);
          if (least < 1e-6 * size) continue;
          SCOPED_TRACE(a.name + " in " + b.name + ", size " + std::to_string(size));
          std::vector<PointContact> found;
          PairQuery query{a.cells.data(), b.cells.data(), way.X_WA, way.X_WB};
          query.tolerance = 1e-9;
          FindPoints(query, &found);
          ASSERT_EQ(found.size(), 1u);
          const PointContact& point = found[0];
          EXPECT_NEAR(-point.x, way(point.n), 1e-9 * size);
          EXPECT_LT(-point.x, least + 1e-9 * size);
          EXPECT_GT(-point.x, least - 1e-5 * size);  // as near as the minimiser comes
          const double lowest =
              Dot(point.n, way.X_WA.p) - a.reach(TransposeTimes(way.X_WA.R, -point.n));
          const double highest =
              Dot(point.n, way.X_WB.p) + b.reach(TransposeTimes(way.X_WB.R, point.n));
          EXPECT_NEAR(Dot(point.n, point.p_WA), lowest, 1e-9 * size);
          EXPECT_NEAR(Dot(point.n, point.p_WB), highest, 1e-9 * size);
          ++looked_at;
        }
      }
    }
  }
  EXPECT_GT(looked_at, 150);
}

// Every pair of kinds apart: the distance is that of the best parting plane.
TEST(PointsByMinimiser, DistancesAreThoseOfTheBestPartingPlane) {
  Random random(78);
  for (const double size : {1e-2, 1.0, 100.0}) {
    const std::vector<Kind> kinds = Kinds(size);
    for (const Kind& a : kinds) {
      for (const Kind& b : kinds) {
        const WayOut way = Posed(a, b, -size * std::pow(10.0, random.Uniform(-4.0, 1.0)), &random);
        SCOPED_TRACE(a.name + " beside " + b.name + ", size " + std::to_string(size));
        const Separation apart = MeasureDistance(a.cells, b.cells, way.X_WA, way.X_WB);
        const double least = Least(way, &random);
        ASSERT_LT(least, 0.0);
        EXPECT_NEAR(apart.distance, -way(apart.n), 1e-8 * size);
        EXPECT_GT(apart.distance, -least - 1e-8 * size);
        EXPECT_LT(apart.distance, -least + 1e-4 * size + 1e-4 * apart.distance);
      }
    }
  }
}

}  // namespace
}  // namespace intervox::host::points
