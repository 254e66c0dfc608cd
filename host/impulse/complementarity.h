/** @file Linear complementarity problems, and the legs of a body that stands as one. */
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/linear.h"

namespace intervox::host {

/** How the search for a solution ended. */
enum class ComplementarityStatus { kSolved, kRay, kTooManyPivots };

/** A solution of a = B f + d, a ≥ 0, f ≥ 0, a·f = 0. */
struct ComplementaritySolution {
  ComplementarityStatus status = ComplementarityStatus::kSolved;
  Eigen::VectorXd f;
  Eigen::VectorXd a;  ///< B f + d
  int pivots = 0;
};

/** Solves a = B f + d, a ≥ 0, f ≥ 0, a·f = 0 by Lemke's method, ties broken lexicographically. It
 ends for every B; kRay means that there is no solution where B is positive semidefinite, as that of
 contacts without friction, and says nothing otherwise. Where solutions are many, it gives a vertex.
 @throws InputError for sizes that do not fit and numbers that are not finite */
ComplementaritySolution SolveComplementarity(const Eigen::MatrixXd& B, const Eigen::VectorXd& d);

/** The largest of −a, −f and |a f|, as a share of |d| and of f's size: 0 for an exact solution. */
double ComplementarityError(const ComplementaritySolution& solution, const Eigen::VectorXd& d);

/** A rigid body on legs that end on a smooth, level floor. */
struct LeggedBody {
  double mass = 1.0;       ///< [kg]
  double gravity = 9.81;   ///< [m/s²]
  Vec3 inertia{1, 1, 1};   ///< principal, about the centre of mass along x, y, z [kg·m²]
  std::vector<Vec3> legs;  ///< ends, from the centre of mass [m]
};

/** The complementarity problem of a body's legs: B_kl = 1/m + (r_k × n)·J⁻¹ (r_l × n), d_k = −g.
 f are the legs' forces [N], a their ends' normal accelerations [m/s²]; four legs or more make B
 singular, and f is not unique.
 @throws InputError for a mass or inertia that is not positive and finite */
void LegProblem(const LeggedBody& body, Eigen::MatrixXd* B, Eigen::VectorXd* d);

}  // namespace intervox::host
