#!/usr/bin/python3
"""Random scenes with random laws: nothing may gain energy, and no run may stop before its end.

    scripts/study_random_laws.py [--slice] [--begin 0] [--end 200] [--index N…] [--seed 0] [--intervox PROGRAM] [--write]

The scenes of study_random_scenes.py with up to three bodies on floors, in grooves and trays, with every normal law and every
friction law, in points (even seeds) or in volumes (odd seeds), at steps of 250 µs and 1 ms. A scene is a function of (seed, index)."""
import dataclasses
import sys

import numpy as np

import study_common as common
import study_random_scenes as scenes

GAIN = 0.005  # of Σ m g L + ½ m v²
SLICE = 9  # scenes of the suite
CPU_LIMIT = 40.0  # a run's [s]
LONG = 5.0  # [s] of CPU: counted in the page
LONGEST = 1.0  # scene [s]
CONTAINERS = ("floor", "groove", "tray")
FACTOR_LAWS = ("gonthier", "lankarani_nikravesh", "hunt_crossley", "marhefka_orin", "stronge", "chatterjee")
LAWS_OF_POINTS = ("azad_featherstone", "lee_wang", "generic")
LINEAR = ("linear", "marhefka_orin", "stronge", "chatterjee")  # f ∝ depth
MOST_DEPTH = 0.03  # under the weight of all, in sizes


def scene_of(seed, index):
    """(scene with its bodies only, inertias by body, energy scale [J]) of the first that is plain enough."""
    while True:
        scene, inertias, energy, _ = scenes.random_scene(1000 + seed, index)
        if len(inertias) <= 3 and next(iter(scene["bodies"])) in CONTAINERS:
            return scene, inertias, energy
        index += 1000


def normal_law(rng, points, mass, size, stiffness):
    """(a random normal law, its exponent) for bodies of a mass in all and a size, with the volumes' stiffness."""
    restitution = float(rng.choice([1.0, 0.95, rng.uniform(0.05, 1)]))
    depth = scenes.log_uniform(rng, 1e-7, MOST_DEPTH) * size
    load, speed = mass * common.GRAVITY, np.sqrt(common.GRAVITY * size)
    name = str(rng.choice(FACTOR_LAWS + ("linear",) + (LAWS_OF_POINTS if points else ())))
    law, exponent = {"model": name}, 1.0
    if points:
        exponent = 1.0 if name in LINEAR else 1.5
        if name in ("gonthier", "hunt_crossley", "generic", "lee_wang") and rng.random() < 0.5:
            exponent = law["exponent"] = float(rng.uniform(1, 3))
    k = law["stiffness"] = load / depth**exponent if points else stiffness
    damping = scenes.log_uniform(rng, 0.01, 1)
    if name == "hunt_crossley" and rng.random() < 0.5:
        law["dissipation"] = damping / speed
    elif name in FACTOR_LAWS:
        law["restitution"] = restitution
    elif name == "linear":
        law["damping"] = 4 * damping * mass * np.sqrt(common.GRAVITY / depth)
    elif name in ("lee_wang", "generic"):  # λ zᵠ against k zⁿ, q = 1 and n
        law["damping"] = damping * k / speed * (depth**(exponent - 1) if name == "lee_wang" else 1)
    else:
        law.update(damping=damping * k / speed * depth, recovery=int(rng.random() < 0.5))
    return law, exponent


def friction_law(rng, points, mass, size):
    mu, load = float(rng.uniform(0, 1)), mass * common.GRAVITY
    name = str(rng.choice(["none", "coulomb", "stribeck", "bristle", "bristle_absolute", "goyal"] + ([] if points else ["distributed"])))
    law = {"model": name}
    if name in ("coulomb", "goyal", "distributed"):
        law["mu"] = mu
    if name in ("stribeck", "bristle", "bristle_absolute"):
        law.update(mu_s=1.2 * mu, mu_c=mu)
    if name == "bristle" and rng.random() < 0.5:
        law["sigma_0"] = scenes.log_uniform(rng, 1e2, 1e8)
        law["sigma_1"] = 2 * np.sqrt(law["sigma_0"] / common.GRAVITY) * scenes.log_uniform(rng, 0.3, 3)
    if name == "bristle_absolute":
        law["load"] = load
    if name == "goyal":
        law["stiffness"] = load / (scenes.log_uniform(rng, 1e-6, 1e-2) * size)
        law["damping"] = 2 * scenes.log_uniform(rng, 0.1, 1) * np.sqrt(law["stiffness"] * mass)
    return law


