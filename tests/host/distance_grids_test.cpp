// Distances of grids: closed forms, a minimiser of its own, motion, order, sizes, blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cuda/engine.h"
#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/distance/distance.h"
#include "host/distance/overlaps.h"
#include "host/distance/signed_measure.h"
#include "tests/geometry/grids.h"
#include "tests/geometry/random_shapes.h"

namespace intervox::host {
namespace {

using geometry::At;
using geometry::Box;
using geometry::Cell;
using geometry::Cylinder;
using geometry::HalfSpace;
using geometry::Leaf;
using geometry::Operation;
using geometry::Random;
using geometry::ShapePtr;
using geometry::Sphere;
using geometry::ToCells;
using geometry::Torus;
using geometry::Tree;
using testing::GridCell;
using testing::Serially;

using Cells = std::vector<Cell>;

/** The grid of any shape as one cell. */
Cell GridOf(const ShapePtr& shape, double voxel_size) {
  return geometry::MakeGridCell(geometry::MakeLevelSet(ToCells(*shape), voxel_size, 3, Serially),
                                {}, 1, "grid");
}

/** The distance, which must be proved to the tolerance. */
Separation Measure(const Cells& a, const Cells& b, const Pose& X_WA, const Pose& X_WB) {
  const Separation out = MeasureDistance(a, b, X_WA, X_WB);
  EXPECT_EQ(out.status, Status::kOk)
      << out.reason << ' ' << out.distance << ' ' << out.distance - out.lower << ' ' << out.boxes;
  EXPECT_LE(out.lower, out.distance);
  EXPECT_NEAR(Norm(out.p_WA - out.p_WB), out.distance, 1e-10);
  return out;
}

/** The trilinear field [voxels], in double precision. */
double Field(const geometry::GridView& view, const Vec3& u) {
  const geometry::VoxelAt voxel = geometry::FindVoxel(view, u);
  if (voxel.node == nullptr) return voxel.beyond;
  double f = 0;
  for (const int i : {0, 1}) {
    for (const int j : {0, 1}) {
      for (const int k : {0, 1}) {
        const double x = i ? voxel.t[0] : 1 - voxel.t[0], y = j ? voxel.t[1] : 1 - voxel.t[1];
        const double z = k ? voxel.t[2] : 1 - voxel.t[2];
        f += x * y * z * voxel.node[(i * geometry::kBlockSide + j) * geometry::kBlockSide + k];
      }
    }
  }
  return f;
}

/** How far a point in the cells' frame is outside of them, by their levels [m]. */
double Outside(const Cells& cells, const Vec3& p) {
  double least = HUGE_VAL;
  for (const Cell& cell : cells) {
    double most = -HUGE_VAL;
    for (const auto& s : cell.surfaces) most = std::fmax(most, geometry::Level(s, p));
    if (const geometry::GridPart& part = cell.grid; part.field) {
      const Vec3 u = TransposeTimes(part.X_CG.R, p - part.X_CG.p) / part.voxel_size;
      most = std::fmax(most, part.voxel_size * Field(part.field->View(), u));
    }
    least = std::fmin(least, most);
  }
  return least;
}

// The field of a plane is the plane, so flat faces of grids are exact.
TEST(DistanceGrids, ClosedFormsOfPlanes) {
  const Cells box{GridCell(Box{{20, 16, 12}}, 1)}, floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0}));
  const Cells other = ToCells(*Leaf(Box{{2, 2, 2}})), ball = ToCells(*Leaf(Sphere{3}));
  EXPECT_NEAR(Measure(box, floor, At(3, 1, 6.25), {}).distance, 0.25, 1e-8);
  EXPECT_NEAR(Measure(box, box, {}, At(20.5, 3, 2)).distance, 0.5, 1e-8);
  EXPECT_NEAR(Measure(box, box, {}, At(3.3, 40.125, 2.1)).distance, 24.125, 1e-7);
  EXPECT_NEAR(Measure(box, other, {}, At(1, 2, 9)).distance, 2, 1e-8);
  Separation out = Measure(ball, box, At(1, -2, 10), {});
  EXPECT_NEAR(out.distance, 1, 1e-8);
  EXPECT_NEAR(out.n.z, 1, 1e-6);
  EXPECT_NEAR(out.p_WA.z, 7, 1e-8);
  EXPECT_NEAR(out.p_WB.z, 6, 1e-8);
  // Turned, the face lies off the lattice's planes.
  const Mat3 R = ToRotation(Normalized(Quaternion{1, 0.2, -0.1, 0.3}));
  const Cells turned{GridOf(Leaf(Box{{20, 16, 12}}, {R, {}}), 1)};
  out = Measure(ball, turned, {R, R * Vec3{1, 0.5, 10}}, {});
  EXPECT_NEAR(out.distance, 1, 2e-6);  // levels are single
  EXPECT_NEAR(Dot(out.n, R.Col(2)), 1, 1e-5);
}

