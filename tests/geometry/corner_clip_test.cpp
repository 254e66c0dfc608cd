// Clipping with shared corners finds what clipping each face on its own does.
#include "geometry/corner_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "geometry/enclose.h"
#include "geometry/make_surface.h"

namespace intervox::geometry {
namespace {

/** The six cuts of a box, each pair the upper one first. */
std::vector<PlaneCut> BoxCuts(const Pose& X, const Vec3& half) {
  std::vector<PlaneCut> cuts;
  for (int k = 0; k < 3; ++k) {
    const Vec3 n = X.R.Col(k);
    cuts.push_back({n, Dot(n, X.p) + half[k], -1});
    cuts.push_back({-n, -Dot(n, X.p) + half[k], -1});
  }
  return cuts;
}

constexpr Slabs kOfBox{{1, 3, 5}, {0, 2, 4}};

/** The same polytope face by face: so many cuts that corners are not shared, all but the first of
 each kind without a face. */
Polytope FaceByFace(std::vector<PlaneCut> cuts, double scale) {
  const std::size_t number = cuts.size();
  for (std::size_t k = 0; cuts.size() < 64; ++k) cuts.push_back(cuts[k % number]);
  return ClipPolytope(cuts, scale);
}

double Volume(const Polytope& P) {
  double volume = 0;
  for (const PolytopeFace& face : P.faces) {
    const std::span<const Vec3> p = P.Corners(face);
    for (std::size_t k = 1; k + 1 < p.size(); ++k) {
      const Vec3 &a = P.vertices[0], &b = p[0];
      volume += Dot(b - a, Cross(p[k] - a, p[k + 1] - a)) / 6;
    }
  }
  return volume;
}

/** Faces, edges and corners are the same to rounding. */
void ExpectSame(const Polytope& P, const Polytope& Q, double size, const std::string& what) {
  ASSERT_EQ(P.empty, Q.empty) << what;
  ASSERT_EQ(P.faces.size(), Q.faces.size()) << what;
  for (std::size_t k = 0; k < P.faces.size(); ++k) {
    const PolytopeFace &f = P.faces[k], &g = Q.faces[k];
    EXPECT_EQ(f.cut, g.cut) << what;
    const std::span<const Vec3> p = P.Corners(f), q = Q.Corners(g);
    ASSERT_EQ(p.size(), q.size()) << what << ", cut " << f.cut;
    // The loops may begin anywhere, and run in the same direction.
    const auto apart = [&](std::size_t m) { return Norm(q[m] - p[0]); };
    std::size_t shift = 0;
    for (std::size_t m = 1; m < q.size(); ++m) shift = apart(m) < apart(shift) ? m : shift;
    for (std::size_t m = 0; m < p.size(); ++m) {
      const std::size_t n = (m + shift) % q.size();
      EXPECT_LT(Norm(p[m] - q[n]), 1e-11 * size) << what << ", cut " << f.cut;
    }
  }
  EXPECT_NEAR(Volume(P), Volume(Q), 1e-11 * size * size * size) << what;
}

class CornerClip : public ::testing::Test {
 protected:
  std::mt19937 random_{7};
  double Uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(random_);
  }
  Vec3 Direction() { return Normalized(Vec3{Uniform(-1, 1), Uniform(-1, 1), Uniform(-1, 1)}); }
  Pose AnyPose(double size) {
    return {FrameAlong(Direction()), size * Vec3{Uniform(-3, 3), Uniform(-3, 3), Uniform(-3, 3)}};
  }
};

TEST_F(CornerClip, IsTheBoxWhereNothingElseCuts) {
  const Vec3 half{1, 2, 3};
  const auto P = ClipSlabs(BoxCuts(Pose::Identity(), half), kOfBox, {}, 1e-12);
  ASSERT_TRUE(P.has_value());
  EXPECT_EQ(P->faces.size(), 6U);
  EXPECT_DOUBLE_EQ(Volume(*P), 48);
  EXPECT_EQ(P->lower, -half);
  EXPECT_EQ(P->upper, half);
}

TEST_F(CornerClip, FindsWhatFacesOneByOneFind) {
  int quick = 0;
  for (const double size : {0.01, 1.0, 100.0}) {
    for (int round = 0; round < 100; ++round) {
      const Pose X = AnyPose(size);
      std::vector<PlaneCut> cuts = BoxCuts(X, size * Vec3{Uniform(0.2, 1), 1, Uniform(0.2, 1)});
      for (int k = round % 12; k >= 0; --k) {
        const Vec3 n = Direction();
        cuts.push_back({n, Dot(n, X.p) + size * Uniform(-0.1, 1), -1});
      }
      const auto P = ClipSlabs(cuts, kOfBox, X.p, 1e-12 * size);
      if (!P) continue;
      ++quick;
      ExpectSame(*P, FaceByFace(cuts, 10 * size), size,
                 std::to_string(size) + " m, round " + std::to_string(round));
    }
  }
  EXPECT_GT(quick, 280);
}

TEST_F(CornerClip, ClipsAPolytopeFurtherAsAllCutsAtOnce) {
  int further = 0, empty = 0;
  for (const double size : {1e-3, 1.0, 1e3}) {
    for (int round = 0; round < 60; ++round) {
      const Pose X = AnyPose(size);
      std::vector<PlaneCut> cuts = BoxCuts(X, size * Vec3{Uniform(0.01, 1), 1, Uniform(0.2, 1)});
      Polytope P = ClipPolytope(cuts, 10 * size);
      for (int k = 0; k < 12; ++k) {
        const Vec3 n = Direction();
        // Through the middle of what is left now and then, so that it becomes small.
        const Vec3 beyond = k % 3 == 0 ? Vec3{} : Uniform(0, 0.5) * size * n;
        const Vec3 through = Mean(P.vertices) + beyond;
        cuts.push_back({n, Dot(n, through), -1});
        const std::string what =
            std::to_string(size) + " m, round " + std::to_string(round) + "." + std::to_string(k);
        const auto Q = ClipFurther(P, cuts);
        ASSERT_TRUE(Q.has_value()) << what;
        ExpectSame(*Q, FaceByFace(cuts, 10 * size), size, what);
        EXPECT_LE(Q->tolerance, 4e-12 * Norm(Q->upper - Q->lower) + 1e-14 * size) << what;
        ++further;
        P = *Q;
      }
      cuts.push_back({-cuts[0].n, -cuts[0].d - 0.1 * size, -1});
      const auto nothing = ClipFurther(P, cuts);
      ASSERT_TRUE(nothing.has_value());
      EXPECT_TRUE(nothing->empty);
      ++empty;
    }
  }
  EXPECT_EQ(further, 3 * 60 * 12);
  EXPECT_EQ(empty, 3 * 60);
}

TEST_F(CornerClip, ClipsNoPolytopeFurtherWhoseCornersAreNotShared) {
  std::vector<PlaneCut> cuts = BoxCuts(Pose::Identity(), {1, 1, 1});
  const Polytope loose = FaceByFace(cuts, 10);
  ASSERT_TRUE(loose.corners.empty());
  cuts.push_back({{1, 0, 0}, 0.5, -1});
  EXPECT_FALSE(ClipFurther(loose, cuts).has_value());
}

TEST_F(CornerClip, LeavesItToOthersWhereRoundingDecides) {
  std::vector<PlaneCut> cuts = BoxCuts(Pose::Identity(), {1, 1, 1});
  const Polytope box = ClipPolytope(cuts, 10);
  for (const double off : {2e-12, 8e-12}) {  // between one and eight tolerances of 2e-12
    std::vector<PlaneCut> nearly = cuts;
    nearly.push_back({{1, 0, 0}, 1 - 2 * off, -1});
    EXPECT_FALSE(ClipFurther(box, nearly).has_value()) << off;
  }
  std::vector<PlaneCut> same = cuts;
  same.push_back({{1, 0, 0}, 1, -1});
  const auto P = ClipFurther(box, same);
  ASSERT_TRUE(P.has_value());
  EXPECT_EQ(P->faces.size(), 6U);
}

/** The hull of a wedge of a plate with a hole: as built anew, whichever planes are gone. */
TEST(EnclosingPolytope, IsTheSameWithinOneMorePlane) {
  const auto surfaces_of = [](double angle) {
    return std::vector<Surface>{MakePlane({0, 0, 1}, 0.25),
                                MakePlane({0, 0, -1}, 0.25),
                                MakePlane({1, 0, 0}, 1),
                                MakePlane({-1, 0, 0}, 1),
                                MakePlane({0, 1, 0}, 1),
                                MakePlane({0, -1, 0}, 1),
                                MakePlane({std::cos(angle), std::sin(angle), 0}, 0)};
  };
  for (const double angle : {0.3, 1.0, 2.5, 4.0}) {
    std::vector<Surface> surfaces = surfaces_of(angle);
    const EnclosingPolytope hull = Enclose(surfaces);
    const Surface plane = MakePlane({-std::sin(angle), std::cos(angle), 0.1}, 0.05);
    const auto further = EncloseFurther(hull, plane, 7);
    ASSERT_TRUE(further.has_value());
    surfaces.push_back(plane);
    const EnclosingPolytope anew = Enclose(surfaces);
    ExpectSame(further->polytope, anew.polytope, 1, std::to_string(angle));

    std::vector<std::ptrdiff_t> with_face;
    std::vector<Surface> kept;
    for (std::ptrdiff_t k = 0; k < 8; ++k) {
      if (FindFace(*further, static_cast<int>(k)) == nullptr) continue;
      with_face.push_back(k);
      kept.push_back(surfaces[static_cast<std::size_t>(k)]);
    }
    ASSERT_LT(with_face.size(), 8U);
    const auto renumbered = Renumbered(*further, with_face);
    ASSERT_TRUE(renumbered.has_value());
    ASSERT_EQ(renumbered->cuts.size(), kept.size());
    ExpectSame(renumbered->polytope, Enclose(kept).polytope, 1, std::to_string(angle));
    for (std::size_t k = 0; k < kept.size(); ++k) {
      const PolytopeFace* const face = FindFace(*renumbered, static_cast<int>(k));
      ASSERT_NE(face, nullptr);
      for (const Vec3& p : renumbered->polytope.Corners(*face)) {
        EXPECT_NEAR(Dot(kept[k].side * kept[k].PlaneNormal(), p - kept[k].o), 0.0, 1e-13);
      }
    }
    const Cell cell = MakeCellIn(*renumbered, kept, "wedge");
    const Cell same = MakeCell(kept, "wedge");
    EXPECT_EQ(cell.faces.size(), same.faces.size());
    EXPECT_EQ(cell.corners.loop.size(), same.corners.loop.size());
    EXPECT_LT(Norm(cell.bounds.half - same.bounds.half), 1e-13);
    with_face.pop_back();  // a plane that has a face cannot go
    EXPECT_FALSE(Renumbered(*further, with_face).has_value());
  }
}

TEST_F(CornerClip, CutsThroughCornersAndEdges) {
  for (const double size : {0.01, 1.0, 100.0}) {
    const Pose X = AnyPose(size);
    const std::vector<PlaneCut> box = BoxCuts(X, {size, size, size});
    const auto through = [&](const Vec3& n, double d) {
      const Vec3 n_W = X.R * Normalized(n);
      return PlaneCut{n_W, Dot(n_W, X.p) + d * size / Norm(n), -1};
    };
    struct Case {
      Vec3 n;
      double d, volume;
    };
    // Along a diagonal, through three corners, through one edge, through a corner and two edges.
    for (const Case& c : {Case{{1, 1, 0}, 0, 4}, Case{{1, 1, 1}, 1, 8 - 4.0 / 3},
                          Case{{2, 1, 0}, 1, 6}, Case{{1, 1, 1}, -1, 4.0 / 3}}) {
      std::vector<PlaneCut> cuts = box;
      cuts.push_back(through(c.n, c.d));
      const auto P = ClipSlabs(cuts, kOfBox, X.p, 1e-12 * size);
      ASSERT_TRUE(P.has_value());
      EXPECT_NEAR(Volume(*P), c.volume * size * size * size, 1e-11 * size * size * size);
      ExpectSame(*P, FaceByFace(cuts, 10 * size), size, std::to_string(c.volume));
    }
    // The regular octahedron's half within the cube: cuts that meet in corners and in each other.
    std::vector<PlaneCut> cuts = box;
    for (const double sx : {-1.0, 1.0}) {
      for (const double sy : {-1.0, 1.0}) {
        for (const double sz : {-1.0, 1.0}) cuts.push_back(through({sx, sy, sz}, 1));
      }
    }
    const auto P = ClipSlabs(cuts, kOfBox, X.p, 1e-12 * size);
    ASSERT_TRUE(P.has_value());
    EXPECT_NEAR(Volume(*P), 4.0 / 3 * size * size * size, 1e-11 * size * size * size);
    cuts.push_back(through({1, 0, 0}, 0));
    const Polytope half = ClipPolytope(cuts, 10 * size);
    EXPECT_NEAR(Volume(half), 2.0 / 3 * size * size * size, 1e-11 * size * size * size);
  }
}

TEST_F(CornerClip, TheFirstOfCoincidentCutsHasTheFace) {
  std::vector<PlaneCut> cuts = BoxCuts(Pose::Identity(), {1, 1, 1});
  const PlaneCut diagonal{Normalized(Vec3{1, 1, 1}), 0.3, -1};
  cuts.insert(cuts.end(), {diagonal, cuts[0], diagonal});
  const auto P = ClipSlabs(cuts, {{1, 3, 5}, {7, 2, 4}}, {}, 1e-12);
  ASSERT_TRUE(P.has_value());
  std::vector<int> faces;
  for (const PolytopeFace& face : P->faces) faces.push_back(face.cut);
  EXPECT_EQ(faces, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
}

TEST_F(CornerClip, SaysWhatIsEmptyAndLeavesWhatRoundingDecides) {
  std::vector<PlaneCut> cuts = BoxCuts(Pose::Identity(), {1, 1, 1});
  cuts.push_back({{1, 0, 0}, -1.5, -1});
  const auto nothing = ClipSlabs(cuts, kOfBox, {}, 1e-12);
  ASSERT_TRUE(nothing.has_value());
  EXPECT_TRUE(nothing->empty);
  for (const double near : {-1.0, -1.0 + 3e-12, 1.0 - 3e-12}) {
    cuts.back().d = near;
    EXPECT_FALSE(ClipSlabs(cuts, kOfBox, {}, 1e-12).has_value()) << near;
  }
  cuts.resize(64, cuts.front());
  cuts[6].d = 0.5;
  EXPECT_FALSE(ClipSlabs(cuts, kOfBox, {}, 1e-12).has_value());
}

}  // namespace
}  // namespace intervox::geometry
