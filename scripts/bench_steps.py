#!/usr/bin/python3
"""Runs bench_host_many_parts, each case in a process of its own, and writes what came out, with machine, compiler and commit.

    scripts/bench_steps.py [--bench PROGRAM] [--cases Layer:1000:1 …] [--out FILE]"""
import argparse
import datetime
import json
import pathlib
import subprocess
import sys

import bench_many_parts as many
import study_common as common

CASES = ("Layer:100:1", "Layer:1000:1", "Layer:10000:1", "Layer:10000:2", "Slab:400:1", "Slab:10000:1", "Slab:10000:2", "Flight:10000:1", "Flight:10000:2")
COUNTERS = ("contacts", "substeps", "stages", "sweeps", "queries")


def measure(program, case):
    """One case of the benchmark, as its JSON has it."""
    kind, parts, threads = case.split(":")
    command = [str(program), f"--benchmark_filter=^Step/{kind}/parts:{parts}/threads:{threads}/", "--benchmark_format=json"]
    ran = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    row, = ran["benchmarks"]
    return ran["context"], row


def verdict(case, row):
    """What a case may cost, and whether it does."""
    kind, parts, threads = case.split(":")
    cpu, memory = many.LIMITS.get(f"{kind.lower()}:{parts}", (None, None))
    said = []
    if cpu and threads == "1":
        said.append(f"{cpu * 1e3:g} ms: " + ("met" if row["cpu_time"] <= cpu * 1e3 else "missed"))
    if memory:
        said.append(f"{memory:g} MiB: " + ("met" if row["MiB"] <= memory else "missed"))
    return ", ".join(said)


def page(rows, load):
    today = datetime.date.today()
    text = f"""# Steps of many parts, {common.processor()}, {common.output_of("g++", "--version").splitlines()[0]} -O2 -march=x86-64-v3, {today}

Written by `scripts/bench_steps.py` at commit {common.commit()}: `bench_host_many_parts`, each case in a process of its own, mean over the first 100 steps of 250 µs,
friction on, the start not counted. Load average of the machine of {load["num_cpus"]} cores before the first case: {load["load_avg"][0]:.1f}. CPU is that of all threads, *first
thread* the part of it that one thread took: on a machine with other work no less than what would be left to it on cores of one's own. Counters are of one step.

"""
    table = []
    for case, row in rows:
        kind, parts, threads = case.split(":")
        table.append([f"{kind.lower()}, {parts}", threads, *(common.number(row[k], 3) for k in ("cpu_time", "main", "real_time")),
                      common.number(row["cpu_time"] * 1e3 / float(parts), 3), f"{row['MiB']:.0f}", *(common.number(row[k], 4) for k in COUNTERS), verdict(case, row)])
    text += common.table(["scene, parts", "threads", "CPU [ms]", "first thread [ms]", "wall [ms]", "CPU a part [µs]", "MiB", *COUNTERS, "at most"], table)
    by = dict(rows)
    if "Layer:1000:1" in by and "Layer:10000:1" in by:
        growth = by["Layer:10000:1"]["cpu_time"] / by["Layer:1000:1"]["cpu_time"] / 10
        text += f"\nFrom 1,000 to 10,000 balls of the layer the cost a ball grows by {growth:.2f} (at most {many.GROWTH:g}).\n"
    for kind in ("Layer", "Slab", "Flight"):
        one, two = by.get(f"{kind}:10000:1"), by.get(f"{kind}:10000:2")
        if one and two:
            text += f"\n{kind}, 10,000: two threads leave the first one {one['main'] / two['main']:.2f} times less to do.\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=pathlib.Path, default=common.ROOT / "build/release/bin/bench_host_many_parts")
    parser.add_argument("--cases", nargs="+", default=CASES, help="KIND:PARTS:THREADS")
    parser.add_argument("--out", type=pathlib.Path, default=common.ROOT / f"bench/results/many_parts_{datetime.date.today()}.md")
    options = parser.parse_args()
    rows, load = [], None
    for case in options.cases:
        context, row = measure(options.bench, case)
        load = load or context
        rows.append((case, row))
        print(case, f"{row['cpu_time']:.3g} ms", file=sys.stderr, flush=True)
    options.out.write_text(page(rows, load), encoding="utf-8")


if __name__ == "__main__":
    main()
