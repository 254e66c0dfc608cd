// A peg that hangs free in its hole is disjoint at once, and none that touches is.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/engine.h"
#include "geometry/shape.h"
#include "tests/cuda/pairs.h"

namespace intervox {
namespace {

using geometry::Cell;

Cell OneCell(geometry::Shape shape) { return geometry::ToCells(shape).front(); }

geometry::ShapePtr Leaf(geometry::Primitive primitive, Vec3 position = {}) {
  auto shape = std::make_shared<geometry::Shape>();
  shape->primitive = std::move(primitive);
  shape->X.p = position;
  return shape;
}

Cell Block(geometry::Primitive hole) {
  geometry::Shape shape;
  shape.operation = geometry::Operation::kDifference;
  shape.children = {Leaf(geometry::Box{{0.1, 0.1, 0.04}}), Leaf(std::move(hole))};
  return OneCell(std::move(shape));
}

// Counting voxels knows nothing of walls: where it sees an overlap, the planner must see one.
TEST(WallCuts, AgreeWithTheVoxelsOnWhoTouches) {
  const Cell pegs[] = {OneCell(*Leaf(geometry::Cylinder{0.0095, 0.06})),
                       OneCell(*Leaf(geometry::Cone{0.006, 0.0099, 0.06}))};
  const Cell holes[] = {Block(geometry::Cylinder{0.01, 0.06}),
                        Block(geometry::Cone{0.0095, 0.0115, 0.06})};
  testing::Random random(11);
  int free = 0, touching = 0;
  for (int i = 0; i < 400; ++i) {
    PairQuery query{&pegs[i % 2], &holes[i / 2 % 2], {}, {}};
    query.X_WA.p = 0.001 * random.Uniform(0, 1) * random.Direction();
    query.X_WA.R = testing::Turned(0.03 * random.Uniform(0, 1) * random.Direction(), {});
    const InterferenceMetrics metrics = ComputeMetrics(query);
    query.rule = LeafRule::kCenter;
    query.voxel_size = 4e-4;
    const InterferenceMetrics counted = ComputeMetrics(query);
    (metrics.volume > 0 ? touching : free) += 1;
    if (metrics.status == Status::kDisjoint) {
      EXPECT_EQ(counted.volume, 0.0) << i;
    }
  }
  EXPECT_GT(free, 40);
  EXPECT_GT(touching, 40);
}

}  // namespace
}  // namespace intervox
