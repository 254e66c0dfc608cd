#include "cuda/certify/axes.h"

#include <cmath>

#include "cuda/certify/level.h"

namespace intervox::cuda::internal::certify {
namespace {

/** More rotations than this are not tried. */
constexpr std::size_t kMostAxes = 8;
/** Of so many surfaces of either cell normals are combined. */
constexpr std::size_t kMostNormals = 4;

/** Column 2 is n, column 0 as near to `along` as can be. */
Mat3 Turned(const Vec3& n, const Vec3& along) {
  Vec3 t = along - Dot(along, n) * n;
  if (!(SquaredNorm(t) > 1e-4 * SquaredNorm(along))) t = AnyOrthogonal(n);
  t = Normalized(t);
  return Mat3::FromColumns(t, Cross(n, t), n);
}

/** Whether the boxes along the two are the same. */
bool AreAlike(const Mat3& R, const Mat3& S) {
  const Mat3 M = Transpose(R) * S;
  int aligned = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) aligned += std::fabs(M(i, j)) > 1 - 1e-9 ? 1 : 0;
  }
  return aligned == 3;
}

void Add(const Mat3& R, std::vector<Mat3>* axes) {
  for (const Mat3& known : *axes) {
    if (AreAlike(known, R)) return;
  }
  if (axes->size() < kMostAxes) axes->push_back(R);
}

}  // namespace

Region Around(const Region& region, const Mat3& R) {
  const Mat3 across = Transpose(R) * region.edges;
  // Rounding of the sums and of R: some 1e-15 of the sizes.
  const double off = 1e-14 * (Norm(region.p) + Norm(region.edges.Col(0)) +
                              Norm(region.edges.Col(1)) + Norm(region.edges.Col(2)));
  Vec3 reach;
  for (int i = 0; i < 3; ++i) {
    const Vec3 row = Abs(across.Row(i));
    reach[i] = row.x + row.y + row.z + off;
  }
  return {region.p, R * Mat3::Diagonal(reach)};
}

Axes FindAxes(const PosedCells& cells, const Region& region) {
  using geometry::SurfaceKind;
  Axes axes;
  std::vector<Vec3> normals[2];
  Vec3 along;  // of the first surface that has a direction of its own
  const Mat3 back = Inverse(region.edges);
  for (int body = 0; body < 2; ++body) {
    const geometry::Cell& cell = *cells.cell[body];
    if (cell.bounded) Add(cells.X[body].R * cell.bounds.X.R, &axes.solids);
    for (const geometry::Surface& surface : cell.surfaces) {
      const FrameLevel mapped = MapLevel(surface, cells.X[body], region.p, region.edges);
      const BoxLevel level = LevelOver(mapped, {}, {1, 1, 1});
      const geometry::Bounds range = RangeOf(level);
      if (range.lo >= 0 || range.hi <= 0 || normals[body].size() == kMostNormals) continue;
      const Vec3 g = TransposeTimes(back, level.g);
      if (SquaredNorm(g) > 0) normals[body].push_back(Normalized(g));
      const Mat3 R = cells.X[body].R * surface.R;
      const Vec3 radius = region.p - cells.X[body] * surface.o;
      Vec3 line = R.Col(2);
      if (surface.kind == SurfaceKind::kTorus || surface.kind == SurfaceKind::kCylinder ||
          surface.kind == SurfaceKind::kCone) {
        const Mat3 turned = Turned(R.Col(2), radius);
        Add(turned, &axes.solids);
        if (surface.kind == SurfaceKind::kTorus) line = turned.Col(1);
      } else if (surface.kind != SurfaceKind::kPlane) {
        Add(R, &axes.solids);
      }
      if (along == Vec3{}) along = line;
    }
  }
  for (const Vec3& u : normals[0]) {
    for (const Vec3& v : normals[1]) {
      constexpr double kFacing = 0.1;
      if (SquaredNorm(u - v) > kFacing) Add(Turned(Normalized(u - v), along), &axes.contact);
    }
  }
  return axes;
}

}  // namespace intervox::cuda::internal::certify
