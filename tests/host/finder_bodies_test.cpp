// Which bodies are near: against all pairs of bodies, whatever the broad phase has kept.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "geometry/bounds.h"
#include "host/bodies/motion.h"
#include "host/contact/finder/body_broad_phase.h"
#include "host/contact/finder/pair_finder.h"
#include "host/contact/finder/separation_caches.h"
#include "tests/host/simulation_scenes.h"

namespace intervox::host {
namespace {

using Cells = std::vector<geometry::Cell>;
using Random = std::mt19937_64;

double Uniform(Random& random, double lo, double hi) {
  return std::uniform_real_distribution<double>(lo, hi)(random);
}

Vec3 Direction(Random& random) {
  std::normal_distribution<double> normal;
  return Normalized(Vec3{normal(random), normal(random), normal(random)});
}

Cells CellsOf(const geometry::Primitive& primitive, const Pose& X = {}) {
  return geometry::ToCells(*scenes::Solid(primitive, "solid", X));
}

/** Bodies of all kinds and of sizes from a millimetre to a metre, two half-spaces among them. */
class Crowd {
 public:
  explicit Crowd(int count) : random_(count) {
    for (int k = 0; k < 6; ++k) {
      const double s = std::pow(10, Uniform(random_, -3, 0));
      solids_.push_back(CellsOf(geometry::Sphere{s}));
      solids_.push_back(CellsOf(geometry::Box{{s, 0.2 * s, 0.7 * s}}, {{}, {s, 0, -s}}));
      solids_.push_back(CellsOf(geometry::Cylinder{0.2 * s, 2 * s}));
    }
    solids_.push_back(CellsOf(geometry::HalfSpace{{0.1, 0, 1}, -1.5}));
    solids_.push_back(CellsOf(geometry::HalfSpace{{1, 0.2, 0}, -1.8}));
    solids_.push_back({});
    for (const Cells& cells : solids_) bodies_cells_.push_back(MakeBodyCells(cells));
    for (int b = 0; b < count; ++b) {
      PlacedBody body;
      const auto last = bodies_cells_.size() - 1;
      body.cells = &bodies_cells_[b % 23 == 3   ? last - 2
                                  : b % 31 == 9 ? last - 1
                                  : b % 29 == 5 ? last
                                                : static_cast<std::size_t>(b) % (last - 2)];
      body.moves = b % 4 != 0;
      body.reach = std::pow(10, Uniform(random_, -4, -1));
      if (body.cells->bounded) body.X_WB = AnyPose();
      bodies.push_back(body);
      rates_.push_back(0.5 * body.reach * Direction(random_));
      turns_.push_back(0.002 * Direction(random_));
    }
  }

  Pose AnyPose() {
    return {ToRotation(FromRotationVector(Uniform(random_, 0, 3) * Direction(random_))),
            Uniform(random_, 0, 2) * Direction(random_)};
  }

  void Move() {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!bodies[b].moves) continue;
      bodies[b].X_WB.p += rates_[b];
      bodies[b].X_WB.R = ToRotation(FromRotationVector(turns_[b])) * bodies[b].X_WB.R;
      bodies[b].reach *= Uniform(random_, 0.9, 1.1);
    }
  }

  /** The distance of two bodies is surely above both reaches. */
  bool AreFar(std::size_t i, std::size_t j) const {
    const auto box = [&](std::size_t b) {
      geometry::Aabb out = geometry::BoundsInPose(bodies[b].cells->cells, bodies[b].X_WB);
      const Vec3 r{bodies[b].reach, bodies[b].reach, bodies[b].reach};
      return geometry::Aabb{out.lower - r, out.upper + r};
    };
    return !geometry::Overlap(box(i), box(j));
  }

  std::vector<PlacedBody> bodies;

 private:
  Random random_;
  std::vector<Cells> solids_;
  std::vector<BodyCells> bodies_cells_;
  std::vector<Vec3> rates_, turns_;
};

bool May(int i, int j) { return (i * 7 + j) % 11 != 0; }

