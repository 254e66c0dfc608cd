/** @file Numbers that are computed several at a time: a double, or four of them in a register. */
#pragma once

#include <cmath>

#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** What Wide<N> is. */
template <int N>
struct WideType;
template <>
struct WideType<1> {
  using Type = double;
};
#if !defined(__CUDA_ARCH__)
template <>
struct WideType<4> {
  using Type = double __attribute__((vector_size(32)));
};
#endif

/** N numbers with the operators of one, N being 1 or, on the CPU, 4. Comparisons choose lane by
 lane: a < b ? x : y. Each lane has the bits that a double has. */
template <int N>
using Wide = typename WideType<N>::Type;

/** The number in lane k. */
INTERVOX_HD inline double Lane(double x, int /*k*/) { return x; }
/** Puts a number into lane k. */
INTERVOX_HD inline void SetLane(double* x, int /*k*/, double value) { *x = value; }
/** N numbers from x on. */
template <int N>
INTERVOX_HD inline Wide<N> LoadWide(const double* x) {
  if constexpr (N == 1) {
    return *x;
  } else {
    Wide<N> wide;
    __builtin_memcpy(&wide, x, sizeof(wide));
    return wide;
  }
}
/** The largest number of all lanes. */
INTERVOX_HD inline double Most(double x) { return x; }
/** The least one. */
INTERVOX_HD inline double Least(double x) { return x; }
/** √x. */
INTERVOX_HD inline double Root(double x) { return std::sqrt(x); }
#if !defined(__CUDA_ARCH__)
inline double Lane(const Wide<4>& x, int k) { return x[k]; }
inline void SetLane(Wide<4>* x, int k, double value) { (*x)[k] = value; }
inline double Most(const Wide<4>& x) {
  const double even = x[2] > x[0] ? x[2] : x[0], odd = x[3] > x[1] ? x[3] : x[1];
  return odd > even ? odd : even;
}
inline double Least(const Wide<4>& x) {
  const double even = x[2] < x[0] ? x[2] : x[0], odd = x[3] < x[1] ? x[3] : x[1];
  return odd < even ? odd : even;
}
inline Wide<4> Root(const Wide<4>& x) {
  return Wide<4>{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
}
#endif
/** |x|, but for the sign of 0. */
template <class S>
INTERVOX_HD inline S Magnitude(const S& x) {
  return x < 0 ? -x : x;
}
/** The larger one of each lane; b where a is no number. */
template <class S>
INTERVOX_HD inline S Larger(const S& a, const S& b) {
  return a > b ? a : b;
}
/** The smaller one of each lane; b where a is no number. */
template <class S>
INTERVOX_HD inline S Smaller(const S& a, const S& b) {
  return a < b ? a : b;
}
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
/** Stands before a loop that g++ must not unroll: all passes at once need more registers than there
 are. */
#define INTERVOX_ROLLED _Pragma("GCC unroll 1")
#else
/** Stands before a loop that g++ must not unroll. */
#define INTERVOX_ROLLED
#endif

/** As many numbers as a vector register of the CPU holds; a device's thread takes one at a time. */
#if defined(__CUDA_ARCH__)
inline constexpr int kNumbersAtOnce = 1;
#else
inline constexpr int kNumbersAtOnce = 4;
#endif

}  // namespace intervox::cuda::internal
