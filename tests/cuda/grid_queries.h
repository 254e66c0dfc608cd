/** @file Pairs with a grid for comparisons of executors: every rule, cells of many kinds. */
#pragma once

#include <utility>
#include <vector>

#include "tests/cuda/pairs.h"
#include "tests/geometry/grids.h"

namespace intervox::testing {

/** Small grids, blocks of one, and cells with formulas that meet them. */
struct GridCells {
  std::vector<Cell> grids = {GridCell(geometry::Sphere{4}, 1),
                             GridCell(geometry::Box{{7, 6, 5}}, 0.75),
                             GridCell(geometry::Torus{4, 1.5}, 1),
                             // Wider than its band, so that places lie wholly inside.
                             GridCell(geometry::Sphere{4}, 0.3)};
  std::vector<Cell> blocks = geometry::SplitGrids({GridCell(geometry::Torus{9, 3}, 1)});
  std::vector<Cell> formulas = {CellsOf(geometry::Sphere{4})[0],
                                CellsOf(geometry::Box{{6, 6, 6}})[0],
                                CellsOf(geometry::Ellipsoid{{5, 4, 3}})[0],
                                CellsOf(geometry::Cylinder{3, 8})[0],
                                CellsOf(geometry::Cone{1, 4, 6})[0],
                                CellsOf(geometry::Torus{4, 1.5})[0],
                                HalfSpaceCell({0, 0, 1}, 0)};
};

/** Grids with grids, blocks and formulas in random poses, by every rule in turn, some apart, some
 with a rule that takes no grids; the cells must outlive the queries. */
inline std::vector<PairQuery> GridQueries(const GridCells& cells, int count, unsigned seed = 1) {
  constexpr LeafRule kRules[] = {LeafRule::kClip, LeafRule::kFraction, LeafRule::kCenter,
                                 LeafRule::kVoxel};
  Random random(seed);
  const auto below = [&](std::size_t n) {
    return static_cast<std::size_t>(random.Uniform(0, 0.999999) * static_cast<double>(n));
  };
  const auto any = [&](const std::vector<Cell>& of) { return &of[below(of.size())]; };
  std::vector<PairQuery> queries;
  for (int i = 0; i < count; ++i) {
    PairQuery query;
    const bool block = i % 5 == 4;
    query.a = any(block ? cells.blocks : cells.grids);
    query.b = any(i % 3 == 0 ? cells.formulas : i % 3 == 1 ? cells.grids : cells.blocks);
    query.X_WA = random.RandomPose(1);
    query.X_WB = random.RandomPose(1);
    // Blocks lie far from their grid's middle: their bounds are brought together.
    query.X_WA.p -= query.X_WA.R * query.a->bounds.X.p;
    if (query.b->bounded) query.X_WB.p -= query.X_WB.R * query.b->bounds.X.p;
    query.X_WB.p += random.Uniform(0, 6) * random.Direction();
    query.rule = i % 29 == 28 ? LeafRule::kFlux : kRules[below(4)];
    query.tolerance = 3e-2;
    if (below(2) == 0) {
      std::swap(query.a, query.b);
      std::swap(query.X_WA, query.X_WB);
    }
    queries.push_back(query);
  }
  return queries;
}

}  // namespace intervox::testing
