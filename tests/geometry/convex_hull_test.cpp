// The hull against a brute-force one: every plane through three points with all points on one side.
#include "geometry/convex_hull.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numbers>

#include "random_shapes.h"

namespace intervox::geometry {
namespace {

std::vector<PlaneCut> BruteForce(const std::vector<Vec3>& p) {
  std::vector<PlaneCut> faces;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      for (std::size_t k = 0; k < p.size(); ++k) {
        const Vec3 n = Cross(p[j] - p[i], p[k] - p[i]);
        if (Norm(n) < 1e-9) continue;
        const Vec3 u = Normalized(n);
        const double d = Dot(u, p[i]);
        bool face = true;
        for (const Vec3& q : p) face = face && Dot(u, q) <= d + 1e-10;
        for (const PlaneCut& f : faces) face = face && Norm(f.n - u) > 1e-8;
        if (face) faces.push_back({u, d, -1});
      }
    }
  }
  return faces;
}

void ExpectSameFaces(const std::vector<Vec3>& points) {
  const std::vector<PlaneCut> hull = ConvexHull(points);
  const std::vector<PlaneCut> brute = BruteForce(points);
  EXPECT_EQ(hull.size(), brute.size());
  for (const PlaneCut& b : brute) {
    int found = 0;
    for (const PlaneCut& h : hull) found += Norm(h.n - b.n) < 1e-8 && std::abs(h.d - b.d) < 1e-9;
    EXPECT_EQ(found, 1);
  }
  for (const PlaneCut& h : hull) {
    for (const Vec3& p : points) EXPECT_LE(Dot(h.n, p), h.d);
  }
}

TEST(ConvexHull, RandomPointsAgreeWithBruteForce) {
  Random random(21);
  for (int round = 0; round < 30; ++round) {
    std::vector<Vec3> p;
    for (int k = 0; k < 5 + round; ++k) p.push_back(random.InBox(1));
    ExpectSameFaces(p);
  }
}

TEST(ConvexHull, CoplanarFacetsMerge) {
  // A grid of points on a cube: six faces, however many points lie on them.
  std::vector<Vec3> p;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) p.push_back({i / 3.0, j / 3.0, k / 3.0});
    }
  }
  EXPECT_EQ(ConvexHull(p).size(), 6u);
  Random random(22);
  for (int round = 0; round < 20; ++round) {
    const Pose X = random.RandomPose(5);
    std::vector<Vec3> q;
    for (const Vec3& v : p) q.push_back(X * v);
    EXPECT_EQ(ConvexHull(q).size(), 6u);
  }
}

TEST(ConvexHull, PrismsAndDoubledPoints) {
  Random random(23);
  for (int sides = 3; sides < 40; ++sides) {
    std::vector<Vec3> p;
    const Pose X = random.RandomPose(1);
    Vec3 v{1, 0, 0};
    const double angle = 2 * 3.14159265358979323846 / sides;
    const Mat3 turn{
        {std::cos(angle), -std::sin(angle), 0}, {std::sin(angle), std::cos(angle), 0}, {0, 0, 1}};
    for (int k = 0; k < sides; ++k) {
      p.push_back(X * v);
      p.push_back(X * (v + Vec3{0, 0, 0.3}));
      p.push_back(p.back());
      v = turn * v;
    }
    EXPECT_EQ(ConvexHull(p).size(), static_cast<std::size_t>(sides + 2));
  }
}

TEST(ConvexHull, ManyPointsOnASphere) {
  Random random(24);
  std::vector<Vec3> p;
  for (int k = 0; k < 1000; ++k) p.push_back(random.Direction());
  const std::vector<PlaneCut> hull = ConvexHull(p);
  EXPECT_EQ(hull.size(), 2 * p.size() - 4);  // Euler, all facets triangles
  int outside = 0;
  for (const PlaneCut& h : hull) {
    for (const Vec3& q : p) outside += Dot(h.n, q) > h.d;
  }
  EXPECT_EQ(outside, 0);
}

// Many points are a matter of seconds, or refused: those inside of the hull cost little.
TEST(ConvexHull, TooManyTrianglesAreRefusedAndPointsInsideAreNot) {
  Random random(25);
  std::vector<Vec3> p;
  for (int k = 0; k < 7000; ++k) p.push_back(random.Direction());
  EXPECT_THROW(ConvexHull(p), std::length_error);
  for (Vec3& q : p) q = 0.1 * q;
  for (const double x : {-1.0, 1.0}) {
    for (const double y : {-1.0, 1.0}) p.insert(p.end(), {{x, y, -1}, {x, y, 1}});
  }
  EXPECT_EQ(ConvexHull(p).size(), 6u);
}

