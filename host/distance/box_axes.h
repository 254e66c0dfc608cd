/** @file The separating axes of two oriented boxes. */
#pragma once

#include "geometry/cell.h"

namespace intervox::host::distance {

/** What the fifteen axes say about two boxes. */
struct BoxAxes {
  double gap = 0.0;  ///< the largest gap between their shadows [m]; at most 0 where they overlap
  bool all = false;  ///< all axes that matter were looked at: boxes with a gap below 0 overlap
};

/** Looks along the axes of both boxes, then along the products of their edges (Gottschalk, Lin and
 Manocha 1996), until a gap is at least `enough`. */
BoxAxes LookAlongAxes(const geometry::OrientedBox& a, const geometry::OrientedBox& b,
                      double enough);

/** Whether a cell is its bounds: six planes and nothing else. */
bool IsItsBounds(const geometry::Cell& cell);

}  // namespace intervox::host::distance
