/** @file Planes and quadrics as quadratic forms, in the pair's frame and in mapped ones. */
#pragma once

#include "cuda/numerics/sym3.h"
#include "cuda/numerics/tolerances.h"
#include "geometry/surface.h"

namespace intervox::cuda {

/** A plane or quadric in L as f(x) = xᵀEx + 2 b·x + c, in the surface's own scaling [m]. */
struct QuadricForm {
  Mat3 E = Mat3::Zero();  ///< [1/m]
  Vec3 b;                 ///< half gradient at the origin of L
  double c = 0.0;         ///< value at the origin of L [m]
  double size = 0.0;      ///< magnitude of the terms of c [m]: c is good to a few 1e-16 of it

  /** f(x) [m]. */
  INTERVOX_HD double Value(const Vec3& x) const { return Dot(x, E * x + 2.0 * b) + c; }
  /** What rounding makes of Value(x) at most, about [m]. */
  INTERVOX_HD double Rounding(const Vec3& x) const {
    return internal::kLevelRounding *
           (Dot(Abs(x), Vec3{Norm(E.row0), Norm(E.row1), Norm(E.row2)}) * Norm(x) +
            2 * Dot(Abs(x), Abs(b)) + size);
  }
  /** ½ ∇f(x). */
  INTERVOX_HD Vec3 HalfGradient(const Vec3& x) const { return E * x + b; }
};

/** The form of a plane or a quadric; a torus has none. */
INTERVOX_HD inline QuadricForm MakeForm(const geometry::Surface& surface) {
  QuadricForm form;
  if (surface.kind == geometry::SurfaceKind::kPlane) {
    const Vec3 n = surface.PlaneNormal();
    form.b = 0.5 * n;
    form.c = -Dot(n, surface.o);
    form.size =
        std::fabs(n.x * surface.o.x) + std::fabs(n.y * surface.o.y) + std::fabs(n.z * surface.o.z);
    return form;
  }
  const Vec3 y = -TransposeTimes(surface.R, surface.o);
  const Vec3 ey = Scaled(surface.e, y);
  form.E = surface.R * Mat3{surface.e.x * surface.R.Col(0), surface.e.y * surface.R.Col(1),
                            surface.e.z * surface.R.Col(2)};
  form.b = surface.R * (ey + surface.l);
  form.c = Dot(y, ey + 2.0 * surface.l) + surface.c;
  form.size = Dot(Abs(y), Abs(ey) + 2.0 * Abs(surface.l)) + std::fabs(surface.c);
  return form;
}

/** True when the side f ≤ 0 of the surface is a convex set that MakeForm represents with a positive
 semidefinite E. */
INTERVOX_HD inline bool HasConvexForm(const geometry::Surface& surface) {
  if (surface.side != 1 || surface.kind == geometry::SurfaceKind::kTorus) return false;
  return surface.kind == geometry::SurfaceKind::kPlane ||
         (surface.e.x >= 0 && surface.e.y >= 0 && surface.e.z >= 0);
}

/** A plane or quadric in a frame y, x = p + F y: c + 2 b·y + yᵀEy. */
struct MappedQuadric {
  Sym3 E;
  Vec3 b;
  double c = 0.0;
};

/** `scale` times the form in the frame y, x = p + F y; `value` is the form's at p. */
INTERVOX_HD inline MappedQuadric Mapped(const QuadricForm& form, const Vec3& p, const Mat3& F,
                                        double value, double scale) {
  const Mat3 EF = form.E * F;
  const Vec3 f0 = F.Col(0), f1 = F.Col(1), f2 = F.Col(2);
  const Vec3 e0 = EF.Col(0), e1 = EF.Col(1), e2 = EF.Col(2);
  return {scale * Sym3{{Dot(f0, e0), Dot(f1, e1), Dot(f2, e2)},
                       {Dot(f0, e1), Dot(f0, e2), Dot(f1, e2)}},
          scale * TransposeTimes(F, form.HalfGradient(p)), scale * value};
}

}  // namespace intervox::cuda
