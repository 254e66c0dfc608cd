#!/usr/bin/python3
"""Kills a batch at random instants and goes on, again and again: no finished run may be lost, none
may stand twice, and at the end all must have the bits of a batch that nobody killed.

Usage: kill_batch.py [--kills 100] [--seed 1] [--intervox PROGRAM]"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py

ROOT = Path(__file__).resolve().parent.parent
SCENE = ROOT / "tests/scenes/ball_on_floor.yaml"
RUNS = 15  # for each kill, so that some are left for the last
BATCH = """schema: intervox/batch/1
scene: SCENE
number: NUMBER
seed: 1
sample:
  bodies.ball.pose.position[2]: {normal: {mean: 0.15, sigma: 0.02}}
  integrator.step: {constant: 2e-5}
outcomes:
  z: "position(ball)[2]"
  peak: "peak_force(ball)"
keep: all
"""


def finished(folder):
    """The runs of a journal by id: what they came to. Ends the program where one stands twice."""
    runs = {}
    path = folder / "runs.jsonl"
    if not path.exists():
        return runs
    for line in path.read_text().split("\n")[:-1]:
        entry = json.loads(line)
        if "run" not in entry:
            continue
        if entry["run"] in runs:
            sys.exit(f"run {entry['run']} stands twice")
        runs[entry["run"]] = (entry["parameters"], entry["outcomes"])
    return runs


def wait_for_a_run(journal):
    """Until a run is added; not for ever, because there may be none left."""
    def count():
        return journal.read_bytes().count(b'{"run":') if journal.exists() else 0
    before, end = count(), time.time() + 10
    while count() == before and time.time() < end:
        time.sleep(0.002)


def changed(path):
    """When a file was written last; 0 where there is none."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def wait_for(path):
    """Until a file is written; not for ever, because the runs may end."""
    before, end = changed(path), time.time() + 10
    while changed(path) == before and time.time() < end:
        time.sleep(0.0002)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--intervox", default=str(ROOT / "build/release/bin/intervox"))
    options = parser.parse_args()
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        batch = BATCH.replace("NUMBER", str(RUNS * options.kills)).replace("SCENE", str(SCENE))
        (folder / "batch.yaml").write_text(batch)
        command = [options.intervox, "batch", str(folder / "batch.yaml"), "-q", "--threads", "2", "-o"]
        known, tables, within = {}, 0, 0
        for kill in range(options.kills):
            with subprocess.Popen([*command, str(folder / "out"), "--resume"]) as process:
                new = folder / "out/batch.h5.new"
                if kill % 10 == 5:  # as the table is written
                    wait_for(new)
                    time.sleep(generator.uniform(0, 0.002))
                elif kill % 10 == 2:  # with a table that is whole
                    wait_for(folder / "out/batch.h5")
                else:
                    if kill % 4 > 0:  # the others are killed as they start
                        wait_for_a_run(folder / "out/runs.jsonl")
                    time.sleep(generator.uniform(0.005, 0.2))
                os.kill(process.pid, signal.SIGKILL)
            within += kill % 10 == 5 and new.exists()
            now = finished(folder / "out")
            lost = [k for k in known if now.get(k) != known[k]]
            if lost:
                sys.exit(f"after kill {kill}, runs {lost} are lost or changed")
            known = now
            table = folder / "out/batch.h5"
            if table.exists():
                tables += 1
                with h5py.File(table, "r") as file:
                    for k in file.get("trajectories", {}):
                        assert file[f"trajectories/{k}/time"].size > 0
        subprocess.run([*command, str(folder / "out"), "--resume"], check=True)
        subprocess.run([*command, str(folder / "whole")], check=True)
        if finished(folder / "out") != finished(folder / "whole"):
            sys.exit("the runs differ from those of a batch that nobody killed")
        with h5py.File(folder / "out/batch.h5", "r") as file:
            if set(file["runs/status"][:]) != {1} or len(file["trajectories"]) != RUNS * options.kills:
                sys.exit("the table misses runs or trajectories")
        if not known:
            sys.exit("no run finished between the kills: this says nothing")
        if tables == 0 and options.kills > 2:
            sys.exit("no table was written between the kills: this says nothing of tables")
        print(f"{options.kills} kills, {within} within a write of the table: {len(known)} runs finished before "
              f"the last of them, the table opened {tables} times; none lost, none doubled, the same bits")


main()
