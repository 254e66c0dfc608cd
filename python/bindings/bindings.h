/** @file The parts of the extension module; each adds its classes and functions. */
#pragma once

#include "python/bindings/convert.h"

namespace intervox::python {

/** Pose. */
void BindPose(nb::module_& m);
/** Scene, Shape and what reads them. */
void BindScene(nb::module_& m);
/** measure and what it returns. */
void BindMeasure(nb::module_& m);
/** distance and what it returns. */
void BindDistance(nb::module_& m);
/** Bodies, sensors, contacts and energy of a simulation. */
void BindReports(nb::module_& m);
/** Simulation and Recording. */
void BindSimulation(nb::module_& m);
/** run_batch. */
void BindBatch(nb::module_& m);

}  // namespace intervox::python
