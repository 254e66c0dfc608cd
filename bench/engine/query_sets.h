/** @file The queries that the engine is timed on: random poses of one pair of cells, or of many. */
#pragma once

#include <cmath>
#include <vector>

#include "cuda/engine.h"
#include "geometry/shape.h"
#include "tests/cuda/same_bits.h"

namespace intervox::bench {

using testing::Cell;
using testing::Random;

/** Queries with the cells that they point to, where these do not outlive it anyway. */
struct QuerySet {
  QuerySet() = default;
  explicit QuerySet(std::vector<Cell> all) : cells(std::move(all)) {}
  // A copy's queries would point to the cells of the first.
  QuerySet(const QuerySet&) = delete;
  QuerySet& operator=(const QuerySet&) = delete;
  QuerySet(QuerySet&&) = default;
  QuerySet& operator=(QuerySet&&) = default;

  std::vector<Cell> cells;
  std::vector<PairQuery> queries;
};

/** Two cells at random poses, each within `reach` of the origin [m]. */
inline QuerySet RandomPairs(const Cell& a, const Cell& b, double reach, unsigned seed, int count) {
  QuerySet set({a, b});
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    set.queries.push_back(
        {&set.cells[0], &set.cells[1], random.RandomPose(reach), random.RandomPose(reach)});
  }
  return set;
}

/** Two boxes at random poses that mostly overlap. */
inline QuerySet BoxPairs(int count) {
  return RandomPairs(testing::BoxCell({1, 0.8, 0.6}), testing::BoxCell({0.7, 0.9, 0.5}), 0.3, 1,
                     count);
}

/** A box laid on another, tilted by up to 1e-3 and sunk by 1e-5 to 1e-3 of its size. */
inline QuerySet NearlyAlignedBoxes(int count) {
  QuerySet set({testing::BoxCell({1, 0.8, 0.6}), testing::BoxCell({0.7, 0.9, 0.5})});
  Random random(2);
  for (int i = 0; i < count; ++i) {
    const Pose X = random.RandomPose(1);
    const double depth = random.LogUniform(1e-5, 1e-3);
    set.queries.push_back({&set.cells[0], &set.cells[1], X,
                           X * Pose{testing::Turned(random.Vector(1e-3), {}),
                                    {random.Uniform(-0.2, 0.2), 0.1, 0.55 - depth}}});
  }
  return set;
}

/** Two oriented boxes that miss each other, from 1 % of their size to one size apart. */
inline QuerySet MissingBoxes(int count) {
  QuerySet set({testing::BoxCell({1, 0.8, 0.6}), testing::BoxCell({0.7, 0.9, 0.5})});
  Random random(3);
  while (static_cast<int>(set.queries.size()) < count) {
    const PairQuery q{&set.cells[0], &set.cells[1], random.RandomPose(1), random.RandomPose(1)};
    if (ComputeMetrics(q).status == Status::kDisjoint) set.queries.push_back(q);
  }
  return set;
}

/** Two general ellipsoids in random directions, `depth` [m] into each other along the direction in
 which their support points would touch. */
inline QuerySet EllipsoidPairs(int count, double depth, double tolerance) {
  const Vec3 radii_a{0.5, 0.4, 0.3}, radii_b{0.35, 0.5, 0.25};
  QuerySet set({testing::CellsOf(geometry::Ellipsoid{radii_a})[0],
                testing::CellsOf(geometry::Ellipsoid{radii_b})[0]});
  Random random(4);
  while (static_cast<int>(set.queries.size()) < count) {
    PairQuery q{&set.cells[0], &set.cells[1], {random.Rotation(), {}}, {random.Rotation(), {}}};
    q.tolerance = tolerance;
    const Vec3 n = random.Direction();
    const auto support = [&](const Vec3& radii, const Mat3& R) {
      const Vec3 m = Scaled(radii, TransposeTimes(R, n));
      return R * Scaled(radii, Normalized(m));
    };
    q.X_WB.p = support(radii_a, q.X_WA.R) + support(radii_b, q.X_WB.R) - depth * n;
    set.queries.push_back(q);
  }
  return set;
}

/** A peg in a hole 10 µm wider, tilted so that it bears at two places: two crescents. */
inline QuerySet PegsInHoles(int count) {
  QuerySet set({testing::CellsOf(geometry::Cylinder{0.00999, 0.06})[0],
                testing::HoledBoxCells({0.06, 0.06, 0.04}, 0.01)[0]});
  Random random(5);
  while (static_cast<int>(set.queries.size()) < count) {
    const Pose X = random.RandomPose(0.1);
    const Vec3 tilt{random.Uniform(-2e-3, 2e-3), random.Uniform(-2e-3, 2e-3), 0};
    const PairQuery q{&set.cells[0], &set.cells[1],
                      X * Pose{testing::Turned(tilt, {}),
                               {random.Uniform(-1e-5, 1e-5), random.Uniform(-1e-5, 1e-5), 0.005}},
                      X};
    if (ComputeMetrics(q).status != Status::kDisjoint) set.queries.push_back(q);
  }
  return set;
}

/** Every pair of families at random poses. */
inline QuerySet FamilyPairs(int count, double tolerance) {
  static const std::vector<testing::Family> families = testing::AllFamilies();
  QuerySet set;
  set.queries = testing::RandomQueries(families, count, 6);
  for (PairQuery& query : set.queries) query.tolerance = tolerance;
  return set;
}

}  // namespace intervox::bench
