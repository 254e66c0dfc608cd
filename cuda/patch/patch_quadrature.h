/** @file Points over a contact patch, each with its share of the overlap: what distributed friction
 sums over. */
#pragma once

#include <span>
#include <vector>

#include "cuda/metrics.h"

namespace intervox {

/** What is known of a patch before its points are sought. */
struct PatchMoments {
  Vec3 p_WC;            ///< centroid C of the overlap [m]
  Vec3 n;               ///< contact normal, unit; depths are measured along it
  Mat3 E_W;             ///< ∫ρρᵀ dV of the overlap about C, world axes [m⁵]
  double volume = 0.0;  ///< V [m³]
};

/** Points in the plane through C across n, by components so that sums run in vector registers.

 Point k stands for a piece of the patch with the area A_k = π reach²_k and the mean depth
 d_k = share_k V/A_k, so that Σ A_k d_k = V: with a pressure k_v d the point carries share_k of the
 load. Σ share = 1, Σ share x = Σ share y = 0. Their number is a multiple of kLanes; the last points
 may have no share. */
struct PatchQuadrature {
  static constexpr std::size_t kLanes = 4;

  Vec3 t1, t2;                        ///< axes of the plane, unit; (n, t1, t2) is right-handed
  std::vector<double> x;              ///< along t1 from C [m]
  std::vector<double> y;              ///< along t2 from C [m]
  std::vector<double> share;          ///< of V, and of the load [–]
  std::vector<double> reach_squared;  ///< of the disc with the piece's area [m²], > 0

  /** How many points there are, those without a share included. */
  std::size_t size() const { return x.size(); }
};

/** How fine the pieces are; a doubled number tells how far they are from converged. */
struct PatchFineness {
  int sectors = 48;  ///< directions around C, a multiple of 4, at most 192
  int rings = 11;    ///< pieces from C to the rim, at most 40
};

/** Divides a patch into pieces around its centroid and finds their depths along n.

 The pieces are sectors and rings of the patch's own ellipse of inertia, out to the rim or, where
 the patch has holes, over each stretch of it; corners of the rim are corners of pieces. Depths are
 lengths of rays along n inside both cells of a pair, summed over the pairs. Exact for caps and for
 even or tilted faces with straight or round rims, to second order in the pieces' size elsewhere. A
 pure function of its arguments, the axes turning with the first cell. Where rounding leaves no
 depth at all, eight points with the patch's second moments stand for it.
 @param pairs  the cell pairs of the patch, at least one; cells without grids
 @param moments  of the patch, n a unit vector, volume above 0
 @param out  its memory is used again */
void ComputePatchQuadrature(std::span<const PairQuery> pairs, const PatchMoments& moments,
                            PatchQuadrature* out, const PatchFineness& fineness = {});

}  // namespace intervox
