#include "geometry/box_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace intervox::geometry {
namespace {

std::vector<int> Within(const BoxTree& tree, const Vec3& p, double reach) {
  std::vector<int> found;
  tree.AnyWithin(p, reach, [&](int k) {
    found.push_back(k);
    return false;
  });
  std::sort(found.begin(), found.end());
  return found;
}

TEST(BoxTree, FindsWhatIsWithinReach) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] {
    const double x = uniform(engine), y = uniform(engine);
    return Vec3{x, y, uniform(engine)};
  };
  std::vector<Aabb> boxes;
  for (int k = 0; k < 300; ++k) {
    const Vec3 p = vector(), half = 0.1 * Abs(vector());
    boxes.push_back({p - half, p + half});
    if (k % 10 == 0) boxes.push_back(boxes.back());  // twice the same
  }
  constexpr double kFar = 1e300;
  boxes.push_back({{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}});
  const BoxTree tree(boxes);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p = vector();
    const double reach = 0.3 * std::abs(uniform(engine));
    std::vector<int> expected;
    for (std::size_t b = 0; b < boxes.size(); ++b) {
      const Vec3 away = Max(Max(boxes[b].lower - p, p - boxes[b].upper), Vec3{});
      if (SquaredNorm(away) <= reach * reach) expected.push_back(static_cast<int>(b));
    }
    EXPECT_EQ(Within(tree, p, reach), expected);
  }
}

TEST(BoxTree, StopsAtTheFirstVisitThatSaysSo) {
  const std::vector<Aabb> boxes(20, Aabb{{0, 0, 0}, {1, 1, 1}});
  int visits = 0;
  EXPECT_TRUE(BoxTree(boxes).AnyWithin({}, 0.0, [&](int) { return ++visits == 3; }));
  EXPECT_EQ(visits, 3);
}

TEST(BoxTree, OfNothingHoldsNothing) {
  EXPECT_TRUE(Within(BoxTree(std::vector<Aabb>{}), {}, 1e9).empty());
  EXPECT_TRUE(Within(BoxTree(), {}, 1e9).empty());
}

}  // namespace
}  // namespace intervox::geometry
