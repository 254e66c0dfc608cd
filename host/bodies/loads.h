/** @file Applied wrenches: their share of a step, and the times at which steps should be cut. */
#pragma once

#include <vector>

#include "host/scene/scene.h"

namespace intervox::host {

/** A force and a moment about the centre of mass, world axes. */
struct AppliedLoad {
  Vec3 force;   ///< [N]
  Vec3 torque;  ///< [N·m]
};

/** The share of [begin, end] in which the wrench acts, on [from, to); where end is begin, 1 or 0 at
 that instant. A stage that takes this share for its whole piece of a step gives the exact impulse,
 wherever the stages lie, and nothing before `from` or after `to` in other pieces. */
double ActiveShare(const AppliedWrench& wrench, double begin, double end);

/** The body's wrenches at a pose, averaged over the piece [begin, end] of a step; see ActiveShare.
 The piece should not reach across any of LoadTimes, else its load is spread over it.
 @param X_WB  pose of the body frame at the stage. @param p_WM  its centre of mass [m]. */
AppliedLoad AverageLoad(const BodySettings& body, const Pose& X_WB, const Vec3& p_WM, double begin,
                        double end);

/** The times after 0 at which a wrench of the body begins or ends, or its motion or that of its
 holder's target has a key: ascending, each once, finite [s]. Between them what drives it is smooth.
 */
std::vector<double> LoadTimes(const BodySettings& body);

}  // namespace intervox::host
