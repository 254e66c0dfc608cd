/** @file What is put into a running simulation from outside, between its steps. */
#pragma once

#include "host/bodies/motion.h"

namespace intervox::host {

/** The inputs of one body. They hold until they are set again. */
struct BodyInput {
  Vec3 force;           ///< at p_BP, world axes [N]
  Vec3 torque;          ///< world axes [N·m]
  Vec3 p_BP;            ///< body frame [m]
  bool drives = false;  ///< `drive` takes the place of the motion, or of the holder's target
  PrescribedMotion::Key drive;
};

/** How a driven body, or the target of a body's holder, moves at time t: as the input says, else as
 the scene does. The body must have one of the two. */
FrameMotion DriveAt(const BodySettings& body, const BodyInput& input, double t);

}  // namespace intervox::host