/** A minimiser that knows of the solids nothing but whether a point is inside. Rays along the way
 between the solids enter them somewhere; where the nearest do is sought by random steps. */
class Minimiser {
 public:
  Minimiser(const Cells& a, const Cells& b, const Pose& X_AB, Random* random)
      : cells_{&a, &b}, X_BA_(Inverse(X_AB)), random_(random) {}

  double Find(int samples, int starts) {
    for (const int body : {0, 1}) {
      while (static_cast<int>(points_[body].size()) < samples) Sample(body);
    }
    std::vector<std::pair<double, std::array<Vec3, 2>>> pairs;
    for (const Vec3& x : points_[0]) {
      for (const Vec3& y : points_[1]) pairs.push_back({Norm(x - y), {x, y}});
    }
    std::partial_sort(pairs.begin(), pairs.begin() + starts, pairs.end(),
                      [](const auto& p, const auto& q) { return p.first < q.first; });
    double least = HUGE_VAL;
    for (int k = 0; k < starts; ++k) {
      least = std::fmin(least, Descend(pairs[static_cast<std::size_t>(k)].second));
    }
    return least;
  }

 private:
  bool IsInside(int body, const Vec3& x) const {
    return Outside(*cells_[body], body == 0 ? x : X_BA_ * x) <= 0;
  }

  void Sample(int body) {
    const auto& cells = *cells_[body];
    const Cell& cell =
        cells[static_cast<std::size_t>(random_->Below(static_cast<int>(cells.size())))];
    const Vec3 h = cell.bounds.half;
    const Vec3 p = cell.bounds.X * Vec3{random_->Uniform(-h.x, h.x), random_->Uniform(-h.y, h.y),
                                        random_->Uniform(-h.z, h.z)};
    const Vec3 x = body == 0 ? p : Inverse(X_BA_) * p;
    if (IsInside(body, x)) points_[body].push_back(x);
  }

