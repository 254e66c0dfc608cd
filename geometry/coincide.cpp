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

Coincidence Judge(bool same, bool opposite) {
  return same ? Coincidence::kSame : opposite ? Coincidence::kOpposite : Coincidence::kNone;
}

}  // namespace

Coincidence Coincide(const Surface& S, const Surface& T, const Vec3& center, double size) {
  const bool quadrics = S.kind != SurfaceKind::kPlane && S.kind != SurfaceKind::kTorus &&
                        T.kind != SurfaceKind::kPlane && T.kind != SurfaceKind::kTorus;
  if (quadrics) {
    if ((S.kind == SurfaceKind::kCone) != (T.kind == SurfaceKind::kCone)) return Coincidence::kNone;
    if (S.kind == SurfaceKind::kCone && Dot(S.R.Col(2), T.R.Col(2)) < 0) return Coincidence::kNone;
    const Form f = FormOf(S, center, size), g = FormOf(T, center, size);
    return Judge(Difference(f, g, 1) <= kEqual, Difference(f, g, -1) <= kEqual);
  }
  if (S.kind != T.kind) return Coincidence::kNone;
  if (S.kind == SurfaceKind::kPlane) {
    const Vec3 n = S.side * S.PlaneNormal(), m = T.side * T.PlaneNormal();
    if (std::abs(Dot(n, S.o - center) - (Dot(n, m) < 0 ? -1 : 1) * Dot(m, T.o - center)) >
        kEqual * size) {
      return Coincidence::kNone;
    }
    return Judge(Norm(n - m) <= kEqual, Norm(n + m) <= kEqual);
  }
  const bool equal = Norm(S.o - T.o) <= kEqual * size && Norm(S.e - T.e) <= kEqual * size &&
                     Norm(Cross(S.R.Col(2), T.R.Col(2))) <= kEqual;
  return Judge(equal && S.side == T.side, equal && S.side != T.side);
}

}  // namespace intervox::geometry
