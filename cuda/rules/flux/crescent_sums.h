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

/** The generators of a panel at N of a rule's nodes. */
template <int N>
struct CrescentNodes {
  double c[N], s[N];         ///< ρ
  double turn[N];            ///< dθ
  double lo[N], height[N];   ///< the interval's start and length
  double tilt0[N], rise[N];  ///< dz/dr of the first column, and from it to the last
  // ρᵀMρ, eᵀMρ, g·ρ and Mρ's parts: Q in the half plane.
  double mrr[N], mrz[N], gr[N], mx[N], my[N];
};

/** Places N nodes of a rule from `first` on. */
template <int N, int kRule>
INTERVOX_HD inline void PlaceNodes(const Crescent& x, const CrescentPanel& p,
                                   const NestedRule<kRule>& rule, int first, double from, double to,
                                   CrescentNodes<N>* __restrict g) {
  // A cubic from 0 to 1 by its slopes at the ends.
  const double a1 = p.slope[0], a2 = 3.0 - 2.0 * p.slope[0] - p.slope[1];
  const double a3 = p.slope[0] + p.slope[1] - 2.0;
  const Mat3& m = x.peg.E;
  const double mxx = m(0, 0), mxy = m(0, 1), myy = m(1, 1), mxz = m(0, 2), myz = m(1, 2);
  const double mzz = m(2, 2), gx = x.peg.b.x, gy = x.peg.b.y, gz = x.peg.b.z;
  const double R = x.radius, k = x.k;
  const double reach = p.reach, c = p.c, s = p.s;
  double in[N], out[N];
  for (int i = 0; i < N; ++i) {
    const double sigma = from + rule.x[first + i] * (to - from);
    const double share = sigma * (a1 + sigma * (a2 + sigma * a3));
    const double slope = (a1 + sigma * (2.0 * a2 + sigma * (3.0 * a3))) * (to - from);
    const double u = reach * (2.0 * share - 1.0), ig = 1.0 / (1.0 + u * u);
    const double cosine = (1.0 - u * u) * ig, sine = 2.0 * u * ig;
    g->turn[i] = 4.0 * reach * slope * ig;
    g->c[i] = cosine * c - sine * s;
    g->s[i] = cosine * s + sine * c;
    g->mx[i] = mxx * g->c[i] + mxy * g->s[i];
    g->my[i] = mxy * g->c[i] + myy * g->s[i];
    g->mrr[i] = g->c[i] * g->mx[i] + g->s[i] * g->my[i];
    g->mrz[i] = g->c[i] * mxz + g->s[i] * myz;
    g->gr[i] = g->c[i] * gx + g->s[i] * gy;
  }
  if (p.lo_by <= kByEntry || p.hi_by <= kByEntry) {
    double alpha[N], beta[N], gamma[N], root[N];
    for (int i = 0; i < N; ++i) {
      alpha[i] = mzz + k * (2.0 * g->mrz[i] + k * g->mrr[i]);
      beta[i] = R * g->mrz[i] + gz + k * (R * g->mrr[i] + g->gr[i]);
      gamma[i] = R * (R * g->mrr[i] + 2.0 * g->gr[i]) + x.peg.c;
      const double disc = beta[i] * beta[i] - alpha[i] * gamma[i];
      root[i] = disc > 0 ? disc : 0.0;
    }
    for (int i = 0; i < N; ++i) root[i] = std::sqrt(root[i]);
    for (int i = 0; i < N; ++i) {
      const CrescentChord chord = ChordOf(alpha[i], beta[i], gamma[i], root[i]);
      in[i] = chord.in;
      out[i] = chord.out;
    }
  }
  for (int end = 0; end < 2; ++end) {
    const int by = end == 0 ? p.lo_by : p.hi_by;
    double(&t)[N] = end == 0 ? g->lo : g->height;
    double(&tilt)[N] = end == 0 ? g->tilt0 : g->rise;
    if (by <= kByEntry) {
      for (int i = 0; i < N; ++i) t[i] = by == kByEntry ? in[i] : out[i];
      for (int i = 0; i < N; ++i) tilt[i] = 0.0;
      continue;
    }
    const CrescentEnd& plane = x.end[by];
    const Vec3 n = plane.n;
    const double steep = -1.0 / n.z, h = plane.h;
    for (int i = 0; i < N; ++i) {
      const double across = n.x * g->c[i] + n.y * g->s[i];
      t[i] = (h - R * across) / (n.z + k * across);
      tilt[i] = steep * across;
    }
  }
  for (int i = 0; i < N; ++i) {
    const double height = g->height[i] - g->lo[i];
    g->height[i] = height > 0 ? height : 0.0;
    g->rise[i] -= g->tilt0[i];
  }
}

/** A column where it leaves the wall, tilted by dz/dr: there Q is level + 2 slope q + bend q² at
 the distance q from the axis' direction, and bz half of ∂Q/∂z. */
struct CrescentStart {
  double r, z, tilt, bz, level, slope, bend;
};

