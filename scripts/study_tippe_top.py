#!/usr/bin/python3
"""The tippe-top with lumped, scaled and distributed friction side by side, at 180 and 200 rad/s.

    scripts/study_tippe_top.py [--intervox PROGRAM] [--results DIR] [--keep DIR] [--figure PNG]

Runs data/scenes/tippe_top.yaml at both spins (a minute each), prints the table of docs/study_tippe_top.md, and draws the tilts. With
--results it reads top_180.h5 and top_200.h5 of earlier runs from there instead; --keep is where runs are put."""
import argparse
import math
import pathlib
import subprocess
import tempfile

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAWS = ("lumped", "scaled", "distributed")
SPINS = (180, 200)  # [rad/s]
TILT = 0.1  # [rad], at the start
DURATION = 8  # [s]


def run(program, spin, out):
    """Runs the scene at a spin about the tops' axes."""
    w = f"[{spin * math.sin(TILT):.8f},0,{spin * math.cos(TILT):.8f}]"
    edits = [edit for law in LAWS for edit in ("--set", f"bodies.{law}.velocity.angular={w}")]
    scene = ROOT / "data" / "scenes" / "tippe_top.yaml"
    subprocess.run([program, "run", scene, "-o", out, "--set", f"duration={DURATION}", *edits], check=True,
                   stdout=subprocess.DEVNULL)


def tilts(path, law):
    """Times [s] and the angle between a top's axis and the vertical [deg]."""
    with h5py.File(path) as file:
        q = file[f"bodies/{law}/orientation"][()]  # w x y z
        axis_z = 1 - 2 * (q[:, 1] ** 2 + q[:, 2] ** 2)
        return file["time"][()], np.degrees(np.arccos(np.clip(axis_z, -1, 1)))


def first(t, condition):
    """The first time at which a condition holds; nan: never."""
    return t[np.argmax(condition)] if condition.any() else math.nan


def row(path, law, spin):
    """What the source reports, of one top."""
    t, tilt = tilts(path, law)
    early = t <= 0.5
    dip = np.argmin(tilt[early])
    up = first(t, tilt > 90)
    over = first(t, tilt > 170)
    falls = first(t, (tilt < 150) & (t > over)) if over == over else math.nan
    text = lambda x: "–" if math.isnan(x) else f"{x:.2f}"
    return (f"| {law} | {spin} | {tilt[early][dip]:.2f} at {t[early][dip]:.3f} | {text(up)} | {text(over)} | {tilt.max():.1f} | "
            f"{text(falls)} |")


def draw(files, path):
    """Tilt over time, a panel for each spin."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, panels = plt.subplots(1, len(SPINS), figsize=(9, 3.2), sharey=True, constrained_layout=True)
    for panel, spin in zip(panels, SPINS):
        for law, style in zip(LAWS, ("-", "--", "-.")):
            t, tilt = tilts(files[spin], law)
            panel.plot(t[::5], tilt[::5], style, label=law, linewidth=1.2)
        panel.set_title(f"spin {spin} rad/s")
        panel.set_xlabel("time [s]")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("tilt of the axis [°]")
    panels[0].legend()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intervox", default=ROOT / "build" / "release" / "bin" / "intervox", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--figure", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.results or options.keep or pathlib.Path(scratch)
        files = {spin: folder / f"top_{spin}.h5" for spin in SPINS}
        if options.results is None:
            for spin, path in files.items():
                run(options.intervox, spin, path)
        print("| friction | spin [rad/s] | least tilt by 0.5 s [°] at [s] | past 90° [s] | past 170° [s] | largest tilt [°] | "
              "back below 150° [s] |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for spin, path in files.items():
            for law in LAWS:
                print(row(path, law, spin))
        if options.figure:
            draw(files, options.figure)


if __name__ == "__main__":
    main()
