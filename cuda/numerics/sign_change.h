/** @file Where a level that is followed along a parameter changes its sign. A sample has a `level`,
 and `real` says whether there is one. */
#pragma once

#include <cmath>

#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** Halves [lo, hi] `most` times around a change of sign.
 @param at      at(t, near): the sample at t, sought from a sample nearby.
 @param at_lo   the sample at lo.
 @param found   found(t, sample): the change, and the last sample taken; not called where one of
                them is not real. */
template <class Sample, class At, class Found>
INTERVOX_HD void HalveAroundChange(double lo, double hi, int most, const Sample& at_lo,
                                   const At& at, const Found& found) {
  Sample near = at_lo, last = at_lo;
  for (int k = 0; k < most; ++k) {
    const double middle = 0.5 * (lo + hi);
    last = at(middle, near);
    if (!last.real) return;
    if ((last.level > 0) == (at_lo.level > 0)) {
      lo = middle;
      near = last;
    } else {
      hi = middle;
    }
  }
  found(0.5 * (lo + hi), last);
}

/** Seeks by the golden section where |level|, of the same sign at lo and hi, dips through zero.
 @param near    a sample nearby, of that sign.
 @param at      as above.
 @param found   found(lo, hi, at_lo): one of the two changes that follow, to be halved around. */
template <class Sample, class At, class Found>
INTERVOX_HD void SeekDip(double lo, double hi, int most, const Sample& near, const At& at,
                         const Found& found) {
  constexpr double kGolden = 0.38196601125010515;
  const double from = lo, to = hi;
  double t[2] = {lo + kGolden * (hi - lo), hi - kGolden * (hi - lo)};
  Sample x[2] = {at(t[0], near), at(t[1], near)};
  for (int k = 0; k < most; ++k) {
    if (!x[0].real || !x[1].real) return;
    for (int m = 0; m < 2; ++m) {
      if ((x[m].level > 0) == (near.level > 0)) continue;
      found(from, t[m], at(from, near));
      found(t[m], to, x[m]);
      return;
    }
    const int best = std::fabs(x[0].level) < std::fabs(x[1].level) ? 0 : 1;
    (best == 0 ? hi : lo) = t[1 - best];
    t[1 - best] = t[best];
    x[1 - best] = x[best];
    t[best] = best == 0 ? lo + kGolden * (hi - lo) : hi - kGolden * (hi - lo);
    x[best] = at(t[best], x[1 - best]);
  }
}

}  // namespace intervox::cuda::internal
