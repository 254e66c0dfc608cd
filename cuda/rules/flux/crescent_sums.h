/** @file Sums over the columns of a crescent between a hole's wall and the peg. */
#pragma once

#include "cuda/rules/flux/arc_sums.h"
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

/** Sums about the hole's origin in its axes; `closure` is ∮ n dS [m²]. */
struct CrescentSums {
  Moments x;
  Vec3 closure;
  double area = 0.0;          ///< of the wall [m²]
  double volume_error = 0.0;  ///< [m³]
  double along_error = 0.0;   ///< what of it narrower panels do not lessen [m³]
  double area_error = 0.0;    ///< [m²]
  int work = 0;
  int bad = 0;  ///< columns that do not end on the peg close by

  /** Adds other. */
  INTERVOX_HD CrescentSums& operator+=(const CrescentSums& other) {
    x += other.x;
    closure += other.closure;
    area += other.area;
    volume_error += other.volume_error;
    along_error += other.along_error;
    area_error += other.area_error;
    work += other.work;
    bad += other.bad;
    return *this;
  }
};

/** Lobatto's five points on [0, 1], exact to degree 7, and Simpson's three of them. */
struct LobattoRule {
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
  // Of the peg's n dS, and the products of its moment.
  S nx = {}, ny = {}, nz = {}, rnz = {}, znx = {}, zny = {}, spin = {};
  S least = {}, most = {};  ///< below and above zero: columns that do not end on the peg close by
  S from_lo = {}, from_hi = {};  ///< lengths of the first column and of the last
};

/** Sums over the columns of generators. */
template <class S>
INTERVOX_HD inline CrescentLanes<S> SumColumns(const Crescent& x, const CrescentNodes<S>& g) {
  const double mzz = x.peg.E(2, 2), mxz = x.peg.E(0, 2), myz = x.peg.E(1, 2);
  const double gx = x.peg.b.x, gy = x.peg.b.y, k = x.k;
  const S zero = {};
  const LobattoRule along;
  CrescentLanes<S> sum;
  // Columns whose roots are taken together, as a processor waits long for one.
  constexpr int kTogether = sizeof(S) > sizeof(double) ? 5 : 1;
  for (int first = 0; first < 5; first += kTogether) {
    S roots[kTogether], lengths[kTogether];
    INTERVOX_ROLLED
    for (int i = 0; i < kTogether; ++i) {
      const CrescentStart<S> c = StartOf(x, g, along.x[first + i]);
      const S disc = c.slope * c.slope - c.bend * c.level;
      sum.least = Smaller(Smaller(c.slope, disc), sum.least);
      const S root = Root(disc > 0 ? disc : zero);
      roots[i] = root;
      lengths[i] = -c.level / (c.slope + root);
    }
    if (first == 0) sum.from_lo = lengths[0];
    if (first + kTogether == 5) sum.from_hi = lengths[kTogether - 1];
    INTERVOX_ROLLED
    for (int i = 0; i < kTogether; ++i) {
      const double fine = along.fine[first + i], simpson = along.lean[first + i];
      const CrescentStart<S> c = StartOf(x, g, along.x[first + i]);
      const S q = lengths[i];
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
      const S f = fine * re * je / roots[i];
      const S ex = f * (re * g.mx + ze * mxz + gx);
      const S ey = f * (re * g.my + ze * myz + gy);
      const S ez = f * (c.bz + q * (g.mrz + c.tilt * mzz));
      sum.nx += ex;
      sum.ny += ey;
      sum.nz += ez;
      sum.rnz += re * ez;
      sum.znx += ze * ex;
      sum.zny += ze * ey;
      sum.spin += re * (g.c * ey - g.s * ex);
    }
  }
  return sum;
}

/** What is summed over the nodes; those from kOfEnd on for either end. */
enum CrescentKind : int {
  kV,
  kZ,
  kCosineR,
  kSineR,
  kXx,
  kYy,
  kXy,
  kZz,
  kXz,
  kYz,
  kLeanV,
  kLeanAlong,
  kNx,
  kNy,
  kNz,
  kSineRnz,
  kCosineRnz,
  kZnx,
  kZny,
  kSpin,
  kWall,
  kCosineWall,
  kSineWall,
  kCosineWall1,
  kSineWall1,
  kLeanWall,
  kOfEnd,
  kEndArea = kOfEnd,
  kEndX,
  kEndY,
  kEndZ,
  kAfterEnd,
  kCrescentKinds = kOfEnd + 2 * (kAfterEnd - kOfEnd)
};

