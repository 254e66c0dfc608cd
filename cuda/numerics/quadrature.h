/** @file Nested quadrature on [0, 1]: Patterson's 3 ⊂ 7 ⊂ 15 ⊂ 31 points, exact to degree 5, 11, 23
 and 47, and Kronrod's 5 ⊂ 11, exact to degree 9 and 17. */
#pragma once

#include "cuda/numerics/wide.h"
#include "geometry/hd.h"

namespace intervox::cuda::internal {

/** A rule of N − 1 points, filled up to N with a point of no weight: a whole number of vector
 registers. `lean` are the weights of the rule nested in it. */
template <int N>
struct NestedRule {
  double x[N];
  double fine[N];
  double lean[N];
};

/** Gauss' two points on [−1, 1] are ±1/√3, exact to degree 3. */
inline constexpr double kGaussTwo = 0.57735026918962576451;

/** Patterson's seven points; nested in them, Gauss' three. */
INTERVOX_HD inline const NestedRule<8>& Patterson7() {
  static constexpr NestedRule<8> kRule = {
      {0.0197543656459898583, 0.112701665379258311, 0.282878125326598721, 0.5, 0.717121874673401279,
       0.887298334620741689, 0.980245634354010142, 0.5},
      {0.0523281130132336326, 0.13424404493416672, 0.200698707387981111, 0.225458269329237071,
       0.200698707387981111, 0.13424404493416672, 0.0523281130132336326, 0},
      {0, 0.277777777777777778, 0, 0.444444444444444444, 0, 0.277777777777777778, 0, 0}};
  return kRule;
}

/** Kronrod's eleven points, exact to degree 17; nested in them, Gauss' five. */
INTERVOX_HD inline const NestedRule<12>& Kronrod11() {
  static constexpr NestedRule<12> kRule = {
      {0.007957319952578768, 0.046910077030668004, 0.1229166367145754, 0.23076534494715845,
       0.3601847934191084, 0.5, 0.6398152065808916, 0.7692346550528415, 0.8770833632854246,
       0.953089922969332, 0.9920426800474212, 0.5},
      {0.021291018375540916, 0.0576166583112367, 0.09340039827824632, 0.1205201696143238,
       0.13642490095627946, 0.1414937089287456, 0.13642490095627946, 0.1205201696143238,
       0.09340039827824632, 0.0576166583112367, 0.021291018375540916, 0},
      {0, 0.11846344252809454, 0, 0.23931433524968324, 0, 0.28444444444444444, 0,
       0.23931433524968324, 0, 0.11846344252809454, 0, 0}};
  return kRule;
}

/** Patterson's fifteen points; nested in them, the seven. */
INTERVOX_HD inline const NestedRule<16>& Patterson15() {
  static constexpr NestedRule<16> kRule = {
      {0.0030840183936224889, 0.0197543656459898583, 0.0557703835638715006, 0.112701665379258311,
       0.189448526631386799, 0.282878125326598721, 0.388306656785516559, 0.5, 0.611693343214483441,
       0.717121874673401279, 0.810551473368613201, 0.887298334620741689, 0.944229616436128499,
       0.980245634354010142, 0.996915981606377511, 0.5},
      {0.00850085981497013017, 0.0258016414985398698, 0.0464635976575622688, 0.0672076276218921102,
       0.0857559545681956904, 0.100314264688494511, 0.109578429200793748, 0.112755249899103344,
       0.109578429200793748, 0.100314264688494511, 0.0857559545681956904, 0.0672076276218921102,
       0.0464635976575622688, 0.0258016414985398698, 0.00850085981497013017, 0},
      {0, 0.0523281130132336326, 0, 0.13424404493416672, 0, 0.200698707387981111, 0,
       0.225458269329237071, 0, 0.200698707387981111, 0, 0.13424404493416672, 0,
       0.0523281130132336326, 0, 0}};
  return kRule;
}

/** Patterson's thirty-one points; nested in them, the fifteen: every second one. */
INTERVOX_HD inline const NestedRule<32>& Patterson31() {
  static constexpr NestedRule<32> kRule = {{0.000450937516166201169, 0.0030840183936224889,
                                            0.00923442522312994657,  0.0197543656459898583,
                                            0.0351725712851299717,   0.0557703835638715006,
                                            0.0816370309155656322,   0.112701665379258311,
                                            0.148751896754236461,    0.189448526631386799,
                                            0.234340128177812188,    0.282878125326598721,
                                            0.334432303371011583,    0.388306656785516559,
                                            0.443755528433406687,    0.5,
                                            0.556244471566593313,    0.611693343214483441,
                                            0.665567696628988417,    0.717121874673401279,
                                            0.765659871822187812,    0.810551473368613201,
                                            0.851248103245763539,    0.887298334620741689,
                                            0.918362969084434368,    0.944229616436128499,
                                            0.964827428714870028,    0.980245634354010142,
                                            0.990765574776870053,    0.996915981606377511,
                                            0.999549062483833799,    0.5},
                                           {0.00127239039578093721, 0.00421728286966055312,
                                            0.00822302492719390547, 0.0129037990480883268,
                                            0.017978551653564661,   0.0232314466308789933,
                                            0.0284897547470616787,  0.0336038771479953518,
                                            0.0384398102495017655,  0.0428779600249951756,
                                            0.0468135549906322368,  0.0501571393058977894,
                                            0.0528349467901174049,  0.0547892105279623191,
                                            0.0559784365104767284,  0.0563776283603843458,
                                            0.0559784365104767284,  0.0547892105279623191,
                                            0.0528349467901174049,  0.0501571393058977894,
                                            0.0468135549906322368,  0.0428779600249951756,
                                            0.0384398102495017655,  0.0336038771479953518,
                                            0.0284897547470616787,  0.0232314466308789933,
                                            0.017978551653564661,   0.0129037990480883268,
                                            0.00822302492719390547, 0.00421728286966055312,
                                            0.00127239039578093721, 0},
                                           {0, 0.00850085981497013017, 0, 0.0258016414985398698,
                                            0, 0.0464635976575622688,  0, 0.0672076276218921102,
                                            0, 0.0857559545681956904,  0, 0.100314264688494511,
                                            0, 0.109578429200793748,   0, 0.112755249899103344,
                                            0, 0.109578429200793748,   0, 0.100314264688494511,
                                            0, 0.0857559545681956904,  0, 0.0672076276218921102,
                                            0, 0.0464635976575622688,  0, 0.0258016414985398698,
                                            0, 0.00850085981497013017, 0, 0}};
  return kRule;
}

/** Nodes that are computed at once: a vector register's worth on the CPU, one by a device's thread,
 whose registers hold no more. */
inline constexpr int kNodesAtOnce = kNumbersAtOnce;

/** Sums of kKinds over the nodes of many rules: every fourth node has its own, and the four are
 added last. The bits are the same whether nodes come four at a time or one by one. */
template <int kKinds>
class FourSums {
 public:
  /** Adds values of the nodes from `first` on. */
  INTERVOX_HD void Add(int first, int kind, const Wide<kNodesAtOnce>& a) {
    double* four = sum_[kind] + first % 4;
    const Wide<kNodesAtOnce> sum = LoadWide<kNodesAtOnce>(four) + a;
    __builtin_memcpy(four, &sum, sizeof(sum));
  }
  /** Adds other. */
  INTERVOX_HD FourSums& operator+=(const FourSums& other) {
    for (int kind = 0; kind < kKinds; ++kind) {
      for (int k = 0; k < 4; ++k) sum_[kind][k] += other.sum_[kind][k];
    }
    return *this;
  }
  /** The sum of a kind. */
  INTERVOX_HD double operator[](int kind) const {
    const double(&of)[4] = sum_[kind];
    return (of[0] + of[2]) + (of[1] + of[3]);
  }

 private:
  // Plain numbers: the same layout on every device, and no need of a vector's alignment.
  double sum_[kKinds][4] = {};
};

/** A walk over [0, 1] by aligned intervals of its binary tree, depth first: the place in it is one
 number. */
struct Bisection {
  double from = 0.0, width = 1.0;

  /** On to what follows the interval, as wide as the place allows. */
  INTERVOX_HD void Next() {
    from += width;
    while (width < 1.0 && from < 1.0) {
      const double steps = from / (2.0 * width);
      if (steps != static_cast<double>(static_cast<long long>(steps))) break;
      width *= 2.0;
    }
  }
};

}  // namespace intervox::cuda::internal
