#include "host/mesh/surface_set.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/interior.h"
#include "geometry/surface_eval.h"

namespace intervox::host {
namespace {

using geometry::Surface;
using geometry::SurfaceKind;

constexpr int kMaxSteps = 60;
constexpr double kConverged = 1e-14;  // of the solid's size
constexpr double kFar = 10.0;         // of the solid's size: from there on digits are lost
constexpr double kSameNormal = 1e-6;  // sine of the angle below which surfaces touch

/** The same bits but for the side: surfaces of one primitive in several cells. */
bool Identical(const Surface& a, const Surface& b) {
  return a.kind == b.kind && a.o == b.o && a.R.row0 == b.R.row0 && a.R.row1 == b.R.row1 &&
         a.R.row2 == b.R.row2 && a.e == b.e && a.l == b.l && a.c == b.c;
}

/** The number of a surface in the set, added when new; *side turns where its f is the other's −f.
 */
int Find(const Surface& surface, const Vec3& center, double size, std::vector<Surface>* known,
         int* side) {
  for (std::size_t k = 0; k < known->size(); ++k) {
    if (Identical((*known)[k], surface)) return static_cast<int>(k);
  }
  for (std::size_t k = 0; k < known->size(); ++k) {
    const auto same = geometry::Coincide((*known)[k], surface, center, size);
    if (same == geometry::Coincidence::kNone) continue;
    if (same == geometry::Coincidence::kOpposite) *side = -*side;
    return static_cast<int>(k);
  }
  known->push_back(surface);
  return static_cast<int>(known->size()) - 1;
}

}  // namespace

SurfaceSet CollectSurfaces(std::span<const geometry::Cell> cells) {
  SurfaceSet set;
  const geometry::Aabb all = geometry::BoundsInPose(cells, Pose::Identity());
  set.size = Norm(all.upper - all.lower);
  Vec3 center = 0.5 * (all.lower + all.upper);
  if (Norm(center) > kFar * set.size) set.origin = std::exchange(center, {});
  const Pose X{Mat3::Identity(), -set.origin};
  for (const geometry::Cell& cell : cells) {
    std::vector<SurfaceSide> sides;
    for (Surface surface : cell.surfaces) {
      surface.o = surface.o - set.origin;
      int side = surface.side > 0 ? 1 : -1;
      surface.side = 1;
      const int k = Find(surface, center, set.size, &set.surfaces, &side);
      sides.push_back({k, side});
    }
    std::stable_partition(sides.begin(), sides.end(), [&](const SurfaceSide& s) {
      return set.surfaces[s.surface].kind == SurfaceKind::kPlane;
    });
    set.cells.push_back(std::move(sides));
    set.boxes.push_back(geometry::BoundsInPose(cell, X));
  }
  return set;
}

double DistanceTo(const Surface& surface, const Vec3& p) {
  const double slope = Norm(geometry::Gradient(surface, p));
  const double f = std::fabs(geometry::Value(surface, p));
  // At a cone's apex f is quadratic in the distance.
  return slope > 0 ? f / slope : std::sqrt(f);
}

bool MoveOnto(const SurfaceSet& set, std::span<const int> surfaces, Vec3* p) {
  Vec3 x = *p;
  Eigen::Matrix<double, Eigen::Dynamic, 3> G(static_cast<Eigen::Index>(surfaces.size()), 3);
  Eigen::VectorXd f(G.rows());
  for (int step = 0; step < kMaxSteps; ++step) {
    for (Eigen::Index k = 0; k < G.rows(); ++k) {
      const Surface& S = set.surfaces[surfaces[k]];
      const Vec3 g = geometry::Gradient(S, x);
      const double slope = Norm(g);
      if (!(slope > 1e-9)) return false;
      G.row(k) << g.x / slope, g.y / slope, g.z / slope;
      f[k] = geometry::Value(S, x) / slope;
    }
    Eigen::CompleteOrthogonalDecomposition<decltype(G)> solver;
    solver.setThreshold(kSameNormal);
    solver.compute(G);
    const Eigen::Vector3d move = solver.solve(f);
    x -= {move.x(), move.y(), move.z()};
    if (!std::isfinite(Dot(x, x))) return false;
    if (move.norm() < kConverged * set.size) {
      *p = x;
      return true;
    }
  }
  // Newton's method stalls at a few roundings where surfaces are near parallel.
  if (f.cwiseAbs().maxCoeff() > 1e-11 * set.size) return false;
  *p = x;
  return true;
}

}  // namespace intervox::host
