#!/usr/bin/python3
"""Energy, restitution and rest over ωh from 0.1 to 400, at 250 µs and 1 ms, judged from the trajectory.

    scripts/study_energy.py [--slice] [--full] [--only impact|bounce|rest|press|holder|held] [--intervox PROGRAM] [--write] [--log FILE]

Every floor and wall is a half-space, against which the foundation's force is exactly the gradient of U = k_v V z_c (z_c: depth of the
overlap's centroid), so that the law itself creates nothing and any gain is the integrator's."""
import collections
import dataclasses
import itertools
import sys

import h5py
import numpy as np

import study_common as common

G = common.GRAVITY
OMEGA_H = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 50.0, 100.0, 200.0, 400.0)
STEPS = (250e-6, 1e-3)
RESTITUTION = (1.0, 0.95, 0.6, 0.3, 0.05)
GAIN = 1e-3  # of what went through
E_ERROR = 0.01
LOAD_ERROR = 1e-6
GROWTH = 1e-3  # of an undamped oscillation's energy
CPU_LIMIT = 15.0
SLICE = 20  # the suite runs every so many


# ---- bodies of 1 kg or so; V(d) = c d^p where they first touch ------------------------------------
@dataclasses.dataclass
class Body:
    """A body as it stands on a floor, axis up, and how its overlap grows with the depth."""
    shape: dict
    mass: float
    center: np.ndarray
    inertia: np.ndarray
    foot: float  # height of the frame above the lowest point [m]
    c: float
    p: float
    upright: np.ndarray = dataclasses.field(default_factory=lambda: np.array([1.0, 0, 0, 0]))
    half_width: float = 0.02  # of the foot [m]

    def props(self):
        return common.Inertia(self.mass, self.center, self.inertia)


def body_of(kind, mass=1.0, center=0.0):
    """The bodies by name. `center` moves the centre of mass along z, in half heights."""
    if kind in ("box", "peg"):
        size = np.array([0.06, 0.06, 0.04] if kind == "box" else [0.02, 0.02, 0.1])
        inertia = mass / 12 * ((size**2).sum() - size**2)
        return Body({"box": {"size": size}}, mass, np.array([0, 0, center * size[2] / 2]), np.diag(inertia), size[2] / 2,
                    size[0] * size[1], 1.0, half_width=size[0] / 2)
    if kind == "round_peg":
        r, h = 0.01, 0.1
        i = mass * (3 * r * r + h * h) / 12
        return Body({"cylinder": {"radius": r, "height": h}}, mass, np.array([0, 0, center * h / 2]), np.diag([i, i, mass * r * r / 2]),
                    h / 2, np.pi * r * r, 1.0, half_width=r)
    if kind == "ball":
        r = 0.03
        return Body({"sphere": {"radius": r}}, mass, np.zeros(3), np.eye(3) * 0.4 * mass * r * r, r, np.pi * r, 2.0)
    if kind == "ellipsoid":
        a = np.array([0.03, 0.024, 0.02])
        return Body({"ellipsoid": {"radii": a}}, mass, np.zeros(3), np.diag(mass / 5 * ((a**2).sum() - a**2)), a[2],
                    np.pi * a[0] * a[1] / a[2], 2.0)
    if kind == "disc":
        r, w = 0.03, 0.01
        i = mass * (3 * r * r + w * w) / 12
        # On its edge the cylinder lies: its axis is horizontal. V = w (4/3) √(2R) d^1.5.
        return Body({"cylinder": {"radius": r, "height": w}}, mass, np.zeros(3), np.diag([i, i, mass * r * r / 2]), r,
                    w * 4 / 3 * np.sqrt(2 * r), 1.5, common.turn([0, 1, 0], np.pi / 2))
    if kind == "cone":
        r, h = 0.02, 0.04
        # Tip down: the bottom radius is 0. V = π/3 (r/h)² d³. The centroid is h/4 below the base.
        i = 3 / 80 * mass * (4 * r * r + h * h)
        return Body({"cone": {"radius_bottom": 0, "radius_top": r, "height": h}}, mass, np.array([0, 0, h / 4]),
                    np.diag([i, i, 0.3 * mass * r * r]), h / 2, np.pi / 3 * (r / h)**2, 3.0)
    raise KeyError(kind)


