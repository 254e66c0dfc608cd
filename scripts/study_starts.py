#!/usr/bin/python3
"""The battery box from random starts: its slowest step, and its speed, of one program or of two in turn.

    scripts/study_starts.py [--slice] [--runs 100] [--intervox PROGRAM] [--other PROGRAM] [--write]

The program times its steps by the steady clock. Here a preloaded library answers with the thread's CPU time instead, so that other work
on the machine does not count; of several runs the shortest slowest step is taken. Speeds come from the CPU time of whole runs less that
of a run of one step, without the library."""
import dataclasses
import pathlib
import random
import shlex
import subprocess
import sys

import h5py
import numpy as np

import study_battery_box as battery
import study_common as common

SLOWEST = 3e-3  # [s]
STEP = 250e-6
DURATION = 5.0
CLOCK = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec* t) {
  return (int)syscall(SYS_clock_gettime, id == CLOCK_MONOTONIC ? CLOCK_THREAD_CPUTIME_ID : id, t);
}
"""


def cpu_clock(folder):
    """The environment in which a program's steady clock is the CPU time of its thread."""
    source, library = folder / "cpu_clock.c", folder / "cpu_clock.so"
    source.write_text(CLOCK)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library)}


def settings(index):
    """The overrides of a random start; the same starts as study_battery_box.py's."""
    generator = random.Random(1)
    unit = lambda: generator.uniform(-1, 1)
    for _ in range(index + 1):
        p = battery.START + 0.02 * np.array([unit(), unit(), unit()])
        q = battery.THESIS_TURN
        for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            q = battery.product(battery.turn(axis, np.radians(2) * unit()), q)
    return ["bodies.box.pose.position=" + common.flow(p), "bodies.box.pose.quaternion=" + common.flow(q),
            f"duration={DURATION}", "output.every=0.01"]


@dataclasses.dataclass
class Start:
    """One start and what came of it, by program."""
    index: int
    name: str = ""
    again: str = ""  # the command that runs it alone
    failures: list = dataclasses.field(default_factory=list)
    badness: float = 0.0
    slowest: dict = dataclasses.field(default_factory=dict)  # [s]
    speed: dict = dataclasses.field(default_factory=dict)  # times real time
    balance: dict = dataclasses.field(default_factory=dict)  # what the audit leaves over [J]
    seat: dict = dataclasses.field(default_factory=dict)  # last position [m]


def measure(start, programs, place, repeats, clock):
    start.name = f"start_{start.index:03d}"
    out = place.results(start.name)
    edits = settings(start.index)
    start.again = shlex.join(["intervox", "run", str(battery.SCENE)] + [w for e in edits for w in ("--set", e)])
    for label, program in programs.items():
        start.slowest[label], start.speed[label] = np.inf, 0.0
    # The programs take turns, so that what else the machine does meets them alike.
    for _ in range(repeats):
        for label, program in programs.items():
            alone = common.run(program, battery.SCENE, out, edits + [f"duration={STEP!r}"]).cpu
            done = common.run(program, battery.SCENE, out, edits, cpu_limit=60)
            if done.status != 0:
                start.failures.append(f"{label}: exit status {done.status}")
                continue
            with h5py.File(out) as f:
                start.balance[label] = float(f["energy/balance"][-1])
                start.seat[label] = f["bodies/box/position"][-1]
            start.speed[label] = max(start.speed[label], DURATION / (done.cpu - alone))
            common.run(program, battery.SCENE, out, edits, cpu_limit=60, environment=clock)
            with h5py.File(out) as f:
                start.slowest[label] = min(start.slowest[label], common.attribute(f, "summary_slowest_step"))
    if start.slowest["program"] > SLOWEST:
        start.failures.append(f"slowest step {start.slowest['program'] * 1e3:.2f} ms")
    start.badness = start.slowest["program"]
    out.unlink(missing_ok=True)
    return start


def page(starts, programs, repeats):
    text = f"""# Battery box: slowest steps and speed

Written by `scripts/study_starts.py --write`: {len(starts)} random starts (±20 mm, ±2° about the thesis' start), {DURATION:g} s each, one thread. *Slowest step* is in CPU time, the
shortest of {repeats} runs' slowest; *speed* simulated over CPU time without the start-up, the best of as many.

"""
    rows = []
    for label, program in programs.items():
        slow = 1e3 * np.array([s.slowest[label] for s in starts])
        speed = np.array([s.speed[label] for s in starts])
        left = np.abs([s.balance.get(label, np.nan) for s in starts])
        rows.append([common.version(program), *(f"{x:.2f}" for x in (np.median(slow), slow.max())),
                     f"{starts[int(slow.argmax())].index}", *(f"{x:.2f}" for x in (np.median(speed), speed.min())),
                     common.number(1e3 * left.max())])
    text += common.table(["program", "slowest step [ms]: median", "most", "of start", "speed: median", "least", "left over, most [mJ]"], rows)
    if len(programs) == 2:
        ratio = np.array([s.speed["program"] / s.speed["other"] for s in starts if s.speed["other"] > 0])
        text += (f"\nSpeed of the first over the second: median {np.median(ratio):.3f}, least {ratio.min():.3f}.\n"
                 if len(ratio) else "\nThe second program ran none of them.\n")
    return text


def main():
    parser = common.parser(__doc__, "study_starts.md")
    parser.add_argument("--runs", type=int, default=100, help="random starts")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--other", type=pathlib.Path, help="a program to compare with")
    options = parser.parse_args()
    place = common.Workplace(options, "study_starts")
    programs = {"program": place.program} | ({"other": options.other.resolve()} if options.other else {})
    clock = cpu_clock(place.folder)
    starts = [Start(i) for i in range(4 if options.slice else options.runs)]
    starts = common.run_all(lambda s: measure(s, programs, place, options.repeats, clock), starts, options.jobs, "starts")
    status = common.finish(options, place, starts, page(starts, programs, options.repeats))
    if options.other:
        ratio = np.median([s.speed["program"] / s.speed["other"] for s in starts])
        if ratio < 1:
            print(f"slower than {options.other}: {ratio:.3f}", file=sys.stderr)
            return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
