#!/usr/bin/env python3
"""How often the engine's estimate of a volume's error is exceeded, over random overlapping pairs.

Usage: scripts/study_error_estimates.py [COUNT] [--seed N] [--intervox build/release/bin/intervox] [--minutes M]
       [--grids H [--rules]] [--aspect A] [-o PAGE.md]
All pairs of the solids below, at random poses in which they overlap, COUNT pairs in all (default 20000), are
measured to each tolerance and to the reference's. An estimate is exceeded where the volume is farther from the
reference than volume_error, the reference's own and rounding (1e-13) together; bounds are exceeded where the reference
with its error lies outside of volume_bounds. Prints a table; ends with 1 where more than one estimate in a thousand or
any bound is exceeded at some tolerance. With --grids one solid of each pair at least is a grid of voxels of H metres,
measured by the rule `voxel`: to other tolerances, and where bounds are four estimates, of which as few may be exceeded
as of estimates. With --rules both are grids, measured by the rules `fraction` and `clip`, which know no tolerance, against
`voxel`. With --aspect the solids are needles and plates, 0.5 m thick and A times as long or wide. Thin, long and barely
touching formulas: study_slivers.py.
"""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SOLIDS = {
    "ball": "{sphere: {radius: 0.3}}",
    "ellipsoid": "{ellipsoid: {radii: [0.5, 0.4, 0.3]}}",
    "cylinder": "{cylinder: {radius: 0.3, height: 0.8}}",
    "cone": "{cone: {radius_bottom: 0.4, radius_top: 0.1, height: 0.7}}",
    "tip": "{cone: {radius_bottom: 0.4, radius_top: 0, height: 0.7}}",
    "capsule": "{capsule: {radius: 0.2, length: 0.4}}",
    "box": "{box: {size: [0.5, 0.6, 0.7]}}",
    "prism": "{prism: {sides: 6, radius: 0.4, height: 0.5}}",
    "half-space": "{half_space: {normal: [0, 0, 1], offset: 0.05}}",
    "torus": "{torus: {major_radius: 0.4, minor_radius: 0.15}}",
    "holed box": "{difference: [{box: {size: [1, 1, 0.5]}}, {cylinder: {radius: 0.25, height: 2}}]}",
    "tube": "{difference: [{cylinder: {radius: 0.4, height: 0.6}}, {cylinder: {radius: 0.3, height: 2}}]}",
    "rounded box": "{rounded_box: {size: [0.6, 0.5, 0.4], radius: 0.1}}",
    "saddle": "{intersection: [{quadric: {coefficients: [2, -1, 0, 0, 0, 0, 0, 0, -0.4, 0]}}, "
              "{box: {size: [0.7, 0.6, 0.5]}}]}",
}
TOLERANCES = (1e-3, 1e-4, 1e-6)
REFERENCE = 1e-8
GRID_TOLERANCES = (1e-2, 1e-3, 1e-4)
GRID_REFERENCE = 1e-5
RULES = ("fraction", "clip")
REACH = 0.6


def elongated(aspect):
    """Needles and plates, half a metre thick."""
    far, half = 0.5 * aspect, 0.25 * aspect
    return {
        "needle": f"{{ellipsoid: {{radii: [0.25, 0.25, {half}]}}}}",
        "lens": f"{{ellipsoid: {{radii: [{half}, {half}, 0.25]}}}}",
        "rod": f"{{cylinder: {{radius: 0.25, height: {far}}}}}",
        "disc": f"{{cylinder: {{radius: {half}, height: 0.5}}}}",
        "spike": f"{{cone: {{radius_bottom: 0.25, radius_top: 0, height: {far}}}}}",
        "flat cone": f"{{cone: {{radius_bottom: {half}, radius_top: 0, height: 0.5}}}}",
        "capsule": f"{{capsule: {{radius: 0.25, length: {far}}}}}",
        "bar": f"{{box: {{size: [0.5, 0.6, {far}]}}}}",
        "plate": f"{{box: {{size: [{far}, {0.8 * far}, 0.5]}}}}",
        "hoop": f"{{torus: {{major_radius: {half}, minor_radius: 0.25}}}}",
        "pipe": f"{{difference: [{{cylinder: {{radius: 0.6, height: {far}}}}}, "
                f"{{cylinder: {{radius: 0.3, height: {2 * far}}}}}]}}",
        "washer": f"{{difference: [{{cylinder: {{radius: {half}, height: 0.5}}}}, "
                  f"{{cylinder: {{radius: {0.4 * half}, height: 2}}}}]}}",
    }


def with_grids(h, formulas=SOLIDS):
    """All solids, those that are bounded as grids as well, and the pairs that have a grid."""
    grids = {f"grid of a {name}": f"{{grid: {{of: {text}, voxel_size: {h}}}}}"
             for name, text in formulas.items() if name != "half-space"}
    kinds = list(itertools.product(grids, formulas)) + list(itertools.combinations_with_replacement(grids, 2))
    return {**formulas, **grids}, kinds


