/** @file Moments of circular segments: what a plane leaves of a disc. */
#pragma once

#include <cmath>

#include "cuda/numerics/scalar.h"

namespace intervox::cuda::internal::slice {

/** Moments of a part of a disc about a point x = `at` of the line through the disc's centre across
 the chord; that line is the part's axis of symmetry, x runs along it and y along the chord. */
struct SegmentMoments {
  double at = 0.0;  ///< [m]
  double a = 0.0;   ///< ∫ dA [m²]
  double t = 0.0;   ///< ∫ (x − at) dA [m³]
  double tt = 0.0;  ///< ∫ (x − at)² dA [m⁴]
  double yy = 0.0;  ///< ∫ y² dA [m⁴]
};

/** I₃(u) = ∫₀¹ s⁶ √(1 − u s²) ds for u in [0, ½]: its Chebyshev polynomial, to 1e-16. */
INTERVOX_HD inline double SegmentIntegral(double u) {
  constexpr double kTerms[] = {
      0.142857142857142859,     -0.0555555555555573373,   -0.0113636363632540482,
      -0.00480769234010769562,  -0.00260416522177027281,  -0.00160849493486348235,
      -0.0010786625439379778,   -0.000775927297292972387, -0.000492165528930160267,
      -0.000943482551075052197, 0.00214835307093929431,   -0.00946580634656626278,
      0.0251268052745231879,    -0.0518328854492083962,   0.0754471523622865561,
      -0.0757235921221348947,   0.046477432283420583,     -0.0137192776022864718};
  double sum = 0.0;
  for (int k = 17; k >= 0; --k) sum = sum * u + kTerms[k];
  return sum;
}

/** The disc of the radius r about x = `centre`. */
INTERVOX_HD inline SegmentMoments WholeDisc(double r, double centre) {
  const double a = kPi * r * r, second = 0.25 * a * r * r;
  return {centre, a, 0.0, second, second};
}

/** (R2): the segment of the depth δ ≤ r of a disc of the radius r, beyond its chord at x = `chord`.
 With x = chord + δ (1 − s²) the width is 2 s √(2rδ) √(1 − u s²), u = δ/2r, so that all moments
 follow from I_m = ∫₀¹ s^2m √(1 − u s²) ds; (2m−1) I_m−1 = (1−u)^{3/2} + (2m+2) u I_m has no
 cancellation.
 */
INTERVOX_HD inline SegmentMoments SmallSegment(double r, double depth, double chord) {
  const double u = 0.5 * depth / r;
  const double edge = (1 - u) * std::sqrt(1 - u);
  const double i3 = SegmentIntegral(u);
  const double i2 = (edge + 8 * u * i3) / 5;
  const double i1 = (edge + 6 * u * i2) / 3;
  const double root = std::sqrt(2 * r * depth);
  const double w = 4 * depth * root;
  return {chord, w * i1, w * depth * (i1 - i2), w * depth * depth * (i1 - 2 * i2 + i3),
          w * (2 * r * depth) * (i2 - u * i3) / 3};
}

/** The part of a disc beyond a chord.
 @param r  radius [m]
 @param depth  of the part, in (0, 2r) [m]
 @param rest  2r − depth [m]
 @param chord  x of the chord, the part being beyond it [m] */
INTERVOX_HD inline SegmentMoments Segment(double r, double depth, double rest, double chord) {
  if (depth <= r) return SmallSegment(r, depth, chord);
  // The disc without the smaller part on the other side, which is this one's mirror image.
  const SegmentMoments other = SmallSegment(r, rest, 0.0);
  const SegmentMoments disc = WholeDisc(r, 0.0);
  const double c = depth - r;  // the disc's centre, from the chord
  return {chord, disc.a - other.a, disc.a * c + other.t, disc.tt + disc.a * c * c - other.tt,
          disc.yy - other.yy};
}

}  // namespace intervox::cuda::internal::slice
