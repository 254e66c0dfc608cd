/** @file Sums of one shape: the same bits wherever and by however many threads they are added. */
#pragma once

#include "cuda/numerics/place.h"

namespace intervox::cuda {

/** Lanes of every sum. */
inline constexpr int kLanes = 32;

namespace internal {

// Of the tree that adds them.
inline constexpr int kLevels = 5;
static_assert(1 << kLevels == kLanes);

// Makes a lane's sum in its place. Out of line, with one call of f: the largest part of a rule is
// compiled once.
template <class T, class F>
__attribute__((noinline)) INTERVOX_HD inline void SumLane(int lane, int n, F& f, T* sum) {
  for (int i = lane; i < n; i += kLanes) {
    const T one = f(i);
    if (i == lane) {
      ::new (sum) T(one);
    } else {
      *sum += one;
    }
  }
}

}  // namespace internal

/** Sums of lanes that wait for their right half, from the root of the tree down. */
template <class T>
struct LaneSums {
  internal::Place<T> waiting[internal::kLevels + 1];
};

/** Σ f(i) over i in [0, n); T{} is zero, T has operator+=. Item i goes to lane i mod 32. A lane
 adds its items in ascending order; one binary tree adds the lanes (l and l+1, then l and l+2, …),
 and leaves out halves without items. */
template <class T, class F>
INTERVOX_HD T SumInLanes(int n, F&& f, LaneSums<T>* room) {
  const int lanes = n < kLanes ? n : kLanes;
  if (lanes <= 0) return T{};
  auto& waiting = room->waiting;
  int count = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    internal::SumLane(lane, n, f, &waiting[count++].value);
    // A bit of `lane` that is set, from the lowest on, is a left half that is complete.
    for (int bits = lane; count > 1 && ((bits & 1) != 0 || lane + 1 == lanes); bits >>= 1) {
      --count;
      waiting[count - 1].value += waiting[count].value;
    }
  }
  return waiting[0].value;
}

/** The same, with its room on the stack. */
template <class T, class F>
INTERVOX_HD T SumInLanes(int n, F&& f) {
  LaneSums<T> room;
  return SumInLanes(n, f, &room);
}

}  // namespace intervox::cuda