def random_poses(rng, count, spread=None):
    """Poses in which small solids overlap often; of long ones at places up to `spread` apart, most of them near."""
    quaternions = rng.normal(size=(count, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    p = rng.uniform(-REACH, REACH, (count, 3))
    if spread:
        p *= (spread / REACH) ** rng.uniform(0, 1, (count, 1))
    return np.hstack([p, quaternions])


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)

    def columns(self, command, pair, poses, *options):
        given, out = self.folder / "poses.npy", self.folder / "out.npz"
        np.save(given, poses)
        done = subprocess.run([self.path, command, str(pair), "--poses", str(given), "-o", str(out), "--threads",
                               "1", *options], capture_output=True, text=True)
        if done.returncode not in (0, 1):  # 1: some pose missed its tolerance, which its row says
            sys.exit(done.stderr)
        return dict(np.load(out))


def overlapping(program, pair, rng, count, spread=None):
    """So many poses in which the pair overlaps."""
    found = np.empty((0, 7))
    tried = 4 * count
    while len(found) < count:
        poses = random_poses(rng, tried, spread)
        if spread:
            tried = min(4 * tried, 100000)
        found = np.vstack([found, poses[program.columns("overlaps", pair, poses)["overlaps"] == 1]])
    return found[:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--intervox", default="build/release/bin/intervox")
    parser.add_argument("-o", "--out", help="a page to write the table to")
    parser.add_argument("--minutes", type=float, default=600, help="start no other pair of solids after that")
    parser.add_argument("--grids", type=float, metavar="H", help="pairs with a grid of voxels of H metres")
    parser.add_argument("--rules", action="store_true", help="by fraction and clip, of two grids")
    parser.add_argument("--aspect", type=float, metavar="A", help="needles and plates of that aspect")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    solids = elongated(options.aspect) if options.aspect else SOLIDS
    tolerances, reference, most_beyond = TOLERANCES, REFERENCE, 0
    kinds = [p for p in itertools.combinations_with_replacement(solids, 2) if p != ("half-space", "half-space")]
    if options.grids:
        solids, kinds = with_grids(options.grids, solids)
        tolerances, reference, most_beyond = GRID_TOLERANCES, GRID_REFERENCE, 1e-3
        if options.rules:
            tolerances, kinds = RULES, [pair for pair in kinds if all(name.startswith("grid of") for name in pair)]
    rng.shuffle(kinds)
    each = -(-options.count // len(kinds))
    count, start = 0, time.monotonic()
    exceeded = {t: 0 for t in tolerances}
    beyond = {t: 0 for t in tolerances}
    missed = {t: 0 for t in tolerances}
    wrong = {t: 0 for t in tolerances}
    worst = {t: (0.0, "") for t in tolerances}
    ratios = {t: [] for t in tolerances}
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.intervox, folder)
        pair = pathlib.Path(folder) / "pair.yaml"
        for done, (a, b) in enumerate(kinds):
            if time.monotonic() - start > 60 * options.minutes:
                print(f"stopped after {done} of {len(kinds)} kinds of pairs", file=sys.stderr)
                break
            pair.write_text(f"schema: intervox/pairs/1\npairs:\n  - {{a: {solids[a]}, b: {solids[b]}}}\n")
            poses = overlapping(program, pair, rng, each, options.aspect and 0.25 * options.aspect)
            exact = program.columns("metrics", pair, poses, "--tolerance", str(reference))
            V = exact["volume"]
            count += len(poses)
            for t in tolerances:
                got = program.columns("metrics", pair, poses, "--leaf-rule" if t in RULES else "--tolerance", str(t))
                error = np.abs(got["volume"] - V)
                allowed = got["volume_error"] + exact["volume_error"] + 1e-13 * V
                bad = error > allowed
                exceeded[t] += bad.sum()
                low, high = got["volume_bounds"].T
                room = exact["volume_error"] + 1e-13 * V
                beyond[t] += ((V + room < low) | (V - room > high)).sum()
                missed[t] += (got["status"] == 2).sum()
                if t not in RULES:
                    wrong[t] += (error > t * V + exact["volume_error"] + 1e-13 * V).sum()
                real = error > 1e-13 * V
                ratios[t].extend(got["volume_error"][real] / error[real])
                if bad.any():
                    ratio = np.where(bad, error / allowed, 0)
                    k = ratio.argmax()
                    print(f"{a} and {b}, {t}: {bad.sum()} exceeded; error {error[k]:.3g} of V {V[k]:.3g}, "
                          f"allowed {allowed[k]:.3g}, at {poses[k].tolist()}", file=sys.stderr)
                    if ratio[k] > worst[t][0]:
                        worst[t] = (ratio[k], f"{a} and {b}")
    lines = ["| tolerance | pairs | estimate exceeded | bounds exceeded | worst, in estimates "
             "| error above the tolerance | says that it missed | median of estimate over error |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for t in tolerances:
        where = f"{worst[t][0]:.2g} ({worst[t][1]})" if worst[t][0] else "none"
        lines.append(f"| {t} | {count} | {exceeded[t]} | {beyond[t]} | {where} | {wrong[t]} | {missed[t]} "
                     f"| {np.median(ratios[t]):.2g} |")
    print("\n".join(lines))
    if options.out:
        pathlib.Path(options.out).write_text("\n".join(lines) + "\n")
    too_many = any(n > count / 1000 for n in exceeded.values())
    return 1 if too_many or any(n > most_beyond * count for n in beyond.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
