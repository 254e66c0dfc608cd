#include "cuda/certify/level.h"

#include <cmath>

namespace intervox::cuda::internal::certify {
namespace {

using geometry::Bounds;
using geometry::SurfaceKind;
using geometry::internal::AbsOf;
using geometry::internal::MaxOf;
using geometry::internal::MinOf;

/** Unit roundoff. */
constexpr double kU = 1.2e-16;
/** y = Rᵀ(X⁻¹x − o) takes 16 roundings of its terms; a rotation is one to 4u an entry, and may be
 read as its own inverse' transpose: twice in each of two matrices. */
constexpr double kPrincipal = (16 + 16) * kU;
/** Rounding of coefficients and of a value: 20 of the terms each. */
constexpr double kValue = 40 * kU;

double Sum(const Vec3& v) { return v.x + v.y + v.z; }

void MapQuadric(const geometry::Surface& s, FrameLevel* out) {
  const Vec3 row[3] = {out->M.row0, out->M.row1, out->M.row2};
  out->k = s.c;
  out->q = out->diagonal = out->off = Vec3{};
  double magnitude = AbsOf(s.c), moved = 0;
  for (int i = 0; i < 3; ++i) {
    const double e = s.e[i], l = s.l[i], m = out->m[i];
    out->k += m * (e * m + 2 * l);
    out->q += (e * m + l) * row[i];
    out->diagonal += e * Scaled(row[i], row[i]);
    out->off += e * Vec3{row[i].y * row[i].z, row[i].x * row[i].z, row[i].x * row[i].y};
    const double reach = AbsOf(m) + Sum(Abs(row[i]));
    magnitude += reach * (AbsOf(e) * reach + 2 * AbsOf(l));
    // |∂f/∂y| times what y is off by, which `slack` holds so far.
    moved += 2 * (AbsOf(e) * reach + AbsOf(l)) * out->slack;
  }
  out->slack = moved + kValue * magnitude;
  out->k *= out->sign;
  out->q *= out->sign;
  out->diagonal *= out->sign;
  out->off *= out->sign;
}

/** (L3): with y = y₀ + w and σ = |y|² − |y₀|² the quartic (|y|² + K)² − 4R²(|y|² − y_z²) is
 f₀ + 2P σ + σ² − 4R²σ + 4R²(2 y_z w_z + w_z²), P = |y₀|² + K. */
BoxLevel TorusOver(const FrameLevel& s, const Vec3& c, const Vec3& h) {
  const Vec3 y = s.m + s.M * c;
  const Vec3 w[3] = {h.x * s.M.Col(0), h.y * s.M.Col(1), h.z * s.M.Col(2)};
  const double RR = 4 * s.e.x * s.e.x, K = s.e.x * s.e.x - s.e.y * s.e.y;
  const double yy = SquaredNorm(y), P = yy + K, slope = 2 * P - RR;
  const double t = s.sign * s.scale, size = s.scale;
  BoxLevel out;
  out.f = t * (P * P - RR * (y.x * y.x + y.y * y.y));
  double yw[3], reach[3];
  double Y = 0;
  for (int i = 0; i < 3; ++i) {
    yw[i] = Dot(y, w[i]);
    Y += AbsOf(yw[i]);
    reach[i] = AbsOf(Dot(w[i], w[0])) + AbsOf(Dot(w[i], w[1])) + AbsOf(Dot(w[i], w[2]));
  }
  const double W = reach[0] + reach[1] + reach[2];  // |w|² at most
  const auto second = [&](int i, int j) {
    return t * (slope * Dot(w[i], w[j]) + RR * w[i].z * w[j].z + 4 * yw[i] * yw[j]);
  };
  for (int i = 0; i < 3; ++i) {
    out.g[i] = t * (2 * slope * yw[i] + 2 * RR * y.z * w[i].z);
    out.a[i] = second(i, i);
    out.slope[i] = size * (4 * (AbsOf(yw[i]) * W + 2 * Y * reach[i]) + 4 * W * reach[i]);
    for (int j = 0; j <= i; ++j) {
      const double ij = AbsOf(Dot(w[i], w[j]));
      const double bend =
          4 * (2 * (AbsOf(yw[i]) * reach[j] + AbsOf(yw[j]) * reach[i]) + 2 * Y * ij) +
          4 * (2 * reach[i] * reach[j] + W * ij);
      out.bend = MaxOf(out.bend, size * bend);
    }
  }
  out.b = {second(1, 2), second(0, 2), second(0, 1)};
  const double cubic = size * 4 * Y * W, quartic = size * W * W;
  out.slack = s.slack;
  out.torus = &s;
  out.centre = c;
  out.half = h;
  out.low = -cubic - (s.sign < 0 ? quartic : 0) - s.slack;
  out.high = cubic + (s.sign > 0 ? quartic : 0) + s.slack;
  return out;
}

/** Only the nappe y_z ≥ 0 bounds the cell: on the other side −2 e_z y_z² > 0 comes to the form. */
void AddNappe(const FrameLevel& s, const Vec3& c, const Vec3& h, BoxLevel* out) {
  const double z = s.m.z + Dot(s.M.row2, c);
  const Vec3 w = Scaled(s.M.row2, h);
  const double room = Sum(Abs(w)) + 1e-14 * (AbsOf(s.m.z) + Sum(Abs(s.M.row2)));
  if (z - room >= 0) return;
  const double turn = 2 * s.sign * AbsOf(s.e.z);
  if (z + room <= 0) {
    out->f += turn * z * z;
    out->g += 2 * turn * z * w;
    out->a += turn * Scaled(w, w);
    out->b += turn * Vec3{w.y * w.z, w.x * w.z, w.x * w.y};
    return;
  }
  out->smooth = false;
  (s.sign > 0 ? out->high : out->low) += turn * (z - room) * (z - room);
}

/** The range of a v² + g v over |v| ≤ 1. */
Bounds AxisRange(double a, double g) {
  Bounds r{a - AbsOf(g), a + AbsOf(g)};
  if (AbsOf(g) < 2 * AbsOf(a)) {
    const double vertex = -g * g / (4 * a);
    r.lo = MinOf(r.lo, vertex);
    r.hi = MaxOf(r.hi, vertex);
  }
  return r;
}

double Magnitude(const BoxLevel& s) {
  return AbsOf(s.f) + Sum(Abs(s.g)) + Sum(Abs(s.a)) + 2 * Sum(Abs(s.b)) + s.high - s.low;
}

}  // namespace

FrameLevel MapLevel(const geometry::Surface& surface, const Pose& X_LC, const Vec3& p,
                    const Mat3& F) {
  FrameLevel out;
  out.kind = surface.kind;
  out.sign = surface.side;
  out.e = surface.e;
  const Vec3 d = p - X_LC.p;
  out.m = TransposeTimes(surface.R, TransposeTimes(X_LC.R, d) - surface.o);
  out.M = Transpose(surface.R) * (Transpose(X_LC.R) * F);
  const Vec3 columns = Abs(F.row0) + Abs(F.row1) + Abs(F.row2);
  const Vec3 positions = Abs(p) + Abs(X_LC.p) + Abs(surface.o);
  out.slack = kPrincipal * (Sum(positions) + Sum(columns));
  if (surface.kind == SurfaceKind::kPlane) {
    out.k = out.sign * out.m.z;
    out.q = 0.5 * out.sign * out.M.row2;
    out.slack += kValue * (AbsOf(out.m.z) + Sum(Abs(out.M.row2)));
  } else if (surface.kind == SurfaceKind::kTorus) {
    const double R = surface.e.x, r = surface.e.y;
    out.scale = 1 / (8 * R * R * r);
    Vec3 reach = Abs(out.m);
    for (int i = 0; i < 3; ++i) reach[i] += Sum(Abs(out.M.Row(i)));
    const double S = SquaredNorm(reach), K = AbsOf(R * R - r * r);
    const double gradient = out.scale * (4 * (S + K) + 8 * R * R) * Sum(reach);
    out.slack = gradient * out.slack + kValue * out.scale * ((S + K) * (S + K) + 4 * R * R * S);
  } else {
    MapQuadric(surface, &out);
    // What AddNappe brings is twice the form's own, and errs by as much.
    if (surface.kind == SurfaceKind::kCone) out.slack *= 3;
  }
  return out;
}

BoxLevel LevelOver(const FrameLevel& s, const Vec3& c, const Vec3& h) {
  if (s.kind == SurfaceKind::kTorus) return TorusOver(s, c, h);
  BoxLevel out;
  const Vec3 Ac{s.diagonal.x * c.x + s.off.z * c.y + s.off.y * c.z,
                s.off.z * c.x + s.diagonal.y * c.y + s.off.x * c.z,
                s.off.y * c.x + s.off.x * c.y + s.diagonal.z * c.z};
  out.f = s.k + Dot(c, 2.0 * s.q + Ac);
  out.g = 2.0 * Scaled(s.q + Ac, h);
  out.a = Scaled(s.diagonal, Scaled(h, h));
  out.b = {s.off.x * h.y * h.z, s.off.y * h.x * h.z, s.off.z * h.x * h.y};
  out.plane = s.kind == SurfaceKind::kPlane;
  out.high = out.slack = s.slack;
  out.low = -s.slack;
  if (s.kind == SurfaceKind::kCone) AddNappe(s, c, h, &out);
  return out;
}

TorusDerivatives HigherDerivatives(const FrameLevel& s, const Vec3& c, const Vec3& h, int k) {
  const Vec3 y = s.m + s.M * c;
  const Vec3 w[3] = {h.x * s.M.Col(0), h.y * s.M.Col(1), h.z * s.M.Col(2)};
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  // |y|, |w_t|, |w_z| and their products: D³f = 8 Σ (y·p)(q·r), D⁴f = 8 Σ (p·q)(r·s).
  double reach[3];
  for (int n = 0; n < 3; ++n) {
    reach[n] = AbsOf(Dot(y, w[n])) + AbsOf(Dot(w[n], w[0])) + AbsOf(Dot(w[n], w[1])) +
               AbsOf(Dot(w[n], w[2]));
  }
  const double yt = reach[i] + reach[j], yz = reach[k];
  const double tt = SquaredNorm(w[i]) + SquaredNorm(w[j]) + 2 * AbsOf(Dot(w[i], w[j]));
  const double zz = SquaredNorm(w[k]);
  const double tz = AbsOf(Dot(w[i], w[k])) + AbsOf(Dot(w[j], w[k]));
  const double size = 8 * s.scale * (1 + 1e-13);
  return {size * 3 * yt * tt,
          size * (2 * yt * tz + yz * tt),
          size * (2 * yz * tz + yt * zz),
          size * 3 * yz * zz,
          size * 3 * tt * tt,
          size * 3 * tt * tz,
          size * (tt * zz + 2 * tz * tz),
          size * 3 * zz * tz,
          size * 3 * zz * zz};
}

BoxLevel Combined(double s, const BoxLevel& one, double t, const BoxLevel& other) {
  BoxLevel out;
  out.f = s * one.f + t * other.f;
  out.g = s * one.g + t * other.g;
  out.a = s * one.a + t * other.a;
  out.b = s * one.b + t * other.b;
  out.low = (s > 0 ? s * one.low : s * one.high) + (t > 0 ? t * other.low : t * other.high);
  out.high = (s > 0 ? s * one.high : s * one.low) + (t > 0 ? t * other.high : t * other.low);
  const double rounding = 8 * kU * (AbsOf(s) * Magnitude(one) + AbsOf(t) * Magnitude(other));
  out.low -= rounding;
  out.high += rounding;
  out.smooth = false;
  return out;
}

Bounds RangeOf(const BoxLevel& s) {
  const double cross = 2 * Sum(Abs(s.b));
  Bounds r{s.f - cross + s.low, s.f + cross + s.high};
  for (int i = 0; i < 3; ++i) {
    const Bounds along = AxisRange(s.a[i], s.g[i]);
    r.lo += along.lo;
    r.hi += along.hi;
  }
  const double rounding = 16 * kU * Magnitude(s);
  return {r.lo - rounding, r.hi + rounding};
}

Bounds BendOf(const BoxLevel& s) {
  const double cross = 2 * Sum(Abs(s.b));
  const Vec3 zero;
  const double rounding = 16 * kU * Magnitude(s);
  return {Sum(Min(s.a, zero)) - cross + s.low - rounding,
          Sum(Max(s.a, zero)) + cross + s.high + rounding};
}

}  // namespace intervox::cuda::internal::certify
