/** @file What the finder remembers of two bodies: a Verlet list of their cells and known gaps. */
#pragma once

#include <array>
#include <limits>
#include <vector>

#include "host/contact/finder/cell_boxes.h"
#include "host/contact/points/points.h"

namespace intervox::host {

/** The Verlet list and the separation cache of two bodies.

 The Verlet list (neighbour list) holds the cell pairs whose boxes came within a margin; it is good
 until the bodies have travelled by the margin relative to each other. The separation cache holds,
 of a listed pair that was found apart, the travel that cannot close its gap. Travel is the way of
 the farthest point of one body as seen from the other, summed over the calls since the list was
 made [m]. A cache decides what is computed, never what comes out: an empty one gives the same
 result. */
struct SeparationCache {
  /** A listed cell pair. */
  struct Candidate {
    int a = 0;                 ///< cell of body i
    int b = 0;                 ///< cell of body j
    bool met = false;          ///< overlapped when last computed
    points::PairKind kind{};   ///< of the cells, where bodies touch in points
    double apart_until = 0.0;  ///< the pair is apart until the travel exceeds this [m]
    /** Trying to grow a cell by each distance of kGrowth waits for this travel [m]. */
    std::array<double, kGrowth.size()> grow_from{};
  };

  bool listed = false;        ///< there is a list
  Pose X_last;                ///< relative pose of the last call
  double moved = 0.0;         ///< travel of the last call [m]
  double travel = 0.0;        ///< travel since the list was made [m]
  double listed_until = 0.0;  ///< travel up to which the list holds [m]
  std::vector<Candidate> candidates;

  /** Forgets everything but the memory. */
  void Clear() {
    listed = false;
    moved = travel = listed_until = 0.0;
    candidates.clear();
  }
};

}  // namespace intervox::host
