/** @file Panels of a sum over slices or half planes, and what their nodes show of other planes. */
#pragma once

#include <cmath>

#include "cuda/numerics/place.h"
#include "cuda/numerics/quadrature.h"
#include "cuda/rules/slice/profile.h"

namespace intervox::cuda::internal::slice {

/** Places along the axis or the floor, ascending. */
struct SlicePlaces {
  static constexpr int kMost = 48;
  double at[kMost];
  int count = 0;
  bool full = false;  ///< there were more

  INTERVOX_HD void Add(double value) {
    if (!std::isfinite(value)) return;
    if (count == kMost) {
      full = true;
      return;
    }
    int i = count++;
    for (; i > 0 && at[i - 1] > value; --i) at[i] = at[i - 1];
    at[i] = value;
  }
};

/** The lowest point between 0 and 1 of the cubic with these values and slopes at both. False where
 it has no minimum there. */
INTERVOX_HD inline bool LowestOfCubic(double f0, double g0, double f1, double g1, double* t,
                                      double* value) {
  const double rise = f1 - f0, c3 = g0 + g1 - 2 * rise, c2 = 3 * rise - 2 * g0 - g1;
  // Of both roots of 3 c3 t² + 2 c2 t + g0 the one at which it rises.
  const double square = c2 * c2 - 3 * c3 * g0;
  if (!(square >= 0)) return false;
  const double root = std::sqrt(square);
  *t = c2 > 0 ? -g0 / (c2 + root) : (root - c2) / (3 * c3);
  if (!(*t >= 0 && *t <= 1)) return false;
  *value = f0 + *t * (g0 + *t * (c2 + *t * c3));
  return true;
}

/** Moves both ends of a panel out to the nearest place that is at most `width` beyond them. */
INTERVOX_HD inline void FindNearest(const SlicePlaces& places, double width, double* left,
                                    double* right) {
  const double lower = *left, upper = *right;
  bool beyond = false;
  for (int i = 0; i < places.count; ++i) {
    const double t = places.at[i];
    if (t <= lower && lower - t < width) *left = t;
    if (t >= upper && t - upper < width && !beyond) {
      *right = t;
      beyond = true;
    }
  }
}

/** What two nested rules differ by: in a sum, and in its first moment over the panel. Where
 something is singular between two nodes the sums agree by chance at some places, the moments at
 others. */
struct NestedDifference {
  double sum = 0.0, moment = 0.0;

  /** Adds what a node's weights differ by. @param place  of the node, −1 to 1 */
  INTERVOX_HD void Add(double off, double place) {
    sum += off;
    moment += off * place;
  }
  /** Fifteen points err by at most twice that for 98 of 100 places of a kink. */
  INTERVOX_HD double Size() const { return std::fmax(std::fabs(sum), 2 * std::fabs(moment)); }
};

/** A node of Patterson's fifteen: its place from −1 to 1, and the shares of its weight by which the
 rule of seven, and from that the rule of three, differ. */
struct NestedNode {
  double place, off, before;
};

/** What the rules make of the node i of fifteen, in its weight. */
INTERVOX_HD inline NestedNode NestedNodeOf(int i) {
  const NestedRule<16>& rule = Patterson15();
  const double per = 1 / rule.fine[i], lean = rule.lean[i];
  const double least = i % 2 == 1 ? Patterson7().lean[i / 2] : 0.0;
  return {2 * rule.x[i] - 1, (rule.fine[i] - lean) * per, (lean - least) * per};
}

/** How far Patterson's fifteen points, the seven and the three that are nested in them are apart.
 */
struct NestedSum {
  NestedDifference off, before;  ///< of fifteen from seven, and of seven from three

