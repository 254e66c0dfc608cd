"""Intervox: will it go in, and what will it feel on its way?

Volumes of interference of posed solids, contact forces and motion. SI units throughout; quaternions
are (w, x, y, z); poses are named X_AB, the pose of frame B in frame A. An orientation may be given as
a quaternion, a 3 x 3 matrix or a scipy.spatial.transform.Rotation.

    import intervox

    simulation = intervox.Simulation(intervox.load_scene("scene.yaml"))
    while not simulation.done:
        simulation.step()
    print(simulation.bodies["peg"].position)
"""

from ._core import (Bodies, Body, EnergyAudit, InputError, Joint, Joints, Metrics, MetricsArray, Pose, Recording,
                    Scene, Sensor, Sensors, Separation, SeparationArray, Shape, Simulation, Status, VolumeEnclosure,
                    __version__)
from ._inputs import certify, distance, load_scene, load_shapes, measure, measure_solid, overlaps, parse_scene, shape
from .batch import BatchResults, Rate, run_batch
from .pages import Page, show
from .results import Results, load_results, replay

__all__ = ["BatchResults", "Bodies", "Body", "EnergyAudit", "InputError", "Joint", "Joints", "Metrics",
           "MetricsArray", "Page", "Pose", "Rate", "Recording", "Results", "Scene", "Sensor", "Sensors", "Separation",
           "SeparationArray", "Shape", "Simulation", "Status", "VolumeEnclosure", "__version__", "certify", "distance", "load_results",
           "load_scene", "load_shapes", "measure", "measure_solid", "overlaps", "parse_scene", "replay", "run_batch", "shape", "show"]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "intervox"
del _name
