#include "geometry/grid/without_bias.h"

#include <cmath>
#include <vector>

namespace intervox::geometry {

std::shared_ptr<const LevelSet> WithoutBias(const LevelSet& field, const RangeLoop& loop) {
  const GridView view = field.View();
  std::vector<PlaceKind> kinds;
  for (const std::int32_t place : field.places) kinds.push_back(KindOf(place));
  const auto unbiased = [&](const Vec3& u) {
    const double f = LevelOf(view, u);
    double sum = -6 * f;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double step : {-1.0, 1.0}) {
        Vec3 beside = u;
        beside[axis] += step;
        const double g = LevelOf(view, beside);
        if (!(std::fabs(g) < view.band)) return f;
        sum += g;
      }
    }
    return f - sum / 12;
  };
  return JoinBlocks(field.origin, field.size, kinds, ByNode(unbiased), field.voxel_size, field.band,
                    loop);
}

}  // namespace intervox::geometry
