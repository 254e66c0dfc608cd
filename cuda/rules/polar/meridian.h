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

/** (P5): the arc from p0 to p2 on the conic, both of which lie on it.

 The middle control point is conjugate to both ends. With C and D half their sum and difference,
 CᵀQD = 0 and DᵀQD = −CᵀQC = σ; a normal v of the chord, freed of C and D in the metric Q, gives m =
 (σv − (vQD) D + (vQC) C) / √(σ vQv − (vQD)² + (vQC)²). Nothing cancels, and a straight section (σ =
 0) gives the chord itself. */
INTERVOX_HD inline bool MakeArc(const Conic& conic, const Planar& p0, const Planar& p2, Arc* arc) {
  const Planar c{0.5 * (p0.r + p2.r), 0.5 * (p0.z + p2.z)};
  const Planar d{0.5 * (p2.r - p0.r), 0.5 * (p2.z - p0.z)};
  Planar v{-d.z, d.r};
  if (Dot(v, c) < 0) v = {-v.r, -v.z};
  const Planar gd = conic.Gamma(d);
  const Planar gc = conic.Gamma(c);
  const double sigma = Dot(d, gd);
  const double vd = Dot(v, gd);
  const double vc = Dot(v, gc) + Dot(v, conic.b);
  const double square = sigma * Dot(v, conic.Gamma(v)) - vd * vd + vc * vc;
  if (!(square > 0)) return false;
  const double inverse = 1 / std::sqrt(square);
  arc->p0 = p0;
  arc->p2 = p2;
  arc->m = {{(sigma * v.r - vd * d.r + vc * c.r) * inverse,
             (sigma * v.z - vd * d.z + vc * c.z) * inverse},
            vc * inverse};
  return arc->m.w > -0.999999;
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

/** (P6): proof that the other conic does not cut the arc except at p2, which lies on both: its
 quartic along the arc has Bernstein coefficients of one sign, on the whole or on a few pieces. */
INTERVOX_HD inline bool ArcInside(const Conic& other, const Arc& arc) {
  const Conic::Line of_p0 = other.PolarOf({arc.p0, 1}), of_m = other.PolarOf(arc.m);
  const Weighted p2{arc.p2, 1};
  double b[5] = {of_p0.At({arc.p0, 1}), of_p0.At(arc.m), (of_p0.At(p2) + 2 * of_m.At(arc.m)) / 3,
                 of_m.At(p2), 0};
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

/** (P3): the point of the half plane where the conics meet, between the poles: conic a is met first
 near +z, conic b near −z. False when no such point was found. */
INTERVOX_HD inline bool FindRim(const Conic& a, const Conic& b, bool b_is_line, Planar* rim) {
  if (b_is_line) {
    // Along the line from its point on the axis, a's section is a quadratic.
    const Planar p{0, 0.5 / b.b.z};
    const Planar d{-b.b.z, b.b.r};
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
  // Newton's method in the plane from where a thin overlap has its rim.
  Planar x{1, 0};
  for (int i = 0; i < 7; ++i) {
    const Planar ga = a.Gamma(x), gb = b.Gamma(x);
    const double fa = Dot(x, ga) + 2 * Dot(a.b, x) - 1;
    const double fb = Dot(x, gb) + 2 * Dot(b.b, x) - 1;
    const Planar da{ga.r + a.b.r, ga.z + a.b.z}, db{gb.r + b.b.r, gb.z + b.b.z};
    const double det = 2 * (da.r * db.z - da.z * db.r);
    const Planar step{(fa * db.z - fb * da.z) / det, (da.r * fb - db.r * fa) / det};
    x = {x.r - step.r, x.z - step.z};
    const double size = std::fabs(step.r) + std::fabs(step.z);
    if (!(size < 10)) break;
    if (size < 1e-9 * x.r) {
      // One quadratic step further is rounding; the root must be first along its ray.
      if (1 - Dot(a.b, x) > 0 && 1 - Dot(b.b, x) > 0) {
        *rim = x;
        return true;
      }
      break;
    }
  }
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

}  // namespace intervox::cuda::internal::polar