/** (F4): one panel's share [from, to] ⊂ [0, 1], columns along s at the nodes of θ. */
template <int N>
INTERVOX_HD inline CrescentSums IntegrateCrescent(const Crescent& x, const CrescentPanel& p,
                                                  const NestedRule<N>& rule, double from,
                                                  double to) {
  constexpr int M = kNodesAtOnce;
  using S = Wide<M>;
  const double R = x.radius, k = x.k;
  const double tiny = 1e-12 * (x.high - x.low);
  NodeSums<N, kCrescentKinds, M> total;
  CrescentSums out;
  for (int step = 0; step < N; step += M) {
    const int first = total.NodeAt(step);
    const S sigma = from + LoadWide<M>(rule.x + first) * (to - from);
    const CrescentNodes<S> g = PlaceNodes(x, p, sigma, to - from);
    const CrescentLanes<S> sum = SumColumns(x, g);
    if (Least(sum.least) < -tiny || Most(sum.most) > 0.0) ++out.bad;
    const S weight = LoadWide<M>(rule.fine + first) * g.turn;
    const S coarse = LoadWide<M>(rule.lean + first) * g.turn;
    const S cosine = weight * g.c, sine = weight * g.s;
    const S cr2 = g.c * sum.r2, sr2 = g.s * sum.r2;
    const S H = g.height, z = g.lo + 0.5 * H, r = R + k * z;
    // ∫ dS and ∫ (z + k r) dS over the wall.
    const S wall = H * r;
    const S wall1 = H * (r * (z + k * r) + H * H * (k * (1.0 + k * k) / 12.0));
    total.AddWide(step, kV, weight * sum.v);
    total.AddWide(step, kLeanV, coarse * sum.v);
    total.AddWide(step, kLeanAlong, weight * sum.lean);
    total.AddWide(step, kCosineR, cosine * sum.r1);
    total.AddWide(step, kSineR, sine * sum.r1);
    total.AddWide(step, kZ, weight * sum.z1);
    total.AddWide(step, kXx, cosine * cr2);
    total.AddWide(step, kYy, sine * sr2);
    total.AddWide(step, kZz, weight * sum.z2);
    total.AddWide(step, kXy, sine * cr2);
    total.AddWide(step, kXz, cosine * sum.rz);
    total.AddWide(step, kYz, sine * sum.rz);
    total.AddWide(step, kNx, weight * sum.nx);
    total.AddWide(step, kNy, weight * sum.ny);
    total.AddWide(step, kNz, weight * sum.nz);
    total.AddWide(step, kSineRnz, sine * sum.rnz);
    total.AddWide(step, kCosineRnz, cosine * sum.rnz);
    total.AddWide(step, kZnx, weight * sum.znx);
    total.AddWide(step, kZny, weight * sum.zny);
    total.AddWide(step, kSpin, weight * sum.spin);
    total.AddWide(step, kWall, weight * wall);
    total.AddWide(step, kLeanWall, coarse * wall);
    total.AddWide(step, kCosineWall, cosine * wall);
    total.AddWide(step, kSineWall, sine * wall);
    total.AddWide(step, kCosineWall1, cosine * wall1);
    total.AddWide(step, kSineWall1, sine * wall1);
    for (int end = 0; end < 2; ++end) {
      if ((end == 0 ? p.lo_by : p.hi_by) < 0) continue;
      const S z0 = end == 0 ? g.lo : g.lo + g.height;
      const S tilt = end == 0 ? g.tilt0 : g.tilt0 + g.rise;
      const S r0 = R + k * z0, q = end == 0 ? sum.from_lo : sum.from_hi;
      const S s0 = q * (r0 + 0.5 * q);
      const S s1 = q * (r0 * (r0 + q) + q * q / 3.0);
      const S sz = z0 * s0 + tilt * q * q * (0.5 * r0 + q / 3.0);
      const int more = end * (kAfterEnd - kOfEnd);
      total.AddWide(step, kEndArea + more, weight * s0);
      total.AddWide(step, kEndX + more, cosine * s1);
      total.AddWide(step, kEndY + more, sine * s1);
      total.AddWide(step, kEndZ + more, weight * sz);
    }
    total.Close(step);
  }
  out.work = 5 * (N - 1);
  out.x.v = total[kV];
  out.x.m = {total[kCosineR], total[kSineR], total[kZ]};
  out.x.second = {{total[kXx], total[kYy], total[kZz]}, {total[kXy], total[kXz], total[kYz]}};
  const Vec3 peg{total[kNx], total[kNy], total[kNz]};
  const Vec3 peg_moment{total[kSineRnz] - total[kZny], total[kZnx] - total[kCosineRnz],
                        total[kSpin]};
  out.area = total[kWall];
  const Vec3 hole{-total[kCosineWall], -total[kSineWall], k * out.area};
  const Vec3 hole_moment{total[kSineWall1], -total[kCosineWall1], 0.0};
  out.closure = peg + hole;
  out.x.s = x.peg_weight * peg + x.weight * hole;
  out.x.g = x.peg_weight * peg_moment + x.weight * hole_moment;
  for (int end = 0; end < 2; ++end) {
    const int by = end == 0 ? p.lo_by : p.hi_by, more = end * (kAfterEnd - kOfEnd);
    if (by < 0) continue;
    const CrescentEnd& plane = x.end[by];
    const double upright = 1.0 / std::fabs(plane.n.z);
    const Vec3 area = (upright * total[kEndArea + more]) * plane.n;
    const Vec3 first{total[kEndX + more], total[kEndY + more], total[kEndZ + more]};
    out.closure += area;
    out.x.s += plane.weight * area;
    out.x.g += (plane.weight * upright) * Cross(first, plane.n);
  }
  const double miss = out.x.v - total[kLeanV], miss_along = out.x.v - total[kLeanAlong];
  const double miss_area = out.area - total[kLeanWall];
  // The outline, which the area sees first, decides how fast the sums converge.
  const double scale = std::fabs(out.x.v);
  const double off = std::fabs(miss) * out.area, off_area = std::fabs(miss_area) * scale;
  const double share = out.area > 0 ? (off > off_area ? off : off_area) / out.area : 0.0;
  out.along_error = EstimateOf(std::fabs(miss_along), scale);
  out.volume_error = EstimateOf(share, scale) + out.along_error;
  out.area_error = EstimateOf(std::fabs(miss_area), out.area);
  return out;
}

