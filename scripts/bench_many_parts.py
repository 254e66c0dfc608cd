#!/usr/bin/python3
"""Scenes of many parts: mean CPU time a step over the first steps, and peak memory.

    scripts/bench_many_parts.py [--slice] [--scenes layer:1000 slab:400 …] [--steps 100] [--threads 1] [--intervox PROGRAM] [--write]

The time of a run of one step is taken off, so that reading and cutting do not count. Scenes come from make_many_parts.py."""
import dataclasses
import sys

import h5py
import numpy as np

import make_many_parts as make
import study_common as common

FULL = ("layer:100", "layer:1000", "layer:10000", "slab:400", "slab:10000", "flight:10000", "pegs:100", "pegs:1000", "pegboard:100", "pegboard:1000",
        "bin:100", "bin:1000", "truss:500", "truss:5000")
SLICE = ("layer:25", "layer:100", "slab:100", "flight:1000", "pegs:9", "pegboard:9", "bin:20", "truss:50")
# What a step may cost on one core [s], and the memory [MiB].
LIMITS = {"layer:1000": (0.100, None), "layer:10000": (1.2, 2048), "slab:400": (0.004, None), "slab:10000": (0.100, None), "flight:10000": (0.012, 500)}
GROWTH = 1.3  # of the layer's cost a ball, from 1,000 to 10,000
CPU_LIMIT = 900


@dataclasses.dataclass
class Bench:
    """One scene and what its steps cost."""
    scene: str
    name: str = ""
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    parts: int = 0
    start: float = np.nan  # CPU of a run of one step [s]
    step: float = np.nan  # CPU a step [s]
    wall: float = np.nan  # wall time a step [s]
    memory: float = np.nan  # [MiB]
    pairs: float = np.nan  # cell pairs measured
    contacts: int = 0  # patches in the last sample


def measure(bench, options, place):
    kind, count = bench.scene.split(":")
    bench.name, bench.parts = bench.scene.replace(":", "_"), int(count)
    path = place.scene(bench.name, make.text(kind, bench.parts))
    out = place.results(bench.name)
    h = 250e-6
    steps = options.steps
    once = common.run(place.program, path, out, [f"duration={h!r}", f"output.every={h!r}"], CPU_LIMIT, threads=options.threads)
    done = common.run(place.program, path, out, [f"duration={h * steps!r}", f"output.every={h * steps / 2!r}"], CPU_LIMIT, threads=options.threads)
    for run in (once, done):
        if run.status != 0:
            bench.failures.append(f"exit status {run.status} after {run.cpu:.0f} s of CPU: {' '.join(run.stderr.split())[-100:]}")
    bench.start, bench.step = once.cpu, (done.cpu - once.cpu) / (steps - 1)
    bench.wall, bench.memory = (done.wall - once.wall) / (steps - 1), max(done.memory, once.memory)
    try:
        with h5py.File(out) as f:
            at = f["patches/time_index"][:]
            bench.contacts = int((at == at.max()).sum()) if at.size else 0
            bench.pairs = common.attribute(f, "summary_pairs")
    except OSError:
        bench.failures.append("no results")
    cpu, memory = LIMITS.get(bench.scene, (None, None))
    if cpu and options.threads == 1 and not bench.step <= cpu:
        bench.failures.append(f"{bench.step * 1e3:.1f} ms a step, at most {cpu * 1e3:g}")
    if memory and not bench.memory <= memory:
        bench.failures.append(f"{bench.memory:.0f} MiB, at most {memory:g}")
    bench.badness = bench.step
    place.done(path, bench.failures)
    return bench


def page(benches, options, program):
    text = f"""# Many parts: what a step costs

Written by `scripts/bench_many_parts.py --write` with {common.version(program)}, {options.threads} thread{"s" * (options.threads > 1)}: mean over the first {options.steps} steps of 250 µs, without what a run of one step
takes (*start*: reading, cutting, the first evaluation). Contacts are those of the last sample.

"""
    rows = [[b.scene.replace(":", ", "), b.contacts, common.number(b.start, 3), common.number(b.step * 1e3, 3), common.number(b.step * 1e6 / b.parts, 3),
             common.number(b.wall * 1e3, 3), f"{b.memory:.0f}", "; ".join(b.failures) or "pass"] for b in benches]
    text += common.table(["scene, parts", "contacts", "start [s]", "CPU a step [ms]", "a part [µs]", "wall a step [ms]", "memory [MiB]", "verdict"], rows)
    for big, small in ratios(benches):
        text += f"\nFrom {small.scene} to {big.scene} the cost a ball grows by {growth(big, small):.2f} (at most {GROWTH:g}).\n"
    return text


def ratios(benches):
    by = {b.scene: b for b in benches}
    return [(by[b], by[s]) for b, s in (("layer:10000", "layer:1000"),) if b in by and s in by]


def growth(big, small):
    return big.step / big.parts / (small.step / small.parts)


def main():
    parser = common.parser(__doc__, "many_parts.md")
    parser.add_argument("--scenes", nargs="+", help="KIND:COUNT")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.set_defaults(jobs=1)
    options = parser.parse_args()
    place = common.Workplace(options, "bench_many_parts")
    benches = [Bench(s) for s in options.scenes or (SLICE if options.slice else FULL)]
    benches = common.run_all(lambda b: measure(b, options, place), benches, options.jobs, "many parts")
    for big, small in ratios(benches):
        if not growth(big, small) <= GROWTH:
            big.failures.append(f"a ball costs {growth(big, small):.2f} times that of {small.scene}")
    return common.finish(options, place, benches, page(benches, options, place.program))


if __name__ == "__main__":
    sys.exit(main())
