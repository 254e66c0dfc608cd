#!/usr/bin/python3
"""Scenes by fixed steps and by methods that choose their steps.

    scripts/study_solvers.py [--intervox PROGRAM] [--duration S] [--figure PNG]
    scripts/study_solvers.py --scenes peg_insertion,battery_box,four_bar_push [--limit S] [--tolerances 1e-3,1e-5]

Without --scenes it runs data/scenes/ball_over_edge.yaml by each solver (2 s of one core to 1 s of motion), prints the first table of
docs/study_solvers.md, and draws the energy over time. With --scenes it prints the second: each scene by ark3 as it is, and by each
method and tolerance, for as long as --limit lets one run take of a core. Exits with 1 where a solver gains energy."""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENE = ROOT / "data" / "scenes" / "ball_over_edge.yaml"
FIXED = [("rk3", step) for step in (50e-6, 250e-6, 1000e-6)]
CHOSEN = [(method, tolerance) for method in ("trbdf2", "bdf", "dopri5") for tolerance in (1e-2, 1e-3, 1e-5, 1e-6, 1e-7)]
APART = 5e-3  # accepted states of the methods that choose their steps, and samples [s]
NOTHING = 1e-6  # [J]


def settings(method, value):
    """The edits of the scene that choose a solver."""
    edits = [f"integrator.method={method}", f"output={{every: {APART}}}"]
    if (method, value) in FIXED:
        return edits + [f"integrator.step={value}"]
    return edits + [f"integrator.step={APART}", f"integrator.tolerance={value}"]


def watch(program, duration, method, value, folder):
    """Times, stored energy less what the relaxing offset adds [J], v_y at 0.35 s [m/s], the audit's balance [J], of one solver."""
    out = pathlib.Path(folder) / "run.h5"
    command = [program, "run", SCENE, "-o", out, "--quiet", "--threads", "1"]
    for edit in settings(method, value) + [f"duration={duration}"]:
        command += ["--set", edit]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with h5py.File(out) as file:
        energy = {name: file[f"energy/{name}"][()] for name in ("kinetic", "gravity", "elastic", "bristle", "work_relaxation", "balance")}
        t = file["time"][()]
        v_y = np.interp(0.35, t, file["bodies/ball/velocity"][()][:, 1])
    stored = energy["kinetic"] + energy["gravity"] + energy["elastic"] + energy["bristle"] - energy["work_relaxation"]
    return t, stored, v_y, np.abs(energy["balance"]).max()


OTHERS = {"peg_insertion": 1.4, "battery_box": 1.2, "four_bar_push": 1.2}  # scenes, and how long they run [s]


def watch_other(program, scene, method, tolerance, limit, folder):
    """A row of the second table, and whether the run gained energy: largest gain [J], balance at the end, what was dissipated, CPU time."""
    out = pathlib.Path(folder) / "run.h5"
    command = [program, "run", SCENE.parent / f"{scene}.yaml", "-o", out, "--quiet", "--threads", "1", "--set", f"duration={OTHERS[scene]}",
               "--set", f"output={{every: {APART}}}"]
    if tolerance:
        for edit in (f"integrator.method={method}", f"integrator.step={APART}", f"integrator.tolerance={tolerance}"):
            command += ["--set", edit]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))).returncode
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    name = f"| {scene} | {method}{f', {tolerance:g}' if tolerance else ''} |"
    if code not in (0, 1):
        return f"{name} – | – | – | more than {limit} |" if spent > 0.9 * limit else f"{name} – | – | – | exit {code} |", code > 0
    with h5py.File(out) as file:
        balance = file["energy/balance"][()]
        stored = sum(file[f"energy/{name}"][()] for name in ("kinetic", "gravity", "elastic", "bristle"))
        stored -= sum(file[f"energy/work_{name}"][()] for name in ("applied", "driven", "relaxation"))
        lost = sum(file[f"energy/dissipated_{loss}"][-1] for loss in ("normal", "sliding", "spinning", "rolling", "numerical"))
    gain = (stored - np.minimum.accumulate(stored)).max()
    return f"{name} {gain:.1e} | {balance[-1]:.1e} | {lost:.3g} | {spent:.1f} |", code == 1 or gain > 1e-3 * lost


def watch_others(program, scenes, tolerances, limit):
    """Prints the second table. The runs that gained energy."""
    gained = []
    print("| scene | solver | largest gain [J] | balance [J] | dissipated [J] | CPU [s] |\n| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes:
            for method, tolerance in [("ark3", 0.0)] + [(m, t) for m in ("trbdf2", "bdf", "dopri5") for t in tolerances]:
                row, gains = watch_other(program, scene, method, tolerance, limit, folder)
                print(row, flush=True)
                gained += [f"{scene} by {method}, {tolerance:g}"] if gains else []
    return gained


def label(method, value):
    """A solver's name in table and figure."""
    return f"{method}, {value * 1e6:.0f} µs" if (method, value) in FIXED else f"{method}, {value:g}"


def draw(runs, path):
    """Energy over time, a line for each solver."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(8, 4), constrained_layout=True)
    for name, (t, stored, _, _) in runs.items():
        axes.plot(t, stored, linewidth=1, label=name)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("energy [J]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6, ncol=2)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--intervox", default=ROOT / "build" / "release" / "bin" / "intervox", help="the program")
    parser.add_argument("--duration", type=float, default=1.0, help="of the motion [s]")
    parser.add_argument("--figure", type=pathlib.Path, help="where to draw the energies")
    parser.add_argument("--scenes", default="", help="names, with commas between: the second table")
    parser.add_argument("--tolerances", default="1e-3,1e-4,1e-5,1e-6,1e-7", help="of the second table")
    parser.add_argument("--limit", type=int, default=120, help="of a core's time for one run of the second table [s]")
    options = parser.parse_args()
    if options.scenes:
        gained = watch_others(options.intervox, options.scenes.split(","), [float(t) for t in options.tolerances.split(",")], options.limit)
        sys.exit("gained energy: " + "; ".join(gained) if gained else 0)
    runs = {}
    print("| solver | largest rise of the energy [J] | v_y at 0.35 s [m/s] | largest balance [J] |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for method, value in FIXED + CHOSEN:
            t, stored, v_y, balance = runs[label(method, value)] = watch(options.intervox, options.duration, method, value, folder)
            rise = max(0.0, (stored - np.minimum.accumulate(stored)).max())
            print(f"| {label(method, value)} | {rise:.1e} | {v_y:.5f} | {balance:.1e} |", flush=True)
    if options.figure:
        draw(runs, options.figure)
    gain = [name for name, (_, stored, _, _) in runs.items() if (stored - np.minimum.accumulate(stored)).max() > NOTHING]
    if gain:
        sys.exit("gained energy: " + "; ".join(gain))


if __name__ == "__main__":
    main()
