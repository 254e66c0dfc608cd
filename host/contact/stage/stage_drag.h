/** @file A body's drag inside SolveStage: to the contacts it is inertia, M + hγ K. */
#pragma once

#include "host/contact/contact.h"

namespace intervox::host::internal {

/** hγ K of a drag and (M + hγ K)⁻¹, in the velocity of the centre of mass and ω, as blocks of
 three; the blocks below the diagonal are the transposes. What is locked has no part in K and zero
 in A. */
struct DragInertia {
  Mat3 K_vv, K_vw, K_ww;  ///< [kg], [kg·m], [kg·m²]
  Mat3 A_vv, A_vw, A_ww;  ///< inverses of the above, in this sense
};

/** @param mass     of the body [kg]; 0: translation is locked
    @param inertia  about the centre of mass, world axes [kg·m²]; zero: rotation is locked */
DragInertia MakeDragInertia(double h_gamma, const StageDrag& drag, const Vec3& p_WM, double mass,
                            const Mat3& inertia);

}  // namespace intervox::host::internal
