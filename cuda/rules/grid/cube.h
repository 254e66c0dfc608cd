/** @file Half-spaces in unit cubes about 0: what they keep, and what others keep of their planes.
 */
#pragma once

#include "cuda/numerics/wide.h"
#include "geometry/linear.h"

namespace intervox::cuda::internal::grid {

/** (G1): the share of the unit cube about 0 with n·x ≤ d, n a unit vector (Scardovelli and Zaleski
 2000, J. Comput. Phys. 164, (14) to (20)), the components of n in ascending order m₁ ≤ m₂ ≤ m₃. */
INTERVOX_HD inline double ShareOfCube(const Vec3& n, double d) {
  const Vec3 a = Abs(n);
  double m[3] = {a.x, a.y, a.z};
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 2; ++i) {
      if (m[i] <= m[i + 1]) continue;
      const double swap = m[i];
      m[i] = m[i + 1];
      m[i + 1] = swap;
    }
  }
  const double sum = m[0] + m[1] + m[2];
  // From the cube's lowest corner; beyond the middle by symmetry.
  double at = d + 0.5 * sum;
  if (at <= 0) return 0;
  if (at >= sum) return 1;
  const bool upper = at > 0.5 * sum;
  if (upper) at = sum - at;
  // A corner's tetrahedron less those beyond the edges. Where m₁ or m₂ vanishes, the terms that it
  // divides are left out.
  constexpr double kThin = 1e-6;
  double share = 0;
  if (m[1] < kThin) {
    share = at / m[2];
  } else if (m[0] < kThin) {
    const double over = at > m[1] ? at - m[1] : 0;
    share = (at * at - over * over) / (2 * m[1] * m[2]);
  } else {
    double cube = at * at * at;
    for (int i = 0; i < 3; ++i) {
      const double over = at > m[i] ? at - m[i] : 0;
      cube -= over * over * over;
    }
    const double both = at > m[0] + m[1] ? at - m[0] - m[1] : 0;
    cube += both * both * both;
    share = cube / (6 * m[0] * m[1] * m[2]);
  }
  return upper ? 1 - share : share;
}

/** Components of a unit normal below this are small: SteepShare divides by them. */
inline constexpr double kSteep = 0.02;

/** What half-spaces keep of unit cubes about 0, and their planes there. */
template <class S>
struct CubeShare {
  S share, area;  ///< of the cube; of the plane in it
  S moment[3];    ///< area times its centre
};

/** (G1): what n·x ≤ d keeps, n a unit normal without small components, and its derivatives: by d
 the plane's area, by n minus its moment. */
template <class S>
INTERVOX_HD inline CubeShare<S> SteepShare(const S (&n)[3], const S& d) {
  const S zero = 0 * d, m[3] = {Magnitude(n[0]), Magnitude(n[1]), Magnitude(n[2])};
  // From the cube's lowest corner; beyond the middle by symmetry. Nothing is below it.
  const S at = Larger(S(0.5 * (m[0] + m[1] + m[2]) - Magnitude(d)), zero);
  // A corner's tetrahedron less those beyond one edge, which share those beyond two.
  const S all2 = at * at;
  S one2[3], two2[3], cubes = all2 * at, squares = all2, both = zero;
  for (int i = 0; i < 3; ++i) {
    const S one = Larger(S(at - m[i]), zero);
    const S two = Larger(S(at - (m[(i + 1) % 3] + m[(i + 2) % 3])), zero);
    one2[i] = one * one;
    two2[i] = two * two;
    cubes += two2[i] * two - one2[i] * one;
    squares -= one2[i];
    both += two2[i];
  }
  const S per = 1 / (6 * m[0] * m[1] * m[2]);
  CubeShare<S> out;
  const S share = per * cubes;
  out.area = 3 * per * (squares + both);
  for (int i = 0; i < 3; ++i) {
    const S per_m = 6 * per * (m[(i + 1) % 3] * m[(i + 2) % 3]);
    const S by_m = share * per_m - 3 * per * (one2[i] + two2[i] - both);
    const S from_middle = by_m - 0.5 * out.area;
    out.moment[i] = d * n[i] < 0 ? from_middle : -from_middle;
  }
  out.share = d > 0 ? 1 - share : share;
  return out;
}

