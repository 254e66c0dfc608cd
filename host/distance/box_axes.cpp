#include "host/distance/box_axes.h"

#include <cmath>

namespace intervox::host::distance {
namespace {

/** Edges whose product is shorter than this are parallel, as far as their axis is concerned. */
constexpr double kParallel = 1e-6;
/** Rounding of normals and of offsets over the size. */
constexpr double kSame = 1e-14;

}  // namespace

BoxAxes LookAlongAxes(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                      double enough) {
  const Vec3 way = TransposeTimes(a.X.R, b.X.p - a.X.p);  // in a's frame
  const Mat3 turn = Transpose(a.X.R) * b.X.R;
  const Mat3 size{Abs(turn.row0), Abs(turn.row1), Abs(turn.row2)};
  BoxAxes out;
  out.gap = -INFINITY;
  for (int i = 0; i < 3; ++i) {
    out.gap = std::fmax(out.gap, std::fabs(way[i]) - a.half[i] - Dot(size.Row(i), b.half));
  }
  if (out.gap >= enough) return out;
  for (int j = 0; j < 3; ++j) {
    const double reach = Dot(size.Col(j), a.half);
    out.gap = std::fmax(out.gap, std::fabs(Dot(turn.Col(j), way)) - b.half[j] - reach);
  }
  if (out.gap >= enough) return out;
  out.all = true;
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (int j = 0; j < 3; ++j) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      // The product of a's axis i and b's axis j has the components 0, −turn(i2, j), turn(i1, j).
      const double length = std::hypot(turn(i1, j), turn(i2, j));
      if (length < kParallel) {
        out.all = false;
        continue;
      }
      const double shadow_a = a.half[i1] * size(i2, j) + a.half[i2] * size(i1, j);
      const double shadow_b = b.half[j1] * size(i, j2) + b.half[j2] * size(i, j1);
      const double between = std::fabs(way[i2] * turn(i1, j) - way[i1] * turn(i2, j));
      out.gap = std::fmax(out.gap, (between - shadow_a - shadow_b) / length);
    }
    if (out.gap >= enough) return out;
  }
  return out;
}

bool IsItsBounds(const geometry::Cell& cell) {
  if (!cell.bounded || cell.surfaces.size() != 6) return false;
  const geometry::OrientedBox& box = cell.bounds;
  const double room = kSame * (Norm(box.half) + Norm(box.X.p));
  unsigned sides = 0;
  for (const geometry::Surface& s : cell.surfaces) {
    if (s.kind != geometry::SurfaceKind::kPlane) return false;
    const Vec3 n = TransposeTimes(box.X.R, s.side * s.PlaneNormal());
    for (int axis = 0; axis < 3; ++axis) {
      if (std::fabs(n[axis]) < 0.5) continue;
      const int i1 = (axis + 1) % 3, i2 = (axis + 2) % 3;
      if (std::fabs(n[i1]) > kSame || std::fabs(n[i2]) > kSame) return false;
      const double offset = Dot(s.side * s.PlaneNormal(), s.o - box.X.p);
      if (std::fabs(offset - box.half[axis]) > room) return false;
      sides |= 1u << (2 * axis + (n[axis] > 0 ? 1 : 0));
    }
  }
  return sides == 63;
}

}  // namespace intervox::host::distance