  /** The last point inside on the way from x. */
  Vec3 LastInside(int body, const Vec3& x, const Vec3& way) const {
    double in = 0, out = 1;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (in + out);
      (IsInside(body, x + middle * way) ? in : out) = middle;
    }
    return x + in * way;
  }

  /** The points of both on rays along n through x and y, from where they start. */
  double Way(std::array<Vec3, 2>* p, const Vec3& n, double back) const {
    for (const int body : {0, 1}) {
      const Vec3 way = body == 0 ? -1 * n : n;
      Vec3& x = (*p)[static_cast<std::size_t>(body)];
      const Vec3 from = x - back * way;
      if (!IsInside(body, from)) return HUGE_VAL;
      x = LastInside(body, from, 2 * back * way);
    }
    return Norm((*p)[0] - (*p)[1]);
  }

  /** Random steps whose length grows where they gain and shrinks where they do not. */
  double Descend(std::array<Vec3, 2> at) const {
    for (const int body : {0, 1}) {
      const auto b = static_cast<std::size_t>(body);
      at[b] = LastInside(body, at[b], at[1 - b] - at[b]);
    }
    double least = Norm(at[0] - at[1]), step = 1.0;
    std::array<Vec3, 2> drift{};
    for (int k = 0; k < 20000 && step > 1e-11; ++k) {
      const Vec3 n = (at[0] - at[1]) / least;
      std::array<Vec3, 2> next = at;
      const int moved = random_->Below(3);
      const double on = random_->Below(2) == 0 ? 0.0 : random_->Uniform(0, 4);
      for (const int body : {0, 1}) {
        const auto b = static_cast<std::size_t>(body);
        const Vec3 d = (on > 0 ? 0.1 * step : step) * random_->Direction() + on * drift[b];
        if (moved != 1 - body || on > 0) next[b] += d - Dot(d, n) * n;
      }
      const double way = Way(&next, n, 2 * (step + on * (Norm(drift[0]) + Norm(drift[1]))));
      if (way < least) {
        least = way;
        for (const std::size_t b : {0u, 1u}) drift[b] = 0.5 * drift[b] + 0.5 * (next[b] - at[b]);
        at = next;
        step *= on > 0 ? 1.1 : 1.6;
      } else {
        step *= 0.95;
        if (on > 0) drift = {0.8 * drift[0], 0.8 * drift[1]};
      }
    }
    return least;
  }

  const Cells* cells_[2];
  Pose X_BA_;
  Random* random_;
  std::vector<Vec3> points_[2];
};

struct Kind {
  const char* name;
  Cells cells;
};

/** Grids of 10 to 30 voxels. */
std::vector<Kind> Grids() {
  const ShapePtr hollow =
      Tree(Operation::kDifference, {Leaf(Box{{14, 13, 12}}), Leaf(Cylinder{4, 20})});
  return {{"ball", {GridCell(Sphere{8}, 1)}},
          {"box", {GridCell(Box{{11.3, 9, 7}}, 0.8)}},
          {"torus", {GridCell(Torus{8, 3}, 1)}},
          {"hollow", {GridOf(hollow, 1)}}};
}

std::vector<Kind> Formulas() {
  return {{"ball", ToCells(*Leaf(Sphere{8}))},
          {"box", ToCells(*Leaf(Box{{9, 8, 7}}))},
          {"cylinder", ToCells(*Leaf(Cylinder{4, 9}))},
          {"torus", ToCells(*Leaf(Torus{8, 3}))},
          {"hollow", ToCells(*Tree(Operation::kDifference,
                                   {Leaf(Box{{14, 13, 12}}), Leaf(Cylinder{4, 20})}))}};
}

// No method's step is the other's: the engine bounds boxes, the minimiser walks. It gets stuck
// where edges cross, so it is asked to come near most of the time, and never to be nearer.
TEST(SlowDistanceGrids, AMinimiserFindsNothingNearer) {
  Random random(5);
  const std::vector<Kind> grids = Grids();
  std::vector<Kind> others = grids;
  for (const Kind& kind : Formulas()) others.push_back(kind);
  int apart = 0, reached = 0;
  for (const Kind& a : grids) {
    for (const Kind& b : others) {
      for (int k = 0; k < 3; ++k) {
        const Pose X{random.Rotation(), random.Uniform(9, 24) * random.Direction()};
        const Separation out = Measure(a.cells, b.cells, {}, X);
        if (!(out.distance > 0)) continue;
        ++apart;
        EXPECT_LE(Outside(a.cells, out.p_WA), 1e-9) << a.name << ' ' << b.name << ' ' << k;
        EXPECT_LE(Outside(b.cells, Inverse(X) * out.p_WB), 1e-9);
        const double least = Minimiser(a.cells, b.cells, X, &random).Find(600, 6);
        EXPECT_LE(out.lower, least + 1e-11) << a.name << ' ' << b.name << ' ' << k;
        EXPECT_LE(out.distance, least + 2e-8) << a.name << ' ' << b.name << ' ' << k;
        EXPECT_NEAR(out.distance, least, 0.05) << a.name << ' ' << b.name << ' ' << k;
        reached += least < out.distance + 1e-6;
      }
    }
  }
  EXPECT_GT(apart, 45);
  EXPECT_GT(reached, apart / 3);
}

