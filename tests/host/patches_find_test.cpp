// The finder misses nothing: against every pair of cells through the engine, along moving poses.
#include "host/contact/finder/pair_finder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "geometry/make_surface.h"
#include "host/bodies/motion.h"
#include "tests/geometry/split.h"
#include "tests/host/simulation_scenes.h"
#include "tests/host/two_bodies.h"

namespace intervox::host {
namespace {

std::vector<geometry::Cell> Cut(std::vector<geometry::Cell> cells, int count, double pitch) {
  for (int axis = 0; axis < 2; ++axis) {
    for (int k = 0; k < count; ++k) {
      geometry::Surface plane;
      const Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      plane.R = Mat3::FromColumns(axes[(axis + 1) % 3], axes[(axis + 2) % 3], axes[axis]);
      plane.o = pitch * (k - 0.5 * (count - 1)) * axes[axis];
      cells = geometry::SplitByPlane(cells, plane);
    }
  }
  return cells;
}

void CompareAlongAPath(const std::vector<geometry::Cell>& a, const std::vector<geometry::Cell>& b,
                       const Vec3& from, const Vec3& to) {
  const Engine engine({Device::kSerial, 1, 0});
  const BodyCells cells_a = MakeBodyCells(a), cells_b = MakeBodyCells(b);
  testing::TwoBodyFinder finder(engine, {}, &cells_a, &cells_b);
  int found = 0;
  for (int k = 0; k <= 200; ++k) {
    const double s = k / 200.0;
    // Slow and, now and then, a jump.
    const Vec3 turn = (k % 50 == 49 ? 2.0 : s) * Vec3{0.4, -0.3, 1.2};
    const Pose poses[2] = {
        {ToRotation(FromRotationVector({0.1, 0.2, 0.3})), {10, 20, -5}},
        {ToRotation(FromRotationVector(turn)), Vec3{10, 20, -5} + (1 - s) * from + s * to}};
    const auto active = finder.Find(poses);
    std::size_t at = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        PairQuery query;
        query.a = &a[i];
        query.b = &b[j];
        query.X_WA = poses[0];
        query.X_WB = poses[1];
        const InterferenceMetrics metrics = ComputeMetrics(query);
        if (!(metrics.volume > 0)) continue;
        ASSERT_LT(at, active.size()) << "step " << k;
        EXPECT_EQ(active[at].a, static_cast<int>(i));
        EXPECT_EQ(active[at].b, static_cast<int>(j));
        EXPECT_EQ(active[at].metrics.volume, metrics.volume);  // the same bits
        ++at;
        ++found;
      }
    }
    EXPECT_EQ(at, active.size());
  }
  EXPECT_GT(found, 100);
  EXPECT_LT(finder.queries(), static_cast<std::int64_t>(201 * a.size() * b.size() * 4 / 5));
}

TEST(PairFinderTest, FindsAllOverlapsOfCutBoxes) {
  const auto box = [](const Vec3& size) {
    return geometry::ToCells(*scenes::Solid(geometry::Box{size}, "box"));
  };
  CompareAlongAPath(Cut(box({0.5, 0.4, 0.1}), 3, 0.1), Cut(box({0.3, 0.3, 0.3}), 2, 0.1),
                    {-0.6, 0.1, 0.3}, {0.6, 0.0, -0.2});
}

/** n × n tiles of a pitch of 10 mm, 10 mm thick. */
std::vector<geometry::Cell> TilesOf(int n) {
  std::vector<geometry::Cell> tiles;
  for (int k = 0; k < n * n; ++k) {
    const Vec3 middle{0.01 * (k % n - 0.5 * (n - 1)), 0.01 * (k / n - 0.5 * (n - 1)), 0};
    std::vector<geometry::Surface> planes;
    for (int face = 0; face < 6; ++face) {
      Vec3 normal;
      normal[face / 2] = face % 2 == 0 ? 1 : -1;
      planes.push_back(geometry::MakePlane(normal, Dot(normal, middle) + 0.005));
    }
    tiles.push_back(geometry::MakeCell(planes, "tile"));
  }
  return tiles;
}

