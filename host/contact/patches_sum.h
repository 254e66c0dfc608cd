/** @file The sum of cell pairs' metrics that makes a patch, and the choice of its normal. */
#pragma once

#include "cuda/metrics.h"
#include "host/contact/contact.h"

namespace intervox::host {

/** Metrics of several cell pairs, summed about one origin: the first pair's centroid, so that
 moments of a small overlap keep their digits anywhere in the world. */
struct MetricsSum {
  Vec3 p_WO;              ///< origin of the sums [m]
  double v = 0.0;         ///< Σ V [m³]
  Vec3 m;                 ///< first moments about O [m⁴]
  Mat3 e = Mat3::Zero();  ///< second moments ∫ρρᵀ about O [m⁵]
  Vec3 s;                 ///< Σ S [m²]
  Vec3 g;                 ///< Σ moments of S about O [m³]
  int pairs = 0;          ///< how many

  /** Adds the metrics of one pair with V > 0. */
  void Add(const InterferenceMetrics& pair);
  /** V, centroid, J, S and G about the common centroid; n and R_n are left alone. Requires pairs
   * > 0. */
  void Finish(PatchGeometry* geometry) const;
};

/** Below |S| = kUndefinedNormal · V^(2/3) the area vector has no direction worth the name: one
 cell (nearly) contains the other. */
inline constexpr double kUndefinedNormal = 1e-3;

/** Whether S has a direction (theory: |S| ≥ ε V^(2/3)). */
bool HasDirection(const Vec3& S, double V);

/** How a patch's normal is chosen. */
struct NormalRule {
  bool eigenvector = false;  ///< the thesis' mode, Gonthier (4.199); else the area vector
  double memory = 0.95;      ///< r_n of the guess (1 − r_n) n_geo + r_n n_prev
  double j_error = 1e-3;     ///< relative error of J: an eigenvalue gap below it says nothing
};

/** The normal of a patch.
 @param n_prev  the last accepted step's normal; null on the first contact.
 @param n       out: unit normal.
 @return false when it is undefined: no direction in S and no n_prev. */
bool ChooseNormal(const NormalRule& rule, const PatchGeometry& geometry, const Vec3* n_prev,
                  Vec3* n);

/** The smallest rotation that takes the unit vector a to the unit vector b. */
Mat3 SmallestRotation(const Vec3& a, const Vec3& b);

}  // namespace intervox::host
