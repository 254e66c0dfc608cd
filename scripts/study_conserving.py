#!/usr/bin/python3
"""Four scenes without damping or friction have to keep their energy over 10,000 contacts.

    scripts/study_conserving.py [--slice] [--intervox PROGRAM] [--write]

A cube that tumbles, a ball in a groove, a peg in its hole and two gears, with the law that conserves energy at ω times the
substep 0.02 and 0.01, and with the thesis' law; then the first with its coefficient, its exponent and its step varied."""
import dataclasses
import sys

import h5py
import numpy as np

import study_common as common

MASS = 1.0
PHASES = (0.02, 0.01)  # ω times the step
CONTACTS = 10_000
THESIS_CONTACTS = 1000
VARIED_CONTACTS = 1000
STIFF_CONTACTS = 100
SLICE_CONTACTS = 5
REFERENCE_VOLUME = 2e-5  # [m³]
FALL = 6.0  # by which the drift falls at least where the step is halved
SHARE = 1e-3  # of the energy that moves: what may be gained where the step does not resolve the contact
SAMPLES = 4000  # of a run


# ---- scenes ---------------------------------------------------------------------------------------
@dataclasses.dataclass
class Setting:
    """A scene without its law."""
    bodies: dict
    stiffness: float  # k_v of the thesis' law [N/m³]
    coefficient: float  # of w = c V^m, so that both press alike [J/m^(3m)]
    exponent: float
    rate: float  # contacts a second, about
    omega: float  # the largest of its contacts [rad/s]
    gravity: tuple = (0, 0, -common.GRAVITY)
    holder: tuple = (0.0, 0.0)  # stiffness of the free bodies' holders, whose targets are where they start [N/m], [N·m/rad]


def free(shape, inertia, pose, v=(0, 0, 0), w=(0, 0, 0), **more):
    return {"shape": shape, "mass": MASS, "inertia": inertia, "pose": pose,
            "velocity": {"linear": v, "angular": w}, **more}


def box_inertia(a, b, c):
    return [MASS / 12 * x for x in (b * b + c * c, a * a + c * c, a * a + b * b)]


def cube():
    """A cube of 0.1 m tumbles over a floor."""
    return Setting({
        "floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True},
        "cube": free({"box": {"size": [0.1] * 3}}, box_inertia(0.1, 0.1, 0.1),
                     {"position": [0, 0, 0.12], "quaternion": [1, 0.15, 0.1, 0.05]}, w=[1, 2, 0.5])}, 4e6, 4e6 / (2 * 0.01), 2, 4.6, 205)


def ball():
    """A ball of 0.05 m falls into a groove of two walls."""
    walls = [{"half_space": {"normal": n, "offset": 0}} for n in ([0, 0.6, 0.8], [0, -0.8, 0.6])]
    return Setting({
        "groove": {"shape": {"union": walls}, "fixed": True},
        "ball": free({"sphere": {"radius": 0.05}}, [0.4 * MASS * 0.05**2] * 3, {"position": [0, 0.01, 0.12]},
                     [0, 0.05, 0], [1, 2, 0.5])}, 4e6, 4e6 / (3 * np.sqrt(np.pi * 0.05)), 1.5, 7, 90)


def peg():
    """A square peg rattles in its hole, which is 4 mm wider."""
    bore = {"box": {"size": [0.104, 0.104, 0.4]}, "pose": {"position": [0, 0, 0.1]}}
    return Setting({
        "hole": {"shape": {"difference": [{"box": {"size": [0.4] * 3}}, bore]}, "fixed": True},
        "peg": free({"box": {"size": [0.1, 0.1, 0.2]}}, box_inertia(0.1, 0.1, 0.2), {"position": [0, 0, 0.025]},
                    [0.1, 0.05, 0], [0.1, 0.2, 0.15])}, 4e6, 4e6 / (2 * 0.01), 2, 6, 550)


TEETH, MODULE, ALPHA = 20, 0.006, np.radians(20)
PITCH = TEETH * MODULE / 2


def gear(width):
    """A disc with straight-sided teeth."""
    root, tip, half = PITCH - 1.25 * MODULE, PITCH + MODULE, 0.2 * np.pi * MODULE
    profile = [(r, s * (half - (r - PITCH) * np.tan(ALPHA))) for r in (root - 0.5 * MODULE, tip) for s in (-1, 1)]
    tooth = {"convex": {"vertices": [[x, y, z] for x, y in profile for z in (-width / 2, width / 2)]}}
    disc = {"cylinder": {"radius": root, "height": width}}
    return {"union": [disc] + [{**tooth, "pose": {"rpy_deg": [0, 0, 360 * k / TEETH]}} for k in range(TEETH)]}


