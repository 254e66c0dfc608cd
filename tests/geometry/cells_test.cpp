// Decomposition of CSG trees into disjoint cells, and what MakeCell knows of one cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "geometry/solid.h"
#include "partition.h"

namespace intervox::geometry {
namespace {

TEST(Cells, RandomTreesArePartitioned) {
  Random random(31);
  int made = 0;
  for (int round = 0; round < 40; ++round) {
    const ShapePtr shape = RandomTree(random, 2);
    std::vector<Cell> cells;
    try {
      cells = ToCells(*shape);
    } catch (const std::invalid_argument&) {  // an empty solid somewhere: no sample may be inside
      continue;
    }
    ++made;
    ExpectPartition(*shape, cells, random, 2, 1500);
  }
  EXPECT_GT(made, 20);
}

TEST(Cells, EmptyVerdictsAreTrue) {
  Random random(32);
  int empty = 0;
  for (int round = 0; round < 60; ++round) {
    const std::vector<Example> examples = Examples();
    const auto pick = [&] {
      return examples[static_cast<std::size_t>(random.Below(static_cast<int>(examples.size())))]
          .primitive;
    };
    const ShapePtr a = Leaf(pick(), random.RandomPose(0.9));
    const ShapePtr b = Leaf(pick(), random.RandomPose(0.9));
    const ShapePtr both = Tree(Operation::kIntersection, {a, b});
    try {
      ToCells(*both);
    } catch (const std::invalid_argument&) {
      ++empty;
      const Solid solid(*both);
      for (int k = 0; k < 3000; ++k) EXPECT_GT(solid.Level(random.InBox(2)), -1e-9);
    }
  }
  EXPECT_GT(empty, 2);
}

TEST(Cells, DeterministicOrderNamesAndNodes) {
  const ShapePtr rib = Leaf(Box{{0.1, 1, 1}}, {}, "rib");
  const auto placed = [&](double x) { return Tree(Operation::kUnion, {rib}, "", At(x, 0, 0.6)); };
  const ShapePtr socket =
      Tree(Operation::kDifference,
           {Leaf(Box{{0.2, 0.2, 0.2}}), Leaf(Cylinder{0.05, 0.3}, At(0, 0, 0.1))}, "socket",
           At(2, 0, 0));
  const ShapePtr all =
      Tree(Operation::kUnion, {Leaf(Box{{4, 1, 0.2}}), placed(-1), placed(0), socket}, "worksite");
  const auto names = [&] {
    std::vector<std::string> list;
    for (const Cell& cell : ToCells(*all)) list.push_back(cell.name);
    return list;
  };
  const std::vector<std::string> expected = names();
  EXPECT_EQ(expected[0], "worksite/0");
  EXPECT_EQ(expected[1], "rib/0");
  EXPECT_EQ(expected[2], "rib/1");
  EXPECT_EQ(expected[3], "socket/0");
  EXPECT_EQ(names(), expected);
  const std::vector<Cell> cells = ToCells(*all);
  const std::vector<Cell> again = ToCells(*all);
  ASSERT_EQ(cells.size(), again.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    ASSERT_EQ(cells[k].surfaces.size(), again[k].surfaces.size());
    for (std::size_t i = 0; i < cells[k].surfaces.size(); ++i) {
      EXPECT_EQ(cells[k].surfaces[i].node, again[k].surfaces[i].node);
      EXPECT_EQ(cells[k].surfaces[i].o, again[k].surfaces[i].o);
      EXPECT_GE(cells[k].surfaces[i].node, 0);
    }
  }
  EXPECT_EQ(cells[0].node, 0);
  EXPECT_EQ(cells[3].node, 6);
}

TEST(Cells, ThroughHoleIsOneCell) {
  for (const double length : {0.02, 0.009}) {  // longer than the block, and flush with it
    const auto cells = ToCells(*Tree(Operation::kDifference, {Leaf(Box{{0.025, 0.025, 0.009}}),
                                                              Leaf(Cylinder{0.00405, length})}));
    ASSERT_EQ(cells.size(), 1u);
    EXPECT_EQ(cells[0].surfaces.size(), 7u);
    EXPECT_EQ(cells[0].surfaces[6].side, -1);
    EXPECT_EQ(cells[0].bounds.half, (Vec3{0.0125, 0.0125, 0.0045}));
  }
}

TEST(Cells, ChamferedSocketIsOneCell) {
  const auto hole =
      Tree(Operation::kUnion,
           {Leaf(Cylinder{0.00405, 0.04}), Leaf(Cone{0.00405, 0.00505, 0.001}, At(0, 0, 0.0095))});
  const auto cells =
      ToCells(*Tree(Operation::kDifference, {Leaf(Box{{0.025, 0.025, 0.02}}), hole}));
  EXPECT_EQ(cells.size(), 1u);
}

TEST(Cells, RedundantSurfacesAreDropped) {
  // A ball wholly inside a box keeps only its own surface; a box inside a ball only its planes.
  const auto ball =
      ToCells(*Tree(Operation::kIntersection, {Leaf(Box{{3, 3, 3}}), Leaf(Sphere{1})}));
  ASSERT_EQ(ball.size(), 1u);
  EXPECT_EQ(ball[0].surfaces.size(), 1u);
  const auto box =
      ToCells(*Tree(Operation::kIntersection, {Leaf(Box{{1, 1, 1}}), Leaf(Sphere{1})}));
  ASSERT_EQ(box.size(), 1u);
  EXPECT_EQ(box[0].surfaces.size(), 6u);
  EXPECT_TRUE(box[0].polytope);
  // The same solid twice is once.
  const auto twice = ToCells(*Tree(Operation::kUnion, {Leaf(Capsule{1, 2}), Leaf(Capsule{1, 2})}));
  EXPECT_EQ(twice.size(), 3u);
}

TEST(Cells, InfiniteSolidsAreToldApart) {
  const ShapePtr wide = Leaf(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, 0, -4}});
  const ShapePtr narrow = Leaf(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, 0, -1}});
  const auto both = ToCells(*Tree(Operation::kIntersection, {wide, narrow}));
  ASSERT_EQ(both.size(), 1u);
  EXPECT_FALSE(Contains(both[0], {1.5, 0, 0}));
  const auto pipe = ToCells(*Tree(Operation::kDifference, {wide, narrow}));
  ASSERT_EQ(pipe.size(), 1u);
  EXPECT_TRUE(Contains(pipe[0], {1.5, 0, 1e4}));
  EXPECT_FALSE(Contains(pipe[0], {0.5, 0, 0}));
}

