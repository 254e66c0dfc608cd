// Conformance of every primitive: decomposition, points, gradients, rays and bounds against a
// membership written out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "geometry/neighbours.h"
#include "geometry/primitives/pieces.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "random_shapes.h"

namespace intervox::geometry {
namespace {

constexpr double kNear = 1e-7;  // points this close to a face are not judged

struct Posed {
  Shape shape;
  Example example;
  Vec3 ToLocal(const Vec3& p) const { return (Inverse(shape.X) * p) / shape.scale; }
};

std::vector<Posed> PosedExamples(Random& random) {
  std::vector<Posed> all;
  for (const Example& e : Examples()) {
    Shape shape = *Leaf(e.primitive, random.RandomPose(0.5), "", random.Uniform(0.5, 2));
    all.push_back({shape, e});
  }
  return all;
}

TEST(Primitives, EveryOneIsInTheConformanceSuite) {
  std::set<std::size_t> seen;
  std::set<std::string> names;
  for (const Example& e : Examples()) {
    seen.insert(e.primitive.index());
    names.insert(PrimitiveName(e.primitive));
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<Primitive>)
      << "add an example of the new primitive to tests/geometry/random_shapes.h";
  EXPECT_EQ(names.size(), std::variant_size_v<Primitive>);
}

TEST(Primitives, CellsAndLevelAgreeWithTheDefinition) {
  Random random(11);
  for (const Posed& posed : PosedExamples(random)) {
    const std::vector<Cell> cells = ToCells(posed.shape);
    const Solid solid(posed.shape);
    int inside = 0;
    for (int k = 0; k < 30000; ++k) {
      const Vec3 p = random.InBox(2);
      const double level = solid.Level(p);
      if (std::abs(level) < kNear) continue;
      const bool expected = posed.example.contains(posed.ToLocal(p));
      inside += expected;
      EXPECT_EQ(solid.Contains(p), expected) << PrimitiveName(posed.example.primitive);
      const auto holders =
          std::count_if(cells.begin(), cells.end(), [&](const Cell& c) { return Contains(c, p); });
      EXPECT_EQ(holders, expected ? 1 : 0) << PrimitiveName(posed.example.primitive);
    }
    EXPECT_GT(inside, 30) << PrimitiveName(posed.example.primitive);
  }
}

TEST(Primitives, GradientIsTheDifferenceQuotientOfTheLevel) {
  Random random(12);
  for (const Posed& posed : PosedExamples(random)) {
    const Solid solid(posed.shape);
    int checked = 0;
    for (int k = 0; k < 100; ++k) {
      const Vec3 p = random.InBox(1.5);
      const double h = 1e-6;
      const Vec3 g = solid.Gradient(p);
      Vec3 forward, backward;
      for (int i = 0; i < 3; ++i) {
        Vec3 step;
        step[i] = h;
        forward[i] = (solid.Level(p + step) - solid.Level(p)) / h;
        backward[i] = (solid.Level(p) - solid.Level(p - step)) / h;
      }
      if (Norm(forward - backward) > 1e-3) continue;  // a crease between two faces
      ++checked;
      EXPECT_LT(Norm(g - 0.5 * (forward + backward)), 1e-5);
    }
    EXPECT_GT(checked, 80);
  }
}

TEST(Primitives, RaysAgreeWithPoints) {
  Random random(13);
  for (const Posed& posed : PosedExamples(random)) {
    const Solid solid(posed.shape);
    const std::vector<Cell> cells = ToCells(posed.shape);
    int spans_seen = 0;
    for (int k = 0; k < 800; ++k) {
      const Vec3 o = random.InBox(2);
      const Vec3 d = random.Direction();
      const auto spans = solid.RaySpans(o, d, -3, 3);
      const auto merged = RaySpans(cells, o, d, -3, 3);
      ASSERT_EQ(spans.size(), merged.size());
      for (std::size_t i = 0; i < spans.size(); ++i) {
        ++spans_seen;
        EXPECT_NEAR(spans[i].lo, merged[i].lo, 1e-12);
        EXPECT_NEAR(spans[i].hi, merged[i].hi, 1e-12);
        if (spans[i].lo > -3) {
          EXPECT_NEAR(solid.Level(o + spans[i].lo * d), 0, 1e-13);
          EXPECT_LE(Dot(spans[i].entry_normal, d), 1e-7);
          EXPECT_NEAR(Norm(spans[i].entry_normal), 1, 1e-12);
        }
        if (spans[i].hi < 3) {
          EXPECT_GE(Dot(spans[i].exit_normal, d), -1e-7);
        }
      }
      for (int j = 0; j < 30; ++j) {
        const double t = random.Uniform(-3, 3);
        const double level = solid.Level(o + t * d);
        const bool inside = std::any_of(spans.begin(), spans.end(),
                                        [&](const SolidSpan& s) { return s.lo <= t && t <= s.hi; });
        EXPECT_TRUE(std::abs(level) < kNear || inside == (level < 0));
      }
    }
    EXPECT_GT(spans_seen, 20) << PrimitiveName(posed.example.primitive);
  }
}

TEST(Primitives, BoundsHoldInAnyPoseAndAreTight) {
  Random random(14);
  for (const Posed& posed : PosedExamples(random)) {
    const Solid solid(posed.shape);
    const std::vector<Cell> cells = ToCells(posed.shape);
    const Pose X_WS = random.RandomPose(1);
    const Aabb box = solid.Bounds(X_WS);
    Vec3 lower{1e9, 1e9, 1e9}, upper{-1e9, -1e9, -1e9};
    for (int k = 0; k < 60000; ++k) {
      const Vec3 p = random.InBox(2.5);
      if (!solid.Contains(p)) continue;
      const Vec3 q = X_WS * p;
      lower = Min(lower, q);
      upper = Max(upper, q);
      for (const Cell& cell : cells) {
        if (!Contains(cell, p)) continue;
        const Vec3 u = Abs(TransposeTimes(cell.bounds.X.R, p - cell.bounds.X.p));
        for (int i = 0; i < 3; ++i) EXPECT_LE(u[i], cell.bounds.half[i] * (1 + 1e-12));
      }
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_LE(box.lower[i], lower[i]);
      EXPECT_GE(box.upper[i], upper[i]);
      if (std::isinf(box.upper[i]) || std::isinf(box.lower[i])) continue;
      // Random points reach corners slowly: within a fifth of the size, cusps within a half.
      const double share = std::holds_alternative<Fillet>(posed.example.primitive) ? 0.5 : 0.2;
      EXPECT_LT(lower[i] - box.lower[i], share * (box.upper[i] - box.lower[i]) + 0.05)
          << PrimitiveName(posed.example.primitive);
    }
  }
}

TEST(Primitives, BoundsOfCurvedSolidsAreExact) {
  const Pose X{ToRotation(Normalized(Quaternion{0.9, 0.3, -0.2, 0.4})), {0.1, -0.2, 0.3}};
  const auto height = [&](const Primitive& primitive) {
    const Aabb box = Solid(*Leaf(primitive)).Bounds(X);
    return 0.5 * (box.upper.z - box.lower.z);
  };
  const Vec3 n = X.R.Row(2);
  const double across = std::sqrt(n.x * n.x + n.y * n.y);
  EXPECT_NEAR(height(Cylinder{0.3, 2}), 0.3 * across + std::abs(n.z), 1e-13);
  EXPECT_NEAR(height(Torus{0.6, 0.2}), 0.6 * across + 0.2, 1e-13);
  EXPECT_NEAR(height(Capsule{0.3, 2}), 0.3 + std::abs(n.z), 1e-13);
  EXPECT_NEAR(height(Ellipsoid{{1, 2, 3}}), Norm({n.x, 2 * n.y, 3 * n.z}), 1e-13);
  EXPECT_NEAR(height(Box{{1, 2, 3}}), 0.5 * (std::abs(n.x) + 2 * std::abs(n.y) + 3 * std::abs(n.z)),
              1e-13);
}

TEST(Primitives, KindsOfSurfaces) {
  const auto kinds = [](const Primitive& primitive) {
    std::vector<SurfaceKind> all;
    for (const SurfaceList& piece : ToPieces(primitive, "test")) {
      for (const Surface& S : piece) all.push_back(S.kind);
    }
    return all;
  };
  using K = SurfaceKind;
  const auto quadric = [&](std::array<double, 10> q) { return kinds(Quadric{q}); };
  using Kinds = std::vector<SurfaceKind>;
  EXPECT_EQ(quadric({1, 1, 1, 0, 0, 0, 0, 0, 0, -1}), Kinds{K::kEllipsoid});
  EXPECT_EQ(quadric({1, 2, 3, 0.1, 0.2, 0.3, 1, 1, 1, -1}), Kinds{K::kEllipsoid});
  EXPECT_EQ(quadric({1, 1, 0, 0, 0, 0, 0, 0, 0, -1}), Kinds{K::kCylinder});
  EXPECT_EQ(quadric({0, 3, 3, 0, 0, 0, 0, 1, 2, -1}), Kinds{K::kCylinder});
  EXPECT_EQ(quadric({1, 2, 0, 0, 0, 0, 0, 0, 0, -1}), Kinds{K::kQuadric});
  EXPECT_EQ(quadric({1, 1, -2, 0, 0, 0, 0, 0, 0, 0}), (Kinds{K::kCone, K::kCone}));
  EXPECT_EQ(quadric({1, 1.1, -2, 0, 0, 0, 0, 0, 0, 0}), Kinds{K::kQuadric});
  EXPECT_EQ(quadric({1, 0, 0, 0, 0, 0, 0, 0, 0, -1}), (Kinds{K::kPlane, K::kPlane}));
  EXPECT_EQ(quadric({0, 0, 0, 0, 0, 0, 1, 2, 3, -1}), Kinds{K::kPlane});
  EXPECT_EQ(quadric({0, 0, 0, 1, 0, 0, 0, 0, 0, 0}), Kinds{K::kQuadric});
  EXPECT_EQ(kinds(Cone{1, 0, 1}), (Kinds{K::kCone, K::kPlane}));
  EXPECT_EQ(kinds(Cone{1, 2, 1}), (Kinds{K::kCone, K::kPlane, K::kPlane}));
  EXPECT_EQ(kinds(Cone{1, 1, 1}), (Kinds{K::kCylinder, K::kPlane, K::kPlane}));
  EXPECT_EQ(kinds(Sphere{1}), Kinds{K::kEllipsoid});
  EXPECT_EQ(kinds(Torus{1, 0.1}), Kinds{K::kTorus});
}

TEST(Primitives, RandomQuadricsKeepTheirSet) {
  Random random(15);
  for (int k = 0; k < 300; ++k) {
    std::array<double, 10> q{};
    for (double& c : q) c = random.Below(3) == 0 ? 0 : random.Uniform(-1, 1);
    if (k % 3 == 0) q[9] = 0;
    std::vector<Cell> cells;
    try {
      cells = ToCells(*Leaf(Quadric{q}));
    } catch (const std::invalid_argument&) {
    }
    for (int i = 0; i < 100; ++i) {
      const Vec3 p = random.InBox(3);
      const double v = q[0] * p.x * p.x + q[1] * p.y * p.y + q[2] * p.z * p.z + q[3] * p.x * p.y +
                       q[4] * p.x * p.z + q[5] * p.y * p.z + q[6] * p.x + q[7] * p.y + q[8] * p.z +
                       q[9];
      if (std::abs(v) < 1e-9) continue;
      const auto holders =
          std::count_if(cells.begin(), cells.end(), [&](const Cell& c) { return Contains(c, p); });
      if (!cells.empty()) {
        EXPECT_EQ(holders, v < 0 ? 1 : 0);
      }
    }
  }
}

TEST(Primitives, CapsuleHasThreeCellsWithCutFaces) {
  const std::vector<Cell> cells = ToCells(*Leaf(Capsule{1, 2}));
  ASSERT_EQ(cells.size(), 3u);
  int cuts = 0;
  for (const Cell& cell : cells) {
    for (const Surface& S : cell.surfaces) {
      EXPECT_EQ(S.cut, S.kind == SurfaceKind::kPlane);
      cuts += S.cut;
    }
  }
  EXPECT_EQ(cuts, 4);
  EXPECT_EQ(cells[0].neighbours, (std::vector<int>{1, 2}));
  EXPECT_EQ(cells[1].neighbours, std::vector<int>{0});
  EXPECT_EQ(cells[2].neighbours, std::vector<int>{0});
}

}  // namespace
}  // namespace intervox::geometry