  /** Adds a node's value times its weight in the finest rule. */
  INTERVOX_HD void Add(const NestedNode& node, double value) {
    off.Add(value * node.off, node.place);
    before.Add(value * node.before, node.place);
  }
  /** The difference that says how far the finest rule has converged. Where it hardly becomes less
   from rule to rule, sums that agree do so by chance. */
  INTERVOX_HD double Difference() const {
    constexpr double kSlow = 0.005;
    const double size = off.Size();
    return size > kSlow * before.Size() ? size : std::fabs(off.sum);
  }
};

/** The error of Patterson's fifteen points, from what those and the seven nested in them differ by:
 both converge geometrically, and the finer rule's error is about the square of the other's. */
INTERVOX_HD inline double NestedError(double fine, double difference) {
  if (fine == 0) return difference;
  return difference * std::fmin(10 * std::sqrt(difference / std::fabs(fine)), 1.0);
}

/** At least this share of what nested rules differ by is stated. Where a singular point lies just
 beyond another one the finer rule is better by no more than a factor: of 9,000 capsules on floors
 and balls in tori one erred by 0.56 of the difference, all others by 0.12 at most. */
inline constexpr double kLeastOfNested = 0.25;

/** (R10): what a part states. */
INTERVOX_HD inline double StatedError(double fine, const NestedSum& sum) {
  return std::fmax(NestedError(fine, sum.off.Size()), kLeastOfNested * sum.Difference());
}

/** Errors of a volume [m³] and of an area [m²]. */
struct SumErrors {
  double v = 0.0, a = 0.0;
};

/** Sums over [from, to]: as a whole where its error is small enough, and else in parts from there
 on that become shorter where they have to and longer where they can, so that what is singular just
 beyond an end costs but a few.
 @param tries  after so many parts they are taken as they are
 @param least  errors that do not matter, beside the tolerance
 @param add  (t, width, weight, sums*): adds the node at t, whose weight is that of the finer rule
 in a part of this width. Sums are of `body.v` and of `a`. */
template <class Sums, class Node>
INTERVOX_HD Sums SumNested(double from, double to, int tries, double tolerance,
                           const SumErrors& least, const Node& add, RuleResult* result) {
  constexpr double kGrowth = 4.0, kLeast = 1.0 / 4096;
  constexpr double kShare = 0.25;  // a part may have this share of the error
  constexpr double kRoom = 100.0;  // `tolerance` is a hundredth of what may be stated, or less
  const NestedRule<16>& rule = Patterson15();
  Sums total;
  double stated_total = 0.0, reach = 0.0, begin = from, width = to - from;
  SumErrors most;
  for (int part = 0; part == 0 || begin < to; ++part) {
    Sums sums;
    NestedSum of_v, of_a;
    for (int i = 0; i < 15; ++i) {
      Sums node;
      add(begin + width * rule.x[i], width, rule.fine[i], &node);
      const NestedNode place = NestedNodeOf(i);
      of_v.Add(place, node.body.v);
      of_a.Add(place, node.a);
      sums += node;
    }
    if (part == 0)
      most = {tolerance * std::fabs(sums.body.v) + least.v, tolerance * sums.a + least.a};
    const double stated = StatedError(sums.body.v, of_v);
    const bool enough = stated <= kRoom * most.v &&
                        NestedError(sums.body.v, of_v.Difference()) <= most.v &&
                        NestedError(sums.a, of_a.Difference()) <= most.a;
    if (part == 0 && !enough) most = {kShare * most.v, kShare * most.a};
    if (!enough && part < tries && width > kLeast * (to - from)) {
      // What is singular lies beyond the far end where a part before this one did.
      width *= begin > from && width >= to - begin ? 1 - 1 / kGrowth : 1 / kGrowth;
      continue;
    }
    total += sums;
    stated_total += stated;
    reach += of_v.off.Size();
    begin = width < to - begin ? begin + width : to;
    width = std::fmin(kGrowth * width, to - begin);
  }
  result->error += stated_total;
  result->reach += reach;
  return total;
}

/** (R4): sums of one half of a panel, from the singular point `origin` on, in t with
 |τ − origin| = t²: half-integer powers become polynomials.
 @param add  (position, weight, sums*): adds one node. */
template <class Sums, class Node>
INTERVOX_HD Sums SumHalf(double origin, double from, double to, double tolerance, const Node& add,
                         RuleResult* result) {
  const double sense = to > origin ? 1.0 : -1.0;
  const double near = std::sqrt(std::fmax(sense * (from - origin), 0.0));
  const double far = std::sqrt(sense * (to - origin));
  constexpr int kTries = 16;
  const auto at = [&](double t, double width, double weight, Sums* node) {
    add(origin + sense * t * t, 2 * t * width * weight, node);
  };
  return SumNested<Sums>(near, far, kTries, tolerance, {}, at, result);
}

/** (R4): sums of a panel between two neighbouring breaks, by halves. */
template <class Sums, class Node>
INTERVOX_HD Sums SumHalves(double lower, double upper, const SlicePlaces& singular,
                           double tolerance, const Node& add, RuleResult* result) {
  const double middle = 0.5 * (lower + upper), width = upper - lower;
  double left = lower, right = upper;
  FindNearest(singular, width, &left, &right);
  Sums sums = SumHalf<Sums>(left, lower, middle, tolerance, add, result);
  sums += SumHalf<Sums>(right, upper, middle, tolerance, add, result);
  return sums;
}

/** The s in [0, 1] with s² (3 − 2s) = x, by Newton's method. */
INTERVOX_HD inline double CubicInverse(double x) {
  const bool upper = x > 0.5;
  const double rest = upper ? 1 - x : x;
  if (!(rest > 0)) return upper ? 1.0 : 0.0;
  double s = std::sqrt(rest / 3);
  for (int i = 0; i < 6; ++i) s -= (s * s * (3 - 2 * s) - rest) / (6 * s * (1 - s));
  return upper ? 1 - s : s;
}

/** (R8): sums of a panel between two neighbouring breaks, mapped by x = s² (3 − 2s) from the
 singular point at or beside its one end to that of the other: half-integer powers at both become
 analytic.
 @param add  (position, weight, sums*): adds one node. */
template <class Sums, class Node>
INTERVOX_HD Sums SumMapped(double lower, double upper, const SlicePlaces& singular, int tries,
                           double tolerance, const SumErrors& least, const Node& add,
                           RuleResult* result) {
  double left = lower, right = upper;
  FindNearest(singular, upper - lower, &left, &right);
  const double whole = right - left;
  const double from = CubicInverse((lower - left) / whole);
  const double to = right == upper ? 1.0 : CubicInverse((upper - left) / whole);
  const auto at = [&](double s, double step, double weight, Sums* node) {
    const double rest = 1 - s;
    const double u = s < 0.5 ? left + whole * (s * s * (3 - 2 * s))
                             : right - whole * (rest * rest * (3 - 2 * rest));
    add(u, 6 * s * rest * whole * step * weight, node);
  };
  return SumNested<Sums>(from, to, tries, tolerance, least, at, result);
}

/** (R5): a plane that is not the floor, in the solid's frame: how far its level reaches over the
 overlap, as the figures at the nodes show it. */
struct OtherPlane {
  Vec3 n;
  double offset = 0.0;
  double lowest = INFINITY, highest = -INFINITY;  ///< [m]

