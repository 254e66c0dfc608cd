#!/usr/bin/python3
"""Draws the figure of each law of docs/models.md, from runs of the program with that law.

    scripts/model_figures.py [--intervox PROGRAM] [--only NAME ...] [--out FOLDER]

Normal laws: one impact of a ball at three speeds, force over depth. Friction laws: a block on a floor that moves to and fro, force over
displacement and over velocity. Distributed friction and the shared limit of spinning: the row limit_surface of `intervox validate`.
Restitution over the speed: single impacts beside the forms as scenes give them. Rolling laws: the moment on a block that begins to tilt, a box that rocks and a ball that
rolls. Takes two minutes; --out is docs/images/models by default."""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import matplotlib.pyplot as plt  # noqa: E402
import plots  # noqa: E402, F401 (the style of figures)
from scipy.interpolate import PchipInterpolator  # noqa: E402

IMPACTS = {
    # name: (contact in points, parameters by label; speeds [m/s])
    "gonthier": (True, {f"e {e}": {"model": "gonthier", "stiffness": 1e8, "restitution": e} for e in (0.9, 0.6, 0.3)}, (1.0,)),
    "lankarani_nikravesh": (True, {f"e {e}": {"model": "lankarani_nikravesh", "stiffness": 1e8, "restitution": e}
                                   for e in (0.9, 0.6, 0.3)}, (1.0,)),
    "hunt_crossley": (True, {"": {"model": "hunt_crossley", "stiffness": 1e8, "dissipation": 0.2}}, (0.5, 1.0, 2.0)),
    "linear": (True, {"": {"model": "linear", "stiffness": 1e6, "damping": 300}}, (0.5, 1.0, 2.0)),
    "stronge": (True, {f"e {e}": {"model": "stronge", "stiffness": 1e6, "restitution": e} for e in (0.9, 0.6, 0.3)}, (1.0,)),
    "chatterjee": (True, {f"e {e}": {"model": "chatterjee", "stiffness": 1e6, "restitution": e} for e in (0.9, 0.6, 0.3)}, (1.0,)),
    "conserving": (False, {f"e {e}": {"model": "conserving", "coefficient": 3e7, "exponent": 1.5, "restitution": e}
                           for e in (1.0, 0.6)}, (1.0,)),
    "azad_featherstone": (True, {"": {"model": "azad_featherstone", "stiffness": 1e7, "damping": 1e3}}, (0.5, 1.0, 2.0)),
    "lee_wang": (True, {"": {"model": "lee_wang", "stiffness": 1e7, "damping": 2e4}}, (0.5, 1.0, 2.0)),
}
SLIDES = {
    # name: (parameters by label, amplitude [m], period [s])
    "coulomb": ({"": {"model": "coulomb", "mu": 0.3, "v_epsilon": 1e-3}}, 1e-3, 1.0),
    "stribeck": ({"": {"model": "stribeck", "mu_s": 0.8, "mu_c": 0.5, "slip_tolerance": 1e-3}}, 1e-3, 1.0),
    "bristle": ({f"dwell time {tau} s": {"model": "bristle", "mu_s": 0.4, "mu_c": 0.3, "sigma_0": 4e3, "sigma_1": 40,
                                         "v_stribeck": 2e-3, "dwell_time": tau} for tau in (0, 0.2)}, 1e-3, 1.0),
    "goyal": ({"": {"model": "goyal", "mu": 0.4, "stiffness": 4e4, "damping": 30}}, 1e-3, 1.0),
}


def run(program, scene, folder):
    """Runs a scene: its results."""
    file, out = folder / "scene.yaml", folder / "scene.h5"
    file.write_text(json.dumps(scene), encoding="utf-8")
    out.unlink(missing_ok=True)
    subprocess.run([program, "run", file, "-o", out], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return h5py.File(out)


def panel(axes, x, y):
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()


def impact(program, folder, points, normal, speed):
    """Depth [mm] and force [N] of one impact of a ball of 0.5 kg."""
    step = 5e-6
    scene = {"schema": "intervox/scene/2", "gravity": [0, 0, 0], "duration": 0.02, "integrator": {"step": step},
             "contact_models": {"default": {"geometry": "points" if points else "volumes", "normal": normal}},
             "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True},
                        "ball": {"shape": {"sphere": {"radius": 0.1}}, "mass": 0.5, "pose": {"position": [0, 0, 0.100001]},
                                 "velocity": {"linear": [0, 0, -speed]}}},
             "output": {"every": step}}
    with run(program, scene, folder) as file:
        z = 0.1 - file["bodies/ball/position"][:, 2]
        f = file["bodies/ball/contact_force"][:, 2]
    touched = np.flatnonzero(z > 0)
    kept = slice(touched[0], touched[-1] + 2)
    return 1e3 * np.maximum(z[kept], 0), f[kept]


def draw_impacts(program, folder, name):
    points, laws, speeds = IMPACTS[name]
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    for label, normal in laws.items():
        for speed in speeds:
            z, f = impact(program, folder, points, normal, speed)
            axes.plot(z, 1e-3 * f, label=label if len(speeds) == 1 else f"{speed} m/s")
    panel(axes, "depth [mm]", "normal force [kN]")
    return figure


