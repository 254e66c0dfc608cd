#include "cuda/wall/wall_normal.h"

#include <algorithm>
#include <cmath>

#include "cuda/surface/surface_bound.h"

namespace intervox {
namespace {

/** An overlap lies on a wall when its mean radius is the wall's within the first of these shares,
 and its area vector has the wall's slope within the first of these angles' tangents; it does not
 beyond the second. */
constexpr double kNearRadius = 0.05, kFarRadius = 0.1;
constexpr double kNearSlope = 0.09, kFarSlope = 0.18;

double Fade(double x, double near, double far) {
  return std::clamp((far - x) / (far - near), 0.0, 1.0);
}

/** What the overlap has to do with one surface: its means there and the share that holds. */
struct OnWall {
  WallMean mean;
  double share = 0.0;
};

/** @param out  +1 where the surface bounds a cell of body i, −1 for body j */
OnWall Judge(const geometry::Surface& wall, const Pose& X, const InterferenceMetrics& m,
             double out) {
  const bool cone = wall.kind == geometry::SurfaceKind::kCone;
  const Vec3 axis = X.R * wall.R.Col(2);
  const Vec3 r = m.p_WC - X * wall.o;
  const double z = Dot(axis, r);
  const double slope = cone ? std::sqrt(-wall.e.z / wall.e.x) : 0.0;  // tan β
  const double radius = cone ? slope * z : std::sqrt(-wall.c / wall.e.x);
  if (!(radius > 0)) return {};
  const Vec3 across = r - z * axis;
  const double distance = Norm(across);
  const double around = Dot(axis, m.J_W * axis) / m.volume;  // mean square of what is across
  const double along = 0.5 * Trace(m.J_W) / m.volume - around;
  const double square = distance * distance + around - slope * slope * along;
  if (!(distance > 0) || !(square >= distance * distance)) return {};
  const double mean_radius = std::sqrt(square), turn = distance / mean_radius;
  const Vec3 outward = (1.0 / distance) * across;

  const double rise = -out * Dot(axis, m.area_vector), run = out * Dot(outward, m.area_vector);
  if (!(run > 0)) return {};  // it pushes the other way
  const double steep = std::sqrt(1.0 + slope * slope);
  const double off =  // tangent of the angle between the two
      std::fabs(turn * rise - slope * run) / std::fmax(run + slope * turn * rise, 1e-300);
  OnWall on;
  on.mean.normal = (out / steep) * (turn * outward - slope * axis);
  // ∫ρ × n, to the first order of a cone's 1/R(z) about the centroid; e = ∫ρρᵀ a.
  const Vec3 e = 0.5 * Trace(m.J_W) * axis - m.J_W * axis;
  on.mean.moment = (out / (steep * mean_radius * m.volume)) *
                   (Cross(axis, e) - (slope / mean_radius) * Cross(e, across));
  on.share = Fade(std::fabs(mean_radius / radius - 1.0), kNearRadius, kFarRadius) *
             Fade(off, kNearSlope, kFarSlope);
  return on;
}

}  // namespace

WallMean MeanOnWall(const PairQuery& query, const InterferenceMetrics& metrics) {
  const double size = Norm(metrics.area_vector);
  OnWall best;
  const auto look = [&](const geometry::Cell& cell, const Pose& X, double out) {
    if (cell.polytope) return;
    for (const geometry::Surface& S : cell.surfaces) {
      if (S.side > 0 || !cuda::internal::IsRuled(S)) continue;
      const OnWall on = Judge(S, X, metrics, out);
      if (on.share > best.share) best = on;
    }
  };
  look(*query.a, query.X_WA, 1.0);
  look(*query.b, query.X_WB, -1.0);
  if (!(best.share > 0) || !(size > 0)) return {};
  return {best.share * best.mean.normal + ((1.0 - best.share) / size) * metrics.area_vector,
          best.share * best.mean.moment};
}

}  // namespace intervox