def gears():
    """Two gears of twenty teeth rattle in their backlash, each on springs that hold its place and turn it back."""
    stiffness, turning, apart = 900.0, 0.2, 2.01 * PITCH

    def held(width, x, turn):
        inertia = [MASS * (PITCH**2 / 4 + width**2 / 12)] * 2 + [MASS * PITCH**2 / 2]
        return free(gear(width), inertia, {"position": [x, 0, 0], "rpy_deg": [0, 0, turn]}, w=[0, 0, 1],
                    holder={"stiffness": stiffness, "rotational_stiffness": turning,
                            "target": {"keys": [{"t": 0, "position": [x, 0, 0], "rpy_deg": [0, 0, turn]}]}})

    return Setting({"driver": held(0.02, 0, 0), "driven": held(0.03, apart, 180 + 180 / TEETH)}, 2e8,
                   2e8 / (2 * 2e-4), 2, 14, 330, (0, 0, 0), (stiffness, turning))


SCENES = {"cube": cube, "ball": ball, "peg": peg, "gears": gears}


@dataclasses.dataclass
class Case:
    """One run, and what came of it."""
    part: str  # "long", "varied", "stiff"
    scene: str
    law: str = "conserving"  # or "gonthier"
    phase: float = PHASES[0]  # ω times the step
    contacts: int = CONTACTS
    softer: float = 1.0  # the coefficient is divided by this
    exponent: float = 0.0  # 0: the scene's own
    name: str = ""
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    counted: int = 0
    moves: float = np.nan  # largest kinetic energy [J]
    drift: float = np.nan  # largest change of the energy, over that
    gain: float = np.nan  # the largest above the start, over that
    end: float = np.nan  # the last, over that
    phase_seen: float = np.nan  # largest ω of a sample times the step
    redone: float = np.nan  # share of the substeps that were done again
    cpu: float = np.nan  # [s]


def law_of(case, setting):
    """Coefficient and exponent. Another exponent presses alike at the volume of a scene's own deepest contacts, about."""
    m = case.exponent or setting.exponent
    return setting.coefficient * REFERENCE_VOLUME**(setting.exponent - m) / case.softer, m


def curvature(exponent):
    """What w″ is in proportion to where w is given."""
    return exponent * (exponent - 1)


def scene(case):
    setting = SCENES[case.scene]()
    normal = {"model": "gonthier", "stiffness": setting.stiffness}
    if case.law == "conserving":
        coefficient, exponent = law_of(case, setting)
        normal = {"model": "conserving", "coefficient": coefficient, "exponent": exponent}
    # The peg's onsets become rarer as it comes to turn.
    margin = 1.7 if case.part == "long" and case.contacts > SLICE_CONTACTS else 1.1
    duration = margin * case.contacts / setting.rate + 0.2
    # ω grows with the root of w″ at the reference volume.
    step = case.phase * np.sqrt(case.softer * curvature(setting.exponent) / curvature(case.exponent or setting.exponent)) / setting.omega
    return {"name": case.name, "duration": duration, "gravity": setting.gravity,
            "integrator": {"step": step}, "engine": {"tolerance": 1e-9},
            "contact_models": {"default": {"normal": {**normal, "restitution": 1}, "friction": {"model": "none"}}},
            "bodies": setting.bodies, "output": {"every": max(duration / SAMPLES, step)}}


