/** @file Meridians of the polar rule: conic sections as exact rational arcs, and integrals along
 them. */
#pragma once

#include "cuda/numerics/roots.h"
#include "cuda/numerics/wide.h"
#include "cuda/rules/polar/tables.h"
#include "cuda/surface/quadric.h"

namespace intervox::cuda::internal::polar {

/** A point or direction of a meridian half plane: r off the axis, z along it. Here and below S is a
 double, or several half planes at a time (Wide). */
template <class S>
struct Planar {
  S r = {};
  S z = {};
};
/** a × b. */
template <class S>
INTERVOX_HD constexpr S Wedge(const Planar<S>& a, const Planar<S>& b) {
  return a.z * b.r - a.r * b.z;
}
/** a · b. */
template <class S>
INTERVOX_HD constexpr S Dot(const Planar<S>& a, const Planar<S>& b) {
  return a.r * b.r + a.z * b.z;
}

/** A homogeneous point: a place w·x and its weight w; weight 0 is a direction. */
template <class S>
struct Weighted {
  Planar<S> x;
  S w = {};
};

/** The section of a mapped quadric by a meridian plane. */
template <class S>
struct Conic {
  S rr = {}, rz = {}, zz = {};  ///< quadratic part
  Planar<S> b;                  ///< half linear part