TEST(Cells, DisjointOperandsStayWhole) {
  const auto cells = ToCells(*Tree(
      Operation::kUnion, {Leaf(Box{{1, 1, 1}}), Leaf(Torus{0.5, 0.1}, At(2, 0, 0)),
                          Leaf(Box{{1, 1, 1}}, At(0, 0, 1))}));  // touches the first one's top
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[1].surfaces.size(), 1u);
  EXPECT_EQ(cells[2].surfaces.size(), 6u);
}

TEST(Cells, UnboundedCellsAreFlagged) {
  const auto first = [](const Primitive& p) { return ToCells(*Leaf(p)).front(); };
  EXPECT_FALSE(first(HalfSpace{{0, 0, 1}, 0}).bounded);
  EXPECT_TRUE(std::isinf(first(HalfSpace{{0, 0, 1}, 0}).bounds.half.x));
  EXPECT_FALSE(first(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, -1, 0}}).bounded);
  EXPECT_TRUE(first(Torus{1, 0.1}).bounded);
  const Cell pipe = first(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, 0, -4}});
  EXPECT_FALSE(pipe.bounded);
  EXPECT_EQ(pipe.bounds.half.x, 2);
  EXPECT_TRUE(std::isinf(pipe.bounds.half.z));
  const auto cup =
      ToCells(*Tree(Operation::kIntersection, {Leaf(Quadric{{1, 1, 0, 0, 0, 0, 0, 0, -1, 0}}),
                                               Leaf(HalfSpace{{0, 0, 1}, 4})}));
  ASSERT_EQ(cup.size(), 1u);
  EXPECT_TRUE(cup[0].bounded);
  EXPECT_NEAR(cup[0].bounds.half.x, 2, 1e-9);
  EXPECT_NEAR(cup[0].bounds.half.z, 2, 1e-9);
}

TEST(Cells, FacePolygonsLieOnTheirPlanesAndTurnCounterclockwise) {
  Random random(33);
  for (int round = 0; round < 20; ++round) {
    const Pose X = random.RandomPose(1);
    const ShapePtr shape = round % 2 ? Leaf(Box{{1, 2, 3}}, X) : Leaf(Cone{0.5, 0.2, 1}, X);
    const Cell cell = ToCells(*shape).front();
    EXPECT_EQ(cell.faces.size(), round % 2 ? 6u : 2u);
    double area = 0;
    for (const FacePolygon& face : cell.faces) {
      const Surface& plane = cell.surfaces[static_cast<std::size_t>(face.surface)];
      Vec3 twice;
      for (std::size_t k = 0; k < face.p_C.size(); ++k) {
        EXPECT_NEAR(Dot(plane.PlaneNormal(), face.p_C[k] - plane.o), 0, 1e-15 * 10);
        twice +=
            Cross(face.p_C[k] - face.p_C[0], face.p_C[(k + 1) % face.p_C.size()] - face.p_C[0]);
      }
      EXPECT_NEAR(Dot(twice, plane.PlaneNormal()), Norm(twice), 1e-12);
      area += 0.5 * Norm(twice);
    }
    EXPECT_TRUE(round % 2 == 0 || std::abs(area - 22) < 1e-12);
  }
}

