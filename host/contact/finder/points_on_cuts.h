/** @file Points on the cut faces of cells that are points of the whole body all the same. */
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "host/contact/finder/pair_finder.h"

namespace intervox::host {

/** The deepest point of two cells that lies on a cut face of one. */
struct PointOnCut {
  std::size_t place = 0;  ///< which of the finder's places
  int a = 0;              ///< cell of body i
  int b = 0;              ///< cell of body j
  points::PointContact point;
};

/** Leaves out points on cut faces beyond which a neighbouring cell is deeper, and keeps one of
 those that all cells at the place have: there a corner or an edge of the body lies in the cut.
 @param pair    two bodies
 @param points  of all its pairs of cells that have one on a cut face, in order */
void KeepWhereCellsAgree(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                         std::vector<PointOnCut>* points);

}  // namespace intervox::host