def floor():
    return {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True}


def wall(offset, axis=0):
    normal = [0, 0, 0]
    normal[axis] = 1
    return {"shape": {"half_space": {"normal": normal, "offset": offset}}, "fixed": True}


@dataclasses.dataclass
class Case:
    """One run, and what came of it."""
    study: str
    kind: str
    omega_h: float
    step: float
    e: float
    mu: float
    rolling: bool
    seed: int
    refine: int = 1  # runs at step / refine, ωh being that of the step
    name: str = ""
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    gain: float = np.nan  # largest mechanical energy above start and work, over what was there at the start
    share: float = np.nan  # the same over what went through contacts
    e_error: float = np.nan
    growth: float = np.nan  # energy of an oscillation at the end over the start, less 1
    load_error: float = np.nan
    cpu_rate: float = np.nan  # CPU seconds for a simulated one


def model(case, k_v):
    laws = {"normal": {"model": "gonthier", "stiffness": k_v, "restitution": case.e},
            "friction": {"model": "bristle", "mu_s": case.mu, "mu_c": case.mu} if case.mu > 0 else {"model": "none"}}
    laws["rolling"] = {"model": "gonthier" if case.rolling else "none"}
    laws["spinning"] = {"model": "contensou" if case.rolling and case.mu > 0 else "none"}
    return laws


def entry(body, position, q=None, v=(0, 0, 0), w=(0, 0, 0), **more):
    """The body in a scene, its centre of mass moving at v."""
    q = body.upright if q is None else q
    arm = common.rotations(q[None])[0] @ body.center
    return {"shape": body.shape, "mass": body.mass, "center_of_mass": body.center, "inertia": body.inertia,
            "pose": {"position": position, "quaternion": q},
            "velocity": {"linear": np.asarray(v, float) - np.cross(w, arm), "angular": w}, **more}


def settles(case):
    """Whether every way to move is damped: normal damping, rolling resistance for the tilt, friction for the rest."""
    return case.e < 1 and case.rolling and case.mu > 0


def settling_time(case):
    """Long enough for what settles: at e = 0.95 slow rocking falls by a third in a second."""
    return 15.0 if case.e > 0.9 else 1.5


# ---- the studies: each returns (scene, body, facts) -----------------------------------------------
def impact(case, rng):
    """A single centred impact without gravity: what comes back is e times what came."""
    body = body_of(case.kind, mass=float(np.exp(rng.uniform(np.log(0.01), np.log(10)))))
    omega = case.omega_h / case.step
    p = body.p
    # ω is that of the slope A = V' at the deepest point: d = √(p(p+1)/2) v/ω.
    depth = min(1e-3, 0.3 * np.sqrt(p * (p + 1) / 2) / omega) * rng.uniform(0.3, 1)
    v = depth * omega / np.sqrt(p * (p + 1) / 2)
    k_v = omega**2 * body.mass / (p * body.c * depth**(p - 1))
    gap = v * case.step * rng.uniform(2, 3)  # touches in any phase of a step
    duration = gap / v + depth / v * (8 + 6 / case.e) + 10 * case.step
    scene = {"gravity": [0, 0, 0], "duration": duration, "contact_models": {"default": model(case, k_v)},
             "bodies": {"floor": floor(), "body": entry(body, [0, 0, body.foot + gap], v=[0, 0, -v])},
             "output": {"every": case.step * max(1, round(duration / case.step / 200))}}
    return scene, body, {"k_v": k_v, "through": 0.5 * body.mass * v * v, "v": v}