TEST(BodyBroadPhaseTest, IsAFunctionOfWhatIsGivenAndMissesNothing) {
  Crowd crowd(160);
  BodyBroadPhase kept(May, 1);
  std::vector<IndexPair> near, anew;
  std::size_t pairs = 0, all = 0;
  for (int step = 0; step < 60; ++step) {
    crowd.Move();
    if (step % 20 == 7) crowd.bodies[5].X_WB = crowd.AnyPose();
    if (step % 20 == 9) crowd.bodies[8].moves = !crowd.bodies[8].moves;
    if (step == 40) crowd.bodies.pop_back();
    kept.Find(crowd.bodies, &near);
    BodyBroadPhase(May, 2).Find(crowd.bodies, &anew);
    ASSERT_EQ(near, anew) << step;
    EXPECT_TRUE(std::is_sorted(near.begin(), near.end()));
    pairs += near.size();
    for (std::size_t i = 0; i < crowd.bodies.size(); ++i) {
      for (std::size_t j = i + 1; j < crowd.bodies.size(); ++j) {
        const IndexPair pair{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
        const bool found = std::binary_search(near.begin(), near.end(), pair);
        const PlacedBody &a = crowd.bodies[i], &b = crowd.bodies[j];
        const bool may = May(pair.i, pair.j) && (a.moves || b.moves) && !a.cells->boxes.empty() &&
                         !b.cells->boxes.empty();
        if (!may) {
          EXPECT_FALSE(found);
          continue;
        }
        ++all;
        if (found || !a.cells->bounded || !b.cells->bounded) continue;
        ASSERT_TRUE(crowd.AreFar(i, j)) << i << " " << j << " step " << step;
      }
    }
  }
  EXPECT_LT(pairs, all / 3);
  EXPECT_GT(pairs, all / 100);
  EXPECT_LT(kept.lists_made(), 50);
}

// A half-space is near what it reaches, and only that.
// What lists of near cells rest on.
TEST(CellBoxes, DisplacementBoundsTheWayOfEveryPoint) {
  Random random(5);
  const Cells cells = CellsOf(geometry::Box{{0.1, 0.2, 0.3}}, {Mat3::Identity(), {0.5, 0, 0}});
  const BodyCells body = MakeBodyCells(cells);
  for (int n = 0; n < 200; ++n) {
    const Vec3 axis = Direction(random);
    const double half = 0.5 * std::pow(10, Uniform(random, -6, 0.4));
    const Vec3 v = std::sin(half) * axis;
    const Pose then{ToRotation({1, 0, 0, 0}), Direction(random)};
    const Mat3 turn = ToRotation({std::cos(half), v.x, v.y, v.z});
    // About the ball's centre, so that turning alone moves its points.
    const Pose now{turn * then.R, then * body.center - turn * then.R * body.center};
    const Vec3 out = Normalized(Cross(axis, Direction(random)));
    const Vec3 point = body.center + body.radius * out;
    const double way = Norm(now * point - then * point);
    EXPECT_GE(Displacement(now, then, body), (1 - 1e-9) * way);
  }
}

TEST(BodyBroadPhaseTest, PlanesHoldOffWhatIsAboveThem) {
  const Cells floor = CellsOf(geometry::HalfSpace{{0, 0, 1}, 0.5});
  const Cells ball = CellsOf(geometry::Sphere{0.1}), brick = CellsOf(geometry::Box{{1, 1, 0.1}});
  const BodyCells on_floor = MakeBodyCells(floor), round = MakeBodyCells(ball),
                  flat = MakeBodyCells(brick);
  const double r = 0.7;  // the half-space is turned about x by this
  const Mat3 R = ToRotation(FromRotationVector({r, 0, 0}));
  for (const bool moves : {true, false}) {
    for (const double reach : {0.0, 0.02}) {
      for (const double gap : {-0.001, 0.001, 0.0199, 0.0399, 0.0401}) {
        std::vector<PlacedBody> bodies(3);
        bodies[0] = {&round, {R, R * Vec3{3, 2, 0.6 + gap}}, reach, true};
        bodies[1] = {&on_floor, {R, {}}, reach, moves};
        bodies[2] = {&flat, {Mat3::Identity(), {0, 0, 9}}, reach, true};
        std::vector<IndexPair> near;
        BodyBroadPhase phase([](int, int) { return true; }, 1);
        phase.Find(bodies, &near);
        EXPECT_EQ(near.size(), gap <= 2 * reach ? 1U : 0U) << gap << " " << reach;
        // A flat box is held off by its height, not by the ball around it.
        bodies[0].X_WB.p = R * Vec3{0, 0, 9};
        bodies[2].X_WB = {R, R * Vec3{0, 0, 0.55 + gap}};
        bodies[1].X_WB.R = R;
        phase.Find(bodies, &near);
        if (gap <= 2 * reach) {
          EXPECT_EQ(near, (std::vector<IndexPair>{{1, 2}}));
        }
      }
    }
  }
  // Level, its box is as flat as it is.
  std::vector<PlacedBody> bodies(2);
  bodies[0] = {&flat, {Mat3::Identity(), {0, 0, 0.56}}, 0.004, true};
  bodies[1] = {&on_floor, {}, 0.004, false};
  std::vector<IndexPair> near;
  BodyBroadPhase phase([](int, int) { return true; }, 1);
  phase.Find(bodies, &near);
  EXPECT_TRUE(near.empty());
  bodies[0].reach = 0.007;
  phase.Find(bodies, &near);
  EXPECT_EQ(near.size(), 1U);
}

TEST(BodyBroadPhaseTest, ABallsBoxDoesNotGrowAsItTurns) {
  const Cells ball = CellsOf(geometry::Sphere{0.1}, {{}, {0.3, 0, 0}});
  const BodyCells cells = MakeBodyCells(ball);
  EXPECT_NEAR(cells.radius, 0.1, 1e-9);
  EXPECT_NEAR(Norm(cells.center - Vec3{0.3, 0, 0}), 0, 1e-12);
  const Pose X{ToRotation(FromRotationVector({0.5, 0.6, 0.7})), {1, 2, 3}};
  const geometry::Aabb box = WorldBox(cells, X);
  EXPECT_NEAR(Norm(box.upper - box.lower), 0.2 * std::sqrt(3.0), 1e-8);
}

// In the steady state the list stays; it is made anew when a body leaves its box.
TEST(BodyBroadPhaseTest, ListsLastAsLongAsBodiesStayInTheirMargins) {
  const Cells ball = CellsOf(geometry::Sphere{0.01});
  const BodyCells cells = MakeBodyCells(ball);
  std::vector<PlacedBody> bodies;
  for (int k = 0; k < 400; ++k) {
    bodies.push_back(
        {&cells, {Mat3::Identity(), {0.03 * (k % 20), 0.03 * (k / 20), 0}}, 1e-4, true});
  }
  BodyBroadPhase phase([](int, int) { return true; }, 1);
  std::vector<IndexPair> near;
  for (int step = 0; step < 100; ++step) {
    for (PlacedBody& body : bodies) body.X_WB.p.z += 1e-4 * (step % 2 == 0 ? 1 : -1);
    phase.Find(bodies, &near);
  }
  EXPECT_EQ(phase.lists_made(), 1);
  for (int step = 0; step < 100; ++step) {
    for (PlacedBody& body : bodies) body.X_WB.p.z += 1e-4;
    phase.Find(bodies, &near);
  }
  EXPECT_GT(phase.lists_made(), 2);
  EXPECT_LT(phase.lists_made(), 30);
  EXPECT_EQ(phase.kept(), 0U);  // memory follows neighbours: here there are none
}

// What a cache remembers must not be another pair's.
TEST(SeparationCachesTest, LiveAsLongAsTheirPairIsNear) {
  SeparationCaches caches;
  std::vector<SeparationCache*> first, second;
  caches.Update(std::vector<IndexPair>{{0, 1}, {0, 3}, {2, 3}}, &first);
  for (std::size_t k = 0; k < 3; ++k) {
    first[k]->listed = true;
    first[k]->travel = static_cast<double>(k + 1);
    first[k]->candidates.resize(5);
  }
  caches.Update(std::vector<IndexPair>{{0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 4}}, &second);
  ASSERT_EQ(second.size(), 5U);
  EXPECT_EQ(second[1], first[1]);
  EXPECT_EQ(second[3], first[2]);
  EXPECT_EQ(second[3]->travel, 3.0);
  for (const std::size_t k : {0U, 2U, 4U}) {
    EXPECT_FALSE(second[k]->listed);
    EXPECT_EQ(second[k]->travel, 0.0);
    EXPECT_TRUE(second[k]->candidates.empty());
  }
  caches.Update({}, &second);
  EXPECT_TRUE(second.empty());
}

// Bodies that fly through each other: broad phase, caches and finder together, with caches that
// come and go, give the bits of a finder that keeps nothing and looks at all pairs.
TEST(BodyBroadPhaseTest, FinderBehindItFindsWhatAllPairsGive) {
  const Engine engine({Device::kSerial, 1, 0});
  const PairFinder finder(engine, {});
  std::vector<Cells> solids = {CellsOf(geometry::Sphere{0.1}),
                               CellsOf(geometry::Box{{0.2, 0.1, 0.3}}),
                               CellsOf(geometry::HalfSpace{{0, 0, 1}, -0.3})};
  std::vector<BodyCells> cells;
  for (const Cells& c : solids) cells.push_back(MakeBodyCells(c));
  Random random(13);
  std::vector<PlacedBody> bodies;
  std::vector<Vec3> rates;
  for (int b = 0; b < 24; ++b) {
    bodies.push_back({&cells[b == 7 ? 2U : static_cast<std::size_t>(b % 2)], {}, 0.003, b != 7});
    if (b != 7) bodies.back().X_WB.p = Uniform(random, 0, 0.6) * Direction(random);
    rates.push_back(b == 7 ? Vec3{} : 0.003 * Direction(random));
  }
  BodyBroadPhase phase([](int, int) { return true; }, 1);
  SeparationCaches store;
  FinderScratch scratch, fresh;
  std::vector<IndexPair> near;
  std::vector<SeparationCache*> caches;
  std::vector<ActivePair> active, expected;
  std::size_t found = 0, looked = 0;
  for (int step = 0; step < 150; ++step) {
    std::vector<Pose> poses;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      bodies[b].X_WB.p += rates[b];
      poses.push_back(bodies[b].X_WB);
    }
    phase.Find(bodies, &near);
    store.Update(near, &caches);
    looked += near.size();
    std::vector<NearPair> pairs, all;
    for (std::size_t k = 0; k < near.size(); ++k) {
      pairs.push_back({near[k].i, near[k].j, bodies[static_cast<std::size_t>(near[k].i)].cells,
                       bodies[static_cast<std::size_t>(near[k].j)].cells, caches[k]});
    }
    std::vector<SeparationCache> none(bodies.size() * bodies.size());
    for (int i = 0; i < 24; ++i) {
      for (int j = i + 1; j < 24; ++j) {
        all.push_back({i, j, bodies[static_cast<std::size_t>(i)].cells,
                       bodies[static_cast<std::size_t>(j)].cells,
                       &none[static_cast<std::size_t>(24 * i + j)]});
      }
    }
    finder.Find(pairs, poses, &scratch, &active);
    finder.Find(all, poses, &fresh, &expected);
    ASSERT_EQ(active.size(), expected.size()) << step;
    for (std::size_t k = 0; k < active.size(); ++k) {
      EXPECT_EQ(active[k].i, expected[k].i);
      EXPECT_EQ(active[k].j, expected[k].j);
      EXPECT_EQ(active[k].metrics.volume, expected[k].metrics.volume);
    }
    found += active.size();
  }
  EXPECT_GT(found, 500U);
  EXPECT_LT(looked, 150U * 24 * 23 / 4);
}

