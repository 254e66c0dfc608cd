/** @file What a contact is to the solver: the geometry of a patch, its states, its constants, and
 one stage of the time-stepping scheme over all patches. Symbols follow docs/theory.md. */
#pragma once

#include <cstddef>
#include <span>

#include "geometry/linear.h"
#include "host/contact/stage/stage_joint.h"

namespace intervox {

struct PatchQuadrature;

}  // namespace intervox

namespace intervox::host {

class ContactModel;

/** The geometry of one patch: summed metrics of its cell pairs, world axes. Of a point the measure
 of compliance V is its depth [m], and S its normal: both give −∂V/∂x = S. It has no moments. */
struct PatchGeometry {
  bool is_point = false;  ///< one point, not a volume
  /// Volume of interference [m³]; of a point its depth beyond the latch's offset [m].
  double V = 0.0;
  Vec3 p_WC;                ///< its centroid [m]; of a point halfway between the witness points
  Vec3 n;                   ///< contact normal, unit, from body j toward body i
  Mat3 J_W = Mat3::Zero();  ///< inertia about the centroid, unit density [m⁵]
  Vec3 S;                   ///< area vector [m²]; of a point its normal [–]
  Vec3 G;                   ///< its moment about the centroid [m³]
  Vec3 S_wall;              ///< what round walls add to S for n: S + S_wall has its direction [m²]
  double turn = 1.0;  ///< |∫ n dV| / V, below 1 where a round wall turns within the patch [–]
  Vec3 twist;         ///< ∫ (p − p_C) × n dV / V of round walls [m]
  // Of a law that asks for them: the gap between the bodies grows by ½ (k_1 x² + k_2 y²).
  double k_1 = 0.0;     ///< the larger curvature [1/m]; infinite at edges
  double k_2 = 0.0;     ///< the smaller [1/m]
  Vec3 d_1;             ///< the direction of x; of volumes
  double weight = 1.0;  ///< of a point's stiffness, where points share what a face has [–]
  Mat3 R_n;             ///< turns the last accepted step's normal into n (bristles turn with it)
};

/** The continuous states of one patch; also used for their rates. Deflections are given in the axes
 that turn with the normal since the last accepted step, z_W = R_n z, so that the stages of a step
 may be combined linearly; at an accepted step the owner sets z ← R_n z and starts again from R_n =
 I. */
struct PatchState {
  Vec3 z;                ///< bristle deflection, in the contact plane [m]
  double theta = 0.0;    ///< torsional bristle deflection [rad]
  double s_dw = 0.0;     ///< dwell state [–]
  double V_o = 0.0;      ///< relaxation offset of the volume [m³]
  Vec3 z_j;              ///< of friction with springs on both bodies, those on body j [m]
  double theta_j = 0.0;  ///< likewise [rad]
};

/** The constants of one contact; moved at accepted steps only (theory: "Contact begins"). */
struct PatchLatch {
  double v_i = 0.0;  ///< latched approach speed, > 0 while approaching [m/s]
  double a = 0.0;    ///< damping factor, ≤ 0 [s/m]
  /// Damping of bodies that part, beyond the law's and in shares of the elastic force: above 0
  /// where a passive contact has given back nearly all that was put into it [s/m].
  double bound = 0.0;
  /// What multiplies force and potential: HertzForm where the contact began, for laws that follow
  /// it [m^½]; else the geometry's weight at the last accepted step [–].
  double form = 1.0;
  // Of laws that remember how far the patch was pressed. V is relaxed; at points a depth.
  /// Its V when it last turned from pressing to parting [m³]; of a surface that recovers by itself
  /// its depth while nothing presses on it [m].
  double V_max = 0.0;
  /// Slope while it parts, in shares of the loading slope; of stronge whose e follows the speed the
  /// share e² of the work that it gives back [–].
  double unloading = 0.0;
  double V_last = 0.0;       ///< V at the last accepted step [m³]
  double V_rate_last = 0.0;  ///< its rate there [m³/s]
  /// Depth that a point was found at without having been pressed there: it acts beyond it [m].
  double offset = 0.0;
  double quiet = 0.0;  ///< periods since it last approached half as fast as v_i [–]
};

/** Powers of one contact, for the energy audit [W]. Dissipation is ≥ 0. */
struct ContactPower {
  double elastic = 0.0;  ///< rate of elastic work done ON the bodies: k_v V_r n·v_c
  double normal = 0.0;   ///< dissipated by normal damping
  double bound = 0.0;    ///< of `normal`, by the latch's `bound`
  /// Dissipated by sliding friction: −f_t·v_ct; where it is distributed, by spinning too.
  double friction = 0.0;
  double spinning = 0.0;  ///< dissipated by spinning friction
  double rolling = 0.0;   ///< dissipated by rolling resistance
  double bristle = 0.0;   ///< of friction: what goes into the bristles' springs (may have any sign)
  double bristle_spin = 0.0;  ///< of `bristle`, the part of spinning friction
};

/** A linear drag on a body about a point: f = −D v_B, τ = −D_r ω about B, world axes. D and D_r are
 symmetric and positive semidefinite. */
struct StageDrag {
  Vec3 p_WB;                ///< the point [m]
  Mat3 D = Mat3::Zero();    ///< [N·s/m]
  Mat3 D_r = Mat3::Zero();  ///< [N·m·s/rad]
};

/** A rigid body as a stage sees it: positions are known, velocities are sought. */
struct StageBody {
  double inverse_mass = 0.0;              ///< [1/kg]; 0: fixed or driven
  Mat3 inverse_inertia_W = Mat3::Zero();  ///< about the centre of mass, world axes [1/(kg·m²)]
  Vec3 p_WM;                              ///< centre of mass [m]
  Vec3 v;                                 ///< of the centre of mass; in: y*, out: the stage's [m/s]
  Vec3 w;                                 ///< angular, world axes; in: y*, out: the stage's [rad/s]
  /// Whether dx and dtheta are given: what the implicit tableau adds to the explicit position, but
  /// for hγ v (integrators' StageOffset). Contacts whose two bodies are either fixed or have it let
  /// elastic forces that are stiff against the step act at the implicit position.
  bool has_offset = false;
  Vec3 dx;      ///< of the centre of mass [m]
  Vec3 dtheta;  ///< likewise, rotation vector, world axes [rad]
  /// A drag that is implicit in the stage's velocities, or null. The incoming velocities are those
  /// without contacts, its effect included: M (v − v*) = −hγ K v holds for them already. So to the
  /// contacts it is inertia, M + hγ K.
  const StageDrag* drag = nullptr;
};

/** A contact as a stage sees it. */
struct StageContact {
  int body_i = -1;  ///< index into the stage's bodies
  int body_j = -1;
  const ContactModel* model = nullptr;
  const PatchQuadrature* patch = nullptr;  ///< where the model's friction is distributed
  PatchGeometry geometry;
  Vec3 moved;   ///< of body i against j at p_WC since the geometry was evaluated [m]
  Vec3 turned;  ///< likewise, rotation vector, world axes [rad]
  /// The power of the depth with which V grows, where evaluations tell; 0: the moments do [–].
  double depth_power = 0.0;
  PatchLatch latch;
  PatchState state;    ///< in: y*, out: the stage's
  PatchState rate;     ///< out (in: first guess): d(state)/dt at the stage
  double f_n = 0.0;    ///< out (in: first guess): normal force, ≥ 0 [N]
  Vec3 force;          ///< out (in: first guess): on body i, at p_WC [N]
  Vec3 torque;         ///< out (in: first guess): on body i, about p_WC [N·m]
  ContactPower power;  ///< out
};

/** Free bodies up to which an island's system is solved as a dense one. */
inline constexpr std::size_t kMostDenseBodies = 15;

/** How a stage's solve went. */
struct StageResult {
  int iterations = 0;
  double residual = 0.0;  ///< largest change of a velocity in the last sweep [m/s]
  bool converged = true;
};

/** Solves y = y* + hγ F(x, y) for the velocities and contact states; positions, and with them all
 geometry, are fixed. The states are eliminated inside each contact's law and the velocities of each
 island of touching bodies are found by Newton's method with exact slopes, in at most 70 sweeps
 (docs/contact_models.md). F is the contacts' part only: other forces belong into y*. Velocities on
 return are y* + hγ M⁻¹ Σ Jᵀ w of the returned wrenches (M + hγ K for M where a body has a drag), so
 momentum is kept to rounding. Joints' constraints J v = target are solved for together with the
 contacts, their multipliers as unknowns; where constraints depend on each other, the multipliers
 are the smallest that do. Allocates only when there are more contacts or bodies than ever before in
 the calling thread. Bits do not depend on threads.
 @param h_gamma  step times the diagonal of the implicit tableau [s]; 0 evaluates F at y*.
 @param threads  that islands, and the contacts of a large one, may use; 0: all cores
 @param joints   between the bodies; need h_gamma > 0 */
StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact* const> contacts, int threads = 1,
                       std::span<StageJoint> joints = {});
/** The same for contacts that lie side by side. */
StageResult SolveStage(double h_gamma, std::span<StageBody> bodies,
                       std::span<StageContact> contacts, int threads = 1);

}  // namespace intervox::host