def bounce(case, rng):
    """A drop with a tilt and a spin: bounces, tumbles and rattles."""
    kind = case.kind.removesuffix("_flat").removesuffix("_tilted")
    body = body_of(kind, mass=float(np.exp(rng.uniform(np.log(0.01), np.log(10)))))
    omega = case.omega_h / case.step
    p, height = body.p, float(np.exp(rng.uniform(np.log(1e-3), np.log(1e-2))))
    v = np.sqrt(2 * G * height)
    depth = np.sqrt(p * (p + 1) / 2) * v / omega
    if depth > 0.2 * body.foot:  # softer than the body is high: fall less
        v *= 0.2 * body.foot / depth
        height, depth = v * v / (2 * G), 0.2 * body.foot
    k_v = omega**2 * body.mass / (p * body.c * depth**(p - 1))
    tilt = 0.0 if case.kind.endswith("_flat") else rng.choice([0.003, 0.03, 0.1, 0.4])
    q = common.product(common.turn(rng.normal(size=3) * [1, 1, 0] + [1e-9, 0, 0], tilt), body.upright)
    w = [0, 0, 0] if tilt == 0 else rng.normal(size=3) * 2
    lift = body.half_width * 1.5 * np.sin(tilt) + 1e-6
    R = common.rotations(q[None])[0]
    start = np.array([0, 0, body.foot + lift + height])
    if case.kind == "cone":
        start = np.array([0, 0, height]) + R @ [0, 0, body.foot]
    scene = {"duration": 0.4, "contact_models": {"default": model(case, k_v)},
             "bodies": {"floor": floor(), "body": entry(body, start, q, w=w)}, "output": {"every": max(case.step, 1e-3)}}
    kinetic = 0.5 * np.dot(w, R @ body.inertia @ R.T @ w)
    # A body that tips over releases more than its drop: up to its own height. Judged by the drop.
    return scene, body, {"k_v": k_v, "through": body.mass * G * (height + lift) + kinetic}


def rest(case, rng):
    """At rest on its face but for a tilt of a tenth of what the face can bear."""
    kind, _, where = case.kind.partition("_com_")
    omega = case.omega_h / case.step
    high = {"": 0, "high": 0.9, "low": -0.9}[where]
    body = body_of(kind)
    # As high as a foundation of this stiffness holds it upright, twice over: m g z < ½ k_v I.
    held = 0.5 * omega**2 * body.half_width**2 * (1 / 4 if kind == "round_peg" else 1 / 3) / G
    body = body_of(kind, mass=float(np.exp(rng.uniform(np.log(0.01), np.log(10)))), center=min(high, held / body.foot - 1))
    k_v = omega**2 * body.mass / body.c
    depth = body.mass * G / (k_v * body.c)
    tilt = 0.1 * depth / (1.5 * body.half_width) * rng.uniform(0.5, 1)
    q = common.turn([np.cos(0.7), np.sin(0.7), 0], tilt)
    scene = {"duration": settling_time(case) if settles(case) else 0.5, "contact_models": {"default": model(case, k_v)},
             "bodies": {"floor": floor(), "body": entry(body, [0, 0, body.foot - depth], q)},
             "sensors": {"s": {"body": "body"}}, "output": {"every": max(case.step, 1e-3)}}
    # The energy of lying flat, counted like Motion.gravity and U.
    R = common.rotations(q[None])[0]
    sinks = (R @ body.center - body.center)[2]
    flat = -body.mass * G * sinks + 0.5 * body.mass * G * depth
    return scene, body, {"k_v": k_v, "load": np.array([0, 0, body.mass * G]), "flat": flat,
                         "noise": 1e-15 * body.mass * G * body.foot}


