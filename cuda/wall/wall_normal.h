/** @file The mean normal of an overlap with a round hollow wall. */
#pragma once

#include "cuda/metrics.h"

namespace intervox {

/** What a pressure on a round hollow wall adds up to, from body j on body i as the area vector is.
 */
struct WallMean {
  Vec3 normal;  ///< n̄ = (1/V) ∫ n dV, not longer than 1; zero: there is no such wall
  Vec3 moment;  ///< (1/V) ∫ (p − p_C) × n dV [m]
};

/** The mean of the wall's normals over an overlap with a hole or funnel.

 A pressure k d at the depth d of a thin overlap has the resultant k ∫ d n dA = k V n̄ and presses
 with k V in all, also where the wall turns by up to a right angle within the overlap: there S/|S|
 is steeper along the axis than the wall is, and |n̄| < 1. With the axis a, the centroid's distance
 ρ_c from it and the wall's angle β, n̄ = (ρ_c/ρ_w) cos β e_ρ ∓ sin β a, where the mean radius ρ_w of
 the overlap follows from J, and with e = ∫ρρᵀ a the moment is (cos β/(ρ_w V)) (a × e − (tan β/ρ_w)
 e × ρ_c e_ρ). Of cylinders and cones; to the first order in the depth over the radius, and in a
 cone's change of radius over the overlap where that reaches farther around at one height than at
 another. Both fade to S/|S| and zero where S shows that the overlap lies on other faces as well.
 @param metrics  the metrics of the query, with a volume above 0. */
WallMean MeanOnWall(const PairQuery& query, const InterferenceMetrics& metrics);

}  // namespace intervox
