/** @file The columns of a crescent between a hole's wall and the peg. */
#pragma once

#include "cuda/numerics/quadrature.h"
#include "cuda/rules/flux/crescent.h"

namespace intervox::cuda::internal::flux {

/** The generators between two directions less than half a turn apart: u ∈ [−reach, reach] is the
 half-angle tangent from the middle direction (c, s). */
struct CrescentPanel {
  double c = 1.0, s = 0.0;
  double reach = 0.0;
  double slope[2] = {1.0, 1.0};  ///< of the way from −reach to reach at its ends; 0 at a fold
  int lo_by = kByNothing, hi_by = kByNothing;
  std::int8_t cut[2] = {-1, -1};  ///< the plane through the axis that an end lies in, or negative
};

/** Three columns by Gauss' rule, exact to degree 5, and Simpson's rule on the middle one and the
 generators' ends. */
struct GaussColumns {
  static constexpr int kColumns = 3;
  double x[3] = {0.112701665379258311, 0.5, 0.887298334620741689};
  double fine[3] = {0.277777777777777778, 0.444444444444444444, 0.277777777777777778};
  double lean[3] = {0.0, 0.666666666666666667, 0.0};
};

/** Lobatto's five points on [0, 1], exact to degree 7, and Simpson's three of them. */
struct LobattoColumns {
  static constexpr int kColumns = 5;
  double x[5] = {0.0, 0.172673164646011428, 0.5, 0.827326835353988572, 1.0};
  double fine[5] = {0.05, 0.272222222222222222, 0.355555555555555556, 0.272222222222222222, 0.05};
  double lean[5] = {0.166666666666666667, 0.0, 0.666666666666666667, 0.0, 0.166666666666666667};
};

/** The generators of a panel at nodes of a rule, of which an S holds one or several. */
template <class S>
struct CrescentNodes {
  S c, s;         ///< ρ
  S turn;         ///< dθ
  S lo, height;   ///< the interval's start and length
  S tilt0, rise;  ///< dz/dr of the first column, and from it to the last
  // ρᵀMρ, eᵀMρ, g·ρ and Mρ's parts: Q in the half plane.
  S mrr, mrz, gr, mx, my;
};

/** Places nodes at the shares sigma of a panel; each counts for `part` of it. */
template <class S>
INTERVOX_HD inline CrescentNodes<S> PlaceNodes(const Crescent& x, const CrescentPanel& p,
                                               const S& sigma, double part) {
  // A cubic from 0 to 1 by its slopes at the ends.
  const double a1 = p.slope[0], a2 = 3.0 - 2.0 * p.slope[0] - p.slope[1];
  const double a3 = p.slope[0] + p.slope[1] - 2.0;
  const Mat3& m = x.peg.E;
  const double R = x.radius, k = x.k;
  const S zero = {};
  CrescentNodes<S> g;
  const S share = sigma * (a1 + sigma * (a2 + sigma * a3));
  const S slope = (a1 + sigma * (2.0 * a2 + sigma * (3.0 * a3))) * part;
  const S u = p.reach * (2.0 * share - 1.0), ig = 1.0 / (1.0 + u * u);
  const S cosine = (1.0 - u * u) * ig, sine = 2.0 * u * ig;
  g.turn = 4.0 * p.reach * slope * ig;
  g.c = cosine * p.c - sine * p.s;
  g.s = cosine * p.s + sine * p.c;
  g.mx = m(0, 0) * g.c + m(0, 1) * g.s;
  g.my = m(0, 1) * g.c + m(1, 1) * g.s;
  g.mrr = g.c * g.mx + g.s * g.my;
  g.mrz = g.c * m(0, 2) + g.s * m(1, 2);
  g.gr = g.c * x.peg.b.x + g.s * x.peg.b.y;
  CrescentChord<S> chord = {zero, zero};
  if (p.lo_by <= kByEntry || p.hi_by <= kByEntry) {
    const S alpha = m(2, 2) + k * (2.0 * g.mrz + k * g.mrr);
    const S beta = R * g.mrz + x.peg.b.z + k * (R * g.mrr + g.gr);
    const S gamma = R * (R * g.mrr + 2.0 * g.gr) + x.peg.c;
    const S disc = beta * beta - alpha * gamma;
    chord = ChordOf(alpha, beta, gamma, Root(disc > 0 ? disc : zero));
  }
  for (int end = 0; end < 2; ++end) {
    const int by = end == 0 ? p.lo_by : p.hi_by;
    S& t = end == 0 ? g.lo : g.height;
    S& tilt = end == 0 ? g.tilt0 : g.rise;
    if (by <= kByEntry) {
      t = by == kByEntry ? chord.in : chord.out;
      tilt = zero;
      continue;
    }
    const CrescentEnd& plane = x.end[by];
    const S across = plane.n.x * g.c + plane.n.y * g.s;
    t = (plane.h - R * across) / (plane.n.z + k * across);
    tilt = (-1.0 / plane.n.z) * across;
  }
  const S height = g.height - g.lo;
  g.height = height > 0 ? height : zero;
  g.rise -= g.tilt0;
  return g;
}

/** A column where it leaves the wall, tilted by dz/dr: there Q is level + 2 slope q + bend q² at
 the distance q from the axis' direction, and bz half of ∂Q/∂z. */
template <class S>
struct CrescentStart {
  S r, z, tilt, bz, level, slope, bend;
};

/** The column at the share `at` of each generator. */
template <class S>
INTERVOX_HD inline CrescentStart<S> StartOf(const Crescent& x, const CrescentNodes<S>& g,
                                            double at) {
  const double mzz = x.peg.E(2, 2), gz = x.peg.b.z;
  const S z = g.lo + at * g.height, r = x.radius + x.k * z;
  const S tilt = g.tilt0 + at * g.rise;
  const S br = r * g.mrr + z * g.mrz + g.gr, bz = r * g.mrz + z * mzz + gz;
  return {r,
          z,
          tilt,
          bz,
          r * (br + g.gr) + z * (bz + gz) + x.peg.c,
          br + tilt * bz,
          g.mrr + tilt * (2.0 * g.mrz + tilt * mzz)};
}

/** Integrals along generators. */
template <class S>
struct CrescentLanes {
  // Of 1, z, z², r, r², r z over the slices, and of 1 by Simpson's rule.
  S v = {}, z1 = {}, z2 = {}, r1 = {}, r2 = {}, rz = {}, lean = {};
  S nx = {}, ny = {}, nz = {};  ///< of the peg's n dS
  S least = {}, most = {};  ///< below and above zero: columns that do not end on the peg close by
  S from_lo = {}, from_hi = {};  ///< lengths of the first column and of the last
};

/** The root of a column's level, and the column's length. */
template <class S>
struct CrescentLength {
  S root, length;
};

/** Follows a column to the peg. */
template <class S>
INTERVOX_HD inline CrescentLength<S> LengthOf(const CrescentStart<S>& c, CrescentLanes<S>* sum) {
  const S zero = {}, disc = c.slope * c.slope - c.bend * c.level;
  sum->least = Smaller(Smaller(c.slope, disc), sum->least);
  const S root = Root(disc > 0 ? disc : zero);
  return {root, -c.level / (c.slope + root)};
}

/** Simpson's share of the first column, or of the last one, and its length. */
template <class S>
INTERVOX_HD inline S AddEnd(const Crescent& x, const CrescentNodes<S>& g, double at,
                            CrescentLanes<S>* sum) {
  constexpr double kShare = 1.0 / 6.0;
  const CrescentStart<S> c = StartOf(x, g, at);
  const S q = LengthOf(c, sum).length;
  // ∫ (r + t) (jacobian + rise t) dt from 0 to q.
  const S jacobian = g.height * (1.0 - x.k * c.tilt), half = 0.5 * q;
  sum->lean += kShare * q * ((c.r + half) * jacobian + q * g.rise * (0.5 * c.r + (1.0 / 3.0) * q));
  sum->most = Larger(q - 0.25 * c.r, sum->most);
  sum->least = Smaller(jacobian + g.rise * q, sum->least);
  return q;
}

/** Sums over the columns of generators. */
template <class Columns, class S>
INTERVOX_HD inline CrescentLanes<S> SumColumns(const Crescent& x, const CrescentPanel& p,
                                               const CrescentNodes<S>& g) {
  const double mxz = x.peg.E(0, 2), myz = x.peg.E(1, 2);
  const double gx = x.peg.b.x, gy = x.peg.b.y, k = x.k;
  constexpr int kColumns = Columns::kColumns;
  const Columns along;
  CrescentLanes<S> sum;
  if constexpr (kColumns == 3) {
    // Where the peg ends a generator there is no column.
    if (p.lo_by >= 0) sum.from_lo = AddEnd(x, g, 0.0, &sum);
    if (p.hi_by >= 0) sum.from_hi = AddEnd(x, g, 1.0, &sum);
  }
  // Columns whose roots are taken together, as a processor waits long for one.
  constexpr int kTogether = sizeof(S) > sizeof(double) ? kColumns : 1;
  for (int first = 0; first < kColumns; first += kTogether) {
    CrescentLength<S> ends[kTogether];
    INTERVOX_ROLLED
    for (int i = 0; i < kTogether; ++i) {
      ends[i] = LengthOf(StartOf(x, g, along.x[first + i]), &sum);
    }
    if constexpr (kColumns == 5) {
      if (first == 0) sum.from_lo = ends[0].length;
      if (first + kTogether == kColumns) sum.from_hi = ends[kTogether - 1].length;
    }
    INTERVOX_ROLLED
    for (int i = 0; i < kTogether; ++i) {
      const double fine = along.fine[first + i], simpson = along.lean[first + i];
      const CrescentStart<S> c = StartOf(x, g, along.x[first + i]);
      const S q = ends[i].length;
      const S jacobian = g.height * (1.0 - k * c.tilt);
      const S h0 = 0.5 * q, h1 = 0.5 * kGaussTwo * q;
      const S qa = h0 - h1, qb = h0 + h1;
      const S ra = c.r + qa, rb = c.r + qb;
      const S za = c.z + c.tilt * qa, zb = c.z + c.tilt * qb;
      const S wa = h0 * ra * (jacobian + g.rise * qa);
      const S wb = h0 * rb * (jacobian + g.rise * qb);
      const S w = wa + wb, a = fine * wa, b = fine * wb;
      const S aza = a * za, bzb = b * zb, ara = a * ra, brb = b * rb;
      sum.lean += simpson * w;
      sum.v += fine * w;
      sum.z1 += aza + bzb;
      sum.r1 += ara + brb;
      sum.z2 += aza * za + bzb * zb;
      sum.r2 += ara * ra + brb * rb;
      sum.rz += ara * za + brb * zb;
      const S excess = q - 0.25 * c.r, je = jacobian + g.rise * q;
      sum.most = Larger(excess, sum.most);
      sum.least = Smaller(je, sum.least);
      // The peg: n dS = ∇Q/(∇Q·∂x/∂q) |∂x/∂(θ, s, q)|.
      const S re = c.r + q, ze = c.z + c.tilt * q;
      const S f = fine * re * je / ends[i].root;
      sum.nx += f * (re * g.mx + ze * mxz + gx);
      sum.ny += f * (re * g.my + ze * myz + gy);
      sum.nz += f * (c.bz + q * (g.mrz + c.tilt * x.peg.E(2, 2)));
    }
  }
  return sum;
}

}  // namespace intervox::cuda::internal::flux
