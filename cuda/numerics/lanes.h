/** @file Sums of one shape: the same bits wherever and by however many threads they are added. */
#pragma once

#include "geometry/hd.h"

namespace intervox::cuda {

/** Lanes of every sum. */
inline constexpr int kLanes = 32;

namespace internal {

// Out of line, with one call of f: the largest part of a rule is compiled once.
template <class T, class F>
__attribute__((noinline)) INTERVOX_HD inline T SumLane(int lane, int n, F& f) {
  T sum;
  for (int i = lane; i < n; i += kLanes) {
    const T one = f(i);
    if (i == lane) {
      sum = one;
    } else {
      sum += one;
    }
  }
  return sum;
}

template <class T, class F>
INTERVOX_HD inline T SumOfLanes(int lane, int count, int n, F& f) {
  if (lane >= n) return T{};
  // Halves without items are left out: they would add nothing.
  while (lane + count / 2 >= n && count > 1) count /= 2;
  if (count == 1) return SumLane<T>(lane, n, f);
  T sum = SumOfLanes<T>(lane, count / 2, n, f);
  sum += SumOfLanes<T>(lane + count / 2, count / 2, n, f);
  return sum;
}

}  // namespace internal

/** Σ f(i) over i in [0, n); T{} is zero, T has operator+=. Item i goes to lane i mod 32. A lane
 adds its items in ascending order; one binary tree adds the lanes (l and l+1, then l and l+2, …).
 */
template <class T, class F>
INTERVOX_HD T SumInLanes(int n, F&& f) {
  return internal::SumOfLanes<T>(0, kLanes, n, f);
}

}  // namespace intervox::cuda
