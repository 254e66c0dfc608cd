// Solids on a lattice whose faces, edges, axes and tips coincide but for a little.
#include <gtest/gtest.h>

#include <cmath>

#include "partition.h"

namespace intervox::geometry {
namespace {

/** Random solids whose sizes and positions are multiples of 1/4 and whose turns are right angles,
 all but for `off` [–, m]. */
class Lattice {
 public:
  Lattice(unsigned seed, double off) : random_(seed), off_(off) {}

  ShapePtr Solid(int depth) {
    if (depth == 0) return Leaf(Any(), Place());
    static constexpr Operation kAll[] = {Operation::kUnion, Operation::kDifference,
                                         Operation::kUnion, Operation::kDifference,
                                         Operation::kIntersection};
    const Operation operation = kAll[random_.Below(5)];
    std::vector<ShapePtr> children;
    for (int k = 2 + random_.Below(2); k > 0; --k) children.push_back(Solid(depth - 1));
    return Tree(operation, std::move(children), "", Place());
  }

 private:
  double Off() { return off_ * random_.Uniform(-1, 1); }
  double Size(int most) { return 0.25 * (1 + random_.Below(most)); }

  Pose Place() {
    static const double kHalf = std::sqrt(0.5);
    const Quaternion turns[] = {{1, 0, 0, 0},         {kHalf, kHalf, 0, 0}, {kHalf, 0, kHalf, 0},
                                {kHalf, 0, 0, kHalf}, {0, 1, 0, 0},         {0.5, 0.5, 0.5, 0.5}};
    Quaternion q = turns[random_.Below(6)];
    q = {q.w + Off(), q.x + Off(), q.y + Off(), q.z + Off()};
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = 0.25 * (random_.Below(5) - 2) + Off();
    return {ToRotation(Normalized(q)), p};
  }

  Primitive Any() {
    switch (random_.Below(8)) {
      case 0:
        return Sphere{Size(2)};
      case 1:
        return Cylinder{Size(2), Size(4)};
      case 2:
        return Cone{Size(2), 0.25 * random_.Below(2), Size(4)};
      case 3:
        return Cone{0, Size(2), Size(4)};
      case 4:
        return Capsule{0.25, Size(4)};
      case 5:
        return Torus{0.5, 0.25};
      case 6:
        return Ellipsoid{{Size(2), 0.5, Size(2)}};
      default:
        return Box{{Size(4), Size(4), Size(4)}};
    }
  }

  Random random_;
  double off_;
};

TEST(Coincident, CellsMakeUpTheSolidHoweverFacesAlmostMeet) {
  Random random(61);
  int made = 0;
  for (unsigned seed = 1; seed <= 240; ++seed) {
    const double off = seed % 10 == 0 ? 0.0 : std::pow(10.0, -4.0 - seed % 9);
    const ShapePtr shape = Lattice(seed, off).Solid(2);
    std::vector<Cell> cells;
    try {
      cells = ToCells(*shape);
    } catch (const std::invalid_argument&) {  // an operand has no volume
      continue;
    }
    ++made;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Aabb box = Solid(*shape).Bounds(Pose::Identity());
    const Vec3 center = 0.5 * (box.lower + box.upper);
    const double reach = 0.5 * Norm(box.upper - box.lower);
    for (const Cell& cell : cells) {  // no sliver reaches beyond the solid
      EXPECT_TRUE(cell.bounded);
      EXPECT_LT(Norm(cell.bounds.X.p - center), 1.1 * reach) << cell.name;
      EXPECT_LT(Norm(cell.bounds.half), 1.1 * reach) << cell.name;
    }
    ExpectPartition(*shape, cells, random, 1.5, 400);
  }
  EXPECT_GT(made, 120);
}

TEST(Coincident, EmptyOnlyWhereNothingIsInside) {
  Random random(62);
  int empty = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const double off = std::pow(10.0, -4.0 - seed % 9);
    const ShapePtr shape = Tree(Operation::kIntersection,
                                {Lattice(seed, off).Solid(0), Lattice(seed + 1000, off).Solid(0)});
    try {
      ToCells(*shape);
    } catch (const std::invalid_argument&) {
      ++empty;
      const Solid solid(*shape);
      for (int k = 0; k < 1000; ++k) EXPECT_GT(solid.Level(random.InBox(1)), -1e-9);
    }
  }
  EXPECT_GT(empty, 3);
}

}  // namespace
}  // namespace intervox::geometry