/** A part of the unit square about 0. */
template <class S>
struct FlatPart {
  S area, u, w;  ///< and that times its centre
};

/** What low ≤ p u + q w ≤ high and a u + b w ≤ c have in common in the unit square about 0.

 The strip is a hexagon, whose corners are where its two lines leave the square, and the square's
 own between them; sides may have no length. What the half-plane keeps of its sides is summed about
 a point of the half-plane's line, from which its own side has no area. No branch: several at once.
 */
template <class S>
INTERVOX_HD inline FlatPart<S> PartOfSquare(const S& p, const S& q, const S& low, const S& high,
                                            const S& a, const S& b, const S& c) {
  // With p and q above zero. Where both vanish the strip holds all or nothing: all at its ends.
  constexpr double kLeast = 1e-200, kEnds = 1e-190;
  const S zero{}, end = zero + 0.5;
  const S up = Larger(Magnitude(p), S(zero + kLeast)), uq = Larger(Magnitude(q), S(zero + kLeast));
  const S per_p = 1 / up, per_q = 1 / uq, half_p = 0.5 * up, half_q = 0.5 * uq;
  const S alpha = p < 0 ? -a : a, beta = q < 0 ? -b : b;
  // The point of the line that is nearest to 0, if it is in the circle around the square.
  const S squared = alpha * alpha + beta * beta;
  const auto meets = 2 * c * c < squared;
  const S far = meets ? c / squared : zero, u0 = far * alpha, w0 = far * beta;
  const S rest = meets ? zero : c;
  const auto within = [&](const S& x) { return Smaller(Larger(x, S(-end)), end); };
  const S from = low - kEnds, to = high + kEnds;
  const S bottom[2] = {within((from + half_q) * per_p) - u0, within((to + half_q) * per_p) - u0};
  const S top[2] = {within((from - half_q) * per_p) - u0, within((to - half_q) * per_p) - u0};
  const S right[2] = {within((from - half_p) * per_q) - w0, within((to - half_p) * per_q) - w0};
  const S left[2] = {within((from + half_p) * per_q) - w0, within((to + half_p) * per_q) - w0};
  const S u[6] = {bottom[0], bottom[1], bottom[1], top[1], top[0], top[0]};
  const S w[6] = {right[0], right[0], right[1], left[1], left[1], left[0]};
  S above[6];
  for (int i = 0; i < 6; ++i) above[i] = alpha * u[i] + beta * w[i] - rest;
  S twice = zero, by_u = zero, by_w = zero;
  for (int i = 0; i < 6; ++i) {
    const int j = i == 5 ? 0 : i + 1;
    const S t = Smaller(Larger(S(above[i] / (above[i] - above[j])), zero), S(zero + 1));
    const S cut_u = u[i] + t * (u[j] - u[i]), cut_w = w[i] + t * (w[j] - w[i]);
    const auto first = above[i] > 0, last = above[j] > 0;
    const S u1 = first ? cut_u : u[i], w1 = first ? cut_w : w[i];
    const S u2 = last ? cut_u : u[j], w2 = last ? cut_w : w[j];
    const S part = u1 * w2 - u2 * w1;
    twice += part;
    by_u += part * (u1 + u2);
    by_w += part * (w1 + w2);
  }
  FlatPart<S> out;
  out.area = 0.5 * twice;
  const S mean_u = by_u / 6 + out.area * u0, mean_w = by_w / 6 + out.area * w0;
  out.u = p < 0 ? -mean_u : mean_u;
  out.w = q < 0 ? -mean_w : mean_w;
  return out;
}

/** Half-spaces n·x ≤ d, n a unit normal, or 0 where d decides. */
template <class S>
struct HalfSpaces {
  S n[3], d;
};

/** What planes have of unit cubes about 0. */
template <class S>
struct CubeFace {
  S area;
  S moment[3];  ///< area times its centre
};

