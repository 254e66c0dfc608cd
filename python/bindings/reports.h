/** @file Views of a simulation: bodies, sensors, joints, contacts. */
#pragma once

#include "python/bindings/session.h"

namespace intervox::python {

/** One body, sensor or joint of a simulation, or all of them, as they are whenever they are asked.
 */
template <class T>
struct View {
  nb::object owner;  ///< keeps the session alive
  Session* session = nullptr;
  int number = 0;
};

/** Tags of views. */
struct OneBody {};
/** Tags of views. */
struct AllBodies {};
/** Tags of views. */
struct OneSensor {};
/** Tags of views. */
struct AllSensors {};
/** Tags of views. */
struct OneJoint {};
/** Tags of views. */
struct AllJoints {};

/** The contacts as a structured NumPy array. */
nb::object ContactsOf(const Simulation& simulation);
/** The onsets of contact as a structured NumPy array. */
nb::object ImpactsOf(const Simulation& simulation);

}  // namespace intervox::python
