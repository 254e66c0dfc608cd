#!/usr/bin/python3
"""Scenes that ship, and a ball on a table, on grids of three voxel sizes against their exact runs.

    scripts/study_grid_scenes.py [--slice] [--only NAME] [--intervox PROGRAM] [--write] [--log FILE]

The same scene with `engine: {representation: {grid: h}}` must come to the rest of the exact run within two voxels, its last force with
order 2 in h for a ball and 1 where edges touch, and its energy audit must close."""
import dataclasses
import sys

import h5py
import numpy as np

import study_common as common

VOXELS = 2.0  # that a rest may be off by
LEFT_OVER = 1e-3  # of what was dissipated
CPU_LIMIT = 3000.0
NOISE = 1e-3  # of a force: below it an order means nothing


@dataclasses.dataclass
class Setting:
    """A scene, the voxel sizes that it is run with, and what is demanded."""
    path: str  # in data/scenes; empty: the ball
    body: str
    arm: float  # from its frame to its farthest point [m]
    sizes: tuple  # [m], the coarsest first
    order: float  # of the last force, at least; 0: weight alone, of no order
    settings: tuple = ()


SETTINGS = {
    "ball on table": Setting("", "ball", 0, (4e-3, 2e-3, 1e-3), 1.7),
    "peg insertion": Setting("peg_insertion", "peg", 0.025, (1.6e-3, 8e-4, 4e-4), 0.7),
    "peg drop": Setting("peg_drop", "peg", 0.025, (8e-4, 6e-4, 4e-4), 0),
    "battery box": Setting("battery_box", "box", 0.6, (30e-3, 20e-3, 14e-3), 0, ("duration=3", "integrator.step=1e-3")),
}
SLICE = {"ball on table": (4e-3, 2e-3), "peg insertion": (1.6e-3, 8e-4)}


def ball():
    """A ball of 20 mm is lowered by 0.5 mm into a table, tilted by 10 degrees, and held there."""
    return {
        "duration": 0.3, "integrator": {"method": "ark3", "step": 1e-3}, "engine": {"tolerance": 1e-3}, "gravity": [0, 0, 0],
        "shapes": {"ball": {"sphere": {"radius": 0.02}},
                   "table": {"box": {"size": [0.08, 0.08, 0.03]}, "pose": {"position": [0, 0, -0.015]}}},
        "contact_models": {"default": {
            "normal": {"model": "gonthier", "stiffness": 1e7, "restitution": 0.3}, "friction": {"model": "none"},
            "rolling": {"model": "none"}, "spinning": {"model": "none"}}},
        "bodies": {
            "table": {"shape": "table", "fixed": True, "pose": {"position": [0.0003, 0.0007, 0.0001], "rpy_deg": [10, 0, 0]}},
            "ball": {"shape": "ball", "mass": 0.25, "inertia": [4e-5] * 3, "pose": {"position": [0.0011, 0.0023, 0.0225]},
                     "holder": {"stiffness": 1e4, "damping": 50, "rotational_stiffness": 10, "rotational_damping": 0.02,
                                "target": {"keys": [{"t": 0, "position": [0.0011, 0.0023, 0.0225]},
                                                    {"t": 0.1, "position": [0.0011, 0.0023, 0.0185]}]}}}},
        "output": {"every": 1e-3}}


@dataclasses.dataclass
class Case:
    """A run and what came of it."""
    setting: str
    h: float  # [m]; 0: exact
    name: str = ""
    again: str = ""
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    position: list = dataclasses.field(default_factory=list)  # the last [m]
    orientation: list = dataclasses.field(default_factory=list)
    force: list = dataclasses.field(default_factory=list)  # the last of contacts [N]
    peak: float = np.nan  # [N]
    left_over: float = np.nan  # of the audit, over what was dissipated
    dissipated: float = np.nan  # [J]
    cpu_rate: float = np.nan  # CPU seconds for a simulated one


def measure(case, place):
    setting = SETTINGS[case.setting]
    path = common.ROOT / f"data/scenes/{setting.path}.yaml"
    if not setting.path:
        path = place.scene(case.name, common.scene_text(ball()))
    settings = list(setting.settings) + ([f"engine.representation={{grid: {case.h!r}}}"] if case.h else [])
    case.again = f"{place.program} run {path} --threads 1 " + " ".join(f"--set '{s}'" for s in settings)
    out = place.results(case.name)
    done = common.run(place.program, path, out, settings, cpu_limit=CPU_LIMIT)
    if done.status != 0:
        case.failures.append(f"exit status {done.status} {done.stderr.strip().splitlines()[-1:]}")
        return case
    with h5py.File(out) as f:
        body = f["bodies"][setting.body]
        case.position, case.orientation = list(body["position"][-1]), list(body["orientation"][-1])
        case.force = list(body["contact_force"][-1])
        case.peak = float(np.linalg.norm(body["contact_force"][:], axis=1).max())
        case.dissipated = float(sum(f["energy"][k][-1] for k in f["energy"] if k.startswith("dissipated")))
        case.left_over = float(abs(f["energy/balance"][-1]) / case.dissipated)
        case.cpu_rate = done.cpu / float(f["time"][-1])
        if common.attribute(f, "summary_unconverged_stages") + common.attribute(f, "summary_engine_failures") > 0:
            case.failures.append("stages that did not converge")
    if not case.left_over <= LEFT_OVER:
        case.failures.append(f"the audit leaves {case.left_over:.2g} of what was dissipated")
    out.unlink()
    return case


