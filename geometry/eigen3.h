/** @file Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix by cyclic Jacobi rotations. */
#pragma once

#include "geometry/linear.h"

namespace intervox {

/** Eigenvalues ascending; the columns of `vectors` are the matching unit vectors, right-handed. */
struct SymmetricEigen {
  Vec3 values;
  Mat3 vectors;
};

/** A = Q diag(values) Qᵀ to a few ulp of the largest eigenvalue. Only + − × ÷ and sqrt; the number
 of sweeps is bounded. The lower triangle of A is not read. */
INTERVOX_HD inline SymmetricEigen EigenSymmetric(const Mat3& A) {
  Mat3 D = A;
  D(1, 0) = D(0, 1);
  D(2, 0) = D(0, 2);
  D(2, 1) = D(1, 2);
  Mat3 Q;
  for (int sweep = 0; sweep < 30; ++sweep) {
    const double off = D(0, 1) * D(0, 1) + D(0, 2) * D(0, 2) + D(1, 2) * D(1, 2);
    if (off == 0) break;
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (D(p, q) == 0) continue;
        const double theta = (D(q, q) - D(p, p)) / (2 * D(p, q));
        const double root = std::sqrt(theta * theta + 1);
        const double t = theta >= 0 ? 1 / (theta + root) : 1 / (theta - root);
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        Mat3 J;
        J(p, p) = c;
        J(q, q) = c;
        J(p, q) = s;
        J(q, p) = -s;
        D = Transpose(J) * D * J;
        D(p, q) = 0;
        D(q, p) = 0;
        Q = Q * J;
      }
    }
  }
  SymmetricEigen r{{D(0, 0), D(1, 1), D(2, 2)}, Q};
  for (int pass = 0; pass < 2; ++pass) {
    for (int k = 0; k < 2; ++k) {
      if (r.values[k] <= r.values[k + 1]) continue;
      const double value = r.values[k];
      r.values[k] = r.values[k + 1];
      r.values[k + 1] = value;
      Vec3 column[3] = {r.vectors.Col(0), r.vectors.Col(1), r.vectors.Col(2)};
      const Vec3 swapped = column[k];
      column[k] = column[k + 1];
      column[k + 1] = swapped;
      r.vectors = Mat3::FromColumns(column[0], column[1], column[2]);
    }
  }
  if (Determinant(r.vectors) < 0) {
    r.vectors = Mat3::FromColumns(r.vectors.Col(0), r.vectors.Col(1), -r.vectors.Col(2));
  }
  return r;
}

}  // namespace intervox
