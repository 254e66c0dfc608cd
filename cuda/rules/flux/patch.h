/** @file The face of an ellipsoid, reduced to line integrals along its boundary.

 In the affine frame where the ellipsoid is the unit sphere, a small patch is a sum of sectors
 between a pole e in its middle and its boundary, integrated radially in closed form; with the
 pole's point as the origin of the flux, thin overlaps keep their digits. Second-degree moments of a
 large patch follow from the eigenfunctions of the Laplace–Beltrami operator, ∫Y dS = −∮∂_ν Y
 ds/(l(l+1)), about the ellipsoid's centre. */
#pragma once

#include "cuda/numerics/roots.h"
#include "cuda/rules/flux/panel.h"

namespace intervox::cuda::internal::flux {

/** Where the sums of an ellipsoid's face start. */
struct PatchPole {
  Vec3 e{1, 0, 0};     ///< unit vector in the frame of the unit sphere
  bool small = false;  ///< sectors from e; else line integrals, −e off the patch
};

/** ∫₀¹ τ⁶ √(1 − zτ²) dτ for 0 ≤ z ≤ 0.15, by its power series, to 1e-15. */
INTERVOX_HD inline double SectorIntegral(double z) {
  constexpr double kTerms[14] = {
      0.14285714285714285,     -0.055555555555555552,   -0.011363636363636364,
      -0.004807692307692308,   -0.0026041666666666665,  -0.0016084558823529411,
      -0.0010793585526315791,  -0.00076729910714285713, -0.00056921917459239126,
      -0.00043640136718750002, -0.00034346403899016204, -0.00027617092790274786,
      -0.00022605926759781375, -0.00018785577831846294};
  return Horner(kTerms, 13, z);
}

/** Integrals over a patch of the unit sphere, normal y outward. Large: a = ∫1, h = ∫y, q =
 ∫(yyᵀ − I/3). Small, with η = y − e and x = 1 − y·e: a = ∫1, h = ∫η, q = ∫ηηᵀ, and the same times
 x in xa, xh, xq. */
struct PatchSums {
  double a = 0.0, xa = 0.0;
  Vec3 h, xh;
  Sym3 q, xq;

  /** Three times the volume of the cone over the patch, in the sphere's frame. */
  INTERVOX_HD double Size(const PatchPole& pole) const { return pole.small ? xa : a; }

  /** Adds the boundary element dp at p, the patch to its left seen from outside. */
  INTERVOX_HD void Add(const PatchPole& pole, const Vec3& p, const Vec3& dp) {
    if (pole.small) {
      AddSector(pole.e, p, dp);
      return;
    }
    const Vec3 nu = Cross(dp, p);
    const Vec3 apart = p + pole.e;
    // 1 + y·e = |y + e|²/2 keeps its digits near −e.
    a += 2.0 * Dot(Cross(pole.e, p), dp) / Dot(apart, apart);
    h += -0.5 * nu;
    q += (-1.0 / 6.0) * Mixed(nu, p);
  }

