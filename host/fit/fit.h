/** @file Parameters of contact laws from measurements, with confidence intervals. */
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/fit/measurements.h"

namespace intervox::host {

/** A parameter that was found. */
struct FittedParameter {
  std::string name;  ///< as scenes call it, where they have it
  std::string unit;
  double value = 0.0;
  double low = 0.0;   ///< of the 95 % confidence interval
  double high = 0.0;  ///< likewise
};

/** What a fit found. */
struct Fit {
  std::vector<FittedParameter> parameters;
  double deviation = 0.0;  ///< standard deviation of the measurements from the curve, in their unit
  int points = 0;
  int evaluations = 0;  ///< of the curve over all points
};

/** What a fit is told beside the measurements. */
struct FitConditions {
  double load = 0.0;      ///< normal force of a pull, required by `stick` [N]
  double gravity = 9.81;  ///< that presses the part which rings [m/s²]
};

/** A curve y(x; θ). */
struct FitCurve {
  /// y of row `row` with the parameters θ.
  std::function<double(std::size_t row, std::span<const double> theta)> value;
  std::span<const double> measured;  ///< y of each row
  std::vector<double> start;         ///< θ to begin with
  std::vector<double> scale;         ///< by how much each of θ may move at first, above 0
};

/** A quantity that follows from θ, of which the interval is wanted. */
struct FitQuantity {
  std::string name;
  std::string unit;
  std::function<double(std::span<const double> theta)> value;
};

/** Least squares by Levenberg and Marquardt's method. The covariance is s² (JᵀJ)⁻¹ with s² = Σ
 r²/(n − p), the intervals are those of Student's t with n − p degrees of freedom: right to first
 order in the noise, for noise of even spread that is independent from row to row.
 @throws InputError where there are fewer than p + 5 rows, or where they do not tell θ. */
Fit FitLeastSquares(const FitCurve& curve, std::span<const FitQuantity> wanted,
                    const std::string& source);

/** The 97.5 % quantile of Student's t with n ≥ 5 degrees of freedom, to 5e-4. */
double StudentQuantile(int n);

/** A model that measurements may be fitted to. */
struct FitModelEntry {
  std::string name;
  std::string equation;
  std::vector<std::string> columns;  ///< that the file must have
  /** Fits it to measurements that have the columns. */
  Fit (*fit)(const Measurements& data, const FitConditions& conditions);
};

/** All models:
 - force_depth: force [N] = k z^p (1 + (3/2) α ż) of depth z [m] and, where there is a column, rate
   ż [m/s]: stiffness, exponent, dissipation.
 - force_linear: force = k z + c ż of depth and rate: stiffness, damping.
 - restitution: rebound_speed = e v of approach_speed v [m/s].
 - restitution_slope: rebound_speed = (1 − slope v) v (3.12).
 - restitution_power: rebound_speed = (v₀/v)^p v, all faster than v₀: restitution.speed v₀,
   restitution.power p.
 - stick: force = load min(σ₀ x, μ) of displacement x [m], pulled slowly: sigma_0, mu_s.
 - slide: force = load (μ_C + (μ_S − μ_C) exp(−v²/v_S²)) of velocity v [m/s], pulled steadily: mu_s,
   mu_c, v_stribeck, what the bristles hold at that slip, Gonthier (3.28)–(3.42).
 - ringing: displacement [m] of a part that is struck while it sticks, over time [s]: sigma_0 =
   ω²/g and sigma_1 = 2 ζ ω/g of the oscillation m ẍ + f_n σ₁ ẋ + f_n σ₀ x = 0, Gonthier
   (3.47)–(3.50), whose frequency and decay are read off for the start. */
const std::vector<FitModelEntry>& FitModels();

/** Fits the model of that name. @throws InputError for an unknown name or a missing column. */
Fit FitModel(const std::string& model, const Measurements& data, const FitConditions& conditions);

}  // namespace intervox::host
