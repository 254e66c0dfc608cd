// Cuts of polyhedra: the surface stays closed whatever the plane passes through, and what is kept
// and what is cut away are the whole.
#include "cuda/rules/polytope/polyhedron.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "cuda/rules/polytope/rule.h"
#include "tests/cuda/families.h"

namespace intervox::cuda {
namespace {

constexpr double kOn = 1e-14, kCoincide = 2e-13;  // [m], of polyhedra of about one metre

// Every half-edge has its opposite, and the surface is that of a ball: V - E + F = 2.
template <class P>
void ExpectClosed(const P& polyhedron, int seed) {
  std::map<std::pair<int, int>, int> balance;
  std::set<int> corners;
  int halves = 0;
  for (int f = 0; f < polyhedron.faces(); ++f) {
    int h = polyhedron.FirstEdge(f);
    do {
      ASSERT_LT(++halves, 10000) << seed;
      const int from = polyhedron.Origin(h), to = polyhedron.Origin(polyhedron.NextEdge(h));
      corners.insert(from);
      ++balance[{from, to}];
      --balance[{to, from}];
      EXPECT_NEAR(Dot(polyhedron.Normal(f), polyhedron.Corner(from)), polyhedron.Offset(f), 2e-13)
          << seed;
      h = polyhedron.NextEdge(h);
    } while (h != polyhedron.FirstEdge(f));
  }
  for (const auto& [edge, count] : balance) EXPECT_EQ(count, 0) << seed;
  EXPECT_EQ(static_cast<int>(corners.size()) - halves / 2 + polyhedron.faces(), 2) << seed;
}

template <class P>
double VolumeOf(const P& polyhedron) {
  double area = 0;
  return polyhedron.Integrate(&area).v;
}

// A corner of a random face: one that is there, not the copy of one that is gone.
template <class P>
Vec3 RandomCorner(const P& polyhedron, testing::Random* random) {
  int h = polyhedron.FirstEdge(static_cast<int>(random->Uniform(0, polyhedron.faces())));
  for (int k = static_cast<int>(random->Uniform(0, 5)); k > 0; --k) h = polyhedron.NextEdge(h);
  return polyhedron.Corner(polyhedron.Origin(h));
}

// A plane through the middle, a corner, an edge or a diagonal, three corners, or just off a corner.
template <class P>
ClipPlane RandomPlane(const P& polyhedron, testing::Random* random) {
  const Vec3 a = RandomCorner(polyhedron, random), b = RandomCorner(polyhedron, random),
             c = RandomCorner(polyhedron, random);
  Vec3 n = random->Direction(), through = a;
  switch (static_cast<int>(random->Uniform(0, 5))) {
    case 0:
      through = 0.4 * a + 0.35 * b + 0.25 * c;
      break;
    case 1:
      break;
    case 2:
      if (Norm(b - a) > 0.01) n = Normalized(Cross(n, b - a));
      break;
    case 3:
      if (Norm(Cross(b - a, c - a)) > 1e-3) n = Normalized(Cross(b - a, c - a));
      break;
    case 4:
      through = a - random->LogUniform(1e-15, 0.1) * n;
      break;
  }
  return {n, Dot(n, through), 0.5, 1};
}

template <class P>
void CheckCuts(int rounds, int cuts) {
  testing::Random random(17);
  int done = 0, through_corners = 0;
  for (int round = 0; round < rounds; ++round) {
    P whole;
    whole.SetBox(random.RandomPose(0.3),
                 {random.Uniform(0.2, 1), random.Uniform(0.2, 1), random.Uniform(0.2, 1)});
    for (int k = 0; k < cuts; ++k) {
      const int seed = 1000 * round + k;
      const ClipPlane plane = RandomPlane(whole, &random);
      P kept = whole, rest = whole;
      const Cut cut = kept.Clip(plane, kOn, kCoincide);
      ASSERT_NE(cut, Cut::kFull) << seed;
      if (cut == Cut::kEmpty) continue;
      if (cut != Cut::kCut) {
        EXPECT_EQ(VolumeOf(kept), VolumeOf(whole)) << seed;
        continue;
      }
      ExpectClosed(kept, seed);
      const Cut other = rest.Clip({-plane.n, -plane.offset, 0.5, 1}, kOn, kCoincide);
      if (other == Cut::kCut) ExpectClosed(rest, seed);
      const double V = VolumeOf(whole);
      EXPECT_NEAR(VolumeOf(kept) + (other == Cut::kCut ? VolumeOf(rest) : 0.0), V, 1e-12) << seed;
      ++done;
      for (int i = 0; i < whole.corners(); ++i) {
        through_corners += std::fabs(Dot(plane.n, whole.Corner(i)) - plane.offset) <= kOn;
      }
      // The larger part goes on, so that cuts pile up.
      if (other == Cut::kCut && VolumeOf(rest) > VolumeOf(kept)) std::swap(kept, rest);
      if (VolumeOf(kept) < 1e-4) break;
      whole = kept;
    }
  }
  EXPECT_GT(done, rounds * cuts / 4);
  EXPECT_GT(through_corners, done / 2);
}

}  // namespace

TEST(Polyhedron, CutsLeaveItClosed) { CheckCuts<SmallPolyhedron>(400, 20); }

// Places that corners have left hold no corner, though zeros stand in two of their coordinates.
TEST(Polyhedron, ReachesAsFarAsTheCornersThatAreThere) {
  testing::Random random(18);
  int gone = 0;
  for (int round = 0; round < 500; ++round) {
    SmallPolyhedron cut;
    cut.SetBox({random.Rotation(), {3, 4, 5}}, {0.5, 0.4, 0.3});
    for (int k = 0; k < 4; ++k) {
      if (cut.Clip(RandomPlane(cut, &random), kOn, kCoincide) == Cut::kEmpty) break;
      Vec3 lower{INFINITY, INFINITY, INFINITY}, upper = -lower, got_lower, got_upper;
      const Vec3 n = random.Direction();
      double lowest = INFINITY;
      std::set<double> places;
      for (int i = 0; i < cut.corners(); ++i) {
        const Vec3 x = cut.Corner(i);
        places.insert(x.x);
        lower = Min(lower, x);
        upper = Max(upper, x);
        lowest = std::fmin(lowest, Dot(n, x));
      }
      gone += static_cast<int>(places.size()) < cut.corners();
      cut.GetBox(&got_lower, &got_upper);
      EXPECT_EQ(Norm(got_lower - lower) + Norm(got_upper - upper), 0.0) << round;
      EXPECT_NEAR(cut.Lowest(n), lowest, 1e-15) << round;
    }
  }
  EXPECT_GT(gone, 500);
}

// What rounding may leave of an outline, two boxes side by side have for sure.
TEST(Polyhedron, AnOutlineInTwoPartsIsTwoFaces) {
  const geometry::Cell cell = testing::BoxCell({1, 0.8, 0.6});
  const geometry::Corners& box = cell.corners;
  SmallPolyhedron two;
  two.Begin();
  std::vector<geometry::HalfEdge> half_edges;
  for (const double x : {0.0, 2.0}) {
    for (const Vec3& p : box.p_C) ASSERT_TRUE(two.AddCorner(p + Vec3{x, 0, 0}));
  }
  for (int k = 0; k < 2; ++k) {
    const auto index = [&](std::size_t of_one, std::size_t count) {
      return static_cast<std::uint16_t>(of_one + (k == 0 ? 0 : count));
    };
    for (const geometry::HalfEdge& h : box.half_edges) {
      half_edges.push_back({index(h.origin, box.p_C.size()), index(h.next, box.half_edges.size()),
                            index(h.face, box.faces.size())});
    }
    for (const geometry::CornerFace& face : box.faces) {
      ASSERT_TRUE(two.AddFace({{}, 0.0, 0.0, 0}, index(face.half_edge, box.half_edges.size())));
    }
  }
  ASSERT_TRUE(two.SetHalfEdges(half_edges.data(), static_cast<int>(half_edges.size())));
  EXPECT_NEAR(VolumeOf(two), 2 * 0.48, 1e-15);
  const Vec3 n = Normalized(Vec3{0, 0.1, 1});
  EXPECT_EQ(two.Clip({n, 0.0, 0.5, 1}, kOn, kCoincide), Cut::kCut);
  EXPECT_NEAR(VolumeOf(two), 0.48, 1e-15);
  EXPECT_EQ(two.faces(), 12);
}

}  // namespace intervox::cuda