def slide(program, folder, friction, amplitude, period):
    """Displacement [m], velocity [m/s] of the floor and friction over load on a block that is held."""
    omega, keys = 2 * math.pi / period, []
    for k in range(101):
        t = 1.5 * period * k / 100
        keys.append({"t": t, "position": [amplitude * (1 - math.cos(omega * t)), 0, 0],
                     "velocity": [amplitude * omega * math.sin(omega * t), 0, 0]})
    keys[-1]["velocity"] = [0, 0, 0]
    scene = {"schema": "intervox/scene/2", "gravity": [0, 0, 0], "duration": 1.5 * period, "integrator": {"step": 1e-3 * period},
             "contact_models": {"default": {"geometry": "points", "normal": {"model": "gonthier", "stiffness": 1e5, "exponent": 1,
                                                                           "restitution": 0.5}, "friction": friction}},
             "contacts": [{"bodies": ["block", "floor"], "model": "default"}],
             "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "motion": {"keys": keys}},
                        "block": {"shape": {"sphere": {"radius": 0.01}}, "mass": 1, "pose": {"position": [0, 0, 0.0099]}}},
             "joints": {"held": {"type": "fixed", "bodies": ["block", "world"]}},
             "output": {"every": 1e-3 * period}}
    with run(program, scene, folder) as file:
        x = file["bodies/floor/position"][:, 0]
        v = file["bodies/floor/velocity"][:, 0]
        f = file["bodies/block/contact_force"][:, 0] / np.maximum(file["bodies/block/contact_force"][:, 2], 1e-9)
    return x[2:], v[2:], f[2:]


def draw_slides(program, folder, name):
    laws, amplitude, period = SLIDES[name]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), sharey=True)
    for label, friction in laws.items():
        x, v, f = slide(program, folder, friction, amplitude, period)
        left.plot(1e3 * x, f, label=label or None)
        right.plot(1e3 * v, f, label=label or None)
    panel(left, "displacement of the floor [mm]", "friction over load")
    panel(right, "its velocity [mm/s]", "")
    return figure


def limit_surface(program, folder):
    """The curves of the row, by label."""
    subprocess.run([program, "validate", "-q", "--only", "limit_surface", "--report", folder / "page"], check=True,
                   stdout=subprocess.DEVNULL)
    row = json.loads((folder / "page" / "validation.json").read_text(encoding="utf-8"))["rows"][0]
    return {curve["label"]: curve for curve in row["figures"][0]["curves"]}


def draw_limits(program, folder, names):
    curves = limit_surface(program, folder)
    figure, axes = plt.subplots(figsize=(5.2, 3.4))
    colors = plt.rcParams["axes.prop_cycle"].by_key()["color"]
    for k, name in enumerate(names):
        for label, style in ((name, "-"), (f"{name}, integrated", "o"), (f"{name}, lumped", "--")):
            if label in curves:
                axes.plot(curves[label]["x"], curves[label]["y"], style, color=colors[k], fillstyle="none", label=label)
    panel(axes, "force/(μ f_n)", "moment over its largest")
    return figure


def draw_rolling(program, folder):
    """The moment on a block that tilts, over its angular velocity, in units of load times half its width."""
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    rates = np.linspace(0, 0.3, 13)
    for label, rolling in (("gonthier, cap 0", {"model": "gonthier", "cap": 0}), ("gonthier", {"model": "gonthier"}),
                           ("exact, cap 0", {"model": "exact", "cap": 0}), ("exact", {"model": "exact"})):
        moments = []
        for rate in rates:
            scene = {"schema": "intervox/scene/2", "gravity": [0, 0, 0], "duration": 1e-6, "integrator": {"step": 1e-6},
                     "contact_models": {"default": {"normal": {"model": "gonthier", "stiffness": 1e7, "restitution": 0.5, "v_small": 1e-2},
                                                    "rolling": rolling}},
                     "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True},
                                "block": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 1e4, "inertia": [1e4, 1e4, 1e4],
                                          "pose": {"position": [0, 0, 0.03]}, "velocity": {"angular": [0, float(rate), 0],
                                                                                            "linear": [0.03 * float(rate), 0, 0]}}},
                     "output": {"every": 1e-6}}
            with run(program, scene, folder) as file:
                load = file["patches/normal_force"][-1]
                moments.append(float(np.ravel(file["patches/torque"][-1])[1]) / float(np.ravel(load)[0]) / 0.05)
        axes.plot(rates, moments, label=label)
    panel(axes, "angular velocity [rad/s]", "resisting moment/(load · half width)")
    return figure


