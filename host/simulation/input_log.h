/** @file What was put into a simulation from outside, as values: to be recorded and put in again.
 */
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/linear.h"

namespace intervox {

/** One call of SetWrench, SetHolderTarget, SetMotion or SetState. */
struct Input {
  /** Which call; the numbers stand in results files. */
  enum class Kind : std::uint8_t { kWrench, kHolderTarget, kMotion, kState };

  Kind kind = Kind::kWrench;
  int body = 0;           ///< index into Scene::bodies
  std::int64_t step = 0;  ///< accepted steps before it
  double time = 0.0;      ///< [s]
  Pose X;                 ///< X_WT or X_WB; of a wrench, p is its point in the body's frame [m]
  Vec3 linear;            ///< force [N] or velocity [m/s], world axes
  Vec3 angular;           ///< torque [N·m] or angular velocity [rad/s], world axes
};

/** Inputs in the order in which they came. */
using InputLog = std::vector<Input>;

}  // namespace intervox