def energies(f, case, setting):
    """Kinetic energy; all energy, where it is known without the program's audit: in flight, or with w(V); the largest ω."""
    total, kinetic, mobility = 0.0, 0.0, 0.0
    for name, body in setting.bodies.items():
        if "fixed" in body:
            continue
        motion = common.Motion(f, name, common.Inertia(body["mass"], np.zeros(3), np.diag(body["inertia"])))
        kinetic = kinetic + motion.kinetic()
        total = total + motion.kinetic() + motion.gravity(setting.gravity)
        push, turn = setting.holder
        total = total + 0.5 * push * ((motion.center - motion.center[0])**2).sum(1)
        cosine = np.abs(motion.orientation @ motion.orientation[0])
        total = total + 0.5 * turn * (2 * np.arccos(np.minimum(cosine, 1)))**2
        torque = np.einsum("nji,nj->ni", motion.R, f[f"bodies/{name}/contact_torque"][:])
        mobility = mobility + (motion.force**2).sum(1) / body["mass"] + (torque**2 / body["inertia"]).sum(1)
    at, volume = f["patches/time_index"][:].astype(int), f["patches/volume"][:]
    if case.law != "conserving":
        flies = np.ones(total.size, bool)
        flies[at] = False
        return kinetic, total[flies], np.nan
    c, m = law_of(case, setting)
    stored = np.zeros(total.size)
    stored[at] = c * volume**m
    # The wrench is w′ times the gradient g of V, and ω² = w″ g·M⁻¹g = (m − 1)/m · wrench·M⁻¹ wrench / w.
    omega = np.sqrt((m - 1) / m * mobility[at] / stored[at])
    return kinetic, total + stored, omega.max(initial=0.0)


def judge(case, place):
    settings = scene(case)
    path = place.scene(case.name, common.scene_text(settings))
    out = place.results(case.name)
    done = common.run(place.program, path, out)
    case.cpu = done.cpu
    if done.status != 0 and case.law == "conserving":
        case.failures.append(f"exit status {done.status} {done.stderr.strip().splitlines()[-1:]}")
    with h5py.File(out) as f:
        kinetic, total, omega = energies(f, case, SCENES[case.scene]())
        case.counted = len(f["impacts/time"])
        case.redone = common.attribute(f, "summary_redone_substeps") / common.attribute(f, "summary_substeps")
        for counter in ("unconverged_stages", "creating_contacts") + (("dissipative_substeps", ) if case.part != "stiff" else ()):
            if common.attribute(f, f"summary_{counter}") != 0 and case.law == "conserving":
                case.failures.append(f"{common.attribute(f, f'summary_{counter}'):g} {counter}")
    case.moves = kinetic.max()
    case.drift = np.abs(total - total[0]).max() / case.moves
    case.gain = (total - total[0]).max() / case.moves
    case.end = (total[-1] - total[0]) / case.moves
    case.phase_seen = omega * settings["integrator"]["step"]
    case.badness = case.drift if np.isfinite(case.drift) else np.inf
    if case.part == "long" and case.law == "conserving" and case.counted < case.contacts:
        case.failures.append(f"only {case.counted} contacts")
    if case.part == "stiff" and not case.gain <= SHARE:
        case.failures.append(f"gains {case.gain:.2g}")
    place.done(path, case.failures)
    return case


def cases_of(slice_only, contacts):
    number = SLICE_CONTACTS if slice_only else contacts
    cases = [Case("long", s, "conserving", p, number) for s in SCENES for p in PHASES]
    cases += [Case("long", s, "gonthier", PHASES[0], min(number, THESIS_CONTACTS)) for s in SCENES]
    varied = [(1.0, 1.25), (0.01, 0)] if slice_only else [(0.01, 0), (100, 0), (1, 1.25), (1, 1.5), (1, 3)]
    cases += [Case("varied", "cube", "conserving", p, SLICE_CONTACTS if slice_only else VARIED_CONTACTS, s, m) for s, m in varied for p in PHASES]
    stiff = (16, ) if slice_only else (1, 4, 16, 100, 400)
    cases += [Case("stiff", s, "conserving", p, SLICE_CONTACTS if slice_only else STIFF_CONTACTS, (PHASES[0] / p)**2) for s in SCENES for p in stiff]
    for c in cases:
        c.name = f"{c.part}_{c.scene}_{c.law}_{c.phase:g}_{c.softer:g}_{c.exponent:g}_{c.contacts}"
    # The longest first.
    return sorted(cases, key=lambda c: (c.part != "long", c.phase, c.scene not in ("peg", "gears")))


def pairs_of(cases, part):
    """The runs of a part at one step and at its half."""
    chosen = [c for c in cases if c.part == part and c.law == "conserving"]
    for whole in (c for c in chosen if c.phase == PHASES[0]):
        yield whole, next(c for c in chosen if c.phase == PHASES[1] and (c.scene, c.softer, c.exponent) ==
                          (whole.scene, whole.softer, whole.exponent))


def demanded(whole, half):
    """How many times the drift has to fall: motions part, and the largest ω·step need not be halved with the step."""
    return FALL**min(1, np.log2(whole.phase_seen / half.phase_seen))