// 2e and 2e + 1 are opposite, and each face's half-edges run along its loop.
void ExpectHalfEdgesOfLoops(const Corners& corners) {
  const std::vector<HalfEdge>& half = corners.half_edges;
  ASSERT_EQ(half.size(), corners.loop.size());
  ASSERT_EQ(corners.begin.size(), corners.faces.size() + 1);
  for (std::size_t h = 0; h < half.size(); ++h) {
    EXPECT_EQ(half[half[h].next].origin, half[h ^ 1].origin);
    EXPECT_EQ(half[half[h].next].face, half[h].face);
  }
  for (std::size_t f = 0; f < corners.faces.size(); ++f) {
    std::size_t h = static_cast<std::size_t>(corners.faces[f].half_edge);
    for (std::int32_t i = corners.begin[f]; i < corners.begin[f + 1]; ++i) {
      EXPECT_EQ(half[h].face, f);
      EXPECT_EQ(half[h].origin, corners.loop[static_cast<std::size_t>(i)]);
      h = half[h].next;
    }
    EXPECT_EQ(h, static_cast<std::size_t>(corners.faces[f].half_edge));
  }
}

TEST(Cells, HalfEdgesAreThoseOfTheLoops) {
  Random random(37);
  int polytopes = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec3> points;
    for (int k = 0; k < 4 + round % 40; ++k) points.push_back(random.Direction());
    for (const Cell& cell : ToCells(*Leaf(Convex{points}, random.RandomPose(1)))) {
      if (cell.corners.p_C.empty()) continue;
      ++polytopes;
      ExpectHalfEdgesOfLoops(cell.corners);
    }
  }
  EXPECT_GT(polytopes, 190);
}

TEST(Cells, BoundsFollowTheAxesOfTheSolid) {
  Random random(34);
  for (int round = 0; round < 20; ++round) {
    const Pose X = random.RandomPose(1);
    const auto volume = [&](const Primitive& primitive) {
      const Vec3 h = ToCells(*Leaf(primitive, X)).front().bounds.half;
      return 8 * h.x * h.y * h.z;
    };
    EXPECT_NEAR(volume(Box{{1, 2, 3}}), 6, 1e-10);
    EXPECT_NEAR(volume(Ellipsoid{{1, 2, 3}}), 48, 1e-9);
    EXPECT_NEAR(volume(Cylinder{1, 3}), 12, 1e-10);
    EXPECT_NEAR(volume(Cone{1, 0.2, 3}), 12, 1e-10);
    EXPECT_NEAR(volume(Torus{1, 0.2}), 2.4 * 2.4 * 0.4, 1e-10);
  }
}

TEST(Cells, SliversBetweenAlmostParallelFacesAreNoCells) {
  // Faces that a rounding or 1e-9 turns out of the lattice: every cell keeps an extent.
  const HalfSpaces cut_box{{{{1, 0, 0}, 0.2},
                            {{-1, 0, 0}, 0.2},
                            {{0, 1, 0}, 0.1},
                            {{0, -1, 0}, 0.1},
                            {{0, 0, 1}, 0.25},
                            {{0, 0, -1}, 0.25},
                            {{1, 1, 0}, 0.28284271247461906}}};
  const auto placed = [](double x, double y, double z, const Quaternion& q) {
    return Pose{ToRotation(Normalized(q)), {x, y, z}};
  };
  const ShapePtr bar =
      Tree(Operation::kDifference,
           {Leaf(cut_box),
            Leaf(cut_box, placed(0.25000000063880184, 0.2499999996030431, 5.298869729892022e-10,
                                 {0.5000000001897552, 0.5000000004763265, 0.4999999999076769,
                                  0.4999999994262415})),
            Leaf(Box{{0.3, 0.3, 0.25}},
                 placed(0.25000000097699765, 0.0499999992896703, 0.25000000072466083,
                        {0.49999999913224247, 0.4999999992461864, 0.5000000007668033,
                         0.5000000008547679}))},
           "", placed(-0.3, 0, 0.1, {0.7071067811865476, 0.7071067811865476, 0, 0}));
  const ShapePtr tool = Tree(
      Operation::kDifference,
      {Leaf(Box{{0.2, 0.5, 0.1}},
            placed(-3.1843974839788536e-13, -9.455867564322127e-13, 0.10000000000028811,
                   {0.7071067811864817, 0.7071067811866135, 5.135318413995645e-13,
                    4.996805723610799e-13})),
       Leaf(Capsule{0.2, 0.2},
            placed(-0.2999999999999991, 0.2500000000000002, 2.3505957783398546e-16,
                   {1, -5.130097312755854e-16, -2.1064155728577868e-16, -5.7970317271539665e-16})),
       Leaf(Ellipsoid{{0.25, 0.25, 0.1}})},
      "", placed(0.25, 0.25, 0, {0.9238795325112867, 0, 0.3826834323650898, 0}));
  const ShapePtr part = Tree(Operation::kDifference, {bar, tool});
  const std::vector<Cell> cells = ToCells(*part);
  for (const Cell& cell : cells) {
    const Vec3 h = cell.bounds.half;
    EXPECT_GT(std::min({h.x, h.y, h.z}), 1e-3) << cell.name;
  }
  Random random(36);
  ExpectPartition(*part, cells, random, 0.7, 5000);
}