 private:
  // With x = x₁τ² from e to p: η = −x e + (s/s₁) P, s = √(x(2−x)), dS = dx dφ.
  INTERVOX_HD void AddSector(const Vec3& e, const Vec3& p, const Vec3& dp) {
    const Vec3 eta = p - e;
    const double x1 = 0.5 * Dot(eta, eta), x2 = x1 * x1, x3 = x2 * x1;
    const double over = 2.0 - x1;
    if (!(x1 > 0)) return;
    const double dphi = Dot(Cross(e, eta), dp) / (x1 * over);
    const Vec3 across = eta + x1 * e;
    const double z = 0.5 * x1, rest = 1.0 - z, root = std::sqrt(rest);
    const double j2 = SectorIntegral(z);
    const double j1 = (8.0 * z * j2 + rest * root) / 5.0;
    const double j0 = (6.0 * z * j1 + rest * root) / 3.0;
    const double scale = 2.0 * x1 * dphi / root;
    const double r0 = scale * j0, r1 = scale * x1 * j1, r2 = scale * x2 * j2;
    a += dphi * x1;
    xa += 0.5 * dphi * x2;
    h += r0 * across - (0.5 * dphi * x2) * e;
    xh += r1 * across - (dphi * x3 / 3.0) * e;
    const double ee = dphi * x3 / 3.0, xee = 0.25 * dphi * x2 * x2;
    const double pp = dphi * (x1 - x2 / 3.0) / over,
                 xpp = dphi * (2.0 * x2 / 3.0 - 0.25 * x3) / over;
    const Sym3 of_e = Square(e), of_both = Mixed(e, across), of_p = Square(across);
    q += ee * of_e - r1 * of_both + pp * of_p;
    xq += xee * of_e - r2 * of_both + xpp * of_p;
  }
};

/** (F3): adds the cone from a over the patch, and the patch's area vector. a is the pole's point of
 a small patch, else the ellipsoid's centre. */
INTERVOX_HD inline void AddPatch(const FluxCurve& s, const PatchPole& pole, const PatchSums& p,
                                 FluxSums* sums) {
  const Vec3 r = s.radii;
  const double det = s.side * r.x * r.y * r.z;
  const Mat3& R = s.frame;
  const double third = p.a / 3.0;
  const Sym3 q = pole.small ? p.xq : p.q + Sym3{{third, third, third}, {}};
  sums->x.v += det / 3.0 * (pole.small ? p.xa : p.a);
  sums->x.m += (0.25 * det) * (R * Scaled(r, pole.small ? p.xh : p.h));
  sums->x.second += (0.2 * det) * Congruent(R, Scaled(Square(r), q));
  const Vec3 y = pole.small ? p.h + p.a * pole.e : p.h;
  const Vec3 area = det * (R * Vec3{y.x / r.x, y.y / r.y, y.z / r.z});
  // r nᵀ dS: r_j η_j y_k/r_k with y = e + η or, about the centre, η = y.
  const Vec3 e = pole.small ? pole.e : Vec3{};
  const Mat3 eta_y = (pole.small ? p.q : q).Full() + Outer(p.h, e);
  const Mat3 scaled = Mat3::Diagonal(r) * eta_y * Mat3::Diagonal({1.0 / r.x, 1.0 / r.y, 1.0 / r.z});
  AddArea(s.weight, area, det * (R * scaled * Transpose(R)), sums);
}

/** How near −e a piece of a large patch's boundary comes, by its length. The integrand of
 PatchSums' size has its poles there: a rule of degree d errs by about 4π ρ⁻ᵈ⁻¹, ρ the sum of the
 half axes of the ellipse about the piece that ends at the pole. Neither the nested rule nor
 ∮ r nᵀ dS = V I shows that reliably. */
struct PoleDistance {
  double nearest = kFar;  ///< (distance/length)²

  /** Notes the point p, dp its derivative along the piece. */
  INTERVOX_HD void Note(const PatchPole& pole, const Vec3& p, const Vec3& dp) {
    const double length = SquaredNorm(dp);
    const double apart = SquaredNorm(p + pole.e);
    if (apart < nearest * length) nearest = apart / length;
  }
  /** The error of PatchSums' size by a rule of degree 11 or 23; three times the formula, for poles
   off the piece's middle. */
  INTERVOX_HD double ErrorOfSize(const PatchPole& pole, bool fine) const {
    if (pole.small || nearest > 1e6) return 0.0;
    const double b = 2.0 * std::sqrt(nearest);
    const double r = 1.0 / (b + std::sqrt(1.0 + b * b)), r2 = r * r, r4 = r2 * r2;
    const double r12 = r4 * r4 * r4;
    return 12.0 * kPi * (fine ? r12 * r12 : r12);
  }
};

}  // namespace intervox::cuda::internal::flux