// The same in any frame, from the other solid, and with blocks for the whole.
TEST(DistanceGrids, OfFramesOrderAndBlocks) {
  Random random(11);
  const std::vector<Kind> grids = Grids();
  std::vector<Kind> others = Formulas();
  others.insert(others.end(), grids.begin(), grids.end());
  for (std::size_t k = 0; k < 18; ++k) {
    const Cells& a = grids[k % grids.size()].cells;
    const Cells& b = others[k % others.size()].cells;
    const Pose X{random.Rotation(), 22 * random.Direction()}, Y = random.RandomPose(40);
    const Separation out = Measure(a, b, {}, X);
    ASSERT_GT(out.distance, 0);
    const double room = 3e-9 * std::fmax(16, out.distance);
    const Separation moved = Measure(a, b, Y, Y * X), swapped = Measure(b, a, X, {});
    EXPECT_NEAR(moved.distance, out.distance, room);
    EXPECT_NEAR(swapped.distance, out.distance, room);
    EXPECT_NEAR(Dot(swapped.n, out.n), -1, 1e-6);
    const Cells blocks = geometry::SplitGrids(a);
    EXPECT_GT(blocks.size(), 7u);
    EXPECT_NEAR(Measure(blocks, b, {}, X).distance, out.distance, room);
    EXPECT_NEAR(Measure(geometry::SplitGrids(b), blocks, X, {}).distance, out.distance, room);
    // Each block is a solid of its own, and the nearest is as near as the whole.
    double least = HUGE_VAL;
    for (const Cell& block : blocks) {
      const Separation part = MeasureDistance({&block, 1}, b, {}, X);
      // A block that the surface only touches holds nothing.
      if (part.status == Status::kInvalid) continue;
      EXPECT_EQ(part.status, Status::kOk) << part.reason;
      least = std::fmin(least, part.distance);
    }
    EXPECT_NEAR(least, out.distance, room);
  }
}

// Moved by nearly all of the distance they are near, by more they overlap: as `overlaps` finds, and
// the signed measure changes its branch.
TEST(DistanceGrids, IsWhereOverlapsBegin) {
  Random random(13);
  const std::vector<Kind> grids = Grids(), formulas = Formulas();
  const Engine engine{EngineOptions{}};
  for (std::size_t k = 0; k < 12; ++k) {
    const Cells& a = grids[k % 4].cells;
    const Cells& b = k < 6 ? formulas[k % 5].cells : grids[k % 3].cells;
    Pose X{random.Rotation(), 26 * random.Direction()};
    const Separation out = Measure(a, b, {}, X);
    ASSERT_GT(out.distance, 0);
    X.p += 0.999 * out.distance * out.n;
    EXPECT_NEAR(Measure(a, b, {}, X).distance, 1e-3 * out.distance, 1e-6);
    EXPECT_FALSE(TestOverlap(a, b, {}, X).overlaps);
    const SignedMeasure apart = MeasureSigned(engine, a, b, {}, X);
    EXPECT_EQ(apart.status, Status::kOk) << apart.reason;
    EXPECT_NEAR(apart.value, -1e-3 * out.distance, 1e-6);
    X.p += (1e-3 * out.distance + 0.4) * out.n;
    EXPECT_EQ(Measure(a, b, {}, X).distance, 0);
    EXPECT_TRUE(TestOverlap(a, b, {}, X).overlaps);
  }
}

// What lies in the midst of a grid meets it, though it is far from the surface; what lies in its
// cavity does not.
TEST(DistanceGrids, InsideAndInACavity) {
  const Cells small = ToCells(*Leaf(Sphere{2})), full{GridCell(Sphere{30}, 1)};
  const Cells fine{GridCell(Sphere{2}, 0.25)};
  EXPECT_EQ(Measure(full, small, {}, At(3, 1, 2)).distance, 0);
  EXPECT_EQ(Measure(full, fine, {}, At(3, 1, 2)).distance, 0);
  EXPECT_EQ(Measure(geometry::SplitGrids(full), small, {}, At(3, 1, 2)).distance, 0);
  const Cells shell{
      GridOf(Tree(Operation::kDifference, {Leaf(Sphere{30}), Leaf(Box{{24, 24, 24}})}), 1)};
  const Separation out = Measure(shell, small, {}, At(3, 9, -1));
  EXPECT_NEAR(out.distance, 1, 1e-8);
  EXPECT_NEAR(out.p_WA.y, 12, 1e-8);
  EXPECT_NEAR(out.n.y, 1, 1e-6);
}

