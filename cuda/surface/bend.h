/** @file How surfaces bend over a ball. */
#pragma once

#include "cuda/numerics/scalar.h"
#include "cuda/surface/mapped_surface.h"

namespace intervox::cuda::internal {

/** The distance d − r from a torus' surface and its derivatives at a point, d the distance from the
 centre circle and ρ that from the axis, in principal coordinates. Its Hessian is
 m mᵀ/d + k a aᵀ with k = (1 − R/ρ)/d, m along the meridian and a around the axis. */
struct TorusBend {
  double level = 0;
  double rho = 0, d = 0;
  double hollow = 0;  ///< k d
  Vec3 n, along, across;
  double third = 0;  ///< bounds the third derivative over the ball; 0: it has none there [1/m²]
};

/** The bend of a torus about the point c of the mapped frame, over a ball of radius r [m].

 Along a unit vector of components n, m and a the third derivative is
 −3 n m²/d² + 3 m m_ρ a²/(dρ) − 3 n_ρ u_ρ a²/ρ², and x y² is at most 2/(3√3) on the sphere. What
 bounds it bounds what the Hessian changes by over a unit of length, too. */
INTERVOX_HD inline TorusBend BendOver(const MappedSurface& s, const Vec3& c, double r) {
  TorusBend out;
  const Vec3 x = s.origin + s.M * c;
  const double R = s.e.x;
  out.rho = std::sqrt(x.x * x.x + x.y * x.y);
  out.d = std::sqrt((out.rho - R) * (out.rho - R) + x.z * x.z);
  out.level = out.d - s.e.y;
  if (!(out.rho > 0 && out.d > 0)) return out;
  out.n = {(out.rho - R) / out.d * x.x / out.rho, (out.rho - R) / out.d * x.y / out.rho,
           x.z / out.d};
  out.across = {-x.y / out.rho, x.x / out.rho, 0};
  out.along = Cross(out.n, out.across);
  out.hollow = 1 - R / out.rho;
  const double least_d = out.d - r, least_rho = out.rho - r;
  if (!(least_d > 0 && least_rho > 0)) return out;
  constexpr double kMost = 1.1547005383792517;  // 3 · 2/(3√3)
  out.third =
      kMost * (1 / (least_d * least_d) + 1 / (least_d * least_rho) + 1 / (least_rho * least_rho));
  return out;
}

/** What a torus' Hessian changes by at most [1/m] from the frame's origin to any point within
 `along` of it around the axis and within `across` across that. Around the axis the form of the
 third derivative has a² alone, with (m m_ρ/d − u_ρ n_ρ/ρ)/ρ: less by d/ρ than what bounds it in
 any direction. */
INTERVOX_HD inline double ChangeOver(const MappedSurface& s, double along, double across) {
  const double r = along + across;
  const TorusBend bend = BendOver(s, {}, r);
  if (!(bend.third > 0)) return kFar;
  const double least_d = bend.d - r, least_rho = bend.rho - r;
  const double around = 1 / (least_d * least_rho) + 1 / (least_rho * least_rho);
  // The direction around the axis turns by r/ρ at most.
  return along * (around + r / least_rho * bend.third) + across * bend.third;
}

/** The Hessian of a surface's level at the frame's origin.
 @param size    a bound of its norm over the ball of radius r [1/m]
 @param change  what it changes by over that ball at most [1/m]
 @return false where it is not known all over the ball */
INTERVOX_HD inline bool HessianOver(const MappedSurface& s, double r, Sym3* hessian, double* size,
                                    double* change) {
  if (s.kind == geometry::SurfaceKind::kTorus) {
    const TorusBend bend = BendOver(s, {}, r);
    if (!(bend.third > 0)) return false;
    const Vec3 along = TransposeTimes(s.M, bend.along), across = TransposeTimes(s.M, bend.across);
    *hessian = s.sign / bend.d * (Square(along) + bend.hollow * Square(across));
    *change = bend.third * r;
    const double flat = std::fabs(bend.hollow);
    *size = (flat > 1 ? flat : 1.0) / bend.d + *change;
    return true;
  }
  // Below its apex a cone's level is not the quadric's.
  if (s.kind == geometry::SurfaceKind::kCone && !(s.origin.z > r)) return false;
  *hessian = 2.0 * s.E;
  *change = 0;
  *size = std::sqrt(SquaredNorm(hessian->diag) + 2 * SquaredNorm(hessian->off));
  return true;
}

}  // namespace intervox::cuda::internal
