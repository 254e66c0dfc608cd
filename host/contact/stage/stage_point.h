/** @file One contact inside SolveStage: its wrench as a function of the velocities, with slopes. */
#pragma once

#include <algorithm>
#include <cmath>

#include "host/contact/contact_model.h"
#include "host/contact/prefetch.h"

namespace intervox::host::internal {

/** The bodies of a contact by their numbers; −1: not free. */
struct BodyPair {
  int i = -1;
  int j = -1;
  bool acts = false;  ///< the contact is active
  bool operator==(const BodyPair&) const = default;
};

/** The first of a body's six unknowns, of v and ω; −1: it is not free. */
inline int FirstUnknown(int body) { return body < 0 ? -1 : 6 * body; }

/** What a contact brings to the first velocities that its bodies are solved from: a copy, as the
 contact and its point are large. */
struct FirstGuess {
  Vec3 force, torque;  ///< on body i, at the centroid [N], [N·m]
  Vec3 rho_i, rho_j;   ///< StagePoint's [m]
  double speed = 0.0;  ///< of the contact at y* [m/s]
};

/** By what share a law's argument is changed to find its slope. */
inline constexpr double kDifference = 1e-6;

/** A symmetric matrix across n, in the axes t₁ and t₂. */
struct AcrossNormal {
  double m_11 = 0.0, m_12 = 0.0, m_22 = 0.0;
};

/** What a friction law has answered, but for its forces' slopes. */
struct FrictionRates {
  double z[2] = {0, 0};  ///< as of Traction
  double z_w = 0.0;
  double z_j[2] = {0, 0};
  double z_j_w = 0.0;
  double s_dw = 0.0;
  double stored = 0.0;
  double stored_w = 0.0;
};

/** What a stage asks of any contact in its own axes (n, t₁, t₂). */
struct PointTerms {
  // Copies of what the contact has, which is large.
  StageContact* contact = nullptr;
  const ContactModel* model = nullptr;
  PatchLatch latch;
  double turn = 1.0;            ///< of its geometry
  double s_dw = 0.0;            ///< of its state
  StageBody* body_i = nullptr;  ///< current iterate
  StageBody* body_j = nullptr;
  bool rests_i = false;  ///< body i is fixed: neither moves nor will
  bool rests_j = false;
  bool active = false;  ///< V > 0
  /// It has no moments: no torque about it, no spinning, rolling or tilting. V is a depth, S = n.
  bool is_point = false;
  bool conserves = false;  ///< the law's wrench is w′(V) (S, G), and v_n is −V̇/S_there
  double H = 0.0;          ///< hγ [s]
  Vec3 axis[3];            ///< n, t₁, t₂; of a law that conserves S/S_there, t₁, t₂
  Vec3 rho_i;              ///< p_c − p_i [m]
  Vec3 rho_j;
  double S_there = 0.0;  ///< n · S where the geometry is; or |S|, above 0 where G is [m²]
  double S_n = 0.0;      ///< S_there; 0: the geometry is where the bodies are [m²]
  double V_there = 0.0;  ///< V where the geometry is [m³]
  double V_begin = 0.0;  ///< V at the implicit position, but for hγ v [m³]
  double V_o = 0.0;      ///< relaxation offset at the stage
  double z_star[2] = {0, 0};
  double z_j_star[2] = {0, 0};