/** The column of node i at the share `at` of its generator. */
template <int N>
INTERVOX_HD inline CrescentStart StartOf(const Crescent& x, const CrescentNodes<N>& g, int i,
                                         double at) {
  const double mzz = x.peg.E(2, 2), gz = x.peg.b.z;
  const double z = g.lo[i] + at * g.height[i], r = x.radius + x.k * z;
  const double tilt = g.tilt0[i] + at * g.rise[i];
  const double br = r * g.mrr[i] + z * g.mrz[i] + g.gr[i], bz = r * g.mrz[i] + z * mzz + gz;
  return {r,
          z,
          tilt,
          bz,
          r * (br + g.gr[i]) + z * (bz + gz) + x.peg.c,
          br + tilt * bz,
          g.mrr[i] + tilt * (2.0 * g.mrz[i] + tilt * mzz)};
}

/** Integrals along the generators at N nodes. */
template <int N>
struct CrescentLanes {
  // Of 1, z, z², r, r², r z over the slices, and of 1 by Simpson's rule.
  double v[N], z1[N], z2[N], r1[N], r2[N], rz[N], lean[N];
  // Of the peg's n dS, and the products of its moment.
  double nx[N], ny[N], nz[N], rnz[N], znx[N], zny[N], spin[N];
};

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
  constexpr int M = kAllNodesAtOnce<N>;
  const Mat3& m = x.peg.E;
  const double mzz = m(2, 2), mxz = m(0, 2), myz = m(1, 2);
  const double gx = x.peg.b.x, gy = x.peg.b.y, R = x.radius, k = x.k;
  const LobattoRule along;
  const double tiny = 1e-12 * (x.high - x.low);
  NodeSums<N, kCrescentKinds, M> total;
  CrescentSums out;
  for (int step = 0; step < N; step += M) {
    const int first = total.NodeAt(step);
    CrescentNodes<M> g;
    PlaceNodes(x, p, rule, first, from, to, &g);
    CrescentLanes<M> sum = {};
    double wall[M], wall1[M];  // ∫ dS and ∫ (z + k r) dS
    double least[M], most[M];
    for (int i = 0; i < M; ++i) {
      const double H = g.height[i], z = g.lo[i] + 0.5 * H, r = R + k * z;
      wall[i] = H * r;
      wall1[i] = H * (r * (z + k * r) + H * H * (k * (1.0 + k * k) / 12.0));
      least[i] = most[i] = 0.0;
    }
    double length[5][M];
    for (int j = 0; j < 5; ++j) {
      const double at = along.x[j], fine = along.fine[j], simpson = along.lean[j];
      double(&q)[M] = length[j];
      double r0[M], z0[M], tilt[M], bz[M], level[M], slope[M], root[M];
      // Loops without calls and branches: compilers turn them into vector instructions.
      for (int i = 0; i < M; ++i) {
        const CrescentStart c = StartOf(x, g, i, at);
        z0[i] = c.z;
        r0[i] = c.r;
        tilt[i] = c.tilt;
        bz[i] = c.bz;
        level[i] = c.level;
        slope[i] = c.slope;
        const double disc = c.slope * c.slope - c.bend * c.level;
        const double worse = slope[i] < disc ? slope[i] : disc;
        least[i] = worse < least[i] ? worse : least[i];
        root[i] = disc > 0 ? disc : 0.0;
      }
      for (int i = 0; i < M; ++i) root[i] = std::sqrt(root[i]);
      for (int i = 0; i < M; ++i) {
        q[i] = -level[i] / (slope[i] + root[i]);
        const double jacobian = g.height[i] * (1.0 - k * tilt[i]);
        const double h0 = 0.5 * q[i], h1 = 0.5 * kGaussTwo * q[i];
        const double qa = h0 - h1, qb = h0 + h1;
        const double ra = r0[i] + qa, rb = r0[i] + qb;
        const double za = z0[i] + tilt[i] * qa, zb = z0[i] + tilt[i] * qb;
        const double wa = h0 * ra * (jacobian + g.rise[i] * qa);
        const double wb = h0 * rb * (jacobian + g.rise[i] * qb);
        const double w = wa + wb, a = fine * wa, b = fine * wb;
        sum.lean[i] += simpson * w;
        sum.v[i] += fine * w;
        sum.z1[i] += a * za + b * zb;
        sum.r1[i] += a * ra + b * rb;
        sum.z2[i] += a * za * za + b * zb * zb;
        sum.r2[i] += a * ra * ra + b * rb * rb;
        sum.rz[i] += a * ra * za + b * rb * zb;
        const double excess = q[i] - 0.25 * r0[i], je = jacobian + g.rise[i] * q[i];
        most[i] = excess > most[i] ? excess : most[i];
        least[i] = je < least[i] ? je : least[i];
      }
      // The peg: n dS = ∇Q/(∇Q·∂x/∂q) |∂x/∂(θ, s, q)|.
      for (int i = 0; i < M; ++i) {
        const double re = r0[i] + q[i], ze = z0[i] + tilt[i] * q[i];
        const double je = g.height[i] * (1.0 - k * tilt[i]) + g.rise[i] * q[i];
        const double f = fine * re * je / root[i];
        const double ex = f * (re * g.mx[i] + ze * mxz + gx);
        const double ey = f * (re * g.my[i] + ze * myz + gy);
        const double ez = f * (bz[i] + q[i] * (g.mrz[i] + tilt[i] * mzz));
        sum.nx[i] += ex;
        sum.ny[i] += ey;
        sum.nz[i] += ez;
        sum.rnz[i] += re * ez;
        sum.znx[i] += ze * ex;
        sum.zny[i] += ze * ey;
        sum.spin[i] += re * (g.c[i] * ey - g.s[i] * ex);
      }
    }
    double cosine[M], sine[M], weight[M], coarse[M], cr2[M], sr2[M];
    for (int i = 0; i < M; ++i) {
      weight[i] = rule.fine[first + i] * g.turn[i];
      coarse[i] = rule.lean[first + i] * g.turn[i];
      cosine[i] = weight[i] * g.c[i];
      sine[i] = weight[i] * g.s[i];
      cr2[i] = g.c[i] * sum.r2[i];
      sr2[i] = g.s[i] * sum.r2[i];
      out.bad += least[i] < -tiny || most[i] > 0.0;
    }
    total.Add(step, kV, weight, sum.v);
    total.Add(step, kLeanV, coarse, sum.v);
    total.Add(step, kLeanAlong, weight, sum.lean);
    total.Add(step, kCosineR, cosine, sum.r1);
    total.Add(step, kSineR, sine, sum.r1);
    total.Add(step, kZ, weight, sum.z1);
    total.Add(step, kXx, cosine, cr2);
    total.Add(step, kYy, sine, sr2);
    total.Add(step, kZz, weight, sum.z2);
    total.Add(step, kXy, sine, cr2);
    total.Add(step, kXz, cosine, sum.rz);
    total.Add(step, kYz, sine, sum.rz);
    total.Add(step, kNx, weight, sum.nx);
    total.Add(step, kNy, weight, sum.ny);
    total.Add(step, kNz, weight, sum.nz);
    total.Add(step, kSineRnz, sine, sum.rnz);
    total.Add(step, kCosineRnz, cosine, sum.rnz);
    total.Add(step, kZnx, weight, sum.znx);
    total.Add(step, kZny, weight, sum.zny);
    total.Add(step, kSpin, weight, sum.spin);
    total.Add(step, kWall, weight, wall);
    total.Add(step, kLeanWall, coarse, wall);
    total.Add(step, kCosineWall, cosine, wall);
    total.Add(step, kSineWall, sine, wall);
    total.Add(step, kCosineWall1, cosine, wall1);
    total.Add(step, kSineWall1, sine, wall1);
    for (int end = 0; end < 2; ++end) {
      if ((end == 0 ? p.lo_by : p.hi_by) < 0) continue;
      double s0[M], s1[M], sz[M];
      for (int i = 0; i < M; ++i) {
        const double z0 = end == 0 ? g.lo[i] : g.lo[i] + g.height[i];
        const double tilt = end == 0 ? g.tilt0[i] : g.tilt0[i] + g.rise[i];
        const double r0 = x.radius + k * z0, q = length[4 * end][i];
        s0[i] = q * (r0 + 0.5 * q);
        s1[i] = q * (r0 * (r0 + q) + q * q / 3.0);
        sz[i] = z0 * s0[i] + tilt * q * q * (0.5 * r0 + q / 3.0);
      }
      const int more = end * (kAfterEnd - kOfEnd);
      total.Add(step, kEndArea + more, weight, s0);
      total.Add(step, kEndX + more, cosine, s1);
      total.Add(step, kEndY + more, sine, s1);
      total.Add(step, kEndZ + more, weight, sz);
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
    const NestedRule<1> rule = {{static_cast<double>(end)}, {1.0}, {1.0}};
    CrescentNodes<1> g;
    PlaceNodes(x, p, rule, 0, 0.0, 1.0, &g);
    double area = 0.0, first_r = 0.0, first_z = 0.0;
    for (int j = 0; j < 5; ++j) {
      const CrescentStart c = StartOf(x, g, 0, along.x[j]);
      const double disc = c.slope * c.slope - c.bend * c.level;
      const double q = -c.level / (c.slope + std::sqrt(disc > 0 ? disc : 0.0));
      const double jacobian = g.height[0] * (1.0 - x.k * c.tilt);
      const double a = along.fine[j] * q * (jacobian + 0.5 * g.rise[0] * q);
      const double b = along.fine[j] * q * q * (0.5 * jacobian + g.rise[0] * q / 3.0);
      area += a;
      first_r += c.r * a + b;
      first_z += c.z * a + c.tilt * b;
    }
    const CrescentEnd& plane = x.cut[p.cut[end]];
    out->closure += area * plane.n;
    out->x.s += (plane.weight * area) * plane.n;
    const Vec3 first{g.c[0] * first_r, g.s[0] * first_r, first_z};
    out->x.g += plane.weight * Cross(first, plane.n);
  }
}

}  // namespace intervox::cuda::internal::flux