TEST(Cells, BoundsHoldWhereOnlyComplementsBoundTheCell) {
  // The lens that two cylinders share ends in a ball and in a widening cone, whose outsides are
  // kept: the planes around it leave it endless, or meet 3e5 m away when one cylinder is tilted.
  const ShapePtr stub = Tree(Operation::kDifference, {Leaf(Cylinder{0.25, 0.4}, At(0, -0.1, -0.3)),
                                                      Leaf(Cone{0.2, 0.1, 0.4})});
  Random random(37);
  for (const double tilt : {0.0, 1e-12, 1e-9, 1e-7, 1e-5}) {
    const Mat3 R = ToRotation(Normalized(Quaternion{1, tilt, -tilt / 2, 0}));
    const ShapePtr part =
        Tree(Operation::kDifference,
             {stub, Tree(Operation::kDifference, {Leaf(Capsule{0.25, 0.1}, {R, {0.05, 0.2, -0.05}}),
                                                  Leaf(Sphere{0.1}, At(0.05, 0.3, -0.1))})});
    const std::vector<Cell> cells = ToCells(*part);
    for (const Cell& cell : cells) {
      EXPECT_TRUE(cell.bounded);
      EXPECT_LT(Norm(cell.bounds.half), 0.6) << cell.name;
    }
    ExpectPartition(*part, cells, random, 0.6, 2000);
    // As the outer operand instead: what the capsule shares with the stub.
    const ShapePtr both =
        Tree(Operation::kUnion, {Leaf(Capsule{0.25, 0.1}, {R, {0.05, 0.2, -0.05}}), stub});
    for (const Cell& cell : ToCells(*both)) EXPECT_LT(Norm(cell.bounds.half), 0.6) << cell.name;
  }
}

TEST(Cells, ThinPlatesCutByGiantsStayPlates) {
  // Rounding at the size of the giant must not flatten the plate or drop what bounds it.
  Random random(38);
  for (int round = 0; round < 60; ++round) {
    Convex plate;
    for (int k = 0; k < 8; ++k) {
      const Vec3 p = random.Direction();
      plate.vertices.push_back({0.7 * p.x, 0.7 * p.y, 1e-5 * p.z});
    }
    const ShapePtr part =
        Tree(Operation::kDifference,
             {Leaf(plate), Leaf(Cone{0.4, 0.2 * random.Below(2), 6000}, random.RandomPose(0.8))});
    std::vector<Cell> cells;
    try {
      cells = ToCells(*part);
    } catch (const std::invalid_argument&) {  // the giant swallows it
      continue;
    }
    for (const Cell& cell : cells) EXPECT_LT(Norm(cell.bounds.half), 1.5);
    const Solid solid(*part);
    for (int k = 0; k < 2000; ++k) {
      const Vec3 q = random.InBox(0.7);
      const Vec3 p{q.x, q.y, 2e-5 * q.z};
      if (std::abs(solid.Level(p)) < 1e-8) continue;
      int holders = 0;
      for (const Cell& cell : cells) holders += Level(cell, p) < 0;
      EXPECT_EQ(holders, solid.Contains(p) ? 1 : 0);
    }
  }
}

TEST(Cells, AnyScaleAndFarFromTheOrigin) {
  Random random(35);
  const ShapePtr part = Tree(Operation::kDifference, {Leaf(Box{{1, 1, 1}}), Leaf(Cylinder{0.3, 2}),
                                                      Leaf(Sphere{0.3}, At(0.5, 0.5, 0.5))});
  const std::size_t expected = ToCells(*part).size();
  for (const double scale : {1e-6, 1e-3, 1e3}) {
    const ShapePtr scaled = Tree(Operation::kUnion, {part}, "", {}, scale);
    const std::vector<Cell> cells = ToCells(*scaled);
    EXPECT_EQ(cells.size(), expected);
    ExpectPartition(*scaled, cells, random, 0.6 * scale, 500);
  }
  const ShapePtr far = Tree(Operation::kUnion, {part}, "", At(100, -50, 20));
  EXPECT_EQ(ToCells(*far).size(), expected);
}

}  // namespace
}  // namespace intervox::geometry
