/** @file A conic in the plane of a tube's disc: where it crosses the circle and lines, and what it
 encloses with its chords. */
#pragma once

#include <cmath>

#include "cuda/numerics/circle.h"
#include "cuda/numerics/roots.h"
#include "cuda/rules/slice/disc.h"
#include "cuda/rules/slice/profile.h"

namespace intervox::cuda::internal::slice {

/** The level xx x² + 2 xz xz + zz z² + 2 x x + 2 z z + c in the plane of a disc about the origin;
 its kept side is the negative one. */
struct Conic {
  double xx = 0.0, xz = 0.0, zz = 0.0, x = 0.0, z = 0.0, c = 0.0;

  /** The Hessian's half times a vector. */
  INTERVOX_HD Plane2 Bend(const Plane2& p) const {
    return {xx * p.x + xz * p.z, xz * p.x + zz * p.z};
  }
  /** Half the gradient. */
  INTERVOX_HD Plane2 Slope(const Plane2& p) const { return Bend(p) + Plane2{x, z}; }
  /** The level [m]. */
  INTERVOX_HD double Value(const Plane2& p) const {
    return Dot(p, Bend(p) + Plane2{2 * x, 2 * z}) + c;
  }
  /** Positive for ellipses, negative for hyperbolas. */
  INTERVOX_HD double Determinant() const { return xx * zz - xz * xz; }
  /** Where the gradient is zero, given the determinant, which must not be. */
  INTERVOX_HD Plane2 Centre(double determinant) const {
    return {(xz * z - zz * x) / determinant, (xz * x - xx * z) / determinant};
  }
};

/** Most lines that cut a disc beside a conic. */
inline constexpr int kMostBeside = 6;

/** Most roots around a circle that are kept. */
inline constexpr int kCircleRoots = 8;

/** The level of a conic around a circle about the origin. */
INTERVOX_HD inline CircleLevel LevelAround(const Conic& q, double r) {
  return {r * r * q.xx, 2 * r * r * q.xz, r * r * q.zz, 2 * r * q.x, 2 * r * q.z, q.c};
}
/** Its derivative by the angle, over 2r. */
INTERVOX_HD inline CircleLevel SlopeAround(const Conic& q, double r) {
  return {r * q.xz, r * (q.zz - q.xx), -r * q.xz, q.z, -q.x, 0.0};
}

/** I₄(u) of (R2) for u in [−½, 0]: its Chebyshev polynomial, to 1e-15. */
INTERVOX_HD inline double HollowIntegral(double u) {
  constexpr double kTerms[] = {
      0.11111111111111116708, -0.0454545454545070465, -0.0096153846110060816,
      -0.0041666664698775488, -0.0022977895015916030, -0.0014390799002821393,
      -0.0009759728497143471, -0.0006969378906716175, -0.0005079986479649160,
      -0.0003561508714244358, -0.0002150765040227377, -0.0000935374174050488,
      -0.0000207904484011937};
  return Horner(kTerms, 12, u);
}

/** (R11): `weight` times the segment of a conic between the chord from −1 to 1 and its apex at 1;
 u in [−½, ½], positive for ellipses. */
INTERVOX_HD inline SegmentMoments UnitSegment(double u, double weight) {
  const double i4 = u < 0 ? HollowIntegral(u) : SegmentIntegral(u);
  return SegmentOfWidth(u, i4, 1 / std::sqrt(1 - u), 1.0, 0.0, weight);
}

/** A chord of a conic's arc. */
struct ConicChord {
  Plane2 p, q;
};

/** Room for the chords of an arc that wait to be halved. */
struct ConicChords {
  static constexpr int kMost = 12;
  ConicChord waiting[kMost];
};

/** (R11): adds what an arc of a conic from p to q encloses with the origin o; the kept side is on
 the left. False where no such arc leads there. */
INTERVOX_HD inline bool AddConicArc(const Conic& conic, const Plane2& p, const Plane2& q,
                                    const Plane2& o, ConicChords* room, PlaneMoments* moments) {
  ConicChord* const waiting = room->waiting;
  int count = 1;
  waiting[0] = {p, q};
  const double determinant = conic.Determinant();
  while (count > 0) {
    const ConicChord chord = waiting[--count];
    const Plane2 half = 0.5 * (chord.q - chord.p), middle = 0.5 * (chord.p + chord.q);
    const Plane2 bent = conic.Bend(half);
    const double bend = Dot(half, bent);
    if (bend != 0) {
      // Chords along this one have their middles along `way`; the arc's apex is t of it from the
      // chord's, on the right of an arc that bends to the left.
      const Plane2 way{-bent.z, bent.x};
      const double slope = Dot(conic.Slope(middle), way), size = std::fabs(bend);
      const double square = slope * slope + determinant * bend * bend;
      if (!(square >= 0)) return false;
      const double root = std::sqrt(square), sum = std::fabs(slope) + root;
      const bool far = (slope > 0) == (bend > 0) && slope != 0;
      if (!(sum > 0) || (far && !(determinant > 0))) return false;
      const double t = far ? -sum / (determinant * size) : -size / sum;
      const double turn = determinant * t * t;
      constexpr double kMost = 1.0000001, kLeast = -1.0 / 3;
      if ((turn > kMost || turn < kLeast) && count + 2 <= ConicChords::kMost) {
        const Plane2 apex = middle + t * way;
        waiting[count++] = {apex, chord.q};
        waiting[count++] = {chord.p, apex};
        continue;
      }
      const double u = turn / (1 + turn);
      const SegmentMoments part = UnitSegment(u > 0.5 ? 0.5 : u < -0.5 ? -0.5 : u, -bend * t);
      moments->AddSegment(part, middle - o, t * way, half);
    }
    moments->AddTriangle(chord.p - o, chord.q - o);
  }
  return true;
}

}  // namespace intervox::cuda::internal::slice
