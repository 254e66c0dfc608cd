/** @file The lens of two convex surfaces in its mapped frame: made, and seen from elsewhere. */
#pragma once

#include "cuda/moments/moments.h"
#include "cuda/rules/polar/meridian.h"
#include "cuda/surface/contact_frame.h"

namespace intervox::cuda::internal::polar {

/** Two surfaces in the mapped frame y, x = p + F y: a is met first along +z, b along −z. */
struct MappedLens {
  MappedQuadric a, b;
  bool b_is_plane = false;
  double top = 0;     ///< z of a on the axis
  double bottom = 0;  ///< z of b on the axis, negative
  Vec3 p;             ///< [m]
  Mat3 F;             ///< [m]
};

/** A form about p in the frame F, scaled so that the surface is 2 b·y + yᵀEy = 1. */
INTERVOX_HD inline MappedQuadric MapForm(const QuadricForm& form, const Vec3& p, double value,
                                         const Mat3& F) {
  return Mapped(form, p, F, value, -1 / value);
}

/** (P2): 1/ρ along d from p of a form with value < 0 at p; ≤ 0 when the ray never leaves. */
INTERVOX_HD inline double InverseExit(const QuadricForm& form, const Vec3& p, double value,
                                      const Vec3& d) {
  return internal::InverseExit(-Dot(form.HalfGradient(p), d) / value, -Dot(d, form.E * d) / value);
}

/** Makes the lens of forms a and b at their deepest point. False when no axis through that point
 meets a first on one side and b first on the other. */
INTERVOX_HD inline bool MakeLens(const QuadricForm& a, const QuadricForm& b, bool b_is_plane,
                                 const DeepestPoint& deepest, MappedLens* lens) {
  const Vec3 p = deepest.p;
  Vec3 n = a.HalfGradient(p) - b.HalfGradient(p);
  Vec3 d;
  double top, bottom;
  // Where b cuts a from aside, walk over the ellipsoid to where b is highest above it.
  for (int i = 0;; ++i) {
    if (!(SquaredNorm(n) > 0)) return false;
    d = deepest.H_inverse * n;
    top = InverseExit(a, p, deepest.f_a, d);
    bottom = InverseExit(b, p, deepest.f_b, -d);
    const double wrong_top = InverseExit(b, p, deepest.f_b, d);
    const double wrong_bottom = InverseExit(a, p, deepest.f_a, -d);
    if (top > wrong_top && bottom > wrong_bottom) break;
    if (i == 11) return false;
    const Vec3 x = p - std::sqrt(deepest.depth / Dot(d, deepest.H * d)) * d;
    n = deepest.lambda < 0.5 ? -b.HalfGradient(x) : a.HalfGradient(p + (p - x));
  }
  if (!(top > 0) || !(bottom > 0)) return false;
  n = Normalized(n);
  // F maps the section of the enclosing ellipsoid across the axis to the unit circle.
  const Vec3 t1 = AnyOrthogonal(n);
  const Vec3 h1 = deepest.H * t1;
  const double t1h = Dot(t1, h1);
  Vec3 t2 = Cross(n, t1);
  t2 -= Dot(t2, h1) / t1h * t1;
  const Vec3 c1 = std::sqrt(deepest.depth / t1h) * t1;
  const Vec3 c2 = std::sqrt(deepest.depth / Dot(t2, deepest.H * t2)) * t2;
  const double half = 0.5 * (1 / top + 1 / bottom);
  lens->p = p;
  lens->F = Mat3::FromColumns(c1, c2, half * d);
  lens->a = MapForm(a, p, deepest.f_a, lens->F);
  lens->b = MapForm(b, p, deepest.f_b, lens->F);
  lens->b_is_plane = b_is_plane;
  lens->top = 1 / (half * top);
  lens->bottom = -1 / (half * bottom);
  return true;
}

/** Another view of the same lens: from about its centroid, along the difference of the mean
 directions of its two faces, both from some rays. False when the rays see one face only. */
INTERVOX_HD inline bool TurnLens(const QuadricForm& a, const QuadricForm& b, MappedLens* lens) {
  constexpr int kLevels = 6, kTurns = 12;
  const MappedQuadric faces[2] = {lens->a, lens->b};
  Vec3 mean[2];
  double volume = 0;
  Vec3 centroid;
  for (int i = 0; i < kLevels * kTurns; ++i) {
    const double z = (2.0 * (i / kTurns) + 1) / kLevels - 1;
    const double r = std::sqrt(1 - z * z);
    double cosine, sine;
    Azimuth(i % kTurns * (kMaxAzimuths / kTurns), &cosine, &sine);
    const Vec3 d{r * cosine, r * sine, z};
    double u[2];
    for (int k = 0; k < 2; ++k) {
      u[k] = internal::InverseExit(Dot(faces[k].b, d), Dot(d, faces[k].E * d));
    }
    const int face = u[0] > u[1] ? 0 : 1;
    if (!(u[face] > 0)) return false;
    mean[face] += d;
    const double rho = 1 / u[face], cube = rho * rho * rho;
    volume += cube;
    centroid += 0.75 * rho * cube * d;
  }
  const Vec3 axis = mean[0] - mean[1];
  if (!(SquaredNorm(mean[0]) > 0) || !(SquaredNorm(mean[1]) > 0) || !(SquaredNorm(axis) > 0)) {
    return false;
  }
  const Vec3 z = Normalized(axis), x = AnyOrthogonal(z);
  const Vec3 p = lens->p + lens->F * (centroid / volume);
  Mat3 F = lens->F * Mat3::FromColumns(x, Cross(z, x), z);
  const double value_a = a.Value(p), value_b = b.Value(p);
  if (!(value_a < 0) || !(value_b < 0)) return false;
  const double top = InverseExit(a, p, value_a, F.Col(2));
  const double bottom = InverseExit(b, p, value_b, -F.Col(2));
  if (!(top > 0) || !(bottom > 0) || !(top > InverseExit(b, p, value_b, F.Col(2))) ||
      !(bottom > InverseExit(a, p, value_a, -F.Col(2)))) {
    return false;
  }
  const double half = 0.5 * (1 / top + 1 / bottom);
  F = Mat3::FromColumns(F.Col(0), F.Col(1), half * F.Col(2));
  lens->p = p;
  lens->F = F;
  lens->a = MapForm(a, p, value_a, F);
  lens->b = MapForm(b, p, value_b, F);
  lens->top = 1 / (half * top);
  lens->bottom = -1 / (half * bottom);
  return true;
}

/** A whole ellipsoid {(x−p)ᵀH(x−p) ≤ depth}. */
INTERVOX_HD inline Moments WholeEllipsoid(const DeepestPoint& at) {
  const Mat3 shape = at.depth * at.H_inverse;
  Moments out;
  out.v = 4 * kPi / 3 * std::sqrt(Determinant(shape));
  out.m = out.v * at.p;
  out.second = Upper((0.2 * out.v) * shape) + out.v * Square(at.p);
  return out;
}

/** Proof that the ellipsoid f_A ≤ 0 about its centre lies inside f ≤ 0: a multiplier μ with f − μ
 f_A ≤ 0 everywhere (the S-lemma). */
INTERVOX_HD inline bool Contains(const QuadricForm& form, const DeepestPoint& at) {
  if (InsideEverywhere(at, form)) return true;
  const Vec3 g = form.HalfGradient(at.p);
  const double value = form.Value(at.p);
  if (value > 0) return false;
  // Plane: M = μH gives value + μ depth + g·H⁻¹g/μ, least at μ = √(g·H⁻¹g/depth).
  const Mat3 HE = at.H_inverse * form.E;
  const double trace = Trace(HE);
  const double gradient = std::sqrt(Dot(g, at.H_inverse * g) / at.depth);
  for (int i = 1; i <= 12; ++i) {
    const double mu = trace * i / 12 + gradient;
    const Mat3 M = mu * at.H - form.E;
    const double minor = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
    if (!(M(0, 0) > 0) || !(minor > 0) || !(Determinant(M) > 0)) continue;
    if (value + mu * at.depth + Dot(g, Inverse(M) * g) < 0) return true;
  }
  return false;
}

/** The plane that cuts deepest into the ellipsoid-like form a, or −1. */
INTERVOX_HD inline int DeepestPlane(const LocalPair& pair, const QuadricForm& a) {
  Mat3 inverse;
  if (!InvertPositive(a.E, &inverse)) return -1;
  const Vec3 centre = -(inverse * a.b);
  int best = -1;
  double largest = 0;
  for (int i = 0; i < pair.planes; ++i) {
    const QuadricForm plane = MakeForm(pair.surface[i].surface);
    const double reach = (pair.surface[i].surface.side < 0 ? -1 : 1) * plane.Value(centre) /
                         std::sqrt(Dot(plane.b, inverse * plane.b));
    if (best < 0 || reach > largest) {
      best = i;
      largest = reach;
    }
  }
  return best;
}

/** The form of a listed surface, turned so that the cell has f ≤ 0. */
INTERVOX_HD inline QuadricForm SideForm(const LocalSurface& surface) {
  QuadricForm form = MakeForm(surface.surface);
  if (surface.surface.side < 0) {
    form.E = -1.0 * form.E;
    form.b = -form.b;
    form.c = -form.c;
  }
  return form;
}

}  // namespace intervox::cuda::internal::polar
