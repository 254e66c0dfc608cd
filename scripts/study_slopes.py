#!/usr/bin/python3
"""Bodies on slopes: what is put down under a share of the friction that holds it stays where it is.

    scripts/study_slopes.py [--end 700] [--write]

Boxes and cylinders, on their ends and lying downhill, at points and in volumes, with every friction law that sticks: a body moves that is
farther than 1e-9 m, at some time from 5 to 10 s, from where it was at 5 s. Takes about five minutes on two cores."""
import dataclasses
import math
import sys

import h5py
import numpy as np

import study_common as common

MOST = 1e-9  # [m]
SLICE = range(24)
SHAPES = ("box", "box, turned", "cylinder", "cylinder, lying")
LAWS = ("bristle", "bristle_absolute", "goyal")
STARTS = ("carried", "touching", "dropped")
G = common.GRAVITY


@dataclasses.dataclass
class Case:
    seed: int
    index: int
    rolling: str
    latch: str
    name: str
    shape: str = ""
    geometry: str = ""
    friction: str = ""
    e: float = 0.0
    start: str = ""
    moved: float = np.nan  # [m]
    text: str = ""
    failures: list = dataclasses.field(default_factory=list)

    @property
    def badness(self):
        return self.moved if math.isfinite(self.moved) else 1e300


def random_scene(case):
    rng = np.random.default_rng([case.seed, case.index])
    size, mass, softness = 10 ** rng.uniform(-2, 0), 10 ** rng.uniform(-2, 2.5), 10 ** rng.uniform(-5, -2.3)
    mu, share = 10 ** rng.uniform(-1, 0.2), 0.9 if rng.random() < 0.5 else rng.uniform(0.3, 0.9)
    case.shape, case.friction, case.start = (str(rng.choice(names)) for names in (SHAPES, LAWS, STARTS))
    case.geometry = "points" if rng.random() < 0.25 else "volumes"
    case.e = float(rng.choice([0.05, 0.3, 0.5, 0.9]))
    sides, depth = rng.uniform(0.3, 1, 3) * size, softness * size
    turn = [0, 0, float(rng.uniform(0, 360)) if case.shape == "box, turned" else 0]
    if case.shape.startswith("box"):
        shape, area, height, foot = {"box": {"size": list(sides)}}, sides[0] * sides[1], sides[2] / 2, min(sides[:2]) / 2
    elif case.shape == "cylinder":
        shape = {"cylinder": {"radius": sides[0] / 2, "height": sides[2]}}
        area, height, foot = math.pi * sides[0]**2 / 4, sides[2] / 2, 0.35 * sides[0]
    else:
        radius, length = sides[0] / 2, 2 * sides[2]
        shape, turn = {"cylinder": {"radius": radius, "height": length}}, [0, 90, 0]
        area, height, foot = 4 / 3 * math.sqrt(2 * radius * depth) * length, radius, length / 2
    angle = min(math.atan(mu * share), math.atan(0.5 * foot / height))  # half of what tips it
    load = mass * G * math.cos(angle)
    normal = {"model": "gonthier", "restitution": case.e}
    if case.geometry == "points":
        normal |= {"stiffness": load / (4 * depth), "exponent": 1}
    else:
        normal["stiffness"] = load / (area * depth)
    if case.latch:
        normal["latch"] = case.latch
    friction = {"model": case.friction}
    if case.friction == "goyal":
        friction |= {"mu": mu, "stiffness": 100 * load / size, "damping": 2 * math.sqrt(100 * load / size * mass)}
    else:
        friction |= {"mu_s": mu, "mu_c": mu} | ({"load": load} if case.friction == "bristle_absolute" else {})
    model = {"geometry": case.geometry, "normal": normal, "friction": friction}
    if case.rolling and case.geometry == "volumes":
        model["rolling"] = {"model": case.rolling}
    at = height + {"carried": -depth, "touching": -1e-3 * depth, "dropped": depth}[case.start]
    return {"name": f"slope {case.seed} {case.index}", "duration": 10, "gravity": [G * math.sin(angle), 0, -G * math.cos(angle)],
            "integrator": {"step": float(rng.choice([2.5e-4, 1e-3]))}, "output": {"every": 0.1},
            "contact_models": {"default": model},
            "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True},
                       "part": {"shape": shape, "mass": mass, "pose": {"position": [0, 0, at], "rpy_deg": turn}}}}