def compare(cases):
    for part in ("long", "varied"):
        for whole, half in pairs_of(cases, part):
            if not half.drift * demanded(whole, half) <= whole.drift:
                half.failures.append(f"the drift falls {whole.drift / half.drift:.1f} times where the step is halved")


def page(cases, program):
    n = common.number
    rows = []
    for whole, half in pairs_of(cases, "long"):
        thesis = next(c for c in cases if c.law == "gonthier" and c.scene == whole.scene)
        rows.append([whole.scene, f"{whole.counted}, {half.counted}", f"{n(whole.phase_seen)}, {n(half.phase_seen)}",
                     n(whole.moves, 3), n(whole.drift), n(half.drift), n(whole.drift / half.drift), thesis.counted, n(thesis.drift),
                     n(thesis.end), "; ".join(whole.failures + half.failures) or "pass"])
    varied = [[f"c × {n(1 / whole.softer, 3)}" if whole.softer != 1 else f"m = {whole.exponent:g}", f"{whole.counted}, {half.counted}",
               f"{n(whole.phase_seen)}, {n(half.phase_seen)}", n(whole.drift), n(half.drift), n(whole.drift / half.drift),
               "; ".join(whole.failures + half.failures) or "pass"] for whole, half in pairs_of(cases, "varied")]
    stiff = [[c.scene, f"{c.phase:g}", c.counted, n(c.gain), n(c.end), "; ".join(c.failures) or "pass"]
             for c in sorted((c for c in cases if c.part == "stiff"), key=lambda c: (list(SCENES).index(c.scene), c.phase))]
    scenes = "\n".join(f"- *{name}*: {make.__doc__}" for name, make in SCENES.items())
    return f"""# The law that conserves energy, over many contacts

Written by `scripts/study_conserving.py --write` with {common.version(program)}. No damping, no friction, no rolling resistance:

{scenes}

Energies are those of the samples: kinetic, gravity and holders' springs from the motion with the scene's own masses, w(V) from the volume of the patch; the program's audit is not used. *Drift* is the largest change of their
sum from the start over the largest kinetic energy, of the thesis' law in flight. ω² = w″ g·M⁻¹g, g being the gradient of V; *ω·step* is the largest of all samples. Contacts are onsets between two bodies: walls of one hole, or teeth of two
gears, that are met while others press are not counted anew.

## {min(c.counted for c in cases if c.part == "long" and c.law == "conserving"):,} contacts and more

Demanded: the drift falls {FALL:g} times where ω·step is halved, {FALL:g}^log₂ r times where it falls r < 2 times. All of it is then the integrator's, none the law's. Beside it the thesis' law, k_v V n, at the longer step, whose drift is its own: over the floor, and for the ball
between its walls, it is the gradient of a Winkler foundation's energy, in the hole of nothing. Gears that strike flank on flank show none of it.
Motions are chaotic: at half the step a scene meets other contacts, and its largest ω·step need not be halved.

""" + common.table(["scene", "contacts", "ω·step", "kinetic [J]", "drift", "halved", "ratio", "thesis: contacts", "drift", "at the end", "verdict"],
                   rows) + f"""
## Softer, harder, other exponents

The cube, {next(c.contacts for c in cases if c.part == "varied"):,} contacts.

""" + common.table(["law", "contacts", "ω·step", "drift", "halved", "ratio", "verdict"], varied) + f"""
## Stiff against the step

Harder laws at a step that does not resolve them. Demanded: the energy never rises above the start by more than {SHARE:g} of what moves.

""" + common.table(["scene", "ω·step", "contacts", "largest gain", "at the end", "verdict"], stiff)


def main():
    parser = common.parser(__doc__, "study_conserving.md")
    parser.add_argument("--log", help="a file with a JSON line for each run; runs in it already are not repeated")
    parser.add_argument("--contacts", type=int, default=CONTACTS, help="of each long run; 10,000 take hours of CPU time, 1,000 half an hour with all the rest")
    options = parser.parse_args()
    place = common.Workplace(options, "study_conserving")
    cases = common.run_all(lambda c: judge(c, place), cases_of(options.slice, options.contacts), options.jobs, "conserving", options.log)
    compare(cases)
    return common.finish(options, place, cases, page(cases, place.program))


if __name__ == "__main__":
    sys.exit(main())
