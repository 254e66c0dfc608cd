"""What a call costs from Python beyond the same in C++, and a million poses against `intervox metrics`.
The calls are counted in time of the processor on both sides, of which other programs take nothing.

    python bench/python/calls.py build/release/bin        # with an interpreter that has intervox
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import timeit

import intervox
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bin")


def cpp():
    """Times of the calls in C++ [us]."""
    done = subprocess.run([BIN / "bench_host_calls", "--benchmark_format=json", "--benchmark_min_time=0.1",
                           "--benchmark_repetitions=10"], check=True, capture_output=True, text=True)
    times = {}
    for run in json.loads(done.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            name = run["name"].split("/")[0]
            times[name] = min(times.get(name, 1e9), run["cpu_time"] / 1e3)
    return times


def python():
    """Times of the calls from Python [us], the best of twenty."""
    scene = intervox.load_scene(ROOT / "data/scenes/peg_insertion.yaml")
    s = intervox.Simulation(scene, threads=1)
    s.step(400)
    start, peg = s.save(), s.bodies["peg"]
    a, b = intervox.shape("sphere: {radius: 0.1}"), intervox.shape("box: {size: [1, 1, 0.2]}")
    X, row = intervox.Pose((0, 0, -0.199)), np.array([0, 0, -0.199, 1, 0, 0, 0])
    pose, pair = peg.pose, (peg.position, peg.quaternion)

    def steps():
        s.restore(start)
        for _ in range(99):
            s.step()

    calls = {
        "MeasureBallAndSlab": lambda: intervox.measure(a, b, X, tolerance=1e-4),
        "MeasureBallAndSlab, from an array": lambda: intervox.measure(a, b, row, tolerance=1e-4),
        "SetWrench": lambda: s.set_wrench("peg", (0, 0, 0)),
        "SetHolderTarget": lambda: s.set_holder_target("peg", pose),
        "SetHolderTarget, from arrays": lambda: s.set_holder_target("peg", pair),
        "Clone": s.clone, "Save": s.save,
        "time": lambda: s.time, "position": lambda: peg.position,
        "bodies[...].position": lambda: s.bodies["peg"].position, "contacts": lambda: s.contacts,
        "energy": lambda: s.energy, "sensors[...].force": lambda: s.sensors["wrist"].force}
    times = {}
    for name, call in calls.items():
        times[name] = min(timeit.repeat(call, number=2000, repeat=20, timer=time.process_time)) / 2000 * 1e6
    times["StepPeg"] = min(timeit.repeat(steps, number=1, repeat=30, timer=time.process_time)) / 99 * 1e6
    return times


def million():
    """Seconds for a million poses: intervox metrics --poses with its files, measure() on the array."""
    random = np.random.default_rng(1)
    poses = np.hstack([random.uniform(-0.1, 0.1, (10**6, 3)), random.normal(size=(10**6, 4))])
    pairs = ("schema: intervox/pairs/1\nshapes:\n  a: {sphere: {radius: 0.1}}\n  b: {box: {size: [0.1, 0.2, 0.3]}}\n"
             "pairs: [{a: a, b: b}]\n")
    shapes = intervox.shape("sphere: {radius: 0.1}"), intervox.shape("box: {size: [0.1, 0.2, 0.3]}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        np.save(folder / "poses.npy", poses)
        (folder / "pairs.yaml").write_text(pairs)
        begin = time.perf_counter()
        subprocess.run([BIN / "intervox", "metrics", folder / "pairs.yaml", "--poses", folder / "poses.npy", "-o",
                        folder / "out.npz", "--tolerance", "1e-4"], check=True, capture_output=True)
        program = time.perf_counter() - begin
    begin = time.perf_counter()
    intervox.measure(shapes[1], shapes[0], poses, tolerance=1e-4)
    return program, time.perf_counter() - begin


inside, outside = cpp(), python()
print(f"{'call':36s} {'C++ [us]':>9s} {'Python':>9s} {'beyond':>9s}")
for name, at in outside.items():
    base = inside.get(name.split(",")[0], 0.0)
    print(f"{name:36s} {base:9.2f} {at:9.2f} {at - base:9.2f}")
program, package = million()
print(f"a million poses: intervox metrics with its files {program:.2f} s, measure() {package:.2f} s")
