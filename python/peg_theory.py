#!/usr/bin/python3
"""Pegs that have stopped, in the plane of force ratios, against the quasi-static theory of insertion
(D. E. Whitney, Quasi-static assembly of compliantly supported rigid parts, 1982).

What pushes a peg of radius r is a force F_x, F_z (positive into the hole) and a moment M about the
middle of its lower end. Touching the hole at two points, l apart along the axis, with friction μ, it
slides in only within |F_x/F_z| < 1/μ and |M/(r F_z) + μ (1 + λ) F_x/F_z| < λ, where λ = l/(2 r μ);
else it jams. Below λ = 1 it may wedge: then it holds itself, and no ratio of forces gets it in. The
theory takes small angles and rigid parts, the forces that keep the peg at rest balance those of its
walls; where soft walls give way by more than the clearance, pegs stick well inside of the region. The lower point is where the chamfer ends, the upper one the hole's edge.

A peg that fits tightly touches no points but arcs of its hole. Pressures whose resultant is N add up
to w N, w = (2 sin φ − 2 φ cos φ)/(φ − sin φ cos φ) for an arc of ±φ on an elastic wall: 1 where the
arc is short, 4/π where it is half of the circle. Friction takes all of them, so that an arc acts
like a point of friction w μ: the region of w = 4/π is the least in which such a peg must slide in.

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
CHAMFER = 0.5e-3     # its height at the tip [m]
LENGTH = 0.05        # from the sensor at its upper end to its tip [m]
ARC = 4 / np.pi      # the most by which an arc's friction exceeds a point's
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
    """The distance l of the two points, F_x/F_z, M/(r F_z) and the friction of the runs that ended
    with the peg stuck at rest."""
    y = batch.y
    names = [n for n in batch.all_x if n.endswith("mu_c")]
    missing = {"success", "depth", "side", "axial", "moment", "speed"} - set(y)
    if missing or not names:
        fail(f"the batch has no {', '.join(sorted(missing)) or 'sampled mu_c'}; run data/batches/peg_tight.yaml")
    mu = batch.all_x[names[0]][batch.ok]
    stuck = (y["success"] == 0) & (y["depth"] > CHAMFER) & (y["speed"] < RESTS) & (y["axial"] > 0)
    # What pushes the peg is the opposite of its walls' forces; M turns about −y, for z into the hole.
    fx, fz = -y["side"][stuck], y["axial"][stuck]
    moment = y["moment"][stuck] + (LENGTH - CHAMFER) * y["side"][stuck]
    return y["depth"][stuck] - CHAMFER, fx / fz, moment / (RADIUS * fz), mu[stuck]


def in_square(length, x, m, mu):
    """λ and the ratios scaled so that the region is the square [−1, 1]², whatever λ and μ."""
    lam = length / (2 * RADIUS * mu)
    return lam, mu * x, (m + mu * (1 + lam) * x) / lam


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("peg_theory.png"))
    options = parser.parse_args()
    batch = Batch(options.folder / "batch.h5")
    length, x, m, mu = ratios(batch)
    if not length.size:
        fail("no run of this batch ended with its peg stuck")
    lam, u, v = in_square(length, x, m, mu)
    outside = np.maximum(np.abs(u), np.abs(v))
    arcs = np.maximum(*np.abs(in_square(length, x, m, ARC * mu)[1:]))
    wedges = lam < 1
    jams = ~wedges & (outside >= 1 - SLACK)
    by_arcs = ~wedges & ~jams & (arcs >= 1 - SLACK)
    slides = ~wedges & ~jams & ~by_arcs
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8))
    typical = np.argsort(lam)[lam.size // 2]
    for w, shade, name in ((1, "#eef5f1", "slides in, on two points"), (ARC, "#cfe3d9", "slides in, on arcs too")):
        left.fill(*region(length[typical] / (2 * RADIUS * w * mu[typical]), w * mu[typical]).T, color=shade, label=name)
    dots = left.scatter(x, m, c=mu, s=18, cmap="viridis")
    fig.colorbar(dots, ax=left, label="friction μ")
    left.set_xlabel(r"$F_x/F_z$")
    left.set_ylabel(r"$M/(r F_z)$")
    left.set_title(f"stuck pegs, and the regions for λ = {lam[typical]:.1f}, μ = {mu[typical]:.2f}", fontsize=10)
    left.legend(fontsize=8)
    right.fill([-1, 1, 1, -1], [-1, -1, 1, 1], color="#eef5f1")
    for part, color, name in ((jams, AXIS_COLORS[2], "jammed, as the theory says"),
                              (by_arcs, AXIS_COLORS[1], "jammed, if it touches along arcs"),
                              (slides, AXIS_COLORS[0], "stuck where it says that they slide"),
                              (wedges, FAINT, "λ < 1: may be wedged")):
        right.scatter(u[part], v[part], s=18, color=color, label=f"{name} ({part.sum()})")
    right.set_xlabel(r"$\mu F_x/F_z$")
    right.set_ylabel(r"$(M/(r F_z) + \mu(1+\lambda) F_x/F_z)/\lambda$")
    right.set_title("each in the square of its own λ and μ", fontsize=10)
    right.legend(fontsize=8, loc="center")
    for axes in (left, right):
        axes.axhline(0, color=INK, linewidth=0.4)
        axes.axvline(0, color=INK, linewidth=0.4)
    fig.tight_layout()
    saved(fig, options.out.parent, options.out.stem)
    print(f"{lam.size} stuck pegs, {(~wedges).sum()} in the theory's domain (λ ≥ 1): {jams.sum()} lie where it says that "
          f"they jam, {by_arcs.sum()} where they jam on arcs, {slides.sum()} where they slide")
    if (~wedges).any():
        print(f"deepest inside: {max(0.0, 1 - outside[~wedges].min()):.3f} of the region's half width, "
              f"{max(0.0, 1 - arcs[~wedges].min()):.3f} of the arcs'")


if __name__ == "__main__":
    run(main)