  // What an evaluation changes.
  NormalForce law;
  double stiff = 0.0;  ///< −∂f_n/∂v_n by the volume alone [N·s/m]
  double s = 1.0;      ///< Stribeck weight in use
  // Once `held`, friction takes these for the normal force and the Contensou factors, which makes
  // the wrench a monotone function of the velocities.
  bool held = false;
  double load = 0.0;       ///< [N]
  double s_before = -1.0;  ///< s and its fresh value before the last ImproveWeights
  double fresh_s_before = 0.0;
  double z_rate_before[2] = {0, 0};  ///< for the bristle's turning, from the last evaluation
  double z_j_rate_before[2] = {0, 0};
  double v[4] = {0, 0, 0, 0};  ///< local velocities of the last evaluation
  double plate_spin = 0.0;     ///< n · ω_p [rad/s]
  double slope_n = 0.0;        ///< −∂f_n/∂v_n ≥ 0
  double f_n = 0.0;
  double f_t[3] = {0, 0, 0};  ///< friction f.x, f.y and f_w [N]
  double f_slope[3][4] = {};  ///< their derivatives, as a Dual has them
  FrictionRates friction;
};

/** What it asks of a patch with a volume; of a point they stay as they are here. */
struct VolumeTerms {
  Vec3 twist;                ///< what turning adds to v_n of a round wall [m]
  bool distributed = false;  ///< friction sums over the patch, spinning included
  double area_power = 0.0;   ///< |S| ∝ V^area_power, for the wrench at the implicit position
  Vec3 lever;                ///< G/S_there: what turning adds to v_n in the change of V [m]
  // The elastic wrench at the implicit position, to first order in the motion (δ, δθ) from where
  // the geometry is: V − S_n (n·δ + lever·δθ), and the moment about the centroid, of which the part
  // that goes with the force's change acts at the face's centroid and K δθ is the rest.
  AcrossNormal K;                   ///< elastic moment per angle about the face's centroid [N·m]
  double turned[2] = {0, 0};        ///< δθ along t₁ and t₂ but for hγ ω [rad]
  double f_e_there = 0.0;           ///< elastic force where the geometry is [N]
  double depth_power = 1.0;         ///< V grows with this power of the depth [–]
  double by_weight[3] = {0, 0, 0};  ///< ∂f_t/∂s where s is followed [N]
  double weight_slope[3] = {0, 0, 0};  ///< ∂s/∂v_t1, ∂s/∂v_t2, ∂s/∂(r_gyr ω_n), likewise [s/m]
  double r_gyr = 0.0;                  ///< radius of gyration about n, 0 without spinning
  double torque_factor = 0.0;
  double v_epsilon = 1.0;
  AcrossNormal rolling;        ///< −(b/V) Q: τ_r = −rolling ω
  double rolling_reach = 0.0;  ///< |a| times the patch radius, for the cap [s]; 0: no cap
  bool leans = false;          ///< friction sees the pressure of rolling
  double radius = 0.0;         ///< √2 r_gyr, of a patch that leans [m]
  AcrossNormal spread;         ///< second moments across n over V, likewise [m²]
  double lean[2] = {0, 0};     ///< of the last evaluation, see Slip [1/m]
  Vec3 pressed;                ///< where friction acts, from the centroid: held as s is [m]
  double r_theta_star = 0.0;
  double r_theta_j_star = 0.0;