def press(case, rng):
    """A 20 g peg is pressed with 50 N against a floor, a wall, or into the corner of both; it arrives at 1 cm/s."""
    where, _, com = case.kind.removeprefix("peg_").partition("_com_")
    # The push goes through the centre of mass, which is over the face that it presses.
    center = {"": 0, "high": 1, "low": -1}[com] * (0.9 if where == "floor" else 0.25)
    body = body_of("peg", mass=0.02)
    omega = case.omega_h / case.step
    area = body.c if where == "floor" else 4 * body.half_width * body.foot
    k_v = omega**2 * body.mass / area
    push = min(50.0, k_v * body.c * 1e-3)  # at most 1 mm deep
    # As high as the face holds it upright against the push, twice over.
    held = 0.5 * k_v * body.c * body.half_width**2 / 3 / push
    body = body_of("peg", mass=0.02, center=min(center, held / body.foot - 1))
    depth = push / (k_v * area)
    # Not so slow against the depth that the law, which damps by the speed of the impact, creeps for minutes.
    speed = max(0.01, 0.3 * omega * depth)
    creep = depth * (1 - case.e**2) / (case.e * speed)
    bodies, gap = {}, speed * case.step * rng.uniform(1, 2)
    force, v, position = np.zeros(3), np.zeros(3), np.array([0, 0, body.foot])
    if where in ("floor", "corner"):
        bodies["floor"] = floor()
        force[2], v[2], position[2] = -push, -speed, body.foot + gap
    if where in ("wall", "corner"):
        bodies["wall"] = wall(-body.half_width)
        force[0], v[0], position[0] = -push, -speed, gap
    tilt = rng.normal(size=3) * 1e-4
    q = common.turn(tilt, np.linalg.norm(tilt))
    bodies["body"] = entry(body, position, q, v=v, wrenches=[{"to": 100, "force": force, "point": body.center}])
    scene = {"gravity": [0, 0, 0], "duration": max(settling_time(case), 16 * creep) if settles(case) else 0.3, "contact_models": {"default": model(case, k_v)},
             "bodies": bodies, "sensors": {"s": {"body": "body"}}, "output": {"every": max(case.step, 1e-3)}}
    depths = push / (k_v * body.c) + push / (k_v * 4 * body.half_width * body.foot)
    return scene, body, {"k_v": k_v, "load": -force, "push": force,
                         "through": 0.5 * body.mass * (v @ v) + push * (2 * gap + depths)}


def holder(case, rng):
    """A body in a holder without damping, turned and beside its target; nothing touches. ω is the holder's, of every axis."""
    body = body_of("peg", mass=0.1)
    omega = case.omega_h / case.step
    amplitude = min(1e-3, 0.1 * G / omega**2 + 1e-6) * rng.uniform(0.5, 1)
    k, k_r = omega**2 * body.mass, omega**2 * np.diag(body.inertia) * rng.uniform(0.3, 1)
    axis, offset = rng.normal(size=3), rng.normal(size=3)
    angle = 1e-2 * rng.uniform(0.3, 1)
    offset *= amplitude / np.linalg.norm(offset)
    target = np.array([0, 0, 0.1])
    bodies = {"floor": floor(), "body": entry(body, target + offset, common.turn(axis, angle), holder={
        "stiffness": k, "rotational_stiffness": k_r, "target": {"keys": [{"t": 0, "position": target}]}})}
    scene = {"gravity": [0, 0, 0], "duration": 0.5, "contact_models": {"default": model(case, omega**2 * body.mass / body.c)}, "bodies": bodies,
             "output": {"every": max(case.step, 1e-3)}}
    return scene, body, {"k_v": 1.0, "holder": (k, k_r, target), "undamped": True}


def held(case, rng):
    """A peg in a holder, whose target lies behind a floor, a wall or both; it arrives at 1 cm/s. The holder's ω is 0.3 of the contact's.
    Where all is damped, the holder is too, critically, and the sensor reads its force."""
    where, _, com = case.kind.partition("_com_")
    body = body_of("peg", mass=0.1, center={"": 0, "high": 0.25, "low": -0.25}[com])
    omega = case.omega_h / case.step
    area = body.c if where == "floor" else 4 * body.half_width * body.foot
    k_v = omega**2 * body.mass / area
    k, k_r = (0.3 * omega)**2 * body.mass, (0.3 * omega)**2 * np.diag(body.inertia)
    behind, speed = min(1e-3, 50 / k), 0.01
    target, v, bodies = np.array([0, 0, body.foot]), np.zeros(3), {}
    if where in ("floor", "corner"):
        bodies["floor"] = floor()
        target[2], v[2] = body.foot - behind, -speed
    if where in ("wall", "corner"):
        bodies["wall"] = wall(-body.half_width)
        target[0], v[0] = -behind, -speed
    start = np.array([0, 0, body.foot]) - v * case.step * rng.uniform(1, 2)
    tilt = rng.normal(size=3) * 1e-4
    grip = {"stiffness": k, "rotational_stiffness": k_r, "target": {"keys": [{"t": 0, "position": target}]}}
    if settles(case):
        grip |= {"damping": 0.6 * omega * body.mass, "rotational_damping": 0.6 * omega * np.diag(body.inertia)}
    bodies["body"] = entry(body, start, common.turn(tilt, np.linalg.norm(tilt)), v=v, holder=grip)
    scene = {"gravity": [0, 0, 0], "duration": settling_time(case) if settles(case) else 0.3, "contact_models": {"default": model(case, k_v)}, "bodies": bodies,
             "sensors": {"s": {"body": "body"}}, "output": {"every": max(case.step, 1e-3)}}
    # The load follows from where the peg comes to rest.
    return scene, body, {"k_v": k_v, "holder": (k, k_r, target), "load": None}


