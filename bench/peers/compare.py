"""Gives each peer its problems, in a process of its own on one core, and writes the table of what came out.

    bench/peers/peers.sh [TABLE.md]      # makes the environment and calls this"""

import datetime
import importlib
import importlib.metadata
import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PEERS = {"intervox": "Intervox", "mujoco": "MuJoCo", "drake": "Drake", "manifold": "Manifold", "coal": "Coal"}
PACKAGES = {"mujoco": "mujoco", "drake": "drake", "manifold": "manifold3d", "coal": "coal"}
PROBLEMS = ("balls", "cubes", "peg in hole", "1,000 balls")
LONGEST = 400  # [s]


def answer(peer):
    """Prints the rows of a peer as lines of JSON."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for row in importlib.import_module(f"peer_{peer}").rows():
        print(json.dumps([row.problem, row.computes, float(row.value), float(row.exact), row.seconds]), flush=True)


def ask(peer):
    """The rows of a peer, and what became of it where they are not all."""
    try:
        done = subprocess.run([sys.executable, __file__, "--peer", peer], capture_output=True, text=True, timeout=LONGEST)
        output, why = done.stdout, "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no message"])[-1]
    except subprocess.TimeoutExpired as late:
        output, why = (late.stdout or b"").decode(), f"not done after {LONGEST} s"
    return [json.loads(line) for line in output.splitlines()], why


def version(peer):
    if peer == "intervox":
        commit = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
        return commit.stdout.strip()
    try:
        return importlib.metadata.version(PACKAGES[peer])
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def time_text(seconds):
    for scale, unit in ((1e-6, "µs"), (1e-3, "ms")):
        if seconds < 1000 * scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def error_text(value, exact):
    error = abs(value / exact - 1)
    return "exact to rounding" if error < 1e-13 else f"{100 * error:.2g} %" if error > 1e-5 else f"{error:.0e}"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def table(asked):
    yield f"# Peers, {datetime.date.today().isoformat()}"
    yield ""
    yield ("Written by `bench/peers/peers.sh`, in one run, on one core of " + processor() +
           f", Python {platform.python_version()}. [problems.py](../peers/problems.py) has the problems and their exact "
           "answers; each `peer_*.py` says what its program is asked for. They do not compute the same: a depth, an area "
           "and a volume are different answers to \"how far are these in each other\", each is held against its own exact "
           "value. Times are the processor's, of one call from Python; for Intervox of the program, what 20,000 poses or 300 "
           "steps take beyond one.")
    for problem in PROBLEMS:
        yield f"\n## {problem[0].upper()}{problem[1:]}\n"
        yield "| | computes | got | exact | error | time |"
        yield "| --- | --- | --- | --- | --- | --- |"
        for peer, (rows, why) in asked.items():
            found = [row for row in rows if row[0] == problem]
            name = f"{PEERS[peer]} {version(peer)}"
            for _, computes, value, exact, seconds in found:
                yield (f"| {name} | {computes} | {value:.7g} | {exact:.7g} | {error_text(value, exact)} | "
                       f"{time_text(seconds)} |")
            if not found:
                yield f"| {name} | {'skipped: ' + why if why else 'has none: it steps no bodies'} | | | | |"


def main():
    if sys.argv[1:2] == ["--peer"]:
        answer(sys.argv[2])
        return
    asked = {}
    for peer, name in PEERS.items():
        print(f"{name} …", file=sys.stderr, flush=True)
        asked[peer] = ask(peer)
        if asked[peer][1]:
            print(f"  skipped: {asked[peer][1]}", file=sys.stderr, flush=True)
    text = "\n".join(table(asked)) + "\n"
    print(text)
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")


main()
