#!/usr/bin/python3
"""Random scenes: nothing may gain energy, and no run may stop before its end.

    scripts/study_random_scenes.py [--slice] [--begin 0] [--end 2000] [--index N…] [--seed 1] [--intervox PROGRAM] [--write]

One to six bodies, 1e-4 to 1e4 kg and 1 mm to 10 m, of all primitives and small compositions, fall into floors, slopes, trays,
bowls, grooves, corners, funnels and holes and on each other, at steps of 250 µs and 1 ms. A scene is a function of (seed, index)."""
import collections
import dataclasses
import sys

import h5py
import numpy as np

import study_common as common
import study_shapes as shapes

STEPS = (250e-6, 1e-3)
SCHEMA = 2  # the version of the scenes
GAIN = 0.01  # of Σ m g L + ½ m v²
SAMPLES = 400
SLICE = 16  # scenes of the suite
SCENES = 2000
FITTING = 100  # scenes after those, with pairs that nearly fit
CPU_LIMIT = 600.0  # a run's [s]
LONG = 5.0  # [s] of CPU: counted in the page
RANGES = {"mass": (1e-4, 1e4), "size": (1e-3, 10.0), "depth": (1e-10, 0.1)}


def log_uniform(rng, low, high):
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


# ---- containers: (bodies, clearance of a ball of radius r above z = 0) ----------------------------
def floor(_, __):
    return {"floor": {"half_space": {"normal": [0, 0, 1], "offset": 0}}}, lambda r: r


def slope(rng, _):
    a = rng.uniform(0, 0.4)
    return {"floor": {"half_space": {"normal": [np.sin(a), 0, np.cos(a)], "offset": 0}}}, lambda r: 1.3 * r


def corner(_, size):
    walls = {"floor": [0, 0, 1], "wall": [1, 0, 0], "other_wall": [0, 1, 0]}
    return {k: {"half_space": {"normal": n, "offset": 0 if n[2] else -1.2 * size}} for k, n in walls.items()}, lambda r: r


def groove(rng, _):
    a = rng.uniform(0.4, 1.0)
    sides = [{"half_space": {"normal": [s * np.sin(a), 0, np.cos(a)], "offset": 0}} for s in (1, -1)]
    return {"groove": {"union": sides}}, lambda r: 1.05 * r / np.cos(a) + 0.5 * r


def block(size):
    """A block whose upper face is z = 0."""
    return {"box": {"size": [6 * size, 6 * size, 3 * size]}, "pose": {"position": [0, 0, -1.5 * size]}}


def tray(_, size):
    inner = {"box": {"size": [3.2 * size, 3.2 * size, 2 * size]}, "pose": {"position": [0, 0, size]}}
    outer = {"box": {"size": [5 * size, 5 * size, 2 * size]}}
    return {"tray": {"difference": [outer, inner]}}, lambda r: r


def bowl(_, size):
    hollow = {"sphere": {"radius": 2.2 * size}, "pose": {"position": [0, 0, 2.2 * size - 2.4 * size]}}
    return {"bowl": {"difference": [block(size), hollow]}}, lambda r: 1.2 * r - 2.4 * size


def funnel(_, size):
    hollow = {"cone": {"radius_bottom": 0.0, "radius_top": 2.5 * size, "height": 2.5 * size},
              "pose": {"position": [0, 0, -1.2 * size]}}
    return {"funnel": {"difference": [block(size), hollow]}}, lambda r: r


def hole(rng, size):
    drill = {"cylinder": {"radius": size * rng.uniform(0.2, 0.7), "height": 10 * size}}
    return {"block": {"difference": [block(size), drill]}}, lambda r: r


CONTAINERS = (floor, floor, slope, corner, groove, tray, bowl, funnel, hole)
BOTTOMLESS = {"tray": -1.0, "bowl": -3.0, "funnel": -3.0, "block": -3.0}  # a floor below, in sizes


# ---- scenes ---------------------------------------------------------------------------------------
def friction_laws(rng):
    laws = {}
    kind = rng.choice(["none", "bristle", "bristle", "coulomb"])
    laws["friction"] = {"model": str(kind)}
    laws["rolling"] = {"model": str(rng.choice(["none", "none", "gonthier", "exact"]))}
    if laws["rolling"]["model"] != "none" and rng.random() < 0.5:
        laws["rolling"]["cap"] = 1
    laws["spinning"] = {"model": "contensou" if kind != "none" and rng.random() < 0.5 else "none"}
    return laws


