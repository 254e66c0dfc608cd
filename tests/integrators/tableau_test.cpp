#include "integrators/tableau.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace intervox::integrators {
namespace {

using Matrix = double[kMaxStages][kMaxStages];

// Σ_i b_i Π over the given abscissa-like vectors.
struct Conditions {
  const Tableau& t;

  double Sum(const double (&u)[kMaxStages]) const {
    double sum = 0.0;
    for (int i = 0; i < t.stages; ++i) sum += t.b[i] * u[i];
    return sum;
  }
  // v_i = Σ_j a_ij u_j
  void Apply(const Matrix& a, const double (&u)[kMaxStages], double (&v)[kMaxStages]) const {
    for (int i = 0; i < t.stages; ++i) {
      v[i] = 0.0;
      for (int j = 0; j < t.stages; ++j) v[i] += a[i][j] * u[j];
    }
  }
};

constexpr double kRounding = 4e-16;

TEST(Tableau, RowSumsAreTheAbscissaeInBothParts) {
  for (const Tableau& t : AllTableaus()) {
    double sum_b = 0.0;
    for (int i = 0; i < t.stages; ++i) {
      double sum_explicit = 0.0, sum_implicit = 0.0;
      for (int j = 0; j < t.stages; ++j) {
        sum_explicit += t.a_explicit[i][j];
        sum_implicit += t.a_implicit[i][j];
      }
      if (t.name == "ark1" && i == 1) {
        EXPECT_EQ(sum_explicit, 1.0);
      }
      // Backward Euler has one stage: its positions are predicted from the velocities of the start.
      const double predicted_to = t.name == "be1" ? 0.0 : t.c[i];
      EXPECT_NEAR(sum_explicit, predicted_to, 4e-15) << t.name << " row " << i;
      EXPECT_NEAR(sum_implicit, t.c[i], 4e-15) << t.name << " row " << i;
      sum_b += t.b[i];
    }
    EXPECT_NEAR(sum_b, 1.0, kRounding) << t.name;
  }
}

// All conditions up to order three of both tableaus, pure and coupled: each occurrence of A or c
// may be of either part, and the abscissae agree, so b·c, b·c² and b·A c with both A cover every
// tree.
TEST(Tableau, OrderConditionsHoldInBothPartsAndTheirCoupling) {
  for (const Tableau& t : AllTableaus()) {
    const Conditions conditions{t};
    double c[kMaxStages], c2[kMaxStages], Ac[kMaxStages];
    for (int i = 0; i < kMaxStages; ++i) {
      c[i] = t.c[i];
      c2[i] = c[i] * c[i];
    }
    if (t.order >= 2) {
      EXPECT_NEAR(conditions.Sum(c), 1.0 / 2, 2e-15) << t.name;
    } else {
      EXPECT_GT(std::fabs(conditions.Sum(c) - 1.0 / 2), 0.1) << t.name;
    }
    if (t.order >= 3) {
      EXPECT_NEAR(conditions.Sum(c2), 1.0 / 3, 2e-15) << t.name;
      for (const Matrix* a : {&t.a_explicit, &t.a_implicit}) {
        conditions.Apply(*a, c, Ac);
        EXPECT_NEAR(conditions.Sum(Ac), 1.0 / 6, 2e-15) << t.name;
      }
    }
    if (t.order >= 4) {
      double c3[kMaxStages], cAc[kMaxStages], Ac2[kMaxStages], AAc[kMaxStages];
      conditions.Apply(t.a_explicit, c, Ac);
      conditions.Apply(t.a_explicit, c2, Ac2);
      conditions.Apply(t.a_explicit, Ac, AAc);
      for (int i = 0; i < kMaxStages; ++i) {
        c3[i] = c2[i] * c[i];
        cAc[i] = i < t.stages ? c[i] * Ac[i] : 0.0;
      }
      EXPECT_NEAR(conditions.Sum(c3), 1.0 / 4, 2e-15) << t.name;
      EXPECT_NEAR(conditions.Sum(cAc), 1.0 / 8, 2e-15) << t.name;
      EXPECT_NEAR(conditions.Sum(Ac2), 1.0 / 12, 2e-15) << t.name;
      EXPECT_NEAR(conditions.Sum(AAc), 1.0 / 24, 2e-15) << t.name;
    }
  }
}

// Stability function of the implicit part at z → −∞: 0 for an L-stable scheme.
TEST(Tableau, TheImplicitPartsAreLStableAndStifflyAccurate) {
  for (const char* name : {"ark1", "ark2", "ark3"}) {
    const Tableau& t = *FindTableau(name);
    for (int j = 0; j < t.stages; ++j) EXPECT_EQ(t.b[j], t.a_implicit[t.stages - 1][j]) << name;
    for (const double z : {-1e3, -1e6, -1e9}) {
      double y[kMaxStages];
      for (int i = 0; i < t.stages; ++i) {
        double sum = 1.0;
        for (int j = 0; j < i; ++j) sum += z * t.a_implicit[i][j] * y[j];
        y[i] = sum / (1.0 - z * t.a_implicit[i][i]);
      }
      EXPECT_LT(std::fabs(y[t.stages - 1]), 10.0 / -z) << name << " at z = " << z;
    }
  }
}

TEST(Tableau, UnknownNamesGiveNull) {
  EXPECT_EQ(FindTableau("rk6"), nullptr);
  EXPECT_EQ(FindTableau(""), nullptr);
  EXPECT_EQ(FindTableau("ark3")->order, 3);
}

}  // namespace
}  // namespace intervox::integrators
