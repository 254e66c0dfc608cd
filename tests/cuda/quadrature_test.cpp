#include "cuda/numerics/quadrature.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace intervox::cuda {
namespace {

using internal::NodeSums;

/** Sums of values by M nodes at once, and by Total. */
template <int N, int M>
void ExpectSameBits() {
  std::mt19937 random(N + M);
  std::uniform_real_distribution<double> values(-1, 1);
  for (int round = 0; round < 100; ++round) {
    double a[N], b[N], product[N];
    for (int k = 0; k < N; ++k) {
      a[k] = values(random);
      b[k] = values(random);
      product[k] = a[k] * b[k];
    }
    NodeSums<N, 3, M> sums;
    for (int step = 0; step < N; step += M) {
      const int first = sums.NodeAt(step);
      double some[M], others[M];
      for (int i = 0; i < M; ++i) {
        some[i] = a[first + i];
        others[i] = b[first + i];
      }
      sums.Add(step, 0, some);
      sums.Add(step, 1, some, others);
      if constexpr (M == internal::kNodesAtOnce || M == 1) {
        sums.AddWide(step, 2, internal::LoadWide<M>(a + first));
      }
      sums.Close(step);
    }
    EXPECT_EQ(sums[0], internal::Total(a)) << N << " nodes, by " << M;
    EXPECT_EQ(sums[1], internal::Total(product)) << N << " nodes, by " << M;
    if constexpr (M == internal::kNodesAtOnce || M == 1) {
      EXPECT_EQ(sums[2], internal::Total(a)) << N << " nodes, by " << M;
    }
  }
}

/** The largest error of either of the nested rules for powers up to their degrees. */
template <int N>
double WorstOfPowers(const internal::NestedRule<N>& rule, int lean, int fine) {
  double worst = 0;
  for (int degree = 0; degree <= fine; ++degree) {
    double sum = 0, lean_sum = 0;
    for (int k = 0; k < N; ++k) {
      const double power = std::pow(rule.x[k], degree);
      sum += rule.fine[k] * power;
      lean_sum += rule.lean[k] * power;
    }
    worst = std::fmax(worst, std::fabs(sum - 1.0 / (degree + 1)));
    if (degree <= lean) worst = std::fmax(worst, std::fabs(lean_sum - 1.0 / (degree + 1)));
  }
  return worst;
}

TEST(NestedRules, AreExactToTheirDegrees) {
  EXPECT_LT(WorstOfPowers(internal::Patterson7(), 5, 11), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Kronrod11(), 9, 17), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Patterson15(), 11, 23), 1e-15);
  EXPECT_LT(WorstOfPowers(internal::Patterson31(), 23, 47), 1e-15);
  for (int k = 0; k < 15; ++k) {
    EXPECT_EQ(internal::Patterson31().x[2 * k + 1], internal::Patterson15().x[k]);
    EXPECT_EQ(internal::Patterson31().lean[2 * k + 1], internal::Patterson15().fine[k]);
  }
}

// A device's thread takes one node after the other, the CPU four or all at once.
TEST(NodeSums, AddAsTotalDoesHoweverManyNodesComeAtOnce) {
  ExpectSameBits<8, 1>();
  ExpectSameBits<8, 4>();
  ExpectSameBits<8, 8>();
  ExpectSameBits<12, 1>();
  ExpectSameBits<12, 4>();
  ExpectSameBits<12, 12>();
  ExpectSameBits<16, 1>();
  ExpectSameBits<16, 4>();
  ExpectSameBits<16, 16>();
}

}  // namespace
}  // namespace intervox::cuda
