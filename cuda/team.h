/** @file The Team concept: cooperative loops and fixed-shape sums for one pair, on the CPU or a
 warp.

 A team has 32 lanes. ForEach gives item i to lane i mod 32. Sum adds each lane's items in ascending
 order and then the lanes in one fixed binary tree (l with l+1, then l+2, …), so that the result has
 the same bits whether one thread plays the lanes in turn or a warp runs them. */
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
  template <class T, class F>
  INTERVOX_HD static T SumLanes(int lane, int count, int n, F& f) {
    if (lane >= n) return T{};
    if (count == 1) {
      T sum = f(lane);
      for (int i = lane + kLanes; i < n; i += kLanes) sum += f(i);
      return sum;
    }
    // Halves without items are left out: they would add nothing.
    while (lane + count / 2 >= n && count > 1) count /= 2;
    if (count == 1) return SumLanes<T>(lane, 1, n, f);
    T sum = SumLanes<T>(lane, count / 2, n, f);
    sum += SumLanes<T>(lane + count / 2, count / 2, n, f);
    return sum;
  }
};

#if defined(__CUDACC__)
/** A warp: lane l is thread l. Every thread of the warp must make the same calls. */
struct WarpTeam {
  /** Calls f(i) for i in [0, n), item i on lane i mod 32. */
  template <class F>
  __device__ void ForEach(int n, F&& f) const {
    for (int i = Lane(); i < n; i += kLanes) f(i);
  }

  /** Σ f(i) with SerialTeam's tree. T is trivially copyable. */
  template <class T, class F>
  __device__ T Sum(int n, F&& f) const {
    T sum{};
    if (Lane() < n) sum = f(Lane());
    for (int i = Lane() + kLanes; i < n; i += kLanes) sum += f(i);
    for (int offset = 1; offset < kLanes; offset *= 2) {
      const T other = FromLane(sum, Lane() + offset);
      // Lanes that are no multiple of 2·offset hold partial sums that nobody reads.
      if (Lane() + offset < n && Lane() % (2 * offset) == 0) sum += other;
    }
    return FromLane(sum, 0);
  }

  /** Waits for all lanes. */
  __device__ void Sync() const { __syncwarp(); }
  /** This thread's lane. */
  __device__ int Lane() const { return static_cast<int>(threadIdx.x) % kLanes; }

 private:
  template <class T>
  __device__ static T FromLane(const T& value, int lane) {
    static_assert(sizeof(T) % sizeof(unsigned) == 0);
    union Words {
      __device__ Words() {}
      T value;
      unsigned word[sizeof(T) / sizeof(unsigned)];
    } words;
    words.value = value;
    for (unsigned& word : words.word) {
      word = __shfl_sync(0xffffffffu, word, lane & (kLanes - 1));
    }
    return words.value;
  }
};
#endif

}  // namespace intervox::cuda