def stiffness_for(solid, size, load, depth):
    """k_v [N/m³] at which the load presses the solid, on what it rests on, `depth` deep."""
    if solid.contact == "curved":
        return load / (np.pi * size / 2 * depth**2)
    return load / ((size * solid.volume**(1 / 3))**2 * depth)


def random_scene(seed, index):
    """(scene without its step, inertias by body, energy scale Σ m g L + ½ m v² [J], ω [1/s])."""
    rng = np.random.default_rng([seed, index])
    count = int(rng.integers(1, 7))
    scale = log_uniform(rng, *RANGES["size"])
    typical_mass = log_uniform(rng, *RANGES["mass"])
    depth = log_uniform(rng, *RANGES["depth"])
    g = common.GRAVITY
    solids, sizes, masses = [], [], []
    maker = CONTAINERS[rng.integers(len(CONTAINERS))]

    def refused(solid):
        """Two curved surfaces that nearly fit cost the engine 1 to 100 ms a query: they have scenes of their own."""
        if index >= SCENES:
            return False
        if maker in (bowl, funnel):
            return solid.dear or solid.kind in shapes.ROUND
        if maker is hole:
            return solid.dear
        return solid.dear and any(s.dear for s in solids)

    for _ in range(count):
        solids.append(shapes.random_solid(rng, refused))
        sizes.append(float(np.clip(scale * log_uniform(rng, 0.4, 2.5), *RANGES["size"])))
        masses.append(float(np.clip(typical_mass * log_uniform(rng, 0.1, 10), *RANGES["mass"])))
    largest = max(2 * s.radius * L for s, L in zip(solids, sizes))
    container, clearance = maker(rng, largest)
    restitution = float(rng.choice([1.0, 0.95, rng.uniform(0.05, 1)]))
    mu = float(rng.uniform(0, 1))
    model = {"normal": {"model": "gonthier", "latch": "first" if rng.random() < 0.2 else "largest"}, **friction_laws(rng)}

    bodies, materials, inertias = {}, {"base": {"friction": mu, "restitution": restitution}}, {}
    for name, shape in container.items():
        bodies[name] = {"shape": shape, "fixed": True, "material": "base"}
    bottom = BOTTOMLESS.get(next(iter(container)))
    if bottom is not None:
        bodies["ground"] = {"shape": {"half_space": {"normal": [0, 0, 1], "offset": bottom * largest}}, "fixed": True,
                            "material": "base"}
    energy, omega, top, drops = 0.0, 0.0, None, []
    for k, (solid, L, m) in enumerate(zip(solids, sizes, masses)):
        name = f"{solid.kind}_{k}"
        own_depth = L * float(np.clip(depth * log_uniform(rng, 0.3, 3), *RANGES["depth"]))
        k_v = stiffness_for(solid, L, sum(masses) * g, own_depth)
        omega = max(omega, np.sqrt(k_v * (solid.volume**(2 / 3) * L * L if solid.contact == "face" else np.pi * L * own_depth) / m))
        # An impact from the drop's height stays within a fifth of the body.
        drop = min(L * log_uniform(rng, 0.01, 1), 0.02 * L * L / own_depth)
        r = solid.radius * L
        z = (clearance(r) if top is None else top + r) + drop
        top = z + r
        drops.append(drop)
        center = np.array([*rng.uniform(-0.2, 0.2, 2) * r, z])
        q = common.turn(rng.normal(size=3), rng.uniform(0, np.pi))
        c = solid.center * L
        inertia = solid.unit_inertia * m * L * L
        inertia = 0.5 * (inertia + inertia.T)
        v, w = np.zeros(3), np.zeros(3)
        if rng.random() < 0.5:
            speed = min(np.sqrt(g * L), 0.2 * L * np.sqrt(g / own_depth))
            v = rng.uniform(-0.5, 0.5, 3) * speed
            v[2] = -abs(v[2])
            w = rng.uniform(-0.5, 0.5, 3) * speed / L
        R = common.rotations(q[None])[0]
        arm = R @ c
        materials[name] = {"friction": mu, "restitution": restitution, "foundation_stiffness": k_v}
        bodies[name] = {
            "shape": {**solid.shape, "scale": L}, "material": name, "mass": m, "center_of_mass": c, "inertia": inertia,
            "pose": {"position": center - arm, "quaternion": q},
            "velocity": {"linear": v - np.cross(w, arm), "angular": w}
        }
        inertias[name] = common.Inertia(m, c, inertia)
        w_body = R.T @ w
        energy += m * g * L + 0.5 * m * v @ v + 0.5 * w_body @ inertia @ w_body
    # Two fixed bodies have no stiffness and need none.
    fixed = [name for name in bodies if bodies[name].get("fixed")]
    contacts = [{"bodies": [a, b], "model": "none"} for i, a in enumerate(fixed) for b in fixed[:i]]
    contacts.append({"bodies": ["*", "*"], "model": "default"})
    # A whole number of the largest steps.
    duration = 1e-3 * int(np.ceil(1e3 * np.clip(np.sqrt(2 * sum(drops) / g) + 3 * np.sqrt(2 * max(sizes) / g), 0.05, 3.0)))
    return {
        "name": f"random {seed} {index}", "duration": duration, "materials": materials,
        "contact_models": {"default": model}, "bodies": bodies, "contacts": contacts, "output": {}
    }, inertias, energy, omega


