/** @file The references of the rows: one mass against a law, integrated apart from the simulation.
 */
#pragma once

#include <functional>

namespace intervox::host {

/** One mass on a contact law: m z̈ = m g − max(0, f(z, ż)), z being the depth. */
struct OneBody {
  double mass = 0.0;                            ///< [kg]
  double gravity = 0.0;                         ///< [m/s²]
  std::function<double(double, double)> force;  ///< of depth [m] and rate [m/s], in contact [N]
};

/** How an impact went. */
struct Rebound {
  double speed = 0.0;     ///< with which the mass leaves [m/s]; 0 where it stays
  double duration = 0.0;  ///< of the contact [s]
};

/** One impact, by the classical Runge–Kutta method.
 @param speed  of the approach [m/s]. @param dt  step [s]. @param longest  the mass stays if it is
 in contact for longer than that [s] */
Rebound ReboundOf(const OneBody& body, double speed, double dt, double longest);

/** The integral of f over [0, end] by Simpson's rule. @param n  intervals, even */
double Integral(const std::function<double(double)>& f, double end, int n);

}  // namespace intervox::host
