/** @file Meridians of the polar rule: conic sections as exact rational arcs, and integrals along
 them. */
#pragma once

#include "cuda/numerics/roots.h"
#include "cuda/rules/polar/tables.h"
#include "cuda/surface/quadric.h"

namespace intervox::cuda::internal::polar {

/** A point or direction of a meridian half plane: r off the axis, z along it. */
struct Planar {
  double r = 0;
  double z = 0;
};
/** a × b. */
INTERVOX_HD constexpr double Wedge(const Planar& a, const Planar& b) {
  return a.z * b.r - a.r * b.z;
}
/** a · b. */
INTERVOX_HD constexpr double Dot(const Planar& a, const Planar& b) { return a.r * b.r + a.z * b.z; }

/** A homogeneous point: a place w·x and its weight w; weight 0 is a direction. */
struct Weighted {
  Planar x;
  double w = 0;
};

/** The section of a mapped quadric by a meridian plane. */
struct Conic {
  double rr = 0, rz = 0, zz = 0;  ///< quadratic part
  Planar b;                       ///< half linear part

  /** The quadratic part times x. */
  INTERVOX_HD Planar Gamma(const Planar& x) const {
    return {rr * x.r + rz * x.z, rz * x.r + zz * x.z};
  }
  /** A point's polar: its bilinear form with another point. */
  struct Line {
    Planar x;
    double w;
    INTERVOX_HD double At(const Weighted& q) const { return Dot(x, q.x) + w * q.w; }
  };
  /** The polar of p, negative at p inside. */
  INTERVOX_HD Line PolarOf(const Weighted& p) const {
    const Planar g = Gamma(p.x);
    return {{g.r + p.w * b.r, g.z + p.w * b.z}, Dot(b, p.x) - p.w};
  }
  /** (P2): 1/ρ of the ray along d, where it leaves the inside; ≤ 0 if it never does. Homogeneous in
   * d. */
  INTERVOX_HD double InverseExit(const Planar& d) const {
    return internal::InverseExit(Dot(b, d), Dot(d, Gamma(d)));
  }
};

/** (P1): the section at azimuth (cosine, sine) of a surface 2 b·y + yᵀEy = 1, inside which the
 * origin is.
 */
INTERVOX_HD inline Conic Section(const MappedQuadric& q, double cosine, double sine) {
  const Vec3 &d = q.E.diag, &o = q.E.off;
  return {d.x * cosine * cosine + 2 * o.x * cosine * sine + d.y * sine * sine,
          o.y * cosine + o.z * sine,
          d.z,
          {q.b.x * cosine + q.b.y * sine, q.b.z}};
}

/** (P4): an arc of a conic from p0 to p2, seen from the origin inside it, as the rational quadratic
 curve x(s) = (b0 p0 + b1 m + b2 p2) / (b0 + b1 m.w + b2), b the Bernstein polynomials. Exact: a
 node needs no root. */
struct Arc {
  Planar p0, p2;
  Weighted m;
};

/** Arcs of no more than this weight are nearly whole ellipses. */
inline constexpr double kLeastWeight = -0.999999;

/** (P5): the middle control point of the arc from p0 to p2 on the conic, both of which lie on it;
 no arc where `square` is not positive.

 It is conjugate to both ends. With C and D half their sum and difference, CᵀQD = 0 and DᵀQD = −CᵀQC
 = σ; a normal v of the chord, freed of C and D in the metric Q, gives m = (σv − (vQD) D + (vQC) C)
 / √(σ vQv − (vQD)² + (vQC)²). Nothing cancels, and a straight section (σ = 0) gives the chord
 itself. No branches: loops over lanes become vector instructions. */
__attribute__((always_inline)) INTERVOX_HD inline Weighted MiddleOf(const Conic& conic,
                                                                    const Planar& p0,
                                                                    const Planar& p2,
                                                                    double* square) {
  const Planar c{0.5 * (p0.r + p2.r), 0.5 * (p0.z + p2.z)};
  const Planar d{0.5 * (p2.r - p0.r), 0.5 * (p2.z - p0.z)};
  const double way = d.r * c.z - d.z * c.r < 0 ? -1.0 : 1.0;
  const Planar v{-way * d.z, way * d.r};
  const Planar gd = conic.Gamma(d);
  const Planar gc = conic.Gamma(c);
  const double sigma = Dot(d, gd);
  const double vd = Dot(v, gd);
  const double vc = Dot(v, gc) + Dot(v, conic.b);
  *square = sigma * Dot(v, conic.Gamma(v)) - vd * vd + vc * vc;
  const double inverse = 1 / std::sqrt(*square);
  return {{(sigma * v.r - vd * d.r + vc * c.r) * inverse,
           (sigma * v.z - vd * d.z + vc * c.z) * inverse},
          vc * inverse};
}

/** The arc from p0 to p2 on the conic; false when there is none. */
INTERVOX_HD inline bool MakeArc(const Conic& conic, const Planar& p0, const Planar& p2, Arc* arc) {
  arc->p0 = p0;
  arc->p2 = p2;
  double square;
  arc->m = MiddleOf(conic, p0, p2, &square);
  return square > 0 && arc->m.w > kLeastWeight;
}

/** The arc's point at s = ½. */
INTERVOX_HD inline Planar Middle(const Arc& arc) {
  const double inverse = 0.5 / (1 + arc.m.w);
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
__attribute__((always_inline)) INTERVOX_HD inline void QuarticAlong(const Conic& other,
                                                                    const Arc& arc,
                                                                    double (&b)[4]) {
  const Weighted p0{arc.p0, 1}, p2{arc.p2, 1};
  const Conic::Line of_p0 = other.PolarOf(p0), of_m = other.PolarOf(arc.m);
  b[0] = of_p0.At(p0);
  b[1] = of_p0.At(arc.m);
  b[2] = (of_p0.At(p2) + 2 * of_m.At(arc.m)) / 3;
  b[3] = of_m.At(p2);
}

/** (P6): proof that the other conic does not cut the arc except at p2: its quartic along the arc
 has coefficients of one sign, on the whole or on a few pieces. */
INTERVOX_HD inline bool ArcInside(const Conic& other, const Arc& arc) {
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
 volume, first and second moments of the cone from the origin. Each in as many lanes as nodes are
 taken at a time; their total counts. */
struct MeridianMoments {
  double v[kGaussWide] = {}, r[kGaussWide] = {}, z[kGaussWide] = {};  ///< Σ of 1, r, z
  double rr[kGaussWide] = {}, rz[kGaussWide] = {}, zz[kGaussWide] = {};
  /** The same over k, where n dS = (b + Ey) k. */
  double k[kGaussWide] = {}, kr[kGaussWide] = {}, kz[kGaussWide] = {};
  double krr[kGaussWide] = {}, krz[kGaussWide] = {}, kzz[kGaussWide] = {};

  /** The sum over the lanes. */
  INTERVOX_HD static double Total(const double* lane) {
    static_assert(kGaussWide == 4);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }
};

/** (P7), (P8): adds the cone from the origin over an arc that runs from the axis to the rim; sense
 is +1 from the +z pole, −1 from the −z pole. kSurface: the k sums are wanted. */
template <bool kSurface>
INTERVOX_HD inline void AddArc(const Conic& conic, const Arc& arc, double sense, int rule,
                               MeridianMoments* sum) {
  static constexpr GaussColumns kNodes = MakeGaussColumns();
  const double j0 = 2 * sense * Wedge(arc.p0, arc.m.x);
  const double j1 = sense * Wedge(arc.p0, arc.p2);
  const double j2 = 2 * sense * Wedge(arc.m.x, arc.p2);
  const Arc a = arc;
  const Planar slope = conic.b;
  // Loops over lanes without branches, results apart from inputs: compilers make vectors of them.
  for (int i = GaussColumn(rule); i < GaussColumn(rule + 1); i += kGaussWide) {
    double r[kGaussWide], z[kGaussWide], flux[kGaussWide];
    for (int n = 0; n < kGaussWide; ++n) {
      const double b0 = kNodes.b0[i + n], b1 = kNodes.b1[i + n], b2 = kNodes.b2[i + n];
      const double t = 1 / (b0 + b1 * a.m.w + b2);
      r[n] = (b0 * a.p0.r + b1 * a.m.x.r + b2 * a.p2.r) * t;
      z[n] = (b0 * a.p0.z + b1 * a.m.x.z + b2 * a.p2.z) * t;
      // w × w' = b0 j0 + b1 j1 + b2 j2; x·n dS = r (x × dx) per unit azimuth.
      flux[n] = kNodes.weight[i + n] * (b0 * j0 + b1 * j1 + b2 * j2) * t * t * r[n];
    }
    for (int n = 0; n < kGaussWide; ++n) {
      sum->v[n] += flux[n];
      sum->r[n] += flux[n] * r[n];
      sum->z[n] += flux[n] * z[n];
      sum->rr[n] += flux[n] * r[n] * r[n];
      sum->rz[n] += flux[n] * r[n] * z[n];
      sum->zz[n] += flux[n] * z[n] * z[n];
    }
    if constexpr (kSurface) {
      for (int n = 0; n < kGaussWide; ++n) {
        const double k = flux[n] / (1 - (slope.r * r[n] + slope.z * z[n]));
        sum->k[n] += k;
        sum->kr[n] += k * r[n];
        sum->kz[n] += k * z[n];
        sum->krr[n] += k * r[n] * r[n];
        sum->krz[n] += k * r[n] * z[n];
        sum->kzz[n] += k * z[n] * z[n];
      }
    }
  }
}

/** (P3): where a line meets conic a on its way out from the axis; false when it does not. */
INTERVOX_HD inline bool RimOnLine(const Conic& a, const Conic& line, Planar* rim) {
  // Along the line from its point on the axis, a's section is a quadratic.
  const Planar p{0, 0.5 / line.b.z};
  const Planar d{-line.b.z, line.b.r};
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
INTERVOX_HD inline bool BracketRim(const Conic& a, const Conic& b, Planar* rim) {
  // Bracketed: u_a − u_b changes sign between the poles; directions (1 − t², 2t).
  double lo = -1, hi = 1, t = 0;
  for (int i = 0; i < 80; ++i) {
    const Planar d{1 - t * t, 2 * t};
    const double ua = a.InverseExit(d), ub = b.InverseExit(d);
    const double f = ua - ub;
    if (f > 0) {
      hi = t;
    } else {
      lo = t;
    }
    const double u = ua > ub ? ua : ub;
    if (!(u > 0)) return false;
    if (std::fabs(f) <= 4e-16 * u || hi - lo < 1e-15) {
      *rim = {d.r / u, d.z / u};
      return rim->r > 0;
    }
    // du/dt along the meridian from u² = 2 (b·d) u + dᵀΓd.
    const Planar e{-2 * t, 2};
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

/** Half planes at N azimuths: the sections of both faces, the rims, the arcs' middle control
 points. Loops over them have no branches: compilers make vectors of them. */
template <int N>
struct MeridianLanes {
  double cosine[N], sine[N];
  // The sections of a and b; their zz and b.z are those of the quadrics.
  double a_rr[N], a_rz[N], a_br[N], b_rr[N], b_rz[N], b_br[N];
  double r[N], z[N];                    ///< the rim
  double top_r[N], top_z[N], top_w[N];  ///< of a's arc
  double low_r[N], low_z[N], low_w[N];  ///< of b's arc
  bool found[N];                        ///< both arcs are there, and neither leaves the other conic

  /** The arc of face a from the axis at z = top. */
  INTERVOX_HD Arc Top(double top, int k) const {
    return {{0, top}, {r[k], z[k]}, {{top_r[k], top_z[k]}, top_w[k]}};
  }
  /** The arc of face b from the axis at z = bottom. */
  INTERVOX_HD Arc Low(double bottom, int k) const {
    return {{0, bottom}, {r[k], z[k]}, {{low_r[k], low_z[k]}, low_w[k]}};
  }
};

/** The section of face a at lane k. */
template <int N>
INTERVOX_HD inline Conic SectionA(const MeridianLanes<N>& x, const MappedQuadric& a, int k) {
  return {x.a_rr[k], x.a_rz[k], a.E.diag.z, {x.a_br[k], a.b.z}};
}

/** The section of face b at lane k. */
template <int N>
INTERVOX_HD inline Conic SectionB(const MeridianLanes<N>& x, const MappedQuadric& b, int k) {
  return {x.b_rr[k], x.b_rz[k], b.E.diag.z, {x.b_br[k], b.b.z}};
}

/** (P3): the rims by Newton's method in the plane from where a thin overlap has its rim. found: it
 is there, and first along its ray. */
template <int N>
INTERVOX_HD inline void FindRims(const MappedQuadric& qa, const MappedQuadric& qb,
                                 MeridianLanes<N>* x) {
  double r[N], z[N], size[N], live[N], there[N];
  for (int k = 0; k < N; ++k) {
    r[k] = live[k] = 1.0;
    z[k] = there[k] = 0.0;
  }
  double left = N;
  for (int i = 0; i < 7 && left > 0; ++i) {
    for (int k = 0; k < N; ++k) {
      const Conic a = SectionA(*x, qa, k), b = SectionB(*x, qb, k);
      const Planar at{r[k], z[k]}, ga = a.Gamma(at), gb = b.Gamma(at);
      const double fa = Dot(at, ga) + 2 * Dot(a.b, at) - 1;
      const double fb = Dot(at, gb) + 2 * Dot(b.b, at) - 1;
      const Planar da{ga.r + a.b.r, ga.z + a.b.z}, db{gb.r + b.b.r, gb.z + b.b.z};
      const double det = 2 * (da.r * db.z - da.z * db.r);
      const Planar step{(fa * db.z - fb * da.z) / det, (da.r * fb - db.r * fa) / det};
      r[k] = live[k] > 0 ? r[k] - step.r : r[k];
      z[k] = live[k] > 0 ? z[k] - step.z : z[k];
      size[k] = std::fabs(step.r) + std::fabs(step.z);
    }
    left = 0;
    for (int k = 0; k < N; ++k) {
      // One quadratic step further is rounding.
      const double settled = size[k] < 1e-9 * r[k] ? live[k] : 0.0;
      there[k] = settled > 0 ? 1.0 : there[k];
      live[k] = size[k] < 10 ? live[k] - settled : 0.0;
    }
    for (int k = 0; k < N; ++k) left += live[k];
  }
  for (int k = 0; k < N; ++k) {
    const Conic a = SectionA(*x, qa, k), b = SectionB(*x, qb, k);
    const Planar at{r[k], z[k]};
    x->r[k] = r[k];
    x->z[k] = z[k];
    x->found[k] = there[k] > 0 && 1 - Dot(a.b, at) > 0 && 1 - Dot(b.b, at) > 0;
  }
}

/** (P1) to (P6) of N half planes, the azimuths of which are set: a is met first at +top on the
 axis, b at `bottom`. */
template <int N>
INTERVOX_HD inline void CutMeridians(const MappedQuadric& qa, const MappedQuadric& qb,
                                     bool b_is_plane, double top, double bottom,
                                     MeridianLanes<N>* x) {
  for (int k = 0; k < N; ++k) {
    const Conic a = Section(qa, x->cosine[k], x->sine[k]),
                b = Section(qb, x->cosine[k], x->sine[k]);
    x->a_rr[k] = a.rr;
    x->a_rz[k] = a.rz;
    x->a_br[k] = a.b.r;
    x->b_rr[k] = b.rr;
    x->b_rz[k] = b.rz;
    x->b_br[k] = b.b.r;
  }
  if (!b_is_plane) FindRims(qa, qb, x);
  for (int k = 0; k < N; ++k) {
    if (!b_is_plane && x->found[k]) continue;
    const Conic a = SectionA(*x, qa, k), b = SectionB(*x, qb, k);
    Planar rim;
    x->found[k] = b_is_plane ? RimOnLine(a, b, &rim) : BracketRim(a, b, &rim);
    x->r[k] = rim.r;
    x->z[k] = rim.z;
  }
  double arcs[N], proved[N];
  for (int k = 0; k < N; ++k) {
    const Conic a = SectionA(*x, qa, k), b = SectionB(*x, qb, k);
    const Planar rim{x->r[k], x->z[k]};
    double a_square, b_square, on_top[4], on_low[4];
    const Arc up{{0, top}, rim, MiddleOf(a, {0, top}, rim, &a_square)};
    const Arc low{{0, bottom}, rim, MiddleOf(b, {0, bottom}, rim, &b_square)};
    QuarticAlong(b, up, on_top);
    QuarticAlong(a, low, on_low);
    x->top_r[k] = up.m.x.r;
    x->top_z[k] = up.m.x.z;
    x->top_w[k] = up.m.w;
    x->low_r[k] = low.m.x.r;
    x->low_z[k] = low.m.x.z;
    x->low_w[k] = low.m.w;
    double good = a_square > 0 ? 1.0 : 0.0;
    good = b_square > 0 ? good : 0.0;
    good = up.m.w > kLeastWeight ? good : 0.0;
    arcs[k] = low.m.w > kLeastWeight ? good : 0.0;
    double inside = on_top[0] < 0 ? 1.0 : 0.0;
    inside = on_top[1] < 0 ? inside : 0.0;
    inside = on_top[2] < 0 ? inside : 0.0;
    inside = on_top[3] < 0 ? inside : 0.0;
    inside = on_low[0] < 0 ? inside : 0.0;
    inside = on_low[1] < 0 ? inside : 0.0;
    inside = on_low[2] < 0 ? inside : 0.0;
    proved[k] = on_low[3] < 0 ? inside : 0.0;
  }
  for (int k = 0; k < N; ++k) {
    x->found[k] = x->found[k] && arcs[k] > 0 &&
                  (proved[k] > 0 || (ArcInside(SectionB(*x, qb, k), x->Top(top, k)) &&
                                     ArcInside(SectionA(*x, qa, k), x->Low(bottom, k))));
  }
}

}  // namespace intervox::cuda::internal::polar
