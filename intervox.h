/** @file Intervox in one header: scenes and shapes in, overlaps, forces and motion out.

 SI units throughout; frames are in the names: X_WB is the pose of B in W. Quaternions are
 (w, x, y, z). Bad input throws InputError, whose what() names file, line, key, value and remedy.

   intervox::Simulation simulation(intervox::LoadScene("scene.yaml"));
   while (!simulation.Done()) simulation.Step();

 Link `intervox::host`. */
#pragma once

#include "cuda/certify/certify.h"
#include "cuda/engine.h"
#include "geometry/shape.h"
#include "host/bodies/motion.h"
#include "host/distance/distance.h"
#include "host/distance/overlaps.h"
#include "host/distance/signed_measure.h"
#include "host/input/error.h"
#include "host/results/recorder.h"
#include "host/scene/pairs.h"
#include "host/scene/reader.h"
#include "host/scene/scene.h"
#include "host/scene/shape_metrics.h"
#include "host/simulation.h"

namespace intervox {

// Scenes: LoadScene from a file and ToYaml back are in intervox already.
using host::ParseScene;  ///< a scene from text

// Shapes: LoadPairs, ParsePairs and ParseShape read them; ToCells makes cells of one.
using geometry::Cell;      ///< a part of a solid; all cells of a solid together are the solid
using geometry::Shape;     ///< a primitive, or an operation on shapes
using geometry::ShapePtr;  ///< a shared immutable shape
using geometry::ToCells;   ///< the cells of a shape: measure them all, not the first alone

// Overlaps: Engine::Compute takes pairs of cells, these take whole solids, and so does
// CertifyVolume, whose bounds are proved.
using host::MeasureOptions;  ///< tolerance, voxel size, leaf rule
using host::MeasurePair;     ///< the overlap of two posed solids
using host::MeasurePoses;    ///< the same at many poses
using host::MeasureSolid;    ///< volume, centroid and inertia of a solid
using host::ShapeMetrics;    ///< what they return

// Whether solids overlap at all: faster than how much.
using host::Overlaps;      ///< yes or no
using host::OverlapTest;   ///< what the next two return: yes or no, and how that is known
using host::TestOverlap;   ///< the same for two posed solids
using host::TestOverlaps;  ///< the same at many poses

// Distances of solids that do not meet, with witness points.
using host::DistanceOptions;   ///< tolerance, effort
using host::MeasureDistance;   ///< the distance of two posed solids
using host::MeasureDistances;  ///< the same at many poses
using host::Separation;        ///< what they return

// One number for both: the volume of an overlap or minus the distance, with its slope.
using host::MeasureSigned;  ///< of two posed solids
using host::SignedMeasure;  ///< what it returns

// Motion: Simulation, BodyState, ContactReport and SensorReading are in intervox already.
using host::FromRotationVector;  ///< the quaternion of an axis times an angle

// Results files.
using host::Provenance;  ///< what made a results file
using host::Recorder;    ///< writes a simulation's course

using host::InputError;  ///< what bad input throws

}  // namespace intervox