def draw_rocking(program, folder):
    """A box that was tilted on soft ground, and a ball that rolls: with each rolling law."""
    figure, (tilts, speeds) = plt.subplots(1, 2, figsize=(7.2, 3.0))
    box = {"shape": {"box": {"size": [0.3, 0.3, 0.3]}}, "mass": 10, "pose": {"position": [0, 0, 0.1495], "rpy_deg": [0, 0.06, 0]}}
    ball = {"shape": {"sphere": {"radius": 0.05}}, "mass": 1, "pose": {"position": [0, 0, 0.0495]},
            "velocity": {"linear": [0.1, 0, 0], "angular": [0, 2, 0]}}
    for label in ("none", "rocking", "gonthier"):
        for body, stiffness, duration in ((box, 2.2e6, 0.6), (ball, 2.5e8, 1.5)):
            scene = {"schema": "intervox/scene/2", "duration": duration, "integrator": {"step": 5e-4},
                     "contact_models": {"default": {"normal": {"model": "gonthier", "stiffness": stiffness, "restitution": 0.5},
                                                    "friction": {"model": "bristle", "mu_s": 0.5, "mu_c": 0.5}, "rolling": {"model": label}}},
                     "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True}, "part": body},
                     "output": {"every": 2e-3}}
            style = "--" if label == "rocking" else "-"
            with run(program, scene, folder) as file:
                if body is box:
                    tilts.plot(file["time"][:], 2e3 * file["bodies/part/orientation"][:, 2], style, label=label)
                else:
                    speeds.plot(file["time"][:], file["bodies/part/velocity"][:, 0], style, label=label)
    speeds.set_ylim(0, 0.105)
    panel(tilts, "time [s]", "tilt of a box [mrad]")
    panel(speeds, "time [s]", "speed of a rolling ball [m/s]")
    return figure


def rebound(program, folder, normal, speed):
    """Speed after a blow of a ball of 0.5 kg over that before it; a stiffness of 1e6 N/m."""
    step = 5e-6
    scene = {"schema": "intervox/scene/2", "gravity": [0, 0, 0], "duration": 0.2, "integrator": {"step": step},
             "contact_models": {"default": {"geometry": "points", "normal": {"stiffness": 1e6, **normal}}},
             "bodies": {"floor": {"shape": {"half_space": {"normal": [0, 0, 1], "offset": 0}}, "fixed": True},
                        "ball": {"shape": {"sphere": {"radius": 0.1}}, "mass": 0.5, "velocity": {"linear": [0, 0, -speed]},
                                 "pose": {"position": [0, 0, 0.1 + 2.3 * step * speed]}}},
             "output": {"every": 0.01}}
    with run(program, scene, folder) as file:
        return file["bodies/ball/velocity"][-1, 2] / speed


def draw_restitution(program, folder):
    """The table of the page, Johnson's power and a viscoelastic loss: lines as given, marks as impacts return."""
    table = {"speeds": [0.1, 1, 10], "values": [0.9, 0.8, 0.5]}
    fine, speeds = np.geomspace(0.01, 100, 400), np.geomspace(0.01, 100, 13)
    forms = {"table": (table, lambda v: PchipInterpolator(*table.values())(np.clip(v, 0.1, 10))),
             "speed 0.1 m/s, power 0.25": ({"speed": 0.1}, lambda v: np.minimum(1, (0.1 / v) ** 0.25)),
             "loss 0.3, exponent 0.2": ({"loss": 0.3, "exponent": 0.2}, lambda v: np.maximum(0.01, 1 - 0.3 * v ** 0.2))}
    figure, axes = plt.subplots(figsize=(5.2, 3.2))
    for label, (form, e) in forms.items():
        line, = axes.semilogx(fine, e(fine), label=label)
        for law, mark in (({"model": "gonthier", "exponent": 1}, "o"), ({"model": "stronge"}, "x")):
            back = [rebound(program, folder, {**law, "restitution": form}, float(v)) for v in speeds]
            axes.semilogx(speeds, back, mark, color=line.get_color(), fillstyle="none")
    axes.plot([], [], "o", color="k", fillstyle="none", label="impacts, gonthier")
    axes.plot([], [], "x", color="k", label="impacts, stronge")
    axes.set_ylim(0, 1.03)
    panel(axes, "speed of approach [m/s]", "e")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intervox", type=pathlib.Path, default=ROOT / "build" / "release" / "bin" / "intervox")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "images" / "models")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    drawings = {**{name: lambda f, n=name: draw_impacts(options.intervox, f, n) for name in IMPACTS},
                **{name: lambda f, n=name: draw_slides(options.intervox, f, n) for name in SLIDES},
                "distributed": lambda f: draw_limits(options.intervox, f, ("disc", "annulus", "rectangle", "cap")),
                "contensou": lambda f: draw_limits(options.intervox, f, ("disc", "cap")),
                "restitution": lambda f: draw_restitution(options.intervox, f),
                "rolling": lambda f: draw_rolling(options.intervox, f),
                "rocking": lambda f: draw_rocking(options.intervox, f)}
    for name, draw in drawings.items():
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            figure = draw(pathlib.Path(folder))
        figure.tight_layout()
        figure.savefig(options.out / f"{name}.png", dpi=90)
        plt.close(figure)
        print(options.out / f"{name}.png")


if __name__ == "__main__":
    main()
