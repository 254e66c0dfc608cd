/** @file The face of an ellipsoid, reduced to line integrals along its boundary.

 In the affine frame where the ellipsoid is the unit sphere, second-degree moments of a patch follow
 from the eigenfunctions of the Laplace–Beltrami operator: ∫Y dS = −∮∂_ν Y ds/(l(l+1)). */
#pragma once

#include "cuda/flux_panel.h"

namespace intervox::cuda::internal {

/** ∫1, ∫y and ∫(yyᵀ − I/3) over a patch of the unit sphere, normal outward. */
struct PatchSums {
  double a = 0.0;
  Vec3 y, q, d;

  /** Adds the boundary element dy at y, the patch to its left seen from outside; −pole must not lie
   on the boundary. */
  INTERVOX_HD void Add(const Vec3& pole, const Vec3& p, const Vec3& dp) {
    const Vec3 nu = Cross(dp, p);
    const Vec3 apart = p + pole;
    // 1 + y·e = |y + e|²/2 keeps its digits near −e.
    a += 2.0 * Dot(Cross(pole, p), dp) / Dot(apart, apart);
    y += -0.5 * nu;
    q += (-1.0 / 3.0) * Scaled(nu, p);
    d += (-1.0 / 6.0) *
         Vec3{nu.x * p.y + nu.y * p.x, nu.x * p.z + nu.z * p.x, nu.y * p.z + nu.z * p.y};
  }
};

/** A point in the frame of the unit sphere. */
INTERVOX_HD inline Vec3 ToSphere(const FluxCurve& s, const Vec3& r) {
  const Vec3 y = TransposeTimes(s.frame, r);
  return {y.x / s.radii.x, y.y / s.radii.y, y.z / s.radii.z};
}

/** Adds the cone from the centre, where a lies, over the patch, and the patch's area vector. */
INTERVOX_HD inline void AddPatch(const FluxCurve& s, const PatchSums& p, FluxSums* sums) {
  const double det = s.side * s.radii.x * s.radii.y * s.radii.z;
  const Mat3& R = s.frame;
  sums->x.v += det / 3.0 * p.a;
  sums->x.m += (0.25 * det) * (R * Scaled(s.radii, p.y));
  const double third = p.a / 3.0;
  const Vec3 r = s.radii;
  const Mat3 local{{r.x * r.x * (p.q.x + third), r.x * r.y * p.d.x, r.x * r.z * p.d.y},
                   {r.x * r.y * p.d.x, r.y * r.y * (p.q.y + third), r.y * r.z * p.d.z},
                   {r.x * r.z * p.d.y, r.y * r.z * p.d.z, r.z * r.z * (p.q.z + third)}};
  const Mat3 world = (0.2 * det) * (R * local * Transpose(R));
  sums->x.q += Vec3{world(0, 0), world(1, 1), world(2, 2)};
  sums->x.d += Vec3{world(0, 1), world(0, 2), world(1, 2)};
  const Vec3 area = det * (R * Vec3{p.y.x / r.x, p.y.y / r.y, p.y.z / r.z});
  sums->x.s += s.weight * area;
  sums->x.g +=
      (s.weight * det) * (R * Vec3{p.d.z * (r.y / r.z - r.z / r.y), p.d.y * (r.z / r.x - r.x / r.z),
                                   p.d.x * (r.x / r.y - r.y / r.x)});
  sums->closure += area;
  sums->area += Norm(area);
}

/** The direction whose opposite violates Ω's other bounds most: the pole of PatchSums. */
INTERVOX_HD inline Vec3 PoleOf(const FluxModel& model, int q, bool* whole) {
  const FluxCurve& s = model.curve[q];
  Vec3 best{1, 0, 0};
  double worst = -kFar;
  for (int i = 0; i < model.planes + 6 * (model.curves - 1); ++i) {
    Vec3 y;
    if (i < model.planes) {
      y = Scaled(s.radii, TransposeTimes(s.frame, model.plane[i].n));
    } else {
      const FluxCurve& other = model.curve[1 - q];
      const int m = i - model.planes;
      y = (m % 2 == 0 ? 1.0 : -1.0) * TransposeTimes(s.frame, other.frame.Col(m / 2));
    }
    y = Normalized(y);
    const Vec3 x = s.o + s.frame * Scaled(s.radii, y);
    double f = -kFar;
    for (int k = 0; k < model.planes; ++k) {
      const double g = Dot(model.plane[k].n, x) - model.plane[k].h;
      f = g > f ? g : f;
    }
    for (int k = 0; k < model.curves; ++k) {
      if (k == q) continue;
      const double g = Level(model.curve[k], x);
      f = g > f ? g : f;
    }
    if (f > worst) {
      worst = f;
      best = y;
    }
  }
  *whole = worst <= 0;
  return -best;
}

}  // namespace intervox::cuda::internal