/** Vectors in axes that are named anew, so that one has its largest component along the third. */
template <class S>
class LargestLast {
 public:
  /** Those in which n has. */
  INTERVOX_HD explicit LargestLast(const S (&n)[3])
      : x_(Magnitude(n[0]) >= Magnitude(n[1])),
        z_((Magnitude(n[2]) >= Magnitude(n[0])) & (Magnitude(n[2]) >= Magnitude(n[1]))) {}

  /** A vector in these axes, and back. */
  INTERVOX_HD void Turn(const S (&v)[3], S (&turned)[3]) const {
    turned[0] = Pick(v[1], v[2], v[0]);
    turned[1] = Pick(v[2], v[0], v[1]);
    turned[2] = Pick(v[0], v[1], v[2]);
  }
  INTERVOX_HD void Return(const S (&v)[3], S (&returned)[3]) const {
    returned[0] = Pick(v[2], v[1], v[0]);
    returned[1] = Pick(v[0], v[2], v[1]);
    returned[2] = Pick(v[1], v[0], v[2]);
  }

 private:
  INTERVOX_HD S Pick(const S& of_x, const S& of_y, const S& of_z) const {
    const S other = x_ ? of_x : of_y;
    return z_ ? of_z : other;
  }

  decltype(S{} > S{}) x_, z_;
};

/** What half-spaces keep of planes in the cube, seen along the axis of the largest component of the
 planes' normals. */
template <class S>
INTERVOX_HD inline CubeFace<S> FaceInCube(const HalfSpaces<S>& plane, const HalfSpaces<S>& keeps) {
  const LargestLast<S> axes(plane.n);
  S n[3], a[3];
  axes.Turn(plane.n, n);
  axes.Turn(keeps.n, a);
  // There the plane is at (e − p u − q w)/m.
  const auto down = n[2] < 0;
  const S p = down ? -n[0] : n[0], q = down ? -n[1] : n[1], e = down ? -plane.d : plane.d;
  const S m = Larger(Magnitude(n[2]), S(S{} + 1e-200)), half = 0.5 * m, per = 1 / m;
  const FlatPart<S> seen = PartOfSquare(p, q, S(e - half), S(e + half), S(a[0] * m - a[2] * p),
                                        S(a[1] * m - a[2] * q), S(keeps.d * m - a[2] * e));
  const S moment[3] = {per * seen.u, per * seen.w,
                       per * (per * (e * seen.area - p * seen.u - q * seen.w))};
  CubeFace<S> out;
  out.area = per * seen.area;
  axes.Return(moment, out.moment);
  return out;
}

/** What two half-spaces keep of the cube. */
template <class S>
struct CommonPart {
  S volume;
  CubeFace<S> of_a, of_b;  ///< the planes where the other one keeps them
};

/** Finds that where neither keeps all or nothing: ends of columns along the axis of the largest
 component of b's normal, on a and on the cube, as they are beyond b's plane. So planes that nearly
 coincide have nearly no volume between them. */
template <class S>
INTERVOX_HD inline CommonPart<S> CommonPartOf(const HalfSpaces<S>& a, const HalfSpaces<S>& b) {
  CommonPart<S> out;
  out.of_b = FaceInCube(b, a);
  out.of_a = FaceInCube(a, b);
  const LargestLast<S> axes(b.n);
  S n[3], m[3];
  axes.Turn(b.n, n);
  axes.Turn(a.n, m);
  const S(&moment)[3] = out.of_a.moment;
  S beyond =
      m[2] * (b.n[0] * moment[0] + b.n[1] * moment[1] + b.n[2] * moment[2] - b.d * out.of_a.area);
  // All of the square is above −8.
  const S none = S{} - 8;
  for (const double end : {0.5, -0.5}) {
    const S rest = b.d - end * n[2];
    const FlatPart<S> part = PartOfSquare(n[0], n[1], none, rest, m[0], m[1], S(a.d - end * m[2]));
    const S of_end = n[0] * part.u + n[1] * part.w - rest * part.area;
    beyond += end > 0 ? of_end : -of_end;
  }
  out.volume = Larger(S(beyond / n[2]), S{});
  return out;
}

}  // namespace intervox::cuda::internal::grid