def random_scene(seed, index):
    """(scene without its step, inertias by body, energy scale Σ m g L + ½ m v² [J])."""
    points = seed % 2 == 0
    scene, inertias, energy = scene_of(seed, index)
    rng = np.random.default_rng([77, seed, index])
    free = [body for body in scene["bodies"].values() if "mass" in body]
    mass, size = sum(body["mass"] for body in free), float(np.median([body["shape"]["scale"] for body in free]))
    foundations = [m.pop("foundation_stiffness") for m in scene["materials"].values() if "foundation_stiffness" in m]
    stiffness = float(np.exp(np.mean(np.log(foundations))))
    normal, _ = normal_law(rng, points, mass, size, stiffness)
    friction = friction_law(rng, points, mass, size)
    model = {"normal": normal, "friction": friction, "rolling": {"model": "none"}, "spinning": {"model": "none"}}
    if points:
        model["geometry"] = "points"
    else:
        if normal["model"] not in ("stronge", "chatterjee", "linear"):
            model["rolling"] = {"model": str(rng.choice(["none", "gonthier", "exact"]))}
        if friction["model"] not in ("none", "distributed", "goyal") and rng.random() < 0.5:
            model["spinning"] = {"model": "contensou"}
    scene["contact_models"] = {"default": model}
    scene["duration"] = round(min(scene["duration"], LONGEST), 3)
    scene["name"] = f"laws {seed} {index}"
    return scene, inertias, energy


# ---- judging --------------------------------------------------------------------------------------
@dataclasses.dataclass
class Case(scenes.Run):
    normal: str = ""
    friction: str = ""


def judge(case, place):
    scene, inertias, scale = random_scene(case.seed, case.index)
    model = scene["contact_models"]["default"]
    case.normal, case.friction = model["normal"]["model"], model["friction"]["model"]
    scene["integrator"] = {"step": case.step}
    return scenes.measure(case, place, scene, f"index {case.index} of seed {case.seed}", inertias, scale, GAIN, CPU_LIMIT)


def summary(cases, name, key):
    groups = scenes.grouped(cases, key)
    rows = [[k, len(g), sum(c.gain > GAIN for c in g), sum(any("exit status" in f for f in c.failures) for c in g),
             sum(any("ends at" in f or "stopped" in f for f in c.failures) for c in g), *scenes.costs(g)] for k, g in sorted(groups.items())]
    return common.table([name, "runs", "gain > 0.5 %", "say so", "stop early", *scenes.COSTS], rows)


def page(cases, options, program):
    failed = sorted((c for c in cases if c.failures), key=lambda c: -c.badness)
    kind = "points" if options.seed % 2 == 0 else "volumes"
    text = f"""# Random laws

Written by `scripts/study_random_laws.py --write` with {common.version(program)}: {len(cases)} runs, seed {options.seed}: contact in {kind}. Up to three bodies of
[the random scenes](study_random_scenes.md), on a floor, in a groove or a tray and on each other, for at most {LONGEST:.0f} s, with a random normal law of all that there are (stiffness such that the load of all presses one
point 1e-7 to {MOST_DEPTH:g} of their median size deep: impacts go up to a third of a body in), e of 1, 0.95 or from 0.05 on, exponents from 1 to 3, dampings within a hundred, and a random friction law, μ up to 1. A run *gains*
by the largest rise of kinetic energy plus gravity above its start over Σ m g L + ½ m v². What the program itself says to have gained, an exit status of 1, fails too. A run ends after {CPU_LIMIT:.0f} s of CPU;
{sum(c.cpu > LONG for c in cases)} took more than {LONG:.0f} s.

"""
    text += summary(cases, "step [µs]", lambda c: f"{c.step * 1e6:.0f}") + "\n"
    text += summary(cases, "normal law", lambda c: c.normal) + "\n"
    text += summary(cases, "friction law", lambda c: c.friction) + "\n"
    text += summary(cases, "bodies", lambda c: c.bodies) + "\n"
    text += summary(cases, "into", lambda c: c.container)
    if failed:
        text += f"\n{len(failed)} runs fail; the worst:\n\n" + common.table(
            ["index", "step [µs]", "laws", "what"],
            [[c.index, f"{c.step * 1e6:.0f}", f"{c.normal}, {c.friction}", "; ".join(c.failures)[:120]] for c in failed[:30]])
    return text


def main():
    options = scenes.parser_of(__doc__, "study_random_laws.md", end=200, seed=0).parse_args()
    indices = scenes.indices_of(options, SLICE)
    if options.print:
        for i in indices:
            print(common.scene_text(random_scene(options.seed, i)[0], version=scenes.SCHEMA))
        return 0
    place = common.Workplace(options, "study_random_laws")
    cases = [Case(options.seed, i, h, f"laws_{options.seed}_{i}_{h * 1e6:.0f}us") for i in indices for h in scenes.STEPS]
    cases = common.run_all(lambda c: judge(c, place), cases, options.jobs, "random laws", options.log)
    return common.finish(options, place, cases, page(cases, options, place.program))


if __name__ == "__main__":
    sys.exit(main())
