#!/usr/bin/python3
"""Kills runs before every call that writes, and sees whether their results can be read and resumed.

A library that is preloaded (tests/host/kill_at_write.c) ends a run, as kill -9 does, before its N-th call that changes
what the disk holds in the folder of the results: write, writev, pwrite, sendfile, copy_file_range, ftruncate, fsync,
rename, unlink, remove, and open where it makes or empties a file. After each kill
- the results open with `h5py.File(path, "r")`, and every column is a beginning of the uninterrupted run's;
- `intervox run --resume` ends with 0 and the bits of the uninterrupted run;
- it says that the run starts anew where, and only where, there is no checkpoint.
No power cut may make a checkpoint newer than its results either: in the order of the calls, each file is synced after its
last write and before it is renamed, and the folder between the rename of results and that of their checkpoint.
Runs start in an empty folder and over the results and the checkpoint of an older run, which may not be taken for theirs."""
import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCENE = """schema: intervox/scene/2
name: crash
duration: {duration}
integrator: {{step: 1e-3}}
shapes:
  ball: {{sphere: {{radius: 0.1}}}}
  floor: {{half_space: {{normal: [0, 0, 1], offset: 0}}}}
contact_models:
  default: {{normal: {{model: gonthier, stiffness: 1e6, restitution: 0.5}}}}
bodies:
  floor: {{shape: floor, fixed: true}}
  ball: {{shape: ball, mass: 2, pose: {{position: [0, 0, 0.1002]}}, velocity: {{linear: [0.1, 0, -0.3]}}}}
output: {{every: 1e-3, checkpoint_every: {checkpoint}}}
"""
# What a run writes over: nothing, or an older run of the same scene that was let go further.
STARTS = ("empty", "older")
ANEW = "starts anew"


class Failed(Exception):
    """What is wrong after a kill."""