TEST(ConvexHull, AnyScaleAndThinShapes) {
  const std::vector<Vec3> box{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                              {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
  for (const double s : {1e-6, 1.0, 1e3}) {
    for (const double thin : {1.0, 1e-3, 1e-6}) {
      std::vector<Vec3> p;
      for (const Vec3& v : box) p.push_back(s * Vec3{v.x, v.y, thin * v.z});
      EXPECT_EQ(ConvexHull(p).size(), 6u);
    }
  }
  std::vector<Vec3> flat;
  for (const Vec3& v : box) flat.push_back({v.x, v.y, 1e-12 * v.z});
  EXPECT_TRUE(ConvexHull(flat).empty());
}

// Of processor time: the machine may be busy.
TEST(ConvexHull, FiveThousandPointsBecomeACellInASecond) {
  Random random(9);
  Convex cloud;
  for (int k = 0; k < 5000; ++k) {
    cloud.vertices.push_back(std::cbrt(random.Uniform(0, 1)) * random.Direction());
  }
  const std::clock_t start = std::clock();
  const std::vector<Cell> cells = ToCells(*Leaf(cloud));
  EXPECT_LT(static_cast<double>(std::clock() - start), 1.0 * CLOCKS_PER_SEC);
  EXPECT_GT(cells.front().surfaces.size(), 300u);
}

// The most that points can do: each is a corner. The faces close, and hold what Euler's and Gauss'
// theorems say.
TEST(SlowConvexHull, FiveThousandPointsOnASphereBecomeACellInSeconds) {
  Random random(10);
  Convex ball;
  for (int k = 0; k < 5000; ++k) ball.vertices.push_back(random.Direction());
  const std::clock_t start = std::clock();
  const std::vector<Cell> cells = ToCells(*Leaf(ball));
  EXPECT_LT(static_cast<double>(std::clock() - start), 5.0 * CLOCKS_PER_SEC);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].faces.size(), 2 * ball.vertices.size() - 4);
  Vec3 area;
  double volume = 0.0, whole = 0.0;
  for (const FacePolygon& face : cells[0].faces) {
    ASSERT_GE(face.p_C.size(), 3u);
    for (std::size_t k = 2; k < face.p_C.size(); ++k) {
      const Vec3 a = 0.5 * Cross(face.p_C[k - 1] - face.p_C[0], face.p_C[k] - face.p_C[0]);
      area += a;
      whole += Norm(a);
      volume += Dot(a, face.p_C[0]) / 3;
    }
  }
  EXPECT_LT(Norm(area), 1e-10);
  const double sphere = 4 * std::numbers::pi;
  EXPECT_LT(whole, sphere);
  EXPECT_GT(whole, 0.998 * sphere);
  EXPECT_LT(volume, sphere / 3);
  EXPECT_GT(volume, 0.997 * sphere / 3);
}

/** Expects the same faces, from the same cuts in the same order. */
void ExpectSamePolytope(const Polytope& a, const Polytope& b) {
  ASSERT_EQ(a.faces.size(), b.faces.size());
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    const PolytopeFace &x = a.faces[f], &y = b.faces[f];
    EXPECT_EQ(x.cut, y.cut);
    const std::span<const Vec3> p = a.Corners(x), q = b.Corners(y);
    ASSERT_EQ(p.size(), q.size());
    std::size_t first = 0;  // a polygon may begin at another corner
    while (first < q.size() && Norm(q[first] - p[0]) > 1e-10) ++first;
    ASSERT_LT(first, q.size());
    for (std::size_t k = 0; k < p.size(); ++k) {
      const std::size_t at = (first + k) % q.size();
      EXPECT_LT(Norm(p[k] - q[at]), 1e-10);
      EXPECT_EQ(a.Edges(x)[k], b.Edges(y)[at]);
    }
  }
}

// Many cuts are looked through in another order than few: cuts that touch nothing, and doubles of
// others, must change nothing.
TEST(Polytope, ManyCutsMakeWhatTheFewThatMatterMake) {
  Random random(26);
  for (int round = 0; round < 40; ++round) {
    std::vector<PlaneCut> few;
    const int number = 8 + random.Below(32);
    for (int k = 0; k < number; ++k) few.push_back({random.Direction(), random.Uniform(0.3, 1), k});
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        Vec3 n;
        n[axis] = sign;
        few.push_back({n, 0.8, static_cast<int>(few.size())});
      }
    }
    std::vector<PlaneCut> many = few;
    for (int k = 0; k < 100; ++k) {
      PlaneCut cut = few[static_cast<std::size_t>(random.Below(number))];
      if (k % 2 == 0) cut = {random.Direction(), 2.5, -1};  // beyond the box
      many.push_back(cut);
    }
    ExpectSamePolytope(ClipPolytope(few, 1), ClipPolytope(many, 1));
  }
}

}  // namespace
}  // namespace intervox::geometry