  // What an evaluation changes.
  double stiff_e = 0.0;    ///< of −∂f_n/∂v_n, by the elastic force [N·s/m]
  double tilt_ramp = 1.0;  ///< the moment fades with the last 5 % of the force
  double C_v = 1.0;        ///< see PointTerms::held
  double C_w = 1.0;
  double ramp = 1.0;      ///< rolling resistance fades with the last 5 % of the normal force
  Vec3 w;                 ///< relative angular velocity
  double last_C_v = 1.0;  ///< Contensou factors of the last evaluation
  double last_C_w = 1.0;
};

/** A contact in its own axes (n, t₁, t₂). Local velocities are (v_n, v_t1, v_t2, ω_n) at the
 centroid; what is constant over a stage is computed once, by Prepare. Each sweep of Newton's method
 goes through all of them, so they are small, and a point's terms lie together. */
struct StagePoint : VolumeTerms, PointTerms {
  /** The contact's normal. */
  const Vec3& Normal() const { return conserves ? contact->geometry.n : axis[0]; }
  /** Sets up from the contact, and takes the bodies' velocities, which must be y*. */
  void Prepare(double h_gamma, std::span<StageBody> bodies, StageContact* c);
  /** What of it a volume needs. */
  void PrepareVolume();
  /** What of it a point needs. */
  void PreparePoint();
  /** What Prepare has found, for the bodies. */
  FirstGuess Guess() const { return {contact->force, contact->torque, rho_i, rho_j, Speed()}; }
  /** The normal law at a relaxed volume [m³]. */
  NormalForce Law(double V_r) const;
  /** The damping [N·s/m] that bounds a passive contact: of bodies that part. */
  double Bound(const NormalForce& at, double v_n) const {
    return v_n > 0.0 ? latch.bound * at.f_e : 0.0;
  }
  /** −V̇/S_there of a law that conserves, else v_n, of the last evaluation [m/s]. */
  double NormalVelocity() const { return conserves ? v[0] + Dot(lever, w) : v[0]; }
  /** Minus the slope of f_n with lever·ω ≥ 0. */
  double TurnSlope() const { return conserves ? slope_n : stiff; }
  /** Minus the slope, with v_n and lever·ω, of what acts at the lever ≥ 0. */
  double LeverSlope() const { return conserves ? slope_n : tilt_ramp * stiff_e; }
  /** V at the implicit position, which is V_linear to first order, and its slope with that. */
  double VolumeThere(double V_linear, double* slope) const;
  /** What Prepare left of the bristle's turning. */
  void ForgetRates() {
    for (int k = 0; k < 2; ++k) z_rate_before[k] = z_j_rate_before[k] = 0.0;
  }
  /** Sets plate_spin, and v[0] to v[2] as far as they are of bodies as they stand: without twist
   and lean. Returns the relative velocity at the centroid [m/s]. */
  Vec3 TakeVelocities();
  /** The largest of v along the axes where it acts, else 0 [m/s]. */
  double Speed() const {
    if (!active) return 0.0;
    return std::max({std::fabs(v[0]), std::fabs(v[1]), std::fabs(v[2])});
  }
  /** Evaluates at the bodies' current velocities; `hold` keeps s, ramp and the bristle's
   turning as they are. `follow` finds by_weight and weight_slope, too. */
  void Evaluate(bool hold, bool follow = false);
  /** Finds these. @param at  the friction of `slip` */
  void FollowWeight(const Traction& at, Slip* slip);
  /** The same of a point, at its v and plate_spin. */
  void EvaluatePoint(bool hold);
  /** Bristle deflections before the stage's own contribution, turned with the plate. */
  void TurnBristles(double z[2], double z_j[2]) const;
  /** Moves the centre of friction to where damping puts it at the velocities given. */
  void Lean();
  /** What s and ramp would be at the last evaluated velocities. */
  void FreshWeights(double* fresh_s, double* fresh_ramp) const;
  /** Moves s and ramp towards there. */
  void ImproveWeights();
  /** Moves load and factors by `share` of the way to their last evaluated values and holds them.
   Returns how much velocity [m/s] the remaining way was worth. */
  double Hold(double share);
  /** Force on body i and torque on it about the centroid, of the last evaluation. */
  Vec3 Force() const { return turn * f_n * axis[0] - f_t[0] * axis[1] - f_t[1] * axis[2]; }
  /** @copydoc Force */
  Vec3 Torque() const;
  /** M ω of a matrix across n. */
  Vec3 AcrossTimes(const AcrossNormal& M, double along_1, double along_2) const {
    return (M.m_11 * along_1 + M.m_12 * along_2) * axis[1] +
           (M.m_12 * along_1 + M.m_22 * along_2) * axis[2];
  }
  /** The normal law's moment about the centroid, of the last evaluation [N·m]. */
  Vec3 ElasticTorque() const;
  /** Minus the slope of the local wrench (f_n, −f₁, −f₂, τ_n) with the local velocities; `follow`
   counts how s follows them. */
  void Slope(bool follow, double C[4][4]) const;
  /** Minus the slope of a point's force with the relative velocity there, world axes; `coupled`
   counts the load's effect on friction. */
  Mat3 PointSlope(bool coupled) const;
  /** Writes states, rates, forces and powers back to the contact. */
  void Finish() const;
};

}  // namespace intervox::host::internal
