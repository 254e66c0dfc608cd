/** @file Sums over the columns of crescents, and the moments that they make. */
#pragma once

#include "cuda/rules/flux/arc_sums.h"
#include "cuda/rules/flux/crescent_columns.h"

namespace intervox::cuda::internal::flux {

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
  // Of the faces in planes through the axis.
  Vec3 cut_area;  ///< ∫ n dS [m²]
  Vec3 s, g;      ///< what they count for, the peg's face included that closes them
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

/** The moments of all panels about the hole's origin in its axes, and ∮ n dS [m²]. As ∮ n dS and
 ∮ r × n dS are nothing, the peg's face has what the others leave open, times its weight. */
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
