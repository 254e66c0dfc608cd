#!/usr/bin/env python3
"""How often the engine's estimate of a volume's error is exceeded by thin, long and flat ellipsoids.

Usage: scripts/study_extreme_ellipsoids.py [COUNT] [--seed N] [--aspect A] [--least-depth S] [--intervox build/release/bin/intervox]
COUNT ellipsoids (default 4000) whose radii differ by up to A times (100), in turn against such an ellipsoid, a ball of
that range of radii and a half-space, in random directions. They touch, and move on by S (1e-4) to 1 of the smaller one's
thickness along the normal, evenly in its logarithm. Each is measured to five tolerances and to 1e-8. An estimate is exceeded where
the volume is farther from the reference than volume_error, the reference's own and rounding (1e-13) together; bounds where the
reference with its error lies outside of volume_bounds. What is exceeded counts where it is so against the rule `column` at 1e-9, too,
unless that meets no tolerance. Prints a table; ends with 1 where more than one estimate in a thousand is exceeded, or as many bounds.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
REFERENCE, CHECK = 1e-8, 1e-9
LARGEST = 0.5  # radius [m]


def rotation(rng):
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                  [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                  [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return [w, x, y, z], R


def support(R, radii, n):
    """The farthest point of an ellipsoid along n, from its centre, and how far that is."""
    S = R @ np.diag(np.square(radii)) @ R.T
    reach = np.sqrt(n @ S @ n)
    return S @ n / reach, reach


def random_pair(rng, kind, aspect, least_depth):
    """A line of a pairs file."""
    def radius():
        return LARGEST * aspect ** -rng.uniform()
    quaternion, R = rotation(rng)
    radii = [LARGEST, radius(), radius()]
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    point, reach = support(R, radii, n)
    other, pose, thickness = f"{{half_space: {{normal: {(-n).tolist()}, offset: 0}}}}", "", 2 * reach
    position = -point
    if kind != "half-space":
        quaternion_b, R_b = rotation(rng)
        radii_b = [LARGEST, radius(), radius()] if kind == "ellipsoid" else [radius()] * 3
        point_b, reach_b = support(R_b, radii_b, -n)
        position = point_b - point
        thickness = 2 * min(reach, reach_b)
        other = f"{{ellipsoid: {{radii: {radii_b}}}}}" if kind == "ellipsoid" else f"{{sphere: {{radius: {radii_b[0]}}}}}"
        pose = f", pose_b: {{position: [0, 0, 0], quaternion: {[float(x) for x in quaternion_b]}}}"
    position = position + least_depth ** rng.uniform() * thickness * n
    return (f"  - {{a: {{ellipsoid: {{radii: {[float(r) for r in radii]}}}}}, b: {other}, pose_a: {{position: {position.tolist()}, "
            f"quaternion: {[float(x) for x in quaternion]}}}{pose}}}")


def metrics(program, lines, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "pairs.yaml"
        path.write_text("schema: intervox/pairs/1\npairs:\n" + "\n".join(lines) + "\n")
        done = subprocess.run([program, "metrics", str(path), "--json", *options], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: some pair missed its tolerance, which its status says
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def exceeds(got, exact):
    """By how many times the estimate is exceeded, and whether the bounds are."""
    rounding = exact["volume_error"] + 1e-13 * exact["volume"]
    low, high = got["volume_bounds"]
    return (abs(got["volume"] - exact["volume"]) / (got["volume_error"] + rounding),
            exact["volume"] + rounding < low or exact["volume"] - rounding > high)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int, nargs="?", default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--aspect", type=float, default=100)
    parser.add_argument("--least-depth", type=float, default=1e-4)
    parser.add_argument("--intervox", default="build/release/bin/intervox")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    kinds = ("ellipsoid", "ball", "half-space")
    lines = [random_pair(rng, kinds[k % 3], options.aspect, options.least_depth) for k in range(options.count)]
    exact = metrics(options.intervox, lines, "--tolerance", str(REFERENCE))
    print("| tolerance | volumes | estimate exceeded | bounds exceeded | worst, in estimates | median of estimate over error |\n"
          "| --- | --- | --- | --- | --- | --- |")
    volumes = exceeded = beyond = 0
    for tolerance in TOLERANCES:
        got = metrics(options.intervox, lines, "--tolerance", str(tolerance))
        known = [k for k in range(options.count) if exact[k]["status"] == got[k]["status"] == "ok"]
        suspects = [k for k in known if exceeds(got[k], exact[k])[0] > 1 or exceeds(got[k], exact[k])[1]]
        checked = metrics(options.intervox, [lines[k] for k in suspects], "--tolerance", str(CHECK), "--leaf-rule",
                          "column") if suspects else []
        worst, bad, out = 0.0, 0, 0
        for k, check in zip(suspects, checked):
            ratio, outside = exceeds(got[k], exact[k])
            if check["status"] == "ok":
                by_columns = exceeds(got[k], check)
                ratio, outside = min(ratio, by_columns[0]), outside and by_columns[1]
            bad += ratio > 1
            out += outside
            if ratio > 1 or outside:
                error = abs(got[k]["volume"] / exact[k]["volume"] - 1)
                print(f"{kinds[k % 3]}, {ratio:.2g} times, {error:.2g} of V:{lines[k]}", file=sys.stderr)
            worst = max(worst, ratio)
        errors = [(got[k]["volume_error"], abs(got[k]["volume"] - exact[k]["volume"])) for k in known]
        ratios = [stated / error for stated, error in errors if error > 0]
        print(f"| {tolerance:g} | {len(known)} | {bad} | {out} | {f'{worst:.2g}' if bad else 'none'} | {np.median(ratios):.3g} |",
              flush=True)
        volumes += len(known)
        exceeded += bad
        beyond += out
    print(f"of {volumes} volumes {exceeded} estimates and {beyond} bounds are exceeded", file=sys.stderr)
    return 1 if max(exceeded, beyond) > volumes / 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
