#!/usr/bin/python3
"""Draws the figure of docs/quasistatic.md: the force of inserting the shipped peg and the Morse taper.

    scripts/insertion_figure.py [--intervox PROGRAM] [--figure PNG]

Runs `intervox insertion-force` on data/scenes/peg_insertion.yaml and, in and out again, on data/scenes/validation/morse_taper.yaml, and
draws the wedge's N (μ cos α ± sin α) beside the latter. Prints the largest difference from it, in shares of N, and exits with 1 where
that is above 1e-4. Takes some seconds."""
import argparse
import csv
import math
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))
import matplotlib.pyplot as plt  # noqa: E402
import plots  # noqa: E402, F401 (the style of figures)

SCENES = ROOT / "data" / "scenes"
FRICTIONS = (0.01, 0.1, 0.2)
WAY = 2e-4  # of the taper [m]


def push(program, scene, body, along, depth, points, edits=()):
    """The columns of `intervox insertion-force`, by name."""
    command = [program, "insertion-force", SCENES / scene, "--body", body, f"--along={along}", "--depth", str(depth), "--points",
               str(points)]
    for edit in edits:
        command += ["--set", edit]
    rows = list(csv.reader(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()))
    return dict(zip(rows[0], np.array(rows[1:], float).T))


def wedge(way, mu, sign):
    """What resists pushing a taper No. 2 in (sign 1) or pulling it out (-1), and its normal forces, at a way into its socket [N]."""
    stiffness, length, radius, slope = 1e11, 0.0512, 0.00889, 0.5 / 20.02
    normal = stiffness * math.pi * slope * way * length * (2 * radius - slope * way)
    alpha = math.atan(slope)
    return normal * (mu * math.cos(alpha) + sign * math.sin(alpha)), normal


def draw_peg(axes, program):
    run = push(program, "peg_insertion.yaml", "peg", "0,0,-1", 0.012, 240)
    depth = 1e3 * run["depth [m]"]
    axes.plot(depth, run["push [N]"], label="along the path")
    axes.plot(depth, run["across [N]"], label="across it")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_title("Peg, in its gripper")
    axes.set_xlabel("commanded depth [mm]")
    axes.set_ylabel("force of the hole on the peg [N]")
    axes.legend()


def draw_taper(axes, program):
    """Draws pushes and pulls; returns the largest difference from the wedge's over the normal force."""
    worst = 0.0
    for k, mu in enumerate(FRICTIONS):
        friction = [f"contact_models.default.friction.{name}={mu}" for name in ("mu_s", "mu_c")]
        for sign, along, start in ((1, "0,0,-1", 0.0), (-1, "0,0,1", WAY)):
            run = push(program, "validation/morse_taper.yaml", "taper", along, 0.95 * WAY, 10,
                       friction + [f"bodies.taper.pose.position=[0,0,{-start}]"])
            way = start + sign * run["position [m]"]
            expected, normal = wedge(way, mu, sign)
            worst = max(worst, np.max(np.abs(run["push [N]"] - expected) / normal))
            marker, fill, name = ("o", "full", "in") if sign > 0 else ("s", "none", "out")
            axes.plot(1e6 * way, run["push [N]"], marker, color=f"C{k}", markersize=4, fillstyle=fill, label=f"μ {mu}, {name}")
            line = np.linspace(0, WAY, 50)
            axes.plot(1e6 * line, wedge(line, mu, sign)[0], color=f"C{k}", linewidth=0.8)
    axes.set_title("Morse taper No. 2 (lines: the wedge's statics)")
    axes.set_xlabel("way into the socket [µm]")
    axes.set_ylabel("resistance along the path [N]")
    axes.legend(ncol=3, fontsize=8)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intervox", default=ROOT / "build" / "release" / "bin" / "intervox", type=pathlib.Path)
    parser.add_argument("--figure", default=ROOT / "docs" / "images" / "insertion_force.png", type=pathlib.Path)
    options = parser.parse_args()
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), constrained_layout=True)
    draw_peg(axes[0], options.intervox)
    worst = draw_taper(axes[1], options.intervox)
    figure.savefig(options.figure, dpi=110)
    print(f"taper: {worst:.1e} of the normal force from the wedge's")
    sys.exit(1 if worst > 1e-4 else 0)


if __name__ == "__main__":
    main()