  /** The quadratic part times x. */
  INTERVOX_HD Planar<S> Gamma(const Planar<S>& x) const {
    return {rr * x.r + rz * x.z, rz * x.r + zz * x.z};
  }
  /** A point's polar: its bilinear form with another point. */
  struct Line {
    Planar<S> x;
    S w;
    INTERVOX_HD S At(const Weighted<S>& q) const { return Dot(x, q.x) + w * q.w; }
  };
  /** The polar of p, negative at p inside. */
  INTERVOX_HD Line PolarOf(const Weighted<S>& p) const {
    const Planar<S> g = Gamma(p.x);
    return {{g.r + p.w * b.r, g.z + p.w * b.z}, Dot(b, p.x) - p.w};
  }
  /** (P2): 1/ρ of the ray along d, where it leaves the inside; ≤ 0 if it never does. Homogeneous in
   * d. */
  INTERVOX_HD S InverseExit(const Planar<S>& d) const {
    return internal::InverseExit(Dot(b, d), Dot(d, Gamma(d)));
  }
};

/** (P1): the section at azimuth (cosine, sine) of a surface 2 b·y + yᵀEy = 1, inside which the
 * origin is.
 */
template <class S>
INTERVOX_HD inline Conic<S> Section(const MappedQuadric& q, const S& cosine, const S& sine) {
  const Vec3 &d = q.E.diag, &o = q.E.off;
  const S zero = {};
  return {cosine * (d.x * cosine + 2 * o.x * sine) + d.y * sine * sine,
          o.y * cosine + o.z * sine,
          zero + d.z,
          {q.b.x * cosine + q.b.y * sine, zero + q.b.z}};
}

/** The section in lane k. */
template <class S>
INTERVOX_HD inline Conic<double> InLane(const Conic<S>& x, int k) {
  return {Lane(x.rr, k), Lane(x.rz, k), Lane(x.zz, k), {Lane(x.b.r, k), Lane(x.b.z, k)}};
}

/** (P4): an arc of a conic from p0 to p2, seen from the origin inside it, as the rational quadratic
 curve x(s) = (b0 p0 + b1 m + b2 p2) / (b0 + b1 m.w + b2), b the Bernstein polynomials. Exact: a
 node needs no root. */
template <class S>
struct Arc {
  Planar<S> p0, p2;
  Weighted<S> m;
};

/** The arc in lane k. */
template <class S>
INTERVOX_HD inline Arc<double> InLane(const Arc<S>& x, int k) {
  return {{Lane(x.p0.r, k), Lane(x.p0.z, k)},
          {Lane(x.p2.r, k), Lane(x.p2.z, k)},
          {{Lane(x.m.x.r, k), Lane(x.m.x.z, k)}, Lane(x.m.w, k)}};
}

/** Arcs of no more than this weight are nearly whole ellipses. */
inline constexpr double kLeastWeight = -0.999999;

/** (P5): the arc from p0 to p2 on the conic, both of which lie on it. `good` becomes 0 where there
 is none.

 Its middle control point is conjugate to both ends. With C and D half their sum and difference,
 CᵀQD = 0 and DᵀQD = −CᵀQC = σ; a normal v of the chord, freed of C and D in the metric Q, gives
 m = (σv − (vQD) D + (vQC) C) / √(σ vQv − (vQD)² + (vQC)²). Nothing cancels, and a straight section
 (σ = 0) gives the chord itself. */
template <class S>
INTERVOX_HD inline Arc<S> MakeArc(const Conic<S>& conic, const Planar<S>& p0, const Planar<S>& p2,
                                  S* good) {
  const S zero = {};
  const Planar<S> c{0.5 * (p0.r + p2.r), 0.5 * (p0.z + p2.z)};
  const Planar<S> d{0.5 * (p2.r - p0.r), 0.5 * (p2.z - p0.z)};
  const S backward = d.r * c.z - d.z * c.r;
  const Planar<S> v{backward < 0 ? d.z : -d.z, backward < 0 ? -d.r : d.r};
  const Planar<S> gd = conic.Gamma(d), gc = conic.Gamma(c);
  const S sigma = Dot(d, gd);
  const S vd = Dot(v, gd);
  const S vc = Dot(v, gc) + Dot(v, conic.b);
  const S square = sigma * Dot(v, conic.Gamma(v)) - vd * vd + vc * vc;
  const S inverse = 1 / Root(square);
  const Weighted<S> m{{(sigma * v.r - vd * d.r + vc * c.r) * inverse,
                       (sigma * v.z - vd * d.z + vc * c.z) * inverse},
                      vc * inverse};
  *good = square > 0 ? *good : zero;
  *good = m.w > kLeastWeight ? *good : zero;
  return {p0, p2, m};
}

/** The arc's point at s = ½. */
template <class S>
INTERVOX_HD inline Planar<S> Middle(const Arc<S>& arc) {
  const S inverse = 0.5 / (1 + arc.m.w);
  return {(arc.p0.r + 2 * arc.m.x.r + arc.p2.r) * inverse,
          (arc.p0.z + 2 * arc.m.x.z + arc.p2.z) * inverse};
}

/** Splits the Bernstein quartic b at ½: the left half goes to `left`, the right half stays in b. */
INTERVOX_HD inline void SplitQuartic(double* b, double* left) {
  for (int i = 0; i < 5; ++i) {
    left[i] = b[0];
    for (int j = 0; j < 4 - i; ++j) b[j] = 0.5 * (b[j] + b[j + 1]);
  }
}

/** True when the first `count` coefficients are negative. */
INTERVOX_HD inline bool AllNegative(const double* b, int count) {
  bool negative = true;
  for (int i = 0; i < count; ++i) negative = negative && b[i] < 0;
  return negative;
}

/** (P6): the Bernstein coefficients of the other conic's quartic along an arc, all but the last,
 which is 0: p2 lies on both. */
template <class S>
INTERVOX_HD inline void QuarticAlong(const Conic<S>& other, const Arc<S>& arc, S (&b)[4]) {
  const S one = S{} + 1.0;
  const Weighted<S> p0{arc.p0, one}, p2{arc.p2, one};
  const typename Conic<S>::Line of_p0 = other.PolarOf(p0), of_m = other.PolarOf(arc.m);
  b[0] = of_p0.At(p0);
  b[1] = of_p0.At(arc.m);
  b[2] = (of_p0.At(p2) + 2 * of_m.At(arc.m)) / 3;
  b[3] = of_m.At(p2);
}

/** (P6): proof that the other conic does not cut the arc except at p2: its quartic along the arc
 has coefficients of one sign, on the whole or on a few pieces. */
INTERVOX_HD inline bool ArcInside(const Conic<double>& other, const Arc<double>& arc) {
  double whole[4];
  QuarticAlong(other, arc, whole);
  double b[5] = {whole[0], whole[1], whole[2], whole[3], 0};
  for (int level = 0; level < 7; ++level) {
    if (AllNegative(b, 4)) return true;
    // The left half is proved at once or as two quarters; the right half is left to the next turn.
    double left[5], quarter[5];
    SplitQuartic(b, left);
    if (AllNegative(left, 5)) continue;
    SplitQuartic(left, quarter);
    if (!AllNegative(left, 5) || !AllNegative(quarter, 5)) return false;
  }
  return false;
}

/** Sums along a meridian, per unit azimuth, over x·n dS: times 1/3, 1/4 and 1/5 they are the
 volume, first and second moments of the cone from the origin. */
template <class S>
struct MeridianMoments {
  S v = {}, r = {}, z = {};  ///< Σ of 1, r, z
  S rr = {}, rz = {}, zz = {};