// Pairs a hundredfold apart in size, and of any size.
TEST(DistanceGrids, OfSizesByAHundred) {
  Random random(17);
  for (const double scale : {1.0, 0.01, 100.0}) {
    const Cells box{GridCell(Box{{12 * scale, 9 * scale, 7 * scale}}, scale)};
    for (const double ratio : {1.0, 0.01, 100.0}) {
      const double r = 6 * scale * ratio;
      const Cells ball = ToCells(*Leaf(Sphere{r})), grid{GridCell(Sphere{r}, r / 8)};
      const Pose X{random.Rotation(), {scale, -2 * scale, 3.5 * scale + r + 0.3 * scale}};
      const double size = scale * std::fmin(1, ratio);
      EXPECT_NEAR(Measure(box, ball, {}, X).distance, 0.3 * scale, 4e-8 * size) << scale << ratio;
      // A ball's field is larger between nodes: it ends up to h²/(8R) before the ball does.
      const double off = Measure(box, grid, {}, X).distance - 0.3 * scale;
      EXPECT_GE(off, -4e-8 * size) << scale << ' ' << ratio;
      EXPECT_LE(off, 0.02 * r) << scale << ' ' << ratio;
    }
  }
}

TEST(DistanceGrids, TellsWhatItCannotDo) {
  const Cells a{GridCell(Sphere{8}, 1)}, b{GridCell(Torus{8, 3}, 1)};
  DistanceOptions few;
  few.most_boxes = 300;
  const Separation out = MeasureDistance(a, b, {}, At(3, 2, 17), few);
  EXPECT_EQ(out.status, Status::kToleranceNotMet);
  EXPECT_NE(out.reason.find("allow more boxes"), std::string::npos);
  const Separation fine = Measure(a, b, {}, At(3, 2, 17));
  EXPECT_LT(out.lower, fine.distance);
  EXPECT_GE(out.distance, fine.lower);
  EXPECT_GT(out.lower, 0.9 * fine.distance);
}

TEST(DistanceGrids, ManyPosesOnThreads) {
  Random random(19);
  const Cells a{GridCell(Sphere{8}, 1)}, b = ToCells(*Leaf(Box{{9, 8, 7}}));
  std::vector<Pose> X_WA(12), X_WB(12);
  for (Pose& X : X_WA) X = random.RandomPose(30);
  std::vector<Separation> one(12), three(12);
  MeasureDistances(a, b, X_WA, X_WB, {}, 1, one);
  MeasureDistances(a, b, X_WA, X_WB, {}, 3, three);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].distance, three[i].distance);
    EXPECT_EQ(one[i].lower, MeasureDistance(a, b, X_WA[i], X_WB[i]).lower);
  }
}

// Two faces that are flat on each other are as near everywhere: blocks decide, not voxels.
TEST(DistanceGrids, FlatFacesTakeFewBoxes) {
  const Cells a{GridCell(Box{{40, 36, 8}}, 1)}, floor = ToCells(*Leaf(HalfSpace{{0, 0, 1}, 0}));
  Separation out = Measure(a, floor, At(0, 0, 5), {});
  EXPECT_NEAR(out.distance, 1, 1e-8);
  EXPECT_LE(out.boxes, 60);
  out = Measure(a, a, {}, At(3.3, 2.2, 9));
  EXPECT_NEAR(out.distance, 1, 1e-8);
  EXPECT_LE(out.boxes, 300);
}

}  // namespace
}  // namespace intervox::host
