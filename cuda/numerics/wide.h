/** @file Numbers that are computed several at a time: a double, or four of them in a register. */
#pragma once

#include <cmath>

#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** What Wide<N> is, and Whole<N>. */
template <int N>
struct WideType;
template <>
struct WideType<1> {
  using Type = double;
  using WholeType = int;
};
#if !defined(__CUDA_ARCH__)
template <>
struct WideType<4> {
  using Type = double __attribute__((vector_size(32)));
  using WholeType = int __attribute__((vector_size(16)));
};
#endif

/** N numbers with the operators of one, N being 1 or, on the CPU, 4. Comparisons choose lane by
 lane: a < b ? x : y. Each lane has the bits that a double has. */
template <int N>
using Wide = typename WideType<N>::Type;

/** N whole numbers, likewise. */
template <int N>
using Whole = typename WideType<N>::WholeType;

/** The number in lane k. */
INTERVOX_HD inline double Lane(double x, int /*k*/) { return x; }
/** Puts a number into lane k. */
INTERVOX_HD inline void SetLane(double* x, int /*k*/, double value) { *x = value; }
/** What lies from x on: as many as `All` holds. */
template <class All, class One>
INTERVOX_HD inline All LoadAll(const One* x) {
  if constexpr (sizeof(All) == sizeof(One)) {
    return *x;
  } else {
    All all;
    __builtin_memcpy(&all, x, sizeof(all));
    return all;
  }
}
/** N numbers from x on. */
template <int N>
INTERVOX_HD inline Wide<N> LoadWide(const double* x) {
  return LoadAll<Wide<N>>(x);
}
/** The numbers x[at[k]]. */
template <int N>
INTERVOX_HD inline Wide<N> Gather(const double* x, const int (&at)[N]) {
  if constexpr (N == 1) {
    return x[at[0]];
  } else {
    return Wide<N>{x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
  }
}
/** Puts N numbers from x on. */
INTERVOX_HD inline void StoreWide(double number, double* x) { *x = number; }
/** The largest number of all lanes. */
INTERVOX_HD inline double Most(double x) { return x; }
/** The least one. */
INTERVOX_HD inline double Least(double x) { return x; }
/** Bit k is set where lane k is above 0. */
INTERVOX_HD inline unsigned PositiveLanes(double x) { return unsigned{x > 0}; }
/** √x. */
INTERVOX_HD inline double Root(double x) { return std::sqrt(x); }
/** What is before the point; |x| below 2³¹. */
INTERVOX_HD inline int WholeOf(double x) { return static_cast<int>(x); }
/** The same number. */
INTERVOX_HD inline double NumberOf(int x) { return x; }
INTERVOX_HD inline int Lane(int x, int /*k*/) { return x; }
#if !defined(__CUDA_ARCH__)
inline double Lane(const Wide<4>& x, int k) { return x[k]; }
inline void SetLane(Wide<4>* x, int k, double value) { (*x)[k] = value; }
inline void StoreWide(const Wide<4>& numbers, double* x) {
  __builtin_memcpy(x, &numbers, sizeof(numbers));
}
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
inline int Lane(const Whole<4>& x, int k) { return x[k]; }
#if defined(__AVX__) && !defined(__clang__) && !defined(__CUDACC__)
inline unsigned PositiveLanes(const Wide<4>& x) {
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(0.0 - x));
}
inline Whole<4> WholeOf(const Wide<4>& x) { return __builtin_ia32_cvttpd2dq256(x); }
inline Wide<4> NumberOf(const Whole<4>& x) { return __builtin_ia32_cvtdq2pd256(x); }
#else
inline unsigned PositiveLanes(const Wide<4>& x) {
  return unsigned{x[0] > 0} | unsigned{x[1] > 0} << 1 | unsigned{x[2] > 0} << 2 |
         unsigned{x[3] > 0} << 3;
}
inline Whole<4> WholeOf(const Wide<4>& x) {
  return Whole<4>{WholeOf(x[0]), WholeOf(x[1]), WholeOf(x[2]), WholeOf(x[3])};
}
inline Wide<4> NumberOf(const Whole<4>& x) {
  return Wide<4>{NumberOf(x[0]), NumberOf(x[1]), NumberOf(x[2]), NumberOf(x[3])};
}
#endif
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
#if defined(__AVX__) && !defined(__clang__) && !defined(__CUDACC__)
// In one instruction each, of which g++ makes two or three.
template <>
inline Wide<4> Magnitude(const Wide<4>& x) {
  using Bits = decltype(x < x);
  return reinterpret_cast<Wide<4>>(reinterpret_cast<Bits>(x) & 0x7fff'ffff'ffff'ffff);
}
template <>
inline Wide<4> Larger(const Wide<4>& a, const Wide<4>& b) {
  return __builtin_ia32_maxpd256(a, b);
}
template <>
inline Wide<4> Smaller(const Wide<4>& a, const Wide<4>& b) {
  return __builtin_ia32_minpd256(a, b);
}
#endif
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