STUDIES = {
    "impact": (impact, ("box", "round_peg", "ball", "ellipsoid", "disc", "cone")),
    "bounce": (bounce, ("box_flat", "box_tilted", "ball", "ellipsoid", "disc", "cone", "peg")),
    "rest": (rest, ("box", "peg_com_high", "peg_com_low", "round_peg_com_high")),
    "press": (press, ("peg_floor", "peg_floor_com_high", "peg_floor_com_low", "peg_wall_com_high", "peg_wall_com_low",
                      "peg_corner", "peg_corner_com_high", "peg_corner_com_low")),
    "holder": (holder, ("peg",)),
    "held": (held, ("floor_com_high", "floor_com_low", "wall_com_high", "wall_com_low", "corner", "corner_com_high", "corner_com_low")),
}


# ---- judging --------------------------------------------------------------------------------------
def elastic(f, k_v, time_count):
    """Σ k_v V z_c over the patches of each sample: their planes pass through known offsets."""
    total = np.zeros(time_count)
    names = f.attrs["bodies"].decode().splitlines()
    at, volume, centroid = f["patches/time_index"][:].astype(int), f["patches/volume"][:], f["patches/centroid"][:]
    i, j = f["patches/body_i"][:].astype(int), f["patches/body_j"][:].astype(int)
    for n, V, c, a, b in zip(at, volume, centroid, i, j):
        other = names[a] if names[b] == "body" else names[b]
        if other == "floor":
            depth = -c[2]
        else:
            depth = -(c[0] + body_of("peg").half_width)
        total[n] += k_v * V * depth
    return total


def judge(case, place):
    rng = np.random.default_rng([case.seed, *case.name.encode()])
    scene, body, facts = STUDIES[case.study][0](case, rng)
    scene = {"name": case.name, "integrator": {"step": case.step / case.refine}, **scene}
    path = place.scene(case.name, common.scene_text(scene))
    out = place.results(case.name)
    done = common.run(place.program, path, out, cpu_limit=CPU_LIMIT * case.refine)
    if done.status != 0:
        case.failures.append(f"exit status {done.status}: {' '.join(done.stderr.split())[-100:]}")
    try:
        with h5py.File(out) as f:
            time = f["time"][:]
            if not time.size:
                raise OSError("no samples")
            motion = common.Motion(f, "body", body.props())
            motion.sensed = f["sensors/s/force"][:] if "sensors" in scene else None
            stored = elastic(f, facts["k_v"], time.size)
            touching = np.isin(np.arange(time.size), f["patches/time_index"][:].astype(int))
    except (OSError, KeyError) as error:
        case.failures.append(f"no results: {str(error)[:40]}")
        case.badness = np.inf
        place.done(path, case.failures)
        return case
    case.cpu_rate = done.cpu / max(time[-1], case.step)
    judge_motion(case, scene, body, facts, time, motion, stored, touching)
    if time[-1] < scene["duration"] - 1.01 * scene["output"]["every"]:
        case.failures.append(f"ends at {time[-1]:g} s of {scene['duration']:g} s")
    place.done(path, case.failures)
    return case


