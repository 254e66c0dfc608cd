/** @file The Team concept: cooperative loops and fixed-shape sums for one pair.

 A team has 32 lanes. ForEach gives item i to lane i mod 32. Sum adds each lane's items in ascending
 order and then the lanes in one fixed binary tree (l with l+1, then l+2, …). Rules take the team as
 a template argument and depend on nothing but this shape, so that a team whose lanes are threads
 of a warp would give the same bits. Today every executor, the device's too, plays one pair on one
 thread. */
#pragma once

#include "geometry/hd.h"

namespace intervox::cuda {

/** Lanes of every team. */
inline constexpr int kLanes = 32;

/** One thread that plays the lanes in order. */
struct SerialTeam {
  /** Calls f(i) for i in [0, n). */
  template <class F>
  INTERVOX_HD void ForEach(int n, F&& f) const {
    for (int i = 0; i < n; ++i) f(i);
  }

  /** Σ f(i) over i in [0, n); T{} is zero, T has operator+=. Returned to every lane. */
  template <class T, class F>
  INTERVOX_HD T Sum(int n, F&& f) const {
    return SumLanes<T>(0, kLanes, n, f);
  }

  /** Waits for all lanes. */
  INTERVOX_HD void Sync() const {}
  /** This thread's first lane. */
  INTERVOX_HD int Lane() const { return 0; }

 private:
  // Out of line, with one call of f: the largest part of a rule is compiled once.
  template <class T, class F>
  __attribute__((noinline)) INTERVOX_HD static T SumLane(int lane, int n, F& f) {
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
  INTERVOX_HD static T SumLanes(int lane, int count, int n, F& f) {
    if (lane >= n) return T{};
    // Halves without items are left out: they would add nothing.
    while (lane + count / 2 >= n && count > 1) count /= 2;
    if (count == 1) return SumLane<T>(lane, n, f);
    T sum = SumLanes<T>(lane, count / 2, n, f);
    sum += SumLanes<T>(lane + count / 2, count / 2, n, f);
    return sum;
  }
};

}  // namespace intervox::cuda
