/** @file Moments of circular segments: what a plane leaves of a disc. */
#pragma once

#include <cmath>

#include "cuda/numerics/roots.h"

namespace intervox::cuda::internal::slice {

/** Moments of a part of a disc about a point x = `at` of the line through the disc's centre across
 the chord; that line is the part's axis of symmetry, x runs along it and y along the chord. */
struct SegmentMoments {
  double at = 0.0;   ///< [m]
  double a = 0.0;    ///< ∫ dA [m²]
  double t = 0.0;    ///< ∫ (x − at) dA [m³]
  double tt = 0.0;   ///< ∫ (x − at)² dA [m⁴]
  double yy = 0.0;   ///< ∫ y² dA [m⁴]
  double ttt = 0.0;  ///< ∫ (x − at)³ dA [m⁵]
  double tyy = 0.0;  ///< ∫ (x − at) y² dA [m⁵]
};

/** I₄(u) = ∫₀¹ s⁸ √(1 − u s²) ds for u in [0, ½]: its Chebyshev polynomial, to 1e-16. */
INTERVOX_HD inline double SegmentIntegral(double u) {
  constexpr double kTerms[] = {
      0.111111111111111112,     -0.0454545454545471738,   -0.00961538461501570406,
      -0.00416666669794530215,  -0.00229779272343774326,  -0.00143918241876792145,
      -0.000975890932557198769, -0.000708902426471046195, -0.000449338196724590991,
      -0.000893301701380333043, 0.0020841855216808541,    -0.00912346715180537741,
      0.0242434283363727997,    -0.049990243303915251,    0.0727653973238094877,
      -0.0730155910480650299,   0.0448080207638934558,    -0.0132199521835674117};
  return Horner(kTerms, 17, u);
}

/** The disc of the radius r about x = `centre`. */
INTERVOX_HD inline SegmentMoments WholeDisc(double r, double centre) {
  const double a = kPi * r * r, second = 0.25 * a * r * r;
  return {centre, a, 0.0, second, second, 0.0, 0.0};
}

/** (R2): `weight` times the moments of a segment beyond its chord at x = `chord`, 2 w s √(1 − u s²)
 wide at x = chord + depth (1 − s²), so that all follow from I_m = ∫₀¹ s^2m √(1 − u s²) ds;
 (2m−1) I_m−1 = (1−u)^{3/2} + (2m+2) u I_m has no cancellation. */
INTERVOX_HD inline SegmentMoments SegmentOfWidth(double u, double i4, double w, double depth,
                                                 double chord, double weight) {
  const double edge = (1 - u) * std::sqrt(1 - u);
  const double i3 = (edge + 10 * u * i4) / 7;
  const double i2 = (edge + 8 * u * i3) / 5;
  const double i1 = (edge + 6 * u * i2) / 3;
  const double a = 4 * weight * depth * w, at = a * depth, att = at * depth, cubes = w * w / 3;
  return {chord,
          a * i1,
          at * (i1 - i2),
          att * (i1 - 2 * i2 + i3),
          a * cubes * (i2 - u * i3),
          att * depth * (i1 - 3 * i2 + 3 * i3 - i4),
          at * cubes * (i2 - i3 - u * (i3 - i4))};
}

/** The segment of the depth δ ≤ r of a disc of the radius r, beyond its chord at x = `chord`. */
INTERVOX_HD inline SegmentMoments SmallSegment(double r, double depth, double chord) {
  const double u = 0.5 * depth / r;
  return SegmentOfWidth(u, SegmentIntegral(u), std::sqrt(2 * r * depth), depth, chord, 1.0);
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
  return {chord,
          disc.a - other.a,
          disc.a * c + other.t,
          disc.tt + disc.a * c * c - other.tt,
          disc.yy - other.yy,
          c * (3 * disc.tt + disc.a * c * c) + other.ttt,
          disc.yy * c + other.tyy};
}

}  // namespace intervox::cuda::internal::slice