/** Adds Ω's faces in the planes through the axis that a panel ends at. */
INTERVOX_HD inline void AddCutFaces(const Crescent& x, const CrescentPanel& p, CrescentSums* out) {
  const LobattoRule along;
  for (int end = 0; end < 2; ++end) {
    if (p.cut[end] < 0) continue;
    const CrescentNodes<double> g = PlaceNodes(x, p, static_cast<double>(end), 1.0);
    double area = 0.0, first_r = 0.0, first_z = 0.0;
    for (int j = 0; j < 5; ++j) {
      const CrescentStart<double> c = StartOf(x, g, along.x[j]);
      const double disc = c.slope * c.slope - c.bend * c.level;
      const double q = -c.level / (c.slope + std::sqrt(disc > 0 ? disc : 0.0));
      const double jacobian = g.height * (1.0 - x.k * c.tilt);
      const double a = along.fine[j] * q * (jacobian + 0.5 * g.rise * q);
      const double b = along.fine[j] * q * q * (0.5 * jacobian + g.rise * q / 3.0);
      area += a;
      first_r += c.r * a + b;
      first_z += c.z * a + c.tilt * b;
    }
    const CrescentEnd& plane = x.cut[p.cut[end]];
    out->closure += area * plane.n;
    out->x.s += (plane.weight * area) * plane.n;
    const Vec3 first{g.c * first_r, g.s * first_r, first_z};
    out->x.g += plane.weight * Cross(first, plane.n);
  }
}

}  // namespace intervox::cuda::internal::flux