/** Processor time [s] of 20 lists of n² tiles on n² tiles, the least of some. */
double TimeOfList(int n) {
  const std::vector<geometry::Cell> tiles = TilesOf(n);
  const BodyCells cells = MakeBodyCells(tiles);
  const Engine engine({Device::kSerial, 1, 0});
  testing::TwoBodyFinder finder(engine, {}, &cells, &cells);
  double least = 1e9;
  for (int k = 0; k < 6; ++k) {
    const std::clock_t start = std::clock();
    for (int list = 0; list < 20; ++list) {
      // Farther than the margin of 2 % between the two: each makes a list anew.
      const Pose apart[2] = {{}, {Mat3::Identity(), {0, 0, 0.0101 + 0.05 * (list % 2)}}};
      EXPECT_TRUE(finder.Find(apart).empty());
    }
    least = std::fmin(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  const Pose shifted[2] = {{}, {Mat3::Identity(), {0.003, 0.003, 0.009}}};
  const int overlaps = 2 * n - 1;  // along each axis: a tile meets its own and the next
  EXPECT_EQ(finder.Find(shifted).size(), static_cast<std::size_t>(overlaps * overlaps));
  return least;
}

TEST(PairFinderTest, ListsFollowNeighboursAndNotTheProduct) {
  // Nine times the tiles: 9 times the work and 23 times the time, as more of it is out of the
  // cache, where all pairs would take 81.
  EXPECT_LT(TimeOfList(60), 45 * TimeOfList(20));
}

TEST(PairFinderTest, FindsAllOverlapsWithAnUnboundedBody) {
  const auto floor =
      geometry::ToCells(*scenes::Solid(geometry::HalfSpace{{0.2, 0, 1}, -0.05}, "floor"));
  const auto box = geometry::ToCells(*scenes::Solid(geometry::Box{{0.3, 0.2, 0.1}}, "box"));
  CompareAlongAPath(floor, Cut(box, 2, 0.08), {0, 0, 0.3}, {-1, 1, -0.2});
}

std::vector<geometry::Cell> Drilled(const Vec3& size, const geometry::Primitive& hole) {
  geometry::Shape drilled;
  drilled.operation = geometry::Operation::kDifference;
  drilled.children = {scenes::Solid(geometry::Box{size}, "block"), scenes::Solid(hole, "hole")};
  return geometry::ToCells(drilled);
}

// A pin moves in a slightly wider hole until it touches, straight and in a spiral.
TEST(PairFinderTest, RemembersGapsWithoutMissingContacts) {
  const auto plate = Drilled({0.1, 0.1, 0.02}, geometry::Cylinder{0.0105, 0.1});
  const auto pin = geometry::ToCells(*scenes::Solid(geometry::Cylinder{0.01, 0.05}, "pin"));
  const Engine engine({Device::kSerial, 1, 0});
  const BodyCells cells_plate = MakeBodyCells(plate), cells_pin = MakeBodyCells(pin);
  constexpr int kSteps = 4000;
  for (const double turns : {0.0, 6.0}) {
    testing::TwoBodyFinder finder(engine, {}, &cells_plate, &cells_pin);
    int touching = 0;
    for (int k = 0; k <= kSteps; ++k) {
      const double s = static_cast<double>(k) / kSteps;
      const double radius = 0.51e-3 * s, angle = 2 * M_PI * turns * s * s;
      const Pose poses[2] = {
          {}, {Mat3::Identity(), {radius * std::cos(angle), radius * std::sin(angle), 0.001}}};
      const auto active = finder.Find(poses);
      const PairQuery query{.a = &plate[0], .b = &pin[0], .X_WA = poses[0], .X_WB = poses[1]};
      const InterferenceMetrics metrics = ComputeMetrics(query);
      ASSERT_EQ(active.size(), metrics.volume > 0 ? 1U : 0U) << "step " << k;
      if (active.empty()) continue;
      ++touching;
      EXPECT_EQ(active[0].metrics.volume, metrics.volume);
    }
    EXPECT_GT(touching, 20);
    EXPECT_LT(touching, kSteps / 10);
    EXPECT_LT(finder.queries(), turns > 0 ? kSteps / 2 : kSteps / 10);
  }
}

bool Overlap(const geometry::Cell& a, const geometry::Cell& b, const Pose& X_WA, const Pose& X_WB) {
  return ComputeMetrics({.a = &a, .b = &b, .X_WA = X_WA, .X_WB = X_WB}).volume > 0;
}

// Solids of all kinds come together slowly: no gap is remembered beyond the touch.
// A trial step may fail and fly off by any distance; what comes after it is seen all the same.
TEST(PairFinderTest, ComesBackFromAnywhere) {
  const Engine engine({Device::kSerial, 1, 0});
  const auto box = geometry::ToCells(*scenes::Solid(geometry::Box{{1, 1, 1}}, "box"));
  const auto ball = geometry::ToCells(*scenes::Solid(geometry::Sphere{0.5}, "ball"));
  const auto floor =
      geometry::ToCells(*scenes::Solid(geometry::HalfSpace{{0, 0, 1}, 0.5}, "floor"));
  const BodyCells moving = MakeBodyCells(ball);
  for (const auto& cells : {box, floor}) {
    const BodyCells fixed = MakeBodyCells(cells);
    for (const double far : {1e3, 1e9, 1e20, 1e77, 1e160, 1e300, std::nan("")}) {
      testing::TwoBodyFinder finder(engine, {}, &fixed, &moving);
      const auto overlaps_at = [&](double z) {
        const Pose poses[2] = {{}, {Mat3::Identity(), {0, 0, z}}};
        return finder.Find(poses).size();
      };
      EXPECT_EQ(overlaps_at(1.1), 0u);
      EXPECT_EQ(overlaps_at(far), 0u);
      EXPECT_EQ(overlaps_at(1.1), 0u) << far;
      for (double z = 1.05; z > 0.5; z -= 1e-3) EXPECT_EQ(overlaps_at(z), z < 1.0 ? 1u : 0u) << far;
    }
  }
}

TEST(PairFinderTest, SeesEveryKindOfSolidTouch) {
  const std::vector<std::vector<geometry::Cell>> solids = {
      geometry::ToCells(*scenes::Solid(geometry::Sphere{0.05}, "ball")),
      geometry::ToCells(*scenes::Solid(geometry::Ellipsoid{{0.03, 0.05, 0.07}}, "egg")),
      geometry::ToCells(*scenes::Solid(geometry::Cone{0.05, 0.01, 0.08}, "cone")),
      geometry::ToCells(*scenes::Solid(geometry::Cylinder{0.03, 0.1}, "pin")),
      Drilled({0.1, 0.08, 0.04}, geometry::Cone{0.03, 0.01, 0.1})};
  const Engine engine({Device::kSerial, 1, 0});
  std::int64_t queries = 0, steps = 0;
  for (std::size_t k = 0; k < solids.size() * solids.size(); ++k) {
    const auto& a = solids[k / solids.size()];
    const auto& b = solids[k % solids.size()];
    ASSERT_EQ(a.size(), 1U);
    ASSERT_EQ(b.size(), 1U);
    const auto x = static_cast<double>(k);
    const Pose X_WA{ToRotation(FromRotationVector({x, 0.3 * x, 1})), {}};
    const Vec3 along = Normalized(Vec3{std::sin(x), std::cos(x), std::sin(2 * x)});
    const auto X_WB = [&](double distance) {
      return Pose{ToRotation(FromRotationVector({0.2 * x, 1, x})), distance * along};
    };
    double touch = 0.0, apart = 0.3;
    while (apart - touch > 1e-6) {
      const double middle = 0.5 * (touch + apart);
      (Overlap(a[0], b[0], X_WA, X_WB(middle)) ? touch : apart) = middle;
    }
    const BodyCells cells_a = MakeBodyCells(a), cells_b = MakeBodyCells(b);
    testing::TwoBodyFinder finder(engine, {}, &cells_a, &cells_b);
    for (int step = 0; step < 400; ++step) {
      const Pose poses[2] = {X_WA, X_WB(apart + 1.95e-3 - 5e-6 * step)};
      const bool expected = Overlap(a[0], b[0], poses[0], poses[1]);
      ASSERT_EQ(finder.Find(poses).size(), expected ? 1U : 0U) << "pair " << k << " step " << step;
    }
    queries += finder.queries();
    steps += 400;
  }
  EXPECT_LT(queries, steps * 3 / 4);
}

}  // namespace
}  // namespace intervox::host