# ---- judging --------------------------------------------------------------------------------------
@dataclasses.dataclass
class Run:
    """One scene at one step, and what came of it."""
    seed: int
    index: int
    step: float
    name: str = ""
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    bodies: int = 0
    container: str = ""
    gain: float = np.nan  # largest, over the energy scale
    cpu: float = np.nan  # [s]
    cpu_rate: float = np.nan  # CPU seconds for a simulated one


@dataclasses.dataclass
class Case(Run):
    refine: int = 1  # runs at step / refine, to tell the law's share
    omega_h: float = np.nan


def measure(case, place, scene, comment, inertias, scale, gain, cpu_limit):
    """Runs a scene and fills in what came of it. A run fails that gains more than a share of the energy scale or ends early."""
    case.bodies, case.container = len(inertias), next(iter(scene["bodies"]))
    scene["output"] = {"every": case.step * max(1, round(scene["duration"] / SAMPLES / case.step))}
    path = place.scene(case.name, common.scene_text(scene, comment, SCHEMA))
    out = place.results(case.name)
    done = common.run(place.program, path, out, cpu_limit=cpu_limit)
    end = 0.0
    try:
        with h5py.File(out) as f:
            end = float(f["time"][-1])
            motions = [common.Motion(f, body, inertia) for body, inertia in inertias.items()]
        total = sum(m.kinetic() + m.gravity([0, 0, -common.GRAVITY]) for m in motions)
        if all(m.finite() for m in motions) and np.isfinite(total).all():
            case.gain = float((total - total[0]).max() / scale)
        else:
            case.gain = np.inf
            case.failures.append("not finite")
    except (OSError, KeyError, IndexError) as error:
        case.failures.append(f"no results: {str(error)[:40]}")
    case.cpu, case.cpu_rate = done.cpu, done.cpu / max(end, case.step)
    if case.gain > gain:
        case.failures.insert(0, f"gains {100 * case.gain:.3g} %")
    if done.status in (-9, -24):
        case.failures.append(f"stopped after {done.cpu:.0f} s of CPU")
    elif done.status != 0:
        case.failures.append(f"exit status {done.status}: {' '.join(done.stderr.split())[-150:]}")
    if end < scene["duration"] - 0.5 * scene["output"]["every"]:
        case.failures.append(f"ends at {end:g} s of {scene['duration']:g} s")
    case.badness = (case.gain if np.isfinite(case.gain) else 1e300) + (done.status != 0)
    place.done(path, case.failures)
    return case


def judge(case, place):
    scene, inertias, scale, omega = random_scene(case.seed, case.index)
    case.omega_h = omega * case.step
    scene["integrator"] = {"step": case.step / case.refine}
    comment = f"index {case.index} of seed {case.seed}, ωh {case.omega_h:.3g}"
    return measure(case, place, scene, comment, inertias, scale, GAIN, CPU_LIMIT * case.refine)


def grouped(cases, key):
    groups = collections.defaultdict(list)
    for c in cases:
        groups[key(c)].append(c)
    return groups


COSTS = ["largest gain [%]", "CPU a second: median", "9 in 10", "most"]


def costs(cases):
    rates = [c.cpu_rate for c in cases]
    return [common.number(x) for x in (100 * max(c.gain for c in cases), np.median(rates), np.percentile(rates, 90), max(rates))]


def parser_of(doc, page_name, end, seed):
    """The options of a study of random scenes."""
    parser = common.parser(doc, page_name, seed=seed)
    parser.add_argument("--begin", type=int, default=0, help="the first scene")
    parser.add_argument("--end", type=int, default=end, help="the scene before which to stop")
    parser.add_argument("--index", type=int, nargs="*", help="only these scenes")
    parser.add_argument("--log", help="a file with a JSON line for each run; runs in it already are not repeated")
    parser.add_argument("--print", action="store_true", help="print the scene of --index and stop")
    return parser


