// Linear forms below levels over boxes, and the boxes that they leave: against points.
#include "host/distance/lower_form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "geometry/solid.h"
#include "geometry/surface_eval.h"
#include "host/distance/common_box.h"
#include "host/distance/distance.h"
#include "tests/cuda/families.h"

namespace intervox::host::distance {
namespace {

using geometry::Cell;
using geometry::Surface;
using geometry::SurfaceKind;
using testing::Random;

/** Both sides of surfaces of every kind, of a size. */
std::vector<Surface> AllSurfaces(double size) {
  std::vector<geometry::Cell> cells = testing::CellsOf(geometry::Torus{0.5 * size, 0.2 * size});
  const auto add = [&cells](const std::vector<Cell>& more) {
    cells.insert(cells.end(), more.begin(), more.end());
  };
  add(testing::CellsOf(geometry::Cylinder{0.3 * size, size}));
  add(testing::CellsOf(geometry::Cone{0.4 * size, 0.1 * size, size}));
  add(testing::CellsOf(geometry::Ellipsoid{{0.5 * size, 0.3 * size, 0.1 * size}}));
  std::vector<Surface> all;
  for (const Cell& cell : cells) {
    for (Surface s : cell.surfaces) {
      all.push_back(s);
      s.side = static_cast<std::int8_t>(-s.side);
      all.push_back(s);
    }
  }
  Surface saddle = testing::CellsOf(geometry::Cylinder{0.3 * size, size})[0].surfaces[0];
  saddle.kind = SurfaceKind::kQuadric;
  saddle.e = {1 / size, -0.7 / size, 0.2 / size};
  saddle.l = {0.1, 0.2, -0.3};
  saddle.c = 0.01 * size;
  all.push_back(saddle);
  saddle.side = static_cast<std::int8_t>(-saddle.side);
  all.push_back(saddle);
  return all;
}

/** The level that a form is below of: of a kept cone the one that is convex. */
double LevelOf(const Surface& s, const Vec3& x) {
  if (s.kind != SurfaceKind::kCone || s.side < 0) return geometry::Level(s, x);
  const Vec3 y = TransposeTimes(s.R, x - s.o);
  const double k = std::sqrt(-s.e.z / s.e.x);
  return (std::hypot(y.x, y.y) - k * y.z) / std::sqrt(1 + k * k);
}

/** A box about one of the points where a surface is, however large. */
geometry::OrientedBox AnyBox(Random* random, const Surface& s, double size) {
  const Vec3 about{random->Uniform(-0.6, 0.6), random->Uniform(-0.6, 0.6),
                   random->Uniform(-0.6, 0.6)};
  const auto half = [&] { return size * random->LogUniform(1e-6, 1); };
  return {{random->Rotation(), s.o + size * about}, {half(), half(), half()}};
}

/** The form of a surface over a box. */
LowerForm FormOf(const Surface& s, const geometry::OrientedBox& box) {
  const PlacedBox placed = Place(box, kHere);
  return FormBelow(Place(s, placed, Transposed(placed.axes)), Triple{}, placed.half);
}

/** A form's value, the way along the box' axes. */
double At(const LowerForm& form, const Vec3& way) {
  return form.level + Dot(ToVec3(form.gradient), way);
}

TEST(LowerForm, IsBelowTheLevelInTheBox) {
  Random random(21);
  for (const double size : {1e-6, 1.0, 1e5}) {
    for (Surface s : AllSurfaces(size)) {
      s = Pose{random.Rotation(), size * random.Direction()} * s;
      for (int k = 0; k < 300; ++k) {
        const geometry::OrientedBox box = AnyBox(&random, s, size);
        const LowerForm form = FormOf(s, box);
        for (int p = 0; p < 20; ++p) {
          Vec3 u{random.Uniform(-1, 1), random.Uniform(-1, 1), random.Uniform(-1, 1)};
          if (p < 8) u = {p & 1 ? 1.0 : -1.0, p & 2 ? 1.0 : -1.0, p & 4 ? 1.0 : -1.0};
          const Vec3 way = Scaled(u, box.half);
          ASSERT_LE(At(form, way), LevelOf(s, box.X.p + box.X.R * way))
              << "kind " << static_cast<int>(s.kind) << " side " << static_cast<int>(s.side);
        }
      }
    }
  }
}

// What a form gives away at the box' centre falls with the square of the box; of convex levels it
// is rounding.
TEST(LowerForm, GivesAwayTheSquareOfTheBox) {
  Random random(22);
  for (const Surface& s : AllSurfaces(1)) {
    const bool convex =
        s.kind == SurfaceKind::kPlane ||
        (s.side > 0 && s.kind != SurfaceKind::kTorus && s.kind != SurfaceKind::kQuadric);
    for (int k = 0; k < 100; ++k) {
      geometry::OrientedBox box = AnyBox(&random, s, 1);
      const double away = std::hypot(box.X.p.x - s.o.x, box.X.p.y - s.o.y);
      if (away < 0.05) continue;  // on a torus' axis its level has a crease
      const bool other_nappe = Dot(s.R.Col(2), box.X.p - s.o) < 0.02;
      if (s.kind == SurfaceKind::kCone && s.side < 0 && other_nappe) continue;
      const auto given = [&](double half) {
        box.half = {half, half, half};
        return LevelOf(s, box.X.p) - FormOf(s, box).level;
      };
      for (const double half : {1e-2, 1e-3, 1e-4}) {
        EXPECT_LE(given(half), convex ? 1e-12 : 60 * half * half + 1e-12)
            << "kind " << static_cast<int>(s.kind) << " side " << static_cast<int>(s.side);
      }
    }
  }
}

/** Pairs of solids with hollows, near each other. */
void ForPairs(const std::function<void(const Cell&, const Cell&, const Pose&, Random*)>& look) {
  Random random(23);
  const std::vector<Cell> cells{
      testing::CellsOf(geometry::Torus{0.4, 0.15})[0], testing::HoledBoxCells({1, 1, 0.5}, 0.25)[0],
      testing::CellsOf(geometry::Cone{0.4, 0.0, 0.7})[0], testing::BoxCell({0.5, 0.6, 0.7}),
      testing::CellsOf(geometry::Cylinder{0.3, 0.8})[0]};
  for (int k = 0; k < 1000; ++k) {
    const auto any = [&] { return static_cast<std::size_t>(random.Uniform(0, 5 - 1e-9)); };
    const Cell &a = cells[any()], &b = cells[any()];
    look(a, b, Inverse(random.RandomPose(0.5)) * random.RandomPose(0.5), &random);
  }
}

bool IsIn(const Cell& cell, const Vec3& p) {
  return std::all_of(cell.surfaces.begin(), cell.surfaces.end(),
                     [&p](const Surface& s) { return geometry::Level(s, p) < 0; });
}

/** A box around what two cells have in common, as large as the bounds of one of them. */
CommonBox BoxOf(const Cell& a, const Cell& b, const Pose& X, bool of_a) {
  const Placement X_AB = Relative({}, X);
  CommonBox box(of_a ? Place(a.bounds, kHere) : Place(b.bounds, X_AB));
  box.Add(a.surfaces);
  box.Add(b.surfaces, X_AB);
  return box;
}

/** Draws the whole box in to the bounds of the other cell. @returns false where nothing is left */
bool Begin(const CommonBox& box, const Cell& a, const Cell& b, const Pose& X, bool of_a,
           BoxPart* part) {
  *part = box.Whole();
  return box.Contract(of_a ? Place(b.bounds, Relative({}, X)) : Place(a.bounds, kHere), part);
}

double VolumeOf(const BoxPart& part) { return part.half[0] * part.half[1] * part.half[2]; }

TEST(CommonBox, HoldsWhatTwoCellsHaveInCommonAndLittleElse) {
  std::vector<double> shares;
  int points = 0;
  ForPairs([&](const Cell& a, const Cell& b, const Pose& X, Random* random) {
    const CommonBox box = BoxOf(a, b, X, true);
    // Its halves, too, and theirs, hold what is in common there.
    const double whole = VolumeOf(box.Whole());
    BoxPart parts[7];
    if (!Begin(box, a, b, X, true, parts)) parts[0].half = Triple{};
    bool left[7];
    for (int k = 0; k < 7; ++k) {
      left[k] = VolumeOf(parts[k]) > 0 && box.Contract(&parts[k]);
      if (!left[k]) parts[k].half = Triple{};
      if (k < 3) box.Halve(parts[k], &parts[2 * k + 1]);
    }
    const PlacedBox bounds = Place(a.bounds, kHere);
    const Mat3 axes{ToVec3(bounds.axes.x), ToVec3(bounds.axes.y), ToVec3(bounds.axes.z)};
    const auto is_in = [&](const Vec3& x, int k) {
      const Vec3 off = Abs(axes * (x - ToVec3(box.MiddleOf(parts[k]))));
      bool in = left[k];
      for (int i = 0; i < 3; ++i) in = in && off[i] <= parts[k].half[i];
      return in;
    };
    for (int p = 0; p < 200; ++p) {
      const Vec3 u{random->Uniform(-1, 1), random->Uniform(-1, 1), random->Uniform(-1, 1)};
      const Vec3 x = a.bounds.X * Scaled(u, a.bounds.half);
      if (!IsIn(a, x) || !IsIn(b, TransposeTimes(X.R, x - X.p))) continue;
      ++points;
      ASSERT_TRUE(is_in(x, 0));
      ASSERT_TRUE(is_in(x, 1) || is_in(x, 2));
      ASSERT_TRUE(is_in(x, 3) || is_in(x, 4) || is_in(x, 5) || is_in(x, 6));
    }
    shares.push_back(VolumeOf(parts[0]) / whole);
  });
  EXPECT_GT(points, 5000);
  std::sort(shares.begin(), shares.end());
  EXPECT_EQ(shares[shares.size() / 5], 0);
  EXPECT_LT(shares[shares.size() / 2], 0.4);
}

// Which of the cells comes first matters to the box, but not to whether there is one.
TEST(CommonBox, ShowsThatCellsAreApart) {
  int apart = 0, told = 0, by_each = 0;
  ForPairs([&](const Cell& a, const Cell& b, const Pose& X, Random*) {
    if (!(ComputeMetrics({&a, &b, {}, X, 1e-3}).volume == 0)) return;
    ++apart;
    int by = 0;
    for (const bool of_a : {true, false}) {
      const CommonBox box = BoxOf(a, b, X, of_a);
      BoxPart part;
      by += Begin(box, a, b, X, of_a, &part) && box.Contract(&part) ? 0 : 1;
    }
    told += by > 0 ? 1 : 0;
    by_each += by;
  });
  EXPECT_GT(apart, 200);
  EXPECT_GT(told, 0.9 * apart);
  EXPECT_GT(by_each, 0.8 * 2 * apart);
}

/** Whether a box around what two cells have in common, halved until there are nine parts, shows
 that they are apart. */
bool AreToldApart(const CommonBox& box) {
  constexpr int kMost = 9;
  BoxPart parts[kMost] = {box.Whole()};
  int count = 1;
  for (int k = 0; k < count; ++k) {
    if (!box.Contract(&parts[k])) continue;
    if (count + 2 > kMost) return false;
    box.Halve(parts[k], &parts[count]);
    count += 2;
  }
  return true;
}

// A rim that dips into a hole of a smaller radius, at any angle.
TEST(CommonBox, SeesInNinePartsTheGapBetweenARimAndAHole) {
  int told = 0, apart = 0;
  Random random(24);
  const Cell block = testing::HoledBoxCells({1, 1, 0.5}, 0.25)[0];
  const Cell rim = testing::CellsOf(geometry::Cylinder{0.3, 0.8})[0];
  while (apart < 100) {
    const Pose X = Inverse(random.RandomPose(0.5)) * random.RandomPose(0.5);
    const Separation s = MeasureDistance({&rim, 1}, {&block, 1}, {}, X);
    if (!(s.distance > 0.001 && s.distance < 0.01)) continue;
    ++apart;
    for (const bool of_a : {true, false}) told += AreToldApart(BoxOf(rim, block, X, of_a)) ? 1 : 0;
  }
  EXPECT_GT(told, 0.93 * 2 * apart);
}

}  // namespace
}  // namespace intervox::host::distance
