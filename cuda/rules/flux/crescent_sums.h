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
  S nx = {}, ny = {}, nz = {};   ///< of the peg's n dS
  S least = {}, most = {};       ///< below and above zero: columns that do not end on the peg close by
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
  sum->lean += kShare * q *
               ((c.r + half) * jacobian + q * g.rise * (0.5 * c.r + (1.0 / 3.0) * q));
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

/** What is summed over the nodes of all panels, and after that for the planes at either end. */
enum CrescentKind : int {
  kZ,
  kCosineR,
  kSineR,
  kXx,
  kYy,
  kXy,
  kZz,
  kXz,
  kYz,
  kNx,
  kNy,
  kNz,
  kCosineWall,
  kSineWall,
  kCosineWall1,
  kSineWall1,
  kOfEnd,
  kEndArea = kOfEnd,
  kEndX,
  kEndY,
  kEndZ,
  kAfterEnd,
  kCrescentKinds = kOfEnd + 2 * (kAfterEnd - kOfEnd)
};

/** What is summed over the nodes of one panel, and tells its error. */
enum CrescentErrorKind : int { kV, kLeanV, kLeanAlong, kWall, kLeanWall, kCrescentErrorKinds };

/** Sums over panels, about the hole's origin in its axes. */
struct CrescentSums {
  FourSums<kCrescentKinds> nodes;
  double volume = 0.0;        ///< [m³]
  double area = 0.0;          ///< of the wall [m²]
  double volume_error = 0.0;  ///< [m³]
  double along_error = 0.0;   ///< what of it narrower panels do not lessen [m³]
  double along_miss = 0.0;    ///< what Simpson's rule along the generators has otherwise [m³]
  double area_error = 0.0;    ///< [m²]
  Vec3 cut_area;              ///< of planes through the axis: ∫ n dS [m²]
  Vec3 s, g;                  ///< theirs
  int work = 0;
  int bad = 0;  ///< columns that do not end on the peg close by

  /** Adds other. */
  INTERVOX_HD CrescentSums& operator+=(const CrescentSums& other) {
    nodes += other.nodes;
    volume += other.volume;
    area += other.area;
    volume_error += other.volume_error;
    along_error += other.along_error;
    along_miss += other.along_miss;
    area_error += other.area_error;
    cut_area += other.cut_area;
    s += other.s;
    g += other.g;
    work += other.work;
    bad += other.bad;
    return *this;
  }
};