// Disjoint pairs on threads of their own give what one call gives.
TEST(PairFinderThreads, DisjointPairsAreFoundAtOnce) {
  const Engine engine({Device::kSerial, 1, 0});
  const PairFinder finder(engine, {});
  const Cells solid = CellsOf(geometry::Box{{0.02, 0.03, 0.04}});
  const BodyCells cells = MakeBodyCells(solid);
  constexpr int kBodies = 60;
  std::vector<SeparationCache> caches(2 * kBodies);
  std::vector<NearPair> one, two;
  for (int b = 0; b + 1 < kBodies; ++b) {
    one.push_back({b, b + 1, &cells, &cells, &caches[static_cast<std::size_t>(b)]});
    two.push_back({b, b + 1, &cells, &cells, &caches[static_cast<std::size_t>(kBodies + b)]});
  }
  std::vector<Pose> poses(kBodies);
  FinderScratch scratch, first, second;
  std::vector<ActivePair> expected, low, high;
  for (int step = 0; step < 50; ++step) {
    for (int b = 0; b < kBodies; ++b) {
      const Vec3 turn{0.01 * step, 0.1 * b, 0};
      poses[static_cast<std::size_t>(b)] = {ToRotation(FromRotationVector(turn)),
                                            {0.03 * b, 1e-4 * step * (b % 3), 0}};
    }
    finder.Find(one, poses, &scratch, &expected);
    const std::span<const NearPair> all = two;
    std::thread other([&] { finder.Find(all.first(30), poses, &first, &low); });
    finder.Find(all.subspan(30), poses, &second, &high);
    other.join();
    low.insert(low.end(), high.begin(), high.end());
    ASSERT_EQ(low.size(), expected.size());
    for (std::size_t k = 0; k < low.size(); ++k) {
      EXPECT_EQ(low[k].i, expected[k].i);
      EXPECT_EQ(low[k].metrics.volume, expected[k].metrics.volume);
    }
  }
  EXPECT_GT(expected.size(), 10U);
  EXPECT_EQ(first.counters.queries + second.counters.queries, scratch.counters.queries);
}

}  // namespace
}  // namespace intervox::host
