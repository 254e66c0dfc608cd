/** @file The coefficient of restitution e of an impact, constant or over its speed. */
#pragma once

#include <vector>

#include "host/contact/parameters.h"

namespace intervox::host {

/** e(v) of an approach speed v ≥ 0, in [0.01, 1]; one of

 - `restitution: e`, by default the materials';
 - `restitution: {speeds: […], values: […]}`: through the points of a table, monotone between them
 by Fritsch and Carlson's cubics with Butland's slopes (PCHIP), constant beyond its ends;
 - `restitution: {speed: v₀, value: e₀, power: p, most: e₁}`: min(e₁, e₀ (v₀/v)^p). With the p = ¼
   and e₀ = 1 of the defaults it is Johnson's law of balls that yield from v₀ on;
 - `restitution: {loss: a, exponent: q}`: 1 − a v^q. q = 1 is Gonthier (3.12), for which
   `restitution_slope: a` is another word, and q = 1/5 that of viscoelastic balls, Kuwabara and
 Kono.
 */
class Restitution {
 public:
  /** @param fallback  e where the scene gives none; 0: it has to */
  Restitution(Parameters& p, double fallback);
  /** e of an impact at the speed v [m/s]. */
  double At(double v) const;
  /** Whether e is the same at every speed. */
  bool IsConstant() const { return form_ == Form::kConstant; }
  /** Whether the scene gives an e to the law, in any of its forms. */
  static bool IsGiven(const Parameters& p);

 private:
  enum class Form { kConstant, kTable, kPower, kLoss };

  void ReadTable(const Parameters& p, const ParameterGroup& group);
  double InTable(double v) const;

  Form form_ = Form::kConstant;
  double e_ = 1.0;                             ///< constant; the e₀ of a power
  double speed_ = 1.0;                         ///< v₀ [m/s]
  double power_ = 1.0;                         ///< p, q
  double most_ = 1.0;                          ///< e₁
  double loss_ = 0.0;                          ///< a
  std::vector<double> speeds_, e_s_, slopes_;  ///< of a table
};

/** Refuses an e for a law that has a constant damping. */
void RefuseRestitution(const Parameters& p);

}  // namespace intervox::host
