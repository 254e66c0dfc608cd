/** @file Coefficients of additive Runge–Kutta schemes, as plain data. */
#pragma once

#include <span>
#include <string_view>

namespace intervox::integrators {

/** Most stages a tableau may have. */
inline constexpr int kMaxStages = 6;

/** An additive Runge–Kutta scheme: an explicit tableau for the positions, a diagonally implicit one
 for velocities and internal states, one common set of weights. An explicit scheme has the explicit
 tableau in both places, so its diagonal is zero. */
struct Tableau {
  std::string_view name;                      ///< as scenes call it: rk1 … rk5, ark1 … ark3
  int stages = 0;                             ///< number of stages
  int order = 0;                              ///< classical order
  double a_explicit[kMaxStages][kMaxStages];  ///< strictly lower triangular [–]
  double a_implicit[kMaxStages][kMaxStages];  ///< lower triangular [–]
  double b[kMaxStages];                       ///< weights of both parts [–]
  double c[kMaxStages];                       ///< abscissae of both parts [–]
};

/** All schemes: rk1 (Euler), rk2 (Heun), rk3 (Bogacki and Shampine), rk4 (the classical one), rk5
 (Dormand and Prince), be1 (backward Euler), ark1 (implicit Euler with an explicit position
 predictor), ark2 (Giraldo, Kelly and Constantinescu 2013, ARK2(2,3,2)) and ark3 (Kennedy and
 Carpenter 2003, ARK3(2)4L[2]SA). */
std::span<const Tableau> AllTableaus();

/** The scheme called `name`, or null when there is none. */
const Tableau* FindTableau(std::string_view name);

}  // namespace intervox::integrators
