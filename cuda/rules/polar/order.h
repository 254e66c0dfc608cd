/** @file How finely the polar rule integrates: sums over azimuths, their errors, and the next
 * order. */
#pragma once

#include "cuda/rules/polar/lens.h"

namespace intervox::cuda::internal::polar {

/** How finely a lens is integrated. */
struct PolarOrder {
  int azimuths = 8;  ///< divides kMaxAzimuths, even
  int rule = 0;      ///< see GaussOrder
  int top_cuts = 0;  ///< a's arcs are halved this often, at most 2
  int bottom_cuts = 0;
};

/** From this many azimuths on the decay is seen at high frequencies, too: V's share at half of the
 azimuths has a cosine only, which vanishes by chance. */
inline constexpr int kManyAzimuths = 20;

/** V's shares at the frequencies n/2 − n/8 and n/2 − n/8 + 1 of n azimuths, times n: two, as
 symmetric lenses have even ones only. */
struct HighShares {
  double cosine[2] = {}, sine[2] = {};

  /** Adds the i-th azimuth of n. */
  INTERVOX_HD void Add(int azimuths, int i, double v) {
    const int azimuth = i * (kMaxAzimuths / azimuths);
    for (int k = 0; k < 2; ++k) {
      double c, s;
      Azimuth((azimuths / 2 - azimuths / 8 + k) * azimuth % kMaxAzimuths, &c, &s);
      cosine[k] += v * c;
      sine[k] += v * s;
    }
  }

  /** The larger one. */
  INTERVOX_HD double Largest() const {
    const double first = cosine[0] * cosine[0] + sine[0] * sine[0];
    const double second = cosine[1] * cosine[1] + sine[1] * sine[1];
    return std::sqrt(first > second ? first : second);
  }
};

/** Sums over azimuths in the mapped frame, about its origin. */
struct PolarSums {
  VolumeMoments body;
  VolumeMoments face;      ///< of k over the face of b, where n dS = (b + Ey) k
  HighShares shares;       ///< of kManyAzimuths and more
  double top_bend = 0;     ///< largest 1 − w of a's arcs
  double bottom_bend = 0;  ///< largest 1 − w of b's arcs

