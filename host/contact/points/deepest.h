/** @file The deepest point of an overlap: where the least motion takes two cells apart. */
#pragma once

#include <optional>

#include "host/contact/points/points.h"

namespace intervox::host::points {

/** The deepest point of two cells that overlap, in the direction of their area vector; empty where
 they do not overlap. Its depth −x is the least along n near n: it obeys

   n + Σ ν_i ∇f_i(p_A) = 0,  −n + Σ μ_j ∇h_j(p_B) = 0,  p_A − p_B = x n,  |n| = 1

 with the surfaces f_i of A that p_A lies on, those of B likewise, and multipliers that push out of
 the cells. Newton's method starts from the overlap's moments; surfaces join where the point leaves
 a cell, and go where they would pull. Where that does not settle, as on faces that lie flat on each
 other, the distance of the cells moved apart along n gives the point. Two grids, or a grid and a
 solid, by the moments alone: x = −p V/|S|, p being the overlap's DepthPower.
 @param on_cut  takes the point where a face that cuts its body presses a cell there, and none is
   returned: a neighbour then has a deeper one, but where the cut goes through a corner or an edge
   of the body; may be null */
std::optional<PointContact> DeepestPoint(const PairQuery& query,
                                         std::optional<PointContact>* on_cut = nullptr);

}  // namespace intervox::host::points
