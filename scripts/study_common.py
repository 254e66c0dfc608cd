"""What the studies share: running scenes with their CPU time, energies from trajectories, tables."""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
GRAVITY = 9.81


# ---- scenes as text -------------------------------------------------------------------------------
def flow(value):
    """A value as YAML in one line: JSON with the program's own number format."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return json.dumps(value) if isinstance(value, str) and not value.isidentifier() else str(value)


def scene_text(scene, comment="", version=1):
    """A scene as YAML: a line for each entry of its named maps."""
    lines = [f"schema: intervox/scene/{version}"] + [f"# {line}" for line in comment.splitlines()]
    for key, value in scene.items():
        if key in ("shapes", "materials", "contact_models", "bodies", "sensors"):
            lines += [f"{key}:"] + [f"  {name}: {flow(entry)}" for name, entry in value.items()]
        elif key == "contacts":
            lines += ["contacts:"] + [f"  - {flow(entry)}" for entry in value]
        elif key == "name":
            lines.append(f"name: {json.dumps(value)}")
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


# ---- runs -----------------------------------------------------------------------------------------
@dataclasses.dataclass
class Outcome:
    """What a run of the program came to."""
    name: str
    scene: pathlib.Path
    out: pathlib.Path
    status: int  # the exit status; negative: the signal that ended it
    cpu: float  # user and system time of the process [s]
    wall: float  # [s]
    memory: float  # largest resident set [MiB]
    stderr: str


def run(program, scene, out, settings=(), cpu_limit=None, name=None, threads=1,
        environment=None):
    """Runs a scene; the CPU time is limited by the kernel, so a busy machine fails nothing."""
    command = [str(program), "run", str(scene), "-o", str(out), "--threads", str(threads), "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors,
                                 env={**os.environ, **(environment or {})})
        timer = None
        if cpu_limit is not None:
            seconds = max(1, int(np.ceil(cpu_limit)))
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds + 2))
            timer = threading.Timer(30 * seconds, child.kill)  # a run that sleeps for ever
            timer.daemon = True
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    return Outcome(name or pathlib.Path(scene).stem, pathlib.Path(scene), pathlib.Path(out),
                   child.returncode, usage.ru_utime + usage.ru_stime, time.monotonic() - start,
                   usage.ru_maxrss / 1024, text)


class Progress:
    """A line on stderr: rewritten on a terminal, every ten seconds elsewhere."""

    def __init__(self, total, title):
        self.total, self.title, self.done, self.bad = total, title, 0, 0
        self.lock, self.start, self.shown = threading.Lock(), time.monotonic(), time.monotonic()

    def step(self, bad=False):
        with self.lock:
            self.done += 1
            self.bad += bool(bad)
            now = time.monotonic()
            tty, last = sys.stderr.isatty(), self.done == self.total
            if tty or last or now - self.shown > 10:
                self.shown = now
                left = (now - self.start) * (self.total / self.done - 1)
                print(f"{self.title}: {self.done} of {self.total}, {self.bad} failed, {left:.0f} s left",
                      end="\r" if tty and not last else "\n", file=sys.stderr, flush=True)


def run_all(work, items, jobs, title, log=None):
    """[work(item)] in the items' order, `jobs` at a time. work fills and returns a dataclass with `name` and `failures`. A log has a
    JSON line for each as it ends; what is in it already is not run again."""
    known = {}
    if log and pathlib.Path(log).exists():
        for line in pathlib.Path(log).read_text(encoding="utf-8").splitlines():
            fields = json.loads(line)
            known[fields["name"]] = fields
    progress = Progress(len(items), title)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, open(log or os.devnull, "a", encoding="utf-8") as lines:

        def one(item):
            if item.name in known:
                progress.step(bool(known[item.name]["failures"]))
                return dataclasses.replace(item, **known[item.name])
            result = work(item)
            progress.step(bool(result.failures))
            if log:
                with progress.lock:
                    lines.write(json.dumps(dataclasses.asdict(result)) + "\n")
                    lines.flush()
            return result

        return list(pool.map(one, items))


# ---- trajectories ---------------------------------------------------------------------------------
@dataclasses.dataclass
class Inertia:
    """Mass properties of a body, as its scene gives them."""
    mass: float
    center: np.ndarray  # of mass, body frame [m]
    inertia: np.ndarray  # 3 × 3, about the centre, body axes [kg·m²]


def rotations(q):
    """(n, 3, 3) matrices of (n, 4) quaternions (w, x, y, z)."""
    w, x, y, z = np.asarray(q).T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
        np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
        np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1)
    ], -2)


def product(a, b):
    """The Hamilton product of two quaternions (w, x, y, z)."""
    w, x, y, z = a
    return np.array([w * b[0] - x * b[1] - y * b[2] - z * b[3], w * b[1] + x * b[0] + y * b[3] - z * b[2],
                     w * b[2] - x * b[3] + y * b[0] + z * b[1], w * b[3] + x * b[2] - y * b[1] + z * b[0]])


def turn(axis, angle):
    """The quaternion of a turn about an axis [rad]."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * axis])