  INTERVOX_HD PolarSums& operator+=(const PolarSums& o) {
    body += o.body;
    face += o.face;
    for (int k = 0; k < 2; ++k) {
      shares.cosine[k] += o.shares.cosine[k];
      shares.sine[k] += o.shares.sine[k];
    }
    top_bend = top_bend > o.top_bend ? top_bend : o.top_bend;
    bottom_bend = bottom_bend > o.bottom_bend ? bottom_bend : o.bottom_bend;
    return *this;
  }
};

/** The sums over the azimuths with even and with odd numbers. */
struct AzimuthSums {
  PolarSums even, odd;
};

/** Bound of the error, relative to V, of a Gauss rule on an arc of the given bend, also for the
 first and (a fifth of) the second moments. Powers follow from the integrands, of degree 8 over the
 tenth power of the weight polynomial; factors are twice the largest seen on random ellipsoids. Arcs
 of nearly half an ellipse err by up to 9.3 times the powers, as was seen on 60,000 of them, and by
 19.2 times the last one: the more nodes, the more the poles, which come as near as ½ ± ½i, count.
 */
INTERVOX_HD inline double ArcError(double bend, int rule) {
  const double b2 = bend * bend;
  const double wide = bend > 0.5 ? bend - 0.5 : 0.0;
  const double factor = 1 + (rule < 4 ? 100 : 200) * wide * wide * wide;
  switch (rule) {
    case 0:
      return factor * 3e-3 * bend;
    case 1:
      return factor * 5e-4 * b2;
    case 2:
      return factor * 1.2e-5 * b2 * b2;
    case 3:
      return factor * 1.2e-7 * b2 * b2 * b2 * bend;
    default:
      return factor * 5e-11 * b2 * b2 * b2 * b2 * b2;
  }
}

/** (P9): the bend of each part of an arc that is halved `cuts` times: 1 − cos of half the angle. */
INTERVOX_HD inline double HalvedBend(double bend, int cuts) {
  for (int i = 0; i < cuts; ++i) {
    // 1 − √(1 − bend/2) without cancellation.
    bend = 0.5 * bend / (1 + std::sqrt(1 - 0.5 * bend));
  }
  return bend;
}

/** The cheapest rule whose error bound meets the target; the finest if none does. One rule serves
 both faces, each with its own halvings. */
INTERVOX_HD inline void ChooseRule(double top_bend, double bottom_bend, double target,
                                   PolarOrder* order) {
  if (ArcError(top_bend, 0) <= target && ArcError(bottom_bend, 0) <= target) {
    order->rule = order->top_cuts = order->bottom_cuts = 0;
    return;
  }
  int best = 1 << 20;
  order->rule = kGaussRules - 1;
  order->top_cuts = order->bottom_cuts = 2;
  for (int rule = 0; rule < kGaussRules; ++rule) {
    int cuts[2];
    for (int face = 0; face < 2; ++face) {
      const double bend = face == 0 ? top_bend : bottom_bend;
      int n = 0;
      while (n < 3 && ArcError(HalvedBend(bend, n), rule) > target) ++n;
      cuts[face] = n;
    }
    if (cuts[0] > 2 || cuts[1] > 2) continue;
    const int cost = GaussOrder(rule) * ((1 << cuts[0]) + (1 << cuts[1]));
    if (cost < best) {
      best = cost;
      order->rule = rule;
      order->top_cuts = cuts[0];
      order->bottom_cuts = cuts[1];
    }
  }
}

/** Relative difference of V, centroid and inertia between all azimuths, whose sums are `all`, and
 every second one, in metres: the thin direction of a lens counts for little. */
INTERVOX_HD inline double AzimuthDifference(const AzimuthSums& sums, const VolumeMoments& all,
                                            const Mat3& F) {
  const VolumeMoments &even = sums.even.body, &odd = sums.odd.body;
  const Vec3 square{SquaredNorm(F.Col(0)), SquaredNorm(F.Col(1)), SquaredNorm(F.Col(2))};
  const Vec3 of_m = even.m - odd.m, of_q = even.second.diag - odd.second.diag;
  const double per_v = 1 / all.v, r2 = Dot(square, all.second.diag) * per_v;
  const double m = std::sqrt(Dot(square, Scaled(of_m, of_m)) / r2) * per_v;
  const double q = 0.2 * Norm(Scaled(square, of_q)) * per_v / r2;
  const double d = std::fabs(even.v - odd.v) * per_v;
  const double larger = d > m ? d : m;
  return larger > q ? larger : q;
}

/** The error claimed for all azimuths: the difference δ is the error of half of them, so the whole
 has about δ²; 6 δ^1.5 held for nearly all random ellipsoids. Of kManyAzimuths and more, 20 h^1.5 of
 the share h at high frequencies did, and beyond 30, where the decay is no clean power, δ itself is
 claimed at least. */
INTERVOX_HD inline double ErrorOfDifference(int azimuths, double difference, double high) {
  const bool many = azimuths >= kManyAzimuths;
  const double seen = many ? high : difference;
  const double factor = (many ? 20 : 6) * std::sqrt(seen);
  const double error = factor < 1 ? seen * factor : seen;
  return azimuths > 30 && error < difference ? difference : error;
}

/** The smallest number of azimuths that should meet the target, from what was seen with
 `azimuths`: differences fall like a geometric series. */
INTERVOX_HD inline int MoreAzimuths(int azimuths, double difference, double high, double target) {
  constexpr int kCounts[] = {10, 12, 16, 20, 24, 30, 40, 48, 60, 80, 120, kMaxAzimuths};
  const double eighth = std::sqrt(std::sqrt(std::sqrt(difference)));
  const double high_eighth = std::sqrt(std::sqrt(std::sqrt(high)));
  for (int count : kCounts) {
    if (count <= azimuths) continue;
    double next = 1, next_high = 1;
    for (int i = 0; i < 8 * count / azimuths; ++i) {
      next *= eighth;
      next_high *= high_eighth;
    }
    if (ErrorOfDifference(count, next, next_high) <= target || count == kMaxAzimuths) return count;
  }
  return kMaxAzimuths;
}

}  // namespace intervox::cuda::internal::polar