def off(case, exact):
    """How far the body's farthest point is from where the exact run leaves it [m], at most."""
    cosine = min(1.0, abs(float(np.dot(case.orientation, exact.orientation))))
    shift = np.linalg.norm(np.subtract(case.position, exact.position))
    return float(shift + 2 * np.arccos(cosine) * SETTINGS[case.setting].arm)


def force_error(case, exact):
    return float(np.linalg.norm(np.subtract(case.force, exact.force)) / np.linalg.norm(exact.force))


def order_of(cases, exact):
    """The slope of log error over log h."""
    errors = [force_error(c, exact) for c in cases]
    return float(np.polyfit(np.log([c.h for c in cases]), np.log(np.maximum(errors, 1e-15)), 1)[0])


def judge(cases):
    """{setting: order} and failures that need the exact run beside the others."""
    orders = {}
    for name, setting in SETTINGS.items():
        of = [c for c in cases if c.setting == name and c.position]
        exact = next((c for c in of if c.h == 0), None)
        grids = [c for c in of if c.h > 0]
        if exact is None or len(grids) < 2:
            continue
        orders[name] = order_of(grids, exact)
        for case in grids:
            case.badness = off(case, exact) / case.h
            if not case.badness <= VOXELS:
                case.failures.append(f"rests {case.badness:.2g} voxels off the exact run")
        if setting.order and not orders[name] >= setting.order:
            grids[-1].failures.append(f"the force converges with order {orders[name]:.2f}")
        if not setting.order and not force_error(grids[-1], exact) <= NOISE:
            grids[-1].failures.append(f"the last force is {force_error(grids[-1], exact):.2g} off")
    return orders


def page(cases, orders, program):
    rows = []
    for case in cases:
        if not case.position:
            rows.append([case.setting, "–"] + [""] * 7 + ["; ".join(case.failures)])
            continue
        exact = next(c for c in cases if c.setting == case.setting and c.h == 0)
        grid = case.h > 0
        rows.append([case.setting, f"{case.h * 1e3:g}" if grid else "exact",
                     common.number(off(case, exact) * 1e3) if grid else "", common.number(off(case, exact) / case.h) if grid else "",
                     common.number(float(np.linalg.norm(case.force)), 5), common.number(force_error(case, exact)) if grid else "",
                     common.number(case.peak, 4), common.number(case.left_over), common.number(case.cpu_rate, 3),
                     "; ".join(case.failures) or "pass"])
    text = f"""# Scenes on grids

Written by `scripts/study_grid_scenes.py --write` with {common.version(program)}. Each scene runs exact and with `engine: {{representation: {{grid: h}}}}`, one
thread. *Off* is how far the body's farthest point is at most from where the exact run leaves it, in mm and in voxels; *force* the last contact force,
*error* its difference to the exact run's, relative; *peak* the largest force (of impacts that come at other instants, so it is no measure of accuracy); *left over* what the energy audit
does not explain, over all that was dissipated; *cost* CPU time over simulated time. Demanded: off by {VOXELS:g} voxels at most, left over ≤ {LEFT_OVER:g}, and the force
with order {SETTINGS["ball on table"].order:g} for the ball, {SETTINGS["peg insertion"].order:g} for the peg in its gripper, whose edges touch; the others press with their weight, to {NOISE:g} on the finest voxels. The battery box runs
3 s at 1 ms. The peg's hole is 105 µm wider than the peg: its walls are surfaces of the fields, not of voxels.

"""
    text += common.table(["scene", "h [mm]", "off [mm]", "off [voxels]", "force [N]", "error", "peak [N]", "left over", "cost", "verdict"], rows)
    measured = [f"{name} {orders[name]:.2f}" for name in orders if SETTINGS[name].order]
    return text + f"\nOrders of the force: {', '.join(measured)}.\n"


def main():
    parser = common.parser(__doc__, "study_grid_scenes.md")
    parser.add_argument("--only", choices=list(SETTINGS), help="one scene")
    parser.add_argument("--log", help="go on from this file, and add to it")
    options = parser.parse_args()
    place = common.Workplace(options, "study_grid_scenes")
    cases = []
    for name, setting in SETTINGS.items():
        if options.only not in (None, name) or (options.slice and name not in SLICE):
            continue
        for h in (0.0, *(SLICE[name] if options.slice else setting.sizes)):
            cases.append(Case(name, h, f"{name.replace(' ', '_')}_{h * 1e3:g}"))
    cases = common.run_all(lambda c: measure(c, place), cases, options.jobs, "scenes on grids", options.log)
    orders = judge(cases)
    return common.finish(options, place, cases, page(cases, orders, place.program))


if __name__ == "__main__":
    sys.exit(main())
