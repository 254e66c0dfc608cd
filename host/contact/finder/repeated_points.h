/** @file Points that several parts of a body have: each counts once, and only where the body ends.
 */
#pragma once

#include <span>
#include <vector>

#include "host/contact/finder/pair_finder.h"

namespace intervox::host {

/** Leaves out the points of two bodies that another part of one of them has better: corners and
 edges of a part where another part's face goes on in their plane, and all but one of those that
 several pairs of parts have. What is left out has i = −1 after that.

 Of two parts that hold the same point, each way out weighs as much as is left of its depth once the
 other has been gone: all of it across a reflex edge, nothing where the other leads out of both.
 Where each leads out of both the shorter one counts. Nothing is lost where another part has no
 point.
 @param X_WI, X_WJ  the bodies' poses; @param active  all their points */
void LeaveOutRepeated(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                      std::span<ActivePair> active);

/** Leaves out the points of two bodies on cut faces beyond which a neighbouring cell is deeper, and
 all but the first of those that every cell there has: a corner or an edge of the body lies in that
 cut. What is left out has i = −1 after that.
 @param active  all their points on cut faces */
void LeaveOutOnCuts(const NearPair& pair, const Pose& X_WI, const Pose& X_WJ,
                    std::span<ActivePair> active);

}  // namespace intervox::host
