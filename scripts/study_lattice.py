#!/usr/bin/python3
"""What a step costs on lattices, by how many blocks they have and how many pairs of blocks are near each other.

    scripts/study_lattice.py [--steps N] [--intervox PROGRAM] [--write]

The scene lattice_drop.yaml with blocks of other sizes, upright, 1 mm apart or 0.1 mm deep. Time of a step: CPU time, one thread, of a run of N
steps and one less that of a run of one.
--write puts the table into docs/grids.md."""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENE = ROOT / "data/scenes/lattice_drop.yaml"
PAGE = ROOT / "docs/grids.md"
VOXEL, BAND, STEP = 5e-4, 3, 5e-4
SMALL, MIDDLE, LARGE = (0.04, 0.04, 0.02), (0.12, 0.12, 0.06), (0.24, 0.24, 0.116)
#: sizes of the lower and the upper block [m], how deep these are [m]
CASES = [(lower, (0.02, 0.02, 0.02), depth) for depth in (-1e-3, 1e-4) for lower in (SMALL, MIDDLE, LARGE)]
CASES += [(LARGE, upper, 1e-4) for upper in ((0.04, 0.04, 0.02), (0.08, 0.08, 0.02), LARGE)]
HEAD = "| blocks below | above | gap or depth | pairs of blocks near | CPU time of a step | memory |"


def replaced(pattern, text, new):
    out, count = re.subn(pattern, new, text, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{SCENE}: '{pattern}' occurs {count} times")
    return out


def scene(lower, upper, depth, steps):
    text = replaced(r"^duration: .*$", SCENE.read_text(), f"duration: {steps * STEP}")
    for name, size in (("lower", lower), ("upper", upper)):
        text = replaced(rf"(?<=^  {name}: {{lattice: ).*$", text,
                        f"{{kind: gyroid, period: 0.01, thickness: 1.5e-3, size: {list(size)}, voxel_size: {VOXEL}}}}}")
    z = 0.5 * (lower[2] + upper[2]) - depth
    return replaced(r"(?<=pose: {position: ).*$", text, f"[0.001, 0.002, {z}], rpy_deg: [0, 0, 20]}}}}")


def run(program, folder, text):
    """The run's summary, CPU time [s] and memory [MiB]."""
    path = pathlib.Path(folder) / "scene.yaml"
    path.write_text(text)
    command = [program, "run", str(path), "--quiet", "--json", "--threads", "1", "-o", str(path.with_suffix(".h5"))]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    summary = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: ended with {status}")
    return json.loads(summary), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def blocks(size):
    """What `intervox info --cells` counts: boxes of 8 voxels, on both sides of the middle, up to the end of the band."""
    return math.prod(2 * math.ceil((0.5 * edge / VOXEL + BAND) / 8) for edge in size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--intervox", default=str(ROOT / "build/release/bin/intervox"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    lines = [HEAD, re.sub(r"[^|]+", " --- ", HEAD)]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for lower, upper, depth in CASES:
            one, start, _ = run(options.intervox, folder, scene(lower, upper, depth, 1))
            many, end, memory = run(options.intervox, folder, scene(lower, upper, depth, options.steps + 1))
            steps = many["steps"] - one["steps"]
            stages = 3 * steps
            pairs = (many["pairs"] - one["pairs"]) / stages
            where = f"{1e3 * depth:g} mm deep" if depth > 0 else f"{-1e3 * depth:g} mm apart"
            lines.append(f"| {blocks(lower):,} | {blocks(upper):,} | {where} | {pairs:,.0f} | "
                         f"{1e3 * (end - start) / steps:.0f} ms | {memory:.0f} MiB |")
            print(lines[-1], flush=True)
    if options.write:
        page = PAGE.read_text()
        old = re.search(re.escape(HEAD) + r"\n(\|.*\n)+", page)
        if not old:
            sys.exit(f"{PAGE}: no table with the head {HEAD}")
        PAGE.write_text(page[:old.start()] + "\n".join(lines) + "\n" + page[old.end():])


if __name__ == "__main__":
    main()
