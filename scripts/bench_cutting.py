#!/usr/bin/python3
"""Solids of many primitives: CPU time and memory of reading and cutting them, as `intervox validate` does.

    scripts/bench_cutting.py [--kinds wall plate …] [--counts 1000 …] [--intervox PROGRAM] [--write]

`--write` writes bench/results/cutting.md. Ends with 1 where 100,000 primitives of a kind that is held to the limits take more than 10 s or 2 GiB."""
import argparse
import math
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import study_common as common

COUNTS = (1000, 3000, 10000, 30000, 100000)
LIMIT_CPU, LIMIT_MEMORY, AT = 10.0, 2048.0, 100000  # [s], [MiB], primitives


def square(n):
    side = math.ceil(math.sqrt(n))
    return [(k % side, k // side) for k in range(n)]


def union_of(solid, places):
    return ["  solid:", "    union:"] + [f"      - {{ref: {solid}, pose: {{position: [{x}, {y}, 0]}}}}" for x, y in places]


def tiles(size):
    return lambda n: [f"  part: {{box: {{size: [{size}, {size}, 0.5]}}}}"] + union_of("part", square(n))


def plate(tool, z=0):
    def text(n):
        places = square(n)
        side = max(x for x, _ in places) + 1
        lines = [f"  tool: {tool}", "  solid:", "    difference:", f"      - {{box: {{size: [{side}, {side}, 0.5]}}, pose: {{position: [{(side - 1) / 2}, {(side - 1) / 2}, 0]}}}}"]
        return lines + [f"      - {{ref: tool, pose: {{position: [{x}, {y}, {z}]}}}}" for x, y in places]
    return text


def pegs(n):
    return ["  peg:", "    union:", "      - {cylinder: {radius: 0.3, height: 1}, pose: {position: [0, 0, 0.6]}}",
            "      - {cone: {radius_bottom: 0.25, radius_top: 0.3, height: 0.1}, pose: {position: [0, 0, 0.05]}}"] + union_of("peg", square(n // 2))


def truss(n):
    """A cube of nodes, struts along the axes and a diagonal in each level face; nodes first."""
    side, nodes, struts = 0, [], []
    while len(nodes) + len(struts) < n:
        side += 1
        nodes = [(i, j, k) for i in range(side + 1) for j in range(side + 1) for k in range(side + 1)]
        ends = [(a, tuple(p + q for p, q in zip(a, d))) for a in nodes for d in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0))]
        struts = [(a, b) for a, b in ends if max(b) <= side]
    turns = {(1, 0, 0): ", rpy_deg: [0, 90, 0]", (0, 1, 0): ", rpy_deg: [-90, 0, 0]", (0, 0, 1): "", (1, 1, 0): ", rpy_deg: [0, 90, 45]"}
    lines = ["  node: {sphere: {radius: 0.17}}", "  strut: {cylinder: {radius: 0.06, height: 1}}", f"  diagonal: {{cylinder: {{radius: 0.06, height: {math.sqrt(2)}}}}}", "  solid:", "    union:"]
    lines += [f"      - {{ref: node, pose: {{position: [{i}, {j}, {k}]}}}}" for i, j, k in nodes]
    for a, b in struts[:n - len(nodes)]:
        d = tuple(q - p for p, q in zip(a, b))
        at = ", ".join(f"{(p + q) / 2}" for p, q in zip(a, b))
        lines.append(f"      - {{ref: {'diagonal' if sum(d) == 2 else 'strut'}, pose: {{position: [{at}]{turns[d]}}}}}")
    return lines


def nested(n):
    """A difference of a union, an intersection and a hole: six primitives, in rows of a union of unions."""
    side = max(1, round(math.sqrt(n / 6)))
    return ["  part:", "    difference:", "      - {union: [{box: {size: [0.8, 0.8, 0.4]}}, {cylinder: {radius: 0.3, height: 0.8}}]}",
            "      - {intersection: [{sphere: {radius: 0.3}}, {box: {size: [0.4, 0.4, 0.4]}}]}", "      - {cylinder: {radius: 0.1, height: 2}}",
            "  row:", "    union:"] + [f"      - {{ref: part, pose: {{position: [{i}, 0, 0]}}}}" for i in range(side)] + union_of("row", [(0, j) for j in range(side)])


KINDS = {"apart": ("boxes 0.2 apart", tiles(0.8)), "wall": ("boxes side by side", tiles(1.0)), "overlapping": ("boxes that overlap by 1 %", tiles(1.01)),
         "square": ("a plate with square holes", plate("{box: {size: [0.4, 0.4, 2]}}")), "round": ("a plate with round holes", plate("{cylinder: {radius: 0.3, height: 2}}")),
         "blind": ("a plate with blind round holes", plate("{cylinder: {radius: 0.3, height: 1}}", 0.5)), "pegs": ("chamfered pegs", pegs),
         "truss": ("struts between nodes", truss), "nested": ("nested operations", nested)}


def validate(program, path):
    """CPU time [s], memory [MiB], the program's words."""
    with subprocess.Popen([str(program), "validate", str(path)], stdout=subprocess.PIPE, text=True) as child:
        words = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{path}: exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, words


def verdict(counts, beyond):
    """What was measured of the limits, in words."""
    limits = f"{LIMIT_CPU:g} s and {LIMIT_MEMORY / 1024:g} GiB"
    if AT not in counts:
        return f"Measured to {max(counts):,} primitives: this says nothing of the limits, {limits} at {AT:,}."
    return f"Beyond {limits} at {AT:,}: {', '.join(beyond)}." if beyond else f"All within {limits} at {AT:,}."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--counts", nargs="+", type=int, default=list(COUNTS))
    parser.add_argument("--intervox", type=pathlib.Path, default=common.ROOT / "build/release/bin/intervox")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows, beyond = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "scene.yaml"
        for kind in options.kinds:
            name, make = KINDS[kind]
            times, memory, cells = [], 0.0, ""
            for count in options.counts:
                lines = ["schema: intervox/scene/2", "shapes:"] + make(count) + ["bodies: {b: {shape: solid, fixed: true}}"]
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                cpu, memory, words = validate(options.intervox, path)
                cells = words.split("; ")[1].split()[0]
                times.append(cpu)
                print(f"{kind} {count}: {cpu:.2f} s, {memory:.0f} MiB, {cells} cells", flush=True)
                if count == AT and (cpu > LIMIT_CPU or memory > LIMIT_MEMORY):
                    beyond.append(name)
            rows.append([name, *(f"{t:.2f}" for t in times), f"{memory:.0f}", cells])
    text = f"""# Reading and cutting many primitives

Written by `scripts/bench_cutting.py --write` with {common.version(options.intervox)}, on {platform.machine()}, one core: CPU time of `intervox validate` in s (it starts in 0.05 s), by the number of
primitives; memory and cells of the last column's run.

"""
    text += common.table(["solid", *(f"{c:,}" for c in options.counts), "memory [MiB]", "cells"], rows)
    text += f"\n{verdict(options.counts, beyond)}\n"
    if options.write:
        (common.ROOT / "bench/results/cutting.md").write_text(text, encoding="utf-8")
    else:
        print(text)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