class Motion:
    """The motion of one body in a results file."""

    def __init__(self, f, body, inertia):
        group = f["bodies"][body]
        self.inertia = inertia
        self.position = group["position"][:]
        self.orientation = group["orientation"][:]
        self.R = rotations(self.orientation)
        arm = self.R @ inertia.center
        self.omega = group["angular_velocity"][:]
        self.force = group["contact_force"][:]
        self.center = self.position + arm
        self.velocity = group["velocity"][:] + np.cross(self.omega, arm)  # of the centre

    def kinetic(self):
        w = np.einsum("nji,nj->ni", self.R, self.omega)  # body axes
        return (0.5 * self.inertia.mass * (self.velocity**2).sum(1) +
                0.5 * np.einsum("ni,ij,nj->n", w, self.inertia.inertia, w))

    def gravity(self, g):
        """Potential energy, 0 at the first sample."""
        return -self.inertia.mass * ((self.center - self.center[0]) @ np.asarray(g, float))

    def finite(self):
        return all(np.isfinite(v).all() for v in (self.center, self.velocity, self.omega))


def attribute(f, name, default=np.nan):
    """A number among a results file's attributes."""
    return float(f.attrs[name]) if name in f.attrs else default


# ---- options and tables ---------------------------------------------------------------------------
def parser(doc, page, seed=1):
    """The options that all studies have."""
    p = argparse.ArgumentParser(description=doc.split("\n")[0],
                                formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    p.add_argument("--intervox", type=pathlib.Path, default=ROOT / "build/release/bin/intervox",
                   help="the program")
    p.add_argument("--slice", action="store_true", help="the few runs of the suite")
    p.add_argument("--seed", type=int, default=seed)
    p.add_argument("--jobs", type=int, default=2, help="runs at a time")
    p.add_argument("--keep", type=pathlib.Path, help="where to keep the scenes that failed; "
                   "default: a new folder in /tmp")
    p.add_argument("--write", action="store_true", help=f"write docs/{page}")
    p.set_defaults(page=ROOT / "docs" / page)
    return p


class Workplace:
    """A folder for scenes and results; scenes that failed outlive it."""

    def __init__(self, options, name):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}_"))
        self.kept = options.keep or pathlib.Path(tempfile.gettempdir()) / f"{name}_failed_{os.getpid()}"
        if not options.intervox.is_file():
            sys.exit(f"{options.intervox}: no such program. Build it, or name it with --intervox.")
        self.slice = options.slice
        self.program = options.intervox.resolve()

    def scene(self, name, text):
        path = self.folder / f"{name}.yaml"
        path.write_text(text)
        return path

    def results(self, name):
        return self.folder / f"{name}.h5"

    def done(self, path, failures):
        """Drops a run's results; keeps its scene, with what failed as a comment, where it did."""
        (self.folder / f"{path.stem}.h5").unlink(missing_ok=True)
        if failures:
            self.kept.mkdir(parents=True, exist_ok=True)
            comment = "".join(f"# {line}\n" for f in failures for line in f.splitlines()[:2])
            (self.kept / path.name).write_text(path.read_text() + comment)
        path.unlink()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def table(header, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def number(x, digits=2):
    """A number for a table: short, and 0 as 0."""
    if x is None or not np.isfinite(x):
        return "–" if x is None or np.isnan(x) else "∞"
    return f"{x:.{digits}g}"


def version(program):
    """The first line of `intervox --version`."""
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "unknown"


def output_of(*command):
    """What a command prints, run in the repository; "" where it is absent or fails."""
    if shutil.which(command[0]) is None:
        return ""
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit():
    """The short name of the commit that is checked out."""
    return output_of("git", "rev-parse", "--short", "HEAD")


def processor():
    """The name of this machine's processor."""
    name = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return name.group(1) if name else "unknown"


def finish(options, place, results, text):
    """Prints the page and what failed, writes the page where asked, returns the exit status."""
    print(text)
    if options.write:
        options.page.write_text(text)
    failed = [r for r in results if r.failures]
    place.close()
    if not failed:
        return 0
    kept = f"; their scenes are in {place.kept}" if place.kept.exists() else ""
    print(f"{len(failed)} of {len(results)} failed{kept}:", file=sys.stderr)
    for result in sorted(failed, key=lambda r: -r.badness)[:20]:
        print(f"  {result.name}: {'; '.join(result.failures)[:160]}", file=sys.stderr)
    again = getattr(failed[0], "again", "") or f"{place.program} run {place.kept}/{failed[0].name}.yaml"
    print(f"Run one again: {again}", file=sys.stderr)
    return 1