  /** Adds f at x. */
  INTERVOX_HD void Add(const S& f, const Planar<S>& x) {
    const S fr = f * x.r, fz = f * x.z;
    v += f;
    r += fr;
    z += fz;
    rr += fr * x.r;
    rz += fr * x.z;
    zz += fz * x.z;
  }
};

/** (P7), (P8): adds the cone from the origin over an arc that runs from the axis to the rim; sense
 is +1 from the +z pole, −1 from the −z pole. kSurface: the same over k is added to `face`, where
 n dS = (b + Ey) k. */
template <bool kSurface, class S>
INTERVOX_HD inline void AddArc(const Conic<S>& conic, const Arc<S>& arc, double sense, int rule,
                               MeridianMoments<S>* body, MeridianMoments<S>* face) {
  const S j0 = 2 * sense * Wedge(arc.p0, arc.m.x);
  const S j1 = sense * Wedge(arc.p0, arc.p2);
  const S j2 = 2 * sense * Wedge(arc.m.x, arc.p2);
  const int first = FirstGaussNode(rule), end = first + GaussOrder(rule);
  for (int i = first; i < end; ++i) {
    const GaussNode node = GaussNodeAt(i);
    const S t = 1 / ((node.b0 + node.b2) + node.b1 * arc.m.w);
    const Planar<S> x{(node.b0 * arc.p0.r + node.b1 * arc.m.x.r + node.b2 * arc.p2.r) * t,
                      (node.b0 * arc.p0.z + node.b1 * arc.m.x.z + node.b2 * arc.p2.z) * t};
    // w × w' = b0 j0 + b1 j1 + b2 j2; x·n dS = r (x × dx) per unit azimuth.
    const S flux = (node.b0 * j0 + node.b1 * j1 + node.b2 * j2) * (t * t) * (node.weight * x.r);
    body->Add(flux, x);
    if constexpr (kSurface) face->Add(flux / (1 - Dot(conic.b, x)), x);
  }
}

/** (P3): where a line meets conic a on its way out from the axis; false when it does not. */
INTERVOX_HD inline bool RimOnLine(const Conic<double>& a, const Conic<double>& line,
                                  Planar<double>* rim) {
  // Along the line from its point on the axis, a's section is a quadratic.
  const Planar<double> p{0, 0.5 / line.b.z};
  const Planar<double> d{-line.b.z, line.b.r};
  const double qa = Dot(d, a.Gamma(d));
  const double qb = Dot(d, a.Gamma(p)) + Dot(d, a.b);
  const double qc = Dot(p, a.Gamma(p)) + 2 * Dot(a.b, p) - 1;
  const double disc = qb * qb - qa * qc;
  if (!(disc > 0)) return false;
  const double denominator = qb + std::sqrt(disc);
  if (!(denominator > 0) || !(qc < 0)) return false;
  const double t = -qc / denominator;
  *rim = {p.r + t * d.r, p.z + t * d.z};
  return rim->r > 0;
}

/** (P3): the point of the half plane where the conics meet, between the poles, by a bracket: conic
 a is met first near +z, conic b near −z. False when no such point was found. */
INTERVOX_HD inline bool BracketRim(const Conic<double>& a, const Conic<double>& b,
                                   Planar<double>* rim) {
  // Bracketed: u_a − u_b changes sign between the poles; directions (1 − t², 2t).
  double lo = -1, hi = 1, t = 0;
  for (int i = 0; i < 80; ++i) {
    const Planar<double> d{1 - t * t, 2 * t};
    const double ua = a.InverseExit(d), ub = b.InverseExit(d);
    const double f = ua - ub;
    (f > 0 ? hi : lo) = t;
    const double u = ua > ub ? ua : ub;
    if (!(u > 0)) return false;
    if (std::fabs(f) <= 4e-16 * u || hi - lo < 1e-15) {
      *rim = {d.r / u, d.z / u};
      return rim->r > 0;
    }
    // du/dt along the meridian from u² = 2 (b·d) u + dᵀΓd.
    const Planar<double> e{-2 * t, 2};
    double next = 0.5 * (lo + hi);
    if (ua > 0 && ub > 0) {
      const double da = (Dot(a.b, e) * ua + Dot(e, a.Gamma(d))) / (ua - Dot(a.b, d));
      const double db = (Dot(b.b, e) * ub + Dot(e, b.Gamma(d))) / (ub - Dot(b.b, d));
      const double newton = t - f / (da - db);
      if (newton > lo && newton < hi) next = newton;
    }
    if (next == t) {
      *rim = {d.r / u, d.z / u};
      return rim->r > 0;
    }
    t = next;
  }
  return false;
}

/** Half planes at N azimuths: the sections of both faces, the rim, the arcs. */
template <int N>
struct Meridians {
  using S = Wide<N>;

