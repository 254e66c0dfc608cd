"""Intervox: the volume of interference, by the program: a query's time is what 20,000 poses take beyond one."""

import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

import numpy

import problems as p
from problems import Row

PROGRAM = os.environ.get("INTERVOX", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/intervox")
TOLERANCE = 1e-4
POSES, STEPS = 20000, 300
STIFFNESS = 1e9  # [N/m³]


def call(*arguments):
    """What the program prints, and the processor's seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(folder, pairs, poses):
    numpy.save(folder / "poses.npy", poses)
    return call("metrics", pairs, "--poses", folder / "poses.npy", "-o", folder / "out.npz", "--tolerance", TOLERANCE)[1]


def pair(folder, a, b, position, quaternion=(1, 0, 0, 0)):
    """Volume of a posed in b, and the seconds of a query."""
    pairs = folder / "pairs.yaml"
    pairs.write_text(json.dumps({
        "schema": "intervox/pairs/1", "shapes": {"a": a, "b": b},
        "pairs": [{"a": "a", "b": "b", "pose_a": {"position": position, "quaternion": quaternion}}]}))
    answer, = json.loads(call("metrics", pairs, "--json", "--tolerance", TOLERANCE)[0])
    poses = numpy.tile([*position, *quaternion], (POSES, 1)).astype(float)
    poses[:, 2] += p.places(POSES)
    one = min(seconds(folder, pairs, poses[:1]) for _ in range(5))
    return answer["volume"], (min(seconds(folder, pairs, poses) for _ in range(5)) - one) / (POSES - 1)


def layer(folder):
    depth = math.sqrt(p.LAYER_MASS * p.GRAVITY / (STIFFNESS * math.pi * p.LAYER_RADIUS))
    for _ in range(20):  # π d² (r − d/3) k = m g
        depth = math.sqrt(p.LAYER_MASS * p.GRAVITY / (STIFFNESS * math.pi * (p.LAYER_RADIUS - depth / 3)))
    bodies = {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True}}
    for k in range(p.LAYER):
        at = [p.LAYER_PITCH * (k % p.LAYER_SIDE), p.LAYER_PITCH * (k // p.LAYER_SIDE), p.LAYER_RADIUS - depth]
        bodies[f"ball{k}"] = {"shape": "ball", "mass": p.LAYER_MASS, "pose": {"position": at}}
    scene = folder / "layer.yaml"
    scene.write_text(json.dumps({
        "schema": "intervox/scene/2", "gravity": [0, 0, -p.GRAVITY], "duration": STEPS * p.LAYER_STEP,
        "integrator": {"step": p.LAYER_STEP}, "shapes": {"ball": {"sphere": {"radius": p.LAYER_RADIUS}}},
        "contact_models": {"default": {"normal": {"model": "gonthier", "stiffness": STIFFNESS, "restitution": 0.5},
                                       "friction": {"model": "bristle", "mu_s": 0.5, "mu_c": 0.5}}},
        "bodies": bodies, "output": {"every": STEPS * p.LAYER_STEP}}))
    run = ("run", scene, "-o", folder / "layer.h5", "--json", "--threads", 1)
    text, all_steps = call(*run)
    one_step = call(*run, "--set", f"duration={p.LAYER_STEP}")[1]
    summary = json.loads(text)
    return Row("1,000 balls", "a step; the floor's force [N] at rest", -summary["bodies"]["floor"]["last_force"][2],
               p.LAYER * p.LAYER_MASS * p.GRAVITY, (all_steps - one_step) / (STEPS - 1))


def rows():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        what = f"overlap volume [m³], tolerance {TOLERANCE:g}"
        ball, cube = {"sphere": {"radius": p.BALL_RADIUS}}, {"box": {"size": [p.CUBE] * 3}}
        volume, time_of = pair(folder, ball, ball, [0, 0, p.BALL_DISTANCE])
        yield Row("balls", what, volume, p.BALLS_VOLUME, time_of)
        c = math.cos(math.pi / 8)
        volume, time_of = pair(folder, cube, cube, [0, 0, p.CUBES_DISTANCE], [c, 0, math.sqrt(1 - c * c), 0])
        yield Row("cubes", what, volume, p.CUBES_VOLUME, time_of)
        peg = {"cylinder": {"radius": p.PEG_RADIUS, "height": p.PEG_LENGTH}}
        block = {"difference": [{"box": {"size": [p.BLOCK] * 3}},
                                {"cylinder": {"radius": p.HOLE_RADIUS, "height": 2 * p.BLOCK}}]}
        z = p.BLOCK / 2 - p.PEG_INSIDE + p.PEG_LENGTH / 2
        volume, time_of = pair(folder, peg, block, [p.PEG_OFFSET, 0, z])
        yield Row("peg in hole", what, volume, p.PEG_VOLUME, time_of)
        yield layer(folder)
