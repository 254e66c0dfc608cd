/** @file Nodes for the polar rule: equally spaced azimuths and Gauss–Legendre nodes, computed by
 the compiler. */
#pragma once

#include "cuda/numerics/scalar.h"

namespace intervox::cuda::internal::polar {

/** Azimuths of the finest rule; every used number of azimuths divides it. */
inline constexpr int kMaxAzimuths = 240;
/** Order of a Gauss rule that is tabulated. */
INTERVOX_HD constexpr int GaussOrder(int rule) {
  constexpr int kOrders[] = {4, 5, 7, 10, 14};
  return kOrders[rule];
}
/** Number of tabulated Gauss rules. */
inline constexpr int kGaussRules = 5;
/** cos x for |x| ≤ π by its series, at compile time. */
constexpr double SeriesCosine(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 20; ++k) {
    term *= -x * x / ((2 * k - 1) * (2 * k));
    sum += term;
  }
  return sum;
}

/** cos(2πk/kMaxAzimuths). */
struct AzimuthTable {
  double cosine[kMaxAzimuths] = {};
};

/** Fills the table from one octant, so that mirror images agree to the bit. */
constexpr AzimuthTable MakeAzimuthTable() {
  constexpr int n = kMaxAzimuths;
  AzimuthTable table;
  for (int k = 0; k <= n / 4; ++k) {
    // Beyond 45° the sine's series of the complement is the more accurate one.
    const double x = 2 * kPi * k / n;
    double value = SeriesCosine(x);
    if (k > n / 8) {
      const double y = 2 * kPi * (n / 4 - k) / n;
      double term = y, sum = y;
      for (int j = 1; j < 20; ++j) {
        term *= -y * y / ((2 * j) * (2 * j + 1));
        sum += term;
      }
      value = sum;
    }
    table.cosine[k] = value;
    table.cosine[n / 2 - k] = -value;
    table.cosine[n / 2 + k - (k == n / 2 ? n : 0)] = -value;
    table.cosine[(n - k) % n] = value;
  }
  return table;
}

/** A Gauss node on [0, 1] in the quadratic Bernstein basis. */
struct GaussNode {
  double weight = 0.0;
  double b0 = 0.0;  ///< (1−s)²
  double b1 = 0.0;  ///< 2 s (1−s)
  double b2 = 0.0;  ///< s²
};

/** The nodes of all rules, rule by rule. */
struct GaussNodes {
  static constexpr int kNodes = 40;
  GaussNode node[kNodes];
};

/** The first node of a rule. */
INTERVOX_HD constexpr int FirstGaussNode(int rule) {
  constexpr int kFirst[] = {0, 4, 9, 16, 26};
  return kFirst[rule];
}

/** Newton's method on the Legendre polynomials, at compile time. */
constexpr GaussNodes MakeGaussNodes() {
  GaussNodes nodes;
  for (int rule = 0; rule < kGaussRules; ++rule) {
    const int n = GaussOrder(rule);
    for (int i = 0; i < n; ++i) {
      double x = SeriesCosine(kPi * (i + 0.75) / (n + 0.5));
      double slope = 1;
      for (int iteration = 0; iteration < 8; ++iteration) {
        double p0 = 1, p1 = x;
        for (int k = 2; k <= n; ++k) {
          const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
          p0 = p1;
          p1 = p2;
        }
        slope = n * (x * p1 - p0) / (x * x - 1);
        x -= p1 / slope;
      }
      const double s = 0.5 * (1 - x), t = 0.5 * (1 + x);
      nodes.node[FirstGaussNode(rule) + i] = {1 / ((1 - x * x) * slope * slope), t * t, 2 * s * t,
                                              s * s};
    }
  }
  return nodes;
}

/** A node of those of all rules. */
INTERVOX_HD inline const GaussNode& GaussNodeAt(int i) {
  static constexpr GaussNodes kTable = MakeGaussNodes();
  return kTable.node[i];
}

/** cos and sin of azimuth k of kMaxAzimuths. */
INTERVOX_HD inline void Azimuth(int k, double* cosine, double* sine) {
  static constexpr AzimuthTable kTable = MakeAzimuthTable();
  *cosine = kTable.cosine[k];
  *sine = kTable.cosine[(k + 3 * kMaxAzimuths / 4) % kMaxAzimuths];
}

}  // namespace intervox::cuda::internal::polar
