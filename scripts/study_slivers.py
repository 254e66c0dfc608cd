#!/usr/bin/env python3
"""Whether the bounds of a volume hold for slivers: thin, long, almost aligned and barely touching solids.

Usage: scripts/study_slivers.py [--seed N] [--minutes M] [--intervox build/release/bin/intervox]
Pairs of the kinds of study_error_estimates.py with sizes from 1e-3 to 1e3 m that differ by up to 100 times in a solid
and 10 times between two, turned by any angle or by 1e-8 to 0.1, are moved along a line to where they begin to overlap
and on by 1e-5 to a half of their least thickness. volume_bounds at three tolerances are compared with what `metrics
--certify` proves, and with V at 1e-8 where that tolerance is met. Prints each that fails, and a table; ends with 1 where
one does.
"""

import argparse
import pathlib
import sys
import tempfile
import time

import numpy as np

from study_certify import enclosures
from study_error_estimates import TOLERANCES, Program

POSES = 6


class Solids:
    """Random solids as scenes write them, each with its least thickness and its reach."""

    def __init__(self, rng):
        self.rng = rng

    def log(self, low, high):
        return 10 ** self.rng.uniform(np.log10(low), np.log10(high))

    def any(self, size):
        a, b, c = (size * self.log(0.1, 10) for _ in range(3))
        r = a * self.rng.uniform(0.05, 0.9)
        hole = min(a, b) * self.rng.uniform(0.1, 0.45)
        least = min(a, b, c)
        rounded = least * self.rng.uniform(0.05, 0.45)
        box = f"{{box: {{size: [{a}, {b}, {c}]}}}}"
        return [
            (f"{{sphere: {{radius: {a}}}}}", a, 2 * a),
            (f"{{ellipsoid: {{radii: [{a}, {b}, {c}]}}}}", least, 2 * (a + b + c)),
            (f"{{cylinder: {{radius: {a}, height: {b}}}}}", min(a, b), 2 * a + b),
            (f"{{cone: {{radius_bottom: {a}, radius_top: {r}, height: {b}}}}}", min(r, b), 2 * a + b),
            (f"{{cone: {{radius_bottom: {a}, radius_top: 0, height: {b}}}}}", min(a, b), 2 * a + b),
            (f"{{capsule: {{radius: {a}, length: {b}}}}}", a, 2 * a + b),
            (box, least, a + b + c),
            (f"{{prism: {{sides: {self.rng.integers(3, 9)}, radius: {a}, height: {b}}}}}", min(a, b), 2 * a + b),
            (f"{{torus: {{major_radius: {a}, minor_radius: {r}}}}}", r, 2 * (a + r)),
            (f"{{difference: [{box}, {{cylinder: {{radius: {hole}, height: {4 * c}}}}}]}}", least / 10, a + b + c),
            (f"{{difference: [{{cylinder: {{radius: {a}, height: {b}}}}}, "
             f"{{cylinder: {{radius: {r}, height: {4 * b}}}}}]}}", min(a - r, b), 2 * a + b),
            (f"{{rounded_box: {{size: [{a}, {b}, {c}], radius: {rounded}}}}}", least, a + b + c),
            (f"{{half_space: {{normal: [0, 0, 1], offset: {0.05 * size}}}}}", np.inf, 0.1 * size),
        ][self.rng.integers(13)]


def grazing(program, pair, solids, a, b):
    """Poses of a at which it has just begun to overlap b."""
    rng = solids.rng
    turns = rng.normal(size=(POSES, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    if rng.random() < 0.3:
        turns[:, 1:] *= 10 ** rng.uniform(-8, -1, (POSES, 1))
        turns /= np.linalg.norm(turns, axis=1)[:, None]
    way = rng.normal(size=(POSES, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    reach = a[2] + b[2]
    aside = rng.uniform(-0.5, 0.5, (POSES, 3)) * min(a[2], b[2]) * rng.uniform(0, 1)

    def at(s):
        return np.hstack([aside + s[:, None] * way, turns])

    def overlap(s):
        return program.columns("overlaps", pair, at(s))["overlaps"] == 1

    apart, touching = np.full(POSES, reach), np.full(POSES, -1.0)
    for s in np.linspace(reach, 0, 25)[1:]:
        new = overlap(np.full(POSES, s)) & (touching < 0)
        touching[new] = s
        apart[touching < 0] = s
    found = touching >= 0
    for _ in range(30):
        middle = 0.5 * (apart + touching)
        inside = overlap(middle)
        touching, apart = np.where(inside, middle, touching), np.where(inside, apart, middle)
    depth = min(a[1], b[1]) * 10 ** rng.uniform(-5, -0.3, POSES)
    return at(touching - depth)[found]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--intervox", default="build/release/bin/intervox")
    options = parser.parse_args()
    solids = Solids(np.random.default_rng(options.seed))
    start, count = time.monotonic(), 0
    beyond = {t: 0 for t in TOLERANCES}
    widths = {t: [] for t in TOLERANCES}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.intervox, folder)
        pair = pathlib.Path(folder) / "pair.yaml"
        while time.monotonic() - start < 60 * options.minutes:
            size = solids.log(1e-3, 1e3)
            a, b = solids.any(size), solids.any(size * solids.log(0.1, 1))
            if "half_space" in a[0]:
                a, b = b, a
            if "half_space" in a[0]:
                continue
            pair.write_text(f"schema: intervox/pairs/1\npairs:\n  - {{a: {a[0]}, b: {b[0]}}}\n")
            poses = grazing(program, pair, solids, a, b)
            if len(poses) == 0:
                continue
            proved = np.array([row["volume_enclosure"] or [0, 0]
                               for row in enclosures(program, a[0], b[0], poses, 1e-5)], dtype=float)
            exact = program.columns("metrics", pair, poses, "--tolerance", "1e-8")
            met = exact["status"] == 0
            count += len(poses)
            for t in TOLERANCES:
                got = program.columns("metrics", pair, poses, "--tolerance", str(t))
                low, high = got["volume_bounds"].T
                known = np.where(met[:, None], exact["volume_bounds"], [0, np.inf])
                bad = (high < proved[:, 0]) | (low > proved[:, 1]) | (high < known[:, 0]) | (low > known[:, 1])
                beyond[t] += bad.sum()
                good = got["status"] == 0
                widths[t].extend(0.5 * (high - low)[good] / got["volume"][good] / t)
                for k in np.flatnonzero(bad):
                    print(f"{a[0]} and {b[0]}, tolerance {t:g}: [{low[k]:.9g}, {high[k]:.9g}], proved "
                          f"{proved[k].tolist()}, at {poses[k].tolist()}", file=sys.stderr)
    print("| tolerance | pairs | bounds exceeded | half the width over tolerance V, median | 99 % |")
    print("| --- | --- | --- | --- | --- |")
    for t in TOLERANCES:
        median, most = np.quantile(widths[t], [0.5, 0.99])
        print(f"| {t:g} | {count} | {beyond[t]} | {median:.2g} | {most:.2g} |")
    return 1 if any(beyond.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
