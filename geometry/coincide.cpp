#include <cmath>

#include "geometry/interior.h"

namespace intervox::geometry {
namespace {

/** Coefficients that differ by less, at the size of the cell, are equal. */
constexpr double kEqual = 1e-10;

/** f(center + size u) as uᵀAu + 2 b·u + c. */
struct Form {
  Mat3 A = Mat3::Zero();
  Vec3 b;
  double c = 0;

  double Norm() const {
    double sum = 2 * SquaredNorm(b) + c * c;
    for (int i = 0; i < 3; ++i) sum += SquaredNorm(A.Row(i));
    return std::sqrt(sum);
  }
};

Form FormOf(const Surface& S, const Vec3& center, double size) {
  const Vec3 y0 = TransposeTimes(S.R, center - S.o);
  Form f;
  if (S.kind == SurfaceKind::kPlane) {
    f.b = (0.5 * S.side) * S.PlaneNormal();
    f.c = S.side * y0.z / size;
    return f;
  }
  f.A = (size * size) * (S.R * Mat3::Diagonal(S.e) * Transpose(S.R));
  f.b = size * (S.R * (Scaled(S.e, y0) + S.l));
  f.c = Dot(Scaled(S.e, y0), y0) + 2 * Dot(S.l, y0) + S.c;
  const double scale = S.side / f.Norm();
  return {scale * f.A, scale * f.b, scale * f.c};
}

double Difference(const Form& f, const Form& g, double sign) {
  Form d = f;
  d.A = d.A - sign * g.A;
  d.b -= sign * g.b;
  d.c -= sign * g.c;
  return d.Norm();
}

/** Whether the forms of two quadrics differ by more than counts as equal, whatever the sign: judged
 by b and c alone, for the norm of A is that of the curvatures. */
bool FarApart(const ComparedSurface& S, const ComparedSurface& T) {
  const auto far = [&](double sign) {
    return SquaredNorm(S.b - sign * T.b) > 4 * kEqual * kEqual ||
           std::abs(S.c - sign * T.c) > 2 * kEqual;
  };
  return far(1) && far(-1);
}

/** The form in the plane spanned by two columns of R: the part of u along the third is dropped. */
Form Restricted(Form f, const Mat3& R) {
  const Mat3 A = Transpose(R) * f.A * R;
  const Vec3 b = TransposeTimes(R, f.b);
  f.A = {{A(0, 0), A(0, 1), 0}, {A(1, 0), A(1, 1), 0}, {0, 0, 0}};
  f.b = {b.x, b.y, 0};
  const double scale = 1 / f.Norm();
  return {scale * f.A, scale * f.b, scale * f.c};
}

/** Whether S and T are planes that meet one of normal n in lines of clearly different directions.
 */
bool LinesDiffer(const Surface& S, const Surface& T, const Vec3& n) {
  if (S.kind != SurfaceKind::kPlane || T.kind != SurfaceKind::kPlane) return false;
  constexpr double kClearly = 0.01;
  const Vec3 s = Cross(n, S.PlaneNormal()), t = Cross(n, T.PlaneNormal());
  return std::abs(Dot(n, Cross(s, t))) > kClearly;
}

Coincidence Judge(bool same, bool opposite) {
  return same ? Coincidence::kSame : opposite ? Coincidence::kOpposite : Coincidence::kNone;
}

}  // namespace

ComparedSurface Compared(const Surface& S, const Vec3& center, double size) {
  ComparedSurface compared{&S, {}, 0.0};
  if (S.kind == SurfaceKind::kPlane) {
    compared.b = S.side * S.PlaneNormal();
    compared.c = Dot(compared.b, S.o - center);
  } else if (S.kind != SurfaceKind::kTorus) {
    const Vec3 y0 = TransposeTimes(S.R, center - S.o), curved = Scaled(S.e, y0);
    const Vec3 b = size * (S.R * (curved + S.l));
    const double c = Dot(curved, y0) + 2 * Dot(S.l, y0) + S.c;
    const double square = size * size * size * size * SquaredNorm(S.e);
    const double scale = S.side / std::sqrt(square + 2 * SquaredNorm(b) + c * c);
    compared.b = scale * b;
    compared.c = scale * c;
  }
  return compared;
}

Coincidence Coincide(const Surface& S, const Surface& T, const Vec3& center, double size) {
  if (ClearlyDiffer(S, T)) return Coincidence::kNone;
  return Coincide(Compared(S, center, size), Compared(T, center, size), center, size);
}

Coincidence Coincide(const ComparedSurface& compared_S, const ComparedSurface& compared_T,
                     const Vec3& center, double size) {
  const Surface &S = *compared_S.surface, &T = *compared_T.surface;
  const bool quadrics = S.kind != SurfaceKind::kPlane && S.kind != SurfaceKind::kTorus &&
                        T.kind != SurfaceKind::kPlane && T.kind != SurfaceKind::kTorus;
  if (quadrics) {
    if ((S.kind == SurfaceKind::kCone) != (T.kind == SurfaceKind::kCone)) return Coincidence::kNone;
    if (S.kind == SurfaceKind::kCone && Dot(S.R.Col(2), T.R.Col(2)) < 0) return Coincidence::kNone;
    if (FarApart(compared_S, compared_T)) return Coincidence::kNone;
    const Form f = FormOf(S, center, size), g = FormOf(T, center, size);
    return Judge(Difference(f, g, 1) <= kEqual, Difference(f, g, -1) <= kEqual);
  }
  if (S.kind != T.kind) return Coincidence::kNone;
  if (S.kind == SurfaceKind::kPlane) {
    const Vec3 &n = compared_S.b, &m = compared_T.b;
    const double along = Dot(n, m);
    if (std::abs(along) < 0.999) return Coincidence::kNone;
    if (std::abs(compared_S.c - (along < 0 ? -1 : 1) * compared_T.c) > kEqual * size) {
      return Coincidence::kNone;
    }
    return Judge(Norm(n - m) <= kEqual, Norm(n + m) <= kEqual);
  }
  const bool equal = Norm(S.o - T.o) <= kEqual * size && Norm(S.e - T.e) <= kEqual * size &&
                     Norm(Cross(S.R.Col(2), T.R.Col(2))) <= kEqual;
  return Judge(equal && S.side == T.side, equal && S.side != T.side);
}

bool SameOnPlane(const Surface& S, const Surface& T, const Surface& on, double size) {
  if (S.kind == SurfaceKind::kTorus || T.kind == SurfaceKind::kTorus) return false;
  const Vec3 n = on.PlaneNormal();
  if (LinesDiffer(S, T, n)) return false;
  for (const Surface* cone : {&S, &T}) {  // the plane must meet the nappe that counts
    if (cone->kind != SurfaceKind::kCone) continue;
    const Vec3 apex_to_plane = Dot(n, on.o - cone->o) * n;
    if (!(Dot(cone->R.Col(2), apex_to_plane) > 0)) return false;
  }
  const Vec3 center = S.o - Dot(n, S.o - on.o) * n;
  const Form f = Restricted(FormOf(S, center, size), on.R);
  const Form g = Restricted(FormOf(T, center, size), on.R);
  return Difference(f, g, 1) <= kEqual;
}

}  // namespace intervox::geometry