def judge(case, place):
    scene = place.scene(case.name, common.scene_text(random_scene(case), version=2))
    outcome = common.run(place.program, scene, place.results(case.name), cpu_limit=120)
    if outcome.status != 0:
        case.failures.append(f"exit status {outcome.status}: {outcome.stderr.strip()[-200:]}")
    else:
        with h5py.File(outcome.out) as f:
            late = f["bodies/part/position"][:][f["time"][:] > 5 - 1e-6]
        case.moved = float(np.linalg.norm(late - late[0], axis=1).max())
        if not case.moved <= MOST:
            case.failures.append(f"moved by {case.moved:.2g} m")
    outcome.out.unlink(missing_ok=True)
    if case.failures:
        place.kept.mkdir(parents=True, exist_ok=True)
        scene.rename(place.kept / scene.name)
    else:
        scene.unlink()
    return case


def summary(cases, name, key):
    groups = {}
    for case in cases:
        groups.setdefault(key(case), []).append(case)
    return common.table([name, "bodies", "moved", "farthest [m]"],
                        [[k, len(g), sum(bool(c.failures) for c in g), f"{max(c.moved for c in g):.1e}"] for k, g in sorted(groups.items())])


def page(cases, others, program):
    text = f"""# What lies on a slope

Written by `scripts/study_slopes.py --write` with {common.version(program)}. {len(cases)} bodies with the default rolling law and latch: 1 cm to 1 m, 10 g to
300 kg, their load carried 1e-5 to 5e-3 of the size deep, μ 0.1 to 1.6, under 0.3 to 0.9 of the limit and half of what tips them at most, steps of 250 µs and 1 ms; where
their load is carried, just touching, or dropped by a depth. One *moves* that is farther than 1e-9 m from where it was at 5 s, at some time from 5 to 10 s.

"""
    for name, key in (("law", lambda c: c.friction), ("contact in", lambda c: c.geometry), ("body", lambda c: c.shape),
                      ("e", lambda c: c.e), ("start", lambda c: c.start)):
        text += summary(cases, name, key) + "\n"
    failed = sorted((c for c in cases if c.failures), key=lambda c: -c.badness)
    if failed:
        text += common.table(["index", "body", "law", "e", "what"],
                             [[c.index, f"{c.shape}, {c.geometry}", c.friction, c.e, "; ".join(c.failures)] for c in failed]) + "\n"
    if any(c.moved > 1e-3 for c in cases):
        text += """What moves by metres never came to rest: on steep slopes, with e 0.9, a bar that drops bounces down faster than it loses speed, or
walks: it pitches to and fro, and slides while its load is low.

"""
    text += f"The first {len(others[0])} of them, with less damping:\n\n" + common.table(
        ["", "moved", "farthest [m]"],
        [[o[0].text, sum(bool(c.failures) for c in o), f"{max(c.moved for c in o):.1e}"] for o in others])
    return text


def main():
    parser = common.parser(__doc__, "study_slopes.md", seed=0)
    parser.add_argument("--end", type=int, default=700, help="bodies")
    options = parser.parse_args()
    place = common.Workplace(options, "study_slopes")

    def run(indices, rolling, latch, text):
        cases = [Case(options.seed, i, rolling, latch, f"slope_{options.seed}_{i}_{rolling}_{latch}", text=text) for i in indices]
        return common.run_all(lambda c: judge(c, place), cases, options.jobs, f"slopes{text and ', ' + text}")

    cases = run(SLICE if options.slice else range(options.end), "", "", "")
    few = range(min(150, options.end))
    others = [run(few, *how) for how in (("none", "", "`rolling: {model: none}`"), ("", "largest", "`latch: largest`"))] if options.write else []
    return common.finish(options, place, cases, page(cases, others, place.program) if options.write else "")


if __name__ == "__main__":
    sys.exit(main())
