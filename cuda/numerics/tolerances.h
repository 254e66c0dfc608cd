/** @file Tolerances of more than one rule, each with the inequality it comes from.

 With the unit roundoff u = 1.1e-16, a computed sum of n products errs by at most n u/(1 − n u)
 times the sum of their magnitudes (Higham, Accuracy and Stability of Numerical Algorithms, (3.5)).
 */
#pragma once

namespace intervox::cuda {

/** The share of the tolerance that the flux rule stays below: it errs by what it states, and V may
 jump by a tenth of the tolerance along a path, from one result to another. Two results of this
 share each differ by less: 2 · 0.05 ≤ 0.1. Above it the next rule is tried, at ten times the cost.
 */
inline constexpr double kFluxShare = 0.05;

}  // namespace intervox::cuda

namespace intervox::cuda::internal {

/** A level xᵀEx + 2 b·x + c takes nine roundings a term at most: |δf| ≤ 9u Σ|terms|. */
inline constexpr double kLevelRounding = 1e-15;

/** A mapped level takes two maps more, of three products each way: |δg| ≤ 36u Σ|terms|. */
inline constexpr double kMappedRounding = 4e-15;

/** A coordinate is a product with a rotation's row and a sum: |δx| ≤ 4u reach. Faces of the area A
 that move so sweep |δV| ≤ A |δx|. */
inline constexpr double kPositionRounding = 4e-16;

}  // namespace intervox::cuda::internal
