#include "geometry/grid/ray.h"

#include <algorithm>
#include <cmath>

#include "geometry/grid/level_set.h"

namespace intervox::geometry {

std::optional<GridHit> FirstEntry(const GridPart& part, const Vec3& origin, const Vec3& direction,
                                  double t_min, double t_max, bool* inside) {
  constexpr double kLeastStep = 0.05;  // [voxels]
  constexpr int kHalvings = 40;
  const GridView view = part.field->View();
  const double h = part.voxel_size, slope = std::max(view.slope, 1e-3);
  const Vec3 start = TransposeTimes(part.X_CG.R, origin - part.X_CG.p) / h;
  const Vec3 along = TransposeTimes(part.X_CG.R, direction);
  const auto level = [&](double s) { return LevelOf(view, start + s * along); };
  double s = t_min / h, f = level(s);
  const double end = t_max / h;
  *inside = f <= 0;
  while (s < end) {
    const double next = std::min(end, s + std::max(std::fabs(f) / slope, kLeastStep));
    const double g = level(next);
    if (f > 0 && g <= 0) {
      double lo = s, hi = next;
      for (int k = 0; k < kHalvings; ++k) {
        const double middle = 0.5 * (lo + hi);
        (level(middle) > 0 ? lo : hi) = middle;
      }
      const Vec3 n = Evaluate(view, start + hi * along).gradient;
      const double length = Norm(n);
      return GridHit{h * hi, length > 0 ? part.X_CG.R * (n / length) : -direction};
    }
    s = next;
    f = g;
  }
  return std::nullopt;
}

}  // namespace intervox::geometry
