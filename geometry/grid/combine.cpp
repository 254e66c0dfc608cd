#include "geometry/grid/combine.h"

#include <algorithm>
#include <vector>

namespace intervox::geometry {
namespace {

/** What a level set has at the place whose first node is given. */
PlaceKind KindAt(const LevelSet& field, const std::array<int, 3>& first) {
  std::array<int, 3> at{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    at[axis] = (first[axis] - field.origin[axis]) / kBlockEdge;
    if (first[axis] < field.origin[axis] || at[axis] >= field.size[axis]) {
      return PlaceKind::kOutside;
    }
  }
  return KindOf(field.places[static_cast<std::size_t>(
      (at[0] * field.size[1] + at[1]) * field.size[2] + at[2])]);
}

}  // namespace

std::shared_ptr<const LevelSet> Combine(const LevelSet& a, const LevelSet& b,
                                        Combination combination, const RangeLoop& loop) {
  const bool unites = combination == Combination::kUnion;
  std::array<int, 3> origin = a.origin, size = a.size;
  for (std::size_t axis = 0; axis < 3 && unites; ++axis) {
    const int end = std::max(a.origin[axis] + kBlockEdge * a.size[axis],
                             b.origin[axis] + kBlockEdge * b.size[axis]);
    origin[axis] = std::min(a.origin[axis], b.origin[axis]);
    size[axis] = (end - origin[axis]) / kBlockEdge;
  }
  // Where this one of the sides is, it decides alone.
  const PlaceKind wins = unites ? PlaceKind::kInside : PlaceKind::kOutside;
  std::vector<PlaceKind> kinds;
  std::array<int, 3> at{};
  for (at[0] = 0; at[0] < size[0]; ++at[0]) {
    for (at[1] = 0; at[1] < size[1]; ++at[1]) {
      for (at[2] = 0; at[2] < size[2]; ++at[2]) {
        std::array<int, 3> first{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          first[axis] = origin[axis] + kBlockEdge * at[axis];
        }
        const PlaceKind of_a = KindAt(a, first);
        PlaceKind of_b = KindAt(b, first);
        if (!unites && of_b != PlaceKind::kBand) {
          of_b = of_b == PlaceKind::kInside ? PlaceKind::kOutside : PlaceKind::kInside;
        }
        kinds.push_back(of_a == wins || of_b == wins ? wins
                        : of_a == of_b               ? of_a
                                                     : PlaceKind::kBand);
      }
    }
  }
  const GridView f = a.View(), g = b.View();
  const auto level = [&](const Vec3& u) {
    const double x = LevelOf(f, u), y = LevelOf(g, u);
    return unites ? std::min(x, y) : std::max(x, -y);
  };
  return JoinBlocks(origin, size, kinds, ByNode(level), a.voxel_size, std::min(a.band, b.band),
                    loop);
}

}  // namespace intervox::geometry
