#!/usr/bin/env python3
"""How often an enclosure of a volume misses it, how narrow it is, and how long it takes.

Usage: scripts/study_certify.py [COUNT] [--seed N] [--tolerance 1e-4] [--intervox build/release/bin/intervox]
       [--minutes M] [--grids H] [-o PAGE.md]
All pairs of the solids of study_error_estimates.py, at random poses in which they overlap, COUNT pairs in all (default
20000). The volume to 1e-6, and to 1e-9 where that does not decide, must lie inside but for its own error. With --grids
one solid of each pair at least is a grid of voxels of H metres; the volume is then that of the rule `voxel` to a tenth and
a hundredth of the tolerance, and ten times its error are allowed, which is an estimate where fields have kinks. Prints a
table; ends with 1 where one does not, or where less than 95 % are certified.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

from study_error_estimates import SOLIDS, Program, overlapping, with_grids

ROUNDING = 1e-13


def enclosures(program, a, b, poses, tolerance):
    """One row of `metrics --certify --json` for each pose of a, that of b staying where it is; a and b as scenes write
    them."""
    path = program.folder / "pairs.yaml"
    lines = ["schema: intervox/pairs/1", "shapes:", f"  a: {a}", f"  b: {b}", "pairs:"]
    for n, x in enumerate(poses.tolist()):
        lines.append(f"  - {{name: p{n}, a: a, b: b, pose_a: {{position: {x[:3]}, quaternion: {x[3:]}}}}}")
    path.write_text("\n".join(lines) + "\n")
    done = subprocess.run([program.path, "metrics", str(path), "--certify", "--json", "--threads", "1", "--tolerance",
                           str(tolerance)], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def outside(bounds, V, error):
    return (V + error + ROUNDING * V < bounds[:, 0]) | (V - error - ROUNDING * V > bounds[:, 1])


def undecided(bounds, V, error):
    return ~((V - error >= bounds[:, 0]) & (V + error <= bounds[:, 1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=1e-4)
    parser.add_argument("--intervox", default="build/release/bin/intervox")
    parser.add_argument("--minutes", type=float, default=600, help="start no other pair of solids after that")
    parser.add_argument("--grids", type=float, metavar="H", help="pairs with a grid of voxels of H metres")
    parser.add_argument("-o", "--out", help="a page to write the table to")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    solids, references, errors = SOLIDS, ("1e-6", "1e-9"), 1
    kinds = [p for p in itertools.combinations_with_replacement(SOLIDS, 2) if p != ("half-space", "half-space")]
    if options.grids:
        solids, kinds = with_grids(options.grids)
        references, errors = [str(share * options.tolerance) for share in (0.1, 0.01)], 10
    rng.shuffle(kinds)
    each = -(-options.count // len(kinds))
    start, misses, rows = time.monotonic(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.intervox, folder)
        pair = pathlib.Path(folder) / "pair.yaml"
        for done, (a, b) in enumerate(kinds):
            if time.monotonic() - start > 60 * options.minutes:
                print(f"stopped after {done} of {len(kinds)} kinds of pairs", file=sys.stderr)
                break
            pair.write_text(f"schema: intervox/pairs/1\npairs:\n  - {{a: {solids[a]}, b: {solids[b]}}}\n")
            poses = overlapping(program, pair, rng, each)
            found = enclosures(program, solids[a], solids[b], poses, options.tolerance)
            bounds = np.array([row["volume_enclosure"] for row in found])
            V, error = np.empty(each), np.empty(each)
            left = np.arange(each)
            for tolerance in references:
                got = program.columns("metrics", pair, poses[left], "--tolerance", tolerance)
                V[left], error[left] = got["volume"], errors * got["volume_error"]
                left = left[undecided(bounds[left], V[left], error[left])]
                if not len(left):
                    break
            for n in np.flatnonzero(outside(bounds, V, error)):
                misses += 1
                print(f"{a} and {b}: V {V[n]:.17g} ± {error[n]:.2g} not in {bounds[n].tolist()}, at {poses[n].tolist()}",
                      file=sys.stderr)
            for row, (lower, upper) in zip(found, bounds):
                half = 0.5 * (upper - lower) / lower if lower > 0 else np.inf
                rows.append((row["enclosure_status"] == "ok", half, row["seconds"], f"{a} and {b}"))
    met = np.array([row[0] for row in rows])
    seconds = np.array([row[2] for row in rows])
    slow = sorted({row[3] for row in rows if not row[0]}, key=lambda kind: -sum(row[3] == kind for row in rows if not row[0]))
    lines = ["| tolerance | pairs | misses | certified | median time | 95 % within | longest | not certified, most often |",
             "| --- | --- | --- | --- | --- | --- | --- | --- |",
             f"| {options.tolerance:g} | {len(rows)} | {misses} | {100 * met.mean():.1f} % | {1e3 * np.median(seconds):.0f} ms | "
             f"{1e3 * np.quantile(seconds, 0.95):.0f} ms | {seconds.max():.1f} s | {'; '.join(slow[:3]) or 'none'} |"]
    print("\n".join(lines))
    if options.out:
        pathlib.Path(options.out).write_text("\n".join(lines) + "\n")
    return 1 if misses or met.mean() < 0.95 else 0


if __name__ == "__main__":
    sys.exit(main())