def indices_of(options, few):
    if options.index is not None:
        return options.index
    return range(few) if options.slice else range(options.begin, options.end)


def summary(cases, name, key, order=None):
    groups = grouped(cases, key)
    rows = []
    for k in order or sorted(groups):
        if k not in groups:
            continue
        g = groups[k]
        rows.append([k, len(g), sum(c.gain > GAIN for c in g), sum(not np.isfinite(c.cpu_rate) or any(
            "ends at" in f or "stopped" in f for f in c.failures) for c in g), *costs(g)])
    return common.table([name, "runs", "gain > 1 %", "stop early", *COSTS], rows)


FITS = ["fit loosely", "may fit closely"]
DECADES = ["below 0.1", "0.1 … 1", "1 … 10", "10 … 100", "100 … 1000", "above 1000"]


def decade(c):
    return DECADES[int(np.clip(np.floor(np.log10(c.omega_h)) + 2, 0, 5))]


def page(cases, options, program):
    failed = sorted((c for c in cases if c.failures), key=lambda c: -c.badness)
    text = f"""# Random scenes

Written by `scripts/study_random_scenes.py --write` with {common.version(program)}: {len(cases)} runs, seed {options.seed}. One to six bodies of 1e-4 to 1e4 kg and 1 mm to 10 m
(within one scene masses differ by up to a hundred, sizes by up to six), of every primitive and small unions, intersections and differences, fall in random poses, half of them moving and turning, onto a
floor, a slope, a corner of three walls, a groove, or into a tray, bowl, funnel or hole, and on each other. Foundations are such that the load of all of them presses a body 1e-10
to 0.1 of its size deep. e is 1, 0.95 or random from 0.05 on; friction none, `coulomb` or `bristle`, μ up to 1; rolling resistance none, `gonthier`
or `exact`, with and without the cap; spinning friction none or `contensou`. A run *gains* by the largest rise of kinetic energy plus gravity above its start, computed from the
trajectory with the masses of the scene, over Σ m g L + ½ m v². ωh is the largest of the bodies', at the depth at which they rest. CPU is of the whole
process, per simulated second. A run ends after {CPU_LIMIT:.0f} s of CPU; {sum(c.cpu > LONG for c in cases)} took more than {LONG:.0f} s.

Contacts are [passive](contact_models.md#contacts-that-give-back-no-more-than-they-got), the default: with `passive: 0` one run in sixty gains more than 1 %, up to 151 %, alike at both steps, because k_v V n is no gradient where
overlaps are deep against a part, wrap around it or turn their normal, and nothing damps. Exit status 1 is the energy guard's word. The dearest runs are stiff crowds, tori and pairs that nearly fit,
at 1 to 100 ms a query. Scenes from {SCENES} on may have such pairs: tubes and holes with each other, balls, ellipsoids, capsules and quadrics in bowls and funnels. Scenes before have none.

"""
    text += summary(cases, "step [µs]", lambda c: f"{c.step * 1e6:.0f}", [f"{h * 1e6:.0f}" for h in STEPS]) + "\n"
    text += summary(cases, "ωh", decade, DECADES) + "\n"
    text += summary(cases, "bodies", lambda c: c.bodies) + "\n"
    text += summary(cases, "into", lambda c: c.container) + "\n"
    text += summary(cases, "curved surfaces", lambda c: FITS[c.index >= SCENES], FITS)
    if failed:
        text += f"\n{len(failed)} runs fail; the worst:\n\n" + common.table(
            ["index", "step [µs]", "ωh", "what"],
            [[c.index, f"{c.step * 1e6:.0f}", common.number(c.omega_h, 3), "; ".join(c.failures)[:120]] for c in failed[:30]])
    return text


def main():
    parser = parser_of(__doc__, "study_random_scenes.md", end=SCENES + FITTING, seed=1)
    parser.add_argument("--refine", type=int, default=1, help="run at the step over this number: what remains is the law's")
    options = parser.parse_args()
    indices = indices_of(options, SLICE)
    if options.print:
        for i in indices:
            print(common.scene_text(random_scene(options.seed, i)[0], version=SCHEMA))
        return 0
    place = common.Workplace(options, "study_random_scenes")
    cases = [Case(options.seed, i, h, f"random_{options.seed}_{i}_{h * 1e6:.0f}us", refine=options.refine) for i in indices for h in STEPS]
    cases = common.run_all(lambda c: judge(c, place), cases, options.jobs, "random scenes", options.log)
    return common.finish(options, place, cases, page(cases, options, place.program))


if __name__ == "__main__":
    sys.exit(main())
