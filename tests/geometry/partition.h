/** @file Random CSG trees, and the check that cells make up a solid: every point in one of them. */
#pragma once

#include <gtest/gtest.h>

#include "geometry/solid.h"
#include "random_shapes.h"

namespace intervox::geometry {

/** A tree of random operations on posed and scaled examples. */
inline ShapePtr RandomTree(Random& random, int depth) {
  if (depth == 0 || random.Below(5) == 0) {
    const std::vector<Example> examples = Examples();
    const int pick = random.Below(static_cast<int>(examples.size()));
    return Leaf(examples[static_cast<std::size_t>(pick)].primitive, random.RandomPose(0.4), "",
                random.Uniform(0.5, 1.5));
  }
  static constexpr Operation kAll[] = {Operation::kUnion, Operation::kIntersection,
                                       Operation::kDifference};
  const Operation operation = kAll[random.Below(3)];
  const int operands = 2 + random.Below(2);
  std::vector<ShapePtr> children;
  for (int k = 0; k < operands; ++k) children.push_back(RandomTree(random, depth - 1));
  return Tree(operation, std::move(children), "", random.RandomPose(0.2), random.Uniform(0.7, 1.3));
}

/** Each random point lies in exactly one cell when it is in the solid, else in none. */
inline void ExpectPartition(const Shape& shape, const std::vector<Cell>& cells, Random& random,
                            double reach, int points) {
  const Solid solid(shape);
  for (int k = 0; k < points; ++k) {
    const Vec3 p = random.InBox(reach);
    bool near_a_face = std::abs(solid.Level(p)) < 1e-8 * reach;
    int holders = 0;
    for (const Cell& cell : cells) {
      const double level = Level(cell, p);
      near_a_face = near_a_face || std::abs(level) < 1e-8 * reach;
      holders += level < 0;
      if (level < 0) {
        const Vec3 u = Abs(TransposeTimes(cell.bounds.X.R, p - cell.bounds.X.p));
        for (int i = 0; i < 3; ++i) EXPECT_LE(u[i], cell.bounds.half[i] * (1 + 1e-12));
      }
    }
    if (near_a_face) continue;
    EXPECT_EQ(holders, solid.Contains(p) ? 1 : 0);
  }
}

}  // namespace intervox::geometry
