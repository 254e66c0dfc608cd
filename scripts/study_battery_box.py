#!/usr/bin/python3
"""Studies of the main job: random starts, convergence with the step, spread over steps and tolerances.

    scripts/study_battery_box.py [--runs 100] [--only starts|rebounds|convergence|spread]

Prints Markdown. Needs build/release/bin/intervox; two runs at a time."""
import argparse
import concurrent.futures
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/intervox"
SCENE = ROOT / "data/scenes/battery_box.yaml"
CLEARANCE = 1.5e-3  # of the lands, on each side [m]
START = np.array([-0.35, 0.0, -0.095])


def product(a, b):
    """The Hamilton product of two quaternions (w, x, y, z)."""
    w, x, y, z = a
    return (w * b[0] - x * b[1] - y * b[2] - z * b[3], w * b[1] + x * b[0] + y * b[3] - z * b[2],
            w * b[2] - x * b[3] + y * b[0] + z * b[1], w * b[3] + x * b[2] - y * b[1] + z * b[0])


def turn(axis, angle):
    s = math.sin(angle / 2)
    return (math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2])


THESIS_TURN = product(turn((0, 1, 0), math.radians(2)), turn((1, 0, 0), math.radians(2)))


def run(folder, name, settings):
    """Runs the scene with overrides; the path of its results."""
    out = pathlib.Path(folder) / f"{name}.h5"
    command = [PROGRAM, "run", SCENE, "-o", out, "--threads", "1"]
    for setting in settings:
        command += ["--set", setting]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: {' '.join(map(str, command))}\n{done.stderr}")
    return out


def run_all(jobs):
    """{name: results path} of {name: settings}."""
    folder = tempfile.mkdtemp(prefix="battery_box_")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        paths = {n: pool.submit(run, folder, n, s) for n, s in jobs.items()}
        return {n: p.result() for n, p in paths.items()}


def rest_time(f):
    """The first time from which the box stays below 1 mm/s [s]."""
    speed = (np.linalg.norm(f["bodies/box/velocity"][:], axis=1) +
             0.5 * np.linalg.norm(f["bodies/box/angular_velocity"][:], axis=1))
    fast = np.nonzero(speed >= 1e-3)[0]
    return f["time"][min(fast[-1] + 1, len(speed) - 1)] if len(fast) else 0.0


def study_starts(count):
    generator = random.Random(1)
    unit = lambda: generator.uniform(-1, 1)
    jobs = {}
    for k in range(count):
        p = START + 0.02 * np.array([unit(), unit(), unit()])
        q = THESIS_TURN
        for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            q = product(turn(axis, math.radians(2) * unit()), q)
        jobs[f"start-{k:03d}"] = [
            "bodies.box.pose.position=[" + ", ".join(map(repr, p.tolist())) + "]",
            "bodies.box.pose.quaternion=[" + ", ".join(map(repr, q)) + "]", "duration=8",
            "output.every=0.002"
        ]
    seats, times, wedged = [], [], []
    for name, path in run_all(jobs).items():
        with h5py.File(path) as f:
            p = f["bodies/box/position"][-1]
            t = rest_time(f)
            seats.append(p)
            times.append(t)
            if abs(p[0]) > 1e-4 or t > 7.9:
                wedged.append(name)
    seats, times = np.array(seats), np.array(times)
    print(f"## {count} random starts (±20 mm, ±2° about the thesis' start)\n")
    print(f"Wedged: {len(wedged)} {' '.join(wedged)}\n")
    print("| | min | median | max |\n| --- | --- | --- | --- |")
    print(f"| rest time [s] | {times.min():.3f} | {np.median(times):.3f} | {times.max():.3f} |")
    for axis, unit_name, scale in ((0, "µm", 1e6), (1, "mm", 1e3), (2, "mm", 1e3)):
        values = seats[:, axis] * scale
        print(f"| seat {'xyz'[axis]} [{unit_name}] | {values.min():.4f} | {np.median(values):.4f} |"
              f" {values.max():.4f} |")
    print()
    return not wedged


FREE = ["contact_models.guide.friction={model: none}", "contact_models.guide.spinning={model: none}"]