  /** Looks at a figure that reaches from `begin` by `depth` one way and by `half` to either side.
   */
  INTERVOX_HD void Look(const Vec3& begin, const Vec3& depth, const Vec3& half) {
    const double level = Dot(n, begin) - offset, along = Dot(n, depth);
    const double side = std::fabs(Dot(n, half));
    lowest = std::fmin(lowest, level - side + std::fmin(along, 0.0));
    highest = std::fmax(highest, level + side + std::fmax(along, 0.0));
  }
  /** What its level may rise or fall by between the nodes [m]. */
  INTERVOX_HD double Between() const { return 0.1 * (highest - lowest); }
  /** Whether it does not cut the overlap. */
  INTERVOX_HD bool Clears() const { return highest <= -Between(); }
  /** Whether it leaves nothing of the overlap. */
  INTERVOX_HD bool Empties() const { return lowest > Between(); }
  /** Whether it does neither, whatever further nodes show. */
  INTERVOX_HD bool Cuts() const { return highest > 0 && lowest <= 0; }
};

/** The planes that are not the floor. */
struct OtherPlanes {
  OtherPlane plane[kMostFloors];
  int count = 0;

  INTERVOX_HD void Look(const Vec3& begin, const Vec3& depth, const Vec3& half) {
    for (int i = 0; i < count; ++i) plane[i].Look(begin, depth, half);
  }
  INTERVOX_HD bool OneCuts() const {
    for (int i = 0; i < count; ++i) {
      if (plane[i].Cuts()) return true;
    }
    return false;
  }
};

}  // namespace intervox::cuda::internal::slice