/** (F4): adds one panel's share [from, to] ⊂ [0, 1], columns along s at the nodes of θ. */
template <class Columns, int N>
INTERVOX_HD inline void IntegrateCrescent(const Crescent& x, const CrescentPanel& p,
                                          const NestedRule<N>& rule, double from, double to,
                                          CrescentSums* out) {
  constexpr int M = kNodesAtOnce;
  using S = Wide<M>;
  const double R = x.radius, k = x.k;
  const double tiny = 1e-12 * (x.high - x.low);
  FourSums<kCrescentErrorKinds> own;
  auto& total = out->nodes;
  for (int first = 0; first < N; first += M) {
    const S sigma = from + LoadWide<M>(rule.x + first) * (to - from);
    const CrescentNodes<S> g = PlaceNodes(x, p, sigma, to - from);
    const CrescentLanes<S> sum = SumColumns<Columns>(x, p, g);
    if (Least(sum.least) < -tiny || Most(sum.most) > 0.0) ++out->bad;
    const S weight = LoadWide<M>(rule.fine + first) * g.turn;
    const S coarse = LoadWide<M>(rule.lean + first) * g.turn;
    const S cosine = weight * g.c, sine = weight * g.s;
    const S cr2 = g.c * sum.r2, sr2 = g.s * sum.r2;
    const S H = g.height, z = g.lo + 0.5 * H, r = R + k * z;
    // ∫ dS and ∫ (z + k r) dS over the wall.
    const S wall = H * r;
    const S wall1 = H * (r * (z + k * r) + H * H * (k * (1.0 + k * k) / 12.0));
    own.Add(first, kV, weight * sum.v);
    own.Add(first, kLeanV, coarse * sum.v);
    own.Add(first, kLeanAlong, weight * sum.lean);
    own.Add(first, kWall, weight * wall);
    own.Add(first, kLeanWall, coarse * wall);
    total.Add(first, kCosineR, cosine * sum.r1);
    total.Add(first, kSineR, sine * sum.r1);
    total.Add(first, kZ, weight * sum.z1);
    total.Add(first, kXx, cosine * cr2);
    total.Add(first, kYy, sine * sr2);
    total.Add(first, kZz, weight * sum.z2);
    total.Add(first, kXy, sine * cr2);
    total.Add(first, kXz, cosine * sum.rz);
    total.Add(first, kYz, sine * sum.rz);
    total.Add(first, kNx, weight * sum.nx);
    total.Add(first, kNy, weight * sum.ny);
    total.Add(first, kNz, weight * sum.nz);
    total.Add(first, kCosineWall, cosine * wall);
    total.Add(first, kSineWall, sine * wall);
    total.Add(first, kCosineWall1, cosine * wall1);
    total.Add(first, kSineWall1, sine * wall1);
    for (int end = 0; end < 2; ++end) {
      if ((end == 0 ? p.lo_by : p.hi_by) < 0) continue;
      const S z0 = end == 0 ? g.lo : g.lo + g.height;
      const S tilt = end == 0 ? g.tilt0 : g.tilt0 + g.rise;
      const S r0 = R + k * z0, q = end == 0 ? sum.from_lo : sum.from_hi;
      const S s0 = q * (r0 + 0.5 * q);
      const S s1 = q * (r0 * (r0 + q) + q * q / 3.0);
      const S sz = z0 * s0 + tilt * q * q * (0.5 * r0 + q / 3.0);
      const int more = end * (kAfterEnd - kOfEnd);
      total.Add(first, kEndArea + more, weight * s0);
      total.Add(first, kEndX + more, cosine * s1);
      total.Add(first, kEndY + more, sine * s1);
      total.Add(first, kEndZ + more, weight * sz);
    }
  }
  out->work += Columns::kColumns * (N - 1);
  const double volume = own[kV], area = own[kWall];
  const double miss = volume - own[kLeanV], miss_along = std::fabs(volume - own[kLeanAlong]);
  const double miss_area = area - own[kLeanWall];
  // The outline, which the area sees first, decides how fast the sums converge.
  const double scale = std::fabs(volume);
  const double off = std::fabs(miss) * area, off_area = std::fabs(miss_area) * scale;
  const double share = area > 0 ? (off > off_area ? off : off_area) / area : 0.0;
  const double along = EstimateOf(miss_along, scale);
  out->volume += volume;
  out->area += area;
  out->along_error += along;
  out->along_miss += miss_along;
  out->volume_error += EstimateOf(share, scale) + along;
  out->area_error += EstimateOf(std::fabs(miss_area), area);
}

/** Adds Ω's faces in the planes through the axis that a panel ends at. */
INTERVOX_HD inline void AddCutFaces(const Crescent& x, const CrescentPanel& p, CrescentSums* out) {
  const LobattoColumns along;
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
    out->cut_area += area * plane.n;
    // The peg's face is what the others leave open.
    const double weight = plane.weight - x.peg_weight;
    out->s += (weight * area) * plane.n;
    const Vec3 first{g.c * first_r, g.s * first_r, first_z};
    out->g += weight * Cross(first, plane.n);
  }
}

/** The moments of all panels about the hole's origin in its axes, and ∮ n dS [m²]. The peg's face
 has the area vector and the moment that the others leave open, which its own sums confirm. */
INTERVOX_HD inline Moments MomentsOf(const Crescent& x, const CrescentSums& sums, Vec3* closure) {
  const auto& of = sums.nodes;
  Moments m;
  m.v = sums.volume;
  m.m = {of[kCosineR], of[kSineR], of[kZ]};
  m.second = {{of[kXx], of[kYy], of[kZz]}, {of[kXy], of[kXz], of[kYz]}};
  const Vec3 hole{-of[kCosineWall], -of[kSineWall], x.k * sums.area};
  const Vec3 hole_moment{of[kSineWall1], -of[kCosineWall1], 0.0};
  const double weight = x.weight - x.peg_weight;
  m.s = sums.s + weight * hole;
  m.g = sums.g + weight * hole_moment;
  *closure = Vec3{of[kNx], of[kNy], of[kNz]} + hole + sums.cut_area;
  for (int i = 0; i < 2; ++i) {
    const CrescentEnd& end = x.end[i];
    if (!end.present) continue;
    const int more = i * (kAfterEnd - kOfEnd);
    const double upright = 1.0 / std::fabs(end.n.z), own = end.weight - x.peg_weight;
    const Vec3 area = (upright * of[kEndArea + more]) * end.n;
    const Vec3 first{of[kEndX + more], of[kEndY + more], of[kEndZ + more]};
    *closure += area;
    m.s += own * area;
    m.g += (own * upright) * Cross(first, end.n);
  }
  return m;
}

}  // namespace intervox::cuda::internal::flux
