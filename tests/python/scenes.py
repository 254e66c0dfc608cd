"""Scenes that the tests share."""

import pathlib

import intervox

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEG = ROOT / "data/scenes/peg_insertion.yaml"

FREE_BOX = {
    "schema": "intervox/scene/2", "name": "free box", "duration": 0.2, "gravity": [0, 0, 0],
    "integrator": {"step": 1e-3}, "shapes": {"box": {"box": {"size": [0.2, 0.1, 0.06]}}},
    "contact_models": {"default": {"normal": {"model": "gonthier", "stiffness": 1e8, "restitution": 0.5}}},
    "bodies": {"box": {"shape": "box", "mass": 2}}}

BALL = {
    "schema": "intervox/scene/2", "name": "ball", "duration": 0.3, "integrator": {"step": 1e-3},
    "shapes": {"floor": {"half_space": {"normal": [0, 0, 1], "offset": 0}},
               "ball": {"sphere": {"radius": 0.05}}, "plate": {"box": {"size": [0.02, 0.2, 0.2]}}},
    "contact_models": {"default": {
        "normal": {"model": "gonthier", "stiffness": 1e8, "restitution": 0.1},
        "friction": {"model": "coulomb", "mu": 0.3}}},
    "bodies": {
        "floor": {"shape": "floor", "fixed": True},
        "ball": {"shape": "ball", "mass": 1, "pose": {"position": [0, 0, 0.0502], "rpy_deg": [10, 20, 30]}},
        "plate": {"shape": "plate", "pose": {"position": [-0.07, 0, 0.1]},
                  "motion": {"velocity": {"linear": [0.1, 0, 0]}}},
        "held": {"shape": "plate", "mass": 1, "pose": {"position": [0.5, 0, 0.3]},
                 "holder": {"stiffness": 1e3, "damping": 20, "rotational_stiffness": 5,
                            "rotational_damping": 0.1}}},
    "sensors": {"feel": {"body": "ball"}}}

# 400 boxes on a floor in one step of 50 s, which takes longer than anyone waits.
PILE = {
    "schema": "intervox/scene/2", "duration": 5000, "integrator": {"step": 50},
    "shapes": {"floor": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "box": {"box": {"size": [0.1, 0.1, 0.1]}}},
    "contact_models": {"default": {"normal": {"model": "gonthier", "stiffness": 1e9, "restitution": 0.1},
                                   "friction": {"model": "bristle"}}},
    "bodies": {"floor": {"shape": "floor", "fixed": True},
               **{f"box{b}": {"shape": "box", "mass": 1, "pose": {
                   "position": [0.101 * (b % 10), 0.101 * (b // 10 % 10), 0.0499 + 0.0998 * (b // 100)]}}
                  for b in range(400)}}}


def simulation(scene=BALL, **options):
    """A simulation of one of the scenes above."""
    return intervox.Simulation(intervox.parse_scene(scene), **options)


def bits(simulation):
    """All that a simulation reports of its bodies, as bytes."""
    bodies = simulation.bodies
    return b"".join(a.tobytes() for a in (bodies.positions, bodies.quaternions, bodies.velocities,
                                          bodies.angular_velocities))