  S cosine, sine;
  Conic<S> a, b;
  Planar<S> rim;
  Arc<S> top, low;  ///< of a from the axis, and of b
};

/** (P3): the rims by Newton's method in the plane from where a thin overlap has its rim. Returns 1
 where it is there, and first along its ray. */
template <int N>
INTERVOX_HD inline Wide<N> FindRims(Meridians<N>* x) {
  using S = Wide<N>;
  const S zero = {}, one = zero + 1.0;
  const Conic<S> a = x->a, b = x->b;
  Planar<S> at{one, zero};
  S live = one, there = zero;
  for (int i = 0; i < 7; ++i) {
    const Planar<S> ga = a.Gamma(at), gb = b.Gamma(at);
    const Planar<S> da{ga.r + a.b.r, ga.z + a.b.z}, db{gb.r + b.b.r, gb.z + b.b.z};
    const S fa = Dot(at, da) + (Dot(a.b, at) - 1), fb = Dot(at, db) + (Dot(b.b, at) - 1);
    const S inverse = 0.5 / (da.r * db.z - da.z * db.r);
    const Planar<S> step{live * ((fa * db.z - fb * da.z) * inverse),
                         live * ((da.r * fb - db.r * fa) * inverse)};
    at.r -= step.r;
    at.z -= step.z;
    const S size = Magnitude(step.r) + Magnitude(step.z);
    // One quadratic step further is rounding.
    const S settled = size < 1e-9 * at.r ? live : zero;
    there += settled;
    live = size < 10 ? live - settled : zero;
    if (Most(live) == 0) break;
  }
  x->rim = at;
  there = 1 - Dot(a.b, at) > 0 ? there : zero;
  return 1 - Dot(b.b, at) > 0 ? there : zero;
}

/** (P1) to (P6) of half planes, the azimuths of which are set: a is met first at +top on the axis,
 b at `bottom`. False where one has no rim, or an arc leaves the other conic. */
template <int N>
INTERVOX_HD inline bool CutMeridians(const MappedQuadric& qa, const MappedQuadric& qb,
                                     bool b_is_plane, double top, double bottom, Meridians<N>* x) {
  using S = Wide<N>;
  const S zero = {};
  x->a = Section(qa, x->cosine, x->sine);
  x->b = Section(qb, x->cosine, x->sine);
  const S there = b_is_plane ? zero : FindRims(x);
  if (!(Least(there) > 0)) {
    for (int k = 0; k < N; ++k) {
      if (Lane(there, k) > 0) continue;
      const Conic<double> a = InLane(x->a, k), b = InLane(x->b, k);
      Planar<double> rim;
      if (!(b_is_plane ? RimOnLine(a, b, &rim) : BracketRim(a, b, &rim))) return false;
      SetLane(&x->rim.r, k, rim.r);
      SetLane(&x->rim.z, k, rim.z);
    }
  }
  S good = zero + 1.0;
  x->top = MakeArc(x->a, {zero, zero + top}, x->rim, &good);
  x->low = MakeArc(x->b, {zero, zero + bottom}, x->rim, &good);
  if (!(Least(good) > 0)) return false;
  S on_top[4], on_low[4];
  QuarticAlong(x->b, x->top, on_top);
  QuarticAlong(x->a, x->low, on_low);
  S most = on_top[0];
  for (const S& b : on_top) most = Larger(b, most);
  for (const S& b : on_low) most = Larger(b, most);
  if (Most(most) < 0) return true;
  for (int k = 0; k < N; ++k) {
    if (!(Lane(most, k) < 0) && !(ArcInside(InLane(x->b, k), InLane(x->top, k)) &&
                                  ArcInside(InLane(x->a, k), InLane(x->low, k)))) {
      return false;
    }
  }
  return true;
}

}  // namespace intervox::cuda::internal::polar
