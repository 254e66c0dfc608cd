/** @file Where things are in the stepper's vectors. */
#pragma once

#include <cstddef>
#include <span>

#include "geometry/linear.h"
#include "host/contact/contact.h"
#include "host/simulation/state.h"

namespace intervox::host {

/** Three numbers from `at` on. */
inline Vec3 ReadVec3(const double* at) { return {at[0], at[1], at[2]}; }
/** Writes three numbers from `at` on. */
inline void WriteVec3(const Vec3& v, double* at) {
  at[0] = v.x;
  at[1] = v.y;
  at[2] = v.z;
}

/** The stepper's vectors. Positions x: for each free body its centre of mass and quaternion.
 Velocities y: for each free body p and H (see RigidBody), then for each contact slot the increments
 of z, θ, s_dw, V_o, z_j and θ_j over the substep. Quadratures a: those of the audit, then for each
 slot what goes into its bristles and into its foundation. Slots beyond the contacts are for those
 that are born within the substep. */
struct StateLayout {
  std::size_t free = 0;   ///< free bodies
  std::size_t slots = 0;  ///< contacts that fit

  /** Numbers in x. */
  std::size_t PositionSize() const { return 7 * free; }
  /** Numbers in y. */
  std::size_t VelocitySize() const { return 6 * free + 10 * slots; }

  /** Where a slot's bristles are in a. */
  static std::size_t BristleQuadrature(std::size_t c) { return kQuadratures + 2 * c; }
  /** Where its foundation is. */
  static std::size_t FoundationQuadrature(std::size_t c) { return kQuadratures + 2 * c + 1; }

  /** Centre of mass of free body f in x. */
  static const double* Center(std::span<const double> x, std::size_t f) { return x.data() + 7 * f; }
  /** @copydoc Center */
  static double* Center(std::span<double> x, std::size_t f) { return x.data() + 7 * f; }
  /** Its quaternion as it stands, not normalised. */
  static Quaternion Turn(std::span<const double> x, std::size_t f) {
    const double* q = x.data() + 7 * f + 3;
    return {q[0], q[1], q[2], q[3]};
  }
  /** Sets its quaternion. */
  static void SetTurn(const Quaternion& q, std::span<double> x, std::size_t f) {
    double* at = x.data() + 7 * f + 3;
    at[0] = q.w;
    at[1] = q.x;
    at[2] = q.y;
    at[3] = q.z;
  }
  /** p of free body f in y; H follows it. */
  static const double* Momentum(std::span<const double> y, std::size_t f) {
    return y.data() + 6 * f;
  }
  /** @copydoc Momentum */
  static double* Momentum(std::span<double> y, std::size_t f) { return y.data() + 6 * f; }
  /** The increments of contact slot c in y. */
  PatchState Slot(std::span<const double> y, std::size_t c) const {
    const double* at = y.data() + 6 * free + 10 * c;
    return {ReadVec3(at), at[3], at[4], at[5], ReadVec3(at + 6), at[9]};
  }
  /** Sets them. */
  void SetSlot(const PatchState& state, std::span<double> y, std::size_t c) const {
    double* at = y.data() + 6 * free + 10 * c;
    WriteVec3(state.z, at);
    at[3] = state.theta;
    at[4] = state.s_dw;
    at[5] = state.V_o;
    WriteVec3(state.z_j, at + 6);
    at[9] = state.theta_j;
  }
};

/** a + b. */
inline PatchState operator+(const PatchState& a, const PatchState& b) {
  return {a.z + b.z,     a.theta + b.theta, a.s_dw + b.s_dw,
          a.V_o + b.V_o, a.z_j + b.z_j,     a.theta_j + b.theta_j};
}

}  // namespace intervox::host