def study_convergence():
    steps = (400e-6, 200e-6, 100e-6, 50e-6)
    reference = 12.5e-6
    print("## Convergence with the step\n")
    for title, extra in (("Up to the first impact", ["duration=0.6"]),
                         ("Through the first impact, with friction", ["duration=0.66"]),
                         ("Frictionless, between the third and the fourth", ["duration=0.78"] + FREE),
                         ("Frictionless, over the first five", ["duration=0.82"] + FREE)):
        jobs = {f"{h:g}": extra + [f"integrator.step={h!r}", "engine.tolerance=1e-6",
                                   "output.every=0.01"]
                for h in steps + (reference,)}
        last = {}
        for name, path in run_all(jobs).items():
            with h5py.File(path) as f:
                # Angular velocity at half the box's width.
                last[float(name)] = (f["bodies/box/position"][-1],
                                     np.concatenate([f["bodies/box/velocity"][-1],
                                                     0.4 * f["bodies/box/angular_velocity"][-1]]),
                                     int((f["impacts/time"][:] > 0).sum()))
        p0, v0, impacts = last[reference]
        count = f"{impacts} impact" + "s" * (impacts != 1)
        print(f"{title} ({count}), against {reference * 1e6:g} µs:\n")
        print("| step [µs] | position error [m] | order | velocity error [m/s] | order |")
        print("| --- | --- | --- | --- | --- |")
        before = None
        for h in steps:
            e = np.linalg.norm(last[h][0] - p0), np.linalg.norm(last[h][1] - v0)
            orders = ["", ""] if before is None else [f"{math.log2(b / a):.2f}" if a > 0 else "–"
                                                      for a, b in zip(e, before)]
            print(f"| {h * 1e6:g} | {e[0]:.2e} | {orders[0]} | {e[1]:.2e} | {orders[1]} |")
            before = e
        print()


def study_rebounds():
    print("## Rebound after each of the first three impacts against 25 µs\n")
    jobs = {f"{h:g}": ["duration=0.8", f"integrator.step={h!r}", "output.every=0.0005"]
            for h in (25e-6, 125e-6, 250e-6, 500e-6)}
    curves = {}
    for name, path in run_all(jobs).items():
        with h5py.File(path) as f:
            curves[float(name)] = (f["time"][:], f["bodies/box/velocity"][:],
                                   f["bodies/box/angular_velocity"][:], f["impacts/time"][:])
    print("| step [µs] | first impacts [s] | largest velocity difference after impact 1, 2, 3"
          " [% of impact speed] |\n| --- | --- | --- |")
    t0, v0, w0, impacts0 = curves[25e-6]
    ends = [t + 0.02 for t in impacts0[:3]]
    for h, (t, v, w, impacts) in sorted(curves.items()):
        shares = []
        for end in ends:
            i = np.searchsorted(t, end)
            i0 = np.searchsorted(t0, end)
            shares.append(100 * np.linalg.norm(v[i] - v0[i0]) / np.linalg.norm(v0[i0 - 50]))
        print(f"| {h * 1e6:g} | {', '.join(f'{x:.4f}' for x in impacts[:3])} |"
              f" {', '.join(f'{s:.3f}' for s in shares)} |")
    print()


def study_spread():
    jobs = {}
    for h in (50e-6, 125e-6, 250e-6):
        for tolerance in (1e-3, 1e-4, 1e-5):
            jobs[f"{h:g} {tolerance:g}"] = [f"integrator.step={h!r}", f"engine.tolerance={tolerance!r}"]
    print("## Final position over steps and tolerances, with friction\n")
    print("| step [µs] | tolerance | x [µm] | y [mm] | z [mm] | rest time [s] |")
    print("| --- | --- | --- | --- | --- | --- |")
    seats = []
    for name, path in run_all(jobs).items():
        h, tolerance = map(float, name.split())
        with h5py.File(path) as f:
            p = f["bodies/box/position"][-1]
            seats.append(p)
            print(f"| {h * 1e6:g} | {tolerance:g} | {p[0] * 1e6:.3f} | {p[1] * 1e3:.3f} |"
                  f" {p[2] * 1e3:.3f} | {rest_time(f):.3f} |")
    spread = np.ptp(np.array(seats), axis=0)
    inside = bool((spread[1:] <= 2 * CLEARANCE).all())
    print(f"\nSpread in y {spread[1] * 1e3:.3f} mm, in z {spread[2] * 1e3:.3f} mm;"
          f" clearance {2e3 * CLEARANCE:g} mm side to side: {'within' if inside else 'OUTSIDE'}.\n")
    return inside


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=100, help="random starts")
    parser.add_argument("--only", choices=["starts", "rebounds", "convergence", "spread"])
    options = parser.parse_args()
    good = True
    if options.only in (None, "rebounds"):
        study_rebounds()
    if options.only in (None, "convergence"):
        study_convergence()
    if options.only in (None, "spread"):
        good &= study_spread()
    if options.only in (None, "starts"):
        good &= study_starts(options.runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
