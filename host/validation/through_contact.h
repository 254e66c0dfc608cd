/** @file Rows of one contact. */
#pragma once

#include "host/validation/row.h"

namespace intervox::host {

/** Steps until the bodies have touched and left, or the scene ends. */
inline void StepThroughContact(const RowScene& scene, Simulation& simulation) {
  bool touched = false;
  while (!simulation.Done()) {
    scene.Step(simulation);
    const bool touches = !simulation.Contacts().empty();
    if (touched && !touches) return;
    touched = touches;
  }
}

}  // namespace intervox::host
