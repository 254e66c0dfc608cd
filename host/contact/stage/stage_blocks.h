/** @file What bodies and contacts add to the slope of an island's stage equation. Blocks are 6 × 6
 (v, then ω). */
#pragma once

#include <cstddef>

#include "host/contact/stage/stage_drag.h"
#include "host/contact/stage/stage_point.h"

namespace intervox::host::internal {

/** Four doubles, wherever they begin. */
using Pack [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;

/** The four doubles that begin at p. */
inline Pack& PackAt(double* p) { return *reinterpret_cast<Pack*>(p); }
/** @copydoc PackAt */
inline const Pack& PackAt(const double* p) { return *reinterpret_cast<const Pack*>(p); }

/** Adds a body's mass and inertia [kg], [kg·m²] to its diagonal block, which is symmetric. */
void AddInertia(double mass, const Mat3& inertia, double* block, std::size_t stride);

/** Adds hγ K of a body's drag to its diagonal block, which is symmetric. */
void AddDrag(const DragInertia& drag, double* block, std::size_t stride);

/** H Jᵀ C J of a contact, kept as what it is made of: a quarter of the four blocks. */
struct ContactSlope {
  int at[2] = {-1, -1};             ///< which bodies; −1: not free
  Vec3 axis[3];                     ///< as of the StagePoint
  Vec3 n;                           ///< about which the patch spins
  Vec3 rho[2];                      ///< from the bodies' centres to the centroid [m]
  Vec3 twist;                       ///< what turning adds to v_n beside the centroid's motion [m]
  Vec3 pressed;                     ///< from the centroid to where friction acts [m]
  Vec3 lever;                       ///< what it adds to v_n in the change of V [m]
  double by_depth = 0.0;            ///< −H ∂f_n, with v_n
  double by_turn = 0.0;             ///< likewise, with lever·ω
  double at_lever = 0.0;            ///< of what acts at the lever, with v_n + lever·ω
  double per_force[3] = {0, 0, 0};  ///< friction and spinning moment per normal force
  double C[3][3] = {};              ///< their slopes with v_t1, v_t2 and ω_n, times H
  double turn[6] = {0, 0, 0, 0, 0, 0};  ///< moments with ω, times H: xx, yy, zz, xy, xz, yz
};

/** The slope at the last evaluation; `coupled` counts the load's effect on friction, `follow` how
 its weight follows the velocities. */
ContactSlope SlopeOf(const StagePoint& point, bool coupled, bool follow = false);

/** A wrench at a contact's centroid. */
struct CentroidWrench {
  Vec3 force, torque;
};

/** H C times the motion of body i relative to body j: dv at the centroid, dw [m/s], [rad/s]. */
CentroidWrench Multiply(const ContactSlope& slope, const Vec3& dv, const Vec3& dw);

/** Adds a contact's blocks, rows `stride` doubles apart, to at[row side][column side]; side 0 is
 body i. A side that is not free is left out. Eight doubles of each row are touched, of which the
 last two get 0 added. */
void AddContactBlocks(const ContactSlope& slope, double* const at[2][2], std::size_t stride);

/** Adds the block of a body whose point at rho from its centre [m] has a force that falls by A with
 the velocity there. Eight doubles of each row are touched likewise. */
void AddPointBlock(const Mat3& A, const Vec3& rho, double* out, std::size_t stride);

/** Adds the blocks of a point between two bodies as AddContactBlocks; those that are null are left
 out. */
void AddPointBlocks(const Mat3& A, const Vec3 rho[2], double* const at[2][2], std::size_t stride);

/** Adds the two blocks in the rows of one side's body, columns `stride` doubles apart; `other` may
 be null. Eight doubles of each column are touched likewise. */
void AddSideBlocks(const ContactSlope& slope, int side, double* own, double* other,
                   std::size_t stride);

}  // namespace intervox::host::internal