def columns(path):
    """All columns of a file, by name, as bytes and rows."""
    found = {}

    def collect(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        file.visititems(collect)
    return found


def same(a, b):
    """Whether two files' columns have the same bits."""
    return a.keys() == b.keys() and all(a[k].shape == b[k].shape and a[k].tobytes() == b[k].tobytes() for k in a)


def require_order(calls, out):
    """Whether a power cut after any call leaves whole files, and no checkpoint that is newer than its results."""
    sources = {str(out): f"{out}.part", str(out.with_suffix(".checkpoint")): f"{out.with_suffix('.checkpoint')}.new"}
    unsynced, folder_synced, renames = set(), True, 0
    for call, path in calls:
        if call in ("write", "open"):
            unsynced.add(path)
        elif call == "fsync":
            unsynced.discard(path)
            folder_synced |= path == str(out.parent)
        elif call == "rename":
            renames += 1
            if path not in sources or sources[path] in unsynced:
                raise Failed(f"{path} is renamed before it is synced")
            if path != str(out) and not folder_synced:
                raise Failed("a checkpoint is renamed before the folder of its results is synced")
            folder_synced = False
    if renames < 3:
        raise Failed(f"{renames} renames")


class Crash:
    """One scene, killed at many places."""

    def __init__(self, options, folder):
        self.program = options.intervox
        self.half = options.half
        self.library = options.library
        self.folder = folder
        self.log = folder / "log"
        self.scene = folder / "scene.yaml"
        self.scene.write_text(SCENE.format(duration=options.duration, checkpoint=options.checkpoint_every))
        whole = folder / "whole.h5"
        self.call(whole)
        self.whole = columns(whole)
        self.older = [whole, whole.with_suffix(".checkpoint")]

    def call(self, out, kill_at=None, resume=False):
        """Runs the program; returns its status and what it said on standard error."""
        environment = dict(os.environ)
        count = self.folder / "count"
        if kill_at is not None:
            environment |= {"LD_PRELOAD": str(self.library), "INTERVOX_KILL_FOLDER": str(out.parent),
                            "INTERVOX_KILL_AT": str(kill_at), "INTERVOX_KILL_COUNT": str(count)}
            if kill_at == 0:
                environment["INTERVOX_KILL_LOG"] = str(self.log)
            if self.half:
                environment["INTERVOX_KILL_HALF"] = "1"
        command = [self.program, "run", "-q", "--threads", "1", str(self.scene), "-o", str(out)]
        done = subprocess.run(command + ["--resume"] * resume, env=environment, capture_output=True, text=True,
                              timeout=120, check=False)
        return done.returncode, done.stderr, int(count.read_text()) if count.exists() else 0

    def start(self, kind):
        """An empty folder, or one with an older run's files; returns where results go."""
        folder = self.folder / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        out = folder / "out.h5"
        if kind == "older":
            for path in self.older:
                shutil.copy(path, out.with_suffix(path.suffix))
        return out

    def calls(self, kind):
        """Calls of an uninterrupted run, whose order is checked."""
        out = self.start(kind)
        self.log.unlink(missing_ok=True)
        status, text, count = self.call(out, kill_at=0)
        if status != 0 or count == 0 or not same(columns(out), self.whole):
            raise Failed(f"the run that is not killed: status {status}, {count} calls: {text}")
        require_order([line.split(" ", 1) for line in self.log.read_text().splitlines()], out)
        return count

    def check(self, kind, n):
        """Kills before call n and resumes; returns what state the kill left."""
        out = self.start(kind)
        status, text, _ = self.call(out, kill_at=n)
        if status != -signal.SIGKILL:
            raise Failed(f"was not killed: status {status}: {text}")
        if kind == "older" and not out.exists():
            raise Failed("the older results are gone and no others are there")
        state = "no results yet"
        if out.exists():
            try:
                found = columns(out)
            except (OSError, RuntimeError) as error:
                raise Failed(f"h5py cannot read the results: {error}") from error
            state = "results"
            for name, column in found.items():
                # Impacts still change while they last.
                whole = self.whole[name][:len(column)]
                if not name.startswith("impacts/") and column.tobytes() != whole.tobytes():
                    raise Failed(f"{name} is no beginning of the uninterrupted run's")
        has_checkpoint = out.with_suffix(".checkpoint").exists()
        complete = out.exists() and "summary_steps" in h5py.File(out, "r").attrs
        status, text, _ = self.call(out, resume=True)
        if status != 0:
            raise Failed(f"--resume ends with {status}: {text.strip()}")
        if (ANEW in text) == (has_checkpoint or complete):
            raise Failed(f"--resume, checkpoint {has_checkpoint}, complete {complete}, says: {text.strip()!r}")
        if not same(columns(out), self.whole):
            raise Failed("the resumed run has other bits")
        left = [p.name for p in out.parent.iterdir() if p.suffix in (".part", ".lock", ".new")]
        if left and not complete:  # a run that is complete is left alone
            raise Failed(f"the resumed run leaves {left}")
        return "checkpoint" if has_checkpoint else "complete" if complete else state


def main():
    """Kills at every call asked for, prints a table; the status is 1 where a kill did harm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--intervox", default=str(ROOT / "build/release/bin/intervox"))
    parser.add_argument("--library", default=str(ROOT / "build/release/tests/libkill_at_write.so"),
                        help="tests/host/kill_at_write.c, built")
    parser.add_argument("--duration", type=float, default=0.008, help="simulated time [s], steps of 1 ms")
    parser.add_argument("--checkpoint-every", type=float, default=0.002, help="[s]")
    parser.add_argument("--least-calls", type=int, default=100, help="fewer calls of the run are a failure")
    parser.add_argument("--starts", nargs="+", choices=STARTS, default=STARTS, help="what the run writes over")
    parser.add_argument("--every", type=int, default=1, help="kill before every n-th call only")
    parser.add_argument("--half", action="store_true", help="write half of the last call's bytes before the kill")
    parser.add_argument("--write", metavar="FILE", help="add the table to this file")
    options = parser.parse_args()
    begin, lines, failures = time.time(), [], 0
    with tempfile.TemporaryDirectory(prefix="intervox_crash_") as folder:
        crash = Crash(options, pathlib.Path(folder).resolve())
        for kind in options.starts:
            calls = crash.calls(kind)
            if calls < options.least_calls:
                print(f"the run makes {calls} calls, fewer than {options.least_calls}")
                failures += 1
            states = {}
            for n in range(1, calls + 1, options.every):
                try:
                    state = crash.check(kind, n)
                except Failed as failed:
                    failures += 1
                    state = "FAILED"
                    print(f"{kind}, call {n} of {calls}: {failed}")
                states[state] = states.get(state, 0) + 1
            row = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
            lines.append(f"| {kind} | {calls} | {sum(states.values())} | {row} | {states.get('FAILED', 0)} |")
            print(lines[-1], f"{time.time() - begin:.0f} s", flush=True)
    if options.write:
        with open(options.write, "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