def judge_motion(case, scene, body, facts, time, motion, stored, touching):
    if not motion.finite():
        case.failures.append("not finite")
        case.badness, case.gain = np.inf, np.inf
        return
    kinetic = motion.kinetic()
    total = kinetic + motion.gravity(scene.get("gravity", [0, 0, -G])) + stored
    if "push" in facts:
        total -= (motion.center - motion.center[0]) @ facts["push"]
    if "holder" in facts:
        k, k_r, target = facts["holder"]
        half = np.linalg.norm(motion.orientation[:, 1:], axis=1)
        angle = 2 * np.arctan2(half, motion.orientation[:, 0]) / np.maximum(half, 1e-300)
        total += 0.5 * k * ((motion.position - target)**2).sum(1) + 0.5 * ((angle[:, None] * motion.orientation[:, 1:])**2 @ k_r)
    rise = (total - total[0]).max()
    # What could be set free at the start, and what went through contacts since: half of all that the kinetic energy lost.
    free = facts.get("through", total[0] - facts.get("flat", 0.0))
    fallen = scene.get("gravity", [0, 0, -G])[2] * (motion.center[:, 2] - motion.center[0, 2]).min() * body.mass
    free = max(free, kinetic[0] + fallen) if case.study == "bounce" else free
    through = max(free, 0.5 * np.maximum(-np.diff(kinetic), 0).sum()) if case.study in ("bounce", "press", "held") else free
    noise = facts.get("noise", 0.0)
    case.gain = max(rise - noise, 0) / free
    case.share = max(rise - noise, 0) / through
    case.badness = case.share
    if not case.share <= GAIN:
        case.failures.append(f"gains {case.share:.3g} of what went through")
    if "v" in facts:
        if touching[-1]:
            case.failures.append("does not come off")
        back = motion.velocity[-1, 2] / facts["v"]
        case.e_error = back - case.e
        if not abs(case.e_error) <= E_ERROR:
            case.failures.append(f"e_eff - e = {case.e_error:+.4f}")
            case.badness = max(case.badness, abs(case.e_error))
    if "flat" in facts or facts.get("undamped"):
        case.growth = (total[-(len(total) // 4):].max() - facts.get("flat", 0.0) - noise) / free - 1
        if not case.growth <= GROWTH:
            case.failures.append(f"an oscillation grows by {case.growth:.3g}")
    if "load" in facts and settles(case):
        load = facts["load"]
        if load is None:
            load = facts["holder"][0] * (motion.position[-1] - facts["holder"][2])
        case.load_error = float(np.abs(motion.sensed[-1] - load).max() / np.abs(load).max())
        if not case.load_error <= LOAD_ERROR:
            case.failures.append(f"the load is off by {case.load_error:.3g}")
            case.badness = max(case.badness, min(case.load_error, 1))


# ---- the grid -------------------------------------------------------------------------------------
def named(study, kind, omega_h, step, e, mu, rolling, seed, n):
    name = f"{study}_{kind}_wh{omega_h:g}_{step * 1e6:.0f}us_e{e:g}_mu{mu:g}_{'rolling' if rolling else 'plain'}_{n}"
    return Case(study, kind, omega_h, step, e, mu, rolling, seed, name=name.replace(".", "p"))


def fraction(seed, only, slice_only):
    """A fraction of the full grid: of each body at each ωh a run at each step, in which e, friction and rolling resistance
    take turns, so that every pair of settings meets."""
    cases = []
    combos = [(0.5, True), (0.0, False), (0.5, True), (0.5, False), (0.0, True)]
    for study, (_, kinds) in STUDIES.items():
        if only and study != only:
            continue
        for (a, kind), (b, omega_h), n in itertools.product(enumerate(kinds), enumerate(OMEGA_H), range(2)):
            if slice_only and (7 * a + 5 * b + 3 * n) % SLICE != 0:
                continue
            e = RESTITUTION[(a + 2 * b + n) % 5]
            cases.append(named(study, kind, omega_h, STEPS[(n + a) % 2], e, *combos[(a + b + n) % 5], seed, n))
    return cases


def full_grid(seed, only):
    """Every body at every ωh, step, e, friction and rolling resistance, in random order, so that what a run of an hour has
    got through is of all kinds."""
    cases = [named(study, kind, *setting, seed, 0) for study, (_, kinds) in STUDIES.items() if only in (None, study) for kind in kinds
             for setting in itertools.product(OMEGA_H, STEPS, RESTITUTION, (0.0, 0.5), (False, True))]
    np.random.default_rng(seed).shuffle(cases)
    return cases


def page(cases, options, program):
    text = f"""# Energy, restitution and rest

Written by `scripts/study_energy.py --write` with {common.version(program)}, seed {options.seed}: {len(cases):,} runs. The full grid of bodies, twelve ωh from
0.1 to 400, steps of 250 µs and 1 ms, e 1, 0.95, 0.6, 0.3, 0.05, μ 0 and 0.5, with and without rolling resistance, has {len(full_grid(0, None)):,} (`--full`); in the fraction every body runs at
every ωh and both steps, while e, μ and rolling resistance take turns so that all pairs of settings meet.

ω² = k_v A/m, with A = dV/dd at the impact's deepest point for single impacts and drops (k_v is chosen for it: a ball's A is 2πRd, an edge's and a tip's likewise), at the face for bodies that rest
or are pressed, and ω² = k/m for holders. All floors and walls are half-spaces, against which the law is exactly the gradient of k_v V z_c, z_c the depth of the overlap's centroid: the thesis' law has
no share of its own here, and all that is gained is the integrator's. Energies come from the samples: kinetic and gravity from the motion with the masses of the scene, the foundation's from V and the
centroid, holders' springs from the pose, work from the displacement; what bristles store is left out, so that a gain is found at the latest when they give it back. The program's audit is not used.

| column | is | at most |
| --- | --- | --- |
| gain | largest mechanical energy, less work, above the start, over what could be set free at the start | |
| share | the same over what went through contacts: at least what could be set free, else half of all that the kinetic energy lost from sample to sample | {GAIN:g} |
| e_eff − e | speed after a single centred impact over the speed before, less e, without gravity | {E_ERROR:g} |
| growth | energy of an oscillation (tilt at rest, body in its holder) in the last quarter over the start, less 1; −1: it has died | {GROWTH:g} |
| load | error of the sensor's force at the end over the load, where normal damping, rolling resistance and friction act | {LOAD_ERROR:g} |

A run that takes more than {CPU_LIMIT:g} s of CPU fails, too.

"""
    worst = lambda values: common.number(np.nanmax(values) if np.isfinite(values).any() or np.isinf(values).any() else np.nan)
    for study, (maker, kinds) in STUDIES.items():
        chosen = [c for c in cases if c.study == study]
        if not chosen:
            continue
        rows = []
        for kind in kinds:
            for low, high in ((0, 0.7), (0.7, 5), (5, 30), (30, 1e9)):
                group = [c for c in chosen if c.kind == kind and low <= c.omega_h < high]
                if group:
                    rows.append([kind, f"{min(c.omega_h for c in group):g} … {max(c.omega_h for c in group):g}", len(group),
                                 sum(bool(c.failures) for c in group), worst(np.array([c.gain for c in group])), worst(np.array([c.share for c in group])),
                                 worst(np.abs([c.e_error for c in group])), worst(np.array([c.growth for c in group])),
                                 worst(np.array([c.load_error for c in group])),
                                 common.number(np.median([c.cpu_rate for c in group]))])
        text += f"## {study}\n\n{' '.join(maker.__doc__.split())}\n\n" + common.table(
            ["body", "ωh", "runs", "fail", "gain", "share", "e_eff − e", "growth", "load", "CPU a second"], rows) + "\n"
    failed = sorted((c for c in cases if c.failures), key=lambda c: -c.badness)
    if failed:
        text += f"## {len(failed)} runs that fail\n\n" + common.table(["run", "what"], [[c.name, "; ".join(c.failures)[:120]] for c in failed])
    return text


def main():
    parser = common.parser(__doc__, "study_energy.md")
    parser.add_argument("--only", choices=list(STUDIES))
    parser.add_argument("--full", action="store_true", help="the full grid, in an hour or two of CPU time, instead of the fraction")
    parser.add_argument("--case", help="only runs whose name holds this")
    parser.add_argument("--refine", type=int, default=1, help="run at the step over this number")
    parser.add_argument("--log", help="a file with a JSON line for each run; runs in it already are not repeated")
    options = parser.parse_args()
    place = common.Workplace(options, "study_energy")
    cases = full_grid(options.seed, options.only) if options.full else fraction(options.seed, options.only, options.slice)
    cases = [c for c in cases if options.case is None or options.case in c.name]
    for c in cases:
        c.refine = options.refine
    cases = common.run_all(lambda c: judge(c, place), cases, options.jobs, "energy", options.log)
    return common.finish(options, place, cases, page(cases, options, place.program))


if __name__ == "__main__":
    sys.exit(main())
