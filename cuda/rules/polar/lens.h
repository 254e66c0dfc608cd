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

/** Where an axis through p leaves a lens, as InverseExit has it. */
struct AxisExits {
  double top, bottom;  ///< of a along the axis, of b against it
  bool first;          ///< each leaves there before the other does
};

INTERVOX_HD inline AxisExits ExitsAlong(const QuadricForm& a, const QuadricForm& b, const Vec3& p,
                                        double value_a, double value_b, const Vec3& d) {
  const double top = InverseExit(a, p, value_a, d), bottom = InverseExit(b, p, value_b, -d);
  return {top, bottom,
          top > InverseExit(b, p, value_b, d) && bottom > InverseExit(a, p, value_a, -d)};
}

/** Sets the lens' origin and frame, of axes x, y and along d; false where a or b is not left. */
INTERVOX_HD inline bool SetFrame(const QuadricForm& a, const QuadricForm& b, const Vec3& p,
                                 double value_a, double value_b, const Vec3& x, const Vec3& y,
                                 const Vec3& d, const AxisExits& exits, MappedLens* lens) {
  if (!(exits.top > 0) || !(exits.bottom > 0)) return false;
  const double half = 0.5 * (1 / exits.top + 1 / exits.bottom);
  lens->p = p;
  lens->F = Mat3::FromColumns(x, y, half * d);
  lens->a = MapForm(a, p, value_a, lens->F);
  lens->b = MapForm(b, p, value_b, lens->F);
  lens->top = 1 / (half * exits.top);
  lens->bottom = -1 / (half * exits.bottom);
  return true;
}

/** Makes the lens of forms a and b at their deepest point. False when no axis through that point
 meets a first on one side and b first on the other. */
INTERVOX_HD inline bool MakeLens(const QuadricForm& a, const QuadricForm& b, bool b_is_plane,
                                 const DeepestPoint& deepest, MappedLens* lens) {
  const Vec3 p = deepest.p;
  Vec3 n = a.HalfGradient(p) - b.HalfGradient(p);
  Vec3 d;
  AxisExits exits;
  // Where b cuts a from aside, walk over the ellipsoid to where b is highest above it.
  for (int i = 0;; ++i) {
    if (!(SquaredNorm(n) > 0)) return false;
    d = deepest.H_inverse * n;
    exits = ExitsAlong(a, b, p, deepest.f_a, deepest.f_b, d);
    if (exits.first) break;
    if (i == 11) return false;
    const Vec3 x = p - std::sqrt(deepest.depth / Dot(d, deepest.H * d)) * d;
    n = deepest.lambda < 0.5 ? -b.HalfGradient(x) : a.HalfGradient(p + (p - x));
  }
  Vec3 c1, c2;
  CircleAxes(deepest, Normalized(n), &c1, &c2);
  lens->b_is_plane = b_is_plane;
  return SetFrame(a, b, p, deepest.f_a, deepest.f_b, c1, c2, d, exits, lens);
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
  const Mat3 F = lens->F * Mat3::FromColumns(x, Cross(z, x), z);
  const double value_a = a.Value(p), value_b = b.Value(p);
  if (!(value_a < 0) || !(value_b < 0)) return false;
  const AxisExits exits = ExitsAlong(a, b, p, value_a, value_b, F.Col(2));
  return exits.first &&
         SetFrame(a, b, p, value_a, value_b, F.Col(0), F.Col(1), F.Col(2), exits, lens);
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
