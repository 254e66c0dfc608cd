#!/usr/bin/python3
"""Pegs that have stopped, in the plane of force ratios, against the quasi-static theory of insertion
(D. E. Whitney, Quasi-static assembly of compliantly supported rigid parts, 1982).

What pushes a peg of radius r is a force F_x, F_z (positive into the hole) and a moment M about its
tip. Touching the hole at two points, l deep, with friction μ, it slides in only within
|F_x/F_z| < 1/μ and |M/(r F_z) + μ (1 + λ) F_x/F_z| < λ, where λ = l/(2 r μ); else it jams. Below
λ = 1 it may wedge: then it holds itself, and no ratio of forces gets it in. The theory takes small
angles and rigid parts, the forces that keep the peg at rest balance those of its walls.

Usage: peg_theory.py FOLDER [-o PICTURE.png]; FOLDER holds the batch.h5 of data/batches/peg_tight.yaml
or peg_loose.yaml."""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from batch_table import Batch
from plots import saved
from results import AXIS_COLORS, FAINT, INK, fail, run

RADIUS = 3.9975e-3   # of the peg [m]
LENGTH = 0.05        # from the sensor at its upper end to its tip [m]
RESTS = 1e-4         # slower than this it stands [m/s]
SLACK = 0.02         # of λ: what is nearer to the border is on it


def region(lam, mu):
    """Corners of the region in which a peg slides in, with two points of contact."""
    corners = []
    for side in (1 / mu, -1 / mu):
        middle = -mu * (1 + lam) * side
        ends = [(side, middle - lam), (side, middle + lam)]
        corners += ends if side > 0 else ends[::-1]
    return np.array(corners)


def ratios(batch):
    """λ, F_x/F_z, M/(r F_z) and the friction of the runs that ended with the peg stuck at rest."""
    y = batch.y
    names = [n for n in batch.all_x if n.endswith("mu_c")]
    missing = {"success", "depth", "side", "axial", "moment", "speed"} - set(y)
    if missing or not names:
        fail(f"the batch has no {', '.join(sorted(missing)) or 'sampled mu_c'}; run data/batches/peg_tight.yaml")
    mu = batch.all_x[names[0]][batch.ok]
    stuck = (y["success"] == 0) & (y["depth"] > 0) & (y["speed"] < RESTS) & (y["axial"] > 0)
    # What pushes the peg is the opposite of its walls' forces; M turns about −y, for z into the hole.
    fx, fz = -y["side"][stuck], y["axial"][stuck]
    moment = y["moment"][stuck] + LENGTH * y["side"][stuck]
    lam = y["depth"][stuck] / (2 * RADIUS * mu[stuck])
    return lam, fx / fz, moment / (RADIUS * fz), mu[stuck]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("peg_theory.png"))
    options = parser.parse_args()
    batch = Batch(options.folder / "batch.h5")
    lam, x, m, mu = ratios(batch)
    if not lam.size:
        fail("no run of this batch ended with its peg stuck")
    # Scaled so that the region is the square [−1, 1]², whatever λ and μ.
    u, v = mu * x, (m + mu * (1 + lam) * x) / lam
    outside = np.maximum(np.abs(u), np.abs(v))
    jams = outside >= 1 - SLACK
    wedges = lam < 1
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8))
    typical = np.argsort(lam)[lam.size // 2]
    left.fill(*region(lam[typical], mu[typical]).T, color="#dbe9e3", label="slides in")
    left.scatter(x, m, c=lam, s=18, cmap="viridis")
    left.set_xlabel(r"$F_x/F_z$")
    left.set_ylabel(r"$M/(r F_z)$")
    left.set_title(f"stuck pegs, and the region for λ = {lam[typical]:.1f}, μ = {mu[typical]:.2f}")
    left.legend()
    right.fill([-1, 1, 1, -1], [-1, -1, 1, 1], color="#dbe9e3")
    for part, color, name in ((jams & ~wedges, AXIS_COLORS[2], "jammed, as the theory says"),
                              (~jams & ~wedges, AXIS_COLORS[0], "stuck where it says that they slide"),
                              (wedges, FAINT, "λ < 1: may be wedged")):
        right.scatter(u[part], v[part], s=18, color=color, label=f"{name} ({part.sum()})")
    right.set_xlabel(r"$\mu F_x/F_z$")
    right.set_ylabel(r"$(M/(r F_z) + \mu(1+\lambda) F_x/F_z)/\lambda$")
    right.set_title("each in the square of its own λ and μ")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.axhline(0, color=INK, linewidth=0.4)
        axes.axvline(0, color=INK, linewidth=0.4)
    fig.tight_layout()
    saved(fig, options.out.parent, options.out.stem)
    domain = ~wedges
    print(f"{lam.size} stuck pegs, {domain.sum()} in the theory's domain (λ ≥ 1); of these {(jams & domain).sum()} "
          "lie where it says that they jam")
    if domain.any():
        print(f"deepest inside: {max(0.0, 1 - outside[domain].min()):.3f} of the region's half width")


if __name__ == "__main__":
    run(main)
