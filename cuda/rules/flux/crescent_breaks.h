/** @file Where the generators of a hole change what ends them: at the ends of panels of columns. */
#pragma once

#include "cuda/numerics/circle.h"
#include "cuda/rules/flux/crescent.h"

namespace intervox::cuda::internal::flux {

inline constexpr int kCrescentBreaks = 32;

/** Q of the homogeneous point (p0, w0) + (p1, w1) cos θ + (p2, w2) sin θ, times its weight². */
INTERVOX_HD inline CircleLevel AlongCircle(const QuadricForm& q, const Vec3 (&p)[3],
                                           const Vec3& w) {
  Vec3 half[3];  // half of the gradient's linear part
  double own[3];
  for (int i = 0; i < 3; ++i) {
    half[i] = q.E * p[i] + w[i] * q.b;
    own[i] = Dot(q.b, p[i]) + w[i] * q.c;
  }
  const auto form = [&](int i, int j) { return Dot(half[i], p[j]) + own[i] * w[j]; };
  return {form(1, 1), 2 * form(1, 2), form(2, 2), 2 * form(0, 1), 2 * form(0, 2), form(0, 0)};
}

/** What happens at a break: cut i as i, else one of these. At a fold the interval closes like a
 square root. */
inline constexpr int kBreakOfEnds = -1, kBreakIsFold = -2;

/** Places on the circle (see PlaceOf), ascending. */
struct CrescentBreaks {
  double v[kCrescentBreaks];
  std::int8_t kind[kCrescentBreaks];
  int count = 0;
  bool full = false;

  /** Adds a place in its order. */
  INTERVOX_HD void Push(double place, int is) {
    if (count == kCrescentBreaks) {
      full = true;
      return;
    }
    int at = count++;
    for (; at > 0 && v[at - 1] > place; --at) {
      v[at] = v[at - 1];
      kind[at] = kind[at - 1];
    }
    v[at] = place;
    kind[at] = static_cast<std::int8_t>(is);
  }
};

/** Whether no generator touches the peg between x.low and x.high: there the discriminant's roots
 belong to places far beyond. Not certain when false. */
INTERVOX_HD inline bool FoldsAreFar(const Crescent& x) {
  if (x.k != 0.0) return false;
  // β = b0 + A cos(θ − θ₀) and |β| ≤ α |z| at a fold, γ = α z² there.
  const double alpha = x.peg.E(2, 2), bc = x.radius * x.peg.E(0, 2), bs = x.radius * x.peg.E(1, 2);
  const double b0 = x.peg.b.z, square = bc * bc + bs * bs;
  const double z = x.high > -x.low ? x.high : -x.low;
  const double rim = std::fabs(b0) + alpha * z, rest = square - rim * rim;
  if (!(rest > 0.25 * square)) return false;
  const double band = alpha * z / std::sqrt(rest);  // [rad]
  const double gx = x.peg.b.x, gy = x.peg.b.y, r = x.radius;
  const Mat3& m = x.peg.E;
  const double slope = 2 * r * (std::fabs(gx) + std::fabs(gy)) +
                       r * r * (std::fabs(m(0, 0) - m(1, 1)) + 2 * std::fabs(m(0, 1)));
  const double side = std::sqrt(square - b0 * b0);
  for (int i = 0; i < 2; ++i) {
    const double across = i == 0 ? side : -side;
    const double c = (-b0 * bc - across * bs) / square, s = (-b0 * bs + across * bc) / square;
    const double gamma = r * r * (m(0, 0) * c * c + 2 * m(0, 1) * c * s + m(1, 1) * s * s) +
                         2 * r * (gx * c + gy * s) + x.peg.c;
    const double wide = 1.6 * slope * band;
    if (gamma <= alpha * z * z + wide && gamma >= -wide) return false;
  }
  return true;
}

/** All directions in which the generators' intervals change what ends them. */
INTERVOX_HD inline void FindBreaks(const Crescent& x, CrescentBreaks* breaks) {
  const QuadricForm& q = x.peg;
  for (int i = 0; i < x.cuts; ++i) {
    const Vec3 n = x.cut[i].n;
    breaks->Push(PlaceOf(n.y, -n.x), i);
    breaks->Push(PlaceOf(-n.y, n.x), i);
  }
  for (int i = 0; i < 2; ++i) {
    const CrescentEnd& end = x.end[i];
    if (!end.present) continue;
    // The plane meets the wall at r = (R n.z + k h)/w, z = (h − R n·ρ)/w, w = n.z + k n·ρ.
    const double r = x.radius * end.n.z + x.k * end.h;
    const Vec3 p[3] = {{0, 0, end.h}, {r, 0, -x.radius * end.n.x}, {0, r, -x.radius * end.n.y}};
    const CircleLevel f = AlongCircle(q, p, {end.n.z, x.k * end.n.x, x.k * end.n.y});
    ForRootsAround(f,
                   [&](double turn, double, double) { breaks->Push(2 * kT * turn, kBreakOfEnds); });
  }
  if (FoldsAreFar(x)) return;
  // β² − αγ with β = b·(1, cos θ, sin θ). A cylinder's α and a cone's γ are constant; the other one
  // is rest + 2 r g·ρ + r² ρᵀEρ.
  const bool cone = x.k != 0.0;
  const Vec3 across{q.E(0, 2), q.E(1, 2), 0.0};
  const Vec3 &g = cone ? across : q.b, &h = cone ? q.b : across;
  const double r = cone ? x.k : x.radius;
  const double constant = cone ? q.c : q.E(2, 2), rest = cone ? q.E(2, 2) : q.c;
  const Vec3 b{q.b.z, r * h.x, r * h.y};
  const CircleLevel disc{
      b.y * b.y - constant * r * r * q.E(0, 0), 2 * (b.y * b.z - constant * r * r * q.E(0, 1)),
      b.z * b.z - constant * r * r * q.E(1, 1), 2 * (b.x * b.y - constant * r * g.x),
      2 * (b.x * b.z - constant * r * g.y),     b.x * b.x - constant * rest};
  ForRootsAround(disc, [&](double turn, double c, double s) {
    const Vec3 along{x.k * c, x.k * s, 1.0};
    const double alpha = Dot(along, q.E * along);
    const double t = -(b.x + b.y * c + b.z * s) / alpha;
    if (t > x.low && t < x.high) breaks->Push(2 * kT * turn, kBreakIsFold);
  });
}

}  // namespace intervox::cuda::internal::flux
