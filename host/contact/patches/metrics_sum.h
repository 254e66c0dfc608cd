/** @file The sum of cell pairs' metrics that makes a patch, and the choice of its normal. */
#pragma once

#include "cuda/wall/wall_normal.h"
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

  double size = 0.0;  ///< Σ |S| of what was added [m²]

  Vec3 turned{};        ///< what walls' normals add to s for its direction to be the normal [m²]
  double wall_v = 0.0;  ///< volume on round walls [m³]
  Vec3 wall_m{};        ///< its first moments about O [m⁴]
  Vec3 wall_n{};        ///< ∫ n dV over it [m³]
  Vec3 wall_t{};        ///< ∫ ρ × n dV over it, about O [m⁴]

  /** Adds the metrics of one pair with V > 0. */
  void Add(const InterferenceMetrics& pair);
  /** Adds the means of a pair on a round wall after its metrics. */
  void AddWall(const InterferenceMetrics& pair, const WallMean& mean);
  /** Adds what a patch has; counts as one pair. */
  void Add(const PatchGeometry& patch);
  /** Adds another sum. */
  void Add(const MetricsSum& other);
  /** ∫ρρᵀ about the common centroid [m⁵]. Requires pairs > 0. */
  Mat3 SecondMoment() const;
  /** V, centroid, J, S and G about the common centroid; n and R_n are left alone. Requires pairs
   * > 0. */
  void Finish(PatchGeometry* geometry) const;
};

/** Below |S| = kUndefinedNormal · V^(2/3) the area vector has no direction worth the name: one
 cell (nearly) contains the other. */
inline constexpr double kUndefinedNormal = 1e-3;

/** Whether S has a direction (theory: |S| ≥ ε V^(2/3)). */
bool HasDirection(const Vec3& S, double V);

/** How far apart two neighbouring overlaps are for parts of one convex overlap that a cut has
 divided, as an edge or a cone's tip is that stands on a floor: no more than 1 when they may be;
 infinite when their moments say that they are not. Their normals may be far apart.
 - A convex overlap has V ≥ |S| h/3, h being its extent along S (a cone has the least), and along S
 a variance of at most h²/12: so 4 S·E S ≤ 3 V³ of the sum, E = ∫ρρᵀ about its centroid. The two
   faces of a corner break this as soon as their width is a few times the depth.
 - Opposite walls have a small sum: |S| ≥ ¼ Σ|S| is asked for.
 - No point of a convex body is farther from its centroid than √15 standard deviations, so the
 parts' centroids are no farther apart than √15 (σ_a + σ_b) along the line between them: the result
   is their distance as a share of that. */
double ConvexGap(const MetricsSum& a, const MetricsSum& b);

/** Whether they may be parts of one convex overlap. */
bool MayBeOneConvexOverlap(const MetricsSum& a, const MetricsSum& b);

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
