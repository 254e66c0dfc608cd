"""MuJoCo: contact points with depths, in mj_step. A mesh counts as its convex hull, so the hole is a ring of
boxes, as its manual recommends for shapes that are not convex."""

import math
import time

import mujoco
import numpy

import problems as p
from problems import Row, best

WALLS = 64
STEPS = 100


def world(bodies, step=p.LAYER_STEP, options=""):
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" {options}/><size memory="500M"/><worldbody>{bodies}</worldbody></mujoco>')


def deepest(model, data):
    """Depth of the deepest contact after the collision stage [m]."""
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    return max((-c for c in data.contact.dist), default=0.0)


def pair(bodies, axis):
    """depth(offset) of two bodies, the second of which is moved along an axis."""
    model = world(bodies)
    data = mujoco.MjData(model)
    start = data.qpos[axis] if model.nq else 0.0

    def depth(offset):
        data.qpos[axis] = start + offset
        return deepest(model, data)

    return depth


def layer():
    balls = "".join(
        f'<body pos="{p.LAYER_PITCH * (k % p.LAYER_SIDE)} {p.LAYER_PITCH * (k // p.LAYER_SIDE)} {p.LAYER_RADIUS}">'
        f'<freejoint/><geom type="sphere" size="{p.LAYER_RADIUS}" density="{p.LAYER_DENSITY}"/></body>'
        for k in range(p.LAYER))
    model = world('<geom type="plane" size="2 2 .1"/>' + balls)
    data = mujoco.MjData(model)
    for _ in range(1000):  # to rest
        mujoco.mj_step(model, data)
    begin = time.process_time()
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
    seconds = (time.process_time() - begin) / STEPS
    force, total = numpy.zeros(6), 0.0
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        total += force[0]
    return Row("1,000 balls", "a step; the floor's force [N] at rest", total, p.LAYER * p.LAYER_MASS * p.GRAVITY, seconds)


def rows():
    ball = f'<geom type="sphere" size="{p.BALL_RADIUS}"/>'
    balls = pair(f'{ball}<body pos="0 0 {p.BALL_DISTANCE}"><freejoint/>{ball}</body>', 2)
    cube = f'<geom type="box" size="{p.CUBE / 2} {p.CUBE / 2} {p.CUBE / 2}"/>'
    cubes = pair(f'{cube}<body pos="0 0 {p.CUBES_DISTANCE}" euler="0 45 0"><freejoint/>{cube}</body>', 2)
    thick = (p.BLOCK / 2 - p.HOLE_RADIUS) / 2
    ring = "".join(
        f'<geom type="box" size="{thick} {(p.HOLE_RADIUS + thick) * math.tan(math.pi / WALLS)} {p.BLOCK / 2}" '
        f'pos="{(p.HOLE_RADIUS + thick) * math.cos(a)} {(p.HOLE_RADIUS + thick) * math.sin(a)} 0" '
        f'euler="0 0 {math.degrees(a)}"/>' for a in (2 * math.pi * k / WALLS for k in range(WALLS)))
    z = p.BLOCK / 2 - p.PEG_INSIDE + p.PEG_LENGTH / 2
    pegs = pair(f'{ring}<body pos="{p.PEG_OFFSET} 0 {z}"><freejoint/>'
                f'<geom type="cylinder" size="{p.PEG_RADIUS} {p.PEG_LENGTH / 2}"/></body>', 0)
    yield Row("balls", "contact depth [m]", balls(0), p.BALLS_DEPTH, best(balls, 2000))
    yield Row("cubes", "deepest of the contact points [m]", cubes(0), p.CUBES_DEPTH, best(cubes, 2000))
    yield Row("peg in hole", f"deepest of the contact points [m], the hole as {WALLS} boxes", pegs(0), p.PEG_DEPTH,
              best(pegs, 200))
    yield layer()
